//! The errors of a query.

use thiserror::Error;

use crate::answer::short;
use crate::date::FORMATS;
use crate::{COLUMNS_MAX, GROUPS_MAX, ROW_BYTES_MAX, VALUES_KEPT_MAX};

/// Why a scan gives no answer: the file, and what is wrong with it or with what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The file, as the query names it.
    pub file: String,
    /// What is wrong.
    pub problem: Problem,
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = match self.problem {
            Problem::NoColumn { .. } | Problem::SeveralColumns { .. } => " ",
            _ => ": ",
        };
        write!(f, "{}{between}{}", self.file, self.problem)
    }
}

impl std::error::Error for TableError {}

/// What is wrong with a file, or with a question to it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file holds zero bytes where text has none.
    #[error("this is no text, since it holds zero bytes")]
    NotText,
    /// One row does not fit into memory.
    #[error("a row has more than {} MiB; is each quote closed?", ROW_BYTES_MAX >> 20)]
    RowTooLong,
    /// A quote has no end.
    #[error("line {line} opens a quote that is never closed")]
    OpenQuote {
        /// The line that opens it, from 1.
        line: u64,
    },
    /// Other lines are above the header.
    #[error(
        "line {line} has one cell and the lines below have {cells}; delete what is above the header, or quote cells that \
         hold a delimiter"
    )]
    Title {
        /// The line of the title, from 1.
        line: u64,
        /// Cells of the lines below.
        cells: usize,
    },
    /// The table is too wide.
    #[error("there are more than {COLUMNS_MAX} columns")]
    TooManyColumns,
    /// A line of JSON Lines is none.
    #[error("line {line} is no JSON ({reason})")]
    LineNotJson {
        /// The line, from 1.
        line: u64,
        /// What the parser says.
        reason: String,
    },
    /// An element of an array, or what is around it, is no JSON.
    #[error("this is no JSON behind the first {rows} rows ({reason})")]
    ArrayNotJson {
        /// Rows that were read.
        rows: u64,
        /// What the parser says.
        reason: String,
    },
    /// A file that is one value is no JSON.
    #[error("this is no JSON ({reason})")]
    NotJson {
        /// What the parser says.
        reason: String,
    },
    /// A row of JSON is something else.
    #[error("a row has to be an object, and one is {found}")]
    NotObject {
        /// The start of it.
        found: String,
    },
    /// A large object without a list of rows.
    #[error("this is one object, and too large; a list of objects can be of any size")]
    ObjectTooLong,
    /// A large object with several lists of rows.
    #[error("this object holds several lists of objects; put the one to read into a file of its own")]
    SeveralLists,
    /// No column has this name.
    #[error("has no column {}{} ({})", short(name, 40), hint(nearest.as_deref()), there(labels))]
    NoColumn {
        /// The name that was asked for.
        name: String,
        /// The column with a similar name.
        nearest: Option<String>,
        /// All columns.
        labels: Vec<String>,
    },
    /// Several columns have this name.
    #[error("has {} columns {}; name one as {}", labels.len(), short(name, 40), either(labels))]
    SeveralColumns {
        /// The name that was asked for.
        name: String,
        /// What to call each of them.
        labels: Vec<String>,
    },
    /// No value of a column can equal a text.
    #[error("{} holds {}s, and {text} is none", short(column, 40), match *kind { "date" => "date", _ => "number" })]
    NoSuchValue {
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
        /// The text, in short.
        text: String,
    },
    /// No column holds dates.
    #[error("no column holds dates such as {FORMATS} ({})", there(labels))]
    NoDates {
        /// All columns.
        labels: Vec<String>,
    },
    /// Several columns hold dates.
    #[error("{} hold dates; name one with date_column", names(labels, " and "))]
    SeveralDates {
        /// Those columns.
        labels: Vec<String>,
    },
    /// A column that was named as one of dates holds none.
    #[error("column {column} holds no dates such as {FORMATS}, but for example {example}")]
    NotDates {
        /// The column.
        column: String,
        /// A value of it.
        example: String,
    },
    /// A column writes its numbers in two ways.
    #[error("column {column} writes its numbers in two ways, such as {one} and {other}")]
    TwoNotations {
        /// The column.
        column: String,
        /// A value that was read in one way.
        one: String,
        /// A value that shows the other.
        other: String,
    },
    /// A column that is to be added up or compared holds no numbers.
    #[error("column {column} holds no numbers, but for example {example}")]
    NoNumbers {
        /// The column.
        column: String,
        /// A value of it.
        example: String,
    },
    /// All cells of a column are empty.
    #[error("column {column} holds no values; every cell of it is empty")]
    NoValues {
        /// The column.
        column: String,
    },
    /// More values are left out than an answer may leave out.
    #[error(
        "{wrong} of {values} values of {column} are no numbers like the others, for example {example}; nothing was added up"
    )]
    TooManyLeftOut {
        /// The column.
        column: String,
        /// Values that are left out.
        wrong: u64,
        /// All values, without those that say they are missing.
        values: u64,
        /// One that is left out.
        example: String,
    },
    /// More values of the filtered column are no numbers or dates than an answer may leave out.
    #[error("{wrong} of {values} values of {column} cannot be compared, for example {example}; nothing was added up")]
    TooManyNotCompared {
        /// The column.
        column: String,
        /// Values that cannot be compared.
        wrong: u64,
        /// All values, without those that say they are missing.
        values: u64,
        /// One that cannot be compared.
        example: String,
    },
    /// More rows have another width than an answer may leave out.
    #[error("{odd}, first {example}; likely the cause is {cause}; nothing was added up")]
    TooManyOfAnotherWidth {
        /// How many rows have another number of cells.
        odd: String,
        /// The first of them.
        example: String,
        /// What may be wrong.
        cause: &'static str,
    },
    /// There are too many groups.
    #[error("{by} has more than {GROUPS_MAX} different values; group by another")]
    TooManyGroups {
        /// What was grouped by.
        by: String,
    },
    /// There are too many values for a median or a percentile.
    #[error(
        "column {column} has more than {VALUES_KEPT_MAX} values, and a median or percentile keeps them all; filter the rows"
    )]
    TooManyToKeep {
        /// The column.
        column: String,
    },
}

/// Labels for a message, the first twelve of them.
pub(crate) fn names(labels: &[String], between: &str) -> String {
    let shown: Vec<String> = labels.iter().take(12).map(|label| short(label, 40)).collect();
    let more = labels.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(between) + &more
}

fn there(labels: &[String]) -> String {
    if labels.is_empty() { "it is empty".to_owned() } else { format!("it has {}", names(labels, ", ")) }
}

fn either(labels: &[String]) -> String {
    names(labels, " or ")
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {}?", short(nearest, 40)))
}
