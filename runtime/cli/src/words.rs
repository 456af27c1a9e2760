//! What to do about a failure, in the terms of the command line: flags, commands and lines of files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use intentbox_engine::{CHECK_BEFORE_RETRY, Lack, Listed, Missing, NearName, Remedy, Rephrase};
use serde_json::Value;

/// A remedy in words, as an imperative.
pub(crate) fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Text(text) => text.clone(),
        Remedy::Permit(permission) => permission.to_string(),
        Remedy::Script(advice) => advice.to_string(),
        Remedy::Template(advice) => advice.to_string(),
        Remedy::Tool(advice) => advice.to_string(),
        Remedy::Value(advice) => advice.words(&|name: &str, value: &str| format!("{name}={value}")),
        Remedy::AllowWrites => "add --allow-writes to allow the change".to_owned(),
        Remedy::RaiseLimit { limit, most, instead } => {
            let instead = instead.map_or_else(|| "do less in one run".to_owned(), |advice| advice.to_string());
            format!("raise the limit with --limit {limit}=NUMBER (at most {most}), or {instead}")
        }
        Remedy::NameLimit => "name one of these limits with --limit NAME=VALUE".to_owned(),
        Remedy::SetLimit { limit, least, most } => {
            format!("choose a value from {least} to {most} with --limit {limit}=NUMBER")
        }
        Remedy::ShrinkInput => "give the script less with --input, or let it fetch what it needs".to_owned(),
        Remedy::InputAsJson => "give JSON text with --input, such as {\"limit\": 5}".to_owned(),
        Remedy::ScriptAsText { bytes_max } => {
            format!("give UTF-8 text of at most {bytes_max} bytes, or raise the limit with --limit script_bytes=NUMBER")
        }
        Remedy::ShortenTemplate => "shorten the template".to_owned(),
        Remedy::MendTemplate { template } => {
            format!("correct the template `{template}` or the data that it read; the intent is valid")
        }
        Remedy::Shorten => "say what you want in one sentence".to_owned(),
        Remedy::Ask => {
            "say what you want, such as \"list errors\", or run `intentbox run-intent help` to see what can be asked"
                .to_owned()
        }
        Remedy::Rephrase(rephrase) => in_other_words(rephrase),
        Remedy::NoChange { by_code: true } => "to make this change, write a script for `intentbox exec`".to_owned(),
        Remedy::NoChange { by_code: false } => {
            "run `intentbox run-intent help` to see what can be asked; the policy lets scripts only read".to_owned()
        }
        Remedy::Configure { template, lacks } => format!("add {} to use `{template}`", all(lacks)),
        Remedy::Choose => "run the one that you mean by its name, or rephrase the intent like its summary".to_owned(),
        Remedy::Supply(missing) => {
            let gifts: Vec<String> = missing.iter().map(supply).collect();
            format!("add {}", gifts.join(" and "))
        }
        Remedy::Unreachable { origin } => format!(
            "nothing answers at `base_url` of [origins.{origin}]: see that its server runs and that this machine reaches it; \
             `intentbox doctor` tries it"
        ),
        Remedy::Origin { status } => match status {
            404 => "this path is not there: print the reply's `text`, which may say why or name what is",
            401 => "configure a valid token for the origin, and test it with `intentbox doctor`",
            403 => "check that the token has the necessary rights, and that the origin does not block this machine",
            429 => "request less or retry later: the origin limits the rate of requests",
            _ => "retry later: the origin has a fault",
        }
        .to_owned(),
        Remedy::Retry => "try again when other runs have ended".to_owned(),
        Remedy::CheckBeforeRetry => CHECK_BEFORE_RETRY.to_owned(),
        Remedy::ReportFault => "run `intentbox doctor`: this is a fault of the program or the machine".to_owned(),
    }
}

/// What a list of what can be asked does not show.
pub(crate) fn unlisted(listed: Listed) -> Option<String> {
    match listed {
        Listed { of: 0, .. } => {
            Some("no template has the access that it needs; configure an origin or a directory".to_owned())
        }
        Listed { shown, of } => (shown < of).then(|| format!("{shown} of {of} templates")),
    }
}

/// What would supply everything that a template lacks.
pub(crate) fn all(lacks: &[Lack]) -> String {
    lacks.iter().map(Lack::supply).collect::<Vec<_>>().join(" and ")
}

/// How to say an intent in other words: the names that were nearly written, and the nearest sentence.
fn in_other_words(rephrase: &Rephrase) -> String {
    let mut advice: Vec<String> = rephrase.near_names.iter().map(NearName::to_string).collect();
    advice.push(match (&rephrase.nearest, rephrase.has_candidates) {
        (Some(nearest), true) => {
            let nearest = sentence(nearest);
            format!("for example: intentbox run-intent {nearest}; or rephrase the intent like one of these summaries")
        }
        (Some(nearest), false) => format!("for example: intentbox run-intent {}", sentence(nearest)),
        (None, true) => {
            "did you mean one of these? Run its name, or rephrase the intent like its summary; --explain shows how it was parsed"
                .to_owned()
        }
        (None, false) => {
            "run `intentbox run-intent help` to see what can be asked, or add --explain to see how the intent was parsed"
                .to_owned()
        }
    });
    advice.join(" ")
}

