//! Redirects: where they may lead, and which credentials and headers go along.

use intentbox_egress::{Budget, Request};

use crate::fixture::{Answer, Bound, SECRET, Server, exchange, get, kind, ok, redirect, with};

/// Where a client goes from a server that leads to `location`, how many requests that server saw, and how many refusals
/// were noted.
async fn led(location: &str) -> (&'static str, usize, usize) {
    let server = Server::start(Answer::Redirect(302, location.to_owned())).await;
    let exchange = exchange(&[&server], Budget::default());
    let ended = kind(exchange.send(get("a:/x")).await);
    (ended, server.seen().len(), exchange.refusals().len())
}

fn is_signed(request: &str) -> bool {
    request.to_ascii_lowercase().contains("\r\nauthorization:")
}

#[tokio::test]
async fn h12_a_redirect_out_of_the_grant_is_refused() {
    for location in [
        "/y",
        "..",
        "//127.0.0.1/x",
        "//evil.example/x",
        "http://127.0.0.1/x",
        "http://[::1]/x",
        "http://localhost/x",
        "http://0x7f.1/x",
        "https://127.0.0.1/x",
        "http://169.254.169.254/latest/meta-data/",
        "http://user@evil.example/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,x",
        "a:/x",
        "b:/x",
        "/x/%2e%2e/y",
        "/x/..%2fy",
        "/x\\..\\y",
        "http:///x",
        "http://",
    ] {
        assert_eq!(led(location).await, ("refused", 1, 1), "{location}");
    }
}

#[tokio::test]
async fn h12_another_scheme_or_port_is_another_origin() {
    let other = Server::start(Answer::Bytes(ok("other"))).await;
    for location in [
        format!("https://127.0.0.1:{}/x", other.port),
        format!("http://127.0.0.1:{}/x", other.port),
        format!("//127.0.0.1:{}/x", other.port),
    ] {
        assert_eq!(led(&location).await, ("refused", 1, 1), "{location}");
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn h12_a_redirect_to_another_origin_loses_the_secret() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::start(Answer::Bytes(ok("other"))).await;
        let location = format!("http://127.0.0.1:{}/x", other.port);
        let home = Server::start(Answer::Redirect(status, location)).await;
        let reply = exchange(&[&home, &other], Budget::default()).send(get("a:/x")).await.unwrap();
        assert_eq!((reply.shown_url.as_str(), reply.body.as_slice()), ("b:/x", &b"other"[..]));
        assert!(home.seen()[0].contains(SECRET), "{status}");
        assert!(!is_signed(&other.seen()[0]) && !other.seen()[0].contains(SECRET), "{status}: {}", other.seen()[0]);
    }
}

