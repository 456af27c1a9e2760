//! `completions`: the completion script of a shell.

use clap::CommandFactory as _;

use crate::answer::Answer;
use crate::arguments::{Arguments, Completions};

pub(crate) fn run(command: &Completions) -> Answer {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Arguments::command(), "intentbox", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Answer::new(script.as_str()).with("shell", command.shell.to_string()).with("script", script)
}
