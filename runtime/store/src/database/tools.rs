//! What is known of upstream servers. It is in a file of `SQLite`, or in a database of `PostgreSQL` that several machines share.

use std::path::{Path, PathBuf};

use super::connection::Connection;
use super::file::{DatabaseFile, Kind};
use super::postgres::PostgresDatabase;
use super::session::{Row, Session, Sql};
use super::uses;
use crate::error::StoreError;
use crate::place::PostgresUrl;
use crate::tools::{
    Claim, DISCOVERIES_MAX, DISCOVERY_LAPSES_MS, DefinitionRecord, Discovered, DiscoveryStatus, ListingRecord, Owner,
    ServerRecord, Trusted,
};
use crate::uses::{LearnedWord, ToolShape, ToolUse, Used};

/// The tools: `ibtl` in ASCII.
const KIND: Kind = Kind {
    application: 0x6962_746c,
    versions: "intentbox_tools_version",
    migrations: &[
        include_str!("../../migrations/tools_0001.sql"),
        include_str!("../../migrations/tools_0002.sql"),
        include_str!("../../migrations/tools_0003.sql"),
        include_str!("../../migrations/tools_0004.sql"),
        include_str!("../../migrations/tools_0005.sql"),
    ],
    is_durable: false,
};

/// What the processes lock that write of tools in one database of `PostgreSQL`. It is no other lock's number.
const WRITING: i64 = KIND.application + 1;

/// The columns of [`server`], in its order.
macro_rules! columns {
    () => {
        "id, config_hash, status, changed_ms, owner_place, owner_pid, owner_start, failure, discovered_ms"
    };
}

/// The columns of [`definition`], in its order.
macro_rules! definition_columns {
    () => {
        "name, is_listed, hash, definition, approved_hash, approved"
    };
}

const BY_ID: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM servers WHERE id = $1"));

/// Runs what writes, and gives what came of it.
macro_rules! written {
    ($database:expr, |$session:ident| $work:expr) => {{
        let mut held = $database.0.hold().await?;
        let mut $session = held.session();
        let done = $work.await;
        held.release();
        done.map_err(|error| $database.0.fault(&error))
    }};
}

/// One connection to what is known.
#[derive(Debug)]
pub(crate) struct ToolDatabase(Connection);

impl ToolDatabase {
    pub(crate) async fn open(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        Ok(Self(Connection::File(Box::new(DatabaseFile::to_write(file, KIND, bytes_max).await?))))
    }

    pub(crate) async fn in_memory(bytes_max: u64) -> Result<Self, StoreError> {
        Ok(Self(Connection::File(Box::new(DatabaseFile::in_memory(KIND, bytes_max).await?))))
    }

    /// Connects to the database.
    pub(crate) async fn connect(url: &PostgresUrl) -> Result<Self, StoreError> {
        Ok(Self(Connection::Postgres(Box::new(PostgresDatabase::open(url, KIND).await?))))
    }

    pub(crate) async fn servers(&mut self) -> Result<Vec<ServerRecord>, StoreError> {
        const SQL: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM servers ORDER BY id"));
        self.0.read(SQL, &[], server).await
    }

    pub(crate) async fn server(&mut self, id: &str) -> Result<Option<ServerRecord>, StoreError> {
        Ok(self.0.read(BY_ID, &[id.into()], server).await?.pop())
    }

    pub(crate) async fn listings(&mut self) -> Result<Vec<ListingRecord>, StoreError> {
        self.0.read(Sql::same("SELECT id, discovered_ms, listing FROM servers"), &[], listing).await
    }

    pub(crate) async fn listing(&mut self, id: &str) -> Result<Option<ListingRecord>, StoreError> {
        const SQL: Sql = Sql::same("SELECT id, discovered_ms, listing FROM servers WHERE id = $1");
        Ok(self.0.read(SQL, &[id.into()], listing).await?.pop())
    }

    pub(crate) async fn claim(
        &mut self,
        id: &str,
        config_hash: &str,
        owner: Owner,
        now_ms: i64,
        is_alive: &(dyn Fn(Owner) -> bool + Send + Sync),
    ) -> Result<Claim, StoreError> {
        written!(self, |session| claim(&mut session, id, config_hash, owner, now_ms, is_alive))
    }

    pub(crate) async fn finish(
        &mut self,
        id: &str,
        owner: Owner,
        discovered: &Discovered<'_>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        written!(self, |session| finish(&mut session, id, owner, discovered, now_ms))
    }

    pub(crate) async fn put(
        &mut self,
        id: &str,
        config_hash: &str,
        listed: &Discovered<'_>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        written!(self, |session| put(&mut session, id, config_hash, listed, now_ms))
    }

