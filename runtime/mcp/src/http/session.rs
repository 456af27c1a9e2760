//! Sessions, and the principals that they belong to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_engine::Principal;
use intentbox_listen::{ConcurrencyLimit, Exceeded, InFlight, Permit};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_util::sync::CancellationToken;

/// The most sessions at a time. A session costs some 80 KiB, half a MiB if its client describes itself at the greatest
/// length, and lasts some minutes after its last use.
const SESSIONS: ConcurrencyLimit = ConcurrencyLimit { per_principal: 256, total: 1_024 };

/// The end of a session: whatever it has in flight is over.
#[derive(Debug, Clone)]
pub(crate) struct Ended(pub(crate) CancellationToken);

/// The sessions with their principals.
pub(super) struct Owners {
    sessions: Arc<LocalSessionManager>,
    open: InFlight,
    known: Mutex<HashMap<String, Owned>>,
}

/// One session.
struct Owned {
    principal: Principal,
    ended: Ended,
    _permit: Permit,
}

impl Owners {
    pub(super) fn new(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, open: InFlight::new(SESSIONS), known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Owned>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a session, if it belongs to this principal. An unknown session belongs to nobody.
    pub(super) fn of(&self, principal: &Principal, id: &str) -> Option<Ended> {
        let known = self.known();
        known.get(id).filter(|owned| owned.principal == *principal).map(|owned| owned.ended.clone())
    }

    /// Admits one more session of this principal, or says which limit is reached.
    pub(super) async fn admit(&self, principal: &Principal) -> Result<Permit, Exceeded> {
        // Sessions end without saying so.
        let sessions = self.sessions.sessions.read().await;
        self.known().retain(|id, _| sessions.contains_key(id.as_str()));
        drop(sessions);
        self.open.admit(principal)
    }

    /// Records the principal of a new session.
    pub(super) fn opened(&self, principal: Principal, id: &str, permit: Permit) {
        let owned = Owned { principal, ended: Ended(CancellationToken::new()), _permit: permit };
        self.known().insert(id.to_owned(), owned);
    }

    /// Ends what a session has in flight.
    pub(super) fn end(&self, id: &str) {
        if let Some(owned) = self.known().remove(id) {
            owned.ended.0.cancel();
        }
    }
}
