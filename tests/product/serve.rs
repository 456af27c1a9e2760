//! The HTTP API: durable jobs and short runs, as a service that uses it sees them.

mod faults;
mod hostile;
mod many;
mod pages;
mod room;
mod service;
mod shared;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::port::{ALICE, BOB, Reply, Server};
use crate::product::run_in;

/// The bytes that a request may have.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// A script that ends when somebody ends it.
const ENDLESS: &str = "while True: pass";

/// Where jobs are: in the state folder, or with `INTENTBOX_TEST_POSTGRES` in a database of the home's name (`tests/postgres/run`).
#[expect(clippy::disallowed_methods, reason = "the switch of these tests is in the environment")]
fn database(home: &Path) -> Vec<(&'static str, PathBuf)> {
    let Ok(server) = std::env::var("INTENTBOX_TEST_POSTGRES") else { return Vec::new() };
    let file = home.join("database");
    if !file.exists() {
        let name = home.file_name().expect("a name").to_string_lossy().replace('.', "x").to_lowercase();
        let made = Command::new("createdb").args(["--maintenance-db", &server, &name]).status();
        assert!(made.expect("the tools of PostgreSQL are on the path").success());
        std::fs::write(&file, server.replacen('?', &format!("/{name}?"), 1)).expect("written");
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
    }
    vec![("INTENTBOX_DATABASE", file)]
}

/// The same for commands.
fn environment(home: &Path) -> Vec<(&'static str, String)> {
    database(home).into_iter().map(|(name, file)| (name, file.to_string_lossy().into_owned())).collect()
}

