//! The arguments of each command, with their help.
//!
//! - `serving`: those of servers and of jobs.

mod serving;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::observe::LogLevel;
use intentbox_capability::Asked;
use intentbox_catalog::period::Period;
use intentbox_demo_logs::BYTES_MAX;
use intentbox_engine::{Mode, Switch, TargetName};

use serving::MCP;
pub(crate) use serving::{
    AddSchedule, Between, Database, JobWork, Jobs, JobsCommand, JobsPlace, Mcp, Role, Runs, Schedules,
    SchedulesCommand, Serve, SubmitJob, Token, TokenCommand,
};

const EXAMPLES: &str = "\
Examples:
  intentbox run-intent help
  intentbox run-intent \"list errors\"
  intentbox run-intent \"list the last 5 errors in project web\" --json
  intentbox exec script.py --input params.json
  echo 'sum(range(10))' | intentbox exec -
  intentbox run-intent \"count log lines by level\" --dir logs=/var/log/app
  intentbox templates list

Exit codes:
    0  ok
    1  the script failed, or a check found faults
    2  invalid command line, parameter, input, configuration, policy or template
    3  the policy does not allow it
    4  a limit was reached
    5  an allowed request failed
    6  no template fits, several fit, a parameter is missing, or what is named does not exist
    7  unavailable (a worker, a port, room on the disk) or an internal error
  130  interrupted";

/// Answers intents with sandboxed scripts.
///
/// An intent such as "list errors" selects a template, the template becomes a Python script, and the script runs in a
/// sandbox that can access only what it was granted. Without a configuration, a built-in demo tracker answers.
#[derive(Debug, Parser)]
#[command(name = "intentbox", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print one JSON object on stdout instead of text, whether the command succeeds or fails
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) sources: Sources,

    /// Log requests on stderr, up to this level [default: log nothing]
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub(crate) log: Option<LogLevel>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The files and directories that every command uses.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sources {
    /// Configuration file [default: `$INTENTBOX_CONFIG`, otherwise `$XDG_CONFIG_HOME/intentbox/config.toml` or
    /// ~/.config/intentbox/config.toml]
    #[arg(long, global = true, help_heading = "Sources", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Policy file, which lists what scripts may access [default: policy.toml beside the configuration file]
    #[arg(long, global = true, help_heading = "Sources", value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Directory that scripts may read under a name, such as `logs=/var/log/app`; granted to the pack of that name and to `exec`
    /// (repeatable) [default: those of the configuration]
    #[arg(long = "dir", global = true, help_heading = "Sources", value_name = "ALIAS=PATH", value_parser = directory)]
    pub(crate) directories: Vec<(String, PathBuf)>,
    /// Directory of templates that override or extend the built-in ones [default: `directory` under [templates] in the
    /// configuration, otherwise none]
    #[arg(long, global = true, help_heading = "Sources", value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// State directory, where servers keep records of runs, jobs, schedules and tokens [default: `$INTENTBOX_STATE`, otherwise
    /// `$XDG_STATE_HOME/intentbox` or ~/.local/state/intentbox]
    #[arg(long, global = true, help_heading = "Sources", value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// File of upstream MCP servers in the form that MCP clients use (`mcpServers`); naming it here approves its entries
    /// (repeatable) [default: mcp.json beside the configuration file, and .mcp.json, .cursor/mcp.json and .vscode/mcp.json in the
    /// current directory, whose entries need `tools trust`]
    #[arg(long = "servers", global = true, help_heading = "Sources", value_name = "FILE")]
    pub(crate) servers: Vec<PathBuf>,
    /// What answers intents: templates and then tools of upstream servers (`hybrid`), templates alone (`code_execution`) or tools
    /// alone (`mcp_only`) [default: `$INTENTBOX_MODE`, otherwise `mode` under [routing] in the configuration, otherwise hybrid]
    #[arg(long, global = true, help_heading = "Sources", value_name = "MODE", value_parser = mode)]
    pub(crate) mode: Option<Mode>,
    /// Part of the routing that is switched off: `templates`, `fallback` to tools, `discovery` in the background, or `learning` of
    /// words (repeatable) [default: `$INTENTBOX_WITHOUT` with commas between, otherwise the keys under [routing] that are false]
    #[arg(long, global = true, help_heading = "Sources", value_name = "PART", value_parser = switch)]
    pub(crate) without: Vec<Switch>,
    /// Files that no upstream server may read, besides those that are known to hold secrets. A server hands those of its own flags to the
    /// processes that it starts
    #[arg(long = "secret-file", global = true, hide = true, value_name = "FILE")]
    pub(crate) secret_files: Vec<PathBuf>,
    /// The file with the URL of the database in which a command that has `--database` keeps what it knows of tools.
    #[arg(skip)]
    pub(crate) database: Option<PathBuf>,
}

