//! Command lines as users type them, and the errors for invalid ones.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::product::{Run, intentbox, run_in};

/// A policy under which templates may read, and scripts of `exec` nothing.
const READING: &str = "[packs.sentry]\nhttp = [\"sentry: GET /api/0/**\"]\n";

/// Writes a file that only its owner may read.
fn private(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).expect("closed to others");
}

/// Exit code and outcome of a run with `--json`.
fn ends(run: &Run, code: i32, outcome: &str) {
    assert_eq!(run.report()["outcome"], outcome, "{run:#?}");
    assert_eq!(run.code, code, "{run:#?}");
}

/// An issue's id begins with the slug of its project.
fn id_starts(row: &serde_json::Value, prefix: &str) -> bool {
    row["id"].as_str().is_some_and(|id| id.starts_with(prefix))
}

#[test]
fn list_errors_answers_from_the_demo_tracker() {
    let run = intentbox(&["run-intent", "list errors", "--json"], b"", &[]);
    ends(&run, 0, "ok");
    let report = run.report();
    let rows = report["result"].as_array().expect("rows");
    assert_eq!(rows.len(), 4);
    for field in ["id", "title", "count", "last_seen"] {
        assert!(rows.iter().all(|row| !row[field].is_null()), "every row has {field}");
    }
    let stderr = report["stderr"].as_str().unwrap_or_default();
    assert!(stderr.starts_with("4 of ") && stderr.contains(" unresolved errors (limit="), "{stderr}");
    assert_eq!(report["route"]["template"], "sentry/list_errors");
    assert_eq!(report["refusals"], serde_json::Value::Null);
    assert!(run.stderr.contains("demo data"), "{}", run.stderr);
}

