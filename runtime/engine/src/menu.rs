//! The menu: what can be asked here, for whoever asks just that.

use intentbox_catalog::{ParamSpec, Template, words};
use intentbox_report::Report;
use serde::Serialize;

/// Intents that ask for the menu, in lower case and without the mark at their end.
const ASKING: [&str; 5] = ["help", "what can you do", "what can i do", "what can i ask", "what can i ask for"];

/// The longest text that may ask for it, in bytes: any longer one says more.
const ASKING_BYTES_MAX: usize = 64;

/// The most lines of a menu. A person who wants more of them wants the list of templates.
const LINES_MAX: usize = 40;

/// One thing that can be asked.
#[derive(Debug, Serialize)]
struct Line<'a> {
    template: &'a str,
    /// A sentence that asks for it: its first phrase.
    say: String,
    summary: &'a str,
}

impl<'a> Line<'a> {
    /// The line of a template; nothing for one that nobody asks for in words.
    fn of(template: &'a Template) -> Option<Self> {
        let phrase = template.phrases().first()?;
        let example = |name: &str| template.parameter(name).map(ParamSpec::example);
        let say = words::filled(phrase, example);
        Some(Self { template: template.id().as_str(), say, summary: template.summary() })
    }
}

/// Whether an intent asks for the menu, and for nothing else.
pub(crate) fn is_asked_for(text: &str) -> bool {
    if text.len() > ASKING_BYTES_MAX {
        return false;
    }
    let words: Vec<&str> = text.trim().trim_end_matches(['?', '!', '.']).split_whitespace().collect();
    ASKING.contains(&words.join(" ").to_lowercase().as_str())
}

/// The menu of these templates, in their order.
pub(crate) fn report<'a>(templates: impl Iterator<Item = &'a Template>) -> Report {
    let lines: Vec<Line<'_>> = templates.filter_map(Line::of).collect();
    let listed = &lines[..lines.len().min(LINES_MAX)];
    let note = match lines.len() {
        0 => "no template has the access that it needs; configure an origin or a directory\n".to_owned(),
        all if all > LINES_MAX => format!("{LINES_MAX} of {all} templates\n"),
        _ => String::new(),
    };
    let result = serde_json::value::to_raw_value(listed).ok();
    Report { result, stderr: note, ..Report::new(crate::new_run_id()) }
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::Catalog;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_a_sentence_that_asks_for_nothing_else_asks_for_the_menu() {
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
        let report = report(catalog.templates());
        let rows = rows(&report);
        let row = |id: &str| rows.iter().find(|row| row["template"] == id);
        let errors = json!({
            "template": "sentry/list_errors",
            "say": "list errors",
            "summary": "Lists unresolved errors, the most recently seen first.",
        });
        assert_eq!(row("sentry/list_errors"), Some(&errors));
        assert_eq!(row("sentry/issue_details").map(|row| &row["say"]), Some(&json!("WEB-42")), "a slot has an example");
        assert_eq!(row("data/columns"), None, "it has no phrases");
        assert_eq!((report.failure.is_none(), report.stderr.as_str()), (true, ""));
    }

    #[test]
    fn a_menu_has_a_most_of_lines_and_says_what_it_leaves_out() {
        let catalog = Catalog::embedded().expect("the built-in templates are whole");
        let one = catalog.get("sentry/list_errors").expect("it is part of the sentry pack");
        let note = |count: usize| {
            let report = report(std::iter::repeat_n(one, count));
            (rows(&report).len(), report.stderr)
        };
        assert_eq!(note(LINES_MAX), (LINES_MAX, String::new()));
        assert_eq!(note(LINES_MAX + 1), (LINES_MAX, "40 of 41 templates\n".to_owned()));
        let (lines, nothing) = note(0);
        assert!(lines == 0 && nothing.starts_with("no template has the access"), "{nothing}");
    }
}
