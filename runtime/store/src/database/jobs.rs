//! The jobs: what is promised to clients.

use std::path::Path;

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};

use super::file::{BEGIN_TO_WRITE, DatabaseFile, Kind, run};
use crate::error::StoreError;
use crate::job::{Ending, Job, JobEvent, JobFilter, JobState, Lease, LeaseKey, NewJob, Renewed, Submitted};
use crate::jobs::JobQuotas;

/// The file of jobs: `ibjb` in ASCII.
const KIND: Kind = Kind { application: 0x6962_6a62, migrations: &[include_str!("../../migrations/jobs_0001.sql")] };

/// How many jobs one look at what is due changes.
const SWEPT_MAX: i64 = 500;

/// The columns of [`job`], in its order.
macro_rules! columns {
    () => {
        "number, id, principal, request, state, priority, created_ms, run_at_ms, expires_ms, started_ms, finished_ms, attempt, \
         attempts_max, cancel_ms, outcome, report, trouble, labels"
    };
}

/// Something to be written.
#[derive(Debug)]
pub(crate) enum Write {
    Submit(Box<NewJob>),
    /// Leases, and how long they last from now on, in milliseconds.
    Renew(Vec<LeaseKey>, i64),
    MayChange(LeaseKey),
    End(LeaseKey, Ending),
    /// The id of a job.
    Cancel(String),
    /// A lease, the kind of the event, and its data.
    Event(LeaseKey, &'static str, String),
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Written {
    Submitted(Submitted),
    Renewed(Vec<Renewed>),
    Flag(bool),
    Ended(Option<JobState>),
    Job(Option<Box<Job>>),
}

/// A worker that wants jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) worker: &'a str,
    pub(crate) lease_ms: i64,
    pub(crate) most: u32,
}

/// What else is done in a transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    /// Whether what is due is done.
    pub(crate) sweeps: bool,
    /// Workers whose leases are over.
    pub(crate) gone: &'a [String],
    /// Before when jobs are forgotten that have ended.
    pub(crate) forgets_before_ms: Option<i64>,
}

/// What a transaction did.
#[derive(Debug, Default)]
pub(crate) struct Committed {
    pub(crate) written: Vec<Written>,
    /// The leases of the first workers, in their order.
    pub(crate) leased: Vec<Vec<Lease>>,
    /// The numbers of the jobs that changed.
    pub(crate) changed: Vec<i64>,
}

/// One connection to the file of jobs.
#[derive(Debug)]
pub(crate) struct JobDatabase(DatabaseFile);

impl JobDatabase {
    /// Opens the file to write. Each commit waits for the disk: a job that was accepted is there after a loss of power.
    pub(crate) async fn open(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        let mut file = DatabaseFile::to_write(file, KIND, bytes_max).await?;
        match run(&mut file.connection, "PRAGMA synchronous = FULL").await {
            Ok(()) => Ok(Self(file)),
            Err(error) => {
                let fault = file.fault(&error);
                file.close().await;
                Err(fault)
            }
        }
    }

