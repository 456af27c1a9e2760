//! Redaction: removing a secret from what an origin sends back.
//!
//! An origin that echoes request headers would hand its token to the script. Plain, base64 (also inside something
//! longer, such as `user:token`), hexadecimal, percent-encoded, HTML- and JSON-escaped forms are replaced, also with
//! line breaks inside. Other forms (split, reversed, hashed) are not: grant only origins that are trusted with their
//! own token.
//!
//! Redirect locations are searched more thoroughly, and a match ends the request: a secret hidden in a location would
//! appear when somebody decodes it.

use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use url::form_urlencoded::byte_serialize;

/// The replacement of a secret.
const MARK: &[u8] = b"[redacted]";

/// Shorter secrets are not redacted: they would match by accident, and the gaps would reveal them.
pub(crate) const SECRET_BYTES_MIN: usize = 8;

/// How often a location is percent-decoded for the search: once for its reader, once for a proxy or framework before
/// it, and once more to be safe.
const DECODED_MAX: usize = 3;

/// The encoded forms of secrets that are searched for.
#[derive(Default)]
pub(crate) struct Redactor {
    /// As they are written, and those that mean the same in capitals: two automata, since letters of either case keep the
    /// first from skipping what cannot be a form. None where nothing is looked for.
    forms: Vec<AhoCorasick>,
    /// All of them in letters of either case.
    any_case: Option<AhoCorasick>,
}

impl Redactor {
    pub(crate) fn new(secret: &str) -> Self {
        Self::of([secret])
    }

    /// Looks for each of these. One that is too short is not looked for.
    pub(crate) fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut plain, mut in_digits) = (Vec::new(), Vec::new());
        for secret in secrets.into_iter().filter(|secret| secret.len() >= SECRET_BYTES_MIN) {
            // Who gets it in a query may repeat what stands there, in digits of its own.
            let in_query: String = byte_serialize(secret.as_bytes()).collect();
            let others =
                [percent_encoded(secret, b"0123456789ABCDEF"), in_query].into_iter().filter(|form| form != secret);
            for secret in std::iter::once(secret.to_owned()).chain(others) {
                plain.extend(forms(&secret));
                in_digits.extend([hexadecimal(&secret, ""), hexadecimal(&secret, "%")]);
            }
        }
        if plain.is_empty() {
            return Self::default();
        }
        let all: Vec<&String> = plain.iter().chain(&in_digits).collect();
        let any_case = Some(automaton(&all, true));
        Self { forms: vec![automaton(&plain, false), automaton(&in_digits, true)], any_case }
    }

    /// Whether it looks for nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Whether the bytes hold the secret in any of its forms.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn finds(&self, bytes: &[u8]) -> bool {
        self.forms.iter().any(|forms| matches(forms, bytes))
    }

    /// Whether the bytes hold the secret in letters of either case, with any of its bytes percent-encoded: forms from
    /// which a URL parser, or a reader after it, recovers the secret.
    pub(crate) fn finds_hidden(&self, bytes: &[u8]) -> bool {
        let Some(any_case) = &self.any_case else { return false };
        let mut bytes = bytes.to_vec();
        for _ in 0..DECODED_MAX {
            if matches(any_case, &bytes) {
                return true;
            }
            let decoded = percent_decoded(&bytes);
            if decoded.len() == bytes.len() {
                return false;
            }
            bytes = decoded;
        }
        matches(any_case, &bytes)
    }

    /// The bytes with the mark in the place of each form.
    pub(crate) fn redact(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.forms.iter().fold(bytes, |bytes, forms| without_broken(forms, without_whole(forms, bytes)))
    }
}

/// The forms of a secret in which the case of letters matters.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![
        secret.to_owned(),
        STANDARD.encode(secret),
        URL_SAFE.encode(secret),
        STANDARD_NO_PAD.encode(secret),
        URL_SAFE_NO_PAD.encode(secret),
        percent_encoded(secret, b"0123456789ABCDEF"),
        percent_encoded(secret, b"0123456789abcdef"),
        byte_serialize(secret.as_bytes()).collect(),
        html_escaped(secret),
        secret.replace('\\', "\\\\").replace('"', "\\\""),
    ];
    for before in 0..3 {
        forms.extend(base64_inside(secret, before));
    }
    // Some JSON writers escape slashes.
    let escaped = forms.iter().map(|form| form.replace('/', "\\/"));
    forms.extend(escaped.collect::<Vec<_>>());
    forms.sort();
    forms.dedup();
    forms
}

