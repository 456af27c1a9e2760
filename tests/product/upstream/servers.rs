//! How servers fail, and how calls end then.

use serde_json::{Value, json};

use super::{LATE, SOON, Upstream, program, runs_with};

fn ok(text: &str) -> (String, String) {
    ("ok".to_owned(), text.to_owned())
}

#[test]
fn a_tool_is_called_and_answers_in_both_revisions_of_the_protocol() {
    for arguments in [&[][..], &["--modern"]] {
        let upstream = Upstream::with("none", arguments);
        assert_eq!(upstream.call("echo", &["text=a b"]), ok("a b"));
        assert_eq!(upstream.call("add", &["a=2", "b=3"]), ok(r#"{"sum":5}"#));
        let state = upstream.object(&["tools", "show", "faulty"]);
        let protocol = if arguments.is_empty() { "2025-11-25" } else { "2026-07-28" };
        assert_eq!(state["server"]["protocol"], protocol);
        assert_eq!(state["tools"].as_array().map(Vec::len), Some(5));
    }
}

#[test]
fn m01_a_server_that_hangs_times_out_and_the_others_answer() {
    for (fault, doing) in [
        ("hang-start", "agreeing on the protocol"),
        ("hang-initialize", "agreeing on the protocol"),
        ("hang-list", "listing its tools"),
    ] {
        let upstream = Upstream::bounded(fault, &[], &json!({"discovery_s": SOON}));
        let told = format!("the server `faulty` failed: it did not answer within 1 s while {doing}");
        assert_eq!(upstream.refresh(), ("failed".to_owned(), told), "{fault}");
        let state = upstream.object(&["tools", "list"]);
        assert_eq!(state["servers"][0]["status"], "timeout");
        assert_eq!(state["servers"][0]["error"]["action"]["kind"], "retry");
    }
    let upstream = Upstream::bounded("hang-call", &[], &json!({"discovery_s": LATE, "call_s": SOON}));
    let told = "the server `faulty` failed: it did not answer within 1 s while answering a call";
    assert_eq!(upstream.call("echo", &["text=a"]), ("upstream_failed".to_owned(), told.to_owned()));
    let told = format!("{told}; whether `write` has had its effect is unknown");
    assert_eq!(upstream.call("write", &["text=a"]), ("unknown_outcome".to_owned(), told));
}

#[test]
fn m02_a_server_that_ends_in_a_call_has_failed_with_its_last_words() {
    for (fault, status) in
        [("exit-0-call", "exit status: 0"), ("exit-1-call", "exit status: 1"), ("sigkill-call", "exit status: 137")]
    {
        let upstream = Upstream::with(fault, &[]);
        let words = if fault == "sigkill-call" { "" } else { "; its last words: last words" };
        let told = format!("the server `faulty` failed: it ended answering a call ({status})");
        let failed = ("upstream_failed".to_owned(), format!("{told}{words}"));
        assert_eq!(upstream.call("echo", &["text=a"]), failed, "{fault}");
        let unknown = format!("{told}; whether `plain` has had its effect is unknown{words}");
        assert_eq!(upstream.call("plain", &[]), ("unknown_outcome".to_owned(), unknown), "{fault}");
        let run = upstream.run(&["tools", "call", "faulty", "echo", "text=a"]);
        assert_eq!(run.code, 5);
    }
}

#[test]
fn m02_only_what_reads_or_is_idempotent_is_called_again() {
    for (tool, calls) in [("echo", 2), ("put", 2), ("write", 1), ("plain", 1)] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let settings = json!({"write": [folder.path()], "discovery_s": LATE});
        let upstream = Upstream::bounded("exit-1-call", &["--log", &log.display().to_string()], &settings);
        upstream.call(tool, if tool == "plain" { &[] } else { &["text=a"] });
        let seen = std::fs::read_to_string(log).expect("the log");
        let called = seen.lines().filter(|line| line.contains("tools/call")).count();
        assert_eq!(called, calls, "{tool}");
    }
}

#[test]
fn m02_what_may_have_changed_something_is_never_called_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    let settings = json!({"write": [folder.path()], "discovery_s": LATE});
    for (tool, expected) in [("echo", "upstream_failed"), ("put", "unknown_outcome")] {
        // It is called again, and does not start.
        let upstream = Upstream::bounded("exit-once-call", &["--state", &state.display().to_string()], &settings);
        let (outcome, told) = upstream.call(tool, &["text=a"]);
        assert_eq!(outcome, expected, "{told}");
        std::fs::remove_file(&state).expect("it was called");
    }
    let upstream = Upstream::with("internal", &[]);
    for (tool, expected) in [("echo", "upstream_failed"), ("write", "unknown_outcome")] {
        let (outcome, told) = upstream.call(tool, &["text=a"]);
        assert!(outcome == expected && told.contains("it broke"), "{tool}: {outcome}: {told}");
    }
}

