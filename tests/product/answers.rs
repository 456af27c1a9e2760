//! With `--json`, every command prints one object, however it ends.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::product::{Run, run_in};

/// A folder with a script, templates of which one works and one does not, and a policy with a fault.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| home.path().join(name);
    std::fs::write(path("a.py"), "1 + 1").expect("written");
    std::fs::write(path("fault.toml"), "[packs.nonsense]\n").expect("written");
    for folder in ["mine", "broken"] {
        let made = run_in(home.path(), &["templates", "new", "first/hello", "--templates", folder], b"", &[]);
        assert_eq!(made.code, 0, "{made:#?}");
    }
    let case = path("broken/first/hello/cases/default.toml");
    let text = std::fs::read_to_string(&case).expect("it was made");
    std::fs::write(&case, text.replace("Hello, you!", "Goodbye!")).expect("written");
    home
}

/// Runs a command with `--json`, and gives its exit code and its one object.
fn ask(home: &Path, arguments: &[&str]) -> (i32, Value) {
    let run = run_in(home, &[arguments, &["--json"]].concat(), b"", &[]);
    (run.code, object(&run, &run.stdout))
}

/// The one object of a text.
fn object(run: &Run, text: &str) -> Value {
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "one line: {run:#?}");
    let object: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {run:#?}"));
    let first = object.as_object().and_then(|object| object.keys().next());
    assert_eq!(first.map(String::as_str), Some("outcome"), "{run:#?}");
    object
}

/// A port of this machine that is in use for as long as the listener lives.
fn taken() -> (TcpListener, String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    (listener, address.to_string(), address.port().to_string())
}

#[test]
fn every_command_that_works_prints_one_object() {
    let home = home();
    for arguments in [
        &["run-intent", "list errors"][..],
        &["run-intent", "list errors", "--explain"],
        &["run-intent"],
        &["exec", "a.py"],
        &["templates", "list"],
        &["templates", "show", "sentry/list_errors"],
        &["templates", "render", "sentry/list_errors"],
        &["templates", "check", "--templates", "mine"],
        &["templates", "check", "--phrases", "--templates", "mine"],
        &["templates", "try", "a.py"],
        &["templates", "new", "first/second", "--templates", "mine"],
        &["policy", "check"],
        &["policy", "explain", "GET", "sentry:/api/0/"],
        &["init", "box"],
        &["doctor"],
        &["stats"],
        &["demo-logs", "logs", "--mib", "1"],
        &["completions", "bash"],
        &["man"],
    ] {
        let (code, object) = ask(home.path(), arguments);
        assert_eq!((code, &object["outcome"], &object["error"]), (0, &json!("ok"), &Value::Null), "{arguments:?}");
    }
}

#[test]
fn every_command_that_fails_prints_one_object() {
    let home = home();
    let (_listener, address, port) = taken();
    for (arguments, code, outcome) in [
        (&["run-intent", ""][..], 2, "param_invalid"),
        (&["run-intent", "list", "errors"], 2, "usage"),
        (&["list errors"], 2, "usage"),
        (&["run-intent", "list errors", "--config", "none.toml"], 2, "configuration"),
        (&["run-intent", "list errors", "--param", "limit=0"], 2, "param_invalid"),
        (&["exec", "none.py"], 2, "usage"),
        (&["exec", "a.py", "--nonsense"], 2, "usage"),
        (&["exec", "a.py", "--limit", "fuel=1"], 2, "param_invalid"),
        (&["templates"], 2, "usage"),
        (&["templates", "list", "--templates", "none"], 2, "configuration"),
        (&["templates", "show", "no/such"], 2, "usage"),
        (&["templates", "render", "sentry/list_errors", "--param", "limit=0"], 2, "usage"),
        (&["templates", "check", "--templates", "broken"], 1, "check"),
        (&["templates", "check", "--phrases", "--write"], 2, "usage"),
        (&["templates", "try", "none"], 2, "usage"),
        (&["templates", "new", "first/hello", "--templates", "mine"], 2, "usage"),
        (&["templates", "new", "first/hello"], 2, "usage"),
        (&["policy", "check", "--policy", "fault.toml"], 1, "check"),
        (&["policy", "explain", "GET"], 2, "usage"),
        (&["policy", "explain", "GET", "sentry:/", "--for", "no/such"], 2, "usage"),
        (&["policy", "explain", "PUT", "sentry:/x"], 3, "capability_denied"),
        (&["init", "a.py"], 7, "unavailable"),
        (&["doctor", "--policy", "fault.toml"], 1, "check"),
        (&["stats", "--since", "soon"], 2, "usage"),
        (&["stats", "--state", "a.py"], 7, "unavailable"),
        (&["mcp", "--http", "0.0.0.0:0"], 2, "usage"),
        (&["mcp", "--http", "127.0.0.1:0", "--token-file", "none"], 2, "configuration"),
        (&["mcp", "--http", address.as_str(), "--require-hardening=false"], 7, "unavailable"),
        (&["demo-tracker", "--port", port.as_str()], 7, "unavailable"),
        (&["demo-logs", "a.py"], 7, "unavailable"),
        (&["demo-logs", "logs", "--mib", "16385"], 2, "usage"),
        (&["completions", "none"], 2, "usage"),
        (&["man", "none"], 2, "usage"),
        (&["xyz"], 2, "usage"),
    ] {
        let (exit, object) = ask(home.path(), arguments);
        assert_eq!((exit, &object["outcome"]), (code, &json!(outcome)), "{arguments:?}: {object:#}");
        let error = &object["error"];
        assert!(error["kind"].is_string() && error["message"].is_string(), "{arguments:?}: {object:#}");
    }
}

