//! A report as JSON: the object of `--json`, the same for every surface that serializes reports.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::remedy::{self, Remedy};
use crate::report::{Inferred, Listed, Mended, Report, Spent, Takes, Target, ToolCall, Unread};

/// The JSON form of a report, with hints in the words of one surface.
#[derive(Debug, Serialize)]
pub struct Wire<'a> {
    outcome: &'static str,
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "str::is_empty")]
    stdout: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    stdout_truncated: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    stderr: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    stderr_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<Route<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<Listed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refusals: Vec<Refused<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<Spent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<&'a Unread>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    calls: &'a [ToolCall],
    cached: bool,
    #[serde(serialize_with = "as_text")]
    run_id: crate::run_id::RunId,
}

#[derive(Debug, Serialize)]
struct Problem<'a> {
    kind: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceback: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_understood: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near_names: Vec<NearName<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Serialize)]
struct NearName<'a> {
    parameter: &'a str,
    written: &'a str,
    name: &'a str,
}

/// The template that an intent was routed to. Code of the caller is not routed.
#[derive(Debug, Serialize)]
struct Route<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    without: &'a [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    mended: &'a [Mended],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    passed_over: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inferred: &'a [Inferred],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Candidate<'a>>,
}

#[derive(Debug, Serialize)]
struct Candidate<'a> {
    template: &'a str,
    summary: &'a str,
    score: f64,
    #[serde(rename = "params", skip_serializing_if = "BTreeMap::is_empty")]
    values: &'a BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    missing: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_taken: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    passes_over: &'a [String],
    #[serde(skip_serializing_if = "is_false")]
    writes: bool,
    #[serde(skip_serializing_if = "<[Takes]>::is_empty")]
    takes: &'a [Takes],
}

#[derive(Debug, Serialize)]
struct Refused<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl<'a> Wire<'a> {
    /// The JSON form of a report. `words` says a remedy in the surface's own terms.
    #[must_use]
    pub fn new(report: &'a Report, words: impl Fn(&Remedy) -> String) -> Self {
        let error = report.failure.as_ref().map(|failure| Problem::of(failure, failure.remedy.as_ref().map(&words)));
        let refusals = report
            .refusals
            .iter()
            .map(|refused| Refused { message: &refused.message, hint: refused.remedy.as_ref().map(&words) });
        Self {
            outcome: report.outcome().terms().name,
            result: report.result.as_deref(),
            stdout: &report.stdout,
            stdout_truncated: report.stdout_truncated,
            stderr: &report.stderr,
            stderr_truncated: report.stderr_truncated,
            error,
            route: Route::of(report),
            listed: report.listed,
            grant: report.access.as_ref().map(intentbox_capability::Access::lines),
            refusals: refusals.collect(),
            spent: report.spent,
            unread: report.unread.as_ref(),
            calls: &report.calls,
            cached: report.cached,
            run_id: report.run_id,
        }
    }
}

impl<'a> Problem<'a> {
    fn of(failure: &'a Failure, hint: Option<String>) -> Self {
        let rephrase = failure.rephrase();
        let words = rephrase.into_iter().flat_map(|rephrase| &rephrase.not_understood);
        let near_names = rephrase.into_iter().flat_map(|rephrase| &rephrase.near_names);
        let near_name = |near: &'a remedy::NearName| NearName {
            parameter: &near.parameter,
            written: &near.written,
            name: &near.name,
        };
        Self {
            kind: failure.cause.kind(),
            message: &failure.message,
            traceback: failure.traceback.as_deref(),
            not_understood: words.map(String::as_str).collect(),
            nearest: rephrase.and_then(|rephrase| rephrase.nearest.as_deref()),
            near_names: near_names.map(near_name).collect(),
            hint,
        }
    }
}

