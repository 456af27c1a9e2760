//! Queries over logs, and their limits.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::level::Level;
use crate::{RECORDS_MAX, TOP_MAX};

/// Texts that a query may look for at once. Each is a pass over the record.
const NEEDLES_MAX: usize = 16;

/// Bytes of one such text.
const NEEDLE_BYTES_MAX: usize = 1_000;

/// Bytes of the name of a field.
const FIELD_BYTES_MAX: usize = 100;

/// Fields of which a query may say the value, and bytes of one.
const FIELDS_MAX: usize = 4;
const VALUE_BYTES_MAX: usize = 200;

/// Bytes of a query as JSON: the texts at their longest, all of it escaped.
const QUERY_BYTES_MAX: usize = 128 << 10;

/// A question to log files.
///
/// As JSON: `{"levels": {"at_least": "warning"}, "text": ["timeout"], "since_ms": 1763632692000,
/// "want": {"records": {"limit": 100, "newest": true}}}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The levels a record may have.
    #[serde(default)]
    pub levels: Levels,
    /// Texts that must all occur in the record as it is written, in any case. Letters beyond ASCII match in any case
    /// too, at some cost.
    #[serde(default)]
    pub text: Vec<String>,
    /// Values that fields of the record must have, in any case: `{"status": "503"}`. Names are those of [`Want::Values`].
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// The first millisecond since 1970 that counts. A record without a time has that of the record before it; one
    /// without any is left out when a bound is set, and counted as undated.
    pub since_ms: Option<i64>,
    /// The first millisecond that does not count any more.
    pub until_ms: Option<i64>,
    /// The time now, which gives a year to times that are written without one. Without it, such times are not known.
    pub now_ms: Option<i64>,
    /// What to answer with.
    pub want: Want,
}

/// Which levels match.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Levels {
    /// All, the unknown included.
    #[default]
    Any,
    /// This one and the more severe ones. Records of unknown level match no bound but `unknown`.
    AtLeast(Level),
    /// These.
    Exactly(Vec<Level>),
}

/// What a scan answers with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Want {
    /// The records themselves.
    Records {
        /// How many at most, from 1 to [`RECORDS_MAX`].
        limit: usize,
        /// The newest ones by their times, in the order of those. Otherwise the first ones, in the order of reading.
        newest: bool,
    },
    /// How many there are.
    Counts {
        /// Counted by what.
        by: By,
    },
    /// The most frequent messages.
    Top {
        /// How many at most, from 1 to [`TOP_MAX`].
        limit: usize,
    },
    /// The most frequent values of a field.
    Values {
        /// Its name, in any case, or another name of the same thing: `ip` is also what an access log calls client. Text that names
        /// no fields has those that it writes as `name=value`.
        field: String,
        /// How many at most, from 1 to [`TOP_MAX`].
        limit: usize,
    },
}

/// What records are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Their level.
    Level,
    /// The file they are in.
    File,
    /// The hour of their time, in UTC.
    Hour,
    /// The day of their time, in UTC.
    Day,
    /// The minute of their time, in UTC.
    Minute,
}

impl Query {
    /// Everything, answered with this.
    #[must_use]
    pub fn new(want: Want) -> Self {
        Self {
            levels: Levels::Any,
            text: Vec::new(),
            fields: BTreeMap::new(),
            since_ms: None,
            until_ms: None,
            now_ms: None,
            want,
        }
    }

    /// Reads a query from JSON and checks it.
    ///
    /// # Errors
    ///
    /// When the text is no such JSON, or a value is out of its bounds.
    pub fn from_json(text: &str) -> Result<Self, QueryError> {
        if text.len() > QUERY_BYTES_MAX {
            return Err(QueryError::Bound {
                what: "the query's bytes",
                found: text.len(),
                min: 1,
                max: QUERY_BYTES_MAX,
            });
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
    /// When a value is out of its bounds.
    pub fn check(&self) -> Result<(), QueryError> {
        let within = |what, found, min, max| {
            if (min..=max).contains(&found) { Ok(()) } else { Err(QueryError::Bound { what, found, min, max }) }
        };
        within("the number of texts", self.text.len(), 0, NEEDLES_MAX)?;
        for needle in &self.text {
            within("a text's bytes", needle.len(), 1, NEEDLE_BYTES_MAX)?;
        }
        within("the number of fields", self.fields.len(), 0, FIELDS_MAX)?;
        for (name, value) in &self.fields {
            within("the bytes of a field's name", name.trim().len(), 1, FIELD_BYTES_MAX)?;
            within("the bytes of a field's value", value.len(), 1, VALUE_BYTES_MAX)?;
        }
        match &self.want {
            Want::Records { limit, .. } => within("the limit of records", *limit, 1, RECORDS_MAX),
            Want::Top { limit } => within("the limit of messages", *limit, 1, TOP_MAX),
            Want::Values { field, limit } => {
                within("the bytes of a field's name", field.trim().len(), 1, FIELD_BYTES_MAX)?;
                within("the limit of values", *limit, 1, TOP_MAX)
            }
            Want::Counts { .. } => Ok(()),
        }
    }
}

impl Levels {
    /// Whether each level matches, by [`Level::index`].
    pub(crate) fn table(&self) -> [bool; 7] {
        let mut table = [false; 7];
        for level in Level::ALL {
            table[level.index()] = match self {
                Self::Any => true,
                Self::AtLeast(least) => level >= *least,
                Self::Exactly(levels) => levels.contains(&level),
            };
        }
        table
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
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { message } => write!(f, "expected a query as JSON: {message}"),
            Self::Bound { what, found, min, max } => {
                write!(f, "expected {what} to be between {min} and {max}, found {found}")
            }
        }
    }
}

impl std::error::Error for QueryError {}
