//! `tools`: upstream servers and their tools.

mod call;
mod changes;
mod edit;
mod list;
mod refresh;
mod show;
mod trust;

pub(crate) use list::status_line;

use intentbox_capability::ServerId;
use intentbox_tools::Upstreams;

use crate::answer::{Answer, Ending};
use crate::arguments::{Sources, Tools};
use crate::error::{Class, CommandError};
use crate::servers::{self, Servers};
use crate::show::Show;

pub(crate) async fn run(sources: &Sources, command: Tools, show: &Show) -> Result<Ending, CommandError> {
    let answer = match command {
        Tools::List { server } => list::run(&configured(sources).await?, server.as_deref()).await?,
        Tools::Show { server, tool } => show::run(&configured(sources).await?, &server, tool.as_deref()).await?,
        Tools::Call { server, tool, arguments, input } => {
            return call::run(&configured(sources).await?, &server, &tool, &arguments, input.as_deref()).await;
        }
        Tools::Refresh { names, background: true } => {
            refresh::in_background(sources, &configured(sources).await?, &names).await?
        }
        Tools::Refresh { names, background: false } => refresh::run(&configured(sources).await?, &names, show).await?,
        Tools::Add { name, url, headers, env, file, command } => {
            edit::add(sources, &name, url, headers, env, file.as_deref(), &command).await?
        }
        Tools::Remove { name, file } => edit::remove(sources, &name, file.as_deref()).await?,
        Tools::Import { file, names } => edit::import(sources, &file, &names).await?,
        Tools::Trust { names, yes } => trust::run(sources, &configured(sources).await?, &names, yes).await?,
        Tools::Diff { server, tool } => changes::diff(&configured(sources).await?, &server, tool.as_deref()).await?,
        Tools::Approve { server, tools } => changes::approve(&configured(sources).await?, &server, &tools).await?,
    };
    Ok(answer.into())
}

/// The configured servers, with what should be said about their files.
async fn configured(sources: &Sources) -> Result<Upstreams, CommandError> {
    let Servers { upstreams, notices } = servers::servers(sources).await?;
    servers::notify(&notices);
    Ok(upstreams)
}

/// The name of a configured server.
fn find(upstreams: &Upstreams, server: &str) -> Result<ServerId, CommandError> {
    if let Some(config) = upstreams.server(server) {
        return Ok(config.id.clone());
    }
    let error = Class::Usage.error(format!("there is no server `{server}`"));
    let names: Vec<&str> = upstreams.servers().map(|config| config.id.as_str()).collect();
    Err(match names.as_slice() {
        [] => error.hint("add one with `intentbox tools add NAME -- COMMAND`"),
        names => error.hint(format!("the servers are {}", names.join(", "))),
    })
}

/// What a command that found no server at all says.
fn none_configured() -> Answer {
    Answer::default().noting(
        "no upstream servers are configured; add one with `intentbox tools add NAME -- COMMAND`, or name a file with \
         --servers FILE",
    )
}
