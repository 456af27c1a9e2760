//! Word patterns: how values of parameters appear in a sentence.
//!
//! The patterns are data of the template, so that the router can extract `5` from "the last 5 errors" without knowing
//! what an error is. A [`WordPattern`] is about one parameter, a [`Clause`] about several. This module only parses the
//! notation; the router matches it against text.

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

/// The most parameters that one clause is about.
pub const CLAUSE_SLOTS_MAX: usize = 4;

/// Words around the slots of several parameters, such as `where <column> is <equals>`.
///
/// ```
/// use intentbox_catalog::words::{Clause, ClausePart};
///
/// let clause: Clause = "where <column> is <equals>".parse()?;
/// let slots: Vec<&str> = clause.slots().collect();
/// assert_eq!(slots, ["column", "equals"]);
/// assert_eq!(clause.parts()[0], ClausePart::Word("where".to_owned()));
/// # Ok::<(), intentbox_catalog::words::WordPatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    text: String,
    parts: Vec<ClausePart>,
}

/// A part of a [`Clause`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClausePart {
    /// A word, in lower case.
    Word(String),
    /// `!total`: this word, in lower case, is nowhere in the sentence. Only for what a template implies.
    Absent(String),
    /// The value of the parameter with this name, `<above>`, or one that looks like this, `<above:number>`.
    Slot {
        /// The parameter.
        name: String,
        /// What the value must look like.
        shape: Option<Shape>,
    },
    /// No words: the parameter has this value where the other parts match, as in `without <column> <missing=true>`.
    Set {
        /// The parameter.
        name: String,
        /// The value, as text.
        value: String,
    },
    /// No words: the parameter has the only name that has this text in a field of its row, as in
    /// `above <above> <column=?measure>`, where only one column can be meant.
    Only {
        /// The parameter, whose names come from a template.
        name: String,
        /// The text.
        text: String,
    },
}

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number, such as `100`.
    Number,
    /// A day, such as `2026-11-20`.
    Date,
    /// A version of three numbers, such as `2.4.1`.
    Version,
    /// A status of HTTP, such as `503`.
    Status,
    /// A name from a program, such as `errorCode` or `user_id`.
    Name,
    /// The words that nothing else explains: only for what a template implies.
    Rest,
}

impl Clause {
    /// Its words and slots in their order.
    #[must_use]
    pub fn parts(&self) -> &[ClausePart] {
        &self.parts
    }

    /// The parameters that it is about.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            ClausePart::Slot { name, .. } | ClausePart::Set { name, .. } | ClausePart::Only { name, .. } => {
                Some(name.as_str())
            }
            ClausePart::Word(_) | ClausePart::Absent(_) => None,
        })
    }

    /// Whether it says what only `implied` can say: a word that is not there, or the words that are left.
    #[must_use]
    pub fn is_of_implied(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, ClausePart::Absent(_) | ClausePart::Slot { shape: Some(Shape::Rest), .. }))
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Clause {
    type Err = WordPatternError;

    fn from_str(text: &str) -> Result<Self, WordPatternError> {
        let part = |text: &str| match text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            Some(set) if set.contains('=') => {
                let (name, value) = set.split_once('=').unwrap_or_default();
                Ok(match value.strip_prefix('?') {
                    Some(text) => ClausePart::Only { name: word(name)?, text: word(text)? },
                    None => ClausePart::Set { name: word(name)?, value: word(value)? },
                })
            }
            Some(slot) => {
                let (name, shape) = match slot.split_once(':') {
                    Some((name, "number")) => (name, Some(Shape::Number)),
                    Some((name, "date")) => (name, Some(Shape::Date)),
                    Some((name, "version")) => (name, Some(Shape::Version)),
                    Some((name, "name")) => (name, Some(Shape::Name)),
                    Some((name, "status")) => (name, Some(Shape::Status)),
                    Some((name, "rest")) => (name, Some(Shape::Rest)),
                    _ => (slot, None),
                };
                Ok(ClausePart::Slot { name: word(name)?, shape })
            }
            None => match text.strip_prefix('!') {
                Some(absent) => word(absent).map(ClausePart::Absent),
                None => word(text).map(ClausePart::Word),
            },
        };
        let parts = text.split_whitespace().map(part).collect::<Result<Vec<_>, _>>()?;
        let clause = Self { text: text.to_owned(), parts };
        let slots = clause.slots().count();
        if slots == 0 || slots > CLAUSE_SLOTS_MAX {
            return Err(WordPatternError::Slots { slots });
        }
        let words = clause.parts.len() - slots;
        if words > PATTERN_WORDS_MAX {
            return Err(WordPatternError::TooLong { words });
        }
        Ok(clause)
    }
}

/// A phrase with its slots filled: each `<name>` becomes what `value` gives for the name, and stays where that is nothing.
///
/// ```
/// use intentbox_catalog::words::filled;
///
/// assert_eq!(filled("status of <issue>", |_| Some("WEB-42".to_owned())), "status of WEB-42");
/// ```
#[must_use]
pub fn filled(phrase: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let word = |word: &str| {
        let name = word.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        name.and_then(&value).unwrap_or_else(|| word.to_owned())
    };
    phrase.split(' ').map(word).collect::<Vec<_>>().join(" ")
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
    /// A clause has no slot, or too many.
    #[error("expected 1 to {CLAUSE_SLOTS_MAX} slots such as `<column>`, found {slots}")]
    Slots {
        /// How many there are.
        slots: usize,
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
    fn malformed_clauses_are_refused() {
        let word = |word: &str| WordPatternError::Word { word: word.to_owned() };
        for (text, error) in [
            ("", WordPatternError::Slots { slots: 0 }),
            ("where column", WordPatternError::Slots { slots: 0 }),
            ("<a> <b> <c> <d> <e>", WordPatternError::Slots { slots: 5 }),
            ("where <a", word("<a")),
            ("where <>", word("")),
            ("Where <a>", word("Where")),
            ("a b c d e f g h i <a>", WordPatternError::TooLong { words: 9 }),
        ] {
            assert_eq!(text.parse::<Clause>(), Err(error), "{text}");
        }
        assert!("a b c d e f g h <a> <b> <c> <d>".parse::<Clause>().is_ok());
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
