//! Dispatches a command to the module of its verb.

use std::path::PathBuf;

use crate::answer::Ending;
use crate::arguments::{Arguments, Command};
use crate::error::CommandError;
use crate::show::Show;
use crate::{
    completions, demo_logs, demo_tracker, doctor, exec, init, jobs, man, mcp, observe, policy, run_intent, schedules,
    serve, setup, stats, templates, token, tools,
};

/// The files of secrets that a command is told of, which live as long as it does: no upstream server may read them.
fn secret_files(command: &Command) -> impl Iterator<Item = PathBuf> {
    let tokens = match command {
        Command::Mcp(command) => &command.token_file,
        Command::Serve(command) => &command.token_file,
        _ => &None,
    };
    tokens.clone().into_iter().chain(database(command))
}

/// The file with the URL of the database in which a command shares what it knows of tools with other machines. A command that answers one
/// intent has its own state folder for it and does not wait for a network, and the verbs of tools are for either as they are told.
fn database(command: &Command) -> Option<PathBuf> {
    match command {
        Command::Serve(command) => setup::database_file(&command.database),
        Command::Tools(command) => command.database.clone(),
        _ => None,
    }
}

/// Runs the command and gives how it ended. Only what takes long prints before that.
pub(crate) async fn run(arguments: Arguments, show: &mut Show) -> Result<Ending, CommandError> {
    if let Some(level) = arguments.log {
        observe::log(level);
    }
    let mut sources = arguments.sources;
    sources.secret_files.extend(secret_files(&arguments.command));
    sources.database = database(&arguments.command);
    let sources = &sources;
    let answer = match arguments.command {
        Command::RunIntent(command) => return Box::pin(run_intent::run(sources, command, arguments.json)).await,
        Command::Exec(command) => return exec::run(sources, command).await,
        Command::Templates(command) => templates::run(sources, command).await?,
        Command::Tools(command) => return tools::run(sources, command.command, show).await,
        Command::Policy(command) => policy::run(sources, command).await?,
        Command::Init(command) => init::run(sources, command.folder)?,
        Command::Doctor => doctor::run(sources, show).await?,
        Command::Mcp(command) => mcp::run(sources, command, show).await?,
        Command::Jobs(command) => jobs::run(sources, command).await?,
        Command::Schedules(command) => schedules::run(sources, command).await?,
        Command::Token(command) => token::run(sources, command).await?,
        Command::Serve(command) => serve::run(sources, command, show).await?,
        Command::Stats(command) => stats::run(sources, &command).await?,
        Command::DemoTracker(command) => demo_tracker::run(&command, show).await?,
        Command::DemoLogs(command) => demo_logs::run(&command)?,
        Command::Completions(command) => completions::run(&command),
        Command::Man => man::run()?,
    };
    Ok(answer.into())
}
