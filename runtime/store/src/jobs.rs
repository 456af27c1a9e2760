//! Durable jobs: accepted once, leased to workers, and ended once.
//!
//! One task owns the connection that writes. It takes everything that waits and commits it together, so that one wait for the disk
//! serves many callers, and a caller is answered only after the commit. Workers that ask for jobs wait there too: a job
//! that is accepted while one waits is leased in the same transaction.
//!
//! A lease has a fence, a number that grows with each lease of a job. What is written under an older fence is not taken, so that a
//! worker that was thought lost cannot overwrite what another did after it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Mutex, broadcast, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::clock::{Clock, DAY_MS};
use crate::database::JobDatabase;
use crate::database::jobs::{Committed, Look, Wanted, Write, Written};
use crate::error::StoreError;
use crate::folder::StateFolder;
use crate::job::{Ending, Job, JobEvent, JobFilter, JobState, Lease, LeaseKey, NewJob, Renewed, Submitted};

/// The name of the file in the state folder.
const FILE: &str = "jobs.db";

/// How many operations wait for the writer. Further callers wait for a place.
const WAITING_MAX: usize = 4_096;

/// How many operations are committed together.
const BATCH_MAX: usize = 256;

/// How often the writer looks for what is due, and for jobs that another process accepted.
const LOOK_PAUSE: Duration = Duration::from_millis(250);

/// How often jobs that ended long ago are forgotten, in milliseconds.
const FORGET_PAUSE_MS: u64 = 60_000;

/// How many changes a listener may lag behind before it has to look itself.
const CHANGES_MAX: usize = 4_096;

/// How long one waits for other processes that open the same file, besides the wait of each statement.
const OPEN_WAIT_MAX: Duration = Duration::from_secs(5);

/// The pause between two attempts to open.
const OPEN_PAUSE: Duration = Duration::from_millis(20);

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobQuotas {
    /// How many jobs wait in all.
    pub waiting_max: u64,
    /// How many jobs of one principal wait.
    pub waiting_of_principal_max: u64,
    /// For how many days a job is kept after its end.
    pub days_max: u32,
    /// The most bytes of the file.
    pub file_bytes_max: u64,
}

impl Default for JobQuotas {
    fn default() -> Self {
        Self { waiting_max: 1_000_000, waiting_of_principal_max: 200_000, days_max: 7, file_bytes_max: 16 << 30 }
    }
}

/// Whether the process of a worker is known to have gone: its leases are over at once, and not only with their time. A worker of which
/// nothing is known, such as one on another machine, has not gone.
pub type IsGone = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The open file of jobs. Clones share it.
#[derive(Debug, Clone)]
pub struct JobStore {
    operations: Sender<Operation>,
    /// The connection that reads.
    reader: Arc<Mutex<JobDatabase>>,
    changes: broadcast::Sender<i64>,
    clock: Clock,
}

/// What the writer is asked for.
#[derive(Debug)]
enum Operation {
    Write(Write, ReplyTo),
    Claim(Claim),
    Close(oneshot::Sender<()>),
}

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// Where the answer to a write goes.
#[derive(Debug)]
enum ReplyTo {
    Submitted(Reply<Submitted>),
    Renewed(Reply<Vec<Renewed>>),
    Flag(Reply<bool>),
    Ended(Reply<Option<JobState>>),
    Job(Reply<Option<Box<Job>>>),
}

/// A worker that waits for jobs.
#[derive(Debug)]
struct Claim {
    worker: String,
    lease_ms: i64,
    most: u32,
    reply: Reply<Vec<Lease>>,
}

