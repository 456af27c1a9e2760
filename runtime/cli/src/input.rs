//! Files and stdin, never more of them than can be used.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use anyhow::Context as _;

/// Reads `path`, or stdin for `-`, up to one byte more than `bytes_max`: enough for whoever checks the size to see that
/// there is too much.
pub(crate) fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        stdin().lock().take(bytes_max + 1).read_to_end(&mut bytes).context("stdin cannot be read")?;
    } else {
        let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
        file.take(bytes_max + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} cannot be read", path.display()))?;
    }
    Ok(bytes)
}
