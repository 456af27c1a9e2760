//! Claims about scans, as tables of cases. The oracle tests that cuts make no difference.

use serde_json::json;

use crate::fingerprint::fingerprint;
use crate::frequent::Frequency;
use crate::{
    Answer, By, LINE_BYTES_MAX, Level, Levels, Query, QueryError, RECORD_BYTES_MAX, RECORD_LINES_MAX, RECORDS_MAX,
    Scan, TOP_MAX, Want, moment,
};

/// 2026-11-20T12:00:00Z.
pub(crate) const NOW_MS: i64 = 1_795_176_000_000;

pub(crate) fn ask(query: Query, text: &[u8]) -> Answer {
    let mut scan = Scan::new(query).unwrap();
    scan.begin_file("a.log");
    scan.feed(text);
    scan.answer()
}

pub(crate) fn all() -> Query {
    Query { now_ms: Some(NOW_MS), ..Query::new(Want::Records { limit: RECORDS_MAX, newest: false }) }
}

/// Level, time and message of each record, with `-` for no time.
pub(crate) fn records(text: &str) -> Vec<(Level, String, String)> {
    let records = ask(all(), text.as_bytes()).records.unwrap();
    let shown = |time: Option<String>| time.unwrap_or_else(|| "-".to_owned());
    records.into_iter().map(|record| (record.level, shown(record.time), record.message)).collect()
}

fn counts(query: Query, text: &str) -> Vec<(String, u64)> {
    ask(Query { want: Want::Counts { by: By::Level }, ..query }, text.as_bytes()).counts.unwrap()
}

