//! What people wait on: a fresh run, the start of the process, and a few pieces of work.
//!
//! `cargo bench --bench sandbox`. Each figure is the median of many runs, one after another on one thread; the process
//! figures include everything from `exec` to exit. Machines differ: quote ratios to the `CPython` line beside them.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intentbox_sandbox::{Ending, Limits, NoCalls, Sandbox, Script};

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

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> String {
    format!("{:9.3} ms", time.as_secs_f64() * 1e3)
}

fn main() {
    // `cargo test --benches` runs this too, as a check that it still works: once each is then enough.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { 1 } else { 50 };
    let runs = |n: usize| (n / rounds).max(1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let started = Instant::now();
    let sandbox = Sandbox::new(4).expect("the sandbox starts");
    println!("sandbox start            {}", milliseconds(started.elapsed()));
    for (name, source, count) in [("fresh 1+1", "1+1", 2_000), ("fib, sieve, words", CPU, 10)] {
        let script = Script::parse("bench.py", source.as_bytes(), &Limits::default()).expect("text");
        let mut fuel = 0;
        let mut once = || {
            let started = Instant::now();
            let run = sandbox.run(&script, "{}", Limits::default(), Arc::new(NoCalls));
            let ended = runtime.block_on(run).expect("the run is carried through");
            assert!(matches!(ended.ending, Ending::Returned(_)), "{:?}", ended.ending);
            fuel = ended.spent.fuel;
            started.elapsed()
        };
        let first = once();
        let times = (0..runs(count)).map(|_| once()).collect();
        println!(
            "{name:<24} {}   first {}   fuel {fuel}",
            milliseconds(median(times)),
            milliseconds(first).trim_start()
        );
    }
    let process = |program: &str, arguments: &[&str]| {
        let times = (0..runs(100)).map(|_| {
            let started = Instant::now();
            let status = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).status();
            status.map(|_| started.elapsed()).unwrap_or_default()
        });
        milliseconds(median(times.collect()))
    };
    let script = std::env::temp_dir().join(format!("intentbox-bench-{}.py", std::process::id()));
    std::fs::write(&script, "1+1").expect("the temporary folder can be written");
    let path = script.to_str().expect("the temporary folder has a text name");
    println!("process: exec 1+1        {}", process(env!("CARGO_BIN_EXE_intentbox"), &["exec", path]));
    // The interpreter itself: `python3` on the path may be a script that looks for it.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = python.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    println!("process: CPython 1+1     {}", process(&python, &["-c", "1+1"]));
    println!("process: CPython CPU     {}", process(&python, &["-c", CPU]));
    let _ = std::fs::remove_file(script);
}