fn spawn(home: &Path, arguments: &[&str]) -> Child {
    command(home, arguments).spawn().expect("the binary starts")
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--state", "state", "--require-hardening=false"]).args(arguments);
    command.current_dir(home).env_clear().env("HOME", home).envs(database(home));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// A server with a state of its own, which another can go on with.
fn start(arguments: &[&str]) -> Server {
    let home = tempfile::tempdir().expect("a folder");
    Server::of(spawn(home.path(), arguments), home)
}

/// A server with tokens for two.
fn start_with_tokens() -> Server {
    let home = tempfile::tempdir().expect("a folder");
    let tokens = home.path().join("tokens");
    std::fs::write(&tokens, format!("alice {ALICE}\nbob {BOB}\n")).expect("it can be written");
    std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
    Server::of(spawn(home.path(), &["--token-file", "tokens"]), home)
}

fn of(reply: &Reply) -> Value {
    let body = reply.body.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {reply:?}"))
}

fn send(server: &Server, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    server.raw(&server.line(line, headers, body))
}

fn get(server: &Server, path: &str) -> Value {
    of(&send(server, &format!("GET {path}"), &[], ""))
}

/// The id of a job that was accepted.
fn submit(server: &Server, request: &Value) -> String {
    let reply = send(server, "POST /v1/jobs", &[], &request.to_string());
    assert_eq!(reply.status, 202, "{reply:?}");
    let id = of(&reply)["id"].as_str().expect("an id").to_owned();
    assert_eq!(reply.header("location"), Some(format!("/v1/jobs/{id}").as_str()));
    id
}

/// A job once it has ended. One that does not end is a test that does not.
fn ended(server: &Server, id: &str) -> Value {
    loop {
        let job = get(server, &format!("/v1/jobs/{id}"));
        if !["scheduled", "ready", "running"].contains(&job["state"].as_str().expect("a state")) {
            return job;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_job_is_accepted_and_ends_with_its_report() {
    let server = start(&[]);
    let request =
        json!({"code": "result = params['a'] + 1", "input": {"a": 41}, "labels": {"team": "web"}, "priority": 3});
    let id = submit(&server, &request);
    let job = ended(&server, &id);
    assert_eq!(
        (&job["state"], &job["outcome"], &job["report"]["result"]),
        (&json!("finished"), &json!("ok"), &json!(42))
    );
    assert_eq!(
        (&job["request"], &job["attempt"], &job["labels"]),
        (&request, &json!(1), &json!({"team": "web"})),
        "{job}"
    );
    // An intent of the demo, and one that fails.
    let job = ended(&server, &submit(&server, &json!({"intent": "list errors", "params": {"limit": 2}})));
    assert_eq!(job["report"]["result"].as_array().map(Vec::len), Some(2), "{job}");
    let job = ended(&server, &submit(&server, &json!({"code": "1 / 0"})));
    assert_eq!((&job["state"], &job["outcome"]), (&json!("finished"), &json!("python_error")));
    let job = ended(&server, &submit(&server, &json!({"intent": "resolve issue WEB-1"})));
    assert_eq!(
        job["report"]["error"]["hint"], "add \"allow_writes\": true to the request to allow the change",
        "{job}"
    );
    let listed = get(&server, "/v1/jobs?label=team%3Dweb");
    assert_eq!((listed["jobs"].as_array().map(Vec::len), &listed["jobs"][0]["id"]), (Some(1), &json!(id)));
    let first = get(&server, "/v1/jobs?limit=3");
    let next = get(&server, &format!("/v1/jobs?limit=3&cursor={}", first["next"].as_str().expect("a cursor")));
    assert_eq!((next["jobs"].as_array().map(Vec::len), &next["next"]), (Some(1), &Value::Null), "{next}");
}

#[test]
fn a09_events_are_told_once_in_order_and_from_where_a_client_left() {
    let server = start(&[]);
    let id = submit(&server, &json!({"intent": "list errors"}));
    let told = |last: &[(&str, &str)]| {
        let body = send(&server, &format!("GET /v1/jobs/{id}/events"), last, "").body;
        let fields = |name: &str| -> Vec<String> {
            body.lines().filter_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned()).collect()
        };
        (fields("id:"), fields("event:"), fields("data:"))
    };
    let (ids, kinds, data) = told(&[]);
    assert_eq!(kinds, ["ready", "running", "call", "output", "finished"], "{data:?}");
    assert!(data[2].contains("\"kind\":\"http\"") && data[4].contains("\"outcome\":\"ok\""), "{data:?}");
    // What it printed, although it ended at once.
    assert!(data[3].contains("\"stream\":\"stderr\",\"from\":0,\"text\":\"4 of 36"), "{data:?}");
    let (again, ..) = told(&[("last-event-id", &ids[1])]);
    assert_eq!(again, ids[2..]);
    assert_eq!(told(&[("last-event-id", &ids[4])]).0, Vec::<String>::new());
    // The last one: there is no such event, and none of this job.
    for wrong in ["-1", "x", "99999999999999999999", "1000000"] {
        assert_eq!(send(&server, &format!("GET /v1/jobs/{id}/events"), &[("last-event-id", wrong)], "").status, 400);
    }
    assert_eq!(send(&server, "GET /v1/jobs/0/events", &[], "").status, 404);
}

#[test]
fn a06_the_same_key_and_request_are_one_job() {
    let server = start(&[]);
    let body = json!({"code": "1 + 1", "labels": {"a": "b"}}).to_string();
    let key = [("idempotency-key", "order-17")];
    let first = of(&send(&server, "POST /v1/jobs", &key, &body))["id"].clone();
    let other_form = "{\"labels\":{\"a\":\"b\"},   \"code\":\"1 + 1\"}";
    assert_eq!(of(&send(&server, "POST /v1/jobs", &key, other_form))["id"], first);
    let conflict = send(&server, "POST /v1/jobs", &key, &json!({"code": "2 + 2"}).to_string());
    assert_eq!((conflict.status, &of(&conflict)["type"]), (422, &json!("urn:intentbox:problem:idempotency_conflict")));
    let ids: BTreeSet<String> = std::thread::scope(|scope| {
        let asked = || of(&send(&server, "POST /v1/jobs", &[("idempotency-key", "at-once")], &body))["id"].to_string();
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(asked)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(ids.len(), 1);
    for key in ["", "order 17", "a\tb"] {
        assert_eq!(send(&server, "POST /v1/jobs", &[("idempotency-key", key)], &body).status, 400, "{key:?}");
    }
    let batch = |codes: &[u32]| {
        let jobs: Vec<Value> = codes.iter().map(|code| json!({"code": code.to_string()})).collect();
        send(&server, "POST /v1/batches", &[("idempotency-key", "r1")], &json!({"jobs": jobs}).to_string())
    };
    let ids =
        |reply: &Reply| of(reply)["jobs"].as_array().map(|jobs| jobs.iter().map(|job| job["id"].clone()).collect());
    let first: Option<Vec<Value>> = ids(&batch(&[1, 2, 3]));
    assert_eq!((ids(&batch(&[1, 2, 3])), first.is_some()), (first, true));
    let count = || of(&send(&server, "GET /v1/jobs?limit=100", &[], ""))["jobs"].as_array().map(Vec::len);
    let before = count();
    for other in [&[1][..], &[1, 2], &[1, 2, 3, 4], &[2, 1, 3], &[4, 5, 6]] {
        assert_eq!(batch(other).status, 422, "{other:?}");
    }
    assert_eq!(count(), before, "a batch that is rejected adds nothing");
}

#[test]
fn a08_what_is_wrong_is_a_problem_of_a_stable_type() {
    let server = start(&[]);
    let job = json!({"code": "1"}).to_string();
    let large = format!("{{\"code\":\"{}\"}}", "x".repeat(REQUEST_BYTES_MAX));
    let deep = format!("{{\"code\":\"1\",\"input\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let plain = [("content-type", "text/plain")];
    for (line, headers, body, status, kind) in [
        ("POST /v1/jobs", &[][..], "{", 422, "request_invalid"),
        ("POST /v1/jobs", &[], "{}", 422, "request_invalid"),
        ("POST /v1/jobs", &[], "{\"code\": \"1\", \"callback_url\": \"http://x\"}", 403, "callback_refused"),
        ("POST /v1/jobs", &[], large.as_str(), 413, "too_large"),
        ("POST /v1/jobs", &form, job.as_str(), 415, "media_type"),
        ("POST /v1/run", &plain, job.as_str(), 415, "media_type"),
        ("POST /v1/run", &[], "{\"code\": \"1\", \"delay_s\": 5}", 422, "request_invalid"),
        ("PUT /v1/jobs", &[], job.as_str(), 405, "method_not_allowed"),
        ("GET /v1/run", &[], "", 405, "method_not_allowed"),
        ("GET /v1/jobs/nothing", &[], "", 404, "not_found"),
        ("DELETE /v1/jobs/nothing", &[], "", 404, "not_found"),
        ("GET /v1/nothing", &[], "", 404, "not_found"),
        ("GET /v1/jobs?state=gone", &[], "", 400, "parameter_invalid"),
        ("GET /v1/jobs?limit=1000000000", &[], "", 400, "parameter_invalid"),
        ("GET /v1/jobs?cursor=1%27%20OR%201=1", &[], "", 400, "parameter_invalid"),
        ("GET /v1/jobs/..%2f..%2fetc%2fpasswd", &[], "", 404, "not_found"),
        ("GET /v1/jobs/%ff", &[], "", 400, "parameter_invalid"),
        ("POST /v1/jobs", &[], deep.as_str(), 422, "request_invalid"),
        ("POST /v1/run", &[], deep.as_str(), 422, "request_invalid"),
    ] {
        let reply = send(&server, line, headers, body);
        assert_eq!(reply.status, status, "{line}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{line}");
        let problem = of(&reply);
        assert_eq!(problem["type"], format!("urn:intentbox:problem:{kind}"), "{line}: {problem}");
        assert_eq!(problem["status"], status, "{line}");
    }
    let elsewhere = send(&server, "POST /v1/run", &[("origin", "https://evil.example")], &job);
    assert_eq!((elsewhere.status, &of(&elsewhere)["type"]), (403, &json!("urn:intentbox:problem:host_or_origin")));
    assert_eq!(
        of(&send(&server, "POST /v1/run", &[], &json!({"code": "40 + 2"}).to_string()))["result"],
        42,
        "it goes on"
    );
}

#[test]
fn a01_a_token_is_needed_and_shows_ones_own_jobs_alone() {
    let server = start_with_tokens();
    let (alice, bob) = (format!("Bearer {ALICE}"), format!("Bearer {BOB}"));
    let as_alice = [("authorization", alice.as_str())];
    let as_bob = [("authorization", bob.as_str())];
    let job = json!({"code": ENDLESS, "limits": {"wall_ms": 600_000, "fuel": 10_000_000_000_000_u64}}).to_string();
    let id = of(&send(&server, "POST /v1/jobs", &as_alice, &job))["id"].as_str().expect("an id").to_owned();
    for line in ["GET /v1/jobs", "POST /v1/jobs", "POST /v1/run", "GET /v1/templates", "GET /v1/tools", "GET /metrics"]
    {
        let reply = send(&server, line, &[], &job);
        assert_eq!((reply.status, &of(&reply)["type"]), (401, &json!("urn:intentbox:problem:unauthorized")), "{line}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    for (line, expected) in [
        (format!("GET /v1/jobs/{id}"), 404),
        (format!("GET /v1/jobs/{id}/events"), 404),
        (format!("DELETE /v1/jobs/{id}"), 404),
    ] {
        assert_eq!(send(&server, &line, &as_bob, "").status, expected, "{line}");
    }
    assert_eq!(of(&send(&server, "GET /v1/jobs", &as_bob, ""))["jobs"], json!([]));
    let cancelled = send(&server, &format!("DELETE /v1/jobs/{id}"), &as_alice, "");
    assert!([200, 202].contains(&cancelled.status), "{cancelled:?}");
    // A machine asks whether the server lives, and has no token.
    assert_eq!(send(&server, "GET /healthz", &[], "").status, 200);
    let ready = of(&send(&server, "GET /readyz", &[], ""));
    assert_eq!((&ready["status"], &ready["mode"]), (&json!("ready"), &json!("hybrid")), "{ready}");
    // MCP is at the same port, with the same tokens.
    assert_eq!(send(&server, "POST /mcp", &[], "{}").status, 401);
}

#[test]
fn a11_a_running_job_is_cancelled() {
    let server = start(&[]);
    let endless = json!({"code": ENDLESS, "limits": {"wall_ms": 600_000, "fuel": 10_000_000_000_000_u64}});
    let id = submit(&server, &endless);
    while get(&server, &format!("/v1/jobs/{id}"))["state"] != "running" {
        std::thread::yield_now();
    }
    let reply = send(&server, &format!("DELETE /v1/jobs/{id}"), &[], "");
    assert_eq!((reply.status, &of(&reply)["cancelling"]), (202, &json!(true)), "{reply:?}");
    let job = ended(&server, &id);
    assert_eq!((&job["state"], &job["outcome"]), (&json!("cancelled"), &json!("cancelled")), "{job}");
    let again = send(&server, &format!("DELETE /v1/jobs/{id}"), &[], "");
    assert_eq!((again.status, &of(&again)["state"]), (200, &json!("cancelled")));
    let later = submit(&server, &json!({"code": "1", "delay_s": 3600}));
    assert_eq!(get(&server, &format!("/v1/jobs/{later}"))["state"], "scheduled");
    assert_eq!(of(&send(&server, &format!("DELETE /v1/jobs/{later}"), &[], ""))["state"], "cancelled");
}

#[test]
fn d01_what_was_accepted_ends_once_although_the_server_is_killed() {
    let home: TempDir = tempfile::tempdir().expect("a folder");
    let mut accepted = Vec::new();
    for round in 0..4 {
        let child = spawn(home.path(), &["--slots", "4"]);
        // The folder stays for the next one.
        let mut server = Server::of(child, tempfile::tempdir().expect("another folder"));
        for number in 0..25 {
            // One may run at every kill.
            let job = json!({"code": format!("result = {round} * 100 + {number}"), "attempts": 10});
            accepted.push(submit(&server, &job));
        }
        server.child.kill().expect("it is ours");
        server.child.wait().expect("it ended");
    }
    let server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("another folder"));
    for (number, id) in accepted.iter().enumerate() {
        let job = ended(&server, id);
        let expected = number / 25 * 100 + number % 25;
        assert_eq!((&job["outcome"], &job["report"]["result"]), (&json!("ok"), &json!(expected)), "{job}");
        let events = send(&server, &format!("GET /v1/jobs/{id}/events"), &[], "").body;
        assert_eq!(events.matches("event: finished").count(), 1, "{events}");
    }
}

#[test]
fn d12_a_server_that_is_told_to_stop_gives_back_what_it_runs() {
    let home: TempDir = tempfile::tempdir().expect("a folder");
    let server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("another folder"));
    let quick = submit(&server, &json!({"code": "1 + 1"}));
    ended(&server, &quick);
    tell_to_stop(&server);
    let mut server = server;
    assert_eq!(server.child.wait().expect("it ended").code(), Some(0));
    let server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("another folder"));
    assert_eq!(get(&server, &format!("/v1/jobs/{quick}"))["report"]["result"], 2);
}

/// Tells a server to stop.
fn tell_to_stop(server: &Server) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(server.child.id()).expect("a number")).expect("not 0");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it is ours");
}

#[test]
fn a06_the_same_key_is_the_same_job_under_other_limits_too() {
    let home: TempDir = tempfile::tempdir().expect("a folder");
    let keyed = |server: &Server, path: &str, body: &Value, key: &str| {
        let reply = send(server, &format!("POST {path}"), &[("idempotency-key", key)], &body.to_string());
        (reply.status, of(&reply)["id"].clone(), of(&reply)["jobs"][0]["id"].clone())
    };
    let job = json!({"code": "1", "limits": {"wall_ms": 60_000}});
    let batch = json!({"jobs": [job]});
    let mut server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("another folder"));
    let accepted = [keyed(&server, "/v1/jobs", &job, "one"), keyed(&server, "/v1/batches", &batch, "all")];
    server.child.kill().expect("it is ours");
    server.child.wait().expect("it ended");
    let stricter = spawn(home.path(), &["--limit", "wall_ms=1000"]);
    let server = Server::of(stricter, tempfile::tempdir().expect("another folder"));
    let again = [keyed(&server, "/v1/jobs", &job, "one"), keyed(&server, "/v1/batches", &batch, "all")];
    assert_eq!(accepted, again);
    assert_eq!((accepted[0].0, accepted[1].0), (202, 202));
    let other = json!({"code": "2", "limits": {"wall_ms": 60_000}});
    for (path, body, key) in [
        ("/v1/jobs", &job, "new"),
        ("/v1/jobs", &other, "one"),
        ("/v1/batches", &batch, "new"),
        ("/v1/batches", &json!({"jobs": [other]}), "all"),
    ] {
        assert_eq!(keyed(&server, path, body, key).0, 422, "{path} {key}");
    }
}

#[test]
fn the_command_line_submits_to_a_server_of_the_same_folder() {
    let home: TempDir = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let jobs = |arguments: &[&str]| {
        run_in(home.path(), &[&["--state", "state", "--json", "jobs"], arguments].concat(), b"", &environment).report()
    };
    let waiting = jobs(&["submit", "list errors", "--param", "limit=1", "--label", "team=web", "--key", "k"]);
    let id = waiting["job"]["id"].as_str().expect("an id").to_owned();
    assert_eq!((&waiting["outcome"], &waiting["job"]["state"]), (&json!("ok"), &json!("ready")), "no server runs yet");
    assert_eq!(
        jobs(&["submit", "list errors", "--param", "limit=1", "--label", "team=web", "--key", "k"])["job"]["id"],
        id
    );
    let _server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("another folder"));
    let watched = jobs(&["watch", &id]);
    assert_eq!(
        (&watched["job"]["state"], &watched["report"]["outcome"]),
        (&json!("finished"), &json!("ok")),
        "{watched}"
    );
    let again = jobs(&["retry", &id]);
    assert_ne!(again["job"]["id"], id);
    std::fs::write(home.path().join("endless.py"), ENDLESS).expect("written");
    let endless = jobs(&["submit", "--code", "endless.py", "--delay", "1h"]);
    let cancelled = jobs(&["cancel", endless["job"]["id"].as_str().expect("an id")]);
    assert_eq!(cancelled["job"]["state"], "cancelled");
    let listed = jobs(&["list", "--label", "team=web"]);
    assert_eq!(listed["jobs"].as_array().map(Vec::len), Some(2), "{listed}");
    let cancelled = jobs(&["list", "cancelled"]);
    assert_eq!(cancelled["jobs"].as_array().map(Vec::len), Some(1), "{cancelled}");
    let hint = "run `intentbox jobs list --state state`; --principal names whose jobs are meant";
    assert_eq!(jobs(&["show", "nothing"])["error"]["hint"], hint);
    let shown = run_in(
        home.path(),
        &["--state", "state", "jobs", "submit", "list errors", "--param", "limit=1", "--watch"],
        b"",
        &environment,
    );
    assert!(
        shown.stderr.contains("  running  {\"attempt\":1}") && shown.stdout.contains("finished   ok  list errors"),
        "{shown:?}"
    );
    // Who waits for a job ends as it did.
    std::fs::write(home.path().join("wrong.py"), "1 / 0").expect("written");
    for (what, code, outcome) in [
        (&["--code", "wrong.py"][..], 1, "python_error"),
        (&["delete all errors at once"], 6, "not_found"),
        (&["list errors", "--param", "limit=1"], 0, "ok"),
    ] {
        let arguments = [&["--json", "--state", "state", "jobs", "submit", "--watch"], what].concat();
        let ended = run_in(home.path(), &arguments, b"", &environment);
        let told: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!(
            (ended.code, &told["outcome"], &told["job"]["outcome"]),
            (code, &json!(outcome), &json!(outcome)),
            "{ended:?}"
        );
    }
}

