//! The same Python on `CPython` and in the sandbox: what must be equal, and what is known to differ.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::product::{NO_DEADLINE, intentbox};

/// How a program went: what it printed, and the exception that left it.
#[derive(Debug, PartialEq, Eq)]
struct Went {
    stdout: String,
    exception: Option<String>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder of the test is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    files
}

/// Runs `file` under `CPython` in a folder of its own.
fn cpython(file: &Path) -> Went {
    let home = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new("python3")
        .args(["-X", "utf8", "-B"])
        .arg(file)
        .current_dir(home.path())
        .env("PYTHONHASHSEED", "0")
        .stdin(Stdio::null())
        .output()
        .expect("python3, 3.11 or newer, is on the path: this test compares with it");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = stderr.lines().last().unwrap_or_default();
    let class = last.split([':', ' ']).next().unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or_default();
    // `sys.exit("text")` shows its text and nothing else.
    let class = if stderr.contains("Traceback") || stderr.contains("SyntaxError") { class } else { "SystemExit" };
    let exception = Some(class.to_owned()).filter(|_| !output.status.success());
    Went { stdout: String::from_utf8_lossy(&output.stdout).into_owned(), exception }
}

fn product(file: &Path) -> Went {
    let arguments = ["exec", file.to_str().expect("names are ASCII"), "--json"];
    let run = intentbox(&[&arguments[..], &NO_DEADLINE].concat(), b"", &[]);
    let report = run.report();
    let exception = match report["outcome"].as_str() {
        Some("ok" | "result_invalid" | "result_limit") => None,
        Some("python_error" | "syntax_error") => report["error"]["kind"].as_str().map(str::to_owned),
        other => Some(format!("{other:?}: {}", report["error"]["message"])),
    };
    Went { stdout: report["stdout"].as_str().unwrap_or_default().to_owned(), exception }
}

/// Checks files on two threads: each waits for processes most of the time.
fn wrong(files: &[PathBuf], check: impl Fn(&Path) -> Option<String> + Sync) -> Vec<String> {
    let (even, odd): (Vec<_>, Vec<_>) = files.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let check_all = |half: Vec<(usize, &PathBuf)>| -> Vec<String> {
        half.into_iter().filter_map(|(_, file)| check(file)).collect()
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| check_all(odd));
        let mut wrong = check_all(even);
        wrong.extend(other.join().expect("no check panics"));
        wrong
    })
}

fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[test]
fn python_files_go_as_they_go_on_cpython() {
    let files = files("python");
    assert!(files.len() >= 150, "only {} files: is the folder right?", files.len());
    let wrong = wrong(&files, |file| {
        let (expected, went) = (cpython(file), product(file));
        let told = !expected.stdout.is_empty();
        (expected != went || !told).then(|| format!("{}:\n  CPython   {expected:?}\n  intentbox {went:?}", name(file)))
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

#[test]
fn divergences_are_as_they_are_written_down() {
    let header = |source: &str, key: &str| -> String {
        let line = source.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")));
        let line = line.unwrap_or_else(|| panic!("there is no header `# {key}: `"));
        serde_json::from_str(line).unwrap_or_else(|error| panic!("the header `{key}` is no JSON text: {error}"))
    };
    let files = files("divergences");
    let wrong = wrong(&files, |file| {
        let source = std::fs::read_to_string(file).expect("the file is text");
        let (there, here) = (header(&source, "cpython"), header(&source, "intentbox"));
        let (cpython, product) = (cpython(file), product(file));
        let known = there != here && cpython.stdout == there && product.stdout == here;
        (!known).then(|| {
            format!(
                "{}:\n  CPython   {:?}\n  expected  {there:?}\n  intentbox {:?} {:?}\n  expected  {here:?}",
                name(file),
                cpython.stdout,
                product.stdout,
                product.exception
            )
        })
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

#[test]
fn every_divergence_is_in_the_document_and_has_a_file() {
    let document = folder("../guest-sdk/DIVERGENCES.md");
    let document = std::fs::read_to_string(document).expect("the document is there");
    let named: BTreeSet<&str> = document
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
        .filter(|word| Path::new(word).extension().is_some_and(|extension| extension == "py"))
        .collect();
    let files = files("divergences");
    let there: BTreeSet<&str> = files.iter().map(|file| name(file)).collect();
    assert_eq!(
        named.difference(&there).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "named, but not in tests/divergences"
    );
    assert_eq!(
        there.difference(&named).collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "in tests/divergences, but not named"
    );
}
