//! The configuration files of MCP clients: `mcpServers` of Claude, Cursor and most others, and `servers` of VS Code.
//!
//! Text in, servers out: nothing is read here. An invalid entry leaves the others, and all faults are told at once.
//! What clients add for themselves is left alone; our own settings stand under `intentbox` in an entry, where clients ignore
//! them:
//!
//! ```json
//! {"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"], "intentbox": {"network": false}}}}
//! ```

mod edit;
mod entry;
mod json;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use intentbox_capability::ServerId;

use crate::server::{FileOrigin, ServerConfig};

pub use edit::{EditError, NewEntry, add, copied, remove};

/// The largest file that is read, in bytes. Clients keep other settings in the same file.
pub const FILE_BYTES_MAX: usize = 4 << 20;

/// How many servers one file may have.
const SERVERS_MAX: usize = 256;

/// The keys that hold servers.
const KEYS: [&str; 2] = ["mcpServers", "servers"];

/// What a file is parsed with.
pub struct FileContext<'a> {
    /// Its absolute path. Paths in it start at the folder that it is for.
    pub path: &'a Path,
    /// Whose file it is.
    pub origin: FileOrigin,
    /// Looks up a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The home directory, for `${userHome}`.
    pub home: Option<&'a Path>,
}

impl fmt::Debug for FileContext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileContext")
            .field("path", &self.path)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

/// What a file configures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFile {
    /// The servers, in the order of the file.
    pub servers: Vec<ServerConfig>,
    /// The entries that cannot be used, and why.
    pub faults: Vec<FileError>,
    /// What is ignored, a line each.
    pub warnings: Vec<String>,
}

/// One fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// The entry, shortened and escaped; nothing if the fault is the file's.
    pub id: Option<String>,
    /// What is wrong, in one line.
    pub reason: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.file.display())?;
        if let Some(id) = &self.id {
            write!(formatter, "`{id}`: ")?;
        }
        formatter.write_str(&self.reason)
    }
}

/// All faults of a file, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileErrors(pub Vec<FileError>);

impl std::error::Error for FileErrors {}

impl fmt::Display for FileErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            let separator = if number > 0 { "\n" } else { "" };
            write!(formatter, "{separator}{error}")?;
        }
        Ok(())
    }
}

/// An entry that is not used because another file has one of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overridden {
    /// The name.
    pub id: ServerId,
    /// The file whose entry is used.
    pub used: PathBuf,
    /// The file whose entry is not.
    pub ignored: PathBuf,
}

/// Several files together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// The servers, by name.
    pub servers: Vec<ServerConfig>,
    /// The entries that cannot be used. A server of a later file does not take their place.
    pub faults: Vec<FileError>,
    /// The entries that are not used.
    pub overridden: Vec<Overridden>,
    /// What else the user should know, a line each.
    pub warnings: Vec<String>,
}

/// Parses a file. Comments and trailing commas are read, as VS Code writes them.
///
/// # Errors
/// All faults of the file. Nothing of a file with a fault is used.
pub fn parse(text: &str, context: &FileContext<'_>) -> Result<ParsedFile, FileErrors> {
    let (parsed, faults) = parse_all(text, context)?;
    if faults.is_empty() { Ok(parsed) } else { Err(FileErrors(faults)) }
}

/// Reads the valid entries of a file: one that is invalid, or whose variable is not set, leaves the others.
///
/// # Errors
/// When the file as a whole cannot be read.
pub fn parse_valid(text: &str, context: &FileContext<'_>) -> Result<ParsedFile, FileErrors> {
    let (parsed, faults) = parse_all(text, context)?;
    Ok(ParsedFile { faults, ..parsed })
}

