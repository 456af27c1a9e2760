//! Upstream MCP servers and their tools: configured, discovered in the background, isolated, cached, and called when needed.
//!
//! [`ServerConfig`] is one server of the files that people already have. `discovery` starts it once, lists its tools and keeps
//! them in the state folder, so that listing them later starts nothing. A call connects on first use, and the connection idles
//! out. Everything that a server says is hostile until it was admitted: its frames, its definitions and its results.
//!
//! This crate knows no template and no surface. It decides nothing about grants: a call needs an `AllowedTool`, which only
//! `intentbox-capability` makes.
//!
//! In reading order: `server` is one server as configured, `file` and `variables` read it from a file, `definition` admits what
//! a server says about a tool, `frame` what arrives on the wire, `connection` is a server that was reached, `discovery` fills
//! the cache, and `upstreams` are all of them together.

mod server;

pub use crate::server::{
    Bounds, CALL_DEFAULT, CALL_MAX, ConfigHash, DISCOVERY_DEFAULT, DISCOVERY_MAX, Endpoint, FileOrigin, MEMORY_DEFAULT,
    Program, ServerConfig, Transport,
};
