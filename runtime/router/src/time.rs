//! Times in a sentence: "yesterday", "between 10:00 and 10:05", "since monday". Everything is UTC.

mod ahead;
mod day;
mod hours;
mod words;

use std::ops::Range;

use intentbox_catalog::instant::Instant;
use intentbox_catalog::period::Period;
use intentbox_catalog::window::Window;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{Span, ToSpan as _};

use crate::text::Word;
use crate::values::count;

use words::{LINKS, month, ordinal, part_of_day, spelled, weekday};

/// Words that say a window, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) span: Range<usize>,
    pub(crate) window: Window,
    /// The same where times may lie ahead: "this month" has an end then, which is no end of what was.
    pub(crate) whole: Window,
    /// Whether it lies ahead, and is a time only where times may: "next week".
    pub(crate) is_ahead: bool,
    /// Whether two days are compared: the window has both, and what is asked for is each of them.
    pub(crate) compares_days: bool,
}

/// All windows that a sentence mentions, from left to right. `now` decides what "yesterday" is.
pub(crate) fn mentions(words: &[Word], now: Instant) -> Vec<Mention> {
    let reader = Reader::new(words, now);
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let compared = reader.compared(at);
        let compares_days = compared.is_some();
        match compared.or_else(|| reader.window(at)) {
            Some((length, window)) => {
                let free = mentions.last().map_or(0, |last: &Mention| last.span.end);
                let is_since = !compares_days && reader.is_since(free, at);
                let window = if is_since { since(window, now).unwrap_or(window) } else { window };
                let whole = reader.whole(at, length, window).unwrap_or(window);
                mentions.push(Mention { span: at..at + length, window, whole, is_ahead: false, compares_days });
                at += length;
            }
            None => match reader.ahead(at) {
                Some((length, window)) => {
                    let (span, whole) = (at..at + length, window);
                    mentions.push(Mention { span, window, whole, is_ahead: true, compares_days: false });
                    at += length;
                }
                None => at += 1,
            },
        }
    }
    mentions
}

/// The point in time that these words say, where a parameter is one.
pub(crate) fn point(words: &[Word], now: Instant) -> Option<Instant> {
    let reader = Reader::new(words, now);
    let (length, piece) = reader.piece(0)?;
    (length == words.len()).then(|| Instant::of_civil(piece.start)).flatten()
}

/// How far from a minute something is that happened around it, in minutes.
const AROUND_MINUTES: i64 = 5;

/// The same, with what is near it where it is a minute: "around 04:13".
fn about(piece: Piece) -> Piece {
    let is_minute = piece.start.checked_add(1.minute()).is_ok_and(|end| end == piece.end);
    let near = |time: DateTime, minutes: i64| time.checked_add(minutes.minutes()).ok();
    match (near(piece.start, -AROUND_MINUTES), near(piece.end, AROUND_MINUTES)) {
        (Some(start), Some(end)) if is_minute => Piece { start, end, ..piece },
        _ => piece,
    }
}

/// Words before a day whose short form is a word of its own, such as "sat".
const DAY_LEADS: [&str; 10] = ["on", "since", "from", "until", "till", "before", "after", "between", "and", "to"];

/// How far before a time "since" stands that is about it, in words.
const SINCE_WITHIN: usize = 8;

struct Reader<'a> {
    words: &'a [Word],
    /// The words in lower case, with slips in those of times mended; nothing for what is quoted.
    forms: Vec<&'a str>,
    now: DateTime,
}

/// A stretch of time that words name: a day, a minute, a morning.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: DateTime,
    end: DateTime,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A day or a longer stretch of the calendar: "until friday" includes it.
    Days,
    /// A stretch with hours that a day precedes: "yesterday 10:00".
    Hours,
    /// A time of some day, which other words may name: "10:00".
    Clock,
}

impl<'a> Reader<'a> {
    fn new(words: &'a [Word], now: Instant) -> Self {
        let form = |word: &'a Word| if word.quoted { "" } else { spelled(&word.plain) };
        Self { words, forms: words.iter().map(form).collect(), now: now.civil() }
    }

