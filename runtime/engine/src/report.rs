//! The one answer that every surface gives, in its own form.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use intentbox_sandbox::{Ended, Ending, Exception, Exhausted, Resource, Spent as RunSpent, abi::Cause, limits};

use crate::outcome::Outcome;

/// What became of a request. Serialized, this is the `--json` object.
#[derive(Debug, Serialize)]
pub struct Report {
    /// How it ended.
    #[serde(serialize_with = "name_of")]
    pub outcome: Outcome,
    /// The answer, as the script's own JSON text; `null` when there is none.
    pub result: Option<Box<RawValue>>,
    /// What the script wrote to stdout.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    /// Whether stdout was cut at its limit.
    #[serde(skip_serializing_if = "is_false")]
    pub stdout_truncated: bool,
    /// What the script wrote to stderr.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// Whether stderr was cut at its limit.
    #[serde(skip_serializing_if = "is_false")]
    pub stderr_truncated: bool,
    /// Why it is not `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// Which template answered, with which arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// What the run was allowed to reach: `alias: METHODS /path` lines, and `alias: READ` for directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Vec<String>>,
    /// What was refused on the way, also where the script went on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refused>,
    /// What the run used; absent when nothing ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// Whether the answer came from the result cache.
    pub cached: bool,
    /// 128 random bits in hex.
    pub run_id: String,
}

/// What went wrong, for a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A stable word: an exception class, a limit, a kind of failure.
    pub kind: String,
    /// What happened and which rule says so.
    pub message: String,
    /// Python's traceback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// What would change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Where an intent went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Route {
    /// The template's id, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Its arguments, complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<serde_json::Value>,
    /// Templates that came near, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

/// A template that an intent may have meant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Its id.
    pub template: String,
    /// What it does.
    pub summary: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// A refused call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// What was refused, and by which rule.
    pub message: String,
    /// The line that would allow it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Fuel units.
    pub fuel: u64,
    /// The most linear memory it had, in bytes.
    pub memory_bytes_peak: u64,
    /// From start to answer, in milliseconds.
    pub wall_ms: f64,
    /// Calls to the host.
    pub host_calls: u64,
    /// HTTP requests.
    pub http_requests: u64,
    /// Bytes sent.
    pub http_bytes_up: u64,
    /// Bytes received, decompressed.
    pub http_bytes_down: u64,
    /// Listings and pieces of files asked for.
    pub file_calls: u64,
    /// Bytes of files read.
    pub file_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Report {
    /// The report of an answer that is served again: nothing ran for it.
    pub(crate) fn cached(result: Option<Box<RawValue>>, stdout: String) -> Report {
        Report {
            outcome: Outcome::Ok,
            result,
            stdout,
            stdout_truncated: false,
            stderr: String::new(),
            stderr_truncated: false,
            error: None,
            route: None,
            grant: None,
            refusals: Vec::new(),
            spent: None,
            cached: true,
            run_id: run_id(),
        }
    }

    /// A report of a request that ended before anything ran.
    #[must_use]
    pub fn without_run(outcome: Outcome, problem: Problem) -> Report {
        Report {
            outcome,
            result: None,
            stdout: String::new(),
            stdout_truncated: false,
            stderr: String::new(),
            stderr_truncated: false,
            error: Some(problem),
            route: None,
            grant: None,
            refusals: Vec::new(),
            spent: None,
            cached: false,
            run_id: run_id(),
        }
    }

    /// The report of a finished run; what it refused and spent outside is added by the engine.
    pub(crate) fn of_run(ended: Ended, refusals: Vec<Refused>, http: Spent) -> Report {
        let mut result = None;
        let (outcome, error) = match ended.ending {
            Ending::Returned(json) => {
                result = Some(json);
                (Outcome::Ok, None)
            }
            Ending::Raised(exception) => raised(exception, &refusals, http.http_requests + http.file_calls),
            Ending::SyntaxError(exception) => {
                let hint = at_top_level(&exception.message);
                (Outcome::SyntaxError, Some(problem(exception, hint)))
            }
            Ending::ResultInvalid { path, reason } => (
                Outcome::ResultInvalid,
                Some(Problem {
                    kind: "result_invalid".to_owned(),
                    message: format!("{path} is a {reason}, which JSON cannot say"),
                    traceback: None,
                    hint: Some(
                        "make it a str, number, list or dict before it becomes the result (str(x), list(x))".to_owned(),
                    ),
                }),
            ),
            Ending::Exhausted(exhausted) => (outcome_of(exhausted.resource), Some(exhaustion(exhausted, &http))),
            Ending::Crashed { reason } => (
                Outcome::GuestTrap,
                Some(Problem {
                    kind: "guest_trap".to_owned(),
                    message: format!("the interpreter crashed: {reason}"),
                    traceback: None,
                    hint: Some("only this run is affected; simplify what the script last did".to_owned()),
                }),
            ),
        };
        Report {
            outcome,
            result,
            stdout: ended.stdout.text,
            stdout_truncated: ended.stdout.truncated,
            stderr: ended.stderr.text,
            stderr_truncated: ended.stderr.truncated,
            error,
            route: None,
            grant: None,
            refusals,
            spent: Some(http.with(ended.spent)),
            cached: false,
            run_id: run_id(),
        }
    }
}

