//! How tools were used: counts, shapes and words.

use super::session::{Row, Session, Sql, Transaction};
use crate::uses::{LEARNED_RUNS_MIN, LEARNED_WORDS_MAX, LearnedWord, ToolShape, ToolUse, Used};

pub(super) const ALL: Sql = Sql::same("SELECT server, name, calls, last_ms FROM uses");

pub(super) const SHAPE: Sql = Sql::same("SELECT hash, shape FROM uses WHERE server = $1 AND name = $2 AND hash <> ''");

/// Words that were said in enough runs.
pub(super) const LEARNED: Sql =
    Sql::same("SELECT server, name, word FROM learned WHERE runs >= $1 ORDER BY server, name, word");

/// The value of [`LEARNED`].
pub(super) const RUNS_MIN: i64 = LEARNED_RUNS_MIN;

pub(super) async fn add(mut transaction: Transaction<'_>, used: &[Used]) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same(
        "INSERT INTO uses (server, name, calls, last_ms, hash, shape) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (server, name) DO UPDATE SET calls = uses.calls + excluded.calls, \
         last_ms = CASE WHEN excluded.last_ms > uses.last_ms THEN excluded.last_ms ELSE uses.last_ms END, \
         hash = CASE WHEN excluded.hash = '' THEN uses.hash ELSE excluded.hash END, \
         shape = CASE WHEN excluded.hash = '' THEN uses.shape ELSE excluded.shape END",
    );
    for used in used {
        let (hash, shape) = used.shape.as_ref().map_or(("", &[][..]), |shape| (shape.hash.as_str(), &shape.encoded));
        let calls = i64::try_from(used.calls).unwrap_or(i64::MAX);
        let values =
            [(&used.server).into(), (&used.name).into(), calls.into(), used.last_ms.into(), hash.into(), shape.into()];
        transaction.session().change(SQL, &values).await?;
    }
    transaction.commit().await
}

pub(super) fn tool_use(row: &Row) -> Result<ToolUse, sqlx::Error> {
    let calls = u64::try_from(row.number(2)?).unwrap_or_default();
    Ok(ToolUse { server: row.text(0)?, name: row.text(1)?, calls, last_ms: row.number(3)? })
}

pub(super) fn shape(row: &Row) -> Result<ToolShape, sqlx::Error> {
    Ok(ToolShape { hash: row.text(0)?, encoded: row.bytes(1)? })
}

pub(super) fn learned_word(row: &Row) -> Result<LearnedWord, sqlx::Error> {
    Ok(LearnedWord { server: row.text(0)?, name: row.text(1)?, word: row.text(2)? })
}

/// Notes words of an intent that a tool answered. A tool keeps the words that were said most, and lately.
pub(super) async fn learn(
    mut transaction: Transaction<'_>,
    server: &str,
    name: &str,
    words: &[String],
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    const ADD: Sql = Sql::same(
        "INSERT INTO learned (server, name, word, runs, last_ms) VALUES ($1, $2, $3, 1, $4) \
         ON CONFLICT (server, name, word) DO UPDATE SET runs = learned.runs + 1, last_ms = excluded.last_ms",
    );
    const KEEP: Sql = Sql::same(
        "DELETE FROM learned WHERE server = $1 AND name = $2 AND word NOT IN \
         (SELECT word FROM learned WHERE server = $1 AND name = $2 ORDER BY last_ms DESC, runs DESC, word LIMIT $3)",
    );
    for word in words {
        let values = [server.into(), name.into(), word.into(), now_ms.into()];
        transaction.session().change(ADD, &values).await?;
    }
    transaction.session().change(KEEP, &[server.into(), name.into(), LEARNED_WORDS_MAX.into()]).await?;
    transaction.commit().await
}

/// Forgets all of it about one server.
pub(super) async fn forget(session: &mut Session<'_>, server: &str) -> Result<(), sqlx::Error> {
    session.change(Sql::same("DELETE FROM uses WHERE server = $1"), &[server.into()]).await?;
    session.change(Sql::same("DELETE FROM learned WHERE server = $1"), &[server.into()]).await?;
    Ok(())
}