#[test]
fn parameters_win_over_words() {
    let run = intentbox(&["run-intent", "list the last 5 errors", "--param", "limit=2", "--json"], b"", &[]);
    assert_eq!(run.report()["result"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_nobody_can_do_is_said_and_not_forced() {
    let run = intentbox(&["run-intent", "book a flight to Lisbon", "--json"], b"", &[]);
    ends(&run, 6, "not_found");
}

#[test]
fn bad_parameters_are_named() {
    let pattern = "must match `[a-z0-9_-]+` from end to end, and";
    for (param, message, hint) in [
        (
            "limit=0",
            "parameter `limit` must be between 1 and 100 errors, and is 0".to_owned(),
            "`limit=1` is the nearest that is allowed",
        ),
        (
            "limit=101",
            "parameter `limit` must be between 1 and 100 errors, and is 101".to_owned(),
            "`limit=100` is the nearest that is allowed",
        ),
        (
            "limit=many",
            "parameter `limit` must be an integer, and \"many\" is not one".to_owned(),
            "give it like `limit=4`",
        ),
        (
            "colour=red",
            "template `sentry/list_errors` has no parameter \"colour\"".to_owned(),
            "its parameters are `limit (1 to 100)`, `project (a slug)`, `environment (a name)`, `period`, `level (error|fatal)`, `release`, \
             `first_release`, `order (last_seen|first_seen|count|users)`, `organization`",
        ),
        (
            "project=web\"); import os; (\"",
            format!("parameter `project` {pattern} \"web\\\"); import os; (\\\"\" does not"),
            "give it like `project=web`",
        ),
        (
            "project={{ 7*7 }}",
            format!("parameter `project` {pattern} \"{{{{ 7*7 }}}}\" does not"),
            "give it like `project=web`",
        ),
    ] {
        let run = intentbox(&["run-intent", "list errors", "--param", param, "--json"], b"", &[]);
        ends(&run, 2, "param_invalid");
        let error = run.report()["error"].clone();
        assert_eq!(
            (error["message"].as_str(), error["hint"].as_str()),
            (Some(message.as_str()), Some(hint)),
            "{param}"
        );
    }
    for param in ["limit=1", "limit=100", "project=web"] {
        ends(&intentbox(&["run-intent", "list errors", "--param", param, "--json"], b"", &[]), 0, "ok");
    }
}

#[test]
fn what_sentry_does_not_have_is_named_in_one_line() {
    for (intent, stderr) in [
        (
            "list errors in project shop",
            "target_not_found: there is no project shop in demo\nhint: ask for \"list projects\" to see all\n",
        ),
        (
            "list errors in the moon environment",
            "target_not_found: there is no environment moon in demo\nhint: ask for \"list environments\" to see all\n",
        ),
        (
            "show issue WEB-9999",
            "target_not_found: there is no issue WEB-9999 in demo\n\
             hint: ask for \"search issues\" to see the ids of issues\n",
        ),
        (
            "search issues for \"level:loud\"",
            "input_invalid: Sentry does not understand the search: Invalid value 'loud' for \"level\" search\n\
             hint: correct the terms of the search\n",
        ),
    ] {
        let run = intentbox(&["run-intent", intent], b"", &[]);
        assert_eq!(run.stdout, "", "{intent}: {run:#?}");
        let notice = "demo data: no configuration found, so a built-in error tracker answers\n";
        assert_eq!(run.stderr.strip_prefix(notice), Some(stderr), "{intent}");
    }
}

#[test]
fn the_environments_of_the_demo_are_listed() {
    let run = intentbox(&["run-intent", "which environments are there?", "--json"], b"", &[]);
    ends(&run, 0, "ok");
    let names = serde_json::json!([{"name": "production"}, {"name": "staging"}, {"name": "development"}]);
    assert_eq!(run.report()["result"], names);
}

#[test]
fn code_in_a_free_parameter_stays_data() {
    let value = "environment=x'); import os; ('\\\n";
    let run = intentbox(&["run-intent", "list errors", "--param", value.trim_end(), "--json"], b"", &[]);
    // The tracker knows no such environment: the value arrived whole.
    ends(&run, 6, "target_not_found");
    let message = run.report()["error"]["message"].clone();
    assert_eq!(message, "there is no environment x'); import os; ('\\ in demo");
}

#[test]
fn an_intent_of_a_megabyte_is_refused() {
    // A single argument of Linux ends at 128 KiB; stdin has no end.
    let long = "errors ".repeat(150_000);
    ends(&intentbox(&["run-intent", "-", "--json"], long.as_bytes(), &[]), 2, "param_invalid");
    ends(&intentbox(&["run-intent", &long[..100_000], "--json"], b"", &[]), 2, "param_invalid");
    ends(&intentbox(&["run-intent", "-", "--json"], b"list errors\n", &[]), 0, "ok");
}

#[test]
fn a_sentry_that_somebody_runs_answers_through_the_configuration() {
    let mut tracker = Command::new(env!("CARGO_BIN_EXE_intentbox"))
        .arg("demo-tracker")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tracker starts");
    let mut lines = BufReader::new(tracker.stdout.take().expect("piped")).lines();
    let mut field = |name: &str| {
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with(name)).expect(name);
        line[name.len()..].trim().to_owned()
    };
    let (base_url, organization, token) = (field("base url"), field("organization"), field("token"));

    let home = tempfile::tempdir().expect("a temporary folder");
    private(&home.path().join("token"), &token);
    std::fs::write(home.path().join("policy.toml"), READING).expect("written");
    let configuration = format!(
        "[origins.sentry]\nbase_url = \"{base_url}\"\ntoken_file = \"token\"\nprivate_addresses = [\"127.0.0.1\"]\n\
         settings = {{ organization = \"{organization}\" }}\n"
    );
    std::fs::write(home.path().join("c.toml"), configuration).expect("written");
    let arguments = ["run-intent", "list the last 4 errors in project api", "--config", "c.toml", "--json"];
    let run = run_in(home.path(), &arguments, b"", &[]);
    let wrong_token = {
        private(&home.path().join("token"), "not-the-token");
        run_in(home.path(), &arguments, b"", &[])
    };
    tracker.kill().and_then(|()| tracker.wait()).expect("the tracker stops");

    ends(&run, 0, "ok");
    assert_eq!(run.stderr, "", "a configured origin is no demo");
    let report = run.report();
    let rows = report["result"].as_array().expect("rows");
    assert!(rows.len() == 4 && rows.iter().all(|row| id_starts(row, "API-")), "{rows:#?}");
    assert!(!run.stdout.contains(&token));
    ends(&wrong_token, 5, "host_call_failed");
    let message = "the token was rejected (401: Invalid token); set `token_env` or `token_file` under [origins.sentry]";
    assert_eq!(wrong_token.report()["error"]["message"], message);
}

#[test]
fn a_million_unary_minuses_harm_nobody() {
    let source = format!("x = {}1", "-".repeat(1_000_000));
    ends(&intentbox(&["exec", "-", "--json"], source.as_bytes(), &[]), 4, "stack_overflow");
}

#[test]
fn input_that_is_not_json_is_refused() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("script.py"), "params['n'] * 2").expect("written");
    let run = run_in(home.path(), &["exec", "script.py", "--input", "-", "--json"], b"{\"n\": ", &[]);
    ends(&run, 2, "param_invalid");
}

