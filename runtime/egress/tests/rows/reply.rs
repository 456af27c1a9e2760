//! What a server may do to the client that asks it: bombs, floods, silence, and bytes that are no reply.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use intentbox_egress::{Budget, Reply, Request, SendError};

use crate::fixture::{Answer, Bound, Server, exchange, get, kind, ok, origin, reading, with};

const HEAD: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";

async fn ask(answer: Answer, budget: Budget) -> Result<Reply, SendError> {
    let server = Server::start(answer).await;
    exchange(&[&server], budget).send(get("a:/x")).await
}

/// Asks with a deadline that is soon, for servers that would go on for ever.
async fn ask_briefly(answer: Answer) -> &'static str {
    let server = Server::start(answer).await;
    let request = Request { timeout: Some(Duration::from_millis(300)), ..get("a:/x") };
    kind(exchange(&[&server], Budget::default()).send(request).await)
}

/// Bits of a deflate stream, each group starting with its highest.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn push(&mut self, code: u32, length: u32) {
        for at in (0..length).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = u8::from((code >> at) & 1 == 1) << (self.used % 8);
            *self.bytes.last_mut().unwrap() |= bit;
            self.used += 1;
        }
    }
}

/// A gzip file of `1 + 258 * repeats` zeros: one literal, then copies of the byte before, 258 at a time, in the fixed
/// code.
fn gzip_of_zeros(repeats: u32) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.push(0b1, 1); // the last block
    bits.push(0b10, 2); // of fixed codes: 01, and its lowest bit comes first
    bits.push(0b0011_0000, 8); // the byte 0
    for _ in 0..repeats {
        bits.push(0b1100_0101, 8); // length 258
        bits.push(0b00000, 5); // at distance 1
    }
    bits.push(0, 7); // the end of the block
    let length = 1 + 258 * repeats;
    let mut crc = u32::MAX;
    for _ in 0..length {
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    [&head[..], &bits.bytes, &(!crc).to_le_bytes(), &length.to_le_bytes()].concat()
}

fn encoded(encoding: &str, body: &[u8]) -> Answer {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n", body.len());
    Answer::Raw([head.as_bytes(), body].concat())
}

#[tokio::test]
async fn h13_a_bomb_is_cut_at_the_bytes_it_becomes() {
    let small = ask(encoded("gzip", &gzip_of_zeros(10)), Budget::default()).await.unwrap();
    assert_eq!(small.body, vec![0; 2581], "what is small enough is undone");
    assert!(small.headers.iter().all(|(name, _)| name != "content-encoding"));

    // 16 MiB in 100 KiB.
    let bomb = gzip_of_zeros(65_000);
    assert!(bomb.len() < 110_000);
    assert_eq!(kind(ask(encoded("gzip", &bomb), Budget::default()).await), "body_too_large");
    let little = Budget { bytes_down_max: 1 << 19, ..Budget::default() };
    assert_eq!(kind(ask(encoded("gzip", &bomb), little).await), "bytes_down");
    let exact = |body_bytes_max| Budget { body_bytes_max, ..Budget::default() };
    assert_eq!(kind(ask(encoded("gzip", &gzip_of_zeros(10)), exact(2581)).await), "replied");
    assert_eq!(kind(ask(encoded("gzip", &gzip_of_zeros(10)), exact(2580)).await), "body_too_large");
}

#[tokio::test]
async fn h13_what_is_packed_a_hundredfold_is_cut_at_a_mebibyte() {
    // 158 times as large as it was sent, whatever the budget.
    let roomy = Budget { body_bytes_max: 1 << 30, bytes_down_max: 1 << 30, ..Budget::default() };
    let last = ask(encoded("gzip", &gzip_of_zeros(4_064)), roomy).await.unwrap();
    assert_eq!(last.body.len(), 1_048_513);
    let first = ask(encoded("gzip", &gzip_of_zeros(4_065)), roomy).await.unwrap_err();
    let said = "body_too_large: a:/x has a body that decompresses to more than 100 times its size";
    assert_eq!(first.to_string(), said);

    // With something in it that does not pack, the same zeros are fewer than a hundred for a byte.
    let mut stored = GzEncoder::new(Vec::new(), Compression::none());
    stored.write_all(&[b'x'; 8_000]).unwrap();
    let whole = [stored.finish().unwrap(), gzip_of_zeros(4_065)].concat();
    let whole = ask(encoded("gzip", &whole), roomy).await.unwrap();
    assert_eq!(whole.body.len(), 8_000 + 1_048_771);
}

