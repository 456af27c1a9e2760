//! A key that the JSON library keeps for itself. Read into a value, an object with this key becomes whatever JSON its text
//! holds: what was checked and shown as a text would count as something else.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// The start of such keys, as `serde_json` names them for the types of its own that hold raw text.
const KEY: &str = "$serde_json::private::";

/// What is said of a message that holds one.
pub(crate) const REFUSED: &str = "a message must not hold the key `$serde_json::private::…`";

/// Whether some object in this JSON has such a key. What is no JSON has none.
pub(crate) fn is_in(json: &[u8]) -> bool {
    // Almost no message has the letters, or an escape that could stand for one of them.
    let may_hold = json.windows(2).any(|pair| pair == b"$s" || pair == b"\\u");
    may_hold && serde_json::Deserializer::from_slice(json).deserialize_any(Walk).unwrap_or(false)
}

/// Walks through a value, and keeps nothing of it.
#[derive(Clone, Copy)]
struct Walk;

impl<'de> DeserializeSeed<'de> for Walk {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(key) = map.next_key::<String>()? {
            found |= key.starts_with(KEY);
            found |= map.next_value_seed(self)?;
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(inside) = items.next_element_seed(self)? {
            found |= inside;
        }
        Ok(found)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_however_it_is_written_and_only_where_it_is_a_key() {
        for (json, expected) in [
            (r#"{"$serde_json::private::RawValue": "5"}"#, true),
            (r#"{"$serde_json::private::Number": "5"}"#, true),
            (r#"[1, {"a": {"$serde_json::private::RawValue": "5"}}]"#, true),
            (r#"{"\u0024serde_json::private::RawValue": "5"}"#, true),
            (r#"{"$\u0073erde_json::private::RawValue": "5"}"#, true),
            (r#"{"a": "$serde_json::private::RawValue"}"#, false),
            (r#"{"$serde": 1, "price": "$5", "letter": "\u00e9"}"#, false),
            (r#"{"$serde_json::private::RawValue": "#, false),
            ("", false),
        ] {
            assert_eq!(is_in(json.as_bytes()), expected, "{json}");
        }
        let plain: serde_json::Value =
            serde_json::from_str(r#"{"$serde_json::private::RawValue": "[5]"}"#).expect("JSON");
        assert_eq!(plain, serde_json::json!([5]), "this is what it is about");
    }
}
