//! Parses what an MCP client sends, from its bytes to the arguments of a call.
//!
//! Everything here is untrusted until it is parsed. This crate does *not* perform calls: it does not know the engine,
//! so that fuzz targets and tests of the protocol build without the sandbox. Nor does it listen on ports:
//! `intentbox-mcp` puts the same messages behind `intentbox-listen`.
//!
//! - [`message`]: which part of a message the SDK may parse. [`stdio`]: one client on pipes.
//! - [`tools`]: the list, the same bytes every time. [`call`]: the arguments of a call, checked.
//! - `oracle`, for tests and the fuzz target: properties of anything that a client sends.

pub mod call;
pub mod message;
#[cfg(any(test, fuzzing))]
pub mod oracle;
pub mod stdio;
pub mod tools;
