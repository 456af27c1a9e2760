//! What a script may send, and how much.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use intentbox_capability::{Grant, Needs};
use intentbox_egress::{Budget, Egress, OriginConfig, Request};
use tokio::time::timeout;

use crate::fixture::{Answer, SECRET, Server, bearer, exchange, get, kind, ok, origin, rule};

/// How long a connection may take to close that nothing but the client would close.
const PATIENCE: Duration = Duration::from_mins(2);

#[tokio::test]
async fn h09_line_breaks_and_nul_are_refused_before_a_byte_is_sent() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for method in ["GET\r\nX-A: b", "GET\n", "GET /x HTTP/1.1\r\nHost: evil\r\n\r\n", "G\0ET", " GET", "GET\t"] {
        assert_eq!(kind(exchange.send(Request { method, ..get("a:/x") }).await), "refused", "{method:?}");
    }
    for url in [
        "a:/x/\r\nX-A: b",
        "a:/x/\n",
        "a:/x/\r",
        "a:/x/\0",
        "a:/x/\t",
        "a:/x/%0d%0aX-A:%20b",
        "a:/x/%00",
        "a:/x?q=\r\nX-A: b",
        "a:/x?q=\n",
        "a:/x?q=\0",
        "a:/x HTTP/1.1\r\nHost: evil",
        "a:/x\u{85}",
        "a:/x\u{2028}",
    ] {
        assert_eq!(kind(exchange.send(get(url)).await), "refused", "{url:?}");
    }
    for (name, value) in [
        ("x", "a\r\nX-A: b"),
        ("x", "a\n b"),
        ("x", "a\r"),
        ("x", "a\0"),
        ("x", "\u{10a}"),
        ("x\r\nX-A", "b"),
        ("x\n", "b"),
        ("x\0", "b"),
        ("x: y\r\nX-A", "b"),
        ("x ", "b"),
        ("", "b"),
    ] {
        let headers = [(name, value)];
        let answer = exchange.send(Request { headers: &headers, ..get("a:/x") }).await;
        assert_eq!(kind(answer), "header_invalid", "{name:?}: {value:?}");
    }
    // Encoded in a query they are data, and stay encoded. It is the first connection of all.
    assert_eq!(kind(exchange.send(get("a:/x?q=%0d%0aX-A:%20b")).await), "replied");
    assert_eq!(server.connections(), 1);
    let seen = server.seen().remove(0);
    assert!(seen.starts_with("GET /x?q=%0d%0aX-A:%20b HTTP/1.1\r\n") && !seen.contains("\r\nX-A"), "{seen}");
}

#[tokio::test]
async fn h10_headers_of_the_host_are_not_for_scripts() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for name in [
        "Host",
        "hOST",
        ":authority",
        ":path",
        "TE",
        "Transfer-Encoding",
        "Transfer_Encoding",
        "Content-Length",
        "content_length",
        "Connection",
        "Keep-Alive",
        "Upgrade",
        "HTTP2-Settings",
        "Trailer",
        "Expect",
        "Proxy-Authorization",
        "Proxy-Connection",
        "proxy_anything",
        "Forwarded",
        "X-Forwarded-Host",
        "X-HTTP-Method-Override",
        "X-Original-URL",
        "Accept-Encoding",
        "Content-Encoding",
        "X-Real-IP",
        "X.Forwarded.For",
        "X-HTTP-Verb",
        "X-Host-Override",
        "Cookie",
    ] {
        let headers = [("x-before", "1"), (name, "evil.example")];
        let answer = exchange.send(Request { headers: &headers, ..get("a:/x") }).await;
        assert_eq!(kind(answer), "header_invalid", "{name}");
    }
    assert_eq!(server.connections(), 0);
}

