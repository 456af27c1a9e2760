//! What to do about a failure, in the terms of the command line: flags, commands and lines of files.

use intentbox_engine::{Missing, Remedy};

/// A remedy in words, as an imperative.
pub(crate) fn words(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Advice(text) | Remedy::Permit(text) => text.clone(),
        Remedy::AllowWrites => "add --allow-writes to allow the change".to_owned(),
        Remedy::RaiseLimit { limit, most } => {
            format!("raise the limit with --limit {limit}=NUMBER (at most {most}), or do less in one run")
        }
        Remedy::Rephrase { has_candidates: true } => {
            "did you mean one of these? Rephrase the intent like its summary, or add --explain to see how it was parsed"
                .to_owned()
        }
        Remedy::Rephrase { has_candidates: false } => {
            "rephrase the intent, or add --explain to see how it was parsed".to_owned()
        }
        Remedy::Configure { template, lacks } => format!("add {} to use `{template}`", lacks.join(" and ")),
        Remedy::Choose => "rephrase the intent like the summary of the candidate that you mean".to_owned(),
        Remedy::Supply(missing) => {
            let gifts: Vec<String> = missing.iter().map(supply).collect();
            format!("add {}", gifts.join(" and "))
        }
        Remedy::Origin { status } => match status {
            401 => "configure a valid token for the origin, and test it with `intentbox doctor`",
            403 => "check that the token has the necessary rights, and that the origin does not block this machine",
            429 => "request less or retry later: the origin limits the rate of requests",
            _ => "retry later: the origin has a fault",
        }
        .to_owned(),
    }
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

/// One word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=@,".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remedy_is_said_with_the_flag_or_line_that_it_needs() {
        let missing = |name: &str, setting: Option<&str>| Missing {
            name: name.to_owned(),
            example: "x".to_owned(),
            setting: setting.map(str::to_owned),
        };
        let missing = vec![missing("issue", None), missing("organization", Some("sentry.organization"))];
        let configure = |lacks: &[&str]| Remedy::Configure {
            template: "logs/count_by_level".to_owned(),
            lacks: lacks.iter().map(|lack| (*lack).to_owned()).collect(),
        };
        for (remedy, expected) in [
            (Remedy::AllowWrites, "add --allow-writes to allow the change"),
            (
                Remedy::RaiseLimit { limit: "wall_ms", most: 9 },
                "raise the limit with --limit wall_ms=NUMBER (at most 9), or do less in one run",
            ),
            (configure(&["--dir logs=PATH"]), "add --dir logs=PATH to use `logs/count_by_level`"),
            (
                configure(&["[origins.a] in the configuration", "--dir logs=PATH"]),
                "add [origins.a] in the configuration and --dir logs=PATH to use `logs/count_by_level`",
            ),
            (
                Remedy::Supply(missing),
                "add --param issue=x and --param organization=x (or `organization` to the settings of [origins.sentry] in \
                 the configuration)",
            ),
            (Remedy::Origin { status: 429 }, "request less or retry later: the origin limits the rate of requests"),
        ] {
            assert_eq!(words(&remedy), expected);
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
