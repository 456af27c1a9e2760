//! A connection to one database or the other.

use futures_util::future::BoxFuture;
use sqlx::{PgConnection, SqliteConnection};

use super::file::DatabaseFile;
use super::postgres::PostgresDatabase;
use super::session::{Row, Session, Sql, Value};
use crate::error::StoreError;

/// The connection.
#[derive(Debug)]
pub(crate) enum Connection {
    File(Box<DatabaseFile>),
    Postgres(Box<PostgresDatabase>),
}

/// A connection for what writes. What is dropped before it is released, with the future that holds it, leaves no transaction open: a
/// file's driver ends it, and a connection to `PostgreSQL` ends itself.
#[derive(Debug)]
pub(super) enum Held<'c> {
    File(&'c mut SqliteConnection),
    Postgres { connection: Box<PgConnection>, place: &'c mut Option<PgConnection> },
}

impl Held<'_> {
    pub(super) fn session(&mut self) -> Session<'_> {
        match self {
            Self::File(connection) => Session::Sqlite(connection),
            Self::Postgres { connection, .. } => Session::Postgres(connection),
        }
    }

    pub(super) fn release(self) {
        if let Self::Postgres { connection, place } = self {
            *place = Some(*connection);
        }
    }
}

impl Connection {
    /// A session that reads.
    pub(super) fn session(&mut self) -> BoxFuture<'_, Result<Session<'_>, StoreError>> {
        Box::pin(async move {
            Ok(match self {
                Self::File(file) => Session::Sqlite(file.usable().await?),
                Self::Postgres(database) => Session::Postgres(database.connection().await?),
            })
        })
    }

    /// The connection for what writes, until it is released.
    pub(super) fn hold(&mut self) -> BoxFuture<'_, Result<Held<'_>, StoreError>> {
        Box::pin(async move {
            Ok(match self {
                Self::File(file) => Held::File(file.usable().await?),
                Self::Postgres(database) => {
                    let (connection, place) = database.take().await?;
                    Held::Postgres { connection: Box::new(connection), place }
                }
            })
        })
    }

    /// The rows of a statement that reads. It is asked once more where the connection was closed meanwhile, as by a restart of the database.
    /// Who did not answer in time, or is not there at all, is not waited for twice.
    pub(super) async fn read<T>(
        &mut self,
        sql: Sql,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = self.session().await?.rows(sql, values).await;
        if let Err(error) = &rows
            && !matches!(error, sqlx::Error::PoolTimedOut)
            && matches!(self.fault(error), StoreError::Unreachable { .. })
        {
            rows = self.session().await?.rows(sql, values).await;
        }
        let rows = rows.and_then(|rows| rows.iter().map(read).collect());
        rows.map_err(|error| self.fault(&error))
    }

    /// What an error of the driver means. A connection that is lost is made again with the next statement.
    pub(super) fn fault(&mut self, error: &sqlx::Error) -> StoreError {
        match self {
            Self::File(file) => file.fault(error),
            Self::Postgres(database) => database.fault(error),
        }
    }

    pub(super) async fn close(self) {
        match self {
            Self::File(file) => file.close().await,
            Self::Postgres(database) => database.close().await,
        }
    }
}
