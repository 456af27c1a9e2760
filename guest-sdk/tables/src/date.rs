//! Dates and times in cells, compared and cut to their day, week, month, quarter or year.

/// What dates are cut to, for groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    Day,
    Weekday,
    Week,
    Month,
    Quarter,
    Year,
}

impl Cut {
    /// The cut of this name, in any case.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let all = [Self::Day, Self::Weekday, Self::Week, Self::Month, Self::Quarter, Self::Year];
        all.into_iter().find(|cut| cut.name().eq_ignore_ascii_case(name.trim()))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Weekday => "weekday",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

/// The days of the week as ISO 8601 counts them.
pub(crate) const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A date, and a time of day where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    year: i64,
    /// Nothing in `2026`, which only somebody who asks writes.
    month: Option<i64>,
    /// Nothing in `2026-01`.
    day: Option<i64>,
    /// Seconds of the day, in UTC if an offset was written.
    second: Option<i64>,
}

/// The formats that are read, for messages.
pub(crate) const FORMATS: &str = "2026-11-30, 2026/11/30, 30.11.2026 or 2026-11-30T09:00:00Z";

impl Moment {
    /// Reads `2026-11-30`, `2026/11/30`, `30.11.2026` or `2026-11`, the first three also with a time and an offset.
    /// Nothing for what is no date, such as the 30th of February, and for `01/02/2026`, which has two meanings.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        // Nanoseconds and an offset are the longest.
        if text.len() > 40 {
            return None;
        }
        if text.len() == 7 && text[4] == b'-' {
            let moment = Self { year: number(&text[..4])?, month: Some(number(&text[5..])?), day: None, second: None };
            return moment.is_real().then_some(moment);
        }
        let date = text.get(..10)?;
        let (year, month, day) = match (date[4], date[7], date[2], date[5]) {
            (b'-', b'-', ..) | (b'/', b'/', ..) => (&date[..4], &date[5..7], &date[8..]),
            (.., b'.', b'.') => (&date[6..], &date[3..5], &date[..2]),
            _ => return None,
        };
        let mut moment =
            Self { year: number(year)?, month: Some(number(month)?), day: Some(number(day)?), second: None };
        if !moment.is_real() {
            return None;
        }
        match text.get(10) {
            None => {}
            Some(b'T' | b't' | b' ') => moment.second = Some(time(&text[11..])?),
            Some(_) => return None,
        }
        Some(moment)
    }

    /// A whole year, for comparing: `2026`, which is a number unless one knows that a column holds dates.
    pub(crate) fn of_year(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        let year = (text.len() == 4).then(|| number(text))??;
        Some(Self { year, month: None, day: None, second: None })
    }

    fn is_real(self) -> bool {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month.unwrap_or(1) {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return false,
        };
        self.day.is_none_or(|day| (1..=days).contains(&day))
    }

    /// What it is cut to, as it was written, and, but for weekdays, as it sorts: `2026-11-30`, `Monday`, `2026-W49` of ISO 8601,
    /// `2026-11`, `2026-Q4` or `2026`. Nothing where a month has no day.
    pub(crate) fn cut(self, cut: Cut) -> Option<String> {
        let (year, month) = (self.year, self.month.unwrap_or(1));
        Some(match cut {
            Cut::Day => format!("{year:04}-{month:02}-{:02}", self.day?),
            Cut::Weekday => {
                self.day?;
                WEEKDAYS[usize::try_from(self.weekday()).ok()?].to_owned()
            }
            Cut::Week => {
                self.day?;
                // The year of a week is that of its Thursday.
                let thursday = self.days() - self.weekday() + 3;
                let first_of = |year| Self { year, month: Some(1), day: Some(1), second: None }.days();
                let year = (year - 1..=year + 1).rev().find(|year| first_of(*year) <= thursday)?;
                format!("{year:04}-W{:02}", (thursday - first_of(year)) / 7 + 1)
            }
            Cut::Month => format!("{year:04}-{month:02}"),
            Cut::Quarter => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
            Cut::Year => format!("{year:04}"),
        })
    }

    /// Days since Monday.
    fn weekday(self) -> i64 {
        // The first day that is counted, before all years with four digits, is a Tuesday.
        (self.days() + 1).rem_euclid(7)
    }

    /// How this moment compares to one that somebody asks about, only as exactly as that one is given: any time of a day
    /// equals the day, and any day of a year the year.
    pub(crate) fn compare(self, asked: Self) -> std::cmp::Ordering {
        let year = self.year.cmp(&asked.year);
        let Some(asked_month) = asked.month else { return year };
        let month = year.then(self.month.unwrap_or(1).cmp(&asked_month));
        match (asked.day, asked.second) {
            (None, _) => month,
            (Some(day), None) => month.then(self.day.unwrap_or(1).cmp(&day)),
            (Some(_), Some(_)) => self.seconds().cmp(&asked.seconds()),
        }
    }

    /// How this moment compares to another, each at the start of what it leaves open.
    pub(crate) fn order(self, other: Self) -> std::cmp::Ordering {
        self.seconds().cmp(&other.seconds())
    }

    /// Seconds since a day before all years with four digits.
    fn seconds(self) -> i64 {
        self.days() * 86_400 + self.second.unwrap_or(0)
    }

    /// Days since that day, as it was written.
    fn days(self) -> i64 {
        // Days before the first of March, from which on all months but the last have the same lengths each year.
        let month = self.month.unwrap_or(1);
        let (year, month) = if month > 2 { (self.year, month - 3) } else { (self.year - 1, month + 9) };
        let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        days + (153 * month + 2) / 5 + self.day.unwrap_or(1)
    }
}

