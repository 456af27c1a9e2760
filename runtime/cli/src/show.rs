//! A report for a person, or as JSON for a program.

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdout};
use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};
use intentbox_catalog::json::parse_value;
use intentbox_engine::{Outcome, Report, Target, Wire};
use serde_json::Value;

pub(crate) use intentbox_catalog::terminal::{printable, printable_json};

use crate::words::words;

/// The most rows and cells of a table that a person is shown; `--json` has all of them.
const ROWS_MAX: usize = 200;
const COLUMNS_MAX: usize = 12;

/// The widest that the keys of an object are padded to. Longer ones stand as they are: one of them should not push all
/// values off the screen, and padding has an end of its own, at 65535, where formatting panics.
const KEY_COLUMNS_MAX: usize = 40;

/// Prints the report and gives its exit code.
pub(crate) fn report(report: &Report, json: bool) -> ExitCode {
    let code = ExitCode::from(report.outcome().terms().exit);
    let (mut text, mut messages) = (String::new(), String::new());
    if json {
        text = as_json(report);
    } else {
        text.push_str(&printable(&report.stdout));
        messages.push_str(&printable(&report.stderr));
        if let Some(result) = &report.result {
            text.push_str(&answer(result.get()));
        }
        explain(report, &mut messages);
    }
    let mut out = stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let _ = write!(stderr(), "{messages}");
    match written {
        // A reader that has gone has what it wanted; on a full disk the answer is lost.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            failure(&anyhow::anyhow!("the answer cannot be written: {error}"))
        }
        _ => code,
    }
}

/// The report as one object on one line. Who reads it may be a terminal in the end: what a terminal would obey stands as
/// an escape of JSON, so that the object is the same.
fn as_json(report: &Report) -> String {
    let text = serde_json::to_string(&Wire::new(report, words))
        .unwrap_or_else(|error| format!("{{\"outcome\":\"internal\",\"error\":{{\"message\":\"{error}\"}}}}"));
    let mut text = printable_json(&text);
    text.push('\n');
    text
}

/// Says that what answers is the demo.
pub(crate) fn demo() {
    let _ = writeln!(stderr(), "demo data: no configuration found, so a built-in error tracker answers");
}

/// Prints why the command could not even start.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    let _ = writeln!(stderr(), "usage: {}", printable(&format!("{error:#}")));
    ExitCode::from(Outcome::Usage.terms().exit)
}

fn explain(report: &Report, text: &mut String) {
    let name = report.outcome().terms().name;
    if let Some(failure) = &report.failure {
        if let Some(traceback) = &failure.traceback {
            let _ = writeln!(text, "{}", printable(traceback.trim_end()));
        }
        let kind = failure.cause.kind();
        let subject = if kind == name { String::new() } else { format!("{kind}: ") };
        // Limits and Python's own errors name themselves; a second name in front is for everything else.
        let message = failure.message.strip_prefix(&subject).unwrap_or(&failure.message);
        let _ = writeln!(text, "{name}: {}{}", printable(&subject), printable(message));
        if let Some(remedy) = &failure.remedy {
            let _ = writeln!(text, "hint: {}", printable(&words(remedy)));
        }
    }
    for candidate in &report.candidates {
        let _ = writeln!(text, "  {:<28} {}", printable(&candidate.template), printable(&candidate.summary));
    }
    for refused in report.refusals.iter().filter(|_| report.outcome() != Outcome::CapabilityDenied) {
        let _ = writeln!(text, "refused: {}", printable(&refused.message));
        if let Some(remedy) = &refused.remedy {
            let _ = writeln!(text, "hint: {}", printable(&words(remedy)));
        }
    }
    let template = report.target.as_ref().and_then(Target::template);
    if let (Some(spent), Some(template)) = (&report.spent, template)
        && report.failure.is_none()
        && stderr().is_terminal()
    {
        let _ = writeln!(text, "{template} · {:.0} ms · {} requests", spent.wall_ms, spent.http_requests);
    }
}

