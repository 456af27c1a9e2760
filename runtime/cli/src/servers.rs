//! The upstream servers that are configured: finds their files, reads them, and says which of them may be started.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use intentbox_engine::{Embedding, EmbeddingSource, Refresh, TABLE_BYTES_MAX, TOKENIZER_BYTES_MAX};
use intentbox_store::{Clock, ToolStore};
use intentbox_tools::file::{self, FILE_BYTES_MAX, FileContext, FileError, ParsedFile};
use intentbox_tools::{FileOrigin, LauncherCache, Place, Program, ServerConfig, Transport, Upstreams};

use crate::arguments::Sources;
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::{LAUNCHER, input, setup, show};

/// The user's own file, beside the configuration.
const OWN_FILE: &str = "mcp.json";

/// The files of other clients in the current directory.
const PROJECT_FILES: [&str; 3] = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"];

/// Folders below the home directory that launchers write: the caches of npm, uv and pip. Not those in which programs lie that a
/// person starts by name.
const LAUNCHER_CACHES: [&str; 3] = [".npm", ".cache", ".local/share/uv"];

/// The same for a person who approves a server.
pub(crate) fn shown_caches(upstreams: &Upstreams) -> String {
    let home = setup::home().unwrap_or_default();
    let shown = |cache: LauncherCache| {
        let path = cache.path.strip_prefix(&home).unwrap_or(cache.path).display();
        match cache.real.filter(|_| !cache.is_open) {
            Some(real) => {
                format!("~/{path} (not written: it leads to {})", show::line(&real.display().to_string()))
            }
            None => format!("~/{path}"),
        }
    };
    upstreams.caches().map(shown).collect::<Vec<_>>().join(", ")
}

/// What is configured about upstream servers.
pub(crate) struct Servers {
    pub(crate) upstreams: Upstreams,
    /// What the user should know about the files, a line each.
    pub(crate) notices: Vec<String>,
    /// When tools are listed by themselves; nothing where that is switched off.
    pub(crate) refresh: Option<Refresh>,
    /// The names of servers that a person approved in files of projects, wherever those are. A policy is for all folders.
    pub(crate) approved: BTreeSet<String>,
    /// The model of embeddings that searches use besides words.
    pub(crate) embedding: Option<EmbeddingSource>,
}

/// Reads the files of servers. Starts nothing.
pub(crate) async fn servers(sources: &Sources) -> Result<Servers, CommandError> {
    let (settings, routing, folder) = setup::tool_settings(sources)?;
    let named: Vec<PathBuf> = settings.servers.iter().map(|path| folder.join(path)).collect();
    let embedding = settings.embedding.as_ref().map(|path| embedding_of(folder.join(path)));
    let (parsed, mut notices) = parsed(sources, &named)?;
    let merged = file::merge(parsed);
    notices.extend(merged.warnings);
    for overridden in &merged.overridden {
        let (id, used, ignored) = (&overridden.id, overridden.used.display(), overridden.ignored.display());
        notices.push(format!("{ignored}: the server `{id}` is ignored, because {used} has one of this name"));
    }
    let folder = setup::state_folder(sources);
    let store = match &sources.database {
        Some(file) => ToolStore::connect(&setup::database_url(file)?, Clock::system()).await,
        None => ToolStore::open(folder.as_deref(), Clock::system()).await,
    };
    let store = store.class(Class::Unavailable)?;
    notices.extend(store.notice().map(str::to_owned));
    let trusted = store.trusted().await.class(Class::Unavailable)?.into_iter();
    let trusted: BTreeSet<(PathBuf, String, String)> =
        trusted.map(|trusted| (trusted.file, trusted.server, trusted.config_hash)).collect();
    let is_approved = |config: &ServerConfig| match config.origin {
        FileOrigin::Own | FileOrigin::Named => true,
        FileOrigin::Project => {
            trusted.contains(&(config.file.clone(), config.id.to_string(), config.approval_hash().to_hex()))
        }
    };
    let token_files: Vec<Option<PathBuf>> = merged.servers.iter().map(ServerConfig::token_file).collect();
    let ca_files: Vec<Option<PathBuf>> = merged.servers.iter().map(ServerConfig::ca_file).collect();
    let servers = merged.servers.into_iter().filter(|config| !is_this_program(config));
    let approved = trusted.iter().map(|(_, id, _)| id.clone()).collect();
    let mut place = place(sources, folder.as_deref());
    let named = sources.servers.iter().chain(&named).filter_map(|path| std::path::absolute(path).ok());
    place.hidden.extend(named.chain(token_files.into_iter().flatten()));
    place.protected.extend(ca_files.into_iter().flatten());
    let upstreams = Upstreams::new(servers, is_approved, Arc::new(store), place).with_faults(merged.faults);
    Ok(Servers { upstreams, notices, refresh: routing.discovery.then_some(settings.refresh), approved, embedding })
}

