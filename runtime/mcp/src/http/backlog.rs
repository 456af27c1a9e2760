//! Events of a session's streams, kept for a client whose connection dropped.
//!
//! The first event of an answer tells a client that it can come back with `Last-Event-ID`. So what came meanwhile must be here:
//! the SDK forgets a stream with its response unless it has an event store, and a client that came back then waited for
//! ever. The alternative was to tell no client that it can come back; then a result is lost whenever a proxy cuts a
//! connection, and the run is repeated.
//!
//! Kept are requests, responses and notifications of calls, within bounds of bytes, number and time. Two kinds are not:
//! progress, since the next one says more, and what belongs to no call, since nothing waits for it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::streams::Received;

/// How long the events of a stream are kept after its response.
const KEPT_FOR: Duration = Duration::from_mins(1);

/// How much is kept. Answers have some ten KiB, since large results are kept elsewhere. The streams of a session are as many
/// as a principal may have calls in flight, and as many that have ended.
const BOUNDS: Bounds =
    Bounds { session_bytes: 1 << 20, session_streams: 512, total_bytes: 32 << 20, total_ended: 8_192 };

/// How many events wait for a client that came back and reads slowly.
const WAITING_MAX: usize = 16;

/// The id of every event that belongs to no call.
const UNRELATED: &str = "0";

/// The events of all sessions.
#[derive(Debug)]
pub(super) struct Backlog {
    kept: Mutex<Kept>,
}

/// Where a client's last event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// In the stream of a call.
    Call {
        /// The number of the stream.
        stream: u64,
        /// The number of the event in it.
        event: u64,
    },
    /// In the stream of events that belong to no call.
    Unrelated,
}

impl Position {
    fn parse(id: &str) -> Option<Self> {
        if id == UNRELATED {
            return Some(Self::Unrelated);
        }
        let (stream, event) = id.split_once('-')?;
        Some(Self::Call { stream: stream.parse().ok()?, event: event.parse().ok()? })
    }
}

/// The most that is kept. Bytes are those of messages as JSON.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    session_bytes: usize,
    session_streams: usize,
    total_bytes: usize,
    /// Streams that have ended, of all sessions.
    total_ended: usize,
}

/// What is kept, without locks and clocks.
#[derive(Debug)]
struct Kept {
    bounds: Bounds,
    sessions: HashMap<u64, Session>,
    /// Streams in the order of their end.
    ended: VecDeque<EndedStream>,
    bytes: usize,
}

#[derive(Debug)]
struct EndedStream {
    at: Instant,
    session: u64,
    stream: u64,
}

/// The streams of one session.
#[derive(Debug, Default)]
struct Session {
    /// The numbers of streams by the names that the SDK gives them.
    numbers: HashMap<String, u64>,
    streams: BTreeMap<u64, Stream>,
    opened: u64,
    bytes: usize,
    changed: Arc<Notify>,
}

#[derive(Debug)]
struct Stream {
    name: String,
    /// The number of the next event.
    next: u64,
    events: Vec<(u64, ServerSseMessage)>,
    bytes: usize,
    has_ended: bool,
}

/// What becomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// It is counted and not kept.
    Counted,
    /// It is kept.
    Kept,
    /// It is kept, and ends its stream.
    Last,
}

impl Worth {
    fn of(event: &ServerSseMessage) -> Self {
        match event.message.as_deref() {
            // The first event of a stream. Whoever names it has it.
            None => Self::Counted,
            Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)) => Self::Last,
            Some(ServerJsonRpcMessage::Notification(notification)) => match notification.notification {
                ServerNotification::ProgressNotification(_) => Self::Counted,
                _ => Self::Kept,
            },
            Some(ServerJsonRpcMessage::Request(_)) => Self::Kept,
        }
    }
}

impl Kept {
    fn within(bounds: Bounds) -> Self {
        Self { bounds, sessions: HashMap::new(), ended: VecDeque::new(), bytes: 0 }
    }

    fn begin_session(&mut self, session: u64) {
        self.sessions.insert(session, Session::default());
    }

    /// Counts an event of a stream and keeps it if it is worth that. Gives its id.
    fn store(&mut self, session: u64, name: &str, event: &ServerSseMessage, now: Instant) -> EventId {
        self.expire(now);
        let worth = Worth::of(event);
        let bytes = if worth == Worth::Counted { 0 } else { bytes_of(event) };
        // A session that has ended may have something to say still: nobody can come back for it.
        let Some(log) = self.sessions.get_mut(&session) else { return UNRELATED.to_owned() };
        let number = log.number(name);
        let Some(stream) = log.streams.get_mut(&number) else { return UNRELATED.to_owned() };
        let id = format!("{number}-{}", stream.next);
        if worth != Worth::Counted {
            let mut event = event.clone();
            event.event_id = Some(id.clone());
            stream.events.push((stream.next, event));
            stream.bytes += bytes;
            log.bytes += bytes;
            self.bytes += bytes;
        }
        stream.next += 1;
        if worth == Worth::Last && !stream.has_ended {
            stream.has_ended = true;
            self.ended.push_back(EndedStream { at: now, session, stream: number });
        }
        log.changed.notify_waiters();
        self.make_room(session);
        id
    }

