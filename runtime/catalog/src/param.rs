//! Parameters: what a template declares about each value, and the check of values against that.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::instant::Instant;
use crate::param_error::{Bounds, ParamError, closest};
use crate::period::Period;
use crate::window::Window;
use crate::words::WordPattern;

/// The most characters of a string whose parameter declares no `length_max`: a long title, not a document.
pub const LENGTH_MAX_DEFAULT: usize = 200;

/// The largest `length_max` a template may declare. Every string is copied into the script and into the guest, and
/// each character may take ten there; a template that needs more text than this needs another way to get it.
pub const LENGTH_MAX_MAX: usize = 10_000;

/// The most values of a list whose parameter declares no `items_max`.
pub const ITEMS_MAX_DEFAULT: usize = 20;

/// The largest `items_max` a template may declare; as with [`LENGTH_MAX_MAX`], more than this is data and needs another
/// way in.
pub const ITEMS_MAX_MAX: usize = 1000;

/// One declared parameter of a template. Only reading a `template.toml` makes one.
#[derive(Debug, Clone)]
pub struct ParamSpec {
    pub(crate) name: String,
    pub(crate) kind: ParamKind,
    pub(crate) description: String,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    pub(crate) default_from: Option<String>,
    pub(crate) unit: Option<String>,
    pub(crate) example: Option<Value>,
    pub(crate) words: Vec<WordPattern>,
    pub(crate) values_from: Option<ValuesFrom>,
    pub(crate) values_where: Option<ValuesWhere>,
    pub(crate) values_give: BTreeMap<String, String>,
    pub(crate) confirmed_by: Option<ValuesFrom>,
    pub(crate) ahead: bool,
}

/// Which of the names of a source are values: those whose row has one of these texts in a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValuesWhere {
    /// The field.
    pub field: String,
    /// The texts.
    pub is: Vec<String>,
}

/// Where the values of a parameter come from: names that exist, so that a sentence can say one without its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValuesFrom {
    /// The files of the directories that the template reads, and their folders.
    Files,
    /// A field of each row that another template of the pack answers. Values that it requires are those of the parameters with
    /// the same names.
    Template {
        /// Its name in the pack.
        name: String,
        /// The field.
        field: String,
    },
}

/// The type of a parameter with the bounds that belong to it.
#[derive(Debug, Clone)]
pub enum ParamKind {
    /// Text without control characters.
    String {
        /// What the whole text must match.
        pattern: Option<Pattern>,
        /// The most characters.
        length_max: usize,
        /// Whether the text may be several words of a sentence (`type = "text"`).
        several_words: bool,
    },
    /// A whole number.
    Integer {
        /// The smallest.
        min: Option<i64>,
        /// The largest.
        max: Option<i64>,
    },
    /// A number.
    Number {
        /// The smallest.
        min: Option<f64>,
        /// The largest.
        max: Option<f64>,
    },
    /// True or false.
    Boolean,
    /// One of a few declared words.
    Enum {
        /// The words, in declared order.
        choices: Vec<Choice>,
    },
    /// A length of time, as canonical text such as `24h`.
    Duration {
        /// The shortest.
        min: Option<Period>,
        /// The longest.
        max: Option<Period>,
    },
    /// A span of time, as canonical text such as `24h` or `2026-11-20T00:00:00Z/2026-11-21T00:00:00Z`.
    Window {
        /// The shortest.
        min: Option<Period>,
        /// The longest. A window with one bound has no length.
        max: Option<Period>,
    },
    /// A point in time, as canonical text such as `2026-11-20T10:00:00Z`.
    Datetime {
        /// The earliest.
        min: Option<Instant>,
        /// The latest.
        max: Option<Instant>,
    },
    /// Several values of one type, in their order. As text they are separated by commas.
    List {
        /// The type of each; never a list.
        item: Box<ParamKind>,
        /// The most values.
        items_max: usize,
    },
}

/// One value of an enum parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value as scripts see it.
    pub value: String,
    /// Other words that are read as it.
    pub synonyms: Vec<String>,
}

/// A regular expression that must match from the first character to the last.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    /// What a text that matches is, in words, as in "the name of a CSV file".
    says: Option<String>,
    /// Compiled at the first look: a command needs a few of some hundred patterns, and each costs a tenth of a millisecond.
    /// Nothing when it is too large to be compiled, and then nothing matches.
    regex: OnceLock<Option<regex::Regex>>,
}

