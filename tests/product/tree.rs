//! The files of this repository, and the tests that its sources define.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Folders that hold what was built, installed or found by fuzzing, and nothing that is ours.
const MADE: &[&str] = &["artifacts", "corpus", "node_modules", "target"];

/// A text file, and its path from the top of the repository.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The top of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of the file at `path`, from the top of the repository.
pub(crate) fn read(path: &str) -> String {
    read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The paths of all files below `folder` (`""` for the whole repository), sorted; hidden folders are left out, `.ci` apart.
pub(crate) fn paths(folder: &str) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in read_dir(root().join(&folder)).unwrap_or_else(|error| panic!("{folder}: {error}")) {
            let entry = entry.expect("an entry of a folder can be read");
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.path().is_dir() {
                found.push(path);
            } else if name == ".ci" || !name.starts_with('.') && !MADE.contains(&name.as_str()) {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The last part of `path` behind a dot, without the dot; empty if there is none.
pub(crate) fn extension(path: &str) -> &str {
    Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// The files below `folder` with one of these extensions, sorted by path.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Vec<File> {
    let wanted = paths(folder).into_iter().filter(|path| extensions.contains(&extension(path)));
    wanted.map(|path| File { text: read(&path), path }).collect()
}

/// The names of the functions in a Rust source that have `#[test]` or `#[tokio::test]` above them.
pub(crate) fn tests(source: &str) -> Vec<&str> {
    let mut marked = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            marked = true;
        } else if let Some(function) = line.trim_start_matches("async ").strip_prefix("fn ") {
            if marked {
                names.push(function.split(['(', '<']).next().unwrap_or_default());
            }
            marked = false;
        }
    }
    names
}

#[test]
fn only_marked_functions_are_tests() {
    let source =
        "fn no() {}\n#[test]\n#[ignore]\nfn first() {\n  fn no() {}\n}\n  #[tokio::test]\n  async fn second() {}";
    assert_eq!(tests(source), ["first", "second"]);
}

#[test]
fn the_repository_is_listed_without_what_was_built() {
    let paths = paths("");
    for expected in
        [".ci/run", "Cargo.lock", "guest-sdk/abi/Cargo.toml", "runtime/cli/src/main.rs", "tests/product/tree.rs"]
    {
        assert!(paths.iter().any(|path| path == expected), "{expected} is missing");
    }
    assert!(!paths.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
}
