//! What somebody says by the way before asking: a value that the request itself says otherwise is a part of the story, and no value.

use intentbox_catalog::period::Period;
use serde_json::Value;

use super::{Found, KNOWN_NAME, NameMention, Pull, ValueRead, count};
use crate::clause;

/// From this weight on, the words before a text say that it is one, or it stands in quotes.
const ANNOUNCED_WEIGHT: usize = 200;

impl Pull<'_> {
    /// Whether a time is a length alone in a story: "I have been a buyer for thirty years" is about no period.
    pub(super) fn is_told_length(&self, found: &Found, request: usize) -> bool {
        let is_length = |word: &str| {
            let word = word.to_lowercase();
            let is_unit = Period::of(1, &word).is_some() || word.parse::<Period>().is_ok();
            is_unit || count(&word).is_some() || matches!(word.as_str(), "a" | "about" | "an" | "for")
        };
        self.is_before_request(found.span.start, request)
            && self.readers.is_window(found)
            && found.reads.iter().all(|(_, read)| read.text.split(' ').all(is_length))
    }

    /// Whether a text that nothing announces is in a story, and is not asked for: "with the barking dog" before the request.
    pub(super) fn is_told_text(&self, found: &Found, request: usize) -> bool {
        let is_open = |(reader, _): &(usize, ValueRead)| {
            let spec = &self.readers.specs[*reader];
            spec.is_text() && spec.values_from().is_none() && !spec.must_be_given()
        };
        found.weight < ANNOUNCED_WEIGHT
            && found.reads.iter().all(is_open)
            && self.is_before_request(found.span.start, request)
    }

    /// Whether a word is in a clause before the request that may be a story.
    pub(super) fn is_before_request(&self, at: usize, request: usize) -> bool {
        let clauses = self.sentence.clauses;
        let clause = clauses[at.min(clauses.len().saturating_sub(1))];
        let words = clauses.iter().filter(|of| **of == clause).count();
        clause < request && words >= clause::STORY_WORDS_MIN
    }

    /// Leaves out known texts of a story that the request takes back: "we drop the free plan, so how many users are on each plan"
    /// groups by the column of the story, and "they say we sell furniture: which products have chair in their name" compares by itself.
    pub(super) fn without_story(&self, values: &mut Vec<Found>, request: usize) {
        let clauses = self.sentence.clauses;
        let clause_of = |found: &Found| clauses[found.span.start.min(clauses.len().saturating_sub(1))];
        let is_told = |found: &Found| {
            let words = &self.sentence.words[found.span.clone()];
            let is_known = found.reads.iter().all(|(_, read)| read.pattern == KNOWN_NAME);
            let is_text =
                found.reads.iter().any(|(reader, _)| self.readers.specs[self.readers.first_of(*reader)].is_text());
            clause_of(found) < request && is_known && is_text && !words.iter().any(|word| word.quoted)
        };
        let is_second = |found: &Found| found.reads.iter().any(|(reader, _)| self.readers.first_of(*reader) != *reader);
        let asked: Vec<Value> = values
            .iter()
            .filter(|found| !found.span.is_empty() && clause_of(found) >= request)
            .flat_map(|found| found.reads.iter().map(|(_, read)| read.value.clone()))
            .collect();
        let is_asked = |column: &Value| {
            asked.iter().any(|value| value == column || value.as_array().is_some_and(|items| items.contains(column)))
        };
        // The column that holds a known text has no words of its own.
        let is_taken_back = |found: &Found| {
            let mut columns = found.reads.iter().filter(|(_, read)| read.text.is_empty());
            columns.any(|(_, read)| is_asked(&read.value))
        };
        // A clause that holds another value, but for a time, or another name is a part of the request.
        let is_other = |clause: usize, mention: &NameMention| {
            let told = values.iter().filter(|found| is_told(found) && clause_of(found) == clause);
            let says = |found: &Found| {
                let is_it = |(_, read): &(usize, ValueRead)| read.value == *mention.name.text;
                found.span.contains(&mention.span.start) || found.reads.iter().any(is_it)
            };
            clauses[mention.span.start] == clause && !told.into_iter().any(says)
        };
        let is_request = |clause: usize| {
            let inside = values.iter().filter(|found| !found.span.is_empty() && clause_of(found) == clause);
            let has_value = inside.into_iter().any(|found| !is_told(found) && !self.readers.is_window(found));
            has_value || self.names.iter().flatten().flatten().any(|mention| is_other(clause, mention))
        };
        let told: Vec<bool> = values
            .iter()
            .map(|found| is_told(found) && !is_request(clause_of(found)) && (is_second(found) || is_taken_back(found)))
            .collect();
        let mut told = told.into_iter();
        values.retain(|_| !told.next().unwrap_or_default());
    }
}
