//! `jobs`: the jobs of the state folder or of a database, or those of a server, from the command line. A server that runs, `intentbox
//! serve` on the same folder, runs what is submitted here; without one it waits for the next.
//!
//! - `client`: where the jobs are. `remote`: the API of a server. `view`: a job as it is shown.

mod client;
mod remote;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use intentbox_catalog::json::parse_value;
use intentbox_catalog::period::Period;
use intentbox_engine::Principal;
use intentbox_jobs::{JobQuotas, JobState, JobStore, Queue, REQUEST_BYTES_MAX, WAIT_S_MAX};
use intentbox_store::{Clock, Place};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::arguments::{Database, JobWork, Jobs, JobsCommand, JobsPlace, Sources, SubmitJob};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::words::{quoted, with_flags};
use crate::{input, process, setup, show};

use client::Kept;
use remote::Remote;
use view::{EventView, JobView, Shown};

pub(crate) use client::Client;
pub(crate) use view::{ScheduleView, time};

/// How many of the newest jobs are looked at for an id of which the first digits are given, and how many digits that are at least.
const NEWEST: u32 = 100;
pub(crate) const SHORT_ID_MIN: usize = 4;

/// How many digits an id has.
pub(crate) const ID_DIGITS: usize = 32;

/// What helps where there is nothing.
pub(crate) const ELSEWHERE: &str =
    "name the folder with --state, the database with --database, or a server that runs with --server";

/// The longest token, in bytes.
const TOKEN_BYTES_MAX: u64 = 4 << 10;

/// The jobs of a place. `own` is the name of this process.
pub(crate) async fn store(place: &Place, own: String, quotas: JobQuotas) -> Result<JobStore, CommandError> {
    let is_gone = Arc::new(move |worker: &str| process::is_gone(&own, worker));
    Box::pin(JobStore::open(place, Clock::system(), quotas, is_gone)).await.class(Class::Unavailable)
}

pub(crate) async fn run(sources: &Sources, command: JobsCommand) -> Result<Answer, CommandError> {
    let JobsCommand { place, command } = command;
    let flags = flags(sources, &place);
    let answer = match connect(sources, place, matches!(command, Jobs::Submit(_))).await? {
        Connected::Client(client) => {
            let answer = asked(&client, command).await;
            client.close().await;
            answer
        }
        Connected::Missing(place) => none(&place, &command),
    };
    reworded(answer, &flags)
}

/// The flags that say where the jobs of a command are and whose, each after a space.
pub(crate) fn flags(sources: &Sources, place: &JobsPlace) -> String {
    let whose = [
        ("--principal", place.principal.clone()),
        ("--server", place.server.clone()),
        ("--token-file", place.token_file.as_ref().map(|path| path.display().to_string())),
    ];
    kept_flags(sources, &place.database) + &typed(whose)
}

/// Those of them that say where jobs are kept.
pub(crate) fn kept_flags(sources: &Sources, database: &Database) -> String {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    typed([
        ("--config", path(&sources.config)),
        ("--state", path(&sources.state)),
        ("--database", path(&database.file)),
    ])
}

fn typed(flags: [(&str, Option<String>); 3]) -> String {
    flags.into_iter().filter_map(|(name, value)| Some(format!(" {name} {}", quoted(&value?)))).collect()
}

/// An answer whose hints find the same jobs.
pub(crate) fn reworded(answer: Result<Answer, CommandError>, flags: &str) -> Result<Answer, CommandError> {
    let reword = |text: &str| with_flags(text, flags);
    answer.map(|answer| answer.rewording(reword)).map_err(|error| error.rewording(reword))
}

/// Where jobs and schedules are.
pub(crate) enum Connected {
    Client(Client),
    /// Nowhere: nothing was ever submitted here.
    Missing(Place),
}

