//! What this machine can enforce, for display.

use std::fs;

use landlock::{ABI, Access as _, AccessFs, Ruleset, RulesetAttr as _};

use crate::{namespaces, processor};

/// What this machine can enforce on programs that are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measures {
    /// Which files can be written, and which not be read (landlock).
    pub files: bool,
    /// Which system calls can be made, and whether the network can be switched off (seccomp).
    pub calls: bool,
    /// Whether they get a view of their own of files and processes (bubblewrap).
    pub namespaces: bool,
    /// How the processor is bounded.
    pub cpu: CpuBound,
}

/// How the use of the processor is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuBound {
    /// By a control group: no more than the bound.
    Cgroup,
    /// By a low priority: no more than others leave.
    Nice,
}

/// What this machine can enforce.
#[must_use]
pub fn measures() -> Measures {
    let files = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create);
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    Measures {
        files: files.is_ok() && landlock_is_there(),
        calls: actions.split_whitespace().any(|action| action == "errno"),
        namespaces: namespaces::bubblewrap().is_some(),
        cpu: processor::possible(),
    }
}

/// Whether the kernel lists landlock among its active modules. Where that list cannot be read, it is believed.
fn landlock_is_there() -> bool {
    let modules = fs::read_to_string("/sys/kernel/security/lsm");
    modules.map_or(true, |modules| modules.split(',').any(|module| module.trim() == "landlock"))
}
