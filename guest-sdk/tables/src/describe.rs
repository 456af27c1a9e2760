//! What the columns of a table hold.

use crate::answer::{ColumnDescription, Description, Value, short};
use crate::date::Moment;
use crate::decimal::Decimal;
use crate::filter::learned_each;
use crate::notation::{Notation, is_missing};
use crate::problem::Problem;
use crate::row::{Cell, Column, Columns, Kept, Row};

/// Columns that are described unless others are asked for.
const COLUMNS_SHOWN: usize = 40;

/// Examples of each column.
const EXAMPLES_SHOWN: usize = 3;

/// Characters of an example, and of a date.
const VALUE_CHARS_MAX: usize = 40;

/// The types of values, in the order of the alphabet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Date,
    Integer,
    List,
    Number,
    Object,
    Text,
}

impl Kind {
    /// The type of a value. `number` is what it is as one, in a column whose decimals are behind the character `decimal`.
    fn of(cell: &Cell<'_>, number: Option<Decimal>, decimal: Option<char>) -> Self {
        match cell {
            Cell::Other(raw) => match (raw.as_bytes().first(), number) {
                (Some(b't' | b'f'), _) => Self::Boolean,
                (Some(b'['), _) => Self::List,
                (_, Some(number)) if number.is_whole() && !raw.contains(['.', 'e', 'E']) => Self::Integer,
                (_, Some(_)) => Self::Number,
                _ => Self::Object,
            },
            cell => {
                let text = cell.text();
                let trimmed = text.trim();
                let digits = trimmed.strip_prefix('-').unwrap_or(trimmed).as_bytes();
                if trimmed.eq_ignore_ascii_case("true") || trimmed.eq_ignore_ascii_case("false") {
                    Self::Boolean
                } else if digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit() {
                    // 007 is a code. A date has a year in front.
                    if Moment::read(trimmed).is_some() { Self::Date } else { Self::Text }
                } else if let Some(number) = number {
                    let has_decimals = decimal.is_some_and(|mark| trimmed.contains(mark));
                    if number.is_whole() && !has_decimals { Self::Integer } else { Self::Number }
                } else if trimmed.len() >= 10 && Moment::read(trimmed).is_some() {
                    Self::Date
                } else {
                    Self::Text
                }
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Integer => "integer",
            Self::List => "list",
            Self::Number => "number",
            Self::Object => "object",
            Self::Text => "text",
        }
    }
}

/// What one column holds, as far as it was read.
#[derive(Debug)]
pub(crate) struct Described {
    column: Column,
    /// How it writes numbers: what a sum reads as one is one here.
    notation: Notation,
    filled: u64,
    kinds: Vec<Kind>,
    /// How many cells hold `NA`: no value among numbers and dates, and among texts one as any other, such as North America.
    not_available: u64,
    examples: Vec<String>,
    numbers: Option<(Decimal, Decimal)>,
    /// The least and the greatest date, as it is written. Those of another notation than the first do not compare.
    dates: Option<(Dated, Dated)>,
}

/// A date and how it is written.
#[derive(Debug, Clone)]
struct Dated {
    moment: Moment,
    text: String,
}

/// What stands for a missing number in many tables, and is a text in others.
const NOT_AVAILABLE: &str = "NA";

impl Described {
    /// The columns to describe, each with what the first rows say about its numbers.
    pub(crate) fn each(shown: Vec<Column>, columns: &Columns, usual: char, start: &[Kept]) -> Vec<Self> {
        let notations = learned_each(&shown, columns, usual, start);
        shown.into_iter().zip(notations).map(|(column, notation)| Self::new(column, notation)).collect()
    }

