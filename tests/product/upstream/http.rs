//! Servers over HTTP.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::{LATE, SOON, Upstream, program};

/// A server that listens.
struct Listening {
    child: Child,
    upstream: Upstream,
    log: tempfile::NamedTempFile,
}

impl Listening {
    fn with(fault: &str, arguments: &[&str], entry: Value) -> Self {
        let upstream = Upstream::of(&json!({}));
        let log = tempfile::NamedTempFile::new().expect("a file");
        let mut child = Command::new("python3")
            .arg(program())
            .arg(fault)
            .args(arguments)
            .args(["--log", &log.path().display().to_string(), "--http", &upstream.shown("port")])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("its port");
        let mut entry = entry;
        entry["url"] = json!(format!("http://127.0.0.1:{}/mcp", line.trim()));
        upstream.configure(&json!({"faulty": entry}));
        Self { child, upstream, log }
    }

    fn plain(fault: &str) -> Self {
        Self::with(fault, &[], json!({"intentbox": {"discovery_s": LATE, "call_s": LATE}}))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_tool_is_called_over_http_in_both_revisions() {
    for (fault, arguments) in [("none", &[][..]), ("none", &["--modern"]), ("events", &[])] {
        let server = Listening::with(fault, arguments, json!({"type": "http"}));
        assert_eq!(
            server.upstream.call("add", &["a=2", "b=3"]),
            ("ok".to_owned(), r#"{"sum":5}"#.to_owned()),
            "{fault}"
        );
    }
}

#[test]
fn m14_a_redirect_is_not_followed() {
    let server = Listening::plain("redirect");
    let (status, told) = server.upstream.refresh();
    let part = "it answered 302 with a redirect to http://169.254.169.254/latest/meta-data, which is not followed";
    assert!(status == "failed" && told.contains(part), "{told}");
}

#[test]
fn m14_a_challenge_is_told_and_not_answered() {
    for (fault, status) in [("unauthorized", 401), ("forbidden", 403)] {
        let server = Listening::plain(fault);
        let report = server.upstream.object(&["tools", "refresh", "faulty"]);
        let error = &report["servers"][0]["error"];
        let told = error["message"].as_str().expect("a message");
        assert!(told.contains(&format!("it answered {status}: Bearer ")), "{told}");
        let hint = "correct its credential in the configuration, or add the one that it asks for: to `headers`, or as \
                    `token_env` or `token_file` with `auth` under `intentbox`";
        assert_eq!(error["hint"], hint);
    }
    let with = json!({"headers": {"Authorization": "Bearer ${TOKEN:-open-sesame}"}});
    let server = Listening::with("unauthorized", &[], with);
    assert_eq!(server.upstream.call("echo", &["text=a"]), ("ok".to_owned(), "a".to_owned()));
    let seen = std::fs::read_to_string(server.log.path()).expect("the log");
    let asked = seen.lines().filter(|line| line.contains("authorization"));
    assert!(asked.clone().count() > 2 && asked.into_iter().all(|line| line.contains("Bearer open-sesame")), "{seen}");
    let listed = server.upstream.run(&["tools", "show", "faulty"]).stdout;
    assert!(!listed.contains("open-sesame") && listed.contains("(sends authorization)"), "{listed}");
}

#[test]
fn m14_a_credential_is_loaded_from_where_the_file_says() {
    let own = json!({"intentbox": {"token_file": "token", "auth": {"header": {"name": "Authorization", "prefix": "Bearer "}}}});
    let server = Listening::with("unauthorized", &[], own);
    let told = server.upstream.call("echo", &["text=a"]);
    assert_eq!(told.0, "upstream_failed", "{told:?}");
    assert!(told.1.contains("token_file: ") && told.1.contains("/token"), "{told:?}");
    let write = |token: &str| {
        let file = server.upstream.path("token");
        std::fs::write(&file, token).expect("it can be written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    };
    write("wrong-sesame\n");
    let doctor = server.upstream.run(&["doctor"]).stdout;
    assert!(doctor.contains("FAILED: it answered 401: Bearer "), "{doctor}");
    write("open-sesame\n");
    assert_eq!(server.upstream.call("echo", &["text=a"]), ("ok".to_owned(), "a".to_owned()));
    let echoed = server.upstream.call("echo", &["text=<open-sesame>"]);
    assert_eq!(echoed.1, "<[redacted]>", "what a server says is shown without its secret");
    let doctor = server.upstream.run(&["doctor"]).stdout;
    assert!(
        doctor.lines().any(|line| line.starts_with("server faulty") && line.contains("listed 0 s ago")),
        "{doctor}"
    );
}

#[test]
fn m14_a_secret_of_an_entry_is_not_repeated_wherever_it_stands() {
    let server = Listening::with("none", &[], json!({}));
    let file = std::fs::read_to_string(server.upstream.path("servers.json")).expect("it was written");
    let file = file.replace("/mcp", "/mcp?api_key=in%2Fentry&user=${THE_KEY}");
    std::fs::write(server.upstream.path("servers.json"), file).expect("written");
    let own = tempfile::tempdir().expect("a folder");
    let upstream = Upstream::of(&json!({"faulty": {"command": "python3", "env": {"A_TOKEN": "in/entry"},
        "args": [program().display().to_string(), "none", "--log", "log-${THE_KEY}"], "cwd": own.path()}}));
    for upstream in [&server.upstream, &upstream] {
        let text = "text=<in/entry> in%2Fentry <in-variable> <it stays>";
        let call = ["--json", "--servers", "servers.json", "tools", "call", "faulty", "echo", text];
        let report = upstream.run_where(&[("THE_KEY", "in-variable")], &call, b"").report();
        assert_eq!(report["result"], "<[redacted]> [redacted] <[redacted]> <it stays>", "{report}");
    }
}

#[test]
fn m14_replies_are_bounded_and_what_is_no_reply_is_told() {
    for (fault, part) in [
        ("html", "it answered with \"text/html\" in place of JSON"),
        ("http-500", "it answered 500"),
        ("http-429", "it answered 429"),
        ("endless-body", "its reply has more than 16777216 bytes"),
        ("endless-events", "an event has more than 16777216 bytes"),
    ] {
        let server = Listening::plain(fault);
        let (outcome, told) = server.upstream.call("echo", &["text=a"]);
        assert!(outcome == "upstream_failed" && told.contains(part), "{fault}: {outcome}: {told}");
    }
}

#[test]
fn m14_a_stream_that_breaks_in_a_call_that_writes_is_an_unknown_outcome() {
    let settings = json!({"intentbox": {"call_s": SOON}});
    let server = Listening::with("events-break", &[], settings);
    let (outcome, told) = server.upstream.call("write", &["text=a"]);
    assert_eq!(outcome, "unknown_outcome", "{told}");
}

#[test]
fn m14_an_answer_of_a_gateway_says_nothing_of_what_the_server_did() {
    let server = Listening::plain("gateway");
    for (tool, expected) in [("echo", "upstream_failed"), ("write", "unknown_outcome")] {
        let (outcome, told) = server.upstream.call(tool, &["text=a"]);
        assert!(
            outcome == expected && told.contains("it answered 504: Deadline exceeded"),
            "{tool}: {outcome}: {told}"
        );
    }
}

#[test]
fn m14_a_server_that_is_not_there_is_told() {
    let upstream = Upstream::of(&json!({"faulty": {"url": "http://127.0.0.1:1/mcp"}}));
    let (status, told) = upstream.refresh();
    assert!(status == "failed" && told.contains("it cannot be connected to"), "{told}");
    let upstream = Upstream::of(&json!({"faulty": {"url": "http://no-such-host.invalid/mcp"}}));
    assert_eq!(upstream.refresh().0, "failed");
}
