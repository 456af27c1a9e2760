//! Reports for calls that never ran, with hints in the terms of MCP.

use intentbox_engine::{Cause, Failure, Plan, Report, new_run_id};
use intentbox_listen::Exceeded;

/// The report of a call that is invalid.
pub(crate) fn invalid(message: String, hint: &str) -> Report {
    Report::failed(new_run_id(), Failure::new(Cause::Parameter, message).with_text(hint))
}

pub(crate) fn overloaded(exceeded: Exceeded) -> Report {
    let message = match exceeded {
        Exceeded::PerPrincipal(calls) => format!("you have {calls} calls in flight, which is the limit"),
        Exceeded::Total(calls) => format!("all callers together have {calls} calls in flight, which is the limit"),
    };
    let advice = "wait for some of them to end, then repeat this one";
    Report::failed(new_run_id(), Failure::new(Cause::Overloaded, message).with_text(advice))
}

/// The report of a call whose client has gone or given up.
pub(crate) fn cancelled() -> Report {
    Report::failed(new_run_id(), Failure::new(Cause::Cancelled, "the call was cancelled, and the run was ended"))
}

/// The report for a second answer to one question: the change was made or declined after the first.
pub(crate) fn answered_before(plan: Plan) -> Report {
    let message = "this question has already been answered, and an answer is used once";
    let failure = Failure::new(Cause::Cancelled, message);
    instead(plan, failure.with_text("send the call again without requestState, to be asked again"))
}

/// The report for a user who declined.
pub(crate) fn declined(plan: Plan) -> Report {
    let failure = Failure::new(Cause::Cancelled, "the user was asked and declined; nothing was run");
    instead(plan, failure.with_text("do not repeat it; ask the user what they want instead"))
}

/// The report for a user who closed the question without an answer.
pub(crate) fn dismissed(plan: Plan) -> Report {
    let failure = Failure::new(Cause::Cancelled, "the user was asked and closed the question; nothing was run");
    instead(plan, failure.with_text("ask the user whether to try it again"))
}

/// The report about a plan, with another failure.
fn instead(plan: Plan, failure: Failure) -> Report {
    match plan.ready() {
        Ok(run) => Report::failed(run.id(), failure),
        Err(report) => Report { failure: Some(failure), ..*report },
    }
}