#[test]
fn missing_files_are_named_with_the_class_of_their_use() {
    for (arguments, class) in [
        (&["exec", "no-such-file", "--json"][..], "usage"),
        (&["exec", "-", "--input", "no-such-file", "--json"], "usage"),
        (&["run-intent", "list errors", "--config", "no-such-file", "--json"], "configuration"),
        (&["run-intent", "list errors", "--policy", "no-such-file", "--json"], "configuration"),
        (&["run-intent", "list errors", "--templates", "no-such-file", "--json"], "configuration"),
        (&["run-intent", "list errors", "--dir", "a=no-such-file", "--json"], "configuration"),
    ] {
        let run = intentbox(arguments, b"", &[]);
        ends(&run, 2, class);
        let report = run.report();
        assert!(report["error"]["message"].as_str().is_some_and(|text| text.contains("no-such-file")), "{report}");
    }
}

#[test]
fn limits_outside_their_bounds_are_refused() {
    let run = intentbox(&["exec", "-", "--memory-mib", "63", "--json"], b"1", &[]);
    ends(&run, 2, "param_invalid");
    let run = intentbox(&["exec", "-", "--memory-mib", "64", "--json"], b"1", &[]);
    ends(&run, 0, "ok");
}

#[test]
fn tracebacks_name_the_scripts_own_lines() {
    let run = intentbox(&["exec", "-"], b"def f():\n    return 1 / 0\n\nf()\n", &[]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.stderr,
        "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    f()\n  \
         File \"script.py\", line 2, in f\n    return 1 / 0\nZeroDivisionError: division by zero\n\
         python_error: ZeroDivisionError: division by zero\n"
    );
}

#[test]
fn a_configured_origin_is_used_with_its_token_and_nothing_else() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |text: &str| std::fs::write(home.path().join("c.toml"), text).expect("written");
    let list = ["run-intent", "list errors", "--config", "c.toml", "--json"];
    std::fs::write(home.path().join("policy.toml"), READING).expect("written");

    let mut configuration = String::from("[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\ntoken_env = \"T\"\n");
    write(&configuration);
    let run = run_in(home.path(), &list, b"", &[]);
    ends(&run, 2, "configuration");
    assert!(run.report()["error"]["message"].as_str().is_some_and(|text| text.contains("T is not set")), "{run:#?}");

    // The template needs an organization, which this origin does not have.
    let run = run_in(home.path(), &list, b"", &[("T", "secret-token")]);
    ends(&run, 6, "missing_parameter");

    // A loopback address without the operator's word is refused before anything is sent.
    let _ = writeln!(configuration, "settings = {{ organization = \"acme\" }}");
    write(&configuration);
    let run = run_in(home.path(), &list, b"", &[("T", "secret-token")]);
    ends(&run, 5, "host_call_failed");
    assert!(!run.stdout.contains("secret-token") && !run.stderr.contains("secret-token"));
    let message = run.report()["error"]["message"].to_string();
    let line = r#"`private_addresses = [\"127.0.0.1\"]` under [origins.sentry]"#;
    assert!(message.contains(line), "the message names the line: {message}");

    // Scripts of `exec` reach nothing until the configuration says so.
    let run = run_in(
        home.path(),
        &["exec", "-", "--config", "c.toml", "--json"],
        b"http.get('sentry:/api/0/')",
        &[("T", "secret-token")],
    );
    ends(&run, 3, "capability_denied");
    let hint = run.report()["error"]["hint"].as_str().unwrap_or_default().to_owned();
    assert!(hint.contains("sentry: GET /api/0/") && hint.contains("[exec] in policy.toml"), "{hint}");

    // A token file lies beside the configuration; a relative path cannot lead out of that folder.
    let from_file = |name: &str| {
        write(&format!(
            "[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\ntoken_file = \"{name}\"\n\
             settings = {{ organization = \"acme\" }}\n"
        ));
        run_in(home.path(), &list, b"", &[])
    };
    private(&home.path().join("token"), "secret-token\n");
    ends(&from_file("token"), 5, "host_call_failed");
    std::fs::set_permissions(home.path().join("token"), Permissions::from_mode(0o644)).expect("opened to all");
    let run = from_file("token");
    ends(&run, 2, "configuration");
    assert!(run.stdout.contains("chmod 600 token"), "{run:#?}");
    ends(&from_file("../token"), 2, "configuration");
    ends(&from_file("no-such-token"), 2, "configuration");

    write("[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\ncolour = \"red\"\n");
    let run = run_in(home.path(), &list, b"", &[]);
    ends(&run, 2, "configuration");
    assert!(run.report()["error"]["message"].as_str().is_some_and(|text| text.contains("line 3")), "{run:#?}");

    // A token in the wrong place is named by its line and never shown.
    write("[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\ntoken = \"secret-token\"\n");
    let run = run_in(home.path(), &list, b"", &[]);
    ends(&run, 2, "configuration");
    assert!(!run.stdout.contains("secret-token") && !run.stderr.contains("secret-token"), "{run:#?}");
}

