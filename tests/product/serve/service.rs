//! What a service needs beside jobs: batches, callbacks, schedules, tokens, rates, and servers with roles.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use super::*;
use crate::mcp::client::{PATIENCE, STATELESS};
use crate::mcp::port::stateless;

const JSON: (&str, &str) = ("content-type", "application/json");

fn post(server: &Server, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    send(server, &format!("POST {path}"), headers, &body.to_string())
}

/// The last part of a problem's type.
fn problem(reply: &Reply) -> String {
    of(reply)["type"].as_str().expect("a type").rsplit(':').next().expect("a part").to_owned()
}

#[test]
fn a_batch_is_accepted_whole_or_refused_with_the_place_of_its_fault() {
    let server = start(&["--waiting", "3"]);
    let later = json!({"code": "1", "delay_s": 3600});
    let accepted = post(&server, "/v1/batches", &[("idempotency-key", "k")], &json!({"jobs": [later, later]}));
    assert_eq!(accepted.status, 202, "{accepted:?}");
    let again = post(&server, "/v1/batches", &[("idempotency-key", "k")], &json!({"jobs": [later, later]}));
    let ids = |reply: &Reply| {
        of(reply)["jobs"].as_array().map(|jobs| jobs.iter().map(|job| job["id"].clone()).collect::<Vec<_>>())
    };
    assert_eq!((ids(&again), ids(&accepted).map(|ids| ids.len())), (ids(&accepted), Some(2)));
    let full = post(&server, "/v1/batches", &[], &json!({"jobs": [later, later]}));
    assert_eq!((full.status, problem(&full).as_str()), (429, "queue_full"));
    assert_eq!(get(&server, "/v1/jobs")["jobs"].as_array().map(Vec::len), Some(2), "none of them was accepted");
    for (body, field) in [
        (json!({"jobs": []}), "jobs"),
        (json!({"jobs": [{"code": "1"}, {"code": "1", "priority": 1000}]}), "jobs[1].priority"),
        (json!({"jobs": [{"code": "1"}, 7]}), "jobs[1]"),
        (json!({"jobs": vec![json!({"code": "1"}); 501]}), "jobs"),
    ] {
        let refused = post(&server, "/v1/batches", &[], &body);
        assert_eq!((refused.status, &of(&refused)["field"]), (422, &json!(field)), "{refused:?}");
    }
}

/// A folder whose configuration has the origin `hooks`, with this policy, and the listener behind it.
fn hooks(policy: &str) -> (TempDir, TcpListener) {
    let home = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("an address");
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    let origin = "private_addresses = [\"127.0.0.1\"]";
    write("config.toml", &format!("[origins.hooks]\nbase_url = \"http://{address}\"\n{origin}\n"));
    write("policy.toml", policy);
    (home, listener)
}

/// Takes one request: its head, and its body.
fn receive(listener: &TcpListener) -> (String, Vec<u8>) {
    let (mut stream, _) = listener.accept().expect("somebody calls");
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).expect("it sends");
        bytes.extend_from_slice(&part[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.trim().parse().expect("a number"));
        if bytes.len() >= end + 4 + length {
            stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").expect("it reads");
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            return (head, bytes[end + 4..].to_vec());
        }
    }
}

