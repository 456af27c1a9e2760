//! What is known of upstream servers.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};

use super::file::{BEGIN_TO_WRITE, DatabaseFile, Kind};
use super::uses;
use crate::error::StoreError;
use crate::tools::{
    Claim, DISCOVERIES_MAX, DISCOVERY_LAPSES_MS, DefinitionRecord, Discovered, DiscoveryStatus, ListingRecord, Owner,
    ServerRecord, Trusted,
};
use crate::uses::{LearnedWord, ToolShape, ToolUse, Used};

/// The file of tools: `ibtl` in ASCII.
const KIND: Kind = Kind {
    application: 0x6962_746c,
    versions: "intentbox_tools_version",
    migrations: &[
        include_str!("../../migrations/tools_0001.sql"),
        include_str!("../../migrations/tools_0002.sql"),
        include_str!("../../migrations/tools_0003.sql"),
        include_str!("../../migrations/tools_0004.sql"),
    ],
    is_durable: false,
};

/// One connection to the file of tools.
#[derive(Debug)]
pub(crate) struct ToolDatabase(DatabaseFile);

impl ToolDatabase {
    pub(crate) async fn open(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        DatabaseFile::to_write(file, KIND, bytes_max).await.map(Self)
    }

    pub(crate) async fn in_memory(bytes_max: u64) -> Result<Self, StoreError> {
        DatabaseFile::in_memory(KIND, bytes_max).await.map(Self)
    }

