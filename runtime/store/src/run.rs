//! The record of one run, and the bounds of its fields.

use crate::clock::DAY_MS;
use crate::histogram::Bucket;

/// The longest id of a run that is kept, in bytes; the engine's are 32 hex digits.
pub const RUN_ID_BYTES_MAX: usize = 64;

/// The longest name of a principal that is kept, in bytes. Operators choose the names of tokens; a longer one is cut.
pub const PRINCIPAL_BYTES_MAX: usize = 128;

/// The longest id of a template that is kept, in bytes. Ids are at most 81 bytes long.
pub const TARGET_BYTES_MAX: usize = 128;

/// The outcome that counts as success.
pub const OK: &str = "ok";

/// What is recorded about one run. It holds no arguments, no result, no words of the intent and no output, and no field is
/// there to put them into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// The id of the report, so that a record can be found by what a client was shown. At most [`RUN_ID_BYTES_MAX`] bytes.
    pub run_id: String,
    /// When it began, in milliseconds after 1970, UTC. A time later than now is recorded as now.
    pub started_unix_ms: i64,
    /// Where it was asked, such as `mcp`. A name of the program, so that no text from outside becomes one.
    pub surface: &'static str,
    /// Who asked: the name of a token, or empty for the user who started the program. At most [`PRINCIPAL_BYTES_MAX`]
    /// bytes.
    pub principal: String,
    /// What answered.
    pub target: Target,
    /// The stable name of the outcome, such as [`OK`]; a name of the program as well.
    pub outcome: &'static str,
    /// Whether the answer came from a cache.
    pub cached: bool,
    /// From the question to the answer, in microseconds.
    pub wall_us: u64,
    /// Units of fuel.
    pub fuel: u64,
    /// HTTP requests, refused ones and redirects included.
    pub http_requests: u64,
    /// Calls of the script to the host.
    pub host_calls: u64,
}

/// What answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The template with this id. At most [`TARGET_BYTES_MAX`] bytes.
    Template(String),
    /// A script of the caller.
    Exec,
    /// Nothing: no template was found, or several.
    None,
}

impl Target {
    /// The name to count by. Ids of templates hold a slash, so that no template is called like the others.
    fn name(&self) -> &str {
        match self {
            Self::Template(id) => cut(id, TARGET_BYTES_MAX),
            Self::Exec => "exec",
            Self::None => "none",
        }
    }
}

/// A record as it is written: bounded, and in the types of the database.
#[derive(Debug)]
pub(crate) struct Row<'record> {
    pub(crate) run_id: &'record str,
    pub(crate) started_ms: i64,
    /// Days after 1970, UTC.
    pub(crate) day: i64,
    pub(crate) surface: &'static str,
    pub(crate) principal: &'record str,
    pub(crate) target: &'record str,
    pub(crate) outcome: &'static str,
    /// 1 if it was.
    pub(crate) cached: i64,
    pub(crate) bucket: Bucket,
    pub(crate) wall_us: i64,
    pub(crate) fuel: i64,
    pub(crate) http_requests: i64,
    pub(crate) host_calls: i64,
}

impl RunRecord {
    /// The row of this record, written at `now_ms`.
    pub(crate) fn row(&self, now_ms: i64) -> Row<'_> {
        // A clock that was put back would otherwise leave rows of a future that no quota of days reaches.
        let started_ms = self.started_unix_ms.min(now_ms).max(0);
        Row {
            run_id: cut(&self.run_id, RUN_ID_BYTES_MAX),
            started_ms,
            day: started_ms.div_euclid(DAY_MS),
            surface: self.surface,
            principal: cut(&self.principal, PRINCIPAL_BYTES_MAX),
            target: self.target.name(),
            outcome: self.outcome,
            cached: i64::from(self.cached),
            bucket: Bucket::of(self.wall_us),
            wall_us: integer(self.wall_us),
            fuel: integer(self.fuel),
            http_requests: integer(self.http_requests),
            host_calls: integer(self.host_calls),
        }
    }
}

/// The text, or as many whole characters of it as fit.
fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// The number, or the largest that databases hold.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_bounded() {
        let record = |length: usize, number: u64, started_unix_ms: i64| RunRecord {
            run_id: "é".repeat(length),
            started_unix_ms,
            surface: "mcp",
            principal: "é".repeat(length),
            target: Target::Template("é".repeat(length)),
            outcome: OK,
            cached: true,
            wall_us: number,
            fuel: number,
            http_requests: number,
            host_calls: number,
        };
        let lengths = |record: &RunRecord| {
            let row = record.row(DAY_MS);
            [row.run_id.len(), row.principal.len(), row.target.len()]
        };
        assert_eq!(lengths(&record(32, 0, 0)), [64, 64, 64]);
        assert_eq!(lengths(&record(33, 0, 0)), [64, 66, 66]);
        assert_eq!(lengths(&record(64, 0, 0)), [64, 128, 128]);
        assert_eq!(lengths(&record(65, 0, 0)), [64, 128, 128]);
        // A character that does not fit goes as a whole.
        assert_eq!(cut("aé", 2), "a");

        let largest = u64::try_from(i64::MAX).expect("it is positive");
        let numbers = |number: u64| {
            let record = record(1, number, 0);
            let row = record.row(DAY_MS);
            [row.wall_us, row.fuel, row.http_requests, row.host_calls]
        };
        assert_eq!(numbers(largest), [i64::MAX; 4]);
        assert_eq!(numbers(largest + 1), [i64::MAX; 4]);
        assert_eq!(numbers(7), [7; 4]);

        let started = |started_unix_ms: i64, now_ms: i64| {
            let record = record(1, 0, started_unix_ms);
            let row = record.row(now_ms);
            (row.started_ms, row.day)
        };
        assert_eq!(started(DAY_MS - 1, DAY_MS), (DAY_MS - 1, 0));
        assert_eq!(started(DAY_MS, DAY_MS), (DAY_MS, 1));
        assert_eq!(started(DAY_MS + 1, DAY_MS), (DAY_MS, 1));
        assert_eq!(started(i64::MAX, DAY_MS), (DAY_MS, 1));
        assert_eq!(started(i64::MIN, DAY_MS), (0, 0));
        assert_eq!(started(5, -1), (0, 0));
    }
}
