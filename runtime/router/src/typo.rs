//! Corrects misspelled words to the one word of a pack's vocabulary that matches, if there is exactly one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::english::negates;
use crate::text::{Synonyms, Word, stem};

/// Shorter words have too many neighbours: `log`, `lag`, `leg`.
const LETTERS_MIN: usize = 4;

/// From this length on two edits are allowed, instead of one.
const LONG_LETTERS_MIN: usize = 8;

/// The longest word that is looked up, so that the distance costs little whatever was typed.
const LETTERS_MAX: usize = 24;

/// The words that a pack's cards understand.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: FxHashSet<String>,
    stems: FxHashSet<String>,
    /// By first letter, which is rarely mistyped: it keeps `mirrors` from being `errors`.
    by_first: BTreeMap<char, Vec<Known>>,
}

/// A word, what it means, and which letters it has.
#[derive(Debug)]
struct Known {
    word: String,
    /// The form in which it is compared.
    canonical: String,
    letters: u32,
}

/// The letters of a word, a bit for each.
fn letters(word: &str) -> u32 {
    word.bytes().filter(u8::is_ascii_lowercase).fold(0, |set, byte| set | 1 << (byte - b'a'))
}

impl Vocabulary {
    pub(crate) fn new(words: impl IntoIterator<Item = String>, synonyms: &Synonyms) -> Self {
        let words: BTreeSet<String> = words.into_iter().collect();
        let stems = words.iter().map(|word| stem(word)).collect();
        let mut by_first: BTreeMap<char, Vec<Known>> = BTreeMap::new();
        for word in words.iter().filter(|word| is_looked_up(word)) {
            by_first.entry(word.chars().next().unwrap_or_default()).or_default().push(Known {
                word: word.clone(),
                canonical: synonyms.canonical(word),
                letters: letters(word),
            });
        }
        Self { words: words.into_iter().collect(), stems, by_first }
    }

    /// The words of a sentence with misspellings corrected. Quotations, known words and names stay as they are.
    pub(crate) fn correct<'a>(&self, words: &'a [Word], named: &[bool]) -> Cow<'a, [Word]> {
        let mut corrected = Cow::Borrowed(words);
        for (index, word) in words.iter().enumerate().filter(|(index, _)| !named[*index]) {
            if let Some(meant) = self.meant(word) {
                corrected.to_mut()[index].correct(meant);
            }
        }
        corrected
    }

    /// Whether a word is one of the pack's, in any of its forms.
    pub(crate) fn knows(&self, word: &Word) -> bool {
        self.words.contains(&word.plain) || self.stems.contains(&word.stem)
    }

    fn meant(&self, word: &Word) -> Option<&str> {
        let plain = word.plain.as_str();
        let is_known = word.is_filler || word.is_amount || word.quoted || negates(plain);
        if is_known || !is_looked_up(plain) || self.words.contains(plain) {
            return None;
        }
        // An ending that nobody declared is no slip: `listing`, `errored`.
        if self.stems.contains(&word.stem) {
            return None;
        }
        let slips_max = if plain.len() >= LONG_LETTERS_MIN { 2 } else { 1 };
        let mut best: Option<(usize, &Known)> = None;
        let mut is_tied = false;
        let mine = letters(plain);
        for near in self.by_first.get(&plain.chars().next()?)? {
            let Known { word: known, letters, .. } = near;
            // A slip changes one letter for another at most, and so two of the sets. This is much cheaper than the
            // distance, and leaves few words for it.
            if (mine ^ letters).count_ones() as usize > 2 * slips_max {
                continue;
            }
            if known.len().abs_diff(plain.len()) > slips_max {
                continue;
            }
            let slips = strsim::osa_distance(known, plain);
            if slips > slips_max {
                continue;
            }
            match best {
                Some((fewest, _)) if slips > fewest => {}
                // `error`, `errors` and `errs` are one word; two that mean different things are a question, not an answer.
                Some((fewest, other)) if slips == fewest => {
                    is_tied |= other.canonical != near.canonical;
                }
                _ => {
                    best = Some((slips, near));
                    is_tied = false;
                }
            }
        }
        best.filter(|_| !is_tied).map(|(_, near)| near.word.as_str())
    }
}

fn is_looked_up(word: &str) -> bool {
    (LETTERS_MIN..=LETTERS_MAX).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{normal, split};

    #[test]
    fn slips_are_put_right_and_other_words_left_alone() {
        let words = [
            "there",
            "weekly",
            "list",
            "errors",
            "error",
            "project",
            "projects",
            "production",
            "issue",
            "show",
            "trace",
            "track",
        ];
        let vocabulary = Vocabulary::new(words.map(str::to_owned), &Synonyms::default());
        for (text, expected) in [
            ("lsit erors", "list errors"),
            ("list errros in porduction", "list errors in production"),
            ("shwo projcets", "show projects"),
            ("lists errored listing", "lists errored listing"),
            ("list mirrors", "list mirrors"),
            ("list the eras", "list the eras"),
            ("lisp eror", "list error"),
            ("tracs", "tracs"),
            ("\"lsit\"", "\"lsit\""),
            ("er01rs ERRORZ", "er01rs error"),
            ("three weeks yesterday", "three weeks yesterday"),
        ] {
            let words = split(text);
            assert_eq!(normal(&vocabulary.correct(&words, &vec![false; words.len()])), expected, "{text}");
        }
    }
}