#[test]
fn m02_last_words_like_those_of_a_launcher_give_no_secret_away() {
    let args = json!([program().display().to_string(), "marker-call"]);
    let entry = json!({"command": "python3", "args": args, "env": {"TOKEN": "s3cr3t-0123"}});
    let upstream = Upstream::of(&json!({"faulty": entry}));
    let (outcome, told) = upstream.call("write", &["text=a"]);
    assert!(outcome == "unknown_outcome" && !told.contains("s3cr3t"), "{outcome}: {told}");
}

#[test]
fn m02_nothing_outlives_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let pid = folder.path().join("pid");
    let upstream = Upstream::bounded(
        "grandchild",
        &["--state", &pid.display().to_string()],
        &json!({"write": [folder.path()], "discovery_s": LATE}),
    );
    assert_eq!(upstream.call("write", &["text=a"]).0, "unknown_outcome");
    assert!(pid.exists() && !runs_with(&pid), "the grandchild is gone");

    let pid = folder.path().join("stays");
    let upstream = Upstream::bounded(
        "stays",
        &["--state", &pid.display().to_string()],
        &json!({"write": [folder.path()], "discovery_s": LATE}),
    );
    assert_eq!(upstream.call("echo", &["text=a"]), ok("a"));
    assert!(pid.exists() && !runs_with(&pid), "a server that ignores every request to end is killed");
}

#[test]
fn m02_a_server_whose_supervisor_is_killed_has_failed_although_its_child_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state");
    let state = file.display().to_string();
    let settings = json!({"namespaces": false, "write": [folder.path()], "discovery_s": LATE, "call_s": LATE});
    let upstream = Upstream::bounded("lingers", &["--state", &state], &settings);
    assert_eq!(upstream.refresh().0, "success");
    let is_supervisor = |process: &std::path::PathBuf| {
        let line = std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        line.contains("\0supervise\0") && line.contains(&state)
    };
    let (outcome, told) = std::thread::scope(|scope| {
        let call = scope.spawn(|| upstream.call("write", &["text=a"]));
        while !call.is_finished() {
            let processes = std::fs::read_dir("/proc").expect("it is listed").flatten().map(|entry| entry.path());
            for process in processes.filter(|process| file.exists() && is_supervisor(process)) {
                let number = process.file_name().and_then(|name| name.to_str()?.parse().ok());
                let number = number.and_then(rustix::process::Pid::from_raw).expect("a number");
                let _ = rustix::process::kill_process(number, rustix::process::Signal::KILL);
            }
        }
        call.join().expect("no panic")
    });
    std::fs::remove_file(state).expect("the child ends with it");
    assert_eq!(outcome, "unknown_outcome", "{told}");
    assert!(told.contains("it ended answering a call (signal: 9 (SIGKILL))"), "{told}");
}

#[test]
fn m02_a_server_that_does_not_start_is_told_with_what_to_do() {
    let upstream = Upstream::with("crash-loop", &[]);
    let told = "the server `faulty` failed: it ended agreeing on the protocol (exit status: 1); its last words: \
                \\u{1b}[31mno configuration\\u{1b}[0m token=secret-token-value";
    assert_eq!(upstream.refresh(), ("failed".to_owned(), told.to_owned()));
    let secret = json!({"faulty": {"command": "python3", "args": [program(), "crash-loop"], "env": {"TOKEN": "secret-token-value"}}});
    let upstream = Upstream::of(&secret);
    assert!(upstream.refresh().1.ends_with("token=[redacted]"), "a configured value is not repeated");
    for (command, part) in [
        ("no-such-program", "its command was not found: `no-such-program` is in no folder of PATH"),
        ("./none", "its command was not found: `./none` does not exist"),
        ("./servers.json", "its command cannot be run: `./servers.json` is not executable"),
    ] {
        let upstream = Upstream::of(&json!({"faulty": {"command": command}}));
        let (status, told) = upstream.refresh();
        assert!(status == "failed" && told.contains(part), "{command}: {told}");
        let state = upstream.object(&["tools", "list"]);
        assert_eq!(state["servers"][0]["error"]["action"]["kind"], "user", "{command}");
    }
}

