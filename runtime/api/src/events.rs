//! What happens to a job, as server-sent events. The id of an event is its place in the ledger: a client that comes back with the
//! last one gets what it missed, and nothing twice.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use intentbox_engine::Principal;
use intentbox_jobs::{Job, JobEvent, JobState};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use crate::Api;
use crate::jobs::found;
use crate::problem::Problem;
use crate::segment::Segment;

/// How many events are read at once.
const READ_MAX: u32 = 100;

/// How often it is looked for events without being told of a change: a connection by which other machines tell theirs may have been
/// lost for a while.
const LOOK: Duration = Duration::from_secs(10);

/// How often a line is sent where nothing happens.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A client that follows a job.
struct Following {
    api: Api,
    job: Job,
    after: i64,
    read: std::vec::IntoIter<JobEvent>,
    changes: Receiver<i64>,
    has_ended: bool,
}

pub(crate) async fn stream(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    Segment(id): Segment,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let job = found(&api, &principal, &id).await?;
    let after = match headers.get("last-event-id") {
        None => 0,
        Some(last) => {
            let last = last.to_str().ok().and_then(|last| last.parse::<i64>().ok()).filter(|last| *last >= 0);
            let reason = || "send the id of an event of this job".to_owned();
            last.ok_or_else(|| Problem::parameter("Last-Event-ID", reason()))?
        }
    };
    // Before the first look, so that nothing falls between.
    let changes = api.queue.changes();
    if after > 0 {
        let last = api.queue.events(&job, after - 1, 1).await.map_err(|error| Problem::store(&error))?;
        if last.first().is_none_or(|event| event.number != after) {
            return Err(Problem::parameter("Last-Event-ID", format!("this job has no event {after}")));
        }
    }
    let following = Following { api, job, after, read: Vec::new().into_iter(), changes, has_ended: false };
    let events = unfold(following, |mut following| async move {
        let event = following.next().await?;
        let shown = Event::default().id(event.number.to_string()).event(event.kind.as_str());
        Some((Ok(shown.data(data(&event))), following))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The data of an event with its time: an object.
fn data(event: &JobEvent) -> String {
    let time = jiff::Timestamp::from_millisecond(event.at_ms).map(|time| time.to_string()).unwrap_or_default();
    let rest = event.data.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let comma = if rest.is_empty() { "" } else { "," };
    format!("{{\"at\":\"{time}\"{comma}{rest}}}")
}

impl Following {
    /// The next event; nothing after the last one of a job that has ended, and when the server stops.
    async fn next(&mut self) -> Option<JobEvent> {
        loop {
            if let Some(event) = self.read.next() {
                self.after = event.number;
                self.has_ended |= JobState::of(&event.kind).is_some_and(JobState::is_final);
                return Some(event);
            }
            if self.has_ended || self.api.stop.is_cancelled() {
                return None;
            }
            let read = self.api.queue.events(&self.job, self.after, READ_MAX).await.ok()?;
            if !read.is_empty() {
                self.read = read.into_iter();
                continue;
            }
            if self.is_over().await? {
                return None;
            }
            self.wait().await;
        }
    }

    /// Whether the job has ended and all of its events were read: a client may have come back after the last one.
    async fn is_over(&self) -> Option<bool> {
        let principal = Principal::kept(&self.job.principal)?;
        let job = self.api.queue.job(&principal, &self.job.id).await.ok()??;
        if !job.state.is_final() {
            return Some(false);
        }
        Some(self.api.queue.events(&self.job, self.after, 1).await.ok()?.is_empty())
    }

    /// Waits until the job may have changed.
    async fn wait(&mut self) {
        let number = self.job.number;
        let changes = &mut self.changes;
        let is_mine = async {
            // Who lags behind looks as well.
            while changes.recv().await.is_ok_and(|changed| changed != number) {}
        };
        tokio::select! {
            _ = timeout(LOOK, is_mine) => {}
            () = self.api.stop.cancelled() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_an_event_has_its_time() {
        let event =
            |data: &str| JobEvent { number: 1, at_ms: 1_795_000_000_000, kind: String::new(), data: data.to_owned() };
        assert_eq!(data(&event("{}")), r#"{"at":"2026-11-18T11:06:40Z"}"#);
        assert_eq!(data(&event(r#"{"attempt":1}"#)), r#"{"at":"2026-11-18T11:06:40Z","attempt":1}"#);
    }
}
