//! An error tracker to try things on: the part of Sentry's HTTP API that scripts about errors use, over invented data.
//!
//! It exists so that a run without any configuration does everything for real (a request on a socket, a token, pages,
//! searches), and so that tests have something to talk to. A script written for it works against the original. It is
//! *not* a tracker: nothing can be reported to it, and what is changed in it is gone when it stops.
//!
//! In reading order: `organization` (what never changes), `data` and `random` (what is invented), `search` and `reader`
//! (the query language), `period` and `page` (the other parameters), `change` (what can be written), `issue`, `event`
//! and `release` (the JSON), `token` and `rate` (who may ask, and how often), `failure`, and `api`, which puts them
//! together.

// The objects of the API have some forty fields, and `json!` goes about three levels deeper with each.
#![recursion_limit = "512"]

mod api;
mod change;
mod data;
mod event;
mod failure;
mod issue;
mod organization;
mod page;
mod period;
mod random;
mod rate;
mod reader;
mod release;
mod search;
mod token;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::Instant;

use axum::serve::ListenerExt;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::api::Tracker;
use crate::data::Dataset;
use crate::rate::Allowance;
use crate::token::Token;

pub use crate::rate::RateLimit;

/// A running demo tracker. Dropping it stops the server.
#[derive(Debug)]
pub struct DemoTracker {
    address: SocketAddr,
    token: Token,
    server: JoinHandle<io::Result<()>>,
    /// The server stops when this is dropped.
    _stop: oneshot::Sender<()>,
}

/// What can be chosen about a tracker.
#[derive(Default, Clone)]
pub struct Options {
    /// The token that requests have to carry, instead of a fresh random one.
    pub token: Option<String>,
    /// The time as of which the data is invented and requests are answered, instead of the real one.
    pub now: Option<Timestamp>,
    /// How often the token may be used, instead of without a limit.
    pub rate_limit: Option<RateLimit>,
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("token", &self.token.as_ref().map(|_| "****"))
            .field("now", &self.now)
            .field("rate_limit", &self.rate_limit)
            .finish()
    }
}

/// Why a tracker did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address can be reached from other machines, and the data is for this one only.
    #[error("{address} is not a loopback address")]
    NotLoopback {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The chosen token is empty or has characters that cannot stand in a header.
    #[error("the token is empty or has characters other than visible ASCII")]
    Token,
    /// The rate limit would answer nothing.
    #[error("a rate limit is at least one request in at least one second")]
    RateLimit,
    /// The system gave no random numbers for a token.
    #[error("no random numbers: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
    /// The port could not be opened.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl DemoTracker {
    /// Binds the address; invents the data and serves it in a task of the current runtime.
    ///
    /// Port 0 takes any free port. The token is random and new.
    ///
    /// # Errors
    ///
    /// When the address is not a loopback address or cannot be bound, or when the system has no random numbers
    /// to give.
    pub async fn start(address: SocketAddr) -> Result<DemoTracker, StartError> {
        DemoTracker::start_with(address, Options::default()).await
    }

    /// The same with a chosen token, a fixed time or a rate limit.
    ///
    /// # Errors
    ///
    /// As for [`DemoTracker::start`], and when the token cannot stand in a header or the rate limit has a zero.
    pub async fn start_with(address: SocketAddr, options: Options) -> Result<DemoTracker, StartError> {
        if !address.ip().is_loopback() {
            return Err(StartError::NotLoopback { address });
        }
        let token = match options.token {
            Some(chosen) => Token::chosen(chosen).ok_or(StartError::Token)?,
            None => Token::random().map_err(|error| StartError::Random { reason: error.to_string() })?,
        };
        if options.rate_limit.is_some_and(|limit| !limit.is_usable()) {
            return Err(StartError::RateLimit);
        }
        let now = options.now.unwrap_or_else(Timestamp::now);
        let unbound = |source| StartError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(unbound)?;
        let address = listener.local_addr().map_err(unbound)?;
        // Connections wait in the listener's queue until the data is there: whoever starts a tracker and never asks it
        // anything does not wait for that.
        let (stop, stopped) = oneshot::channel();
        let held = token.clone();
        let server = tokio::spawn(async move {
            let tracker = Arc::new(Tracker {
                data: RwLock::new(Dataset::generate(now.as_second())),
                token: held,
                allowance: options.rate_limit.map(|limit| Allowance::new(limit, Instant::now())),
                base_url: base_url(address),
                clock: options.now,
            });
            // Small answers must not wait for the other side's delayed acknowledgement.
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, api::router(tracker))
                .with_graceful_shutdown(async move {
                    // An error says that the sender was dropped, which is how a tracker stops.
                    let _ = stopped.await;
                })
                .await
        });
        Ok(DemoTracker { address, token, server, _stop: stop })
    }

    /// Where it serves, as in `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        base_url(self.address)
    }

    /// The bearer token that every request has to carry.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.as_str()
    }

    /// The slug of its only organisation.
    #[must_use]
    pub fn organization(&self) -> &str {
        organization::ORGANIZATION
    }

    /// Serves until the server's task ends, which it does by itself only when the runtime does.
    ///
    /// # Errors
    ///
    /// When the task failed.
    pub async fn closed(mut self) -> io::Result<()> {
        match (&mut self.server).await {
            Ok(result) => result,
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

fn base_url(address: SocketAddr) -> String {
    format!("http://{address}")
}
