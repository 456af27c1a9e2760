//! What programs read: with `--json`, every command prints one object, however it ends.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::product::{Run, run_in};

/// A folder with a script, templates of which one works and one does not, and a policy with a fault.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| home.path().join(name);
    std::fs::write(path("a.py"), "1 + 1").expect("written");
    std::fs::write(path("fault.toml"), "[packs.nonsense]\n").expect("written");
    for folder in ["mine", "broken"] {
        let made = run_in(home.path(), &["templates", "new", "first/hello", "--templates", folder], b"", &[]);
        assert_eq!(made.code, 0, "{made:#?}");
    }
    let case = path("broken/first/hello/cases/default.toml");
    let text = std::fs::read_to_string(&case).expect("it was made");
    std::fs::write(&case, text.replace("Hello, you!", "Goodbye!")).expect("written");
    home
}

/// Runs a command with `--json`, and gives its exit code and its one object.
fn ask(home: &Path, arguments: &[&str]) -> (i32, Value) {
    let run = run_in(home, &[arguments, &["--json"]].concat(), b"", &[]);
    (run.code, object(&run, &run.stdout))
}

/// The one object of a text.
fn object(run: &Run, text: &str) -> Value {
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "one line: {run:#?}");
    let object: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    let first = object.as_object().and_then(|object| object.keys().next());
    assert_eq!(first.map(String::as_str), Some("outcome"), "{run:#?}");
    object
}

/// A port of this machine that is in use for as long as the listener lives.
fn taken() -> (TcpListener, String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    (listener, address.to_string(), address.port().to_string())
}

#[test]
fn every_command_that_works_prints_one_object() {
    let home = home();
    for arguments in [
        &["run-intent", "list errors"][..],
        &["run-intent", "list errors", "--explain"],
        &["exec", "a.py"],
        &["templates", "list"],
        &["templates", "show", "sentry/list_errors"],
        &["templates", "render", "sentry/list_errors"],
        &["templates", "check", "--templates", "mine"],
        &["templates", "check", "--phrases", "--templates", "mine"],
        &["templates", "try", "a.py"],
        &["templates", "new", "first/second", "--templates", "mine"],
        &["policy", "check"],
        &["policy", "explain", "GET", "sentry:/api/0/"],
        &["init", "box"],
        &["doctor"],
        &["stats"],
        &["demo-logs", "logs", "--mib", "1"],
        &["completions", "bash"],
        &["man"],
    ] {
        let (code, object) = ask(home.path(), arguments);
        assert_eq!((code, &object["outcome"], &object["error"]), (0, &json!("ok"), &Value::Null), "{arguments:?}");
    }
}

#[test]
fn every_command_that_fails_prints_one_object() {
    let home = home();
    let (_listener, address, port) = taken();
    for (arguments, code, outcome) in [
        (&["run-intent"][..], 2, "usage"),
        (&["run-intent", "list errors", "--config", "none.toml"], 2, "configuration"),
        (&["run-intent", "list errors", "--param", "limit=0"], 2, "param_invalid"),
        (&["exec", "none.py"], 2, "usage"),
        (&["exec", "a.py", "--nonsense"], 2, "usage"),
        (&["exec", "a.py", "--limit", "fuel=1"], 2, "param_invalid"),
        (&["templates"], 2, "usage"),
        (&["templates", "list", "--templates", "none"], 2, "configuration"),
        (&["templates", "show", "no/such"], 2, "usage"),
        (&["templates", "render", "sentry/list_errors", "--param", "limit=0"], 2, "usage"),
        (&["templates", "check", "--templates", "broken"], 1, "check"),
        (&["templates", "check", "--phrases", "--write"], 2, "usage"),
        (&["templates", "try", "none"], 2, "usage"),
        (&["templates", "new", "first/hello", "--templates", "mine"], 2, "usage"),
        (&["templates", "new", "first/hello"], 2, "usage"),
        (&["policy", "check", "--policy", "fault.toml"], 1, "check"),
        (&["policy", "explain", "GET"], 2, "usage"),
        (&["policy", "explain", "GET", "sentry:/", "--for", "no/such"], 2, "usage"),
        (&["policy", "explain", "PUT", "sentry:/x"], 3, "capability_denied"),
        (&["init", "a.py"], 7, "unavailable"),
        (&["doctor", "--policy", "fault.toml"], 1, "check"),
        (&["stats", "--since", "soon"], 2, "usage"),
        (&["stats", "--state", "a.py"], 7, "unavailable"),
        (&["mcp", "--http", "0.0.0.0:0"], 2, "usage"),
        (&["mcp", "--http", "127.0.0.1:0", "--token-file", "none"], 2, "configuration"),
        (&["mcp", "--http", address.as_str(), "--require-walls=false"], 7, "unavailable"),
        (&["demo-tracker", "--port", port.as_str()], 7, "unavailable"),
        (&["demo-logs", "a.py"], 7, "unavailable"),
        (&["demo-logs", "logs", "--mib", "16385"], 2, "usage"),
        (&["completions", "none"], 2, "usage"),
        (&["man", "none"], 2, "usage"),
        (&["xyz"], 2, "usage"),
    ] {
        let (exit, object) = ask(home.path(), arguments);
        assert_eq!((exit, &object["outcome"]), (code, &json!(outcome)), "{arguments:?}: {object:#}");
        let error = &object["error"];
        assert!(error["kind"].is_string() && error["message"].is_string(), "{arguments:?}: {object:#}");
    }
}

