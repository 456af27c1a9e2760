//! Schedules over a real store, with a clock that the test sets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use intentbox_engine::Principal;
use intentbox_jobs::{JobFilter, JobQuotas, JobState, JobStore, Place, Queue, ScheduleRequest, keep_schedules};
use intentbox_store::Clock;
use tokio_util::sync::CancellationToken;

/// 2026-11-23, 12:00:30 UTC.
const NOON_MS: i64 = 1_795_435_230_000;

/// A store whose clock the test sets.
async fn store(folder: &Path) -> (JobStore, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(NOON_MS));
    let hand = Arc::clone(&now);
    let clock = Clock::new(move || hand.load(Ordering::SeqCst));
    let place = Place::Folder(folder.to_owned());
    let store = JobStore::open(&place, clock, JobQuotas::default(), Arc::new(|_| false)).await;
    (store.expect("it opens"), now)
}

#[tokio::test]
async fn a_schedule_submits_a_job_when_it_is_due_and_one_for_all_times_that_were_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, now) = store(folder.path()).await;
    let (queue, alice, stop) = (Queue::new(store.clone()), Principal::named("alice"), CancellationToken::new());
    let request = ScheduleRequest::parse(r#"{"cron": "*/5 * * * *", "job": {"code": "1", "labels": {"a": "b"}}}"#);
    let schedule = queue.add_schedule(&alice, &request.expect("a request")).await.expect("it is kept");
    assert_eq!(schedule.next_ms, NOON_MS - 30_000 + 300_000);
    let keeping = tokio::spawn(keep_schedules(store.clone(), stop.clone()));
    let jobs = async |count: usize| loop {
        let jobs = queue.list(&alice, JobFilter::default(), 10).await.expect("they are read");
        if jobs.len() == count {
            return jobs;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(jobs(0).await, []);
    now.fetch_add(300_000, Ordering::SeqCst);
    let first = jobs(1).await.remove(0);
    assert_eq!((first.state, first.request.as_str()), (JobState::Ready, r#"{"code":"1","labels":{"a":"b"}}"#));
    assert_eq!(first.labels[0], ("a".to_owned(), "b".to_owned()));
    assert_eq!(first.labels[1], ("schedule".to_owned(), schedule.id.clone()));
    queue.cancel(&alice, &first.id).await.expect("it is written");
    // A day without a server.
    now.fetch_add(86_400_000, Ordering::SeqCst);
    jobs(2).await;
    let kept = queue.schedules(&alice).await.expect("they are read").remove(0);
    assert_eq!((kept.submitted, kept.skipped), (2, 0));
    assert!(kept.next_ms > now.load(Ordering::SeqCst));
    stop.cancel();
    keeping.await.expect("it ends");
}

#[tokio::test]
async fn d11_a_clock_that_was_set_and_is_set_right_again_silences_no_schedule() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, now) = store(folder.path()).await;
    let (queue, alice, stop) = (Queue::new(store.clone()), Principal::named("alice"), CancellationToken::new());
    let request = ScheduleRequest::parse(r#"{"cron": "*/5 * * * *", "job": {"code": "1"}}"#).expect("a request");
    let first_ms = queue.add_schedule(&alice, &request).await.expect("it is kept").next_ms;
    let next = async || queue.schedules(&alice).await.expect("they are read").remove(0).next_ms;
    let keeping = tokio::spawn(keep_schedules(store.clone(), stop.clone()));
    for set_back_ms in [86_400_000, 600_000] {
        now.fetch_add(set_back_ms, Ordering::SeqCst);
        while next().await <= NOON_MS + set_back_ms {
            tokio::task::yield_now().await;
        }
        now.fetch_sub(set_back_ms, Ordering::SeqCst);
        while next().await != first_ms {
            tokio::task::yield_now().await;
        }
    }
    // What was set back while no server ran.
    stop.cancel();
    keeping.await.expect("it ends");
    now.fetch_sub(86_400_000, Ordering::SeqCst);
    let stop = CancellationToken::new();
    let keeping = tokio::spawn(keep_schedules(store.clone(), stop.clone()));
    while next().await != first_ms - 86_400_000 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    keeping.await.expect("it ends");
}
