//! The arguments of a tool call, parsed from untrusted JSON.
//!
//! Frameworks send `null` for what they leave out, and models write numbers and objects as texts. Such arguments are
//! accepted where they have exactly one meaning. Every other error names its field, says what belongs there, and has a
//! hint of its own: a model can act on nothing else.

mod near;

use std::collections::BTreeMap;
use std::fmt;

use intentbox_catalog::json::{self, Counter};
use rmcp::model::JsonObject;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::message::without_place;
use near::Meant;

/// The most limits that one call may set. There are twelve.
const LIMITS_MAX: usize = 32;

/// The most fields of a call that its tool does not have.
const OTHERS_MAX: usize = 32;

/// The longest arguments of an intent, in bytes of JSON. Values for a template are short.
const INTENT_BYTES_MAX: usize = 64 << 10;

/// How much of a wrong value an error repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// The largest whole number that is read from a number with a point or an exponent: 2^53. Beyond it, two of them can be
/// the same floating-point number.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

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
#[derive(Debug)]
pub struct Execute {
    /// The source of the script.
    pub code: String,
    /// The text of an object. Only the script parses it.
    pub params: Option<Box<RawValue>>,
    /// What the script is for, in words.
    pub intent: Option<String>,
    /// Limits of the run by their names, in the units of each. Whether there are such limits is not checked here.
    pub limits: BTreeMap<String, u64>,
}

/// The arguments of `run_intent`.
#[derive(Debug)]
pub struct RunIntent {
    /// The request, in words.
    pub intent: String,
    /// Parameters of the template.
    pub params: JsonObject,
    /// The arguments as text, the same however the client wrote them.
    pub text: String,
}

/// The arguments of `read_result`.
#[derive(Debug)]
pub struct ReadResult {
    /// Which result.
    pub handle: String,
    /// Where to begin, in characters.
    pub offset: u64,
}

/// Why a request is not a valid tool call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no tool of this name. The protocol has an error of its own for that.
    #[error("there is no such tool")]
    UnknownTool,
    /// The arguments are not an object. The protocol does not allow that for any tool.
    #[error("{message}")]
    NoObject {
        /// What is wrong.
        message: String,
    },
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
        let parse: fn(&str) -> Result<Self, CallError> = match name {
            "execute_code" => |arguments| Execute::parse(arguments).map(Call::Execute),
            "run_intent" => |arguments| RunIntent::parse(arguments).map(Call::Intent),
            "read_result" => |arguments| ReadResult::parse(arguments).map(Call::Read),
            _ => return Err(CallError::UnknownTool),
        };
        let arguments = if matches!(arguments, "" | "null") { "{}" } else { arguments };
        if !arguments.starts_with('{') {
            let message = format!("the arguments must be an object, and are {}", shown(arguments));
            return Err(CallError::NoObject { message });
        }
        parse(arguments)
    }
}

impl Execute {
    fn parse(arguments: &str) -> Result<Self, CallError> {
        const HINT: &str = "send {\"code\": \"result = 1 + 1\"}; `params`, `intent` and `limits` are optional";
        let names = ["code", "params", "intent", "limits"];
        let ([code, params, intent, limits], _) = fields(arguments, names, HINT, near::meant_of_execute)?;
        Ok(Self {
            code: string("code", required("code", code, HINT)?, HINT)?,
            params: params.map(|sent| object("params", sent, PARAMS)).transpose()?,
            intent: intent.map(|sent| string("intent", sent, HINT)).transpose()?,
            limits: limits.map(limits_of).transpose()?.unwrap_or_default(),
        })
    }
}

impl RunIntent {
    fn parse(arguments: &str) -> Result<Self, CallError> {
        const HINT: &str = "send {\"intent\": \"list errors\"}; `params` is optional";
        if arguments.len() > INTENT_BYTES_MAX {
            let length = arguments.len();
            let message = format!("the arguments have {length} bytes; at most {INTENT_BYTES_MAX} are read");
            return Err(wrong(message, "use one sentence and fewer params"));
        }
        let ([intent, params], values) = fields(arguments, ["intent", "params"], HINT, near::meant_of_intent)?;
        let intent = string("intent", required("intent", intent, HINT)?, HINT)?;
        let mut params = match params.map(|sent| object("params", sent, PARAMS)).transpose()? {
            None => JsonObject::new(),
            Some(text) => match json::parse_value(text.get()) {
                Ok(Value::Object(params)) => params,
                Ok(_) => return Err(no_object("params", &text, PARAMS)),
                Err(error) => {
                    return Err(wrong(format!("`params` is invalid: {}", without_place(&error)), PARAMS.hint));
                }
            },
        };
        for (name, value) in values {
            let value = json::parse_value(value.get())
                .map_err(|error| wrong(format!("`{}` is invalid: {}", shown(&name), without_place(&error)), HINT))?;
            // One that is sent within as well is the one that is meant there.
            params.entry(name).or_insert(value);
        }
        let text = json!({"intent": intent, "params": params}).to_string();
        Ok(Self { intent, params, text })
    }
}

