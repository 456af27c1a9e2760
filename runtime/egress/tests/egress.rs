//! The way out, against servers on the loopback interface: what arrives there, and what the script gets to see.

mod fixture;
mod rows;

use std::time::Duration;

use intentbox_egress::{Budget, Egress, EgressError, OriginConfig, Request, Secret, Spent};

use crate::fixture::{Answer, SECRET, Server, exchange, get, kind, ok, origin, reading};

#[tokio::test]
async fn the_secret_is_attached_once_and_cannot_be_overridden() {
    let server = Server::start(Answer::Bytes(ok("hello"))).await;
    let exchange = exchange(&[&server], Budget::default());
    let headers = [("X-Own", "1")];
    let body: Option<&[u8]> = Some(b"a=1");
    let request = Request { method: "post", headers: &headers, body, ..get("a:/x/?q=1") };
    let reply = exchange.send(request).await.unwrap();
    assert_eq!((reply.status, reply.shown_url.as_str(), reply.body.as_slice()), (200, "a:/x/?q=1", &b"hello"[..]));
    let seen = server.seen().remove(0);
    assert!(seen.starts_with("POST /x/?q=1 HTTP/1.1\r\n") && seen.ends_with("\r\n\r\na=1"), "{seen}");
    assert_eq!(seen.matches(&format!("authorization: Bearer {SECRET}\r\n")).count(), 1, "{seen}");
    assert!(seen.contains("x-own: 1\r\n"), "{seen}");

    for name in ["Authorization", "authorization", "AUTHORIZATION", "Proxy-Authorization", "Host", "Cookie"] {
        let headers = [(name, "mine")];
        let request = Request { headers: &headers, ..get("a:/x") };
        assert_eq!(kind(exchange.send(request).await), "header_invalid", "{name}");
    }
    assert_eq!(server.seen().len(), 1, "nothing else was sent");
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_grant_only() {
    let home = Server::start(Answer::Redirect(302, "/x/next".to_owned())).await;
    let within = exchange(&[&home], Budget::default());
    let body: Option<&[u8]> = Some(b"once");
    let request = Request { method: "POST", body, ..get("a:/x") };
    assert_eq!(within.send(request).await.unwrap().shown_url, "a:/x/next");
    let second = home.seen().remove(1);
    assert!(second.starts_with("GET /x/next ") && !second.contains("once") && second.contains(SECRET), "{second}");
    assert_eq!(within.spent().requests, 2);

    for location in ["/y", "http://127.0.0.1:9/x", "file:///x", "http://169.254.169.254/", "a:/x", "/x/%2e%2e/y"] {
        let server = Server::start(Answer::Redirect(307, location.to_owned())).await;
        let exchange = exchange(&[&server], Budget::default());
        assert_eq!(kind(exchange.send(get("a:/x")).await), "refused", "{location}");
        assert_eq!((server.seen().len(), exchange.refusals().len()), (1, 1), "{location}");
    }
    for location in ["", &format!("/x?token={SECRET}")] {
        let server = Server::start(Answer::Redirect(301, location.to_owned())).await;
        assert_eq!(kind(exchange(&[&server], Budget::default()).send(get("a:/x")).await), "redirect");
    }
}

#[tokio::test]
async fn another_origin_gets_no_credential_by_redirect() {
    let other = Server::start(Answer::Bytes(ok("other"))).await;
    let location = format!("http://127.0.0.1:{}/x", other.port);
    let home = Server::start(Answer::Redirect(302, location)).await;
    let granted = exchange(&[&home, &other], Budget::default());
    assert_eq!(granted.send(get("a:/x")).await.unwrap().shown_url, "b:/x");
    assert!(home.seen()[0].contains(SECRET) && !other.seen()[0].contains("authorization"));

    // The same location is refused where that origin is none of the run's.
    let location = format!("http://127.0.0.1:{}/x", other.port);
    let home = Server::start(Answer::Redirect(302, location)).await;
    assert_eq!(kind(exchange(&[&home], Budget::default()).send(get("a:/x")).await), "refused");
    assert_eq!(other.seen().len(), 1);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let head = "HTTP/1.1 302 Again\r\nlocation: /x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let server = Server::start(Answer::Bytes(head.to_owned())).await;
    let exchange = exchange(&[&server], Budget::default());
    assert_eq!(kind(exchange.send(get("a:/x")).await), "redirect");
    assert_eq!(server.seen().len(), 6, "the request and five redirects");
}

#[tokio::test]
async fn private_addresses_are_refused_unless_the_origin_says_so() {
    let server = Server::start(Answer::Bytes(ok("inside"))).await;
    // An address is checked before the request, a name when it is resolved.
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let base_url = format!("http://{host}:{}", server.port);
        let answer = reading(origin("a", &base_url, false)).send(get("a:/")).await;
        assert_eq!(kind(answer), "address_refused", "{host}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn what_is_not_granted_is_never_sent() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for url in ["a:/", "a:/y", "b:/x", "https://evil.example/", "a:/x/../y"] {
        assert_eq!(kind(exchange.send(get(url)).await), "refused", "{url}");
    }
    assert_eq!((server.seen().len(), exchange.refusals().len()), (0, 5));
    assert_eq!(exchange.spent(), Spent { requests: 5, bytes_up: 0, bytes_down: 0 });
}

#[tokio::test]
async fn bodies_and_budgets_hold_on_both_sides_of_the_line() {
    let server = Server::start(Answer::Bytes(ok("0123456789"))).await;
    let with = |body_bytes_max, bytes_down_max, requests_max| {
        exchange(&[&server], Budget { body_bytes_max, bytes_down_max, requests_max, ..Budget::default() })
    };
    assert_eq!(kind(with(10, 99, 9).send(get("a:/x")).await), "replied");
    assert_eq!(kind(with(9, 99, 9).send(get("a:/x")).await), "body_too_large");

    let twice = with(10, 20, 9);
    for expected in ["replied", "replied", "bytes_down"] {
        assert_eq!(kind(twice.send(get("a:/x")).await), expected);
    }
    assert_eq!(twice.spent().bytes_down, 20);

    let once = with(10, 99, 1);
    assert_eq!(kind(once.send(get("a:/x")).await), "replied");
    let error = once.send(get("a:/x")).await.unwrap_err();
    assert_eq!(error.to_string(), "the run may use 1 requests, and this would make 2");

    let url_bytes = u64::try_from(format!("http://127.0.0.1:{}/x", server.port).len()).unwrap();
    let up = exchange(&[&server], Budget { bytes_up_max: url_bytes + 4, ..Budget::default() });
    let post = |body| Request { method: "POST", body: Some(body), ..get("a:/x") };
    assert_eq!(kind(up.send(post(b"12345")).await), "bytes_up");
    assert_eq!(kind(up.send(post(b"1234")).await), "replied");
}

#[tokio::test]
async fn an_endless_or_stalled_reply_ends() {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let soon = Some(Duration::from_millis(200));
    for start in ["", "HTTP/1.1 200", head, &format!("{head}some")] {
        let server = Server::start(Answer::Stall(start.to_owned())).await;
        let exchange = exchange(&[&server], Budget::default());
        let answer = exchange.send(Request { timeout: soon, ..get("a:/x") }).await;
        assert_eq!(kind(answer), "timeout", "{start}");
    }
    let server = Server::start(Answer::Endless(head.to_owned(), "x".to_owned())).await;
    let budget = Budget { body_bytes_max: 100_000, ..Budget::default() };
    assert_eq!(kind(exchange(&[&server], budget).send(get("a:/x")).await), "body_too_large");
}

#[tokio::test]
async fn what_is_not_http_is_a_failure_with_a_kind() {
    let many = "h: x\r\n".repeat(200);
    for bytes in [
        String::new(),
        "SSH-2.0-x\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{many}\r\n"),
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nshort".to_owned(),
        "HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx".to_owned(),
    ] {
        let server = Server::start(Answer::Bytes(bytes.clone())).await;
        let answer = exchange(&[&server], Budget::default()).send(get("a:/x")).await;
        assert_eq!(kind(answer), "protocol", "{bytes}");
    }
}