    /// Does all of it in one transaction, or nothing.
    pub(crate) async fn commit(
        &mut self,
        writes: &[Write],
        wanted: &[Wanted<'_>],
        look: Look<'_>,
        quotas: &JobQuotas,
        now_ms: i64,
    ) -> Result<Committed, StoreError> {
        let committed = commit(&mut self.0.connection, writes, wanted, look, quotas, now_ms).await;
        committed.map_err(|error| self.0.fault(&error))
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }

    pub(crate) async fn job(&mut self, id: &str) -> Result<Option<Job>, StoreError> {
        let found = by_id(&mut self.0.connection, id).await;
        found.map_err(|error| self.0.fault(&error))
    }

    /// The workers that have leases.
    pub(crate) async fn workers(&mut self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT worker FROM jobs WHERE state = 'running'";
        let workers = sqlx::query_scalar(sql).fetch_all(&mut self.0.connection).await;
        workers.map_err(|error| self.0.fault(&error))
    }

    /// How these leases are.
    pub(crate) async fn leases(&mut self, keys: &[LeaseKey]) -> Result<Vec<(LeaseKey, Renewed)>, StoreError> {
        let mut states = Vec::with_capacity(keys.len());
        for key in keys {
            let sql = "SELECT cancel_ms IS NOT NULL FROM jobs WHERE number = $1 AND fence = $2 AND state = 'running'";
            let held: Result<Option<bool>, sqlx::Error> =
                sqlx::query_scalar(sql).bind(key.number).bind(key.fence).fetch_optional(&mut self.0.connection).await;
            states.push((*key, renewed(held.map_err(|error| self.0.fault(&error))?)));
        }
        Ok(states)
    }

    /// The newest first.
    pub(crate) async fn list(&mut self, filter: &JobFilter, most: u32) -> Result<Vec<Job>, StoreError> {
        let label = filter.label.as_ref().map(|(name, value)| format!("\n{name}={value}\n"));
        let rows = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM jobs WHERE ($1 IS NULL OR principal = $1) AND ($2 IS NULL OR state = $2) AND \
             ($3 IS NULL OR instr(labels, $3) > 0) AND ($4 IS NULL OR number < $4) ORDER BY number DESC LIMIT $5"
        ))
        .bind(filter.principal.as_deref())
        .bind(filter.state.map(JobState::as_str))
        .bind(label)
        .bind(filter.before)
        .bind(most)
        .fetch_all(&mut self.0.connection)
        .await;
        let jobs = rows.and_then(|rows| rows.iter().map(job).collect());
        jobs.map_err(|error| self.0.fault(&error))
    }

    /// Events of a job after this one.
    pub(crate) async fn events(&mut self, number: i64, after: i64, most: u32) -> Result<Vec<JobEvent>, StoreError> {
        let sql =
            "SELECT number, at_ms, kind, data FROM job_events WHERE job = $1 AND number > $2 ORDER BY number LIMIT $3";
        let rows: Result<Vec<(i64, i64, String, String)>, sqlx::Error> =
            sqlx::query_as(sql).bind(number).bind(after).bind(most).fetch_all(&mut self.0.connection).await;
        let rows = rows.map_err(|error| self.0.fault(&error))?;
        Ok(rows.into_iter().map(|(number, at_ms, kind, data)| JobEvent { number, at_ms, kind, data }).collect())
    }

    /// How many jobs are in each state.
    pub(crate) async fn counts(&mut self) -> Result<Vec<(JobState, u64)>, StoreError> {
        let sql = "SELECT state, COUNT(*) FROM jobs GROUP BY state";
        let rows: Result<Vec<(String, i64)>, sqlx::Error> = sqlx::query_as(sql).fetch_all(&mut self.0.connection).await;
        let rows = rows.map_err(|error| self.0.fault(&error))?;
        let count = |(state, count): (String, i64)| Some((JobState::of(&state)?, u64::try_from(count).unwrap_or(0)));
        Ok(rows.into_iter().filter_map(count).collect())
    }
}

async fn commit(
    connection: &mut SqliteConnection,
    writes: &[Write],
    wanted: &[Wanted<'_>],
    look: Look<'_>,
    quotas: &JobQuotas,
    now_ms: i64,
) -> Result<Committed, sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let mut committed = Committed::default();
    for one in writes {
        let written = write(&mut transaction, one, quotas, now_ms, &mut committed.changed).await?;
        committed.written.push(written);
    }
    for worker in look.gone {
        let sql = "UPDATE jobs SET lease_until_ms = 0 WHERE state = 'running' AND worker = $1";
        sqlx::query(sql).bind(worker).execute(&mut *transaction).await?;
    }
    if look.sweeps {
        committed.changed.extend(sweep(&mut transaction, now_ms).await?);
    }
    if let Some(before_ms) = look.forgets_before_ms {
        forget(&mut transaction, before_ms).await?;
    }
    for wanted in wanted {
        let leases = claim(&mut transaction, *wanted, now_ms).await?;
        if leases.is_empty() {
            break;
        }
        committed.changed.extend(leases.iter().map(|lease| lease.job.number));
        committed.leased.push(leases);
    }
    transaction.commit().await?;
    Ok(committed)
}

