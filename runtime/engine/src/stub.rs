//! The signature of a tool as Python has it, for whoever writes a script: a line of a `.pyi` file with a docstring.

use std::fmt::Write as _;

use intentbox_tools::{Seen, summary};
use serde_json::{Map, Value};

/// How deep types are written out.
const DEPTH_MAX: usize = 4;

/// How many schemas are written out for one argument.
const STEPS_MAX: u32 = 256;

/// The most values of an enumeration that are written out.
const CHOICES_MAX: usize = 12;

/// The stub of a tool. Names that Python does not take become keys of one dictionary. What the tool returns is what its server
/// declares, otherwise what answers looked like so far.
#[must_use]
pub fn of(server: &str, tool: &str, definition: &Value, seen: Option<&Seen>) -> String {
    let none = Map::new();
    let schema = definition.get("inputSchema").unwrap_or(&Value::Null);
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let is_plain = properties.keys().all(|name| is_identifier(name));
    let mut names: Vec<&String> = properties.keys().collect();
    names.sort_by_key(|name| !required.contains(&name.as_str()));
    let parameter = |name: &&String| {
        let kind = python_type(&properties[*name], schema, DEPTH_MAX, &mut STEPS_MAX.clone());
        let is_required = required.contains(&name.as_str());
        match (is_plain, is_required) {
            (true, true) => format!("{name}: {kind}"),
            (true, false) => format!("{name}: {kind} = ..."),
            (false, true) => format!("{name:?}: {kind}"),
            (false, false) => format!("{name:?}: NotRequired[{kind}]"),
        }
    };
    let parameters: Vec<String> = names.iter().map(parameter).collect();
    let taken = match (is_plain, parameters.is_empty()) {
        (_, true) => String::new(),
        (true, false) => format!("*, {}", parameters.join(", ")),
        (false, false) => format!("arguments: {{{}}}", parameters.join(", ")),
    };
    let written = |schema: &Value| python_type(schema, schema, DEPTH_MAX, &mut STEPS_MAX.clone());
    // Without a declaration it is the structured content if there is one, and otherwise text.
    let (given, hint) = match (definition.get("outputSchema"), seen) {
        (Some(schema), _) => (written(schema), String::new()),
        (None, Some(seen)) if seen.is_text => ("str".to_owned(), format!("JSON, so far {}", written(&seen.schema()))),
        (None, Some(seen)) => (written(&seen.schema()), "the type is of answers so far".to_owned()),
        (None, None) => ("Any".to_owned(), String::new()),
    };
    let name = if is_identifier(tool) && is_identifier(server) {
        format!("tools.{server}.{tool}")
    } else {
        format!("tools[{server:?}][{tool:?}]")
    };
    let mut text = format!("def {name}({taken}) -> {given}: ...");
    let described = summary(definition.get("description").and_then(Value::as_str).unwrap_or_default());
    let comments: Vec<&str> = [described.as_str(), hint.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    if !comments.is_empty() {
        let _ = write!(text, "  # {}", comments.join(" | "));
    }
    text
}

/// The type that a schema describes, as an annotation.
fn python_type(schema: &Value, root: &Value, depth: usize, steps: &mut u32) -> String {
    *steps = steps.saturating_sub(1);
    let Some(schema) = resolved(schema, root).filter(|_| depth > 0 && *steps > 0) else { return "Any".to_owned() };
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let shown: Vec<String> = choices.iter().take(CHOICES_MAX).map(literal).collect();
        let more = if choices.len() > CHOICES_MAX { ", ..." } else { "" };
        return format!("Literal[{}{more}]", shown.join(", "));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(alternatives) = schema.get(key).and_then(Value::as_array) {
            let mut kinds: Vec<String> =
                alternatives.iter().map(|one| python_type(one, root, depth - 1, steps)).collect();
            kinds.dedup();
            return kinds.join(" | ");
        }
    }
    match schema.get("type") {
        Some(Value::String(kind)) => plain_type(kind, schema, root, depth, steps),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str).map(|kind| plain_type(kind, schema, root, depth, steps));
            kinds.collect::<Vec<_>>().join(" | ")
        }
        _ if schema.get("properties").is_some() => plain_type("object", schema, root, depth, steps),
        _ => "Any".to_owned(),
    }
}

