//! A scan: splits pieces into lines, parses records, and passes those that match to their sink.

use std::mem;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2_iter};

use crate::answer::{Answer, Seen};
use crate::cri::{self, Parts, Stream, Wrapped};
use crate::field::Field;
use crate::journal::{self, Journal, Step};
use crate::level::Level;
use crate::line::{self, Context, Format, Head};
use crate::query::{By, Query, QueryError, Want};
use crate::sink::{Matched, Sink};
use crate::{ENDING_BYTES_MAX, LINE_BYTES_MAX, NAME_BYTES_MAX, RECORD_BYTES_MAX, RECORD_LINES_MAX, ansi, count};

/// How long a runtime may take between two lines that a program writes at once, in milliseconds. It reads them in far less,
/// unless it has no time to run.
const APART_MS: i64 = 1_000;

/// One pass over log files.
///
/// ```
/// use intentbox_logs::{By, Query, Scan, Want};
///
/// let mut scan = Scan::new(Query::new(Want::Counts { by: By::Level }))?;
/// scan.begin_file("app.log");
/// scan.feed(b"2026-11-20 09:58:12,123 ERROR worker: no ro");
/// scan.feed(b"ute\nTraceback (most recent call last):\n  File \"a.py\", line 1\nOSError\n[INFO] done");
/// scan.end_of_file();
/// let answer = scan.answer();
/// assert_eq!(answer.counts, Some(vec![("error".to_owned(), 1), ("info".to_owned(), 1)]));
/// assert_eq!((answer.seen.records, answer.seen.lines), (2, 5));
/// # Ok::<(), intentbox_logs::QueryError>(())
/// ```
#[derive(Debug)]
pub struct Scan {
    filter: Filter,
    context: Context,
    /// Whether lines are copied: somebody looks at what records say.
    needs_text: bool,
    sink: Sink,
    seen: Seen,
    file: Arc<str>,
    in_file: bool,
    line: u64,
    /// The last time that a record of this file had.
    time_ms: Option<i64>,
    partial: Partial,
    /// Lines that a container runtime cut, of each stream.
    parts: [Parts; 2],
    /// Whether lines may have codes for terminals in them.
    coded: bool,
    /// A line without them.
    plain: Vec<u8>,
    journal: Journal,
    record: Pending,
}

/// The start of a line whose end is yet to come.
#[derive(Debug, Default)]
struct Partial {
    text: Vec<u8>,
    /// Whether more of it was dropped.
    cut: bool,
    /// Whether it may have codes for terminals in it.
    coded: bool,
}

/// Which records match.
#[derive(Debug)]
struct Filter {
    levels: [bool; 7],
    needles: Vec<Needle>,
    /// Values that fields must have.
    fields: Vec<(Field, Vec<u8>)>,
    /// The value of a field, of the record that is looked at.
    value: Vec<u8>,
    since_ms: Option<i64>,
    until_ms: Option<i64>,
}

/// The record that the next line may belong to.
#[derive(Debug)]
struct Pending {
    live: bool,
    /// Whether it may match, as far as its first line tells.
    wanted: bool,
    head: Head,
    trace: Trace,
    /// When its last line was read, if a container runtime says so.
    read_ms: Option<i64>,
    time_ms: Option<i64>,
    line: u64,
    lines: u32,
    cut: bool,
    text: Vec<u8>,
    /// The last line that names an error, of those that were not kept.
    ending: Vec<u8>,
}

/// Which lines without a sign of their own go on with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    No,
    /// Inside a Python traceback: the next line that is not indented names the exception.
    Python,
    /// Behind that line: only another traceback that belongs to it.
    PythonEnded,
    /// Goroutines, with functions that are not indented.
    Go,
    /// Behind the line that says where a Rust program panicked: the next one says why.
    RustPanicked,
    /// Behind that: a backtrace and notes.
    Rust,
}

