//! The product from outside: the binary as a user runs it, against the demo tracker and against bad input.

mod answers;
#[path = "../support/ask.rs"]
mod ask;
mod cache;
mod cases;
mod command_line;
mod errors;
mod files;
mod fresh;
mod held;
mod library;
mod log_answers;
mod mcp;
mod modules;
mod place;
mod principals;
mod product;
mod python;
mod requests;
mod router;
mod rows;
mod secrets;
mod serve;
mod sources;
mod stats;
mod taken_over;
mod templates;
mod tidy;
mod tokens;
mod transcripts;
mod tree;
mod unreadable;
mod upstream;
mod workers;
