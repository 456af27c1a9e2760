//! Paths as lists of segments: two spellings of the same path have the same list.
//!
//! Rules, base paths and the paths that scripts ask for are all compared as such lists. A spelling that a server might
//! read differently from us (hidden separators, dot segments, twice-encoded ones) has no list and is rejected.

use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::rule::RuleError;

/// The longest URL a script may ask for, in bytes. What servers accept (commonly 8 KiB); it also keeps refusals and
/// their messages cheap. Doubling it would break nothing here.
pub const URL_BYTES_MAX: usize = 8 * 1024;

/// Why the text of a URL or path is invalid, before any grant is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Longer than [`URL_BYTES_MAX`].
    #[error("it is {bytes} bytes long, and at most {URL_BYTES_MAX} are allowed")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// White space, a line break, NUL or another control character, plain or percent-encoded in the path.
    #[error("it holds white space or a control character")]
    Control,
    /// A backslash, which some parsers take for a slash.
    #[error("it holds a backslash")]
    Backslash,
    /// Something before an `@` in the authority.
    #[error("it names a user before the host")]
    Userinfo,
    /// Nothing between `//` and the path.
    #[error("it names no host")]
    EmptyHost,
    /// Neither a term of an alias nor an `http` or `https` URL with its two slashes.
    #[error("it is neither `alias:/path` nor an http or https URL")]
    Scheme,
    /// `%2f`, `%5c` or `%2e%2e`, also when encoded twice.
    #[error("its path hides a separator or dots behind percent-encoding")]
    Encoded,
    /// A `.` or `..` segment.
    #[error("its path has a `.` or `..` segment")]
    Dots,
    /// `//` inside the path.
    #[error("its path has an empty segment")]
    EmptySegment,
    /// `%` without two hexadecimal digits, or encoding something that is not UTF-8.
    #[error("its path has a percent sign that does not encode UTF-8")]
    Percent,
    /// The URL parser does not accept it, or reads it differently from its text.
    #[error("it is not a valid URL")]
    Invalid,
}

/// Splits a path into canonical segments. `/a/` is `["a", ""]`: a trailing slash counts.
pub(crate) fn segments(path: &str) -> Result<Vec<String>, Flaw> {
    let Some(rest) = path.strip_prefix('/') else {
        return Err(Flaw::Invalid);
    };
    let last = rest.matches('/').count();
    rest.split('/')
        .enumerate()
        .map(|(at, segment)| match segment {
            "" if at < last => Err(Flaw::EmptySegment),
            segment => canonical(segment),
        })
        .collect()
}

/// Decodes a segment once and encodes it again in one way, so that equal text means equal segments. A literal `*` comes
/// out as `%2A`, which leaves `*` and `**` free to mean the wildcards of a pattern.
fn canonical(segment: &str) -> Result<String, Flaw> {
    let mut decoded = Vec::with_capacity(segment.len());
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let (Some(high), Some(low)) = (bytes.next().and_then(hex_value), bytes.next().and_then(hex_value)) else {
            return Err(Flaw::Percent);
        };
        match high << 4 | low {
            b'/' | b'\\' => return Err(Flaw::Encoded),
            byte => decoded.push(byte),
        }
    }
    let decoded = String::from_utf8(decoded).map_err(|_| Flaw::Percent)?;
    if decoded.chars().any(char::is_control) {
        return Err(Flaw::Control);
    }
    if decoded.contains('\\') {
        return Err(Flaw::Backslash);
    }
    // What a server that decodes twice would see.
    let lower = decoded.to_ascii_lowercase();
    if ["%2f", "%5c", "%2e"].iter().any(|twice| lower.contains(twice)) {
        return Err(Flaw::Encoded);
    }
    // Some servers drop `;parameters` from a segment before they look at it.
    if matches!(decoded.split(';').next(), Some("." | "..")) {
        return Err(if segment.contains('%') { Flaw::Encoded } else { Flaw::Dots });
    }
    let mut text = String::with_capacity(decoded.len());
    for byte in decoded.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'(),;=:@+".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            text.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
            text.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
        }
    }
    Ok(text)
}