    pub(crate) async fn definition(
        &mut self,
        server: &str,
        tool: &str,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        const SQL: Sql =
            Sql::same(concat!("SELECT ", definition_columns!(), " FROM definitions WHERE server = $1 AND name = $2"));
        Ok(self.0.read(SQL, &[server.into(), tool.into()], definition).await?.pop())
    }

    pub(crate) async fn changed(&mut self, server: &str) -> Result<Vec<DefinitionRecord>, StoreError> {
        const SQL: Sql = Sql::same(concat!(
            "SELECT ",
            definition_columns!(),
            " FROM definitions WHERE server = $1 AND is_listed = 1 AND hash <> approved_hash ORDER BY name"
        ));
        self.0.read(SQL, &[server.into()], definition).await
    }

    pub(crate) async fn changed_names(&mut self) -> Result<Vec<(String, String, bool)>, StoreError> {
        const SQL: Sql = Sql::same(
            "SELECT server, name, CAST(CASE WHEN approved_hash = '' THEN 1 ELSE 0 END AS BIGINT) FROM definitions \
             WHERE is_listed = 1 AND hash <> approved_hash ORDER BY server, name",
        );
        self.0.read(SQL, &[], |row| Ok((row.text(0)?, row.text(1)?, row.flag(2)?))).await
    }

    pub(crate) async fn approve(&mut self, server: &str, seen: &[(String, String)]) -> Result<u64, StoreError> {
        written!(self, |session| approve(&mut session, server, seen))
    }

    /// Forgets a server that this machine has no more. Others that share the database may have it still: what is approved stays approved,
    /// and nothing else becomes so by being listed first.
    pub(crate) async fn forget(&mut self, server: &str) -> Result<(), StoreError> {
        if self.is_shared() {
            return Ok(());
        }
        written!(self, |session| forget(&mut session, server))
    }

    pub(crate) async fn trust(&mut self, trusted: &Trusted, now_ms: i64) -> Result<(), StoreError> {
        const SQL: Sql = Sql::same(
            "INSERT INTO trusted (file, server, config_hash, trusted_ms, told) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (file, server) DO UPDATE SET config_hash = excluded.config_hash, trusted_ms = excluded.trusted_ms, \
             told = excluded.told",
        );
        let file = trusted.file.to_string_lossy();
        let values = [
            (&*file).into(),
            (&trusted.server).into(),
            (&trusted.config_hash).into(),
            now_ms.into(),
            (&trusted.told).into(),
        ];
        written!(self, |session| session.change(SQL, &values)).map(|_| ())
    }

    pub(crate) async fn trusted(&mut self) -> Result<Vec<Trusted>, StoreError> {
        let trusted = |row: &Row| {
            let file = PathBuf::from(row.text(0)?);
            Ok(Trusted { file, server: row.text(1)?, config_hash: row.text(2)?, told: row.text(3)? })
        };
        self.0.read(Sql::same("SELECT file, server, config_hash, told FROM trusted"), &[], trusted).await
    }

    pub(crate) async fn add_uses(&mut self, used: &[Used]) -> Result<(), StoreError> {
        written!(self, |session| async { uses::add(session.begin(WRITING).await?, used).await })
    }

    pub(crate) async fn uses(&mut self) -> Result<Vec<ToolUse>, StoreError> {
        self.0.read(uses::ALL, &[], uses::tool_use).await
    }

    pub(crate) async fn shape(&mut self, server: &str, tool: &str) -> Result<Option<ToolShape>, StoreError> {
        Ok(self.0.read(uses::SHAPE, &[server.into(), tool.into()], uses::shape).await?.pop())
    }

    pub(crate) async fn learn(
        &mut self,
        server: &str,
        tool: &str,
        words: &[String],
        now_ms: i64,
    ) -> Result<(), StoreError> {
        written!(self, |session| async {
            uses::learn(session.begin(WRITING).await?, server, tool, words, now_ms).await
        })
    }

    pub(crate) async fn learned(&mut self) -> Result<Vec<LearnedWord>, StoreError> {
        self.0.read(uses::LEARNED, &[uses::RUNS_MIN.into()], uses::learned_word).await
    }

