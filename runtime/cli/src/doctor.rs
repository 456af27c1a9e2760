//! `doctor`: tests the configuration, and which barriers this machine provides for the sandbox.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use intentbox_capability::{Alias, Reads};
use intentbox_confine::{CpuBound, Measures};
use intentbox_egress::{OriginConfig, SendError};
use intentbox_engine::{Caller, Code, Engine, Hardening, NoEvents, Outcome, Principal};
use intentbox_files::{DirectoryError, Listing};
use intentbox_tools::Transport;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{Isolation, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::servers::{self, Servers};
use crate::setup::{self, Configured, Setup};
use crate::show::{self, Show};
use crate::tools::status_line;

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// It works.
    Ok,
    /// It works, with less than there could be.
    Warning,
    /// It does not work.
    Fault,
}

/// The checks so far. People see each as it ends: an origin that does not answer takes its time.
struct Checks<'a> {
    show: &'a Show,
    rows: Vec<Value>,
    /// The names of those that failed.
    failed: Vec<String>,
}

/// Tests what is configured, starts a worker, lets it run a script, and shows how it is isolated.
pub(crate) async fn run(sources: &Sources, show: &Show) -> Result<Answer, CommandError> {
    let mut checks = Checks { show, rows: Vec::new(), failed: Vec::new() };
    let (configured, missing) = setup::tried(sources).await?;
    files(sources, &configured, &mut checks).await?;
    directories(&configured, &missing, &mut checks).await?;
    upstreams(sources, &mut checks).await?;
    origins(configured, &mut checks).await?;
    show.early("\n")?;
    let engine = setup::engine_for_doctor(setup::place(Isolation::Process))?;
    machine(&engine, &mut checks).await?;
    let Checks { rows, mut failed, .. } = checks;
    let faults = failed.len();
    let count = show::count(rows.len(), "check");
    let answer = Answer::default().with("checks", rows);
    if failed.is_empty() {
        return Ok(answer);
    }
    failed.dedup();
    Ok(answer.failing(Class::Check.error(format!("{faults} of {count} failed: {}", failed.join(", ")))))
}

impl Checks<'_> {
    /// Takes what one check found.
    fn note(&mut self, name: &str, status: Status, state: &str) -> Result<(), CommandError> {
        let word = match status {
            Status::Ok => "ok",
            Status::Warning => "warning",
            Status::Fault => "fault",
        };
        if status == Status::Fault {
            self.failed.push(name.to_owned());
        }
        self.rows.push(json!({"name": name, "status": word, "state": state}));
        self.show.early(&format!("{name:<22} {state}\n"))
    }
}

/// The configuration and the policy.
async fn files(sources: &Sources, configured: &Configured, checks: &mut Checks<'_>) -> Result<(), CommandError> {
    let shown = |file: &Path| file.display().to_string();
    let state = match (&configured.file, &configured.demo) {
        (Some(file), _) => shown(file),
        (None, Some(_)) => "none, so the demo tracker answers; `intentbox init` writes one".to_owned(),
        (None, None) => "none, so no origin, and no directory but those of --dir".to_owned(),
    };
    checks.note("configuration", Status::Ok, &state)?;
    match &configured.policy_file {
        Some(file) => checks.note("policy", Status::Ok, &shown(file))?,
        None if configured.file.is_some() => {
            let state = "MISSING: nothing is allowed; `intentbox init` shows what a policy.toml looks like";
            checks.note("policy", Status::Fault, state)?;
        }
        None => {}
    }
    let own = servers::own_file(sources, None).ok();
    for file in [configured.file.as_deref(), configured.policy_file.as_deref(), own.as_deref()].into_iter().flatten() {
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.permissions().mode() & 0o002 != 0 {
            let file = shown(file);
            let state = format!("every user of this machine may write {file}: run `chmod o-w {file}`");
            checks.note("permissions", Status::Fault, &state)?;
        }
    }
    let configuration = &configured.configuration;
    let known = configured.known_tools().await?;
    for fault in configured.policy.check(&*configured.catalog()?, configuration, &known) {
        checks.note("policy", Status::Fault, &format!("WRONG: {fault}"))?;
    }
    let is_empty = configuration.origins.is_empty() && configuration.directories.is_empty();
    if configured.file.is_some() && is_empty {
        checks.note("origins", Status::Warning, "none, and no directories: scripts can access nothing")?;
    }
    Ok(())
}