/// The answer as a person reads it: rows as a table, one object as pairs, text as it is, the rest as JSON.
pub(crate) fn answer(json: &str) -> String {
    let parsed = parse_value(json);
    let as_json = |value: &Value| format!("{}\n", printable(&format!("{value:#}")));
    match &parsed {
        Ok(Value::Null) => String::new(),
        Ok(Value::String(text)) => format!("{}\n", printable(text)),
        Ok(Value::Array(rows)) if rows.is_empty() => "no rows\n".to_owned(),
        Ok(value @ Value::Array(rows)) => match columns(rows) {
            Some(columns) => table(&columns, rows),
            None => as_json(value),
        },
        Ok(Value::Object(pairs)) if !pairs.is_empty() => object(pairs),
        // Numbers keep the digits the script gave: a parsed value would round long ones.
        Ok(Value::Number(_)) | Err(_) => format!("{}\n", printable(json)),
        Ok(value) => as_json(value),
    }
}

/// One object: its plain values as pairs, then each list of rows as a table under its name.
fn object(pairs: &serde_json::Map<String, Value>) -> String {
    let plain: Vec<(String, &Value)> =
        pairs.iter().filter(|(_, value)| is_cell(value)).map(|(key, value)| (line(key), value)).collect();
    let widest = plain.iter().map(|(key, _)| key.chars().count()).filter(|width| *width <= KEY_COLUMNS_MAX).max();
    let widest = widest.unwrap_or(0);
    let mut text = String::new();
    for (key, value) in plain {
        let _ = writeln!(text, "{key:<widest$}  {}", cell(value));
    }
    for (key, value) in pairs.iter().filter(|(_, value)| !is_cell(value)) {
        let key = line(key);
        let _ = match value {
            Value::Array(rows) if rows.is_empty() => writeln!(text, "{key}  none"),
            Value::Array(rows) => match columns(rows) {
                Some(columns) => write!(text, "\n{key}\n{}", table(&columns, rows)),
                None => writeln!(text, "{key}  {}", printable(&value.to_string())),
            },
            Value::Object(inner) if inner.values().all(is_cell) && !inner.is_empty() => {
                write!(text, "\n{key}\n{}", indented(&object(inner)))
            }
            value => writeln!(text, "{key}  {}", printable(&value.to_string())),
        };
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |text, line| text + " " + line + "\n")
}

/// The columns of a table: the keys of all rows, in the order in which they first appear. Nothing when these are no
/// rows: something else is among them, a value that fits no cell, or so many keys that nobody could read the table.
fn columns(rows: &[Value]) -> Option<Vec<&str>> {
    let mut columns: Vec<&str> = Vec::new();
    for row in rows {
        for (key, value) in row.as_object()? {
            if !is_cell(value) {
                return None;
            }
            if !columns.contains(&key.as_str()) {
                if columns.len() == COLUMNS_MAX {
                    return None;
                }
                columns.push(key);
            }
        }
    }
    if columns.is_empty() { None } else { Some(columns) }
}

