//! `tools search`: the tools that do what a sentence says. Starts nothing.

use std::fmt::Write as _;

use intentbox_catalog::terminal::printable;
use intentbox_engine::{FoundTool, FoundTools, search_tools};

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};
use crate::servers::Servers;

use super::list::effect_mark;

pub(super) async fn run(servers: &Servers, text: &str, most: usize) -> Result<Answer, CommandError> {
    let found = search_tools(&servers.upstreams, servers.embedding.as_ref(), text, most);
    let found = found.await.class(Class::Unavailable)?;
    let answer = Answer::new(told(&found)).with("fits", found.fits).with("searched", found.searched);
    let tools = serde_json::to_value(&found.tools).map_err(anyhow::Error::from).class(Class::Internal)?;
    let answer = answer.with("tools", tools);
    Ok(if found.searched == 0 {
        answer.noting("no tools are known; run `intentbox tools list` to see the servers")
    } else {
        answer
    })
}

fn told(found: &FoundTools) -> String {
    let mut text = String::new();
    if !found.fits && found.searched > 0 {
        let _ = writeln!(text, "none of {} tools does this", found.searched);
        if !found.tools.is_empty() {
            text.push_str("the closest names:\n");
        }
    }
    for tool in &found.tools {
        let FoundTool { server, tool: name, effect, .. } = tool;
        let _ = writeln!(text, "{server}: {name}({}){}", arguments(tool), effect_mark(*effect));
        let _ = writeln!(text, "  {}", printable(&tool.summary));
    }
    text
}

/// The arguments: those that are not required have a question mark.
fn arguments(tool: &FoundTool) -> String {
    let required = usize::try_from(tool.required).unwrap_or(usize::MAX);
    let shown = |(number, name): (usize, &String)| if number < required { name.clone() } else { format!("{name}?") };
    printable(&tool.arguments.iter().enumerate().map(shown).collect::<Vec<_>>().join(", "))
}
