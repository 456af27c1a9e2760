//! The issue search language: `is:unresolved level:[error,fatal] !browser.name:Safari age:-24h timed out`.
//!
//! [`Search::parse`] turns the text into terms, and [`Search::matches`] compares those with an issue.

use std::borrow::Cow;

use crate::data::{DAY, Event, Issue};
use crate::organization::{ASSIGNEES, LEVELS, PROJECTS, project};
use crate::period;
use crate::reader::Reader;

/// The longest query that is read. People write a line; a list of a hundred event ids still fits.
const QUERY_BYTES_MAX: usize = 4 * 1024;
/// The most terms, and the most values in one list. Each value is compared with some hundred issues and their events.
pub(crate) const TERMS_MAX: usize = 64;

/// A query that was understood: issues that match all of its terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Search {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    negated: bool,
    filter: Filter,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Filter {
    /// The column equals one of the values.
    Column { column: &'static Column, values: Vec<Pattern> },
    /// The number is at least `from` and less than `until`.
    Range { number: Number, from: Option<i64>, until: Option<i64> },
    /// Some event of the issue carries this tag with one of the values.
    Tag { key: String, values: Vec<Pattern> },
    /// The title or the culprit contains this, in either case.
    Text(Pattern),
}

impl Filter {
    fn matches(&self, issue: &Issue) -> bool {
        let any = |values: &[Pattern], text: &str| values.iter().any(|value| value.matches(text));
        match self {
            Filter::Column { column, values } => any(values, &(column.text)(issue)),
            Filter::Range { number, from, until } => {
                let found = number.of_issue(issue);
                from.is_none_or(|from| found >= from) && until.is_none_or(|until| found < until)
            }
            Filter::Tag { key, values } => {
                issue.events.iter().filter_map(|event| event.tag(key)).any(|found| any(values, found))
            }
            Filter::Text(pattern) => pattern.matches(&issue.title()) || pattern.matches(issue.family().transaction),
        }
    }
}

/// A text about an issue that can be searched by keys of its own.
#[derive(Debug)]
struct Column {
    keys: &'static [&'static str],
    text: fn(&Issue) -> Cow<'_, str>,
}

impl PartialEq for Column {
    fn eq(&self, other: &Column) -> bool {
        self.keys == other.keys
    }
}

impl Eq for Column {}

const fn keyed(keys: &'static [&'static str], text: fn(&Issue) -> Cow<'_, str>) -> Column {
    Column { keys, text }
}

static COLUMNS: [Column; 21] = [
    keyed(&["status"], |issue| issue.status.into()),
    keyed(&["substatus", "issue.substatus"], |issue| issue.substatus.as_deref().unwrap_or_default().into()),
    keyed(&["level"], |issue| issue.family().level.into()),
    keyed(&["priority", "issue.priority"], |issue| issue.priority.into()),
    keyed(&["project", "project.name"], |issue| issue.project().slug.into()),
    keyed(&["project.id"], |issue| issue.project().id.to_string().into()),
    keyed(&["platform", "platform.name"], |issue| issue.project().platform.into()),
    keyed(&["issue"], |issue| issue.short_id.as_str().into()),
    keyed(&["issue.id"], |issue| issue.id.to_string().into()),
    keyed(&["assigned", "assigned_to", "assigned_or_suggested"], |issue| {
        issue.assigned_to.map_or("", |assignee| assignee.handle).into()
    }),
    keyed(&["firstRelease"], |issue| issue.first_release().into()),
    // All issues of the demo are errors.
    keyed(&["issue.category"], |_| "error".into()),
    keyed(&["title"], |issue| issue.title().into()),
    keyed(&["culprit"], |issue| issue.family().transaction.into()),
    keyed(&["error.type"], |issue| issue.family().kind.into()),
    keyed(&["error.value"], |issue| issue.value().into()),
    keyed(&["stack.filename"], |issue| issue.family().file.into()),
    keyed(&["stack.function"], |issue| issue.family().function.into()),
    keyed(&["error.handled"], |issue| issue.family().handled.to_string().into()),
    keyed(&["error.unhandled"], |issue| (!issue.family().handled).to_string().into()),
    keyed(&["bookmarks"], |issue| Cow::Borrowed(if issue.bookmarked { "me" } else { "" })),
];