#[test]
fn every_format_tells_level_time_and_message() {
    use Level::{Debug, Error, Fatal, Info, Trace, Unknown, Warning};
    for (line, level, time, message) in [
        // JSON lines.
        (r#"{"level":"error","msg":"no route","ts":1795168692.123}"#, Error, "2026-11-20T09:58:12.123Z", "no route"),
        (r#"{"ts":1795168692123,"lvl":"WARN","message":"a\tb"}"#, Warning, "2026-11-20T09:58:12.123Z", "a\tb"),
        (r#"{"ts":1795168692123456,"severity":"notice","event":"e"}"#, Info, "2026-11-20T09:58:12.123Z", "e"),
        (r#"{"ts":1795168692123456789,"level":50,"msg":"x"}"#, Error, "2026-11-20T09:58:12.123Z", "x"),
        (r#"{"level":3,"msg":"x"}"#, Error, "-", "x"),
        (r#"{"level":60,"msg":"x"}"#, Fatal, "-", "x"),
        (r#"{"level":"E","msg":"x"}"#, Error, "-", "x"),
        (r#"{"log.level":"debug","message":"x"}"#, Debug, "-", "x"),
        (r#"{"log":{"level":"trace"},"message":"x"}"#, Trace, "-", "x"),
        (
            r#"{"log":"[ERROR] from a container\n","stream":"stderr","time":"2026-11-20T09:58:12Z"}"#,
            Error,
            "2026-11-20T09:58:12.000Z",
            "[ERROR] from a container",
        ),
        (r#" {"level":"error"}"#, Unknown, "-", r#" {"level":"error"}"#),
        (r#"{"nested":{"level":"error"},"msg":"\u00e4 \ud83d\ude00 \ud83d"}"#, Unknown, "-", "ä 😀 \u{fffd}"),
        (
            r#"{"@timestamp":"2026-11-20T10:58:12+01:00","level":"info","event":"e","msg":"m"}"#,
            Info,
            "2026-11-20T09:58:12.000Z",
            "m",
        ),
        (r#"{"level":"error","msg":"cut"#, Error, "-", r#"{"level":"error","msg":"cut"#),
        ("{not json}", Unknown, "-", "{not json}"),
        // logfmt.
        (
            r#"ts=2026-11-20T09:58:12Z level=warn msg="no \"route\"" n=1"#,
            Warning,
            "2026-11-20T09:58:12.000Z",
            r#"no "route""#,
        ),
        ("level=error msg=short", Error, "-", "short"),
        ("level=error", Unknown, "-", "level=error"),
        ("a=b c=d", Unknown, "-", "a=b c=d"),
        // syslog.
        ("<11>Nov 20 09:58:12 host app[1]: failed", Error, "2026-11-20T09:58:12.000Z", "app[1]: failed"),
        ("<0>Nov  3 09:58:12 host app: failed", Fatal, "2026-11-03T09:58:12.000Z", "app: failed"),
        ("<191>Nov 20 09:58:12 host app: x", Debug, "2026-11-20T09:58:12.000Z", "app: x"),
        ("<192>Nov 20 09:58:12 host app: x", Unknown, "-", "<192>Nov 20 09:58:12 host app: x"),
        (
            "<165>1 2026-11-20T09:58:12.003Z host app 7 id [a@1 b=\"]\\\"\"][c] \u{feff}text",
            Info,
            "2026-11-20T09:58:12.003Z",
            "text",
        ),
        ("<12>1 - - - - - - text", Warning, "-", "text"),
        ("Nov 20 09:58:12 host sshd[7]: error: no key", Error, "2026-11-20T09:58:12.000Z", "sshd[7]: error: no key"),
        ("Nov 20 09:58:12 host sshd[7]: an error", Unknown, "2026-11-20T09:58:12.000Z", "sshd[7]: an error"),
        ("Dec 31 09:58:12 host a: x", Unknown, "2025-12-31T09:58:12.000Z", "a: x"),
        ("Feb 29 09:58:12 host a: x", Unknown, "2024-02-29T09:58:12.000Z", "a: x"),
        // Access logs.
        (
            r#"10.0.0.1 - - [20/Nov/2026:09:58:12 +0000] "GET /a?b=1 HTTP/1.1" 500 17"#,
            Error,
            "2026-11-20T09:58:12.000Z",
            "500 GET /a?b=1",
        ),
        (
            r#"::1 - bob [20/Nov/2026:10:58:12 +0100] "GET / HTTP/2" 499 - "-" "curl""#,
            Warning,
            "2026-11-20T09:58:12.000Z",
            "499 GET /",
        ),
        (
            r#"host - - [20/Nov/2026:09:58:12 +0000] "POST / HTTP/2" 399 1"#,
            Info,
            "2026-11-20T09:58:12.000Z",
            "399 POST /",
        ),
        // Text.
        ("2026-11-20 09:58:12,123 ERROR worker: text", Error, "2026-11-20T09:58:12.123Z", "worker: text"),
        ("2026/11/20 09:58:12 [error] 1#0: text", Error, "2026-11-20T09:58:12.000Z", "1#0: text"),
        ("[2026-11-20T09:58:12.5-01:00] app.WARNING: text", Warning, "2026-11-20T10:58:12.500Z", "text"),
        ("[Fri Nov 20 09:58:12.25 2026] [core:error] [pid 1] text", Error, "2026-11-20T09:58:12.250Z", "[pid 1] text"),
        (
            "2026-11-20 09:58:12.1 [http-nio-80-exec-1] WARN a.B - text",
            Warning,
            "2026-11-20T09:58:12.100Z",
            "a.B - text",
        ),
        ("2026-11-20 09:58:12 UTC [1] LOG:  text", Info, "2026-11-20T09:58:12.000Z", "text"),
        ("2026-11-20T09:58:12Z error text", Error, "2026-11-20T09:58:12.000Z", "text"),
        ("2026-11-20T09:58:12Z about an error text", Unknown, "2026-11-20T09:58:12.000Z", "about an error text"),
        ("2026-11-20T24:00:00Z ERROR x", Unknown, "-", "2026-11-20T24:00:00Z ERROR x"),
        ("E1120 09:58:12.123456    1234 a.go:12] text", Error, "2026-11-20T09:58:12.123Z", "text"),
        ("W1120 09:58:12 text", Warning, "2026-11-20T09:58:12.000Z", "text"),
        ("[ERROR] text", Error, "-", "text"),
        ("ERROR:root:text", Error, "-", "root:text"),
        ("error: text", Error, "-", "error: text"),
        ("ERROR_CODE=5", Unknown, "-", "ERROR_CODE=5"),
        ("an ERROR text", Unknown, "-", "an ERROR text"),
        ("panic: text", Fatal, "-", "panic: text"),
        ("thread 'main' panicked at src/a.rs:1:2:", Fatal, "-", "thread 'main' panicked at src/a.rs:1:2:"),
        ("java.io.IOException: text", Error, "-", "java.io.IOException: text"),
    ] {
        assert_eq!(records(line), [(level, time.to_owned(), message.to_owned())], "{line}");
    }
}

#[test]
fn times_have_bounds() {
    for (text, expected) in [
        ("2026-02-28T23:59:59Z", Some("2026-02-28T23:59:59.000Z")),
        ("2026-02-29T00:00:00Z", None),
        ("2024-02-29T00:00:00Z", Some("2024-02-29T00:00:00.000Z")),
        ("2100-02-29T00:00:00Z", None),
        ("2016-12-31T23:59:60Z", Some("2016-12-31T23:59:59.999Z")),
        ("2016-12-31T23:59:61Z", None),
        ("2026-13-01T00:00:00Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00.000Z")),
        ("9999-12-31T23:59:59.999999999Z", Some("9999-12-31T23:59:59.999Z")),
        ("1970-01-01 00:00:00 +0100", Some("1969-12-31T23:00:00.000Z")),
        ("1970-01-01 00:00:00+24:00", Some("1970-01-01T00:00:00.000Z")),
        ("99999999999", Some("5138-11-16T09:46:39.000Z")),
        ("100000000000", Some("1973-03-03T09:46:40.000Z")),
        ("253402300799999", Some("1978-01-11T21:31:40.799Z")),
        ("-1", None),
        ("1.5x", None),
        ("", None),
    ] {
        assert_eq!(moment::of_value(text.as_bytes()).map(moment::text).as_deref(), expected, "{text}");
    }
}

#[test]
fn lines_that_belong_to_a_record_stay_with_it() {
    let python = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'a'";
    let chained =
        format!("{python}\n\nDuring handling of the above exception, another exception occurred:\n\n{python}");
    let java = "java.lang.Exception: a\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: b\n\t... 3 more";
    let go = "panic: a\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\nexit status 2";
    let js = "TypeError: a is undefined\n    at f (a.js:1:2)";
    let head = "2026-11-20 09:58:12,123 ERROR w: failed";
    for (text, expected) in [
        (python.to_owned(), vec![Level::Error]),
        (chained.clone(), vec![Level::Error]),
        (format!("{python}\n{python}"), vec![Level::Error, Level::Error]),
        (format!("{python}\nplain text"), vec![Level::Error, Level::Unknown]),
        (java.to_owned(), vec![Level::Error]),
        (go.to_owned(), vec![Level::Fatal]),
        (format!("{go}\nplain text"), vec![Level::Fatal, Level::Unknown]),
        (js.to_owned(), vec![Level::Error]),
        (format!("{head}\n{chained}\n[INFO] next"), vec![Level::Error, Level::Info]),
        (format!("{head}\n{java}\n{head}"), vec![Level::Error, Level::Error]),
        (format!("{head}\n{js}\nmore text\n{head}"), vec![Level::Error, Level::Error]),
        // Without a level of its own, a record has that of its traceback.
        (format!("2026-11-20 09:58:12 failed\n{python}"), vec![Level::Error]),
        // Records of one line do not take in what another program printed.
        (format!("{{\"level\":\"info\"}}\n{python}"), vec![Level::Info, Level::Error]),
        ("{\"level\":\"info\"}\n  indented".to_owned(), vec![Level::Info]),
        ("a\nb\n\nc".to_owned(), vec![Level::Unknown, Level::Unknown, Level::Unknown]),
        ("{\n  \"level\": 1\n}\na".to_owned(), vec![Level::Unknown, Level::Unknown]),
    ] {
        let levels: Vec<Level> = records(&text).into_iter().map(|(level, ..)| level).collect();
        assert_eq!(levels, expected, "{text}");
    }
    let expected = format!("w: failed\n{python}");
    assert_eq!(records(&format!("{head}\n{python}\n"))[0].2, expected);
}

#[test]
fn a_record_keeps_its_bounds_and_says_what_is_missing() {
    let most = usize::try_from(RECORD_LINES_MAX).unwrap();
    for (lines, cut) in [(most, 0), (most + 1, 1), (most + 2, 2)] {
        let text = format!("[ERROR] a{}", "\n b".repeat(lines - 1));
        let answer = ask(all(), text.as_bytes());
        let record = &answer.records.unwrap()[0];
        assert_eq!((answer.seen.cut, record.cut), (cut, cut > 0), "{lines} lines");
        assert_eq!(record.message.lines().count(), lines.min(most));
    }
    for (length, cut) in [(RECORD_BYTES_MAX, 0), (RECORD_BYTES_MAX + 1, 1)] {
        let answer = ask(all(), "x".repeat(length).as_bytes());
        assert_eq!((answer.seen.cut, answer.records.unwrap()[0].message.len()), (cut, RECORD_BYTES_MAX));
    }
    let count_only = Query::new(Want::Counts { by: By::Level });
    for (length, cut) in [(LINE_BYTES_MAX, 0), (LINE_BYTES_MAX + 1, 1)] {
        let answer = ask(count_only.clone(), format!("{}\n[INFO] b", "x".repeat(length)).as_bytes());
        assert_eq!((answer.seen.cut, answer.seen.records), (cut, 2), "{length} bytes");
    }
}

#[test]
fn an_endless_line_holds_no_more_than_a_line() {
    let mut scan = Scan::new(all()).unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..8 {
        scan.feed(&piece);
        scan.check();
    }
    assert!(scan.held_bytes() <= 2 * LINE_BYTES_MAX, "{}", scan.held_bytes());
    assert_eq!(scan.answer().seen.cut, 2, "the line, and the record of it");
}

#[test]
fn broken_text_is_shown_and_ends_of_lines_are_not() {
    let answer = ask(all(), b"\xef\xbb\xbf[INFO] a\xff\r\n[INFO] b\r\r\n\r\n[INFO] c\0");
    let messages: Vec<String> = answer.records.unwrap().into_iter().map(|record| record.message).collect();
    assert_eq!(messages, ["a\u{fffd}", "b", "c\0"]);
    assert_eq!((answer.seen.lines, answer.seen.records), (4, 3));
}

#[test]
fn levels_times_and_texts_filter() {
    let log = "2026-11-20T09:00:00Z INFO one Timeout\n2026-11-20T10:00:00Z ERROR two\n  TIMEOUT of Über\n\
               {\"level\":\"warn\",\"msg\":\"timeout\"}\nplain\n2026-11-20T11:00:00Z FATAL four\n";
    let ten = 1_795_168_800_000;
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (query, expected) in [
        (all(), "fatal 1 error 1 warning 1 info 1 unknown 1"),
        (Query { levels: Levels::AtLeast(Level::Warning), ..all() }, "fatal 1 error 1 warning 1"),
        (Query { levels: Levels::Exactly(vec![Level::Info, Level::Unknown]), ..all() }, "info 1 unknown 1"),
        (Query { text: text(&["timeout"]), ..all() }, "error 1 warning 1 info 1"),
        (Query { text: text(&["timeout", "two"]), ..all() }, "error 1"),
        (Query { text: text(&["ÜBER"]), ..all() }, "error 1"),
        (Query { text: text(&["timeouts"]), ..all() }, ""),
        // What has no time has that of the record before it.
        (Query { since_ms: Some(ten), ..all() }, "fatal 1 error 1 warning 1 unknown 1"),
        (Query { since_ms: Some(ten + 1), ..all() }, "fatal 1"),
        (Query { until_ms: Some(ten), ..all() }, "info 1"),
        (Query { until_ms: Some(ten + 1), ..all() }, "error 1 warning 1 info 1 unknown 1"),
    ] {
        let shown: Vec<String> =
            counts(query.clone(), log).iter().map(|(key, count)| format!("{key} {count}")).collect();
        assert_eq!(shown.join(" "), expected, "{query:?}");
    }
    let undated = ask(Query { since_ms: Some(0), ..all() }, b"[ERROR] when?\n");
    assert_eq!((undated.records, undated.seen.undated), (Some(Vec::new()), 1));
}

#[test]
fn records_are_the_first_or_the_newest() {
    let log = "2026-11-20T09:00:00Z INFO a\n2026-11-20T11:00:00Z INFO b\n2026-11-20T10:00:00Z INFO c\n[INFO] d\n";
    for (limit, newest, expected) in [
        (2, false, "a b"),
        (4, false, "a b c d"),
        (1, true, "b"),
        (2, true, "d b"),
        (3, true, "c d b"),
        (9, true, "a c d b"),
    ] {
        let answer = ask(Query::new(Want::Records { limit, newest }), log.as_bytes());
        let messages: Vec<String> = answer.records.unwrap().into_iter().map(|record| record.message).collect();
        assert_eq!(messages.join(" "), expected, "{limit} {newest}");
    }
}

#[test]
fn counts_are_by_level_file_and_span() {
    let mut text =
        "2026-11-20T09:00:00Z INFO a\n2026-11-20T09:59:59Z ERROR b\n2026-11-21T10:00:00Z ERROR c\n".to_owned();
    text.insert_str(0, "[INFO] no time\n");
    for (by, expected) in [
        (By::Level, json!({"error": 2, "info": 2})),
        (By::File, json!({"a.log": 4})),
        (By::Day, json!({"2026-11-20": 2, "2026-11-21": 1, "unknown": 1})),
        (By::Hour, json!({"2026-11-20T09:00Z": 2, "2026-11-21T10:00Z": 1, "unknown": 1})),
        (By::Minute, json!({"2026-11-20T09:00Z": 1, "2026-11-20T09:59Z": 1, "2026-11-21T10:00Z": 1, "unknown": 1})),
    ] {
        let answer = ask(Query::new(Want::Counts { by }), text.as_bytes());
        assert_eq!(serde_json::to_value(&answer).unwrap()["counts"], expected, "{by:?}");
    }
}

#[test]
fn fingerprints_drop_what_varies() {
    for (one, other) in [
        ("took 12 ms", "took 7 ms"),
        ("took 1.5s at 10:20:30", "took 12ms at 2026-11-20T09:58:12"),
        ("user 550e8400-e29b-41d4-a716-446655440000 left", "user abcdefab-abcd-abcd-abcd-abcdefabcdef left"),
        ("commit deadbeef", "commit 12345678"),
        ("no file \"a b\" here", "no file \"c\" here"),
        ("no key 'a'", "no key 'b c'"),
        ("from 10.0.0.1:80 to", "from 192.168.1.200:8080 to"),
        ("500 GET /a?b=1", "502 GET /a?c=2&d"),
        ("first line\nrest", "first line\nother"),
    ] {
        assert_eq!(masked(one), masked(other));
    }
    for (one, other) in [("can't read", "can't write"), ("no a", "no b"), ("GET /a", "GET /b"), ("added", "faded")] {
        assert_ne!(masked(one), masked(other));
    }
    assert_eq!(masked("it's user 7's \"x\" at 10.0.0.1, ok?"), "it's user #'s \"*\" at #, ok?");
    assert_eq!((masked(&"a ".repeat(500)).len(), masked("")), (200, String::new()));
}

fn masked(message: &str) -> String {
    let mut key = Vec::new();
    fingerprint(message.as_bytes(), &mut key);
    String::from_utf8(key).unwrap()
}

#[test]
fn frequent_messages_are_counted_with_an_example_and_a_span() {
    let log = "2026-11-20T09:00:00Z ERROR no user 1\n2026-11-20T11:00:00Z ERROR no user 2\n\
               2026-11-20T10:00:00Z ERROR no user 3\n2026-11-20T10:00:00Z INFO no user 4\n";
    let answer = ask(Query::new(Want::Top { limit: 1 }), log.as_bytes());
    let expected = json!({"count": 3, "level": "error", "pattern": "no user #", "message": "no user 1", "first": "2026-11-20T09:00:00.000Z",
        "last": "2026-11-20T11:00:00.000Z"});
    let answer = serde_json::to_value(&answer).unwrap();
    assert_eq!((&answer["top"], &answer["exact"], &answer["distinct"]), (&json!([expected]), &json!(true), &json!(2)));
}

#[test]
fn a_full_count_keeps_what_is_frequent() {
    let mut frequency = Frequency::new(3);
    let mut add = |key: &[u8]| frequency.add(key, |seen: &mut u32| *seen += 1, || 1);
    for key in [b"a", b"b", b"a", b"c", b"a", b"b"] {
        add(key.as_slice());
    }
    frequency.check();
    assert!(frequency.is_exact());
    // The fourth key takes the place of the rarest, `c`, and inherits its count.
    frequency.add(b"d", |seen| *seen += 1, || 1);
    frequency.check();
    assert!(!frequency.is_exact());
    let counts: Vec<(u64, u32)> = frequency.into_sorted().iter().map(|entry| (entry.count, entry.value)).collect();
    assert_eq!(counts, [(3, 3), (2, 2), (2, 1)]);
}

#[test]
fn an_answer_shows_its_fields_in_the_order_of_the_line() {
    for (line, expected) in [
        (r#"{"z":1,"level":"info","a":{"b":[true]},"msg":"m","c":"\"d"}"#, r#"{"z":1,"a":{"b":[true]},"c":"\"d"}"#),
        ("level=info msg=m z=1 a=\"b c\"", r#"{"z":"1","a":"b c"}"#),
        (
            r#"10.0.0.1 - - [20/Nov/2026:09:58:12 +0000] "GET / HTTP/1.1" 200 1"#,
            r#"{"client":"10.0.0.1","method":"GET","path":"/","status":200}"#,
        ),
    ] {
        let answer = serde_json::to_string(&ask(all(), line.as_bytes())).unwrap();
        assert!(answer.contains(&format!("\"fields\":{expected}")), "{answer}");
    }
}

#[test]
fn queries_are_json_within_bounds() {
    let text =
        r#"{"levels":{"at_least":"error"},"text":["a"],"since_ms":1,"want":{"records":{"limit":5,"newest":true}}}"#;
    let expected = Query {
        levels: Levels::AtLeast(Level::Error),
        text: vec!["a".to_owned()],
        since_ms: Some(1),
        ..Query::new(Want::Records { limit: 5, newest: true })
    };
    assert_eq!(Query::from_json(text), Ok(expected));
    for text in ["", "{}", r#"{"want":"all"}"#, r#"{"want":{"top":{"limit":1}},"more":1}"#] {
        assert!(matches!(Query::from_json(text), Err(QueryError::Json { .. })), "{text}");
    }
    let top = |limit: usize| Query::new(Want::Top { limit }).check().is_ok();
    assert_eq!([0, 1, TOP_MAX, TOP_MAX + 1].map(top), [false, true, true, false]);
    let kept = |limit: usize| Query::new(Want::Records { limit, newest: true }).check().is_ok();
    assert_eq!([0, 1, RECORDS_MAX, RECORDS_MAX + 1].map(kept), [false, true, true, false]);
    let needle = |length: usize| Query { text: vec!["a".repeat(length)], ..all() }.check().is_ok();
    assert_eq!([0, 1, 1_000, 1_001].map(needle), [false, true, true, false]);
    let needles = |number: usize| Query { text: vec!["a".to_owned(); number], ..all() }.check().is_ok();
    assert_eq!([0, 16, 17].map(needles), [true, true, false]);
}

#[test]
fn values_of_a_field_are_counted() {
    let log = concat!(
        "10.0.0.1 - - [20/Nov/2026:10:00:00 +0000] \"GET /a?b=1 HTTP/1.1\" 200 5\n",
        "10.0.0.2 - - [20/Nov/2026:10:00:01 +0000] \"GET /a HTTP/1.1\" 500 5\n",
        "10.0.0.1 - - [20/Nov/2026:10:00:02 +0000] \"GET /b HTTP/1.1\" 200 5\n",
        "{\"level\":\"info\",\"msg\":\"paid\",\"provider\":\"adyen\",\"ip\":\"10.0.0.1\",",
        "\"http\":{\"status\":201,\"sizes\":[1]},\"tags\":[\"a\"],\"user\":null}\n",
        "[INFO] nothing to tell\n",
    );
    let values = |field: &str, limit: usize| {
        let want = Want::Values { field: field.to_owned(), limit };
        ask(Query::new(want), log.as_bytes()).values.expect("values were asked for")
    };
    let pairs =
        |pairs: &[(&str, u64)]| pairs.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect::<Vec<_>>();
    let ips = values("IP", 10);
    assert_eq!(ips.values, pairs(&[("10.0.0.1", 3), ("10.0.0.2", 1)]));
    assert_eq!((ips.without, ips.exact, ips.distinct), (1, true, 2));
    // Those of an object by their names inside; a list has no value to count.
    assert_eq!(ips.fields, ["client", "http.status", "ip", "method", "path", "provider", "status"]);
    assert_eq!(values("http.status", 5).values, pairs(&[("201", 1)]));
    assert_eq!(values("path", 1).values, pairs(&[("/a", 2)]));
    assert_eq!((values("path", 1).distinct, values("path", 1).without), (2, 2));
    assert_eq!(values("nobody", 5).values, []);
    let field = |field: &str, limit: usize| Query::new(Want::Values { field: field.to_owned(), limit }).check().is_ok();
    assert_eq!(
        ["", " ", "x", &"x".repeat(100), &"x".repeat(101)].map(|name| field(name, 1)),
        [false, false, true, true, false]
    );
    assert_eq!([0, 1, TOP_MAX, TOP_MAX + 1].map(|limit| field("x", limit)), [false, true, true, false]);
}
