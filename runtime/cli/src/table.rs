//! A JSON value as a person reads it: rows as a table, an object as pairs.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdout};

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, presets};
use intentbox_catalog::json::parse_value;
use serde_json::Value;

use crate::show::{line, printable};

/// The most rows of a table that a person is shown; `--json` has all of them.
const ROWS_MAX: usize = 200;

/// The most columns of a table. A value with more is shown as JSON.
const COLUMNS_MAX: usize = 12;

/// The widest that the keys of an object are padded to. Longer ones stay as they are: one of them should not push all
/// values off the screen, and padding has a limit of its own, 65535, above which formatting panics.
const KEY_COLUMNS_MAX: usize = 40;

/// The widest that a column is without being a text: ids, times and numbers. They stay whole where the texts beside them
/// have [`TEXT_COLUMNS_MIN`].
const WHOLE_COLUMNS_MAX: usize = 24;

/// The narrowest column in which a text says something.
const TEXT_COLUMNS_MIN: usize = 20;

/// The list of an object whose keys are names of somebody else's, such as the columns of a data file: they stay as they are.
const NAMED_BY_DATA: &str = "rows";

/// A character that no cell has: a cell that is cut ends where the room does, and not after a word.
const NO_DELIMITER: char = '\u{1f}';

/// A JSON text for a person: rows as a table, one object as pairs, text as it is, the rest as JSON. On a terminal, cells
/// that are too wide for it are cut.
pub(crate) fn shown(json: &str) -> String {
    // Off a terminal lines stay whole, so that other programs can cut them up.
    let size = if stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    shown_within(json, size.map(|(width, _)| width.0))
}

/// The same in so many columns; without a number, in as many as it takes.
fn shown_within(json: &str, width: Option<u16>) -> String {
    let parsed = parse_value(json);
    let as_json = |value: &Value| format!("{}\n", printable(&format!("{value:#}")));
    match &parsed {
        Ok(Value::Null) => String::new(),
        Ok(Value::String(text)) => format!("{}\n", printable(text)),
        Ok(Value::Array(rows)) if rows.is_empty() => "no rows\n".to_owned(),
        Ok(value @ Value::Array(rows)) => match columns(rows) {
            Some(columns) => table(&heads(&columns), &columns, rows, width),
            None => as_json(value),
        },
        Ok(Value::Object(pairs)) if !pairs.is_empty() => match only_text(pairs) {
            Some(text) => format!("{}\n", printable(text.trim_end_matches('\n'))),
            None => object(pairs, width),
        },
        // Numbers keep the digits the script gave: a parsed value would round long ones.
        Ok(Value::Number(_)) | Err(_) => format!("{}\n", printable(json)),
        Ok(value) => as_json(value),
    }
}

/// The text of several lines that is all of an object: the contents of a file, as a tool gives them.
fn only_text(pairs: &serde_json::Map<String, Value>) -> Option<&str> {
    let text = pairs.values().next().filter(|_| pairs.len() == 1)?.as_str()?;
    text.contains('\n').then_some(text)
}