impl ParamSpec {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its type and bounds.
    #[must_use]
    pub fn kind(&self) -> &ParamKind {
        &self.kind
    }

    /// What it means, for people.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Whether a script needs a value for it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// The value it has when none is given.
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// The setting of the configured origin that supplies it when no value is given, such as `sentry.organization`.
    #[must_use]
    pub fn default_from(&self) -> Option<&str> {
        self.default_from.as_deref()
    }

    /// How its value appears in a sentence.
    #[must_use]
    pub fn words(&self) -> &[WordPattern] {
        &self.words
    }

    /// What an amount counts, such as `errors`.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Where its values come from, if that is declared.
    #[must_use]
    pub fn values_from(&self) -> Option<&ValuesFrom> {
        self.values_from.as_ref()
    }

    /// Which names of that source are values of this parameter. All are, unless it is declared.
    #[must_use]
    pub fn values_where(&self) -> Option<&ValuesWhere> {
        self.values_where.as_ref()
    }

    /// Other parameters that a name of that source gives a value as well, each with the field of the name's row: the value
    /// `Norway` of a column says which column is meant.
    #[must_use]
    pub fn values_give(&self) -> &BTreeMap<String, String> {
        &self.values_give
    }

    /// What says which words of a sentence its data hold: a template that requires one value, the sentence. Such a text needs no word
    /// that announces it.
    #[must_use]
    pub fn confirmed_by(&self) -> Option<&ValuesFrom> {
        self.confirmed_by.as_ref()
    }

