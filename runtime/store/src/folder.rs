//! The state folder on disk: made for its owner alone, and checked before anything in it is opened.

use std::fs::{DirBuilder, FileType, OpenOptions, symlink_metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The state file. The database puts `state.db-wal` and `state.db-shm` beside it while it is open, with the same permissions.
const FILE: &str = "state.db";

/// The path of the folder.
#[derive(Debug)]
pub(crate) struct StateFolder {
    folder: PathBuf,
    file: PathBuf,
}

impl StateFolder {
    /// The folder at this path, which need not be there.
    pub(crate) fn at(folder: &Path) -> Result<Self, StoreError> {
        Self::of_file(folder, FILE)
    }

    /// The folder at this path, with another file of it.
    pub(crate) fn of_file(folder: &Path, file: &str) -> Result<Self, StoreError> {
        // Absolute, since the database reads a name that begins with `file:` as a URI.
        let absolute = std::path::absolute(folder);
        let folder = absolute.map_err(|error| StoreError::Folder { folder: folder.to_owned(), error })?;
        let file = folder.join(file);
        Ok(Self { folder, file })
    }

    /// The state file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether there is a state file. Anything but a regular file is an error: a link would lead to a file that
    /// somebody else chose, and a pipe would wait for its other end.
    pub(crate) fn has_state(&self) -> Result<bool, StoreError> {
        match symlink_metadata(&self.file) {
            Ok(entry) if entry.is_file() => Ok(true),
            Ok(entry) => Err(StoreError::NotAFile { file: self.file.clone(), found: kind(entry.file_type()) }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.unusable(error)),
        }
    }

    /// Makes the folder and an empty state file, where they are not there: the folder for its owner alone (0700), and the file
    /// likewise (0600), in case the folder was there before and is open to others.
    pub(crate) fn create(&self) -> Result<(), StoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|error| self.unusable(error))?;
        if self.has_state()? {
            return Ok(());
        }
        // The database would make the file with the permissions that the umask leaves.
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.file) {
            Ok(_) => Ok(()),
            // Another process was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.has_state().map(|_| ()),
            Err(error) => Err(self.unusable(error)),
        }
    }

    fn unusable(&self, error: io::Error) -> StoreError {
        StoreError::Folder { folder: self.folder.clone(), error }
    }
}

fn kind(found: FileType) -> &'static str {
    if found.is_symlink() {
        "symbolic link"
    } else if found.is_dir() {
        "directory"
    } else if found.is_fifo() {
        "pipe"
    } else {
        "device or socket"
    }
}