#[test]
fn two_runs_share_no_randomness() {
    let random = || intentbox(&["exec", "-"], b"import random, uuid\n[random.random(), str(uuid.uuid4())]", &[]).stdout;
    assert_ne!(random(), random());
}

#[test]
fn what_no_line_of_the_policy_permits_is_refused_with_the_line_that_would() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    write(
        "c.toml",
        "[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\nprivate_addresses = [\"127.0.0.1\"]\n\
         settings = { organization = \"acme\" }\n",
    );
    let list = ["run-intent", "list errors", "--config", "c.toml", "--json"];
    let run = run_in(home.path(), &list, b"", &[]);
    ends(&run, 3, "capability_denied");
    let (rule, table) = ("sentry: GET /api/0/organizations/*/issues/", "templates.\"sentry/list_errors\"");
    assert_eq!(run.report()["error"]["hint"], format!("add \"{rule}\" to http under [{table}] in policy.toml"));

    // That very line is enough.
    write("policy.toml", &format!("[{table}]\nhttp = [\"{rule}\"]\n"));
    ends(&run_in(home.path(), &list, b"", &[]), 5, "host_call_failed");

    let explain = |arguments: &[&str]| {
        let arguments = [&["policy", "explain"], arguments, &["--config", "c.toml"]].concat();
        let run = run_in(home.path(), &arguments, b"", &[]);
        (run.code, run.stdout)
    };
    let url = "sentry:/api/0/organizations/acme/issues/";
    assert_eq!(
        explain(&["GET", url, "--for", "sentry/list_errors"]),
        (0, format!("permitted by\n  {rule} under [{table}]\n  = GET {url}\n"))
    );
    // No line allows what the template does not ask for.
    let (code, told) = explain(&["PUT", url, "--for", "sentry/list_errors"]);
    let in_vain = "hint: no line of the policy can allow this, because the template does not ask for it: `sentry/list_errors` \
                   wants `sentry: GET /api/0/organizations/*/issues/`, `sentry: GET /api/0/organizations/*/releases/`\n";
    assert!(code == 3 && told.ends_with(in_vain), "{told}");
    let (code, told) = explain(&["GET", url]);
    assert!(code == 3 && told.contains("under [exec] in policy.toml"), "{told}");

    // What changes something does not begin what it may not end.
    write("policy.toml", READING);
    let run = run_in(
        home.path(),
        &["run-intent", "resolve WEB-1", "--allow-writes", "--config", "c.toml", "--json"],
        b"",
        &[],
    );
    ends(&run, 3, "capability_denied");
    let error = run.report()["error"].clone();
    assert_eq!((&error["kind"], run.report()["spent"].clone()), (&"policy".into(), serde_json::Value::Null), "{error}");
    assert_eq!(
        error["hint"],
        "add \"sentry: PUT /api/0/organizations/*/issues/*/\" to http under [templates.\"sentry/resolve_issue\"] in policy.toml"
    );

    write("policy.toml", "[packs.sentry]\nhtpp = []\n");
    let run = run_in(home.path(), &list, b"", &[]);
    ends(&run, 2, "configuration");
    assert!(run.stdout.contains("line 2: unknown field `htpp`"), "{run:#?}");
}

#[test]
fn what_changes_something_needs_an_explicit_yes() {
    let resolve = ["run-intent", "resolve WEB-1", "--json"];
    let run = intentbox(&resolve, b"", &[]);
    ends(&run, 3, "capability_denied");
    assert!(run.stdout.contains("--allow-writes"), "{run:#?}");

    let list = intentbox(&["run-intent", "list the last 1 errors", "--json"], b"", &[]).report();
    let id = list["result"][0]["id"].as_str().expect("an id").to_owned();
    let intent = format!("resolve {id}");
    let run = intentbox(&["run-intent", &intent, "--allow-writes", "--json"], b"", &[]);
    ends(&run, 0, "ok");
    assert_eq!(run.report()["result"]["id"], id.as_str(), "{run:#?}");
}

