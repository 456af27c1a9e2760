//! Processes, as the owners of discoveries.

use std::fs;

use intentbox_store::Owner;

/// This process.
#[must_use]
pub fn this_process() -> Owner {
    let pid = std::process::id();
    Owner { pid, start: start(pid).unwrap_or(0) }
}

/// A process, if it runs.
#[must_use]
pub fn process(pid: u32) -> Option<Owner> {
    Some(Owner { pid, start: start(pid)? })
}

/// Whether an owner still runs: a process with its number that started when it did.
#[must_use]
pub fn is_alive(owner: Owner) -> bool {
    start(owner.pid) == Some(owner.start)
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
