//! Counts and aggregates, of all rows or in groups.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::answer::{self, Value, short};
use crate::date::{Cut, Moment, WEEKDAYS};
use crate::decimal::{Decimal, Sum, middle};
use crate::filter::{LEFT_OUT_PERCENT_MAX, Matchers, learned};
use crate::notation::{Notation, is_missing};
use crate::problem::Problem;
use crate::query::{Measures, Order};
use crate::row::{Cells, Column, Columns, Kept, Row};
use crate::{GROUPS_MAX, VALUES_KEPT_MAX};

/// Characters of a group's name.
const NAME_CHARS_MAX: usize = 80;

/// Groups that are shown unless more are asked for, and those of dates: three years of months.
const GROUPS_SHOWN: usize = 10;
const CUTS_SHOWN: usize = 36;

/// The group of rows without a value.
const MISSING: &str = "(missing)";

/// The group of rows whose date cannot be read.
const NO_DATE: &str = "(no date)";

/// What can be asked about the numbers of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Sum,
    Mean,
    Median,
    Percentile(u8),
    Min,
    Max,
}

/// The percentile that is given where nobody says which.
const PERCENT: u8 = 95;

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Percentile(_) => "percentile",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// A column that is read, once whatever is asked about it.
#[derive(Debug)]
struct Measured {
    column: Column,
    notation: Notation,
    has_sum: bool,
    has_extremes: bool,
    keeps_values: bool,
}

/// What is kept of the numbers of one column in one group.
#[derive(Debug, Default)]
struct Numbers {
    count: u64,
    sum: Sum,
    extremes: Option<(Decimal, Decimal)>,
    kept: Vec<Decimal>,
}

/// What groups are made by.
#[derive(Debug)]
struct By {
    column: Column,
    /// What its dates are cut to.
    cut: Option<Cut>,
    /// Dates that were read, and values that are none.
    dates: u64,
    wrong: u64,
    example: Option<String>,
}

/// The rows with the same values in the columns to group by, or all rows.
#[derive(Debug)]
struct Group {
    names: Vec<String>,
    rows: u64,
    numbers: Vec<Numbers>,
}

/// A row with more or fewer cells than the header.
#[derive(Debug)]
struct Odd {
    example: String,
    is_wider: bool,
}

/// Counts and aggregates of the rows that match.
#[derive(Debug)]
pub(crate) struct Summarize {
    columns: Columns,
    delimiter: Option<u8>,
    asked: Vec<(Measure, usize)>,
    measured: Vec<Measured>,
    by: Vec<By>,
    order: Option<Order>,
    limit: usize,
    groups: Vec<Group>,
    /// Groups by their names. The hash has no secret: who floods it burns the run's own fuel.
    places: HashMap<String, usize, BuildHasherDefault<DefaultHasher>>,
    /// The names of the row's group, each behind its length.
    key: String,
    rows: u64,
    of_another_width: u64,
    odd: Option<Odd>,
    uses_cells: bool,
    kept: usize,
}

impl Summarize {
    pub(crate) fn new(
        columns: Columns,
        measures: &Measures,
        delimiter: Option<u8>,
        start: &[Kept],
        is_filtered: bool,
    ) -> Result<Self, Problem> {
        let usual = usual(delimiter);
        let (mut asked, mut known) = (Vec::new(), Vec::<Measured>::new());
        for (measure, name) in [
            (Measure::Sum, &measures.sum),
            (Measure::Mean, &measures.mean),
            (Measure::Median, &measures.median),
            (Measure::Percentile(measures.percent.unwrap_or(PERCENT)), &measures.percentile),
            (Measure::Min, &measures.min),
            (Measure::Max, &measures.max),
        ] {
            let Some(name) = name else { continue };
            let column = columns.find(name)?;
            let place = known.iter().position(|known| known.column == column).unwrap_or_else(|| {
                let notation = learned(&column, &columns, usual, start);
                known.push(Measured { column, notation, has_sum: false, has_extremes: false, keeps_values: false });
                known.len() - 1
            });
            let one = &mut known[place];
            one.has_sum |= matches!(measure, Measure::Sum | Measure::Mean);
            one.has_extremes |= matches!(measure, Measure::Min | Measure::Max);
            one.keeps_values |= matches!(measure, Measure::Median | Measure::Percentile(_));
            asked.push((measure, place));
        }
        let by = measures.by.iter().map(|name| By::new(name, measures.date_column.as_deref(), &columns, start));
        let by = by.collect::<Result<Vec<_>, _>>()?;
        let has_cuts = by.iter().any(|by| by.cut.is_some());
        let mut summarize = Self {
            columns,
            delimiter,
            uses_cells: is_filtered || !asked.is_empty() || !by.is_empty(),
            limit: measures.limit.unwrap_or(if has_cuts { CUTS_SHOWN } else { GROUPS_SHOWN }),
            order: measures.order,
            asked,
            measured: known,
            by,
            groups: Vec::new(),
            places: HashMap::default(),
            key: String::new(),
            rows: 0,
            of_another_width: 0,
            odd: None,
            kept: 0,
        };
        if summarize.by.is_empty() {
            // All rows are a group, even if there are none.
            summarize.group()?;
        }
        Ok(summarize)
    }

