//! The arguments of a call against the schema of its tool, and results against theirs. **This file is a boundary.**
//!
//! A schema is a stranger's program: it may refer to itself without end, or hold patterns that take exponential time. Nothing
//! that it refers to is fetched, patterns have a budget, and a check that could take too many steps does not begin.

use std::fmt::Write as _;

use intentbox_catalog::closest;
use intentbox_catalog::terminal::printable;
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use serde_json::{Map, Value};

/// How many faults one message names.
const FAULTS_MAX: usize = 3;

/// How many steps back a pattern may take before it counts as not matching.
const BACKTRACK_MAX: usize = 10_000;

/// How many steps one check may take. Each takes some ten nanoseconds.
const STEPS_MAX: u32 = 2_000_000;

/// How many steps a pattern counts as.
const PATTERN_STEPS: u32 = 100;

/// How many arguments that a schema does not name are compared with how many that it does: a script may give any number of them, and a
/// schema name as many as fit into it.
const UNKNOWN_MAX: usize = 4;
const KNOWN_MAX: usize = 256;

/// How many characters of a fault a message repeats.
const FAULT_CHARS_MAX: usize = 200;

/// How many subschemas one path may go through, down the schema and the value. It bounds the stack.
const DEPTH_MAX: u32 = 1_000;

/// A schema that values can be checked against.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Value,
    validator: Validator,
}

/// Why a value was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SchemaFault {
    /// The value breaks rules of the schema.
    #[error("{0}")]
    Value(String),
    /// The schema is none.
    #[error("its schema cannot be used: {0}")]
    Invalid(String),
    /// Checking might not end.
    #[error("its schema takes more than {STEPS_MAX} steps to check: it refers to itself too often")]
    Endless,
}

/// The schema without references that lead out of it, which then allow everything: they are kept in the definition, and never
/// fetched.
fn closed(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let leads_out = |name: &str, field: &Value| {
                let text = field.as_str().unwrap_or("#");
                match name {
                    // Which of its revisions counts decides what some keywords mean.
                    "$schema" => !["http://json-schema.org/draft-", "https://json-schema.org/draft"]
                        .iter()
                        .any(|own| text.starts_with(own)),
                    "$id" | "id" => field.is_string(),
                    "$ref" | "$dynamicRef" => !text.starts_with('#'),
                    _ => false,
                }
            };
            let kept = fields.into_iter().filter(|(name, field)| !leads_out(name, field));
            let is_data = |name: &str| matches!(name, "const" | "enum" | "default" | "examples");
            let inner =
                |(name, field): (String, Value)| if is_data(&name) { (name, field) } else { (name, closed(field)) };
            Value::Object(kept.map(inner).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(closed).collect()),
        plain => plain,
    }
}

/// Nothing is ever retrieved.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is not fetched").into())
    }
}

impl Checker {
    /// Prepares a schema.
    ///
    /// # Errors
    /// When it is no schema.
    pub(crate) fn new(schema: Value) -> Result<Self, SchemaFault> {
        let schema = closed(schema);
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_MAX);
        let options = jsonschema::options().with_retriever(Nowhere).with_pattern_options(patterns);
        let built = options.build(&schema);
        let validator = built.map_err(|error| SchemaFault::Invalid(shown(&error.to_string())))?;
        Ok(Self { schema, validator })
    }

    /// Checks a value. The texts name places and rules, and not the values.
    ///
    /// # Errors
    /// The first faults, in one line.
    pub(crate) fn check(&self, value: &Value) -> Result<(), SchemaFault> {
        if !Steps::suffice(&self.schema, value) {
            return Err(SchemaFault::Endless);
        }
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let mut faults = String::new();
        for error in self.validator.iter_errors(value).take(FAULTS_MAX) {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!("`{}`: ", printable(&place)) };
            let separator = if faults.is_empty() { "" } else { "; " };
            let _ = write!(faults, "{separator}{place}{}", shown(&error.masked().to_string()));
        }
        Err(SchemaFault::Value(faults))
    }

    /// An argument that is likely one of the schema's, misspelled: `repo_pth` where `repo_path` is not given. Servers pass over what
    /// they do not know, and would answer another question. A schema that says it takes more is taken at its word.
    pub(crate) fn misspelled(&self, arguments: &Value) -> Option<SchemaFault> {
        let (known, given) = (self.schema.get("properties")?.as_object()?, arguments.as_object()?);
        let takes_more = ["additionalProperties", "patternProperties", "unevaluatedProperties"];
        if takes_more.iter().any(|key| self.schema.get(key).is_some_and(|says| *says != Value::Bool(false))) {
            return None;
        }
        let absent = || known.keys().take(KNOWN_MAX).map(String::as_str).filter(|name| !given.contains_key(*name));
        given.keys().filter(|name| !known.contains_key(*name)).take(UNKNOWN_MAX).find_map(|name| {
            let meant = printable(&closest(name, absent())?);
            Some(SchemaFault::Value(format!("there is no `{}`: did you mean `{meant}`?", shown(name))))
        })
    }
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(FAULT_CHARS_MAX).collect();
    printable(&cut).replace('\n', " ")
}

