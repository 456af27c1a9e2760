//! What workers do: lease jobs, renew their leases, and end attempts. Nothing is written for a lease that is over.

use std::collections::HashMap;

use serde_json::json;

use super::super::session::{Row, Session, Sql, picking};
use super::{Wanted, columns, job, note, note_end, renewed, texts, trouble_data};
use crate::job::{Ending, JobState, Lease, LeaseKey, PAUSE_MAX, Renewed, millis};
use crate::service::POLICY_DIGITS;
use crate::share::Owner;

/// How many jobs of each principal run. `SQLite` would read all jobs by principal, and with the sign it reads the index of those that run.
macro_rules! running {
    ($and:literal) => {
        Sql {
            sqlite: concat!(
                "SELECT principal, COUNT(*) FROM jobs WHERE state = 'running'",
                $and,
                " GROUP BY +principal"
            ),
            postgres: concat!(
                "SELECT principal, COUNT(*) FROM jobs WHERE state = 'running'",
                $and,
                " GROUP BY principal"
            ),
        }
    };
}

/// The principals with jobs that are ready. Each costs one look into the index, however many jobs it has.
pub(super) async fn owners(session: &mut Session<'_>) -> Result<Vec<Owner>, sqlx::Error> {
    const FIRST: Sql = Sql::same("SELECT min(principal) FROM jobs WHERE state = 'ready'");
    const NEXT: Sql = Sql::same("SELECT min(principal) FROM jobs WHERE state = 'ready' AND principal > $1");
    const RUNNING: Sql = running!("");
    let mut owners: Vec<Owner> = Vec::new();
    let mut next = session.row(FIRST, &[]).await?;
    while let Some(principal) = next.map(|row| row.text_or_null(0)).transpose()?.flatten() {
        next = session.row(NEXT, &[(&principal).into()]).await?;
        owners.push(Owner { principal, running: 0 });
    }
    if owners.len() > 1 {
        for row in session.rows(RUNNING, &[]).await? {
            let principal = row.text(0)?;
            if let Some(owner) = owners.iter_mut().find(|owner| owner.principal == principal) {
                owner.running = u64::try_from(row.number(1)?).unwrap_or(0);
            }
        }
    }
    Ok(owners)
}

/// How many jobs of each principal a worker runs.
pub(super) async fn held(session: &mut Session<'_>, worker: &str) -> Result<HashMap<String, u64>, sqlx::Error> {
    const SQL: Sql = running!(" AND worker = $1");
    let rows = session.rows(SQL, &[worker.into()]).await?;
    rows.iter().map(|row| Ok((row.text(0)?, u64::try_from(row.number(1)?).unwrap_or(0)))).collect()
}

/// Gives a worker leases of at most so many ready jobs of a principal, the first in their order.
pub(super) async fn claim(
    session: &mut Session<'_>,
    wanted: Wanted<'_>,
    principal: &str,
    now_ms: i64,
) -> Result<Vec<Lease>, sqlx::Error> {
    const SQL: Sql = picking!(
        "SELECT number FROM jobs WHERE state = 'ready' AND principal = $5 AND (expires_ms IS NULL OR expires_ms > $1) \
         ORDER BY priority DESC, run_at_ms, number LIMIT $4",
        concat!(
            "UPDATE jobs SET state = 'running', attempt = attempt + 1, fence = fence + 1, worker = $2, lease_until_ms = $1 + $3, \
             started_ms = $1, may_have_changed = 0 WHERE number IN (SELECT number FROM picked) RETURNING ",
            columns!(),
            ", fence"
        )
    );
    let values = [now_ms.into(), wanted.worker.into(), wanted.lease_ms.into(), wanted.most.into(), principal.into()];
    let lease = |row: &Row| Ok(Lease { job: job(row)?, fence: row.number(22)? });
    let rows = session.rows(SQL, &values).await?;
    let mut leases: Vec<Lease> = rows.iter().map(lease).collect::<Result<_, sqlx::Error>>()?;
    // What is returned has no order.
    leases.sort_by_key(|lease| (-lease.job.priority, lease.job.run_at_ms, lease.job.number));
    for lease in &leases {
        let mut data = json!({ "attempt": lease.job.attempt });
        if !wanted.policy.is_empty() {
            data["policy"] = wanted.policy.get(..POLICY_DIGITS).unwrap_or(wanted.policy).into();
        }
        note(session, lease.job.number, now_ms, JobState::Running.as_str(), &data.to_string()).await?;
    }
    Ok(leases)
}

pub(super) async fn renew(
    session: &mut Session<'_>,
    key: LeaseKey,
    lease_ms: i64,
    now_ms: i64,
) -> Result<Renewed, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE jobs SET lease_until_ms = $3 + $4 WHERE number = $1 AND fence = $2 AND state = 'running' RETURNING cancel_ms",
    );
    let values = [key.number.into(), key.fence.into(), now_ms.into(), lease_ms.into()];
    session.row(SQL, &values).await?.as_ref().map_or(Ok(Renewed::Lost), renewed)
}

/// Notes that the attempt may change something from now on. Returns whether the lease still holds.
pub(super) async fn may_change(session: &mut Session<'_>, key: LeaseKey) -> Result<bool, sqlx::Error> {
    const SQL: Sql =
        Sql::same("UPDATE jobs SET may_have_changed = 1 WHERE number = $1 AND fence = $2 AND state = 'running'");
    Ok(session.change(SQL, &[key.number.into(), key.fence.into()]).await? == 1)
}

