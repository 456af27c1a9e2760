//! Tells a page that jobs or discoveries of tools have changed. What changed is asked for like any page: this says only that it did.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::time::{sleep, timeout};

use crate::Dashboard;

/// Changes within this time are told together.
const PAUSE: Duration = Duration::from_millis(400);

/// How often a page looks without a change: another process may have changed something.
const LOOK: Duration = Duration::from_secs(3);

pub(crate) async fn live(State(dashboard): State<Dashboard>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = dashboard.api.queue.changes();
    let steps = dashboard.api.engine.upstreams().map(|upstreams| upstreams.steps());
    let stop = dashboard.api.stop.clone();
    let events = unfold((changes, steps, stop), |(mut changes, mut steps, stop)| async move {
        let look = async {
            let stepped = async {
                match &mut steps {
                    Some(steps) => drop(steps.recv().await),
                    None => std::future::pending().await,
                }
            };
            let news = async {
                tokio::select! {
                    _ = changes.recv() => {}
                    () = stepped => {}
                }
            };
            let _ = timeout(LOOK, news).await;
            sleep(PAUSE).await;
            while changes.try_recv().is_ok() {}
            while steps.as_mut().is_some_and(|steps| steps.try_recv().is_ok()) {}
        };
        tokio::select! {
            () = look => {}
            () = stop.cancelled() => return None,
        }
        Some((Ok(Event::default().event("changed").data("changed")), (changes, steps, stop)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
