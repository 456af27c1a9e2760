//! The directories of a configuration, each by its alias.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use intentbox_capability::{Alias, Reads};

use crate::blocking::BlockingLimit;
use crate::reader::Reader;

/// Directories that may be granted, opened once. Cloning is cheap and shares the handles.
///
/// A directory is its handle and not its path: a directory that replaces it at the same path is another one.
#[derive(Debug, Clone, Default)]
pub struct Directories {
    open: Arc<BTreeMap<Alias, Dir>>,
    listings: BlockingLimit,
}

/// A directory that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the directory `{alias}` cannot be opened: {}: {error}", path.display())]
pub struct DirectoryError {
    /// Its alias.
    pub alias: Alias,
    /// Where it should be.
    pub path: PathBuf,
    /// What the system says.
    pub error: io::Error,
}

impl Directories {
    /// Opens the directories.
    ///
    /// # Errors
    ///
    /// The first that does not exist, is not a directory, or may not be read.
    pub fn open<'a>(configured: impl IntoIterator<Item = (&'a Alias, &'a Path)>) -> Result<Self, DirectoryError> {
        let mut open = BTreeMap::new();
        for (alias, path) in configured {
            let dir = Dir::open_ambient_dir(path, ambient_authority()).and_then(|dir| {
                // Opening needs no right to read; listing does, and this is the time to say so.
                dir.entries()?;
                Ok(dir)
            });
            let dir = dir.map_err(|error| DirectoryError { alias: alias.clone(), path: path.to_owned(), error })?;
            open.insert(alias.clone(), dir);
        }
        Ok(Self { open: Arc::new(open), listings: BlockingLimit::default() })
    }

    /// Whether there is a directory of this name.
    #[must_use]
    pub fn has(&self, alias: &Alias) -> bool {
        self.open.contains_key(alias)
    }

    /// The reader of one run.
    #[must_use]
    pub fn reader(&self, grant: Reads) -> Reader {
        Reader::new(self.clone(), grant)
    }

    /// Limits concurrent listings, so that all runs together hold a bounded number of descriptors and threads for them.
    pub(crate) fn listings(&self) -> &BlockingLimit {
        &self.listings
    }

    pub(crate) fn get(&self, alias: &Alias) -> Option<&Dir> {
        self.open.get(alias)
    }
}
