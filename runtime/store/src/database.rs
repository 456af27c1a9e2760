//! The database: the one module that speaks SQL, and the one in the product that names `sqlx`.
//!
//! It is `SQLite` with a write-ahead log: readers and one writer at a time, in any number of processes. What was committed is
//! there after the process was killed; after a loss of power the last batches may be missing, and the rest is whole.
//!
//! Migrations are numbered files and the number of the last one is in the file's header (`user_version`). `sqlx` has its own,
//! which need its macros: they would compile its whole query checker, and its migrations for `SQLite` take no lock, so that two
//! servers that start together would both apply them. Here each opening takes the write lock first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, QueryBuilder, Row as _, SqlSafeStr, Sqlite,
    SqliteConnection,
};

use crate::clock::DAY_MS;
use crate::error::StoreError;
use crate::histogram::Bucket;
use crate::quotas::Quotas;
use crate::run::Row;
use crate::stats::{Group, OTHER, Tally};

/// The migrations in their order: the first makes version 1 of version 0, which is an empty file.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_runs.sql")];

/// The version that this program writes.
const VERSION: i64 = 1;

/// What the header of the file says about whose it is (`application_id`): `ibox` in ASCII.
const APPLICATION: i64 = 0x6962_6f78;

/// How long a statement waits for another process's. A batch takes milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How many rows one statement inserts: 12 values each, a tenth of the 32,766 that a statement can bind.
const ROWS_AT_ONCE: usize = 250;

/// Takes the write lock at once: a transaction that begins by reading cannot wait for it later.
const BEGIN_TO_WRITE: &str = "BEGIN IMMEDIATE";

/// One connection to the state file.
#[derive(Debug)]
pub(crate) struct Database {
    file: PathBuf,
    connection: SqliteConnection,
}

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

impl Database {
    /// Opens the file, which is there, and brings it to the version of this program. From then on it grows to `bytes_max` bytes
    /// at most. A file without write permission is told now and not with the first batch.
    pub(crate) async fn to_write(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        let mut database = Self::connect(file).await?;
        match database.prepare_to_write(bytes_max).await {
            Ok(()) => Ok(database),
            Err(error) => {
                database.close().await;
                Err(error)
            }
        }
    }

    /// Opens the file, which is there, for reading; nothing where it holds nothing yet.
    pub(crate) async fn to_read(file: &Path) -> Result<Option<Self>, StoreError> {
        let mut database = Self::connect(file).await?;
        match database.prepare_to_read().await {
            Ok(true) => Ok(Some(database)),
            ended => {
                database.close().await;
                ended.map(|_| None)
            }
        }
    }

    /// Connects without changing the file: options such as the journal's mode are for files that are known to be ours. Readers
    /// connect likewise, and forbid themselves to write later: one without the permission could not remove the log that it
    /// has to make.
    async fn connect(file: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(false)
            .busy_timeout(LOCK_WAIT)
            .foreign_keys(true)
            .disable_statement_logging();
        let connection = options.connect().await.map_err(|error| fault(file, &error))?;
        Ok(Self { file: file.to_owned(), connection })
    }

    async fn prepare_to_write(&mut self, bytes_max: u64) -> Result<(), StoreError> {
        self.prepare().await?;
        limit_size(&mut self.connection, bytes_max).await.map_err(|error| fault(&self.file, &error))
    }

    async fn prepare(&mut self) -> Result<(), StoreError> {
        let fault = |error: sqlx::Error| fault(&self.file, &error);
        let mut transaction = self.connection.begin_with(BEGIN_TO_WRITE).await.map_err(fault)?;
        let header = header(&mut transaction).await.map_err(fault)?;
        migrate(&mut transaction, header.version(&self.file)?).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        keep_a_log(&mut self.connection).await.map_err(fault)
    }

    /// Whether there is something to read.
    async fn prepare_to_read(&mut self) -> Result<bool, StoreError> {
        let mut transaction = self.connection.begin().await.map_err(|error| fault(&self.file, &error))?;
        let header = header(&mut transaction).await.map_err(|error| fault(&self.file, &error))?;
        transaction.rollback().await.map_err(|error| fault(&self.file, &error))?;
        match header.version(&self.file)? {
            0 => return Ok(false),
            VERSION => {}
            // Queries are written for one version. After an update, a reader may be the first to open the file.
            _ => self.prepare().await?,
        }
        let forbidden = run(&mut self.connection, "PRAGMA query_only = ON").await;
        forbidden.map_err(|error| fault(&self.file, &error))?;
        Ok(true)
    }

    /// Writes the batch and keeps to the quotas, in one transaction. After an error the connection is of no more use: the
    /// database may have ended the transaction by itself, and the driver would not know.
    pub(crate) async fn add(&mut self, batch: &Batch<'_>, quotas: &Quotas) -> Result<(), StoreError> {
        write(&mut self.connection, batch, quotas).await.map_err(|error| fault(&self.file, &error))
    }

    /// Counts the runs that began at `since_ms` or later; without it, all. After an error the connection is of no more use.
    pub(crate) async fn tally(&mut self, since_ms: Option<i64>) -> Result<Tally, StoreError> {
        count(&mut self.connection, since_ms).await.map_err(|error| fault(&self.file, &error))
    }

