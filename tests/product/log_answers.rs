//! Answers about logs say what they leave out.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::product::run_in;

/// What the run of an intent in a folder writes to stderr, when the folder `in` holds the logs.
fn told(home: &Path, intent: &str) -> String {
    let report = run_in(home, &["run-intent", intent, "--dir", "logs=in", "--json"], b"", &[]).report();
    assert_eq!(report["outcome"], json!("ok"), "{intent}: {report}");
    report["stderr"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn answers_tell_records_without_a_level_and_records_not_shown() {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    let unleveled = "2026-11-20T09:00:00Z no word about it\n".repeat(3);
    let errors = "2026-11-20T09:00:01Z ERROR one\n".repeat(7);
    fs::write(home.path().join("in/a.log"), unleveled + &errors).expect("written");
    let no_level = |called: &str| format!("3 of 10 records have no level: {called} among them are not found\n");
    for (intent, expected) in [
        ("list errors in the logs", no_level("errors") + "5 of 7 records (limit=7 lists all)\n"),
        ("list up to 7 errors in the logs", no_level("errors")),
        (
            "warnings in the logs",
            no_level("warnings")
                + "5 of 7 records that are warning or more severe (limit=7 lists all)\nmore severe than warning: 5 of the 5 shown\n",
        ),
        ("how many errors are in the logs", no_level("errors")),
        ("what are the 3 most frequent errors in the logs", no_level("errors")),
        // No level was asked for.
        ("count log lines by level", String::new()),
        ("search the logs for one", "5 of 7 records (limit=7 lists all)\n".to_owned()),
        ("search the logs for \"word\"", String::new()),
        ("tail the logs", String::new()),
    ] {
        assert_eq!(told(home.path(), intent), expected, "{intent}");
    }
}

#[test]
fn answers_tell_files_that_were_not_searched() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let logs = home.path().join("in");
    fs::create_dir(&logs).expect("made");
    fs::write(logs.join("new.log"), "2026-11-20T09:00:01Z ERROR one\n".repeat(5)).expect("written");
    fs::write(logs.join("old.log"), "2001-09-09T00:00:00Z ERROR one\n").expect("written");
    let old = File::options().write(true).open(logs.join("old.log")).expect("opened");
    old.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("set");
    let expected = "5 of at least 5 records (a higher limit lists more); files not searched, older: 1\n";
    assert_eq!(told(home.path(), "list errors in the logs"), expected);
    assert_eq!(told(home.path(), "list up to 6 errors in the logs"), "");
}

#[test]
fn answers_tell_that_nothing_was_written_in_a_time_and_what_counts_as_an_error() {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    let text = "2026-11-20T09:00:01Z ERROR one\n2026-11-20T09:00:02Z FATAL two\n2026-11-20T09:00:03Z INFO three\n";
    fs::write(home.path().join("in/a.log"), text).expect("written");
    let empty = "no records at all in this time, of any level; the latest is of 2026-11-20T09:00:03Z\n";
    for (intent, expected) in [
        ("list errors in the logs since 2026-11-21", empty),
        ("count errors in the logs since 2026-11-21 by file", empty),
        // Something was written then, and nothing of this level.
        ("list fatal errors in the logs since 2026-11-20T09:00:03Z", ""),
        (
            "count errors in the logs by file",
            "fatal: 1 of 2 (at_least=false leaves them out)\ncounted by file, and one alone has such records; logs/top_values counts by a field of theirs\n",
        ),
        ("count errors in the logs", ""),
    ] {
        assert_eq!(told(home.path(), intent), expected, "{intent}");
    }
}

#[test]
fn counts_by_time_tell_that_times_without_records_are_left_out() {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    let line = |time: &str| format!("2026-11-20T{time}Z ERROR one\n");
    fs::write(home.path().join("in/a.log"), line("09:59:01") + &line("10:00:01") + &line("12:00:00")).expect("written");
    for (intent, expected) in [
        ("count errors in the logs by hour", "each hour without any is left out\n"),
        ("count errors in the logs by hour before 2026-11-20 11:00", ""),
        ("count errors in the logs by day", ""),
    ] {
        assert_eq!(told(home.path(), intent), expected, "{intent}");
    }
}

#[test]
fn answers_tell_requests_of_access_logs_among_errors() {
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    let request = |status: u16| format!("10.0.0.1 - - [20/Nov/2026:09:58:12 +0000] \"GET / HTTP/1.1\" {status} 17\n");
    fs::write(home.path().join("in/a.log"), "2026-11-20T09:00:01Z ERROR one\n").expect("written");
    fs::write(home.path().join("in/access.log"), request(503) + &request(404) + &request(200)).expect("written");
    let requests = "requests in access logs, by their status (5xx error, 4xx warning): 1 of 2\n";
    for (intent, expected) in [
        ("count errors in the logs", requests),
        // Rows show what they are.
        ("list errors in the logs", ""),
        // They are all that there is, or no level was asked for.
        ("count errors in access.log", ""),
        ("count log lines by level", ""),
    ] {
        assert_eq!(told(home.path(), intent), expected, "{intent}");
    }
}

#[test]
fn a_text_that_the_logs_hold_needs_no_word_before_it() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let logs = home.path().join("in");
    fs::create_dir(&logs).expect("made");
    let worker = "2026-11-20T09:00:00Z WARN queue lag\n2026-11-20T09:00:01Z ERROR deadlock detected\n";
    fs::write(logs.join("order-worker.log"), worker).expect("written");
    let shop = "2026-11-20T09:00:02Z ERROR could not render invoice 17\n2026-11-20T09:00:03Z ERROR payment timeout host=web-2\n";
    fs::write(logs.join("shop.log"), shop).expect("written");
    fs::write(logs.join("nightly_batch.log"), "2026-11-20T09:00:04Z ERROR rates are late\n").expect("written");
    let answer = |intent: &str| {
        let run = run_in(home.path(), &["run-intent", intent, "--dir", "logs=in", "--json"], b"", &[]);
        let report = run.report();
        let told = report["stderr"].as_str().unwrap_or_default().to_owned();
        (report["outcome"].as_str().unwrap_or_default().to_owned(), report["result"].clone(), told)
    };
    let messages = |result: &Value| -> Vec<String> {
        let rows = result.as_array().into_iter().flatten();
        rows.filter_map(|row| row["message"].as_str().map(str::to_owned)).collect()
    };
    for (intent, expected) in [
        ("exceptions invoice", "could not render invoice 17"),
        ("deadlocks", "deadlock detected"),
        ("did the worker throw anything", "deadlock detected"),
        ("payment timeouts", "payment timeout host=web-2"),
        // A name that looks like one from a program is a file before it is a text.
        ("whats broken in nightly_batch", "rates are late"),
    ] {
        let (outcome, result, told) = answer(intent);
        assert_eq!((outcome.as_str(), messages(&result)), ("ok", vec![expected.to_owned()]), "{intent}: {told}");
    }
    let (_, counts, told) = answer("how often deadlock");
    assert_eq!((&counts["records"], told.as_str()), (&json!(1), "of records with \"deadlock\"\n"));
    // Each is there, and no record holds both.
    assert_eq!(answer("invoice deadlock").0, "target_not_found");
    let (_, hosts, _) = answer("host with most payment timeouts");
    assert_eq!(hosts["values"], json!([{"value": "web-2", "count": 1}]));
    // No record says "avalanche", and the others ask for more than records that say a word.
    for intent in
        ["exceptions avalanche", "is the invoice paid", "average invoice", "deadlocks without invoice", "why deadlock"]
    {
        assert_eq!(answer(intent).0, "not_found", "{intent}");
    }
}
