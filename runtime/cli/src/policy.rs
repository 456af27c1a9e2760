//! `policy`: checks the policy, explains what it allows for one request, and shows those that jobs ran under.

use std::fmt::Write as _;

use anyhow::Context as _;
use intentbox_catalog::TemplateId;
use intentbox_engine::{Caller, Cause, Failure, Principal};
use intentbox_jobs::{JobQuotas, POLICY_DIGITS, Place, PolicyVersion};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{Database, Isolation, Policy, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::words::words;
use crate::{jobs, process, setup, show, table, templates};

pub(crate) async fn run(sources: &Sources, command: Policy) -> Result<Answer, CommandError> {
    match command {
        Policy::Check => check(sources).await,
        Policy::Versions { database, digest } => versions(sources, &database, digest.as_deref()).await,
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

async fn versions(sources: &Sources, database: &Database, digest: Option<&str>) -> Result<Answer, CommandError> {
    let place = setup::store_place(sources, database)?;
    if place.is_missing() {
        return Ok(no_versions(&place));
    }
    let store = jobs::store(&place, process::name(), JobQuotas::default()).await?;
    let versions = intentbox_jobs::policies(&store, digest.unwrap_or_default()).await;
    store.close().await;
    let versions = versions.class(Class::Unavailable)?;
    match (digest, versions.as_slice()) {
        (None, []) => Ok(no_versions(&place)),
        (None, _) => {
            let rows: Vec<Value> = versions.iter().map(row).collect();
            Ok(Answer::new(table::shown(&Value::from(rows.clone()).to_string())).with("versions", rows))
        }
        (Some(_), [version]) => {
            let answer = row(version);
            Ok(Answer::new(version.text.clone()).with("version", answer).with("text", version.text.as_str()))
        }
        (Some(digest), found) => {
            let how_many = if found.is_empty() { "no".to_owned() } else { found.len().to_string() };
            let error = Class::Usage.error(format!("{how_many} policies have a digest that begins with {digest:?}"));
            Err(error.hint("list them with `intentbox policy versions`"))
        }
    }
}

fn no_versions(place: &Place) -> Answer {
    let told = format!("no server with a policy file has run jobs of {place}");
    Answer::default().noting(told).with("versions", Vec::<Value>::new())
}

fn row(version: &PolicyVersion) -> Value {
    let digest = version.digest.get(..POLICY_DIGITS).unwrap_or_default();
    json!({"digest": digest, "first_used_at": jobs::time(version.first_ms), "last_used_at": jobs::time(version.last_ms)})
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
