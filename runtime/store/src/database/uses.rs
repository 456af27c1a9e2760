//! How tools were used: counts, shapes and words.

use sqlx::{Connection as _, SqliteConnection};

use super::file::BEGIN_TO_WRITE;
use crate::uses::{LEARNED_RUNS_MIN, LEARNED_WORDS_MAX, LearnedWord, ToolShape, ToolUse, Used};

pub(super) async fn add(connection: &mut SqliteConnection, used: &[Used]) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    for used in used {
        let (hash, shape) = used.shape.as_ref().map_or(("", &[][..]), |shape| (shape.hash.as_str(), &shape.encoded));
        sqlx::query(
            "INSERT INTO uses (server, name, calls, last_ms, hash, shape) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (server, name) DO UPDATE SET calls = calls + excluded.calls, \
             last_ms = max(last_ms, excluded.last_ms), \
             hash = CASE WHEN excluded.hash = '' THEN hash ELSE excluded.hash END, \
             shape = CASE WHEN excluded.hash = '' THEN shape ELSE excluded.shape END",
        )
        .bind(&used.server)
        .bind(&used.name)
        .bind(i64::try_from(used.calls).unwrap_or(i64::MAX))
        .bind(used.last_ms)
        .bind(hash)
        .bind(shape)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await
}

pub(super) async fn all(connection: &mut SqliteConnection) -> Result<Vec<ToolUse>, sqlx::Error> {
    let sql = "SELECT server, name, calls, last_ms FROM uses";
    let rows: Vec<(String, String, i64, i64)> = sqlx::query_as(sql).fetch_all(connection).await?;
    let of = |(server, name, calls, last_ms)| {
        let calls: i64 = calls;
        ToolUse { server, name, calls: u64::try_from(calls).unwrap_or_default(), last_ms }
    };
    Ok(rows.into_iter().map(of).collect())
}

pub(super) async fn shape(
    connection: &mut SqliteConnection,
    server: &str,
    name: &str,
) -> Result<Option<ToolShape>, sqlx::Error> {
    let sql = "SELECT hash, shape FROM uses WHERE server = $1 AND name = $2 AND hash <> ''";
    let row: Option<(String, Vec<u8>)> = sqlx::query_as(sql).bind(server).bind(name).fetch_optional(connection).await?;
    Ok(row.map(|(hash, encoded)| ToolShape { hash, encoded }))
}

/// Notes words of an intent that a tool answered. A tool keeps the words that were said most, and lately.
pub(super) async fn learn(
    connection: &mut SqliteConnection,
    server: &str,
    name: &str,
    words: &[String],
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    for word in words {
        sqlx::query(
            "INSERT INTO learned (server, name, word, runs, last_ms) VALUES ($1, $2, $3, 1, $4) \
             ON CONFLICT (server, name, word) DO UPDATE SET runs = runs + 1, last_ms = excluded.last_ms",
        )
        .bind(server)
        .bind(name)
        .bind(word)
        .bind(now_ms)
        .execute(&mut *transaction)
        .await?;
    }
    sqlx::query(
        "DELETE FROM learned WHERE server = $1 AND name = $2 AND word NOT IN \
         (SELECT word FROM learned WHERE server = $1 AND name = $2 ORDER BY last_ms DESC, runs DESC, word LIMIT $3)",
    )
    .bind(server)
    .bind(name)
    .bind(LEARNED_WORDS_MAX)
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}

pub(super) async fn learned(connection: &mut SqliteConnection) -> Result<Vec<LearnedWord>, sqlx::Error> {
    let sql = "SELECT server, name, word FROM learned WHERE runs >= $1 ORDER BY server, name, word";
    let rows: Vec<(String, String, String)> = sqlx::query_as(sql).bind(LEARNED_RUNS_MIN).fetch_all(connection).await?;
    Ok(rows.into_iter().map(|(server, name, word)| LearnedWord { server, name, word }).collect())
}

/// Forgets all of it about one server, in the transaction that this connection has begun.
pub(super) async fn forget(transaction: &mut SqliteConnection, server: &str) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM uses WHERE server = $1").bind(server).execute(&mut *transaction).await?;
    sqlx::query("DELETE FROM learned WHERE server = $1").bind(server).execute(&mut *transaction).await?;
    Ok(())
}