impl Scan {
    /// Starts a scan.
    ///
    /// # Errors
    ///
    /// When the query is out of its bounds.
    pub fn new(query: Query) -> Result<Self, QueryError> {
        query.check()?;
        let Query { levels, text, fields, since_ms, until_ms, now_ms, want } = query;
        let timed = !matches!(want, Want::Counts { by: By::Level | By::File } | Want::Values { .. });
        let sink = Sink::new(want);
        let needs_time = timed || since_ms.is_some() || until_ms.is_some();
        let needles: Vec<Needle> = text.iter().map(|text| Needle::new(text)).collect();
        let fields: Vec<_> = fields.into_iter().map(|(name, value)| (Field::new(&name), value.into_bytes())).collect();
        let needs_text = sink.needs_text() || !needles.is_empty() || !fields.is_empty();
        Ok(Self {
            context: Context { needs_time, now_ms, outer_ms: None },
            needs_text,
            filter: Filter { levels: levels.table(), needles, fields, value: Vec::new(), since_ms, until_ms },
            sink,
            seen: Seen::default(),
            file: Arc::from(""),
            in_file: false,
            line: 0,
            time_ms: None,
            partial: Partial::default(),
            parts: [Parts::default(), Parts::default()],
            coded: false,
            plain: Vec::new(),
            journal: Journal::new(needs_text),
            record: Pending::NOTHING,
        })
    }

    /// Starts a file, and ends the one before it. Of a name longer than [`NAME_BYTES_MAX`], the start is kept.
    pub fn begin_file(&mut self, name: &str) {
        self.end_of_file();
        let end = (0..=name.len().min(NAME_BYTES_MAX)).rev().find(|end| name.is_char_boundary(*end));
        self.file = Arc::from(&name[..end.unwrap_or(0)]);
        self.in_file = true;
        self.line = 0;
        self.time_ms = None;
        self.seen.files += 1;
    }

    /// Reads the next piece of the file. Pieces may be cut anywhere, and may be empty. Without a file begun, they are
    /// of one without a name.
    pub fn feed(&mut self, piece: &[u8]) {
        if !self.in_file {
            self.begin_file("");
        }
        self.seen.bytes += count(piece.len());
        // One search a piece is cheaper than one a line.
        self.coded = ansi::is_in(piece);
        self.read(piece);
    }

    /// Reads lines, and between them the fields of the journal that are none.
    fn read(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while !rest.is_empty() {
            if self.journal.wants_bytes() {
                let (taken, lines) = self.journal.read_bytes(rest);
                rest = &rest[taken..];
                self.seen.lines += lines;
                self.line += lines;
                if let Some(bytes) = self.journal.refused() {
                    self.end_entry();
                    // They may have come with an earlier piece.
                    self.coded |= ansi::is_in(&bytes);
                    // Eight bytes behind an end of a line cannot bring another length, so this goes one step down.
                    self.read(&bytes);
                }
                continue;
            }
            if !self.partial.text.is_empty() {
                let Some(end) = memchr(b'\n', rest) else {
                    self.keep(rest);
                    return;
                };
                self.keep(&rest[..end]);
                self.partial_line();
                rest = &rest[end + 1..];
                continue;
            }
            let mut start = 0;
            for end in memchr_iter(b'\n', rest) {
                self.read_line(&rest[start..end], false);
                start = end + 1;
                if self.journal.wants_bytes() {
                    break;
                }
            }
            rest = &rest[start..];
            if !self.journal.wants_bytes() {
                self.keep(rest);
                return;
            }
        }
    }

    /// Ends the file: what follows is no part of its last line, and of its last record neither.
    pub fn end_of_file(&mut self) {
        if !self.partial.text.is_empty() {
            self.partial_line();
        }
        self.end_entry();
        self.end_parts();
        self.end_record();
        self.in_file = false;
    }

    /// Ends the scan.
    #[must_use]
    pub fn answer(mut self) -> Answer {
        self.end_of_file();
        let mut answer = Answer { seen: self.seen, ..Answer::default() };
        self.sink.answer(&mut answer);
        answer
    }

