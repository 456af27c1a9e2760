//! Properties of every text, location and address, for the fuzz targets `admission`, `redirect` and `address` and for
//! property tests over fewer inputs.
//!
//! The rules are implemented here a second time and differently: text is split at its separators, without a URL parser.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use crate::path::URL_BYTES_MAX;
use crate::{AllowedUrl, Grant, HttpRule, Method, Needs, Origin, Origins, PrivateAddresses, Refusal, is_public};

/// Aliases and their base URLs: a server, a folder of it, and one beside this program.
const BASES: [(&str, &str); 3] = [
    ("sentry", "https://sentry.example"),
    ("deep", "https://sentry.example/deep/er"),
    ("local", "http://127.0.0.1:8080"),
];

const RULES: [(&str, &str, &str); 4] = [
    ("sentry", "GET", "/api/*/issues/"),
    ("sentry", "GET,PUT", "/open/**"),
    ("deep", "GET", "/**"),
    ("local", "GET", "/v1/*"),
];

/// Methods that input can choose: granted ones, others, and invalid ones.
const METHODS: [&str; 8] = ["GET", "get", "PUT", "POST", "TRACE", "CONNECT", "", "GET\r\nX: y"];

/// The longest message about a refusal, in bytes: two texts of a script, each shortened to 200 characters and escaped
/// as `\u{10ffff}`, and a few rules.
const MESSAGE_BYTES_MAX: usize = 5000;

static WORLD: LazyLock<(Origins, Grant)> = LazyLock::new(|| {
    let origins =
        BASES.map(|(alias, base_url)| Origin::new(alias.parse().expect("an alias"), base_url).expect("a base URL"));
    let rules = RULES
        .map(|(alias, methods, path)| -> HttpRule { format!("{alias}: {methods} {path}").parse().expect("a rule") });
    (Origins::new(origins).expect("each alias once"), Grant::of(rules))
});

/// The first byte chooses a method, and the rest is the text of a URL: it is admitted where the rules allow it, or
/// refused in one line.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn admission(bytes: &[u8]) {
    let (method, text) = bytes.split_first().unwrap_or((&0, &[]));
    asked(METHODS[usize::from(*method) % METHODS.len()], &String::from_utf8_lossy(text));
}

/// Each line is a location that the previous one redirects to: every step is within the rules, or is refused.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn redirect(bytes: &[u8]) {
    let (origins, grant) = &*WORLD;
    let start = grant.admit(origins, "GET", "sentry:/open/a/b?q=1");
    let mut at = start.expect("the rules cover the start");
    for location in bytes.split(|byte| *byte == b'\n').take(6) {
        match at.redirect(grant, origins, Method::Get, &String::from_utf8_lossy(location)) {
            Ok(next) => {
                within(&next);
                at = next;
            }
            Err(refusal) => return one_line(&refusal),
        }
    }
}

/// Four bytes are an IPv4 address and sixteen an IPv6 one: whether it is public, and whether it is an ordinary private
/// one, agrees with a second set of rules.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn address(bytes: &[u8]) {
    if let Ok(octets) = <[u8; 4]>::try_from(bytes) {
        let ip = Ipv4Addr::from(octets);
        let expected = public_v4(octets);
        assert_eq!(is_public(IpAddr::V4(ip)), expected, "{ip}");
        let private = ip.is_private() || matches!(octets, [100, 64..=127, ..]) && octets != [100, 100, 100, 200];
        assert_eq!(PrivateAddresses::Ordinary.allow(IpAddr::V4(ip)), expected || private, "{ip}");
        for carrier in [carrier([0, 0, 0, 0, 0, 0xffff], ip), carrier([0x64, 0xff9b, 0, 0, 0, 0], ip)] {
            assert_eq!(is_public(IpAddr::V6(carrier)), expected, "{carrier} carries {ip}");
            let allowed = PrivateAddresses::Ordinary.allow(IpAddr::V6(carrier));
            assert_eq!(allowed, expected || private, "{carrier} carries {ip}");
        }
    } else if let Ok(octets) = <[u8; 16]>::try_from(bytes) {
        let ip = Ipv6Addr::from(octets);
        assert_eq!(is_public(IpAddr::V6(ip)), public_v6(octets), "{ip}");
        let local = ip.is_loopback() || ip.is_unspecified() || ip.is_unicast_link_local();
        assert!(!local || !PrivateAddresses::Ordinary.allow(IpAddr::V6(ip)), "{ip}");
        assert!(!ip.is_unique_local() || PrivateAddresses::Ordinary.allow(IpAddr::V6(ip)) || octets[14..] == [2, 0x54]);
    }
}