/// Counts the steps that checking a value may take, and gives up above [`STEPS_MAX`]: where a schema refers to itself without
/// descending into the value, there would be no end, and where it does so twice a level, the steps double with each.
///
/// It follows what a checker follows, and never stops early, so that the real number is at most this one.
struct Steps<'a> {
    root: &'a Value,
    left: u32,
}

impl Steps<'_> {
    /// Whether a check of this value against the schema ends within the budget.
    fn suffice(schema: &Value, value: &Value) -> bool {
        Steps { root: schema, left: STEPS_MAX }.take(schema, value, 0).is_some()
    }

    fn take(&mut self, schema: &Value, value: &Value, depth: u32) -> Option<()> {
        let Value::Object(fields) = schema else { return Some(()) };
        if depth > DEPTH_MAX {
            return None;
        }
        let depth = depth + 1;
        self.spend(1)?;
        for (keyword, rule) in fields {
            match keyword.as_str() {
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let to = rule.as_str().and_then(|pointer| target(self.root, pointer));
                    to.map_or(Some(()), |to| self.take(to, value, depth))?;
                }
                "allOf" | "anyOf" | "oneOf" => self.all(rule, value, depth)?,
                "not" | "if" | "then" | "else" => self.take(rule, value, depth)?,
                "dependentSchemas" | "dependencies" => {
                    for one in rule.as_object().into_iter().flat_map(Map::values) {
                        self.take(one, value, depth)?;
                    }
                }
                "pattern" => self.spend(PATTERN_STEPS)?,
                "properties" => {
                    let (Some(rules), Some(fields)) = (rule.as_object(), value.as_object()) else { continue };
                    for (name, one) in rules {
                        self.spend(1)?;
                        fields.get(name).map_or(Some(()), |field| self.take(one, field, depth))?;
                    }
                }
                "patternProperties" => {
                    for one in rule.as_object().into_iter().flat_map(Map::values) {
                        for field in value.as_object().into_iter().flat_map(Map::values) {
                            self.spend(PATTERN_STEPS)?;
                            self.take(one, field, depth)?;
                        }
                    }
                }
                "propertyNames" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        self.take(rule, &Value::from(name.as_str()), depth)?;
                    }
                }
                "prefixItems" | "items" if rule.is_array() => {
                    for (one, item) in rule.as_array().into_iter().flatten().zip(value.as_array().into_iter().flatten())
                    {
                        self.take(one, item, depth)?;
                    }
                }
                "items" | "additionalItems" | "contains" | "unevaluatedItems" => {
                    for item in value.as_array().into_iter().flatten() {
                        self.take(rule, item, depth)?;
                    }
                }
                "additionalProperties" | "unevaluatedProperties" => {
                    for field in value.as_object().into_iter().flat_map(Map::values) {
                        self.take(rule, field, depth)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    fn all(&mut self, rules: &Value, value: &Value, depth: u32) -> Option<()> {
        rules.as_array().into_iter().flatten().try_for_each(|one| self.take(one, value, depth))
    }

    fn spend(&mut self, steps: u32) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

/// What a local reference points to: the whole schema, a JSON pointer, or an anchor.
fn target<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    let pointer = pointer.strip_prefix('#')?;
    if pointer.is_empty() || pointer.starts_with('/') {
        return root.pointer(&pointer.replace("%25", "%"));
    }
    anchored(root, pointer)
}

fn anchored<'a>(schema: &'a Value, anchor: &str) -> Option<&'a Value> {
    match schema {
        Value::Object(fields) => {
            let is_it = ["$anchor", "$dynamicAnchor"]
                .into_iter()
                .any(|name| fields.get(name).and_then(Value::as_str) == Some(anchor));
            if is_it { Some(schema) } else { fields.values().find_map(|field| anchored(field, anchor)) }
        }
        Value::Array(items) => items.iter().find_map(|item| anchored(item, anchor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(schema: &Value, value: &Value) -> Result<(), String> {
        let checked = Checker::new(schema.clone()).and_then(|checker| checker.check(value));
        checked.map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_fault_names_the_place_and_the_rule_and_not_the_value() {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]});
        assert_eq!(checked(&schema, &json!({"n": 1})), Ok(()));
        for (value, part) in [
            (json!({}), "\"n\" is a required property"),
            (json!({"n": "hunter2"}), "`/n`: value is not of type \"integer\""),
            (json!({"n": -1}), "`/n`: value is less than the minimum of 0"),
        ] {
            let fault = checked(&schema, &value).expect_err("it breaks a rule");
            assert!(fault.contains(part) && !fault.contains("hunter2"), "{fault}");
        }
    }

    #[test]
    fn m07_nothing_is_fetched_and_nothing_goes_on_for_ever() {
        for outside in ["https://a.example/x.json", "file:///etc/passwd", "http://169.254.169.254/", "other.json#/a"] {
            let schema = json!({"properties": {"a": {"$ref": outside}}, "required": ["a"]});
            assert_eq!(checked(&schema, &json!({"a": 5})), Ok(()), "{outside}");
        }
        for circle in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
            json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}),
            json!({"$ref": "#me", "$defs": {"a": {"$anchor": "me", "$ref": "#me"}}}),
        ] {
            assert_eq!(checked(&circle, &json!({"x": {}})), Err(SchemaFault::Endless.to_string()), "{circle}");
        }
        // No circle, and twice as many steps with each of forty definitions.
        let mut definitions = Map::new();
        for number in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            definitions.insert(format!("d{number}"), json!({"anyOf": [next, next]}));
        }
        definitions.insert("d40".to_owned(), json!({}));
        let doubling = json!({"$ref": "#/$defs/d0", "$defs": definitions});
        assert_eq!(checked(&doubling, &json!({})), Err(SchemaFault::Endless.to_string()));
        // A tree refers to itself, and descends each time.
        let tree = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        assert_eq!(checked(&tree, &json!({"child": {"child": {}}})), Ok(()));
        assert!(checked(&tree, &json!({"child": {"child": 5}})).is_err());
    }

    #[test]
    fn an_argument_that_is_misspelled_is_told() {
        let of = |more: &Value| {
            let mut schema = json!({"properties": {"repo_path": {}, "max_count": {}}});
            schema.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            Checker::new(schema).expect("a schema")
        };
        let plain = of(&json!({}));
        for (arguments, told) in [
            (json!({"repo_pth": "."}), Some("there is no `repo_pth`: did you mean `repo_path`?")),
            (json!({"repo_path": ".", "repo_pth": "."}), None),
            (json!({"since": "monday"}), None),
            (json!({"repo_path": "."}), None),
            (json!(5), None),
        ] {
            let told = told.map(|told| SchemaFault::Value(told.to_owned()));
            assert_eq!(plain.misspelled(&arguments), told, "{arguments}");
        }
        let unknown = |count: usize| {
            let mut given: Map<String, Value> = (0..count).map(|number| (format!("a{number}"), json!(1))).collect();
            given.insert("repo_pth".to_owned(), json!("."));
            plain.misspelled(&Value::Object(given)).is_some()
        };
        assert_eq!([unknown(UNKNOWN_MAX - 1), unknown(UNKNOWN_MAX)], [true, false]);
        for more in [json!({"additionalProperties": true}), json!({"patternProperties": {"^repo": {}}})] {
            assert_eq!(of(&more).misspelled(&json!({"repo_pth": "."})), None, "{more}");
        }
    }

    #[test]
    fn m07_a_pattern_has_a_budget() {
        let schema = json!({"properties": {"a": {"pattern": "^(a+)+(?!x)$"}}});
        let value = json!({"a": format!("{}b", "a".repeat(60))});
        assert!(checked(&schema, &value).is_err(), "what takes too long does not match");
    }

    #[test]
    fn what_is_no_schema_is_said_so() {
        assert!(
            checked(&json!({"type": "text"}), &json!({}))
                .expect_err("no type")
                .starts_with("its schema cannot be used: ")
        );
    }
}
