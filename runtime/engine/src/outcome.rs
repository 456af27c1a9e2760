//! The outcomes, and what each is called on every surface: one table, so that no surface forgets one.

/// How a request ended. The names are a stable interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It worked.
    Ok,
    /// An exception left the script.
    PythonError,
    /// The script is not Python.
    SyntaxError,
    /// The template did not render.
    TemplateError,
    /// The answer holds something JSON cannot say.
    ResultInvalid,
    /// A parameter, script or input is not acceptable.
    ParamInvalid,
    /// The command itself is wrong: an unreadable file, a broken configuration.
    Usage,
    /// The run was not granted what it asked for.
    CapabilityDenied,
    /// Fuel ran out.
    FuelExhausted,
    /// The wall deadline passed.
    DeadlineExceeded,
    /// The memory limit was reached.
    MemoryLimit,
    /// The stack ran out.
    StackOverflow,
    /// stdout or stderr was over its limit.
    OutputLimit,
    /// The answer was over its limit.
    ResultLimit,
    /// Too many host calls, requests or bytes.
    HostCallLimit,
    /// The interpreter crashed.
    GuestTrap,
    /// A granted call did not work out.
    HostCallFailed,
    /// No template fits the intent.
    NotFound,
    /// Several templates fit the intent.
    Ambiguous,
    /// The intent leaves out what the template needs.
    MissingParameter,
    /// The caller gave up.
    Cancelled,
    /// All runs together are at what the process may use.
    Overloaded,
    /// The worker process of the run died, hung or was killed.
    WorkerLost,
    /// Our own failure: always a bug or a broken machine.
    Internal,
}

/// What an MCP client is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpForm {
    /// A result.
    Result,
    /// A result marked `isError`.
    Error,
    /// A question back to the caller.
    Clarification,
    /// A cancelled call.
    Cancelled,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The stable name.
    pub name: &'static str,
    /// The exit code of the command line.
    pub exit: u8,
    /// The HTTP status.
    pub http: u16,
    /// What MCP shows.
    pub mcp: McpForm,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Outcome; 24] = [
        Outcome::Ok,
        Outcome::PythonError,
        Outcome::SyntaxError,
        Outcome::TemplateError,
        Outcome::ResultInvalid,
        Outcome::ParamInvalid,
        Outcome::Usage,
        Outcome::CapabilityDenied,
        Outcome::FuelExhausted,
        Outcome::DeadlineExceeded,
        Outcome::MemoryLimit,
        Outcome::StackOverflow,
        Outcome::OutputLimit,
        Outcome::ResultLimit,
        Outcome::HostCallLimit,
        Outcome::GuestTrap,
        Outcome::HostCallFailed,
        Outcome::NotFound,
        Outcome::Ambiguous,
        Outcome::MissingParameter,
        Outcome::Cancelled,
        Outcome::Overloaded,
        Outcome::WorkerLost,
        Outcome::Internal,
    ];

    /// What this outcome is called on each surface.
    #[must_use]
    pub const fn terms(self) -> Terms {
        use McpForm::{Cancelled, Clarification, Error, Result};
        let (name, exit, http, mcp) = match self {
            Outcome::Ok => ("ok", 0, 200, Result),
            Outcome::PythonError => ("python_error", 1, 422, Error),
            Outcome::SyntaxError => ("syntax_error", 1, 422, Error),
            Outcome::TemplateError => ("template_error", 1, 422, Error),
            Outcome::ResultInvalid => ("result_invalid", 1, 422, Error),
            Outcome::ParamInvalid => ("param_invalid", 2, 400, Error),
            Outcome::Usage => ("usage", 2, 400, Error),
            Outcome::CapabilityDenied => ("capability_denied", 3, 403, Error),
            Outcome::FuelExhausted => ("fuel_exhausted", 4, 422, Error),
            Outcome::DeadlineExceeded => ("deadline_exceeded", 4, 422, Error),
            Outcome::MemoryLimit => ("memory_limit", 4, 422, Error),
            Outcome::StackOverflow => ("stack_overflow", 4, 422, Error),
            Outcome::OutputLimit => ("output_limit", 4, 422, Error),
            Outcome::ResultLimit => ("result_limit", 4, 422, Error),
            Outcome::HostCallLimit => ("host_call_limit", 4, 422, Error),
            Outcome::GuestTrap => ("guest_trap", 4, 422, Error),
            Outcome::HostCallFailed => ("host_call_failed", 5, 502, Error),
            Outcome::NotFound => ("not_found", 6, 404, Clarification),
            Outcome::Ambiguous => ("ambiguous", 6, 409, Clarification),
            Outcome::MissingParameter => ("missing_parameter", 6, 422, Clarification),
            Outcome::Cancelled => ("cancelled", 130, 499, Cancelled),
            Outcome::Overloaded => ("overloaded", 7, 503, Error),
            Outcome::WorkerLost => ("worker_lost", 7, 503, Error),
            Outcome::Internal => ("internal", 7, 500, Error),
        };
        Terms { name, exit, http, mcp }
    }

    /// The `type` of an RFC 9457 problem with this outcome.
    #[must_use]
    pub fn problem_type(self) -> String {
        format!("urn:intentbox:problem:{}", self.terms().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_outcome_is_listed_once_and_has_a_name_of_its_own() {
        // `terms` is an exhaustive match: an outcome without a row does not compile. ALL could still miss one.
        let names: HashSet<_> = Outcome::ALL.iter().map(|outcome| outcome.terms().name).collect();
        assert_eq!(names.len(), Outcome::ALL.len());
        assert_eq!(Outcome::ALL.iter().map(|outcome| *outcome as usize).max(), Some(Outcome::ALL.len() - 1));
    }

    #[test]
    fn exit_zero_is_for_ok_alone() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.terms().exit == 0, outcome == Outcome::Ok, "{outcome:?}");
            assert_eq!(outcome.terms().http < 400, outcome == Outcome::Ok, "{outcome:?}");
        }
    }
}
