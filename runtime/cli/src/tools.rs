//! `tools`: upstream servers and their tools.

mod call;
mod changes;
mod edit;
mod list;
mod permit;
mod refresh;
mod search;
mod show;
mod trust;

pub(crate) use list::{lines, status_line};
pub(crate) use refresh::begin_stale;

use intentbox_capability::ServerId;
use intentbox_tools::Upstreams;

use crate::answer::{Answer, Ending};
use crate::arguments::{Sources, Tools};
use crate::error::{Class, CommandError};
use crate::servers::{self, Servers};
use crate::setup;
use crate::show::Show;

pub(crate) async fn run(sources: &Sources, command: Tools, show: &Show) -> Result<Ending, CommandError> {
    let answer = match command {
        Tools::List { server } => {
            let servers = servers::servers(sources).await?;
            let Servers { upstreams, notices, refresh, .. } = servers;
            // The list of all servers has a row for each entry that has a name.
            let faults = upstreams.faults().iter().filter(|fault| server.is_some() || fault.id.is_none());
            servers::notify(&notices, faults);
            let begun = match refresh {
                Some(refresh) => refresh::begin_stale(sources, &upstreams, refresh).await?,
                None => Vec::new(),
            };
            list::run(&upstreams, server.as_deref(), &begun).await?
        }
        Tools::Search { text, most, long } => {
            let servers = servers::servers(sources).await?;
            servers.notify();
            search::run(&setup::catalog(sources)?, &servers, &text, most, long).await?
        }
        Tools::Show { server, tool, stub } => {
            show::run(&configured(sources).await?, &server, tool.as_deref(), stub).await?
        }
        Tools::Call { server, tool, arguments, input } => {
            return call::run(&configured(sources).await?, &server, &tool, &arguments, input.as_deref()).await;
        }
        Tools::Refresh { names, background: true } => {
            refresh::in_background(sources, &configured(sources).await?, &names).await?
        }
        Tools::Refresh { names, background: false } => refresh::run(&configured(sources).await?, &names, show).await?,
        Tools::Add { name, url, headers, env, cwd, write, file, allow, command } => {
            let entry = edit::new_entry(url, headers, edit::Started { env, cwd, write }, &command)?;
            edit::add(sources, &name, entry, file.as_deref(), allow).await?
        }
        Tools::Remove { name, file } => edit::remove(sources, &name, file.as_deref()).await?,
        Tools::Import { file, names, allow } => edit::import(sources, &file, &names, allow).await?,
        Tools::Trust { names, yes, allow } => {
            trust::run(sources, &configured(sources).await?, &names, yes, allow).await?
        }
        Tools::Diff { server, tool } => changes::diff(&configured(sources).await?, &server, tool.as_deref()).await?,
        Tools::Approve { server, tools, yes } => {
            changes::approve(&configured(sources).await?, &server, &tools, yes).await?
        }
    };
    Ok(answer.into())
}

/// The configured servers, with what should be said about their files.
async fn configured(sources: &Sources) -> Result<Upstreams, CommandError> {
    let servers = servers::servers(sources).await?;
    servers.notify();
    Ok(servers.upstreams)
}

/// The name of a configured server.
fn find(upstreams: &Upstreams, server: &str) -> Result<ServerId, CommandError> {
    if let Some(config) = upstreams.server(server) {
        return Ok(config.id.clone());
    }
    if let Some(fault) = upstreams.faults().iter().find(|fault| fault.id.as_deref() == Some(server)) {
        return Err(Class::Configuration.error(fault.to_string()).hint("correct the entry, or set the variable"));
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
