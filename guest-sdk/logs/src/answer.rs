//! The result of a scan. It serialises as JSON, the most important field first.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::level::Level;

/// The answer to a query. Of `records`, `counts`, `top` and `values`, the one that was asked for is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The records.
    pub records: Option<Vec<Record>>,
    /// How many records there are of each key: levels from the most severe on, files by name, spans by time. What has
    /// no time counts as `unknown`, what is beyond the bound of keys as `other`.
    pub counts: Option<Vec<(String, u64)>>,
    /// The most frequent messages.
    pub top: Option<Top>,
    /// The most frequent values of a field.
    pub values: Option<Values>,
    /// What was looked at.
    pub seen: Seen,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Its own time, RFC 3339 in UTC.
    pub time: Option<String>,
    /// Its severity.
    pub level: Level,
    /// What it says, with the lines that belong to it.
    pub message: String,
    /// The file it is in.
    pub file: String,
    /// The line it starts at, from 1.
    pub line: u64,
    /// What else it says, when its format names it.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "ordered")]
    pub fields: Vec<(String, Value)>,
    /// Whether something is missing at its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The most frequent messages of the records that match.
///
/// Messages are counted without their numbers, ids and quoted values. Up to [`crate::MESSAGES_MAX`] distinct ones,
/// counts are exact. Beyond it a message that comes back after it was displaced has a count that is too high, though no
/// message is missing that is more frequent than the rarest one counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Top {
    /// The messages, the most frequent first.
    pub top: Vec<Frequent>,
    /// Whether all counts are exact.
    pub exact: bool,
    /// How many messages were told apart, the rare ones among them: at most [`crate::MESSAGES_MAX`].
    pub distinct: usize,
}

/// The most frequent values of a field of the records that match. Counts are exact as those of [`Top`] are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// The values with their counts, the most frequent first.
    pub values: Vec<(String, u64)>,
    /// How many of the records have no such field.
    pub without: u64,
    /// Whether all counts are exact.
    pub exact: bool,
    /// How many values were told apart, the rare ones among them.
    pub distinct: usize,
    /// Names of fields of the first records that match, in alphabetical order.
    pub fields: Vec<String>,
}

/// A message that occurs often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Frequent {
    /// How often.
    pub count: u64,
    /// The severity of all of them.
    pub level: Level,
    /// What all of them say: `#` stands for numbers and ids, and `*` for a quoted value or a query.
    pub pattern: String,
    /// The first of them.
    pub message: String,
    /// The earliest of their times, RFC 3339 in UTC.
    pub first: Option<String>,
    /// The latest of their times.
    pub last: Option<String>,
}

/// What a scan looked at, whether it matched or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Seen {
    /// Files begun.
    pub files: u64,
    /// Lines, empty ones included.
    pub lines: u64,
    /// Records.
    pub records: u64,
    /// Bytes.
    pub bytes: u64,
    /// Records that show neither a level nor a time nor a format.
    pub unparsed: u64,
    /// Lines that were shortened, or left out of the record they belong to.
    pub cut: u64,
    /// Records left out because a bound was set in time and no time is known of them.
    pub undated: u64,
    /// Records within the bounds in time. Without bounds, all.
    pub within: u64,
    /// Records within those bounds that hold the texts, left out because they show no level and others were asked for.
    pub unleveled: u64,
    /// Records that match.
    pub matched: u64,
    /// Those among them of level fatal.
    pub fatal: u64,
    /// Those that are requests of an access log, whose level is that of their status: 5xx error, 4xx warning.
    pub requests: u64,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(records) = &self.records {
            map.serialize_entry("records", records)?;
        }
        if let Some(counts) = &self.counts {
            map.serialize_entry("counts", &Ordered(counts))?;
        }
        if let Some(top) = &self.top {
            map.serialize_entry("top", &top.top)?;
            map.serialize_entry("exact", &top.exact)?;
            map.serialize_entry("distinct", &top.distinct)?;
        }
        if let Some(values) = &self.values {
            map.serialize_entry("values", &values.values)?;
            map.serialize_entry("without", &values.without)?;
            map.serialize_entry("exact", &values.exact)?;
            map.serialize_entry("distinct", &values.distinct)?;
            map.serialize_entry("fields", &values.fields)?;
        }
        map.serialize_entry("seen", &self.seen)?;
        map.end()
    }
}

/// Pairs that serialise as a map and keep their order.
struct Ordered<'a, T>(&'a [(String, T)]);

impl<T: Serialize> Serialize for Ordered<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn ordered<S: Serializer>(fields: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    Ordered(fields).serialize(serializer)
}
