//! Extracts values from a sentence: the word patterns of a card's parameters find them, and their types parse them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use intentbox_catalog::period::Period;
use intentbox_catalog::{ParamKind, ParamSpec, words};
use serde::Serialize;
use serde_json::Value;

use crate::text::{Synonyms, Word, is_filler, singular, stem};

/// A value read from a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
pub(crate) struct Found {
    /// The words of the whole pattern, the value's among them.
    pub(crate) span: Range<usize>,
    pub(crate) read: ValueRead,
}

/// A parameter with its patterns in the form in which words are compared.
#[derive(Debug)]
pub(crate) struct Reader {
    spec: ParamSpec,
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    before: Vec<String>,
    slot: Slot,
    after: Vec<String>,
    /// The words before and after, by their numbers in the pack.
    numbers: Vec<usize>,
}

impl Pattern {
    fn words(&self) -> impl Iterator<Item = &String> {
        self.before.iter().chain(&self.after)
    }

    /// Whether the value must speak for itself.
    fn is_bare(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Whether its words say nothing about what the value is: `in {}`.
    fn is_mute(&self) -> bool {
        self.words().all(|word| is_filler(word))
    }
}

/// Where the value is.
#[derive(Debug)]
enum Slot {
    Any,
    OneOf(Vec<Choice>),
}

#[derive(Debug)]
struct Choice {
    text: String,
    canonical: String,
}

impl Reader {
    pub(crate) fn new(spec: ParamSpec, synonyms: &Synonyms) -> Self {
        let canonical = |words: &[String]| words.iter().map(|word| synonyms.canonical(word)).collect();
        let patterns = spec
            .words()
            .iter()
            .map(|pattern| Pattern {
                text: pattern.to_string(),
                before: canonical(pattern.before()),
                slot: match pattern.slot() {
                    words::Slot::Any => Slot::Any,
                    words::Slot::OneOf(choices) => Slot::OneOf(
                        choices
                            .iter()
                            .map(|text| Choice { text: text.clone(), canonical: synonyms.canonical(text) })
                            .collect(),
                    ),
                },
                after: canonical(pattern.after()),
                numbers: Vec::new(),
            })
            .collect();
        Self { spec, patterns }
    }

    /// The words of its patterns.
    pub(crate) fn words(&self) -> impl Iterator<Item = &String> {
        self.patterns.iter().flat_map(Pattern::words)
    }

    /// Notes the numbers of these words, so that looking for them compares no text.
    pub(crate) fn number(&mut self, numbers: &BTreeMap<String, usize>) {
        for pattern in &mut self.patterns {
            pattern.numbers = pattern.words().map(|word| numbers[word]).collect();
        }
    }

