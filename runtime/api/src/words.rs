//! Words remedies in the terms of a request to the API.

use intentbox_engine::{CHECK_BEFORE_RETRY, Lack, Permission, Remedy, ScriptAdvice, ValueAdvice};
use serde_json::{Map, Value};

/// What to do, in the terms of a request.
#[must_use]
pub fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Text(text) => text.clone(),
        Remedy::Permit(permission @ Permission::NotWanted { .. }) => permission.to_string(),
        Remedy::Permit(permission) => format!("the operator can allow it: {permission}"),
        Remedy::Script(advice) => advice.to_string(),
        Remedy::Template(advice) => advice.to_string(),
        Remedy::Tool(advice) => advice.to_string(),
        Remedy::Value(advice @ ValueAdvice::CorrectSetting { .. }) => {
            format!("the operator has to {}", advice.words(&param))
        }
        Remedy::Value(advice) => advice.words(&param),
        Remedy::AllowWrites => "add \"allow_writes\": true to the request to allow the change".to_owned(),
        Remedy::RaiseLimit { limit, most, instead } => {
            let first = match instead {
                Some(advice) => advice.to_string(),
                None if *limit == "memory_bytes" => ScriptAdvice::HoldLess.to_string(),
                None => "look for a loop that does not end".to_owned(),
            };
            format!("{first}; or raise the limit with \"limits\": {{\"{limit}\": …}} (at most {most})")
        }
        Remedy::NameLimit => "name one of these in \"limits\"".to_owned(),
        Remedy::SetLimit { limit, least, most } => {
            format!("choose a value from {least} to {most} for \"{limit}\" in \"limits\", or leave it out")
        }
        Remedy::ShrinkInput => "send less in \"input\", or let the script fetch what it needs".to_owned(),
        Remedy::InputAsJson => "send JSON as \"input\"".to_owned(),
        Remedy::ScriptAsText { bytes_max } => {
            format!("send code of at most {bytes_max} bytes, or raise \"script_bytes\" in \"limits\"")
        }
        Remedy::ShortenTemplate => "the operator has to shorten the template".to_owned(),
        Remedy::MendTemplate { template } => {
            format!("the intent is valid; the template `{template}` or the data that it read is at fault")
        }
        Remedy::Shorten => "say what is wanted in one sentence".to_owned(),
        Remedy::Ask => {
            "say what is wanted, such as \"list errors\"; the intent \"help\" lists what can be asked".to_owned()
        }
        Remedy::Rephrase(rephrase) => {
            let mut advice: Vec<String> = rephrase.near_names.iter().map(ToString::to_string).collect();
            advice.push(match (&rephrase.nearest, rephrase.has_candidates) {
                (Some(nearest), _) => format!("the intent {nearest:?} is answered"),
                (None, true) => {
                    "repeat the request with \"template\": the id of the candidate that is meant".to_owned()
                }
                (None, false) => "rephrase the intent; the intent \"help\" lists what can be asked".to_owned(),
            });
            advice.join(" ")
        }
        Remedy::NoChange { by_code: true } => "submit \"code\" that makes this change".to_owned(),
        Remedy::NoChange { by_code: false } => {
            "the policy lets code only read, and no template makes this change".to_owned()
        }
        Remedy::Configure { template, lacks } => {
            let lacks: Vec<String> = lacks.iter().map(Lack::to_string).collect();
            format!("`{template}` would answer this, and needs the operator to configure {}", lacks.join(" and "))
        }
        Remedy::Choose => "repeat the request with \"template\": the id of the candidate that is meant".to_owned(),
        Remedy::Supply(missing) => {
            let fields = missing.iter().map(|missing| (missing.name.clone(), Value::from(missing.example.as_str())));
            format!("repeat the request with \"params\" such as {}", Value::Object(fields.collect::<Map<_, _>>()))
        }
        Remedy::Unreachable { origin } => {
            format!("`{origin}` does not answer: tell the operator, and submit it again later")
        }
        Remedy::Origin { status } => match status {
            404 => "this path is not there: print the reply's `text`, which may say why or name what is",
            401 => "the origin rejects the token: the operator must set a valid one",
            403 => "the origin forbids this: the token may lack a permission",
            429 => "the origin limits the request rate: request less, or retry later",
            _ => "the origin has a fault: retry later",
        }
        .to_owned(),
        Remedy::Retry => "retry when other runs have ended".to_owned(),
        Remedy::CheckBeforeRetry => CHECK_BEFORE_RETRY.to_owned(),
        Remedy::ReportFault => "tell the operator: this is a fault of the server or of its machine".to_owned(),
    }
}

/// A value for a parameter, as `params` of a request has it.
fn param(name: &str, value: &str) -> String {
    let fields: Map<String, Value> = std::iter::once((name.to_owned(), Value::from(value))).collect();
    format!("\"params\": {}", Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use intentbox_engine::Missing;

    use super::*;

    #[test]
    fn remedies_are_said_in_the_terms_of_a_request() {
        let missing = Missing { name: "issue".to_owned(), example: "WEB-1".to_owned(), setting: None };
        for (remedy, expected) in [
            (Remedy::AllowWrites, "add \"allow_writes\": true to the request to allow the change"),
            (
                Remedy::RaiseLimit { limit: "fuel", most: 9, instead: None },
                "look for a loop that does not end; or raise the limit with \"limits\": {\"fuel\": …} (at most 9)",
            ),
            (Remedy::Supply(vec![missing]), "repeat the request with \"params\" such as {\"issue\":\"WEB-1\"}"),
            (Remedy::Choose, "repeat the request with \"template\": the id of the candidate that is meant"),
            (
                Remedy::Value(ValueAdvice::Nearest { name: "limit".to_owned(), value: "100".to_owned() }),
                "`\"params\": {\"limit\":\"100\"}` is the nearest that is allowed",
            ),
        ] {
            assert_eq!(words(&remedy), expected);
        }
    }
}
