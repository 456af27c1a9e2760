//! The engine as an MCP server: `execute_code`, `run_intent` and `read_result`, over stdio and over HTTP.
//!
//! The protocol itself (framing, lifecycle, sessions, both revisions on one endpoint) is the official SDK's. What is
//! here is what a call means: which arguments it takes, who asks, what a model is told, and what is asked back.
//!
//! - [`stdio`] and [`http`]: the two ways in. `message`: what of a message the SDK may read.
//! - `principal`: who asks, and by which token. `load`: how many of something at a time.
//! - `turn`: large messages, one after the other and beside everything else.
//! - `tools`: the list, the same bytes every time. `call`: the arguments of a call, checked.
//! - `server`: from a call to an answer. `caller`: who called, how to ask them, when they have gone.
//! - `question`: what has to be asked, and what was said. `advice`: reports that no run made.
//! - `answer`: a report in the form a model reads. `results`: large results, kept for a while.
//! - `oracle`, for tests and the fuzz target: what must hold whatever a client sends.
//!
//! Nothing here reads the environment or files, and nothing is printed: stdout belongs to the protocol.

mod advice;
mod answer;
mod call;
mod caller;
pub mod http;
mod load;
mod message;
#[cfg(test)]
mod oracle;
mod principal;
mod question;
mod results;
mod server;
pub mod stdio;
mod tools;
mod turn;

pub use crate::principal::{Principal, Tokens, TokensError};
pub use crate::server::{Server, Settings};
pub use tokio_util::sync::CancellationToken;
