//! A report for a person, or as JSON for a program.

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdout};
use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};
use intentbox_engine::{Outcome, Report};
use serde_json::Value;

/// The most rows and cells of a table that a person is shown; `--json` has all of them.
const ROWS_MAX: usize = 200;
const COLUMNS_MAX: usize = 12;

/// Prints the report and gives its exit code.
pub(crate) fn report(report: &Report, json: bool) -> ExitCode {
    let code = ExitCode::from(report.outcome.terms().exit);
    let (mut text, mut messages) = (String::new(), String::new());
    if json {
        text = serde_json::to_string(report)
            .unwrap_or_else(|error| format!("{{\"outcome\":\"internal\",\"error\":{{\"message\":\"{error}\"}}}}"));
        text.push('\n');
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

/// Prints why the command could not even start.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    let _ = writeln!(stderr(), "usage: {}", printable(&format!("{error:#}")));
    ExitCode::from(Outcome::Usage.terms().exit)
}

fn explain(report: &Report, text: &mut String) {
    let name = report.outcome.terms().name;
    if let Some(error) = &report.error {
        if let Some(traceback) = &error.traceback {
            let _ = writeln!(text, "{}", printable(traceback.trim_end()));
        }
        let subject = if error.kind == name { String::new() } else { format!("{}: ", error.kind) };
        // Limits and Python's own errors name themselves; a second name in front is for everything else.
        let message = error.message.strip_prefix(&subject).unwrap_or(&error.message);
        let _ = writeln!(text, "{name}: {}{}", printable(&subject), printable(message));
        if let Some(hint) = &error.hint {
            let _ = writeln!(text, "hint: {}{}", printable(hint), flag(&error.kind));
        }
    }
    for candidate in report.route.iter().flat_map(|route| &route.candidates) {
        let _ = writeln!(text, "  {:<28} {}", printable(&candidate.template), printable(&candidate.summary));
    }
    for refused in report.refusals.iter().filter(|_| report.outcome != Outcome::CapabilityDenied) {
        let _ = writeln!(text, "refused: {}", printable(&refused.message));
        if let Some(hint) = &refused.hint {
            let _ = writeln!(text, "hint: {}", printable(hint));
        }
    }
    if let (Some(spent), Some(route)) = (&report.spent, &report.route)
        && report.outcome == Outcome::Ok
        && stderr().is_terminal()
    {
        let template = route.template.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{template} · {:.0} ms · {} requests", spent.wall_ms, spent.http_requests);
    }
}

/// The flag that raises a limit.
fn flag(kind: &str) -> &'static str {
    match kind {
        "fuel" => " — see --fuel",
        "wall_ms" => " — see --timeout-ms",
        "memory_bytes" => " — see --memory-mib",
        _ => "",
    }
}

/// The answer as a person reads it: rows as a table, one object as pairs, text as it is, the rest as JSON.
fn answer(json: &str) -> String {
    match serde_json::from_str::<Value>(json) {
        Ok(Value::Null) => String::new(),
        Ok(Value::String(text)) => format!("{}\n", printable(&text)),
        Ok(Value::Array(rows)) if is_table(&rows) => table(&rows),
        Ok(Value::Array(rows)) if rows.is_empty() => "no rows\n".to_owned(),
        Ok(Value::Object(pairs)) if !pairs.is_empty() => object(&pairs),
        // Numbers keep the digits the script gave: a parsed value would round long ones.
        Ok(Value::Number(_)) | Err(_) => format!("{}\n", printable(json)),
        Ok(value) => format!("{}\n", printable(&format!("{value:#}"))),
    }
}

/// One object: its plain values as pairs, then each list of rows as a table under its name.
fn object(pairs: &serde_json::Map<String, Value>) -> String {
    let plain = || pairs.iter().filter(|(_, value)| is_cell(value));
    let widest = plain().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (key, value) in plain() {
        let _ = writeln!(text, "{:<widest$}  {}", printable(key), cell(value));
    }
    for (key, value) in pairs.iter().filter(|(_, value)| !is_cell(value)) {
        let key = printable(key);
        let _ = match value {
            Value::Array(rows) if rows.is_empty() => writeln!(text, "{key}  none"),
            Value::Array(rows) if is_table(rows) => write!(text, "\n{key}\n{}", table(rows)),
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

fn is_table(rows: &[Value]) -> bool {
    let Some(Value::Object(first)) = rows.first() else { return false };
    first.len() <= COLUMNS_MAX
        && !first.is_empty()
        && rows
            .iter()
            .all(|row| row.as_object().is_some_and(|row| row.keys().eq(first.keys()) && row.values().all(is_cell)))
}

fn is_cell(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn table(rows: &[Value]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    // Off a terminal lines stay whole, so that other programs can cut them up.
    if let (true, Some((terminal_size::Width(columns), _))) = (stdout().is_terminal(), terminal_size::terminal_size()) {
        table.set_width(columns);
    }
    if let Some(Value::Object(first)) = rows.first() {
        table.set_header(first.keys().map(|key| printable(&key.to_uppercase())));
    }
    for row in rows.iter().take(ROWS_MAX).filter_map(Value::as_object) {
        table.add_row(row.values().map(cell));
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
        Value::String(text) => printable(text).replace('\n', "⏎"),
        other => other.to_string(),
    }
}

/// Text from outside, safe to print: what would move the cursor, change colours or reorder the line shows as an escape.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        let reorders = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (letter.is_control() && letter != '\n' && letter != '\t') || reorders {
            let _ = write!(safe, "\\u{{{:x}}}", u32::from(letter));
        } else {
            safe.push(letter);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
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
    fn terminal_escapes_are_shown_and_not_obeyed() {
        assert_eq!(answer("[\"\u{9b}31m\",1e999]"), "[\"\\u{9b}31m\",1e999]\n");
        assert_eq!(printable("a\x1b[2Jb\u{202e}c\td\n"), "a\\u{1b}[2Jb\\u{202e}c\td\n");
    }
}
