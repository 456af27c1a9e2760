//! The records of runs: in the state file, or in a database of `PostgreSQL` that several machines share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};

use super::connection::Connection;
use super::file::{BEGIN_TO_WRITE, DatabaseFile, Kind};
use super::postgres::PostgresDatabase;
use super::session::{Row as Read, Session, Sql, in_time};
use crate::clock::DAY_MS;
use crate::error::StoreError;
use crate::histogram::Bucket;
use crate::place::PostgresUrl;
use crate::quotas::Quotas;
use crate::run::Row;
use crate::stats::{Group, OTHER, Tally};

/// The state file: `ibox` in ASCII.
const KIND: Kind = Kind {
    application: 0x6962_6f78,
    versions: "intentbox_runs_version",
    migrations: &[include_str!("../../migrations/0001_runs.sql")],
    is_durable: false,
};

/// How a transaction of `PostgreSQL` begins that adds records. It waits for no disk, since records are no promise, and shares a lock
/// with the others that add, so that nobody cleans up between the look at a name and its use.
const BEGIN_TO_ADD: &str = "SET LOCAL synchronous_commit = 'off'; SELECT pg_advisory_xact_lock_shared(1768058744)";

/// How one begins that removes as well. It is alone.
const BEGIN_TO_CLEAN: &str = "SET LOCAL synchronous_commit = 'off'; SELECT pg_advisory_xact_lock(1768058744)";

/// How one begins that reads: one view of everything.
const BEGIN_TO_READ: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// The rows of a statement are one JSON text: an array of them, each an array of its values.
const ADD_RUNS: Sql = Sql {
    sqlite: "INSERT INTO runs (run_id, started_ms, surface, principal, target, outcome, cached, bucket, wall_us, fuel, \
             http_requests, host_calls) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, \
             value ->> 8, value ->> 9, value ->> 10, value ->> 11 FROM json_each($1)",
    postgres: "INSERT INTO runs (run_id, started_ms, surface, principal, target, outcome, cached, bucket, wall_us, fuel, \
               http_requests, host_calls) \
               SELECT value ->> 0, (value ->> 1)::bigint, value ->> 2, value ->> 3, value ->> 4, value ->> 5, \
               (value ->> 6)::bigint, (value ->> 7)::bigint, (value ->> 8)::bigint, (value ->> 9)::bigint, \
               (value ->> 10)::bigint, (value ->> 11)::bigint FROM json_array_elements($1::json) AS added(value)",
};

/// Without `WHERE true`, `SQLite` takes the `ON` for that of a join.
const ADD_USAGE: Sql = Sql {
    sqlite: "INSERT INTO usage (day, target_id, outcome, bucket, runs, cached) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each($1) WHERE true \
             ON CONFLICT (day, target_id, outcome, bucket) \
             DO UPDATE SET runs = usage.runs + excluded.runs, cached = usage.cached + excluded.cached",
    postgres: "INSERT INTO usage (day, target_id, outcome, bucket, runs, cached) \
               SELECT (value ->> 0)::bigint, (value ->> 1)::bigint, value ->> 2, (value ->> 3)::bigint, \
               (value ->> 4)::bigint, (value ->> 5)::bigint FROM json_array_elements($1::json) AS added(value) \
               ON CONFLICT (day, target_id, outcome, bucket) \
               DO UPDATE SET runs = usage.runs + excluded.runs, cached = usage.cached + excluded.cached",
};

const KNOWN_TARGETS: Sql = Sql {
    sqlite: "SELECT name, id FROM targets WHERE name IN (SELECT value FROM json_each($1))",
    postgres: "SELECT name, id FROM targets WHERE name IN (SELECT value FROM json_array_elements_text($1::json) AS named(value))",
};

