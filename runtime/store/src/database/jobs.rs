//! The jobs: what is promised to clients. They are in a file of `SQLite`, or in a database of `PostgreSQL` that several machines share.
//!
//! `accept` writes what clients want, `lease` what workers do, `sweep` what time does, `texts` keeps what is long, and `service` what is
//! beside the jobs.

mod accept;
mod lease;
mod service;
mod sweep;
mod texts;

use std::path::Path;

use serde_json::json;
use sqlx::{Connection as _, PgConnection, SqliteConnection};

use super::connection::Connection;
use super::file::{BEGIN_TO_WRITE, DatabaseFile, Kind};
pub(crate) use super::file::{FileRoom, Growth};
use super::postgres::{JobNotices, PostgresDatabase};
use super::session::{Row, Session, Sql, in_time};
use crate::clock::Clock;
use crate::error::StoreError;
use crate::job::{Ending, Job, JobEvent, JobFilter, JobState, Lease, LeaseKey, NewJob, Quota, Renewed, Submitted};
use crate::place::PostgresUrl;
use crate::room::{Addition, Room};
use crate::service::PUBLISHED_FILES_BYTES_MAX;
use crate::service::{
    Delivery, DeliveryStatus, Firing, NewSchedule, NewToken, PolicyVersion, PublishedTemplates, Schedule, TokenRecord,
    Told,
};
use crate::share::{Seats, Shares};

/// The jobs: `ibjb` in ASCII.
const KIND: Kind =
    Kind { application: 0x6962_6a62, versions: "intentbox_version", migrations: MIGRATIONS, is_durable: true };

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/jobs_0001.sql"),
    include_str!("../../migrations/jobs_0002.sql"),
    include_str!("../../migrations/jobs_0003.sql"),
    include_str!("../../migrations/jobs_0004.sql"),
    include_str!("../../migrations/jobs_0005.sql"),
];

/// The columns of [`job`], in its order.
macro_rules! columns {
    () => {
        "number, id, principal, request, state, priority, created_ms, run_at_ms, expires_ms, started_ms, finished_ms, attempt, \
         attempts_max, cancel_ms, outcome, report, trouble, labels, callback_url, trace, waits, lacked_memory"
    };
}
use columns;

const BY_ID: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM jobs WHERE id = $1"));

