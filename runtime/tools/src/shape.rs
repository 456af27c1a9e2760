//! What the answers of a tool look like: the names and types of their fields, learned from answers where its server does not say.
//!
//! Nine of ten real tools declare no `outputSchema`, and a script cannot be written for an answer that nobody knows. A shape
//! holds no value of an answer. An object with names that are data, such as one keyed by users, is a map without names.

use std::collections::{BTreeMap, BTreeSet};

use intentbox_catalog::json::{Counter, parse_value};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::reply::Reply;

/// How deep a shape goes. What lies deeper is anything.
const DEPTH_MAX: usize = 6;

/// How many fields of an object are names. An object with more is a map.
const FIELDS_MAX: usize = 40;

/// The longest name of a field, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// How many items of a list are looked at.
const ITEMS_MAX: usize = 20;

/// How many values of one answer are looked at.
const VALUES_MAX: u32 = 2_000;

/// The longest text that is tried as JSON, in bytes, and the most values that it may have.
const TEXT_BYTES_MAX: usize = 256 << 10;
const TEXT_NODES_MAX: usize = 50_000;

/// What the answers of a tool look like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Whether they came as a text that holds JSON, which a script has to parse.
    pub is_text: bool,
    shape: Shape,
}

/// The types of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    kinds: BTreeSet<Kind>,
    /// The fields of objects; nothing where they are maps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, Shape>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_map: bool,
    /// What lists and maps hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Box<Shape>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Seen {
    /// The shape of an answer: of its structured content, or of a text that holds an object or a list as JSON. Any other text has
    /// none.
    #[must_use]
    pub fn of(reply: &Reply) -> Option<Self> {
        if let Some(value) = &reply.structured {
            return Some(Self { is_text: false, shape: Shape::of(value, DEPTH_MAX, &mut VALUES_MAX.clone()) });
        }
        let text = reply.text();
        let is_one = text.len() <= TEXT_BYTES_MAX && text.trim_start().starts_with(['{', '[']);
        if !is_one || Counter::up_to(TEXT_NODES_MAX).count(&text).is_err() {
            return None;
        }
        let value = parse_value(&text).ok()?;
        Some(Self { is_text: true, shape: Shape::of(&value, DEPTH_MAX, &mut VALUES_MAX.clone()) })
    }

    /// The shape of both. An answer of another kind takes the place of the ones before.
    #[must_use]
    pub fn with(self, other: Seen) -> Self {
        if self.is_text != other.is_text {
            return other;
        }
        Self { is_text: self.is_text, shape: self.shape.with(other.shape) }
    }

    /// The shape as a schema of JSON: `type`, `properties`, `additionalProperties` and `items`.
    #[must_use]
    pub fn schema(&self) -> Value {
        self.shape.schema()
    }

    /// The shape as bytes: JSON, whose reader bounds how deep it goes.
    ///
    /// # Panics
    /// Never: names and words serialize.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("names and words serialize")
    }

    /// Reads a shape back; nothing if it is of another version of this program, or damaged.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(bytes).ok()
    }
}

