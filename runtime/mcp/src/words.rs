//! Words remedies in the terms of a call: a model reads them and calls again.

use intentbox_engine::{
    CHECK_BEFORE_RETRY, Lack, Listed, MissingOrigin, NearName, Outcome, Permission, Remedy, Rephrase, Report,
    ScriptAdvice, ValueAdvice,
};
use serde_json::Value;

use crate::answer::{LISTED_MAX, cut};

/// The hint of a report that failed. For a refusal it begins with what is granted instead, which a model can use at
/// once; the policy is for its people.
pub(crate) fn hint(report: &Report) -> Option<String> {
    let remedy = report.failure.as_ref()?.remedy.as_ref();
    let said = remedy.map(|remedy| words(remedy, report));
    let Some(granted) = granted(report) else { return said };
    Some(match (said, remedy) {
        (Some(said), Some(Remedy::Permit(permission))) if !matches!(permission, Permission::NotWanted { .. }) => {
            format!("{granted}. The operator can allow more: {said}")
        }
        (Some(said), _) => format!("{granted}. {said}"),
        (None, _) => granted,
    })
}

fn words(remedy: &Remedy, report: &Report) -> String {
    let or_code = |text: &str| format!("{text}; or write Python for execute_code");
    match remedy {
        Remedy::Text(text) => cut(text),
        Remedy::Permit(permission) => cut(&permission.to_string()),
        Remedy::Script(advice) => advice.to_string(),
        Remedy::Template(advice) => advice.to_string(),
        Remedy::Tool(advice) => advice.to_string(),
        Remedy::Value(advice @ ValueAdvice::CorrectSetting { .. }) => {
            cut(&format!("tell the operator to {}", advice.words(&param)))
        }
        Remedy::Value(advice) => cut(&advice.words(&param)),
        Remedy::AllowWrites => {
            "changes need the user's consent, and this client cannot elicit it: the user can start the server with \
             `intentbox mcp --allow-writes`, or run `intentbox run-intent … --allow-writes`"
                .to_owned()
        }
        Remedy::RaiseLimit { limit, most, instead } => {
            let first = match instead {
                Some(advice) => advice.to_string(),
                None if *limit == "memory_bytes" => ScriptAdvice::HoldLess.to_string(),
                None => "look for a loop that does not end".to_owned(),
            };
            format!(
                "{first}; or raise the limit (at most {most}) or do less in one run, by `limits` of the call, such as \
                 {{\"{limit}\": …}}"
            )
        }
        Remedy::NameLimit => "name one of these in `limits` of the call".to_owned(),
        Remedy::SetLimit { limit, least, most } => {
            format!("choose a value from {least} to {most} for `{limit}` in `limits` of the call, or leave it out")
        }
        Remedy::ShrinkInput => "send less in `params`, or let the script fetch what it needs".to_owned(),
        Remedy::InputAsJson => "send JSON in `params`, such as {\"limit\": 5}".to_owned(),
        Remedy::ScriptAsText { bytes_max } => {
            format!("send code of at most {bytes_max} bytes, or raise `script_bytes` in `limits` of the call")
        }
        Remedy::ShortenTemplate => "tell the operator to shorten the template".to_owned(),
        Remedy::MendTemplate { template } => {
            or_code(&format!("the intent is valid; the template `{template}` or the data that it read is at fault"))
        }
        Remedy::Shorten => "say what is wanted in one sentence".to_owned(),
        Remedy::Ask => {
            "say what is wanted, such as \"list errors\"; the intent \"help\" lists what can be asked".to_owned()
        }
        Remedy::Rephrase(rephrase) if rephrase.is_beyond_code => {
            cut(&format!("{}; code for execute_code may only read", in_other_words(rephrase)))
        }
        Remedy::Rephrase(rephrase) => or_code(&cut(&in_other_words(rephrase))),
        Remedy::NoChange { by_code: true } => "to make this change, write Python for execute_code".to_owned(),
        Remedy::NoChange { by_code: false } => {
            "nothing that is granted here makes this change, and code for execute_code may only read: tell the user"
                .to_owned()
        }
        Remedy::Configure { template, lacks } => {
            let lacks: Vec<String> = lacks.iter().map(Lack::to_string).collect();
            let lacks = lacks.join(" and ");
            or_code(&cut(&format!("`{template}` would answer this, and needs the operator to configure {lacks}")))
        }
        Remedy::Choose => {
            let example = report.candidates.first().map_or("", |candidate| candidate.template.as_str());
            format!("repeat run_intent with the name of the one that is meant as the intent, such as {example:?}")
        }
        Remedy::Supply(missing) => {
            let examples = missing.iter().map(|missing| (missing.name.as_str(), missing.example.as_str()));
            format!("repeat run_intent with params such as {}", params(examples))
        }
        Remedy::Unreachable { origin } => format!(
            "`{origin}` does not answer, whatever is asked of it: tell the operator, and retry later; what needs no `{origin}` can \
             still be asked"
        ),
        Remedy::Origin { status } => match status {
            404 => "this path is not there: print the reply's `text`, which may say why or name what is",
            401 => "the origin rejects the token: the operator must set a valid one in config.toml",
            403 => "the origin forbids this: the token may lack a permission, or the origin may block this machine",
            429 => "the origin limits the request rate: request less, or retry later",
            _ => "the origin has a fault: retry later",
        }
        .to_owned(),
        Remedy::Retry => "repeat the call when others have ended".to_owned(),
        Remedy::CheckBeforeRetry => CHECK_BEFORE_RETRY.to_owned(),
        Remedy::ReportFault => "tell the operator: this is a fault of the server or of its machine".to_owned(),
    }
}

