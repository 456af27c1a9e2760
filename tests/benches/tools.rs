//! What a script pays for calls of tools, beside as many requests by HTTP, what an intent pays for being answered by a tool, beside the
//! call alone, and how long it takes to decide which of 5,000 tools an intent is for.
//!
//! `cargo bench --bench tools`. The server is this program again: it answers from the line that it read. Ways that are compared are
//! measured in turns. All processes share one processor, as in the bench of upstream servers: on two, the same call takes up to twice
//! as long as the kernel places them.

#[path = "../support/ask.rs"]
mod ask;

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _, stdin, stdout};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intentbox_capability::{Origin, PrivateAddresses, ToolEffect, ToolRule, Tools};
use intentbox_catalog::Catalog;
use intentbox_egress::OriginConfig;
use intentbox_engine::{
    Caller, Capacity, Code, Configuration, Engine, Intent, Isolation, Outcome, Parts, Policy, Resources, Settings,
    Sharing, WorkerCommand,
};
use intentbox_store::{Clock, ToolStore};
use intentbox_tools::file::{FileContext, parse};
use intentbox_tools::{FileOrigin, Place, ServerCall, Upstreams};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// How many calls one script makes.
const CALLS: u32 = 100;

/// How many requests: a run may send 64.
const REQUESTS: u32 = 60;

/// How long the slow tool takes.
const SLOW: Duration = Duration::from_millis(50);

const ROUNDS: usize = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--stub") {
        return stub(&arguments);
    }
    if arguments.iter().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let allowed = sched_getaffinity(None).expect("the kernel tells");
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|number| allowed.is_set(*number)).expect("a processor is allowed"));
    sched_setaffinity(None, &one).expect("the kernel permits it");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let port = origin().await;
        let command = WorkerCommand {
            program: env!("CARGO_BIN_EXE_intentbox").into(),
            arguments: vec!["worker-process".into()],
            count: 1,
        };
        for (name, isolation) in [("in process", Isolation::InProcess), ("from a worker", Isolation::Process(command))]
        {
            let upstreams = upstreams(folder.path(), &["--stub"]).await;
            call(&upstreams, "echo", "text").await;
            let engine = engine(isolation, &upstreams, port);
            scripts(name, &engine).await;
            intents(name, &engine, &upstreams).await;
            upstreams.close().await;
        }
        decisions(port).await;
    });
}

/// What the tools of the large server do, and with what: 5,000 together.
const VERBS: [&str; 10] =
    ["list", "get", "search", "count", "export", "compare", "summarize", "validate", "archive", "refund"];
const KINDS: [&str; 10] =
    ["billing", "shipping", "legal", "retail", "partner", "training", "quality", "travel", "payroll", "marketing"];
const NOUNS: [&str; 50] = [
    "orders",
    "invoices",
    "tickets",
    "reports",
    "contracts",
    "claims",
    "quotes",
    "shipments",
    "refunds",
    "coupons",
    "devices",
    "licenses",
    "meetings",
    "notes",
    "alerts",
    "budgets",
    "campaigns",
    "surveys",
    "audits",
    "tasks",
    "vendors",
    "leads",
    "visits",
    "photos",
    "batches",
    "recipes",
    "routes",
    "drivers",
    "pallets",
    "permits",
    "courses",
    "exams",
    "grants",
    "badges",
    "rooms",
    "desks",
    "vehicles",
    "fines",
    "taxes",
    "loans",
    "deposits",
    "cards",
    "wallets",
    "domains",
    "servers",
    "backups",
    "incidents",
    "releases",
    "patches",
    "keys",
];

/// A tool that reads and takes a text.
fn tool(name: &str, description: &str, argument: &str) -> Value {
    json!({"name": name, "description": description, "annotations": {"readOnlyHint": true}, "inputSchema": {
        "type": "object", "properties": {argument: {"type": "string"}, "limit": {"type": "integer"}}, "required": [argument]}})
}

fn many() -> Vec<Value> {
    let mut tools = Vec::new();
    for verb in VERBS {
        for kind in KINDS {
            tools.extend(NOUNS.map(|noun| {
                tool(
                    &format!("{verb}_{kind}_{noun}"),
                    &format!("{verb}s the {kind} {noun} of a customer"),
                    "customer_name",
                )
            }));
        }
    }
    tools
}