/// Loads the model of a folder when it is needed. Without it, words have to do.
fn embedding_of(folder: PathBuf) -> EmbeddingSource {
    let load = move || -> anyhow::Result<Embedding> {
        let read = |name: &str, most: u64| -> anyhow::Result<Vec<u8>> {
            let file = folder.join(name);
            let bytes = input::read_regular(&file, most)?;
            anyhow::ensure!(bytes.len() as u64 <= most, "{} has more than {most} bytes", file.display());
            Ok(bytes)
        };
        let tokenizer = read("tokenizer.json", TOKENIZER_BYTES_MAX)?;
        Ok(Embedding::new(&tokenizer, &read("model.safetensors", TABLE_BYTES_MAX)?)?)
    };
    EmbeddingSource(Arc::new(move || match load() {
        Ok(embedding) => Some(embedding),
        Err(error) => {
            show::notice(&show::line(&format!(
                "`embedding` under [tools] cannot be used, and words alone are: {error:#}"
            )));
            None
        }
    }))
}

/// The user's own file of servers, or the one that was named.
pub(crate) fn own_file(sources: &Sources, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let configuration = setup::configuration_file(sources.config.as_deref());
    let configuration = configuration.context("there is no home directory").class(Class::Usage);
    Ok(configuration.hint("name a file with --file")?.with_file_name(OWN_FILE))
}

