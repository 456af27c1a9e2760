//! The privileges that this process drops, because it holds the tokens.

use std::sync::LazyLock;

use intentbox_tools::{Owner, PLACE, is_alive, this_process};
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::set_no_new_privs;

/// Sees to it that this process leaves no core dump, that no other process of the user looks into its memory, and that nothing
/// which it starts gains privileges. What the system refuses of it is left: none of it is a barrier by itself.
///
/// Afterwards most of `/proc/self` belongs to root. Whatever needs to open some of it, such as a guest in this process its
/// page tables, must have done so.
pub(crate) fn protect() {
    LazyLock::force(&PLACE);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = set_no_new_privs(true);
    // Also where core dumps go to a program, which the limit does not hold back.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// What this process is called where several share a database: the start of this machine, the namespace of process numbers, the
/// number, and when it began.
pub(crate) fn name() -> String {
    let owner = this_process();
    format!("{}.{}.{}", PLACE.as_str(), owner.pid, owner.start)
}

/// Whether the process of such a name is known to have ended. Of one in another place, such as another container, nothing is known.
pub(crate) fn is_gone(own: &str, name: &str) -> bool {
    let parts = |name: &str| {
        let mut parts = name.rsplitn(3, '.').map(str::to_owned);
        let (start, pid, place) = (parts.next()?, parts.next()?, parts.next()?);
        Some((place, pid.parse::<u32>().ok()?, start.parse::<u64>().ok()?))
    };
    match (parts(own), parts(name)) {
        (Some((here, ..)), Some((place, pid, start))) => {
            !here.is_empty() && here == place && !is_alive(Owner { pid, start, ..this_process() })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_gone_only_if_its_number_means_something_here() {
        let own = name();
        let place = own.rsplitn(3, '.').nth(2).expect("a place").to_owned();
        assert!(!is_gone(&own, &own));
        assert!(is_gone(&own, &format!("{place}.{}.1", u32::MAX)), "{own}");
        for other in ["", "a.b.c", "other.1.4294967295.1", ".4294967295.1"] {
            assert!(!is_gone(&own, other), "{other}");
        }
    }
}
