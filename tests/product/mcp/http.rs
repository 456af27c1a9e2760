//! Many clients on a port.

#![expect(clippy::disallowed_methods, reason = "these are clients that open connections")]

use std::io::Write as _;
use std::net::TcpStream;
use std::process::Stdio;

use intentbox_sandbox::limits;
use serde_json::{Value, json};

use super::client::{STATEFUL, STATELESS, command, endless_call, structured, text, workers_are};
use super::port::{ALICE, BOB, Server, execute, hello, stateless};

/// The largest body that is read, in bytes.
const BODY_BYTES_MAX: usize = 4 << 20;

/// The largest body that opens a session, in bytes.
const OPENING_BYTES_MAX: usize = 16 << 10;

#[test]
fn both_eras_are_served_at_one_address() {
    let server = Server::start(&[]);
    let answer = server.ask(&[], "tools/call", execute("result = 1 + 1"));
    assert_eq!(structured(&answer["result"])["result"], 2, "{answer}");
    let answer = server.ask(&[], "server/discover", json!({}));
    assert_eq!(answer["result"]["serverInfo"]["name"].as_str().unwrap_or("intentbox"), "intentbox", "{answer}");

    for wrong in [json!([]), json!("{}")] {
        let answer = server.ask(&[], "tools/call", json!({"name": "execute_code", "arguments": wrong}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }

    let greeting = server.post(&[], &hello());
    assert_eq!(greeting.message()["result"]["protocolVersion"], STATEFUL);
    let session = greeting.header("mcp-session-id").expect("a session").to_owned();
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", STATEFUL)];
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": execute("result = 2 + 2")});
    assert_eq!(structured(&server.post(&headers, &call.to_string()).message()["result"])["result"], 4);
}

#[test]
fn c01_pages_of_other_sites_and_names_of_other_hosts_are_refused_before_anything_is_read() {
    // Under a name by which others reach it, it needs tokens.
    let names = ["--allow-host", "mcp.example.com", "--allow-origin", "https://app.example.com:443"];
    let server = Server::start(&[&names[..], &["--token-file", "tokens"]].concat());
    let bearer = format!("Bearer {ALICE}");
    let port = server.address.port();
    for (headers, status) in [
        (vec![("origin", "https://evil.example".to_owned())], 403),
        (vec![("origin", "null".to_owned())], 403),
        (vec![("origin", "http://localhost.evil.example".to_owned())], 403),
        (vec![("origin", format!("http://127.0.0.1:{port}"))], 200),
        (vec![("origin", "http://localhost:3000".to_owned())], 200),
        (vec![("origin", "https://app.example.com".to_owned())], 200),
        (vec![("origin", "https://app.example.com:8443".to_owned())], 403),
        (vec![("host", format!("evil.example:{port}"))], 403),
        (vec![("host", format!("127.0.0.1.evil.example:{port}"))], 403),
        (vec![("host", format!("localhost:{port}"))], 200),
        (vec![("host", format!("[::1]:{port}"))], 200),
        (vec![("host", "mcp.example.com".to_owned())], 200),
    ] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let known = [&headers[..], &[("authorization", bearer.as_str())]].concat();
        assert_eq!(server.post(&known, &hello()).status, status, "{headers:?}");
        // What is refused is refused whatever it says.
        if status == 403 {
            assert_eq!(server.post(&headers, "{garbage").status, 403, "{headers:?}");
        }
    }
}

#[test]
fn c02_versions_that_do_not_match_or_are_not_known_are_refused() {
    let server = Server::start(&[]);
    let (_, body) = stateless("tools/list", json!({}));
    for (headers, said) in [
        (vec![("mcp-protocol-version", "2031-01-01"), ("mcp-method", "tools/list")], "-3202"),
        (vec![("mcp-protocol-version", STATELESS)], "-3202"),
        (vec![("mcp-protocol-version", STATELESS), ("mcp-method", "tools/call")], "-3202"),
    ] {
        let reply = server.post(&headers, &body);
        assert_eq!(reply.status, 400, "{headers:?}: {reply:?}");
        assert!(reply.body.contains(said), "{headers:?}: {reply:?}");
    }
}

#[test]
fn c03_bodies_that_are_too_large_or_no_message_are_refused_in_bounded_memory() {
    let server = Server::start(&[]);
    let (_, list) = stateless("tools/list", json!({}));
    let headers = [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/list")];
    let largest = format!("{list}{}", " ".repeat(BODY_BYTES_MAX - list.len()));
    assert_eq!(server.post(&headers, &largest).status, 200);
    assert_eq!(server.post(&headers, &format!("{largest} ")).status, 413);
    // What a client says of itself is kept with its session.
    let largest = format!("{}{}", hello(), " ".repeat(OPENING_BYTES_MAX - hello().len()));
    assert_eq!(server.post(&[], &largest).status, 200);
    assert_eq!(server.post(&[], &format!("{largest} ")).status, 413);
    // A gigabyte is announced, and not waited for.
    let announced = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         content-length: 1073741824\r\nconnection: close\r\n\r\n{}",
        server.address,
        " ".repeat(BODY_BYTES_MAX + 1)
    );
    assert_eq!(server.raw(announced.as_bytes()).status, 413);
    for body in [
        String::new(),
        "{garbage".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        format!("[{}]", hello()),
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1{},\"method\":\"ping\"}}", "0".repeat(400)),
    ] {
        let reply = server.post(&[], &body);
        assert!((400..500).contains(&reply.status), "{}: {reply:?}", body.chars().take(40).collect::<String>());
    }
    let wrong = [("content-type", "text/plain")];
    assert_eq!(server.post(&wrong, &hello()).status, 415, "a form of another site is no message");
    let answer = server.ask(&[], "tools/call", execute("result = 1"));
    assert_eq!(structured(&answer["result"])["result"], 1, "it goes on");
}

