//! The binary, run in a folder of its own with no configuration but what a test gives it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Flags of a run that ends by something else than its deadline, however slow the machine is: the highest that there is.
pub(crate) const NO_DEADLINE: [&str; 2] = ["--timeout-ms", "600000"];

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// stdout as the `--json` object.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("stdout is no report: {error}\n{self:#?}"))
    }
}

/// Runs `intentbox` with `arguments`, `stdin` and extra environment.
pub(crate) fn intentbox(arguments: &[&str], stdin: &[u8], environment: &[(&str, &str)]) -> Run {
    let home = tempfile::tempdir().expect("a temporary folder");
    run_in(home.path(), arguments, stdin, environment)
}

pub(crate) fn run_in(home: &Path, arguments: &[&str], stdin: &[u8], environment: &[(&str, &str)]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_intentbox"))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("piped");
    let stdin = stdin.to_vec();
    // The binary may stop reading when it has seen too much: a broken pipe is its good right.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer does not panic");
    Run {
        code: status.code().expect("it is not killed by a signal"),
        stdout: String::from_utf8(stdout).expect("stdout is text"),
        stderr: String::from_utf8(stderr).expect("stderr is text"),
    }
}
