//! Rules for sources that no compiler checks.

use crate::tree::{self, File};

/// The most lines that a source of a crate may have. Beyond that, look for the second noun in it.
const LINES_MAX: usize = 800;

/// Folders of building machines.
const MACHINES: &[&str] = &["/Users/", "/home/", "/root/", "/work/"];

/// The user of the examples.
const EXAMPLE: &str = "/home/me/";

/// The sources of the host's crates, without the demos: they read nothing from outside that matters.
fn sources() -> Vec<File> {
    let mut sources = tree::files("runtime", &["rs"]);
    sources.retain(|file| {
        let parts: Vec<&str> = file.path.split('/').collect();
        parts.get(2) == Some(&"src") && !parts[1].starts_with("demo-")
    });
    sources
}

/// Each line that makes a value of a text by the library's own reader, and how many lines read some other type of it.
fn values_by_the_library(file: &File) -> (Vec<String>, usize) {
    let (mut faults, mut count) = (Vec::new(), 0);
    let text = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    for (line, text) in (1..).zip(text.lines()) {
        let uses = ["serde_json::from_str", "serde_json::from_slice", "serde_json::from_reader"];
        let Some((_, rest)) = uses.iter().find_map(|name| text.split_once(name)) else {
            // Headers have values too, and a raw value is text.
            let text = text.replace("HeaderValue::", "").replace("RawValue::", "");
            if ["parse::<Value>", "Value::deserialize", "Value::from_str"].iter().any(|name| text.contains(name)) {
                faults.push(format!("{}:{line}: {}", file.path, text.trim()));
            }
            continue;
        };
        count += 1;
        let named = rest.strip_prefix("::<").and_then(|rest| rest.split('(').next());
        if matches!(named, None | Some("Value>" | "serde_json::Value>")) {
            faults.push(format!("{}:{line}: {}", file.path, text.trim()));
        }
    }
    (faults, count)
}

/// What is wrong with the length of a file, if anything is.
fn too_long(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > LINES_MAX).then(|| format!("{} has {lines} lines; at most {LINES_MAX} are allowed", file.path))
}

/// Each line with a path of the machine on which it was written.
fn machine_paths(file: &File) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        let text = text.replace(EXAMPLE, "");
        // In `ci/work/` and `https://example.com/home/` it is the middle of something else.
        let begins =
            |at: usize| !text[..at].ends_with(|before: char| before.is_alphanumeric() || "._-*}".contains(before));
        let found = MACHINES.iter().find(|folder| text.match_indices(**folder).any(|(at, _)| begins(at)));
        faults.extend(found.map(|folder| format!("{}:{line} names {folder}", file.path)));
    }
    faults
}

fn source(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

/// What the library's own reader makes of a text is not always what the text says: `catalog/src/json.rs` says why. Other types
/// than values are read by it, and name themselves where they are.
#[test]
fn no_text_from_outside_becomes_a_value_by_the_librarys_own_reader() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for file in sources() {
        // Tests and oracles compare with what the library says.
        if !file.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "oracle.rs")) {
            let (found, counted) = values_by_the_library(&file);
            faults.extend(found);
            count += counted;
        }
    }
    assert!(count > 5, "the sources are read");
    assert!(faults.is_empty(), "read a value with `intentbox_catalog::json::parse_value`:\n{}", faults.join("\n"));
}

#[test]
fn a_value_by_the_librarys_own_reader_is_found() {
    for (text, found) in [
        ("serde_json::from_str::<Report>(text)", (0, 1)),
        ("HeaderValue::from_str(text)", (0, 0)),
        ("#[cfg(test)] serde_json::from_str(text)", (0, 0)),
        ("serde_json::from_str(text)", (1, 1)),
        ("serde_json::from_slice::<Value>(bytes)", (1, 1)),
        ("serde_json::from_reader::<serde_json::Value>(file)", (1, 1)),
        ("text.parse::<Value>()", (1, 0)),
    ] {
        let (faults, count) = values_by_the_library(&source("a.rs", text));
        assert_eq!((faults.len(), count), found, "{text}: {faults:?}");
    }
}

#[test]
fn no_source_of_a_crate_is_too_long() {
    let mut files = tree::files("runtime", &["py", "rs"]);
    files.extend(tree::files("guest-sdk", &["py", "rs"]));
    assert!(files.len() > 150, "the sources are read");
    let faults: Vec<String> = files.iter().filter_map(too_long).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(too_long(&source("a.rs", &"\n".repeat(LINES_MAX))), None);
    let found = too_long(&source("a.rs", &"\n".repeat(LINES_MAX + 1)));
    assert_eq!(found.as_deref(), Some("a.rs has 801 lines; at most 800 are allowed"));
}

/// The code of an `async fn` is generated in each crate that awaits it, with all that it awaits.
#[test]
fn what_many_crates_await_of_the_engine_is_boxed() {
    let faults = |files: &[File]| -> Vec<String> {
        let lines = files.iter().flat_map(|file| file.text.lines().map(move |line| (&file.path, line.trim())));
        lines
            .filter(|(_, line)| line.starts_with("pub async fn"))
            .map(|(path, line)| format!("{path}: {line}"))
            .collect()
    };
    let files = tree::files("runtime/engine/src", &["rs"]);
    assert!(files.len() > 30, "the sources are read");
    assert!(faults(&files).is_empty(), "return a `BoxFuture`:\n{}", faults(&files).join("\n"));
    assert_eq!(faults(&[source("a.rs", "    pub async fn a() {}\n    pub(crate) async fn b() {}\n")]).len(), 1);
}

#[test]
fn no_source_names_a_folder_of_one_machine() {
    let mut files = tree::files("", &["md"]);
    for folder in [".ci", "fuzz", "guest-sdk", "runtime", "templates"] {
        files.extend(tree::files(folder, &["", "j2", "json", "py", "rs", "toml"]));
    }
    let faults: Vec<String> = files.iter().flat_map(machine_paths).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let fine = "/home/me/a, ci/work/, https://example.com/home/, {folder}/work/, /usr/home/, a/root/";
    assert_eq!(machine_paths(&source("a.rs", fine)), Vec::<String>::new());
    let found = machine_paths(&source("a.rs", "\n\"/home/you/a\"\ncd /work/\n"));
    assert_eq!(found, ["a.rs:2 names /home/", "a.rs:3 names /work/"]);
}