/// One object: its plain values as pairs, then each list of rows as a table under its name.
fn object(pairs: &serde_json::Map<String, Value>, width: Option<u16>) -> String {
    let plain: Vec<(String, &Value)> =
        pairs.iter().filter(|(_, value)| is_cell(value)).map(|(key, value)| (line(key), value)).collect();
    let widest = plain.iter().map(|(key, _)| key.chars().count()).filter(|width| *width <= KEY_COLUMNS_MAX).max();
    let widest = widest.unwrap_or(0);
    let mut text = String::new();
    for (key, value) in plain {
        let _ = writeln!(text, "{key:<widest$}  {}", cell(value));
    }
    for (key, value) in pairs.iter().filter(|(_, value)| !is_cell(value)) {
        let is_named_by_data = key == NAMED_BY_DATA;
        let key = line(key);
        let _ = match value {
            Value::Array(rows) if rows.is_empty() => writeln!(text, "{key}  none"),
            Value::Object(inner) if inner.is_empty() => writeln!(text, "{key}  none"),
            Value::Array(rows) => match columns(rows) {
                Some(columns) => {
                    let header =
                        if is_named_by_data { columns.iter().map(|key| line(key)).collect() } else { heads(&columns) };
                    write!(text, "\n{key}\n{}", table(&header, &columns, rows, width))
                }
                None => writeln!(text, "{key}  {}", printable(&value.to_string())),
            },
            Value::Object(inner) if inner.values().all(is_cell) => {
                write!(text, "\n{key}\n{}", indented(&object(inner, width)))
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

/// Keys as the heads of a table.
fn heads(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|key| line(&key.to_uppercase())).collect()
}

fn table(header: &[String], columns: &[&str], rows: &[Value], width: Option<u16>) -> String {
    // What a row lacks stays empty: `-` is a null that the script gave.
    let cells =
        |row: &Value| -> Vec<String> { columns.iter().map(|key| row.get(key).map_or(String::new(), cell)).collect() };
    let mut lines: Vec<Vec<String>> =
        std::iter::once(header.to_vec()).chain(rows.iter().take(ROWS_MAX).map(cells)).collect();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let mut whole = Vec::new();
    if let Some(width) = width {
        table.set_width(width).set_delimiter(NO_DELIMITER).set_truncation_indicator("…");
        let width = usize::from(width);
        for cell in lines.iter_mut().flatten() {
            // Fitting one takes the square of its length.
            cut(cell, width);
        }
        whole = whole_columns(&lines, width);
    }
    for (at, line) in lines.into_iter().enumerate() {
        let mut row = Row::from(line);
        if width.is_some() {
            row.max_height(1);
        }
        if at == 0 {
            table.set_header(row)
        } else {
            table.add_row(row)
        };
    }
    for at in whole {
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if rows.len() > ROWS_MAX {
        let _ = writeln!(text, "… {} more rows; use --json to see all of them", rows.len() - ROWS_MAX);
    }
    text
}

/// Cuts a cell to one character more than there are columns, so that it is still too wide.
fn cut(cell: &mut String, width: usize) {
    if let Some((end, _)) = cell.char_indices().nth(width) {
        cell.truncate(end);
        cell.push('…');
    }
}

/// The columns that stay whole in a table of this width: those without texts, if enough is left for the others.
fn whole_columns(lines: &[Vec<String>], width: usize) -> Vec<usize> {
    let columns = lines.first().map_or(0, Vec::len);
    let widest = |at: usize| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| widest(at).unwrap_or(0)).collect();
    // Each column has a blank on both sides.
    let whole: Vec<usize> = (0..columns).filter(|at| widths[*at] <= WHOLE_COLUMNS_MAX).collect();
    let taken: usize = whole.iter().map(|at| widths[*at] + 2).sum();
    let wanted = (columns - whole.len()) * (TEXT_COLUMNS_MIN + 2);
    if taken + wanted <= width { whole } else { Vec::new() }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        // Unquoted, `Sales` and `Sales ` look like the same value twice.
        Value::String(text) if text.ends_with(' ') => format!("\"{}\"", line(text)),
        Value::String(text) => line(text),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_a_table_and_the_rest_is_what_it_is() {
        let rows = r#"[{"id": "WEB-1", "count": 12}, {"id": "API-27", "count": 3}]"#;
        assert_eq!(shown(rows), " ID      COUNT\n WEB-1   12\n API-27  3\n");
        assert_eq!(shown("[]"), "no rows\n");
        assert_eq!(shown("null"), "");
        assert_eq!(shown("\"plain\""), "plain\n");
        assert_eq!(shown("123456789012345678901234567890"), "123456789012345678901234567890\n");
        assert_eq!(shown(r#"{"file": "a.py", "line": 7}"#), "file  a.py\nline  7\n");
        assert_eq!(
            shown(
                r#"{"tags": [{"key": "os", "value": "Linux"}], "id": "A-1", "none": [], "by": {"error": 2}, "n": [1]}"#
            ),
            "id  A-1\n\ntags\n KEY  VALUE\n os   Linux\nnone  none\n\nby\n error  2\nn  [1]\n"
        );
        assert_eq!(shown("[1,2]"), "[\n  1,\n  2\n]\n");
        assert_eq!(shown(r#"{"records": 0, "counts": {}}"#), "records  0\ncounts  none\n");
    }

    #[test]
    fn on_a_terminal_texts_are_cut_and_the_rest_stays_whole() {
        let title = "TypeError: Cannot read properties of undefined (reading 'currency')";
        let row = json!({"id": "CHECKOUT-1T", "title": title, "count": 252, "last_seen": "2026-11-20T09:58:12Z"});
        let rows = json!([row, row]).to_string();
        let within = |width: u16| {
            let text = shown_within(&rows, Some(width));
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(lines.len(), 3, "{text}");
            assert!(lines.iter().all(|line| line.chars().count() <= usize::from(width)), "{text}");
            lines
        };
        // The three others take 13, 7 and 22 columns.
        for (width, shown) in [(80, 36), (64, 20)] {
            let cut: String = title.chars().take(shown - 1).collect();
            assert_eq!(within(width)[1], format!(" CHECKOUT-1T  {cut}…  252    2026-11-20T09:58:12Z"));
        }
        assert!(within(63)[1].contains("TypeError"), "{:?}", within(63));
        assert!(within(120)[1].contains(title), "it fits");
        assert_eq!(shown_within(&rows, None), shown_within(&rows, Some(400)), "nothing is cut off a terminal");
        let long = json!([{"text": "x".repeat(1 << 20)}]).to_string();
        assert_eq!(shown_within(&long, Some(20)), format!(" TEXT\n {}…\n", "x".repeat(17)));
        assert_eq!(shown_within(r#"[{"a": 1}]"#, Some(1)).lines().count(), 2, "no terminal is too narrow");
    }

    #[test]
    fn rows_with_different_keys_are_a_table_of_all_keys() {
        assert_eq!(
            shown(r#"[{"id": 1}, {"name": "Ada", "id": 2}, {}, {"note": null}]"#),
            " ID  NAME  NOTE\n 1\n 2   Ada\n\n           -\n"
        );
        let rows = |names: usize| {
            let rows = (0..names).map(|at| format!("{{\"k{at}\": {at}}}")).collect::<Vec<_>>();
            shown(&format!("[{}]", rows.join(",")))
        };
        assert!(rows(COLUMNS_MAX).starts_with(" K0  K1  K2  "), "{}", rows(COLUMNS_MAX));
        assert!(rows(COLUMNS_MAX + 1).starts_with("[\n  {\n    \"k0\": 0\n  },\n"), "nobody could read it");
        // What is not all rows of cells is shown as it is.
        assert_eq!(shown("[{}]"), "[\n  {}\n]\n");
        assert_eq!(shown("[{\"a\":1},2]"), "[\n  {\n    \"a\": 1\n  },\n  2\n]\n");
        assert_eq!(shown("{\"r\":[{\"a\":1},{\"b\":[]}]}"), "r  [{\"a\":1},{\"b\":[]}]\n");
        assert_eq!(shown("{\"r\":[{\"a\":1},{\"b\":2}]}"), "\nr\n A  B\n 1\n    2\n");
    }

    #[test]
    fn names_of_data_keep_their_case() {
        assert_eq!(
            shown(r#"{"matching": 1, "rows": [{"Straße": "Am Ring", "id": 7}]}"#),
            "matching  1\n\nrows\n Straße   id\n Am Ring  7\n"
        );
        assert_eq!(shown(r#"{"groups": [{"Straße": 1}]}"#), "\ngroups\n STRASSE\n 1\n");
    }

    #[test]
    fn a_blank_at_the_end_of_a_cell_is_seen() {
        assert_eq!(
            shown(r#"[{"group": "Sales", "rows": 29}, {"group": "Sales ", "rows": 34}]"#),
            " GROUP     ROWS\n Sales     29\n \"Sales \"  34\n"
        );
    }

    #[test]
    fn keys_and_cells_stay_on_their_line() {
        assert_eq!(shown(r#"[{"a\nb": "c\nd", "e\tf": "g\th"}]"#), " A⏎B  E⇥F\n c⏎d  g⇥h\n");
        let object = r#"{"a\nb": 1, "c\td": [1], "e": {"f\u2028g": 2}}"#;
        assert_eq!(shown(object), "a⏎b  1\nc⇥d  [1]\n\ne\n f\\u{2028}g  2\n");
        let long = "k".repeat(70_000);
        let object = format!("{{\"{long}\": 1, \"ab\": 2, \"c\": 3}}");
        assert_eq!(shown(&object), format!("{long}  1\nab  2\nc   3\n"));
    }

    #[test]
    fn a_text_of_several_lines_that_is_all_is_shown_as_it_is() {
        assert_eq!(shown(r#"{"content": "one\n\u001btwo\n"}"#), "one\n\\u{1b}two\n");
        assert_eq!(shown(r#"{"content": "one"}"#), "content  one\n");
        assert_eq!(shown(r#"{"content": "one\ntwo", "bytes": 7}"#), "content  one⏎two\nbytes    7\n");
    }

    #[test]
    fn terminal_escapes_are_shown_and_not_obeyed() {
        assert_eq!(shown("[\"\u{9b}31m\",1e999]"), "[\"\\u{9b}31m\",1e999]\n");
        assert_eq!(shown("\"a\\u001b[2Jb\u{202e}c\""), "a\\u{1b}[2Jb\\u{202e}c\n");
    }

    #[test]
    fn what_is_shown_is_what_the_script_gave() {
        let key = "$serde_json::private::RawValue";
        assert_eq!(
            shown(&format!("[{{\"{key}\": \"{{\\\"status\\\": \\\"paid\\\"}}\"}}]")),
            format!(" {}\n {{\"status\": \"paid\"}}\n", key.to_uppercase())
        );
    }
}
