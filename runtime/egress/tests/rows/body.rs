//! Bodies that an origin does not read: whatever is in them, it is no request, and no reply reaches anybody else.

use std::collections::BTreeSet;
use std::time::Duration;

use intentbox_capability::{Grant, Needs};
use intentbox_egress::{Budget, Egress, Exchange, Request};

use crate::fixture::body_ignorer::{BodyIgnorer, Close, Python};
use crate::fixture::{Answer, SECRET, Server, get, kind, origin, rule};

/// A request that no rule of these tests admits, whole.
const SMUGGLED: &[u8] = b"PUT /admin HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";

/// The beginning of one: what comes next on the connection ends it.
const BEGINNING: &[u8] = b"PUT /admin HTTP/1.1\r\nX: ";

/// A request whose answer comes when somebody else waits for one.
const HELD: &[u8] = b"GET /x/held HTTP/1.1\r\nHost: x\r\n\r\n";

const CLOSES: [Close; 2] = [Close::Honoured, Close::Ignored];

fn egress(port: u16) -> Egress {
    Egress::new(vec![origin("a", &format!("http://127.0.0.1:{port}"), true)]).unwrap()
}

fn run(egress: &Egress) -> Exchange {
    egress.open(Grant::of(["a: GET,HEAD,POST /x/**".parse().unwrap()]), Budget::default())
}

fn post(body: &[u8]) -> Request<'_> {
    Request { method: "POST", body: Some(body), ..get("a:/x") }
}

/// The body of a reply, as text.
async fn said(run: &Exchange, request: Request<'_>) -> String {
    String::from_utf8(run.send(request).await.unwrap().body).unwrap()
}

#[tokio::test]
async fn h23_a_body_of_get_or_head_is_refused_before_anything_is_sent() {
    let server = BodyIgnorer::start(Close::Ignored).await;
    let run = run(&egress(server.port));
    for method in ["GET", "HEAD", "head"] {
        for body in [SMUGGLED, b"{}", b"\r\n"] {
            let answer = run.send(Request { method, body: Some(body), ..get("a:/x") }).await;
            let message = answer.unwrap_err().to_string();
            assert!(message.contains("no rule for it allows a body"), "{message}");
        }
    }
    assert!(server.seen().is_empty());
    let Some(Needs::Rules(rules)) = run.refusals()[0].needs() else { panic!("{:?}", run.refusals()) };
    assert_eq!(rules.additions(), "{ rule = \"a: GET /x\", body = true } to http");
}

/// For APIs that are asked with a body. What the origin makes of it is then what it makes of the body of a POST.
#[tokio::test]
async fn h23_a_body_of_get_goes_where_every_layer_allows_it() {
    for close in CLOSES {
        let server = BodyIgnorer::start(close).await;
        let egress = egress(server.port);
        let (plain, asks) = (rule("a: GET /x/**", &[], false), rule("a: GET /x", &[], true));
        let either = egress.open(Grant::of([asks.clone()]).and([plain.clone()]), Budget::default());
        let or = egress.open(Grant::of([plain.clone()]).and([plain.clone(), asks.clone()]), Budget::default());
        let both = egress.open(Grant::of([plain, asks.clone()]).and([asks]), Budget::default());
        let request = Request { body: Some(HELD), ..get("a:/x") };
        assert_eq!(kind(either.send(request).await), "refused", "{close:?}");
        assert_eq!(kind(or.send(request).await), "refused", "{close:?}");
        assert_eq!(said(&both, request).await, "GET /x HTTP/1.1", "{close:?}");
        assert_eq!(said(&both, get("a:/x?next")).await, "GET /x?next HTTP/1.1", "{close:?}");
        assert!(server.seen()[0].contains(SECRET), "{close:?}");
        let unasked = server.seen().into_iter().filter(|head| head.contains("/held"));
        assert!(unasked.into_iter().all(|head| !head.contains(SECRET)), "{close:?}");
    }
}

#[tokio::test]
async fn h23_what_follows_the_head_of_a_request_is_not_the_next_one() {
    let server = BodyIgnorer::start(Close::Honoured).await;
    let run = run(&egress(server.port));
    for _ in 0..3 {
        assert_eq!(said(&run, post(SMUGGLED)).await, "POST /x HTTP/1.1");
        assert_eq!(said(&run, get("a:/x")).await, "GET /x HTTP/1.1");
    }
    assert!(!server.seen().iter().any(|head| head.contains("/admin")), "{:?}", server.seen());
}

/// Nobody can keep an origin from it that reads no body and goes on reading after `Connection: close`. What it takes for
/// a request has no token then, and its reply reaches nobody.
#[tokio::test]
async fn h23_a_smuggled_request_takes_no_token_and_no_reply() {
    for close in CLOSES {
        for body in [SMUGGLED, BEGINNING] {
            let server = BodyIgnorer::start(close).await;
            let egress = egress(server.port);
            for _ in 0..2 {
                // The same run and another one.
                let run = run(&egress);
                assert_eq!(said(&run, post(body)).await, "POST /x HTTP/1.1", "{close:?}");
                assert_eq!(said(&run, post(b"{\"admin\": true}")).await, "POST /x HTTP/1.1", "{close:?}");
                assert_eq!(said(&run, get("a:/x")).await, "GET /x HTTP/1.1", "{close:?}");
            }
            for head in server.seen() {
                let admitted = head.starts_with("POST /x ") || head.starts_with("GET /x ");
                assert_eq!(head.contains(SECRET), admitted, "{close:?}: {head}");
            }
        }
    }
}

