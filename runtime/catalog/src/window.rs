//! A span of time as people and APIs write it: `24h`, or from one time to another.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::instant::Instant;
use crate::period::Period;

/// The longest text read as a window: two points in time and a slash.
const WINDOW_BYTES_MAX: usize = 131;

/// What stands for a side without a bound, as in ISO 8601-2.
const OPEN: &str = "..";

/// The value of a `window` parameter: which time is looked at.
///
/// Its text is canonical, so that equal windows are equal values and equal cache keys. A window between two times is an interval
/// of ISO 8601: the first is included and the second is not.
///
/// ```
/// use intentbox_catalog::window::Window;
///
/// let canonical = |text: &str| text.parse::<Window>().map(|window| window.to_string());
/// assert_eq!(canonical("2 weeks").as_deref(), Ok("14d"));
/// assert_eq!(canonical("2026-11-20").as_deref(), Ok("2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"));
/// assert_eq!(canonical("2026-11-20 10:00/..").as_deref(), Ok("2026-11-20T10:00:00Z/.."));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window(Span);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Span {
    Last(Period),
    Between { since: Option<Instant>, until: Option<Instant> },
}

impl Window {
    /// The time up to now, this long.
    #[must_use]
    pub const fn last(period: Period) -> Self {
        Self(Span::Last(period))
    }

    /// The time from `since` on, and before `until`. `None` if it has no bound, or if it is empty.
    #[must_use]
    pub fn between(since: Option<Instant>, until: Option<Instant>) -> Option<Self> {
        let is_empty = match (since, until) {
            (Some(since), Some(until)) => since >= until,
            (None, None) => true,
            _ => false,
        };
        (!is_empty).then_some(Self(Span::Between { since, until }))
    }

    /// How long it is, in seconds. `None` if only one side has a bound.
    #[must_use]
    pub fn seconds(self) -> Option<u64> {
        match self.0 {
            Span::Last(period) => Some(period.seconds()),
            Span::Between { since, until } => {
                u64::try_from(until?.unix_seconds().checked_sub(since?.unix_seconds())?).ok()
            }
        }
    }

    /// Its two bounds, if it has both, where `now` is the end of what is past. What goes on has no end.
    #[must_use]
    pub fn bounds(self, now: Instant) -> (Option<Instant>, Option<Instant>) {
        match self.0 {
            Span::Last(period) => {
                let seconds = i64::try_from(period.seconds()).ok();
                let since = seconds.and_then(|seconds| now.unix_seconds().checked_sub(seconds));
                (since.and_then(Instant::of_unix_seconds), None)
            }
            Span::Between { since, until } => (since, until),
        }
    }

    /// The window in words, such as `the last 24 hours`, `2026-11-20, UTC` or `2026-11-20 from 10:00 to 10:05, UTC`.
    #[must_use]
    pub fn words(self) -> String {
        match self.0 {
            Span::Last(period) => format!("the last {}", period.words()),
            Span::Between { since: Some(since), until: Some(until) } => between(since, until),
            Span::Between { since: Some(since), until: None } => format!("since {}, UTC", moment(since)),
            Span::Between { since: None, until: Some(until) } => format!("before {}, UTC", moment(until)),
            Span::Between { since: None, until: None } => "any time".to_owned(),
        }
    }
}

/// A window with both bounds in words. Whole days are named without their hours.
fn between(since: Instant, until: Instant) -> String {
    let (from, to) = (since.civil(), until.civil());
    let is_midnight = |time: jiff::civil::DateTime| time.time() == jiff::civil::Time::midnight();
    if is_midnight(from) && is_midnight(to) {
        let last = to.date().yesterday().unwrap_or(to.date());
        return if last == from.date() { format!("{last}, UTC") } else { format!("{} to {last}, UTC", from.date()) };
    }
    if from.date() == to.date() {
        return format!("{} from {} to {}, UTC", from.date(), clock(from.time()), clock(to.time()));
    }
    format!("{} to {}, UTC", moment(since), moment(until))
}

fn moment(instant: Instant) -> String {
    let civil = instant.civil();
    format!("{} {}", civil.date(), clock(civil.time()))
}