/// Something to be written.
#[derive(Debug)]
pub(crate) enum Write {
    Submit(Box<NewJob>),
    /// All of them, which are of one principal, or none.
    SubmitAll(Vec<NewJob>),
    /// Leases, and how long they last from now on, in milliseconds.
    Renew(Vec<LeaseKey>, i64),
    MayChange(LeaseKey),
    End(LeaseKey, Ending),
    /// The id of a job.
    Cancel(String),
    /// A lease, the kind of the event, and its data.
    Event(LeaseKey, &'static str, String),
    /// How many deliveries, and how long until they are given out again, in milliseconds.
    ClaimDeliveries(u32, i64, String),
    /// The number of a job, the attempt, and how it ended.
    EndDelivery(i64, u32, Told),
    /// A schedule, and how many its principal may have.
    AddSchedule(Box<NewSchedule>, u32),
    /// A principal, and the id of its schedule.
    RemoveSchedule(String, String),
    Fire(Box<Firing>),
    /// Has a schedule be due at another time, if this is still when it is due.
    MoveSchedule {
        number: i64,
        from_ms: i64,
        to_ms: i64,
    },
    AddToken(Box<NewToken>),
    /// The id of a token.
    RevokeToken(String),
    /// A name, and a value for it if it has none.
    Setting(&'static str, String),
    KeepPolicy {
        digest: String,
        text: String,
    },
    Publish(PublishedTemplates),
}

impl Write {
    /// The jobs that it adds, unless they are there.
    fn adds(&self) -> &[NewJob] {
        match self {
            Self::Submit(new) => std::slice::from_ref(new),
            Self::SubmitAll(all) => all,
            Self::Fire(firing) => std::slice::from_ref(&firing.job),
            _ => &[],
        }
    }

    /// Whether it promises something new, which a full disk has no room for.
    pub(crate) fn begins(&self) -> bool {
        !self.adds().is_empty() || matches!(self, Self::AddSchedule(..) | Self::Publish(_))
    }

    /// Whether it ends something, or keeps what has begun: a full disk has room that is kept for it.
    pub(crate) fn ends(&self) -> bool {
        match self {
            Self::Renew(..)
            | Self::MayChange(_)
            | Self::End(..)
            | Self::Cancel(_)
            | Self::ClaimDeliveries(..)
            | Self::EndDelivery(..)
            | Self::RemoveSchedule(..)
            | Self::MoveSchedule { .. }
            | Self::RevokeToken(_)
            // A server that begins keeps these, which another may have ended on a full disk.
            | Self::Setting(..)
            | Self::KeepPolicy { .. } => true,
            Self::Submit(_)
            | Self::SubmitAll(_)
            | Self::Event(..)
            | Self::AddSchedule(..)
            | Self::Fire(_)
            | Self::AddToken(_)
            | Self::Publish(_) => false,
        }
    }

    /// How many bytes of texts it has.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Submit(new) => new.request.len(),
            Self::SubmitAll(all) => all.iter().map(|new| new.request.len()).sum(),
            Self::Fire(firing) => firing.job.request.len(),
            Self::AddSchedule(new, _) => new.request.len(),
            Self::End(_, Ending::Finished { report, .. } | Ending::Cancelled { report }) => report.len(),
            Self::Event(_, _, data) => data.len(),
            Self::KeepPolicy { text, .. } => text.len(),
            Self::Publish(published) => published.files.len(),
            _ => 0,
        }
    }
}

impl<'a> Addition<'a> {
    /// What these jobs add, which are of one principal.
    fn of(new: &'a [NewJob]) -> Self {
        let principal = new.first().map_or("", |first| first.principal.as_str());
        let bytes = new.iter().map(|new| texts::kept_apart(&new.request)).sum();
        Self { principal, jobs: new.len() as u64, bytes }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Written {
    Submitted(Submitted),
    Renewed(Vec<Renewed>),
    Flag(bool),
    Ended(Option<JobState>),
    Job(Option<Box<Job>>),
    AllSubmitted(Vec<Submitted>),
    Deliveries(Vec<Delivery>),
    Schedule(Option<Box<Schedule>>),
    Text(String),
}

/// A worker that wants jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) worker: &'a str,
    /// The digest of the policy under which it runs them; empty if none was kept.
    pub(crate) policy: &'a str,
    pub(crate) lease_ms: i64,
    pub(crate) most: u32,
    /// All its seats, where principals share them.
    pub(crate) seats: Option<u32>,
}

/// Which jobs are forgotten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgets {
    /// How long after their end, in milliseconds.
    pub(crate) after_ms: i64,
    /// Whether those of the principal with most jobs are forgotten earlier still.
    pub(crate) early: bool,
}

/// What one transaction does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch<'a> {
    pub(crate) writes: &'a [Write],
    /// Workers that want jobs.
    pub(crate) wanted: &'a [Wanted<'a>],
    /// Workers whose leases are over.
    pub(crate) gone: &'a [String],
    /// Whether what is due is done.
    pub(crate) sweeps: bool,
    /// Whether jobs that are due become ready, and expire: each of many takes some room.
    pub(crate) begins: bool,
    /// Whether leases that were not renewed in time are taken for lost then.
    pub(crate) takes_lost: bool,
    /// Which jobs are forgotten, if any are now.
    pub(crate) forgets: Option<Forgets>,
    pub(crate) growth: Growth,
}

/// What a transaction did.
#[derive(Debug, Default)]
pub(crate) struct Committed {
    pub(crate) written: Vec<Written>,
    /// The leases of the first workers, in their order.
    pub(crate) leased: Vec<Vec<Lease>>,
    /// The numbers of the jobs that changed.
    pub(crate) changed: Vec<i64>,
    /// Whether there are more jobs to forget.
    pub(crate) forgets_more: bool,
}

