//! `templates`: what there is, what it becomes, whether it works, and a start for a new one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _, stdout};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_catalog::{Case, Catalog, Effects, ParamKind, ParamSpec, Template, TemplateId};
use intentbox_engine::Engine;

use crate::arguments::{Isolation, Sources, Templates};
use crate::{folder, setup, show};

pub(crate) async fn run(sources: &Sources, command: Templates) -> anyhow::Result<ExitCode> {
    match command {
        Templates::List { json } => list(sources, json).await,
        Templates::Show { id } => {
            let configured = setup::configured(sources).await?;
            let settings = configured.configuration.settings.clone();
            let engine = configured.into_setup(Isolation::InProcess)?.engine;
            print(&describe(find(&engine.catalog(), &id)?, &engine, &settings))
        }
        Templates::Render { id, params } => render(sources, &id, &params).await,
        Templates::Check { ids, write } => check(sources, &ids, write).await,
        Templates::New { id } => new(sources, &id).await,
    }
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    stdout().write_all(show::printable(text).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(catalog: &'a Catalog, id: &str) -> anyhow::Result<&'a Template> {
    catalog.get(id).with_context(|| format!("there is no template {id}; `intentbox templates list` shows all"))
}

async fn list(sources: &Sources, json: bool) -> anyhow::Result<ExitCode> {
    let configured = setup::configured(sources).await?;
    let overriding = configured.overriding()?;
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    let catalog = engine.catalog();
    if json {
        let row = |template: &Template| {
            serde_json::json!({
                "id": template.id().as_str(),
                "summary": template.summary(),
                "effects": template.effects().to_string(),
                "usable": engine.reaches(template),
                "overrides_built_in": overriding.contains(template.id()),
                "parameters": template.parameters().iter().map(ParamSpec::name).collect::<Vec<_>>(),
            })
        };
        let rows: Vec<_> = catalog.templates().map(row).collect();
        writeln!(stdout(), "{}", show::printable_json(&serde_json::Value::Array(rows).to_string()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let widest = catalog.templates().map(|template| template.id().as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for template in catalog.templates() {
        let (id, summary) = (template.id().as_str(), template.summary());
        let writes = if template.effects() == Effects::Write { " (writes)" } else { "" };
        let needs = if engine.reaches(template) {
            String::new()
        } else {
            format!(" — needs {}", engine.lacks(template).join(" and "))
        };
        let overrides = if overriding.contains(template.id()) { " (overrides the built-in one)" } else { "" };
        let _ = writeln!(text, "{id:<widest$}  {summary}{writes}{overrides}{needs}");
    }
    print(&text)
}

fn describe(template: &Template, engine: &Engine, settings: &BTreeMap<String, String>) -> String {
    let mut text = format!("{}\n{}\n", template.id(), template.summary());
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:<10} {value}");
    };
    line("effects", &template.effects().to_string());
    line("cached", &if template.cache_s() == 0 { "never".to_owned() } else { format!("{} s", template.cache_s()) });
    for rule in &template.wants().http {
        line("wants", &rule.to_string());
    }
    for alias in &template.wants().read {
        line("reads", alias.as_str());
    }
    if !engine.reaches(template) {
        line("needs", &engine.lacks(template).join(" and "));
    }
    for phrase in template.phrases() {
        line("say", phrase);
    }
    if !template.parameters().is_empty() {
        text.push('\n');
    }
    for spec in template.parameters() {
        let default = match (spec.default(), spec.default_from()) {
            (Some(value), _) => {
                format!(", default {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            }
            (None, Some(setting)) => match settings.get(setting) {
                Some(value) => format!(", default {value} (from {setting})"),
                None => format!(", default from {setting}"),
            },
            (None, None) if spec.is_required() => ", required".to_owned(),
            (None, None) => String::new(),
        };
        let _ = writeln!(text, "{:<14} {}{default}", spec.name(), kind(spec.kind()));
        let _ = writeln!(text, "{:<14} {}", "", spec.description());
    }
    if let Some(result) = template.result() {
        let _ = writeln!(text, "\nresult {}", result.schema());
    }
    text
}

/// The type with its bounds in a few words.
fn kind(kind: &ParamKind) -> String {
    fn range<T: ToString>(name: &str, min: Option<&T>, max: Option<&T>) -> String {
        match (min, max) {
            (Some(min), Some(max)) => format!("{name} from {} to {}", min.to_string(), max.to_string()),
            (Some(min), None) => format!("{name} from {}", min.to_string()),
            (None, Some(max)) => format!("{name} up to {}", max.to_string()),
            (None, None) => name.to_owned(),
        }
    }
    match kind {
        ParamKind::String { pattern: Some(pattern), .. } => format!("text like `{}`", pattern.as_str()),
        ParamKind::String { pattern: None, length_max } => format!("text of at most {length_max} characters"),
        ParamKind::Integer { min, max } => range("integer", min.as_ref(), max.as_ref()),
        ParamKind::Number { min, max } => range("number", min.as_ref(), max.as_ref()),
        ParamKind::Boolean => "true or false".to_owned(),
        ParamKind::Enum { choices } => {
            choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>().join(" | ")
        }
        ParamKind::Duration { min, max } => range("duration", min.as_ref(), max.as_ref()),
        ParamKind::Datetime { min, max } => range("time", min.as_ref(), max.as_ref()),
        ParamKind::List { item, items_max } => format!("up to {items_max} values, each {}", self::kind(item)),
    }
}

async fn render(sources: &Sources, id: &str, params: &[(String, String)]) -> anyhow::Result<ExitCode> {
    let configured = setup::configured(sources).await?;
    let catalog = configured.catalog()?;
    let template = catalog.get(id);
    let template =
        template.with_context(|| format!("there is no template {id}; `intentbox templates list` shows all"))?;
    let fail = |error: intentbox_catalog::ParamError| anyhow::anyhow!("{error}\nhint: {}", error.hint());
    let mut given = BTreeMap::new();
    for (name, text) in params {
        given.insert(name.clone(), template.read_text(name, text).map_err(fail)?);
    }
    let arguments = template.check(&given, &configured.configuration.settings).map_err(fail)?;
    print(template.render(&arguments)?.source())
}

/// Runs the cases: those of the folder's templates, or all where there is no folder.
async fn check(sources: &Sources, ids: &[String], write: bool) -> anyhow::Result<ExitCode> {
    let configured = setup::configured(sources).await?;
    let root = configured.templates.clone();
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    let catalog = engine.catalog();
    let mut cases = match &root {
        Some(path) => folder::cases(path)?,
        None => Case::embedded().map_err(|error| folder::shown(&error))?,
    };
    let is_here = |template: &&Template| match &root {
        // What lies in the folder and has no case is to be told as well.
        Some(path) => path.join(template.id().as_str()).is_dir(),
        None => true,
    };
    for id in ids {
        let known = |template: &Template| template.id().as_str() == id || template.id().pack() == id;
        if !catalog.templates().any(known) {
            bail!("there is no template or pack {id}; `intentbox templates list` shows all");
        }
        // Built-in templates are not checked where there is a folder: silence would look like success.
        if let Some(path) = &root
            && !catalog.templates().filter(is_here).any(known)
        {
            let what = if id.contains('/') { "template" } else { "template or pack" };
            let here = catalog.templates().filter(is_here).map(|template| template.id().as_str());
            let here = here.collect::<Vec<_>>().join(", ");
            let here = if here.is_empty() { "none".to_owned() } else { here };
            bail!("there is no {what} `{id}` in {}; it has {here}", path.display());
        }
    }
    let is_meant =
        |id: &TemplateId| ids.is_empty() || ids.iter().any(|meant| meant == id.as_str() || meant == id.pack());
    let (mut text, mut failed) = (String::new(), 0);
    for template in catalog.templates().filter(is_here).filter(|template| is_meant(template.id())) {
        let mine = || cases.iter().filter(|case| case.template == *template.id());
        if mine().next().is_none() {
            failed += 1;
            let _ =
                writeln!(text, "{}: it has no cases; write cases/default.toml, as `templates new` does", template.id());
            continue;
        }
        if let Some(path) = root.as_ref().filter(|_| write) {
            let written = write_scripts(path, template, &mut cases)?;
            if written > 0 {
                let _ = writeln!(text, "{}: {written} scripts of cases written; read the difference", template.id());
            }
        }
        let before = failed;
        let mut count = 0;
        for case in cases.iter().filter(|case| case.template == *template.id()) {
            count += 1;
            if let Err(fault) = engine.rehearse(case).await {
                failed += 1;
                let _ = writeln!(text, "{} {}: {fault}", template.id(), case.name);
            }
        }
        if failed == before {
            let _ = writeln!(text, "{}: {count} cases hold", template.id());
        }
    }
    print(&text)?;
    if failed > 0 {
        bail!("{failed} of the above do not hold");
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the script beside each case of a template that renders to another one, and says how many.
fn write_scripts(root: &Path, template: &Template, cases: &mut [Case]) -> anyhow::Result<usize> {
    let root_dir = Dir::open_ambient_dir(root, ambient_authority()).with_context(|| root.display().to_string())?;
    let mut written = 0;
    for case in cases.iter_mut().filter(|case| case.template == *template.id()) {
        let Ok(arguments) = template.check(&case.arguments, &case.settings) else { continue };
        let source = template.render(&arguments)?.source().to_owned();
        if case.script.as_ref() != Some(&source) {
            let file = format!("{}/cases/{}.py", template.id(), case.name);
            write_below(&root_dir, &file, &source).with_context(|| root.join(&file).display().to_string())?;
            case.script = Some(source);
            written += 1;
        }
    }
    Ok(written)
}

/// Writes a file of the folder where its path says, and nowhere else: a link would lead to another file, which whoever
/// made the link chose to have overwritten. `cap-std` keeps what this misses in a race inside the folder.
fn write_below(root: &Dir, file: &str, text: &str) -> anyhow::Result<()> {
    let ends = file.match_indices('/').map(|(end, _)| end).chain([file.len()]);
    for part in ends.map(|end| &file[..end]) {
        match root.symlink_metadata(part) {
            Ok(entry) if entry.is_symlink() => {
                bail!("{part} is a symbolic link, and --write writes through none; put a file or folder in its place")
            }
            // A pipe would wait for its reader.
            Ok(entry) if part == file && !entry.is_file() => {
                bail!("{part} is not a regular file, and --write overwrites no other; remove it")
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(root.write(file, text)?)
}

async fn new(sources: &Sources, id: &str) -> anyhow::Result<ExitCode> {
    // With the flag nothing else is needed: the configuration may not work yet.
    let root = match &sources.templates {
        Some(root) => Some(root.clone()),
        None => setup::configured(sources).await?.templates,
    };
    let Some(root) = &root else {
        bail!(
            "name the folder of your templates: intentbox --templates DIR templates new {id}, or `directory` under \
             [templates] in the configuration"
        );
    };
    let id: TemplateId = id.parse().map_err(|error| anyhow::anyhow!("{id}: {error}"))?;
    std::fs::create_dir_all(root).with_context(|| root.display().to_string())?;
    let root_dir = Dir::open_ambient_dir(root, ambient_authority()).with_context(|| root.display().to_string())?;
    if root_dir.exists(id.as_str()) {
        bail!("{} is there already", root.join(id.as_str()).display());
    }
    root_dir.create_dir_all(format!("{id}/cases"))?;
    let mut text = String::new();
    for (file, content) in [
        ("template.toml", include_str!("new/template.toml")),
        ("script.py.j2", include_str!("new/script.py.j2")),
        ("cases/default.toml", include_str!("new/default.toml")),
        ("cases/default.py", include_str!("new/default.py")),
    ] {
        root_dir.write(format!("{id}/{file}"), content).with_context(|| format!("{id}/{file}"))?;
        let _ = writeln!(text, "{}", root.join(id.as_str()).join(file).display());
    }
    // What the configuration names need not be typed.
    let flags = flags(sources);
    let _ = writeln!(text, "\nNow edit these, and try them:");
    let _ = writeln!(text, "  intentbox{flags} templates check {id}");
    let _ = writeln!(text, "  intentbox{flags} templates render {id}");
    print(&text)
}

/// The flags that were given, for a command that is to find the same things.
fn flags(sources: &Sources) -> String {
    // Templates need no state.
    let Sources { config, policy, directories, templates, state: _ } = sources;
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
