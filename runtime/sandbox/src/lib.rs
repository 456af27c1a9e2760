//! Runs one script, under limits, in a fresh guest; the only user of wasmtime.
//!
//! A [`Sandbox`] holds the engine and the snapshot. [`Sandbox::run`] takes a [`Script`], its `params` as JSON text,
//! [`Limits`] and something that answers [`HostCalls`], and gives an [`Ended`]: every way a script can end is a value.
//! An error means that the machine failed the sandbox, never that a script was bad.
//!
//! What goes in and out is plain data, and host calls go through a trait: a run can as well happen in a worker process.
//! This crate knows no HTTP, no templates and no grants.
//!
//! - [`limits`]: what a run may use, with defaults and ceilings in one place.
//! - `script`: bytes that may be a script.
//! - `calls`: what the script may ask of the host.
//! - `ending`: how runs end.
//! - `run`: one run. `guest`: the embedded code. `output`: stdout and stderr. `tuning`: settings shared with the build.

mod calls;
mod ending;
mod guest;
pub mod limits;
mod output;
mod run;
mod script;
mod tuning;

use std::fmt;
use std::sync::Arc;

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, InstancePre, Linker, PoolingAllocationConfig};

pub use crate::calls::{Answer, HostCalls, NoCalls, Pending};
pub use crate::ending::{Ended, Ending, Exception, Exhausted, Output, Resource, Spent};
pub use crate::limits::{LimitOutOfBounds, Limits};
pub use crate::script::{Script, ScriptError};
pub use intentbox_abi as abi;

/// How much of an instance's memory stays resident between runs where the kernel can tell which pages were written.
/// Larger gains nothing (measured: 8 MiB is as good as 64).
const KEEP_RESIDENT_BYTES: usize = 8 << 20;

/// Runs scripts. Cheap to share; one thread at a time should run guests (two are slower than one: they contend for the
/// process's memory map).
pub struct Sandbox {
    pre: InstancePre<run::Inside>,
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").finish_non_exhaustive()
    }
}

/// The machine cannot run the sandbox.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox does not start: {reason}")]
pub struct StartError {
    /// What wasmtime or the operating system said.
    pub reason: String,
}

/// A run that could not be carried through, through no fault of the script.
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
    /// The host's own trouble.
    #[error("the run could not be carried through: {reason}")]
    Internal {
        /// What happened, for the log.
        reason: String,
    },
}

impl Sandbox {
    /// Makes a sandbox that can hold `slots` runs at a time (each reserves 4 GiB of addresses, not of memory).
    ///
    /// # Errors
    /// When the guest cannot be loaded or the address space is too small.
    pub fn new(slots: u32) -> Result<Sandbox, StartError> {
        let start = || -> wasmtime::Result<Sandbox> {
            let engine = match Engine::new(&config(slots, true)) {
                Ok(engine) => engine,
                // Kernels before 6.7 cannot tell which pages were written.
                Err(_) => Engine::new(&config(slots, false))?,
            };
            let module = guest::load(&engine)?;
            let mut linker = Linker::new(&engine);
            run::link(&mut linker)?;
            Ok(Sandbox { pre: linker.instantiate_pre(&module)? })
        };
        start().map_err(|error| StartError { reason: format!("{error:#}") })
    }

    /// Runs `script` with `params` (JSON text of an object) under `limits`. Dropping the future ends the run at once.
    ///
    /// # Errors
    /// When `params` are too large, or the host fails; whatever the script does is an [`Ending`].
    pub async fn run(
        &self,
        script: &Script,
        params: &str,
        limits: Limits,
        calls: Arc<dyn HostCalls>,
    ) -> Result<Ended, RunError> {
        let observed = params.len() as u64;
        if observed > limits.params_bytes {
            return Err(RunError::ParamsTooLarge { limit: limits.params_bytes, observed });
        }
        let ended = run::run(&self.pre, script, params, limits, calls).await;
        ended.map_err(|error| RunError::Internal { reason: format!("{error:#}") })
    }
}

fn config(slots: u32, scan_pages: bool) -> Config {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_core_instances(slots)
        .total_memories(slots)
        .total_tables(slots)
        .total_stacks(slots)
        .max_memory_size(usize::try_from(limits::MEMORY_BYTES.most).unwrap_or(usize::MAX))
        .table_elements(40_000)
        .max_core_instance_size(4 << 20)
        .pagemap_scan(if scan_pages { Enabled::Yes } else { Enabled::No })
        // Without the scan every kept byte is compared: keeping none is then the fastest.
        .linear_memory_keep_resident(if scan_pages { KEEP_RESIDENT_BYTES } else { 0 });
    let mut config = tuning::config();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .async_stack_zeroing(true)
        .with_custom_code_memory(Some(guest::InPlace::code_memory()));
    config
}
