//! Queries over a table, and their limits.

use std::fmt;

use serde::{Deserialize, Deserializer};

use crate::date::Moment;
use crate::notation;
use crate::{COLUMNS_SHOWN_MAX, FILTERS_MAX, GROUPS_SHOWN_MAX, ROWS_SHOWN_MAX, TEXTS_MAX, VALUES_SHOWN_MAX};

/// Bytes of a query as JSON: names and texts at their longest, all of it escaped.
const QUERY_BYTES_MAX: usize = 256 << 10;

/// Bytes of one text of a query.
const TEXT_BYTES_MAX: usize = 10_000;

/// Texts that a column can equal, or not equal.
const EQUALS_MAX: usize = 20;

/// Columns that groups can be made by.
const BY_MAX: usize = 2;

/// A question to a table.
///
/// As JSON: `{"file": "sales.csv", "want": {"summary": {"sum": "amount", "by": ["country"]}},
/// "filters": [{"column": "status", "equals": "refunded"}]}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The file, by whose name its format is known, and which messages begin with.
    pub file: String,
    /// What to answer with.
    pub want: Want,
    /// The rows to look at: those that pass each of these, at most [`FILTERS_MAX`](crate::FILTERS_MAX).
    #[serde(default)]
    pub filters: Vec<Filter>,
}

/// What a scan answers with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Want {
    /// The names of the columns. The scan is done before the end of the file.
    Columns {},
    /// What the columns hold. All rows: this takes no filter.
    Description {
        /// Only these columns; without any, the first forty.
        #[serde(default)]
        columns: Vec<String>,
        /// Rows to look at for types, ranges and missing values.
        sample: u64,
    },
    /// The columns with their types and texts, of the first rows. The scan is done after those. This takes no filter.
    Vocabulary {
        /// Rows to look at.
        rows: u64,
        /// How many different texts of each column at most, from 1 to [`TEXTS_MAX`].
        texts: usize,
    },
    /// The first rows.
    Rows {
        /// Only these columns; without any, the first twelve.
        #[serde(default)]
        columns: Vec<String>,
        /// How many rows at most, from 1 to [`ROWS_SHOWN_MAX`].
        limit: usize,
        /// The column whose values the rows are ordered by. Without it, they come as in the file.
        #[serde(default)]
        order_by: Option<String>,
        /// Which rows come first: those with the greatest values, unless something else is said.
        #[serde(default)]
        order: Option<Order>,
        /// Whether the last rows of the file are meant, and not the first. An order says itself which rows come first.
        #[serde(default)]
        last: bool,
    },
    /// Counts and aggregates.
    Summary(Measures),
    /// The most frequent values.
    Top {
        /// The column.
        column: String,
        /// How many values at most, from 1 to [`VALUES_SHOWN_MAX`].
        limit: usize,
    },
}

/// What to count and add up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measures {
    /// The column to add up.
    pub sum: Option<String>,
    /// The column to give the mean of.
    pub mean: Option<String>,
    /// The column to give the median of.
    pub median: Option<String>,
    /// The column to give a percentile of: the least value that `percent` of its values do not exceed.
    pub percentile: Option<String>,
    /// Which percentile, from 1 to 99; without it, 95.
    pub percent: Option<u8>,
    /// The column to give the least value of.
    pub min: Option<String>,
    /// The column to give the greatest value of.
    pub max: Option<String>,
    /// What to group by: two columns at most. `day`, `weekday`, `week`, `month`, `quarter` and `year` are those of a date, unless a
    /// column has this name.
    pub by: Vec<String>,
    /// The column of the dates that are meant, if several hold dates.
    pub date_column: Option<String>,
    /// Which groups come first. Without it, dates come in their order, and else the greatest value comes first.
    pub order: Option<Order>,
    /// How many groups at most, from 1 to [`GROUPS_SHOWN_MAX`]. Without it, 10, and 36 of dates.
    pub limit: Option<usize>,
}

/// Which come first: groups by the first measure that was asked for, or by their rows; rows by a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

