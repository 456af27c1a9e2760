//! What this machine gives the sandbox, tried rather than assumed.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use anyhow::Context as _;
use intentbox_capability::{Alias, Reads};
use std::sync::Arc;

use intentbox_engine::{Caller, Code, Engine, NoEvents, Outcome, Walls};
use intentbox_files::Listing;

use crate::arguments::{Isolation, Sources};
use crate::setup::Setup;
use crate::{setup, show};

/// Tries what is configured, starts a worker, lets it run a script, and says which walls stand around it.
pub(crate) async fn run(sources: &Sources) -> anyhow::Result<ExitCode> {
    let configured = configuration(sources).await?;
    let machine = machine().await?;
    Ok(if configured { machine } else { ExitCode::from(Outcome::Usage.terms().exit) })
}

/// Tries the configuration: each origin and its token, each directory, the policy. Says whether all of it works.
async fn configuration(sources: &Sources) -> anyhow::Result<bool> {
    let (configured, missing) = setup::tried(sources).await?;
    let mut out = stdout().lock();
    let mut line = |what: &str, state: &str| writeln!(out, "{what:<22} {}", show::printable(state));
    match (&configured.file, &configured.demo) {
        (Some(file), _) => line("configuration", &file.display().to_string())?,
        (None, Some(_)) => line("configuration", "none, so the demo tracker answers; `intentbox init` writes one")?,
        (None, None) => line("configuration", "none but what --dir says")?,
    }
    match &configured.policy_file {
        Some(file) => line("policy", &file.display().to_string())?,
        None if configured.file.is_some() => {
            line("policy", "MISSING: nothing is permitted; `intentbox init` shows what a policy.toml looks like")?;
        }
        None => {}
    }
    let (origins, directories) = configured.aliases();
    let mut works = configured.file.is_none() || configured.policy_file.is_some();
    for fault in configured.policy.check(&*configured.catalog()?, &origins, &directories) {
        works = false;
        line("policy", &format!("WRONG: {fault}"))?;
    }
    if configured.file.is_some() && origins.is_empty() && directories.is_empty() {
        line("origins", "none, and no directories: nothing can be reached")?;
    }
    for error in &missing {
        works = false;
        line(
            &format!("directory {}", error.alias),
            &format!("NOT READABLE: {}: {}", error.path.display(), error.error),
        )?;
    }
    for alias in directories.iter().filter(|alias| configured.directories.has(alias)) {
        let reader = configured.directories.reader(Reads::of([alias.clone()]));
        match reader.list(&format!("{alias}:")).await {
            Ok(Listing { files, unread }) => {
                let readable = format!("readable, {} files", files.len());
                let state = match unread.first() {
                    None => readable,
                    Some(folder) => format!("{readable}; not those of {} folders, such as {folder}", unread.len()),
                };
                line(&format!("directory {alias}"), &state)?;
            }
            Err(error) => {
                works = false;
                line(&format!("directory {alias}"), &format!("NOT READABLE: {error}"))?;
            }
        }
    }
    let checks = configured.configuration.checks.clone();
    let origins = configured.configuration.origins.iter();
    let origins: Vec<(Alias, bool)> =
        origins.map(|config| (config.origin.alias().clone(), config.secret.is_some())).collect();
    let Setup { engine, demo: _demo } = configured.into_setup(Isolation::InProcess)?;
    for (alias, has_token) in &origins {
        let set = checks.get(alias);
        let check = set.map_or("/", String::as_str);
        let (accepted, state) = match engine.try_origin(alias, check).await {
            // Many origins show their first page to anybody.
            Ok(status @ 200..=299) if *has_token && set.is_none() => {
                let state = format!(
                    "answers {status} to GET {check}; set `check` to a path that needs the token, to see whether the token \
                     is accepted"
                );
                (true, state)
            }
            Ok(status @ 500..) if set.is_some() => (false, format!("answers {status} to GET {check}")),
            Ok(status @ 200..=299) => (true, format!("answers {status} to GET {check}")),
            Ok(status @ (401 | 403)) if *has_token => (false, format!("TOKEN NOT ACCEPTED: {status} to GET {check}")),
            Ok(status @ (401 | 403)) => {
                let state = format!(
                    "WANTS A TOKEN: {status} to GET {check}, and none is configured; set `token_env` or `token_file` under \
                     [origins.{alias}]"
                );
                (false, state)
            }
            Ok(status) => {
                (true, format!("answers {status} to GET {check}; set `check` to a path that needs the token"))
            }
            Err(fault) => (false, format!("NOT REACHABLE: {fault}")),
        };
        works &= accepted;
        line(&format!("origin {alias}"), &state)?;
    }
    writeln!(out)?;
    Ok(works)
}

