//! Log files as records: bytes in, in pieces of any size, and one bounded answer out.
//!
//! It lives inside the guest, so that what is slow about a gigabyte of text costs the script its own fuel, and what is
//! hostile about it meets the sandbox. It knows no files, no clock and no wasm: pieces are slices, and the time is an
//! argument. It follows no file, merges no clocks and guesses no time zone: a time without one is UTC.
//!
//! The format is detected line by line, since one file often mixes several: JSON lines, logfmt, syslog (RFC 3164 and
//! RFC 5424), entries of the journal (as JSON and in its export format), access logs, `HAProxy`, Redis, Unreal Engine, glog, and plain text that starts
//! with a time or a level. What container runtimes write in front of a line is taken off, and so are colours. Lines that
//! belong to the record before them, such as tracebacks, stay with it.
//!
//! On the common path a line costs a search for its end and a look at its level and time: nothing is allocated, and
//! bytes are copied only when the question needs the text of the record.
//!
//! - `level` and `moment`: what a record's severity and time look like. `json`, `logfmt` and `line`: one line.
//! - `ansi`, `cri` and `journal`: what lines are wrapped in. `program` and `proxy`: what one program alone writes. `exception`: what was thrown.
//! - `query`: what is asked. `scan`: lines to records, records to what was asked. `sink`, `tally`, `frequent`,
//!   `fingerprint`, `field`: where they go. `answer`: what comes out.
//! - `oracle`, for tests: any bytes, cut anywhere, give the same answer in bounded memory. `cuts`: random ones.

#![forbid(unsafe_code)]

mod ansi;
mod answer;
mod cri;
#[cfg(test)]
mod cuts;
mod exception;
mod field;
mod fingerprint;
#[cfg(test)]
mod formats;
mod frequent;
mod journal;
mod json;
mod level;
mod line;
mod logfmt;
mod moment;
#[cfg(test)]
mod oracle;
mod program;
mod proxy;
mod query;
mod scan;
mod sink;
mod tally;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Frequent, Record, Seen, Top, Values};
pub use level::Level;
pub use query::{By, Levels, Query, QueryError, Want};
pub use scan::Scan;

/// Bytes of one line. What follows is dropped and the line counted as cut. Log shippers cut at 16 to 256 KiB; longer
/// lines are dumps that nobody reads as a line, and each scan keeps room for one.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// Bytes that a record keeps, over all its lines. A traceback of a hundred frames is 10 KiB.
pub const RECORD_BYTES_MAX: usize = 16 << 10;

/// Bytes that a record keeps beyond those, of the line that names the error when that comes too late to be kept: the
/// root cause behind hundreds of frames.
pub const ENDING_BYTES_MAX: usize = 1 << 10;

/// Lines that a record keeps. Deep recursion prints thousands of equal frames; the first two hundred tell as much.
pub const RECORD_LINES_MAX: u32 = 200;

/// Records of one answer: at 16 KiB each, 16 MiB of a run's memory.
pub const RECORDS_MAX: usize = 1_000;

/// Messages, or values of a field, of one answer.
pub const TOP_MAX: usize = 1_000;

/// Distinct messages or values that are counted at a time: some 6 MiB. Beyond it, counts are upper bounds; see [`Top`] and [`Values`].
pub const MESSAGES_MAX: usize = 10_000;

/// Distinct files, hours, days or minutes that are counted apart: a week of minutes. The rest is counted together.
pub const KEYS_MAX: usize = 10_080;

/// Bytes kept of a file's name, the longest path that Linux takes.
pub const NAME_BYTES_MAX: usize = 4_096;

/// A length as the counter it adds to.
fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
