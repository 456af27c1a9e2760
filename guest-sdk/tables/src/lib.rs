//! Tables in CSV and JSON: the bytes of a file in, in pieces of any size, and one bounded answer out.
//!
//! It lives inside the guest, so that what is slow about a gigabyte of rows costs the script its own fuel, and what is
//! hostile about it meets the sandbox. It knows no files, no clock and no wasm: pieces are slices. It reads one file and
//! joins none, writes nothing, and guesses no meaning that the answer does not say.
//!
//! Numbers are added as the decimal digits that people wrote. What an answer leaves out and what it takes for granted is
//! in the answer, and above five percent of a column there is no sum.
//!
//! - `text`: bytes to text. `csv` and `json`: text to rows. `row`: rows, cells and the names of columns.
//! - `decimal`: numbers and exact sums. `notation`: how a column writes its numbers. `date`: dates, and the days and months of them.
//! - `query`: what is asked. `scan`: rows to what was asked. `filter`, `describe`, `find`, `summary`, `top`, `vocabulary`:
//!   where they go; `same` is what a value has to equal, and `rank` the order of rows. `answer`: what comes out. `problem`: why nothing does.
//! - `cuts`, for tests: any bytes, cut anywhere, give the same answer.

#![forbid(unsafe_code)]

mod answer;
#[cfg(test)]
mod comparisons;
mod csv;
#[cfg(test)]
mod cuts;
mod date;
mod decimal;
mod describe;
mod filter;
mod find;
mod json;
mod notation;
mod problem;
mod query;
mod rank;
mod row;
mod same;
mod scan;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod top;
mod vocabulary;

pub use answer::{
    Answer, ColumnDescription, ColumnVocabulary, Description, Found, Frequent, Names, Summary, Top, Value, Vocabulary,
};
pub use problem::{Problem, TableError};
pub use query::{Filter, Format, Measures, Order, Query, QueryError, Want};
pub use scan::Scan;

/// Bytes of one row as it is read, or of one object in JSON. Its members and cells take some ten times as much, so that
/// twice as many would not fit into what the templates ask for.
pub const ROW_BYTES_MAX: usize = 8 << 20;

/// Columns of a table, as many as a spreadsheet has. Each is a name that is kept twice.
pub const COLUMNS_MAX: usize = 16_384;

/// How deep objects in objects become columns of their own, such as `customer.address.city`.
pub const DEPTH_MAX: usize = 5;

/// Groups that are kept. With five columns that are measured, each takes up to a kilobyte.
pub const GROUPS_MAX: usize = 100_000;

/// Different values that are counted. Beyond, the rarer half is let go, and the answer says how much counts may be too low.
pub const VALUES_COUNTED_MAX: usize = 100_000;

/// Values that are kept for medians and percentiles, in all groups together: 32 MiB.
pub const VALUES_KEPT_MAX: usize = 1_000_000;

/// Columns that a question can name to be shown.
pub const COLUMNS_SHOWN_MAX: usize = 100;

/// Filters that a row has to pass.
pub const FILTERS_MAX: usize = 4;

/// Rows of one answer.
pub const ROWS_SHOWN_MAX: usize = 1_000;

/// Groups of one answer.
pub const GROUPS_SHOWN_MAX: usize = 1_000;

/// Different texts of a column in one answer.
pub const TEXTS_MAX: usize = 5_000;

/// Values of one answer.
pub const VALUES_SHOWN_MAX: usize = 1_000;

/// A length as the counter it adds to.
fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