#[test]
fn m03_what_is_not_the_protocol_is_skipped_or_ends_the_server() {
    for fault in ["banner", "noise", "nul"] {
        assert_eq!(Upstream::with(fault, &[]).call("echo", &["text=a"]), ok("a"), "{fault}");
    }
    for (fault, part) in [
        ("half-line", "it ended answering a call (exit status: 0)"),
        ("endless-line", "it was stopped: it sent a message of more than 16777216 bytes"),
        ("bad-utf8", "it was stopped: it sent bytes that are not UTF-8 text"),
    ] {
        let (outcome, told) = Upstream::with(fault, &[]).call("echo", &["text=a"]);
        assert!(outcome == "upstream_failed" && told.contains(part), "{fault}: {outcome}: {told}");
    }
}

#[test]
fn m04_only_the_right_answer_to_a_request_counts() {
    for fault in ["wrong-id", "id-null", "id-float", "id-huge", "unasked-answer", "duplicate-answer", "batch", "both"] {
        assert_eq!(Upstream::with(fault, &[]).call("echo", &["text=true"]), ok("true"), "{fault}");
    }
}

#[test]
fn m05_a_flood_of_errors_harms_nobody() {
    assert_eq!(Upstream::with("stderr-flood", &[]).call("echo", &["text=a"]), ok("a"));
}

#[test]
fn m05_a_server_that_does_not_read_is_stopped() {
    let upstream = Upstream::with("deaf", &[]);
    let arguments = json!({"text": "x".repeat(1 << 20)}).to_string();
    let typed = ["--servers", "servers.json", "--json", "tools", "call", "faulty", "echo", "--input", "-"];
    let report = upstream.run_with(&typed, arguments.as_bytes()).report();
    assert_eq!(report["outcome"], "upstream_failed");
    let told = report["error"]["message"].as_str().expect("a message");
    assert!(told.contains("it was stopped: it does not read what it is sent"), "{told}");
}

#[test]
fn m13_what_a_server_asks_of_its_client_is_declined() {
    for (fault, answer) in [
        ("sampling", r#"{"code": -32601, "message": "sampling/createMessage"}"#),
        ("elicitation", r#"{"action": "decline"}"#),
        ("roots", r#"{"roots": []}"#),
    ] {
        assert_eq!(Upstream::with(fault, &[]).call("echo", &["text=a"]), ok(answer), "{fault}");
    }
}

#[test]
fn m13_storms_of_notifications_and_requests_end_the_server() {
    for (fault, part) in [
        ("storm", "it sent more than 100000 messages that nobody asked for"),
        ("pings", "it sent more than 1000 requests of its own"),
    ] {
        let (outcome, told) = Upstream::with(fault, &[]).call("echo", &["text=a"]);
        assert!(outcome == "upstream_failed" && told.contains(part), "{fault}: {told}");
    }
}

#[test]
fn progress_is_passed_on_as_plain_text() {
    let run = Upstream::with("progress", &[]).run(&["tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n"));
    assert!(run.stderr.contains("1 of 2: step 1 [31m\n2 of 2: step 2 [31m\n"), "{}", run.stderr);
}

#[test]
fn a_server_that_starts_slowly_is_waited_for() {
    for revision in [&[][..], &["--modern"]] {
        assert_eq!(Upstream::with("slow-start", revision).call("echo", &["text=a"]), ok("a"), "{revision:?}");
    }
}

#[test]
fn a_server_that_takes_too_much_memory_is_stopped() {
    let upstream = Upstream::bounded("memory", &[], &json!({"memory_mib": 128, "discovery_s": LATE, "call_s": LATE}));
    let (outcome, told) = upstream.call("echo", &["text=a"]);
    assert!(outcome == "upstream_failed" && told.contains("bytes of memory, and may use 134217728"), "{told}");
}

#[test]
fn a_server_gets_the_environment_that_was_configured_and_no_more() {
    let upstream = Upstream::of(&json!({"faulty": {
        "command": "python3", "args": [program(), "environment"], "env": {"OWN": "x", "ANSWER": "${UNSET:-42}"}}}));
    let (outcome, names) = upstream.call("echo", &["text=a"]);
    assert_eq!(outcome, "ok");
    let names: Vec<String> = serde_json::from_str(&names).expect("a list");
    // Where `python3` is a script that looks for the interpreter, its shell adds variables of its own.
    let expected = ["ANSWER", "HOME", "LC_CTYPE", "OWN", "PATH", "TMPDIR", "PWD", "SHLVL", "_"];
    let is_expected = |name: &String| expected.contains(&name.as_str()) || name.contains("PYENV");
    assert!(names.iter().all(is_expected), "{names:?}");
    assert!(["ANSWER", "OWN", "TMPDIR"].iter().all(|name| names.iter().any(|one| one == name)), "{names:?}");
}

/// Servers that end well, that are configured twice, that crash, that are not there, and that hang: what two commands discover
/// together goes on for two of them at a time, and has an end for each.
#[test]
fn n06_a_hundred_servers_are_discovered_two_at_a_time() {
    let server = |fault: &str, number: usize| {
        let args = json!([program(), fault, format!("--number={number}")]);
        let bounds = json!({"discovery_s": if fault == "hang-start" { SOON } else { LATE }});
        json!({"command": if fault == "none-such" { "no-such-program" } else { "python3" }, "args": args, "intentbox": bounds})
    };
    let mut entries = serde_json::Map::new();
    let mut expected = std::collections::BTreeMap::new();
    for number in 0..100 {
        let (fault, status) = match number % 10 {
            0 | 1 => ("crash-loop", "failed"),
            2 | 3 => ("none-such", "failed"),
            4 if number < 50 => ("hang-start", "timeout"),
            _ => ("none", "success"),
        };
        // Every pair of the later ones is the same server by two names.
        let same = if number < 50 { number } else { number / 2 };
        entries.insert(format!("s{number}"), server(fault, same));
        expected.insert(format!("s{number}"), status.to_owned());
    }
    let upstream = Upstream::of(&Value::Object(entries));
    let states = || {
        // Otherwise it would start to discover what it lists, and call that discovering.
        let alone = [("INTENTBOX_WITHOUT", "discovery")];
        let listed =
            upstream.run_where(&alone, &["--servers", "servers.json", "--json", "tools", "list"], b"").report();
        let rows = listed["servers"].as_array().expect("a list").clone();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        rows.iter().map(|row| (text(&row["id"]), text(&row["status"]))).collect::<std::collections::BTreeMap<_, _>>()
    };
    let most = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| upstream.run(&["tools", "refresh"])));
        let mut most = 0;
        while !both.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            most = most.max(states().values().filter(|status| *status == "discovering").count());
        }
        for run in both.map(|run| run.join().expect("no panic")) {
            let mut going_on = 0_i32;
            for line in run.stderr.lines().filter(|line| line.starts_with('s')) {
                let step = line.split("  ").nth(1).unwrap_or_default();
                going_on += i32::from(step == "starting");
                going_on -= i32::from(step == "failed" || step.starts_with("complete"));
                assert!((0..=2).contains(&going_on), "{line}: {}", run.stderr);
            }
            assert_eq!(going_on, 0, "{}", run.stderr);
        }
        most
    });
    assert!((1..=2).contains(&most), "{most} at a time");
    assert_eq!(states(), expected);
    // Nothing holds a place, so that one more can be discovered.
    assert_eq!(upstream.object(&["tools", "refresh", "s99"])["servers"][0]["status"], "success");
}