async fn write(
    connection: &mut SqliteConnection,
    write: &Write,
    quotas: &JobQuotas,
    now_ms: i64,
    changed: &mut Vec<i64>,
) -> Result<Written, sqlx::Error> {
    Ok(match write {
        Write::Submit(new) => {
            let submitted = submit(connection, new, quotas, now_ms).await?;
            if let Submitted::New(job) = &submitted {
                changed.push(job.number);
            }
            Written::Submitted(submitted)
        }
        Write::Renew(keys, lease_ms) => {
            let mut renewed = Vec::with_capacity(keys.len());
            for key in keys {
                renewed.push(renew(connection, *key, *lease_ms, now_ms).await?);
            }
            Written::Renewed(renewed)
        }
        Write::MayChange(key) => Written::Flag(may_change(connection, *key).await?),
        Write::End(key, ending) => {
            changed.push(key.number);
            Written::Ended(end(connection, *key, ending, now_ms).await?)
        }
        Write::Cancel(id) => {
            let job = cancel(connection, id, now_ms).await?;
            changed.extend(job.as_ref().map(|job| job.number));
            Written::Job(job.map(Box::new))
        }
        Write::Event(key, kind, data) => {
            changed.push(key.number);
            Written::Flag(add_event(connection, *key, kind, data, now_ms).await?)
        }
    })
}

fn job(row: &SqliteRow) -> Result<Job, sqlx::Error> {
    let (state, labels): (String, String) = (row.try_get(4)?, row.try_get(17)?);
    let (attempt, attempts_max): (i64, i64) = (row.try_get(11)?, row.try_get(12)?);
    let cancel_ms: Option<i64> = row.try_get(13)?;
    let unknown = || sqlx::Error::Decode(format!("there is no state `{state}`").into());
    Ok(Job {
        number: row.try_get(0)?,
        id: row.try_get(1)?,
        principal: row.try_get(2)?,
        request: row.try_get(3)?,
        state: JobState::of(&state).ok_or_else(unknown)?,
        priority: row.try_get(5)?,
        created_ms: row.try_get(6)?,
        run_at_ms: row.try_get(7)?,
        expires_ms: row.try_get(8)?,
        started_ms: row.try_get(9)?,
        finished_ms: row.try_get(10)?,
        attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
        attempts_max: u32::try_from(attempts_max).unwrap_or(u32::MAX),
        is_cancelled: cancel_ms.is_some(),
        outcome: row.try_get(14)?,
        report: row.try_get(15)?,
        trouble: row.try_get(16)?,
        labels: labels
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    })
}

async fn by_id(connection: &mut SqliteConnection, id: &str) -> Result<Option<Job>, sqlx::Error> {
    let sql = concat!("SELECT ", columns!(), " FROM jobs WHERE id = $1");
    let row = sqlx::query(sql).bind(id).fetch_optional(connection).await?;
    row.as_ref().map(job).transpose()
}

async fn note(
    connection: &mut SqliteConnection,
    number: i64,
    now_ms: i64,
    kind: &str,
    data: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO job_events (job, at_ms, kind, data) VALUES ($1, $2, $3, $4)")
        .bind(number)
        .bind(now_ms)
        .bind(kind)
        .bind(data)
        .execute(connection)
        .await?;
    Ok(())
}

