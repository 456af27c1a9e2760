//! The queue as clients see it.

use std::time::Duration;

use intentbox_engine::{Principal, TraceContext, new_run_id};
use intentbox_store::{
    DeliveryStatus, Job, JobEvent, JobFilter, JobState, JobStore, NewJob, Quota, Schedule, Start, StoreError, Submitted,
};
use tokio::sync::broadcast;

use crate::request::{JobRequest, When, digest, sha256};
use crate::schedule::ScheduleRequest;

/// How many schedules a principal has at most.
pub const SCHEDULES_MAX: u32 = 100;

/// The longest idempotency key, in bytes.
pub const KEY_BYTES_MAX: usize = 255;

/// Whether a text is an idempotency key: visible ASCII characters. Those that a batch makes of its own have a blank.
#[must_use]
pub fn is_key(text: &str) -> bool {
    (1..=KEY_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Accepts jobs and tells how they are doing. A principal sees its own jobs, and nobody else's.
#[derive(Debug, Clone)]
pub struct Queue {
    store: JobStore,
}

/// Why a job was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum NotAccepted {
    /// Another request came with the same key before.
    #[error("another request came with this idempotency key before")]
    OtherRequest,
    /// Too many wait.
    #[error("no more than {0} of your jobs may wait at a time")]
    Full(u64),
    /// Too much is kept of long requests and reports.
    #[error(
        "{} MiB of long requests and reports are kept already, of jobs that wait or run, and no more are allowed",
        .0 >> 20
    )]
    FullOfBytes(u64),
    /// The principal has as many schedules as it may.
    #[error("you have {0} schedules already, and no more are allowed")]
    TooManySchedules(u32),
    /// It cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Queue {
    /// The queue over an open store.
    #[must_use]
    pub fn new(store: JobStore) -> Self {
        Self { store }
    }

    /// Accepts a job: when this returns, it will be attempted, whatever happens to this process. `text` is the request as it was
    /// parsed. Returns whether it is a new one: the same request with the same key is the job that it was.
    ///
    /// # Errors
    /// Why it was not accepted.
    pub async fn submit(
        &self,
        principal: &Principal,
        request: &JobRequest,
        text: &str,
        key: Option<String>,
    ) -> Result<(Job, bool), NotAccepted> {
        accepted(self.store.submit(new_job(principal, request, text, key)).await?)
    }

    /// The job that the same request with the same key was before, if it was.
    ///
    /// # Errors
    /// When another request came with this key, or it cannot be read.
    pub async fn known(
        &self,
        principal: &Principal,
        request: &JobRequest,
        text: &str,
        key: &str,
    ) -> Result<Option<Job>, NotAccepted> {
        let known = self.store.known(&[new_job(principal, request, text, Some(key.to_owned()))]).await?;
        Ok(all_accepted(known.unwrap_or_default())?.pop())
    }

    /// Accepts all of these jobs, or none, and returns them in their order. With a key each has one of its own, made of that
    /// and its place: the same requests with the same key are the jobs that they were, and other ones, or more or fewer, none.
    ///
    /// # Errors
    /// Why none was accepted.
    pub async fn submit_all(
        &self,
        principal: &Principal,
        requests: &[(JobRequest, String)],
        key: Option<&str>,
    ) -> Result<Vec<Job>, NotAccepted> {
        all_accepted(self.store.submit_all(new_jobs(principal, requests, key)).await?)
    }

    /// The jobs that the same requests with the same key were before, if they were.
    ///
    /// # Errors
    /// When other requests came with this key, or they cannot be read.
    pub async fn all_known(
        &self,
        principal: &Principal,
        requests: &[(JobRequest, String)],
        key: &str,
    ) -> Result<Option<Vec<Job>>, NotAccepted> {
        self.store.known(&new_jobs(principal, requests, Some(key))).await?.map(all_accepted).transpose()
    }

    /// Keeps a schedule.
    ///
    /// # Errors
    /// Why it is not kept.
    pub async fn add_schedule(
        &self,
        principal: &Principal,
        request: &ScheduleRequest,
    ) -> Result<Schedule, NotAccepted> {
        let (_, now_ms) = self.store.schedules_due(0).await?;
        let new = request.new_schedule(principal, now_ms);
        let kept = self.store.add_schedule(new, SCHEDULES_MAX).await?;
        kept.ok_or(NotAccepted::TooManySchedules(SCHEDULES_MAX))
    }

    /// The schedules of this principal, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn schedules(&self, principal: &Principal) -> Result<Vec<Schedule>, StoreError> {
        self.store.schedules(principal.as_str(), SCHEDULES_MAX).await
    }

    /// Forgets a schedule of this principal. Returns whether it was there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn remove_schedule(&self, principal: &Principal, id: &str) -> Result<bool, StoreError> {
        self.store.remove_schedule(principal.as_str(), id).await
    }

    /// How telling the end of a job is going; nothing before its end, and where nobody is told.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn delivery(&self, job: &Job) -> Result<Option<DeliveryStatus>, StoreError> {
        self.store.delivery(job).await
    }

    /// The key by which this principal knows that a callback is from here, as Standard Webhooks writes it: `whsec_` and Base64.
    ///
    /// # Errors
    /// When it cannot be read, or made.
    pub async fn callback_key(&self, principal: &Principal) -> Result<String, StoreError> {
        Ok(crate::signature::master(&self.store).await?.key(principal).written())
    }

    /// A job of this principal.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn job(&self, principal: &Principal, id: &str) -> Result<Option<Job>, StoreError> {
        let job = self.store.job(id).await?;
        Ok(job.filter(|job| job.principal == principal.as_str()))
    }

    /// The jobs of this principal, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn list(&self, principal: &Principal, filter: JobFilter, most: u32) -> Result<Vec<Job>, StoreError> {
        let filter = JobFilter { principal: Some(principal.as_str().to_owned()), ..filter };
        self.store.list(&filter, most).await
    }

    /// What happened to a job after an event.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn events(&self, job: &Job, after: i64, most: u32) -> Result<Vec<JobEvent>, StoreError> {
        self.store.events(job.number, after, most).await
    }

    /// Cancels a job of this principal, and gives it as it is then.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn cancel(&self, principal: &Principal, id: &str) -> Result<Option<Job>, StoreError> {
        if self.job(principal, id).await?.is_none() {
            return Ok(None);
        }
        self.store.cancel(id).await
    }

    /// How many jobs of all principals are in each state.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn counts(&self) -> Result<Vec<(JobState, u64)>, StoreError> {
        self.store.counts().await
    }

    /// Whether jobs were written within this time before now, or could have been.
    #[must_use]
    pub fn has_written_within(&self, time: Duration) -> bool {
        self.store.has_written_within(time)
    }

    /// Whether the disk of the jobs has too little room for anything new.
    #[must_use]
    pub fn lacks_room(&self) -> bool {
        self.store.lacks_room()
    }

    /// The numbers of jobs as they change in this process. Another process changes jobs too.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<i64> {
        self.store.changes()
    }
}

