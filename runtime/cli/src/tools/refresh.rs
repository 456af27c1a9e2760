//! `tools refresh`: discovers the tools of servers, here or in a process of its own.

use std::fs::{File, TryLockError};
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use intentbox_capability::ServerId;
use intentbox_engine::{Refresh, server_failure};
use intentbox_store::{DISCOVERIES_MAX, DiscoveryStatus};
use intentbox_tools::{DiscoveryEnd, Progress, ServerConfig, ServerState, Upstreams, process};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::answer::Answer;
use crate::arguments::Sources;
use crate::error::{Class, Classify as _, CommandError};
use crate::servers::Servers;
use crate::setup;
use crate::show::{self, Show};
use crate::words::words;

use super::{find, none_configured, status_line};

/// After how many milliseconds a list is old.
const DAY_MS: i64 = 86_400_000;

/// How long one waits before looking again whether another process has ended its discovery.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Discovers and waits, with a line for each step of each server.
pub(super) async fn run(upstreams: &Upstreams, servers: &[String], show: &Show) -> Result<Answer, CommandError> {
    let ids = chosen(upstreams, servers)?;
    if ids.is_empty() {
        return none_to_discover(upstreams);
    }
    let discoveries = stream::iter(ids.iter().map(|id| discover(upstreams, id, show)));
    let ends: Vec<Result<Value, CommandError>> = discoveries.buffered(DISCOVERIES_MAX).collect().await;
    let rows = ends.into_iter().collect::<Result<Vec<Value>, CommandError>>()?;
    let failed: Vec<&str> =
        rows.iter().filter(|row| row["status"] != "success").filter_map(|row| row["id"].as_str()).collect();
    let first = failed.first().copied().unwrap_or_default();
    let hint = format!("run `intentbox tools show {first}` to see why");
    let failed = failed.join(", ");
    let answer = Answer::default().with("servers", rows.clone());
    if failed.is_empty() {
        return Ok(answer);
    }
    let error = Class::Unavailable.error(format!("not discovered: {failed}"));
    Ok(answer.failing(error.hint(hint)))
}

/// Starts a process that discovers, and returns.
pub(super) async fn in_background(
    sources: &Sources,
    upstreams: &Upstreams,
    servers: &[String],
) -> Result<Answer, CommandError> {
    let ids = chosen(upstreams, servers)?;
    if ids.is_empty() {
        return none_to_discover(upstreams);
    }
    detach(sources, upstreams, &ids, None).await?;
    let names: Vec<&str> = ids.iter().map(ServerId::as_str).collect();
    let text = format!("discovering {}; see `intentbox tools list`\n", names.join(", "));
    Ok(Answer::new(text).with("servers", names))
}

/// Starts to discover, in the background, what is not known as it is configured now: servers that were never discovered, those
/// whose entry has changed, and with [`Refresh::Daily`] those whose list is older than a day. One that failed waits for a person.
/// While a process that was started so goes on, no second one is: somebody who lists a hundred new servers again and again would
/// start hundreds that wait for each other.
pub(crate) async fn begin_stale(
    sources: &Sources,
    upstreams: &Upstreams,
    refresh: Refresh,
) -> Result<Vec<ServerId>, CommandError> {
    let states = upstreams.states().await.class(Class::Unavailable)?;
    let now_ms = upstreams.kept().now_unix_ms();
    let is_stale = |id: &ServerId, state: &ServerState| {
        let may_start = upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled);
        let is_old = refresh == Refresh::Daily && now_ms.saturating_sub(state.discovered_ms) > DAY_MS;
        let waits = match state.status {
            DiscoveryStatus::Never => true,
            DiscoveryStatus::Discovering => false,
            DiscoveryStatus::Success => state.is_outdated || is_old,
            DiscoveryStatus::Failed | DiscoveryStatus::Timeout => state.is_outdated,
        };
        may_start && upstreams.is_approved(id.as_str()) && waits
    };
    let stale: Vec<ServerId> =
        states.iter().filter(|(id, state)| is_stale(id, state)).map(|(id, _)| id.clone()).collect();
    if stale.is_empty() || !upstreams.kept().is_kept() {
        return Ok(Vec::new());
    }
    let turn = match turn(sources) {
        Ok(Some(turn)) => Some(turn),
        Ok(None) => return Ok(Vec::new()),
        // A server with a database may have no folder that it can write. Two machines that begin at once wait for each other there.
        Err(_) if sources.database.is_some() => None,
        Err(error) => return Err(error).class(Class::Unavailable),
    };
    detach(sources, upstreams, &stale, turn).await?;
    Ok(stale)
}

