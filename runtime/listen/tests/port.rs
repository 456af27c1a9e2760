//! A port with the routes of two protocols, tested by clients.

#![expect(clippy::disallowed_methods, reason = "this is a client that opens connections")]

use std::net::{Ipv4Addr, SocketAddr};

use axum::http::{HeaderName, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use intentbox_listen::http::{self, Options, Rejection, Surface};
use intentbox_listen::{CancellationToken, Scope, Tokens};
use intentbox_report::Principal;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Tokens of two holders.
const TOKENS: &str = "alice alice-0123456789abcdef\nbob bob-0123456789abcdef00\n";
const ALICE: &str = "authorization: Bearer alice-0123456789abcdef\r\n";
const BOB: &str = "authorization: Bearer bob-0123456789abcdef00\r\n";

/// A route that says who calls it.
async fn caller(Extension(principal): Extension<Principal>) -> String {
    principal.as_str().to_owned()
}

/// Below `/b` rejections have another form than elsewhere.
fn refuse(uri: &Uri, rejection: Rejection) -> Response {
    if uri.path().starts_with("/b") {
        format!("b: {rejection}").into_response()
    } else {
        rejection.to_string().into_response()
    }
}

fn surface() -> Surface {
    let other = Router::new().route("/b", get(caller));
    Surface {
        open: Router::new(),
        routes: Router::new().route("/a", get(caller)).merge(other),
        exposed: vec![HeaderName::from_static("x-session")],
        needs: |_, uri| if uri.path() == "/b" { Scope::Manage } else { Scope::Read },
        refuse,
        unknown: |uri| format!("not here: {}", uri.path()).into_response(),
    }
}

/// Does something with a port that needs a token.
fn with_port(client: impl AsyncFnOnce(SocketAddr)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let tokens = Tokens::parse(TOKENS).expect("it is a list");
        let options = Options::new(&[], &["https://app.example.com".to_owned()], tokens).expect("they are valid");
        let stop = CancellationToken::new();
        let serving = http::serve(listener, surface(), options, stop.clone());
        let working = async {
            client(address).await;
            stop.cancel();
        };
        let (ended, ()) = tokio::join!(serving, working);
        ended.expect("it serves until it is stopped");
    });
}

/// The head and the body of an answer.
async fn ask(address: SocketAddr, line: &str, headers: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!("{line} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.expect("it answers in text");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head ends");
    (head.to_owned(), body.to_owned())
}

#[test]
fn protocols_share_a_port_and_each_has_its_own_form_of_a_rejection() {
    with_port(async |address| {
        let host = format!("host: {address}\r\n");
        let elsewhere = "host: evil.example\r\n";
        let not_here = "Host or Origin is not allowed: the operator allows another name with `--allow-host NAME`, and pages of others with \
                        `--allow-origin ORIGIN`";
        for (path, headers, status, header, body) in [
            ("/a", format!("{host}{ALICE}"), 200, "", "token:alice"),
            ("/b", format!("{host}{BOB}"), 200, "", "token:bob"),
            ("/c", format!("{host}{BOB}"), 404, "", "not here: /c"),
            // What is not there needs no token, and is still no matter of other sites.
            ("/c", host.clone(), 404, "", "not here: /c"),
            ("/c", elsewhere.to_owned(), 403, "", not_here),
            (
                "/a",
                host.clone(),
                401,
                "\r\nwww-authenticate: Bearer",
                "unauthorized: send the header `Authorization: Bearer TOKEN` with a token of this server",
            ),
            (
                "/b",
                host.clone(),
                401,
                "\r\nwww-authenticate: Bearer",
                "b: unauthorized: send the header `Authorization: Bearer TOKEN` with a token of this server",
            ),
            ("/a", format!("{elsewhere}{ALICE}"), 403, "", not_here),
        ] {
            let (head, got) = ask(address, &format!("GET {path}"), &headers).await;
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {headers:?}: {head}");
            assert!(head.contains(header), "{path} {headers:?}: {head}");
            assert_eq!(got, body, "{path} {headers:?}");
        }
    });
}

#[test]
fn a_preflight_needs_no_token_and_an_allowed_page_may_read_what_is_exposed() {
    with_port(async |address| {
        let origin = "origin: https://app.example.com\r\n";
        let asked = format!("host: {address}\r\n{origin}access-control-request-method: POST\r\n");
        let (head, _) = ask(address, "OPTIONS /a", &asked).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(head.contains("\r\naccess-control-allow-origin: https://app.example.com"), "{head}");
        let (head, body) = ask(address, "GET /a", &format!("host: {address}\r\n{origin}{ALICE}")).await;
        assert!(head.contains("\r\naccess-control-expose-headers: x-session"), "{head}");
        assert_eq!(body, "token:alice");
    });
}
