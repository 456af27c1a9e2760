//! What happens in runs, as one stream: logs, records and metrics read it, and the engine knows none of them.

use intentbox_report::{Principal, Report, RunId, Target};

/// Takes note of what happens. It is called while runs go on: whoever needs time for it takes that elsewhere.
pub trait Events: Send + Sync {
    /// Takes note of one event.
    fn note(&self, of: Of<'_>, event: Event<'_>);
}

/// Which request an event is about.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    /// Its run.
    pub run_id: RunId,
    /// Who asked.
    pub principal: &'a Principal,
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// It is known what is to run.
    Planned {
        /// What.
        target: &'a Target,
    },
    /// The run waits for its place in the sandbox. An answer from the cache has no such event.
    Started,
    /// A call to the host was answered.
    HostCall {
        /// The kind: `http`, `list_files` or `read_file`.
        kind: &'static str,
        /// What was asked for in the script's own terms, shortened and without query.
        target: &'a str,
        /// How it ended: a status, or a word such as `refused`.
        outcome: &'a str,
    },
    /// The script wrote output.
    Output {
        /// Bytes on stdout.
        stdout_bytes: usize,
        /// Bytes on stderr.
        stderr_bytes: usize,
    },
    /// The request is over. It is the last event of a request, and every request has it, also one that never ran.
    Ended {
        /// What became of it.
        report: &'a Report,
    },
}

/// Takes no note of anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl Events for NoEvents {
    fn note(&self, _: Of<'_>, _: Event<'_>) {}
}
