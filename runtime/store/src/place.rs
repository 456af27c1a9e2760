//! Where jobs and records of runs are.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::database::checked_url;

/// Where jobs and records of runs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In files of this folder, for the servers of one machine.
    Folder(PathBuf),
    /// In a database of `PostgreSQL`, for any number of machines.
    Postgres(PostgresUrl),
}

impl Place {
    /// Whether it is a folder in which no job was ever kept. Of a database nothing is known before it is asked.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Folder(folder) => !folder.join(crate::jobs::FILE).exists(),
            Self::Postgres(_) => false,
        }
    }
}

impl From<&Path> for Place {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.to_owned())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            Self::Postgres(url) => formatter.write_str(url.shown()),
        }
    }
}

/// The URL of a database of `PostgreSQL`, with its password. It is shown without.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    url: String,
    shown: String,
}

/// Why a text is no URL of a database. It does not repeat the text, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write it as postgres://USER:PASSWORD@HOST:5432/DATABASE")]
pub struct InvalidUrl(pub(crate) String);

impl PostgresUrl {
    /// Reads a URL, with white space around it.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, InvalidUrl> {
        let url = text.trim().to_owned();
        let shown = checked_url(&url).map_err(InvalidUrl)?;
        Ok(Self { url, shown })
    }

    /// The URL with its password.
    pub(crate) fn expose(&self) -> &str {
        &self.url
    }

    /// The URL for people: user, host and database.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PostgresUrl").field(&self.shown).finish()
    }
}