#[test]
fn c10_a_large_call_is_answered_and_a_session_is_opened_by_a_short_message() {
    let server = Server::start(&[]);
    let many: Vec<u32> = (0..100_000).collect();
    let call =
        json!({"name": "execute_code", "arguments": {"code": "result = len(params['a'])", "params": {"a": many}}});
    let answer = server.ask(&[], "tools/call", call);
    assert_eq!(structured(&answer["result"])["result"], 100_000, "{answer}");
    let (_, call) = stateless("x/y", json!({"a": many}));
    let refused = server.post(&[("mcp-protocol-version", STATELESS), ("mcp-method", "x/y")], &call);
    assert_eq!((refused.status, refused.message()["id"].clone()), (400, json!(1)), "{refused:?}");
    // Each value that a client says of itself is kept as long as its session.
    let greeting = |values: usize| {
        let mut hello: Value = serde_json::from_str(&hello()).expect("it is JSON");
        hello["params"]["capabilities"]["experimental"] = json!({"a": {"b": vec![0; values]}});
        server.post(&[], &hello.to_string()).status
    };
    assert_eq!((greeting(200), greeting(256)), (200, 413));
}

#[test]
fn c08_a_token_is_needed_where_one_is_configured_and_nowhere_but_in_its_header() {
    let server = Server::start(&["--token-file", "tokens"]);
    let bearer = format!("Bearer {ALICE}");
    let lower = format!("bearer {ALICE}");
    let wrong = format!("Bearer {}", ALICE.replace('a', "b"));
    let basic = format!("Basic {ALICE}");
    for (headers, status) in [
        (vec![], 401),
        (vec![("authorization", wrong.as_str())], 401),
        (vec![("authorization", basic.as_str())], 401),
        (vec![("authorization", "Bearer ")], 401),
        (vec![("authorization", bearer.as_str()), ("authorization", bearer.as_str())], 401),
        (vec![("cookie", bearer.as_str())], 401),
        (vec![("authorization", bearer.as_str())], 200),
        (vec![("authorization", lower.as_str())], 200),
    ] {
        let reply = server.post(&headers, &hello());
        assert_eq!(reply.status, status, "{headers:?}");
        assert!(!format!("{reply:?}").contains(ALICE), "{reply:?}");
        assert_eq!(reply.header("www-authenticate").is_some(), status == 401);
    }
    let in_query = String::from_utf8(server.request(&[], &hello())).expect("text");
    let in_query = in_query.replace("POST /mcp ", &format!("POST /mcp?access_token={ALICE} "));
    assert_eq!(server.raw(in_query.as_bytes()).status, 401);
}

#[test]
fn no_server_that_others_reach_runs_without_a_token() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (arguments, why) in [
        (&["--http", "0.0.0.0:0"][..], "0.0.0.0:0 can be reached by others"),
        (
            &["--http", "127.0.0.1:0", "--allow-host", "mcp.example.com"],
            "others can reach this server by the name mcp.example.com",
        ),
    ] {
        let run = command(home.path(), arguments).stderr(Stdio::piped()).output().expect("it ends");
        assert_eq!(run.status.code(), Some(2));
        let said = String::from_utf8(run.stderr).expect("it is text");
        let advice = "give tokens with --token-file, or listen on 127.0.0.1 without --allow-host";
        assert_eq!(said, format!("usage: {why}: {advice}\n"));
    }
}

