//! What can be typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::observe::LogLevel;
use intentbox_catalog::period::Period;

const EXAMPLES: &str = "\
Examples:
  intentbox run-intent \"list errors\"
  intentbox run-intent \"list the last 5 errors in project web\" --json
  intentbox exec script.py --input params.json
  echo 'sum(range(10))' | intentbox exec -
  intentbox run-intent \"count log lines by level\" --dir logs=/var/log/app
  intentbox templates list

Exit codes:
  0 ok   1 the script failed   2 wrong input or usage   3 capability denied   4 a limit was reached
  5 a granted call failed   6 no, several or incomplete matches   7 internal   130 cancelled";

const MCP: &str = "\
Examples:
  intentbox mcp
  intentbox mcp --config /home/me/.config/intentbox/config.toml
  intentbox mcp --http 127.0.0.1:8350 --token-file tokens

Clients start the first two themselves; with the last they connect to http://127.0.0.1:8350/mcp, and send
`Authorization: Bearer TOKEN`. Without a configuration a built-in demo tracker with invented data answers.";

/// Answers intents with sandboxed scripts.
///
/// An intent such as "list errors" finds a template, the template becomes a Python script, and the script runs in a
/// sandbox that reaches only what it was granted. Without any configuration a built-in demo tracker answers.
#[derive(Debug, Parser)]
#[command(name = "intentbox", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Logs on stderr what requests come to [default: nothing]
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub(crate) log: Option<LogLevel>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where everything comes from that is not typed.
#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// The configuration; otherwise `$INTENTBOX_CONFIG`, otherwise config.toml in the user's configuration folder
    #[arg(long, global = true, help_heading = "Where everything comes from", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What is permitted; otherwise policy.toml beside the configuration
    #[arg(long, global = true, help_heading = "Where everything comes from", value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// A directory to read, such as `logs=/var/log/app`; the pack of that name and `exec` may read it (repeatable)
    #[arg(long = "dir", global = true, help_heading = "Where everything comes from", value_name = "ALIAS=PATH", value_parser = directory)]
    pub(crate) directories: Vec<(String, PathBuf)>,
    /// Your folder of templates, which goes over the built-in ones; otherwise the one that the configuration names
    #[arg(long, global = true, help_heading = "Where everything comes from", value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// The folder of what is recorded; otherwise `$INTENTBOX_STATE`, otherwise `$XDG_STATE_HOME/intentbox`, otherwise
    /// ~/.local/state/intentbox
    #[arg(long, global = true, help_heading = "Where everything comes from", value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answers an intent given in words
    RunIntent(RunIntent),
    /// Runs a Python script in the sandbox
    Exec(Exec),
    /// Shows, renders, checks and makes templates
    #[command(subcommand)]
    Templates(Templates),
    /// Checks the policy, and says why something is permitted or not
    #[command(subcommand)]
    Policy(Policy),
    /// Writes a configuration and a policy with comments, to start from
    Init(Init),
    /// Tries the configuration, and what this machine gives the sandbox
    Doctor,
    /// Serves MCP clients: over stdin and stdout, or over HTTP
    #[command(after_help = MCP)]
    Mcp(Mcp),
    /// Shows which templates `mcp` ran, how often and how fast
    Stats(Stats),
    /// Serves the demo error tracker until interrupted
    DemoTracker(DemoTracker),
    /// Writes realistic logs to try things on
    DemoLogs(DemoLogs),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints the manual page, for `man -l -`
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Templates {
    /// Lists the templates, and what each still needs
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Shows one template: its parameters, phrases, wants and result
    Show {
        /// Its id, such as `sentry/list_errors`
        id: String,
    },
    /// Prints the script that a template renders to
    Render {
        /// Its id
        id: String,
        /// A parameter (repeatable)
        #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
        params: Vec<(String, String)>,
    },
    /// Reads all templates and runs the cases in the sandbox: those of your folder of templates, otherwise the built-in ones
    Check {
        /// Only these templates or packs
        ids: Vec<String>,
        /// Writes the scripts that the cases of your folder render to, instead of comparing them
        #[arg(long)]
        write: bool,
    },
    /// Makes the folder of a new template, with a case, in your folder of templates
    New {
        /// Its id, such as `mine/first`
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Reads the policy and names lines that can never matter
    Check,
    /// Says whether a request is permitted, and by which line
    Explain {
        /// A method, or READ for a file of a directory
        method: String,
        /// `alias:/path` or an absolute URL; `alias:folder/file` with READ
        url: String,
        /// The template that asks; without it, a script of `exec`
        #[arg(long = "for", value_name = "TEMPLATE")]
        template: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder to write into [default: the user's configuration folder]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoLogs {
    /// The folder to write into; it is made if it is not there
    pub(crate) folder: PathBuf,
    /// How much, in MiB
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub(crate) mib: u64,
    /// The same number gives the same logs
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
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
    /// Lets a template that changes something run; the policy must permit its requests besides
    #[arg(long)]
    pub(crate) allow_writes: bool,
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
    /// Memory in MiB, the interpreter's own 51 included [default: 256]
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
pub(crate) struct Mcp {
    /// Serves streamable HTTP at /mcp of this address, such as 127.0.0.1:8350; without it, one client on stdin and stdout
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) http: Option<SocketAddr>,
    /// The tokens that HTTP clients need, one line `NAME TOKEN` each; only for loopback addresses they can be left out
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// A name by which HTTP clients reach the server, besides those of this machine (repeatable)
    #[arg(long = "allow-host", value_name = "NAME", requires = "http")]
    pub(crate) hosts: Vec<String>,
    /// A site whose pages may use the server, such as `https://app.example.com` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    pub(crate) origins: Vec<String>,
    /// Lets templates that change something run without asking; the policy must permit their requests besides
    #[arg(long)]
    pub(crate) allow_writes: bool,
    /// What a script of a caller may use at most, such as `wall_ms=60000` (repeatable)
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub(crate) limits: Vec<(String, u64)>,
    /// Refuses to serve where a wall around the workers is missing on this machine; `--require-walls=false` warns instead
    /// [default: true with --token-file, false without]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) require_walls: Option<bool>,
    /// How many worker processes run scripts [default: one for each core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) workers: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// How far to look back, such as `24h`, `7d` or `2 weeks`
    #[arg(long, value_name = "DURATION", default_value = "7d")]
    pub(crate) since: Period,
    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoTracker {
    /// The loopback port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an address and a port, such as 127.0.0.1:8350 or [::1]:8350".to_owned())
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE, such as limit=5".to_owned()),
    }
}

fn directory(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((alias, path)) if !alias.is_empty() && !path.is_empty() => Ok((alias.to_owned(), path.into())),
        _ => Err("write it as ALIAS=PATH, such as logs=/var/log/app".to_owned()),
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
