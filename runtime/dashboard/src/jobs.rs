//! The list of a principal's jobs, and the page of one.

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use intentbox_catalog::Template;
use intentbox_catalog::json::parse_value;
use intentbox_engine::{Principal, Spent, limits};
use intentbox_jobs::{Asks, DeliveryStatus, Job, JobEvent, JobFilter, JobRequest, JobState, NotAccepted};
use intentbox_listen::bodies::held;
use intentbox_listen::http::is_same_origin;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::query::Query;
use crate::shown::{count, duration, short, time};
use crate::{Dashboard, render, shown};

/// How many jobs a page has.
const PAGE: u32 = 50;

/// How many events a page reads: all of one attempt, which tells up to 200 calls and 500 pieces of output.
const EVENTS: u32 = 1_000;

/// The list.
pub(crate) async fn list(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let query = Query::of(query.as_deref());
    let (chosen, label) = (query.get("state"), query.get("label"));
    let (filter, trouble) = match filter(chosen, label, query.get("cursor")) {
        Ok(filter) => (filter, ""),
        Err(trouble) => (JobFilter::default(), trouble),
    };
    let jobs = match dashboard.api.queue.list(&principal, filter, PAGE).await {
        Ok(jobs) => jobs,
        Err(error) => return render::unstored(&error),
    };
    let is_full = u32::try_from(jobs.len()).is_ok_and(|count| count == PAGE);
    let next = jobs.last().filter(|_| is_full).map(|last| query.with("cursor", &last.number.to_string()).path("/"));
    let here = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let rows: Vec<Value> = jobs.iter().map(row).collect();
    let rows = render::part("rows", &json!({ "jobs": rows, "next": next, "here": here }));
    if query.is_part() {
        return render::fragment(rows);
    }
    let states = JobState::ALL.map(JobState::as_str);
    let part_url = query.with("part", "1").path("/");
    let values = json!({"states": states, "chosen": chosen, "label": label, "trouble": trouble, "part_url": part_url});
    let body = rows.and_then(|rows| render::part_with("jobs", &values, &[("rows", rows)]));
    render::page(&principal, "/", "Jobs", body)
}

/// The filter that a person chose, or what is wrong with it.
fn filter(state: &str, label: &str, cursor: &str) -> Result<JobFilter, &'static str> {
    let state = match state {
        "" => None,
        word => Some(JobState::of(word).ok_or("There is no such state; all jobs are shown.")?),
    };
    let label = match label {
        "" => None,
        text => {
            let label = text.split_once('=').filter(|(name, _)| !name.is_empty());
            let (name, value) = label.ok_or("Write a label as NAME=VALUE; all jobs are shown.")?;
            Some((name.to_owned(), value.to_owned()))
        }
    };
    let before = match cursor {
        "" => None,
        text => Some(text.parse().map_err(|_| "There is no such page; all jobs are shown.")?),
    };
    Ok(JobFilter { principal: None, state, label, before })
}

/// How long a job ran, or has been running.
fn took(job: &Job) -> String {
    let Some(started) = job.started_ms else { return String::new() };
    let now = Timestamp::now().as_millisecond();
    let end = job.finished_ms.unwrap_or(if job.state == JobState::Running { now } else { started });
    duration(end.saturating_sub(started))
}

fn row(job: &Job) -> Value {
    let long = || Asks { text: "a long request".to_owned(), is_code: false };
    let Asks { text: asked, is_code } = Asks::of(&job.request).unwrap_or_else(long);
    let labels: Vec<String> = job.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    json!({
        "id": job.id, "short": short(&job.id, 9), "state": job.state.as_str(), "asked": asked, "is_code": is_code,
        "labels": labels, "outcome": job.outcome, "created": time(job.created_ms), "created_at": shown::instant(job.created_ms),
        "took": took(job), "attempt": job.attempt, "attempts": job.attempts_max, "trouble": job.trouble,
        "cancelling": job.is_cancelled
    })
}

