//! What is noted of calls: in reports, about the shape of answers, and for the search.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::intents::{asked, called, intent, shop};
use super::scripts::{exec, permitted};
use super::search_path;
use crate::mcp::port::{ALICE, Server};

#[test]
fn a_report_lists_each_call_of_a_tool() {
    let upstream = permitted("none", &[], &["faulty: echo,add"]);
    let script = "tools.faulty.echo(text='a')\ntools.faulty.add(a=1, b=2)\nwait = tools.faulty.echo.start(text='a')\nwait.result()\n\
                  try:\n    tools.faulty.write(text='secret')\nexcept Exception:\n    pass\ntry:\n    tools.faulty.add(a=1)\n\
                  except Exception:\n    pass\ntools.faulty.echo.start(text='b')\nresult = 1";
    let report = exec(&upstream, script);
    let calls = report["calls"].as_array().unwrap_or_else(|| panic!("{report}"));
    let told: Vec<(&str, &str)> = calls
        .iter()
        .map(|call| (call["tool"].as_str().expect("a name"), call["outcome"].as_str().expect("a word")))
        .collect();
    assert_eq!(
        told[..5],
        [
            ("faulty: echo", "ok"),
            ("faulty: add", "ok"),
            ("faulty: echo", "ok"),
            ("faulty: write", "refused"),
            ("faulty: add", "arguments"),
        ]
    );
    // The last may have been answered before the script ended, or not.
    assert_eq!(told.len(), 6);
    let digest = |number: usize| calls[number]["arguments_digest"].as_str().expect("a digest");
    assert!(digest(0) == digest(2) && digest(0) != digest(1) && digest(0).len() == 16, "{report}");
    assert!(calls[0]["ms"].as_f64().expect("a time") > 0.0);
    assert!(!report.to_string().contains("secret"), "{report}");
}

#[test]
fn what_a_tool_answered_is_told_where_its_server_does_not_say() {
    let upstream = shop(&["shop: *"]);
    let describe = "result = tools.describe('shop', 'list_orders')";
    let described = |upstream: &_| exec(upstream, describe)["result"].clone();
    assert_eq!(described(&upstream)["seen"], Value::Null);
    assert_eq!(exec(&upstream, "tools.shop.list_orders(customer='acme', limit=3)")["outcome"], "ok");
    let seen = described(&upstream);
    let schema = json!({"type": "object", "properties": {
        "arguments": {"type": "object", "properties": {"customer": {"type": "string"}, "limit": {"type": "integer"}}},
        "tool": {"type": "string"},
    }});
    assert_eq!(seen["seen"], schema, "{seen}");
    let ending = "-> str: ...  # Lists the orders of a customer. | JSON, so far {\"arguments\": {\"customer\": str, \"limit\": int}, \
                  \"tool\": str}";
    assert!(seen["stub"].as_str().expect("a stub").ends_with(ending), "{seen}");
    let shown = upstream.run(&["tools", "show", "shop", "list_orders"]).stdout;
    assert!(shown.contains("answers so far, JSON as text") && !shown.contains("acme"), "{shown}");
}

#[test]
fn words_for_which_a_person_chose_a_tool_are_learned() {
    let upstream = shop(&["shop: *"]);
    let text = "purchases by customer acme";
    let trust = |upstream: &_| {
        let explained = asked(upstream, &["run-intent", "--explain", text]);
        explained["tools"]["trust"].as_f64().expect("a trust")
    };
    let before = trust(&upstream);
    let chosen = ["run-intent", text, "--template", "shop/list_orders", "--param", "customer=acme"];
    for _ in 0..2 {
        assert_eq!(asked(&upstream, &[&["--without", "learning"], &chosen[..]].concat())["outcome"], "ok");
    }
    let used = trust(&upstream);
    assert!((used - before).abs() < 0.1, "learning was switched off: {before} {used}");
    for _ in 0..2 {
        assert_eq!(asked(&upstream, &chosen)["outcome"], "ok");
    }
    let after = trust(&upstream);
    assert!(after > used + 0.1, "{before} {used} {after}");
}

#[test]
fn nothing_is_learned_of_what_clients_with_tokens_choose() {
    let upstream = shop(&["shop: *"]);
    let text = "purchases by customer acme";
    let trust = || {
        let explained = asked(&upstream, &["run-intent", "--explain", text]);
        explained["tools"]["trust"].as_f64().expect("a trust")
    };
    let request = json!({"intent": text, "template": "shop/list_orders", "params": {"customer": "acme"}}).to_string();
    let choose = |arguments: &[&str], headers: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_intentbox"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--require-hardening=false", "--config", "config.toml"]);
        command.args(["--servers", "servers.json"]).args(arguments).current_dir(upstream.path(""));
        command.env_clear().env("HOME", upstream.path("")).env("PATH", search_path()).stderr(Stdio::piped());
        let child = command.spawn().expect("the binary starts");
        let server = Server::of(child, tempfile::tempdir().expect("a folder"));
        for _ in 0..2 {
            let reply = server.raw(&server.line("POST /v1/run", headers, &request));
            assert!(reply.status == 200 && reply.body.contains("\"outcome\":\"ok\""), "{reply:?}");
        }
    };
    std::fs::write(upstream.path("tokens"), format!("alice {ALICE}\n")).expect("it can be written");
    std::fs::set_permissions(upstream.path("tokens"), Permissions::from_mode(0o600)).expect("it is ours");
    choose(&["--token-file", "tokens"], &[("authorization", &format!("Bearer {ALICE}"))]);
    let of_a_client = trust();
    choose(&[], &[]);
    let of_a_person = trust();
    assert!(of_a_person > of_a_client + 0.1, "{of_a_client} {of_a_person}");
}

