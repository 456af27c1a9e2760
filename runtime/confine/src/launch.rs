//! What is started, and how the parent starts it.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::namespaces;
use crate::search::{Found, found};
use crate::stage::SUPERVISE;

/// What stderr begins with when a program could not be started: so that its parent tells that from a program that failed.
pub const START_FAILED_MARKER: &str = "intentbox: the program was not started: ";

/// What the names of the program's variables begin with until it is confined.
pub(crate) const PREFIX: &str = "INTENTBOX_GIVEN_";

/// A program and what it is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// A path, or a name that is looked up in the `PATH` of `environment`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The whole environment.
    pub environment: Vec<(String, String)>,
    /// Where it starts.
    pub working_directory: PathBuf,
    /// What it may use.
    pub bounds: Bounds,
}

/// What a program may use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Whether it may use the network, loopback included.
    pub network: bool,
    /// Whether it shares the user's view of files and processes also where bubblewrap could give it one of its own.
    pub shares_namespaces: bool,
    /// Folders that it may write. Those that are not there are left out.
    pub writable: Vec<PathBuf>,
    /// Folders and files that it may not read.
    pub hidden: Vec<PathBuf>,
    /// Folders and files that it may read and not write, also where they lie in a folder that it may write.
    pub protected: Vec<PathBuf>,
    /// How much of one core it may use, where control groups allow that; otherwise it yields to others.
    pub cpu_percent: Option<u8>,
}

/// What the stages of the launcher are told, besides the environment that they inherit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) program: PathBuf,
    /// What the program is called by.
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    pub(crate) bounds: Bounds,
    /// The process that starts it, whose end is its end.
    pub(crate) parent: u32,
    /// The program that makes its namespaces, if it gets some.
    pub(crate) bubblewrap: Option<PathBuf>,
}

/// Why a program is not started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no such program.
    #[error("{}{}", .command, .searched.as_ref().map_or_else(|| " does not exist".to_owned(), |path| format!(" is in no folder of PATH ({path})")))]
    NotFound {
        /// As configured, escaped.
        command: String,
        /// The folders that were searched, if it is a name.
        searched: Option<String>,
    },
    /// It is no program, or may not be run.
    #[error("{command} {reason}")]
    NotExecutable {
        /// As configured, escaped.
        command: String,
        /// Why not.
        reason: &'static str,
    },
    /// The working directory is not there.
    #[error("the working directory {} {reason}", .folder.display())]
    WorkingDirectory {
        /// Which.
        folder: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// It could not be confined as it should be, or not be started.
    #[error("{0}")]
    Failed(String),
}

impl Launch {
    /// The command that starts the program through `launcher`, this program's own binary, whose verb `verb` passes its other
    /// arguments to [`run`](crate::run). Standard input, output and error are left to the caller.
    ///
    /// # Errors
    /// When there is no such program, or it may not be run.
    pub fn command(&self, launcher: &Path, verb: &str) -> Result<Command, LaunchError> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str());
        let program = match found(&self.command, path.unwrap_or_default(), &self.working_directory) {
            Found::Program(program) => program,
            Found::Nothing { searched } => {
                return Err(LaunchError::NotFound { command: escaped(&self.command), searched });
            }
            Found::NotExecutable(reason) => {
                return Err(LaunchError::NotExecutable { command: escaped(&self.command), reason });
            }
        };
        let folder = &self.working_directory;
        if !folder.is_dir() {
            let reason = if folder.exists() { "is not a directory" } else { "does not exist" };
            return Err(LaunchError::WorkingDirectory { folder: folder.clone(), reason });
        }
        let bubblewrap = if self.bounds.shares_namespaces { None } else { namespaces::bubblewrap() };
        let plan = Plan {
            program,
            name: self.command.clone(),
            args: self.args.clone(),
            bounds: self.bounds.clone(),
            parent: std::process::id(),
            bubblewrap: bubblewrap.map(Path::to_owned),
        };
        let plan = serde_json::to_string(&plan).map_err(|error| LaunchError::Failed(error.to_string()))?;
        let mut command = Command::new(launcher);
        command.args([OsStr::new(verb), OsStr::new(SUPERVISE), OsStr::new(&plan)]);
        // Under other names: what the linker reads must not change what runs before the program is confined.
        let environment = self.environment.iter().map(|(name, value)| (format!("{PREFIX}{name}"), value.clone()));
        command.env_clear().envs(environment).current_dir(folder).process_group(0);
        Ok(command)
    }
}

fn escaped(text: &str) -> String {
    format!("`{}`", text.escape_debug())
}
