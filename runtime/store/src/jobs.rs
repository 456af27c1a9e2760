//! Durable jobs: accepted once, leased to workers, and ended once.
//!
//! They are in a file of the state folder, which the servers of one machine share, or in a database of `PostgreSQL`, which those of
//! several do. One task owns the connection that writes. It takes everything that waits and commits it together, so that one wait for the disk
//! serves many callers, and a caller is answered only after the commit. Workers that ask for jobs wait there too: a job
//! that is accepted while one waits is leased in the same transaction.
//!
//! A lease has a fence, a number that grows with each lease of a job. What is written under an older fence is not taken, so that a
//! worker that was thought lost cannot overwrite what another did after it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{Mutex, broadcast, oneshot};
use tokio::time::{Instant, sleep};

use crate::clock::Clock;
use crate::database::JobDatabase;
use crate::database::jobs::{Write, Written};
use crate::error::StoreError;
use crate::folder::StateFolder;
use crate::job::{
    Ending, Job, JobEvent, JobFilter, JobState, LEASE_MAX, Lease, LeaseKey, NewJob, Renewed, Submitted, millis,
};
use crate::place::Place;
use crate::reserve::{Reserve, long_bytes_beside};
use crate::service::{
    Delivery, DeliveryStatus, Firing, NewSchedule, NewToken, PolicyVersion, PublishedTemplates, Schedule, TokenRecord,
    Told,
};
use crate::writer::{CHANGES_MAX, Claim, Condition, Operation, Reply, Writer, closed};

/// The name of the file in the state folder.
pub(crate) const FILE: &str = "jobs.db";

/// How many operations wait for the writer. Further callers wait for a place.
const WAITING_MAX: usize = 4_096;

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
    /// refused. Where jobs give way, it is a third of the disk at most.
    pub long_bytes_max: u64,
    /// How many bytes of long requests and reports of one principal are kept.
    pub long_bytes_of_principal_max: u64,
    /// For how many days a job is kept after its end.
    pub days_max: u32,
    /// The most bytes of the file.
    pub file_bytes_max: u64,
    /// Whether jobs that ended more than an hour ago are forgotten where the file, or the disk, has little room.
    pub forgets_early: bool,
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
            forgets_early: false,
        }
    }
}

impl JobQuotas {
    /// Where jobs give way to others, long texts of all of them leave room on the disk of this file.
    fn fit(&mut self, file: &Path) {
        if self.forgets_early
            && let Ok(most) = long_bytes_beside(file)
        {
            self.long_bytes_max = self.long_bytes_max.min(most);
            self.long_bytes_of_principal_max = self.long_bytes_of_principal_max.min(most);
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
    condition: Arc<Condition>,
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
    pub fn open(
        place: &Place,
        clock: Clock,
        mut quotas: JobQuotas,
        is_gone: IsGone,
    ) -> BoxFuture<'_, Result<Self, StoreError>> {
        Box::pin(async move {
            let writer = open(place, &quotas).await?;
            let (reader, lister) = (open(place, &quotas).await?, open(place, &quotas).await?);
            let (operations, waiting) = mpsc::channel(WAITING_MAX);
            let (changes, _) = broadcast::channel(CHANGES_MAX);
            let condition = Arc::<Condition>::default();
            let notices = writer.listen().await?;
            let reserve = match place {
                Place::Folder(folder) => {
                    let file = StateFolder::of_file(folder, FILE)?;
                    quotas.fit(file.file());
                    Some(Reserve::beside(file.file()))
                }
                Place::Postgres(_) => None,
            };
            let (heard, told) = (changes.clone(), Arc::clone(&condition));
            let mut writer = Writer::new(writer, clock.clone(), quotas, is_gone, heard, told, reserve);
            if let Some(notices) = notices {
                writer.listen(notices, operations.downgrade());
            }
            tokio::spawn(writer.run(waiting));
            let (reader, lister) = (Arc::new(Mutex::new(reader)), Arc::new(Mutex::new(lister)));
            Ok(Self { operations, reader, lister, changes, clock, condition })
        })
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

    /// What is answered to these jobs, where all of them are there already: the same requests, or others, came with the same keys before.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub async fn known(&self, all: &[NewJob]) -> Result<Option<Vec<Submitted>>, StoreError> {
        self.reader.lock().await.known(all).await
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
        let (worker, lease_ms) = (worker.to_owned(), millis(lease.min(LEASE_MAX)));
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
        given!(self.write(Write::Renew(keys, millis(lease.min(LEASE_MAX)))).await?, Written::Renewed)
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

    /// Schedules of all principals with a greater number than this one, in the order of their numbers, and the time that all machines go
    /// by.
    ///
    /// # Errors
    ///
    /// The schedules cannot be read.
    pub async fn schedules_after(&self, number: i64, most: u32) -> Result<(Vec<Schedule>, i64), StoreError> {
        let mut reader = self.reader.lock().await;
        // The time first: what is submitted meanwhile is not due again.
        let now_ms = reader.now_unix_ms(&self.clock).await?;
        Ok((reader.schedules_after(number, most).await?, now_ms))
    }

    /// Has a schedule be due at another time than the one that it has. Returns whether it still had that.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub async fn move_schedule(&self, number: i64, from_ms: i64, to_ms: i64) -> Result<bool, StoreError> {
        given!(self.write(Write::MoveSchedule { number, from_ms, to_ms }).await?, Written::Flag)
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
        self.condition.committed_at().elapsed() <= time
    }

    /// Whether the disk has too little room for anything new: no job is accepted then, and with less still none begins. Those that run
    /// end, and jobs can be cancelled. Of a database of `PostgreSQL` it is not known.
    #[must_use]
    pub fn lacks_room(&self) -> bool {
        self.condition.lacks_room()
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

/// Opens a connection. Another process may be opening the same file.
async fn open(place: &Place, quotas: &JobQuotas) -> Result<JobDatabase, StoreError> {
    let folder = match place {
        Place::Postgres(url) => return JobDatabase::connect(url).await,
        Place::Folder(folder) => StateFolder::of_file(folder, FILE)?,
    };
    folder.create()?;
    let deadline = Instant::now() + OPEN_WAIT_MAX;
    let mut reserve = Some(Reserve::beside(folder.file()));
    loop {
        match JobDatabase::open(folder.file(), quotas.file_bytes_max).await {
            Err(StoreError::Busy { .. }) if Instant::now() < deadline => sleep(OPEN_PAUSE).await,
            // Opening writes too: the database has files beside its own.
            Err(error @ (StoreError::Full { .. } | StoreError::Failed { .. })) => {
                let Some(mut reserve) = reserve.take() else { return Err(error) };
                reserve.look(0);
                if reserve.refusal().is_none() {
                    return Err(error);
                }
                reserve.release();
            }
            ended => return ended,
        }
    }
}
