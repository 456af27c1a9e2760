//! Durable jobs: accepted once, leased to workers, and ended once.
//!
//! They are in a file of the state folder, which the servers of one machine share, or in a database of `PostgreSQL`, which those of
//! several do. One task owns the connection that writes. It takes everything that waits and commits it together, so that one wait for the disk
//! serves many callers, and a caller is answered only after the commit. Workers that ask for jobs wait there too: a job
//! that is accepted while one waits is leased in the same transaction.
//!
//! A lease has a fence, a number that grows with each lease of a job. What is written under an older fence is not taken, so that a
//! worker that was thought lost cannot overwrite what another did after it.

use std::collections::VecDeque;
use std::future::ready;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender, WeakSender};
use tokio::sync::{Mutex, broadcast, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::clock::Clock;
use crate::database::jobs::{Batch, Committed, Wanted, Write, Written};
use crate::database::{JobDatabase, JobNotices};
use crate::error::StoreError;
use crate::folder::StateFolder;
use crate::job::{Ending, Job, JobEvent, JobFilter, JobState, Lease, LeaseKey, NewJob, Renewed, Submitted};
use crate::place::Place;
use crate::service::{
    Delivery, DeliveryStatus, Firing, NewSchedule, NewToken, PolicyVersion, PublishedTemplates, Schedule, TokenRecord,
    Told,
};
use crate::share::Shares;

/// The name of the file in the state folder.
pub(crate) const FILE: &str = "jobs.db";

/// How many operations wait for the writer. Further callers wait for a place.
const WAITING_MAX: usize = 4_096;

/// How many operations are committed together.
const BATCH_MAX: usize = 256;

/// The longest texts that are committed together with others, in bytes. Longer ones are committed one at a time, each after all
/// shorter ones that wait: a client with requests of megabytes delays others by one of them.
const SHORT_BYTES_MAX: usize = 64 << 10;

/// How often the writer looks for what is due, and for jobs that another process accepted.
const LOOK_PAUSE: Duration = Duration::from_millis(250);

/// After how long without a commit the database counts as having been silent, and how long no lease is taken for lost then: those who
/// have one could not renew it, and do so first.
const SILENT: Duration = Duration::from_secs(5);
const SPARED: Duration = Duration::from_secs(15);

/// How often jobs that ended long ago are forgotten, in milliseconds.
const FORGET_PAUSE_MS: u64 = 60_000;

/// The pause before one listens again to other machines, when the connection was lost.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);

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
    /// How many bytes of long requests and reports are kept in all. Those of jobs that ended longest ago are removed before a job is
    /// refused.
    pub long_bytes_max: u64,
    /// How many bytes of long requests and reports of one principal are kept.
    pub long_bytes_of_principal_max: u64,
    /// For how many days a job is kept after its end.
    pub days_max: u32,
    /// The most bytes of the file.
    pub file_bytes_max: u64,
}

impl Default for JobQuotas {
    fn default() -> Self {
        Self {
            waiting_max: 1_000_000,
            waiting_of_principal_max: 200_000,
            long_bytes_max: u64::MAX,
            long_bytes_of_principal_max: u64::MAX,
            days_max: 7,
            file_bytes_max: 16 << 30,
        }
    }
}

/// Whether the process of a worker is known to have gone: its leases are over at once, and not only with their time. A worker of which
/// nothing is known, such as one on another machine, has not gone.
pub type IsGone = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The open file of jobs. Clones share it.
#[derive(Debug, Clone)]
pub struct JobStore {
    operations: Sender<Operation>,
    /// The connection that reads what is found at once, and the one that reads lists and counts, which may take long.
    reader: Arc<Mutex<JobDatabase>>,
    lister: Arc<Mutex<JobDatabase>>,
    changes: broadcast::Sender<i64>,
    clock: Clock,
    committed_at: Moment,
}

/// When something happened last.
type Moment = Arc<std::sync::Mutex<Instant>>;

