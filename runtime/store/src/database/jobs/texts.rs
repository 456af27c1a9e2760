//! Long requests and reports. They are not in the row of their job, which each step of the job writes anew and lists read.

use super::super::session::{Row, Session, Sql, picking};
use crate::job::Job;

/// The longest text in the row of a job, in bytes. Most requests and reports are shorter. A row of two of them is in one page of a
/// file, of 4,096 bytes.
const ROW_BYTES_MAX: usize = 1_536;

/// How many texts are removed at once.
const REMOVED_MAX: i64 = 100;

/// The kinds of texts.
const REQUEST: &str = "request";
const REPORT: &str = "report";

/// The texts of a job: kind and text.
pub(super) const OF: Sql = Sql::same("SELECT kind, text FROM job_texts WHERE job = $1");

/// What of a text is in the row of its job: all or nothing.
pub(super) fn in_row(text: &str) -> &str {
    if text.len() <= ROW_BYTES_MAX { text } else { "" }
}

/// How many bytes of a text are not in the row of its job.
pub(super) fn kept_apart(text: &str) -> u64 {
    (text.len() - in_row(text).len()) as u64
}

/// Keeps the request of a job, if it is not in its row.
pub(super) async fn keep_request(
    session: &mut Session<'_>,
    job: i64,
    principal: &str,
    text: &str,
) -> Result<(), sqlx::Error> {
    keep(session, job, REQUEST, principal, text).await
}

/// Keeps the report of a job, if it is not in its row.
pub(super) async fn keep_report(
    session: &mut Session<'_>,
    job: i64,
    principal: &str,
    text: &str,
) -> Result<(), sqlx::Error> {
    keep(session, job, REPORT, principal, text).await
}

async fn keep(session: &mut Session<'_>, job: i64, kind: &str, principal: &str, text: &str) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same("INSERT INTO job_texts (job, kind, principal, bytes, text) VALUES ($1, $2, $3, $4, $5)");
    if text.len() > ROW_BYTES_MAX {
        let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
        session.change(SQL, &[job.into(), kind.into(), principal.into(), bytes.into(), text.into()]).await?;
    }
    Ok(())
}

/// Whether a job has texts that are not in its row, perhaps.
pub(super) fn may_lack(job: &Job) -> bool {
    job.request.is_empty() || job.report.is_empty() && job.state.is_final()
}

/// What a row of [`OF`] has.
pub(super) fn kind_and_text(row: &Row) -> Result<(String, String), sqlx::Error> {
    Ok((row.text(0)?, row.text(1)?))
}

/// Puts a text into its job.
pub(super) fn put(job: &mut Job, kind: &str, text: String) {
    match kind {
        REQUEST => job.request = text,
        REPORT => job.report = text,
        _ => {}
    }
}

/// Reads what is not in the row of a job.
pub(super) async fn complete(session: &mut Session<'_>, job: &mut Job) -> Result<(), sqlx::Error> {
    if may_lack(job) {
        for row in session.rows(OF, &[job.number.into()]).await? {
            let (kind, text) = kind_and_text(&row)?;
            put(job, &kind, text);
        }
    }
    Ok(())
}

/// How many bytes of texts each principal keeps. It reads an entry of an index for each text.
pub(super) async fn kept(session: &mut Session<'_>) -> Result<Vec<(String, u64)>, sqlx::Error> {
    const SQL: Sql = Sql::same("SELECT principal, CAST(sum(bytes) AS BIGINT) FROM job_texts GROUP BY principal");
    session.rows(SQL, &[]).await?.iter().map(amount).collect()
}

/// Removes the oldest texts of jobs that have ended: of a principal, or of all. Their jobs say so from then on. Returns how many
/// bytes of whom were removed.
pub(super) async fn remove_oldest(
    session: &mut Session<'_>,
    principal: Option<&str>,
) -> Result<Vec<(String, u64)>, sqlx::Error> {
    const OF_ONE: Sql = picking!(
        "SELECT t.job FROM job_texts t JOIN jobs j ON j.number = t.job \
         WHERE t.principal = $2 AND j.finished_ms IS NOT NULL ORDER BY t.job LIMIT $1",
        "DELETE FROM job_texts WHERE job IN (SELECT job FROM picked) RETURNING principal, bytes, job"
    );
    const OF_ALL: Sql = picking!(
        "SELECT t.job FROM job_texts t JOIN jobs j ON j.number = t.job WHERE j.finished_ms IS NOT NULL ORDER BY t.job LIMIT $1",
        "DELETE FROM job_texts WHERE job IN (SELECT job FROM picked) RETURNING principal, bytes, job"
    );
    const SAY: Sql = Sql::same("UPDATE jobs SET trouble = $2 WHERE number = $1");
    let rows = match principal {
        Some(principal) => session.rows(OF_ONE, &[REMOVED_MAX.into(), principal.into()]).await?,
        None => session.rows(OF_ALL, &[REMOVED_MAX.into()]).await?,
    };
    for row in &rows {
        let said = "its long texts were removed to make room for newer jobs";
        session.change(SAY, &[row.number(2)?.into(), said.into()]).await?;
    }
    rows.iter().map(amount).collect()
}

fn amount(row: &Row) -> Result<(String, u64), sqlx::Error> {
    Ok((row.text(0)?, u64::try_from(row.number(1)?).unwrap_or(0)))
}