/// A server with three tools, or with 5,000, for one client.
fn stub(arguments: &[String]) {
    let tools = if arguments.iter().any(|argument| argument == "--many") {
        many()
    } else {
        vec![
            tool("echo", "Gives back a text", "text"),
            tool("wait", "Answers late", "text"),
            tool("list_orders", "Lists the orders of a customer", "customer"),
        ]
    };
    let mut slow = Vec::new();
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.expect("the pipe is read")).expect("a message");
        let Some(id) = message.get("id").cloned() else { continue };
        let reply = move |result: Value| {
            let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
            writeln!(stdout().lock(), "{reply}").expect("the pipe is written");
        };
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        match message["method"].as_str() {
            Some("initialize") => reply(json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "stub", "version": "1"},
            })),
            Some("tools/list") => reply(json!({"tools": tools})),
            Some("tools/call") if message["params"]["name"] == "wait" => slow.push(std::thread::spawn(move || {
                std::thread::sleep(SLOW);
                reply(text("late"));
            })),
            Some("tools/call") => reply(text("hello")),
            _ => {
                let error = json!({"code": -32601, "message": "unknown"});
                let reply = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                writeln!(stdout().lock(), "{reply}").expect("the pipe is written");
            }
        }
    }
    for slow in slow {
        slow.join().expect("it ends");
    }
}

/// An origin that answers each request on a connection with the same text.
async fn origin() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let mut request = Vec::new();
                while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                    request.extend_from_slice(&buffer[..length]);
                    if request.ends_with(b"\r\n\r\n") {
                        request.clear();
                        let reply = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello";
                        if stream.write_all(reply).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    port
}

async fn upstreams(folder: &Path, arguments: &[&str]) -> Arc<Upstreams> {
    let program = std::env::current_exe().expect("this program");
    let entry = json!({"mcpServers": {"stub": {"command": program, "args": arguments}}}).to_string();
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
    Arc::new(Upstreams::new(servers, |_| true, store, place))
}

fn engine(isolation: Isolation, upstreams: &Arc<Upstreams>, port: u16) -> Engine {
    let origin = OriginConfig {
        origin: Origin::new("api".parse().expect("an alias"), &format!("http://127.0.0.1:{port}")).expect("an origin"),
        credential: None,
        roots: Vec::new(),
        private_addresses: PrivateAddresses::loopback(),
    };
    let capacity =
        Capacity { runs: 4, memory_bytes: 2 << 30, wait_max: Duration::from_secs(5), sharing: Sharing::Whole };
    Engine::new(Parts {
        catalog: Catalog::embedded().expect("the templates are whole"),
        configuration: Configuration::of_origin(origin, BTreeMap::new(), "/".to_owned()),
        resources: Resources { upstreams: Some(Arc::clone(upstreams)), ..Resources::default() },
        policy: Policy::parse("[exec]\nhttp = [\"api: GET /**\"]\ntools = [\"stub: *\"]").expect("a policy"),
        isolation,
        capacity,
    })
    .expect("the engine starts")
}

/// Scripts with calls of tools, with as many requests, and with neither.
async fn scripts(name: &str, engine: &Engine) {
    let of_tools = format!("for _ in range({CALLS}):\n    tools.stub.echo(text='hello')");
    let of_http = format!("for _ in range({REQUESTS}):\n    http.get('api:/hello')");
    let at_once = "tools.gather(*[tools.stub.wait.start(text='') for _ in range(8)])";
    let sources = ["pass", of_tools.as_str(), of_http.as_str(), "tools.stub.wait(text='')", at_once];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); sources.len()];
    for _ in 0..ROUNDS {
        for (source, times) in sources.iter().zip(&mut times) {
            let code = Code {
                name: "bench.py".to_owned(),
                source: source.as_bytes().to_vec(),
                params: "null".to_owned(),
                settings: Settings::default(),
            };
            let start = Instant::now();
            let report = ask::code(engine, &code, &Caller::local()).await;
            times.push(start.elapsed());
            assert_eq!(report.outcome(), Outcome::Ok, "{report:?}");
        }
    }
    let [nothing, tools, http, one, eight] = [0, 1, 2, 3, 4].map(|at| median(&mut times[at]));
    let (tools, http) = (tools.saturating_sub(nothing), http.saturating_sub(nothing));
    println!("{name}: {CALLS} calls of a tool {}, beside {} for the script without", ms(tools), ms(nothing));
    let (a_call, a_request) = (tools / CALLS, http / REQUESTS);
    let ratio = a_call.as_secs_f64() / a_request.as_secs_f64();
    println!("{name}: {REQUESTS} requests {}; a call {a_call:?}, a request {a_request:?}, ratio {ratio:.2}", ms(http));
    println!("{name}: a tool that takes {} {}, eight at once {}", ms(SLOW), ms(one), ms(eight));
}

