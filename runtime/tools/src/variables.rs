//! Variables in configured texts: `${NAME}`, `${NAME:-default}`, and VS Code's `${env:NAME}`.
//!
//! A value is taken as it is: what it holds is not expanded again. `$NAME` without braces and `$$` are plain text.

/// How deep defaults can be nested.
const DEPTH_MAX: usize = 8;

/// How long a text may be when it is expanded, in bytes.
const EXPANDED_BYTES_MAX: usize = 64 << 10;

/// A text that cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum VariableError {
    /// There is no value and no default.
    #[error("the variable `{0}` is not set; set it, or give a default as in `${{{0}:-VALUE}}`")]
    Unset(String),
    /// `${` without its `}`.
    #[error("a `${{` has no `}}`")]
    Unclosed,
    /// No variable can have this name.
    #[error("`${{{0}}}` is not a variable: write `${{NAME}}` or `${{NAME:-VALUE}}`")]
    Name(String),
    /// VS Code asks its user for these.
    #[error("`${{input:{0}}}` is asked for by VS Code only: put the value into a variable and write `${{NAME}}`")]
    Input(String),
    /// Defaults in defaults, and so on.
    #[error("defaults are nested more than {DEPTH_MAX} deep")]
    TooDeep,
    /// It would be too long.
    #[error("it has more than {EXPANDED_BYTES_MAX} bytes")]
    TooLong,
}

/// Expands the variables of a text.
///
/// # Errors
/// Which variable has no value, or what is wrong with the text.
pub(crate) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, VariableError> {
    expand_at(text, variable, 0)
}

fn expand_at(text: &str, variable: &dyn Fn(&str) -> Option<String>, depth: usize) -> Result<String, VariableError> {
    if depth > DEPTH_MAX {
        return Err(VariableError::TooDeep);
    }
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        add(&mut expanded, before)?;
        let end = end(after).ok_or(VariableError::Unclosed)?;
        add(&mut expanded, &value(&after[..end], variable, depth)?)?;
        rest = &after[end + 1..];
    }
    add(&mut expanded, rest)?;
    Ok(expanded)
}

/// Adds a part, if there is room for it: a short text can name a long value again and again.
fn add(expanded: &mut String, part: &str) -> Result<(), VariableError> {
    if expanded.len() + part.len() > EXPANDED_BYTES_MAX {
        return Err(VariableError::TooLong);
    }
    expanded.push_str(part);
    Ok(())
}

/// Where the bracket closes that was opened before this text.
fn end(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' if at > 0 && bytes[at - 1] == b'$' => open += 1,
            b'}' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn value(inside: &str, variable: &dyn Fn(&str) -> Option<String>, depth: usize) -> Result<String, VariableError> {
    if let Some(input) = inside.strip_prefix("input:") {
        return Err(VariableError::Input(shown(input)));
    }
    let inside = inside.strip_prefix("env:").unwrap_or(inside);
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) || name.as_bytes()[0].is_ascii_digit() {
        return Err(VariableError::Name(shown(name)));
    }
    // As a shell has it, an empty value counts as none where there is a default.
    match (variable(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => expand_at(default, variable, depth + 1),
        (None, None) => Err(VariableError::Unset(name.to_owned())),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expanded(text: &str) -> Result<String, VariableError> {
        let variable = |name: &str| match name {
            "A" => Some("a".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${A}".to_owned()),
            _ => None,
        };
        expand(text, &variable)
    }

    #[test]
    fn a_variable_is_replaced_by_its_value_or_its_default() {
        for (text, expected) in [
            ("x${A}y${A}", "xaya"),
            ("${env:A}", "a"),
            ("${A:-b}", "a"),
            ("${B:-b}", "b"),
            ("${B:-}", ""),
            ("${EMPTY}", ""),
            ("${EMPTY:-b}", "b"),
            ("${B:-${C:-c}}", "c"),
            ("${B:-x${A}y}", "xay"),
            ("${B:-http://a:1}", "http://a:1"),
            ("${NESTED}", "${A}"),
            ("$A $$ { } $", "$A $$ { } $"),
            ("", ""),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named() {
        for (text, error) in [
            ("${B}", VariableError::Unset("B".to_owned())),
            ("${B:-${C}}", VariableError::Unset("C".to_owned())),
            ("${A", VariableError::Unclosed),
            ("${A:-${B}", VariableError::Unclosed),
            ("${}", VariableError::Name(String::new())),
            ("${a b}", VariableError::Name("a b".to_owned())),
            ("${1}", VariableError::Name("1".to_owned())),
            ("${input:key}", VariableError::Input("key".to_owned())),
        ] {
            assert_eq!(expanded(text), Err(error), "{text}");
        }
        let nested = |depth: usize| format!("{}x{}", "${B:-".repeat(depth), "}".repeat(depth));
        assert_eq!(expanded(&nested(DEPTH_MAX)).as_deref(), Ok("x"));
        assert_eq!(expanded(&nested(DEPTH_MAX + 1)), Err(VariableError::TooDeep));
    }

    proptest! {
        #[test]
        fn a_text_without_a_bracket_is_itself(text in "[^{]{0,60}") {
            prop_assert_eq!(expanded(&text), Ok(text));
        }

        #[test]
        fn any_text_is_expanded_or_not(text in "[${}:a-cA-C-]{0,60}") {
            let _ = expanded(&text);
        }
    }
}
