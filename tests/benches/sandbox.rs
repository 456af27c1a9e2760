//! The latencies that users see: a fresh run, the start of the process, and a few pieces of work.
//!
//! `cargo bench --bench sandbox`. Each time is the median of many runs, one after another on one thread, unless the line
//! says otherwise; the process figures include everything from `exec` to exit. Machines differ: quote ratios to the
//! `CPython` figure beside them.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded for a reader anyway")]

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intentbox_sandbox::abi::{Call, HttpReply, Reply, decode};
use intentbox_sandbox::{
    Answer, Calls, Capacity, Ended, Ending, Job, Limits, NoCalls, Pending, Sandbox, Script, Sharing, WorkerCommand,
};
use tokio::runtime::Runtime;

/// What the snapshot holds already, and what it does not.
const IMPORTS_AHEAD: &str = "import logging, requests, traceback\n";
const IMPORTS_LATE: &str = "import asyncio\n";

const CPU: &str = "
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def sieve(n):
    flags = [True] * (n + 1)
    i = 2
    while i * i <= n:
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
        i += 1
    return sum(1 for k in range(2, n + 1) if flags[k])

def words(n):
    counts = {}
    for i in range(n):
        key = 'k' + str(i % 1000)
        counts[key] = counts.get(key, 0) + i
    return sum(counts[key] * len(key) for key in sorted(counts))

result = [fib(24), sieve(200000), words(200000)]
";

/// Groups the rows of `params` by project and sorts the groups by what they sum up to.
const GROUP: &str = "
groups = {}
for row in params['rows']:
    groups.setdefault(row['project'], []).append(row)
result = sorted(([name, len(rows), sum(row['count'] for row in rows)] for name, rows in groups.items()),
                key=lambda group: -group[2])
";

/// A mebibyte of answer that costs the script itself next to nothing.
const ANSWER: &str = "['x' * 1021] * 1024";

const CALLS: &str = "
for _ in range(100):
    http.get('demo:/')
";

const CAPACITY: Capacity =
    Capacity { runs: 1_100, memory_bytes: 16 << 30, wait_max: Duration::from_secs(5), sharing: Sharing::Whole };

/// Answers every call at once.
#[derive(Debug)]
struct AtOnce;

impl Calls for AtOnce {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        let Ok(Call::Http(request)) = decode(&message) else { panic!("the script sends requests") };
        let reply = HttpReply { status: 200, url: request.url, headers: Vec::new(), body: b"{}" };
        let answer = Answer::reply(&Reply::Http(reply));
        Box::pin(async move { Some(answer) })
    }
}

/// Answers every call after the time given.
#[derive(Debug)]
struct After(Duration);

