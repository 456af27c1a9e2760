//! Properties of every header, redaction and reply, for the fuzz targets `header`, `redaction` and `reply` and for
//! tests over fewer inputs.

use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use intentbox_capability::{Grant, HttpRule, Origin, PrivateAddresses};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::redact::Redactor;
use crate::{Budget, Credential, Egress, OriginConfig, Request, Secret, SendError, header};

/// The secret of the origin that answers with anything.
const SECRET: &str = "tok-0123456789abcdef";

/// What one of its replies may cost. The times keep an oracle fast: a reply that makes the client wait is given up.
const BUDGET: Budget = Budget {
    requests_max: 4,
    bytes_up_max: 1 << 16,
    bytes_down_max: 1 << 20,
    body_bytes_max: 1 << 18,
    timeout: Duration::from_millis(500),
    redirects_max: 2,
    run: Duration::from_millis(500),
};

/// Names that a request has from the host or not at all.
const HOSTS: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "te",
    "upgrade",
    "expect",
    "authorization",
    "cookie",
    "proxy-connection",
];

/// Bytes as names and values, each after its length in one byte: written as a request they are read as one request with
/// those headers, or they are refused in one line.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn header(bytes: &[u8]) {
    let texts = texts(bytes);
    let given: Vec<(&str, &str)> = texts.chunks_exact(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let checked = match header::check(&given) {
        Ok(checked) => checked,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
            return;
        }
    };
    let mut request = b"GET / HTTP/1.1\r\n".to_vec();
    for (name, value) in &checked {
        request.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    request.extend(b"\r\n");
    let text = String::from_utf8(request).expect("names and values are ASCII");
    let head = text.strip_suffix("\r\n\r\n").expect("it ends in an empty line");
    assert!(!head.contains("\r\n\r\n"), "a second request begins in {text:?}");
    let mut lines = head.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    assert_eq!(lines.next(), Some("GET / HTTP/1.1"));
    let mut read: Vec<(String, &str)> = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?} is no header"));
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            assert!(!name.is_empty() && name.bytes().all(token), "{name:?}");
            assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{value:?}");
            assert!(!HOSTS.contains(&name.replace('_', "-").as_str()), "{name:?} is the host's");
            (name.to_owned(), value)
        })
        .collect();
    let mut expected: Vec<(String, &str)> =
        given.iter().map(|(name, value)| (name.to_ascii_lowercase(), *value)).collect();
    // Headers of one name are written together.
    read.sort();
    expected.sort();
    assert_eq!(read, expected);
}

/// A length, a secret of letters and digits, and what an origin sends around it: no form of it is left, what holds none
/// is unchanged, and a second pass finds nothing.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn redaction(bytes: &[u8]) {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let Some((length, rest)) = bytes.split_first() else { return };
    let length = 8 + usize::from(*length % 64);
    if rest.len() < length {
        return;
    }
    let (secret, around) = rest.split_at(length);
    let secret: String = secret.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect();
    let redactor = Redactor::new(&secret);
    let forms = [
        secret.clone(),
        STANDARD.encode(&secret),
        STANDARD_NO_PAD.encode(&secret),
        URL_SAFE.encode(&secret),
        URL_SAFE_NO_PAD.encode(&secret),
        secret.bytes().fold(String::new(), |hexadecimal, byte| format!("{hexadecimal}{byte:02x}")),
    ];
    if "[redacted]".contains(&secret) {
        return;
    }
    let (before, after) = around.split_at(around.len() / 2);
    for form in &forms {
        let told = [before, form.as_bytes(), after, form.as_bytes(), before].concat();
        assert!(redactor.finds(&told), "{form} was not found");
        let clean = redactor.redact(told);
        assert!(!redactor.finds(&clean), "a second pass finds more");
        for form in &forms {
            let left = clean.windows(form.len()).any(|window| window == form.as_bytes());
            assert!(!left, "{form} is left in {:?}", String::from_utf8_lossy(&clean));
        }
    }
    // In lines, and inside something longer.
    let whole = STANDARD.encode([before, secret.as_bytes(), after].concat());
    let lines: Vec<&[u8]> = whole.as_bytes().chunks(76).collect();
    let clean = redactor.redact(lines.join(&b"\r\n"[..]));
    assert!(clean.windows(10).any(|window| window == b"[redacted]"), "{}", String::from_utf8_lossy(&clean));
    let found = redactor.finds(around);
    assert_eq!(redactor.redact(around.to_vec()) != around, found);
}

fn texts(mut bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (text, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        texts.push(String::from_utf8_lossy(text).into_owned());
        bytes = rest;
    }
    texts
}

/// An origin on this machine that answers with anything, and the client's side.
struct Anything {
    runtime: Runtime,
    listener: TcpListener,
    egress: Egress,
}

