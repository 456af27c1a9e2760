//! The one place that prints: answers and reports, for people or as JSON, and notices.

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdout};
use std::process::ExitCode;

use anyhow::Context as _;
use intentbox_engine::{Outcome, Remedy, Report, Target, Wire};
use serde_json::Value;

pub(crate) use intentbox_catalog::terminal::{printable, printable_json};

use crate::answer::{Answer, Ending};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::table;
use crate::words::{by_name, unlisted, words};

/// Prints the answer of one command, once.
#[derive(Debug)]
pub(crate) struct Show {
    json: bool,
    /// Whether stdout has its object already, or belongs to a protocol: then nothing but a failure is printed, and on stderr.
    stdout_is_taken: bool,
}

/// Who wrote a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Author {
    /// A template, or the caller's own script.
    Ours,
    /// A tool of an upstream server.
    Stranger,
}

impl Show {
    /// For a command with `--json` or without.
    pub(crate) fn new(json: bool) -> Self {
        Self { json, stdout_is_taken: false }
    }

    /// Prints no object on stdout from here on: a protocol is spoken there.
    pub(crate) fn leave_stdout(&mut self) {
        self.stdout_is_taken = true;
    }

    /// Prints a part of the text of an answer before the rest is known. Programs get everything at the end.
    pub(crate) fn early(&self, text: &str) -> Result<(), CommandError> {
        if self.json { Ok(()) } else { to_stdout(&printable(text)) }
    }

    /// Prints a step of a command that takes long, for people: programs get everything at the end.
    pub(crate) fn progress(&self, text: &str) {
        if !self.json {
            notice(&line(text));
        }
    }

    /// Prints the answer of a command that goes on, as a server does.
    pub(crate) fn ready(&mut self, answer: &Answer) -> Result<(), CommandError> {
        self.verb(answer)?;
        self.leave_stdout();
        Ok(())
    }

    /// Prints how the command ended, and gives its exit code.
    pub(crate) fn end(&self, ended: Result<Ending, CommandError>) -> ExitCode {
        let ending = ended.unwrap_or_else(|error| Ending::Verb(error.into()));
        let (exit, printed) = match &ending {
            Ending::Run(report) => {
                let by_tool = report.target.as_ref().is_some_and(|target| target.tool().is_some());
                let author = if by_tool { Author::Stranger } else { Author::Ours };
                (report.outcome().terms().exit, self.run(report, author))
            }
            Ending::ToolCall(report) => (report.outcome().terms().exit, self.run(report, Author::Stranger)),
            Ending::Verb(answer) => (answer.exit(), self.verb(answer)),
        };
        match printed {
            Ok(()) => ExitCode::from(exit),
            Err(error) => self.unprinted(error),
        }
    }

    /// Prints what the command line asked about itself: the help or the version. It is text also with `--json`.
    pub(crate) fn help(&self, help: &clap::Error) -> ExitCode {
        let printed = help.print().and_then(|()| stdout().flush());
        match unless_closed(printed) {
            Ok(()) => ExitCode::from(u8::try_from(help.exit_code()).unwrap_or(Class::Usage.exit())),
            Err(error) => self.unprinted(error),
        }
    }

    fn verb(&self, answer: &Answer) -> Result<(), CommandError> {
        if !self.json {
            let written = to_stdout(&printable(answer.text()));
            to_stderr(&printable(&answer.messages()));
            return written;
        }
        if !self.stdout_is_taken {
            return to_stdout(&object_of(answer));
        }
        if !answer.is_ok() {
            to_stderr(&object_of(answer));
        }
        Ok(())
    }

    fn run(&self, report: &Report, author: Author) -> Result<(), CommandError> {
        if self.json {
            return to_stdout(&as_json(report));
        }
        let mut text = printable(&report.stdout);
        if let Some(result) = &report.result {
            let shown = table::shown(result.get());
            // On a terminal, where it could look like a hint of this program.
            let is_told_apart = author == Author::Stranger && stdout().is_terminal();
            text.push_str(&if is_told_apart { indented(&shown) } else { shown });
        }
        let mut messages = printable(&report.stderr);
        explain(report, &mut messages);
        let written = to_stdout(&text);
        to_stderr(&messages);
        written
    }

    /// Says that the answer is lost.
    fn unprinted(&self, error: CommandError) -> ExitCode {
        let answer = Answer::from(error);
        if self.json {
            to_stderr(&object_of(&answer));
        } else {
            to_stderr(&printable(&answer.messages()));
        }
        ExitCode::from(answer.exit())
    }
}

/// Prints a line for people that is no part of an answer.
pub(crate) fn notice(text: &str) {
    to_stderr(&format!("{}\n", printable(text)));
}

