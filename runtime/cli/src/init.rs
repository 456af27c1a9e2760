//! `init`: a configuration and a policy to start from, with comments.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::answer::Answer;
use crate::error::{Class, Classify as _, CommandError};
use crate::setup;

const FILES: [(&str, &str); 2] =
    [("config.toml", include_str!("init/config.toml")), ("policy.toml", include_str!("init/policy.toml"))];

/// Writes both files, or neither when one exists already or cannot be written.
pub(crate) fn run(folder: Option<PathBuf>) -> Result<Answer, CommandError> {
    let Some(folder) = folder.or_else(setup::user_folder) else {
        return Err(Class::Usage.error("there is no home directory").hint("run `intentbox init ./intentbox`"));
    };
    let dir = make(&folder).with_context(|| folder.display().to_string()).class(Class::Unavailable)?;
    for (name, _) in FILES {
        must_be_absent(&dir, name, &folder.join(name))?;
    }
    write_all(&dir, &folder).class(Class::Unavailable)?;
    let files: Vec<String> = FILES.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
    let text =
        format!("{}\n\nEdit these files, then run:\n  intentbox --config {} doctor\n", files.join("\n"), files[0]);
    Ok(Answer::new(text).with("files", files))
}

fn make(folder: &Path) -> std::io::Result<Dir> {
    std::fs::create_dir_all(folder)?;
    Dir::open_ambient_dir(folder, ambient_authority())
}

fn must_be_absent(dir: &Dir, name: &str, path: &Path) -> Result<(), CommandError> {
    // The entry itself: what a link leads to may be missing, and would be made elsewhere.
    match dir.symlink_metadata(name) {
        Ok(entry) if entry.is_symlink() => {
            let error =
                Class::Usage.error(format!("{} is a symbolic link, and init writes through none", path.display()));
            Err(error.hint("remove the link, or name another directory"))
        }
        Ok(_) => {
            let error = Class::Usage.error(format!("{} exists already; nothing was written", path.display()));
            Err(error.hint("name another directory, or remove the file"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| path.display().to_string()).class(Class::Unavailable),
    }
}

/// Makes the files. When one of them fails, those that were made before it are taken away again: half a pair would be
/// in the way of the next attempt.
fn write_all(dir: &Dir, folder: &Path) -> anyhow::Result<()> {
    let mut made = Vec::new();
    for (name, text) in FILES {
        // It must be new, so that it is ours to take away, and so that no link is followed that came in the meantime.
        let opened = dir.open_with(name, OpenOptions::new().write(true).create_new(true));
        let written = opened.and_then(|mut file| {
            made.push(name);
            file.write_all(text.as_bytes())
        });
        if let Err(error) = written {
            for name in made {
                // The first failure is the one to tell.
                let _ = dir.remove_file(name);
            }
            return Err(error).with_context(|| folder.join(name).display().to_string());
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
        for (name, _) in FILES {
            for target in ["elsewhere", "nowhere"] {
                let folder = tempfile::tempdir().expect("a folder");
                let inside = folder.path().join("box");
                std::fs::create_dir(&inside).expect("made");
                std::fs::write(inside.join("elsewhere"), "mine").expect("written");
                symlink(target, inside.join(name)).expect("linked");
                let error = run(Some(inside.clone())).expect_err("one of them is a link").message();
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
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).expect("opens");
        // It came after somebody had looked.
        symlink("nowhere", folder.path().join("policy.toml")).expect("linked");
        assert!(write_all(&dir, folder.path()).is_err());
        assert_eq!(names(folder.path()), ["policy.toml"], "the link is left as it is");
        std::fs::remove_file(folder.path().join("policy.toml")).expect("removed");
        write_all(&dir, folder.path()).expect("there is nothing in the way");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
