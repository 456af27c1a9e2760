//! Extracts values from a sentence: word patterns, names that exist, times and shapes find them, and their types parse them.

mod amounts;
mod confirmed;
mod either;
mod free_text;
mod known;
mod pattern;
mod readers;
mod story;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use intentbox_catalog::instant::Instant;
use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::period::Period;
use intentbox_catalog::words::Shape;
use intentbox_catalog::{ParamKind, ParamSpec};
use serde::Serialize;
use serde_json::Value;

use crate::names::{NAME_WORDS_MAX, Name, Names, Source};
use crate::text::{Word, ends_clause, singular, stem};
use crate::time;

pub(crate) use amounts::{count, says_how_much};
use amounts::{period, thousands};
pub(crate) use confirmed::{CONFIRMED, is_code};
pub(crate) use free_text::REST;
use free_text::{CALLS, LEADING, NO_TEXT, VAGUE, is_class, is_identifier};
pub(crate) use known::KNOWN_NAME;
use pattern::{Choice, Part, Pattern, has_shape};
pub(crate) use readers::Readers;

/// A value read from a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueRead {
    /// The parameter it is for.
    pub parameter: String,
    /// The declared pattern that found it, or what else did.
    pub pattern: String,
    /// The words it was read from, as written.
    pub text: String,
    /// The value, of the parameter's type; its bounds are not checked yet.
    pub value: Value,
    /// Whether it is a name that the words only abbreviate or misspell.
    pub is_guess: bool,
}

impl ValueRead {
    /// The words and the name that they were taken for, where they are no way to say it: `chekout` for `checkout`.
    #[must_use]
    pub fn mended(&self) -> Option<(&str, &str)> {
        let only = || self.value.as_array().filter(|items| items.len() == 1)?.first()?.as_str();
        self.is_guess.then_some((self.text.as_str(), self.value.as_str().or_else(only)?))
    }
}

impl fmt::Display for ValueRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}, from {:?} by `{}`", self.parameter, self.value, self.text, self.pattern)
    }
}

/// Values found together.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The words of the whole pattern, the values' among them.
    pub(crate) span: Range<usize>,
    /// How sure it is that these words are values; more is surer, and goes before a wider span of less.
    weight: usize,
    /// Each with the index of its reader.
    pub(crate) reads: Vec<(usize, ValueRead)>,
    /// The words that are text, and say nothing about the request.
    pub(crate) text: Range<usize>,
    /// Whether it is an amount that follows from words which say nothing about the card that is meant: the limit of "all".
    pub(crate) is_aside: bool,
}

/// What all cards of a pack know of a sentence.
#[derive(Debug)]
pub(crate) struct Sentence<'a> {
    pub(crate) words: &'a [Word],
    /// The words in the form in which they are compared.
    pub(crate) canonical: &'a [String],
    /// Which of the numbered words of the pack the sentence holds.
    pub(crate) present: &'a [bool],
    /// The number of its clause for each word.
    pub(crate) clauses: &'a [usize],
    pub(crate) times: &'a [time::Mention],
    pub(crate) names: &'a Mentions,
    /// All names that are known, mentioned or not.
    pub(crate) known: &'a Names,
    pub(crate) source: &'a str,
    pub(crate) now: Instant,
}

/// The known names that a sentence mentions, by where they come from.
pub(crate) type Mentions = BTreeMap<Source, Vec<NameMention>>;

/// Words that say a known name.
#[derive(Debug, Clone)]
pub(crate) struct NameMention {
    pub(crate) span: Range<usize>,
    pub(crate) name: Arc<Name>,
    pub(crate) how: How,
}

/// How words say a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// As it says itself.
    Exactly,
    /// In another number, or by a part of it.
    Loosely,
    /// Abbreviated or misspelled.
    Guessed,
}

/// One card reading one sentence.
struct Pull<'a> {
    sentence: &'a Sentence<'a>,
    readers: &'a Readers,
    topics: &'a BTreeSet<String>,
    /// The mentions of names for each reader, where names are known.
    names: Vec<Option<Vec<&'a NameMention>>>,
}

/// The most words of a text that stands inside a pattern.
const TEXT_WORDS_MAX: usize = 8;

/// What a pattern found so far.
type Reads = Vec<(usize, ValueRead)>;

