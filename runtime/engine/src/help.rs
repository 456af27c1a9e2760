//! Help: the answer to an intent that asks what can be asked.

use std::borrow::Cow;

use intentbox_catalog::{ParamSpec, Template, words};
use intentbox_report::{Listed, Report};
use serde::Serialize;

/// Intents that ask for help, in lower case and without punctuation at their end.
const ASKING: [&str; 5] = ["help", "what can you do", "what can i do", "what can i ask", "what can i ask for"];

/// The longest text that may ask for help, in bytes. A longer one says more.
const ASKING_BYTES_MAX: usize = 64;

/// The most templates that help lists. `templates list` has all of them.
const LINES_MAX: usize = 40;

/// One thing that can be asked.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    /// The id of a template, or the one of a tool's.
    pub(crate) template: Cow<'a, str>,
    /// A sentence that asks for it: its first phrase, or the words of the tool's name.
    pub(crate) say: String,
    pub(crate) summary: &'a str,
}

impl<'a> Line<'a> {
    /// The line of a template; nothing for one that nobody asks for in words.
    fn of(template: &'a Template) -> Option<Self> {
        let phrase = template.phrases().first()?;
        let example = |name: &str| template.parameter(name).map(ParamSpec::example);
        let say = words::filled(phrase, example);
        Some(Self { template: template.id().as_str().into(), say, summary: template.summary() })
    }
}

/// Whether an intent asks for help, and for nothing else.
pub(crate) fn is_asked_for(text: &str) -> bool {
    if text.len() > ASKING_BYTES_MAX {
        return false;
    }
    let words: Vec<&str> = text.trim().trim_end_matches(['?', '!', '.']).split_whitespace().collect();
    ASKING.contains(&words.join(" ").to_lowercase().as_str())
}

/// The report that lists these templates, in their order, and then these tools.
pub(crate) fn report<'a>(
    templates: impl Iterator<Item = &'a Template>,
    tools: impl Iterator<Item = Line<'a>>,
) -> Report {
    let lines: Vec<Line<'_>> = templates.filter_map(Line::of).chain(tools).collect();
    let shown = &lines[..lines.len().min(LINES_MAX)];
    let listed = Some(Listed { shown: shown.len(), of: lines.len() });
    let result = serde_json::value::to_raw_value(shown).ok();
    Report { result, listed, ..Report::new(crate::new_run_id()) }
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::Catalog;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_a_sentence_that_asks_for_nothing_else_asks_for_help() {
        for (text, expected) in [
            ("help", true),
            (" Help! ", true),
            ("what can you do?", true),
            ("What can I  ask", true),
            ("help me", false),
            ("list errors", false),
            ("", false),
            ("?", false),
        ] {
            assert_eq!(is_asked_for(text), expected, "{text}");
        }
        let padded = |length: usize| format!("help{}", " ".repeat(length - "help".len()));
        assert!(is_asked_for(&padded(ASKING_BYTES_MAX)));
        assert!(!is_asked_for(&padded(ASKING_BYTES_MAX + 1)));
    }

    fn rows(report: &Report) -> Vec<Value> {
        let text = report.result.as_ref().expect("there is a list").get();
        match intentbox_catalog::json::parse_value(text) {
            Ok(Value::Array(rows)) => rows,
            other => panic!("{other:?} is no list"),
        }
    }

    #[test]
    fn each_template_that_can_be_asked_for_is_a_line_with_an_example() {
        let catalog = Catalog::embedded().expect("the built-in templates are whole");
        let report = report(catalog.templates(), std::iter::empty());
        let rows = rows(&report);
        let row = |id: &str| rows.iter().find(|row| row["template"] == id);
        let errors = json!({
            "template": "sentry/list_errors",
            "say": "list errors",
            "summary": "Lists unresolved issues of level error or fatal, the latest first.",
        });
        assert_eq!(row("sentry/list_errors"), Some(&errors));
        assert_eq!(row("sentry/issue_details").map(|row| &row["say"]), Some(&json!("WEB-42")), "a slot has an example");
        assert_eq!(row("data/columns"), None, "it has no phrases");
        assert_eq!(
            (report.failure.is_none(), report.listed),
            (true, Some(Listed { shown: rows.len(), of: rows.len() }))
        );
    }

    #[test]
    fn help_lists_at_most_so_many_templates_and_counts_all() {
        let catalog = Catalog::embedded().expect("the built-in templates are whole");
        let one = catalog.get("sentry/list_errors").expect("it is part of the sentry pack");
        for (of, shown) in [(0, 0), (LINES_MAX, LINES_MAX), (LINES_MAX + 1, LINES_MAX)] {
            let report = report(std::iter::repeat_n(one, of), std::iter::empty());
            assert_eq!((rows(&report).len(), report.listed), (shown, Some(Listed { shown, of })));
        }
    }
}
