//! Reads files and stdin, up to a bound.

use std::io::{Read, stdin};
use std::path::Path;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _, PermissionsExt as _};

/// Reads a script or its input, or stdin for `-`, up to one byte more than `bytes_max`: enough for whoever checks the
/// size to see that there is too much. The path is what the person typed, so it may lead anywhere.
///
/// To a pipe, too, and then this waits for whoever writes to it, as `cat` does: `<(…)` of a shell is such a path, and
/// a pipe that has no writer yet looks the same as one that never gets one. Whoever typed it can interrupt.
pub(crate) fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        return from_stdin(bytes_max);
    }
    let file = File::open_ambient(path, ambient_authority());
    let file = file.with_context(|| format!("{} cannot be opened", path.display()))?;
    bounded(file, bytes_max).with_context(|| format!("{} cannot be read", path.display()))
}

/// Reads a configuration or a policy, or stdin for `-`, up to one byte more than `bytes_max`. Unlike a script it is
/// mostly found and not typed, by programs that nobody watches: it has to be a regular file, and nothing waits for it.
pub(crate) fn read_regular(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        return from_stdin(bytes_max);
    }
    let file = File::open_ambient_with(path, &without_waiting(), ambient_authority());
    let file = file.with_context(|| format!("{} cannot be opened", path.display()))?;
    demand_regular(&file, path)?;
    bounded(file, bytes_max).with_context(|| format!("{} cannot be read", path.display()))
}

/// Reads a file with a secret that another file names: an absolute path as it is, a relative one inside `folder` and
/// never outside it, whatever links and dots it has. It has to be a regular file, since a pipe could wait for ever. One
/// that everybody may read holds no secret, and is refused; those of service managers under `/run` come with modes of
/// their own.
pub(crate) fn read_secret(folder: &Path, path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let opened = if path.is_absolute() {
        File::open_ambient_with(path, &without_waiting(), ambient_authority())
    } else {
        Dir::open_ambient_dir(folder, ambient_authority()).and_then(|folder| folder.open_with(path, &without_waiting()))
    };
    let file = opened.with_context(|| {
        let inside = if path.is_absolute() { String::new() } else { format!(" inside {}", folder.display()) };
        format!("{} cannot be opened{inside}", path.display())
    })?;
    demand_regular(&file, path)?;
    let mode = file.metadata().with_context(|| format!("{} cannot be read", path.display()))?.permissions().mode();
    if mode & 0o004 != 0 && !folder.join(path).starts_with("/run") {
        bail!("everybody can read {} (mode {:03o}); run `chmod 600 {0}`", path.display(), mode & 0o777);
    }
    bounded(file, bytes_max).with_context(|| format!("{} cannot be read", path.display()))
}

fn from_stdin(bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    bounded(stdin().lock(), bytes_max).context("stdin cannot be read")
}

/// Opening a pipe waits for its other end, unless it is told not to. Regular files do not notice.
fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options
}

/// The open file is asked, and not the path: what lies there may change in between.
fn demand_regular(file: &File, path: &Path) -> anyhow::Result<()> {
    let metadata = file.metadata().with_context(|| format!("{} cannot be read", path.display()))?;
    if !metadata.is_file() {
        bail!("{} is not a regular file; write its content to a regular file and name that one", path.display());
    }
    Ok(())
}

/// Reads up to one byte more than `bytes_max`.
pub(crate) fn bounded(source: impl Read, bytes_max: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(bytes_max + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A folder with a file, a link to it, and a pipe, which has a writer for whoever would wait for one: a reader that
    /// does so fails its test, and does not hold up all others.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").expect("written");
        std::fs::set_permissions(path("file"), Permissions::from_mode(0o600)).expect("closed to others");
        std::os::unix::fs::symlink("file", path("link")).expect("linked");
        mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("made");
        let pipe = path("pipe");
        // It ends with the process: nobody may ever open the other end.
        std::thread::spawn(move || std::fs::write(pipe, "text"));
        folder
    }

    #[test]
    fn configurations_and_secrets_are_regular_files() {
        let folder = folder();
        for name in ["file", "link"] {
            assert_eq!(read_regular(&folder.path().join(name), 9).expect(name), b"text");
            assert_eq!(read_secret(folder.path(), Path::new(name), 9).expect(name), b"text");
            assert_eq!(read_secret(Path::new("/"), &folder.path().join(name), 9).expect(name), b"text");
        }
        for path in [folder.path().join("pipe"), folder.path().to_owned(), "/dev/null".into()] {
            for read in [read_regular(&path, 9), read_secret(Path::new("/"), &path, 9)] {
                let message = read.expect_err("it is no file").to_string();
                let rule = "is not a regular file; write its content to a regular file and name that one";
                assert_eq!(message, format!("{} {rule}", path.display()));
            }
        }
        let inside = read_secret(folder.path(), Path::new("pipe"), 9).expect_err("it is no file");
        assert!(inside.to_string().starts_with("pipe is not a regular file"), "{inside}");
    }

    #[test]
    fn a_script_may_come_out_of_a_pipe() {
        let folder = folder();
        assert_eq!(read(&folder.path().join("pipe"), 9).expect("it has a writer"), b"text");
        let start = read(&folder.path().join("file"), 2).expect("it is there");
        assert_eq!(start, b"tex", "one byte more tells that it is too long");
    }
}
