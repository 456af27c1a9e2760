//! The MCP server as clients meet it: the binary on pipes and on a port, in both revisions of the protocol.

mod asking;
mod calls;
pub(crate) mod client;
mod hardening;
mod http;
pub(crate) mod port;
mod readme;
mod sessions;
mod stdio;