#[test]
fn short_objects_are_these() {
    let home = home();
    let new = ["template.toml", "script.py.j2", "cases/default.toml", "cases/default.py"];
    let fault = "[packs.nonsense]: there is no such pack";
    for (arguments, expected) in [
        (&["policy", "check"][..], json!({"outcome": "ok", "policy": null, "faults": []})),
        (
            &["policy", "check", "--policy", "fault.toml"],
            json!({
                "outcome": "check",
                "error": {"kind": "check", "message": "1 fault in the policy"},
                "policy": "fault.toml",
                "faults": [fault],
            }),
        ),
        (
            &["policy", "explain", "GET", "sentry:/api/0/"],
            json!({
                "outcome": "ok",
                "permitted_by": ["sentry: GET,HEAD /** under [exec]"],
                "request": "GET sentry:/api/0/",
            }),
        ),
        (
            &["policy", "explain", "PUT", "sentry:/x"],
            json!({"outcome": "capability_denied", "error": {
                "kind": "policy",
                "message": "PUT sentry:/x was refused: the run is granted `sentry: GET,HEAD /**`",
                "hint": "add \"sentry: PUT /x\" to http under [exec] in policy.toml",
            }}),
        ),
        (
            &["templates", "new", "first/second", "--templates", "mine"],
            json!({
                "outcome": "ok",
                "id": "first/second",
                "files": new.map(|file| format!("mine/first/second/{file}")),
            }),
        ),
        (
            &["templates", "check", "first/hello", "--templates", "mine"],
            json!({
                "outcome": "ok",
                "cases": 1,
                "failed": 0,
                "templates": [{"id": "first/hello", "cases": 1, "failed": [], "written": 0}],
            }),
        ),
        (&["init", "box"], json!({"outcome": "ok", "files": ["box/config.toml", "box/policy.toml"]})),
        (
            &["init", "box"],
            json!({"outcome": "usage", "error": {
                "kind": "usage",
                "message": "box/config.toml exists already; nothing was written",
                "hint": "name another directory, or remove the file",
            }}),
        ),
        (
            &["xyz"],
            json!({"outcome": "usage", "error": {
                "kind": "usage",
                "message": "unrecognized subcommand 'xyz'",
                "hint": "run `intentbox --help`",
            }}),
        ),
    ] {
        assert_eq!(ask(home.path(), arguments).1, expected, "{arguments:?}");
    }
}

/// The words of an intent are for whoever typed it, and for nobody who reads a log.
#[test]
fn words_that_were_not_understood_are_in_the_answer_and_in_no_log() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["run-intent", "knit all errors of zebras", "--log", "debug", "--json"];
    let run = run_in(home.path(), &arguments, b"", &[]);
    let error = run.report()["error"].clone();
    assert_eq!((run.code, &error["not_understood"]), (6, &json!(["knit", "zebras"])), "{run:#?}");
    assert!(run.stderr.contains("ended"), "the request is logged: {run:#?}");
    for word in ["knit", "zebra"] {
        assert!(!run.stderr.contains(word), "{word}: {run:#?}");
    }
}

