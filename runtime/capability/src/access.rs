//! Access rules for every kind of host call, and the one table of these kinds.
//!
//! What a template wants, what a table of the policy permits and what a principal may have are each an [`Access`].
//! [`Grants`] stack them in layers, and every layer must allow a call. To add a kind of host call, write a rule type
//! with its [`Rule`] and its gate in a file of their own, and add a line to the table at the end.

use serde::Deserialize;

use crate::file::Reads;
use crate::grant::Grant;
use crate::origin::Origins;
use crate::refusal::Refusal;
use crate::rule::{Alias, HttpRule};
use crate::tool::{ToolEffect, ToolRule, Tools};

/// A rule of some kind of host call, as all kinds are treated. What it admits is for the gate of its kind.
pub(crate) trait Rule: Clone {
    /// How a line for display ends that is about this kind; nothing for requests, which are told by their methods.
    const MARK: &'static str;

    /// One line for display, which ends with the mark.
    fn line(&self) -> String;

    /// The rule as a value of `policy.toml`.
    fn written(&self) -> String;

    /// Whether it lets anything be changed.
    fn changes(&self) -> bool;

    /// The part of it that none of these allow a part of, if there is any.
    fn lacking(&self, permitted: &[Self]) -> Option<Self>;

    /// The rule to propose for a call that needs this one, for whoever wants these. `None` if they do not cover the call.
    fn proposed(&self, wants: &[Self]) -> Option<Self>;
}

