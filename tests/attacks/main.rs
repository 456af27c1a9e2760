//! The hostile scripts of this folder, in both places where a script can run, two at a time.
//!
//! `cargo test --test attacks`, or `cargo test --test attacks -- --rounds 20` for the long version; `-- NAME…` runs those
//! whose names contain one of the words. A program of its own rather than a test in another: it plants canaries in its
//! environment, and it counts its own descriptors and memory, which other tests would disturb.
//!
//! No outcome depends on how fast the machine is. A script has a deadline only where its header allows it to end by one;
//! every other script ends by fuel, bytes or counts, however long that takes. How late the latest run ended is printed, and
//! judged only on request: `-- --late-ms 250`.

#[path = "../support/ask.rs"]
#[expect(dead_code, reason = "attacks are code")]
mod ask;

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intentbox_catalog::Catalog;
use intentbox_engine::{
    Caller, Capacity, Code, Configuration, Engine, Isolation, Outcome, Parts, Policy, Report, Resources, Settings,
    Sharing, Wire, WorkerCommand, limits,
};
use serde_json::Value;

/// The deadline of a script that may end by one and names none.
const TIMEOUT_MS: u64 = 2_000;

/// The outcome of a run that met its deadline.
const DEADLINE_EXCEEDED: &str = "deadline_exceeded";

/// How often the footprint is taken until it is what it was: processes end and give back what they had in their own time.
const FOOTPRINTS_MAX: u32 = 60;

/// How far memory may be from where it was when everything is over.
const DRIFT_KIB: u64 = 4 << 10;

/// Two of what is planted, and what the scripts look for. Nothing that is printed may hold it.
const CANARY: &str = "canary-7f3a";

/// A script and what its header says of it.
struct Attack {
    name: String,
    source: String,
    outcomes: Vec<String>,
    result: Option<Value>,
    settings: Settings,
    /// The deadline, where the script may end by one.
    timeout_ms: Option<u64>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1)?.parse().ok());
    let rounds: Option<u32> = number("--rounds");
    let late_ms_max = number("--late-ms");
    let wanted: Vec<_> = words.iter().filter(|word| !word.starts_with('-') && word.parse::<u32>().is_err()).collect();
    #[expect(unsafe_code, reason = "the environment is the process's own, and no thread has been started")]
    // SAFETY: nothing else runs yet.
    unsafe {
        std::env::set_var("INTENTBOX_CANARY", CANARY);
    }
    let planted = std::env::temp_dir().join(format!("intentbox-{CANARY}.txt"));
    std::fs::write(&planted, CANARY).expect("the temporary folder can be written");
    let mut attacks = attacks();
    if !wanted.is_empty() {
        attacks.retain(|attack| wanted.iter().any(|word| attack.name.contains(word.as_str())));
    }
    let attacks = Arc::new(attacks);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut wrong = Vec::new();
    for round in 0..rounds.unwrap_or(1) {
        for (place, isolation) in places() {
            let started = Instant::now();
            let (found, (late_ms, latest)) = runtime.block_on(corpus(place, isolation, &attacks));
            println!(
                "round {round}, {place}: {} attacks, {} wrong, {:.1} s; latest {latest} ({late_ms:.0} ms after its deadline)",
                attacks.len(),
                found.len(),
                started.elapsed().as_secs_f64(),
            );
            wrong.extend(found.into_iter().map(|line| format!("{place}: {line}")));
            if late_ms_max.is_some_and(|most| late_ms > f64::from(most)) {
                wrong.push(format!("{place}: {latest} ended {late_ms:.0} ms after its deadline"));
            }
        }
    }
    let _ = std::fs::remove_file(planted);
    for line in &wrong {
        println!("{line}");
    }
    ExitCode::from(u8::from(!wrong.is_empty()))
}

fn places() -> [(&'static str, Isolation); 2] {
    let command = WorkerCommand {
        program: env!("CARGO_BIN_EXE_intentbox").into(),
        arguments: vec!["worker-process".into()],
        count: 2,
    };
    [("in process", Isolation::InProcess), ("in workers", Isolation::Process(command))]
}

/// Reads the folder. A header that cannot be read is a mistake of the corpus: it ends the program.
fn attacks() -> Vec<Attack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks");
    let entries = read_dir(folder).expect("tests/attacks").map(|entry| entry.expect("it can be listed").path());
    let mut files: Vec<PathBuf> = entries.filter(|file| file.extension().is_some_and(|end| end == "py")).collect();
    files.sort();
    assert!(files.len() >= 80, "only {} attacks: is the folder right?", files.len());
    files.iter().map(|file| attack(file)).collect()
}

