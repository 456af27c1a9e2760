//! Faults of the disk and of clocks while jobs are kept: what was promised is there afterwards, or an error says why not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use intentbox_store::{
    Ending, IsGone, JobFilter, JobQuotas, JobState, JobStore, Lease, NewJob, NewToken, Place, Start, StoreError,
    Submitted,
};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection};

use crate::jobs::{Hand, LEASE, accepted, finished, job, leased, nobody, store};
use crate::{NOON, at};

/// What these tests do to the file has no counterpart in a database server.
fn place(folder: &Path) -> Place {
    Place::Folder(folder.to_owned())
}

async fn open(folder: &Path, quotas: JobQuotas) -> Result<JobStore, StoreError> {
    JobStore::open(&place(folder), at(NOON), quotas, nobody()).await
}

async fn connection(folder: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(folder.join("jobs.db")).create_if_missing(true);
    options.connect().await.expect("the file is a database")
}

/// Runs statements behind the back of whoever has the file open.
async fn change(folder: &Path, sql: &str) {
    let mut connection = connection(folder).await;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect("the statement is valid");
    connection.close().await.expect("it closes");
}

async fn assert_sound(folder: &Path) {
    let mut connection = connection(folder).await;
    let told: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut connection).await.expect("it runs");
    connection.close().await.expect("it closes");
    assert_eq!(told, "ok");
}

async fn ids(store: &JobStore) -> Result<BTreeSet<String>, StoreError> {
    Ok(store.list(&JobFilter::default(), 1_000).await?.into_iter().map(|job| job.id).collect())
}

/// A folder with this many jobs, of which one runs, and nothing in a log beside the file.
async fn with_jobs(count: usize) -> (tempfile::TempDir, BTreeSet<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), JobQuotas::default()).await.expect("it opens");
    for number in 0..count {
        accepted(&store, NewJob { request: "x".repeat(500), ..job(&format!("j{number}")) }).await;
    }
    leased(&store).await;
    let ids = ids(&store).await.expect("they are listed");
    store.close().await;
    change(folder.path(), "PRAGMA wal_checkpoint(TRUNCATE)").await;
    (folder, ids)
}

