//! The sessions that the SDK serves, each with its principal, its streams and what is kept for its client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::Stream;
use intentbox_engine::Principal;
use intentbox_listen::ConcurrencyLimit;
use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{EventStream, ServerSseMessage, SessionId, SessionManager};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::backlog::{Backlog, Position, SessionEvents};
use super::sessions::{AllInUse, Remaining, Sessions};
use super::streams::SessionStream;

/// The most sessions at a time. A session costs some 80 KiB, half a MiB if its client describes itself at the greatest
/// length.
const SESSIONS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 256, total: 1_024 };

/// After how long a client whose connection dropped is to come back.
const COME_BACK_AFTER: Duration = Duration::from_secs(3);

/// The first revision whose clients can parse an event without a message, such as the first one of an answer.
const FIRST_PRIMED: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// The end of a session: whatever it has in flight is over.
#[derive(Debug, Clone)]
pub(crate) struct Ended(pub(crate) CancellationToken);

/// The sessions. Clones are the same ones.
#[derive(Clone)]
pub(super) struct LiveSessions {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    backlog: Arc<Backlog>,
    /// The end of streams without a call.
    stop: CancellationToken,
}

struct State {
    table: Sessions,
    live: HashMap<SessionId, Live>,
    /// The number of the next session.
    next: u64,
}

/// A session of the SDK.
#[derive(Clone)]
struct Live {
    number: u64,
    /// A store of sessions with this one alone: so its event store knows whose events it gets.
    sdk: Arc<LocalSessionManager>,
    /// Whether its client can parse events without a message.
    is_primed: bool,
    ended: CancellationToken,
}

/// A reserved place for a session. Dropping it gives it back.
pub(super) struct Place {
    shared: Arc<Shared>,
    principal: Option<Principal>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(principal) = self.principal.take() {
            self.shared.state().table.release(&principal);
        }
    }
}

/// A stream that a client reads. Dropping it ends that.
pub(super) struct OpenStream {
    shared: Arc<Shared>,
    id: SessionId,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.shared.state().table.stream_closed(&self.id, Instant::now());
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a session and ends what it has in flight. Gives what is left of it, if it was there.
    fn remove(&self, id: &str) -> Option<Live> {
        let removed = {
            let mut state = self.state();
            state.table.remove(id);
            state.live.remove(id)
        };
        if let Some(live) = &removed {
            live.ended.cancel();
            self.backlog.forget(live.number);
        }
        removed
    }

    /// Ends a session, without waiting for that.
    fn end(&self, id: &SessionId) {
        if let Some(live) = self.remove(id) {
            let id = Arc::clone(id);
            tokio::spawn(async move {
                // If it has ended by itself, there is nothing to do.
                let _ = live.sdk.close_session(&id).await;
            });
        }
    }

    /// Ends a session once it has been idle for as long as it may.
    async fn end_when_idle(self: Arc<Self>, id: SessionId, ended: CancellationToken) {
        loop {
            let remaining = self.state().table.remaining(&id, Instant::now());
            let left = match remaining {
                Remaining::AtLeast(left) => left,
                Remaining::Nothing => return self.end(&id),
                Remaining::Unknown => return,
            };
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                () = ended.cancelled() => return,
            }
        }
    }
}

impl LiveSessions {
    /// No sessions yet. One ends after `idle_max` without use; streams without a call end with `stop`.
    pub(super) fn new(idle_max: Duration, stop: CancellationToken) -> Self {
        let state = State { table: Sessions::new(SESSIONS, idle_max), live: HashMap::new(), next: 0 };
        Self { shared: Arc::new(Shared { state: Mutex::new(state), backlog: Arc::new(Backlog::new()), stop }) }
    }

    /// Records a request, and gives the end of its session, if that belongs to this principal. An unknown session belongs to
    /// nobody.
    pub(super) fn of(&self, principal: &Principal, id: &str) -> Option<Ended> {
        let mut state = self.shared.state();
        if !state.table.note_use(id, principal, Instant::now()) {
            return None;
        }
        state.live.get(id).map(|live| Ended(live.ended.clone()))
    }

    /// Reserves a place for a session of this principal. Another session may end for it.
    pub(super) fn reserve(&self, principal: &Principal) -> Result<Place, AllInUse> {
        let gives_way = self.shared.state().table.reserve(principal)?;
        let place = Place { shared: Arc::clone(&self.shared), principal: Some(principal.clone()) };
        if let Some(id) = gives_way {
            self.shared.end(&id);
        }
        Ok(place)
    }

