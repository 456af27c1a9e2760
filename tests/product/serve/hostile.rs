//! What may be tried against the API and its pages: forged requests, hostile text, connections that hold on, storms.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::mcp::client::PATIENCE;

/// Requests that a page of another site can make a browser send without asking, or that name no form of their body.
#[test]
fn a02_a_request_that_any_page_could_have_made_is_no_job() {
    let server = start(&[]);
    let job = json!({"code": "1"}).to_string();
    for line in ["POST /v1/jobs", "POST /v1/run", "POST /v1/batches", "POST /v1/schedules"] {
        for form in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
            let reply = send(&server, line, &[("content-type", form)], &job);
            assert_eq!(reply.status, 415, "{line} as {form:?}: {reply:?}");
        }
        for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example"] {
            assert_eq!(send(&server, line, &[("origin", origin)], &job).status, 403, "{line} from {origin}");
        }
        assert_eq!(send(&server, line, &[("host", "evil.example")], &job).status, 403, "{line} by another name");
    }
    assert_eq!(get(&server, "/v1/jobs")["jobs"], json!([]));
}

/// What closes a tag, an attribute, a comment or a script, and what browsers make of it.
const MARKUP: &str =
    "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg/onload=alert(1)>{{7*7}}<!--";

#[test]
fn a03_hostile_text_is_inert_on_every_page() {
    let server = start(&[]);
    let here = format!("http://{}", server.address);
    let code = format!(
        "import sys\nprint({MARKUP:?})\nprint({MARKUP:?}, file=sys.stderr)\nresult = [{{{MARKUP:?}: {MARKUP:?}}}]"
    );
    let labels = json!({"team": MARKUP});
    let mut ids = vec![submit(&server, &json!({"code": code, "labels": labels}))];
    ids.push(submit(&server, &json!({"code": format!("raise ValueError({MARKUP:?})")})));
    ids.push(submit(&server, &json!({"intent": format!("list errors {MARKUP}"), "params": {"project": MARKUP}})));
    ids.push(submit(&server, &json!({"code": format!("http.get('https://a.example/' + {MARKUP:?})")})));
    for id in &ids {
        ended(&server, id);
    }
    let pages = ["/", "/ui/try", "/ui/templates", "/ui/tools", "/ui/trends", "/ui/refusals"].map(str::to_owned);
    let mut bodies: Vec<(String, String)> = pages
        .into_iter()
        .chain(ids.iter().map(|id| format!("/ui/jobs/{id}")))
        .map(|page| (page.clone(), send(&server, &format!("GET {page}"), &[], "").body))
        .collect();
    let form = [("content-type", "application/x-www-form-urlencoded"), ("origin", here.as_str())];
    let typed = MARKUP.bytes().fold(String::new(), |typed, byte| format!("{typed}%{byte:02x}"));
    bodies.push(("a trial".to_owned(), send(&server, "POST /ui/try", &form, &format!("intent={typed}")).body));
    for (page, body) in &bodies {
        let inert = ["<script>alert", "<img src=x", "<svg/onload", "</pre></script>", "\"'><svg", ">49<"];
        assert!(inert.iter().all(|part| !body.contains(part)), "{page}: {body}");
    }
    assert!(bodies.iter().filter(|(_, body)| body.contains("&lt;img src=x")).count() >= 5, "it was shown");
}

/// Colours, titles, links, bells, and lines that look like a record of their own.
const CONTROLS: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\r\n2026-01-01 ERROR forged\u{202e}";

