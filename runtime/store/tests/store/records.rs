//! Records that are written and read back, and the permissions of their files. What is counted is counted in `PostgreSQL` too, where
//! `tests/postgres/run` starts one.

use std::fs::{read_dir, symlink_metadata, write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use futures_util::future::join_all;
use intentbox_store::{Place, Quotas, RunRecord, Stats, Store, Target, TargetStats, read_stats};

use crate::jobs::place;
use crate::{DAY_MS, HOUR_MS, MIDNIGHT, NOON, at, number, run};

fn counted(pairs: &[(&str, u64)]) -> Vec<(String, u64)> {
    pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = read_dir(folder).expect("it can be listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    symlink_metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn what_is_recorded_is_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = place(folder.path());
    let store = Store::open(&place, at(NOON)).await.expect("it opens");
    let records = [
        run(NOON),
        RunRecord { cached: true, wall_us: 100, ..run(NOON) },
        RunRecord { outcome: "python_error", wall_us: 5_000, ..run(NOON) },
        RunRecord { target: Target::Exec, wall_us: 2_000, ..run(NOON) },
        RunRecord { target: Target::None, outcome: "not_found", wall_us: 10, ..run(NOON) },
    ];
    // Rows of one batch and of two are counted alike.
    store.add(&records[..2], 0).await.expect("it is written");
    store.add(&records[2..], 2).await.expect("it is written");
    let expected = Stats {
        from_unix_ms: MIDNIGHT,
        to_unix_ms: NOON,
        total: 5,
        by_target: vec![
            TargetStats {
                target: "sentry/list_errors".to_owned(),
                runs: 3,
                ok: 2,
                cached: 1,
                outcomes: counted(&[("ok", 2), ("python_error", 1)]),
                p50_ms: 0.96,
                p95_ms: 4.608,
            },
            TargetStats {
                target: "exec".to_owned(),
                runs: 1,
                ok: 1,
                cached: 0,
                outcomes: counted(&[("ok", 1)]),
                p50_ms: 1.92,
                p95_ms: 1.92,
            },
            TargetStats {
                target: "none".to_owned(),
                runs: 1,
                ok: 0,
                cached: 0,
                outcomes: counted(&[("not_found", 1)]),
                p50_ms: 0.032,
                p95_ms: 0.032,
            },
        ],
        by_outcome: counted(&[("ok", 3), ("not_found", 1), ("python_error", 1)]),
        dropped: 2,
    };
    assert_eq!(store.stats(None).await.expect("it is read"), expected);
    store.close().await;
    // The same by a reader of its own.
    let read = read_stats(&place, None, &at(NOON)).await.expect("it is read");
    assert_eq!(read, Some(expected));
    if let Place::Folder(folder) = place {
        assert_eq!(number(&folder, "SELECT COUNT(*) FROM runs").await, 5);
    }
}

#[tokio::test]
async fn a_span_begins_when_it_was_asked_to_while_the_rows_are_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = place(folder.path());
    let store = Store::open(&place, at(NOON)).await.expect("it opens");
    let started = [MIDNIGHT - 1, MIDNIGHT + HOUR_MS, MIDNIGHT + 2 * HOUR_MS, NOON];
    store.add(&started.map(run), 0).await.expect("it is written");
    for (since, runs) in [
        (MIDNIGHT - DAY_MS, 4),
        (MIDNIGHT - 1, 4),
        (MIDNIGHT, 3),
        (MIDNIGHT + HOUR_MS, 3),
        (MIDNIGHT + HOUR_MS + 1, 2),
        (NOON, 1),
        (NOON + 1, 0),
    ] {
        let stats = store.stats(Some(since)).await.expect("it is read");
        assert_eq!((stats.from_unix_ms, stats.total), (since, runs), "since {since}");
    }
    assert_eq!(store.stats(Some(-1)).await.expect("it is read").from_unix_ms, 0);
    assert_eq!(store.stats(None).await.expect("it is read").from_unix_ms, MIDNIGHT - DAY_MS);
    store.close().await;

    // A row of the day goes: the whole day is what is known.
    let quotas = Quotas { runs_max: 4, ..Quotas::default() };
    let store = Store::open_with(&place, at(NOON), quotas).await.expect("it opens");
    store.add(&[run(NOON)], 0).await.expect("it is written");
    let after = MIDNIGHT + HOUR_MS + 1;
    let stats = store.stats(Some(after)).await.expect("it is read");
    assert_eq!((stats.from_unix_ms, stats.total), (after, 3), "the row of the day before went");
    // PostgreSQL is cleaned up by the first batch of an opening, and then by each 64th.
    store.close().await;
    let store = Store::open_with(&place, at(NOON), quotas).await.expect("it opens");
    store.add(&[run(NOON)], 0).await.expect("it is written");
    let stats = store.stats(Some(after)).await.expect("it is read");
    assert_eq!((stats.from_unix_ms, stats.total), (MIDNIGHT, 5));
}

#[tokio::test]
async fn those_that_record_in_one_place_at_once_lose_nothing_and_keep_to_the_quotas() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = place(folder.path());
    let quotas = Quotas { targets_max: 5, runs_max: 100, ..Quotas::default() };
    let stores = join_all((0..3).map(|_| Store::open_with(&place, at(NOON), quotas))).await;
    let stores: Vec<Store> = stores.into_iter().map(|store| store.expect("it opens")).collect();
    // Each has the names in an order of its own, and there are more than are counted by.
    let record = |one: usize, batch: usize, number: usize| RunRecord {
        target: Target::Template(format!("pack/t{}", (one * 5 + batch + number * (one + 1)) % 11)),
        wall_us: 1_000 * (number as u64 + 1),
        ..run(NOON)
    };
    let added = join_all(stores.iter().enumerate().map(async |(one, store)| {
        for batch in 0..70 {
            let records: Vec<RunRecord> = (0..4).map(|number| record(one, batch, number)).collect();
            store.add(&records, 1).await.expect("it is written");
        }
    }));
    added.await;
    let stats = stores[0].stats(None).await.expect("it is read");
    let counted: u64 = stats.by_target.iter().map(|target| target.runs).sum();
    assert_eq!((stats.total, counted, stats.dropped), (840, 840, 210));
    assert_eq!(stats.by_target.len(), 6, "five names and what is left: {stats:?}");
    for store in stores {
        store.close().await;
    }
    let store = Store::open_with(&place, at(NOON), quotas).await.expect("it opens");
    // The first batch of a process looks at every quota.
    store.add(&[run(NOON)], 0).await.expect("it is written");
    let stats = store.stats(Some(NOON - 1)).await.expect("it is read");
    assert_eq!((stats.from_unix_ms, stats.total), (MIDNIGHT, 841), "of the day, 100 rows are left");
    store.close().await;
}

