//! Changes to a file of servers: one entry more, or one less. Everything else stays, in its order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use intentbox_capability::ServerId;
use intentbox_catalog::json::parse_value;
use serde::Serialize as _;
use serde_json::{Map, Value, json};

use super::entry::KEYS as ENTRY_KEYS;
use super::{KEYS, json as text};
use crate::server::workspace;

/// A server that is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewEntry {
    /// A program that is started.
    Stdio {
        /// A path, or a name that is looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment.
        env: BTreeMap<String, String>,
        /// Where it runs, and may write.
        cwd: Option<PathBuf>,
        /// Folders that it may write besides.
        write: Vec<PathBuf>,
    },
    /// A URL of the streamable HTTP transport.
    Http {
        /// The URL.
        url: String,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
    /// An entry of another file, as [`copied`] gives it.
    Copied(Map<String, Value>),
}

/// Why a file is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It has an entry of this name.
    #[error("there is a server `{0}` already")]
    Exists(ServerId),
    /// It has no entry of this name.
    #[error("there is no server `{0}`")]
    Absent(ServerId),
    /// It has comments, which would be lost.
    #[error("it has comments, which would be lost: edit it by hand{}", .0.as_ref().map(|lines| format!(", and add\n{lines}")).unwrap_or_default())]
    Comments(Option<String>),
    /// It is no object, or its servers are none.
    #[error("it is not a file of servers: {0}")]
    Invalid(String),
}

impl NewEntry {
    /// The folders that its program may write, as they are written: the one where it runs, and others. Nothing for a URL.
    #[must_use]
    pub fn writable(&self) -> Option<Vec<String>> {
        match self {
            NewEntry::Stdio { cwd, write, .. } => {
                Some(cwd.iter().chain(write).map(|path| path.to_string_lossy().into_owned()).collect())
            }
            NewEntry::Http { .. } => None,
            NewEntry::Copied(entry) => {
                entry.get("command")?;
                let written = entry.get("intentbox").and_then(|own| own.get("write")).and_then(Value::as_array);
                let folders = entry.get("cwd").into_iter().chain(written.into_iter().flatten());
                Some(folders.filter_map(Value::as_str).map(str::to_owned).collect())
            }
        }
    }

    fn value(&self) -> Value {
        let mut fields = Map::new();
        match self {
            NewEntry::Copied(entry) => fields.clone_from(entry),
            NewEntry::Stdio { command, args, env, cwd, write } => {
                fields.insert("command".to_owned(), json!(command));
                if !args.is_empty() {
                    fields.insert("args".to_owned(), json!(args));
                }
                if !env.is_empty() {
                    fields.insert("env".to_owned(), json!(env));
                }
                if let Some(cwd) = cwd {
                    fields.insert("cwd".to_owned(), json!(cwd));
                }
                if !write.is_empty() {
                    fields.insert("intentbox".to_owned(), json!({ "write": write }));
                }
            }
            NewEntry::Http { url, headers } => {
                fields.insert("type".to_owned(), json!("http"));
                fields.insert("url".to_owned(), json!(url));
                if !headers.is_empty() {
                    fields.insert("headers".to_owned(), json!(headers));
                }
            }
        }
        Value::Object(fields)
    }
}

/// An entry of a file as it is written, with variables as they are, for another file: with all that says how it is started and
/// what it may use, and with the paths that start at the file's folder as absolute ones. Nothing where the file has no such entry.
///
/// A program whose entry names no `cwd` gets the file's folder if one of its words is a path below it, as `exists` knows: it may
/// write where it runs, so that no other program gets one.
#[must_use]
pub fn copied(file: &str, id: &ServerId, path: &Path, exists: &dyn Fn(&Path) -> bool) -> Option<NewEntry> {
    let Ok(Value::Object(root)) = parse_value(&text::without_comments(file)) else { return None };
    let entry = KEYS.into_iter().find_map(|key| root.get(key)?.get(id.as_str())?.as_object());
    let mut entry: Map<String, Value> = entry?.clone();
    entry.retain(|key, _| ENTRY_KEYS.contains(&key.as_str()));
    let folder = workspace(path)?;
    let mut arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    // A command without a slash is looked up in `PATH`.
    let command = entry.get("command").and_then(Value::as_str).filter(|command| command.contains('/'));
    let is_below = |word: &str| is_below(word, folder, exists);
    if !entry.contains_key("cwd") && (command.is_some_and(is_below) || arguments.any(is_below)) {
        entry.insert("cwd".to_owned(), Value::from("."));
    }
    entry.get_mut("cwd").into_iter().for_each(|value| make_absolute(value, folder));
    if let Some(own) = entry.get_mut("intentbox").and_then(Value::as_object_mut) {
        for key in ["token_file", "ca_file"] {
            own.get_mut(key).into_iter().for_each(|value| make_absolute(value, folder));
        }
        let written = own.get_mut("write").and_then(Value::as_array_mut);
        written.into_iter().flatten().for_each(|value| make_absolute(value, folder));
    }
    Some(NewEntry::Copied(entry))
}