    /// Closes the file. The last one to do so moves what is in the log into the file, and removes the log.
    pub(crate) async fn close(self) {
        // What could fail is that removal. The log stays then, and the next to open the file reads it.
        let _ = self.connection.close().await;
    }
}

/// Runs statements that bind no values, each to its end. By the trait, since futures of `RawSql::execute` have not always been
/// able to move between threads.
async fn run(connection: &mut SqliteConnection, sql: impl SqlSafeStr) -> Result<(), sqlx::Error> {
    connection.execute(sqlx::raw_sql(sql)).await?;
    Ok(())
}

/// What the file says of itself.
#[derive(Debug, Clone, Copy)]
struct Header {
    application: i64,
    version: i64,
    tables: i64,
}

impl Header {
    /// The version of the file, which is one that is known here: 0 for an empty one.
    fn version(self, file: &Path) -> Result<i64, StoreError> {
        match self {
            Self { application: 0, version: 0, tables: 0 } => Ok(0),
            Self { application: APPLICATION, version, .. } if version > VERSION => {
                Err(StoreError::Newer { file: file.to_owned(), found: version, known: VERSION })
            }
            Self { application: APPLICATION, version, .. } if version > 0 => Ok(version),
            _ => Err(StoreError::Foreign { file: file.to_owned() }),
        }
    }
}

/// Reads the header, in the transaction that this connection has begun: another process may be migrating.
async fn header(connection: &mut SqliteConnection) -> Result<Header, sqlx::Error> {
    let application: i64 = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *connection).await?;
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await?;
    let tables: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_schema").fetch_one(&mut *connection).await?;
    Ok(Header { application, version, tables })
}

/// Applies the migrations after `version`, in the transaction that this connection has begun.
async fn migrate(connection: &mut SqliteConnection, version: i64) -> Result<(), sqlx::Error> {
    for (number, sql) in (1_i64..).zip(MIGRATIONS) {
        if number <= version {
            continue;
        }
        run(connection, sql).await?;
        // A pragma binds no values. These are constants of this file.
        let header = format!("PRAGMA user_version = {number}; PRAGMA application_id = {APPLICATION}");
        run(connection, AssertSqlSafe(header)).await?;
    }
    Ok(())
}

/// Has the database keep a write-ahead log. That changes the file, and takes a lock for which no statement waits: another
/// process that opens the file at this moment makes it fail as busy.
async fn keep_a_log(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    run(connection, "PRAGMA journal_mode = WAL").await?;
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *connection).await?;
    // A file system without shared memory keeps the older journal. That one is safe only if each commit waits for the disk.
    if mode == "wal" {
        run(connection, "PRAGMA synchronous = NORMAL").await?;
    }
    Ok(())
}

/// Has this connection refuse to let the file grow beyond so many bytes, as a full disk would. The file itself keeps no such
/// limit. One that is larger already stays as large.
async fn limit_size(connection: &mut SqliteConnection, bytes_max: u64) -> Result<(), sqlx::Error> {
    let page_bytes: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut *connection).await?;
    let pages_max = bytes_max / u64::try_from(page_bytes).unwrap_or(1).max(1);
    // A pragma binds no values. This is a number.
    run(connection, AssertSqlSafe(format!("PRAGMA max_page_count = {pages_max}"))).await
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

/// What an error of the driver means. The low byte of a code of `SQLite` is its kind, the rest says more.
fn fault(file: &Path, error: &sqlx::Error) -> StoreError {
    let file = file.to_owned();
    let Some(error) = error.as_database_error() else {
        return StoreError::Failed { file, detail: error.to_string() };
    };
    let detail = error.message().to_owned();
    let code: i32 = error.code().and_then(|code| code.parse().ok()).unwrap_or(0);
    match code & 0xff {
        // Locked by a process, by another connection of this one, or by a log that is being recovered.
        5 | 6 | 15 => StoreError::Busy { file, detail },
        8 => StoreError::ReadOnly { file, detail },
        // Malformed, or no database at all.
        11 | 26 => StoreError::Damaged { file, detail },
        13 => StoreError::Full { file, detail },
        14 => StoreError::Unopened { file, detail },
        _ => StoreError::Failed { file, detail },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_a_version() {
        assert_eq!(i64::try_from(MIGRATIONS.len()), Ok(VERSION));
    }

    #[test]
    fn a_header_says_whose_file_it_is() {
        let verdict = |application: i64, version: i64, tables: i64| match (Header { application, version, tables })
            .version(Path::new("f"))
        {
            Ok(0) => "empty",
            Ok(_) => "ours",
            Err(StoreError::Newer { .. }) => "newer",
            Err(_) => "foreign",
        };
        assert_eq!(verdict(0, 0, 0), "empty");
        assert_eq!(verdict(APPLICATION, VERSION, 5), "ours");
        assert_eq!(verdict(APPLICATION, VERSION + 1, 5), "newer");
        assert_eq!(verdict(APPLICATION, i64::from(i32::MAX), 0), "newer");
        for (application, version, tables) in [
            (0, 0, 1),
            (0, VERSION, 0),
            (0, VERSION, 5),
            (0, VERSION + 1, 5),
            (APPLICATION, 0, 0),
            (APPLICATION, -1, 5),
            (APPLICATION + 1, VERSION, 5),
        ] {
            assert_eq!(verdict(application, version, tables), "foreign", "{application} {version} {tables}");
        }
    }
}
