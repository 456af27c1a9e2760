//! Files and stdin, never more of them than can be used.

use std::io::{Read, stdin};
use std::path::Path;

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, PermissionsExt as _};

/// Reads `path`, or stdin for `-`, up to one byte more than `bytes_max`: enough for whoever checks the size to see that
/// there is too much. The path is what the person typed, so it may lead anywhere.
pub(crate) fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        return bounded(stdin().lock(), bytes_max).context("stdin cannot be read");
    }
    let file = File::open_ambient(path, ambient_authority());
    let file = file.with_context(|| format!("{} cannot be opened", path.display()))?;
    bounded(file, bytes_max).with_context(|| format!("{} cannot be read", path.display()))
}

/// Reads a file with a secret that another file names: an absolute path as it is, a relative one inside `folder` and never
/// outside it, whatever links and dots it has. A file that everybody may read holds no secret, and is refused; those of
/// service managers under `/run` come with modes of their own.
pub(crate) fn read_secret(folder: &Path, path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let opened = if path.is_absolute() {
        File::open_ambient(path, ambient_authority())
    } else {
        Dir::open_ambient_dir(folder, ambient_authority()).and_then(|folder| folder.open(path))
    };
    let file = opened.with_context(|| {
        let inside = if path.is_absolute() { String::new() } else { format!(" inside {}", folder.display()) };
        format!("{} cannot be opened{inside}", path.display())
    })?;
    let mode = file.metadata().with_context(|| format!("{} cannot be read", path.display()))?.permissions().mode();
    if mode & 0o004 != 0 && !folder.join(path).starts_with("/run") {
        anyhow::bail!("everybody can read {} (mode {:03o}): chmod 600 {0}", path.display(), mode & 0o777);
    }
    bounded(file, bytes_max).with_context(|| format!("{} cannot be read", path.display()))
}

/// Reads up to one byte more than `bytes_max`.
pub(crate) fn bounded(source: impl Read, bytes_max: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(bytes_max + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
