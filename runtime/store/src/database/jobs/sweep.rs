//! What time does to jobs.

use super::super::session::{Session, Sql, picking};
use super::{note_end, trouble_data};
use crate::job::{LEASE_MAX, PAUSE_MAX, TELL_PAUSE_MAX, millis};

/// How many jobs one look at what is due changes.
const SWEPT_MAX: i64 = 500;

/// So many jobs of a principal stay for as long as they are kept anywhere, however little room there is.
const LARGEST_MIN: i64 = 1_000;

/// Ends the leases of workers that have gone.
pub(super) async fn give_up(session: &mut Session<'_>, gone: &[String]) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same("UPDATE jobs SET lease_until_ms = 0 WHERE state = 'running' AND worker = $1");
    for worker in gone {
        session.change(SQL, &[worker.into()]).await?;
    }
    Ok(())
}

/// Has what was to be tried again be due at once, where it waits for longer than anything does: the clock was set back meanwhile.
/// Returns the jobs that changed.
pub(super) async fn recall(session: &mut Session<'_>, now_ms: i64) -> Result<Vec<i64>, sqlx::Error> {
    const JOBS: Sql = Sql::same(
        "UPDATE jobs SET run_at_ms = $1 WHERE state = 'scheduled' AND started_ms IS NOT NULL AND run_at_ms > $2 RETURNING number",
    );
    const DELIVERIES: Sql = Sql::same("UPDATE deliveries SET next_ms = $1 WHERE state = 'waiting' AND next_ms > $2");
    let values = [now_ms.into(), now_ms.saturating_add(millis(PAUSE_MAX)).into()];
    let rows = session.rows(JOBS, &values).await?;
    session.change(DELIVERIES, &[now_ms.into(), now_ms.saturating_add(millis(TELL_PAUSE_MAX)).into()]).await?;
    rows.iter().map(|row| row.number(0)).collect()
}

/// Does what is due: jobs of the future become ready, those that nobody began in time expire, and those whose worker was lost are
/// attempted again, unless they may have changed something. Without `begins` the first two wait. `takes_lost` says whether leases that were not renewed count as
/// lost. Returns the jobs that changed.
pub(super) async fn sweep(
    session: &mut Session<'_>,
    begins: bool,
    takes_lost: bool,
    now_ms: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    const DUE: Sql = picking!(
        "SELECT number FROM jobs WHERE state = 'scheduled' AND run_at_ms <= $1 ORDER BY run_at_ms LIMIT $2",
        "UPDATE jobs SET state = 'ready' WHERE number IN (SELECT number FROM picked) RETURNING number, state, '', callback_url"
    );
    const LATE: Sql = picking!(
        "SELECT number FROM jobs WHERE expires_ms <= $1 AND state IN ('ready', 'scheduled') LIMIT $2",
        "UPDATE jobs SET state = 'expired', outcome = 'expired', finished_ms = $1 WHERE number IN (SELECT number FROM picked) \
         RETURNING number, state, '', callback_url"
    );
    // One that may have changed something ends there: nobody knows how far it came.
    const LOST: Sql = picking!(
        "SELECT number FROM jobs WHERE state = 'running' AND (lease_until_ms < $3 OR lease_until_ms > $4) \
         ORDER BY lease_until_ms LIMIT $2",
        "UPDATE jobs SET \
         state = CASE WHEN cancel_ms IS NOT NULL AND may_have_changed = 0 THEN 'cancelled' WHEN may_have_changed = 1 THEN 'finished' \
                      WHEN attempt >= attempts_max THEN 'dead' ELSE 'ready' END, \
         outcome = CASE WHEN may_have_changed = 1 THEN 'unknown_outcome' WHEN cancel_ms IS NOT NULL THEN 'cancelled' \
                        WHEN attempt >= attempts_max THEN 'worker_lost' ELSE '' END, \
         finished_ms = CASE WHEN may_have_changed = 1 OR cancel_ms IS NOT NULL OR attempt >= attempts_max THEN $1 END, \
         run_at_ms = CASE WHEN may_have_changed = 1 THEN run_at_ms ELSE $1 END, \
         lease_until_ms = 0, trouble = 'its worker was lost' \
         WHERE number IN (SELECT number FROM picked) RETURNING number, state, trouble, callback_url"
    );
    let mut changed = Vec::new();
    // Those of workers that are known to have gone are over in any case.
    // Leases that last longer than any are from before the clock was set back.
    let (lost_before_ms, lost_after_ms) =
        if takes_lost { (now_ms, now_ms.saturating_add(millis(LEASE_MAX))) } else { (1, i64::MAX) };
    let values = [now_ms.into(), SWEPT_MAX.into(), lost_before_ms.into(), lost_after_ms.into()];
    let waiting = [(DUE, &values[..2]), (LATE, &values[..2])].into_iter().filter(|_| begins);
    for (sql, values) in waiting.chain([(LOST, &values[..])]) {
        for row in session.rows(sql, values).await? {
            let (number, state, trouble) = (row.number(0)?, row.text(1)?, row.text(2)?);
            let data = if trouble.is_empty() { "{}".to_owned() } else { trouble_data(&trouble) };
            note_end(session, number, now_ms, &state, &data, &row.text(3)?).await?;
            changed.push(number);
        }
    }
    Ok(changed)
}

