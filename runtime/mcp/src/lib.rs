//! The engine as an MCP server: `execute_code`, `run_intent` and `read_result`, over stdio and over HTTP.
//!
//! The protocol itself (framing, lifecycle, sessions, both revisions on one endpoint) is the official SDK's, and how a server is
//! reached at all is `intentbox-listen`'s. What is here is what a call means: which arguments it takes, who asks, what a model
//! is told, and what is asked back.
//!
//! - [`stdio`] and [`http`]: the two ways in. `message`: what of a message the SDK may read.
//! - `tools`: the list, the same bytes every time. `call`: the arguments of a call, checked.
//! - `server`: from a call to an answer. `asking`: the client: whose it is, how to ask its user, when it has gone.
//! - `question`: what to elicit from the user, and the replies. `advice`: reports for calls that never ran.
//! - `answer`: a report in the form a model reads. `words`: what to do, in the terms of a call. `results`: large results, kept for a while.
//! - `oracle`, for tests and the fuzz target: what must hold whatever a client sends.
//!
//! Nothing here reads the environment or files, and nothing is printed: stdout belongs to the protocol.

mod advice;
mod answer;
mod asking;
mod call;
pub mod http;
mod message;
#[cfg(test)]
mod oracle;
mod question;
mod results;
mod server;
pub mod stdio;
mod tools;
mod words;

pub use crate::server::{Server, Settings};
pub use intentbox_listen::CancellationToken;
