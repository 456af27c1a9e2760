//! One rule: which methods a run may use on which paths of which origin.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::path::{Flaw, PathPattern};

/// The longest rule, in bytes. Rules are written by people and repeated in every report.
const RULE_BYTES_MAX: usize = 2 * 1024;

/// The name of an origin in rules and scripts: a lower-case letter, then at most 31 of `[a-z0-9_-]`. `http` and `https`
/// are no aliases, so that a term and a URL cannot be mistaken for one another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Alias(String);

impl Alias {
    /// The alias as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Alias {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        let first = text.bytes().next();
        if first.is_some_and(|byte| byte.is_ascii_lowercase())
            && text.len() <= 32
            && text.bytes().all(plain)
            && !matches!(text, "http" | "https")
        {
            Ok(Self(text.to_owned()))
        } else {
            Err(RuleError::Alias)
        }
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Alias {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl From<Alias> for String {
    fn from(alias: Alias) -> Self {
        alias.0
    }
}

/// A method that can be granted. `CONNECT`, `TRACE` and invented ones have no value here, so no rule can allow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    const ALL: [Self; 6] = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// The method as it is sent, in capitals.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl FromStr for Method {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut all = Self::ALL.into_iter();
        all.find(|method| method.as_str().eq_ignore_ascii_case(text)).ok_or(RuleError::Method)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Some methods on some paths of one origin, written as one line: `sentry: GET,POST /api/0/**`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HttpRule {
    alias: Alias,
    /// Sorted, each once, at least one.
    methods: Vec<Method>,
    path: PathPattern,
}

impl HttpRule {
    /// The origin the rule is about.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// The methods it allows, at least one.
    #[must_use]
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// The paths it allows, below the origin's base URL.
    #[must_use]
    pub fn path(&self) -> &PathPattern {
        &self.path
    }

    /// Whether the rule allows this request.
    pub(crate) fn covers(&self, alias: &Alias, method: Method, path: &[String]) -> bool {
        self.alias == *alias && self.methods.contains(&method) && self.path.covers(path)
    }

    /// The rule that allows exactly what both allow, if there is anything.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        let mut methods = self.methods.clone();
        methods.retain(|method| other.methods.contains(method));
        if self.alias != other.alias || methods.is_empty() {
            return None;
        }
        Some(Self { alias: self.alias.clone(), methods, path: self.path.meet(&other.path)? })
    }
}

impl FromStr for HttpRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.len() > RULE_BYTES_MAX {
            return Err(RuleError::TooLong);
        }
        let (alias, rest) = text.split_once(':').ok_or(RuleError::Form)?;
        let (methods, path) = rest.split_at(rest.find('/').ok_or(RuleError::Form)?);
        if !methods.ends_with(' ') {
            return Err(RuleError::Form);
        }
        let methods = methods.split(',').map(|method| method.trim().parse());
        let mut methods = methods.collect::<Result<Vec<Method>, _>>()?;
        methods.sort_unstable();
        methods.dedup();
        Ok(Self { alias: alias.trim().parse()?, methods, path: path.trim_end().parse()? })
    }
}

impl fmt::Display for HttpRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.alias)?;
        for (at, method) in self.methods.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(formatter, "{comma}{method}")?;
        }
        write!(formatter, " {}", self.path)
    }
}

impl TryFrom<String> for HttpRule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl From<HttpRule> for String {
    fn from(rule: HttpRule) -> Self {
        rule.to_string()
    }
}

/// Why a line is no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Longer than a rule may be.
    #[error("it is longer than {RULE_BYTES_MAX} bytes")]
    TooLong,
    /// Not `alias: METHOD[,METHOD] /path`.
    #[error("it is not of the form `alias: METHOD /path`")]
    Form,
    /// Not a name an origin can have.
    #[error("an alias is a letter of a-z and at most 31 more of a-z, 0-9, `_` and `-`, and neither http nor https")]
    Alias,
    /// Not a method that can be granted.
    #[error("a method is one of GET, HEAD, POST, PUT, PATCH and DELETE")]
    Method,
    /// A `?` or `#`: rules are about paths.
    #[error("a path pattern has no `?` and no `#`")]
    NotAPath,
    /// A `*` in the wrong place.
    #[error("`*` stands for one whole segment, and `**` for the rest, at the end")]
    Wildcard,
    /// A path no request could have.
    #[error("{0}")]
    Path(#[from] Flaw),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_back_what_it_shows() {
        for (line, shown) in [
            ("sentry: GET /api/0/*/issues/", "sentry: GET /api/0/*/issues/"),
            ("sentry:post, get,GET /api/0/** ", "sentry: GET,POST /api/0/**"),
            ("a-b_1: DELETE /", "a-b_1: DELETE /"),
            ("x: HEAD /caf%c3%a9/%41", "x: HEAD /caf%C3%A9/A"),
            ("x: HEAD /%2a", "x: HEAD /%2A"),
        ] {
            let rule: HttpRule = line.parse().expect(line);
            assert_eq!(rule.to_string(), shown);
            assert_eq!(shown.parse(), Ok(rule));
        }
    }

    #[test]
    fn a_line_that_is_no_rule_says_why() {
        for (line, error) in [
            ("GET /x", RuleError::Form),
            ("x: GET", RuleError::Form),
            ("x: GET/x", RuleError::Form),
            ("X: GET /x", RuleError::Alias),
            ("http: GET /x", RuleError::Alias),
            ("x: TRACE /x", RuleError::Method),
            ("x: GET, /x", RuleError::Method),
            ("x: * /x", RuleError::Method),
            ("x: GET /a?b", RuleError::NotAPath),
            ("x: GET /a*", RuleError::Wildcard),
            ("x: GET /**/a", RuleError::Wildcard),
            ("x: GET /a b", RuleError::Path(Flaw::Control)),
            ("x: GET //a", RuleError::Path(Flaw::EmptySegment)),
            ("x: GET /a/../b", RuleError::Path(Flaw::Dots)),
            ("x: GET /a/%2e%2E/b", RuleError::Path(Flaw::Encoded)),
            ("x: GET /a%2fb", RuleError::Path(Flaw::Encoded)),
        ] {
            assert_eq!(line.parse::<HttpRule>(), Err(error), "{line}");
        }
        let alias = "a".repeat(32);
        assert!(alias.parse::<Alias>().is_ok());
        assert_eq!(format!("{alias}a").parse::<Alias>(), Err(RuleError::Alias));
    }
}
