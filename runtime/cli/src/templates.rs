//! `templates`: lists, shows, renders, checks, tries, publishes and creates templates.

mod check;
mod list;
mod new;
mod phrases;
mod publish;
mod render;
mod sentences;
mod show;
mod trial;

use intentbox_catalog::{Catalog, Template, TemplateId, closest};

use crate::answer::Answer;
use crate::arguments::{Sources, Templates};
use crate::error::{Class, CommandError};

pub(crate) async fn run(sources: &Sources, command: Templates) -> Result<Answer, CommandError> {
    match command {
        Templates::List => list::run(sources).await,
        Templates::Show { id } => show::run(sources, &id).await,
        Templates::Render { id, params } => render::run(sources, &id, &params).await,
        Templates::Check { ids, phrases: true, .. } => phrases::run(sources, &ids).await,
        Templates::Check { ids, write, .. } => check::run(sources, &ids, write).await,
        Templates::Try { file } => trial::run(sources, &file).await,
        Templates::Publish { database } => publish::run(sources, &database).await,
        Templates::Published { database } => publish::list(sources, &database).await,
        Templates::Unpublish { database } => publish::take_back(sources, &database).await,
        Templates::New { id } => new::run(sources, &id).await,
    }
}

/// The template of this id.
pub(crate) fn find<'a>(catalog: &'a Catalog, id: &str) -> Result<&'a Template, CommandError> {
    catalog.get(id).ok_or_else(|| {
        let (error, meant) = (unknown("template", id), closest_ids(catalog, id));
        if meant.is_empty() { error } else { error.hint(format!("did you mean {}?", meant.join(", "))) }
    })
}

/// The ids that look most like a text, or whose names do: a text without a pack is a name.
fn closest_ids<'a>(catalog: &'a Catalog, text: &str) -> Vec<&'a str> {
    let part: fn(&TemplateId) -> &str = if text.contains('/') { TemplateId::as_str } else { TemplateId::name };
    let Some(closest) = closest(text, catalog.templates().map(Template::id).map(part)) else { return Vec::new() };
    let ids = catalog.templates().map(Template::id).filter(|id| part(id) == closest);
    ids.map(TemplateId::as_str).collect()
}

fn unknown(what: &str, id: &str) -> CommandError {
    Class::Usage.error(format!("there is no {what} `{id}`")).hint("run `intentbox templates list` to see all")
}
