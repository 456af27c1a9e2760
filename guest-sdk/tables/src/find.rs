//! Collects the rows that match.

use std::collections::VecDeque;

use crate::answer::{Found, Value, short};
use crate::describe::shown;
use crate::filter::Matchers;
use crate::problem::Problem;
use crate::rank::{Rank, Ranking};
use crate::row::{Column, Columns, Row};

/// Columns that are shown unless others are asked for.
const COLUMNS_SHOWN: usize = 12;

/// Characters of a value.
const VALUE_CHARS_MAX: usize = 120;

/// The first or the last rows that match, and how many do.
#[derive(Debug)]
pub(crate) struct Find {
    columns: Columns,
    shown: Vec<Column>,
    not_shown: usize,
    limit: usize,
    ranking: Option<Ranking>,
    /// Whether the last rows are meant, where nothing ranks them.
    is_last: bool,
    /// In their order, at most `limit` of them.
    rows: VecDeque<Kept>,
    matching: u64,
}

/// A row that is shown, unless others come before it.
#[derive(Debug)]
struct Kept {
    rank: Option<Rank>,
    cells: Vec<(String, Value)>,
    /// In such a row a cell may be under the wrong column.
    has_another_width: bool,
}

impl Find {
    pub(crate) fn new(
        columns: Columns,
        asked: &[String],
        limit: usize,
        ranking: Option<Ranking>,
        is_last: bool,
    ) -> Result<Self, Problem> {
        let shown = shown(&columns, asked, COLUMNS_SHOWN)?;
        let not_shown = if asked.is_empty() { columns.len() - shown.len() } else { 0 };
        Ok(Self { columns, shown, not_shown, limit, ranking, is_last, rows: VecDeque::new(), matching: 0 })
    }

    pub(crate) fn take(&mut self, row: Row<'_>) -> Result<(), Problem> {
        self.matching += 1;
        let Some(ranking) = &mut self.ranking else {
            if self.is_last && self.rows.len() == self.limit {
                self.rows.pop_front();
            }
            if self.rows.len() < self.limit {
                self.rows.push_back(self.kept(row, None));
            }
            return Ok(());
        };
        let rank = ranking.rank(row)?;
        // Of equal rows, the first of the file stays first.
        let place = self.rows.partition_point(|kept| ranking.compare(kept.rank.as_ref(), rank.as_ref()).is_le());
        if place < self.limit {
            let kept = self.kept(row, rank);
            self.rows.truncate(self.limit - 1);
            self.rows.insert(place, kept);
        }
        Ok(())
    }

    fn kept(&self, row: Row<'_>, rank: Option<Rank>) -> Kept {
        let value = |column: &Column| (short(&column.label, 80), Value::of(&row.cell(column), VALUE_CHARS_MAX));
        let cells = self.shown.iter().map(value).collect();
        Kept { rank, cells, has_another_width: !row.fits(&self.columns) }
    }

    pub(crate) fn answer(self, filter: &Matchers) -> Result<Found, Problem> {
        let left_out = filter.left_out(false)?.into_iter().chain(self.ranking.as_ref().and_then(Ranking::left_out));
        let left_out: Vec<String> = left_out.collect();
        let mut assumed = filter.assumptions();
        assumed.extend(
            self.ranking.as_ref().and_then(Ranking::assumption).filter(|told| !filter.assumptions().contains(told)),
        );
        Ok(Found {
            left_out: (!left_out.is_empty()).then(|| left_out.join(". ")),
            assumed: (!assumed.is_empty()).then(|| assumed.join(". ")),
            more: self.matching > crate::count(self.rows.len()),
            rows_of_another_width: crate::count(self.rows.iter().filter(|row| row.has_another_width).count()),
            rows: self.rows.into_iter().map(|row| row.cells).collect(),
            matching: self.matching,
            columns_not_shown: self.not_shown,
        })
    }
}
