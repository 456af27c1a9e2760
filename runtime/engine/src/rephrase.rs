//! Advice on an intent that no template fits: what was not understood, and the nearest sentence. Its texts are short and safe
//! to print.

use intentbox_catalog::terminal::printable;
use intentbox_report::{NearName, Remedy, Rephrase};
use intentbox_router::{AbsentName, Nearest};

/// The most words that are told. A sentence with more was not about anything here.
const WORDS_MAX: usize = 8;

/// The most characters of a word that are told. A longer one is no word, and its start is enough to recognise it.
const WORD_CHARS_MAX: usize = 64;

/// The remedy for an intent that no template fits.
pub(crate) fn remedy(nearest: &Nearest, has_candidates: bool, is_beyond_code: bool) -> Remedy {
    let near_name = |near: &intentbox_router::NearName| NearName {
        parameter: near.parameter.clone(),
        called: near.called.clone(),
        written: short(&near.written),
        name: short(&near.name),
    };
    Remedy::Rephrase(Box::new(Rephrase {
        has_candidates,
        not_understood: told(&nearest.not_understood),
        nearest: nearest.sentence.clone(),
        near_names: nearest.names.iter().take(WORDS_MAX).map(near_name).collect(),
        is_beyond_code,
    }))
}

/// That no name is what somebody called so, with those that there are.
pub(crate) fn absent(absent: &AbsentName) -> String {
    let AbsentName { parameter, written, names, more } = absent;
    let mut listed = told(names);
    if *more > 0 {
        listed.push(format!("and {more} more"));
    }
    format!("no {parameter} is called {} (there are {})", quoted(written), listed.join(", "))
}

/// Words from outside, as many as are told, short and safe to print.
pub(crate) fn told(words: &[String]) -> Vec<String> {
    words.iter().take(WORDS_MAX).map(|word| short(word)).collect()
}

/// A word from outside in quotes, short and safe to print.
pub(crate) fn quoted(word: &str) -> String {
    format!("\"{}\"", short(word))
}

/// A text from outside in one short line that is safe to print.
fn short(text: &str) -> String {
    let start: String = text.chars().take(WORD_CHARS_MAX).collect();
    let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    printable(&line).chars().take(WORD_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told_of(not_understood: Vec<String>) -> Vec<String> {
        let nearest = Nearest { not_understood, ..Nearest::default() };
        match remedy(&nearest, false, false) {
            Remedy::Rephrase(rephrase) => rephrase.not_understood,
            other => panic!("{other:?} is another remedy"),
        }
    }

    #[test]
    fn words_are_told_as_written_up_to_a_bound() {
        let words = |count: usize| (0..count).map(|number| format!("Zap{number}")).collect::<Vec<_>>();
        assert_eq!(told_of(words(WORDS_MAX)), words(WORDS_MAX));
        assert_eq!(told_of(words(WORDS_MAX + 1)), words(WORDS_MAX));
        for (length, kept) in [(WORD_CHARS_MAX, WORD_CHARS_MAX), (WORD_CHARS_MAX + 1, WORD_CHARS_MAX)] {
            assert_eq!(told_of(vec!["é".repeat(length)]), ["é".repeat(kept)]);
        }
    }

    #[test]
    fn a_word_has_no_character_that_a_terminal_obeys() {
        assert_eq!(told_of(vec!["a\n\tb\u{1b}[2J\u{202e}c".to_owned()]), ["a b\\u{1b}[2J\\u{202e}c"]);
        let escapes = told_of(vec!["\u{202e}".repeat(WORD_CHARS_MAX)]);
        assert_eq!(escapes[0].chars().count(), WORD_CHARS_MAX, "escapes are counted as well");
        assert!(escapes[0].is_ascii());
    }

    #[test]
    fn a_name_is_told_beside_the_word_that_is_nearly_it() {
        let near = intentbox_router::NearName {
            parameter: "project".to_owned(),
            called: "project".to_owned(),
            written: "wbe".to_owned(),
            name: "web\u{202e}".to_owned(),
        };
        let sentence = Some("errors in project web".to_owned());
        let nearest = Nearest { names: vec![near], sentence: sentence.clone(), ..Nearest::default() };
        let (parameter, called) = ("project".to_owned(), "project".to_owned());
        let near = NearName { parameter, called, written: "wbe".to_owned(), name: "web\\u{202e}".to_owned() };
        let expected = Rephrase {
            has_candidates: true,
            nearest: sentence,
            near_names: vec![near],
            is_beyond_code: true,
            ..Rephrase::default()
        };
        assert_eq!(remedy(&nearest, true, true), Remedy::Rephrase(Box::new(expected)));
    }
}
