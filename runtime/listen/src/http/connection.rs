//! Limits on connections: their number, and the time that the head of a request may take.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most connections at a time. More wait until one is closed. Most systems let a process have 1,024 files by default;
/// workers and requests of scripts need some of them.
const CONNECTIONS_MAX: usize = 768;

/// How long the head of a request may take to arrive, from the start of the connection or the end of the request before.
const HEAD_WITHIN: Duration = Duration::from_secs(30);

/// The longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// How long requests in flight may take when the server is told to stop.
const DRAIN: Duration = Duration::from_secs(5);

/// How long accepting pauses when the system has no files left.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves the connections of a listener until `stop` is cancelled, and lets requests in flight end.
pub(super) async fn accept(listener: TcpListener, app: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let connections = TaskTracker::new();
    let accepting = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (app, stop) = (app.clone(), stop.clone());
                    connections.spawn(async move {
                        serve(stream, app, stop).await;
                        drop(place);
                    });
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
    drop(listener);
    connections.close();
    let _ = tokio::time::timeout(DRAIN, connections.wait()).await;
}

async fn serve(stream: TcpStream, app: Router, stop: CancellationToken) {
    // Answers are small, and come in two pieces: without this the second waits for the client to acknowledge the first.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).max_buf_size(HEAD_BYTES_MAX);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
    // How a connection ends is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