/// What the writer is asked for.
#[derive(Debug)]
enum Operation {
    Write(Write, Reply<Written>),
    Claim(Claim),
    /// Another machine accepted jobs, perhaps.
    Look,
    Close(oneshot::Sender<()>),
}

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// A worker that waits for jobs.
#[derive(Debug)]
struct Claim {
    worker: String,
    lease_ms: i64,
    most: u32,
    seats: Option<u32>,
    reply: Reply<Vec<Lease>>,
}

/// What a write gave, which is of the kind that belongs to it.
macro_rules! given {
    ($written:expr, $kind:path) => {
        match $written {
            $kind(given) => Ok(given),
            _ => Err(closed()),
        }
    };
}

impl JobStore {
    /// Opens the jobs, and makes the folder and the tables where they are not there. Any number of processes may have them open.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, the file or the database is not one that this version can write, or the database cannot be reached.
    /// Nothing was changed.
    ///
    /// # Panics
    ///
    /// Outside a runtime of tokio.
    pub async fn open(place: &Place, clock: Clock, quotas: JobQuotas, is_gone: IsGone) -> Result<Self, StoreError> {
        let writer = open(place, &quotas).await?;
        let (reader, lister) = (open(place, &quotas).await?, open(place, &quotas).await?);
        let is_shared = matches!(place, Place::Postgres(_));
        let (operations, waiting) = mpsc::channel(WAITING_MAX);
        let (changes, _) = broadcast::channel(CHANGES_MAX);
        let committed_at = Moment::new(std::sync::Mutex::new(Instant::now()));
        let mut listening = JoinSet::new();
        if let Some(notices) = writer.listen().await? {
            listening.spawn(listen(notices, operations.downgrade(), changes.clone()));
        }
        let task = Writer {
            database: writer,
            clock: clock.clone(),
            days_max: quotas.days_max,
            changes: changes.clone(),
            claims: Vec::new(),
            shares: Shares::new(quotas),
            policy: String::new(),
            forgotten_ms: None,
            heard: None,
            is_gone,
            committed_at: Arc::clone(&committed_at),
            // Whoever comes first after a database was away does not know of it.
            spared_until: Instant::now() + if is_shared { SPARED } else { Duration::ZERO },
            _listening: listening,
        };
        tokio::spawn(task.run(waiting));
        let (reader, lister) = (Arc::new(Mutex::new(reader)), Arc::new(Mutex::new(lister)));
        Ok(Self { operations, reader, lister, changes, clock, committed_at })
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
        given!(self.write(Write::Submit(Box::new(new))).await?, Written::Submitted)
    }

