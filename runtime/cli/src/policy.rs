//! `policy`: checks the policy, and explains what it allows for one request.

use std::fmt::Write as _;

use anyhow::Context as _;
use intentbox_catalog::TemplateId;
use intentbox_engine::{Caller, Cause, Failure, Principal};

use crate::answer::Answer;
use crate::arguments::{Isolation, Policy, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::words::words;
use crate::{setup, show, templates};

pub(crate) async fn run(sources: &Sources, command: Policy) -> Result<Answer, CommandError> {
    match command {
        Policy::Check => check(sources).await,
        Policy::Explain { method, url, template, principal } => {
            explain(sources, &method, &url, template.as_deref(), principal.as_deref()).await
        }
    }
}

async fn check(sources: &Sources) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let known = configured.known_tools().await?;
    let faults = configured.policy.check(&*configured.catalog()?, &configured.configuration, &known);
    let file = configured.policy_file.as_ref().map(|file| file.display().to_string());
    let text = match &file {
        _ if !faults.is_empty() => faults.iter().fold(String::new(), |text, fault| text + fault + "\n"),
        Some(file) => format!("{file}: OK, every line can apply\n"),
        None => "no policy.toml: only the demo and --dir grant access\n".to_owned(),
    };
    let error = Class::Check.error(format!("{} in the policy", show::count(faults.len(), "fault")));
    let is_fine = faults.is_empty();
    let answer = Answer::new(text).with("policy", file).with("faults", faults);
    Ok(if is_fine { answer } else { answer.failing(error) })
}

async fn explain(
    sources: &Sources,
    method: &str,
    url: &str,
    template: Option<&str>,
    principal: Option<&str>,
) -> Result<Answer, CommandError> {
    let id = template.map(str::parse::<TemplateId>).transpose().context("--for").class(Class::Usage)?;
    let configured = setup::configured(sources).await?;
    let caller = match principal {
        Some(name) => Caller::of(named(&configured.policy, name)?),
        None => Caller::local(),
    };
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    if let Some(id) = &id {
        templates::find(&engine.catalog(), id.as_str())?;
    }
    match engine.admits(id.as_ref(), &caller, method, url).await {
        Ok(lines) => {
            let text = lines.iter().fold("permitted by\n".to_owned(), |text, line| text + "  " + line + "\n");
            // The last line of a URL is the request as it would be sent.
            let (request, lines): (Vec<&str>, Vec<&str>) =
                lines.iter().map(String::as_str).partition(|line| line.starts_with("= "));
            let request = request.first().and_then(|request| request.strip_prefix("= "));
            Ok(Answer::new(text).with("permitted_by", lines).with("request", request))
        }
        Err(refused) => {
            let mut text = format!("{}\n", refused.message);
            if let Some(remedy) = &refused.remedy {
                let _ = writeln!(text, "hint: {}", words(remedy));
            }
            let failure = Failure { remedy: refused.remedy, ..Failure::new(Cause::NotPermitted, refused.message) };
            Ok(Answer::new(text).denied(failure))
        }
    }
}

/// The principal of this name, if the policy has a table for it. Any other may do what the rest of the policy permits, and its
/// name may be a misspelled one.
fn named(policy: &intentbox_engine::Policy, name: &str) -> Result<Principal, CommandError> {
    let known: Vec<&str> = policy.principals().collect();
    if known.contains(&name) {
        return Ok(Principal::named(name));
    }
    let hint = if known.is_empty() {
        "leave out --principal: the policy has no table [principals.NAME]".to_owned()
    } else {
        format!("name one of these: {}", known.join(", "))
    };
    Err(Class::Usage.error(format!("the policy has no table for the principal `{name}`")).hint(hint))
}
