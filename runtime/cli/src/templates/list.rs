//! `templates list`: all templates, and what each of them still needs.

use std::fmt::Write as _;

use intentbox_catalog::{Effects, ParamSpec, Template};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{Isolation, Sources};
use crate::error::CommandError;
use crate::{setup, words};

pub(crate) async fn run(sources: &Sources) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let overriding = configured.overriding()?;
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    let catalog = engine.catalog();
    let row = |template: &Template| {
        json!({
            "id": template.id().as_str(),
            "summary": template.summary(),
            "effects": template.effects().to_string(),
            "usable": engine.reaches(template),
            "overrides_built_in": overriding.contains(template.id()),
            "parameters": template.parameters().iter().map(ParamSpec::name).collect::<Vec<_>>(),
        })
    };
    let rows: Vec<Value> = catalog.templates().map(row).collect();
    let widest = catalog.templates().map(|template| template.id().as_str().len()).max().unwrap_or(0);
    let mut text = String::new();
    for template in catalog.templates() {
        let (id, summary) = (template.id().as_str(), template.summary());
        let writes = if template.effects() == Effects::Write { " (writes)" } else { "" };
        let overrides = if overriding.contains(template.id()) { " (overrides the built-in one)" } else { "" };
        let lacks = engine.lacks(template);
        let needs = if lacks.is_empty() { String::new() } else { format!(" — needs {}", words::all(&lacks)) };
        let _ = writeln!(text, "{id:<widest$}  {summary}{writes}{overrides}{needs}");
    }
    Ok(Answer::new(text).with("templates", rows))
}
