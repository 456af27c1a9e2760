//! Splits texts and names into stems, and joins stems that are one phrase.

use std::sync::LazyLock;

use intentbox_router::stem;

use crate::lexicon::Lexicon;

/// The most words of a text that are read.
const WORDS_MAX: usize = 128;

/// Words that say nothing about which tool is meant.
const SILENT: &str = "a an the of to in on at for from with by and or is are was were be been being am do does did done i me my we \
    our us you your it its this that these those there here can could would should will shall may might must please just so as if \
    then than but not no into onto up out over off about some any all every each has have had having let s t re ve ll d m want need \
    like help how what which who whom whose when where why someone something anything thing stuff one ones via per also too very \
    really still yet now \
    between another other two three four five six seven eight nine ten";

static SILENT_STEMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut stems: Vec<String> = SILENT.split_whitespace().map(stem).collect();
    stems.sort();
    stems.dedup();
    stems
});

/// The words of a text or of a name, in lower case: `maxCount` and `max_count` have two.
pub(crate) fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut last) = (Vec::new(), String::new(), ' ');
    for letter in text.chars().chain([' ']) {
        let is_part = letter.is_ascii_alphanumeric();
        let is_apostrophe = matches!(letter, '\'' | '’') && last.is_ascii_alphanumeric();
        let starts = letter.is_ascii_uppercase() && (last.is_ascii_lowercase() || last.is_ascii_digit());
        if ((!is_part && !is_apostrophe) || starts) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            if words.len() == WORDS_MAX {
                break;
            }
        }
        if is_part {
            word.push(letter.to_ascii_lowercase());
        }
        last = letter;
    }
    words
}

/// The stems of a text with phrases of the lexicon as one stem: `pull request` is `pull_request`.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let plain: Vec<String> = words(text).iter().map(|word| stem(word)).collect();
    Lexicon::get().joined(&plain)
}

/// The stems that say something.
pub(crate) fn telling(text: &str) -> Vec<String> {
    stems(text).into_iter().filter(|stem| SILENT_STEMS.binary_search(stem).is_err()).collect()
}

/// A text without what stands in quotes, and without words that have a capital inside a sentence or a digit: those are names.
pub(crate) fn unquoted(text: &str) -> String {
    let outside: Vec<&str> = text.split(['"', '`', '“', '”']).step_by(2).collect();
    let outside = outside.join(" ");
    let is_word = |(number, word): (usize, &str)| {
        let mut letters = word.chars();
        let first = letters.next().is_some_and(|first| number == 0 || !first.is_uppercase());
        first && letters.all(|letter| !letter.is_uppercase() && !letter.is_ascii_digit() && letter != '@')
    };
    let words = outside.split_whitespace().enumerate().filter(|word| is_word(*word)).map(|(_, word)| word);
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a stem is a word, and no piece of a name or of a path.
pub(crate) fn is_plain(stem: &str) -> bool {
    (3..=24).contains(&stem.len()) && stem.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// How often each run of three letters is in a text.
pub(crate) fn trigrams(text: &str) -> Vec<([u8; 3], f64)> {
    let whole = format!(" {} ", words(text).join(" "));
    let mut grams: Vec<[u8; 3]> = whole.as_bytes().windows(3).map(|gram| [gram[0], gram[1], gram[2]]).collect();
    grams.sort_unstable();
    let mut counted: Vec<([u8; 3], f64)> = Vec::new();
    for gram in grams {
        match counted.last_mut() {
            Some((last, count)) if *last == gram => *count += 1.0,
            _ => counted.push((gram, 1.0)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sentences_have_the_same_words() {
        for (text, expected) in [
            ("git_create-branch", "git create branch"),
            ("listMergeRequests", "list merge requests"),
            ("What's in the user's URL?", "whats in the users url"),
            ("get_file2 HTML", "get file2 html"),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_phrase_is_one_stem_and_silent_words_are_left_out() {
        assert_eq!(telling("the pull requests of a repo"), ["pull_request", "repo"]);
        assert_eq!(telling("please do it"), Vec::<String>::new());
    }
}