#[test]
fn what_is_switched_off_is_shown_in_reports() {
    let upstream = shop(&["shop: *"]);
    let text = "list the orders of customer acme";
    let report = intent(&upstream, text);
    assert_eq!((&report["route"]["mode"], &report["route"]["without"]), (&json!("hybrid"), &Value::Null), "{report}");
    let report = asked(&upstream, &["run-intent", text, "--without", "fallback", "--without", "learning"]);
    let expected = (&json!("hybrid"), &json!(["fallback", "learning"]));
    assert_eq!((&report["route"]["mode"], &report["route"]["without"]), expected, "{report}");
    assert_eq!(report["outcome"], "not_found");
    let report = asked(&upstream, &["run-intent", text, "--without", "templates"]);
    assert_eq!((&report["route"]["mode"], &called(&report)["tool"]), (&json!("mcp_only"), &json!("list_orders")));
    let refused = upstream.run(&["run-intent", text, "--without", "walls"]);
    assert!(refused.stderr.contains("write templates, fallback, discovery or learning"), "{}", refused.stderr);
}

#[test]
fn without_discovery_nothing_is_started_behind_a_command() {
    let upstream = super::Upstream::with("none", &[]);
    let listed = upstream.object(&["--without", "discovery", "tools", "list"]);
    assert_eq!(listed["servers"][0]["status"], "never", "{listed}");
    assert_eq!(upstream.refresh().0, "success", "by hand it can be");
}

#[test]
fn a_tool_is_listed_with_what_it_is_about_and_how_much_it_needs() {
    let upstream = shop(&["shop: *"]);
    let listed = upstream.object(&["tools", "list"]);
    let told: Vec<(&Value, &Value, &Value)> = listed["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| (&tool["name"], &tool["category"], &tool["complexity"]))
        .collect();
    let row = |name: &str| told.iter().find(|tool| tool.0 == name).copied();
    assert_eq!(row("list_orders"), Some((&json!("list_orders"), &json!("order"), &json!("simple"))), "{listed}");
    assert_eq!(row("change_address"), Some((&json!("change_address"), &json!("other"), &json!("complex"))));
    let found = asked(&upstream, &["tools", "search", "orders of a customer"]);
    assert_eq!((&found["entries"][0]["kind"], &found["entries"][0]["category"]), (&json!("tool"), &json!("order")));
}

#[test]
fn a_template_may_want_tools_and_its_case_tells_what_they_answer() {
    let upstream = shop(&["shop: *"]);
    let folder = upstream.path("mine/shop/late_orders");
    std::fs::create_dir_all(folder.join("cases")).expect("made");
    let write = |path: std::path::PathBuf, text: &str| std::fs::write(path, text).expect("written");
    write(upstream.path("mine/shop/pack.toml"), "summary = \"A shop.\"\nabout = [\"shop\"]\n");
    let manifest = "summary = \"Counts the late orders of a customer.\"\nphrases = [\"late orders of <customer>\"]\n\
                    effects = \"read\"\ntools = [\"shop: list_orders\"]\n\n[params.customer]\ntype = \"string\"\n\
                    description = \"Its name.\"\n";
    write(folder.join("template.toml"), manifest);
    let script = "import json\nfrom intentbox import tools\n\nsaid = json.loads(tools.shop.list_orders(customer={{ customer | py }}, \
                  status=\"late\"))\nresult = said[\"arguments\"][\"customer\"]\n";
    write(folder.join("script.py.j2"), script);
    let case = "[arguments]\ncustomer = \"acme\"\n\n[[tools]]\ntool = \"shop: list_orders\"\n\
                arguments = '{\"customer\": \"acme\", \"status\": \"late\"}'\nresult = '\"{\\\"arguments\\\": {\\\"customer\\\": \\\"x\\\"}}\"'\n\n\
                [outcome]\nkind = \"ok\"\nresult = '\"x\"'\n";
    write(folder.join("cases/default.toml"), case);
    let checked = upstream.run(&["templates", "check", "--write", "--templates", "mine"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    write(folder.join("cases/default.toml"), &case.replace("\"late\"}'", "\"paid\"}'"));
    let checked = upstream.run(&["templates", "check", "--templates", "mine"]);
    assert_ne!(checked.code, 0);
    let told = format!("{}{}", checked.stdout, checked.stderr);
    assert!(told.contains("the case expects shop: list_orders with"), "{told}");
    write(upstream.path("policy.toml"), "[packs.shop]\ntools = [\"shop: list_orders\"]\n");
    let chosen = ["run-intent", "late orders", "--template", "shop/late_orders", "--param", "customer=acme"];
    let report = asked(&upstream, &[&chosen[..], &["--templates", "mine"]].concat());
    assert_eq!((&report["outcome"], &report["result"]), (&json!("ok"), &json!("acme")), "{report}");
    assert_eq!(report["calls"][0]["tool"], "shop: list_orders");
}