/// Asks for a URL, and returns whether it was admitted.
pub(crate) fn asked(method: &str, text: &str) -> bool {
    let (origins, grant) = &*WORLD;
    let allowed = match grant.admit(origins, method, text) {
        Ok(allowed) => allowed,
        Err(refusal) => {
            one_line(&refusal);
            return false;
        }
    };
    assert!(allowed.method().as_str().eq_ignore_ascii_case(method), "{method:?} became {}", allowed.method());
    assert!(text.len() <= URL_BYTES_MAX && !text.contains(['\\', '\r', '\n', '\t', ' ', '\0']), "{text:?}");
    authority(text);
    within(&allowed);
    // Encoding may have made it longer than a script may ask for.
    if allowed.shown().len().max(allowed.url().as_str().len()) <= URL_BYTES_MAX {
        for again in [allowed.shown(), allowed.url().as_str()] {
            let again = grant.admit(origins, method, again);
            assert_eq!(again.as_ref().map(AllowedUrl::url), Ok(allowed.url()), "{text:?} is not the same twice");
        }
    }
    true
}

/// An admitted text with an authority names a host of the rules there: no user, no tricks with what ends it.
fn authority(text: &str) {
    let Some((scheme, rest)) = text.split_once("://") else { return };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        // A term whose query holds a URL.
        return;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    assert!(!authority.contains('@'), "{text:?} names a user");
    let host = authority.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let host = host.strip_suffix(':').unwrap_or(authority);
    // Numbers have many spellings, and so have encoded and other letters; the tests of `admit` spell them.
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-');
    if plain && !host.starts_with(|first: char| first.is_ascii_digit()) {
        assert!(host.eq_ignore_ascii_case("sentry.example"), "{text:?} was admitted");
    }
}

/// An admitted URL is below its base URL, has a path in canonical spelling, and is covered by a rule.
fn within(allowed: &AllowedUrl) {
    let (alias, url) = (allowed.alias().as_str(), allowed.url().as_str());
    let base = BASES.iter().find(|(known, _)| *known == alias).expect("there is no other alias").1;
    let below = url.strip_prefix(base).unwrap_or_else(|| panic!("{url} is not below {base}"));
    assert!(below.starts_with('/'), "{url} is not below {base}");
    assert!(url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.contains(['\\', '#']), "{url}");
    assert_eq!(allowed.shown(), format!("{alias}:{below}"));
    let path = below.split('?').next().unwrap_or_default();
    let parts: Vec<Vec<u8>> = path[1..].split('/').map(decoded).collect();
    for (at, part) in parts.iter().enumerate() {
        assert!(!part.is_empty() || at + 1 == parts.len(), "{url} has an empty part");
        assert!(part != b"." && part != b"..", "{url} has dots");
        assert!(!part.iter().any(|byte| matches!(byte, b'/' | b'\\' | 0..=0x1f | 0x7f)), "{url} hides a separator");
        // What a server that decodes once more would see.
        let twice = decoded(&String::from_utf8_lossy(part));
        assert!(twice != b"." && twice != b"..", "{url} has dots, encoded twice");
        assert!(!twice.iter().any(|byte| matches!(byte, b'/' | b'\\')), "{url} hides a separator, encoded twice");
    }
    let method = allowed.method().as_str();
    let covered = RULES.iter().any(|(known, methods, pattern)| {
        let pattern: Vec<&str> = pattern[1..].split('/').collect();
        *known == alias && methods.split(',').any(|granted| granted == method) && covers(&pattern, &parts)
    });
    assert!(covered, "no rule covers {method} {url}");
}

fn covers(pattern: &[&str], parts: &[Vec<u8>]) -> bool {
    match (pattern, parts) {
        (["**"], _) | ([], []) => true,
        (["*", pattern @ ..], [part, parts @ ..]) => !part.is_empty() && covers(pattern, parts),
        ([literal, pattern @ ..], [part, parts @ ..]) => literal.as_bytes() == part && covers(pattern, parts),
        _ => false,
    }
}

