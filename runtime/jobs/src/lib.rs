//! Durable jobs: requests that are accepted now, and run when there is room.
//!
//! A [`JobRequest`] is what a client asks for: an intent or a script, how important it is, and when it should run. The [`Queue`]
//! accepts it, which means that it is on the disk, and tells how it is doing. A [`Runner`] leases jobs and runs them with the
//! engine, under the same plans, grants and limits as every other request. Which database keeps the jobs is the store's affair,
//! and how clients reach the queue is that of a surface.
//!
//! A [`ScheduleRequest`] is a job that is submitted again and again ([`keep_schedules`]), and the end of a job is told to whoever
//! wants to hear of it ([`keep_telling`]).
//!
//! What is accepted is attempted at least once, and ends once. An attempt whose runner is lost is repeated only if it cannot have
//! changed anything outside: its grants let it read alone. Otherwise the job ends with `unknown_outcome`.

mod asks;
mod callback;
mod policy;
mod progress;
mod queue;
mod request;
mod runner;
mod schedule;
mod signature;
mod steady;
mod templates;

pub use intentbox_store::{
    DeliveryStatus, InvalidUrl, IsGone, Job, JobEvent, JobFilter, JobQuotas, JobState, JobStore, NewToken,
    POLICY_DIGITS, Place, PolicyVersion, PostgresUrl, Schedule, StoreError, TokenRecord,
};

pub use crate::asks::Asks;
pub use crate::callback::keep_telling;
pub use crate::policy::{keep_policy, policies};
pub use crate::queue::{KEY_BYTES_MAX, NotAccepted, Queue, SCHEDULES_MAX, is_key};
pub use crate::request::{
    ATTEMPTS_MAX, Fault, JobRequest, LABEL_BYTES_MAX, LABELS_MAX, PRIORITY_MAX, REQUEST_BYTES_MAX, WAIT_S_MAX, When,
    Work, object,
};
pub use crate::runner::{DRAIN, Runner, RunnerOptions};
pub use crate::schedule::{ScheduleRequest, is_revoked, keep_schedules};
pub use crate::steady::steadily;
pub use crate::templates::{Published, may_be_published, publish, published};
