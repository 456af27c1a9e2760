//! Python literals: the one way a value becomes source text. **This file is a boundary.**
//!
//! Invariant: for every JSON value, the text written here is one line of printable ASCII which Python reads as one
//! complete expression, a literal equal to that value, whatever characters the value holds.
//!
//! So no value can end its string, start a comment, open a second line or look different to a reader than to Python.
//! Both kinds of quotes are escaped although only single ones delimit, and so are braces: a literal stays inert even when
//! a careless template puts it between triple quotes or into an f-string.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// The deepest nesting written. Python's parser refuses some two hundred brackets; arguments need two or three.
pub const DEPTH_MAX: usize = 64;

/// Writes `value` as a Python literal.
///
/// ```
/// use intentbox_catalog::literal::python;
/// use serde_json::json;
///
/// let text = python(&json!({"a": [1, 0.5, true, null], "b": "it's\n"}))?;
/// assert_eq!(text, r"{'a': [1, 0.5, True, None], 'b': 'it\'s\n'}");
/// # Ok::<(), intentbox_catalog::literal::LiteralError>(())
/// ```
///
/// # Errors
///
/// When the value is nested deeper than [`DEPTH_MAX`], or holds a number that no Python literal equals.
pub fn python(value: &Value) -> Result<String, LiteralError> {
    let mut text = String::new();
    write_value(&mut text, value, DEPTH_MAX)?;
    Ok(text)
}

/// Why a value has no literal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiteralError {
    /// Lists and objects are nested too deeply.
    #[error("the value is nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// A number is not finite, or too large for the numbers of JSON values here.
    #[error("the value holds a number that is not finite")]
    NotFinite,
}

fn write_value(text: &mut String, value: &Value, depth_left: usize) -> Result<(), LiteralError> {
    match value {
        Value::Null => text.push_str("None"),
        Value::Bool(true) => text.push_str("True"),
        Value::Bool(false) => text.push_str("False"),
        Value::Number(number) => write_number(text, number)?,
        Value::String(string) => write_string(text, string),
        Value::Array(items) => {
            let depth_left = depth_left.checked_sub(1).ok_or(LiteralError::TooDeep)?;
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_value(text, item, depth_left)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let depth_left = depth_left.checked_sub(1).ok_or(LiteralError::TooDeep)?;
            text.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_string(text, name);
                text.push_str(": ");
                write_value(text, field, depth_left)?;
            }
            text.push('}');
        }
    }
    Ok(())
}

/// Integers as they are; floats in the shortest form that reads back as the same float, which always has a point or
/// an exponent, so that Python reads a float too.
fn write_number(text: &mut String, number: &Number) -> Result<(), LiteralError> {
    if let Some(integer) = number.as_i64() {
        push(text, format_args!("{integer}"));
    } else if let Some(integer) = number.as_u64() {
        push(text, format_args!("{integer}"));
    } else {
        let float = number.as_f64().filter(|float| float.is_finite()).ok_or(LiteralError::NotFinite)?;
        push(text, format_args!("{float:?}"));
    }
    Ok(())
}

fn write_string(text: &mut String, string: &str) {
    text.push('\'');
    for character in string.chars() {
        match character {
            '\'' => text.push_str("\\'"),
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            // Inert even inside an f-string that a template's author nested where the dialect cannot see it.
            '{' => text.push_str("\\x7b"),
            '}' => text.push_str("\\x7d"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            ' '..='~' => text.push(character),
            _ => match u32::from(character) {
                code @ ..=0xff => push(text, format_args!("\\x{code:02x}")),
                code @ ..=0xffff => push(text, format_args!("\\u{code:04x}")),
                code => push(text, format_args!("\\U{code:08x}")),
            },
        }
    }
    text.push('\'');
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to a String does not fail");
}

#[cfg(any(test, fuzzing))]
pub(crate) mod reader;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(value: &Value, expected: &str) {
        assert_eq!(python(value).as_deref(), Ok(expected));
        assert_eq!(reader::read(expected).as_ref(), Some(value), "reading back {expected}");
    }

    #[test]
    fn values_become_their_literals() {
        check(&json!(null), "None");
        check(&json!(true), "True");
        check(&json!(false), "False");
        check(&json!(0), "0");
        check(&json!(-5), "-5");
        check(&json!(i64::MIN), "-9223372036854775808");
        check(&json!(u64::MAX), "18446744073709551615");
        check(&json!(0.5), "0.5");
        check(&json!(5.0), "5.0");
        check(&json!(1e16), "1e16");
        check(&json!(-1e-7), "-1e-7");
        check(&json!(f64::MAX), "1.7976931348623157e308");
        check(&json!([]), "[]");
        check(&json!({}), "{}");
        check(&json!([1, [2], {"k": "v"}]), "[1, [2], {'k': 'v'}]");
    }

    #[test]
    fn characters_that_could_leave_the_string_are_escaped() {
        for (string, expected) in [
            ("", "''"),
            (r#""); import os; (""#, r#"'\"); import os; (\"'"#),
            ("'''", r"'\'\'\''"),
            ("trailing\\", r"'trailing\\'"),
            ("a\nb\rc\td", r"'a\nb\rc\td'"),
            ("\0\u{7f}\u{85}", r"'\x00\x7f\x85'"),
            ("\\N{BULLET}", r"'\\N\x7bBULLET\x7d'"),
            ("{{ 7*7 }}{% x %}", r"'\x7b\x7b 7*7 \x7d\x7d\x7b% x %\x7d'"),
            ("\u{2028}\u{2029}\u{202e}\u{feff}", r"'\u2028\u2029\u202e\ufeff'"),
            ("é", r"'\xe9'"),
            ("ā€", r"'\u0101\u20ac'"),
            ("😀\u{10ffff}", r"'\U0001f600\U0010ffff'"),
        ] {
            check(&json!(string), expected);
        }
    }

    #[test]
    fn the_deepest_value_is_written_and_one_level_more_is_refused() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |value, _| json!([value]));
        assert!(python(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(python(&nested(DEPTH_MAX + 1)), Err(LiteralError::TooDeep));
    }

    fn values() -> impl Strategy<Value = Value> {
        let text = proptest::collection::vec(any::<char>(), 0..12)
            .prop_map(|characters| characters.into_iter().collect::<String>());
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((text.clone(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_literal_is_one_line_of_ascii_and_reads_back_as_the_value(value in values()) {
            let text = python(&value).expect("the strategy stays below the depth bound");
            prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "not printable ASCII: {text:?}");
            prop_assert_eq!(reader::read(&text), Some(value));
        }
    }
}
