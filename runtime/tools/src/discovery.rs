//! Discovery: a server is reached once, and what it lists is kept, so that listing tools later reaches nothing.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use intentbox_store::{Claim, Discovered, DiscoveryStatus, ListedDefinition, Owner, StoreError, ToolStore};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::connection::{Connection, Greeting};
use crate::definition::{Definition, RejectedTool, admit};
use crate::error::{NextAction, ServerError, ServerFault};
use crate::listing::Listing;
use crate::owner::is_alive;
use crate::place::Place;
use crate::process::Purpose;
use crate::server::ServerConfig;

/// How a discovery goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It is about to begin.
    Starting,
    /// The server is started or connected to.
    Connecting,
    /// So many tools were listed so far.
    Discovering(usize),
    /// What was listed is written.
    Caching,
    /// It has ended with so many tools, and so many left out.
    Complete {
        /// Those that were admitted.
        tools: usize,
        /// Those that were left out.
        rejected: usize,
    },
    /// It has failed.
    Failed,
}

/// Takes the progress of a discovery.
pub type Watcher<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// Why the last discovery of a server failed, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveryFailure {
    /// What happened, in one line.
    pub message: String,
    /// The last lines that the server wrote to stderr; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// What to do about it.
    pub action: FailureAction,
}

/// What to do about a failed discovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum FailureAction {
    /// Try again after so many seconds.
    Retry {
        /// Seconds.
        after_s: u64,
    },
    /// A person has to change something first.
    User {
        /// What, as an imperative.
        what: String,
    },
    /// Nothing helps but another server.
    GiveUp,
}

impl DiscoveryFailure {
    /// The failure of a server.
    #[must_use]
    pub fn of(error: &ServerError) -> Self {
        let action = match error.fault.next_action() {
            NextAction::Retry(after) => FailureAction::Retry { after_s: after.as_secs() },
            NextAction::User(what) => FailureAction::User { what },
            NextAction::GiveUp => FailureAction::GiveUp,
        };
        Self { message: error.fault.to_string(), stderr: error.stderr.clone(), action }
    }

    /// A discovery whose process has gone, or that took longer than any may.
    #[must_use]
    pub fn lapsed() -> Self {
        let message = "the discovery was interrupted".to_owned();
        Self { message, stderr: String::new(), action: FailureAction::Retry { after_s: 0 } }
    }

    /// Reads back what [`DiscoveryFailure::encode`] wrote; nothing of it is needed to go on.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        serde_json::from_str::<DiscoveryFailure>(text).ok()
    }

    /// The failure as a text.
    ///
    /// # Panics
    /// Never: texts and numbers serialize.
    #[must_use]
    pub fn encode(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers serialize")
    }
}

/// How a discovery ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscoveryEnd {
    /// The tools were listed and kept.
    Listed(Listing),
    /// The server failed.
    Failed(Box<ServerError>),
    /// Another process is at it.
    Busy,
    /// As many as may go on do already.
    Full,
}

/// Discovers the tools of one server and keeps them. The server is ended afterwards.
///
/// # Errors
/// When what is found cannot be kept.
pub async fn discover(
    config: &ServerConfig,
    place: &Place,
    store: &ToolStore,
    owner: Owner,
    watcher: Watcher<'_>,
) -> Result<DiscoveryEnd, StoreError> {
    let key = config.key();
    match store.claim(&key, &config.hash().to_hex(), owner, &is_alive).await? {
        Claim::Claimed => {}
        Claim::Busy => return Ok(DiscoveryEnd::Busy),
        Claim::Full => return Ok(DiscoveryEnd::Full),
    }
    watcher(Progress::Starting);
    let listed = list(config, place, watcher).await;
    match listed {
        Ok((greeting, texts)) => {
            let KeptListing { listing, .. } = keep(config, store, Some(owner), greeting, &texts, watcher).await?;
            watcher(Progress::Complete { tools: listing.tools.len(), rejected: listing.rejected.len() });
            Ok(DiscoveryEnd::Listed(listing))
        }
        Err(error) => {
            let status = match error.fault {
                ServerFault::TimedOut { .. } => DiscoveryStatus::Timeout,
                _ => DiscoveryStatus::Failed,
            };
            let failure = DiscoveryFailure::of(&error).encode();
            store.finish(&key, owner, &Discovered::Failed { status, failure: &failure }).await?;
            watcher(Progress::Failed);
            Ok(DiscoveryEnd::Failed(error))
        }
    }
}

