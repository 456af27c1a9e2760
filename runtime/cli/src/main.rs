//! The command line: parses, wires up, runs, shows, exits.
//!
//! Data goes to stdout, messages go to stderr. This crate is the only one that reads arguments, the environment and
//! stdin; what happens in between is the engine's.

mod arguments;
mod command;
mod doctor;
mod folder;
mod init;
mod input;
mod mcp;
mod observe;
mod policy;
mod process;
mod record;
mod setup;
mod show;
mod stats;
mod templates;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

/// The argument that makes this program a worker process. Only the program itself uses it.
pub(crate) const WORKER: &str = "worker-process";

fn main() -> ExitCode {
    // Before anything else: a worker gives up what it inherited, and must not have opened anything itself.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER) {
        return match intentbox_engine::serve_runs() {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => show::failure(&anyhow::anyhow!("worker process: {reason}")),
        };
    }
    let arguments = arguments::Arguments::parse();
    // One thread: guests run fastest alone in a process, and a command runs one.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return show::failure(&anyhow::Error::new(error).context("the runtime does not start")),
    };
    let code = runtime.block_on(command::run(arguments));
    // A thread may wait for a terminal's next line; nobody waits for the thread.
    runtime.shutdown_background();
    code
}