async fn directories(
    configured: &Configured,
    missing: &[DirectoryError],
    checks: &mut Checks<'_>,
) -> Result<(), CommandError> {
    for error in missing {
        let state = format!("NOT READABLE: {}: {}", error.path.display(), error.error);
        checks.note(&format!("directory {}", error.alias), Status::Fault, &state)?;
    }
    let aliases = configured.configuration.directories.keys();
    for alias in aliases.filter(|alias| configured.directories.has(alias)) {
        let reader = configured.directories.reader(Reads::of([alias.clone()]));
        let (status, state) = match reader.list(&format!("{alias}:")).await {
            Ok(Listing { files, unread }) => {
                let readable = format!("readable, {}", show::count(files.len(), "file"));
                match unread.first() {
                    None => (Status::Ok, readable),
                    Some(folder) => {
                        let unread = show::count(unread.len(), "folder");
                        (Status::Warning, format!("{readable}; NOT READABLE: {unread}, such as {folder}"))
                    }
                }
            }
            Err(error) => (Status::Fault, format!("NOT READABLE: {error}")),
        };
        checks.note(&format!("directory {alias}"), status, &state)?;
    }
    Ok(())
}

/// Each upstream server, as it was last discovered: no program is started. One with a credential is asked, to see whether the
/// credential is accepted.
async fn upstreams(sources: &Sources, checks: &mut Checks<'_>) -> Result<(), CommandError> {
    let Servers { upstreams, notices, .. } = match servers::servers(sources).await {
        Ok(servers) => servers,
        Err(error) => return checks.note("upstream servers", Status::Fault, &format!("WRONG: {}", error.message())),
    };
    for notice in &notices {
        checks.note("upstream servers", Status::Warning, &show::line(notice))?;
    }
    for fault in upstreams.faults() {
        let name = fault.id.as_ref().map_or("upstream servers".to_owned(), |id| format!("server {id}"));
        checks.note(&name, Status::Fault, &show::line(&format!("WRONG: {fault}")))?;
    }
    for config in upstreams.servers() {
        let sends = matches!(&config.transport, Transport::Http(endpoint)
            if endpoint.credential.is_some() || endpoint.ca_file.is_some() || !endpoint.headers.is_empty());
        if sends && config.is_enabled && upstreams.is_approved(config.id.as_str()) {
            // How it ended is in what is known afterwards.
            upstreams.discover(&config.id, &|_| {}).await.class(Class::Unavailable)?;
        }
    }
    let known = upstreams.states().await.class(Class::Unavailable)?;
    let now_ms = upstreams.kept().now_unix_ms();
    for (id, state) in &known {
        let Some(config) = upstreams.server(id.as_str()) else { continue };
        let told = status_line(config, state, upstreams.is_approved(id.as_str()), now_ms);
        let status = if state.failure.is_some() { Status::Fault } else { Status::Ok };
        let network = if config.bounds.network { "" } else { "; no network" };
        let closed = servers::told_closed(&upstreams, config).map_or_else(String::new, |closed| format!("; {closed}"));
        checks.note(&format!("server {id}"), status, &format!("{told}{network}{closed}"))?;
    }
    Ok(())
}

/// Each origin and its token.
async fn origins(configured: Configured, checks: &mut Checks<'_>) -> Result<(), CommandError> {
    let paths = configured.configuration.checks.clone();
    let of = |principal: &Principal, config: &OriginConfig| {
        (principal.clone(), config.origin.alias().clone(), config.credential.is_some())
    };
    let mut origins: Vec<(Principal, Alias, bool)> =
        configured.configuration.origins.iter().map(|config| of(&Principal::local(), config)).collect();
    for (name, own) in &configured.configuration.tenants {
        origins.extend(own.origins.iter().map(|config| of(&Principal::named(name), config)));
    }
    let Setup { engine, demo: _demo, .. } = configured.into_setup(Isolation::InProcess)?;
    for (principal, alias, has_token) in &origins {
        let set = paths.get(alias).map(String::as_str);
        let path = set.unwrap_or("/");
        let (status, state) = match engine.try_origin(principal, alias, path).await {
            Ok(status) => answered(alias, status, path, *has_token, set.is_some()),
            Err(SendError::Failed { kind: "credential", message }) => {
                (Status::Fault, format!("NO TOKEN: {message}; correct `auth` under [origins.{alias}]"))
            }
            Err(fault) => (Status::Fault, format!("NOT REACHABLE: {fault}")),
        };
        let whose = principal.name().map(|name| format!(" of {name}")).unwrap_or_default();
        checks.note(&format!("origin {alias}{whose}"), status, &state)?;
    }
    Ok(())
}

/// What the status of a reply says about an origin and its token.
fn answered(alias: &Alias, status: u16, path: &str, has_token: bool, is_set: bool) -> (Status, String) {
    let answers = format!("answers {status} to GET {path}");
    match status {
        // Many origins show their first page to anybody.
        200..=299 if has_token && !is_set => {
            let advice = "set `check` to a path that needs the token, to see whether the token is accepted";
            (Status::Ok, format!("{answers}; {advice}"))
        }
        500.. if is_set => (Status::Fault, format!("FAILS: {answers}")),
        200..=299 => (Status::Ok, answers),
        401 | 403 if has_token => (Status::Fault, format!("TOKEN NOT ACCEPTED: {status} to GET {path}")),
        401 | 403 => {
            let state = format!(
                "NEEDS A TOKEN: {status} to GET {path}, and none is configured; set `token_env` or `token_file` under \
                 [origins.{alias}]"
            );
            (Status::Fault, state)
        }
        _ => (Status::Ok, format!("{answers}; set `check` to a path that needs the token")),
    }
}