/// A sentence as one word for a shell: in double quotes, as people type it, where those change nothing inside.
pub(crate) fn sentence(text: &str) -> String {
    let is_plain = !text.contains(['"', '\\', '$', '`', '!']);
    if is_plain { format!("\"{text}\"") } else { in_single_quotes(text) }
}

/// How a missing parameter is supplied: by a flag or, where it has one, by its setting.
fn supply(missing: &Missing) -> String {
    let flag = format!("--param {}", quoted(&format!("{}={}", missing.name, missing.example)));
    match missing.setting.as_deref().and_then(|setting| setting.split_once('.')) {
        Some((alias, name)) => {
            format!("{flag} (or `{name}` to the settings of [origins.{alias}] in the configuration)")
        }
        None => flag,
    }
}

/// The command that runs a template with values that were read, if each of them can be written as a flag.
pub(crate) fn by_name(template: &str, values: &BTreeMap<String, Value>) -> Option<String> {
    let mut command = format!("intentbox run-intent {}", quoted(template));
    for (name, value) in values {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                items.filter(|items| !items.iter().any(|item| item.contains([',', '"'])))?.join(",")
            }
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Object(_) => return None,
        };
        let _ = write!(command, " --param {}", quoted(&format!("{name}={text}")));
    }
    Some(command)
}

/// One word for a shell.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=@,".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { in_single_quotes(text) }
}

/// A text in which each command about jobs, between backquotes, has these flags at its end as well: what a hint says to run finds what
/// the command before it found.
pub(crate) fn with_flags(text: &str, flags: &str) -> String {
    let mut parts = text.split('`');
    let mut told = parts.next().unwrap_or_default().to_owned();
    for (place, part) in parts.enumerate() {
        let is_about_jobs = ["jobs", "schedules", "token"].iter().any(|verb| {
            part.strip_prefix("intentbox ")
                .and_then(|part| part.strip_prefix(verb))
                .is_some_and(|rest| rest.starts_with(' '))
        });
        let is_command = place % 2 == 0 && is_about_jobs;
        told.push('`');
        told.push_str(part);
        told.push_str(if is_command { flags } else { "" });
    }
    told
}

