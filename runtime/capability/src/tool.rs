//! Admission of calls to tools of other servers. **This file is a boundary.**
//!
//! Invariant: an [`AllowedTool`] exists only for a tool that every layer of a grant has a rule for.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::access::{Access, Rule};
use crate::refusal::{Refusal, listed, shown};
use crate::rule::{RULE_BYTES_MAX, RuleError};

/// The longest name of a tool, in bytes: what the Model Context Protocol recommends (revision 2025-11-25, "Tool names").
const NAME_BYTES_MAX: usize = 128;

/// What a rule says about tools that only read.
pub const READ_ONLY: &str = "read-only";

/// The longest name of a server, in bytes. With a name of a tool and `__` between them it fits what clients accept.
const SERVER_BYTES_MAX: usize = 64;

/// The name of an upstream server in the configuration: 1 to 64 of the letters, digits, `_`, `-` and `.`, beginning with a letter
/// or a digit, and without `__`, which separates a server from its tool where both are one name. Case matters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerId(String);

impl ServerId {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServerId {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let is_one = (1..=SERVER_BYTES_MAX).contains(&text.len())
            && text.bytes().all(is_plain)
            && text.as_bytes()[0].is_ascii_alphanumeric()
            && !text.contains("__");
        if is_one { Ok(Self(text.to_owned())) } else { Err(RuleError::Server) }
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Tools of one server that a run may call, written as `git: git_log,git_diff`, as `git: *` for all of them, or as `git: read-only`
/// for those of which the server says that they only read (`git: read-only git_log,git_diff` are those of two).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ToolRule {
    server: ServerId,
    /// Nothing for all tools, otherwise at least one.
    tools: Option<BTreeSet<String>>,
    /// Whether only tools are meant that only read.
    reads_only: bool,
}

/// What the server says that a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// It only reads.
    Reads,
    /// It may change something, or nobody knows.
    MayChange,
}

impl ToolRule {
    /// The server that the rule is about.
    #[must_use]
    pub fn server(&self) -> &ServerId {
        &self.server
    }

    /// Whether the rule is only about tools that only read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.reads_only
    }

    /// The tools that the rule names; none where it is about all, or about those that only read.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().flatten().map(String::as_str)
    }

    /// Whether the rule covers a tool of its server.
    #[must_use]
    pub fn covers_tool(&self, tool: &str, effect: ToolEffect) -> bool {
        self.tools.as_ref().is_none_or(|names| names.contains(tool))
            && (!self.reads_only || effect == ToolEffect::Reads)
    }

    /// Whether the rule covers everything that another one covers.
    #[must_use]
    pub fn covers_rule(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(other)
    }

    fn covers(&self, server: &ServerId, tool: &str, effect: ToolEffect) -> bool {
        self.server == *server && self.covers_tool(tool, effect)
    }

    /// The rule that allows exactly what both allow, if that is anything.
    pub(crate) fn meet(&self, other: &Self) -> Option<Self> {
        if self.server != other.server {
            return None;
        }
        let tools = match (&self.tools, &other.tools) {
            (None, tools) | (tools, None) => tools.clone(),
            (Some(one), Some(two)) => {
                let both: BTreeSet<String> = one.intersection(two).cloned().collect();
                if both.is_empty() {
                    return None;
                }
                Some(both)
            }
        };
        Some(Self { server: self.server.clone(), tools, reads_only: self.reads_only || other.reads_only })
    }
}

impl Rule for ToolRule {
    const MARK: &'static str = " TOOL";

    fn line(&self) -> String {
        format!("{self}{}", Self::MARK)
    }

    fn written(&self) -> String {
        format!("\"{self}\"")
    }

    fn changes(&self) -> bool {
        !self.reads_only
    }

    /// A rule about reading allows no part of a tool that may change something, and nobody here knows which one does.
    fn lacking(&self, permitted: &[Self]) -> Option<Self> {
        let is_allowed = |other| self.meet(other).is_some_and(|both| self.reads_only || !both.reads_only);
        (!permitted.iter().any(is_allowed)).then(|| self.clone())
    }

    fn proposed(&self, wants: &[Self]) -> Option<Self> {
        wants.iter().any(|want| want.covers_rule(self)).then(|| self.clone())
    }
}

impl TryFrom<String> for ToolRule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

/// Whether a text can be the name of a tool: 1 to 128 of the letters, digits, `_`, `-` and `.`, as the Model Context Protocol
/// says (revision 2025-11-25, "Tool names"). `read-only` is none: in a rule it stands for all tools that only read.
#[must_use]
pub fn is_tool_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain) && name != READ_ONLY
}