    /// Whether its times may lie ahead, as the dates of invoices that are due: "this month" goes on until its end.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.ahead
    }

    /// Whether its value may be several words of a sentence.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, ParamKind::String { several_words: true, .. })
    }

    /// Whether its only shape tells a value from a plain word: `WEB-42`, `#17`.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        matches!(&self.kind, ParamKind::String { pattern: Some(pattern), .. } if !pattern.matches("word"))
    }

    /// Whether its declaration gives an example.
    #[must_use]
    pub fn has_example(&self) -> bool {
        self.example.is_some()
    }

    /// Whether only the caller can supply it: it is required, and has neither a default nor a setting.
    #[must_use]
    pub fn must_be_given(&self) -> bool {
        self.required && self.default.is_none() && self.default_from.is_none()
    }

    /// A valid value, as text.
    #[must_use]
    pub fn example(&self) -> String {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match self.example.as_ref().or(self.default.as_ref()) {
            Some(Value::Array(items)) => items.iter().map(plain).collect::<Vec<_>>().join(","),
            Some(value) => plain(value),
            None => self.kind.example(),
        }
    }

    /// Checks a value against the type and the bounds, and returns it as scripts will see it.
    ///
    /// Only durations and times change here, to their canonical text; nothing is converted from one type to another.
    ///
    /// # Errors
    ///
    /// When the value has another type, or is outside the declared bounds.
    pub fn check(&self, value: &Value) -> Result<Value, ParamError> {
        self.check_as(&self.kind, value)
    }

    fn check_as(&self, kind: &ParamKind, value: &Value) -> Result<Value, ParamError> {
        match (kind, value) {
            (ParamKind::String { pattern, length_max, .. }, Value::String(text)) => {
                self.check_text(text, *length_max)?;
                if let Some(pattern) = pattern
                    && !pattern.matches(text)
                {
                    return Err(ParamError::NotMatching {
                        name: self.name.clone(),
                        value: text.clone(),
                        pattern: pattern.as_str().to_owned(),
                        says: pattern.says.clone(),
                        example: self.example(),
                    });
                }
            }
            (ParamKind::Integer { min, max }, Value::Number(number)) => {
                let got = if number.is_f64() { "a number with a fraction" } else { "a number of this size" };
                let integer = number.as_i64().ok_or_else(|| self.wrong_type(kind, got))?;
                self.check_range(&integer, min.as_ref(), max.as_ref())?;
            }
            (ParamKind::Number { min, max }, Value::Number(number)) => {
                let float = number.as_f64().filter(|float| float.is_finite());
                let float = float.ok_or_else(|| self.wrong_type(kind, "a number of this size"))?;
                self.check_range(&float, min.as_ref(), max.as_ref())?;
            }
            (ParamKind::Boolean, Value::Bool(_)) => {}
            (ParamKind::Enum { choices }, Value::String(text)) => {
                if !choices.iter().any(|choice| choice.value == *text) {
                    return Err(self.not_one_of(choices, text));
                }
            }
            (ParamKind::Duration { min, max }, Value::String(text)) => {
                let period: Period = text.parse().map_err(|_| self.unreadable(kind, text))?;
                self.check_range(&period, min.as_ref(), max.as_ref())?;
                return Ok(Value::String(period.to_string()));
            }
            (ParamKind::Window { min, max }, Value::String(text)) => {
                let window: Window = text.parse().map_err(|_| self.unreadable(kind, text))?;
                if let Some(length) = window.seconds().and_then(|seconds| Period::of(seconds, "s")) {
                    self.check_range(&length, min.as_ref(), max.as_ref())?;
                }
                return Ok(Value::String(window.to_string()));
            }
            (ParamKind::Datetime { min, max }, Value::String(text)) => {
                let instant: Instant = text.parse().map_err(|_| self.unreadable(kind, text))?;
                self.check_range(&instant, min.as_ref(), max.as_ref())?;
                return Ok(Value::String(instant.to_string()));
            }
            (ParamKind::List { item, items_max }, Value::Array(items)) => {
                self.check_count(items.len(), *items_max)?;
                return items.iter().map(|value| self.check_as(item, value)).collect();
            }
            _ => return Err(self.wrong_type(kind, type_name(value))),
        }
        Ok(value.clone())
    }

    /// Reads text as the declared type: for `--param limit=5`, for settings, and for words found in a sentence.
    ///
    /// Bounds are left to [`check`](Self::check), so that a number which is too large is refused as too large, and
    /// not as something else than a number.
    ///
    /// # Errors
    ///
    /// When the text is not a value of the declared type.
    pub fn read(&self, text: &str) -> Result<Value, ParamError> {
        self.read_as(&self.kind, text)
    }

    /// As [`read`](Self::read), and one value of the list where the parameter is a list.
    ///
    /// # Errors
    ///
    /// When the text is not a value of that type.
    pub fn read_item(&self, text: &str) -> Result<Value, ParamError> {
        self.read_as(self.item(), text)
    }

    /// As [`check`](Self::check), and of one value of the list where the parameter is a list.
    ///
    /// # Errors
    ///
    /// When the value has another type, or is outside the declared bounds.
    pub fn check_item(&self, value: &Value) -> Result<Value, ParamError> {
        self.check_as(self.item(), value)
    }

    fn item(&self) -> &ParamKind {
        match &self.kind {
            ParamKind::List { item, .. } => item,
            kind => kind,
        }
    }

    fn read_as(&self, kind: &ParamKind, text: &str) -> Result<Value, ParamError> {
        let value = match kind {
            ParamKind::String { .. } => Some(Value::from(text)),
            ParamKind::Integer { .. } => text.parse::<i64>().ok().map(Value::from),
            ParamKind::Number { .. } => match text.parse::<i64>() {
                Ok(integer) => Some(Value::from(integer)),
                // `Number::from_f64` refuses what Rust reads as NaN and infinities.
                Err(_) => text.parse().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
            },
            ParamKind::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(Value::Bool(true)),
                "false" | "no" | "off" => Some(Value::Bool(false)),
                _ => None,
            },
            ParamKind::Enum { choices } => match choices.iter().find(|choice| choice.is_called(text)) {
                Some(choice) => Some(Value::from(choice.value.as_str())),
                None => return Err(self.not_one_of(choices, text)),
            },
            ParamKind::Duration { .. } => text.parse::<Period>().ok().map(|period| Value::from(period.to_string())),
            ParamKind::Window { .. } => text.parse::<Window>().ok().map(|window| Value::from(window.to_string())),
            ParamKind::Datetime { .. } => text.parse::<Instant>().ok().map(|instant| Value::from(instant.to_string())),
            ParamKind::List { item, items_max } => {
                let count = text.bytes().filter(|byte| *byte == b',').count() + 1;
                self.check_count(count, *items_max)?;
                return text.split(',').map(|part| self.read_as(item, part.trim())).collect();
            }
        };
        value.ok_or_else(|| self.unreadable(kind, text))
    }

    fn check_count(&self, count: usize, items_max: usize) -> Result<(), ParamError> {
        if count > items_max {
            return Err(ParamError::TooMany { name: self.name.clone(), count, items_max });
        }
        Ok(())
    }

    fn check_text(&self, text: &str, length_max: usize) -> Result<(), ParamError> {
        // Bytes are counted first: a text that is far too long is not walked.
        let length = if text.len() > length_max * 4 { text.len() } else { text.chars().count() };
        if length > length_max {
            return Err(ParamError::TooLong { name: self.name.clone(), length, length_max });
        }
        match text.chars().enumerate().find(|(_, character)| character.is_control()) {
            Some((index, character)) => {
                Err(ParamError::ControlCharacter { name: self.name.clone(), code: u32::from(character), at: index + 1 })
            }
            None => Ok(()),
        }
    }

    fn check_range<T>(&self, value: &T, min: Option<&T>, max: Option<&T>) -> Result<(), ParamError>
    where
        T: PartialOrd + ToString,
    {
        let below = min.filter(|min| value < *min);
        let above = max.filter(|max| value > *max);
        let Some(nearest) = below.or(above) else {
            return Ok(());
        };
        Err(ParamError::OutOfRange {
            name: self.name.clone(),
            value: value.to_string(),
            bounds: Box::new(Bounds {
                min: min.map(T::to_string),
                max: max.map(T::to_string),
                unit: self.unit.clone(),
                nearest: nearest.to_string(),
            }),
        })
    }

    fn wrong_type(&self, kind: &ParamKind, got: &'static str) -> ParamError {
        ParamError::WrongType { name: self.name.clone(), expected: kind.expected(), got, example: self.example() }
    }

    fn unreadable(&self, kind: &ParamKind, text: &str) -> ParamError {
        ParamError::Unreadable {
            name: self.name.clone(),
            expected: kind.expected(),
            text: text.to_owned(),
            example: self.example(),
        }
    }

    fn not_one_of(&self, choices: &[Choice], text: &str) -> ParamError {
        ParamError::NotOneOf {
            name: self.name.clone(),
            value: text.to_owned(),
            values: choices.iter().map(|choice| choice.value.clone()).collect(),
            closest: closest(text, choices.iter().map(|choice| choice.value.as_str())),
        }
    }
}

