//! The rows of the threat model that are about scripts, and which tests hold them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Every row: what it runs out of (G), or how it tries to get out (E).
const ROWS: [(&str, &str); 36] = [
    ("G01", "loops without an end"),
    ("G02", "code that starts again when it is stopped: handlers, `finally`, finalizers, hooks"),
    ("G03", "loops inside one native call, without any bytecode"),
    ("G04", "arithmetic on enormous numbers, and their digits"),
    ("G05", "regular expressions that backtrack for ever"),
    ("G06", "callbacks that change the container they are called from, and colliding hashes"),
    ("G07", "waiting: sleeps, locks, queues, polls"),
    ("G08", "host calls by the million, each of them cheap"),
    ("G09", "memory, little by little"),
    ("G10", "memory, in one piece"),
    ("G11", "going on at the ceiling of memory"),
    ("G12", "small values that are huge once written out"),
    ("G13", "compressed bombs, buffers nobody reads, objects that come back"),
    ("G14", "recursion in Python"),
    ("G15", "recursion in native code, through deep data"),
    ("G16", "deep and wide source"),
    ("G17", "scripts of any size and encoding"),
    ("G18", "floods of output"),
    ("G19", "answers that are too large or cannot be said"),
    ("G20", "files without end: how many, how long, how sparse"),
    ("E01", "modules that reach the machine: processes, sockets, native libraries"),
    ("E02", "walking from any object to any other"),
    ("E03", "frames, tracebacks and what exceptions carry"),
    ("E04", "files of the host by every way to open one"),
    ("E05", "paths that lead elsewhere: dots, slashes, links, renames"),
    ("E06", "what the environment tells: variables, arguments, names, versions"),
    ("E07", "system calls, signals and crashes on purpose"),
    ("E08", "exits that look like success, and what runs at the exit"),
    ("E09", "threads, signals, timers and tasks that outlive the script"),
    ("E10", "tampering with the prelude, and forged answers"),
    ("E11", "bytecode made by hand, and damaged marshal data"),
    ("E12", "places where the interpreter is known to panic"),
    ("E13", "disguised names, pickles and planted modules"),
    ("E14", "the wall itself: imports called with any numbers, answers with any bytes"),
    ("E15", "what one run leaves to the next: memory, files, randomness, time"),
    ("E16", "another guest in place of the embedded one"),
];

/// The tests of one row.
#[derive(Default)]
struct Tests {
    scripts: usize,
    functions: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below `folder` that end in `extension`, at any depth.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = read_dir(folder) else { return };
    for path in entries.map(|entry| entry.expect("it can be listed").path()) {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// `g01` of `g01_while_true`, as `G01`.
fn row(name: &str) -> Option<String> {
    let (row, _) = name.split_once('_')?;
    Some(row.to_uppercase()).filter(|row| ROWS.iter().any(|(known, _)| known == row))
}

fn tests() -> BTreeMap<String, Tests> {
    let mut tests: BTreeMap<String, Tests> = BTreeMap::new();
    let mut scripts = Vec::new();
    files(&root().join("tests/attacks"), "py", &mut scripts);
    for script in scripts {
        let name = script.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let row = row(&name).unwrap_or_else(|| panic!("tests/attacks/{name}.py belongs to no row"));
        tests.entry(row).or_default().scripts += 1;
    }
    let mut sources = Vec::new();
    for crates in ["runtime", "guest-sdk"] {
        for entry in read_dir(root().join(crates)).expect("the folder of crates is there") {
            let member = entry.expect("it can be listed").path();
            files(&member.join("src"), "rs", &mut sources);
            files(&member.join("tests"), "rs", &mut sources);
        }
    }
    files(&root().join("tests/product"), "rs", &mut sources);
    for source in sources {
        let text = read_to_string(&source).expect("a source is text");
        for line in text.lines() {
            let Some(function) = line.trim_start().trim_start_matches("async ").strip_prefix("fn ") else { continue };
            let name = function.split('(').next().unwrap_or_default();
            if let Some(row) = row(name) {
                tests.entry(row).or_default().functions.push(name.to_owned());
            }
        }
    }
    for tests in tests.values_mut() {
        tests.functions.sort();
    }
    tests
}

fn table(tests: &BTreeMap<String, Tests>) -> String {
    let mut text = String::from(
        "# Rows\n\n\
         What hostile scripts may try, by rows G01–G20 (exhaustion) and E01–E16 (escape), and the tests that hold each.\n\
         A script is a file of [attacks](attacks/README.md); the rest are Rust tests by their names. The test\n\
         `every_row_has_a_test` writes this file: change `product/rows.rs` or the tests, not this.\n\n\
         | Row | What | Tests |\n|---|---|---|\n",
    );
    for (row, what) in ROWS {
        let held: Vec<String> = tests.get(row).into_iter().flat_map(by_name).collect();
        let _ = writeln!(text, "| {row} | {what} | {} |", held.join(", "));
    }
    text
}

fn by_name(tests: &Tests) -> Vec<String> {
    let scripts = match tests.scripts {
        0 => None,
        1 => Some("1 script".to_owned()),
        count => Some(format!("{count} scripts")),
    };
    scripts.into_iter().chain(tests.functions.iter().map(|name| format!("`{name}`"))).collect()
}

#[test]
fn every_row_has_a_test() {
    let tests = tests();
    let bare: Vec<_> = ROWS.iter().map(|(row, _)| *row).filter(|row| !tests.contains_key(*row)).collect();
    assert!(bare.is_empty(), "nothing tests {}", bare.join(", "));
    let file = root().join("tests/ROWS.md");
    let (written, expected) = (read_to_string(&file).unwrap_or_default(), table(&tests));
    if written != expected {
        std::fs::write(&file, expected).expect("tests/ROWS.md can be written");
        panic!("tests/ROWS.md was out of date and has been written anew: look at the difference and commit it");
    }
}