fn is_full<T: std::fmt::Debug>(ended: Result<T, StoreError>) -> bool {
    match ended {
        Ok(_) => false,
        Err(StoreError::Full { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

/// Each site of a write is asked until there is no room for it: submitting, starting, telling, ending, cancelling.
#[tokio::test]
async fn d06_with_a_full_disk_nothing_is_half_done_and_all_of_it_goes_on_once_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let quotas = JobQuotas { file_bytes_max: 80 * 4_096, ..JobQuotas::default() };
    let store = open(folder.path(), quotas).await.expect("it opens");
    let large = |id: &str| NewJob { request: "x".repeat(3_000), ..job(id) };
    let mut promised = BTreeSet::new();
    for number in 0.. {
        match store.submit(large(&format!("j{number}"))).await {
            Ok(Submitted::New(job)) => drop(promised.insert(job.id)),
            ended => {
                assert!(is_full(ended));
                break;
            }
        }
    }
    // What needs no page more still works; what does is not done at all.
    let leases: Vec<Lease> = store.claim("w", LEASE, 3).await.unwrap_or_default();
    let mut running = BTreeSet::new();
    for lease in &leases {
        while !is_full(store.add_event(lease.key(), "call", "x".repeat(2_000)).await) {}
        let report = "x".repeat(100_000);
        assert!(is_full(store.end(lease.key(), Ending::Finished { outcome: "ok".to_owned(), report }).await));
        let job = store.job(&lease.job.id).await.expect("it is read").expect("it was promised");
        assert_eq!((job.state, job.report.as_str()), (JobState::Running, ""));
        running.insert(lease.job.id.clone());
    }
    assert_eq!(ids(&store).await.expect("they are read"), promised);
    assert_sound(folder.path()).await;

    // Somebody makes room; the same store goes on.
    let idle: Vec<&String> = promised.difference(&running).collect();
    let (gone, kept) = idle.split_at(idle.len() / 2);
    assert!(!gone.is_empty() && !kept.is_empty(), "{promised:?}");
    for id in gone {
        change(folder.path(), &format!("PRAGMA foreign_keys = ON; DELETE FROM jobs WHERE id = '{id}'")).await;
    }
    for lease in &leases {
        assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
    }
    for id in kept {
        let cancelled = store.cancel(id).await.expect("it is written").expect("it was promised");
        assert_eq!(cancelled.state, JobState::Cancelled);
    }
    accepted(&store, large("next")).await;
    assert_eq!(leased(&store).await.job.id, "next");
    assert_sound(folder.path()).await;
}

/// What began before a file was full can end: it has room that is kept for that, and for nothing new.
#[tokio::test]
async fn d06_in_a_full_file_jobs_end_and_are_cancelled_and_tokens_are_revoked() {
    let folder = tempfile::tempdir().expect("a folder");
    let quotas = JobQuotas { file_bytes_max: 80 * 4_096, ..JobQuotas::default() };
    let store = open(folder.path(), quotas).await.expect("it opens");
    accepted(&store, job("runs")).await;
    let lease = leased(&store).await;
    let token = NewToken {
        id: "t".to_owned(),
        principal: "ci".to_owned(),
        scopes: "run".to_owned(),
        digest: "d".to_owned(),
        ttl_ms: None,
    };
    assert!(store.add_token(token).await.expect("it is written"));
    let large = |number: usize| NewJob { request: "x".repeat(1_000), ..job(&format!("j{number}")) };
    let mut waiting = 0;
    while !is_full(store.submit(large(waiting)).await) {
        waiting += 1;
    }
    assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
    for number in 0..waiting {
        let cancelled = store.cancel(&format!("j{number}")).await.expect("it is written").expect("it was promised");
        assert_eq!(cancelled.state, JobState::Cancelled);
    }
    assert!(store.revoke_token("t").await.expect("it is written"));
    assert!(is_full(store.submit(large(waiting)).await), "{waiting} waited");
    assert_sound(folder.path()).await;
}

/// Where the file is nearly full, jobs that ended more than an hour ago give way, but for those whose end somebody is still to be told.
#[tokio::test]
async fn d06_in_a_file_that_is_nearly_full_jobs_that_ended_give_way_early() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let quotas = JobQuotas { file_bytes_max: 120 * 4_096, forgets_early: true, ..JobQuotas::default() };
    let store = JobStore::open(&place(folder.path()), hand.clock(), quotas, nobody()).await.expect("it opens");
    let told = NewJob { callback_url: Some("hooks:/in".to_owned()), ..job("told") };
    for new in [job("early"), told, job("late")] {
        accepted(&store, new).await;
    }
    for id in ["early", "told"] {
        store.cancel(id).await.expect("it is written");
    }
    hand.advance(Duration::from_mins(30));
    store.cancel("late").await.expect("it is written");
    hand.advance(Duration::from_mins(45));
    let mut number = 0;
    while !is_full(store.submit(NewJob { request: "x".repeat(1_000), ..job(&format!("j{number}")) }).await) {
        number += 1;
    }
    while store.job("early").await.expect("it is read").is_some() {
        tokio::task::yield_now().await;
    }
    assert!(store.job("told").await.expect("it is read").is_some(), "nobody was told of its end");
    assert!(store.job("late").await.expect("it is read").is_some(), "it ended less than an hour ago");
    assert!(store.job("j0").await.expect("it is read").is_some(), "it waits");
}

#[tokio::test]
async fn d06_in_a_file_that_is_nearly_full_the_client_with_most_jobs_gives_way_first() {
    const KEPT: usize = 1_000;
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let quotas = JobQuotas { file_bytes_max: 600 * 4_096, forgets_early: true, ..JobQuotas::default() };
    let store = JobStore::open(&place(folder.path()), hand.clock(), quotas, nobody()).await.expect("it opens");
    accepted(&store, job("few")).await;
    store.cancel("few").await.expect("it is written");
    let of_bob = |number: usize| NewJob { principal: "bob".to_owned(), ..job(&format!("b{number}")) };
    for first in (0..KEPT + 100).step_by(100) {
        store.submit_all((first..first + 100).map(of_bob).collect()).await.expect("it is written");
    }
    for number in 0..KEPT + 100 {
        store.cancel(&format!("b{number}")).await.expect("it is written");
    }
    let mut number = 0;
    while !is_full(store.submit(NewJob { request: "x".repeat(8_000), ..job(&format!("j{number}")) }).await) {
        number += 1;
    }
    // All of them ended a moment ago.
    while store.job("b99").await.expect("it is read").is_some() {
        tokio::task::yield_now().await;
    }
    assert!(store.job("b100").await.expect("it is read").is_some(), "so many stay");
    assert!(store.job("few").await.expect("it is read").is_some(), "it is of another");
    accepted(&store, job("new")).await;
}

/// The same request with the same key is the job that it was, also where nothing new is accepted.
#[tokio::test]
async fn d06_what_was_accepted_before_is_found_by_its_key_on_a_full_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let quotas = JobQuotas { file_bytes_max: 80 * 4_096, ..JobQuotas::default() };
    let store = open(folder.path(), quotas).await.expect("it opens");
    let keyed = |id: &str, key: &str| NewJob {
        idempotency_key: Some(key.to_owned()),
        request_digest: "d".to_owned(),
        ..job(id)
    };
    accepted(&store, keyed("a", "one")).await;
    let mut number = 0;
    while !is_full(store.submit(NewJob { request: "x".repeat(3_000), ..job(&format!("j{number}")) }).await) {
        number += 1;
    }
    let again = store.submit(keyed("b", "one")).await;
    assert!(matches!(&again, Ok(Submitted::Same(job)) if job.id == "a"), "{again:?}");
    let all = store.submit_all(vec![keyed("c", "one"), keyed("d", "one")]).await.expect("both are there");
    assert!(all.iter().all(|one| matches!(one, Submitted::Same(job) if job.id == "a")), "{all:?}");
    let other = NewJob { request_digest: "other".to_owned(), ..keyed("d", "one") };
    assert!(matches!(store.submit(other).await, Ok(Submitted::OtherRequest)));
}

#[tokio::test]
async fn d02_a_job_whose_end_was_not_written_is_attempted_again_as_the_same_job() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let is_gone: IsGone = std::sync::Arc::new(|worker| worker == "killed");
    let first = store(folder.path(), &hand).await;
    accepted(&first, job("a")).await;
    // Its run has ended, and its process is killed before that is written.
    let lost = first.claim("killed", LEASE, 1).await.expect("it is written").remove(0);
    drop(first);
    let place = crate::jobs::place(folder.path());
    let second = JobStore::open(&place, hand.clock(), JobQuotas::default(), is_gone).await.expect("it opens");
    let again = leased(&second).await;
    assert_eq!((again.job.id.as_str(), lost.job.attempt, again.job.attempt), ("a", 1, 2));
    assert_eq!(second.end(again.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
    let events = second.events(again.job.number, 0, 10).await.expect("they are read");
    let told: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(told.iter().filter(|kind| **kind == "running").count(), 2, "both attempts are visible: {told:?}");
    assert_eq!(told.last(), Some(&"finished"));
}

#[tokio::test]
async fn d09_a_damaged_file_of_jobs_is_an_error_and_never_an_empty_queue() {
    const PAGE: usize = 4_096;
    let (folder, all) = with_jobs(60).await;
    let sound = fs::read(folder.path().join("jobs.db")).expect("it is there");
    let pages = sound.len() / PAGE;
    assert!(pages > 20, "{pages} pages");
    let mut refused = 0;
    for page in 0..pages {
        let other = tempfile::tempdir().expect("a folder");
        let mut damaged = sound.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(other.path().join("jobs.db"), &damaged).expect("written");
        let listed = match open(other.path(), JobQuotas::default()).await {
            Ok(store) => ids(&store).await,
            Err(error) => Err(error),
        };
        match listed {
            // A page that this question does not need.
            Ok(listed) => assert_eq!(listed, all, "page {page}"),
            Err(StoreError::Damaged { .. }) => refused += 1,
            Err(error) => panic!("page {page}: {error}"),
        }
    }
    assert!(refused > 5, "{refused} of {pages} pages matter");
    for bytes in [0, 1, 100, PAGE, sound.len() / 2, sound.len() - PAGE] {
        let other = tempfile::tempdir().expect("a folder");
        fs::write(other.path().join("jobs.db"), &sound[..bytes]).expect("written");
        let opened = open(other.path(), JobQuotas::default()).await;
        match (bytes, opened) {
            // Nothing was ever written: one is made, as in an empty folder. One byte is nothing to `SQLite`, too.
            (0 | 1, opened) => assert!(opened.is_ok()),
            (_, Err(StoreError::Damaged { .. })) => {}
            (_, opened) => panic!("{bytes} bytes: {opened:?}"),
        }
    }
}

/// The log's own checksums say how far it is whole. The file with shared memory is made anew from it.
#[tokio::test]
async fn d09_a_log_without_its_index_and_with_a_torn_end_keeps_every_whole_transaction() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path(), JobQuotas::default()).await.expect("it opens");
    for number in 0..20 {
        accepted(&store, job(&format!("j{number}"))).await;
    }
    let all = ids(&store).await.expect("they are listed");
    // As a machine without power leaves them: nobody closed the file.
    let copy = tempfile::tempdir().expect("a folder");
    for name in ["jobs.db", "jobs.db-wal"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).expect("it is there");
    }
    let wal = copy.path().join("jobs.db-wal");
    let mut torn = fs::read(&wal).expect("it is there");
    assert!(torn.len() > 4_096, "the jobs are in the log");
    torn.extend([0x5a; 3_000]);
    fs::write(&wal, torn).expect("written");
    let opened = open(copy.path(), JobQuotas::default()).await.expect("it opens");
    assert_eq!(ids(&opened).await.expect("they are listed"), all);
    opened.close().await;
    assert_sound(copy.path()).await;
}

