//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  intentbox run-intent \"list errors\"
  intentbox run-intent \"list the last 5 errors in project web\" --json
  intentbox exec script.py --input params.json
  echo 'sum(range(10))' | intentbox exec -

Exit codes:
  0 ok   1 the script failed   2 wrong input or usage   3 capability denied   4 a limit was reached
  5 a granted call failed   6 no, several or incomplete matches   7 internal   130 cancelled";

/// Answers intents with sandboxed scripts.
///
/// An intent such as "list errors" finds a template, the template becomes a Python script, and the script runs in a
/// sandbox that reaches only what it was granted. Without any configuration a built-in demo tracker answers.
#[derive(Debug, Parser)]
#[command(name = "intentbox", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// The configuration; otherwise `$INTENTBOX_CONFIG`, otherwise config.toml in the user's configuration folder
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answers an intent given in words
    RunIntent(RunIntent),
    /// Runs a Python script in the sandbox
    Exec(Exec),
    /// Serves the demo error tracker until interrupted
    DemoTracker(DemoTracker),
    /// Tries what this machine gives the sandbox: worker processes and the walls around them
    Doctor,
}

#[derive(Debug, Args)]
pub(crate) struct RunIntent {
    /// What you want, such as "list the last 5 errors in project web", or - for stdin
    pub(crate) text: String,
    /// A parameter of the template; wins over what the words say (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Says where the intent would go and why, and runs nothing
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Prints the whole report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// The script, or - for stdin
    pub(crate) file: PathBuf,
    /// JSON that becomes `params`: a file, or - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: Run,
    /// Prints the whole report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Run {
    /// Fuel units, about one per wasm instruction [default: 100000000000]
    #[arg(long, value_name = "UNITS")]
    pub(crate) fuel: Option<u64>,
    /// Memory in MiB, the interpreter's own 46 included [default: 256]
    #[arg(long, value_name = "MIB")]
    pub(crate) memory_mib: Option<u64>,
    /// Wall deadline in milliseconds, host calls included [default: 30000]
    #[arg(long, value_name = "MS")]
    pub(crate) timeout_ms: Option<u64>,
    /// Any limit by its name, such as `stdout_bytes=1000` (repeatable; a wrong name lists them all)
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub(crate) limits: Vec<(String, u64)>,
    /// Makes two runs equal, byte for byte: randomness from this number, time from --time
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// The time at which a run with --seed starts [default: 2000-01-01T00:00:00Z]
    #[arg(long, value_name = "TIME", value_parser = unix_ns, requires = "seed")]
    pub(crate) time: Option<u64>,
    /// Where the script runs: in this process, or behind the second wall of a worker process
    #[arg(long, value_enum, default_value_t = Isolation::InProcess)]
    pub(crate) isolation: Isolation,
}

/// Where a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isolation {
    /// In this process
    InProcess,
    /// In a worker process
    Process,
}

#[derive(Debug, Args)]
pub(crate) struct DemoTracker {
    /// The loopback port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE, such as limit=5".to_owned()),
    }
}

fn limit(text: &str) -> Result<(String, u64), String> {
    let (name, value) = name_and_value(text)?;
    let value = value.parse().map_err(|_| format!("{value:?} is not a whole number"))?;
    Ok((name, value))
}

fn unix_ns(text: &str) -> Result<u64, String> {
    let time: jiff::Timestamp = text.parse().map_err(|error| format!("{error}; write it as 2026-01-31T12:00:00Z"))?;
    u64::try_from(time.as_nanosecond()).map_err(|_| "a time from 1970 to 2554 is needed".to_owned())
}