impl FromStr for ToolRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.len() > RULE_BYTES_MAX {
            return Err(RuleError::TooLong);
        }
        let (server, tools) = text.split_once(':').ok_or(RuleError::Tool)?;
        let server = server.trim().parse()?;
        let tools = tools.trim();
        // A name has no white space: a tool of this name would need a rule of several.
        let (reads_only, tools) = match tools.strip_prefix(READ_ONLY) {
            Some("") => (true, "*"),
            Some(names) if names.starts_with(' ') => (true, names),
            _ => (false, tools),
        };
        if tools.trim() == "*" {
            return Ok(Self { server, tools: None, reads_only });
        }
        let name = |name: &str| Some(name.trim().to_owned()).filter(|name| is_tool_name(name)).ok_or(RuleError::Tool);
        let tools = tools.split(',').map(name).collect::<Result<BTreeSet<_>, _>>()?;
        Ok(Self { server, tools: Some(tools), reads_only })
    }
}

impl fmt::Display for ToolRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.tools.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>().join(","));
        match (self.reads_only, tools) {
            (true, None) => write!(formatter, "{}: {READ_ONLY}", self.server),
            (true, Some(tools)) => write!(formatter, "{}: {READ_ONLY} {tools}", self.server),
            (false, tools) => write!(formatter, "{}: {}", self.server, tools.as_deref().unwrap_or("*")),
        }
    }
}

/// Which tools a run may call. As with [`Grant`](crate::Grant), each layer is one party's rules, and adding a layer can only
/// take away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tools {
    rules: Vec<ToolRule>,
}

impl Tools {
    /// The grant of one layer.
    #[must_use]
    pub fn of(rules: impl IntoIterator<Item = ToolRule>) -> Self {
        Self { rules: rules.into_iter().collect() }
    }

    /// This grant, narrowed to what these rules allow too.
    #[must_use]
    pub fn and(self, rules: impl IntoIterator<Item = ToolRule>) -> Self {
        let layer: Vec<ToolRule> = rules.into_iter().collect();
        let pairs = self.rules.iter().flat_map(|rule| layer.iter().filter_map(|other| rule.meet(other)));
        let mut rules: Vec<ToolRule> = pairs.collect();
        rules.sort();
        rules.dedup();
        Self { rules }
    }

    /// The rules that say what all layers together allow.
    #[must_use]
    pub fn rules(&self) -> &[ToolRule] {
        &self.rules
    }

    pub(crate) fn shown(&self) -> Vec<ToolRule> {
        self.rules.clone()
    }

    /// Whether the effect of a server's tools decides which of them are admitted.
    #[must_use]
    pub fn asks_effect(&self, server: &str) -> bool {
        self.rules.iter().any(|rule| rule.reads_only && rule.server.as_str() == server)
    }

    /// Admits a call of a tool. `effect` is what its server says of the tool as it was approved.
    ///
    /// # Errors
    ///
    /// A [`Refusal`], which names the rules.
    pub fn admit(&self, server: &str, tool: &str, effect: ToolEffect) -> Result<AllowedTool, Refusal> {
        let known = server.parse::<ServerId>().ok().filter(|_| is_tool_name(tool));
        let covered = known.filter(|server| self.rules.iter().any(|rule| rule.covers(server, tool, effect)));
        match covered {
            Some(server) => {
                // Whether it is admitted whatever it does, or only because it reads.
                let is_free = self.rules.iter().any(|rule| rule.covers(&server, tool, ToolEffect::MayChange));
                Ok(AllowedTool { server, tool: tool.to_owned(), must_read: !is_free })
            }
            None => Err(self.refused(&shown(server), &shown(tool))),
        }
    }

    fn refused(&self, server: &str, tool: &str) -> Refusal {
        let granted: Vec<String> = self.rules.iter().map(ToString::to_string).collect();
        let none = || "no tool, since none is granted to it".to_owned();
        let granted = if granted.is_empty() { none() } else { listed(&granted) };
        let name = format!("{server}: {tool}");
        Refusal::Call {
            why: format!("the run may call {granted}"),
            needs: name.parse().ok().map(|rule| Box::new(Access { tools: vec![rule], ..Access::default() })),
            what: format!("calling {name}"),
        }
    }
}

/// A tool that may be called. Only [`Tools::admit`] makes one, so holding it is the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedTool {
    server: ServerId,
    tool: String,
    must_read: bool,
}

