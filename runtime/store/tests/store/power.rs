//! A loss of power at any moment: what was not synchronised by then is gone, in part or as a whole.
//!
//! A child that keeps jobs notes what it does to its files (`power.c`). Its folder is then put together as it would be found
//! after a loss of power, for some hundreds of moments: all that a synchronisation had secured, and of the rest any part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use intentbox_store::{JobQuotas, JobState, JobStore, NewJob, Place};

use crate::jobs::{LEASE, accepted, finished, job, nobody};
use crate::{NOON, at};

const CHILD: &str = "power::a_child_keeps_jobs";
const FAULTY_CHILD: &str = "power::a_child_keeps_jobs_on_a_disk_that_fails";

/// What a disk says that fails, and one that may only be read (errno(3), on Linux).
const EIO: i32 = 5;
const EROFS: i32 = 30;

/// How many jobs a child asks for whose disk fails.
const FAULTY_JOBS: usize = 12;

/// How many jobs the child keeps: enough for the log to be copied into the file several times.
const JOBS: usize = 120;

/// At how many moments the power fails.
const MOMENTS: usize = 250;

/// What a child does: it accepts jobs and ends every other one, and says each time what it has promised.
#[tokio::test]
#[ignore = "the test of this file starts it"]
async fn a_child_keeps_jobs() {
    let Some(Ok(folder)) = std::io::stdin().lines().next() else { return };
    let place = Place::Folder(PathBuf::from(folder));
    let store = JobStore::open(&place, at(NOON), JobQuotas::default(), nobody()).await.expect("it opens");
    for number in 0..JOBS {
        accepted(&store, NewJob { request: "x".repeat(20_000), ..job(&format!("j{number}")) }).await;
        println!("\naccepted j{number}");
        if number % 2 == 1 {
            let lease = store.claim("w", LEASE, 1).await.expect("it is written").remove(0);
            store.end(lease.key(), finished()).await.expect("it is written");
            println!("\nended {}", lease.job.id);
        }
    }
    // It is not closed: the power fails first.
    std::mem::forget(store);
}

/// What a child does whose disk fails: it says what was accepted, and what was refused. It asks for work where the fault passes:
/// otherwise it would wait for as long as the disk fails, as a worker does.
#[tokio::test]
#[ignore = "the test of this file starts it"]
async fn a_child_keeps_jobs_on_a_disk_that_fails() {
    let mut lines = std::io::stdin().lines();
    let (Some(Ok(folder)), Some(Ok(passes))) = (lines.next(), lines.next()) else { return };
    let place = Place::Folder(PathBuf::from(folder));
    let store = JobStore::open(&place, at(NOON), JobQuotas::default(), nobody()).await.expect("it opens");
    for number in 0..FAULTY_JOBS {
        let new = NewJob { request: "x".repeat(20_000), ..job(&format!("j{number}")) };
        match store.submit(new).await {
            Ok(_) => println!("\naccepted j{number}"),
            Err(error) => {
                println!("\nrefused {error}");
                continue;
            }
        }
        match store.job(&format!("j{number}")).await {
            Ok(Some(_)) => {}
            Ok(None) => println!("\nlost j{number}"),
            Err(error) => println!("\nrefused {error}"),
        }
        if passes != "passes" {
            continue;
        }
        match store.claim("w", LEASE, 1).await.as_deref() {
            Ok([lease]) if store.end(lease.key(), finished()).await.is_ok() => println!("\nended {}", lease.job.id),
            _ => {}
        }
    }
    std::mem::forget(store);
}

/// One thing that the child did.
#[derive(Debug)]
enum Step {
    Write { file: String, offset: usize, data: Vec<u8> },
    Cut { file: String, length: usize },
    Sync { file: String },
    Remove { file: String },
    Said(String),
}