#[test]
fn the_command_line_asks_a_server_elsewhere() {
    let server = start_with_tokens();
    let home = tempfile::tempdir().expect("another machine");
    let url = format!("http://{}", server.address);
    let at = [("INTENTBOX_SERVER", url.as_str()), ("INTENTBOX_TOKEN", ALICE)];
    let run = |arguments: &[&str]| run_in(home.path(), &[&["jobs"], arguments].concat(), b"", &at);
    let jobs = |arguments: &[&str]| run_in(home.path(), &[&["--json", "jobs"], arguments].concat(), b"", &at).report();
    let watched = run(&["submit", "list errors", "--param", "limit=1", "--label", "team=web", "--watch"]);
    assert_eq!(watched.code, 0, "{watched:?}");
    for part in ["  running  {\"attempt\":1}", "  call  {\"kind\":\"http\"", "  finished  {"] {
        assert!(watched.stderr.contains(part), "{watched:?}");
    }
    assert!(watched.stdout.contains("finished   ok  list errors"), "{watched:?}");
    std::fs::write(home.path().join("prints.py"), "print('a\\x1b[2Jb')\nresult = 7").expect("written");
    let printed = jobs(&["submit", "--code", "prints.py", "--watch"]);
    assert_eq!((&printed["outcome"], &printed["report"]["result"]), (&json!("ok"), &json!(7)), "{printed}");
    let id = printed["job"]["id"].as_str().expect("an id");
    assert_eq!(jobs(&["logs", id])["stdout"], "a\u{1b}[2Jb\n");
    assert_eq!(run(&["logs", id]).stdout, "a\\u{1b}[2Jb\n");
    let again = jobs(&["retry", id])["job"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(jobs(&["watch", &again])["report"]["result"], 7);
    // What is printed last stands before the end, although the report alone holds it.
    let watched = run(&["watch", &again]).stderr;
    let (at_output, at_end) = (watched.find("  stdout  a"), watched.find("  finished  "));
    assert!(at_output.is_some() && at_output < at_end, "{watched}");
    let later = jobs(&["submit", "--code", "prints.py", "--delay", "1h", "--key", "k"])["job"]["id"].clone();
    assert_eq!(jobs(&["submit", "--code", "prints.py", "--delay", "1h", "--key", "k"])["job"]["id"], later);
    let cancelled = jobs(&["cancel", later.as_str().expect("an id")]);
    assert_eq!(cancelled["job"]["state"], "cancelled");
    let listed = jobs(&["list", "--label", "team=web"]);
    assert_eq!(listed["jobs"].as_array().map(Vec::len), Some(1), "{listed}");
    let cancelled = jobs(&["list", "cancelled"])["jobs"][0].clone();
    // A server tells what jobs ask for as well, which is in their lines.
    assert_eq!((&cancelled["id"], cancelled["asks"].as_str()), (&later, Some("print('a\\x1b[2Jb')")), "{cancelled}");
    assert!(run(&["list", "cancelled"]).stdout.contains("  print('a"));
    let missing = run_in(home.path(), &["--json", "jobs", "show", "nothing"], b"", &at);
    assert_eq!((missing.code, &missing.report()["error"]["message"]), (6, &json!("there is no job nothing")));
    assert_eq!(missing.report()["outcome"], "target_not_found");
    let script = run(&["submit", "prints.py"]);
    assert!(script.code == 2 && script.stderr.contains("run a script with `--code prints.py`"), "{script:?}");
    let late = run(&["submit", "list errors", "--delay", "31d"]);
    assert!(late.code == 2 && late.stderr.contains("--delay 31d is too long"), "{late:?}");
    let other = jobs(&["submit", "--code", "prints.py", "--key", "k"]);
    assert_eq!(other["outcome"], "usage", "{other}");
    assert!(!home.path().join(".local").exists(), "nothing is kept here");
    // Who may not ask, and a server that is none.
    let stranger = [("INTENTBOX_SERVER", url.as_str())];
    let refused = run_in(home.path(), &["--json", "jobs", "list"], b"", &stranger);
    assert_eq!((refused.code, &refused.report()["outcome"]), (2, &json!("configuration")), "{refused:?}");
    let nobody = run(&["list", "--server", "http://127.0.0.1:1"]);
    assert!(nobody.code == 7 && nobody.stderr.contains("http://127.0.0.1:1 was not reached: "), "{nobody:?}");
    let unsent = run(&["submit", "list errors", "--server", "http://127.0.0.1:1"]);
    let hint = "nothing was sent: is `intentbox serve` running there?";
    assert!(unsent.code == 7 && unsent.stderr.contains(hint), "{unsent:?}");
    let twice = run(&["submit", "list errors", "--label", "a=1", "--label", "a=2"]);
    assert!(twice.code == 2 && twice.stderr.contains("a is given twice among the labels"), "{twice:?}");
    assert_eq!(run(&["list", "--server", "ftp://x"]).code, 2);
    // A flag that is about jobs kept here is not sent elsewhere, nor a token that is for a server kept from one.
    let here = run(&["list", "--principal", "ci", "--state", "state"]);
    assert_eq!((here.code, here.stderr.as_str()), (0, "no job was submitted in state\n"));
    let nowhere = run_in(home.path(), &["jobs", "list", "--token-file", "token"], b"", &[]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("name it with --server"), "{nowhere:?}");
}

/// The same lines whether schedules are kept here or by a server.
#[test]
fn schedules_are_added_listed_shown_and_removed_here_and_elsewhere() {
    let (server, home) = (start_with_tokens(), tempfile::tempdir().expect("another machine"));
    let url = format!("http://{}", server.address);
    let elsewhere = [("INTENTBOX_SERVER", url.as_str()), ("INTENTBOX_TOKEN", ALICE)];
    let own = environment(home.path());
    let here: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for place in [&here[..], &elsewhere] {
        let run = |arguments: &[&str]| run_in(home.path(), &[&["schedules"], arguments].concat(), b"", place);
        let object = |arguments: &[&str]| {
            run_in(home.path(), &[&["--json", "schedules"], arguments].concat(), b"", place).report()["schedule"]
                .clone()
        };
        let adding =
            ["add", "list errors", "--param", "limit=2", "--cron", "0 8 * * 1-5", "--timezone", "Europe/Berlin"];
        let added = object(&adding);
        let id = added["id"].as_str().unwrap_or_else(|| panic!("{added}"));
        let (kept, job) = (object(&["show", &id[..6]]), json!({"intent": "list errors", "params": {"limit": "2"}}));
        assert_eq!(kept, added);
        assert_eq!((&kept["job"], &kept["timezone"], &kept["submitted"]), (&job, &json!("Europe/Berlin"), &json!(0)));
        let line = format!(
            "{id}  0 8 * * 1-5    Europe/Berlin  next {}  list errors\n",
            kept["next_at"].as_str().expect("a time")
        );
        assert_eq!(run(&["list"]).stdout, line);
        assert_eq!(run(&["show", id]).stdout.lines().next().map(|first| format!("{first}\n")), Some(line.clone()));
        let removed = run(&["remove", id]);
        assert_eq!((removed.code, removed.stderr), (0, format!("schedule {id} is removed\n")));
        assert_eq!(run(&["list"]).stderr, "there are no schedules\n");
        for (arguments, code, part) in [
            (&["show", id][..], 6, "target_not_found: there is no schedule "),
            (&["remove", "abc"], 6, "give at least 4 digits of its id"),
            (&["add", "list errors", "--cron", "0 8 * *"], 2, "`cron`: write five fields"),
            (&["add", "list errors", "--cron", "*/60 * * * *"], 2, "a step such as `*/2` up to `*/59`"),
            (
                &["add", "list errors", "--cron", "0 8 * * *", "--timezone", "Mars"],
                2,
                "`timezone`: write UTC or a name",
            ),
        ] {
            let refused = run(arguments);
            assert!(refused.code == code && refused.stderr.contains(part), "{arguments:?}: {refused:?}");
        }
    }
    let empty = run_in(home.path(), &["--state", "none", "schedules", "list"], b"", &[]);
    assert_eq!((empty.code, empty.stderr.as_str()), (0, "there are no schedules in none\n"));
    assert!(!home.path().join("none").exists());
}

#[test]
fn a_job_that_this_server_would_refuse_to_run_is_refused_when_it_is_submitted() {
    let server = start(&["--limit", "wall_ms=5000"]);
    let long = format!("#{}", "x".repeat(1 << 20));
    for (request, field, part) in [
        (
            json!({"code": "1", "limits": {"wall_ms": 5_001}}),
            "limits",
            "the limit `wall_ms` is at most 5000 on this server",
        ),
        (json!({"intent": "list errors", "limits": {"wall_ms": 5_001}}), "limits", "is at most 5000 on this server"),
        (json!({"code": long}), "code", "script_bytes"),
        (
            json!({"code": "1", "input": "x".repeat(99), "limits": {"params_bytes": 100}}),
            "input",
            "the input has more than",
        ),
    ] {
        for (path, request) in [
            ("/v1/jobs", request.clone()),
            ("/v1/batches", json!({"jobs": [request]})),
            ("/v1/schedules", json!({"cron": "0 8 * * *", "job": request})),
        ] {
            let reply = send(&server, &format!("POST {path}"), &[], &request.to_string());
            let problem = of(&reply);
            // A schedule keeps less than the longest script.
            let is_said = |name: &str, part: &str| problem[name].as_str().is_some_and(|text| text.contains(part));
            let is_right =
                is_said("field", field) && is_said("detail", part) || is_said("detail", "a schedule keeps at most");
            assert!(reply.status == 422 && is_right, "{path}: {} {problem}", reply.status);
        }
    }
    let accepted = send(&server, "POST /v1/jobs", &[], &json!({"code": "1", "limits": {"wall_ms": 5_000}}).to_string());
    assert_eq!(accepted.status, 202);
}

#[test]
fn asking_about_jobs_makes_no_file() {
    let home = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| run_in(home.path(), &[&["--state", "state", "jobs"], arguments].concat(), b"", &[]);
    let listed = run(&["list"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, "no job was submitted in state\n"));
    assert_eq!(run(&["show", "a"]).code, 6);
    assert!(!home.path().join("state").exists());
}

#[test]
fn the_command_line_sees_the_jobs_of_a_principal() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let jobs = |arguments: &[&str]| {
        run_in(home.path(), &[&["--state", "state", "--json", "jobs"], arguments].concat(), b"", &environment).report()
    };
    std::fs::write(home.path().join("one.py"), "1").expect("written");
    let id = jobs(&["submit", "--code", "one.py", "--principal", "ci"])["job"]["id"].clone();
    assert_eq!(jobs(&["list", "--principal", "ci"])["jobs"][0]["id"], id);
    assert_eq!(jobs(&["list"])["jobs"], json!([]));
}

