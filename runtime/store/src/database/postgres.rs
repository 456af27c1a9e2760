//! A connection to `PostgreSQL`, which is made again when it is lost, and what processes tell each other through it.

use std::net::IpAddr;
use std::str::FromStr as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tokio::time::timeout;

use super::file::Kind;
use super::session::in_time;
use crate::error::StoreError;
use crate::place::PostgresUrl;

/// How long one waits for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// How long a database that has not answered in time is left alone. Whoever waited behind the one who found out, and who comes
/// meanwhile, hears the same at once.
const SILENCE: Duration = Duration::from_secs(1);

/// How long bringing the tables to a version may take: a large table takes its time. The database ends it itself after that.
const MIGRATION_MAX: Duration = Duration::from_secs(310);

/// The limits of a transaction that brings the tables to a version, or waits for another process that does.
const BEGIN_TO_MIGRATE: &str = "SET LOCAL lock_timeout = '5min'; SET LOCAL statement_timeout = '5min'";

/// What every connection sets: a server that is told to wait for a lock, or that a client has left in a transaction, ends that
/// itself. A commit is on the disk when it returns, whatever the database has as its default.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '9s'; \
                        SET idle_in_transaction_session_timeout = '60s'; SET synchronous_commit = 'on'";

/// What is said of a database that does not answer.
const SILENT: &str = "it does not answer in time";

/// The channel on which processes tell each other which jobs have changed.
const CHANNEL: &str = "intentbox_jobs";

/// How many jobs one notification names: a payload has less than 8,000 bytes, and a number at most 19 digits.
const NAMED_MAX: usize = 300;

/// Says that a URL is one of `PostgreSQL`, and what of it is shown to people.
pub(crate) fn checked_url(url: &str) -> Result<String, String> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err("this is no URL of a PostgreSQL database".to_owned());
    }
    let options = options(url).map_err(|_| "this URL is invalid".to_owned())?;
    Ok(shown(&options))
}

/// How a URL says to connect. Passwords and jobs go to other machines over TLS alone, to the one whose certificate says its name, unless
/// the URL has a `sslmode`: the default of `PostgreSQL` is to go without TLS where a server, or somebody in between, says that it has none.
fn options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?;
    let host = options.get_host();
    let is_local = options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let says_mode = url.split_once('?').is_some_and(|(_, query)| {
        query.split('&').any(|pair| pair.starts_with("sslmode=") || pair.starts_with("ssl-mode="))
    });
    Ok(if is_local || says_mode { options } else { options.ssl_mode(PgSslMode::VerifyFull) })
}

fn shown(options: &PgConnectOptions) -> String {
    let host = options.get_socket().map_or_else(|| options.get_host().to_owned(), |path| path.display().to_string());
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    format!("postgres://{}@{host}:{}/{database}", options.get_username(), options.get_port())
}

/// The connection.
#[derive(Debug)]
pub(crate) struct PostgresDatabase {
    options: PgConnectOptions,
    shown: String,
    /// Nothing after it was lost, until the next statement.
    connection: Option<PgConnection>,
    /// Until when it is not asked again, after it did not answer in time.
    silent_until: Option<Instant>,
    /// Tells what this process notifies from what others do.
    sender: u64,
}