/// A worker process, and how this machine isolates it.
async fn machine(engine: &Engine, checks: &mut Checks<'_>) -> Result<(), CommandError> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let machine = format!("{} Linux {}", std::env::consts::ARCH, release.trim());
    if cfg!(target_arch = "x86_64") {
        checks.note("machine", Status::Ok, &machine)?;
    } else {
        checks.note("machine", Status::Warning, &format!("{machine}; intentbox is not tested on it"))?;
    }
    let started = Instant::now();
    let hardening = match engine.workers().await {
        Ok(workers) => workers.first().map(|worker| worker.hardening).ok_or_else(|| "no worker is up".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let hardening = match hardening {
        Ok(hardening) => hardening,
        Err(reason) => return checks.note("worker process", Status::Fault, &format!("DOES NOT START: {reason}")),
    };
    checks.note("worker process", Status::Ok, &format!("up after {:.0} ms", started.elapsed().as_secs_f64() * 1e3))?;
    let (status, state) = script(engine).await;
    checks.note("a script in it", status, &state)?;
    let mut is_complete = true;
    for (name, holds, lost) in lines(hardening) {
        is_complete &= holds;
        checks.note(name, if holds { Status::Ok } else { Status::Warning }, if holds { "active" } else { lost })?;
    }
    let scan = "MISSING: needs Linux 6.7; a fresh run takes about one and a half times as long";
    let (status, state) = if hardening.scans_pages { (Status::Ok, "active") } else { (Status::Warning, scan) };
    checks.note("fast page scan", status, state)?;
    let (status, state) = confinement(intentbox_confine::measures());
    checks.note("upstream servers", status, &state)?;
    checks.show.early(if is_complete {
        "\nScripts of `mcp`, and of other commands with `--isolation process`, are isolated twice: by the wasm sandbox, and by a \
         worker process that has no access to files, network and privileges. Other scripts run in the wasm sandbox alone.\n"
    } else {
        "\nScripts run in the wasm sandbox. Scripts of `mcp`, and of other commands with `--isolation process`, are isolated by a \
         worker process as well; this machine lacks the parts of that isolation that are marked MISSING above.\n"
    })
}

/// What this machine can keep upstream servers from.
fn confinement(measures: Measures) -> (Status, String) {
    let parts = [(measures.files, "files (landlock)"), (measures.calls, "system calls and the network (seccomp)")];
    let of = |holds: bool| -> Vec<&str> {
        parts.iter().filter(|(is_there, _)| *is_there == holds).map(|(_, name)| *name).collect()
    };
    let cpu = match measures.cpu {
        CpuBound::Cgroup => "a quarter of a core during discovery",
        CpuBound::Nice => "low priority during discovery",
    };
    let own = if measures.namespaces {
        "processes and modes of files (bubblewrap)"
    } else {
        "not processes and modes of files, for which bubblewrap is missing or forbidden"
    };
    match of(false).as_slice() {
        [] => (Status::Ok, format!("confined: {}, {own}; {cpu}", of(true).join(", "))),
        lost => (Status::Warning, format!("MISSING: {} cannot be restricted; {cpu}", lost.join(", "))),
    }
}

/// Runs a script in the worker.
async fn script(engine: &Engine) -> (Status, String) {
    let params = "{}".to_owned();
    let code = Code { name: "doctor.py".to_owned(), source: b"1 + 1".to_vec(), params, ..Code::default() };
    let caller = Caller::local();
    let report = match engine.plan_code(&code, &caller) {
        Ok(run) => engine.run(run, &caller, &(Arc::new(NoEvents) as Arc<_>)).await,
        Err(report) => *report,
    };
    match (report.outcome(), report.spent) {
        (Outcome::Ok, Some(spent)) => (Status::Ok, format!("answers in {:.2} ms", spent.wall_ms)),
        (outcome, _) => (Status::Fault, format!("FAILS: {}", outcome.terms().name)),
    }
}

fn lines(hardening: Hardening) -> [(&'static str, bool, &'static str); 5] {
    [
        ("no new privileges", hardening.no_new_privileges, "MISSING: the kernel refused PR_SET_NO_NEW_PRIVS"),
        ("resource limits", hardening.resource_limits, "MISSING: the kernel refused setrlimit"),
        ("no files (landlock)", hardening.landlock, "MISSING: the kernel has no landlock, or it is disabled"),
        (
            "system calls (seccomp)",
            hardening.seccomp,
            "MISSING: the kernel has no seccomp filters, or a container forbids them",
        ),
        ("no privileges", hardening.privileges, "MISSING: the worker keeps capabilities that it could not drop"),
    ]
}