    /// Forgets what has been kept for long enough.
    fn expire(&mut self, now: Instant) {
        while self.ended.front().is_some_and(|ended| now.saturating_duration_since(ended.at) >= KEPT_FOR) {
            self.forget_first_ended();
        }
    }

    /// Forgets streams until all bounds are kept. Within the session, streams that have ended go first, then the oldest. Of all
    /// sessions, the streams that ended first go.
    fn make_room(&mut self, session: u64) {
        let Bounds { total_bytes, total_ended, .. } = self.bounds;
        while let Some(stream) = self.sessions.get(&session).and_then(|log| log.excess(self.bounds)) {
            self.forget_stream(session, stream);
        }
        while self.ended.len() > total_ended || (self.bytes > total_bytes && !self.ended.is_empty()) {
            self.forget_first_ended();
        }
        // Nothing has ended, and still it is too much: the session that brought the last event has to do with less.
        while self.bytes > total_bytes {
            let Some(stream) = self.sessions.get(&session).and_then(Session::first_to_go) else { return };
            self.forget_stream(session, stream);
        }
    }

    fn forget_first_ended(&mut self) {
        if let Some(EndedStream { session, stream, .. }) = self.ended.pop_front() {
            self.forget_stream(session, stream);
        }
    }

    fn forget_stream(&mut self, session: u64, stream: u64) {
        let Some(log) = self.sessions.get_mut(&session) else { return };
        if let Some(Stream { name, bytes, .. }) = log.streams.remove(&stream) {
            log.numbers.remove(&name);
            log.bytes -= bytes;
            self.bytes -= bytes;
            log.changed.notify_waiters();
        }
    }

    fn forget_session(&mut self, session: u64) {
        if let Some(log) = self.sessions.remove(&session) {
            self.bytes -= log.bytes;
            log.changed.notify_waiters();
            self.ended.retain(|ended| ended.session != session);
        }
    }

    fn stream(&self, session: u64, stream: u64) -> Option<&Stream> {
        self.sessions.get(&session)?.streams.get(&stream)
    }

    /// Where the event of this id is. `None` if there is none, or it is no longer kept.
    fn position(&mut self, session: u64, id: &str, now: Instant) -> Option<Position> {
        self.expire(now);
        let position = Position::parse(id)?;
        match position {
            Position::Unrelated => Some(position),
            Position::Call { stream, event } => (event < self.stream(session, stream)?.next).then_some(position),
        }
    }

    /// The events of a stream after this one, and whether it has ended. `None` if it is no longer kept.
    fn after(&self, session: u64, stream: u64, event: u64) -> Option<(Vec<(u64, ServerSseMessage)>, bool)> {
        let stream = self.stream(session, stream)?;
        let later = stream.events.iter().filter(|(number, _)| *number > event).cloned().collect();
        Some((later, stream.has_ended))
    }
}

impl Session {
    /// The number of the stream with this name, which may be new.
    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.opened;
        self.opened += 1;
        self.numbers.insert(name.to_owned(), number);
        let stream = Stream { name: name.to_owned(), next: 0, events: Vec::new(), bytes: 0, has_ended: false };
        self.streams.insert(number, stream);
        number
    }

    /// The stream to forget where there is more than is allowed.
    fn excess(&self, bounds: Bounds) -> Option<u64> {
        let is_too_much = self.bytes > bounds.session_bytes || self.streams.len() > bounds.session_streams;
        is_too_much.then(|| self.first_to_go()).flatten()
    }

    fn first_to_go(&self) -> Option<u64> {
        let ended = self.streams.iter().find(|(_, stream)| stream.has_ended);
        ended.or_else(|| self.streams.first_key_value()).map(|(number, _)| *number)
    }
}

/// The length of an event's message, as JSON.
fn bytes_of(event: &ServerSseMessage) -> usize {
    let message = event.message.as_deref();
    message.and_then(|message| serde_json::to_vec(message).ok()).map_or(0, |json| json.len())
}

impl Backlog {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self { kept: Mutex::new(Kept::within(BOUNDS)) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the event of this id is. `None` if the session has none, or it is no longer kept.
    pub(super) fn position(&self, session: u64, id: &str) -> Option<Position> {
        self.kept().position(session, id, Instant::now())
    }

