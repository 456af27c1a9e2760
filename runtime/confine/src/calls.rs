//! Which system calls a program can make: all but those that no server needs, and sockets only where it may use the network
//! (seccomp).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Calls that look into other processes, change the machine, or reach the kernel by ways that no filter sees.
const DENIED: [i64; 37] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// The bit that marks calls of the x32 interface on x86-64: each call has a second number there.
const X32: i64 = 0x4000_0000;

/// Restricts this process and all that it starts. A denied call fails with EPERM.
///
/// # Errors
/// When the kernel takes no filter.
pub(crate) fn confine(network: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in DENIED {
        deny(&mut rules, call, Vec::new());
    }
    if !network {
        // Only sockets of this machine's files are left: not those of the internet, of packets, of devices or of the kernel.
        let local = u64::try_from(libc::AF_UNIX)?;
        let other = || -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
            let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, local)?;
            Ok(vec![SeccompRule::new(vec![condition])?])
        };
        deny(&mut rules, libc::SYS_socket, other()?);
    }
    // Its own limits alone: those of its supervisor would keep it from ending what it watches, and those of the user's other
    // processes end them. Programs name themselves by 0 here, the C library among them.
    let other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    deny(&mut rules, libc::SYS_prlimit64, vec![SeccompRule::new(vec![other])?]);
    let denied = SeccompAction::Errno(u32::try_from(libc::EPERM)?);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}

fn deny(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: i64, when: Vec<SeccompRule>) {
    if cfg!(target_arch = "x86_64") {
        rules.insert(call | X32, Vec::new());
    }
    rules.insert(call, when);
}
