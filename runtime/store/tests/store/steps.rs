//! Clocks that are set while jobs run.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use intentbox_store::{Ending, JobQuotas, JobState, JobStore, LEASE_MAX, NewJob, Renewed, Told};

use crate::jobs::{Hand, LEASE, accepted, finished, job, leased, nobody, place};

const DAY: Duration = Duration::from_hours(24);

/// How long a clock settles after it was set.
const SETTLING: Duration = Duration::from_secs(15);

/// A store whose clock is set by the first hand, and whose steady clock by the second.
async fn set_and_steady(folder: &std::path::Path) -> (JobStore, Hand, Hand) {
    let (hand, steady) = (Hand::new(), Hand::new());
    let clock = hand.clock_beside(&steady);
    let store = JobStore::open(&place(folder), clock, JobQuotas::default(), nobody()).await.expect("it opens");
    (store, hand, steady)
}

/// Waits until the writer has looked once more for what is due: for a job that expires at once.
async fn looked(store: &JobStore) {
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    let id = format!("look {}", LOOKS.fetch_add(1, Ordering::Relaxed));
    accepted(store, NewJob { ttl_ms: Some(0), ..job(&id) }).await;
    while state(store, &id).await != JobState::Expired {
        tokio::task::yield_now().await;
    }
}

/// Sets a clock by a day.
fn set(hand: &Hand, ahead: bool) {
    if ahead {
        hand.advance(DAY);
    } else {
        hand.set_back(DAY);
    }
}

async fn state(store: &JobStore, id: &str) -> JobState {
    store.job(id).await.expect("it is read").expect("it is there").state
}

#[tokio::test]
async fn d11_a_lease_is_not_over_because_the_clock_was_set() {
    for ahead in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, hand, steady) = set_and_steady(folder.path()).await;
        accepted(&store, job("a")).await;
        let lease = leased(&store).await;
        set(&hand, ahead);
        looked(&store).await;
        assert_eq!(store.renew(vec![lease.key()], LEASE).await.expect("it is written"), [Renewed::Held], "{ahead}");
        // It is by the new time now, and holds when the clock has settled.
        hand.advance(SETTLING);
        steady.advance(SETTLING);
        looked(&store).await;
        assert_eq!(state(&store, "a").await, JobState::Running, "{ahead}");
        assert_eq!(store.end(lease.key(), finished()).await.expect("it is written"), Some(JobState::Finished));
    }
}

#[tokio::test]
async fn d11_a_worker_that_is_lost_is_found_out_whatever_the_clock_did() {
    for ahead in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, hand, steady) = set_and_steady(folder.path()).await;
        accepted(&store, job("a")).await;
        leased(&store).await;
        set(&hand, ahead);
        looked(&store).await;
        assert_eq!(state(&store, "a").await, JobState::Running, "its worker may renew its lease first");
        hand.advance(SETTLING);
        steady.advance(SETTLING);
        while state(&store, "a").await == JobState::Running {
            tokio::task::yield_now().await;
        }
        assert_eq!(leased(&store).await.job.attempt, 2, "{ahead}");
    }
}

#[tokio::test]
async fn d11_what_waits_for_another_attempt_does_not_wait_for_the_time_before_the_clock_was_set_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, hand, _steady) = set_and_steady(folder.path()).await;
    accepted(&store, NewJob { callback_url: Some("hooks:/in".to_owned()), ..job("told") }).await;
    let lease = leased(&store).await;
    store.end(lease.key(), finished()).await.expect("it is written");
    let delivery = store.claim_deliveries(9, LEASE, &[]).await.expect("it is written").remove(0);
    let again = Told::Again { delay_ms: 5_000, trouble: "status 500".to_owned() };
    store.end_delivery(&delivery, again).await.expect("it is written");
    accepted(&store, job("again")).await;
    let lease = leased(&store).await;
    let again = Ending::Again { delay_ms: 60_000, trouble: "no room".to_owned() };
    assert_eq!(store.end(lease.key(), again).await.expect("it is written"), Some(JobState::Scheduled));
    let later = i64::try_from((DAY * 3).as_millis()).expect("it is short");
    accepted(&store, NewJob { start: intentbox_store::Start::AfterMs(later), ..job("later") }).await;
    hand.set_back(DAY * 2);
    looked(&store).await;
    let leases = store.claim("w", LEASE, 9).await.expect("it is written");
    assert_eq!(leases.iter().map(|lease| lease.job.id.as_str()).collect::<Vec<_>>(), ["again"]);
    let told = store.claim_deliveries(9, LEASE, &[]).await.expect("it is written");
    assert_eq!(told.iter().map(|delivery| delivery.attempt).collect::<Vec<_>>(), [2]);
    assert_eq!(state(&store, "later").await, JobState::Scheduled, "its client said when");
}

#[tokio::test]
async fn a_lease_lasts_ten_minutes_at_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let hand = Hand::new();
    let store = crate::jobs::store(folder.path(), &hand).await;
    accepted(&store, job("a")).await;
    let lease = store.claim("w", DAY, 1).await.expect("it is written").remove(0);
    hand.advance(LEASE_MAX);
    looked(&store).await;
    assert_eq!(state(&store, "a").await, JobState::Running);
    hand.advance(Duration::from_millis(1));
    while state(&store, "a").await != JobState::Ready {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.renew(vec![lease.key()], DAY).await.expect("it is written"), [Renewed::Lost]);
}