#[test]
fn a04_hostile_text_stays_text_on_a_terminal_and_one_line_in_a_log() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = environment(home.path());
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut child = command(home.path(), &["--log", "debug"]).spawn().expect("the binary starts");
    let log = std::thread::spawn({
        let stderr = child.stderr.take().expect("piped");
        move || {
            let mut text = String::new();
            let mut stderr = stderr;
            let mut byte = [0; 4_096];
            while let Ok(read @ 1..) = stderr.read(&mut byte) {
                text += &String::from_utf8_lossy(&byte[..read]);
            }
            text
        }
    });
    let jobs = |arguments: &[&str]| {
        let arguments = [&["--state", "state", "jobs"], arguments].concat();
        run_in(home.path(), &arguments, b"", &environment)
    };
    let quoted = CONTROLS.chars().fold(String::new(), |text, letter| format!("{text}\\U{:08x}", u32::from(letter)));
    std::fs::write(
        home.path().join("loud.py"),
        format!("import sys\nprint('{quoted}')\nprint('{quoted}', file=sys.stderr)\nraise ValueError('{quoted}')"),
    )
    .expect("written");
    let printed = jobs(&["submit", "--code", "loud.py", "--watch", "--label", &format!("team={CONTROLS}")]);
    let intent = jobs(&["submit", &format!("list {CONTROLS} errors"), "--watch"]);
    let listed = jobs(&["list"]);
    let id = listed.stdout.lines().last().and_then(|line| line.split_whitespace().next()).expect("an id").to_owned();
    for run in [&printed, &intent, &listed, &jobs(&["show", &id]), &jobs(&["logs", &id])] {
        for text in [&run.stdout, &run.stderr] {
            let is_safe = |letter: char| letter == '\n' || !(letter.is_control() || letter == '\u{202e}');
            assert!(text.chars().all(is_safe), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("2026-01-01 ERROR")), "{text}");
        }
    }
    child.kill().expect("it is ours");
    child.wait().expect("it ended");
    let log = log.join().expect("no panic");
    assert!(log.chars().all(|letter| letter == '\n' || !letter.is_control()), "{log:?}");
    assert!(!log.lines().any(|line| line.starts_with("2026-01-01 ERROR")), "{log}");
}

#[test]
fn a08_what_arrives_of_a_body_is_told_apart() {
    let server = start(&[]);
    let chunked = |chunks: &str| {
        let line = String::from_utf8(server.line("POST /v1/jobs", &[], "")).expect("text");
        let head = line.replace("content-length: 0", "transfer-encoding: chunked");
        server.raw(format!("{head}{chunks}").as_bytes())
    };
    let long = format!("500000\r\n{}\r\n0\r\n\r\n", " ".repeat(0x50_0000));
    for (chunks, status, kind) in [
        ("d\r\n{\"code\": \"1\"}\r\n0\r\n\r\n", 202, Value::Null),
        ("zz\r\n{}\r\n0\r\n\r\n", 400, json!("urn:intentbox:problem:body_invalid")),
        (&long, 413, json!("urn:intentbox:problem:too_large")),
    ] {
        let reply = chunked(chunks);
        assert_eq!((reply.status, &of(&reply)["type"]), (status, &kind), "{reply:?}");
    }
    // A client that asks first is told before it sends anything.
    let long = String::from_utf8(server.line("POST /v1/jobs", &[("expect", "100-continue")], "")).expect("text");
    let reply = server.raw(long.replace("content-length: 0", "content-length: 5000000").as_bytes());
    assert_eq!(reply.status, 413, "{reply:?}");
    let reply = send(&server, "POST /v1/jobs", &[], "\u{feff}{\"code\": \"1\"}");
    assert!(reply.body.contains("byte order mark"), "{reply:?}");
}

/// More than the server has places for, none of which ever becomes a request.
#[test]
#[expect(clippy::disallowed_methods, reason = "the clients of this test open connections")]
fn a05_connections_that_never_become_a_request_hold_up_nobody() {
    // With 1,536 descriptors a server has 768 places. This end needs one for each connection, too.
    let own = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: own.maximum, ..own }).expect("up to the maximum anybody may");
    let home = tempfile::tempdir().expect("a folder");
    let usual = command(home.path(), &[]);
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -n 1536 && exec \"$0\" \"$@\""]).arg(usual.get_program()).args(usual.get_args());
    limited.current_dir(home.path()).env_clear();
    limited.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let server = Server::of(limited.spawn().expect("the shell starts"), home);
    let beginnings: [&[u8]; 5] = [
        b"",
        b"G",
        b"POST /v1/run HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-le",
        b"POST /v1/run HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    let mut held = Vec::new();
    for number in 0..900 {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        let _ = stream.write_all(beginnings[number % beginnings.len()]);
        held.push(stream);
        if number % 100 == 99 {
            let reply = send(&server, "POST /v1/run", &[], &json!({"code": "1 + 1"}).to_string());
            assert_eq!((reply.status, &of(&reply)["result"]), (200, &json!(2)), "beside {number}");
        }
    }
    // A body that comes byte by byte is read to its end.
    let request = server.line("POST /v1/run", &[], &json!({"code": "40 + 2"}).to_string());
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    stream.set_nodelay(true).expect("it can be set");
    for byte in request {
        stream.write_all(&[byte]).expect("it reads");
    }
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("\"result\":42"), "{reply}");
}

