//! Why the state cannot be read or written.

use std::io;
use std::path::PathBuf;

/// Why the state cannot be read or written. What was recorded before stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder is not there and cannot be made, or cannot be entered.
    #[error("the state folder {} cannot be used: {error}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Something else is where the state file belongs. It is not followed and not opened.
    #[error("{} is a {found}, and the state is a regular file", .file.display())]
    NotAFile {
        /// Where the state file belongs.
        file: PathBuf,
        /// What it is, such as `directory`.
        found: &'static str,
    },
    /// The file cannot be opened.
    #[error("the state file {} cannot be opened: {detail}", .file.display())]
    Unopened {
        /// The state file.
        file: PathBuf,
        /// What the system or the database says.
        detail: String,
    },
    /// The file is not a database, or a damaged one.
    #[error("the state file {} is damaged: {detail}", .file.display())]
    Damaged {
        /// The state file.
        file: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The file is a database of another program.
    #[error("the state file {} is a database of another program", .file.display())]
    Foreign {
        /// The state file.
        file: PathBuf,
    },
    /// A newer version of this program wrote the file.
    #[error(
        "the state file {} has version {found}, and this program reads versions up to {known}: update intentbox",
        .file.display()
    )]
    Newer {
        /// The state file.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// Another process held the file for longer than one waits.
    #[error("the state file {} is in use by another process: {detail}", .file.display())]
    Busy {
        /// The state file.
        file: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The file or its folder may not be written.
    #[error("the state file {} cannot be written: {detail}", .file.display())]
    ReadOnly {
        /// The state file.
        file: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The disk is full.
    #[error("the state file {} cannot grow: {detail}", .file.display())]
    Full {
        /// The state file.
        file: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The database on the network does not answer. What was being written may have been.
    #[error("the database {database} cannot be reached: {detail}")]
    Unreachable {
        /// The database, without its password.
        database: String,
        /// What the system or the database says.
        detail: String,
    },
    /// The database on the network refuses, for example because its disk is full.
    #[error("the database {database} failed: {detail}")]
    Database {
        /// The database, without its password.
        database: String,
        /// What it says.
        detail: String,
    },
    /// Anything else, such as an error of the disk.
    #[error("the state file {} cannot be used: {detail}", .file.display())]
    Failed {
        /// The state file.
        file: PathBuf,
        /// What the database says.
        detail: String,
    },
}

impl StoreError {
    /// The same without the place and without what a system says: for whoever may not know where data is kept, such as scripts.
    #[must_use]
    pub fn brief(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "the database does not answer",
            Self::Database { .. } => "the database has failed",
            Self::Busy { .. } => "another process holds the state file",
            Self::Full { .. } => "the disk is full",
            _ => "the state file cannot be used",
        }
    }
}
