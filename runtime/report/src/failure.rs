//! Failures, as data: why a request did not succeed.

use crate::outcome::Outcome;
use crate::remedy::{Remedy, Rephrase};

/// What went wrong. Each cause has one outcome and one stable word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// An exception of this class left the script.
    Raised {
        /// The class, such as `ValueError`.
        class: String,
    },
    /// The script is not Python; the class says how, such as `IndentationError`.
    Syntax {
        /// The class.
        class: String,
    },
    /// An exception of this class left the script because the grant does not cover what it asked for.
    Refused {
        /// The class.
        class: String,
    },
    /// An exception of this class left the script because a call failed that the grant covers.
    CallFailed {
        /// The class.
        class: String,
    },
    /// The script says that what the request names does not exist. Any script may say so: it is a claim, like a result.
    TargetNotFound,
    /// The script says that what the request gives cannot be used: a claim as well.
    InputInvalid,
    /// A limit was reached.
    Exhausted {
        /// The limit by its name, such as `wall_ms`.
        limit: &'static str,
        /// The outcome that goes with it.
        outcome: Outcome,
    },
    /// The interpreter crashed.
    Crashed,
    /// The result cannot be serialized, or is not what the template declares.
    ResultInvalid,
    /// The template did not render.
    Template,
    /// The sentence is invalid: empty or too long.
    Intent,
    /// A value for a parameter is invalid.
    Parameter,
    /// The script is invalid before it is parsed as Python: its size or encoding.
    Script,
    /// The input of a script is invalid.
    Input,
    /// A chosen limit is invalid.
    Limits,
    /// Required parameters are missing.
    Missing,
    /// No template fits.
    NotFound,
    /// Several templates fit.
    Ambiguous,
    /// The policy does not permit all that the template wants.
    NotPermitted,
    /// The template changes something, and nobody has confirmed that it may.
    Unconfirmed,
    /// An upstream server, or a tool of it, failed.
    UpstreamFailed,
    /// A tool of an upstream server is not what was approved.
    UpstreamChanged,
    /// A call of a tool that may have changed something was cut off.
    UnknownOutcome,
    /// The caller gave up, or declined.
    Cancelled,
    /// There is no room for another run or call.
    Overloaded,
    /// The run had begun, and other runs held the memory that it needed to go on.
    MemoryTaken,
    /// The worker process was lost.
    WorkerLost,
    /// A bug of the program or a fault of the machine.
    Internal,
}

impl Cause {
    /// The outcome of a request that failed for this cause.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Cause::Raised { .. } => Outcome::PythonError,
            Cause::Syntax { .. } => Outcome::SyntaxError,
            Cause::Refused { .. } | Cause::NotPermitted | Cause::Unconfirmed => Outcome::CapabilityDenied,
            Cause::CallFailed { .. } => Outcome::HostCallFailed,
            Cause::TargetNotFound => Outcome::TargetNotFound,
            Cause::InputInvalid => Outcome::InputInvalid,
            Cause::Exhausted { outcome, .. } => *outcome,
            Cause::Crashed => Outcome::GuestTrap,
            Cause::ResultInvalid => Outcome::ResultInvalid,
            Cause::Template => Outcome::TemplateError,
            Cause::Intent | Cause::Parameter | Cause::Script | Cause::Input | Cause::Limits => Outcome::ParamInvalid,
            Cause::Missing => Outcome::MissingParameter,
            Cause::NotFound => Outcome::NotFound,
            Cause::Ambiguous => Outcome::Ambiguous,
            Cause::UpstreamFailed => Outcome::UpstreamFailed,
            Cause::UpstreamChanged => Outcome::UpstreamChanged,
            Cause::UnknownOutcome => Outcome::UnknownOutcome,
            Cause::Cancelled => Outcome::Cancelled,
            Cause::Overloaded | Cause::MemoryTaken => Outcome::Overloaded,
            Cause::WorkerLost => Outcome::WorkerLost,
            Cause::Internal => Outcome::Internal,
        }
    }

    /// The stable word: the class of an exception, the name of a limit, or a word of its own.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Cause::Raised { class }
            | Cause::Syntax { class }
            | Cause::Refused { class }
            | Cause::CallFailed { class } => class,
            Cause::Exhausted { limit, .. } => limit,
            Cause::Intent => "intent",
            Cause::Script => "script",
            Cause::Input => "input",
            Cause::Limits => "limits",
            Cause::NotPermitted => "policy",
            Cause::Unconfirmed => "writes",
            Cause::Crashed
            | Cause::TargetNotFound
            | Cause::InputInvalid
            | Cause::ResultInvalid
            | Cause::Template
            | Cause::Parameter
            | Cause::Missing
            | Cause::NotFound
            | Cause::Ambiguous
            | Cause::UpstreamFailed
            | Cause::UpstreamChanged
            | Cause::UnknownOutcome
            | Cause::Cancelled
            | Cause::Overloaded
            | Cause::MemoryTaken
            | Cause::WorkerLost
            | Cause::Internal => self.outcome().terms().name,
        }
    }
}

/// Why a request did not succeed, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub cause: Cause,
    /// What happened and which rule says so, in one line.
    pub message: String,
    /// Python's traceback. [`Report::traceback`](crate::Report::traceback) decides whether people are shown it.
    pub traceback: Option<String>,
    /// What would change it.
    pub remedy: Option<Remedy>,
}

impl Failure {
    /// A failure without a remedy.
    #[must_use]
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), traceback: None, remedy: None }
    }

    /// The same with a remedy.
    #[must_use]
    pub fn with(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// What helps to say the intent in other words, if that is the remedy.
    #[must_use]
    pub fn rephrase(&self) -> Option<&Rephrase> {
        match &self.remedy {
            Some(Remedy::Rephrase(rephrase)) => Some(rephrase.as_ref()),
            _ => None,
        }
    }

    /// The same with a text as its remedy ([`Remedy::Text`]); an empty one adds none.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { self } else { self.with(Remedy::Text(text)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_without_a_word_of_its_own_is_called_by_its_outcome() {
        let class = || "KeyError".to_owned();
        for (cause, kind, outcome) in [
            (Cause::Raised { class: class() }, "KeyError", Outcome::PythonError),
            (Cause::Exhausted { limit: "fuel", outcome: Outcome::FuelExhausted }, "fuel", Outcome::FuelExhausted),
            (Cause::Unconfirmed, "writes", Outcome::CapabilityDenied),
            (Cause::NotPermitted, "policy", Outcome::CapabilityDenied),
            (Cause::Parameter, "param_invalid", Outcome::ParamInvalid),
            (Cause::TargetNotFound, "target_not_found", Outcome::TargetNotFound),
            (Cause::InputInvalid, "input_invalid", Outcome::InputInvalid),
            (Cause::NotFound, "not_found", Outcome::NotFound),
            (Cause::Missing, "missing_parameter", Outcome::MissingParameter),
            (Cause::Crashed, "guest_trap", Outcome::GuestTrap),
        ] {
            assert_eq!((cause.kind(), cause.outcome()), (kind, outcome));
        }
    }
}
