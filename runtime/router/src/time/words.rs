//! Words of times: weekdays, months, parts of a day, days of a month.

use jiff::civil::{Date, Weekday};

/// What stands between two times.
pub(super) const LINKS: [&str; 7] = ["and", "n", "to", "until", "till", "til", "through"];

/// The first hour of a part of the day, and how many it has.
pub(super) fn part_of_day(word: &str) -> Option<(i8, i64)> {
    match word {
        "morning" => Some((0, 12)),
        "afternoon" => Some((12, 6)),
        "evening" => Some((18, 6)),
        "night" => Some((18, 12)),
        _ => None,
    }
}

/// Long words of times, which a slip does not turn into others.
pub(super) const LONG: [&str; 16] = [
    "afternoon",
    "evening",
    "friday",
    "hours",
    "midnight",
    "minutes",
    "monday",
    "morning",
    "night",
    "saturday",
    "sunday",
    "thursday",
    "today",
    "tuesday",
    "wednesday",
    "yesterday",
];

/// The word of a time that a word with a slip is: `mornign`. Its first letter is rarely wrong.
pub(super) fn spelled(word: &str) -> &str {
    let may_be = (4..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_meant = |meant: &&&str| {
        let slips_max = if meant.len() >= 8 { 2 } else { 1 };
        let is_number = meant.strip_suffix('s') == Some(word) || word.strip_suffix('s') == Some(meant);
        // "On mondays" is no monday, and an hour is no hours.
        !is_number
            && meant.as_bytes()[0] == word.as_bytes()[0]
            && meant.len().abs_diff(word.len()) <= slips_max
            && (1..=slips_max).contains(&strsim::osa_distance(meant, word))
    };
    // "Tuesday" is two letters from "thursday".
    if may_be && !LONG.contains(&word) { LONG.iter().find(is_meant).copied().unwrap_or(word) } else { word }
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" | "mondays" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let matches =
        |name: &&str| *name == word || name.get(..3) == Some(word) || (*name == "september" && word == "sept");
    MONTHS.iter().position(matches).and_then(|index| i8::try_from(index + 1).ok())
}

/// A day of a month: `20`, or `20th`.
pub(super) fn ordinal(word: &str, needs_ending: bool) -> Option<i8> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let has_ending = matches!(&word[digits.len()..], "st" | "nd" | "rd" | "th");
    if digits.is_empty()
        || digits.len() > 2
        || (digits.len() != word.len() && !has_ending)
        || (needs_ending && !has_ending)
    {
        return None;
    }
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// `2026-11-20`, `2026/11/20` or `20.11.2026`.
pub(super) fn numeric_date(word: &str) -> Option<Date> {
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    let [first, second, third] = parts[..] else { return None };
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i16>().ok()).flatten();
    let (first, second, third) = (number(first)?, number(second)?, number(third)?);
    let small = |number: i16| i8::try_from(number).ok();
    match word.as_bytes().iter().find(|byte| !byte.is_ascii_digit())? {
        b'.' if third >= 1000 => Date::new(third, small(second)?, small(first)?).ok(),
        b'-' | b'/' if first >= 1000 => Date::new(first, small(second)?, small(third)?).ok(),
        _ => None,
    }
}

/// `23/11` or `11/23`: a day and a month where only one of both can be the month.
pub(super) fn day_and_month(word: &str) -> Option<(i8, i8)> {
    let (first, second) = word.split_once('/')?;
    let number = |text: &str| {
        let is_small = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i8>().ok().filter(|number| is_small && (1..=31).contains(number))
    };
    match (number(first)?, number(second)?) {
        (day @ 13.., month @ ..=12) | (month @ ..=12, day @ 13..) => Some((day, month)),
        _ => None,
    }
}

/// `20.11`: a day and a month, with two digits each.
pub(super) fn dotted(word: &str) -> Option<(i8, i8)> {
    let (day, month) = word.split_once('.').filter(|(day, month)| day.len() == 2 && month.len() == 2)?;
    let (day, month) = (day.parse().ok()?, month.parse().ok()?);
    ((1..=31).contains(&day) && (1..=12).contains(&month)).then_some((day, month))
}
