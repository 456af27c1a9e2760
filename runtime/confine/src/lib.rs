//! Starts a program of somebody else with less than its user has, and ends it with all its children.
//!
//! The program is started through this program's own binary, in two stages. The first, the *supervisor*, lives as long as the
//! program: orphans of the program become its children, so that whatever the program started is found, and when the parent or
//! the program ends, the supervisor ends the rest. The second stage gives up privileges and then becomes the program.
//!
//! What is confined: files that can be written, and our own files that cannot be read (landlock); system calls that no server
//! needs, and the network where it is switched off (seccomp); a view of its own of files and processes where bubblewrap can make
//! one; a bound for the processor where control groups allow one. Memory is watched from outside ([`Group::resident_bytes`]), since what a program reserves says little about what it uses.
//!
//! In reading order: [`Launch`] is what is started, `search` finds its program, `stage` are the two stages, `namespaces` is
//! where the second one runs, `files`, `calls` and `processor` are what the second gives up, [`Group`] is a started program with all its children, and [`measures`] says what
//! this machine can enforce.

mod calls;
mod files;
mod group;
mod launch;
mod measures;
mod namespaces;
mod processor;
mod search;
mod stage;

pub use group::Group;
pub use launch::{Bounds, Launch, LaunchError, START_FAILED_MARKER};
pub use measures::{CpuBound, Measures, measures};
pub use stage::run;
