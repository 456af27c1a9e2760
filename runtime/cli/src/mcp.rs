//! `intentbox mcp`: the server, on this process's own pipes or on a port.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream as Socket;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use intentbox_engine::{Ceilings, Engine, Refresh, Sharing};
use intentbox_listen::http::{InvalidOption, Options};
use intentbox_listen::{CancellationToken, Tokens};
use intentbox_mcp::{Server, Settings, http, stdio};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixStream, unix::pipe};
use tokio::signal::unix::{SignalKind, signal};

use crate::answer::Answer;
use crate::arguments::{Mcp, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::observe::Observer;
use crate::show::{self, Show};
use crate::{input, process, setup, tools};

/// How often a server looks for lists of tools that are older than a day.
const LOOK_FOR_STALE: Duration = Duration::from_hours(1);

/// The longest file of tokens, in bytes.
const TOKENS_BYTES_MAX: u64 = 1 << 20;

/// What callers may raise their output to, in bytes, unless `--limit` says otherwise: twice the default of a result. What
/// a run brings is checked, kept and sent by the one process that serves everybody, and no model reads that much.
const OUTPUT_CEILINGS: [(&str, u64); 3] =
    [("result_bytes", 2 << 20), ("stdout_bytes", 2 << 20), ("stderr_bytes", 2 << 20)];

fn owned((name, value): (&str, u64)) -> (String, u64) {
    (name.to_owned(), value)
}

/// Serves until the client closes its end, or until a signal.
pub(crate) async fn run(sources: &Sources, command: Mcp, show: &mut Show) -> Result<Answer, CommandError> {
    if command.http.is_none() {
        // stdout is the client's, also for what fails before it is served.
        show.leave_stdout();
    }
    let ceilings = Ceilings::new(OUTPUT_CEILINGS.map(owned).into_iter().chain(command.limits));
    let ceilings = ceilings.context("--limit").class(Class::Usage)?;
    let tokens = command.token_file.as_deref().map(tokens).transpose().class(Class::Configuration)?;
    let options = Options::new(&command.hosts, &command.origins, tokens.unwrap_or_default());
    let options = options.map_err(|invalid| invalid_option(&invalid))?;
    if let Some(address) = command.http {
        let advice = "give tokens with --token-file, or listen on 127.0.0.1";
        options.may_listen(address).map_err(|needed| Class::Usage.error(format!("{needed}: {advice}")))?;
    }
    // Principals are kept apart where there can be several.
    let sharing = if options.tokens().len() > 1 { Sharing::Fair } else { Sharing::Whole };
    let setup = setup::engine_for_server(sources, command.workers, sharing).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    process::protect();
    if command.http.is_some() {
        let required = command.require_hardening.unwrap_or(!options.tokens().is_empty());
        hardening(&setup.engine, required).await?;
    } else if command.require_hardening == Some(true) {
        hardening(&setup.engine, true).await?;
    }
    let upstreams = match setup.engine.upstreams() {
        Some(upstreams) => tools::lines(upstreams).await?,
        None => Vec::new(),
    };
    let settings = Settings { is_demo: setup.demo.is_some(), allow_writes: command.allow_writes, ceilings, upstreams };
    let observer = Observer::of_server("mcp", setup::state_folder(sources).as_deref()).await;
    let server = Server::new(setup.engine, settings, Arc::clone(&observer) as Arc<_>).class(Class::Internal)?;
    // The workers start while the client says hello. Why they do not is told with the first run.
    let warming = server.clone();
    tokio::spawn(async move { warming.engine().workers().await.map(|_| ()) });

    let upstreams = server.engine().upstreams().cloned();
    if let Some(upstreams) = upstreams.clone() {
        tokio::spawn(async move { upstreams.keep_closing_idle().await });
    }
    let (settings, routing, _) = setup::tool_settings(sources)?;
    let is_daily = settings.refresh == Refresh::Daily && routing.discovery;
    if let Some(upstreams) = upstreams.clone().filter(|_| is_daily) {
        let sources = sources.clone();
        tokio::spawn(async move {
            // Nothing is spawned at the start: who needs the tools before the first look has listed them by then.
            loop {
                tokio::time::sleep(LOOK_FOR_STALE).await;
                if let Err(error) = tools::begin_stale(&sources, &upstreams, settings.refresh).await {
                    show::notice(&show::line(&format!("tools are not refreshed: {}", error.message())));
                }
            }
        });
    }
    let stop = CancellationToken::new();
    tokio::spawn(stop_at_signal(stop.clone()).context("signals").class(Class::Internal)?);
    match command.http {
        Some(address) => {
            let session_idle = command.session_idle.map(|idle| Duration::from_secs(idle.seconds()));
            let listening = Listening { address, options, session_idle: session_idle.unwrap_or(http::SESSION_IDLE) };
            over_http(server, listening, stop, show).await?;
        }
        None => over_pipes(server, stop).await.class(Class::Unavailable)?,
    }
    if let Some(upstreams) = upstreams {
        upstreams.close().await;
    }
    observer.close().await;
    Ok(Answer::default())
}

/// An invalid option of the server, by its flag.
fn invalid_option(invalid: &InvalidOption) -> CommandError {
    Class::Usage.error(match invalid {
        InvalidOption::Origin { origin } => {
            format!("--allow-origin {origin}: write it as browsers do, such as https://app.example.com")
        }
        InvalidOption::Host { host } => {
            format!("--allow-host {host}: write a name, or a name with a port, such as mcp.example.com")
        }
    })
}

/// Starts the workers and checks their hardening. Where a measure is missing, a script that escapes from wasm finds more.
/// Scripts of strangers do not run like that unless the operator says so.
async fn hardening(engine: &Engine, required: bool) -> Result<(), CommandError> {
    let workers = engine.workers().await.context("no worker process starts").class(Class::Unavailable)?;
    let missing: BTreeSet<&str> = workers.iter().flat_map(|worker| worker.hardening.missing()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.into_iter().collect::<Vec<_>>().join(", ");
    let lacks = format!("this machine lacks hardening of the workers: {missing}");
    if required {
        let advice = "run `intentbox doctor` to see why, or add --require-hardening=false to serve without it";
        return Err(Class::Unavailable.error(lacks).hint(advice));
    }
    show::notice(&format!("warning: {lacks}\nhint: run `intentbox doctor` to see why"));
    Ok(())
}

/// Where and how to serve HTTP.
struct Listening {
    address: SocketAddr,
    options: Options,
    session_idle: Duration,
}

async fn over_http(
    server: Server,
    listening: Listening,
    stop: CancellationToken,
    show: &mut Show,
) -> Result<(), CommandError> {
    let Listening { address, options, session_idle } = listening;
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"));
    let listener = listener.class(Class::Unavailable).hint("choose another address or port with --http")?;
    let address = listener.local_addr().class(Class::Internal)?;
    let guard = if options.tokens().is_empty() { "anybody on this machine may use it" } else { "with a token" };
    let url = format!("http://{address}{}", http::PATH);
    let ready = Answer::default().noting(format!("serving MCP at {url}: {guard}; stop with Ctrl-C"));
    show.ready(&ready.with("url", url).with("needs_token", !options.tokens().is_empty()))?;
    let end = http::serve(listener, move || server.clone(), options, session_idle, stop).await;
    end.context("the HTTP server stopped").class(Class::Unavailable)
}

async fn over_pipes(server: Server, stop: CancellationToken) -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        show::notice(
            "expecting an MCP client on stdin and stdout; the README shows how to configure one. Press Ctrl-D to end.",
        );
    }
    stdio::serve(server, reader()?, writer()?, stop).await.context("the client cannot be served")
}

