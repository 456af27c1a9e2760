//! Word patterns: how the value of a parameter appears in a sentence.
//!
//! The patterns are data of the template, so that the router can extract `5` from "the last 5 errors" without knowing
//! what an error is. This module only parses the notation; the router matches it against text.

use std::fmt;
use std::str::FromStr;

/// The most words a pattern may have. The router tries each pattern at each word, so this bounds its work; nobody needs
/// nine words to say where a number is.
pub const PATTERN_WORDS_MAX: usize = 8;

/// The most alternatives a slot may list, for the same reason.
pub const CHOICES_MAX: usize = 32;

/// Words around a slot, such as `last {}`, `in project {}` or `in {production|staging}`.
///
/// ```
/// use intentbox_catalog::words::{Slot, WordPattern};
///
/// let pattern: WordPattern = "in the {} project".parse()?;
/// assert_eq!(pattern.before(), ["in", "the"]);
/// assert_eq!(pattern.slot(), &Slot::Any);
/// assert_eq!(pattern.after(), ["project"]);
/// # Ok::<(), intentbox_catalog::words::WordPatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPattern {
    text: String,
    before: Vec<String>,
    slot: Slot,
    after: Vec<String>,
}

/// The slot of a [`WordPattern`], where the value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// `{}`: any text that reads as the parameter's type.
    Any,
    /// `{production|staging}`: one of these words, which then is the value's text.
    OneOf(Vec<String>),
}

impl WordPattern {
    /// The words before the slot, in lower case.
    #[must_use]
    pub fn before(&self) -> &[String] {
        &self.before
    }

    /// The slot itself.
    #[must_use]
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// The words after the slot, in lower case.
    #[must_use]
    pub fn after(&self) -> &[String] {
        &self.after
    }

    /// Whether the pattern is a slot and no words, so that the value must speak for itself.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

impl fmt::Display for WordPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for WordPattern {
    type Err = WordPatternError;

    fn from_str(text: &str) -> Result<Self, WordPatternError> {
        let (before, rest) = text.split_once('{').ok_or(WordPatternError::NoSlot)?;
        let (inside, after) = rest.split_once('}').ok_or(WordPatternError::NoSlot)?;
        let before = words(before)?;
        let after = words(after)?;
        if before.len() + after.len() > PATTERN_WORDS_MAX {
            return Err(WordPatternError::TooLong { words: before.len() + after.len() });
        }
        let slot = if inside.is_empty() { Slot::Any } else { Slot::OneOf(choices(inside)?) };
        Ok(Self { text: text.to_owned(), before, slot, after })
    }
}

fn words(text: &str) -> Result<Vec<String>, WordPatternError> {
    text.split_whitespace().map(word).collect()
}

fn choices(text: &str) -> Result<Vec<String>, WordPatternError> {
    let choices: Vec<String> = text.split('|').map(word).collect::<Result<_, _>>()?;
    if choices.len() > CHOICES_MAX {
        return Err(WordPatternError::TooManyChoices { choices: choices.len() });
    }
    Ok(choices)
}

fn word(text: &str) -> Result<String, WordPatternError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    if !text.is_empty() && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err(WordPatternError::Word { word: text.to_owned() })
    }
}

/// Why a text is not a word pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordPatternError {
    /// There is no `{}`.
    #[error("expected one slot, `{{}}` or `{{this|that}}`")]
    NoSlot,
    /// There are too many words around the slot.
    #[error("expected at most {PATTERN_WORDS_MAX} words around the slot, found {words}")]
    TooLong {
        /// How many there are.
        words: usize,
    },
    /// The slot lists too many alternatives.
    #[error("expected at most {CHOICES_MAX} alternatives in the slot, found {choices}")]
    TooManyChoices {
        /// How many there are.
        choices: usize,
    },
    /// A word holds something else than `[a-z0-9_-]`; a second slot ends here too.
    #[error("expected lower-case words of [a-z0-9_-], found {word:?}")]
    Word {
        /// The word as written.
        word: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_read_and_the_text_is_kept() {
        let pattern: WordPattern = "in {production|staging}".parse().expect("it is well formed");
        assert_eq!(pattern.slot(), &Slot::OneOf(vec!["production".to_owned(), "staging".to_owned()]));
        assert_eq!(pattern.to_string(), "in {production|staging}");
        assert!(!pattern.is_bare());
        assert!("{}".parse::<WordPattern>().is_ok_and(|pattern| pattern.is_bare()));
    }

    #[test]
    fn malformed_patterns_are_refused() {
        let word = |word: &str| WordPatternError::Word { word: word.to_owned() };
        for (text, error) in [
            ("last", WordPatternError::NoSlot),
            ("last {", WordPatternError::NoSlot),
            ("{} {}", word("{}")),
            ("Last {}", word("Last")),
            ("in {a||b}", word("")),
            ("in {a b}", word("a b")),
            ("a b c d e f g h {} i", WordPatternError::TooLong { words: 9 }),
        ] {
            assert_eq!(text.parse::<WordPattern>(), Err(error), "{text}");
        }
    }
}
