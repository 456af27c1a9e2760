//! Sinks of matching records: they keep, count or group them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use serde_json::Value;

use crate::MESSAGES_MAX;
use crate::answer::{Answer, Frequent, Record, Top, Values};
use crate::field::Field;
use crate::fingerprint::fingerprint;
use crate::frequent::Frequency;
use crate::level::Level;
use crate::line::{self, Head};
use crate::moment;
use crate::query::Want;
use crate::tally::Tally;

/// Bytes of an example of a frequent message. It is read in a list, and there may be ten thousand of them.
const EXAMPLE_BYTES_MAX: usize = 300;

/// Records whose fields are named, and the most names.
const NAMED_RECORDS: u32 = 1_000;
const NAMES_MAX: usize = 40;

/// A matching record, as the scan hands it over.
#[derive(Debug)]
pub(crate) struct Matched<'a> {
    pub(crate) head: Head,
    /// Its own time, or the last one before it in its file.
    pub(crate) time_ms: Option<i64>,
    pub(crate) file: &'a Arc<str>,
    pub(crate) line: u64,
    pub(crate) cut: bool,
    /// Its lines as they were written, joined with `\n`. Empty when [`Sink::needs_text`] says no.
    pub(crate) text: &'a [u8],
}

/// Where matching records go.
#[derive(Debug)]
pub(crate) enum Sink {
    First { limit: usize, kept: Vec<Kept> },
    Newest { limit: usize, kept: BinaryHeap<Reverse<Kept>>, number: u64 },
    Counts(Tally),
    Top { limit: usize, messages: Frequency<Example>, message: Vec<u8>, key: Vec<u8> },
    Values(FieldValues),
}

/// The values of a field.
#[derive(Debug)]
pub(crate) struct FieldValues {
    field: Field,
    limit: usize,
    counts: Frequency<()>,
    /// Of the record that is looked at.
    value: Vec<u8>,
    without: u64,
    names: BTreeSet<String>,
    named: u32,
}

/// A record that is kept as it was written. It is read again for the answer: most of the newest are displaced first.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its time, and its number in the order of reading.
    key: (Option<i64>, u64),
    head: Head,
    file: Arc<str>,
    line: u64,
    cut: bool,
    text: Vec<u8>,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

/// What is told of a frequent message.
#[derive(Debug)]
pub(crate) struct Example {
    level: Level,
    message: Box<[u8]>,
    span: Option<(i64, i64)>,
}

impl Sink {
    pub(crate) fn new(want: Want) -> Self {
        match want {
            Want::Records { limit, newest: false } => Self::First { limit, kept: Vec::new() },
            Want::Records { limit, newest: true } => Self::Newest { limit, kept: BinaryHeap::new(), number: 0 },
            Want::Counts { by } => Self::Counts(Tally::new(by)),
            Want::Top { limit } => {
                let messages = Frequency::new(MESSAGES_MAX);
                Self::Top { limit, messages, message: Vec::new(), key: Vec::new() }
            }
            Want::Values { field, limit } => Self::Values(FieldValues {
                field: Field::new(&field),
                limit,
                counts: Frequency::new(MESSAGES_MAX),
                value: Vec::new(),
                without: 0,
                names: BTreeSet::new(),
                named: 0,
            }),
        }
    }

    /// Whether it looks at what a record says.
    pub(crate) fn needs_text(&self) -> bool {
        !matches!(self, Self::Counts(_))
    }

    pub(crate) fn take(&mut self, matched: &Matched<'_>) {
        match self {
            Self::First { limit, kept } => {
                if kept.len() < *limit {
                    kept.push(Kept::new(matched, 0));
                }
            }
            Self::Newest { limit, kept, number } => {
                *number += 1;
                if kept.len() < *limit {
                    kept.push(Reverse(Kept::new(matched, *number)));
                } else if let Some(mut oldest) = kept.peek_mut()
                    && (matched.time_ms, *number) > oldest.0.key
                {
                    oldest.0.refill(matched, *number);
                }
            }
            Self::Counts(tally) => tally.add(matched.head.level, matched.time_ms, matched.file),
            Self::Values(values) => values.take(matched),
            Self::Top { messages, message, key, .. } => {
                message.clear();
                line::message(first_line(matched.text), &matched.head, message);
                fingerprint(message, key);
                key.push(b'0' + u8::try_from(matched.head.level.index()).unwrap_or(0));
                let time_ms = matched.time_ms;
                messages.add(
                    key,
                    |example| {
                        if let Some(ms) = time_ms {
                            let (first, last) = example.span.unwrap_or((ms, ms));
                            example.span = Some((first.min(ms), last.max(ms)));
                        }
                    },
                    || Example {
                        level: matched.head.level,
                        message: Box::from(&message[..message.len().min(EXAMPLE_BYTES_MAX)]),
                        span: time_ms.map(|ms| (ms, ms)),
                    },
                );
            }
        }
    }

