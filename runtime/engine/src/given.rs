//! Values that come beside a sentence, under the names that a template has for them.
//!
//! Who writes them often knows the sentence alone: a name may be another word for a parameter, the word by which sentences announce a
//! value, the name that the schema of a tool has, or one side of a span of time. What a template takes under no name is told, and never
//! dropped.

use std::collections::BTreeMap;

use intentbox_catalog::period::Period;
use intentbox_catalog::{ParamError, ParamKind, ParamSpec, Template};
use serde_json::Value;

use crate::intent::Given;
use crate::library::Library;
use crate::tool_template::plain_name;

/// Names that mean the same, of which templates have one each. A name means a parameter beside it in a list where the template has no
/// second one of that list.
const SAME: [&[&str]; 10] = [
    &["limit", "count", "max", "max_items", "max_results", "n", "num", "page_size", "per_page", "size", "top", "top_n"],
    &["file", "csv", "dataset", "file_name", "file_path", "filename", "filepath", "log", "log_file", "logfile", "path"],
    &["contains", "query", "text", "keyword", "pattern", "phrase", "q", "search", "search_text", "search_term", "term"],
    &["project", "project_name", "project_slug"],
    &["environment", "env"],
    &["issue", "id", "issue_id", "short_id"],
    &["level", "log_level", "severity"],
    &["order", "order_by", "sort", "sort_by"],
    &["column", "col", "field"],
    &["by", "group_by"],
];

/// Names of a span of time.
const SPANS: [&str; 10] = [
    "duration",
    "last",
    "range",
    "stats_period",
    "time",
    "time_period",
    "time_range",
    "time_window",
    "timeframe",
    "window",
];

/// Names of the time from which on.
const SINCE: [&str; 7] = ["after", "begin", "from", "since", "start", "start_date", "start_time"];

/// Names of the time up to which.
const UNTIL: [&str; 7] = ["before", "end", "end_date", "end_time", "till", "to", "until"];

/// What stands for a side of a span without a bound.
const OPEN: &str = "..";

/// The most names that are told as not taken.
const NAMES_MAX: usize = 16;

/// How much of each is told.
const NAME_CHARS_MAX: usize = 60;

/// What values beside a sentence are for one template.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The values, by parameter.
    pub(crate) values: BTreeMap<String, Value>,
    /// The names whose values the template does not take, each with the reason.
    pub(crate) rejected: Vec<(String, ParamError)>,
}

impl Beside {
    /// Reads values for a template.
    pub(crate) fn read(library: &Library, template: &Template, given: &BTreeMap<String, Given>) -> Self {
        let mut read = Self::default();
        let mut sides = BTreeMap::new();
        for (name, value) in given {
            let own = library.parameter_of(template.id(), name).unwrap_or(name);
            match part_of(template, own, given) {
                Some(Part::Whole(spec)) => match value_for(spec, value) {
                    Ok(value) => drop(read.values.insert(spec.name().to_owned(), value)),
                    Err(error) => read.rejected.push((name.clone(), error)),
                },
                Some(Part::Side(spec, side)) => drop(sides.insert(side, (name, spec, value))),
                None => read.rejected.push((name.clone(), template.unknown(name))),
            }
        }
        let Some((name, spec, _)) = sides.values().next() else { return read };
        let side = |side: Side| sides.get(&side).map(|(_, _, value)| text_of(value));
        match spec.read(&span(side(Side::Since), side(Side::Until))) {
            Ok(value) => drop(read.values.insert(spec.name().to_owned(), value)),
            Err(error) => read.rejected.push(((*name).clone(), error)),
        }
        read
    }

