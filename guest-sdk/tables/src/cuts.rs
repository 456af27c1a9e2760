//! Generates random tables in random pieces for property tests, with shrunk examples of past failures.

use proptest::prelude::*;

use crate::{Query, Scan};

/// What tables are made of, so that random ones look like some format now and then.
const PARTS: &[&str] = &[
    "id,country,amount\n",
    "id;Ort;Betrag\r\n",
    "id\tid\t\r",
    "1,Norway,10.5\n",
    "2,\"Sweden, or\nso\",\"1,299.99\"\n",
    "3;Ulm;1.299,99\n",
    "2026-01-31,n/a,12%\n",
    "\"",
    "\"\"",
    ",",
    ";",
    "\n",
    "\r\n",
    "\r",
    "{\"id\": 1, \"amount\": 2.5, \"at\": \"2026-02-03T10:00Z\", \"who\": {\"name\": \"Ä\\u00e4\"}}\n",
    "{\"id\": NaN, \"amount\": \"$5\", \"list\": [1, {\"a\": \"]}\"}]}",
    "{\"data\": [",
    "[",
    "]",
    "}",
    "\u{feff}",
    "ä€😀",
    "1e5",
    "-0.1",
];

const FILES: &[&str] = &["a.csv", "a.tsv", "a.json", "a.jsonl"];

const WANTS: &[&str] = &[
    r#"{"columns": {}}"#,
    r#"{"description": {"sample": 5}}"#,
    r#"{"rows": {"limit": 3}}"#,
    r#"{"summary": {}}"#,
    r#"{"summary": {"sum": "amount", "median": "id", "by": ["country"]}}"#,
    r#"{"summary": {"max": "Betrag", "by": ["Ort", "month"]}}"#,
    r#"{"summary": {"mean": "amount", "by": ["month"], "date_column": "at"}}"#,
    r#"{"summary": {"by": ["week", "weekday"], "date_column": "at"}}"#,
    r#"{"top": {"column": "id", "limit": 3}}"#,
];

const FILTERS: &[&str] = &[
    "{}",
    r#"{"contains": "o"}"#,
    r#"{"equals": "1"}"#,
    r#"{"column": "id", "equals": ["1", "3"], "not_equals": "3"}"#,
    r#"{"column": "amount", "above": "2"}"#,
    r#"{"column": "at", "below": "2026-02-04"}"#,
    r#"{"column": "id", "missing": true}"#,
];

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        12 => proptest::sample::select(PARTS).prop_map(|part| part.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
        1 => (b' '..b'z', 0..70_000_usize).prop_map(|(byte, length)| vec![byte; length]),
    ];
    let text = proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat());
    (text, 0..8_u8).prop_map(|(bytes, encoding)| match encoding {
        0 => {
            let text = String::from_utf8_lossy(&bytes);
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        }
        _ => bytes,
    })
}

/// The answer as JSON, or what is wrong.
fn answer<'a>(query: &Query, pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let mut scan = Scan::new(query.clone()).expect("the query is within its bounds");
    for piece in pieces {
        match scan.feed(piece) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return error.to_string(),
        }
    }
    scan.answer().map_or_else(
        |error| error.to_string(),
        |answer| {
            let text = serde_json::to_string(&answer).expect("an answer is JSON");
            serde_json::from_str::<serde_json::Value>(&text).expect("an answer is JSON that others read");
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_cuts_of_any_table_give_the_same_answer(
        bytes in bytes(),
        file in proptest::sample::select(FILES),
        want in proptest::sample::select(WANTS),
        filter in proptest::sample::select(FILTERS),
        size in 1..9_usize,
    ) {
        let filter = if want.contains("description") { "{}" } else { filter };
        let query = format!(r#"{{"file": "{file}", "want": {want}, "filters": [{filter}]}}"#);
        let query = Query::from_json(&query).expect("the query is one");
        // A few bytes a piece, of megabytes, would be all the time there is.
        let size = if bytes.len() > 20_000 { size * 1000 } else { size };
        let whole = answer(&query, std::iter::once(bytes.as_slice()));
        prop_assert_eq!(answer(&query, bytes.chunks(size)), whole.clone(), "pieces of {}", size);
        // Cuts of many sizes, with a piece of nothing.
        let (front, back) = bytes.split_at(bytes.len() / size);
        prop_assert_eq!(answer(&query, [front, &[], back].into_iter()), whole, "two pieces");
    }
}