async fn submit(
    connection: &mut SqliteConnection,
    new: &NewJob,
    quotas: &JobQuotas,
    now_ms: i64,
) -> Result<Submitted, sqlx::Error> {
    if let Some(key) = &new.idempotency_key {
        let sql = "SELECT id, request_digest FROM jobs WHERE principal = $1 AND idempotency_key = $2";
        let known: Option<(String, String)> =
            sqlx::query_as(sql).bind(&new.principal).bind(key).fetch_optional(&mut *connection).await?;
        if let Some((id, digest)) = known {
            let same = if digest == new.request_digest { by_id(connection, &id).await? } else { None };
            return Ok(same.map_or(Submitted::OtherRequest, |job| Submitted::Same(Box::new(job))));
        }
    }
    for (principal, most) in [(None, quotas.waiting_max), (Some(&new.principal), quotas.waiting_of_principal_max)] {
        // Counts no further than it has to.
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state IN ('ready', 'scheduled') AND ($1 IS NULL OR principal = $1) \
                   LIMIT $2)";
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let waiting: i64 = sqlx::query_scalar(sql).bind(principal).bind(limit).fetch_one(&mut *connection).await?;
        if waiting >= limit {
            return Ok(Submitted::Full { most });
        }
    }
    let state = if new.run_at_ms > now_ms { JobState::Scheduled } else { JobState::Ready };
    let labels = new.labels.iter().fold(String::from("\n"), |lines, (name, value)| format!("{lines}{name}={value}\n"));
    let row = sqlx::query(concat!(
        "INSERT INTO jobs (id, principal, request, state, priority, created_ms, run_at_ms, expires_ms, attempt, attempts_max, fence, \
         worker, lease_until_ms, may_have_changed, outcome, report, trouble, labels, idempotency_key, request_digest) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, 0, '', 0, 0, '', '', '', $10, $11, $12) RETURNING ",
        columns!()
    ))
    .bind(&new.id)
    .bind(&new.principal)
    .bind(&new.request)
    .bind(state.as_str())
    .bind(new.priority)
    .bind(now_ms)
    .bind(new.run_at_ms.max(now_ms))
    .bind(new.expires_ms)
    .bind(new.attempts_max)
    .bind(labels)
    .bind(new.idempotency_key.as_deref())
    .bind(&new.request_digest)
    .fetch_one(&mut *connection)
    .await?;
    let accepted = job(&row)?;
    note(connection, accepted.number, now_ms, state.as_str(), "{}").await?;
    Ok(Submitted::New(Box::new(accepted)))
}

/// Gives a worker leases of at most so many ready jobs, the first in their order.
async fn claim(connection: &mut SqliteConnection, wanted: Wanted<'_>, now_ms: i64) -> Result<Vec<Lease>, sqlx::Error> {
    let rows = sqlx::query(concat!(
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, fence = fence + 1, worker = $2, lease_until_ms = $1 + $3, \
         started_ms = $1, may_have_changed = 0 WHERE number IN (SELECT number FROM jobs WHERE state = 'ready' AND \
         (expires_ms IS NULL OR expires_ms > $1) ORDER BY priority DESC, run_at_ms, number LIMIT $4) RETURNING ",
        columns!(),
        ", fence"
    ))
    .bind(now_ms)
    .bind(wanted.worker)
    .bind(wanted.lease_ms)
    .bind(wanted.most)
    .fetch_all(&mut *connection)
    .await?;
    let lease = |row: &SqliteRow| Ok(Lease { job: job(row)?, fence: row.try_get(18)? });
    let mut leases: Vec<Lease> = rows.iter().map(lease).collect::<Result<_, sqlx::Error>>()?;
    // What is returned has no order.
    leases.sort_by_key(|lease| (-lease.job.priority, lease.job.run_at_ms, lease.job.number));
    for lease in &leases {
        let data = format!("{{\"attempt\":{}}}", lease.job.attempt);
        note(connection, lease.job.number, now_ms, JobState::Running.as_str(), &data).await?;
    }
    Ok(leases)
}

async fn renew(
    connection: &mut SqliteConnection,
    key: LeaseKey,
    lease_ms: i64,
    now_ms: i64,
) -> Result<Renewed, sqlx::Error> {
    let sql = "UPDATE jobs SET lease_until_ms = $3 + $4 WHERE number = $1 AND fence = $2 AND state = 'running' \
               RETURNING cancel_ms IS NOT NULL";
    let held: Option<bool> = sqlx::query_scalar(sql)
        .bind(key.number)
        .bind(key.fence)
        .bind(now_ms)
        .bind(lease_ms)
        .fetch_optional(connection)
        .await?;
    Ok(renewed(held))
}

