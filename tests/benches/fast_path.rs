//! The cost of an intent from the words to the answer, alone and among a thousand, and the share of each part.
//!
//! `cargo bench --bench fast_path`, and `cargo bench --bench fast_path -- --gib` for logs of a gibibyte besides. Runs
//! follow one another on one thread unless the line says otherwise. The demo tracker has a thread of its own, and shares
//! the machine's cores with what is measured: its own speed is a line too.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for a reader anyway")]

#[path = "../support/ask.rs"]
#[expect(dead_code, reason = "these are intents")]
mod ask;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use futures_util::future::join_all;
use intentbox_capability::{Alias, Grant, Origin, PrivateAddresses};
use intentbox_catalog::Catalog;
use intentbox_demo_logs::{Plan, generate};
use intentbox_demo_tracker::DemoTracker;
use intentbox_egress::{Budget, Credential, Egress, OriginConfig, Request, Secret};
use intentbox_engine::{
    Caller, Capacity, Configuration, Engine, Given, Intent, Isolation, Outcome, Parts, Policy, Purpose, Report,
    Resources, Sharing, WorkerCommand,
};
use intentbox_files::Directories;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const CAPACITY: Capacity =
    Capacity { runs: 1_100, memory_bytes: 16 << 30, wait_max: Duration::from_secs(5), sharing: Sharing::Whole };

/// A template that reaches nothing; `cache_s` goes before it.
const MANIFEST: &str = r#"
summary = "Adds up the numbers from one to a limit."
phrases = ["add up the numbers"]
effects = "read"
result = { type = "integer" }

[params.limit]
type = "integer"
description = "The last number."
default = 10
min = 1
max = 1000
words = ["up to {}"]
"#;

const SCRIPT: &str = "limit = {{ limit | py }}\nresult = sum(range(limit + 1))\n";

/// What the bare client and the exchange send to the fixture.
const TOKEN: &str = "a-token-of-the-bench";

/// How many bytes the fixture answers.
const BODY_BYTES: usize = 2 << 10;

/// When the logs end: the same logs on every machine. 2026-11-20T12:00:00Z.
const LOGS_END_UNIX_S: i64 = 1_795_176_000;

/// Prints one figure.
fn line(name: &str, figure: &str) {
    println!("{name:<58} {figure}");
}

/// The time within which this many percent of sorted times are.
fn within(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn milliseconds(time: Duration) -> String {
    format!("{:9.3} ms", time.as_secs_f64() * 1e3)
}

fn told(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent| milliseconds(within(&times, percent));
    format!("p50 {}   p99 {}   of {}", at(50), at(99), times.len())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    within(&times, 50)
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn intent(text: &str, params: &[(&str, String)]) -> Intent {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), Given::Text(value.clone()))).collect();
    Intent { text: text.to_owned(), params, ..Intent::default() }
}

/// The answer of a run that is expected to give one.
fn answer(report: &Report) -> &str {
    assert_eq!(report.outcome(), Outcome::Ok, "{report:?}");
    report.result.as_ref().map_or("null", |json| json.get())
}

/// An engine in this process that reaches nothing, for others to be made from.
fn parts(catalog: Arc<Catalog>) -> Parts {
    Parts {
        catalog,
        configuration: Configuration::default(),
        resources: Resources::default(),
        policy: Policy::default(),
        isolation: Isolation::InProcess,
        capacity: CAPACITY,
    }
}

fn built_in() -> Arc<Catalog> {
    Catalog::embedded().expect("the templates are whole")
}

/// An engine with one small template whose answers may be served again for so long.
fn adding(cache_s: u32) -> Engine {
    let manifest = format!("cache_s = {cache_s}\n{MANIFEST}");
    let files = [("bench/add_up/template.toml", manifest.as_bytes()), ("bench/add_up/script.py.j2", SCRIPT.as_bytes())];
    let catalog = Catalog::from_files(files).unwrap_or_else(|error| panic!("{error}"));
    Engine::new(parts(Arc::new(catalog))).expect("the engine starts")
}

/// The demo tracker on a thread of its own.
struct Tracker {
    base_url: String,
    token: String,
    organization: String,
}

impl Tracker {
    fn start() -> Tracker {
        let (send, started) = mpsc::channel();
        // The thread ends with the process.
        std::thread::spawn(move || {
            runtime().block_on(async {
                let tracker = DemoTracker::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await;
                let tracker = tracker.expect("the tracker starts");
                let found = Tracker {
                    base_url: tracker.base_url(),
                    token: tracker.token().to_owned(),
                    organization: tracker.organization().to_owned(),
                };
                send.send(found).expect("the bench waits for it");
                tracker.closed().await.expect("the tracker serves");
            });
        });
        started.recv().expect("the tracker starts")
    }