/// Which rows are looked at: those to which all apply that are set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// The column that is compared. Without it, `equals` and `contains` are about any column.
    pub column: Option<String>,
    /// The value, in any case: one of these, if there are any.
    #[serde(deserialize_with = "one_or_more")]
    pub equals: Vec<String>,
    /// What the value is not, in any case: none of these. A row without a value passes.
    #[serde(deserialize_with = "one_or_more")]
    pub not_equals: Vec<String>,
    /// A text inside the value, in any case.
    pub contains: Option<String>,
    /// A number or a date that is less than the value.
    pub above: Option<String>,
    /// A number or a date that is greater than the value.
    pub below: Option<String>,
    /// A number or a date that is not greater than the value.
    pub at_least: Option<String>,
    /// A number or a date that is not less than the value.
    pub at_most: Option<String>,
    /// Whether the value is missing: blank, `null`, or a word such as `n/a`.
    pub missing: Option<bool>,
}

impl Filter {
    pub(crate) fn is_set(&self) -> bool {
        let has_text = self.contains.is_some() || self.bounds().next().is_some();
        has_text || self.missing.is_some() || !self.equals.is_empty() || !self.not_equals.is_empty()
    }

    /// The bounds that are set, with their names.
    fn bounds(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all =
            [("above", &self.above), ("below", &self.below), ("at_least", &self.at_least), ("at_most", &self.at_most)];
        all.into_iter().filter_map(|(name, bound)| Some((name, bound.as_ref()?)))
    }
}

/// A text, or a list of them.
fn one_or_more<'de, D: Deserializer<'de>>(texts: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text or a list of texts")]
    enum Texts {
        One(String),
        More(Vec<String>),
    }
    Ok(match Texts::deserialize(texts)? {
        Texts::One(text) => vec![text],
        Texts::More(texts) => texts,
    })
}

impl Query {
    /// Everything of a file, answered with this.
    #[must_use]
    pub fn new(file: &str, want: Want) -> Self {
        Self { file: file.to_owned(), want, filters: Vec::new() }
    }

    /// Reads a query from JSON and checks it.
    ///
    /// # Errors
    ///
    /// When the text is no such JSON, or a value is out of its bounds.
    pub fn from_json(text: &str) -> Result<Self, QueryError> {
        if text.len() > QUERY_BYTES_MAX {
            let (found, max) = (text.len(), QUERY_BYTES_MAX);
            return Err(QueryError::Bound { what: "the query's bytes", found, min: 1, max });
        }
        let query: Self =
            serde_json::from_str(text).map_err(|error| QueryError::Json { message: error.to_string() })?;
        query.check()?;
        Ok(query)
    }

    /// Checks the bounds.
    ///
    /// # Errors
    ///
    /// When a value is out of its bounds, or the parts of the filter do not go together.
    pub fn check(&self) -> Result<(), QueryError> {
        Format::of(&self.file).ok_or_else(|| QueryError::Format { file: self.file.clone() })?;
        match &self.want {
            Want::Columns {} => {}
            Want::Description { columns, .. } => {
                within("the number of columns", columns.len(), 0, COLUMNS_SHOWN_MAX)?;
                self.check_unfiltered()?;
            }
            Want::Vocabulary { texts, .. } => {
                within("the number of texts", *texts, 1, TEXTS_MAX)?;
                self.check_unfiltered()?;
            }
            Want::Rows { columns, limit, .. } => {
                within("the number of columns", columns.len(), 0, COLUMNS_SHOWN_MAX)?;
                within("the limit of rows", *limit, 1, ROWS_SHOWN_MAX)?;
            }
            Want::Summary(measures) => {
                within("the number of columns to group by", measures.by.len(), 0, BY_MAX)?;
                within("the percent of a percentile", measures.percent.map_or(1, usize::from), 1, 99)?;
                within("the limit of groups", measures.limit.unwrap_or(1), 1, GROUPS_SHOWN_MAX)?;
            }
            Want::Top { limit, .. } => within("the limit of values", *limit, 1, VALUES_SHOWN_MAX)?,
        }
        within("the number of filters", self.filters.len(), 0, FILTERS_MAX)?;
        self.filters.iter().try_for_each(Filter::check)
    }

