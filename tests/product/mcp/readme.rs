//! The configurations in the README, each read in its client's own format and started as that client would.

use std::collections::BTreeMap;
use std::fs::{create_dir, read_to_string};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::client::{Client, STATEFUL, structured};

/// How a client's file says what to start: the keys that lead to the servers, by the sentence before the block.
const CLIENTS: [(&str, &str); 4] = [
    ("**Claude Code**", "mcpServers"),
    ("**Claude Desktop**", "mcpServers"),
    ("**Cursor**", "mcpServers"),
    ("**VS Code**", "servers"),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The first block of JSON after a heading.
fn block(readme: &str, after: &str) -> Value {
    let rest = readme.split(after).nth(1).unwrap_or_else(|| panic!("the README has no {after}"));
    let json = rest.split("```json").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of JSON follows");
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{after}: {error}"))
}

/// A client in whose PATH the binary is, as after an installation.
fn started(config: &Value) -> Client {
    let home = tempfile::tempdir().expect("a temporary folder");
    let bin = home.path().join("bin");
    create_dir(&bin).expect("it can be made");
    symlink(env!("CARGO_BIN_EXE_intentbox"), bin.join("intentbox")).expect("it can be made");
    // Where a client's system would find it in the PATH.
    let mut command = Command::new(bin.join(config["command"].as_str().expect("a command")));
    let arguments = config["args"].as_array().expect("arguments").iter();
    command.args(arguments.map(|argument| argument.as_str().expect("text")));
    let environment: BTreeMap<String, String> =
        serde_json::from_value(config.get("env").cloned().unwrap_or(json!({}))).expect("an environment");
    command.current_dir(home.path()).env_clear().env("HOME", home.path()).env("PATH", &bin).envs(environment);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    Client::spawn(command, home, STATEFUL, json!({}))
}

#[test]
fn every_configuration_of_the_readme_starts_a_server_that_answers() {
    let readme = read_to_string(root().join("README.md")).expect("there is one");
    for (heading, key) in CLIENTS {
        let config = block(&readme, heading);
        let servers = config[key].as_object().unwrap_or_else(|| panic!("{heading}: no {key}"));
        assert_eq!(servers.len(), 1, "{heading}");
        let mut client = started(&servers["intentbox"]);
        client.greet();
        let result = client.call("run_intent", &json!({"intent": "list errors"}));
        assert_eq!(structured(&result)["outcome"], "ok", "{heading}: {result}");
    }
}

/// The description for registries is of this version, and names no package as long as none is published.
#[test]
fn the_server_description_fits_the_program() {
    let description = read_to_string(root().join("runtime/mcp/server.json")).expect("there is one");
    let description: Value = serde_json::from_str(&description).expect("it is JSON");
    assert_eq!(description["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(description["name"].as_str().and_then(|name| name.rsplit('/').next()), Some("intentbox"));
    assert!(description["description"].as_str().is_some_and(|text| text.len() <= 100), "the registry's bound");
    assert_eq!(description.get("packages"), None);
}
