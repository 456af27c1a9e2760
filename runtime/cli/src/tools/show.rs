//! `tools show`: a server, or one of its tools with its schemas.

use std::fmt::Write as _;

use intentbox_capability::ServerId;
use intentbox_catalog::json::parse_value;
use intentbox_catalog::terminal::printable;
use intentbox_engine::tool_stub;
use intentbox_tools::{Seen, Upstreams, admit, categories};
use serde_json::Value;

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};

use super::find;
use super::list::{
    arguments, can_be_called, change_mark, effect_mark, server_object, status_line, tool_object, with_category,
};

pub(super) async fn run(
    upstreams: &Upstreams,
    server: &str,
    tool: Option<&str>,
    stub: bool,
) -> Result<Answer, CommandError> {
    let id = find(upstreams, server)?;
    if stub {
        return stubs(upstreams, &id, tool).await;
    }
    let state = upstreams.state(&id).await.class(Class::Unavailable)?;
    let (Some(config), Some(state)) = (upstreams.server(server), state) else {
        return Err(Class::Internal.error(format!("the server `{server}` has gone")));
    };
    let is_approved = upstreams.is_approved(server);
    let is_available = can_be_called(config, &state, is_approved);
    let Some(tool) = tool else {
        let now_ms = upstreams.kept().now_unix_ms();
        let mut text = String::new();
        let _ = writeln!(text, "{id}  {}", status_line(config, &state, is_approved, now_ms));
        let _ = writeln!(text, "command    {}", config.told.shown());
        let _ = writeln!(text, "file       {}", config.file.display());
        if !state.listing.server_name.is_empty() {
            let (name, version) = (&state.listing.server_name, &state.listing.server_version);
            let _ = writeln!(text, "calls itself  {name} {version}, speaks {}", state.listing.protocol);
        }
        if let Some(failure) = state.failure.as_ref().filter(|failure| !failure.stderr.is_empty()) {
            let _ = writeln!(text, "stderr\n{}", indented(&failure.stderr));
        }
        let changed = upstreams.kept().changed_names().await.class(Class::Unavailable)?;
        let mut tools = Vec::new();
        for (row, category) in state.listing.tools.iter().zip(categories(&state.listing.tools)) {
            let is_new = changed.get(&(id.clone(), row.name.clone())).copied();
            let mark = change_mark(&id, is_new);
            let _ = writeln!(text, "\n{}({}){}{mark}", row.name, arguments(row), effect_mark(row.effect));
            let _ = writeln!(text, "  {}", row.summary);
            let object = tool_object(id.as_str(), row, is_new.is_some(), is_available && is_new.is_none());
            tools.push(with_category(object, category));
        }
        return Ok(Answer::new(text).with("server", server_object(config, &state, is_approved)).with("tools", tools));
    };
    let record = upstreams.kept().definition(id.as_str(), tool).await.class(Class::Unavailable)?;
    let Some(record) = record.filter(|record| record.is_listed) else {
        let error = Class::Usage.error(format!("the server `{id}` has no tool `{tool}`"));
        let names: Vec<&str> = state.listing.tools.iter().map(|row| row.name.as_str()).collect();
        let meant = intentbox_catalog::closest(tool, names);
        return Err(match meant {
            Some(meant) => error.hint(format!("did you mean `{meant}`?")),
            None => error.hint(format!("run `intentbox tools list {id}`")),
        });
    };
    let row = admit(&record.definition).map(|definition| definition.row);
    let row = row.map_err(|rejected| Class::Internal.error(rejected.reason))?;
    let definition = parse_value(&record.definition).class(Class::Internal)?;
    let described = definition.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("{}({}){}\n", row.name, arguments(&row), effect_mark(row.effect));
    let has_changed = record.hash != record.approved_hash;
    if has_changed {
        let how = if record.approved_hash.is_empty() {
            "NEW since its server was approved"
        } else {
            "CHANGED since it was approved"
        };
        let _ = writeln!(text, "{how}: run `intentbox tools diff {id} {tool}`");
    }
    if !described.trim().is_empty() {
        let _ = writeln!(text, "\nIts server says (a stranger's text):\n{}", indented(described.trim()));
    }
    for (field, title) in [("inputSchema", "arguments"), ("outputSchema", "result")] {
        if let Some(schema) = definition.get(field) {
            let _ = writeln!(text, "\n{title}\n{}", indented(&format!("{schema:#}")));
        }
    }
    let seen = upstreams.seen(id.as_str(), tool, &record.hash).await.class(Class::Unavailable)?;
    if let Some(seen) = &seen {
        let form = if seen.is_text { "JSON as text" } else { "structured" };
        let _ = writeln!(text, "\nanswers so far, {form}\n{}", indented(&format!("{:#}", seen.schema())));
    }
    let answer = Answer::new(text).with("seen", seen.as_ref().map(Seen::schema));
    let answer = answer.with("tool", tool_object(id.as_str(), &row, has_changed, is_available && !has_changed));
    Ok(answer.with("definition", definition).with("hash", record.hash))
}

/// The signatures of a server's tools, or of one, for whoever writes a script.
async fn stubs(upstreams: &Upstreams, id: &ServerId, tool: Option<&str>) -> Result<Answer, CommandError> {
    let state = upstreams.state(id).await.class(Class::Unavailable)?;
    let names: Vec<String> = match tool {
        Some(tool) => vec![tool.to_owned()],
        None => state.map(|state| state.listing.tools.iter().map(|row| row.name.clone()).collect()).unwrap_or_default(),
    };
    let mut lines = Vec::new();
    for name in &names {
        let record = upstreams.kept().definition(id.as_str(), name).await.class(Class::Unavailable)?;
        let Some(record) = record.filter(|record| record.is_listed) else {
            return Err(Class::Usage.error(format!("the server `{id}` has no tool `{name}`")));
        };
        let definition = parse_value(&record.definition).class(Class::Internal)?;
        let seen = upstreams.seen(id.as_str(), name, &record.hash).await.class(Class::Unavailable)?;
        lines.push(printable(&tool_stub(id.as_str(), name, &definition, seen.as_ref())));
    }
    let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    Ok(Answer::new(text).with("stubs", lines))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
