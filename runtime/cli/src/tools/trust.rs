//! `tools trust`: a person approves what a project's file would start.

use std::io::Write as _;
use std::io::{BufRead as _, stderr, stdin};

use intentbox_capability::ServerId;
use intentbox_tools::{FileOrigin, ServerConfig, Transport, Upstreams};

use crate::answer::Answer;
use crate::arguments::{Allow, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::question::can_be_asked;
use crate::servers;
use crate::show;

use super::find;
use super::permit::{ENDS_THE_DEMO, Permit, Rules};
use super::refresh::begin;

pub(super) async fn run(
    sources: &Sources,
    upstreams: &Upstreams,
    names: &[String],
    yes: bool,
    allow: Allow,
) -> Result<Answer, CommandError> {
    let chosen = names.iter().map(|name| find(upstreams, name)).collect::<Result<Vec<_>, _>>()?;
    let is_meant = |config: &&ServerConfig| {
        !upstreams.is_approved(config.id.as_str()) && (chosen.is_empty() || chosen.contains(&config.id))
    };
    let pending: Vec<&ServerConfig> = upstreams.servers().filter(is_meant).collect();
    if pending.is_empty() {
        let text = match names {
            [] if upstreams.servers().all(|config| config.origin != FileOrigin::Project) => {
                "no server waits for approval: .mcp.json, .cursor/mcp.json and .vscode/mcp.json of this folder configure none\n".to_owned()
            }
            [] => "every server is approved already\n".to_owned(),
            [name] => format!("`{name}` is approved already\n"),
            names => format!("{} are approved already\n", names.join(", ")),
        };
        return Ok(Answer::new(text).with("approved", Vec::<String>::new()));
    }
    for config in &pending {
        show::notice(&format!("{}  {}", config.id, config.file.display()));
        let (before, now) =
            (upstreams.kept().told_before(config).await.class(Class::Unavailable)?, config.told_lines());
        let mark =
            |lines: &[String], line: &String| if before.is_empty() || lines.contains(line) { "  " } else { "+ " };
        for line in &now {
            show::notice(&format!("{}{line}", mark(&before, line)));
        }
        let gone: Vec<&String> = before.iter().filter(|line| !now.contains(line)).collect();
        for line in &gone {
            show::notice(&format!("- {line}"));
        }
        match (gone.as_slice(), before == now) {
            (_, true) => show::notice("  it has changed since it was approved, in a value that is not shown"),
            ([], false) if before.is_empty() => {}
            _ => show::notice("  + and - say what has changed since it was approved"),
        }
        if let Some(told) = servers::told_closed(upstreams, config) {
            show::notice(&format!("  {told}"));
        }
    }
    let closed: Vec<&str> = pending
        .iter()
        .filter(|config| upstreams.refused_folder(config).is_some())
        .map(|config| config.id.as_str())
        .collect();
    if !closed.is_empty() {
        let error = Class::Usage.error(format!("nothing was approved: {} would not start", closed.join(", ")));
        return Err(error.hint("change the entry, or approve others by their names: intentbox tools trust NAME"));
    }
    if pending.iter().any(|config| matches!(config.told, Transport::Stdio(_))) {
        show::notice(&format!(
            "every program may write the caches of launchers too: {}",
            servers::shown_caches(upstreams)
        ));
    }
    let servers: Vec<ServerId> = pending.iter().map(|config| config.id.clone()).collect();
    let permit = Permit::of(sources, &servers, allow)?;
    // A rule of before may say more than the one that would be added.
    let Rules { path, rules: in_force } = Rules::in_force(sources, &servers)?;
    if !in_force.is_empty() && allow == Allow::None {
        let told = format!("the policy allows tools of this name already: `{}` in {path}", in_force.join("`, `"));
        let hint = "a policy goes by names: remove the rule, or give the server another name in its file; without --allow none, the rule \
                    holds for it";
        return Err(Class::Usage.error(told).hint(hint));
    }
    if !in_force.is_empty() {
        show::notice(&format!("allowed already  {path}: `{}`", in_force.join("`, `")));
    }
    if let Some(permit) = &permit {
        show::notice(&format!("would add  {}", permit.told()));
        if permit.ends_the_demo(sources) {
            show::notice(ENDS_THE_DEMO);
        }
    }
    if !yes && !confirmed(pending.len()).await? {
        return Err(Class::Usage.error("nothing was approved"));
    }
    // First, since it may fail: a rule for a server that is not approved permits nothing.
    if let Some(permit) = &permit {
        permit.write()?;
    }
    for config in &pending {
        upstreams.kept().trust(config).await.class(Class::Unavailable)?;
    }
    // Read anew: now they may be started.
    let ids: Vec<_> = pending.iter().filter(|config| config.is_enabled).map(|config| config.id.clone()).collect();
    let status = begin(sources, &servers::servers(sources).await?, &ids).await?;
    let names: Vec<&str> = pending.iter().map(|config| config.id.as_str()).collect();
    let text = format!("approved {}, {status}; see `intentbox tools list`\n", names.join(", "));
    let rules = permit.map(|permit| permit.rules).unwrap_or_default();
    Ok(Answer::new(text).with("approved", names).with("rules", rules))
}

/// Asks the person at the terminal about what was shown.
pub(super) async fn confirmed(count: usize) -> Result<bool, CommandError> {
    if !can_be_asked() {
        let error = Class::Usage.error("there is no terminal to ask at");
        return Err(error.hint("add --yes to approve what is shown"));
    }
    let what = if count == 1 { "it" } else { "them" };
    let asked = tokio::task::spawn_blocking(move || -> std::io::Result<bool> {
        write!(stderr(), "Approve {what}? [y/N] ")?;
        let mut reply = String::new();
        stdin().lock().read_line(&mut reply)?;
        Ok(matches!(reply.trim(), "y" | "Y" | "yes"))
    });
    asked.await.class(Class::Internal)?.class(Class::Unavailable)
}
