//! The command line: parses, wires up, runs, shows, exits.
//!
//! Data goes to stdout, messages go to stderr. This crate is the only one that reads arguments, the environment and
//! stdin; what happens in between is the engine's.

mod arguments;
mod command;
mod input;
mod setup;
mod show;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    // One thread: guests run fastest alone in a process, and a command runs one.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return show::failure(&anyhow::Error::new(error).context("the runtime does not start")),
    };
    runtime.block_on(command::run(arguments))
}
