//! A database file: opened, checked for whose it is, and brought to the version of this program.
//!
//! It is `SQLite` with a write-ahead log: readers and one writer at a time, in any number of processes. What was committed is
//! there after the process was killed; after a loss of power the last writes may be missing, and the rest is whole.
//!
//! Migrations are numbered files and the number of the last one is in the file's header (`user_version`). `sqlx` has its own,
//! which need its macros: they would compile its whole query checker, and its migrations for `SQLite` take no lock, so that two
//! servers that start together would both apply them. Here each opening takes the write lock first.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, SqlSafeStr, SqliteConnection};

use crate::error::StoreError;
use crate::reserve;

/// How long a statement waits for another process's. A batch takes milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Takes the write lock at once: a transaction that begins by reading cannot wait for it later.
pub(super) const BEGIN_TO_WRITE: &str = "BEGIN IMMEDIATE";

/// After how many pages `SQLite` moves what is in the log into the file, so that the log is used anew: its own number, and never.
const MOVE_LOG: &str = "PRAGMA wal_autocheckpoint = 1000";
const KEEP_LOG: &str = "PRAGMA wal_autocheckpoint = 0";

/// A file that has less than this part of its limit left is nearly full.
const NEARLY_FULL_PART: u64 = 16;

/// A disk with fewer bytes free is full: what is mapped into memory grows by 32 KiB.
const FULL_BELOW: u64 = 64 << 10;

/// What the log keeps of the disk once a long text went through it.
const LOG_BYTES: &str = "PRAGMA journal_size_limit = 4194304";

/// How a file may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// To its limit.
    Usual,
    /// The same on a disk with little room: what is in the log is moved into the file only where all of it fits. A part of it would
    /// take the room, and the log could still not be used anew.
    Little,
    /// The same, but beyond the limit by as much as is kept for what ends something.
    Reserve,
}

/// What a file is for, which its header says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// `application_id`, four letters of ASCII.
    pub(super) application: i64,
    /// The table of its version in `PostgreSQL`, where one database holds several kinds.
    pub(super) versions: &'static str,
    /// The migrations in their order: the first makes version 1 of version 0, which is an empty file.
    pub(super) migrations: &'static [&'static str],
    /// Whether each commit waits for the disk.
    pub(super) is_durable: bool,
}

impl Kind {
    /// The version that this program writes.
    pub(super) fn version(&self) -> i64 {
        i64::try_from(self.migrations.len()).unwrap_or(i64::MAX)
    }
}

/// One connection to a file.
#[derive(Debug)]
pub(crate) struct DatabaseFile {
    pub(super) path: PathBuf,
    pub(super) connection: SqliteConnection,
    /// How it was opened to write; nothing where it was not, and where there is no file.
    opened: Option<Opened>,
    /// How it may grow now.
    growth: Growth,
    /// Whether an error may have left the connection within a transaction: `SQLite` ends one by itself where the disk is full,
    /// and the driver does not hear of it.
    is_broken: AtomicBool,
}

/// How a file was opened, to open it again.
#[derive(Debug, Clone, Copy)]
struct Opened {
    kind: Kind,
    bytes_max: u64,
    /// Its device and its number there. Another file of the same name is not ours.
    identity: (u64, u64),
}