#[test]
fn the_nearest_sentence_of_a_refusal_is_answered() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (intent, near_names) in [
        ("knit all errors", Value::Null),
        ("knit the errors in project web", Value::Null),
        ("errors in wbe", json!([{"parameter": "project", "written": "wbe", "name": "web"}])),
    ] {
        let (code, object) = ask(home.path(), &["run-intent", intent]);
        assert_eq!((code, &object["error"]["near_names"]), (6, &near_names), "{intent}: {object:#}");
        let nearest = object["error"]["nearest"].as_str().unwrap_or_default();
        let told = run_in(home.path(), &["run-intent", intent], b"", &[]).stderr;
        let hint = format!("for example: intentbox run-intent \"{nearest}\"");
        assert!(!nearest.is_empty() && told.contains(&hint), "{intent}: {told}");
        let (code, object) = ask(home.path(), &["run-intent", nearest]);
        assert_eq!((code, &object["outcome"]), (0, &json!("ok")), "{intent}: {nearest}: {object:#}");
    }
}

/// A word before "log" is a name, and no filler: the answer for all logs would be another one.
#[test]
fn a_file_that_is_not_there_is_told_and_not_passed_over() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(home.path().join("in")).expect("made");
    for file in ["api.log", "web.log"] {
        std::fs::write(home.path().join("in").join(file), "2026-11-20T09:00:01Z ERROR one\n").expect("written");
    }
    let logs = ["--dir", "logs=in"];
    let none = "no template fits this intent: no file is called \"nginx\" (there are api.log, web.log)";
    for (intent, code, message) in [
        ("show me the last 20 lines of the nginx log", 6, none),
        ("show me the last 20 lines of the web log", 0, ""),
        ("errors in the nginx service", 6, none),
        ("errors in the api service", 0, ""),
    ] {
        let (found, object) = ask(home.path(), &[&["run-intent", intent], &logs[..]].concat());
        let told = object["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((found, told), (code, message), "{intent}: {object:#}");
    }
}

/// Whoever sends what is offered should know which of the names it leaves out.
#[test]
fn what_is_offered_tells_the_names_that_it_does_not_take() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (code, object) = ask(home.path(), &["run-intent", "top 10 crashes in web and worker"]);
    assert_eq!(code, 6, "{object:#}");
    let offered = &object["route"]["candidates"][0];
    assert_eq!(
        (&offered["params"]["project"], &offered["passes_over"]),
        (&json!("web"), &json!(["worker"])),
        "{object:#}"
    );
}

#[test]
fn a_change_that_no_template_makes_is_said_to_be_one() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("policy.toml"), "[exec]\nhttp = [\"sentry: PUT /api/0/**\"]\n").expect("written");
    let policy = ["--policy", "policy.toml"];
    for (more, hint) in
        [(&[][..], "the policy lets scripts only read"), (&policy, "write a script for `intentbox exec`")]
    {
        let (code, object) = ask(home.path(), &[&["run-intent", "please delete all issues in web"], more].concat());
        let error = &object["error"];
        assert_eq!((code, &error["message"]), (6, &json!("no template makes the change that \"delete\" asks for")));
        assert!(error["hint"].as_str().is_some_and(|told| told.contains(hint)), "{error}");
        assert_eq!(object["route"]["candidates"], Value::Null, "nothing that only reads is offered for it: {object:#}");
    }
    let (code, object) = ask(home.path(), &["run-intent", "mark all issues in web as resolved"]);
    let offered = object["route"]["candidates"].as_array().expect("candidates");
    let offered: Vec<&Value> = offered.iter().map(|one| &one["template"]).collect();
    assert_eq!((code, offered), (6, vec![&json!("sentry/resolve_issue")]), "{object:#}");
}

