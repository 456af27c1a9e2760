//! Records are those that generated log files were made of, in all formats that the crate knows.

use std::path::Path;
use std::process::Command;

use intentbox_logs::{Query, Scan};
use serde_json::Value;

/// Log files that are compared: each format alone some ten times, and as often among others.
const LOGS: usize = 600;

#[test]
fn records_are_those_that_were_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logs_oracle");
    // What another run left behind.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    python(&folder, &["write", &folder.to_string_lossy(), &LOGS.to_string()]);
    for number in 0..LOGS {
        let read =
            |ending: &str| std::fs::read(folder.join(format!("{number}.{ending}"))).expect("the oracle wrote it");
        let queries: Vec<Value> = serde_json::from_slice(&read("queries.json")).expect("the oracle writes JSON");
        let bytes = read("log");
        let answers: Vec<Value> = queries.iter().map(|query| answer(query, &bytes, number % 700 + 1)).collect();
        let answers = serde_json::to_vec(&answers).expect("answers are JSON");
        std::fs::write(folder.join(format!("{number}.answers.json")), answers).expect("the folder can be written");
    }
    python(&folder, &["check", &folder.to_string_lossy()]);
}

fn answer(query: &Value, bytes: &[u8], size: usize) -> Value {
    let query = Query::from_json(&query.to_string()).expect("the oracle asks what can be asked");
    let mut scan = Scan::new(query).expect("the query was checked");
    scan.begin_file("a.log");
    for piece in bytes.chunks(size) {
        scan.feed(piece);
    }
    serde_json::to_value(scan.answer()).expect("an answer is JSON")
}

fn python(folder: &Path, arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
    let output = Command::new("python3").arg(script).args(arguments).current_dir(folder).output();
    let output = output.expect("CPython is installed: the tests of this repository need it");
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", told(&output.stdout), told(&output.stderr));
}
