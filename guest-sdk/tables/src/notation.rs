//! How one column writes its numbers: `1,299.99` or `1.299,99`, in dollars or in percent.

use std::borrow::Cow;

use crate::answer::{LabelledText, short};
use crate::decimal::Decimal;
use crate::problem::Problem;
use crate::row::Cell;

/// Characters of a value that a message shows.
const EXAMPLE_CHARS_MAX: usize = 40;

/// Signs of currencies. Up to two capital letters may be in front of one: `US$`.
const SIGNS: &[char] = &['$', '€', '£', '¥', '₹', '₩', '₽', '₺', '₪', '₫', '₴', '₱', '₦'];

/// Codes and words for currencies.
const CODES: &[&str] = &[
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
    "RON", "TRY", "RUB", "BRL", "MXN", "ZAR", "KRW", "SGD", "HKD", "kr", "zł", "Kč",
];

/// How people write, in lower case, that there is no value.
const MISSING: &[&str] = &["", "n/a", "#n/a", "na", "n.a.", "nan", "null", "none", "nil", "-", "--", "–", "—", "?"];

/// Whether a text says that there is no value, or is blank.
pub(crate) fn is_missing(text: &str) -> bool {
    let text = text.trim();
    // The longest has four letters, of three bytes each at most.
    text.len() <= 12 && MISSING.contains(&text.to_lowercase().as_str())
}

/// What a number's digits show about the character before its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Nothing: `12`.
    None,
    /// `1.5`, `1,299.99`, and also `1,000,000`.
    Point,
    /// `1,5`, `1.299,99`, and also `1.000.000`.
    Comma,
    /// Either: `1,234`.
    Open,
}

/// A number as people write it.
#[derive(Debug, PartialEq, Eq)]
struct Parts<'a> {
    negative: bool,
    /// `%`, a currency, or empty.
    unit: &'a str,
    digits: Cow<'a, str>,
    mark: Mark,
}

/// How one column writes its numbers, learned from its first values and from those that follow.
#[derive(Debug)]
pub(crate) struct Notation {
    /// The column, as messages name it.
    name: String,
    /// The character before decimals, `.` or `,`, once a value showed it.
    decimal: Option<char>,
    /// The one that a file like this has if no value shows it.
    usual: char,
    unit: Option<String>,
    /// The first value that could be read in two ways, if no value said which, or too few did.
    assumed: Option<String>,
    /// Whether the mark is unusual in such a file, and fewer values show it than leave it open: it may be a slip.
    is_doubtful: bool,
    /// Whether a number as programs write it is one of this column.
    is_plain: bool,
    /// Values that were read.
    pub(crate) read: u64,
    /// Values that say that there is none, such as `n/a`.
    pub(crate) missing: u64,
    /// Other values that are no numbers of this column.
    pub(crate) wrong: u64,
    missing_example: Option<String>,
    wrong_example: Option<String>,
}