    fn word(&self, at: usize) -> &str {
        self.forms.get(at).copied().unwrap_or_default()
    }

    fn is(&self, at: usize, any: &[&str]) -> bool {
        any.contains(&self.word(at))
    }

    /// How many of these words there are from `at` on.
    fn skip(&self, at: usize, any: &[&str]) -> usize {
        (at..self.words.len()).take_while(|at| self.is(*at, any)).count()
    }

    fn today(&self) -> Date {
        self.now.date()
    }

    fn window(&self, at: usize) -> Option<(usize, Window)> {
        // "On a sunday" and "every monday" say no day.
        let is_any =
            self.is(at.wrapping_sub(1), &["a", "an", "each", "every", "next"]) && weekday(self.word(at)).is_some();
        if is_any {
            return None;
        }
        // "On friday between 10 and 11".
        let lead = usize::from(self.is(at, &["on"]));
        let from = at + lead;
        let stretch = self.part_of_a_day(from).or_else(|| self.range(from)).or_else(|| self.hours_range(from));
        let stretch = stretch.map(|(length, window)| (lead + length, window));
        stretch.or_else(|| self.open(at)).or_else(|| self.rolling(at)).or_else(|| self.alone(at))
    }

    /// Whether a time is when something was: "since we switched the certificate at 9". Words before `free` are of other times.
    fn is_since(&self, free: usize, at: usize) -> bool {
        let Some(since) = (free..at).rev().take(SINCE_WITHIN).find(|at| self.is(*at, &["since"])) else { return false };
        let told = self.is(since + 1, &["he", "i", "it", "my", "our", "she", "the", "their", "they", "we", "you"]);
        let goes_on = since + 2 < at && self.words[since..at].iter().all(|word| !word.comma && !word.quoted);
        told && goes_on && self.range(at).or_else(|| self.open(at)).or_else(|| self.rolling(at)).is_none()
    }

    /// "between P and P", "from P to P", "P to P", with the day before or behind.
    fn range(&self, at: usize) -> Option<(usize, Window)> {
        if let Some((length, day)) = self.day(at) {
            let next = at + length + self.skip(at + length, &["at", "from", "between"]);
            if let Some((more, first, last)) = self.pair(next)
                && first.kind == Kind::Clock
                && last.kind == Kind::Clock
            {
                return Some((next + more - at, on_day(day, first, last)?));
            }
        }
        let lead = usize::from(self.is(at, &["between", "from", "starting"]));
        let (length, first, last) = self.pair(at + lead)?;
        let end = at + lead + length;
        if first.kind == Kind::Clock && last.kind == Kind::Clock {
            let gap = self.skip(end, &["on", "of", "at"]);
            return match self.day(end + gap) {
                Some((more, day)) => Some((end + gap + more - at, on_day(day, first, last)?)),
                None => Some((end - at, self.latest(first, last)?)),
            };
        }
        // "yesterday 10:00 to 12:00": the day holds for both.
        let last_start = match (first.kind, last.kind) {
            (Kind::Hours, Kind::Clock) => first.start.date().to_datetime(last.start.time()),
            (_, Kind::Days) => last.end,
            _ => last.start,
        };
        Some((end - at, between(first.start, last_start)?))
    }

