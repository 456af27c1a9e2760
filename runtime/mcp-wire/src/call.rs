//! The arguments of a tool call, parsed from untrusted JSON.

use std::collections::BTreeMap;
use std::fmt;

use intentbox_catalog::json;
use rmcp::model::JsonObject;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The most limits that one call may set. There are twelve.
const LIMITS_MAX: usize = 32;

/// The longest arguments of an intent, in bytes of JSON. Values for a template are short.
const INTENT_BYTES_MAX: usize = 64 << 10;

/// How much of a wrong value an error repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// A call of one of the tools.
#[derive(Debug)]
pub enum Call {
    /// `execute_code`.
    Execute(Execute),
    /// `run_intent`.
    Intent(RunIntent),
    /// `read_result`.
    Read(ReadResult),
}

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execute {
    /// The source of the script.
    pub code: String,
    /// The text of an object. Only the script parses it.
    #[serde(default, deserialize_with = "object_text")]
    pub params: Option<Box<RawValue>>,
    /// What the script is for, in words.
    pub intent: Option<String>,
    /// Limits of the run by their names, in the units of each. Whether there are such limits is not checked here.
    #[serde(default, deserialize_with = "limits")]
    pub limits: BTreeMap<String, u64>,
}

/// The arguments of `run_intent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunIntent {
    /// The request, in words.
    pub intent: String,
    /// Parameters of the template.
    #[serde(default, deserialize_with = "json::object")]
    pub params: JsonObject,
    /// The arguments as text, the same however the client wrote them.
    #[serde(skip)]
    pub text: String,
}

/// The arguments of `read_result`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadResult {
    /// Which result.
    pub handle: String,
    /// Where to begin, in characters.
    #[serde(default, deserialize_with = "whole_number")]
    pub offset: u64,
}

fn object_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    if text.get().starts_with('{') {
        return Ok(Some(text));
    }
    Err(D::Error::custom(format!("`params` must be an object, such as {{\"limit\": 5}}, and is {}", shown(text.get()))))
}

fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?.get();
    // Models write numbers as texts, and whole ones with a point.
    let number = match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(digits) => digits.parse().ok(),
        None if text == "null" => Some(0),
        None => text.strip_suffix(".0").unwrap_or(text).parse().ok(),
    };
    number.ok_or_else(|| D::Error::custom(format!("`offset` must be a whole number, and is {}", shown(text))))
}

fn limits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, u64>, D::Error> {
    // Not as a map: the library would then say itself that a text is none.
    deserializer.deserialize_any(Limits)
}

/// Parses limits, and no more of them than can be set.
struct Limits;

impl<'de> Visitor<'de> for Limits {
    type Value = BTreeMap<String, u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    /// A message of our own: the library's would repeat the whole text, with every invisible character spelled out.
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let text = shown(text);
        Err(E::custom(format!("`limits` must be an object, such as {{\"wall_ms\": 5000}}, and is the text {text:?}")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut limits = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            if limits.len() == LIMITS_MAX {
                return Err(A::Error::custom(format!("at most {LIMITS_MAX} limits can be set")));
            }
            let Ok(number) = value.get().parse() else {
                return Err(A::Error::custom(format!(
                    "the limit `{}` must be a whole number, such as 5000, and is {}",
                    shown(&name),
                    shown(value.get())
                )));
            };
            limits.insert(name, number);
        }
        Ok(limits)
    }
}

/// A value, as far as it helps to recognise it.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

/// Why a request is not a valid tool call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no tool of this name. The protocol has an error of its own for that.
    #[error("there is no such tool")]
    UnknownTool,
    /// The arguments are not the tool's. A model can read what is wrong and try again.
    #[error("{message}")]
    Arguments {
        /// What is wrong.
        message: String,
        /// What to send instead.
        hint: &'static str,
    },
}

