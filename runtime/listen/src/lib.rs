//! Accepts connections for any protocol: HTTP on a port, lines on pipes, the principals of callers, and concurrency limits.
//!
//! A protocol passes its routes to [`http::serve`]. Requests reach them after every check, with the
//! [`Principal`](intentbox_report::Principal) of the caller in their extensions. So several protocols share one port,
//! one list of tokens and one set of limits. This crate knows no protocol: bodies, sessions and the form of an error
//! belong to the routes. It does not know the engine either, and reads no files and no environment.
//!
//! - [`http`]: a port: connections, `Host` and `Origin`, tokens, CORS. [`lines`]: pipes.
//! - `tokens`: the principal of a token. `scope`: what it may be used for. `concurrency`: limits on what is in flight.
//! - [`bodies`]: large bodies, off the serving thread.

pub mod bodies;
mod concurrency;
pub mod http;
pub mod lines;
mod scope;
mod tokens;

pub use crate::concurrency::{ConcurrencyLimit, Exceeded, InFlight, Permit};
pub use crate::scope::{Scope, Scopes};
pub use crate::tokens::{GivenToken, TokenDigest, Tokens, TokensError, token_digest};
pub use tokio_util::sync::CancellationToken;
