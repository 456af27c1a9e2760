//! Whose a session is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_util::sync::CancellationToken;

use crate::concurrency::{Crowd, Full, Load, Place};
use intentbox_engine::Principal;

/// The most sessions at a time, of one principal and of all. A session costs some 80 KiB, half a MiB if its client makes the most
/// of what it may say of itself, and lasts some minutes after its last use.
const SESSIONS: Crowd = Crowd { each: 256, all: 1_024 };

/// The end of a session: whatever it has under way is over.
#[derive(Debug, Clone)]
pub(crate) struct Ended(pub(crate) CancellationToken);

/// The sessions with their principals.
pub(super) struct Owners {
    sessions: Arc<LocalSessionManager>,
    load: Load,
    known: Mutex<HashMap<String, Owned>>,
}

/// One session.
struct Owned {
    principal: Principal,
    ended: Ended,
    _place: Place,
}

impl Owners {
    pub(super) fn new(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, load: Load::new(SESSIONS), known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Owned>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a session, if it is this principal's. One that nobody opened is nobody's.
    pub(super) fn of(&self, principal: &Principal, id: &str) -> Option<Ended> {
        let known = self.known();
        known.get(id).filter(|owned| owned.principal == *principal).map(|owned| owned.ended.clone())
    }

    /// A place for one more session of this principal, or why there is none.
    pub(super) async fn place(&self, principal: &Principal) -> Result<Place, Full> {
        // Sessions end without saying so.
        let sessions = self.sessions.sessions.read().await;
        self.known().retain(|id, _| sessions.contains_key(id.as_str()));
        drop(sessions);
        self.load.admit(principal)
    }

    /// Notes whose a new session is.
    pub(super) fn opened(&self, principal: Principal, id: &str, place: Place) {
        let owned = Owned { principal, ended: Ended(CancellationToken::new()), _place: place };
        self.known().insert(id.to_owned(), owned);
    }

    /// Ends what a session has under way.
    pub(super) fn end(&self, id: &str) {
        if let Some(owned) = self.known().remove(id) {
            owned.ended.0.cancel();
        }
    }
}
