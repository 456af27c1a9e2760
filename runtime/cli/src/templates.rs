//! `templates`: what there is, what it becomes, whether it works, and a start for a new one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_catalog::{Case, Effects, ParamKind, ParamSpec, Template, TemplateId};
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
            print(&describe(find(&engine, &id)?, &engine, &settings))
        }
        Templates::Render { id, params } => render(sources, &id, &params).await,
        Templates::Check { ids } => check(sources, &ids).await,
        Templates::New { id } => new(sources, &id),
    }
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    stdout().write_all(show::printable(text).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(engine: &'a Engine, id: &str) -> anyhow::Result<&'a Template> {
    engine.catalog().get(id).with_context(|| format!("there is no template {id}; `intentbox templates list` shows all"))
}

async fn list(sources: &Sources, json: bool) -> anyhow::Result<ExitCode> {
    let engine = setup::engine(sources, Isolation::InProcess).await?.engine;
    if json {
        let row = |template: &Template| {
            serde_json::json!({
                "id": template.id().as_str(),
                "summary": template.summary(),
                "effects": template.effects().to_string(),
                "usable": engine.reaches(template.id()),
                "parameters": template.parameters().iter().map(ParamSpec::name).collect::<Vec<_>>(),
            })
        };
        let rows: Vec<_> = engine.catalog().templates().map(row).collect();
        return print(&format!("{}\n", serde_json::Value::Array(rows)));
    }
    let widest = engine.catalog().templates().map(|template| template.id().as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for template in engine.catalog().templates() {
        let (id, summary) = (template.id().as_str(), template.summary());
        let writes = if template.effects() == Effects::Write { " (writes)" } else { "" };
        let needs = if engine.reaches(template.id()) { String::new() } else { format!(" — {}", needs(template)) };
        let _ = writeln!(text, "{id:<widest$}  {summary}{writes}{needs}");
    }
    print(&text)
}

/// What must be configured for a template that cannot be reached.
fn needs(template: &Template) -> String {
    let mut needs: Vec<String> = Vec::new();
    for rule in template.wants() {
        needs.push(format!("needs [origins.{}] in the configuration", rule.alias()));
    }
    for alias in template.reads() {
        needs.push(format!("needs --dir {alias}=PATH"));
    }
    needs.sort();
    needs.dedup();
    needs.join(", ")
}

fn describe(template: &Template, engine: &Engine, settings: &BTreeMap<String, String>) -> String {
    let mut text = format!("{}\n{}\n", template.id(), template.summary());
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:<10} {value}");
    };
    line("effects", &template.effects().to_string());
    line("cached", &if template.cache_s() == 0 { "never".to_owned() } else { format!("{} s", template.cache_s()) });
    for rule in template.wants() {
        line("wants", &rule.to_string());
    }
    for alias in template.reads() {
        line("reads", alias.as_str());
    }
    if !engine.reaches(template.id()) {
        line("missing", &needs(template));
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
    let template = configured.catalog.get(id);
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

/// Runs the cases, those of the folder over the built-in ones.
async fn check(sources: &Sources, ids: &[String]) -> anyhow::Result<ExitCode> {
    let configured = setup::configured(sources).await?;
    let of_folder = match &sources.templates {
        Some(path) => folder::cases(path)?,
        None => Vec::new(),
    };
    let replaced: Vec<&TemplateId> = of_folder.iter().map(|case| &case.template).collect();
    let embedded = Case::embedded().map_err(|error| folder::shown(&error))?;
    let kept = embedded.into_iter().filter(|case| !replaced.contains(&&case.template));
    let mut cases: Vec<Case> = kept.collect();
    cases.extend(of_folder.iter().cloned());
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    for id in ids {
        find(&engine, id)?;
    }
    let is_meant = |id: &TemplateId| ids.is_empty() || ids.iter().any(|meant| meant == id.as_str());
    let (mut text, mut failed) = (String::new(), 0);
    for template in engine.catalog().templates().filter(|template| is_meant(template.id())) {
        let mine: Vec<&Case> = cases.iter().filter(|case| case.template == *template.id()).collect();
        if mine.is_empty() {
            failed += 1;
            let _ =
                writeln!(text, "{}: it has no cases; write cases/default.toml, as `templates new` does", template.id());
        }
        let before = failed;
        for case in &mine {
            if let Err(fault) = engine.rehearse(case).await {
                failed += 1;
                let _ = writeln!(text, "{} {}: {fault}", template.id(), case.name);
            }
        }
        if failed == before && !mine.is_empty() {
            let _ = writeln!(text, "{}: {} cases hold", template.id(), mine.len());
        }
    }
    print(&text)?;
    if failed > 0 {
        bail!("{failed} of the above do not hold");
    }
    Ok(ExitCode::SUCCESS)
}

fn new(sources: &Sources, id: &str) -> anyhow::Result<ExitCode> {
    let Some(root) = &sources.templates else {
        bail!("name the folder of your templates: intentbox --templates DIR templates new {id}");
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
    let root = Path::display(root);
    let _ = writeln!(text, "\nNow edit these, and try them:");
    let _ = writeln!(text, "  intentbox --templates {root} templates check {id}");
    let _ = writeln!(text, "  intentbox --templates {root} templates render {id}");
    print(&text)
}