impl Notation {
    /// Looks at the first values of a column.
    pub(crate) fn new<'a>(name: &str, usual: char, values: impl Iterator<Item = Cell<'a>>) -> Self {
        let mut units: Vec<(String, u64)> = Vec::new();
        let (mut points, mut commas, mut open, mut open_value) = (0_u64, 0_u64, 0_u64, None);
        for value in values {
            let Some(parts) = parts(&value) else { continue };
            match units.iter_mut().find(|(unit, _)| unit == parts.unit) {
                Some((_, count)) => *count += 1,
                // As many as there are ways to write a currency.
                None => units.push((parts.unit.to_owned(), 1)),
            }
            match parts.mark {
                Mark::Point => points += 1,
                Mark::Comma => commas += 1,
                Mark::Open => {
                    open += 1;
                    open_value.get_or_insert_with(|| value.text().into_owned());
                }
                Mark::None => {}
            }
        }
        let decimal = if points == 0 && commas == 0 { None } else { Some(if points >= commas { '.' } else { ',' }) };
        let shown = if decimal == Some(',') { commas } else { points };
        let is_doubtful = decimal.is_some_and(|decimal| decimal != usual) && shown < open;
        // Of equals the first.
        let mut unit = units.iter().rev().max_by_key(|(_, count)| *count).map(|(unit, _)| unit.clone());
        if unit.as_deref() == Some("") {
            // Some values may leave the currency out, but none the percent sign.
            let other = units.iter().find(|(unit, _)| !unit.is_empty() && unit != "%");
            unit = Some(other.map_or_else(String::new, |(unit, _)| unit.clone()));
        }
        let is_plain = decimal == Some('.') && unit.as_deref() != Some("%");
        Self {
            name: name.to_owned(),
            decimal,
            usual,
            unit,
            assumed: if is_doubtful { open_value } else { None },
            is_doubtful,
            is_plain,
            read: 0,
            missing: 0,
            wrong: 0,
            missing_example: None,
            wrong_example: None,
        }
    }

    /// A value as a number, `12%` as 12, and counted. What is no number of this column is counted as left out; a blank
    /// is no value.
    pub(crate) fn count(&mut self, value: &Cell<'_>) -> Result<Option<Decimal>, Problem> {
        if value.is_blank() {
            return Ok(None);
        }
        let amount = self.number(value)?;
        if amount.is_some() {
            self.read += 1;
            return Ok(amount);
        }
        let text = value.text();
        if is_missing(&text) {
            if !text.trim().is_empty() {
                self.missing += 1;
                self.missing_example.get_or_insert_with(|| short(text.trim(), EXAMPLE_CHARS_MAX));
            }
        } else {
            self.wrong += 1;
            self.wrong_example.get_or_insert_with(|| short(text.trim(), EXAMPLE_CHARS_MAX));
        }
        Ok(None)
    }

    fn number(&mut self, value: &Cell<'_>) -> Result<Option<Decimal>, Problem> {
        let text = match value {
            Cell::Missing => return Ok(None),
            Cell::Other(text) => {
                let amount = Decimal::plain(text);
                if amount.is_some() {
                    self.unit.get_or_insert_default();
                }
                return Ok(amount.filter(|_| self.unit.as_deref() != Some("%")));
            }
            Cell::Text(text) => text,
        };
        if self.is_plain || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())) {
            let amount = Decimal::plain(text);
            if amount.is_some() {
                self.unit.get_or_insert_default();
                return Ok(amount.filter(|_| self.unit.as_deref() != Some("%")));
            }
        }
        let Some(parts) = parts(value) else { return Ok(None) };
        if self.unit.as_deref() != Some(parts.unit) && !self.takes(parts.unit) {
            return Ok(None);
        }
        match parts.mark {
            Mark::Open if self.decimal.is_none() => {
                self.decimal = Some(self.usual);
                self.assumed = Some(text.to_string());
            }
            Mark::Point | Mark::Comma => {
                let mark = if parts.mark == Mark::Point { '.' } else { ',' };
                if self.decimal.is_some_and(|decimal| decimal != mark) {
                    return match &self.assumed {
                        Some(assumed) => Err(Problem::TwoNotations {
                            column: self.name.clone(),
                            one: short(assumed, EXAMPLE_CHARS_MAX),
                            other: short(text, EXAMPLE_CHARS_MAX),
                        }),
                        None => Ok(None),
                    };
                }
                self.decimal = Some(mark);
                if !self.is_doubtful {
                    self.assumed = None;
                }
                self.is_plain = mark == '.' && self.unit.as_deref() != Some("%");
            }
            Mark::Open | Mark::None => {}
        }
        Ok(parts.amount(self.decimal))
    }

    /// Whether a value may have this unit, although it is not the one of the column so far.
    fn takes(&mut self, unit: &str) -> bool {
        if self.unit.is_none() || (self.unit.as_deref() == Some("") && unit != "%") {
            self.unit = Some(unit.to_owned());
            self.is_plain = self.decimal == Some('.') && unit != "%";
            return true;
        }
        unit.is_empty() && self.unit.as_deref() != Some("%")
    }

    /// The character before decimals, once a value showed it.
    pub(crate) fn decimal(&self) -> Option<char> {
        self.decimal
    }

    /// What was left out, for example.
    pub(crate) fn example(&self) -> Option<&str> {
        self.wrong_example.as_deref().or(self.missing_example.as_deref())
    }

    /// The unit of the column, if it has one.
    pub(crate) fn unit(&self) -> Option<LabelledText> {
        let unit = self.unit.as_ref().filter(|unit| !unit.is_empty())?;
        Some((self.name.clone(), unit.clone()))
    }

    /// What was taken for granted: `amount: 1,234 is read as 1.234`.
    pub(crate) fn assumption(&self) -> Option<String> {
        let assumed = self.assumed.as_ref()?;
        let amount = parts(&Cell::Text(Cow::Borrowed(assumed)))?.amount(self.decimal)?;
        Some(format!("{}: {} is read as {amount}", self.name, short(assumed.trim(), EXAMPLE_CHARS_MAX)))
    }
}