    /// Keeps the start of a line, as far as it fits.
    fn keep(&mut self, part: &[u8]) {
        let partial = &mut self.partial;
        let fits = part.len().min(LINE_BYTES_MAX - partial.text.len());
        partial.text.extend_from_slice(&part[..fits]);
        partial.cut |= fits < part.len();
        partial.coded |= self.coded;
    }

    fn partial_line(&mut self) {
        let mut partial = mem::take(&mut self.partial);
        self.coded |= partial.coded;
        self.read_line(&partial.text, partial.cut);
        // The memory is used again.
        partial.text.clear();
        self.partial.text = partial.text;
    }

    /// Reads a line without its `\n`. A `\r` before that belongs to the line's end.
    fn read_line(&mut self, line: &[u8], cut: bool) {
        let cut = cut || line.len() > LINE_BYTES_MAX;
        let mut line = &line[..line.len().min(LINE_BYTES_MAX)];
        if !cut {
            line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        self.seen.lines += 1;
        self.seen.cut += u64::from(cut);
        self.line += 1;
        if self.line == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if journal::starts(line) && (!self.journal.is_open() || line.starts_with(b"__CURSOR=")) {
            self.end_entry();
            self.end_parts();
            self.end_record();
            self.journal.open(self.line);
        }
        if self.journal.is_open() {
            match self.journal.read_line(line, cut) {
                Step::Taken => return,
                Step::End => return self.end_entry(),
                Step::Foreign => self.end_entry(),
            }
        }
        if let Some(wrapped) = cri::unwrap(line) {
            self.read_wrapped(&wrapped, cut);
        } else {
            self.end_parts();
            self.read_text(line, cut, self.line, None);
        }
    }

    /// Reads a line in what a container runtime put in front of it.
    fn read_wrapped(&mut self, wrapped: &Wrapped<'_>, cut: bool) {
        let parts = &mut self.parts[wrapped.stream as usize];
        if !parts.open && !wrapped.partial {
            return self.read_text(wrapped.text, cut, self.line, Some(wrapped.time_ms));
        }
        self.seen.cut += u64::from(parts.add(wrapped, self.line, cut));
        if !wrapped.partial {
            self.end_part(wrapped.stream);
        }
    }

    /// Reads the lines whose last part is missing, in the order of their first ones.
    fn end_parts(&mut self) {
        let [out, err] = &self.parts;
        if !out.open && !err.open {
            return;
        }
        let err_is_first = err.open && (!out.open || err.line < out.line);
        for stream in if err_is_first { [Stream::Err, Stream::Out] } else { [Stream::Out, Stream::Err] } {
            self.end_part(stream);
        }
    }

    fn end_part(&mut self, stream: Stream) {
        let mut parts = mem::take(&mut self.parts[stream as usize]);
        if parts.open {
            self.read_text(&parts.text, parts.cut, parts.line, Some(parts.time_ms));
            parts.open = false;
        }
        // The memory is used again.
        self.parts[stream as usize] = parts;
    }

    /// Reads a line of a program, which starts at the line `number` of the file.
    fn read_text(&mut self, line: &[u8], cut: bool, number: u64, outer_ms: Option<i64>) {
        // What a runtime cut may have come with an earlier piece.
        if !((self.coded || outer_ms.is_some()) && ansi::is_in(line)) {
            return self.read_plain(line, cut, number, outer_ms);
        }
        let mut plain = mem::take(&mut self.plain);
        plain.clear();
        ansi::strip(line, &mut plain);
        self.read_plain(&plain, cut, number, outer_ms);
        self.plain = plain;
    }

    fn read_plain(&mut self, line: &[u8], cut: bool, number: u64, outer_ms: Option<i64>) {
        let apart = self.record.is_apart(outer_ms);
        self.record.read_ms = outer_ms;
        match line.first() {
            // White space alone starts no record.
            _ if !self.record.live && line.trim_ascii().is_empty() => {}
            None | Some(b' ' | b'\t') if self.record.live => self.go_on(line, cut),
            Some(_) if self.record.live && self.record.trace == Trace::RustPanicked => self.go_on(line, cut),
            _ => {
                // The time of the wrapping is closer to one without a year than the clock.
                let context = Context { now_ms: outer_ms.or(self.context.now_ms), outer_ms, ..self.context };
                let head = line::head(line, context);
                if head.adds && self.record.live && self.record.head.format == Format::Plain {
                    self.go_on(&line[head.at..], cut);
                } else if !head.known && self.record.live && self.record.goes_on_with(line, apart) {
                    self.go_on(line, cut);
                } else {
                    self.end_record();
                    self.start_record(line, head, cut, number);
                }
            }
        }
    }

    fn start_record(&mut self, line: &[u8], head: Head, cut: bool, number: u64) {
        self.open_record(head, Trace::starting(line), cut, number);
        if self.record.wanted && self.needs_text {
            self.seen.cut += u64::from(self.record.keep(line));
        }
    }

    /// Opens a record without text.
    fn open_record(&mut self, head: Head, trace: Trace, cut: bool, number: u64) {
        if head.time_ms.is_some() {
            self.time_ms = head.time_ms;
        }
        let within = self.filter.time(self.time_ms);
        self.seen.within += u64::from(within);
        // A traceback may yet tell the level of a record that has none.
        let level = self.filter.levels[head.level.index()] || head.level == Level::Unknown;
        let record = &mut self.record;
        record.live = true;
        record.wanted = level && within;
        record.head = head;
        record.trace = trace;
        record.time_ms = self.time_ms;
        record.line = number;
        record.lines = 1;
        record.cut = cut;
        record.text.clear();
        record.ending.clear();
    }

    /// Ends the open entry of the journal, if there is one: it is a record.
    fn end_entry(&mut self) {
        let Some(entry) = self.journal.end(self.context.needs_time) else { return };
        let head = Head { format: Format::Journal, level: entry.level, time_ms: entry.time_ms, ..Head::KNOWN };
        self.open_record(head, Trace::No, entry.cut, entry.line);
        let record = &mut self.record;
        if record.wanted && self.needs_text {
            record.head.at = self.journal.write(&mut record.text);
            record.cut |= record.text.len() > RECORD_BYTES_MAX;
            record.text.truncate(RECORD_BYTES_MAX);
            self.seen.cut += u64::from(record.cut);
        }
        self.end_record();
    }

    /// Adds a line to the open record.
    fn go_on(&mut self, line: &[u8], cut: bool) {
        let record = &mut self.record;
        record.cut |= cut;
        let before = record.trace;
        record.trace = before.after(line);
        if record.head.level == Level::Unknown {
            let opening = line::opening(line);
            if record.trace != Trace::No || opening >= Level::Error {
                record.head.level = opening.max(Level::Error);
            }
        }
        if !record.wanted || !self.needs_text {
            return;
        }
        record.lines = record.lines.saturating_add(1);
        let full = record.lines > RECORD_LINES_MAX || record.text.len() >= RECORD_BYTES_MAX;
        let cut = if full {
            record.cut = true;
            true
        } else {
            record.text.push(b'\n');
            record.keep(line)
        };
        self.seen.cut += u64::from(cut);
        let names_error = line.starts_with(b"Caused by:") || before.is_ended_by(record.trace);
        if cut && names_error {
            record.ending.clear();
            record.ending.extend_from_slice(&line[..line.len().min(ENDING_BYTES_MAX)]);
        }
    }

    fn end_record(&mut self) {
        if !mem::take(&mut self.record.live) {
            return;
        }
        let record = &mut self.record;
        self.seen.records += 1;
        let Head { known, level, time_ms, .. } = record.head;
        let is_unparsed = !known && level == Level::Unknown && time_ms.is_none();
        self.seen.unparsed += u64::from(is_unparsed);
        if record.time_ms.is_none() && self.filter.is_timed() {
            self.seen.undated += 1;
        }
        if !record.ending.is_empty() {
            record.text.push(b'\n');
            record.text.append(&mut record.ending);
        }
        if !record.wanted || !self.filter.texts(record) || !self.filter.values(record) {
            return;
        }
        let matches = self.filter.levels[record.head.level.index()];
        self.seen.unleveled += u64::from(!matches && record.head.level == Level::Unknown);
        self.seen.matched += u64::from(matches);
        self.seen.fatal += u64::from(matches && record.head.level == Level::Fatal);
        self.seen.requests += u64::from(matches && matches!(record.head.format, Format::Access | Format::Proxy));
        if matches {
            self.sink.take(&Matched {
                head: record.head,
                time_ms: record.time_ms,
                file: &self.file,
                line: record.line,
                cut: record.cut,
                text: &record.text,
            });
        }
    }
}

#[cfg(test)]
impl Scan {
    /// Bytes held, roughly: lines, the open record and what is kept for the answer.
    pub(crate) fn held_bytes(&self) -> usize {
        let lines = [&self.partial.text, &self.plain, &self.parts[0].text, &self.parts[1].text];
        let records = [&self.record.text, &self.record.ending];
        let held = lines.iter().chain(&records).map(|buffer| buffer.capacity()).sum::<usize>();
        held + self.journal.held_bytes() + self.sink.held_bytes()
    }