/// The connection to the jobs.
#[derive(Debug)]
pub(crate) struct JobDatabase(Connection);

impl JobDatabase {
    /// Opens the file to write. Each commit waits for the disk: a job that was accepted is there after a loss of power.
    pub(crate) async fn open(file: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        Ok(Self(Connection::File(Box::new(DatabaseFile::to_write(file, KIND, bytes_max).await?))))
    }

    /// Connects to the database.
    pub(crate) async fn connect(url: &PostgresUrl) -> Result<Self, StoreError> {
        Ok(Self(Connection::Postgres(Box::new(PostgresDatabase::open(url, KIND).await?))))
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }

    /// Does all of it in one transaction, or nothing.
    pub(crate) async fn commit(
        &mut self,
        batch: Batch<'_>,
        shares: &mut Shares,
        clock: &Clock,
    ) -> Result<Committed, StoreError> {
        let ended = match &mut self.0 {
            Connection::File(file) => in_file(file.usable_for(batch.growth).await?, batch, shares, clock).await,
            Connection::Postgres(database) => in_postgres(database.connection().await?, batch, shares, clock).await,
        };
        ended.map_err(|error| self.0.fault(&error))
    }

    /// What is to be written, where all of it is there already: the same requests came with the same keys before.
    pub(crate) async fn known_write(&mut self, write: &Write) -> Result<Option<Written>, StoreError> {
        let all = match write {
            Write::Submit(_) | Write::SubmitAll(_) => write.adds(),
            _ => return Ok(None),
        };
        let Some(mut known) = self.known(all).await? else { return Ok(None) };
        Ok(match write {
            Write::Submit(_) => known.pop().map(Written::Submitted),
            _ => Some(Written::AllSubmitted(known)),
        })
    }

    /// What is answered to these jobs, where all of them are there already.
    pub(crate) async fn known(&mut self, all: &[NewJob]) -> Result<Option<Vec<Submitted>>, StoreError> {
        let mut known = Vec::with_capacity(all.len());
        for new in all {
            let found = accept::known(&mut self.0.session().await?, new).await;
            match found.map_err(|error| self.0.fault(&error))? {
                Some(one) => known.push(one),
                None => return Ok(None),
            }
        }
        Ok(Some(known))
    }

    /// The room within a file; nothing where the jobs are elsewhere.
    pub(crate) async fn file_room(&mut self) -> Result<Option<FileRoom>, StoreError> {
        match &mut self.0 {
            Connection::File(file) => file.room().await.map(Some),
            Connection::Postgres(_) => Ok(None),
        }
    }

    /// Has the log of a file take no more room, as long as there is some.
    pub(crate) async fn move_log(&mut self) -> Result<(), StoreError> {
        match &mut self.0 {
            Connection::File(file) => file.move_log().await,
            Connection::Postgres(_) => Ok(()),
        }
    }

    /// Has other machines hear that these jobs have changed.
    pub(crate) async fn tell(&mut self, changed: &[i64]) {
        if let Connection::Postgres(database) = &mut self.0 {
            database.tell(changed).await;
        }
    }

    /// What other machines tell; nothing where there are none.
    pub(crate) async fn listen(&self) -> Result<Option<JobNotices>, StoreError> {
        match &self.0 {
            Connection::File(_) => Ok(None),
            Connection::Postgres(database) => database.listen().await.map(Some),
        }
    }

    /// A job with its texts.
    pub(crate) async fn job(&mut self, id: &str) -> Result<Option<Job>, StoreError> {
        let Some(mut job) = self.0.read(BY_ID, &[id.into()], job).await?.pop() else { return Ok(None) };
        self.complete(&mut job).await?;
        Ok(Some(job))
    }