    /// Records the principal of a session that was opened.
    pub(super) fn opened(&self, id: &str, mut place: Place) {
        let opened = {
            let mut state = self.shared.state();
            let live = state.live.get_key_value(id).map(|(id, live)| (Arc::clone(id), live.ended.clone()));
            // One that has ended already leaves its place when that is dropped.
            let Some((id, ended)) = live else { return };
            let Some(principal) = place.principal.take() else { return };
            state.table.opened(Arc::clone(&id), principal, Instant::now());
            (id, ended)
        };
        tokio::spawn(Arc::clone(&self.shared).end_when_idle(opened.0, opened.1));
    }

    /// Whether a client that comes back after this event can be told what came later.
    pub(super) fn can_resume(&self, id: &str, last_event_id: &str) -> bool {
        let number = self.shared.state().live.get(id).map(|live| live.number);
        number.is_some_and(|number| self.shared.backlog.position(number, last_event_id).is_some())
    }

    fn live(&self, id: &SessionId) -> Result<Live, LocalSessionManagerError> {
        let live = self.shared.state().live.get(id).cloned();
        live.ok_or_else(|| LocalSessionManagerError::SessionNotFound(Arc::clone(id)))
    }

    /// A stream of events, which keeps its session in use.
    fn stream(&self, id: &SessionId, live: &Live, events: EventStream) -> SessionStream {
        self.shared.state().table.stream_opened(id);
        let open = OpenStream { shared: Arc::clone(&self.shared), id: Arc::clone(id) };
        SessionStream::new(events, live.is_primed, open)
    }
}

/// The revision that was agreed upon, by the answer to `initialize`.
fn revision(answer: &ServerJsonRpcMessage) -> Option<&ProtocolVersion> {
    match answer {
        ServerJsonRpcMessage::Response(response) => match &response.result {
            ServerResult::InitializeResult(result) => Some(&result.protocol_version),
            _ => None,
        },
        _ => None,
    }
}

/// What the SDK asks of its sessions. It is not given the event store as well: with one, it goes on with a call of the
/// stateless revision whose stream was closed, and there a closed stream is a cancellation.
impl SessionManager for LiveSessions {
    type Error = LocalSessionManagerError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), LocalSessionManagerError> {
        let number = {
            let mut state = self.shared.state();
            state.next += 1;
            state.next
        };
        let mut sdk = LocalSessionManager::default();
        // The SDK counts messages and not streams: its limit would end a session whose client listens.
        sdk.session_config.keep_alive = None;
        sdk.session_config.sse_retry = Some(COME_BACK_AFTER);
        let sdk = sdk.with_event_store(Arc::new(SessionEvents::new(number, Arc::clone(&self.shared.backlog))));
        let (id, transport) = sdk.create_session().await?;
        let live = Live { number, sdk: Arc::new(sdk), is_primed: false, ended: CancellationToken::new() };
        self.shared.state().live.insert(Arc::clone(&id), live);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, LocalSessionManagerError> {
        let answer = self.live(id)?.sdk.initialize_session(id, message).await?;
        if let (Some(revision), Some(live)) = (revision(&answer), self.shared.state().live.get_mut(id)) {
            live.is_primed = revision.as_str() >= FIRST_PRIMED.as_str();
        }
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, LocalSessionManagerError> {
        Ok(self.shared.state().live.contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), LocalSessionManagerError> {
        match self.shared.remove(id) {
            Some(live) => live.sdk.close_session(id).await,
            None => Ok(()),
        }
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let live = self.live(id)?;
        let events: EventStream = Box::pin(live.sdk.create_stream(id, message).await?);
        Ok(self.stream(id, &live, events))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), LocalSessionManagerError> {
        self.live(id)?.sdk.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let live = self.live(id)?;
        let events: EventStream = Box::pin(live.sdk.create_standalone_stream(id).await?);
        Ok(self.stream(id, &live, events).until(self.shared.stop.clone()))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, LocalSessionManagerError> {
        let live = self.live(id)?;
        if self.shared.backlog.position(live.number, &last_event_id) == Some(Position::Unrelated) {
            let events: EventStream = Box::pin(live.sdk.create_standalone_stream(id).await?);
            return Ok(self.stream(id, &live, events).until(self.shared.stop.clone()));
        }
        let events: EventStream = Box::pin(live.sdk.resume(id, last_event_id).await?);
        Ok(self.stream(id, &live, events))
    }
}