/// Ends an attempt. Returns the state and whose job it is, or nothing if the lease is over: then nothing is written.
pub(super) async fn end(
    session: &mut Session<'_>,
    key: LeaseKey,
    ending: &Ending,
    now_ms: i64,
) -> Result<Option<(JobState, String)>, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE jobs SET state = $3, outcome = $4, report = $5, finished_ms = $6, lease_until_ms = 0, \
         trouble = CASE WHEN $7 = '' THEN trouble ELSE $7 END \
         WHERE number = $1 AND fence = $2 AND state = 'running' RETURNING callback_url, principal",
    );
    let (state, outcome, report, trouble) = match ending {
        Ending::Finished { outcome, report } => (JobState::Finished, outcome.as_str(), report.as_str(), ""),
        Ending::Unreported { outcome, trouble } => (JobState::Finished, outcome.as_str(), "", trouble.as_str()),
        Ending::Cancelled { report } => (JobState::Cancelled, "cancelled", report.as_str(), ""),
        Ending::Again { delay_ms, trouble } => {
            return again(session, key, *delay_ms, Counted::Yes, trouble, now_ms).await;
        }
        Ending::Waits { delay_ms, lacked_memory, trouble } => {
            let counted = Counted::No { lacked_memory: *lacked_memory };
            return again(session, key, *delay_ms, counted, trouble, now_ms).await;
        }
    };
    let values = [
        key.number.into(),
        key.fence.into(),
        state.as_str().into(),
        outcome.into(),
        texts::in_row(report).into(),
        now_ms.into(),
        trouble.into(),
    ];
    let Some(row) = session.row(SQL, &values).await? else { return Ok(None) };
    let principal = row.text(1)?;
    texts::keep_report(session, key.number, &principal, report).await?;
    let data = format!("{{\"outcome\":\"{outcome}\"}}");
    note_end(session, key.number, now_ms, state.as_str(), &data, &row.text(0)?).await?;
    Ok(Some((state, principal)))
}

/// Whether an attempt is one of those that a job has.
enum Counted {
    Yes,
    /// It found no room.
    No {
        /// Whether it lacked memory in the middle.
        lacked_memory: bool,
    },
}

async fn again(
    session: &mut Session<'_>,
    key: LeaseKey,
    delay_ms: i64,
    counted: Counted,
    trouble: &str,
    now_ms: i64,
) -> Result<Option<(JobState, String)>, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE jobs SET attempt = attempt - $6, waits = waits + $6, \
         lacked_memory = CASE WHEN $7 = 1 THEN 1 ELSE lacked_memory END, \
         state = CASE WHEN cancel_ms IS NOT NULL THEN 'cancelled' WHEN attempt - $6 >= attempts_max THEN 'dead' \
                      WHEN $3 > 0 THEN 'scheduled' ELSE 'ready' END, \
         outcome = CASE WHEN cancel_ms IS NOT NULL THEN 'cancelled' WHEN attempt - $6 >= attempts_max THEN 'dead' ELSE '' END, \
         finished_ms = CASE WHEN cancel_ms IS NOT NULL OR attempt - $6 >= attempts_max THEN $4 END, \
         run_at_ms = $4 + $3, trouble = $5, lease_until_ms = 0 \
         WHERE number = $1 AND fence = $2 AND state = 'running' RETURNING state, callback_url, principal",
    );
    let (uncounted, lacked_memory) = match counted {
        Counted::Yes => (0_i64, 0_i64),
        Counted::No { lacked_memory } => (1, lacked_memory.into()),
    };
    let delay_ms = delay_ms.clamp(0, millis(PAUSE_MAX));
    let values = [
        key.number.into(),
        key.fence.into(),
        delay_ms.into(),
        now_ms.into(),
        trouble.into(),
        uncounted.into(),
        lacked_memory.into(),
    ];
    let Some(row) = session.row(SQL, &values).await? else { return Ok(None) };
    let Some(state) = JobState::of(&row.text(0)?) else { return Ok(None) };
    note_end(session, key.number, now_ms, state.as_str(), &trouble_data(trouble), &row.text(1)?).await?;
    Ok(Some((state, row.text(2)?)))
}

/// Adds an event to a job that runs. Returns whose job it is, or nothing if the lease is over: then nothing is written.
pub(super) async fn add_event(
    session: &mut Session<'_>,
    key: LeaseKey,
    kind: &str,
    data: &str,
    now_ms: i64,
) -> Result<Option<String>, sqlx::Error> {
    const SQL: Sql = Sql {
        sqlite: "SELECT principal FROM jobs WHERE number = $1 AND fence = $2 AND state = 'running'",
        postgres: "SELECT principal FROM jobs WHERE number = $1 AND fence = $2 AND state = 'running' FOR UPDATE",
    };
    let Some(row) = session.row(SQL, &[key.number.into(), key.fence.into()]).await? else { return Ok(None) };
    let principal = row.text(0)?;
    texts::count(session, key.number, &principal, texts::kept_apart(data)).await?;
    note(session, key.number, now_ms, kind, data).await?;
    Ok(Some(principal))
}
