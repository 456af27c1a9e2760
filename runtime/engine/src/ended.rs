//! Turns the ending of a run into its report: the cause of a failure, and what to do about it.

use intentbox_catalog::terminal::printable;
use intentbox_report::{Cause, Failure, Outcome, Refused, Remedy, Report, RunId, ScriptAdvice, Spent};
use intentbox_sandbox::abi::Cause as Raiser;
use intentbox_sandbox::{Ended, Ending, Exception, Exhausted, Resource, Spent as RunSpent, limits};

use crate::script_advice;

/// The longest message or hint of a script that rejects a request, in characters: some five lines of a terminal.
const CLAIM_CHARS_MAX: usize = 500;

/// What the host knows of a run besides its ending: its own record of the run's calls.
#[derive(Debug, Default)]
pub(crate) struct HostRecord {
    /// What was refused.
    pub(crate) refusals: Vec<Refused>,
    /// What requests and files cost.
    pub(crate) spent: Spent,
    /// The status of the last reply, if it was an error.
    pub(crate) error_status: Option<u16>,
    /// The alias of the origin that the last request could not reach.
    pub(crate) unreachable: Option<String>,
    /// Why the last call of a tool failed that did.
    pub(crate) tool_failure: Option<Failure>,
}

/// The report of a run that came to an end.
pub(crate) fn of_run(id: RunId, ended: Ended, record: HostRecord) -> Report {
    let mut report = Report::new(id);
    report.failure = match ended.ending {
        Ending::Returned(json) => {
            report.result = Some(json);
            None
        }
        Ending::Raised(exception) => Some(raised(exception, &record)),
        Ending::SyntaxError(exception) => {
            let advice = script_advice::about_syntax(&exception.message, &exception.traceback);
            let cause = Cause::Syntax { class: exception.class.clone() };
            Some(of_exception(cause, exception, advice.map(Remedy::Script)))
        }
        Ending::ResultInvalid { path, reason } => {
            let message = format!("{path} is a {reason} and cannot be serialized to JSON");
            Some(Failure::new(Cause::ResultInvalid, message).with(Remedy::Script(ScriptAdvice::ConvertResult)))
        }
        Ending::Exhausted(exhausted) => Some(exhaustion(exhausted, &record.spent)),
        Ending::Crashed { reason } => {
            let message = format!("the interpreter crashed: {reason}");
            Some(Failure::new(Cause::Crashed, message).with(Remedy::Script(ScriptAdvice::Simplify)))
        }
    };
    report.stdout = ended.stdout.text;
    report.stdout_truncated = ended.stdout.truncated;
    report.stderr = ended.stderr.text;
    report.stderr_truncated = ended.stderr.truncated;
    report.refusals = record.refusals;
    report.spent = Some(all_spent(record.spent, ended.spent));
    report
}

fn all_spent(record: Spent, run: RunSpent) -> Spent {
    Spent {
        fuel: run.fuel,
        memory_bytes_peak: run.memory_bytes_peak,
        wall_ms: (run.wall.as_secs_f64() * 1e6).round() / 1e3,
        host_calls: run.host_calls,
        ..record
    }
}

/// The guest reports where an exception came from. The host believes that it came from a call only if it knows of one that
/// it refused, or that it was asked for. That a request is invalid, or names what does not exist, is the script's own claim,
/// as a result is: any script may make it, and the host bounds its text.
fn raised(exception: Exception, record: &HostRecord) -> Failure {
    let class = exception.class.clone();
    match (exception.cause, record.refusals.last()) {
        (Raiser::Refused, Some(refused)) => of_exception(Cause::Refused { class }, exception, refused.remedy.clone()),
        (Raiser::CallFailed, _) if record.spent.calls() > 0 => {
            // The exception of the last call that failed: what the host knows of it is more than its text.
            if let Some(failure) = record.tool_failure.as_ref().filter(|failure| failure.message == exception.message) {
                let traceback = Some(exception.traceback).filter(|text| !text.is_empty());
                return Failure { traceback, ..failure.clone() };
            }
            let status = record.error_status.filter(|status| matches!(status, 401 | 403 | 404 | 429 | 500..=599));
            let remedy = status.map(|status| Remedy::Origin { status });
            let unreachable = record.unreachable.clone().map(|origin| Remedy::Unreachable { origin });
            let remedy = remedy.or(unreachable);
            of_exception(Cause::CallFailed { class }, exception, remedy)
        }
        (Raiser::NotFound, _) => claimed(Cause::TargetNotFound, &exception, "what was asked for does not exist"),
        (Raiser::Invalid, _) => claimed(Cause::InputInvalid, &exception, "what was given cannot be used"),
        (Raiser::Script | Raiser::Exit | Raiser::Refused | Raiser::CallFailed, _) => {
            of_exception(Cause::Raised { class }, exception, None)
        }
    }
}

