//! Processes, as the owners of discoveries.

use std::fs;
use std::sync::LazyLock;

use intentbox_store::Owner;
use sha2::{Digest as _, Sha256};

/// Where numbers of processes mean what they mean here: the start of this machine, and the namespace of the numbers. Empty if that cannot
/// be known. It is read once: a process that protects itself cannot read it afterwards.
pub static PLACE: LazyLock<String> = LazyLock::new(|| {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let namespace: String = namespace.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    let is_known = !boot.trim().is_empty() && !namespace.is_empty();
    if is_known { format!("{}.{namespace}", boot.trim()) } else { String::new() }
});

/// [`PLACE`] as a number; 0 if it cannot be known.
fn place() -> i64 {
    static NUMBER: LazyLock<i64> = LazyLock::new(|| match PLACE.as_str() {
        "" => 0,
        place => Sha256::digest(place).first_chunk().copied().map_or(0, i64::from_le_bytes),
    });
    *NUMBER
}

/// This process.
#[must_use]
pub fn this_process() -> Owner {
    let pid = std::process::id();
    Owner { place: place(), pid, start: start(pid).unwrap_or(0) }
}

/// A process, if it runs.
#[must_use]
pub fn process(pid: u32) -> Option<Owner> {
    Some(Owner { place: place(), pid, start: start(pid)? })
}

/// Whether an owner still runs, as far as can be known here: a process with its number that started when it did. Of one in another
/// place, such as another machine, nothing is known, and so it may.
#[must_use]
pub fn is_alive(owner: Owner) -> bool {
    owner.place != place() || start(owner.pid) == Some(owner.start)
}

/// When a process started, in ticks after the machine did: field 22 of `/proc/PID/stat` (proc(5)).
fn start(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold spaces and brackets. The state follows its last bracket as field 3.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_its_start() {
        let own = this_process();
        assert!(own.start > 0 && is_alive(own));
        assert!(!is_alive(Owner { start: own.start + 1, ..own }));
        assert!(!is_alive(Owner { pid: u32::MAX, ..own }));
        assert!(is_alive(Owner { pid: u32::MAX, place: own.place ^ 1, ..own }), "on another machine");
        assert_eq!(process(own.pid), Some(own));
    }

    #[test]
    fn a_process_that_has_ended_is_not_alive() {
        let mut child = std::process::Command::new("true").spawn().expect("it starts");
        let owner = process(child.id());
        child.wait().expect("it ends");
        assert!(owner.is_none_or(|owner| !is_alive(owner)));
    }
}
