//! The command line: parses, wires up, runs, shows, exits.
//!
//! Data goes to stdout, messages go to stderr. This crate is the only one that reads arguments, the environment and
//! stdin. The engine does the rest.
//!
//! - `command_line` and `arguments`: what was typed. - `setup`, `servers`, `input` and `folder`: what it refers to.
//! - `command`: one function for each verb, in the file of its name; `run` is shared by the verbs that run a script.
//! - `question`: what is asked of the person at a terminal. - `observe` and `record`: what is logged and recorded of runs.
//! - `answer` and `error`: how a verb ends. - `show`, `table` and `words`: how that is printed.

mod answer;
mod arguments;
mod command;
mod command_line;
mod completions;
mod demo_logs;
mod demo_tracker;
mod doctor;
mod error;
mod exec;
mod folder;
mod init;
mod input;
mod jobs;
mod man;
mod mcp;
mod observe;
mod policy;
mod process;
mod question;
mod record;
mod run;
mod run_intent;
mod schedules;
mod serve;
mod server;
mod servers;
mod setup;
mod show;
mod stats;
mod table;
mod templates;
mod token;
mod tools;
mod words;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::command_line::Unparsed;
use crate::error::{Class, Classify as _};
use crate::show::Show;

/// The argument that makes this program a worker process. Only the program itself uses it.
pub(crate) const WORKER: &str = "worker-process";

/// The argument that makes this program confine itself and become the program of an upstream server.
pub(crate) const LAUNCHER: &str = "launch-server";

/// Runs a stage of the launcher, which mostly becomes another program.
fn launch(verb: &OsStr, arguments: &[OsString]) -> ExitCode {
    match intentbox_confine::run(verb, arguments) {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Err(failed) => {
            show::notice(&format!("{}{failed}", intentbox_confine::START_FAILED_MARKER));
            ExitCode::from(Class::Unavailable.exit())
        }
    }
}

fn main() -> ExitCode {
    // Before anything else: a worker gives up what it inherited, and must not have opened anything itself.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER) {
        return match intentbox_engine::serve_runs() {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => Show::new(false).end(Err(Class::Unavailable.error(format!("worker process: {reason}")))),
        };
    }
    let typed: Vec<OsString> = std::env::args_os().collect();
    if let [_, verb, arguments @ ..] = typed.as_slice()
        && verb == LAUNCHER
    {
        return launch(verb, arguments);
    }
    let mut show = Show::new(command_line::wants_json(&typed));
    let arguments = match command_line::parse(&typed) {
        Ok(arguments) => arguments,
        Err(Unparsed::Help(help)) => return show.help(&help),
        Err(Unparsed::Invalid(error)) => return show.end(Err(error)),
    };
    // One thread: guests run fastest alone in a process, and a command runs one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime.context("the asynchronous runtime does not start").class(Class::Unavailable) {
        Ok(runtime) => runtime,
        Err(error) => return show.end(Err(error)),
    };
    let code = runtime.block_on(async {
        let ended = Box::pin(command::run(arguments, &mut show)).await;
        show.end(ended)
    });
    // A thread may wait for a terminal's next line; nobody waits for the thread.
    runtime.shutdown_background();
    code
}