/// Any text as one word for a shell.
fn in_single_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{ScriptAdvice, ValueAdvice};

    use super::*;

    #[test]
    fn a_candidate_is_run_by_its_name_with_the_values_that_were_read() {
        use serde_json::json;
        for (values, expected) in [
            (json!({}), Some("intentbox run-intent a/b")),
            (
                json!({"limit": 5, "project": "web"}),
                Some("intentbox run-intent a/b --param limit=5 --param project=web"),
            ),
            (json!({"by": ["region", "month"]}), Some("intentbox run-intent a/b --param by=region,month")),
            (json!({"text": "it's $5"}), Some(r"intentbox run-intent a/b --param 'text=it'\''s $5'")),
            (json!({"by": ["a,b"]}), None),
            (json!({"by": null}), None),
        ] {
            let values: BTreeMap<String, Value> = serde_json::from_value(values).expect("an object");
            assert_eq!(by_name("a/b", &values).as_deref(), expected, "{values:?}");
        }
    }

    #[test]
    fn every_remedy_is_said_with_the_flag_or_line_that_it_needs() {
        let missing = |name: &str, setting: Option<&str>| Missing {
            name: name.to_owned(),
            example: "x".to_owned(),
            setting: setting.map(str::to_owned),
        };
        let missing = vec![missing("issue", None), missing("organization", Some("sentry.organization"))];
        let configure =
            |lacks: &[Lack]| Remedy::Configure { template: "logs/count_by_level".to_owned(), lacks: lacks.to_vec() };
        let logs = || Lack::Directory("logs".to_owned());
        for (remedy, expected) in [
            (Remedy::AllowWrites, "add --allow-writes to allow the change"),
            (
                Remedy::Ask,
                "say what you want, such as \"list errors\", or run `intentbox run-intent help` to see what can be asked",
            ),
            (
                Remedy::RaiseLimit { limit: "wall_ms", most: 9, instead: None },
                "raise the limit with --limit wall_ms=NUMBER (at most 9), or do less in one run",
            ),
            (
                Remedy::RaiseLimit { limit: "memory_bytes", most: 9, instead: Some(ScriptAdvice::HoldLess) },
                "raise the limit with --limit memory_bytes=NUMBER (at most 9), or hold less at a time",
            ),
            (
                Remedy::SetLimit { limit: "wall_ms", least: 1, most: 9 },
                "choose a value from 1 to 9 with --limit wall_ms=NUMBER",
            ),
            (
                Remedy::ScriptAsText { bytes_max: 9 },
                "give UTF-8 text of at most 9 bytes, or raise the limit with --limit script_bytes=NUMBER",
            ),
            (Remedy::InputAsJson, "give JSON text with --input, such as {\"limit\": 5}"),
            (configure(&[logs()]), "add --dir logs=PATH to use `logs/count_by_level`"),
            (
                configure(&[Lack::Origin("a".to_owned()), logs()]),
                "add [origins.a] in the configuration and --dir logs=PATH to use `logs/count_by_level`",
            ),
            (
                Remedy::Supply(missing),
                "add --param issue=x and --param organization=x (or `organization` to the settings of [origins.sentry] in \
                 the configuration)",
            ),
            (
                Remedy::Value(ValueAdvice::Nearest { name: "limit".to_owned(), value: "100".to_owned() }),
                "`limit=100` is the nearest that is allowed",
            ),
            (
                Remedy::Unreachable { origin: "shop".to_owned() },
                "nothing answers at `base_url` of [origins.shop]: see that its server runs and that this machine reaches it; \
                 `intentbox doctor` tries it",
            ),
            (Remedy::Origin { status: 429 }, "request less or retry later: the origin limits the rate of requests"),
        ] {
            assert_eq!(words(&remedy), expected);
        }
    }

    #[test]
    fn an_intent_in_other_words_is_a_command_to_type() {
        let rephrase = |nearest: Option<&str>, near_names: &[(&str, &str)], has_candidates: bool| Rephrase {
            is_beyond_code: false,
            has_candidates,
            not_understood: vec!["zap".to_owned()],
            nearest: nearest.map(str::to_owned),
            near_names: near_names
                .iter()
                .map(|(written, name)| NearName {
                    parameter: "project".to_owned(),
                    called: "project".to_owned(),
                    written: (*written).to_owned(),
                    name: (*name).to_owned(),
                })
                .collect(),
        };
        for (rephrase, expected) in [
            (
                rephrase(Some("errors in project web"), &[("wbe", "web")], true),
                "no project `wbe`: did you mean `web`? for example: intentbox run-intent \"errors in project web\"; or \
                 rephrase the intent like one of these summaries",
            ),
            (
                rephrase(Some("errors in project \"My web\""), &[], false),
                "for example: intentbox run-intent 'errors in project \"My web\"'",
            ),
            (
                rephrase(None, &[], true),
                "did you mean one of these? Run its name, or rephrase the intent like its summary; --explain shows how it was parsed",
            ),
            (
                rephrase(None, &[], false),
                "run `intentbox run-intent help` to see what can be asked, or add --explain to see how the intent was \
                 parsed",
            ),
        ] {
            assert_eq!(words(&Remedy::Rephrase(Box::new(rephrase))), expected);
        }
    }

    #[test]
    fn a_list_says_what_it_does_not_show() {
        let nothing = "no template has the access that it needs; configure an origin or a directory";
        for (shown, of, expected) in
            [(0, 0, Some(nothing)), (40, 40, None), (40, 41, Some("40 of 41 templates")), (1, 1, None)]
        {
            assert_eq!(unlisted(Listed { shown, of }).as_deref(), expected, "{shown} of {of}");
        }
    }

    #[test]
    fn a_sentence_is_one_word_for_a_shell() {
        for (text, expected) in [
            ("list errors", "\"list errors\""),
            ("what's broken", "\"what's broken\""),
            ("say \"hi\"", "'say \"hi\"'"),
            ("it's $5", r"'it'\''s $5'"),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn a_command_of_a_hint_has_the_flags_of_the_command_before_it() {
        for (text, expected) in [
            ("run `intentbox jobs list`", "run `intentbox jobs list --principal ci`"),
            ("write `intent` or `code`", "write `intent` or `code`"),
            ("is `intentbox serve` running?", "is `intentbox serve` running?"),
            ("see `intentbox schedules list`", "see `intentbox schedules list --principal ci`"),
            ("no command", "no command"),
            ("see `intentbox jobs show a`, and `b`", "see `intentbox jobs show a --principal ci`, and `b`"),
        ] {
            assert_eq!(with_flags(text, " --principal ci"), expected);
            assert_eq!(with_flags(text, ""), text);
        }
    }

    #[test]
    fn a_value_is_one_word_for_a_shell() {
        for (text, expected) in [
            ("issue=WEB-1", "issue=WEB-1"),
            ("query=lost connection", "'query=lost connection'"),
            ("query=it's", r"'query=it'\''s'"),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
