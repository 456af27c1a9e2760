//! Streams of events that clients read.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use rmcp::transport::streamable_http_server::session::{EventStream, ServerSseMessage};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::live::OpenStream;

/// What a channel brings.
pub(super) struct Received(pub(super) mpsc::Receiver<ServerSseMessage>);

impl Stream for Received {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        self.0.poll_recv(context)
    }
}

/// The events of a session, as one of its streams brings them to a client. While it is there, the session is in use.
pub(super) struct SessionStream {
    events: EventStream,
    /// Whether the client can parse events without a message.
    is_primed: bool,
    /// The end of a stream that nobody has to wait for.
    until: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _open: OpenStream,
}

impl SessionStream {
    pub(super) fn new(events: EventStream, is_primed: bool, open: OpenStream) -> Self {
        Self { events, is_primed, until: None, _open: open }
    }

    /// The same, until this.
    pub(super) fn until(self, end: CancellationToken) -> Self {
        Self { until: Some(Box::pin(end.cancelled_owned())), ..self }
    }
}

impl Stream for SessionStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let stream = &mut *self;
        if stream.until.as_mut().is_some_and(|end| end.as_mut().poll(context).is_ready()) {
            return Poll::Ready(None);
        }
        loop {
            match stream.events.as_mut().poll_next(context) {
                Poll::Ready(Some(event)) if event.message.is_none() && !stream.is_primed => {}
                polled => return polled,
            }
        }
    }
}
