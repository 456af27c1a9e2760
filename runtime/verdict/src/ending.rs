//! How a run ended, as a value.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A finished run.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub ending: Ending,
    /// What the script wrote to stdout.
    pub stdout: Output,
    /// What the script wrote to stderr.
    pub stderr: Output,
    /// What it used.
    pub spent: Spent,
    /// Whether the process has run code of another owner.
    pub tenancy: Tenancy,
}

/// Whose code a process has run since it started. A script may take its process over, so an answer is only as trustworthy as
/// all code that ran there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tenancy {
    /// The operator's and the run's own owner's: nobody else could have influenced how it ended.
    Single,
    /// Code of another owner.
    Shared,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// With an answer: strict JSON text within the limits.
    Returned(Box<RawValue>),
    /// With an exception that left the script.
    Raised(Exception),
    /// The script is not Python.
    SyntaxError(Exception),
    /// The answer holds something that cannot be serialized to JSON.
    ResultInvalid {
        /// Where, such as `result[3]['when']`.
        path: String,
        /// What is there.
        reason: String,
    },
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The interpreter crashed. The script did it, and harmed nothing but its own run.
    Crashed {
        /// What the host saw, such as `unreachable`.
        reason: String,
    },
}

/// A limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted {
    /// Which.
    pub resource: Resource,
    /// The limit, in the resource's unit.
    pub limit: u64,
    /// What was reached when the run ended; for refused requests, what was asked for.
    pub observed: u64,
}

/// What can run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resource {
    /// Fuel.
    Fuel,
    /// Wall time, in milliseconds.
    WallMs,
    /// Linear memory, in bytes.
    MemoryBytes,
    /// The stack, in bytes.
    StackBytes,
    /// Bytes on stdout.
    StdoutBytes,
    /// Bytes on stderr.
    StderrBytes,
    /// Bytes of the answer.
    ResultBytes,
    /// Levels of the answer.
    ResultDepth,
    /// Calls to the host.
    HostCalls,
    /// HTTP requests.
    HttpRequests,
    /// Bytes sent over HTTP.
    HttpBytesUp,
    /// Bytes received over HTTP.
    HttpBytesDown,
}

impl Resource {
    /// The name, unit included.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Resource::Fuel => "fuel",
            Resource::WallMs => "wall_ms",
            Resource::MemoryBytes => "memory_bytes",
            Resource::StackBytes => "stack_bytes",
            Resource::StdoutBytes => "stdout_bytes",
            Resource::StderrBytes => "stderr_bytes",
            Resource::ResultBytes => "result_bytes",
            Resource::ResultDepth => "result_depth",
            Resource::HostCalls => "host_calls",
            Resource::HttpRequests => "http_requests",
            Resource::HttpBytesUp => "http_bytes_up",
            Resource::HttpBytesDown => "http_bytes_down",
        }
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, limit, observed) = (self.resource.name(), self.limit, self.observed);
        write!(f, "{name}: the limit is {limit}, the run reached {observed}")
    }
}

/// An exception that left the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// The class, such as `ValueError`.
    pub class: String,
    /// Its text.
    pub message: String,
    /// As Python prints it.
    pub traceback: String,
    /// What to do about it, as the script says; empty where it says nothing.
    pub hint: String,
    /// Where the guest says it came from.
    pub cause: intentbox_abi::Cause,
}

/// What a script wrote to one stream. Broken UTF-8 shows as U+FFFD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub text: String,
    /// Whether the limit cut it.
    pub truncated: bool,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Fuel.
    pub fuel: u64,
    /// The most linear memory it had, in bytes, the interpreter's own included.
    pub memory_bytes_peak: u64,
    /// From start to answer.
    pub wall: Duration,
    /// Calls to the host.
    pub host_calls: u64,
}