    /// Reads what of a job is not in its row.
    pub(crate) async fn complete(&mut self, job: &mut Job) -> Result<(), StoreError> {
        if texts::may_lack(job) {
            for (kind, text) in self.0.read(texts::OF, &[job.number.into()], texts::kind_and_text).await? {
                texts::put(job, &kind, text);
            }
        }
        Ok(())
    }

    /// The workers that have leases.
    pub(crate) async fn workers(&mut self) -> Result<Vec<String>, StoreError> {
        const SQL: Sql = Sql::same("SELECT DISTINCT worker FROM jobs WHERE state = 'running'");
        self.0.read(SQL, &[], |row| row.text(0)).await
    }

    /// How these leases are.
    pub(crate) async fn leases(&mut self, keys: &[LeaseKey]) -> Result<Vec<(LeaseKey, Renewed)>, StoreError> {
        const SQL: Sql = Sql::same("SELECT cancel_ms FROM jobs WHERE number = $1 AND fence = $2 AND state = 'running'");
        let mut states = Vec::with_capacity(keys.len());
        for key in keys {
            let held = self.0.read(SQL, &[key.number.into(), key.fence.into()], renewed).await?;
            states.push((*key, held.first().copied().unwrap_or(Renewed::Lost)));
        }
        Ok(states)
    }

    /// The newest first.
    pub(crate) async fn list(&mut self, filter: &JobFilter, most: u32) -> Result<Vec<Job>, StoreError> {
        const SQL: Sql = Sql::same(concat!(
            "SELECT ",
            columns!(),
            " FROM jobs WHERE ($1 IS NULL OR principal = $1) AND ($2 IS NULL OR state = $2) AND \
             ($3 IS NULL OR replace(labels, $3, '') <> labels) AND ($4 IS NULL OR number < $4) ORDER BY number DESC LIMIT $5"
        ));
        let label = filter.label.as_ref().map(|(name, value)| format!("\n{name}={value}\n"));
        let values = [
            filter.principal.as_deref().into(),
            filter.state.map(JobState::as_str).into(),
            label.as_deref().into(),
            filter.before.into(),
            most.into(),
        ];
        self.0.read(SQL, &values, job).await
    }

    /// Events of a job after this one.
    pub(crate) async fn events(&mut self, number: i64, after: i64, most: u32) -> Result<Vec<JobEvent>, StoreError> {
        const SQL: Sql = Sql::same(
            "SELECT number, at_ms, kind, data FROM job_events WHERE job = $1 AND number > $2 ORDER BY number LIMIT $3",
        );
        let event = |row: &Row| {
            Ok(JobEvent { number: row.number(0)?, at_ms: row.number(1)?, kind: row.text(2)?, data: row.text(3)? })
        };
        self.0.read(SQL, &[number.into(), after.into(), most.into()], event).await
    }

    /// The number of the last event of all jobs.
    pub(crate) async fn last_event(&mut self) -> Result<i64, StoreError> {
        const SQL: Sql = Sql::same("SELECT coalesce(max(number), 0) FROM job_events");
        let last = self.0.read(SQL, &[], |row: &Row| row.number(0)).await?;
        Ok(last.first().copied().unwrap_or_default())
    }

    /// The jobs that something happened to after one event, up to another.
    pub(crate) async fn changed(&mut self, after: i64, last: i64, most: u32) -> Result<Vec<i64>, StoreError> {
        const SQL: Sql = Sql::same("SELECT DISTINCT job FROM job_events WHERE number > $1 AND number <= $2 LIMIT $3");
        self.0.read(SQL, &[after.into(), last.into(), most.into()], |row: &Row| row.number(0)).await
    }

    /// Whether other processes tell what they change. Those that share a file do not.
    pub(crate) fn hears_others(&self) -> bool {
        matches!(self.0, Connection::Postgres(_))
    }

    /// How telling the end of a job is going, if it is told to anybody.
    pub(crate) async fn delivery(&mut self, number: i64) -> Result<Option<DeliveryStatus>, StoreError> {
        Ok(self.0.read(service::DELIVERY, &[number.into()], service::delivery_status).await?.pop())
    }