impl AllowedTool {
    /// The server that has the tool.
    #[must_use]
    pub fn server(&self) -> &ServerId {
        &self.server
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether it is allowed only as a tool that reads: one that has become another meanwhile is not.
    #[must_use]
    pub fn must_read(&self) -> bool {
        self.must_read
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rules(lines: &[&str]) -> Vec<ToolRule> {
        lines.iter().map(|line| line.parse().expect("a rule")).collect()
    }

    #[test]
    fn the_keyword_of_reading_is_no_tools_name() {
        for line in
            ["git: read-only,log", "git: log, read-only", "git: read-only, read-only", "git: read-only read-only"]
        {
            assert_eq!(line.parse::<ToolRule>(), Err(RuleError::Tool), "{line}");
        }
        assert!(!is_tool_name("read-only") && is_tool_name("read-only-2"));
        assert!("git: read-only log,diff".parse::<ToolRule>().is_ok());
    }

    #[test]
    fn a_tool_is_admitted_where_every_layer_has_a_rule_for_it() {
        let tools =
            Tools::of(rules(&["github: *", "files: read"])).and(rules(&["github: list_issues", "files: *", "x: y"]));
        assert_eq!(tools.rules(), rules(&["files: read", "github: list_issues"]));
        let several = Tools::of(rules(&["git: log,diff,show"])).and(rules(&["git: show,log,push"]));
        assert_eq!(several.rules(), rules(&["git: log,show"]));
        assert!(Tools::of(rules(&["git: log"])).and(rules(&["git: push"])).rules().is_empty());
        for (server, tool) in [("github", "list_issues"), ("files", "read")] {
            let allowed = tools.admit(server, tool, ToolEffect::MayChange).expect("both layers have a rule");
            assert_eq!((allowed.server().as_str(), allowed.tool()), (server, tool));
        }
        for (server, tool) in [
            ("github", "delete"),
            ("files", "write"),
            ("x", "y"),
            ("GitHub", "list_issues"),
            ("github", ""),
            ("github", "*"),
        ] {
            let refusal = tools.admit(server, tool, ToolEffect::Reads).expect_err("one layer has none");
            let told =
                format!("calling {server}: {tool} was refused: the run may call files: read, github: list_issues");
            assert_eq!(refusal.to_string(), told);
        }
        let refusal = Tools::default().admit("github", "a\u{202e}", ToolEffect::Reads).expect_err("nothing is granted");
        assert_eq!(
            refusal.to_string(),
            "calling github: a\\u{202e} was refused: the run may call no tool, since none is granted to it"
        );
    }

    #[test]
    fn a_rule_about_reading_admits_what_only_reads() {
        let tools = Tools::of(rules(&["git: read-only", "files: read-only read,write"]));
        for (server, tool, effect, is_admitted) in [
            ("git", "log", ToolEffect::Reads, true),
            ("git", "push", ToolEffect::MayChange, false),
            ("files", "read", ToolEffect::Reads, true),
            ("files", "write", ToolEffect::MayChange, false),
            ("files", "list", ToolEffect::Reads, false),
        ] {
            assert_eq!(tools.admit(server, tool, effect).is_ok(), is_admitted, "{server}: {tool}");
        }
        assert!(tools.asks_effect("git") && !tools.asks_effect("other"));
        let both = Tools::of(rules(&["git: read-only", "x: *"])).and(rules(&["git: log,push", "x: read-only"]));
        let told: Vec<String> = both.rules().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["git: read-only log,push", "x: read-only"]);
        assert_eq!(both.rules(), rules(&["git: read-only log,push", "x: read-only"]));
    }

    #[test]
    fn what_is_not_a_server_and_a_tool_is_not_a_rule() {
        let longest = format!("a: {}", "t".repeat(NAME_BYTES_MAX));
        for text in ["a: *", "a:*", " a : b.d-e_F9 ", "a: b,c", "A.b-c: b", &longest] {
            assert!(text.parse::<ToolRule>().is_ok(), "{text}");
        }
        for text in [
            "",
            "a",
            "a:",
            "a: b c",
            "a: **",
            "a: b,",
            "a: b,*",
            "a__b: c",
            "-a: b",
            "a b: c",
            "ü: b",
            "a: b/c",
            "a: b*",
            "a: ü",
            &format!("{longest}t"),
        ] {
            assert!(text.parse::<ToolRule>().is_err(), "{text}");
        }
    }

    fn rule() -> impl Strategy<Value = ToolRule> {
        "(a|b): (x|y|x,y|[*]|read-only|read-only x)".prop_map(|line| line.parse().expect("made of valid parts"))
    }

    proptest! {
        #[test]
        fn a_grant_of_tools_never_exceeds_either_operand(
            one in prop::collection::vec(rule(), 0..4),
            two in prop::collection::vec(rule(), 0..4),
            (server, tool, reads) in ("a|b", "x|y|z", any::<bool>()),
        ) {
            let effect = if reads { ToolEffect::Reads } else { ToolEffect::MayChange };
            let admits = |tools: &Tools| tools.admit(&server, &tool, effect).is_ok();
            let (left, right) = (Tools::of(one.clone()), Tools::of(two.clone()));
            let both = left.clone().and(two);
            prop_assert_eq!(admits(&both), admits(&left) && admits(&right));
            prop_assert_eq!(admits(&both), admits(&right.and(one)), "the order does not matter");
        }
    }
}