#[tokio::test]
async fn h13_bytes_that_become_nothing_count_too() {
    let nothing = GzEncoder::new(Vec::new(), Compression::none()).finish().unwrap();
    let members = |count: usize| encoded("gzip", &nothing.repeat(count));
    assert_eq!(ask(members(64), Budget::default()).await.unwrap().body, b"");
    let said = "protocol: a:/x has a body that has more than 64 gzip members";
    assert_eq!(ask(members(65), Budget::default()).await.unwrap_err().to_string(), said);

    // One file of nothing but empty blocks, without a length that would give it away.
    let blocks = [&nothing[..10], &[0, 0, 0, 0xff, 0xff].repeat(1_000), &nothing[10..]].concat();
    let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
    let answer = || Answer::Raw([head.as_bytes(), &blocks].concat());
    let exact = |bytes| Budget { body_bytes_max: bytes, ..Budget::default() };
    let all = blocks.len() as u64;
    assert_eq!(kind(ask(answer(), exact(all)).await), "replied");
    assert_eq!(kind(ask(answer(), exact(all - 1)).await), "body_too_large");
    assert_eq!(kind(ask(answer(), Budget { bytes_down_max: all - 1, ..Budget::default() }).await), "bytes_down");
}

#[tokio::test]
async fn h13_other_and_double_encodings_are_refused() {
    let once = gzip_of_zeros(10);
    for encoding in ["gzip, gzip", "gzip,gzip", "br", "zstd", "deflate", "gzip, identity, br", "x-unknown"] {
        assert_eq!(kind(ask(encoded(encoding, &once), Budget::default()).await), "protocol", "{encoding}");
    }
    for broken in [&once[..once.len() / 2], b"not gzip at all"] {
        assert_eq!(kind(ask(encoded("gzip", broken), Budget::default()).await), "protocol");
    }
}

#[tokio::test]
async fn h14_a_reply_that_does_not_come_ends_at_the_deadline() {
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel";
    for start in ["", "H", "HTTP/1.1 200 OK\r\nx: y\r\n", HEAD, &format!("{HEAD}half"), chunked] {
        assert_eq!(ask_briefly(Answer::Stall(start.to_owned())).await, "timeout", "{start:?}");
    }
    for start in ["HTTP/1.1 200 OK\r\nx: ", HEAD] {
        assert_eq!(ask_briefly(Answer::Drip(start.to_owned())).await, "timeout", "a drip after {start:?}");
    }
}

#[tokio::test]
async fn h14_a_script_can_shorten_the_deadline_and_not_lengthen_it() {
    let server = Server::start(Answer::Stall(String::new())).await;
    let budget = Budget { timeout: Duration::from_millis(200), ..Budget::default() };
    let request = Request { timeout: Some(Duration::from_hours(1)), ..get("a:/x") };
    let error = exchange(&[&server], budget).send(request).await.unwrap_err();
    assert_eq!(error.to_string(), "timeout: GET a:/x took longer than 200 ms");
}

#[tokio::test]
async fn h14_an_endless_body_ends_at_its_limit() {
    let budget = Budget { body_bytes_max: 100_000, ..Budget::default() };
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_owned();
    for answer in
        [Answer::Endless(HEAD.to_owned(), "x".to_owned()), Answer::Endless(chunked, "4\r\nxxxx\r\n".to_owned())]
    {
        assert_eq!(kind(ask(answer, budget).await), "body_too_large");
    }
    // What is announced as too long is not read at all.
    let announced = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", u64::MAX >> 1);
    assert_eq!(kind(ask(Answer::Stall(announced), budget).await), "body_too_large");
}

#[tokio::test]
async fn h15_headers_without_end_are_cut() {
    let start = "HTTP/1.1 200 OK\r\n".to_owned();
    for (what, answer) in [
        ("many headers", Answer::Bytes(format!("{start}{}\r\n", "h: x\r\n".repeat(100_000)))),
        ("endless headers", Answer::Endless(start.clone(), "h: x\r\n".to_owned())),
        ("an endless name", Answer::Endless(start.clone(), "h".to_owned())),
        ("an endless value", Answer::Endless(format!("{start}h: "), "x".to_owned())),
        ("an endless status line", Answer::Endless("HTTP/1.1 200 ".to_owned(), "x".to_owned())),
        ("large headers", Answer::Bytes(with(200, &format!("h: {}\r\n", "x".repeat(70_000)), "ok"))),
    ] {
        assert_eq!(kind(ask(answer, Budget::default()).await), "protocol", "{what}");
    }
    let just = "h: x\r\n".repeat(120);
    assert_eq!(kind(ask(Answer::Bytes(with(200, &just, "ok")), Budget::default()).await), "replied");
}