    /// The schedules of a principal, the oldest first.
    pub(crate) async fn schedules(&mut self, principal: &str, most: u32) -> Result<Vec<Schedule>, StoreError> {
        self.0.read(service::SCHEDULES_OF, &[principal.into(), most.into()], service::schedule).await
    }

    /// The schedules that are due.
    pub(crate) async fn schedules_due(&mut self, now_ms: i64, most: u32) -> Result<Vec<Schedule>, StoreError> {
        self.0.read(service::SCHEDULES_DUE, &[now_ms.into(), most.into()], service::schedule).await
    }

    /// The schedules with a greater number than this one, in the order of their numbers.
    pub(crate) async fn schedules_after(&mut self, number: i64, most: u32) -> Result<Vec<Schedule>, StoreError> {
        self.0.read(service::SCHEDULES_AFTER, &[number.into(), most.into()], service::schedule).await
    }

    /// All tokens, also those that are no longer accepted.
    pub(crate) async fn tokens(&mut self) -> Result<Vec<TokenRecord>, StoreError> {
        self.0.read(service::TOKENS, &[], service::token).await
    }

    /// The policies under which jobs ran, the newest first.
    pub(crate) async fn policies(&mut self) -> Result<Vec<PolicyVersion>, StoreError> {
        self.0.read(service::POLICIES, &[], service::policy).await
    }

    /// The templates that were published last, unless they are the ones with this digest.
    pub(crate) async fn published(&mut self, known: &str) -> Result<Option<PublishedTemplates>, StoreError> {
        let last = self.0.read(service::LAST_PUBLISHED, &[], |row| row.text(0)).await?.pop();
        let Some(last) = last.filter(|last| last != known) else { return Ok(None) };
        Ok(self
            .0
            .read(service::PUBLISHED, &[(&last).into(), PUBLISHED_FILES_BYTES_MAX.into()], service::published)
            .await?
            .pop())
    }

    /// The time that all machines go by.
    pub(crate) async fn now_unix_ms(&mut self, clock: &Clock) -> Result<i64, StoreError> {
        match (&self.0, clock.of_test()) {
            (Connection::File(_), _) => return Ok(clock.now_unix_ms()),
            (Connection::Postgres(_), Some(now_ms)) => return Ok(now_ms),
            (Connection::Postgres(_), None) => {}
        }
        let now = self.0.session().await?.now_unix_ms().await;
        now.map_err(|error| self.0.fault(&error))
    }

    /// How many jobs are in each state. It reads an entry of an index for each job.
    pub(crate) async fn counts(&mut self) -> Result<Vec<(JobState, u64)>, StoreError> {
        const SQL: Sql = Sql::same(
            "SELECT CAST('ready' AS TEXT), COUNT(*) FROM jobs WHERE state = 'ready' UNION ALL \
             SELECT CAST('scheduled' AS TEXT), COUNT(*) FROM jobs WHERE state = 'scheduled' UNION ALL \
             SELECT CAST('running' AS TEXT), COUNT(*) FROM jobs WHERE state = 'running' UNION ALL \
             SELECT state, COUNT(*) FROM jobs WHERE finished_ms IS NOT NULL GROUP BY state",
        );
        let rows = self.0.read(SQL, &[], |row| Ok((row.text(0)?, row.number(1)?))).await?;
        let count = |(state, count): (String, i64)| Some((JobState::of(&state)?, u64::try_from(count).ok()?));
        Ok(rows.into_iter().filter_map(count).filter(|(_, count)| *count > 0).collect())
    }
}

async fn in_file(
    connection: &mut SqliteConnection,
    batch: Batch<'_>,
    shares: &mut Shares,
    clock: &Clock,
) -> Result<Committed, sqlx::Error> {
    let mut transaction = connection.begin_with(BEGIN_TO_WRITE).await?;
    let done =
        commit(&mut Session::Sqlite(&mut transaction), batch, shares, clock.now_unix_ms(), clock.steady_ms()).await?;
    transaction.commit().await?;
    Ok(done)
}

