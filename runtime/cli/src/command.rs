//! What each command does.

use std::future::Future;
use std::io::{Write as _, stderr, stdout};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use intentbox_demo_logs::{Plan, generate};
use intentbox_demo_tracker::DemoTracker;
use intentbox_engine::{
    Caller, Cause, Code, Consent, Deterministic, Engine, Events, Failure, Given, INTENT_BYTES_MAX, Intent, Report,
    Settings, limits, new_run_id,
};

use crate::arguments::{Arguments, Command, DemoLogs, Exec, Run, RunIntent, Sources};
use crate::observe::{self, Observer};
use crate::{doctor, init, input, mcp, policy, process, setup, show, stats, templates};

/// Runs the command and gives the exit code of its outcome.
pub(crate) async fn run(arguments: Arguments) -> ExitCode {
    let sources = &arguments.sources;
    if let Some(level) = arguments.log {
        observe::log(level);
    }
    let (done, json) = match arguments.command {
        Command::RunIntent(command) => {
            let json = command.json;
            (run_intent(sources, command).await, json)
        }
        Command::Exec(command) => {
            let json = command.json;
            (exec(sources, command).await, json)
        }
        Command::Templates(command) => (templates::run(sources, command).await, false),
        Command::Policy(command) => (policy::run(sources, command).await, false),
        Command::Init(command) => (init::run(command.folder), false),
        Command::Doctor => (doctor::run(sources).await, false),
        Command::Mcp(command) => (mcp::run(sources, command).await, false),
        Command::Stats(command) => {
            let json = command.json;
            (stats::run(sources, &command).await, json)
        }
        Command::DemoTracker(command) => (demo_tracker(command.port).await, false),
        Command::DemoLogs(command) => (demo_logs(&command), false),
        Command::Completions { shell } => (completions(shell), false),
        Command::Man => (manual(), false),
    };
    match done {
        Ok(code) => code,
        // Whoever reads has enough: `intentbox templates list | head -1`.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        // With --json every end is the same object, so that a program need not read messages.
        Err(error) if json => {
            show::report(&Report::failed(new_run_id(), Failure::new(Cause::Usage, format!("{error:#}"))), true)
        }
        Err(error) => show::failure(&error),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

async fn run_intent(sources: &Sources, command: RunIntent) -> anyhow::Result<ExitCode> {
    let text = if command.text == "-" {
        let bytes = input::read(std::path::Path::new("-"), INTENT_BYTES_MAX as u64)?;
        String::from_utf8(bytes).context("the intent is not UTF-8 text")?
    } else {
        command.text
    };
    let setup = setup::engine(sources, command.run.isolation).await?;
    if setup.demo.is_some() {
        show::demo();
    }
    if command.explain {
        let explanation = setup.engine.explain(&text).explanation;
        let told = if command.json {
            show::printable_json(&serde_json::to_string(&explanation)?)
        } else {
            show::printable(&explanation.to_string())
        };
        // The reader may have gone; there is nobody left to tell.
        let _ = writeln!(stdout(), "{told}");
        return Ok(ExitCode::SUCCESS);
    }
    let params = command.params.into_iter().map(|(name, text)| (name, Given::Text(text))).collect();
    let intent = Intent { text, params, template: None, settings: settings(&command.run) };
    let consent = if command.allow_writes { Consent::Given } else { Consent::Asked };
    let caller = Caller { consent, ..Caller::local() };
    protect(&setup.engine).await;
    let plan = setup.engine.plan(&intent, &caller);
    let report = until_interrupted(setup.engine.answer(plan, &caller, &events())).await;
    Ok(show::report(&report, command.json))
}

/// Starts the sandbox, which opens what it needs of `/proc/self`, and protects this process. Why it does not start, the run
/// says.
async fn protect(engine: &Engine) {
    let _ = engine.workers().await;
    process::protect();
}

async fn exec(sources: &Sources, command: Exec) -> anyhow::Result<ExitCode> {
    let source = input::read(&command.file, limits::SCRIPT_BYTES.most)?;
    let params = match &command.input {
        None => "{}".to_owned(),
        Some(file) if file == &command.file && file.as_os_str() == "-" => {
            anyhow::bail!("the script and the input cannot both come from stdin: give one of them as a file")
        }
        Some(file) => {
            let bytes = input::read(file, limits::PARAMS_BYTES.most)?;
            String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8 text", file.display()))?
        }
    };
    let name = match command.file.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => "script.py".to_owned(),
    };
    let setup = setup::engine_for_exec(sources, command.run.isolation).await?;
    let code = Code { name, source, params, settings: settings(&command.run) };
    let caller = Caller::local();
    protect(&setup.engine).await;
    let report = match setup.engine.plan_code(&code, &caller) {
        Ok(run) => until_interrupted(setup.engine.run(run, &caller, &events())).await,
        Err(report) => *report,
    };
    if setup.demo.is_some() && report.has_asked() {
        show::demo();
    }
    Ok(show::report(&report, command.json))
}

async fn demo_tracker(port: u16) -> anyhow::Result<ExitCode> {
    let demo = DemoTracker::start(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let mut out = stdout().lock();
    writeln!(out, "A demo error tracker with generated data; it speaks the Sentry API.\n")?;
    writeln!(out, "base url      {}", demo.base_url())?;
    writeln!(out, "organization  {}", demo.organization())?;
    writeln!(out, "token         {}\n", demo.token())?;
    let (base, organization) = (demo.base_url(), demo.organization());
    writeln!(
        out,
        "curl -H 'Authorization: Bearer {}' {base}/api/0/organizations/{organization}/issues/",
        demo.token()
    )?;
    out.flush()?;
    drop(out);
    writeln!(stderr(), "\nserving until interrupted (Ctrl-C)")?;
    tokio::select! {
        closed = demo.closed() => closed.context("the demo tracker stopped")?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes logs, and says what is in them.
fn demo_logs(command: &DemoLogs) -> anyhow::Result<ExitCode> {
    let path = &command.folder;
    std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
    let folder = cap_std::fs::Dir::open_ambient_dir(path, cap_std::ambient_authority())?;
    let plan = Plan {
        seed: command.seed,
        bytes: command.mib << 20,
        now_unix_s: jiff::Timestamp::now().as_second(),
        span_s: DEMO_SPAN_S,
    };
    generate(&folder, &plan).with_context(|| path.display().to_string())?;
    let path = path.display();
    writeln!(stdout(), "{path} holds about {} MiB of logs of five services over two days. Try:\n", command.mib)?;
    for intent in ["count log lines by level", "list errors in the logs", "most frequent log messages"] {
        writeln!(stdout(), "  intentbox run-intent \"{intent}\" --dir logs={path}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The time that demo logs cover, in seconds: two days, so that "today" and "yesterday" differ.
const DEMO_SPAN_S: u32 = 2 * 24 * 60 * 60;

fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    // Into memory first: the generator panics where it cannot write.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "intentbox", &mut text);
    stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn manual() -> anyhow::Result<ExitCode> {
    clap_mangen::Man::new(Arguments::command()).render(&mut stdout())?;
    Ok(ExitCode::SUCCESS)
}

/// Waits for `work`; the first interrupt cancels it, a second one kills the process.
async fn until_interrupted(work: impl Future<Output = Report>) -> Report {
    tokio::select! {
        report = work => report,
        _ = tokio::signal::ctrl_c() => {
            Report::failed(new_run_id(), Failure::new(Cause::Cancelled, "the run was interrupted"))
        }
    }
}

/// Midnight, 1 January 2000 UTC, in nanoseconds after 1970: when a deterministic run starts unless told otherwise.
const MILLENNIUM_NS: u64 = 946_684_800_000_000_000;

fn events() -> Arc<dyn Events> {
    Observer::of_command()
}

fn settings(run: &Run) -> Settings {
    let short = [
        ("fuel", run.fuel),
        ("memory_bytes", run.memory_mib.map(|mib| mib.saturating_mul(1 << 20))),
        ("wall_ms", run.timeout_ms),
    ];
    let short = short.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Settings {
        limits: short.chain(run.limits.iter().cloned()).collect(),
        deterministic: run.seed.map(|seed| Deterministic { seed, unix_ns: run.time.unwrap_or(MILLENNIUM_NS) }),
    }
}
