//! A run that the client waits for. It is not kept: who needs the answer after a cut connection submits a job.

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use intentbox_engine::{Caller, Consent, Event, Of, Pending, Principal};
use intentbox_jobs::{DRAIN, JobRequest, When, Work};
use intentbox_listen::bodies::{INLINE_BYTES_MAX, held};
use intentbox_listen::http::trace;
use intentbox_report::{Report, Wire};
use tokio::time::sleep;

use crate::jobs::json;
use crate::problem::Problem;
use crate::{Api, body, words};

async fn answer(api: &Api, request: &JobRequest, caller: &Caller) -> Report {
    match &request.work {
        Work::Intent(intent) => {
            let pending = Pending::new(caller, &api.events);
            api.engine.learn_names(intent, caller).await;
            let plan = api.engine.plan(intent, caller).await;
            pending.end();
            api.engine.answer(plan, caller, &api.events).await
        }
        Work::Code(code) => match api.engine.plan_code(code, caller) {
            Ok(run) => api.engine.run(run, caller, &api.events).await,
            Err(report) => {
                api.events.note(Of::request(report.run_id, caller), Event::Ended { report: &report });
                *report
            }
        },
    }
}

/// Waits until the server stops and waits for runs no longer: it waits as long for those of jobs.
async fn cut_off(api: &Api) {
    api.stop.cancelled().await;
    sleep(DRAIN).await;
}

fn stopping() -> Problem {
    let detail = "the run was cut off: if it may have changed something, look whether it did before you send it again";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server is stopping").detail(detail.to_owned())
}

/// Runs, and answers with the report: 200 whatever its outcome, since the request was carried out. Dropping the connection ends
/// the run.
pub(crate) async fn run(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let read = body::read(&api.bodies, &principal, &headers, body).await?;
    let request = JobRequest::parse(&read.text)?;
    drop(read);
    if request.when != When::Now
        || request.ttl_s.is_some()
        || request.priority != 0
        || !request.labels.is_empty()
        || request.callback_url.is_some()
    {
        let detail = "delay_s, run_at, ttl_s, priority, labels and callback_url are for jobs: POST /v1/jobs".to_owned();
        return Err(
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "request_invalid", "the request is invalid").detail(detail)
        );
    }
    let consent = if request.allow_writes { Consent::Given } else { Consent::Asked };
    let owner = principal.clone();
    let caller = Caller { consent, ceilings: api.ceilings.clone(), trace: trace(&headers), ..Caller::of(principal) };
    let report = tokio::select! {
        report = answer(&api, &request, &caller) => report,
        () = cut_off(&api) => return Err(stopping()),
    };
    if report.bytes() <= INLINE_BYTES_MAX {
        return Ok(json(StatusCode::OK, &Wire::new(&report, words)));
    }
    let permit = api.permit(&owner).await.ok_or_else(Problem::unread)?;
    Ok(held(json(StatusCode::OK, &Wire::new(&report, words)), permit).await)
}