impl Spent {
    fn with(self, run: RunSpent) -> Spent {
        Spent {
            fuel: run.fuel,
            memory_bytes_peak: run.memory_bytes_peak,
            wall_ms: (run.wall.as_secs_f64() * 1e6).round() / 1e3,
            host_calls: run.host_calls,
            ..self
        }
    }
}

/// The guest says where an exception came from; it is believed only if the host knows of such a call: one that it
/// refused, or one that it was asked for.
fn raised(exception: Exception, refusals: &[Refused], calls: u64) -> (Outcome, Option<Problem>) {
    match (exception.cause, refusals.last()) {
        (Cause::Refused, Some(refused)) => (Outcome::CapabilityDenied, Some(problem(exception, refused.hint.clone()))),
        (Cause::CallFailed, _) if calls > 0 => {
            let hint = status_of(&exception.message).and_then(about_status);
            (Outcome::HostCallFailed, Some(problem(exception, hint.map(str::to_owned))))
        }
        (Cause::Script | Cause::Exit | Cause::Refused | Cause::CallFailed, _) => {
            (Outcome::PythonError, Some(problem(exception, None)))
        }
    }
}

fn problem(exception: Exception, hint: Option<String>) -> Problem {
    let Exception { class, message, traceback, .. } = exception;
    let hint = hint.or_else(|| match class.as_str() {
        // Where the sandbox knows the module it has said what to use already.
        "ModuleNotFoundError" if message.starts_with("No module named") => Some(without_module(&message)),
        "RecursionError" => Some(LESS_DEEP.to_owned()),
        "NameError" => import_of(&message),
        // The number is that of the script's own files: what a granted directory misses is told without one.
        "FileNotFoundError" if message.starts_with("[Errno 44]") => Some(
            "`open` finds the script's own files only: granted directories are read with files.open(\"alias:name\")"
                .to_owned(),
        ),
        "EOFError" if message == "EOF when reading a line" => {
            Some("there is nobody to ask: values come in `params`".to_owned())
        }
        "MemoryError" => Some("raise `memory_bytes`, or hold less at a time".to_owned()),
        _ => None,
    });
    let traceback = Some(traceback).filter(|text| !text.is_empty());
    Problem { kind: class, message, traceback, hint }
}

/// The status of an error reply, in the words of `http` (`… answered 401: …`), of `requests` (`401 Client Error: …`) or of
/// `urllib.request` (`HTTP Error 401: …`).
fn status_of(message: &str) -> Option<u16> {
    let told = message.split_once(" answered ").map_or(message, |(_, told)| told);
    let told = told.strip_prefix("HTTP Error ").unwrap_or(told);
    let end = told.find(|character: char| !character.is_ascii_digit())?;
    let (digits, rest) = told.split_at(end);
    let is_told = rest.starts_with(':') || rest.starts_with(" Client Error") || rest.starts_with(" Server Error");
    digits.parse().ok().filter(|_| is_told)
}

