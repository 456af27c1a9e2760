//! Counts matching records by a key.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use crate::KEYS_MAX;
use crate::level::Level;
use crate::moment::Span;
use crate::query::By;

/// Counts by one kind of key.
#[derive(Debug)]
pub(crate) enum Tally {
    Levels([u64; 7]),
    Files { counts: HashMap<Arc<str>, u64, BuildHasherDefault<DefaultHasher>>, other: u64 },
    Spans { span: Span, counts: BTreeMap<i64, u64>, other: u64, unknown: u64 },
}

impl Tally {
    pub(crate) fn new(by: By) -> Self {
        let spans = |span| Self::Spans { span, counts: BTreeMap::new(), other: 0, unknown: 0 };
        match by {
            By::Level => Self::Levels([0; 7]),
            By::File => Self::Files { counts: HashMap::default(), other: 0 },
            By::Minute => spans(Span::Minute),
            By::Hour => spans(Span::Hour),
            By::Day => spans(Span::Day),
        }
    }

    pub(crate) fn add(&mut self, level: Level, time_ms: Option<i64>, file: &Arc<str>) {
        match self {
            Self::Levels(counts) => counts[level.index()] += 1,
            Self::Files { counts, other } => {
                if let Some(count) = counts.get_mut(file) {
                    *count += 1;
                } else if counts.len() < KEYS_MAX {
                    counts.insert(Arc::clone(file), 1);
                } else {
                    *other += 1;
                }
            }
            Self::Spans { span, counts, other, unknown } => {
                let Some(number) = time_ms.map(|ms| span.number(ms)) else {
                    *unknown += 1;
                    return;
                };
                if let Some(count) = counts.get_mut(&number) {
                    *count += 1;
                } else if counts.len() < KEYS_MAX {
                    counts.insert(number, 1);
                } else {
                    *other += 1;
                }
            }
        }
    }

    /// The counts that are not zero.
    pub(crate) fn into_counts(self) -> Vec<(String, u64)> {
        let (mut pairs, rest): (Vec<(String, u64)>, _) = match self {
            Self::Levels(counts) => {
                let pairs = Level::ALL.iter().map(|level| (level.name().to_owned(), counts[level.index()]));
                (pairs.collect(), [("other", 0), ("unknown", 0)])
            }
            Self::Files { counts, other } => {
                let mut pairs: Vec<_> = counts.into_iter().map(|(name, count)| (name.to_string(), count)).collect();
                pairs.sort();
                (pairs, [("other", other), ("unknown", 0)])
            }
            Self::Spans { span, counts, other, unknown } => {
                let pairs = counts.into_iter().map(|(number, count)| (span.text(number), count));
                (pairs.collect(), [("other", other), ("unknown", unknown)])
            }
        };
        pairs.extend(rest.map(|(name, count)| (name.to_owned(), count)));
        pairs.retain(|(_, count)| *count > 0);
        pairs
    }

    /// Bytes held, roughly.
    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::Levels(_) => 0,
            Self::Files { counts, .. } => counts.keys().map(|name| name.len() + 64).sum(),
            Self::Spans { counts, .. } => counts.len() * 32,
        }
    }
}
