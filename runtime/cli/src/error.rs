//! Why a command failed: the class of the error, what would help, and the chain of causes.
//!
//! A function that knows its subject returns a [`CommandError`]; one that does not, such as a reader of files, returns an
//! [`anyhow::Error`], and its caller classifies that. There is no conversion without a class, so that none is given by accident.

use std::fmt::Display;

/// The class of an error. It decides the exit code, the prefix of the message and the outcome in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// The command line is invalid, or names something that cannot be used, such as a script that is not there.
    Usage,
    /// A configuration, policy, token, directory or template cannot be used.
    Configuration,
    /// What the command line names does not exist, such as a job.
    Absent,
    /// A check ran to its end and found faults.
    Check,
    /// The machine does not give what the command needs: a worker, a port, room on a disk, a file that can be written.
    Unavailable,
    /// A bug of the program.
    Internal,
}

impl Class {
    /// Every class.
    #[cfg(test)]
    const ALL: [Class; 6] =
        [Class::Usage, Class::Configuration, Class::Absent, Class::Check, Class::Unavailable, Class::Internal];

    /// The stable name: `outcome` and `error.kind` in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Class::Usage => "usage",
            Class::Configuration => "configuration",
            Class::Absent => "target_not_found",
            Class::Check => "check",
            Class::Unavailable => "unavailable",
            Class::Internal => "internal",
        }
    }

    /// What a message for people begins with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Class::Usage | Class::Configuration | Class::Absent | Class::Check => self.name(),
            Class::Unavailable | Class::Internal => "error",
        }
    }

    /// The exit code.
    pub(crate) const fn exit(self) -> u8 {
        match self {
            Class::Check => 1,
            Class::Usage | Class::Configuration => 2,
            Class::Absent => 6,
            Class::Unavailable | Class::Internal => 7,
        }
    }

    /// An error of this class.
    pub(crate) fn error(self, message: impl Display) -> CommandError {
        CommandError { class: self, hint: None, source: anyhow::Error::msg(message.to_string()) }
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct CommandError {
    class: Class,
    hint: Option<String>,
    source: anyhow::Error,
}

impl CommandError {
    /// Its class.
    pub(crate) fn class(&self) -> Class {
        self.class
    }

    /// What happened, from the outermost context to the first cause.
    pub(crate) fn message(&self) -> String {
        format!("{:#}", self.source)
    }

    /// What to do about it, as an imperative.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The same with the hint in other words, if it has one.
    pub(crate) fn rewording(self, reword: impl FnOnce(&str) -> String) -> Self {
        Self { hint: self.hint.as_deref().map(reword), ..self }
    }

    /// The same with a hint, in place of one that it has.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Gives the error of a result its class.
pub(crate) trait Classify<T> {
    /// The same result with an error of this class.
    fn class(self, class: Class) -> Result<T, CommandError>;
}

impl<T, E: Into<anyhow::Error>> Classify<T> for Result<T, E> {
    fn class(self, class: Class) -> Result<T, CommandError> {
        self.map_err(|error| CommandError { class, hint: None, source: error.into() })
    }
}

/// Gives the error of a result a hint.
pub(crate) trait Hint {
    /// The same result, whose error has this hint.
    fn hint(self, hint: impl Into<String>) -> Self;
}

impl<T> Hint for Result<T, CommandError> {
    fn hint(self, hint: impl Into<String>) -> Self {
        self.map_err(|error| error.hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;
    use intentbox_engine::Outcome;

    use super::*;

    #[test]
    fn each_class_has_a_name_an_exit_code_and_a_prefix() {
        let terms: Vec<_> = Class::ALL.map(|class| (class.name(), class.exit(), class.prefix())).into();
        let expected = [
            ("usage", 2, "usage"),
            ("configuration", 2, "configuration"),
            ("target_not_found", 6, "target_not_found"),
            ("check", 1, "check"),
            ("unavailable", 7, "error"),
            ("internal", 7, "error"),
        ];
        assert_eq!(terms, expected);
    }

    #[test]
    fn a_class_that_is_named_like_an_outcome_has_its_exit_code() {
        let exits = |class: Class| {
            let named = Outcome::ALL.iter().filter(|outcome| outcome.terms().name == class.name());
            named.map(|outcome| outcome.terms().exit).collect::<Vec<_>>()
        };
        assert_eq!(exits(Class::Internal), [Class::Internal.exit()]);
        for class in Class::ALL {
            assert!(exits(class).iter().all(|exit| *exit == class.exit()), "{class:?}");
        }
    }

    #[test]
    fn a_message_has_every_context_and_the_last_hint() {
        let failed: Result<(), _> = Err(std::io::Error::other("disk on fire"));
        let error =
            failed.context("a.toml").class(Class::Configuration).hint("one").hint("two").expect_err("it failed");
        assert_eq!(
            (error.class(), error.message().as_str(), error.advice()),
            (Class::Configuration, "a.toml: disk on fire", Some("two"))
        );
        assert_eq!(Class::Usage.error("no").advice(), None);
    }
}