impl PostgresDatabase {
    /// Connects, and brings the tables to the version of this program.
    pub(super) fn open(url: &PostgresUrl, kind: Kind) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let options = options(url.expose());
            let options = options.map_err(|error| StoreError::Unreachable {
                database: url.shown().to_owned(),
                detail: error.to_string(),
            })?;
            let options = options.application_name("intentbox").disable_statement_logging();
            let mut database =
                Self { options, shown: url.shown().to_owned(), connection: None, silent_until: None, sender: sender() };
            let found = {
                let connection = database.connection().await?;
                let migrated = timeout(MIGRATION_MAX, migrate(connection, kind));
                migrated.await.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut))
            };
            match found.map_err(|error| database.fault(&error))? {
                found if found > kind.version() => {
                    Err(StoreError::Newer { file: database.shown.into(), found, known: kind.version() })
                }
                _ => Ok(database),
            }
        })
    }

    /// The connection, made again if it was lost, for a transaction: it is put back when that has ended. A transaction that is dropped
    /// before its end ends with its connection, and so do its locks.
    pub(super) fn take(&mut self) -> BoxFuture<'_, Result<(PgConnection, &mut Option<PgConnection>), StoreError>> {
        Box::pin(async move {
            self.connection().await?;
            match self.connection.take() {
                Some(connection) => Ok((connection, &mut self.connection)),
                None => Err(self.lost("the connection was lost")),
            }
        })
    }

    /// The connection, made again if it was lost.
    pub(super) fn connection(&mut self) -> BoxFuture<'_, Result<&mut PgConnection, StoreError>> {
        Box::pin(async move {
            if self.connection.is_none() {
                if self.silent_until.is_some_and(|until| Instant::now() < until) {
                    return Err(self.lost(SILENT));
                }
                let connected = timeout(CONNECT_MAX, async {
                    let mut connection = self.options.connect().await?;
                    connection.execute(sqlx::raw_sql(SETTINGS)).await?;
                    Ok(connection)
                });
                let connected: Result<PgConnection, sqlx::Error> =
                    connected.await.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut));
                match connected {
                    Ok(connection) => self.connection = Some(connection),
                    Err(error) => return Err(self.fault(&error)),
                }
            }
            let (database, detail) = (&self.shown, "the connection was lost");
            let lost = || StoreError::Unreachable { database: database.clone(), detail: detail.to_owned() };
            self.connection.as_mut().ok_or_else(lost)
        })
    }

    /// What an error of the driver means. What may be in the middle of a transaction is not used again.
    pub(super) fn fault(&mut self, error: &sqlx::Error) -> StoreError {
        let Some(error) = error.as_database_error() else {
            self.connection = None;
            let detail = match error {
                sqlx::Error::PoolTimedOut => {
                    self.silent_until = Some(Instant::now() + SILENCE);
                    SILENT.to_owned()
                }
                other => other.to_string(),
            };
            return self.lost(&detail);
        };
        let (database, detail) = (self.shown.clone(), error.message().to_owned());
        match error.code().as_deref() {
            // It stops, starts, accepts no more connections, or ended this one.
            Some("57P01" | "57P02" | "57P03" | "57P05" | "53300" | "25P03" | "08006" | "08003") => {
                self.connection = None;
                self.lost(&detail)
            }
            _ => StoreError::Database { database, detail },
        }
    }

    fn lost(&self, detail: &str) -> StoreError {
        StoreError::Unreachable { database: self.shown.clone(), detail: detail.to_owned() }
    }

    /// Has other processes hear that these jobs have changed. It is no part of a transaction: who misses it looks for itself.
    pub(super) async fn tell(&mut self, changed: &[i64]) {
        for part in changed.chunks(NAMED_MAX) {
            let payload = part.iter().fold(format!("{:x}", self.sender), |text, number| format!("{text} {number}"));
            let Ok(connection) = self.connection().await else { return };
            let told = in_time(sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(payload).execute(connection));
            if let Err(error) = told.await {
                let _ = self.fault(&error);
                return;
            }
        }
    }

    /// What other processes tell.
    pub(super) fn listen(&self) -> BoxFuture<'_, Result<JobNotices, StoreError>> {
        Box::pin(async move {
            let lost = |error: sqlx::Error| self.lost(&error.to_string());
            let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_MAX);
            let mut listener =
                PgListener::connect_with(&pool.connect_lazy_with(self.options.clone())).await.map_err(lost)?;
            listener.listen(CHANNEL).await.map_err(lost)?;
            Ok(JobNotices { listener, own: self.sender })
        })
    }

    pub(super) async fn close(self) {
        if let Some(connection) = self.connection {
            let _ = in_time(connection.close()).await;
        }
    }
}

/// What other processes tell about jobs.
#[derive(Debug)]
pub(crate) struct JobNotices {
    listener: PgListener,
    own: u64,
}

impl JobNotices {
    /// The numbers of jobs that another process has changed. None of them if some may have been missed.
    pub(crate) async fn next(&mut self) -> Result<Vec<i64>, ()> {
        loop {
            let Some(notice) = self.listener.try_recv().await.map_err(|_| ())? else { return Ok(Vec::new()) };
            let mut words = notice.payload().split(' ');
            let is_own = words.next().and_then(|sender| u64::from_str_radix(sender, 16).ok()) == Some(self.own);
            if !is_own {
                return Ok(words.filter_map(|number| number.parse().ok()).collect());
            }
        }
    }
}

