//! Times and spans of time as the API writes them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::data::DAY;
use crate::page::Query;

/// Sentry keeps ninety days, and searches all of them when no period is given.
const LONGEST: i64 = 90 * DAY;

/// A span of time in seconds since 1970, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// A period that cannot be read, in Sentry's words.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeriodError {
    #[error("Invalid statsPeriod: '{0}'")]
    Stats(String),
    #[error("{0} is not a valid ISO8601 date query")]
    Date(String),
    #[error("start and end are both required")]
    Half,
    #[error("start must be before end")]
    Reversed,
}

impl Period {
    pub(crate) fn holds(self, time: i64) -> bool {
        (self.start..=self.end).contains(&time)
    }

    /// The ninety days up to `now`.
    pub(crate) fn longest(now: i64) -> Period {
        Period { start: now - LONGEST, end: now }
    }

    /// Reads `statsPeriod`, or else `start` and `end`, or else takes the ninety days up to `now`.
    pub(crate) fn from_query(query: &Query, now: i64) -> Result<Period, PeriodError> {
        if let Some(text) = query.last("statsPeriod") {
            let length =
                duration(text).filter(|seconds| *seconds > 0).ok_or_else(|| PeriodError::Stats(text.to_owned()))?;
            return Ok(Period { start: now.saturating_sub(length), end: now });
        }
        let bound = |key| query.last(key).filter(|text| !text.is_empty());
        match (bound("start"), bound("end")) {
            (None, None) => Ok(Period::longest(now)),
            (Some(start), Some(end)) => {
                let read = |text: &str| instant(text).ok_or_else(|| PeriodError::Date(text.to_owned()));
                let period = Period { start: read(start)?, end: read(end)? };
                if period.start < period.end { Ok(period) } else { Err(PeriodError::Reversed) }
            }
            _ => Err(PeriodError::Half),
        }
    }
}

/// The seconds in `90s`, `30m`, `24h`, `14d` or `2w`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    // A century is longer than anything this tracker holds, and keeps all later arithmetic far from overflowing.
    digits.parse::<i64>().ok()?.checked_mul(unit).filter(|seconds| *seconds <= 36_525 * DAY)
}

/// Seconds since 1970 of an ISO 8601 time or date. Without an offset it is in UTC.
pub(crate) fn instant(text: &str) -> Option<i64> {
    let timestamp = text.parse::<Timestamp>().ok().or_else(|| {
        let local = text.parse::<DateTime>().ok()?;
        Offset::UTC.to_timestamp(local).ok()
    })?;
    Some(timestamp.as_second())
}

/// The ISO 8601 form of seconds since 1970, as in `2026-11-20T20:15:03Z`.
pub(crate) fn iso(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_000_000;

    fn check(query: &str, expected: Result<(i64, i64), &str>) {
        let found = Period::from_query(&Query::parse(query), NOW);
        let found = found.map(|period| (period.start, period.end)).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{query}");
    }

    #[test]
    fn a_period_is_read_or_refused_in_the_words_of_the_original() {
        check("", Ok((NOW - 90 * DAY, NOW)));
        check("statsPeriod=24h", Ok((NOW - DAY, NOW)));
        check("statsPeriod=90", Ok((NOW - 90, NOW)));
        check("statsPeriod=2w&start=x&end=y", Ok((NOW - 14 * DAY, NOW)));
        check("statsPeriod=", Err("Invalid statsPeriod: ''"));
        check("statsPeriod=0d", Err("Invalid statsPeriod: '0d'"));
        check("statsPeriod=1y", Err("Invalid statsPeriod: '1y'"));
        check("statsPeriod=-1d", Err("Invalid statsPeriod: '-1d'"));
        check("statsPeriod=99999999999999999999d", Err("Invalid statsPeriod: '99999999999999999999d'"));
        check("start=2026-11-01&end=2026-11-02T00:00:00", Ok((1_793_491_200, 1_793_577_600)));
        check("start=2026-11-01T02:00:00%2B02:00&end=2026-11-02T00:00:00Z", Ok((1_793_491_200, 1_793_577_600)));
        check("start=2026-11-02&end=2026-11-02", Err("start must be before end"));
        check("start=2026-11-02", Err("start and end are both required"));
        check("start=soon&end=2026-11-02", Err("soon is not a valid ISO8601 date query"));
    }

    #[test]
    fn times_are_written_in_utc_with_a_z() {
        assert_eq!(iso(1_793_491_200), "2026-11-01T00:00:00Z");
        assert_eq!(instant("2026-11-01T00:00:00Z"), Some(1_793_491_200));
    }
}
