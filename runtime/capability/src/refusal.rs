//! Refusals: what was refused, which rule said so, and what the call needs to be allowed.

use std::fmt::{self, Write as _};
use std::ops::Range;

use crate::access::Access;
use crate::header::HeaderName;
use crate::path::Flaw;
use crate::rule::{Alias, HttpRule, Method, WrittenRule};

/// How many characters of a script's text a message repeats.
const SHOWN_CHARS_MAX: usize = 200;

/// How many rules or aliases a message lists before it counts the rest.
const LISTED_MAX: usize = 4;

/// A request that was not admitted. The message is one line. [`Refusal::needs`] is separate, for the operator who may
/// change the configuration and the policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No rule can grant this method.
    #[error("{method} {url} was refused: a script may use GET, HEAD, POST, PUT, PATCH and DELETE")]
    Method {
        /// As asked for, shortened and escaped.
        method: String,
        /// As asked for, shortened and escaped, without a user.
        url: String,
    },
    /// No rule can allow this URL.
    #[error("{method} {url} was refused: {flaw}")]
    Malformed {
        /// As asked for.
        method: Method,
        /// As asked for, shortened and escaped, without a user.
        url: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// A term starts with an unknown alias.
    #[error("{method} {url} was refused: no origin is called `{alias}` ({})", reach(.granted))]
    UnknownAlias {
        /// As asked for.
        method: Method,
        /// As asked for, shortened and escaped, without a user.
        url: String,
        /// The name.
        alias: Alias,
        /// The rules of the run.
        granted: Vec<HttpRule>,
    },
    /// An absolute URL is under no base URL: another host, port, scheme or base path.
    #[error("{method} {url} was refused: it is not below the base URL of a granted origin ({})", reach(.granted))]
    UnknownOrigin {
        /// As asked for.
        method: Method,
        /// As asked for, shortened and escaped, without a user.
        url: String,
        /// Its scheme, host and port.
        base_url: String,
        /// The rules of the run.
        granted: Vec<HttpRule>,
    },
    /// The origin is known, but not granted for this method and path.
    #[error("{method} {alias}:{} was refused: {}", shown(.path), given(.granted, .alias))]
    NotGranted {
        /// As asked for.
        method: Method,
        /// The origin.
        alias: Alias,
        /// The path below the origin, in canonical spelling.
        path: String,
        /// The rules of the run.
        granted: Vec<HttpRule>,
    },
    /// The request is granted, but not with this header.
    #[error("{method} {alias}:{} was refused: no rule for it allows the header `{header}`", shown(.path))]
    Header {
        /// As asked for.
        method: Method,
        /// The origin.
        alias: Alias,
        /// The path below the origin, in canonical spelling.
        path: String,
        /// Its name.
        header: HeaderName,
    },
    /// The request is granted, but not with a body.
    #[error("{method} {alias}:{} was refused: no rule for it allows a body with {method}", shown(.path))]
    Body {
        /// As asked for.
        method: Method,
        /// The origin.
        alias: Alias,
        /// The path below the origin, in canonical spelling.
        path: String,
    },
    /// The request is granted, but names another method in its query or in a form.
    #[error("{method} {alias}:{} was refused: `{name}` in its {place} overrides the method{}", shown(.path), not_granted(.asked.as_ref()))]
    Tunnel {
        /// As asked for.
        method: Method,
        /// The origin.
        alias: Alias,
        /// The path below the origin, in canonical spelling.
        path: String,
        /// Where the other method is named.
        place: Place,
        /// By which name, shortened and escaped.
        name: String,
        /// The other method, if it can be granted.
        asked: Option<Method>,
    },
    /// The request is granted, but its body is a form that could name another method without being found.
    #[error("{method} {alias}:{} was refused: {what} cannot be searched for a method override: send it as UTF-8", shown(.path))]
    Unsearched {
        /// As asked for.
        method: Method,
        /// The origin.
        alias: Alias,
        /// The path below the origin, in canonical spelling.
        path: String,
        /// What is not searched, as the beginning of a sentence; what it repeats is shortened and escaped.
        what: String,
    },
    /// A call of another kind than a request. The gate of its kind says what it was and why it is refused.
    #[error("{what} was refused: {why}")]
    Call {
        /// What was asked for, such as `reading logs:app.log`, shortened and escaped.
        what: String,
        /// Why not.
        why: String,
        /// Rules that would allow it; none if no policy can.
        needs: Option<Box<Access>>,
    },
}

/// Where a request names another method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the query of its URL.
    Query,
    /// In its body.
    Body,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Query => "query",
            Self::Body => "body",
        })
    }
}

