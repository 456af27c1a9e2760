//! `tools list`: the servers and their tools, as last discovered. Starts nothing.

use std::fmt::Write as _;

use intentbox_capability::ServerId;
use intentbox_store::DiscoveryStatus;
use intentbox_tools::{Effect, FailureAction, ServerConfig, ServerState, ToolRow, Upstreams, categories};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};
use crate::show;

use super::{find, none_configured};

/// `begun` are servers that another process has begun to discover just now: their status says so.
pub(super) async fn run(
    upstreams: &Upstreams,
    server: Option<&str>,
    begun: &[ServerId],
) -> Result<Answer, CommandError> {
    let only = server.map(|server| find(upstreams, server)).transpose()?;
    let mut states = upstreams.states().await.class(Class::Unavailable)?;
    if let Some(only) = &only {
        states.retain(|id, _| id == only);
    }
    for id in begun {
        if let Some(state) = states.get_mut(id) {
            state.status = DiscoveryStatus::Discovering;
        }
    }
    let faults = upstreams.faults().iter().filter(|fault| fault.id.is_some() && only.is_none());
    let invalid: Vec<Value> = faults
        .map(|fault| {
            json!({
                "id": fault.id, "status": "invalid", "file": fault.file.display().to_string(),
                "error": {"message": fault.reason},
            })
        })
        .collect();
    if states.is_empty() && invalid.is_empty() {
        return Ok(none_configured().with("servers", Vec::<Value>::new()).with("tools", Vec::<Value>::new()));
    }
    let changed = upstreams.kept().changed_names().await.class(Class::Unavailable)?;
    let now_ms = upstreams.kept().now_unix_ms();
    let (mut text, mut servers, mut tools) = (String::new(), invalid, Vec::new());
    for fault in &servers {
        let part = |value: &Value| show::line(value.as_str().unwrap_or_default());
        let (id, file, reason) = (part(&fault["id"]), part(&fault["file"]), part(&fault["error"]["message"]));
        let _ = writeln!(text, "{id}  INVALID in {file}: {reason}");
    }
    for (id, state) in &states {
        let Some(config) = upstreams.server(id.as_str()) else { continue };
        let is_approved = upstreams.is_approved(id.as_str());
        let _ = writeln!(text, "{id}  {}", status_line(config, state, is_approved, now_ms));
        servers.push(server_object(config, state, is_approved));
        for (row, category) in state.listing.tools.iter().zip(categories(&state.listing.tools)) {
            let is_new = changed.get(&(id.clone(), row.name.clone())).copied();
            let has_changed = is_new.is_some();
            let mark = change_mark(id, is_new);
            let _ = writeln!(text, "  {}({}){}{mark}", row.name, arguments(row), effect_mark(row.effect));
            let is_available = can_be_called(config, state, is_approved);
            let object = tool_object(id.as_str(), row, has_changed, is_available && !has_changed);
            tools.push(with_category(object, category));
        }
        for rejected in &state.listing.rejected {
            let _ = writeln!(text, "  {:?} left out: {}", rejected.name, rejected.reason);
        }
    }
    Ok(Answer::new(text).with("servers", servers).with("tools", tools))
}

/// How many servers a model is told of, and how many tools of each.
const LINES_MAX: usize = 16;
const NAMED_MAX: usize = 3;

/// How a server is doing, in one line.
pub(crate) fn status_line(config: &ServerConfig, state: &ServerState, is_approved: bool, now_ms: i64) -> String {
    let id = &config.id;
    if !config.is_enabled {
        return "disabled".to_owned();
    }
    if !is_approved {
        let file = config.file.display();
        let changed = if state.is_outdated { ", and it has changed since its tools were listed" } else { "" };
        return format!("NOT APPROVED: {file} configures it{changed}; run `intentbox tools trust {id}`");
    }
    let listed = show::count(state.listing.tools.len(), "tool");
    let left_out = match state.listing.rejected.len() {
        0 => String::new(),
        count => format!(", {count} left out"),
    };
    let outdated = if state.is_outdated { "; its configuration has changed since, run `tools refresh`" } else { "" };
    match (state.status, &state.failure) {
        (DiscoveryStatus::Never, _) => format!("never discovered; run `intentbox tools refresh {id}`"),
        (DiscoveryStatus::Discovering, _) => "discovering".to_owned(),
        (DiscoveryStatus::Success, _) => {
            format!("{listed}{left_out}, listed {} ago{outdated}", ago(now_ms.saturating_sub(state.discovered_ms)))
        }
        (status, failure) => {
            let word = if status == DiscoveryStatus::Timeout { "TIMED OUT" } else { "FAILED" };
            let why = failure.as_ref().map_or("it failed", |failure| failure.message.as_str());
            let action = match failure.as_ref().map(|failure| &failure.action) {
                Some(FailureAction::User { what }) => what.clone(),
                Some(FailureAction::GiveUp) => "this server cannot be used as it is".to_owned(),
                _ => format!("run `intentbox tools refresh {id}`"),
            };
            let kept = if state.discovered_ms > 0 { format!("; {listed} from before") } else { String::new() };
            format!("{word}: {why}{kept}; {action}")
        }
    }
}