    /// An engine over it, as the program makes one when nothing is configured.
    fn engine(&self, isolation: Isolation) -> Engine {
        let alias: Alias = "sentry".parse().expect("an alias");
        let origin = OriginConfig {
            origin: Origin::new(alias.clone(), &self.base_url).expect("the origin is well formed"),
            credential: Some(Credential::bearer(Secret::new(self.token.clone())).expect("a token")),
            roots: Vec::new(),
            private_addresses: PrivateAddresses::loopback(),
        };
        let settings = BTreeMap::from([("sentry.organization".to_owned(), self.organization.clone())]);
        Engine::new(Parts {
            configuration: Configuration::of_origin(origin, settings, "/api/0/".to_owned()),
            policy: Policy::open(&alias, "GET,HEAD,PUT", "GET,HEAD"),
            isolation,
            ..parts(built_in())
        })
        .expect("the engine starts")
    }

    /// What `list errors` asks it for, this many hours back.
    fn url(&self, hours: usize) -> String {
        let Tracker { base_url, organization, .. } = self;
        format!(
            "{base_url}/api/0/organizations/{organization}/issues/?query=is%3Aunresolved+level%3A%5Berror%2Cfatal%5D\
             &statsPeriod={hours}h&sort=date&limit=4"
        )
    }
}

/// A client with the settings of the one that egress builds for an origin without encryption, and nothing around it.
#[expect(clippy::disallowed_methods, reason = "what the gate costs shows beside a client without one")]
fn bare_client() -> reqwest::Client {
    // The client has TLS built in, and wants to know whose even where it is not used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("intentbox/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .http1_max_headers(128)
        .connect_timeout(Duration::from_secs(10))
        .tls_certs_only([]);
    builder.build().expect("the client is made")
}

/// Fetches with the bare client; gives the bytes of the body.
async fn fetch(client: &reqwest::Client, url: &str, token: &str) -> usize {
    let reply = client.get(url).bearer_auth(token).send().await.expect("a reply");
    assert!(reply.status().is_success(), "{}", reply.status());
    reply.bytes().await.expect("a body").len()
}

/// Answers each request on a connection with the same reply, until the client leaves.
async fn serve(mut stream: TcpStream, reply: Arc<[u8]>) {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
            _ => return,
        }
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            if stream.write_all(&reply).await.is_err() {
                return;
            }
        }
    }
}

/// A server with kept-alive connections and one reply. Gives its port.
async fn fixture(body: &str) -> u16 {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    let reply: Arc<[u8]> = (head + body).into_bytes().into();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(serve(stream, Arc::clone(&reply)));
        }
    });
    port
}

/// JSON of exactly this many bytes.
fn json_of(bytes: usize) -> String {
    let around = json!({"rows": ""}).to_string().len();
    json!({"rows": "x".repeat(bytes - around)}).to_string()
}

/// As many open files as this process may have: a thousand requests at once are two thousand sockets, since the tracker
/// lives here too.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it is refused, the runs that get no socket show as failed.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

struct Bench {
    runtime: Runtime,
    /// How much of everything, in percent of the full number.
    share: usize,
}

impl Bench {
    fn count(&self, full: usize) -> usize {
        (full * self.share / 100).max(1)
    }

    /// Times an intent, run after run; a fifth as many go before and only warm up. Gives the last report besides.
    fn runs(&self, engine: &Engine, intent: &Intent, caller: &Caller, count: usize) -> (Vec<Duration>, Report) {
        let one = || {
            let started = Instant::now();
            let report = self.runtime.block_on(ask::intent(engine, intent, caller));
            let took = started.elapsed();
            answer(&report);
            (took, report)
        };
        for _ in 0..self.count(count / 5) {
            one();
        }
        let (times, mut reports): (Vec<_>, Vec<_>) = (0..self.count(count)).map(|_| one()).unzip();
        (times, reports.pop().expect("there is at least one run"))
    }

    /// Words, router, values, script, sandbox, result: all but a request.
    fn template_hit(&self) {
        let intent = intent("add up the numbers up to 100", &[]);
        for (cache_s, name) in
            [(0, "template hit, whole path in process, no network"), (300, "the same, answered by the cache")]
        {
            let (times, last) = self.runs(&adding(cache_s), &intent, &Caller::local(), 500);
            assert_eq!((answer(&last), last.cached), ("5050", cache_s > 0));
            line(name, &format!("{}   target p50 ≤ 1 ms", told(times)));
        }
    }