impl Parts<'_> {
    fn amount(&self, decimal: Option<char>) -> Option<Decimal> {
        let thousands = if decimal == Some(',') { '.' } else { ',' };
        let amount = if self.digits.contains([',', '.']) {
            let digits = self.digits.replace(thousands, "");
            Decimal::plain(&if decimal == Some(',') { digits.replace(',', ".") } else { digits })?
        } else {
            Decimal::plain(&self.digits)?
        };
        Some(if self.negative { amount.negated() } else { amount })
    }
}

/// A number that somebody asks about, such as `$1,299.50`; nothing for what is none or could be read in two ways.
pub(crate) fn asked(text: &str) -> Option<Decimal> {
    if let Some(amount) = Decimal::plain(text) {
        return Some(amount);
    }
    let cell = Cell::Text(Cow::Borrowed(text));
    let parts = parts(&cell)?;
    match parts.mark {
        Mark::None => parts.amount(None),
        Mark::Point => parts.amount(Some('.')),
        Mark::Comma => parts.amount(Some(',')),
        Mark::Open => None,
    }
}

/// The parts of a number; nothing for what is none.
fn parts<'a>(value: &'a Cell<'_>) -> Option<Parts<'a>> {
    let text = match value {
        Cell::Missing => return None,
        Cell::Other(text) => {
            Decimal::plain(text)?;
            return Some(Parts { negative: false, unit: "", digits: Cow::Borrowed(text), mark: Mark::None });
        }
        Cell::Text(text) => text.trim(),
    };
    // Thirty-six digits, a sign or space after each, and the units.
    if text.len() > 120 || text.is_empty() {
        return None;
    }
    if is_with_exponent(text) {
        let mark = if text.contains('.') { Mark::Point } else { Mark::None };
        return Some(Parts { negative: false, unit: "", digits: Cow::Borrowed(text), mark });
    }
    let (opened, rest) = eaten(text, "(");
    let (sign, rest) = sign(rest.trim_start());
    let (before, rest) = currency(rest.trim_start());
    let (inner, rest) = self::sign(rest.trim_start());
    let rest = rest.trim_start();
    let length = digits_length(rest)?;
    let (digits, rest) = rest.split_at(length);
    let (behind, rest) = match eaten(rest, "%") {
        (true, after) => (&rest[..1], after),
        (false, _) => currency(rest),
    };
    let (closed, rest) = eaten(rest.trim_start(), ")");
    let signs = u8::from(sign.is_some()) + u8::from(inner.is_some()) + u8::from(opened);
    if !rest.is_empty() || opened != closed || (!before.is_empty() && !behind.is_empty()) || signs > 1 {
        return None;
    }
    let digits = digits.trim();
    let mark = mark(digits)?;
    let negative = opened || sign.or(inner).is_some_and(|sign| sign != '+');
    let digits =
        if digits.contains(is_spacing) { Cow::Owned(digits.replace(is_spacing, "")) } else { Cow::Borrowed(digits) };
    Some(Parts { negative, unit: if before.is_empty() { behind } else { before }, digits, mark })
}

/// Whether this is a number as programs write it, with an exponent.
fn is_with_exponent(text: &str) -> bool {
    text.contains(['e', 'E'])
        && text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-'))
        && Decimal::plain(text).is_some()
}

