//! `tools call`: calls one tool by hand.

use std::sync::Arc;

use anyhow::Context as _;
use intentbox_capability::{AllowedTool, ToolEffect, ToolRule, Tools};
use intentbox_catalog::json::parse_value;
use intentbox_engine::{Cause, Failure, Remedy, Report, ToolAdvice, new_run_id, tool_failure};
use intentbox_tools::{Effect, ProgressSink, ServerCall, ToolError, Upstreams};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer::Ending;
use crate::error::{Class, Classify as _, CommandError};
use crate::{input, show};

use super::find;

/// The most bytes of arguments: what is sent in one message.
const INPUT_BYTES_MAX: u64 = 8 << 20;

pub(super) async fn run(
    upstreams: &Upstreams,
    server: &str,
    tool: &str,
    arguments: &[(String, String)],
    given: Option<&str>,
) -> Result<Ending, CommandError> {
    let id = find(upstreams, server)?;
    // Whoever types the call allows it: a rule for this tool, and no other.
    let rule = format!("{id}: {tool}").parse::<ToolRule>();
    let rule = rule.with_context(|| format!("`{tool}` is no name of a tool")).class(Class::Usage)?;
    let allowed = Tools::of([rule]).admit(id.as_str(), tool, ToolEffect::MayChange).class(Class::Internal)?;
    let called = match arguments_of(upstreams, &allowed, arguments, given).await {
        Ok(Ok(arguments)) => {
            let call = ServerCall { progress: Some(progress()), ..ServerCall::of(arguments) };
            tokio::select! {
                called = upstreams.call(&allowed, call) => called,
                // The server hears of it, and what it has done by then nobody knows.
                _ = tokio::signal::ctrl_c() => {
                    let effect = upstreams.effect(id.as_str(), tool).await.unwrap_or(Effect::Unknown);
                    upstreams.close().await;
                    let failure = interrupted(tool, effect);
                    return Ok(Ending::ToolCall(Box::new(Report::failed(new_run_id(), failure))));
                }
            }
        }
        Ok(Err(error)) => Err(error),
        Err(error) => {
            upstreams.close().await;
            return Err(error);
        }
    };
    upstreams.close().await;
    let run_id = new_run_id();
    let report = match called {
        Ok(reply) => {
            let text = reply.text();
            let value = reply.structured.unwrap_or(Value::String(text));
            let result = RawValue::from_string(value.to_string()).class(Class::Internal)?;
            Report { result: Some(result), ..Report::new(run_id) }
        }
        Err(error) => Report::failed(run_id, tool_failure(&error)),
    };
    Ok(Ending::ToolCall(Box::new(report)))
}

/// Why a call has no result that a person has stopped waiting for.
fn interrupted(tool: &str, effect: Effect) -> Failure {
    if effect == Effect::Reads {
        return Failure::new(Cause::Cancelled, "the call was interrupted");
    }
    let told = format!("the call was interrupted; whether `{tool}` has had its effect is unknown");
    Failure::new(Cause::UnknownOutcome, told).with(Remedy::Tool(ToolAdvice::CheckEffect { tool: tool.to_owned() }))
}

/// Prints the progress of a call.
fn progress() -> ProgressSink {
    Arc::new(|done, total, text| {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let text = text.map(|text| format!(": {text}")).unwrap_or_default();
        show::notice(&show::line(&format!("{done}{of}{text}")));
    })
}

/// The arguments as typed. Words are read by the tool's schema, for which the server may have to be reached.
async fn arguments_of(
    upstreams: &Upstreams,
    allowed: &AllowedTool,
    arguments: &[(String, String)],
    given: Option<&str>,
) -> Result<Result<Map<String, Value>, ToolError>, CommandError> {
    if let Some(given) = given {
        return from_json(given).map(Ok);
    }
    match upstreams.definition(allowed).await {
        Ok(definition) => from_words(arguments, &definition["inputSchema"]).map(Ok),
        Err(error) => Ok(Err(error)),
    }
}

fn from_json(given: &str) -> Result<Map<String, Value>, CommandError> {
    let text = match given {
        "-" => {
            let bytes = input::read("-".as_ref(), INPUT_BYTES_MAX).class(Class::Usage)?;
            String::from_utf8(bytes).context("the arguments are not UTF-8 text").class(Class::Usage)?
        }
        given => given.to_owned(),
    };
    match parse_value(&text).context("--input").class(Class::Usage)? {
        Value::Object(arguments) => Ok(arguments),
        _ => Err(Class::Usage.error("--input: the arguments are one JSON object")),
    }
}

/// Values as they were typed: text where the schema wants text, otherwise JSON if it is JSON.
fn from_words(arguments: &[(String, String)], schema: &Value) -> Result<Map<String, Value>, CommandError> {
    let mut values = Map::new();
    for (name, text) in arguments {
        let takes_text = takes_text(schema, &schema["properties"][name.as_str()], NESTED_MAX);
        let value = match parse_value(text) {
            Ok(value) if !takes_text => value,
            _ => Value::String(text.clone()),
        };
        if values.insert(name.clone(), value).is_some() {
            let error = Class::Usage.error(format!("the argument `{name}` is given twice"));
            return Err(error.hint("give a list as JSON, such as `names=[\"a\",\"b\"]`"));
        }
    }
    Ok(values)
}

/// How deep a schema is looked into for whether it takes text.
const NESTED_MAX: u32 = 8;

/// Whether a schema says that it takes text: by its type, by one of its values, or by one of those that it is made of.
fn takes_text(root: &Value, schema: &Value, deep: u32) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return false };
    let is_text = |kind: &Value| kind == "string";
    let kinds = &schema["type"];
    if !kinds.is_null() {
        return is_text(kinds) || kinds.as_array().is_some_and(|kinds| kinds.iter().any(is_text));
    }
    let within = |one: &Value| takes_text(root, one, deep);
    let pointer = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    let mut parts = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    schema["const"].is_string()
        || schema["enum"].as_array().is_some_and(|values| values.iter().any(Value::is_string))
        || pointer.and_then(|pointer| root.pointer(pointer)).is_some_and(within)
        || parts.any(within)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_what_the_schema_wants() {
        let schema = json!({"properties": {"text": {"type": "string"}, "n": {"type": "integer"},
            "either": {"type": ["string", "null"]}, "any": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "one": {"enum": ["1", "2"]}, "named": {"$ref": "#/$defs/day"}, "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
            "$defs": {"day": {"type": "string"}}});
        let typed = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            from_words(&pairs, &schema).map(Value::Object).map_err(|error| error.message())
        };
        let values = typed(&[
            ("text", "5"),
            ("n", "5"),
            ("either", "null"),
            ("list", "[1]"),
            ("free", "a b"),
            ("any", "5"),
            ("one", "1"),
            ("named", "20240101"),
            ("count", "5"),
        ]);
        let expected = json!({"text": "5", "n": 5, "either": "null", "list": [1], "free": "a b", "any": "5", "one": "1",
            "named": "20240101", "count": 5});
        assert_eq!(values, Ok(expected));
        assert_eq!(typed(&[("n", "1"), ("n", "2")]), Err("the argument `n` is given twice".to_owned()));
    }
}