impl Shape {
    fn of(value: &Value, depth: usize, values: &mut u32) -> Self {
        *values = values.saturating_sub(1);
        if depth == 0 || *values == 0 {
            return Self::default();
        }
        let kind = match value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(number) if number.is_i64() || number.is_u64() => Kind::Integer,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        };
        let mut shape = Self { kinds: BTreeSet::from([kind]), ..Self::default() };
        match value {
            Value::Array(items) => {
                let items = items.iter().take(ITEMS_MAX).map(|item| Self::of(item, depth - 1, values));
                shape.items = items.reduce(Self::with).map(Box::new);
            }
            Value::Object(fields) => {
                shape.is_map = fields.len() > FIELDS_MAX || !fields.keys().all(|name| is_name(name));
                let fields = fields.iter().take(FIELDS_MAX);
                if shape.is_map {
                    let items = fields.map(|(_, value)| Self::of(value, depth - 1, values));
                    shape.items = items.reduce(Self::with).map(Box::new);
                } else {
                    shape.fields =
                        fields.map(|(name, value)| (name.clone(), Self::of(value, depth - 1, values))).collect();
                }
            }
            _ => {}
        }
        shape
    }

    /// The shape of both.
    fn with(mut self, other: Shape) -> Self {
        self.kinds.extend(other.kinds);
        self.is_map |= other.is_map;
        for (name, field) in other.fields {
            let known = self.fields.remove(&name).unwrap_or_default();
            self.fields.insert(name, known.with(field));
        }
        self.is_map |= self.fields.len() > FIELDS_MAX;
        let mut items = match (self.items.take(), other.items) {
            (Some(one), Some(two)) => Some(Box::new(one.with(*two))),
            (one, two) => one.or(two),
        };
        if self.is_map {
            let fields = std::mem::take(&mut self.fields).into_values();
            items = fields.chain(items.take().map(|items| *items)).reduce(Self::with).map(Box::new);
        }
        self.items = items;
        self
    }

    fn schema(&self) -> Value {
        let mut schema = Map::new();
        // A whole number is a number.
        let has_number = self.kinds.contains(&Kind::Number);
        let kinds = self.kinds.iter().filter(|kind| !(has_number && **kind == Kind::Integer));
        let kinds: Vec<&str> = kinds.map(|kind| kind.name()).collect();
        match kinds.as_slice() {
            [] => return json!({}),
            [one] => schema.insert("type".to_owned(), json!(one)),
            several => schema.insert("type".to_owned(), json!(several)),
        };
        let items = self.items.as_ref().map(|items| items.schema());
        if self.kinds.contains(&Kind::Object) && self.is_map {
            schema.insert("additionalProperties".to_owned(), items.clone().unwrap_or_else(|| json!({})));
        } else if !self.fields.is_empty() {
            let fields: Map<String, Value> =
                self.fields.iter().map(|(name, field)| (name.clone(), field.schema())).collect();
            schema.insert("properties".to_owned(), Value::Object(fields));
        }
        if self.kinds.contains(&Kind::Array)
            && let Some(items) = items
        {
            schema.insert("items".to_owned(), items);
        }
        Value::Object(schema)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// Whether a key is the name of a field, and not data.
fn is_name(key: &str) -> bool {
    let begins = key.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || b"_$@".contains(&first));
    begins
        && key.len() <= NAME_BYTES_MAX
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-$@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn structured(value: Value) -> Seen {
        Seen::of(&Reply { structured: Some(value), content: Vec::new(), is_error: false }).expect("a shape")
    }

    fn texts(text: &str) -> Option<Seen> {
        Seen::of(&Reply { structured: None, content: vec![json!({"type": "text", "text": text})], is_error: false })
    }

    #[test]
    fn a_shape_has_names_and_types_and_no_values() {
        let seen = structured(json!({
            "total": 2, "next": null, "rows": [{"id": 1, "score": 0.5}, {"id": "a", "tags": ["x"]}],
        }));
        let expected = json!({"type": "object", "properties": {
            "next": {"type": "null"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {
                "id": {"type": ["integer", "string"]}, "score": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
            }}},
            "total": {"type": "integer"},
        }});
        assert_eq!(seen.schema(), expected);
        let more = seen.with(structured(json!({"total": 2.5, "next": "c", "rows": []})));
        assert_eq!(more.schema()["properties"]["total"], json!({"type": "number"}));
        assert_eq!(more.schema()["properties"]["next"], json!({"type": ["null", "string"]}));
    }

    #[test]
    fn keys_that_are_data_are_not_kept() {
        for key in ["ada@example.com x", "17", "a b", "", "ü"] {
            let seen = structured(json!({"by_user": {key: {"count": 1}}}));
            let expected = json!({"type": "object", "additionalProperties":
                {"type": "object", "properties": {"count": {"type": "integer"}}}});
            assert_eq!(seen.schema()["properties"]["by_user"], expected, "{key}");
        }
        let many = |count: usize| {
            let fields: Map<String, Value> = (0..count).map(|number| (format!("k{number}"), json!(1))).collect();
            structured(Value::Object(fields)).schema()
        };
        assert_eq!(many(FIELDS_MAX)["properties"].as_object().map(Map::len), Some(FIELDS_MAX));
        assert_eq!(many(FIELDS_MAX + 1), json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    }

    #[test]
    fn a_text_has_a_shape_only_if_it_holds_json() {
        let seen = texts(" [{\"a\": 1}]").expect("a shape");
        assert!(seen.is_text);
        let expected = json!({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}});
        assert_eq!(seen.schema(), expected);
        for text in ["5", "\"a\"", "Commit history:", "{\"a\"", "[1] and more", ""] {
            assert_eq!(texts(text), None, "{text}");
        }
        assert_eq!(seen.with(structured(json!(1))), structured(json!(1)), "the newest kind counts");
    }

    #[test]
    fn a_large_answer_is_looked_at_in_part() {
        let deep = (0..100).fold(json!(1), |inner, _| json!({"a": inner}));
        assert!(structured(deep).schema().to_string().len() < 400);
        let wide: Vec<Value> = (0..10_000).map(|number| json!({format!("k{number}"): number})).collect();
        assert!(structured(json!(wide)).schema().to_string().len() < 4_000);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z ]{0,5}".prop_map(Value::from)
        ];
        leaf.prop_recursive(8, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z ]{0,4}", inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn shapes_of_the_same_values_are_the_same_in_any_order(one in any_json(), two in any_json(), three in any_json()) {
            let [one, two, three] = [one, two, three].map(structured);
            let left = one.clone().with(two.clone()).with(three.clone());
            prop_assert_eq!(&left, &one.clone().with(two.clone().with(three)));
            prop_assert_eq!(one.clone().with(two.clone()), two.with(one.clone()));
            prop_assert_eq!(&one.clone().with(one.clone()), &one);
            prop_assert_eq!(Seen::decode(&left.encode()), Some(left));
        }

        #[test]
        fn any_text_is_a_shape_or_none(text in ".{0,200}") {
            let _ = Seen::decode(text.as_bytes());
        }
    }
}
