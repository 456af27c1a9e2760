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
//! HTTP clients, the credential and the address check of one origin), [`Upstream`] (the URL of an upstream MCP server) with its
//! `endpoint`, `header`, `unpack`, `retry`, [`Credential`] (how a secret is sent) with `oauth`, [`Secret`] and `redact`.

mod credential;
mod endpoint;
mod exchange;
mod header;
mod oauth;
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

pub use crate::credential::{Credential, CredentialError, Scheme, Source};
pub use crate::endpoint::{Redaction, UpstreamFault, UpstreamMethod, UpstreamReply};
pub use crate::exchange::{Budget, BudgetItem, Exchange, Reply, Request, SendError, Spent};
use crate::origin_client::OriginClient;
pub use crate::secret::Secret;
pub use crate::upstream::{HeaderMap, HeaderName, HeaderValue, Upstream};

/// An origin as the operator configured it.
#[derive(Debug)]
pub struct OriginConfig {
    /// Its alias and base URL.
    pub origin: Origin,
    /// What proves to it who asks, if anything.
    pub credential: Option<Credential>,
    /// Root certificates (PEM) to trust besides the system's; often none.
    pub roots: Vec<u8>,
    /// The addresses that it may have in addition to public ones.
    pub private_addresses: PrivateAddresses,
}

/// The origins of a configuration, each with HTTP clients of its own. Cloning is cheap and shares the clients.
#[derive(Debug, Clone)]
pub struct Egress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    origins: Origins,
    clients: BTreeMap<Alias, Arc<OriginClient>>,
    versions: RandomState,
}

impl Egress {
    /// Takes the origins. Opens nothing and builds no client yet: a run without HTTP should not wait for root
    /// certificates to load.
    ///
    /// # Errors
    ///
    /// When two origins share an alias, or the root certificates of one are none.
    pub fn new(configs: Vec<OriginConfig>) -> Result<Self, EgressError> {
        let origins = Origins::new(configs.iter().map(|config| config.origin.clone()))?;
        Ok(Self(Arc::new(Inner { origins, clients: clients(configs)?, versions: RandomState::new() })))
    }

    /// The same origins, of which these have other credentials. They get HTTP clients of their own, and the rest shares those of `self`.
    ///
    /// # Errors
    ///
    /// When the root certificates of one are none.
    pub fn replacing(&self, configs: Vec<OriginConfig>) -> Result<Self, EgressError> {
        let Inner { origins, clients: shared, versions } = &*self.0;
        let mut all = shared.clone();
        all.extend(clients(configs)?.into_iter().filter(|(alias, _)| shared.contains_key(alias)));
        Ok(Self(Arc::new(Inner { origins: origins.clone(), clients: all, versions: versions.clone() })))
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

fn clients(configs: Vec<OriginConfig>) -> Result<BTreeMap<Alias, Arc<OriginClient>>, EgressError> {
    let client = |config: OriginConfig| {
        let alias = config.origin.alias().clone();
        if !config.roots.is_empty() && origin_client::certificates(&config.roots).is_err() {
            return Err(EgressError::Roots { alias });
        }
        Ok((alias, Arc::new(OriginClient::new(config))))
    };
    configs.into_iter().map(client).collect()
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// The origins contradict each other.
    #[error(transparent)]
    Origins(#[from] OriginError),
    /// The root certificates are none.
    #[error("the file of root certificates of `{alias}` is not PEM, or holds no certificate")]
    Roots {
        /// Whose.
        alias: Alias,
    },
}
