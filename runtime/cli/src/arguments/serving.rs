//! The arguments of what serves others, and of the jobs that it runs.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use intentbox_catalog::period::Period;
use intentbox_engine::TargetName;
use intentbox_jobs::{JobState, PRIORITY_MAX};
use intentbox_listen::Scope;

use super::{limit, name_and_value};

pub(super) const MCP: &str = "\
Examples:
  intentbox mcp
  intentbox mcp --config /home/me/.config/intentbox/config.toml
  intentbox mcp --http 127.0.0.1:8350 --token-file tokens

MCP clients start the first two themselves. To use the last, a client connects to http://127.0.0.1:8350/mcp and sends
`Authorization: Bearer TOKEN`. Without a configuration, a built-in demo tracker with invented data answers.

On stdin and stdout the server speaks the protocol only: with --json, a failure is one JSON object on stderr. With --http,
the object is printed on stdout once the server is ready.";

/// Which runs of a server a worker process may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Between {
    /// Runs of all clients
    Shared,
    /// Runs of one client: it is replaced before it gets one of another, which takes some tens of milliseconds
    Tenant,
}

/// How the runs of a server's clients are bounded, and where they take place.
#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// Ceiling up to which callers may raise a limit, by its name and in its own unit, such as `wall_ms=60000` (repeatable) [default:
    /// 2097152 for `result_bytes`, `stdout_bytes` and `stderr_bytes`; for others, their upper bound]
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub(crate) limits: Vec<(String, u64)>,
    /// Refuse to serve if this machine lacks a part of the workers' hardening; `--require-hardening=false` only warns
    /// [default: true with --token-file, otherwise false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) require_hardening: Option<bool>,
    /// Number of worker processes that run scripts, from 1 to 256 [default: one per core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) workers: Option<u16>,
    /// Memory that all scripts that run at the same time may take together, in MiB: each worker process has an equal part of it, of
    /// 64 at the least [default: 1024 for each worker process]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(64..=16_777_216))]
    pub(crate) memory: Option<u64>,
    /// Whether one worker process may run scripts of several clients
    #[arg(long, value_enum, value_name = "OF", default_value_t = Between::Shared)]
    pub(crate) isolation: Between,
}

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Address and port of streamable HTTP at /mcp, such as 127.0.0.1:8350 [default: none, for one client on stdin and stdout]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) http: Option<SocketAddr>,
    /// File with the tokens of HTTP clients, one line `NAME TOKEN` for each; required unless the address is a loopback address and no
    /// `--allow-host` is given
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that HTTP clients may use besides those of this machine, such as `mcp.example.com` (repeatable)
    #[arg(long = "allow-host", value_name = "NAME", requires = "http")]
    pub(crate) hosts: Vec<String>,
    /// Origin of pages that may use the server besides those of this machine, such as `https://app.example.com` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    pub(crate) origins: Vec<String>,
    /// How long an HTTP session lasts without a request and without an open stream, such as `30m` or `7d` [default: 24h]
    #[arg(long, value_name = "DURATION", requires = "http", value_parser = session_idle)]
    pub(crate) session_idle: Option<Period>,
    /// Allow templates that change something to run without asking the user; the policy must allow their requests as well
    #[arg(long)]
    pub(crate) allow_writes: bool,
    #[command(flatten)]
    pub(crate) runs: Runs,
}

/// Where jobs, schedules, tokens, records of runs and what is known of upstream tools are.
#[derive(Debug, Clone, Args)]
pub(crate) struct Database {
    /// File with the URL of a `PostgreSQL` database, `postgres://USER:PASSWORD@HOST:5432/DATABASE`, in which the servers of several
    /// machines keep jobs, schedules, tokens, records of runs and what they know of tools [default: `$INTENTBOX_DATABASE`, otherwise the
    /// state directory]
    #[arg(id = "database", long = "database", value_name = "FILE", global = true)]
    pub(crate) file: Option<PathBuf>,
}

/// What a server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Accept requests and run jobs
    All,
    /// Accept requests, and leave jobs to others
    Api,
    /// Run jobs, and answer for health and counts alone
    Worker,
}