/// The end of `stop`: Ctrl-C, or the signal by which services and clients end a program.
fn stop_at_signal(stop: CancellationToken) -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        stop.cancel();
    })
}

fn tokens(file: &Path) -> anyhow::Result<Tokens> {
    let typed = std::path::absolute(file)?;
    let bytes = input::read_secret(Path::new("/"), &typed, TOKENS_BYTES_MAX);
    let bytes = bytes.with_context(|| format!("--token-file {}", file.display()))?;
    if bytes.len() as u64 > TOKENS_BYTES_MAX {
        anyhow::bail!("--token-file {}: it has more than {TOKENS_BYTES_MAX} bytes", file.display());
    }
    let text =
        String::from_utf8(bytes).with_context(|| format!("--token-file {}: it is not UTF-8 text", file.display()))?;
    Tokens::parse(&text).with_context(|| format!("--token-file {}", file.display()))
}

/// Stdin without a thread in between, where it is a pipe or a socket, as clients make them.
///
/// A pipe is opened anew, so that not waiting is this handle's own affair. A socket's is this process's: the other end is
/// another.
fn reader() -> std::io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(std::io::stdin())? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    })
}

/// Stdout likewise.
fn writer() -> std::io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    if let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
        return Ok(Box::new(pipe));
    }
    Ok(match socket(std::io::stdout())? {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    })
}

fn socket(stream: impl AsFd) -> std::io::Result<Option<UnixStream>> {
    let handle: OwnedFd = stream.as_fd().try_clone_to_owned()?;
    let file = File::from(handle);
    if !file.metadata()?.file_type().is_socket() {
        return Ok(None);
    }
    let socket = Socket::from(OwnedFd::from(file));
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket).map(Some)
}