    /// Fills its part of the answer.
    pub(crate) fn answer(self, answer: &mut Answer) {
        match self {
            Self::First { kept, .. } => answer.records = Some(kept.iter().map(Kept::record).collect()),
            Self::Newest { kept, .. } => {
                // Ascending in `Reverse` is from the newest on.
                let kept = kept.into_sorted_vec();
                answer.records = Some(kept.iter().rev().map(|kept| kept.0.record()).collect());
            }
            Self::Counts(tally) => answer.counts = Some(tally.into_counts()),
            Self::Top { limit, messages, .. } => {
                let exact = messages.is_exact();
                let sorted = messages.into_sorted();
                let distinct = sorted.len();
                let top = sorted.into_iter().take(limit).map(|entry| {
                    let example = entry.value;
                    Frequent {
                        count: entry.count,
                        level: example.level,
                        // Its last byte is the level.
                        pattern: text(entry.key.split_last().map_or(&[], |(_, pattern)| pattern)),
                        message: text(&example.message),
                        first: example.span.map(|(first, _)| moment::text(first)),
                        last: example.span.map(|(_, last)| moment::text(last)),
                    }
                });
                answer.top = Some(Top { top: top.collect(), exact, distinct });
            }
            Self::Values(values) => answer.values = Some(values.answer()),
        }
    }
}

impl FieldValues {
    fn take(&mut self, matched: &Matched<'_>) {
        let line = first_line(matched.text);
        if self.named < NAMED_RECORDS {
            self.named += 1;
            for (name, value) in line::fields(line, &matched.head) {
                for name in askable(name, &value) {
                    if self.names.len() < NAMES_MAX {
                        self.names.insert(name);
                    }
                }
            }
        }
        if self.field.read(matched.text, &matched.head, &mut self.value) {
            self.counts.add(&self.value, |()| {}, || ());
        } else {
            self.without += 1;
        }
    }

    fn answer(self) -> Values {
        let exact = self.counts.is_exact();
        let sorted = self.counts.into_sorted();
        Values {
            distinct: sorted.len(),
            values: sorted.iter().take(self.limit).map(|entry| (text(&entry.key), entry.count)).collect(),
            without: self.without,
            exact,
            fields: self.names.into_iter().collect(),
        }
    }
}

/// The names under which a field is counted: of an object those of its members, and none of a list.
fn askable(name: String, value: &Value) -> Vec<String> {
    let is_plain = |value: &Value| !matches!(value, Value::Object(_) | Value::Array(_) | Value::Null);
    match value {
        Value::Object(members) => {
            let plain = members.iter().filter(|(_, value)| is_plain(value));
            plain.map(|(inner, _)| format!("{name}.{inner}")).collect()
        }
        value => is_plain(value).then_some(name).into_iter().collect(),
    }
}

impl Kept {
    fn new(matched: &Matched<'_>, number: u64) -> Self {
        Self {
            key: (matched.time_ms, number),
            head: matched.head,
            file: Arc::clone(matched.file),
            line: matched.line,
            cut: matched.cut,
            text: matched.text.to_vec(),
        }
    }

    /// Becomes another record, in the memory it has.
    fn refill(&mut self, matched: &Matched<'_>, number: u64) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        text.extend_from_slice(matched.text);
        *self = Self {
            key: (matched.time_ms, number),
            head: matched.head,
            file: Arc::clone(matched.file),
            line: matched.line,
            cut: matched.cut,
            text,
        };
    }

    fn record(&self) -> Record {
        let first = first_line(&self.text);
        let mut message = Vec::new();
        line::message(first, &self.head, &mut message);
        message.extend_from_slice(&self.text[first.len()..]);
        Record {
            time: self.head.time_ms.map(moment::text),
            level: self.head.level,
            message: text(&message),
            file: self.file.to_string(),
            line: self.line,
            fields: line::fields(first, &self.head),
            cut: self.cut,
        }
    }
}

#[cfg(test)]
impl Sink {
    /// Bytes held, roughly.
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::First { kept, .. } => kept.iter().map(Kept::held_bytes).sum(),
            Self::Newest { kept, .. } => kept.iter().map(|kept| kept.0.held_bytes()).sum(),
            Self::Counts(tally) => tally.held_bytes(),
            Self::Values(values) => {
                let entries = values.counts.values().map(|(key, ())| 2 * key.len() + 200);
                let names: usize = values.names.iter().map(|name| name.len() + 64).sum();
                entries.sum::<usize>() + names + values.value.capacity()
            }
            Self::Top { messages, message, key, .. } => {
                let entries = messages.values().map(|(key, example)| 2 * key.len() + example.message.len() + 200);
                entries.sum::<usize>() + message.capacity() + key.capacity()
            }
        }
    }

    /// The most that [`Sink::held_bytes`] can be.
    pub(crate) fn held_bytes_max(&self) -> usize {
        match self {
            // A buffer may have twice the room that it needs.
            Self::First { limit, .. } | Self::Newest { limit, .. } => {
                let text = crate::RECORD_BYTES_MAX + crate::ENDING_BYTES_MAX + 1;
                limit * (2 * text + crate::NAME_BYTES_MAX + size_of::<Kept>())
            }
            Self::Counts(_) => crate::KEYS_MAX * (crate::NAME_BYTES_MAX + 64),
            Self::Top { .. } | Self::Values(_) => MESSAGES_MAX * 1_000 + 4 * crate::LINE_BYTES_MAX,
        }
    }

    /// Asserts what must hold between any two records.
    pub(crate) fn check(&self) {
        match self {
            Self::First { limit, kept } => assert!(kept.len() <= *limit, "the limit holds"),
            Self::Newest { limit, kept, .. } => assert!(kept.len() <= *limit, "the limit holds"),
            Self::Counts(_) => {}
            Self::Top { messages, .. } => messages.check(),
            Self::Values(values) => values.counts.check(),
        }
    }
}

#[cfg(test)]
impl Kept {
    fn held_bytes(&self) -> usize {
        size_of::<Self>() + self.text.capacity() + self.file.len()
    }
}

fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())]
}

/// Text without the white space at its end.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned()
}