/// Percent-decoded once; a percent sign that encodes nothing stays.
fn decoded(part: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = part.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let encoded = (bytes[at] == b'%').then(|| digit(bytes.get(at + 1)).zip(digit(bytes.get(at + 2)))).flatten();
        if let Some((high, low)) = encoded {
            decoded.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits"));
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    decoded
}

/// A refusal is one line of printable ASCII, however long and strange the request was. So is what the call needs, which
/// repeats the whole path: a shortened rule would allow something else.
fn one_line(refusal: &Refusal) {
    let message = refusal.to_string();
    assert!(message.len() <= MESSAGE_BYTES_MAX, "{} bytes: {message:.200}", message.len());
    let needs = refusal.needs().map_or(String::new(), |needs| match needs {
        Needs::Rules(rules) => rules.additions(),
        Needs::OriginNamed(alias) => alias.to_string(),
        Needs::OriginAt(base_url) => base_url,
    });
    for text in [message, needs] {
        assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{text:?}");
    }
}

fn carrier(head: [u16; 6], ip: Ipv4Addr) -> Ipv6Addr {
    let [a, b, c, d] = ip.octets();
    let [s0, s1, s2, s3, s4, s5] = head;
    Ipv6Addr::new(s0, s1, s2, s3, s4, s5, u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
}

/// The special ranges of IPv4 by their octets, and what the standard library knows of them.
fn public_v4(octets: [u8; 4]) -> bool {
    let ip = Ipv4Addr::from(octets);
    let known = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_unspecified();
    let special = matches!(
        octets,
        [0 | 240..=255, ..]
            | [100, 64..=127, ..]
            | [168, 63, 129, 16]
            | [192, 0, 0, _]
            | [192, 88, 99, _]
            | [198, 18 | 19, ..]
    );
    !known && !special
}

/// The same for IPv6, where three forms embed an IPv4 address.
fn public_v6(octets: [u8; 16]) -> bool {
    let ip = Ipv6Addr::from(octets);
    if let Some(v4) = ip.to_ipv4_mapped() {
        return public_v4(v4.octets());
    }
    match octets {
        [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] | [0x20, 0x02, a, b, c, d, ..] => {
            public_v4([a, b, c, d])
        }
        [0x20, 0x01, 0 | 1, ..] | [0x20, 0x01, 0x0d, 0xb8, ..] | [0x3f, 0xff, 0..=0x0f, ..] => false,
        [first, ..] => {
            let known = ip.is_loopback()
                || ip.is_multicast()
                || ip.is_unspecified()
                || ip.is_unique_local()
                || ip.is_unicast_link_local();
            (0x20..=0x3f).contains(&first) && !known
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces at which parsers split URLs, and text between them.
    const PIECES: [&str; 44] = [
        "http",
        "https",
        "HTTPS",
        "sentry",
        "deep",
        "local",
        "file",
        ":",
        "/",
        "//",
        "://",
        "\\",
        "?",
        "#",
        "@",
        "%40",
        "%2f",
        "%2F",
        "%5c",
        "%2e",
        "%252e",
        ".",
        "..",
        ";",
        "sentry.example",
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "evil.test",
        ":8080",
        ":443",
        ":80",
        "open",
        "api",
        "issues",
        "v1",
        "deep/er",
        "[::1]",
        "xn--",
        "\u{430}",
        "\u{3002}",
        "\t",
        "\0",
        "*",
    ];

    fn near_urls() -> impl Strategy<Value = String> {
        let pieces = proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..12);
        let start = proptest::sample::select(vec![
            "",
            "sentry:/open/",
            "https://sentry.example/",
            "https://sentry.example",
            "http://127.0.0.1:8080/v1/",
            "deep:/",
            "sentry:/api/",
        ]);
        (start, pieces).prop_map(|(start, pieces)| format!("{start}{}", pieces.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn h05_any_near_url_is_admitted_within_the_rules_or_refused(method in any::<u8>(), text in near_urls()) {
            admission(&[&[method][..], text.as_bytes()].concat());
            admission(&[&[0][..], text.as_bytes()].concat());
        }

        #[test]
        fn h12_any_locations_stay_within_the_rules(locations in proptest::collection::vec(near_urls(), 0..6)) {
            redirect(locations.join("\n").as_bytes());
        }

        #[test]
        fn h02_any_ipv4_address_is_judged_as_by_other_rules(octets in any::<[u8; 4]>()) {
            address(&octets);
        }

        #[test]
        fn h02_any_ipv6_address_is_judged_as_by_other_rules(
            head in proptest::sample::select(vec![
                &[][..], &[0xfe], &[0x20, 0x01], &[0x20, 0x02], &[0x20, 0x01, 0x0d, 0xb8], &[0x3f, 0xff],
                &[0, 0x64, 0xff, 0x9b],
                &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], &[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
            ]),
            mut octets in any::<[u8; 16]>(),
        ) {
            octets[..head.len()].copy_from_slice(head);
            address(&octets);
        }
    }

    proptest! {
        #[test]
        fn h05_any_bytes_are_admitted_within_the_rules_or_refused(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            admission(&bytes);
            redirect(&bytes);
        }
    }
}