    /// "today compared with yesterday", "yesterday with the day before" where a comparison is asked for: two days, one after the other.
    fn compared(&self, at: usize) -> Option<(usize, Window)> {
        let one_day = |at: usize| {
            let (length, piece) = self.piece(at)?;
            let day = piece.start.date();
            (piece.kind == Kind::Days && midnight(day.tomorrow().ok()?) == piece.end).then_some((length, day))
        };
        let (length, first) = one_day(at)?;
        let mut next = at + length;
        let says = self.skip(next, &["compared", "versus", "vs", "against", "than"]);
        let is_asked = says > 0 || (0..at).any(|at| self.is(at, &["compare", "comparing", "comparison"]));
        let link = says + self.skip(next + says, &["with", "to", "and"]);
        if !is_asked || link == 0 {
            return None;
        }
        next += link;
        let the = self.skip(next, &["the"]);
        let is_before = self.is(next + the, &["day"]) && self.is(next + the + 1, &["before"]);
        let is_before = is_before || self.is(next + the, &["previous"]) && self.is(next + the + 1, &["day"]);
        let (more, second) = match one_day(next) {
            Some(found) => found,
            None if is_before => (the + 2, first.yesterday().ok()?),
            None => return None,
        };
        let (early, late) = (first.min(second), first.max(second));
        let end = midnight(late.tomorrow().ok()?);
        let until = (end <= self.now).then_some(end).and_then(Instant::of_civil);
        let window = Window::between(Instant::of_civil(midnight(early)), until)?;
        (early.tomorrow().ok()? == late).then_some((next + more - at, window))
    }

