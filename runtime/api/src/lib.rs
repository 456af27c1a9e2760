//! The HTTP API: durable jobs, short runs, and what can be asked here.
//!
//! It is one surface of the engine, beside the command line and MCP: a request has the same plans, grants, limits and reports, and
//! a job is kept by `intentbox-jobs`. Requests come through `intentbox-listen`, which has checked their `Host`, their `Origin` and
//! their token. An error is a `problem+json` (RFC 9457) of a stable type.
//!
//! - `jobs`: accept, tell, list, cancel. `schedules`: jobs again and again. `events`: what happens to a job, as server-sent events. `run`: a run that is waited for.
//! - `inventory`: templates, tools and health. `refresh`: lists tools anew. `metrics`: counts for a monitor. `body`: what a client sent. `problem`: why a request failed. `segment`: a part of a path. `words`: hints.

mod body;
mod events;
mod inventory;
mod jobs;
mod metrics;
mod problem;
mod refresh;
mod run;
mod schedules;
mod segment;
mod words;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use intentbox_engine::{Caller, Ceilings, Engine, Events, Principal};
use intentbox_jobs::{Fault, JobRequest, Queue, Work};
use intentbox_listen::Scope;
use intentbox_listen::bodies::{BodyPermit, LargeBodies};
use intentbox_listen::http::{Rejection, Surface};
use intentbox_report::Cause;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub use crate::metrics::Metrics;
pub use crate::problem::unstored;
pub use crate::refresh::Refreshing;
pub use crate::words::words;
use problem::Problem;

/// Where the API is.
pub const PREFIX: &str = "/v1";

/// The path of the counts.
const METRICS: &str = "/metrics";

/// What the API answers from.
#[derive(Clone)]
pub struct Api {
    /// The jobs.
    pub queue: Queue,
    /// What runs.
    pub engine: Arc<Engine>,
    /// Where runs are reported.
    pub events: Arc<dyn Events>,
    /// The most that the operator lets runs use.
    pub ceilings: Ceilings,
    /// The large bodies that are being read.
    pub bodies: LargeBodies,
    /// The answers that clients are reading, as far as they are large.
    pub answers: LargeBodies,
    /// What a monitor reads.
    pub metrics: Arc<Metrics>,
    /// The servers whose tools are being listed anew.
    pub refreshing: Refreshing,
    /// The end of streams.
    pub stop: CancellationToken,
}

/// How long one waits for earlier answers of the same principal to be read.
const READ_WITHIN: Duration = Duration::from_secs(10);

impl Api {
    /// A permit for an answer that may be large ([`intentbox_listen::bodies::held`]); nothing where clients of the principal do not
    /// read what they asked for before.
    pub async fn permit(&self, principal: &Principal) -> Option<BodyPermit> {
        timeout(READ_WITHIN, self.answers.acquire(principal)).await.ok()
    }

