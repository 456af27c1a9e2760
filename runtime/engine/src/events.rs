//! Events of runs, as one stream: logs, records and metrics read it, and the engine knows none of them.

use std::time::Instant;

use intentbox_report::{Principal, Report, RunId, Target, TraceContext};
use intentbox_sandbox::OutputStream;

use crate::caller::Caller;

/// Receives events. It is called while runs are in flight, so slow work belongs elsewhere.
pub trait Events: Send + Sync {
    /// Receives one event.
    fn note(&self, of: Of<'_>, event: Event<'_>);

    /// Whether [`Event::Printed`] is wanted, which costs a message between processes for each. Asked before each run.
    fn follows_output(&self) -> bool {
        false
    }
}

/// Which request an event is about.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    /// Its run.
    pub run_id: RunId,
    /// Who asked.
    pub principal: &'a Principal,
    /// The trace that it is a part of, if it came with one.
    pub trace: Option<&'a TraceContext>,
    /// When the request came in.
    pub received: Instant,
}

impl<'a> Of<'a> {
    /// A request of this caller.
    #[must_use]
    pub fn request(run_id: RunId, caller: &'a Caller) -> Self {
        Self { run_id, principal: &caller.principal, trace: caller.trace.as_ref(), received: caller.received }
    }
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The target of the run is known.
    Planned {
        /// What.
        target: &'a Target,
    },
    /// The run waits for a slot in the sandbox. A cached answer has no such event.
    Started,
    /// A call to the host was answered.
    HostCall {
        /// Which, as the broker names it: `http`, `read_file` and others.
        kind: &'static str,
        /// What was asked for in the script's own terms, shortened and without query.
        target: &'a str,
        /// How it ended: a status, or a word such as `refused`.
        outcome: &'a str,
    },
    /// The script wrote this, up to a quarter of a second ago. For who follows the output while the run goes on; what is
    /// written at the very end is only in the report.
    Printed {
        /// Where to.
        stream: OutputStream,
        /// At most 16 KiB.
        text: &'a str,
    },
    /// The script wrote output: how much in all.
    Output {
        /// Bytes on stdout.
        stdout_bytes: usize,
        /// Bytes on stderr.
        stderr_bytes: usize,
    },
    /// The request is over. It is the last event of every request, including one that never ran.
    Ended {
        /// The result.
        report: &'a Report,
    },
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl Events for NoEvents {
    fn note(&self, _: Of<'_>, _: Event<'_>) {}
}
