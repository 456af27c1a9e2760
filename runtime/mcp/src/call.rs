//! The arguments of a call, from JSON that anybody may have written.

use std::collections::BTreeMap;

use rmcp::model::{CallToolRequestParams, JsonObject};
use serde::Deserialize;
use serde_json::Value;

/// The most limits that one call may set. There are twelve.
const LIMITS_MAX: usize = 32;

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
    #[serde(default)]
    pub(crate) limits: BTreeMap<String, u64>,
}

/// The arguments of `run_intent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunIntent {
    pub(crate) intent: String,
    #[serde(default)]
    pub(crate) params: JsonObject,
}

/// The arguments of `read_result`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadResult {
    pub(crate) handle: String,
    #[serde(default)]
    pub(crate) offset: usize,
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
    /// Reads a call.
    ///
    /// # Errors
    /// When it is no call of these tools.
    pub(crate) fn parse(params: &CallToolRequestParams) -> Result<Self, CallError> {
        let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
        let wrong = |error: serde_json::Error| {
            let hint = match &*params.name {
                "execute_code" => "send {\"code\": \"result = 1 + 1\"}; `params`, `intent` and `limits` are optional",
                "run_intent" => "send {\"intent\": \"list errors\"}; `params` is optional",
                _ => "send {\"handle\": \"…\", \"offset\": 0} with the handle of an earlier answer",
            };
            CallError::Arguments { message: format!("the arguments of {}: {error}", params.name), hint }
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
            "run_intent" => serde_json::from_value(arguments).map(Call::Intent).map_err(wrong),
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
        match Call::parse(&CallToolRequestParams::new(name).with_arguments(arguments)) {
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
            (
                "read_result",
                json!({"handle": "a", "offset": -1}),
                "the arguments of read_result: invalid value: integer `-1`, expected usize",
            ),
            ("execute_code", json!({}), "the arguments of execute_code: missing field `code`"),
            (
                "execute_code",
                json!({"code": "1", "file": "/etc/passwd"}),
                "the arguments of execute_code: unknown field `file`, expected one of `code`, `params`, `intent`, `limits`",
            ),
            (
                "execute_code",
                json!({"code": "1", "params": [1]}),
                "the arguments of execute_code: invalid type: sequence, expected a map",
            ),
            (
                "run_intent",
                json!({"intent": 5}),
                "the arguments of run_intent: invalid type: integer `5`, expected a string",
            ),
            ("rm", json!({}), "unknown tool"),
        ] {
            assert_eq!(told(name, &arguments), expected);
        }
        let many: JsonObject = (0..=LIMITS_MAX).map(|index| (format!("limit{index}"), json!(1))).collect();
        assert_eq!(told("execute_code", &json!({"code": "1", "limits": many})), "33 limits; at most 32 can be set");
    }
}
