//! Untrusted JSON: parsed into values, or counted without building any.
//!
//! The JSON library reserves some keys. Its own parser turns an object with the key `$serde_json::private::RawValue`
//! into whatever JSON the text below it holds: the value that was checked would not be the value that was sent. The
//! parser here has no reserved keys, so an object is an object.
//!
//! A value takes up to 300 bytes of memory for one byte of text. To bound that, count first: [`Counter`] and [`Shape`]
//! scan a text and keep nothing of it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The prefix of the keys that the JSON library reserves.
const RESERVED: &str = "$serde_json::private::";

/// Parses a JSON text. Every key is data, whatever its name.
///
/// # Errors
/// When it is not JSON, or is nested more than 127 levels deep.
///
/// ```
/// use intentbox_catalog::json::parse_value;
///
/// let value = parse_value(r#"{"$serde_json::private::RawValue": "[5]"}"#)?;
/// assert_eq!(value.to_string(), r#"{"$serde_json::private::RawValue":"[5]"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn parse_value(text: &str) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Plain.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Parses an object as [`parse_value`] does: for a field of a type that serde derives.
///
/// # Errors
/// When it is not an object, or not JSON.
pub fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    deserializer.deserialize_map(Object)
}

/// Builds a value.
#[derive(Clone, Copy)]
struct Plain;

/// Builds an object.
struct Object;

impl<'de> DeserializeSeed<'de> for Plain {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object {
    type Value = Map<String, Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<String, Value>, A::Error> {
        let mut pairs = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            pairs.insert(key, map.next_value_seed(Plain)?);
        }
        Ok(pairs)
    }
}

impl<'de> Visitor<'de> for Plain {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        Object.visit_map(map).map(Value::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Plain)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// Counts the values and keys of JSON texts, up to a bound, and keeps nothing of them. The texts are read as strictly as
/// values are: numbers in range, whole characters, at most 127 levels.
#[derive(Debug)]
pub struct Counter {
    nodes: usize,
    most: usize,
    has_reserved_key: bool,
}

impl Counter {
    /// A counter that ends with an error at the first value or key beyond `most`.
    #[must_use]
    pub fn up_to(most: usize) -> Self {
        Self { nodes: 0, most, has_reserved_key: false }
    }

    /// Values and keys so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether there were more than the bound, and counting ended there.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.nodes > self.most
    }

    /// Whether a key was one that the JSON library reserves.
    #[must_use]
    pub fn has_reserved_key(&self) -> bool {
        self.has_reserved_key
    }

    /// Counts a whole text.
    ///
    /// # Errors
    /// When it is not JSON, or has more values and keys than the bound.
    pub fn count(&mut self, text: &str) -> Result<(), serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        self.deserialize(&mut reader)?;
        reader.end()
    }

    /// Counts a key.
    ///
    /// # Errors
    /// When it is one too many.
    pub fn key<E: Error>(&mut self, key: &str) -> Result<(), E> {
        self.has_reserved_key |= key.starts_with(RESERVED);
        self.node()
    }

    fn node<E: Error>(&mut self) -> Result<(), E> {
        self.nodes += 1;
        if self.is_over() { Err(E::custom(format_args!("more than {} values and keys", self.most))) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Counter {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Counter {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.node::<A::Error>()?;
        while map.next_key_seed(Key(&mut *self))?.is_some() {
            map.next_value_seed(&mut *self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.node::<A::Error>()?;
        while items.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.node()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.node()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.node()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.node()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.node()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.node()
    }
}

/// Counts one key.
struct Key<'c>(&'c mut Counter);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.0.key(key)
    }
}

/// The outermost level of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A list, with the number of its items.
    List(usize),
    /// An object, with its first keys, and whether there are more.
    Object {
        /// As many as were asked for.
        keys: Vec<String>,
        /// Whether these are not all.
        has_more: bool,
    },
    /// Anything else.
    Plain,
}

impl Shape {
    /// Scans a text, and the names of at most `keys_max` keys.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn of(text: &str, keys_max: usize) -> Result<Shape, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let shape = reader.deserialize_any(Outermost { keys_max })?;
        reader.end()?;
        Ok(shape)
    }
}

struct Outermost {
    keys_max: usize,
}

