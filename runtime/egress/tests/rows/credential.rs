//! Credentials of other kinds than a bearer token: where they stand in a request, and that they stay with the host.

use std::collections::BTreeMap;

use intentbox_egress::{Budget, Credential, Egress, Exchange, OriginConfig, Request, Scheme, Secret};

use crate::fixture::{Answer, Bound, SECRET, Server, get, kind, ok, origin, reading, redirect, with};

fn origin_with(scheme: &Scheme, port: u16) -> OriginConfig {
    let credential = Credential::new(scheme, Secret::new(SECRET), &[]).unwrap();
    OriginConfig { credential: Some(credential), ..origin("a", &format!("http://127.0.0.1:{port}"), true) }
}

fn header() -> Scheme {
    Scheme::Header { name: "X-Api-Key".to_owned(), prefix: String::new() }
}

fn query() -> Scheme {
    Scheme::Query { name: "api_key".to_owned() }
}

fn oauth(token_server: &Server) -> Scheme {
    Scheme::Oauth {
        token_url: format!("http://127.0.0.1:{}/token", token_server.port),
        client_id: "robot 1".to_owned(),
        scopes: vec!["read".to_owned(), "list".to_owned()],
        params: BTreeMap::from([("audience".to_owned(), "https://a.example/".to_owned())]),
        in_body: false,
    }
}

fn granted(token: &str, expires_in: &str) -> String {
    ok(&format!("{{\"access_token\": \"{token}\", \"token_type\": \"Bearer\", \"expires_in\": {expires_in}}}"))
}

#[tokio::test]
async fn s01_a_secret_arrives_where_its_scheme_puts_it_and_nowhere_else() {
    for (scheme, expected) in [
        (
            Scheme::Basic { user: "robot".to_owned() },
            "authorization: Basic cm9ib3Q6dG9rLTAxMjM0NTY3ODlhYmNkZWY=\r\n".to_owned(),
        ),
        (header(), format!("x-api-key: {SECRET}\r\n")),
        (query(), format!("GET /x?q=1&api_key={SECRET} HTTP/1.1\r\n")),
    ] {
        let server = Server::start(Answer::Echo(200)).await;
        let run = reading(origin_with(&scheme, server.port));
        let reply = run.send(get("a:/x?q=1")).await.unwrap();
        let seen = server.seen().remove(0);
        assert_eq!(seen.matches(&expected).count(), 1, "{seen}");
        // What the server echoed is the whole request, and the script sees it without the secret.
        let echoed = String::from_utf8(reply.body).unwrap();
        assert!(!echoed.contains(SECRET) && echoed.contains("[redacted]"), "{echoed}");
        assert_eq!(reply.shown_url, "a:/x?q=1");
    }
}