fn steps(notes: &[u8]) -> Vec<Step> {
    let mut rest = notes;
    let mut take = |length: usize| {
        let (taken, others) = rest.split_at_checked(length)?;
        rest = others;
        Some(taken)
    };
    let mut steps = Vec::new();
    while let Some(head) = take(32) {
        let number = |at: usize| {
            let bytes = head[8 * at..8 * at + 8].try_into().expect("eight bytes");
            usize::try_from(u64::from_le_bytes(bytes)).expect("it fits")
        };
        let file = String::from_utf8(take(number(1)).expect("it is there").to_vec()).expect("it is text");
        let data =
            if matches!(head[0], b'W' | b'A') { take(number(3)).expect("it is there").to_vec() } else { Vec::new() };
        steps.push(match head[0] {
            b'W' => Step::Write { file, offset: number(2), data },
            b'T' => Step::Cut { file, length: number(2) },
            b'S' => Step::Sync { file },
            b'U' => Step::Remove { file },
            b'A' => Step::Said(String::from_utf8_lossy(&data).into_owned()),
            kind => panic!("no such step: {kind}"),
        });
    }
    steps
}

/// A file: what is secured, and what was done since.
#[derive(Default)]
struct File<'a> {
    secured: Vec<u8>,
    since: Vec<&'a Step>,
}

fn apply(bytes: &mut Vec<u8>, step: &Step, length: usize) {
    match step {
        Step::Write { offset, data, .. } => {
            bytes.resize(bytes.len().max(offset + length), 0);
            bytes[*offset..offset + length].copy_from_slice(&data[..length]);
        }
        Step::Cut { length, .. } => bytes.resize(*length, 0),
        Step::Sync { .. } | Step::Remove { .. } | Step::Said(_) => {}
    }
}

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("it is small") % most.max(1)
    }
}