#[test]
fn a_name_that_is_nearly_one_is_read_as_that_and_the_answer_says_so() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (intent, mended, line) in [
        (
            "list errors in project chekout",
            json!([{"said": "chekout", "meant": "checkout"}]),
            "read: chekout as checkout\n",
        ),
        ("errors in prod", json!([{"said": "prod", "meant": "production"}]), "read: prod as production\n"),
        ("errors in checkout", Value::Null, ""),
    ] {
        let (code, object) = ask(home.path(), &["run-intent", intent]);
        assert_eq!((code, &object["route"]["mended"]), (0, &mended), "{intent}: {object:#}");
        let told = run_in(home.path(), &["run-intent", intent], b"", &[]).stderr;
        assert!(told.contains(line) && told.contains("read: ") != line.is_empty(), "{intent}: {told}");
    }
}

#[test]
fn an_answer_says_which_word_it_passed_over_that_may_narrow_the_question() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (intent, passed_over, line) in [
        ("retrieve the full details of sentry issue CHECKOUT-1T", json!(["full"]), "passed over: full\n"),
        ("retrieve the details of sentry issue CHECKOUT-1T", Value::Null, ""),
    ] {
        let (code, object) = ask(home.path(), &["run-intent", intent]);
        assert_eq!((code, &object["route"]["passed_over"]), (0, &passed_over), "{intent}: {object:#}");
        let told = run_in(home.path(), &["run-intent", intent], b"", &[]).stderr;
        assert!(told.contains(line) && told.contains("passed over") != line.is_empty(), "{intent}: {told}");
    }
}

#[test]
fn a_text_of_a_cell_and_an_amount_need_no_name_of_a_column() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("tables");
    std::fs::create_dir(&folder).expect("a folder");
    let rows = "order_id,customer,status,amount,ordered_at\n1,Acme Ltd,paid,10.5,2026-01-02\n2,Globex,refunded,1500,2026-02-03\n\
                3,Acme Ltd,refunded,20,2026-02-04\n";
    std::fs::write(folder.join("orders.csv"), rows).expect("it can be written");
    let alias = format!("data={}", folder.display());
    for (intent, arguments) in [
        ("refunded orders", json!({"file": "orders.csv", "column": "status", "equals": "refunded"})),
        ("orders of customer Acme Ltd", json!({"file": "orders.csv", "column": "customer", "equals": "Acme Ltd"})),
        ("orders over 1000", json!({"file": "orders.csv", "column": "amount", "above": "1000"})),
        (
            "how many orders were refunded",
            json!({"file": "orders.csv", "count": "rows", "column": "status", "equals": "refunded"}),
        ),
        (
            "total amount by customer and month in orders",
            json!({"file": "orders.csv", "sum": "amount", "by": ["customer", "month"]}),
        ),
    ] {
        let (code, object) = ask(home.path(), &["run-intent", intent, "--dir", &alias]);
        let given = object["route"]["arguments"].as_object().cloned().unwrap_or_default();
        let given: Value = given.into_iter().filter(|(name, value)| !value.is_null() && name != "limit").collect();
        assert_eq!((code, &given), (0, &arguments), "{intent}: {object:#}");
    }
}

/// A folder with tables of which each has columns of its own, but for `name`.
fn tables(home: &Path) -> String {
    let folder = home.join("tables");
    std::fs::create_dir(&folder).expect("a folder");
    for (file, text) in [
        ("employees.csv", "name,department,Salary (EUR)\nAnna,IT,5000\nBob,HR,4000\nCid,IT,5500\n"),
        (
            "orders.csv",
            "order_id,status,country,amount,ordered_at\n1,refunded,Japan,250,2026-11-01\n\
            2,paid,Norway,300,2026-11-02\n3,refunded,Japan,120,2026-11-20\n4,refunded,Norway,900,2026-11-21\n",
        ),
        ("products.csv", "sku,name,price\nA1,Desk,100\nA2,Lamp,20\n"),
        ("notes.txt", "no table\n"),
    ] {
        std::fs::write(folder.join(file), text).expect("written");
    }
    format!("data={}", folder.display())
}