fn all_accepted(all: Vec<Submitted>) -> Result<Vec<Job>, NotAccepted> {
    all.into_iter().map(|submitted| accepted(submitted).map(|(job, _)| job)).collect()
}

fn accepted(submitted: Submitted) -> Result<(Job, bool), NotAccepted> {
    match submitted {
        Submitted::New(job) => Ok((*job, true)),
        Submitted::Same(job) => Ok((*job, false)),
        Submitted::OtherRequest => Err(NotAccepted::OtherRequest),
        Submitted::Full(Quota::Waiting(most)) => Err(NotAccepted::Full(most)),
        Submitted::Full(Quota::LongBytes(most)) => Err(NotAccepted::FullOfBytes(most)),
    }
}

/// The jobs of a batch.
fn new_jobs(principal: &Principal, requests: &[(JobRequest, String)], key: Option<&str>) -> Vec<NewJob> {
    let new = |(place, (request, text)): (usize, &(JobRequest, String))| {
        new_job(principal, request, text, key.map(|key| format!("{key} #{place}")))
    };
    let mut all: Vec<NewJob> = requests.iter().enumerate().map(new).collect();
    if key.is_some() {
        let batch = all.iter().map(|new| new.request_digest.as_str()).collect::<Vec<_>>().join(" ");
        for new in &mut all {
            new.request_digest = sha256(format!("{} of {batch}", new.request_digest).as_bytes());
        }
    }
    all
}

/// The job of a request. `text` is the request as it was parsed.
pub(crate) fn new_job(principal: &Principal, request: &JobRequest, text: &str, key: Option<String>) -> NewJob {
    let millis = |seconds: u64| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX / 4);
    NewJob {
        id: new_run_id().to_string(),
        principal: principal.as_str().to_owned(),
        request: text.to_owned(),
        request_digest: digest(text),
        idempotency_key: key,
        priority: request.priority,
        start: match request.when {
            When::Now => Start::Now,
            When::After(seconds) => Start::AfterMs(millis(seconds)),
            When::At(ms) => Start::AtMs(ms),
        },
        ttl_ms: request.ttl_s.map(millis),
        attempts_max: request.attempts,
        labels: request.labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        callback_url: request.callback_url.clone(),
        trace: request.trace.as_ref().map(TraceContext::kept).unwrap_or_default(),
    }
}
