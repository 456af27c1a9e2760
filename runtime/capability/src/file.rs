//! Admission of paths below directories. **This file is the boundary** between a script's text and the host's files.
//!
//! Invariant: an [`AllowedFile`] exists only for a directory that every layer of a grant names, and its path is a list of
//! plain names: none is empty, `.` or `..`, none holds a slash, a backslash or a control character. It must be opened
//! relative to the directory's own handle, refusing anything that leads out of it, so that symbolic links do not help
//! either.

use std::collections::BTreeSet;

use crate::access::{Access, Rule};
use crate::refusal::{Refusal, listed, shown};
use crate::rule::Alias;

/// The longest path below a directory, in bytes: half of what Linux accepts.
pub const PATH_BYTES_MAX: usize = 2048;

/// The most names in a path.
const NAMES_MAX: usize = 64;

/// A directory to read.
impl Rule for Alias {
    const MARK: &'static str = ": READ";

    fn line(&self) -> String {
        format!("{self}{}", Self::MARK)
    }

    fn written(&self) -> String {
        format!("\"{self}\"")
    }

    fn changes(&self) -> bool {
        false
    }

    fn lacking(&self, permitted: &[Self]) -> Option<Self> {
        (!permitted.contains(self)).then(|| self.clone())
    }

    fn proposed(&self, wants: &[Self]) -> Option<Self> {
        wants.contains(self).then(|| self.clone())
    }
}

/// Which directories a run may read. As with [`Grant`](crate::Grant), each layer is one party's list, and adding a layer
/// can only take away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reads {
    aliases: BTreeSet<Alias>,
}

impl Reads {
    /// The grant of one layer.
    #[must_use]
    pub fn of(aliases: impl IntoIterator<Item = Alias>) -> Self {
        Self { aliases: aliases.into_iter().collect() }
    }

    /// This grant, narrowed to what the other allows too.
    #[must_use]
    pub fn and(mut self, aliases: impl IntoIterator<Item = Alias>) -> Self {
        let other: BTreeSet<Alias> = aliases.into_iter().collect();
        self.aliases.retain(|alias| other.contains(alias));
        self
    }

    /// The directories, in order.
    pub fn aliases(&self) -> impl Iterator<Item = &Alias> {
        self.aliases.iter()
    }

    pub(crate) fn shown(&self) -> Vec<Alias> {
        self.aliases.iter().cloned().collect()
    }

    /// Admits a path of a script, `alias:folder/file`, or says why not. An empty path after the colon is the directory
    /// itself.
    ///
    /// # Errors
    ///
    /// A [`Refusal`], which names the rule.
    pub fn admit(&self, text: &str) -> Result<AllowedFile, Refusal> {
        let malformed = |flaw: PathFlaw| Refusal::Call {
            what: format!("reading {}", shown(text)),
            why: flaw.to_string(),
            needs: None,
        };
        if text.len() > PATH_BYTES_MAX {
            return Err(malformed(PathFlaw::TooLong));
        }
        let (alias, path) = text.split_once(':').ok_or_else(|| malformed(PathFlaw::NoAlias))?;
        let alias: Alias = alias.parse().map_err(|_| malformed(PathFlaw::NoAlias))?;
        if !path.is_empty() {
            if path.split('/').count() > NAMES_MAX {
                return Err(malformed(PathFlaw::TooLong));
            }
            if !path.split('/').all(is_plain_name) {
                return Err(malformed(PathFlaw::Name));
            }
        }
        if !self.aliases.contains(&alias) {
            let granted: Vec<&str> = self.aliases.iter().map(Alias::as_str).collect();
            let granted = if granted.is_empty() { "no directory".to_owned() } else { listed(&granted) };
            return Err(Refusal::Call {
                what: format!("reading {alias}:{}", shown(path)),
                why: format!("the run may read {granted}"),
                needs: Some(Box::new(Access { read: vec![alias], ..Access::default() })),
            });
        }
        Ok(AllowedFile { alias, path: path.to_owned() })
    }
}

/// Whether a name may be part of an admitted path. A listing omits other names, because nobody could read them.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(|character: char| character == '\\' || character.is_control())
}

