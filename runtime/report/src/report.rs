//! The report, which every surface presents in its own form.

use std::collections::BTreeMap;
use std::fmt;

use intentbox_capability::Access;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::failure::{Cause, Failure};
use crate::outcome::Outcome;
use crate::remedy::Remedy;
use crate::run_id::RunId;

/// The result of a request.
#[derive(Debug)]
pub struct Report {
    /// Which run it is about; a request that never became a run has an id as well.
    pub run_id: RunId,
    /// The answer, as the script's own JSON text.
    pub result: Option<Box<RawValue>>,
    /// What the script wrote to stdout.
    pub stdout: String,
    /// Whether stdout was truncated at its limit.
    pub stdout_truncated: bool,
    /// What the script wrote to stderr.
    pub stderr: String,
    /// Whether stderr was truncated at its limit.
    pub stderr_truncated: bool,
    /// Why it failed; nothing if it succeeded.
    pub failure: Option<Failure>,
    /// What ran, or would have.
    pub target: Option<Target>,
    /// The values for its parameters: complete where it ran, otherwise as far as they are known.
    pub arguments: Option<Value>,
    /// Those of them that are no defaults and no time, where a template ran: what was read from the words or given beside them.
    pub chosen: Option<Map<String, Value>>,
    /// Which time the answer is about, if its template looks at a window of time.
    pub window: Option<LookedAt>,
    /// Words of the intent that were taken for names that they are not.
    pub mended: Vec<Mended>,
    /// Words of the intent that may narrow what is asked for, and that the answer does not take into account.
    pub passed_over: Vec<String>,
    /// Names that the intent does not say, and that nothing else could be.
    pub inferred: Vec<Inferred>,
    /// Templates that came near, best first.
    pub candidates: Vec<Candidate>,
    /// How much of what can be asked the result lists, if the intent asked for that.
    pub listed: Option<Listed>,
    /// What the run was allowed to access; nothing if that was never computed.
    pub access: Option<Access>,
    /// What was refused on the way, also where the script went on.
    pub refusals: Vec<Refused>,
    /// What the run used; nothing where nothing ran.
    pub spent: Option<Spent>,
    /// A list of which the script read only the first pages.
    pub unread: Option<Unread>,
    /// Whether the answer came from the result cache.
    pub cached: bool,
    /// The calls of tools of upstream servers, in the order in which they began: at most [`TOOL_CALLS_MAX`], the first ones.
    /// [`Spent::tool_calls`] counts all.
    pub calls: Vec<ToolCall>,
    /// What may answer intents here; nothing for code.
    pub mode: Option<Mode>,
}

/// What may answer intents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// The stable name: `hybrid`, `code_execution` or `mcp_only`.
    pub name: &'static str,
    /// What is switched off besides: `fallback`, `discovery` or `learning`.
    pub without: Vec<&'static str>,
}

/// How many calls of tools a report lists.
pub const TOOL_CALLS_MAX: usize = 100;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// The server and the tool, as `git: git_log`.
    pub tool: String,
    /// The first 8 bytes of the SHA-256 of the arguments as the script gave them, in hexadecimal: it tells two calls apart, and
    /// not what they said.
    pub arguments_digest: String,
    /// How long it took in milliseconds, with the way there.
    pub ms: f64,
    /// `ok`, `refused`, `unfinished` where the run ended first, or a word such as `tool_failed`.
    pub outcome: &'static str,
}

/// A list of which only the first pages were read. Its text says that, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The list: a request without its query.
    pub request: String,
    /// How many rows there are in all, if the origin says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
}

impl fmt::Display for Inferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, the only one with {}", self.parameter, self.value, self.having.join(", "))
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.of.map(|of| format!(" ({of} in all)")).unwrap_or_default();
        let request = &self.request;
        write!(
            formatter,
            "{request} lists more than the script read{of}: follow `reply.links[\"next\"][\"url\"]`, or ask for more on a page"
        )
    }
}

/// Words that were taken for a name: a misspelled or an abbreviated one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mended {
    /// The words as they were said.
    pub said: String,
    /// The name.
    pub meant: String,
}

/// A name that nobody said, inferred since it alone has what was said: the file with the columns that are named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inferred {
    /// The parameter.
    pub parameter: String,
    /// The name.
    pub value: String,
    /// What was said and is there.
    pub having: Vec<String>,
}

/// How many of the templates that can be used here a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// How many it has.
    pub shown: usize,
    /// How many there are.
    pub of: usize,
}

/// The window of time that an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// In words, such as `2026-11-21, UTC`.
    pub words: String,
    /// Whether nobody said so, and the template's default holds: what is older is missing.
    pub is_default: bool,
}

