//! Rules for HTTP: an origin, methods and a path pattern, and which headers and bodies the requests may have.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::access::Rule;
use crate::header::{HeaderName, HeaderNameError};
use crate::path::{Flaw, PathPattern};
use crate::refusal::shown;

/// The longest rule, in bytes. Rules are written by people and repeated in every report.
pub(crate) const RULE_BYTES_MAX: usize = 2 * 1024;

/// How many headers one rule names. An API has two or three of its own.
const HEADERS_MAX: usize = 16;

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
    pub(crate) const ALL: [Self; 6] = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];

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

/// What a rule lets a request carry in addition to ordinary headers and bodies.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Extra {
    /// Headers that are not ordinary.
    pub(crate) headers: BTreeSet<HeaderName>,
    /// Whether GET and HEAD may have a body; the other methods always may.
    pub(crate) body: bool,
}

impl Extra {
    /// What both allow.
    pub(crate) fn meet(&self, other: &Self) -> Self {
        let headers = self.headers.intersection(&other.headers).cloned().collect();
        Self { headers, body: self.body && other.body }
    }

    /// The part of it that applies to these methods.
    fn of(self, methods: &[Method]) -> Self {
        let asks = methods.iter().any(|method| matches!(method, Method::Get | Method::Head));
        Self { body: self.body && asks, ..self }
    }

    /// What either allows.
    pub(crate) fn join(mut self, other: &Self) -> Self {
        self.headers.extend(other.headers.iter().cloned());
        Self { body: self.body || other.body, ..self }
    }
}

/// Some methods on some paths of one origin, written as one line: `sentry: GET,POST /api/0/**`. What its requests may carry
/// besides makes it a table: `{ rule = "loki: GET /loki/api/v1/**", headers = ["X-Scope-OrgID"], body = true }`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "WrittenRule")]
pub struct HttpRule {
    alias: Alias,
    /// Sorted, each once, at least one.
    methods: Vec<Method>,
    path: PathPattern,
    extra: Extra,
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

    /// What its requests may carry in addition to ordinary headers and bodies.
    pub(crate) fn extra(&self) -> &Extra {
        &self.extra
    }

    /// The rule as a value of `policy.toml` and `template.toml`: its line as a string, or the table.
    #[must_use]
    pub fn written(&self) -> String {
        if self.extra == Extra::default() { format!("\"{self}\"") } else { self.to_string() }
    }

    /// Whether the rule allows this request.
    pub(crate) fn covers(&self, alias: &Alias, method: Method, path: &[String]) -> bool {
        self.alias == *alias && self.methods.contains(&method) && self.path.covers(path)
    }

    /// The rule that allows exactly what both allow, if that is anything.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        let mut methods = self.methods.clone();
        methods.retain(|method| other.methods.contains(method));
        if self.alias != other.alias || methods.is_empty() {
            return None;
        }
        let extra = self.extra.meet(&other.extra).of(&methods);
        Some(Self { alias: self.alias.clone(), path: self.path.meet(&other.path)?, methods, extra })
    }

    /// This rule for one of its methods alone.
    #[must_use]
    pub fn only(&self, method: Method) -> Option<Self> {
        self.methods.contains(&method).then(|| self.with(vec![method]))
    }

    /// This rule, reduced to the methods that `rules` allow on none of its paths, or not with everything that its
    /// requests may carry. `None` if there are no such methods. Rules that allow only some of its paths are enough:
    /// they narrow it.
    #[must_use]
    pub fn lacking(&self, rules: &[HttpRule]) -> Option<Self> {
        let is_lacking = |method: &Method| {
            let alone = self.with(vec![*method]);
            let carried = rules.iter().filter_map(|rule| alone.meet(rule)).map(|met| met.extra);
            carried.reduce(|all, more| all.join(&more)).is_none_or(|carried| carried != alone.extra)
        };
        let methods: Vec<Method> = self.methods.iter().copied().filter(is_lacking).collect();
        (!methods.is_empty()).then(|| self.with(methods))
    }

    /// This rule, whose requests may carry these headers as well.
    ///
    /// # Errors
    /// When one of them is ordinary, or none that may be set.
    pub fn with_headers(self, headers: &[&str]) -> Result<Self, RuleError> {
        let written: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        let before = self.extra.clone();
        let carrying = self.carrying(&written, before.body)?;
        Ok(Self { extra: before.join(&carrying.extra), ..carrying })
    }

    fn with(&self, methods: Vec<Method>) -> Self {
        let extra = self.extra.clone().of(&methods);
        Self { alias: self.alias.clone(), path: self.path.clone(), methods, extra }
    }

    /// The same line, and what its requests may carry besides.
    fn carrying(self, headers: &[String], body: bool) -> Result<Self, RuleError> {
        if headers.len() > HEADERS_MAX {
            return Err(RuleError::Headers);
        }
        let mut extra = Extra { headers: BTreeSet::new(), body };
        for header in headers {
            if header.contains('*') {
                return Err(RuleError::HeaderPattern { name: shown(header) });
            }
            let name = header.parse::<HeaderName>().map_err(|why| RuleError::Header { name: shown(header), why })?;
            if name.is_ordinary() {
                return Err(RuleError::Ordinary { name: shown(header) });
            }
            extra.headers.insert(name);
        }
        if extra.clone().of(&self.methods) != extra {
            return Err(RuleError::Body);
        }
        Ok(Self { extra, ..self })
    }
}