    fn new(column: Column, notation: Notation) -> Self {
        Self {
            column,
            notation,
            filled: 0,
            kinds: Vec::new(),
            not_available: 0,
            examples: Vec::new(),
            numbers: None,
            dates: None,
        }
    }

    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    pub(crate) fn take(&mut self, row: Row<'_>) {
        let cell = row.cell(&self.column);
        if cell.is_blank() || matches!(&cell, Cell::Text(text) if is_missing(text)) {
            self.not_available += u64::from(cell.text().trim() == NOT_AVAILABLE);
            return;
        }
        self.filled += 1;
        let number = match &cell {
            Cell::Other(text) => Decimal::plain(text),
            // A value in another notation than those before it is a text: no sum reads it as a number.
            _ => self.notation.count(&cell).unwrap_or_default(),
        };
        let kind = Kind::of(&cell, number, self.notation.decimal());
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        match (kind, number) {
            (Kind::Integer | Kind::Number, Some(number)) => {
                let (least, greatest) = self.numbers.get_or_insert((number, number));
                *least = number.min(*least);
                *greatest = number.max(*greatest);
            }
            (Kind::Date, _) => self.take_date(&cell.text()),
            _ => {}
        }
        if self.examples.len() < EXAMPLES_SHOWN {
            let example = short(&cell.text(), VALUE_CHARS_MAX);
            if !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }

    fn take_date(&mut self, text: &str) {
        let Some(moment) = Moment::read(text) else { return };
        let dated = || Dated { moment, text: short(text.trim(), VALUE_CHARS_MAX) };
        let (least, greatest) = self.dates.get_or_insert_with(|| (dated(), dated()));
        if moment.order(least.moment).is_lt() {
            *least = dated();
        }
        if moment.order(greatest.moment).is_gt() {
            *greatest = dated();
        }
    }

    /// What was taken for granted to read its numbers, if it holds numbers.
    fn assumption(&self) -> Option<String> {
        matches!(self.kind(), "integer" | "number").then(|| self.notation.assumption()).flatten()
    }

    /// The type of its values, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        let mut kinds = self.kinds.clone();
        if kinds.contains(&Kind::Number) {
            kinds.retain(|kind| *kind != Kind::Integer);
        }
        match kinds[..] {
            [] => "empty",
            [kind] => kind.name(),
            _ => "mixed",
        }
    }

    /// The column as it is shown, when so many rows were looked at.
    fn answer(mut self, rows: u64) -> ColumnDescription {
        let kind = self.kind();
        if kind == "text" && self.not_available > 0 {
            self.filled += self.not_available;
            if self.examples.len() < EXAMPLES_SHOWN {
                self.examples.push(NOT_AVAILABLE.to_owned());
            }
        }
        let range = match kind {
            "date" => self.dates.map(|(least, greatest)| [least, greatest].map(|date| Value::Text(date.text))),
            "integer" | "number" => {
                self.numbers.map(|(least, greatest)| [least, greatest].map(|number| Value::Json(number.to_string())))
            }
            _ => None,
        };
        let [min, max] = range.map_or([None, None], |[min, max]| [Some(min), Some(max)]);
        ColumnDescription {
            column: short(&self.column.label, 80),
            kind,
            missing: rows - self.filled,
            min,
            max,
            examples: self.examples.join(" | "),
        }
    }
}

/// What all columns hold.
#[derive(Debug)]
pub(crate) struct Describe {
    columns: Columns,
    described: Vec<Described>,
    sample: u64,
    rows: u64,
    of_another_width: u64,
}

impl Describe {
    pub(crate) fn new(
        columns: Columns,
        asked: &[String],
        sample: u64,
        usual: char,
        start: &[Kept],
    ) -> Result<Self, Problem> {
        let shown = shown(&columns, asked, COLUMNS_SHOWN)?;
        let described = Described::each(shown, &columns, usual, start);
        Ok(Self { described, columns, sample, rows: 0, of_another_width: 0 })
    }

    pub(crate) fn take(&mut self, row: Row<'_>) {
        self.rows += 1;
        self.of_another_width += u64::from(!row.is_as_wide_as(&self.columns));
        if self.rows <= self.sample {
            for column in &mut self.described {
                column.take(row);
            }
        }
    }

    pub(crate) fn answer(self, file: String) -> Description {
        let looked_at = self.rows.min(self.sample);
        let assumed: Vec<String> = self.described.iter().filter_map(Described::assumption).collect();
        Description {
            file,
            rows: self.rows,
            rows_looked_at: looked_at,
            assumed: (!assumed.is_empty()).then(|| assumed.join(". ")),
            columns_not_shown: self.columns.len().saturating_sub(self.described.len()),
            columns: self.described.into_iter().map(|column| column.answer(looked_at)).collect(),
            rows_of_another_width: self.of_another_width,
        }
    }
}

/// The columns that were asked for, or the first ones.
pub(crate) fn shown(columns: &Columns, asked: &[String], most: usize) -> Result<Vec<Column>, Problem> {
    if asked.is_empty() {
        return Ok(columns.iter().take(most).cloned().collect());
    }
    let mut shown: Vec<Column> = Vec::with_capacity(asked.len());
    for name in asked {
        let column = columns.find(name)?;
        if !shown.contains(&column) {
            shown.push(column);
        }
    }
    Ok(shown)
}
