//! Requests and reports that are not in the row of their job, and how much of them is kept.

use std::path::Path;
use std::time::Duration;

use intentbox_store::{Ending, Job, JobFilter, JobQuotas, JobState, JobStore, NewJob, Quota, Submitted, Told};

use crate::jobs::{Hand, LEASE, accepted, job, leased, nobody, place, store};

/// The longest text in a row.
const IN_ROW: usize = 1_536;

fn text(length: usize) -> String {
    format!("\"{}\"", "x".repeat(length - 2))
}

fn long(id: &str, principal: &str, length: usize) -> NewJob {
    NewJob { principal: principal.to_owned(), request: text(length), ..job(id) }
}

async fn read(store: &JobStore, id: &str) -> Job {
    store.job(id).await.expect("it is read").expect("it is there")
}

/// Has the next job end with a report of so many bytes.
async fn end(store: &JobStore, length: usize) {
    let ending = Ending::Finished { outcome: "ok".to_owned(), report: text(length) };
    let lease = leased(store).await;
    assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Finished));
}

#[tokio::test]
async fn a_long_request_and_a_long_report_come_with_their_job_and_not_with_lists() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for (id, length, listed) in [("a", IN_ROW, IN_ROW), ("b", IN_ROW + 1, 0), ("c", 3 << 20, 0)] {
        let new = NewJob { callback_url: Some("https://hooks.example/a".to_owned()), ..long(id, "alice", length) };
        accepted(&store, new.clone()).await;
        assert!(matches!(store.submit(new).await.expect("written"), Submitted::New(job) if job.id == id));
        let lease = leased(&store).await;
        assert_eq!((lease.job.id.as_str(), lease.job.request.len()), (id, length));
        // A second attempt has it too.
        let again = Ending::Again { delay_ms: 0, trouble: String::new() };
        store.end(lease.key(), again).await.expect("it is written");
        end(&store, length).await;
        let job = read(&store, id).await;
        assert_eq!((job.request.len(), job.report.len()), (length, length));
        let page = store.list(&JobFilter::default(), 1).await.expect("it is read");
        assert_eq!((page[0].id.as_str(), page[0].request.len(), page[0].report.len()), (id, listed, listed));
        let told = store.claim_deliveries(9, LEASE, &[]).await.expect("it is written");
        assert_eq!((told[0].job.id.as_str(), told[0].job.report.len()), (id, length));
    }
}

#[tokio::test]
async fn d06_a_job_whose_report_found_no_room_ends_without_it_and_says_so() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    let told = NewJob { callback_url: Some("https://hooks.example/a".to_owned()), ..job("a") };
    accepted(&store, told).await;
    let (lease, ending) = (
        leased(&store).await,
        Ending::Unreported { outcome: "ok".to_owned(), trouble: "the disk was full".to_owned() },
    );
    assert_eq!(store.end(lease.key(), ending.clone()).await.expect("it is written"), Some(JobState::Finished));
    let job = read(&store, "a").await;
    let said = (job.state, job.outcome.as_str(), job.report.as_str(), job.trouble.as_str());
    assert_eq!(said, (JobState::Finished, "ok", "", "the disk was full"));
    let deliveries = store.claim_deliveries(9, LEASE, &[]).await.expect("it is written");
    assert_eq!(deliveries.iter().map(|told| told.job.id.as_str()).collect::<Vec<_>>(), ["a"]);
    // Once.
    assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), None);
}

#[tokio::test]
async fn an_attempt_that_found_no_room_is_not_counted() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, NewJob { attempts_max: 1, ..job("a") }).await;
    for waits in 1..=3 {
        let lease = leased(&store).await;
        assert_eq!((lease.job.attempt, lease.job.waits), (1, waits - 1));
        let lacked_memory = waits == 2;
        let ending = Ending::Waits { delay_ms: 0, lacked_memory, trouble: "there is no room".to_owned() };
        assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Ready));
        let job = read(&store, "a").await;
        let told = (job.attempt, job.waits, job.lacked_memory, job.trouble.as_str());
        assert_eq!(told, (0, waits, waits >= 2, "there is no room"));
    }
    // One that failed is: it had one attempt.
    let lease = leased(&store).await;
    let ending = Ending::Again { delay_ms: 0, trouble: String::new() };
    assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Dead));
}

/// A store with these bounds of long texts: of a principal, and of all.
async fn bounded(folder: &Path, hand: &Hand, own: u64, all: u64) -> JobStore {
    let quotas = JobQuotas { long_bytes_of_principal_max: own, long_bytes_max: all, ..JobQuotas::default() };
    JobStore::open(&place(folder), hand.clock(), quotas, nobody()).await.expect("it opens")
}

/// The quota that leaves no room for a job; nothing if it is accepted.
async fn full(store: &JobStore, new: NewJob) -> Option<Quota> {
    match store.submit(new).await.expect("it is written") {
        Submitted::Full(quota) => Some(quota),
        other => {
            assert!(matches!(other, Submitted::New(_)), "{other:?}");
            None
        }
    }
}

