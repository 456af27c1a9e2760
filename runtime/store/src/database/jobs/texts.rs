//! Long requests and reports. They are not in the row of their job, which each step of the job writes anew and lists read.

use super::super::session::{Row, Session, Sql};
use crate::job::Job;

/// The longest text in the row of a job, in bytes. Most requests and reports are shorter. A row of two of them is in one page of a
/// file, of 4,096 bytes.
const ROW_BYTES_MAX: usize = 1_536;

/// How many jobs lose their texts at once, and how many bytes they have about: removing 800 MiB took 4 s.
const REMOVED_MAX: i64 = 100;
const REMOVED_BYTES_MAX: u64 = 32 << 20;

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
    const TEXT: Sql = Sql::same("INSERT INTO job_texts (job, kind, text) VALUES ($1, $2, $3)");
    if text.len() > ROW_BYTES_MAX {
        session.change(TEXT, &[job.into(), kind.into(), text.into()]).await?;
        count(session, job, principal, kept_apart(text)).await?;
    }
    Ok(())
}

/// Counts bytes that are kept for a job.
pub(super) async fn count(session: &mut Session<'_>, job: i64, principal: &str, bytes: u64) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same(
        "INSERT INTO long_jobs (job, principal, bytes) VALUES ($1, $2, $3) \
         ON CONFLICT (job) DO UPDATE SET bytes = long_jobs.bytes + excluded.bytes",
    );
    if bytes > 0 {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        session.change(SQL, &[job.into(), principal.into(), bytes.into()]).await?;
    }
    Ok(())
}

/// Notes that a job has ended: its texts may be removed from then on.
pub(super) async fn end(session: &mut Session<'_>, job: i64, now_ms: i64) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same("UPDATE long_jobs SET finished_ms = $2 WHERE job = $1");
    session.change(SQL, &[job.into(), now_ms.into()]).await?;
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

/// How many bytes of texts each principal keeps. It reads an entry of an index for each job with texts.
pub(super) async fn kept(session: &mut Session<'_>) -> Result<Vec<(String, u64)>, sqlx::Error> {
    const SQL: Sql = Sql::same("SELECT principal, CAST(sum(bytes) AS BIGINT) FROM long_jobs GROUP BY principal");
    let rows = session.rows(SQL, &[]).await?;
    rows.iter().map(|row| Ok((row.text(0)?, u64::try_from(row.number(1)?).unwrap_or(0)))).collect()
}

/// How many bytes of texts of jobs that have ended there are: of a principal, or in all.
pub(super) async fn removable(session: &mut Session<'_>, principal: Option<&str>) -> Result<u64, sqlx::Error> {
    const OF_ONE: Sql = Sql::same(
        "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM long_jobs WHERE principal = $1 AND finished_ms IS NOT NULL",
    );
    const OF_ALL: Sql =
        Sql::same("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM long_jobs WHERE finished_ms IS NOT NULL");
    let row = match principal {
        Some(principal) => session.row(OF_ONE, &[principal.into()]).await?,
        None => session.row(OF_ALL, &[]).await?,
    };
    let bytes = row.map_or(Ok(0), |row| row.number(0))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

/// Removes texts of jobs that have ended, those that ended longest ago first, until so many bytes are removed or so much was done as one
/// transaction may do: of a principal, or of all. What somebody is still to be told stays. Returns how many bytes of whom.
pub(super) async fn remove_oldest(
    session: &mut Session<'_>,
    principal: Option<&str>,
    wanted: u64,
) -> Result<Vec<(String, u64)>, sqlx::Error> {
    macro_rules! oldest {
        ($of:literal) => {
            concat!(
                "SELECT job, principal, bytes FROM long_jobs WHERE finished_ms IS NOT NULL AND ",
                $of,
                " AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.job = long_jobs.job AND deliveries.state = 'waiting') \
                 ORDER BY finished_ms LIMIT $1"
            )
        };
    }
    const OF_ONE: Sql = Sql {
        sqlite: oldest!("principal = $2"),
        postgres: concat!(oldest!("principal = $2"), " FOR UPDATE OF long_jobs SKIP LOCKED"),
    };
    const OF_ALL: Sql =
        Sql { sqlite: oldest!("1 = 1"), postgres: concat!(oldest!("1 = 1"), " FOR UPDATE OF long_jobs SKIP LOCKED") };
    const TEXTS: Sql = Sql::same("DELETE FROM job_texts WHERE job = $1");
    const OUTPUT: Sql = Sql::same("DELETE FROM job_events WHERE job = $1 AND kind = 'output'");
    const BYTES: Sql = Sql::same("DELETE FROM long_jobs WHERE job = $1");
    const SAY: Sql = Sql::same(
        "UPDATE jobs SET trouble = CASE WHEN trouble = '' THEN $2 ELSE trouble || '; ' || $2 END WHERE number = $1",
    );
    let rows = match principal {
        Some(principal) => session.rows(OF_ONE, &[REMOVED_MAX.into(), principal.into()]).await?,
        None => session.rows(OF_ALL, &[REMOVED_MAX.into()]).await?,
    };
    let (mut removed, mut sum) = (Vec::new(), 0_u64);
    for row in &rows {
        if sum >= wanted.min(REMOVED_BYTES_MAX) {
            break;
        }
        let (job, bytes) = (row.number(0)?, u64::try_from(row.number(2)?).unwrap_or(0));
        for sql in [TEXTS, OUTPUT, BYTES] {
            session.change(sql, &[job.into()]).await?;
        }
        let said = "its long texts were removed to make room for newer jobs";
        session.change(SAY, &[job.into(), said.into()]).await?;
        removed.push((row.text(1)?, bytes));
        sum += bytes;
    }
    Ok(removed)
}