async fn in_postgres(
    connection: &mut PgConnection,
    batch: Batch<'_>,
    shares: &mut Shares,
    clock: &Clock,
) -> Result<Committed, sqlx::Error> {
    let mut transaction = in_time(connection.begin()).await?;
    let mut session = Session::Postgres(&mut transaction);
    // All machines go by the clock of the database.
    let now_ms = match clock.of_test() {
        Some(now_ms) => now_ms,
        None => session.now_unix_ms().await?,
    };
    let done = commit(&mut session, batch, shares, now_ms, clock.steady_ms()).await?;
    in_time(transaction.commit()).await?;
    Ok(done)
}

/// Does what a batch says, in the transaction that has begun.
async fn commit(
    session: &mut Session<'_>,
    batch: Batch<'_>,
    shares: &mut Shares,
    now_ms: i64,
    steady_ms: i64,
) -> Result<Committed, sqlx::Error> {
    let mut committed = Committed::default();
    let was_set = shares.pace.look(now_ms, steady_ms);
    let has_settled = shares.pace.has_settled(steady_ms);
    if was_set {
        committed.changed.extend(sweep::recall(session, now_ms).await?);
    }
    for one in batch.writes {
        let full = match one.adds().first() {
            Some(first) => full(session, &mut shares.room, Addition::of(one.adds()), first, now_ms).await?,
            None => None,
        };
        let written = write(session, one, full, &mut shares.room, now_ms, &mut committed.changed).await?;
        committed.written.push(written);
    }
    sweep::give_up(session, batch.gone).await?;
    if batch.sweeps {
        committed.changed.extend(sweep::sweep(session, batch.begins, batch.takes_lost && has_settled, now_ms).await?);
        for (whose, excess) in shares.room.over() {
            let removed = texts::remove_oldest(session, whose.as_deref(), excess).await?;
            shares.room.remove(&removed);
        }
    }
    // What a clock makes old that is set right again is not.
    if let Some(Forgets { after_ms, early }) = batch.forgets.filter(|_| has_settled) {
        committed.forgets_more = sweep::forget(session, now_ms - after_ms).await?;
        if early && !committed.forgets_more {
            committed.forgets_more = sweep::forget_of_largest(session).await?;
        }
        // Other processes add something too. Counting takes a while: it is done once at the end.
        if !committed.forgets_more {
            shares.room.forget();
            if shares.room.bounds_bytes() {
                shares.room.count_bytes(texts::kept(session).await?, now_ms);
            }
        }
    }
    if batch.wanted.is_empty() {
        return Ok(committed);
    }
    let mut owners = lease::owners(session).await?;
    for wanted in batch.wanted {
        let mut leases = Vec::new();
        let seats = match wanted.seats {
            Some(seats) => Some(Seats::of(seats.into(), lease::held(session, wanted.worker).await?)),
            None => None,
        };
        for (owner, most) in shares.turns.shares(&mut owners, wanted.most, seats) {
            leases.extend(lease::claim(session, Wanted { most, ..*wanted }, &owner, now_ms).await?);
        }
        if leases.is_empty() {
            break;
        }
        committed.changed.extend(leases.iter().map(|lease| lease.job.number));
        for lease in &leases {
            shares.room.begin(&lease.job.principal);
        }
        committed.leased.push(leases);
    }
    Ok(committed)
}