/// A DFA would be megabytes for a long secret, and no faster where forms are rare.
fn automaton(forms: &[impl AsRef<[u8]>], any_case: bool) -> AhoCorasick {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .ascii_case_insensitive(any_case)
        .build(forms)
        .expect("some ninety forms of each of a few secrets, of at most a few ten thousand bytes make an automaton")
}

fn matches(forms: &AhoCorasick, bytes: &[u8]) -> bool {
    forms.is_match(bytes) || unbroken(bytes).is_some_and(|unbroken| forms.is_match(&unbroken))
}

fn without_whole(forms: &AhoCorasick, bytes: Vec<u8>) -> Vec<u8> {
    if !forms.is_match(&bytes) {
        return bytes;
    }
    let mut clean = Vec::with_capacity(bytes.len());
    forms.replace_all_with_bytes(&bytes, &mut clean, |_, _, clean| {
        clean.extend_from_slice(MARK);
        true
    });
    clean
}

/// The same for forms with line breaks inside: mail and certificates have base64 in lines of 76 or 64 characters, at
/// any column. What is found without the breaks is replaced together with them.
fn without_broken(forms: &AhoCorasick, bytes: Vec<u8>) -> Vec<u8> {
    let Some(unbroken) = unbroken(&bytes).filter(|unbroken| forms.is_match(unbroken)) else {
        return bytes;
    };
    let mut clean = Vec::with_capacity(bytes.len());
    // How far the bytes are read, and how many of them were no line break.
    let (mut at, mut passed) = (0, 0);
    for form in forms.find_iter(&unbroken) {
        let start = at;
        while passed < form.start() {
            let length = break_length(&bytes[at..]);
            passed += usize::from(length == 0);
            at += length.max(1);
        }
        clean.extend_from_slice(&bytes[start..at]);
        clean.extend_from_slice(MARK);
        while passed < form.end() {
            let length = break_length(&bytes[at..]);
            passed += usize::from(length == 0);
            at += length.max(1);
        }
    }
    clean.extend_from_slice(&bytes[at..]);
    clean
}

/// The bytes without line breaks, if they have some.
fn unbroken(bytes: &[u8]) -> Option<Vec<u8>> {
    let first = (0..bytes.len()).find(|at| break_length(&bytes[*at..]) > 0)?;
    let mut unbroken = Vec::with_capacity(bytes.len());
    unbroken.extend_from_slice(&bytes[..first]);
    let mut at = first;
    while at < bytes.len() {
        let length = break_length(&bytes[at..]);
        if length == 0 {
            unbroken.push(bytes[at]);
        }
        at += length.max(1);
    }
    Some(unbroken)
}

/// The length of the line break at the start of the bytes, plain or as JSON escapes it; 0 if there is none.
fn break_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r' | b'\n', ..] => 1,
        [b'\\', b'r' | b'n', ..] => 2,
        _ => 0,
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

/// Two hexadecimal digits for each byte, with `mark` before them.
fn hexadecimal(text: &str, mark: &str) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    text.bytes().flat_map(|byte| mark.chars().chain([digit(byte >> 4), digit(byte & 15)])).collect()
}