    pub(crate) async fn servers(&mut self) -> Result<Vec<ServerRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, config_hash, status, changed_ms, owner_pid, owner_start, failure, discovered_ms \
             FROM servers ORDER BY id",
        )
        .fetch_all(self.0.usable().await?)
        .await;
        let records = rows.and_then(|rows| rows.iter().map(server).collect());
        records.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn server(&mut self, id: &str) -> Result<Option<ServerRecord>, StoreError> {
        one_server(self.0.usable().await?, id).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn listings(&mut self) -> Result<Vec<ListingRecord>, StoreError> {
        let sql = "SELECT id, discovered_ms, listing FROM servers";
        let rows = sqlx::query(sql).fetch_all(self.0.usable().await?).await;
        let records = rows.and_then(|rows| rows.iter().map(listing).collect());
        records.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn listing(&mut self, id: &str) -> Result<Option<ListingRecord>, StoreError> {
        let sql = "SELECT id, discovered_ms, listing FROM servers WHERE id = $1";
        let row = sqlx::query(sql).bind(id).fetch_optional(self.0.usable().await?).await;
        let record = row.and_then(|row| row.as_ref().map(listing).transpose());
        record.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn claim(
        &mut self,
        id: &str,
        config_hash: &str,
        owner: Owner,
        now_ms: i64,
        is_alive: &(dyn Fn(Owner) -> bool + Send + Sync),
    ) -> Result<Claim, StoreError> {
        let claimed = claim(self.0.usable().await?, id, config_hash, owner, now_ms, is_alive).await;
        claimed.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn finish(
        &mut self,
        id: &str,
        owner: Owner,
        discovered: &Discovered<'_>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let finished = finish(self.0.usable().await?, id, owner, discovered, now_ms).await;
        finished.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn put(
        &mut self,
        id: &str,
        config_hash: &str,
        listed: &Discovered<'_>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        put(self.0.usable().await?, id, config_hash, listed, now_ms).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn definition(
        &mut self,
        server: &str,
        tool: &str,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT name, is_listed, hash, definition, approved_hash, approved FROM definitions \
             WHERE server = $1 AND name = $2",
        )
        .bind(server)
        .bind(tool)
        .fetch_optional(self.0.usable().await?)
        .await;
        let record = row.and_then(|row| row.as_ref().map(definition).transpose());
        record.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn changed(&mut self, server: &str) -> Result<Vec<DefinitionRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT name, is_listed, hash, definition, approved_hash, approved FROM definitions \
             WHERE server = $1 AND is_listed = 1 AND hash <> approved_hash ORDER BY name",
        )
        .bind(server)
        .fetch_all(self.0.usable().await?)
        .await;
        let records = rows.and_then(|rows| rows.iter().map(definition).collect());
        records.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn changed_names(&mut self) -> Result<Vec<(String, String, bool)>, StoreError> {
        let sql =
            "SELECT server, name, approved_hash = '' FROM definitions WHERE is_listed = 1 AND hash <> approved_hash";
        let names = sqlx::query_as(sql).fetch_all(self.0.usable().await?).await;
        names.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn approve(&mut self, server: &str, seen: &[(String, String)]) -> Result<u64, StoreError> {
        approve(self.0.usable().await?, server, seen).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn forget(&mut self, server: &str) -> Result<(), StoreError> {
        forget(self.0.usable().await?, server).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn trust(&mut self, trusted: &Trusted, now_ms: i64) -> Result<(), StoreError> {
        let Trusted { file, server, config_hash, told } = trusted;
        let trusted = sqlx::query(
            "INSERT INTO trusted (file, server, config_hash, trusted_ms, told) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (file, server) DO UPDATE SET config_hash = excluded.config_hash, trusted_ms = excluded.trusted_ms, \
             told = excluded.told",
        )
        .bind(file.to_string_lossy())
        .bind(server)
        .bind(config_hash)
        .bind(now_ms)
        .bind(told)
        .execute(self.0.usable().await?)
        .await;
        trusted.map(|_| ()).map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn trusted(&mut self) -> Result<Vec<Trusted>, StoreError> {
        let sql = "SELECT file, server, config_hash, told FROM trusted";
        let rows: Result<Vec<(String, String, String, String)>, sqlx::Error> =
            sqlx::query_as(sql).fetch_all(self.0.usable().await?).await;
        let rows = rows.map_err(|error| self.0.fault(&error))?.into_iter();
        let trusted = rows.map(|(file, server, config_hash, told)| Trusted {
            file: PathBuf::from(file),
            server,
            config_hash,
            told,
        });
        Ok(trusted.collect())
    }

    pub(crate) async fn add_uses(&mut self, used: &[Used]) -> Result<(), StoreError> {
        uses::add(self.0.usable().await?, used).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn uses(&mut self) -> Result<Vec<ToolUse>, StoreError> {
        uses::all(self.0.usable().await?).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn shape(&mut self, server: &str, tool: &str) -> Result<Option<ToolShape>, StoreError> {
        uses::shape(self.0.usable().await?, server, tool).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn learn(
        &mut self,
        server: &str,
        tool: &str,
        words: &[String],
        now_ms: i64,
    ) -> Result<(), StoreError> {
        uses::learn(self.0.usable().await?, server, tool, words, now_ms).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn learned(&mut self) -> Result<Vec<LearnedWord>, StoreError> {
        uses::learned(self.0.usable().await?).await.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

fn server(row: &SqliteRow) -> Result<ServerRecord, sqlx::Error> {
    let (pid, start): (i64, i64) = (row.try_get(4)?, row.try_get(5)?);
    Ok(ServerRecord {
        id: row.try_get(0)?,
        config_hash: row.try_get(1)?,
        status: DiscoveryStatus::of(row.try_get(2)?),
        changed_ms: row.try_get(3)?,
        owner: Owner { pid: u32::try_from(pid).unwrap_or(0), start: u64::try_from(start).unwrap_or(0) },
        failure: row.try_get(6)?,
        discovered_ms: row.try_get(7)?,
    })
}

fn listing(row: &SqliteRow) -> Result<ListingRecord, sqlx::Error> {
    Ok(ListingRecord { id: row.try_get(0)?, discovered_ms: row.try_get(1)?, encoded: row.try_get(2)? })
}

fn definition(row: &SqliteRow) -> Result<DefinitionRecord, sqlx::Error> {
    let definition: String = row.try_get(3)?;
    let (approved_hash, approved): (String, String) = (row.try_get(4)?, row.try_get(5)?);
    Ok(DefinitionRecord {
        name: row.try_get(0)?,
        is_listed: row.try_get(1)?,
        hash: row.try_get(2)?,
        approved: if approved.is_empty() && !approved_hash.is_empty() { definition.clone() } else { approved },
        approved_hash,
        definition,
    })
}

async fn one_server(connection: &mut SqliteConnection, id: &str) -> Result<Option<ServerRecord>, sqlx::Error> {
    let row = sqlx::query(
        "SELECT id, config_hash, status, changed_ms, owner_pid, owner_start, failure, discovered_ms \
         FROM servers WHERE id = $1",
    )
    .bind(id)
    .fetch_optional(&mut *connection)
    .await?;
    row.as_ref().map(server).transpose()
}

async fn claim(
    connection: &mut SqliteConnection,
    id: &str,
    config_hash: &str,
    owner: Owner,
    now_ms: i64,
    is_alive: &(dyn Fn(Owner) -> bool + Send + Sync),
) -> Result<Claim, sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let rows: Vec<(String, String, i64, i64, i64)> = sqlx::query_as(
        "SELECT id, config_hash, changed_ms, owner_pid, owner_start FROM servers WHERE status = 'discovering'",
    )
    .fetch_all(&mut *transaction)
    .await?;
    let mut others = 0;
    for (other, hash, changed_ms, pid, start) in rows {
        let holder = Owner { pid: u32::try_from(pid).unwrap_or(0), start: u64::try_from(start).unwrap_or(0) };
        let is_lapsed = now_ms.saturating_sub(changed_ms) > DISCOVERY_LAPSES_MS || !is_alive(holder);
        if is_lapsed {
            continue;
        }
        if other == id {
            // The process that adds a server claims it for the one that it started.
            if holder != owner && hash == config_hash {
                transaction.rollback().await?;
                return Ok(Claim::Busy);
            }
        } else {
            others += 1;
        }
    }
    if others >= DISCOVERIES_MAX {
        transaction.rollback().await?;
        return Ok(Claim::Full);
    }
    sqlx::query(
        "INSERT INTO servers (id, config_hash, status, changed_ms, owner_pid, owner_start, failure, discovered_ms, listing) \
         VALUES ($1, $2, 'discovering', $3, $4, $5, '', 0, x'') \
         ON CONFLICT (id) DO UPDATE SET config_hash = excluded.config_hash, status = excluded.status, \
         changed_ms = excluded.changed_ms, owner_pid = excluded.owner_pid, owner_start = excluded.owner_start, failure = ''",
    )
    .bind(id)
    .bind(config_hash)
    .bind(now_ms)
    .bind(i64::from(owner.pid))
    .bind(i64::try_from(owner.start).unwrap_or(i64::MAX))
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(Claim::Claimed)
}

async fn finish(
    connection: &mut SqliteConnection,
    id: &str,
    owner: Owner,
    discovered: &Discovered<'_>,
    now_ms: i64,
) -> Result<bool, sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let found = one_server(&mut transaction, id).await?;
    let is_his = found.is_some_and(|found| found.status == DiscoveryStatus::Discovering && found.owner == owner);
    if !is_his {
        transaction.rollback().await?;
        return Ok(false);
    }
    write(&mut transaction, id, discovered, now_ms).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn put(
    connection: &mut SqliteConnection,
    id: &str,
    config_hash: &str,
    listed: &Discovered<'_>,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let found = one_server(&mut transaction, id).await?;
    let discovering = found.filter(|found| found.status == DiscoveryStatus::Discovering);
    sqlx::query(
        "INSERT INTO servers (id, config_hash, status, changed_ms, owner_pid, owner_start, failure, discovered_ms, listing) \
         VALUES ($1, $2, 'success', $3, 0, 0, '', 0, x'') \
         ON CONFLICT (id) DO UPDATE SET config_hash = excluded.config_hash",
    )
    .bind(id)
    .bind(config_hash)
    .bind(now_ms)
    .execute(&mut *transaction)
    .await?;
    write(&mut transaction, id, listed, now_ms).await?;
    if let Some(found) = discovering {
        sqlx::query("UPDATE servers SET status = 'discovering', changed_ms = $2 WHERE id = $1")
            .bind(id)
            .bind(found.changed_ms)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

/// Writes how a discovery ended, in the transaction that this connection has begun.
async fn write(
    transaction: &mut SqliteConnection,
    id: &str,
    discovered: &Discovered<'_>,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    match discovered {
        Discovered::Failed { status, failure } => {
            sqlx::query("UPDATE servers SET status = $2, changed_ms = $3, failure = $4 WHERE id = $1")
                .bind(id)
                .bind(status.as_str())
                .bind(now_ms)
                .bind(*failure)
                .execute(&mut *transaction)
                .await?;
        }
        Discovered::Listed { listing, definitions, is_trusted } => {
            let before: Option<(i64,)> = sqlx::query_as("SELECT discovered_ms FROM servers WHERE id = $1")
                .bind(id)
                .fetch_optional(&mut *transaction)
                .await?;
            let is_first = before.is_none_or(|(discovered_ms,)| discovered_ms == 0);
            // No two listings of a server have one time, also where the clock was set back: who has read one knows by it.
            sqlx::query(
                "UPDATE servers SET status = 'success', changed_ms = $2, discovered_ms = max($2, discovered_ms + 1), \
                 failure = '', listing = $3 WHERE id = $1",
            )
            .bind(id)
            .bind(now_ms)
            .bind(*listing)
            .execute(&mut *transaction)
            .await?;
            sqlx::query("UPDATE definitions SET is_listed = 0 WHERE server = $1")
                .bind(id)
                .execute(&mut *transaction)
                .await?;
            for listed in *definitions {
                // The first listing is approved as it is, also an empty one. A tool that comes later is approved by nobody yet. One
                // that changed keeps what was approved beside what it says now, and one that changed back is what was approved.
                sqlx::query(
                    "INSERT INTO definitions (server, name, is_listed, hash, definition, approved_hash, approved) \
                     VALUES ($1, $2, 1, $3, $4, CASE WHEN $5 THEN $3 ELSE '' END, '') \
                     ON CONFLICT (server, name) DO UPDATE SET is_listed = 1, hash = excluded.hash, \
                     definition = excluded.definition, \
                     approved = CASE WHEN excluded.hash = definitions.approved_hash THEN '' \
                                     WHEN definitions.approved = '' AND definitions.approved_hash <> '' \
                                     THEN definitions.definition \
                                     ELSE definitions.approved END",
                )
                .bind(id)
                .bind(listed.name)
                .bind(listed.hash)
                .bind(listed.definition)
                .bind(is_first)
                .execute(&mut *transaction)
                .await?;
            }
            if *is_trusted {
                sqlx::query("UPDATE definitions SET approved_hash = hash, approved = '' WHERE server = $1")
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
            }
            // What nobody approved is not needed when it is gone: a server that lists other names each time would fill the file.
            sqlx::query("DELETE FROM definitions WHERE server = $1 AND is_listed = 0 AND (approved_hash = '' OR $2)")
                .bind(id)
                .bind(*is_trusted)
                .execute(&mut *transaction)
                .await?;
        }
    }
    Ok(())
}

async fn approve(
    connection: &mut SqliteConnection,
    server: &str,
    seen: &[(String, String)],
) -> Result<u64, sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let mut approved = 0;
    for (name, hash) in seen {
        let done = sqlx::query(
            "UPDATE definitions SET approved_hash = hash, approved = '' \
             WHERE server = $1 AND name = $2 AND hash = $3 AND hash <> approved_hash",
        )
        .bind(server)
        .bind(name)
        .bind(hash)
        .execute(&mut *transaction)
        .await?;
        approved += done.rows_affected();
    }
    transaction.commit().await?;
    Ok(approved)
}

async fn forget(connection: &mut SqliteConnection, server: &str) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    sqlx::query("DELETE FROM definitions WHERE server = $1").bind(server).execute(&mut *transaction).await?;
    sqlx::query("DELETE FROM servers WHERE id = $1").bind(server).execute(&mut *transaction).await?;
    uses::forget(&mut transaction, server).await?;
    transaction.commit().await
}
