//! Reports that no run made: why a call is not answered, and what to do about it.

use intentbox_engine::{Outcome, Problem, Report};
use serde_json::Value;

use crate::load::Full;
use crate::question::Question;

/// The report of a call that is not acceptable.
pub(crate) fn invalid(message: String, hint: &str) -> Report {
    let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
    let problem = Problem { kind: "param_invalid".to_owned(), message, traceback: None, hint };
    Report::without_run(Outcome::ParamInvalid, problem)
}

pub(crate) fn overloaded(full: Full) -> Report {
    let message = match full {
        Full::Share(calls) => format!("{calls} calls of yours are under way, and no more can be"),
        Full::All(calls) => format!("{calls} calls of all callers are under way, and no more can be"),
    };
    let hint = Some("wait for some of them to end, then repeat this one".to_owned());
    Report::without_run(Outcome::Overloaded, Problem { kind: "overloaded".to_owned(), message, traceback: None, hint })
}

/// The report for an answer that was given before: it was to one change, and that was made or declined.
pub(crate) fn answered_before(report: &Report) -> Report {
    let message = "this question has been answered already, and an answer counts once".to_owned();
    let hint = Some("send the call again without requestState, to be asked again".to_owned());
    let problem = Problem { kind: "cancelled".to_owned(), message, traceback: None, hint };
    Report { route: report.route.clone(), ..Report::without_run(Outcome::Cancelled, problem) }
}

pub(crate) fn cancelled() -> Report {
    let message = "the call was cancelled, and the run was ended".to_owned();
    Report::without_run(
        Outcome::Cancelled,
        Problem { kind: "cancelled".to_owned(), message, traceback: None, hint: None },
    )
}

/// The report for somebody who was asked and does not want it.
pub(crate) fn declined(report: &Report) -> Report {
    let message = "the user was asked and declined; nothing was run".to_owned();
    let hint = Some("do not repeat it; ask the user what they want instead".to_owned());
    let problem = Problem { kind: "cancelled".to_owned(), message, traceback: None, hint };
    Report { route: report.route.clone(), ..Report::without_run(Outcome::Cancelled, problem) }
}

/// The report with what to do where the question cannot be asked.
pub(crate) fn with_advice(mut report: Report, question: &Question) -> Report {
    let advice = match question {
        Question::Which(templates) => {
            let example = templates.first().map_or("", |(id, _)| id.as_str());
            format!("repeat run_intent with the name of the one that is meant as the intent, such as {example:?}")
        }
        Question::Values { parameters, .. } => {
            let example: serde_json::Map<_, _> =
                parameters.iter().map(|spec| (spec.name().to_owned(), spec.example().into())).collect();
            format!("repeat run_intent with params such as {}", Value::Object(example))
        }
        Question::Confirm { .. } => {
            "changes need the user's word, and this client cannot ask for it: the user may start the server with \
             `intentbox mcp --allow-writes`, or run `intentbox run-intent … --allow-writes`"
                .to_owned()
        }
    };
    if let Some(error) = &mut report.error {
        if let Question::Values { template, .. } = question {
            error.message = format!("{template}: {}", error.message);
        }
        error.hint = Some(advice);
    }
    report
}