#[tokio::test]
async fn a07_what_ended_longest_ago_makes_room_for_what_is_submitted_and_no_more_of_it_than_that() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = bounded(folder.path(), &hand, 10_000, 100_000).await;
    // The first that is accepted is the last to end.
    for id in ["a", "b", "c"] {
        assert_eq!(full(&store, long(id, "alice", 3_000)).await, None);
    }
    let mut leases = store.claim("w", LEASE, 3).await.expect("it is written");
    leases.reverse();
    for lease in leases {
        hand.advance(Duration::from_secs(1));
        let ending = Ending::Finished { outcome: "ok".to_owned(), report: "{}".to_owned() };
        store.end(lease.key(), ending).await.expect("it is written");
    }
    assert_eq!(full(&store, long("d", "alice", 4_000)).await, None);
    let lengths = async || {
        let mut lengths = Vec::new();
        for id in ["a", "b", "c", "d"] {
            lengths.push(read(&store, id).await.request.len());
        }
        lengths
    };
    assert_eq!(lengths().await, [3_000, 3_000, 0, 4_000]);
    let removed = read(&store, "c").await;
    assert_eq!((removed.state, removed.report.as_str()), (JobState::Finished, "{}"));
    assert_eq!(removed.trouble, "its long texts were removed to make room for newer jobs");
    // To the last byte.
    assert_eq!(full(&store, long("e", "alice", 3_000)).await, None);
    assert_eq!(lengths().await, [3_000, 0, 0, 4_000]);
    // Nothing is removed for what is refused then, be it too much with what waits or too much at all.
    hand.advance(Duration::from_secs(1));
    for length in [3_001, 10_001] {
        assert_eq!(full(&store, long("f", "alice", length)).await, Some(Quota::LongBytes(10_000)), "{length}");
        assert_eq!(lengths().await, [3_000, 0, 0, 4_000]);
    }
    // Short requests need no room, and others have their own.
    assert_eq!(full(&store, job("g")).await, None);
    assert_eq!(full(&store, long("h", "bob", 10_000)).await, None);
}

#[tokio::test]
async fn a07_a_request_that_came_before_removes_nothing() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = bounded(folder.path(), &hand, 10_000, 100_000).await;
    let keyed = NewJob { idempotency_key: Some("k".to_owned()), ..long("a", "alice", 6_000) };
    assert_eq!(full(&store, keyed.clone()).await, None);
    end(&store, 4_000).await;
    // Also where nothing was counted yet.
    let other = bounded(folder.path(), &hand, 10_000, 100_000).await;
    for store in [store, other] {
        let again = NewJob { id: "b".to_owned(), ..keyed.clone() };
        assert!(matches!(store.submit(again).await.expect("written"), Submitted::Same(job) if job.id == "a"));
        let kept = read(&store, "a").await;
        assert_eq!((kept.request.len(), kept.report.len()), (6_000, 4_000));
    }
}

#[tokio::test]
async fn a07_what_somebody_is_still_to_be_told_is_not_removed() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = bounded(folder.path(), &hand, 10_000, 100_000).await;
    let told = NewJob { callback_url: Some("https://hooks.example/a".to_owned()), ..long("a", "alice", 4_000) };
    assert_eq!(full(&store, told).await, None);
    end(&store, 4_000).await;
    assert_eq!(full(&store, long("b", "alice", 4_000)).await, Some(Quota::LongBytes(10_000)));
    let delivery = store.claim_deliveries(1, LEASE, &[]).await.expect("it is written").remove(0);
    assert_eq!(delivery.job.report.len(), 4_000);
    assert!(store.end_delivery(&delivery, Told::Delivered).await.expect("it is written"));
    assert_eq!(full(&store, long("c", "alice", 4_000)).await, None);
    assert_eq!(read(&store, "a").await.report, "");
}

#[tokio::test]
async fn a07_reports_over_the_quota_go_although_nobody_submits_anything() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = bounded(folder.path(), &hand, 10_000, 100_000).await;
    // A first long one has the bytes counted.
    for id in ["a", "b", "c"] {
        assert_eq!(full(&store, long(id, "alice", 2_000)).await, None);
    }
    for _ in 0..3 {
        end(&store, 4_000).await;
        hand.advance(Duration::from_secs(1));
    }
    while !read(&store, "b").await.trouble.contains("removed to make room") {
        tokio::task::yield_now().await;
    }
    assert_eq!(read(&store, "c").await.report.len(), 4_000);
}

#[tokio::test]
async fn a07_all_principals_together_have_a_quota_of_bytes() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = bounded(folder.path(), &hand, 10_000, 15_000).await;
    assert_eq!(full(&store, long("a", "alice", 10_000)).await, None);
    assert_eq!(full(&store, long("b", "bob", 5_000)).await, None);
    assert_eq!(full(&store, long("c", "carol", 2_000)).await, Some(Quota::LongBytes(15_000)));
    // Whoever's it is.
    end(&store, 100).await;
    assert_eq!(full(&store, long("d", "carol", 2_000)).await, None);
}