fn hex_value(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The checks on a URL's text that come before any parsing: its length, and characters that parsers drop or rewrite.
pub(crate) fn check(text: &str) -> Result<(), Flaw> {
    if text.len() > URL_BYTES_MAX {
        Err(Flaw::TooLong { bytes: text.len() })
    } else if text.contains(|character: char| character.is_control() || character.is_whitespace()) {
        Err(Flaw::Control)
    } else if text.contains('\\') {
        Err(Flaw::Backslash)
    } else {
        Ok(())
    }
}

/// Reads an absolute URL without fragment that passed [`check`], with the segments of its path. The text is looked at
/// first, because the parser repairs what it gets (`http:/host`, `///host`, `/a/../b`), and a repaired URL is not what
/// was asked for.
pub(crate) fn absolute(text: &str) -> Result<(Url, Vec<String>), Flaw> {
    let (scheme, rest) = text.split_once("://").ok_or(Flaw::Scheme)?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return Err(Flaw::Scheme);
    }
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(Flaw::Userinfo);
    }
    if authority.is_empty() || authority.starts_with(':') {
        return Err(Flaw::EmptyHost);
    }
    let asked = match rest.split('?').next() {
        None | Some("") => "/",
        Some(path) => path,
    };
    let asked = segments(asked)?;
    let url = Url::parse(text).map_err(|_| Flaw::Invalid)?;
    let plain = url.has_host() && url.username().is_empty() && url.password().is_none();
    if plain && segments(url.path())? == asked { Ok((url, asked)) } else { Err(Flaw::Invalid) }
}

/// The paths a rule covers: literal segments, `*` for exactly one segment that is not empty, and at the end `**` for
/// any rest or none. `/a` and `/a/` are two paths; `/a/**` covers both and all below.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern {
    segments: Vec<String>,
}

impl PathPattern {
    /// Whether a path, given as canonical segments, is covered.
    pub(crate) fn covers(&self, path: &[String]) -> bool {
        let (head, open) = self.parts();
        let long_enough = path.len() == head.len() || (open && path.len() > head.len());
        long_enough && head.iter().zip(path).all(|(own, segment)| own == segment || (own == "*" && !segment.is_empty()))
    }

    /// The pattern of exactly the paths that both cover, if there are any. One pattern is always enough.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        let ((own, own_open), (their, their_open)) = (self.parts(), other.parts());
        let length = own.len().max(their.len());
        if (own.len() < length && !own_open) || (their.len() < length && !their_open) {
            return None;
        }
        let mut segments = Vec::with_capacity(length + 1);
        for at in 0..length {
            segments.push(match (own.get(at), their.get(at)) {
                (Some(one), Some(two)) if one == two || (two == "*" && !one.is_empty()) => one,
                (Some(one), Some(two)) if one == "*" && !two.is_empty() => two,
                (Some(_), Some(_)) => return None,
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => unreachable!("`length` is the longer of the two"),
            });
        }
        let mut segments: Vec<String> = segments.into_iter().cloned().collect();
        if own_open && their_open {
            segments.push("**".to_owned());
        }
        Some(Self { segments })
    }

    /// The segments that stand for one segment each, and whether a rest may follow.
    fn parts(&self) -> (&[String], bool) {
        match self.segments.split_last() {
            Some((last, head)) if last == "**" => (head, true),
            _ => (&self.segments, false),
        }
    }
}

impl FromStr for PathPattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.contains(['?', '#']) {
            return Err(RuleError::NotAPath);
        }
        if text.contains(|character: char| character.is_whitespace()) {
            return Err(RuleError::Path(Flaw::Control));
        }
        let mut canonical = segments(text)?;
        // `segments` has one entry per raw segment, and writes a wildcard's stars encoded.
        let raw: Vec<&str> = text.split('/').skip(1).collect();
        for (at, segment) in raw.iter().enumerate() {
            match *segment {
                "*" => "*".clone_into(&mut canonical[at]),
                "**" if at + 1 == raw.len() => "**".clone_into(&mut canonical[at]),
                segment if segment.contains('*') => return Err(RuleError::Wildcard),
                _ => {}
            }
        }
        Ok(Self { segments: canonical })
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "/{}", self.segments.join("/"))
    }
}