/// The files as they are found after the first `count` steps, and what was promised by then.
fn found_after(steps: &[Step], count: usize, dice: &mut Dice) -> (BTreeMap<String, Vec<u8>>, String) {
    let (mut files, mut said) = (BTreeMap::<String, File<'_>>::new(), String::new());
    for step in &steps[..count] {
        match step {
            Step::Write { file, .. } | Step::Cut { file, .. } => {
                files.entry(file.clone()).or_default().since.push(step);
            }
            Step::Sync { file } => {
                let file = files.entry(file.clone()).or_default();
                for step in file.since.drain(..) {
                    let length = if let Step::Write { data, .. } = step { data.len() } else { 0 };
                    apply(&mut file.secured, step, length);
                }
            }
            Step::Remove { file } => drop(files.remove(file)),
            Step::Said(text) => said += text,
        }
    }
    let found = files.into_iter().map(|(name, mut file)| {
        for step in file.since {
            // All of it, nothing of it, or a write that was torn at a sector.
            let length = if let Step::Write { data, .. } = step { data.len() } else { 0 };
            match dice.below(3) {
                0 => apply(&mut file.secured, step, length),
                1 if length > 512 => apply(&mut file.secured, step, 512 * dice.below(length / 512)),
                _ => {}
            }
        }
        (name, file.secured)
    });
    (found.collect(), said)
}

async fn check(files: &BTreeMap<String, Vec<u8>>, said: &str, moment: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with("-shm")) {
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    let place = Place::Folder(folder.path().to_owned());
    let store = JobStore::open(&place, at(NOON), JobQuotas::default(), nobody()).await;
    let store = store.unwrap_or_else(|error| panic!("moment {moment}: {error}"));
    let of = |word: &str| -> BTreeSet<&str> { said.lines().filter_map(|line| line.strip_prefix(word)).collect() };
    let ended = of("ended ");
    for id in of("accepted ") {
        let job = store.job(id).await.unwrap_or_else(|error| panic!("moment {moment}: {error}"));
        let job = job.unwrap_or_else(|| panic!("moment {moment}: {id} was promised"));
        assert!(!ended.contains(id) || job.state == JobState::Finished, "moment {moment}: {id}: {:?}", job.state);
    }
    store.close().await;
}

/// Compiles the notes' library.
fn library(folder: &Path) -> PathBuf {
    let library = folder.join("power.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store/power.c");
    let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", source, "-ldl", "-o"];
    let compiled = Command::new("cc").args(arguments).arg(&library).status();
    assert!(compiled.expect("a C compiler, as Rust needs one to link").success());
    library
}

/// What a child did, on a disk with this fault, which `passes` or stays.
fn of_child(name: &str, library: &Path, fault: &str, passes: &str) -> Vec<Step> {
    let (folder, beside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let notes = beside.path().join("notes");
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", "--ignored", "--nocapture", name])
        .env("LD_PRELOAD", library)
        .env("POWER_FOLDER", folder.path())
        .env("POWER_NOTES", &notes)
        .env("POWER_FAULT", fault)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let stdin = child.stdin.take().expect("piped");
    let told = format!("{}\n{passes}\n", folder.path().display());
    std::io::Write::write_all(&mut &stdin, told.as_bytes()).expect("it reads");
    drop(stdin);
    let ended = child.wait_with_output().expect("it ended");
    assert!(ended.status.success(), "{fault}: {}", String::from_utf8_lossy(&ended.stdout));
    steps(&fs::read(&notes).expect("it noted something"))
}

/// What is promised in spite of a fault was secured nevertheless, and after a fault that passes the store goes on.
#[tokio::test]
async fn d08_a_disk_that_fails_makes_no_false_promise_and_is_used_again_when_it_works() {
    let beside = tempfile::tempdir().expect("a folder");
    let library = library(beside.path());
    let mut refusals = BTreeSet::new();
    for kind in ["R", "W", "S"] {
        for (number, errno) in [(1, EIO), (2, EIO), (5, EROFS), (9, EIO)] {
            for times in [1, 1_000_000] {
                let fault = format!("{kind} {number} {times} {errno}");
                let steps = of_child(FAULTY_CHILD, &library, &fault, if times == 1 { "passes" } else { "stays" });
                let (files, said) = found_after(&steps, steps.len(), &mut Dice(7));
                check(&files, &said, steps.len()).await;
                assert!(!said.contains("\nlost "), "{fault}: {said}");
                let last = format!("\naccepted j{}\n", FAULTY_JOBS - 1);
                assert!(times > 1 || said.contains(&last), "{fault}: {said}");
                refusals.extend(said.contains("\nrefused ").then_some((kind, times)));
            }
        }
    }
    // The faults were met. A write that fails once may be one of those that are tried again.
    for met in [("R", 1), ("R", 1_000_000), ("W", 1_000_000), ("S", 1), ("S", 1_000_000)] {
        assert!(refusals.contains(&met), "{met:?}: {refusals:?}");
    }
}

#[tokio::test]
async fn d14_what_was_promised_is_there_after_a_loss_of_power_at_any_moment() {
    let beside = tempfile::tempdir().expect("a folder");
    let steps = of_child(CHILD, &library(beside.path()), "", "");
    let count = |is: fn(&Step) -> bool| steps.iter().filter(|step| is(step)).count();
    let (writes, syncs) =
        (count(|step| matches!(step, Step::Write { .. })), count(|step| matches!(step, Step::Sync { .. })));
    assert!(writes > 3 * JOBS && syncs > JOBS, "{writes} writes, {syncs} synchronisations");
    let mut dice = Dice(7);
    for moment in 0..MOMENTS {
        // The last one of all, and any others.
        let after = if moment == 0 { steps.len() } else { dice.below(steps.len() + 1) };
        let (files, said) = found_after(&steps, after, &mut dice);
        check(&files, &said, after).await;
    }

    // The same without one synchronisation: this test can fail.
    let unsecured: Vec<Step> = steps.into_iter().filter(|step| !matches!(step, Step::Sync { .. })).collect();
    let (files, said) = found_after(&unsecured, unsecured.len(), &mut Dice(7));
    assert!(said.contains("accepted j0\n"));
    let lost = tokio::spawn(async move { check(&files, &said, 0).await }).await;
    assert!(lost.is_err(), "what was never secured is lost");
}