fn clock(time: jiff::civil::Time) -> String {
    let minutes = format!("{:02}:{:02}", time.hour(), time.minute());
    if time.second() == 0 { minutes } else { format!("{minutes}:{:02}", time.second()) }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |instant: Option<Instant>| instant.map_or_else(|| OPEN.to_owned(), |instant| instant.to_string());
        match self.0 {
            Span::Last(period) => period.fmt(f),
            Span::Between { since, until } => write!(f, "{}/{}", side(since), side(until)),
        }
    }
}

impl FromStr for Window {
    type Err = WindowError;

    /// Reads a period such as `24h`, a day such as `2026-11-20`, or two times with a slash between, of which one may be
    /// `..`.
    fn from_str(text: &str) -> Result<Self, WindowError> {
        let refuse = || WindowError { text: crate::param_error::shown(text) };
        if text.len() > WINDOW_BYTES_MAX {
            return Err(refuse());
        }
        let text = text.trim();
        if let Ok(period) = text.parse() {
            return Ok(Self::last(period));
        }
        if let Some((since, until)) = text.split_once('/') {
            let side = |text: &str| match text.trim() {
                OPEN => Ok(None),
                text => text.parse::<Instant>().map(Some).map_err(|_| refuse()),
            };
            return Self::between(side(since)?, side(until)?).ok_or_else(refuse);
        }
        // A time alone is no window: nobody says how long.
        let day = Some(text).filter(|text| text.len() == 10).and_then(|text| text.parse::<Date>().ok());
        let day = day.filter(|_| text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-');
        let next = |day: Date| day.checked_add(1.day()).ok();
        let bounds = day.and_then(|day| Some((Instant::midnight(day)?, Instant::midnight(next(day)?)?)));
        bounds.and_then(|(since, until)| Self::between(Some(since), Some(until))).ok_or_else(refuse)
    }
}

/// A text that is not a window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text} is not a span of time: write it as `24h`, `2026-11-20`, or from one time to another, as in \
     `2026-11-20T10:00Z/2026-11-20T12:00Z` (either may be `..`); times are UTC"
)]
pub struct WindowError {
    /// The text, quoted and shortened for display.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_canonical_text_and_words() {
        for (text, canonical, words) in [
            ("24h", "24h", "the last 24 hours"),
            ("1d", "24h", "the last 24 hours"),
            ("1h", "1h", "the last hour"),
            (" 2 Weeks ", "14d", "the last 14 days"),
            ("90m", "90m", "the last 90 minutes"),
            ("2026-11-20", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z", "2026-11-20, UTC"),
            ("2026-11-09/2026-11-16", "2026-11-09T00:00:00Z/2026-11-16T00:00:00Z", "2026-11-09 to 2026-11-15, UTC"),
            (
                "2026-11-20 10:00/2026-11-20T10:05:30Z",
                "2026-11-20T10:00:00Z/2026-11-20T10:05:30Z",
                "2026-11-20 from 10:00 to 10:05:30, UTC",
            ),
            (
                "2026-11-21T18:00:00Z/2026-11-22T06:00:00Z",
                "2026-11-21T18:00:00Z/2026-11-22T06:00:00Z",
                "2026-11-21 18:00 to 2026-11-22 06:00, UTC",
            ),
            ("2026-11-16/..", "2026-11-16T00:00:00Z/..", "since 2026-11-16 00:00, UTC"),
            ("../2026-11-16", "../2026-11-16T00:00:00Z", "before 2026-11-16 00:00, UTC"),
        ] {
            let window: Window = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(window.to_string(), canonical, "{text}");
            assert_eq!(window.words(), words, "{text}");
            assert_eq!(canonical.parse(), Ok(window), "the canonical text of {text} reads back");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("2026-11-20{}", " ".repeat(WINDOW_BYTES_MAX));
        for text in [
            "",
            "today",
            "../..",
            "/",
            "..",
            "2026-11-20T10:00:00Z",
            "2026-11-20/2026-11-20",
            "2026-11-21/2026-11-20",
            "2026-11-20/24h",
            "2026-13-01",
            "20261120",
            "2026-11-20/2026-11-21/2026-11-22",
            &long,
        ] {
            assert!(text.parse::<Window>().is_err(), "{text:?} was accepted");
        }
    }
}
