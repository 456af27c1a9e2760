//! What a server says about a tool, admitted or rejected. **This file is a boundary.**
//!
//! A name is taken as it is or not at all: making it fit would let two tools become one. A description is a stranger's text: it
//! is kept whole, and what is listed of it is short and plain. A schema is bounded and kept; nothing that it refers to is
//! fetched.

use std::collections::BTreeMap;

use intentbox_capability::{READ_ONLY, is_tool_name};
use intentbox_catalog::json::parse_value;
use intentbox_catalog::terminal::printable;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::server::hex;

/// The largest schema, in bytes of JSON.
pub const SCHEMA_BYTES_MAX: usize = 1 << 20;

/// The deepest schema, in levels.
pub const SCHEMA_DEPTH_MAX: usize = 64;

/// The largest definition, in bytes of JSON: two schemas and a long description.
pub const DEFINITION_BYTES_MAX: usize = 4 << 20;

/// How many characters of a description are listed.
pub const SUMMARY_CHARS_MAX: usize = 200;

/// How many arguments are listed.
const ARGUMENTS_MAX: usize = 64;

/// How many bytes of an argument's name are listed.
const ARGUMENT_BYTES_MAX: usize = 64;

/// How many characters of a group's name are listed.
const GROUP_CHARS_MAX: usize = 40;

/// How many characters of a rejected name are shown.
const SHOWN_CHARS_MAX: usize = 80;

/// What calling a tool does, as its server says. Nobody checks that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It only reads (`readOnlyHint`).
    Reads,
    /// It changes something and may destroy.
    Writes,
    /// It changes something and destroys nothing (`destructiveHint` is false).
    Adds,
    /// Its server does not say.
    Unknown,
}

/// A tool as it is listed: without its schemas and the rest of its description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// The first characters of its description, or its title: one line of plain text.
    pub summary: String,
    /// What calling it does, as its server says.
    pub effect: Effect,
    /// Whether calling it twice is the same as calling it once, as its server says.
    pub is_idempotent: bool,
    /// Whether its server says what it returns.
    pub has_output_schema: bool,
    /// The names of its arguments: first those that are required.
    pub arguments: Vec<String>,
    /// How many of them are required.
    pub required: u32,
    /// How much has to be known to call it.
    pub complexity: Complexity,
    /// The group that its server puts it into, as plain text: `category` or `group` of its `_meta` or annotations; empty if none.
    pub group: String,
}

/// How much has to be known to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// At most one argument is required, and it is a plain value.
    Simple,
    /// At most three are, all of them plain values or lists of those.
    Medium,
    /// More are, or one of them is an object.
    Complex,
}

impl Complexity {
    /// That of something with this many required arguments, all of them plain values.
    #[must_use]
    pub fn of_required(required: usize) -> Self {
        match required {
            0..=1 => Self::Simple,
            2..=3 => Self::Medium,
            _ => Self::Complex,
        }
    }
}

/// A definition that was admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What is listed.
    pub row: ToolRow,
    /// The SHA-256 of the definition in hexadecimal, over its canonical form: the order of keys does not count.
    pub hash: String,
    /// The definition as JSON text in canonical form.
    pub text: String,
}

/// A tool that is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedTool {
    /// The name as it was given, shortened and escaped; empty if there was none.
    pub name: String,
    /// Why, in one line.
    pub reason: String,
}

/// The fields that decide. All others are kept in the text and count for its hash.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// What a server says of its tools' effects. A hint of a wrong type counts as none.
#[derive(Default)]
struct Hints {
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
}

