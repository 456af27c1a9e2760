//! Hardening of a worker process: the privileges that it drops before it runs anything.
//!
//! The guest's own sandbox is the first barrier, and this is the second. Each measure is active if the kernel supports it.
//! The worker reports which are active: the parent shows them, and a test checks them from outside.

use std::fs::File;
use std::io;

use rustix::process::{DumpableBehavior, Resource, Rlimit};
use serde::{Deserialize, Serialize};

use crate::pages::PAGEMAP_SCAN;

/// Which measures are active in a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each measure is active or not, independently of the others")]
pub struct Hardening {
    /// No program that the process starts could gain privileges.
    pub no_new_privileges: bool,
    /// No new descriptors, files, core dumps.
    pub resource_limits: bool,
    /// No file of the machine can be opened (tried).
    pub landlock: bool,
    /// Only the system calls of a running guest: no file, socket, process or executable memory.
    pub seccomp: bool,
    /// No capability, and none that could be regained; a user that owns nothing, if it was root.
    pub privileges: bool,
    /// Speed, and no measure: the kernel can tell which pages a run wrote (Linux 6.7).
    pub scans_pages: bool,
}

impl Hardening {
    /// The measures that this machine lacks, by the names that the kernel's documentation has for them.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> {
        let measures = [
            ("no_new_privs", self.no_new_privileges),
            ("resource limits", self.resource_limits),
            ("landlock", self.landlock),
            ("seccomp", self.seccomp),
            ("dropped capabilities", self.privileges),
        ];
        measures.into_iter().filter(|(_, is_active)| !is_active).map(|(name, _)| name)
    }
}

/// Closes every descriptor but stdin, stdout and stderr, and lets the kernel choose this process first when memory is
/// short.
pub(super) fn drop_what_is_inherited() {
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
            #[expect(unsafe_code, reason = "closing a number is an unsafe call")]
            // SAFETY: this runs before the process opens anything of its own: whatever is open was inherited, and the
            // listing's own descriptor is closed already, which the kernel answers with an error.
            unsafe {
                rustix::io::close(descriptor);
            }
        }
    }
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// How much lower the priority of a worker is than its parent's. Where scripts take all processors, the server still reads requests,
/// cancels runs and answers.
const NICE: i32 = 10;

/// Drops everything. A privilege that cannot be dropped is reported, not fatal: the guest's sandbox holds without it.
pub(super) fn apply(scans_pages: bool) -> Hardening {
    // Starting is over.
    let _ = rustix::process::nice(NICE);
    let no_new_privileges = rustix::thread::set_no_new_privs(true).is_ok();
    let privileges = drop_privileges();
    // A change of user makes a process dumpable by some settings of the kernel.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    // A rule set is a descriptor, and after the limits there is room for none.
    let landlock = close_files();
    let resource_limits = limit_resources();
    let seccomp = filter_system_calls().is_ok();
    Hardening { no_new_privileges, resource_limits, landlock, seccomp, privileges, scans_pages }
}

/// The user and the group that own nothing, by custom.
const NOBODY: u32 = 65_534;

/// Drops every capability, and root's user and groups if it has them. Returns whether no capability is left.
fn drop_privileges() -> bool {
    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
    };
    // Without this one, the parent could not end a process of another user.
    let may_kill = capabilities(None).is_ok_and(|now| now.effective.contains(CapabilitySet::KILL));
    // Each wants a capability that a process of an ordinary user does not have, and has no use there.
    for capability in CapabilitySet::all().iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    if may_kill && rustix::process::geteuid().is_root() {
        become_nobody();
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).is_ok() && capabilities(None).is_ok_and(|left| left == none)
}

/// Groups first: afterwards they can no longer be changed. In a user namespace that has no such user this is refused, and the
/// process goes on as who it is.
fn become_nobody() {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let _ = set_thread_groups(&[]);
    let _ = set_thread_res_gid(group, group, group);
    let _ = set_thread_res_uid(user, user, user);
}

fn limit_resources() -> bool {
    // The descriptors that are open stay; the numbers leave none for another.
    let limits = [
        (Resource::Nofile, 3),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nproc, 0),
        (Resource::Msgqueue, 0),
    ];
    limits.into_iter().all(|(resource, most)| {
        rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok()
    })
}

/// A rule set that allows no access to any file, and no connection.
fn close_files() -> bool {
    use landlock::{ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, Scope};
    // What an older kernel does not know of this it leaves out.
    let latest = ABI::V6;
    let restrict = || {
        Ruleset::default()
            .handle_access(AccessFs::from_all(latest))?
            .handle_access(AccessNet::from_all(latest))?
            .scope(Scope::from_all(latest))?
            .create()?
            .restrict_self()
    };
    let restricted = restrict();
    // Seen, not believed.
    let denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    restricted.is_ok() && File::open("/proc/self/status").is_err_and(denied)
}

/// Lets through what the runtime, the guest's memory pool and the socket need. Everything else fails with EPERM: a
/// filter that killed instead would turn a harmless call of a new C library into a dead worker.
fn filter_system_calls() -> Result<(), Box<dyn std::error::Error>> {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };
    let always = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_recvmsg,
        libc::SYS_sendmsg,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait,
        libc::SYS_ppoll,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_close,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> = always.map(|call| (call, Vec::new())).into();
    let when = |argument, operator, value| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
        Ok::<_, seccompiler::BackendError>(vec![SeccompRule::new(vec![condition])?])
    };
    // Memory, but never executable: the code is in place already.
    let executable = u64::try_from(libc::PROT_EXEC)?;
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(call, when(2, SeccompCmpOp::MaskedEq(executable), 0)?);
    }
    // An abort is a signal to oneself.
    let own = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, when(0, SeccompCmpOp::Eq, own)?);
    rules.insert(libc::SYS_ioctl, when(1, SeccompCmpOp::Eq, PAGEMAP_SCAN)?);
    let refused = SeccompAction::Errno(u32::try_from(libc::EPERM)?);
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter_all_threads(&program)?)
}
