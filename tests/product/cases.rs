//! The Python files of `tests/cases`, each with its expected outcome in its header.

use std::path::Path;

use crate::product::{NO_DEADLINE, intentbox};

#[derive(Default)]
struct Expected {
    outcome: String,
    result: Option<String>,
    message: Option<String>,
    params: Option<String>,
    flags: Vec<String>,
}

fn header(source: &str) -> Expected {
    let mut expected = Expected::default();
    for line in source.lines().map_while(|line| line.strip_prefix("# ")) {
        let (key, value) = line.split_once(": ").expect("a header line is `# key: value`");
        match key {
            "outcome" => value.clone_into(&mut expected.outcome),
            "result" => expected.result = Some(value.to_owned()),
            "message" => expected.message = Some(value.to_owned()),
            "params" => expected.params = Some(value.to_owned()),
            "flags" => expected.flags = value.split(' ').map(str::to_owned).collect(),
            other => panic!("unknown header `{other}`"),
        }
    }
    expected
}

#[test]
fn every_case_file_ends_as_its_header_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("tests/cases").map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    assert!(files.len() >= 40, "only {} case files: is the folder right?", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a case file is text");
        let expected = header(&source);
        let path = file.to_str().expect("case names are ASCII");
        let mut arguments = vec!["exec", path, "--json"];
        // A case that is not about the deadline must not meet it on a slow machine.
        if !expected.flags.iter().any(|flag| flag == "--timeout-ms") {
            arguments.extend(NO_DEADLINE);
        }
        arguments.extend(expected.flags.iter().map(String::as_str));
        if expected.params.is_some() {
            arguments.extend(["--input", "-"]);
        }
        let run = intentbox(&arguments, expected.params.as_deref().unwrap_or_default().as_bytes(), &[]);
        let report = run.report();
        let outcome = report["outcome"].as_str().unwrap_or_default();
        // The result as the product wrote it: parsing would round long numbers and hide the order of keys.
        let result = run.stdout.split_once("\"result\":").map_or("", |(_, rest)| rest);
        // Whatever a script chooses for names and texts, the report of its failure stays small.
        let error_bytes = report["error"].to_string().len();
        let fits = outcome == expected.outcome
            && error_bytes <= 64 << 10
            && expected.result.as_ref().is_none_or(|expected| result.starts_with(&format!("{expected},")))
            && expected.message.as_ref().is_none_or(|expected| report["error"]["message"] == *expected);
        if !fits {
            let name = file.file_name().unwrap_or_default().display();
            wrong.push(format!("{name}: expected {}, got {}\n  {}", expected.outcome, run.stdout.trim(), run.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