impl Rule for HttpRule {
    const MARK: &'static str = "";

    fn line(&self) -> String {
        self.to_string()
    }

    fn written(&self) -> String {
        HttpRule::written(self)
    }

    fn changes(&self) -> bool {
        self.methods.iter().any(|method| !matches!(method, Method::Get | Method::Head))
    }

    fn lacking(&self, permitted: &[Self]) -> Option<Self> {
        HttpRule::lacking(self, permitted)
    }

    fn proposed(&self, wants: &[Self]) -> Option<Self> {
        let want = wants.iter().find(|want| HttpRule::lacking(self, std::slice::from_ref(*want)).is_none())?;
        want.only(*self.methods.first()?)
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
        let extra = Extra::default();
        Ok(Self { alias: alias.trim().parse()?, methods, path: path.trim_end().parse()?, extra })
    }
}

impl fmt::Display for HttpRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extra { headers, body } = &self.extra;
        let is_table = self.extra != Extra::default();
        if is_table {
            formatter.write_str("{ rule = \"")?;
        }
        write!(formatter, "{}: ", self.alias)?;
        for (at, method) in self.methods.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(formatter, "{comma}{method}")?;
        }
        write!(formatter, " {}", self.path)?;
        if !is_table {
            return Ok(());
        }
        formatter.write_str("\"")?;
        for (at, header) in headers.iter().enumerate() {
            let before = if at == 0 { ", headers = [" } else { ", " };
            write!(formatter, "{before}\"{header}\"")?;
        }
        let end = if headers.is_empty() { "" } else { "]" };
        let body = if *body { ", body = true" } else { "" };
        write!(formatter, "{end}{body} }}")
    }
}

/// A rule as written in a file, not checked yet: one line, or a table with the line and what else its requests may
/// carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenRule {
    /// `alias: METHOD[,METHOD] /path/pattern`.
    pub rule: String,
    /// Headers that the requests may have, besides the ordinary ones.
    pub headers: Vec<String>,
    /// Whether GET and HEAD may have a body.
    pub body: bool,
}

impl TryFrom<WrittenRule> for HttpRule {
    type Error = RuleError;

    fn try_from(written: WrittenRule) -> Result<Self, RuleError> {
        written.rule.parse::<Self>()?.carrying(&written.headers, written.body)
    }
}

impl<'de> Deserialize<'de> for WrittenRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LineOrTable)
    }
}

/// Reads a [`WrittenRule`]. An untagged enum would not say what is wrong with a table.
struct LineOrTable;

