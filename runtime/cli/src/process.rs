//! The privileges that this process drops, because it holds the tokens.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::set_no_new_privs;

/// Sees to it that this process leaves no core dump, that no other process of the user looks into its memory, and that nothing
/// which it starts gains privileges. What the system refuses of it is left: none of it is a barrier by itself.
///
/// Afterwards most of `/proc/self` belongs to root. Whatever needs to open some of it, such as a guest in this process its
/// page tables, must have done so.
pub(crate) fn protect() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = set_no_new_privs(true);
    // Also where core dumps go to a program, which the limit does not hold back.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
