//! The catalog: template folders, read and checked once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};

use crate::dialect::{self, DialectError};
use crate::id::{TemplateId, is_name};
use crate::manifest::{Manifest, PackManifest};
use crate::param_error::shown;
use crate::script::{RenderError, ScriptTemplate};
use crate::template::{Arguments, Pack, Template};
use crate::words::WordPatternError;

/// The largest file of a template folder that is read, in bytes. A longer template would be data, which belongs into an answer.
pub const FILE_BYTES_MAX: usize = 64 << 10;

/// The weights of a pack, beside its `pack.toml`.
const WEIGHTS: &str = "weights.tsv";

/// The largest [`WEIGHTS`], in bytes. Training on some thousand sentences writes a quarter of it.
const WEIGHTS_BYTES_MAX: usize = 1 << 20;

/// How large a file of a template folder may be, in bytes, by its path below the folder.
#[must_use]
pub fn bytes_max(path: &str) -> usize {
    let is_weights = path.split_once('/').is_some_and(|(_, file)| file == WEIGHTS);
    if is_weights { WEIGHTS_BYTES_MAX } else { FILE_BYTES_MAX }
}

/// All templates, by id.
#[derive(Debug, Default)]
pub struct Catalog {
    templates: BTreeMap<TemplateId, Arc<Template>>,
}

impl Catalog {
    /// The templates compiled into the program. They are read at the first call.
    ///
    /// # Errors
    ///
    /// When an embedded folder is not well formed, which a test of this crate rules out.
    pub fn embedded() -> Result<Arc<Self>, CatalogError> {
        static EMBEDDED: LazyLock<Result<Arc<Catalog>, CatalogError>> =
            LazyLock::new(|| Catalog::from_files(crate::embedded::files()).map(Arc::new));
        EMBEDDED.clone()
    }

    /// The templates compiled into the program, overridden or extended by these files: a template with the id of a
    /// built-in one replaces all of it.
    ///
    /// # Errors
    ///
    /// The first fault found, with its file and line.
    pub fn embedded_with<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Self, CatalogError> {
        Self::embedded_below([files.into_iter().collect()])
    }

    /// The same with several sets of files, each over those before it.
    ///
    /// # Errors
    ///
    /// The first fault found, with its file and line.
    pub fn embedded_below<'a>(
        layers: impl IntoIterator<Item = BTreeMap<&'a str, &'a [u8]>>,
    ) -> Result<Self, CatalogError> {
        let folder = |path: &str| path.match_indices('/').nth(1).map(|(end, _)| path[..=end].to_owned());
        let mut all: BTreeMap<&str, &[u8]> = crate::embedded::files().into_iter().collect();
        for layer in layers {
            let replaced: BTreeSet<String> = layer.keys().filter_map(|path| folder(path)).collect();
            all.retain(|path, _| folder(path).is_none_or(|folder| !replaced.contains(&folder)));
            all.extend(layer);
        }
        Self::from_files(all)
    }

    /// Reads templates from files, each a path such as `sentry/list_errors/template.toml` and its bytes.
    ///
    /// A pack is a folder with an optional `pack.toml` and `pack.py`, a template a folder inside it with
    /// `template.toml` and `script.py.j2`. Other files, above all those of `cases/`, are ignored.
    ///
    /// # Errors
    ///
    /// The first fault found, with its file and line.
    pub fn from_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Self, CatalogError> {
        let files: BTreeMap<&str, &[u8]> = files.into_iter().collect();
        let mut folders = BTreeSet::new();
        for path in files.keys() {
            let mut parts = path.splitn(3, '/');
            if let (Some(pack), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) {
                folders.insert((pack, name));
            }
        }
        let mut packs: BTreeMap<&str, Arc<Pack>> = BTreeMap::new();
        let mut templates = BTreeMap::new();
        for (pack_id, name) in folders {
            let pack = if let Some(pack) = packs.get(pack_id) {
                Arc::clone(pack)
            } else {
                let pack = Arc::new(read_pack(&files, pack_id)?);
                packs.insert(pack_id, Arc::clone(&pack));
                pack
            };
            let template = read_template(&files, pack, name)?;
            templates.insert(template.id.clone(), Arc::new(template));
        }
        Ok(Self { templates })
    }

    /// The templates of several catalogs, which they share. Of two with one id, the later catalog's counts.
    #[must_use]
    pub fn joined<'a>(catalogs: impl IntoIterator<Item = &'a Self>) -> Self {
        let all = catalogs.into_iter().flat_map(|catalog| &catalog.templates);
        Self { templates: all.map(|(id, template)| (id.clone(), Arc::clone(template))).collect() }
    }

    /// The template with this id, `pack/name`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Template> {
        self.templates.get(id).map(AsRef::as_ref)
    }

    /// All templates, in the order of their ids.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.templates.values().map(AsRef::as_ref)
    }
}

