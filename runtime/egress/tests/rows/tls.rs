//! Certificates: only those of a trusted authority, for this host, at this time.
//!
//! The certificates beside the fixture were made for these tests and protect nothing. They share one key; the key of the
//! authority was thrown away. Each test runs in a process that trusts that authority: the environment variable that names
//! the machine's authorities says so, and a script cannot set it.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;

use intentbox_egress::{Egress, EgressError, OriginConfig};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use crate::fixture::{Answer, Server, get, kind, ok, origin, reading};

/// Who signed [`GOOD`] and all of [`CERTIFICATES`] but the last.
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixture/tls/authority.pem");

const KEY: &[u8] = include_bytes!("../fixture/tls/server_key.pem");

/// A certificate for `localhost` and 127.0.0.1 that is valid for a hundred years.
const GOOD: &[u8] = include_bytes!("../fixture/tls/good.pem");

/// Certificates that are wrong in one way each.
const CERTIFICATES: [(&str, &[u8]); 4] = [
    ("expired", include_bytes!("../fixture/tls/expired.pem")),
    ("not yet valid", include_bytes!("../fixture/tls/not_yet.pem")),
    ("of another host", include_bytes!("../fixture/tls/other_host.pem")),
    ("self-signed", include_bytes!("../fixture/tls/self_signed.pem")),
];

/// Serves `secure` under a certificate, and returns the port.
fn serve(certificate: &[u8]) -> u16 {
    let certificate = CertificateDer::from_pem_slice(certificate).unwrap();
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The thread ends with the test's process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that does not accept the certificate leaves during the handshake.
            let _ = answer(stream, Arc::clone(&config));
        }
    });
    port
}

fn answer(mut stream: TcpStream, config: Arc<ServerConfig>) -> io::Result<()> {
    let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut encrypted = rustls::Stream::new(&mut connection, &mut stream);
    let mut request = [0; 4096];
    if encrypted.read(&mut request)? == 0 {
        return Ok(());
    }
    encrypted.write_all(ok("secure").as_bytes())?;
    encrypted.conn.send_close_notify();
    encrypted.flush()
}

async fn ask(host: &str, port: u16) -> &'static str {
    kind(reading(origin("a", &format!("https://{host}:{port}"), true)).send(get("a:/")).await)
}

#[tokio::test]
async fn h20_a_certificate_of_an_unknown_authority_is_refused() {
    for (what, certificate) in CERTIFICATES.into_iter().chain([("of an unknown authority", GOOD)]) {
        assert_eq!(ask("localhost", serve(certificate)).await, "tls", "{what}");
    }
}

#[tokio::test]
async fn h20_what_is_no_encryption_is_refused() {
    for bytes in [ok("plain"), "\u{16}\u{3}\u{3}garbage of a handshake".to_owned(), "SSH-2.0-x\r\n".to_owned()] {
        // It answers the first bytes it gets, whatever they are: a handshake has no empty line to wait for.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(bytes.as_bytes());
            }
        });
        assert_eq!(ask("localhost", port).await, "tls");
    }
}

#[tokio::test]
async fn h20_an_encrypted_origin_is_never_asked_in_plain_text() {
    let server = Server::start(Answer::Stall(String::new())).await;
    let request = intentbox_egress::Request { timeout: Some(std::time::Duration::from_millis(200)), ..get("a:/") };
    let base_url = format!("https://127.0.0.1:{}", server.port);
    let ended = kind(reading(origin("a", &base_url, true)).send(request).await);
    // A machine that trusts no authority at all does not get as far as the handshake.
    assert!(matches!(ended, "timeout" | "tls"), "{ended}");
    assert!(server.seen().is_empty(), "nothing that arrived was a request");
}

/// What an origin's `ca_file` holds counts besides the machine's authorities, and for that origin alone.
#[tokio::test]
async fn h20_an_authority_of_the_configuration_is_trusted_for_its_origin() {
    let roots = std::fs::read(AUTHORITY).unwrap();
    let trusting = |host: &str, port| OriginConfig {
        roots: roots.clone(),
        ..origin("a", &format!("https://{host}:{port}"), true)
    };
    let good = serve(GOOD);
    for host in ["localhost", "127.0.0.1"] {
        assert_eq!(kind(reading(trusting(host, good)).send(get("a:/")).await), "replied", "{host}");
    }
    for (what, certificate) in CERTIFICATES {
        assert_eq!(kind(reading(trusting("localhost", serve(certificate))).send(get("a:/")).await), "tls", "{what}");
    }
    let nothing = OriginConfig { roots: b"none".to_vec(), ..origin("a", "https://localhost", true) };
    assert_eq!(Egress::new(vec![nothing]).unwrap_err(), EgressError::Roots { alias: "a".parse().unwrap() });
}

/// The environment belongs to the process, so another one runs the test below.
#[test]
fn h20_under_a_trusted_authority_only_the_right_certificate_is_accepted() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--ignored", "rows::tls::certificates_of_a_trusted_authority"]);
    let output = command.env("SSL_CERT_FILE", AUTHORITY).env_remove("SSL_CERT_DIR").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[tokio::test]
#[ignore = "`h20_under_a_trusted_authority_only_the_right_certificate_is_accepted` runs it where the authority is trusted"]
async fn certificates_of_a_trusted_authority() {
    let good = serve(GOOD);
    assert_eq!((ask("localhost", good).await, ask("127.0.0.1", good).await), ("replied", "replied"));
    for (what, certificate) in CERTIFICATES {
        assert_eq!(ask("localhost", serve(certificate)).await, "tls", "{what}");
    }
}
