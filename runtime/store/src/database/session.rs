//! One face over both databases: statements with whole numbers, texts and bytes, and the rows that they give.
//!
//! Both take `$1` for a value and know `RETURNING`, so that one text serves both, but for locks: `SQLite` locks all of the file for
//! whoever writes, and `PostgreSQL` single rows. `sqlx` has such a face too (`Any`). It gives no type to a column that a
//! statement computes, and keeps no prepared statements of the one and pragmas of the other apart.

use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Connection as _, PgConnection, Postgres, Row as _, Sqlite, SqliteConnection};
use tokio::time::timeout;

use super::file::BEGIN_TO_WRITE;

/// How long one waits for an answer of `PostgreSQL` before the connection is taken for lost. A statement takes milliseconds, and the
/// database itself ends one that takes nearly as long as this, but for a commit.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// Waits for an answer of a database on the network, though not for ever.
pub(super) async fn in_time<T>(answer: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    timeout(ANSWER_MAX, answer).await.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut))
}

/// A statement, as each of the databases wants it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sql {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

impl Sql {
    /// A statement that is the same for both.
    pub(super) const fn same(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }
}

/// A statement that changes the rows `picked`, which it selects first. Who else picks rows at the same time gets others.
macro_rules! picking {
    ($select:expr, $change:expr) => {
        $crate::database::session::Sql {
            sqlite: concat!("WITH picked AS MATERIALIZED (", $select, ") ", $change),
            postgres: concat!("WITH picked AS MATERIALIZED (", $select, " FOR UPDATE SKIP LOCKED) ", $change),
        }
    };
}
pub(super) use picking;

/// A value of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Number(Option<i64>),
    Text(Option<&'a str>),
    Bytes(&'a [u8]),
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Number(Some(number.into()))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<Option<&'a str>> for Value<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text)
    }
}

/// A row that a statement gave. Columns are counted from 0.
#[derive(Debug)]
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    pub(super) fn number(&self, column: usize) -> Result<i64, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }

    pub(super) fn number_or_null(&self, column: usize) -> Result<Option<i64>, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }

    pub(super) fn text(&self, column: usize) -> Result<String, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }

    /// A number that is a yes, or 0.
    pub(super) fn flag(&self, column: usize) -> Result<bool, sqlx::Error> {
        self.number(column).map(|number| number != 0)
    }

    pub(super) fn bytes(&self, column: usize) -> Result<Vec<u8>, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }

    pub(super) fn text_or_null(&self, column: usize) -> Result<Option<String>, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }
}

/// A connection that runs statements, mostly within a transaction.
#[derive(Debug)]
pub(super) enum Session<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// A transaction that alone writes: another that has begun so waits.
#[derive(Debug)]
pub(super) enum Transaction<'c> {
    Sqlite(sqlx::Transaction<'c, Sqlite>),
    Postgres(sqlx::Transaction<'c, Postgres>),
}

impl Transaction<'_> {
    pub(super) fn session(&mut self) -> Session<'_> {
        match self {
            Self::Sqlite(transaction) => Session::Sqlite(transaction),
            Self::Postgres(transaction) => Session::Postgres(transaction),
        }
    }

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.commit().await,
            Self::Postgres(transaction) => in_time(transaction.commit()).await,
        }
    }

    pub(super) async fn rollback(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(transaction) => transaction.rollback().await,
            Self::Postgres(transaction) => in_time(transaction.rollback()).await,
        }
    }
}

impl Session<'_> {
    /// Begins a transaction that alone writes, of all that begin with this lock. A file has one lock for all of it.
    pub(super) fn begin(&mut self, lock: i64) -> BoxFuture<'_, Result<Transaction<'_>, sqlx::Error>> {
        Box::pin(async move {
            Ok(match self {
                Self::Sqlite(connection) => Transaction::Sqlite(connection.begin_with(BEGIN_TO_WRITE).await?),
                Self::Postgres(connection) => {
                    let mut transaction = in_time(connection.begin()).await?;
                    let locked = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(lock).execute(&mut *transaction);
                    in_time(locked).await?;
                    Transaction::Postgres(transaction)
                }
            })
        })
    }

    /// The time that all who share the database have: its own, or this machine's, on which a file is.
    pub(super) async fn shared_now(&mut self, here_ms: i64) -> Result<i64, sqlx::Error> {
        match self {
            Self::Sqlite(_) => Ok(here_ms),
            Self::Postgres(_) => self.now_unix_ms().await,
        }
    }

    /// Runs a statement, and gives the rows that it gives.
    pub(super) fn rows<'a>(
        &'a mut self,
        sql: Sql,
        values: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<Vec<Row>, sqlx::Error>> {
        Box::pin(async move {
            match self {
                Self::Sqlite(connection) => {
                    let rows = sqlite(sql.sqlite, values).fetch_all(&mut **connection).await?;
                    Ok(rows.into_iter().map(Row::Sqlite).collect())
                }
                Self::Postgres(connection) => {
                    let rows = in_time(postgres(sql.postgres, values).fetch_all(&mut **connection)).await?;
                    Ok(rows.into_iter().map(Row::Postgres).collect())
                }
            }
        })
    }

    /// The time of the database, in milliseconds after 1970, UTC.
    pub(super) async fn now_unix_ms(&mut self) -> Result<i64, sqlx::Error> {
        const SQL: Sql = Sql {
            sqlite: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            postgres: "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)",
        };
        self.row(SQL, &[]).await?.map_or(Err(sqlx::Error::RowNotFound), |row| row.number(0))
    }

    /// Runs a statement that gives one row at most.
    pub(super) async fn row(&mut self, sql: Sql, values: &[Value<'_>]) -> Result<Option<Row>, sqlx::Error> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Runs a statement, and gives the number of the rows that it changed.
    pub(super) fn change<'a>(
        &'a mut self,
        sql: Sql,
        values: &'a [Value<'a>],
    ) -> BoxFuture<'a, Result<u64, sqlx::Error>> {
        Box::pin(async move {
            Ok(match self {
                Self::Sqlite(connection) => {
                    sqlite(sql.sqlite, values).execute(&mut **connection).await?.rows_affected()
                }
                Self::Postgres(connection) => {
                    in_time(postgres(sql.postgres, values).execute(&mut **connection)).await?.rows_affected()
                }
            })
        })
    }
}

fn sqlite(sql: &'static str, values: &[Value<'_>]) -> Query<'static, Sqlite, SqliteArguments> {
    values.iter().fold(sqlx::query(sql), |query, value| match value {
        Value::Number(number) => query.bind(*number),
        Value::Text(text) => query.bind(text.map(str::to_owned)),
        Value::Bytes(bytes) => query.bind(bytes.to_vec()),
    })
}

fn postgres(sql: &'static str, values: &[Value<'_>]) -> Query<'static, Postgres, PgArguments> {
    values.iter().fold(sqlx::query(sql), |query, value| match value {
        Value::Number(number) => query.bind(*number),
        Value::Text(text) => query.bind(text.map(str::to_owned)),
        Value::Bytes(bytes) => query.bind(bytes.to_vec()),
    })
}
