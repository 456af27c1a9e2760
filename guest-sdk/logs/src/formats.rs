//! Lines as programs write them, and the records that they are parsed to.

use serde_json::json;

use crate::tests::{NOW_MS, all, ask, records};
use crate::{
    By, ENDING_BYTES_MAX, LINE_BYTES_MAX, Level, Levels, Query, RECORD_BYTES_MAX, RECORD_LINES_MAX, Seen, Want,
};

/// Asserts that a text is these records: level, time without its date, message.
fn check(text: &str, expected: &[(Level, &str, &str)]) {
    let found = records(text);
    let found: Vec<_> = found
        .iter()
        .map(|(level, time, message)| (*level, time.strip_prefix("2026-11-20T").unwrap_or(time), message.as_str()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// The fields of the first record.
fn fields(text: &[u8]) -> serde_json::Value {
    serde_json::to_value(ask(all(), text)).unwrap()["records"][0]["fields"].clone()
}

fn seen(query: Query, text: &str) -> Seen {
    ask(query, text.as_bytes()).seen
}

#[test]
fn the_journal_as_json_has_priorities_and_microseconds() {
    let line = |priority: &str, message: &str| {
        format!(
            r#"{{"_BOOT_ID":"b1","_SYSTEMD_UNIT":"ssh.service","MESSAGE":{message},"__REALTIME_TIMESTAMP":"1795168692123456","__CURSOR":"s=1;i=2","_PID":"17","PRIORITY":"{priority}","SYSLOG_IDENTIFIER":"sshd"}}"#
        )
    };
    for (priority, level) in [
        ("0", Level::Fatal),
        ("2", Level::Fatal),
        ("3", Level::Error),
        ("4", Level::Warning),
        ("5", Level::Info),
        ("6", Level::Info),
        ("7", Level::Debug),
        ("8", Level::Unknown),
    ] {
        check(&line(priority, "\"a\\tb\""), &[(level, "09:58:12.123Z", "a\tb")]);
    }
    // A message with colours in it is no text to the journal.
    let red = line("3", "[27,91,51,49,109,195,164,27,91,48,109,32,98]");
    check(&red, &[(Level::Error, "09:58:12.123Z", "ä b")]);
    check(&line("3", "[104, 105]"), &[(Level::Error, "09:58:12.123Z", "hi")]);
    check(&line("3", "[\"one\",\"two\"]"), &[(Level::Error, "09:58:12.123Z", "[\"one\",\"two\"]")]);
    // What is too long is `null`; the line then says most.
    assert!(records(&line("3", "null"))[0].2.starts_with("{\"_BOOT_ID\""));
    let expected = json!({"_SYSTEMD_UNIT": "ssh.service", "_PID": "17", "SYSLOG_IDENTIFIER": "sshd"});
    assert_eq!(fields(red.as_bytes()), expected);
    for (text, matched) in [("Ä b", 1), ("ssh.service", 1), ("31m", 0)] {
        let query = Query { text: vec![text.to_owned()], ..all() };
        assert_eq!(seen(query, &red).matched, matched, "{text}");
    }
}

/// An entry as `journalctl -o export` writes it, with this message as bytes.
fn entry(priority: u8, message: &[u8]) -> Vec<u8> {
    let length = u64::try_from(message.len()).unwrap().to_le_bytes();
    let mut text = b"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1795168692123456\n__MONOTONIC_TIMESTAMP=5\n".to_vec();
    text.extend_from_slice(b"_BOOT_ID=b1\nMESSAGE\n");
    text.extend(length);
    text.extend_from_slice(message);
    text.extend_from_slice(b"\nPRIORITY=");
    text.push(b'0' + priority);
    text.extend_from_slice(b"\nSYSLOG_IDENTIFIER=sshd\n_SYSTEMD_UNIT=ssh.service\n\n");
    text
}

#[test]
fn the_journals_export_is_an_entry_a_record() {
    let plain =
        "__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1795168692123456\nPRIORITY=4\n_PID=7\nMESSAGE=low = on disk\n\n";
    let last = "__REALTIME_TIMESTAMP=1795168693000000\nMESSAGE=no end";
    let mut text = plain.as_bytes().to_vec();
    // An empty line, the start of an entry and a byte that is no text are nothing special in there.
    text.extend(entry(3, b"one\n\n__CURSOR=two\xff"));
    text.extend_from_slice(last.as_bytes());
    let answer = ask(all(), &text);
    let found: Vec<_> = answer
        .records
        .unwrap()
        .into_iter()
        .map(|record| (record.level, record.time.unwrap(), record.message, record.line))
        .collect();
    let time = "2026-11-20T09:58:12.123Z".to_owned();
    assert_eq!(
        found,
        [
            (Level::Warning, time.clone(), "low = on disk".to_owned(), 1),
            (Level::Error, time, "one\n\n__CURSOR=two\u{fffd}".to_owned(), 7),
            (Level::Unknown, "2026-11-20T09:58:13.000Z".to_owned(), "no end".to_owned(), 19),
        ]
    );
    assert_eq!((answer.seen.records, answer.seen.lines, answer.seen.unparsed), (3, 20, 0));
    let expected = json!({"SYSLOG_IDENTIFIER": "sshd", "_SYSTEMD_UNIT": "ssh.service"});
    assert_eq!(fields(&entry(3, b"a")), expected);
    assert_eq!(fields(plain.as_bytes()), json!({"_PID": "7"}));
    let red = String::from_utf8(entry(3, b"\x1b[31mone\n\x1b[0mtwo")).unwrap();
    check(&red, &[(Level::Error, "09:58:12.123Z", "one\ntwo")]);
    // Without a separator, the next entry still starts a record; other text ends the entry.
    check(
        "__CURSOR=a\nMESSAGE=one\n__CURSOR=b\nMESSAGE=two\n[ERROR] three\nMESSAGE=four",
        &[(Level::Unknown, "-", "one"), (Level::Unknown, "-", "two"), (Level::Error, "-", "three\nMESSAGE=four")],
    );
    let counts = ask(Query::new(Want::Counts { by: By::Level }), &text).counts.unwrap();
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 3);
}

#[test]
fn fields_of_the_journal_have_bounds() {
    // Who wrote it is kept before what was written.
    let room = RECORD_BYTES_MAX - "SYSLOG_IDENTIFIER=sshd\t_SYSTEMD_UNIT=ssh.service\t".len();
    for (length, cut) in [(room, false), (room + 1, true), (RECORD_BYTES_MAX + 1, true)] {
        let answer = ask(all(), &entry(3, &b"x".repeat(length)));
        let record = &answer.records.unwrap()[0];
        assert_eq!((record.cut, record.message.len(), answer.seen.cut), (cut, room, u64::from(cut)), "{length}");
    }
    // 768 MiB are a length, and what follows belongs to it; one more is none, and what follows is lines again.
    for (length, records) in [(768_u64 << 20, 1), ((768 << 20) + 1, 3), (u64::MAX, 3)] {
        let mut text = b"__CURSOR=a\nMESSAGE\n".to_vec();
        text.extend(length.to_le_bytes());
        text.extend_from_slice(b"\n[INFO] a\n");
        assert_eq!(ask(all(), &text).seen.records, records, "{length}");
    }
}

#[test]
fn what_container_runtimes_put_in_front_is_taken_off() {
    let at = |text: &str| format!("2026-11-20T09:58:12.123456789Z {text}\n");
    for (text, level, time, message) in [
        (
            "stderr F E1120 09:58:13.000001       1 reflector.go:138] Failed to watch",
            Level::Error,
            "09:58:13.000Z",
            "Failed to watch",
        ),
        (r#"stdout F {"level":"warn","msg":"slow"}"#, Level::Warning, "09:58:12.123Z", "slow"),
        (r#"stdout F {"level":"info","msg":"x","ts":"2026-11-20T09:58:11Z"}"#, Level::Info, "09:58:11.000Z", "x"),
        ("stdout F 2026-11-20 09:58:10 ERROR a: b", Level::Error, "09:58:10.000Z", "a: b"),
        ("stderr F 09:58:12.120 [main] ERROR c.e.App - no", Level::Error, "09:58:12.123Z", "c.e.App - no"),
        ("stdout F plain", Level::Unknown, "09:58:12.123Z", "plain"),
        ("stdout F:x plain", Level::Unknown, "09:58:12.123Z", "plain"),
        ("stdout F \u{1b}[31mERROR\u{1b}[0m red", Level::Error, "09:58:12.123Z", "red"),
        // Not one of them.
        ("stdout X plain", Level::Unknown, "09:58:12.123Z", "stdout X plain"),
        ("stdlog F plain", Level::Unknown, "09:58:12.123Z", "stdlog F plain"),
    ] {
        check(&at(text), &[(level, time, message)]);
    }
    // Years are those of the runtime's time.
    let old = "2019-01-01T00:00:01.5+01:00 stderr F E1231 23:00:01.000000 1 a.go:1] x";
    assert_eq!(records(old)[0].1, "2018-12-31T23:00:01.000Z");
    let trace = at("stderr F Traceback (most recent call last):")
        + &at("stderr F   File \"a.py\", line 1, in f")
        + &at("stderr F ")
        + &at("stderr F")
        + &at("stderr F KeyError: 'a'")
        + &at("stdout F next");
    check(
        &trace,
        &[
            (
                Level::Error,
                "09:58:12.123Z",
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n\n\nKeyError: 'a'",
            ),
            (Level::Unknown, "09:58:12.123Z", "next"),
        ],
    );
    assert_eq!(seen(all(), &at("stdout F plain")).unparsed, 0);
    // A line that only may belong to the record before it does not when it was written long after.
    for (second, records) in [("13.000", 1), ("13.001", 2)] {
        let text = "2026-11-20T09:58:12.000Z stdout F [INFO] a\n2026-11-20T09:58:SECONDZ stdout F plain\n";
        assert_eq!(seen(all(), &text.replace("SECOND", second)).records, records, "{second}");
    }
}

#[test]
fn lines_that_runtimes_cut_are_joined_by_stream() {
    let at = |second: u8, text: &str| format!("2026-11-20T09:58:{second:02}.000000000Z {text}\n");
    let text = at(1, "stdout P {\"level\":\"er")
        + &at(2, "stderr P [WARN] a ")
        + &at(3, "stdout P ror\",\"msg\":\"o")
        + &at(4, "stderr F b")
        + &at(5, "stdout F ne\"}")
        + &at(6, "stdout P [INFO] no ")
        + &at(7, "stdout P end");
    check(
        &text,
        &[
            (Level::Warning, "09:58:02.000Z", "a b"),
            (Level::Error, "09:58:01.000Z", "one"),
            (Level::Info, "09:58:06.000Z", "no end"),
        ],
    );
    let lines: Vec<u64> = ask(all(), text.as_bytes()).records.unwrap().iter().map(|record| record.line).collect();
    assert_eq!(lines, [2, 1, 6]);
    // What is no such line ends them.
    let text = at(1, "stderr P [WARN] a") + &at(2, "stdout P [INFO] b") + "[ERROR] c";
    let levels: Vec<Level> = records(&text).into_iter().map(|(level, ..)| level).collect();
    assert_eq!(levels, [Level::Warning, Level::Info, Level::Error]);
    for (length, cut) in [(LINE_BYTES_MAX / 2, 0), (LINE_BYTES_MAX / 2 + 1, 1), (LINE_BYTES_MAX - 99, 1)] {
        let part = at(1, &format!("stdout P {}", "x".repeat(length)));
        let text = part.repeat(2) + &at(1, "stdout F ");
        let answer = ask(Query::new(Want::Counts { by: By::Level }), text.as_bytes());
        assert_eq!((answer.seen.cut, answer.seen.records), (cut, 1), "{length}");
    }
}

#[test]
fn colours_are_taken_out_first() {
    for (text, level, time, message) in [
        // tracing-subscriber.
        (
            "\u{1b}[2m2026-11-20T09:58:12.123456Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m \u{1b}[2mapp::db\u{1b}[0m\u{1b}[2m:\u{1b}[0m no route",
            Level::Error,
            "09:58:12.123Z",
            "app::db: no route",
        ),
        // logrus.
        ("\u{1b}[33mWARN\u{1b}[0m[0012] slow", Level::Warning, "-", "[0012] slow"),
        // winston, with colours inside JSON.
        ("{\"level\":\"\\u001b[31merror\\u001b[39m\",\"message\":\"\\u001b[1mno\\u001b[0m\"}", Level::Error, "-", "no"),
        ("{\"log\":\"\\u001b[31mERROR\\u001b[0m no\\n\",\"stream\":\"stderr\"}", Level::Error, "-", "ERROR no"),
        // A link, a set of characters, half a code and what is no code.
        ("\u{1b}]8;;http://a/\u{7}[ERROR]\u{1b}]8;;\u{1b}\\ \u{1b}(Bx", Level::Error, "-", "x"),
        ("[ERROR] a\u{1b}[3", Level::Error, "-", "a"),
        ("[ERROR] a\u{1b}[3\u{1b}b\u{1b}]c\u{1b}", Level::Error, "-", "abc"),
    ] {
        check(text, &[(level, time, message)]);
    }
    let found = seen(Query { text: vec!["error no".to_owned()], ..all() }, "\u{1b}[31mERROR\u{1b}[0m no");
    assert_eq!(found.matched, 1);
}

#[test]
fn seconds_and_milliseconds_since_1970_may_start_a_line() {
    for (text, level, time, message) in [
        ("1795168692 ERROR no", Level::Error, "09:58:12.000Z", "no"),
        ("1795168692.123456 ERROR no", Level::Error, "09:58:12.123Z", "no"),
        ("1795168692123 error: no", Level::Error, "09:58:12.123Z", "no"),
        ("1795168692123.4\tno", Level::Unknown, "09:58:12.123Z", "no"),
        ("[1795168692.5] [ERROR] no", Level::Error, "09:58:12.500Z", "no"),
        (
            "1795168692.123     45 192.0.2.1 TCP_MISS/200 GET",
            Level::Unknown,
            "09:58:12.123Z",
            "45 192.0.2.1 TCP_MISS/200 GET",
        ),
        // Ids, numbers, and what is too early or too late.
        ("179516869 ERROR no", Level::Unknown, "-", "179516869 ERROR no"),
        ("17951686921 ERROR no", Level::Unknown, "-", "17951686921 ERROR no"),
        ("1795168692", Level::Unknown, "-", "1795168692"),
        ("1795168692,5", Level::Unknown, "-", "1795168692,5"),
        ("1795168692. ERROR", Level::Unknown, "-", "1795168692. ERROR"),
        ("1479636000.000 ERROR no", Level::Unknown, "-", "1479636000.000 ERROR no"),
        ("1479643200.000 ERROR no", Level::Error, "2016-11-20T12:00:00.000Z", "no"),
        ("0795168692 ERROR no", Level::Unknown, "-", "0795168692 ERROR no"),
        ("1795262400 ERROR no", Level::Error, "2026-11-21T12:00:00.000Z", "no"),
        ("1795262401 ERROR no", Level::Unknown, "-", "1795262401 ERROR no"),
    ] {
        check(text, &[(level, time, message)]);
    }
}

#[test]
fn formats_of_single_programs_have_levels_and_times() {
    for (text, level, time, message) in [
        ("611:M 20 Nov 2026 09:58:12.123 # low memory", Level::Warning, "09:58:12.123Z", "low memory"),
        ("611:C 20 Nov 2026 09:58:12.123 * saved", Level::Info, "09:58:12.123Z", "saved"),
        ("1:X 20 Nov 2026 09:58:12 - verbose", Level::Debug, "09:58:12.000Z", "verbose"),
        ("2026-11-20  9:58:12 1255 [Warning] Aborted", Level::Warning, "09:58:12.000Z", "Aborted"),
        (
            "[2026.11.20-09.58.12:123][ 80]LogNet: Warning: late",
            Level::Warning,
            "09:58:12.123Z",
            "LogNet: Warning: late",
        ),
        ("[2026.11.20-09.58.12:123][480]LogNet: Join", Level::Info, "09:58:12.123Z", "LogNet: Join"),
        ("[2026.11.20-09.58.12:123][  0]LogCore: Fatal: no", Level::Fatal, "09:58:12.123Z", "LogCore: Fatal: no"),
        // Not one of them.
        ("[2026.11.20-09.78.12:123][  0]x", Level::Unknown, "-", "[2026.11.20-09.78.12:123][  0]x"),
        ("2026-11-20  x:58:12 a", Level::Unknown, "-", "2026-11-20  x:58:12 a"),
        ("611:M 32 Nov 2026 09:58:12.123 # x", Level::Unknown, "-", "611:M 32 Nov 2026 09:58:12.123 # x"),
        ("611:M 20 Nov 2026 09:58:12.123 ! x", Level::Unknown, "-", "611:M 20 Nov 2026 09:58:12.123 ! x"),
        (
            "Nov 20 09:58:12 lb haproxy[7]: 10.0.0.2:38768 [20/Nov/2026:09:58:12.789] f b/w 0/0/1/97/102 503 895 - - ---- 3/2/1/1/0 0/0 \"GET /a?b=1 HTTP/1.1\"",
            Level::Error,
            "09:58:12.000Z",
            "503 GET /a",
        ),
        (
            "Nov 20 09:58:12 lb haproxy[7]: Server b/w is DOWN",
            Level::Unknown,
            "09:58:12.000Z",
            "haproxy[7]: Server b/w is DOWN",
        ),
    ] {
        check(text, &[(level, time, message)]);
    }
}

#[test]
fn fields_of_matching_records_have_the_values_that_were_asked_for() {
    let text = "{\"level\":\"info\",\"status\":503,\"path\":\"/a\"}\n{\"level\":\"info\",\"status\":200,\"took\":503}\n\
                10.0.0.1 - - [20/Nov/2026:09:58:12 +0000] \"GET /A HTTP/1.1\" 503 200\nstatus=503 took=1ms\n";
    let of = |fields: &[(&str, &str)]| {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        seen(Query { fields, ..all() }, text).matched
    };
    assert_eq!(of(&[]), 4);
    assert_eq!(of(&[("status", "503")]), 3);
    assert_eq!(of(&[("status_code", "200")]), 1);
    assert_eq!(of(&[("status", "503"), ("url", "/a")]), 2);
    assert_eq!(of(&[("status", "50")]), 0);
    for (fields, is_right) in [(4, true), (5, false)] {
        let fields = (0..fields).map(|number| (format!("a{number}"), "1".to_owned())).collect();
        assert_eq!(Query { fields, ..all() }.check().is_ok(), is_right);
    }
}

#[test]
fn a_time_of_day_is_no_date() {
    check(
        "10:00:00.123 [main] ERROR c.e.App - no\n2026-11-20T09:00:00Z INFO b\n10:00:00,123 WARN  [org.a] (x) c\n\
         10:00:00 nothing loud",
        &[
            (Level::Error, "-", "10:00:00.123 [main] ERROR c.e.App - no"),
            (Level::Info, "09:00:00.000Z", "b"),
            (Level::Warning, "-", "10:00:00,123 WARN  [org.a] (x) c\n10:00:00 nothing loud"),
        ],
    );
    // It counts with the record before, as all records without a time; the first one has none.
    let query = Query { since_ms: Some(NOW_MS - 86_400_000), ..all() };
    let text = "10:00:00.123 [main] ERROR a\n2026-11-20T09:00:00Z INFO b\n10:00:00.123 [main] ERROR c";
    let found = seen(query, text);
    assert_eq!((found.records, found.matched, found.undated), (3, 2, 1));
}

#[test]
fn causes_of_java_stay_with_their_record() {
    let trace = "java.lang.IllegalStateException: outer\n\tat a.B.c(B.java:1)\n\tSuppressed: a.X: x\n\t\t... 2 more\n\
                 Caused by: java.io.IOException: middle\n\tat a.B.d(B.java:2)\n\t... 12 more\n\
                 Caused by: java.net.ConnectException: refused\n\t... 13 more";
    let text = format!("2026-11-20 09:58:12,123 ERROR a.B - failed\n{trace}\n2026-11-20 09:58:12,124 INFO a.B - next");
    check(
        &text,
        &[
            (Level::Error, "09:58:12.123Z", &format!("a.B - failed\n{trace}")),
            (Level::Info, "09:58:12.124Z", "a.B - next"),
        ],
    );
    check(trace, &[(Level::Error, "-", trace)]);
    // Without a level of its own, a record has that of its exception.
    let text = format!("2026-11-20 09:58:12 failed\n{trace}");
    assert_eq!(records(&text)[0].0, Level::Error);
}

#[test]
fn the_root_cause_is_kept_however_late_it_comes() {
    let most = usize::try_from(RECORD_LINES_MAX).unwrap();
    let frames = "\tat a.B.c(B.java:1)\n";
    let cause = "Caused by: java.net.ConnectException: refused";
    // Five more lines are around them, the last of them behind the cause.
    for (lines, cut) in [(most - 5, false), (most - 4, true), (most - 3, true), (most * 9, true)] {
        let frames = frames.repeat(lines);
        let text = format!("ERROR a\njava.lang.Exception: b\n{frames}Caused by: c: d\n{cause}\n\t... 13 more\n");
        let record = &ask(all(), text.as_bytes()).records.unwrap()[0];
        let last = record.message.lines().rfind(|line| !line.starts_with('\t'));
        assert_eq!((record.cut, last), (cut, Some(cause)), "{lines}");
    }
    let frames = "  File \"a.py\", line 1, in f\n".repeat(1_000);
    let text = format!("ERROR a\nTraceback (most recent call last):\n{frames}RecursionError: {}\n", "x".repeat(5_000));
    let message = &records(&text)[0].2;
    assert_eq!(message.lines().last().map(str::len), Some(ENDING_BYTES_MAX));
    assert!(message.lines().last().is_some_and(|line| line.starts_with("RecursionError: x")));
}

#[test]
fn a_panic_of_rust_is_one_record() {
    let new = "thread 'main' panicked at src/main.rs:10:5:\nindex out of bounds: the len is 3";
    let backtrace = "stack backtrace:\n   0: rust_begin_unwind\n             at /rustc/a/panicking.rs:645:5\n\
                     note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.";
    let old = "thread 'main' panicked at 'no', src/main.rs:2:5";
    let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
    let numbered = "thread 'tokio-rt-worker' (4711) panicked at src/main.rs:3:5:\n\
                    assertion `left == right` failed\n  left: 1\n right: 2";
    let anyhow = "thread 'main' panicked at src/main.rs:3:5:\n[ERROR] is what it says: no\n\nCaused by:\n    no file";
    for panic in [
        format!("{new}\n{note}"),
        format!("{new}\n{backtrace}"),
        format!("{old}\n{note}"),
        numbered.to_owned(),
        format!("{anyhow}\n{note}"),
        "thread '<unnamed>' panicked at src/main.rs:3:5:\n\nnote: x".to_owned(),
    ] {
        let text = format!("2026-11-20T09:58:12Z INFO a\n{panic}\nplain\n[INFO] b\n");
        check(
            &text,
            &[
                (Level::Info, "09:58:12.000Z", "a"),
                (Level::Fatal, "-", &panic),
                (Level::Unknown, "-", "plain"),
                (Level::Info, "-", "b"),
            ],
        );
    }
}

#[test]
fn details_of_postgres_belong_to_the_record_before() {
    let at = |text: &str| format!("2026-11-20 09:58:12.123 UTC [17] {text}\n");
    let text = at("ERROR:  duplicate key value violates unique constraint \"a\"")
        + &at("DETAIL:  Key (id)=(1) already exists.")
        + &at("HINT:  ERROR:  is only a word here.")
        + &at("CONTEXT:  COPY a, line 1")
        + &at("STATEMENT:  insert into a")
        + "\tvalues (1)\n"
        + &at("LOG:  checkpoint starting: time")
        + &at("app@db FATAL:  no role");
    check(
        &text,
        &[
            (
                Level::Error,
                "09:58:12.123Z",
                "duplicate key value violates unique constraint \"a\"\nDETAIL:  Key (id)=(1) already exists.\n\
                 HINT:  ERROR:  is only a word here.\nCONTEXT:  COPY a, line 1\nSTATEMENT:  insert into a\n\tvalues (1)",
            ),
            (Level::Info, "09:58:12.123Z", "checkpoint starting: time"),
            (Level::Fatal, "09:58:12.123Z", "no role"),
        ],
    );
    // Without a record before it, or behind one of another format, it is one.
    check(&at("DETAIL:  a"), &[(Level::Unknown, "09:58:12.123Z", "DETAIL:  a")]);
    let text = format!("{{\"level\":\"error\"}}\n{}", at("DETAIL:  a"));
    assert_eq!(records(&text).len(), 2);
    // One space is text.
    check(
        &(at("LOG:  a") + &at("DETAIL: b")),
        &[(Level::Info, "09:58:12.123Z", "a"), (Level::Unknown, "09:58:12.123Z", "[17] DETAIL: b")],
    );
}

#[test]
fn records_without_a_level_are_counted_when_levels_are_asked_for() {
    let text = "2026-11-19T09:00:00Z old\n2026-11-20T09:00:00Z one\n2026-11-20T09:00:00Z INFO two\n\
                2026-11-20T09:00:00Z three\nTraceback (most recent call last):\n  x\nKeyError\n2026-11-20T09:00:00Z oner";
    let since = Query { since_ms: Some(NOW_MS - 86_400_000), ..all() };
    let one = |query: Query| Query { text: vec!["one".to_owned()], ..query };
    let at_least = |query: Query| Query { levels: Levels::AtLeast(Level::Error), ..query };
    let exactly = |level: Level, query: Query| Query { levels: Levels::Exactly(vec![level]), ..query };
    for (query, expected) in [
        (all(), (5, 0, 5)),
        (since.clone(), (4, 0, 4)),
        (at_least(all()), (5, 3, 1)),
        (at_least(since.clone()), (4, 2, 1)),
        (one(at_least(since.clone())), (4, 2, 0)),
        (exactly(Level::Info, since.clone()), (4, 2, 1)),
        (exactly(Level::Unknown, since.clone()), (4, 0, 2)),
        (exactly(Level::Fatal, since), (4, 2, 0)),
    ] {
        let found = seen(query.clone(), text);
        assert_eq!((found.within, found.unleveled, found.matched), expected, "{query:?}");
    }
}
