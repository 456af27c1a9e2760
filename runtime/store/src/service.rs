//! What else is kept for a service beside its jobs: who is told of their ends, what is submitted again and again, who may ask, and
//! under which policy.

use crate::job::{Job, NewJob};

/// The end of a job that is to be told to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The job, which has ended.
    pub job: Job,
    /// How often it was begun, with this time.
    pub attempt: u32,
}

/// How telling it is going.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryStatus {
    /// `waiting`, `delivered` or `failed`.
    pub state: String,
    /// How often it was begun.
    pub attempt: u32,
    /// When it is begun again, in milliseconds after 1970, UTC.
    pub next_ms: i64,
    /// Why the last attempt failed; empty if none did.
    pub trouble: String,
}

/// How an attempt to tell it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It was taken.
    Delivered,
    /// It is begun again after so many milliseconds.
    Again {
        /// After how long.
        delay_ms: i64,
        /// Why.
        trouble: String,
    },
    /// It is given up.
    Failed {
        /// Why.
        trouble: String,
    },
}

/// A schedule to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    /// What clients call it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// When, as a cron expression.
    pub cron: String,
    /// The time zone in which that is meant.
    pub zone: String,
    /// The request of each job, as JSON.
    pub request: String,
    /// When the first one is due, in milliseconds after 1970, UTC.
    pub next_ms: i64,
}

/// A schedule as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The order in which they were made.
    pub number: i64,
    /// What clients call it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// When, as a cron expression.
    pub cron: String,
    /// The time zone in which that is meant.
    pub zone: String,
    /// The request of each job, as JSON.
    pub request: String,
    /// When it was made, in milliseconds after 1970, UTC.
    pub created_ms: i64,
    /// When the next job is due.
    pub next_ms: i64,
    /// The id of the last job; empty before the first.
    pub last_job: String,
    /// How many jobs were submitted.
    pub submitted: u64,
    /// How many were not, since the one before had not ended.
    pub skipped: u64,
}

/// What is done with a schedule that is due. It is done once, whoever does it: `due_ms` is when the one who does so saw it due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// The schedule.
    pub number: i64,
    /// When it was due.
    pub due_ms: i64,
    /// When it is due next.
    pub next_ms: i64,
    /// The job, which is left out if the last one has not ended.
    pub job: NewJob,
    /// Whether its principal has no token any more: then no job is submitted.
    pub is_revoked: bool,
}

/// A policy under which jobs ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyVersion {
    /// The SHA-256 of the text in hexadecimal. Events of jobs have the first [`POLICY_DIGITS`] digits.
    pub digest: String,
    /// The text of the file.
    pub text: String,
    /// When a server first began with it, in milliseconds after 1970, UTC.
    pub first_ms: i64,
    /// When a server last began with it.
    pub last_ms: i64,
}

/// How many digits of a policy's digest an event has.
pub const POLICY_DIGITS: usize = 16;

/// How many policies are kept: the last ones that servers began with.
pub const POLICIES_MAX: u32 = 1_000;

/// Templates that an operator published for all servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedTemplates {
    /// The SHA-256 of `files` in hexadecimal.
    pub digest: String,
    /// The files, as their publisher encoded them.
    pub files: String,
}

/// The most bytes of published files, as they are encoded.
pub const PUBLISHED_FILES_BYTES_MAX: u32 = 16 << 20;

/// How many sets of published templates are kept: the last ones.
pub(crate) const PUBLISHED_MAX: u32 = 20;

/// A token to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// What the operator calls it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// The names of its scopes, with spaces between.
    pub scopes: String,
    /// The SHA-256 of the token in hexadecimal: the token is not kept.
    pub digest: String,
    /// After how many milliseconds it is no longer accepted.
    pub ttl_ms: Option<i64>,
}

/// A token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// What the operator calls it.
    pub id: String,
    /// Whose it is.
    pub principal: String,
    /// The names of its scopes, with spaces between.
    pub scopes: String,
    /// The SHA-256 of the token in hexadecimal.
    pub digest: String,
    /// When it was made, in milliseconds after 1970, UTC.
    pub created_ms: i64,
    /// When it ends.
    pub expires_ms: Option<i64>,
    /// When it was revoked.
    pub revoked_ms: Option<i64>,
}