impl Call {
    /// Parses a call of the tool with this name, from its arguments as JSON text; an empty text means no arguments.
    ///
    /// # Errors
    /// When it is not a valid call of these tools.
    pub fn parse(name: &str, arguments: &str) -> Result<Self, CallError> {
        let hint = match name {
            "execute_code" => "send {\"code\": \"result = 1 + 1\"}; `params`, `intent` and `limits` are optional",
            "run_intent" => "send {\"intent\": \"list errors\"}; `params` is optional",
            "read_result" => "send {\"handle\": \"…\", \"offset\": 0} with the handle of an earlier answer",
            _ => return Err(CallError::UnknownTool),
        };
        let arguments = if matches!(arguments, "" | "null") { "{}" } else { arguments };
        // A struct may be read from a list as well, by the order of its fields.
        if !arguments.starts_with('{') {
            let message = format!("the arguments must be an object, and are {}", shown(arguments));
            return Err(CallError::Arguments { message, hint });
        }
        let wrong = |error: serde_json::Error| CallError::Arguments { message: without_place(&error), hint };
        match name {
            "execute_code" => serde_json::from_str::<Execute>(arguments).map(Call::Execute).map_err(wrong),
            "run_intent" => {
                if arguments.len() > INTENT_BYTES_MAX {
                    let length = arguments.len();
                    let message = format!("the arguments have {length} bytes; at most {INTENT_BYTES_MAX} are read");
                    return Err(CallError::Arguments { message, hint: "use one sentence and fewer params" });
                }
                let run = serde_json::from_str::<RunIntent>(arguments).map_err(wrong)?;
                let text = json::parse_value(arguments).map_err(wrong)?.to_string();
                Ok(Call::Intent(RunIntent { text, ..run }))
            }
            _ => serde_json::from_str::<ReadResult>(arguments).map(Call::Read).map_err(wrong),
        }
    }
}

/// The error without its line and column, which mean nothing to a model.
fn without_place(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match told.strip_suffix(place.as_str()) {
        Some(words) => words.to_owned(),
        None => told,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(name: &str, arguments: &str) -> String {
        match Call::parse(name, arguments) {
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
            ("read_result", json!({"handle": "a", "offset": "x"}), "`offset` must be a whole number, and is \"x\""),
            ("execute_code", json!({}), "missing field `code`"),
            ("execute_code", json!(null), "missing field `code`"),
            ("execute_code", json!(["1", {}]), "the arguments must be an object, and are [\"1\",{}]"),
            (
                "execute_code",
                json!({"code": "1", "file": "/etc/passwd"}),
                "unknown field `file`, expected one of `code`, `params`, `intent`, `limits`",
            ),
            (
                "execute_code",
                json!({"code": "1", "params": [1]}),
                "`params` must be an object, such as {\"limit\": 5}, and is [1]",
            ),
            ("run_intent", json!({"intent": 5}), "invalid type: integer `5`, expected a string"),
            ("run_intent", json!({"intent": "a", "params": [1]}), "invalid type: sequence, expected an object"),
            (
                "execute_code",
                json!({"code": "1", "limits": "\u{7f}5000 ms"}),
                "`limits` must be an object, such as {\"wall_ms\": 5000}, and is the text \"\\u{7f}5000 ms\"",
            ),
            (
                "execute_code",
                json!({"code": "1", "limits": {"wall_ms": "5s"}}),
                "the limit `wall_ms` must be a whole number, such as 5000, and is \"5s\"",
            ),
            ("rm", json!({}), "unknown tool"),
        ] {
            assert_eq!(told(name, &arguments.to_string()), expected);
        }
        assert_eq!(told("execute_code", ""), "missing field `code`");
        let limits = |count: usize| {
            let limits: JsonObject = (0..count).map(|index| (format!("limit{index}"), json!(1))).collect();
            told("execute_code", &json!({"code": "1", "limits": limits}).to_string())
        };
        assert!(limits(LIMITS_MAX).starts_with("execute"));
        assert_eq!(limits(LIMITS_MAX + 1), "at most 32 limits can be set");
    }

    #[test]
    fn params_of_code_are_the_text_that_was_sent_and_an_intent_is_the_same_however_it_is_written() {
        let sent = "{\"code\": \"1\", \"params\": {\"a\" : [1.0, 1e2]}}";
        let Ok(Call::Execute(execute)) = Call::parse("execute_code", sent) else { panic!("it is a call: {sent}") };
        assert_eq!(execute.params.expect("there are some").get(), "{\"a\" : [1.0, 1e2]}");
        let text = |arguments: &str| match Call::parse("run_intent", arguments) {
            Ok(Call::Intent(run)) => run.text,
            other => panic!("{other:?}"),
        };
        let one = text("{\"intent\":\"list errors\",\"params\":{\"limit\":5}}");
        assert_eq!(one, text(" { \"intent\": \"list \\u0065rrors\",\n \"params\": {\"limit\": 5} } ".trim()));
        assert_ne!(one, text("{\"intent\":\"list errors\",\"params\":{\"limit\":6}}"));
    }

    #[test]
    fn the_longest_arguments_of_an_intent_and_the_first_that_are_refused() {
        let of = |length: usize| {
            let rest = "{\"intent\":\"\"}".len();
            told("run_intent", &format!("{{\"intent\":\"{}\"}}", "x".repeat(length - rest)))
        };
        assert!(of(INTENT_BYTES_MAX).starts_with("intent"));
        assert_eq!(of(INTENT_BYTES_MAX + 1), "the arguments have 65537 bytes; at most 65536 are read");
    }
}
