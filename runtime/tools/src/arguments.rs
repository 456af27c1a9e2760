//! The arguments of a call against the schema of its tool, and results against theirs. **This file is a boundary.**
//!
//! A schema is a stranger's program: it may refer to itself without end, or hold patterns that take exponential time. Nothing
//! that it refers to is fetched, patterns have a budget, and a check that could take too many steps does not begin.

use intentbox_catalog::closest;
use intentbox_catalog::terminal::printable;
use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde_json::{Map, Value};

/// How many faults one message names.
const FAULTS_MAX: usize = 3;

/// How many steps back a pattern may take before it counts as not matching.
const BACKTRACK_MAX: usize = 10_000;

/// How many steps one check may take. Each takes some ten nanoseconds.
const STEPS_MAX: u32 = 2_000_000;

/// How many steps a pattern counts as, besides the bytes that it is matched against.
const PATTERN_STEPS: u32 = 100;

/// How many patterns a schema may have, and how many bytes each may take: they are compiled before anything is checked.
const PATTERNS_MAX: usize = 64;
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// Up to how many steps a check may have taken for all its faults to be looked for. The validator makes a list of all of them before it
/// gives the first.
const ALL_FAULTS_STEPS_MAX: u32 = 50_000;

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
    #[error("its schema takes more than {STEPS_MAX} steps to check")]
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
        if patterns(&schema) > PATTERNS_MAX {
            return Err(SchemaFault::Invalid(format!("it has more than {PATTERNS_MAX} patterns")));
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_MAX).size_limit(PATTERN_BYTES_MAX);
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
        let steps = Steps::of(&self.schema, value).ok_or(SchemaFault::Endless)?;
        let Err(first) = self.validator.validate(value) else { return Ok(()) };
        if steps > ALL_FAULTS_STEPS_MAX {
            return Err(SchemaFault::Value(told(&first)));
        }
        let faults: Vec<String> =
            self.validator.iter_errors(value).take(FAULTS_MAX).map(|error| told(&error)).collect();
        Err(SchemaFault::Value(faults.join("; ")))
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
            // `repo` is a part of `repo_path`, where it is of no other.
            let mut whole = absent().filter(|known| known.split(['_', '-', '.']).any(|part| part == name));
            let whole = whole.next().filter(|_| whole.next().is_none());
            let meant = printable(&closest(name, absent()).or_else(|| whole.map(str::to_owned))?);
            Some(SchemaFault::Value(format!("there is no `{}`: did you mean `{meant}`?", shown(name))))
        })
    }
}

/// A fault: its place, and the rule without the value.
fn told(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let place = if place.is_empty() { String::new() } else { format!("`{}`: ", printable(&place)) };
    format!("{place}{}", shown(&error.masked().to_string()))
}