const FIRST: &str = include_str!("../../migrations/jobs_0001.sql");
const SECOND: &str = include_str!("../../migrations/jobs_0002.sql");

/// A folder as the first version of the program left it, with one job.
async fn of_the_first_version() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let row = "INSERT INTO jobs VALUES (1, 'old', 'alice', '{\"intent\":\"old\"}', 'ready', 0, 1, 1, NULL, 0, 3, 0, '', 0, 0, \
               NULL, NULL, NULL, '', '', '', '', NULL, '', '');";
    let header = "PRAGMA user_version = 1; PRAGMA application_id = 1768057442;";
    change(folder.path(), &format!("PRAGMA journal_mode = WAL; {FIRST} {row} {header}")).await;
    folder
}

#[tokio::test]
async fn d10_a_migration_that_was_cut_off_is_done_anew_and_keeps_the_jobs() {
    let folder = of_the_first_version().await;
    // A process that dies in the middle: its statements were written, and nobody committed them.
    let mut dying = connection(folder.path()).await;
    let half = format!("PRAGMA cache_size = 1; BEGIN IMMEDIATE; {SECOND} PRAGMA user_version = 2;");
    sqlx::raw_sql(AssertSqlSafe(half)).execute(&mut dying).await.expect("the statements are valid");
    let copy = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(folder.path()).expect("it is listed") {
        let entry = entry.expect("an entry");
        if !entry.file_name().to_string_lossy().ends_with("-shm") {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("copied");
        }
    }
    drop(dying);
    for folder in [copy, folder] {
        let store = open(folder.path(), JobQuotas::default()).await.expect("it opens");
        assert_eq!(leased(&store).await.job.id, "old");
        store.close().await;
        assert_sound(folder.path()).await;
    }
}

