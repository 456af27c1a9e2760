//! `policy`: whether the policy can be used, and what it says about one request.

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::process::ExitCode;

use intentbox_catalog::TemplateId;
use intentbox_engine::Outcome;

use crate::arguments::{Isolation, Policy, Sources};
use crate::words::words;
use crate::{setup, show};

pub(crate) async fn run(sources: &Sources, command: Policy) -> anyhow::Result<ExitCode> {
    match command {
        Policy::Check => check(sources).await,
        Policy::Explain { method, url, template } => explain(sources, &method, &url, template.as_deref()).await,
    }
}

async fn check(sources: &Sources) -> anyhow::Result<ExitCode> {
    let configured = setup::configured(sources).await?;
    let (origins, directories) = configured.aliases();
    let faults = configured.policy.check(&*configured.catalog()?, &origins, &directories);
    let mut text = String::new();
    for fault in &faults {
        let _ = writeln!(text, "{fault}");
    }
    if faults.is_empty() {
        let _ = match &configured.policy_file {
            Some(file) => writeln!(text, "{}: every line can matter", file.display()),
            None => {
                writeln!(text, "there is no policy.toml, so nothing is permitted but what the demo and --dir bring")
            }
        };
    }
    stdout().write_all(show::printable(&text).as_bytes())?;
    Ok(ExitCode::from(if faults.is_empty() { Outcome::Ok } else { Outcome::Usage }.terms().exit))
}

async fn explain(sources: &Sources, method: &str, url: &str, template: Option<&str>) -> anyhow::Result<ExitCode> {
    let engine = setup::engine(sources, Isolation::InProcess).await?.engine;
    let id = template.map(str::parse::<TemplateId>).transpose();
    let id = id.map_err(|error| anyhow::anyhow!("--for: {error}"))?;
    let mut text = String::new();
    let outcome = match engine.admits(id.as_ref(), method, url) {
        Ok(lines) => {
            let _ = writeln!(text, "permitted by");
            for line in lines {
                let _ = writeln!(text, "  {line}");
            }
            Outcome::Ok
        }
        Err(refused) => {
            let _ = writeln!(text, "{}", refused.message);
            if let Some(remedy) = &refused.remedy {
                let _ = writeln!(text, "hint: {}", words(remedy));
            }
            Outcome::CapabilityDenied
        }
    };
    stdout().write_all(show::printable(&text).as_bytes())?;
    Ok(ExitCode::from(outcome.terms().exit))
}