    /// Takes a row of the file, before any filter. False if nobody knows which cell is under which column.
    pub(crate) fn sees(&mut self, row: Row<'_>) -> bool {
        self.rows += 1;
        if row.fits(&self.columns) {
            return true;
        }
        self.of_another_width += 1;
        if let (None, Row::Cells(cells)) = (&self.odd, row) {
            let line = line(cells, self.delimiter.unwrap_or(b','));
            let example = format!("row {} with {} cells: {line}", self.rows, cells.len());
            self.odd = Some(Odd { example, is_wider: cells.len() > self.columns.len() });
        }
        !self.uses_cells
    }

    /// Takes a row that matches.
    pub(crate) fn take(&mut self, row: Row<'_>) -> Result<(), Problem> {
        self.key.clear();
        for by in &mut self.by {
            by.add_name(row, &mut self.key);
        }
        let place = match self.places.get(&self.key) {
            Some(place) => *place,
            None => self.group()?,
        };
        let group = &mut self.groups[place];
        group.rows += 1;
        for (measured, numbers) in self.measured.iter_mut().zip(&mut group.numbers) {
            let Some(amount) = measured.notation.count(&row.cell(&measured.column))? else { continue };
            numbers.count += 1;
            if measured.has_sum {
                numbers.sum.add(amount);
            }
            if measured.has_extremes {
                let (least, greatest) = numbers.extremes.get_or_insert((amount, amount));
                *least = amount.min(*least);
                *greatest = amount.max(*greatest);
            }
            if measured.keeps_values {
                if self.kept == VALUES_KEPT_MAX {
                    return Err(Problem::TooManyToKeep { column: measured.column.label.clone() });
                }
                self.kept += 1;
                numbers.kept.push(amount);
            }
        }
        Ok(())
    }

    /// Adds the group with the names in the key.
    fn group(&mut self) -> Result<usize, Problem> {
        let place = self.groups.len();
        if place == GROUPS_MAX {
            let columns: Vec<String> = self.by.iter().map(|by| format!("column {}", by.column.label)).collect();
            return Err(Problem::TooManyGroups { by: columns.join(" with ") });
        }
        let (mut names, mut rest) = (Vec::with_capacity(self.by.len()), self.key.as_str());
        while let Some(length) = rest.chars().next() {
            rest = &rest[length.len_utf8()..];
            let (name, after) = rest.split_at(u32::from(length) as usize);
            names.push(name.to_owned());
            rest = after;
        }
        let numbers = self.measured.iter().map(|_| Numbers::default()).collect();
        self.groups.push(Group { names, rows: 0, numbers });
        self.places.insert(self.key.clone(), place);
        Ok(place)
    }