/// How many patterns a schema has.
fn patterns(schema: &Value) -> usize {
    match schema {
        Value::Object(fields) => {
            let own = match (fields.get("pattern"), fields.get("patternProperties")) {
                (pattern, Some(Value::Object(named))) => {
                    named.len() + usize::from(pattern.is_some_and(Value::is_string))
                }
                (pattern, _) => usize::from(pattern.is_some_and(Value::is_string)),
            };
            own + fields.values().map(patterns).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(patterns).sum(),
        _ => 0,
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

impl<'a> Steps<'a> {
    /// How many steps a check of this value against the schema takes at most; nothing if they are more than the budget.
    fn of(schema: &'a Value, value: &Value) -> Option<u32> {
        let mut steps = Steps { root: schema, left: STEPS_MAX };
        steps.take(schema, value, 0)?;
        Some(STEPS_MAX - steps.left)
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
                    let to = match rule.as_str() {
                        Some(pointer) => self.target(pointer).ok()?,
                        None => None,
                    };
                    to.map_or(Some(()), |to| self.take(to, value, depth))?;
                }
                "allOf" | "anyOf" | "oneOf" => self.all(rule, value, depth)?,
                "not" | "if" | "then" | "else" => self.take(rule, value, depth)?,
                "dependentSchemas" | "dependencies" => {
                    for one in rule.as_object().into_iter().flat_map(Map::values) {
                        self.take(one, value, depth)?;
                    }
                }
                "pattern" => self.spend_on_pattern(value.as_str().unwrap_or_default())?,
                "enum" | "required" => self.spend_on_each(rule.as_array().map_or(0, Vec::len))?,
                "dependentRequired" => {
                    for names in rule.as_object().into_iter().flat_map(Map::values) {
                        self.spend_on_each(1 + names.as_array().map_or(0, Vec::len))?;
                    }
                }
                "uniqueItems" => self.spend_on_each(value.as_array().map_or(0, Vec::len))?,
                "properties" => {
                    let (Some(rules), Some(fields)) = (rule.as_object(), value.as_object()) else { continue };
                    for (name, one) in rules {
                        self.spend(1)?;
                        fields.get(name).map_or(Some(()), |field| self.take(one, field, depth))?;
                    }
                }
                "patternProperties" => {
                    for one in rule.as_object().into_iter().flat_map(Map::values) {
                        for (name, field) in value.as_object().into_iter().flatten() {
                            self.spend_on_pattern(name)?;
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

    fn spend_on_each(&mut self, count: usize) -> Option<()> {
        self.spend(u32::try_from(count).ok()?)
    }

    fn spend_on_pattern(&mut self, text: &str) -> Option<()> {
        self.spend(PATTERN_STEPS)?;
        self.spend_on_each(text.len())
    }

    /// What a local reference points to: the whole schema, a JSON pointer, or an anchor, for which the schema is searched each time.
    ///
    /// # Errors
    /// When that takes too many steps.
    fn target(&mut self, pointer: &str) -> Result<Option<&'a Value>, SchemaFault> {
        let Some(pointer) = pointer.strip_prefix('#') else { return Ok(None) };
        if pointer.is_empty() || pointer.starts_with('/') {
            return Ok(self.root.pointer(&pointer.replace("%25", "%")));
        }
        self.anchored(self.root, pointer)
    }

    fn anchored(&mut self, schema: &'a Value, anchor: &str) -> Result<Option<&'a Value>, SchemaFault> {
        self.spend(1).ok_or(SchemaFault::Endless)?;
        let mut inner: Vec<&'a Value> = Vec::new();
        match schema {
            Value::Object(fields) => {
                let is_it = ["$anchor", "$dynamicAnchor"]
                    .into_iter()
                    .any(|name| fields.get(name).and_then(Value::as_str) == Some(anchor));
                if is_it {
                    return Ok(Some(schema));
                }
                inner.extend(fields.values());
            }
            Value::Array(items) => inner.extend(items),
            _ => {}
        }
        for one in inner {
            if let Some(found) = self.anchored(one, anchor)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
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
    fn a_check_that_would_take_long_or_fill_the_memory_does_not_begin() {
        let many = |count: usize, item: &Value| Value::Array(vec![item.clone(); count]);
        let names = |count: usize| -> Value { (0..count).map(|number| format!("n{number}")).collect() };
        let anchors = json!({"items": {"$ref": "#z"}, "$defs": {"a": {"examples": many(3_000, &json!({}))}, "z": {"$anchor": "z"}}});
        let endless = Err(SchemaFault::Endless.to_string());
        for (what, schema, item, few, much) in [
            ("an anchor is looked for", anchors, json!(1), 600, 700),
            ("values are compared", json!({"items": {"enum": names(1_000)}}), json!("n1"), 1_900, 2_100),
            ("a pattern reads a text", json!({"items": {"pattern": "^a*$"}}), json!("a".repeat(900)), 1_900, 2_100),
        ] {
            assert_eq!(checked(&schema, &many(few, &item)), Ok(()), "{what}");
            assert_eq!(checked(&schema, &many(much, &item)), endless, "{what}");
        }
        let required = json!({"items": {"required": names(1_000)}});
        assert_eq!(checked(&required, &many(2_100, &json!({}))), endless);
        // Of many faults the first is told, and of few some more.
        let faults = |count: usize| checked(&required, &many(count, &json!({}))).expect_err("names are missing");
        assert_eq!([faults(10).matches("; ").count(), faults(100).matches("; ").count()], [2, 0]);
    }

    #[test]
    fn patterns_are_few_and_small() {
        let with = |count: usize, pattern: &str| {
            let all: Vec<Value> = (0..count).map(|number| json!({"pattern": format!("{pattern}{number}")})).collect();
            Checker::new(json!({"anyOf": all})).map(|_| ()).map_err(|fault| fault.to_string())
        };
        assert_eq!(with(PATTERNS_MAX, "a"), Ok(()));
        assert_eq!(
            with(PATTERNS_MAX + 1, "a"),
            Err("its schema cannot be used: it has more than 64 patterns".to_owned())
        );
        assert_eq!(with(1, r"^[\w.-]{1,64}$"), Ok(()));
        assert!(with(1, r"\p{L}{4000}").is_err());
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
            (json!({"repo": "."}), Some("there is no `repo`: did you mean `repo_path`?")),
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