impl<'a> Route<'a> {
    fn of(report: &'a Report) -> Option<Self> {
        let template = report.target.as_ref().and_then(Target::template);
        if template.is_none() && report.candidates.is_empty() && report.mode.is_none() {
            return None;
        }
        let candidates = report.candidates.iter().map(|candidate| Candidate {
            template: &candidate.template,
            summary: &candidate.summary,
            score: (candidate.score * 100.0).round() / 100.0,
            values: &candidate.values,
            missing: &candidate.missing,
            not_taken: &candidate.not_taken,
            passes_over: &candidate.passes_over,
            writes: candidate.writes,
            takes: &candidate.takes,
        });
        let window = report.window.as_ref().map(|window| window.words.as_str());
        let candidates = candidates.collect();
        let tool = report.target.as_ref().and_then(Target::tool);
        Some(Self {
            mode: report.mode.as_ref().map(|mode| mode.name),
            without: report.mode.as_ref().map_or(&[], |mode| mode.without.as_slice()),
            template,
            tool,
            arguments: report.arguments.as_ref(),
            window,
            mended: &report.mended,
            passed_over: &report.passed_over,
            inferred: &report.inferred,
            candidates,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn as_text<S: Serializer>(run_id: &crate::run_id::RunId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(run_id)
}

#[cfg(test)]
mod tests {

    use intentbox_capability::Access;
    use serde_json::json;

    use super::*;
    use crate::failure::Cause;
    use crate::remedy::Rephrase;
    use crate::report;
    use crate::run_id::RunId;

    fn written(report: &Report) -> Value {
        let words = |remedy: &Remedy| format!("words for {remedy:?}");
        serde_json::to_value(Wire::new(report, words)).expect("it can be serialized")
    }

    #[test]
    fn a_report_of_nothing_has_the_keys_that_every_report_has() {
        let id = "0".repeat(31) + "7";
        let expected = json!({"outcome": "ok", "result": null, "cached": false, "run_id": id});
        assert_eq!(written(&Report::new(RunId::of(7))), expected);
        let help = Report { listed: Some(Listed { shown: 40, of: 41 }), ..Report::new(RunId::of(7)) };
        assert_eq!(written(&help)["listed"], json!({"shown": 40, "of": 41}));
    }

    #[test]
    fn a_failure_is_an_error_with_a_hint_in_the_words_of_the_surface() {
        let candidate = report::Candidate {
            template: "a/b".to_owned(),
            summary: "Does.".to_owned(),
            score: 0.666_666,
            values: BTreeMap::from([("limit".to_owned(), json!(5))]),
            not_taken: vec!["project".to_owned()],
            ..report::Candidate::default()
        };
        let failure = Failure::new(Cause::Ambiguous, "several").with(Remedy::Choose);
        let report = Report {
            candidates: vec![candidate],
            access: Some(Access::default()),
            refusals: vec![report::Refused { message: "no".to_owned(), remedy: None }],
            ..Report::failed(RunId::of(7), failure)
        };
        let written = written(&report);
        assert_eq!(written["outcome"], "ambiguous");
        let error = json!({"kind": "ambiguous", "message": "several", "hint": "words for Choose"});
        assert_eq!(written["error"], error);
        assert_eq!(
            written["route"],
            json!({"candidates": [{
                "template": "a/b",
                "summary": "Does.",
                "score": 0.67,
                "params": {"limit": 5},
                "not_taken": ["project"],
            }]})
        );
        assert_eq!((&written["grant"], &written["refusals"]), (&json!([]), &json!([{"message": "no"}])));
    }

    #[test]
    fn an_intent_that_was_not_understood_is_told_with_what_would_be() {
        let near = remedy::NearName {
            parameter: "project".to_owned(),
            called: "project".to_owned(),
            written: "wbe".to_owned(),
            name: "web".to_owned(),
        };
        let whole = Rephrase {
            has_candidates: true,
            not_understood: vec!["delete".to_owned(), "wbe".to_owned()],
            nearest: Some("errors in project web".to_owned()),
            near_names: vec![near],
            is_beyond_code: false,
        };
        let empty = json!({"kind": "not_found", "message": "none", "hint": "words"});
        let told = json!({
            "kind": "not_found",
            "message": "none",
            "not_understood": ["delete", "wbe"],
            "nearest": "errors in project web",
            "near_names": [{"parameter": "project", "written": "wbe", "name": "web"}],
            "hint": "words",
        });
        for (rephrase, expected) in [(Rephrase::default(), empty), (whole, told)] {
            let failure = Failure::new(Cause::NotFound, "none").with(Remedy::Rephrase(Box::new(rephrase)));
            let report = Report::failed(RunId::of(7), failure);
            let written = serde_json::to_value(Wire::new(&report, |_| "words".to_owned()));
            assert_eq!(written.expect("it can be serialized")["error"], expected);
        }
    }
}
