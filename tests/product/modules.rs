//! The module that the templates of a pack share is compiled once, and behaves as its source does.

use std::fmt::Write as _;
use std::time::Duration;

use intentbox_catalog::Catalog;
use intentbox_engine::{
    Caller, Capacity, Configuration, Deterministic, Engine, Intent, Isolation, Outcome, Parts, Policy, Report,
    Resources, Settings, Sharing, WorkerCommand,
};

use crate::ask;
use crate::place::{ROOMY, both};

const MANIFEST: &str = "
summary = \"Asks the module.\"
phrases = [\"ask the module\"]
effects = \"read\"
cache_s = 0

[result]
";

/// Where the answer comes from, and what a traceback shows of it.
const SCRIPT: &str = "import pack\nresult = pack.answer()\n";

fn engine(isolation: Isolation, module: &str) -> Engine {
    let files = [
        ("bench/ask/template.toml", MANIFEST.as_bytes()),
        ("bench/ask/script.py.j2", SCRIPT.as_bytes()),
        ("bench/pack.py", module.as_bytes()),
    ];
    let parts = Parts {
        catalog: Catalog::from_files(files).unwrap_or_else(|error| panic!("{error}")).into(),
        configuration: Configuration::default(),
        resources: Resources::default(),
        policy: Policy::default(),
        isolation,
        capacity: Capacity {
            runs: 4,
            memory_bytes: 1 << 30,
            wait_max: Duration::from_mins(2),
            sharing: Sharing::Whole,
        },
    };
    Engine::new(parts).expect("the engine starts")
}

fn places() -> [Isolation; 2] {
    let program = env!("CARGO_BIN_EXE_intentbox").into();
    let arguments = vec!["worker-process".into()];
    [Isolation::InProcess, Isolation::Process(WorkerCommand { program, arguments, count: 1 })]
}

async fn ask(engine: &Engine, settings: &Settings) -> Report {
    let settings = settings.clone();
    let intent = Intent { text: "ask the module".to_owned(), settings, ..Intent::default() };
    ask::intent(engine, &intent, &Caller::local()).await
}

/// The kind, the message and the traceback of what went wrong.
type Fault<'a> = (&'a str, &'a str, Option<&'a str>);

/// What a caller sees of a report, without what differs between any two runs.
fn told(report: &Report) -> (Outcome, Option<&str>, Option<Fault<'_>>) {
    let error = report
        .failure
        .as_ref()
        .map(|failure| (failure.cause.kind(), failure.message.as_str(), failure.traceback.as_deref()));
    (report.outcome(), report.result.as_ref().map(|json| json.get()), error)
}

fn fuel(report: &Report) -> u64 {
    report.spent.expect("it ran").fuel
}

/// Functions enough that compiling them is most of a run.
fn large(rest: &str) -> String {
    let mut module = String::new();
    for index in 0..60 {
        writeln!(module, "def f{index}(a, b=1):\n    return [a + b * {index} for _ in range(3)]").expect("a String");
    }
    module + rest
}

#[tokio::test]
async fn a_module_is_compiled_for_its_second_use_and_not_again() {
    for place in places() {
        let engine = engine(place, &large("def answer():\n    return f7(1)\n"));
        let settings = Settings::default();
        let first = ask(&engine, &settings).await;
        assert_eq!(told(&first), (Outcome::Ok, Some("[8,8,8]"), None));
        for _ in 0..3 {
            let again = ask(&engine, &settings).await;
            assert_eq!(told(&again), told(&first));
            assert!(fuel(&again) * 3 < fuel(&first), "{} after {}", fuel(&again), fuel(&first));
        }
    }
}

#[tokio::test]
async fn an_exception_in_a_compiled_module_shows_the_modules_own_lines() {
    for place in places() {
        let engine = engine(place, &large("def answer():\n    return 1 / 0  # the very line\n"));
        let settings = Settings::default();
        let first = ask(&engine, &settings).await;
        let (_, _, error) = told(&first);
        assert!(error.and_then(|error| error.2).is_some_and(|text| text.contains("# the very line")), "{error:?}");
        for _ in 0..2 {
            assert_eq!(told(&ask(&engine, &settings).await), told(&first));
        }
    }
}

#[tokio::test]
async fn a_module_that_is_no_python_says_so_each_time() {
    let engine = engine(Isolation::InProcess, "def answer(:\n");
    let first = ask(&engine, &Settings::default()).await;
    let (outcome, _, error) = told(&first);
    assert_eq!(outcome, Outcome::PythonError, "{first:?}");
    assert!(error.is_some_and(|error| error.1.contains("SyntaxError") || error.0.contains("SyntaxError")), "{error:?}");
    for _ in 0..2 {
        assert_eq!(told(&ask(&engine, &Settings::default()).await), told(&first));
    }
}

#[tokio::test]
async fn a_deterministic_run_burns_the_same_fuel_before_and_after() {
    let engine = engine(Isolation::InProcess, &large("def answer():\n    return 1\n"));
    let deterministic = Settings { deterministic: Some(Deterministic { seed: 1, unix_ns: 1 }), ..Settings::default() };
    let first = ask(&engine, &deterministic).await;
    for _ in 0..2 {
        ask(&engine, &Settings::default()).await;
    }
    assert_eq!(fuel(&ask(&engine, &deterministic).await), fuel(&first));
}

#[tokio::test]
async fn what_the_compiler_warns_of_is_said_in_each_run() {
    let engine = engine(Isolation::InProcess, "PATTERN = \"\\d\"\ndef answer():\n    return 1\n");
    for _ in 0..3 {
        let report = ask(&engine, &Settings::default()).await;
        assert!(report.outcome() == Outcome::Ok && report.stderr.contains("SyntaxWarning"), "{report:?}");
    }
}

/// A module that did something while it is compiled could change what other runs are given.
#[tokio::test]
async fn compiling_executes_nothing() {
    for (place, sandbox) in both(ROOMY).await {
        for (source, compiles) in [("raise SystemExit('it ran')", true), ("while True: pass", true), ("def", false)] {
            let compiled = sandbox.compile("p/pack.py", source).await.expect("there is room");
            assert_eq!(compiled.is_some(), compiles, "{place}: {source}");
        }
    }
}
