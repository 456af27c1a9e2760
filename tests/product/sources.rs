//! Scripts of every size and encoding: one that is not UTF-8 text within the limit never reaches a guest.

use std::fs::write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::product::{Run, intentbox, run_in};

/// The default of `script_bytes`.
const SCRIPT_BYTES: usize = 1 << 20;

const TOO_LARGE: &str = "the script has 1048577 bytes or more; at most 1048576 are allowed";

/// Nothing beyond the ceiling of `script_bytes` is read.
const FAR_TOO_LARGE: &str = "the script has 4194305 bytes or more; at most 1048576 are allowed";

/// The run was refused with exactly this, and no guest started.
fn refused(run: &Run, outcome: &str, message: &str) {
    let report = run.report();
    assert_eq!((run.code, &report["outcome"], &report["error"]["message"]), (2, &json!(outcome), &json!(message)));
    assert!(report["spent"].is_null() && report["result"].is_null() && run.stderr.is_empty(), "{run:#?}");
}

/// The run ended well, with this answer.
fn answers(run: &Run, result: &Value) {
    let report = run.report();
    assert_eq!((run.code, &report["outcome"], &report["result"]), (0, &json!("ok"), result), "{run:#?}");
}

fn exec(source: &[u8]) -> Run {
    intentbox(&["exec", "-", "--json"], source, &[])
}

/// `source` made longer by a comment.
fn padded(source: &str, bytes: usize) -> Vec<u8> {
    let mut padded = format!("{source}\n#").into_bytes();
    padded.resize(bytes, b'-');
    padded
}

#[test]
fn g17_the_last_byte_allowed_and_the_first_refused() {
    answers(&exec(&padded("6 * 7", SCRIPT_BYTES)), &json!(42));
    refused(&exec(&padded("6 * 7", SCRIPT_BYTES + 1)), "param_invalid", TOO_LARGE);
    refused(&exec(&vec![b' '; SCRIPT_BYTES + 1]), "param_invalid", TOO_LARGE);
}

#[test]
fn g17_sixty_four_megabytes_are_refused_from_a_file_and_from_stdin() {
    let source = padded("6 * 7", 64 << 20);
    refused(&exec(&source), "param_invalid", FAR_TOO_LARGE);
    let home = tempfile::tempdir().expect("a temporary folder");
    write(home.path().join("large.py"), &source).expect("written");
    refused(&run_in(home.path(), &["exec", "large.py", "--json"], b"", &[]), "param_invalid", FAR_TOO_LARGE);
}

#[test]
fn g17_a_raised_limit_lets_all_of_a_longer_script_run() {
    let most = 4 * SCRIPT_BYTES;
    let exec = |source: &[u8]| intentbox(&["exec", "-", "--json", "--limit", "script_bytes=4194304"], source, &[]);
    let source = |bytes: usize| {
        let answer = "\n6 * 7";
        let mut source = padded("'the first part only'", bytes - answer.len());
        source.extend_from_slice(answer.as_bytes());
        source
    };
    answers(&exec(&source(most)), &json!(42));
    let message = "the script has 4194305 bytes or more; at most 4194304 are allowed";
    refused(&exec(&source(most + 1)), "param_invalid", message);
}

#[test]
fn g17_long_lines_and_many_lines_run() {
    let line = format!("len('{}')", "x".repeat(SCRIPT_BYTES - "len('')".len()));
    assert_eq!(line.len(), SCRIPT_BYTES);
    answers(&exec(line.as_bytes()), &json!(SCRIPT_BYTES - 7));
    let lines = "\n".repeat(1_000_000) + "6 * 7";
    answers(&exec(lines.as_bytes()), &json!(42));
}

#[test]
fn g17_a_nul_is_refused_wherever_it_stands() {
    for (source, message) in [
        (&b"\0x = 1\n"[..], "the script holds a NUL byte at byte 0 (line 1)"),
        (b"x = 1\n'\0'\n", "the script holds a NUL byte at byte 7 (line 2)"),
        (b"x = 1\n\0", "the script holds a NUL byte at byte 6 (line 2)"),
        (b"\0", "the script holds a NUL byte at byte 0 (line 1)"),
        (b"1\0", "the script holds a NUL byte at byte 1 (line 1)"),
    ] {
        refused(&exec(source), "param_invalid", message);
    }
}