impl ReplyTo {
    /// Answers. Who no longer waits is not answered.
    fn send(self, written: Result<Written, StoreError>) {
        match (self, written) {
            (Self::Submitted(reply), Ok(Written::Submitted(submitted))) => drop(reply.send(Ok(submitted))),
            (Self::Renewed(reply), Ok(Written::Renewed(renewed))) => drop(reply.send(Ok(renewed))),
            (Self::Flag(reply), Ok(Written::Flag(flag))) => drop(reply.send(Ok(flag))),
            (Self::Ended(reply), Ok(Written::Ended(state))) => drop(reply.send(Ok(state))),
            (Self::Job(reply), Ok(Written::Job(job))) => drop(reply.send(Ok(job))),
            (Self::Submitted(reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Renewed(reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Flag(reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Ended(reply), Err(error)) => drop(reply.send(Err(error))),
            (Self::Job(reply), Err(error)) => drop(reply.send(Err(error))),
            // A write is answered with what is written for it.
            (_, Ok(_)) => {}
        }
    }
}

impl JobStore {
    /// Opens the file in the state folder, and makes both where they are not there. Any number of processes may have it open.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, or the file is not one that this version can write. It is left unchanged.
    ///
    /// # Panics
    ///
    /// Outside a runtime of tokio.
    pub async fn open(folder: &Path, clock: Clock, quotas: JobQuotas, is_gone: IsGone) -> Result<Self, StoreError> {
        let folder = StateFolder::of_file(folder, FILE)?;
        folder.create()?;
        let (writer, reader) = (open(&folder, &quotas).await?, open(&folder, &quotas).await?);
        let (operations, waiting) = mpsc::channel(WAITING_MAX);
        let (changes, _) = broadcast::channel(CHANGES_MAX);
        let task = Writer {
            database: writer,
            clock: clock.clone(),
            quotas,
            changes: changes.clone(),
            claims: Vec::new(),
            forgotten_ms: None,
            is_gone,
        };
        tokio::spawn(task.run(waiting));
        Ok(Self { operations, reader: Arc::new(Mutex::new(reader)), changes, clock })
    }

    /// The time in milliseconds after 1970, UTC.
    #[must_use]
    pub fn now_unix_ms(&self) -> i64 {
        self.clock.now_unix_ms()
    }

    /// Accepts a job. When this returns, it survives the end of the process and a loss of power.
    ///
    /// # Errors
    ///
    /// The file cannot be written: the job was not accepted.
    pub async fn submit(&self, new: NewJob) -> Result<Submitted, StoreError> {
        self.ask(|reply| Operation::Write(Write::Submit(Box::new(new)), ReplyTo::Submitted(reply))).await
    }

    /// Leases at most so many jobs to a worker, and waits until there is one. Dropping the future takes the question back.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn claim(&self, worker: &str, lease: Duration, most: u32) -> Result<Vec<Lease>, StoreError> {
        let (worker, lease_ms) = (worker.to_owned(), millis(lease));
        self.ask(|reply| Operation::Claim(Claim { worker, lease_ms, most, reply })).await
    }

    /// Makes leases last so long from now on.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn renew(&self, keys: Vec<LeaseKey>, lease: Duration) -> Result<Vec<Renewed>, StoreError> {
        self.ask(|reply| Operation::Write(Write::Renew(keys, millis(lease)), ReplyTo::Renewed(reply))).await
    }

    /// Notes that an attempt may change something outside from now on: if its worker is lost, nobody knows how far it came, and it
    /// is not attempted again. Returns whether the lease holds; without it nothing may be changed.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn may_change(&self, key: LeaseKey) -> Result<bool, StoreError> {
        self.ask(|reply| Operation::Write(Write::MayChange(key), ReplyTo::Flag(reply))).await
    }

    /// Ends an attempt. Returns the job's state, or nothing if the lease is over: then nothing was written.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn end(&self, key: LeaseKey, ending: Ending) -> Result<Option<JobState>, StoreError> {
        self.ask(|reply| Operation::Write(Write::End(key, ending), ReplyTo::Ended(reply))).await
    }

    /// Cancels a job, and gives it as it is then: one that runs ends when its worker hears of it, and one that has ended stays as
    /// it is.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn cancel(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let id = id.to_owned();
        let job = self.ask(|reply| Operation::Write(Write::Cancel(id), ReplyTo::Job(reply))).await?;
        Ok(job.map(|job| *job))
    }

    /// Adds an event to a running job. `data` is JSON. Returns whether the lease holds.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn add_event(&self, key: LeaseKey, kind: &'static str, data: String) -> Result<bool, StoreError> {
        self.ask(|reply| Operation::Write(Write::Event(key, kind, data), ReplyTo::Flag(reply))).await
    }

    /// How these leases are, without renewing them.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn leases(&self, keys: &[LeaseKey]) -> Result<Vec<(LeaseKey, Renewed)>, StoreError> {
        self.reader.lock().await.leases(keys).await
    }

    /// One job.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        self.reader.lock().await.job(id).await
    }

    /// The newest jobs first.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn list(&self, filter: &JobFilter, most: u32) -> Result<Vec<Job>, StoreError> {
        self.reader.lock().await.list(filter, most).await
    }

    /// What happened to a job after an event, in order.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn events(&self, number: i64, after: i64, most: u32) -> Result<Vec<JobEvent>, StoreError> {
        self.reader.lock().await.events(number, after, most).await
    }

    /// How many jobs are in each state.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn counts(&self) -> Result<Vec<(JobState, u64)>, StoreError> {
        self.reader.lock().await.counts().await
    }

    /// The numbers of jobs as they change in this process. A change that another process made is not among them.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<i64> {
        self.changes.subscribe()
    }

    /// Waits until what was asked before is written, and ends the writer.
    pub async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.operations.send(Operation::Close(reply)).await.is_ok() {
            let _ = closed.await;
        }
    }

    async fn ask<T>(&self, operation: impl FnOnce(Reply<T>) -> Operation) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.operations.send(operation(reply)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

fn closed() -> StoreError {
    StoreError::Failed { file: FILE.into(), detail: "it was closed".to_owned() }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}

async fn open(folder: &StateFolder, quotas: &JobQuotas) -> Result<JobDatabase, StoreError> {
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    loop {
        match JobDatabase::open(folder.file(), quotas.file_bytes_max).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            ended => return ended,
        }
    }
}