impl Pull<'_> {
    fn all(&self) -> Vec<Found> {
        let Sentence { words, present, clauses, .. } = *self.sentence;
        let mut all: Vec<Found> = Vec::new();
        // Most patterns are about words that the sentence does not have.
        let said = |pattern: &&Pattern| pattern.numbers.iter().all(|number| present[*number]);
        for pattern in self.readers.patterns.iter().filter(said) {
            all.extend((0..words.len()).filter_map(|start| self.find(pattern, start)));
        }
        self.bare_names(&mut all);
        self.enumerations(&mut all);
        self.windows(&mut all);
        self.shapes(&mut all);
        self.amounts(&mut all);
        self.last_amount(&mut all);
        self.exact_files(&mut all);
        self.confirmed_texts(&mut all);
        // A text beside a known column is as sure as the column.
        let is_text = |found: &Found| {
            let mut texts = found.reads.iter().map(|(reader, _)| self.readers.specs[*reader].is_text());
            let is_anchored = found.reads.iter().any(|(reader, read)| {
                let mentions = self.names[*reader].as_deref().unwrap_or_default();
                mentions
                    .iter()
                    .any(|mention| found.span.contains(&mention.span.start) && read.value == *mention.name.text)
            });
            // "City is Porto" says which column, whether its name is known or not.
            let compares = found.reads.iter().any(|(reader, read)| {
                !self.readers.specs[*reader].is_text() && !read.text.is_empty() && read.pattern.contains("> is <")
            });
            texts.any(|is_text| is_text) && !is_anchored && !compares
        };
        // Who tells a story before asking says things there that look like values.
        let topics = self.topics_of(clauses);
        let most = topics.iter().copied().max().unwrap_or(0);
        let request = topics.iter().position(|topics| *topics == most).unwrap_or(0);
        let is_story = |found: &Found| {
            let clause = clauses[found.span.start.min(clauses.len().saturating_sub(1))];
            let kinds = || found.reads.iter().map(|(reader, _)| self.readers.specs[*reader].kind());
            let is_before = clause < request
                && kinds().all(|kind| matches!(kind, ParamKind::Window { .. } | ParamKind::Integer { .. }));
            is_before || is_text(found) && topics[clause] < most
        };
        all.retain(|found| !self.is_told_length(found, request) && !self.is_told_text(found, request));
        // The sort is stable, so equals stay in declared order.
        all.sort_by_key(|found| {
            let is_text = is_text(found);
            (is_text, is_story(found), std::cmp::Reverse(found.weight), found.span.start)
        });
        let mut read = vec![false; self.readers.specs.len()];
        let mut taken = vec![false; words.len()];
        let mut values: Vec<Found> = Vec::new();
        for found in all {
            let is_free = |found: &Found| found.reads.iter().all(|(reader, _)| !self.is_read(*reader, &read));
            if taken[found.span.clone()].contains(&true) {
                continue;
            }
            let found = if is_free(&found) || self.stands_beside(&found, &values, &read) {
                Some(found)
            } else {
                // The third takes what the second takes more of.
                let second = self.second(found, &values);
                second.and_then(
                    |found| if is_free(&found) { Some(found) } else { self.second(found, &values).filter(is_free) },
                )
            };
            if let Some(found) = found {
                found.reads.iter().for_each(|(reader, _)| read[*reader] = true);
                taken[found.span.clone()].fill(true);
                values.push(found);
            }
        }
        self.join_values(&mut values, &mut taken);
        self.extend_texts(&mut values, &mut taken);
        self.join_texts(&mut values);
        self.share_columns(&mut values, &mut taken, &mut read);
        self.share_columns_behind(&mut values, &mut taken, &mut read);
        self.with_kinds(&mut values, &mut taken);
        self.without_story(&mut values, request);
        self.mark_guesses(&mut values);
        let says_nothing = |read: &(usize, ValueRead)| self.says_nothing(read);
        let is_quoted = |found: &Found| words[found.span.clone()].iter().any(|word| word.quoted);
        values.retain(|found| is_quoted(found) || !found.reads.iter().any(says_nothing));
        for pattern in &self.readers.implied {
            let implied = self.imply(pattern, &read, &taken, request);
            if let Some(found) = implied.filter(|found| !found.reads.iter().any(|read| self.says_nothing(read))) {
                found.reads.iter().for_each(|(reader, _)| read[*reader] = true);
                taken[found.span.clone()].fill(true);
                values.push(found);
            }
        }
        values
    }

    /// How many words of each clause are about the card.
    fn topics_of(&self, clauses: &[usize]) -> Vec<usize> {
        let mut topics = vec![0; clauses.last().map_or(1, |last| last + 1)];
        for (clause, form) in clauses.iter().zip(self.sentence.canonical) {
            topics[*clause] += usize::from(self.topics.contains(form));
        }
        topics
    }

    /// The same values for the parameters that take a second of each kind, if each has such a one. Of one column, a second comparison
    /// of the same kind says the first again or takes it back: it is none.
    fn second(&self, found: Found, read: &[Found]) -> Option<Found> {
        let first = |reader: usize| {
            let reads = read.iter().flat_map(|found| &found.reads);
            reads.filter(|(of, _)| *of == reader).map(|(_, read)| &read.value).next()
        };
        let is_all_read = found.reads.iter().all(|(reader, _)| first(*reader).is_some());
        let repeats = found.reads.iter().any(|(reader, read)| first(*reader) == Some(&read.value));
        if (is_all_read && repeats) || self.goes_on(&found, read) {
            return None;
        }
        let reads = found.reads.into_iter().map(|(reader, read)| {
            let second = *self.readers.second.get(&reader)?;
            Some((second, ValueRead { parameter: self.readers.specs[second].name().to_owned(), ..read }))
        });
        let reads: Option<Vec<_>> = reads.collect();
        Some(Found { reads: reads?, ..found })
    }

    /// Whether "and" joins what excludes each other otherwise: "the average salary and the headcount".
    fn stands_beside(&self, found: &Found, values: &[Found], read: &[bool]) -> bool {
        let one_of = &self.readers.one_of;
        let excludes = |found: &Found| found.reads.iter().any(|(reader, _)| one_of.contains(reader));
        let words = self.sentence.words;
        let follows = |start: usize| {
            let before =
                words[..start].iter().rev().find(|word| !matches!(word.plain.as_str(), "also" | "the" | "their"));
            before.is_some_and(|word| word.comma || matches!(word.plain.as_str(), "&" | "and" | "plus"))
        };
        let is_said = !found.span.is_empty() && found.reads.iter().all(|(reader, _)| !read[*reader]);
        let mut others = values.iter().filter(|other| excludes(other) && !other.span.is_empty());
        is_said && excludes(found) && others.all(|other| follows(found.span.start.max(other.span.start)))
    }

    /// Whether a parameter, or one that excludes it, was read.
    fn is_read(&self, reader: usize, read: &[bool]) -> bool {
        let one_of = &self.readers.one_of;
        read[reader] || (one_of.contains(&reader) && one_of.iter().any(|other| read[*other]))
    }

    /// What a sentence means without saying it, if all that it takes is there.
    fn imply(&self, pattern: &Pattern, read: &[bool], taken: &[bool], request: usize) -> Option<Found> {
        let Sentence { words, canonical, .. } = *self.sentence;
        let is_said = |form: &str| (0..words.len()).any(|at| !words[at].quoted && canonical[at] == form);
        let mut found: Option<Found> = None;
        let mut sets = Reads::new();
        for part in &pattern.parts {
            match part {
                Part::Word(expected) if !is_said(expected) => return None,
                Part::Absent(unexpected) if is_said(unexpected) => return None,
                Part::Word(_) | Part::Absent(_) => {}
                Part::Slot { reader, .. } if read[*reader] => {}
                Part::Slot { reader, shape: Some(Shape::Rest), .. } => {
                    found = Some(self.rest(*reader, taken, request)?);
                }
                Part::Slot { reader, .. } => {
                    let mentions = self.names[*reader].as_ref()?;
                    let is_free = |mention: &&&NameMention| !taken[mention.span.clone()].contains(&true);
                    let mention = mentions.iter().find(is_free).filter(|_| !self.is_read(*reader, read))?;
                    let value = known::value(&self.readers.specs[*reader], &mention.name.text)?;
                    found = Some(self.found(*reader, mention.span.clone(), 0, &pattern.text, value));
                }
                Part::Set { reader, .. } | Part::Only { reader, .. } => {
                    let set = self.set(part, pattern).filter(|_| !self.is_read(*reader, read))?;
                    sets.push((*reader, set));
                }
            }
        }
        let is_amount = |reader: usize| {
            let spec = &self.readers.specs[reader];
            matches!(spec.kind(), ParamKind::Integer { .. }) && !spec.must_be_given()
        };
        let is_aside = pattern.parts.iter().all(|part| match part {
            Part::Word(_) => true,
            Part::Set { reader, .. } => is_amount(*reader),
            _ => false,
        });
        let nothing = || Found { span: 0..0, weight: 0, reads: Reads::new(), text: 0..0, is_aside };
        let mut found = found.unwrap_or_else(nothing);
        found.reads.extend(sets);
        (!found.reads.is_empty()).then_some(found)
    }

    /// The value that a part without words stands for.
    fn set(&self, part: &Part, pattern: &Pattern) -> Option<ValueRead> {
        let known = |reader: usize| {
            let source = self.readers.sources[reader].as_ref();
            source.and_then(|source| self.sentence.known.get(source))
        };
        let (reader, value) = match part {
            Part::Only { reader, text } => {
                let name = known(*reader)?.only(text)?;
                (*reader, self.readers.specs[*reader].read_item(&name.text).ok()?)
            }
            // Where names are known, only one of them can be set. A text may be a number, and numbers are no names.
            Part::Set { reader, value } => match (known(*reader), value.as_str()) {
                (Some(known), Some(text)) => match known.find(text) {
                    Some(name) => (*reader, Value::from(name.text.as_str())),
                    None if self.readers.specs[*reader].is_text() && count(text).is_some() => (*reader, value.clone()),
                    None => return None,
                },
                _ => (*reader, value.clone()),
            },
            Part::Word(_) | Part::Absent(_) | Part::Slot { .. } => return None,
        };
        let parameter = self.readers.specs[reader].name().to_owned();
        Some(ValueRead { parameter, pattern: pattern.text.clone(), text: String::new(), value, is_guess: false })
    }

    /// Tries one pattern at one word.
    fn find(&self, pattern: &Pattern, start: usize) -> Option<Found> {
        if let Some(Part::Word(_)) = pattern.parts.first()
            && self.after_word(&pattern.parts, start).is_none()
        {
            return None;
        }
        if self.is_reversed(pattern, start) {
            return None;
        }
        let mut reads = Reads::new();
        let end = self.step(pattern, &pattern.parts, start, &mut reads)?;
        let has_quotation = self.sentence.words[start..end].iter().any(|word| word.quoted);
        let is_text = reads.iter().any(|(reader, _)| self.readers.specs[*reader].is_text());
        let announced = if is_text { 100 * pattern.strength + 1000 * usize::from(has_quotation) } else { 0 };
        // Of two that say as much, the one with more values: "where the stock is 0" says more than a column.
        let more = reads.iter().filter(|(_, read)| !read.text.is_empty()).count().saturating_sub(1);
        let weight = 10 * (end - start) + 5 * usize::from(!pattern.is_mute) + 6 * more + announced;
        Some(Found { span: start..end, weight, reads, text: end..end, is_aside: false })
    }

    /// The rest of the parts when the first is the word at `at`.
    fn after_word<'p>(&self, parts: &'p [Part], at: usize) -> Option<&'p [Part]> {
        match parts.split_first() {
            Some((Part::Word(expected), rest)) => {
                let word = self.sentence.words.get(at)?;
                (!word.quoted && self.sentence.canonical[at] == *expected).then_some(rest)
            }
            _ => None,
        }
    }

    /// Matches parts from `at` on; returns where they end. An article may stand before any part but the first.
    fn step(&self, pattern: &Pattern, parts: &[Part], at: usize, reads: &mut Reads) -> Option<usize> {
        let Some((part, rest)) = parts.split_first() else { return Some(at) };
        let is_first = parts.len() == pattern.parts.len();
        match part {
            // Only what a template implies has such a part, and that is not matched here.
            Part::Absent(_) => return None,
            Part::Word(_) => {
                if let Some(rest) = self.after_word(parts, at) {
                    return self.step(pattern, rest, at + 1, reads);
                }
            }
            Part::Only { reader, .. } | Part::Set { reader, .. } => {
                reads.push((*reader, self.set(part, pattern)?));
                if let Some(end) = self.step(pattern, rest, at, reads) {
                    return Some(end);
                }
                reads.pop();
            }
            // "By country, 5 countries": a comma ends what the column is compared with.
            Part::Slot { .. }
                if !is_first && Self::is_between_slots(pattern, parts) && self.sentence.words[at - 1].comma =>
            {
                return None;
            }
            // "Containing the text timeout": the text is what follows.
            Part::Slot { reader, .. } if !is_first && self.is_called_text(*reader, at) => {}
            Part::Slot { reader, choices, shape } => {
                let is_last = rest.iter().all(|part| matches!(part, Part::Set { .. } | Part::Only { .. }));
                for width in (1..=self.width(*reader, at, is_last)).rev() {
                    let Some(value) = self.value(pattern, *reader, choices.as_deref(), at..at + width) else {
                        continue;
                    };
                    if self.is_of_other_column(*reader, at..at + width, reads) && !pattern.says_equal {
                        continue;
                    }
                    if shape.is_some_and(|shape| !has_shape(shape, &value)) {
                        continue;
                    }
                    let text: Vec<&str> =
                        self.sentence.words[at..at + width].iter().map(|word| word.text.as_str()).collect();
                    reads.push((
                        *reader,
                        ValueRead {
                            parameter: self.readers.specs[*reader].name().to_owned(),
                            pattern: pattern.text.clone(),
                            text: text.join(" "),
                            value,
                            is_guess: false,
                        },
                    ));
                    if let Some(end) = self.step(pattern, rest, at + width, reads) {
                        return Some(end);
                    }
                    reads.pop();
                }
            }
        }
        let word = self.sentence.words.get(at).filter(|word| !word.quoted)?;
        let is_article =
            matches!(word.plain.as_str(), "the" | "a" | "an" | "all" | "any" | "each" | "our" | "their" | "its");
        if is_first {
            return None;
        }
        // "Containing the text", "any mention of".
        let is_of_text = matches!(part, Part::Slot { reader, .. } if self.readers.specs[*reader].is_text() && self.readers.sources[*reader].is_none())
            && (word.plain == "of" || CALLS.contains(&word.plain.as_str()))
            && self.sentence.words.len() > at + 1;
        // "The biggest single amount".
        let is_adjective = matches!(word.plain.as_str(), "existing" | "individual" | "overall" | "possible" | "single");
        if is_article || is_of_text || is_adjective {
            return self.step(pattern, parts, at + 1, reads);
        }
        // The file on the way is read as well.
        let (reader, name) = self.file_at(at)?;
        let spec = &self.readers.specs[reader];
        let value = spec.read_item(name).ok().filter(|_| !reads.iter().any(|(other, _)| *other == reader))?;
        let (parameter, pattern_text) = (spec.name().to_owned(), pattern.text.clone());
        reads.push((
            reader,
            ValueRead { parameter, pattern: pattern_text, text: word.text.clone(), value, is_guess: false },
        ));
        let end = self.step(pattern, parts, at + 1, reads);
        if end.is_none() {
            reads.pop();
        }
        end
    }

    /// Whether the part before these is a slot too.
    fn is_between_slots(pattern: &Pattern, parts: &[Part]) -> bool {
        let before = (pattern.parts.len() - parts.len()).checked_sub(1).map(|before| &pattern.parts[before]);
        matches!(before, Some(Part::Slot { .. }))
    }

    /// The most words from `at` on that a value of this reader may have.
    fn width(&self, reader: usize, at: usize, is_last: bool) -> usize {
        let left = self.sentence.words.len().saturating_sub(at);
        let has_names = self.names[reader].is_some();
        let spec = &self.readers.specs[reader];
        let most = match spec.kind() {
            ParamKind::List { items_max, .. } => self.enumerated(reader, at, *items_max),
            ParamKind::Window { .. } | ParamKind::Datetime { .. } => NAME_WORDS_MAX,
            ParamKind::Duration { .. } => 2,
            // The last text of a pattern is extended later, to where other values begin.
            ParamKind::String { .. } if spec.is_text() && !is_last => TEXT_WORDS_MAX,
            // A known text of several words is read whole.
            ParamKind::String { .. } if spec.is_text() => self.item_width(reader, at),
            ParamKind::String { .. } if has_names || is_day(spec) => NAME_WORDS_MAX,
            _ => 1,
        };
        most.min(left)
    }

    /// The value that the words of a slot are.
    fn value(&self, pattern: &Pattern, reader: usize, choices: Option<&[Choice]>, span: Range<usize>) -> Option<Value> {
        let spec = &self.readers.specs[reader];
        if let Some(choices) = choices {
            let chosen = self.choice(spec, choices, span.start, pattern.is_bare()).filter(|_| span.len() == 1)?;
            // A choice that abbreviates a known name is that name: `prod` where there is `production`.
            let named = self.named(reader, span).and_then(|name| spec.read_item(name).ok());
            return Some(named.unwrap_or(chosen));
        }
        match spec.kind() {
            ParamKind::List { item, .. } => {
                let mut items = Vec::new();
                let mut at = span.start;
                while at < span.end {
                    if self.joins(at) {
                        at += 1;
                        continue;
                    }
                    let width = self.item_width(reader, at).min(span.end - at);
                    items.push(self.item(pattern, reader, item, at..at + width)?);
                    at += width;
                }
                (!items.is_empty()).then_some(Value::Array(items))
            }
            kind => self.item(pattern, reader, kind, span),
        }
    }

    /// One value of `kind`, which is the parameter's type or that of its list.
    fn item(&self, pattern: &Pattern, reader: usize, kind: &ParamKind, span: Range<usize>) -> Option<Value> {
        let spec = &self.readers.specs[reader];
        if matches!(kind, ParamKind::String { .. })
            && let Some(name) = self.named(reader, span.clone())
        {
            return spec.read_item(name).ok();
        }
        let inside = self.sentence.words.get(span.clone())?;
        match kind {
            ParamKind::String { .. } if is_day(spec) => {
                let day = time::point(inside, self.sentence.now).map(|point| point.to_string());
                let day = day.map(|day| day.strip_suffix("T00:00:00Z").map(str::to_owned).unwrap_or(day));
                let number = || {
                    let word = inside.first().filter(|_| inside.len() == 1)?;
                    if let Some(number) = count(&word.plain) {
                        return Some(number.to_string());
                    }
                    let text = word.text.trim_start_matches(['$', '€', '£']);
                    Some(thousands(text).unwrap_or_else(|| text.to_owned()))
                };
                let value = day.or_else(number)?;
                spec.read_item(&value).ok().filter(|value| spec.check_item(value).is_ok())
            }
            ParamKind::Window { .. } | ParamKind::Datetime { .. } => self.time(spec, kind, span),
            ParamKind::Duration { .. } => {
                period(inside, pattern.is_bare()).map(|period| Value::from(period.to_string()))
            }
            ParamKind::String { .. } if spec.is_text() && inside.len() > 1 => {
                let first = self.begin_of(span.start, span.end);
                let only = self.text(spec, kind, first, pattern, false)?;
                if first + 1 == span.end {
                    return Some(only);
                }
                let written = self.sentence.words[first].at.start..inside.last()?.at.end;
                spec.read_item(self.sentence.source.get(written)?).ok()
            }
            _ if inside.len() > 1 => None,
            ParamKind::String { .. } => self.text(spec, kind, span.start, pattern, self.names[reader].is_some()),
            ParamKind::Integer { .. } | ParamKind::Number { .. } => {
                let word = inside.first()?;
                // "One of our shops" and "one last thing" count nothing.
                let next = self.sentence.words.get(span.end).map_or("", |word| word.plain.as_str());
                if word.plain == "one" && matches!(next, "another" | "day" | "last" | "more" | "of" | "thing" | "time")
                {
                    return None;
                }
                match count(&word.plain) {
                    Some(number) => spec.read_item(&number.to_string()).ok(),
                    None => spec.read_item(word.plain.trim_start_matches('#')).ok(),
                }
            }
            ParamKind::Boolean | ParamKind::Enum { .. } => spec.read_item(&inside.first()?.plain).ok(),
            ParamKind::List { .. } => None,
        }
    }

    fn time(&self, spec: &ParamSpec, kind: &ParamKind, span: Range<usize>) -> Option<Value> {
        let inside = self.sentence.words.get(span.clone())?;
        let text: Vec<&str> = inside.iter().map(|word| word.text.as_str()).collect();
        if let Ok(value) = spec.read_item(&text.join(" ")) {
            return Some(value);
        }
        if matches!(kind, ParamKind::Datetime { .. }) {
            return time::point(inside, self.sentence.now).map(|point| Value::from(point.to_string()));
        }
        let is_it = |mention: &&time::Mention| {
            mention.span == span && !mention.compares_days && (spec.is_ahead() || !mention.is_ahead)
        };
        let mention = self.sentence.times.iter().find(is_it)?;
        Some(Value::from(if spec.is_ahead() { mention.whole } else { mention.window }.to_string()))
    }

    /// A text of one word, or of one quotation.
    fn text(&self, spec: &ParamSpec, kind: &ParamKind, at: usize, pattern: &Pattern, has_names: bool) -> Option<Value> {
        let (word, canonical) = (self.sentence.words.get(at)?, self.sentence.canonical.get(at)?);
        let fits = |text: &str| spec.read_item(text).ok().filter(|value| spec.check_item(value).is_ok());
        let looks_like_file = word.text.contains(['.', '/', '*'])
            && word.text.chars().any(char::is_alphabetic)
            && !word.text.contains('@')
            && !is_class(&word.text);
        let is_file = matches!(spec.values_from(), Some(ValuesFrom::Files));
        if word.quoted {
            // A quotation is a text before it is a file, whatever dots it has.
            // Where names are known, a quotation that is none of them names nothing, unless the sentence says that it does.
            let is_open = !has_names && fits(&word.text).is_some();
            let is_allowed = spec.is_text() || is_open || pattern.says_source(spec);
            return spec.read_item(&word.text).ok().filter(|_| is_allowed && (!is_file || pattern.says_source(spec)));
        }
        if self.is_file_of_another_pack(at) {
            return None;
        }
        // "The log files distributed over the levels" names no file: one is named after one.
        let is_after_many = || {
            let before = at.checked_sub(1).map(|before| &self.sentence.words[before]).filter(|before| !before.quoted);
            before.is_some_and(|before| before.plain.ends_with('s') && singular(&before.plain) != before.plain)
        };
        if has_names && !looks_like_file && pattern.says_source(spec) && is_after_many() {
            return None;
        }
        // Where names come from somewhere, another word is one only if the sentence says so: "in project x", "in x.log".
        let is_number = word.plain.bytes().all(|byte| byte.is_ascii_digit());
        match spec.values_from() {
            Some(ValuesFrom::Files) if !looks_like_file && !pattern.says_source(spec) => return None,
            _ if spec.is_text() => {}
            Some(ValuesFrom::Template { .. }) if has_names && !pattern.says_source(spec) && !spec.is_narrow() => {
                return None;
            }
            Some(ValuesFrom::Template { .. }) if pattern.is_wordless() || is_number || self.file_at(at).is_some() => {
                return None;
            }
            _ => {}
        }
        let announces = self.readers.announcing.contains(canonical);
        let is_known = word.is_filler || self.topics.contains(canonical) || announces;
        if spec.is_text() {
            // "Look for it" and "find a text" do not say what.
            let is_vague = VAGUE.contains(&word.plain.as_str());
            let is_free = match pattern.strength {
                _ if is_vague || NO_TEXT.contains(&word.plain.as_str()) => false,
                _ if self.is_out_of(at) => true,
                0 | 1 if LEADING.contains(&word.plain.as_str()) => false,
                _ if pattern.is_bare() => is_identifier(&word.text) && !self.is_grouping(at),
                0 => !is_known,
                1 => !self.topics.contains(canonical) && !announces,
                _ => true,
            };
            if !is_free {
                return None;
            }
            // Where values are known, another one has to look like a value: "customer Tanaka", but not "customer wants".
            let is_plain = matches!(word.plain.as_str(), "having" | "not" | "there");
            let is_one = spec.values_from().is_none()
                || (pattern.says_equal && !is_plain && !word.is_filler)
                || self.looks_like_name(at);
            // "For the meeting, list the errors" begins with what it is for.
            let is_purpose = at <= 2
                && self.sentence.words[0].plain == "for"
                && (at + 1..self.sentence.words.len().min(at + 8)).any(|next| {
                    ends_clause(self.sentence.source, &self.sentence.words[next - 1], &self.sentence.words[next])
                });
            let is_other_name = pattern.strength <= 1
                && (0..self.names.len())
                    .any(|other| other != self.reader_of(spec) && self.named(other, at..at + 1).is_some())
                && !self.is_told(&(at..at + 1));
            if !is_one || is_purpose || (is_other_name && spec.values_from().is_none()) {
                return None;
            }
            let is_elsewhere = || self.is_elsewhere(at, &vec![false; self.sentence.words.len()]);
            let is_file = || self.file_at(at).is_some() && !self.is_told(&(at..at + 1));
            return fits(&word.text).filter(|_| !is_elsewhere() && !self.is_time(at) && !is_file());
        }
        // A word that was put right was not one of the pack's as it was written. Words that join others name nothing.
        // "How are the columns called" and "the column names" name none.
        let is_about_names =
            spec.values_from().is_some() && matches!(word.plain.as_str(), "called" | "how" | "names" | "what");
        if (!word.corrected && is_known)
            || matches!(word.plain.as_str(), "and" | "or")
            || word.is_around
            || is_about_names
        {
            return None;
        }
        // A bare number is an amount or a year, unless the pattern says what it numbers, or nobody counts so far.
        let has_shape = || matches!(kind, ParamKind::String { pattern: Some(pattern), .. } if !pattern.matches("word"));
        let is_amount =
            is_number && word.plain.len() < 7 && pattern.is_mute && (spec.values_from().is_some() || has_shape());
        if is_amount || (self.readers.has_times && self.is_time(at)) {
            return None;
        }
        let text = word.text.as_str();
        // "Web-3m" is an issue, "six-month" is none.
        let has_digit = || text.contains(|letter: char| letter.is_ascii_digit());
        fits(text)
            .or_else(|| fits(&text.to_lowercase()))
            .or_else(|| if has_digit() { fits(&text.to_uppercase()) } else { None })
            .or_else(|| fits(text.trim_start_matches('#')))
    }

    fn reader_of(&self, spec: &ParamSpec) -> usize {
        self.readers.specs.iter().position(|other| other.name() == spec.name()).unwrap_or_default()
    }

    fn is_time(&self, at: usize) -> bool {
        let word = &self.sentence.words[at];
        let in_mention = self.sentence.times.iter().any(|mention| !mention.is_ahead && mention.span.contains(&at));
        in_mention || Period::of(1, &word.plain).is_some() || period(std::slice::from_ref(word), true).is_some()
    }

    /// The choice that the word at `index` names, or is a synonym of.
    fn choice(&self, spec: &ParamSpec, choices: &[Choice], index: usize, is_bare: bool) -> Option<Value> {
        let (word, canonical) = (self.sentence.words.get(index)?, self.sentence.canonical.get(index)?);
        let exact = choices.iter().find(|choice| choice.text == word.plain);
        // One of several, or a declared synonym. Tenses are kept apart: "resolve" asks for what "resolved" has.
        let other = || {
            let (one, is_declared) = (singular(&word.plain), !is_bare && *canonical != stem(&word.plain));
            let is_other =
                |choice: &&Choice| singular(&choice.text) == one || (is_declared && choice.canonical == *canonical);
            choices.iter().filter(|_| !word.quoted).find(is_other)
        };
        let choice = exact.or_else(other)?;
        let item = spec.read_item(&choice.text).ok()?;
        Some(if matches!(spec.kind(), ParamKind::List { .. }) { Value::Array(vec![item]) } else { item })
    }

    fn found(&self, reader: usize, span: Range<usize>, weight: usize, by: &str, value: Value) -> Found {
        let text: Vec<&str> = self.sentence.words[span.clone()].iter().map(|word| word.text.as_str()).collect();
        let parameter = self.readers.specs[reader].name().to_owned();
        let read = ValueRead { parameter, pattern: by.to_owned(), text: text.join(" "), value, is_guess: false };
        let text = span.end..span.end;
        Found { span, weight, reads: vec![(reader, read)], text, is_aside: false }
    }

    fn windows(&self, all: &mut Vec<Found>) {
        let is_window = |spec: &ParamSpec| matches!(spec.kind(), ParamKind::Window { .. });
        let Some(reader) = self.readers.specs.iter().position(is_window) else { return };
        let is_ahead = self.readers.specs[reader].is_ahead();
        for mention in self.sentence.times.iter().filter(|mention| is_ahead || !mention.is_ahead) {
            let window = if is_ahead { mention.whole } else { mention.window };
            let value = Value::from(window.to_string());
            let weight = 10 * mention.span.len() + 6;
            let mut found = self.found(reader, mention.span.clone(), weight, "a time", value);
            if mention.compares_days {
                let Some((reader, day)) = self.by_day() else { continue };
                let parameter = self.readers.specs[reader].name().to_owned();
                let (pattern, text) = ("a time".to_owned(), String::new());
                found.reads.push((reader, ValueRead { parameter, pattern, text, value: day, is_guess: false }));
            }
            all.push(found);
        }
    }

    /// The parameter with which a card counts by day, and its value for that. No other card can tell what each day is.
    fn by_day(&self) -> Option<(usize, Value)> {
        self.readers.specs.iter().enumerate().find_map(|(reader, spec)| {
            let is_choice = matches!(spec.kind(), ParamKind::Enum { .. });
            let day = spec.read_item("day").ok().filter(|day| is_choice && spec.check_item(day).is_ok())?;
            Some((reader, day))
        })
    }

    /// What fits a narrow pattern is that value, and a file's name is a file. What changes something has to be named in a pattern.
    fn shapes(&self, all: &mut Vec<Found>) {
        if self.readers.writes {
            return;
        }
        for (reader, spec) in self.readers.specs.iter().enumerate() {
            let is_file = matches!(spec.values_from(), Some(ValuesFrom::Files))
                && matches!(spec.kind(), ParamKind::String { .. });
            if (!spec.is_narrow() && !is_file) || is_day(spec) {
                continue;
            }
            let pattern = Pattern::new("its shape".to_owned(), vec![Part::Slot { reader, choices: None, shape: None }]);
            for at in 0..self.sentence.words.len() {
                if self.sentence.words[at].quoted {
                    continue;
                }
                if let Some(value) = self.text(spec, spec.kind(), at, &pattern, self.names[reader].is_some()) {
                    all.push(self.found(reader, at..at + 1, 9, "its shape", value));
                }
            }
        }
    }
}

/// Whether a value may be a day: such a parameter takes `2026-10-15`, and so "15 october".
fn is_day(spec: &ParamSpec) -> bool {
    let ParamKind::String { pattern: Some(pattern), .. } = spec.kind() else { return false };
    pattern.matches("2026-10-15") && !pattern.matches("word")
}

#[cfg(test)]
mod tests;
