//! Limits on connections: their number, and the time that the head of a request may take. Whoever says nothing makes room for
//! others ([`super::places`]).

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures_util::FutureExt as _;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt::set_socket_send_buffer_size;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::gate::Known;
use super::places::{Place, Places};

/// The fewest and the most connections at a time. Most systems let a process have 1,024 files by default; workers and requests
/// of scripts need some of them. Where more files are allowed, half of them are for connections.
const CONNECTIONS_MIN: u64 = 768;
const CONNECTIONS_MAX: u64 = 10_000;

/// How long the head of a request may take to arrive, from the start of the connection or the end of the request before.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// How much of an answer the system takes before a client has read it, in bytes; Linux doubles it. Otherwise it would be some megabytes,
/// and an answer that nobody reads would count as read.
const SENT_BYTES_MAX: usize = 64 << 10;

/// The longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// How long requests in flight may take when the server is told to stop. A run has as long as those of jobs, and its answer a moment more.
const DRAIN: Duration = Duration::from_secs(12);

/// How long accepting pauses when the system has no files left.
const PAUSE: Duration = Duration::from_millis(50);

fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((files / 2).clamp(CONNECTIONS_MIN, CONNECTIONS_MAX)).unwrap_or(usize::MAX)
}

/// Serves the connections of a listener until `stop` is cancelled, and lets requests in flight end.
pub(super) async fn accept(listener: TcpListener, app: Router, stop: CancellationToken) {
    // Connections have what their listener has. Where the system refuses, they have its own.
    let _ = set_socket_send_buffer_size(&listener, SENT_BYTES_MAX);
    let places = Places::new(connections_max());
    let connections = TaskTracker::new();
    let accepting = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let Some(place) = places.take().await else { return };
                    connections.spawn(serve(stream, app.clone(), Arc::new(place), stop.clone()));
                }
                // One that was closed before it was accepted is no matter, and no files left passes.
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        () = stop.cancelled() => {}
    }
    // Who has connected already may have sent a request.
    while let Some(Ok((stream, _))) = listener.accept().now_or_never() {
        let Some(Some(place)) = places.take().now_or_never() else { break };
        connections.spawn(serve(stream, app.clone(), Arc::new(place), stop.clone()));
    }
    drop(listener);
    connections.close();
    let _ = tokio::time::timeout(DRAIN, connections.wait()).await;
}

async fn serve(stream: TcpStream, app: Router, place: Arc<Place>, stop: CancellationToken) {
    // Answers are small, and come in two pieces: without this the second waits for the client to acknowledge the first.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_BYTES_MAX);
    let (app, of_requests) = (TowerToHyperService::new(app), Arc::clone(&place));
    let service = service_fn(move |request| {
        of_requests.busy();
        let (answer, place) = (app.call(request), Arc::clone(&of_requests));
        async move {
            let answer = answer.await;
            if !answer.as_ref().is_ok_and(|answer| answer.extensions().get::<Known>().is_some()) {
                place.idle();
            }
            answer
        }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // How a connection ends is the client's affair. It comes first: a request that has arrived is one in flight.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = place.closed() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
