//! The issue search language: `is:unresolved level:[error,fatal] !browser.name:Safari age:-24h timed out`.
//!
//! [`Search::parse`] turns the text into terms, and [`Search::push_conditions`] turns those into SQL. This file is
//! the boundary between the text of a request and the database: whatever came from outside reaches it as a bound
//! parameter, and every piece of SQL text is a literal below.

use sqlx::{QueryBuilder, Sqlite};

use crate::data::DAY;
use crate::organization::{ASSIGNEES, LEVELS, project};
use crate::period;
use crate::reader::Reader;

/// The longest query that is read. People write a line; a list of a hundred event ids still fits.
const QUERY_BYTES_MAX: usize = 4 * 1024;
/// The most terms, and the most values in one list. The database refuses expressions nested 1,000 deep: far above.
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
    Column { column: Column, values: Vec<Pattern> },
    /// The number is at least `from` and less than `until`.
    Range { number: Number, from: Option<i64>, until: Option<i64> },
    /// Some event of the issue carries this tag with one of the values.
    Tag { key: String, values: Vec<Pattern> },
    /// Some event of the issue carries this tag.
    HasTag { key: String },
    /// The title or the culprit contains this, in either case.
    Text(Pattern),
}

/// A text about an issue that can be searched by its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Status,
    Substatus,
    Level,
    Priority,
    Project,
    ProjectId,
    Platform,
    ShortId,
    IssueId,
    Assigned,
    Linked,
    Category,
    Title,
    Culprit,
    Kind,
    Value,
    Filename,
    Function,
    Handled,
    Unhandled,
    Bookmarked,
}

impl Column {
    /// The column a key of the language stands for. Every other key is a tag.
    fn of(key: &str) -> Option<Column> {
        Some(match key {
            "status" => Column::Status,
            "substatus" | "issue.substatus" => Column::Substatus,
            "level" => Column::Level,
            "priority" | "issue.priority" => Column::Priority,
            "project" | "project.name" => Column::Project,
            "project.id" => Column::ProjectId,
            "platform" | "platform.name" => Column::Platform,
            "issue" => Column::ShortId,
            "issue.id" => Column::IssueId,
            "assigned" | "assigned_to" | "assigned_or_suggested" => Column::Assigned,
            "issue.category" => Column::Category,
            "title" => Column::Title,
            "culprit" => Column::Culprit,
            "error.type" => Column::Kind,
            "error.value" => Column::Value,
            "stack.filename" => Column::Filename,
            "stack.function" => Column::Function,
            "error.handled" => Column::Handled,
            "error.unhandled" => Column::Unhandled,
            "bookmarks" => Column::Bookmarked,
            _ => return None,
        })
    }

    fn sql(self) -> &'static str {
        match self {
            Column::Status => "i.status",
            Column::Substatus => "COALESCE(i.substatus, '')",
            Column::Level => "i.level",
            Column::Priority => "i.priority",
            Column::Project => "p.slug",
            Column::ProjectId => "CAST(p.id AS TEXT)",
            Column::Platform => "p.platform",
            Column::ShortId => "i.short_id",
            Column::IssueId => "CAST(i.id AS TEXT)",
            Column::Assigned => "COALESCE(i.assigned_to, '')",
            // No issue of the demo is linked to a ticket elsewhere, and all of them are errors.
            Column::Linked => "'no'",
            Column::Category => "'error'",
            Column::Title => "i.title",
            Column::Culprit => "i.culprit",
            Column::Kind => "i.kind",
            Column::Value => "i.value",
            Column::Filename => "i.filename",
            Column::Function => "i.function",
            Column::Handled => "CASE i.handled WHEN 1 THEN 'true' ELSE 'false' END",
            Column::Unhandled => "CASE i.handled WHEN 1 THEN 'false' ELSE 'true' END",
            Column::Bookmarked => "CASE i.bookmarked WHEN 1 THEN 'me' ELSE '' END",
        }
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

    fn sql(self) -> &'static str {
        match self {
            Number::FirstSeen => "i.first_seen",
            Number::LastSeen => "i.last_seen",
            Number::Count => "i.count",
        }
    }
}