#[test]
fn two_servers_share_the_jobs_of_one_folder() {
    let home: TempDir = tempfile::tempdir().expect("a folder");
    let servers = [(); 2].map(|()| Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("a folder")));
    let ids: Vec<String> =
        (0..40).map(|number| submit(&servers[number % 2], &json!({"code": format!("result = {number}")}))).collect();
    for (number, id) in ids.iter().enumerate() {
        // Each is told by the other one.
        let job = ended(&servers[(number + 1) % 2], id);
        assert_eq!((&job["report"]["result"], &job["attempt"]), (&json!(number), &json!(1)), "{job}");
    }
}

#[test]
fn every_path_of_the_document_answers_and_no_answer_is_a_fault_of_the_server() {
    let server = start(&[]);
    let document = send(&server, "GET /openapi.json", &[], "").body;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let id = submit(&server, &json!({"code": "1"}));
    ended(&server, &id);
    let paths = document["paths"].as_object().expect("paths");
    // A stream without an end: `discoveries_are_told_to_who_did_not_ask_for_them` reads it.
    for (path, methods) in paths.iter().filter(|(path, _)| *path != "/v1/tools/events") {
        for (method, operation) in methods.as_object().expect("methods") {
            let line = format!("{} {}", method.to_uppercase(), path.replace("{id}", &id));
            let reply = send(&server, &line, &[], "{\"code\": \"1\"}");
            let declared = operation["responses"].as_object().expect("responses");
            assert!(reply.status < 500 && declared.contains_key(&reply.status.to_string()), "{line}: {reply:?}");
            assert!(declared.contains_key("503") || path == "/healthz", "{line}");
        }
    }
    let metrics = send(&server, "GET /metrics", &[], "").body;
    for line in ["intentbox_jobs{state=\"finished\"} ", "intentbox_runs_total{path=\"code\",outcome=\"ok\"} "] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

#[test]
fn what_is_here_is_told() {
    let server = start(&[]);
    let templates = get(&server, "/v1/templates");
    let listed = templates["templates"].as_array().expect("a list");
    assert!(listed.iter().any(|row| row["id"] == "sentry/list_errors" && row["usable"] == true), "{templates}");
    assert_eq!(get(&server, "/v1/tools"), json!({"servers": [], "tools": []}));
    let report = of(&send(&server, "POST /v1/run", &[], &json!({"intent": "how many errors"}).to_string()));
    assert_eq!(report["outcome"], "ok", "{report}");
    let report = of(&send(&server, "POST /v1/run", &[], &json!({"intent": "bake bread"}).to_string()));
    assert_eq!((&report["outcome"], &report["route"]["mode"]), (&json!("not_found"), &json!("hybrid")), "{report}");
}