async fn machine() -> anyhow::Result<ExitCode> {
    let engine = setup::engine_for_doctor(setup::place(Isolation::Process))?;
    let started = std::time::Instant::now();
    let workers = engine.workers().await.context("no worker process comes up")?;
    let start_ms = started.elapsed().as_secs_f64() * 1e3;
    let worker = workers.first().context("no worker process is up")?;
    let mut out = stdout().lock();
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let release = release.trim();
    let tested = if cfg!(target_arch = "x86_64") { "" } else { "; not a machine that this program is tested on" };
    writeln!(out, "machine                {} Linux {release}{tested}", std::env::consts::ARCH)?;
    writeln!(out, "worker process         up after {start_ms:.0} ms")?;
    writeln!(out, "a script in it         {}", script(&engine).await)?;
    let mut all = true;
    for (name, holds, lost) in lines(worker.walls) {
        all &= holds;
        writeln!(out, "{name:<22} {}", if holds { "holds" } else { lost })?;
    }
    let scan = "not here (Linux 6.7 has it): a fresh run takes about half as long again";
    writeln!(out, "fast page scan         {}", if worker.walls.scans_pages { "yes" } else { scan })?;
    writeln!(out)?;
    writeln!(
        out,
        "{}",
        if all {
            "Scripts of `mcp`, and of other commands with `--isolation process`, run behind two walls: the wasm sandbox, and a \
             process that can reach nothing. Without the flag they run behind the first alone."
        } else {
            "Scripts run in the wasm sandbox. Those of `mcp`, and of other commands with `--isolation process`, have a second \
             wall; what is marked above is missing of it on this machine."
        }
    )?;
    Ok(ExitCode::SUCCESS)
}

async fn script(engine: &Engine) -> String {
    let params = "{}".to_owned();
    let code = Code { name: "doctor.py".to_owned(), source: b"1 + 1".to_vec(), params, ..Code::default() };
    let caller = Caller::local();
    let report = match engine.plan_code(&code, &caller) {
        Ok(run) => engine.run(run, &caller, &(Arc::new(NoEvents) as Arc<_>)).await,
        Err(report) => *report,
    };
    match (report.outcome(), report.spent) {
        (Outcome::Ok, Some(spent)) => format!("answers in {:.2} ms", spent.wall_ms),
        (outcome, _) => format!("ends as {}", outcome.terms().name),
    }
}

fn lines(walls: Walls) -> [(&'static str, bool, &'static str); 5] {
    [
        ("no new privileges", walls.no_new_privileges, "MISSING: the kernel refused PR_SET_NO_NEW_PRIVS"),
        ("resource limits", walls.resource_limits, "MISSING: setrlimit was refused"),
        ("no files (landlock)", walls.landlock, "MISSING: the kernel has no landlock, or it is switched off"),
        (
            "system calls (seccomp)",
            walls.seccomp,
            "MISSING: the kernel has no seccomp filters, or a container forbids them",
        ),
        ("no privileges", walls.privileges, "MISSING: the worker keeps capabilities that it could not give up"),
    ]
}
