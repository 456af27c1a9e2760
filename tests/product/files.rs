//! Directories of many folders, and files that would exceed a run's calls if each call read little.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::product::run_in;

/// Runs a script with the folder `in` as `box`, in a process that may have 64 descriptors.
fn exec_with_few_descriptors(home: &Path, script: &str) -> Value {
    fs::write(home.join("script.py"), script).expect("written");
    let binary = env!("CARGO_BIN_EXE_intentbox");
    let few = "ulimit -n 64 && exec \"$0\" \"$@\"";
    let run = Command::new("/bin/sh")
        .args(["-c", few, binary, "exec", "script.py", "--dir", "box=in", "--json"])
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .output()
        .expect("a shell");
    serde_json::from_slice(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

#[test]
fn e17_a_listing_of_many_folders_needs_few_descriptors() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for number in 0..3_000 {
        let folder = home.path().join(format!("in/{number}"));
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("a.log"), "").expect("written");
    }
    let report = exec_with_few_descriptors(home.path(), "len(files.list('box:'))");
    assert_eq!((&report["outcome"], &report["result"]), (&json!("ok"), &json!(3_000)), "{report}");
}

#[test]
fn a_large_text_is_read_in_large_pieces() {
    const PIECE_BYTES: u64 = 1 << 20;
    let home = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(home.path().join("in")).expect("made");
    let line = format!("2,{}\n", "x".repeat(1_000));
    let text = format!("n,padding\n{}", line.repeat(9_000));
    fs::write(home.path().join("in/a.csv"), &text).expect("written");
    let script = "import csv\nsum(int(row['n']) for row in csv.DictReader(files.open('data:a.csv', 'r', newline='')))";
    let run = |extra: &[&str]| {
        let arguments = [&["exec", "-", "--dir", "data=in", "--json"][..], extra].concat();
        run_in(home.path(), &arguments, script.as_bytes(), &[]).report()
    };
    let bytes = text.len() as u64;
    // One more finds the end; a reader that asks again there may have another.
    let calls = bytes.div_ceil(PIECE_BYTES) + 2;
    let report = run(&["--limit", &format!("host_calls={calls}")]);
    assert_eq!((&report["outcome"], &report["result"]), (&json!("ok"), &json!(18_000)), "{report}");
    assert_eq!(report["spent"]["file_bytes"], json!(bytes), "no byte is read twice: {report}");

    let report = run(&["--limit", "host_calls=4"]);
    let hint = report["error"]["hint"].as_str().unwrap_or_default();
    assert_eq!(report["outcome"], "host_call_limit", "{report}");
    let expected = "raise the limit with --limit host_calls=NUMBER (at most 1000000), or read less: fewer files";
    assert!(hint.starts_with(expected), "{report}");
}
