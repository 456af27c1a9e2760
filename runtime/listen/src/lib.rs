//! How intentbox is reached, whatever is spoken: HTTP on a port, lines on pipes, who calls, and how much of theirs may be in
//! flight.
//!
//! A protocol hands its routes to [`http::serve`]. They are reached by requests that passed every check, and find the
//! [`Principal`](intentbox_report::Principal) of the caller in the extensions of the request. So several protocols share one
//! port, one list of tokens and one set of limits. This crate knows no protocol: bodies, sessions and the form of an error
//! belong to those who hand in routes. It knows no engine either, and reads no files and no environment.
//!
//! - [`http`]: a port: connections, `Host` and `Origin`, tokens, CORS. [`lines`]: pipes.
//! - `tokens`: whose a token is. `concurrency`: how many of something at a time.
//! - [`bodies`]: large bodies, beside the thread that serves everybody.

pub mod bodies;
mod concurrency;
pub mod http;
pub mod lines;
mod tokens;

pub use crate::concurrency::{ConcurrencyLimit, Exceeded, InFlight, Permit};
pub use crate::tokens::{Tokens, TokensError};
pub use tokio_util::sync::CancellationToken;
