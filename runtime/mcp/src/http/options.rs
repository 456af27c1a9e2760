//! Who may come in, as the operator says it.

use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use axum::http::uri::Authority;

use crate::tokens::Tokens;

/// Who may come in.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names by which clients reach the server, besides those of this machine itself: `mcp.example.com`.
    pub hosts: Vec<String>,
    /// Sites whose pages may use it, besides those on this machine: `https://app.example.com`.
    pub origins: Vec<String>,
    /// The tokens, if any is needed.
    pub tokens: Tokens,
}

/// The server cannot listen so.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OptionsError {
    /// It must not be reached from there without a token.
    #[error("{address} can be reached by others: give tokens with --token-file, or listen on 127.0.0.1")]
    TokenNeeded {
        /// Where it would listen.
        address: SocketAddr,
    },
    /// An origin is none.
    #[error("--allow-origin {origin}: write it as browsers do, such as https://app.example.com")]
    Origin {
        /// What was given.
        origin: String,
    },
    /// A host is none.
    #[error("--allow-host {host}: write a name, or a name with a port, such as mcp.example.com")]
    Host {
        /// What was given.
        host: String,
    },
}

impl Options {
    /// Clients of this machine, without a token.
    #[must_use]
    pub fn loopback() -> Self {
        Self::default()
    }

    /// Whether a server with these options may listen there.
    ///
    /// # Errors
    /// When others than this machine could reach it and no token is asked for, and when a host or an origin is none.
    pub fn may_listen(&self, address: SocketAddr) -> Result<(), OptionsError> {
        if self.tokens.is_empty() && !address.ip().to_canonical().is_loopback() {
            return Err(OptionsError::TokenNeeded { address });
        }
        if let Some(origin) = self.origins.iter().find(|origin| !is_origin(origin)) {
            return Err(OptionsError::Origin { origin: origin.clone() });
        }
        if let Some(host) = self.hosts.iter().find(|host| !is_authority(host)) {
            return Err(OptionsError::Host { host: host.clone() });
        }
        Ok(())
    }

    /// The same, reached by the address that it listens on as well, where that is one.
    pub(super) fn with_bound(mut self, address: IpAddr) -> Self {
        if !address.is_unspecified() {
            self.hosts.push(address.to_string());
        }
        self
    }
}

fn is_authority(text: &str) -> bool {
    text.parse::<Authority>().is_ok_and(|authority| !text.contains('@') && !authority.host().is_empty())
}

fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(is_authority)
}

/// An origin with its port: without one, any port would do.
pub(super) fn with_port(origin: &str) -> String {
    let has_port = origin.parse::<Uri>().is_ok_and(|origin| origin.port().is_some());
    let usual = if origin.starts_with("https:") { 443 } else { 80 };
    if has_port { origin.to_owned() } else { format!("{origin}:{usual}") }
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
        let needed = |address| {
            format!("{address} can be reached by others: give tokens with --token-file, or listen on 127.0.0.1")
        };
        let open = Options::loopback();
        let guarded = Options { tokens: Tokens::parse("a 0123456789abcdef").expect("a list"), ..Options::default() };
        for address in ["127.0.0.1:1", "127.0.0.2:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(told(&open, address), "listens");
        }
        for address in ["0.0.0.0:1", "[::]:1", "10.0.0.5:1", "[::ffff:10.0.0.5]:1"] {
            assert_eq!(told(&open, address), needed(address));
            assert_eq!(told(&guarded, address), "listens");
        }
    }

    #[test]
    fn hosts_and_origins_are_refused_when_they_could_never_match() {
        let with = |hosts: &[&str], origins: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            told(&Options { hosts: owned(hosts), origins: owned(origins), ..Options::default() }, "127.0.0.1:1")
        };
        for origin in
            ["foo", "https://", "https://app.example.com/", "ftp://app.example.com", "https://a@b", "null", ""]
        {
            let expected = format!("--allow-origin {origin}: write it as browsers do, such as https://app.example.com");
            assert_eq!(with(&[], &[origin]), expected);
        }
        for host in ["https://x", "x/y", "a@b", ""] {
            let expected = format!("--allow-host {host}: write a name, or a name with a port, such as mcp.example.com");
            assert_eq!(with(&[host], &[]), expected);
        }
        assert_eq!(
            with(&["mcp.example.com", "[::2]:8080"], &["https://app.example.com", "http://a.b:8080"]),
            "listens"
        );
        assert_eq!(with_port("https://a.b"), "https://a.b:443");
        assert_eq!(with_port("http://a.b"), "http://a.b:80");
        assert_eq!(with_port("https://a.b:8443"), "https://a.b:8443");
    }
}
