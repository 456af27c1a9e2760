//! What lies in a directory: its files, those of its folders too.

use std::io;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, Metadata};
use intentbox_capability::{PATH_BYTES_MAX, is_plain_name};

/// The most files a listing names. A directory with more is read folder by folder.
pub const ENTRIES_MAX: usize = 10_000;

/// The most entries a listing looks at, folders and what is no file included: it bounds the time.
pub const VISITED_MAX: usize = 100_000;

/// The deepest folder that is looked into.
const DEPTH_MAX: usize = 16;

/// The most bytes that the paths of a listing may have together. It travels to the guest in one message.
const PATHS_BYTES_MAX: usize = 2 << 20;

/// Bytes left for the alias and the folder that a listing started from.
const ALIAS_ROOM: usize = 256;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path below the directory that was listed.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last changed, in milliseconds after 1970; 0 where the system does not know.
    pub modified_unix_ms: i64,
}

/// A listing, as far as it went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All files, by path.
    Whole(Vec<Listed>),
    /// There are more than a listing may hold.
    TooMany,
}

/// Lists the regular files of `dir` and of its folders, by path.
///
/// Symbolic links are left out: what they lead to is listed where it lies, or lies outside. So are names that no script
/// could ask for (not UTF-8, or with control characters or backslashes), since one such file would otherwise keep a script
/// from reading all the others, and folders that may not be read.
pub(crate) fn list(dir: &Dir) -> io::Result<Listing> {
    let mut found = Vec::new();
    let mut visited = 0;
    let mut paths_bytes = 0;
    let mut folders: Vec<(Dir, String, usize)> = vec![(dir.try_clone()?, String::new(), 0)];
    let mut is_root = true;
    while let Some((folder, prefix, depth)) = folders.pop() {
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) if is_root => return Err(error),
            Err(_) => continue,
        };
        is_root = false;
        for entry in entries {
            visited += 1;
            if visited > VISITED_MAX {
                return Ok(Listing::TooMany);
            }
            let Ok(entry) = entry else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if !is_plain_name(&name) {
                continue;
            }
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            // The alias comes before it when it is asked for.
            if path.len() > PATH_BYTES_MAX - ALIAS_ROOM {
                continue;
            }
            if kind.is_dir() && depth < DEPTH_MAX {
                if let Ok(inner) = entry.open_dir() {
                    folders.push((inner, path, depth + 1));
                }
            } else if kind.is_file()
                && let Ok(metadata) = entry.metadata()
            {
                paths_bytes += path.len();
                if found.len() == ENTRIES_MAX || paths_bytes > PATHS_BYTES_MAX {
                    return Ok(Listing::TooMany);
                }
                found.push(Listed { path, bytes: metadata.len(), modified_unix_ms: modified(&metadata) });
            }
        }
    }
    found.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(Listing::Whole(found))
}

fn modified(metadata: &Metadata) -> i64 {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
