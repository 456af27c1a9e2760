//! Times: the shapes that logs write, to milliseconds since 1970, and back to RFC 3339.
//!
//! By hand and not with a date library: a line's time is read at a fixed place in tens of nanoseconds, and the shapes
//! are few. There are no time zones here beyond offsets written as numbers; a time without one is UTC.

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The first and the last millisecond of the years 1 to 9999, which RFC 3339 can write.
const MS_MIN: i64 = -62_135_596_800_000;
const MS_MAX: i64 = 253_402_300_799_999;

/// How far back a year is looked for that has the day: 29 February is up to eight years ago.
const YEARS_BACK_MAX: i64 = 8;

/// A time and the index after it.
type Read = (i64, usize);

/// A number of exactly `length` digits at `at`.
fn digits(text: &[u8], at: usize, length: usize) -> Option<i64> {
    let mut number = 0;
    for &byte in text.get(at..at.checked_add(length)?)? {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(byte - b'0');
    }
    Some(number)
}

fn is_at(text: &[u8], at: usize, byte: u8) -> bool {
    text.get(at) == Some(&byte)
}

fn is_digit_at(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(u8::is_ascii_digit)
}

/// `2026-11-20T09:58:12.123Z` and its kin: `/` for `-`, a space for `T`, a comma for the point, any offset or none.
pub(crate) fn iso(text: &[u8]) -> Option<Read> {
    let separator = *text.get(4)?;
    if !matches!(separator, b'-' | b'/') || !is_at(text, 7, separator) || !matches!(text.get(10)?, b'T' | b't' | b' ') {
        return None;
    }
    let date = day(digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?)?;
    // MariaDB writes ` 9:05:59`.
    let (time, at) = if is_at(text, 11, b' ') { early_clock(text, 12)? } else { clock(text, 11)? };
    let (offset, at) = zone(text, at);
    Some((date + time - offset, at))
}

/// `9:58:12`: an hour of one digit.
fn early_clock(text: &[u8], at: usize) -> Option<Read> {
    let mut padded = [b'0'; 8];
    padded[1..].copy_from_slice(text.get(at..at + 7)?);
    let (time, _) = clock(&padded, 0)?;
    Some((time, at + 7))
}