impl DatabaseFile {
    /// Opens the file, which is there, and brings it to the version of this program. From then on it grows to `bytes_max` bytes
    /// at most. A file without write permission is told now and not with the first write.
    pub(super) fn to_write(path: &Path, kind: Kind, bytes_max: u64) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let mut file = Self::connect(path).await?;
            match file.prepare_to_write(kind, bytes_max).await {
                Ok(()) => {
                    let opened = identity(path).map(|identity| Opened { kind, bytes_max, identity });
                    Ok(Self { opened, ..file })
                }
                Err(error) => {
                    file.close().await;
                    Err(error)
                }
            }
        })
    }

    /// The connection, made anew after an error. What is there under the name must still be the file that was opened: what is
    /// written into one that was removed is gone with this process.
    ///
    /// # Errors
    /// The file is gone, or it cannot be opened again.
    pub(super) fn usable(&mut self) -> BoxFuture<'_, Result<&mut SqliteConnection, StoreError>> {
        Box::pin(async move {
            let Some(opened) = self.opened else { return Ok(&mut self.connection) };
            if identity(&self.path) != Some(opened.identity) {
                let detail = "it was removed or replaced while this program used it; restart the program".to_owned();
                return Err(StoreError::Unopened { file: self.path.clone(), detail });
            }
            if self.is_broken.load(Ordering::Relaxed) {
                let again = Self::to_write(&self.path.clone(), opened.kind, opened.bytes_max).await?;
                std::mem::replace(self, again).close().await;
            }
            Ok(&mut self.connection)
        })
    }

    /// The same, for what may let the file grow so.
    pub(super) fn usable_for(&mut self, growth: Growth) -> BoxFuture<'_, Result<&mut SqliteConnection, StoreError>> {
        Box::pin(async move {
            self.usable().await?;
            if let Some(opened) = self.opened
                && (self.growth, growth) != (Growth::Usual, Growth::Usual)
            {
                let more = if growth == Growth::Reserve { reserve::BYTES_MAX } else { 0 };
                let (path, connection) = (&self.path, &mut self.connection);
                let limited = async {
                    let moves_log = growth == Growth::Usual || has_room_for_log(path, connection).await?;
                    limit_size(connection, opened.bytes_max.saturating_add(more)).await?;
                    run(connection, if moves_log { MOVE_LOG } else { KEEP_LOG }).await
                };
                limited.await.map_err(|error| self.fault(&error))?;
                self.growth = growth;
            }
            Ok(&mut self.connection)
        })
    }

    /// The room within the file.
    pub(super) fn room(&mut self) -> BoxFuture<'_, Result<FileRoom, StoreError>> {
        Box::pin(async move {
            let bytes_max = self.opened.map_or(u64::MAX, |opened| opened.bytes_max);
            let connection = self.usable().await?;
            let numbers = async {
                let mut numbers = [0_u64; 3];
                for (number, sql) in
                    numbers.iter_mut().zip(["PRAGMA page_size", "PRAGMA freelist_count", "PRAGMA page_count"])
                {
                    let found: i64 = sqlx::query_scalar(sql).fetch_one(&mut *connection).await?;
                    *number = u64::try_from(found).unwrap_or_default();
                }
                Ok(numbers)
            };
            let [page, free, all] = numbers.await.map_err(|error: sqlx::Error| self.fault(&error))?;
            let used = page.saturating_mul(all.saturating_sub(free));
            let is_nearly_full = used > bytes_max - bytes_max / NEARLY_FULL_PART;
            Ok(FileRoom { free: page.saturating_mul(free), is_nearly_full })
        })
    }

    /// Moves what is in the log into the file, as long as the disk has room for it: the log is used anew then, and takes no more room.
    pub(super) fn move_log(&mut self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.usable().await?;
            let (path, connection) = (&self.path, &mut self.connection);
            let moved = async {
                if has_room_for_log(path, connection).await? {
                    run(connection, "PRAGMA wal_checkpoint(PASSIVE)").await?;
                }
                Ok(())
            };
            moved.await.map_err(|error: sqlx::Error| self.fault(&error))
        })
    }

    /// A database in memory, which ends with the connection.
    pub(super) async fn in_memory(kind: Kind, bytes_max: u64) -> Result<Self, StoreError> {
        let path = PathBuf::from(":memory:");
        let options = SqliteConnectOptions::new().in_memory(true).foreign_keys(true).disable_statement_logging();
        let connection = options.connect().await.map_err(|error| fault(&path, &error))?;
        let mut file =
            Self { path, connection, opened: None, growth: Growth::Usual, is_broken: AtomicBool::new(false) };
        file.prepare_to_write(kind, bytes_max).await?;
        Ok(file)
    }

    /// Opens the file, which is there, for reading; nothing where it holds nothing yet.
    pub(super) fn to_read(path: &Path, kind: Kind) -> BoxFuture<'_, Result<Option<Self>, StoreError>> {
        Box::pin(async move {
            let mut file = Self::connect(path).await?;
            match file.prepare_to_read(kind).await {
                Ok(true) => Ok(Some(file)),
                ended => {
                    file.close().await;
                    ended.map(|_| None)
                }
            }
        })
    }

    /// Connects without changing the file: options such as the journal's mode are for files that are known to be ours. Readers
    /// connect likewise, and forbid themselves to write later: one without the permission could not remove the log that it
    /// has to make.
    async fn connect(path: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(false)
            .busy_timeout(LOCK_WAIT)
            .foreign_keys(true)
            .disable_statement_logging();
        let connection = options.connect().await.map_err(|error| fault(path, &error))?;
        let path = path.to_owned();
        Ok(Self { path, connection, opened: None, growth: Growth::Usual, is_broken: AtomicBool::new(false) })
    }

    async fn prepare_to_write(&mut self, kind: Kind, bytes_max: u64) -> Result<(), StoreError> {
        self.prepare(kind).await?;
        limit_size(&mut self.connection, bytes_max).await.map_err(|error| fault(&self.path, &error))
    }

    async fn prepare(&mut self, kind: Kind) -> Result<(), StoreError> {
        let fault = |error: sqlx::Error| fault(&self.path, &error);
        let mut transaction = self.connection.begin_with(BEGIN_TO_WRITE).await.map_err(fault)?;
        let header = header(&mut transaction).await.map_err(fault)?;
        migrate(&mut transaction, kind, header.version(&self.path, kind)?).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
        keep_a_log(&mut self.connection).await.map_err(fault)?;
        if kind.is_durable {
            run(&mut self.connection, "PRAGMA synchronous = FULL").await.map_err(fault)?;
        }
        Ok(())
    }

    /// Whether there is something to read.
    async fn prepare_to_read(&mut self, kind: Kind) -> Result<bool, StoreError> {
        let mut transaction = self.connection.begin().await.map_err(|error| fault(&self.path, &error))?;
        let header = header(&mut transaction).await.map_err(|error| fault(&self.path, &error))?;
        transaction.rollback().await.map_err(|error| fault(&self.path, &error))?;
        match header.version(&self.path, kind)? {
            0 => return Ok(false),
            version if version == kind.version() => {}
            // Queries are written for one version. After an update, a reader may be the first to open the file.
            _ => self.prepare(kind).await?,
        }
        let forbidden = run(&mut self.connection, "PRAGMA query_only = ON").await;
        forbidden.map_err(|error| fault(&self.path, &error))?;
        Ok(true)
    }

    /// What an error of the driver means for this file. The connection is made anew before it is used again.
    pub(super) fn fault(&self, error: &sqlx::Error) -> StoreError {
        self.is_broken.store(true, Ordering::Relaxed);
        fault(&self.path, error)
    }

    /// Closes the file. The last one to do so moves what is in the log into the file, and removes the log.
    pub(super) async fn close(self) {
        // What could fail is that removal. The log stays then, and the next to open the file reads it.
        let _ = self.connection.close().await;
    }
}