/// What is written in one transaction.
#[derive(Debug)]
pub(crate) struct Batch<'rows> {
    pub(crate) rows: &'rows [Row<'rows>],
    /// Records that were lost and are not yet counted.
    pub(crate) dropped: u64,
    pub(crate) now_ms: i64,
    /// Whether to look at the quotas that cost time as well.
    pub(crate) is_thorough: bool,
}

/// One connection to the records.
#[derive(Debug)]
pub(crate) struct Database(Connection);

impl Database {
    /// Opens the file, which is there, and brings it to the version of this program. From then on it grows to `bytes_max` bytes
    /// at most. A file without write permission is told now and not with the first batch.
    pub(crate) async fn to_write(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        Ok(Self(Connection::File(Box::new(DatabaseFile::to_write(file, KIND, bytes_max).await?))))
    }

    /// Opens the file, which is there, for reading; nothing where it holds nothing yet.
    pub(crate) async fn to_read(file: &Path) -> Result<Option<Self>, StoreError> {
        let opened = DatabaseFile::to_read(file, KIND).await?;
        Ok(opened.map(|file| Self(Connection::File(Box::new(file)))))
    }

    /// Connects to the database, and brings its tables to the version of this program.
    pub(crate) async fn connect(url: &PostgresUrl) -> Result<Self, StoreError> {
        Ok(Self(Connection::Postgres(Box::new(PostgresDatabase::open(url, KIND).await?))))
    }

    /// Writes the batch and keeps to the quotas, in one transaction. After an error the connection is of no more use: the
    /// database may have ended the transaction by itself, and the driver would not know.
    pub(crate) async fn add(&mut self, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), StoreError> {
        let added = match &mut self.0 {
            Connection::File(file) => add_to_file(&mut file.connection, batch, quotas).await,
            Connection::Postgres(database) => add_to_postgres(database.connection().await?, batch, quotas).await,
        };
        added.map_err(|error| self.0.fault(&error))
    }

    /// Counts the runs that began at `since_ms` or later; without it, all. After an error the connection is of no more use.
    pub(crate) async fn tally(&mut self, since_ms: Option<i64>) -> Result<Tally, StoreError> {
        let tally = match &mut self.0 {
            Connection::File(file) => count_file(&mut file.connection, since_ms).await,
            Connection::Postgres(database) => count_postgres(database.connection().await?, since_ms).await,
        };
        tally.map_err(|error| self.0.fault(&error))
    }

    /// Closes the file. The last one to do so moves what is in the log into the file, and removes the log.
    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

async fn add_to_file(connection: &mut SqliteConnection, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let mut session = Session::Sqlite(&mut transaction);
    add(&mut session, batch, quotas).await?;
    keep_to(quotas, batch.now_ms, &mut session).await?;
    if batch.is_thorough {
        keep_usage_to(quotas, &mut session).await?;
    }
    transaction.commit().await
}

/// Several processes add at the same time, and one of them removes now and then.
async fn add_to_postgres(connection: &mut PgConnection, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), sqlx::Error> {
    let mut transaction = in_time(connection.begin()).await?;
    let begin = if batch.is_thorough { BEGIN_TO_CLEAN } else { BEGIN_TO_ADD };
    in_time(transaction.execute(sqlx::raw_sql(begin))).await?;
    let mut session = Session::Postgres(&mut transaction);
    add(&mut session, batch, quotas).await?;
    if batch.is_thorough {
        keep_to(quotas, batch.now_ms, &mut session).await?;
        keep_usage_to(quotas, &mut session).await?;
    }
    in_time(transaction.commit()).await
}

async fn add(session: &mut Session<'_>, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), sqlx::Error> {
    add_runs(session, batch.rows).await?;
    add_usage(session, batch.rows, quotas).await?;
    if batch.dropped > 0 {
        const SQL: Sql = Sql::same(
            "INSERT INTO dropped (day, records) VALUES ($1, $2) \
             ON CONFLICT (day) DO UPDATE SET records = dropped.records + excluded.records",
        );
        let dropped = i64::try_from(batch.dropped).unwrap_or(i64::MAX);
        session.change(SQL, &[batch.now_ms.div_euclid(DAY_MS).into(), dropped.into()]).await?;
    }
    Ok(())
}

async fn add_runs(session: &mut Session<'_>, rows: &[Row<'_>]) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let row = |row: &Row<'_>| {
        let Row { run_id, started_ms, surface, principal, target, outcome, cached, .. } = row;
        let Row { bucket, wall_us, fuel, http_requests, host_calls, .. } = row;
        let bucket = bucket.number();
        json!([
            run_id,
            started_ms,
            surface,
            principal,
            target,
            outcome,
            cached,
            bucket,
            wall_us,
            fuel,
            http_requests,
            host_calls
        ])
    };
    let rows = rows.iter().map(row).collect::<serde_json::Value>().to_string();
    session.change(ADD_RUNS, &[(&rows).into()]).await.map(|_| ())
}

