//! Which crate may depend on which: the arrows of ARCHITECTURE.md, and the dependencies that only some crates may have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use toml::{Table, Value};

use crate::tree;

/// What a `Cargo.toml` of the repository says of its dependencies, by the names of their packages.
#[derive(Debug, PartialEq, Eq)]
struct Manifest {
    package: String,
    /// What the crate and its build script are made of.
    normal: BTreeSet<String>,
    /// What its tests, examples and benches need besides.
    dev: BTreeSet<String>,
}

/// Each crate, by the name of its folder, and the crates of the repository that it leans on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Which crates may name a dependency, and names that begin with it and a `-` or `_`.
struct Users {
    dependency: &'static str,
    crates: &'static [&'static str],
    /// Those whose tests and benches may name it, too.
    tests: &'static [&'static str],
}

/// Each of these goes through one crate, for trust or for weight; `runtime/ARCHITECTURE.md` says why.
const USERS: &[Users] = &[
    Users { dependency: "clap", crates: &["cli"], tests: &[] },
    Users { dependency: "hyper", crates: &["listen"], tests: &[] },
    Users { dependency: "landlock", crates: &["confine", "sandbox"], tests: &[] },
    Users { dependency: "minijinja", crates: &["catalog", "dashboard"], tests: &[] },
    // The tests of the product play clients that it did not write.
    Users { dependency: "reqwest", crates: &["egress"], tests: &["cli"] },
    // A bench compares calls with those of the bare SDK.
    Users { dependency: "rmcp", crates: &["mcp", "mcp-wire", "tools"], tests: &["cli"] },
    Users { dependency: "rustls", crates: &["egress"], tests: &["cli"] },
    Users { dependency: "rustpython", crates: &["guest"], tests: &[] },
    Users { dependency: "seccompiler", crates: &["confine", "sandbox"], tests: &[] },
    Users { dependency: "sqlx", crates: &["store"], tests: &["store"] },
    Users { dependency: "tower-http", crates: &["listen"], tests: &[] },
    Users { dependency: "wasmtime", crates: &["sandbox"], tests: &[] },
];

fn manifest(text: &str) -> Manifest {
    let table: Table = toml::from_str(text).expect("a Cargo.toml is TOML");
    let package = table["package"]["name"].as_str().expect("a package has a name").to_owned();
    let of = |kind: &str| -> BTreeSet<String> {
        let targets = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
        let tables = table.get(kind).into_iter().chain(targets.filter_map(|target| target.get(kind)));
        let entries = tables.filter_map(Value::as_table).flat_map(Table::iter);
        entries.map(|(name, entry)| entry.get("package").and_then(Value::as_str).unwrap_or(name).to_owned()).collect()
    };
    let normal = of("dependencies").into_iter().chain(of("build-dependencies")).collect();
    Manifest { package, normal, dev: of("dev-dependencies") }
}

/// The manifests of the crates below `runtime/` and `guest-sdk/`, by the names of their folders.
fn manifests() -> BTreeMap<String, Manifest> {
    let files = ["runtime", "guest-sdk"].into_iter().flat_map(|folder| tree::files(folder, &["toml"]));
    let found = files.filter_map(|file| {
        let parts: Vec<&str> = file.path.split('/').collect();
        let [_, name, "Cargo.toml"] = parts[..] else { return None };
        Some((name.to_owned(), manifest(&file.text)))
    });
    found.collect()
}

fn arrows(manifests: &BTreeMap<String, Manifest>) -> Arrows {
    let folder = |package: &String| {
        let named = manifests.iter().find(|(_, manifest)| manifest.package == *package);
        named.map(|(folder, _)| folder.clone())
    };
    let arrows = manifests.iter().map(|(name, manifest)| {
        let to = manifest.normal.iter().filter_map(folder).collect();
        (name.clone(), to)
    });
    arrows.collect()
}

/// The crates in floors: each leans on those of lower floors alone.
///
/// # Errors
///
/// The crates that lean on themselves, by way of others or not, or on such a crate.
fn floors(arrows: &Arrows) -> Result<Vec<Vec<&str>>, Vec<&str>> {
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    let mut floors = Vec::new();
    while placed.len() < arrows.len() {
        let open = arrows.iter().filter(|(name, _)| !placed.contains(name.as_str()));
        let (floor, above): (Vec<_>, Vec<_>) =
            open.partition(|(_, to)| to.iter().all(|to| placed.contains(to.as_str())));
        if floor.is_empty() {
            return Err(above.into_iter().map(|(name, _)| name.as_str()).collect());
        }
        let floor: Vec<&str> = floor.into_iter().map(|(name, _)| name.as_str()).collect();
        placed.extend(&floor);
        floors.push(floor);
    }
    Ok(floors)
}