fn of_exception(cause: Cause, exception: Exception, remedy: Option<Remedy>) -> Failure {
    let Exception { class, message, traceback, .. } = exception;
    let remedy = remedy.or_else(|| script_advice::about(&class, &message));
    Failure { cause, message, traceback: Some(traceback).filter(|text| !text.is_empty()), remedy }
}

/// The failure of a script that rejects a request, in one line; `otherwise` is the message of one that says nothing.
fn claimed(cause: Cause, exception: &Exception, otherwise: &str) -> Failure {
    let message = one_line(&exception.message);
    let message = if message.is_empty() { otherwise.to_owned() } else { message };
    let traceback = Some(exception.traceback.clone()).filter(|text| !text.is_empty());
    Failure { traceback, ..Failure::new(cause, message) }.with_text(one_line(&exception.hint))
}

/// A text of a script in one line that is safe to print and has at most [`CLAIM_CHARS_MAX`] characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = printable(&words.join(" "));
    if let Some((cut, _)) = line.char_indices().nth(CLAIM_CHARS_MAX) {
        // The mark is one of the characters.
        let end = line[..cut].char_indices().next_back().map_or(0, |(last, _)| last);
        line.truncate(end);
        line.push('…');
    }
    line
}

fn exhaustion(exhausted: Exhausted, calls: &Spent) -> Failure {
    let script = Remedy::Script;
    let (outcome, remedy) = match exhausted.resource {
        Resource::Fuel => (Outcome::FuelExhausted, raise(limits::FUEL, None)),
        Resource::WallMs => (Outcome::DeadlineExceeded, raise(limits::WALL_MS, None)),
        Resource::MemoryBytes => (Outcome::MemoryLimit, raise(limits::MEMORY_BYTES, None)),
        Resource::StackBytes => (Outcome::StackOverflow, script(ScriptAdvice::RecurseLess)),
        Resource::StdoutBytes | Resource::StderrBytes => (Outcome::OutputLimit, script(ScriptAdvice::PrintLess)),
        Resource::ResultBytes | Resource::ResultDepth => (Outcome::ResultLimit, script(ScriptAdvice::ReturnLess)),
        Resource::HostCalls => {
            let mostly_files = calls.file_calls > calls.http_requests;
            let instead = if mostly_files { ScriptAdvice::FewerFileCalls } else { ScriptAdvice::FewerRequests };
            (Outcome::HostCallLimit, raise(limits::HOST_CALLS, Some(instead)))
        }
        Resource::HttpRequests | Resource::HttpBytesUp | Resource::HttpBytesDown => {
            (Outcome::HostCallLimit, script(ScriptAdvice::FewerRequests))
        }
    };
    let cause = Cause::Exhausted { limit: exhausted.resource.name(), outcome };
    Failure::new(cause, exhausted.to_string()).with(remedy)
}

