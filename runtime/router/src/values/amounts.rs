//! Numbers and periods in words.

use intentbox_catalog::period::Period;

use crate::text::Word;

/// A period of one or two words: `24h`, `2 weeks`, `an hour`, `today`, and `week` where a pattern says it is one.
///
/// A duration has no calendar, so `today` is the last 24 hours and `yesterday` reaches back 48: enough to hold the day.
pub(super) fn period(words: &[Word], bare: bool) -> Option<Period> {
    if words.iter().any(|word| word.quoted) {
        return None;
    }
    match words {
        [word] => match word.plain.as_str() {
            "today" | "tonight" => Period::of(1, "day"),
            "yesterday" => Period::of(2, "days"),
            unit if !bare && unit.len() > 2 => Period::of(1, unit).or_else(|| unit.parse().ok()),
            text => text.parse().ok(),
        },
        [number, unit] => {
            let number = match number.plain.as_str() {
                "a" | "an" => 1,
                text => count(text)?,
            };
            Period::of(number, &unit.plain)
        }
        _ => None,
    }
}

/// Whether a word is a number or a time: what every card understands.
pub(crate) fn says_how_much(word: &str) -> bool {
    count(word).is_some() || Period::of(1, word).is_some() || matches!(word, "today" | "tonight" | "yesterday")
}

/// A number as digits or as a word.
pub(crate) fn count(word: &str) -> Option<u64> {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    if word == "dozen" {
        return Some(12);
    }
    match WORDS.iter().position(|name| *name == word) {
        Some(index) => u64::try_from(index + 1).ok(),
        None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        None => None,
    }
}
