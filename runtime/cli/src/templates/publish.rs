//! `templates publish`, `templates published` and `templates unpublish`: templates for all servers with one store.

use std::collections::BTreeMap;

use anyhow::Context as _;
use intentbox_jobs::{JobQuotas, may_be_published};

use crate::answer::Answer;
use crate::arguments::{Database, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::show::count;
use crate::words::quoted;
use crate::{folder, jobs, process, setup, show};

use super::check;

/// Publishes the templates of the folder, if they are well formed and their cases end as they should.
pub(super) async fn run(sources: &Sources, database: &Database) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let path = configured.templates.as_deref().context("no directory of templates is configured").class(Class::Usage);
    let path = path.hint("name one with --templates DIR")?;
    folder::catalog(path).class(Class::Configuration)?;
    let files = folder::texts(path).class(Class::Configuration)?;
    if !may_be_published(&files) {
        return Err(Class::Configuration.error(format!("{} has more than 16 MiB of templates", path.display())));
    }
    if files.is_empty() {
        let error = Class::Usage.error(format!("{} holds no template", path.display()));
        return Err(error.hint("to take back what was published, run `intentbox templates unpublish`"));
    }
    let ids = ids(&files);
    let failed = check::failed(sources).await?;
    if failed > 0 {
        let error = Class::Check.error(format!("nothing was published: {} failed", count(failed, "case")));
        let folder = quoted(&show::line(&path.display().to_string()));
        return Err(error.hint(format!("run `intentbox templates check --templates {folder}` to see which")));
    }
    let digest = keep(sources, database, &files).await?;
    let text = format!("published {}\n", ids.join(", "));
    Ok(Answer::new(text).with("templates", ids).with("digest", digest))
}

/// The ids of the templates among files.
fn ids(files: &BTreeMap<String, String>) -> Vec<&str> {
    files.keys().filter_map(|file| file.strip_suffix("/template.toml")).collect()
}

/// Lists what is published. Asking makes no file.
pub(super) async fn list(sources: &Sources, database: &Database) -> Result<Answer, CommandError> {
    let place = setup::store_place(sources, database)?;
    let nothing = || Answer::default().noting(format!("nothing is published in {place}")).with("templates", [""; 0]);
    if place.is_missing() {
        return Ok(nothing());
    }
    let store = jobs::store(&place, process::name(), JobQuotas::default()).await?;
    let published = intentbox_jobs::published(&store, "").await;
    store.close().await;
    let Some(published) = published.class(Class::Unavailable)? else { return Ok(nothing()) };
    let Some(files) = published.files else {
        let error =
            Class::Check.error("what is published is not as this version writes it, and servers of it do not use it");
        return Err(error.hint("publish it anew with `intentbox templates publish`"));
    };
    let ids = ids(&files);
    if ids.is_empty() {
        return Ok(nothing());
    }
    let lines: Vec<String> = ids.iter().map(|id| show::line(id) + "\n").collect();
    Ok(Answer::new(lines.concat()).with("templates", ids).with("digest", published.digest))
}

/// Takes back what was published.
pub(super) async fn take_back(sources: &Sources, database: &Database) -> Result<Answer, CommandError> {
    let digest = keep(sources, database, &BTreeMap::new()).await?;
    Ok(Answer::new("nothing is published now\n".to_owned()).with("digest", digest))
}

async fn keep(
    sources: &Sources,
    database: &Database,
    files: &BTreeMap<String, String>,
) -> Result<String, CommandError> {
    let place = setup::store_place(sources, database)?;
    let store = jobs::store(&place, process::name(), JobQuotas::default()).await?;
    let digest = intentbox_jobs::publish(&store, files).await.class(Class::Unavailable)?;
    store.close().await;
    Ok(digest)
}
