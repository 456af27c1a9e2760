//! Upstream MCP servers and their tools: configured, discovered in the background, isolated, cached, and called when needed.
//!
//! [`ServerConfig`] is one server of the files that people already have. `discovery` starts it once, lists its tools and keeps
//! them in the state folder, so that listing them later starts nothing. A call connects on first use, and the connection idles
//! out. Everything that a server says is hostile until it was admitted: its frames, its definitions and its results.
//!
//! This crate knows no template and no surface. It decides nothing about grants: a call needs an `AllowedTool`, which only
//! `intentbox-capability` makes.
//!
//! In reading order: `server` is one server as configured, `file` and `variables` read it from a file, `secret` is
//! what of it nobody is shown, and `place` is what it is
//! started with; `writable` says which of the folders that it names it may write. `definition` admits what a server says about a tool, `category` says what it is about, `listing` is what is kept
//! of that, `arguments` checks values against schemas, and `reply` admits results. `frame` decides what arrives on the wire, over `pipe` or `http`; `process` is a
//! server that was started, and `tail` what it wrote to stderr. `connection` is a server that was reached, `discovery` lists its
//! tools for the cache, `owner` says which process does so, and `upstreams` are all servers together. `shape` is what answers look
//! like, and `uses` what is noted of calls. `error` says how they fail.

mod arguments;
mod category;
mod connection;
mod definition;
mod discovery;
mod error;
pub mod file;
mod folder;
mod frame;
mod http;
mod kept;
mod listing;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod owner;
mod pipe;
mod place;
mod prepared;
mod process;
mod reply;
mod secret;
mod server;
mod shape;
mod steps;
mod tail;
mod upstreams;
mod uses;
mod variables;
mod writable;

pub use intentbox_store::{LearnedWord, Owner, StoreError, ToolUse};

pub use crate::category::categories;
pub use crate::connection::{ProgressSink, ServerCall, TOOLS_MAX};
pub use crate::definition::{
    Complexity, DEFINITION_BYTES_MAX, Definition, Effect, RejectedTool, SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX,
    SUMMARY_CHARS_MAX, ToolRow, admit, summary,
};
pub use crate::discovery::{DiscoveryEnd, DiscoveryFailure, FailureAction, Progress, Watcher, discover};
pub use crate::error::{NextAction, Phase, ServerError, ServerFault, ToolError};
pub use crate::kept::Kept;
pub use crate::listing::Listing;
pub use crate::owner::{PLACE, is_alive, process, this_process};
pub use crate::place::{INHERITED, LauncherCache, Load, Place, is_inherited};
pub use crate::reply::{REPLY_BYTES_MAX, Reply};

pub use crate::server::{
    Bounds, CALL_DEFAULT, CALL_MAX, ConfigHash, DISCOVERY_DEFAULT, DISCOVERY_MAX, Endpoint, EndpointCredential,
    FileOrigin, MEMORY_DEFAULT, Program, ServerConfig, Transport,
};
pub use crate::shape::Seen;
pub use crate::steps::Step;
pub use crate::upstreams::{ServerState, Upstreams};