    pub(crate) fn answer(mut self, file: String, filter: &Matchers) -> Result<answer::Summary, Problem> {
        let mut left_out = Vec::new();
        left_out.extend(self.width_left_out()?);
        left_out.extend(filter.left_out(true)?);
        left_out.extend(self.by.iter().map(By::left_out).collect::<Result<Vec<_>, _>>()?.into_iter().flatten());
        for (place, measured) in self.measured.iter().enumerate() {
            left_out.extend(self.number_left_out(place, measured)?);
        }
        let mut assumed: Vec<String> =
            self.measured.iter().filter_map(|measured| measured.notation.assumption()).collect();
        let new = filter.assumptions().into_iter().filter(|assumption| !assumed.contains(assumption));
        assumed.extend(new.collect::<Vec<_>>());
        let mut columns: Vec<(&'static str, String)> =
            self.by.iter().zip(["group", "group_2"]).map(|(by, name)| (name, by.label())).collect();
        columns.extend(
            self.asked.iter().map(|(measure, place)| (measure.name(), self.measured[*place].column.label.clone())),
        );
        let count = self.groups.len();
        let counted = self.averaged_with_gaps();
        let groups = self.shown(counted);
        Ok(answer::Summary {
            left_out: (!left_out.is_empty()).then(|| left_out.join(". ")),
            assumed: (!assumed.is_empty()).then(|| assumed.join(". ")),
            file,
            percent: self.percent(),
            columns,
            groups_not_shown: count - groups.len(),
            groups,
            units: self.measured.iter().filter_map(|measured| measured.notation.unit()).collect(),
        })
    }

    /// Which percentile the groups hold.
    fn percent(&self) -> Option<u8> {
        self.asked.iter().find_map(|(measure, _)| match measure {
            Measure::Percentile(percent) => Some(*percent),
            _ => None,
        })
    }

    /// The column whose mean, median or percentile is of fewer values than a group has rows: its groups say of how many.
    fn averaged_with_gaps(&self) -> Option<usize> {
        let is_average = |measure: Measure| matches!(measure, Measure::Mean | Measure::Median | Measure::Percentile(_));
        let (_, place) = *self.asked.iter().find(|(measure, _)| is_average(*measure))?;
        self.groups.iter().any(|group| group.numbers[place].count < group.rows).then_some(place)
    }

    /// The groups in the order that was asked for, as many as are shown. `counted` is the column whose values are counted.
    fn shown(&mut self, counted: Option<usize>) -> Vec<Vec<(&'static str, Value)>> {
        let is_ascending = self.order == Some(Order::Ascending);
        let cut = self.by.iter().position(|by| by.cut.is_some()).filter(|_| self.order.is_none());
        let first = self.asked.first().copied();
        let ranked = std::mem::take(&mut self.groups).into_iter().map(|mut group| (group.rank(first), group));
        let mut ranked: Vec<(Option<f64>, Group)> = ranked.collect();
        ranked.sort_by(|(one, one_group), (other, other_group)| {
            // A group without any number comes last either way.
            let by_value = match (one, other) {
                (Some(one), Some(other)) if is_ascending => one.total_cmp(other),
                (Some(one), Some(other)) => other.total_cmp(one),
                (one, other) => one.is_none().cmp(&other.is_none()),
            };
            let by_date = cut.map_or(Ordering::Equal, |cut| in_time(&one_group.names[cut], &other_group.names[cut]));
            by_date.then(by_value).then_with(|| one_group.names.cmp(&other_group.names))
        });
        // Of dates the newest: what is in parentheses sorts before them.
        let skipped = if cut.is_some() { ranked.len().saturating_sub(self.limit) } else { 0 };
        ranked.into_iter().skip(skipped).take(self.limit).map(|(_, group)| group.shown(&self.asked, counted)).collect()
    }

    /// What to say about rows with another number of cells than the header.
    fn width_left_out(&self) -> Result<Option<String>, Problem> {
        let Some(Odd { example, is_wider }) = &self.odd else { return Ok(None) };
        let odd = format!(
            "{} of {} rows have another number of cells than the header, which has {}",
            self.of_another_width,
            self.rows,
            self.columns.len()
        );
        if self.uses_cells && self.of_another_width * 100 > LEFT_OUT_PERCENT_MAX * self.rows {
            let cause = match (is_wider, self.delimiter) {
                (false, _) => "a line that is cut short",
                (true, Some(b',')) => "a number with a comma that is not quoted",
                (true, _) => "a delimiter inside a cell",
            };
            return Err(Problem::TooManyOfAnotherWidth { odd, example: example.clone(), cause });
        }
        let they = if self.uses_cells { "left out" } else { "counted" };
        Ok(Some(format!("{odd}; they are {they}, first {example}")))
    }

    /// What to say about values of a column that are no numbers.
    fn number_left_out(&self, place: usize, measured: &Measured) -> Result<Option<String>, Problem> {
        let (notation, column) = (&measured.notation, &measured.column.label);
        let (read, wrong, missing) = (notation.read, notation.wrong, notation.missing);
        let Some(example) = notation.example() else {
            if read == 0 && self.groups.iter().any(|group| group.rows > 0) {
                return Err(Problem::NoValues { column: column.clone() });
            }
            return Ok(None);
        };
        let example = example.to_owned();
        if read == 0 {
            return Err(Problem::NoNumbers { column: column.clone(), example });
        }
        let values = read + wrong;
        if wrong * 100 > LEFT_OUT_PERCENT_MAX * values {
            return Err(Problem::TooManyLeftOut { column: column.clone(), wrong, values, example });
        }
        let asked = self.asked.iter().filter(|(_, column)| *column == place);
        let names: Vec<&str> = asked.map(|(measure, _)| measure.name()).collect();
        Ok(Some(format!(
            "{} of {read} of {} values of {column}; left out is for example {example}",
            names.join(" and "),
            values + missing
        )))
    }
}

impl Group {
    /// What the group is ranked by: the first measure that was asked for, or its rows.
    fn rank(&mut self, first: Option<(Measure, usize)>) -> Option<f64> {
        let value = match first {
            Some(first) => self.measure(first),
            None => Value::count(self.rows),
        };
        if let Value::Json(number) = value { number.parse().ok() } else { None }
    }

