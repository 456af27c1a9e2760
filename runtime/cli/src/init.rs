//! `init`: a configuration and a policy to start from, with comments.

use std::io::{ErrorKind, Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::setup;

const FILES: [(&str, &str); 2] =
    [("config.toml", include_str!("init/config.toml")), ("policy.toml", include_str!("init/policy.toml"))];

/// Writes both files, or neither when one is there already or cannot be written.
pub(crate) fn run(folder: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let Some(folder) = folder.or_else(setup::user_folder) else {
        bail!("there is no home folder: name one, as in `intentbox init ./intentbox`");
    };
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let dir = Dir::open_ambient_dir(&folder, ambient_authority()).with_context(|| folder.display().to_string())?;
    for (name, _) in FILES {
        let path = folder.join(name);
        // The entry itself: what a link leads to may be missing, and would be made elsewhere.
        match dir.symlink_metadata(name) {
            Ok(entry) if entry.is_symlink() => bail!(
                "{} is a symbolic link, and init writes through none; remove it, or name another folder",
                path.display()
            ),
            Ok(_) => bail!("{} is there already; it was left as it is", path.display()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        }
    }
    write_all(&dir, &folder)?;
    let mut out = stdout().lock();
    for (name, _) in FILES {
        writeln!(out, "{}", folder.join(name).display())?;
    }
    writeln!(out, "\nNow edit them, and try them: intentbox --config {} doctor", folder.join("config.toml").display())?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the files. When one of them fails, those that were made before it are taken away again: half a pair would be
/// there already at the next attempt.
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
                let error = run(Some(inside.clone())).expect_err("one of them is a link").to_string();
                let link = inside.join(name).display().to_string();
                assert!(error.starts_with(&format!("{link} is a symbolic link, and init writes")), "{error}");
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
