//! The clauses of a sentence. Who tells a story before asking uses words that nobody foresees, so that a part of the sentence may
//! be understood where the whole is not.
//!
//! It is *not* grammar: a clause ends at punctuation and before a few words that begin another.

use crate::english::negates;
use crate::text::{Word, ends_clause};

/// Words that begin another clause wherever they stand.
const BEGINNING: [&str; 3] = ["because", "but", "cause"];

/// Words that ask, if `you` or `I` follows.
const ASKING: [&str; 6] = ["can", "could", "may", "might", "will", "would"];

/// Whom one asks.
const ASKED: [&str; 8] = ["anybody", "anyone", "i", "somebody", "someone", "u", "we", "you"];

/// Words after `so` with which somebody comes to the point.
const AFTER_SO: [&str; 19] = [
    "can", "could", "did", "do", "does", "find", "give", "how", "i", "id", "is", "lets", "list", "please", "pls",
    "show", "what", "which", "would",
];

/// Words that take something away from what was asked for before, beside those that negate: "only in api".
const EXCEPTING: [&str; 6] = ["apart", "besides", "dont", "ignore", "ignoring", "only"];

/// Words with which somebody goes on telling, and asks for nothing more.
const TELLING: [&str; 27] = [
    "as", "because", "cause", "have", "he", "her", "his", "hope", "i", "id", "im", "in", "it", "its", "ive", "my",
    "our", "she", "since", "sorry", "thank", "thanks", "that", "the", "they", "this", "we",
];

/// Whether words after the request only go on telling: "because my boss asks", and not "then drop the table".
pub(crate) fn tells(words: &[Word]) -> bool {
    let first = words.iter().find(|word| !matches!(word.plain.as_str(), "and" | "please" | "so" | "but"));
    first.is_none_or(|word| !word.quoted && TELLING.contains(&word.plain.as_str()))
}

/// From how many words on a clause before the request may be a story.
pub(crate) const STORY_WORDS_MIN: usize = 5;

/// The number of its clause for each word, from 0.
pub(crate) fn numbered(source: &str, words: &[Word]) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(words.len());
    let (mut number, mut start) = (0, 0);
    for (index, word) in words.iter().enumerate() {
        let is_after = index > 0 && ends_after(source, &words[index - 1], word);
        // One or two words before such a beginning are no clause of their own: "so could you", "hi can you".
        if is_after || (index >= start + 3 && begins(&words[index..])) {
            number += 1;
            start = index;
        }
        numbers.push(number);
    }
    numbers
}

/// Whether words after the request take something away from it.
pub(crate) fn excepts(words: &[Word]) -> bool {
    let is_excepting = |word: &str| negates(word) || EXCEPTING.contains(&word);
    words.iter().any(|word| !word.quoted && is_excepting(&word.plain))
}

/// Whether a clause ends between two words: at punctuation, or at the colon that announces what follows.
fn ends_after(source: &str, before: &Word, word: &Word) -> bool {
    let announces = source.get(before.at.clone()).is_some_and(|raw| raw.ends_with(':'));
    ends_clause(source, before, word) || (announces && before.at.end < word.at.start)
}

/// Whether these words begin a clause of their own.
fn begins(words: &[Word]) -> bool {
    let plain = |at: usize| words.get(at).filter(|word| !word.quoted).map_or("", |word| word.plain.as_str());
    match plain(0) {
        first if BEGINNING.contains(&first) => true,
        "so" => AFTER_SO.contains(&plain(1)),
        first => ASKING.contains(&first) && ASKED.contains(&plain(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::split;

    #[test]
    fn a_clause_ends_at_punctuation_and_before_words_that_begin_another() {
        for (text, clauses) in [
            ("list errors", vec!["list errors"]),
            ("hi, list errors", vec!["hi", "list errors"]),
            ("the shop is slow so please show errors", vec!["the shop is slow", "so please show errors"]),
            ("a customer called can you list errors", vec!["a customer called", "can you list errors"]),
            ("could you list errors because I must know", vec!["could you list errors", "because i must know"]),
            ("how many so far", vec!["how many so far"]),
            ("here it is: list errors", vec!["here it is", "list errors"]),
            ("find 'but why' in web", vec!["find but why in web"]),
        ] {
            let words = split(text);
            let mut read: Vec<String> = Vec::new();
            for (word, clause) in words.iter().zip(numbered(text, &words)) {
                match read.get_mut(clause) {
                    Some(text) => *text = format!("{text} {}", word.plain),
                    None => read.push(word.plain.clone()),
                }
            }
            assert_eq!(read, clauses, "{text}");
        }
    }
}