/// The quota that leaves no room for an addition, once what ended long ago was removed for it. `first` is the first of its jobs.
async fn full(
    session: &mut Session<'_>,
    room: &mut Room,
    addition: Addition<'_>,
    first: &NewJob,
    now_ms: i64,
) -> Result<Option<Quota>, sqlx::Error> {
    if room.wants_waiting(addition, now_ms) {
        room.count_waiting(sweep::waiting(session).await?, now_ms);
    }
    if room.wants_bytes(addition, now_ms) {
        room.count_bytes(texts::kept(session).await?, now_ms);
    }
    let Some(lack) = room.lacks(addition) else { return Ok(None) };
    // A request that came before adds nothing, and must not remove anything either.
    if accept::known(session, first).await?.is_some() {
        return Ok(None);
    }
    let whose = lack.is_own.then_some(addition.principal);
    let may_remove = matches!(lack.quota, Quota::LongBytes(_)) && !lack.is_never;
    // Nothing is removed for a job that is refused then.
    if may_remove && texts::removable(session, whose).await? >= lack.missing {
        let removed = texts::remove_oldest(session, whose, lack.missing).await?;
        room.remove(&removed);
    }
    Ok(room.lacks(addition).map(|lack| lack.quota))
}

/// Writes one thing, and adds the jobs that it changed. `full` is the quota that leaves no room for a new job.
async fn write(
    session: &mut Session<'_>,
    write: &Write,
    full: Option<Quota>,
    room: &mut Room,
    now_ms: i64,
    changed: &mut Vec<i64>,
) -> Result<Written, sqlx::Error> {
    Ok(match write {
        Write::Submit(new) => {
            let submitted = accept::submit(session, new, full, now_ms).await?;
            if let Submitted::New(job) = &submitted {
                room.add(Addition::of(std::slice::from_ref(new)));
                changed.push(job.number);
            }
            Written::Submitted(submitted)
        }
        Write::Renew(keys, lease_ms) => {
            let mut renewed = Vec::with_capacity(keys.len());
            for key in keys {
                renewed.push(lease::renew(session, *key, *lease_ms, now_ms).await?);
            }
            Written::Renewed(renewed)
        }
        Write::MayChange(key) => Written::Flag(lease::may_change(session, *key).await?),
        Write::End(key, ending) => {
            changed.push(key.number);
            let ended = lease::end(session, *key, ending, now_ms).await?;
            if let (Some((_, principal)), Ending::Finished { report, .. } | Ending::Cancelled { report }) =
                (&ended, ending)
            {
                room.add_bytes(principal, texts::kept_apart(report));
            }
            Written::Ended(ended.map(|(state, _)| state))
        }
        Write::Cancel(id) => {
            let job = accept::cancel(session, id, now_ms).await?;
            changed.extend(job.as_ref().map(|job| job.number));
            Written::Job(job.map(Box::new))
        }
        Write::Event(key, kind, data) => {
            changed.push(key.number);
            let whose = lease::add_event(session, *key, kind, data, now_ms).await?;
            if let Some(principal) = &whose {
                room.add_bytes(principal, texts::kept_apart(data));
            }
            Written::Flag(whose.is_some())
        }
        Write::SubmitAll(all) => {
            if let Some(submitted) = accept::known_batch(session, all).await? {
                return Ok(Written::AllSubmitted(submitted));
            }
            let mut submitted = Vec::with_capacity(all.len());
            for new in all {
                let one = accept::submit(session, new, full, now_ms).await?;
                if let Submitted::New(job) = &one {
                    room.add(Addition::of(std::slice::from_ref(new)));
                    changed.push(job.number);
                }
                submitted.push(one);
            }
            Written::AllSubmitted(submitted)
        }
        Write::ClaimDeliveries(most, lease_ms, except) => {
            Written::Deliveries(service::claim_deliveries(session, *most, *lease_ms, except, now_ms).await?)
        }
        Write::EndDelivery(number, attempt, told) => {
            Written::Flag(service::end_delivery(session, *number, *attempt, told, now_ms).await?)
        }
        Write::AddSchedule(new, most) => {
            Written::Schedule(service::add_schedule(session, new, *most, now_ms).await?.map(Box::new))
        }
        Write::RemoveSchedule(principal, id) => Written::Flag(service::remove_schedule(session, principal, id).await?),
        Write::MoveSchedule { number, from_ms, to_ms } => {
            Written::Flag(service::move_schedule(session, *number, *from_ms, *to_ms).await?)
        }
        Write::Fire(firing) => {
            let before = changed.len();
            let is_fired = service::fire(session, firing, full, now_ms, changed).await?;
            if changed.len() > before {
                room.add(Addition::of(std::slice::from_ref(&firing.job)));
            }
            Written::Flag(is_fired)
        }
        Write::AddToken(new) => Written::Flag(service::add_token(session, new, now_ms).await?),
        Write::RevokeToken(id) => Written::Flag(service::revoke_token(session, id, now_ms).await?),
        Write::KeepPolicy { digest, text } => {
            service::keep_policy(session, digest, text, now_ms).await?;
            Written::Flag(true)
        }
        Write::Publish(published) => {
            service::publish(session, published, now_ms).await?;
            Written::Flag(true)
        }
        Write::Setting(name, value) => Written::Text(service::setting(session, name, value).await?),
    })
}

