//! Sends the HTTP requests of runs: those that a grant admits, with the origin's secret, within a budget.
//!
//! This crate does everything between an admitted URL and the reply that a script sees: clients, name resolution with
//! the address check, redirects, secrets and their redaction, and every limit. `intentbox-capability` decides what is
//! allowed; this crate sends an `AllowedUrl` and nothing else. It does not interpret replies.
//!
//! No other crate builds an HTTP client or holds a secret. Two origins or two runs never share a connection, there are no
//! cookies, and a connection that carried a body is not reused. The environment, such as a proxy variable, has no effect.
//!
//! Reading order: [`Egress`] (the origins of a configuration), [`Exchange`] (one run's requests), `origin_client` (the
//! HTTP clients, the secret and the address check of one origin), [`Upstream`] (the URL of an upstream MCP server), `header`, `unpack`, `retry`, [`Secret`] and `redact`.

mod exchange;
mod header;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod origin_client;
mod redact;
mod retry;
mod secret;
mod unpack;
mod upstream;

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::Arc;

use intentbox_capability::{Alias, Grant, Origin, OriginError, Origins, PrivateAddresses};

pub use crate::exchange::{Budget, BudgetItem, Exchange, Reply, Request, SendError, Spent};
use crate::origin_client::OriginClient;
pub use crate::secret::Secret;
pub use crate::upstream::{HeaderMap, HeaderName, HeaderValue, Upstream, UpstreamFault, UpstreamMethod, UpstreamReply};

/// An origin as the operator configured it.
#[derive(Debug)]
pub struct OriginConfig {
    /// Its alias and base URL.
    pub origin: Origin,
    /// What goes into `Authorization: Bearer`, if anything.
    pub secret: Option<Secret>,
    /// The addresses that it may have in addition to public ones.
    pub private_addresses: PrivateAddresses,
}

/// The origins of a configuration, each with HTTP clients of its own. Cloning is cheap and shares the clients.
#[derive(Debug, Clone)]
pub struct Egress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    origins: Origins,
    clients: BTreeMap<Alias, OriginClient>,
    versions: RandomState,
}

impl Egress {
    /// Takes the origins. Opens nothing and builds no client yet: a run without HTTP should not wait for root
    /// certificates to load.
    ///
    /// # Errors
    ///
    /// When two origins share an alias, or a secret cannot be sent.
    pub fn new(configs: Vec<OriginConfig>) -> Result<Self, EgressError> {
        let origins = Origins::new(configs.iter().map(|config| config.origin.clone()))?;
        let mut clients = BTreeMap::new();
        for config in configs {
            let alias = config.origin.alias().clone();
            if config.secret.as_ref().is_some_and(|secret| !secret.fits_a_header()) {
                return Err(EgressError::Secret { alias });
            }
            clients.insert(alias, OriginClient::new(config));
        }
        Ok(Self(Arc::new(Inner { origins, clients, versions: RandomState::new() })))
    }

    /// The origins, for admission and for display.
    #[must_use]
    pub fn origins(&self) -> &Origins {
        &self.0.origins
    }

    /// Opens the exchange of one run: what it may send, and how much.
    #[must_use]
    pub fn open(&self, grant: Grant, budget: Budget) -> Exchange {
        Exchange::new(self.clone(), grant, budget)
    }

    /// Numbers that change with the secrets of these origins, to distinguish answers that were obtained with different
    /// secrets. They reveal nothing about the secrets: the hash is keyed anew in each process.
    pub fn secret_versions<'a>(&self, aliases: impl IntoIterator<Item = &'a Alias>) -> Vec<u64> {
        let version = |alias| self.0.clients.get(alias).map_or(0, |client| client.secret_version(&self.0.versions));
        aliases.into_iter().map(version).collect()
    }

    fn client(&self, alias: &Alias) -> &OriginClient {
        let client = self.0.clients.get(alias);
        client.expect("an `AllowedUrl` of this exchange names one of these origins")
    }
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// The origins contradict each other.
    #[error(transparent)]
    Origins(#[from] OriginError),
    /// A secret is empty, or holds something a header cannot carry.
    #[error("the secret of `{alias}` cannot be sent: it is empty, too long, or not plain ASCII")]
    Secret {
        /// Whose.
        alias: Alias,
    },
}