/// The device of a file and its number there, if it is there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// The room within a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileRoom {
    /// How many bytes of it are free.
    pub(crate) free: u64,
    /// Whether little is left until its limit, with what is free.
    pub(crate) is_nearly_full: bool,
}

/// Whether the disk has room for what is in the log of this file: by as much as the file grows with it. What replaces a page takes none.
async fn has_room_for_log(file: &Path, connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let page_bytes: i64 = sqlx::query_scalar("PRAGMA page_size").fetch_one(&mut *connection).await?;
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *connection).await?;
    let bytes = u64::try_from(page_bytes.saturating_mul(pages)).unwrap_or_default();
    let on_disk = std::fs::metadata(file).map_or(0, |file| file.blocks() * 512);
    Ok(reserve::free_beside(file).is_ok_and(|free| free >= bytes.saturating_sub(on_disk)))
}

/// Runs statements that bind no values, each to its end. By the trait, since futures of `RawSql::execute` have not always been
/// able to move between threads.
pub(super) async fn run(connection: &mut SqliteConnection, sql: impl SqlSafeStr) -> Result<(), sqlx::Error> {
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
    /// The version of a file of this kind, which is one that is known here: 0 for an empty one.
    fn version(self, file: &Path, kind: Kind) -> Result<i64, StoreError> {
        match self {
            Self { application: 0, version: 0, tables: 0 } => Ok(0),
            Self { application, version, .. } if application == kind.application && version > kind.version() => {
                Err(StoreError::Newer { file: file.to_owned(), found: version, known: kind.version() })
            }
            Self { application, version, .. } if application == kind.application && version > 0 => Ok(version),
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
async fn migrate(connection: &mut SqliteConnection, kind: Kind, version: i64) -> Result<(), sqlx::Error> {
    for (number, sql) in (1_i64..).zip(kind.migrations.iter().copied()) {
        if number <= version {
            continue;
        }
        run(connection, sql).await?;
        // A pragma binds no values. These are constants of this program.
        let application = kind.application;
        let header = format!("PRAGMA user_version = {number}; PRAGMA application_id = {application}");
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
        run(connection, LOG_BYTES).await?;
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
        // What it maps into memory cannot grow either where the disk is full, and that is told as a fault of the disk.
        10 if reserve::free_beside(&file).is_ok_and(|free| free < FULL_BELOW) => StoreError::Full { file, detail },
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

    const APPLICATION: i64 = 0x6962_6f78;
    const KIND: Kind = Kind { application: APPLICATION, versions: "", migrations: &["SELECT 1"], is_durable: false };
    const VERSION: i64 = 1;

    #[test]
    fn a_header_says_whose_file_it_is() {
        let verdict = |application: i64, version: i64, tables: i64| match (Header { application, version, tables })
            .version(Path::new("f"), KIND)
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