/// What runs have in common that are counted in one row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'rows> {
    day: i64,
    target_id: i64,
    outcome: &'rows str,
    bucket: Bucket,
}

async fn add_usage(session: &mut Session<'_>, rows: &[Row<'_>], quotas: &Quotas) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let ids = target_ids(session, rows.iter().map(|row| row.target).collect(), quotas.targets_max).await?;
    // No key twice in one statement, and all in one order: two processes that add do not wait for each other in a circle.
    let mut sums: BTreeMap<Key<'_>, (i64, i64)> = BTreeMap::new();
    for row in rows {
        let target_id = *ids.get(row.target).ok_or(sqlx::Error::RowNotFound)?;
        let key = Key { day: row.day, target_id, outcome: row.outcome, bucket: row.bucket };
        let (runs, cached) = sums.entry(key).or_default();
        *runs += 1;
        *cached += row.cached;
    }
    let sum = |(Key { day, target_id, outcome, bucket }, (runs, cached)): (&Key<'_>, &(i64, i64))| {
        json!([day, target_id, outcome, bucket.number(), runs, cached])
    };
    let sums = sums.iter().map(sum).collect::<serde_json::Value>().to_string();
    session.change(ADD_USAGE, &[(&sums).into()]).await.map(|_| ())
}

/// The ids of the names to count by: their own, or that of [`OTHER`] when there are too many names already.
async fn target_ids<'rows>(
    session: &mut Session<'_>,
    names: BTreeSet<&'rows str>,
    targets_max: u32,
) -> Result<BTreeMap<&'rows str, i64>, sqlx::Error> {
    let known = known_targets(session, names.iter().copied()).await?;
    let mut ids = BTreeMap::new();
    for name in names {
        let id = match known.get(name) {
            Some(id) => *id,
            None => new_target(session, name, targets_max).await?,
        };
        ids.insert(name, id);
    }
    Ok(ids)
}

async fn new_target(session: &mut Session<'_>, name: &str, targets_max: u32) -> Result<i64, sqlx::Error> {
    // One process at a time makes names, so that they are counted.
    const LOCK: Sql = Sql { sqlite: "SELECT 1", postgres: "SELECT CAST(pg_advisory_xact_lock(1768058745) AS TEXT)" };
    const COUNT: Sql = Sql::same("SELECT COUNT(*) FROM targets WHERE name <> $1");
    const INSERT: Sql = Sql::same("INSERT INTO targets (name) VALUES ($1) ON CONFLICT (name) DO NOTHING");
    session.change(LOCK, &[]).await?;
    if let Some(id) = known_targets(session, [name].into_iter()).await?.remove(name) {
        return Ok(id);
    }
    let names = session.row(COUNT, &[OTHER.into()]).await?.map_or(Ok(0), |row| row.number(0))?;
    let name = if names < i64::from(targets_max) { name } else { OTHER };
    session.change(INSERT, &[name.into()]).await?;
    known_targets(session, [name].into_iter()).await?.remove(name).ok_or(sqlx::Error::RowNotFound)
}

