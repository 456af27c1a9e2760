//! The classes of errors, each provoked for real: its exit code, its prefix and its hint.

use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::product::run_in;

/// What a command without input gives: its exit code, stdout and stderr.
type Said = (i32, String, String);

fn said(home: &Path, arguments: &[&str]) -> Said {
    let run = run_in(home, arguments, b"", &[]);
    (run.code, run.stdout, run.stderr)
}

fn of(code: i32, stdout: &str, stderr: &str) -> Said {
    (code, stdout.to_owned(), stderr.to_owned())
}

/// A command whose stdout is `out`.
fn writing_to(out: impl Into<Stdio>, arguments: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
    command.args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
    let output = command.stdin(Stdio::null()).stdout(out).output().expect("the binary starts");
    (output.status.code(), String::from_utf8(output.stderr).expect("stderr is text"))
}

#[test]
fn an_invalid_command_line_is_a_usage_error() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (arguments, stderr) in [
        (
            &["templates", "show"][..],
            "usage: the following required arguments were not provided: <ID>\nhint: write `intentbox templates show <ID>`\n",
        ),
        (
            &["exec", "-", "--memory-mb", "64"],
            "usage: unexpected argument '--memory-mb' found\nhint: did you mean `--memory-mib`?\n",
        ),
        (
            &["exec", "-", "--input", "-"],
            "usage: the script and its input cannot both come from stdin\nhint: write one of them to a file and name that \
             file\n",
        ),
        (
            &["run-intent", "list", "errors"],
            "usage: unexpected argument 'errors' found\nhint: put the intent in quotes: `intentbox run-intent \"list \
             errors\"`\n",
        ),
        (
            &["list errors"],
            "usage: unrecognized subcommand 'list errors'\nhint: run `intentbox run-intent \"list errors\"`\n",
        ),
        (
            &["templates", "show", "list_errors"],
            "usage: there is no template `list_errors`\nhint: did you mean logs/list_errors, sentry/list_errors?\n",
        ),
        (
            &["templates", "show", "sentry/list_error"],
            "usage: there is no template `sentry/list_error`\nhint: did you mean sentry/list_errors?\n",
        ),
        (
            &["templates", "render", "list_error"],
            "usage: there is no template `list_error`\nhint: did you mean logs/list_errors, sentry/list_errors?\n",
        ),
        (
            &["templates", "show", "no/such"],
            "usage: there is no template `no/such`\nhint: run `intentbox templates list` to see all\n",
        ),
    ] {
        assert_eq!(said(home.path(), arguments), of(2, "", stderr));
    }
}

#[test]
fn a_script_that_rejects_a_request_prints_one_line_and_a_hint() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (raised, code, stderr) in [
        (
            "NotFound('there is no project chekout', hint='name another one')",
            6,
            "target_not_found: there is no project chekout\nhint: name another one\n",
        ),
        ("Invalid('no\\n numbers\\x1b[2J')", 2, "input_invalid: no numbers\\u{1b}[2J\n"),
        ("NotFound('')", 6, "target_not_found: what was asked for does not exist\n"),
    ] {
        std::fs::write(home.path().join("a.py"), format!("import intentbox\nraise intentbox.{raised}\n"))
            .expect("written");
        assert_eq!(said(home.path(), &["exec", "a.py"]), of(code, "", stderr));
        let run = run_in(home.path(), &["exec", "a.py", "--json"], b"", &[]);
        let traceback = run.report()["error"]["traceback"].to_string();
        assert!(run.code == code && traceback.contains("line 2, in <module>"), "{traceback}");
    }
}

#[test]
fn a_configuration_that_cannot_be_used_is_a_configuration_error() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    write("c.toml", "[directories]\ngone = \"no/such\"\n");
    write("p.toml", "[exec]\nhtpp = []\n");
    let list = |flag: &str, file: &str| {
        let (code, stdout, stderr) = said(home.path(), &["templates", "list", flag, file]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        stderr
    };
    let absent = "No such file or directory (os error 2)\n";
    assert_eq!(list("--config", "none.toml"), format!("configuration: none.toml cannot be opened: {absent}"));
    assert_eq!(list("--templates", "none"), format!("configuration: templates none: {absent}"));
    assert_eq!(
        list("--config", "c.toml"),
        format!(
            "configuration: the directory `gone` cannot be opened: ./no/such: {absent}hint: create it, or correct its path \
             under [directories] in the configuration or in --dir ALIAS=PATH\n"
        )
    );
    let invalid = list("--policy", "p.toml");
    assert!(invalid.starts_with("configuration: p.toml: line 2: unknown field `htpp`"), "{invalid}");
}

#[test]
fn a_check_that_finds_faults_is_a_check_error_with_a_count() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for id in ["first/good", "first/bad", "first/none"] {
        assert_eq!(said(home.path(), &["templates", "new", id, "--templates", "mine"]).0, 0);
    }
    let cases = |id: &str| home.path().join("mine").join(id).join("cases");
    let case = std::fs::read_to_string(cases("first/bad").join("default.toml")).expect("it was made");
    std::fs::write(cases("first/bad").join("default.toml"), case.replace("Hello, you!", "Bye!")).expect("written");
    std::fs::remove_dir_all(cases("first/none")).expect("removed");

    let check = |ids: &[&str]| said(home.path(), &[&["templates", "check", "--templates", "mine"], ids].concat());
    assert_eq!(check(&["first/good"]), of(0, "first/good: 1 case passed\n", ""));
    let (code, stdout, stderr) = check(&["first/good", "first/bad"]);
    assert_eq!((code, stderr.as_str()), (1, "check: 1 of 2 cases failed\n"), "{stdout}");
    assert!(stdout.starts_with("first/bad default: its result is ") && stdout.ends_with(" passed\n"), "{stdout}");
    let (code, _, stderr) = check(&[]);
    assert_eq!((code, stderr.as_str()), (1, "check: 1 of 2 cases failed, 1 template without cases\n"));

    std::fs::write(home.path().join("p.toml"), "[packs.a]\n[packs.b]\n").expect("written");
    assert_eq!(
        said(home.path(), &["policy", "check", "--policy", "p.toml"]),
        of(
            1,
            "[packs.a]: there is no such pack\n[packs.b]: there is no such pack\n",
            "check: 2 faults in the policy\n"
        )
    );
    let (code, _, stderr) = said(home.path(), &["doctor", "--policy", "p.toml"]);
    assert!(
        code == 1 && stderr.starts_with("check: 2 of ") && stderr.ends_with(" checks failed: policy\n"),
        "{stderr}"
    );
}

