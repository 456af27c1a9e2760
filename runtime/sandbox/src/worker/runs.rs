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

/// How many pieces of output a worker may still send of a run that was cancelled, beside its call and its ending: those
/// that it sent before it heard of that.
const LATE_PIECES_MAX: u64 = 64;

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
    /// How many frames may still come about runs that were cancelled. See `tolerates`.
    late: u64,
}

impl Runs {
    /// Forgets a run whose caller went away; returns whether it was open. One more call and one ending may come of it.
    pub(super) fn cancel(&mut self, run: u32) -> bool {
        let Some(open) = self.open.remove(&run) else { return false };
        let late = 2 + open.untold.as_ref().map_or(0, |_| LATE_PIECES_MAX);
        self.late = (self.late + late).min(TOLERATED_MAX);
        true
    }

    /// Whether a frame about a run that is not open may be honest: the worker may have sent it before it knew that the
    /// run was cancelled. Beyond that, the worker is not ours any more.
    pub(super) fn tolerates(&mut self) -> bool {
        let tolerated = self.late > 0;
        self.late = self.late.saturating_sub(1);
        tolerated
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

/// How many bytes of a run's output its worker may still tell.
pub(super) struct Untold {
    pub(super) stdout: u64,
    pub(super) stderr: u64,
}

impl Untold {
    /// Whether so many more bytes are within what the run may write.
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