/// What `is:linked` asks for. No issue of the demo is linked to a ticket elsewhere.
static LINKED: Column = keyed(&[], |_| "no".into());

impl Column {
    /// The column a key of the language stands for. Every other key is a tag.
    fn of(key: &str) -> Option<&'static Column> {
        COLUMNS.iter().find(|column| column.keys.contains(&key))
    }
}

/// A number about an issue that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    FirstSeen,
    LastSeen,
    Count,
}

impl Number {
    fn of(key: &str) -> Option<Number> {
        Some(match key {
            "age" | "firstSeen" => Number::FirstSeen,
            "lastSeen" => Number::LastSeen,
            "timesSeen" => Number::Count,
            _ => return None,
        })
    }

    fn of_issue(self, issue: &Issue) -> i64 {
        match self {
            Number::FirstSeen => issue.first_seen,
            Number::LastSeen => issue.last_seen,
            Number::Count => issue.count,
        }
    }
}

/// A value to compare with, where `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// What stands between the stars, in lower case: with a star the case of ASCII letters does not matter.
    Starred(Vec<String>),
}

impl Pattern {
    /// Reads the text of a value. `\*` is a star that stands for itself.
    fn parse(text: &str) -> Pattern {
        let (mut parts, mut part) = (Vec::new(), String::new());
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '*' => parts.push(std::mem::take(&mut part).to_ascii_lowercase()),
                '\\' => part.push(letters.next_if_eq(&'*').unwrap_or(letter)),
                _ => part.push(letter),
            }
        }
        if parts.is_empty() {
            return Pattern::Exact(part);
        }
        parts.push(part.to_ascii_lowercase());
        Pattern::Starred(parts)
    }

    fn matches(&self, text: &str) -> bool {
        let parts = match self {
            Pattern::Exact(exact) => return text == exact,
            Pattern::Starred(parts) => parts,
        };
        let [first, between @ .., last] = parts.as_slice() else {
            return false;
        };
        let text = text.to_ascii_lowercase();
        // The earliest place for each part leaves the most text to those behind it.
        let rest = text.strip_prefix(first.as_str()).and_then(|rest| {
            between.iter().try_fold(rest, |rest, part| rest.split_once(part.as_str()).map(|(_, behind)| behind))
        });
        rest.is_some_and(|rest| rest.ends_with(last.as_str()))
    }

    /// The same, but found anywhere in the text.
    fn anywhere(text: &str) -> Pattern {
        Pattern::parse(&format!("*{text}*"))
    }
}

/// A query that was not understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SearchError {
    #[error("The query is longer than {max} bytes", max = QUERY_BYTES_MAX)]
    TooLong,
    #[error("The query has more than {max} terms or values", max = TERMS_MAX)]
    TooMany,
    #[error("Boolean statements containing \"OR\" or \"AND\" are not supported in this search")]
    Boolean,
    #[error("Parse error at column {column}: unmatched quote")]
    UnmatchedQuote { column: usize },
    #[error("Parse error at column {column}: unmatched bracket")]
    UnmatchedBracket { column: usize },
    #[error("Empty string after '{key}:'")]
    Empty { key: String },
    #[error("Invalid value '{value}' for \"{key}\" search")]
    Value { key: String, value: String },
    #[error("Invalid number: '{value}'. Expected an integer, or one after >, >=, < or <=")]
    Number { value: String },
    #[error("Invalid date: '{value}'. Expected +/-duration (e.g. +1h) or ISO 8601-like (e.g. 2026-11-20T20:15:03)")]
    Date { value: String },
    #[error("Invalid query. Project(s) {slug} do not exist or are not actively selected.")]
    Project { slug: String },
}