    /// The most that they can be. A buffer may have twice the room that it needs.
    pub(crate) fn held_bytes_max(&self) -> usize {
        4 * 2 * LINE_BYTES_MAX + 2 * 2 * (RECORD_BYTES_MAX + 2 * ENDING_BYTES_MAX) + self.sink.held_bytes_max()
    }

    /// Asserts what must hold between any two pieces.
    pub(crate) fn check(&self) {
        let (held, most) = (self.held_bytes(), self.held_bytes_max());
        assert!(held <= most, "{held} bytes are held; the bound is {most}");
        self.sink.check();
    }
}

impl Pending {
    /// No record.
    const NOTHING: Self = Self {
        live: false,
        wanted: false,
        head: Head::NOTHING,
        trace: Trace::No,
        read_ms: None,
        time_ms: None,
        line: 0,
        lines: 0,
        cut: false,
        text: Vec::new(),
        ending: Vec::new(),
    };

    /// Keeps a line, as far as it fits, and says whether it did not.
    fn keep(&mut self, line: &[u8]) -> bool {
        let fits = line.len().min(RECORD_BYTES_MAX.saturating_sub(self.text.len()));
        self.text.extend_from_slice(&line[..fits]);
        let cut = fits < line.len();
        self.cut |= cut;
        cut
    }