/// The valid entries, and what is wrong with the others.
fn parse_all(text: &str, context: &FileContext<'_>) -> Result<(ParsedFile, Vec<FileError>), FileErrors> {
    let fault =
        |id: Option<&str>, reason: String| FileError { file: context.path.to_owned(), id: id.map(shown), reason };
    let whole = |reason: String| FileErrors(vec![fault(None, reason)]);
    if text.len() > FILE_BYTES_MAX {
        return Err(whole(format!("it has more than {FILE_BYTES_MAX} bytes")));
    }
    let text = json::without_comments(text);
    let fields = json::fields(&text).map_err(|error| whole(format!("it is not a JSON object: {error}")))?;
    let (mut parsed, mut faults, mut seen) = (ParsedFile::default(), Vec::new(), BTreeSet::new());
    let mut entries = Vec::new();
    for (key, value) in &fields {
        if !KEYS.contains(&key.as_str()) {
            continue;
        }
        if !seen.insert(key.clone()) {
            return Err(whole(format!("it has `{key}` twice")));
        }
        match json::fields(value.get()) {
            Ok(fields) => entries.extend(fields),
            Err(_) => faults.push(fault(None, format!("its `{key}` is not an object of servers"))),
        }
    }
    read(&entries, context, &mut parsed, &mut faults);
    if seen.is_empty() {
        parsed.warnings.push(format!("{}: it has neither `mcpServers` nor `servers`", context.path.display()));
    }
    if parsed.servers.len() > SERVERS_MAX {
        return Err(whole(format!("it has more than {SERVERS_MAX} servers")));
    }
    Ok((parsed, faults))
}

/// Reads the entries of all keys. Of two with one name, neither counts: clients differ in which of them they would start.
fn read(
    entries: &[(String, Box<serde_json::value::RawValue>)],
    context: &FileContext<'_>,
    parsed: &mut ParsedFile,
    faults: &mut Vec<FileError>,
) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in entries {
        *times.entry(name).or_default() += 1;
    }
    let is_twice = |name: &str| times.get(name).is_some_and(|times| *times > 1);
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for (name, value) in entries {
        let file = context.path.to_owned();
        let mut fault = |reason: String| faults.push(FileError { file: file.clone(), id: Some(shown(name)), reason });
        let id: ServerId = match name.parse() {
            Ok(id) => id,
            Err(error) => {
                fault(error.to_string());
                continue;
            }
        };
        if is_twice(name) {
            if told.insert(name) {
                fault("the file has two servers of this name, so neither is used: remove one".to_owned());
            }
            continue;
        }
        match entry::parse(id, value.get(), context) {
            Ok((server, warnings)) => {
                let path = context.path.display();
                parsed.warnings.extend(warnings.into_iter().map(|warning| format!("{path}: `{name}`: {warning}")));
                parsed.servers.push(server);
            }
            Err(reasons) => reasons.into_iter().for_each(fault),
        }
    }
}

/// Merges files in the order of precedence: the first that has a name keeps it. A project's file cannot take over a name that
/// the user's own has.
#[must_use]
pub fn merge(files: Vec<ParsedFile>) -> Merged {
    let mut merged = Merged::default();
    let mut servers: BTreeMap<ServerId, ServerConfig> = BTreeMap::new();
    for file in files {
        for server in file.servers {
            let faulty = merged.faults.iter().find(|fault| fault.id.as_deref() == Some(server.id.as_str()));
            let used = servers.get(&server.id).map(|used| &used.file).or(faulty.map(|fault| &fault.file));
            match used {
                Some(used) => {
                    merged.overridden.push(Overridden { id: server.id, used: used.clone(), ignored: server.file });
                }
                None => {
                    servers.insert(server.id.clone(), server);
                }
            }
        }
        let is_taken = |id: &Option<String>| servers.keys().any(|taken| id.as_deref() == Some(taken.as_str()));
        merged.faults.extend(file.faults.into_iter().filter(|fault| !is_taken(&fault.id)));
    }
    let mut by_letters: BTreeMap<String, &ServerId> = BTreeMap::new();
    for id in servers.keys() {
        if let Some(other) = by_letters.insert(id.as_str().to_ascii_lowercase(), id) {
            merged.warnings.push(format!("the servers `{other}` and `{id}` differ by case only"));
        }
    }
    merged.servers = servers.into_values().collect();
    merged
}

/// A stranger's text in a message.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    intentbox_catalog::terminal::printable(&cut).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests;
