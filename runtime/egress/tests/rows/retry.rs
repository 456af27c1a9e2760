//! Retries after the time that an origin names.

use std::time::Duration;

use intentbox_egress::{Budget, Request};

use crate::fixture::{Answer, Server, exchange, get, kind, ok, with};

/// The statuses of `replies` to one request with `method`, and the status that the script gets to see.
async fn check(method: &str, replies: Vec<String>, budget: Budget, expected: (u16, usize)) {
    let server = Server::start(Answer::Sequence(replies)).await;
    let reply = exchange(&[&server], budget).send(Request { method, ..get("a:/x") }).await.unwrap();
    assert_eq!((reply.status, server.seen().len()), expected, "{method}");
}

fn later(status: u16, after: &str) -> String {
    with(status, &format!("retry-after: {after}\r\n"), "")
}

#[tokio::test]
async fn a_read_waits_for_retry_after_and_succeeds() {
    for (status, after) in [(429, "0"), (503, "0"), (429, "Sun, 06 Nov 1994 08:49:37 GMT")] {
        check("GET", vec![later(status, after), ok("there")], Budget::default(), (200, 2)).await;
    }
    let replies = vec![later(429, "0"), later(503, "0"), ok("there")];
    check("GET", replies, Budget::default(), (200, 3)).await;
}

#[tokio::test]
async fn n10_a_write_is_not_repeated() {
    for status in [429, 503] {
        check("POST", vec![later(status, "0"), ok("twice")], Budget::default(), (status, 1)).await;
    }
}

#[tokio::test]
async fn n10_nothing_is_repeated_without_being_asked() {
    for reply in [with(429, "", ""), later(429, "soon"), later(429, "-1"), later(500, "0"), later(200, "0")] {
        let status = reply[9..12].parse().unwrap();
        check("GET", vec![reply, ok("twice")], Budget::default(), (status, 1)).await;
    }
}

#[tokio::test]
async fn a_wait_longer_than_the_run_is_not_waited_for() {
    for after in ["60", "86400", "18446744073709551615", "Tue, 31 Dec 2999 23:59:59 GMT"] {
        check("GET", vec![later(429, after), ok("late")], Budget::default(), (429, 1)).await;
    }
    let short = Budget { run: Duration::from_millis(500), ..Budget::default() };
    check("GET", vec![later(429, "1"), ok("late")], short, (429, 1)).await;
}

#[tokio::test]
async fn n10_a_request_waits_at_most_five_times() {
    check("GET", vec![later(429, "0")], Budget::default(), (429, 6)).await;
}

#[tokio::test]
async fn n10_every_wait_counts_as_a_request() {
    let server = Server::start(Answer::Sequence(vec![later(503, "0")])).await;
    let exchange = exchange(&[&server], Budget { requests_max: 2, ..Budget::default() });
    assert_eq!(kind(exchange.send(get("a:/x")).await), "requests");
    assert_eq!((server.seen().len(), exchange.spent().requests), (2, 2));
}
