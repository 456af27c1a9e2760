//! Word patterns, prepared for matching.

use intentbox_catalog::ParamSpec;
use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::words::{Clause, ClausePart, Shape};
use serde_json::Value;

use super::free_text::is_identifier;
use crate::english::is_filler;
use crate::text::{Synonyms, Word, stem};

/// A word pattern or a clause, prepared for matching.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) parts: Vec<Part>,
    /// Its words by their numbers in the pack.
    pub(super) numbers: Vec<usize>,
    /// Whether its words say nothing about what the value is: `in {}`.
    pub(super) is_mute: bool,
    /// How clearly its words announce free text: `containing {}` more than `for {}`, and that more than `search {}`.
    pub(super) strength: usize,
    /// Whether a word such as `is` stands before the last slot: whatever follows is the value.
    pub(super) says_equal: bool,
}

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Part {
    Word(String),
    /// A word that must not be there.
    Absent(String),
    Slot {
        reader: usize,
        /// The words that the slot allows, or any.
        choices: Option<Vec<Choice>>,
        /// What the value must look like.
        shape: Option<Shape>,
    },
    /// A value without words.
    Set {
        reader: usize,
        value: Value,
    },
    /// A value without words: the only name with this text in a field of its row.
    Only {
        reader: usize,
        text: String,
    },
}

/// A word that a slot allows.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) text: String,
    pub(super) canonical: String,
}

/// Words before a text that often lead to something else.
const WEAK_LEADS: [&str; 13] =
    ["search", "find", "grep", "look", "up", "is", "have", "has", "list", "on", "in", "of", "from"];

impl Pattern {
    pub(super) fn new(text: String, parts: Vec<Part>) -> Self {
        let before = parts.iter().rposition(|part| matches!(part, Part::Slot { .. })).and_then(|at| at.checked_sub(1));
        let says_equal =
            matches!(before.map(|at| &parts[at]), Some(Part::Word(word)) if matches!(word.as_str(), "is" | "equal"));
        let mut pattern = Self { text, parts, numbers: Vec::new(), is_mute: false, strength: 0, says_equal };
        let is_mute = pattern.words().all(|word| is_filler(word));
        pattern.is_mute = is_mute;
        pattern.strength = pattern.strength();
        pattern
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().filter_map(|part| match part {
            Part::Word(word) => Some(word),
            Part::Absent(_) | Part::Slot { .. } | Part::Set { .. } | Part::Only { .. } => None,
        })
    }

    /// The readers of its values.
    pub(super) fn readers(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot { reader, .. } | Part::Set { reader, .. } | Part::Only { reader, .. } => Some(*reader),
            Part::Word(_) | Part::Absent(_) => None,
        })
    }

    /// The reader of its only slot, which takes any word, if the other words stand around the one at `at`.
    pub(super) fn reader_around(&self, words: &[Word], canonical: &[String], at: usize) -> Option<usize> {
        let slot = self.parts.iter().position(|part| matches!(part, Part::Slot { .. }))?;
        let Part::Slot { reader, choices: None, shape: None } = self.parts[slot] else { return None };
        let start = at.checked_sub(slot)?;
        let is_said = |(place, part): (usize, &Part)| match part {
            Part::Word(expected) => {
                let at = start + place;
                canonical.get(at) == Some(expected) && !words[at].quoted
            }
            Part::Slot { .. } => place == slot,
            Part::Absent(_) | Part::Set { .. } | Part::Only { .. } => false,
        };
        self.parts.iter().enumerate().all(is_said).then_some(reader)
    }

    fn strength(&self) -> usize {
        let last = self.parts.iter().rev().find_map(|part| match part {
            Part::Word(word) => Some(word.as_str()),
            Part::Absent(_) | Part::Slot { .. } | Part::Set { .. } | Part::Only { .. } => None,
        });
        match last {
            Some("for" | "with" | "that" | "includ" | "include" | "have" | "hold" | "status") => 1,
            Some(word) if !WEAK_LEADS.contains(&word) => 2,
            _ => 0,
        }
    }

    /// Whether the value must speak for itself.
    pub(super) fn is_bare(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether it has no word at all.
    pub(super) fn is_wordless(&self) -> bool {
        self.words().next().is_none()
    }

    /// Whether its words say what kind of name it takes: `project {}` where names come from `list_projects`.
    pub(super) fn says_source(&self, spec: &ParamSpec) -> bool {
        let kind = match spec.values_from() {
            Some(ValuesFrom::Template { name, .. }) => name.as_str(),
            Some(ValuesFrom::Files) => "files_folders",
            None => return false,
        };
        self.words().any(|word| kind.split('_').any(|kind| *word == stem(kind)))
    }
}

/// A clause as it is matched.
pub(super) fn pattern(clause: &Clause, specs: &[ParamSpec], synonyms: &Synonyms) -> Pattern {
    // The manifest names declared parameters only.
    let reader = |name: &String| specs.iter().position(|spec| spec.name() == name);
    let part = |part: &ClausePart| {
        Some(match part {
            ClausePart::Word(text) => Part::Word(synonyms.canonical(text)),
            ClausePart::Absent(text) => Part::Absent(synonyms.canonical(text)),
            ClausePart::Slot { name, shape } => Part::Slot { reader: reader(name)?, choices: None, shape: *shape },
            ClausePart::Only { name, text } => Part::Only { reader: reader(name)?, text: text.clone() },
            ClausePart::Set { name, value } => {
                let reader = reader(name)?;
                Part::Set { reader, value: specs[reader].read(value).ok()? }
            }
        })
    };
    Pattern::new(clause.to_string(), clause.parts().iter().filter_map(part).collect())
}

/// Whether a value looks like what a slot takes.
pub(super) fn has_shape(shape: Shape, value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let is_date = text.get(4..5) == Some("-");
    match shape {
        Shape::Date => is_date,
        Shape::Name => is_identifier(text),
        Shape::Status => matches!(text.as_bytes(), [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9']),
        Shape::Number | Shape::Rest => !is_date,
        // `10.0.0.7` is an address, and `20.11.2026` a day.
        Shape::Version => {
            let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let parts: Vec<&str> = text.split('.').collect();
            parts.iter().all(is_number) && matches!(parts[..], [_, _, last] if last.len() < 4)
        }
    }
}