fn attack(file: &Path) -> Attack {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let header: BTreeMap<&str, &str> =
        source.lines().map_while(|line| line.strip_prefix("# ")?.split_once(": ")).collect();
    let flags: Vec<&str> = header.get("flags").map_or(Vec::new(), |flags| flags.split_whitespace().collect());
    let mut stated_ms = None;
    let mut limits = Vec::new();
    for pair in flags.chunks(2) {
        let [flag, value] = pair else { panic!("{name}: a flag without a value") };
        let value: u64 = value.parse().unwrap_or_else(|error| panic!("{name}: {flag}: {error}"));
        match *flag {
            "--timeout-ms" => stated_ms = Some(value),
            "--fuel" => limits.push(("fuel".to_owned(), value)),
            "--memory-mib" => limits.push(("memory_bytes".to_owned(), value << 20)),
            other => panic!("{name}: the runner does not know {other}"),
        }
    }
    let outcomes: Vec<String> =
        header.get("outcome").map_or(Vec::new(), |kinds| kinds.split(' ').map(str::to_owned).collect());
    let ends_by_time = outcomes.iter().any(|outcome| outcome == DEADLINE_EXCEEDED);
    assert!(ends_by_time || stated_ms.is_none(), "{name}: a deadline that no outcome allows to be met");
    let timeout_ms = ends_by_time.then(|| stated_ms.unwrap_or(TIMEOUT_MS));
    limits.push(("wall_ms".to_owned(), timeout_ms.unwrap_or(limits::WALL_MS.most)));
    let known: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.terms().name).collect();
    assert!(!outcomes.is_empty() && outcomes.iter().all(|kind| known.contains(&kind.as_str())), "{name}: {outcomes:?}");
    let result = header.get("result").map(|text| serde_json::from_str(text).expect("a result is JSON"));
    let settings = Settings { limits, ..Settings::default() };
    Attack { outcomes, result, settings, timeout_ms, source: source.clone(), name }
}

/// Runs every attack, two at a time, each followed by a run that must work. Gives what is wrong, and the latest end.
async fn corpus(place: &str, isolation: Isolation, attacks: &Arc<Vec<Attack>>) -> (Vec<String>, (f64, String)) {
    let capacity =
        Capacity { runs: 2, memory_bytes: 4 << 30, wait_max: Duration::from_mins(10), sharing: Sharing::Whole };
    let configuration = Configuration::default();
    let parts = Parts {
        catalog: Catalog::embedded().expect("the templates are whole"),
        configuration,
        resources: Resources::default(),
        policy: Policy::default(),
        isolation,
        capacity,
    };
    let engine = Arc::new(Engine::new(parts).expect("the engine starts"));
    // The parent and a slot keep what a first run that writes all over leaves with them: such runs come before the first look.
    for _ in 0..4 {
        let fill = "def f(n): return n and 1 + f(n - 1)\nimport sys\nsys.setrecursionlimit(10**6)\ntry: f(10**5)\nexcept \
                    RecursionError: pass\nb = bytearray(150 << 20)\nl = [str(i) for i in range(300000)]\nlen(l)";
        let both = tokio::join!(exec(&engine, fill, Settings::default()), exec(&engine, fill, Settings::default()));
        assert!(both.0.outcome() == Outcome::Ok && both.1.outcome() == Outcome::Ok, "{both:?}");
    }
    let before = footprint(&engine).await;
    let lane = |first: usize| {
        let (engine, attacks) = (Arc::clone(&engine), Arc::clone(attacks));
        tokio::spawn(async move {
            let (mut wrong, mut latest) = (Vec::new(), (f64::MIN, String::new()));
            for attack in attacks.iter().skip(first).step_by(2) {
                let report = exec(&engine, &attack.source, attack.settings.clone()).await;
                if let (Some(timeout_ms), Some(spent)) = (attack.timeout_ms, report.spent) {
                    let late = spent.wall_ms - milliseconds(timeout_ms);
                    if late > latest.0 {
                        latest = (late, attack.name.clone());
                    }
                }
                if let Some(what) = judge(attack, &report) {
                    wrong.push(format!("{}: {what}\n  {}", attack.name, shortened(&told(&report))));
                }
                let benign = exec(&engine, "sum(range(10))", Settings::default()).await;
                if benign.outcome() != Outcome::Ok || !answered(&benign, &Value::from(45)) {
                    wrong.push(format!("{}: the run after it: {}", attack.name, shortened(&told(&benign))));
                }
            }
            (wrong, latest)
        })
    };
    let (even, odd) = (lane(0), lane(1));
    let (mut wrong, latest) = even.await.expect("no lane panics");
    let (other, other_latest) = odd.await.expect("no lane panics");
    wrong.extend(other);
    // The issue of a leak is whether it stays.
    let mut after = footprint(&engine).await;
    for _ in 1..FOOTPRINTS_MAX {
        if before.0 == after.0 && !has_drifted(&before.1, &after.1) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        after = footprint(&engine).await;
    }
    println!("{place}: descriptors {:?} → {:?}, private KiB {:?} → {:?}", before.0, after.0, before.1, after.1);
    if before.0 != after.0 {
        wrong.push(format!("descriptors: {:?} before, {:?} after", before.0, after.0));
    }
    if has_drifted(&before.1, &after.1) {
        wrong.push(format!("private memory in KiB: {:?} before, {:?} after", before.1, after.1));
    }
    let latest = if latest.0 > other_latest.0 { latest } else { other_latest };
    (wrong, latest)
}

