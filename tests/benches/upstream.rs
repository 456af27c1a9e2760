//! What a call of an upstream tool costs beside the same call by the bare official SDK and the exchange of two lines, and what
//! listing costs, also of 5,000 tools.
//!
//! `cargo bench --bench upstream`. The server is `tests/upstream/faulty.py` without a fault, one process for each way. The ways take
//! turns of 100 calls, so that a machine that is slow for a while is slow for all. A turn of one call would measure how each process
//! wakes up again, and not the call. The first turn of each warms up and does not count. Client and servers share one processor: on
//! two, the same call takes 20 to 60 µs as the kernel places them, which says nothing of the ways.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intentbox_capability::{ToolEffect, ToolRule, Tools};
use intentbox_store::{Clock, ToolStore};
use intentbox_tools::file::{FileContext, parse};
use intentbox_tools::{FileOrigin, Place, ServerCall, Upstreams};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

/// How many turns each way has, and of how many calls.
const TURNS: usize = 50;
const CALLS: usize = 100;

/// The server by itself, spoken to line by line.
struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Bare {
    fn start(program: &Path) -> Self {
        let mut child = Command::new("python3")
            .arg(program)
            .arg("none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut bare = Self { child, stdin, stdout: BufReader::new(stdout), next: 0 };
        bare.ask("initialize", &json!({"protocolVersion": "2025-11-25"}));
        bare
    }

    fn ask(&mut self, method: &str, params: &Value) {
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        writeln!(self.stdin, "{message}").expect("it reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it answers");
        assert!(line.contains("result"), "{line}");
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let everywhere = sched_getaffinity(None).expect("the processors are known");
    let first = (0..CpuSet::MAX_CPU).find(|cpu| everywhere.is_set(*cpu)).expect("there is one");
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(None, &one).expect("it may use one");
    runtime.block_on(calls());
    sched_setaffinity(None, &everywhere).expect("it may use all again");
    runtime.block_on(catalog());
    processes();
}

/// The program of the server.
fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/upstream/faulty.py")
}

/// The server with a fault, and what is kept of it in a folder.
async fn upstreams(folder: &Path, fault: &str) -> Upstreams {
    let entry = json!({"mcpServers": {"faulty": {"command": "python3", "args": [program(), fault]}}}).to_string();
    let path = folder.join("servers.json");
    let context = FileContext { path: &path, origin: FileOrigin::Named, variable: &|_| None, home: None };
    let servers = parse(&entry, &context).expect("a file of servers").servers;
    let store = Arc::new(ToolStore::open(Some(folder), Clock::system()).await.expect("a store"));
    let place = Place {
        launcher: env!("CARGO_BIN_EXE_intentbox").into(),
        launcher_verb: "launch-server",
        environment: std::env::vars().filter(|(name, _)| name == "PATH").collect(),
        temporary: folder.to_owned(),
        ..Place::default()
    };
    Upstreams::new(servers, |_| true, store, place)
}

/// What is known of a server with 5,000 tools, with descriptions and five arguments each: read from the file that another process left, and again in the same process.
async fn catalog() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = upstreams(folder.path(), "catalog").await;
    let id = "faulty".parse().expect("an id");
    first.discover(&id, &|_| {}).await.expect("it is kept");
    first.close().await;
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..50 {
        let start = Instant::now();
        let upstreams = upstreams(folder.path(), "catalog").await;
        let listed = upstreams.states().await.expect("they are known")[&id].listing.tools.len();
        cold.push(start.elapsed());
        assert_eq!(listed, 5_000);
        let start = Instant::now();
        upstreams.states().await.expect("they are known");
        warm.push(start.elapsed());
    }
    println!("5,000 tools from the file: p50 {:?}, again {:?}", median(&mut cold), median(&mut warm));
}

async fn calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = program();
    let upstreams = upstreams(folder.path(), "none").await;
    let rule: ToolRule = "faulty: echo".parse().expect("a rule");
    let allowed = Tools::of([rule]).admit("faulty", "echo", ToolEffect::MayChange).expect("it is granted");
    let arguments = json!({"text": "hello"});
    let arguments = arguments.as_object().expect("an object");
    let mut bare = Bare::start(&program);
    let mut child = tokio::process::Command::new("python3")
        .arg(&program)
        .arg("none")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let pipes = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
    let sdk = ().serve(pipes).await.expect("they agree");
    let (mut ours, mut of_sdk, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    upstreams.call(&allowed, ServerCall::of(arguments.clone())).await.expect("it answers");
    println!("first call, with start, handshake and listing: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    for turn in 0..=TURNS {
        for _ in 0..CALLS {
            let start = Instant::now();
            upstreams.call(&allowed, ServerCall::of(arguments.clone())).await.expect("it answers");
            ours.push(start.elapsed());
        }
        for _ in 0..CALLS {
            let start = Instant::now();
            let params = CallToolRequestParams::new("echo").with_arguments(arguments.clone());
            sdk.call_tool(params).await.expect("it answers");
            of_sdk.push(start.elapsed());
        }
        for _ in 0..CALLS {
            let start = Instant::now();
            bare.ask("tools/call", &json!({"name": "echo", "arguments": arguments}));
            theirs.push(start.elapsed());
        }
        if turn == 0 {
            for times in [&mut ours, &mut of_sdk, &mut theirs] {
                times.clear();
            }
        }
    }
    upstreams.close().await;
    let (ours, of_sdk, theirs) = (median(&mut ours), median(&mut of_sdk), median(&mut theirs));
    let ratio = |other: Duration| ours.as_secs_f64() / other.as_secs_f64();
    println!("a call, p50 of {}: {ours:?}", TURNS * CALLS);
    println!("the same by the SDK alone: {of_sdk:?}; ratio {:.2}", ratio(of_sdk));
    println!("two lines with the same server: {theirs:?}; ratio {:.2}", ratio(theirs));
}

/// Whole processes with 20 servers beside the same without: `tools list`, and a script that calls no tool. The servers were tried
/// once before, so that no discovery goes on beside what is measured.
fn processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let entries: serde_json::Map<String, Value> =
        (0..20).map(|number| (format!("s{number}"), json!({"command": "python3", "args": ["x"]}))).collect();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("servers.json", &json!({"mcpServers": entries}).to_string());
    write("none.json", r#"{"mcpServers": {}}"#);
    write("config.toml", "");
    write("policy.toml", "[exec]\ntools = [\"s1: *\"]\n");
    write("script.py", "result = 1\n");
    let once = |servers: &str, arguments: &[&str]| {
        let start = Instant::now();
        let ended = Command::new(env!("CARGO_BIN_EXE_intentbox"))
            .args(["--servers", servers, "--config", "config.toml"])
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        (ended.expect("it starts").success(), start.elapsed())
    };
    once("servers.json", &["tools", "refresh"]);
    for arguments in [["tools", "list"], ["exec", "script.py"]] {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            for (servers, times) in [("servers.json", &mut with), ("none.json", &mut without)] {
                let (has_succeeded, time) = once(servers, &arguments);
                assert!(has_succeeded, "{arguments:?}");
                times.push(time);
            }
        }
        let (with, without) = (median(&mut with), median(&mut without));
        println!("`{}`, p50 of 100: with 20 servers {with:?}, with none {without:?}", arguments.join(" "));
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