#[test]
fn the_end_of_a_job_is_told_with_a_signature_where_the_policy_allows_it() {
    let (home, listener) = hooks("[callbacks]\nhttp = [\"hooks: POST /in/**\"]\n");
    let server = Server::of(spawn(home.path(), &["--config", "config.toml"]), tempfile::tempdir().expect("a folder"));
    for url in ["hooks:/out", "https://example.com/", "http://169.254.169.254/", "hooks:/in/../out", "x"] {
        let refused = post(&server, "/v1/jobs", &[], &json!({"code": "1", "callback_url": url}));
        assert_eq!((refused.status, problem(&refused).as_str()), (403, "callback_refused"), "{url}: {refused:?}");
    }
    let id = submit(&server, &json!({"code": "result = 6 * 7", "callback_url": "hooks:/in/a", "labels": {"a": "b"}}));
    let (head, body) = receive(&listener);
    assert!(head.starts_with("POST /in/a HTTP/1.1"), "{head}");
    let told: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(
        (&told["type"], &told["data"]["id"], &told["data"]["report"]["result"], &told["data"]["labels"]),
        (&json!("job.finished"), &json!(id), &json!(42), &json!({"a": "b"}))
    );
    // As a receiver checks it, by the specification.
    let header = |name: &str| {
        let found =
            head.lines().filter_map(|line| line.split_once(": ")).find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.expect("a header").1.to_owned()
    };
    let key = get(&server, "/v1/callback-key")["key"].as_str().expect("a key").to_owned();
    let mut secret = Vec::new();
    STANDARD.decode_vec(key.strip_prefix("whsec_").expect("a key"), &mut secret).expect("Base64");
    let mut signed = format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).into_bytes();
    signed.extend_from_slice(&body);
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), &signed);
    assert_eq!(header("webhook-signature"), format!("v1,{}", STANDARD.encode(signature)));
    assert_eq!(header("webhook-id"), format!("msg_{id}"));
    // What was told is seen with the job.
    loop {
        let callback = get(&server, &format!("/v1/jobs/{id}"))["callback"].clone();
        if callback["state"] == "delivered" {
            assert_eq!(callback, json!({"url": "hooks:/in/a", "state": "delivered", "attempts": 1}));
            break;
        }
        std::thread::yield_now();
    }
}

#[test]
fn schedules_are_kept_shown_and_removed() {
    let server = start(&[]);
    let request = json!({"cron": "0 8 * * 1-5", "timezone": "UTC", "job": {"intent": "list errors"}});
    let added = post(&server, "/v1/schedules", &[], &request);
    assert_eq!(added.status, 201, "{added:?}");
    let id = of(&added)["id"].as_str().expect("an id").to_owned();
    assert_eq!(added.header("location"), Some(format!("/v1/schedules/{id}").as_str()));
    let kept = get(&server, &format!("/v1/schedules/{id}"));
    assert_eq!((&kept["job"], &kept["submitted"]), (&json!({"intent": "list errors"}), &json!(0)));
    assert!(kept["next_at"].as_str().is_some_and(|next| next.ends_with("T08:00:00Z")), "{kept}");
    assert_eq!(get(&server, "/v1/schedules")["schedules"].as_array().map(Vec::len), Some(1));
    for (body, field) in [
        (json!({"cron": "* * *", "job": {"code": "1"}}), json!("cron")),
        (json!({"cron": "* * * * *", "timezone": "Nowhere", "job": {"code": "1"}}), json!("timezone")),
        (json!({"cron": "* * * * *", "job": {"code": "1", "ttl_s": 0}}), json!("job.ttl_s")),
        (json!({"cron": "* * * * *"}), Value::Null),
    ] {
        let refused = post(&server, "/v1/schedules", &[], &body);
        assert_eq!((refused.status, &of(&refused)["field"]), (422, &field), "{refused:?}");
    }
    assert_eq!(send(&server, &format!("DELETE /v1/schedules/{id}"), &[], "").status, 204);
    assert_eq!(send(&server, &format!("DELETE /v1/schedules/{id}"), &[], "").status, 404);
}

