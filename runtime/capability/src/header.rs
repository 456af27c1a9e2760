//! Which request headers a script may set. **This file is a boundary.**
//!
//! Invariant: a header is sent only if it is [ordinary](HeaderName::is_ordinary), or if every layer of the grant has a
//! rule for the request that names it. No rule can allow a header that frames or routes the message, presents a
//! credential of the host's kind, hides a body from being searched, or overrides the method or the path.
//!
//! This is an allow-list. A deny-list was tried and is never complete: each origin has headers of its own by which a
//! caller impersonates somebody else (`Sudo`, `Impersonate-User`, `X-Scope-OrgID`), and the token would be the host's.

use std::fmt;
use std::str::FromStr;

/// The longest name, in bytes. Headers that servers know have less than half of it.
const NAME_BYTES_MAX: usize = 64;

/// Headers that any admitted request may have: content negotiation, a description of the body, conditions, and names of
/// the client that no server trusts. `range` and `if-range` are for origins without a secret; egress enforces that.
const ORDINARY: [&str; 16] = [
    "accept",
    "accept-language",
    "cache-control",
    "content-language",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "pragma",
    "prefer",
    "range",
    "user-agent",
    "x-requested-with",
];

/// Headers that no rule can allow.
const NEVER: &[&str] = &[
    // They frame the message, or say how the connection goes on.
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    // They say where it goes, who asks, or for which path: proxies and frameworks believe them.
    "forwarded",
    "host",
    "via",
    "x-envoy-original-path",
    "x-forwarded",
    "x-host",
    "x-http-path-override",
    "x-real-ip",
    // Credentials are the host's to attach.
    "authorization",
    "cookie",
    "cookie2",
    "set-cookie",
    "x-authorization",
    // A secret is not found in an encoding that nobody undoes, nor is another method in a form, and a part of a reply
    // holds too little of a secret.
    "accept-encoding",
    "content-encoding",
    "request-range",
    // It renames the method.
    "x-http-action",
];

/// Prefixes of names that no rule can allow: proxies and frameworks read the client and the path from these.
const NEVER_BEGINNINGS: &[&str] = &["proxy-", "x-forwarded-", "x-original-", "x-rewrite-"];

/// No rule can allow a name that contains one of these. `X-HTTP-Method-Override` and `X-Host-Override` have a dozen
/// spellings, and any of the first would turn a rule for POST into one for DELETE.
const NEVER_INSIDE: &[&str] = &["host-override", "method", "verb"];

/// The name of a header that a rule may name, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeaderName(String);

impl HeaderName {
    /// The name in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether any admitted request may have it.
    #[must_use]
    pub fn is_ordinary(&self) -> bool {
        ORDINARY.contains(&self.0.as_str())
    }
}

impl FromStr for HeaderName {
    type Err = HeaderNameError;

    fn from_str(text: &str) -> Result<Self, HeaderNameError> {
        let name = text.to_ascii_lowercase();
        // Many servers read `_` and `-` as the same, and some `.` too.
        let plain = name.replace(['_', '.'], "-");
        if NEVER.contains(&plain.as_str())
            || NEVER_BEGINNINGS.iter().any(|beginning| plain.starts_with(beginning))
            || NEVER_INSIDE.iter().any(|inside| plain.contains(inside))
        {
            return Err(HeaderNameError::NotForScripts);
        }
        // RFC 9110, section 5.6.2.
        let in_a_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if !(1..=NAME_BYTES_MAX).contains(&name.len()) || !name.bytes().all(in_a_token) {
            return Err(HeaderNameError::Form);
        }
        Ok(Self(name))
    }
}

impl fmt::Display for HeaderName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why no rule can name this header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderNameError {
    /// Not a name that can be sent.
    #[error("is not a valid header name")]
    Form,
    /// One that only the host sets, or that nobody may set.
    #[error("is not for scripts to set")]
    NotForScripts,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> Result<HeaderName, HeaderNameError> {
        name.parse()
    }

    #[test]
    fn h10_every_header_is_ordinary_or_needs_a_rule_or_is_never_sent() {
        for name in ORDINARY {
            assert!(parse(name).is_ok_and(|name| name.is_ordinary()), "{name}");
        }
        assert!(parse("Content-TYPE").is_ok_and(|name| name.is_ordinary()));
        // Credentials of other kinds, and names by which the host's token acts as somebody else: only where a rule names them.
        for name in [
            "X-Api-Key",
            "Private-Token",
            "X-Auth-Token",
            "X-Amz-Security-Token",
            "DPoP",
            "Impersonate-User",
            "Sudo",
            "Stripe-Account",
            "X-Scope-OrgID",
            "Remote-User",
            "Accept-Charset",
            "Want-Digest",
            "A-IM",
            "Origin",
            "content_type",
            "x",
            "x.y",
        ] {
            assert!(parse(name).is_ok_and(|name| !name.is_ordinary()), "{name}");
        }
        for name in NEVER {
            assert_eq!(parse(name), Err(HeaderNameError::NotForScripts), "{name}");
        }
        for name in [
            "AUTHORIZATION",
            "Transfer_Encoding",
            "Proxy-Anything",
            "proxy_authorization",
            "X-HTTP-Method-Override",
            "X-HTTP-Method",
            "X-Method-Override",
            "Method-Override",
            "X_HTTP_METHOD_OVERRIDE",
            "X-Original-HTTP-Method",
            "X-Forwarded-Method",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Forwarded-User",
            "X-Original-URL",
            "X-Rewrite-URL",
            "X.Forwarded.For",
            "Content.Encoding",
            "X_HTTP.Method",
            "X-HTTP-Verb",
            "X-Verb-Override",
            "X-Host-Override",
            "X-HTTP-Host-Override",
            "Host_Override",
        ] {
            assert_eq!(parse(name), Err(HeaderNameError::NotForScripts), "{name}");
        }
    }

    #[test]
    fn h09_a_name_is_a_token_of_bounded_length() {
        for name in ["", ":authority", "a b", "a\r\nHost", "x\n", "x\0", "x: y", "caf\u{e9}", "\"", "\\", "x,y"] {
            assert_eq!(parse(name), Err(HeaderNameError::Form), "{name:?}");
        }
        assert!(parse(&"x".repeat(NAME_BYTES_MAX)).is_ok());
        assert_eq!(parse(&"x".repeat(NAME_BYTES_MAX + 1)), Err(HeaderNameError::Form));
    }
}
