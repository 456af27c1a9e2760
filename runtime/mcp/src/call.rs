//! The arguments of a call, from JSON that anybody may have written.

use std::collections::BTreeMap;

use rmcp::model::{CallToolRequestParams, JsonObject};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The most limits that one call may set. There are twelve.
const LIMITS_MAX: usize = 32;

/// The longest arguments of an intent, in bytes of JSON. Values for a template are short.
const INTENT_BYTES_MAX: usize = 64 << 10;

/// How much of a wrong value an error repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// A call of one of the tools.
#[derive(Debug)]
pub(crate) enum Call {
    Execute(Execute),
    Intent(RunIntent),
    Read(ReadResult),
}

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Execute {
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) params: JsonObject,
    pub(crate) intent: Option<String>,
    #[serde(default, deserialize_with = "whole_numbers")]
    pub(crate) limits: BTreeMap<String, u64>,
}

/// The arguments of `run_intent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunIntent {
    pub(crate) intent: String,
    #[serde(default)]
    pub(crate) params: JsonObject,
    /// The arguments as text.
    #[serde(skip)]
    pub(crate) text: String,
}

/// The arguments of `read_result`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadResult {
    pub(crate) handle: String,
    #[serde(default, deserialize_with = "whole_number")]
    pub(crate) offset: u64,
}

fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    // Models write numbers as texts, and whole ones with a point.
    let number = match &value {
        Value::Null => Some(0),
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_u64().or_else(|| number.to_string().strip_suffix(".0")?.parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| D::Error::custom(format!("`offset` must be a whole number, and is {}", shown(&value))))
}

fn whole_numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, u64>, D::Error> {
    let values = JsonObject::deserialize(deserializer)?;
    let number = |(name, value): (String, Value)| match value.as_u64() {
        Some(number) => Ok((name, number)),
        None => Err(D::Error::custom(format!(
            "the limit `{}` must be a whole number, such as 5000, and is {}",
            name.chars().take(SHOWN_CHARS_MAX).collect::<String>(),
            shown(&value)
        ))),
    };
    values.into_iter().map(number).collect()
}

/// A value, as far as it helps to recognise it.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(SHOWN_CHARS_MAX).collect()
}

/// Why a call is none.
#[derive(Debug)]
pub(crate) enum CallError {
    /// There is no tool of this name. The protocol has an error of its own for that.
    UnknownTool,
    /// The arguments are not the tool's. A model can read what is wrong and try again.
    Arguments {
        /// What is wrong.
        message: String,
        /// What would do.
        hint: &'static str,
    },
}

impl Call {
    /// Reads a call. The arguments are taken out of the request: a large tree of values is not to wait for a run's end.
    ///
    /// # Errors
    /// When it is no call of these tools.
    pub(crate) fn parse(params: &mut CallToolRequestParams) -> Result<Self, CallError> {
        let arguments = Value::Object(params.arguments.take().unwrap_or_default());
        let wrong = |error: serde_json::Error| {
            let hint = match &*params.name {
                "execute_code" => "send {\"code\": \"result = 1 + 1\"}; `params`, `intent` and `limits` are optional",
                "run_intent" => "send {\"intent\": \"list errors\"}; `params` is optional",
                _ => "send {\"handle\": \"…\", \"offset\": 0} with the handle of an earlier answer",
            };
            CallError::Arguments { message: format!("{error}"), hint }
        };
        match &*params.name {
            "execute_code" => {
                let execute: Execute = serde_json::from_value(arguments).map_err(wrong)?;
                if execute.limits.len() > LIMITS_MAX {
                    let message = format!("{} limits; at most {LIMITS_MAX} can be set", execute.limits.len());
                    return Err(CallError::Arguments { message, hint: "set the ones that matter" });
                }
                Ok(Call::Execute(execute))
            }
            "run_intent" => {
                let text = arguments.to_string();
                if text.len() > INTENT_BYTES_MAX {
                    let message =
                        format!("the arguments have {} bytes; at most {INTENT_BYTES_MAX} are read", text.len());
                    return Err(CallError::Arguments { message, hint: "say it in a sentence, with few params" });
                }
                let run: RunIntent = serde_json::from_value(arguments).map_err(wrong)?;
                Ok(Call::Intent(RunIntent { text, ..run }))
            }
            "read_result" => serde_json::from_value(arguments).map(Call::Read).map_err(wrong),
            _ => Err(CallError::UnknownTool),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(name: &'static str, arguments: &Value) -> String {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        match Call::parse(&mut CallToolRequestParams::new(name).with_arguments(arguments)) {
            Ok(Call::Execute(execute)) => format!("execute {execute:?}"),
            Ok(Call::Intent(run)) => format!("intent {run:?}"),
            Ok(Call::Read(read)) => format!("read {read:?}"),
            Err(CallError::UnknownTool) => "unknown tool".to_owned(),
            Err(CallError::Arguments { message, .. }) => message,
        }
    }

    #[test]
    fn arguments_are_what_the_tool_declares_and_nothing_else() {
        for (name, arguments, expected) in [
            ("read_result", json!({"handle": "a", "offset": 7}), "read ReadResult { handle: \"a\", offset: 7 }"),
            ("read_result", json!({"handle": "a", "offset": "7"}), "read ReadResult { handle: \"a\", offset: 7 }"),
            ("read_result", json!({"handle": "a", "offset": 7.0}), "read ReadResult { handle: \"a\", offset: 7 }"),
            ("read_result", json!({"handle": "a", "offset": null}), "read ReadResult { handle: \"a\", offset: 0 }"),
            ("read_result", json!({"handle": "a", "offset": -1}), "`offset` must be a whole number, and is -1"),
            ("execute_code", json!({}), "missing field `code`"),
            (
                "execute_code",
                json!({"code": "1", "file": "/etc/passwd"}),
                "unknown field `file`, expected one of `code`, `params`, `intent`, `limits`",
            ),
            ("execute_code", json!({"code": "1", "params": [1]}), "invalid type: sequence, expected a map"),
            ("run_intent", json!({"intent": 5}), "invalid type: integer `5`, expected a string"),
            (
                "execute_code",
                json!({"code": "1", "limits": {"wall_ms": "5s"}}),
                "the limit `wall_ms` must be a whole number, such as 5000, and is \"5s\"",
            ),
            ("rm", json!({}), "unknown tool"),
        ] {
            assert_eq!(told(name, &arguments), expected);
        }
        let many: JsonObject = (0..=LIMITS_MAX).map(|index| (format!("limit{index}"), json!(1))).collect();
        assert_eq!(told("execute_code", &json!({"code": "1", "limits": many})), "33 limits; at most 32 can be set");
    }
}