impl ParamKind {
    /// The type in words, as in "an integer".
    #[must_use]
    pub fn expected(&self) -> &'static str {
        match self {
            Self::String { .. } => "a string",
            Self::Integer { .. } => "an integer",
            Self::Number { .. } => "a number",
            Self::Boolean => "true or false",
            Self::Enum { .. } => "one of the listed words",
            Self::Duration { .. } => "a duration",
            Self::Window { .. } => "a span of time",
            Self::Datetime { .. } => "a time",
            Self::List { .. } => "a list",
        }
    }

    fn example(&self) -> String {
        let earliest = "2026-01-31T12:00:00Z";
        match self {
            Self::String { .. } => "text".to_owned(),
            Self::Integer { min, max } => min.or(*max).unwrap_or(1).to_string(),
            Self::Number { min, max } => min.or(*max).unwrap_or(0.5).to_string(),
            Self::Boolean => "true".to_owned(),
            Self::Enum { choices } => choices.first().map_or_else(String::new, |choice| choice.value.clone()),
            Self::Duration { min, max } | Self::Window { min, max } => {
                min.or(*max).map_or_else(|| "24h".to_owned(), |period| period.to_string())
            }
            Self::Datetime { min, max } => min.or(*max).map_or_else(|| earliest.to_owned(), |time| time.to_string()),
            Self::List { item, .. } => item.example(),
        }
    }
}

impl Choice {
    /// Whether `text` is this value or one of its synonyms, whatever the case of its letters.
    fn is_called(&self, text: &str) -> bool {
        self.value.eq_ignore_ascii_case(text) || self.synonyms.iter().any(|synonym| synonym.eq_ignore_ascii_case(text))
    }
}

impl Pattern {
    /// Compiles `text`. The anchors are put around it here, so that a pattern cannot forget them.
    pub(crate) fn new(text: &str) -> Result<Self, Box<regex_syntax::Error>> {
        // Alone: `a)|(b` would be well formed between our brackets, and escape the anchors.
        regex_syntax::parse(text).map_err(Box::new)?;
        Ok(Self { text: text.to_owned(), says: None, regex: OnceLock::new() })
    }

