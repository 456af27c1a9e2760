//! What this machine gives the sandbox, tried rather than assumed.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use anyhow::Context as _;
use intentbox_engine::{Code, Engine, Outcome, RunOptions, Walls};

use crate::arguments::Isolation;
use crate::setup;

/// Starts a worker, lets it run a script, and says which walls stand around it.
pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let engine = setup::engine_for_doctor(setup::place(Isolation::Process))?;
    let started = std::time::Instant::now();
    let workers = engine.workers().await.context("no worker process comes up")?;
    let start_ms = started.elapsed().as_secs_f64() * 1e3;
    let worker = workers.first().context("no worker process is up")?;
    let mut out = stdout().lock();
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
            "Scripts run behind two walls: the wasm sandbox, and a process that can reach nothing."
        } else {
            "Scripts run in the wasm sandbox; of the second wall, what is marked above is missing on this machine."
        }
    )?;
    Ok(ExitCode::SUCCESS)
}

async fn script(engine: &Engine) -> String {
    let code = Code { name: "doctor.py".to_owned(), source: b"1 + 1".to_vec(), params: "{}".to_owned() };
    let report = engine.exec(&code, &RunOptions::default()).await;
    match (report.outcome, report.spent) {
        (Outcome::Ok, Some(spent)) => format!("answers in {:.2} ms", spent.wall_ms),
        (outcome, _) => format!("ends as {}", outcome.terms().name),
    }
}

fn lines(walls: Walls) -> [(&'static str, bool, &'static str); 4] {
    [
        ("no new privileges", walls.no_new_privileges, "MISSING: the kernel refused PR_SET_NO_NEW_PRIVS"),
        ("resource limits", walls.resource_limits, "MISSING: setrlimit was refused"),
        ("no files (landlock)", walls.landlock, "MISSING: the kernel has no landlock, or it is switched off"),
        (
            "system calls (seccomp)",
            walls.seccomp,
            "MISSING: the kernel has no seccomp filters, or a container forbids them",
        ),
    ]
}
