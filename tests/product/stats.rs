//! Records of runs, as `intentbox stats` prints them.

use std::fs::{create_dir_all, read_dir, write};
use std::path::Path;

use intentbox_store::{Clock, OK, RunRecord, Store, Target};
use serde_json::json;

use crate::product::{Run, run_in};

/// Records this many runs of a template as of now.
async fn record(folder: &Path, runs: usize) {
    let store = Store::open(&folder.into(), Clock::system()).await.expect("it opens");
    let run = RunRecord {
        run_id: "d185b17f3a54773f47b754503adec90a".to_owned(),
        started_unix_ms: Clock::system().now_unix_ms(),
        surface: "mcp",
        principal: String::new(),
        target: Target::Template("sentry/list_errors".to_owned()),
        outcome: OK,
        cached: false,
        wall_us: 5_000,
        fuel: 1,
        http_requests: 1,
        host_calls: 1,
    };
    store.add(&vec![run; runs], 0).await.expect("it is written");
    store.close().await;
}

/// The number of runs that `stats --json` shows.
fn runs(run: &Run) -> u64 {
    assert_eq!(run.code, 0, "{run:#?}");
    run.report()["runs"].as_u64().expect("a number")
}

#[test]
fn a_machine_without_a_record_is_told_so_and_left_as_it_is() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = run_in(home.path(), &["stats"], b"", &[]);
    let folder = home.path().join(".local/state/intentbox");
    let told = format!(
        "nothing has been recorded yet in {}; `intentbox mcp` and `serve` record what they run\n",
        folder.display()
    );
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", told.as_str()));
    let run = run_in(home.path(), &["stats", "--json"], b"", &[]);
    let report = run.report();
    assert_eq!((&report["runs"], &report["by_target"], &report["by_outcome"]), (&json!(0), &json!([]), &json!({})));
    assert_eq!(run.stderr, "");
    assert!(read_dir(home.path()).expect("it can be listed").next().is_none(), "nothing was made");
}

#[tokio::test]
async fn what_was_recorded_is_shown_as_tables_and_as_one_object() {
    let home = tempfile::tempdir().expect("a temporary folder");
    record(&home.path().join("state"), 3).await;
    let run = run_in(home.path(), &["stats", "--state", "state"], b"", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let (span, tables) = run.stdout.split_once("\n\n").expect("the span, then the tables");
    assert_eq!(span.lines().map(|line| &line[..6]).collect::<Vec<_>>(), ["from  ", "to    ", "runs  "]);
    assert_eq!(
        tables,
        "templates\n TARGET              RUNS  OK  CACHED  P50_MS  P95_MS\n \
         sentry/list_errors  3     3   0       4.61    4.61\n\noutcomes\n OUTCOME  RUNS\n ok       3\n"
    );
    let run = run_in(home.path(), &["--state", "state", "stats", "--since", "2 weeks", "--json"], b"", &[]);
    let report = run.report();
    let row = json!({"target": "sentry/list_errors", "runs": 3, "ok": 3, "cached": 0, "p50_ms": 4.61, "p95_ms": 4.61,
                     "outcomes": {"ok": 3}});
    assert_eq!((&report["by_target"], &report["by_outcome"]), (&json!([row]), &json!({"ok": 3})));
    assert_eq!((&report["runs"], &report["dropped"]), (&json!(3), &json!(0)));

    let run = run_in(home.path(), &["stats", "--state", "state", "--since", "0s"], b"", &[]);
    let told = "no runs in the last 0s; look further back with --since, as in --since 90d\n";
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", told));
}

#[tokio::test]
async fn the_flag_wins_over_the_environment_and_that_over_the_home() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = |name: &str| home.path().join(name);
    for (name, runs) in [("flag", 1), ("variable", 2), ("xdg/intentbox", 3), (".local/state/intentbox", 4)] {
        record(&folder(name), runs).await;
    }
    let (variable, xdg) = (folder("variable").display().to_string(), folder("xdg").display().to_string());
    let both = [("INTENTBOX_STATE", variable.as_str()), ("XDG_STATE_HOME", xdg.as_str())];
    let shown = |flags: &[&str], environment: &[(&str, &str)]| {
        let arguments: Vec<&str> = ["stats", "--json"].iter().chain(flags).copied().collect();
        runs(&run_in(home.path(), &arguments, b"", environment))
    };
    assert_eq!(shown(&["--state", "flag"], &both), 1);
    assert_eq!(shown(&[], &both), 2);
    assert_eq!(shown(&[], &both[1..]), 3);
    assert_eq!(shown(&[], &[("INTENTBOX_STATE", ""), ("XDG_STATE_HOME", "")]), 4);
}

#[test]
fn a_span_that_is_none_and_a_state_that_is_none_are_named() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = run_in(home.path(), &["stats", "--since", "soon"], b"", &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("is not a duration: a whole number and a unit"), "{}", run.stderr);

    create_dir_all(home.path().join("state")).expect("made");
    let file = home.path().join("state/state.db");
    write(&file, "[origins.sentry]\nbase_url = \"https://sentry.example.com\"\n").expect("written");
    let damaged = format!("the state file {} is damaged: file is not a database", file.display());
    let run = run_in(home.path(), &["stats", "--state", "state"], b"", &[]);
    assert_eq!((run.code, run.stderr), (7, format!("error: {damaged}\n")));
    let run = run_in(home.path(), &["stats", "--state", "state", "--json"], b"", &[]);
    let report = run.report();
    assert_eq!(
        (run.code, &report["outcome"], &report["error"]["message"]),
        (7, &json!("unavailable"), &json!(damaged))
    );
}