/// An intent that a tool answers, beside the call alone.
async fn intents(name: &str, engine: &Engine, upstreams: &Arc<Upstreams>) {
    let intent = Intent { text: "list the orders of customer acme".to_owned(), ..Intent::default() };
    let (mut whole, mut alone, mut decided) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS * 3 {
        let start = Instant::now();
        let report = ask::intent(engine, &intent, &Caller::local()).await;
        whole.push(start.elapsed());
        assert_eq!(report.outcome(), Outcome::Ok, "{report:?}");
        let start = Instant::now();
        call(upstreams, "list_orders", "customer").await;
        alone.push(start.elapsed());
        let start = Instant::now();
        std::hint::black_box(engine.plan(&intent, &Caller::local()).await);
        decided.push(start.elapsed());
    }
    let (whole, alone, decided) = (median(&mut whole), median(&mut alone), median(&mut decided));
    println!(
        "{name}: an intent that a tool answers {}, of which the plan {}; the call alone {alone:?}; added {}",
        ms(whole),
        ms(decided),
        ms(whole.saturating_sub(alone))
    );
}

/// How long it takes to decide which of 5,000 tools an intent is for: over intents for 50 tools, each for the first time in the
/// process, and again.
async fn decisions(port: u16) {
    let folder = tempfile::tempdir().expect("a folder");
    let upstreams = upstreams(folder.path(), &["--stub", "--many"]).await;
    upstreams.discover(&"stub".parse().expect("an id"), &|_| {}).await.expect("it is kept");
    let engine = engine(Isolation::InProcess, &upstreams, port);
    let start = Instant::now();
    engine.plan(&Intent { text: "list everything".to_owned(), ..Intent::default() }, &Caller::local()).await;
    let indexed = start.elapsed();
    let (mut first, mut again, mut ready) = (Vec::new(), Vec::new(), 0);
    for times in [&mut first, &mut again] {
        for (number, noun) in NOUNS.iter().enumerate() {
            let kind = KINDS[number % KINDS.len()];
            let text = format!("list the last 3 {kind} {noun} of customer acme");
            let intent = Intent { text, ..Intent::default() };
            let start = Instant::now();
            let plan = engine.plan(&intent, &Caller::local()).await;
            times.push(start.elapsed());
            ready += usize::from(matches!(plan, intentbox_engine::Plan::Ready(_)));
        }
    }
    let all = first.len() + again.len();
    let most = first.iter().max().copied().unwrap_or_default();
    println!(
        "over 5,000 tools: an intent is planned in {} for the first time (at most {}), in {} again; {ready} of {all} are ready to run; \
         the first plan of the process, with the index, {}",
        ms(median(&mut first)),
        ms(most),
        ms(median(&mut again)),
        ms(indexed)
    );
    upstreams.close().await;
}

async fn call(upstreams: &Upstreams, tool: &str, argument: &str) {
    let rule: ToolRule = "stub: *".parse().expect("a rule");
    let allowed = Tools::of([rule]).admit("stub", tool, ToolEffect::MayChange).expect("it is granted");
    let arguments = json!({argument: "acme"}).as_object().cloned().expect("an object");
    upstreams.call(&allowed, ServerCall::of(arguments)).await.expect("it answers");
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
