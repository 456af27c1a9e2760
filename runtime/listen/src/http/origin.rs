//! Host names and origins of pages, as `Host` and `Origin` have them. **This file is a boundary.**
//!
//! Invariant: what is parsed here has one reading. User names, paths, ports beyond 65535 and schemes besides HTTP's are
//! invalid, letters are in lower case, and a port that an origin leaves out is its scheme's.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::http::uri::Authority;

/// The name or address by which a server is reached: the value of `Host`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostName {
    /// In lower case and without brackets.
    pub(super) name: String,
    pub(super) port: Option<u16>,
}

/// The origin of a page: the value of `Origin`, as browsers send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SiteOrigin {
    pub(super) scheme: Scheme,
    /// In lower case and without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

/// How a page was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

/// An invalid name or origin. The caller knows the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invalid;

impl HostName {
    /// An address, at any port.
    pub(super) fn of_address(address: IpAddr) -> Self {
        Self { name: address.to_string(), port: None }
    }

    /// Whether this name, with its port if it has one, matches the other.
    pub(super) fn covers(&self, other: &HostName) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }
}

impl FromStr for HostName {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let authority: Authority = text.parse().map_err(|_| Invalid)?;
        let name = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        let has_port = !text.ends_with(authority.host());
        let port = authority.port_u16();
        let is_valid = !name.is_empty() && !text.contains('@') && has_port == port.is_some();
        if is_valid { Ok(Self { name, port }) } else { Err(Invalid) }
    }
}

impl FromStr for SiteOrigin {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let (scheme, rest) = text.split_once("://").ok_or(Invalid)?;
        let scheme = match scheme {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err(Invalid),
        };
        let HostName { name, port } = rest.parse::<HostName>()?;
        Ok(Self { scheme, host: name, port: port.unwrap_or(scheme.usual_port()) })
    }
}

/// As browsers write it: without the usual port.
impl fmt::Display for SiteOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port } = self;
        let scheme_name = match scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        // An IPv6 address.
        if host.contains(':') {
            write!(formatter, "{scheme_name}://[{host}]")?;
        } else {
            write!(formatter, "{scheme_name}://{host}")?;
        }
        if *port == scheme.usual_port() { Ok(()) } else { write!(formatter, ":{port}") }
    }
}

impl Scheme {
    fn usual_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        for (text, expected) in [
            ("https://a.b", Some("https://a.b")),
            ("https://a.b:443", Some("https://a.b")),
            ("https://a.b:80", Some("https://a.b:80")),
            ("https://a.b:8443", Some("https://a.b:8443")),
            ("http://a.b", Some("http://a.b")),
            ("http://a.b:80", Some("http://a.b")),
            ("http://a.b:443", Some("http://a.b:443")),
            ("https://App.Example.com", Some("https://app.example.com")),
            ("http://[::1]:9", Some("http://[::1]:9")),
            ("http://[::1]:80", Some("http://[::1]")),
            ("http://a.b:65535", Some("http://a.b:65535")),
            ("http://a.b:65536", None),
            ("http://a.b:", None),
            ("HTTP://a.b", None),
            ("http://a.b/", None),
            ("http://a.b?c", None),
            ("http://c@a.b", None),
            ("http://:80", None),
            ("http://::1", None),
            ("ftp://a.b", None),
            ("a.b", None),
            ("null", None),
            ("", None),
        ] {
            let written = text.parse::<SiteOrigin>().ok().map(|origin| origin.to_string());
            assert_eq!(written.as_deref(), expected, "{text:?}");
        }
    }
}