/// Raising a limit, or changing the script.
pub(crate) fn raise(bounds: limits::Bounds, instead: Option<ScriptAdvice>) -> Remedy {
    Remedy::RaiseLimit { limit: bounds.name, most: bounds.most, instead }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_out_of_host_calls_is_advised_on_by_what_the_calls_were() {
        let remedy = |resource, http_requests, file_calls| {
            let exhausted = Exhausted { resource, limit: 1_000, observed: 1_001 };
            exhaustion(exhausted, &Spent { http_requests, file_calls, ..Spent::default() }).remedy
        };
        let raised = |instead| Some(raise(limits::HOST_CALLS, Some(instead)));
        assert_eq!(remedy(Resource::HostCalls, 2, 3), raised(ScriptAdvice::FewerFileCalls));
        assert_eq!(remedy(Resource::HostCalls, 3, 3), raised(ScriptAdvice::FewerRequests));
        assert_eq!(remedy(Resource::HttpRequests, 2, 3), Some(Remedy::Script(ScriptAdvice::FewerRequests)));
    }

    /// A script can raise any text: what an origin replied is for the host to know.
    #[test]
    fn a_failed_call_is_advised_on_by_the_reply_that_the_host_saw() {
        let seen = |raiser, http_requests, error_status, unreachable: Option<&str>| {
            let message = "sentry:/x answered 401: no".to_owned();
            let (class, traceback, hint) = ("HttpError".to_owned(), String::new(), String::new());
            let exception = Exception { class, message, traceback, hint, cause: raiser };
            let spent = Spent { http_requests, ..Spent::default() };
            let unreachable = unreachable.map(str::to_owned);
            raised(exception, &HostRecord { spent, error_status, unreachable, ..HostRecord::default() }).remedy
        };
        let remedy = |raiser, requests, status| seen(raiser, requests, status, None);
        let unreachable = Remedy::Unreachable { origin: "shop".to_owned() };
        assert_eq!(seen(Raiser::CallFailed, 1, None, Some("shop")), Some(unreachable));
        assert_eq!(seen(Raiser::Script, 1, None, Some("shop")), None, "another exception ended the script");
        for (status, has_remedy) in [(400, false), (401, true), (403, true), (404, true), (429, true), (500, true)] {
            let expected = has_remedy.then_some(Remedy::Origin { status });
            assert_eq!(remedy(Raiser::CallFailed, 1, Some(status)), expected, "{status}");
        }
        assert_eq!(remedy(Raiser::CallFailed, 1, None), None);
        assert_eq!(remedy(Raiser::CallFailed, 0, Some(401)), None, "no call was made");
        assert_eq!(remedy(Raiser::Script, 1, Some(401)), None, "another exception ended the script");
    }

    #[test]
    fn a_script_that_rejects_a_request_is_quoted_in_one_bounded_line() {
        let failure = |cause, message: &str, hint: &str| {
            let exception = Exception {
                class: "NotFound".to_owned(),
                message: message.to_owned(),
                traceback: "Traceback\n".to_owned(),
                hint: hint.to_owned(),
                cause,
            };
            raised(exception, &HostRecord::default())
        };
        let expected = |cause, message: &str, hint: Option<&str>| Failure {
            cause,
            message: message.to_owned(),
            traceback: Some("Traceback\n".to_owned()),
            remedy: hint.map(|hint| Remedy::Text(hint.to_owned())),
        };
        for (raiser, message, hint, expected) in [
            (Raiser::NotFound, "no a", "name b", expected(Cause::TargetNotFound, "no a", Some("name b"))),
            (Raiser::Invalid, "no numbers", "", expected(Cause::InputInvalid, "no numbers", None)),
            (
                Raiser::NotFound,
                " a\n\tb\x1b[2J\u{202e} ",
                "\r\n",
                expected(Cause::TargetNotFound, "a b\\u{1b}[2J\\u{202e}", None),
            ),
            (Raiser::NotFound, "", "", expected(Cause::TargetNotFound, "what was asked for does not exist", None)),
            (Raiser::Invalid, "\n", "", expected(Cause::InputInvalid, "what was given cannot be used", None)),
        ] {
            assert_eq!(failure(raiser, message, hint), expected, "{message:?}");
        }
        for (length, kept) in [(CLAIM_CHARS_MAX, CLAIM_CHARS_MAX), (CLAIM_CHARS_MAX + 1, CLAIM_CHARS_MAX - 1)] {
            let text = "ü".repeat(length);
            let cut = "ü".repeat(kept) + if kept < length { "…" } else { "" };
            assert_eq!(failure(Raiser::Invalid, &text, &text), expected(Cause::InputInvalid, &cut, Some(&cut)));
        }
    }
}
