//! What a request asks for, in a few words: what people know a job by.

use intentbox_catalog::json::parse_value;

/// The most characters that are told.
const CHARS_MAX: usize = 120;

/// The beginning of what a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asks {
    /// The words of an intent, or the first line of a script that is not blank: one line of at most 120 characters. It is as its client
    /// wrote it, control characters among them.
    pub text: String,
    /// Whether it is of a script.
    pub is_code: bool,
}

impl Asks {
    /// Of a request, as JSON; nothing where that holds none: a long one is not kept beside its job.
    #[must_use]
    pub fn of(request: &str) -> Option<Self> {
        let request = parse_value(request).ok()?;
        let code = request["code"].as_str();
        let text = request["intent"].as_str().or(code)?;
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let is_short = first.chars().nth(CHARS_MAX).is_none();
        let cut = || first.chars().take(CHARS_MAX - 1).chain(['…']).collect();
        let text = if is_short { first.to_owned() } else { cut() };
        Some(Self { text, is_code: request["intent"].is_null() && code.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_told_in_one_short_line() {
        let words = |count: usize| "a".repeat(count);
        for (request, text, is_code) in [
            (json!({"intent": "list errors"}), "list errors".to_owned(), false),
            (json!({"code": "\n\n  result = 1\nprint(2)"}), "result = 1".to_owned(), true),
            (json!({"intent": words(120)}), words(120), false),
            (json!({"intent": words(121)}), words(119) + "…", false),
            (json!({"code": ""}), String::new(), true),
        ] {
            assert_eq!(Asks::of(&request.to_string()), Some(Asks { text, is_code }), "{request}");
        }
        for nothing in ["", "{}", "[]", "{"] {
            assert_eq!(Asks::of(nothing), None, "{nothing}");
        }
    }
}
