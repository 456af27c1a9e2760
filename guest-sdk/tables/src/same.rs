//! What a value has to equal: one of some texts, which may be numbers and dates.

use crate::answer::short;
use crate::date::Moment;
use crate::decimal::Decimal;
use crate::notation::{self, Notation, is_missing};
use crate::problem::Problem;
use crate::row::{Cell, Column};

/// Texts that a value may equal.
#[derive(Debug)]
pub(crate) struct Same {
    /// In lower case.
    texts: Vec<String>,
    /// The numbers among them, and how the column writes its numbers: 12 is also `12%`, and 1000 is `1,000`.
    numbers: Option<(Vec<Decimal>, Notation)>,
    /// The times among them, where a column holds dates: a day equals all times of it, and a month or a year its days.
    moments: Vec<Moment>,
    /// What is said if no value of the column can equal one of them: the first rows hold no text, and no later one has done so.
    impossible: Option<Problem>,
}

impl Same {
    /// These texts for values of a column, if they are of one, with the type that it has in the first rows.
    pub(crate) fn new(
        texts: &[String],
        of: Option<(&Column, &'static str)>,
        learned: impl FnOnce(&Column) -> Notation,
    ) -> Self {
        let is_code = |text: &&String| is_code(text);
        let numbers = texts.iter().filter(|text| !is_code(text)).filter_map(|text| notation::asked(text));
        let numbers: Vec<Decimal> = numbers.collect();
        let holds_dates = of.is_some_and(|(_, kind)| kind == "date");
        let moment = |text: &String| Moment::of_year(text).or_else(|| Moment::read(text)).filter(|_| holds_dates);
        Self {
            texts: texts.iter().map(|text| text.trim().to_lowercase()).collect(),
            numbers: of.filter(|_| !numbers.is_empty()).map(|(column, _)| (numbers, learned(column))),
            moments: texts.iter().filter_map(moment).collect(),
            impossible: of.and_then(|(column, kind)| texts.iter().find_map(|text| impossible(column, kind, text))),
        }
    }

    /// Whether a cell with this text, and the same in lower case, equals one of them.
    pub(crate) fn is(&mut self, cell: &Cell<'_>, text: &str, lower: &str) -> bool {
        if self.impossible.is_some() && !is_missing(text) && !text.bytes().any(|byte| byte.is_ascii_digit()) {
            self.impossible = None;
        }
        let is_moment = || {
            let found = Moment::read(text).filter(|_| !self.moments.is_empty());
            found.is_some_and(|found| self.moments.iter().any(|asked| found.compare(*asked).is_eq()))
        };
        self.texts.iter().any(|asked| asked == lower) || is_moment() || self.is_number(cell, text)
    }

    fn is_number(&mut self, cell: &Cell<'_>, text: &str) -> bool {
        let Some((numbers, notation)) = &mut self.numbers else { return false };
        if is_code(text) {
            return false;
        }
        let found = notation.count(cell).unwrap_or_default();
        found.is_some_and(|found| numbers.iter().any(|number| found.cmp(number).is_eq()))
    }

    /// What is wrong with a text of these, if no value that was seen can equal it. An answer of no rows would say that there are
    /// none, where another column was meant.
    pub(crate) fn impossible(&self) -> Option<&Problem> {
        self.impossible.as_ref()
    }
}

/// What is wrong with a text that no value of a column can equal: none of the first rows is a text, and this is no number or date
/// either.
fn impossible(column: &Column, kind: &'static str, text: &str) -> Option<Problem> {
    let has_numbers = matches!(kind, "integer" | "number" | "date");
    if !has_numbers || is_missing(text) || text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Problem::NoSuchValue { column: column.label.clone(), kind, text: short(text, 40) })
}

/// Whether digits are a code, such as 007, which is not the same as 7.
fn is_code(text: &str) -> bool {
    matches!(text.trim().as_bytes(), [b'0', digit, ..] if digit.is_ascii_digit())
}