#[test]
fn a_port_in_use_is_unavailable() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let (text, port) = (address.to_string(), address.port().to_string());
    let in_use = format!("cannot listen on {address}: Address already in use (os error 98)\nhint: choose another ");
    assert_eq!(
        said(home.path(), &["demo-tracker", "--port", &port]),
        of(7, "", &format!("error: the demo tracker: {in_use}port, or a free one with --port 0\n"))
    );
    let (code, stdout, stderr) = said(home.path(), &["mcp", "--http", &text, "--require-hardening=false"]);
    assert_eq!((code, stdout.as_str()), (7, ""));
    // What the machine lacks of the workers' isolation may be said before.
    assert!(stderr.ends_with(&format!("error: {in_use}address or port with --http\n")), "{stderr}");
    drop(listener);
}

#[test]
fn a_file_that_cannot_be_written_is_unavailable() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("file"), "").expect("written");
    for arguments in [
        &["init", "file/box"][..],
        &["demo-logs", "file/logs"],
        &["templates", "new", "a/b", "--templates", "file/mine"],
        &["stats", "--state", "file"],
    ] {
        let (code, stdout, stderr) = said(home.path(), arguments);
        assert!(code == 7 && stdout.is_empty() && stderr.starts_with("error: "), "{arguments:?}: {stderr}");
    }
}

#[test]
fn an_answer_that_a_full_disk_loses_is_unavailable() {
    let full = || File::options().write(true).open("/dev/full").expect("the kernel has it");
    let message = "the answer cannot be written to stdout: No space left on device (os error 28)";
    let hint = "free space on the disk, or redirect stdout to another one";
    for arguments in [
        &["man"][..],
        &["--help"],
        &["templates", "list"],
        &["doctor"],
        &["run-intent", "list projects"],
        &["exec", "no-such-file", "--json"],
        &["templates", "list", "--json"],
        &["run-intent", "list errors", "--json"],
    ] {
        let (code, stderr) = writing_to(full(), arguments);
        assert_eq!(code, Some(7), "{arguments:?}: {stderr}");
        let notice = "demo data: no configuration found, so a built-in error tracker answers\n";
        let stderr = stderr.strip_prefix(notice).unwrap_or(&stderr);
        if arguments.contains(&"--json") {
            let object: Value = serde_json::from_str(stderr).unwrap_or_else(|error| panic!("{error}: {stderr}"));
            let error = json!({"kind": "unavailable", "message": message, "hint": hint});
            assert_eq!(object, json!({"outcome": "unavailable", "error": error}), "{arguments:?}");
        } else {
            assert_eq!(stderr, format!("error: {message}\nhint: {hint}\n"), "{arguments:?}");
        }
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    for arguments in [&["man"][..], &["--help"], &["templates", "list"], &["templates", "list", "--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        assert_eq!(writing_to(writer, arguments), (Some(0), String::new()), "{arguments:?}");
    }
}

/// A worker reserves more address space than 2 GiB.
#[test]
fn a_worker_that_does_not_start_is_unavailable() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let script = "ulimit -v 2097152 && exec \"$0\" mcp --http 127.0.0.1:0 --require-hardening --json";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_intentbox")]).current_dir(home.path()).stdin(Stdio::null());
    command.env_clear().env("HOME", home.path());
    let Output { status, stdout, stderr } = command.output().expect("there is a shell");
    let stderr = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(7), "{stderr}");
    let object: Value = serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    assert_eq!(
        (&object["outcome"], &object["error"]["kind"]),
        (&json!("unavailable"), &json!("unavailable")),
        "{object}"
    );
    let message = object["error"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("no worker process starts: "), "{message}");
}

/// A run has room for four gigabytes of addresses, and here is half of that: nothing about the script is wrong.
#[test]
fn a_machine_that_cannot_start_the_sandbox_ends_a_run_as_internal() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("a.py"), "1").expect("written");
    for place in ["in-process", "process"] {
        let intentbox = env!("CARGO_BIN_EXE_intentbox");
        let script =
            format!("ulimit -v 2097152 && exec '{intentbox}' exec a.py --dir box=. --json --isolation {place}");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).current_dir(home.path()).env_clear().env("HOME", home.path());
        let output = command.stdin(Stdio::null()).output().expect("the shell starts");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        assert_eq!((output.status.code(), &report["outcome"]), (Some(7), &json!("internal")), "{place}: {report}");
        let error = &report["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("the sandbox does not start: "), "{place}: {report}");
        let hint = "run `intentbox doctor`: this is a fault of the program or the machine";
        assert_eq!((&error["kind"], &error["hint"]), (&json!("internal"), &json!(hint)), "{place}: {report}");
    }
}