impl fmt::Display for LookedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time: {}{}", self.words, if self.is_default { ", the default" } else { "" })
    }
}

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A template, by its id and the SHA-256 of its text.
    Template {
        /// The id, such as `sentry/list_errors`.
        id: String,
        /// The digest, in hexadecimal.
        digest: String,
        /// The tool of an upstream server that it was made for, as `git: git_log`; nothing for a template that was written.
        tool: Option<String>,
    },
    /// Code that the caller wrote.
    Code,
}

impl Target {
    /// The template's id, if it is one.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        match self {
            Target::Template { id, .. } => Some(id),
            Target::Code => None,
        }
    }

    /// The tool of an upstream server that it calls, if that is what it was made for.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Target::Template { tool, .. } => tool.as_deref(),
            Target::Code => None,
        }
    }
}

/// A template that an intent may have meant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// Its id.
    pub template: String,
    /// What it does.
    pub summary: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// The values that the sentence holds for it.
    pub values: BTreeMap<String, Value>,
    /// The parameters that it needs besides those.
    pub missing: Vec<String>,
    /// The names of what came beside the sentence that it does not take.
    pub not_taken: Vec<String>,
    /// The words of the sentence that it does not explain, where several fit.
    pub passes_over: Vec<String>,
    /// Whether it may change something, and so needs consent.
    pub writes: bool,
    /// All that it takes besides those that have a value; empty where the access that fits is not configured.
    pub takes: Vec<Takes>,
}

/// A parameter that a template takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Takes {
    /// Its name.
    pub name: String,
    /// Values that there are, the first of them; empty where any is allowed, or none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// How many values there are besides.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// A valid value, where its form is not plain, as that of a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

impl Takes {
    /// What a template takes in one line. Parameters one after the other that take the same are told together, as in `min/max (a|b)`.
    #[must_use]
    pub fn line(all: &[Self]) -> String {
        let forms = |takes: &Self| (takes.choices.clone(), takes.more, takes.example.clone());
        let groups = all.chunk_by(|one, next| forms(one) == forms(next) && one.has_form());
        let told = groups.map(|group| {
            let names: Vec<&str> = group.iter().map(|takes| takes.name.as_str()).collect();
            group.first().map(|first| format!("{}{}", names.join("/"), first.form())).unwrap_or_default()
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn has_form(&self) -> bool {
        self.example.is_some() || !self.choices.is_empty()
    }

    fn form(&self) -> String {
        match &self.example {
            Some(example) => format!(" (such as {example})"),
            None if self.choices.is_empty() => String::new(),
            None if self.more == 0 => format!(" ({})", self.choices.join("|")),
            None => format!(" ({}, and {} more)", self.choices.join("|"), self.more),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What was refused, and by which rule.
    pub message: String,
    /// What would allow it, if anything can.
    pub remedy: Option<Remedy>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Fuel units; 0 where the server could not complete the run, which tells its calls alone then.
    pub fuel: u64,
    /// The most linear memory it had, in bytes; 0 like `fuel`.
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
    /// Calls of tools of upstream servers.
    pub tool_calls: u64,
}

impl Spent {
    /// What is counted, for people: a name, the field, and the limit of a run that bounds it, if one does.
    pub const COUNTERS: [(&'static str, &'static str, &'static str); 10] = [
        ("Fuel", "fuel", "fuel"),
        ("Wall time, ms", "wall_ms", "wall_ms"),
        ("Memory, bytes", "memory_bytes_peak", "memory_bytes"),
        ("Host calls", "host_calls", "host_calls"),
        ("HTTP requests", "http_requests", ""),
        ("Bytes sent", "http_bytes_up", ""),
        ("Bytes received", "http_bytes_down", ""),
        ("File calls", "file_calls", ""),
        ("Bytes of files", "file_bytes", ""),
        ("Calls of tools", "tool_calls", ""),
    ];

    /// How many calls the host itself has counted, of every kind.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls_that_may_change() + self.file_calls
    }

    /// How many of them may have changed something, if the grants allow that.
    #[must_use]
    pub fn calls_that_may_change(&self) -> u64 {
        // Named one by one: whoever adds a counter has to say which it is.
        let Self {
            http_requests,
            tool_calls,
            http_bytes_up: _,
            http_bytes_down: _,
            file_calls: _,
            file_bytes: _,
            fuel: _,
            memory_bytes_peak: _,
            wall_ms: _,
            host_calls: _,
        } = *self;
        http_requests + tool_calls
    }
}

impl Report {
    /// The report of a request that worked, with nothing in it yet.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            result: None,
            stdout: String::new(),
            stdout_truncated: false,
            stderr: String::new(),
            stderr_truncated: false,
            failure: None,
            target: None,
            arguments: None,
            chosen: None,
            window: None,
            mended: Vec::new(),
            passed_over: Vec::new(),
            inferred: Vec::new(),
            candidates: Vec::new(),
            listed: None,
            access: None,
            refusals: Vec::new(),
            spent: None,
            unread: None,
            cached: false,
            calls: Vec::new(),
            mode: None,
        }
    }

    /// The report of a request that ended before anything ran.
    #[must_use]
    pub fn failed(run_id: RunId, failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::new(run_id) }
    }

    /// How it ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.failure.as_ref().map_or(Outcome::Ok, |failure| failure.cause.outcome())
    }

    /// The traceback to show beside the message, if it helps whoever reads it: they have to know the script, and the script
    /// must not have ended like this on purpose. A template that says what is wrong with a request, or what an origin or
    /// a tool answered, has said all that its caller can use. The JSON form has every traceback.
    #[must_use]
    pub fn traceback(&self) -> Option<&str> {
        let failure = self.failure.as_ref()?;
        let is_template = self.target.as_ref().and_then(Target::template).is_some();
        let is_said = match failure.cause {
            Cause::TargetNotFound | Cause::InputInvalid => true,
            Cause::CallFailed { .. } | Cause::UpstreamFailed | Cause::UpstreamChanged | Cause::UnknownOutcome => {
                is_template
            }
            _ => false,
        };
        failure.traceback.as_deref().filter(|_| !is_said)
    }

    /// The bytes of text in it that a script chose.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.result.as_ref().map_or(0, |result| result.get().len()) + self.stdout.len() + self.stderr.len()
    }

