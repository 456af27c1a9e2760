//! `tools diff` and `tools approve`: definitions that are not what was approved.

use std::fmt::Write as _;

use intentbox_catalog::json::parse_value;
use intentbox_store::DefinitionRecord;
use intentbox_tools::Upstreams;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};
use crate::show;

use super::find;
use super::trust::confirmed;

pub(super) async fn diff(upstreams: &Upstreams, server: &str, tool: Option<&str>) -> Result<Answer, CommandError> {
    let id = find(upstreams, server)?;
    let changed = changed(upstreams, id.as_str(), tool).await?;
    if changed.is_empty() {
        let text = format!("every tool of `{id}` is as it was approved\n");
        return Ok(Answer::new(text).with("changed", Vec::<Value>::new()));
    }
    let mut text = differences(id.as_str(), &changed);
    let rows: Vec<Value> = changed.iter().map(row).collect();
    let _ = writeln!(text, "approve with `intentbox tools approve {id}`");
    Ok(Answer::new(text).with("changed", rows))
}

/// How definitions differ from the approved ones, as lines with signs.
fn differences(server: &str, changed: &[DefinitionRecord]) -> String {
    let mut text = String::new();
    for record in changed {
        let _ = writeln!(text, "{server} {}", record.name);
        let (approved, now) = (pretty(&record.approved), pretty(&record.definition));
        let difference = TextDiff::from_lines(&approved, &now);
        for hunk in difference.unified_diff().context_radius(2).iter_hunks() {
            for change in hunk.iter_changes() {
                let sign = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                let _ = writeln!(text, "  {sign} {}", show::line(change.value().trim_end_matches('\n')));
            }
        }
    }
    text
}

fn row(record: &DefinitionRecord) -> Value {
    json!({
        "tool": record.name,
        "approved": parse_value(&record.approved).unwrap_or_default(),
        "now": parse_value(&record.definition).unwrap_or_default(),
        "approved_hash": record.approved_hash,
        "hash": record.hash,
    })
}

/// Shows what has changed, and approves that: a definition that changes meanwhile is not what was shown, and stays blocked.
pub(super) async fn approve(
    upstreams: &Upstreams,
    server: &str,
    tools: &[String],
    yes: bool,
) -> Result<Answer, CommandError> {
    let id = find(upstreams, server)?;
    let mut seen = Vec::new();
    if tools.is_empty() {
        seen = changed(upstreams, id.as_str(), None).await?;
    }
    for tool in tools {
        seen.extend(changed(upstreams, id.as_str(), Some(tool)).await?);
    }
    if !seen.is_empty() {
        show::notice(differences(id.as_str(), &seen).trim_end());
        if !yes && !confirmed(seen.len()).await? {
            return Err(Class::Usage.error("nothing was approved"));
        }
    }
    let hashes: Vec<(String, String)> = seen.iter().map(|record| (record.name.clone(), record.hash.clone())).collect();
    let approved = upstreams.kept().approve(id.as_str(), &hashes).await.class(Class::Unavailable)?;
    let names: Vec<&str> = hashes.iter().map(|(name, _)| name.as_str()).collect();
    if approved < hashes.len() as u64 {
        let told = format!(
            "{approved} of {} were approved: the definitions of the others have changed since they were shown",
            hashes.len()
        );
        return Err(Class::Usage
            .error(told)
            .hint(format!("run `intentbox tools approve {id}` again, and read what it shows")));
    }
    let text = if names.is_empty() {
        format!("no tool of `{id}` had to be approved\n")
    } else {
        format!("approved {}\n", names.join(", "))
    };
    Ok(Answer::new(text).with("approved", names))
}

/// The definitions that are not what was approved: of one tool, or of all.
async fn changed(
    upstreams: &Upstreams,
    server: &str,
    tool: Option<&str>,
) -> Result<Vec<DefinitionRecord>, CommandError> {
    let mut changed = upstreams.kept().changed(server).await.class(Class::Unavailable)?;
    let Some(tool) = tool else { return Ok(changed) };
    changed.retain(|record| record.name == tool);
    let known = upstreams.kept().definition(server, tool).await.class(Class::Unavailable)?;
    if known.is_none_or(|record| !record.is_listed) {
        let error = Class::Usage.error(format!("the server `{server}` has no tool `{tool}`"));
        return Err(error.hint(format!("run `intentbox tools list {server}`")));
    }
    Ok(changed)
}

fn pretty(definition: &str) -> String {
    parse_value(definition).map_or_else(|_| definition.to_owned(), |value| format!("{value:#}"))
}