/// Headers by which the token of the host would act as somebody else, or as another credential: none of them goes out
/// unless every layer of the grant has a rule for the request that names it.
#[tokio::test]
async fn h10_a_header_is_sent_where_every_layer_names_it() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let base_url = format!("http://127.0.0.1:{}", server.port);
    let egress = Egress::new(vec![origin("a", &base_url, true)]).unwrap();
    let plain = || rule("a: GET,POST /x/**", &[], false);
    let named = || rule("a: GET /x", &["X-Scope-OrgID", "Sudo"], false);
    let both = egress.open(Grant::of([plain(), named()]).and([named()]), Budget::default());
    let headers = [("x-scope-orgid", "7"), ("SUDO", "2"), ("Accept", "text/plain")];
    assert_eq!(kind(both.send(Request { headers: &headers, ..get("a:/x") }).await), "replied");
    let seen = server.seen().remove(0);
    assert!(seen.contains("\r\nx-scope-orgid: 7\r\n") && seen.contains("\r\nsudo: 2\r\n"), "{seen}");

    let by = |first, second| egress.open(Grant::of([plain(), first]).and([plain(), second]), Budget::default());
    let other = || rule("a: GET /x", &["Impersonate-User"], false);
    for (run, request) in [
        (by(plain(), named()), get("a:/x")),
        (by(named(), plain()), get("a:/x")),
        (by(named(), other()), get("a:/x")),
        // A rule that names it, for another path and another method.
        (by(named(), named()), get("a:/x/y")),
        (by(named(), named()), Request { method: "POST", ..get("a:/x") }),
    ] {
        let headers = [("Accept", "text/plain"), ("Sudo", "2")];
        let error = run.send(Request { headers: &headers, ..request }).await.unwrap_err();
        let expected = "was refused: no rule for it allows the header `sudo`";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert_eq!((kind(Err(error)), run.refusals().len()), ("refused", 1));
        let Some(Needs::Rules(rules)) = run.refusals()[0].needs() else { panic!("{:?}", run.refusals()) };
        let rules = rules.additions();
        assert!(rules.contains("headers = [\"sudo\"] } to http"), "{rules}");
        assert!(!rules.contains(SECRET) && run.spent().bytes_up == 0);
    }
    assert_eq!(server.connections(), 1, "nothing else was sent");
}

#[tokio::test]
async fn h10_ordinary_headers_need_no_rule_and_all_others_do() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let budget = Budget { requests_max: 999, ..Budget::default() };
    let exchange = exchange(&[&server], budget);
    for name in ["Accept", "User-Agent", "If-None-Match", "Prefer", "Idempotency-Key", "X-Requested-With"] {
        let headers = [(name, "a")];
        assert_eq!(kind(exchange.send(Request { headers: &headers, ..get("a:/x") }).await), "replied", "{name}");
        assert!(server.seen().pop().unwrap().contains(&format!("\r\n{}: a\r\n", name.to_lowercase())), "{name}");
    }
    let sent = server.connections();
    for name in [
        "Private-Token",
        "X-Api-Key",
        "Api-Key",
        "X-Auth-Token",
        "X-Amz-Security-Token",
        "DPoP",
        "Impersonate-User",
        "Sudo",
        "Stripe-Account",
        "X-Scope-OrgID",
        "Remote-User",
        "Accept-Charset",
        "Want-Digest",
        "Content_Type",
    ] {
        let headers = [(name, "a")];
        assert_eq!(kind(exchange.send(Request { headers: &headers, ..get("a:/x") }).await), "refused", "{name}");
    }
    for name in
        ["Method-Override", "X-Original-HTTP-Method", "X-Forwarded-Method", "X-Forwarded-For", "X-Forwarded-User"]
    {
        let headers = [(name, "a")];
        assert_eq!(kind(exchange.send(Request { headers: &headers, ..get("a:/x") }).await), "header_invalid", "{name}");
    }
    assert_eq!(server.connections(), sent);
}

#[tokio::test]
async fn h10_a_header_does_not_follow_a_redirect_to_where_no_rule_names_it() {
    let server = Server::start(Answer::Redirect(302, "/x/next".to_owned())).await;
    let egress = Egress::new(vec![origin("a", &format!("http://127.0.0.1:{}", server.port), true)]).unwrap();
    let rules = [rule("a: GET /x/**", &[], false), rule("a: GET /x", &["Sudo"], false)];
    let run = egress.open(Grant::of(rules), Budget::default());
    let headers = [("Sudo", "2")];
    assert_eq!(kind(run.send(Request { headers: &headers, ..get("a:/x") }).await), "refused");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn h10_a_query_or_a_form_does_not_make_another_method_of_a_post() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget { requests_max: 99, ..Budget::default() });
    let post = |url, headers, body| Request { method: "POST", headers, body: Some(body), ..get(url) };
    let form = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")];
    let parts = [("Content-Type", "Multipart/Form-Data; boundary=b")];
    let wide_form = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-16")];
    let wide_parts = [("Content-Type", "multipart/form-data; boundary=b; charset=utf-16")];
    let part: &[u8] = b"--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nDELETE\r\n--b--\r\n";
    for url in
        ["a:/x?_method=DELETE", "a:/x?%5fmethod=delete", "a:/x?a=1&X-HTTP-Method-Override=PUT", "a:/x?$httpMethod=PUT"]
    {
        assert_eq!(kind(exchange.send(post(url, &[], b"{}")).await), "refused", "{url}");
        assert_eq!(kind(exchange.send(get(url)).await), "refused", "{url}");
    }
    for request in [
        post("a:/x", &form, b"a=1&_method=DELETE"),
        // Without a type, frameworks take a body for a form.
        post("a:/x", &[], b"_method=DELETE"),
        post("a:/x", &[("Content-Type", "")], b"_method=DELETE"),
        post("a:/x", &parts, part),
    ] {
        let error = exchange.send(request).await.unwrap_err();
        assert!(error.to_string().contains("`_method` in its body overrides the method"), "{error}");
    }
    for headers in [&wide_form, &wide_parts] {
        let error = exchange.send(post("a:/x", headers, b"a=1")).await.unwrap_err();
        let expected = "POST a:/x was refused: a form in the character set `utf-16` cannot be searched for a method \
                        override: send it as UTF-8";
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(server.connections(), 0);
    let json = [("Content-Type", "application/json")];
    for request in [
        post("a:/x?_method=post&method=find", &form, b"a=_method&b=DELETE"),
        post("a:/x", &json, b"{\"text\": \"a&_method=DELETE\"}"),
    ] {
        assert_eq!(kind(exchange.send(request).await), "replied");
    }
}