#[tokio::test]
async fn d10_jobs_of_a_newer_version_are_refused_and_left_as_they_are() {
    let (folder, _) = with_jobs(3).await;
    change(folder.path(), "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)").await;
    let before = fs::read(folder.path().join("jobs.db")).expect("it is there");
    let error = open(folder.path(), JobQuotas::default()).await.expect_err("it is newer");
    assert!(error.to_string().ends_with("update intentbox"), "{error}");
    assert!(fs::read(folder.path().join("jobs.db")).expect("it is there") == before);
}

/// Several machines share the jobs, so leases go by the time of day. A clock that jumps may end one too early or too late:
/// nothing is lost by that, nothing ends twice, and order goes by numbers.
#[tokio::test]
async fn d11_whatever_the_clock_does_each_job_ends_once_and_events_keep_their_order() {
    const HOUR: i64 = 3_600_000;
    for jump in [HOUR, -HOUR, 10 * 365 * 24 * HOUR, -10 * 365 * 24 * HOUR] {
        let folder = tempfile::tempdir().expect("a folder");
        let (clock, hand) = crate::set_by_hand(NOON);
        let place = crate::jobs::place(folder.path());
        let store = JobStore::open(&place, clock, JobQuotas::default(), nobody()).await.expect("it opens");
        for id in ["a", "b"] {
            accepted(&store, job(id)).await;
        }
        accepted(&store, NewJob { start: Start::AfterMs(1_000), ..job("later") }).await;
        let old = leased(&store).await;
        hand.fetch_add(jump, std::sync::atomic::Ordering::Relaxed);
        // Forwards, its lease is over, and another may take it. Backwards, it is still held.
        let mut open = store.claim("w2", LEASE, 9).await.expect("it is written");
        let is_taken = open.iter().any(|lease| lease.job.id == old.job.id);
        assert!(jump > 0 || !is_taken, "{jump}");
        let ended = store.end(old.key(), finished()).await.expect("it is written");
        assert_eq!(ended, (!is_taken).then_some(JobState::Finished), "{jump}");
        for lease in open.drain(..) {
            assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
        }
        // What waited for its time begins once the clock has come there.
        hand.store(NOON + 2_000 + jump.max(0), std::sync::atomic::Ordering::Relaxed);
        while !store.job("later").await.expect("it is read").expect("it is there").state.is_final() {
            for lease in store.claim("w3", LEASE, 9).await.expect("it is written") {
                store.end(lease.key(), finished()).await.expect("it is written");
            }
        }
        for id in ["a", "b", "later"] {
            let job = store.job(id).await.expect("it is read").expect("it is there");
            let events = store.events(job.number, 0, 100).await.expect("they are read");
            assert_eq!(events.iter().filter(|event| event.kind == "finished").count(), 1, "{jump}: {id}: {events:?}");
            assert!(events.windows(2).all(|pair| pair[0].number < pair[1].number), "{jump}: {events:?}");
        }
    }
}