#[test]
fn a_file_that_is_not_named_is_the_one_with_the_columns_that_are() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let directory = tables(home.path());
    for (intent, file, line) in [
        (
            "average salary by department",
            "employees.csv",
            "file: employees.csv, the only one with Salary (EUR), department\n",
        ),
        ("highest price", "products.csv", "file: products.csv, the only one with price\n"),
        // What "refunded" means is in the file that nobody named.
        ("total refunded amount", "orders.csv", "file: orders.csv, the only one with "),
    ] {
        let (code, object) = ask(home.path(), &["--dir", &directory, "run-intent", intent]);
        assert_eq!((code, &object["route"]["inferred"][0]["value"]), (0, &json!(file)), "{intent}: {object:#}");
        let told = run_in(home.path(), &["--dir", &directory, "run-intent", intent], b"", &[]).stderr;
        assert!(told.contains(line), "{intent}: {told}");
    }
    // Two files have names, and a column that no file has is in none.
    for (intent, names) in [
        ("most common name", "employees.csv, products.csv"),
        ("average wage by planet", "employees.csv, notes.txt, orders.csv, products.csv"),
    ] {
        let (code, object) = ask(home.path(), &["--dir", &directory, "run-intent", intent]);
        let told = object["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 6 && told.ends_with(&format!("; there are {names}")), "{intent}: {code} {object:#}");
    }
}

#[test]
fn a_word_that_is_in_no_file_is_answered_from_none() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let directory = tables(home.path());
    for intent in ["total shipped amount", "how many employees are managers", "average price of sofas"] {
        let (code, object) = ask(home.path(), &["--dir", &directory, "run-intent", intent]);
        assert_eq!((code, &object["outcome"]), (6, &json!("not_found")), "{intent}: {object:#}");
    }
}

#[test]
fn two_conditions_in_words_are_both_applied() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let directory = tables(home.path());
    for (intent, path, expected) in [
        ("refunded orders over 200", "/result/matching", json!(2)),
        ("orders where status is refunded and country is Japan", "/result/matching", json!(2)),
        ("how many refunded orders over 200", "/result/groups/0/rows", json!(2)),
        ("total amount of refunded orders in Japan", "/result/groups/0/sum", json!(370)),
    ] {
        let (code, object) = ask(home.path(), &["--dir", &directory, "run-intent", intent]);
        assert_eq!((code, object.pointer(path)), (0, Some(&expected)), "{intent}: {object:#}");
    }
    // Nobody was shipped anything: the amounts of all orders would be another answer.
    let (code, object) =
        ask(home.path(), &["--dir", &directory, "run-intent", "total order amount per country, only shipped orders"]);
    assert_eq!((code, &object["outcome"]), (6, &json!("not_found")), "{object:#}");
}

#[test]
fn help_lists_the_templates_that_can_be_used_here_and_no_others() {
    let home = home();
    let templates = |arguments: &[&str]| -> Vec<String> {
        let (code, object) = ask(home.path(), arguments);
        assert_eq!(code, 0, "{object:#}");
        let rows = object["result"].as_array().expect("rows").iter();
        rows.map(|row| row["template"].as_str().expect("an id").to_owned()).collect()
    };
    let (_, listed) = ask(home.path(), &["templates", "list"]);
    let rows = listed["templates"].as_array().expect("rows").iter().filter(|row| row["usable"] == json!(true));
    let usable: Vec<String> = rows.map(|row| row["id"].as_str().expect("an id").to_owned()).collect();
    assert!(usable.len() > 5 && usable.iter().all(|id| id.starts_with("sentry/")), "{usable:?}");
    for arguments in [&["run-intent"][..], &["run-intent", "help"], &["run-intent", "What can you do?"]] {
        assert_eq!(templates(arguments), usable, "{arguments:?}");
    }
    let logs = templates(&["run-intent", "help", "--dir", "logs=."]);
    assert!(logs.len() > 3 && logs.iter().all(|id| id.starts_with("logs/")), "{logs:?}");
    let text = run_in(home.path(), &["run-intent", "help"], b"", &[]).stdout;
    assert!(text.contains(" sentry/list_errors        list errors         Lists unresolved issues"), "{text}");
}

