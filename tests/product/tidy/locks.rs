//! Which crates the lock files may contain. `deny.toml` has more rules, and needs cargo-deny.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::tree;

/// The lock files of the host, of the guest and of the fuzz targets.
const LOCKS: &[&str] = &["Cargo.lock", "guest-sdk/Cargo.lock", "fuzz/Cargo.lock"];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The packages of a lock file: their names, and where they come from if not from this repository.
fn packages(lock: &str) -> Vec<(String, Option<String>)> {
    let table: Table = toml::from_str(lock).expect("a lock file is TOML");
    let packages = table["package"].as_array().expect("a lock file lists packages");
    let text = |package: &Value, key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
    packages.iter().map(|package| (text(package, "name").unwrap_or_default(), text(package, "source"))).collect()
}

/// Each package that comes neither from crates.io nor from a path of this repository.
fn foreign(lock: &str) -> Vec<String> {
    let foreign = |(name, source): (String, Option<String>)| {
        let source = source.filter(|source| source != CRATES_IO)?;
        Some(format!("{name} comes from {source}"))
    };
    packages(lock).into_iter().filter_map(foreign).collect()
}

/// The crates that `deny.toml` bans, and why.
fn bans(deny: &str) -> BTreeMap<String, String> {
    let table: Table = toml::from_str(deny).expect("deny.toml is TOML");
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("a ban has a crate and a reason").to_owned();
    let bans = table["bans"]["deny"].as_array().expect("deny.toml bans crates");
    bans.iter().map(|ban| (text(ban, "crate"), text(ban, "reason"))).collect()
}

/// Each package that is banned.
fn banned(lock: &str, bans: &BTreeMap<String, String>) -> Vec<String> {
    let reason = |(name, _): (String, _)| bans.get(&name).map(|reason| format!("{name} is banned: {reason}"));
    packages(lock).into_iter().filter_map(reason).collect()
}

#[test]
fn every_crate_comes_from_crates_io_and_none_is_banned() {
    let bans = bans(&tree::read("deny.toml"));
    for path in LOCKS {
        let lock = tree::read(path);
        let faults = [foreign(&lock), banned(&lock, &bans)].concat();
        assert!(faults.is_empty(), "{path}:\n{}", faults.join("\n"));
    }
}

#[test]
fn a_package_from_elsewhere_and_a_banned_one_are_found() {
    let lock = |name: &str, source: &str| format!("[[package]]\nname = {name:?}\nversion = \"1.0.0\"\n{source}");
    let of = |source: &str| lock("a", &format!("source = {source:?}\n"));
    assert_eq!(foreign(&lock("a", "")), Vec::<String>::new());
    assert_eq!(foreign(&of(CRATES_IO)), Vec::<String>::new());
    let git = "git+https://example.com/a?rev=1#1";
    assert_eq!(foreign(&of(git)), [format!("a comes from {git}")]);
    let mirror = "registry+https://example.com/rust-lang/crates.io-index";
    assert_eq!(foreign(&of(mirror)), [format!("a comes from {mirror}")]);

    let bans = bans("[bans]\ndeny = [{ crate = \"openssl\", reason = \"rustls\" }]\n");
    assert_eq!(banned(&lock("openssl-probe", ""), &bans), Vec::<String>::new());
    assert_eq!(banned(&lock("openssl", ""), &bans), ["openssl is banned: rustls"]);
}
