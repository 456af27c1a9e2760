//! Values of one column that "or" joins, and values that are excluded: "open or pending", "not from Norway".

use std::ops::Range;

use serde_json::Value;

use super::pattern::{Part, Pattern};
use super::{Found, How, NameMention, Pull, ValueRead};
use crate::english::negates;

/// The most words between two values that are joined, or between "not" and the value.
const BETWEEN_MAX: usize = 4;

/// What may stand between "not" and the value, and between two values.
const LEADS: [&str; 24] = [
    "a",
    "an",
    "at",
    "be",
    "been",
    "being",
    "by",
    "currently",
    "either",
    "for",
    "from",
    "in",
    "is",
    "of",
    "on",
    "one",
    "ones",
    "still",
    "than",
    "the",
    "to",
    "was",
    "with",
    "yet",
];

/// What compares, as words are compared.
const COMPARING: [&str; 5] = ["above", "at", "below", "less", "more"];

/// What joins values of which one may apply.
const JOINS: [&str; 5] = ["&", "/", "and", "nor", "or"];

impl Pull<'_> {
    /// Adds the values of the same column that are joined to one, and turns those into exclusions that "not" stands before.
    pub(super) fn join_values(&self, values: &mut [Found], taken: &mut [bool]) {
        for at in 0..values.len() {
            let Some((equals, column)) = self.compared(&values[at]) else { continue };
            let span = values[at].span.clone();
            let more = self.joined_to(equals, &column, span.end, taken);
            let not = self.excluded_before(&column, span.start, taken);
            let value =
                values[at].reads.iter().find(|(reader, _)| *reader == equals).map(|(_, read)| read.value.clone());
            // "Not paid or paid by invoice" joins other things than two values.
            if more.iter().any(|mention| value.as_ref().is_some_and(|value| *value == *mention.name.text)) {
                continue;
            }
            if more.is_empty() && not.is_none() {
                continue;
            }
            let first = self.readers.first_of(equals);
            let companion = if not.is_some() { self.readers.not.get(&first) } else { self.readers.or.get(&first) };
            let Some(companion) = companion.copied() else { continue };
            if equals != first && !self.exchange(values, at, first) {
                continue;
            }
            let found = &mut values[at];
            let before = span.start.checked_sub(1).filter(|before| self.sentence.words[*before].plain == "either");
            let start = not.or(before.filter(|before| !taken[*before])).unwrap_or(span.start);
            let end = more.last().map_or(span.end, |mention| mention.span.end);
            let place = found.reads.iter().position(|(reader, _)| *reader == first).unwrap_or_default();
            let mut items: Vec<Value> = more.iter().map(|mention| Value::from(mention.name.text.as_str())).collect();
            let words = &self.sentence.words[start..end];
            let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            let parameter = self.readers.specs[companion].name().to_owned();
            let mut read = ValueRead { parameter, text, ..found.reads[place].1.clone() };
            if not.is_some() {
                items.insert(0, read.value.clone());
                found.reads.remove(place);
            }
            read.value = Value::Array(items);
            found.reads.push((companion, read));
            found.span = start..end;
            found.text = end..end;
            taken[start..end].fill(true);
        }
    }

    /// Whether "no" or "not" stands before what compares: "no more than 5" is no "more than 5".
    pub(super) fn is_reversed(&self, pattern: &Pattern, start: usize) -> bool {
        let compares = matches!(pattern.parts.first(), Some(Part::Word(first)) if COMPARING.contains(&first.as_str()));
        let before = start.checked_sub(1).map_or("", |before| self.sentence.words[before].plain.as_str());
        compares && matches!(before, "no" | "not")
    }

    /// The parameter that a known text of a column is for, and the column.
    fn compared(&self, found: &Found) -> Option<(usize, String)> {
        let equals = found.reads.iter().find(|(reader, read)| {
            let first = self.readers.first_of(*reader);
            let is_known = || self.mentions(first).any(|mention| read.value == *mention.name.text);
            (self.readers.or.contains_key(&first) || self.readers.not.contains_key(&first)) && is_known()
        })?;
        let value = equals.1.value.as_str()?;
        let inside = |mention: &&NameMention| {
            mention.name.text == value && found.span.contains(&mention.span.start) && mention.span.end <= found.span.end
        };
        let mention = self.mentions(self.readers.first_of(equals.0)).find(inside)?;
        Some((equals.0, mention.name.fields.get("of")?.clone()))
    }

    fn mentions(&self, reader: usize) -> impl Iterator<Item = &NameMention> {
        self.names[reader].iter().flatten().copied().filter(|mention| mention.how != How::Guessed)
    }

    /// The values of the same column behind `from`, each joined to the one before it.
    fn joined_to(&self, equals: usize, column: &str, from: usize, taken: &[bool]) -> Vec<&NameMention> {
        let words = self.sentence.words;
        let reader = self.readers.first_of(equals);
        let mut more: Vec<&NameMention> = Vec::new();
        let mut end = from;
        loop {
            let next = self.mentions(reader).filter(|mention| {
                let between = end..mention.span.start;
                let is_of = mention.name.fields.get("of").is_some_and(|of| of == column);
                let has_comma = words[end - 1].comma;
                let joins = |at: usize| !words[at].quoted && JOINS.contains(&words[at].plain.as_str());
                let is_free = !taken.get(mention.span.clone()).is_none_or(|taken| taken.contains(&true));
                is_of
                    && is_free
                    && mention.span.start >= end
                    && between.len() <= BETWEEN_MAX
                    && (has_comma || between.clone().any(joins))
                    && self.only_leads(between, column, joins)
            });
            let Some(next) = next.max_by_key(|mention| (std::cmp::Reverse(mention.span.start), mention.span.len()))
            else {
                return more;
            };
            end = next.span.end;
            more.push(next);
        }
    }

    /// Where the words begin that exclude what follows, if they do: "not from", "other than", "except".
    fn excluded_before(&self, column: &str, start: usize, taken: &[bool]) -> Option<usize> {
        let words = self.sentence.words;
        for at in (start.saturating_sub(BETWEEN_MAX)..start).rev() {
            let word = &words[at];
            if word.quoted || taken[at] || words[at].comma {
                return None;
            }
            let excludes = match word.plain.as_str() {
                "other" | "rather" => words.get(at + 1).is_some_and(|next| next.plain == "than"),
                // "No open tickets" asks whether there are some, "without" is about what is missing.
                "atleast" | "atmost" | "no" | "unless" | "without" => false,
                "hasnt" | "havent" | "outside" | "werent" => true,
                plain => negates(plain),
            };
            if excludes {
                return Some(at);
            }
            if !self.only_leads(at..at + 1, column, |_| false) {
                return None;
            }
        }
        None
    }

    /// Whether words say nothing but what is joined: articles, prepositions, and the column again.
    fn only_leads(&self, between: Range<usize>, column: &str, joins: impl Fn(usize) -> bool) -> bool {
        between.clone().all(|at| {
            let word = &self.sentence.words[at];
            !word.quoted
                && (joins(at) || LEADS.contains(&word.plain.as_str()) || word.plain.eq_ignore_ascii_case(column))
        })
    }

    /// Gives the comparison at `at` the place of the first one, which takes its place. False where one of the two has no such place.
    fn exchange(&self, values: &mut [Found], at: usize, first: usize) -> bool {
        let level = |reader: usize| {
            let chain =
                std::iter::successors(Some(self.readers.first_of(reader)), |of| self.readers.second.get(of).copied());
            chain.take_while(|of| *of != reader).count()
        };
        let of_level = |reader: usize, wanted: usize| {
            let first = self.readers.first_of(reader);
            std::iter::successors(Some(first), |of| self.readers.second.get(of).copied()).nth(wanted)
        };
        let Some(own) = values[at].reads.iter().find(|(reader, _)| self.readers.first_of(*reader) == first) else {
            return false;
        };
        let own = level(own.0);
        let repeats = |reader: usize| self.readers.second.contains_key(&self.readers.first_of(reader));
        let is_first = |found: &Found| found.reads.iter().any(|(reader, _)| repeats(*reader) && level(*reader) == 0);
        let others: Vec<usize> = (0..values.len()).filter(|other| *other != at && is_first(&values[*other])).collect();
        // Only the first comparison takes lists.
        let lists = self.readers.or.values().chain(self.readers.not.values());
        let has_list = |found: &Found| found.reads.iter().any(|(reader, _)| lists.clone().any(|list| list == reader));
        if others.iter().any(|other| has_list(&values[*other])) {
            return false;
        }
        let moved = |values: &[Found], place: usize, wanted: usize| {
            let reads = values[place].reads.iter().map(|(reader, read)| {
                if !repeats(*reader) {
                    return Some((*reader, read.clone()));
                }
                let reader = of_level(*reader, wanted)?;
                Some((reader, ValueRead { parameter: self.readers.specs[reader].name().to_owned(), ..read.clone() }))
            });
            reads.collect::<Option<Vec<_>>>()
        };
        let Some(to_first) = moved(values, at, 0) else { return false };
        let to_own: Option<Vec<_>> = others.iter().map(|other| moved(values, *other, own)).collect();
        let Some(to_own) = to_own else { return false };
        values[at].reads = to_first;
        for (other, reads) in others.into_iter().zip(to_own) {
            values[other].reads = reads;
        }
        true
    }
}
