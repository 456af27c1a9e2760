//! Serves one client on a pair of pipes, one message per line.
//!
//! The SDK writes the lines, and this module reads them, for two reasons. A client that gets no answer waits forever,
//! so an invalid message is answered, with its id if it has one. And what is in flight must be bounded: requests that
//! are not answered yet, and answers that the client has not read.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use intentbox_listen::lines::{LineDecoder, TooLong};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, GetExtensions as _, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite, Empty, empty};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::bytes::Bytes;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::message::{self, Fault, Message, Method};

/// The longest line, in bytes: room for the largest script and its parameters.
pub const LINE_BYTES_MAX: usize = 4 << 20;

/// The most requests that wait for their answer. While that many wait, no more are read.
const UNANSWERED_MAX: usize = 512;

/// The most answers that wait for the client to read. While that many wait, no more requests are read.
const UNREAD_MAX: usize = 64;

/// How long a client may leave that many unread before it is taken for gone.
const UNREAD_FOR: Duration = Duration::from_secs(5);

/// How long requests in flight may take when the client closes its end. After that the program ends; a client that
/// waits longer sends signals.
const DRAIN: Duration = Duration::from_secs(4);

/// Serves the client at the other end until it closes its end, or `stop` is cancelled. Requests in flight then have a
/// few seconds to be answered.
///
/// # Errors
/// When the client's first message cannot open a session.
pub async fn serve<H: ServerHandler>(
    handler: H,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> io::Result<()> {
    let state = Arc::<State>::default();
    let transport = Lines {
        reader: FramedRead::new(reader, LineDecoder::up_to(LINE_BYTES_MAX)),
        writer: AsyncRwTransport::new_server(empty(), writer),
        state: Arc::clone(&state),
        stop: stop.clone(),
        refusals: TaskTracker::new(),
    };
    let serving = Box::pin(async {
        match handler.serve(transport).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
            // A client that says nothing, or reads nothing, has nothing to be told.
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::Cancelled
                | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(_) => Err(io::Error::other("the first message does not open a session")),
        }
    });
    let ended = async {
        tokio::select! {
            () = state.closed.cancelled() => {}
            () = stop.cancelled() => {}
        }
        // A client that has closed its end and reads nothing either would be waited for for ever.
        tokio::select! {
            () = tokio::time::sleep(DRAIN) => {}
            () = state.gone.cancelled() => {}
        }
    };
    tokio::select! {
        served = serving => served,
        () = ended => Ok(()),
    }
}

/// The lines of a client.
struct Lines<R, W: AsyncWrite> {
    reader: FramedRead<R, LineDecoder>,
    writer: AsyncRwTransport<RoleServer, Empty, W>,
    state: Arc<State>,
    /// Stopping means to read no further: requests that were read are answered.
    stop: CancellationToken,
    /// Errors about invalid messages. The end waits for them.
    refusals: TaskTracker,
}

/// What is in flight.
#[derive(Default)]
struct State {
    in_flight: Mutex<InFlight>,
    freed: Notify,
    /// The client has closed its end, or is gone.
    closed: CancellationToken,
    /// The client can no longer be written to, or reads nothing.
    gone: CancellationToken,
}

#[derive(Default)]
struct InFlight {
    requests: HashSet<RequestId>,
    answers: usize,
    /// Since when as many answers as may be wait for the client.
    unread_since: Option<Instant>,
}

impl State {
    fn in_flight(&self) -> std::sync::MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self) {
        self.gone.cancel();
        self.closed.cancel();
    }

    fn is_full(&self) -> bool {
        let in_flight = self.in_flight();
        in_flight.requests.len() >= UNANSWERED_MAX || in_flight.answers >= UNREAD_MAX
    }

    /// Waits until less is in flight. `None` when the client is gone.
    async fn capacity(&self) -> Option<()> {
        while self.is_full() {
            let unread_since = self.in_flight().unread_since;
            let freed = self.freed.notified();
            let Some(since) = unread_since else {
                freed.await;
                continue;
            };
            if tokio::time::timeout_at(since + UNREAD_FOR, freed).await.is_err() {
                // What it asked for last, it will not read.
                self.leave();
                return None;
            }
        }
        (!self.gone.is_cancelled()).then_some(())
    }
}

/// A request that is being answered. It travels with the request, and is dropped with what works on it.
struct PendingRequest {
    state: Arc<State>,
    id: RequestId,
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.state.in_flight().requests.remove(&self.id);
        self.state.freed.notify_one();
    }
}