/// Whether a word of a command, or the value of a flag in it, is a path that starts at a folder: it says so, or it is there.
fn is_below(word: &str, folder: &Path, exists: &dyn Fn(&Path) -> bool) -> bool {
    let word = match word.split_once('=') {
        Some((flag, value)) if flag.starts_with('-') => value,
        _ => word,
    };
    let says_so = matches!(word, "." | "..") || word.starts_with("./") || word.starts_with("../");
    // `run` and `server` are words of many commands, and of many folders.
    let is_path = word.contains(['/', '.']) && !word.starts_with(['-', '$', '~', '/']);
    says_so || (is_path && exists(&folder.join(word)))
}

/// Makes a path that starts at a folder an absolute one. One that begins with a variable stays.
fn make_absolute(value: &mut Value, folder: &Path) {
    if let Some(path) = value.as_str().filter(|path| !path.is_empty() && !path.starts_with(['$', '~', '/'])) {
        let whole = if path == "." { folder.to_owned() } else { folder.join(path) };
        *value = Value::from(whole.to_string_lossy().into_owned());
    }
}

/// Adds an entry. An empty text becomes a file.
///
/// # Errors
/// When there is one of this name, or the text is no file of servers that can be changed.
pub fn add(file: &str, id: &ServerId, entry: &NewEntry) -> Result<String, EditError> {
    let mut lines = Map::new();
    lines.insert(id.to_string(), entry.value());
    let lines = format!("{:#}", Value::Object(lines));
    let mut root = if file.trim().is_empty() { Map::new() } else { root(file, Some(lines))? };
    let key = KEYS.into_iter().find(|key| root.contains_key(*key)).unwrap_or(KEYS[0]);
    for key in KEYS {
        if root.get(key).and_then(Value::as_object).is_some_and(|servers| servers.contains_key(id.as_str())) {
            return Err(EditError::Exists(id.clone()));
        }
    }
    let servers = root.entry(key).or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(servers) = servers else { return Err(EditError::Invalid(format!("`{key}` is not an object"))) };
    servers.insert(id.to_string(), entry.value());
    Ok(printed(root, file))
}

/// Removes an entry.
///
/// # Errors
/// When there is none of this name, or the text is no file of servers that can be changed.
pub fn remove(file: &str, id: &ServerId) -> Result<String, EditError> {
    let mut root = root(file, None)?;
    let holds = |key: &&str| root.get(*key).and_then(Value::as_object).is_some_and(|all| all.contains_key(id.as_str()));
    let Some(key) = KEYS.into_iter().find(|key| holds(key)) else { return Err(EditError::Absent(id.clone())) };
    if let Some(servers) = root.get_mut(key).and_then(Value::as_object_mut) {
        // What comes after it keeps its order.
        servers.shift_remove(id.as_str());
    }
    Ok(printed(root, file))
}

fn root(file: &str, lines: Option<String>) -> Result<Map<String, Value>, EditError> {
    if text::without_comments(file) != file.trim_start_matches('\u{feff}') {
        return Err(EditError::Comments(lines));
    }
    match parse_value(file.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(root)) => Ok(root),
        Ok(_) => Err(EditError::Invalid("it is not an object".to_owned())),
        Err(error) => Err(EditError::Invalid(error.to_string())),
    }
}

/// The text of a file, written as the one before was: with its indentation and its ends of lines.
fn printed(root: Map<String, Value>, before: &str) -> String {
    let indented = before.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    let indent = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    let is_written = Value::Object(root.clone()).serialize(&mut serializer).is_ok();
    let text = if is_written { String::from_utf8(bytes).ok() } else { None };
    let text = text.unwrap_or_else(|| format!("{:#}", Value::Object(root))) + "\n";
    if before.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
}
