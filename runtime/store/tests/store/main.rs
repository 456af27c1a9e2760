//! The store from outside: real files, in folders that go with the test.

mod damage;
mod faults;
mod full;
mod jobs;
mod long;
mod power;
mod processes;
mod quotas;
mod recorder;
mod records;
mod service;
mod steps;
mod tools;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use intentbox_store::{Clock, OK, RunRecord, Target};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

pub(crate) const HOUR_MS: i64 = 3_600_000;
pub(crate) const DAY_MS: i64 = 24 * HOUR_MS;

/// The midnight at which 19 November 2026 begins, and its noon.
pub(crate) const MIDNIGHT: i64 = 20_776 * DAY_MS;
pub(crate) const NOON: i64 = MIDNIGHT + DAY_MS / 2;

/// A run that began at this time and took a millisecond.
pub(crate) fn run(started_unix_ms: i64) -> RunRecord {
    RunRecord {
        run_id: "d185b17f3a54773f47b754503adec90a".to_owned(),
        started_unix_ms,
        surface: "mcp",
        principal: "token:alice".to_owned(),
        target: Target::Template("sentry/list_errors".to_owned()),
        outcome: OK,
        cached: false,
        wall_us: 1_000,
        fuel: 4_454_520,
        http_requests: 1,
        host_calls: 2,
    }
}

/// A clock that stands still.
pub(crate) fn at(unix_ms: i64) -> Clock {
    Clock::new(move || unix_ms)
}

/// A clock and what sets it.
pub(crate) fn set_by_hand(unix_ms: i64) -> (Clock, Arc<AtomicI64>) {
    let hand = Arc::new(AtomicI64::new(unix_ms));
    let shown = Arc::clone(&hand);
    (Clock::new(move || shown.load(Ordering::Relaxed)), hand)
}

/// The number that a query of the state file gives.
pub(crate) async fn number(folder: &Path, sql: &'static str) -> i64 {
    let options = SqliteConnectOptions::new().filename(folder.join("state.db"));
    let mut connection = options.connect().await.expect("the file is a database");
    let number = sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect("the query is valid");
    connection.close().await.expect("it closes");
    number
}

/// Changes the state file behind the back of whoever has it open.
pub(crate) async fn change(folder: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(folder.join("state.db"));
    let mut connection = options.connect().await.expect("the file is a database");
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("the statement is valid");
    connection.close().await.expect("it closes");
}
