//! What becomes of a secret: it is sent to its origin, once, and shown nowhere.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use intentbox_capability::{Alias, Grant};
use intentbox_egress::{Budget, Credential, CredentialError, Egress, OriginConfig, Request, Secret};

use crate::fixture::{Answer, SECRET, Server, bearer, exchange, get, kind, ok, origin, reading, redirect, with};

/// A token with every character that some encoding writes differently.
const AWKWARD: &str = "a/b+c=d&e<f>g\"h'i";

async fn echoed(secret: &str, reply: String) -> intentbox_egress::Reply {
    let server = Server::start(Answer::Bytes(reply)).await;
    let base_url = format!("http://127.0.0.1:{}", server.port);
    let config = OriginConfig { credential: Some(bearer(secret)), ..origin("a", &base_url, true) };
    reading(config).send(get("a:/")).await.unwrap()
}

#[tokio::test]
async fn s02_an_echo_of_the_request_shows_no_secret() {
    for status in [200, 404, 500] {
        let server = Server::start(Answer::Echo(status)).await;
        let reply = exchange(&[&server], Budget::default()).send(get("a:/x")).await.unwrap();
        let body = String::from_utf8(reply.body).unwrap();
        assert!(server.seen()[0].contains(SECRET), "it was sent");
        assert!(body.contains("authorization: Bearer [redacted]\r\n") && !body.contains(SECRET), "{body}");
    }
}

#[tokio::test]
async fn s02_every_form_that_servers_write_is_redacted() {
    let percent = "a%2Fb%2Bc%3Dd%26e%3Cf%3Eg%22h%27i";
    for form in [
        AWKWARD.to_owned(),
        STANDARD.encode(AWKWARD),
        URL_SAFE_NO_PAD.encode(AWKWARD),
        percent.to_owned(),
        percent.to_lowercase(),
        "a/b+c=d&amp;e&lt;f&gt;g&quot;h&#39;i".to_owned(),
        AWKWARD.replace('/', "\\/"),
        AWKWARD.replace('"', "\\\""),
        AWKWARD.bytes().fold(String::new(), |hexadecimal, byte| format!("{hexadecimal}{byte:02x}")),
        AWKWARD.bytes().fold(String::new(), |hexadecimal, byte| format!("{hexadecimal}{byte:02X}")),
    ] {
        let header = format!("x-echo: before {form} after\r\n");
        let reply = echoed(AWKWARD, with(500, &header, &format!("before {form} after"))).await;
        assert_eq!(String::from_utf8(reply.body).unwrap(), "before [redacted] after", "{form}");
        let header = reply.headers.iter().find(|(name, _)| name == "x-echo").unwrap();
        assert_eq!(header.1, "before [redacted] after", "{form}");
    }
    for around in ["user:", "u:", "us:", "Bearer "] {
        let whole = STANDARD.encode(format!("{around}{AWKWARD}:more"));
        let body = String::from_utf8(echoed(AWKWARD, ok(&whole)).await.body).unwrap();
        assert!(body.contains("[redacted]"), "{around}: {body}");
    }
}

#[tokio::test]
async fn s02_cookies_and_locations_do_not_carry_it_either() {
    let reply = echoed(SECRET, with(200, &format!("set-cookie: s={SECRET}\r\nset-cookie2: s={SECRET}\r\n"), "")).await;
    assert!(!format!("{reply:?}").contains(SECRET) && !format!("{reply:?}").contains("set-cookie"), "{reply:?}");
    for location in [format!("/x?{SECRET}"), format!("/x/{}", STANDARD.encode(SECRET)), format!("//{SECRET}.example/")]
    {
        let server = Server::start(Answer::Bytes(redirect(302, &location))).await;
        assert_eq!(kind(exchange(&[&server], Budget::default()).send(get("a:/x")).await), "redirect");
        assert_eq!(server.seen().len(), 1);
    }
}

/// Fifty parts of eight bytes hold no secret, and are one together.
#[tokio::test]
async fn s02_a_reply_is_not_had_in_pieces_where_there_is_a_secret() {
    let server = Server::start(Answer::Bytes(with(206, "content-range: bytes 0-7/99\r\n", "tok-0123"))).await;
    let base_url = format!("http://127.0.0.1:{}", server.port);
    let asking = |name| [(name, "bytes=0-7")];
    let run = reading(origin("a", &base_url, true));
    for name in ["Range", "range", "If-Range"] {
        let answer = run.send(Request { headers: &asking(name), ..get("a:/") }).await;
        assert_eq!(kind(answer), "header_invalid", "{name}");
    }
    assert_eq!(server.connections(), 0);
    // A part that nobody asked for is no reply.
    assert_eq!(kind(reading(origin("a", &base_url, true)).send(get("a:/")).await), "protocol");
    let open = || reading(OriginConfig { credential: None, ..origin("a", &base_url, true) });
    assert_eq!(kind(open().send(get("a:/")).await), "protocol");
    let reply = open().send(Request { headers: &asking("Range"), ..get("a:/") }).await.unwrap();
    assert_eq!((reply.status, reply.body.as_slice()), (206, &b"tok-0123"[..]));
}

/// What an origin can still do with its own token: say it in a form that nobody looks for. This is why an origin with a
/// secret must be one that is trusted with it.
#[tokio::test]
async fn s02_split_and_reversed_forms_are_residual() {
    let reversed: String = SECRET.chars().rev().collect();
    let (first, second) = SECRET.split_at(10);
    for form in [reversed, format!("{first} {second}"), SECRET.to_uppercase()] {
        assert_eq!(echoed(SECRET, ok(&form)).await.body, form.as_bytes());
    }
}