    /// Whether one of these words is a month.
    fn names_month(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| month(self.word(at)).is_some())
    }

    /// "1 to 15 november": the month behind holds for both.
    fn days_of_month(&self, at: usize) -> Option<(usize, Piece, Piece)> {
        let first = ordinal(self.word(at), false)?;
        if !self.is(at + 1, &["and", "to", "until", "till", "til", "through"]) {
            return None;
        }
        let (length, last) = self.day(at + 2).filter(|(length, _)| self.names_month(at + 2, at + 2 + length))?;
        let start = last.with().day(first).build().ok().filter(|start| *start <= last)?;
        Some((2 + length, days(start, 1)?, days(last, 1)?))
    }

    /// Two pieces with a word between them, or joined by a hyphen.
    fn pair(&self, at: usize) -> Option<(usize, Piece, Piece)> {
        let found = self.hyphenated(at).or_else(|| self.days_of_month(at)).or_else(|| self.hours(at));
        if found.is_some() {
            return found;
        }
        let (length, first) = self.piece(at)?;
        let link = at + length;
        let link = link + usize::from(self.is(link, &["up"]) && self.is(link + 1, &["to"]));
        if !self.is(link, &LINKS) {
            return None;
        }
        let link = link + usize::from(self.is(link, &["and"]) && self.is(link + 1, &["ending"]));
        // "Up to and including" the day, as "up to" it.
        let link = link + 2 * usize::from(self.is(link + 1, &["and"]) && self.is(link + 2, &["including"]));
        // "November 1 to 15": the month before holds for both.
        if first.kind == Kind::Days
            && first.start.date().tomorrow().is_ok_and(|next| midnight(next) == first.end)
            && self.names_month(at, link)
            && let Some(day) = ordinal(self.word(link + 1), false)
            && month(self.word(link + 2)).is_none()
            && !self.is(link + 2, &["am", "pm"])
            && let Ok(date) = first.start.date().with().day(day).build()
            && date >= first.start.date()
        {
            return Some((link + 2 - at, first, days(date, 1)?));
        }
        // After a time of day, another one: the day behind it holds for both.
        let of_day = (first.kind == Kind::Clock).then(|| self.clock(link + 1)).flatten();
        let (more, last) = of_day.or_else(|| self.piece(link + 1))?;
        Some((link + 1 + more - at, first, last))
    }

    /// "2 and 4 am": what follows the second hour holds for both.
    fn hours(&self, at: usize) -> Option<(usize, Piece, Piece)> {
        let (left, suffix) = (self.word(at), self.word(at + 3));
        let is_hour = left.len() <= 2 && left.bytes().all(|byte| byte.is_ascii_digit());
        if !is_hour || !self.is(at + 1, &["and", "to", "until", "till", "til"]) || !matches!(suffix, "am" | "pm") {
            return None;
        }
        let (more, last) = self.clock(at + 2)?;
        Some((2 + more, self.clock_of(left, suffix)?.1, last))
    }

    /// "10:00-10:05", "9-11am".
    fn hyphenated(&self, at: usize) -> Option<(usize, Piece, Piece)> {
        let (left, right) = self.word(at).split_once(['-', '–'])?;
        let right = self.clock_of(right, self.word(at + 1))?;
        let suffix = self.word(at).trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        let left = self.clock_of(left, suffix).or_else(|| self.clock_of(left, self.word(at + 1)))?;
        let has_suffix = self.is(at + 1, &["am", "pm"]) && !self.word(at).contains(['a', 'p']);
        Some((1 + usize::from(has_suffix), left.1, right.1))
    }

    /// "since P", "after P", "before P", "until P", "from P on".
    fn open(&self, at: usize) -> Option<(usize, Window)> {
        let (lead, is_since) = match self.word(at) {
            "since" | "after" | "starting" => (1 + self.skip(at + 1, &["from", "about", "around"]), true),
            "from" => (1, true),
            "before" | "until" | "till" | "til" => (1, false),
            "prior" if self.is(at + 1, &["to"]) => (2, false),
            "up" if self.is(at + 1, &["to", "until", "till"]) => (2, false),
            _ => return None,
        };
        // "since 3 hours", "since the last hour": as long as that.
        let article = self.skip(at + lead, &["the", "about", "around"]);
        let article = article + self.edge(at + lead + article, is_since);
        let article = article + usize::from(self.is(at + lead, &["this"]) && self.is(at + lead + 1, &["midnight"]));
        if self.is(at, &["since"])
            && let Some((length, window)) = self.rolling(at + lead + article)
        {
            return Some((lead + article + length, window));
        }
        let piece = self.piece(at + lead + article);
        // "Since 8", where nothing follows that it could count.
        let hour = || {
            let hour: i8 = self.word(at + lead).parse().ok().filter(|hour| (0..24).contains(hour))?;
            let is_last = at + lead + 1 == self.words.len()
                || self.words[at + lead].comma
                || self.is(at + lead + 1, &["at", "for", "from", "in", "on"]);
            (self.is(at, &["since"]) && lead == 1 && is_last)
                .then(|| Some((1, Piece { kind: Kind::Clock, ..hours_from(self.today(), hour, 1)? })))?
        };
        let (length, piece) = piece.or_else(hour)?;
        let length = lead + article + length;
        let piece = self.not_ahead(piece);
        let start = Instant::of_civil(piece.start);
        let end = Instant::of_civil(piece.end);
        let window = match self.word(at) {
            // "from yesterday" is that day; "from yesterday on" is not.
            "from" if self.is(at + length, &["on", "onwards", "onward"]) => {
                return Some((length + 1, Window::between(start, None)?));
            }
            "from" => return None,
            "after" if piece.kind == Kind::Days => Window::between(end, None),
            "until" | "till" | "til" | "up" if piece.kind == Kind::Days => Window::between(None, end),
            _ if is_since => Window::between(start, None),
            _ => Window::between(None, start),
        };
        Some((length, window?))
    }

    /// "last 3 hours", "past week", "24h", "the last few days".
    fn rolling(&self, at: usize) -> Option<(usize, Window)> {
        let lead = self.skip(at, &["last", "past", "previous", "recent", "latest", "preceding"]);
        let number_at = at + lead;
        let vague = self.skip(number_at, &["the", "a", "couple", "few", "of"]);
        let is_vague = lead > 0
            && self
                .words
                .get(number_at..number_at + vague)?
                .iter()
                .any(|word| matches!(word.plain.as_str(), "couple" | "few"));
        if is_vague {
            let count = if (number_at..number_at + vague).any(|at| self.is(at, &["couple"])) { 2 } else { 3 };
            let period = Period::of(count, self.unit(number_at + vague)?)?;
            return Some((lead + vague + 1, Window::last(period)));
        }
        if self.words.get(number_at)?.quoted {
            return None;
        }
        let number = match self.word(number_at) {
            "a" | "an" => Some(1),
            "half" if self.is(number_at + 1, &["an"]) && self.is(number_at + 2, &["hour"]) => {
                return Some((lead + 3, Window::last(Period::of(30, "minutes")?)));
            }
            text => count(text),
        };
        if let Some(number) = number {
            // "In the two last weeks".
            if lead == 0
                && number < 100
                && !self.words[number_at].comma
                && self.is(number_at + 1, &["last", "past"])
                && let Some(unit) = self.unit(number_at + 2)
            {
                return Some((3, Window::last(Period::of(number, unit)?)));
            }
            let unit = self.unit(number_at + 1)?;
            // "an hour ago" is a point. "a day" alone is a rate: "errors a day".
            let is_ago = self.is(number_at + 2, &["ago"]);
            let is_rate =
                lead == 0 && self.is(number_at, &["a", "an"]) && !self.is(at.wrapping_sub(1), &["since", "for"]);
            // "30 s" beside nothing is rarely a time.
            let is_short = lead == 0 && unit.len() == 1;
            return (!is_ago && !is_rate && !is_short)
                .then_some(())
                .and_then(|()| Some((lead + 2, Window::last(Period::of(number, unit)?))));
        }
        let text = self.word(number_at);
        // "500s" beside nothing are many of 500.
        let is_plural = lead == 0 && text.ends_with('s');
        if text.starts_with(|letter: char| letter.is_ascii_digit())
            && !is_plural
            && let Ok(period) = text.parse::<Period>()
        {
            return (!self.is(number_at + 1, &["ago"])).then_some((lead + 1, Window::last(period)));
        }
        if lead == 0 {
            return None;
        }
        let is_calendar = !self.is(at, &["past"]) && matches!(text, "week" | "month" | "year" | "weekend" | "quarter");
        match text {
            "minute" | "min" | "hour" | "hr" | "day" | "week" | "month" | "year" if !is_calendar => {
                Some((lead + 1, Window::last(Period::of(1, text)?)))
            }
            _ => None,
        }
    }

    fn unit(&self, at: usize) -> Option<&str> {
        let unit = self.word(at);
        Period::of(1, unit).map(|_| unit)
    }

    /// A piece of the calendar by itself: "yesterday", "last week", "on nov 20", "at 10:05".
    fn alone(&self, at: usize) -> Option<(usize, Window)> {
        let (length, piece) = self.piece(at)?;
        let is_about = (at..at + length).any(|at| self.is(at, &["about", "around"]));
        let piece = if is_about { about(piece) } else { piece };
        let piece = self.not_ahead(piece);
        // What goes on until now or later needs no end.
        let until = (piece.end <= self.now).then_some(piece.end);
        let window = Window::between(Instant::of_civil(piece.start), until.and_then(Instant::of_civil))?;
        Some((length, window))
    }

    /// A time of day that today has yet to see was yesterday's.
    fn not_ahead(&self, piece: Piece) -> Piece {
        if piece.kind != Kind::Clock || piece.start <= self.now {
            return piece;
        }
        let before = |time: DateTime| time.checked_sub(1.day()).unwrap_or(time);
        Piece { start: before(piece.start), end: before(piece.end), ..piece }
    }

    /// Two times of day on the latest day on which the first of them is over.
    fn latest(&self, first: Piece, last: Piece) -> Option<Window> {
        let today = self.today();
        let day = if first.start > self.now { today.yesterday().ok()? } else { today };
        on_day(day, first, last)
    }

    fn piece(&self, at: usize) -> Option<(usize, Piece)> {
        let lead = self.skip(at, &["on", "the", "in", "at", "around", "about", "during", "over"]);
        if let Some((length, piece)) = self.bare_piece(at + lead) {
            return Some((lead + length, piece));
        }
        None
    }

    fn bare_piece(&self, at: usize) -> Option<(usize, Piece)> {
        if self.words.get(at).is_none_or(|word| word.quoted) {
            return None;
        }
        let hour = self.ago(at).or_else(|| self.hour_of_part(at));
        hour.or_else(|| self.day_and_hours(at)).or_else(|| self.hours_and_day(at)).or_else(|| self.calendar(at))
    }

    /// "3 hours ago", "an hour ago". Days ago are days.
    fn ago(&self, at: usize) -> Option<(usize, Piece)> {
        let (length, period) = match self.word(at) {
            text if self.is(at + 1, &["ago"]) => (2, text.parse::<Period>().ok()?),
            text if self.is(at + 2, &["ago"]) => {
                let number = if matches!(text, "a" | "an") { 1 } else { count(text)? };
                (3, Period::of(number, self.word(at + 1))?)
            }
            _ => return None,
        };
        let seconds = i64::try_from(period.seconds()).ok()?;
        let start = self.now.checked_sub(Span::new().try_seconds(seconds).ok()?).ok()?;
        if period.seconds().is_multiple_of(24 * 3600) {
            return Some((length, days(start.date(), 1)?));
        }
        Some((length, Piece { start, end: self.now, kind: Kind::Hours }))
    }

    /// "8 this morning", "9 in the evening".
    fn hour_of_part(&self, at: usize) -> Option<(usize, Piece)> {
        let hour: i8 = self.word(at).parse().ok().filter(|hour| (1..=12).contains(hour))?;
        let is_today = self.is(at + 1, &["this"]);
        let part = at + if is_today { 2 } else { 3 };
        let is_any = self.is(at + 1, &["in"]) && self.is(at + 2, &["the"]);
        if !is_today && !is_any {
            return None;
        }
        let hour = match self.word(part) {
            "morning" => hour % 12,
            "afternoon" | "evening" => hour % 12 + 12,
            _ => return None,
        };
        let kind = if is_today { Kind::Hours } else { Kind::Clock };
        Some((part + 1 - at, Piece { kind, ..hours_from(self.today(), hour, 1)? }))
    }

    /// "yesterday at 10:00", "monday morning", "nov 20 10am", or a day alone.
    fn day_and_hours(&self, at: usize) -> Option<(usize, Piece)> {
        if let Some(found) = self.timestamp(at) {
            return Some(found);
        }
        let (length, day) = self.day(at)?;
        let next = at + length + self.skip(at + length, &["at", "in", "the", "around"]);
        if let Some((more, clock)) = self.clock(next) {
            let at_day = |time: DateTime| day.to_datetime(time.time());
            let start = at_day(clock.start);
            let end = start.checked_add(clock.end - clock.start).ok()?;
            return Some((next + more - at, Piece { start, end, kind: Kind::Hours }));
        }
        if let Some((from, hours)) = part_of_day(self.word(next)) {
            return Some((next + 1 - at, hours_from(day, from, hours)?));
        }
        Some((length, days(day, 1)?))
    }

    /// "10:00", "10:00 yesterday", "3pm on friday".
    fn hours_and_day(&self, at: usize) -> Option<(usize, Piece)> {
        let (length, clock) = self.clock(at)?;
        let next = at + length + self.skip(at + length, &["on", "of", "the"]);
        let Some((more, day)) = self.day(next) else { return Some((length, clock)) };
        let start = day.to_datetime(clock.start.time());
        let end = start.checked_add(clock.end - clock.start).ok()?;
        Some((next + more - at, Piece { start, end, kind: Kind::Hours }))
    }

    /// Weeks, months, weekends and parts of today.
    fn calendar(&self, at: usize) -> Option<(usize, Piece)> {
        let today = self.today();
        let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
        let first = today.first_of_month();
        let quarter = Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?;
        let before = |date: Date, span: Span| date.checked_sub(span).ok();
        let piece = |start: Date, end: Date| Piece { start: midnight(start), end: midnight(end), kind: Kind::Days };
        let is_last = self.is(at, &["last", "previous"]);
        if is_last || self.is(at, &["this", "current", "today's", "todays"]) {
            let found = match (self.word(at + 1), is_last) {
                ("day", false) => days(today, 1)?,
                ("week", false) => piece(monday, monday.checked_add(7.days()).ok()?),
                ("week", true) => piece(before(monday, 7.days())?, monday),
                ("month", false) => piece(first, first.checked_add(1.month()).ok()?),
                ("month", true) => piece(before(first, 1.month())?, first),
                ("quarter", false) => piece(quarter, quarter.checked_add(3.months()).ok()?),
                ("quarter", true) => piece(before(quarter, 3.months())?, quarter),
                ("year", false) => piece(today.first_of_year(), today.first_of_year().checked_add(1.year()).ok()?),
                ("year", true) => piece(before(today.first_of_year(), 1.year())?, today.first_of_year()),
                ("weekend", _) => self.weekend(is_last)?,
                ("night" | "nite", true) => hours_from(today.yesterday().ok()?, 18, 12)?,
                ("evening", true) => hours_from(today.yesterday().ok()?, 18, 6)?,
                ("night" | "nite", false) => self.night()?,
                (part, false) => {
                    let (from, hours) = part_of_day(part)?;
                    hours_from(today, from, hours)?
                }
                _ => return None,
            };
            return Some((2, found));
        }
        match self.word(at) {
            "month" | "year" if self.is(at + 1, &["so"]) && self.is(at + 2, &["far"]) => {
                let start = if self.is(at, &["month"]) { first } else { today.first_of_year() };
                Some((3, Piece { start: midnight(start), end: midnight(today.tomorrow().ok()?), kind: Kind::Days }))
            }
            "tonight" => Some((1, self.night()?)),
            "overnight" => Some((1, hours_from(today.yesterday().ok()?, 18, 12)?)),
            "weekend" => Some((1, self.weekend(false)?)),
            // "Q3" is the latest one that has begun.
            "q1" | "q2" | "q3" | "q4" => {
                let number = i8::try_from(self.word(at).as_bytes()[1] - b'1').ok()?;
                let has_year = self.year(at + 1);
                let this_year = if number * 3 >= today.month() { today.year() - 1 } else { today.year() };
                let start = Date::new(has_year.unwrap_or(this_year), number * 3 + 1, 1).ok()?;
                Some((1 + usize::from(has_year.is_some()), piece(start, start.checked_add(3.months()).ok()?)))
            }
            // A number is a year where the word before it says so.
            _ if self.is(at.wrapping_sub(1), &["in", "during", "year", "since", "until", "before", "after"])
                && let Some(year) = self.year(at) =>
            {
                let start = Date::new(year, 1, 1).ok()?;
                Some((1, piece(start, start.checked_add(1.year()).ok()?)))
            }
            text => {
                let month = month(text)?;
                // "may" and "march" are verbs too.
                let has_year = self.year(at + 1);
                let is_led = self.is(
                    at.wrapping_sub(1),
                    &["in", "during", "of", "for", "since", "from", "until", "before", "after"],
                );
                let is_bare =
                    matches!(text, "january" | "february" | "july" | "september" | "october" | "november" | "december");
                if has_year.is_none() && !is_led && !is_bare {
                    return None;
                }
                let this_year = today.year();
                let year = has_year.unwrap_or(if month > today.month() { this_year - 1 } else { this_year });
                let start = Date::new(year, month, 1).ok()?;
                Some((1 + usize::from(has_year.is_some()), piece(start, start.checked_add(1.month()).ok()?)))
            }
        }
    }

    /// The latest night that has begun: who asks in the morning what happened "this night" means the one that is over.
    fn night(&self) -> Option<Piece> {
        let (today, last) = (self.today(), hours_from(self.today().yesterday().ok()?, 18, 12)?);
        let tonight = hours_from(today, 18, 6)?;
        Some(if tonight.start > self.now { last } else { tonight })
    }

    /// The latest weekend that has begun, or the one before it.
    fn weekend(&self, is_last: bool) -> Option<Piece> {
        let today = self.today();
        let since_saturday = (i64::from(today.weekday().to_monday_zero_offset()) + 2) % 7;
        let saturday = today.checked_sub(since_saturday.days()).ok()?;
        let is_now = since_saturday < 2;
        let saturday = if is_last && is_now { saturday.checked_sub(7.days()).ok()? } else { saturday };
        days(saturday, 2)
    }

    /// `2026-11-21T18:00:00Z`, or the same without seconds or zone.
    fn timestamp(&self, at: usize) -> Option<(usize, Piece)> {
        let text = self.words.get(at)?.text.as_str();
        if text.len() < 16 || !text.contains(['T', 't']) {
            return None;
        }
        let start = text.to_uppercase().parse::<Instant>().ok()?.civil();
        Some((1, Piece { start, end: start.checked_add(1.minute()).ok()?, kind: Kind::Hours }))
    }

    /// A time of day: `10:00`, `10am`, `3 pm`, `noon`.
    fn clock(&self, at: usize) -> Option<(usize, Piece)> {
        let clock = self.clock_of(self.word(at), self.word(at + 1));
        let (has_suffix, piece) = clock.or_else(|| Some((false, self.hour(at)?)))?;
        let zone = usize::from(self.is(at + 1 + usize::from(has_suffix), &["utc", "gmt"]));
        Some((1 + usize::from(has_suffix) + zone, piece))
    }

    /// A time of day of one word and what follows it, and whether that belongs to it.
    fn clock_of(&self, text: &str, following: &str) -> Option<(bool, Piece)> {
        let (hour, minute, second, granule, has_suffix) = match text {
            "noon" => (12, 0, 0, 60, false),
            "midnight" => (0, 0, 0, 60, false),
            text => {
                let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
                let own = &text[digits.len()..];
                let suffix = if own.is_empty() { following } else { own };
                let is_half = matches!(suffix, "am" | "pm" | "oclock");
                if !own.is_empty() && !is_half && own != "z" {
                    return None;
                }
                let mut parts = digits.split(':');
                let hour: i8 = parts.next()?.parse().ok()?;
                let minute: Option<i8> = parts.next().map(str::parse).transpose().ok()?;
                let second: Option<i8> = parts.next().map(str::parse).transpose().ok()?;
                if parts.next().is_some() || (minute.is_none() && !is_half) || digits.starts_with(['+', '-']) {
                    return None;
                }
                let hour = match suffix {
                    "am" if hour == 12 => 0,
                    "pm" if (1..12).contains(&hour) => hour + 12,
                    _ => hour,
                };
                let granule = if minute.is_some() { 1 } else { 60 };
                (hour, minute.unwrap_or(0), second.unwrap_or(0), granule, is_half && own.is_empty())
            }
        };
        let start = self.today().to_datetime(Time::new(hour, minute, second, 0).ok()?);
        let end = start.checked_add(i64::from(granule).minutes()).ok()?;
        Some((has_suffix, Piece { start, end, kind: Kind::Clock }))
    }
}