    /// The names that the template does not take, the first of them, and as much of each as tells it.
    pub(crate) fn not_taken(&self) -> Vec<String> {
        let names = self.rejected.iter().take(NAMES_MAX);
        names.map(|(name, _)| name.chars().take(NAME_CHARS_MAX).collect()).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Since,
    Until,
}

/// What a name is for a template.
enum Part<'a> {
    /// A parameter.
    Whole(&'a ParamSpec),
    /// One side of a span of time.
    Side(&'a ParamSpec, Side),
}

fn part_of<'a>(template: &'a Template, name: &str, given: &BTreeMap<String, Given>) -> Option<Part<'a>> {
    if let Some(spec) = template.parameter(name) {
        return Some(Part::Whole(spec));
    }
    // What is given under its own name is no other name's.
    let is_free = |spec: &&ParamSpec| !given.contains_key(spec.name());
    let plain = plain_name(name, "argument");
    let named = template.announced(name).or_else(|| template.parameter(&plain));
    if let Some(spec) = named.filter(is_free) {
        return Some(Part::Whole(spec));
    }
    let same = SAME.iter().find(|names| names.contains(&plain.as_str()));
    let is_same = |spec: &&ParamSpec| same.is_some_and(|names| names.contains(&spec.name()));
    if let Some(spec) = one(template.parameters().iter().filter(is_same)).filter(is_free) {
        return Some(Part::Whole(spec));
    }
    let is_window = |spec: &&ParamSpec| matches!(spec.kind(), ParamKind::Window { .. });
    let window = one(template.parameters().iter().filter(is_window)).filter(is_free)?;
    let side = |names: &[&str], side| names.contains(&plain.as_str()).then_some(Part::Side(window, side));
    let whole = SPANS.contains(&plain.as_str()).then_some(Part::Whole(window));
    whole.or_else(|| side(&SINCE, Side::Since)).or_else(|| side(&UNTIL, Side::Until))
}

fn one<'a>(mut specs: impl Iterator<Item = &'a ParamSpec>) -> Option<&'a ParamSpec> {
    let first = specs.next()?;
    specs.next().is_none().then_some(first)
}

fn value_for(spec: &ParamSpec, given: &Given) -> Result<Value, ParamError> {
    match given {
        Given::Text(text) => spec.read(text),
        Given::Value(value) => spec.check(value),
    }
}

fn text_of(given: &Given) -> String {
    match given {
        Given::Text(text) => text.trim().to_owned(),
        Given::Value(value) => value.to_string(),
    }
}

/// A span of time by its sides. "Since 24h" is what a period says.
fn span(since: Option<String>, until: Option<String>) -> String {
    match (since, until) {
        (Some(since), None) if since.parse::<Period>().is_ok() => since,
        (since, until) => {
            let side = |side: Option<String>| side.unwrap_or_else(|| OPEN.to_owned());
            format!("{}/{}", side(since), side(until))
        }
    }
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::Catalog;
    use serde_json::json;

    use super::*;

    fn read(id: &str, given: &Value) -> (Value, Vec<String>) {
        let library = Library::new(Catalog::embedded().expect("the built-in templates"));
        let template = library.catalog.get(id).expect("it is built in");
        let given = given.as_object().expect("values").clone().into_iter();
        let given = given.map(|(name, value)| (name, Given::of(value))).collect();
        let read = Beside::read(&library, template, &given);
        (json!(read.values), read.not_taken())
    }

    #[test]
    fn values_are_read_under_the_names_that_people_give_them() {
        for (id, given, expected) in [
            ("logs/list_errors", json!({"since": "24h"}), json!({"period": "24h"})),
            ("logs/list_errors", json!({"since": "2026-11-20"}), json!({"period": "2026-11-20T00:00:00Z/.."})),
            ("logs/list_errors", json!({"until": "2026-11-20"}), json!({"period": "../2026-11-20T00:00:00Z"})),
            (
                "logs/list_errors",
                json!({"startTime": "2026-11-20", "endTime": "2026-11-21"}),
                json!({"period": "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"}),
            ),
            ("logs/list_errors", json!({"window": "7d", "top": 5}), json!({"period": "7d", "limit": 5})),
            ("logs/search", json!({"query": "timeout", "path": "a.log"}), json!({"text": "timeout", "file": "a.log"})),
            ("sentry/search_issues", json!({"sort": "users"}), json!({"order": "users"})),
        ] {
            assert_eq!(read(id, &given), (expected, Vec::new()), "{id} {given}");
        }
    }

    #[test]
    fn what_a_template_does_not_take_is_told() {
        for (id, given, values, not_taken) in [
            ("logs/list_errors", json!({"project": "web", "limit": 3}), json!({"limit": 3}), "project"),
            // A name that is given goes before one that may mean it.
            ("logs/list_errors", json!({"period": "24h", "since": "7d"}), json!({"period": "24h"}), "since"),
            ("logs/list_errors", json!({"limit": 3, "top": 5}), json!({"limit": 3}), "top"),
            ("logs/list_errors", json!({"since": "yesterday"}), json!({}), "since"),
            ("logs/list_errors", json!({"limit": "many"}), json!({}), "limit"),
            ("logs/list_files", json!({"since": "24h"}), json!({}), "since"),
        ] {
            assert_eq!(read(id, &given), (values, vec![not_taken.to_owned()]), "{id} {given}");
        }
    }
}
