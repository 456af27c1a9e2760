//! The result of a scan. It serialises as JSON, the most important field first.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::decimal::Decimal;
use crate::row::Cell;

/// The most bytes of a number that an answer shows as one. A longer one is shown as text.
const NUMBER_BYTES_MAX: usize = 40;

/// A name and a text that belongs to it.
pub(crate) type LabelledText = (String, String);

/// The answer to a query, of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The names of the columns.
    Columns(Names),
    /// What the columns hold.
    Description(Description),
    /// Rows that match.
    Rows(Found),
    /// Counts and aggregates.
    Summary(Summary),
    /// Frequent values.
    Top(Top),
    /// What can be said about the table.
    Vocabulary(Vocabulary),
}

/// The names of the columns of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Names {
    /// The file.
    pub file: String,
    /// The columns, in the order of the file.
    pub columns: Vec<String>,
}

/// What can be said about a file: its columns, and the texts in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Vocabulary {
    /// The file.
    pub file: String,
    /// The first rows, which types and texts are of.
    pub rows_looked_at: u64,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnVocabulary>,
}

/// What can be said about a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnVocabulary {
    /// Its name.
    pub column: String,
    /// Its type, as a description has it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Different texts in it, in alphabetical order; none unless all of its values are text.
    pub texts: Vec<String>,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The file.
    pub file: String,
    /// All its rows.
    pub rows: u64,
    /// The first rows, which types, ranges and missing values are of.
    pub rows_looked_at: u64,
    /// What was taken for granted to read numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The columns.
    pub columns: Vec<ColumnDescription>,
    /// Columns that are not among these.
    #[serde(skip_serializing_if = "is_zero")]
    pub columns_not_shown: usize,
    /// Rows that have more or fewer cells than there are columns.
    #[serde(skip_serializing_if = "is_none")]
    pub rows_of_another_width: u64,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDescription {
    /// Its name.
    pub column: String,
    /// `integer`, `number`, `date`, `boolean`, `text`, `list`, `object`, `mixed` or `empty`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Rows without a value, or with one such as `n/a`.
    pub missing: u64,
    /// The least number or date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Value>,
    /// The greatest number or date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Value>,
    /// The first distinct values, three at most: `Norway | Sweden`.
    pub examples: String,
}

/// Rows that match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// What could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What was taken for granted to compare numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The first rows that match, each as names and values.
    #[serde(serialize_with = "rows")]
    pub rows: Vec<Vec<(String, Value)>>,
    /// How many rows match.
    pub matching: u64,
    /// Whether more match than are shown.
    pub more: bool,
    /// Columns that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub columns_not_shown: usize,
    /// Of the rows shown, those in which a cell may be under the wrong column.
    #[serde(skip_serializing_if = "is_none")]
    pub rows_of_another_width: u64,
}

/// Counts and aggregates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// What the answer does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What was taken for granted to read numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The file.
    pub file: String,
    /// The column behind each field of a group.
    #[serde(serialize_with = "map")]
    pub columns: Vec<(&'static str, String)>,
    /// Which percentile was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// The groups, or one of all rows.
    #[serde(serialize_with = "rows")]
    pub groups: Vec<Vec<(&'static str, Value)>>,
    /// Groups that are not among these.
    #[serde(skip_serializing_if = "is_zero")]
    pub groups_not_shown: usize,
    /// The units of columns that have one.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "map")]
    pub units: Vec<(String, String)>,
}

/// Frequent values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Top {
    /// What could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What was taken for granted to compare numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// The file.
    pub file: String,
    /// The column.
    pub column: String,
    /// Rows that match.
    pub rows: u64,
    /// Those of them without a value.
    pub missing: u64,
    /// The values, the most frequent first.
    pub values: Vec<Frequent>,
    /// By how much each count may be too low, since there were too many different values to count them all.
    #[serde(skip_serializing_if = "is_none")]
    pub too_low_by_at_most: u64,
    /// How many different values there are, if all were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub different_values: Option<usize>,
}

/// A frequent value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Frequent {
    /// The value as text.
    pub value: String,
    /// Rows that have it.
    pub rows: u64,
}

/// A value of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// There is none.
    Null,
    /// A text, cut to what an answer holds.
    Text(String),
    /// A number, `true` or `false`, as JSON writes it, with all its digits.
    Json(String),
}

impl Value {
    /// A cell as an answer shows it.
    pub(crate) fn of(cell: &Cell<'_>, chars_max: usize) -> Self {
        match cell {
            Cell::Missing => Self::Null,
            Cell::Other(raw) if matches!(*raw, "true" | "false") => Self::Json((*raw).to_owned()),
            // What Python reads as infinite is no JSON.
            Cell::Other(raw) if raw.len() <= NUMBER_BYTES_MAX && Decimal::plain(raw).is_some() => {
                Self::Json((*raw).to_owned())
            }
            cell => Self::Text(short(&cell.text(), chars_max)),
        }
    }

    pub(crate) fn count(count: u64) -> Self {
        Self::Json(count.to_string())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Json(text) => RawValue::from_string(text.clone()).map_err(S::Error::custom)?.serialize(serializer),
        }
    }
}

/// A text with at most so many characters; one that is cut ends with `…`.
pub(crate) fn short(text: &str, chars_max: usize) -> String {
    // A character has at least one byte.
    if text.len() <= chars_max || text.chars().nth(chars_max).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(chars_max - 1).map_or(text.len(), |(end, _)| end);
    format!("{}…", &text[..end])
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Pairs as a map that keeps their order.
fn map<K: Serialize, V: Serialize, S: Serializer>(pairs: &[(K, V)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

/// Lists of pairs as maps.
fn rows<K: Serialize, S: Serializer>(rows: &[Vec<(K, Value)>], serializer: S) -> Result<S::Ok, S::Error> {
    struct Row<'a, K>(&'a [(K, Value)]);

    impl<K: Serialize> Serialize for Row<'_, K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            map(self.0, serializer)
        }
    }

    serializer.collect_seq(rows.iter().map(|row| Row(row)))
}
