//! What is known of upstream servers: their discovery, their tools, what of them was approved, and which project files.
//!
//! It is a file of its own beside the state file, or tables in the database that several machines share: a cache with approvals. How
//! listings and failures are encoded is up to who writes them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use crate::clock::Clock;
use crate::database::ToolDatabase;
use crate::error::StoreError;
use crate::folder::StateFolder;
use crate::place::PostgresUrl;
use crate::remembered::Remembered;
use crate::uses::{LearnedWord, ToolShape, ToolUse, Used};

/// The name of the file in the state folder.
const FILE: &str = "tools.db";

/// The most bytes of the file. 5,000 tools with schemas of 4 KiB take some 25 MB.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// How long one waits for other processes that open the same file, besides the wait of each statement.
const OPEN_WAIT_MAX: Duration = Duration::from_secs(5);

/// The pause between two attempts to open.
const OPEN_PAUSE: Duration = Duration::from_millis(20);

/// A discovery that has taken longer than this has lapsed, whether its owner is alive or not, in milliseconds.
pub const DISCOVERY_LAPSES_MS: i64 = 130_000;

/// The most discoveries at the same time, in all processes of one machine that share the store.
pub const DISCOVERIES_MAX: usize = 2;

/// A process, and when it started in ticks of the kernel: numbers of processes come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Where its number means something: another machine, or another container, has another. 0 where that is not known.
    pub place: i64,
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks after the machine did.
    pub start: u64,
}

/// How the last discovery of a server went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveryStatus {
    /// There was none.
    Never,
    /// It goes on.
    Discovering,
    /// It listed the tools.
    Success,
    /// It failed.
    Failed,
    /// It took too long.
    Timeout,
}

impl DiscoveryStatus {
    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DiscoveryStatus::Never => "never",
            DiscoveryStatus::Discovering => "discovering",
            DiscoveryStatus::Success => "success",
            DiscoveryStatus::Failed => "failed",
            DiscoveryStatus::Timeout => "timeout",
        }
    }

    pub(crate) fn of(word: &str) -> Self {
        let all = [Self::Discovering, Self::Success, Self::Failed, Self::Timeout];
        all.into_iter().find(|status| status.as_str() == word).unwrap_or(Self::Never)
    }
}

/// An entry of a project's file that a person approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// The file.
    pub file: PathBuf,
    /// The name of the server.
    pub server: String,
    /// The hash of the entry, in hexadecimal.
    pub config_hash: String,
    /// What the person was shown of it, in lines; empty where that was not kept.
    pub told: String,
}

/// What is known of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRecord {
    /// Under what it is kept: the store asks only that two servers have two keys.
    pub id: String,
    /// The hash of its configuration at that time.
    pub config_hash: String,
    /// How the last discovery went.
    pub status: DiscoveryStatus,
    /// When that was, in milliseconds after 1970, UTC.
    pub changed_ms: i64,
    /// Who is discovering, if somebody is.
    pub owner: Owner,
    /// Why the last discovery failed, as its writer encoded it; empty if it did not.
    pub failure: String,
    /// When the tools were last listed, in milliseconds after 1970, UTC; 0 if never.
    pub discovered_ms: i64,
}

/// What a server listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingRecord {
    /// Under what the server is kept.
    pub id: String,
    /// When it listed this, in milliseconds after 1970, UTC; 0 if never. No other listing of the same server has this time.
    pub discovered_ms: i64,
    /// The tools without their schemas, as their writer encoded them.
    pub encoded: Vec<u8>,
}

/// What a server said of one tool, and what of that is approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionRecord {
    /// The tool's name.
    pub name: String,
    /// Whether the last listing had it.
    pub is_listed: bool,
    /// The SHA-256 of the definition in hexadecimal.
    pub hash: String,
    /// The definition as JSON text.
    pub definition: String,
    /// The hash of the approved one; empty where the tool came after the first listing and nobody has approved it.
    pub approved_hash: String,
    /// The approved definition as JSON text; empty where there is none.
    pub approved: String,
}

/// A tool of a listing, to be kept.
#[derive(Debug, Clone, Copy)]
pub struct ListedDefinition<'a> {
    /// Its name.
    pub name: &'a str,
    /// The SHA-256 of the definition in hexadecimal.
    pub hash: &'a str,
    /// The definition as JSON text.
    pub definition: &'a str,
}

/// How a discovery ended.
#[derive(Debug, Clone)]
pub enum Discovered<'a> {
    /// With a listing.
    Listed {
        /// The tools without their schemas, encoded.
        listing: &'a [u8],
        /// Each of them in full.
        definitions: &'a [ListedDefinition<'a>],
        /// Whether what changed is approved at once, because the server is trusted.
        is_trusted: bool,
    },
    /// With a failure; what was listed before stays.
    Failed {
        /// `Failed` or `Timeout`.
        status: DiscoveryStatus,
        /// Why, encoded.
        failure: &'a str,
    },
}

