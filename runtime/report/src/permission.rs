//! Permissions: what would allow a refused call, as data.
//!
//! They are lines of the policy and of the configuration. Those are the same on every surface, and so is their text.

use std::fmt;

use intentbox_capability::{Access, Alias};

/// How many of a template's wants are listed. The rest are counted.
const LISTED_MAX: usize = 4;

/// What would allow a refused call. Its text is an imperative for the operator, or says why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Rules of the policy, at least one.
    Rules(Vec<TableRules>),
    /// An origin of the configuration, and then rules for it in these tables of the policy.
    Origin {
        /// The origin.
        origin: MissingOrigin,
        /// The tables, such as `exec`.
        tables: Vec<String>,
    },
    /// A directory of the configuration, and rules of the policy.
    Directory {
        /// Its alias.
        alias: Alias,
        /// Whether naming the directory in a flag permits reading it: then it needs the rules only in a configuration.
        is_permitted_by_flag: bool,
        /// The rules.
        rules: Vec<TableRules>,
    },
    /// None: the template does not want the call, and no rule of the policy can allow what a template does not want.
    NotWanted {
        /// The template's id.
        template: String,
        /// What it wants, line by line.
        wants: Vec<String>,
    },
}

/// Rules that a table of the policy lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRules {
    /// The table as written, without brackets, such as `exec` or `principals.alice`.
    pub table: String,
    /// The rules.
    pub rules: Access,
}

/// An origin that is not configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingOrigin {
    /// By the alias that a script used.
    Named(Alias),
    /// By the base URL that a script used.
    At(String),
}

impl fmt::Display for Permission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Permission::Rules(rules) => write!(formatter, "add {} in policy.toml", additions(rules)),
            Permission::Origin { origin, tables } => {
                match origin {
                    MissingOrigin::Named(alias) => write!(
                        formatter,
                        "add a table [origins.{alias}] with its `base_url` to the configuration, and rules for `{alias}`"
                    )?,
                    MissingOrigin::At(base_url) => write!(
                        formatter,
                        "add a table [origins.NAME] with `base_url = \"{base_url}\"` to the configuration, and rules for \
                         NAME"
                    )?,
                }
                write!(formatter, " to http under {} in policy.toml", bracketed(tables.iter().map(String::as_str)))
            }
            Permission::Directory { alias, is_permitted_by_flag, rules } => {
                write!(
                    formatter,
                    "add --dir {alias}=PATH, or a line for `{alias}` under [directories] in the configuration"
                )?;
                let also = if *is_permitted_by_flag { " and" } else { "; and, with either," };
                if rules.is_empty() { Ok(()) } else { write!(formatter, "{also} {} in policy.toml", additions(rules)) }
            }
            Permission::NotWanted { template, wants } => {
                let listed: Vec<String> = wants.iter().take(LISTED_MAX).map(|line| format!("`{line}`")).collect();
                let listed = if listed.is_empty() { "nothing".to_owned() } else { listed.join(", ") };
                let more = wants.len().saturating_sub(LISTED_MAX);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                write!(
                    formatter,
                    "no line of the policy can allow this, because the template does not ask for it: `{template}` wants \
                     {listed}{more}"
                )
            }
        }
    }
}

/// Rules with their tables. Rules that all tables lack are named once.
fn additions(rules: &[TableRules]) -> String {
    match rules {
        [first, more @ ..] if more.iter().all(|other| other.rules == first.rules) => {
            let tables = bracketed(rules.iter().map(|rules| rules.table.as_str()));
            format!("{} under {tables}", first.rules.additions())
        }
        rules => {
            let each = rules.iter().map(|TableRules { table, rules }| format!("{} under [{table}]", rules.additions()));
            each.collect::<Vec<_>>().join(" and ")
        }
    }
}

/// Tables as they are written: `[exec] and [principals.alice]`.
fn bracketed<'a>(tables: impl Iterator<Item = &'a str>) -> String {
    tables.map(|table| format!("[{table}]")).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacking(table: &str, http: &[&str], read: &[&str]) -> TableRules {
        let rules = Access {
            http: http.iter().map(|line| line.parse().expect("a rule")).collect(),
            read: read.iter().map(|alias| alias.parse().expect("an alias")).collect(),
            ..Access::default()
        };
        TableRules { table: table.to_owned(), rules }
    }

    #[test]
    fn a_permission_is_said_with_its_lines_and_where_they_belong() {
        let get = || lacking("exec", &["shop: GET /v1"], &[]);
        let logs = |is_permitted_by_flag, rules| {
            let alias = "logs".parse().expect("an alias");
            Permission::Directory { alias, is_permitted_by_flag, rules }
        };
        let directory = "add --dir logs=PATH, or a line for `logs` under [directories] in the configuration";
        let origin = |origin| {
            let tables = vec!["exec".to_owned(), "principals.bob".to_owned()];
            Permission::Origin { origin, tables }
        };
        let wants = |count: usize| Permission::NotWanted {
            template: "shop/refund".to_owned(),
            wants: (0..count).map(|number| format!("shop: GET /{number}")).collect(),
        };
        let in_vain =
            "no line of the policy can allow this, because the template does not ask for it: `shop/refund` wants";
        for (permission, expected) in [
            (Permission::Rules(vec![get()]), "add \"shop: GET /v1\" to http under [exec] in policy.toml".to_owned()),
            (
                Permission::Rules(vec![get(), lacking("principals.bob", &["shop: GET /v1"], &[])]),
                "add \"shop: GET /v1\" to http under [exec] and [principals.bob] in policy.toml".to_owned(),
            ),
            (
                Permission::Rules(vec![get(), lacking("principals.bob", &["shop: GET /v1"], &["logs"])]),
                "add \"shop: GET /v1\" to http under [exec] and \"shop: GET /v1\" to http and \"logs\" to read under \
                 [principals.bob] in policy.toml"
                    .to_owned(),
            ),
            (
                origin(MissingOrigin::Named("jira".parse().expect("an alias"))),
                "add a table [origins.jira] with its `base_url` to the configuration, and rules for `jira` to http under \
                 [exec] and [principals.bob] in policy.toml"
                    .to_owned(),
            ),
            (
                origin(MissingOrigin::At("https://a.test:81".to_owned())),
                "add a table [origins.NAME] with `base_url = \"https://a.test:81\"` to the configuration, and rules for \
                 NAME to http under [exec] and [principals.bob] in policy.toml"
                    .to_owned(),
            ),
            (logs(true, Vec::new()), directory.to_owned()),
            (
                logs(true, vec![lacking("exec", &[], &["logs"])]),
                format!("{directory} and \"logs\" to read under [exec] in policy.toml"),
            ),
            (
                logs(false, vec![lacking("packs.shop", &[], &["logs"])]),
                format!("{directory}; and, with either, \"logs\" to read under [packs.shop] in policy.toml"),
            ),
            (wants(0), format!("{in_vain} nothing")),
            (
                wants(LISTED_MAX),
                format!("{in_vain} `shop: GET /0`, `shop: GET /1`, `shop: GET /2`, `shop: GET /3`"),
            ),
            (
                wants(LISTED_MAX + 1),
                format!("{in_vain} `shop: GET /0`, `shop: GET /1`, `shop: GET /2`, `shop: GET /3` and 1 more"),
            ),
        ] {
            assert_eq!(permission.to_string(), expected);
        }
    }
}