/// The same lines with two blanks before each: nothing that this program says itself has them.
fn indented(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// Says that what answers is the demo.
pub(crate) fn demo() {
    notice("demo data: no configuration found, so a built-in error tracker answers");
}

/// Text from outside in one line of a terminal: a key, a cell.
pub(crate) fn line(text: &str) -> String {
    printable(text).replace('\n', "⏎").replace('\t', "⇥")
}

/// A number of things, such as `1 case` or `2 cases`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

fn to_stdout(text: &str) -> Result<(), CommandError> {
    let mut out = stdout().lock();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn to_stderr(text: &str) {
    // Nobody is left to be told.
    let _ = stderr().write_all(text.as_bytes());
}

/// A reader that has gone has what it wanted, as in `intentbox templates list | head -1`. On a full disk the answer is lost.
fn unless_closed(written: std::io::Result<()>) -> Result<(), CommandError> {
    let Err(error) = written else { return Ok(()) };
    if error.kind() == ErrorKind::BrokenPipe {
        return Ok(());
    }
    let is_full = error.kind() == ErrorKind::StorageFull;
    let lost = Err(error).context("the answer cannot be written to stdout").class(Class::Unavailable);
    if is_full { lost.hint("free space on the disk, or redirect stdout to another one") } else { lost }
}

/// The answer as one object on one line.
fn object_of(answer: &Answer) -> String {
    one_line(&answer.object().to_string())
}

/// The report as one object on one line.
fn as_json(report: &Report) -> String {
    let text = serde_json::to_string(&Wire::new(report, words))
        .unwrap_or_else(|error| format!("{{\"outcome\":\"internal\",\"error\":{{\"message\":\"{error}\"}}}}"));
    one_line(&text)
}

/// JSON as it is printed. It may end on a terminal: what that would obey becomes an escape of JSON, so that the object is the
/// same.
fn one_line(json: &str) -> String {
    let mut text = printable_json(json);
    text.push('\n');
    text
}

fn explain(report: &Report, text: &mut String) {
    let name = report.outcome().terms().name;
    if let Some(failure) = &report.failure {
        if let Some(traceback) = report.traceback() {
            let _ = writeln!(text, "{}", printable(traceback.trim_end()));
        }
        let kind = failure.cause.kind();
        let subject = if kind == name { String::new() } else { format!("{kind}: ") };
        // Limits and Python's own errors name themselves; a second name in front is for everything else.
        let message = failure.message.strip_prefix(&subject).unwrap_or(&failure.message);
        let _ = writeln!(text, "{name}: {}{}", printable(&subject), printable(message));
        if let Some(rephrase) = failure.rephrase().filter(|rephrase| !rephrase.not_understood.is_empty()) {
            let _ = writeln!(text, "not understood: {}", printable(&rephrase.not_understood.join(", ")));
        }
        if let Some(remedy) = &failure.remedy {
            let _ = writeln!(text, "hint: {}", printable(&words(remedy)));
        }
    }
    let remedy = report.failure.as_ref().and_then(|failure| failure.remedy.as_ref());
    let tell_takes = report.candidates.iter().filter(|candidate| !candidate.takes.is_empty()).count() == 1;
    let is_to_choose = matches!(remedy, Some(Remedy::Choose)) && tell_takes;
    for candidate in &report.candidates {
        let _ = writeln!(text, "  {:<28} {}", printable(&candidate.template), printable(&candidate.summary));
        let command = by_name(&candidate.template, &candidate.values).filter(|_| !candidate.values.is_empty());
        if let Some(command) = command {
            let allows = if candidate.writes { " --allow-writes" } else { "" };
            // Somebody copies the line: what it lacks is to be filled in.
            let names = candidate.missing.iter().filter(|name| !name.contains(' '));
            let lacks = names.fold(String::new(), |lacks, name| lacks + " --param '" + name + "=…'");
            let _ = writeln!(text, "    {}{}{allows}", printable(&command), printable(&lacks));
        }
        if !candidate.not_taken.is_empty() {
            let _ = writeln!(text, "    takes no {}", printable(&candidate.not_taken.join(", ")));
        }
        if !candidate.passes_over.is_empty() {
            let _ = writeln!(text, "    passes over {}", printable(&candidate.passes_over.join(", ")));
        }
        // Where the words fit one tool, and its values are what is not clear.
        if is_to_choose && !candidate.takes.is_empty() {
            let takes = candidate.takes.iter().map(|takes| match takes.choices.as_slice() {
                [] => format!("--param {}=…", takes.name),
                choices => format!("--param {}={}", takes.name, choices.join("|")),
            });
            let takes: Vec<String> = takes.collect();
            let _ = writeln!(text, "    --template {} takes {}", candidate.template, printable(&takes.join(" ")));
        }
    }
    for refused in report.refusals.iter().filter(|_| report.outcome() != Outcome::CapabilityDenied) {
        let _ = writeln!(text, "refused: {}", printable(&refused.message));
        if let Some(remedy) = &refused.remedy {
            let _ = writeln!(text, "hint: {}", printable(&words(remedy)));
        }
    }
    for mended in &report.mended {
        let _ = writeln!(text, "read: {} as {}", printable(&mended.said), printable(&mended.meant));
    }
    if report.failure.is_none() && !report.passed_over.is_empty() {
        let _ = writeln!(text, "passed over: {}", printable(&report.passed_over.join(", ")));
    }
    for inferred in &report.inferred {
        let _ = writeln!(text, "{}", printable(&inferred.to_string()));
    }
    if let Some(unlisted) = report.listed.and_then(unlisted) {
        let _ = writeln!(text, "{unlisted}");
    }
    if let Some(unread) = &report.unread {
        let _ = writeln!(text, "note: {}", printable(&unread.to_string()));
    }
    // What a tool of somebody else's answered was asked of it in these words.
    if let Some(tool) = report.target.as_ref().and_then(Target::tool) {
        let arguments = report.arguments.as_ref().map(given).unwrap_or_default();
        let _ = writeln!(text, "tool: {} {}", printable(tool), printable(&arguments));
    }
    // Also the default one: whoever did not ask for a time does not know that older rows are hidden.
    if let Some(window) = report.window.as_ref().filter(|_| report.failure.is_none()) {
        let _ = writeln!(text, "{window}");
    }
    let template = report.target.as_ref().and_then(Target::template);
    if let (Some(spent), Some(template)) = (&report.spent, template)
        && report.failure.is_none()
        && stderr().is_terminal()
    {
        let chosen = report.chosen.as_ref().map(chosen).unwrap_or_default();
        let _ = writeln!(text, "{template}{chosen} · {:.0} ms · {} requests", spent.wall_ms, spent.http_requests);
    }
}

/// The values that were read, as somebody would give them: ` level=fatal file=app.log`.
fn chosen(values: &serde_json::Map<String, Value>) -> String {
    let told = values.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!(" {name}={}", line(&value))
    });
    told.collect()
}