#[tokio::test]
async fn s03_a_script_cannot_take_the_place_of_a_credential() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    let run = reading(origin_with(&query(), server.port));
    for url in ["a:/x?api_key=mine", "a:/x?a&API_KEY", "a:/x?api%5Fkey=1"] {
        let error = run.send(get(url)).await.unwrap_err().to_string();
        let told = "header_invalid: the query parameter `api_key` carries the credential of `a`, which intentbox adds: leave it out";
        assert_eq!(error, told, "{url}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn s04_a_redirect_that_repeats_the_query_does_not_show_the_key() {
    let answers = vec![redirect(302, &format!("/x/?q=1&api_key={SECRET}")), ok("there")];
    let server = Server::start(Answer::Sequence(answers)).await;
    let reply = reading(origin_with(&query(), server.port)).send(get("a:/x?q=1")).await.unwrap();
    assert_eq!(reply.shown_url, "a:/x/?q=1");
    assert!(server.seen()[1].starts_with(&format!("GET /x/?q=1&api_key={SECRET} HTTP/1.1\r\n")), "{:?}", server.seen());
    let server = Server::start(Answer::Redirect(302, format!("/x/{SECRET}?api_key={SECRET}"))).await;
    assert_eq!(kind(reading(origin_with(&query(), server.port)).send(get("a:/x")).await), "redirect");
}

#[tokio::test]
async fn s04_no_credential_follows_a_redirect_to_another_origin() {
    for scheme in [header(), query(), Scheme::Basic { user: "u".to_owned() }] {
        let (home, other) = (Bound::new().await, Server::start(Answer::Bytes(ok("there"))).await);
        let to = format!("http://127.0.0.1:{}/x", other.port);
        let home = home.answer(Answer::Redirect(302, to));
        let base_url = format!("http://127.0.0.1:{}", other.port);
        let second = OriginConfig { credential: None, ..origin("b", &base_url, true) };
        let egress = Egress::new(vec![origin_with(&scheme, home.port), second]).unwrap();
        let rules = ["a: GET /**", "b: GET /**"].map(|rule| rule.parse().unwrap());
        let run = egress.open(intentbox_capability::Grant::of(rules), Budget::default());
        assert_eq!(kind(run.send(get("a:/x")).await), "replied");
        let seen = other.seen().remove(0);
        assert!(!seen.contains(SECRET) && !seen.contains("uth"), "{seen}");
    }
}

fn opened(egress: &Egress) -> Exchange {
    egress.open(intentbox_capability::Grant::of(["a: GET /**".parse().unwrap()]), Budget::default())
}

#[tokio::test]
async fn one_token_serves_many_runs_and_is_redacted_like_the_secret() {
    let token_server = Server::start(Answer::Bytes(granted("token-of-today", "3600"))).await;
    let server = Server::start(Answer::Echo(200)).await;
    let egress = Egress::new(vec![origin_with(&oauth(&token_server), server.port)]).unwrap();
    for _ in 0..3 {
        let reply = opened(&egress).send(get("a:/x")).await.unwrap();
        let echoed = String::from_utf8(reply.body).unwrap();
        assert!(echoed.contains("authorization: Bearer [redacted]\r\n"), "{echoed}");
    }
    assert!(server.seen().iter().all(|seen| seen.contains("authorization: Bearer token-of-today\r\n")));
    let asked = token_server.seen();
    assert_eq!(asked.len(), 1);
    // `robot+1:tok-0123456789abcdef`: both halves are encoded as a form has them (RFC 6749, section 2.3.1).
    assert!(asked[0].contains("authorization: Basic cm9ib3QrMTp0b2stMDEyMzQ1Njc4OWFiY2RlZg==\r\n"), "{}", asked[0]);
    let body = "grant_type=client_credentials&scope=read+list&audience=https%3A%2F%2Fa.example%2F";
    assert!(asked[0].starts_with("POST /token HTTP/1.1\r\n") && asked[0].ends_with(body), "{}", asked[0]);
}

#[tokio::test]
async fn a_rejected_token_is_asked_for_anew_once() {
    let tokens = vec![granted("token-of-yesterday", "\"3600\""), granted("token-of-today", "3600")];
    let token_server = Server::start(Answer::Sequence(tokens)).await;
    let answers = vec![ok("first"), with(401, "", ""), ok("second"), with(401, "", "no")];
    let server = Server::start(Answer::Sequence(answers)).await;
    let egress = Egress::new(vec![origin_with(&oauth(&token_server), server.port)]).unwrap();
    let mut got = Vec::new();
    for _ in 0..3 {
        got.push(opened(&egress).send(get("a:/x")).await.unwrap());
    }
    let told: Vec<(u16, &[u8])> = got.iter().map(|reply| (reply.status, reply.body.as_slice())).collect();
    assert_eq!(told, [(200, &b"first"[..]), (200, b"second"), (401, b"no")]);
    let tokens = server.seen().iter().map(|seen| seen.contains("token-of-today")).collect::<Vec<_>>();
    assert_eq!(tokens, [false, false, true, true, true], "the last token is rejected twice, and no third time");
}

#[tokio::test]
async fn a_token_that_has_expired_is_not_sent() {
    let tokens = vec![granted("token-of-yesterday", "0"), granted("token-of-today", "3600")];
    let token_server = Server::start(Answer::Sequence(tokens)).await;
    let server = Server::start(Answer::Echo(200)).await;
    let egress = Egress::new(vec![origin_with(&oauth(&token_server), server.port)]).unwrap();
    for _ in 0..2 {
        assert_eq!(kind(opened(&egress).send(get("a:/x")).await), "replied");
    }
    let seen = server.seen();
    assert!(seen[0].contains("Bearer token-of-yesterday") && seen[1].contains("Bearer token-of-today"), "{seen:?}");
}

#[tokio::test]
async fn a_token_server_that_gives_no_token_is_told_and_nothing_is_sent() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    for (answer, told) in [
        (
            with(401, "", &format!("{{\"error\": \"invalid_client\", \"error_description\": \"{SECRET}?\"}}")),
            "a: the token server: it answered 401, invalid_client: [redacted]?",
        ),
        (with(500, "", "oops"), "a: the token server: it answered 500 without a token"),
        (ok("{\"access_token\": \"a b\"}"), "a: the token server: it gave a token that no header can carry"),
        (
            ok("{\"access_token\": \"ab\"}"),
            "a: the token server: it gave a token that is too short, or holds the client's secret",
        ),
        (
            ok(&format!("{{\"access_token\": \"x{SECRET}\"}}")),
            "a: the token server: it gave a token that is too short, or holds the client's secret",
        ),
        (
            ok(&format!("{{\"access_token\": \"abcdefgh\", \"token_type\": \"{SECRET}\"}}")),
            "a: the token server: it gave a token of the type \"[redacted]\", and only bearer tokens are sent",
        ),
        (
            with(400, "", "{\"error\": \"bad header <Basic cm9ib3QrMTp0b2stMDEyMzQ1Njc4OWFiY2RlZg==>\"}"),
            "a: the token server: it answered 400, bad header <Basic [redacted]>",
        ),
        (
            ok("{\"access_token\": \"ab\", \"token_type\": \"mac\"}"),
            "a: the token server: it gave a token of the type \"mac\", and only bearer tokens are sent",
        ),
        (
            redirect(302, "/elsewhere"),
            "a: the token server: it answered 302 with a redirect to /elsewhere, which is not followed: configure the final URL",
        ),
        (ok(&"x".repeat(65_537)), "a: the token server: its reply has more than 65536 bytes"),
    ] {
        let token_server = Server::start(Answer::Bytes(answer)).await;
        let run = reading(origin_with(&oauth(&token_server), server.port));
        let error = run.send(Request { ..get("a:/x") }).await.unwrap_err().to_string();
        assert_eq!(error, format!("credential: {told}"));
    }
    assert_eq!(server.connections(), 0);
}