async fn known_targets<'a>(
    session: &mut Session<'_>,
    names: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, i64>, sqlx::Error> {
    let names = names.collect::<serde_json::Value>().to_string();
    let rows = session.rows(KNOWN_TARGETS, &[(&names).into()]).await?;
    rows.iter().map(|row| Ok((row.text(0)?, row.number(1)?))).collect()
}

/// How many records one cleaning removes at most: it takes a second, and the next one removes more.
const REMOVED_MAX: i64 = 100_000;

/// Removes what is too much or too old. Each of these finds its rows by an index, and most find none.
async fn keep_to(quotas: &Quotas, now_ms: i64, session: &mut Session<'_>) -> Result<(), sqlx::Error> {
    // Ids grow: those of the last `runs_max` rows are above this, and no more than that.
    const MANY: Sql = Sql::same(
        "DELETE FROM runs WHERE id IN \
         (SELECT id FROM runs WHERE id <= (SELECT MAX(id) FROM runs) - $1 ORDER BY id LIMIT $2)",
    );
    const OLD: Sql = Sql::same(
        "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE started_ms < $1 ORDER BY started_ms LIMIT $2)",
    );
    const OLD_USAGE: Sql = Sql::same("DELETE FROM usage WHERE day < $1");
    const OLD_DROPPED: Sql = Sql::same("DELETE FROM dropped WHERE day < $1");
    session.change(MANY, &[quotas.runs_max.into(), REMOVED_MAX.into()]).await?;
    let first_ms = now_ms.saturating_sub(i64::from(quotas.runs_days_max) * DAY_MS);
    session.change(OLD, &[first_ms.into(), REMOVED_MAX.into()]).await?;
    let first_day = now_ms.div_euclid(DAY_MS) - i64::from(quotas.usage_days_max);
    session.change(OLD_USAGE, &[first_day.into()]).await?;
    session.change(OLD_DROPPED, &[first_day.into()]).await?;
    Ok(())
}

/// Removes the oldest days of counts where there are too many rows, and names that nothing is counted by any more where there
/// are too many of these. Both look at whole tables.
async fn keep_usage_to(quotas: &Quotas, session: &mut Session<'_>) -> Result<(), sqlx::Error> {
    // The day of the first row too many, counted from the newest.
    const DAYS: Sql =
        Sql::same("DELETE FROM usage WHERE day <= (SELECT day FROM usage ORDER BY day DESC LIMIT 1 OFFSET $1)");
    const TARGETS: Sql = Sql::same(
        "DELETE FROM targets WHERE (SELECT COUNT(*) FROM targets) >= $1 AND id NOT IN (SELECT target_id FROM usage)",
    );
    session.change(DAYS, &[quotas.usage_rows_max.into()]).await?;
    session.change(TARGETS, &[quotas.targets_max.into()]).await?;
    Ok(())
}

// One view of everything: a batch that is written meanwhile would be in one table and not yet in the other.

async fn count_file(connection: &mut SqliteConnection, since_ms: Option<i64>) -> Result<Tally, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let tally = count(&mut Session::Sqlite(&mut transaction), since_ms).await?;
    transaction.rollback().await?;
    Ok(tally)
}

async fn count_postgres(connection: &mut PgConnection, since_ms: Option<i64>) -> Result<Tally, sqlx::Error> {
    let mut transaction = in_time(connection.begin()).await?;
    in_time(transaction.execute(sqlx::raw_sql(BEGIN_TO_READ))).await?;
    let tally = count(&mut Session::Postgres(&mut transaction), since_ms).await?;
    in_time(transaction.rollback()).await?;
    Ok(tally)
}