fn read_pack(files: &BTreeMap<&str, &[u8]>, id: &str) -> Result<Pack, CatalogError> {
    let file = format!("{id}/pack.toml");
    if !is_name(id) {
        return Err(CatalogError::at_start(file, Problem::Name { found: shown(id) }));
    }
    // Python, and as much a part of its scripts as if it stood in each of them.
    let shared = format!("{id}/pack.py");
    let is_shared = files.contains_key(shared.as_str());
    let module = if is_shared { Some(read_text(files, &shared)?.to_owned()) } else { None };
    let trained = format!("{id}/{WEIGHTS}");
    let is_trained = files.contains_key(trained.as_str());
    let weights = if is_trained { Some(read_text(files, &trained)?.to_owned()) } else { None };
    if !files.contains_key(file.as_str()) {
        return Ok(Pack {
            id: id.to_owned(),
            summary: String::new(),
            about: Vec::new(),
            synonyms: BTreeMap::new(),
            module,
            weights,
        });
    }
    let text = read_text(files, &file)?;
    let manifest = PackManifest::parse(&file, text)?;
    let PackManifest { summary, about, synonyms } = manifest;
    Ok(Pack { id: id.to_owned(), summary, about, synonyms, module, weights })
}

fn read_template(files: &BTreeMap<&str, &[u8]>, pack: Arc<Pack>, name: &str) -> Result<Template, CatalogError> {
    let folder = format!("{}/{name}", pack.id);
    let manifest_file = format!("{folder}/template.toml");
    let script_file = format!("{folder}/script.py.j2");
    let id: TemplateId = folder
        .parse()
        .map_err(|_| CatalogError::at_start(manifest_file.clone(), Problem::Name { found: shown(name) }))?;

    let manifest_text = read_text(files, &manifest_file)?;
    let manifest = Manifest::parse(&manifest_file, manifest_text)?;
    let source = read_text(files, &script_file)?;
    dialect::check(source)
        .map_err(|(offset, error)| CatalogError::at_offset(&script_file, source, offset, Problem::Dialect(error)))?;
    let script = ScriptTemplate::compile(&script_file, &format!("{folder}.py"), source)
        .map_err(|error| CatalogError::in_script(&script_file, source, error))?;
    // A rehearsal: it finds names that are not declared before anyone asks for the template.
    script
        .render(&Arguments::blank(&manifest.parameters))
        .map_err(|error| CatalogError::in_script(&script_file, source, error))?;

    let mut hasher = Sha256::new();
    for part in [folder.as_str(), manifest_text, source, pack.module.as_deref().unwrap_or_default()] {
        // The length first, so that no text can move across a boundary.
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let digest = format!("{:x}", hasher.finalize());

    Ok(Template {
        id,
        pack,
        summary: manifest.summary,
        phrases: manifest.phrases,
        whole_phrases: manifest.whole_phrases,
        confirmed_phrases: manifest.confirmed_phrases,
        confirmed_clauses: manifest.confirmed_clauses,
        parameters: manifest.parameters,
        clauses: manifest.clauses,
        implied: manifest.implied,
        one_of: manifest.one_of,
        companions: manifest.companions,
        effects: manifest.effects,
        wants: manifest.wants,
        cache_s: manifest.cache_s,
        limits: manifest.limits,
        result: manifest.result,
        digest,
        source: source.to_owned(),
        script,
    })
}

fn read_text<'a>(files: &BTreeMap<&str, &'a [u8]>, file: &str) -> Result<&'a str, CatalogError> {
    let bytes_max = bytes_max(file);
    let refuse = |problem| CatalogError::at_start(file.to_owned(), problem);
    let bytes = files.get(file).ok_or_else(|| refuse(Problem::NoFile))?;
    if bytes.len() > bytes_max {
        return Err(refuse(Problem::TooLarge { bytes: bytes.len(), bytes_max }));
    }
    std::str::from_utf8(bytes).map_err(|_| refuse(Problem::NotUtf8))
}