fn is_cell(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn table(columns: &[&str], rows: &[Value]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // Off a terminal lines stay whole, so that other programs can cut them up.
    if let (true, Some((terminal_size::Width(width), _))) = (stdout().is_terminal(), terminal_size::terminal_size()) {
        table.set_width(width);
    }
    table.set_header(columns.iter().map(|key| line(&key.to_uppercase())));
    for row in rows.iter().take(ROWS_MAX) {
        // What a row lacks stays empty: `-` is a null that the script gave.
        table.add_row(columns.iter().map(|key| row.get(key).map_or(String::new(), cell)));
    }
    let mut text = String::new();
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if rows.len() > ROWS_MAX {
        let _ = writeln!(text, "… and {} more rows: --json has them all", rows.len() - ROWS_MAX);
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => line(text),
        other => other.to_string(),
    }
}

/// Text from outside in one line of a terminal: a key, a cell.
pub(crate) fn line(text: &str) -> String {
    printable(text).replace('\n', "⏎").replace('\t', "⇥")
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{Cause, Failure, RunId};
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn rows_are_a_table_and_the_rest_is_what_it_is() {
        let rows = r#"[{"id": "WEB-1", "count": 12}, {"id": "API-27", "count": 3}]"#;
        assert_eq!(answer(rows), " ID      COUNT\n WEB-1   12\n API-27  3\n");
        assert_eq!(answer("[]"), "no rows\n");
        assert_eq!(answer("null"), "");
        assert_eq!(answer("\"plain\""), "plain\n");
        assert_eq!(answer("123456789012345678901234567890"), "123456789012345678901234567890\n");
        assert_eq!(answer(r#"{"file": "a.py", "line": 7}"#), "file  a.py\nline  7\n");
        assert_eq!(
            answer(
                r#"{"tags": [{"key": "os", "value": "Linux"}], "id": "A-1", "none": [], "by": {"error": 2}, "n": [1]}"#
            ),
            "id  A-1\n\ntags\n KEY  VALUE\n os   Linux\nnone  none\n\nby\n error  2\nn  [1]\n"
        );
        assert_eq!(answer("[1,2]"), "[\n  1,\n  2\n]\n");
    }

    #[test]
    fn rows_with_different_keys_are_a_table_of_all_keys() {
        assert_eq!(
            answer(r#"[{"id": 1}, {"name": "Ada", "id": 2}, {}, {"note": null}]"#),
            " ID  NAME  NOTE\n 1\n 2   Ada\n\n           -\n"
        );
        let rows = |names: usize| {
            let rows = (0..names).map(|at| format!("{{\"k{at}\": {at}}}")).collect::<Vec<_>>();
            answer(&format!("[{}]", rows.join(",")))
        };
        assert!(rows(COLUMNS_MAX).starts_with(" K0  K1  K2  "), "{}", rows(COLUMNS_MAX));
        assert!(rows(COLUMNS_MAX + 1).starts_with("[\n  {\n    \"k0\": 0\n  },\n"), "nobody could read it");
        // What is not all rows of cells is shown as it is.
        assert_eq!(answer("[{}]"), "[\n  {}\n]\n");
        assert_eq!(answer("[{\"a\":1},2]"), "[\n  {\n    \"a\": 1\n  },\n  2\n]\n");
        assert_eq!(answer("{\"r\":[{\"a\":1},{\"b\":[]}]}"), "r  [{\"a\":1},{\"b\":[]}]\n");
        assert_eq!(answer("{\"r\":[{\"a\":1},{\"b\":2}]}"), "\nr\n A  B\n 1\n    2\n");
    }

    #[test]
    fn keys_and_cells_stay_on_their_line() {
        assert_eq!(answer(r#"[{"a\nb": "c\nd", "e\tf": "g\th"}]"#), " A⏎B  E⇥F\n c⏎d  g⇥h\n");
        let object = r#"{"a\nb": 1, "c\td": [1], "e": {"f\u2028g": 2}}"#;
        assert_eq!(answer(object), "a⏎b  1\nc⇥d  [1]\n\ne\n f\\u{2028}g  2\n");
        let long = "k".repeat(70_000);
        let object = format!("{{\"{long}\": 1, \"ab\": 2, \"c\": 3}}");
        assert_eq!(answer(&object), format!("{long}  1\nab  2\nc   3\n"));
    }

    #[test]
    fn terminal_escapes_are_shown_and_not_obeyed() {
        assert_eq!(answer("[\"\u{9b}31m\",1e999]"), "[\"\\u{9b}31m\",1e999]\n");
        assert_eq!(answer("\"a\\u001b[2Jb\u{202e}c\""), "a\\u{1b}[2Jb\\u{202e}c\n");
    }

    #[test]
    fn the_json_report_has_no_character_that_a_terminal_obeys_and_is_the_same_report() {
        let told = "\u{9b}31m\u{7f}\u{202e}\u{2066}\u{e0041}";
        let failure = Failure::new(Cause::Raised { class: "E".to_owned() }, told);
        let report = Report {
            result: RawValue::from_string(format!("[\"{told}\",\r\n1]")).ok(),
            stdout: told.to_owned(),
            ..Report::failed(RunId::of(0), failure)
        };
        let json = as_json(&report);
        assert!(
            json.ends_with('\n')
                && json.trim_end().chars().all(|letter| (' '..='~').contains(&letter) || letter == '\n'),
            "{json:?}"
        );
        let value = parse_value(&json).expect("it is JSON");
        assert_eq!(value["error"]["message"], told);
        assert_eq!(value["result"], serde_json::json!([told, 1]));
        assert_eq!(value["stdout"], told);
    }

    #[test]
    fn what_is_shown_is_what_the_script_gave() {
        let key = "$serde_json::private::RawValue";
        assert_eq!(
            answer(&format!("[{{\"{key}\": \"{{\\\"status\\\": \\\"paid\\\"}}\"}}]")),
            format!(" {}\n {{\"status\": \"paid\"}}\n", key.to_uppercase())
        );
    }
}