fn eaten<'a>(text: &'a str, front: &str) -> (bool, &'a str) {
    text.strip_prefix(front).map_or((false, text), |rest| (true, rest))
}

fn sign(text: &str) -> (Option<char>, &str) {
    let sign = text.chars().next().filter(|sign| matches!(sign, '-' | '+' | '−'));
    (sign, &text[sign.map_or(0, char::len_utf8)..])
}

/// The currency that a text starts with, or an empty one.
fn currency(text: &str) -> (&str, &str) {
    let letters = text.bytes().take(2).take_while(u8::is_ascii_uppercase).count();
    let sign = text[letters..].chars().next().filter(|sign| SIGNS.contains(sign));
    let length = match sign {
        Some(sign) => letters + sign.len_utf8(),
        None => CODES.iter().find(|code| text.starts_with(**code)).map_or(0, |code| code.len()),
    };
    text.split_at(length)
}

/// How many bytes of digits, and of marks between them, a text starts with; nothing without a digit.
fn digits_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if first.is_ascii_digit() {
        let is_inside = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',') || is_spacing(letter);
        return Some(text.find(|letter| !is_inside(letter)).unwrap_or(text.len()));
    }
    let decimals = text.get(1..).filter(|_| matches!(first, '.' | ','))?;
    let length = decimals.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0).then_some(length + 1)
}

/// Apostrophes and spaces only ever are between thousands.
fn is_spacing(letter: char) -> bool {
    matches!(letter, '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}')
}

/// What digits show before the decimals; nothing if digits are not grouped like this.
fn mark(digits: &str) -> Option<Mark> {
    let end = digits.find(['.', ',']).unwrap_or(digits.len());
    if digits[..end].contains(is_spacing) {
        let (whole, decimals) = digits.split_at(end);
        let is_decimals = |text: &str| text.len() > 1 && text[1..].bytes().all(|byte| byte.is_ascii_digit());
        return match decimals.as_bytes().first() {
            _ if !in_thousands(whole, is_spacing) => None,
            None => Some(Mark::None),
            Some(_) if !is_decimals(decimals) => None,
            Some(b'.') => Some(Mark::Point),
            Some(_) => Some(Mark::Comma),
        };
    }
    if digits.contains(is_spacing) {
        return None;
    }
    let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
    let Some(place) = digits.rfind(['.', ',']) else { return Some(Mark::None) };
    let (whole, decimals) = (&digits[..place], &digits[place + 1..]);
    let (last, last_mark, other, other_mark) = if digits[place..].starts_with('.') {
        ('.', Mark::Point, ',', Mark::Comma)
    } else {
        (',', Mark::Comma, '.', Mark::Point)
    };
    if points > 0 && commas > 0 {
        let is_sound = digits.matches(last).count() == 1 && !decimals.is_empty();
        return (is_sound && in_thousands(whole, |letter| letter == other)).then_some(last_mark);
    }
    if points + commas > 1 {
        return in_thousands(digits, |letter| letter == last).then_some(other_mark);
    }
    if decimals.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0') {
        return Some(Mark::Open);
    }
    (!decimals.is_empty()).then_some(last_mark)
}

