//! `intentbox serve`: the HTTP API with durable jobs, and MCP beside it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::http::Uri;
use axum::response::Response;
use intentbox_api::{Api, Metrics};
use intentbox_engine::{Events, Sharing};
use intentbox_jobs::{JobQuotas, JobStore, Queue, Runner, RunnerOptions};
use intentbox_listen::CancellationToken;
use intentbox_listen::bodies::LargeBodies;
use intentbox_listen::http::{Rejection, Surface};
use intentbox_mcp::{Server, Settings, http};
use intentbox_store::Clock;
use tokio::net::TcpListener;

use crate::answer::Answer;
use crate::arguments::{Serve, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::observe::Observer;
use crate::show::{self, Show};
use crate::{process, server, setup, tools};

/// How long requests in flight have once the runs have ended.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);

/// Serves until a signal.
pub(crate) async fn run(sources: &Sources, command: Serve, show: &mut Show) -> Result<Answer, CommandError> {
    let ceilings = server::ceilings(command.limits)?;
    let options = server::options(command.token_file.as_deref(), &command.hosts, &command.origins)?;
    let advice = "give tokens with --token-file, or listen on 127.0.0.1";
    options.may_listen(command.listen).map_err(|needed| Class::Usage.error(format!("{needed}: {advice}")))?;
    let folder = setup::state_folder(sources).context("there is no state folder to keep jobs in").class(Class::Usage);
    let folder = folder.hint("name one with --state")?;
    let name = process::name();
    let own = name.clone();
    let is_gone = Arc::new(move |worker: &str| process::is_gone(&own, worker));
    let store = JobStore::open(&folder, Clock::system(), JobQuotas::default(), is_gone).await;
    let store = store.class(Class::Unavailable)?;
    let sharing = if options.tokens().len() > 1 { Sharing::Fair } else { Sharing::Whole };
    let setup = setup::engine_for_server(sources, command.workers, sharing).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    process::protect();
    server::hardening(&setup.engine, command.require_hardening.unwrap_or(!options.tokens().is_empty())).await?;
    let upstreams = setup.engine.upstreams().cloned();
    let lines = match &upstreams {
        Some(upstreams) => tools::lines(upstreams).await?,
        None => Vec::new(),
    };
    let engine = Arc::new(setup.engine);
    let observer = Observer::of_server("serve", Some(&folder)).await;
    let metrics = Metrics::new(Arc::clone(&observer) as Arc<_>);
    let events = || Arc::clone(&metrics) as Arc<dyn Events>;
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
        ceilings: ceilings.clone(),
        words: intentbox_api::words,
    };
    let runner = Runner::new(store.clone(), Arc::clone(&engine), events(), runner_options);
    let running = tokio::spawn(runner.run(stop.clone()));

    let guard = if options.tokens().is_empty() { "anybody on this machine may use it" } else { "with a token" };
    let url = format!("http://{address}");
    let ready = format!(
        "serving the API at {url}{} and MCP at {url}{}: {guard}; stop with Ctrl-C",
        intentbox_api::PREFIX,
        http::PATH
    );
    show.ready(&Answer::default().noting(ready).with("url", url).with("needs_token", !options.tokens().is_empty()))?;
    let queue = Queue::new(store.clone());
    let api = Api {
        queue,
        engine,
        events: events(),
        ceilings,
        bodies: LargeBodies::default(),
        metrics: Arc::clone(&metrics),
        stop: stop.clone(),
    };
    let served = http::serve_beside(
        listener,
        move || mcp.clone(),
        options,
        http::SESSION_IDLE,
        stop.clone(),
        |mcp| {
            let api = intentbox_api::surface(api);
            Surface {
                routes: mcp.routes.merge(api.routes),
                open: api.open,
                refuse,
                unknown: intentbox_api::unknown,
                ..mcp
            }
        },
    );
    let served = served.await.context("the HTTP server stopped").class(Class::Unavailable);
    stop.cancel();
    // The runner gives what runs a while to end, and writes how it did.
    let _ = running.await;
    let _ = tokio::time::timeout(CLOSE_WITHIN, store.close()).await;
    if let Some(upstreams) = upstreams {
        upstreams.close().await;
    }
    observer.close().await;
    served.map(|()| Answer::default())
}

/// A rejection in the form that clients of its path read.
fn refuse(uri: &Uri, rejection: Rejection) -> Response {
    if uri.path() == http::PATH { http::refuse(uri, rejection) } else { intentbox_api::refuse(uri, rejection) }
}
