//! What is kept about a job.

use std::time::Duration;

/// How long a lease lasts at most without being renewed; a longer one is made as long. One that lasts longer is from before the clock was
/// set back.
pub const LEASE_MAX: Duration = Duration::from_mins(10);

/// How long a job waits at most before it is attempted again; a longer pause is made as long.
pub const PAUSE_MAX: Duration = Duration::from_mins(10);

/// How long telling the end of a job waits at most before it is tried again; a longer pause is made as long.
pub const TELL_PAUSE_MAX: Duration = Duration::from_hours(24);

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4)
}

/// A job to be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// What clients call it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// The request, as JSON.
    pub request: String,
    /// The SHA-256 of the request in hexadecimal, to be compared with that of an earlier one with the same key.
    pub request_digest: String,
    /// The key under which the same request is the same job.
    pub idempotency_key: Option<String>,
    /// Jobs of a higher one are begun first.
    pub priority: i64,
    /// When it may begin.
    pub start: Start,
    /// How many milliseconds after that it is too late to begin.
    pub ttl_ms: Option<i64>,
    /// How often it is attempted at most.
    pub attempts_max: u32,
    /// What it is found by.
    pub labels: Vec<(String, String)>,
    /// Where its end is told.
    pub callback_url: Option<String>,
    /// The trace that it is a part of; empty if none.
    pub trace: String,
}

/// When a job may begin, by the clock that all machines go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At once.
    Now,
    /// So many milliseconds after it was accepted.
    AfterMs(i64),
    /// At this time, in milliseconds after 1970, UTC.
    AtMs(i64),
}

/// Where a job is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobState {
    /// It waits for its time.
    Scheduled,
    /// It waits for a worker.
    Ready,
    /// A worker has a lease of it.
    Running,
    /// It ended with an outcome.
    Finished,
    /// Somebody cancelled it.
    Cancelled,
    /// Its time was over before it began.
    Expired,
    /// Each of its attempts was lost.
    Dead,
}

impl JobState {
    /// All states.
    pub const ALL: [Self; 7] =
        [Self::Scheduled, Self::Ready, Self::Running, Self::Finished, Self::Cancelled, Self::Expired, Self::Dead];

    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Dead => "dead",
        }
    }

    /// The state of this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether nothing will change any more.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Scheduled | Self::Ready | Self::Running)
    }
}

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The order in which it was accepted.
    pub number: i64,
    /// What clients call it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// The request, as JSON; empty where it is long and the job comes from a list or from a change, and where it was removed to
    /// make room.
    pub request: String,
    /// Where it is in its life.
    pub state: JobState,
    /// Jobs of a higher one are begun first.
    pub priority: i64,
    /// Times, in milliseconds after 1970, UTC: when it was accepted,
    pub created_ms: i64,
    /// when it may begin,
    pub run_at_ms: i64,
    /// when it is too late to begin,
    pub expires_ms: Option<i64>,
    /// when the last attempt began,
    pub started_ms: Option<i64>,
    /// and when it ended.
    pub finished_ms: Option<i64>,
    /// How often it was begun.
    pub attempt: u32,
    /// How often it is at most.
    pub attempts_max: u32,
    /// How often an attempt found no room on its server, which is not counted.
    pub waits: u32,
    /// Whether one of those lacked memory in the middle.
    pub lacked_memory: bool,
    /// Whether somebody wants it cancelled.
    pub is_cancelled: bool,
    /// How it ended: the name of an outcome; empty before.
    pub outcome: String,
    /// The report as JSON; empty before, where none was made, and like [`request`](Self::request).
    pub report: String,
    /// Why the last attempt was lost or is repeated; empty if none was.
    pub trouble: String,
    /// What it is found by.
    pub labels: Vec<(String, String)>,
    /// Where its end is told; empty: nowhere.
    pub callback_url: String,
    /// The trace that it is a part of; empty if none.
    pub trace: String,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// It is a new job.
    New(Box<Job>),
    /// The same request came with the same key before: this is its job.
    Same(Box<Job>),
    /// Another request came with this key before.
    OtherRequest,
    /// There is no room: for this principal, or in all.
    Full(Quota),
}

/// A quota that leaves no room for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// So many jobs may wait.
    Waiting(u64),
    /// So many bytes of long requests and reports may be kept, those of jobs that wait or run among them.
    LongBytes(u64),
}

/// A job that a worker has for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job, as it was when the lease began.
    pub job: Job,
    /// Tells this lease from others of the same job.
    pub fence: i64,
}

/// Which lease of which job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseKey {
    /// The job's number.
    pub number: i64,
    /// The lease's fence.
    pub fence: i64,
}

impl Lease {
    /// Which lease it is.
    #[must_use]
    pub fn key(&self) -> LeaseKey {
        LeaseKey { number: self.job.number, fence: self.fence }
    }
}

/// What became of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewed {
    /// It goes on.
    Held,
    /// It goes on, and somebody wants the job cancelled.
    Cancelled,
    /// It is over: another worker may have the job.
    Lost,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// With an outcome and a report.
    Finished {
        /// The name of the outcome.
        outcome: String,
        /// The report as JSON.
        report: String,
    },
    /// With an outcome and no report: none was made, or the disk has no room for it.
    Unreported {
        /// The name of the outcome.
        outcome: String,
        /// Why there is no report.
        trouble: String,
    },
    /// As somebody wanted.
    Cancelled {
        /// The report as JSON; empty if none was made.
        report: String,
    },
    /// It is to be attempted again after so many milliseconds, if it may be; otherwise it is dead.
    Again {
        /// After how long.
        delay_ms: i64,
        /// Why.
        trouble: String,
    },
    /// Its server had no room for it: it waits for so many milliseconds, and the attempt is not counted.
    Waits {
        /// How long.
        delay_ms: i64,
        /// Whether it had begun, and lacked memory in the middle.
        lacked_memory: bool,
        /// For what.
        trouble: String,
    },
}

/// What happened to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEvent {
    /// Its place among all events.
    pub number: i64,
    /// When, in milliseconds after 1970, UTC.
    pub at_ms: i64,
    /// What: the name of a state, or a word such as `call`.
    pub kind: String,
    /// More about it, as JSON.
    pub data: String,
}

/// Which jobs are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// Whose; of all without it.
    pub principal: Option<String>,
    /// In which state.
    pub state: Option<JobState>,
    /// With which label.
    pub label: Option<(String, String)>,
    /// Those that were accepted before this one: the number of the last one of the page before.
    pub before: Option<i64>,
}
