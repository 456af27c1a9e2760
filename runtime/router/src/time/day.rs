//! Days: "yesterday", "last monday", "november 20th", "the 20th", "23/11".

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::words::{day_and_month, dotted, month, numeric_date, ordinal, weekday};
use super::{DAY_LEADS, Reader, latest};

impl Reader<'_> {
    pub(super) fn day(&self, at: usize) -> Option<(usize, Date)> {
        let today = self.today();
        let at_article = usize::from(self.is(at, &["the"]));
        let text = self.word(at);
        match text {
            "today" | "todays" => return Some((1, today)),
            "yesterday" | "yesterdays" | "yday" | "yest" => return Some((1, today.yesterday().ok()?)),
            "earlier" if self.is(at + 1, &["today"]) => return Some((2, today)),
            "day" if self.is(at + 1, &["before"]) && self.is(at + 2, &["yesterday"]) => {
                return Some((3, today.checked_sub(2.days()).ok()?));
            }
            "last" | "this" | "past" => {
                let weekday = weekday(self.word(at + 1))?;
                let date = latest(today, weekday)?;
                let is_today = date == today && text != "this";
                return Some((2, if is_today { date.checked_sub(7.days()).ok()? } else { date }));
            }
            _ => {}
        }
        if let Some(weekday) = weekday(text) {
            if let Some(found) = self.date_of_weekday(at) {
                return Some(found);
            }
            // "Sat", "sun", "mon" and "wed" are words of their own.
            let is_led =
                text.len() > 3 || matches!(text, "fri" | "thu" | "tue") || self.is(at.wrapping_sub(1), &DAY_LEADS);
            return is_led.then(|| latest(today, weekday)).flatten().map(|date| (1, date));
        }
        if let Some(date) = numeric_date(text) {
            return Some((1, date));
        }
        if let Some((day, month)) = day_and_month(text).filter(|_| self.is_date(at)) {
            return Some((1, self.date(None, month, day)?));
        }
        // Numbers with a point are amounts, too.
        if let Some((day, month)) = dotted(text).filter(|_| self.is_dotted_date(at)) {
            return Some((1, self.date(None, month, day)?));
        }
        // nov 20, november 20th 2026
        if let Some(month) = month(text) {
            let day = ordinal(self.word(at + 1), false)?;
            let year = self.year(at + 2);
            return Some((2 + usize::from(year.is_some()), self.date(year, month, day)?));
        }
        // 20 nov, 20th of november, the 20th
        let day_at = at + at_article;
        let is_ordinal = ordinal(self.word(day_at), true).is_some();
        let day = ordinal(self.word(day_at), false)?;
        let of = usize::from(self.is(day_at + 1, &["of"]));
        if let Some(month) = month(self.word(day_at + 1 + of)) {
            let year = self.year(day_at + 2 + of);
            let length = at_article + 2 + of + usize::from(year.is_some());
            return Some((length, self.date(year, month, day)?));
        }
        // "1st 5 rows" and "25th percentile" count something else.
        let next = self.word(day_at + 1);
        if !is_ordinal || next.starts_with(|letter: char| letter.is_ascii_digit()) || next == "percentile" {
            return None;
        }
        // "the 20th" is the latest one.
        let this = today.with().day(day).build().ok();
        let date = match this.filter(|date| *date <= today) {
            Some(date) => date,
            None => today.first_of_month().checked_sub(1.month()).ok()?.with().day(day).build().ok()?,
        };
        Some((at_article + 1, date))
    }

    /// "monday 23 november", "wednesday the 25th", "monday 23": the date, which is of that weekday.
    fn date_of_weekday(&self, at: usize) -> Option<(usize, Date)> {
        let is_it = |date: &Date| Some(date.weekday()) == weekday(self.word(at));
        let next = at + 1 + usize::from(self.is(at + 1, &["the"]));
        if weekday(self.word(next)).is_none()
            && let Some((length, date)) = self.day(next)
        {
            return is_it(&date).then_some((next + length - at, date));
        }
        // A number is the day of the month where that is of this weekday, and nothing follows that it could count.
        let day = ordinal(self.word(next), false).filter(|_| !self.is(next + 1, &["am", "pm"]))?;
        let months = [0, 1].map(|back: i64| self.today().first_of_month().checked_sub(back.months()).ok());
        let mut dates = months.into_iter().flatten().filter_map(|month| month.with().day(day).build().ok());
        let date = dates.find(|date| *date <= self.today()).filter(is_it)?;
        self.ends_at(next).then_some((next + 1 - at, date))
    }

    /// A date of this year, or of the last one if it is yet to come.
    fn date(&self, year: Option<i16>, month: i8, day: i8) -> Option<Date> {
        if let Some(year) = year {
            return Date::new(year, month, day).ok();
        }
        let today = self.today();
        let this = Date::new(today.year(), month, day).ok()?;
        if this <= today { Some(this) } else { Date::new(today.year() - 1, month, day).ok() }
    }

    pub(super) fn year(&self, at: usize) -> Option<i16> {
        let text = self.word(at);
        let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
        text.parse().ok().filter(|_| is_year)
    }

    /// Whether two small numbers are a day and a month here: a word before them says so, or no word is left that they could count.
    fn is_date(&self, at: usize) -> bool {
        let is_led = self.is(at.wrapping_sub(1), &DAY_LEADS) || self.is(at.wrapping_sub(1), &["for", "of", "only"]);
        let is_last = at + 1 == self.words.len() || self.words[at].comma;
        let is_followed =
            self.is(at + 1, &["after", "at", "before", "between", "from"]) || self.clock(at + 1).is_some();
        (is_led && !self.is(at.wrapping_sub(1), &["and", "between", "to"])) || is_followed || is_last
    }

    /// Whether `20.11` is a day here: "on 20.11", "20.11 before noon".
    fn is_dotted_date(&self, at: usize) -> bool {
        let is_led = self.is(at.wrapping_sub(1), &["on", "since", "until", "till"]);
        is_led
            || self.clock(at + 1 + self.skip(at + 1, &["after", "at", "before", "between", "from", "until"])).is_some()
    }

    /// How many words say at which end of a time something begins or ends: "since the beginning of october", "until end of october".
    pub(super) fn edge(&self, at: usize, is_first: bool) -> usize {
        let edges: &[&str] = if is_first { &["begin", "beginning", "start"] } else { &["end"] };
        let of = self.is(at, edges) && self.is(at + 1, &["of"]);
        if of { 2 + self.skip(at + 2, &["the"]) } else { 0 }
    }
}
