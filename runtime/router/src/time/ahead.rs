//! Times that lie ahead, for what may have such: invoices are due, and subscriptions end.

use intentbox_catalog::instant::Instant;
use intentbox_catalog::window::Window;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::{Kind, Reader, midnight};
use crate::values::count;

impl Reader<'_> {
    /// The whole of a piece of the calendar that is these words, and that goes on until now or later.
    pub(super) fn whole(&self, at: usize, length: usize, window: Window) -> Option<Window> {
        let (_, piece) = self.piece(at).filter(|(found, piece)| *found == length && piece.kind == Kind::Days)?;
        let start = Instant::of_civil(piece.start);
        (Window::between(start, None)? == window).then(|| Window::between(start, Instant::of_civil(piece.end)))?
    }

    /// "Next week", "tomorrow", "in the next 30 days".
    pub(super) fn ahead(&self, at: usize) -> Option<(usize, Window)> {
        let today = self.today();
        let days_on = |days: i64| today.checked_add(days.days()).ok();
        let between = |start: Date, end: Date| {
            Window::between(Instant::of_civil(midnight(start)), Instant::of_civil(midnight(end)))
        };
        let lead = self.skip(at, &["on", "the", "in", "during", "within"]);
        let next = at + lead;
        if self.is(next, &["tomorrow"]) {
            return Some((lead + 1, between(days_on(1)?, days_on(2)?)?));
        }
        if !self.is(next, &["next"]) {
            return None;
        }
        let first = today.first_of_month();
        let year = today.first_of_year();
        let whole = match self.word(next + 1) {
            "week" => {
                let monday = days_on(7 - i64::from(today.weekday().to_monday_zero_offset()))?;
                Some((monday, monday.checked_add(7.days()).ok()?))
            }
            "month" => Some((first.checked_add(1.month()).ok()?, first.checked_add(2.months()).ok()?)),
            "year" => Some((year.checked_add(1.year()).ok()?, year.checked_add(2.years()).ok()?)),
            _ => None,
        };
        if let Some((start, end)) = whole {
            return Some((lead + 2, between(start, end)?));
        }
        let number = count(self.word(next + 1)).and_then(|number| i64::try_from(number).ok())?;
        let days = match self.word(next + 2) {
            "day" | "days" => number,
            "week" | "weeks" => number.checked_mul(7)?,
            "month" | "months" => number.checked_mul(30)?,
            _ => return None,
        };
        Some((lead + 3, between(today, days_on(days.checked_add(1)?)?)?))
    }
}
