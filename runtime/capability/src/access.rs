//! Access rules for every kind of host call: requests, directories and tools.
//!
//! What a template wants, what a table of the policy permits and what a principal may have are each an [`Access`].
//! [`Grants`] stack them in layers, and every layer must allow a call. To add a kind of host call, write a rule type
//! with its gate in a file of their own, and add a list here.

use serde::Deserialize;

use crate::file::Reads;
use crate::grant::Grant;
use crate::rule::{Alias, HttpRule, Method};
use crate::tool::{ToolRule, Tools};

/// The rules of one party, by kind of host call. In TOML it is a table with `http`, `read` and `tools`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Requests: `alias: METHOD[,METHOD] /path/pattern`, or a table with that and what else they may carry.
    #[serde(default)]
    pub http: Vec<HttpRule>,
    /// Directories to read, by alias.
    #[serde(default)]
    pub read: Vec<Alias>,
    /// Tools to call, `server: tool,tool` or `server: *`.
    #[serde(default)]
    pub tools: Vec<ToolRule>,
}

impl Access {
    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.http.is_empty() && self.read.is_empty() && self.tools.is_empty()
    }

    /// Whether the rules let anything be changed: requests by other methods than `GET` and `HEAD`, or tools.
    #[must_use]
    pub fn changes(&self) -> bool {
        let changes = |method: &Method| !matches!(method, Method::Get | Method::Head);
        self.tools.iter().any(|rule| !rule.is_read_only())
            || self.http.iter().any(|rule| rule.methods().iter().any(changes))
    }

    /// Adds the rules of `more`.
    pub fn extend(&mut self, more: &Access) {
        self.http.extend(more.http.iter().cloned());
        self.read.extend(more.read.iter().cloned());
        self.tools.extend(more.tools.iter().cloned());
    }

    /// The rules line by line, for display: `alias: METHODS /path`, `alias: READ`, `server: name TOOL`.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let http = self.http.iter().map(ToString::to_string);
        let read = self.read.iter().map(|alias| format!("{alias}: READ"));
        let tools = self.tools.iter().map(|rule| format!("{rule} TOOL"));
        http.chain(read).chain(tools).collect()
    }

    /// The rules that `permitted` allows no part of, if there are any. Allowing a part of a rule is enough: that
    /// narrows it.
    #[must_use]
    pub fn lacking(&self, permitted: &Access) -> Option<Access> {
        // A rule about reading allows no part of a tool that may change something, and nobody here knows which one does.
        let is_allowed =
            |rule: &ToolRule, other| rule.meet(other).is_some_and(|both| rule.is_read_only() || !both.is_read_only());
        let is_lacking = |rule: &&ToolRule| !permitted.tools.iter().any(|other| is_allowed(rule, other));
        let lacking = Access {
            http: self.http.iter().filter_map(|want| want.lacking(&permitted.http)).collect(),
            read: self.read.iter().filter(|alias| !permitted.read.contains(alias)).cloned().collect(),
            tools: self.tools.iter().filter(is_lacking).cloned().collect(),
        };
        (!lacking.is_empty()).then_some(lacking)
    }

    /// What to add to a table to have these rules in it: `"…", "…" to http and "…" to read`.
    #[must_use]
    pub fn additions(&self) -> String {
        let http: Vec<String> = self.http.iter().map(HttpRule::written).collect();
        let read: Vec<String> = self.read.iter().map(|alias| format!("\"{alias}\"")).collect();
        let tools: Vec<String> = self.tools.iter().map(|rule| format!("\"{rule}\"")).collect();
        let to = |lines: &[String], key: &str| (!lines.is_empty()).then(|| format!("{} to {key}", lines.join(", ")));
        let additions = [to(&http, "http"), to(&read, "read"), to(&tools, "tools")];
        additions.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

/// What one run may reach: a grant for each kind of host call, each of the same layers. The default grants nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Requests.
    pub http: Grant,
    /// Directories.
    pub read: Reads,
    /// Tools.
    pub tools: Tools,
}

impl Grants {
    /// The grants of one layer.
    #[must_use]
    pub fn of(access: &Access) -> Self {
        let Access { http, read, tools } = access.clone();
        Self { http: Grant::of(http), read: Reads::of(read), tools: Tools::of(tools) }
    }

    /// These grants, narrowed to what `access` allows too.
    #[must_use]
    pub fn and(self, access: &Access) -> Self {
        let Access { http, read, tools } = access.clone();
        Self { http: self.http.and(http), read: self.read.and(read), tools: self.tools.and(tools) }
    }

    /// What all layers together allow, for display.
    #[must_use]
    pub fn access(&self) -> Access {
        Access {
            http: self.http.rules(),
            read: self.read.aliases().cloned().collect(),
            tools: self.tools.rules().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(http: &[&str], read: &[&str], tools: &[&str]) -> Access {
        Access {
            http: http.iter().map(|line| line.parse().expect("a rule")).collect(),
            read: read.iter().map(|alias| alias.parse().expect("an alias")).collect(),
            tools: tools.iter().map(|line| line.parse().expect("a rule")).collect(),
        }
    }

    #[test]
    fn a_layer_of_access_takes_away_in_every_kind() {
        let wants = access(&["a: GET,PUT /x/**"], &["logs", "data"], &["github: *"]);
        let permitted = access(&["a: GET /**"], &["logs"], &["github: list_issues"]);
        let grants = Grants::of(&wants).and(&permitted);
        assert_eq!(grants.access().lines(), ["a: GET /x/**", "logs: READ", "github: list_issues TOOL"]);
        assert!(grants.clone().and(&Access::default()).access().is_empty());
        assert_eq!(Grants::default().access(), Access::default());
        let lacking = wants.lacking(&permitted).expect("PUT and a directory");
        assert_eq!(lacking, access(&["a: PUT /x/**"], &["data"], &[]));
        assert_eq!(lacking.additions(), "\"a: PUT /x/**\" to http and \"data\" to read");
        assert_eq!(wants.lacking(&wants), None);
        let nothing = wants.lacking(&Access::default()).expect("all of it");
        assert_eq!(nothing, wants);
        assert!(nothing.additions().ends_with(" and \"github: *\" to tools"), "{}", nothing.additions());
    }
}