#[tokio::test]
async fn h15_preliminary_replies_without_end_end() {
    let answer = Answer::Endless(String::new(), "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".to_owned());
    // The client skips each of them; the deadline is what ends it.
    assert!(matches!(ask_briefly(answer).await, "timeout" | "protocol"));
    let one = format!("HTTP/1.1 100 Continue\r\n\r\n{}", ok("after"));
    assert_eq!(ask(Answer::Bytes(one), Budget::default()).await.unwrap().body, b"after");
}

#[tokio::test]
async fn h16_what_is_no_reply_is_a_failure_of_the_protocol() {
    let start = "HTTP/1.1 200 OK\r\n";
    for bytes in [
        String::new(),
        "hello".to_owned(),
        "<html>an answer of HTTP/0.9</html>\r\n\r\n".to_owned(),
        "HTTP/0.9 200 OK\r\n\r\nx".to_owned(),
        "HTTP/3.0 200 OK\r\n\r\nx".to_owned(),
        "HTTP/1.1 20 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 abc OK\r\n\r\n".to_owned(),
        "SSH-2.0-x\r\n".to_owned(),
        "220 mail.example ESMTP\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\0\0\x12\u{4}\0\0\0\0\0\0\u{3}\0\0\0\x64".to_owned(),
        "\x15\u{3}\u{1}\0\u{2}\u{2}\u{28}".to_owned(),
        format!("{start}no colon\r\n\r\n"),
        format!("{start}content-length: -1\r\n\r\n"),
        format!("{start}content-length: 1e3\r\n\r\nx"),
        format!("{start}content-length: 99999999999999999999999\r\n\r\nx"),
        format!("{start}content-length: 2\r\ncontent-length: 3\r\n\r\nabc"),
        format!("{start}content-length: 9\r\nconnection: close\r\n\r\nshort"),
        format!("{start}transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx"),
        format!("{start}transfer-encoding: chunked\r\n\r\n-1\r\nx\r\n"),
        format!("{start}transfer-encoding: chunked\r\n\r\nzz\r\nx\r\n"),
        format!("{start}transfer-encoding: chunked\r\n\r\n5\r\nhello"),
    ] {
        let answer = ask(Answer::Bytes(bytes.clone()), Budget::default()).await;
        assert_eq!(kind(answer), "protocol", "{bytes:?}");
    }
}

#[tokio::test]
async fn h16_a_longer_body_than_announced_is_not_read() {
    let bytes = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nmore";
    let reply = ask(Answer::Bytes(bytes.to_owned()), Budget::default()).await.unwrap();
    assert_eq!(reply.body, b"ok");
}

#[tokio::test]
async fn h16_a_reset_and_a_closed_port_are_told_apart() {
    assert_eq!(kind(ask(Answer::Reset, Budget::default()).await), "protocol");
    let nobody = Bound::new().await;
    let url = format!("http://127.0.0.1:{}", nobody.port);
    drop(nobody);
    let answer = reading(origin("a", &url, true)).send(get("a:/")).await;
    assert_eq!(kind(answer), "connect");
}

/// Nothing on this side reads a body: what is JSON, and how deep, is found out inside the sandbox.
#[tokio::test]
async fn h17_a_body_reaches_the_script_as_bytes() {
    for body in [
        "[".repeat(1_000_000),
        "{\"a\":".repeat(200_000),
        "{\"a\": 1, \"a\": 2}".to_owned(),
        format!("[{}, 1e999999999, -0.0]", "9".repeat(100_000)),
        "\"\\ud800\"".to_owned(),
        "\u{feff}{}".to_owned(),
        "NaN".to_owned(),
    ] {
        let head = "content-type: application/json\r\n";
        let reply = ask(Answer::Bytes(with(200, head, &body)), Budget::default()).await.unwrap();
        assert!(reply.body == body.as_bytes(), "{body:.40}");
    }
    let raw = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n\xff\0\x80\xc0".to_vec();
    assert_eq!(ask(Answer::Raw(raw), Budget::default()).await.unwrap().body, b"\xff\0\x80\xc0");
}
