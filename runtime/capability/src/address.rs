//! Which addresses are on the public internet. The other half of the gate: a granted name may still point anywhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address may be contacted by an origin that was not declared private. Everything that is not plainly a
/// global unicast address of somebody else is not public, and IPv6 forms that carry an IPv4 address are judged by it.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
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

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    let inside = |&(network, bits): &(Ipv6Addr, u32)| (ip.to_bits() ^ network.to_bits()).leading_zeros() >= bits;
    match ip.segments() {
        // Mapped, NAT64 and 6to4: the packet ends at an IPv4 address. Teredo hides two of them and the deprecated
        // compatible form has no use, so both are refused below.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            v4(high, low)
        }
        [first, ..] => first & 0xe000 == 0x2000 && !NOT_PUBLIC_V6.iter().any(inside),
    }
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
