//! Which files a program can open: written are those of its own folders, and read are all but ours (landlock).

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, Scope, path_beneath_rules,
};

use crate::launch::Bounds;

/// The newest rules that this program knows. An older kernel leaves out what it does not know.
const NEWEST: ABI = ABI::V6;

/// Where programs write that is nobody's file: devices that keep nothing, memory that processes share, and settings of the process
/// itself. Not terminals, in which a program could type for the user, and not the settings of the kernel, which root could
/// write.
const NOBODYS: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm", "/proc/self"];

/// Restricts this process and all that it starts. Returns how far the kernel enforces it; nothing if it knows no such rules.
pub(crate) fn confine(bounds: &Bounds) -> Option<RestrictionStatus> {
    restrict(bounds).ok()
}

fn restrict(bounds: &Bounds) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let listing: BitFlags<AccessFs> = AccessFs::ReadDir.into();
    let reading = AccessFs::ReadFile | AccessFs::Execute;
    let mut scopes: BitFlags<Scope> = Scope::Signal.into();
    if !bounds.network {
        scopes |= Scope::AbstractUnixSocket;
    }
    let hidden: Vec<PathBuf> = bounds.hidden.iter().map(|path| real(path)).collect();
    let nobodys = NOBODYS.iter().map(PathBuf::from);
    let writable = bounds.writable.iter().filter_map(|path| path.canonicalize().ok()).chain(nobodys);
    // A folder that holds a hidden or a protected one must not open it again.
    let closed: Vec<PathBuf> = bounds.protected.iter().map(|path| real(path)).chain(hidden.clone()).collect();
    let writable: Vec<PathBuf> = writable.flat_map(|folder| opened(&folder, &closed, &entries_of)).collect();
    let ruleset = Ruleset::default().handle_access(all)?.scope(scopes)?.create()?;
    let ruleset = ruleset.add_rules(path_beneath_rules(["/"], listing))?;
    let ruleset = ruleset.add_rules(path_beneath_rules(opened(Path::new("/"), &hidden, &entries_of), reading))?;
    ruleset.add_rules(path_beneath_rules(writable, all))?.restrict_self()
}

/// Where a path leads, also one that is not there yet: nobody may make it.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = at.canonicalize() {
            return missing.iter().rev().fold(real, |real, name| real.join(name));
        }
        match (at.parent(), at.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name.to_owned());
                at = parent;
            }
            _ => return path.to_owned(),
        }
    }
}

/// What has to be allowed for everything below `folder` but the hidden folders: the folder itself, or what lies beside those.
fn opened(folder: &Path, hidden: &[PathBuf], entries: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| folder.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(folder)) {
        return vec![folder.to_owned()];
    }
    entries(folder).iter().flat_map(|entry| opened(entry, hidden, entries)).collect()
}

/// What lies in a folder. Links are left out: what they lead to is allowed where it lies.
fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    entries.flatten().filter(|entry| !is_link(entry)).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_beside_a_hidden_folder_is_opened() {
        let entries = |folder: &Path| -> Vec<PathBuf> {
            let names: &[&str] = match folder.to_str() {
                Some("/") => &["bin", "srv"],
                Some("/srv") => &["me", "you"],
                Some("/srv/me") => &["secret", "work"],
                _ => &[],
            };
            names.iter().map(|name| folder.join(name)).collect()
        };
        let open = |folder: &str, hidden: &[&str]| -> Vec<String> {
            let hidden: Vec<PathBuf> = hidden.iter().map(PathBuf::from).collect();
            let opened = opened(Path::new(folder), &hidden, &entries);
            opened.iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(open("/", &[]), ["/"]);
        assert_eq!(open("/", &["/srv/me/secret"]), ["/bin", "/srv/me/work", "/srv/you"]);
        assert_eq!(open("/", &["/srv/me/secret", "/srv/you"]), ["/bin", "/srv/me/work"]);
        assert_eq!(open("/srv/me", &["/srv/me/secret"]), ["/srv/me/work"]);
        assert_eq!(open("/srv/you", &["/srv/me/secret"]), ["/srv/you"]);
        assert_eq!(open("/srv/me/secret/x", &["/srv/me/secret"]), Vec::<String>::new());
        assert_eq!(open("/srv/mean", &["/srv/me"]), ["/srv/mean"], "a name is not a prefix");
    }
}
