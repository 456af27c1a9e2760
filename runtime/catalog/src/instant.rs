//! A point in time as people and APIs write it: `2026-11-20T10:00:00Z`.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The longest text read as a point in time; the longest honest one has nanoseconds, an offset and a zone.
const INSTANT_BYTES_MAX: usize = 64;

/// The value of a `datetime` parameter: a point in time, whole seconds, in UTC.
///
/// Its text is canonical, so that equal times are equal values and equal cache keys.
///
/// ```
/// use intentbox_catalog::instant::Instant;
///
/// let canonical = |text: &str| text.parse::<Instant>().map(|instant| instant.to_string());
/// assert_eq!(canonical("2026-11-20T10:00:00+02:00").as_deref(), Ok("2026-11-20T08:00:00Z"));
/// assert_eq!(canonical("2026-11-20 10:00").as_deref(), Ok("2026-11-20T10:00:00Z"));
/// assert_eq!(canonical("2026-11-20").as_deref(), Ok("2026-11-20T00:00:00Z"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    unix_s: i64,
}

impl Instant {
    /// The beginning of 1970.
    pub const EPOCH: Self = Self { unix_s: 0 };

    /// This many seconds after 1970 began. `None` outside the years that text can say.
    #[must_use]
    pub fn of_unix_seconds(unix_s: i64) -> Option<Self> {
        Timestamp::from_second(unix_s).ok().map(|timestamp| Self { unix_s: timestamp.as_second() })
    }

    /// Seconds since 1970 began.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.unix_s
    }

    /// A date and a time of day in UTC.
    #[must_use]
    pub fn of_civil(civil: DateTime) -> Option<Self> {
        let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
        Some(Self { unix_s: zoned.timestamp().as_second() })
    }

    /// The first moment of a day.
    pub(crate) fn midnight(day: Date) -> Option<Self> {
        Self::of_civil(day.to_datetime(jiff::civil::Time::midnight()))
    }

    /// Its date and time of day in UTC.
    #[must_use]
    pub fn civil(self) -> DateTime {
        let timestamp = Timestamp::from_second(self.unix_s).unwrap_or_default();
        TimeZone::UTC.to_datetime(timestamp)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timestamp = Timestamp::from_second(self.unix_s).map_err(|_| fmt::Error)?;
        timestamp.fmt(f)
    }
}

impl FromStr for Instant {
    type Err = InstantError;

    /// Reads RFC 3339, or a date with or without a time of day; without an offset it is UTC. Fractions of a second are
    /// cut off.
    fn from_str(text: &str) -> Result<Self, InstantError> {
        let refuse = || InstantError { text: crate::param_error::shown(text) };
        if text.len() > INSTANT_BYTES_MAX {
            return Err(refuse());
        }
        let text = text.trim();
        // A date, the only shape without a time of day, is looked for first: a `DateTime` would accept it too, and so
        // would readers of week dates and the like that nobody means here.
        let starts_as_date = text.len() >= 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
        if !starts_as_date {
            return Err(refuse());
        }
        let in_utc = |civil: DateTime| civil.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp());
        let timestamp = if text.len() == 10 {
            text.parse::<Date>().and_then(|date| in_utc(date.to_datetime(jiff::civil::Time::midnight())))
        } else {
            text.parse::<Timestamp>().or_else(|_| text.parse::<DateTime>().and_then(in_utc))
        };
        timestamp.map(|timestamp| Self { unix_s: timestamp.as_second() }).map_err(|_| refuse())
    }
}

/// A text that is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not a time: write it as `2026-11-20`, `2026-11-20 10:00` or `2026-11-20T10:00:00Z`; it is UTC")]
pub struct InstantError {
    /// The text, quoted and shortened for display.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_canonical_text() {
        for (text, canonical) in [
            ("2026-11-20", "2026-11-20T00:00:00Z"),
            ("2026-11-20T10:00", "2026-11-20T10:00:00Z"),
            (" 2026-11-20 10:00:01 ", "2026-11-20T10:00:01Z"),
            ("2026-11-20T10:00:00.999Z", "2026-11-20T10:00:00Z"),
            ("2026-11-20T00:30:00+01:00", "2026-11-19T23:30:00Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
        ] {
            let instant: Instant = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(instant.to_string(), canonical, "{text}");
            assert_eq!(canonical.parse(), Ok(instant), "the canonical text of {text} reads back");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("2026-11-20{}", " ".repeat(INSTANT_BYTES_MAX));
        for text in [
            "",
            "today",
            "24h",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-29",
            "20261120",
            "2026-11-20T25:00",
            "2026-11-20T10:00:00Z; drop",
            "11/20/2026",
            "2026-W47-5",
            "žluť-11-20",
            &long,
        ] {
            assert!(text.parse::<Instant>().is_err(), "{text:?} was accepted");
        }
    }
}