/// A fault in a template folder: where it is, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogError {
    /// The file, below the folder of templates.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
    /// The line itself and the column in it, counted in characters from 1, where they are known.
    pub excerpt: Option<Box<(String, usize)>>,
}

/// What can be wrong with a file of a template folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A file that every template needs is not there.
    #[error("the file is missing; a template is a folder with `template.toml` and `script.py.j2`")]
    NoFile,
    /// The file is longer than [`FILE_BYTES_MAX`], or than what its kind may have.
    #[error("expected at most {bytes_max} bytes, found {bytes}")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The most bytes.
        bytes_max: usize,
    },
    /// The file is not UTF-8 text.
    #[error("expected UTF-8 text")]
    NotUtf8,
    /// The name of a pack, template or parameter is invalid.
    #[error("expected a name of [a-z][a-z0-9_]*, at most {} characters, found {found}", crate::id::NAME_BYTES_MAX)]
    Name {
        /// The name, quoted and shortened.
        found: String,
    },
    /// The TOML is malformed, or has other keys or types than expected.
    #[error("{message}")]
    Toml {
        /// What the parser expected.
        message: String,
    },
    /// A value of the manifest has the right type but is invalid.
    #[error("expected {expected}")]
    Expected {
        /// What was expected in its place.
        expected: String,
    },
    /// A word pattern is malformed.
    #[error("word pattern {text:?}: {error}")]
    Words {
        /// The pattern as written.
        text: String,
        /// Why it is invalid.
        error: WordPatternError,
    },
    /// The script template holds something that is not part of the dialect.
    #[error("{0}")]
    Dialect(DialectError),
    /// The script template does not render.
    #[error("{0}")]
    Script(RenderError),
}

impl CatalogError {
    pub(crate) fn at_start(file: String, problem: Problem) -> Self {
        Self { file, line: 1, problem, excerpt: None }
    }

    pub(crate) fn at_offset(file: &str, text: &str, offset: usize, problem: Problem) -> Self {
        let before = text.get(..offset).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = 1 + before[start..].chars().count();
        let excerpt = text[start..].lines().next().map(|line| Box::new((line.to_owned(), column)));
        Self { file: file.to_owned(), line, problem, excerpt }
    }

    /// The line with a caret under the place, for a terminal; nothing where it is not known.
    #[must_use]
    pub fn caret(&self) -> Option<String> {
        let (text, column) = self.excerpt.as_deref()?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands where the terminal puts the character above it.
        let below: String =
            text.chars().take(column - 1).map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        Some(format!("{margin} |\n{number} | {text}\n{margin} | {below}^"))
    }

    fn in_script(file: &str, source: &str, error: RenderError) -> Self {
        let line = error.line();
        let text = source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        let column = 1 + text.chars().take_while(|character| character.is_whitespace()).count();
        let excerpt = Some(Box::new((text.to_owned(), column)));
        Self { file: file.to_owned(), line, problem: Problem::Script(error), excerpt }
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            // Its text begins with file and line already.
            Problem::Script(error) => error.fmt(f),
            problem => write!(f, "{}:{}: {problem}", self.file, self.line),
        }
    }
}