/// Forgets jobs that ended before this time, those that ended first before others. What somebody is still to be told stays. Returns
/// whether there may be more.
pub(super) async fn forget(session: &mut Session<'_>, before_ms: i64) -> Result<bool, sqlx::Error> {
    const SQL: Sql = picking!(
        "SELECT number FROM jobs WHERE finished_ms < $1 AND NOT EXISTS \
         (SELECT 1 FROM deliveries WHERE deliveries.job = jobs.number AND deliveries.state = 'waiting') ORDER BY finished_ms LIMIT $2",
        "DELETE FROM jobs WHERE number IN (SELECT number FROM picked)"
    );
    let forgotten = session.change(SQL, &[before_ms.into(), SWEPT_MAX.into()]).await?;
    Ok(forgotten >= SWEPT_MAX.unsigned_abs())
}

/// Forgets jobs of the principal with most of them that ended first, whenever that was, if it has more than `LARGEST_MIN`: where there is
/// little room, it is the one that takes most of it. Returns whether there may be more.
pub(super) async fn forget_of_largest(session: &mut Session<'_>) -> Result<bool, sqlx::Error> {
    const LARGEST: Sql =
        Sql::same("SELECT principal, COUNT(*) FROM jobs GROUP BY principal ORDER BY 2 DESC, 1 LIMIT 1");
    const SQL: Sql = picking!(
        "SELECT number FROM jobs WHERE principal = $1 AND finished_ms IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM deliveries WHERE deliveries.job = jobs.number AND deliveries.state = 'waiting') ORDER BY number LIMIT $2",
        "DELETE FROM jobs WHERE number IN (SELECT number FROM picked)"
    );
    let Some(row) = session.row(LARGEST, &[]).await? else { return Ok(false) };
    let most = (row.number(1)? - LARGEST_MIN).min(SWEPT_MAX * 4);
    if most <= 0 {
        return Ok(false);
    }
    let forgotten = session.change(SQL, &[row.text(0)?.as_str().into(), most.into()]).await?;
    Ok(forgotten >= most.unsigned_abs())
}

/// How many jobs of each principal wait, in one number or in two. It reads an entry of an index for each of them.
pub(super) async fn waiting(session: &mut Session<'_>) -> Result<Vec<(String, u64)>, sqlx::Error> {
    // SQLite would read all jobs by principal, and with the sign it reads the index of those that are scheduled.
    const SQL: Sql = Sql {
        sqlite: "SELECT principal, COUNT(*) FROM jobs WHERE state = 'ready' GROUP BY principal UNION ALL \
         SELECT principal, COUNT(*) FROM jobs WHERE state = 'scheduled' GROUP BY +principal",
        postgres: "SELECT principal, COUNT(*) FROM jobs WHERE state = 'ready' GROUP BY principal UNION ALL \
         SELECT principal, COUNT(*) FROM jobs WHERE state = 'scheduled' GROUP BY principal",
    };
    let rows = session.rows(SQL, &[]).await?;
    rows.iter().map(|row| Ok((row.text(0)?, u64::try_from(row.number(1)?).unwrap_or(0)))).collect()
}
