//! Reads a folder of templates from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_catalog::catalog::bytes_max;
use intentbox_catalog::{Case, Catalog, CatalogError};

use crate::input;

/// The most files that are read, and how deep they may lie: `pack/name/cases/file`.
const FILES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 3;

/// The files of a folder, each as its path below it and its bytes.
type Files = Vec<(String, Vec<u8>)>;

/// The built-in templates with those of a folder over them.
pub(crate) fn catalog(path: &Path) -> anyhow::Result<Catalog> {
    let files = files(path)?;
    Catalog::embedded_with(borrowed(&files)).map_err(|error| shown(&error))
}

/// The built-in templates with published ones over them, and others over both.
pub(crate) fn catalog_over(
    published: &BTreeMap<String, String>,
    own: &BTreeMap<String, String>,
) -> anyhow::Result<Catalog> {
    Catalog::embedded_below([layer(published), layer(own)]).map_err(|error| shown(&error))
}

fn layer(files: &BTreeMap<String, String>) -> BTreeMap<&str, &[u8]> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect()
}

/// The files of a folder that templates are made of, and not their cases: the text of each by its path.
pub(crate) fn texts(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let is_of_a_case = |file: &str| file.split('/').nth(2) == Some("cases");
    let texts = files(path)?.into_iter().filter(|(file, _)| !is_of_a_case(file)).map(|(file, bytes)| {
        let text = String::from_utf8(bytes).with_context(|| format!("{file} is not UTF-8 text"))?;
        Ok((file, text))
    });
    texts.collect()
}

/// The cases of a folder's templates.
pub(crate) fn cases(path: &Path) -> anyhow::Result<Vec<Case>> {
    let files = files(path)?;
    Case::from_files(borrowed(&files)).map_err(|error| shown(&error))
}

/// The templates that a folder has files of, as `pack/name`, and the packs that it has a part of, as `pack`.
pub(crate) fn places(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let place = |file: &str| {
        let mut parts = file.splitn(3, '/');
        match (parts.next()?, parts.next()?, parts.next()) {
            (pack, name, Some(_)) => Some(format!("{pack}/{name}")),
            (pack, "pack.py" | "pack.toml", None) => Some(pack.to_owned()),
            _ => None,
        }
    };
    Ok(files(path)?.iter().filter_map(|(file, _)| place(file)).collect())
}

/// The error with its line and a caret.
pub(crate) fn shown(error: &CatalogError) -> anyhow::Error {
    match error.caret() {
        Some(caret) => anyhow::anyhow!("{error}\n{caret}"),
        None => anyhow::anyhow!("{error}"),
    }
}

fn borrowed(files: &Files) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
}

fn files(path: &Path) -> anyhow::Result<Files> {
    let context = || format!("templates {}", path.display());
    let root = Dir::open_ambient_dir(path, ambient_authority()).with_context(context)?;
    let mut files = Vec::new();
    collect(&root, "", 0, &mut files).with_context(context)?;
    Ok(files)
}

fn collect(folder: &Dir, prefix: &str, depth: usize, files: &mut Files) -> anyhow::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { bail!("{prefix}{} is not UTF-8", name.display()) };
        // Files of editors and version control.
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if depth == DEPTH_MAX {
                bail!("{path} is too deep: a template is PACK/NAME/, and its cases are in PACK/NAME/cases/");
            }
            collect(&entry.open_dir()?, &format!("{path}/"), depth + 1, files)?;
        } else if kind.is_file() {
            if files.len() == FILES_MAX {
                bail!("there are more than {FILES_MAX} files");
            }
            let bytes = input::bounded(entry.open()?, bytes_max(&path) as u64)?;
            files.push((path, bytes));
        }
    }
    Ok(())
}