/// The task that writes.
struct Writer {
    database: JobDatabase,
    clock: Clock,
    quotas: JobQuotas,
    changes: broadcast::Sender<i64>,
    /// Workers that wait for a job, the one that waits longest first.
    claims: Vec<Claim>,
    /// When old jobs were last forgotten.
    forgotten_ms: Option<i64>,
    is_gone: IsGone,
}

impl Writer {
    async fn run(mut self, mut waiting: Receiver<Operation>) {
        let mut look_at = Instant::now();
        loop {
            let mut next = tokio::select! {
                first = waiting.recv() => match first {
                    Some(first) => Some(first),
                    None => break,
                },
                () = sleep_until(look_at) => None,
            };
            let sweeps = Instant::now() >= look_at;
            let (mut writes, mut replies, mut closing) = (Vec::new(), Vec::new(), None);
            while let Some(operation) = next {
                match operation {
                    Operation::Write(write, reply) => {
                        writes.push(write);
                        replies.push(reply);
                    }
                    Operation::Claim(claim) => self.claims.push(claim),
                    Operation::Close(reply) => closing = Some(reply),
                }
                next = if writes.len() < BATCH_MAX { waiting.try_recv().ok() } else { None };
            }
            // Who no longer waits is leased nothing.
            self.claims.retain(|claim| !claim.reply.is_closed());
            self.commit(writes, replies, sweeps).await;
            if sweeps {
                look_at = Instant::now() + LOOK_PAUSE;
            }
            if let Some(closing) = closing {
                self.database.close().await;
                let _ = closing.send(());
                return;
            }
        }
        self.database.close().await;
    }

    /// Does all of it in one transaction; if that fails, each in one of its own, so that what fails fails alone.
    async fn commit(&mut self, writes: Vec<Write>, replies: Vec<ReplyTo>, sweeps: bool) {
        match self.try_commit(&writes, sweeps).await {
            Ok(written) => replies.into_iter().zip(written).for_each(|(reply, written)| reply.send(Ok(written))),
            Err(error) => match <[ReplyTo; 1]>::try_from(replies) {
                Ok([reply]) => reply.send(Err(error)),
                Err(replies) => {
                    for (write, reply) in writes.into_iter().zip(replies) {
                        let written = self.try_commit(&[write], false).await;
                        reply.send(written.and_then(|written| written.into_iter().next().ok_or_else(closed)));
                    }
                }
            },
        }
    }

    /// The workers with leases that are known to have gone.
    async fn gone(&mut self) -> Result<Vec<String>, StoreError> {
        let mut workers = self.database.workers().await?;
        workers.retain(|worker| (self.is_gone)(worker));
        Ok(workers)
    }

    async fn try_commit(&mut self, writes: &[Write], sweeps: bool) -> Result<Vec<Written>, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        let is_due = sweeps && self.forgotten_ms.is_none_or(|last| now_ms.abs_diff(last) > FORGET_PAUSE_MS);
        let forgets_before_ms = is_due.then(|| now_ms - i64::from(self.quotas.days_max) * DAY_MS);
        let gone = if sweeps { self.gone().await? } else { Vec::new() };
        let wanted: Vec<Wanted<'_>> = self
            .claims
            .iter()
            .map(|claim| Wanted { worker: &claim.worker, lease_ms: claim.lease_ms, most: claim.most })
            .collect();
        let look = Look { sweeps, forgets_before_ms, gone: &gone };
        let Committed { written, leased, changed } =
            self.database.commit(writes, &wanted, look, &self.quotas, now_ms).await?;
        if is_due {
            self.forgotten_ms = Some(now_ms);
        }
        for leases in leased {
            // A worker that has gone meanwhile loses its leases with their time.
            let _ = self.claims.remove(0).reply.send(Ok(leases));
        }
        for number in changed {
            // Nobody may be listening.
            let _ = self.changes.send(number);
        }
        Ok(written)
    }
}
