//! A file that cannot grow. The database itself reports that, by the code that it has for a full disk.

use std::path::Path;

use intentbox_store::{
    BATCH_RECORDS_MAX, JobQuotas, JobStore, NewJob, Place, Quotas, Recorder, Store, StoreError, read_stats,
};
use tokio::sync::mpsc;

use crate::jobs::{LEASE, accepted, job, nobody};
use crate::{NOON, at, change, run};

/// Room for the tables and some hundred runs: 64 pages.
const SMALL: Quotas = Quotas {
    runs_max: 100_000,
    runs_days_max: 90,
    usage_days_max: 396,
    usage_rows_max: 500_000,
    targets_max: 2_000,
    file_bytes_max: 64 * 4_096,
};

async fn open(folder: &Path) -> Store {
    Store::open_with(&folder.into(), at(NOON), SMALL).await.expect("it opens")
}

/// How many runs are recorded, and how many were dropped.
async fn recorded(folder: &Path) -> (u64, u64) {
    let stats = read_stats(&folder.into(), None, &at(NOON)).await.expect("it is read").expect("there is a state");
    (stats.total, stats.dropped)
}

/// Records runs until there is no room for a batch more. Gives how many there are.
async fn fill(folder: &Path) -> u64 {
    let store = open(folder).await;
    let batch = vec![run(NOON); BATCH_RECORDS_MAX];
    let mut runs = 0;
    let error = loop {
        match store.add(&batch, 0).await {
            Ok(()) => runs += BATCH_RECORDS_MAX as u64,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    let told = format!("the state file {} cannot grow: database or disk is full", folder.join("state.db").display());
    assert_eq!(error.to_string(), told);
    store.close().await;
    runs
}

#[tokio::test]
async fn d06_a_file_grows_to_its_most_and_keeps_what_it_has() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runs = fill(folder.path()).await;
    assert!(runs > 0, "some fit");
    assert_eq!(recorded(folder.path()).await, (runs, 0), "a batch is written whole or not at all");
    let length = std::fs::metadata(folder.path().join("state.db")).expect("it is there").len();
    assert!(length <= SMALL.file_bytes_max, "{length} bytes");
}

/// Who notes a run never waits and never fails, whatever the disk says: the runs go on.
#[tokio::test]
async fn d06_a_full_disk_is_told_once_and_what_is_noted_after_there_is_room_is_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let before = fill(folder.path()).await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let recorder = Recorder::start(open(folder.path()).await, move |error| {
        tell.send(error).expect("the test listens");
    });
    let batch = BATCH_RECORDS_MAX as u64;
    for lost in [batch, 2 * batch] {
        for _ in 0..BATCH_RECORDS_MAX {
            recorder.note(run(NOON));
        }
        until_dropped(folder.path(), &recorder, lost).await;
    }
    let error = told.recv().await.expect("it is told");
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(told.recv().await.is_none(), "once");

    change(folder.path(), "DELETE FROM runs").await;
    for _ in 0..3 {
        recorder.note(run(NOON));
    }
    recorder.close().await;
    assert_eq!(recorder.dropped(), 2 * batch);
    assert_eq!(recorded(folder.path()).await, (before + 3, 2 * batch));
}

/// Looks until so many records are lost.
async fn until_dropped(folder: &Path, recorder: &Recorder, records: u64) {
    // Each look asks the database: a million of them take longer than any batch waits.
    for _ in 0..1_000_000 {
        if recorder.dropped() == records {
            return;
        }
        recorded(folder).await;
    }
    panic!("{records} records were never lost");
}

/// `SQLite` ends a transaction by itself where the disk is full: the next one must begin nevertheless.
#[tokio::test]
async fn d06_jobs_are_accepted_again_once_there_is_room() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let quotas = JobQuotas { file_bytes_max: 64 * 4_096, ..JobQuotas::default() };
    let place = Place::Folder(folder.path().to_owned());
    let store = JobStore::open(&place, at(NOON), quotas, nobody()).await.expect("it opens");
    let large = NewJob { request: "x".repeat(512 * 1_024), ..job("large") };
    for _ in 0..2 {
        let error = store.submit(large.clone()).await.expect_err("it does not fit");
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
    }
    accepted(&store, job("small")).await;
    let claimed = store.claim("worker", LEASE, 9).await.expect("it is leased");
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn d08_a_file_that_was_removed_is_written_no_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Place::Folder(folder.path().to_owned());
    let store = JobStore::open(&place, at(NOON), JobQuotas::default(), nobody()).await.expect("it opens");
    accepted(&store, job("first")).await;
    std::fs::remove_file(folder.path().join("jobs.db")).expect("it is there");
    let error = store.submit(job("second")).await.expect_err("it would be lost");
    assert!(error.to_string().contains("it was removed or replaced while this program used it"), "{error}");
    assert!(!folder.path().join("jobs.db").exists(), "nothing is made in its place");
}