impl ReadResult {
    fn parse(arguments: &str) -> Result<Self, CallError> {
        const HINT: &str = "send {\"handle\": \"…\", \"offset\": 0} with the handle of an earlier answer";
        let ([handle, offset], _) = fields(arguments, ["handle", "offset"], HINT, near::meant_of_read)?;
        let handle = string("handle", required("handle", handle, HINT)?, HINT)?;
        let offset = offset.map_or(Ok(0), |sent| {
            let no_number = || format!("`offset` must be a whole number, and is {}", shown(sent.get()));
            whole_number(sent.get()).ok_or_else(|| wrong(no_number(), near::OFFSET))
        })?;
        Ok(Self { handle: bare_handle(&handle).to_owned(), offset })
    }
}

/// What is said of a field that must be an object.
#[derive(Clone, Copy)]
struct ObjectTerms {
    example: &'static str,
    hint: &'static str,
}

const PARAMS: ObjectTerms =
    ObjectTerms { example: "{\"limit\": 5}", hint: "send `params` as an object of names and values, or leave it out" };

const LIMITS: ObjectTerms = ObjectTerms {
    example: "{\"wall_ms\": 5000}",
    hint: "send `limits` as an object of names and whole numbers, such as {\"wall_ms\": 5000, \"memory_bytes\": \
           134217728}, and leave out what needs no other limit",
};

fn wrong(message: String, hint: &'static str) -> CallError {
    CallError::Arguments { message, hint }
}

/// The fields of a call by their place, and what stands beside them by its name.
type Sent<'a, const N: usize> = ([Option<&'a RawValue>; N], Vec<(String, &'a RawValue)>);

/// The fields of a call, in the order of their names, and values for a template that stand beside them. What is `null` is
/// absent. `meant` says what a field is that the tool does not have. One that is a field of the tool by another name counts as
/// that if the field itself is absent.
fn fields<'a, const N: usize>(
    arguments: &'a str,
    names: [&'static str; N],
    hint: &'static str,
    meant: fn(&str) -> Meant,
) -> Result<Sent<'a, N>, CallError> {
    let mut reader = serde_json::Deserializer::from_str(arguments);
    let found = reader.deserialize_map(Fields { names }).and_then(|found| reader.end().map(|()| found));
    let Found { texts, others, twice } = found
        .map_err(|error| wrong(format!("the arguments are not a JSON object: {}", without_place(&error)), hint))?;
    if let Some(twice) = twice {
        return Err(wrong(format!("the field `{}` is given twice", shown(&twice)), hint));
    }
    let mut texts = texts.map(|text| text.filter(|text| text.get() != "null"));
    let mut values = Vec::new();
    for (name, text) in others {
        let unknown = |advice: Option<&'static str>| {
            let names = names.map(|name| format!("`{name}`")).join(", ");
            let message = format!("unknown field `{}`, expected one of {names}", shown(&name));
            wrong(message, advice.unwrap_or(hint))
        };
        let absent = |field: &str| names.iter().position(|name| *name == field);
        let meant = meant(&name);
        let at = match meant {
            Meant::Field(field) | Meant::FieldOrValue(field) => absent(field).filter(|at| texts[*at].is_none()),
            Meant::Value | Meant::Unknown(_) => None,
        };
        match (at, meant) {
            // A framework that sends `null` for what it leaves out means nothing by it.
            _ if text.get() == "null" => {}
            (Some(at), _) => texts[at] = Some(text),
            (None, Meant::Value | Meant::FieldOrValue(_)) => values.push((name, text)),
            (None, Meant::Unknown(advice)) => return Err(unknown(advice)),
            (None, Meant::Field(_)) => return Err(unknown(None)),
        }
    }
    Ok((texts, values))
}

/// Finds the fields of an object, and leaves their values as text.
struct Fields<const N: usize> {
    names: [&'static str; N],
}

/// The fields of an object.
struct Found<'a, const N: usize> {
    texts: [Option<&'a RawValue>; N],
    /// Those that are not among the names.
    others: Vec<(String, &'a RawValue)>,
    /// The last that is there twice.
    twice: Option<String>,
}

impl<'de, const N: usize> Visitor<'de> for Fields<N> {
    type Value = Found<'de, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Found { texts: [None; N], others: Vec::new(), twice: None };
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value::<&'de RawValue>()?;
            let Some(at) = self.names.iter().position(|name| *name == key) else {
                if found.others.iter().any(|(other, _)| *other == key) {
                    found.twice = Some(key);
                } else if found.others.len() == OTHERS_MAX {
                    return Err(A::Error::custom(format!("more than {OTHERS_MAX} unknown fields")));
                } else {
                    found.others.push((key, value));
                }
                continue;
            };
            if found.texts[at].replace(value).is_some() {
                found.twice = Some(key);
            }
        }
        Ok(found)
    }
}

