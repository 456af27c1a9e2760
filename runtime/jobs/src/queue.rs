//! The queue as clients see it.

use intentbox_engine::{Principal, new_run_id};
use intentbox_store::{Job, JobEvent, JobFilter, JobState, JobStore, NewJob, StoreError, Submitted};
use tokio::sync::broadcast;

use crate::request::{JobRequest, When, digest};

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
    #[error("{0} jobs wait already, and no more are allowed")]
    Full(u64),
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
        let now_ms = self.store.now_unix_ms();
        let millis = |seconds: u64| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX / 4);
        let run_at_ms = match request.when {
            When::Now => now_ms,
            When::After(seconds) => now_ms.saturating_add(millis(seconds)),
            When::At(ms) => ms,
        };
        let new = NewJob {
            id: new_run_id().to_string(),
            principal: principal.as_str().to_owned(),
            request: text.to_owned(),
            request_digest: digest(text),
            idempotency_key: key,
            priority: request.priority,
            run_at_ms,
            expires_ms: request.ttl_s.map(|ttl_s| run_at_ms.max(now_ms).saturating_add(millis(ttl_s))),
            attempts_max: request.attempts,
            labels: request.labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        };
        match self.store.submit(new).await? {
            Submitted::New(job) => Ok((*job, true)),
            Submitted::Same(job) => Ok((*job, false)),
            Submitted::OtherRequest => Err(NotAccepted::OtherRequest),
            Submitted::Full { most } => Err(NotAccepted::Full(most)),
        }
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

    /// The numbers of jobs as they change in this process. Another process changes jobs too.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<i64> {
        self.store.changes()
    }
}
