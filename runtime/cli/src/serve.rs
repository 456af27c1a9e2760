//! `intentbox serve`: the HTTP API with durable jobs, and MCP beside it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use axum::http::{Method, Uri};
use axum::response::Response;
use intentbox_api::{Api, Metrics, Refreshing};
use intentbox_dashboard::{Dashboard, History};
use intentbox_engine::{Engine, Events};
use intentbox_jobs::{
    JobQuotas, JobStore, Queue, Runner, RunnerOptions, StoreError, keep_schedules, keep_telling, steadily,
};
use intentbox_listen::bodies::LargeBodies;
use intentbox_listen::http::{Rejection, Surface};
use intentbox_listen::{CancellationToken, Scope, Tokens};
use intentbox_mcp::{Server, Settings, http};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::answer::Answer;
use crate::arguments::{Role, Serve, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::observe::Observer;
use crate::show::{self, Show};
use crate::{folder, jobs, process, server, setup, token, tools};

/// How long requests in flight have once the runs have ended.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);

/// How often a server reads which tokens are accepted and which templates are published.
const LOOK_PAUSE: Duration = Duration::from_secs(2);

/// How often it is looked whether the disk of the jobs has room.
const ROOM_PAUSE: Duration = Duration::from_secs(1);

/// What the operator is told where it has too little.
const NO_ROOM: &str = "the disk of the jobs is nearly full: no job is accepted until some of it is free";

/// How many bytes of long requests and reports are kept of one client, unless it is said, and of all.
const KEPT_BYTES: u64 = 1 << 30;
const KEPT_BYTES_OF_ALL: u64 = 8 << 30;

/// Serves until a signal.
pub(crate) async fn run(sources: &Sources, command: Serve, show: &mut Show) -> Result<Answer, CommandError> {
    let ceilings = server::ceilings(command.runs.limits.clone())?;
    let options = server::options(command.token_file.as_deref(), &command.hosts, &command.origins)?;
    let options = options.with_rate(command.rate);
    let name = process::name();
    let place = setup::store_place(sources, &command.database)?;
    let store = jobs::store(&place, name.clone(), quotas(&command)).await?;
    token::accept(&store, options.tokens()).await?;
    let advice = "make a token with `intentbox token create NAME`, name a file with --token-file, or listen on 127.0.0.1 \
                  without --allow-host";
    options.may_listen(command.listen).map_err(|needed| Class::Usage.error(format!("{needed}: {advice}")))?;
    tokio::spawn(keep_accepting(store.clone(), options.tokens().clone()));
    let sharing = server::sharing(command.runs.isolation, options.tokens());
    let setup = setup::engine_for_server(sources, &command.runs, sharing).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    process::protect();
    server::hardening(&setup.engine, command.runs.require_hardening.unwrap_or(options.tokens().are_needed())).await?;
    let upstreams = setup.engine.upstreams().cloned();
    let lines = match &upstreams {
        Some(upstreams) => tools::lines(upstreams).await?,
        None => Vec::new(),
    };
    if let Some(text) = setup.policy_text {
        intentbox_jobs::keep_policy(&store, text).await.class(Class::Unavailable)?;
    }
    let engine = Arc::new(setup.engine);
    let own =
        setup.templates.as_deref().map(folder::texts).transpose().class(Class::Configuration)?.unwrap_or_default();
    let published =
        PublishedTemplates { store: store.clone(), engine: Arc::clone(&engine), own, seen: Mutex::default() };
    published.take().await.class(Class::Unavailable)?;
    let published = Arc::new(published);
    tokio::spawn(steadily(move || Arc::clone(&published).keep_taking()));
    let observer = Observer::of_server("serve", Some(&place)).await;
    let metrics = Metrics::new(Arc::clone(&observer) as Arc<_>);
    let history = History::new(Arc::clone(&metrics) as Arc<_>, intentbox_api::words);
    let events = || Arc::clone(&history) as Arc<dyn Events>;
    let settings = Settings {
        is_demo: setup.demo.is_some(),
        allow_writes: command.allow_writes,
        ceilings: ceilings.clone(),
        upstreams: lines,
    };
    let mcp = Server::new(Arc::clone(&engine), settings, events()).class(Class::Internal)?;
    if let Some(upstreams) = upstreams.clone() {
        tokio::spawn(async move { upstreams.keep_closing_idle().await });
    }
    server::look_for_stale(sources, upstreams.as_ref())?;

    let listener =
        TcpListener::bind(command.listen).await.with_context(|| format!("cannot listen on {}", command.listen));
    let listener = listener.class(Class::Unavailable).hint("choose another address or port with --listen")?;
    let address = listener.local_addr().class(Class::Internal)?;
    let stop = CancellationToken::new();
    tokio::spawn(server::stop_at_signal(stop.clone()).context("signals").class(Class::Internal)?);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let runner_options = RunnerOptions {
        name,
        slots: command.slots.map_or(cores * 8, usize::from),
        sharing,
        ceilings: ceilings.clone(),
        words: intentbox_api::words,
    };
    let mut tasks = JoinSet::from_iter([tell_of_room(store.clone(), stop.clone())]);
    if command.role != Role::Api {
        let runner = Runner::new(store.clone(), Arc::clone(&engine), events(), runner_options);
        work(&mut tasks, runner, &store, &engine, &stop);
    }

    show.ready(&ready(command.role, &address.to_string(), options.tokens().are_needed()))?;
    let queue = Queue::new(store.clone());
    let api = Api {
        queue,
        engine,
        events: events(),
        ceilings,
        bodies: LargeBodies::default(),
        answers: LargeBodies::default(),
        refreshing: Refreshing::default(),
        metrics: Arc::clone(&metrics),
        stop: stop.clone(),
    };
    let served = http::serve_beside(
        listener,
        move || mcp.clone(),
        options,
        http::SESSION_IDLE,
        stop.clone(),
        |mcp| surface(command.role, mcp, Dashboard { api, history, records: place }),
    );
    let served = served.await.context("the HTTP server stopped").class(Class::Unavailable);
    stop.cancel();
    // The runner gives what runs a while to end, and writes how it did.
    while tasks.join_next().await.is_some() {}
    let _ = tokio::time::timeout(CLOSE_WITHIN, store.close()).await;
    if let Some(upstreams) = upstreams {
        upstreams.close().await;
    }
    observer.close().await;
    served.map(|()| Answer::default())
}

/// What a server of this role serves.
fn surface(role: Role, mcp: Surface, dashboard: Dashboard) -> Surface {
    if role == Role::Worker {
        return intentbox_api::surface_of_worker(dashboard.api);
    }
    let (api, pages) = (intentbox_api::surface(dashboard.api.clone()), intentbox_dashboard::surface(dashboard));
    Surface {
        routes: mcp.routes.merge(api.routes).merge(pages.routes),
        open: api.open.merge(pages.open),
        needs,
        refuse,
        unknown: intentbox_api::unknown,
        ..mcp
    }
}

fn quotas(command: &Serve) -> JobQuotas {
    let quotas = JobQuotas::default();
    let long_bytes_of_principal_max = command.kept.map_or(KEPT_BYTES, |mib| mib << 20);
    // One client alone may keep what it is given, and what is kept is not all that the file holds.
    let long_bytes_max = KEPT_BYTES_OF_ALL.max(long_bytes_of_principal_max);
    JobQuotas {
        waiting_of_principal_max: command.waiting.unwrap_or(quotas.waiting_of_principal_max),
        long_bytes_of_principal_max,
        long_bytes_max,
        file_bytes_max: quotas.file_bytes_max.max(long_bytes_max.saturating_mul(2)),
        // A command that opens the jobs knows less of what they may take.
        forgets_early: true,
        ..quotas
    }
}

/// Tells the operator when the disk of the jobs has too little room, and when it has enough again.
async fn tell_of_room(store: JobStore, stop: CancellationToken) {
    let mut has_lacked = false;
    while tokio::time::timeout(ROOM_PAUSE, stop.cancelled()).await.is_err() {
        let lacks_room = store.lacks_room();
        if lacks_room != has_lacked {
            show::notice(if lacks_room { NO_ROOM } else { "the disk of the jobs has room: jobs are accepted again" });
        }
        has_lacked = lacks_room;
    }
}

/// Begins what runs beside the answers to requests: jobs, schedules and callbacks.
fn work(tasks: &mut JoinSet<()>, runner: Runner, store: &JobStore, engine: &Arc<Engine>, stop: &CancellationToken) {
    tasks.spawn(runner.run(stop.clone()));
    let (due, until) = (store.clone(), stop.clone());
    tasks.spawn(steadily(move || keep_schedules(due.clone(), until.clone())));
    let (store, engine, stop) = (store.clone(), Arc::clone(engine), stop.clone());
    tasks.spawn(steadily(move || keep_telling(store.clone(), Arc::clone(&engine), stop.clone())));
}

/// What is said once the server listens.
fn ready(role: Role, address: &str, needs_token: bool) -> Answer {
    let url = format!("http://{address}");
    let guard = if needs_token { "with a token" } else { "anybody on this machine may use it" };
    let what = match role {
        Role::Worker => format!("running jobs; it tells how it is at {url}/readyz and {url}/metrics"),
        Role::All | Role::Api => {
            format!(
                "serving the dashboard at {url}/, the API at {url}{} and MCP at {url}{}",
                intentbox_api::PREFIX,
                http::PATH
            )
        }
    };
    let note = format!("{what}: {guard}; stop with Ctrl-C");
    Answer::default().noting(note).with("url", url).with("needs_token", needs_token)
}

/// The templates that an operator publishes for all servers with this store.
struct PublishedTemplates {
    store: JobStore,
    engine: Arc<Engine>,
    /// This server's own templates, which go over them: the folder as it was at the start.
    own: BTreeMap<String, String>,
    /// The digest of what was published last, whether this server can use it or not.
    seen: Mutex<String>,
}

impl PublishedTemplates {
    /// Has the engine answer with what was published last. What this server cannot use, such as what was written for a newer version,
    /// leaves it with the templates that it has.
    async fn take(&self) -> Result<(), StoreError> {
        let known = self.seen().clone();
        let Some(published) = intentbox_jobs::published(&self.store, &known).await? else { return Ok(()) };
        let catalog = match &published.files {
            Some(files) => folder::catalog_over(files, &self.own),
            None => Err(anyhow::anyhow!("they are not as `intentbox templates publish` of this version writes them")),
        };
        match catalog {
            Ok(catalog) => self.engine.replace_catalog(Arc::new(catalog)),
            Err(error) => show::notice(&show::line(&format!("the published templates cannot be used: {error:#}"))),
        }
        *self.seen() = published.digest;
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is published, as long as the server runs. What cannot be read stays as it was.
    async fn keep_taking(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            let _ = self.take().await;
        }
    }
}

/// Has the server accept what the store says of tokens, as long as it runs. What cannot be read stays as it was, which the operator is
/// told once.
async fn keep_accepting(store: JobStore, tokens: Tokens) {
    let mut is_read = true;
    loop {
        tokio::time::sleep(LOOK_PAUSE).await;
        let read = token::accept(&store, &tokens).await;
        match &read {
            Err(error) if is_read => show::notice(&show::line(&format!(
                "the tokens cannot be read, and those that were accepted still are: {}",
                error.message()
            ))),
            Ok(()) if !is_read => show::notice("the tokens are read again"),
            _ => {}
        }
        is_read = read.is_ok();
    }
}

/// What a token has to be for.
fn needs(method: &Method, uri: &Uri) -> Scope {
    match uri.path() {
        http::PATH => Scope::Run,
        _ if intentbox_dashboard::is_page(uri) => intentbox_dashboard::needs(method, uri),
        _ => intentbox_api::needs(method, uri),
    }
}

/// A rejection in the form that clients of its path read.
fn refuse(uri: &Uri, rejection: Rejection) -> Response {
    match uri.path() {
        http::PATH => http::refuse(uri, rejection),
        _ if intentbox_dashboard::is_page(uri) => intentbox_dashboard::refuse(uri, rejection),
        _ => intentbox_api::refuse(uri, rejection),
    }
}
