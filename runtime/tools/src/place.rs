//! Where servers are started: what the caller, who reads the environment, says about this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use intentbox_egress::Source;

use crate::writable;

/// The variables that a started server inherits, besides those of its own configuration: what programs need to find themselves
/// and their user, and nothing that holds a secret by custom. Names that begin with `LC_` or `XDG_` are inherited as well.
pub const INHERITED: [&str; 9] = ["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"];

/// Whether a started server inherits a variable of this name.
#[must_use]
pub fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
}

/// Loads what a configuration names.
pub type Load = fn(&Source) -> Result<String, String>;

/// What servers of this process are started with.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// This program's own binary, which confines itself and becomes the server's program.
    pub launcher: PathBuf,
    /// The verb of it that does so.
    pub launcher_verb: &'static str,
    /// The variables that are inherited ([`is_inherited`]).
    pub environment: BTreeMap<String, String>,
    /// Where servers run whose entry names no folder and whose file is for none; their temporary folder if there is none.
    pub current: Option<PathBuf>,
    /// The folder in which each server gets a temporary one of its own.
    pub temporary: PathBuf,
    /// Folders and files that no server reads: our state and our secrets.
    pub hidden: Vec<PathBuf>,
    /// Folders and files that no server writes: what an operator wrote and this program obeys, such as templates.
    pub protected: Vec<PathBuf>,
    /// Folders that every server may write: the caches of launchers such as `npx` and `uvx`.
    pub writable: Vec<PathBuf>,
    /// Loads a secret or a file of certificates. Its error names the place, never the value. Without it a server that needs one
    /// is not connected to.
    pub load: Option<Load>,
}

/// A cache of launchers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LauncherCache<'a> {
    /// Its path.
    pub path: &'a Path,
    /// Where it lies; nothing if it is not there.
    pub real: Option<PathBuf>,
    /// Whether servers may write it. One that a symbolic link leads elsewhere stays closed: a server that may write the folder above
    /// could make such a link.
    pub is_open: bool,
}

impl Place {
    /// The caches of launchers, and which of them servers may write.
    pub fn caches(&self) -> impl Iterator<Item = LauncherCache<'_>> {
        let home = self.environment.get("HOME").map(Path::new);
        self.writable.iter().map(move |path| {
            let bases: Vec<&Path> = home.into_iter().collect();
            let (real, is_straight) = match writable::real(path, &bases) {
                Ok(real) => (real, true),
                Err(real) => (Some(real), false),
            };
            let is_open = is_straight && real.as_deref().is_some_and(|real| !writable::holds_settings(real));
            LauncherCache { path, real, is_open }
        })
    }
}