    /// Whether a line that a container runtime read at this time cannot have been written along with the last one.
    fn is_apart(&self, read_ms: Option<i64>) -> bool {
        matches!((self.read_ms, read_ms), (Some(before), Some(after)) if after - before > APART_MS)
    }

    /// Whether a line that does not look like the start of a record belongs to this one, which it may come long after.
    fn goes_on_with(&self, line: &[u8], apart: bool) -> bool {
        const ALWAYS: [&[u8]; 7] = [
            b"Caused by:",
            b"... ",
            b"}",
            b"]",
            b")",
            b"During handling of the above exception, another exception occurred:",
            b"The above exception was the direct cause of the following exception:",
        ];
        if ALWAYS.iter().any(|start| line.starts_with(start)) {
            return true;
        }
        match self.trace {
            Trace::Python | Trace::RustPanicked => true,
            Trace::Go if is_go_frame(line) => true,
            Trace::Rust => line.starts_with(b"note: ") || line == b"stack backtrace:",
            Trace::No | Trace::PythonEnded | Trace::Go => {
                !apart && self.head.known && self.head.format == Format::Plain
            }
        }
    }
}

impl Trace {
    fn starting(line: &[u8]) -> Self {
        // By its first byte, since every record asks.
        match line.first() {
            Some(b'T') if line.starts_with(b"Traceback (most recent call last)") => Self::Python,
            Some(b'p') if line.starts_with(b"panic: ") => Self::Go,
            Some(b'g') if line.starts_with(b"goroutine ") => Self::Go,
            Some(b'f') if line.starts_with(b"fatal error: ") => Self::Go,
            // Until Rust 1.73 it said all of it on one line, the place at the end.
            Some(b't') if line::is_panic(line) => {
                if line.ends_with(b":") {
                    Self::RustPanicked
                } else {
                    Self::Rust
                }
            }
            _ => Self::No,
        }
    }