/// What it means that a lease is there, and whether its job is cancelled.
fn renewed(held: Option<bool>) -> Renewed {
    match held {
        None => Renewed::Lost,
        Some(true) => Renewed::Cancelled,
        Some(false) => Renewed::Held,
    }
}

/// Notes that the attempt may change something from now on. Returns whether the lease still holds.
async fn may_change(connection: &mut SqliteConnection, key: LeaseKey) -> Result<bool, sqlx::Error> {
    let sql = "UPDATE jobs SET may_have_changed = 1 WHERE number = $1 AND fence = $2 AND state = 'running'";
    let done = sqlx::query(sql).bind(key.number).bind(key.fence).execute(connection).await?;
    Ok(done.rows_affected() == 1)
}

/// Ends an attempt. Returns the state, or nothing if the lease is over: then nothing is written.
async fn end(
    connection: &mut SqliteConnection,
    key: LeaseKey,
    ending: &Ending,
    now_ms: i64,
) -> Result<Option<JobState>, sqlx::Error> {
    let (state, outcome, report) = match ending {
        Ending::Finished { outcome, report } => (JobState::Finished, outcome.as_str(), report.as_str()),
        Ending::Cancelled { report } => (JobState::Cancelled, "cancelled", report.as_str()),
        Ending::Again { delay_ms, trouble } => return again(connection, key, *delay_ms, trouble, now_ms).await,
    };
    let sql = "UPDATE jobs SET state = $3, outcome = $4, report = $5, finished_ms = $6, lease_until_ms = 0 \
               WHERE number = $1 AND fence = $2 AND state = 'running'";
    let done = sqlx::query(sql)
        .bind(key.number)
        .bind(key.fence)
        .bind(state.as_str())
        .bind(outcome)
        .bind(report)
        .bind(now_ms)
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    let data = format!("{{\"outcome\":\"{outcome}\"}}");
    note(connection, key.number, now_ms, state.as_str(), &data).await?;
    Ok(Some(state))
}

async fn again(
    connection: &mut SqliteConnection,
    key: LeaseKey,
    delay_ms: i64,
    trouble: &str,
    now_ms: i64,
) -> Result<Option<JobState>, sqlx::Error> {
    let sql = "UPDATE jobs SET \
               state = CASE WHEN cancel_ms IS NOT NULL THEN 'cancelled' WHEN attempt >= attempts_max THEN 'dead' \
                            WHEN $3 > 0 THEN 'scheduled' ELSE 'ready' END, \
               finished_ms = CASE WHEN cancel_ms IS NOT NULL OR attempt >= attempts_max THEN $4 END, \
               run_at_ms = $4 + $3, trouble = $5, lease_until_ms = 0 \
               WHERE number = $1 AND fence = $2 AND state = 'running' RETURNING state";
    let state: Option<String> = sqlx::query_scalar(sql)
        .bind(key.number)
        .bind(key.fence)
        .bind(delay_ms.max(0))
        .bind(now_ms)
        .bind(trouble)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(state) = state.and_then(|state| JobState::of(&state)) else { return Ok(None) };
    note(connection, key.number, now_ms, state.as_str(), &trouble_data(trouble)).await?;
    Ok(Some(state))
}

/// A line as JSON, without a library: only what is printable stays, and no quote.
fn trouble_data(trouble: &str) -> String {
    let plain: String = trouble.chars().filter(|letter| !letter.is_control() && !"\"\\".contains(*letter)).collect();
    format!("{{\"trouble\":\"{plain}\"}}")
}

