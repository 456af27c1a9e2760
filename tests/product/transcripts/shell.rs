//! A machine of a document's own: an empty home, the program in the `PATH`, and a shell.

use std::fs::create_dir;
use std::io::{BufRead as _, BufReader, Read as _, pipe};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::document::Step;

/// The most bytes that are read of what a command prints: many times what a document shows.
const BYTES_MAX: u64 = 64 << 10;

/// How long a command may take. Nothing depends on how long one does take; this ends one that never would.
const PATIENCE: Duration = Duration::from_mins(10);

/// How a command begins that serves until it is stopped.
const SERVER: &str = "intentbox mcp --http ";

/// How the line begins that says that the demo tracker answers.
const NOTICE: &str = "demo data: ";

/// The machine of one document.
#[derive(Debug)]
pub(crate) struct Shell {
    folder: TempDir,
}

impl Shell {
    pub(crate) fn new() -> Shell {
        let shell = Shell { folder: tempfile::tempdir().expect("a temporary folder") };
        let bin = shell.folder.path().join("bin");
        for folder in [&bin, &shell.home()] {
            create_dir(folder).expect("it can be made");
        }
        symlink(env!("CARGO_BIN_EXE_intentbox"), bin.join("intentbox")).expect("it can be made");
        shell
    }

    /// The folder in which commands run, which is also their home.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Runs a command to its end, or a server until it has printed as many lines as its document shows. Gives the lines of
    /// its stdout and stderr in the order in which a terminal shows them, without the notice of the demo unless the document
    /// shows it.
    pub(crate) fn run(&self, step: &Step) -> Vec<String> {
        let is_server = step.command.starts_with(SERVER);
        // The port of the document may be taken.
        let command = if is_server { with_free_port(&step.command) } else { step.command.clone() };
        let is_notice_shown = step.shown.iter().any(|line| line.starts_with(NOTICE));

        let (output, input) = pipe().expect("there are pipes");
        // This process closes its own copies of the writing end with this statement: otherwise the output would never end.
        let mut child = self.sh(&command, input.try_clone().expect("it can be copied").into(), input.into());
        let group = Pid::from_child(&child);
        let (ended, deadline) = channel::<()>();
        let watch = thread::spawn(move || {
            let is_late = deadline.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if is_late {
                // It may have ended at this moment.
                let _ = kill_process_group(group, Signal::KILL);
            }
            is_late
        });

        let mut lines = Vec::new();
        let mut reader = BufReader::new(output.take(BYTES_MAX));
        for line in reader.by_ref().split(b'\n') {
            let line = String::from_utf8_lossy(&line.expect("a pipe can be read")).into_owned();
            if line.starts_with(NOTICE) && !is_notice_shown {
                continue;
            }
            lines.push(line);
            if is_server && lines.len() == step.shown.len() {
                // It may have ended by itself, which the comparison shows.
                let _ = kill_process_group(group, Signal::TERM);
            }
        }
        if reader.get_ref().limit() == 0 {
            lines.push(format!("(stopped after {BYTES_MAX} bytes of output)"));
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait().expect("it ends");
        drop(ended);
        if watch.join().expect("the watch does not panic") {
            lines.push(format!("(stopped after {} minutes)", PATIENCE.as_secs() / 60));
        }
        lines
    }

    /// Starts a shell with a command, in a process group of its own.
    fn sh(&self, command: &str, stdout: Stdio, stderr: Stdio) -> Child {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.folder.path().join("bin").display());
        let child = Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir(self.home())
            .env_clear()
            .env("HOME", self.home())
            .envs([("PATH", path.as_str()), ("TERM", "dumb"), ("TZ", "UTC"), ("LC_ALL", "C.UTF-8")])
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .process_group(0)
            .spawn();
        child.expect("there is a shell")
    }
}

/// The command of a server with port 0, for any free one, in place of the document's.
fn with_free_port(command: &str) -> String {
    let words = command.split(' ').map(|word| match word.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => format!("{host}:0"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What a command prints on a machine of its own.
fn printed(command: &str, shown: &[&str]) -> Vec<String> {
    let shown = shown.iter().map(|&line| line.to_owned()).collect();
    Shell::new().run(&Step { line: 1, command: command.to_owned(), shown })
}

#[test]
fn stdout_and_stderr_are_read_in_the_order_in_which_they_were_written() {
    let lines = printed("echo one; echo two >&2; printf 'three\\nfour'; exit 1", &[]);
    assert_eq!(lines, ["one", "two", "three", "four"]);
}

#[test]
fn a_command_finds_the_files_of_the_one_before_it() {
    let shell = Shell::new();
    let run = |command: &str| shell.run(&Step { line: 1, command: command.to_owned(), shown: Vec::new() });
    assert_eq!(run("echo one > file; cd /"), [""; 0]);
    assert_eq!(run("cat file; [ \"$PWD\" = \"$HOME\" ] && echo home"), ["one", "home"]);
}

#[test]
fn the_notice_of_the_demo_is_left_out_unless_it_is_shown() {
    let command = "echo 'demo data: notice' >&2; echo one";
    assert_eq!(printed(command, &["one"]), ["one"]);
    assert_eq!(printed(command, &["demo data: notice", "one"]), ["demo data: notice", "one"]);
}

#[test]
fn a_command_that_prints_without_end_is_stopped() {
    let lines = printed("yes", &[]);
    assert_eq!(lines.last().map(String::as_str), Some("(stopped after 65536 bytes of output)"));
    assert_eq!(lines.len(), 65_536 / 2 + 1);
}

#[test]
fn a_server_takes_a_free_port() {
    for (command, expected) in [
        ("intentbox mcp --http 127.0.0.1:8350", "intentbox mcp --http 127.0.0.1:0"),
        ("intentbox mcp --http [::1]:8350 --token-file a:b", "intentbox mcp --http [::1]:0 --token-file a:b"),
    ] {
        assert_eq!(with_free_port(command), expected);
    }
}