#[test]
fn a_token_is_for_its_scopes_until_it_is_revoked() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let token = |arguments: &[&str]| {
        run_in(home.path(), &[&["--state", "state", "--json", "token"], arguments].concat(), b"", &environment).report()
    };
    let server = Server::of(spawn(home.path(), &[]), tempfile::tempdir().expect("a folder"));
    assert_eq!(send(&server, "GET /v1/jobs", &[], "").status, 200, "no token was made yet");
    let made = token(&["create", "alice"]);
    let (alice, id) = (made["token"].as_str().expect("a token").to_owned(), made["id"].as_str().expect("an id"));
    let reader = token(&["create", "carol", "--scope", "read"]);
    let reader = format!("Bearer {}", reader["token"].as_str().expect("a token"));
    let alice = format!("Bearer {alice}");
    // The server reads them every other second.
    while send(&server, "GET /v1/jobs", &[], "").status != 401 {
        std::thread::yield_now();
    }
    let status =
        |line: &str, token: &str, body: &str| send(&server, line, &[("authorization", token), JSON], body).status;
    assert_eq!(status("POST /v1/run", &alice, "{\"code\": \"1\"}"), 200);
    assert_eq!((status("GET /v1/jobs", &reader, ""), status("GET /metrics", &reader, "")), (200, 403));
    let refused = send(&server, "POST /v1/run", &[("authorization", &reader), JSON], "{\"code\": \"1\"}");
    assert_eq!((refused.status, problem(&refused).as_str()), (403, "scope"));
    assert!(of(&refused)["detail"].as_str().is_some_and(|detail| detail.contains("`run`")), "{refused:?}");
    assert_eq!(status("POST /mcp", &reader, "{}"), 403);
    let waiting = post(&server, "/v1/jobs", &[("authorization", &alice)], &json!({"code": "1", "delay_s": 3600}));
    let followed = format!("GET /v1/jobs/{}/events", of(&waiting)["id"].as_str().expect("an id"));
    let revoked = std::thread::scope(|scope| {
        // Its answer ends with the token, hours before the job.
        let stream = scope.spawn(|| send(&server, &followed, &[("authorization", &alice)], "").body);
        let revoked = token(&["revoke", id]);
        assert!(stream.join().expect("no panic").contains("event: scheduled"));
        revoked
    });
    assert_eq!(revoked["outcome"], "ok");
    while status("GET /v1/jobs", &alice, "") != 401 {
        std::thread::yield_now();
    }
    let listed = token(&["list"]);
    let shown = listed["tokens"].as_array().expect("tokens");
    assert_eq!((shown.len(), &shown[0]["name"], &shown[1]["scopes"]), (2, &json!("alice"), &json!("read")));
    assert!(shown[0]["revoked_at"].is_string() && !listed.to_string().contains("ibx_"), "{listed}");
    // With a database, nothing is kept in the folder.
    let state = std::fs::read_dir(home.path().join("state"));
    assert_eq!(state.is_ok(), environment.is_empty());
    let kept: Vec<u8> = state
        .into_iter()
        .flatten()
        .flat_map(|entry| std::fs::read(entry.expect("an entry").path()).unwrap_or_default())
        .collect();
    let secret = alice.strip_prefix("Bearer ibx_").expect("a token");
    assert!(!kept.windows(secret.len()).any(|window| window == secret.as_bytes()), "only its digest is kept");
    assert_eq!(token(&["revoke", "nothing"])["error"]["hint"], "run `intentbox token list --state state`");
}

#[test]
fn who_sends_too_many_requests_is_told_when_to_come_back() {
    let server = start(&["--rate", "3"]);
    let replies: Vec<Reply> = (0..30).map(|_| send(&server, "GET /v1/jobs", &[], "")).collect();
    let refused: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 429).collect();
    assert!(!refused.is_empty() && replies[0].status == 200);
    assert_eq!((problem(refused[0]).as_str(), refused[0].header("retry-after")), ("rate", Some("1")));
    assert_eq!(send(&server, "GET /healthz", &[], "").status, 200, "health has no rate");
}

#[test]
fn one_server_accepts_jobs_and_another_runs_them() {
    let home = tempfile::tempdir().expect("a folder");
    let roles = ["api", "worker"];
    let [api, worker] =
        roles.map(|role| Server::of(spawn(home.path(), &["--role", role]), tempfile::tempdir().expect("a folder")));
    let id = submit(&api, &json!({"code": "result = 42"}));
    assert_eq!(ended(&api, &id)["report"]["result"], 42);
    assert_eq!(send(&worker, "GET /readyz", &[], "").status, 200);
    assert_eq!(send(&worker, "GET /metrics", &[], "").status, 200);
    for line in ["GET /v1/jobs", "POST /v1/run", "POST /mcp"] {
        let reply = send(&worker, line, &[], "{}");
        assert_eq!(reply.status, 404, "{line}");
        assert!(
            of(&reply)["detail"].as_str().is_some_and(|detail| detail.contains("this server runs jobs")),
            "{reply:?}"
        );
    }
}