#[tokio::test]
async fn h12_the_secret_does_not_come_back_with_the_way_home() {
    let home = Bound::new().await;
    let location = format!("http://127.0.0.1:{}/x/home", home.port);
    let other = Server::start(Answer::Bytes(redirect(302, &location))).await;
    let home = home.answer(Answer::Redirect(302, format!("http://127.0.0.1:{}/x", other.port)));
    let reply = exchange(&[&home, &other], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!(reply.shown_url, "a:/x/home");
    let signed: Vec<bool> = home.seen().iter().chain(&other.seen()).map(|request| is_signed(request)).collect();
    assert_eq!(signed, [true, false, false], "only the first request is the script's own");
}

#[tokio::test]
async fn h12_redirects_end_after_five() {
    let chain: Vec<String> = (1..=50).map(|hop| redirect(302, &format!("/x/{hop}"))).collect();
    for replies in [chain, vec![redirect(308, "/x")]] {
        let server = Server::start(Answer::Sequence(replies)).await;
        assert_eq!(kind(exchange(&[&server], Budget::default()).send(get("a:/x")).await), "redirect");
        assert_eq!(server.seen().len(), 6, "the request and five redirects");
    }
    let five = (1..=5).map(|hop| redirect(307, &format!("/x/{hop}"))).chain([ok("there")]).collect();
    let server = Server::start(Answer::Sequence(five)).await;
    let reply = exchange(&[&server], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!(reply.shown_url, "a:/x/5");
}

#[tokio::test]
async fn h12_every_hop_counts_as_a_request() {
    let server = Server::start(Answer::Sequence(vec![redirect(302, "/x")])).await;
    let exchange = exchange(&[&server], Budget { requests_max: 3, ..Budget::default() });
    assert_eq!(kind(exchange.send(get("a:/x")).await), "requests");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn h12_a_location_that_is_none_ends_the_request() {
    assert_eq!(led("").await, ("redirect", 1, 0));
    assert_eq!(led(&format!("/x?token={SECRET}")).await, ("redirect", 1, 0));
    assert_eq!(led("/x/caf\u{e9}").await, ("redirect", 1, 0));
    // Without a location it is an ordinary reply.
    let server = Server::start(Answer::Bytes(with(302, "", "nowhere"))).await;
    let reply = exchange(&[&server], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!((reply.status, reply.body.as_slice()), (302, &b"nowhere"[..]));
}

/// A parser decodes and lower-cases, and a refusal would tell the script the result; another origin would get it.
#[tokio::test]
async fn s02_a_location_that_hides_the_secret_ends_the_request() {
    let other = Server::start(Answer::Bytes(ok("other"))).await;
    let everywhere = SECRET.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02x}"));
    let capitals = SECRET.to_uppercase();
    let partly = SECRET.replacen('k', "%6B", 1);
    let twice = partly.replace('%', "%25");
    for location in [
        format!("/denied/{partly}"),
        format!("/denied/{capitals}"),
        format!("/x/{everywhere}"),
        format!("/x?q={partly}"),
        format!("/x?q={twice}"),
        format!("http://{partly}/"),
        format!("http://{everywhere}/"),
        format!("http://{capitals}/"),
        format!("http://{partly}:99999/"),
        format!("http://{}/", SECRET.replacen('k', "%EF%BD%8B", 1)),
        SECRET.replacen('k', "\tk", 1),
        format!("http://127.0.0.1:{}/x?q={partly}", other.port),
    ] {
        let home = Server::start(Answer::Redirect(302, location.clone())).await;
        let run = exchange(&[&home, &other], Budget::default());
        let error = run.send(get("a:/x")).await.unwrap_err().to_string();
        assert_eq!(error, "redirect: a:/x redirects to a location that holds the origin's secret", "{location}");
        assert_eq!((home.seen().len(), run.refusals()), (1, Vec::new()), "{location}");
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn h12_a_body_is_not_carried_where_the_method_changes() {
    for (status, method, carried) in
        [(301, "GET", false), (302, "GET", false), (303, "GET", false), (307, "POST", true), (308, "POST", true)]
    {
        let server = Server::start(Answer::Redirect(status, "/x/next".to_owned())).await;
        let headers = [("Content-Type", "text/plain")];
        let request = Request { method: "POST", headers: &headers, body: Some(b"once"), ..get("a:/x") };
        let reply = exchange(&[&server], Budget::default()).send(request).await.unwrap();
        assert_eq!(reply.shown_url, "a:/x/next", "{status}");
        let second = server.seen().remove(1);
        assert!(second.starts_with(&format!("{method} /x/next ")), "{status}: {second}");
        assert_eq!(second.contains("once"), carried, "{status}: {second}");
        assert_eq!(second.contains("content-type"), carried, "{status}: {second}");
        assert!(second.contains(SECRET), "the way stays at its origin: {second}");
    }
}

#[tokio::test]
async fn s05_a_redirect_elsewhere_carries_no_credential() {
    let other = Server::start(Answer::Sequence(vec![redirect(302, "/x/again"), ok("there")])).await;
    let home = Server::start(Answer::Redirect(302, format!("http://127.0.0.1:{}/x", other.port))).await;
    let reply = exchange(&[&home, &other], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!(reply.shown_url, "b:/x/again");
    // The second hop stays at the other origin, and is none of the script's choosing either.
    let signed: Vec<bool> = other.seen().iter().map(|request| is_signed(request)).collect();
    assert_eq!(signed, [false, false]);
}

#[tokio::test]
async fn s05_a_retry_elsewhere_carries_no_credential() {
    let later = with(429, "retry-after: 0\r\n", "");
    let other = Server::start(Answer::Sequence(vec![later, ok("there")])).await;
    let home = Server::start(Answer::Redirect(302, format!("http://127.0.0.1:{}/x", other.port))).await;
    let reply = exchange(&[&home, &other], Budget::default()).send(get("a:/x")).await.unwrap();
    assert_eq!((reply.shown_url.as_str(), other.seen().len()), ("b:/x", 2));
    assert!(other.seen().iter().all(|request| !is_signed(request)));
}
