//! Both sides of each quota.

use std::sync::atomic::Ordering;

use intentbox_store::{Quotas, RunRecord, Stats, Store, Target};

use crate::{DAY_MS, NOON, at, number, run, set_by_hand};

const SMALL: Quotas = Quotas {
    runs_max: 10,
    runs_days_max: 2,
    usage_days_max: 4,
    usage_rows_max: 3,
    targets_max: 2,
    file_bytes_max: 256 << 20,
};

fn of(target: &str, started_unix_ms: i64) -> RunRecord {
    RunRecord { target: Target::Template(target.to_owned()), ..run(started_unix_ms) }
}

fn names(stats: &Stats) -> Vec<(&str, u64)> {
    stats.by_target.iter().map(|target| (target.target.as_str(), target.runs)).collect()
}

#[tokio::test]
async fn rows_beyond_the_most_go_and_are_still_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(&folder.path().into(), at(NOON), SMALL).await.expect("it opens");
    store.add(&vec![run(NOON); 10], 0).await.expect("it is written");
    assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM runs").await, 10);
    store.add(&[RunRecord { run_id: "the last".to_owned(), ..run(NOON) }], 0).await.expect("it is written");
    assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM runs").await, 10);
    let last = "SELECT COUNT(*) FROM runs WHERE run_id = 'the last'";
    assert_eq!(number(folder.path(), last).await, 1, "the oldest one went");
    store.add(&vec![run(NOON); 25], 0).await.expect("it is written");
    assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM runs").await, 10);
    assert_eq!(number(folder.path(), last).await, 0);
    assert_eq!(store.stats(None).await.expect("it is read").total, 36);
}

#[tokio::test]
async fn rows_go_after_their_days_and_counts_after_theirs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (clock, hand) = set_by_hand(NOON);
    let store = Store::open_with(&folder.path().into(), clock, SMALL).await.expect("it opens");
    store.add(&[run(NOON)], 1).await.expect("it is written");
    // The counts of a day are kept to the end of the fourth day after it.
    let last_moment = NOON - NOON.rem_euclid(DAY_MS) + 5 * DAY_MS - 1;
    for (now, rows, total, dropped) in [
        (NOON + 2 * DAY_MS, 1, 1, 1),
        (NOON + 2 * DAY_MS + 1, 0, 1, 1),
        (last_moment, 0, 1, 1),
        (last_moment + 1, 0, 0, 0),
    ] {
        hand.store(now, Ordering::Relaxed);
        store.add(&[], 0).await.expect("it is written");
        assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM runs").await, rows, "{now}");
        let stats = store.stats(None).await.expect("it is read");
        assert_eq!(stats.total, total, "{now}");
        assert_eq!(number(folder.path(), "SELECT COALESCE(SUM(records), 0) FROM dropped").await, dropped, "{now}");
    }
}

#[tokio::test]
async fn the_oldest_days_of_counts_go_when_there_are_too_many_rows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (clock, hand) = set_by_hand(NOON);
    let slow = RunRecord { wall_us: 1_000_000, ..run(NOON) };
    let failed = RunRecord { outcome: "python_error", ..run(NOON + DAY_MS) };
    // The first batch of a store is one that looks at this quota.
    for (now, records, rows, total) in [
        (NOON, vec![run(NOON), slow.clone(), slow], 2, 3),
        (NOON + DAY_MS, vec![run(NOON + DAY_MS)], 3, 4),
        (NOON + DAY_MS, vec![failed], 2, 2),
    ] {
        hand.store(now, Ordering::Relaxed);
        let store = Store::open_with(&folder.path().into(), clock.clone(), SMALL).await.expect("it opens");
        store.add(&records, 0).await.expect("it is written");
        assert_eq!(store.stats(None).await.expect("it is read").total, total);
        store.close().await;
        assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM usage").await, rows);
    }
}

#[tokio::test]
async fn templates_beyond_the_most_are_counted_together() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (clock, hand) = set_by_hand(NOON);
    let quotas = Quotas { usage_rows_max: 1_000, ..SMALL };
    let store = Store::open_with(&folder.path().into(), clock.clone(), quotas).await.expect("it opens");
    store.add(&[of("a/a", NOON), of("a/b", NOON)], 0).await.expect("it is written");
    assert_eq!(names(&store.stats(None).await.expect("it is read")), [("a/a", 1), ("a/b", 1)]);
    store.add(&[of("a/c", NOON), of("a/d", NOON), of("a/a", NOON)], 0).await.expect("it is written");
    store.add(&[of("a/c", NOON)], 0).await.expect("it is written");
    assert_eq!(names(&store.stats(None).await.expect("it is read")), [("(other)", 3), ("a/a", 2), ("a/b", 1)]);
    store.close().await;
    assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM targets").await, 3);

    // When nothing is counted by them any more, names are free again.
    let later = NOON + 10 * DAY_MS;
    hand.store(later, Ordering::Relaxed);
    let store = Store::open_with(&folder.path().into(), clock, quotas).await.expect("it opens");
    store.add(&[], 0).await.expect("it is written");
    store.add(&[of("a/c", later), of("a/d", later)], 0).await.expect("it is written");
    assert_eq!(names(&store.stats(None).await.expect("it is read")), [("a/c", 1), ("a/d", 1)]);
}
