//! A length of time as people and APIs write it: `24h`, `14d`.

use std::fmt;
use std::str::FromStr;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The longest period anyone may write. It keeps the arithmetic far from overflow; what makes sense for a parameter
/// is that parameter's `max`.
pub const PERIOD_SECONDS_MAX: u64 = 100 * 365 * DAY;

/// The longest text read as a period; the longest honest one is a number and `minutes`.
const PERIOD_BYTES_MAX: usize = 32;

/// The value of a `duration` parameter: a length of time in whole seconds.
///
/// Its text is canonical, so that equal periods are equal values and equal cache keys: the largest unit that divides
/// it, except that one day stays `24h`.
///
/// ```
/// use intentbox_catalog::period::Period;
///
/// let canonical = |text: &str| text.parse::<Period>().map(|period| period.to_string());
/// assert_eq!(canonical("2 weeks").as_deref(), Ok("14d"));
/// assert_eq!(canonical("24 hours").as_deref(), Ok("24h"));
/// assert_eq!(canonical("90m").as_deref(), Ok("90m"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    seconds: u64,
}

impl Period {
    /// The period of `count` units, where the unit is a word or a letter: `h`, `hours`, `day`, `w`.
    ///
    /// Months are 30 days and years 365: a period has no calendar.
    #[must_use]
    pub fn of(count: u64, unit: &str) -> Option<Self> {
        let unit_seconds = match unit {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
            "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
            "d" | "day" | "days" => DAY,
            "w" | "wk" | "wks" | "week" | "weeks" => 7 * DAY,
            "month" | "months" => 30 * DAY,
            "y" | "year" | "years" => 365 * DAY,
            _ => return None,
        };
        let seconds = count.checked_mul(unit_seconds)?;
        (seconds <= PERIOD_SECONDS_MAX).then_some(Self { seconds })
    }

    /// Its length in seconds.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.seconds
    }

    /// The period in words, such as `24 hours` or `hour`, as they follow "the last".
    pub(crate) fn words(self) -> String {
        let text = self.to_string();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, letter) = text.split_at(digits);
        let unit = match letter {
            "d" => "day",
            "h" => "hour",
            "m" => "minute",
            _ => "second",
        };
        if count == "1" { unit.to_owned() } else { format!("{count} {unit}s") }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.seconds;
        if seconds >= 2 * DAY && seconds.is_multiple_of(DAY) {
            write!(f, "{}d", seconds / DAY)
        } else if seconds >= HOUR && seconds.is_multiple_of(HOUR) {
            write!(f, "{}h", seconds / HOUR)
        } else if seconds >= MINUTE && seconds.is_multiple_of(MINUTE) {
            write!(f, "{}m", seconds / MINUTE)
        } else {
            write!(f, "{seconds}s")
        }
    }
}

impl FromStr for Period {
    type Err = PeriodError;

    /// Reads a whole number and a unit, with or without a space between: `24h`, `2 weeks`.
    fn from_str(text: &str) -> Result<Self, PeriodError> {
        let refuse = || PeriodError { text: crate::param_error::shown(text) };
        if text.len() > PERIOD_BYTES_MAX {
            return Err(refuse());
        }
        let trimmed = text.trim();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = trimmed.split_at(digits);
        let count = count.parse().map_err(|_| refuse())?;
        Self::of(count, &unit.trim_start().to_ascii_lowercase()).ok_or_else(refuse)
    }
}

/// A text that is not a period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not a duration: a whole number and a unit, as in `90m`, `24h`, `14d` or `2 weeks`")]
pub struct PeriodError {
    /// The text, quoted and shortened for display.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_canonical_text() {
        for (text, canonical) in [
            ("24h", "24h"),
            ("1d", "24h"),
            ("48h", "2d"),
            ("14d", "14d"),
            ("2w", "14d"),
            (" 2 Weeks ", "14d"),
            ("1 month", "30d"),
            ("1h", "1h"),
            ("60m", "1h"),
            ("90m", "90m"),
            ("25h", "25h"),
            ("61s", "61s"),
            ("0d", "0s"),
            ("100y", "36500d"),
        ] {
            let period: Period = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(period.to_string(), canonical, "{text}");
            assert_eq!(canonical.parse(), Ok(period), "the canonical text of {text} reads back");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("{}h", "0".repeat(PERIOD_BYTES_MAX));
        for text in [
            "",
            "h",
            "24",
            "-1h",
            "+1h",
            "1.5h",
            "1h30m",
            "24 h 1",
            "١h",
            "1ħ",
            "101y",
            "99999999999999999999d",
            "18446744073709551615w",
            &long,
        ] {
            assert!(text.parse::<Period>().is_err(), "{text:?} was accepted");
        }
    }
}