/// What to do about an error reply, where the status alone says it.
fn about_status(status: u16) -> Option<&'static str> {
    match status {
        401 => Some(
            "the origin wants a token, or another one: set it in config.toml, and `intentbox doctor` tries it at the origin's `check` path",
        ),
        403 => Some("the origin does not allow this: the token may lack a right, or the origin may block who asks"),
        429 => Some("the origin limits how often it is asked: ask for less, or again later"),
        500..=599 => Some("the origin is in trouble: try again later"),
        _ => None,
    }
}

/// What to do about too many requests, or too much in them.
const FEWER_REQUESTS: &str = "ask for less: larger pages, fewer requests, narrower queries";

/// What to do about too many listings and pieces of files.
const FEWER_FILE_CALLS: &str =
    "read less: fewer files, and each once and from its start to its end, since a call brings up to 1 MiB of one file";

/// What to do about a stack that ran out, Python's own or the interpreter's.
const LESS_DEEP: &str = "recurse less deeply: a loop with a list of its own has no such limit";

/// What to write instead of what belongs into a function: scripts are written as if they were one.
fn at_top_level(message: &str) -> Option<String> {
    let instead = if message.contains("'return' outside function") {
        "assign the answer to `result`, as in `result = 1 + 1`"
    } else if message.contains("'await' outside function") {
        "put it into `async def main():`, and run that with `asyncio.run(main())`"
    } else {
        return None;
    };
    Some(instead.to_owned())
}

/// The import that is missing, where an unknown name is that of a module which scripts use as if it were there.
fn import_of(message: &str) -> Option<String> {
    const MODULES: [&str; 16] = [
        "asyncio",
        "base64",
        "collections",
        "csv",
        "datetime",
        "hashlib",
        "io",
        "itertools",
        "json",
        "math",
        "os",
        "random",
        "re",
        "requests",
        "sys",
        "time",
    ];
    let name = message.split('\'').nth(1)?;
    MODULES.contains(&name).then(|| format!("write `import {name}` first"))
}

/// What there is where a module is not: the nearest that the sandbox has, by the name in Python's message.
fn without_module(message: &str) -> String {
    let named = message.split('\'').nth(1).unwrap_or_default();
    let instead = match named.split('.').next().unwrap_or_default() {
        "pycurl" | "treq" => "use `requests`",
        "pandas" | "polars" | "numpy" | "scipy" => "use `csv`, `statistics`, `math` and lists of dicts",
        "bs4" | "html5lib" => "use `html.parser` or `re`",
        "lxml" | "defusedxml" => "use `xml.etree.ElementTree` or `html.parser`",
        "yaml" | "toml" => "use `json` or `tomllib`",
        "dateutil" | "pytz" | "arrow" | "pendulum" => "use `datetime`",
        "orjson" | "ujson" | "simplejson" => "use `json`",
        "pydantic" | "attr" | "attrs" => "use `dataclasses`",
        "regex" => "use `re`",
        _ => "do without it",
    };
    format!("the sandbox has Python's standard library, `http`, `requests` and `files`, nothing else: {instead}")
}

fn outcome_of(resource: Resource) -> Outcome {
    match resource {
        Resource::Fuel => Outcome::FuelExhausted,
        Resource::WallMs => Outcome::DeadlineExceeded,
        Resource::MemoryBytes => Outcome::MemoryLimit,
        Resource::StackBytes => Outcome::StackOverflow,
        Resource::StdoutBytes | Resource::StderrBytes => Outcome::OutputLimit,
        Resource::ResultBytes | Resource::ResultDepth => Outcome::ResultLimit,
        Resource::HostCalls | Resource::HttpRequests | Resource::HttpBytesUp | Resource::HttpBytesDown => {
            Outcome::HostCallLimit
        }
    }
}