macro_rules! kinds {
    ($($(#[doc = $about:literal])+ $kind:ident: $rule:ty => $grant:ty;)+) => {
        /// The rules of one party, by kind of host call. In TOML it is a table with `http`, `read` and `tools`.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Access {
            $($(#[doc = $about])+ #[serde(default)] pub $kind: Vec<$rule>,)+
        }

        impl Access {
            /// Whether there are no rules.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                $(self.$kind.is_empty())&&+
            }

            /// Whether the rules let anything be changed: requests by other methods than `GET` and `HEAD`, or tools.
            #[must_use]
            pub fn changes(&self) -> bool {
                $(self.$kind.iter().any(Rule::changes))||+
            }

            /// Adds the rules of `more`.
            pub fn extend(&mut self, more: &Access) {
                $(self.$kind.extend(more.$kind.iter().cloned());)+
            }

            /// The rules line by line, for display: `alias: METHODS /path`, `alias: READ`, `server: name TOOL`.
            #[must_use]
            pub fn lines(&self) -> Vec<String> {
                let mut lines = Vec::new();
                $(lines.extend(self.$kind.iter().map(Rule::line));)+
                lines
            }

            /// Whether a line for display is about requests.
            #[must_use]
            pub fn is_of_requests(line: &str) -> bool {
                let marks = [$(<$rule as Rule>::MARK),+];
                !marks.iter().any(|mark| !mark.is_empty() && line.ends_with(mark))
            }

            /// Each rule alone.
            #[must_use]
            pub fn each(&self) -> Vec<Access> {
                let mut each = Vec::new();
                $(each.extend(self.$kind.iter().map(|rule| Access { $kind: vec![rule.clone()], ..Access::default() }));)+
                each
            }

            /// Whether some call is allowed by both.
            #[must_use]
            pub fn meets(&self, other: &Access) -> bool {
                !Grants::of(self).and(other).access().is_empty()
            }

            /// The rules that `permitted` allows no part of, if there are any. Allowing a part of a rule is enough: that
            /// narrows it.
            #[must_use]
            pub fn lacking(&self, permitted: &Access) -> Option<Access> {
                let lacking = Access {
                    $($kind: self.$kind.iter().filter_map(|rule| Rule::lacking(rule, &permitted.$kind)).collect(),)+
                };
                (!lacking.is_empty()).then_some(lacking)
            }

            /// The rules to propose for a call that needs these, for whoever wants those: its wants that cover the call. `None`
            /// if they do not cover it.
            #[must_use]
            pub fn proposed(&self, wants: &Access) -> Option<Access> {
                Some(Access {
                    $($kind: self.$kind.iter().map(|rule| rule.proposed(&wants.$kind)).collect::<Option<Vec<_>>>()?,)+
                })
            }

            /// The rules as values of `policy.toml`, with the key of each kind that has some.
            fn written(&self) -> Vec<(&'static str, Vec<String>)> {
                let kinds = vec![$((stringify!($kind), self.$kind.iter().map(Rule::written).collect()),)+];
                kinds.into_iter().filter(|(_, rules): &(_, Vec<String>)| !rules.is_empty()).collect()
            }
        }

        /// What one run may reach: a grant for each kind of host call, each of the same layers. The default grants nothing.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Grants {
            $($(#[doc = $about])+ pub $kind: $grant,)+
        }

        impl Grants {
            /// The grants of one layer.
            #[must_use]
            pub fn of(access: &Access) -> Self {
                Self { $($kind: <$grant>::of(access.$kind.iter().cloned()),)+ }
            }

            /// These grants, narrowed to what `access` allows too.
            #[must_use]
            pub fn and(self, access: &Access) -> Self {
                Self { $($kind: self.$kind.and(access.$kind.iter().cloned()),)+ }
            }

            /// What all layers together allow, for display.
            #[must_use]
            pub fn access(&self) -> Access {
                Access { $($kind: self.$kind.shown(),)+ }
            }
        }
    };
}

/// A call as a person asks about it, with a word for its kind in the place of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// A request.
    Request {
        /// Its method.
        method: &'a str,
        /// Its URL.
        url: &'a str,
    },
    /// A file or a folder, `alias:folder/file`.
    File(&'a str),
    /// A tool.
    Tool {
        /// Its server.
        server: &'a str,
        /// Its name.
        tool: &'a str,
    },
}

impl<'a> Asked<'a> {
    /// What to write as the method, for help.
    pub const METHODS: &'static str = "HTTP method, READ for a file, or TOOL for a tool";

    /// What to write as the target, for help.
    pub const TARGETS: &'static str =
        "Target: `alias:/path` or an absolute URL; with READ, `alias:directory/file`; with TOOL, `server:tool`";

    /// The call that a method and a target name.
    #[must_use]
    pub fn of(method: &'a str, target: &'a str) -> Self {
        if method.eq_ignore_ascii_case("read") {
            return Self::File(target);
        }
        if method.eq_ignore_ascii_case("tool") {
            let (server, tool) = target.split_once(':').unwrap_or((target, ""));
            return Self::Tool { server: server.trim(), tool: tool.trim() };
        }
        Self::Request { method, url: target }
    }
}

impl Grants {
    /// Asks the gate of the kind. Gives a request as it would be sent. `effect` is that of the tool, if it is one.
    ///
    /// # Errors
    ///
    /// The gate's refusal.
    pub fn admits(&self, asked: Asked<'_>, origins: &Origins, effect: ToolEffect) -> Result<Option<String>, Refusal> {
        Ok(match asked {
            Asked::Request { method, url } => {
                let allowed = self.http.admit(origins, method, url)?;
                Some(format!("= {} {}", allowed.method(), allowed.shown()))
            }
            Asked::File(path) => self.read.admit(path).map(|_| None)?,
            Asked::Tool { server, tool } => self.tools.admit(server, tool, effect).map(|_| None)?,
        })
    }
}

impl Access {
    /// The rules that admit a call by themselves, line by line.
    #[must_use]
    pub fn admitting(&self, asked: Asked<'_>, origins: &Origins, effect: ToolEffect) -> Vec<String> {
        let mut each = self.each();
        each.retain(|rule| Grants::of(rule).admits(asked, origins, effect).is_ok());
        each.iter().flat_map(Access::lines).collect()
    }

    /// What to add to a table to have these rules in it: `"…", "…" to http and "…" to read`.
    #[must_use]
    pub fn additions(&self) -> String {
        let additions = self.written().into_iter().map(|(key, rules)| format!("{} to {key}", rules.join(", ")));
        additions.collect::<Vec<_>>().join(" and ")
    }

    /// The rules as values of `policy.toml`, whatever their kinds.
    #[must_use]
    pub fn values(&self) -> String {
        self.written().into_iter().flat_map(|(_, rules)| rules).collect::<Vec<_>>().join(", ")
    }
}

// The kinds of host calls: the key of a table, the rule and the grant. The order is that of lines and of refusals.
kinds! {
    /// Requests: `alias: METHOD[,METHOD] /path/pattern`, or a table with that and what else they may carry.
    http: HttpRule => Grant;
    /// Directories to read, by alias.
    read: Alias => Reads;
    /// Tools to call, `server: tool,tool` or `server: *`.
    tools: ToolRule => Tools;
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

    #[test]
    fn a_line_says_of_which_kind_it_is() {
        let access = Access {
            http: vec!["a: GET /**".parse().expect("a rule")],
            read: vec!["READ".to_lowercase().parse().expect("an alias")],
            tools: vec!["git: *".parse().expect("a rule")],
        };
        let lines = access.lines();
        assert_eq!(lines, ["a: GET /**", "read: READ", "git: * TOOL"]);
        assert_eq!(lines.iter().map(|line| Access::is_of_requests(line)).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(access.each().iter().flat_map(Access::lines).collect::<Vec<_>>(), lines);
    }
}
