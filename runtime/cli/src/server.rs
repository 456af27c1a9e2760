//! What the servers of this program share: who may connect, what the operator allows, and when it ends.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use intentbox_engine::{Ceilings, Engine, Refresh, Sharing};
use intentbox_listen::http::{InvalidOption, Options};
use intentbox_listen::{CancellationToken, Tokens};
use intentbox_tools::Upstreams;
use tokio::signal::unix::{SignalKind, signal};

use crate::arguments::{Between, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::{input, setup, show, tools};

/// How often a server looks for lists of tools that are older than a day.
const LOOK_FOR_STALE: Duration = Duration::from_hours(1);

/// The longest file of tokens, in bytes.
const TOKENS_BYTES_MAX: u64 = 1 << 20;

/// What callers may raise their output to, in bytes, unless `--limit` says otherwise: twice the default of a result. What
/// a run brings is checked, kept and sent by the one process that serves everybody, and no model reads that much.
const OUTPUT_CEILINGS: [(&str, u64); 3] =
    [("result_bytes", 2 << 20), ("stdout_bytes", 2 << 20), ("stderr_bytes", 2 << 20)];

fn owned((name, value): (&str, u64)) -> (String, u64) {
    (name.to_owned(), value)
}

/// The most that callers may use: what `--limit` says, and bounds of the output otherwise.
pub(crate) fn ceilings(limits: Vec<(String, u64)>) -> Result<Ceilings, CommandError> {
    let ceilings = Ceilings::new(OUTPUT_CEILINGS.map(owned).into_iter().chain(limits));
    ceilings.context("--limit").class(Class::Usage)
}

/// Who may connect.
pub(crate) fn options(
    token_file: Option<&Path>,
    hosts: &[String],
    origins: &[String],
) -> Result<Options, CommandError> {
    let tokens = token_file.map(tokens).transpose().class(Class::Configuration)?;
    Options::new(hosts, origins, tokens.unwrap_or_default()).map_err(|invalid| invalid_option(&invalid))
}

/// How the clients of a server share its workers: each takes a part where there can be several.
pub(crate) fn sharing(isolation: Between, tokens: &Tokens) -> Sharing {
    match isolation {
        Between::Tenant => Sharing::Apart,
        Between::Shared if tokens.are_shared() => Sharing::Fair,
        Between::Shared => Sharing::Whole,
    }
}

/// Lists tools again that were last listed more than a day ago, if the configuration wants that.
pub(crate) fn look_for_stale(sources: &Sources, upstreams: Option<&Arc<Upstreams>>) -> Result<(), CommandError> {
    let (settings, routing, _) = setup::tool_settings(sources)?;
    let is_daily = settings.refresh == Refresh::Daily && routing.discovery;
    if let Some(upstreams) = upstreams.filter(|_| is_daily).map(Arc::clone) {
        let sources = sources.clone();
        tokio::spawn(async move {
            // Nothing is spawned at the start: who needs the tools before the first look has listed them by then.
            loop {
                tokio::time::sleep(LOOK_FOR_STALE).await;
                if let Err(error) = tools::begin_stale(&sources, &upstreams, settings.refresh).await {
                    show::notice(&show::line(&format!("tools are not refreshed: {}", error.message())));
                }
            }
        });
    }
    Ok(())
}

/// An invalid option of the server, by its flag.
fn invalid_option(invalid: &InvalidOption) -> CommandError {
    Class::Usage.error(match invalid {
        InvalidOption::Origin { origin } => {
            format!("--allow-origin {origin}: write it as browsers do, such as https://app.example.com")
        }
        InvalidOption::Host { host } => {
            format!("--allow-host {host}: write a name, or a name with a port, such as mcp.example.com")
        }
    })
}

/// Starts the workers and checks their hardening. Where a measure is missing, a script that escapes from wasm finds more.
/// Scripts of strangers do not run like that unless the operator says so.
pub(crate) async fn hardening(engine: &Engine, required: bool) -> Result<(), CommandError> {
    let workers = engine.workers().await.context("no worker process starts").class(Class::Unavailable)?;
    let missing: BTreeSet<&str> = workers.iter().flat_map(|worker| worker.hardening.missing()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.into_iter().collect::<Vec<_>>().join(", ");
    let lacks = format!("this machine lacks hardening of the workers: {missing}");
    if required {
        let advice = "run `intentbox doctor` to see why, or add --require-hardening=false to serve without it";
        return Err(Class::Unavailable.error(lacks).hint(advice));
    }
    show::notice(&format!("warning: {lacks}\nhint: run `intentbox doctor` to see why"));
    Ok(())
}

/// The end of `stop`: Ctrl-C, or the signal by which services and clients end a program.
pub(crate) fn stop_at_signal(stop: CancellationToken) -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        stop.cancel();
    })
}

fn tokens(file: &Path) -> anyhow::Result<Tokens> {
    let typed = std::path::absolute(file)?;
    let bytes = input::read_secret(Path::new("/"), &typed, TOKENS_BYTES_MAX);
    let bytes = bytes.with_context(|| format!("--token-file {}", file.display()))?;
    if bytes.len() as u64 > TOKENS_BYTES_MAX {
        anyhow::bail!("--token-file {}: it has more than {TOKENS_BYTES_MAX} bytes", file.display());
    }
    let text =
        String::from_utf8(bytes).with_context(|| format!("--token-file {}: it is not UTF-8 text", file.display()))?;
    Tokens::parse(&text).with_context(|| format!("--token-file {}", file.display()))
}