/// A value to compare with, where `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// In the language of SQL's `LIKE`, with `\` as the escape.
    Like(String),
}

impl Pattern {
    /// Reads the text of a value. `\*` is a star that stands for itself.
    fn parse(text: &str) -> Pattern {
        let mut exact = String::new();
        let mut like = String::new();
        let mut starred = false;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '*' => {
                    starred = true;
                    if !like.ends_with('%') || like.ends_with("\\%") {
                        like.push('%');
                    }
                }
                '\\' if letters.peek() == Some(&'*') => {
                    letters.next();
                    exact.push('*');
                    like.push('*');
                }
                _ => {
                    exact.push(letter);
                    if matches!(letter, '%' | '_' | '\\') {
                        like.push('\\');
                    }
                    like.push(letter);
                }
            }
        }
        if starred { Pattern::Like(like) } else { Pattern::Exact(exact) }
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
                search.terms.push(term(negated, &key, &values, now)?);
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

    /// Restricts the search to issues seen in one of these environments.
    pub(crate) fn in_environments(&mut self, environments: &[&str]) {
        if environments.is_empty() {
            return;
        }
        let values = environments.iter().map(|name| Pattern::Exact((*name).to_owned())).collect();
        let filter = Filter::Tag { key: "environment".to_owned(), values };
        self.terms.push(Term { negated: false, filter });
    }

    /// Adds ` AND (…)` for each term. The statement so far has a `WHERE`, issues as `i` and projects as `p`.
    pub(crate) fn push_conditions(&self, sql: &mut QueryBuilder<Sqlite>) {
        for term in &self.terms {
            sql.push(if term.negated { " AND NOT (" } else { " AND (" });
            match &term.filter {
                Filter::Column { column, values } => push_matches(sql, column.sql(), values),
                Filter::Range { number, from, until } => {
                    sql.push("1");
                    if let Some(from) = from {
                        sql.push(" AND ").push(number.sql()).push(" >= ").push_bind(*from);
                    }
                    if let Some(until) = until {
                        sql.push(" AND ").push(number.sql()).push(" < ").push_bind(*until);
                    }
                }
                Filter::Tag { key, values } => {
                    push_tag(sql, key);
                    sql.push(" AND (");
                    push_matches(sql, "t.value", values);
                    sql.push("))");
                }
                Filter::HasTag { key } => {
                    push_tag(sql, key);
                    sql.push(")");
                }
                Filter::Text(pattern) => {
                    let pattern = std::slice::from_ref(pattern);
                    push_matches(sql, "i.title", pattern);
                    sql.push(" OR ");
                    push_matches(sql, "i.culprit", pattern);
                }
            }
            sql.push(")");
        }
    }
}

fn push_tag(sql: &mut QueryBuilder<Sqlite>, key: &str) {
    sql.push("EXISTS (SELECT 1 FROM events e, json_each(e.tags) t WHERE e.issue_id = i.id AND t.key = ").push_bind(key);
}

fn push_matches(sql: &mut QueryBuilder<Sqlite>, expression: &'static str, values: &[Pattern]) {
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            sql.push(" OR ");
        }
        sql.push(expression);
        match value {
            Pattern::Exact(text) => sql.push(" = ").push_bind(text.as_str()),
            Pattern::Like(like) => sql.push(" LIKE ").push_bind(like.as_str()).push(" ESCAPE '\\'"),
        };
    }
}