    /// Leases at most so many jobs to a worker, and waits until there is one. Dropping the future takes the question back.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn claim(&self, worker: &str, lease: Duration, most: u32) -> Result<Vec<Lease>, StoreError> {
        self.claim_of(worker, lease, most, None).await
    }

    /// The same for a worker whose seats principals share: none takes one that would leave fewer free than it holds. `seats` is how
    /// many it has, those of jobs that run among them.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn claim_fairly(
        &self,
        worker: &str,
        lease: Duration,
        most: u32,
        seats: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        self.claim_of(worker, lease, most, Some(seats)).await
    }

    async fn claim_of(
        &self,
        worker: &str,
        lease: Duration,
        most: u32,
        seats: Option<u32>,
    ) -> Result<Vec<Lease>, StoreError> {
        let (worker, lease_ms) = (worker.to_owned(), millis(lease));
        let mut leases = self.ask(|reply| Operation::Claim(Claim { worker, lease_ms, most, seats, reply })).await?;
        for lease in &mut leases {
            // Not while others wait for the writer: the lease keeps it as it is.
            self.reader.lock().await.complete(&mut lease.job).await?;
        }
        Ok(leases)
    }

    /// Makes leases last so long from now on.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn renew(&self, keys: Vec<LeaseKey>, lease: Duration) -> Result<Vec<Renewed>, StoreError> {
        given!(self.write(Write::Renew(keys, millis(lease))).await?, Written::Renewed)
    }

    /// Notes that an attempt may change something outside from now on: if its worker is lost, nobody knows how far it came, and it
    /// is not attempted again. Returns whether the lease holds; without it nothing may be changed.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn may_change(&self, key: LeaseKey) -> Result<bool, StoreError> {
        given!(self.write(Write::MayChange(key)).await?, Written::Flag)
    }

    /// Ends an attempt. Returns the job's state, or nothing if the lease is over: then nothing was written.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn end(&self, key: LeaseKey, ending: Ending) -> Result<Option<JobState>, StoreError> {
        given!(self.write(Write::End(key, ending)).await?, Written::Ended)
    }

    /// Cancels a job, and gives it as it is then: one that runs ends when its worker hears of it, and one that has ended stays as
    /// it is.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn cancel(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let job = given!(self.write(Write::Cancel(id.to_owned())).await?, Written::Job)?;
        Ok(job.map(|job| *job))
    }

    /// Adds an event to a running job. `data` is JSON. Returns whether the lease holds.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub async fn add_event(&self, key: LeaseKey, kind: &'static str, data: String) -> Result<bool, StoreError> {
        given!(self.write(Write::Event(key, kind, data)).await?, Written::Flag)
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
        self.lister.lock().await.list(filter, most).await
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
        self.lister.lock().await.counts().await
    }

    /// Accepts all of these jobs, which are of one principal, or none of them.
    ///
    /// # Errors
    ///
    /// The jobs cannot be written: none was accepted.
    pub async fn submit_all(&self, all: Vec<NewJob>) -> Result<Vec<Submitted>, StoreError> {
        given!(self.write(Write::SubmitAll(all)).await?, Written::AllSubmitted)
    }

    /// Ends of jobs that are to be told now. They are given out again after `lease`, unless [`Self::end_delivery`] says otherwise.
    ///
    /// # Errors
    ///
    /// The jobs cannot be written.
    pub async fn claim_deliveries(
        &self,
        most: u32,
        lease: Duration,
        except: &[&str],
    ) -> Result<Vec<Delivery>, StoreError> {
        let except = except.iter().fold(String::from("\n"), |lines, principal| format!("{lines}{principal}\n"));
        given!(self.write(Write::ClaimDeliveries(most, millis(lease), except)).await?, Written::Deliveries)
    }

    /// Says how an attempt to tell the end of a job ended. Returns whether that was written: not where another has begun.
    ///
    /// # Errors
    ///
    /// The jobs cannot be written.
    pub async fn end_delivery(&self, delivery: &Delivery, told: Told) -> Result<bool, StoreError> {
        given!(self.write(Write::EndDelivery(delivery.job.number, delivery.attempt, told)).await?, Written::Flag)
    }

    /// How telling the end of a job is going; nothing before its end, and where nobody is told.
    ///
    /// # Errors
    ///
    /// The jobs cannot be read.
    pub async fn delivery(&self, job: &Job) -> Result<Option<DeliveryStatus>, StoreError> {
        self.reader.lock().await.delivery(job.number).await
    }

    /// Keeps a schedule; nothing if its principal has `most` already.
    ///
    /// # Errors
    ///
    /// The schedules cannot be written.
    pub async fn add_schedule(&self, new: NewSchedule, most: u32) -> Result<Option<Schedule>, StoreError> {
        let kept = given!(self.write(Write::AddSchedule(Box::new(new), most)).await?, Written::Schedule)?;
        Ok(kept.map(|schedule| *schedule))
    }

    /// Forgets a schedule of a principal. Its jobs stay. Returns whether it was there.
    ///
    /// # Errors
    ///
    /// The schedules cannot be written.
    pub async fn remove_schedule(&self, principal: &str, id: &str) -> Result<bool, StoreError> {
        let write = Write::RemoveSchedule(principal.to_owned(), id.to_owned());
        given!(self.write(write).await?, Written::Flag)
    }

    /// The schedules of a principal, the oldest first.
    ///
    /// # Errors
    ///
    /// The schedules cannot be read.
    pub async fn schedules(&self, principal: &str, most: u32) -> Result<Vec<Schedule>, StoreError> {
        self.reader.lock().await.schedules(principal, most).await
    }

    /// The schedules that are due, and the time that all machines go by.
    ///
    /// # Errors
    ///
    /// The schedules cannot be read.
    pub async fn schedules_due(&self, most: u32) -> Result<(Vec<Schedule>, i64), StoreError> {
        let mut reader = self.reader.lock().await;
        let now_ms = reader.now_unix_ms(&self.clock).await?;
        Ok((reader.schedules_due(now_ms, most).await?, now_ms))
    }

    /// Submits the job of a schedule that is due, unless the last one has not ended. Returns whether this call did so, and not another
    /// process.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn fire(&self, firing: Firing) -> Result<bool, StoreError> {
        given!(self.write(Write::Fire(Box::new(firing))).await?, Written::Flag)
    }

    /// Keeps a token; not if there is one of its id.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn add_token(&self, new: NewToken) -> Result<bool, StoreError> {
        given!(self.write(Write::AddToken(Box::new(new))).await?, Written::Flag)
    }

    /// Has a token accepted no more. Returns whether it was.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn revoke_token(&self, id: &str) -> Result<bool, StoreError> {
        given!(self.write(Write::RevokeToken(id.to_owned())).await?, Written::Flag)
    }

    /// All tokens, also those that are no longer accepted, the oldest first.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, StoreError> {
        self.reader.lock().await.tokens().await
    }

    /// The value of a setting of the service, which is this one if it has none yet.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn setting(&self, name: &'static str, value: String) -> Result<String, StoreError> {
        given!(self.write(Write::Setting(name, value)).await?, Written::Text)
    }

    /// Keeps the text of a policy. Each attempt that this process begins from then on names it by its digest.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn keep_policy(&self, digest: String, text: String) -> Result<(), StoreError> {
        given!(self.write(Write::KeepPolicy { digest, text }).await?, Written::Flag).map(|_| ())
    }

    /// The policies that were kept, the newest first: at most [`crate::POLICIES_MAX`].
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub async fn policies(&self) -> Result<Vec<PolicyVersion>, StoreError> {
        self.reader.lock().await.policies().await
    }

    /// Publishes templates for all servers, in the place of what was published before.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn publish(&self, published: PublishedTemplates) -> Result<(), StoreError> {
        given!(self.write(Write::Publish(published)).await?, Written::Flag).map(|_| ())
    }

    /// The templates that were published last, unless they are the ones with the digest `known`; nothing where none were.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub async fn published(&self, known: &str) -> Result<Option<PublishedTemplates>, StoreError> {
        self.reader.lock().await.published(known).await
    }

    /// The numbers of jobs as they change, in this process or another, at most a quarter of a second later. A number may come more
    /// than once.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<i64> {
        self.changes.subscribe()
    }

    /// Whether something was written within this time before now. The writer looks for what is due four times a second, and writes that.
    #[must_use]
    pub fn has_written_within(&self, time: Duration) -> bool {
        self.committed_at.lock().unwrap_or_else(PoisonError::into_inner).elapsed() <= time
    }

    /// Waits until what was asked before is written, and ends the writer.
    pub async fn close(&self) {
        let (reply, closed) = oneshot::channel();
        if self.operations.send(Operation::Close(reply)).await.is_ok() {
            let _ = closed.await;
        }
    }

    async fn write(&self, write: Write) -> Result<Written, StoreError> {
        self.ask(|reply| Operation::Write(write, reply)).await
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

/// Opens a connection. Another process may be opening the same file.
async fn open(place: &Place, quotas: &JobQuotas) -> Result<JobDatabase, StoreError> {
    let folder = match place {
        Place::Postgres(url) => return JobDatabase::connect(url).await,
        Place::Folder(folder) => StateFolder::of_file(folder, FILE)?,
    };
    folder.create()?;
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    loop {
        match JobDatabase::open(folder.file(), quotas.file_bytes_max).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            ended => return ended,
        }
    }
}