fn job(row: &Row) -> Result<Job, sqlx::Error> {
    let (state, labels) = (row.text(4)?, row.text(17)?);
    let unknown = || sqlx::Error::Decode(format!("there is no state `{state}`").into());
    Ok(Job {
        number: row.number(0)?,
        id: row.text(1)?,
        principal: row.text(2)?,
        request: row.text(3)?,
        state: JobState::of(&state).ok_or_else(unknown)?,
        priority: row.number(5)?,
        created_ms: row.number(6)?,
        run_at_ms: row.number(7)?,
        expires_ms: row.number_or_null(8)?,
        started_ms: row.number_or_null(9)?,
        finished_ms: row.number_or_null(10)?,
        attempt: u32::try_from(row.number(11)?).unwrap_or(u32::MAX),
        attempts_max: u32::try_from(row.number(12)?).unwrap_or(u32::MAX),
        is_cancelled: row.number_or_null(13)?.is_some(),
        outcome: row.text(14)?,
        report: row.text(15)?,
        trouble: row.text(16)?,
        labels: labels
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        callback_url: row.text(18)?,
        trace: row.text(19)?,
        waits: u32::try_from(row.number(20)?).unwrap_or(u32::MAX),
        lacked_memory: row.flag(21)?,
    })
}

async fn by_id(session: &mut Session<'_>, id: &str) -> Result<Option<Job>, sqlx::Error> {
    session.row(BY_ID, &[id.into()]).await?.as_ref().map(job).transpose()
}

/// Adds the event that ends a job, and has it told where somebody wants to hear of it.
async fn note_end(
    session: &mut Session<'_>,
    number: i64,
    now_ms: i64,
    state: &str,
    data: &str,
    callback_url: &str,
) -> Result<(), sqlx::Error> {
    note(session, number, now_ms, state, data).await?;
    if service::is_end(state) {
        texts::end(session, number, now_ms).await?;
        if !callback_url.is_empty() {
            service::begin_delivery(session, number, now_ms).await?;
        }
    }
    Ok(())
}

/// Adds an event. Who does so holds the lock of the job's row, so that the numbers of its events become visible in their order.
async fn note(session: &mut Session<'_>, number: i64, now_ms: i64, kind: &str, data: &str) -> Result<(), sqlx::Error> {
    const SQL: Sql = Sql::same("INSERT INTO job_events (job, at_ms, kind, data) VALUES ($1, $2, $3, $4)");
    session.change(SQL, &[number.into(), now_ms.into(), kind.into(), data.into()]).await?;
    Ok(())
}

/// What the row of a lease means: it has the time at which somebody cancelled its job.
fn renewed(row: &Row) -> Result<Renewed, sqlx::Error> {
    Ok(if row.number_or_null(0)?.is_some() { Renewed::Cancelled } else { Renewed::Held })
}

/// A line as the data of an event: only what is printable stays.
fn trouble_data(trouble: &str) -> String {
    let plain: String = trouble.chars().filter(|letter| !letter.is_control()).collect();
    json!({ "trouble": plain }).to_string()
}