fn required<'a>(field: &str, sent: Option<&'a RawValue>, hint: &'static str) -> Result<&'a RawValue, CallError> {
    sent.ok_or_else(|| wrong(format!("missing field `{field}`"), hint))
}

/// The text of a field.
fn string(field: &str, sent: &RawValue, hint: &'static str) -> Result<String, CallError> {
    let text = sent.get();
    if !text.starts_with('"') {
        return Err(wrong(format!("`{field}` must be a string, and is {}", shown(text)), hint));
    }
    serde_json::from_str::<String>(text)
        .map_err(|error| wrong(format!("`{field}` is invalid: {}", without_place(&error)), hint))
}

/// The text of an object, which may be sent as a text itself.
fn object(field: &str, sent: &RawValue, terms: ObjectTerms) -> Result<Box<RawValue>, CallError> {
    if sent.get().starts_with('{') {
        return Ok(sent.to_owned());
    }
    let text = if sent.get().starts_with('"') { serde_json::from_str::<String>(sent.get()).ok() } else { None };
    text.and_then(|text| object_in(&text)).ok_or_else(|| no_object(field, sent, terms))
}

fn no_object(field: &str, sent: &RawValue, ObjectTerms { example, hint }: ObjectTerms) -> CallError {
    wrong(format!("`{field}` must be an object, such as {example}, and is {}", shown(sent.get())), hint)
}

/// The object that a text consists of, as strictly as the message around it was inspected.
fn object_in(text: &str) -> Option<Box<RawValue>> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let mut counter = Counter::up_to(usize::MAX);
    let is_object = text.starts_with('{') && counter.count(text).is_ok() && !counter.has_reserved_key();
    if is_object { RawValue::from_string(text.to_owned()).ok() } else { None }
}

/// A whole number. It may be a text, and have a point or an exponent.
fn whole_number(json: &str) -> Option<u64> {
    let digits = json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(json).trim();
    if let Ok(number) = digits.parse() {
        return Some(number);
    }
    let number: f64 = digits.parse().ok()?;
    let is_whole = number.fract() == 0.0 && (0.0..=EXACT_MAX).contains(&number);
    if is_whole { format!("{number:.0}").parse().ok() } else { None }
}

/// A handle without the quotes and the word that a model may copy along with it.
fn bare_handle(text: &str) -> &str {
    let is_rim = |character: char| {
        character.is_whitespace() || matches!(character, '"' | '\'' | '`' | ':' | '=' | ',' | '.' | '<' | '>')
    };
    let text = text.trim_matches(is_rim);
    let word = text.get(.."handle".len()).filter(|word| word.eq_ignore_ascii_case("handle"));
    text[word.map_or(0, str::len)..].trim_matches(is_rim)
}

/// The limits of a call.
fn limits_of(sent: &RawValue) -> Result<BTreeMap<String, u64>, CallError> {
    let object = object("limits", sent, LIMITS)?;
    let mut reader = serde_json::Deserializer::from_str(object.get());
    let limits = reader.deserialize_map(Limits).and_then(|limits| reader.end().map(|()| limits));
    let limits = limits.map_err(|error| wrong(without_place(&error), LIMITS.hint))?;
    match limits.keys().find_map(|name| near::of_limits(name).map(|hint| (name, hint))) {
        Some((name, hint)) => Err(wrong(format!("there is no limit `{}`", shown(name)), hint)),
        None => Ok(limits),
    }
}

/// Parses limits, and no more of them than can be set.
struct Limits;

impl<'de> Visitor<'de> for Limits {
    type Value = BTreeMap<String, u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut limits = BTreeMap::new();
        let mut count = 0;
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            if count == LIMITS_MAX {
                return Err(A::Error::custom(format!("at most {LIMITS_MAX} limits can be set")));
            }
            count += 1;
            if value.get() == "null" {
                continue;
            }
            let Some(number) = whole_number(value.get()) else {
                return Err(A::Error::custom(format!(
                    "the limit `{}` must be a whole number, such as 5000, and is {}",
                    shown(&name),
                    shown(value.get())
                )));
            };
            // Of two, one reader takes the first and another the last.
            if limits.insert(name.clone(), number).is_some() {
                return Err(A::Error::custom(format!("the limit `{}` is given twice", shown(&name))));
            }
        }
        Ok(limits)
    }
}

/// A value as far as it helps to recognise it, with characters that cannot be seen spelled out.
fn shown(text: &str) -> String {
    let spelled = |character: char| match character {
        '"' | '\'' | '\\' => character.to_string(),
        other => other.escape_debug().to_string(),
    };
    text.chars().take(SHOWN_CHARS_MAX).map(spelled).collect()
}

#[cfg(test)]
mod tests;