/// Passes on what other machines tell: to who listens to changes, and to workers that wait for jobs.
async fn listen(mut notices: JobNotices, operations: WeakSender<Operation>, changes: broadcast::Sender<i64>) {
    loop {
        let Ok(numbers) = notices.next().await else {
            sleep(LISTEN_PAUSE).await;
            continue;
        };
        for number in numbers {
            // Nobody may be listening.
            let _ = changes.send(number);
        }
        let Some(operations) = operations.upgrade() else { return };
        // Where many operations wait, the writer looks anyway.
        let _ = operations.try_send(Operation::Look);
    }
}

/// The task that writes.
struct Writer {
    database: JobDatabase,
    clock: Clock,
    days_max: u32,
    changes: broadcast::Sender<i64>,
    /// Workers that wait for a job, the one that waits longest first.
    claims: Vec<Claim>,
    shares: Shares,
    /// The digest of the policy that was last kept here.
    policy: String,
    /// When old jobs were last forgotten.
    forgotten_ms: Option<i64>,
    /// The last event that was passed on, where other processes do not tell what they change.
    heard: Option<i64>,
    is_gone: IsGone,
    committed_at: Moment,
    /// Until then no lease is taken for lost.
    spared_until: Instant,
    /// Ends with the writer.
    _listening: JoinSet<()>,
}

