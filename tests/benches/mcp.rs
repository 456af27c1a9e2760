//! What a call of the MCP server costs, from the first byte of the request to the last of the answer.
//!
//! `cargo bench --bench mcp`. The client writes and reads messages and does nothing else, so what is measured is the server,
//! its workers and the pipes or sockets between. Client, server and workers share the cores of the machine.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for a reader anyway")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many calls of each kind are timed, one after the other.
const CALLS: usize = 2_000;

/// How many calls are in flight at the same time, and how many are made so.
const AT_ONCE: usize = 200;
const AT_ONCE_CALLS: usize = 10_000;

/// How often the start is timed.
const STARTS: usize = 20;

fn told(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("p50 {:7.3} ms   p99 {:7.3} ms   max {:7.3} ms   of {}", at(50), at(99), at(100), times.len())
}

struct Server {
    child: Child,
    _home: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(arguments: &[&str], stderr: Stdio) -> Server {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
    command.arg("mcp").args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().expect("the binary starts");
    Server { child, _home: home }
}

/// A client on pipes.
struct Pipes {
    server: Server,
    lines: BufReader<std::process::ChildStdout>,
    line: String,
}

impl Pipes {
    fn open() -> Pipes {
        let mut server = start(&[], Stdio::null());
        let lines = BufReader::new(server.child.stdout.take().expect("piped"));
        let mut pipes = Pipes { server, lines, line: String::new() };
        pipes.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
            }),
        );
        pipes
    }

    fn ask(&mut self, method: &str, params: &Value) -> &str {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let pipe = self.server.child.stdin.as_mut().expect("piped");
        pipe.write_all(format!("{message}\n").as_bytes()).expect("the server reads");
        self.line.clear();
        self.lines.read_line(&mut self.line).expect("the server answers");
        &self.line
    }

    fn time(&mut self, what: &str, method: &str, params: &Value, expected: &str) {
        let once = |pipes: &mut Pipes| {
            let started = Instant::now();
            let answer = pipes.ask(method, params);
            let time = started.elapsed();
            assert!(answer.contains(expected), "{answer}");
            time
        };
        for _ in 0..CALLS / 10 {
            once(self);
        }
        let times = (0..CALLS).map(|_| once(self)).collect();
        println!("{what:<46} {}", told(times));
    }
}

fn execute(code: &str) -> Value {
    json!({"name": "execute_code", "arguments": {"code": code}})
}

fn over_pipes() {
    let starts = (0..STARTS).map(|_| {
        let started = Instant::now();
        let mut pipes = Pipes::open();
        let answer = pipes.ask("tools/call", &execute("result = 1 + 1"));
        assert!(answer.contains("\"result\":2"), "{answer}");
        started.elapsed()
    });
    println!("{:<46} {}", "stdio: start to first answer", told(starts.collect()));
    let mut pipes = Pipes::open();
    pipes.time("stdio: tools/list", "tools/list", &json!({}), "execute_code");
    pipes.time("stdio: execute_code, result = 1 + 1", "tools/call", &execute("result = 1 + 1"), "\"result\":2");
    let intent = json!({"name": "run_intent", "arguments": {"intent": "list errors"}});
    pipes.time("stdio: run_intent, list errors, cached", "tools/call", &intent, "\"outcome\":\"ok\"");
}

#[expect(clippy::disallowed_methods, reason = "this is a client from outside")]
async fn over_http() {
    let mut server = start(&["--http", "127.0.0.1:0", "--workers", "2"], Stdio::piped());
    let lines = BufReader::new(server.child.stderr.take().expect("piped")).lines();
    let said = lines.map_while(Result::ok).find(|line| line.contains("http://")).expect("it says where it is");
    let url = said.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
    let url = url.trim_end_matches(':').to_owned();
    let mut call = execute("result = 1 + 1");
    call["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string();
    // The client has TLS built in, and wants to know whose even where it is not used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().no_proxy().build().expect("a client");
    let one = || async {
        let started = Instant::now();
        let reply = client
            .post(&url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "execute_code")
            .body(body.clone())
            .send()
            .await;
        let text = reply.expect("the server answers").text().await.expect("the answer is whole");
        assert!(text.contains("\"result\":2"), "{text}");
        started.elapsed()
    };
    let many = |count: usize| async move {
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(one().await);
        }
        times
    };
    join_all((0..AT_ONCE).map(|_| many(5))).await;
    let started = Instant::now();
    let times: Vec<Duration> =
        join_all((0..AT_ONCE).map(|_| many(AT_ONCE_CALLS / AT_ONCE))).await.into_iter().flatten().collect();
    let rate = times.len() as f64 / started.elapsed().as_secs_f64();
    println!(
        "{:<46} {}   {rate:.0}/s, no error",
        format!("http: execute_code, {AT_ONCE} at once, 2 workers"),
        told(times)
    );
}

fn main() {
    over_pipes();
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(over_http());
}