/// What a list of what can be asked does not show.
pub(crate) fn unlisted(listed: Listed) -> Option<String> {
    match listed {
        Listed { of: 0, .. } => {
            let nothing =
                "no template has the access that it needs; the operator must configure an origin or a directory";
            Some(nothing.to_owned())
        }
        Listed { shown, of } => (shown < of).then(|| format!("{shown} of {of} templates")),
    }
}

/// A value for a parameter, as `params` of a call has it.
fn param(name: &str, value: &str) -> String {
    params([(name, value)].into_iter())
}

/// Values for parameters, as `params` of a call has them. Texts are read by the types of the parameters.
fn params<'a>(values: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let object = values.map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    Value::Object(object).to_string()
}

/// How to say an intent in other words: the names that were nearly written, and the nearest sentence.
fn in_other_words(rephrase: &Rephrase) -> String {
    let mut advice: Vec<String> = rephrase.near_names.iter().map(NearName::to_string).collect();
    advice.push(match (&rephrase.nearest, rephrase.has_candidates) {
        (Some(nearest), _) => format!("run_intent answers {nearest:?}"),
        (None, true) => {
            "did you mean one of these? Repeat run_intent with its name as the intent and with its params".to_owned()
        }
        (None, false) => {
            "rephrase the intent, or ask run_intent for \"help\", which lists what can be asked".to_owned()
        }
    });
    advice.join(" ")
}