/// Digits as a number.
fn number(digits: &[u8]) -> Option<i64> {
    digits
        .iter()
        .try_fold(0, |number, byte| Some(number * 10 + i64::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?)))
}

/// `09:30`, `09:30:15.25`, either with `Z` or an offset such as `+01:00` behind: seconds of the day in UTC, which may be
/// those of the day before or after.
fn time(text: &[u8]) -> Option<i64> {
    let two = |at: usize| text.get(at..at + 2).and_then(number);
    let (hour, minute) = (two(0)?, two(3)?);
    if text[2] != b':' || hour > 24 || minute > 59 {
        return None;
    }
    let mut at = 5;
    let mut second = hour * 3600 + minute * 60;
    if text.get(at) == Some(&b':') {
        second += two(6).filter(|second| *second <= 60)?;
        at = 8;
        if matches!(text.get(at), Some(b'.' | b',')) {
            at += 1;
            at += text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
    }
    if text.get(at) == Some(&b' ') {
        at += 1;
    }
    match text.get(at) {
        None => Some(second),
        Some(b'Z' | b'z') if text.len() == at + 1 => Some(second),
        Some(sign @ (b'+' | b'-')) => {
            let hours = two(at + 1)?;
            let minutes = match &text[at + 3..] {
                [] => 0,
                [b':', minutes @ ..] | minutes if minutes.len() == 2 => number(minutes)?,
                _ => return None,
            };
            let offset = hours * 3600 + minutes * 60;
            Some(if *sign == b'+' { second - offset } else { second + offset })
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    #[test]
    fn dates_are_read_and_what_has_two_meanings_is_not() {
        for (text, month) in [
            ("2026-11-30", "2026-11"),
            (" 2026/01/05 ", "2026-01"),
            ("30.11.2026", "2026-11"),
            ("2026-11", "2026-11"),
            ("2024-02-29", "2024-02"),
            ("2026-11-30T23:59:59.123456Z", "2026-11"),
            ("2026-11-30 09:30", "2026-11"),
            ("2026-11-30 09:30:00 +0100", "2026-11"),
            ("2026-11-30T09:30+01", "2026-11"),
        ] {
            assert_eq!(Moment::read(text).and_then(|found| found.cut(Cut::Month)).as_deref(), Some(month), "{text}");
        }
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-00",
            "01/02/2026",
            "2026-11-30x",
            "2026-11-30T",
            "2026-11-31",
            "2026-11-30 9:30",
            "1.299,99",
            "20261130",
            "2026-11-30T09:30+1",
            "2026-1-1",
            "ä026-11-30",
        ] {
            assert_eq!(Moment::read(text), None, "{text}");
        }
    }

    #[test]
    fn dates_are_cut_as_they_are_written() {
        for (text, cuts) in [
            ("2026-11-30", "2026-11-30 Monday 2026-W49 2026-11 2026-Q4 2026"),
            ("2026-11-30T00:30:00+02:00", "2026-11-30 Monday 2026-W49 2026-11 2026-Q4 2026"),
            ("29.02.2024", "2024-02-29 Thursday 2024-W09 2024-02 2024-Q1 2024"),
            ("2024-12-30", "2024-12-30 Monday 2025-W01 2024-12 2024-Q4 2024"),
            ("2024-12-29", "2024-12-29 Sunday 2024-W52 2024-12 2024-Q4 2024"),
            ("2027-01-03", "2027-01-03 Sunday 2026-W53 2027-01 2027-Q1 2027"),
            ("2027-01-04", "2027-01-04 Monday 2027-W01 2027-01 2027-Q1 2027"),
            ("2000-07-01", "2000-07-01 Saturday 2000-W26 2000-07 2000-Q3 2000"),
            ("2026-11", "- - - 2026-11 2026-Q4 2026"),
        ] {
            let found = Moment::read(text).expect("a date");
            let all = [Cut::Day, Cut::Weekday, Cut::Week, Cut::Month, Cut::Quarter, Cut::Year];
            let all = all.map(|cut| found.cut(cut).unwrap_or_else(|| "-".to_owned()));
            assert_eq!(all.join(" "), cuts, "{text}");
        }
        assert_eq!([" Week", "weekday", "hour"].map(Cut::of), [Some(Cut::Week), Some(Cut::Weekday), None]);
    }

    #[test]
    fn a_bound_is_as_exact_as_it_is_written() {
        for (cell, bound, order) in [
            ("2026-11-30T23:00", "2026-11-30", Ordering::Equal),
            ("2026-12-01", "2026-11-30", Ordering::Greater),
            ("2025-12-31", "2026-01-01", Ordering::Less),
            ("2026-11-30", "2026-11", Ordering::Equal),
            ("2026-11-30T10:00:01Z", "2026-11-30T10:00", Ordering::Greater),
            ("2026-11-30T10:00+02:00", "2026-11-30T08:00Z", Ordering::Equal),
            ("2026-03-01T00:30+01:00", "2026-02-28T23:30Z", Ordering::Equal),
            ("2024-03-01T00:30+01:00", "2024-02-29T23:30Z", Ordering::Equal),
            ("2026-01-01T00:00", "2025-12-31T23:59", Ordering::Greater),
        ] {
            let [cell_read, bound_read] = [cell, bound].map(|text| Moment::read(text).expect("a date"));
            assert_eq!(cell_read.compare(bound_read), order, "{cell} and {bound}");
        }
        for (cell, year, order) in [
            ("2025-12-31T23:59", "2026", Ordering::Less),
            ("2026-07-01", "2026", Ordering::Equal),
            ("2027-01", "2026", Ordering::Greater),
        ] {
            let cell_read = Moment::read(cell).expect("a date");
            assert_eq!(cell_read.compare(Moment::of_year(year).expect("a year")), order, "{cell} and {year}");
        }
        assert!(["202", "20266", "2026-", "year"].map(Moment::of_year).iter().all(Option::is_none));
    }
}
