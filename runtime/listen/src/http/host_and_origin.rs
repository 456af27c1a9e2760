//! Decides by `Host` and `Origin` whether a request is meant for this server and comes from a page that may use it, before its
//! body is read. **This file is a boundary.**
//!
//! Invariant: an admitted request has exactly one `Host`, which is this machine's or allowed, and no `Origin` or one
//! that is this machine's, allowed, or what that `Host` says. There is no other check of either.

use std::str::FromStr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};

use super::origin::{HostName, Scheme, SiteOrigin};

/// What this machine is called by its own clients and pages.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Names of the server, and sites whose pages may use it, in addition to those of this machine.
#[derive(Debug)]
pub(super) struct HostAndOrigin {
    hosts: Vec<HostName>,
    origins: Vec<SiteOrigin>,
}

impl HostAndOrigin {
    pub(super) fn new(hosts: Vec<HostName>, origins: Vec<SiteOrigin>) -> Self {
        Self { hosts, origins }
    }

    /// Whether a request with these headers is admitted.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        self.admits_host(headers) && self.admits_origin(headers)
    }

    /// A foreign name that was pointed at this machine is in no list.
    fn admits_host(&self, headers: &HeaderMap) -> bool {
        let Ok(Some(host)) = only::<HostName>(headers, &HOST) else { return false };
        HERE.contains(&host.name.as_str()) || self.hosts.iter().any(|known| known.covers(&host))
    }

    /// Programs send no origin. Browsers do for every page, and `null` for a page that has none.
    fn admits_origin(&self, headers: &HeaderMap) -> bool {
        match only::<SiteOrigin>(headers, &ORIGIN) {
            Err(Unclear) => false,
            Ok(None) => true,
            Ok(Some(origin)) => {
                (origin.scheme == Scheme::Http && HERE.contains(&origin.host.as_str()))
                    || self.origins.contains(&origin)
                    || is_same_origin(headers)
            }
        }
    }
}

/// Whether a page of this very server sent a request: its `Origin` is what its `Host` says. A program sends no origin. Behind a proxy
/// that ends TLS, the origin is `https` and its port another one than the server's own; the `Host` is that of the browser still.
#[must_use]
pub fn is_same_origin(headers: &HeaderMap) -> bool {
    let (Ok(Some(host)), Ok(Some(origin))) = (only::<HostName>(headers, &HOST), only::<SiteOrigin>(headers, &ORIGIN))
    else {
        return false;
    };
    let usual = if origin.scheme == Scheme::Http { 80 } else { 443 };
    host.name == origin.host && (host.port == Some(origin.port) || (host.port.is_none() && origin.port == usual))
}

/// There are several values, which different readers resolve differently, or the value is invalid.
struct Unclear;

/// The one value of a header, if it is there.
fn only<T: FromStr>(headers: &HeaderMap, name: &HeaderName) -> Result<Option<T>, Unclear> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text = value.to_str().map_err(|_| Unclear)?;
            text.parse::<T>().map(Some).map_err(|_| Unclear)
        }
        (Some(_), Some(_)) => Err(Unclear),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn allowed(hosts: &[&str], origins: &[&str]) -> HostAndOrigin {
        let hosts = hosts.iter().map(|host| host.parse::<HostName>().expect("it is a host")).collect();
        let origins = origins.iter().map(|origin| origin.parse::<SiteOrigin>().expect("it is an origin")).collect();
        HostAndOrigin::new(hosts, origins)
    }

    fn admits(allowed: &HostAndOrigin, headers: &[(HeaderName, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).expect("it is a value"));
        }
        allowed.admits(&map)
    }

    #[test]
    fn c01_names_of_this_machine_and_of_the_list_lead_here_and_no_others() {
        let allowed = allowed(&["mcp.example.com", "a.b:8080", "10.0.0.5"], &[]);
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
            assert_eq!(admits(&allowed, &[(HOST, host)]), expected, "{host}");
        }
        assert!(!admits(&allowed, &[]), "a name is needed");
        assert!(!admits(&allowed, &[(HOST, "localhost"), (HOST, "localhost")]), "and one only");
    }

    #[test]
    fn c01_pages_of_this_machine_and_of_named_sites_come_in_and_no_others() {
        let allowed = allowed(&[], &["https://app.example.com", "http://a.b:8080"]);
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
            assert_eq!(admits(&allowed, &[(HOST, "localhost:8350"), (ORIGIN, origin)]), expected, "{origin}");
        }
        let twice = [(HOST, "localhost"), (ORIGIN, "http://localhost"), (ORIGIN, "https://evil.example")];
        assert!(!admits(&allowed, &twice));
    }

    #[test]
    fn c01_the_pages_of_this_server_come_in_by_the_name_it_has_behind_a_proxy() {
        let allowed = allowed(&["jobs.example.com"], &[]);
        for (host, origin, expected) in [
            ("jobs.example.com", "https://jobs.example.com", true),
            ("jobs.example.com:8443", "https://jobs.example.com:8443", true),
            ("jobs.example.com", "http://jobs.example.com", true),
            ("jobs.example.com", "https://jobs.example.com:8443", false),
            ("jobs.example.com", "https://other.example.com", false),
            ("evil.example.com", "https://evil.example.com", false),
        ] {
            assert_eq!(admits(&allowed, &[(HOST, host), (ORIGIN, origin)]), expected, "{host} {origin}");
        }
    }
}
