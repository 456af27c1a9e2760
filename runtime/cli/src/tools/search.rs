//! `tools search`: the tools and templates that do what a sentence says. Starts nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use intentbox_catalog::Catalog;
use intentbox_catalog::terminal::printable;
use intentbox_engine::{Entry, Found, Source, search};
use serde_json::to_value;

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};
use crate::servers::Servers;
use crate::show;

use super::list::effect_mark;

/// `long` also prints what each does, and all of its arguments.
pub(super) async fn run(
    catalog: &Arc<Catalog>,
    servers: &Servers,
    text: &str,
    most: usize,
    long: bool,
) -> Result<Answer, CommandError> {
    let found = search(catalog, &servers.upstreams, servers.embedding.as_ref(), text, most);
    let found = found.await.class(Class::Unavailable)?;
    let answer = Answer::new(told(&found, long)).with("fits", found.fits).with("tools", found.tools);
    let entries = to_value(&found.entries).map_err(anyhow::Error::from).class(Class::Internal)?;
    let answer = answer.with("templates", found.templates).with("entries", entries);
    Ok(if found.tools == 0 {
        answer.noting("no tools are known; run `intentbox tools list` to see the servers")
    } else {
        answer
    })
}

/// A line for each, below its server or pack. The best is first, and its group too.
fn told(found: &Found, long: bool) -> String {
    let mut text = String::new();
    if !found.fits {
        let searched = format!("{} and {}", show::count(found.tools, "tool"), show::count(found.templates, "template"));
        let _ = writeln!(text, "none of {searched} does this");
        if !found.entries.is_empty() {
            text.push_str("the closest names:\n");
        }
    }
    let mut groups: Vec<(String, Vec<&Entry>)> = Vec::new();
    for entry in &found.entries {
        let group = group(&entry.source);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, entries)) => entries.push(entry),
            None => groups.push((group, vec![entry])),
        }
    }
    for (group, entries) in groups {
        let _ = writeln!(text, "{group}");
        for entry in entries {
            let _ = writeln!(text, " {}", line(entry, long));
            if long {
                let _ = writeln!(text, "   {}", printable(&entry.summary));
            }
        }
    }
    text
}

fn group(source: &Source) -> String {
    match source {
        Source::Tool { server, .. } => server.clone(),
        Source::Template { pack, .. } => format!("{pack} (templates)"),
    }
}

/// Its name with the arguments that it needs, and `…` where it takes more. The long line has all of them: those that it does
/// not need have a question mark.
fn line(entry: &Entry, long: bool) -> String {
    let (Source::Tool { tool: name, .. } | Source::Template { template: name, .. }) = &entry.source;
    let (needed, more) = entry.arguments.split_at(entry.required.min(entry.arguments.len()));
    let mut arguments = needed.to_vec();
    match more {
        [] => {}
        more if long => arguments.extend(more.iter().map(|name| format!("{name}?"))),
        _ => arguments.push("…".to_owned()),
    }
    // One space, as before the name: each entry is tokens that a model pays for.
    let mark = effect_mark(entry.effect).trim_start();
    format!("{name}({}) {mark}", printable(&arguments.join(", "))).trim_end().to_owned()
}
