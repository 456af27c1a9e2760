//! What the most expensive messages and runs of one principal cost the MCP server, and everybody else while they go on.
//!
//! `cargo bench --bench message`. Messages are 4 MiB of whatever takes most to read, results have 2 MiB. `mallory` sends them, alone and four at a
//! time, and then calls that sleep, compute or take memory, as many as there are slots; `victim` calls `result = 1` meanwhile. Time of the serving process is the system's count of it, in steps of 10 ms.

#![expect(clippy::disallowed_methods, reason = "these are clients that open connections")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use intentbox_sandbox::limits;
use serde_json::json;
use tempfile::TempDir;

/// The length of a message, in bytes.
const BYTES: usize = (4 << 20) - 1_000;

/// How often each message is sent alone.
const ALONE: u32 = 8;

/// How many are in flight at a time.
const AT_ONCE: usize = 4;

/// How many calls the victim makes meanwhile.
const CALLS: usize = 300;

const MALLORY: &str = "mallory-0123456789abcdef";
const VICTIM: &str = "victim-0123456789abcdef0";

struct Server {
    child: Child,
    address: SocketAddr,
    _home: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start() -> Server {
    let home = tempfile::tempdir().expect("a temporary folder");
    let tokens = home.path().join("tokens");
    std::fs::write(&tokens, format!("mallory {MALLORY}\nvictim {VICTIM}\n")).expect("it can be written");
    std::fs::set_permissions(&tokens, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
    command.args(["mcp", "--http", "127.0.0.1:0", "--token-file", "tokens"]);
    command.current_dir(home.path()).env_clear().env("HOME", home.path());
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let said = lines.find_map(|line| line.ok().filter(|line| line.contains("http://"))).expect("it says where it is");
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    Server { child, address: address.parse().expect("an address"), _home: home }
}

/// A call, without the braces of its parameters.
fn call(inside: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    format!(
        "{{\"jsonrpc\":\"2.0\",\"params\":{{\"_meta\":{meta},\"name\":\"execute_code\",{inside}}},\"id\":1,\"method\":\"tools/call\"}}"
    )
}

fn list(item: &str) -> String {
    format!("[{}]", vec![item; BYTES / (item.len() + 1)].join(","))
}

/// The most bytes of a result that a caller may have by default.
const RESULT_BYTES: usize = 2 << 20;

/// Messages that cost much, and short ones whose results do.
fn messages() -> [(&'static str, String); 9] {
    let nested = list("[[[[[[[[[[0]]]]]]]]]]");
    let most = RESULT_BYTES;
    let giving =
        |code: &str| call(&format!("\"arguments\":{{\"code\":\"{code}\",\"limits\":{{\"result_bytes\":{most}}}}}"));
    [
        ("a result of 2 MiB, one text", giving(&format!("result = 'x' * {}", most - 2))),
        ("a result of 2 MiB, numbers", giving(&format!("result = [0] * {}", most / 3))),
        ("a result of 2 MiB, lists", giving(&format!("result = [[[[0]]]] * {}", most / 12))),
        (
            "limits as a long text",
            call(&format!("\"arguments\":{{\"code\":\"1\",\"limits\":\"{}\"}}", "\u{202e}".repeat(BYTES / 3))),
        ),
        (
            "flat numbers as params",
            call(&format!("\"arguments\":{{\"code\":\"1\",\"params\":{{\"a\":{}}}}}", list("0"))),
        ),
        ("nested lists as params", call(&format!("\"arguments\":{{\"code\":\"1\",\"params\":{{\"a\":{nested}}}}}"))),
        ("nested lists, wrong argument", call(&format!("\"arguments\":{{\"code\":\"1\",\"more\":{nested}}}"))),
        ("nested lists, no argument", call(&format!("\"more\":{nested}"))),
        ("unknown method", format!("{{\"jsonrpc\":\"2.0\",\"params\":{nested},\"id\":1,\"method\":\"x/y\"}}")),
    ]
}

fn post(address: SocketAddr, token: &str, body: &str) -> String {
    let mut stream = send(address, token, body);
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    reply
}

/// Sends a request, and does not wait for its answer.
fn send(address: SocketAddr, token: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: execute_code\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("it reads");
    stream
}

/// The time that the server itself has computed.
fn computed(server: &Server) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.child.id())).expect("it runs");
    let fields: Vec<u64> = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
        .unwrap_or_default();
    Duration::from_millis((fields[11] + fields[12]) * 10)
}

/// A line of what the system says about the server's memory, in MiB.
fn memory(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn told(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("p50 {:7.2} ms   p99 {:7.2} ms   max {:7.2} ms   of {}", at(50), at(99), at(100), times.len())
}

fn victim(server: &Server) -> Vec<Duration> {
    let body = call("\"arguments\":{\"code\":\"result = 1\"}");
    let once = |_| {
        let started = Instant::now();
        let reply = post(server.address, VICTIM, &body);
        assert!(reply.contains("\"result\":1"), "{reply}");
        started.elapsed()
    };
    (0..CALLS).map(once).collect()
}

/// How many runs there are slots for.
const SLOTS: usize = 256;

/// What the runs of one principal do to the calls of another.
fn neighbours() {
    for (what, count, code) in [
        ("asleep", SLOTS, "import time\\ntime.sleep(600)"),
        ("in a loop", 60, "while True: pass"),
        ("taking memory", 8, "while True: list(range(3_000_000))"),
    ] {
        let server = start();
        victim(&server);
        let endless = format!("\"limits\":{{\"wall_ms\":600000,\"fuel\":{}}}", limits::FUEL.most);
        let body = call(&format!("\"arguments\":{{\"code\":\"{code}\",{endless}}}"));
        let _streams: Vec<TcpStream> = (0..count).map(|_| send(server.address, MALLORY, &body)).collect();
        // The first calls find them on their way; what counts are those after.
        victim(&server);
        println!("{count} runs {what}");
        println!("  {:<38} {}", "result = 1 beside them", told(&mut victim(&server)));
        let workers =
            std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", server.child.id())).unwrap_or_default();
        println!("  {:<38} {} MiB of the server, worker processes {workers}", "memory", memory(&server, "VmRSS"));
    }
}

fn main() {
    neighbours();
    for (what, message) in messages() {
        let server = start();
        victim(&server);
        println!("{what}");
        println!("  {:<38} {}", "result = 1, nothing else", told(&mut victim(&server)));
        let (before, started) = (computed(&server), Instant::now());
        for _ in 0..ALONE {
            post(server.address, MALLORY, &message);
        }
        let (spent, elapsed) = (computed(&server).saturating_sub(before), started.elapsed());
        let each = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(ALONE);
        println!("  {:<38} {:.0} ms of the server, {:.0} ms in all", "one message", each(spent), each(elapsed));
        println!("  {:<38} {} MiB at most, {} MiB now", "memory", memory(&server, "VmHWM"), memory(&server, "VmRSS"));
        let is_over = AtomicBool::new(false);
        let mut times = std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        post(server.address, MALLORY, &message);
                    }
                });
            }
            let times = victim(&server);
            is_over.store(true, Ordering::Relaxed);
            times
        });
        println!("  {:<38} {}", format!("result = 1, {AT_ONCE} messages in flight"), told(&mut times));
        println!("  {:<38} {} MiB at most, {} MiB now", "memory", memory(&server, "VmHWM"), memory(&server, "VmRSS"));
    }
}