impl Calls for After {
    fn call(&self, message: Vec<u8>) -> Pending<'_, Option<Answer>> {
        Box::pin(async move {
            tokio::time::sleep(self.0).await;
            AtOnce.call(message).await
        })
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> String {
    format!("{:9.3} ms", time.as_secs_f64() * 1e3)
}

fn script(source: &str) -> Script {
    Script::parse("bench.py", source.as_bytes(), &Limits::default()).expect("text")
}

/// Rows of an issue list, about 117 KB of JSON text.
fn rows() -> String {
    let mut text = String::from("{\"rows\": [");
    for index in 0..890 {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(
            text,
            "{comma}{{\"id\": \"{index}\", \"project\": \"project-{}\", \"title\": \"TypeError: cannot read property {index} of \
             undefined\", \"count\": {}, \"level\": \"error\"}}",
            index % 17,
            index * 7 % 1_000
        );
    }
    text + "]}"
}

/// This process's private memory, in KiB.
fn private_kib(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn answered(ended: &Ended) {
    assert!(matches!(ended.ending, Ending::Returned(_)), "{:?}", ended.ending);
}

struct Bench {
    runtime: Runtime,
    /// How many rounds of each, in percent of the full number.
    share: usize,
}

impl Bench {
    fn count(&self, full: usize) -> usize {
        (full * self.share / 100).max(1)
    }

    /// Times runs of one script, one after another.
    fn runs(&self, sandbox: &Sandbox, source: &str, params: &str, count: usize, calls: &Arc<dyn Calls>) -> Duration {
        let script = script(source);
        let limits = Limits { result_bytes: 2 << 20, ..Limits::default() };
        let job = Job { limits, ..Job::new(&script, params) };
        median(
            (0..self.count(count))
                .map(|_| {
                    let started = Instant::now();
                    let ended = self.runtime.block_on(sandbox.run(job, Arc::clone(calls)));
                    answered(&ended.expect("the run is carried through"));
                    started.elapsed()
                })
                .collect(),
        )
    }

    /// Times a whole process.
    fn process(&self, program: &str, arguments: &[&str], count: usize) -> Duration {
        let times = (0..self.count(count)).map(|_| {
            let started = Instant::now();
            let status = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status();
            status.map(|_| started.elapsed()).unwrap_or_default()
        });
        median(times.collect())
    }

    /// Runs `1+1` from `lanes` callers at a time; gives runs a second.
    fn throughput(&self, sandbox: &Arc<Sandbox>, lanes: usize, count: usize) -> f64 {
        let each = self.count(count) / lanes + 1;
        let started = Instant::now();
        self.runtime.block_on(async {
            let lane = |_| {
                let sandbox = Arc::clone(sandbox);
                tokio::spawn(async move {
                    let script = script("1+1");
                    for _ in 0..each {
                        let ended = sandbox.run(Job::new(&script, "{}"), Arc::new(NoCalls)).await;
                        answered(&ended.expect("the run is carried through"));
                    }
                })
            };
            let lanes: Vec<_> = (0..lanes).map(lane).collect();
            for lane in lanes {
                lane.await.expect("no lane panics");
            }
        });
        (each * lanes) as f64 / started.elapsed().as_secs_f64()
    }

    /// Has `count` runs wait in a host call for `pause` at the same time; gives the time until the last one ended.
    fn waiting(&self, sandbox: &Arc<Sandbox>, count: usize, pause: Duration, look: impl Fn()) -> Duration {
        let started = Instant::now();
        self.runtime.block_on(async {
            let wait = |_| {
                let sandbox = Arc::clone(sandbox);
                tokio::spawn(async move {
                    let script = script("http.get('demo:/').status");
                    let ended = sandbox.run(Job::new(&script, "{}"), Arc::new(After(pause))).await;
                    answered(&ended.expect("the run is carried through"));
                })
            };
            let waiting: Vec<_> = (0..count).map(wait).collect();
            tokio::time::sleep(pause * 3 / 4).await;
            look();
            for run in waiting {
                run.await.expect("no run panics");
            }
        });
        started.elapsed()
    }
}

fn main() {
    // `cargo test --benches` runs this too, as a check that it still works: once each is then enough.
    let share = if std::env::args().any(|argument| argument == "--bench") { 100 } else { 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let bench = Bench { runtime, share };
    let no_calls: Arc<dyn Calls> = Arc::new(NoCalls);
    let at_once: Arc<dyn Calls> = Arc::new(AtOnce);
    let line = |name: &str, figure: String| println!("{name:<44} {figure}");

    let started = Instant::now();
    let here = Arc::new(Sandbox::in_process(CAPACITY).expect("the sandbox starts"));
    line("in process: start of the sandbox", milliseconds(started.elapsed()));
    let in_process = bench.runs(&here, "1+1", "{}", 4_000, &no_calls);
    line("in process: fresh 1+1", milliseconds(in_process));
    for imports in [IMPORTS_AHEAD, IMPORTS_LATE] {
        let took = bench.runs(&here, imports, "{}", 20, &no_calls);
        line(&format!("in process: {}", imports.trim()), milliseconds(took));
    }
    line("in process: fib, sieve, words", milliseconds(bench.runs(&here, CPU, "{}", 10, &no_calls)));
    let rows = rows();
    let json = bench.runs(&here, GROUP, &rows, 200, &no_calls);
    let work = format!("{} KB of JSON, group, sort", rows.len() / 1_000);
    line(&format!("in process: {work}"), milliseconds(json));
    line("in process: 100 host calls", milliseconds(bench.runs(&here, CALLS, "{}", 200, &at_once)));
    line("in process: 1 MiB answer", milliseconds(bench.runs(&here, ANSWER, "{}", 100, &no_calls)));
    let before = private_kib("self");
    let sleeping = bench.count(500);
    bench.waiting(&here, sleeping, Duration::from_secs(1), || {
        let each = private_kib("self").saturating_sub(before) as f64 / sleeping as f64;
        let pages = each / 4.0;
        line(&format!("in process: private memory of 1 of {sleeping}"), format!("{each:9.0} KiB, {pages:.0} pages"));
    });

    let command = |count| WorkerCommand {
        program: env!("CARGO_BIN_EXE_intentbox").into(),
        arguments: vec!["worker-process".into()],
        count,
    };
    let workers = |count| bench.runtime.block_on(Sandbox::in_workers(CAPACITY, command(count))).expect("workers start");
    let one = Arc::new(workers(1));
    let in_worker = bench.runs(&one, "1+1", "{}", 4_000, &no_calls);
    line("worker: fresh 1+1", milliseconds(in_worker));
    line("worker: over in-process", milliseconds(in_worker.saturating_sub(in_process)));
    line(&format!("worker: {work}"), milliseconds(bench.runs(&one, GROUP, &rows, 200, &no_calls)));
    line("worker: 100 host calls", milliseconds(bench.runs(&one, CALLS, "{}", 200, &at_once)));
    line("worker: 1 MiB answer", milliseconds(bench.runs(&one, ANSWER, "{}", 100, &no_calls)));
    drop(one);
    let two = Arc::new(workers(2));
    bench.runtime.block_on(async {
        while two.workers().len() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    bench.throughput(&two, 8, 2_000);
    line("2 workers: fresh 1+1", format!("{:9.0} a second", bench.throughput(&two, 8, 30_000)));
    let waited = bench.waiting(&two, bench.count(1_000), Duration::from_secs(1), || ());
    line(&format!("2 workers: {} runs that wait 1 s", bench.count(1_000)), milliseconds(waited));
    let memory = || two.workers().iter().map(|worker| private_kib(&worker.process_id.to_string())).sum::<u64>();
    bench.throughput(&two, 8, 10_000);
    let (early, ours) = (memory(), private_kib("self"));
    let many = bench.count(100_000);
    bench.throughput(&two, 8, 100_000);
    let growth = |early: u64, late: u64| late.cast_signed() - early.cast_signed();
    line(
        &format!("2 workers: growth over {many} runs"),
        format!("{:9} KiB, parent {} KiB", growth(early, memory()), growth(ours, private_kib("self"))),
    );

    let file = std::env::temp_dir().join(format!("intentbox-bench-{}.py", std::process::id()));
    std::fs::write(&file, "1+1").expect("the temporary folder can be written");
    let path = file.to_str().expect("the temporary folder has a text name");
    let intentbox = env!("CARGO_BIN_EXE_intentbox");
    line("process: exec 1+1", milliseconds(bench.process(intentbox, &["exec", path], 100)));
    // The interpreter itself: `python3` on the path may be a script that looks for it.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = python.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let empty = bench.process(&python, &["-I", "-c", "1+1"], 50);
    line("process: CPython 1+1", milliseconds(empty));
    let inside = |source: &str| {
        let took = bench.process(&python, &["-I", "-c", source], 20);
        milliseconds(took.saturating_sub(empty))
    };
    line("CPython without its start: fib, sieve, words", inside(CPU));
    std::fs::write(&file, &rows).expect("the temporary folder can be written");
    let load = format!("import json\nwith open({path:?}) as file: params = json.load(file)\n{GROUP}");
    line("CPython without its start: JSON, group, sort", inside(&load));
    line("CPython without its start: 1 MiB answer", inside(&format!("import json; json.dumps({ANSWER})")));
    let _ = std::fs::remove_file(file);
}