#[test]
fn a10_no_path_leads_out_of_what_is_served() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("secret"), "root:x:0:0").expect("written");
    let server = Server::of(spawn(home.path(), &[]), home);
    let ups = ["..", "%2e%2e", "%252e%252e", "..%2f..", "..\\..", "%c0%ae%c0%ae", "....//"];
    let targets = ["secret", "etc/passwd", "state/jobs.db", "proc/self/environ"];
    for below in ["", "/ui", "/ui/jobs", "/v1", "/v1/jobs", "/v1/templates", "/v1/tools", "/.well-known"] {
        for up in ups {
            for target in targets {
                let path = format!("{below}/{}{target}", format!("{up}/").repeat(6));
                let reply = send(&server, &format!("GET {path}"), &[], "");
                assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
                assert!(!reply.body.contains("root:") && !reply.body.contains("SQLite format"), "{path}: {reply:?}");
            }
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the client of this test opens a connection and drops it")]
fn d13_a_client_that_never_saw_the_answer_gets_the_same_job_by_its_key() {
    let server = start(&[]);
    let body = json!({"code": "result = 42"}).to_string();
    let key = [("idempotency-key", "order-7")];
    // It sends the request, and goes away without reading the answer. Who goes before the job is kept may have made none.
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.write_all(&server.line("POST /v1/jobs", &key, &body)).expect("it reads");
    let listed = || get(&server, "/v1/jobs")["jobs"].as_array().expect("jobs").clone();
    while listed().is_empty() {
        std::thread::yield_now();
    }
    drop(stream);
    let id = listed()[0]["id"].as_str().expect("an id").to_owned();
    for _ in 0..2 {
        let again = send(&server, "POST /v1/jobs", &key, &body);
        assert_eq!((again.status, &of(&again)["id"]), (202, &json!(id)), "{again:?}");
        assert_eq!(ended(&server, &id)["report"]["result"], 42);
    }
    assert_eq!(listed().len(), 1);
}

/// Jobs are begun and cancelled in any order; nothing of them is left behind.
#[test]
fn n05_a_storm_of_cancellations_leaves_no_seat_taken_and_no_job_open() {
    const JOBS: usize = 120;
    let server = start(&["--slots", "4"]);
    let endless = json!({"code": ENDLESS, "limits": {"wall_ms": 600_000, "fuel": 10_000_000_000_000_u64}});
    let descriptors = || {
        let listed = std::fs::read_dir(format!("/proc/{}/fd", server.child.id()));
        listed.map(Iterator::count).unwrap_or_default()
    };
    assert_eq!(ended(&server, &submit(&server, &json!({"code": "1"})))["outcome"], "ok");
    let before = descriptors();
    let mut ids: Vec<String> = (0..JOBS).map(|_| submit(&server, &endless)).collect();
    // Every seventh in turn: an order that is neither that of submission nor its reverse.
    ids = (0..JOBS).map(|number| ids[number * 7 % JOBS].clone()).collect();
    std::thread::scope(|scope| {
        for part in ids.chunks(JOBS / 4) {
            let server = &server;
            scope.spawn(move || {
                for id in part.iter().chain(part) {
                    let status = send(server, &format!("DELETE /v1/jobs/{id}"), &[], "").status;
                    assert!([200, 202].contains(&status), "{status}");
                }
            });
        }
    });
    for id in &ids {
        assert_eq!(ended(&server, id)["state"], "cancelled");
    }
    // All seats are free: as many jobs as there are seats run at the same time, and one after them.
    let running: Vec<String> = (0..4).map(|_| submit(&server, &endless)).collect();
    for id in &running {
        while get(&server, &format!("/v1/jobs/{id}"))["state"] != "running" {
            std::thread::yield_now();
        }
    }
    for id in &running {
        send(&server, &format!("DELETE /v1/jobs/{id}"), &[], "");
    }
    assert_eq!(ended(&server, &submit(&server, &json!({"code": "1"})))["outcome"], "ok");
    assert!(descriptors() <= before + 8, "{before} descriptors, and {} after", descriptors());
}
