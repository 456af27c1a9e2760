//! `templates check`: reads all templates and runs their cases.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_catalog::{Case, Catalog, Template, TemplateId};
use intentbox_engine::Engine;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::arguments::{Isolation, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::show::count;
use crate::{folder, setup};

/// What was found.
#[derive(Debug, Default)]
struct Found {
    text: String,
    rows: Vec<Value>,
    cases: usize,
    failed: usize,
    /// Templates without a case.
    untested: usize,
}

/// Runs the cases: those of the folder's templates, or all where there is no folder.
pub(crate) async fn run(sources: &Sources, ids: &[String], write: bool) -> Result<Answer, CommandError> {
    Ok(found(sources, ids, write).await?.answer())
}

/// How many cases of the folder's templates fail.
pub(super) async fn failed(sources: &Sources) -> Result<usize, CommandError> {
    Ok(found(sources, &[], false).await?.failed)
}

async fn found(sources: &Sources, ids: &[String], write: bool) -> Result<Found, CommandError> {
    let configured = setup::configured(sources).await?;
    let root = configured.templates.clone();
    let engine = configured.into_setup(Isolation::InProcess)?.engine;
    let catalog = engine.catalog();
    let mut cases = match &root {
        Some(path) => folder::cases(path).class(Class::Configuration)?,
        None => Case::embedded().map_err(|error| folder::shown(&error)).class(Class::Internal)?,
    };
    let mut found = Found::default();
    for template in meant(&catalog, root.as_deref(), ids)? {
        let written = match &root {
            Some(root) if write => write_scripts(root, template, &mut cases)?,
            _ => 0,
        };
        let of_template: Vec<&Case> = cases.iter().filter(|case| case.template == *template.id()).collect();
        found.check(&engine, template, &of_template, written).await;
    }
    Ok(found)
}

/// The templates to check: those of the folder or, where there is none, all; and of these the ones that `ids` name, or all.
pub(super) fn meant<'a>(
    catalog: &'a Catalog,
    root: Option<&Path>,
    ids: &[String],
) -> Result<Vec<&'a Template>, CommandError> {
    let mut here = templates(catalog, root);
    for id in ids {
        must_be_here(id, catalog, &here, root)?;
    }
    let is_meant =
        |id: &TemplateId| ids.is_empty() || ids.iter().any(|meant| meant == id.as_str() || meant == id.pack());
    here.retain(|template| is_meant(template.id()));
    Ok(here)
}

/// The templates of the folder, also the ones without a case, or all where there is no folder.
fn templates<'a>(catalog: &'a Catalog, root: Option<&Path>) -> Vec<&'a Template> {
    let is_here = |template: &&Template| root.is_none_or(|path| path.join(template.id().as_str()).is_dir());
    catalog.templates().filter(is_here).collect()
}

/// Rejects an id of no template or pack, and one of the built-in templates where there is a folder: those are not checked, and
/// silence would look like success.
fn must_be_here(id: &str, catalog: &Catalog, here: &[&Template], root: Option<&Path>) -> Result<(), CommandError> {
    let is_it = |template: &Template| template.id().as_str() == id || template.id().pack() == id;
    let what = if id.contains('/') { "template" } else { "template or pack" };
    if !catalog.templates().any(is_it) {
        return Err(super::unknown(what, id));
    }
    let Some(root) = root.filter(|_| !here.iter().any(|template| is_it(template))) else { return Ok(()) };
    let error = Class::Usage.error(format!("there is no {what} `{id}` in {}", root.display()));
    if here.is_empty() {
        return Err(error.hint("create a template with `intentbox templates new PACK/NAME`"));
    }
    let ids: Vec<&str> = here.iter().map(|template| template.id().as_str()).collect();
    Err(error.hint(format!("name one of {}", ids.join(", "))))
}

