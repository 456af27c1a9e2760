//! `jobs`: the jobs of the state folder, from the command line. A server that runs, `intentbox serve` on the same folder, runs what is
//! submitted here; without one it waits for the next.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use intentbox_catalog::json::parse_value;
use intentbox_engine::{Outcome, Principal};
use intentbox_jobs::{Job, JobFilter, JobQuotas, JobRequest, JobState, JobStore, Queue, REQUEST_BYTES_MAX};
use intentbox_store::Clock;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::answer::Answer;
use crate::arguments::{Database, Jobs, JobsCommand, Sources, SubmitJob};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::{input, process, setup, show, table};

/// How often a job that is watched is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// How many events are read at once.
const READ_MAX: u32 = 100;

/// The jobs of the state folder, or of the database that is named. `own` is the name of this process.
pub(crate) async fn store(
    sources: &Sources,
    database: &Database,
    own: String,
    quotas: JobQuotas,
) -> Result<JobStore, CommandError> {
    let place = setup::job_place(sources, database)?;
    let is_gone = Arc::new(move |worker: &str| process::is_gone(&own, worker));
    Box::pin(JobStore::open(&place, Clock::system(), quotas, is_gone)).await.class(Class::Unavailable)
}

pub(crate) async fn run(sources: &Sources, command: JobsCommand) -> Result<Answer, CommandError> {
    let JobsCommand { database, command } = command;
    let store = store(sources, &database, process::name(), JobQuotas::default()).await?;
    let queue = Queue::new(store.clone());
    let answer = match command {
        Jobs::Submit(job) => submit(&queue, job).await,
        Jobs::List { state, label, most } => list(&queue, state, label, most).await,
        Jobs::Show { id } => found(&queue, &id).await.map(|job| shown(&job)),
        Jobs::Watch { id } => match found(&queue, &id).await {
            Ok(job) => watch(&queue, job).await,
            Err(error) => Err(error),
        },
        Jobs::Cancel { id } => match found(&queue, &id).await {
            Ok(_) => {
                let job = queue.cancel(&Principal::local(), &id).await.class(Class::Unavailable);
                job.map(|job| job.map_or_else(Answer::default, |job| Answer::new(line(&job)).with("job", object(&job))))
            }
            Err(error) => Err(error),
        },
        Jobs::Retry { id } => match found(&queue, &id).await {
            Ok(job) => accept(&queue, &job.request, None).await.map(|job| accepted(&job)),
            Err(error) => Err(error),
        },
    };
    store.close().await;
    answer
}

async fn submit(queue: &Queue, job: SubmitJob) -> Result<Answer, CommandError> {
    let mut request = Map::new();
    if let Some(text) = job.text {
        request.insert("intent".to_owned(), text.into());
    }
    if let Some(file) = &job.code {
        let bytes = input::read(file, REQUEST_BYTES_MAX as u64).class(Class::Usage)?;
        let code = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()));
        request.insert("code".to_owned(), code.class(Class::Usage)?.into());
    }
    if let Some(file) = &job.input {
        request.insert("input".to_owned(), json_of(file)?);
    }
    for (name, pairs) in [("params", job.params), ("labels", job.labels)] {
        if !pairs.is_empty() {
            let fields: Map<String, Value> = pairs.into_iter().map(|(name, value)| (name, value.into())).collect();
            request.insert(name.to_owned(), fields.into());
        }
    }
    for (name, value) in [
        ("priority", job.priority.map(Value::from)),
        ("delay_s", job.delay.map(|delay| delay.seconds().into())),
        ("ttl_s", job.ttl.map(|ttl| ttl.seconds().into())),
        ("attempts", job.attempts.map(Value::from)),
        ("template", job.template.map(|id| id.to_string().into())),
        ("allow_writes", job.allow_writes.then_some(Value::Bool(true))),
    ] {
        if let Some(value) = value {
            request.insert(name.to_owned(), value);
        }
    }
    let accepted_job = accept(queue, &Value::Object(request).to_string(), job.key).await?;
    if job.watch { watch(queue, accepted_job).await } else { Ok(accepted(&accepted_job)) }
}

fn json_of(file: &Path) -> Result<Value, CommandError> {
    let bytes = input::read(file, REQUEST_BYTES_MAX as u64).class(Class::Usage)?;
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()));
    parse_value(&text.class(Class::Usage)?)
        .with_context(|| format!("{} is not JSON", file.display()))
        .class(Class::Usage)
}