impl Search {
    /// Reads a query. Relative times in it count from `now`.
    pub(crate) fn parse(text: &str, now: i64) -> Result<Search, SearchError> {
        if text.len() > QUERY_BYTES_MAX {
            return Err(SearchError::TooLong);
        }
        let mut reader = Reader::new(text);
        let mut search = Search::default();
        // Words between two filters are one phrase, as in the original.
        let mut words: Vec<String> = Vec::new();
        while reader.skip_spaces() {
            if let Some((negated, key)) = reader.key() {
                search.push_text(&mut words);
                let values = reader.values(&key)?;
                let (flipped, filter) = filter(&key, &values, now)?;
                search.terms.push(Term { negated: negated != flipped, filter });
            } else {
                let word = reader.word()?;
                if matches!(word.as_str(), "OR" | "AND") {
                    return Err(SearchError::Boolean);
                }
                words.push(word);
            }
            if search.terms.len() + words.len() > TERMS_MAX {
                return Err(SearchError::TooMany);
            }
        }
        search.push_text(&mut words);
        Ok(search)
    }

    fn push_text(&mut self, words: &mut Vec<String>) {
        let phrase = std::mem::take(words).join(" ");
        if !phrase.is_empty() {
            self.terms.push(Term { negated: false, filter: Filter::Text(Pattern::anywhere(&phrase)) });
        }
    }

    /// Whether a term is about single events, and not about the issue.
    pub(crate) fn is_about_events(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.filter, Filter::Tag { .. }))
    }

    /// Whether an event matches all terms about events.
    pub(crate) fn matches_event(&self, event: &Event) -> bool {
        self.terms.iter().all(|term| match &term.filter {
            Filter::Tag { key, values } => {
                let found = event.tag(key).is_some_and(|found| values.iter().any(|value| value.matches(found)));
                found != term.negated
            }
            Filter::Column { .. } | Filter::Range { .. } | Filter::Text(_) => true,
        })
    }

    /// Whether an issue matches all terms.
    pub(crate) fn matches(&self, issue: &Issue) -> bool {
        self.terms.iter().all(|term| term.filter.matches(issue) != term.negated)
    }
}

/// What `key:values` asks for, and whether it asks for the opposite of that.
fn filter(key: &str, values: &[String], now: i64) -> Result<(bool, Filter), SearchError> {
    if let Some(number) = Number::of(key) {
        let value = values.join(",");
        let (from, until) = match number {
            Number::Count => count_range(&value).ok_or(SearchError::Number { value })?,
            Number::FirstSeen | Number::LastSeen => time_range(&value, now).ok_or(SearchError::Date { value })?,
        };
        return Ok((false, Filter::Range { number, from, until }));
    }
    let empty = Pattern::Exact(String::new());
    match key {
        "is" => return is(values),
        "has" => {
            let key = values.join(",");
            return Ok(match Column::of(&key) {
                // A column is never missing, only empty.
                Some(column) => (true, Filter::Column { column, values: vec![empty] }),
                None => (false, Filter::Tag { key, values: vec![Pattern::parse("*")] }),
            });
        }
        "message" => return Ok((false, Filter::Text(Pattern::anywhere(&values.join(" "))))),
        _ => {}
    }
    let mut values: Vec<Pattern> = values.iter().flat_map(|value| patterns(key, value)).collect();
    if let Some(column) = Column::of(key) {
        for value in &mut values {
            check_value(key, value)?;
        }
        return Ok((false, Filter::Column { column, values }));
    }
    let inner = key.strip_prefix("tags[").and_then(|rest| rest.strip_suffix(']'));
    let key = inner.unwrap_or(key).to_owned();
    // `key:""` asks for what does not carry the tag at all.
    if values == [empty] {
        return Ok((true, Filter::Tag { key, values: vec![Pattern::parse("*")] }));
    }
    Ok((false, Filter::Tag { key, values }))
}

/// What a value asks for: itself, or the newest release of each project.
fn patterns(key: &str, value: &str) -> Vec<Pattern> {
    if matches!(key, "release" | "firstRelease") && value == "latest" {
        return PROJECTS.iter().map(|project| Pattern::Exact(project.releases[3].to_owned())).collect();
    }
    vec![Pattern::parse(value)]
}

