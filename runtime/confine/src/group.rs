//! A started program with all its children.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// How often the children of a program are looked for and killed: one that starts new ones faster than that is a fork bomb.
const ROUNDS_MAX: u32 = 100;

/// A supervisor, and all that descends from it. Orphans become its children, so that nothing is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    supervisor: Pid,
}

impl Group {
    /// The group of a supervisor, by the number of its process.
    #[must_use]
    pub fn of(pid: u32) -> Option<Group> {
        let supervisor = Pid::from_raw(i32::try_from(pid).ok()?)?;
        Some(Self { supervisor })
    }

    /// The memory of the program and its children that is in RAM, in bytes. Pages that several share count for each.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        let page = rustix::param::page_size() as u64;
        self.children().into_iter().filter_map(resident_pages).sum::<u64>().saturating_mul(page)
    }

    /// Asks the program and its children to end. Not what made its namespaces: with that one all would end at once.
    pub fn terminate(&self) {
        for pid in self.children() {
            if !makes_namespaces(pid) {
                send(pid, Signal::TERM);
            }
        }
    }

    /// Ends the program and its children, and then the supervisor.
    pub fn kill(&self) {
        self.kill_children();
        if self.is_alive() {
            let _ = kill_process(self.supervisor, Signal::KILL);
        }
        // Until the supervisor noticed that they ended, they could start others.
        self.kill_children();
    }

    /// Whether the supervisor runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        let state = stat(raw(self.supervisor)).map(|(_, state)| state);
        state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
    }

    /// Ends everything but the supervisor.
    pub(crate) fn kill_children(self) {
        for _ in 0..ROUNDS_MAX {
            let children = self.children();
            if children.is_empty() {
                return;
            }
            for pid in children {
                send(pid, Signal::KILL);
            }
        }
    }

    /// The processes that descend from the supervisor and have not ended.
    fn children(self) -> Vec<i32> {
        let mut by_parent: HashMap<i32, Vec<i32>> = HashMap::new();
        for pid in all() {
            if let Some((parent, state)) = stat(pid)
                && !matches!(state, 'Z' | 'X')
            {
                by_parent.entry(parent).or_default().push(pid);
            }
        }
        let mut found: Vec<i32> = by_parent.remove(&raw(self.supervisor)).unwrap_or_default();
        let mut at = 0;
        while let Some(pid) = found.get(at).copied() {
            found.extend(by_parent.remove(&pid).unwrap_or_default());
            at += 1;
        }
        found
    }
}

fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

fn send(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

/// The numbers of all processes.
fn all() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// A process's parent and state (proc(5), `/proc/PID/stat`).
fn stat(pid: i32) -> Option<(i32, char)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold spaces and brackets.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((fields.next()?.parse().ok()?, state))
}

/// Whether a process goes by the name of bubblewrap. One that only says so is killed a little later.
fn makes_namespaces(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "bwrap")
}

/// How many pages of a process are in RAM.
fn resident_pages(pid: i32) -> Option<u64> {
    fs::read_to_string(format!("/proc/{pid}/statm")).ok()?.split_whitespace().nth(1)?.parse().ok()
}
