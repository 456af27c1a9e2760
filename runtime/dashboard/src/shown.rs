//! How values are shown to people: times, numbers, and results as tables.

use intentbox_catalog::json::parse_value;
use intentbox_engine::{Report, Wire};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::render;

/// How much of a result a page shows: rows, columns, characters of a cell, and of a text.
const ROWS_MAX: usize = 200;
const COLUMNS_MAX: usize = 30;
const CELL_MAX: usize = 300;
const TEXT_MAX: usize = 100_000;

/// A time for machines.
pub(crate) fn instant(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map(|time| time.to_string()).unwrap_or_default()
}

/// A time for people: UTC, to the second.
pub(crate) fn time(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
    time.unwrap_or_default()
}

/// So many milliseconds in words.
pub(crate) fn duration(ms: i64) -> String {
    let (seconds, minutes) = (ms / 1_000, ms / 60_000);
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{seconds}.{} s", ms % 1_000 / 100),
        60_000..3_600_000 => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// A number with its thousands apart.
pub(crate) fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The beginning of a text.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A value in a cell.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    short(&text, CELL_MAX)
}

/// Names and values in a line.
pub(crate) fn arguments(fields: &Map<String, Value>) -> String {
    let shown: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| format!("{name}={}", cell(value)))
        .collect();
    shown.join(", ")
}

/// A result as HTML: a table if it is a list of objects, else as it is.
pub(crate) fn result(value: &Value) -> String {
    let objects: Option<Vec<&Map<String, Value>>> =
        value.as_array().filter(|rows| !rows.is_empty()).and_then(|rows| rows.iter().map(Value::as_object).collect());
    let (columns, rows, left_out) = objects.map(|objects| table(&objects)).unwrap_or_default();
    let text = match value {
        _ if !columns.is_empty() => String::new(),
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let text = short(&text, TEXT_MAX);
    let values = json!({ "columns": columns, "rows": rows, "left_out": left_out, "text": text });
    render::part("value", &values).unwrap_or_default()
}

/// Columns, rows, and what is left out.
fn table(objects: &[&Map<String, Value>]) -> (Vec<String>, Vec<Vec<String>>, String) {
    let mut columns: Vec<String> = Vec::new();
    for object in objects.iter().take(ROWS_MAX) {
        for name in object.keys() {
            if columns.len() < COLUMNS_MAX && !columns.contains(name) {
                columns.push(name.clone());
            }
        }
    }
    let rows = objects.iter().take(ROWS_MAX);
    let rows = rows.map(|object| columns.iter().map(|name| object.get(name).map(cell).unwrap_or_default()).collect());
    let left_out = match objects.len().checked_sub(ROWS_MAX) {
        None | Some(0) => String::new(),
        Some(more) => format!("and {more} rows more: the whole is in the JSON"),
    };
    (columns.clone(), rows.collect(), left_out)
}

/// A report as the API gives it.
pub(crate) fn wire(report: &Report) -> Value {
    let text = serde_json::to_string(&Wire::new(report, intentbox_api::words)).unwrap_or_default();
    parse_value(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        for (value, shown) in [(0.0, "0"), (999.0, "999"), (1_000.0, "1,000"), (1_234_567.0, "1,234,567")] {
            assert_eq!(count(value), shown);
        }
        for (ms, shown) in
            [(0, "0 ms"), (999, "999 ms"), (1_250, "1.2 s"), (61_000, "1 min 1 s"), (7_260_000, "2 h 1 min")]
        {
            assert_eq!(duration(ms), shown);
        }
        assert_eq!((time(0).as_str(), time(i64::MAX).as_str()), ("1970-01-01 00:00:00", ""));
        assert_eq!((short("äöü", 2).as_str(), short("äöü", 3).as_str()), ("äö…", "äöü"));
    }

    #[test]
    fn a_list_of_objects_is_a_table_and_all_of_it_is_escaped() {
        let html = result(&json!([{"a": "<b>", "c": 1}, {"d": [1, "<"]}]));
        assert_eq!((html.matches("<th ").count(), html.matches("<td>").count()), (3, 6), "{html}");
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"), "{html}");
        for (value, text) in
            [(json!([1, 2]), "1,"), (json!("x < y"), "x &lt; y"), (json!([]), "[]"), (json!([{}, 1]), "{}")]
        {
            let html = result(&value);
            assert!(html.contains("<pre") && html.contains(text), "{html}");
        }
        let many: Vec<Value> = (0..=ROWS_MAX).map(|number| json!({"n": number})).collect();
        let html = result(&json!(many));
        assert!(html.contains("and 1 rows more") && html.matches("<td>").count() == ROWS_MAX, "{}", html.len());
    }
}