    /// The same with words for what matches: an error says these, and not the expression.
    pub(crate) fn saying(self, says: Option<String>) -> Self {
        Self { says, ..self }
    }

    /// Whether the whole of `text` matches.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let compiled = || regex::Regex::new(&format!(r"\A(?:{})\z", self.text)).ok();
        self.regex.get_or_init(compiled).as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// The pattern as declared.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The JSON type of a value in words, as in "a string".
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(kind: ParamKind) -> ParamSpec {
        ParamSpec {
            name: "p".to_owned(),
            kind,
            description: String::new(),
            required: false,
            default: None,
            default_from: None,
            unit: None,
            example: None,
            words: Vec::new(),
            values_from: None,
            values_where: None,
            values_give: BTreeMap::new(),
            confirmed_by: None,
            ahead: false,
        }
    }

    fn slug() -> ParamKind {
        let pattern = Pattern::new("[a-z]+").expect("it is well formed");
        ParamKind::String { pattern: Some(pattern), length_max: 5, several_words: false }
    }

    fn text() -> ParamKind {
        ParamKind::String { pattern: None, length_max: 5, several_words: false }
    }

    fn sort() -> ParamKind {
        let choice =
            |value: &str, synonym: &str| Choice { value: value.to_owned(), synonyms: vec![synonym.to_owned()] };
        ParamKind::Enum { choices: vec![choice("date", "latest"), choice("freq", "frequent")] }
    }

    fn percent() -> ParamKind {
        ParamKind::Integer { min: Some(1), max: Some(100) }
    }

    fn share() -> ParamKind {
        ParamKind::Number { min: Some(0.0), max: Some(1.0) }
    }

    fn week() -> ParamKind {
        ParamKind::Duration { min: Period::of(1, "h"), max: Period::of(7, "d") }
    }

    fn this_year() -> ParamKind {
        ParamKind::Datetime { min: "2026-01-01".parse().ok(), max: "2026-12-31".parse().ok() }
    }

    fn few(item: ParamKind) -> ParamKind {
        ParamKind::List { item: Box::new(item), items_max: 2 }
    }

    /// `expected` is the checked value, or the beginning of the refusal.
    fn check(kind: ParamKind, value: &Value, expected: Result<Value, &str>) {
        let spec = spec(kind);
        match (spec.check(value), expected) {
            (Ok(checked), Ok(expected)) => assert_eq!(checked, expected, "{value}"),
            (Err(error), Err(expected)) => {
                assert!(error.to_string().contains(expected), "{value}: {error}");
            }
            (got, expected) => panic!("{value}: expected {expected:?}, got {got:?}"),
        }
    }

    #[test]
    fn values_inside_the_bounds_pass_unchanged() {
        check(text(), &json!("žluť!"), Ok(json!("žluť!")));
        check(text(), &json!("\u{2028}\u{202e}"), Ok(json!("\u{2028}\u{202e}")));
        check(slug(), &json!("abc"), Ok(json!("abc")));
        check(percent(), &json!(1), Ok(json!(1)));
        check(percent(), &json!(100), Ok(json!(100)));
        check(share(), &json!(1), Ok(json!(1)));
        check(share(), &json!(0.25), Ok(json!(0.25)));
        check(ParamKind::Boolean, &json!(false), Ok(json!(false)));
        check(sort(), &json!("freq"), Ok(json!("freq")));
        check(week(), &json!("7d"), Ok(json!("7d")));
        check(week(), &json!("1 day"), Ok(json!("24h")));
        check(this_year(), &json!("2026-12-31"), Ok(json!("2026-12-31T00:00:00Z")));
        check(few(percent()), &json!([1, 100]), Ok(json!([1, 100])));
        check(few(week()), &json!(["1 day"]), Ok(json!(["24h"])));
        check(few(text()), &json!([]), Ok(json!([])));
    }