/// Percent-decoded once; a percent sign that encodes nothing stays.
fn percent_decoded(bytes: &[u8]) -> Vec<u8> {
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let encoded = (bytes[at] == b'%').then(|| digit(at + 1).zip(digit(at + 2))).flatten();
        let byte = encoded.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    decoded
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
    fn s02_hexadecimal_and_json_escaped_secrets_are_replaced() {
        check("<7333637233742f74306b656e2b3f>", "<[redacted]>");
        check("<7333637233742F74306B656E2B3F>", "<[redacted]>");
        let redactor = Redactor::new("a\"b\\c/d\"e");
        for escaped in ["a\\\"b\\\\c/d\\\"e", "a\\\"b\\\\c\\/d\\\"e"] {
            assert_eq!(redactor.redact(format!("\"{escaped}\"").into_bytes()), b"\"[redacted]\"", "{escaped}");
        }
    }

    /// Text in lines, as mail, certificates and JSON with either of them have it.
    fn wrapped(text: &str, columns: usize, line_break: &str) -> String {
        let lines: Vec<&str> = text.as_bytes().chunks(columns).map(|line| str::from_utf8(line).unwrap()).collect();
        lines.join(line_break)
    }

    #[test]
    fn s02_base64_in_lines_is_replaced_at_any_column() {
        for columns in [64, 76] {
            for line_break in ["\n", "\r\n", "\\n", "\\r\\n"] {
                for before in 0..columns {
                    let whole = STANDARD.encode(format!("{}{SECRET}{}", "b".repeat(before), "a".repeat(99)));
                    let told = wrapped(&whole, columns, line_break);
                    let redactor = Redactor::new(SECRET);
                    assert!(redactor.finds(told.as_bytes()), "{told}");
                    let clean = String::from_utf8(redactor.redact(told.into_bytes())).unwrap();
                    assert!(clean.contains("[redacted]") && !redactor.finds(clean.as_bytes()), "{clean}");
                    // What is left of the secret is the digits that it shares with what surrounds it.
                    let left = clean.replace(line_break, "").len() - MARK.len();
                    assert!(whole.len() - left >= (SECRET.len() * 8 - 10) / 6, "{clean}");
                }
            }
        }
        check("a\nb s3cr3t/\nt0ken+?\r\nc", "a\nb [redacted]\r\nc");
        check("\n\ns3cr3t/t0ken+\n", "\n\ns3cr3t/t0ken+\n");
    }

    #[test]
    fn html_escaped_secrets_are_replaced_and_nothing_is_shown() {
        let redactor = Redactor::new("a<b>&c\"d'e");
        assert_eq!(redactor.redact(b"x a&lt;b&gt;&amp;c&quot;d&#39;e y".to_vec()), b"x [redacted] y");
        assert_eq!(format!("{redactor:?}"), "Redactor");
    }

    #[test]
    fn s02_digits_of_either_case_and_what_is_encoded_entirely_are_replaced() {
        check("<7333637233742F74306b656E2b3f>", "<[redacted]>");
        check("<%73%33%63%72%33%74%2f%74%30%6b%65%6e%2b%3F>", "<[redacted]>");
        // Encoded in part it is left alone here, and found where it would lead somewhere.
        let partly = "s%33cr3t/t0ken+?";
        check(partly, partly);
        let redactor = Redactor::new(SECRET);
        let twice = partly.replace('%', "%25");
        let thrice = twice.replace('%', "%25");
        for hidden in [SECRET, partly, twice.as_str(), thrice.as_str(), "S3CR3T/T0KEN+%3f", "S%33cR3T/t0ken+?"] {
            assert!(redactor.finds_hidden(hidden.as_bytes()), "{hidden}");
        }
        for other in ["", "%", "%3", "%zz", "s%33cr3t/t0ken+", &thrice.replace('%', "%25")] {
            assert!(!redactor.finds_hidden(other.as_bytes()), "{other}");
        }
        assert!(!Redactor::new("1234567").finds_hidden(b"1234567"));
    }

    #[test]
    fn s02_digits_of_what_stands_in_a_query_are_replaced() {
        for encoded in ["s3cr3t%2Ft0ken%2B%3F", "s3cr3t%20t0ken", "s3cr3t+t0ken"] {
            let secret = if encoded.contains("%2F") { SECRET } else { "s3cr3t t0ken" };
            let redactor = Redactor::new(secret);
            for told in
                [STANDARD.encode(encoded), hexadecimal(encoded, ""), STANDARD.encode(format!("/mcp?key={encoded}&a=b"))]
            {
                let clean = String::from_utf8(redactor.redact(told.into_bytes())).unwrap();
                assert!(clean.contains("[redacted]"), "{encoded}: {clean}");
            }
        }
    }

    #[test]
    fn short_secrets_are_left_alone() {
        assert!(!Redactor::new("1234567").finds(b"1234567"));
        assert!(Redactor::new("12345678").finds(b"12345678"));
    }
}
