//! Decides which IP addresses an origin may have. **This file is a boundary**: a granted name may resolve to any address.
//!
//! Invariant: an origin has a public address, or one that the operator listed. Addresses of this machine and of
//! metadata services are allowed only by a listed network that contains nothing else.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The addresses that an origin may have in addition to public ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PrivateAddresses {
    /// None.
    #[default]
    None,
    /// Those of private networks: RFC 1918, carrier NAT and unique local. Not this machine, not link-local ones, and no
    /// metadata service.
    Ordinary,
    /// Those of these networks.
    Networks(Vec<Network>),
}

impl PrivateAddresses {
    /// The loopback addresses of this machine.
    #[must_use]
    pub fn loopback() -> Self {
        Self::Networks(vec![v4([127, 0, 0, 0], 8), v6(1, 128)])
    }

    /// Whether the origin may be at this address: a public one, or one of these. IPv6 forms that carry an IPv4 address are
    /// judged by it.
    #[must_use]
    pub fn allow(&self, ip: IpAddr) -> bool {
        let ip = carried(ip);
        let mut guards = GUARDED.iter().filter(|guard| guard.holds(ip));
        is_public(ip)
            || match self {
                Self::None => false,
                Self::Ordinary => guards.next().is_none() && ORDINARY.iter().any(|network| network.holds(ip)),
                Self::Networks(networks) => {
                    let guards: Vec<&Network> = guards.collect();
                    // A wide network does not open what nobody had in mind with it.
                    let opens = |network: &Network| guards.iter().all(|guard| guard.contains(*network));
                    networks.iter().any(|network| network.holds(ip) && opens(network))
                }
            }
    }
}

/// The networks that `private_addresses = true` allows.
const ORDINARY: [Network; 5] = [
    v4([10, 0, 0, 0], 8),
    v4([172, 16, 0, 0], 12),
    v4([192, 168, 0, 0], 16),
    v4([100, 64, 0, 0], 10), // carrier NAT; overlay networks
    v6(0xfc00 << 112, 7),
];

/// Ranges that only a network inside of them allows: this machine, and the metadata services of clouds, which hand out
/// credentials.
const GUARDED: [Network; 11] = [
    v4([0, 0, 0, 0], 8), // connects to this machine
    v4([127, 0, 0, 0], 8),
    v6(0, 128), // connects to this machine as well
    v6(1, 128),
    v4([169, 254, 0, 0], 16), // link-local, and most metadata services
    v6(0xfe80 << 112, 10),
    v4([100, 100, 100, 200], 32),
    v4([168, 63, 129, 16], 32),
    v4([192, 0, 0, 192], 32),
    v6(0xfd00_0ec2 << 96 | 0x254, 128),
    v6(0xfd20_00ce << 96 | 0x254, 128),
];

/// A network, or a single address: `10.0.0.0/8`, `192.168.1.5`, `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    /// How many leading bits of the base all of its addresses have.
    bits: u32,
}

impl Network {
    /// The network of one address; of an IPv6 form that carries an IPv4 address, of that.
    #[must_use]
    pub fn of(ip: IpAddr) -> Self {
        let base = carried(ip);
        Self { base, bits: width(base) }
    }

    fn holds(self, ip: IpAddr) -> bool {
        match (self.base, ip) {
            (IpAddr::V4(base), IpAddr::V4(ip)) => (base.to_bits() ^ ip.to_bits()).leading_zeros() >= self.bits,
            (IpAddr::V6(base), IpAddr::V6(ip)) => (base.to_bits() ^ ip.to_bits()).leading_zeros() >= self.bits,
            _ => false,
        }
    }

    fn contains(self, other: Self) -> bool {
        self.bits <= other.bits && self.holds(other.base)
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().map_err(|_| NetworkError::Form)?;
        let width = width(base);
        let bits = match bits {
            None => width,
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                bits.parse().ok().filter(|bits| *bits <= width).ok_or(NetworkError::Form)?
            }
            Some(_) => return Err(NetworkError::Form),
        };
        if carried(base) != base {
            return Err(NetworkError::Carrier);
        }
        let zeros = match base {
            IpAddr::V4(base) => base.to_bits().trailing_zeros(),
            IpAddr::V6(base) => base.to_bits().trailing_zeros(),
        };
        if zeros < width - bits { Err(NetworkError::Bits) } else { Ok(Self { base, bits }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bits == width(self.base) {
            write!(formatter, "{}", self.base)
        } else {
            write!(formatter, "{}/{}", self.base, self.bits)
        }
    }
}

/// Why a text is not a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// Not an address with or without a number of bits.
    #[error("it is neither an address nor a network such as 10.0.0.0/8")]
    Form,
    /// The address has bits behind those that count.
    #[error("its address has bits set after the prefix: write the first address of the network")]
    Bits,
    /// An IPv6 form of an IPv4 address.
    #[error("it embeds IPv4 addresses, which are checked as IPv4: write the IPv4 network")]
    Carrier,
}

