//! A bound for the processor: a control group where this process may make one, and otherwise a low priority.

use std::fs;
use std::path::{Path, PathBuf};

use crate::measures::CpuBound;

/// Where control groups of version 2 lie.
const ROOT: &str = "/sys/fs/cgroup";

/// The period of a quota in microseconds, as the kernel's documentation has it ("cpu.max").
const PERIOD_US: u32 = 100_000;

/// How much later than others a process runs that cannot be bounded.
const NICE: i32 = 10;

/// Bounds this process and all that it starts.
pub(crate) fn bound(percent: u8) -> CpuBound {
    if in_a_group(percent).is_some() {
        return CpuBound::Cgroup;
    }
    let _ = rustix::process::nice(NICE);
    CpuBound::Nice
}

/// Whether a group could be made here: its folder can be written, and has the controller.
pub(crate) fn can_be_bounded() -> bool {
    let Some(folder) = own_group() else { return false };
    let controllers = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    controllers.split_whitespace().any(|controller| controller == "cpu")
        && rustix::fs::access(&folder, rustix::fs::Access::WRITE_OK).is_ok()
}

fn in_a_group(percent: u8) -> Option<()> {
    if !can_be_bounded() {
        return None;
    }
    let pid = std::process::id();
    let group = own_group()?.join(format!("intentbox-{pid}"));
    fs::create_dir(&group).ok()?;
    let quota = u32::from(percent) * PERIOD_US / 100;
    let limited = fs::write(group.join("cpu.max"), format!("{quota} {PERIOD_US}"))
        .and_then(|()| fs::write(group.join("cgroup.procs"), pid.to_string()));
    if limited.is_err() {
        let _ = fs::remove_dir(&group);
    }
    limited.ok()
}

/// The folder of the group that this process is in.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = Path::new(ROOT).join(path.trim_start_matches('/'));
    folder.join("cgroup.procs").exists().then_some(folder)
}