/// An answer that is being written.
struct PendingAnswer(Arc<State>);

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        let mut in_flight = self.0.in_flight();
        in_flight.answers -= 1;
        if in_flight.answers < UNREAD_MAX {
            in_flight.unread_since = None;
        } else {
            // The client reads, if slowly.
            in_flight.unread_since = Some(Instant::now());
        }
        drop(in_flight);
        self.0.freed.notify_one();
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The next valid message. Invalid ones are answered here.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Lines that have arrived are read without waiting, thousands in a row: other tasks run in between.
            tokio::task::coop::consume_budget().await;
            Arc::clone(&self.state).capacity().await?;
            let no_message = match self.reader.next().await {
                None | Some(Err(_)) => return None,
                Some(Ok(Err(TooLong))) => {
                    let message = format!("the message is longer than {LINE_BYTES_MAX} bytes");
                    NoMessage::new(None, ErrorData::invalid_request(message, None))
                }
                Some(Ok(Ok(line))) => match parse(&line) {
                    Ok(None) => continue,
                    Ok(Some(message)) => match self.admit(*message) {
                        Ok(message) => return Some(message),
                        Err(refused) => refused,
                    },
                    Err(refused) => refused,
                },
            };
            let NoMessage { id, error } = no_message;
            let refusal = TxJsonRpcMessage::<RoleServer>::error(*error, id);
            let sending = self.send(refusal);
            self.refusals.spawn(sending);
        }
    }

    /// Registers a request as in flight. Its id must not be in flight already: the two answers could not be told apart.
    fn admit(&self, mut message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, NoMessage> {
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            let id = request.id.clone();
            if !self.state.in_flight().requests.insert(id.clone()) {
                let message = "a request with this id is in flight: use another id".to_owned();
                return Err(NoMessage::new(Some(id), ErrorData::invalid_request(message, None)));
            }
            let unanswered = PendingRequest { state: Arc::clone(&self.state), id };
            request.request.extensions_mut().insert(Arc::new(unanswered));
        }
        Ok(message)
    }
}

/// An invalid message: the id to answer, and why.
struct NoMessage {
    id: Option<RequestId>,
    error: Box<ErrorData>,
}

impl NoMessage {
    fn new(id: Option<RequestId>, error: ErrorData) -> Self {
        Self { id, error: Box::new(error) }
    }
}

/// Parses a line: a message, nothing if nobody waits for an answer, or why it is invalid and which id to answer.
fn parse(line: &Bytes) -> Result<Option<Box<ClientJsonRpcMessage>>, NoMessage> {
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    let message = message::read(&line.slice_ref(text)).map_err(|fault| match fault {
        Fault::Unreadable(why) => {
            let error = ErrorData::parse_error(format!("the message is not valid JSON: {why}"), None);
            NoMessage::new(None, error)
        }
        Fault::Refused { id, why } => NoMessage::new(id, ErrorData::invalid_request(why, None)),
    })?;
    let Message { text, id, method, arguments, .. } = message;
    match serde_json::from_slice::<ClientJsonRpcMessage>(&text) {
        Ok(mut message) => {
            if let (ClientJsonRpcMessage::Request(request), Some(arguments)) = (&mut message, arguments) {
                request.request.extensions_mut().insert(arguments);
            }
            Ok(Some(Box::new(message)))
        }
        // A notification that nobody knows. It may be ignored, and has no answer.
        Err(_) if id.is_none() && method != Method::Absent => Ok(None),
        Err(error) => {
            let error = ErrorData::invalid_request(format!("the message is not valid JSON-RPC: {error}"), None);
            Err(NoMessage::new(id, error))
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
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
        let mut in_flight = self.state.in_flight();
        in_flight.answers += 1;
        if in_flight.answers >= UNREAD_MAX {
            in_flight.unread_since.get_or_insert_with(Instant::now);
        }
        drop(in_flight);
        let unread = PendingAnswer(Arc::clone(&self.state));
        let writing = self.writer.send(message);
        async move {
            let written = writing.await;
            if written.is_err() {
                unread.0.leave();
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let stop = self.stop.clone();
        let message = tokio::select! {
            message = self.next() => message,
            () = stop.cancelled() => None,
        };
        if message.is_none() {
            self.state.closed.cancel();
            self.refusals.close();
            self.refusals.wait().await;
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.close().await
    }
}