async fn exec(engine: &Engine, source: &str, settings: Settings) -> Report {
    let code =
        Code { name: "attack.py".to_owned(), source: source.as_bytes().to_vec(), params: "{}".to_owned(), settings };
    ask::code(engine, &code, &Caller::local()).await
}

/// The report as `--json` prints it. It is not parsed: an answer may hold numbers of any size.
fn told(report: &Report) -> String {
    serde_json::to_string(&Wire::new(report, |remedy| format!("{remedy:?}"))).expect("a report is JSON")
}

fn answered(report: &Report, expected: &Value) -> bool {
    report
        .result
        .as_ref()
        .is_some_and(|json| serde_json::from_str::<Value>(json.get()).is_ok_and(|got| got == *expected))
}

/// What is wrong with how an attack ended, if anything is.
fn judge(attack: &Attack, report: &Report) -> Option<String> {
    let outcome = report.outcome().terms().name;
    if !attack.outcomes.iter().any(|allowed| allowed == outcome) {
        return Some(format!("expected {}, got {outcome}", attack.outcomes.join(" or ")));
    }
    if let (Some(expected), Outcome::Ok) = (&attack.result, report.outcome())
        && !answered(report, expected)
    {
        return Some(format!("expected {expected}"));
    }
    // A failing probe quotes its own line, which may hold the words that it looks for.
    let text = told(report);
    let leaks = [CANARY, "registry/src", concat!(env!("CARGO_MANIFEST_DIR"), "/"), "/crates/", "/rustc/"];
    leaks.into_iter().find(|leak| text.contains(leak)).map(|leak| format!("the report holds {leak:?}"))
}

/// Whether the private memory of some process is not what it was.
fn has_drifted(before: &[u64], after: &[u64]) -> bool {
    before.len() != after.len() || before.iter().zip(after).any(|(before, after)| before.abs_diff(*after) > DRIFT_KIB)
}

fn milliseconds(count: u64) -> f64 {
    Duration::from_millis(count).as_secs_f64() * 1e3
}

/// Descriptors and private memory of this process and its workers.
async fn footprint(engine: &Engine) -> (Vec<usize>, Vec<u64>) {
    let workers = engine.workers().await.expect("the sandbox is up");
    let processes =
        || std::iter::once("self".to_owned()).chain(workers.iter().map(|worker| worker.process_id.to_string()));
    let descriptors = |process: String| read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
    let memory = |process: String| {
        let status = read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
    };
    (processes().map(descriptors).collect(), processes().map(memory).collect())
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(600)]
}