/// The page of one job.
pub(crate) async fn one(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let Some(permit) = dashboard.api.permit(&principal).await else {
        return render::failed("too many large pages of yours are unread");
    };
    let found = match dashboard.api.queue.job(&principal, &id).await {
        Ok(found) => found,
        Err(error) => return render::unstored(&error),
    };
    let Some(job) = found else { return render::missing("You have no such job. Jobs are kept for seven days.") };
    let events = dashboard.api.queue.events(&job, 0, EVENTS).await;
    let delivery = dashboard.api.queue.delivery(&job).await;
    let (Ok(events), Ok(delivery)) = (events, delivery) else {
        return render::failed("what happened to the job cannot be read");
    };
    let body = whole(&dashboard, &job, &events, delivery.as_ref());
    if Query::of(query.as_deref()).is_part() {
        return held(render::fragment(body), permit).await;
    }
    let part_url = if job.state.is_final() { String::new() } else { format!("/ui/jobs/{}?part=1", job.id) };
    let body = body.and_then(|body| render::part_with("live", &json!({"part_url": part_url}), &[("body", body)]));
    held(render::page(&principal, "", &format!("Job {}", short(&job.id, 9)), body), permit).await
}

fn whole(
    dashboard: &Dashboard,
    job: &Job,
    events: &[JobEvent],
    delivery: Option<&DeliveryStatus>,
) -> Result<String, minijinja::Error> {
    let request = parse_value(&job.request).unwrap_or_default();
    let report = parse_value(&job.report).unwrap_or_default();
    let error = report.get("error").map(|error| {
        json!({ "message": text(error, "message"), "hint": text(error, "hint"), "traceback": text(error, "traceback") })
    });
    // The one that ended the run is told once.
    let refusals: Vec<Value> = list_of(&report, "refusals")
        .filter(|refusal| refusal["message"] != report["error"]["message"])
        .map(|refusal| json!({ "message": text(refusal, "message"), "hint": text(refusal, "hint") }))
        .collect();
    let calls: Vec<Value> = list_of(&report, "calls")
        .map(|call| {
            let ms = call["ms"].as_f64().map(|ms| format!("{ms:.1}")).unwrap_or_default();
            let digest = text(call, "arguments_digest");
            json!({ "tool": text(call, "tool"), "outcome": text(call, "outcome"), "ms": ms, "digest": digest })
        })
        .collect();
    let result = report.get("result").filter(|result| !result.is_null()).map(shown::result);
    let grant: Vec<&str> = list_of(&report, "grant").filter_map(Value::as_str).collect();
    let begun = events.first().map_or(job.created_ms, |event| event.at_ms);
    let timeline: Vec<Value> =
        events.iter().filter(|event| event.kind != "output").map(|event| event_of(event, begun)).collect();
    let (stdout, stderr) = if job.state.is_final() {
        (text(&report, "stdout").to_owned(), text(&report, "stderr").to_owned())
    } else {
        so_far(events)
    };
    let values = json!({
        "job": row(job), "is_open": !job.state.is_final(), "facts": facts(job, &report, delivery),
        "spent": spent(&report, &limits_of(dashboard, &request, &report)), "error": error,
        "stdout": stdout, "stderr": stderr, "refusals": refusals,
        "events": timeline, "more_events": events.len() >= EVENTS as usize, "calls": calls,
        "code": text(&request, "code"), "grant": grant,
        "request": serde_json::to_string_pretty(&request).unwrap_or_default(),
    });
    render::part_with("job", &values, &[("result", result.unwrap_or_default())])
}