#[test]
fn g17_one_byte_order_mark_is_no_part_of_the_script() {
    answers(&exec(b"\xef\xbb\xbf6 * 7"), &json!(42));
    answers(&exec(b"\xef\xbb\xbf"), &Value::Null);
    let twice = exec(b"\xef\xbb\xbf\xef\xbb\xbf1");
    let report = twice.report();
    assert_eq!((twice.code, &report["outcome"]), (1, &json!("syntax_error")), "{twice:#?}");
    assert_eq!(report["error"]["message"], "invalid non-printable character U+FEFF (script.py, line 1)");
}

#[test]
fn g17_other_encodings_are_refused() {
    let utf_16 = "x = 1".encode_utf16();
    let little: Vec<u8> = utf_16.clone().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = utf_16.flat_map(u16::to_be_bytes).collect();
    let no_text = "the script is not UTF-8 text: byte 0 (line 1) does not belong there";
    refused(&exec(&[&b"\xff\xfe"[..], little.as_slice()].concat()), "param_invalid", no_text);
    refused(&exec(&[&b"\xfe\xff"[..], big.as_slice()].concat()), "param_invalid", no_text);
    // Without a mark it is text with NULs.
    refused(&exec(&little), "param_invalid", "the script holds a NUL byte at byte 1 (line 1)");
    refused(&exec(&big), "param_invalid", "the script holds a NUL byte at byte 0 (line 1)");
}

#[test]
fn g17_broken_utf_8_is_refused_at_its_first_byte() {
    for (what, broken) in [
        ("a byte that continues nothing", &b"\x80"[..]),
        ("a byte that no text holds", b"\xff"),
        ("a slash in two bytes", b"\xc0\xaf"),
        ("a slash in three bytes", b"\xe0\x80\xaf"),
        ("half of a surrogate pair", b"\xed\xa0\x80"),
        ("beyond the last character", b"\xf4\x90\x80\x80"),
        ("a character cut short", b"\xe2\x82"),
    ] {
        for (end, source) in
            [("", [&b"x = 1\n'"[..], broken].concat()), ("'", [&b"x = 1\n'"[..], broken, b"'"].concat())]
        {
            let run = exec(&source);
            let message = "the script is not UTF-8 text: byte 7 (line 2) does not belong there";
            assert_eq!(run.report()["error"]["message"], message, "{what}, followed by {end:?}");
            refused(&run, "param_invalid", message);
        }
    }
}

#[test]
fn g17_lines_end_in_any_of_three_ways() {
    for source in ["x = 41\nx + 1\n", "x = 41\r\nx + 1\r\n", "x = 41\rx + 1\r", "x = 41\r\n\rx + 1"] {
        answers(&exec(source.as_bytes()), &json!(42));
    }
}

#[test]
fn g17_nothing_is_a_script_that_answers_nothing() {
    for source in ["", "\n", "# nothing\n", " "] {
        answers(&exec(source.as_bytes()), &Value::Null);
    }
    let closed = Command::new("sh")
        .args(["-c", "exec \"$0\" exec - --json <&-", env!("CARGO_BIN_EXE_intentbox")])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let report: Value = serde_json::from_slice(&closed.stdout).expect("a report");
    assert_eq!((closed.status.code(), &report["outcome"], &report["result"]), (Some(0), &json!("ok"), &Value::Null));
}

#[test]
fn g17_what_is_no_file_is_a_usage_error_or_too_large() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(home.path().join("folder.py")).expect("a folder");
    let run = |file: &str| run_in(home.path(), &["exec", file, "--json"], b"", &[]);
    refused(&run("folder.py"), "usage", "folder.py cannot be read: Is a directory (os error 21)");
    refused(&run("absent.py"), "usage", "absent.py cannot be opened: No such file or directory (os error 2)");
    refused(&run("/dev/zero"), "param_invalid", FAR_TOO_LARGE);
    answers(&run("/dev/null"), &Value::Null);
}
