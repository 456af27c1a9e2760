//! What a command answers: text for people, fields for programs, and why it did not succeed.

use std::fmt::Write as _;

use intentbox_engine::{Failure, Outcome, Report};
use serde_json::{Map, Value, json};

use crate::error::CommandError;
use crate::words::words;

/// How a command ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It was to run a script: the report is the answer.
    Run(Box<Report>),
    /// It was to call a tool of somebody else's, whose answer the report holds.
    ToolCall(Box<Report>),
    /// Anything else.
    Verb(Answer),
}

impl From<Answer> for Ending {
    fn from(answer: Answer) -> Self {
        Ending::Verb(answer)
    }
}

/// The answer of a command that is no run.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    text: String,
    note: String,
    fields: Map<String, Value>,
    problem: Option<Problem>,
}

/// Why it is no success.
#[derive(Debug)]
enum Problem {
    /// The command failed.
    Failed(CommandError),
    /// The command worked, and its answer is that something is not allowed. The text says so.
    Denied(Box<Failure>),
    /// The command worked, and what it tells of ended so. The text says so.
    Ended(Outcome),
}

impl Answer {
    /// An answer of this text, for stdout.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The same with a line for people that is no part of the answer, for stderr.
    pub(crate) fn noting(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// The same with the note in other words.
    pub(crate) fn rewording(self, reword: impl FnOnce(&str) -> String) -> Self {
        Self { note: reword(&self.note), ..self }
    }

    /// The same with a field for programs.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// The same with more fields for programs.
    pub(crate) fn with_all(mut self, fields: Map<String, Value>) -> Self {
        self.fields.extend(fields);
        self
    }

    /// The same as a failure, which keeps its text and fields.
    pub(crate) fn failing(self, error: CommandError) -> Self {
        Self { problem: Some(Problem::Failed(error)), ..self }
    }

    /// The same as the answer that something is not allowed.
    pub(crate) fn denied(self, failure: Failure) -> Self {
        Self { problem: Some(Problem::Denied(Box::new(failure))), ..self }
    }

    /// The same, where what it tells of ended so.
    pub(crate) fn ended(self, outcome: Outcome) -> Self {
        if outcome == Outcome::Ok { self } else { Self { problem: Some(Problem::Ended(outcome)), ..self } }
    }

    /// What people read on stdout.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What people read on stderr.
    pub(crate) fn messages(&self) -> String {
        let mut text = String::new();
        if !self.note.is_empty() {
            let _ = writeln!(text, "{}", self.note);
        }
        if let Some(Problem::Failed(error)) = &self.problem {
            let _ = writeln!(text, "{}: {}", error.class().prefix(), error.message());
            if let Some(hint) = error.advice() {
                let _ = writeln!(text, "hint: {hint}");
            }
        }
        text
    }

    /// What programs read: one object, `outcome` first and, in a failure, `error` after it.
    pub(crate) fn object(&self) -> Value {
        let mut object = Map::new();
        object.insert("outcome".to_owned(), self.outcome().into());
        if let Some(problem) = &self.problem {
            object.insert("error".to_owned(), problem.error());
        }
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// Whether the command succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        self.problem.is_none()
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match &self.problem {
            None => Outcome::Ok.terms().exit,
            Some(Problem::Failed(error)) => error.class().exit(),
            Some(Problem::Denied(failure)) => failure.cause.outcome().terms().exit,
            Some(Problem::Ended(outcome)) => outcome.terms().exit,
        }
    }

    fn outcome(&self) -> &'static str {
        match &self.problem {
            None => Outcome::Ok.terms().name,
            Some(Problem::Failed(error)) => error.class().name(),
            Some(Problem::Denied(failure)) => failure.cause.outcome().terms().name,
            Some(Problem::Ended(outcome)) => outcome.terms().name,
        }
    }
}

impl From<CommandError> for Answer {
    fn from(error: CommandError) -> Self {
        Answer::default().failing(error)
    }
}

impl Problem {
    /// The `error` of the object, in the form that the report of a run has.
    fn error(&self) -> Value {
        let (kind, message, hint) = match self {
            Problem::Failed(error) => (error.class().name(), error.message(), error.advice().map(str::to_owned)),
            Problem::Ended(outcome) => (outcome.terms().name, "the job did not end as ok".to_owned(), None),
            Problem::Denied(failure) => {
                (failure.cause.kind(), failure.message.clone(), failure.remedy.as_ref().map(words))
            }
        };
        match hint {
            Some(hint) => json!({"kind": kind, "message": message, "hint": hint}),
            None => json!({"kind": kind, "message": message}),
        }
    }
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{Cause, MissingOrigin, Permission, Remedy};

    use super::*;
    use crate::error::Class;

    fn written(answer: &Answer) -> (String, String, u8) {
        (answer.object().to_string(), answer.messages(), answer.exit())
    }

    #[test]
    fn an_answer_is_its_fields_after_the_outcome() {
        let answer = Answer::new("1 file\n").noting("try it").with("files", vec!["a"]).with("bytes", 3);
        let expected = (r#"{"outcome":"ok","files":["a"],"bytes":3}"#.to_owned(), "try it\n".to_owned(), 0);
        assert_eq!(written(&answer), expected);
    }

    #[test]
    fn a_failure_keeps_what_was_found() {
        let error = Class::Check.error("1 of 2 cases failed").hint("read them");
        assert_eq!(
            written(&Answer::new("a\n").with("cases", 2).failing(error)),
            (
                r#"{"outcome":"check","error":{"kind":"check","message":"1 of 2 cases failed","hint":"read them"},"cases":2}"#
                    .to_owned(),
                "check: 1 of 2 cases failed\nhint: read them\n".to_owned(),
                1
            )
        );
        assert_eq!(
            written(&Class::Unavailable.error("no worker").into()),
            (
                r#"{"outcome":"unavailable","error":{"kind":"unavailable","message":"no worker"}}"#.to_owned(),
                "error: no worker\n".to_owned(),
                7
            )
        );
    }

    #[test]
    fn what_is_not_allowed_is_an_answer_with_the_outcome_of_a_run() {
        let origin = MissingOrigin::At("https://a.test".to_owned());
        let permission = Permission::Origin { origin, tables: vec!["exec".to_owned()] };
        let hint = permission.to_string().replace('"', "\\\"");
        let failure = Failure::new(Cause::NotPermitted, "PUT was refused").with(Remedy::Permit(permission));
        assert_eq!(
            written(&Answer::new("PUT was refused\n").denied(failure)),
            (
                format!(
                    r#"{{"outcome":"capability_denied","error":{{"kind":"policy","message":"PUT was refused","hint":"{hint}"}}}}"#
                ),
                String::new(),
                3
            )
        );
    }
}