impl Writer {
    async fn run(mut self, mut waiting: Receiver<Operation>) {
        let mut look_at = Instant::now();
        let mut long: VecDeque<(Write, Reply<Written>)> = VecDeque::new();
        loop {
            let mut next = tokio::select! {
                biased;
                first = waiting.recv() => match first {
                    Some(first) => Some(first),
                    None => break,
                },
                () = ready(()), if !long.is_empty() => None,
                () = sleep_until(look_at) => None,
            };
            let sweeps = Instant::now() >= look_at;
            let (mut writes, mut replies, mut closing) = (Vec::new(), Vec::new(), None);
            while let Some(operation) = next {
                match operation {
                    Operation::Write(write, reply) if write.bytes() > SHORT_BYTES_MAX => long.push_back((write, reply)),
                    Operation::Write(write, reply) => {
                        writes.push(write);
                        replies.push(reply);
                    }
                    Operation::Claim(claim) => self.claims.push(claim),
                    Operation::Look => {}
                    Operation::Close(reply) => closing = Some(reply),
                }
                next = if writes.len() < BATCH_MAX { waiting.try_recv().ok() } else { None };
            }
            // Who no longer waits is leased nothing.
            self.claims.retain(|claim| !claim.reply.is_closed());
            if sweeps || !writes.is_empty() || !self.claims.is_empty() {
                self.commit(writes, replies, sweeps).await;
            }
            // All of them before the end.
            let most = if closing.is_some() { usize::MAX } else { 1 };
            for _ in 0..most {
                let Some((write, reply)) = long.pop_front() else { break };
                self.commit(vec![write], vec![reply], false).await;
            }
            if sweeps {
                // What cannot be read now is read the next time.
                let _ = self.hear().await;
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

    /// Does all of it in one transaction; if that fails, each in one of its own, so that what fails fails alone. After a connection
    /// was lost, each is written again over a new one, once: nobody knows whether the first commit was heard, and each write
    /// may be repeated.
    async fn commit(&mut self, writes: Vec<Write>, replies: Vec<Reply<Written>>, sweeps: bool) {
        let error = match self.try_commit(&writes, sweeps).await {
            Ok(written) => {
                replies.into_iter().zip(written).for_each(|(reply, written)| drop(reply.send(Ok(written))));
                return;
            }
            Err(error) => error,
        };
        let is_lost = |error: &StoreError| matches!(error, StoreError::Unreachable { .. });
        let replies = match <[Reply<Written>; 1]>::try_from(replies) {
            Ok([reply]) if !is_lost(&error) => {
                // Who no longer waits is not answered.
                let _ = reply.send(Err(error));
                return;
            }
            Ok([reply]) => vec![reply],
            Err(replies) => replies,
        };
        let mut lost = None;
        for (write, reply) in writes.into_iter().zip(replies) {
            let written = match &lost {
                Some((database, detail)) => {
                    Err(StoreError::Unreachable { database: String::clone(database), detail: String::clone(detail) })
                }
                None => self.try_commit(&[write], false).await,
            };
            if let Err(StoreError::Unreachable { database, detail }) = &written {
                lost = Some((database.clone(), detail.clone()));
            }
            let _ = reply.send(written.and_then(|written| written.into_iter().next().ok_or_else(closed)));
        }
    }

    /// Passes on what other processes changed in the same file. What this process changed comes a second time: telling it apart
    /// would cost each commit a question.
    async fn hear(&mut self) -> Result<(), StoreError> {
        if self.database.hears_others() {
            return Ok(());
        }
        let last = self.database.last_event().await?;
        let Some(heard) = self.heard.replace(last).filter(|heard| *heard < last) else { return Ok(()) };
        if self.changes.receiver_count() > 0 {
            let most = u32::try_from(CHANGES_MAX).unwrap_or(u32::MAX);
            for number in self.database.changed(heard, last, most).await? {
                let _ = self.changes.send(number);
            }
        }
        Ok(())
    }

    /// The workers with leases that are known to have gone.
    async fn gone(&mut self) -> Result<Vec<String>, StoreError> {
        let mut workers = self.database.workers().await?;
        workers.retain(|worker| (self.is_gone)(worker));
        Ok(workers)
    }

    async fn try_commit(&mut self, writes: &[Write], sweeps: bool) -> Result<Vec<Written>, StoreError> {
        let now_ms = self.clock.now_unix_ms();
        let forgets = sweeps && self.forgotten_ms.is_none_or(|last| now_ms.abs_diff(last) > FORGET_PAUSE_MS);
        let gone = if sweeps { self.gone().await? } else { Vec::new() };
        let wanted: Vec<Wanted<'_>> = self
            .claims
            .iter()
            .map(|Claim { worker, lease_ms, most, seats, .. }| Wanted {
                worker,
                policy: &self.policy,
                lease_ms: *lease_ms,
                most: *most,
                seats: *seats,
            })
            .collect();
        let forgets_after_days = forgets.then_some(self.days_max);
        let committed_at = *self.committed_at.lock().unwrap_or_else(PoisonError::into_inner);
        if committed_at.elapsed() > SILENT {
            self.spared_until = Instant::now() + SPARED;
        }
        let takes_lost = Instant::now() >= self.spared_until;
        let batch = Batch { writes, wanted: &wanted, gone: &gone, sweeps, takes_lost, forgets_after_days };
        let committed = self.database.commit(batch, &mut self.shares, &self.clock).await;
        if committed.is_err() {
            // What was counted for it did not happen.
            self.shares.room.forget();
        }
        let Committed { written, leased, changed } = committed?;
        *self.committed_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if forgets {
            self.forgotten_ms = Some(now_ms);
        }
        for write in writes {
            if let Write::KeepPolicy { digest, .. } = write {
                self.policy.clone_from(digest);
            }
        }
        for leases in leased {
            // A worker that has gone meanwhile loses its leases with their time.
            let _ = self.claims.remove(0).reply.send(Ok(leases));
        }
        self.database.tell(&changed).await;
        for number in changed {
            // Nobody may be listening.
            let _ = self.changes.send(number);
        }
        Ok(written)
    }
}
