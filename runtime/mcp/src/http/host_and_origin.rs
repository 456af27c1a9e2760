//! Where a request comes from and by which name it found this server, decided before its body is read.
//!
//! The SDK decides the same again. It does so after a body has been taken in, and reads the first of several headers.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Uri};

/// What this machine is called by its own clients and pages.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Names of the server and sites whose pages may use it, besides those of this machine.
#[derive(Debug, Clone)]
pub(super) struct Visitors {
    /// Each with its port, if only that is meant.
    hosts: Vec<(String, Option<u16>)>,
    /// Each with its port.
    origins: Vec<(String, String, u16)>,
}

impl Visitors {
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Self {
        let host = |host: &String| match host.parse::<IpAddr>() {
            Ok(address) => Some((address.to_string(), None)),
            Err(_) => authority(host),
        };
        Self {
            hosts: hosts.iter().filter_map(host).collect(),
            origins: origins.iter().filter_map(|text| origin(text)).collect(),
        }
    }

    /// Whether a request with these headers may come in.
    pub(super) fn admit(&self, headers: &HeaderMap) -> bool {
        self.knows_host(headers) && self.knows_origin(headers)
    }

    /// A name that leads here by somebody else's doing is in no list.
    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let Some((host, port)) = only(headers, &HOST).ok().flatten().and_then(authority) else { return false };
        let is_named = |(known, at): &(String, Option<u16>)| *known == host && (at.is_none() || *at == port);
        HERE.contains(&host.as_str()) || self.hosts.iter().any(is_named)
    }

    /// Programs send no origin. Browsers do for every page, and for none of them it is `null`.
    fn knows_origin(&self, headers: &HeaderMap) -> bool {
        let text = match only(headers, &ORIGIN) {
            Err(Unclear) => return false,
            Ok(None) => return true,
            Ok(Some(text)) => text,
        };
        origin(text).is_some_and(|origin| {
            let (scheme, host, _) = &origin;
            (scheme == "http" && HERE.contains(&host.as_str())) || self.origins.contains(&origin)
        })
    }
}

/// There are several values, one for whoever reads the first and another for whoever reads the last; or it is no text.
struct Unclear;

/// The one value of a header, if it is there.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Unclear> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Unclear),
        (Some(_), Some(_)) => Err(Unclear),
    }
}

/// A host without brackets, in lower case, and its port.
fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let authority: Authority = text.parse().ok()?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let has_port = !text.ends_with(authority.host());
    let port = authority.port_u16();
    (!host.is_empty() && !text.contains('@') && has_port == port.is_some()).then_some((host, port))
}

/// Scheme, host and port of an origin.
fn origin(text: &str) -> Option<(String, String, u16)> {
    let uri: Uri = text.parse().ok()?;
    let scheme = uri.scheme_str()?.to_owned();
    let rest = text.strip_prefix(&scheme)?.strip_prefix("://")?;
    let (host, port) = authority(rest)?;
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    Some((scheme, host, port.unwrap_or(usual)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn admits(visitors: &Visitors, headers: &[(HeaderName, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).expect("it is a value"));
        }
        visitors.admit(&map)
    }

    #[test]
    fn c01_names_of_this_machine_and_of_the_list_lead_here_and_no_others() {
        let visitors =
            Visitors::new(&["mcp.example.com".to_owned(), "a.b:8080".to_owned(), "10.0.0.5".to_owned()], &[]);
        for (host, expected) in [
            ("localhost", true),
            ("LOCALHOST:8350", true),
            ("127.0.0.1:1", true),
            ("[::1]:8350", true),
            ("mcp.example.com", true),
            ("mcp.example.com:443", true),
            ("a.b:8080", true),
            ("a.b:8081", false),
            ("a.b", false),
            ("10.0.0.5:8350", true),
            ("10.0.0.6:8350", false),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("evil@localhost", false),
            ("localhost.", false),
            ("127.1", false),
            ("2130706433", false),
            ("0.0.0.0", false),
            ("[::ffff:127.0.0.1]", false),
            ("localhost:99999", false),
            ("localhost:", false),
            ("", false),
        ] {
            assert_eq!(admits(&visitors, &[(HOST, host)]), expected, "{host}");
        }
        assert!(!admits(&visitors, &[]), "a name is needed");
        assert!(!admits(&visitors, &[(HOST, "localhost"), (HOST, "localhost")]), "and one only");
    }

    #[test]
    fn c01_pages_of_this_machine_and_of_named_sites_come_in_and_no_others() {
        let visitors = Visitors::new(&[], &["https://app.example.com".to_owned(), "http://a.b:8080".to_owned()]);
        for (origin, expected) in [
            ("http://localhost:3000", true),
            ("http://127.0.0.1", true),
            ("http://[::1]:9", true),
            ("https://localhost", false),
            ("https://app.example.com", true),
            ("https://app.example.com:443", true),
            ("https://app.example.com:8443", false),
            ("http://app.example.com", false),
            ("http://a.b:8080", true),
            ("http://a.b", false),
            ("https://evil.example", false),
            ("http://localhost.evil.example", false),
            ("http://evil@localhost", false),
            ("null", false),
            ("file://", false),
            ("", false),
        ] {
            assert_eq!(admits(&visitors, &[(HOST, "localhost"), (ORIGIN, origin)]), expected, "{origin}");
        }
        let twice = [(HOST, "localhost"), (ORIGIN, "http://localhost"), (ORIGIN, "https://evil.example")];
        assert!(!admits(&visitors, &twice));
    }
}
