//! What to do about a failure, in the terms of the command line: flags, commands and lines of files.

use intentbox_engine::Remedy;

/// A remedy in words, as an imperative.
pub(crate) fn words(remedy: &Remedy) -> String {
    let see_explain = |text: &str| format!("{text} — see --explain for how it was read");
    match remedy {
        Remedy::Advice(text) | Remedy::Permit(text) => text.clone(),
        Remedy::AllowWrites => "repeat it with --allow-writes if the change is meant".to_owned(),
        Remedy::RaiseLimit { limit, most } => {
            let flag = match *limit {
                "fuel" => " — see --fuel",
                "wall_ms" => " — see --timeout-ms",
                "memory_bytes" => " — see --memory-mib",
                _ => "",
            };
            format!("raise the limit (at most {most}) or do less in one run{flag}")
        }
        Remedy::Rephrase { has_candidates: true } => see_explain("if one of these is meant, say it in its words"),
        Remedy::Rephrase { has_candidates: false } => see_explain("say it in other words"),
        Remedy::Configure { template, lacks } => {
            see_explain(&format!("`{template}` would answer this, and needs {}", lacks.join(" and ")))
        }
        Remedy::Choose => "say which, in the words of one of the candidates".to_owned(),
        Remedy::Supply(missing) => {
            let gifts: Vec<String> = missing
                .iter()
                .map(|missing| match &missing.setting {
                    Some(setting) => {
                        format!("`{}={}`, or set `{setting}` in the configuration", missing.name, missing.example)
                    }
                    None => format!("`{}={}`", missing.name, missing.example),
                })
                .collect();
            format!("give {}", gifts.join(" and "))
        }
        Remedy::Origin { status } => match status {
            401 => {
                "the origin wants a token, or another one: set it in config.toml, and `intentbox doctor` tries it at the \
                 origin's `check` path"
            }
            403 => "the origin does not allow this: the token may lack a right, or the origin may block who asks",
            429 => "the origin limits how often it is asked: ask for less, or again later",
            _ => "the origin is in trouble: try again later",
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use intentbox_engine::Missing;

    use super::*;

    #[test]
    fn every_remedy_is_said_with_the_flag_or_line_that_it_needs() {
        let missing = |name: &str, setting: Option<&str>| Missing {
            name: name.to_owned(),
            example: "x".to_owned(),
            setting: setting.map(str::to_owned),
        };
        let missing = vec![missing("issue", None), missing("organization", Some("sentry.organization"))];
        for (remedy, expected) in [
            (Remedy::AllowWrites, "repeat it with --allow-writes if the change is meant"),
            (
                Remedy::RaiseLimit { limit: "wall_ms", most: 9 },
                "raise the limit (at most 9) or do less in one run — see --timeout-ms",
            ),
            (Remedy::RaiseLimit { limit: "host_calls", most: 9 }, "raise the limit (at most 9) or do less in one run"),
            (
                Remedy::Supply(missing),
                "give `issue=x` and `organization=x`, or set `sentry.organization` in the configuration",
            ),
            (Remedy::Origin { status: 429 }, "the origin limits how often it is asked: ask for less, or again later"),
        ] {
            assert_eq!(words(&remedy), expected);
        }
    }
}
