//! One client, on a pair of pipes: one message a line.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The longest line, in bytes: the largest script and parameters that are worth a message.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// The most answers that wait for a client to read. While that many wait, no more requests are read.
const UNREAD_MAX: usize = 64;

/// How long a client may leave that many unread before it is taken for gone.
const UNREAD_FOR: Duration = Duration::from_mins(1);

/// How long answers may take that are under way when the client closes its end. After that the program ends; a client
/// that waits longer sends signals.
const DRAIN: Duration = Duration::from_secs(4);

/// Serves the client at the other end until it closes its end, or `stop` is cancelled. Answers under way are given first,
/// within [`DRAIN`].
///
/// # Errors
/// When the client's first message cannot open a session.
pub async fn serve<H: ServerHandler>(
    handler: H,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> io::Result<()> {
    let closed = Arc::new(Notify::new());
    let reader = Noticing { reader, closed: Arc::clone(&closed) };
    let lines = AsyncRwTransport::new_server(reader, writer).with_max_line_length(LINE_BYTES_MAX);
    let transport = Bounded { lines, unread: Arc::default(), closed: Arc::clone(&closed), stop: stop.clone() };
    let serving = Box::pin(async {
        match handler.serve(transport).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
            // A client that says nothing has nothing to be told.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    });
    let ended = async {
        tokio::select! {
            () = closed.notified() => {}
            () = stop.cancelled() => {}
        }
        // A client that has closed its end and reads nothing either would be waited for for ever.
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        served = serving => served,
        () = ended => Ok(()),
    }
}

/// The lines of a client, of which no more are read while many answers are unread.
struct Bounded<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, R, W>,
    unread: Arc<Unread>,
    closed: Arc<Notify>,
    /// To stop is to read no further: what was read is answered.
    stop: CancellationToken,
}

/// How many answers are being written.
#[derive(Default)]
struct Unread {
    count: AtomicUsize,
    one_less: Notify,
}

/// One of them, until it is dropped.
struct Writing(Arc<Unread>);

impl Writing {
    fn new(unread: &Arc<Unread>) -> Self {
        unread.count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(unread))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
        self.0.one_less.notify_one();
    }
}

impl<R, W> Transport<RoleServer> for Bounded<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Counted when it is made, not when it is first polled: so the count is right when the next line is asked for.
        let counted = Writing::new(&self.unread);
        let writing = self.lines.send(message);
        async move {
            let written = writing.await;
            drop(counted);
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.unread.count.load(Ordering::Relaxed) >= UNREAD_MAX {
            if tokio::time::timeout(UNREAD_FOR, self.unread.one_less.notified()).await.is_err() {
                // Gone: what it asked for last, it will not read.
                self.closed.notify_one();
                return None;
            }
        }
        // Lines that have arrived are read without waiting, thousands in a row: the calls among them want their turn.
        tokio::task::coop::consume_budget().await;
        tokio::select! {
            message = self.lines.receive() => message,
            () = self.stop.cancelled() => None,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}

/// A reader that says when the other end has been closed.
struct Noticing<R> {
    reader: R,
    closed: Arc<Notify>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Noticing<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(context, buffer);
        let is_end = match &polled {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            self.closed.notify_one();
        }
        polled
    }
}