    #[test]
    fn values_just_outside_the_bounds_are_refused() {
        check(text(), &json!("123456"), Err("at most 5 characters, and has 6"));
        check(text(), &json!("x".repeat(1000)), Err("and has 1000"));
        check(text(), &json!("a\0"), Err("has U+0000 at character 2"));
        check(text(), &json!("a\nb"), Err("has U+000A at character 2"));
        check(slug(), &json!("abc1"), Err("must match `[a-z]+`"));
        check(slug(), &json!(""), Err("must match"));
        check(percent(), &json!(0), Err("between 1 and 100, and is 0"));
        check(percent(), &json!(101), Err("and is 101"));
        check(share(), &json!(1.5), Err("between 0 and 1, and is 1.5"));
        check(sort(), &json!("latest"), Err("must be one of `date`, `freq`"));
        check(week(), &json!("8d"), Err("between 1h and 7d, and is 8d"));
        check(week(), &json!("59m"), Err("and is 59m"));
        check(week(), &json!("soon"), Err("must be a duration, and \"soon\" is not one"));
        check(this_year(), &json!("2027-01-01"), Err("and is 2027-01-01T00:00:00Z"));
        check(this_year(), &json!("soon"), Err("must be a time, and \"soon\" is not one"));
        check(few(percent()), &json!([1, 2, 3]), Err("at most 2 values, and has 3"));
        check(few(percent()), &json!([1, 101]), Err("and is 101"));
    }

    #[test]
    fn nothing_is_converted_from_one_type_to_another() {
        check(percent(), &json!("5"), Err("must be an integer, not a string"));
        check(percent(), &json!(5.0), Err("not a number with a fraction"));
        check(percent(), &json!(u64::MAX), Err("not a number of this size"));
        check(percent(), &json!(true), Err("not a boolean"));
        check(percent(), &json!(null), Err("not null"));
        check(percent(), &json!({"__class__": 1}), Err("not an object"));
        check(text(), &json!(5), Err("must be a string"));
        check(text(), &json!(["a"]), Err("not a list"));
        check(ParamKind::Boolean, &json!("true"), Err("must be true or false"));
        check(week(), &json!(24), Err("must be a duration"));
        let deep = (0..1000).fold(json!(1), |value, _| json!([value]));
        check(percent(), &deep, Err("not a list"));
        check(few(text()), &deep, Err("must be a string, not a list"));
        check(few(text()), &json!("a"), Err("must be a list, not a string"));
    }

    #[test]
    fn text_is_read_by_the_declared_type() {
        for (kind, text, expected) in [
            (percent(), "5", Some(json!(5))),
            (percent(), "500", Some(json!(500))),
            (percent(), "-5", Some(json!(-5))),
            (percent(), "5.0", None),
            (percent(), "1e400", None),
            (percent(), "99999999999999999999", None),
            (percent(), "five", None),
            (share(), "0.5", Some(json!(0.5))),
            (share(), "1", Some(json!(1))),
            (share(), "NaN", None),
            (share(), "inf", None),
            (share(), "1e400", None),
            (ParamKind::Boolean, "Yes", Some(json!(true))),
            (ParamKind::Boolean, "1", None),
            (sort(), "Frequent", Some(json!("freq"))),
            (sort(), "size", None),
            (week(), "24 hours", Some(json!("24h"))),
            (week(), "", None),
            (slug(), "5", Some(json!("5"))),
            (this_year(), "2026-11-20", Some(json!("2026-11-20T00:00:00Z"))),
            (this_year(), "today", None),
            (few(percent()), "1, 2", Some(json!([1, 2]))),
            (few(percent()), "1,2,3", None),
            (few(percent()), "1,,", None),
            (few(sort()), "latest,freq", Some(json!(["date", "freq"]))),
        ] {
            assert_eq!(spec(kind).read(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_pattern_that_says_what_matches_is_no_regular_expression_in_an_error() {
        let pattern = Pattern::new(r".+\.csv").expect("it is well formed").saying(Some("a CSV file".to_owned()));
        let kind = ParamKind::String { pattern: Some(pattern), length_max: 20, several_words: false };
        check(kind.clone(), &json!("a.csv"), Ok(json!("a.csv")));
        check(kind, &json!("a.txt"), Err("parameter `p` must be a CSV file, and \"a.txt\" is not"));
    }

    #[test]
    fn a_pattern_cannot_escape_its_anchors() {
        assert!(Pattern::new("a)|(b").is_err());
        let either = Pattern::new("a|b").expect("it is well formed");
        assert!(either.matches("a") && either.matches("b"));
        assert!(!either.matches("ab") && !either.matches("a\n") && !either.matches("xb"));
    }
}
