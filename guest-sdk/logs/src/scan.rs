//! A scan: pieces to lines, lines to records, records that match to where they go.

use std::mem;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2_iter};

use crate::answer::{Answer, Seen};
use crate::level::Level;
use crate::line::{self, Context, Format, Head};
use crate::query::{By, Query, QueryError, Want};
use crate::sink::{Matched, Sink};
use crate::{LINE_BYTES_MAX, NAME_BYTES_MAX, RECORD_BYTES_MAX, RECORD_LINES_MAX, count};

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
    /// The start of a line whose end is yet to come, and whether more of it was dropped.
    partial: Vec<u8>,
    partial_cut: bool,
    record: Pending,
}

/// Which records match.
#[derive(Debug)]
struct Filter {
    levels: [bool; 7],
    needles: Vec<Needle>,
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
    time_ms: Option<i64>,
    line: u64,
    lines: u32,
    cut: bool,
    text: Vec<u8>,
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
}

impl Scan {
    /// Starts a scan.
    ///
    /// # Errors
    ///
    /// When the query is out of its bounds.
    pub fn new(query: Query) -> Result<Self, QueryError> {
        query.check()?;
        let Query { levels, text, since_ms, until_ms, now_ms, want } = query;
        let sink = Sink::new(want);
        let timed = !matches!(want, Want::Counts { by: By::Level | By::File });
        let needs_time = timed || since_ms.is_some() || until_ms.is_some();
        let needles: Vec<Needle> = text.iter().map(|text| Needle::new(text)).collect();
        Ok(Self {
            context: Context { needs_time, now_ms },
            needs_text: sink.needs_text() || !needles.is_empty(),
            filter: Filter { levels: levels.table(), needles, since_ms, until_ms },
            sink,
            seen: Seen::default(),
            file: Arc::from(""),
            in_file: false,
            line: 0,
            time_ms: None,
            partial: Vec::new(),
            partial_cut: false,
            record: Pending {
                live: false,
                wanted: false,
                head: Head::NOTHING,
                trace: Trace::No,
                time_ms: None,
                line: 0,
                lines: 0,
                cut: false,
                text: Vec::new(),
            },
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
        let mut rest = piece;
        if !self.partial.is_empty() {
            let Some(end) = memchr(b'\n', rest) else {
                self.keep(rest);
                return;
            };
            self.keep(&rest[..end]);
            self.partial_line();
            rest = &rest[end + 1..];
        }
        let mut start = 0;
        for end in memchr_iter(b'\n', rest) {
            self.read_line(&rest[start..end], false);
            start = end + 1;
        }
        self.keep(&rest[start..]);
    }

    /// Ends the file: what follows is no part of its last line, and of its last record neither.
    pub fn end_of_file(&mut self) {
        if !self.partial.is_empty() {
            self.partial_line();
        }
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
        let fits = part.len().min(LINE_BYTES_MAX - self.partial.len());
        self.partial.extend_from_slice(&part[..fits]);
        self.partial_cut |= fits < part.len();
    }

    fn partial_line(&mut self) {
        let mut line = mem::take(&mut self.partial);
        let cut = mem::take(&mut self.partial_cut);
        self.read_line(&line, cut);
        line.clear();
        self.partial = line;
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
        match line.first() {
            None if !self.record.live => {}
            None | Some(b' ' | b'\t') if self.record.live => self.go_on(line, cut),
            _ => {
                let head = line::head(line, self.context);
                if !head.known && self.record.live && self.record.goes_on_with(line) {
                    self.go_on(line, cut);
                } else {
                    self.end_record();
                    self.start_record(line, head, cut);
                }
            }
        }
    }

    fn start_record(&mut self, line: &[u8], head: Head, cut: bool) {
        if head.time_ms.is_some() {
            self.time_ms = head.time_ms;
        }
        let record = &mut self.record;
        record.live = true;
        record.head = head;
        record.time_ms = self.time_ms;
        record.line = self.line;
        record.lines = 1;
        record.cut = cut;
        record.trace = Trace::starting(line);
        // A traceback may yet tell the level of a record that has none.
        let level = self.filter.levels[head.level.index()] || self.may_turn_out_as_error();
        self.record.wanted = level && self.filter.time(self.time_ms);
        self.record.text.clear();
        if self.record.wanted && self.needs_text {
            self.seen.cut += u64::from(self.record.keep(line));
        }
    }

    fn may_turn_out_as_error(&self) -> bool {
        self.record.head.level == Level::Unknown && self.filter.levels[Level::Error.index()]
    }

    /// Adds a line to the open record.
    fn go_on(&mut self, line: &[u8], cut: bool) {
        let record = &mut self.record;
        record.cut |= cut;
        record.trace = record.trace.after(line);
        if record.trace != Trace::No && record.head.level == Level::Unknown {
            record.head.level = Level::Error;
        }
        if !record.wanted || !self.needs_text {
            return;
        }
        record.lines = record.lines.saturating_add(1);
        let full = record.lines > RECORD_LINES_MAX || record.text.len() >= RECORD_BYTES_MAX;
        if full {
            record.cut = true;
            self.seen.cut += 1;
        } else {
            record.text.push(b'\n');
            self.seen.cut += u64::from(record.keep(line));
        }
    }

    fn end_record(&mut self) {
        if !mem::take(&mut self.record.live) {
            return;
        }
        let record = &self.record;
        self.seen.records += 1;
        self.seen.unparsed += u64::from(!record.head.known);
        if record.time_ms.is_none() && self.filter.is_timed() {
            self.seen.undated += 1;
        }
        let matches = record.wanted
            && self.filter.levels[record.head.level.index()]
            && self.filter.needles.iter().all(|needle| needle.is_in(&record.text));
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
        self.partial.capacity() + self.record.text.capacity() + self.sink.held_bytes()
    }

    /// The most that they can be. A buffer may have twice the room that it needs.
    pub(crate) fn held_bytes_max(&self) -> usize {
        2 * LINE_BYTES_MAX + 2 * RECORD_BYTES_MAX + self.sink.held_bytes_max()
    }

    /// Asserts what must hold between any two pieces.
    pub(crate) fn check(&self) {
        let (held, most) = (self.held_bytes(), self.held_bytes_max());
        assert!(held <= most, "{held} bytes are held; the bound is {most}");
        self.sink.check();
    }
}

impl Pending {
    /// Keeps a line, as far as it fits, and says whether it did not.
    fn keep(&mut self, line: &[u8]) -> bool {
        let fits = line.len().min(RECORD_BYTES_MAX.saturating_sub(self.text.len()));
        self.text.extend_from_slice(&line[..fits]);
        let cut = fits < line.len();
        self.cut |= cut;
        cut
    }

    /// Whether a line that does not look like the start of a record belongs to this one.
    fn goes_on_with(&self, line: &[u8]) -> bool {
        const ALWAYS: [&[u8]; 7] = [
            b"Caused by: ",
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
            Trace::Python => true,
            Trace::Go if is_go_frame(line) => true,
            Trace::No | Trace::PythonEnded | Trace::Go => self.head.known && self.head.format == Format::Plain,
        }
    }
}

impl Trace {
    fn starting(line: &[u8]) -> Self {
        if line.starts_with(b"Traceback (most recent call last)") {
            Self::Python
        } else if line.starts_with(b"panic: ") || line.starts_with(b"goroutine ") || line.starts_with(b"fatal error: ")
        {
            Self::Go
        } else {
            Self::No
        }
    }

    /// What a record is in after one more of its lines.
    fn after(self, line: &[u8]) -> Self {
        match (self, Self::starting(line)) {
            (_, started @ (Self::Python | Self::Go)) => started,
            (Self::Python, _) if !matches!(line.first(), None | Some(b' ' | b'\t')) => Self::PythonEnded,
            (Self::PythonEnded, _) if line.ends_with(b" exception occurred:") || line.ends_with(b" exception:") => {
                Self::Python
            }
            (same, _) => same,
        }
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
