//! Where the jobs of a command are: in the state folder or a database, or behind a server.

use std::time::Duration;

use intentbox_engine::Principal;
use intentbox_jobs::{
    Job, JobFilter, JobRequest, JobState, JobStore, KEY_BYTES_MAX, NotAccepted, Queue, ScheduleRequest, is_key,
};
use intentbox_store::Place;
use tokio::time::sleep;

use super::remote::Remote;
use super::view::{EventView, JobView, ScheduleView};
use crate::error::{Class, Classify as _, CommandError};
use crate::show;

/// How often a job that is watched is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// After how many looks at a job that could begin it is said that none has begun it.
const LOOKS_BEGUN: u32 = 15;

/// How many events are read at once.
const READ_MAX: u32 = 100;

/// What a command asks about jobs.
pub(crate) enum Client {
    Kept(Kept),
    Remote(Remote),
}

/// Jobs that this program reads and writes itself.
pub(crate) struct Kept {
    pub(super) queue: Queue,
    pub(super) store: JobStore,
    /// Whose they are.
    pub(super) principal: Principal,
    /// Where they are kept.
    pub(super) place: Place,
}

impl Client {
    /// Submits a request, whose text is JSON.
    pub(super) async fn submit(&self, text: &str, key: Option<String>) -> Result<JobView, CommandError> {
        // A server says the same, later.
        if key.as_ref().is_some_and(|key| !is_key(key)) {
            return Err(Class::Usage.error(format!("--key is 1 to {KEY_BYTES_MAX} visible ASCII characters")));
        }
        let request = JobRequest::parse(text).map_err(|fault| Class::Usage.error(fault.to_string()))?;
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                let accepted = queue.submit(principal, &request, text, key).await;
                let class = |error: &NotAccepted| match error {
                    NotAccepted::OtherRequest => Class::Usage,
                    _ => Class::Unavailable,
                };
                let told = |error: NotAccepted| match error {
                    NotAccepted::OtherRequest => class(&error)
                        .error(&error)
                        .hint("choose another --key, or repeat the command of the first request as it was"),
                    _ => class(&error).error(&error),
                };
                accepted.map(|(job, _)| job.into()).map_err(told)
            }
            Self::Remote(remote) => remote.submit(text, key).await,
        }
    }

    /// The newest jobs first.
    pub(super) async fn list(
        &self,
        state: Option<JobState>,
        label: Option<(String, String)>,
        most: u32,
    ) -> Result<Vec<JobView>, CommandError> {
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                let filter = JobFilter { state, label, ..JobFilter::default() };
                let jobs = queue.list(principal, filter, most).await.class(Class::Unavailable)?;
                Ok(jobs.into_iter().map(JobView::from).collect())
            }
            Self::Remote(remote) => remote.list(state, label.as_ref(), most).await,
        }
    }

    /// A job; nothing if there is none of this id.
    pub(crate) async fn job(&self, id: &str) -> Result<Option<JobView>, CommandError> {
        match self {
            Self::Kept(kept) => Ok(kept.job(id).await?.map(JobView::from)),
            Self::Remote(remote) => remote.job(id).await,
        }
    }

    /// Cancels a job, and gives it as it is then.
    pub(super) async fn cancel(&self, id: &str) -> Result<Option<JobView>, CommandError> {
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                let job = queue.cancel(principal, id).await.class(Class::Unavailable)?;
                Ok(job.map(JobView::from))
            }
            Self::Remote(remote) => remote.cancel(id).await,
        }
    }

    /// Keeps a schedule, whose text is JSON.
    pub(crate) async fn add_schedule(&self, text: &str) -> Result<ScheduleView, CommandError> {
        let request = ScheduleRequest::parse(text).map_err(|fault| Class::Usage.error(fault.to_string()))?;
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                let kept = queue.add_schedule(principal, &request).await;
                kept.map(ScheduleView::from).map_err(|error| Class::Unavailable.error(error.to_string()))
            }
            Self::Remote(remote) => remote.add_schedule(text).await,
        }
    }

    /// The schedules, the oldest first.
    pub(crate) async fn schedules(&self) -> Result<Vec<ScheduleView>, CommandError> {
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                let schedules = queue.schedules(principal).await.class(Class::Unavailable)?;
                Ok(schedules.into_iter().map(ScheduleView::from).collect())
            }
            Self::Remote(remote) => remote.schedules().await,
        }
    }

    /// Removes a schedule. Returns whether it was there.
    pub(crate) async fn remove_schedule(&self, id: &str) -> Result<bool, CommandError> {
        match self {
            Self::Kept(Kept { queue, principal, .. }) => {
                queue.remove_schedule(principal, id).await.class(Class::Unavailable)
            }
            Self::Remote(remote) => remote.remove_schedule(id).await,
        }
    }

    /// Ends the connection.
    pub(crate) async fn close(self) {
        if let Self::Kept(kept) = self {
            kept.store.close().await;
        }
    }

    /// Tells what happens to a job until it has ended.
    pub(super) async fn follow(&self, id: &str, tell: &mut dyn FnMut(&EventView)) -> Result<(), CommandError> {
        match self {
            Self::Kept(kept) => kept.follow(id, tell).await,
            Self::Remote(remote) => remote.follow(id, tell).await,
        }
    }
}

impl Kept {
    async fn job(&self, id: &str) -> Result<Option<Job>, CommandError> {
        self.queue.job(&self.principal, id).await.class(Class::Unavailable)
    }

    async fn follow(&self, id: &str, tell: &mut dyn FnMut(&EventView)) -> Result<(), CommandError> {
        let (mut after, mut looks) = (0, 0);
        // The job first: an event that comes after it is read in the next round.
        while let Some(job) = self.job(id).await? {
            loop {
                let events = self.queue.events(&job, after, READ_MAX).await.class(Class::Unavailable)?;
                let Some(last) = events.last() else { break };
                after = last.number;
                for event in &events {
                    tell(&event.into());
                }
            }
            if job.state.is_final() {
                break;
            }
            looks = if job.state == JobState::Ready { looks + 1 } else { 0 };
            if looks == LOOKS_BEGUN {
                let place = &self.place;
                show::notice(&format!("no server has begun the job yet: does `intentbox serve` run on {place}?"));
            }
            sleep(LOOK).await;
        }
        Ok(())
    }
}
