//! Entries of the systemd journal in its export format: `journalctl -o export`.
//!
//! An entry is a field a line, `NAME=value`, up to an empty line. A field whose content is not one line of text has its
//! name alone on a line, then eight bytes of length in little-endian order, the content, and the end of the line.

use memchr::{memchr, memchr_iter};

use crate::level::Level;
use crate::{RECORD_BYTES_MAX, ansi, count, moment};

/// Bytes of the name of a field: the journal takes no longer ones.
const NAME_BYTES_MAX: usize = 64;

/// Bytes of a field's content: the journal takes no more (`DATA_SIZE_MAX` in its importer). What says that it is longer
/// is no field.
const CONTENT_BYTES_MAX: u64 = 768 << 20;

/// Bytes that are kept of who wrote an entry.
const WRITER_BYTES_MAX: usize = 256;

/// Bytes that are kept of a level or a time.
const NUMBER_BYTES_MAX: usize = 24;

/// Fields of an entry that an answer shows, in either format of the journal. There are some thirty more.
pub(crate) const SHOWN: [&[u8]; 4] = [b"SYSLOG_IDENTIFIER", b"_SYSTEMD_UNIT", b"_PID", b"_HOSTNAME"];

/// A reader of entries.
#[derive(Debug)]
pub(crate) struct Journal {
    state: State,
    /// Whether messages are kept.
    needs_text: bool,
    length: [u8; 8],
    priority: Vec<u8>,
    time: Vec<u8>,
    /// The fields of [`SHOWN`].
    writer: [Vec<u8>; SHOWN.len()],
    message: Vec<u8>,
    /// The line that the entry starts at.
    line: u64,
    cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not in an entry.
    Outside,
    /// Before a field.
    Fields,
    /// In the length of a content: so many of its bytes are there.
    Length(Field, usize),
    /// In a content: so many bytes are missing.
    Content(Field, u64),
    /// Behind a content: the end of its line is missing.
    ContentEnd,
    /// Behind a length that no content has.
    Refused,
}

/// What a field tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Priority,
    Time,
    Message,
    Writer(usize),
    Other,
}

/// What a line is to the open entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of it, or the name of one.
    Taken,
    /// Its end.
    End,
    /// No part of it.
    Foreign,
}

/// What an entry says of itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) level: Level,
    pub(crate) time_ms: Option<i64>,
    pub(crate) line: u64,
    /// Whether something is missing at the end of the message.
    pub(crate) cut: bool,
}

/// Whether a line starts an entry.
pub(crate) fn starts(line: &[u8]) -> bool {
    line.starts_with(b"__")
        && (line.starts_with(b"__CURSOR=")
            || line.strip_prefix(b"__REALTIME_TIMESTAMP=").is_some_and(|time| moment::epoch(time).is_some()))
}

impl Journal {
    pub(crate) fn new(needs_text: bool) -> Self {
        Self {
            state: State::Outside,
            needs_text,
            length: [0; 8],
            priority: Vec::new(),
            time: Vec::new(),
            writer: [const { Vec::new() }; SHOWN.len()],
            message: Vec::new(),
            line: 0,
            cut: false,
        }
    }

    /// Whether an entry is open.
    pub(crate) fn is_open(&self) -> bool {
        self.state != State::Outside
    }

    /// Whether the next bytes are no line.
    pub(crate) fn wants_bytes(&self) -> bool {
        matches!(self.state, State::Length(..) | State::Content(..) | State::ContentEnd)
    }

    /// Opens an entry at a line. Its first field is yet to be read.
    pub(crate) fn open(&mut self, line: u64) {
        self.state = State::Fields;
        for text in self.writer.iter_mut().chain([&mut self.priority, &mut self.time, &mut self.message]) {
            text.clear();
        }
        (self.line, self.cut) = (line, false);
    }

    /// Reads a line of an open entry. The line may have been cut.
    pub(crate) fn read_line(&mut self, line: &[u8], cut: bool) -> Step {
        if line.is_empty() {
            return Step::End;
        }
        let name_length = memchr(b'=', &line[..line.len().min(NAME_BYTES_MAX + 1)]);
        let name = &line[..name_length.unwrap_or(line.len())];
        let named = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.iter().all(named) {
            return Step::Foreign;
        }
        // Of equal fields the first counts.
        let field = Some(Field::of(name)).filter(|field| !self.has(*field)).unwrap_or(Field::Other);
        match name_length {
            Some(length) => {
                self.add(field, &line[length + 1..]);
                self.cut |= cut && field == Field::Message;
            }
            None => self.state = State::Length(field, 0),
        }
        Step::Taken
    }

