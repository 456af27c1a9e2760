//! Answers about logs say what they leave out.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;

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
        ("list errors in the logs", no_level("errors") + "5 of 7 records\n"),
        ("list up to 7 errors in the logs", no_level("errors")),
        ("warnings in the logs", no_level("warnings") + "5 of 7 records\n"),
        ("how many errors are in the logs", no_level("errors")),
        ("what are the 3 most frequent errors in the logs", no_level("errors")),
        // No level was asked for.
        ("count log lines by level", String::new()),
        ("search the logs for one", "5 of 7 records\n".to_owned()),
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
    let expected = "5 of at least 5 records; files not searched, older: 1\n";
    assert_eq!(told(home.path(), "list errors in the logs"), expected);
    assert_eq!(told(home.path(), "list up to 6 errors in the logs"), "");
}
