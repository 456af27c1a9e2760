//! Taking a secret out of what an origin sends back.
//!
//! An origin that echoes request headers would hand its token to the script. Plain, base64 (also inside something
//! longer, such as `user:token`), percent-encoded and HTML-escaped forms are replaced. Other forms (split, reversed,
//! hashed) are not: grant only origins that are trusted with their own token.

use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// What stands in the place of a secret.
const MARK: &[u8] = b"[redacted]";

/// Shorter secrets are left alone: they would be found by accident, and tell by their absence what they were.
const SECRET_BYTES_MIN: usize = 8;

/// The forms of one secret that are looked for, all of them in one pass.
#[derive(Default)]
pub(crate) struct Redactor {
    forms: Option<AhoCorasick>,
}

impl Redactor {
    pub(crate) fn new(secret: &str) -> Self {
        if secret.len() < SECRET_BYTES_MIN {
            return Self::default();
        }
        let mut forms = vec![
            secret.to_owned(),
            STANDARD.encode(secret),
            URL_SAFE.encode(secret),
            STANDARD_NO_PAD.encode(secret),
            URL_SAFE_NO_PAD.encode(secret),
            percent_encoded(secret, b"0123456789ABCDEF"),
            percent_encoded(secret, b"0123456789abcdef"),
            html_escaped(secret),
        ];
        for before in 0..3 {
            forms.extend(base64_inside(secret, before));
        }
        // Some JSON writers escape slashes.
        let escaped = forms.iter().map(|form| form.replace('/', "\\/"));
        forms.extend(escaped.collect::<Vec<_>>());
        forms.sort();
        forms.dedup();
        // A DFA would be megabytes for a long secret, and no faster where forms are rare.
        let forms = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&forms)
            .expect("some twenty forms of at most a few ten thousand bytes make an automaton");
        Self { forms: Some(forms) }
    }

    /// Whether the bytes hold the secret in any of its forms.
    pub(crate) fn finds(&self, bytes: &[u8]) -> bool {
        self.forms.as_ref().is_some_and(|forms| forms.is_match(bytes))
    }

    /// The bytes with the mark in the place of each form.
    pub(crate) fn redact(&self, bytes: Vec<u8>) -> Vec<u8> {
        let Some(forms) = self.forms.as_ref().filter(|forms| forms.is_match(&bytes)) else {
            return bytes;
        };
        let mut clean = Vec::with_capacity(bytes.len());
        forms.replace_all_with_bytes(&bytes, &mut clean, |_, _, clean| {
            clean.extend_from_slice(MARK);
            true
        });
        clean
    }
}

/// The automaton holds the secret.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

/// As the error pages of web frameworks write it.
fn html_escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// The base64 digits that depend on nothing but the secret when `before` other bytes (modulo 3) come first.
fn base64_inside(secret: &str, before: usize) -> [String; 2] {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret.as_bytes());
    // Six bits to a digit: digits that share bits with what surrounds the secret are left out.
    let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    [STANDARD_NO_PAD.encode(&bytes)[first..end].to_owned(), URL_SAFE_NO_PAD.encode(&bytes)[first..end].to_owned()]
}

fn percent_encoded(text: &str, digits: &[u8; 16]) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(char::from(digits[usize::from(byte >> 4)]));
            encoded.push(char::from(digits[usize::from(byte & 15)]));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "s3cr3t/t0ken+?";

    fn check(body: &str, expected: &str) {
        let redactor = Redactor::new(SECRET);
        let clean = redactor.redact(body.as_bytes().to_vec());
        assert_eq!(String::from_utf8(clean).unwrap(), expected);
        assert_eq!(redactor.finds(body.as_bytes()), body != expected);
    }

    #[test]
    fn every_form_is_replaced() {
        check("s3cr3t/t0ken+?", "[redacted]");
        check("<s3cr3t/t0ken+?s3cr3t/t0ken+?>", "<[redacted][redacted]>");
        check("\"s3cr3t\\/t0ken+?\"", "\"[redacted]\"");
        check("a=s3cr3t%2Ft0ken%2B%3F&b", "a=[redacted]&b");
        check("a=s3cr3t%2ft0ken%2b%3f&b", "a=[redacted]&b");
        check(&format!("<{}>", STANDARD.encode(SECRET)), "<[redacted]>");
        check(&format!("<{}>", URL_SAFE_NO_PAD.encode(SECRET)), "<[redacted]>");
        check("s3cr3t/t0ken+", "s3cr3t/t0ken+");
        check("", "");
    }

    #[test]
    fn base64_of_something_longer_is_replaced_at_any_offset() {
        for before in ["", "u", "us", "user", "Bearer "] {
            let whole = STANDARD.encode(format!("{before}:{SECRET}:more"));
            let clean = Redactor::new(SECRET).redact(whole.clone().into_bytes());
            let clean = String::from_utf8(clean).unwrap();
            assert!(clean.contains("[redacted]") && clean.len() < whole.len(), "{clean}");
        }
    }

    #[test]
    fn html_escaped_secrets_are_replaced_and_nothing_is_shown() {
        let redactor = Redactor::new("a<b>&c\"d'e");
        assert_eq!(redactor.redact(b"x a&lt;b&gt;&amp;c&quot;d&#39;e y".to_vec()), b"x [redacted] y");
        assert_eq!(format!("{redactor:?}"), "Redactor");
    }

    #[test]
    fn short_secrets_are_left_alone() {
        assert!(!Redactor::new("1234567").finds(b"1234567"));
        assert!(Redactor::new("12345678").finds(b"12345678"));
    }
}