/// A file or folder that may be read. Only [`Reads::admit`] makes one, so holding it is the proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedFile {
    alias: Alias,
    path: String,
}

impl AllowedFile {
    /// The directory that contains it.
    #[must_use]
    pub fn alias(&self) -> &Alias {
        &self.alias
    }

    /// The path below the directory: names with slashes between, or empty for the directory itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path in the script's own terms, `alias:folder/file`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}:{}", self.alias, self.path)
    }
}

/// Why no grant could allow a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFlaw {
    /// It does not start with the alias of a directory.
    #[error("write it as `alias:folder/file`, where the alias names a granted directory")]
    NoAlias,
    /// It is longer than any path.
    #[error("it has more than {PATH_BYTES_MAX} bytes or {NAMES_MAX} names")]
    TooLong,
    /// A part of it is no plain name.
    #[error("its parts must be plain names, without `.`, `..`, backslashes or control characters")]
    Name,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::refusal::Needs;

    fn aliases(names: &[&str]) -> Vec<Alias> {
        names.iter().map(|name| name.parse().expect("an alias")).collect()
    }

    fn check(text: &str, expected: Result<&str, &str>) {
        let admitted = Reads::of(aliases(&["logs", "data"])).and(aliases(&["logs"])).admit(text);
        match (admitted, expected) {
            (Ok(file), Ok(path)) => assert_eq!((file.alias().as_str(), file.path()), ("logs", path), "{text:?}"),
            (Err(refusal), Err(part)) => assert!(refusal.to_string().contains(part), "{text:?}: {refusal}"),
            (got, expected) => panic!("{text:?}: expected {expected:?}, got {got:?}"),
        }
    }

    #[test]
    fn plain_paths_below_a_granted_directory_are_admitted() {
        check("logs:", Ok(""));
        check("logs:app.log", Ok("app.log"));
        check("logs:a b/ž.log.gz", Ok("a b/ž.log.gz"));
        check("logs:...", Ok("..."));
        check("logs:a:b", Ok("a:b"));
        check(&format!("logs:{}", "x".repeat(PATH_BYTES_MAX - 5)), Ok(&"x".repeat(PATH_BYTES_MAX - 5)));
    }

    #[test]
    fn e05_paths_that_lead_elsewhere_are_refused() {
        for path in ["/etc/passwd", "../x", "a/../x", "a/./x", "a//x", "a/", "a\\x", "a\0", "a\nb", ".", ".."] {
            check(&format!("logs:{path}"), Err("plain names"));
        }
        for text in ["", "app.log", "/etc/passwd", ":x", "LOGS:x", "logs/x", "file:///etc"] {
            let refused = Reads::of(aliases(&["logs"])).admit(text);
            assert!(refused.is_err(), "{text:?} was admitted");
        }
        check(&format!("logs:{}", "x".repeat(PATH_BYTES_MAX)), Err("more than 2048 bytes"));
        check(&format!("logs:{}x", "a/".repeat(NAMES_MAX)), Err("64 names"));
    }

    #[test]
    fn a_directory_that_one_layer_does_not_name_is_refused() {
        check("data:x", Err("data:x was refused: the run may read logs"));
        let refusal = Reads::of(aliases(&["logs"])).and([]).admit("logs:x").expect_err("nothing is granted");
        assert_eq!(refusal.to_string(), "reading logs:x was refused: the run may read no directory");
        let rules = Access { read: aliases(&["logs"]), ..Access::default() };
        assert_eq!(refusal.needs(), Some(Needs::Rules(rules)));
    }

    proptest! {
        #[test]
        fn e05_no_admitted_path_leaves_its_directory(text in "[a-z:/.\\\\ \0~*é-]{0,40}") {
            if let Ok(file) = Reads::of(aliases(&["a"])).admit(&format!("a:{text}")) {
                let names = || file.path().split('/');
                prop_assert!(file.path().is_empty() || names().all(|name| !matches!(name, "" | "." | "..")));
                prop_assert!(!file.path().contains(['\\', '\0']));
                prop_assert_eq!(file.shown(), format!("a:{text}"));
            }
        }
    }
}