    /// Forgets the events of a session that has ended. Streams of clients that came back end.
    pub(super) fn forget(&self, session: u64) {
        self.kept().forget_session(session);
    }

    /// Sends what comes after an event until the stream has ended, or nobody reads any more.
    async fn follow(&self, session: u64, stream: u64, mut event: u64, to: mpsc::Sender<ServerSseMessage>) {
        let changed = {
            let kept = self.kept();
            let Some(log) = kept.sessions.get(&session) else { return };
            Arc::clone(&log.changed)
        };
        loop {
            // From here on it hears of changes: none is missed between looking and waiting.
            let hears = changed.notified();
            let Some((later, has_ended)) = self.kept().after(session, stream, event) else { return };
            for (number, message) in later {
                event = number;
                if to.send(message).await.is_err() {
                    return;
                }
            }
            if has_ended {
                return;
            }
            tokio::select! {
                () = hears => {}
                () = to.closed() => return,
            }
        }
    }
}

/// The events of one session, as the SDK stores and reads them.
pub(super) struct SessionEvents {
    session: u64,
    backlog: Arc<Backlog>,
}

impl SessionEvents {
    /// Those of a new session. They are kept until [`Backlog::forget`].
    pub(super) fn new(session: u64, backlog: Arc<Backlog>) -> Self {
        backlog.kept().begin_session(session);
        Self { session, backlog }
    }
}

#[async_trait::async_trait]
impl EventStore for SessionEvents {
    async fn store_event(&self, stream_id: &str, event: &ServerSseMessage) -> Result<EventId, EventStoreError> {
        // The SDK calls the stream of what belongs to no call `SESSION:common`, and the others by random ids.
        if stream_id.ends_with(":common") {
            return Ok(UNRELATED.to_owned());
        }
        Ok(self.backlog.kept().store(self.session, stream_id, event, Instant::now()))
    }