#[tokio::test]
async fn h23_an_answer_that_nobody_asked_for_reaches_nobody() {
    for close in CLOSES {
        let server = BodyIgnorer::start(close).await;
        let egress = egress(server.port);
        let (attacker, victim) = (run(&egress), run(&egress));
        assert_eq!(said(&attacker, post(HELD)).await, "POST /x HTTP/1.1", "{close:?}");
        assert_eq!(said(&victim, get("a:/x?victim")).await, "GET /x?victim HTTP/1.1", "{close:?}");
        assert_eq!(said(&attacker, get("a:/x?own")).await, "GET /x?own HTTP/1.1", "{close:?}");
    }
}

#[tokio::test]
async fn h23_a_real_server_that_reads_no_body_is_not_fooled() {
    let server = Python::start();
    let egress = egress(server.port);
    // What the origin repeats of the token is redacted; a request without it says `None`.
    let token = "Bearer [redacted]";
    let mut expected = Vec::new();
    for body in [SMUGGLED, BEGINNING, HELD] {
        let (attacker, victim) = (run(&egress), run(&egress));
        expected.push(format!("POST /x {token}"));
        assert_eq!(said(&attacker, post(body)).await, expected.join("\n"));
        for run in [&attacker, &victim] {
            expected.push(format!("GET /x {token}"));
            assert_eq!(said(run, get("a:/x")).await, expected.join("\n"));
        }
    }
}

const KEPT: &str = "HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: 4\r\n\r\nreal";

#[tokio::test]
async fn h23_a_connection_that_carried_a_body_is_used_once() {
    let server = Server::start(Answer::KeepAlive(KEPT.to_owned())).await;
    let run = run(&egress(server.port));
    for _ in 0..3 {
        assert_eq!(kind(run.send(post(b"a=1")).await), "replied");
        assert_eq!(kind(run.send(get("a:/x")).await), "replied");
    }
    let seen: Vec<(usize, String)> = server.seen_on().into_iter().zip(server.seen()).collect();
    for (connection, request) in &seen {
        let closes = request.to_ascii_lowercase().contains("\r\nconnection: close\r\n");
        assert_eq!(closes, request.starts_with("POST"), "{request}");
        let requests = seen.iter().filter(|(other, _)| other == connection).count();
        assert!(!closes || requests == 1, "{request}");
    }
}

/// What is sent again needs no new connection each time. There may be two: the client opens one while it waits for
/// another to become free.
#[tokio::test]
async fn h23_an_empty_body_is_none_and_requests_of_a_run_share_connections() {
    let server = Server::start(Answer::KeepAlive(KEPT.to_owned())).await;
    let run = run(&egress(server.port));
    for _ in 0..4 {
        for request in [get("a:/x"), post(b""), Request { body: Some(&b""[..]), ..get("a:/x") }] {
            assert_eq!(said(&run, request).await, "real");
        }
    }
    assert!(server.connections() <= 2, "{} connections for 12 requests", server.connections());
    assert!(!server.seen().concat().to_ascii_lowercase().contains("transfer-encoding"));
}

#[tokio::test]
async fn h23_no_connection_serves_two_runs() {
    let server = Server::start(Answer::KeepAlive(KEPT.to_owned())).await;
    let egress = egress(server.port);
    let mut before = Vec::new();
    for _ in 0..3 {
        let run = run(&egress);
        for _ in 0..3 {
            assert_eq!(said(&run, get("a:/x")).await, "real");
        }
        let own = server.seen_on().split_off(before.len());
        assert!(own.iter().all(|connection| !before.contains(connection)), "{before:?}, then {own:?}");
        before.extend(own);
    }
}

#[tokio::test]
async fn h23_bytes_behind_a_reply_are_the_answer_to_nothing() {
    let forged = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
    // A reply to HEAD has no body, whatever the origin sends.
    for (method, reply, expected) in [("GET", format!("{KEPT}{forged}"), "real"), ("HEAD", KEPT.to_owned(), "")] {
        let server = Server::start(Answer::KeepAlive(reply)).await;
        let run = run(&egress(server.port));
        for _ in 0..3 {
            assert_eq!(said(&run, Request { method, ..get("a:/x") }).await, expected);
        }
        let on = BTreeSet::from_iter(server.seen_on());
        assert_eq!(on.len(), 3, "each of them was the last on its connection");
    }
}

#[tokio::test]
async fn h23_an_answer_that_came_too_late_reaches_no_other_request() {
    let server = BodyIgnorer::start(Close::Honoured).await;
    let run = run(&egress(server.port));
    assert_eq!(said(&run, get("a:/x?first")).await, "GET /x?first HTTP/1.1");
    let soon = Some(Duration::from_millis(200));
    assert_eq!(kind(run.send(Request { timeout: soon, ..get("a:/x/held") }).await), "timeout");
    assert_eq!(said(&run, get("a:/x?next")).await, "GET /x?next HTTP/1.1");
}
