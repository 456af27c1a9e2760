//! The operator's settings: who may connect.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::str::FromStr;

use super::origin::{HostName, SiteOrigin};
use crate::tokens::Tokens;

/// Who may connect.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(super) hosts: Vec<HostName>,
    pub(super) origins: Vec<SiteOrigin>,
    pub(super) tokens: Tokens,
    pub(super) rate: Option<NonZeroU32>,
}

/// An option is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOption {
    /// No page can have this origin.
    #[error("no page has the origin {origin:?}")]
    Origin {
        /// The text.
        origin: String,
    },
    /// No server can have this name.
    #[error("no server has the name {host:?}")]
    Host {
        /// The text.
        host: String,
    },
}

/// A server must not listen without a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenNeeded {
    /// Others reach the address.
    #[error("{address} can be reached by others")]
    Address {
        /// Where it would listen.
        address: SocketAddr,
    },
    /// Others reach a proxy that leads here: no client of this machine needs another name for it.
    #[error("others can reach this server by the name {host}")]
    Host {
        /// The name.
        host: String,
    },
}

impl Options {
    /// Clients of this machine, without a token.
    #[must_use]
    pub fn loopback() -> Self {
        Self::default()
    }

    /// - `hosts`: names by which clients reach the server, besides those of this machine itself: `mcp.example.com`, or
    ///   `mcp.example.com:8443` for this port alone.
    /// - `origins`: sites whose pages may use it, besides those on this machine: `https://app.example.com`.
    /// - `tokens`: those that callers need; without any, nobody needs one.
    ///
    /// # Errors
    /// When a host or an origin could match no request.
    pub fn new(hosts: &[String], origins: &[String], tokens: Tokens) -> Result<Self, InvalidOption> {
        let origins = parsed(origins, |origin| InvalidOption::Origin { origin })?;
        let hosts = parsed(hosts, |host| InvalidOption::Host { host })?;
        Ok(Self { hosts, origins, tokens, rate: None })
    }

    /// The same, where each principal may send so many requests a second.
    #[must_use]
    pub fn with_rate(self, rate: Option<NonZeroU32>) -> Self {
        Self { rate, ..self }
    }

    /// The tokens that callers need.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Whether a server with these options may listen there.
    ///
    /// # Errors
    /// When others than this machine could reach it, there or through a proxy, and no token is needed.
    pub fn may_listen(&self, address: SocketAddr) -> Result<(), TokenNeeded> {
        if !self.tokens.are_needed() && !address.ip().to_canonical().is_loopback() {
            return Err(TokenNeeded::Address { address });
        }
        if let Some(host) = self.hosts.first().filter(|_| !self.tokens.are_needed()) {
            return Err(TokenNeeded::Host { host: host.name.clone() });
        }
        Ok(())
    }

    /// The same, reached by the address that it listens on as well, where that is one.
    pub(super) fn with_bound(mut self, address: IpAddr) -> Self {
        if !address.is_unspecified() {
            self.hosts.push(HostName::of_address(address));
        }
        self
    }
}

fn parsed<T: FromStr>(texts: &[String], invalid: impl Fn(String) -> InvalidOption) -> Result<Vec<T>, InvalidOption> {
    texts.iter().map(|text| text.parse::<T>().map_err(|_| invalid(text.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(options: &Options, address: &str) -> String {
        let address = address.parse().expect("it is an address");
        options.may_listen(address).map_or_else(|error| error.to_string(), |()| "listens".to_owned())
    }

    #[test]
    fn only_this_machine_is_served_without_a_token() {
        let needed = |address| format!("{address} can be reached by others");
        let open = Options::loopback();
        let guarded = Options { tokens: Tokens::parse("a 0123456789abcdef").expect("a list"), ..Options::default() };
        for address in ["127.0.0.1:1", "127.0.0.2:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(told(&open, address), "listens");
        }
        for address in ["0.0.0.0:1", "[::]:1", "10.0.0.5:1", "[::ffff:10.0.0.5]:1"] {
            assert_eq!(told(&open, address), needed(address));
            assert_eq!(told(&guarded, address), "listens");
        }
        let hosts = vec!["api.example.com:8443".to_owned()];
        for (tokens, expected) in [
            (Tokens::default(), "others can reach this server by the name api.example.com"),
            (guarded.tokens, "listens"),
        ] {
            let options = Options::new(&hosts, &[], tokens).expect("a host");
            assert_eq!(told(&options, "127.0.0.1:1"), expected);
        }
    }

    #[test]
    fn hosts_and_origins_are_refused_when_they_could_never_match() {
        let tokens = Tokens::parse("a 0123456789abcdef").expect("a list");
        let with = |hosts: &[&str], origins: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            let options = Options::new(&owned(hosts), &owned(origins), tokens.clone());
            options.map_or_else(|error| error.to_string(), |options| told(&options, "127.0.0.1:1"))
        };
        for origin in
            ["foo", "https://", "https://app.example.com/", "ftp://app.example.com", "https://a@b", "null", ""]
        {
            assert_eq!(with(&[], &[origin]), format!("no page has the origin {origin:?}"));
        }
        for host in ["https://x", "x/y", "a@b", "a:65536", ""] {
            assert_eq!(with(&[host], &[]), format!("no server has the name {host:?}"));
        }
        assert_eq!(
            with(&["mcp.example.com", "[::2]:8080"], &["https://app.example.com", "http://a.b:8080"]),
            "listens"
        );
    }
}
