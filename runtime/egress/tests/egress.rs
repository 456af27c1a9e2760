//! Egress against servers on the loopback interface: what arrives there, and what the script sees. `rows` has the tests of
//! single rows of the threat model, and this file those that belong to several.

mod fixture;
mod rows;

use intentbox_egress::{Budget, Request, Spent};

use crate::fixture::{Answer, SECRET, Server, exchange, get, kind, ok};

#[tokio::test]
async fn a_request_arrives_as_it_was_asked_for_with_the_secret_once() {
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
    assert_eq!(error.to_string(), "the limit of requests is 1, and this request would reach 2");

    let url_bytes = u64::try_from(format!("http://127.0.0.1:{}/x", server.port).len()).unwrap();
    let up = exchange(&[&server], Budget { bytes_up_max: url_bytes + 4, ..Budget::default() });
    let post = |body| Request { method: "POST", body: Some(body), ..get("a:/x") };
    assert_eq!(kind(up.send(post(b"12345")).await), "bytes_up");
    assert_eq!(kind(up.send(post(b"1234")).await), "replied");
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