    /// Whether a job could run under the limits of this server.
    ///
    /// # Errors
    /// What is wrong with its limits, its script or its input.
    pub fn may_run(&self, principal: &Principal, request: &JobRequest) -> Result<(), Fault> {
        let failure = match &request.work {
            Work::Intent(intent) => self.ceilings.check(&intent.settings.limits).err(),
            Work::Code(code) => {
                let caller = Caller { ceilings: self.ceilings.clone(), ..Caller::of(principal.clone()) };
                self.engine.plan_code(code, &caller).err().and_then(|report| report.failure.map(Box::new))
            }
        };
        let Some(failure) = failure else { return Ok(()) };
        let field = match failure.cause {
            Cause::Limits => "limits",
            Cause::Input => "input",
            _ => "code",
        };
        let hint = failure.remedy.as_ref().map(|remedy| format!("; {}", words(remedy))).unwrap_or_default();
        Err(Fault { field: field.to_owned(), reason: format!("{}{hint}", failure.message) })
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Api").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// What [`intentbox_listen::http::serve`] serves; other routes can be merged with these.
#[must_use]
pub fn surface(api: Api) -> Surface {
    let routes = Router::new()
        .route("/v1/jobs", post(jobs::submit).get(jobs::list).fallback(method_unknown))
        .route("/v1/batches", post(jobs::submit_all).fallback(method_unknown))
        .route("/v1/callback-key", get(jobs::callback_key).fallback(method_unknown))
        .route("/v1/schedules", post(schedules::add).get(schedules::list).fallback(method_unknown))
        .route("/v1/schedules/{id}", get(schedules::show).delete(schedules::remove).fallback(method_unknown))
        .route("/v1/jobs/{id}", get(jobs::show).delete(jobs::cancel).fallback(method_unknown))
        .route("/v1/jobs/{id}/events", get(events::stream).fallback(method_unknown))
        .route("/v1/run", post(run::run).fallback(method_unknown))
        .route("/v1/templates", get(inventory::templates).fallback(method_unknown))
        .route("/v1/tools", get(inventory::tools).fallback(method_unknown))
        .route("/v1/tools/events", get(refresh::steps).fallback(method_unknown))
        .route("/v1/tools/{server}/refresh", post(refresh::refresh).fallback(method_unknown))
        .route(METRICS, get(metrics::metrics).fallback(method_unknown))
        .route("/openapi.json", get(inventory::openapi).fallback(method_unknown))
        .with_state(api.clone());
    let open =
        Router::new().route("/healthz", get(inventory::health)).route("/readyz", get(inventory::ready)).with_state(api);
    Surface { routes, open, exposed: Vec::new(), needs, refuse, unknown }
}

/// What a server serves that only runs jobs: its health and its counts.
#[must_use]
pub fn surface_of_worker(api: Api) -> Surface {
    let routes = Router::new().route(METRICS, get(metrics::metrics)).with_state(api.clone());
    let open =
        Router::new().route("/healthz", get(inventory::health)).route("/readyz", get(inventory::ready)).with_state(api);
    Surface { routes, open, exposed: Vec::new(), needs, refuse, unknown: unknown_of_worker }
}

/// What a token has to be for. Counts are of all clients, and so are lists of tools.
#[must_use]
pub fn needs(method: &Method, uri: &Uri) -> Scope {
    match (uri.path(), method) {
        (METRICS, _) => Scope::Manage,
        // Whoever has the key can make callbacks: it is for those whose jobs are told.
        ("/v1/callback-key", _) => Scope::Run,
        (path, _) if path.starts_with("/v1/tools/") => Scope::Manage,
        (_, &Method::GET | &Method::HEAD) => Scope::Read,
        _ => Scope::Run,
    }
}

/// A rejection of the port as a problem.
#[must_use]
pub fn refuse(_: &Uri, rejection: Rejection) -> Response {
    let (kind, title) = match rejection {
        Rejection::HostOrOrigin => ("host_or_origin", "this Host or Origin is not allowed"),
        Rejection::Unauthorized => ("unauthorized", "no token that is accepted was sent"),
        Rejection::Scope { .. } => ("scope", "the token is for other things"),
        Rejection::Rate { .. } => ("rate", "too many requests"),
        Rejection::Overloaded => ("overloaded", "too many requests at a time"),
    };
    Problem::new(rejection.status(), kind, title).detail(rejection.to_string()).into_response()
}

/// The answer for a path that is not served.
#[must_use]
pub fn unknown(uri: &Uri) -> Response {
    Problem::not_found(format!("there is nothing at {}; the API is under {PREFIX}", uri.path())).into_response()
}

fn unknown_of_worker(uri: &Uri) -> Response {
    let detail =
        format!("there is nothing at {}: this server runs jobs, and has /healthz, /readyz and {METRICS}", uri.path());
    Problem::not_found(detail).into_response()
}

async fn method_unknown() -> Problem {
    Problem::new(axum::http::StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path has no such method")
}
