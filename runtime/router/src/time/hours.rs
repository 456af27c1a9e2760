//! Hours without minutes, which are times only beside something that says so: "friday between 10 and 11", "10h to 11h", "midnight to 6".

use super::words::LINKS;
use super::{Kind, Piece, Reader, between, hours_from, midnight, month, on_day};
use intentbox_catalog::instant::Instant;
use intentbox_catalog::window::Window;
use jiff::Span;

/// One end of a stretch of hours.
#[derive(Clone, Copy)]
struct End {
    piece: Piece,
    /// Whether it is a time by itself, such as "midnight" and `10h`, and no number.
    is_time: bool,
}

impl Reader<'_> {
    /// "friday between 10 and 11", "fri 10-11h", "between midnight and 6 today", "10h to 11h".
    pub(super) fn hours_range(&self, at: usize) -> Option<(usize, Window)> {
        if let Some((length, day)) = self.day(at) {
            let next = at + length + self.skip(at + length, &["at", "from", "between"]);
            if let Some((more, first, last)) = self.ends(next) {
                return Some((next + more - at, on_day(day, first.piece, last.piece)?));
            }
        }
        let lead = usize::from(self.is(at, &["between", "from"]));
        let (length, first, last) = self.ends(at + lead)?;
        // "Between 10 and 20" may be amounts.
        if !first.is_time && !last.is_time {
            return None;
        }
        let end = at + lead + length;
        let gap = self.skip(end, &["on", "of"]);
        match self.day(end + gap) {
            Some((more, day)) => Some((end + gap + more - at, on_day(day, first.piece, last.piece)?)),
            None => Some((end - at, self.latest(first.piece, last.piece)?)),
        }
    }

    /// "today until 6", "yesterday after 18:00", "before noon yesterday": a part of that day.
    pub(super) fn part_of_a_day(&self, at: usize) -> Option<(usize, Window)> {
        let side = |link: usize| {
            let is_from = self.is(link, &["after", "since"]);
            (is_from || self.is(link, &["before", "until", "till", "til"])).then_some(is_from)
        };
        let (length, day, is_from, piece) = if let Some(is_from) = side(at) {
            let (clock, piece) = self.clock(at + 1)?;
            let next = at + 1 + clock;
            let next = next + self.skip(next, &["on", "of"]);
            let (more, day) = self.day(next)?;
            (next + more - at, day, is_from, piece)
        } else {
            let (length, day) = self.day(at)?;
            let link = at + length;
            let is_from = side(link)?;
            let (more, piece) = match self.clock(link + 1) {
                Some(found) => found,
                // Nothing follows that the number could count.
                None if self.ends_at(link + 1) => (1, self.end(self.word(link + 1))?.piece),
                None => return None,
            };
            (length + 1 + more, day, is_from, piece)
        };
        let time = day.to_datetime(piece.start.time());
        let next = midnight(day.tomorrow().ok()?);
        let (since, until) = if is_from { (time, next) } else { (midnight(day), time) };
        // What goes on until now or later needs no end.
        let goes_on = until > self.now;
        let window = if goes_on { Window::between(Instant::of_civil(since), None) } else { between(since, until) }?;
        Some((length, window))
    }

    /// "at 14h", "at 10": elsewhere the first is how long something takes, and the second counts what follows.
    pub(super) fn hour(&self, at: usize) -> Option<Piece> {
        const LEADS: [&str; 5] = ["around", "at", "before", "till", "until"];
        let before = at.wrapping_sub(1);
        let end = self.end(self.word(at))?;
        // "10h30" is a time wherever it stands, and "24hrs" is not.
        let has_minutes = self.word(at).ends_with(|letter: char| letter.is_ascii_digit());
        let is_led = has_minutes || self.is(before, &LEADS);
        let is_said = if end.is_time { is_led } else { self.is(before, &["at"]) && self.ends_at(at) };
        is_said.then_some(end.piece)
    }

    /// Whether a clause or the sentence ends with this word.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        at + 1 == self.words.len()
            || self.words.get(at).is_some_and(|word| word.comma)
            || self.is(at + 1, &["in", "on", "for", "from", "to", "till", "until", "and"])
    }

    /// Two hours with a word between them, or joined by a hyphen, of which one at least is no clock time that is read elsewhere.
    fn ends(&self, at: usize) -> Option<(usize, End, End)> {
        if self.words.get(at).is_none_or(|word| word.quoted) {
            return None;
        }
        if let Some((left, right)) = self.word(at).split_once(['-', '–']) {
            let (first, last) = (self.end(left)?, self.end(right)?);
            // "9-12 nov" are days.
            if month(self.word(at + 1)).is_some() {
                return None;
            }
            return Some((1, End { is_time: first.is_time || last.is_time, ..first }, last));
        }
        let ends = |from: usize| match self.clock(from) {
            Some((length, piece)) => Some((length, End { piece, is_time: true })),
            None => Some((1, self.end(self.word(from))?)),
        };
        let (length, first) = ends(at)?;
        let link = at + length;
        if !self.is(link, &LINKS) {
            return None;
        }
        let (more, last) = ends(link + 1)?;
        // "Between 10 and 11 errors", "from 3 to 5 items" count something.
        let is_last = last.is_time || self.ends_at(link + more) || self.day(link + 1 + more).is_some();
        is_last.then_some((link + 1 + more - at, first, last))
    }

    /// `10`, `10h` or `10h30`.
    fn end(&self, text: &str) -> Option<End> {
        let (hour, rest) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
        let hour: i8 = hour.parse().ok().filter(|hour| (0..=24).contains(hour) && text.len() <= 5)?;
        let minutes = match rest {
            "" | "h" | "hrs" | "hr" => 0,
            _ => rest.strip_prefix('h').filter(|minutes| minutes.len() == 2)?.parse().ok().filter(|of| *of < 60)?,
        };
        // 24 is where the day ends, so that it is the first hour of another one.
        let piece = hours_from(self.today(), hour % 24, 1)?;
        let start = piece.start.checked_add(Span::new().minutes(i64::from(minutes))).ok()?;
        let end = if minutes > 0 { start.checked_add(Span::new().minutes(1)).ok()? } else { piece.end };
        Some(End { piece: Piece { start, end, kind: Kind::Clock }, is_time: !rest.is_empty() })
    }
}