    /// The intent of the first page of the README, with a real request to a real server.
    fn list_errors(&self, tracker: &Tracker) {
        let engine = tracker.engine(Isolation::InProcess);
        let intent = intent("list errors", &[]);
        for fresh in [true, false] {
            let purpose = if fresh { Purpose::Measure } else { Purpose::Answer };
            let caller = Caller { purpose, ..Caller::local() };
            let (times, last) = self.runs(&engine, &intent, &caller, 500);
            assert_eq!(last.cached, !fresh);
            let how = if fresh { "uncached" } else { "cached" };
            line(&format!("list errors, loopback, {how}, {} bytes", answer(&last).len()), &told(times));
        }
    }

    /// What admission, budget, redaction and copying of the reply cost, over the client that they stand around.
    fn egress(&self) {
        let body = json_of(BODY_BYTES);
        let (gated, bare) = self.runtime.block_on(async {
            let base_url = format!("http://127.0.0.1:{}", fixture(&body).await);
            let origin = OriginConfig {
                origin: Origin::new("api".parse().expect("an alias"), &base_url).expect("the origin is well formed"),
                credential: Some(Credential::bearer(Secret::new(TOKEN)).expect("a token")),
                roots: Vec::new(),
                private_addresses: PrivateAddresses::loopback(),
            };
            let egress = Egress::new(vec![origin]).expect("the origin can be used");
            let budget = Budget {
                requests_max: u64::MAX,
                bytes_up_max: u64::MAX,
                bytes_down_max: u64::MAX,
                run: Duration::from_hours(1),
                ..Budget::default()
            };
            let exchange = egress.open(Grant::of(["api: GET /rows/**".parse().expect("a rule")]), budget);
            let through = async || {
                let request = Request { method: "GET", url: "api:/rows/1", headers: &[], body: None, timeout: None };
                exchange.send(request).await.expect("a reply").body.len()
            };
            assert_eq!(through().await, body.len());
            let (client, url) = (bare_client(), format!("{base_url}/rows/1"));
            let past = async || fetch(&client, &url, TOKEN).await;
            let (mut gated, mut bare) = (Vec::new(), Vec::new());
            let warm = self.count(500);
            // In turns, so that both have the same machine.
            for round in 0..warm + self.count(5_000) {
                let started = Instant::now();
                assert_eq!(through().await, body.len());
                let one = started.elapsed();
                let started = Instant::now();
                assert_eq!(past().await, body.len());
                let other = started.elapsed();
                if round >= warm {
                    gated.push(one);
                    bare.push(other);
                }
            }
            (gated, bare)
        });
        let (gated, bare) = (median(gated), median(bare));
        let over = (gated.as_secs_f64() - bare.as_secs_f64()) * 1e3;
        line(
            &format!("egress over the bare client, {} bytes of JSON", body.len()),
            &format!(
                "p50 {}   bare {}   over it {over:9.3} ms   target ≤ 0.3 ms",
                milliseconds(gated),
                milliseconds(bare)
            ),
        );
    }

    /// Starts all of these at once and waits for all.
    fn at_once(&self, name: &str, engine: &Engine, intents: &[Intent]) -> Vec<Report> {
        let caller = &Caller::local();
        let started = Instant::now();
        let runs = intents.iter().map(|intent| async move {
            let report = ask::intent(engine, intent, caller).await;
            (started.elapsed(), report)
        });
        let (mut times, reports): (Vec<_>, Vec<_>) = self.runtime.block_on(join_all(runs)).into_iter().unzip();
        let total = started.elapsed();
        times.sort_unstable();
        let average = times.iter().sum::<Duration>().div_f64(times.len() as f64);
        let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
        for report in reports.iter().filter(|report| report.outcome() != Outcome::Ok) {
            *failed.entry(report.outcome().terms().name).or_default() += 1;
        }
        let share = failed.values().sum::<usize>() as f64 * 100.0 / reports.len() as f64;
        let what = if failed.is_empty() { String::new() } else { format!(" {failed:?}") };
        let asked: u64 = reports.iter().filter_map(|report| report.spent).map(|spent| spent.http_requests).sum();
        line(
            &format!("{} at once, {name}", intents.len()),
            &format!(
                "average {}   p50 {}   p99 {}   max {}   failed {share:.1} %{what}   {:.0} a second   {asked} requests",
                milliseconds(average),
                milliseconds(within(&times, 50)),
                milliseconds(within(&times, 99)),
                milliseconds(within(&times, 100)),
                reports.len() as f64 / total.as_secs_f64()
            ),
        );
        reports
    }