#[tokio::test]
async fn a_new_folder_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let state = folder.path().join("a/b");
    let store = Store::open(&state.as_path().into(), at(NOON)).await.expect("it opens");
    store.add(&[run(NOON)], 0).await.expect("it is written");
    assert_eq!((mode(&folder.path().join("a")), mode(&state)), (0o700, 0o700));
    assert_eq!(names(&state), ["state.db", "state.db-shm", "state.db-wal"]);
    for name in names(&state) {
        assert_eq!(mode(&state.join(&name)), 0o600, "{name}");
    }
    store.close().await;
    assert_eq!(names(&state), ["state.db"]);
}

#[tokio::test]
async fn a_folder_that_was_there_keeps_its_permissions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).expect("it is ours");
    let store = Store::open(&folder.path().into(), at(NOON)).await.expect("it opens");
    assert_eq!((mode(folder.path()), mode(&folder.path().join("state.db"))), (0o755, 0o600));
    store.close().await;
}

#[tokio::test]
async fn reading_makes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let state = folder.path().join("state");
    assert_eq!(read_stats(&state.as_path().into(), None, &at(NOON)).await.expect("it is read"), None);
    assert_eq!(names(folder.path()), [""; 0]);
    // An empty file is what remains of a process that was killed while it made the first one.
    write(folder.path().join("state.db"), "").expect("written");
    assert_eq!(read_stats(&folder.path().into(), None, &at(NOON)).await.expect("it is read"), None);
    assert_eq!(number(folder.path(), "PRAGMA user_version").await, 0);
    let store = Store::open(&folder.path().into(), at(NOON)).await.expect("it opens");
    store.close().await;
    let read =
        read_stats(&folder.path().into(), Some(NOON), &at(NOON)).await.expect("it is read").expect("there is a state");
    assert_eq!((read.from_unix_ms, read.to_unix_ms, read.total), (NOON, NOON, 0));
    assert_eq!(names(folder.path()), ["state.db"]);
}

#[tokio::test]
async fn a_reader_sees_what_open_stores_have_committed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Place::from(folder.path());
    let opened = tokio::join!(Store::open(&place, at(NOON)), Store::open(&place, at(NOON)));
    let (one, two) = (opened.0.expect("it opens"), opened.1.expect("it opens"));
    for _ in 0..10 {
        let (records, others) = ([run(NOON)], [run(NOON), run(NOON)]);
        let (first, second) = tokio::join!(one.add(&records, 0), two.add(&others, 0));
        first.expect("it is written");
        second.expect("it is written");
    }
    let read = read_stats(&folder.path().into(), None, &at(NOON)).await.expect("it is read");
    assert_eq!(read.map(|stats| stats.total), Some(30));
    assert_eq!(one.stats(None).await.expect("it is read"), two.stats(None).await.expect("it is read"));
    one.close().await;
    // The other still writes: closing takes the log away only from the last.
    two.add(&[run(NOON)], 0).await.expect("it is written");
    assert_eq!(two.stats(None).await.expect("it is read").total, 31);
    two.close().await;
    assert_eq!(names(folder.path()), ["state.db"]);
}

#[tokio::test]
async fn a_batch_of_any_size_is_one_transaction() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().into(), at(NOON)).await.expect("it opens");
    store.add(&[], 0).await.expect("nothing is written");
    let records: Vec<RunRecord> = (0..1_001)
        .map(|number| RunRecord {
            target: Target::Template(format!("a/t{number}")),
            wall_us: 1 << (number % 30),
            ..run(NOON)
        })
        .collect();
    store.add(&records, 0).await.expect("it is written");
    let stats = store.stats(None).await.expect("it is read");
    assert_eq!((stats.total, stats.by_target.len()), (1_001, 1_001));
    store.close().await;
    assert_eq!(number(folder.path(), "SELECT COUNT(*) FROM runs").await, 1_001);
}