/// The arrows as ARCHITECTURE.md draws them: the highest floor first, a line for each crate.
fn block(arrows: &Arrows) -> String {
    let floors = floors(arrows).unwrap_or_else(|circle| panic!("crates lean on each other: {}", circle.join(", ")));
    let mut text = String::new();
    for name in floors.into_iter().rev().flatten() {
        let to: Vec<&str> = arrows[name].iter().map(String::as_str).collect();
        let _ = if to.is_empty() { writeln!(text, "{name}") } else { writeln!(text, "{name} -> {}", to.join(", ")) };
    }
    text
}

/// What stands between ```` ```arrows ```` and ```` ``` ````.
fn drawn(document: &str) -> Option<&str> {
    let (_, behind) = document.split_once("```arrows\n")?;
    behind.split_once("```").map(|(block, _)| block)
}

fn names(dependency: &str, users: &Users) -> bool {
    let rest = dependency.strip_prefix(users.dependency);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// Each crate that names what only others may name.
fn strangers(manifests: &BTreeMap<String, Manifest>) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, manifest) in manifests {
        for users in USERS {
            let mut look = |dependencies: &BTreeSet<String>, allowed: &[&str], file: &str| {
                for found in dependencies.iter().filter(|dependency| names(dependency, users)) {
                    if !allowed.contains(&name.as_str()) {
                        faults.push(format!("{name} names {found} under [{file}]; allowed: {}", allowed.join(", ")));
                    }
                }
            };
            look(&manifest.normal, users.crates, "dependencies");
            look(&manifest.dev, &[users.crates, users.tests].concat(), "dev-dependencies");
        }
    }
    faults
}

#[test]
fn the_arrows_between_crates_are_those_of_the_architecture() {
    let block = block(&arrows(&manifests()));
    let document = tree::read("runtime/ARCHITECTURE.md");
    assert!(
        drawn(&document) == Some(block.as_str()),
        "write this into runtime/ARCHITECTURE.md:\n```arrows\n{block}```"
    );
}

#[test]
fn what_goes_through_one_crate_is_named_by_no_other() {
    let manifests = manifests();
    let faults = strangers(&manifests);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for users in USERS {
        let used = manifests.values().any(|manifest| manifest.normal.iter().any(|found| names(found, users)));
        assert!(used, "no crate names {}: take it out of the table", users.dependency);
    }
}

#[test]
fn every_kind_of_dependency_is_read() {
    let text = r#"
        package.name = "a"
        dependencies = { b = "1", c = { package = "d", version = "1" }, e.workspace = true }
        build-dependencies = { f = "1" }
        dev-dependencies = { g = "1" }
        target."cfg(unix)".dependencies = { h = "1" }
    "#;
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let expected = Manifest { package: "a".to_owned(), normal: set(&["b", "d", "e", "f", "h"]), dev: set(&["g"]) };
    assert_eq!(manifest(text), expected);
}

#[test]
fn arrows_are_drawn_from_the_top_and_circles_are_found() {
    let arrows = |arrows: &[(&str, &[&str])]| -> Arrows {
        let owned = |(name, to): &(&str, &[&str])| ((*name).to_owned(), to.iter().map(|&to| to.to_owned()).collect());
        arrows.iter().map(owned).collect()
    };
    let straight = arrows(&[("a", &[]), ("b", &["a"]), ("c", &["b", "a"]), ("d", &[])]);
    assert_eq!(block(&straight), "c -> a, b\nb -> a\na\nd\n");
    let circle = arrows(&[("a", &["c"]), ("b", &["a"]), ("c", &["b"]), ("d", &[])]);
    assert_eq!(floors(&circle), Err(vec!["a", "b", "c"]));
    assert_eq!(drawn("Text.\n\n```arrows\na -> b\nb\n```\n"), Some("a -> b\nb\n"));
    assert_eq!(drawn("```\na -> b\n```\n"), None);
}

#[test]
fn a_crate_that_names_what_it_may_not_is_found() {
    let strangers = |folder: &str, text: &str| strangers(&BTreeMap::from([(folder.to_owned(), manifest(text))]));
    let engine = |rest: &str| strangers("engine", &format!("package.name = \"x\"\n{rest}"));
    assert_eq!(engine("dependencies = { wasmtimes = \"1\", tokio = \"1\" }"), Vec::<String>::new());
    let found = engine("dependencies = { wasmtime-wasi = \"1\" }");
    assert_eq!(found, ["engine names wasmtime-wasi under [dependencies]; allowed: sandbox"]);
    let found = engine("dev-dependencies = { reqwest = \"1\" }");
    assert_eq!(found, ["engine names reqwest under [dev-dependencies]; allowed: egress, cli"]);
    let cli = |kind: &str| strangers("cli", &format!("package.name = \"x\"\n{kind} = {{ reqwest = \"1\" }}"));
    assert_eq!(cli("dev-dependencies"), Vec::<String>::new());
    assert_eq!(cli("dependencies"), ["cli names reqwest under [dependencies]; allowed: egress"]);
}