#[test]
fn what_init_writes_can_be_used() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = run_in(home.path(), &["init", "box"], b"", &[]);
    assert_eq!(run.code, 0, "{run:#?}");
    let run = run_in(home.path(), &["policy", "check", "--config", "box/config.toml"], b"", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:#?}");
    // Nothing is permitted by it: every line that would is behind a mark.
    let run = run_in(home.path(), &["exec", "-", "--config", "box/config.toml"], b"http.get('sentry:/')", &[]);
    assert_eq!(run.code, 3, "{run:#?}");
    let run = run_in(home.path(), &["init", "box"], b"", &[]);
    assert!(run.code == 2 && run.stderr.contains("box/config.toml exists already"), "{run:#?}");
}

#[test]
fn a_directory_of_any_name_on_the_command_line_is_no_fault_of_the_policy() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for command in [&["policy", "check"][..], &["doctor"]] {
        let run = run_in(home.path(), &[command, &["--dir", "x=."]].concat(), b"", &[]);
        assert!(run.code == 0 && !run.stdout.contains("there is no such pack"), "{run:#?}");
    }
}

#[test]
fn a_fault_of_a_template_is_shown_with_its_file_line_and_a_caret() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let arguments = [&["--templates", "mine"], arguments].concat();
        run_in(home.path(), &arguments, b"", &[])
    };
    let made = run(&["templates", "new", "first/hello"]);
    assert_eq!(made.code, 0, "{made:#?}");
    let manifest = home.path().join("mine/first/hello/template.toml");
    let text = std::fs::read_to_string(&manifest).expect("it is there");
    std::fs::write(&manifest, text.replace("cache_s = 60", "cache_s = \"soon\"")).expect("written");
    let broken = run(&["templates", "check"]);
    let line = 1 + text.lines().position(|line| line.starts_with("cache_s")).expect("it is there");
    assert_eq!(broken.code, 2, "{broken:#?}");
    assert!(broken.stderr.contains(&format!("first/hello/template.toml:{line}: ")), "{broken:#?}");
    assert!(broken.stderr.contains("cache_s = \"soon\"\n") && broken.stderr.contains('^'), "{broken:#?}");
}

#[test]
fn a_folder_of_templates_that_the_configuration_names_is_every_commands() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("c.toml"), "[templates]\ndirectory = \"mine\"\n").expect("written");
    let run = |arguments: &[&str]| {
        let arguments = [&["--config", "c.toml"], arguments].concat();
        run_in(home.path(), &arguments, b"", &[])
    };
    let made = run(&["templates", "new", "first/hello"]);
    assert!(made.code == 0 && made.stdout.contains("mine/first/hello/template.toml\n"), "{made:#?}");
    assert!(made.stdout.contains("  intentbox --config c.toml templates check first/hello\n"), "{made:#?}");
    let checked = run(&["templates", "check"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, "first/hello: 1 case passed\n"), "{checked:#?}");
    // What lies elsewhere is not checked, and that is said.
    for (arguments, what) in [
        (&["sentry/list_errors"][..], "template `sentry/list_errors`"),
        (&["sentry"], "template or pack `sentry`"),
        (&["first", "sentry"], "template or pack `sentry`"),
    ] {
        let elsewhere = run(&[&["templates", "check"], arguments].concat());
        let message = format!("usage: there is no {what} in ./mine\nhint: name one of first/hello\n");
        assert_eq!((elsewhere.code, elsewhere.stderr), (2, message));
    }
    std::fs::write(home.path().join("mine/first/hello/cases/default.py"), "").expect("written");
    let written = run(&["templates", "check", "--write"]);
    assert!(written.code == 0 && written.stdout.starts_with("first/hello: wrote 1 script; review"), "{written:#?}");

    std::fs::write(home.path().join("c.toml"), "").expect("written");
    let nowhere = run(&["templates", "new", "first/hello"]);
    assert!(nowhere.code == 2 && nowhere.stderr.contains("`directory` under [templates]"), "{nowhere:#?}");
}

/// Answers every request with this status, for as long as the test runs.
fn answering(status: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        let reply = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut head = [0; 4096];
            assert!(stream.read(&mut head).is_ok_and(|length| length > 0), "it asks");
            let _ = stream.write_all(reply.as_bytes());
        }
    });
    address
}