    /// What a record is in after one more of its lines.
    fn after(self, line: &[u8]) -> Self {
        match (self, Self::starting(line)) {
            (Self::RustPanicked, _) => Self::Rust,
            (_, started @ (Self::Python | Self::Go)) => started,
            (Self::Python, _) if !matches!(line.first(), None | Some(b' ' | b'\t')) => Self::PythonEnded,
            (Self::PythonEnded, _) if line.ends_with(b" exception occurred:") || line.ends_with(b" exception:") => {
                Self::Python
            }
            (same, _) => same,
        }
    }

    /// Whether the line between the two is the one that names the exception.
    fn is_ended_by(self, after: Self) -> bool {
        self == Self::Python && after == Self::PythonEnded
    }
}

/// A line of a goroutine's stack that is not indented.
fn is_go_frame(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"goroutine ", b"created by ", b"exit status ", b"[signal "];
    line.ends_with(b")") || STARTS.iter().any(|start| line.starts_with(start))
}

impl Filter {
    fn is_timed(&self) -> bool {
        self.since_ms.is_some() || self.until_ms.is_some()
    }

    /// Whether a record holds the texts. A message that is written as bytes is looked at as what it says, too.
    fn texts(&self, record: &Pending) -> bool {
        let (mut spelled, mut message) = (None, Vec::new());
        self.needles.iter().all(|needle| {
            needle.is_in(&record.text) || {
                let spelled =
                    *spelled.get_or_insert_with(|| line::message_of_bytes(&record.text, &record.head, &mut message));
                spelled && needle.is_in(&message)
            }
        })
    }

    /// Whether the fields of a record have the values that they must have.
    fn values(&mut self, record: &Pending) -> bool {
        let Self { fields, value: found, .. } = self;
        fields
            .iter()
            .all(|(field, value)| field.read(&record.text, &record.head, found) && found.eq_ignore_ascii_case(value))
    }

    fn time(&self, time_ms: Option<i64>) -> bool {
        match time_ms {
            Some(ms) => self.since_ms.is_none_or(|since| ms >= since) && self.until_ms.is_none_or(|until| ms < until),
            None => !self.is_timed(),
        }
    }
}

/// A text that is looked for in any case.
#[derive(Debug)]
struct Needle {
    lower: String,
    /// Which byte is looked for, in both cases: the rarest. `None` beyond ASCII, where letters change their length.
    rarest: Option<usize>,
}

impl Needle {
    fn new(text: &str) -> Self {
        let lower = text.to_lowercase();
        let rarest = (0..lower.len()).min_by_key(|index| commonness(lower.as_bytes()[*index]));
        Self { rarest: rarest.filter(|_| lower.is_ascii()), lower }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let needle = self.lower.as_bytes();
        let Some(rarest) = self.rarest else {
            return String::from_utf8_lossy(text).to_lowercase().contains(&self.lower);
        };
        let byte = needle[rarest];
        memchr2_iter(byte, byte.to_ascii_uppercase(), text).any(|at| {
            let found = at.checked_sub(rarest).and_then(|start| text.get(start..start + needle.len()));
            found.is_some_and(|found| found.eq_ignore_ascii_case(needle))
        })
    }
}

/// How often a byte occurs in logs, roughly: its place from the rarest on.
fn commonness(byte: u8) -> usize {
    const RARE_TO_COMMON: &[u8] = b"qzjxkwvyfbghpmuldcnrosiate0123456789/_=,.:-\" ";
    RARE_TO_COMMON.iter().position(|common| *common == byte).unwrap_or(0)
}