/// What the attempt that runs has written to stdout and to stderr, as far as it was told.
fn so_far(events: &[JobEvent]) -> (String, String) {
    let (mut stdout, mut stderr) = (String::new(), String::new());
    for event in events {
        if JobState::of(&event.kind) == Some(JobState::Running) {
            (stdout, stderr) = (String::new(), String::new());
        } else if event.kind == "output" {
            let data = parse_value(&event.data).unwrap_or_default();
            let told = if data["stream"] == "stderr" { &mut stderr } else { &mut stdout };
            told.push_str(text(&data, "text"));
        }
    }
    (stdout, stderr)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn list_of<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

/// What is known of a job, each with its name.
fn facts(job: &Job, report: &Value, delivery: Option<&DeliveryStatus>) -> Vec<Value> {
    let route = &report["route"];
    let answered = match (route["tool"].as_str(), route["template"].as_str()) {
        (Some(tool), _) => format!("the tool {tool}"),
        (None, Some(template)) => format!("the template {template}"),
        (None, None) => String::new(),
    };
    let labels: Vec<String> = job.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let callback = match delivery {
        _ if job.callback_url.is_empty() => String::new(),
        None => format!("{}: when it ends", job.callback_url),
        Some(told) if told.trouble.is_empty() => {
            format!("{}: {}, attempt {}", job.callback_url, told.state, told.attempt)
        }
        Some(told) => format!("{}: {}, attempt {}: {}", job.callback_url, told.state, told.attempt, told.trouble),
    };
    let facts = [
        ("Outcome", job.outcome.clone()),
        ("Answered by", answered),
        ("With", report["route"]["arguments"].as_object().map(shown::arguments).unwrap_or_default()),
        ("Accepted", time(job.created_ms)),
        ("Not before", if job.run_at_ms > job.created_ms { time(job.run_at_ms) } else { String::new() }),
        ("Too late after", job.expires_ms.map(time).unwrap_or_default()),
        ("Began", job.started_ms.map(time).unwrap_or_default()),
        ("Ended", job.finished_ms.map(time).unwrap_or_default()),
        ("Took", took(job)),
        ("Attempt", format!("{} of {}", job.attempt, job.attempts_max)),
        ("Priority", if job.priority == 0 { String::new() } else { job.priority.to_string() }),
        ("Labels", labels.join(", ")),
        ("Callback", callback),
        ("From the cache", if report["cached"] == true { "yes".to_owned() } else { String::new() }),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    facts.map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

/// The limits of a run: those of its request, of its template, or else the usual ones.
fn limits_of(dashboard: &Dashboard, request: &Value, report: &Value) -> Value {
    let catalog = dashboard.api.engine.catalog();
    let template = report["route"]["template"].as_str().and_then(|id| catalog.get(id));
    let mut limits = serde_json::to_value(limits::Limits::default()).unwrap_or_default();
    if let Some(of) = template.map(Template::limits) {
        let own = [
            ("fuel", of.fuel),
            ("memory_bytes", of.memory_mib.map(|mib| u64::from(mib) << 20)),
            ("wall_ms", of.timeout_ms),
            ("host_calls", of.host_calls),
        ];
        for (name, value) in own.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            limits[name] = value.into();
        }
    }
    for (name, value) in request["limits"].as_object().into_iter().flatten() {
        if limits.get(name).is_some() {
            limits[name] = value.clone();
        }
    }
    limits
}

/// What a run used, and of how much.
fn spent(report: &Value, limits: &Value) -> Vec<Value> {
    let used = Spent::COUNTERS.into_iter().filter_map(|(name, field, limit)| {
        let value = report["spent"][field].as_f64().filter(|value| *value > 0.0)?;
        let most = limits[limit].as_f64().filter(|most| *most > 0.0);
        let share = most.map(|most| format!("{:.3}", (value / most).min(1.0)));
        Some(json!({ "name": name, "value": count(value), "most": most.map(count), "share": share }))
    });
    used.collect()
}

/// An event, with the time after the first one.
fn event_of(event: &JobEvent, begun: i64) -> Value {
    let data = parse_value(&event.data).unwrap_or_default();
    let words = data.as_object().map(shown::arguments).unwrap_or_default();
    let after = format!("+{}", duration(event.at_ms.saturating_sub(begun)));
    json!({ "kind": event.kind, "at": shown::instant(event.at_ms), "after": after, "words": short(&words, 400) })
}

/// Cancels a job.
pub(crate) async fn cancel(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !is_same_origin(&headers) {
        return render::foreign();
    }
    match dashboard.api.queue.cancel(&principal, &id).await {
        Ok(Some(job)) => to(&job.id),
        Ok(None) => render::missing("You have no such job."),
        Err(error) => render::unstored(&error),
    }
}

/// Submits the request of a job again, as a new one.
pub(crate) async fn again(
    State(dashboard): State<Dashboard>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    if !is_same_origin(&headers) {
        return render::foreign();
    }
    let job = match dashboard.api.queue.job(&principal, &id).await {
        Ok(Some(job)) => job,
        Ok(None) => return render::missing("You have no such job."),
        Err(error) => return render::unstored(&error),
    };
    if job.request.is_empty() {
        return render::failed("its request is not kept any more");
    }
    let request = match JobRequest::parse(&job.request) {
        Ok(request) => request,
        Err(fault) => return render::failed(&format!("its request is no longer one: {}", fault.reason)),
    };
    if let Err(fault) = dashboard.api.may_run(&principal, &request) {
        return render::failed(&format!("it cannot run on this server: {}", fault.reason));
    }
    match dashboard.api.queue.submit(&principal, &request, &job.request, None).await {
        Ok((job, _)) => to(&job.id),
        Err(NotAccepted::Store(error)) => render::unstored(&error),
        Err(error) => render::failed(&error.to_string()),
    }
}

/// Leads to the page of a job.
fn to(id: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(path) = HeaderValue::from_str(&format!("/ui/jobs/{id}")) {
        response.headers_mut().insert(LOCATION, path);
    }
    response
}