impl std::error::Error for CatalogError {}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "summary = \"Lists.\"\nphrases = [\"list\"]\neffects = \"read\"\n";

    /// Loads one template and expects the error's whole text.
    fn check(manifest: &str, script: &str, expected: &str) {
        let error =
            Catalog::from_files([("p/t/template.toml", manifest.as_bytes()), ("p/t/script.py.j2", script.as_bytes())])
                .expect_err(manifest);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_embedded_templates_are_well_formed() {
        let catalog = Catalog::embedded().unwrap_or_else(|error| panic!("{error}"));
        assert!(catalog.templates().count() > 0);
    }

    #[test]
    fn a_fault_in_the_script_is_found_at_its_line() {
        check(
            MANIFEST,
            "x = 1\ny = '{{ a | py }}'\n",
            "p/t/script.py.j2:2: `{{ … }}` inside a Python string: the value brings its own quotes, so bind it to a \
             name first",
        );
        check(MANIFEST, "x = 1\ny = {{ a | py }}\n", "p/t/script.py.j2:2: the name is not a declared parameter");
    }

    #[test]
    fn a_fault_is_shown_with_a_caret() {
        let manifest = format!("{MANIFEST}[params.p]\ntype = \"integer\"\ndescription = \"P.\"\n\tdefault = \"ž\"\n");
        let load = |manifest: &str, script: &str| {
            Catalog::from_files([("p/t/template.toml", manifest.as_bytes()), ("p/t/script.py.j2", script.as_bytes())])
                .expect_err("it is at fault")
                .caret()
        };
        assert_eq!(load(&manifest, "1").as_deref(), Some("  |\n7 | \tdefault = \"ž\"\n  | \t          ^"));
        assert_eq!(
            load(MANIFEST, "x = 1\nif x:\n    y = {{ a | py }}\n").as_deref(),
            Some("  |\n3 |     y = {{ a | py }}\n  |     ^")
        );
        assert_eq!(CatalogError::at_start("f".to_owned(), Problem::NoFile).caret(), None);
    }

    #[test]
    fn missing_and_oversized_files_are_refused() {
        let error = Catalog::from_files([("p/t/script.py.j2", &b"1"[..])]).expect_err("there is no manifest");
        assert_eq!((error.file.as_str(), &error.problem), ("p/t/template.toml", &Problem::NoFile));
        let error = Catalog::from_files([("p/t/cases/a.toml", &b""[..])]).expect_err("there is no manifest");
        assert_eq!(error.problem, Problem::NoFile);

        let fill = |bytes: usize| format!("{MANIFEST}{}", "#".repeat(bytes - MANIFEST.len()));
        let load = |manifest: &str| {
            Catalog::from_files([("p/t/template.toml", manifest.as_bytes()), ("p/t/script.py.j2", &b"1"[..])])
        };
        assert!(load(&fill(FILE_BYTES_MAX)).is_ok());
        let error = load(&fill(FILE_BYTES_MAX + 1)).expect_err("it is one byte too long");
        assert_eq!(error.problem, Problem::TooLarge { bytes: FILE_BYTES_MAX + 1, bytes_max: FILE_BYTES_MAX });
        let error = Catalog::from_files([("p/t/template.toml", &b"\xff"[..])]).expect_err("it is not text");
        assert_eq!(error.problem, Problem::NotUtf8);
    }

    #[test]
    fn a_folder_of_templates_goes_over_the_built_in_ones() {
        let script = &b"1"[..];
        let catalog = Catalog::embedded_with([
            ("sentry/list_errors/template.toml", MANIFEST.as_bytes()),
            ("sentry/list_errors/script.py.j2", script),
            ("p/t/template.toml", MANIFEST.as_bytes()),
            ("p/t/script.py.j2", script),
        ])
        .unwrap_or_else(|error| panic!("{error}"));
        let embedded = Catalog::embedded().expect("whole");
        assert_eq!(catalog.templates().count(), embedded.templates().count() + 1);
        let replaced = catalog.get("sentry/list_errors").expect("it is there");
        assert_eq!((replaced.summary(), replaced.source()), ("Lists.", "1"));
        assert_ne!(replaced.digest(), embedded.get("sentry/list_errors").expect("it is there").digest());
        assert_eq!(replaced.pack().synonyms(), embedded.get("sentry/list_errors").expect("there").pack().synonyms());
    }

    #[test]
    fn folders_are_named_as_ids_are() {
        for path in ["P/t/template.toml", "p/../template.toml", "p/t t/template.toml", "p//template.toml"] {
            let error = Catalog::from_files([(path, MANIFEST.as_bytes())]).expect_err(path);
            assert!(matches!(error.problem, Problem::Name { .. }), "{path}: {error}");
        }
    }

    #[test]
    fn a_pack_is_shared_by_its_templates_and_may_go_without_a_file() {
        let catalog = Catalog::from_files([
            ("p/pack.toml", &b"summary = \"P.\"\n[synonyms]\nerror = [\"bug\"]\n"[..]),
            ("p/t/template.toml", MANIFEST.as_bytes()),
            ("p/t/script.py.j2", &b"1"[..]),
            ("q/t/template.toml", MANIFEST.as_bytes()),
            ("q/t/script.py.j2", &b"1"[..]),
        ])
        .unwrap_or_else(|error| panic!("{error}"));
        let pack = |id: &str| catalog.get(id).expect("it was just loaded").pack();
        assert_eq!(pack("p/t").synonyms()["error"], ["bug"]);
        assert_eq!((pack("q/t").id(), pack("q/t").summary()), ("q", ""));
    }
}