async fn accept(queue: &Queue, text: &str, key: Option<String>) -> Result<Job, CommandError> {
    let request = JobRequest::parse(text).map_err(|fault| Class::Usage.error(fault.to_string()))?;
    let accepted = queue.submit(&Principal::local(), &request, text, key).await;
    accepted.map(|(job, _)| job).map_err(|error| Class::Unavailable.error(error.to_string()))
}

fn accepted(job: &Job) -> Answer {
    Answer::new(format!("{}\n", job.id))
        .noting(format!("see `intentbox jobs watch {}`", job.id))
        .with("job", object(job))
}

async fn found(queue: &Queue, id: &str) -> Result<Job, CommandError> {
    let job = queue.job(&Principal::local(), id).await.class(Class::Unavailable)?;
    job.context(format!("there is no job {}", show::line(id))).class(Class::Usage).hint("run `intentbox jobs list`")
}

async fn list(
    queue: &Queue,
    state: Option<JobState>,
    label: Option<(String, String)>,
    most: u32,
) -> Result<Answer, CommandError> {
    let filter = JobFilter { state, label, ..JobFilter::default() };
    let jobs = queue.list(&Principal::local(), filter, most).await.class(Class::Unavailable)?;
    let text = jobs.iter().map(line).collect::<String>();
    let answer = Answer::new(text).with("jobs", jobs.iter().map(object).collect::<Vec<Value>>());
    Ok(if jobs.is_empty() { answer.noting("there are no such jobs") } else { answer })
}

/// Tells what happens to a job until it has ended, and then its answer.
async fn watch(queue: &Queue, job: Job) -> Result<Answer, CommandError> {
    let mut after = 0;
    loop {
        // The job first: an event that comes after it is read in the next round.
        let now = found(queue, &job.id).await?;
        loop {
            let events = queue.events(&job, after, READ_MAX).await.class(Class::Unavailable)?;
            let Some(last) = events.last() else { break };
            after = last.number;
            for event in &events {
                let data = if event.data == "{}" { String::new() } else { format!("  {}", event.data) };
                show::notice(&show::line(&format!("{}  {}{data}", time(event.at_ms), event.kind)));
            }
        }
        if now.state.is_final() {
            return Ok(shown(&now).ended(outcome_of(&now)));
        }
        sleep(LOOK).await;
    }
}

/// How a job ended. One that was given up, or never begun, has no outcome of a run.
fn outcome_of(job: &Job) -> Outcome {
    let known = Outcome::ALL.iter().find(|outcome| outcome.terms().name == job.outcome);
    known.copied().unwrap_or(match job.state {
        JobState::Cancelled => Outcome::Cancelled,
        JobState::Expired => Outcome::Overloaded,
        _ => Outcome::WorkerLost,
    })
}

/// A job with its answer.
fn shown(job: &Job) -> Answer {
    let report = parse_value(&job.report).unwrap_or_default();
    let mut text = line(job);
    match (&report["error"]["message"], &report["result"]) {
        (Value::String(message), _) => {
            let _ = writeln!(text, "{}", show::line(message));
            if let Some(hint) = report["error"]["hint"].as_str() {
                let _ = writeln!(text, "hint: {}", show::line(hint));
            }
        }
        (_, Value::Null) => {}
        (_, result) => text.push_str(&table::shown(&result.to_string())),
    }
    Answer::new(text).with("job", object(job)).with("report", report)
}

/// A job in one line.
fn line(job: &Job) -> String {
    let mut text = format!("{}  {}  {:<9}", job.id, time(job.created_ms), job.state.as_str());
    for part in [&job.outcome, &job.trouble] {
        if !part.is_empty() && part != job.state.as_str() {
            let _ = write!(text, "  {}", show::line(part));
        }
    }
    let asked = parse_value(&job.request).unwrap_or_default();
    let asked = asked["intent"].as_str().or_else(|| asked["code"].as_str()).unwrap_or_default();
    let short: String = asked.lines().next().unwrap_or_default().chars().take(60).collect();
    let _ = writeln!(text, "  {}", show::line(&short));
    text
}

fn object(job: &Job) -> Value {
    let at = |ms: Option<i64>| ms.map(time);
    json!({
        "id": job.id, "state": job.state.as_str(), "outcome": job.outcome, "created_at": time(job.created_ms),
        "started_at": at(job.started_ms), "finished_at": at(job.finished_ms), "attempt": job.attempt, "attempts": job.attempts_max,
        "priority": job.priority, "trouble": job.trouble,
        "labels": job.labels.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect::<Map<String, Value>>(),
    })
}

/// A time to the second.
pub(crate) fn time(ms: i64) -> String {
    Timestamp::from_second(ms.div_euclid(1_000)).map(|time| time.to_string()).unwrap_or_default()
}