/// A number that no other process has, as far as a clock and a process id tell.
fn sender() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = u64::try_from(since_1970.as_nanos() & u128::from(u64::MAX)).unwrap_or(0);
    nanos ^ (u64::from(std::process::id()) << 40) ^ COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Brings the tables to the version of this program, and returns the version that was found.
async fn migrate(connection: &mut PgConnection, kind: Kind) -> Result<i64, sqlx::Error> {
    // Most openings find what they need, and wait for nobody.
    if let Some(found) = in_time(version(connection, kind)).await?
        && found >= kind.version()
    {
        return Ok(found);
    }
    let mut transaction = connection.begin().await?;
    // Two that start together: one waits here for the other.
    transaction.execute(sqlx::raw_sql(BEGIN_TO_MIGRATE)).await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(kind.application).execute(&mut *transaction).await?;
    // Whoever waits for a table keeps all others from it.
    transaction.execute(sqlx::raw_sql("SET LOCAL lock_timeout = '5s'")).await?;
    let versions = kind.versions;
    let found = if let Some(found) = version(&mut transaction, kind).await? {
        found
    } else {
        // The name of a table is no value. It is a constant of this program.
        let sql = format!("CREATE TABLE {versions} (version BIGINT NOT NULL); INSERT INTO {versions} VALUES (0)");
        transaction.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await?;
        0
    };
    for (number, sql) in (1_i64..).zip(kind.migrations.iter().copied()) {
        if number > found {
            transaction.execute(sqlx::raw_sql(AssertSqlSafe(for_postgres(sql)))).await?;
            let sql = AssertSqlSafe(format!("UPDATE {versions} SET version = $1"));
            sqlx::query(sql).bind(number).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await?;
    Ok(found)
}

/// The version of the tables, if they are there.
async fn version(connection: &mut PgConnection, kind: Kind) -> Result<Option<i64>, sqlx::Error> {
    // Not `to_regclass`, which may know from the question before that there is no such table.
    const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables \
                            WHERE tablename = $1 AND schemaname = ANY (current_schemas(false)))";
    let versions = kind.versions;
    let is_there: bool = sqlx::query_scalar(IS_THERE).bind(versions).fetch_one(&mut *connection).await?;
    if !is_there {
        return Ok(None);
    }
    let sql = AssertSqlSafe(format!("SELECT version FROM {versions}"));
    sqlx::query_scalar(sql).fetch_one(connection).await.map(Some)
}

/// A migration of `SQLite` as `PostgreSQL` writes it.
fn for_postgres(sql: &str) -> String {
    sql.replace("INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
        .replace("    id INTEGER PRIMARY KEY", "    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
        .replace(" INTEGER", " BIGINT")
        .replace(" BLOB", " BYTEA")
        .replace(") STRICT, WITHOUT ROWID;", ");")
        .replace(") STRICT;", ");")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        let shown = checked_url("postgres://jobs:se%20cret@db.example:6432/queue?sslmode=require");
        assert_eq!(shown.as_deref(), Ok("postgres://jobs@db.example:6432/queue"));
        for wrong in ["", "jobs.db", "mysql://a/b", "postgres://a:secret@host:port/x"] {
            let error = checked_url(wrong).expect_err(wrong);
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn other_machines_are_reached_over_tls_that_says_their_name() {
        for (url, is_verified) in [
            ("postgres://jobs@db.example/queue", true),
            ("postgres://jobs@10.0.0.7/queue?application_name=sslmode%3Ddisable", true),
            ("postgres://jobs@db.example/queue?sslmode=prefer", false),
            ("postgres://jobs@localhost/queue", false),
            ("postgres://jobs@127.0.0.1/queue", false),
            ("postgres://jobs@[::1]/queue", false),
            ("postgres://jobs@localhost?host=/run/postgresql", false),
        ] {
            let mode = options(url).expect("it is a URL").get_ssl_mode();
            assert_eq!(matches!(mode, PgSslMode::VerifyFull), is_verified, "{url}: {mode:?}");
        }
    }
}