#[tokio::test]
async fn s03_placeholders_are_sent_as_they_stand() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for placeholder in ["{token}", "{{token}}", "${TOKEN}", "$TOKEN", "%(token)s", "{a.secret}", "****", "[redacted]"] {
        let url = format!("a:/x/{placeholder}?q={placeholder}").replace('%', "%25");
        let headers = [("x-token", placeholder)];
        let body = format!("{{\"token\": \"{placeholder}\"}}");
        let request = Request { method: "POST", headers: &headers, body: Some(body.as_bytes()), ..get(&url) };
        assert_eq!(kind(exchange.send(request).await), "replied", "{placeholder}");
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.matches(SECRET).count(), 1, "{placeholder}: {seen}");
        assert!(seen.contains(&format!("x-token: {placeholder}\r\n")) && seen.ends_with(&body), "{seen}");
    }
}

#[tokio::test]
async fn s04_a_script_cannot_set_the_credential() {
    let server = Server::start(Answer::Bytes(ok("yes"))).await;
    let exchange = exchange(&[&server], Budget::default());
    for headers in [
        &[("Authorization", "Bearer mine")][..],
        &[("authorization", "")],
        &[("AUTHORIZATION", "Basic eDp5")],
        &[("aUtHoRiZaTiOn", "x"), ("authorization", "y")],
        &[("x-a", "1"), ("Authorization", "x")],
        &[("Proxy-Authorization", "x")],
        &[("Proxy_Authorization", "x")],
        &[("Cookie", "session=1")],
        &[("Authorization ", "x")],
        &[("Authorization\t", "x")],
        &[("X-Authorization", "x")],
    ] {
        let answer = exchange.send(Request { headers, ..get("a:/x") }).await;
        assert_eq!(kind(answer), "header_invalid", "{headers:?}");
    }
    assert_eq!(server.connections(), 0);
    // A header of the API's own goes along, and the credential is the host's, once.
    let headers = [("X-Identity", "mine")];
    assert_eq!(kind(exchange.send(Request { headers: &headers, ..get("a:/x") }).await), "replied");
    let seen = server.seen().remove(0);
    assert_eq!(seen.matches(&format!("\r\nauthorization: Bearer {SECRET}\r\n")).count(), 1, "{seen}");
    assert_eq!(seen.to_ascii_lowercase().matches("\r\nauthorization:").count(), 1, "{seen}");
}

/// Every public type that a secret goes into or comes near, as `Debug` and as `Display` show it.
#[tokio::test]
async fn s06_no_type_of_the_way_out_shows_a_secret() {
    let server = Server::start(Answer::Echo(200)).await;
    let base_url = format!("http://127.0.0.1:{}", server.port);
    let config = origin("a", &base_url, true);
    let mut shown = vec![format!("{config:?} {:?}", Secret::new(SECRET))];
    let egress = Egress::new(vec![config]).unwrap();
    let exchange = egress.open(Grant::of(["a: GET /x".parse().unwrap()]), Budget::default());
    let reply = exchange.send(get("a:/x")).await.unwrap();
    let refused = exchange.send(get(&format!("a:/y?{SECRET}"))).await.unwrap_err();
    shown.push(format!("{egress:?} {exchange:?} {reply:?} {:?}", exchange.refusals()));
    // A refusal repeats the script's own text without its query: a script that has the value got it from elsewhere.
    shown.push(format!("{refused} {refused:?}"));
    for answer in [
        Answer::Bytes(redirect(302, &format!("/x?{SECRET}"))),
        Answer::Bytes(format!("HTTP/1.1 200 OK\r\n{SECRET}\r\n\r\n")),
        Answer::Bytes(SECRET.to_owned()),
        Answer::Reset,
    ] {
        let server = Server::start(answer).await;
        let error = crate::fixture::exchange(&[&server], Budget::default()).send(get("a:/x")).await.unwrap_err();
        shown.push(format!("{error} {error:?}"));
    }
    let error = Credential::bearer(Secret::new(format!("{SECRET} \u{7f}"))).unwrap_err();
    assert_eq!(error, CredentialError::Secret);
    shown.push(format!("{error} {error:?}"));
    for text in shown {
        assert!(!text.contains(SECRET), "{text}");
        assert!(!text.contains(&STANDARD.encode(SECRET)), "{text}");
    }
}

/// A secret is fixed for the life of an [`Egress`]; whoever keeps answers tells by its version whether it is the same.
#[test]
fn s08_versions_tell_secrets_apart() {
    let config = |alias: &str, secret: Option<&str>| OriginConfig {
        credential: secret.map(bearer),
        ..origin(alias, "http://127.0.0.1:9", true)
    };
    let egress = Egress::new(vec![
        config("old", Some("token-of-yesterday")),
        config("new", Some("token-of-today")),
        config("same", Some("token-of-today\n")),
        config("none", None),
    ])
    .unwrap();
    let version = |alias: &str| {
        let alias: Alias = alias.parse().unwrap();
        egress.secret_versions([&alias]).remove(0)
    };
    assert_eq!(version("new"), version("same"));
    let all = ["old", "new", "none"].map(version);
    let distinct: std::collections::BTreeSet<u64> = all.into_iter().collect();
    assert_eq!(distinct.len(), all.len());
}
