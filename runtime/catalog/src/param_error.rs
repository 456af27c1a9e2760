//! Invalid values for the parameters of a template, as data.

use std::fmt;

/// How much of a hostile text an error repeats: enough to recognise it, too little to flood a terminal or a model.
const SHOWN_CHARS_MAX: usize = 60;

/// A value, or a set of values, that a template rejects. Nothing was rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// The template has no parameter of this name.
    #[error("template `{template}` has no parameter {}", shown(.name))]
    Unknown {
        /// The id of the template.
        template: String,
        /// The name as given.
        name: String,
        /// The declared name that is most likely meant, if one is, with its values in brackets where they are few.
        closest: Option<String>,
        /// All declared names, in their order, in the same form.
        known: Vec<String>,
    },
    /// Required parameters were not given, and nothing else supplies them. All of them at once.
    #[error("missing {}", missing_text(.parameters))]
    Missing {
        /// What is missing, in declared order.
        parameters: Vec<MissingParam>,
    },
    /// The value has another JSON type than declared. Nothing is converted silently.
    #[error("parameter `{name}` must be {expected}, not {got}")]
    WrongType {
        /// The parameter.
        name: String,
        /// The declared type, as in "an integer".
        expected: &'static str,
        /// The type of the value, as in "a string".
        got: &'static str,
        /// A value that would do.
        example: String,
    },
    /// A text cannot be read as the declared type.
    #[error("parameter `{name}` must be {expected}, and {} is not one", shown(.text))]
    Unreadable {
        /// The parameter.
        name: String,
        /// The declared type, as in "an integer".
        expected: &'static str,
        /// The text.
        text: String,
        /// A value that would do.
        example: String,
    },
    /// A list has more values than declared.
    #[error("parameter `{name}` may have at most {items_max} values, and has {count}")]
    TooMany {
        /// The parameter.
        name: String,
        /// How many it has.
        count: usize,
        /// How many it may have.
        items_max: usize,
    },
    /// A number, a duration or a time is outside the declared range.
    #[error("parameter `{name}` must be {bounds}, and is {value}")]
    OutOfRange {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// The range.
        bounds: Box<Bounds>,
    },
    /// A text is longer than declared.
    #[error("parameter `{name}` must be at most {length_max} characters, and has {length}")]
    TooLong {
        /// The parameter.
        name: String,
        /// Its length in characters.
        length: usize,
        /// The most characters allowed.
        length_max: usize,
    },
    /// A text does not match the declared pattern.
    #[error("parameter `{name}` must {}", mismatch(.pattern, .says.as_deref(), .value))]
    NotMatching {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// The declared regular expression.
        pattern: String,
        /// What matches it in words, if the template has words for it.
        says: Option<String>,
        /// A value that would do.
        example: String,
    },
    /// A text holds a control character, which no parameter may.
    #[error("parameter `{name}` must not hold control characters, and has U+{code:04X} at character {at}")]
    ControlCharacter {
        /// The parameter.
        name: String,
        /// The first one found, as its code point.
        code: u32,
        /// Its position, counted in characters from 1.
        at: usize,
    },
    /// A value is not among the declared ones.
    #[error("parameter `{name}` must be one of {}, and {} is not", listed(.values), shown(.value))]
    NotOneOf {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// The declared values.
        values: Vec<String>,
        /// The declared value that looks most like it, if one does.
        closest: Option<String>,
    },
    /// The value comes from a setting, and is invalid.
    #[error("setting `{setting}` does not fit: {error}")]
    Setting {
        /// The name of the setting.
        setting: String,
        /// What is wrong with its value.
        #[source]
        error: Box<ParamError>,
    },
}

/// A declared range, and the value in it that is nearest to a refused one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest value allowed, if one is declared.
    pub min: Option<String>,
    /// The largest value allowed, if one is declared.
    pub max: Option<String>,
    /// What the numbers count, if declared.
    pub unit: Option<String>,
    /// The end of the range that is nearest to the refused value.
    pub nearest: String,
}

/// A required parameter that was not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingParam {
    /// Its name.
    pub name: String,
    /// Its type, as in "an integer".
    pub expected: &'static str,
    /// What it means, from the template.
    pub description: String,
    /// A value that would do.
    pub example: String,
    /// The setting of the configured origin that could supply it, if one is declared.
    pub setting: Option<String>,
}

fn mismatch(pattern: &str, says: Option<&str>, value: &str) -> String {
    match says {
        Some(says) => format!("be {says}, and {} is not", shown(value)),
        None => format!("match `{pattern}` from end to end, and {} does not", shown(value)),
    }
}

fn missing_text(parameters: &[MissingParam]) -> String {
    let listed: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("`{}` ({}: {})", parameter.name, parameter.expected, parameter.description))
        .collect();
    listed.join(", ")
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => write!(f, "between {min} and {max}")?,
            (Some(min), None) => write!(f, "at least {min}")?,
            (None, Some(max)) => write!(f, "at most {max}")?,
            (None, None) => f.write_str("in range")?,
        }
        match &self.unit {
            Some(unit) => write!(f, " {unit}"),
            None => Ok(()),
        }
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Quotes a text from outside for a message: escaped, so that it cannot forge lines or colours, and shortened.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// The candidate most like `text`, when it is like it at all: at most a third of its letters differ. Nothing for a text of more
/// than 60 bytes.
#[must_use]
pub fn closest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if text.len() > SHOWN_CHARS_MAX {
        return None;
    }
    let letters = text.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (candidate.chars().count(), candidate))
        // At least as many letters differ as one has more: most need not be compared.
        .filter(|(length, _)| length.abs_diff(letters) * 3 <= *length)
        .map(|(length, candidate)| (strsim::levenshtein(text, candidate), length, candidate))
        .filter(|(distance, length, _)| distance * 3 <= *length)
        .map(|(distance, _, candidate)| (distance, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_close_or_nobody() {
        let names = ["limit", "project", "environment"];
        let long = "limit".repeat(100);
        for (text, expected) in [
            ("limits", Some("limit")),
            ("limit", Some("limit")),
            ("projekt", Some("project")),
            ("enviroment", Some("environment")),
            ("__class__", None),
            ("", None),
            (long.as_str(), None),
        ] {
            assert_eq!(closest(text, names).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn hostile_text_is_escaped_and_shortened() {
        assert_eq!(shown("a\n\u{1b}[31mb"), r#""a\n\u{1b}[31mb""#);
        assert_eq!(shown(&"x".repeat(SHOWN_CHARS_MAX)), format!("{:?}", "x".repeat(SHOWN_CHARS_MAX)));
        assert_eq!(shown(&"é".repeat(5000)), format!("\"{}\"…", "é".repeat(SHOWN_CHARS_MAX)));
    }

    #[test]
    fn a_message_names_the_rule() {
        let error = ParamError::OutOfRange {
            name: "limit".to_owned(),
            value: "500".to_owned(),
            bounds: Box::new(Bounds {
                min: Some("1".to_owned()),
                max: Some("100".to_owned()),
                unit: Some("errors".to_owned()),
                nearest: "100".to_owned(),
            }),
        };
        assert_eq!(error.to_string(), "parameter `limit` must be between 1 and 100 errors, and is 500");

        let error = ParamError::Missing {
            parameters: vec![MissingParam {
                name: "organization".to_owned(),
                expected: "a string",
                description: "The organization's slug.".to_owned(),
                example: "acme".to_owned(),
                setting: Some("sentry.organization".to_owned()),
            }],
        };
        assert_eq!(error.to_string(), "missing `organization` (a string: The organization's slug.)");
    }
}
