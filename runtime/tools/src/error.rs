//! Why an upstream server or a call of a tool failed, and what to do about it: by kind, and not by matching texts.

use std::path::PathBuf;
use std::time::Duration;

use intentbox_capability::{Refusal, ServerId};
use intentbox_catalog::terminal::printable;
use intentbox_store::DefinitionRecord;

/// What a server was doing when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The process was started, or the address connected to.
    Start,
    /// The revision of the protocol was agreed on.
    Handshake,
    /// The tools were listed.
    Listing,
    /// A tool was called.
    Call,
}

impl Phase {
    /// What it was doing, after "while".
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Start => "starting",
            Phase::Handshake => "agreeing on the protocol",
            Phase::Listing => "listing its tools",
            Phase::Call => "answering a call",
        }
    }
}

/// How a server failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerFault {
    /// Its program does not exist.
    #[error("its command was not found: {0}")]
    NotFound(String),
    /// Its program may not be run.
    #[error("its command cannot be run: {0}")]
    NotPermitted(String),
    /// It could not be started within its bounds.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// It ended by itself, or closed its pipes.
    #[error("it ended {}{}", .phase.as_str(), .status.as_ref().map(|status| format!(" ({status})")).unwrap_or_default())]
    Ended {
        /// What it was doing.
        phase: Phase,
        /// How its process ended, if that is known.
        status: Option<String>,
    },
    /// It did not answer in time.
    #[error("it did not answer within {} s while {}", .after.as_secs_f32(), .phase.as_str())]
    TimedOut {
        /// What it was doing.
        phase: Phase,
        /// How long it had.
        after: Duration,
    },
    /// It was cut off, because it sent or used too much.
    #[error("it was stopped: {0}")]
    CutOff(String),
    /// What it sent is not the protocol.
    #[error("it does not follow the protocol: {0}")]
    Protocol(String),
    /// It answered with an error of the protocol.
    #[error("it answered with the error {code}: {message}")]
    Error {
        /// The number, such as -32602.
        code: i64,
        /// Its text, shortened and safe to print.
        message: String,
    },
    /// Its list of tools is too large, or has no end.
    #[error("its list of tools was refused: {0}")]
    Listing(String),
    /// It wants credentials, or others.
    #[error("it answered {status}: {challenge}")]
    Unauthorized {
        /// 401 or 403.
        status: u16,
        /// What it says that it wants.
        challenge: String,
    },
    /// Its credential, a header or its certificates cannot be used, or are not where the configuration says.
    #[error("{0}")]
    Credential(String),
    /// An HTTP server could not be reached, or its answer is none.
    #[error("{0}")]
    Http(String),
    /// It is switched off.
    #[error("it is disabled in {}", printable(&.file.to_string_lossy()))]
    Disabled {
        /// The file with its entry.
        file: PathBuf,
    },
    /// Its entry cannot be used.
    #[error("its entry in {} is invalid: {reason}", printable(&.file.to_string_lossy()))]
    Invalid {
        /// The file with its entry.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A person has to approve it first.
    #[error("nobody has approved it")]
    NotTrusted,
    /// It failed often, and is left alone for a while.
    #[error("it failed {failures} times in a row, the last time because {last}")]
    Resting {
        /// How often.
        failures: u32,
        /// How, the last time.
        last: String,
        /// How long until it is tried again.
        left: Duration,
    },
}

/// What to do about a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextAction {
    /// Try again after this long.
    Retry(Duration),
    /// A person has to change something: an imperative that says what.
    User(String),
    /// Nothing helps but another server.
    GiveUp,
}

/// A server that failed, with what it wrote to stderr.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the server `{server}` failed: {fault}")]
pub struct ServerError {
    /// Which.
    pub server: ServerId,
    /// How.
    pub fault: ServerFault,
    /// The last lines that it wrote to stderr, safe to print; empty if there are none.
    pub stderr: String,
}

