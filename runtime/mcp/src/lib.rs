//! The engine as an MCP server: `execute_code`, `run_intent` and `read_result`, over stdio and over HTTP.
//!
//! The official SDK implements the protocol itself (framing, lifecycle, sessions, both revisions on one endpoint).
//! `intentbox-listen` accepts connections, and `intentbox-mcp-wire` turns a client's bytes into calls. This crate
//! implements the calls: who makes one, what a model gets, and what to ask the user.
//!
//! - [`stdio`] and [`http`]: the two transports.
//! - `server`: handles a call. `client`: its principal, how to elicit from its user, progress, disconnects.
//! - `listing`: the tools for one grant.
//! - `question`: what to elicit from the user, and the replies. `advice`: reports for calls that never ran.
//! - `answer`: formats a report for a model. `words`: remedies in the terms of a call. `results`: large results, kept
//!   for a while.
//!
//! Nothing here reads the environment or files, and nothing is printed: stdout belongs to the protocol.

mod advice;
mod answer;
mod client;
pub mod http;
mod listing;
mod question;
mod results;
mod server;
mod words;

pub use crate::server::{Server, Settings};
pub use intentbox_listen::CancellationToken;
pub use intentbox_mcp_wire::stdio;
