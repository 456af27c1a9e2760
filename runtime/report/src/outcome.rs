//! The outcomes, with their names and exit codes: one table, so that no surface forgets one.

macro_rules! outcomes {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal, $exit:literal;)+) => {
        /// How a request ended. The names are a stable interface.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Outcome {
            $($(#[$doc])+ $variant,)+
        }

        impl Outcome {
            /// Every outcome, in the order of the table.
            pub const ALL: &[Outcome] = &[$(Outcome::$variant,)+];

            /// What this outcome is called, and its exit code.
            #[must_use]
            pub const fn terms(self) -> Terms {
                match self {
                    $(Outcome::$variant => Terms { name: $name, exit: $exit },)+
                }
            }
        }
    };
}

/// What an outcome is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The stable name.
    pub name: &'static str,
    /// The exit code of the command line.
    pub exit: u8,
}

outcomes! {
    /// It worked.
    Ok = "ok", 0;
    /// An exception left the script.
    PythonError = "python_error", 1;
    /// The script is not Python.
    SyntaxError = "syntax_error", 1;
    /// The template did not render.
    TemplateError = "template_error", 1;
    /// The answer holds something that JSON cannot express, or is not what the template declares.
    ResultInvalid = "result_invalid", 1;
    /// A parameter, script or input is invalid.
    ParamInvalid = "param_invalid", 2;
    /// What the request gives cannot be used, as the script found out: `Invalid` left it. The script's own claim. Exit 2,
    /// since something else has to be given, as for a parameter.
    InputInvalid = "input_invalid", 2;
    /// The run was not granted what it asked for.
    CapabilityDenied = "capability_denied", 3;
    /// Fuel ran out.
    FuelExhausted = "fuel_exhausted", 4;
    /// The wall deadline passed.
    DeadlineExceeded = "deadline_exceeded", 4;
    /// The memory limit was reached.
    MemoryLimit = "memory_limit", 4;
    /// The stack ran out.
    StackOverflow = "stack_overflow", 4;
    /// stdout or stderr was over its limit.
    OutputLimit = "output_limit", 4;
    /// The answer was over its limit.
    ResultLimit = "result_limit", 4;
    /// Too many host calls, requests or bytes.
    HostCallLimit = "host_call_limit", 4;
    /// The interpreter crashed.
    GuestTrap = "guest_trap", 4;
    /// A granted call failed.
    HostCallFailed = "host_call_failed", 5;
    /// An upstream server, or a tool of it, failed.
    UpstreamFailed = "upstream_failed", 5;
    /// A tool of an upstream server is not what was approved.
    UpstreamChanged = "upstream_changed", 5;
    /// A call that may have changed something was cut off: nobody knows whether it did.
    UnknownOutcome = "unknown_outcome", 5;
    /// No template fits the intent.
    NotFound = "not_found", 6;
    /// What the request names does not exist, as the script found out: `NotFound` left it. The script's own claim. Exit 6,
    /// since the request leads nowhere as it is worded, as where no template fits.
    TargetNotFound = "target_not_found", 6;
    /// Several templates fit the intent.
    Ambiguous = "ambiguous", 6;
    /// The intent leaves out what the template needs.
    MissingParameter = "missing_parameter", 6;
    /// The caller gave up.
    Cancelled = "cancelled", 130;
    /// All runs together are at what the process may use.
    Overloaded = "overloaded", 7;
    /// The worker process of the run died, hung or was killed.
    WorkerLost = "worker_lost", 7;
    /// A bug of the program or a fault of the machine.
    Internal = "internal", 7;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_a_name_of_its_own() {
        let mut names: Vec<_> = Outcome::ALL.iter().map(|outcome| outcome.terms().name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Outcome::ALL.len());
    }

    #[test]
    fn exit_zero_is_for_ok_alone() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.terms().exit == 0, *outcome == Outcome::Ok, "{outcome:?}");
        }
    }
}