#[tokio::test]
async fn an_echo_of_the_secret_is_redacted() {
    let body = format!("you sent Bearer {SECRET}, twice: {SECRET}");
    let reply = ok(&body).replace("\r\n\r\n", &format!("\r\nx-echo: <{SECRET}>\r\nset-cookie: s={SECRET}\r\n\r\n"));
    let server = Server::start(Answer::Bytes(reply)).await;
    let reply = exchange(&[&server], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!(reply.body, b"you sent Bearer [redacted], twice: [redacted]");
    assert!(reply.headers.contains(&("x-echo".to_owned(), "<[redacted]>".to_owned())));
    assert!(!format!("{reply:?}").contains(SECRET) && !format!("{reply:?}").contains("set-cookie"));
}

#[tokio::test]
async fn a_secret_is_shown_nowhere() {
    let server = Server::start(Answer::Bytes(ok("hello"))).await;
    let exchange = exchange(&[&server], Budget::default());
    exchange.send(get("a:/x")).await.unwrap();
    assert!(!format!("{exchange:?}").contains(SECRET));

    let base_url = format!("http://127.0.0.1:{}", server.port);
    let missing = OriginConfig { secret: Some(Secret::missing("TOKEN")), ..origin("a", &base_url, true) };
    let error = reading(missing).send(get("a:/")).await;
    assert_eq!(error.unwrap_err().to_string(), "secret_missing: a: the secret `TOKEN` is configured and was not found");

    let unsendable = OriginConfig { secret: Some(Secret::new("a b")), ..origin("a", &base_url, true) };
    let error = Egress::new(vec![unsendable]).unwrap_err();
    assert_eq!(error, EgressError::Secret { alias: "a".parse().unwrap() });
}

/// The engine runs exchanges on whichever thread is free.
#[test]
fn a_request_may_move_between_threads() {
    fn moves<T: Send + Sync>(_: &T) {}
    fn moves_pending<T: Send>(_: T) {}
    let exchange = exchange(&[], Budget::default());
    moves(&exchange);
    moves_pending(exchange.send(get("a:/x")));
}

/// The environment belongs to the process, so another one runs a test of this file under hostile settings.
#[test]
fn proxies_of_the_environment_are_ignored() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "an_echo_of_the_secret_is_redacted"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let output = command.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