async fn list(
    config: &ServerConfig,
    place: &Place,
    watcher: Watcher<'_>,
) -> Result<(Greeting, Vec<String>), Box<ServerError>> {
    let max: Duration = config.bounds.discovery_max;
    let deadline = Instant::now() + max;
    watcher(Progress::Connecting);
    let connection = Connection::open(config, place, Purpose::Discovery, deadline).await?;
    watcher(Progress::Discovering(0));
    let listed = connection.list(deadline, max, &|tools| watcher(Progress::Discovering(tools))).await;
    let greeting = connection.greeting();
    connection.close().await;
    Ok((greeting, listed?))
}

/// What a server listed, as it is kept.
#[derive(Debug)]
pub(crate) struct KeptListing {
    pub(crate) listing: Listing,
    /// The hash of each definition, by the names of the tools.
    pub(crate) hashes: HashMap<String, String>,
}

/// Admits what was listed, and keeps it: as the end of the discovery of `owner`, or beside one that may go on.
///
/// # Errors
/// When it cannot be kept.
pub(crate) async fn keep(
    config: &ServerConfig,
    store: &ToolStore,
    owner: Option<Owner>,
    greeting: Greeting,
    texts: &[String],
    watcher: Watcher<'_>,
) -> Result<KeptListing, StoreError> {
    let (definitions, rejected) = admit_all(texts);
    watcher(Progress::Caching);
    let listing = Listing {
        server_name: greeting.name,
        server_version: greeting.version,
        protocol: greeting.protocol,
        tools: definitions.iter().map(|definition| definition.row.clone()).collect(),
        rejected,
    };
    let listed: Vec<ListedDefinition<'_>> = definitions
        .iter()
        .map(|definition| ListedDefinition {
            name: &definition.row.name,
            hash: &definition.hash,
            definition: &definition.text,
        })
        .collect();
    let encoded = listing.encode();
    let discovered = Discovered::Listed { listing: &encoded, definitions: &listed, is_trusted: config.is_trusted };
    match owner {
        Some(owner) => {
            store.finish(&config.key(), owner, &discovered).await?;
        }
        None => store.put(&config.key(), &config.hash().to_hex(), &discovered).await?,
    }
    let hashes = definitions.iter().map(|definition| (definition.row.name.clone(), definition.hash.clone())).collect();
    Ok(KeptListing { listing, hashes })
}

/// Admits each tool. Of two with the same name, neither is taken: nobody can say which one a call means.
fn admit_all(texts: &[String]) -> (Vec<Definition>, Vec<RejectedTool>) {
    let (mut definitions, mut rejected) = (Vec::<Definition>::new(), Vec::new());
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        match admit(text) {
            Ok(definition) => {
                if !seen.insert(definition.row.name.clone()) {
                    twice.insert(definition.row.name.clone());
                }
                definitions.push(definition);
            }
            Err(tool) => rejected.push(tool),
        }
    }
    definitions.retain(|definition| !twice.contains(&definition.row.name));
    let reason = || "the server lists two tools of this name".to_owned();
    rejected.extend(twice.into_iter().map(|name| RejectedTool { name, reason: reason() }));
    (definitions, rejected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m08_two_tools_of_one_name_are_both_left_out() {
        let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{}}}}"#);
        let (definitions, rejected) = admit_all(&[tool("a"), tool("b"), tool("a"), tool("c d")]);
        let names: Vec<&str> = definitions.iter().map(|definition| definition.row.name.as_str()).collect();
        assert_eq!(names, ["b"]);
        let rejected: Vec<&str> = rejected.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(rejected, ["c d", "a"]);
    }

    #[test]
    fn a_failure_is_kept_with_what_to_do_about_it() {
        let server = "git".parse().expect("an id");
        for (fault, action) in [
            (ServerFault::NotFound("x".to_owned()), "user"),
            (ServerFault::NotPermitted("x".to_owned()), "user"),
            (ServerFault::Protocol("x".to_owned()), "give_up"),
            (ServerFault::TimedOut { phase: crate::error::Phase::Handshake, after: Duration::from_secs(1) }, "retry"),
        ] {
            let error = ServerError { server: Clone::clone(&server), fault, stderr: "last".to_owned() };
            let failure = DiscoveryFailure::of(&error);
            assert!(failure.encode().contains(&format!(r#""kind":"{action}""#)), "{failure:?}");
            assert_eq!(DiscoveryFailure::decode(&failure.encode()), Some(failure));
        }
        assert_eq!(DiscoveryFailure::decode("x"), None);
    }
}