/// Why a call of a tool has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The grant does not cover it.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// No server of this name is configured.
    #[error("no server `{server}` is configured")]
    NoServer {
        /// The name, shortened and escaped.
        server: String,
        /// The name that is nearest, if one is.
        nearest: Option<String>,
    },
    /// The server has no such tool, or rejected it was.
    #[error("the server `{server}` has no tool `{tool}`")]
    NoTool {
        /// The server.
        server: ServerId,
        /// The name, shortened and escaped.
        tool: String,
        /// The name that is nearest, if one is.
        nearest: Option<String>,
    },
    /// The definition of the tool is not the one that was approved, or there is none.
    #[error("the tool `{tool}` of `{server}` {}", if *.is_new { "is new since its server was approved" } else { "has changed since it was approved" })]
    Changed {
        /// The server.
        server: ServerId,
        /// The tool.
        tool: String,
        /// Whether the server had no tool of this name when it was approved.
        is_new: bool,
    },
    /// The arguments do not match the tool's schema.
    #[error("the arguments of `{tool}` are invalid: {fault}")]
    Arguments {
        /// The server.
        server: ServerId,
        /// The tool.
        tool: String,
        /// What is wrong, with its place.
        fault: String,
    },
    /// The server failed, and the call has had no effect or one that only reads.
    #[error(transparent)]
    Failed(Box<ServerError>),
    /// The server failed in the middle of a call that may have changed something.
    #[error("{0}; whether `{1}` has had its effect is unknown")]
    UnknownOutcome(Box<ServerError>, String),
    /// The tool says that it failed.
    #[error("the tool `{tool}` failed: {text}")]
    Tool {
        /// The tool.
        tool: String,
        /// Its text, bounded.
        text: String,
        /// What to do about it, where its bounds may be the reason.
        advice: Option<String>,
    },
    /// The result does not match what the tool declares, or is too large.
    #[error("the result of `{tool}` was refused: {fault}")]
    Result {
        /// The tool.
        tool: String,
        /// Why.
        fault: String,
    },
    /// What is known about tools cannot be read.
    #[error("{0}")]
    Store(String),
}

/// How long a server that ended or did not answer is left alone before a discovery is repeated.
const RETRY_DELAY: Duration = Duration::from_secs(30);

impl ToolError {
    /// A tool whose definition is not what was approved.
    #[must_use]
    pub fn changed(server: &ServerId, record: &DefinitionRecord) -> Self {
        let (server, tool) = (server.clone(), record.name.clone());
        ToolError::Changed { server, tool, is_new: record.approved_hash.is_empty() }
    }
}

/// The code of JSON-RPC for what went wrong inside of a server, perhaps after it had begun. The SDK gives it too, for an answer that is
/// lost with its session.
const INTERNAL_ERROR: i64 = -32_603;

impl ServerFault {
    /// Whether the server answered that it does not do what it was asked for.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, ServerFault::Error { code, .. } if *code != INTERNAL_ERROR)
    }

    /// What to do about it.
    #[must_use]
    pub fn next_action(&self) -> NextAction {
        match self {
            ServerFault::NotFound(_) => {
                NextAction::User("install the program, or correct `command` in the configuration".to_owned())
            }
            ServerFault::NotPermitted(_) => {
                NextAction::User("make the program executable, or correct `command` in the configuration".to_owned())
            }
            ServerFault::Unauthorized { .. } => {
                NextAction::User("correct its credential in the configuration, or add the one that it asks for: to `headers`, or as `token_env` or `token_file` with `auth` under `intentbox`".to_owned())
            }
            ServerFault::Credential(_) => NextAction::User("correct its credential in the configuration".to_owned()),
            ServerFault::Disabled { .. } => NextAction::User(
                "remove `\"disabled\": true` from its entry, or set `\"enabled\": true`".to_owned(),
            ),
            ServerFault::Invalid { .. } => NextAction::User("correct its entry, or set the variable".to_owned()),
            ServerFault::NotTrusted => NextAction::User("approve it with `intentbox tools trust`".to_owned()),
            ServerFault::NotStarted(_) => NextAction::User("see `intentbox doctor`".to_owned()),
            ServerFault::Error { .. }
            | ServerFault::Ended { .. }
            | ServerFault::TimedOut { .. }
            | ServerFault::Http(_) => NextAction::Retry(RETRY_DELAY),
            ServerFault::Resting { left, .. } => NextAction::Retry(*left),
            ServerFault::CutOff(_) | ServerFault::Protocol(_) | ServerFault::Listing(_) => NextAction::GiveUp,
        }
    }
}
