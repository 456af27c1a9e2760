//! Jobs: accept, tell, list and cancel.

use std::collections::{BTreeMap, BTreeSet};

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use intentbox_engine::Principal;
use intentbox_jobs::{Asks, DeliveryStatus, Job, JobFilter, JobRequest, JobState, KEY_BYTES_MAX, is_key, object};
use intentbox_listen::bodies::held;
use intentbox_listen::http::trace;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::segment::Segment;
use crate::{Api, body};

/// The header by which the same request is the same job.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// How many jobs a batch has at most.
const BATCH_MAX: usize = 500;

/// How many jobs a page has, unless it is said, and at most.
const PAGE: u32 = 20;
const PAGE_MAX: u32 = 100;

/// A job as clients see it.
#[derive(Serialize)]
pub(crate) struct Shown<'a> {
    id: &'a str,
    state: &'static str,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<String>,
    attempt: u32,
    attempts: u32,
    priority: i64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    outcome: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    trouble: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cancelling: bool,
    /// The beginning of what its request asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    asks: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<Callback<'a>>,
}

/// How telling the end of a job is going.
#[derive(Serialize)]
struct Callback<'a> {
    url: &'a str,
    /// `waiting` before the end, too.
    state: &'a str,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_at: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    trouble: &'a str,
}

impl<'a> Callback<'a> {
    fn of(job: &'a Job, delivery: Option<&'a DeliveryStatus>) -> Option<Self> {
        let url = Some(job.callback_url.as_str()).filter(|url| !url.is_empty())?;
        let Some(delivery) = delivery else {
            return Some(Self { url, state: "waiting", attempts: 0, next_at: None, trouble: "" });
        };
        let next_at = (delivery.state == "waiting").then(|| time(delivery.next_ms));
        Some(Self { url, state: &delivery.state, attempts: delivery.attempt, next_at, trouble: &delivery.trouble })
    }
}

/// A time as clients read it.
pub(crate) fn time(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map(|time| time.to_string()).unwrap_or_default()
}

/// A page of jobs.
#[derive(Serialize)]
struct Page<'a> {
    jobs: Vec<Shown<'a>>,
    /// The cursor of the next page, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl<'a> Shown<'a> {
    pub(crate) fn row(job: &'a Job) -> Self {
        Self {
            id: &job.id,
            state: job.state.as_str(),
            created_at: time(job.created_ms),
            run_at: (job.run_at_ms > job.created_ms).then(|| time(job.run_at_ms)),
            expires_at: job.expires_ms.map(time),
            started_at: job.started_ms.map(time),
            finished_at: job.finished_ms.map(time),
            attempt: job.attempt,
            attempts: job.attempts_max,
            priority: job.priority,
            labels: job.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            outcome: &job.outcome,
            trouble: &job.trouble,
            cancelling: job.is_cancelled && !job.state.is_final(),
            asks: None,
            request: None,
            report: None,
            callback: None,
        }
    }

    /// For whoever may read it: the row with what it is about.
    fn listed(job: &'a Job) -> Self {
        Self { asks: Asks::of(&job.request).map(|asks| asks.text), ..Self::row(job) }
    }

    fn whole(job: &'a Job) -> Self {
        let raw = |text: &'a str| serde_json::from_str::<&RawValue>(text).ok();
        Self { request: raw(&job.request), report: raw(&job.report), ..Self::row(job) }
    }
}

/// The jobs of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    jobs: Vec<Box<RawValue>>,
}

/// Whether a job could run under the limits of this server, and the policy lets its end be told where it is to be: nobody waits for a
/// job that can only fail.
pub(crate) fn may_submit(api: &Api, principal: &Principal, request: &JobRequest) -> Result<(), Problem> {
    api.may_run(principal, request)?;
    may_call_back(api, principal, request)
}

/// Whether the policy lets the end of this job be told where it is to be.
fn may_call_back(api: &Api, principal: &Principal, request: &JobRequest) -> Result<(), Problem> {
    let Some(url) = &request.callback_url else { return Ok(()) };
    api.engine.admit_callback(principal, url).map_err(|refusal| {
        let title = "the policy does not allow this callback";
        Problem::new(StatusCode::FORBIDDEN, "callback_refused", title).field("callback_url").detail(refusal)
    })
}