fn plain_type(kind: &str, schema: &Value, root: &Value, depth: usize, steps: &mut u32) -> String {
    match kind {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("list[{}]", python_type(items, root, depth - 1, steps)),
            None => "list".to_owned(),
        },
        "object" => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) if !properties.is_empty() => {
                let field = |(name, schema): (&String, &Value)| {
                    format!("{name:?}: {}", python_type(schema, root, depth - 1, steps))
                };
                format!("{{{}}}", properties.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            _ => match schema.get("additionalProperties").filter(|items| items.is_object()) {
                Some(items) => format!("dict[str, {}]", python_type(items, root, depth - 1, steps)),
                None => "dict".to_owned(),
            },
        },
        _ => "Any".to_owned(),
    }
}

/// The schema behind a local reference. Nothing is fetched.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        None => Some(schema),
        Some(reference) => root.pointer(reference.strip_prefix('#')?),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => format!("{:?}", summary(text)),
        other => other.to_string(),
    }
}

/// Whether Python takes a text as a name.
fn is_identifier(text: &str) -> bool {
    const KEYWORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    let mut letters = text.bytes();
    let starts = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    starts && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_') && !KEYWORDS.contains(&text)
}

#[cfg(test)]
mod tests {
    use intentbox_tools::Reply;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stub_is_a_signature() {
        let definition = json!({
            "description": "Shows\nthe log.", "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}},
            "inputSchema": {"required": ["repo"], "properties": {
                "max": {"type": ["integer", "null"]}, "repo": {"type": "string"}, "mode": {"enum": ["a", 1, null]},
                "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}}, "any": {},
            }, "$defs": {"tag": {"type": "string"}}},
        });
        let expected = "def tools.git.git_log(*, repo: str, max: int | None = ..., mode: Literal[\"a\", 1, None] = ..., \
                        tags: list[str] = ..., any: Any = ...) -> {\"sum\": int}: ...  # Shows the log.";
        assert_eq!(of("git", "git_log", &definition, None), expected);
        assert_eq!(of("git", "a-b", &json!({}), None), "def tools[\"git\"][\"a-b\"]() -> Any: ...");
        let odd = json!({"inputSchema": {"required": ["a-b"], "properties": {"a-b": {"type": "number"}, "c": {"type": "boolean"}}}});
        let expected = "def tools.s.t(arguments: {\"a-b\": float, \"c\": NotRequired[bool]}) -> Any: ...";
        assert_eq!(of("s", "t", &odd, None), expected);
    }

    #[test]
    fn a_stub_tells_what_answers_looked_like_where_the_server_does_not() {
        let reply = |structured, content| Reply { structured, content, is_error: false };
        let rows = json!({"rows": [{"id": 1}], "by": {"a b": 1.5}});
        let seen = Seen::of(&reply(Some(rows.clone()), Vec::new())).expect("a shape");
        let expected = "def tools.s.t() -> {\"by\": dict[str, float], \"rows\": list[{\"id\": int}]}: ...  \
                        # the type is of answers so far";
        assert_eq!(of("s", "t", &json!({}), Some(&seen)), expected);
        let text = vec![json!({"type": "text", "text": "[1]"})];
        let seen = Seen::of(&reply(None, text)).expect("a shape");
        let expected = "def tools.s.t() -> str: ...  # Lists. | JSON, so far list[int]";
        assert_eq!(of("s", "t", &json!({"description": "Lists."}), Some(&seen)), expected);
        let declared = json!({"outputSchema": {"type": "object"}});
        assert_eq!(of("s", "t", &declared, Some(&seen)), "def tools.s.t() -> dict: ...");
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let definition = json!({"inputSchema": {"properties": {"a": {"$ref": "#/properties/a"}, "b": {"$ref": "#"}}}});
        assert!(of("s", "t", &definition, None).len() < 4_000);
    }
}