#[tokio::test]
async fn h10_methods_that_open_tunnels_or_echo_are_refused() {
    let server = Server::start(Answer::Bytes(ok("no"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for method in ["CONNECT", "connect", "TRACE", "TRACK", "OPTIONS", "PRI", "*", "", "GET,POST", "G\u{17f}T"] {
        assert_eq!(kind(exchange.send(Request { method, ..get("a:/x") }).await), "refused", "{method:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn h10_the_host_computes_the_framing() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget::default());
    let smuggled = "GET /y HTTP/1.1\r\nHost: evil\r\n\r\n";
    let request = Request { method: "POST", body: Some(smuggled.as_bytes()), ..get("a:/x") };
    assert_eq!(kind(exchange.send(request).await), "replied");
    let seen = server.seen().remove(0);
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    let count = |header: &str| head.lines().filter(|line| line.starts_with(header)).count();
    assert_eq!((count("host:"), count("content-length:"), count("transfer-encoding:")), (1, 1, 0), "{head}");
    assert!(head.contains(&format!("content-length: {}", smuggled.len())) && body == smuggled, "{seen}");
}

#[tokio::test]
async fn h11_many_and_long_headers_are_refused() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget { requests_max: 99, ..Budget::default() });
    let long = "y".repeat(8 << 20);
    for headers in [vec![("x", "y"); 20_000], vec![("x", long.as_str())], vec![(long.as_str(), "y")]] {
        let error = exchange.send(Request { headers: &headers, ..get("a:/x") }).await.unwrap_err();
        assert!(error.to_string().len() < 300, "a message does not repeat what was too long");
        assert_eq!(kind(Err(error)), "header_invalid");
    }
    for url in [format!("a:/x/{long}"), format!("a:/x?{long}"), format!("{long}:/x"), format!("http://{long}/x")] {
        let error = exchange.send(get(&url)).await.unwrap_err();
        assert!(error.to_string().len() < 1000, "a message does not repeat what was too long");
        assert_eq!(kind(Err(error)), "refused");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn h18_a_run_that_ignores_errors_cannot_send_more_than_its_budget() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget { requests_max: 8, ..Budget::default() });
    let mut kinds = Vec::new();
    for _ in 0..1000 {
        kinds.push(kind(exchange.send(get("a:/x")).await));
    }
    assert!(kinds[..8].iter().all(|kind| *kind == "replied") && kinds[8..].iter().all(|kind| *kind == "requests"));
    assert_eq!((server.seen().len(), exchange.spent().requests), (8, 8));
}

#[tokio::test]
async fn h18_refused_requests_count_too() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget { requests_max: 8, ..Budget::default() });
    for expected in ["refused"; 8].into_iter().chain(["requests"; 8]) {
        assert_eq!(kind(exchange.send(get("https://evil.example/")).await), expected);
    }
    assert_eq!(exchange.refusals().len(), 8, "the record of refusals is bounded by the same number");
    assert_eq!(kind(exchange.send(get("a:/x")).await), "requests");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn h18_uploads_and_downloads_are_budgets_of_the_run() {
    let server = Server::start(Answer::Bytes(ok(&"y".repeat(1000)))).await;
    let mebibyte = vec![b'x'; 1 << 20];
    let upload = |body| Request { method: "POST", body: Some(body), ..get("a:/x") };
    let all = exchange(&[&server], Budget::default());
    assert_eq!(kind(all.send(upload(&mebibyte)).await), "bytes_up", "the body fits, and its URL is too much");
    assert_eq!((server.connections(), all.spent().bytes_up), (0, 0));
    for expected in ["replied", "replied", "replied", "bytes_up"] {
        assert_eq!(kind(all.send(upload(&mebibyte[..300 << 10])).await), expected);
    }

    let down = exchange(&[&server], Budget { bytes_down_max: 2500, ..Budget::default() });
    for expected in ["replied", "replied", "bytes_down", "bytes_down"] {
        assert_eq!(kind(down.send(get("a:/x")).await), expected);
    }
    assert!(down.spent().bytes_down <= 2500);
}

/// The environment belongs to the process, so another one runs a test of this program under hostile settings: a proxy that is
/// there and would be heard of.
#[test]
fn h19_a_proxy_of_the_environment_hears_nothing() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "rows::secret::s02_an_echo_of_the_request_shows_no_secret"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, &address);
    }
    // With one of these a client that honours proxies might go without.
    for name in ["no_proxy", "NO_PROXY", "REQUEST_METHOD"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    proxy.set_nonblocking(true).unwrap();
    assert_eq!(proxy.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "the proxy was asked");
}

