//! `init`: a configuration and a policy to start from, with comments.

use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::setup;

/// Writes both files, or neither when one is there already.
pub(crate) fn run(folder: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let Some(folder) = folder.or_else(setup::user_folder) else {
        bail!("there is no home folder: name one, as in `intentbox init ./intentbox`");
    };
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let dir = Dir::open_ambient_dir(&folder, ambient_authority()).with_context(|| folder.display().to_string())?;
    let files = [("config.toml", include_str!("init/config.toml")), ("policy.toml", include_str!("init/policy.toml"))];
    for (name, _) in files {
        if dir.exists(name) {
            bail!("{} is there already; it was left as it is", folder.join(name).display());
        }
    }
    let mut out = stdout().lock();
    for (name, text) in files {
        let mut file = dir.open_with(name, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(text.as_bytes()).with_context(|| folder.join(name).display().to_string())?;
        writeln!(out, "{}", folder.join(name).display())?;
    }
    writeln!(out, "\nNow edit them, and try them: intentbox --config {} doctor", folder.join("config.toml").display())?;
    Ok(ExitCode::SUCCESS)
}
