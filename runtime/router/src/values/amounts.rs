//! Numbers and periods in words.

use intentbox_catalog::period::Period;
use intentbox_catalog::{ParamKind, ParamSpec};

use super::{Found, Pull};
use crate::text::Word;

/// Words for what is counted, whatever it is.
const COUNTED: [&str; 10] =
    ["entries", "hits", "items", "lines", "matches", "piece", "pieces", "records", "results", "rows"];

/// A larger number at the end counts nothing: `search status code 401`.
const LAST_AMOUNT_MAX: u64 = 400;

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

/// A number of thousands in digits: `100k` is 100000, and `1.5k` 1500.
pub(super) fn thousands(text: &str) -> Option<String> {
    let number = text.strip_suffix(['k', 'K'])?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = (1..=6).contains(&whole.len()) && part.len() <= 3 && are_digits(whole) && are_digits(part);
    is_number.then(|| format!("{whole}{part:0<3}").trim_start_matches('0').to_owned()).filter(|text| !text.is_empty())
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
    let round = match word {
        "dozen" => Some(12),
        "thirty" => Some(30),
        "forty" => Some(40),
        "fifty" => Some(50),
        "sixty" => Some(60),
        "hundred" => Some(100),
        _ => None,
    };
    if round.is_some() {
        return round;
    }
    match WORDS.iter().position(|name| *name == word) {
        Some(index) => u64::try_from(index + 1).ok(),
        None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        None => None,
    }
}

impl Pull<'_> {
    /// The one parameter that says how many of something.
    fn counted(&self) -> Option<(usize, &ParamSpec)> {
        let is_amount = |spec: &&ParamSpec| matches!(spec.kind(), ParamKind::Integer { .. }) && spec.unit().is_some();
        let mut amounts = self.readers.specs.iter().enumerate().filter(|(_, spec)| is_amount(spec));
        amounts.next().filter(|_| amounts.next().is_none())
    }

    /// A number before what is counted is a limit: "5 orders", "10 most common messages".
    pub(super) fn amounts(&self, all: &mut Vec<Found>) {
        const BETWEEN_MAX: usize = 4;
        let Some((reader, spec)) = self.counted() else { return };
        let words = self.sentence.words;
        for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.quoted) {
            let Some(number) = count(&word.plain) else { continue };
            let is_topic = |at: usize| self.topics.contains(&self.sentence.canonical[at]) || self.file_at(at).is_some();
            let is_said = |at: usize| {
                is_topic(at)
                    || self.names.iter().flatten().any(|names| names.iter().any(|name| name.span.contains(&at)))
            };
            let following = (at + 1..words.len()).take(BETWEEN_MAX).take_while(|at| !words[*at].quoted);
            // A plural says that things are counted: "5 issues", but "issue 5" and "502 error".
            let is_plural = |at: usize| words[at].plain.ends_with('s') && is_said(at);
            let next =
                |after: usize| words.get(at + after).filter(|word| !word.quoted).map_or("", |word| word.plain.as_str());
            // "The ten most repeated", "3 of them", "25 rows of it".
            let is_counted = COUNTED.contains(&next(1))
                || matches!(next(1), "latest" | "most" | "newest")
                || (next(1) == "of" && matches!(next(2), "it" | "them" | "these" | "those"));
            if (is_counted || following.into_iter().any(is_plural))
                && number < 1000
                && !self.is_time(at)
                && let Ok(value) = spec.read_item(&number.to_string())
            {
                all.push(self.found(reader, at..at + 1, 8, "a number before what is counted", value));
            }
        }
    }

    /// A number at the end is a limit, whatever it counts: "tail app.log 50", "top cities, five".
    pub(super) fn last_amount(&self, all: &mut Vec<Found>) {
        let Some((reader, spec)) = self.counted() else { return };
        let words = self.sentence.words;
        let is_over = |word: &&Word| {
            word.is_filler || matches!(word.plain.as_str(), "max" | "most" | "only" | "pieces" | "maximum" | "entries")
        };
        let after = words.iter().rev().take_while(is_over).count();
        let Some(at) = words.len().checked_sub(after + 1).filter(|at| *at > 0) else { return };
        let number =
            count(&words[at].plain).filter(|number| (1..LAST_AMOUNT_MAX).contains(number) && !words[at].quoted);
        // "Issue 42" is one, "errors 42" are many.
        let is_numbered = self.topics.contains(&self.sentence.canonical[at - 1]) && !words[at - 1].plain.ends_with('s');
        let is_preposition = is_numbered
            || matches!(words[at - 1].plain.as_str(), "above" | "below" | "over" | "under" | "than" | "is" | "for");
        if let Some(number) = number.filter(|_| !is_preposition && !self.is_time(at))
            && let Ok(value) = spec.read_item(&number.to_string())
        {
            all.push(self.found(reader, at..at + 1, 4, "a number at the end", value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_thousands_is_written_in_digits() {
        for (text, expected) in [
            ("100k", Some("100000")),
            ("1.5K", Some("1500")),
            ("0.25k", Some("250")),
            ("999999k", Some("999999000")),
            ("1000000k", None),
            ("1.2345k", None),
            ("0k", None),
            ("k", None),
            ("-1k", None),
            ("1kk", None),
            ("100", None),
        ] {
            assert_eq!(thousands(text).as_deref(), expected, "{text}");
        }
    }
}
