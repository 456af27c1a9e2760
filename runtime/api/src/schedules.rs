//! Schedules: jobs that are submitted again and again.

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use intentbox_engine::Principal;
use intentbox_jobs::{Schedule, ScheduleRequest};
use intentbox_listen::bodies::held;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::jobs::{IDEMPOTENCY_KEY, json, may_submit, time};
use crate::problem::Problem;
use crate::segment::Segment;
use crate::{Api, body};

/// A schedule as clients see it.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    cron: &'a str,
    timezone: &'a str,
    created_at: String,
    /// Left out where there is no further time.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_at: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    last_job: &'a str,
    submitted: u64,
    skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Page<'a> {
    schedules: Vec<Shown<'a>>,
}

impl<'a> Shown<'a> {
    fn of(schedule: &'a Schedule) -> Self {
        Self {
            id: &schedule.id,
            cron: &schedule.cron,
            timezone: &schedule.zone,
            created_at: time(schedule.created_ms),
            next_at: Some(time(schedule.next_ms)).filter(|_| schedule.next_ms != i64::MAX),
            last_job: &schedule.last_job,
            submitted: schedule.submitted,
            skipped: schedule.skipped,
            job: serde_json::from_str::<&RawValue>(&schedule.request).ok(),
        }
    }
}

pub(crate) async fn add(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    if headers.contains_key(IDEMPOTENCY_KEY) {
        let reason = "a schedule has no key: list those that are there with GET /v1/schedules".to_owned();
        return Err(Problem::parameter("Idempotency-Key", reason));
    }
    let read = body::read(&api.bodies, &principal, &headers, body).await?;
    let request = ScheduleRequest::parse(&read.text)?;
    may_submit(&api, &principal, &request.job).map_err(|problem| problem.within("job"))?;
    let schedule = api.queue.add_schedule(&principal, &request).await?;
    let mut response = json(StatusCode::CREATED, &Shown::of(&schedule));
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/schedules/{}", schedule.id)) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

pub(crate) async fn list(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
) -> Result<Response, Problem> {
    let permit = api.permit(&principal).await.ok_or_else(Problem::unread)?;
    let schedules = api.queue.schedules(&principal).await.map_err(|error| Problem::store(&error))?;
    let shown = json(StatusCode::OK, &Page { schedules: schedules.iter().map(Shown::of).collect() });
    Ok(held(shown, permit).await)
}

pub(crate) async fn show(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    Segment(id): Segment,
) -> Result<Response, Problem> {
    let schedules = api.queue.schedules(&principal).await.map_err(|error| Problem::store(&error))?;
    let found = schedules.iter().find(|schedule| schedule.id == id);
    found.map(|schedule| json(StatusCode::OK, &Shown::of(schedule))).ok_or_else(none)
}

pub(crate) async fn remove(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    Segment(id): Segment,
) -> Result<Response, Problem> {
    let is_gone = api.queue.remove_schedule(&principal, &id).await.map_err(|error| Problem::store(&error))?;
    if is_gone { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(none()) }
}

fn none() -> Problem {
    Problem::not_found("you have no such schedule".to_owned())
}
