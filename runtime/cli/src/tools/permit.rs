//! The line of the policy that lets scripts and intents call the tools of a server: written when a server is added or trusted.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use intentbox_capability::{ServerId, ToolRule};
use intentbox_engine::Policy;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::arguments::{Allow, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::{input, setup};

use super::edit::write;

/// The largest policy that is read, in bytes.
const POLICY_BYTES_MAX: u64 = 1 << 20;

/// What is said where a policy is made beside no configuration.
pub(super) const ENDS_THE_DEMO: &str =
    "the demo answers no more once there is a policy; `intentbox init` adds a configuration for data of your own";

/// What a new policy begins with.
const HEAD: &str =
    "# What scripts and intents may access. `intentbox policy explain` says what a line allows.\n\n[exec]\n";

/// The lines that would be added, before they are.
#[derive(Debug)]
pub(super) struct Permit {
    path: PathBuf,
    before: Option<String>,
    after: String,
    /// The rules that are new.
    pub(super) rules: Vec<String>,
}

impl Permit {
    /// What would be written for these servers; nothing where the policy names each of them already.
    pub(super) fn of(sources: &Sources, servers: &[ServerId], allow: Allow) -> Result<Option<Self>, CommandError> {
        let what = match allow {
            Allow::ReadOnly => "read-only",
            Allow::All => "*",
            Allow::None => return Ok(None),
        };
        let Some(path) = sources.policy.clone().or_else(|| setup::policy_beside(sources)) else { return Ok(None) };
        let before = text(&path)?;
        let edited = permitted(before.as_deref(), servers, what);
        let edited = edited.with_context(|| path.display().to_string()).class(Class::Configuration);
        let edited = edited.hint("write the rule under [exec] by hand, such as `tools = [\"git: read-only\"]`")?;
        if let Some((after, _)) = &edited {
            // An invalid policy is for its author to mend.
            let checked = Policy::parse(after).with_context(|| path.display().to_string());
            checked.class(Class::Configuration).hint("correct the policy first")?;
        }
        Ok(edited.map(|(after, rules)| Self { path, before, after, rules }))
    }

    /// The line as it would stand in the policy, for a person.
    pub(super) fn told(&self) -> String {
        let rules: Vec<String> = self.rules.iter().map(|rule| format!("{rule:?}")).collect();
        format!("{}: tools = [{}] under [exec]", self.path.display(), rules.join(", "))
    }

    /// Whether the demo answered so far, and does not any more.
    pub(super) fn ends_the_demo(&self, sources: &Sources) -> bool {
        let configuration = setup::configuration_file(sources.config.as_deref());
        self.before.is_none() && sources.policy.is_none() && configuration.is_some_and(|file| !file.exists())
    }

    /// Writes it.
    pub(super) fn write(&self) -> Result<(), CommandError> {
        write(&self.path, self.before.as_deref(), &self.after)
    }
}

/// The rules of the policy that name some servers, in any of its tables.
#[derive(Debug)]
pub(super) struct Rules {
    /// The policy.
    pub(super) path: String,
    pub(super) rules: Vec<String>,
}

impl Rules {
    pub(super) fn in_force(sources: &Sources, servers: &[ServerId]) -> Result<Self, CommandError> {
        let path = sources.policy.clone().or_else(|| setup::policy_beside(sources)).unwrap_or_default();
        let before = text(&path)?.unwrap_or_default();
        // An invalid policy allows nothing, and every command that needs it says so.
        let document: DocumentMut = before.parse().unwrap_or_default();
        let mut rules = Vec::new();
        collect(document.as_table(), servers, &mut rules);
        Ok(Self { path: path.display().to_string(), rules })
    }
}

/// The rules under `tools` in a table and in those within it.
fn collect(table: &Table, servers: &[ServerId], rules: &mut Vec<String>) {
    for (key, item) in table {
        if let Some(inner) = item.as_table() {
            collect(inner, servers, rules);
        }
        if let Some(tools) = item.as_array().filter(|_| key == "tools") {
            let named = tools
                .iter()
                .filter_map(Value::as_str)
                .filter(|rule| rule.parse::<ToolRule>().is_ok_and(|rule| servers.contains(rule.server())));
            rules.extend(named.map(str::to_owned));
        }
    }
}

fn text(path: &Path) -> Result<Option<String>, CommandError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        _ => {
            let bytes = input::read_regular(path, POLICY_BYTES_MAX).class(Class::Configuration)?;
            if bytes.len() as u64 > POLICY_BYTES_MAX {
                let told = format!("{} has more than {POLICY_BYTES_MAX} bytes", path.display());
                return Err(Class::Configuration.error(told));
            }
            let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", path.display()));
            text.map(Some).class(Class::Configuration)
        }
    }
}

