//! The records of runs in the state file.

use std::collections::BTreeMap;
use std::path::Path;

use futures_util::TryStreamExt as _;
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, QueryBuilder, Row as _, Sqlite, SqliteConnection};

use super::file::{BEGIN_TO_WRITE, DatabaseFile, Kind};
use crate::clock::DAY_MS;
use crate::error::StoreError;
use crate::histogram::Bucket;
use crate::quotas::Quotas;
use crate::run::Row;
use crate::stats::{Group, OTHER, Tally};

/// The state file: `ibox` in ASCII.
const KIND: Kind =
    Kind { application: 0x6962_6f78, migrations: &[include_str!("../../migrations/0001_runs.sql")], is_durable: false };

/// How many rows one statement inserts: 12 values each, a tenth of the 32,766 that a statement can bind.
const ROWS_AT_ONCE: usize = 250;

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

/// One connection to the state file.
#[derive(Debug)]
pub(crate) struct Database(DatabaseFile);

impl Database {
    /// Opens the file, which is there, and brings it to the version of this program. From then on it grows to `bytes_max` bytes
    /// at most. A file without write permission is told now and not with the first batch.
    pub(crate) async fn to_write(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        DatabaseFile::to_write(file, KIND, bytes_max).await.map(Self)
    }

    /// Opens the file, which is there, for reading; nothing where it holds nothing yet.
    pub(crate) async fn to_read(file: &Path) -> Result<Option<Self>, StoreError> {
        Ok(DatabaseFile::to_read(file, KIND).await?.map(Self))
    }

    /// Writes the batch and keeps to the quotas, in one transaction. After an error the connection is of no more use: the
    /// database may have ended the transaction by itself, and the driver would not know.
    pub(crate) async fn add(&mut self, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), StoreError> {
        write(&mut self.0.connection, batch, quotas).await.map_err(|error| self.0.fault(&error))
    }

    /// Counts the runs that began at `since_ms` or later; without it, all. After an error the connection is of no more use.
    pub(crate) async fn tally(&mut self, since_ms: Option<i64>) -> Result<Tally, StoreError> {
        count(&mut self.0.connection, since_ms).await.map_err(|error| self.0.fault(&error))
    }