async fn count(session: &mut Session<'_>, since_ms: Option<i64>) -> Result<Tally, sqlx::Error> {
    const FIRST_DAY: Sql = Sql::same("SELECT MIN(day) FROM usage");
    const DROPPED: Sql = Sql::same("SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) FROM dropped WHERE day >= $1");
    let mut tally = Tally::default();
    let first_day = match since_ms {
        None => {
            let first = session.row(FIRST_DAY, &[]).await?.map_or(Ok(None), |row| row.number_or_null(0))?;
            tally.from_ms = first.map(|day| day * DAY_MS);
            first.unwrap_or(0)
        }
        Some(since_ms) => {
            let since_ms = since_ms.max(0);
            let day = since_ms.div_euclid(DAY_MS);
            let midnight_ms = day * DAY_MS;
            if since_ms > midnight_ms && has_all_rows_of(day, session).await? {
                add_rows_of(day, since_ms, session, &mut tally).await?;
                tally.from_ms = Some(since_ms);
                day + 1
            } else {
                tally.from_ms = Some(midnight_ms);
                day
            }
        }
    };
    add_days_from(first_day, session, &mut tally).await?;
    // Losses are known by the day alone.
    let first_day = tally.from_ms.unwrap_or(0).div_euclid(DAY_MS);
    let dropped = session.row(DROPPED, &[first_day.into()]).await?.map_or(Ok(0), |row| row.number(0))?;
    tally.dropped = u64::try_from(dropped).unwrap_or(0);
    Ok(tally)
}

/// Whether every run of this day that was counted still has its row.
async fn has_all_rows_of(day: i64, session: &mut Session<'_>) -> Result<bool, sqlx::Error> {
    const ROWS: Sql = Sql::same("SELECT COUNT(*) FROM runs WHERE started_ms >= $1 AND started_ms < $2");
    const COUNTED: Sql = Sql::same("SELECT CAST(COALESCE(SUM(runs), 0) AS BIGINT) FROM usage WHERE day = $1");
    let span = [(day * DAY_MS).into(), ((day + 1) * DAY_MS).into()];
    let rows = session.row(ROWS, &span).await?.map_or(Ok(0), |row| row.number(0))?;
    let counted = session.row(COUNTED, &[day.into()]).await?.map_or(Ok(0), |row| row.number(0))?;
    Ok(rows == counted)
}

/// Adds the runs of this day that began at `since_ms` or later, by their rows.
async fn add_rows_of(day: i64, since_ms: i64, session: &mut Session<'_>, tally: &mut Tally) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same(
        "SELECT target, outcome, bucket, COUNT(*), CAST(SUM(cached) AS BIGINT) FROM runs \
         WHERE started_ms >= $1 AND started_ms < $2 GROUP BY target, outcome, bucket",
    );
    let rows = session.rows(SQL, &[since_ms.into(), ((day + 1) * DAY_MS).into()]).await?;
    add_groups(&rows, tally)
}

/// Adds the runs of this day and of all after it, by their counts.
async fn add_days_from(day: i64, session: &mut Session<'_>, tally: &mut Tally) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same(
        "SELECT targets.name, usage.outcome, usage.bucket, CAST(SUM(usage.runs) AS BIGINT), \
         CAST(SUM(usage.cached) AS BIGINT) FROM usage JOIN targets ON targets.id = usage.target_id \
         WHERE usage.day >= $1 GROUP BY targets.name, usage.outcome, usage.bucket",
    );
    let rows = session.rows(SQL, &[day.into()]).await?;
    add_groups(&rows, tally)
}

fn add_groups(rows: &[Read], tally: &mut Tally) -> Result<(), sqlx::Error> {
    for row in rows {
        let count = |column: usize| row.number(column).map(|count| u64::try_from(count).unwrap_or(0));
        tally.add(Group {
            target: row.text(0)?,
            outcome: row.text(1)?,
            bucket: Bucket::numbered(row.number(2)?),
            runs: count(3)?,
            cached: count(4)?,
        });
    }
    Ok(())
}
