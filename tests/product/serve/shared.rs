//! What several servers with one store share besides jobs: templates that were published, and what is known of upstream tools.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::service::with_upstream_servers;
use super::{environment, get, of, send, spawn};
use crate::mcp::port::Server;
use crate::product::run_in;

/// Another server with the store of this home.
fn beside(home: &Path, arguments: &[&str]) -> Server {
    Server::of(spawn(home, arguments), tempfile::tempdir().expect("a folder"))
}

/// Writes a template that greets, in a folder of templates.
fn write_template(folder: &Path, greeting: &str) {
    let template = folder.join("mine/greet");
    fs::create_dir_all(&template).expect("it can be made");
    let manifest = "summary = \"Greets.\"\nphrases = [\"greet the world\"]\neffects = \"read\"\n";
    fs::write(template.join("template.toml"), manifest).expect("it can be written");
    fs::write(template.join("script.py.j2"), format!("result = \"{greeting}\"\n")).expect("it can be written");
}

/// Runs a command on templates with the store of this home, and gives what it printed.
fn templates(home: &Path, arguments: &[&str]) -> Value {
    let environment = environment(home);
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let done = run_in(home, &[&["--json", "--state", "state", "templates"], arguments].concat(), b"", &environment);
    assert_eq!(done.code, 0, "{done:?}");
    serde_json::from_str(&done.stdout).expect("JSON")
}

/// Waits until an intent is answered so. Outcomes depend on no time: an answer that does not come is a test that does not end.
fn until(server: &Server, intent: &str, is_it: impl Fn(&Value) -> bool) {
    loop {
        let report = of(&send(server, "POST /v1/run", &[], &json!({"intent": intent}).to_string()));
        if is_it(&report) {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn what_is_published_every_server_answers_with_and_its_own_folder_goes_over_it() {
    let home = tempfile::tempdir().expect("a folder");
    let (path, now) = (home.path(), |result: &'static str| move |report: &Value| report["result"] == result);
    write_template(&path.join("shared"), "hello");
    write_template(&path.join("own"), "goodbye");
    let before = beside(path, &[]);
    let published = templates(path, &["publish", "--templates", "shared"]);
    assert_eq!(published["templates"], json!(["mine/greet"]), "{published}");
    until(&before, "greet the world", now("hello"));
    let (after, own) = (beside(path, &[]), beside(path, &["--templates", "own"]));
    for (server, greeting) in [(&after, "hello"), (&own, "goodbye")] {
        let report = of(&send(server, "POST /v1/run", &[], &json!({"intent": "greet the world"}).to_string()));
        assert_eq!(report["result"], greeting, "a server begins with what is published: {report}");
    }
    write_template(&path.join("shared"), "good evening");
    templates(path, &["publish", "--templates", "shared"]);
    until(&before, "greet the world", now("good evening"));
    templates(path, &["unpublish"]);
    until(&before, "greet the world", |report| report["outcome"] == "not_found");
    until(&own, "greet the world", now("goodbye"));
    let run_intent = run_in(path, &["templates", "publish", "--state", "state"], b"", &[]);
    assert_eq!(run_intent.code, 2, "{run_intent:?}");
    assert!(run_intent.stderr.contains("name one with --templates DIR"), "{run_intent:?}");
}

#[test]
fn what_one_server_discovers_another_knows_without_starting_it() {
    let home = tempfile::tempdir().expect("a folder");
    let here = with_upstream_servers(home.path());
    let there = with_upstream_servers(home.path());
    assert_eq!(get(&there, "/v1/tools")["servers"][0]["status"], "never");
    assert_eq!(send(&here, "POST /v1/tools/good/refresh", &[], "").status, 200);
    let known = loop {
        let listed = get(&there, "/v1/tools");
        if listed["tools"].as_array().is_some_and(|rows| rows.iter().any(|row| row["name"] == "echo")) {
            break listed;
        }
        std::thread::yield_now();
    };
    assert_eq!(known["tools"], get(&here, "/v1/tools")["tools"]);
}

#[test]
fn m10_a_server_that_changed_here_is_not_called_because_another_says_what_was_approved() {
    let home = tempfile::tempdir().expect("a folder");
    let (path, counted) = (home.path(), tempfile::tempdir().expect("a folder"));
    let write = |name: &str, text: &str| fs::write(path.join(name), text).expect("written");
    let (program, starts) = (crate::tree::root().join("tests/upstream/faulty.py"), counted.path().join("starts"));
    let entry = json!({
        "command": "python3", "args": [program, "changed", "--state", starts], "intentbox": {"write": [counted.path()]},
    });
    write("servers.json", &json!({"mcpServers": {"changing": entry}}).to_string());
    write("config.toml", "");
    write("policy.toml", "[exec]\ntools = [\"changing: *\"]\n");
    // What the first start says is approved, and it is what the last one says again.
    let refresh = || {
        let _ = fs::remove_file(&starts);
        let files = ["--state", "state", "--servers", "servers.json", "--config", "config.toml"];
        let database = environment(path).into_iter().map(|(_, file)| file).next();
        let flags = database.as_ref().map_or_else(Vec::new, |file| vec!["--database", file.as_str()]);
        let search = crate::upstream::search_path();
        let environment = [("PATH", search.as_str())];
        let done = run_in(path, &[&files[..], &["tools"], &flags, &["refresh"]].concat(), b"", &environment);
        assert_eq!(done.code, 0, "{done:?}");
    };
    refresh();
    let mut command = super::command(path, &["--servers", "servers.json", "--config", "config.toml"]);
    command.env("PATH", crate::upstream::search_path());
    let server = Server::of(command.spawn().expect("it starts"), tempfile::tempdir().expect("a folder"));
    let called = || {
        let code = json!({"code": "import tools\nresult = tools.changing.add(a=1, b=2)"}).to_string();
        of(&send(&server, "POST /v1/run", &[], &code))["outcome"].clone()
    };
    // Its own start is the second one, and its connection stays.
    assert_eq!(called(), "upstream_changed");
    refresh();
    assert_eq!(called(), "upstream_changed", "what is kept is approved, and this connection says something else");
}
