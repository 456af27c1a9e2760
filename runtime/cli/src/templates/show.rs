//! `templates show`: the phrases, parameters, patterns, access and result of a template.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use intentbox_capability::{Alias, HttpRule};
use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::words::{Clause, WordPattern};
use intentbox_catalog::{ParamKind, ParamSpec, ResultSchema, Template};
use intentbox_engine::{Engine, Lack};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::arguments::{Isolation, Sources};
use crate::error::CommandError;
use crate::{setup, words};

pub(crate) async fn run(sources: &Sources, id: &str) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let settings = configured.configuration.settings.clone();
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    let catalog = engine.catalog();
    let template = super::find(&catalog, id)?;
    Ok(Answer::new(describe(template, &engine, &settings)).with_all(fields(template, &engine, &settings)))
}

/// A template for a program.
fn fields(template: &Template, engine: &Engine, settings: &BTreeMap<String, String>) -> Map<String, Value> {
    let parameter = |spec: &ParamSpec| {
        let setting = spec.default_from().and_then(|setting| settings.get(setting));
        json!({
            "name": spec.name(),
            "type": kind(spec.kind()),
            "description": spec.description(),
            "required": spec.is_required(),
            "default": spec.default().cloned().or_else(|| setting.map(|value| Value::from(value.as_str()))),
            "default_from": spec.default_from(),
            "words": spec.words().iter().map(WordPattern::to_string).collect::<Vec<_>>(),
            "values_from": spec.values_from().map(source),
            "confirmed_by": spec.confirmed_by().map(source),
        })
    };
    let fields: [(&str, Value); 11] = [
        ("id", template.id().as_str().into()),
        ("summary", template.summary().into()),
        ("effects", template.effects().to_string().into()),
        ("cache_s", template.cache_s().into()),
        ("wants", template.wants().http.iter().map(HttpRule::to_string).collect()),
        ("reads", template.wants().read.iter().map(Alias::as_str).collect()),
        ("needs", engine.lacks(template).iter().map(Lack::supply).collect()),
        ("phrases", template.phrases().into()),
        ("patterns", template.clauses().iter().map(Clause::to_string).collect()),
        ("parameters", template.parameters().iter().map(parameter).collect()),
        ("result", template.result().map(ResultSchema::schema).cloned().into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A template for a person.
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
        line("needs", &words::all(&engine.lacks(template)));
    }
    for phrase in template.phrases().iter().chain(template.whole_phrases()) {
        line("say", phrase);
    }
    for clause in template.clauses() {
        line("pattern", &clause.to_string());
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
        if !spec.words().is_empty() {
            let words: Vec<String> = spec.words().iter().map(|pattern| format!("`{pattern}`")).collect();
            let _ = writeln!(text, "{:<14} said as {}", "", words.join(", "));
        }
        if let Some(values) = spec.values_from() {
            let _ = writeln!(text, "{:<14} values from {}", "", source(values));
        }
        if let Some(by) = spec.confirmed_by() {
            let _ = writeln!(text, "{:<14} confirmed by {}", "", source(by));
        }
    }
    if let Some(result) = template.result() {
        let _ = writeln!(text, "\nresult {}", result.schema());
    }
    text
}

/// Where values come from, as a template declares it.
fn source(values: &ValuesFrom) -> String {
    match values {
        ValuesFrom::Files => "files".to_owned(),
        ValuesFrom::Template { name, field } => format!("{name}.{field}"),
    }
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
        ParamKind::String { pattern: None, length_max, .. } => format!("text of at most {length_max} characters"),
        ParamKind::Integer { min, max } => range("integer", min.as_ref(), max.as_ref()),
        ParamKind::Number { min, max } => range("number", min.as_ref(), max.as_ref()),
        ParamKind::Boolean => "true or false".to_owned(),
        ParamKind::Enum { choices } => {
            choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>().join(" | ")
        }
        ParamKind::Duration { min, max } => range("duration", min.as_ref(), max.as_ref()),
        ParamKind::Window { min, max } => range("span of time", min.as_ref(), max.as_ref()),
        ParamKind::Datetime { min, max } => range("time", min.as_ref(), max.as_ref()),
        ParamKind::List { item, items_max } => format!("up to {items_max} values, each {}", self::kind(item)),
    }
}