/// The jobs and schedules at a place. One that is not there is made for what `submits` something alone.
pub(crate) async fn connect(sources: &Sources, of: JobsPlace, submits: bool) -> Result<Connected, CommandError> {
    let JobsPlace { database, principal, server, token_file } = of;
    // Jobs run in a server, with what that was given.
    let of_runs = [
        ("--policy", sources.policy.is_some()),
        ("--dir", !sources.directories.is_empty()),
        ("--templates", sources.templates.is_some()),
        ("--servers", !sources.servers.is_empty()),
    ];
    if let Some((flag, _)) = of_runs.iter().find(|(_, is_given)| *is_given) {
        let told = format!("{flag} is for what runs jobs, and a command about jobs runs none");
        return Err(Class::Usage.error(told).hint("give it to `intentbox serve`, and leave it out here"));
    }
    // Both flags are about what is kept here.
    let is_here = database.file.is_some() || principal.is_some();
    let named = || setup::variable("INTENTBOX_SERVER").filter(|url| !is_here && !url.is_empty());
    if let Some(url) = server.or_else(named) {
        return Ok(Connected::Client(Client::Remote(Remote::new(&url, token(token_file.as_deref())?)?)));
    }
    if token_file.is_some() {
        return Err(Class::Usage.error("--token-file is for a server").hint("name it with --server"));
    }
    let place = setup::store_place(sources, &database)?;
    if !submits && place.is_missing() {
        return Ok(Connected::Missing(place));
    }
    let store = store(&place, process::name(), JobQuotas::default()).await?;
    let principal = principal.as_deref().map_or_else(Principal::local, Principal::named);
    Ok(Connected::Client(Client::Kept(Kept { queue: Queue::new(store.clone()), store, principal, place })))
}

/// The token for a server: of the file, otherwise of the environment.
fn token(file: Option<&Path>) -> Result<Option<String>, CommandError> {
    let Some(file) = file else {
        return Ok(setup::variable("INTENTBOX_TOKEN").filter(|token| !token.is_empty()));
    };
    let typed = std::path::absolute(file).class(Class::Configuration)?;
    let bytes = input::read_secret(Path::new("/"), &typed, TOKEN_BYTES_MAX);
    let bytes = bytes.with_context(|| format!("--token-file {}", file.display())).class(Class::Configuration)?;
    let text = String::from_utf8(bytes).with_context(|| format!("--token-file {}", file.display()));
    let text = text.class(Class::Configuration)?;
    // A file for `serve --token-file` has the holder's name before the token.
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [token] | [_, token] => Ok(Some(token.to_owned())),
        _ => {
            let told = format!("--token-file {} holds {} words", file.display(), words.len());
            Err(Class::Configuration.error(told).hint("write the token into it, and nothing else"))
        }
    }
}

async fn asked(client: &Client, command: Jobs) -> Result<Answer, CommandError> {
    match command {
        Jobs::Submit(job) => submit(client, job).await,
        Jobs::List { state, label, most } => list(client, state, label, most).await,
        Jobs::Show { id } => found(client, &id).await.map(|job| job.shown()),
        Jobs::Logs { id } => found(client, &id).await.map(|job| job.logs()),
        Jobs::Watch { id } => watch(client, found(client, &id).await?).await,
        Jobs::Cancel { id } => {
            // A token may be for cancelling alone, and not for looking.
            let id = if id.len() < ID_DIGITS { found(client, &id).await?.id } else { id };
            let job = client.cancel(&id).await?.ok_or_else(|| unknown(client, &id))?;
            let note = match job.state {
                JobState::Cancelled => None,
                state if state.is_final() => Some("it had ended before: nothing was cancelled"),
                _ => Some("its run is being stopped"),
            };
            let answer = Answer::new(job.line()).with("job", job.object());
            Ok(match note {
                Some(note) => answer.noting(note),
                None => answer,
            })
        }
        Jobs::Retry { id } => {
            let job = found(client, &id).await?;
            if job.request.is_empty() {
                let told = format!("the request of job {} is not kept any more: {}", job.id, show::line(&job.trouble));
                return Err(Class::Usage.error(told).hint("submit it anew with `intentbox jobs submit`"));
            }
            client.submit(&job.request, None).await.map(|job| accepted(client, &job))
        }
    }
}

