//! The consoles of the documents, run: each command prints what its document shows below it.
//!
//! A console is a block that begins with ```` ```console ````. It holds commands behind `$ ` and, below each, what it prints on
//! stdout and stderr. The commands of a document run one after another in one folder, so that later ones find the files
//! of earlier ones. What a document shows may differ from what is printed in these ways alone:
//!
//! - `…` stands for any text within a line. Alone in a line, it stands for one line or more.
//! - What varies between runs and machines, such as a date, is compared by its kind: `comparison::VARYING`.
//! - One JSON object may be wrapped over several lines.
//! - The notice that the demo tracker answers is left out, unless the document shows it.
//! - The line with the template and its time, which only terminals get, is not there: the output is a pipe here.
//! - A server takes a free port in place of the one in the document, and ends once it has printed what the document shows.
//! - What the machine decides (`OF_THE_MACHINE`) is compared where the machine has what the documents show.
//!
//! `document` reads the consoles, `shell` runs a command, `comparison` says what differs.

mod comparison;
mod document;
mod shell;

use std::path::Path;

use intentbox_store::{Clock, OK, RunRecord, Store, Target};

use crate::place::{ROOMY, workers};
use crate::tree;
pub(crate) use comparison::difference;
use document::{Step, steps};
use shell::Shell;

/// Commands that need not print here what their document shows: the document, the command, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("README.md", "cargo run --release -- run-intent \"list errors\"", "it builds the program; `.ci/run` runs it"),
    ("README.md", "cargo test --release --workspace", "this test is a part of it"),
];

/// How commands begin that print other things where a worker lacks some hardening, on kernels that cannot tell which pages were
/// written, and on processors that the program is not tested on.
const OF_THE_MACHINE: [&str; 2] = ["intentbox doctor", "intentbox mcp --http "];

/// The documents that have consoles.
const DOCUMENTS: [&str; 2] = ["README.md", "templates/README.md"];

/// Runs that are alike.
struct Alike {
    /// The id of a template, `exec` or `none`.
    target: &'static str,
    outcome: &'static str,
    runs: usize,
    /// How many of them came from the cache.
    cached: usize,
    /// The microseconds that a tenth of them took, and that the others took.
    slow_us: u64,
    usual_us: u64,
}

/// The runs that `intentbox stats` finds: a week of a server, as the README shows it.
const WEEK: [Alike; 5] = [
    Alike { target: "sentry/list_errors", outcome: OK, runs: 634, cached: 210, slow_us: 18_400, usual_us: 4_600 },
    Alike {
        target: "sentry/list_errors",
        outcome: "host_call_failed",
        runs: 6,
        cached: 0,
        slow_us: 18_400,
        usual_us: 4_600,
    },
    Alike { target: "exec", outcome: OK, runs: 118, cached: 0, slow_us: 73_700, usual_us: 1_150 },
    Alike { target: "exec", outcome: "python_error", runs: 13, cached: 0, slow_us: 73_700, usual_us: 1_150 },
    Alike { target: "none", outcome: "not_found", runs: 41, cached: 0, slow_us: 288, usual_us: 104 },
];

/// Records the week where the program looks for it.
async fn record_week(home: &Path) {
    let mut records = Vec::new();
    for alike in &WEEK {
        let target = match alike.target {
            "exec" => Target::Exec,
            "none" => Target::None,
            id => Target::Template(id.to_owned()),
        };
        records.extend((0..alike.runs).map(|number| RunRecord {
            run_id: "d185b17f3a54773f47b754503adec90a".to_owned(),
            started_unix_ms: Clock::system().now_unix_ms(),
            surface: "mcp",
            principal: String::new(),
            target: target.clone(),
            outcome: alike.outcome,
            cached: number < alike.cached,
            wall_us: if number.is_multiple_of(10) { alike.slow_us } else { alike.usual_us },
            fuel: 1,
            http_requests: 1,
            host_calls: 1,
        }));
    }
    let folder = home.join(".local/state/intentbox");
    let store = Store::open(&folder.as_path().into(), Clock::system()).await.expect("it opens");
    store.add(&records, 0).await.expect("it is written");
    store.close().await;
}

/// Whether this machine has what the documents show of theirs.
async fn is_machine_usual() -> bool {
    let hardening = workers(ROOMY, 1).await.workers()[0].hardening;
    let is_worker_usual = hardening.missing().next().is_none() && hardening.scans_pages;
    is_worker_usual && intentbox_confine::measures().namespaces && cfg!(target_arch = "x86_64")
}

/// What is wrong with a command of the document at `path`, which printed these lines, if anything is.
fn fault(path: &str, step: &Step, printed: &[String]) -> Option<String> {
    let Step { line, command, shown } = step;
    let exception = EXCEPTIONS.iter().find(|(document, excused, _)| *document == path && excused == command);
    match (exception, difference(shown, printed)) {
        (None, Some(difference)) => Some(format!(
            "{path}:{line}: the program (+) prints something else than the document (-) shows:\n$ {command}\n{difference}"
        )),
        (Some((.., reason)), None) => Some(format!(
            "{path}:{line}: `{command}` prints what the document shows; remove it from EXCEPTIONS ({reason})"
        )),
        _ => None,
    }
}

#[tokio::test]
async fn every_console_shows_what_its_commands_print() {
    let is_usual = is_machine_usual().await;
    let (mut faults, mut read, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for document in tree::files("", &["md"]) {
        let steps = steps(&document.text);
        if steps.is_empty() {
            continue;
        }
        let shell = Shell::new();
        record_week(&shell.home()).await;
        for step in steps {
            let printed = shell.run(&step);
            if is_usual || !OF_THE_MACHINE.iter().any(|start| step.command.starts_with(start)) {
                faults.extend(fault(&document.path, &step, &printed));
            }
            commands.push((document.path.clone(), step.command));
        }
        read.push(document.path);
    }
    for (document, command, reason) in EXCEPTIONS {
        if !commands.iter().any(|(path, shown)| path == document && shown == command) {
            faults.push(format!("{document} has no `{command}`; remove it from EXCEPTIONS ({reason})"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert_eq!(read, DOCUMENTS, "these documents have consoles");
}

#[test]
fn a_command_that_prints_something_else_is_shown_with_its_line_and_an_idle_exception_is_found() {
    let step = |command: &str| Step { line: 7, command: command.to_owned(), shown: vec!["one".to_owned()] };
    let [one, two] = ["one", "two"].map(|line| [line.to_owned()]);
    let (path, excused, reason) = EXCEPTIONS[0];
    assert_eq!(fault(path, &step("echo"), &one), None);
    assert_eq!(
        fault(path, &step("echo"), &two).as_deref(),
        Some(
            "README.md:7: the program (+) prints something else than the document (-) shows:\n$ echo\n  - one\n  + two\n"
        )
    );
    assert_eq!(fault(path, &step(excused), &two), None);
    let idle = format!("README.md:7: `{excused}` prints what the document shows; remove it from EXCEPTIONS ({reason})");
    assert_eq!(fault(path, &step(excused), &one), Some(idle));
}