    pub(crate) fn spec(&self) -> &ParamSpec {
        &self.spec
    }
}

/// Reads the values of all parameters from a sentence: at most one each, and no word twice.
///
/// Where patterns compete for the same words, the one that accounts for more words wins, then the one further left,
/// then the one declared earlier: "last 24 hours" is a period and not the limit 24. `topics` are the words a card is
/// about; they are no names, unless quoted.
pub(crate) fn pull(
    words: &[Word],
    canonical: &[String],
    present: &[bool],
    readers: &[Reader],
    topics: &BTreeSet<String>,
) -> Vec<Found> {
    let sentence = Sentence { words, canonical, topics, readers };
    let mut all: Vec<(usize, Found)> = Vec::new();
    for (index, reader) in readers.iter().enumerate() {
        // Most patterns are about words that the sentence does not have.
        let said = |pattern: &&Pattern| pattern.numbers.iter().all(|number| present[*number]);
        for pattern in reader.patterns.iter().filter(said) {
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
    readers: &'a [Reader],
}

impl Sentence<'_> {
    /// Tries one pattern at one word.
    fn find(&self, spec: &ParamSpec, pattern: &Pattern, start: usize) -> Option<Found> {
        let from = start + pattern.before.len();
        if !self.has(&pattern.before, start) {
            return None;
        }
        // The longer reading first: "2 weeks" before "2".
        let (item, widths) = match spec.kind() {
            ParamKind::List { item, items_max } => (item.as_ref(), self.enumerated(from, *items_max)),
            kind @ (ParamKind::Duration { .. } | ParamKind::Datetime { .. }) => (kind, 2),
            kind => (kind, 1),
        };
        (1..=widths).rev().find_map(|width| {
            let slot = from..from + width;
            let inside = self.words.get(slot.clone())?;
            if !self.has(&pattern.after, slot.end) {
                return None;
            }
            let value = match (&pattern.slot, spec.kind()) {
                (Slot::OneOf(choices), _) => self.choice(spec, choices, slot.start),
                (Slot::Any, ParamKind::List { .. }) => {
                    let each = slot.clone().filter(|index| !self.is_and(*index));
                    let each = each.map(|index| self.read(spec, item, index..index + 1, pattern));
                    each.collect::<Option<Vec<Value>>>().map(Value::Array)
                }
                (Slot::Any, _) => self.read(spec, item, slot.clone(), pattern),
            }?;
            let text: Vec<&str> = inside.iter().map(|word| word.text.as_str()).collect();
            Some(Found {
                span: start..slot.end + pattern.after.len(),
                read: ValueRead {
                    parameter: spec.name().to_owned(),
                    pattern: pattern.text.clone(),
                    text: text.join(" "),
                    value,
                },
            })
        })
    }

    /// How many words from `from` on an enumeration has, "and" included: `web, api and worker` has four.
    fn enumerated(&self, from: usize, items_max: usize) -> usize {
        let mut width = 1;
        for _ in 1..items_max {
            let last = from + width - 1;
            if self.is_and(last + 1) && last + 2 < self.words.len() {
                width += 2;
            } else if self.words.get(last).is_some_and(|word| word.comma) {
                width += 1;
            } else {
                break;
            }
        }
        width
    }

    fn is_and(&self, index: usize) -> bool {
        self.words.get(index).is_some_and(|word| !word.quoted && word.plain == "and")
    }

    fn has(&self, expected: &[String], start: usize) -> bool {
        let range = start..start + expected.len();
        let plain = self.words.get(range.clone()).is_some_and(|words| words.iter().all(|word| !word.quoted));
        plain && self.canonical[range] == *expected
    }

    /// The choice that the word at `index` names, or is a synonym of.
    fn choice(&self, spec: &ParamSpec, choices: &[Choice], index: usize) -> Option<Value> {
        let (word, canonical) = (self.words.get(index)?, self.canonical.get(index)?);
        let exact = choices.iter().find(|choice| choice.text == word.plain);
        // One of several, or a declared synonym. Tenses are kept apart: "resolve" asks for what "resolved" has.
        let is_declared = *canonical != stem(&word.plain);
        let other = |choice: &&Choice| {
            singular(&choice.text) == singular(&word.plain) || (is_declared && choice.canonical == *canonical)
        };
        let choice = exact.or_else(|| choices.iter().filter(|_| !word.quoted).find(other))?;
        let item = spec.read_item(&choice.text).ok()?;
        Some(if matches!(spec.kind(), ParamKind::List { .. }) { Value::Array(vec![item]) } else { item })
    }

    /// Whether some pattern of the card has this word: then it announces a value, and is not one.
    fn announces(&self, canonical: &String) -> bool {
        let mut patterns = self.readers.iter().flat_map(|reader| &reader.patterns);
        patterns.any(|pattern| pattern.words().any(|word| word == canonical))
    }

    /// Reads the words at `slot` as a value of `kind`, which is the parameter's type or that of its list.
    fn read(&self, spec: &ParamSpec, kind: &ParamKind, slot: Range<usize>, pattern: &Pattern) -> Option<Value> {
        let canonical = self.canonical.get(slot.start)?;
        let inside = self.words.get(slot)?;
        let word = inside.first()?;
        let fits = |text: &str| spec.read_item(text).ok().filter(|value| spec.check_item(value).is_ok());
        match kind {
            ParamKind::Duration { .. } => {
                period(inside, pattern.is_bare()).map(|period| Value::from(period.to_string()))
            }
            ParamKind::Datetime { .. } => {
                let text: Vec<&str> = inside.iter().map(|word| word.text.as_str()).collect();
                spec.read_item(&text.join(" ")).ok()
            }
            ParamKind::String { .. } if word.quoted => spec.read_item(&word.text).ok(),
            ParamKind::String { .. } => {
                // A word that was put right was not one of the pack's as it was written.
                let is_topic =
                    !word.corrected && (word.is_filler || self.topics.contains(canonical) || self.announces(canonical));
                // A bare number is an amount or a year, unless the pattern says what it numbers.
                let has_shape =
                    matches!(kind, ParamKind::String { pattern: Some(pattern), .. } if !pattern.matches("word"));
                let is_amount = pattern.is_mute() && has_shape && word.plain.bytes().all(|byte| byte.is_ascii_digit());
                let has_durations =
                    self.readers.iter().any(|reader| matches!(reader.spec.kind(), ParamKind::Duration { .. }));
                let is_time = has_durations && (Period::of(1, &word.plain).is_some() || period(inside, true).is_some());
                // Words that join others name nothing.
                let joins = matches!(word.plain.as_str(), "and" | "or");
                let is_name = !is_topic && !is_amount && !is_time && !joins;
                let text = word.text.as_str();
                let readings = [
                    text.to_owned(),
                    text.to_lowercase(),
                    text.to_uppercase(),
                    text.trim_start_matches('#').to_owned(),
                ];
                readings.iter().filter(|_| is_name).find_map(|text| fits(text))
            }
            ParamKind::Integer { .. } | ParamKind::Number { .. } => match count(&word.plain) {
                Some(number) => spec.read_item(&number.to_string()).ok(),
                None => spec.read_item(word.plain.trim_start_matches('#')).ok(),
            },
            ParamKind::Boolean | ParamKind::Enum { .. } => spec.read_item(&word.plain).ok(),
            ParamKind::List { .. } => None,
        }
    }
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

/// Whether a word is a number or a time: what every card understands.
pub(crate) fn says_how_much(word: &str) -> bool {
    count(word).is_some() || Period::of(1, word).is_some() || matches!(word, "today" | "tonight" | "yesterday")
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
