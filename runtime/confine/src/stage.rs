//! The two stages between this program's binary and the program that is started.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, pidfd_open};

use crate::group::Group;
use crate::launch::{LaunchError, PREFIX, Plan};
use crate::{calls, files, namespaces, processor};

/// The first stage.
pub(crate) const SUPERVISE: &str = "supervise";

/// The second stage.
const BECOME: &str = "become";

/// The exit code of a program that could not be started, as shells have it.
const NOT_STARTED: i32 = 126;

/// How many descriptors a program may have open: more than any server needs, and few enough for programs that close them all.
const DESCRIPTORS_MAX: u64 = 4_096;

/// How many processes and threads a program may have: a browser has some hundreds.
const PROCESSES_MAX: u64 = 2_048;

/// Runs a stage: `verb` and `arguments` are those of this process. Gives the exit code of the program, or why it was not started;
/// the second stage returns only if that failed. It has to be called before anything starts a thread.
///
/// # Errors
/// Why the program was not started.
pub fn run(verb: &OsStr, arguments: &[OsString]) -> Result<i32, LaunchError> {
    let failed = |reason: &str| LaunchError::Failed(reason.to_owned());
    let [stage, plan] = arguments else { return Err(failed("the launcher takes a stage and a plan")) };
    let text = plan.to_str().ok_or_else(|| failed("the plan is not UTF-8 text"))?;
    let read = serde_json::from_str::<Plan>(text).map_err(|error| LaunchError::Failed(error.to_string()))?;
    if stage == SUPERVISE {
        supervise(verb, plan, &read)
    } else if stage == BECOME {
        Err(become_program(&read))
    } else {
        Err(failed("there is no such stage"))
    }
}

/// Starts the second stage and waits for it. When it or the parent ends, everything that it started ends.
fn supervise(verb: &OsStr, plan: &OsStr, read: &Plan) -> Result<i32, LaunchError> {
    let system = |what: &str, error: rustix::io::Errno| LaunchError::Failed(format!("{what}: {error}"));
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own)).map_err(|error| system("orphans cannot be adopted", error))?;
    let parent = watch(read.parent)?;
    // Checked once it is watched: a parent that ended before has left this process to another.
    let is_parent =
        rustix::process::getppid().is_some_and(|pid| pid.as_raw_nonzero().get().unsigned_abs() == read.parent);
    if !is_parent {
        return Err(LaunchError::Failed("the process that starts it has ended".to_owned()));
    }
    let bound = read.bounds.cpu_percent.and_then(processor::bound);
    // There its path must lead to it: not to a program that was put in its place.
    let own = std::env::current_exe().ok().filter(|path| path.exists());
    let mut again = if let (Some(bubblewrap), Some(own)) = (&read.bubblewrap, own) {
        let mut command = Command::new(bubblewrap);
        command.args(namespaces::arguments(&read.bounds)).arg("--").arg(own).arg(verb).arg(BECOME).arg(plan);
        command
    } else {
        let without = serde_json::to_string(&Plan { bubblewrap: None, ..read.clone() });
        let without = without.map_err(|error| LaunchError::Failed(error.to_string()))?;
        let mut command = Command::new("/proc/self/exe");
        command.arg(verb).arg(BECOME).arg(without);
        command
    };
    let child = again.stdin(Stdio::inherit()).spawn();
    let mut child = child.map_err(|error| LaunchError::Failed(error.to_string()))?;
    let watched = watch(child.id())?;
    // The pipes are the program's from here on. This end would keep them open after it.
    close_pipes();
    let ended = wait_for_either(&parent, &watched);
    let group = Group::of(std::process::id());
    let is_parents_end = matches!(ended, End::Parent);
    if is_parents_end && let Some(group) = &group {
        group.kill_children();
    }
    let status = child.wait().map_err(|error| LaunchError::Failed(error.to_string()))?;
    if let Some(group) = &group {
        group.kill_children();
    }
    drop(bound);
    Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_STARTED))
}

enum End {
    Parent,
    Program,
}

fn watch(pid: u32) -> Result<OwnedFd, LaunchError> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let failed = || LaunchError::Failed("a process cannot be watched: Linux 5.3 is needed".to_owned());
    pidfd_open(pid.ok_or_else(failed)?, PidfdFlags::empty()).map_err(|_| failed())
}

fn wait_for_either(parent: &OwnedFd, program: &OwnedFd) -> End {
    loop {
        let mut ends = [PollFd::new(program, PollFlags::IN), PollFd::new(parent, PollFlags::IN)];
        match poll(&mut ends, None) {
            Ok(_) if !ends[0].revents().is_empty() => return End::Program,
            Ok(_) if !ends[1].revents().is_empty() => return End::Parent,
            _ => {}
        }
    }
}

/// Leads this process's own standard input and output to nowhere. Errors still go where they went.
fn close_pipes() {
    if let Ok(nowhere) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nowhere);
        let _ = rustix::stdio::dup2_stdout(&nowhere);
        let _ = rustix::stdio::dup2_stderr(&nowhere);
    }
}

/// Gives up privileges, and becomes the program.
fn become_program(plan: &Plan) -> LaunchError {
    if let Err(error) = give_up(plan) {
        return error;
    }
    let given = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.as_bytes().strip_prefix(PREFIX.as_bytes())?;
        Some((OsStr::from_bytes(name).to_owned(), value))
    });
    let environment: Vec<(OsString, OsString)> = given.collect();
    let mut program = Command::new(&plan.program);
    let error = program.arg0(&plan.name).args(&plan.args).env_clear().envs(environment).exec();
    LaunchError::Failed(format!("`{}`: {error}", plan.name.escape_debug()))
}

/// Drops all capabilities, which a server of root would have: with them it could read the memory and the environment of others.
/// The user stays, so that files stay reachable. Without root there is nothing to drop.
fn drop_capabilities() {
    use rustix::thread::{CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities};
    // Out of the bounding set as well: a program that root starts would get them back.
    for capability in CapabilitySet::all().iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let _ = set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none });
}

fn give_up(plan: &Plan) -> Result<(), LaunchError> {
    let system = |what: &str, error: rustix::io::Errno| LaunchError::Failed(format!("{what}: {error}"));
    // The supervisor may be killed, and then nobody would end what it watched.
    let end_with_it = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    end_with_it.map_err(|error| system("it cannot be made to end with this program", error))?;
    rustix::thread::set_no_new_privs(true).map_err(|error| system("privileges cannot be given up", error))?;
    drop_capabilities();
    let mut bounded = vec![(Resource::Core, 0), (Resource::Nofile, DESCRIPTORS_MAX)];
    if namespaces::counts_processes(plan) {
        bounded.push((Resource::Nproc, PROCESSES_MAX));
    }
    for (resource, most) in bounded {
        let hard = rustix::process::getrlimit(resource).maximum;
        let most = hard.map_or(most, |hard| hard.min(most));
        let _ = rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    // Where the kernel knows no landlock, `doctor` says so, and the rest still holds.
    files::confine(&plan.bounds);
    calls::confine(plan.bounds.network)
        .map_err(|error| LaunchError::Failed(format!("system calls cannot be filtered: {error}")))
        .or_else(|error| if plan.bounds.network { Ok(()) } else { Err(error) })
}