const fn v4([a, b, c, d]: [u8; 4], bits: u32) -> Network {
    Network { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits }
}

const fn v6(base: u128, bits: u32) -> Network {
    Network { base: IpAddr::V6(Ipv6Addr::from_bits(base)), bits }
}

fn width(ip: IpAddr) -> u32 {
    match ip {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Where a packet to this address ends, as far as that can be known: mapped, NAT64 and 6to4 addresses embed an IPv4
/// address. A network's own NAT64 prefix cannot be known.
fn carried(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        _ => ip,
    }
}

/// Whether an address may be contacted by an origin that was not declared private. Everything that is not plainly a
/// global unicast address of somebody else is not public, and IPv6 forms that carry an IPv4 address are judged by it.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    match carried(ip) {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// IPv4 ranges that are not public, from the IANA special-purpose registry.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),            // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier NAT; a cloud's metadata service
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host agent, behind a public-looking address
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local; metadata services
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved
];

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let inside = |&(network, bits): &(Ipv4Addr, u32)| (ip.to_bits() ^ network.to_bits()).leading_zeros() >= bits;
    !NOT_PUBLIC_V4.iter().any(inside)
}

/// IPv6 ranges inside `2000::/3` that are not public. Outside of it nothing is: loopback, unspecified, discard, unique
/// local, link-local, site-local, multicast and whatever comes next.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // Teredo, benchmarking, ORCHID, other protocols
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Of an address that carries no other. Teredo hides two of them and the deprecated compatible form has no use, so both
/// are refused here.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let inside = |&(network, bits): &(Ipv6Addr, u32)| (ip.to_bits() ^ network.to_bits()).leading_zeros() >= bits;
    ip.segments()[0] & 0xe000 == 0x2000 && !NOT_PUBLIC_V6.iter().any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_range() {
        // Pairs of neighbours: the first is not public, the second is.
        for (private, public) in [
            ("0.255.255.255", "1.0.0.0"),
            ("10.0.0.0", "9.255.255.255"),
            ("10.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.63.255.255"),
            ("100.127.255.255", "100.128.0.0"),
            ("127.0.0.0", "126.255.255.255"),
            ("127.255.255.255", "128.0.0.0"),
            ("168.63.129.16", "168.63.129.17"),
            ("169.254.0.0", "169.253.255.255"),
            ("169.254.169.254", "169.255.0.0"),
            ("172.16.0.0", "172.15.255.255"),
            ("172.31.255.255", "172.32.0.0"),
            ("192.0.0.255", "192.0.1.0"),
            ("192.0.2.255", "192.0.3.0"),
            ("192.88.99.0", "192.88.98.255"),
            ("192.168.0.0", "192.167.255.255"),
            ("192.168.255.255", "192.169.0.0"),
            ("198.18.0.0", "198.17.255.255"),
            ("198.19.255.255", "198.20.0.0"),
            ("198.51.100.0", "198.51.99.255"),
            ("203.0.113.255", "203.0.114.0"),
            ("224.0.0.0", "223.255.255.255"),
            ("239.255.255.255", "8.8.8.8"),
            ("240.0.0.0", "1.1.1.1"),
            ("255.255.255.255", "9.9.9.9"),
            ("::ffff:127.0.0.1", "::ffff:8.8.8.8"),
            ("64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8"),
            ("2002:7f00:1::", "2002:808:808::1"),
            ("2001:1ff:ffff::", "2001:200::"),
            ("2001:db8:ffff::", "2001:db9::"),
            ("3fff:fff::1", "3fff:1000::"),
            ("1fff::1", "2003::1"),
            ("4000::", "3ffe::1"),
        ] {
            assert!(!is_public(private.parse().expect(private)), "{private}");
            assert!(is_public(public.parse().expect(public)), "{public}");
        }
    }

    fn networks(texts: &[&str]) -> PrivateAddresses {
        PrivateAddresses::Networks(texts.iter().map(|text| text.parse().expect(text)).collect())
    }

    /// Expects these addresses to be allowed, and those not.
    fn check(private: &PrivateAddresses, allowed: &[&str], refused: &[&str]) {
        for (ips, expected) in [(allowed, true), (refused, false)] {
            for ip in ips {
                assert_eq!(private.allow(ip.parse().expect(ip)), expected, "{ip} by {private:?}");
            }
        }
    }

    #[test]
    fn h02_private_addresses_are_those_of_networks_and_not_of_this_machine() {
        let inside = ["10.0.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1"];
        let guarded = [
            "127.0.0.1",
            "0.0.0.0",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd20:ce::254",
        ];
        check(&PrivateAddresses::Ordinary, &[&inside[..], &["8.8.8.8"]].concat(), &guarded);
        check(
            &PrivateAddresses::Ordinary,
            &[],
            &["224.0.0.1", "192.0.2.1", "198.18.0.1", "255.255.255.255", "ff02::1"],
        );
        check(&PrivateAddresses::None, &["8.8.8.8", "2606:2800:220:1::1"], &inside);
        check(&PrivateAddresses::None, &[], &guarded);
        // However wide the network, and however often it is named.
        let wide = networks(&["0.0.0.0/0", "::/0", "128.0.0.0/1", "100.64.0.0/10", "fc00::/7", "169.254.0.0/15"]);
        check(&wide, &inside, &guarded);
    }

    #[test]
    fn h02_a_network_allows_what_it_holds_and_nothing_beside_it() {
        check(
            &networks(&["10.1.0.0/16", "192.168.1.5", "fd12::/16"]),
            &["10.1.0.0", "10.1.255.255", "192.168.1.5", "fd12::1", "::ffff:10.1.0.1", "64:ff9b::10.1.0.1", "8.8.8.8"],
            &[
                "10.0.255.255",
                "10.2.0.0",
                "192.168.1.4",
                "192.168.1.6",
                "fd13::",
                "127.0.0.1",
                "169.254.169.254",
                "::1",
            ],
        );
        check(
            &networks(&["127.0.0.1"]),
            &["127.0.0.1", "::ffff:127.0.0.1"],
            &["127.0.0.2", "::1", "10.0.0.1", "0.0.0.0"],
        );
        check(&networks(&["127.0.0.0/8"]), &["127.1.2.3"], &["::1", "0.0.0.0"]);
        check(&networks(&["169.254.169.254"]), &["169.254.169.254"], &["169.254.169.253", "127.0.0.1"]);
        check(&networks(&["fe80::/10", "0.0.0.0"]), &["fe80::1", "0.0.0.0"], &["::", "0.0.0.1"]);
        check(
            &PrivateAddresses::loopback(),
            &["127.0.0.1", "127.9.9.9", "::1"],
            &["10.0.0.1", "::", "169.254.169.254"],
        );
    }

    #[test]
    fn a_network_reads_back_what_it_shows() {
        for (text, shown) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("192.168.1.5", "192.168.1.5"),
            ("192.168.1.5/32", "192.168.1.5"),
            ("FD00:0::/8", "fd00::/8"),
            ("::1", "::1"),
        ] {
            let network: Network = text.parse().expect(text);
            assert_eq!(network.to_string(), shown);
            assert_eq!(shown.parse(), Ok(network));
        }
        for (text, error) in [
            ("", NetworkError::Form),
            ("localhost", NetworkError::Form),
            ("10.0.0.0/33", NetworkError::Form),
            ("10.0.0.0/+8", NetworkError::Form),
            ("10.0.0.0/", NetworkError::Form),
            ("10.0.0.0/8/8", NetworkError::Form),
            ("10.1/16", NetworkError::Form),
            ("::/129", NetworkError::Form),
            ("10.0.0.1/8", NetworkError::Bits),
            ("fd00::1/8", NetworkError::Bits),
            ("::ffff:10.0.0.1", NetworkError::Carrier),
            ("64:ff9b::/96", NetworkError::Carrier),
        ] {
            assert_eq!(text.parse::<Network>(), Err(error), "{text}");
        }
        assert_eq!(Network::of("::ffff:10.0.0.1".parse().expect("an address")).to_string(), "10.0.0.1");
    }

    #[test]
    fn no_special_ipv6_form_is_public() {
        for ip in [
            "::",
            "::1",
            "::8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "64:ff9b::1:0:0:0",
            "100::1",
            "2001::1",
            "2001:0:808:808::1",
            "2001:2::1",
            "2001:10::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(ip.parse().expect(ip)), "{ip}");
        }
    }
}
