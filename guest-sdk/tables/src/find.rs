//! Collects the rows that match.

use crate::answer::{Found, Value, short};
use crate::describe::shown;
use crate::filter::Matcher;
use crate::problem::Problem;
use crate::row::{Column, Columns, Row};

/// Columns that are shown unless others are asked for.
const COLUMNS_SHOWN: usize = 12;

/// Characters of a value.
const VALUE_CHARS_MAX: usize = 120;

/// The first rows that match, and how many do.
#[derive(Debug)]
pub(crate) struct Find {
    columns: Columns,
    shown: Vec<Column>,
    not_shown: usize,
    limit: usize,
    rows: Vec<Vec<(String, Value)>>,
    matching: u64,
    of_another_width: u64,
}

impl Find {
    pub(crate) fn new(columns: Columns, asked: &[String], limit: usize) -> Result<Self, Problem> {
        let shown = shown(&columns, asked, COLUMNS_SHOWN)?;
        let not_shown = if asked.is_empty() { columns.len() - shown.len() } else { 0 };
        Ok(Self { columns, shown, not_shown, limit, rows: Vec::new(), matching: 0, of_another_width: 0 })
    }

    pub(crate) fn take(&mut self, row: Row<'_>) {
        self.matching += 1;
        if self.rows.len() == self.limit {
            return;
        }
        // In such a row a cell may be under the wrong column.
        self.of_another_width += u64::from(!row.fits(&self.columns));
        let value = |column: &Column| (short(&column.label, 80), Value::of(&row.cell(column), VALUE_CHARS_MAX));
        self.rows.push(self.shown.iter().map(value).collect());
    }

    pub(crate) fn answer(self, filter: Option<&Matcher>) -> Result<Found, Problem> {
        Ok(Found {
            left_out: filter.map(|filter| filter.left_out(false)).transpose()?.flatten(),
            assumed: filter.and_then(Matcher::assumption),
            more: self.matching > crate::count(self.rows.len()),
            rows: self.rows,
            matching: self.matching,
            columns_not_shown: self.not_shown,
            rows_of_another_width: self.of_another_width,
        })
    }
}