    fn check_unfiltered(&self) -> Result<(), QueryError> {
        let is_empty = |filter: &Filter| !filter.is_set() && filter.column.is_none();
        if self.filters.iter().all(is_empty) { Ok(()) } else { Err(QueryError::NoFilter) }
    }
}

impl Filter {
    fn check(&self) -> Result<(), QueryError> {
        for texts in [&self.equals, &self.not_equals] {
            within("the number of texts to compare", texts.len(), 0, EQUALS_MAX)?;
        }
        let texts = self.bounds().map(|(_, bound)| bound).chain(&self.contains);
        for text in texts.chain(&self.equals).chain(&self.not_equals) {
            within("the bytes of a text to compare", text.len(), 1, TEXT_BYTES_MAX)?;
        }
        let needs_column = self.bounds().next().is_some() || self.missing.is_some();
        match &self.column {
            None if needs_column || !self.not_equals.is_empty() => return Err(QueryError::NoColumn),
            Some(column) if !self.is_set() => return Err(QueryError::NoValue { column: column.clone() }),
            _ => {}
        }
        for (what, text) in self.bounds() {
            if Bound::read(text).is_none() {
                return Err(QueryError::NotComparable { what, text: text.clone() });
            }
        }
        Ok(())
    }
}

fn within(what: &'static str, found: usize, min: usize, max: usize) -> Result<(), QueryError> {
    if (min..=max).contains(&found) { Ok(()) } else { Err(QueryError::Bound { what, found, min, max }) }
}

/// A bound that cells are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Number(crate::decimal::Decimal),
    Moment(Moment),
}

impl Bound {
    pub(crate) fn read(text: &str) -> Option<Self> {
        Moment::read(text).map(Self::Moment).or_else(|| notation::asked(text).map(Self::Number))
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Cells between commas, or what else the first lines show.
    Csv,
    /// Cells between tabs, or what else the first lines show.
    Tsv,
    /// An array of objects, or an object.
    Json,
    /// An object on each line.
    JsonLines,
}

impl Format {
    /// The format that a file's name tells, in any case and also with `.gz`, `.bz2` or `.xz` behind; nothing for what is
    /// no table.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        let lower = file.to_lowercase();
        let stem = [".gz", ".bz2", ".xz"].into_iter().find_map(|packed| lower.strip_suffix(packed)).unwrap_or(&lower);
        match stem.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// Why a query is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryError {
    /// It is not the JSON of a query.
    Json {
        /// What is wrong with it.
        message: String,
    },
    /// A value is out of its bounds.
    Bound {
        /// Which.
        what: &'static str,
        /// The value.
        found: usize,
        /// The least allowed.
        min: usize,
        /// The most allowed.
        max: usize,
    },
    /// The file's name says that it is no table.
    Format {
        /// The file.
        file: String,
    },
    /// A column is to be compared with nothing.
    NoValue {
        /// The column.
        column: String,
    },
    /// Something is to be compared with no column.
    NoColumn,
    /// A bound is neither a number nor a date.
    NotComparable {
        /// Which bound.
        what: &'static str,
        /// What it is.
        text: String,
    },
    /// A description takes no filter.
    NoFilter,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { message } => write!(f, "expected a query as JSON: {message}"),
            Self::Bound { what, found, min, max } => {
                write!(f, "expected {what} to be between {min} and {max}, found {found}")
            }
            Self::Format { file } => {
                write!(f, "{file}: the name does not end in .csv, .tsv, .tab, .json, .jsonl or .ndjson")
            }
            Self::NoValue { column } => write!(
                f,
                "nothing is compared with column {column}; say what it equals or contains, what it is above or below, or \
                 whether it is missing"
            ),
            Self::NoColumn => f.write_str("which column? bounds, missing and not_equals need one"),
            Self::NotComparable { what, text } => write!(
                f,
                "{what}: expected a number such as 1299.5 or a date such as 2026-11-30, found {}",
                crate::answer::short(text, 40)
            ),
            Self::NoFilter => f.write_str("a description is of all rows; leave the filter out"),
        }
    }
}

impl std::error::Error for QueryError {}