/// A line for each server that can be called, for a model: its name and some of its tools.
pub(crate) async fn lines(upstreams: &Upstreams) -> Result<Vec<String>, CommandError> {
    let states = upstreams.states().await.class(Class::Unavailable)?;
    let line = |(id, state): (&ServerId, &ServerState)| {
        let names: Vec<&str> = state.listing.tools.iter().take(NAMED_MAX).map(|row| row.name.as_str()).collect();
        let more = if state.listing.tools.len() > names.len() { ", …" } else { "" };
        format!("- {id}: {} ({}{more})", show::count(state.listing.tools.len(), "tool"), names.join(", "))
    };
    let can_be_called = |(id, state): &(&ServerId, &ServerState)| {
        let is_enabled = upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled);
        is_enabled && upstreams.is_approved(id.as_str()) && !state.listing.tools.is_empty()
    };
    Ok(states.iter().filter(can_be_called).take(LINES_MAX).map(line).collect())
}

pub(super) fn server_object(config: &ServerConfig, state: &ServerState, is_approved: bool) -> Value {
    let time = |unix_ms: i64| match unix_ms {
        0 => Value::Null,
        unix_ms => {
            Timestamp::from_second(unix_ms.div_euclid(1_000)).map_or(Value::Null, |time| time.to_string().into())
        }
    };
    json!({
        "id": config.id.as_str(),
        "status": state.status.as_str(),
        "enabled": config.is_enabled,
        "approved": is_approved,
        "outdated": state.is_outdated,
        "tools": state.listing.tools.len(),
        "rejected": state.listing.rejected,
        "last_discovered": time(state.discovered_ms),
        "status_since": time(state.changed_ms),
        "error": state.failure.as_ref().map(|failure| json!({
            "message": failure.message, "stderr": failure.stderr, "action": failure.action,
        })),
        "server_name": state.listing.server_name,
        "server_version": state.listing.server_version,
        "protocol": state.listing.protocol,
        "command": config.told.shown(),
        "file": config.file.display().to_string(),
    })
}

/// Whether the tools of a server can be called that have not changed.
pub(super) fn can_be_called(config: &ServerConfig, state: &ServerState, is_approved: bool) -> bool {
    config.is_enabled && is_approved && state.status == DiscoveryStatus::Success
}

/// What is said behind a tool that waits for a person, and whether it is new then.
pub(super) fn change_mark(id: &ServerId, is_new: Option<bool>) -> String {
    match is_new {
        None => String::new(),
        Some(true) => format!("  NEW: run `intentbox tools diff {id}`"),
        Some(false) => format!("  CHANGED: run `intentbox tools diff {id}`"),
    }
}

pub(super) fn tool_object(server: &str, row: &ToolRow, has_changed: bool, is_available: bool) -> Value {
    json!({
        "kind": "tool",
        "server": server,
        "name": row.name,
        "summary": row.summary,
        "effect": row.effect,
        "idempotent": row.is_idempotent,
        "arguments": row.arguments,
        "required": row.required,
        "complexity": row.complexity,
        "declares_result": row.has_output_schema,
        "changed": has_changed,
        "available": is_available,
    })
}

/// The same with what the tool is about among those of its server.
pub(super) fn with_category(mut tool: Value, category: String) -> Value {
    tool["category"] = category.into();
    tool
}

/// The arguments of a tool: those that are not required have a question mark.
pub(super) fn arguments(row: &ToolRow) -> String {
    let required = usize::try_from(row.required).unwrap_or(usize::MAX);
    let shown = |(number, name): (usize, &String)| {
        if number < required { name.clone() } else { format!("{name}?") }
    };
    row.arguments.iter().enumerate().map(shown).collect::<Vec<_>>().join(", ")
}

/// What a tool may change, if it may.
pub(super) fn effect_mark(effect: Effect) -> &'static str {
    match effect {
        Effect::Reads => "",
        Effect::Adds => "  adds",
        Effect::Writes => "  writes",
        Effect::Unknown => "  may write",
    }
}

/// A time span in the unit that says most.
fn ago(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_said_in_the_unit_that_says_most() {
        let spans = [(-1, "0 s"), (119_999, "119 s"), (120_000, "2 min"), (7_200_000, "2 h"), (172_800_000, "2 days")];
        for (ms, expected) in spans {
            assert_eq!(ago(ms), expected, "{ms}");
        }
    }

    #[test]
    fn arguments_that_are_not_required_are_marked() {
        let text = r#"{"name":"log","inputSchema":{"properties":{"max":{},"repo":{}},"required":["repo"]}}"#;
        let row = intentbox_tools::admit(text).expect("a tool").row;
        assert_eq!(arguments(&row), "repo, max?");
    }
}
