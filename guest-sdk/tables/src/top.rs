//! The most frequent values of a column, in bounded memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::VALUES_COUNTED_MAX;
use crate::answer::{self, Frequent, short};
use crate::filter::Matchers;
use crate::problem::Problem;
use crate::row::{Column, Columns, Row};

/// Characters of a value that tell it from others.
const VALUE_CHARS_MAX: usize = 200;

/// Counts of values. The hash has no secret: who floods it burns the run's own fuel, and equal input gives equal answers.
#[derive(Debug)]
pub(crate) struct Top {
    column: Column,
    limit: usize,
    counts: HashMap<String, u64, BuildHasherDefault<DefaultHasher>>,
    rows: u64,
    missing: u64,
    too_low: u64,
}

impl Top {
    pub(crate) fn new(columns: &Columns, column: &str, limit: usize) -> Result<Self, Problem> {
        let column = columns.find(column)?;
        Ok(Self { column, limit, counts: HashMap::default(), rows: 0, missing: 0, too_low: 0 })
    }

    pub(crate) fn take(&mut self, row: Row<'_>) {
        self.rows += 1;
        let cell = row.cell(&self.column);
        if cell.is_blank() {
            self.missing += 1;
            return;
        }
        let text = cell.text();
        let cut;
        let value = if text.len() > VALUE_CHARS_MAX {
            cut = short(&text, VALUE_CHARS_MAX);
            cut.as_str()
        } else {
            &*text
        };
        if let Some(count) = self.counts.get_mut(value) {
            *count += 1;
            return;
        }
        self.counts.insert(value.to_owned(), 1);
        if self.counts.len() > VALUES_COUNTED_MAX {
            self.let_go();
        }
    }

    /// Lets the rarer half go. All counts are lowered alike, so that each is too low by as much as was let go, at most.
    fn let_go(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, &mut floor, _) = counts.select_nth_unstable(middle);
        self.too_low += floor;
        self.counts.retain(|_, count| {
            *count = count.saturating_sub(floor);
            *count > 0
        });
    }

    pub(crate) fn answer(self, file: String, filter: &Matchers) -> Result<answer::Top, Problem> {
        let different = self.counts.len();
        let mut counts: Vec<(String, u64)> = self.counts.into_iter().collect();
        counts.sort_unstable_by(|(one, ones), (other, others)| others.cmp(ones).then_with(|| one.cmp(other)));
        counts.truncate(self.limit);
        Ok(answer::Top {
            left_out: filter.left_out(false)?,
            assumed: filter.assumption(),
            file,
            column: self.column.label,
            rows: self.rows,
            missing: self.missing,
            values: counts.into_iter().map(|(value, rows)| Frequent { value: short(&value, 80), rows }).collect(),
            too_low_by_at_most: self.too_low,
            different_values: (self.too_low == 0).then_some(different),
        })
    }
}