    /// Closes the file. The last one to do so moves what is in the log into the file, and removes the log.
    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

async fn write(connection: &mut SqliteConnection, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    add_runs(&mut transaction, batch.rows).await?;
    add_usage(&mut transaction, batch.rows, quotas).await?;
    if batch.dropped > 0 {
        sqlx::query(
            "INSERT INTO dropped (day, records) VALUES ($1, $2) \
             ON CONFLICT (day) DO UPDATE SET records = dropped.records + excluded.records",
        )
        .bind(batch.now_ms.div_euclid(DAY_MS))
        .bind(i64::try_from(batch.dropped).unwrap_or(i64::MAX))
        .execute(&mut *transaction)
        .await?;
    }
    keep_to(quotas, batch.now_ms, &mut transaction).await?;
    if batch.is_thorough {
        keep_usage_to(quotas, &mut transaction).await?;
    }
    transaction.commit().await
}

async fn add_runs(connection: &mut SqliteConnection, rows: &[Row<'_>]) -> Result<(), sqlx::Error> {
    for rows in rows.chunks(ROWS_AT_ONCE) {
        let mut sql = QueryBuilder::<Sqlite>::new(
            "INSERT INTO runs (run_id, started_ms, surface, principal, target, outcome, cached, bucket, wall_us, fuel, \
             http_requests, host_calls) ",
        );
        sql.push_values(rows, |mut values, row| {
            values
                .push_bind(row.run_id)
                .push_bind(row.started_ms)
                .push_bind(row.surface)
                .push_bind(row.principal)
                .push_bind(row.target)
                .push_bind(row.outcome)
                .push_bind(row.cached)
                .push_bind(row.bucket.number())
                .push_bind(row.wall_us)
                .push_bind(row.fuel)
                .push_bind(row.http_requests)
                .push_bind(row.host_calls);
        });
        // Each number of rows is another statement: keeping them all would fill the cache of statements.
        sql.build().persistent(false).execute(&mut *connection).await?;
    }
    Ok(())
}

/// What runs have in common that are counted in one row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'rows> {
    day: i64,
    target_id: i64,
    outcome: &'rows str,
    bucket: Bucket,
}

async fn add_usage(connection: &mut SqliteConnection, rows: &[Row<'_>], quotas: &Quotas) -> Result<(), sqlx::Error> {
    let mut ids: BTreeMap<&str, i64> = BTreeMap::new();
    // No key twice in one statement: not every database would add them up.
    let mut sums: BTreeMap<Key<'_>, (i64, i64)> = BTreeMap::new();
    for row in rows {
        let target_id = match ids.get(row.target) {
            Some(id) => *id,
            None => target_id(connection, row.target, quotas.targets_max).await?,
        };
        ids.insert(row.target, target_id);
        let key = Key { day: row.day, target_id, outcome: row.outcome, bucket: row.bucket };
        let (runs, cached) = sums.entry(key).or_default();
        *runs += 1;
        *cached += row.cached;
    }
    let sums: Vec<(Key<'_>, (i64, i64))> = sums.into_iter().collect();
    for sums in sums.chunks(ROWS_AT_ONCE) {
        let mut sql = QueryBuilder::<Sqlite>::new("INSERT INTO usage (day, target_id, outcome, bucket, runs, cached) ");
        sql.push_values(sums, |mut values, (key, (runs, cached))| {
            values
                .push_bind(key.day)
                .push_bind(key.target_id)
                .push_bind(key.outcome)
                .push_bind(key.bucket.number())
                .push_bind(*runs)
                .push_bind(*cached);
        });
        sql.push(
            " ON CONFLICT (day, target_id, outcome, bucket) \
             DO UPDATE SET runs = usage.runs + excluded.runs, cached = usage.cached + excluded.cached",
        );
        sql.build().persistent(false).execute(&mut *connection).await?;
    }
    Ok(())
}

/// The id of the name to count by: its own, or that of [`OTHER`] when there are too many names already.
async fn target_id(connection: &mut SqliteConnection, name: &str, targets_max: u32) -> Result<i64, sqlx::Error> {
    if let Some(id) = known_target(connection, name).await? {
        return Ok(id);
    }
    let names: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM targets WHERE name <> $1")
        .bind(OTHER)
        .fetch_one(&mut *connection)
        .await?;
    let name = if names < i64::from(targets_max) { name } else { OTHER };
    sqlx::query("INSERT INTO targets (name) VALUES ($1) ON CONFLICT (name) DO NOTHING")
        .bind(name)
        .execute(&mut *connection)
        .await?;
    known_target(connection, name).await?.ok_or(sqlx::Error::RowNotFound)
}

async fn known_target(connection: &mut SqliteConnection, name: &str) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar("SELECT id FROM targets WHERE name = $1").bind(name).fetch_optional(connection).await
}

/// Removes what is too much or too old. Each of these finds its rows by an index, and most find none.
async fn keep_to(quotas: &Quotas, now_ms: i64, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    // Ids grow by one: those of the last `runs_max` rows are above this, and no more than that.
    sqlx::query("DELETE FROM runs WHERE id <= (SELECT MAX(id) FROM runs) - $1")
        .bind(i64::from(quotas.runs_max))
        .execute(&mut *connection)
        .await?;
    sqlx::query("DELETE FROM runs WHERE started_ms < $1")
        .bind(now_ms.saturating_sub(i64::from(quotas.runs_days_max) * DAY_MS))
        .execute(&mut *connection)
        .await?;
    let first_day = now_ms.div_euclid(DAY_MS) - i64::from(quotas.usage_days_max);
    sqlx::query("DELETE FROM usage WHERE day < $1").bind(first_day).execute(&mut *connection).await?;
    sqlx::query("DELETE FROM dropped WHERE day < $1").bind(first_day).execute(&mut *connection).await?;
    Ok(())
}

/// Removes the oldest days of counts where there are too many rows, and names that nothing is counted by any more where there
/// are too many of these. Both look at whole tables.
async fn keep_usage_to(quotas: &Quotas, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    // The day of the first row too many, counted from the newest.
    sqlx::query("DELETE FROM usage WHERE day <= (SELECT day FROM usage ORDER BY day DESC LIMIT 1 OFFSET $1)")
        .bind(i64::from(quotas.usage_rows_max))
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "DELETE FROM targets WHERE (SELECT COUNT(*) FROM targets) >= $1 \
         AND id NOT IN (SELECT target_id FROM usage)",
    )
    .bind(i64::from(quotas.targets_max))
    .execute(&mut *connection)
    .await?;
    Ok(())
}

async fn count(connection: &mut SqliteConnection, since_ms: Option<i64>) -> Result<Tally, sqlx::Error> {
    // One view of everything: a batch that is written meanwhile would be in one table and not yet in the other.
    let mut transaction = connection.begin().await?;
    let mut tally = Tally::default();
    let first_day = match since_ms {
        None => {
            let first: Option<i64> =
                sqlx::query_scalar("SELECT MIN(day) FROM usage").fetch_one(&mut *transaction).await?;
            tally.from_ms = first.map(|day| day * DAY_MS);
            first.unwrap_or(0)
        }
        Some(since_ms) => {
            let since_ms = since_ms.max(0);
            let day = since_ms.div_euclid(DAY_MS);
            let midnight_ms = day * DAY_MS;
            if since_ms > midnight_ms && has_all_rows_of(day, &mut transaction).await? {
                add_rows_of(day, since_ms, &mut transaction, &mut tally).await?;
                tally.from_ms = Some(since_ms);
                day + 1
            } else {
                tally.from_ms = Some(midnight_ms);
                day
            }
        }
    };
    add_days_from(first_day, &mut transaction, &mut tally).await?;
    // Losses are known by the day alone.
    let first_day = tally.from_ms.unwrap_or(0).div_euclid(DAY_MS);
    let dropped: i64 =
        sqlx::query_scalar("SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) FROM dropped WHERE day >= $1")
            .bind(first_day)
            .fetch_one(&mut *transaction)
            .await?;
    tally.dropped = u64::try_from(dropped).unwrap_or(0);
    transaction.rollback().await?;
    Ok(tally)
}

/// Whether every run of this day that was counted still has its row.
async fn has_all_rows_of(day: i64, connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM runs WHERE started_ms >= $1 AND started_ms < $2")
        .bind(day * DAY_MS)
        .bind((day + 1) * DAY_MS)
        .fetch_one(&mut *connection)
        .await?;
    let counted: i64 = sqlx::query_scalar("SELECT CAST(COALESCE(SUM(runs), 0) AS BIGINT) FROM usage WHERE day = $1")
        .bind(day)
        .fetch_one(&mut *connection)
        .await?;
    Ok(rows == counted)
}

/// Adds the runs of this day that began at `since_ms` or later, by their rows.
async fn add_rows_of(
    day: i64,
    since_ms: i64,
    connection: &mut SqliteConnection,
    tally: &mut Tally,
) -> Result<(), sqlx::Error> {
    let mut rows = sqlx::query(
        "SELECT target, outcome, bucket, COUNT(*), CAST(SUM(cached) AS BIGINT) FROM runs \
         WHERE started_ms >= $1 AND started_ms < $2 GROUP BY target, outcome, bucket",
    )
    .bind(since_ms)
    .bind((day + 1) * DAY_MS)
    .fetch(connection);
    while let Some(row) = rows.try_next().await? {
        tally.add(group(&row)?);
    }
    Ok(())
}

/// Adds the runs of this day and of all after it, by their counts.
async fn add_days_from(day: i64, connection: &mut SqliteConnection, tally: &mut Tally) -> Result<(), sqlx::Error> {
    let mut rows = sqlx::query(
        "SELECT targets.name, usage.outcome, usage.bucket, CAST(SUM(usage.runs) AS BIGINT), \
         CAST(SUM(usage.cached) AS BIGINT) FROM usage JOIN targets ON targets.id = usage.target_id \
         WHERE usage.day >= $1 GROUP BY targets.name, usage.outcome, usage.bucket",
    )
    .bind(day)
    .fetch(connection);
    while let Some(row) = rows.try_next().await? {
        tally.add(group(&row)?);
    }
    Ok(())
}

fn group(row: &SqliteRow) -> Result<Group, sqlx::Error> {
    let count = |column: usize| -> Result<u64, sqlx::Error> {
        let count: i64 = row.try_get(column)?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    Ok(Group {
        target: row.try_get(0)?,
        outcome: row.try_get(1)?,
        bucket: Bucket::numbered(row.try_get(2)?),
        runs: count(3)?,
        cached: count(4)?,
    })
}
