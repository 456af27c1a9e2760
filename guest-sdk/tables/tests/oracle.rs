//! Answers are those that `CPython` gives with `csv`, `json`, `decimal` and `statistics`, for tables in many notations.

use std::path::Path;
use std::process::Command;

use intentbox_tables::{Query, Scan};

/// Tables that are compared: most notations meet most questions.
const TABLES: usize = 600;

#[test]
fn answers_are_those_of_cpython() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tables_oracle");
    // What another run left behind.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    python(&folder, &["write", &folder.to_string_lossy(), &TABLES.to_string()]);
    for number in 0..TABLES {
        let read = |name: &str| std::fs::read(folder.join(name)).expect("the oracle wrote it");
        let query = String::from_utf8(read(&format!("{number}.query.json"))).expect("it is text");
        let query = Query::from_json(&query).expect("the oracle asks what can be asked");
        let bytes = read(&query.file);
        let answer = answer(query, &bytes, number % 700 + 1);
        std::fs::write(folder.join(format!("{number}.answer.json")), answer).expect("the folder can be written");
    }
    python(&folder, &["check", &folder.to_string_lossy()]);
}

fn answer(query: Query, bytes: &[u8], size: usize) -> String {
    let mut scan = Scan::new(query).expect("the query was checked");
    let fed = bytes.chunks(size).try_for_each(|piece| scan.feed(piece).map(|_| ()));
    match fed.and_then(|()| scan.answer()) {
        Ok(answer) => serde_json::to_string(&answer).expect("an answer is JSON"),
        Err(error) => serde_json::json!({ "error": error.to_string() }).to_string(),
    }
}

fn python(folder: &Path, arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
    let output = Command::new("python3").arg(script).args(arguments).current_dir(folder).output();
    let output = output.expect("CPython is installed: the tests of this repository need it");
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", told(&output.stdout), told(&output.stderr));
}