/// The answer where no job was ever submitted. Asking makes no file.
fn none(place: &Place, command: &Jobs) -> Result<Answer, CommandError> {
    let told = format!("no job was submitted in {place}");
    match command {
        Jobs::List { .. } if JobState::of(&place.to_string()).is_some() => {
            let hint =
                format!("the state of jobs has no flag: `intentbox jobs list {place}`; --state names the folder");
            Err(Class::Absent.error(told).hint(hint))
        }
        Jobs::List { .. } => Ok(Answer::default().noting(told).with("jobs", Vec::<Value>::new())),
        _ => Err(Class::Absent.error(told).hint(ELSEWHERE)),
    }
}

async fn submit(client: &Client, job: SubmitJob) -> Result<Answer, CommandError> {
    let mut request = request(job.work)?;
    if let Some(delay) = job.delay {
        request.insert("delay_s".to_owned(), wait("--delay", delay)?);
    }
    let submitted = client.submit(&Value::Object(request).to_string(), job.key).await?;
    if !job.watch {
        return Ok(accepted(client, &submitted));
    }
    // It was accepted, though a token may be for submitting alone.
    let hint = format!("the job was accepted: see `intentbox jobs watch {}`", submitted.id);
    watch(client, submitted).await.hint(hint)
}

/// The request for a job, as the API takes it.
pub(crate) fn request(job: JobWork) -> Result<Map<String, Value>, CommandError> {
    let mut request = Map::new();
    if job.text.is_none() && job.code.is_none() {
        let hint = "write an intent, such as \"list errors\", or name a script with --code";
        return Err(Class::Usage.error("nothing says what the job runs").hint(hint));
    }
    if let Some(text) = job.text {
        if is_script(&text) {
            let (told, hint) = (
                format!("{} is no intent", show::line(&text)),
                format!("run a script with `--code {}`", quoted(&text)),
            );
            return Err(Class::Usage.error(told).hint(hint));
        }
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
        let mut fields = Map::new();
        for (field, value) in pairs {
            if fields.contains_key(&field) {
                return Err(Class::Usage.error(format!("{} is given twice among the {name}", show::line(&field))));
            }
            fields.insert(field, value.into());
        }
        if !fields.is_empty() {
            request.insert(name.to_owned(), fields.into());
        }
    }
    for (name, value) in [
        ("priority", job.priority.map(Value::from)),
        ("ttl_s", job.ttl.map(|ttl| wait("--ttl", ttl)).transpose()?),
        ("attempts", job.attempts.map(Value::from)),
        ("template", job.template.map(|id| id.to_string().into())),
        ("allow_writes", job.allow_writes.then_some(Value::Bool(true))),
    ] {
        if let Some(value) = value {
            request.insert(name.to_owned(), value);
        }
    }
    Ok(request)
}

/// Whether a text is the name of a script and no sentence.
fn is_script(text: &str) -> bool {
    let path = Path::new(text);
    !text.contains(char::is_whitespace)
        && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("py"))
}

/// A duration that a job may wait.
fn wait(flag: &str, period: Period) -> Result<Value, CommandError> {
    let most = WAIT_S_MAX / 86_400;
    if period.seconds() > WAIT_S_MAX {
        return Err(Class::Usage.error(format!("{flag} {period} is too long")).hint(format!("choose at most {most}d")));
    }
    Ok(period.seconds().into())
}

