//! Shared by the verbs that run a script: its settings, its events, and its interruption.

use std::sync::Arc;

use intentbox_engine::{Cause, Deterministic, Engine, Events, Failure, Report, Settings, new_run_id};

use crate::arguments::Run;
use crate::observe::Observer;
use crate::process;

/// Midnight, 1 January 2000 UTC, in nanoseconds after 1970: when a deterministic run starts without `--time`.
const MILLENNIUM_NS: u64 = 946_684_800_000_000_000;

/// Who is told what happens in a run.
pub(crate) fn events() -> Arc<dyn Events> {
    Observer::of_command()
}

/// The limits and the determinism that flags ask for. The engine checks them.
pub(crate) fn settings(run: &Run) -> Settings {
    let short = [
        ("fuel", run.fuel),
        ("memory_bytes", run.memory_mib.map(|mib| mib.saturating_mul(1 << 20))),
        ("wall_ms", run.timeout_ms),
    ];
    let short = short.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Settings {
        limits: short.chain(run.limits.iter().cloned()).collect(),
        deterministic: run.seed.map(|seed| Deterministic { seed, unix_ns: run.time.unwrap_or(MILLENNIUM_NS) }),
    }
}

/// Starts the sandbox, which opens what it needs of `/proc/self`, and protects this process. The run reports why the sandbox
/// does not start.
pub(crate) async fn protect(engine: &Engine) {
    let _ = engine.workers().await;
    process::protect();
}

/// Waits for `work`; the first interrupt cancels it, a second one kills the process.
pub(crate) async fn until_interrupted(work: impl Future<Output = Report>) -> Report {
    tokio::select! {
        report = work => report,
        _ = tokio::signal::ctrl_c() => {
            Report::failed(new_run_id(), Failure::new(Cause::Cancelled, "the run was interrupted"))
        }
    }
}