/// Which tools of a server the policy gets a line for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allow {
    /// Those of which the server says that they only read
    ReadOnly,
    /// All of them
    All,
    /// None: the policy stays as it is
    None,
}

fn mode(text: &str) -> Result<Mode, String> {
    Mode::of(text).ok_or_else(|| "write hybrid, code_execution or mcp_only".to_owned())
}

fn switch(text: &str) -> Result<Switch, String> {
    Switch::of(text).ok_or_else(|| "write templates, fallback, discovery or learning".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer an intent given in words
    RunIntent(RunIntent),
    /// Run a Python script in the sandbox
    Exec(Exec),
    /// List, show, render, check, try and create templates
    #[command(subcommand)]
    Templates(Templates),
    /// Configure upstream MCP servers, and list, show and call their tools
    Tools(ToolsCommand),
    /// Check the policy, or explain what it allows
    #[command(subcommand)]
    Policy(Policy),
    /// Write a commented configuration and policy to start from
    Init(Init),
    /// Test the configuration, the policy and the sandbox of this machine
    Doctor,
    /// Serve MCP clients over stdin and stdout, or over HTTP
    #[command(after_help = MCP)]
    Mcp(Mcp),
    /// Serve the HTTP API with durable jobs, a dashboard, and MCP beside them
    Serve(Serve),
    /// Submit, list, watch and cancel jobs, which `serve` runs: of the state folder, or of a server elsewhere
    Jobs(JobsCommand),
    /// Have jobs submitted again and again, at the times of a cron expression
    Schedules(SchedulesCommand),
    /// Give clients of `serve` tokens, list them, and take them back
    Token(TokenCommand),
    /// Show which templates the servers ran, how often and how fast
    Stats(Stats),
    /// Serve the demo error tracker until interrupted
    DemoTracker(DemoTracker),
    /// Write realistic logs to try templates on
    DemoLogs(DemoLogs),
    /// Print the completion script of a shell
    Completions(Completions),
    /// Print the manual page; read it with `intentbox man | man -l -`
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Templates {
    /// List all templates, and what each of them still needs
    List,
    /// Show the phrases, parameters, patterns, access and result of a template
    Show {
        /// Id of the template, such as `sentry/list_errors`
        id: String,
    },
    /// Print the script that a template renders to
    Render {
        /// Id of the template, such as `sentry/list_errors`
        id: String,
        /// Parameter of the template, such as `limit=5` (repeatable) [default: the template's own defaults]
        #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
        params: Vec<(String, String)>,
    },
    /// Read all templates and run their cases in the sandbox: those of your directory of templates, otherwise the built-in ones
    Check {
        /// Ids of templates or packs to check, such as `sentry` [default: all]
        ids: Vec<String>,
        /// Update the stored scripts of the cases in your directory instead of comparing them
        #[arg(long)]
        write: bool,
        /// Check the declared phrases instead, and run nothing: report each phrase that also selects another template, built-in or
        /// your own
        #[arg(long, conflicts_with = "write")]
        phrases: bool,
    },
    /// Show which template each sentence of a file selects, without running it
    ///
    /// A line is one sentence and, after a tab, the id of the template that it should select, if you expect one. Empty lines and
    /// lines that begin with `#` are skipped. Only templates whose origins and directories are configured can be selected. Existing
    /// names, such as those of projects and files, are not fetched. They are recognised only with a keyword, as in "errors in project
    /// web".
    Try {
        /// File with at most 10000 lines of at most 4096 bytes, or - to read it from stdin
        file: PathBuf,
    },
    /// Publish the templates of your directory: every `intentbox serve` with the same database or state directory answers with them
    /// within seconds, under its own policy. They replace what was published before, and a server's own directory goes over them
    Publish {
        #[command(flatten)]
        database: Database,
    },
    /// List what is published
    Published {
        #[command(flatten)]
        database: Database,
    },
    /// Take back what was published
    Unpublish {
        #[command(flatten)]
        database: Database,
    },
    /// Create a template with one case in your directory of templates
    New {
        /// Id of the new template, such as `mine/first`
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ToolsCommand {
    /// File with the URL of the `PostgreSQL` database in which servers of several machines keep what they know of tools [default: the
    /// state directory of this machine]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) database: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Tools,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List the servers and their tools, as last discovered; starts no server
    List {
        /// Server to list [default: all]
        server: Option<String>,
    },
    /// Find tools and templates by what they do, in your own words; starts no server
    Search {
        /// What it should do, such as "commits between two dates"
        text: String,
        /// The most tools and templates to list
        #[arg(long, value_name = "COUNT", default_value_t = 5)]
        most: usize,
        /// Print all arguments, and what each tool does
        #[arg(long)]
        long: bool,
    },
    /// Show a server, or the description and the schemas of one of its tools
    Show {
        /// Name of the server
        server: String,
        /// Name of the tool
        tool: Option<String>,
        /// Print signatures for scripts, as Python has them, and nothing else
        #[arg(long)]
        stub: bool,
    },
    /// Call a tool
    ///
    /// The server is started or connected to if its tools are to be called. The arguments are checked against the tool's schema
    /// first. A call by hand is not subject to the policy, which is for scripts.
    Call {
        /// Name of the server
        server: String,
        /// Name of the tool
        tool: String,
        /// Argument, such as `max_count=3`; a value that is JSON counts as JSON where the schema does not want text (repeatable)
        #[arg(value_name = "NAME=VALUE", value_parser = name_and_value)]
        arguments: Vec<(String, String)>,
        /// All arguments as one JSON object, or - to read it from stdin
        #[arg(long, value_name = "JSON", conflicts_with = "arguments")]
        input: Option<String>,
    },
    /// Discover the tools of servers, and wait for the result
    Refresh {
        /// Servers [default: all that are enabled and approved]
        #[arg(value_name = "SERVER")]
        names: Vec<String>,
        /// Return at once, and go on in the background
        #[arg(long)]
        background: bool,
    },
    /// Add a server to your own file, and discover its tools in the background
    Add {
        /// Name of the server
        name: String,
        /// URL of a server over streamable HTTP, in place of a command
        #[arg(long, value_name = "URL", conflicts_with = "command")]
        url: Option<String>,
        /// Header of each request to the URL, such as `Authorization=Bearer ${TOKEN}` (repeatable)
        #[arg(long = "header", value_name = "NAME=VALUE", value_parser = header, requires = "url")]
        headers: Vec<(String, String)>,
        /// Variable of the server's environment, such as `TOKEN=${TOKEN}` (repeatable)
        #[arg(long = "env", value_name = "NAME=VALUE", value_parser = name_and_value, conflicts_with = "url")]
        env: Vec<(String, String)>,
        /// Folder that it runs in and may write [default: where intentbox runs, which it may only read]
        #[arg(long, value_name = "FOLDER", conflicts_with = "url")]
        cwd: Option<PathBuf>,
        /// Folder that it may write besides, such as the repository that a tool commits to (repeatable)
        #[arg(long, value_name = "FOLDER", conflicts_with = "url")]
        write: Vec<PathBuf>,
        /// File to add it to [default: mcp.json beside the configuration file]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Tools that scripts and intents may call: a line of the policy says so
        #[arg(long, value_name = "WHICH", default_value = "read-only")]
        allow: Allow,
        /// Command that starts the server, with its arguments
        #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Remove a server from your own file, and forget its tools
    Remove {
        /// Name of the server
        name: String,
        /// File to remove it from [default: mcp.json beside the configuration file]
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Copy servers of another client's file into your own file
    Import {
        /// File of another MCP client, such as `claude_desktop_config.json`
        file: PathBuf,
        /// Servers to copy [default: all]
        #[arg(value_name = "SERVER")]
        names: Vec<String>,
        /// Tools that scripts and intents may call: lines of the policy say so
        #[arg(long, value_name = "WHICH", default_value = "read-only")]
        allow: Allow,
    },
    /// Approve servers that a project's file configures, after showing the exact commands
    Trust {
        /// Servers [default: all that are not approved yet]
        #[arg(value_name = "SERVER")]
        names: Vec<String>,
        /// Approve without asking
        #[arg(long)]
        yes: bool,
        /// Tools that scripts and intents may call: a line of the policy says so
        #[arg(long, value_name = "WHICH", default_value = "read-only")]
        allow: Allow,
    },
    /// Show how the definitions of tools differ from the approved ones
    Diff {
        /// Name of the server
        server: String,
        /// Name of the tool [default: all that have changed]
        tool: Option<String>,
    },
    /// Show what has changed in definitions of tools, and approve exactly that
    Approve {
        /// Name of the server
        server: String,
        /// Names of the tools [default: all that have changed]
        tools: Vec<String>,
        /// Approve without asking
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Read the policy and report lines that can never apply
    Check,
    /// Explain whether a request is allowed, and by which line
    Explain {
        #[arg(help = Asked::METHODS)]
        method: String,
        #[arg(help = Asked::TARGETS)]
        url: String,
        /// Id of the template that makes the request [default: none, for a script of `exec`]
        #[arg(long = "for", value_name = "TEMPLATE")]
        template: Option<String>,
        /// Principal that makes the request: the holder of a token, with a table [principals.NAME] in the policy [default: none]
        #[arg(long, value_name = "NAME")]
        principal: Option<String>,
    },
    /// List the policies that servers have run jobs under, or print one
    Versions {
        #[command(flatten)]
        database: Database,
        /// The first digits of one, as an event of a job has them [default: list all]
        digest: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Directory to write config.toml and policy.toml to; created if it is missing. Instead, --config and --policy name the files
    /// [default: that of the configuration that other commands read]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoLogs {
    /// Directory to write to; created if it is missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Size of the logs in MiB before compression, from 1 to 16384
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=BYTES_MAX >> 20))]
    pub(crate) mib: u64,
    /// Seed of all random choices, any whole number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct RunIntent {
    /// Intent in words and in quotes, such as "list the last 5 errors in project web"; `help` to list what can be asked, or - to
    /// read up to 4096 bytes from stdin [default: help]
    pub(crate) text: Option<String>,
    /// Parameter of the template, such as `limit=5`; overrides what the words say (repeatable) [default: what the words say]
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) params: Vec<(String, String)>,
    /// Id of the template that answers, or of a tool, such as `git/git_log`: the words then only give values
    #[arg(long, value_name = "ID")]
    pub(crate) template: Option<TargetName>,
    /// Show which template the intent selects and why, without running it
    #[arg(long, conflicts_with = "template")]
    pub(crate) explain: bool,
    /// Allow a template that changes something to run; the policy must allow its requests as well
    #[arg(long)]
    pub(crate) allow_writes: bool,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// Script to run, or - to read it from stdin
    pub(crate) file: PathBuf,
    /// File with the JSON that the script finds as `params`, or - to read it from stdin [default: {}]
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Run {
    /// Fuel limit in units, about one per wasm instruction [default: 100000000000, or what the template sets]
    #[arg(long, value_name = "UNITS")]
    pub(crate) fuel: Option<u64>,
    /// Memory limit in MiB, of which the interpreter takes 51 [default: 256, or what the template sets]
    #[arg(long, value_name = "MIB")]
    pub(crate) memory_mib: Option<u64>,
    /// Wall-clock limit in milliseconds, host calls included [default: 30000, or what the template sets]
    #[arg(long, value_name = "MS")]
    pub(crate) timeout_ms: Option<u64>,
    /// Any limit by its name and in its own unit, such as `stdout_bytes=1000` (repeatable; an invalid name lists all)
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = limit)]
    pub(crate) limits: Vec<(String, u64)>,
    /// Seed for a reproducible run, any whole number [default: none; each run has fresh randomness]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Time at which a run with --seed starts, in UTC [default: 2000-01-01T00:00:00Z]
    #[arg(long, value_name = "TIME", value_parser = unix_ns, requires = "seed")]
    pub(crate) time: Option<u64>,
    /// Process in which the script runs
    #[arg(long, value_enum, value_name = "PLACE", default_value_t = Isolation::InProcess)]
    pub(crate) isolation: Isolation,
}

/// Where a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Isolation {
    /// In this process
    InProcess,
    /// In a worker process without files, network and privileges
    Process,
}

#[derive(Debug, Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub(crate) database: Database,
    /// How far to look back, such as `24h`, `7d` or `2 weeks`
    #[arg(long, value_name = "DURATION", default_value = "7d")]
    pub(crate) since: Period,
}

#[derive(Debug, Args)]
pub(crate) struct DemoTracker {
    /// Loopback port to listen on; 0 selects a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell to complete for
    pub(crate) shell: Shell,
}

/// A header, as in `Authorization=Bearer ${TOKEN}`, or as people write it for curl: what is refused is repeated, and may be secret.
fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(['=', ':']) {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as NAME=VALUE, such as \"Authorization=Bearer ${TOKEN}\"".to_owned()),
    }
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
    u64::try_from(time.as_nanosecond()).map_err(|_| "write a time from 1970 to 2554".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory as _;

    /// clap reads two arguments of one id as one, of the wrong type, and says so only in a debug build.
    #[test]
    fn no_command_has_an_argument_of_the_name_of_a_global_one() {
        fn walk(command: &clap::Command, globals: &[(String, String)]) {
            for argument in command.get_arguments().filter(|argument| !argument.is_global_set()) {
                let long = argument.get_long().unwrap_or_default();
                assert!(
                    !globals.iter().any(|(id, name)| id == argument.get_id().as_str() || name == long),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
            command.get_subcommands().for_each(|command| walk(command, globals));
        }
        let command = Arguments::command();
        let globals: Vec<_> = command
            .get_arguments()
            .filter(|argument| argument.is_global_set())
            .map(|argument| (argument.get_id().to_string(), argument.get_long().expect("a long name").to_owned()))
            .collect();
        assert!(globals.len() > 2, "{globals:?}");
        walk(&command, &globals);
    }
}