impl<'de> Visitor<'de> for LineOrTable {
    type Value = WrittenRule;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a rule as a string, or a table with `rule`, `headers` and `body`")
    }

    fn visit_str<E: de::Error>(self, line: &str) -> Result<WrittenRule, E> {
        Ok(WrittenRule { rule: line.to_owned(), ..WrittenRule::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenRule, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            rule: String,
            #[serde(default)]
            headers: Vec<String>,
            #[serde(default)]
            body: bool,
        }
        let Table { rule, headers, body } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(WrittenRule { rule, headers, body })
    }
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Longer than a rule may be.
    #[error("it is longer than {RULE_BYTES_MAX} bytes")]
    TooLong,
    /// Not `alias: METHOD[,METHOD] /path`.
    #[error("it is not of the form `alias: METHOD /path`")]
    Form,
    /// Not a name an origin can have.
    #[error(
        "an alias is a letter of a-z and at most 31 more of a-z, 0-9, `_` and `-`, and neither http nor https; \
             `read` names directories by their aliases alone"
    )]
    Alias,
    /// Not a method that can be granted.
    #[error("a method is one of GET, HEAD, POST, PUT, PATCH and DELETE")]
    Method,
    /// Not `server: tool[,tool]`.
    #[error(
        "it is not of the form `server: tool,tool`, `server: *`, `server: read-only` or `server: read-only tool,tool`; a tool's \
         name is 1 to 128 of the letters, digits, `_`, `-` and `.`, and not `read-only`"
    )]
    Tool,
    /// Not a name that an upstream server can have.
    #[error(
        "a server's name is 1 to 64 of the letters, digits, `_`, `-` and `.`, begins with a letter or a digit, and has no `__`"
    )]
    Server,
    /// A `?` or `#`: rules are about paths.
    #[error("a path pattern has no `?` and no `#`")]
    NotAPath,
    /// A `*` in the wrong place.
    #[error("`*` stands for one whole segment, and `**` for the rest, at the end")]
    Wildcard,
    /// A path no request could have.
    #[error("{0}")]
    Path(#[from] Flaw),
    /// More headers than a rule names.
    #[error("it names more than {HEADERS_MAX} headers")]
    Headers,
    /// A header that no rule can name.
    #[error("its header `{name}` {why}")]
    Header {
        /// As written, shortened and escaped.
        name: String,
        /// Why not.
        why: HeaderNameError,
    },
    /// A `*`, which would be sent literally.
    #[error("its header `{name}` has a `*`: a rule names each header, and there are no patterns")]
    HeaderPattern {
        /// As written, shortened and escaped.
        name: String,
    },
    /// A header that needs no rule.
    #[error("its header `{name}` needs no rule, since every request may have it")]
    Ordinary {
        /// As written, shortened and escaped.
        name: String,
    },
    /// `body` with methods that may have one anyway.
    #[error("`body` is for GET and HEAD: requests of other methods may have a body anyway")]
    Body,
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

    fn table(line: &str, headers: &[&str], body: bool) -> Result<HttpRule, RuleError> {
        let headers = headers.iter().map(|header| (*header).to_owned()).collect();
        WrittenRule { rule: line.to_owned(), headers, body }.try_into()
    }

    #[test]
    fn what_rules_allow_no_part_of_is_lacking() {
        let rule = |line: &str| line.parse::<HttpRule>().expect(line);
        let whole = rule("x: GET,PUT /a/*");
        for (rules, expected) in [
            (&[] as &[&str], Some("x: GET,PUT /a/*")),
            (&["x: GET,PUT /**"], None),
            (&["x: GET /**", "x: PUT /a/b"], None),
            (&["x: GET /a/*"], Some("x: PUT /a/*")),
            (&["x: PUT /b", "y: GET,PUT /**"], Some("x: GET,PUT /a/*")),
        ] {
            let rules: Vec<HttpRule> = rules.iter().map(|line| rule(line)).collect();
            assert_eq!(whole.lacking(&rules).map(|rule| rule.to_string()).as_deref(), expected, "{rules:?}");
        }
        assert_eq!(whole.only(Method::Put), Some(rule("x: PUT /a/*")));
        assert_eq!(whole.only(Method::Post), None);
        // What requests may carry is a part of it, and rules add up.
        let whole = table("x: GET,POST /a", &["X-A", "X-B"], true).expect("a rule");
        let (one, two) = (table("x: GET,POST /**", &["X-A"], true), table("x: GET,POST /a", &["X-B"], true));
        let (one, two) = (one.expect("a rule"), two.expect("a rule"));
        assert_eq!(whole.lacking(std::slice::from_ref(&one)), Some(whole.clone()));
        assert_eq!(whole.lacking(&[one, two]), None);
        let bare = table("x: GET,POST /a", &["X-A", "X-B"], false).expect("a rule");
        assert_eq!(whole.lacking(&[bare]), whole.only(Method::Get), "a POST may have a body anyway");
    }

    #[test]
    fn a_rule_with_more_is_shown_as_a_table() {
        for (line, headers, body, shown) in [
            ("x: GET /a", &[] as &[&str], false, "x: GET /a"),
            ("x: GET /a", &[], true, "{ rule = \"x: GET /a\", body = true }"),
            ("x: POST /a", &["X-B", "x-a", "X-A"], false, "{ rule = \"x: POST /a\", headers = [\"x-a\", \"x-b\"] }"),
            ("x: GET /a", &["Sudo"], true, "{ rule = \"x: GET /a\", headers = [\"sudo\"], body = true }"),
        ] {
            let rule = table(line, headers, body).expect(line);
            assert_eq!(rule.to_string(), shown);
            let quotes = if shown.starts_with('{') { "" } else { "\"" };
            assert_eq!(rule.written(), format!("{quotes}{shown}{quotes}"));
        }
    }

    #[test]
    fn h10_no_rule_allows_what_belongs_to_the_host() {
        let never = "is not for scripts to set";
        for (headers, body, error) in [
            (&["Authorization"][..], false, format!("its header `Authorization` {never}")),
            (&["x-a", "Transfer-Encoding"], false, format!("its header `Transfer-Encoding` {never}")),
            (&["X-HTTP-Method-Override"], false, format!("its header `X-HTTP-Method-Override` {never}")),
            (&["Content-Encoding"], false, format!("its header `Content-Encoding` {never}")),
            (&["x: y\n"], false, r"its header `x: y\u{a}` is not a valid header name".to_owned()),
            (
                &["x", "*"],
                false,
                "its header `*` has a `*`: a rule names each header, and there are no patterns".to_owned(),
            ),
            (
                &["X-*"],
                false,
                "its header `X-*` has a `*`: a rule names each header, and there are no patterns".to_owned(),
            ),
            (&["Accept"], false, "its header `Accept` needs no rule, since every request may have it".to_owned()),
            (&["x"; HEADERS_MAX + 1], false, RuleError::Headers.to_string()),
            (&[], true, RuleError::Body.to_string()),
        ] {
            let told = table("x: POST /a", headers, body).map_err(|error| error.to_string());
            assert_eq!(told, Err(error), "{headers:?}");
        }
        assert!(table("x: GET,POST /a", &["x"; HEADERS_MAX], true).is_ok());
    }
}