/// A server with two upstream servers: one that works, whose tools that read code may call, and one that does not start.
#[expect(clippy::disallowed_methods, reason = "servers are looked up in the PATH of the tests")]
pub(super) fn with_upstream_servers(home: &Path) -> Server {
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).expect("written");
    let program = crate::tree::root().join("tests/upstream/faulty.py");
    let faulty = |fault: &str| json!({"command": "python3", "args": [program, fault]});
    write("servers.json", &json!({"mcpServers": {"good": faulty("none"), "bad": faulty("crash-loop")}}).to_string());
    write("config.toml", "");
    write("policy.toml", "[exec]\ntools = [\"good: read-only\", \"good: echo\"]\n");
    let mut command = command(home, &["--servers", "servers.json", "--config", "config.toml"]);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    Server::of(command.spawn().expect("the binary starts"), tempfile::tempdir().expect("a folder"))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the client of this test opens a connection")]
fn what_a_script_prints_is_told_while_it_runs() {
    let server = start(&[]);
    let code = "import sys\nprint('begun: ü')\nprint('oh', file=sys.stderr)\nwhile True: pass";
    let endless = json!({"code": code, "limits": {"wall_ms": 600_000, "fuel": 10_000_000_000_000_u64}});
    let id = submit(&server, &endless);
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    stream.write_all(&server.line(&format!("GET /v1/jobs/{id}/events"), &[], "")).expect("it reads");
    let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let data = lines.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let mut told: Vec<Value> = data.filter(|data| data["stream"].is_string()).take(2).collect();
    for data in &mut told {
        assert!(data["at"].take().is_string());
    }
    assert_eq!(
        told,
        [
            json!({"at": null, "stream": "stdout", "from": 0, "text": "begun: ü\n"}),
            json!({"at": null, "stream": "stderr", "from": 0, "text": "oh\n"}),
        ]
    );
    // The page of the job shows the same, and its timeline only what else happened.
    let page = send(&server, &format!("GET /ui/jobs/{id}"), &[], "").body;
    assert!(page.contains(">begun: ü\n</pre>") && page.contains(">oh\n</pre>"), "{page}");
    assert!(!page.contains("state output"), "{page}");
    assert_eq!(send(&server, &format!("DELETE /v1/jobs/{id}"), &[], "").status, 202);
    assert_eq!(ended(&server, &id)["state"], "cancelled");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the client of this test opens a connection")]
fn discoveries_are_told_to_who_did_not_ask_for_them() {
    let home = tempfile::tempdir().expect("a folder");
    let server = with_upstream_servers(home.path());
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    stream.write_all(&server.line("GET /v1/tools/events", &[], "")).expect("it reads");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    assert!(head.iter().any(|line| line == "content-type: text/event-stream"), "{head:?}");
    // The server is discovered before this call of its tool. Nobody asked for that.
    let call = json!({"code": "import tools\nresult = tools.good.echo(text='hello')"});
    let called = ended(&server, &submit(&server, &call));
    assert_eq!(called["report"]["outcome"], "ok", "{called}");
    send(&server, "POST /v1/tools/bad/refresh", &[], "");
    let mut told = Vec::new();
    for line in lines {
        if let Some(kind) = line.strip_prefix("event: ") {
            told.push((kind.to_owned(), Value::Null));
        } else if let Some(data) = line.strip_prefix("data: ") {
            told.last_mut().expect("an event").1 = serde_json::from_str(data).expect("JSON");
        }
        if matches!(told.last(), Some((kind, data)) if kind == "failing" && data["server"] == "bad") {
            break;
        }
    }
    let of = |server: &str| -> Vec<&str> {
        told.iter().filter(|(_, data)| data["server"] == server).map(|(kind, _)| kind.as_str()).collect()
    };
    assert_eq!((of("good").first(), of("good").last()), (Some(&"starting"), Some(&"complete")), "{told:?}");
    let complete = told.iter().find(|(kind, _)| kind == "complete").expect("it is complete");
    assert!(complete.1["tools"].as_u64() > Some(1), "{complete:?}");
    assert_eq!(of("bad").first(), Some(&"starting"), "{told:?}");
}

#[test]
fn tools_are_listed_anew_and_told_with_what_the_policy_says() {
    let home = tempfile::tempdir().expect("a folder");
    let server = with_upstream_servers(home.path());
    assert_eq!(get(&server, "/v1/tools")["servers"][0]["status"], "never");
    let told = |name: &str| {
        let reply = send(&server, &format!("POST /v1/tools/{name}/refresh"), &[], "");
        assert_eq!(reply.status, 200, "{reply:?}");
        let events = reply.body.lines().filter_map(|line| line.strip_prefix("event: ").map(str::to_owned));
        events.collect::<Vec<_>>()
    };
    let steps = told("good");
    assert!(
        steps.contains(&"connecting".to_owned()) && steps.last().is_some_and(|last| last == "success"),
        "{steps:?}"
    );
    assert_eq!(told("bad").last().map(String::as_str), Some("failed"));
    let listed = get(&server, "/v1/tools");
    let row = |name: &str| {
        let rows = listed["tools"].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {listed}")).clone()
    };
    let (echo, write) = (row("echo"), row("write"));
    assert_eq!(
        (&echo["policy"], &echo["type"], &echo["status"]),
        (&json!("permitted"), &json!("reads"), &json!("success"))
    );
    assert_eq!((&write["policy"], &write["source"]), (&json!("refused"), &json!("good")));
    assert_eq!(listed["servers"][0]["status"], "failed", "{listed}");
    let plain =
        format!("POST /v1/tools/good/refresh HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address);
    let begun = server.raw(plain.as_bytes());
    assert_eq!((begun.status, &of(&begun)["status"]), (202, &json!("discovering")));
    assert_eq!(send(&server, "POST /v1/tools/none/refresh", &[], "").status, 404);
}

#[test]
fn n06_each_refresh_that_is_accepted_has_its_turn() {
    let home = tempfile::tempdir().expect("a folder");
    let program = crate::tree::root().join("tests/upstream/faulty.py");
    let names = ["a", "b", "c", "d", "e"];
    let entries = names.map(|name| (name.to_owned(), json!({"command": "python3", "args": [program, "none"]})));
    let servers = json!({"mcpServers": Value::Object(entries.into_iter().collect())});
    std::fs::write(home.path().join("servers.json"), servers.to_string()).expect("written");
    std::fs::write(home.path().join("config.toml"), "").expect("written");
    std::fs::write(home.path().join("policy.toml"), "[exec]\ntools = [\"a: read-only\"]\n").expect("written");
    let mut command = command(home.path(), &["--servers", "servers.json", "--config", "config.toml"]);
    command.env("PATH", crate::upstream::search_path());
    let server = Server::of(command.spawn().expect("it starts"), tempfile::tempdir().expect("a folder"));
    // More than may go on at a time, and each twice.
    for name in names.into_iter().chain(names) {
        let host = server.address;
        let plain = format!("POST /v1/tools/{name}/refresh HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        assert_eq!(server.raw(plain.as_bytes()).status, 202, "{name}");
    }
    loop {
        let listed = get(&server, "/v1/tools");
        let rows = listed["servers"].as_array().expect("rows");
        if rows.len() == names.len() && rows.iter().all(|row| row["status"] == "success") {
            break;
        }
        std::thread::yield_now();
    }
}

/// The commands of the README's walk through the API.
fn walk() -> String {
    let readme =
        crate::tree::files("", &["md"]).into_iter().find(|file| file.path == "README.md").expect("there is one").text;
    let (_, walk) = readme.split_once("```sh walk\n").expect("it has a walk");
    walk.split_once("\n```").expect("it ends").0.to_owned()
}

#[test]
fn the_walk_of_the_readme_shows_what_it_says() {
    let server = start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let walk = walk().replace("http://127.0.0.1:8360", &format!("http://{}", server.address));
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", &walk]).current_dir(folder.path());
    let done = command.env("NO_PROXY", "*").output().expect("bash and curl are there");
    let (printed, faults) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{faults}\n{printed}");
    let (events, answers) = printed.split_once("event: finished").expect("the job ends");
    assert_eq!(events.matches("event: running").count(), 1, "{printed}");
    let (_, answers) = answers.split_once("\n\n").expect("the event ends");
    let answers: Vec<Value> =
        serde_json::Deserializer::from_str(answers).into_iter().collect::<Result<_, _>>().expect("documents of JSON");
    let [job, first, again, batch, listed, cancelled, schedule, run] = answers.as_slice() else {
        panic!("{answers:#?}");
    };
    assert_eq!(job["report"]["result"].as_array().map(Vec::len), Some(2), "{job}");
    assert_eq!(first["id"], again["id"]);
    assert_eq!(batch["jobs"].as_array().map(Vec::len), Some(2), "{batch}");
    assert_eq!(listed["jobs"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!((&schedule["cron"], &schedule["timezone"]), (&json!("0 8 * * 1-5"), &json!("Europe/Prague")));
    assert_eq!(run["result"], 2);
}

#[test]
fn a_trace_goes_on_from_a_job_to_its_requests_its_callback_and_the_log() {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (home, listener) = hooks("[exec]\nhttp = [\"hooks: GET /**\"]\n[callbacks]\nhttp = [\"hooks: POST /**\"]\n");
    let child = spawn(home.path(), &["--config", "config.toml", "--log", "info"]);
    let (server, mut log) = Server::with_log(child, tempfile::tempdir().expect("a folder"));
    let request = json!({"code": "http.get('hooks:/page?secret=1')", "callback_url": "hooks:/end"});
    let headers = [("traceparent", PARENT), ("tracestate", "vendor=1")];
    assert_eq!(post(&server, "/v1/jobs", &headers, &request).status, 202);
    let (get, _) = receive(&listener);
    let (told, body) = receive(&listener);
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let run_id = body["data"]["report"]["run_id"].as_str().expect("an id").to_owned();
    let lines = |head: &str| -> Vec<String> {
        head.lines().filter(|line| line.starts_with("trace")).map(str::to_owned).collect()
    };
    let child_of = |span: &str| {
        vec![format!("traceparent: 00-0af7651916cd43dd8448eb211c80319c-{span}-01"), "tracestate: vendor=1".to_owned()]
    };
    assert_eq!(lines(&get), child_of(&run_id[16..]));
    assert_eq!(lines(&told), child_of("b7ad6b7169203331"));
    let audit = log.find_map(|line| line.ok().filter(|line| line.contains("host call"))).expect("a line for each call");
    for part in [
        &format!("run={run_id}"),
        "principal=\"local\"",
        "trace=\"0af7651916cd43dd8448eb211c80319c\"",
        "kind=\"http\" target=\"GET hooks:/page\" outcome=\"204\"",
    ] {
        assert!(audit.contains(part), "{part}: {audit}");
    }
    // The same over MCP: by the header, and by `_meta`, which goes before it.
    let call = json!({"name": "execute_code", "arguments": {"code": "http.get('hooks:/page')"}});
    let (name, plain) = stateless("tools/call", call);
    let other = PARENT.replace("0af7", "1bf8");
    let with_meta = plain.replacen("\"_meta\":{", &format!("\"_meta\":{{\"traceparent\":\"{other}\","), 1);
    for (body, trace) in [(plain, "0af7651916cd43dd"), (with_meta, "1bf8651916cd43dd")] {
        let headers = [
            ("mcp-protocol-version", STATELESS),
            ("mcp-method", "tools/call"),
            ("mcp-name", name.as_deref().expect("a name")),
            ("traceparent", PARENT),
        ];
        let asked = server.request(&headers, &body);
        std::thread::scope(|scope| {
            let answer = scope.spawn(|| server.raw(&asked));
            let told = lines(&receive(&listener).0);
            assert!(told[0].starts_with(&format!("traceparent: 00-{trace}")), "{told:?}");
            assert_eq!(answer.join().expect("it answers").status, 200);
        });
    }
    // What is no trace is none.
    let code = json!({"code": "http.get('hooks:/page')"}).to_string();
    let asked = server.line("POST /v1/run", &[("traceparent", "none"), JSON], &code);
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| server.raw(&asked));
        assert_eq!(lines(&receive(&listener).0), Vec::<String>::new());
        assert_eq!(answer.join().expect("it answers").status, 200);
    });
}

#[test]
fn a_run_that_the_end_of_a_server_cuts_off_is_answered() {
    let (home, listener) = hooks("[exec]\nhttp = [\"hooks: GET /**\"]\n");
    let child = spawn(home.path(), &["--config", "config.toml"]);
    let mut server = Server::of(child, tempfile::tempdir().expect("a folder"));
    let limits = json!({"wall_ms": 600_000, "fuel": 10_000_000_000_000_u64});
    let endless = json!({"code": "http.get('hooks:/begun')\nwhile True: pass", "limits": limits}).to_string();
    let reply = std::thread::scope(|scope| {
        let cut_off = scope.spawn(|| send(&server, "POST /v1/run", &[], &endless));
        receive(&listener);
        tell_to_stop(&server);
        cut_off.join().expect("no panic")
    });
    assert_eq!((reply.status, problem(&reply).as_str()), (503, "stopping"), "{reply:?}");
    assert_eq!(server.child.wait().expect("it ended").code(), Some(0));
}

#[test]
fn a_request_is_an_object_whose_limits_are_limits() {
    let server = start(&[]);
    let job = json!({"code": "1"});
    for (path, body, field) in [
        ("/v1/jobs", json!([]), ""),
        ("/v1/jobs", json!([null, null, null, "1+1"]), ""),
        ("/v1/batches", json!([[job]]), ""),
        ("/v1/batches", json!({"jobs": [[job]]}), "jobs[0]"),
        ("/v1/schedules", json!(["0 8 * * *", null, job]), ""),
        ("/v1/jobs", json!({"code": "1", "limits": {"nothing": 1}}), "limits"),
        ("/v1/jobs", json!({"code": "1", "limits": {"wall_ms": 600_001}}), "limits"),
        ("/v1/schedules", json!({"cron": "0 8 * * *", "job": {"code": "1", "limits": {"wall_ms": 1}}}), "job.limits"),
    ] {
        let refused = post(&server, path, &[], &body);
        assert_eq!(
            (refused.status, problem(&refused).as_str()),
            (422, "request_invalid"),
            "{path} {body}: {refused:?}"
        );
        assert_eq!(of(&refused)["field"].as_str().unwrap_or_default(), field, "{path} {body}: {refused:?}");
    }
    for headers in [
        [("content-type", "application/json; charset=utf-16"), ("accept", "*/*")],
        [("content-type", "application/json"), ("content-encoding", "gzip")],
    ] {
        assert_eq!(post(&server, "/v1/jobs", &headers, &job).status, 415, "{headers:?}");
    }
    let utf_8 = [("content-type", "application/json; charset=\"UTF-8\""), ("content-encoding", "identity")];
    assert_eq!(post(&server, "/v1/jobs", &utf_8, &job).status, 202);
    let schedule = json!({"cron": "0 8 * * *", "job": job});
    assert_eq!(post(&server, "/v1/schedules", &[("idempotency-key", "k")], &schedule).status, 400);
    let twice = send(&server, "GET /v1/jobs?state=ready&state=running", &[], "");
    assert_eq!(twice.status, 400, "{twice:?}");
}

#[test]
fn slow_receivers_of_one_client_hold_up_no_callback_of_another() {
    let (home, listener) = hooks("[callbacks]\nhttp = [\"hooks: POST /**\"]\n");
    std::fs::write(home.path().join("tokens"), format!("alice {ALICE}\nbob {BOB}\n")).expect("written");
    std::fs::set_permissions(home.path().join("tokens"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("it is ours");
    let arguments = ["--config", "config.toml", "--token-file", "tokens"];
    let server = Server::of(spawn(home.path(), &arguments), tempfile::tempdir().expect("a folder"));
    let told = |token: &str, path: &str, count: usize| {
        let bearer = format!("Bearer {token}");
        let job = json!({"code": "1", "callback_url": format!("hooks:/{path}")});
        let batch = json!({"jobs": vec![job; count]});
        let accepted = post(&server, "/v1/batches", &[("authorization", bearer.as_str())], &batch);
        assert_eq!(accepted.status, 202, "{accepted:?}");
    };
    told(ALICE, "alice", 20);
    // The receiver takes what comes and answers nobody, until all of a share have come.
    let next = |held: &mut Vec<TcpStream>| {
        let (mut stream, _) = listener.accept().expect("somebody calls");
        let mut start = [0; 10];
        stream.read_exact(&mut start).expect("it sends");
        held.push(stream);
        String::from_utf8_lossy(&start).into_owned()
    };
    let mut held = Vec::new();
    for _ in 0..4 {
        assert_eq!(next(&mut held), "POST /alic");
    }
    told(BOB, "bob", 1);
    while next(&mut held) == "POST /alic" {}
    assert!(held.len() <= 8, "{} of alice were begun before the one of bob", held.len() - 1);
}

#[test]
fn servers_share_their_records_and_the_policies_they_ran_jobs_under() {
    let (home, _listener) = hooks("");
    let environment = environment(home.path());
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let start = || Server::of(spawn(home.path(), &["--config", "config.toml"]), tempfile::tempdir().expect("a folder"));
    let asked = |arguments: &[&str]| {
        let arguments = [&["--json", "--state", "state"], arguments].concat();
        run_in(home.path(), &arguments, b"", &environment).report()
    };
    assert_eq!(asked(&["policy", "versions"])["versions"], json!([]));
    let mut named = Vec::new();
    for policy in ["# first\n", "# second\n", "# first\n"] {
        std::fs::write(home.path().join("policy.toml"), policy).expect("written");
        let server = start();
        let id = submit(&server, &json!({"code": "1"}));
        assert_eq!(ended(&server, &id)["outcome"], "ok");
        let events = send(&server, &format!("GET /v1/jobs/{id}/events"), &[], "").body;
        let digits = events.split("\"policy\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a digest");
        named.push(digits.to_owned());
        let shown = asked(&["policy", "versions", digits]);
        assert_eq!(shown["text"], policy, "{shown}");
    }
    assert_eq!((named[0].len(), named[0] == named[1], &named[0]), (16, false, &named[2]));
    let listed = asked(&["policy", "versions"])["versions"].clone();
    let listed: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|row| row["digest"].as_str()).collect();
    assert_eq!(listed, [&named[0], &named[1]], "the last one that a server began with comes first");
    let unknown = asked(&["policy", "versions", "none"]);
    assert_eq!(unknown["error"]["hint"], "list them with `intentbox policy versions`", "{unknown}");
    // Records are written a moment after a run. Those of a server that was killed then are not.
    let server = start();
    submit(&server, &json!({"code": "2"}));
    while asked(&["stats"])["runs"].as_u64().expect("a number") == 0 {
        std::thread::yield_now();
    }
}

#[test]
fn a_principal_uses_its_own_token_for_an_origin() {
    let (home, listener) = hooks("[exec]\nhttp = [\"hooks: GET /**\"]\n");
    let private = |name: &str, text: &str| {
        std::fs::write(home.path().join(name), text).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(home.path().join(name), mode).expect("it is ours");
    };
    private("tokens", &format!("alice {ALICE}\nbob {BOB}\n"));
    private("common", "common-secret");
    private("alice", "alices-secret");
    let config = std::fs::read_to_string(home.path().join("config.toml")).expect("it was written");
    let own = "token_file = \"common\"\nsettings = { team = \"all\" }\n[origins.hooks.principals.alice]\n\
               token_file = \"alice\"\nsettings = { team = \"web\" }\n";
    std::fs::write(home.path().join("config.toml"), config + own).expect("written");
    let arguments = ["--config", "config.toml", "--token-file", "tokens"];
    let server = Server::of(spawn(home.path(), &arguments), tempfile::tempdir().expect("a folder"));
    for (token, secret, team) in [(ALICE, "alices-secret", "web"), (BOB, "common-secret", "all")] {
        let bearer = format!("Bearer {token}");
        let code = json!({"code": "result = http.get('hooks:/page').status"}).to_string();
        let asked = server.line("POST /v1/run", &[("authorization", &bearer), JSON], &code);
        std::thread::scope(|scope| {
            let answer = scope.spawn(|| server.raw(&asked));
            let head = receive(&listener).0.to_lowercase();
            assert!(head.contains(&format!("authorization: bearer {secret}")), "{head}");
            assert_eq!(of(&answer.join().expect("it answers"))["outcome"], "ok");
        });
        // What is granted, as a model reads it.
        let (_, list) = stateless("tools/list", json!({}));
        let headers =
            [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/list"), ("authorization", bearer.as_str())];
        let listed = server.raw(&server.request(&headers, &list)).body;
        assert!(listed.contains(&format!("team={team}")), "{listed}");
    }
}
