//! The memory that messages cost, counted by the allocator: in proportion to their bytes, and not to what their values would
//! take.

#![expect(unsafe_code, reason = "to count what is allocated is to stand in for the allocator")]
#![expect(clippy::disallowed_methods, reason = "this is a client that opens connections")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use intentbox_listen::http::Options;
use intentbox_mcp::{CancellationToken, http};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use support::{hello, over_pipes, server};

/// The longest message, in bytes.
const MESSAGE_BYTES: usize = 4 << 20;

/// The most that one may have at a time, its own bytes and those of whoever sends it included.
const PEAK_BYTES_MAX: usize = 64 << 20;

/// What may be left when it has been answered: caches and buffers that are used again.
const LEFT_BYTES_MAX: usize = 2 << 20;

/// The most that a session may keep.
const SESSION_BYTES_MAX: usize = 512 << 10;

/// The system's allocator, which says how much of it is in use, and how much was at most.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// What is counted is counted for the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn taken(bytes: usize) {
    let in_use = IN_USE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(in_use, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came, and what it gives is given on; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller keeps what `alloc` asks for, and the layout is the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the memory came from `System` with this layout, as all of it does.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there while one is copied to the other.
        taken(size);
        // SAFETY: the memory came from `System` with this layout, and the caller keeps what `realloc` asks for.
        let moved = unsafe { System.realloc(memory, layout, size) };
        IN_USE.fetch_sub(if moved.is_null() { size } else { layout.size() }, Ordering::Relaxed);
        moved
    }
}

/// What some work takes at most beyond what is there before, and what it leaves behind.
fn measured(work: impl FnOnce()) -> (usize, usize) {
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    let (peak, after) = (PEAK.load(Ordering::Relaxed), IN_USE.load(Ordering::Relaxed));
    (peak.saturating_sub(before), after.saturating_sub(before))
}

/// A list of as many equal items as there is room for.
fn list(item: &str, bytes: usize) -> String {
    format!("[{}]", vec![item; (bytes - 2) / (item.len() + 1)].join(","))
}

/// The messages that cost most, each as long as a message may be.
fn worst() -> Vec<(&'static str, String)> {
    let room = MESSAGE_BYTES - 1_000;
    let nested = "[[[[[[[[[[0]]]]]]]]]]";
    let keys = "{\"a\":0,\"b\":{\"c\":{}}}";
    let call = |arguments: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"execute_code\",\"arguments\":{arguments}}}}}"
        )
    };
    let request = |method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}")
    };
    let last = |params: &str| format!("{{\"jsonrpc\":\"2.0\",\"params\":{params},\"id\":1,\"method\":\"tools/call\"}}");
    vec![
        (
            "flat numbers as params of code",
            call(&format!("{{\"code\":\"1\",\"params\":{{\"a\":{}}}}}", list("0", room))),
        ),
        (
            "nested lists as params of code",
            call(&format!("{{\"code\":\"1\",\"params\":{{\"a\":{}}}}}", list(nested, room))),
        ),
        ("objects as params of code", call(&format!("{{\"code\":\"1\",\"params\":{{\"a\":{}}}}}", list(keys, room)))),
        ("limits", call(&format!("{{\"code\":\"1\",\"limits\":{{\"wall_ms\":{}}}}}", list(nested, room)))),
        ("an unknown argument", call(&format!("{{\"code\":\"1\",\"more\":{}}}", list(nested, room)))),
        ("arguments that are a list", call(&list(nested, room))),
        (
            "a page",
            call(&format!("{{\"handle\":\"a\",\"offset\":{}}}", list(nested, room)))
                .replace("execute_code", "read_result"),
        ),
        (
            "an intent",
            call(&format!("{{\"intent\":\"a\",\"params\":{{\"a\":{}}}}}", list(nested, room)))
                .replace("execute_code", "run_intent"),
        ),
        ("one text", call(&format!("{{\"code\":\"{}\"}}", "\\u0061".repeat(room / 6)))),
        ("an unknown method", request("x/y", &list(nested, room))),
        ("params before the method", last(&format!("{{\"name\":\"execute_code\",\"more\":{}}}", list(nested, room)))),
        (
            "arguments before the method",
            last(&format!("{{\"name\":\"execute_code\",\"arguments\":{{\"params\":{}}}}}", list(nested, room))),
        ),
        (
            "metadata",
            request("tools/call", &format!("{{\"name\":\"execute_code\",\"_meta\":{{\"a\":{}}}}}", list(nested, room))),
        ),
        (
            "answers",
            request(
                "tools/call",
                &format!("{{\"name\":\"run_intent\",\"inputResponses\":{{\"a\":{}}}}}", list(nested, room)),
            ),
        ),
        (
            "a notification",
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{{\"a\":{}}}}}",
                list(nested, room)
            ),
        ),
        (
            "an answer to nobody",
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"a\":{}}}}}", list(nested, room)),
        ),
        ("an id", format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}", list(nested, room))),
        ("a long method", request(&"x".repeat(room), "{}")),
        ("a long key", format!("{{\"{}\":1}}", "x".repeat(room))),
        ("a batch", list("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", room)),
        ("depth", "[".repeat(room)),
    ]
}

