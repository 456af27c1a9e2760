//! Free text: several words that are one value, as in "search for out of memory in the logs".

use super::{Found, Pull, ValueRead};
use crate::text::{Word, ends_clause};

/// Words that stand for a text and are none: "look for it", "a given string".
pub(super) const VAGUE: [&str; 20] = [
    "any",
    "certain",
    "given",
    "her",
    "his",
    "it",
    "me",
    "particular",
    "some",
    "something",
    "somewhere",
    "specific",
    "string",
    "text",
    "that",
    "them",
    "these",
    "this",
    "those",
    "us",
];

/// Words with which a text begins only where it is announced: "about your card was declined".
pub(super) const LEADING: [&str; 16] = [
    "a",
    "all",
    "an",
    "at",
    "each",
    "every",
    "everything",
    "in",
    "most",
    "my",
    "on",
    "our",
    "out",
    "the",
    "up",
    "your",
];

/// Whether a word looks like a name from a program: `NullPointerException`, `order_id`, `10.0.0.7`, `bbaa7c8f-81b5`.
pub(super) fn is_identifier(text: &str) -> bool {
    let has = |test: fn(char) -> bool| text.chars().any(test);
    let inner_capital = text.chars().skip(1).any(char::is_uppercase) && has(char::is_lowercase);
    let joined = text.trim_matches(['.', ':', '/', '-']).contains(['_', ':', '/', '#', '@', '.']);
    let mixed = has(char::is_alphabetic) && has(|letter| letter.is_ascii_digit());
    text.len() >= 3 && has(char::is_alphanumeric) && (inner_capital || joined || mixed)
}

impl Pull<'_> {
    /// A text goes on to the next value, or to where the sentence says where to look.
    pub(super) fn extend_texts(&self, values: &mut [Found], taken: &mut [bool]) {
        let words = self.sentence.words;
        for found in values {
            let is_text = |(reader, _): &&mut (usize, ValueRead)| self.readers.specs[*reader].is_text();
            let Some((reader, read)) = found.reads.iter_mut().rev().find(is_text) else { continue };
            let spec = &self.readers.specs[*reader];
            let end = found.span.end;
            found.text = end - 1..end;
            let is_last = read.text == words[end - 1].text;
            // A name from a program is a text by itself, unless a colon says that it goes on.
            let first = self.sentence.source.get(words[end - 1].at.clone()).unwrap_or_default();
            let is_alone = read.pattern == "{}" && !first.ends_with(':');
            if !is_last || words[end - 1].quoted {
                continue;
            }
            let mut last = end;
            // What is written without a space belongs together: `user_id=9917`.
            while last < words.len() && !taken[last] && self.touches(last) {
                last += 1;
            }
            let end = last;
            if is_alone && end == found.span.end {
                continue;
            }
            while !is_alone
                && last < words.len()
                && !taken[last]
                && self.is_joined(last)
                && !self.is_elsewhere(last, taken)
            {
                last += 1;
            }
            let is_end = |word: &Word| word.is_filler && !word.quoted;
            // "Log in" ends with a preposition, "somewhere in it" does not.
            let is_verb = |last: usize| words[last - 1].plain == "in" && !is_end(&words[last - 2]);
            while last > end && is_end(&words[last - 1]) && !is_verb(last) {
                last -= 1;
            }
            let first = found.text.start;
            let written = self.sentence.source.get(words[first].at.start..words[last - 1].at.end).unwrap_or_default();
            let closing = |letter: char| matches!(letter, ',' | ';' | '!' | '?' | '.' | ':');
            let text = written.trim_matches(closing).trim();
            // A bracket that a text opens belongs to it with what closes it.
            let behind = self.sentence.source.get(words[last - 1].at.end..).unwrap_or_default();
            let is_open = text.matches('(').count() > text.matches(')').count() && behind.starts_with(')');
            let text = if is_open { format!("{text})") } else { text.to_owned() };
            if let Ok(value) = spec.read_item(&text) {
                read.value = value;
                read.text = text;
                taken[found.span.end..last].fill(true);
                found.text = first..last;
                found.span.end = last;
            }
        }
    }

    /// Whether nothing but a sign stands between a word and the one before it.
    fn touches(&self, at: usize) -> bool {
        let words = self.sentence.words;
        let gap = self.sentence.source.get(words[at - 1].at.end..words[at].at.start).unwrap_or(" ");
        !gap.contains(char::is_whitespace) && !gap.contains(',')
    }

    /// Whether a word goes on with the clause of the word before it.
    fn is_joined(&self, at: usize) -> bool {
        let words = self.sentence.words;
        let is_new = ends_clause(self.sentence.source, &words[at - 1], &words[at]);
        let goes_on = |at: usize| self.sentence.canonical.get(at).is_some_and(|word| word == "list");
        let asks_more = self.is_and(at) && goes_on(at + 1);
        !(is_new || asks_more)
    }

    /// Whether the rest of the sentence says where to look, or nothing: "in the logs", "please".
    pub(super) fn is_elsewhere(&self, at: usize, taken: &[bool]) -> bool {
        let words = self.sentence.words;
        let leads = matches!(
            words[at].plain.as_str(),
            "in" | "from" | "at" | "on" | "within" | "please" | "since" | "during" | "across"
        );
        let says_nothing = |index: usize| {
            let word = &words[index];
            taken[index] || (!word.quoted && (word.is_filler || self.topics.contains(&self.sentence.canonical[index])))
        };
        let says_where = |index: usize| taken[index] || self.topics.contains(&self.sentence.canonical[index]);
        let is_polite = words[at].plain == "please";
        leads && (at..words.len()).all(says_nothing) && (is_polite || (at..words.len()).any(says_where))
    }
}
