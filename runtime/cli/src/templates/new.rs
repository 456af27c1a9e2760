//! `templates new`: a template to start from, with a case.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_catalog::TemplateId;

use crate::answer::Answer;
use crate::arguments::Sources;
use crate::error::{Class, Classify as _, CommandError};
use crate::setup;

const FILES: [(&str, &str); 4] = [
    ("template.toml", include_str!("new/template.toml")),
    ("script.py.j2", include_str!("new/script.py.j2")),
    ("cases/default.toml", include_str!("new/default.toml")),
    ("cases/default.py", include_str!("new/default.py")),
];

pub(crate) async fn run(sources: &Sources, id: &str) -> Result<Answer, CommandError> {
    // With the flag nothing else is needed: the configuration may not work yet.
    let root = match &sources.templates {
        Some(root) => Some(root.clone()),
        None => setup::configured(sources).await?.templates,
    };
    let Some(root) = &root else {
        let advice = format!(
            "run `intentbox --templates DIR templates new {id}`, or set `directory` under [templates] in the configuration"
        );
        return Err(Class::Usage.error("there is no directory of templates").hint(advice));
    };
    let id = id.parse::<TemplateId>().class(Class::Usage)?;
    let folder = root.join(id.as_str());
    if folder.exists() {
        let error = Class::Usage.error(format!("{} exists already; nothing was written", folder.display()));
        return Err(error.hint("choose another id, or remove the directory"));
    }
    write(root, &id).class(Class::Unavailable)?;
    let files: Vec<String> = FILES.iter().map(|(file, _)| folder.join(file).display().to_string()).collect();
    // What the configuration names need not be typed.
    let flags = flags(sources);
    let text = format!(
        "{}\n\nEdit these files, then run:\n  intentbox{flags} templates check {id}\n  intentbox{flags} templates render {id}\n",
        files.join("\n")
    );
    Ok(Answer::new(text).with("id", id.as_str()).with("files", files))
}

fn write(root: &Path, id: &TemplateId) -> anyhow::Result<()> {
    std::fs::create_dir_all(root).with_context(|| root.display().to_string())?;
    let dir = Dir::open_ambient_dir(root, ambient_authority()).with_context(|| root.display().to_string())?;
    dir.create_dir_all(format!("{id}/cases")).with_context(|| root.join(id.as_str()).display().to_string())?;
    for (file, content) in FILES {
        let file = format!("{id}/{file}");
        dir.write(&file, content).with_context(|| root.join(&file).display().to_string())?;
    }
    Ok(())
}

/// The flags that were given, for a command that is to find the same things.
fn flags(sources: &Sources) -> String {
    // Templates need no state.
    let Sources { config, policy, directories, templates, .. } = sources;
    let mut text = String::new();
    for (flag, path) in [("config", config), ("policy", policy), ("templates", templates)] {
        if let Some(path) = path {
            let _ = write!(text, " --{flag} {}", path.display());
        }
    }
    for (alias, path) in directories {
        let _ = write!(text, " --dir {alias}={}", path.display());
    }
    text
}