/// What `key:values` or `!key:values` means.
fn term(negated: bool, key: &str, values: &[String], now: i64) -> Result<Term, SearchError> {
    if key == "is" {
        return is(negated, values);
    }
    if key == "has" {
        // A column is never missing, only empty.
        let wanted = values.join(",");
        return Ok(match Column::of(&wanted) {
            Some(column) => Term {
                negated: !negated,
                filter: Filter::Column { column, values: vec![Pattern::Exact(String::new())] },
            },
            None => Term { negated, filter: Filter::HasTag { key: wanted } },
        });
    }
    if let Some(number) = Number::of(key) {
        let value = values.join(",");
        let (from, until) = match number {
            Number::Count => count_range(&value).ok_or(SearchError::Number { value })?,
            Number::FirstSeen | Number::LastSeen => time_range(&value, now).ok_or(SearchError::Date { value })?,
        };
        return Ok(Term { negated, filter: Filter::Range { number, from, until } });
    }
    if key == "message" {
        let text = values.join(" ");
        return Ok(Term { negated, filter: Filter::Text(Pattern::anywhere(&text)) });
    }
    let mut patterns: Vec<Pattern> = values.iter().map(|value| Pattern::parse(value)).collect();
    if let Some(column) = Column::of(key) {
        for pattern in &mut patterns {
            check_value(column, key, pattern)?;
        }
        return Ok(Term { negated, filter: Filter::Column { column, values: patterns } });
    }
    let inner = key.strip_prefix("tags[").and_then(|rest| rest.strip_suffix(']'));
    let key = inner.unwrap_or(key).to_owned();
    // `key:""` asks for what does not carry the tag at all.
    if patterns == [Pattern::Exact(String::new())] {
        return Ok(Term { negated: !negated, filter: Filter::HasTag { key } });
    }
    Ok(Term { negated, filter: Filter::Tag { key, values: patterns } })
}

/// Refuses values that the column can never have, and puts those with more than one name into the stored form.
fn check_value(column: Column, key: &str, pattern: &mut Pattern) -> Result<(), SearchError> {
    let Pattern::Exact(text) = pattern else {
        return Ok(());
    };
    match column {
        Column::Level if !LEVELS.contains(&text.as_str()) => {
            return Err(SearchError::Value { key: key.to_owned(), value: text.clone() });
        }
        Column::Project => match project(text) {
            Some(found) => found.slug.clone_into(text),
            None => return Err(SearchError::Project { slug: text.clone() }),
        },
        Column::Handled | Column::Unhandled => match text.as_str() {
            "1" => "true".clone_into(text),
            "0" => "false".clone_into(text),
            _ => {}
        },
        Column::ShortId => text.make_ascii_uppercase(),
        Column::Assigned => match text.as_str() {
            "me" => ASSIGNEES[0].handle.clone_into(text),
            "none" => text.clear(),
            _ => {}
        },
        _ => {}
    }
    Ok(())
}

/// The meaning of `is:…`, which names a status, a part of one, or something else that is either so or not.
fn is(negated: bool, values: &[String]) -> Result<Term, SearchError> {
    let mut patterns = Vec::new();
    let mut column = None;
    let mut flipped = false;
    for value in values {
        let (its_column, stored, its_flip) = match value.as_str() {
            "unresolved" | "resolved" => (Column::Status, value.as_str(), false),
            "ignored" | "archived" | "muted" => (Column::Status, "ignored", false),
            "new"
            | "ongoing"
            | "escalating"
            | "regressed"
            | "archived_forever"
            | "archived_until_escalating"
            | "archived_until_condition_met" => (Column::Substatus, value.as_str(), false),
            "assigned" => (Column::Assigned, "", true),
            "unassigned" => (Column::Assigned, "", false),
            "linked" => (Column::Linked, "no", true),
            "unlinked" => (Column::Linked, "no", false),
            _ => {
                return Err(SearchError::Value { key: "is".to_owned(), value: value.clone() });
            }
        };
        // One term compares one column. Nobody asks for `is:[resolved,assigned]`, and the original refuses it too.
        if column.is_some_and(|known| known != its_column) || (flipped != its_flip && column.is_some()) {
            return Err(SearchError::Value { key: "is".to_owned(), value: values.join(",") });
        }
        column = Some(its_column);
        flipped = its_flip;
        patterns.push(Pattern::Exact(stored.to_owned()));
    }
    let column = column.ok_or_else(|| SearchError::Empty { key: "is".to_owned() })?;
    Ok(Term { negated: negated != flipped, filter: Filter::Column { column, values: patterns } })
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
