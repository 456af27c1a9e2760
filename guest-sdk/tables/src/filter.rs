//! The filter of a query: which rows match.

use std::cmp::Ordering;

use crate::answer::short;
use crate::date::{FORMATS, Moment};
use crate::describe::Described;
use crate::notation::{Notation, is_missing};
use crate::problem::Problem;
use crate::query::{self, Bound};
use crate::row::{Cell, Column, Columns, Kept, Row};
use crate::same::Same;

/// Of the values of a column, the percentage that may be left out. What leaves out more is no sum.
pub(crate) const LEFT_OUT_PERCENT_MAX: u64 = 5;

/// Compares rows with all that is asked for.
#[derive(Debug, Default)]
pub(crate) struct Matchers(Vec<Matcher>);

impl Matchers {
    pub(crate) fn new(
        filters: &[query::Filter],
        columns: &Columns,
        usual: char,
        start: &[Kept],
    ) -> Result<Self, Problem> {
        let matchers = filters.iter().map(|filter| Matcher::new(filter, columns, usual, start));
        Ok(Self(matchers.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()))
    }

    /// Whether every row matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&mut self, row: Row<'_>) -> Result<bool, Problem> {
        for matcher in &mut self.0 {
            if !matcher.matches(row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What could not be compared, for the answer; a column of which nothing could be is a problem, and so is more than a
    /// sum may leave out.
    pub(crate) fn left_out(&self, is_sum: bool) -> Result<Option<String>, Problem> {
        // A later one has seen only the rows that passed those before it: what it could not compare there is no fault.
        let each = self.0.iter().enumerate().map(|(place, matcher)| matcher.left_out(is_sum, place == 0));
        let left_out = each.collect::<Result<Vec<_>, _>>()?;
        Ok(joined(&left_out.into_iter().flatten().collect::<Vec<_>>()))
    }

    /// What was taken for granted to read numbers, in a text.
    pub(crate) fn assumption(&self) -> Option<String> {
        joined(&self.assumptions())
    }

    /// The same, each for itself.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let mut all: Vec<String> = self.0.iter().filter_map(Matcher::assumption).collect();
        all.dedup();
        all
    }
}

fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join(". "))
}

/// Compares rows with one filter.
#[derive(Debug)]
struct Matcher {
    column: Option<Column>,
    equals: Option<Same>,
    not_equals: Option<Same>,
    /// In lower case.
    contains: Option<String>,
    missing: Option<bool>,
    /// What a value has to be to each of these: its order, and whether it may equal the bound.
    bounds: Vec<(Bound, Ordering, bool)>,
    notation: Option<Notation>,
    /// Dates that were read, and values that are none.
    dates: u64,
    wrong_dates: u64,
    wrong_date: Option<String>,
    /// A value in lower case.
    lower: String,
}

impl Matcher {
    fn new(filter: &query::Filter, columns: &Columns, usual: char, start: &[Kept]) -> Result<Option<Self>, Problem> {
        if !filter.is_set() {
            return Ok(None);
        }
        let column = filter.column.as_deref().map(|name| columns.find(name)).transpose()?;
        let kind = column.as_ref().map(|column| kind(column, columns, usual, start));
        let same = |texts: &[String]| {
            let of = column.as_ref().zip(kind);
            (!texts.is_empty()).then(|| Same::new(texts, of, |column| learned(column, columns, usual, start)))
        };
        let (equals, not_equals) = (same(&filter.equals), same(&filter.not_equals));
        // "After 2024" is no number where a column holds dates.
        let year = |text: &str| Moment::of_year(text).filter(|_| kind == Some("date"));
        let bound = |(text, order, may_equal): (&Option<String>, Ordering, bool)| {
            let text = text.as_deref()?;
            let bound = year(text).map(Bound::Moment).or_else(|| Bound::read(text))?;
            Some((bound, order, may_equal))
        };
        let bounds = [
            (&filter.above, Ordering::Greater, false),
            (&filter.below, Ordering::Less, false),
            (&filter.at_least, Ordering::Greater, true),
            (&filter.at_most, Ordering::Less, true),
        ];
        let bounds: Vec<_> = bounds.into_iter().filter_map(bound).collect();
        let has_number = bounds.iter().any(|(bound, ..)| matches!(bound, Bound::Number(_)));
        let notation = column.as_ref().filter(|_| has_number).map(|column| learned(column, columns, usual, start));
        Ok(Some(Self {
            column,
            equals,
            not_equals,
            contains: filter.contains.as_ref().map(|text| text.to_lowercase()),
            missing: filter.missing,
            bounds,
            notation,
            dates: 0,
            wrong_dates: 0,
            wrong_date: None,
            lower: String::new(),
        }))
    }

    fn matches(&mut self, row: Row<'_>) -> Result<bool, Problem> {
        let Some(column) = &self.column else {
            return Ok(row.any(|cell| self.has_text(cell)));
        };
        let cell = row.cell(column);
        if let Some(missing) = self.missing
            && missing != (cell.is_blank() || matches!(&cell, Cell::Text(text) if is_missing(text)))
        {
            return Ok(false);
        }
        Ok(self.has_text(&cell) && self.is_within(&cell)?)
    }

