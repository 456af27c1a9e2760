//! Parses what an MCP client sends, from its bytes to the arguments of a call.
//!
//! Everything here is untrusted until it is parsed. This crate does *not* perform calls: it does not know the engine,
//! so that fuzz targets and tests of the protocol build without the sandbox. Nor does it listen on ports:
//! `intentbox-mcp` puts the same messages behind `intentbox-listen`.
//!
//! - [`message`]: which part of a message the SDK may parse. [`misfit`]: what is wrong with one that it cannot parse.
//! - [`stdio`]: one client on pipes. `line`: its lines, and what is kept of one that is too long.
//! - [`stop`]: the end of the server.
//! - [`tools`]: the list, the same bytes every time. [`call`]: the arguments of a call, checked.
//! - `oracle`, for tests and the fuzz target: properties of anything that a client sends.

pub mod call;
mod line;
pub mod message;
pub mod misfit;
#[cfg(any(test, fuzzing))]
pub mod oracle;
pub mod stdio;
pub mod stop;
pub mod tools;
