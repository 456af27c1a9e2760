//! The order of rows by the values of a column.

use std::cmp::Ordering;

use crate::answer::short;
use crate::date::Moment;
use crate::decimal::Decimal;
use crate::filter::learned;
use crate::notation::{Notation, is_missing};
use crate::problem::Problem;
use crate::query::Order;
use crate::row::{Cell, Column, Columns, Kept, Row};

/// Characters of a text that rows are ordered by.
const TEXT_CHARS_MAX: usize = 120;

/// Compares rows by a column: numbers as numbers and dates as dates, if most values of the first rows are that, and else as texts in
/// any case. Rows without a value, or with another one, are behind all others, in the order of the file.
#[derive(Debug)]
pub(crate) struct Ranking {
    column: Column,
    by: By,
    is_descending: bool,
    /// Rows that have a value, and the first value that cannot be compared, with how many there are.
    wrong: u64,
    example: Option<String>,
    /// Whether some values of a column of texts are numbers or dates, which come in the order of texts then.
    is_mixed: bool,
}

#[derive(Debug)]
enum By {
    Number(Notation),
    Date,
    Text,
}

/// A value that rows are ordered by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rank {
    Number(Decimal),
    Date(Moment),
    Text(String),
}

impl Ranking {
    pub(crate) fn new(
        name: &str,
        order: Option<Order>,
        columns: &Columns,
        usual: char,
        start: &[Kept],
    ) -> Result<Self, Problem> {
        let column = columns.find(name)?;
        let mut notation = learned(&column, columns, usual, start);
        let (mut filled, mut numbers, mut dates) = (0_usize, 0_usize, 0_usize);
        for row in start {
            row.with(|row| {
                let cell = row.cell(&column);
                let text = cell.text();
                if !is_without_value(&cell) {
                    let is_date = Moment::read(&text).is_some();
                    filled += 1;
                    dates += usize::from(is_date);
                    numbers += usize::from(!is_date && matches!(notation.count(&cell), Ok(Some(_))));
                }
            });
        }
        let by = if numbers * 2 > filled {
            By::Number(learned(&column, columns, usual, start))
        } else if dates * 2 > filled {
            By::Date
        } else {
            By::Text
        };
        let is_mixed = matches!(by, By::Text) && numbers + dates > 0;
        let is_descending = order != Some(Order::Ascending);
        Ok(Self { column, by, is_descending, wrong: 0, example: None, is_mixed })
    }

    /// What a row is ordered by, if it has such a value.
    pub(crate) fn rank(&mut self, row: Row<'_>) -> Result<Option<Rank>, Problem> {
        let cell = row.cell(&self.column);
        let text = cell.text();
        if is_without_value(&cell) {
            return Ok(None);
        }
        let rank = match &mut self.by {
            By::Number(notation) => notation.count(&cell)?.map(Rank::Number),
            By::Date => Moment::read(&text).map(Rank::Date),
            By::Text => Some(Rank::Text(text.trim().chars().take(TEXT_CHARS_MAX).collect::<String>().to_lowercase())),
        };
        if rank.is_none() {
            self.wrong += 1;
            self.example.get_or_insert_with(|| short(text.trim(), 40));
        }
        Ok(rank)
    }

    /// Which of two rows comes first.
    pub(crate) fn compare(&self, one: Option<&Rank>, other: Option<&Rank>) -> Ordering {
        let (Some(one), Some(other)) = (one, other) else { return one.is_none().cmp(&other.is_none()) };
        let ascending = match (one, other) {
            (Rank::Number(one), Rank::Number(other)) => one.cmp(other),
            (Rank::Date(one), Rank::Date(other)) => one.order(*other),
            (Rank::Text(one), Rank::Text(other)) => one.cmp(other),
            // A column has one way.
            _ => Ordering::Equal,
        };
        if self.is_descending { ascending.reverse() } else { ascending }
    }

    /// What was taken for granted, for the answer.
    pub(crate) fn assumption(&self) -> Option<String> {
        match &self.by {
            By::Number(notation) => notation.assumption(),
            By::Text if self.is_mixed => Some(format!(
                "{} is ordered as text, since few of its values are numbers or dates",
                short(&self.column.label, 40)
            )),
            _ => None,
        }
    }

    /// What could not be compared, for the answer.
    pub(crate) fn left_out(&self) -> Option<String> {
        let example = self.example.as_ref()?;
        let (wrong, column) = (self.wrong, short(&self.column.label, 40));
        let kind = if matches!(self.by, By::Date) { "dates" } else { "numbers" };
        let (values, come) = if wrong == 1 { ("value", "comes") } else { ("values", "come") };
        Some(format!("{wrong} {values} of {column} {come} last, not being {kind}; for example {example}"))
    }
}

fn is_without_value(cell: &Cell<'_>) -> bool {
    cell.is_blank() || matches!(cell, Cell::Text(text) if is_missing(text))
}
