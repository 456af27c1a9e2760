//! `init`: a configuration and a policy to start from, with comments.

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::answer::Answer;
use crate::arguments::Sources;
use crate::error::{Class, Classify as _, CommandError};
use crate::setup;

const CONFIGURATION: &str = include_str!("init/config.toml");
const POLICY: &str = include_str!("init/policy.toml");

/// Writes both files, or neither if one exists already or cannot be written. Without a directory, they are those that other
/// commands would read.
pub(crate) fn run(sources: &Sources, folder: Option<PathBuf>) -> Result<Answer, CommandError> {
    let configuration = match (folder, &sources.config) {
        (Some(_), Some(_)) => {
            let error = Class::Usage.error("init takes a directory or --config, not both");
            return Err(error.hint("leave one of them out"));
        }
        (Some(folder), None) => Some(folder.join("config.toml")),
        (None, named) => setup::configuration_file(named.as_deref()),
    };
    let Some(configuration) = configuration else {
        return Err(Class::Usage.error("there is no home directory").hint("run `intentbox init ./intentbox`"));
    };
    let policy = sources.policy.clone().unwrap_or_else(|| configuration.with_file_name("policy.toml"));
    write(&configuration, &policy)?;
    let files: Vec<String> = [&configuration, &policy].iter().map(|file| file.display().to_string()).collect();
    let flag = if sources.policy.is_some() { format!(" --policy {}", files[1]) } else { String::new() };
    let text = format!(
        "{}\n\nEdit these files, then run:\n  intentbox --config {}{flag} doctor\n",
        files.join("\n"),
        files[0]
    );
    Ok(Answer::new(text).with("files", files))
}

fn write(configuration: &Path, policy: &Path) -> Result<(), CommandError> {
    if configuration == policy {
        let error = Class::Usage.error(format!("{} would be configuration and policy", policy.display()));
        return Err(error.hint("name two files with --config and --policy"));
    }
    let mut targets = vec![Target::open(configuration, CONFIGURATION)?];
    // A policy that `tools add` wrote stays as it is.
    let theirs = Target::open(policy, POLICY)?;
    let is_of_tools = !configuration.exists() && policy.is_file() && !policy.is_symlink();
    if !is_of_tools {
        targets.push(theirs);
    }
    for target in &targets {
        target.must_be_absent()?;
    }
    write_all(&targets).class(Class::Unavailable)
}

/// A file to write.
struct Target {
    path: PathBuf,
    /// Its directory.
    dir: Dir,
    /// Its name in that.
    name: OsString,
    text: &'static str,
}

impl Target {
    /// Opens the directory of a file, and makes it if it is missing.
    fn open(path: &Path, text: &'static str) -> Result<Target, CommandError> {
        let Some(name) = path.file_name() else {
            let error = Class::Usage.error(format!("{} does not name a file", path.display()));
            return Err(error.hint("name a file, such as intentbox/config.toml"));
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let dir = make(folder).with_context(|| folder.display().to_string()).class(Class::Unavailable)?;
        Ok(Target { path: path.to_owned(), dir, name: name.to_owned(), text })
    }

    fn must_be_absent(&self) -> Result<(), CommandError> {
        let path = self.path.display();
        // The entry itself: what a link leads to may be missing, and would be made elsewhere.
        match self.dir.symlink_metadata(&self.name) {
            Ok(entry) if entry.is_symlink() => {
                let error = Class::Usage.error(format!("{path} is a symbolic link, and init writes through none"));
                Err(error.hint("remove the link, or name another directory"))
            }
            Ok(_) => {
                let error = Class::Usage.error(format!("{path} exists already; nothing was written"));
                Err(error.hint("name another directory, or remove the file"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).with_context(|| path.to_string()).class(Class::Unavailable),
        }
    }
}

fn make(folder: &Path) -> std::io::Result<Dir> {
    std::fs::create_dir_all(folder)?;
    Dir::open_ambient_dir(folder, ambient_authority())
}

/// Makes the files. When one of them fails, those that were made before it are taken away again: half a pair would be
/// in the way of the next attempt.
fn write_all(targets: &[Target]) -> anyhow::Result<()> {
    let mut made = Vec::new();
    for target in targets {
        // It must be new, so that it is ours to take away, and so that no link is followed that came in the meantime.
        let opened = target.dir.open_with(&target.name, OpenOptions::new().write(true).create_new(true));
        let written = opened.and_then(|mut file| {
            made.push(target);
            file.write_all(target.text.as_bytes())
        });
        if let Err(error) = written {
            for target in made {
                // The first failure is the one to tell.
                let _ = target.dir.remove_file(&target.name);
            }
            return Err(error).with_context(|| target.path.display().to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("it is there");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nothing_is_written_where_one_of_the_files_is_a_link() {
        for name in ["config.toml", "policy.toml"] {
            for target in ["elsewhere", "nowhere"] {
                let folder = tempfile::tempdir().expect("a folder");
                let inside = folder.path().join("box");
                std::fs::create_dir(&inside).expect("made");
                std::fs::write(inside.join("elsewhere"), "mine").expect("written");
                symlink(target, inside.join(name)).expect("linked");
                let error = write(&inside.join("config.toml"), &inside.join("policy.toml"));
                let error = error.expect_err("one of them is a link").message();
                let link = inside.join(name).display().to_string();
                assert_eq!(error, format!("{link} is a symbolic link, and init writes through none"));
                let mut left = names(&inside);
                left.sort();
                let mut before = [name, "elsewhere"];
                before.sort_unstable();
                assert_eq!(left, before, "neither file was made");
                assert_eq!(std::fs::read(inside.join("elsewhere")).expect("there"), b"mine");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_made_takes_the_other_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = |name: &str, text| Target::open(&folder.path().join(name), text).expect("it opens");
        let targets = [target("config.toml", CONFIGURATION), target("policy.toml", POLICY)];
        // It came after somebody had looked.
        symlink("nowhere", folder.path().join("policy.toml")).expect("linked");
        assert!(write_all(&targets).is_err());
        assert_eq!(names(folder.path()), ["policy.toml"], "the link is left as it is");
        std::fs::remove_file(folder.path().join("policy.toml")).expect("removed");
        write_all(&targets).expect("there is nothing in the way");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
