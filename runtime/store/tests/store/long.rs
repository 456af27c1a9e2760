//! Requests and reports that are not in the row of their job, and how much of them is kept.

use std::time::Duration;

use intentbox_store::{Ending, Job, JobFilter, JobQuotas, JobState, JobStore, NewJob, Quota, Submitted};

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
async fn an_attempt_that_found_no_room_is_not_counted() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, NewJob { attempts_max: 1, ..job("a") }).await;
    for waits in 1..=3 {
        let lease = leased(&store).await;
        assert_eq!((lease.job.attempt, lease.job.waits), (1, waits - 1));
        let ending = Ending::Waits { delay_ms: 0, trouble: "there is no room".to_owned() };
        assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Ready));
        let job = read(&store, "a").await;
        assert_eq!((job.attempt, job.waits, job.trouble.as_str()), (0, waits, "there is no room"));
    }
    // One that failed is: it had one attempt.
    let lease = leased(&store).await;
    let ending = Ending::Again { delay_ms: 0, trouble: String::new() };
    assert_eq!(store.end(lease.key(), ending).await.expect("it is written"), Some(JobState::Dead));
}

#[tokio::test]
async fn a07_what_ended_makes_room_for_what_waits_and_what_waits_does_not() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let quotas = JobQuotas { long_bytes_of_principal_max: 10_000, long_bytes_max: 15_000, ..JobQuotas::default() };
    let store = JobStore::open(&place(folder.path()), hand.clock(), quotas, nobody()).await.expect("it opens");
    let full = async |new: NewJob| match store.submit(new).await.expect("it is written") {
        Submitted::Full(quota) => Some(quota),
        other => {
            assert!(matches!(other, Submitted::New(_)), "{other:?}");
            None
        }
    };
    assert_eq!(full(long("a", "alice", 4_000)).await, None);
    end(&store, 4_000).await;
    assert_eq!(full(long("b", "alice", 2_000)).await, None, "to the last byte");
    // The oldest goes, with its report, and says so.
    assert_eq!(full(long("c", "alice", 8_000)).await, None);
    let removed = read(&store, "a").await;
    assert_eq!((removed.request.as_str(), removed.report.as_str(), removed.outcome.as_str()), ("", "", "ok"));
    assert!(removed.trouble.contains("removed to make room"), "{}", removed.trouble);
    // What waits stays.
    assert_eq!(full(long("d", "alice", 2_000)).await, Some(Quota::LongBytes(10_000)));
    assert_eq!(read(&store, "b").await.request.len(), 2_000);
    // Short requests need no room, and others have their own.
    assert_eq!(full(job("e")).await, None);
    assert_eq!(full(long("f", "bob", 5_000)).await, None);
    assert_eq!(full(long("g", "carol", 2_000)).await, Some(Quota::LongBytes(15_000)));
    // Bob's ends, and makes room in all.
    end(&store, 100).await;
    hand.advance(Duration::from_secs(1));
    assert_eq!(full(long("h", "carol", 2_000)).await, None);
    assert_eq!(read(&store, "f").await.request, "");
}