fn exhaustion(exhausted: Exhausted, calls: &Spent) -> Problem {
    let raise = |bounds: limits::Bounds| format!("raise the limit (at most {}) or do less in one run", bounds.most);
    let hint = match exhausted.resource {
        Resource::Fuel => raise(limits::FUEL),
        Resource::WallMs => raise(limits::WALL_MS),
        Resource::MemoryBytes => raise(limits::MEMORY_BYTES),
        Resource::StackBytes => LESS_DEEP.to_owned(),
        Resource::StdoutBytes | Resource::StderrBytes => "print less; return the answer as `result`".to_owned(),
        Resource::ResultBytes | Resource::ResultDepth => {
            "return less: the fields and rows that are needed, or a summary".to_owned()
        }
        Resource::HostCalls => {
            let instead = if calls.file_calls > calls.http_requests { FEWER_FILE_CALLS } else { FEWER_REQUESTS };
            format!("raise `host_calls` (at most {}), or {instead}", limits::HOST_CALLS.most)
        }
        Resource::HttpRequests | Resource::HttpBytesUp | Resource::HttpBytesDown => FEWER_REQUESTS.to_owned(),
    };
    Problem {
        kind: exhausted.resource.name().to_owned(),
        message: exhausted.to_string(),
        traceback: None,
        hint: Some(hint),
    }
}

/// 128 random bits: an id that nobody can guess.
fn run_id() -> String {
    let mut bytes = [0; 16];
    // Without randomness an id of zeros is still an id; the runs themselves refuse to start.
    let _ = getrandom::fill(&mut bytes);
    format!("{:032x}", u128::from_le_bytes(bytes))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn name_of<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(outcome.terms().name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_out_of_host_calls_is_advised_on_by_what_the_calls_were() {
        let hint = |resource, http_requests, file_calls| {
            let exhausted = Exhausted { resource, limit: 1_000, observed: 1_001 };
            exhaustion(exhausted, &Spent { http_requests, file_calls, ..Spent::default() }).hint.expect("it has one")
        };
        let raise = "raise `host_calls` (at most 1000000), or ";
        assert_eq!(hint(Resource::HostCalls, 2, 3), format!("{raise}{FEWER_FILE_CALLS}"));
        assert_eq!(hint(Resource::HostCalls, 3, 3), format!("{raise}{FEWER_REQUESTS}"));
        assert_eq!(hint(Resource::HttpRequests, 2, 3), FEWER_REQUESTS);
    }

    #[test]
    fn an_exception_is_advised_on_where_the_sandbox_is_not_what_was_expected() {
        let hint = |class: &str, message: &str| {
            let cause = Cause::Script;
            let exception =
                Exception { class: class.to_owned(), message: message.to_owned(), traceback: String::new(), cause };
            problem(exception, None).hint
        };
        let own =
            "`open` finds the script's own files only: granted directories are read with files.open(\"alias:name\")";
        let missing = "[Errno 44] No such file or directory (os error 44): 'data.csv'";
        assert_eq!(hint("FileNotFoundError", missing).as_deref(), Some(own));
        assert_eq!(hint("FileNotFoundError", "[Errno 2] there is no such file or folder: 'data:x'"), None);
        let nobody = "there is nobody to ask: values come in `params`";
        assert_eq!(hint("EOFError", "EOF when reading a line").as_deref(), Some(nobody));
        assert_eq!(hint("EOFError", "compressed file ended"), None);
        assert_eq!(hint("MemoryError", "").as_deref(), Some("raise `memory_bytes`, or hold less at a time"));
    }

    #[test]
    fn an_error_reply_is_advised_on_by_its_status() {
        let token = "the origin wants a token, or another one: set it in config.toml, and `intentbox doctor` tries it at the origin's `check` path";
        for (message, hint) in [
            ("sentry:/api/0/projects/ answered 401: {\"detail\": \"Invalid token\"}", Some(token)),
            ("401 Client Error: Unauthorized for url: sentry:/api/0/projects/", Some(token)),
            (
                "sentry:/x answered 429: slow down",
                Some("the origin limits how often it is asked: ask for less, or again later"),
            ),
            ("HTTP Error 401: Unauthorized", Some(token)),
            ("503 Server Error: Unavailable for url: sentry:/x", Some("the origin is in trouble: try again later")),
            // What the path names is for whoever wrote it.
            ("sentry:/x answered 404: not found", None),
            ("404 Client Error: Not Found for url: sentry:/x", None),
            ("sentry: connection refused", None),
            ("401", None),
            ("401 of 402 rows", None),
            ("99999999999 Client Error: x", None),
            ("", None),
        ] {
            assert_eq!(status_of(message).and_then(about_status), hint, "{message}");
        }
    }
}