#[test]
fn n06_listing_again_and_again_starts_one_discovery() {
    let upstream = Upstream::bounded("hang-start", &[], &json!({"discovery_s": LATE}));
    let home = upstream.home.path().canonicalize().expect("it is there");
    let discoveries = || {
        let processes = std::fs::read_dir("/proc").expect("it is listed").flatten().map(|entry| entry.path());
        let is_one = |process: &std::path::PathBuf| {
            let line = std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
            let is_here = std::fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == home);
            is_here && line.contains("\0tools\0refresh\0")
        };
        processes.filter(is_one).collect::<Vec<_>>()
    };
    for _ in 0..5 {
        upstream.object(&["tools", "list"]);
    }
    let begun = discoveries();
    for process in &begun {
        let number =
            process.file_name().and_then(|name| name.to_str()?.parse().ok()).and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(number.expect("a number"), rustix::process::Signal::KILL).expect("it is ours");
    }
    assert_eq!(begun.len(), 1, "{begun:?}");
}

/// Who made the project, or a server that may write there, could lead another one to any folder.
#[test]
fn a_folder_that_a_link_stands_for_is_not_written() {
    let entry = |cwd: Value, write: Value| {
        let settings = json!({"discovery_s": LATE, "call_s": LATE, "write": write});
        json!({"faulty": {"command": "python3", "args": [program(), "folder"], "cwd": cwd, "intentbox": settings}})
    };
    for entry in [entry(json!("."), json!(["docs"])), entry(json!("docs"), json!([]))] {
        let upstream = Upstream::of(&entry);
        std::fs::create_dir(upstream.path("docs")).expect("made");
        assert_eq!(upstream.refresh().0, "success");
        std::fs::remove_dir(upstream.path("docs")).expect("it is empty");
        std::os::unix::fs::symlink("/opt", upstream.path("docs")).expect("linked");
        let (status, told) = upstream.refresh();
        assert_eq!(status, "failed", "{told}");
        let part = "docs, which it may write, leads to /opt by a symbolic link: name that folder in its entry, or remove the link";
        assert!(told.contains(part), "{told}");
    }
}