#[test]
fn c07_a_result_and_a_session_belong_to_the_holder_of_a_token() {
    let server = Server::start(&["--token-file", "tokens"]);
    let (alice, bob) = (format!("Bearer {ALICE}"), format!("Bearer {BOB}"));
    let (alice, bob) = ([("authorization", alice.as_str())], [("authorization", bob.as_str())]);
    let answer = server.ask(&alice, "tools/call", execute("result = 'secret' * 10000"));
    let handle = structured(&answer["result"])["handle"].as_str().expect("it is large").to_owned();
    let read = |who: &[(&str, &str)]| {
        let read = json!({"name": "read_result", "arguments": {"handle": handle}});
        server.ask(who, "tools/call", read)["result"].clone()
    };
    let page = read(&alice);
    assert!(structured(&page)["text"].as_str().is_some_and(|text| text.starts_with("secretsecret")), "{page}");
    assert!(text(&read(&bob)).starts_with("there is no result with this handle"));

    let greeting = server.post(&alice, &hello());
    let session = greeting.header("mcp-session-id").expect("a session").to_owned();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}).to_string();
    let with = |who: &[(&'static str, &str)]| {
        let mut headers = vec![("mcp-session-id", session.clone()), ("mcp-protocol-version", STATEFUL.to_owned())];
        headers.extend(who.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        server.post(&headers, &call).status
    };
    assert_eq!(with(&alice), 200);
    assert_eq!(with(&bob), 404, "somebody else's session is none");
    assert_eq!(with(&alice), 200);
}

/// The tables of the policy apply to a request by the token that it was sent with: one server, one call, two answers.
#[test]
fn a_table_of_the_policy_narrows_the_holder_of_its_token_and_nobody_else() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let policy = "[packs.sentry]\nhttp = [\"sentry: GET /api/0/**\"]\n\
                  [exec]\nhttp = [\"sentry: GET /api/0/**\"]\n\
                  [principals.bob]\nhttp = [\"sentry: GET /api/0/organizations/demo/projects/\"]\n";
    std::fs::write(home.path().join("policy.toml"), policy).expect("it can be written");
    let server = Server::start_in(home, &["--token-file", "tokens", "--policy", "policy.toml"]);
    let (alice, bob) = (format!("Bearer {ALICE}"), format!("Bearer {BOB}"));
    let ask = |who: &str, call: &Value| {
        let answer = server.ask(&[("authorization", who)], "tools/call", call.clone());
        structured(&answer["result"]).clone()
    };
    let get = |path: &str| execute(&format!("http.get('sentry:/api/0/organizations/demo/{path}/').status"));
    let intent = json!({"name": "run_intent", "arguments": {"intent": "list errors", "params": {"limit": 1}}});
    let granted = "granted here: sentry: GET /api/0/organizations/demo/projects/. The operator can allow more: add \
                   \"sentry: GET /api/0/organizations/demo/issues/\" to http under [principals.bob] in policy.toml";
    let nothing = "nothing is granted here. The operator can allow more: add \
                   \"sentry: GET /api/0/organizations/*/issues/\" to http under [principals.bob] in policy.toml";
    // Alice goes first: what was kept for her is not served to Bob.
    for (call, hint) in [(get("issues"), granted), (intent, nothing)] {
        let answer = ask(&alice, &call);
        assert_eq!(answer["outcome"], "ok", "{answer}");
        let answer = ask(&bob, &call);
        assert_eq!((&answer["outcome"], &answer["error"]["hint"]), (&json!("capability_denied"), &json!(hint)));
    }
    for who in [&alice, &bob] {
        let answer = ask(who, &get("projects"));
        assert_eq!((&answer["outcome"], &answer["result"]), (&json!("ok"), &json!(200)), "both may have this");
    }
}

#[test]
fn c05_a_closed_stream_ends_its_run() {
    let server = Server::start(&["--workers", "1"]);
    let (name, body) = stateless("tools/call", endless_call());
    let name = name.expect("a call has a name");
    let headers = [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/call"), ("mcp-name", name.as_str())];
    let streams: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).expect("it listens");
            stream.write_all(&server.request(&headers, &body)).expect("it reads");
            stream
        })
        .collect();
    workers_are(server.child.id(), true);
    drop(streams);
    assert_over(&server);
    let answer = server.ask(&[], "tools/call", execute("result = 1"));
    assert_eq!(structured(&answer["result"])["result"], 1);
}

