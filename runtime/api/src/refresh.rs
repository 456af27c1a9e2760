//! Discovers the tools of an upstream server anew, and tells how that goes, as well as any other discovery of this process.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use intentbox_tools::{DiscoveryEnd, DiscoveryFailure, Progress, Step};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::Api;
use crate::jobs::json;
use crate::problem::Problem;
use crate::segment::Segment;

/// How many steps wait to be read. Who reads slower misses some, and gets the last one.
const STEPS_MAX: usize = 64;

/// How often a discovery that waits for others looks whether it may begin, and how long it does at most.
const TURN_PAUSE: Duration = Duration::from_secs(1);
const TURN_MAX: Duration = Duration::from_mins(10);

/// How often a line is sent where nothing happens.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The servers whose discovery was accepted here and has not ended: one for each, however often it is asked for.
#[derive(Debug, Clone, Default)]
pub struct Refreshing(Arc<Mutex<BTreeSet<String>>>);

/// A server among those. Dropping it takes it out.
struct Refresh {
    all: Refreshing,
    id: String,
}

impl Refreshing {
    fn begin(&self, id: &str) -> Option<Refresh> {
        self.servers().insert(id.to_owned()).then(|| Refresh { all: self.clone(), id: id.to_owned() })
    }

    fn servers(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Refresh {
    fn drop(&mut self) {
        self.all.servers().remove(&self.id);
    }
}

/// Begins a discovery, which goes on whether or not somebody listens: 202 at once, or with `Accept: text/event-stream` each step and how it
/// ended.
pub(crate) async fn refresh(
    State(api): State<Api>,
    Segment(server): Segment,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = api.engine.upstreams().and_then(|upstreams| {
        let id = upstreams.servers().map(|config| &config.id).find(|id| id.as_str() == server)?.clone();
        Some((upstreams.clone(), id))
    });
    let Some((upstreams, id)) = found else {
        return Err(Problem::not_found(
            "no upstream server of this name can be used here; see GET /v1/tools".to_owned(),
        ));
    };
    let (steps, mut told) = mpsc::channel::<(&'static str, Value)>(STEPS_MAX);
    let (name, stop) = (id.to_string(), api.stop.clone());
    let begun = api.refreshing.begin(&name);
    tokio::spawn(async move {
        let Some(_begun) = begun else {
            let _ = steps.send(ended(Ok(DiscoveryEnd::Busy))).await;
            return;
        };
        let watcher = |progress| {
            let _ = steps.try_send(step(progress));
        };
        // As many as may go on may do already. It was accepted, and waits for its turn.
        let turn = async {
            loop {
                match upstreams.discover(&id, &watcher).await {
                    Ok(DiscoveryEnd::Full) => sleep(TURN_PAUSE).await,
                    end => break end,
                }
            }
        };
        let end = tokio::select! {
            end = timeout(TURN_MAX, turn) => end.unwrap_or(Ok(DiscoveryEnd::Full)),
            () = stop.cancelled() => return,
        };
        // Whoever listens gets the end; nobody else is waited for.
        let _ = steps.send(ended(end)).await;
    });
    let wants_events = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if !wants_events.is_some_and(|accept| accept.contains("text/event-stream")) {
        told.close();
        return Ok(json(StatusCode::ACCEPTED, &json!({"id": name, "status": "discovering"})));
    }
    let events = unfold(told, |mut told| async move {
        let (kind, data) = told.recv().await?;
        Some((Ok::<_, Infallible>(Event::default().event(kind).data(data.to_string())), told))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// Every step of every discovery from now on. The stream ends when the server stops.
pub(crate) async fn steps(State(api): State<Api>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let steps = api.engine.upstreams().map(|upstreams| upstreams.steps());
    let events = unfold((steps, api.stop), |(mut steps, stop)| async move {
        let next = tokio::select! {
            next = next(steps.as_mut()) => next,
            () = stop.cancelled() => None,
        }?;
        let (kind, mut data) = step(next.progress);
        data["server"] = next.server.as_str().into();
        Some((Ok(Event::default().event(kind).data(data.to_string())), (steps, stop)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// The next step. Where there are no servers there is none, and one waits.
async fn next(steps: Option<&mut Receiver<Step>>) -> Option<Step> {
    let Some(steps) = steps else { return std::future::pending().await };
    loop {
        match steps.recv().await {
            Ok(step) => return Some(step),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

fn step(progress: Progress) -> (&'static str, Value) {
    match progress {
        Progress::Starting => ("starting", json!({})),
        Progress::Connecting => ("connecting", json!({})),
        Progress::Discovering(tools) => ("discovering", json!({"tools": tools})),
        Progress::Caching => ("caching", json!({})),
        Progress::Complete { tools, rejected } => ("complete", json!({"tools": tools, "rejected": rejected})),
        Progress::Failed => ("failing", json!({})),
    }
}

fn ended(end: Result<DiscoveryEnd, intentbox_tools::StoreError>) -> (&'static str, Value) {
    match end {
        Ok(DiscoveryEnd::Listed(listing)) => ("success", json!({"tools": listing.tools.len()})),
        Ok(DiscoveryEnd::Failed(error)) => ("failed", json!({"message": DiscoveryFailure::of(&error).message})),
        Ok(DiscoveryEnd::Busy) => ("busy", json!({"message": "this server is being discovered already"})),
        Ok(DiscoveryEnd::Full) => {
            ("full", json!({"message": "too many servers are being discovered: try again later"}))
        }
        Err(error) => ("failed", json!({"message": error.to_string()})),
    }
}
