//! Several processes with one folder, and what is left of one that is killed. The others are this program again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use intentbox_store::{RunRecord, Store};

use crate::{NOON, at, number, run};

/// How many runs one batch of a child has.
const BATCH: u64 = 8;

const CHILD: &str = "processes::a_child_records_batches";

/// What a child does: it reads a folder and a count from stdin, writes so many batches into the folder, and says after each that
/// it is committed.
#[tokio::test]
#[ignore = "the tests of this file start it, and say on its stdin what to do"]
async fn a_child_records_batches() {
    let mut lines = std::io::stdin().lines();
    // Nobody says anything where somebody runs all ignored tests.
    let (Some(Ok(folder)), Some(Ok(batches))) = (lines.next(), lines.next()) else { return };
    let batches: u64 = batches.parse().expect("a count");
    let store = Store::open(&Path::new(&folder).into(), at(NOON)).await.expect("the folder opens");
    let batch: Vec<RunRecord> = (0..BATCH).map(|_| run(NOON)).collect();
    for number in 1..=batches {
        store.add(&batch, 0).await.expect("the batch is written");
        println!("\ncommitted {number}");
    }
    store.close().await;
}

/// A child that waits for its orders.
fn child() -> Child {
    Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", "--ignored", "--nocapture", CHILD])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn order(child: &mut Child, folder: &Path, batches: u64) {
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{}\n{batches}", folder.display()).expect("it reads");
}

/// The number of a batch that this line says is committed.
fn committed(line: &str) -> Option<u64> {
    line.strip_prefix("committed ").and_then(|number| number.parse().ok())
}

#[tokio::test]
async fn d01_what_was_committed_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut before = 0;
    for enough in [1, 2, 30, 70] {
        let mut child = child();
        order(&mut child, folder.path(), u64::MAX);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        let last = lines.by_ref().filter_map(|line| committed(&line)).find(|number| *number >= enough);
        let last = last.expect("it goes on until it is killed");
        // SIGKILL, whatever it is doing.
        child.kill().expect("it runs");
        assert!(!child.wait().expect("it ended").success());
        let last = lines.filter_map(|line| committed(&line)).last().unwrap_or(last);

        let store = Store::open(&folder.path().into(), at(NOON)).await.expect("it opens");
        let total = store.stats(None).await.expect("it is read").total;
        assert!(total >= before + last * BATCH, "{total} runs are there, and {last} batches were committed");
        assert_eq!(total % BATCH, 0, "a batch is there as a whole or not at all");
        store.close().await;
        let rows = number(folder.path(), "SELECT COUNT(*) FROM runs").await;
        assert_eq!(u64::try_from(rows).ok(), Some(total), "rows and counts agree");
        before = total;
    }
}

#[tokio::test]
async fn processes_make_a_folder_at_the_same_moment() {
    for _ in 0..3 {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let state = folder.path().join("state");
        let mut children: Vec<Child> = (0..6).map(|_| child()).collect();
        for child in &mut children {
            order(child, &state, 10);
        }
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{text}");
            assert_eq!(text.lines().filter_map(committed).next_back(), Some(10), "{text}");
        }
        let store = Store::open(&state.as_path().into(), at(NOON)).await.expect("it opens");
        assert_eq!(store.stats(None).await.expect("it is read").total, 6 * 10 * BATCH);
        store.close().await;
    }
}