#[test]
fn doctor_says_what_an_answer_tells_about_the_token() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("policy.toml"), "").expect("written");
    let (token, set) = ("token_env = \"T\"\n", "check = \"/me\"\n");
    let with_both = format!("{token}{set}");
    let unknown = "; set `check` to a path that needs the token, to see whether the token is accepted";
    let (fine, broken) = (answering("200 OK"), answering("500 Internal Server Error"));
    for (address, lines, code, state) in [
        (fine, token, 0, format!("answers 200 to GET /{unknown}")),
        (fine, with_both.as_str(), 0, "answers 200 to GET /me".to_owned()),
        (fine, "", 0, "answers 200 to GET /".to_owned()),
        (broken, with_both.as_str(), 1, "FAILS: answers 500 to GET /me".to_owned()),
        (broken, "", 0, "answers 500 to GET /; set `check` to a path that needs the token".to_owned()),
    ] {
        let origin =
            format!("[origins.shop]\nbase_url = \"http://{address}\"\nprivate_addresses = [\"127.0.0.1\"]\n{lines}");
        std::fs::write(home.path().join("c.toml"), origin).expect("written");
        let run = run_in(home.path(), &["doctor", "--config", "c.toml"], b"", &[("T", "secret-token")]);
        assert_eq!(run.code, code, "{state}: {run:#?}");
        assert!(run.stdout.contains(&format!("origin shop            {state}\n")), "{state}: {run:#?}");
    }
}

#[test]
fn doctor_has_a_line_for_each_thing_that_does_not_work() {
    let address = answering("401 Unauthorized");
    let home = tempfile::tempdir().expect("a temporary folder");
    let doctor = |token: &str| {
        let configuration = format!(
            "[origins.shop]\nbase_url = \"http://{address}\"\nprivate_addresses = [\"127.0.0.1\"]\n{token}\n[directories]\n\
             here = \".\"\ngone = \"no/such\"\n"
        );
        std::fs::write(home.path().join("c.toml"), configuration).expect("written");
        let run = run_in(home.path(), &["doctor", "--config", "c.toml"], b"", &[("T", "secret-token")]);
        assert_eq!(run.code, 1, "{run:#?}");
        (run.stdout, run.stderr)
    };
    let (told, failed) = doctor("");
    let failed = failed.strip_prefix("check: 3 of ").and_then(|rest| rest.split_once(" checks failed: "));
    assert_eq!(failed.map(|(_, names)| names), Some("policy, directory gone, origin shop\n"));
    for line in [
        "directory gone         NOT READABLE: ./no/such: ",
        "directory here         readable, ",
        "origin shop            NEEDS A TOKEN: 401 to GET /, and none is configured; ",
        "Scripts ",
    ] {
        assert!(told.lines().any(|told| told.starts_with(line)), "{line}: {told}");
    }
    let (told, _) = doctor("token_env = \"T\"");
    assert!(told.contains("origin shop            TOKEN NOT ACCEPTED: 401 to GET /\n"), "{told}");
    // Nothing else works with a directory that is not there.
    let run = run_in(home.path(), &["templates", "list", "--config", "c.toml"], b"", &[("T", "secret-token")]);
    assert!(run.code == 2 && run.stderr.contains("the directory `gone` cannot be opened"), "{run:#?}");
}

#[test]
fn a_directory_on_the_command_line_can_be_read_and_nothing_beside_it() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(home.path().join("in")).expect("made");
    std::fs::write(home.path().join("in/a.txt"), "inside").expect("written");
    std::fs::write(home.path().join("out.txt"), "outside").expect("written");
    let run = |script: &str| {
        let run = run_in(home.path(), &["exec", "-", "--dir", "box=in", "--json"], script.as_bytes(), &[]);
        (run.report()["outcome"].clone(), run.report()["result"].clone())
    };
    std::os::unix::fs::symlink("../out.txt", home.path().join("in/link")).expect("linked");
    assert_eq!(run("files.read_text('box:link')").0, "host_call_failed");
    assert_eq!(run("files.read_text('box:a.txt')"), ("ok".into(), "inside".into()));
    assert_eq!(run("[f['path'] for f in files.list('box:')]"), ("ok".into(), serde_json::json!(["box:a.txt"])));
    assert_eq!(run("files.read_text('box:../out.txt')").0, "capability_denied");
    assert_eq!(run("files.read_text('other:a.txt')").0, "capability_denied");
    // There is no such directory, and a line of the policy would not make one.
    let explained = run_in(home.path(), &["policy", "explain", "READ", "other:a.txt", "--dir", "box=in"], b"", &[]);
    let hint = "hint: add --dir other=PATH, or a line for `other` under [directories] in the configuration and \"other\" to read under \
                [exec] in policy.toml\n";
    assert!(explained.code == 3 && explained.stdout.ends_with(hint), "{explained:#?}");
    assert_eq!(
        run("try:\n    files.read_text('box:b.txt')\nexcept FileNotFoundError as e:\n    result = 'none'").1,
        "none"
    );
}