/// Cancels a job. One that runs ends when its worker hears of it. Returns the state, or nothing if there is no such job.
async fn cancel(connection: &mut SqliteConnection, id: &str, now_ms: i64) -> Result<Option<Job>, sqlx::Error> {
    let sql = "UPDATE jobs SET cancel_ms = coalesce(cancel_ms, $2), \
               state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END, \
               outcome = CASE WHEN state = 'running' THEN outcome ELSE 'cancelled' END, \
               finished_ms = CASE WHEN state = 'running' THEN NULL ELSE $2 END \
               WHERE id = $1 AND state IN ('scheduled', 'ready', 'running') AND cancel_ms IS NULL RETURNING number, state";
    let changed: Option<(i64, String)> =
        sqlx::query_as(sql).bind(id).bind(now_ms).fetch_optional(&mut *connection).await?;
    if let Some((number, state)) = changed {
        let kind = if state == JobState::Running.as_str() { "cancelling" } else { JobState::Cancelled.as_str() };
        note(connection, number, now_ms, kind, "{}").await?;
    }
    by_id(connection, id).await
}

async fn add_event(
    connection: &mut SqliteConnection,
    key: LeaseKey,
    kind: &str,
    data: &str,
    now_ms: i64,
) -> Result<bool, sqlx::Error> {
    let sql = "SELECT 1 FROM jobs WHERE number = $1 AND fence = $2 AND state = 'running'";
    let holds: Option<i64> =
        sqlx::query_scalar(sql).bind(key.number).bind(key.fence).fetch_optional(&mut *connection).await?;
    if holds.is_none() {
        return Ok(false);
    }
    note(connection, key.number, now_ms, kind, data).await?;
    Ok(true)
}

/// Does what is due: jobs of the future become ready, those that nobody began in time expire, and those whose worker was lost are
/// attempted again, unless they may have changed something. Returns the jobs that changed.
async fn sweep(connection: &mut SqliteConnection, now_ms: i64) -> Result<Vec<i64>, sqlx::Error> {
    let mut changed = Vec::new();
    let due = "UPDATE jobs SET state = 'ready' WHERE number IN (SELECT number FROM jobs WHERE state = 'scheduled' AND run_at_ms <= $1 \
               ORDER BY run_at_ms LIMIT $2) RETURNING number, state, ''";
    let late = "UPDATE jobs SET state = 'expired', outcome = 'expired', finished_ms = $1 WHERE number IN (SELECT number FROM jobs \
                WHERE expires_ms <= $1 AND state IN ('ready', 'scheduled') LIMIT $2) RETURNING number, state, ''";
    // One that may have changed something ends there: nobody knows how far it came.
    let lost = "UPDATE jobs SET \
                state = CASE WHEN cancel_ms IS NOT NULL AND may_have_changed = 0 THEN 'cancelled' WHEN may_have_changed = 1 THEN 'finished' \
                             WHEN attempt >= attempts_max THEN 'dead' ELSE 'ready' END, \
                outcome = CASE WHEN may_have_changed = 1 THEN 'unknown_outcome' WHEN cancel_ms IS NOT NULL THEN 'cancelled' \
                               WHEN attempt >= attempts_max THEN 'worker_lost' ELSE '' END, \
                finished_ms = CASE WHEN may_have_changed = 1 OR cancel_ms IS NOT NULL OR attempt >= attempts_max THEN $1 END, \
                run_at_ms = CASE WHEN may_have_changed = 1 THEN run_at_ms ELSE $1 END, \
                lease_until_ms = 0, trouble = 'its worker was lost' \
                WHERE number IN (SELECT number FROM jobs WHERE state = 'running' AND lease_until_ms < $1 ORDER BY lease_until_ms LIMIT $2) \
                RETURNING number, state, trouble";
    for sql in [due, late, lost] {
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as(sql).bind(now_ms).bind(SWEPT_MAX).fetch_all(&mut *connection).await?;
        for (number, state, trouble) in rows {
            let data = if trouble.is_empty() { "{}".to_owned() } else { trouble_data(&trouble) };
            note(connection, number, now_ms, &state, &data).await?;
            changed.push(number);
        }
    }
    Ok(changed)
}

/// Forgets jobs that ended before this time. Returns how many.
async fn forget(connection: &mut SqliteConnection, before_ms: i64) -> Result<u64, sqlx::Error> {
    let sql = "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished_ms < $1 LIMIT $2)";
    Ok(sqlx::query(sql).bind(before_ms).bind(SWEPT_MAX).execute(connection).await?.rows_affected())
}