impl<'de> Visitor<'de> for Outermost {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let (mut keys, mut has_more) = (Vec::new(), false);
        while keys.len() < self.keys_max {
            let Some(key) = map.next_key::<String>()? else { break };
            map.next_value::<IgnoredAny>()?;
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(Shape::Object { keys, has_more })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let mut count = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Shape::List(count))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_read_as_the_library_reads_it() {
        for text in [
            "null",
            "true",
            "-7",
            "18446744073709551615",
            "1.5",
            "1e3",
            "\"a\\u00e9\\ud83e\\udd80\"",
            "[]",
            "{}",
            "[1, [2, {\"b\": [null, false]}], \"x\"]",
            "{\"z\": 1, \"a\": {\"n\": []}, \"z\": 2}",
        ] {
            let expected: Value = serde_json::from_str(text).expect("it is JSON");
            let value = parse_value(text).expect("it is JSON");
            assert_eq!((value.to_string(), &value), (expected.to_string(), &expected), "{text}");
        }
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for text in ["", "{", "[1,]", "1e999", "\"\\ud800\"", "{} {}", "{5: 1}", &deep(128)] {
            assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
            assert!(parse_value(text).is_err(), "{text}");
            assert!(Counter::up_to(usize::MAX).count(text).is_err(), "{text}");
        }
        assert!(parse_value(&deep(127)).is_ok());
    }

    #[test]
    fn c10_a_key_that_the_library_keeps_for_itself_is_data() {
        for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
            for text in [
                format!("{{\"{key}\":\"[5]\"}}"),
                format!("{{\"a\":[{{\"{key}\":\"{{\"}}]}}"),
                format!("{{\"b\":1,\"{key}\":\"no JSON\"}}"),
            ] {
                assert_eq!(parse_value(&text).expect("it is JSON").to_string(), text);
            }
        }
        let wrapped: Value = serde_json::from_str(r#"{"$serde_json::private::RawValue": "[5]"}"#).expect("JSON");
        assert_eq!(wrapped, json!([5]), "this is what it is about");
        let value = json!({"a": parse_value(r#"{"$serde_json::private::RawValue": "[5]"}"#).expect("JSON")});
        assert_eq!(object(value.clone()).map(Value::Object).expect("it is an object"), value, "also out of a value");
    }

    #[test]
    fn values_and_keys_are_counted_and_counting_ends_at_its_bound() {
        for (text, nodes) in [
            ("5", 1),
            ("[]", 1),
            ("[1, 2, 3]", 4),
            ("{\"a\": 1, \"a\": 2}", 5),
            ("[[[[0]]]]", 5),
            ("{\"a\": {\"b\": [null, true, 1.5, \"x\"]}}", 9),
        ] {
            let mut counter = Counter::up_to(nodes);
            counter.count(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((counter.nodes(), counter.is_over()), (nodes, false), "{text}");
            let mut counter = Counter::up_to(nodes - 1);
            assert!(counter.count(text).is_err() && counter.is_over(), "{text}");
        }
        let mut ended = Counter::up_to(10);
        assert!(ended.count(&format!("[{}no JSON", "0,".repeat(100))).is_err());
        assert_eq!(ended.nodes(), 11, "what follows is not read");
    }

    #[test]
    fn a_reserved_key_is_found_however_it_is_written_and_only_where_it_is_a_key() {
        for (text, expected) in [
            (r#"{"$serde_json::private::RawValue": "5"}"#, true),
            (r#"{"$serde_json::private::Number": "5"}"#, true),
            (r#"[1, {"a": {"$serde_json::private::RawValue": "5"}}]"#, true),
            (r#"{"\u0024serde_json::private::RawValue": "5"}"#, true),
            (r#"{"$\u0073erde_json::private::RawValue": "5"}"#, true),
            (r#"{"a": "$serde_json::private::RawValue"}"#, false),
            (r#"{"$serde": 1, "price": "$5", "letter": "\u00e9"}"#, false),
        ] {
            let mut counter = Counter::up_to(usize::MAX);
            counter.count(text).expect("it is JSON");
            assert_eq!(counter.has_reserved_key(), expected, "{text}");
        }
    }

    #[test]
    fn the_shape_is_the_outermost_level() {
        let object = |keys: &[&str], has_more| Shape::Object {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            has_more,
        };
        for (text, expected) in [
            ("[]", Shape::List(0)),
            ("[[1, 2], {\"a\": 3}, null]", Shape::List(3)),
            ("{}", object(&[], false)),
            ("{\"a\": [1], \"b\": {\"c\": 2}}", object(&["a", "b"], false)),
            ("{\"a\": 1, \"b\": 2, \"c\": 3}", object(&["a", "b"], true)),
            ("\"text\"", Shape::Plain),
            ("null", Shape::Plain),
            ("-1.5", Shape::Plain),
        ] {
            assert_eq!(Shape::of(text, 2).expect("it is JSON"), expected, "{text}");
        }
        assert!(Shape::of("[1", 2).is_err());
    }
}
