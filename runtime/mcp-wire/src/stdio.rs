//! Serves one client on a pair of pipes, one message per line.
//!
//! The SDK handles the messages, and this module reads and writes them, for two reasons. A client that gets no answer
//! waits forever, so an invalid message is answered, with its id if it has one and with `null` if it has none. And what
//! is in flight must be bounded: requests that are not answered yet, and answers that the client has not read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions as _, GetMeta as _, JsonObject, JsonRpcError,
    JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::bytes::{BufMut as _, Bytes, BytesMut};
use tokio_util::codec::{Encoder, FramedRead, FramedWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::line::LineReader;
use crate::message::{self, Fault, Message, Method};
use crate::misfit;
use crate::stop::Stopping;

/// The longest line, in bytes: room for the largest script and its parameters.
pub const LINE_BYTES_MAX: usize = 4 << 20;

/// The most requests that wait for their answer. While that many wait, no more are read.
const UNANSWERED_MAX: usize = 512;

/// The most answers that wait for the client to read. While that many wait, no more requests are read.
const UNREAD_MAX: usize = 64;

/// How long a client may leave that many unread before it is taken for gone.
const UNREAD_FOR: Duration = Duration::from_secs(5);

/// How long requests in flight may take when the client closes its end. Clients send signals after two seconds, and kill
/// after four.
const DRAIN: Duration = Duration::from_secs(3);

/// How long requests in flight may take when `stop` is cancelled.
pub const STOP_WITHIN: Duration = Duration::from_secs(1);

/// How long calls that were told to stop may take to be answered.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Serves the client at the other end until it closes its end, or `stop` is cancelled. Requests in flight then have three
/// seconds to be answered, or one if `stop` is cancelled; calls that take longer are told so by their [`Stopping`].
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
        reader: FramedRead::new(reader, LineReader::up_to(LINE_BYTES_MAX)),
        writer: Arc::new(tokio::sync::Mutex::new(Some(FramedWrite::new(writer, LineWriter)))),
        state: Arc::clone(&state),
        stop: stop.clone(),
        refusals: TaskTracker::new(),
        revisions: ServerHandler::supported_protocol_versions(&handler),
        is_open: false,
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
        let stopped = async {
            stop.cancelled().await;
            tokio::time::sleep(STOP_WITHIN).await;
        };
        // A client that has closed its end and reads nothing either would be waited for for ever.
        tokio::select! {
            () = tokio::time::sleep(DRAIN) => {}
            () = stopped => {}
            () = state.gone.cancelled() => return,
        }
        state.stopping.0.cancel();
        tokio::select! {
            () = tokio::time::sleep(LAST_WORDS) => {}
            () = state.gone.cancelled() => {}
        }
    };
    tokio::select! {
        served = serving => served,
        () = ended => Ok(()),
    }
}

/// The lines of a client.
struct Lines<R, W> {
    reader: FramedRead<R, LineReader>,
    /// The writing end, until it is closed.
    writer: Arc<tokio::sync::Mutex<Option<FramedWrite<W, LineWriter>>>>,
    state: Arc<State>,
    /// Stopping means to read no further: requests that were read are answered.
    stop: CancellationToken,
    /// Errors about invalid messages. The end waits for them.
    refusals: TaskTracker,
    /// The revisions that a session can be opened in.
    revisions: Cow<'static, [ProtocolVersion]>,
    /// Whether a request has opened the session.
    is_open: bool,
}

/// Writes a message as a line.
struct LineWriter;

impl Encoder<TxJsonRpcMessage<RoleServer>> for LineWriter {
    type Error = io::Error;

    fn encode(&mut self, message: TxJsonRpcMessage<RoleServer>, line: &mut BytesMut) -> io::Result<()> {
        match message {
            // The SDK leaves out an id that is not known. Clients that require one cannot parse that error, and wait.
            JsonRpcMessage::Error(JsonRpcError { id: None, error, .. }) => {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
                serde_json::to_writer(line.writer(), &error)?;
            }
            message => serde_json::to_writer(line.writer(), &message)?,
        }
        line.put_u8(b'\n');
        Ok(())
    }
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
    /// Calls in flight are waited for no longer.
    stopping: Stopping,
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
                Some(Ok(Err(ends))) => {
                    let message = format!("the message is longer than {LINE_BYTES_MAX} bytes");
                    NoMessage::new(ends.id(), ErrorData::invalid_request(message, None))
                }
                Some(Ok(Ok(line))) => match parse(&line) {
                    Ok(None) => continue,
                    Ok(Some(message)) if self.is_too_early(&message) => continue,
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

    /// Whether a message is one for a session that is not open yet, and is not a request. The SDK would end for it, and
    /// there is nothing that it could be about.
    fn is_too_early(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(request) = message {
            self.is_open |= opens(&request.request, &self.revisions);
            return false;
        }
        !self.is_open
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
            request.request.extensions_mut().insert(self.state.stopping.clone());
        }
        Ok(message)
    }
}

/// Whether the SDK takes this request for the one that opens the session, in either of its ways: the handshake, or a
/// request that says of itself what a handshake would. A ping or a discovery opens nothing.
fn opens(request: &ClientRequest, revisions: &[ProtocolVersion]) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|revision| revisions.contains(&revision))
        }
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
            if let ClientJsonRpcMessage::Request(request) = &mut message {
                let misfit = match &request.request {
                    ClientRequest::CustomRequest(request) => misfit::of_request(request),
                    _ => None,
                };
                if let Some(error) = misfit {
                    return Err(NoMessage::new(id, error));
                }
                if let Some(arguments) = arguments {
                    request.request.extensions_mut().insert(arguments);
                }
            }
            Ok(Some(Box::new(message)))
        }
        // A notification that nobody knows. It may be ignored, and has no answer.
        Err(_) if id.is_none() && method != Method::Absent => Ok(None),
        Err(error) => {
            let error = match serde_json::from_slice::<JsonObject>(&text) {
                Ok(object) => misfit::of_message(&object),
                Err(_) => ErrorData::invalid_request(format!("the message is not valid JSON-RPC: {error}"), None),
            };
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
        let writer = Arc::clone(&self.writer);
        async move {
            let mut writer = writer.lock().await;
            let written = match writer.as_mut() {
                Some(writer) => writer.send(message).await,
                None => Err(io::ErrorKind::NotConnected.into()),
            };
            drop(writer);
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
        *self.writer.lock().await = None;
        Ok(())
    }
}