    fn shown(mut self, asked: &[(Measure, usize)], counted: Option<usize>) -> Vec<(&'static str, Value)> {
        let names = ["group", "group_2"].into_iter().zip(std::mem::take(&mut self.names));
        let mut shown: Vec<(&'static str, Value)> = names.map(|(key, name)| (key, Value::Text(name))).collect();
        shown.push(("rows", Value::count(self.rows)));
        shown.extend(counted.map(|place| ("values", Value::count(self.numbers[place].count))));
        shown.extend(asked.iter().map(|asked| (asked.0.name(), self.measure(*asked))));
        shown
    }

    fn measure(&mut self, (measure, place): (Measure, usize)) -> Value {
        let numbers = &mut self.numbers[place];
        if numbers.count == 0 {
            // The sum of no rows is zero, that of blank cells is unknown.
            let is_zero = measure == Measure::Sum && self.rows == 0;
            return if is_zero { Value::count(0) } else { Value::Null };
        }
        let extreme = |pick: fn((Decimal, Decimal)) -> Decimal| numbers.extremes.map(pick).map(|one| one.to_string());
        let number = match measure {
            Measure::Sum => Some(numbers.sum.total()),
            Measure::Mean => Some(numbers.sum.over(numbers.count)),
            Measure::Min => extreme(|(least, _)| least),
            Measure::Max => extreme(|(_, greatest)| greatest),
            Measure::Median => median(&mut numbers.kept),
            Measure::Percentile(percent) => percentile(&mut numbers.kept, percent),
        };
        number.map_or(Value::Null, Value::Json)
    }
}

/// How the names of two groups of dates sort: all as text, but for the days of the week.
fn in_time(one: &str, other: &str) -> Ordering {
    let day = |name: &str| WEEKDAYS.iter().position(|day| *day == name);
    day(one).cmp(&day(other)).then_with(|| one.cmp(other))
}

/// The middle of some numbers, or the mean of the two in the middle.
fn median(numbers: &mut [Decimal]) -> Option<String> {
    let half = numbers.len() / 2;
    if numbers.is_empty() {
        return None;
    }
    let is_odd = numbers.len() % 2 == 1;
    let (below, upper, _) = numbers.select_nth_unstable(half);
    if is_odd {
        return Some(upper.to_string());
    }
    let lower = below.iter().max()?;
    Some(middle(*lower, *upper))
}

/// The least of some numbers that so many percent of them do not exceed, as `percentile_disc` of SQL.
fn percentile(numbers: &mut [Decimal], percent: u8) -> Option<String> {
    let rank = (numbers.len() * usize::from(percent)).div_ceil(100);
    let (_, number, _) = numbers.select_nth_unstable(rank.checked_sub(1)?);
    Some(number.to_string())
}

impl By {
    fn new(name: &str, date_column: Option<&str>, columns: &Columns, start: &[Kept]) -> Result<Self, Problem> {
        let by = |column, cut| Self { column, cut, dates: 0, wrong: 0, example: None };
        match (columns.find(name), Cut::of(name)) {
            (Err(Problem::NoColumn { .. }), Some(cut)) => {
                let column = match date_column {
                    Some(name) => columns.find(name)?,
                    None => date_column_of(columns, start)?,
                };
                Ok(by(column, Some(cut)))
            }
            (found, _) => Ok(by(found?, None)),
        }
    }

