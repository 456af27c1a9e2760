//! What no compiler checks about the sources.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// The sources of the host's crates, without the demos: they read nothing from outside that matters.
fn sources() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in read_dir(&runtime).expect("the folder of crates is there") {
        let member = entry.expect("it can be listed").path();
        if !member.file_name().is_some_and(|name| name.to_string_lossy().starts_with("demo-")) {
            folders.push(member.join("src"));
        }
    }
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("it can be listed").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// What the library's own reader makes of a text is not always what the text says: `catalog/src/json.rs` says why. Other types
/// than values are read by it, and name themselves where they are.
#[test]
fn no_text_from_outside_becomes_a_value_by_the_librarys_own_reader() {
    let mut faults = Vec::new();
    let mut count = 0;
    for path in sources() {
        // Tests and oracles compare with what the library says.
        if path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs" | "oracle.rs"))) {
            continue;
        }
        let text = read_to_string(&path).expect("a source is text");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, text) in (1..).zip(text.lines()) {
            let uses = ["serde_json::from_str", "serde_json::from_slice", "serde_json::from_reader"];
            let Some(rest) = uses.iter().find_map(|name| text.split_once(name)).map(|(_, rest)| rest) else {
                // Headers have values too.
                let text = text.replace("HeaderValue::", "");
                if ["parse::<Value>", "Value::deserialize", "Value::from_str"].iter().any(|name| text.contains(name)) {
                    faults.push(format!("{}:{line}: {}", path.display(), text.trim()));
                }
                continue;
            };
            count += 1;
            let named = rest.strip_prefix("::<").and_then(|rest| rest.split('(').next());
            if matches!(named, None | Some("Value>" | "serde_json::Value>")) {
                faults.push(format!("{}:{line}: {}", path.display(), text.trim()));
            }
        }
    }
    assert!(count > 5, "the sources are read");
    assert!(faults.is_empty(), "read a value with `intentbox_catalog::json::parse_value`:\n{}", faults.join("\n"));
}

/// Other crates would tie themselves to one database.
#[test]
fn only_the_store_names_sqlx() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut naming = Vec::new();
    for entry in read_dir(&runtime).expect("the folder of crates is there") {
        let member = entry.expect("it can be listed");
        let name = member.file_name().to_string_lossy().into_owned();
        let Ok(manifest) = read_to_string(member.path().join("Cargo.toml")) else { continue };
        if !name.starts_with("demo-") && manifest.lines().any(|line| line.starts_with("sqlx")) {
            naming.push(name);
        }
    }
    assert_eq!(naming, ["store"]);
}
