//! What the parent keeps about the runs of one worker, and what it believes of them.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Instant;

use intentbox_verdict::{Ended, Limits, Tenancy};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::RunError;
use crate::calls::{Calls, OutputStream};
use crate::job::{Author, Job};
use crate::shares::Owner;

/// How many frames about finished runs a worker may still send: far more than it can have runs.
const TOLERATED_MAX: u64 = 1 << 16;

/// The runs of one worker.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) next: u32,
    pub(super) open: HashMap<u32, Open>,
    /// Whose own code the worker has run.
    pub(super) authors: Authors,
    /// Whose runs it has, where it may have those of one owner only.
    pub(super) tenant: Option<Owner>,
    /// Set when the worker is gone, or is to go once its runs have ended: no run may begin on it.
    pub(super) closed: bool,
    /// Why it was made to go, if it was.
    pub(super) why_retired: Option<&'static str>,
    /// How many calls and endings may still come of runs that were cancelled. See `tolerates`.
    late: u64,
    /// How many bytes of output may still come of them. See `tolerates_output`.
    late_output: Untold,
}

impl Runs {
    /// Forgets a run whose caller went away; returns whether it was open. One more call and one ending may come of it, and
    /// if it is followed, all the output that it may write.
    pub(super) fn cancel(&mut self, run: u32) -> bool {
        let Some(open) = self.open.remove(&run) else { return false };
        self.late = (self.late + 2).min(TOLERATED_MAX);
        if let Some(Untold { stdout, stderr }) = &open.untold {
            self.late_output.stdout = self.late_output.stdout.saturating_add(*stdout);
            self.late_output.stderr = self.late_output.stderr.saturating_add(*stderr);
        }
        true
    }

    /// Whether a frame about a run that is not open may be honest: the worker may have sent it before it knew that the
    /// run was cancelled. Beyond that, the worker is not ours any more.
    pub(super) fn tolerates(&mut self) -> bool {
        let tolerated = self.late > 0;
        self.late = self.late.saturating_sub(1);
        tolerated
    }

    /// The same for a piece of output. A script may print megabytes in a moment, which come in hundreds of pieces: their
    /// bytes are bounded, and not their number.
    pub(super) fn tolerates_output(&mut self, stream: OutputStream, bytes: usize) -> bool {
        self.late_output.takes(stream, bytes)
    }
}

/// The owners whose own code a worker has run since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Authors {
    #[default]
    None,
    One(Owner),
    Several,
}

impl Authors {
    pub(super) fn note(&mut self, job: &Job<'_>) {
        if job.author == Author::Owner {
            *self = match *self {
                Authors::None => Authors::One(job.owner),
                Authors::One(owner) if owner == job.owner => return,
                Authors::One(_) | Authors::Several => Authors::Several,
            };
        }
    }

    pub(super) fn tenancy_for(self, owner: Owner) -> Tenancy {
        match self {
            Authors::None => Tenancy::Single,
            Authors::One(author) if author == owner => Tenancy::Single,
            Authors::One(_) | Authors::Several => Tenancy::Shared,
        }
    }
}

/// A run that a worker has.
pub(super) struct Open {
    pub(super) calls: Arc<dyn Calls>,
    pub(super) limits: Limits,
    pub(super) owner: Owner,
    /// How many bytes of its output may still be told, if somebody follows it.
    pub(super) untold: Option<Untold>,
    pub(super) started: Instant,
    pub(super) host_calls: u64,
    pub(super) call: Option<AbortHandle>,
    /// Held by the last call, and by its answer until it is on its way.
    pub(super) answer: Weak<()>,
    pub(super) ending: oneshot::Sender<Result<Ended, RunError>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(call) = &self.call {
            call.abort();
        }
    }
}

impl Open {
    pub(super) fn end(&mut self, ended: Result<Ended, RunError>) {
        let ending = std::mem::replace(&mut self.ending, oneshot::channel().0);
        // The caller may have gone.
        let _ = ending.send(ended);
    }
}

/// How many bytes of output a worker may still tell.
#[derive(Debug, Default)]
pub(super) struct Untold {
    pub(super) stdout: u64,
    pub(super) stderr: u64,
}

impl Untold {
    /// Whether so many more bytes are within that; then they are counted.
    pub(super) fn takes(&mut self, stream: OutputStream, bytes: usize) -> bool {
        let left = match stream {
            OutputStream::Stdout => &mut self.stdout,
            OutputStream::Stderr => &mut self.stderr,
        };
        let rest = left.checked_sub(bytes as u64).filter(|_| bytes > 0);
        *left = rest.unwrap_or(*left);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::NoCalls;

    fn open(untold: Option<Untold>) -> Open {
        Open {
            calls: Arc::new(NoCalls),
            limits: Limits::default(),
            owner: Owner::default(),
            untold,
            started: Instant::now(),
            host_calls: 0,
            call: None,
            answer: Weak::new(),
            ending: oneshot::channel().0,
        }
    }

    /// Others have runs in the same worker: it is not ended for what it sent before it heard of a cancellation.
    #[test]
    fn e18_of_a_cancelled_run_all_that_an_honest_worker_may_have_sent_is_tolerated_and_not_more() {
        let mut runs = Runs::default();
        runs.open.insert(1, open(Some(Untold { stdout: 1_000, stderr: 0 })));
        runs.open.insert(2, open(None));
        assert!(!runs.tolerates() && !runs.tolerates_output(OutputStream::Stdout, 1), "nothing was cancelled");
        assert!(runs.cancel(1) && runs.cancel(2) && !runs.cancel(1));
        assert!((0..1_000).all(|_| runs.tolerates_output(OutputStream::Stdout, 1)), "however small its pieces are");
        assert!(!runs.tolerates_output(OutputStream::Stdout, 1) && !runs.tolerates_output(OutputStream::Stderr, 1));
        assert!((0..4).all(|_| runs.tolerates()) && !runs.tolerates(), "a call and an ending of each");
    }
}