/// The right to start the one process that discovers what is stale, for as long as this file is open in any process; nothing if
/// it is taken.
fn turn(sources: &Sources) -> anyhow::Result<Option<File>> {
    let Some(folder) = setup::state_folder(sources) else { return Ok(None) };
    let file = File::options().create(true).truncate(false).write(true).open(folder.join("discovery.lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Starts to discover servers that a command has just added or approved, unless discovery in the background is switched off.
/// Says which.
pub(super) async fn begin(
    sources: &Sources,
    servers: &Servers,
    ids: &[ServerId],
) -> Result<&'static str, CommandError> {
    if servers.refresh.is_none() {
        return Ok("not discovered since that is switched off: run `intentbox tools refresh`");
    }
    if !ids.is_empty() {
        detach(sources, &servers.upstreams, ids, None).await?;
    }
    Ok("discovering")
}

/// Starts a process of its own session that discovers these servers, and notes for a single one that it does. It keeps the turn,
/// as its stdin, until it ends.
async fn detach(
    sources: &Sources,
    upstreams: &Upstreams,
    ids: &[ServerId],
    turn: Option<File>,
) -> Result<(), CommandError> {
    let mut command = Command::new("/proc/self/exe");
    for (flag, path) in [("--config", &sources.config), ("--state", &sources.state)] {
        if let Some(path) = path {
            command.arg(flag).arg(path);
        }
    }
    if let Some(templates) = &sources.templates {
        command.arg("--templates").arg(templates);
    }
    for file in &sources.servers {
        command.arg("--servers").arg(file);
    }
    for file in &sources.secret_files {
        command.arg("--secret-file").arg(file);
    }
    command.args(["--json", "tools"]);
    if let Some(file) = &sources.database {
        command.arg("--database").arg(file);
    }
    command.args(["refresh", "--"]).args(ids.iter().map(ServerId::as_str));
    command.stdin(turn.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own: Ctrl-C at the terminal is for this command, and not for what goes on behind it.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(anyhow::Error::from).class(Class::Unavailable)?;
    if let ([id], Some(owner)) = (ids, process(child.id()))
        && let Some(config) = upstreams.server(id.as_str())
    {
        upstreams.kept().claim(config, owner).await.class(Class::Unavailable)?;
    }
    Ok(())
}

/// The servers that were named, or all that can be discovered.
fn chosen(upstreams: &Upstreams, servers: &[String]) -> Result<Vec<ServerId>, CommandError> {
    if servers.is_empty() {
        let can_be =
            upstreams.servers().filter(|config| config.is_enabled && upstreams.is_approved(config.id.as_str()));
        return Ok(can_be.map(|config| config.id.clone()).collect());
    }
    servers.iter().map(|server| find(upstreams, server)).collect()
}

/// What is said where no server was named and none can be discovered: why, for each.
fn none_to_discover(upstreams: &Upstreams) -> Result<Answer, CommandError> {
    let reason = |config: &ServerConfig| {
        let id = &config.id;
        if config.is_enabled { format!("`{id}` is not approved") } else { format!("`{id}` is disabled") }
    };
    let reasons: Vec<String> = upstreams.servers().map(reason).collect();
    if reasons.is_empty() {
        return Ok(none_configured().with("servers", Vec::<Value>::new()));
    }
    let error = Class::Unavailable.error(format!("no server can be discovered: {}", reasons.join(", ")));
    let waits = upstreams.servers().any(|config| config.is_enabled);
    Err(if waits { error.hint("run `intentbox tools trust` to see and approve them") } else { error })
}

async fn discover(upstreams: &Upstreams, id: &ServerId, show: &Show) -> Result<Value, CommandError> {
    let watcher = |progress: Progress| {
        let step = match progress {
            Progress::Starting => "starting".to_owned(),
            Progress::Connecting => "connecting".to_owned(),
            Progress::Discovering(0) => "discovering".to_owned(),
            Progress::Discovering(tools) => format!("discovering, {} so far", show::count(tools, "tool")),
            Progress::Caching => "caching".to_owned(),
            Progress::Complete { tools, rejected: 0 } => format!("complete, {}", show::count(tools, "tool")),
            Progress::Complete { tools, rejected } => {
                format!("complete, {}, {rejected} left out", show::count(tools, "tool"))
            }
            Progress::Failed => "failed".to_owned(),
        };
        show.progress(&format!("{id}  {step}"));
    };
    loop {
        match upstreams.discover(id, &watcher).await.class(Class::Unavailable)? {
            DiscoveryEnd::Listed(listing) => {
                let (tools, rejected) = (listing.tools.len(), listing.rejected);
                return Ok(json!({"id": id.as_str(), "status": "success", "tools": tools, "rejected": rejected}));
            }
            DiscoveryEnd::Failed(error) => {
                let failure = server_failure(&error);
                show.progress(&format!("{id}  {}", failure.message));
                let hint = failure.remedy.as_ref().map(words);
                if let Some(hint) = &hint {
                    show.progress(&format!("{id}  hint: {hint}"));
                }
                let error = json!({"message": failure.message, "stderr": error.stderr, "hint": hint});
                return Ok(json!({"id": id.as_str(), "status": "failed", "error": error}));
            }
            DiscoveryEnd::Busy => {
                show.progress(&format!("{id}  another process is discovering it"));
                return awaited(upstreams, id, show).await;
            }
            DiscoveryEnd::Full => sleep(LOOK_AGAIN).await,
        }
    }
}

/// Waits for the discovery of another process, and tells how it ended.
async fn awaited(upstreams: &Upstreams, id: &ServerId, show: &Show) -> Result<Value, CommandError> {
    loop {
        let state = upstreams.state(id).await.class(Class::Unavailable)?;
        let Some((config, state)) = upstreams.server(id.as_str()).zip(state) else {
            return Err(Class::Internal.error(format!("the server `{id}` has gone")));
        };
        if state.status != DiscoveryStatus::Discovering {
            let now_ms = upstreams.kept().now_unix_ms();
            show.progress(&format!("{id}  {}", status_line(config, &state, true, now_ms)));
            let row = json!({"id": id.as_str(), "status": state.status.as_str(), "tools": state.listing.tools.len()});
            return Ok(match &state.failure {
                None => row,
                Some(failure) => {
                    let error = json!({"message": failure.message, "stderr": failure.stderr, "hint": null});
                    json!({"id": id.as_str(), "status": state.status.as_str(), "error": error})
                }
            });
        }
        sleep(LOOK_AGAIN).await;
    }
}