    fn has_text(&mut self, cell: &Cell<'_>) -> bool {
        if self.equals.is_none() && self.not_equals.is_none() && self.contains.is_none() {
            return true;
        }
        let text = cell.text();
        self.lower.clear();
        if text.is_ascii() {
            self.lower.push_str(&text);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower = text.to_lowercase();
        }
        if self.contains.as_ref().is_some_and(|contains| !self.lower.contains(contains.as_str())) {
            return false;
        }
        let is = |same: &mut Option<Same>, without: bool| {
            same.as_mut().map_or(without, |same| same.is(cell, &text, self.lower.trim()))
        };
        is(&mut self.equals, true) && !is(&mut self.not_equals, false)
    }

    /// Whether a value is between the bounds. What cannot be compared is not.
    fn is_within(&mut self, cell: &Cell<'_>) -> Result<bool, Problem> {
        if self.bounds.is_empty() {
            return Ok(true);
        }
        let number = match &mut self.notation {
            Some(notation) => notation.count(cell)?,
            None => None,
        };
        let has_date = self.bounds.iter().any(|(bound, ..)| matches!(bound, Bound::Moment(_)));
        let moment = if has_date { self.moment(cell) } else { None };
        let compared = |bound: Bound| match bound {
            Bound::Number(bound) => number.map(|number| number.cmp(&bound)),
            Bound::Moment(bound) => moment.map(|moment| moment.compare(bound)),
        };
        Ok(self.bounds.iter().all(|(bound, order, may_equal)| {
            compared(*bound).is_some_and(|found| found == *order || (*may_equal && found.is_eq()))
        }))
    }

    fn moment(&mut self, cell: &Cell<'_>) -> Option<Moment> {
        let text = cell.text();
        let moment = Moment::read(&text);
        if moment.is_some() {
            self.dates += 1;
        } else if !is_missing(&text) {
            self.wrong_dates += 1;
            self.wrong_date.get_or_insert_with(|| short(text.trim(), 40));
        }
        moment
    }

    fn left_out(&self, is_sum: bool, has_seen_all: bool) -> Result<Option<String>, Problem> {
        let mut each = [&self.equals, &self.not_equals].into_iter().flatten();
        if let Some(problem) = each.find_map(Same::impossible) {
            return Err(problem.clone());
        }
        let Some(column) = &self.column else { return Ok(None) };
        let column = column.label.clone();
        let (read, wrong, example) = match &self.notation {
            Some(notation) => (notation.read, notation.wrong, notation.example()),
            None => (self.dates, self.wrong_dates, self.wrong_date.as_deref()),
        };
        let (Some(example), true) = (example, wrong > 0) else { return Ok(None) };
        let example = example.to_owned();
        if read == 0 && has_seen_all {
            return Err(match self.notation {
                Some(_) => Problem::NoNumbers { column, example },
                None => Problem::NotDates { column, example },
            });
        }
        let values = read + wrong;
        if is_sum && wrong * 100 > LEFT_OUT_PERCENT_MAX * values {
            return Err(Problem::TooManyNotCompared { column, wrong, values, example });
        }
        let expected = if self.notation.is_some() { "numbers like the others" } else { FORMATS };
        Ok(Some(format!(
            "{wrong} of {values} values of {column} are not compared, since they are not {expected}; left out is for \
             example {example}"
        )))
    }

    fn assumption(&self) -> Option<String> {
        self.notation.as_ref()?.assumption()
    }
}

/// The type of a column in the first rows, as a description has it.
pub(crate) fn kind(column: &Column, columns: &Columns, usual: char, start: &[Kept]) -> &'static str {
    let mut described = Described::each(vec![column.clone()], columns, usual, start);
    for row in start {
        for described in &mut described {
            row.with(|row| described.take(row));
        }
    }
    described.first().map_or("empty", Described::kind)
}

/// How a column writes its numbers, by the first rows that have a cell for each column.
pub(crate) fn learned(column: &Column, columns: &Columns, usual: char, start: &[Kept]) -> Notation {
    let mut learned = learned_each(std::slice::from_ref(column), columns, usual, start);
    learned.pop().expect("one column has one notation")
}

/// The same of each of these columns, with every row parsed once.
pub(crate) fn learned_each(shown: &[Column], columns: &Columns, usual: char, start: &[Kept]) -> Vec<Notation> {
    let fitting = |row: &&Kept| row.with(|row| row.fits(columns)).unwrap_or(false);
    let has_fitting = start.iter().any(|row| fitting(&row));
    let rows = start.iter().filter(|row| !has_fitting || fitting(row));
    // A cell cannot leave its row, which is parsed for it: its text can.
    let mut samples: Vec<Vec<Sample>> = shown.iter().map(|_| Vec::new()).collect();
    for row in rows {
        row.with(|row| {
            for (column, samples) in shown.iter().zip(&mut samples) {
                samples.extend(Sample::of(&row.cell(column)));
            }
        });
    }
    let notation = |(column, samples): (&Column, &Vec<Sample>)| {
        Notation::new(&column.label, usual, samples.iter().map(Sample::cell))
    };
    shown.iter().zip(&samples).map(notation).collect()
}

/// A cell that is kept.
enum Sample {
    Text(String),
    Other(String),
}

impl Sample {
    fn of(cell: &Cell<'_>) -> Option<Self> {
        // No number is longer.
        match cell {
            Cell::Text(text) if text.len() <= 200 => Some(Self::Text(text.to_string())),
            Cell::Other(raw) if raw.len() <= 200 => Some(Self::Other((*raw).to_owned())),
            _ => None,
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::Text(text.as_str().into()),
            Self::Other(raw) => Cell::Other(raw),
        }
    }
}
