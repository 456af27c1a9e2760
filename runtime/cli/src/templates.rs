//! `templates`: what there is, what it becomes, whether it works, which sentences select it, and a start for a new one.

mod check;
mod list;
mod new;
mod phrases;
mod render;
mod sentences;
mod show;
mod trial;

use intentbox_catalog::{Catalog, Template, TemplateId};

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
        Templates::New { id } => new::run(sources, &id).await,
    }
}

/// The template of this id.
pub(crate) fn find<'a>(catalog: &'a Catalog, id: &str) -> Result<&'a Template, CommandError> {
    catalog.get(id).ok_or_else(|| {
        let same_name = catalog.templates().map(Template::id).filter(|other| other.name() == id);
        let same_name: Vec<&str> = same_name.map(TemplateId::as_str).collect();
        let error = unknown("template", id);
        if same_name.is_empty() { error } else { error.hint(format!("did you mean {}?", same_name.join(", "))) }
    })
}

fn unknown(what: &str, id: &str) -> CommandError {
    Class::Usage.error(format!("there is no {what} `{id}`")).hint("run `intentbox templates list` to see all")
}
