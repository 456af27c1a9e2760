//! The rows `h…` of the threat model that the gate decides.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use url::Host;

use super::{ask, grant, origins};
use crate::oracle::asked;
use crate::{Grant, Origin, Origins, is_public};

#[test]
fn h01_without_a_grant_every_url_is_refused() {
    for url in ["sentry:/", "sentry:/open", "https://sentry.example/open", "http://127.0.0.1:8080/", "jira:/", "x", ""]
    {
        for nothing in [Grant::nothing(), grant().and([]), Grant::nothing().and(grant().rules())] {
            assert!(nothing.admit(&origins(), "GET", url).is_err(), "{url}");
        }
        assert!(grant().admit(&Origins::default(), "GET", url).is_err(), "{url} without origins");
    }
    let refusal = Grant::nothing().admit(&origins(), "GET", "https://evil.test/").unwrap_err().to_string();
    assert!(refusal.ends_with("(this run has no HTTP access)"), "{refusal}");
}

#[test]
fn h02_metadata_services_are_not_public() {
    for ip in [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::",
        "::169.254.169.254",
    ] {
        assert!(!is_public(ip.parse().expect(ip)), "{ip}");
    }
}

/// An IPv4 address as the parsers of URLs take it.
fn spelled(ip: Ipv4Addr, style: usize) -> String {
    let [a, b, c, d] = ip.octets();
    let number = ip.to_bits();
    let wide = |text: String| -> String {
        text.chars()
            .map(|digit| digit.to_digit(10).map_or(digit, |digit| char::from_u32(0xff10 + digit).unwrap()))
            .collect()
    };
    match style {
        0 => number.to_string(),
        1 => format!("0x{number:x}"),
        2 => format!("0X{number:08X}"),
        3 => format!("0{number:o}"),
        4 => format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        5 => format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        6 => format!("{a}.{b}.{}", number & 0xffff),
        7 => format!("{a}.{}", number & 0x00ff_ffff),
        8 => format!("0{a:o}.0x{:x}", number & 0x00ff_ffff),
        9 => format!("{ip}."),
        10 => wide(ip.to_string()),
        11 => ip.to_string().replace('.', "\u{3002}"),
        12 => ip.to_string().replace('.', "\u{ff0e}"),
        13 => ip.to_string().bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02x}")),
        14 => format!("0x000000000000{number:x}"),
        _ => ip.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// However an address is spelled, it is that address and no other.
    #[test]
    fn h03_every_spelling_of_an_address_is_that_address(
        bits in any::<u32>(),
        style in 0_usize..16,
        other in 0_u32..32,
    ) {
        let ip = Ipv4Addr::from_bits(bits);
        let url = format!("http://{}:8080/x", spelled(ip, style));
        let at = |ip: Ipv4Addr| {
            Origins::new([Origin::new("a".parse().unwrap(), &format!("http://{ip}:8080")).unwrap()]).unwrap()
        };
        let grant = Grant::of(["a: GET /**".parse().unwrap()]);
        let allowed = grant.admit(&at(ip), "GET", &url);
        let host = allowed.as_ref().ok().and_then(|allowed| allowed.url().host());
        prop_assert_eq!(host, Some(Host::Ipv4(ip)), "{}", &url);
        let neighbour = Ipv4Addr::from_bits(bits ^ (1 << other));
        prop_assert!(grant.admit(&at(neighbour), "GET", &url).is_err(), "{} at {}", &url, neighbour);
    }

    /// An IPv6 address that carries another is a host of its own, and as public as the other.
    #[test]
    fn h03_an_address_inside_another_is_judged_by_what_it_carries(bits in any::<u32>()) {
        let ip = Ipv4Addr::from_bits(bits);
        let mapped = ip.to_ipv6_mapped();
        prop_assert_eq!(is_public(mapped.into()), is_public(ip.into()));
        let [.., high, low] = mapped.segments();
        for carrier in [
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        ] {
            prop_assert_eq!(is_public(carrier.into()), is_public(ip.into()), "{}", carrier);
        }
        for nothing in [Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low), Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low)] {
            prop_assert!(!is_public(nothing.into()), "{}", nothing);
        }
        let origins = Origins::new([Origin::new("a".parse().unwrap(), &format!("http://{ip}")).unwrap()]).unwrap();
        let grant = Grant::of(["a: GET /**".parse().unwrap()]);
        let refused = grant.admit(&origins, "GET", &format!("http://[{mapped}]/x")).is_err();
        prop_assert!(refused);
    }
}