/// Admits a definition as it was sent.
///
/// # Errors
/// Why it is left out.
pub fn admit(text: &str) -> Result<Definition, RejectedTool> {
    let reject = |name: &str, reason: String| RejectedTool { name: shown(name), reason };
    if text.len() > DEFINITION_BYTES_MAX {
        let reason = format!("its definition has {} bytes, and may have {DEFINITION_BYTES_MAX}", text.len());
        return Err(reject("", reason));
    }
    if !text.trim_start().starts_with('{') {
        return Err(reject("", "its definition is not an object".to_owned()));
    }
    let fields = serde_json::from_str::<Fields<'_>>(text)
        .map_err(|error| reject("", format!("its definition is invalid: {error}")))?;
    let name = fields.name.and_then(string).ok_or_else(|| reject("", "it has no name that is a string".to_owned()))?;
    let invalid = |reason: String| reject(&name, reason);
    if !is_tool_name(&name) {
        let reason = if name == READ_ONLY {
            "`read-only` stands for all tools that only read, in a rule of the policy"
        } else {
            "a name is 1 to 128 of the letters, digits, `_`, `-` and `.`"
        };
        return Err(invalid(reason.to_owned()));
    }
    let input = fields.input_schema.ok_or_else(|| invalid("it has no inputSchema".to_owned()))?;
    let input = schema("inputSchema", input).map_err(invalid)?;
    if input.get("type").is_some_and(|kind| kind != "object") {
        return Err(invalid("its inputSchema is not of type object".to_owned()));
    }
    if let Some(output) = fields.output_schema {
        schema("outputSchema", output).map_err(invalid)?;
    }
    let value = parse_value(text).map_err(|error| invalid(format!("its definition is invalid: {error}")))?;
    let text = canonical(value).to_string();
    let described = fields.description.and_then(string).or_else(|| fields.title.and_then(string)).unwrap_or_default();
    let hints = fields.annotations.map(hints).unwrap_or_default();
    let effect = match hints {
        Hints { read_only: Some(true), .. } => Effect::Reads,
        Hints { destructive: Some(false), .. } => Effect::Adds,
        Hints { read_only: None, destructive: None, .. } => Effect::Unknown,
        Hints { .. } => Effect::Writes,
    };
    let (arguments, required) = arguments(&input);
    let row = ToolRow {
        name,
        summary: summary(&described),
        effect,
        is_idempotent: hints.idempotent == Some(true),
        has_output_schema: fields.output_schema.is_some(),
        arguments,
        required,
        complexity: complexity(&input, required),
        group: [fields.meta, fields.annotations].into_iter().flatten().find_map(group).unwrap_or_default(),
    };
    Ok(Definition { row, hash: hex(&Sha256::digest(&text)), text })
}

/// A stranger's text as one line: the beginning, without anything that would move, hide or colour what is beside it.
#[must_use]
pub fn summary(text: &str) -> String {
    let mut plain = String::new();
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    for word in words.filter(|word| !word.is_empty()) {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
        if plain.chars().count() > SUMMARY_CHARS_MAX {
            break;
        }
    }
    let plain = printable(&plain);
    if plain.chars().count() <= SUMMARY_CHARS_MAX {
        return plain;
    }
    let mut cut: String = plain.chars().take(SUMMARY_CHARS_MAX - 1).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    let cut = printable(&cut).replace(['\n', '\t'], " ");
    if cut.len() < name.len() && name.chars().count() > SHOWN_CHARS_MAX { format!("{cut}…") } else { cut }
}

fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str::<String>(value.get()).ok()
}

fn schema(field: &str, value: &RawValue) -> Result<Map<String, Value>, String> {
    let text = value.get();
    if text.len() > SCHEMA_BYTES_MAX {
        return Err(format!("its {field} has {} bytes, and may have {SCHEMA_BYTES_MAX}", text.len()));
    }
    if depth(text) > SCHEMA_DEPTH_MAX {
        return Err(format!("its {field} is nested more than {SCHEMA_DEPTH_MAX} levels deep"));
    }
    match parse_value(text) {
        Ok(Value::Object(schema)) => Ok(schema),
        Ok(_) => Err(format!("its {field} is not an object")),
        Err(error) => Err(format!("its {field} is invalid: {error}")),
    }
}

/// How many levels of objects and lists a text of JSON has.
fn depth(text: &str) -> usize {
    let (mut deepest, mut now, mut in_string, mut is_escaped) = (0_usize, 0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                now += 1;
                deepest = deepest.max(now);
            }
            b'}' | b']' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn hints(annotations: &RawValue) -> Hints {
    let Ok(Value::Object(fields)) = parse_value(annotations.get()) else { return Hints::default() };
    let hint = |name: &str| fields.get(name).and_then(Value::as_bool);
    Hints { read_only: hint("readOnlyHint"), destructive: hint("destructiveHint"), idempotent: hint("idempotentHint") }
}

/// The names of arguments that can be listed, and how many are required.
fn arguments(schema: &Map<String, Value>) -> (Vec<String>, u32) {
    let is_listed = |name: &&String| name.len() <= ARGUMENT_BYTES_MAX && printable(name) == **name;
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).filter(is_listed);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let (first, rest): (Vec<&String>, Vec<&String>) = names.partition(|name| required.contains(&name.as_str()));
    let count = u32::try_from(first.len().min(ARGUMENTS_MAX)).unwrap_or(u32::MAX);
    (first.into_iter().chain(rest).take(ARGUMENTS_MAX).cloned().collect(), count)
}