/// Accepts all jobs of a batch, or none.
pub(crate) async fn submit_all(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (key, trace) = (key(&headers)?, trace(&headers));
    let read = body::read(&api.bodies, &principal, &headers, body).await?;
    let invalid = |detail: String| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "request_invalid", "the request is invalid").detail(detail)
    };
    let batch: Batch = object(&read.text)?;
    if batch.jobs.is_empty() || batch.jobs.len() > BATCH_MAX {
        return Err(invalid(format!("a batch has 1 to {BATCH_MAX} jobs")).field("jobs"));
    }
    let mut requests = Vec::with_capacity(batch.jobs.len());
    let mut refused = None;
    for (place, job) in batch.jobs.iter().enumerate() {
        let within = |problem: Problem| problem.within(&format!("jobs[{place}]"));
        let request = JobRequest::parse(job.get()).map_err(|fault| within(fault.into()))?;
        if refused.is_none() {
            refused = may_submit(&api, &principal, &request).map_err(within).err();
        }
        requests.push((JobRequest { trace: trace.clone(), ..request }, job.get().to_owned()));
    }
    let jobs = match (refused, &key) {
        (None, key) => api.queue.submit_all(&principal, &requests, key.as_deref()).await?,
        // It may have been accepted under other limits.
        (Some(refused), Some(key)) => api.queue.all_known(&principal, &requests, key).await?.ok_or(refused)?,
        (Some(refused), None) => return Err(refused),
    };
    Ok(json(StatusCode::ACCEPTED, &Page { jobs: jobs.iter().map(Shown::row).collect(), next: None }))
}

/// The key by which a principal checks the signatures of callbacks.
pub(crate) async fn callback_key(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
) -> Result<Response, Problem> {
    let key = api.queue.callback_key(&principal).await.map_err(|error| Problem::store(&error))?;
    Ok(json(StatusCode::OK, &serde_json::json!({"key": key})))
}

pub(crate) async fn submit(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (key, trace) = (key(&headers)?, trace(&headers));
    let read = body::read(&api.bodies, &principal, &headers, body).await?;
    let request = JobRequest { trace, ..JobRequest::parse(&read.text)? };
    let job = match (may_submit(&api, &principal, &request), &key) {
        (Ok(()), _) => api.queue.submit(&principal, &request, &read.text, key).await?.0,
        // It may have been accepted under other limits.
        (Err(refused), Some(key)) => api.queue.known(&principal, &request, &read.text, key).await?.ok_or(refused)?,
        (Err(refused), None) => return Err(refused),
    };
    let mut response = json(StatusCode::ACCEPTED, &Shown::row(&job));
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/jobs/{}", job.id)) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

pub(crate) async fn show(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    Segment(id): Segment,
) -> Result<Response, Problem> {
    let permit = api.permit(&principal).await.ok_or_else(Problem::unread)?;
    let job = found(&api, &principal, &id).await?;
    let delivery = api.queue.delivery(&job).await.map_err(|error| Problem::store(&error))?;
    let shown = json(StatusCode::OK, &Shown { callback: Callback::of(&job, delivery.as_ref()), ..Shown::whole(&job) });
    Ok(held(shown, permit).await)
}

/// Cancels: 200 with a job that has ended, by this or before, and 202 with one whose runner has to hear of it.
pub(crate) async fn cancel(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    Segment(id): Segment,
) -> Result<Response, Problem> {
    let job = api.queue.cancel(&principal, &id).await.map_err(|error| Problem::store(&error))?;
    let job = job.ok_or_else(|| none(&id))?;
    let status = if job.state.is_final() { StatusCode::OK } else { StatusCode::ACCEPTED };
    // Not what it was about: a token may be for running alone.
    Ok(json(status, &Shown::row(&job)))
}

pub(crate) async fn list(
    State(api): State<Api>,
    Extension(principal): Extension<Principal>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (filter, most) = filter(query.as_deref().unwrap_or_default())?;
    let jobs = api.queue.list(&principal, filter, most).await.map_err(|error| Problem::store(&error))?;
    let is_full = jobs.len() == usize::try_from(most).unwrap_or(usize::MAX);
    let next = jobs.last().filter(|_| is_full).map(|job| job.number.to_string());
    Ok(json(StatusCode::OK, &Page { jobs: jobs.iter().map(Shown::listed).collect(), next }))
}

/// A job of this principal.
pub(crate) async fn found(api: &Api, principal: &Principal, id: &str) -> Result<Job, Problem> {
    let job = api.queue.job(principal, id).await.map_err(|error| Problem::store(&error))?;
    job.ok_or_else(|| none(id))
}

fn none(id: &str) -> Problem {
    let shown: String = id.chars().take(64).filter(char::is_ascii_graphic).collect();
    Problem::not_found(format!("you have no job {shown}"))
}

pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    (status, axum::Json(value)).into_response()
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
    let (Some(key), None) = (given.next(), given.next()) else {
        let is_there = headers.contains_key(IDEMPOTENCY_KEY);
        let several = || Problem::parameter("Idempotency-Key", "send one key".to_owned());
        return if is_there { Err(several()) } else { Ok(None) };
    };
    let key = key.to_str().ok().filter(|key| is_key(key));
    let reason = || format!("a key is 1 to {KEY_BYTES_MAX} visible ASCII characters");
    key.map(|key| Some(key.to_owned())).ok_or_else(|| Problem::parameter("Idempotency-Key", reason()))
}

