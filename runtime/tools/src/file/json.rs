//! JSON as people write it into configuration files: with comments, and with keys that come twice.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of an object in their order, each with its text. A key can come twice.
///
/// # Errors
/// When the text is not a JSON object.
pub(super) fn fields(text: &str) -> Result<Vec<(String, Box<RawValue>)>, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let fields = reader.deserialize_map(Fields)?;
    reader.end()?;
    Ok(fields)
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, Box<RawValue>)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry::<String, Box<RawValue>>()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

/// The text without `//` and `/* */` comments, without commas before a closing bracket, and without a byte order mark. Strings
/// stay as they are; line ends do, too, so that errors name the right line.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_string => {
                plain.push(letter);
                plain.extend(letters.next());
                continue;
            }
            '"' => in_string = !in_string,
            '/' if !in_string && letters.peek() == Some(&'/') => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
                continue;
            }
            '/' if !in_string && letters.peek() == Some(&'*') => {
                letters.next();
                let mut last = ' ';
                for letter in letters.by_ref() {
                    if letter == '\n' {
                        plain.push('\n');
                    }
                    if last == '*' && letter == '/' {
                        break;
                    }
                    last = letter;
                }
                plain.push(' ');
                continue;
            }
            '}' | ']' if !in_string => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.replace_range(end - 1..end, " ");
                }
            }
            _ => {}
        }
        plain.push(letter);
    }
    if plain == text { Cow::Borrowed(text) } else { Cow::Owned(plain) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_go() {
        for (text, expected) in [
            ("{\"a\": 1, // one\n}", "{\"a\": 1  \n}"),
            ("{/* a\nb */\"a\":\"//x\"}", "{\n \"a\":\"//x\"}"),
            (r#"{"a":"\"/*","b":[1,],}"#, r#"{"a":"\"/*","b":[1 ] }"#),
            ("\u{feff}{}", "{}"),
            ("{/*", "{ "),
            ("/", "/"),
        ] {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_seen_twice() {
        let found = fields(r#"{"a":1,"b":{"c":2},"a":[3]}"#).expect("an object");
        let found: Vec<(&str, &str)> = found.iter().map(|(key, value)| (key.as_str(), value.get())).collect();
        assert_eq!(found, [("a", "1"), ("b", r#"{"c":2}"#), ("a", "[3]")]);
        for text in ["", "[]", "5", "{} {}", "{\"a\"}"] {
            assert!(fields(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_json_stays_as_it_is(key in ".{0,20}", value in ".{0,20}") {
            let text = json!({key: value, "list": [1, {}]}).to_string();
            prop_assert_eq!(without_comments(&text), text.as_str());
        }

        #[test]
        fn any_text_goes_through(text in "[\\\\\"/*\n,{}\\[\\]a ]{0,40}") {
            let _ = without_comments(&text);
            let _ = fields(&text);
        }
    }
}