/// A session with a run that goes on until it is ended.
struct Endless {
    server: Server,
    session: String,
    call: String,
    _stream: TcpStream,
}

impl Endless {
    fn start() -> Endless {
        let server = Server::start(&["--workers", "1"]);
        let greeting = server.post(&[], &hello());
        let session = greeting.header("mcp-session-id").expect("a session").to_owned();
        let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": endless_call()});
        let call = call.to_string();
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", STATEFUL)];
        stream.write_all(&server.request(&headers, &call)).expect("it reads");
        workers_are(server.child.id(), true);
        Endless { server, session, call, _stream: stream }
    }

    fn headers(&self) -> [(&str, &str); 2] {
        [("mcp-session-id", &self.session), ("mcp-protocol-version", STATEFUL)]
    }
}

/// What ran must be over: its own limits would let it go on.
fn assert_over(server: &Server) {
    workers_are(server.child.id(), false);
}

#[test]
fn c05_a_cancelled_notification_ends_the_run_of_a_session() {
    let endless = Endless::start();
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    assert_eq!(endless.server.post(&endless.headers(), &cancel.to_string()).status, 202);
    assert_over(&endless.server);
    let ping = json!({"jsonrpc": "2.0", "id": 10, "method": "ping"}).to_string();
    assert_eq!(endless.server.post(&endless.headers(), &ping).status, 200);
}

#[test]
fn c05_the_end_of_a_session_ends_its_runs() {
    let endless = Endless::start();
    let end = String::from_utf8(endless.server.request(&endless.headers(), "")).expect("text");
    assert_eq!(endless.server.raw(end.replace("POST /mcp", "DELETE /mcp").as_bytes()).status, 204);
    assert_over(&endless.server);
    assert_eq!(endless.server.post(&endless.headers(), &endless.call).status, 404, "there is no such session any more");
}

#[test]
fn c04_a_principal_opens_its_share_of_sessions_and_leaves_the_others_theirs() {
    let server = Server::start(&["--token-file", "tokens"]);
    let (alice, bob) = (format!("Bearer {ALICE}"), format!("Bearer {BOB}"));
    let open = |who: &str| {
        let greeting = server.post(&[("authorization", who)], &hello());
        greeting.header("mcp-session-id").map(str::to_owned)
    };
    let is_there = |who: &str, session: &str| {
        let headers = [("authorization", who), ("mcp-session-id", session), ("mcp-protocol-version", STATEFUL)];
        server.post(&headers, &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()).status == 200
    };
    let of_bob = open(&bob).expect("a session");
    // All at once: who is counted after being let in is not counted in time.
    let opened: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..300).map(|_| scope.spawn(|| open(&alice))).collect();
        threads.into_iter().filter_map(|thread| thread.join().expect("it answers")).collect()
    });
    assert!(opened.len() >= 256, "{}", opened.len());
    assert_eq!(opened.iter().filter(|session| is_there(&alice, session)).count(), 256);
    assert!(open(&alice).is_some(), "the one that was idle for the longest time gives way");
    assert_eq!(opened.iter().filter(|session| is_there(&alice, session)).count(), 255);
    assert!(is_there(&bob, &of_bob));
    // The revision without sessions opens none, whatever is said.
    let stateless =
        [("authorization", alice.as_str()), ("mcp-protocol-version", STATELESS), ("mcp-method", "initialize")];
    let refused = server.post(&stateless, &hello().replace(STATEFUL, STATELESS));
    assert_eq!((refused.status, refused.message()["error"]["code"].as_i64()), (404, Some(-32601)), "{refused:?}");
    // What needs no session is answered as before.
    let answer = server.ask(&[("authorization", &alice)], "tools/call", execute("result = 1"));
    assert_eq!(structured(&answer["result"])["result"], 1);
}

/// Somebody who lets runs sleep in all slots takes none that others need.
#[test]
fn c11_a_principal_that_holds_all_it_may_leaves_others_their_runs() {
    let server = Server::start(&["--token-file", "tokens"]);
    let (alice, bob) = (format!("Bearer {ALICE}"), format!("Bearer {BOB}"));
    let sleep = json!({"name": "execute_code", "arguments": {
        "code": "import time\ntime.sleep(600)", "limits": {"wall_ms": limits::WALL_MS.most},
    }});
    let (name, body) = stateless("tools/call", sleep);
    let name = name.expect("a call has a name");
    let headers = [
        ("authorization", alice.as_str()),
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
        ("mcp-name", name.as_str()),
    ];
    let _asleep: Vec<TcpStream> = (0..256)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).expect("it listens");
            stream.write_all(&server.request(&headers, &body)).expect("it reads");
            stream
        })
        .collect();
    // More than it takes until all of Alice's have what they get.
    for _ in 0..100 {
        let answer = server.ask(&[("authorization", &bob)], "tools/call", execute("result = 1"));
        assert_eq!(structured(&answer["result"])["outcome"], "ok", "{answer}");
    }
}

