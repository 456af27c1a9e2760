//! A bound for the processor: a control group where this process may make one, and otherwise a low priority.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::measures::CpuBound;

/// Where control groups of version 2 lie.
const ROOT: &str = "/sys/fs/cgroup";

/// The groups of this process.
const GROUPS: &str = "/proc/self/cgroup";

/// The period of a quota in microseconds, as the kernel's documentation has it ("cpu.max").
const PERIOD_US: u32 = 100_000;

/// How much later than others a process runs that cannot be bounded.
const NICE: i32 = 10;

/// How the groups that are made here are named, before the number of their process.
const NAME: &str = "intentbox-";

/// A control group that was made for this process. The process leaves it when this is dropped.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    folder: PathBuf,
    /// The group that the process was in before.
    before: PathBuf,
}

/// Bounds this process and all that it starts: by a group, or else by a low priority.
pub(crate) fn bound(percent: u8) -> Option<ControlGroup> {
    let group = groups().and_then(|groups| ControlGroup::enter(Path::new(ROOT), &groups, std::process::id(), percent));
    if group.is_none() {
        let _ = rustix::process::nice(NICE);
    }
    group
}

/// How this process could be bounded.
pub(crate) fn possible() -> CpuBound {
    match groups().and_then(|groups| place(Path::new(ROOT), &groups)) {
        Some(_) => CpuBound::Cgroup,
        None => CpuBound::Nice,
    }
}

fn groups() -> Option<String> {
    fs::read_to_string(GROUPS).ok()
}

/// The group of a process, from the lines of its `cgroup` file: that of the second version has no number and no controllers.
fn own(root: &Path, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = root.join(path.trim_start_matches('/'));
    folder.join("cgroup.procs").exists().then_some(folder)
}

/// The group below which another can be made: the nearest around the process, or its own, that hands the controller on to those
/// below it and can be written. A group with processes hands nothing on, unless it is the root, so a session or a service has its
/// own beside that of its processes. The kernel moves a process only for who may write the group around both.
fn place(root: &Path, groups: &str) -> Option<PathBuf> {
    let own = own(root, groups)?;
    let fits = |folder: &&Path| {
        let controllers = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
        let can_write = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
        controllers.split_whitespace().any(|controller| controller == "cpu")
            && can_write(folder)
            && can_write(&folder.join("cgroup.procs"))
    };
    own.ancestors().take_while(|folder| folder.starts_with(root)).find(fits).map(Path::to_owned)
}

impl ControlGroup {
    fn enter(root: &Path, groups: &str, pid: u32, percent: u8) -> Option<Self> {
        let (before, place) = (own(root, groups)?, place(root, groups)?);
        sweep(&place);
        let folder = place.join(format!("{NAME}{pid}"));
        fs::create_dir(&folder).ok()?;
        let group = Self { folder, before };
        let quota = u32::from(percent) * PERIOD_US / 100;
        fs::write(group.folder.join("cpu.max"), format!("{quota} {PERIOD_US}")).ok()?;
        fs::write(group.folder.join("cgroup.procs"), pid.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // This process is the last that is in it.
        let _ = fs::write(self.before.join("cgroup.procs"), std::process::id().to_string());
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Removes groups whose process was killed before it could. The kernel removes none that has a process.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(NAME)).and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of groups as files: each a path, and what it hands on.
    fn tree(groups: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, controllers) in groups {
            let folder = root.path().join(path);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("cgroup.subtree_control"), controllers).expect("written");
            fs::write(folder.join("cgroup.procs"), "").expect("written");
        }
        root
    }

    const SESSION: [(&str, &str); 4] = [
        ("", "cpu io memory pids"),
        ("user.slice", "cpu memory pids"),
        ("user.slice/app.slice", "cpu memory pids"),
        ("user.slice/app.slice/terminal.scope", ""),
    ];

    #[test]
    fn a_group_is_made_in_the_nearest_one_that_hands_the_controller_on() {
        let place_of = |root: &Path, groups: &str| {
            place(root, groups).map(|folder| folder.strip_prefix(root).expect("below").display().to_string())
        };
        let root = tree(&SESSION);
        for (groups, expected) in [
            ("0::/user.slice/app.slice/terminal.scope\n", Some("user.slice/app.slice")),
            ("1:name=systemd:/x\n0::/user.slice/app.slice/terminal.scope\n", Some("user.slice/app.slice")),
            ("0::/\n", Some("")),
            ("0::/gone\n", None),
            ("1:cpu:/user.slice\n", None),
            ("", None),
        ] {
            assert_eq!(place_of(root.path(), groups).as_deref(), expected, "{groups:?}");
        }
        let others = tree(&[("", "io cpuset"), ("a", "memory"), ("a/b", "")]);
        assert_eq!(place_of(others.path(), "0::/a/b\n"), None);
    }

    #[test]
    fn a_group_has_the_quota_and_goes_with_its_process() {
        let root = tree(&SESSION);
        let groups = "0::/user.slice/app.slice/terminal.scope\n";
        let slice = root.path().join("user.slice/app.slice");
        // That of a process that was killed, and one of another program.
        for name in ["intentbox-4294967295", "intentbox-x", "other"] {
            fs::create_dir(slice.join(name)).expect("a folder");
        }
        let group = ControlGroup::enter(root.path(), groups, std::process::id(), 25).expect("it can be entered");
        let read = |name: &str| fs::read_to_string(group.folder.join(name)).expect("written");
        assert_eq!(
            (read("cpu.max"), read("cgroup.procs")),
            ("25000 100000".to_owned(), std::process::id().to_string())
        );
        assert_eq!(group.folder.parent(), Some(slice.as_path()));
        assert!(!slice.join("intentbox-4294967295").exists() && slice.join("intentbox-x").exists());
        // The kernel's files go with their folder; these do not.
        for name in ["cpu.max", "cgroup.procs"] {
            fs::remove_file(group.folder.join(name)).expect("it is there");
        }
        let (folder, before) = (group.folder.clone(), group.before.join("cgroup.procs"));
        drop(group);
        assert!(!folder.exists());
        assert_eq!(fs::read_to_string(before).expect("there"), std::process::id().to_string());
    }
}
