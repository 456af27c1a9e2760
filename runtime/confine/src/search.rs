//! Finds the program of a command, as a shell does.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Program(PathBuf),
    Nothing { searched: Option<String> },
    NotExecutable(&'static str),
}

/// Looks for a command: a path as it is, from the working directory, and a name in each folder of `path`.
pub(crate) fn found(command: &str, path: &str, working_directory: &Path) -> Found {
    if command.is_empty() {
        return Found::NotExecutable("is empty");
    }
    if command.contains('\0') {
        return Found::NotExecutable("holds a NUL");
    }
    if command.contains('/') {
        let program = working_directory.join(command);
        return match flaw(&program) {
            None => Found::Program(program),
            Some(Flaw::Absent) => Found::Nothing { searched: None },
            Some(Flaw::Not(reason)) => Found::NotExecutable(reason),
        };
    }
    let mut not = None;
    // A relative folder would depend on where the program happens to start.
    for folder in path.split(':').filter(|folder| folder.starts_with('/')) {
        let program = Path::new(folder).join(command);
        match flaw(&program) {
            None => return Found::Program(program),
            Some(Flaw::Absent) => {}
            Some(Flaw::Not(reason)) => not = Some(reason),
        }
    }
    match not {
        Some(reason) => Found::NotExecutable(reason),
        None => Found::Nothing { searched: Some(path.to_owned()) },
    }
}

enum Flaw {
    Absent,
    Not(&'static str),
}

/// Why a file is no program.
fn flaw(program: &Path) -> Option<Flaw> {
    let Ok(metadata) = fs::metadata(program) else { return Some(Flaw::Absent) };
    if metadata.is_dir() {
        return Some(Flaw::Not("is a directory"));
    }
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return Some(Flaw::Not("is not executable"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_path_or_a_name_in_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path();
        fs::write(own.join("plain"), "x").expect("written");
        fs::write(own.join("tool"), "x").expect("written");
        fs::set_permissions(own.join("tool"), fs::Permissions::from_mode(0o755)).expect("set");
        fs::create_dir(own.join("folder")).expect("made");
        let path = format!("relative:/nonexistent:{}", own.display());
        let look = |command: &str| found(command, &path, own);
        let program = || Found::Program(own.join("tool"));
        assert_eq!(look("tool"), program());
        assert_eq!(look("./tool"), Found::Program(own.join("./tool")));
        assert_eq!(look(&own.join("tool").display().to_string()), program());
        assert_eq!(look("none"), Found::Nothing { searched: Some(path.clone()) });
        assert_eq!(look("./none"), Found::Nothing { searched: None });
        assert_eq!(look("plain"), Found::NotExecutable("is not executable"));
        assert_eq!(look("folder"), Found::NotExecutable("is a directory"));
        assert_eq!(look(""), Found::NotExecutable("is empty"));
        assert_eq!(look("a\0b"), Found::NotExecutable("holds a NUL"));
    }
}