#[tokio::test]
async fn h21_a_cancelled_request_closes_its_connection() {
    for start in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"] {
        let server = Server::start(Answer::Stall(start.to_owned())).await;
        let exchange = exchange(&[&server], Budget::default());
        let request = tokio::spawn(async move { kind(exchange.send(get("a:/x")).await) });
        server.asked().await;
        request.abort();
        assert!(timeout(PATIENCE, server.left()).await.is_ok(), "{start:?}");
        assert!(request.await.unwrap_err().is_cancelled());
    }
}

#[tokio::test]
async fn h21_a_request_that_failed_closes_its_connection() {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_owned();
    for (answer, ends) in [
        (Answer::Stall(head.clone()), "timeout"),
        (Answer::Drip(head.clone()), "timeout"),
        (Answer::Endless(head, "x".to_owned()), "body_too_large"),
    ] {
        let server = Server::start(answer).await;
        let exchange = exchange(&[&server], Budget::default());
        let request = Request { timeout: Some(Duration::from_millis(200)), ..get("a:/x") };
        // A body without an end meets its limit on the way; how soon is the machine's business.
        let request = if ends == "timeout" { request } else { get("a:/x") };
        assert_eq!(kind(exchange.send(request).await), ends);
        assert!(timeout(PATIENCE, server.left()).await.is_ok(), "{ends}");
    }
}

#[tokio::test]
async fn h22_runs_share_neither_cookies_nor_answers() {
    let reply = "HTTP/1.1 200 OK\r\nset-cookie: id=1; Path=/\r\ncache-control: max-age=3600\r\netag: \"1\"\r\n\
                 content-length: 2\r\n\r\nok";
    let server = Server::start(Answer::KeepAlive(reply.to_owned())).await;
    let grant = || Grant::of(["a: GET /**".parse().unwrap()]);
    let egress = Egress::new(vec![origin("a", &format!("http://127.0.0.1:{}", server.port), true)]).unwrap();
    for _ in 0..3 {
        let run = egress.open(grant(), Budget::default());
        let reply = run.send(get("a:/x")).await.unwrap();
        assert!(reply.headers.iter().all(|(name, _)| name != "set-cookie"));
        assert_eq!(run.spent().requests, 1, "each run has a budget of its own");
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 3, "no answer was kept");
    for request in &seen {
        let request = request.to_ascii_lowercase();
        assert!(!request.contains("cookie:") && !request.contains("if-none-match:"), "{request}");
    }
}

#[tokio::test]
async fn h22_tenants_of_one_origin_send_their_own_token_on_their_own_connection() {
    let server = Server::start(Answer::KeepAlive("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned())).await;
    let base_url = format!("http://127.0.0.1:{}", server.port);
    let tenants = ["token-of-the-first", "token-of-the-second"];
    let egress = tenants.map(|token| {
        let config = OriginConfig { credential: Some(bearer(token)), ..origin("a", &base_url, true) };
        Egress::new(vec![config]).unwrap()
    });
    for tenant in [0, 1, 0, 1] {
        let run = egress[tenant].open(Grant::of(["a: GET /**".parse().unwrap()]), Budget::default());
        assert_eq!(kind(run.send(get("a:/x")).await), "replied");
        let seen = server.seen().pop().unwrap();
        assert!(seen.contains(&format!("authorization: Bearer {}\r\n", tenants[tenant])), "{seen}");
        assert!(!seen.contains(tenants[1 - tenant]), "{seen}");
    }
    assert!(server.connections() >= 2, "they do not share one");
}
