//! What clients do: submit and cancel.

use super::super::session::{Session, Sql};
use super::{by_id, columns, job, note, note_end, texts};
use crate::job::{Job, JobState, NewJob, Quota, Start, Submitted};

/// Accepts a job, unless the same request came with the same key before, or a quota leaves no room. A second attempt to write the same
/// job finds it.
pub(super) async fn submit(
    session: &mut Session<'_>,
    new: &NewJob,
    full: Option<Quota>,
    now_ms: i64,
) -> Result<Submitted, sqlx::Error> {
    const SQL: Sql = Sql::same(concat!(
        "INSERT INTO jobs (id, principal, request, state, priority, created_ms, run_at_ms, expires_ms, attempt, attempts_max, fence, \
         worker, lease_until_ms, may_have_changed, outcome, report, trouble, labels, idempotency_key, request_digest, callback_url, trace) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, 0, '', 0, 0, '', '', '', $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING RETURNING ",
        columns!()
    ));
    if let Some(quota) = full {
        return Ok(known(session, new).await?.unwrap_or(Submitted::Full(quota)));
    }
    let run_at_ms = match new.start {
        Start::Now => now_ms,
        Start::AfterMs(delay_ms) => now_ms.saturating_add(delay_ms),
        Start::AtMs(at_ms) => at_ms.max(now_ms),
    };
    let state = if run_at_ms > now_ms { JobState::Scheduled } else { JobState::Ready };
    let labels = new.labels.iter().fold(String::from("\n"), |lines, (name, value)| format!("{lines}{name}={value}\n"));
    let values = [
        (&new.id).into(),
        (&new.principal).into(),
        texts::in_row(&new.request).into(),
        state.as_str().into(),
        new.priority.into(),
        now_ms.into(),
        run_at_ms.into(),
        new.ttl_ms.map(|ttl_ms| run_at_ms.saturating_add(ttl_ms)).into(),
        new.attempts_max.into(),
        (&labels).into(),
        new.idempotency_key.as_deref().into(),
        (&new.request_digest).into(),
        new.callback_url.as_deref().unwrap_or_default().into(),
        (&new.trace).into(),
    ];
    let Some(row) = session.row(SQL, &values).await? else {
        let lost = || sqlx::Error::Protocol("a job is there and cannot be found".to_owned());
        return known(session, new).await?.ok_or_else(lost);
    };
    let accepted = job(&row)?;
    texts::keep_request(session, accepted.number, &new.principal, &new.request).await?;
    note(session, accepted.number, now_ms, state.as_str(), "{}").await?;
    Ok(Submitted::New(Box::new(accepted)))
}

/// The job that is there already, if one is.
pub(super) async fn known(session: &mut Session<'_>, new: &NewJob) -> Result<Option<Submitted>, sqlx::Error> {
    const BY_KEY: Sql = Sql::same("SELECT id, request_digest FROM jobs WHERE principal = $1 AND idempotency_key = $2");
    // The same job was written, and its writer did not hear of it.
    if let Some(job) = by_id(session, &new.id).await? {
        return Ok(Some(Submitted::New(Box::new(job))));
    }
    let values = [(&new.principal).into(), new.idempotency_key.as_deref().into()];
    let Some(row) = session.row(BY_KEY, &values).await? else { return Ok(None) };
    let same = if row.text(1)? == new.request_digest { by_id(session, &row.text(0)?).await? } else { None };
    Ok(Some(same.map_or(Submitted::OtherRequest, |job| Submitted::Same(Box::new(job)))))
}

/// What is answered to a batch with keys of which jobs are there already: all of them, or that another came with these keys. A batch of
/// which some are forgotten is not begun again.
pub(super) async fn known_batch(
    session: &mut Session<'_>,
    all: &[NewJob],
) -> Result<Option<Vec<Submitted>>, sqlx::Error> {
    if all.iter().all(|new| new.idempotency_key.is_none()) {
        return Ok(None);
    }
    let mut there = Vec::with_capacity(all.len());
    for new in all {
        there.extend(known(session, new).await?);
    }
    Ok(match there.len() {
        0 => None,
        count if count == all.len() => Some(there),
        _ => Some(all.iter().map(|_| Submitted::OtherRequest).collect()),
    })
}

/// Cancels a job. One that runs ends when its worker hears of it. Returns it as it is then, or nothing if there is no such job.
pub(super) async fn cancel(session: &mut Session<'_>, id: &str, now_ms: i64) -> Result<Option<Job>, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE jobs SET cancel_ms = coalesce(cancel_ms, $2), \
         state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END, \
         outcome = CASE WHEN state = 'running' THEN outcome ELSE 'cancelled' END, \
         finished_ms = CASE WHEN state = 'running' THEN NULL ELSE $2 END \
         WHERE id = $1 AND state IN ('scheduled', 'ready', 'running') AND cancel_ms IS NULL RETURNING number, state, callback_url",
    );
    if let Some(row) = session.row(SQL, &[id.into(), now_ms.into()]).await? {
        let is_running = row.text(1)? == JobState::Running.as_str();
        let kind = if is_running { "cancelling" } else { JobState::Cancelled.as_str() };
        note_end(session, row.number(0)?, now_ms, kind, "{}", &row.text(2)?).await?;
    }
    by_id(session, id).await
}