impl Anything {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let origin = Origin::new("a".parse().expect("an alias"), &format!("http://{address}")).expect("an origin");
        let credential = Some(Credential::bearer(Secret::new(SECRET)).expect("plain ASCII"));
        let (roots, private_addresses) = (Vec::new(), PrivateAddresses::loopback());
        let config = OriginConfig { origin, credential, roots, private_addresses };
        let egress = Egress::new(vec![config]).expect("one origin");
        Self { runtime, listener, egress }
    }

    async fn answer(&self, bytes: &[u8]) {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else { continue };
            let mut request = Vec::new();
            let mut part = [0; 1024];
            while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                match stream.read(&mut part).await {
                    Ok(length) if length > 0 => request.extend_from_slice(&part[..length]),
                    _ => break,
                }
            }
            // The client may have read enough before it is all written.
            let _ = stream.write_all(bytes).await;
            let _ = stream.shutdown().await;
        }
    }
}

/// Any bytes as the reply of an origin, the same to each request: they become a reply within the budget without the secret, or
/// a failure in one line without it.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn reply(bytes: &[u8]) {
    static ORIGIN: LazyLock<Anything> = LazyLock::new(Anything::start);
    let rule: HttpRule = "a: GET /**".parse().expect("a rule");
    let exchange = ORIGIN.egress.open(Grant::of([rule]), BUDGET);
    let request = Request { method: "GET", url: "a:/x", headers: &[], body: None, timeout: None };
    let sent = ORIGIN.runtime.block_on(async {
        tokio::select! {
            sent = exchange.send(request) => sent,
            () = ORIGIN.answer(bytes) => unreachable!("it answers for ever"),
        }
    });
    match sent {
        Ok(reply) => {
            assert!((100..1000).contains(&reply.status), "{}", reply.status);
            assert!(reply.body.len() as u64 <= BUDGET.body_bytes_max, "{} bytes", reply.body.len());
            assert!(
                !reply.body.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()),
                "the secret is in the body"
            );
            for (name, value) in &reply.headers {
                assert!(*name == name.to_ascii_lowercase() && name != "set-cookie", "{name}");
                assert!(!value.contains(SECRET), "the secret is in {name}");
            }
            assert!(!reply.shown_url.contains(SECRET), "the secret is in the address");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(SECRET) && !message.contains(char::is_control), "{message:?}");
            assert!(!matches!(error, SendError::Refused(_)) || message.contains("refused"), "{message:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 >> 32).expect("32 bits fit") % end
        }

        fn bytes(&mut self, most: usize) -> Vec<u8> {
            let length = self.below(most);
            (0..length).map(|_| self.below(256).to_le_bytes()[0]).collect()
        }
    }

    const CASES: usize = 20_000;

    fn described(texts: &[&str]) -> Vec<u8> {
        let one = |text: &&str| [&[u8::try_from(text.len()).expect("it is short")][..], text.as_bytes()].concat();
        texts.iter().flat_map(one).collect()
    }

    #[test]
    fn h09_any_headers_are_one_request_or_refused() {
        const PIECES: [&str; 24] = [
            "x",
            "X-A",
            "a",
            "1",
            "host",
            "Host",
            "te",
            "cookie",
            "authorization",
            "content",
            "length",
            "-",
            "_",
            ":",
            " ",
            "\r\n",
            "\n",
            "\r",
            "\0",
            "\t",
            "é",
            "\u{7f}",
            "~",
            "",
        ];
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..CASES {
            header(&numbers.bytes(80));
            let texts: Vec<String> = (0..2 * numbers.below(4))
                .map(|_| (0..numbers.below(4)).map(|_| PIECES[numbers.below(PIECES.len())]).collect())
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            header(&described(&texts));
        }
        header(&described(&["Accept", "a", "accept", "b", "X", ""]));
    }

    #[test]
    fn s02_any_secret_is_found_in_anything() {
        let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
        for _ in 0..CASES {
            redaction(&numbers.bytes(300));
        }
        // A secret that repeats itself, and pieces of it around it.
        redaction(&[&[0][..], &[0; 8], &[b'A'; 20]].concat());
        redaction(&[&[4][..], &[0, 1].repeat(6), b"ABABABAB", b"BABABABA"].concat());
    }

    #[test]
    fn h16_any_reply_is_a_reply_within_the_budget_or_a_failure() {
        const PIECES: [&str; 28] = [
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 302 Found\r\n",
            "HTTP/1.0 404 Not Found\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 999 \r\n",
            "HTTP/1.1 99 \r\n",
            "HTTP/2 200\r\n",
            "\r\n",
            "\r\n",
            "\r\n\r\n",
            "content-length: 5\r\n",
            "content-length: 7\r\n",
            "content-length: -1\r\n",
            "content-length: 99999999999999999999\r\n",
            "transfer-encoding: chunked\r\n",
            "content-encoding: gzip\r\n",
            "location: /y\r\n",
            "location: //evil.example/\r\n",
            "set-cookie: a=tok-0123456789abcdef\r\n",
            "x-echo: tok-0123456789abcdef\r\n",
            "x:\u{1}\r\n",
            ": nothing\r\n",
            "5\r\nhello\r\n",
            "0\r\n\r\n",
            "ffffffffffffffff\r\n",
            "hello",
            "tok-0123456789abcdef",
        ];
        let mut numbers = Numbers(0x5eed);
        for _ in 0..400 {
            let pieces = 1 + numbers.below(8);
            let text: String = (0..pieces).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
            reply(text.as_bytes());
            reply(&numbers.bytes(64));
        }
    }
}