/// Reads a file of servers as text; nothing where there is none.
pub(crate) fn text(path: &Path) -> Result<Option<String>, CommandError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let bytes = input::read_regular(path, FILE_BYTES_MAX as u64).class(Class::Configuration)?;
    let shown = path.display();
    if bytes.len() > FILE_BYTES_MAX {
        return Err(Class::Configuration.error(format!("{shown} has more than {FILE_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).with_context(|| format!("{shown} is not UTF-8 text"));
    text.map(Some).class(Class::Configuration)
}

/// Parses a file of servers. Entries that cannot be used are among its faults.
pub(crate) fn parse(text: &str, path: &Path, origin: FileOrigin) -> Result<ParsedFile, CommandError> {
    let path = std::path::absolute(path).class(Class::Configuration)?;
    let home = setup::home();
    let context = FileContext { path: &path, origin, variable: &setup::variable, home: home.as_deref() };
    file::parse_valid(text, &context).class(Class::Configuration)
}

/// Parses the valid entries of a file of servers, with variables as they are written.
pub(crate) fn parse_as_written(text: &str, path: &Path) -> Result<ParsedFile, CommandError> {
    let path = std::path::absolute(path).class(Class::Configuration)?;
    let variable = |name: &str| Some(format!("${{{name}}}"));
    let context = FileContext { path: &path, origin: FileOrigin::Named, variable: &variable, home: None };
    file::parse_valid(text, &context).class(Class::Configuration)
}

/// All files, in the order of precedence: those of `--servers`, the user's own, those that the configuration names, and then
/// those of the project.
fn parsed(sources: &Sources, configured: &[PathBuf]) -> Result<(Vec<ParsedFile>, Vec<String>), CommandError> {
    let (mut parsed, mut notices) = (Vec::new(), Vec::new());
    let mut read: BTreeSet<PathBuf> = BTreeSet::new();
    let named = |path: &Path, hint: &str| -> Result<ParsedFile, CommandError> {
        let Some(text) = text(path)? else {
            return Err(Class::Configuration.error(format!("{} does not exist", path.display())).hint(hint.to_owned()));
        };
        parse(&text, path, FileOrigin::Named)
    };
    for path in &sources.servers {
        parsed.push(named(path, "name a file with `mcpServers` in --servers")?);
        read.extend(path.canonicalize());
    }
    if let Ok(own) = own_file(sources, None)
        && let Some(text) = text(&own)?
    {
        parsed.push(parse(&text, &own, FileOrigin::Own)?);
        read.extend(own.canonicalize());
    }
    for path in configured {
        if path.canonicalize().is_ok_and(|path| read.contains(&path)) {
            continue;
        }
        parsed.push(named(path, "correct `servers` under [tools] in the configuration")?);
        read.extend(path.canonicalize());
    }
    for path in PROJECT_FILES.map(Path::new) {
        // What was named or is the user's own is not found once more.
        if path.canonicalize().is_ok_and(|path| read.contains(&path)) {
            continue;
        }
        // A file that somebody else may have written must not keep the user from working: what is wrong with it is said.
        match text(path).and_then(|text| text.map(|text| parse(&text, path, FileOrigin::Project)).transpose()) {
            Ok(Some(file)) => parsed.push(file),
            Ok(None) => {}
            Err(error) => notices.push(format!("ignored: {}", error.message())),
        }
    }
    for file in &mut parsed {
        notices.append(&mut file.warnings);
    }
    Ok((parsed, notices))
}

/// Whether an entry starts this program as an MCP server, as the file of its client does. It would call itself.
fn is_this_program(config: &ServerConfig) -> bool {
    let Transport::Stdio(Program { command, args, .. }) = &config.transport else { return false };
    let is_served = args.iter().any(|argument| argument == "mcp");
    is_served && Path::new(command).file_name().is_some_and(|name| name == "intentbox")
}

/// What servers are started with.
fn place(sources: &Sources, state: Option<&Path>) -> Place {
    let home = setup::home();
    let caches = LAUNCHER_CACHES.iter().filter_map(|cache| home.as_ref().map(|home| home.join(cache)));
    // The user's own folder, and not whatever holds a file that the environment names.
    let configuration = setup::user_folder();
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let named = setup::secret_files(sources).into_iter().chain(own_file(sources, None).ok());
    let hidden = state.map(Path::to_owned).into_iter().chain(configuration).chain(named).map(absolute).collect();
    Place {
        // Not the path: the file may have been replaced since this process started. The child that looks it up is this
        // program still, and may look at itself where it may not look at its parent.
        launcher: "/proc/self/exe".into(),
        launcher_verb: LAUNCHER,
        environment: setup::inherited(),
        current: std::env::current_dir().ok(),
        temporary: std::env::temp_dir(),
        hidden,
        protected: setup::obeyed_files(sources).into_iter().map(absolute).collect(),
        writable: caches.collect(),
        load: Some(|source| setup::load(source, Path::new("/"))),
    }
}

impl Servers {
    /// Prints what the user should know about the files.
    pub(crate) fn notify(&self) {
        notify(&self.notices, self.upstreams.faults().iter());
    }
}

/// What a server cannot write in the folders that it may write, or which of them keeps it from starting, if anything.
pub(crate) fn told_closed(upstreams: &Upstreams, config: &ServerConfig) -> Option<String> {
    let closed: Vec<String> =
        upstreams.closed_within(config).iter().map(|path| show::line(&path.display().to_string())).collect();
    let them = if closed.len() == 1 { "it" } else { "them" };
    let closed =
        (!closed.is_empty()).then(|| format!("not written  {}, and no new file beside {them}", closed.join(", ")));
    upstreams.refused_folder(config).map(|refused| format!("does not start  {}", show::line(&refused))).or(closed)
}

/// Prints what the user should know about files of servers.
pub(crate) fn notify<'a>(notices: &[String], faults: impl Iterator<Item = &'a FileError>) {
    for notice in notices {
        show::notice(&show::line(notice));
    }
    for fault in faults {
        show::notice(&show::line(&format!("ignored: {fault}")));
    }
}
