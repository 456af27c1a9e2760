//! `intentbox mcp`: the server, on this process's own pipes or on a port.

use std::fs::File;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream as Socket;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use intentbox_listen::CancellationToken;
use intentbox_listen::http::Options;
use intentbox_mcp::{Server, Settings, http, stdio};
use intentbox_store::Place;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixStream, unix::pipe};

use crate::answer::Answer;
use crate::arguments::{Mcp, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::observe::Observer;
use crate::show::{self, Show};
use crate::{process, server, setup, tools};

/// Serves until the client closes its end, or until a signal.
pub(crate) async fn run(sources: &Sources, command: Mcp, show: &mut Show) -> Result<Answer, CommandError> {
    if command.http.is_none() {
        // stdout is the client's, also for what fails before it is served.
        show.leave_stdout();
    }
    let ceilings = server::ceilings(command.runs.limits.clone())?;
    let options = server::options(command.token_file.as_deref(), &command.hosts, &command.origins)?;
    if let Some(address) = command.http {
        let advice = "give tokens with --token-file, or listen on 127.0.0.1 without --allow-host";
        options.may_listen(address).map_err(|needed| Class::Usage.error(format!("{needed}: {advice}")))?;
    }
    // Principals are kept apart where there can be several.
    let sharing = server::sharing(command.runs.isolation, options.tokens());
    let setup = setup::engine_for_server(sources, &command.runs, sharing).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    process::protect();
    if command.http.is_some() {
        let required = command.runs.require_hardening.unwrap_or(options.tokens().are_needed());
        server::hardening(&setup.engine, required).await?;
    } else if command.runs.require_hardening == Some(true) {
        server::hardening(&setup.engine, true).await?;
    }
    let upstreams = match setup.engine.upstreams() {
        Some(upstreams) => tools::lines(upstreams).await?,
        None => Vec::new(),
    };
    let settings = Settings { is_demo: setup.demo.is_some(), allow_writes: command.allow_writes, ceilings, upstreams };
    let place = setup::state_folder(sources).map(Place::Folder);
    let observer = Observer::of_server("mcp", place.as_ref()).await;
    let server = Server::new(setup.engine, settings, Arc::clone(&observer) as Arc<_>).class(Class::Internal)?;
    // The workers start while the client says hello. Why they do not is told with the first run.
    let warming = server.clone();
    tokio::spawn(async move { warming.engine().workers().await.map(|_| ()) });

    let upstreams = server.engine().upstreams().cloned();
    if let Some(upstreams) = upstreams.clone() {
        tokio::spawn(async move { upstreams.keep_closing_idle().await });
    }
    server::look_for_stale(sources, upstreams.as_ref())?;
    let stop = CancellationToken::new();
    tokio::spawn(server::stop_at_signal(stop.clone()).context("signals").class(Class::Internal)?);
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
    let guard = if options.tokens().are_needed() { "with a token" } else { "anybody on this machine may use it" };
    let url = format!("http://{address}{}", http::PATH);
    let ready = Answer::default().noting(format!("serving MCP at {url}: {guard}; stop with Ctrl-C"));
    show.ready(&ready.with("url", url).with("needs_token", options.tokens().are_needed()))?;
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