/// Every combination of what parsers have been made to disagree with.
#[test]
fn h05_every_authority_leads_to_a_granted_origin_or_nowhere() {
    const SCHEMES: [&str; 6] = ["https:", "HTTPS:", "http:", "https", "", "sentry:"];
    const SLASHES: [&str; 7] = ["//", "/", "", "///", "\\\\", "/\\", "/\t/"];
    const USERS: [&str; 8] =
        ["", "@", "u@", "u:p@", "sentry.example@", "sentry.example%40", "sentry.example:443@", "\\@"];
    const HOSTS: [&str; 11] = [
        "sentry.example",
        "SENTRY.example",
        "sentry.example.",
        "evil.test",
        "sentry.example.evil.test",
        "evil.test#sentry.example",
        "evil.test?sentry.example",
        "evil.test\\sentry.example",
        "127.0.0.1",
        "[::1]",
        "",
    ];
    const PORTS: [&str; 7] = ["", ":", ":443", ":80", ":8080", ":0", ":99999"];
    const PATHS: [&str; 9] = [
        "/open",
        "",
        "/open/x?q=1#f",
        "?",
        "/open/../x",
        "/open/%2e%2e/x",
        "/open//evil.test",
        "/open/@evil.test",
        "#@evil.test/open",
    ];
    let (mut all, mut admitted) = (0_usize, Vec::new());
    for scheme in SCHEMES {
        for slashes in SLASHES {
            for user in USERS {
                for host in HOSTS {
                    for port in PORTS {
                        for path in PATHS {
                            let url = format!("{scheme}{slashes}{user}{host}{port}{path}");
                            all += 1;
                            // It checks by itself that what is admitted lies within the rules.
                            if asked("GET", &url) {
                                admitted.push(url);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(all > 200_000);
    assert!(admitted.contains(&"https://sentry.example/open".to_owned()));
    assert!(admitted.contains(&"HTTPS://SENTRY.example:443/open/x?q=1#f".to_owned()));
    for url in &admitted {
        let lower = url.to_ascii_lowercase();
        let plain = lower.starts_with("https://sentry.example/") || lower.starts_with("https://sentry.example:");
        assert!(plain || lower.starts_with("sentry:/"), "{url}");
        assert!(
            !lower.contains("evil.test") || lower.contains("/open/@evil.test") || lower.contains("#@evil.test"),
            "{url}"
        );
    }
}

/// There are no wildcards in hosts: a rule names an origin, and an origin has one host.
#[test]
fn h06_a_host_that_only_looks_alike_is_refused() {
    for host in [
        "sentry.example.evil.test",
        "evilsentry.example",
        "evil-sentry.example",
        "www.sentry.example",
        "sentry.example.",
        "sentry.exampl",
        "sentry.examples",
        "sentry-example",
        "sentryexample",
        "sentry..example",
        ".sentry.example",
        "sentry.examp1e",
        "sentry.ex\u{430}mple",
        "sentr\u{443}.example",
        "\u{455}entry.example",
        "sentry.\u{435}xample",
        "s\u{435}ntry.example",
        "xn--entry-ovf.example",
        "sentry\u{2024}example.evil.test",
        "example",
        "*.example",
        "*",
    ] {
        assert!(ask("GET", &format!("https://{host}/open")).is_err(), "{host}");
    }
}

#[test]
fn h06_other_spellings_of_the_host_are_the_host() {
    for host in [
        "SENTRY.EXAMPLE",
        "Sentry.Example",
        "\u{17f}entry.example",
        "\u{ff53}entry.example",
        "sentry\u{3002}example",
        "%73entry.example",
    ] {
        let url = format!("https://{host}/open");
        assert_eq!(ask("GET", &url), Ok("sentry:/open https://sentry.example/open".to_owned()), "{host}");
    }
}

#[test]
fn h07_another_port_or_scheme_is_another_origin() {
    for url in [
        "https://sentry.example:0/open",
        "https://sentry.example:1/open",
        "https://sentry.example:80/open",
        "https://sentry.example:444/open",
        "https://sentry.example:65535/open",
        "http://sentry.example/open",
        "http://sentry.example:443/open",
        "http://127.0.0.1/",
        "http://127.0.0.1:80/",
        "http://127.0.0.1:8081/",
        "https://127.0.0.1:8080/",
    ] {
        let message = ask("GET", url).unwrap_err();
        assert!(message.contains("it is not below the base URL of a granted origin"), "{message}");
    }
    for port in ["65536", "99999", "4294967739", "-1", "443x", "0x1bb", "44 3", "\u{ff14}43"] {
        assert!(ask("GET", &format!("https://sentry.example:{port}/open")).is_err(), "{port}");
    }
    for same in ["https://sentry.example:443/open", "https://sentry.example:0443/open", "https://sentry.example:/open"]
    {
        assert!(ask("GET", same).is_ok(), "{same}");
    }
}

#[test]
fn h08_only_http_and_https_are_schemes() {
    for url in [
        "file:///etc/passwd",
        "file:/etc/passwd",
        "file:etc/passwd",
        "ftp://sentry.example/open",
        "gopher://sentry.example/open",
        "unix:/var/run/docker.sock",
        "unix:///var/run/docker.sock",
        "http+unix://%2Fvar%2Frun%2Fdocker.sock/open",
        "data:text/plain,x",
        "data://text/plain,x",
        "ws://sentry.example/open",
        "wss://sentry.example/open",
        "jar:https://sentry.example/open!/x",
        "blob:https://sentry.example/open",
        "view-source:https://sentry.example/open",
        "javascript:alert(1)",
        "about:blank",
        "dict://sentry.example:11211/stat",
        "ldap://sentry.example/open",
        "tftp://sentry.example/open",
        "netdoc:///etc/passwd",
        "httpss://sentry.example/open",
        "xhttps://sentry.example/open",
        "\u{ff48}ttps://sentry.example/open",
        "ht\0tps://sentry.example/open",
        "\0https://sentry.example/open",
        "https\0://sentry.example/open",
        " https://sentry.example/open",
        "url:https://sentry.example/open",
        "://sentry.example/open",
    ] {
        assert!(ask("GET", url).is_err(), "{url:?}");
    }
    // Nor can an origin be configured with one.
    for base_url in ["file:///", "ftp://h.example", "ws://h.example", "unix:/x", "data:,", "h.example", "//h.example"] {
        assert!(Origin::new("a".parse().unwrap(), base_url).is_err(), "{base_url}");
    }
}

#[test]
fn h11_a_url_of_eight_mebibytes_is_refused_in_few_words() {
    let long = "x".repeat(8 << 20);
    for url in [
        format!("sentry:/open/{long}"),
        format!("sentry:/open?{long}"),
        format!("https://{long}/open"),
        format!("https://sentry.example/open#{long}"),
        format!("{long}:/open"),
        "/".repeat(8 << 20),
        "%".repeat(8 << 20),
    ] {
        let message = ask("GET", &url).unwrap_err();
        let rule = format!("it is {} bytes long, and at most 8192 are allowed", url.len());
        assert!(message.ends_with(&rule) && message.len() < 300, "{message:.300}");
    }
    let method = ask(&long, "sentry:/open").unwrap_err();
    assert!(method.len() < 400, "{method:.400}");
}