/// Where jobs and schedules are, and whose.
#[derive(Debug, Args)]
pub(crate) struct JobsPlace {
    #[command(flatten)]
    pub(crate) database: Database,
    /// Whose jobs and schedules: the holder of a token, such as `ci` [default: those of this command and of clients without a token]
    #[arg(long, value_name = "NAME", global = true, conflicts_with = "server")]
    pub(crate) principal: Option<String>,
    /// Ask a server, at the address that `intentbox serve` printed, such as `http://127.0.0.1:8360` [default: `$INTENTBOX_SERVER`,
    /// otherwise the database or the state directory]
    #[arg(long, value_name = "URL", global = true, conflicts_with = "database")]
    pub(crate) server: Option<String>,
    /// File with the token for the server [default: the token itself in `$INTENTBOX_TOKEN`]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct JobsCommand {
    #[command(flatten)]
    pub(crate) place: JobsPlace,
    #[command(subcommand)]
    pub(crate) command: Jobs,
}

#[derive(Debug, Args)]
pub(crate) struct SchedulesCommand {
    #[command(flatten)]
    pub(crate) place: JobsPlace,
    #[command(subcommand)]
    pub(crate) command: Schedules,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Schedules {
    /// Have a job submitted again and again, at the times of a cron expression
    Add(Box<AddSchedule>),
    /// List schedules, the oldest first
    List,
    /// Show a schedule with its request
    Show {
        /// Id of the schedule, or the first digits of it
        id: String,
    },
    /// Remove a schedule; the jobs that it submitted stay
    Remove {
        /// Id of the schedule, or the first digits of it
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddSchedule {
    /// Times in five fields: minute, hour, day of the month, month, day of the week, such as "0 8 * * 1-5"
    #[arg(long)]
    pub(crate) cron: String,
    /// Time zone of the times, such as `Europe/Berlin` [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,
    #[command(flatten)]
    pub(crate) work: JobWork,
}

#[derive(Debug, Args)]
pub(crate) struct TokenCommand {
    #[command(flatten)]
    pub(crate) database: Database,
    #[command(subcommand)]
    pub(crate) command: Token,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token and print it, this once
    Create {
        /// Whose it is: the name of the principal, as in `[principals.NAME]` of the policy
        name: String,
        /// What it may be used for: `read`, `run` or `manage` (repeatable) [default: read and run]
        #[arg(long = "scope", value_name = "SCOPE", value_parser = scope)]
        scopes: Vec<Scope>,
        /// How long it is accepted, such as `30d` [default: until it is revoked]
        #[arg(long, value_name = "DURATION", value_parser = session_idle)]
        expires: Option<Period>,
    },
    /// List tokens by their ids: the tokens themselves are not kept
    List,
    /// Have a token accepted no more; servers know it within a few seconds
    Revoke {
        /// Id of the token, or the first digits of it
        id: String,
    },
}

fn scope(text: &str) -> Result<Scope, String> {
    Scope::of(text).ok_or_else(|| "write read, run or manage".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) database: Database,
    /// What this server does
    #[arg(long, value_enum, default_value_t = Role::All)]
    pub(crate) role: Role,
    /// How many requests each client may send a second [default: as many as it can]
    #[arg(long, value_name = "COUNT", value_parser = rate)]
    pub(crate) rate: Option<NonZeroU32>,
    /// How many jobs of one client may wait [default: 200000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) waiting: Option<u64>,
    /// How many MiB of long requests and reports are kept for each client; those of the jobs that ended longest ago are removed
    /// before a job is rejected [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=16_777_216))]
    pub(crate) kept: Option<u64>,
    /// Address and port; the API is at /v1, and MCP at /mcp
    #[arg(long, value_name = "ADDRESS", value_parser = address, default_value = "127.0.0.1:8360")]
    pub(crate) listen: SocketAddr,
    /// File with the tokens of clients, one line `NAME TOKEN` for each, which may do everything; this or `intentbox token create` is
    /// required unless the address is a loopback address and no `--allow-host` is given
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Host name that clients may use besides those of this machine, such as `api.example.com` (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Origin of pages that may use the server besides those of this machine, such as `https://app.example.com` (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Allow templates that change something to run for MCP clients without asking the user; requests to the API say so themselves
    #[arg(long)]
    pub(crate) allow_writes: bool,
    #[command(flatten)]
    pub(crate) runs: Runs,
    /// Number of jobs that run at the same time, most of which wait for the network, from 1 to 1024 [default: eight per core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) slots: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Jobs {
    /// Submit a job and print its id
    Submit(SubmitJob),
    /// List jobs, the newest first
    List {
        /// State of the jobs, such as `running` [default: all]
        #[arg(id = "job_state", value_name = "STATE", value_parser = job_state)]
        state: Option<JobState>,
        /// Label of the jobs
        #[arg(long, value_name = "NAME=VALUE", value_parser = label)]
        label: Option<(String, String)>,
        /// How many are listed
        #[arg(long, alias = "limit", value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        most: u32,
    },
    /// Show a job with its answer
    Show {
        /// Id of the job, or the first digits of it
        id: String,
    },
    /// Print what the script of a job printed
    Logs {
        /// Id of the job, or the first digits of it
        id: String,
    },
    /// Tell what happens to a job and what it prints until it has ended, and then its answer
    Watch {
        /// Id of the job, or the first digits of it
        id: String,
    },
    /// Cancel a job, also while it runs
    Cancel {
        /// Id of the job, or the first digits of it
        id: String,
    },
    /// Submit the request of a job again, as a new job
    Retry {
        /// Id of the job, or the first digits of it
        id: String,
    },
}

/// What a job runs, and how.
#[derive(Debug, Args)]
pub(crate) struct JobWork {
    /// Intent in words and in quotes, such as "list the last 5 errors in project web"
    #[arg(conflicts_with = "code")]
    pub(crate) text: Option<String>,
    /// Script to run in the place of an intent, or - to read it from stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) code: Option<PathBuf>,
    /// File with the JSON that the script finds as `params` [default: {}]
    #[arg(long, value_name = "FILE", requires = "code")]
    pub(crate) input: Option<PathBuf>,
    /// Parameter of the template, such as `limit=5` (repeatable) [default: what the words say]
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Id of the template or tool that answers
    #[arg(long, value_name = "ID")]
    pub(crate) template: Option<TargetName>,
    /// Label by which jobs are found (repeatable)
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,
    /// Jobs of a higher priority begin first, from -100 to 100 [default: 0]
    #[arg(long, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-PRIORITY_MAX..=PRIORITY_MAX))]
    pub(crate) priority: Option<i64>,
    /// After how long it is too late to begin, such as `1h`
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<Period>,
    /// How often it is attempted at most if its server is lost, from 1 to 10 [default: 3]
    #[arg(long)]
    pub(crate) attempts: Option<u32>,
    /// Allow a template that changes something to run; the policy must allow its requests as well
    #[arg(long)]
    pub(crate) allow_writes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitJob {
    #[command(flatten)]
    pub(crate) work: JobWork,
    /// How long to wait before the job begins, such as `10m`
    #[arg(long, value_name = "DURATION")]
    pub(crate) delay: Option<Period>,
    /// Key under which the same request is the same job
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Wait for its end, and tell what happens
    #[arg(long)]
    pub(crate) watch: bool,
}

fn label(text: &str) -> Result<(String, String), String> {
    name_and_value(text).map_err(|_| "write it as NAME=VALUE, such as team=web".to_owned())
}

fn job_state(text: &str) -> Result<JobState, String> {
    let all: Vec<&str> = JobState::ALL.iter().map(|state| state.as_str()).collect();
    JobState::of(text).ok_or_else(|| format!("write one of {}", all.join(", ")))
}

fn rate(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "write a whole number from 1; without --rate there is no limit".to_owned())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write an address and a port, such as 127.0.0.1:8360 or [::1]:8360".to_owned())
}

fn session_idle(text: &str) -> Result<Period, String> {
    match text.parse::<Period>() {
        Ok(period) if period.seconds() == 0 => Err("write a duration of a second or more, such as `30m`".to_owned()),
        Ok(period) => Ok(period),
        Err(error) => Err(error.to_string()),
    }
}