#[test]
fn an_object_says_what_the_text_says() {
    let home = home();
    let text = |arguments: &[&str]| run_in(home.path(), arguments, b"", &[]).stdout;
    for (arguments, field) in [
        (&["templates", "render", "first/hello", "--templates", "mine"][..], "script"),
        (&["completions", "zsh"], "script"),
        (&["man"], "manual"),
    ] {
        let (_, object) = ask(home.path(), arguments);
        assert_eq!(object[field], text(arguments), "{arguments:?}");
    }
    let (_, listed) = ask(home.path(), &["templates", "list"]);
    let ids = listed["templates"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id"));
    let lines = text(&["templates", "list"]);
    assert_eq!(ids.collect::<Vec<_>>(), lines.lines().filter_map(|line| line.split(' ').next()).collect::<Vec<_>>());

    let (_, checked) = ask(home.path(), &["doctor", "--policy", "fault.toml"]);
    let faults = checked["checks"].as_array().expect("rows").iter().filter(|row| row["status"] == "fault");
    let faults: Vec<_> = faults.map(|row| (row["name"].clone(), row["state"].clone())).collect();
    assert_eq!(faults, [(json!("policy"), json!("WRONG: [packs.nonsense]: there is no such pack"))]);
    let line = format!("{:<22} WRONG: [packs.nonsense]: there is no such pack\n", "policy");
    assert!(text(&["doctor", "--policy", "fault.toml"]).contains(&line));
}

#[test]
fn help_and_the_version_stay_text() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for (arguments, start) in [(&["--help", "--json"][..], "Answers intents"), (&["--version"], "intentbox ")] {
        let run = run_in(home.path(), arguments, b"", &[]);
        assert!(run.code == 0 && run.stdout.starts_with(start) && run.stderr.is_empty(), "{run:#?}");
    }
}

#[test]
fn a_server_prints_its_object_when_it_is_ready() {
    for (arguments, field, start) in [
        (&["demo-tracker", "--json"][..], "base_url", "http://127.0.0.1:"),
        (&["mcp", "--http", "127.0.0.1:0", "--json"], "url", "http://127.0.0.1:"),
    ] {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
        command.args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let mut line = String::new();
        let read = BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line);
        child.kill().and_then(|()| child.wait()).expect("it is our child");
        read.expect("it is text");
        let object: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(object["outcome"], "ok", "{object}");
        assert!(object[field].as_str().is_some_and(|url| url.starts_with(start)), "{object}");
    }
}

#[test]
fn a_failure_of_the_server_on_pipes_is_an_object_on_stderr() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let run = run_in(home.path(), &["mcp", "--config", "none.toml", "--json"], b"", &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "stdout is the protocol's: {run:#?}");
    let message = "none.toml cannot be opened: No such file or directory (os error 2)";
    let expected = json!({"outcome": "configuration", "error": {"kind": "configuration", "message": message}});
    assert_eq!(object(&run, &run.stderr), expected);
}

#[test]
fn a_template_that_is_named_reads_no_value_from_its_name() {
    let home = tempfile::tempdir().expect("a folder");
    let named = ["run-intent", "sentry/search_issues", "--param", "status=unresolved", "--param", "limit=3"];
    let (code, report) = ask(home.path(), &named);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["route"]["arguments"]["query"], Value::Null);
    assert_eq!(report["result"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_script_that_read_one_page_is_told_that_there_are_more() {
    let home = tempfile::tempdir().expect("a folder");
    let list = "sentry:/api/0/organizations/demo/issues/?query=is:unresolved&statsPeriod=90d";
    let first = format!("len(http.get('{list}').json())");
    let all = format!(
        "url, rows = '{list}', []\nwhile url:\n    reply = http.get(url)\n    rows += reply.json()\n    \
         link = reply.links.get('next', {{}})\n    url = link['url'] if link.get('results') == 'true' else None\nresult = len(rows)"
    );
    let exec = |script: &str| {
        std::fs::write(home.path().join("script.py"), script).expect("written");
        ask(home.path(), &["exec", "script.py"]).1
    };
    let (first, all) = (exec(&first), exec(&all));
    assert_eq!(first["unread"]["request"], "sentry:/api/0/organizations/demo/issues/", "{first}");
    assert_eq!(first["unread"]["of"], all["result"], "{all}");
    assert_eq!(all["unread"], Value::Null);
    let script = run_in(home.path(), &["exec", "script.py"], b"", &[]);
    assert!(!script.stderr.contains("more pages"), "{}", script.stderr);
}