    /// A thousand callers that start in the same moment, over two worker processes.
    fn many(&self, tracker: &Tracker) {
        raise_open_files();
        let command = WorkerCommand {
            program: env!("CARGO_BIN_EXE_intentbox").into(),
            arguments: vec!["worker-process".into()],
            count: 2,
        };
        let engine = tracker.engine(Isolation::Process(command));
        self.runtime.block_on(async {
            while engine.workers().await.expect("workers start").len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        // Each period is a question of its own, so no run is spared. The answers have equally many rows: four by
        // default, one where it is only for warming up.
        let list = |hours: usize| intent("list errors", &[("period", format!("{hours}h"))]);
        let warm = |hours: usize| intent("list errors", &[("limit", "1".to_owned()), ("period", format!("{hours}h"))]);
        let hours = || 24..24 + self.count(1_000);
        let warming: Vec<Intent> = hours().map(warm).collect();
        self.at_once("all different, warming up", &engine, &warming);
        let same = vec![intent("list errors", &[]); self.count(1_000)];
        self.at_once("all the same, none kept yet", &engine, &same);
        let reports = self.at_once("all the same, kept", &engine, &same);
        let different: Vec<Intent> = hours().map(list).collect();
        self.at_once("all different", &engine, &different);

        let client = bare_client();
        let urls: Vec<String> = hours().map(|hours| tracker.url(hours)).collect();
        let started = Instant::now();
        let replies = urls.iter().map(|url| fetch(&client, url, &tracker.token));
        let bytes: usize = self.runtime.block_on(join_all(replies)).iter().sum();
        let each = urls.len() as f64 / started.elapsed().as_secs_f64();
        let name = format!("the tracker alone, {} at once, {} bytes each", urls.len(), bytes / urls.len());
        line(&name, &format!("{each:9.0} a second"));

        let tokens = |text: &str| bpe_openai::o200k_base().count(text);
        let request = json!({"name": "run_intent", "arguments": {"intent": "list errors"}}).to_string();
        let result = answer(&reports[0]);
        let reply = format!("{{\"outcome\":\"{}\",\"result\":{result}}}", reports[0].outcome().terms().name);
        line(
            "each of them, in tokens of o200k_base",
            &format!("request {}, reply {}, its result {}", tokens(&request), tokens(&reply), tokens(result)),
        );
    }

    /// Counts the records of invented logs by level, under the limits that the template asks for.
    fn logs(&self, bytes: u64, rounds: usize) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("it can be opened");
        let plan = Plan { seed: 1, bytes, now_unix_s: LOGS_END_UNIX_S, span_s: 2 * 86_400 };
        let summary = generate(&dir, &plan).expect("the logs are written");
        let alias: Alias = "logs".parse().expect("an alias");
        let directories = Directories::open([(&alias, folder.path())]).expect("it can be opened");
        let policy = Policy::default().and_read(&alias);
        let engine = Engine::new(Parts { resources: directories.into(), policy, ..parts(built_in()) })
            .expect("the engine starts");
        let caller = Caller { purpose: Purpose::Measure, ..Caller::local() };
        let (times, last) = self.runs(&engine, &intent("count log lines by level", &[]), &caller, rounds);
        let counted: Value = serde_json::from_str(answer(&last)).expect("an object");
        assert_eq!(counted["records"], json!(summary.records), "every record is counted, once");
        let took = median(times);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let spent = last.spent.expect("it ran");
        line(
            &format!(
                "count log lines: {:.1} MiB, {} files, {} records",
                mib(summary.bytes),
                summary.files.len(),
                summary.records
            ),
            &format!(
                "{:9.0} MiB/s   p50 {}   peak memory {:.1} MiB   read {:.1} MiB",
                mib(summary.bytes) / took.as_secs_f64(),
                milliseconds(took),
                mib(spent.memory_bytes_peak),
                mib(spent.file_bytes)
            ),
        );
    }
}

fn main() {
    // `cargo test --benches` runs this too, as a check that it still works: little of everything is then enough.
    let said = |flag: &str| std::env::args().any(|argument| argument == flag);
    let share = if said("--bench") { 100 } else { 1 };
    let bench = Bench { runtime: runtime(), share };
    bench.template_hit();
    let tracker = Tracker::start();
    bench.list_errors(&tracker);
    bench.egress();
    bench.many(&tracker);
    let size = |bytes: u64| bytes * share as u64 / 100;
    bench.logs(size(64 << 20), 5);
    if said("--gib") {
        bench.logs(size(1 << 30), 1);
    }
}