/// `2026.11.20-09.58.12:123`, of Unreal Engine, in UTC.
pub(crate) fn unreal(text: &[u8]) -> Option<Read> {
    const BETWEEN: [(usize, u8); 6] = [(4, b'.'), (7, b'.'), (10, b'-'), (13, b'.'), (16, b'.'), (19, b':')];
    if !BETWEEN.iter().all(|(at, byte)| is_at(text, *at, *byte)) {
        return None;
    }
    let date = day(digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?)?;
    let (hour, minute, second) = (digits(text, 11, 2)?, digits(text, 14, 2)?, digits(text, 17, 2)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let time = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + digits(text, 20, 3)?;
    Some((date + time, 23))
}

/// `20/Nov/2026:09:58:12 +0000`, of access logs.
pub(crate) fn access(text: &[u8]) -> Option<Read> {
    if !is_at(text, 2, b'/') || !is_at(text, 6, b'/') || !is_at(text, 11, b':') {
        return None;
    }
    let date = day(digits(text, 7, 4)?, month(text.get(3..6)?)?, digits(text, 0, 2)?)?;
    let (time, at) = clock(text, 12)?;
    let (offset, at) = zone(text, at);
    Some((date + time - offset, at))
}

/// `Thu Nov 20 09:58:12.123456 2026`, of Apache's error log and of `asctime`.
pub(crate) fn asctime(text: &[u8]) -> Option<Read> {
    if !text.get(..3)?.iter().all(u8::is_ascii_alphabetic) || !is_at(text, 3, b' ') {
        return None;
    }
    let (month, of_month) = (month(text.get(4..7)?)?, day_of_month(text, 8)?);
    let (time, at) = clock(text, 11)?;
    if !is_at(text, at, b' ') {
        return None;
    }
    Some((day(digits(text, at + 1, 4)?, month, of_month)? + time, at + 5))
}

/// `20 Nov 2026 09:58:12.123`, of Redis.
pub(crate) fn day_first(text: &[u8]) -> Option<Read> {
    if !is_at(text, 2, b' ') || !is_at(text, 6, b' ') || !is_at(text, 11, b' ') {
        return None;
    }
    let date = day(digits(text, 7, 4)?, month(text.get(3..6)?)?, digits(text, 0, 2)?)?;
    let (time, at) = clock(text, 12)?;
    Some((date + time, at))
}

/// `Nov 20 09:58:12`, of RFC 3164. Without `now_ms` its year is not known, and so neither is the time: nothing.
pub(crate) fn syslog(text: &[u8], now_ms: Option<i64>) -> Option<(Option<i64>, usize)> {
    let (month, of_month) = (month(text.get(..3)?)?, day_of_month(text, 4)?);
    if !is_at(text, 3, b' ') || !is_at(text, 6, b' ') {
        return None;
    }
    let (time, at) = clock(text, 7)?;
    Some((now_ms.and_then(|now_ms| without_year(month, of_month, time, now_ms)), at))
}

/// `1120 09:58:12.123456`, of glog. As with [`syslog`], the year comes from `now_ms`.
pub(crate) fn glog(text: &[u8], now_ms: Option<i64>) -> Option<(Option<i64>, usize)> {
    let (month, of_month) = (digits(text, 0, 2)?, digits(text, 2, 2)?);
    if !is_at(text, 4, b' ') || !(1..=12).contains(&month) || !(1..=31).contains(&of_month) {
        return None;
    }
    let (time, at) = clock(text, 5)?;
    Some((now_ms.and_then(|now_ms| without_year(month, of_month, time, now_ms)), at))
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970; the size tells which, from 1973 to 5138.
pub(crate) fn epoch(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(fraction) {
        return None;
    }
    let number = whole.parse::<i64>().ok()?;
    let ms = if number < 100_000_000_000 {
        let mut ms = 0;
        for index in 0..3 {
            ms = ms * 10 + fraction.as_bytes().get(index).map_or(0, |byte| i64::from(byte - b'0'));
        }
        number * SECOND_MS + ms
    } else if number < 100_000_000_000_000 {
        number
    } else if number < 100_000_000_000_000_000 {
        number / 1_000
    } else {
        number / 1_000_000
    };
    (ms <= MS_MAX).then_some(ms)
}

/// `1795168692`, `1795168692.123` or `1795168692123` in front of a line's text: seconds or milliseconds since 1970.
///
/// A number may also be an id or an amount. So it has just as many digits as such a time has since 2001, white space or a
/// bracket follows it, and it is at most ten years ago and a day ahead; without `now_ms`, not after the year 2099.
pub(crate) fn leading_epoch(text: &[u8], now_ms: Option<i64>) -> Option<Read> {
    const MS_FROM: i64 = 1_000_000_000_000;
    const MS_BEFORE: i64 = 4_102_444_800_000;
    const BACK_MS_MAX: i64 = 3_652 * DAY_MS;
    const FRACTION_DIGITS_MAX: usize = 9;
    let digits_at = |at: usize| text[at..].iter().take(14).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_at(0);
    if !matches!(end, 10 | 13) {
        return None;
    }
    if is_at(text, end, b'.') {
        let fraction = digits_at(end + 1);
        if !(1..=FRACTION_DIGITS_MAX).contains(&fraction) {
            return None;
        }
        end += 1 + fraction;
    }
    if !matches!(text.get(end), Some(b' ' | b'\t' | b']' | b')')) {
        return None;
    }
    let latest = now_ms.map_or(MS_BEFORE - 1, |now_ms| now_ms.saturating_add(DAY_MS));
    let earliest = now_ms.map_or(MS_FROM, |now_ms| now_ms.saturating_sub(BACK_MS_MAX).max(MS_FROM));
    epoch(&text[..end]).filter(|ms| (earliest..=latest).contains(ms)).map(|ms| (ms, end))
}

/// Where a time of day ends that a text starts with: `09:58:12.123`. On which day that was, it does not say.
pub(crate) fn of_day(text: &[u8]) -> Option<usize> {
    clock(text, 0).map(|(_, end)| end).filter(|end| matches!(text.get(*end), Some(b' ' | b'\t' | b']')))
}

/// The time of a field's value, in any of the shapes.
pub(crate) fn of_value(text: &[u8]) -> Option<i64> {
    iso(text).or_else(|| access(text)).or_else(|| asctime(text)).map(|(ms, _)| ms).or_else(|| epoch(text))
}

/// `09:58:12`, with up to nine digits of a fraction after a point or a comma.
fn clock(text: &[u8], at: usize) -> Option<Read> {
    if !is_at(text, at + 2, b':') || !is_at(text, at + 5, b':') {
        return None;
    }
    let (hour, minute, second) = (digits(text, at, 2)?, digits(text, at + 3, 2)?, digits(text, at + 6, 2)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (mut ms, mut at) = (0, at + 8);
    if matches!(text.get(at), Some(b'.' | b',')) && is_digit_at(text, at + 1) {
        at += 1;
        let mut worth = 100;
        while let Some(byte) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            ms += i64::from(byte - b'0') * worth;
            worth /= 10;
            at += 1;
        }
    }
    // A leap second is the last millisecond of its minute: later than what came before it, and on the same day.
    let second_ms = if second == 60 { 59 * SECOND_MS + 999 } else { second * SECOND_MS + ms };
    Some((hour * HOUR_MS + minute * MINUTE_MS + second_ms, at))
}

/// The offset from UTC at `at`, and the index after it; none is zero.
fn zone(text: &[u8], at: usize) -> Read {
    let space = usize::from(is_at(text, at, b' '));
    let start = at + space;
    match text.get(start) {
        Some(b'Z' | b'z') if space == 0 => (0, start + 1),
        Some(sign @ (b'+' | b'-')) => {
            let colon = usize::from(is_at(text, start + 3, b':'));
            let hours = digits(text, start + 1, 2).filter(|hours| *hours <= 23);
            let minutes = digits(text, start + 3 + colon, 2).filter(|minutes| *minutes <= 59);
            let (offset, end) = match (hours, minutes) {
                (Some(hours), Some(minutes)) => (hours * HOUR_MS + minutes * MINUTE_MS, start + 5 + colon),
                (Some(hours), None) if !is_digit_at(text, start + 3) => (hours * HOUR_MS, start + 3),
                _ => return (0, at),
            };
            (if *sign == b'-' { -offset } else { offset }, end)
        }
        Some(b'U' | b'G') if matches!(text.get(start..start + 3), Some(b"UTC" | b"GMT")) => (0, start + 3),
        _ => (0, at),
    }
}

fn month(name: &[u8]) -> Option<i64> {
    Some(match name {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// `20`, or ` 3` with a space in place of the zero.
fn day_of_month(text: &[u8], at: usize) -> Option<i64> {
    if is_at(text, at, b' ') { digits(text, at + 1, 1) } else { digits(text, at, 2) }
}

/// The start of a day that the calendar has, in milliseconds.
fn day(year: i64, month: i64, of_month: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1 || !(1..=days).contains(&of_month) {
        return None;
    }
    // Years start in March here, so that the leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + of_month - 1;
    Some((era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468) * DAY_MS)
}

/// The latest such moment that is not more than a day ahead of now: clocks differ, and December is read in January.
fn without_year(month: i64, of_month: i64, time: i64, now_ms: i64) -> Option<i64> {
    let latest = now_ms.clamp(MS_MIN, MS_MAX) + DAY_MS;
    let (year, ..) = date(latest);
    (0..=YEARS_BACK_MAX)
        .filter_map(|back| day(year - back, month, of_month))
        .map(|start| start + time)
        .find(|moment| *moment <= latest)
}

/// Year, month and day of a moment.
fn date(ms: i64) -> (i64, i64, i64) {
    let days = ms.div_euclid(DAY_MS) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * march + 2) / 5 + 1)
}

/// RFC 3339 in UTC with milliseconds.
pub(crate) fn text(ms: i64) -> String {
    let ms = ms.clamp(MS_MIN, MS_MAX);
    let of_minute = ms.rem_euclid(MINUTE_MS);
    format!("{}:{:02}.{:03}Z", minute(ms), of_minute / SECOND_MS, of_minute % SECOND_MS)
}

/// A span of time that records are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    Minute,
    Hour,
    Day,
}

impl Span {
    /// The number of the span that contains a moment.
    pub(crate) fn number(self, ms: i64) -> i64 {
        ms.clamp(MS_MIN, MS_MAX).div_euclid(self.length_ms())
    }

    /// When the span of this number starts, as short as it can be said.
    pub(crate) fn text(self, number: i64) -> String {
        let start = number.saturating_mul(self.length_ms()).clamp(MS_MIN, MS_MAX);
        match self {
            Self::Minute | Self::Hour => format!("{}Z", minute(start)),
            Self::Day => {
                let (year, month, day) = date(start);
                format!("{year:04}-{month:02}-{day:02}")
            }
        }
    }

    const fn length_ms(self) -> i64 {
        match self {
            Self::Minute => MINUTE_MS,
            Self::Hour => HOUR_MS,
            Self::Day => DAY_MS,
        }
    }
}

/// `2026-11-20T09:58`.
fn minute(ms: i64) -> String {
    let (year, month, day) = date(ms);
    let of_day = ms.rem_euclid(DAY_MS);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}", of_day / HOUR_MS, of_day % HOUR_MS / MINUTE_MS)
}