    fn label(&self) -> String {
        let column = &self.column.label;
        self.cut.map_or_else(|| column.clone(), |cut| format!("{} of {column}", cut.name()))
    }

    /// Adds the name of the row's group to a key, behind its length.
    fn add_name(&mut self, row: Row<'_>, key: &mut String) {
        let cell = row.cell(&self.column);
        let text = cell.text();
        let cut;
        let name = if let Some(unit) = self.cut {
            cut = self.date(&text, unit);
            cut.as_str()
        } else if text.is_empty() {
            MISSING
        } else if text.len() <= NAME_CHARS_MAX {
            &*text
        } else {
            cut = short(&text, NAME_CHARS_MAX);
            cut.as_str()
        };
        // Eighty characters have at most 320 bytes, which are all the codes of characters.
        key.push(u32::try_from(name.len()).ok().and_then(char::from_u32).expect("a name is short"));
        key.push_str(name);
    }

    fn date(&mut self, text: &str, unit: Cut) -> String {
        if let Some(name) = Moment::read(text).and_then(|moment| moment.cut(unit)) {
            self.dates += 1;
            return name;
        }
        if is_missing(text) {
            return MISSING.to_owned();
        }
        self.wrong += 1;
        self.example.get_or_insert_with(|| short(text.trim(), 40));
        NO_DATE.to_owned()
    }

    /// What to say about dates that cannot be read.
    fn left_out(&self) -> Result<Option<String>, Problem> {
        let Some(example) = &self.example else { return Ok(None) };
        let (column, example) = (self.column.label.clone(), example.clone());
        if self.dates == 0 {
            return Err(Problem::NotDates { column, example });
        }
        let (wrong, all) = (self.wrong, self.dates + self.wrong);
        Ok(Some(format!(
            "{wrong} of {all} values of {column} are no dates, for example {example}; they are in {NO_DATE}"
        )))
    }
}

/// The only column whose first values are dates.
fn date_column_of(columns: &Columns, start: &[Kept]) -> Result<Column, Problem> {
    let is_dates = |column: &&Column| {
        let mut dates = 0;
        let is_sound = start.iter().all(|row| {
            row.with(|row| {
                let cell = row.cell(column);
                let text = cell.text();
                let is_date = Moment::read(&text).is_some();
                dates += u64::from(is_date);
                is_date || is_missing(&text) || !row.fits(columns)
            })
            .unwrap_or(true)
        });
        is_sound && dates > 0
    };
    let mut found: Vec<&Column> = columns.iter().filter(is_dates).collect();
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(Problem::NoDates { labels: columns.labels() }),
        (Some(column), true) => Ok(column.clone()),
        (Some(last), false) => {
            found.push(last);
            Err(Problem::SeveralDates { labels: found.into_iter().map(|column| column.label.clone()).collect() })
        }
    }
}

/// The character before decimals that is usual in such a file.
pub(crate) fn usual(delimiter: Option<u8>) -> char {
    if delimiter == Some(b';') { ',' } else { '.' }
}

/// A row as its file has it, without quotes, for a message.
fn line(cells: Cells<'_>, delimiter: u8) -> String {
    let mut line = String::new();
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            line.push(char::from(delimiter));
        }
        line.push_str(cell);
        if line.len() > 4 * NAME_CHARS_MAX {
            break;
        }
    }
    short(&line, NAME_CHARS_MAX)
}