/// What a refused call needs to be allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    /// Rules that allow the call and no other. Every layer needs them.
    Rules(Access),
    /// An origin of this name, and rules for it.
    OriginNamed(Alias),
    /// An origin with this base URL, and rules for it.
    OriginAt(String),
}

impl Refusal {
    /// What the call needs to be allowed. `None` if no policy can allow it, or if its path is too long for a rule.
    #[must_use]
    pub fn needs(&self) -> Option<Needs> {
        let (method, alias, path, headers, body) = match self {
            Self::Method { .. } | Self::Malformed { .. } | Self::Unsearched { .. } => return None,
            Self::Call { needs, .. } => return needs.as_deref().cloned().map(Needs::Rules),
            Self::UnknownAlias { alias, .. } => return Some(Needs::OriginNamed(alias.clone())),
            Self::UnknownOrigin { base_url, .. } => return Some(Needs::OriginAt(base_url.clone())),
            Self::NotGranted { method, alias, path, .. } => (*method, alias, path, Vec::new(), false),
            Self::Tunnel { asked, alias, path, .. } => ((*asked)?, alias, path, Vec::new(), false),
            Self::Header { method, alias, path, header } => (*method, alias, path, vec![header.to_string()], false),
            Self::Body { method, alias, path } => (*method, alias, path, Vec::new(), true),
        };
        let rule = WrittenRule { rule: format!("{alias}: {method} {path}"), headers, body };
        let rule: HttpRule = rule.try_into().ok()?;
        Some(Needs::Rules(Access { http: vec![rule], ..Access::default() }))
    }
}

fn not_granted(asked: Option<&Method>) -> String {
    asked.map_or(String::new(), |method| format!(", and the run is not granted {method} there"))
}

/// A script's text in a message: one line of plain ASCII, of bounded length.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == SHOWN_CHARS_MAX {
            shown.push_str("...");
            break;
        }
        match character {
            ' '..='~' => shown.push(character),
            other => shown.extend(other.escape_unicode()),
        }
    }
    shown
}

/// A URL in a message: one line of plain ASCII, of bounded length, without the user information before an `@`, which may
/// be a password. In a redirect it is the server's, and the message goes to the script.
#[must_use]
pub fn shown_url(text: &str) -> String {
    let Some(user) = userinfo(text) else { return shown(text) };
    // One character more than a message repeats, so that it shows that there is more.
    let letters = text[..user.start].chars().chain(text[user.end..].chars()).take(SHOWN_CHARS_MAX + 1);
    shown(&letters.collect::<String>())
}

/// Where a URL names a user, including the `@`. Parsed from the text, and as leniently as any parser, with any number
/// of slashes of either kind and white space between them: refused text is often what no parser accepts.
fn userinfo(text: &str) -> Option<Range<usize>> {
    let colon = text.find([':', '/', '\\', '?', '#']).filter(|at| text[*at..].starts_with(':'));
    let (scheme, rest) = text.split_at(colon.map_or(0, |at| at + 1));
    let authority = rest.trim_start_matches(|letter: char| "/\\".contains(letter) || is_blank(letter));
    let slashes = rest[..rest.len() - authority.len()].matches(['/', '\\']).count();
    let letters = || scheme.chars().filter(|letter| !is_blank(*letter)).map(|letter| letter.to_ascii_lowercase());
    let is_web = letters().eq("https:".chars()) || letters().eq("http:".chars());
    if slashes < 2 && !is_web {
        // A term, or a path.
        return None;
    }
    let start = text.len() - authority.len();
    let end = authority.find(['/', '\\', '?', '#']).unwrap_or(authority.len());
    let at = authority[..end].rfind('@')?;
    Some(start..start + at + 1)
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

fn reach(granted: &[HttpRule]) -> String {
    let mut aliases: Vec<&str> = granted.iter().map(|rule| rule.alias().as_str()).collect();
    aliases.sort_unstable();
    aliases.dedup();
    if aliases.is_empty() {
        "this run has no HTTP access".to_owned()
    } else {
        format!("this run may access: {}", listed(&aliases))
    }
}

fn given(granted: &[HttpRule], alias: &Alias) -> String {
    let rules = granted.iter().filter(|rule| rule.alias() == alias);
    let rules: Vec<String> = rules.map(|rule| format!("`{rule}`")).collect();
    if rules.is_empty() {
        format!("the run is granted nothing under `{alias}`")
    } else {
        format!("the run is granted {}", listed(&rules))
    }
}

pub(crate) fn listed(items: &[impl AsRef<str>]) -> String {
    let mut text = String::new();
    for (at, item) in items.iter().take(LISTED_MAX).enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{}", item.as_ref());
    }
    if items.len() > LISTED_MAX {
        let _ = write!(text, " and {} more", items.len() - LISTED_MAX);
    }
    text
}
