//! Runs one script, under limits, in a fresh guest; the only user of wasmtime.
//!
//! A [`Sandbox`] runs guests in this process or in worker processes. [`Sandbox::run`] takes a [`Job`] (a script, its
//! `params`, limits) and something that answers [`Calls`], and returns an [`Ended`]: every way a script can end is a
//! value. An error means that the machine failed the sandbox, never that a script was bad.
//!
//! Input and output are plain data, and host calls go through a trait, so a run cannot tell where it runs. This crate
//! knows no HTTP, no templates and no grants.
//!
//! Limits ([`limits`]), endings, and the validation of a guest's last message are in `intentbox-verdict`: they need no
//! guest.
//!
//! - `budget`: what all runs may use together. `shares`: what one owner may have of it. `pages`: how much of a run's
//!   memory is its own.
//! - `script` and `job`: the input of a run. `bytecode`: modules compiled in advance. `calls`: host calls.
//! - `guest`: the guest in this process. `code`: its embedded native code. `import`: its host functions.
//! - `run`: one run. `clock`, `output` and `live`: its time, its streams, and who follows them. `tuning`: settings shared
//!   with the build.
//! - `worker`: the same in separate processes.

mod budget;
mod bytecode;
mod calls;
mod clock;
mod code;
mod guest;
mod import;
mod job;
mod live;
mod output;
mod pages;
mod run;
mod script;
mod shares;
mod tuning;
mod turns;
mod worker;

use std::fmt;
use std::sync::Arc;

use crate::guest::Guest;
use crate::run::Failed;
use crate::worker::Pool;

pub use crate::budget::{Capacity, Overloaded, SharedResource};
pub use crate::bytecode::Bytecode;
pub use crate::calls::{Answer, Calls, NoCalls, OutputStream, Pending};
pub use crate::job::{Author, Deterministic, Job};
pub use crate::script::{Script, ScriptError};
pub use crate::shares::{Owner, Sharing};
pub use crate::worker::{Hardening, ServeError, WorkerCommand, WorkerState, serve};
pub use intentbox_abi as abi;
pub use intentbox_verdict::limits;
pub use intentbox_verdict::{
    Ended, Ending, Exception, Exhausted, LimitOutOfBounds, Limits, NoSuchLimit, Output, Resource, Spent, Tenancy,
};

/// Runs scripts. Cheap to share.
pub struct Sandbox {
    backend: Backend,
}

/// Where guests run.
enum Backend {
    InProcess(Guest),
    Workers(Pool),
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.backend {
            Backend::InProcess(_) => f.write_str("Sandbox(in this process)"),
            Backend::Workers(pool) => f.debug_tuple("Sandbox").field(pool).finish(),
        }
    }
}

/// The machine cannot run the sandbox.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox does not start: {reason}")]
pub struct StartError {
    /// What wasmtime or the operating system said.
    pub reason: String,
}

/// A run that failed through no fault of the script.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// `params` is larger than the limit.
    #[error("params have {observed} bytes; at most {limit} are allowed")]
    ParamsTooLarge {
        /// `params_bytes`.
        limit: u64,
        /// How many there are.
        observed: u64,
    },
    /// All runs together are at what the process may use.
    #[error("there is no room for the run: {0}")]
    Overloaded(#[source] Overloaded),
    /// The worker process died, hung or was killed, and the run with it. Its side effects may have happened.
    #[error("the worker process of this run was lost: {reason}")]
    WorkerLost {
        /// What is known about the end of the worker.
        reason: String,
    },
    /// A failure of the host.
    #[error("the run could not be carried through: {reason}")]
    Internal {
        /// What happened.
        reason: String,
    },
}

impl From<Failed> for RunError {
    fn from(failed: Failed) -> RunError {
        match failed {
            Failed::Overloaded(overloaded) => RunError::Overloaded(overloaded),
            Failed::Host(error) => RunError::Internal { reason: format!("{error:#}") },
        }
    }
}

impl Sandbox {
    /// A sandbox in this process: nothing to start but the guest, and no second barrier. For commands that run one
    /// script.
    /// One thread at a time should run guests: two are slower than one, they contend for the process's memory map.
    ///
    /// # Errors
    /// When the guest cannot be loaded or the address space is too small.
    pub fn in_process(capacity: Capacity) -> Result<Sandbox, StartError> {
        match Guest::load(capacity, capacity.sharing) {
            Ok(guest) => Ok(Sandbox { backend: Backend::InProcess(guest) }),
            Err(error) => Err(StartError { reason: format!("{error:#}") }),
        }
    }

    /// A sandbox in worker processes: a second barrier, and a core for each worker. Waits until the first is up; needs
    /// a tokio runtime, on which it keeps the workers up.
    ///
    /// # Errors
    /// When no worker comes up: after each has failed to start three times, or after 20 seconds.
    pub async fn in_workers(capacity: Capacity, command: WorkerCommand) -> Result<Sandbox, StartError> {
        match Pool::start(capacity, command).await {
            Ok(pool) => Ok(Sandbox { backend: Backend::Workers(pool) }),
            Err(reason) => Err(StartError { reason }),
        }
    }

    /// The worker processes that are up; none where guests run in this process.
    #[must_use]
    pub fn workers(&self) -> Vec<WorkerState> {
        match &self.backend {
            Backend::InProcess(_) => Vec::new(),
            Backend::Workers(pool) => pool.workers(),
        }
    }

    /// Runs a job. Dropping the future ends the run within milliseconds.
    ///
    /// # Errors
    /// When `params` are too large, there is no room, or the host fails; whatever the script does is an [`Ending`].
    pub async fn run(&self, job: Job<'_>, calls: Arc<dyn Calls>) -> Result<Ended, RunError> {
        let observed = job.params.len() as u64;
        if observed > job.limits.params_bytes {
            return Err(RunError::ParamsTooLarge { limit: job.limits.params_bytes, observed });
        }
        match &self.backend {
            Backend::InProcess(guest) => Ok(guest.run(job, calls).await?.check(&job.limits)),
            Backend::Workers(pool) => pool.run(job, calls).await,
        }
    }
}
