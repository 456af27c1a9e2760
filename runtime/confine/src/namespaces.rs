//! Namespaces of a program's own, made by bubblewrap where it is installed and the kernel lets it: everything but the program's
//! own folders is mounted read-only, so that modes, times and attributes of files stay as well as their contents; there are no
//! processes but its own, which all end when the first one does, whoever ends that; and shared memory is bounded.
//!
//! What landlock and seccomp deny holds inside as well. Where there is no bubblewrap, it holds alone, and `doctor` says so.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::launch::{Bounds, Plan};

/// Where bubblewrap is looked for. Not in `PATH`, which an environment can lead elsewhere.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// The most memory in files of `/dev/shm`, in bytes: what is there is in nobody's resident pages.
const SHARED_BYTES_MAX: u64 = 64 << 20;

/// bubblewrap, if it is there and can make namespaces on this machine: containers and some systems forbid that. It is tried once.
pub(crate) fn bubblewrap() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| PLACES.iter().map(PathBuf::from).find(|program| works(program))).as_deref()
}

fn works(program: &Path) -> bool {
    let bounds = Bounds { network: false, ..Bounds::default() };
    let mut tried = Command::new(program);
    tried.args(arguments(&bounds)).arg("--").arg(program).arg("--version").env_clear();
    let status = tried.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The arguments that bubblewrap is started with, up to the program.
pub(crate) fn arguments(bounds: &Bounds) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut add = |words: &[&str], paths: &[&Path]| {
        arguments.extend(words.iter().map(OsString::from));
        arguments.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    // Root needs no namespace of users, in which files of others would be nobody's.
    if !rustix::process::geteuid().is_root() {
        add(&["--unshare-user"], &[]);
    }
    add(&["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"], &[]);
    if !bounds.network {
        add(&["--unshare-net"], &[]);
    }
    add(&["--ro-bind", "/", "/"], &[]);
    let mut writable: Vec<PathBuf> = bounds.writable.iter().filter_map(|path| path.canonicalize().ok()).collect();
    writable.sort();
    // Between two mounts nothing can be renamed or linked: what lies below another folder belongs to that one's.
    writable.dedup_by(|path, above| path.starts_with(above));
    for path in &writable {
        add(&["--bind"], &[path, path]);
    }
    // What is mounted cannot be renamed or removed either. Of what is hidden, landlock denies the contents, and not modes and times.
    let kept = bounds.protected.iter().chain(&bounds.hidden).filter_map(|path| path.canonicalize().ok());
    for path in kept.filter(|path| writable.iter().any(|folder| path.starts_with(folder))) {
        add(&["--ro-bind"], &[&path, &path]);
    }
    add(&["--dev", "/dev", "--size", &SHARED_BYTES_MAX.to_string(), "--tmpfs", "/dev/shm", "--proc", "/proc"], &[]);
    // The devices among them lie under the new folder.
    for path in writable.iter().filter(|path| path.starts_with("/dev")) {
        add(&["--dev-bind"], &[path, path]);
    }
    arguments
}

/// Whether a limit of processes counts those of the program alone: it does in a namespace of users, since Linux 5.14. Elsewhere it
/// would count all that the user runs.
pub(crate) fn counts_processes(plan: &Plan) -> bool {
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    plan.bubblewrap.is_some() && !rustix::process::geteuid().is_root() && version >= (5, 14)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bounds: &Bounds) -> String {
        let words = arguments(bounds).into_iter().map(|word| word.into_string().expect("text"));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_folders_that_are_there_are_mounted_to_be_written() {
        let writable = ["/tmp", "/dev/null", "/no/such/folder"].map(PathBuf::from).to_vec();
        let told = shown(&Bounds { network: true, writable, ..Bounds::default() });
        let expected = "--ro-bind / / --bind /dev/null /dev/null --bind /tmp /tmp --dev /dev --size 67108864 --tmpfs /dev/shm \
                        --proc /proc --dev-bind /dev/null /dev/null";
        assert!(told.ends_with(expected), "{told}");
        let protected = ["/usr/lib", "/etc"].map(PathBuf::from).to_vec();
        let hidden = vec!["/usr/bin".into()];
        let protected = shown(&Bounds { writable: vec!["/usr".into()], protected, hidden, ..Bounds::default() });
        let expected = "--bind /usr /usr --ro-bind /usr/lib /usr/lib --ro-bind /usr/bin /usr/bin --dev";
        assert!(protected.contains(expected), "{protected}");
        let nested = ["/usr/bin", "/usr", "/usr/lib"].map(PathBuf::from).to_vec();
        let nested = shown(&Bounds { writable: nested, ..Bounds::default() });
        assert!(nested.contains("--ro-bind / / --bind /usr /usr --dev"), "{nested}");
        assert!(!told.contains("--unshare-net") && shown(&Bounds::default()).contains("--unshare-net"), "{told}");
    }
}
