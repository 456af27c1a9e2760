//! A connection to one database or the other.

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

impl Connection {
    /// A session that reads.
    pub(super) async fn session(&mut self) -> Result<Session<'_>, StoreError> {
        Ok(match self {
            Self::File(file) => Session::Sqlite(file.usable().await?),
            Self::Postgres(database) => Session::Postgres(database.connection().await?),
        })
    }

    /// The rows of a statement that reads.
    pub(super) async fn read<T>(
        &mut self,
        sql: Sql,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.session().await?.rows(sql, values).await;
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
