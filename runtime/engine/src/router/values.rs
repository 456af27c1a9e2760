//! Values in a sentence: found by the word patterns that a template declares, read by the types of its parameters.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use intentbox_catalog::period::Period;
use intentbox_catalog::words::Slot;
use intentbox_catalog::{ParamKind, ParamSpec};
use serde_json::Value;

use super::text::{Synonyms, Word};

/// A value read from a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueRead {
    /// The parameter it is for.
    pub parameter: String,
    /// The declared pattern that found it.
    pub pattern: String,
    /// The words it was read from, as written.
    pub text: String,
    /// The value, of the parameter's type; its bounds are not checked yet.
    pub value: Value,
}

impl fmt::Display for ValueRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}, from {:?} by `{}`", self.parameter, self.value, self.text, self.pattern)
    }
}

/// Where a value was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The words of the whole pattern.
    pub(super) span: Range<usize>,
    /// The words of the value.
    pub(super) slot: Range<usize>,
    pub(super) read: ValueRead,
}

/// A parameter with its patterns in the form in which words are compared.
#[derive(Debug)]
pub(super) struct Reader {
    spec: ParamSpec,
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    before: Vec<String>,
    slot: Slot,
    after: Vec<String>,
}

impl Reader {
    pub(super) fn new(spec: &ParamSpec, synonyms: &Synonyms) -> Self {
        let canonical = |words: &[String]| words.iter().map(|word| synonyms.canonical(word)).collect();
        let patterns = spec
            .words()
            .iter()
            .map(|pattern| Pattern {
                text: pattern.to_string(),
                before: canonical(pattern.before()),
                slot: pattern.slot().clone(),
                after: canonical(pattern.after()),
            })
            .collect();
        Self { spec: spec.clone(), patterns }
    }

    pub(super) fn spec(&self) -> &ParamSpec {
        &self.spec
    }
}

/// Reads the values of all parameters from a sentence: at most one each, and no word twice.
///
/// Where patterns compete for the same words, the one that accounts for more words wins, then the one further left,
/// then the one declared earlier: "last 24 hours" is a period and not the limit 24. `topics` are the words a template
/// is about; they are no names, unless quoted.
pub(super) fn pull(words: &[Word], canonical: &[String], readers: &[Reader], topics: &BTreeSet<String>) -> Vec<Found> {
    let sentence = Sentence { words, canonical, topics };
    let mut all: Vec<(usize, Found)> = Vec::new();
    for (index, reader) in readers.iter().enumerate() {
        for pattern in &reader.patterns {
            for start in 0..words.len() {
                all.extend(sentence.find(&reader.spec, pattern, start).map(|found| (index, found)));
            }
        }
    }
    // The sort is stable, so equals stay in declared order.
    all.sort_by_key(|(_, found)| (std::cmp::Reverse(found.span.len()), found.span.start));
    let mut read = vec![false; readers.len()];
    let mut taken = vec![false; words.len()];
    let mut values = Vec::new();
    for (index, found) in all {
        if !read[index] && !taken[found.span.clone()].contains(&true) {
            read[index] = true;
            taken[found.span.clone()].fill(true);
            values.push(found);
        }
    }
    values
}

struct Sentence<'a> {
    words: &'a [Word],
    canonical: &'a [String],
    topics: &'a BTreeSet<String>,
}

impl Sentence<'_> {
    /// Tries one pattern at one word.
    fn find(&self, spec: &ParamSpec, pattern: &Pattern, start: usize) -> Option<Found> {
        let from = start + pattern.before.len();
        if !self.has(&pattern.before, start) {
            return None;
        }
        let bare = pattern.before.is_empty() && pattern.after.is_empty();
        // The longer reading first: "2 weeks" before "2".
        let width_max = if matches!(spec.kind(), ParamKind::Duration { .. }) { 2 } else { 1 };
        (1..=width_max).rev().find_map(|width| {
            let slot = from..from + width;
            let inside = self.words.get(slot.clone())?;
            if !self.has(&pattern.after, slot.end) {
                return None;
            }
            let value = match &pattern.slot {
                Slot::OneOf(choices) => read_choice(spec, choices, inside),
                Slot::Any => self.read(spec, inside, &self.canonical[slot.clone()], bare),
            }?;
            let text: Vec<&str> = inside.iter().map(|word| word.text.as_str()).collect();
            Some(Found {
                span: start..slot.end + pattern.after.len(),
                slot,
                read: ValueRead {
                    parameter: spec.name().to_owned(),
                    pattern: pattern.text.clone(),
                    text: text.join(" "),
                    value,
                },
            })
        })
    }

    fn has(&self, expected: &[String], start: usize) -> bool {
        let range = start..start + expected.len();
        let plain = self.words.get(range.clone()).is_some_and(|words| words.iter().all(|word| !word.quoted));
        plain && self.canonical[range] == *expected
    }

    fn read(&self, spec: &ParamSpec, inside: &[Word], canonical: &[String], bare: bool) -> Option<Value> {
        let word = &inside[0];
        match spec.kind() {
            ParamKind::Duration { .. } => period(inside, bare).map(|period| Value::from(period.to_string())),
            ParamKind::String { .. } if word.quoted => spec.read(&word.text).ok(),
            ParamKind::String { .. } => {
                let is_name = !word.is_filler()
                    && !self.topics.contains(&canonical[0])
                    && Period::of(1, &word.plain).is_none()
                    && period(inside, true).is_none();
                let readings = [word.text.as_str(), word.plain.as_str()];
                readings
                    .into_iter()
                    .filter(|_| is_name)
                    .filter_map(|text| spec.read(text).ok())
                    .find(|value| spec.check(value).is_ok())
            }
            ParamKind::Integer { .. } | ParamKind::Number { .. } => match count(&word.plain) {
                Some(number) => spec.read(&number.to_string()).ok(),
                None => spec.read(word.plain.trim_start_matches('#')).ok(),
            },
            ParamKind::Boolean | ParamKind::Enum { .. } => spec.read(&word.plain).ok(),
        }
    }
}

fn read_choice(spec: &ParamSpec, choices: &[String], inside: &[Word]) -> Option<Value> {
    let [word] = inside else { return None };
    let choice = choices.iter().find(|choice| **choice == word.plain)?;
    spec.read(choice).ok()
}

/// A period of one or two words: `24h`, `2 weeks`, `an hour`, `today`, and `week` where a pattern says it is one.
///
/// There is no clock here, so `today` is the last 24 hours and `yesterday` reaches back 48: enough to hold the day.
fn period(words: &[Word], bare: bool) -> Option<Period> {
    if words.iter().any(|word| word.quoted) {
        return None;
    }
    match words {
        [word] => match word.plain.as_str() {
            "today" | "tonight" => Period::of(1, "day"),
            "yesterday" => Period::of(2, "days"),
            unit if !bare && unit.len() > 2 => Period::of(1, unit).or_else(|| unit.parse().ok()),
            text => text.parse().ok(),
        },
        [number, unit] => {
            let number = match number.plain.as_str() {
                "a" | "an" => 1,
                text => count(text)?,
            };
            Period::of(number, &unit.plain)
        }
        _ => None,
    }
}

/// A number as digits or as a word.
fn count(word: &str) -> Option<u64> {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if word == "dozen" {
        return Some(12);
    }
    match WORDS.iter().position(|name| *name == word) {
        Some(index) => u64::try_from(index + 1).ok(),
        None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        None => None,
    }
}
