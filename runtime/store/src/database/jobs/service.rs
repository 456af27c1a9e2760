//! What is kept beside the jobs: deliveries, schedules, tokens, policies and settings.

use super::super::session::{Row, Session, Sql, picking};
use super::{accept, by_id, texts};
use crate::job::{JobState, Quota, Submitted, TELL_PAUSE_MAX, millis};
use crate::service::{
    Delivery, DeliveryStatus, Firing, NewSchedule, NewToken, POLICIES_MAX, PUBLISHED_MAX, PolicyVersion,
    PublishedTemplates, Schedule, TokenRecord, Told,
};

/// The columns of [`schedule`], in its order.
macro_rules! schedule_columns {
    () => {
        "number, id, principal, cron, zone, request, created_ms, next_ms, last_job, submitted, skipped"
    };
}

pub(super) const SCHEDULES_OF: Sql =
    Sql::same(concat!("SELECT ", schedule_columns!(), " FROM schedules WHERE principal = $1 ORDER BY number LIMIT $2"));
pub(super) const SCHEDULES_DUE: Sql =
    Sql::same(concat!("SELECT ", schedule_columns!(), " FROM schedules WHERE next_ms <= $1 ORDER BY next_ms LIMIT $2"));
pub(super) const SCHEDULES_AFTER: Sql =
    Sql::same(concat!("SELECT ", schedule_columns!(), " FROM schedules WHERE number > $1 ORDER BY number LIMIT $2"));
pub(super) const TOKENS: Sql = Sql::same(
    "SELECT id, principal, scopes, digest, created_ms, expires_ms, revoked_ms FROM tokens ORDER BY created_ms, id",
);
pub(super) const POLICIES: Sql =
    Sql::same("SELECT digest, text, first_ms, last_ms FROM policies ORDER BY last_ms DESC, digest");
pub(super) const DELIVERY: Sql = Sql::same("SELECT state, attempt, next_ms, trouble FROM deliveries WHERE job = $1");

pub(super) fn schedule(row: &Row) -> Result<Schedule, sqlx::Error> {
    Ok(Schedule {
        number: row.number(0)?,
        id: row.text(1)?,
        principal: row.text(2)?,
        cron: row.text(3)?,
        zone: row.text(4)?,
        request: row.text(5)?,
        created_ms: row.number(6)?,
        next_ms: row.number(7)?,
        last_job: row.text(8)?,
        submitted: count(row.number(9)?),
        skipped: count(row.number(10)?),
    })
}

pub(super) fn token(row: &Row) -> Result<TokenRecord, sqlx::Error> {
    Ok(TokenRecord {
        id: row.text(0)?,
        principal: row.text(1)?,
        scopes: row.text(2)?,
        digest: row.text(3)?,
        created_ms: row.number(4)?,
        expires_ms: row.number_or_null(5)?,
        revoked_ms: row.number_or_null(6)?,
    })
}

pub(super) fn policy(row: &Row) -> Result<PolicyVersion, sqlx::Error> {
    Ok(PolicyVersion { digest: row.text(0)?, text: row.text(1)?, first_ms: row.number(2)?, last_ms: row.number(3)? })
}

/// Keeps a policy, and forgets those that servers began with longest ago where there are too many.
pub(super) async fn keep_policy(
    session: &mut Session<'_>,
    digest: &str,
    text: &str,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    const KEEP: Sql = Sql::same(
        "INSERT INTO policies (digest, text, first_ms, last_ms) VALUES ($1, $2, $3, $3) \
         ON CONFLICT (digest) DO UPDATE SET last_ms = excluded.last_ms",
    );
    const FORGET: Sql = Sql::same(
        "DELETE FROM policies WHERE digest IN (SELECT digest FROM policies ORDER BY last_ms DESC, digest LIMIT $2 OFFSET $1)",
    );
    session.change(KEEP, &[digest.into(), text.into(), now_ms.into()]).await?;
    session.change(FORGET, &[POLICIES_MAX.into(), POLICIES_MAX.into()]).await?;
    Ok(())
}

/// The digest of what was published last.
pub(super) const LAST_PUBLISHED: Sql =
    Sql::same("SELECT digest FROM published_templates ORDER BY published_ms DESC, digest LIMIT 1");

/// What has more bytes than this program publishes is read as nothing.
pub(super) const PUBLISHED: Sql = Sql::same(
    "SELECT digest, CASE WHEN length(files) <= $2 THEN files ELSE '' END FROM published_templates WHERE digest = $1",
);

pub(super) fn published(row: &Row) -> Result<PublishedTemplates, sqlx::Error> {
    Ok(PublishedTemplates { digest: row.text(0)?, files: row.text(1)? })
}

