//! The queue: adding a record never waits, what fits is written, and the rest is counted.

use intentbox_store::{BATCH_RECORDS_MAX, QUEUE_RECORDS_MAX, Recorder, Store, StoreError, read_stats};
use tokio::sync::mpsc;

use crate::{NOON, at, change, run};

/// A recorder of this folder, and what it tells.
async fn recorder(folder: &std::path::Path) -> (Recorder, mpsc::UnboundedReceiver<StoreError>) {
    let store = Store::open(&folder.into(), at(NOON)).await.expect("it opens");
    let (tell, told) = mpsc::unbounded_channel();
    let recorder = Recorder::start(store, move |error| {
        // A test that does not listen expects no error.
        let _ = tell.send(error);
    });
    (recorder, told)
}

/// How many runs are recorded, and how many were dropped.
async fn recorded(folder: &std::path::Path) -> (u64, u64) {
    let stats = read_stats(&folder.into(), None, &at(NOON)).await.expect("it is read").expect("there is a state");
    (stats.total, stats.dropped)
}

/// Looks until so many runs are recorded.
async fn until_recorded(folder: &std::path::Path, runs: u64) {
    // Each look asks the database: a million of them take longer than any batch waits.
    for _ in 0..1_000_000 {
        if recorded(folder).await.0 == runs {
            return;
        }
    }
    panic!("{runs} runs were never recorded");
}

#[tokio::test]
async fn what_fits_into_the_queue_is_written_and_the_rest_counted() {
    for (noted, dropped) in [(QUEUE_RECORDS_MAX, 0), (QUEUE_RECORDS_MAX + 1, 1), (QUEUE_RECORDS_MAX + 100, 100)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (recorder, mut told) = recorder(folder.path()).await;
        // The runtime has one thread, and nothing here waits: the writer does not run in between.
        for _ in 0..noted {
            recorder.note(run(NOON));
        }
        assert_eq!(recorder.dropped(), dropped);
        recorder.close().await;
        assert_eq!(recorded(folder.path()).await, (QUEUE_RECORDS_MAX as u64, dropped));
        assert!(told.recv().await.is_none(), "nothing failed");
    }
}

#[tokio::test]
async fn one_record_alone_is_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (recorder, _told) = recorder(folder.path()).await;
    recorder.note(run(NOON));
    until_recorded(folder.path(), 1).await;
    recorder.note(run(NOON));
    until_recorded(folder.path(), 2).await;
    recorder.close().await;
}

#[tokio::test]
async fn a_recorder_that_goes_writes_what_was_noted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (recorder, _told) = recorder(folder.path()).await;
    recorder.note(run(NOON));
    drop(recorder);
    until_recorded(folder.path(), 1).await;
}

#[tokio::test]
async fn after_the_end_records_are_dropped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (recorder, _told) = recorder(folder.path()).await;
    recorder.note(run(NOON));
    recorder.close().await;
    recorder.note(run(NOON));
    recorder.close().await;
    assert_eq!(recorder.dropped(), 1);
    assert_eq!(recorded(folder.path()).await, (1, 0));
}

#[tokio::test]
async fn two_recorders_share_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ((one, _), (two, _)) = (recorder(folder.path()).await, recorder(folder.path()).await);
    for _ in 0..1_000 {
        one.note(run(NOON));
        two.note(run(NOON));
    }
    tokio::join!(one.close(), two.close());
    assert_eq!(recorded(folder.path()).await, (2_000, 0));
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_told_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (recorder, mut told) = recorder(folder.path()).await;
    change(folder.path(), "ALTER TABLE runs RENAME TO away").await;
    // Two batches, and neither can be written.
    for _ in 0..2 * BATCH_RECORDS_MAX {
        recorder.note(run(NOON));
    }
    recorder.close().await;
    assert_eq!(recorder.dropped(), 2 * BATCH_RECORDS_MAX as u64);
    let error = told.recv().await.expect("it is told");
    assert!(error.to_string().ends_with("no such table: runs"), "{error}");
    assert!(told.recv().await.is_none(), "once");
    change(folder.path(), "ALTER TABLE away RENAME TO runs").await;
    assert_eq!(recorded(folder.path()).await.0, 0);
}

#[tokio::test]
async fn batches_after_a_failed_one_are_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (recorder, mut told) = recorder(folder.path()).await;
    change(folder.path(), "ALTER TABLE runs RENAME TO away").await;
    for _ in 0..BATCH_RECORDS_MAX {
        recorder.note(run(NOON));
    }
    assert!(told.recv().await.is_some());
    change(folder.path(), "ALTER TABLE away RENAME TO runs").await;
    for _ in 0..3 {
        recorder.note(run(NOON));
    }
    recorder.close().await;
    assert_eq!(recorded(folder.path()).await, (3, BATCH_RECORDS_MAX as u64));
}