#[test]
fn short_objects_are_these() {
    let home = home();
    let new = ["template.toml", "script.py.j2", "cases/default.toml", "cases/default.py"];
    let fault = "[packs.nonsense]: there is no such pack";
    for (arguments, expected) in [
        (&["policy", "check"][..], json!({"outcome": "ok", "policy": null, "faults": []})),
        (
            &["policy", "check", "--policy", "fault.toml"],
            json!({
                "outcome": "check",
                "error": {"kind": "check", "message": "1 fault in the policy"},
                "policy": "fault.toml",
                "faults": [fault],
            }),
        ),
        (
            &["policy", "explain", "GET", "sentry:/api/0/"],
            json!({
                "outcome": "ok",
                "permitted_by": ["sentry: GET,HEAD /** under [exec]"],
                "request": "GET sentry:/api/0/",
            }),
        ),
        (
            &["policy", "explain", "PUT", "sentry:/x"],
            json!({"outcome": "capability_denied", "error": {
                "kind": "policy",
                "message": "PUT sentry:/x was refused: the run is granted `sentry: GET,HEAD /**`",
                "hint": "add \"sentry: PUT /x\" to http under [exec] in policy.toml",
            }}),
        ),
        (
            &["templates", "new", "first/second", "--templates", "mine"],
            json!({
                "outcome": "ok",
                "id": "first/second",
                "files": new.map(|file| format!("mine/first/second/{file}")),
            }),
        ),
        (
            &["templates", "check", "first/hello", "--templates", "mine"],
            json!({
                "outcome": "ok",
                "cases": 1,
                "failed": 0,
                "templates": [{"id": "first/hello", "cases": 1, "failed": [], "written": 0}],
            }),
        ),
        (&["init", "box"], json!({"outcome": "ok", "files": ["box/config.toml", "box/policy.toml"]})),
        (
            &["init", "box"],
            json!({"outcome": "usage", "error": {
                "kind": "usage",
                "message": "box/config.toml exists already; nothing was written",
                "hint": "name another directory, or remove the file",
            }}),
        ),
        (
            &["xyz"],
            json!({"outcome": "usage", "error": {
                "kind": "usage",
                "message": "unrecognized subcommand 'xyz'",
                "hint": "run `intentbox --help`",
            }}),
        ),
    ] {
        assert_eq!(ask(home.path(), arguments).1, expected, "{arguments:?}");
    }
}

#[test]
fn an_object_says_what_the_text_says() {
    let home = home();
    let text = |arguments: &[&str]| run_in(home.path(), arguments, b"", &[]).stdout;
    for (arguments, field) in [
        (&["templates", "render", "first/hello", "--templates", "mine"][..], "script"),
        (&["completions", "zsh"], "script"),
        (&["man"], "manual"),
    ] {
        let (_, object) = ask(home.path(), arguments);
        assert_eq!(object[field], text(arguments), "{arguments:?}");
    }
    let (_, listed) = ask(home.path(), &["templates", "list"]);
    let ids = listed["templates"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id"));
    let lines = text(&["templates", "list"]);
    assert_eq!(ids.collect::<Vec<_>>(), lines.lines().filter_map(|line| line.split(' ').next()).collect::<Vec<_>>());

    let (_, checked) = ask(home.path(), &["doctor", "--policy", "fault.toml"]);
    let faults = checked["checks"].as_array().expect("rows").iter().filter(|row| row["status"] == "fault");
    let faults: Vec<_> = faults.map(|row| (row["name"].clone(), row["state"].clone())).collect();
    assert_eq!(faults, [(json!("policy"), json!("WRONG: [packs.nonsense]: there is no such pack"))]);
    let line = format!("{:<22} WRONG: [packs.nonsense]: there is no such pack\n", "policy");
    assert!(text(&["doctor", "--policy", "fault.toml"]).contains(&line));
}

#[test]
fn help_and_the_version_stay_text() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (arguments, start) in [(&["--help", "--json"][..], "Answers intents"), (&["--version"], "intentbox ")] {
        let run = run_in(home.path(), arguments, b"", &[]);
        assert!(run.code == 0 && run.stdout.starts_with(start) && run.stderr.is_empty(), "{run:#?}");
    }
}

#[test]
fn a_server_prints_its_object_when_it_is_ready() {
    for (arguments, field, start) in [
        (&["demo-tracker", "--json"][..], "base_url", "http://127.0.0.1:"),
        (&["mcp", "--http", "127.0.0.1:0", "--json"], "url", "http://127.0.0.1:"),
    ] {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
        command.args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let mut line = String::new();
        let read = BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line);
        child.kill().and_then(|()| child.wait()).expect("it is our child");
        read.expect("it is text");
        let object: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(object["outcome"], "ok", "{object}");
        assert!(object[field].as_str().is_some_and(|url| url.starts_with(start)), "{object}");
    }
}

#[test]
fn a_failure_of_the_server_on_pipes_is_an_object_on_stderr() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = run_in(home.path(), &["mcp", "--config", "none.toml", "--json"], b"", &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "stdout is the protocol's: {run:#?}");
    let message = "none.toml cannot be opened: No such file or directory (os error 2)";
    let expected = json!({"outcome": "configuration", "error": {"kind": "configuration", "message": message}});
    assert_eq!(object(&run, &run.stderr), expected);
}