fn json_of(file: &Path) -> Result<Value, CommandError> {
    let bytes = input::read(file, REQUEST_BYTES_MAX as u64).class(Class::Usage)?;
    if bytes.len() > REQUEST_BYTES_MAX {
        let told =
            format!("{} is too long: the request of a job has at most {REQUEST_BYTES_MAX} bytes", file.display());
        return Err(Class::Usage.error(told).hint("have the script read it from a granted directory or origin"));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()));
    parse_value(&text.class(Class::Usage)?)
        .with_context(|| format!("{} is not JSON", file.display()))
        .class(Class::Usage)
}

fn accepted(client: &Client, job: &JobView) -> Answer {
    let watch = format!("`intentbox jobs watch {}`", job.id);
    let begins = job.begins().map(|time| format!("it begins at {time}; ")).unwrap_or_default();
    let note = match client {
        // Whether one runs is not known here.
        Client::Kept(kept) => format!("{begins}it waits for `intentbox serve` on {}: see {watch}", kept.place),
        Client::Remote(_) => format!("{begins}see {watch}"),
    };
    Answer::new(format!("{}\n", job.id)).noting(note).with("job", job.object())
}

/// A job by its id, or by the first digits of the id of one of the newest jobs.
async fn found(client: &Client, id: &str) -> Result<JobView, CommandError> {
    if let Some(job) = client.job(id).await? {
        return Ok(job);
    }
    let is_short = (SHORT_ID_MIN..ID_DIGITS).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_short {
        return Err(unknown(client, id));
    }
    let id = &id.to_ascii_lowercase();
    let newest = client.list(None, None, NEWEST).await?;
    let mut meant = newest.into_iter().filter(|job| job.id.starts_with(id));
    match (meant.next(), meant.next()) {
        (Some(job), None) => client.job(&job.id).await?.ok_or_else(|| unknown(client, id)),
        (Some(job), Some(other)) => {
            let told = format!("the ids of several jobs begin with {}", show::line(id));
            Err(Class::Usage.error(told).hint(format!("one is {}, another {}", job.id, other.id)))
        }
        _ => {
            let told = format!("none of the newest {NEWEST} jobs has an id that begins with {}", show::line(id));
            Err(Class::Absent
                .error(told)
                .hint(format!("give all {ID_DIGITS} digits, as `intentbox jobs list` shows them")))
        }
    }
}

fn unknown(client: &Client, id: &str) -> CommandError {
    let hint = match client {
        _ if id.len() < SHORT_ID_MIN => {
            format!("give at least {SHORT_ID_MIN} digits of its id, as `intentbox jobs list` shows them")
        }
        Client::Kept(_) => "run `intentbox jobs list`; --principal names whose jobs are meant".to_owned(),
        Client::Remote(_) => "run `intentbox jobs list`".to_owned(),
    };
    Class::Absent.error(format!("there is no job {}", show::line(id))).hint(hint)
}

async fn list(
    client: &Client,
    state: Option<JobState>,
    label: Option<(String, String)>,
    most: u32,
) -> Result<Answer, CommandError> {
    let jobs = client.list(state, label, most).await?;
    let text = jobs.iter().map(JobView::line).collect::<String>();
    let answer = Answer::new(text).with("jobs", jobs.iter().map(JobView::object).collect::<Vec<Value>>());
    Ok(if jobs.is_empty() { answer.noting("there are no such jobs") } else { answer })
}

/// Tells what happens to a job and what it prints until it has ended, and then its answer.
async fn watch(client: &Client, job: JobView) -> Result<Answer, CommandError> {
    let (mut shown, mut last) = (Shown::default(), Vec::new());
    let mut tell = |event: &EventView| {
        shown.note(event);
        // What a job wrote last is in its report alone, and goes before its end.
        if event.is_end() {
            last = event.lines();
        } else {
            event.lines().iter().for_each(|line| show::notice(line));
        }
    };
    client.follow(&job.id, &mut tell).await?;
    let now = found(client, &job.id).await?;
    shown.rest(&now).iter().chain(&last).for_each(|line| show::notice(line));
    let ending = now.ending();
    Ok(now.shown().ended(ending))
}