/// Whether a discovery may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It may, and this process is its owner now.
    Claimed,
    /// Another process is at it.
    Busy,
    /// As many as may go on do already.
    Full,
}

/// The open file, or a connection to the database.
#[derive(Debug)]
pub struct ToolStore {
    clock: Clock,
    open: Mutex<Open>,
    /// What happened while opening that the user should know.
    notice: Option<String>,
    /// Whether another process sees what is kept.
    is_kept: bool,
}

/// A database, and what was read of it lately if others write it too.
#[derive(Debug)]
struct Open {
    database: ToolDatabase,
    remembered: Remembered,
}

impl Open {
    fn of(database: ToolDatabase) -> Mutex<Self> {
        Mutex::new(Self { database, remembered: Remembered::default() })
    }

    /// The time by which answers are remembered; nothing where a file is read, which costs less than a millisecond.
    fn now(&self) -> Option<std::time::Instant> {
        self.database.is_shared().then(std::time::Instant::now)
    }

    /// The database to write. What was read before is forgotten.
    fn writable(&mut self) -> &mut ToolDatabase {
        self.remembered = Remembered::default();
        &mut self.database
    }
}

/// Reads what is remembered, or else the database.
macro_rules! remembered {
    ($store:expr, $what:ident) => {{
        let mut open = $store.open.lock().await;
        let now = open.now();
        if let Some(kept) = now.and_then(|now| open.remembered.$what.get(now)) {
            return Ok(kept);
        }
        let read = open.database.$what().await?;
        if let Some(now) = now {
            open.remembered.$what.keep(now, &read);
        }
        Ok(read)
    }};
}

