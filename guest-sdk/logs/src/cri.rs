//! Lines as container runtimes write them for the kubelet: `2026-11-21T10:00:00.123456789Z stderr F text`.
//!
//! A runtime cuts lines at 16 KiB and marks all parts but the last with `P`. The streams take turns, so each has its own
//! parts.

use memchr::memchr;

use crate::{LINE_BYTES_MAX, moment};

/// The longest time, with nanoseconds and an offset.
const TIME_BYTES_MAX: usize = 35;

/// The tags of a line, joined with `:`. There is one today.
const TAGS_BYTES_MAX: usize = 16;

/// A line and what it is wrapped in.
pub(crate) struct Wrapped<'a> {
    /// When the runtime read it.
    pub(crate) time_ms: i64,
    pub(crate) stream: Stream,
    /// Whether the next line of the stream goes on with it.
    pub(crate) partial: bool,
    pub(crate) text: &'a [u8],
}

/// What a program wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Takes the prefix off a line, if it has one.
pub(crate) fn unwrap(line: &[u8]) -> Option<Wrapped<'_>> {
    // Most lines end here or at the next question: that the third word is a time costs more to find out.
    if line.get(10) != Some(&b'T') {
        return None;
    }
    let space = memchr(b' ', &line[..line.len().min(TIME_BYTES_MAX + 1)])?;
    let (stream, rest) = match line.get(space + 1..space + 8)? {
        b"stdout " => (Stream::Out, &line[space + 8..]),
        b"stderr " => (Stream::Err, &line[space + 8..]),
        _ => return None,
    };
    let (time_ms, end) = moment::iso(&line[..space])?;
    if end != space {
        return None;
    }
    let (tags, text) = match memchr(b' ', &rest[..rest.len().min(TAGS_BYTES_MAX + 1)]) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &rest[rest.len()..]),
    };
    let partial = match tags {
        [b'P'] | [b'P', b':', ..] => true,
        [b'F'] | [b'F', b':', ..] => false,
        _ => return None,
    };
    Some(Wrapped { time_ms, stream, partial, text })
}

/// The parts of a line that was cut, joined.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Whether there are any.
    pub(crate) open: bool,
    pub(crate) text: Vec<u8>,
    /// The time of the first part.
    pub(crate) time_ms: i64,
    /// The line of the first part.
    pub(crate) line: u64,
    /// Whether something of them was dropped.
    pub(crate) cut: bool,
}

impl Parts {
    /// Adds a part, as far as the line has room for it, and says whether this is the first time that it has not.
    pub(crate) fn add(&mut self, wrapped: &Wrapped<'_>, line: u64, cut: bool) -> bool {
        if !self.open {
            self.text.clear();
            (self.open, self.time_ms, self.line, self.cut) = (true, wrapped.time_ms, line, false);
        }
        let fits = wrapped.text.len().min(LINE_BYTES_MAX - self.text.len());
        self.text.extend_from_slice(&wrapped.text[..fits]);
        let overflows = fits < wrapped.text.len() && !self.cut;
        self.cut |= cut || overflows;
        overflows
    }
}