/// How many lines there are.
fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

#[test]
fn c10_the_worst_messages_take_memory_in_proportion_to_their_bytes_and_give_it_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let server = server();
    let greeting = hello(&json!({})).to_string() + "\n";
    // What is made once is made before.
    let _ = over_pipes(server.clone(), format!("{greeting}{}\n", worst()[8].1).as_bytes());
    for (what, message) in worst() {
        assert!(message.len() <= MESSAGE_BYTES && message.len() > MESSAGE_BYTES / 2, "{what}: {} bytes", message.len());
        let sent = format!("{greeting}{message}\n");
        let mut answers = 0;
        let (peak, left) = measured(|| answers = lines(&over_pipes(server.clone(), sent.as_bytes())));
        println!("pipes: {what}: {peak} bytes at most, {left} left, {answers} answers");
        assert!(peak <= PEAK_BYTES_MAX, "{what}: {peak} bytes at most");
        assert!(left <= LEFT_BYTES_MAX, "{what}: {left} bytes left");
    }
}

/// Sends one request and gives its status.
async fn post(address: SocketAddr, headers: &str, body: &str) -> u16 {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("it reads");
    stream.write_all(body.as_bytes()).await.expect("it reads");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).await.expect("it answers");
    let reply = String::from_utf8_lossy(&reply);
    reply.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no reply: {reply}"))
}

/// Does something with a server on a port of its own.
fn over_http<T>(client: impl AsyncFnOnce(SocketAddr) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let (server, stop) = (server(), CancellationToken::new());
        let make = move || server.clone();
        let serving = http::serve(listener, make, Options::loopback(), http::SESSION_IDLE, stop.clone());
        let working = async {
            let done = client(address).await;
            stop.cancel();
            done
        };
        let (ended, done) = tokio::join!(serving, working);
        ended.expect("it serves until it is stopped");
        done
    })
}

#[test]
fn c10_the_worst_bodies_take_memory_in_proportion_to_their_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (what, message) in worst() {
        let mut status = 0;
        let (peak, _) = measured(|| status = over_http(async |address| post(address, "", &message).await));
        println!("http: {what}: {peak} bytes at most, status {status}");
        assert!(peak <= PEAK_BYTES_MAX, "{what}: {peak} bytes at most");
    }
}

#[test]
fn c10_a_session_keeps_little_whatever_its_client_says_of_itself() {
    const SESSIONS: usize = 64;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Values and bytes, each as many as are let in.
    let greeting = hello(&json!({"experimental": {
        "a": {"b": vec![json!([[[[[[[[[0]]]]]]]]]); 21]},
        "c": {"d": "x".repeat(15 << 10)},
    }}))
    .to_string();
    let kept = over_http(async |address| {
        assert_eq!(post(address, "", &hello(&json!({})).to_string()).await, 200);
        let before = IN_USE.load(Ordering::Relaxed);
        for _ in 0..SESSIONS {
            assert_eq!(post(address, "", &greeting).await, 200);
        }
        IN_USE.load(Ordering::Relaxed).saturating_sub(before)
    });
    println!("{} bytes a session", kept / SESSIONS);
    assert!(kept / SESSIONS <= SESSION_BYTES_MAX, "{} bytes a session", kept / SESSIONS);
}