    /// Whether processes of other machines write too.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.0, Connection::Postgres(_))
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

fn server(row: &Row) -> Result<ServerRecord, sqlx::Error> {
    Ok(ServerRecord {
        id: row.text(0)?,
        config_hash: row.text(1)?,
        status: DiscoveryStatus::of(&row.text(2)?),
        changed_ms: row.number(3)?,
        owner: owner(row, 4)?,
        failure: row.text(7)?,
        discovered_ms: row.number(8)?,
    })
}

/// The owner whose columns begin with this one.
fn owner(row: &Row, first: usize) -> Result<Owner, sqlx::Error> {
    let (place, pid, start) = (row.number(first)?, row.number(first + 1)?, row.number(first + 2)?);
    Ok(Owner { place, pid: u32::try_from(pid).unwrap_or(0), start: u64::try_from(start).unwrap_or(0) })
}

fn listing(row: &Row) -> Result<ListingRecord, sqlx::Error> {
    Ok(ListingRecord { id: row.text(0)?, discovered_ms: row.number(1)?, encoded: row.bytes(2)? })
}

fn definition(row: &Row) -> Result<DefinitionRecord, sqlx::Error> {
    let (definition, approved_hash, approved) = (row.text(3)?, row.text(4)?, row.text(5)?);
    Ok(DefinitionRecord {
        name: row.text(0)?,
        is_listed: row.flag(1)?,
        hash: row.text(2)?,
        approved: if approved.is_empty() && !approved_hash.is_empty() { definition.clone() } else { approved },
        approved_hash,
        definition,
    })
}

async fn claim(
    session: &mut Session<'_>,
    id: &str,
    config_hash: &str,
    owner: Owner,
    here_ms: i64,
    is_alive: &(dyn Fn(Owner) -> bool + Send + Sync),
) -> Result<Claim, sqlx::Error> {
    const GOING_ON: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM servers WHERE status = 'discovering'"));
    const BEGIN: Sql = Sql::same(
        "INSERT INTO servers (id, config_hash, status, changed_ms, owner_place, owner_pid, owner_start, failure, discovered_ms, \
         listing) VALUES ($1, $2, 'discovering', $3, $4, $5, $6, '', 0, $7) \
         ON CONFLICT (id) DO UPDATE SET config_hash = excluded.config_hash, status = excluded.status, \
         changed_ms = excluded.changed_ms, owner_place = excluded.owner_place, owner_pid = excluded.owner_pid, \
         owner_start = excluded.owner_start, failure = ''",
    );
    let mut transaction = session.begin(WRITING).await?;
    let mut session = transaction.session();
    let now_ms = session.shared_now(here_ms).await?;
    let mut others = 0;
    for row in session.rows(GOING_ON, &[]).await? {
        let holder = server(&row)?;
        let is_lapsed = now_ms.saturating_sub(holder.changed_ms) > DISCOVERY_LAPSES_MS || !is_alive(holder.owner);
        if is_lapsed {
            continue;
        }
        if holder.id == id {
            // The process that adds a server claims it for the one that it started.
            if holder.owner != owner && holder.config_hash == config_hash {
                transaction.rollback().await?;
                return Ok(Claim::Busy);
            }
        } else if holder.owner.place == owner.place {
            others += 1;
        }
    }
    if others >= DISCOVERIES_MAX {
        transaction.rollback().await?;
        return Ok(Claim::Full);
    }
    let start = i64::try_from(owner.start).unwrap_or(i64::MAX);
    let values = [
        id.into(),
        config_hash.into(),
        now_ms.into(),
        owner.place.into(),
        owner.pid.into(),
        start.into(),
        [].as_slice().into(),
    ];
    session.change(BEGIN, &values).await?;
    transaction.commit().await?;
    Ok(Claim::Claimed)
}

async fn finish(
    session: &mut Session<'_>,
    id: &str,
    owner: Owner,
    discovered: &Discovered<'_>,
    here_ms: i64,
) -> Result<bool, sqlx::Error> {
    let mut transaction = session.begin(WRITING).await?;
    let mut session = transaction.session();
    let found = session.row(BY_ID, &[id.into()]).await?.as_ref().map(server).transpose()?;
    let his = found.filter(|found| found.status == DiscoveryStatus::Discovering && found.owner == owner);
    let Some(his) = his else {
        transaction.rollback().await?;
        return Ok(false);
    };
    let now_ms = session.shared_now(here_ms).await?;
    write(&mut session, id, his.discovered_ms, discovered, now_ms).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn put(
    session: &mut Session<'_>,
    id: &str,
    config_hash: &str,
    listed: &Discovered<'_>,
    here_ms: i64,
) -> Result<(), sqlx::Error> {
    const ADD: Sql = Sql::same(
        "INSERT INTO servers (id, config_hash, status, changed_ms, owner_pid, owner_start, failure, discovered_ms, listing) \
         VALUES ($1, $2, 'success', $3, 0, 0, '', 0, $4) \
         ON CONFLICT (id) DO UPDATE SET config_hash = excluded.config_hash",
    );
    const GOES_ON: Sql = Sql::same("UPDATE servers SET status = 'discovering', changed_ms = $2 WHERE id = $1");
    let mut transaction = session.begin(WRITING).await?;
    let mut session = transaction.session();
    let found = session.row(BY_ID, &[id.into()]).await?.as_ref().map(server).transpose()?;
    let now_ms = session.shared_now(here_ms).await?;
    session.change(ADD, &[id.into(), config_hash.into(), now_ms.into(), [].as_slice().into()]).await?;
    let discovered_ms = found.as_ref().map_or(0, |found| found.discovered_ms);
    write(&mut session, id, discovered_ms, listed, now_ms).await?;
    if let Some(found) = found.filter(|found| found.status == DiscoveryStatus::Discovering) {
        session.change(GOES_ON, &[id.into(), found.changed_ms.into()]).await?;
    }
    transaction.commit().await
}

/// Writes how a discovery ended, in a transaction. `discovered_ms` is when the server listed its tools before.
async fn write(
    session: &mut Session<'_>,
    id: &str,
    discovered_ms: i64,
    discovered: &Discovered<'_>,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    const FAILED: Sql = Sql::same("UPDATE servers SET status = $2, changed_ms = $3, failure = $4 WHERE id = $1");
    const LISTED: Sql = Sql::same(
        "UPDATE servers SET status = 'success', changed_ms = $2, discovered_ms = $3, failure = '', listing = $4 WHERE id = $1",
    );
    // The first listing is approved as it is, also an empty one. A tool that comes later is approved by nobody yet. One that changed
    // keeps what was approved beside what it says now, and one that changed back is what was approved.
    const DEFINITION: Sql = Sql::same(
        "INSERT INTO definitions (server, name, is_listed, hash, definition, approved_hash, approved) \
         VALUES ($1, $2, 1, $3, $4, $5, '') \
         ON CONFLICT (server, name) DO UPDATE SET is_listed = 1, hash = excluded.hash, \
         definition = excluded.definition, \
         approved = CASE WHEN excluded.hash = definitions.approved_hash THEN '' \
                         WHEN definitions.approved = '' AND definitions.approved_hash <> '' \
                         THEN definitions.definition \
                         ELSE definitions.approved END",
    );
    const UNLISTED: Sql = Sql::same("UPDATE definitions SET is_listed = 0 WHERE server = $1");
    const APPROVED: Sql = Sql::same("UPDATE definitions SET approved_hash = hash, approved = '' WHERE server = $1");
    // What nobody approved is not needed when it is gone: a server that lists other names each time would fill the database.
    const GONE: Sql =
        Sql::same("DELETE FROM definitions WHERE server = $1 AND is_listed = 0 AND (approved_hash = '' OR $2 = 1)");
    match discovered {
        Discovered::Failed { status, failure } => {
            session.change(FAILED, &[id.into(), status.as_str().into(), now_ms.into(), (*failure).into()]).await?;
        }
        Discovered::Listed { listing, definitions, is_trusted } => {
            // No two listings of a server have one time, also where the clock was set back: who has read one knows by it.
            let listed_ms = now_ms.max(discovered_ms + 1);
            session.change(LISTED, &[id.into(), now_ms.into(), listed_ms.into(), (*listing).into()]).await?;
            session.change(UNLISTED, &[id.into()]).await?;
            for listed in *definitions {
                let approved_hash = if discovered_ms == 0 { listed.hash } else { "" };
                let values =
                    [id.into(), listed.name.into(), listed.hash.into(), listed.definition.into(), approved_hash.into()];
                session.change(DEFINITION, &values).await?;
            }
            if *is_trusted {
                session.change(APPROVED, &[id.into()]).await?;
            }
            session.change(GONE, &[id.into(), u32::from(*is_trusted).into()]).await?;
        }
    }
    Ok(())
}

async fn approve(session: &mut Session<'_>, server: &str, seen: &[(String, String)]) -> Result<u64, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE definitions SET approved_hash = hash, approved = '' \
         WHERE server = $1 AND name = $2 AND hash = $3 AND hash <> approved_hash",
    );
    let mut transaction = session.begin(WRITING).await?;
    let mut approved = 0;
    for (name, hash) in seen {
        approved += transaction.session().change(SQL, &[server.into(), name.into(), hash.into()]).await?;
    }
    transaction.commit().await?;
    Ok(approved)
}

async fn forget(session: &mut Session<'_>, server: &str) -> Result<(), sqlx::Error> {
    let mut transaction = session.begin(WRITING).await?;
    let mut session = transaction.session();
    session.change(Sql::same("DELETE FROM definitions WHERE server = $1"), &[server.into()]).await?;
    session.change(Sql::same("DELETE FROM servers WHERE id = $1"), &[server.into()]).await?;
    uses::forget(&mut session, server).await?;
    transaction.commit().await
}
