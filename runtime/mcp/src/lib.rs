//! The engine as an MCP server: `execute_code`, `run_intent` and `read_result`, over stdio and over HTTP.
//!
//! The protocol itself (framing, lifecycle, sessions, both revisions on one endpoint) is the official SDK's. How a server is
//! reached at all is `intentbox-listen`'s, and what stands between a client's bytes and a call `intentbox-mcp-wire`'s. What is here
//! is what a call means: who asks, what a model is told, and what is asked back.
//!
//! - [`stdio`] and [`http`]: the two ways in.
//! - `server`: from a call to an answer. `asking`: the client: whose it is, how to ask its user, when it has gone.
//! - `question`: what to elicit from the user, and the replies. `advice`: reports for calls that never ran.
//! - `answer`: a report in the form a model reads. `words`: what to do, in the terms of a call. `results`: large results, kept for a while.
//!
//! Nothing here reads the environment or files, and nothing is printed: stdout belongs to the protocol.

mod advice;
mod answer;
mod asking;
pub mod http;
mod question;
mod results;
mod server;
mod words;

pub use crate::server::{Server, Settings};
pub use intentbox_listen::CancellationToken;
pub use intentbox_mcp_wire::stdio;