/// Keeps what is published now as the last, and forgets what was published longest ago where that is too much.
pub(super) async fn publish(
    session: &mut Session<'_>,
    published: &PublishedTemplates,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    const KEEP: Sql = Sql::same(
        "INSERT INTO published_templates (digest, files, published_ms) VALUES ($1, $2, $3) \
         ON CONFLICT (digest) DO UPDATE SET files = excluded.files, published_ms = excluded.published_ms",
    );
    const FORGET: Sql = Sql::same(
        "DELETE FROM published_templates WHERE digest NOT IN \
         (SELECT digest FROM published_templates ORDER BY published_ms DESC, digest LIMIT $1)",
    );
    // Also where a clock was set back.
    const EARLIER: Sql = Sql::same("UPDATE published_templates SET published_ms = $1 - 1 WHERE published_ms >= $1");
    session.change(EARLIER, &[now_ms.into()]).await?;
    let values = [(&published.digest).into(), (&published.files).into(), now_ms.into()];
    session.change(KEEP, &values).await?;
    session.change(FORGET, &[PUBLISHED_MAX.into()]).await?;
    Ok(())
}

pub(super) fn delivery_status(row: &Row) -> Result<DeliveryStatus, sqlx::Error> {
    Ok(DeliveryStatus {
        state: row.text(0)?,
        attempt: u32::try_from(row.number(1)?).unwrap_or(u32::MAX),
        next_ms: row.number(2)?,
        trouble: row.text(3)?,
    })
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Has the end of a job told, from now on.
pub(super) async fn begin_delivery(session: &mut Session<'_>, number: i64, now_ms: i64) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same(
        "INSERT INTO deliveries (job, state, attempt, next_ms, trouble) VALUES ($1, 'waiting', 0, $2, '') ON CONFLICT DO NOTHING",
    );
    session.change(SQL, &[number.into(), now_ms.into()]).await?;
    Ok(())
}

/// Gives out what is due, but for these principals, which are lines with a line end before and after. It is due again after
/// `lease_ms`, in case whoever got it is lost.
pub(super) async fn claim_deliveries(
    session: &mut Session<'_>,
    most: u32,
    lease_ms: i64,
    except: &str,
    now_ms: i64,
) -> Result<Vec<Delivery>, sqlx::Error> {
    const SQL: Sql = picking!(
        "SELECT job FROM deliveries WHERE state = 'waiting' AND next_ms <= $1 AND \
         replace($4, '\n' || (SELECT principal FROM jobs WHERE number = job) || '\n', '\n') = $4 ORDER BY next_ms LIMIT $3",
        "UPDATE deliveries SET attempt = attempt + 1, next_ms = $1 + $2 WHERE job IN (SELECT job FROM picked) \
         RETURNING attempt, (SELECT id FROM jobs WHERE number = job)"
    );
    let mut claimed = Vec::new();
    for row in session.rows(SQL, &[now_ms.into(), lease_ms.into(), most.into(), except.into()]).await? {
        if let Some(mut job) = by_id(session, &row.text(1)?).await? {
            texts::complete(session, &mut job).await?;
            claimed.push(Delivery { job, attempt: u32::try_from(row.number(0)?).unwrap_or(u32::MAX) });
        }
    }
    Ok(claimed)
}

/// Ends an attempt, unless another has begun since.
pub(super) async fn end_delivery(
    session: &mut Session<'_>,
    number: i64,
    attempt: u32,
    told: &Told,
    now_ms: i64,
) -> Result<bool, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "UPDATE deliveries SET state = $3, next_ms = $4, trouble = $5 WHERE job = $1 AND attempt = $2 AND state = 'waiting'",
    );
    let (state, next_ms, trouble) = match told {
        Told::Delivered => ("delivered", now_ms, ""),
        Told::Again { delay_ms, trouble } => {
            ("waiting", now_ms.saturating_add((*delay_ms).clamp(0, millis(TELL_PAUSE_MAX))), trouble.as_str())
        }
        Told::Failed { trouble } => ("failed", now_ms, trouble.as_str()),
    };
    let values = [number.into(), attempt.into(), state.into(), next_ms.into(), trouble.into()];
    Ok(session.change(SQL, &values).await? == 1)
}