fn complexity(schema: &Map<String, Value>, required: u32) -> Complexity {
    let named = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_object =
        |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object") || schema.get("properties").is_some();
    let is_nested = |name: &str| {
        let Some(schema) = properties.and_then(|properties| properties.get(name)) else { return false };
        is_object(schema) || schema.get("$ref").is_some() || schema.get("items").is_some_and(is_object)
    };
    let is_nested = named.into_iter().any(is_nested);
    if is_nested {
        Complexity::Complex
    } else {
        Complexity::of_required(usize::try_from(required).unwrap_or(usize::MAX))
    }
}

/// The group that a server names in `_meta` or in annotations, as one short line.
fn group(fields: &RawValue) -> Option<String> {
    let Ok(Value::Object(fields)) = parse_value(fields.get()) else { return None };
    let named = ["category", "group"].into_iter().find_map(|key| fields.get(key)?.as_str());
    let line: String = summary(named?).chars().take(GROUP_CHARS_MAX).collect();
    Some(line).filter(|line| !line.is_empty())
}

/// The same value with the keys of all objects in order.
fn canonical(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, canonical(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(canonical).collect()),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tool(fields: &str) -> String {
        format!(r#"{{"name":"echo","inputSchema":{{"type":"object"}}{fields}}}"#)
    }

    #[test]
    fn a_definition_is_listed_with_what_helps_to_choose() {
        let text = r#"{"name":"git_log","title":"Log","description":"Shows\n  the   commits.","inputSchema":{"type":"object",
            "properties":{"max":{},"repo":{},"since":{}},"required":["repo"]},"outputSchema":{"type":"object"},
            "annotations":{"readOnlyHint":true,"idempotentHint":true},"unknown":[1]}"#;
        let definition = admit(text).expect("it is one");
        let row = ToolRow {
            name: "git_log".to_owned(),
            summary: "Shows the commits.".to_owned(),
            effect: Effect::Reads,
            is_idempotent: true,
            has_output_schema: true,
            arguments: vec!["repo".to_owned(), "max".to_owned(), "since".to_owned()],
            required: 1,
            complexity: Complexity::Simple,
            group: String::new(),
        };
        assert_eq!(definition.row, row);
        assert!(definition.text.contains(r#""unknown":[1]"#), "nothing is lost");
    }

    #[test]
    fn a_hash_changes_with_every_field_and_not_with_the_order() {
        let hash = |text: &str| admit(text).expect(text).hash;
        let first = hash(&tool(r#","description":"a","annotations":{"x":1}"#));
        let turned =
            r#"{"annotations":{"x":1},"description":"a","inputSchema":{"type":"object"},"name":"echo"}"#.to_owned();
        assert_eq!(hash(&turned), first);
        for changed in [
            r#","description":"b","annotations":{"x":1}"#,
            r#","description":"a","annotations":{"x":2}"#,
            r#","description":"a","annotations":{"x":1},"outputSchema":{}"#,
            r#","description":"a","annotations":{"x":1},"title":"t"#,
            r#","description":"a","annotations":{"x":1},"_meta":{"a":1}"#,
        ] {
            let text = tool(changed);
            let text = if changed.ends_with("\"t") { tool(&format!("{changed}\"")) } else { text };
            assert_ne!(hash(&text), first, "{changed}");
        }
    }

    #[test]
    fn m08_a_name_is_taken_as_it_is_or_not_at_all() {
        let longest = "n".repeat(128);
        for name in ["a", "a_b-c.D9", &longest] {
            let text = format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#);
            assert_eq!(admit(&text).expect("a name").row.name, name);
        }
        let too_long = "n".repeat(129);
        for name in ["", "a b", "a/b", "..\u{2f}etc", "a\\r\\nb", "a\u{202e}b", &too_long, "\u{fc}"] {
            let rejected = admit(&format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#)).expect_err(name);
            assert!(rejected.reason.starts_with("a name is 1 to 128"), "{rejected:?}");
            assert!(rejected.name.chars().count() <= SHOWN_CHARS_MAX + 1 && printable(&rejected.name) == rejected.name);
        }
    }

    #[test]
    fn what_is_no_definition_is_left_out_with_the_reason() {
        let deep = |levels: usize| {
            let inner = format!("{}{}", r#"{"a":"#.repeat(levels - 1), "{}");
            format!(r#"{{"name":"a","inputSchema":{inner}{}}}"#, "}".repeat(levels - 1))
        };
        let wide = |bytes: usize| {
            let schema = format!(r#"{{"d":"{}"}}"#, "x".repeat(bytes - 8));
            format!(r#"{{"name":"a","inputSchema":{schema}}}"#)
        };
        for (text, reason) in [
            ("5".to_owned(), "its definition is not an object"),
            (r#"["a",null,null,{}]"#.to_owned(), "its definition is not an object"),
            (r#"{"name":"a",}"#.to_owned(), "its definition is invalid"),
            (r#"{"inputSchema":{}}"#.to_owned(), "it has no name that is a string"),
            (r#"{"name":5,"inputSchema":{}}"#.to_owned(), "it has no name that is a string"),
            (r#"{"name":"a"}"#.to_owned(), "it has no inputSchema"),
            (r#"{"name":"a","inputSchema":"x"}"#.to_owned(), "its inputSchema is not an object"),
            (r#"{"name":"a","inputSchema":{"type":"array"}}"#.to_owned(), "its inputSchema is not of type object"),
            (r#"{"name":"a","inputSchema":{},"outputSchema":5}"#.to_owned(), "its outputSchema is not an object"),
            (deep(65), "its inputSchema is nested more than 64 levels deep"),
            (deep(10_000), "its inputSchema is nested more than 64 levels deep"),
            (wide(SCHEMA_BYTES_MAX + 1), "its inputSchema has 1048577 bytes, and may have 1048576"),
            (format!("\"{}\"", "a".repeat(DEFINITION_BYTES_MAX)), "its definition has 4194306 bytes"),
        ] {
            let rejected = admit(&text).expect_err(reason);
            assert!(rejected.reason.starts_with(reason), "{rejected:?}");
        }
        assert!(admit(&deep(64)).is_ok() && admit(&wide(SCHEMA_BYTES_MAX)).is_ok());
    }

    #[test]
    fn m09_a_description_is_listed_as_short_plain_text() {
        for (described, expected) in [
            ("a\x1b[31mb", "a [31mb"),
            ("a\u{202e}b\u{200b}c", "a\\u{202e}b\\u{200b}c"),
            (" <IMPORTANT>\r\n\tdo </IMPORTANT> ", "<IMPORTANT> do </IMPORTANT>"),
        ] {
            assert_eq!(summary(described), expected);
        }
        let long = summary(&"word ".repeat(100_000));
        assert!(long.chars().count() <= SUMMARY_CHARS_MAX && long.ends_with("word…"), "{long}");
        assert_eq!(summary(&"x".repeat(SUMMARY_CHARS_MAX)).chars().count(), SUMMARY_CHARS_MAX);
        assert!(summary(&"x".repeat(SUMMARY_CHARS_MAX + 1)).ends_with('…'));
    }

    #[test]
    fn a_tool_is_the_more_complex_the_more_must_be_known() {
        for (schema, complexity) in [
            (r"{}", Complexity::Simple),
            (r#"{"properties":{"a":{}},"required":["a"]}"#, Complexity::Simple),
            (
                r#"{"properties":{"a":{},"b":{"type":"array","items":{"type":"string"}}},"required":["a","b"]}"#,
                Complexity::Medium,
            ),
            (r#"{"properties":{"a":{},"b":{},"c":{},"d":{}},"required":["a","b","c","d"]}"#, Complexity::Complex),
            (r#"{"properties":{"a":{"type":"object"}},"required":["a"]}"#, Complexity::Complex),
            (
                r#"{"properties":{"a":{"type":"array","items":{"properties":{}}}},"required":["a"]}"#,
                Complexity::Complex,
            ),
            (r#"{"properties":{"a":{"type":"object"}}}"#, Complexity::Simple),
        ] {
            let text = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
            assert_eq!(admit(&text).expect("a tool").row.complexity, complexity, "{schema}");
        }
    }

    #[test]
    fn an_effect_is_what_the_server_says() {
        for (annotations, effect) in [
            ("{}", Effect::Unknown),
            (r#"{"readOnlyHint":true}"#, Effect::Reads),
            (r#"{"readOnlyHint":true,"destructiveHint":true}"#, Effect::Reads),
            (r#"{"readOnlyHint":false}"#, Effect::Writes),
            (r#"{"destructiveHint":true}"#, Effect::Writes),
            (r#"{"readOnlyHint":false,"destructiveHint":false}"#, Effect::Adds),
            (r#"{"readOnlyHint":"true"}"#, Effect::Unknown),
            (r#""x""#, Effect::Unknown),
        ] {
            let text = tool(&format!(r#","annotations":{annotations}"#));
            assert_eq!(admit(&text).expect("a tool").row.effect, effect, "{annotations}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_admitted_or_rejected(text in ".{0,200}") {
            let _ = admit(&text);
            let summary = summary(&text);
            prop_assert!(summary.chars().count() <= SUMMARY_CHARS_MAX && !summary.contains(['\n', '\r', '\x1b']));
        }
    }
}