    async fn replay_events_after(&self, last_event_id: &str) -> Result<EventStream, EventStoreError> {
        let Some(Position::Call { stream, event }) = self.backlog.position(self.session, last_event_id) else {
            return Err("no event of a call that is kept has this id".into());
        };
        let (to, later) = mpsc::channel(WAITING_MAX);
        let (backlog, session) = (Arc::clone(&self.backlog), self.session);
        tokio::spawn(async move { backlog.follow(session, stream, event, to).await });
        Ok(Box::pin(Received(later)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::model::{
        ErrorCode, ErrorData, NumberOrString, ProgressNotification, ProgressNotificationParam, ProgressToken,
    };

    use super::*;

    /// Small enough to be reached.
    const SMALL: Bounds = Bounds { session_bytes: 1_000, session_streams: 4, total_bytes: 3_000, total_ended: 8 };

    /// Nothing kept, of so many sessions.
    fn of_sessions(count: u64) -> Kept {
        let mut kept = Kept::within(SMALL);
        (0..count).for_each(|session| kept.begin_session(session));
        kept
    }

    /// A response with so many bytes of text.
    fn response(length: usize) -> ServerSseMessage {
        let error = ErrorData::new(ErrorCode(1), "x".repeat(length), None);
        ServerSseMessage::from_message(ServerJsonRpcMessage::error(error, Some(NumberOrString::Number(1))))
    }

    fn first() -> ServerSseMessage {
        ServerSseMessage::retry(Duration::from_secs(3))
    }

    fn progress() -> ServerSseMessage {
        let param = ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(1)), 0.5);
        let notification = ServerNotification::ProgressNotification(ProgressNotification::new(param));
        ServerSseMessage::from_message(ServerJsonRpcMessage::notification(notification))
    }

    /// The ids of what a client gets that comes back after this event, and whether that is all. `None` if it cannot come
    /// back.
    fn comes_back(kept: &mut Kept, session: u64, id: &str, now: Instant) -> Option<(Vec<String>, bool)> {
        let Position::Call { stream, event } = kept.position(session, id, now)? else { return None };
        let (later, has_ended) = kept.after(session, stream, event)?;
        Some((later.into_iter().filter_map(|(_, message)| message.event_id).collect(), has_ended))
    }

    #[test]
    fn a_client_gets_what_came_after_its_last_event_and_nothing_of_other_streams() {
        let (mut kept, now) = (of_sessions(2), Instant::now());
        for (name, event, id) in [
            ("a", first(), "0-0"),
            ("b", first(), "1-0"),
            ("a", progress(), "0-1"),
            ("b", response(1), "1-1"),
            ("a", response(1), "0-2"),
        ] {
            assert_eq!(kept.store(0, name, &event, now), id);
        }
        let gets = |ids: &[&str]| Some((ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>(), true));
        for (id, expected) in [
            ("0-0", gets(&["0-2"])),
            ("0-1", gets(&["0-2"])),
            ("0-2", gets(&[])),
            ("1-0", gets(&["1-1"])),
            ("0-3", None),
            ("2-0", None),
            ("99/99", None),
            ("abc", None),
            ("", None),
            ("-", None),
            ("0-99999999999999999999", None),
        ] {
            assert_eq!(comes_back(&mut kept, 0, id, now), expected, "{id:?}");
            assert_eq!(comes_back(&mut kept, 1, id, now), None, "{id:?} of another session");
        }
        assert_eq!(kept.position(0, UNRELATED, now), Some(Position::Unrelated));
    }

    #[test]
    fn a_stream_is_kept_until_its_response_and_a_minute_longer() {
        let (mut kept, start) = (of_sessions(2), Instant::now());
        let id = kept.store(0, "a", &first(), start);
        let answered = start + KEPT_FOR * 10;
        assert_eq!(comes_back(&mut kept, 0, &id, answered), Some((Vec::new(), false)), "it goes on");
        kept.store(0, "a", &response(1), answered);
        let just_before = answered + KEPT_FOR - Duration::from_nanos(1);
        assert_eq!(comes_back(&mut kept, 0, &id, just_before), Some((vec!["0-1".to_owned()], true)));
        assert_eq!(comes_back(&mut kept, 0, &id, answered + KEPT_FOR), None);
        assert_eq!(kept.bytes, 0);
    }

    #[test]
    fn a_session_that_ends_leaves_nothing() {
        let (mut kept, now) = (of_sessions(2), Instant::now());
        kept.store(0, "a", &response(100), now);
        let other = kept.store(1, "a", &response(100), now);
        let both = kept.bytes;
        kept.forget_session(0);
        assert_eq!((kept.bytes * 2, kept.ended.len(), kept.sessions.len()), (both, 1, 1));
        kept.store(0, "b", &response(100), now);
        assert_eq!((kept.bytes * 2, kept.sessions.len()), (both, 1), "what it says after its end is not kept");
        assert!(comes_back(&mut kept, 1, &other, now).is_some());
    }

    #[test]
    fn the_oldest_answers_of_a_session_give_way_to_its_newest() {
        let (mut kept, now) = (of_sessions(2), Instant::now());
        let around = bytes_of(&response(0));
        let half = SMALL.session_bytes / 2 - around;
        let mut is_there = |lengths: [usize; 3]| {
            let names = ["a", "b", "c"].iter().zip(lengths);
            let ids: Vec<String> = names.map(|(name, length)| kept.store(0, name, &response(length), now)).collect();
            let is_there = ids.iter().map(|id| comes_back(&mut kept, 0, id, now).is_some()).collect::<Vec<_>>();
            kept.forget_session(0);
            kept.begin_session(0);
            is_there
        };
        assert_eq!(is_there([half, half, 0]), [false, true, true]);
        assert_eq!(is_there([half, half, half]), [false, true, true]);
        assert_eq!(is_there([half, half, half + 1]), [false, false, true]);
        let whole = SMALL.session_bytes - around;
        assert_eq!(is_there([half, half, whole]), [false, false, true]);
        assert_eq!(is_there([half, half, whole + 1]), [false, false, false], "more than is allowed at all");
    }

    proptest! {
        #[test]
        fn whatever_is_stored_stays_within_the_bounds(
            events in proptest::collection::vec((0..40_u64, 0..30_u32, 0..3_u8, 0..1_200_usize, 0..9_u64), 0..300)
        ) {
            let (mut kept, mut now) = (of_sessions(40), Instant::now());
            for (session, stream, kind, length, seconds) in events {
                now += Duration::from_secs(seconds);
                let event = match kind {
                    0 => first(),
                    1 => progress(),
                    _ => response(length),
                };
                kept.store(session, &stream.to_string(), &event, now);
                let mut total = 0;
                for log in kept.sessions.values() {
                    let bytes: usize = log.streams.values().map(|stream| stream.bytes).sum();
                    prop_assert_eq!(log.bytes, bytes);
                    prop_assert_eq!(log.numbers.len(), log.streams.len());
                    prop_assert!(bytes <= SMALL.session_bytes && log.streams.len() <= SMALL.session_streams);
                    total += bytes;
                }
                prop_assert_eq!(kept.bytes, total);
                prop_assert!(total <= SMALL.total_bytes && kept.ended.len() <= SMALL.total_ended);
                prop_assert!(kept.ended.iter().all(|ended| now - ended.at < KEPT_FOR));
            }
        }
    }
}