/// Keeps a schedule, unless the principal has as many as it may.
pub(super) async fn add_schedule(
    session: &mut Session<'_>,
    new: &NewSchedule,
    most: u32,
    now_ms: i64,
) -> Result<Option<Schedule>, sqlx::Error> {
    const COUNT: Sql = Sql::same("SELECT COUNT(*) FROM schedules WHERE principal = $1");
    const SQL: Sql = Sql::same(concat!(
        "INSERT INTO schedules (id, principal, cron, zone, request, created_ms, next_ms, last_job, submitted, skipped) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, '', 0, 0) RETURNING ",
        schedule_columns!()
    ));
    let there = session.row(COUNT, &[(&new.principal).into()]).await?.map_or(Ok(0), |row| row.number(0))?;
    if there >= most.into() {
        return Ok(None);
    }
    let values = [
        (&new.id).into(),
        (&new.principal).into(),
        (&new.cron).into(),
        (&new.zone).into(),
        (&new.request).into(),
        now_ms.into(),
        new.next_ms.into(),
    ];
    session.row(SQL, &values).await?.as_ref().map(schedule).transpose()
}

/// Forgets a schedule. Its jobs stay.
pub(super) async fn remove_schedule(session: &mut Session<'_>, principal: &str, id: &str) -> Result<bool, sqlx::Error> {
    const SQL: Sql = Sql::same("DELETE FROM schedules WHERE principal = $1 AND id = $2");
    Ok(session.change(SQL, &[principal.into(), id.into()]).await? == 1)
}

/// Has a schedule be due at another time, if it is still due at this one.
pub(super) async fn move_schedule(
    session: &mut Session<'_>,
    number: i64,
    from_ms: i64,
    to_ms: i64,
) -> Result<bool, sqlx::Error> {
    const SQL: Sql = Sql::same("UPDATE schedules SET next_ms = $3 WHERE number = $1 AND next_ms = $2");
    Ok(session.change(SQL, &[number.into(), from_ms.into(), to_ms.into()]).await? == 1)
}

/// Submits the job of a schedule that is due, unless somebody else did. The numbers of jobs that changed are added.
pub(super) async fn fire(
    session: &mut Session<'_>,
    firing: &Firing,
    full: Option<Quota>,
    now_ms: i64,
    changed: &mut Vec<i64>,
) -> Result<bool, sqlx::Error> {
    const TAKE: Sql =
        Sql::same("UPDATE schedules SET next_ms = $3 WHERE number = $1 AND next_ms = $2 RETURNING last_job");
    const SUBMITTED: Sql = Sql::same("UPDATE schedules SET submitted = submitted + 1, last_job = $2 WHERE number = $1");
    const SKIPPED: Sql = Sql::same("UPDATE schedules SET skipped = skipped + 1 WHERE number = $1");
    let taken = [firing.number.into(), firing.due_ms.into(), firing.next_ms.into()];
    let Some(row) = session.row(TAKE, &taken).await? else { return Ok(false) };
    let last = by_id(session, &row.text(0)?).await?;
    if !firing.is_revoked
        && last.is_none_or(|job| job.state.is_final())
        && let Submitted::New(job) = accept::submit(session, &firing.job, full, now_ms).await?
    {
        changed.push(job.number);
        session.change(SUBMITTED, &[firing.number.into(), (&job.id).into()]).await?;
    } else {
        session.change(SKIPPED, &[firing.number.into()]).await?;
    }
    Ok(true)
}

/// Keeps a token, unless there is one of this id.
pub(super) async fn add_token(session: &mut Session<'_>, new: &NewToken, now_ms: i64) -> Result<bool, sqlx::Error> {
    const SQL: Sql = Sql::same(
        "INSERT INTO tokens (id, principal, scopes, digest, created_ms, expires_ms) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT DO NOTHING",
    );
    let values = [
        (&new.id).into(),
        (&new.principal).into(),
        (&new.scopes).into(),
        (&new.digest).into(),
        now_ms.into(),
        new.ttl_ms.map(|ttl_ms| now_ms.saturating_add(ttl_ms)).into(),
    ];
    Ok(session.change(SQL, &values).await? == 1)
}

/// Has a token accepted no more. Returns whether it was.
pub(super) async fn revoke_token(session: &mut Session<'_>, id: &str, now_ms: i64) -> Result<bool, sqlx::Error> {
    const SQL: Sql = Sql::same("UPDATE tokens SET revoked_ms = $2 WHERE id = $1 AND revoked_ms IS NULL");
    Ok(session.change(SQL, &[id.into(), now_ms.into()]).await? == 1)
}

/// The value of a setting, which is this one if it has none yet.
pub(super) async fn setting(session: &mut Session<'_>, name: &str, value: &str) -> Result<String, sqlx::Error> {
    const SET: Sql = Sql::same("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING");
    const GET: Sql = Sql::same("SELECT value FROM settings WHERE name = $1");
    session.change(SET, &[name.into(), value.into()]).await?;
    session.row(GET, &[name.into()]).await?.map_or(Err(sqlx::Error::RowNotFound), |row| row.text(0))
}

/// Whether a job in this state has an end to be told.
pub(super) fn is_end(state: &str) -> bool {
    JobState::of(state).is_some_and(JobState::is_final)
}
