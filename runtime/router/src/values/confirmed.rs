//! Texts of a sentence that its data hold: "panic", where some record says so. Nothing has to announce such a text.

use std::ops::Range;

use serde_json::Value;

use super::free_text::{ASKED_WITH, BEHIND, CALLED, LEADING, NO_TEXT, PLACES, VAGUE};
use super::{Found, How, NameMention, Pull, ValueRead, count};
use crate::english::{is_deed, negates};
use crate::nearest::COMPARING;

/// By what a text is read that its data hold.
pub(crate) const CONFIRMED: &str = "a text that is there";

/// How many characters a text has at least: fewer are in all data.
const LETTERS_MIN: usize = 3;

/// Words that ask to compute or to draw something, or for something else that was said before, whatever the data hold.
const ASKING_FOR_MORE: [&str; 54] = [
    "average",
    "averages",
    "avg",
    "begin",
    "biggest",
    "change",
    "changed",
    "chart",
    "compare",
    "compared",
    "delta",
    "diff",
    "difference",
    "else",
    "end",
    "fastest",
    "finish",
    "graph",
    "growth",
    "happen",
    "highest",
    "kind",
    "largest",
    "longest",
    "lowest",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "other",
    "p50",
    "p90",
    "p95",
    "p99",
    "part",
    "parts",
    "percent",
    "percentage",
    "plot",
    "rate",
    "ratio",
    "same",
    "set",
    "shortest",
    "slowest",
    "start",
    "stop",
    "sum",
    "thing",
    "things",
    "total",
    "type",
];

/// Whether a number is long enough to be a code or an id, and no amount.
pub(crate) fn is_code(word: &str) -> bool {
    word.len() >= LETTERS_MIN && word.bytes().all(|byte| byte.is_ascii_digit())
}

impl Pull<'_> {
    /// Texts of the sentence that the data hold: the longest of those that begin and end with words which say nothing else.
    pub(super) fn confirmed_texts(&self, all: &mut Vec<Found>) {
        for (reader, source) in self.readers.confirming.iter().enumerate().filter(|_| !self.readers.writes) {
            let Some(mentions) = source.as_ref().and_then(|source| self.sentence.names.get(source)) else { continue };
            let texts: Vec<&NameMention> =
                mentions.iter().filter(|mention| self.is_text_alone(&mention.span)).collect();
            self.extend_to_confirmed(reader, mentions, all);
            let is_part = |span: &Range<usize>| {
                let mut longer = texts.iter().filter(|other| other.span.len() > span.len());
                longer.any(|other| other.span.start <= span.start && span.end <= other.span.end)
            };
            for NameMention { span, name, how } in texts.iter().filter(|mention| !is_part(&mention.span)) {
                let spec = &self.readers.specs[reader];
                let value = Value::from(name.text.as_str());
                if spec.check_item(&value).is_err() {
                    continue;
                }
                let mut found = self.found(reader, span.clone(), 10 * span.len(), CONFIRMED, value);
                found.reads[0].1.is_guess =
                    *how != How::Exactly || !found.reads[0].1.text.eq_ignore_ascii_case(&name.text);
                found.text = span.clone();
                all.push(found);
            }
        }
    }

    /// Whether a text may be the rest of one that was read: unless both are known to be there by themselves.
    pub(super) fn goes_on(&self, found: &Found, read: &[Found]) -> bool {
        let is_confirmed = |found: &ValueRead| found.pattern == CONFIRMED;
        found.reads.iter().any(|(reader, found)| {
            let mut others = read.iter().flat_map(|found| &found.reads).filter(|(of, _)| of == reader);
            let are_confirmed = is_confirmed(found) && others.all(|(_, other)| is_confirmed(other));
            self.readers.is_confirming(*reader) && !are_confirmed
        })
    }

    /// What a pattern finds goes on to the end of the text that the data hold: "mentioning lock wait timeout".
    fn extend_to_confirmed(&self, reader: usize, mentions: &[NameMention], all: &mut [Found]) {
        for found in all.iter_mut().filter(|found| found.reads.len() == 1 && found.reads[0].0 == reader) {
            let begins = |mention: &&NameMention| mention.span.start + 1 == found.span.end && mention.span.len() > 1;
            let Some(longest) = mentions.iter().filter(begins).max_by_key(|mention| mention.span.len()) else {
                continue;
            };
            let is_last = self.sentence.words[found.span.end - 1].text == found.reads[0].1.text;
            if is_last && !self.sentence.words[longest.span.end - 1].is_filler {
                found.span.end = longest.span.end;
                found.text = longest.span.clone();
                found.reads[0].1.value = Value::from(longest.name.text.as_str());
                found.reads[0].1.text.clone_from(&longest.name.text);
            }
        }
    }

    /// Whether words may be a text that nothing announces: they go on in one clause, and their first and last say nothing else.
    fn is_text_alone(&self, span: &Range<usize>) -> bool {
        let words = &self.sentence.words[span.clone()];
        let letters: usize = words.iter().map(|word| word.text.chars().count()).sum();
        let clauses = &self.sentence.clauses[span.clone()];
        let is_one = clauses.iter().all(|clause| *clause == clauses[0]) && !words.iter().any(|word| word.quoted);
        let may_stand = |at: usize| self.says_nothing_else(at, span.len() == 1);
        // "Too many open files" ends with a word of the card, "login failed" too, and "no space left on device" begins with another.
        let stands = span.clone().filter(|at| may_stand(*at)).count();
        let is_word = |at: usize| !self.sentence.words[at].is_filler && !self.is_time(at);
        let is_whole = span.len() > 1 && stands > 0 && is_word(span.start) && is_word(span.end - 1);
        let is_long = span.len() > 3 && stands > 1 && is_word(span.end - 1);
        let may_begin = may_stand(span.start) || is_whole || is_long;
        let may_end = may_stand(span.end - 1) || is_whole || is_long;
        // "The database log" is a file, and "do we write" asks about us.
        let next = self.sentence.words.get(span.end).map_or("", |word| word.stem.as_str());
        let before = span.start.checked_sub(1).map_or("", |before| self.sentence.words[before].plain.as_str());
        let is_file = matches!(next, "log" | "logfil" | "fil" | "folder" | "director");
        let asks_of_us = matches!(before, "he" | "i" | "it" | "she" | "they" | "we" | "you");
        is_one && !is_file && !asks_of_us && letters >= LETTERS_MIN && may_begin && may_end
    }

    fn says_nothing_else(&self, at: usize, is_alone: bool) -> bool {
        let word = &self.sentence.words[at];
        let (plain, form) = (word.plain.as_str(), &self.sentence.canonical[at]);
        let is_spoken = word.is_filler
            || word.is_around
            || negates(plain)
            || is_deed(plain)
            || (count(plain).is_some() && !is_code(plain));
        let is_listed =
            [&ASKING_FOR_MORE[..], &ASKED_WITH, &BEHIND, &CALLED, &COMPARING, &LEADING, &NO_TEXT, &PLACES, &VAGUE]
                .iter()
                .any(|list| list.contains(&plain));
        let is_of_card = self.topics.contains(form) || is_alone && self.readers.announcing.contains(form);
        !(is_spoken || is_listed || is_of_card || self.is_time(at) || self.file_at(at).is_some())
    }
}