/// The arguments that have a value, as JSON.
fn given(arguments: &Value) -> String {
    match arguments {
        Value::Object(fields) => {
            let given = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(given.map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::json::parse_value;
    use intentbox_engine::{Cause, Failure, RunId};
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn the_json_report_has_no_character_that_a_terminal_obeys_and_is_the_same_report() {
        let told = "\u{9b}31m\u{7f}\u{202e}\u{2066}\u{e0041}";
        let failure = Failure::new(Cause::Raised { class: "E".to_owned() }, told);
        let report = Report {
            result: RawValue::from_string(format!("[\"{told}\",\r\n1]")).ok(),
            stdout: told.to_owned(),
            ..Report::failed(RunId::of(0), failure)
        };
        let json = as_json(&report);
        assert!(
            json.ends_with('\n')
                && json.trim_end().chars().all(|letter| (' '..='~').contains(&letter) || letter == '\n'),
            "{json:?}"
        );
        let value = parse_value(&json).expect("it is JSON");
        assert_eq!(value["error"]["message"], told);
        assert_eq!(value["result"], serde_json::json!([told, 1]));
        assert_eq!(value["stdout"], told);
    }

    #[test]
    fn an_answer_has_no_character_that_a_terminal_obeys_and_is_one_line() {
        let told = "\u{9b}31m\u{202e}\nnext";
        let json = object_of(&Class::Usage.error(told).into());
        assert!(json.trim_end().chars().all(|letter| (' '..='~').contains(&letter)), "{json:?}");
        assert_eq!(parse_value(&json).expect("it is JSON")["error"]["message"], told);
    }

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is() {
        let written = |kind: ErrorKind| unless_closed(Err(kind.into()));
        assert!(written(ErrorKind::BrokenPipe).is_ok());
        for (kind, hint) in [
            (ErrorKind::StorageFull, Some("free space on the disk, or redirect stdout to another one")),
            (ErrorKind::PermissionDenied, None),
        ] {
            let error = written(kind).expect_err("the answer is lost");
            assert_eq!((error.class(), error.advice()), (Class::Unavailable, hint));
        }
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|number| count(number, "case")), ["0 cases", "1 case", "2 cases"]);
    }
}