    /// Reads bytes that are no line, as many as belong to the field. Gives how many those are, and how many ends of lines
    /// are among them.
    pub(crate) fn read_bytes(&mut self, piece: &[u8]) -> (usize, u64) {
        let ends = |bytes: &[u8]| count(memchr_iter(b'\n', bytes).count());
        match self.state {
            State::Length(field, have) => {
                let taken = piece.len().min(self.length.len() - have);
                self.length[have..have + taken].copy_from_slice(&piece[..taken]);
                if have + taken < self.length.len() {
                    self.state = State::Length(field, have + taken);
                    return (taken, 0);
                }
                let left = u64::from_le_bytes(self.length);
                if left > CONTENT_BYTES_MAX {
                    self.state = State::Refused;
                    return (taken, 0);
                }
                self.state = if left == 0 { State::ContentEnd } else { State::Content(field, left) };
                (taken, ends(&self.length))
            }
            State::Content(field, left) => {
                let taken = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                let content = &piece[..taken];
                self.add(field, content);
                let left = left - count(taken);
                self.state = if left == 0 { State::ContentEnd } else { State::Content(field, left) };
                (taken, ends(content))
            }
            State::ContentEnd => {
                let taken = usize::from(piece.first() == Some(&b'\n'));
                // Without the end of its line, a field is followed by what is no field; the next line will tell.
                self.state = State::Fields;
                (taken, count(taken))
            }
            State::Outside | State::Fields | State::Refused => (0, 0),
        }
    }

    /// The bytes that were taken for a length and are none.
    pub(crate) fn refused(&self) -> Option<[u8; 8]> {
        (self.state == State::Refused).then_some(self.length)
    }

    /// Ends the open entry, if there is one. What it says can be read until the next one is opened.
    pub(crate) fn end(&mut self, needs_time: bool) -> Option<Entry> {
        if self.state == State::Outside {
            return None;
        }
        self.state = State::Outside;
        Some(Entry {
            level: Level::of_value(&self.priority).unwrap_or(Level::Unknown),
            time_ms: if needs_time { moment::epoch(&self.time) } else { None },
            line: self.line,
            cut: self.cut,
        })
    }

    /// Adds the entry as text, who wrote it before what was written, and gives where the latter starts.
    pub(crate) fn write(&self, into: &mut Vec<u8>) -> usize {
        let start = into.len();
        for (name, value) in SHOWN.iter().zip(&self.writer) {
            if !value.is_empty() {
                into.extend_from_slice(name);
                into.push(b'=');
                // One line, with tabs between its parts.
                into.extend(value.iter().map(|byte| if matches!(byte, b'\n' | b'\t') { b' ' } else { *byte }));
                into.push(b'\t');
            }
        }
        let at = into.len() - start;
        ansi::strip(&self.message, into);
        at
    }

    fn has(&self, field: Field) -> bool {
        let text = match field {
            Field::Priority => &self.priority,
            Field::Time => &self.time,
            Field::Writer(index) => &self.writer[index],
            Field::Message => &self.message,
            Field::Other => return false,
        };
        !text.is_empty()
    }

    fn add(&mut self, field: Field, value: &[u8]) {
        let (text, most) = match field {
            Field::Priority => (&mut self.priority, NUMBER_BYTES_MAX),
            Field::Time => (&mut self.time, NUMBER_BYTES_MAX),
            Field::Writer(index) => (&mut self.writer[index], WRITER_BYTES_MAX),
            Field::Message if self.needs_text => (&mut self.message, RECORD_BYTES_MAX),
            Field::Message | Field::Other => return,
        };
        let fits = value.len().min(most - text.len());
        text.extend_from_slice(&value[..fits]);
        self.cut |= fits < value.len() && field == Field::Message;
    }

    /// Bytes held, roughly.
    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> usize {
        let writer = self.writer.iter().map(Vec::capacity).sum::<usize>();
        writer + self.priority.capacity() + self.time.capacity() + self.message.capacity()
    }
}

/// The fields of an entry's first line as [`Journal::write`] wrote it, up to its message.
pub(crate) fn written(prefix: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    prefix.split(|byte| *byte == b'\t').filter_map(|part| {
        let equals = memchr(b'=', part)?;
        Some((&part[..equals], &part[equals + 1..]))
    })
}

impl Field {
    fn of(name: &[u8]) -> Self {
        match name {
            b"PRIORITY" => Self::Priority,
            b"__REALTIME_TIMESTAMP" => Self::Time,
            b"MESSAGE" => Self::Message,
            _ => SHOWN.iter().position(|shown| *shown == name).map_or(Self::Other, Self::Writer),
        }
    }
}