/// What is granted, where a run was refused something.
fn granted(report: &Report) -> Option<String> {
    let access = report.access.as_ref().filter(|_| report.outcome() == Outcome::CapabilityDenied)?;
    let lines = access.lines();
    if lines.is_empty() {
        return Some("nothing is granted here".to_owned());
    }
    let shown: Vec<&str> = lines.iter().take(LISTED_MAX).map(String::as_str).collect();
    let more = lines.len().saturating_sub(LISTED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let remedy = report.failure.as_ref().and_then(|failure| failure.remedy.as_ref());
    let is_by_host = matches!(remedy, Some(Remedy::Permit(Permission::Origin { origin: MissingOrigin::At(_), .. })));
    let by_alias = match access.http.first() {
        Some(rule) if is_by_host => format!(", by the alias in place of the host: `{}:/PATH`", rule.alias()),
        _ => String::new(),
    };
    Some(format!("granted here: {}{more}{by_alias}", shown.join("; ")))
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{Candidate, Cause, Failure, Missing, RunId, TemplateAdvice};

    use super::*;

    fn said(remedy: Remedy) -> String {
        let candidate =
            Candidate { template: "a/b".to_owned(), summary: "Does.".to_owned(), score: 0.8, ..Candidate::default() };
        let failure = Failure::new(Cause::NotFound, "it ended").with(remedy);
        let report = Report { candidates: vec![candidate], ..Report::failed(RunId::of(0), failure) };
        hint(&report).expect("there is a remedy")
    }

    #[test]
    fn every_remedy_is_said_in_the_terms_of_a_call() {
        let missing = Missing { name: "issue".to_owned(), example: "WEB-1".to_owned(), setting: None };
        let rephrase = |nearest: Option<&str>, has_candidates: bool| {
            let (parameter, called) = ("project".to_owned(), "project".to_owned());
            let near = NearName { parameter, called, written: "wbe".to_owned(), name: "web".to_owned() };
            let near_names = nearest.map(|_| near).into_iter().collect();
            let nearest = nearest.map(str::to_owned);
            Remedy::Rephrase(Box::new(Rephrase { has_candidates, nearest, near_names, ..Rephrase::default() }))
        };
        let lacks = vec![Lack::Origin("x".to_owned()), Lack::Directory("y".to_owned())];
        for (remedy, expected) in [
            (Remedy::Text("look".to_owned()), "look"),
            (
                Remedy::RaiseLimit { limit: "fuel", most: 9, instead: None },
                "look for a loop that does not end; or raise the limit (at most 9) or do less in one run, by `limits` of \
                 the call, such as {\"fuel\": …}",
            ),
            (
                Remedy::RaiseLimit { limit: "memory_bytes", most: 9, instead: None },
                "hold less at a time; or raise the limit (at most 9) or do less in one run, by `limits` of the call, such \
                 as {\"memory_bytes\": …}",
            ),
            (
                Remedy::RaiseLimit { limit: "host_calls", most: 9, instead: Some(ScriptAdvice::FewerRequests) },
                "ask for less: larger pages, fewer requests, narrower queries; or raise the limit (at most 9) or do less in \
                 one run, by `limits` of the call, such as {\"host_calls\": …}",
            ),
            (
                Remedy::SetLimit { limit: "wall_ms", least: 1, most: 9 },
                "choose a value from 1 to 9 for `wall_ms` in `limits` of the call, or leave it out",
            ),
            (
                Remedy::MendTemplate { template: "x/y".to_owned() },
                "the intent is valid; the template `x/y` or the data that it read is at fault; or write Python for \
                 execute_code",
            ),
            (Remedy::Ask, "say what is wanted, such as \"list errors\"; the intent \"help\" lists what can be asked"),
            (
                rephrase(None, true),
                "did you mean one of these? Repeat run_intent with its name as the intent and with its params; or write Python for execute_code",
            ),
            (
                rephrase(None, false),
                "rephrase the intent, or ask run_intent for \"help\", which lists what can be asked; or write Python for \
                 execute_code",
            ),
            (
                rephrase(Some("errors in project web"), true),
                "no project `wbe`: did you mean `web`? run_intent answers \"errors in project web\"; or write Python for \
                 execute_code",
            ),
            (
                Remedy::Configure { template: "x/y".to_owned(), lacks },
                "`x/y` would answer this, and needs the operator to configure the origin `x` and the directory `y`; or \
                 write Python for execute_code",
            ),
            (Remedy::Choose, "repeat run_intent with the name of the one that is meant as the intent, such as \"a/b\""),
            (Remedy::Supply(vec![missing]), "repeat run_intent with params such as {\"issue\":\"WEB-1\"}"),
            (
                Remedy::Value(ValueAdvice::Nearest { name: "limit".to_owned(), value: "100".to_owned() }),
                "`{\"limit\":\"100\"}` is the nearest that is allowed",
            ),
            (
                Remedy::Value(ValueAdvice::CorrectSetting {
                    setting: "sentry.organization".to_owned(),
                    advice: Box::new(ValueAdvice::Like { name: "organization".to_owned(), example: "acme".to_owned() }),
                }),
                "tell the operator to correct `sentry.organization` in the configuration: give it like `organization = \
                 \"acme\"`",
            ),
            (Remedy::Template(TemplateAdvice::UsePython), "move the work from the template into its Python"),
            (
                Remedy::Unreachable { origin: "shop".to_owned() },
                "`shop` does not answer, whatever is asked of it: tell the operator, and retry later; what needs no `shop` can still \
                 be asked",
            ),
            (Remedy::Origin { status: 503 }, "the origin has a fault: retry later"),
        ] {
            assert_eq!(said(remedy), expected);
        }
    }
}
