//! What outlives a process: in the state folder, in an embedded database.
//!
//! It holds records of runs, which surfaces that live long write and `intentbox stats` counts, and in files of their own what is
//! known of upstream servers ([`ToolStore`]), and jobs, which were promised to clients ([`JobStore`]). Jobs and records can be in a
//! database of `PostgreSQL` instead, which several machines share ([`Place`]). This crate opens the folder or the database, writes
//! records without blocking callers, and reads them back. It does *not* decide what a run is or how it is
//! shown, and it reads neither the environment nor a configuration: the caller names the place.
//!
//! [`RunRecord`] is everything that is recorded about a run: no arguments, no results, no words of the intent, nothing
//! that a script printed.
//!
//! In reading order: `place` says where things are, [`RunRecord`] is what is recorded, [`Store`] the open records, [`Recorder`] a queue
//! in front of them, [`Stats`] what is read back, [`Quotas`] how much is kept. `job` is what is kept of a job, `jobs` is the queue,
//! `writer` the task that writes it, `reserve` the room that is kept for that on a full disk, `share` whose turn it is, and `service` what is kept beside the jobs. `folder` makes files that only their owner reads, `histogram` counts times,
//! and `database` holds all the SQL: no type of it is in a public signature, so that another database can take its place.
//!
//! ```
//! use intentbox_store::{Clock, RunRecord, Store, Target};
//!
//! # async fn example(folder: &std::path::Path) -> Result<(), intentbox_store::StoreError> {
//! let store = Store::open(&folder.into(), Clock::system()).await?;
//! let record = RunRecord {
//!     run_id: "d185b17f3a54773f47b754503adec90a".to_owned(),
//!     started_unix_ms: 1_795_000_000_000,
//!     surface: "mcp",
//!     principal: String::new(),
//!     target: Target::Template("sentry/list_errors".to_owned()),
//!     outcome: "ok",
//!     cached: false,
//!     wall_us: 25_942,
//!     fuel: 4_454_520,
//!     http_requests: 1,
//!     host_calls: 1,
//! };
//! store.add(&[record], 0).await?;
//! assert_eq!(store.stats(None).await?.total, 1);
//! # Ok(())
//! # }
//! ```

mod clock;
mod database;
mod error;
mod folder;
mod histogram;
mod job;
mod jobs;
mod place;
mod quotas;
mod recorder;
mod remembered;
mod reserve;
mod room;
mod run;
mod service;
mod share;
mod stats;
mod store;
mod tools;
mod uses;
mod writer;

pub use clock::Clock;
pub use error::StoreError;
pub use job::{
    Ending, Job, JobEvent, JobFilter, JobState, LEASE_MAX, Lease, LeaseKey, NewJob, PAUSE_MAX, Quota, Renewed, Start,
    Submitted, TELL_PAUSE_MAX,
};
pub use jobs::{IsGone, JobQuotas, JobStore};
pub use place::{InvalidUrl, Place, PostgresUrl};
pub use quotas::Quotas;
pub use recorder::{BATCH_RECORDS_MAX, BATCH_WAIT_MAX, QUEUE_RECORDS_MAX, Recorder};
pub use run::{OK, PRINCIPAL_BYTES_MAX, RUN_ID_BYTES_MAX, RunRecord, TARGET_BYTES_MAX, Target};
pub use service::{
    Delivery, DeliveryStatus, Firing, NewSchedule, NewToken, POLICIES_MAX, POLICY_DIGITS, PUBLISHED_FILES_BYTES_MAX,
    PolicyVersion, PublishedTemplates, Schedule, TokenRecord, Told,
};
pub use stats::{Stats, TargetStats};
pub use store::{Store, read_stats};
pub use tools::{
    Claim, DISCOVERIES_MAX, DISCOVERY_LAPSES_MS, DefinitionRecord, Discovered, DiscoveryStatus, ListedDefinition,
    ListingRecord, Owner, ServerRecord, ToolStore, Trusted,
};
pub use uses::{LearnedWord, ToolShape, ToolUse, Used};
