//! The temporary folder of a started server. What a process that was killed left behind is removed by the next one.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

/// How the names of the folders begin.
const PREFIX: &str = "intentbox-server-";

/// A folder younger than this may be one that is about to be locked.
const AGE_MIN: Duration = Duration::from_mins(1);

/// How many folders are removed at once: whoever starts a server waits for it.
const REMOVED_MAX: usize = 16;

/// A folder of one server, removed when this is dropped. As long as it is not, nobody else removes it.
#[derive(Debug)]
pub(crate) struct ServerFolder {
    folder: TempDir,
    /// Locked: the system releases it with the process, however that ends.
    _held: File,
}

impl ServerFolder {
    /// Makes a folder in this one, and removes those whose processes are gone.
    ///
    /// # Errors
    /// When it cannot be made or locked.
    pub(crate) fn within(temporary: &Path) -> io::Result<Self> {
        remove_left(temporary, AGE_MIN);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temporary)?;
        let held = File::open(folder.path())?;
        held.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
        })?;
        Ok(Self { folder, _held: held })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders that nobody holds. What cannot be removed stays: it is another user's, or not ours to care about.
fn remove_left(temporary: &Path, age_min: Duration) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let left = entries.flatten().filter(|entry| {
        let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let metadata = if is_named { entry.metadata().ok() } else { None };
        // Not what a link leads to: the metadata are the link's own.
        let metadata = metadata.filter(fs::Metadata::is_dir);
        metadata
            .is_some_and(|metadata| metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= age_min)))
    });
    for entry in left.take(REMOVED_MAX) {
        if let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let temporary = tempfile::tempdir().expect("a folder");
        let at = |name: &str| temporary.path().join(name);
        let held = ServerFolder::within(temporary.path()).expect("it is made");
        fs::create_dir_all(at("intentbox-server-left/deep")).expect("made");
        fs::write(at("intentbox-server-file"), "").expect("written");
        fs::create_dir(at("other")).expect("made");
        std::os::unix::fs::symlink(at("other"), at("intentbox-server-link")).expect("made");
        remove_left(temporary.path(), Duration::from_hours(1));
        assert!(at("intentbox-server-left").exists(), "it is too young");
        remove_left(temporary.path(), Duration::ZERO);
        let there = |name: &str| at(name).symlink_metadata().is_ok();
        assert_eq!(
            ["intentbox-server-left", "intentbox-server-file", "intentbox-server-link", "other"].map(there),
            [false, true, true, true]
        );
        let path = held.path().to_owned();
        assert!(path.exists());
        drop(held);
        assert!(!path.exists());
    }
}
