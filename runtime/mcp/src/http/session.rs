//! Whose a session is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_util::sync::CancellationToken;

use crate::principal::Principal;

/// The most sessions of one principal. A session costs some kilobytes, and lasts some minutes after its last use.
const EACH_MAX: usize = 256;

/// The most sessions at a time.
const ALL_MAX: usize = 1_024;

/// The end of a session: whatever it has under way is over.
#[derive(Debug, Clone)]
pub(crate) struct Ended(pub(crate) CancellationToken);

/// The sessions with their principals.
pub(super) struct Owners {
    sessions: Arc<LocalSessionManager>,
    owners: Mutex<HashMap<String, (Principal, Ended)>>,
}

impl Owners {
    pub(super) fn new(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, owners: Mutex::default() }
    }

    fn owners(&self) -> std::sync::MutexGuard<'_, HashMap<String, (Principal, Ended)>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a session, if it is this principal's. One that nobody opened is nobody's.
    pub(super) fn of(&self, principal: &Principal, id: &str) -> Option<Ended> {
        let owners = self.owners();
        owners.get(id).filter(|(owner, _)| owner == principal).map(|(_, ended)| ended.clone())
    }

    /// Whether no more sessions can be opened, by this principal or by anybody.
    pub(super) async fn is_full(&self, principal: &Principal) -> bool {
        self.forget_ended().await;
        let owners = self.owners();
        owners.len() >= ALL_MAX || owners.values().filter(|(owner, _)| owner == principal).count() >= EACH_MAX
    }

    /// Notes whose a new session is.
    pub(super) async fn opened(&self, principal: Principal, id: &str) {
        self.forget_ended().await;
        self.owners().entry(id.to_owned()).or_insert_with(|| (principal, Ended(CancellationToken::new())));
    }

    /// Ends what a session has under way.
    pub(super) fn end(&self, id: &str) {
        if let Some((_, Ended(token))) = self.owners().remove(id) {
            token.cancel();
        }
    }

    async fn forget_ended(&self) {
        let sessions = self.sessions.sessions.read().await;
        self.owners().retain(|id, _| sessions.contains_key(id.as_str()));
    }
}