#[test]
fn the_scripts_of_a_pack_share_its_module() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = home.path().join("mine").join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("sums/pack.py", "def double(number):\n    return 2 * number\n\ndef fail():\n    return 1 / 0\n");
    let manifest = |phrase: &str| format!("summary = \"S.\"\nphrases = [\"{phrase}\"]\neffects = \"read\"\n");
    write("sums/twice/template.toml", &manifest("twice twenty one"));
    write("sums/twice/script.py.j2", "import pack\nresult = pack.double(21)\n");
    write("sums/never/template.toml", &manifest("never works"));
    write("sums/never/script.py.j2", "from pack import fail\nfail()\n");
    for place in ["in-process", "process"] {
        let run = |intent: &str| {
            let arguments = ["--templates", "mine", "run-intent", intent, "--isolation", place, "--json"];
            run_in(home.path(), &arguments, b"", &[])
        };
        assert_eq!(run("twice twenty one").report()["result"], 42, "{place}");
        let failed = run("never works").report();
        let traceback = failed["error"]["traceback"].as_str().unwrap_or_default().to_owned();
        assert!(traceback.contains("File \"sums/pack.py\", line 5, in fail\n    return 1 / 0\n"), "{traceback}");
    }
    // Nobody else has it.
    let run = intentbox(&["exec", "-", "--json"], b"import pack", &[]);
    ends(&run, 1, "python_error");
}

/// Makes a pipe, and a writer for whoever would wait for one: a program that does so goes on with `text`, and does not
/// hold up all tests.
fn pipe(path: &Path, text: &'static str) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).expect("made");
    let path = path.to_owned();
    // It ends with the process: nobody may ever open the other end.
    std::thread::spawn(move || std::fs::write(path, text));
}

#[test]
fn nothing_waits_for_a_pipe_but_what_was_typed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let policy = "[exec]\n";
    std::fs::write(home.path().join("c.toml"), "").expect("written");
    std::fs::write(home.path().join("t.toml"), "[origins.t]\nbase_url = \"https://t.test\"\ntoken_file = \"token\"\n")
        .expect("written");
    for (name, text) in [("pipe.toml", ""), ("policy-pipe.toml", policy), ("token", "secret-token")] {
        pipe(&home.path().join(name), text);
    }
    for (arguments, name) in [
        (&["--config", "pipe.toml"][..], "pipe.toml"),
        (&["--config", "c.toml", "--policy", "policy-pipe.toml"], "policy-pipe.toml"),
        (&["--config", "t.toml"], "token"),
    ] {
        let run = run_in(home.path(), &[&["exec", "-", "--json"], arguments].concat(), b"1", &[]);
        ends(&run, 2, "configuration");
        let message = run.report()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains(&format!("{name} is not a regular file")), "{message}");
    }
    // What `<(…)` of a shell gives is a pipe as well.
    pipe(&home.path().join("script"), "params['n'] * 2");
    pipe(&home.path().join("input"), "{\"n\": 21}");
    let run = run_in(home.path(), &["exec", "script", "--input", "input"], b"", &[]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "42\n"), "{run:#?}");
}

#[test]
fn init_writes_the_files_that_flags_or_the_environment_name() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let names = |folder: &str| {
        let entries = std::fs::read_dir(home.path().join(folder)).expect("it is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names.collect::<BTreeSet<_>>()
    };
    let nothing: &[(&str, &str)] = &[];
    for (folder, arguments, environment, files) in [
        ("a", &["--config", "a/mine.toml", "init"][..], nothing, ["mine.toml", "policy.toml"]),
        ("b", &["init", "--config", "b/c.toml", "--policy", "b/p.toml"], nothing, ["c.toml", "p.toml"]),
        ("c", &["init"], &[("INTENTBOX_CONFIG", "c/c.toml")], ["c.toml", "policy.toml"]),
    ] {
        let run = run_in(home.path(), arguments, b"", environment);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:#?}");
        assert_eq!(names(folder), BTreeSet::from(files.map(str::to_owned)), "{arguments:?}");
    }
    let folders = BTreeSet::from(["a", "b", "c"].map(str::to_owned));
    assert_eq!(names(""), folders, "nothing is written elsewhere");
    let both = run_in(home.path(), &["init", "d", "--config", "d/c.toml"], b"", &[]);
    let message = "usage: init takes a directory or --config, not both\nhint: leave one of them out\n";
    assert_eq!((both.code, both.stderr.as_str()), (2, message));
    assert_eq!(names("").len(), 3);
}