/// Whether these are up to three digits, and then at least one group of three behind a mark.
fn in_thousands(digits: &str, is_mark: impl Fn(char) -> bool) -> bool {
    let mut groups = digits.split(is_mark);
    let is_group = |group: &str, least: usize| {
        (least..=3).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut more = 0;
    groups.next().is_some_and(|first| is_group(first, 1))
        && groups.inspect(|_| more += 1).all(|group| is_group(group, 3))
        && more > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(text))
    }

    /// The values of a column as numbers, what was assumed, and the unit.
    fn column(usual: char, values: &[&str]) -> (Vec<Option<String>>, Option<String>, String) {
        let mut notation = Notation::new("n", usual, values.iter().map(|value| cell(value)));
        let numbers = values
            .iter()
            .map(|value| notation.count(&cell(value)).expect("one notation").map(|amount| amount.to_string()))
            .collect();
        (numbers, notation.assumption(), notation.unit().map_or_else(String::new, |(_, unit)| unit))
    }

    #[test]
    fn numbers_are_read_as_their_column_writes_them() {
        for (values, expected, unit) in [
            (&["1,299.99", "5", "-3.5"][..], &["1299.99", "5", "-3.5"][..], ""),
            (&["1.299,99", "1.234", "0,5"], &["1299.99", "1234", "0.5"], ""),
            (&["$1,299.99", "$5", "($5.00)"], &["1299.99", "5", "-5"], "$"),
            (&["-$5.50", "$-5", "+$5"], &["-5.5", "-5", "5"], "$"),
            (&["US$ 5.25", "7"], &["5.25", "7"], "US$"),
            (&["5 EUR", "1 299,50 EUR"], &["5", "1299.5"], "EUR"),
            (&["12%", "8.5 %", "0%"], &["12", "8.5", "0"], "%"),
            (&["1'299.50", "1’000"], &["1299.5", "1000"], ""),
            (&["1\u{a0}299,5", "1\u{202f}000\u{202f}000"], &["1299.5", "1000000"], ""),
            (&["1.000.000", "2.500"], &["1000000", "2500"], ""),
            (&["1,000,000", "2,500"], &["1000000", "2500"], ""),
            (&["−5", "1e3", "1.5E-2"], &["-5", "1000", "0.015"], ""),
            (&["100 kr", "2 500 kr"], &["100", "2500"], "kr"),
            (&[".5", ",5"], &["0.5", "-"], ""),
            (&["12%", "5"], &["12", "-"], "%"),
            (&["$5", "5%"], &["5", "-"], "$"),
            (
                &["5,00", "5.00,5", "1,2,3", "12,34.5", "--5", "(-5)", "(5", "5 5", "1 2345", "$5$"],
                &["5", "-", "-", "-", "-", "-", "-", "-", "-", "-"],
                "",
            ),
        ] {
            let expected = expected.iter().map(|text| (*text != "-").then(|| (*text).to_owned())).collect();
            assert_eq!(column('.', values), (expected, None, unit.to_owned()), "{values:?}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_said() {
        let numbers = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
        let (found, assumed, _) = column(',', &["1.234", "2.500"]);
        assert_eq!((found, assumed.as_deref()), (numbers(&["1234", "2500"]), Some("n: 1.234 is read as 1234")));
        let (found, assumed, _) = column('.', &["1.234", "2.500"]);
        assert_eq!((found, assumed.as_deref()), (numbers(&["1.234", "2.5"]), Some("n: 1.234 is read as 1.234")));
        // One value that shows the unusual mark does not decide for three that leave it open.
        let (found, assumed, _) = column('.', &["1,234", "5,678", "12,500", "1,2"]);
        assert_eq!(
            (found, assumed.as_deref()),
            (numbers(&["1.234", "5.678", "12.5", "1.2"]), Some("n: 1,234 is read as 1.234"))
        );
        let mut notation = Notation::new("n", '.', std::iter::once(cell("1,234")));
        assert!(notation.count(&cell("1,234")).is_ok());
        assert!(matches!(notation.count(&cell("1,5")), Err(Problem::TwoNotations { .. })));
    }

    #[test]
    fn values_that_are_missing_are_not_wrong() {
        let mut notation = Notation::new("n", '.', std::iter::empty());
        for value in ["n/a", " NULL ", "-", "—", "", "  ", "abc", "2026-01-01"] {
            assert_eq!(notation.count(&cell(value)).expect("one notation"), None, "{value}");
        }
        assert_eq!((notation.read, notation.missing, notation.wrong, notation.example()), (0, 4, 2, Some("abc")));
        assert_eq!(notation.count(&Cell::Other("true")).expect("one notation"), None);
        assert_eq!(notation.wrong, 3);
    }

    #[test]
    fn a_number_that_is_asked_about_can_be_read_in_one_way() {
        let bound = |text: &str| asked(text).map(|amount| amount.to_string());
        assert_eq!(
            (bound("$1,299.50"), bound("1,5"), bound("1,500"), bound("12%")),
            (Some("1299.5".to_owned()), Some("1.5".to_owned()), None, Some("12".to_owned()))
        );
    }
}