/// The policy with a rule for each of these servers that it names nowhere in `tools` of `[exec]`, and the new rules. Comments and
/// all else stay as they are.
fn permitted(before: Option<&str>, servers: &[ServerId], what: &str) -> anyhow::Result<Option<(String, Vec<String>)>> {
    let mut document: DocumentMut = before.unwrap_or(HEAD).parse()?;
    let exec = document.entry("exec").or_insert_with(|| Item::Table(Table::new()));
    let exec = exec.as_table_mut().context("[exec] is not a table")?;
    let tools = exec.entry("tools").or_insert_with(|| Item::Value(Value::Array(Array::new())));
    let tools = tools.as_array_mut().context("`tools` under [exec] is not a list")?;
    let named: Vec<ServerId> =
        tools.iter().filter_map(|value| Some(value.as_str()?.parse::<ToolRule>().ok()?.server().clone())).collect();
    let rules: Vec<String> =
        servers.iter().filter(|server| !named.contains(server)).map(|server| format!("{server}: {what}")).collect();
    if rules.is_empty() {
        return Ok(None);
    }
    tools.extend(rules.iter().map(String::as_str));
    Ok(Some((document.to_string(), rules)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(before: Option<&str>, servers: &[&str]) -> Option<(String, Vec<String>)> {
        let servers: Vec<ServerId> = servers.iter().map(|server| server.parse().expect("an id")).collect();
        permitted(before, &servers, "read-only").expect("a policy")
    }

    #[test]
    fn a_rule_is_added_and_all_else_stays() {
        let (text, rules) = edited(None, &["git", "time"]).expect("a change");
        assert_eq!(text, format!("{HEAD}tools = [\"git: read-only\", \"time: read-only\"]\n"));
        assert_eq!(rules, ["git: read-only", "time: read-only"]);
        assert_eq!(edited(Some(&text), &["git", "time"]), None, "what is named already stays as it is");
        let before = "# mine\n[packs.logs]\nread = [\"logs\"] # all\n\n[exec]\nhttp = []\ntools = [\"git: git_log\"]\n[principals.a]\n";
        let (text, rules) = edited(Some(before), &["git", "a-b"]).expect("a change");
        assert_eq!(text, before.replace("[\"git: git_log\"]", "[\"git: git_log\", \"a-b: read-only\"]"));
        assert_eq!(rules, ["a-b: read-only"]);
    }

    #[test]
    fn rules_of_every_table_are_found() {
        let text = "[exec]\ntools = [\"git: *\", \"time: read-only\"]\n[principals.a]\ntools = [\"git: git_log\"]\nhttp = []\n";
        let document: DocumentMut = text.parse().expect("TOML");
        let mut rules = Vec::new();
        collect(document.as_table(), &["git".parse().expect("an id")], &mut rules);
        assert_eq!(rules, ["git: *", "git: git_log"]);
    }

    #[test]
    fn what_is_no_policy_is_left_alone() {
        let git = ["git".parse().expect("an id")];
        for text in ["[exec", "exec = 5", "[exec]\ntools = 5"] {
            assert!(permitted(Some(text), &git, "*").is_err(), "{text}");
        }
    }
}
