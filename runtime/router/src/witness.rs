//! What a sentence says for one card that was found in another way: the values, and what nobody took for one.

use std::collections::BTreeMap;
use std::ops::Range;

use intentbox_catalog::instant::Instant;
use serde_json::Value;

use crate::index::Said;
use crate::text::Word;
use crate::trust::Doubts;
use crate::values::Found;
use crate::values::ValueRead;
use crate::{Why, index, time};

/// What a sentence says for a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Witness {
    /// The values of its parameters.
    pub values: BTreeMap<String, Value>,
    /// The words that it does not explain.
    pub passed_over: Vec<PassedOver>,
    /// The times that are said, from left to right.
    pub times: Vec<SaidTime>,
    /// The words of the sentence outside of quotes, in lower case.
    pub words: Vec<String>,
    /// All words of the sentence.
    pub tokens: Vec<Token>,
    /// Whether the sentence asks whether something is so, or was done.
    pub is_question: bool,
}

/// A word of the sentence, or a text in quotes, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked alone")]
pub struct Token {
    /// As written, without quotes.
    pub text: String,
    /// Where it is written, in bytes of the sentence.
    pub at: Range<usize>,
    /// Whether it stood in quotes.
    pub is_quoted: bool,
    /// Whether it says nothing by itself, as "the" does.
    pub is_filler: bool,
    /// Whether it is of a value that was read, or of the words around it.
    pub is_read: bool,
    /// Whether it is one of the words of a time.
    pub is_of_a_time: bool,
    /// What speaks against passing over it, where the card does not explain it.
    pub doubt: Option<Why>,
}

/// A word that a card does not explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// As written.
    pub text: String,
    /// Which of the words of the sentence it is.
    pub at: usize,
    /// What speaks against passing over it.
    pub why: Why,
    /// Whether it looks like a value: it has a digit, a sign, or a capital within the sentence.
    pub stands_out: bool,
    /// Whether it is one of the words of a time.
    pub is_of_a_time: bool,
}

/// A time that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidTime {
    /// Its words.
    pub words: String,
    /// Its beginning, if it has one.
    pub since: Option<Instant>,
    /// Its end, if it has one.
    pub until: Option<Instant>,
    /// The parameters that took a value out of its words.
    pub read_by: Vec<String>,
}

pub(crate) fn of(said: Said<'_>, values: Vec<ValueRead>, found: &[Found], doubts: &Doubts) -> Witness {
    let Said { words, times, question, .. } = said;
    // No tool counts by day for the sake of a comparison.
    let times: Vec<&time::Mention> = times.iter().filter(|time| !time.compares_days).collect();
    let is_shouted = words.iter().all(|word| !word.text.chars().any(char::is_lowercase));
    let passed_over = doubts.words.iter().map(|doubt| PassedOver {
        text: doubt.text.clone(),
        at: doubt.at,
        why: doubt.why,
        stands_out: stands_out(&doubt.text, doubt.at > 0 && !is_shouted),
        is_of_a_time: times.iter().any(|time| time.span.contains(&doubt.at)),
    });
    let said_times = times.iter().map(|time| {
        let overlaps = |found: &&Found| found.span.start < time.span.end && time.span.start < found.span.end;
        let read_by = found.iter().filter(overlaps).flat_map(|found| &found.reads);
        let (since, until) = time.window.bounds(question.now);
        let told: Vec<&str> = words[time.span.clone()].iter().map(|word: &Word| word.text.as_str()).collect();
        SaidTime {
            words: told.join(" "),
            since,
            until,
            read_by: read_by.map(|(_, read)| read.parameter.clone()).collect(),
        }
    });
    let tokens = words.iter().enumerate().map(|(at, word)| Token {
        text: word.text.clone(),
        at: word.at.clone(),
        is_quoted: word.quoted,
        is_filler: word.is_filler,
        is_read: found.iter().any(|found| found.span.contains(&at)),
        is_of_a_time: times.iter().any(|time| time.span.contains(&at)),
        doubt: doubts.words.iter().find(|doubt| doubt.at == at).map(|doubt| doubt.why),
    });
    Witness {
        tokens: tokens.collect(),
        passed_over: passed_over.collect(),
        times: said_times.collect(),
        words: words.iter().filter(|word| !word.quoted).map(|word| word.plain.clone()).collect(),
        is_question: index::is_question(words),
        values: values.into_iter().map(|read| (read.parameter, read.value)).collect(),
    }
}

/// Whether a word looks like a value. A capital says so only `within` a sentence of small letters.
fn stands_out(text: &str, within: bool) -> bool {
    let is_sign = |letter: char| letter.is_ascii_digit() || "/._@#:\\%$=<>".contains(letter);
    text.chars().any(is_sign) || (within && text.chars().any(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_a_digit_a_sign_or_a_capital_within_the_sentence() {
        for (text, within, expected) in [
            ("bob", true, false),
            ("Bob", true, true),
            ("Bob", false, false),
            ("be8fbf7", false, true),
            ("notes.txt", false, true),
            ("HEAD~2", false, true),
            ("well-known", true, false),
            ("", true, false),
        ] {
            assert_eq!(stands_out(text, within), expected, "{text} {within}");
        }
    }
}
