//! What an MCP client sends, from its bytes to the arguments of a call.
//!
//! Everything here is hostile until it has been read. This crate is *not* for what a call does: it knows no engine, so that fuzz
//! targets and tests of the protocol build without the sandbox. Nor does it listen on ports: `intentbox-mcp` puts the same messages
//! behind `intentbox-listen`.
//!
//! - [`message`]: what of a message the SDK may read. [`stdio`]: one client on pipes.
//! - [`tools`]: the list, the same bytes every time. [`call`]: the arguments of a call, checked.
//! - `oracle`, for tests and the fuzz target: what must hold whatever a client sends.

pub mod call;
pub mod message;
#[cfg(any(test, fuzzing))]
pub mod oracle;
pub mod stdio;
pub mod tools;