impl ToolStore {
    /// Opens the file in the state folder and makes both where they are not there. A file that is damaged or foreign is put
    /// aside under another name, and a new one begins: [`ToolStore::notice`] says so. Without a folder that can be written,
    /// everything is kept in memory, and the notice says that.
    ///
    /// # Errors
    ///
    /// A newer version of this program wrote the file, or not even memory can hold the database.
    #[must_use]
    pub fn open(folder: Option<&Path>, clock: Clock) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let Some(folder) = folder else {
                let notice = "there is no state folder, so that tools are kept in memory; name one with --state";
                return Self::in_memory(clock, Some(notice.to_owned())).await;
            };
            match open(folder).await {
                Ok(database) => Ok(Self { clock, open: Open::of(database), notice: None, is_kept: true }),
                Err(error @ StoreError::Newer { .. }) => Err(error),
                Err(error @ (StoreError::Damaged { .. } | StoreError::Foreign { .. })) => {
                    let aside = put_aside(folder, &clock);
                    match (aside, open(folder).await) {
                        (Ok(aside), Ok(database)) => {
                            let notice = format!("{error}; it is kept as {}, and a new file begins", aside.display());
                            Ok(Self { clock, open: Open::of(database), notice: Some(notice), is_kept: true })
                        }
                        _ => Self::in_memory(clock, Some(format!("{error}; tools are kept in memory"))).await,
                    }
                }
                Err(error) => Self::in_memory(clock, Some(format!("{error}; tools are kept in memory"))).await,
            }
        })
    }

    async fn in_memory(clock: Clock, notice: Option<String>) -> Result<Self, StoreError> {
        let database = ToolDatabase::in_memory(FILE_BYTES_MAX).await?;
        Ok(Self { clock, open: Open::of(database), notice, is_kept: false })
    }

    /// Connects to a database that several machines share, and makes the tables where they are not there. What another machine writes
    /// is known within a second.
    ///
    /// # Errors
    ///
    /// The database cannot be reached, or a newer version of this program wrote it.
    #[must_use]
    pub fn connect(url: &PostgresUrl, clock: Clock) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let database = ToolDatabase::connect(url).await?;
            Ok(Self { clock, open: Open::of(database), notice: None, is_kept: true })
        })
    }

    /// What happened while opening that the user should know, in one line.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Whether another process sees what is kept: not where there is no folder that can be written.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// The time in milliseconds after 1970, UTC.
    #[must_use]
    pub fn now_unix_ms(&self) -> i64 {
        self.clock.now_unix_ms()
    }

    /// All servers that are known, by name.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn servers(&self) -> Result<Vec<ServerRecord>, StoreError> {
        remembered!(self, servers)
    }

    /// One server, if it is known.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn server(&self, id: &str) -> Result<Option<ServerRecord>, StoreError> {
        self.open.lock().await.database.server(id).await
    }

    /// What all servers listed last. It can be megabytes: [`ServerRecord::discovered_ms`] says whether it is known already.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn listings(&self) -> Result<Vec<ListingRecord>, StoreError> {
        self.open.lock().await.database.listings().await
    }

    /// What one server listed last, if it is known.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn listing(&self, id: &str) -> Result<Option<ListingRecord>, StoreError> {
        self.open.lock().await.database.listing(id).await
    }

    /// Begins a discovery for `owner`, unless another process is at the same one or too many go on. `is_alive` says whether an
    /// owner still runs: the claim of one that does not has lapsed.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn claim(
        &self,
        id: &str,
        config_hash: &str,
        owner: Owner,
        is_alive: &(dyn Fn(Owner) -> bool + Send + Sync),
    ) -> Result<Claim, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        self.open.lock().await.writable().claim(id, config_hash, owner, now_ms, is_alive).await
    }

    /// Ends a discovery of `owner`. Returns whether it was still his: a lapsed one changes nothing.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn finish(&self, id: &str, owner: Owner, discovered: &Discovered<'_>) -> Result<bool, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        self.open.lock().await.writable().finish(id, owner, discovered, now_ms).await
    }

    /// Keeps a listing that a connection found beside its calls. A discovery that goes on elsewhere goes on.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn put(&self, id: &str, config_hash: &str, listed: &Discovered<'_>) -> Result<(), StoreError> {
        let now_ms = self.clock.now_unix_ms();
        self.open.lock().await.writable().put(id, config_hash, listed, now_ms).await
    }

    /// One definition.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn definition(&self, server: &str, tool: &str) -> Result<Option<DefinitionRecord>, StoreError> {
        let mut open = self.open.lock().await;
        let now = open.now();
        if let Some(kept) = now.and_then(|now| open.remembered.definition(server, tool).get(now)) {
            return Ok(kept);
        }
        let read = open.database.definition(server, tool).await?;
        if let Some(now) = now {
            open.remembered.definition(server, tool).keep(now, &read);
        }
        Ok(read)
    }

    /// The definitions of a server that are not what was approved.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn changed(&self, server: &str) -> Result<Vec<DefinitionRecord>, StoreError> {
        self.open.lock().await.database.changed(server).await
    }

    /// The names of tools that are not what was approved, with their servers, and whether each came after the first listing.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn changed_names(&self) -> Result<Vec<(String, String, bool)>, StoreError> {
        remembered!(self, changed_names)
    }

    /// Approves what a server says of its tools now: of one, or of all. Only what has the hash that was seen is approved.
    /// Returns how many were.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn approve(&self, server: &str, seen: &[(String, String)]) -> Result<u64, StoreError> {
        self.open.lock().await.writable().approve(server, seen).await
    }

    /// Forgets a server and all of its tools. In a database that several machines share, they stay: another one may have the server.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn forget(&self, server: &str) -> Result<(), StoreError> {
        self.open.lock().await.writable().forget(server).await
    }

    /// Notes that a person approved an entry of a project's file as it is now.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn trust(&self, trusted: &Trusted) -> Result<(), StoreError> {
        let now_ms = self.clock.now_unix_ms();
        self.open.lock().await.writable().trust(trusted, now_ms).await
    }

    /// The entries of project files that were approved.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn trusted(&self) -> Result<Vec<Trusted>, StoreError> {
        self.open.lock().await.database.trusted().await
    }

    /// Adds calls that were answered.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn add_uses(&self, used: &[Used]) -> Result<(), StoreError> {
        self.open.lock().await.writable().add_uses(used).await
    }

    /// How often each tool answered.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn uses(&self) -> Result<Vec<ToolUse>, StoreError> {
        remembered!(self, uses)
    }

    /// What the answers of a tool look like, if any were seen.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn shape(&self, server: &str, tool: &str) -> Result<Option<ToolShape>, StoreError> {
        self.open.lock().await.database.shape(server, tool).await
    }

    /// Notes single words of an intent that led to a tool which then answered. A word counts after two such runs, and each tool
    /// keeps the last 32.
    ///
    /// # Errors
    ///
    /// The file or database cannot be written.
    pub async fn learn(&self, server: &str, tool: &str, words: &[String]) -> Result<(), StoreError> {
        let now_ms = self.clock.now_unix_ms();
        self.open.lock().await.writable().learn(server, tool, words, now_ms).await
    }

    /// The words that people say for tools.
    ///
    /// # Errors
    ///
    /// The file or database cannot be read.
    pub async fn learned(&self) -> Result<Vec<LearnedWord>, StoreError> {
        remembered!(self, learned)
    }

    /// Closes the file or the connection.
    pub async fn close(self) {
        self.open.into_inner().database.close().await;
    }
}

async fn open(folder: &Path) -> Result<ToolDatabase, StoreError> {
    let folder = StateFolder::of_file(folder, FILE)?;
    folder.create()?;
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    loop {
        match ToolDatabase::open(folder.file(), FILE_BYTES_MAX).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            ended => return ended,
        }
    }
}

/// Renames a file that cannot be used, and what the database keeps beside it.
fn put_aside(folder: &Path, clock: &Clock) -> io::Result<PathBuf> {
    let file = folder.join(FILE);
    let aside = folder.join(format!("{FILE}.damaged-{}", clock.now_unix_ms()));
    std::fs::rename(&file, &aside)?;
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("{FILE}{suffix}")));
    }
    Ok(aside)
}