    /// Whether the answer involved an origin.
    #[must_use]
    pub fn has_asked(&self) -> bool {
        self.cached || self.spent.is_some_and(|spent| spent.http_requests > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_a_parameter_takes_says_how_much_is_left_out() {
        let takes = |name: &str, choices: &[&str], more, example: Option<&str>| {
            let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
            Takes { name: name.to_owned(), choices, more, example: example.map(str::to_owned) }
        };
        for (all, expected) in [
            (vec![takes("file", &[], 0, None)], "file"),
            (vec![takes("file", &["a", "b"], 0, None)], "file (a|b)"),
            (vec![takes("file", &["a", "b"], 5, None)], "file (a|b, and 5 more)"),
            (vec![takes("period", &[], 0, Some("24h"))], "period (such as 24h)"),
            (vec![takes("limit", &[], 0, None), takes("text", &[], 0, None)], "limit, text"),
            (
                vec![
                    takes("sum", &["a", "b"], 0, None),
                    takes("max", &["a", "b"], 0, None),
                    takes("by", &["a", "b"], 1, None),
                    takes("min", &["a", "b"], 0, None),
                ],
                "sum/max (a|b), by (a|b, and 1 more), min (a|b)",
            ),
        ] {
            assert_eq!(Takes::line(&all), expected);
        }
    }

    #[test]
    fn a_traceback_is_for_whoever_knows_the_script_and_for_what_it_did_not_say_itself() {
        let template = || Target::Template { id: "a/b".to_owned(), digest: String::new(), tool: None };
        let class = || "E".to_owned();
        for (cause, of_code, of_template) in [
            (Cause::Raised { class: class() }, true, true),
            (Cause::Refused { class: class() }, true, true),
            (Cause::CallFailed { class: class() }, true, false),
            (Cause::TargetNotFound, false, false),
            (Cause::InputInvalid, false, false),
        ] {
            for (target, is_shown) in [(Target::Code, of_code), (template(), of_template)] {
                let failure = Failure { traceback: Some("t".to_owned()), ..Failure::new(cause.clone(), "no") };
                let report = Report { target: Some(target), ..Report::failed(RunId::of(0), failure) };
                assert_eq!(report.traceback(), is_shown.then_some("t"), "{report:?}");
            }
        }
        assert_eq!(Report::new(RunId::of(0)).traceback(), None);
    }

    #[test]
    fn every_counter_is_told_to_people_by_its_field() {
        let fields = serde_json::to_value(Spent::default()).expect("it is an object");
        let fields: BTreeSet<&str> = fields.as_object().expect("it is an object").keys().map(String::as_str).collect();
        assert_eq!(BTreeSet::from(Spent::COUNTERS.map(|(_, field, _)| field)), fields);
    }

    #[test]
    fn calls_are_counted_by_whether_they_may_have_changed_something() {
        let spent = Spent { http_requests: 1, tool_calls: 2, file_calls: 4, host_calls: 8, ..Spent::default() };
        assert_eq!((spent.calls_that_may_change(), spent.calls()), (3, 7));
    }
}
