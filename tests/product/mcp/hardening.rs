//! The privileges that the server drops, and the hardening of its workers that it requires.

use std::fs::{metadata, read_to_string};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::client::{Client, STATEFUL, structured};

/// A user who owns nothing.
const NOBODY: u32 = 65_534;

#[test]
fn the_process_with_the_tokens_is_protected() {
    let mut client = Client::start(STATEFUL, json!({}), &[]);
    // A worker was started from it: whatever that needs of the process is still there.
    assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 1"})))["result"], 1);
    let process = format!("/proc/{}", client.child.id());
    let status = read_to_string(format!("{process}/status")).expect("it runs");
    assert!(status.lines().any(|line| line == "NoNewPrivs:\t1"), "{status}");
    let limits = read_to_string(format!("{process}/limits")).expect("it runs");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("there is such a limit");
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"]);
}

/// Who owns the files of a process in `/proc` tells whether it can be dumped: its user then, and root otherwise.
#[test]
fn the_process_with_the_tokens_is_no_business_of_the_users_other_processes() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
    // The folder of the build may be closed to others.
    let program = home.path().join("intentbox");
    std::fs::copy(env!("CARGO_BIN_EXE_intentbox"), &program).expect("it can be copied");
    let mut command = Command::new(program);
    command.args(["mcp", "--http", "127.0.0.1:0"]).current_dir(home.path()).env_clear().env("HOME", home.path());
    if metadata("/proc/self").expect("this process").uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let told = first_lines(&mut child, "http://");
    let owner = metadata(format!("/proc/{}/environ", child.id())).map(|file| file.uid());
    child.kill().and_then(|()| child.wait()).expect("it is our child");
    assert_eq!(owner.expect("it runs"), 0, "{told}");
}

/// What a program says until a line holds `word`, or until it ends.
fn first_lines(child: &mut Child, word: &str) -> String {
    let mut told = String::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok) {
        told += &line;
        told.push('\n');
        if line.contains(word) {
            break;
        }
    }
    told
}

/// The server on a kernel that has no landlock.
fn without_landlock(home: &Path, arguments: &[&str]) -> Child {
    let tokens = home.join("tokens");
    std::fs::write(&tokens, "alice alice-0123456789abcdef\n").expect("it can be written");
    std::fs::set_permissions(&tokens, PermissionsExt::from_mode(0o600)).expect("it is ours");
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/product/mcp/without_landlock.py"));
    command.args([env!("CARGO_BIN_EXE_intentbox"), "mcp", "--http", "127.0.0.1:0"]).args(arguments);
    command.current_dir(home).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("python3 is on the path")
}

#[test]
fn a_server_for_several_requires_the_hardening_of_its_workers() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let refused = "error: this machine lacks hardening of the workers: landlock\nhint: run `intentbox doctor` to see why, or \
                   add --require-hardening=false to serve without it\n";
    for required in [&["--token-file", "tokens"][..], &["--require-hardening"]] {
        let mut child = without_landlock(home.path(), required);
        let told = first_lines(&mut child, "http://");
        assert!(told.ends_with(refused), "{required:?}: {told}");
        assert_eq!(child.wait().expect("it is our child").code(), Some(7), "{required:?}");
    }
    let warned =
        "warning: this machine lacks hardening of the workers: landlock\nhint: run `intentbox doctor` to see why\n";
    for tolerated in [&["--token-file", "tokens", "--require-hardening=false"][..], &[]] {
        let mut child = without_landlock(home.path(), tolerated);
        let told = first_lines(&mut child, "http://");
        child.kill().and_then(|()| child.wait()).expect("it is our child");
        assert!(told.contains(warned) && told.contains("serving MCP at"), "{tolerated:?}: {told}");
    }
}