impl Found {
    /// Runs the cases of a template.
    async fn check(&mut self, engine: &Engine, template: &Template, cases: &[&Case], written: usize) {
        let id = template.id();
        if written > 0 {
            let _ = writeln!(self.text, "{id}: wrote {}; review the difference", count(written, "script"));
        }
        let mut failed = Vec::new();
        for case in cases {
            if let Err(fault) = engine.rehearse(case).await {
                let fault = fault.to_string();
                let _ = writeln!(self.text, "{id} {}: {fault}", case.name);
                failed.push(json!({"case": case.name, "message": fault}));
            }
        }
        if cases.is_empty() {
            self.untested += 1;
            let _ = writeln!(self.text, "{id}: no cases; write cases/default.toml, as `intentbox templates new` does");
        } else if failed.is_empty() {
            let _ = writeln!(self.text, "{id}: {} passed", count(cases.len(), "case"));
        }
        self.cases += cases.len();
        self.failed += failed.len();
        self.rows.push(json!({"id": id.as_str(), "cases": cases.len(), "failed": failed, "written": written}));
    }

    fn answer(self) -> Answer {
        let Found { text, rows, cases, failed, untested } = self;
        let answer = Answer::new(text).with("cases", cases).with("failed", failed).with("templates", rows);
        let mut faults = Vec::new();
        if failed > 0 {
            faults.push(format!("{failed} of {} failed", count(cases, "case")));
        }
        if untested > 0 {
            faults.push(format!("{} without cases", count(untested, "template")));
        }
        if faults.is_empty() { answer } else { answer.failing(Class::Check.error(faults.join(", "))) }
    }
}

/// Writes the script beside each case of a template that renders to another one, and gives the number of these.
fn write_scripts(root: &Path, template: &Template, cases: &mut [Case]) -> Result<usize, CommandError> {
    let dir = Dir::open_ambient_dir(root, ambient_authority());
    let dir = dir.with_context(|| root.display().to_string()).class(Class::Configuration)?;
    let mut written = 0;
    let mut default = None;
    let mut cases: Vec<&mut Case> = cases.iter_mut().filter(|case| case.template == *template.id()).collect();
    // The others are kept as what differs from it.
    cases.sort_by_key(|case| !case.is_default());
    for case in cases {
        let Ok(arguments) = template.check(&case.arguments, &case.settings) else { continue };
        let script = template.render(&arguments).class(Class::Configuration)?;
        let source = script.source().to_owned();
        if case.is_default() {
            default = Some(source.clone());
        }
        if case.script.as_ref() != Some(&source) {
            for (file, text) in case.kept(&source, default.as_deref()) {
                match text {
                    Some(text) => write_below(&dir, &file, &text)?,
                    None => remove_below(&dir, &file)?,
                }
            }
            case.script = Some(source);
            written += 1;
        }
    }
    Ok(written)
}

/// Removes a file of the folder, if it is there; of a link, the link.
fn remove_below(root: &Dir, file: &str) -> Result<(), CommandError> {
    match root.remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| file.to_owned()).class(Class::Configuration)
        }
        _ => Ok(()),
    }
}

/// Writes a file of the folder where its path says, and nowhere else: a link would lead to another file, which whoever
/// made the link chose to have overwritten. `cap-std` keeps what this misses in a race inside the folder.
fn write_below(root: &Dir, file: &str, text: &str) -> Result<(), CommandError> {
    let ends = file.match_indices('/').map(|(end, _)| end).chain([file.len()]);
    for part in ends.map(|end| &file[..end]) {
        match root.symlink_metadata(part) {
            Ok(entry) if entry.is_symlink() => {
                let message = format!("{part} is a symbolic link, and --write writes through none");
                return Err(Class::Configuration.error(message).hint("put a regular file or directory in its place"));
            }
            // A pipe would wait for its reader.
            Ok(entry) if part == file && !entry.is_file() => {
                let message = format!("{part} is not a regular file, and --write replaces no other");
                return Err(Class::Configuration.error(message).hint("remove it"));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| part.to_owned()).class(Class::Unavailable),
        }
    }
    root.write(file, text).with_context(|| file.to_owned()).class(Class::Unavailable)
}
