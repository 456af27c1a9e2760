//! Directories in which some files cannot be read, or not to their end.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::product::run_in;

/// Writes a file that nobody may read, and says whether that holds: root may.
fn write_shut(path: &Path, text: &str) -> bool {
    fs::write(path, text).expect("written");
    fs::set_permissions(path, Permissions::from_mode(0o0)).expect("set");
    fs::read(path).is_err()
}

#[test]
fn logs_that_cannot_be_read_are_told_and_the_others_are_answered() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let logs = home.path().join("in");
    fs::create_dir(&logs).expect("made");
    fs::write(logs.join("a.log"), "ERROR one\n").expect("written");
    fs::write(logs.join("old.log.bz2"), "BZh91AY&SY is how bzip2 starts, not how it goes on").expect("written");
    let shut = write_shut(&logs.join("shut.log"), "ERROR two\n");
    let names = if shut { "old.log.bz2, shut.log" } else { "old.log.bz2" };
    let told = format!("not read to the end: {names}\n");
    for intent in [
        "count log lines by level",
        "list errors in the logs",
        "search the logs for one",
        "tail the logs",
        "top log errors",
    ] {
        let run = |extra: &[&str]| {
            run_in(home.path(), &[&["run-intent", intent, "--dir", "logs=in"][..], extra].concat(), b"", &[])
        };
        let report = run(&["--json"]).report();
        assert_eq!((&report["outcome"], &report["stderr"]), (&json!("ok"), &json!(told)), "{intent}: {report}");
        assert!(run(&[]).stderr.contains(&told), "{intent}");
    }
    let run = run_in(home.path(), &["run-intent", "count log lines by level", "--dir", "logs=in", "--json"], b"", &[]);
    let (errors, broken) = if shut { (1, 2) } else { (2, 1) };
    let counted = json!({"records": errors, "counts": {"error": errors}, "broken_files": broken});
    assert_eq!(run.report()["result"], counted, "{run:#?}");
}

#[test]
fn data_files_that_cannot_be_read_are_listed_as_broken() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let data = home.path().join("in");
    fs::create_dir(&data).expect("made");
    fs::write(data.join("a.csv"), "id\n1\n2\n").expect("written");
    fs::write(data.join("b.csv.gz"), "plain").expect("written");
    let shut = write_shut(&data.join("c.csv"), "id\n1\n");
    let run = run_in(home.path(), &["run-intent", "list data files by name", "--dir", "data=in", "--json"], b"", &[]);
    let rows = if shut { json!(null) } else { json!(1) };
    let listed = json!([
        {"file": "a.csv", "kind": "csv", "bytes": 7, "rows": 2, "broken": false},
        {"file": "b.csv.gz", "kind": "csv", "bytes": 5, "rows": null, "broken": true},
        {"file": "c.csv", "kind": "csv", "bytes": 5, "rows": rows, "broken": shut},
    ]);
    assert_eq!(run.report()["result"], listed, "{run:#?}");
}

#[test]
fn a_packed_file_of_very_many_members_is_read_like_any_other() {
    // One member of gzip that holds nothing.
    const MEMBER: [u8; 20] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    fs::write(home.path().join("in/many.csv.gz"), MEMBER.repeat(50_000)).expect("written");
    let run = |intent: &str, directory: &str| {
        let arguments = ["run-intent", intent, "--dir", directory, "--fuel", "20000000000", "--json"];
        run_in(home.path(), &arguments, b"", &[]).report()
    };
    let listed = json!([{"file": "many.csv.gz", "kind": "csv", "bytes": 1_000_000, "rows": 0}]);
    let report = run("list data files", "data=in");
    assert_eq!(report["result"], listed, "{report}");
    let report = run("count log lines by level", "logs=in");
    assert_eq!(report["result"], json!({"records": 0, "counts": {}}), "{report}");
}