#[test]
fn what_is_not_served_says_where_mcp_is_and_needs_no_token() {
    let server = Server::start(&["--token-file", "tokens"]);
    let nothing = "there is nothing here: MCP is at /mcp\n";
    let no_oauth = "this server has no OAuth: MCP is at /mcp\n";
    for (line, body) in [
        ("GET /.well-known/oauth-protected-resource", no_oauth),
        ("GET /.well-known/oauth-protected-resource/mcp", no_oauth),
        ("GET /.well-known/oauth-authorization-server", no_oauth),
        ("GET /.well-known/openid-configuration", no_oauth),
        ("GET /mcp/.well-known/openid-configuration", no_oauth),
        ("POST /register", no_oauth),
        ("GET /", nothing),
        ("GET /sse", nothing),
        ("POST /mcp/", nothing),
        ("POST /mcp/x", nothing),
    ] {
        let reply = server.raw(&server.line(line, &[], ""));
        assert_eq!((reply.status, reply.body.as_str()), (404, body), "{line}");
        let elsewhere = server.raw(&server.line(line, &[("host", "evil.example")], ""));
        assert_eq!(elsewhere.status, 403, "{line}");
    }
    assert_eq!(server.post(&[], &hello()).status, 401, "what is served needs a token");
}

#[test]
fn a_client_that_accepts_anything_accepts_both_forms_of_an_answer() {
    let server = Server::start(&[]);
    for (accept, status) in [
        ("*/*", 200),
        ("application/json, */*;q=0.5", 200),
        ("application/json, text/event-stream", 200),
        ("*/*;q=0", 406),
        ("application/json", 406),
        ("text/event-stream", 406),
    ] {
        assert_eq!(server.post(&[("accept", accept)], &hello()).status, status, "{accept}");
    }
}

#[test]
fn a_page_of_a_named_site_is_told_that_it_may_and_no_other_is() {
    let server = Server::start(&["--allow-origin", "https://app.example.com"]);
    for (origin, expected) in [
        ("https://app.example.com", Some("https://app.example.com")),
        ("http://localhost:3000", None),
        ("https://evil.example", None),
    ] {
        let asked = format!(
            "OPTIONS /mcp HTTP/1.1\r\nhost: {}\r\norigin: {origin}\r\naccess-control-request-method: POST\r\n\
             access-control-request-headers: content-type\r\nconnection: close\r\n\r\n",
            server.address
        );
        let reply = server.raw(asked.as_bytes());
        assert_eq!(reply.header("access-control-allow-origin"), expected, "{origin}: {reply:?}");
        let reply = server.post(&[("origin", origin)], &hello());
        assert_eq!(reply.header("access-control-allow-origin"), expected, "{origin}");
    }
}

#[test]
fn the_address_that_is_announced_is_served() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = command(home.path(), &["--http", "127.0.0.2:0"]);
    let server = Server::of(command.stderr(Stdio::piped()).spawn().expect("the binary starts"), home);
    assert_eq!(server.post(&[], &hello()).status, 200);
}

#[test]
fn c06_a_slow_reader_holds_up_nobody_else() {
    let server = Server::start(&[]);
    let (name, body) = stateless("tools/call", execute("result = 'x' * 8000"));
    let name = name.expect("a call has a name");
    let headers = [("mcp-protocol-version", STATELESS), ("mcp-method", "tools/call"), ("mcp-name", name.as_str())];
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).expect("it listens");
            stream.write_all(&server.request(&headers, &body)).expect("it reads");
            stream
        })
        .collect();
    let answer = server.ask(&[], "tools/call", execute("result = 1"));
    assert_eq!(structured(&answer["result"])["result"], 1, "although none of the others has read its answer");
    drop(slow);
}

#[test]
fn two_hundred_calls_at_once_are_all_answered() {
    let server = Server::start(&["--workers", "2"]);
    let sums: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..200_u64)
            .map(|index| {
                let server = &server;
                scope.spawn(move || {
                    let answer = server.ask(&[], "tools/call", execute(&format!("result = {index}")));
                    structured(&answer["result"])["result"].as_u64().unwrap_or_else(|| panic!("no answer: {answer}"))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("it answers")).sum()
    });
    assert_eq!(sums, (0..200).sum::<u64>());
}