/// The filter of a query, and how many jobs the page has.
fn filter(query: &str) -> Result<(JobFilter, u32), Problem> {
    let (mut filter, mut most) = (JobFilter::default(), PAGE);
    let mut seen = BTreeSet::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !seen.insert(name) {
            let shown: String = name.chars().take(40).filter(char::is_ascii_graphic).collect();
            return Err(Problem::parameter(&shown, "send it once".to_owned()));
        }
        let value = decoded(value).ok_or_else(|| Problem::parameter(name, "it is not encoded as UTF-8".to_owned()))?;
        match name {
            "state" => {
                let all: Vec<&str> = JobState::ALL.iter().map(|state| state.as_str()).collect();
                let state = JobState::of(&value);
                let reason = || format!("choose one of {}", all.join(", "));
                filter.state = Some(state.ok_or_else(|| Problem::parameter(name, reason()))?);
            }
            "label" => {
                let label = value.split_once('=').filter(|(name, _)| !name.is_empty());
                let reason = || "write NAME=VALUE, such as label=team%3Dweb".to_owned();
                let (key, value) = label.ok_or_else(|| Problem::parameter(name, reason()))?;
                filter.label = Some((key.to_owned(), value.to_owned()));
            }
            "cursor" => {
                let cursor = value.parse::<i64>().ok().filter(|cursor| *cursor > 0);
                let reason = || "send `next` of the page before".to_owned();
                filter.before = Some(cursor.ok_or_else(|| Problem::parameter(name, reason()))?);
            }
            "limit" => {
                let limit = value.parse::<u32>().ok().filter(|limit| (1..=PAGE_MAX).contains(limit));
                most = limit.ok_or_else(|| Problem::parameter(name, format!("choose 1 to {PAGE_MAX}")))?;
            }
            other => {
                let shown: String = other.chars().take(40).filter(char::is_ascii_graphic).collect();
                let detail = "the parameters are state, label, cursor and limit".to_owned();
                return Err(Problem::parameter(&shown, detail));
            }
        }
    }
    Ok((filter, most))
}

/// A value of a query without its percent signs.
fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit(rest.next()?)? * 16 + digit(rest.next()?)?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a08_a_query_is_read_within_its_bounds_or_refused() {
        let (read, most) = filter("state=running&label=team%3Da%20b&cursor=7&limit=100").expect("a query");
        assert_eq!(most, 100);
        assert_eq!((read.state, read.before), (Some(JobState::Running), Some(7)));
        assert_eq!(read.label, Some(("team".to_owned(), "a b".to_owned())));
        assert_eq!(filter("").expect("nothing").1, PAGE);
        for query in [
            "state=gone",
            "state=",
            "label=x",
            "label==x",
            "cursor=-1",
            "cursor=0",
            "cursor=9999999999999999999",
            "cursor=1;drop",
            "limit=0",
            "limit=-1",
            "limit=101",
            "limit=1e9",
            "page=2",
            "limit=%zz",
            "label=a%3D%00",
            "state=%ff",
        ] {
            assert!(filter(query).is_err(), "{query}");
        }
    }
}