fn midnight(day: Date) -> DateTime {
    day.to_datetime(Time::midnight())
}

fn days(first: Date, count: i64) -> Option<Piece> {
    let end = first.checked_add(count.days()).ok()?;
    Some(Piece { start: midnight(first), end: midnight(end), kind: Kind::Days })
}

fn hours_from(day: Date, from: i8, hours: i64) -> Option<Piece> {
    let start = day.at(from, 0, 0, 0);
    Some(Piece { start, end: start.checked_add(hours.hours()).ok()?, kind: Kind::Hours })
}

/// From the begin of a window on.
fn since(window: Window, now: Instant) -> Option<Window> {
    Window::between(Some(window.bounds(now).0?), None)
}

fn between(since: DateTime, until: DateTime) -> Option<Window> {
    Window::between(Some(Instant::of_civil(since)?), Some(Instant::of_civil(until)?))
}

/// From one time of day to another on this day; over midnight where the second is the earlier one.
fn on_day(day: Date, first: Piece, last: Piece) -> Option<Window> {
    let since = day.to_datetime(first.start.time());
    let until = day.to_datetime(last.start.time());
    let until = if until <= since { until.checked_add(1.day()).ok()? } else { until };
    between(since, until)
}

/// The latest day with this name, which may be today.
fn latest(today: Date, weekday: Weekday) -> Option<Date> {
    let back =
        (7 + i64::from(today.weekday().to_monday_zero_offset()) - i64::from(weekday.to_monday_zero_offset())) % 7;
    today.checked_sub(back.days()).ok()
}

#[cfg(test)]
mod tests;