#[test]
fn init_writes_both_files_or_neither() {
    for name in ["config.toml", "policy.toml"] {
        let home = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(home.path().join("box")).expect("made");
        std::os::unix::fs::symlink("../elsewhere.toml", home.path().join("box").join(name)).expect("linked");
        let run = run_in(home.path(), &["init", "box"], b"", &[]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:#?}");
        assert!(run.stderr.contains(&format!("box/{name} is a symbolic link")), "{run:#?}");
        assert_eq!(std::fs::read_dir(home.path().join("box")).expect("there").count(), 1, "only the link");
        assert!(!home.path().join("elsewhere.toml").exists());
    }
}

#[test]
fn scripts_of_cases_are_written_through_no_link() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let arguments = [&["--templates", "mine"], arguments].concat();
        run_in(home.path(), &arguments, b"", &[])
    };
    assert_eq!(run(&["templates", "new", "first/hello"]).code, 0);
    let script = home.path().join("mine/first/hello/cases/default.py");
    let written = std::fs::read_to_string(&script).expect("there");
    let target = home.path().join("mine/first/hello/notes.txt");
    for exists in [true, false] {
        std::fs::remove_file(&script).expect("removed");
        std::os::unix::fs::symlink("../notes.txt", &script).expect("linked");
        if exists {
            std::fs::write(&target, "mine").expect("written");
        } else {
            std::fs::remove_file(&target).expect("removed");
        }
        let refused = run(&["templates", "check", "--write"]);
        assert_eq!(refused.code, 2, "{refused:#?}");
        let rule = "first/hello/cases/default.py is a symbolic link, and --write writes through none";
        assert!(refused.stderr.contains(rule), "{refused:#?}");
        assert_eq!(std::fs::read_to_string(&target).ok().as_deref(), exists.then_some("mine"));
    }
    std::fs::remove_file(&script).expect("removed");
    let again = run(&["templates", "check", "--write"]);
    assert_eq!(again.code, 0, "{again:#?}");
    assert_eq!(std::fs::read_to_string(&script).expect("written again"), written);
}

#[test]
fn what_a_folder_overrides_is_marked() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    for id in ["sentry/list_errors", "mine/first"] {
        let manifest = "summary = \"S.\"\nphrases = [\"first of mine\"]\neffects = \"read\"\n";
        write(&format!("mine/{id}/template.toml"), manifest);
        write(&format!("mine/{id}/script.py.j2"), "result = 1\n");
    }
    write("box/config.toml", "[templates]\ndirectory = \"../mine\"\n");
    let marked = |sources: &[&str]| {
        let run = run_in(home.path(), &[&["templates", "list"], sources].concat(), b"", &[]);
        assert_eq!(run.code, 0, "{run:#?}");
        let lines = run.stdout.lines().filter(|line| line.contains("(overrides the built-in one)"));
        let from_text: Vec<String> = lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect();
        let run = run_in(home.path(), &[&["templates", "list", "--json"], sources].concat(), b"", &[]);
        let rows = run.report();
        let rows = rows["templates"].as_array().expect("rows").iter().filter(|row| row["overrides_built_in"] == true);
        let from_json: Vec<String> = rows.map(|row| row["id"].as_str().unwrap_or_default().to_owned()).collect();
        assert_eq!(from_text, from_json);
        from_text
    };
    assert_eq!(marked(&[]), [""; 0]);
    assert_eq!(marked(&["--templates", "mine"]), ["sentry/list_errors"]);
    assert_eq!(marked(&["--config", "box/config.toml"]), ["sentry/list_errors"]);
    // What the templates of a pack share is a part of each.
    write("mine/logs/pack.py", "def shared():\n    return 1\n");
    let all = marked(&["--templates", "mine"]);
    assert!(all.len() > 2 && all[..all.len() - 1].iter().all(|id| id.starts_with("logs/")), "{all:?}");
}

#[test]
fn a_directory_that_takes_the_place_of_a_configured_one_says_so() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for folder in ["old", "new"] {
        std::fs::create_dir(home.path().join(folder)).expect("made");
        std::fs::write(home.path().join(folder).join("a.txt"), folder).expect("written");
    }
    std::fs::write(home.path().join("c.toml"), "[directories]\nbox = \"old\"\n").expect("written");
    let run = |directory: &str| {
        let arguments = ["exec", "-", "--config", "c.toml", "--dir", directory, "--json"];
        let run = run_in(home.path(), &arguments, b"files.read_text('box:a.txt')", &[]);
        (run.report()["result"].clone(), run.stderr)
    };
    assert_eq!(run("box=new"), ("new".into(), "--dir box=new replaces the directory ./old\n".to_owned()));
    assert_eq!(run("other=new").1, "", "nothing is replaced");
}
