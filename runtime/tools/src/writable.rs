//! Which folders a server may write, by their real paths. **This file is a boundary.**
//!
//! A person names a folder, and what lies there is found anew at each start. Whoever makes the project, or may write the folder above,
//! could put a symbolic link in its place, and so be let into any other folder. Invariant: no link is followed below the folder of
//! the entry's file, below the home directory, or anywhere in another path.

use std::path::{Component, Path, PathBuf};

/// The real path of a folder, nothing if it is not there.
///
/// `bases` are folders in which links may lead to them: that of the entry's file, and the home directory.
///
/// # Errors
/// Where it leads, if a symbolic link is followed.
pub(crate) fn real(folder: &Path, bases: &[&Path]) -> Result<Option<PathBuf>, PathBuf> {
    let Ok(found) = folder.canonicalize() else { return Ok(None) };
    let plain = normal(folder);
    let below = bases.iter().filter_map(|base| {
        let below = plain.strip_prefix(normal(base)).ok()?;
        Some(base.canonicalize().ok()?.join(below))
    });
    // Compared without a `/` at the end.
    let is_same = |path: &Path| path.components().eq(found.components());
    if is_same(&plain) || below.into_iter().any(|path| is_same(&path)) { Ok(Some(found)) } else { Err(found) }
}

/// Whether settings of the kernel or devices lie in a folder: whoever may write it could lead the machine elsewhere, as root at least.
pub(crate) fn holds_settings(folder: &Path) -> bool {
    ["/proc", "/sys", "/dev"].iter().any(|kernel| folder.starts_with(kernel)) || folder == Path::new("/")
}

/// A path without `.` and `..`, which it would be if no part of it were a link.
pub(crate) fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normal, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
        normal
    })
}

#[cfg(test)]
mod tests {
    use std::fs::create_dir_all;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_folder_with_settings_of_the_kernel_is_written() {
        for (folder, holds) in [
            ("/", true),
            ("/proc", true),
            ("/proc/sys/kernel", true),
            ("/sys/fs", true),
            ("/dev/shm", true),
            ("/devel", false),
            ("/srv/proc", false),
        ] {
            assert_eq!(holds_settings(Path::new(folder)), holds, "{folder}");
        }
    }

    #[test]
    fn a_link_is_followed_to_the_folder_of_a_file_and_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        create_dir_all(root.join("real/project/out/deep")).expect("made");
        create_dir_all(root.join("secrets")).expect("made");
        symlink(root.join("real/project"), root.join("project")).expect("linked");
        symlink(root.join("secrets"), root.join("real/project/docs")).expect("linked");
        symlink("out", root.join("real/project/same")).expect("linked");
        let (project, real_project) = (root.join("project"), root.join("real/project"));
        for (path, expected) in [
            ("out", Ok(Some(real_project.join("out")))),
            ("out/../out/deep/", Ok(Some(real_project.join("out/deep")))),
            ("", Ok(Some(real_project.clone()))),
            ("nothing", Ok(None)),
            ("docs", Err(root.join("secrets"))),
            ("docs/..", Err(root.clone())),
            ("same", Err(real_project.join("out"))),
        ] {
            assert_eq!(real(&project.join(path), &[&project]), expected, "{path}");
        }
        // Another absolute path is what it says.
        assert_eq!(real(&root.join("secrets"), &[&project]), Ok(Some(root.join("secrets"))));
        assert_eq!(real(&project.join("out"), &[&root.join("secrets")]), Err(real_project.join("out")));
    }
}