/// Refuses values that the column can never have, and puts those with more than one name into the stored form.
fn check_value(key: &str, pattern: &mut Pattern) -> Result<(), SearchError> {
    let Pattern::Exact(text) = pattern else {
        return Ok(());
    };
    match key {
        "level" if !LEVELS.contains(&text.as_str()) => {
            return Err(SearchError::Value { key: key.to_owned(), value: text.clone() });
        }
        "project" | "project.name" => match project(text) {
            Some(found) => found.slug.clone_into(text),
            None => return Err(SearchError::Project { slug: text.clone() }),
        },
        "error.handled" | "error.unhandled" => match text.as_str() {
            "1" => "true".clone_into(text),
            "0" => "false".clone_into(text),
            _ => {}
        },
        "issue" => text.make_ascii_uppercase(),
        "assigned" | "assigned_to" | "assigned_or_suggested" => match text.as_str() {
            "me" => ASSIGNEES[0].handle.clone_into(text),
            "none" => text.clear(),
            _ => {}
        },
        _ => {}
    }
    Ok(())
}

/// The meaning of `is:…`, which names a status, a part of one, or something else that is either so or not.
fn is(values: &[String]) -> Result<(bool, Filter), SearchError> {
    let mut patterns = Vec::new();
    let mut kind = None;
    for value in values {
        let (column, stored, flipped) = match value.as_str() {
            "unresolved" | "resolved" => ("status", value.as_str(), false),
            "ignored" | "archived" | "muted" => ("status", "ignored", false),
            "new"
            | "ongoing"
            | "escalating"
            | "regressed"
            | "archived_forever"
            | "archived_until_escalating"
            | "archived_until_condition_met" => ("substatus", value.as_str(), false),
            "assigned" => ("assigned", "", true),
            "unassigned" => ("assigned", "", false),
            "linked" => ("linked", "no", true),
            "unlinked" => ("linked", "no", false),
            _ => return Err(SearchError::Value { key: "is".to_owned(), value: value.clone() }),
        };
        // One term compares one column. Nobody asks for `is:[resolved,assigned]`, and the original refuses it too.
        if *kind.get_or_insert((column, flipped)) != (column, flipped) {
            return Err(SearchError::Value { key: "is".to_owned(), value: values.join(",") });
        }
        patterns.push(Pattern::Exact(stored.to_owned()));
    }
    let (column, flipped) = kind.ok_or_else(|| SearchError::Empty { key: "is".to_owned() })?;
    let column = Column::of(column).unwrap_or(&LINKED);
    Ok((flipped, Filter::Column { column, values: patterns }))
}

type Range = (Option<i64>, Option<i64>);

/// The half-open range that a comparison with a whole number stands for.
fn compare(text: &str, read: impl Fn(&str) -> Option<i64>) -> Option<Range> {
    if let Some(rest) = text.strip_prefix(">=") {
        Some((Some(read(rest)?), None))
    } else if let Some(rest) = text.strip_prefix("<=") {
        Some((None, Some(read(rest)?.checked_add(1)?)))
    } else if let Some(rest) = text.strip_prefix('>') {
        Some((Some(read(rest)?.checked_add(1)?), None))
    } else if let Some(rest) = text.strip_prefix('<') {
        Some((None, Some(read(rest)?)))
    } else {
        None
    }
}

fn count_range(text: &str) -> Option<Range> {
    let read = |digits: &str| digits.parse::<i64>().ok().filter(|number| *number >= 0);
    compare(text, read).or_else(|| {
        let exact = read(text)?;
        Some((Some(exact), Some(exact.checked_add(1)?)))
    })
}

/// `-24h` is within the last day, `+24h` is before that, and the rest are times or comparisons with one.
fn time_range(text: &str, now: i64) -> Option<Range> {
    if let Some(age) = text.strip_prefix('-') {
        return Some((Some(now - period::duration(age)?), None));
    }
    if let Some(age) = text.strip_prefix('+') {
        return Some((None, Some(now - period::duration(age)? + 1)));
    }
    compare(text, period::instant).or_else(|| {
        let exact = period::instant(text)?;
        // A date means that day. A time is widened by some minutes, since nobody knows the second of an event.
        let dated = !text.contains(['T', 't', ' ']);
        Some(if dated { (Some(exact), Some(exact + DAY)) } else { (Some(exact - 300), Some(exact + 360)) })
    })
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
