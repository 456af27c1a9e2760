//! Intents that no template answers: the tool that does, and an honest no where none does.

use serde_json::{Value, json};

use super::{LATE, Upstream, program};
use crate::product::Run;

/// The tools of a shop, discovered, with these rules for scripts and intents.
pub(super) fn shop(rules: &[&str]) -> Upstream {
    let upstream = Upstream::of(&json!({"shop": {
        "command": "python3", "args": [program(), "shop"], "intentbox": {"discovery_s": LATE, "call_s": LATE},
    }}));
    std::fs::write(upstream.path("policy.toml"), format!("[exec]\ntools = {}\n", json!(rules))).expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    assert_eq!(upstream.run(&["tools", "refresh"]).code, 0);
    upstream
}

pub(super) fn asked(upstream: &Upstream, arguments: &[&str]) -> Value {
    upstream.object(&[&["--config", "config.toml"][..], arguments].concat())
}

pub(super) fn intent(upstream: &Upstream, text: &str) -> Value {
    asked(upstream, &["run-intent", text])
}

/// The arguments with which the tool was called.
pub(super) fn called(report: &Value) -> Value {
    let said = report["result"].as_str().unwrap_or_else(|| panic!("{report}"));
    serde_json::from_str(said).expect("the tool says how it was called")
}

#[test]
fn what_no_template_answers_a_tool_does_with_values_from_the_words() {
    let upstream = shop(&["shop: *"]);
    let report = intent(&upstream, "list the last 3 orders of customer acme that are late");
    assert_eq!(
        called(&report),
        json!({"tool": "list_orders", "arguments": {"customer": "acme", "limit": 3, "status": "late"}}),
        "{report}"
    );
    assert_eq!(report["route"]["tool"], "shop: list_orders");
    assert_eq!(report["grant"], json!(["shop: read-only list_orders TOOL"]), "the run may call this tool and no other");
    assert_eq!(report["spent"]["tool_calls"], 1);
    // What a person sees says which tool was asked for what.
    let shown: Run = upstream.run(&["--config", "config.toml", "run-intent", "list the orders of customer acme"]);
    assert!(shown.stderr.contains("tool: shop: list_orders {\"customer\":\"acme\"}"), "{}", shown.stderr);
}

/// A server's text is a stranger's: one that describes itself in the words of a request is no better an answer.
#[test]
fn m09_a_server_that_sounds_like_the_request_takes_no_intent_of_another() {
    let entry = |fault: &str| {
        json!({
            "command": "python3", "args": [program(), fault], "intentbox": {"discovery_s": LATE, "call_s": LATE},
        })
    };
    let upstream = Upstream::of(&json!({"shop": entry("shop"), "other": entry("sounds-like")}));
    std::fs::write(upstream.path("policy.toml"), "[exec]\ntools = [\"shop: *\", \"other: *\"]\n").expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    assert_eq!(upstream.run(&["tools", "refresh"]).code, 0);
    let report = intent(&upstream, "list the orders of customer acme");
    assert_eq!(report["error"]["message"], "tools of two servers answer this intent", "{report}");
    let offered = report["route"]["candidates"].as_array().expect("a list");
    let offered: Vec<&str> = offered.iter().filter_map(|one| one["template"].as_str()).collect();
    assert_eq!(offered, ["other/list_all_orders", "shop/list_orders"], "{report}");
}

#[test]
fn what_is_missing_is_named_and_supplied() {
    let upstream = shop(&["shop: *"]);
    let report = intent(&upstream, "list orders of a customer");
    assert_eq!(report["outcome"], "missing_parameter", "{report}");
    assert_eq!(report["route"]["tool"], "shop: list_orders");
    let report = asked(&upstream, &["run-intent", "list orders of a customer", "--param", "customer=acme"]);
    assert_eq!(called(&report)["arguments"], json!({"customer": "acme"}));
    let report =
        asked(&upstream, &["run-intent", "shop: list_orders", "--param", "customer=acme", "--param", "limit=500"]);
    assert_eq!(report["outcome"], "param_invalid", "{report}");
}

#[test]
fn a_tool_that_may_change_something_needs_a_yes() {
    let upstream = shop(&["shop: *"]);
    let report = intent(&upstream, "cancel order 42");
    assert_eq!(
        (&report["outcome"], &report["error"]["kind"]),
        (&json!("capability_denied"), &json!("writes")),
        "{report}"
    );
    assert_eq!(report["error"]["hint"], "add --allow-writes to allow the change");
    let report = asked(&upstream, &["run-intent", "cancel order 42", "--allow-writes"]);
    assert_eq!(called(&report), json!({"tool": "cancel_order", "arguments": {"order_id": 42}}));
}

#[test]
fn the_policy_decides_about_intents_as_about_scripts() {
    let upstream = shop(&["shop: read-only"]);
    assert_eq!(called(&intent(&upstream, "list the orders of customer acme"))["tool"], "list_orders");
    let report = asked(&upstream, &["run-intent", "cancel order 42", "--allow-writes"]);
    assert_eq!(report["outcome"], "capability_denied");
    assert_eq!(report["error"]["hint"], "add \"shop: cancel_order\" to tools under [exec] in policy.toml");
    std::fs::write(upstream.path("script.py"), "tools.shop.cancel_order(order_id=1)").expect("written");
    let report = asked(&upstream, &["exec", "script.py"]);
    assert_eq!(report["outcome"], "capability_denied", "{report}");
    std::fs::write(upstream.path("script.py"), "tools.shop.list_orders(customer='a')").expect("written");
    assert_eq!(called(&asked(&upstream, &["exec", "script.py"]))["tool"], "list_orders");
    let explained = asked(&upstream, &["policy", "explain", "TOOL", "shop:cancel_order"]);
    assert_eq!(explained["outcome"], "capability_denied");
    let explained = asked(&upstream, &["policy", "explain", "TOOL", "shop:list_orders"]);
    assert_eq!(explained["permitted_by"], json!(["shop: read-only TOOL under [exec]"]));
}

#[test]
fn what_a_call_would_pass_over_is_no_answer() {
    let upstream = shop(&["shop: *"]);
    for (text, told) in [
        (
            "list the orders of customer acme by Bob",
            "the tool `shop: list_orders` may be meant, and none of its arguments was found for `Bob`",
        ),
        ("list yesterday's orders of customer acme", "was found for `yesterday`"),
        ("do not cancel order 42", "the tool `shop: cancel_order` may be meant, "),
        ("was order 42 cancelled", "which changes something, and this is a question"),
    ] {
        let report = asked(&upstream, &["run-intent", text, "--allow-writes"]);
        assert_eq!((&report["outcome"], &report["result"]), (&json!("not_found"), &Value::Null), "{text}: {report}");
        assert!(report["error"]["message"].as_str().expect("a message").contains(told), "{text}: {report}");
        let first = report["route"]["candidates"][0]["template"].as_str().expect("a candidate");
        assert!(
            report["error"]["message"].as_str().is_some_and(|told| told.contains(&first.replace('/', ": "))),
            "{text}: {report}"
        );
    }
    // Who names the tool says that the words only give values.
    let named = ["run-intent", "orders of customer acme by Bob", "--template", "shop/list_orders"];
    assert_eq!(called(&asked(&upstream, &named)), json!({"tool": "list_orders", "arguments": {"customer": "acme"}}));
}

#[test]
fn help_lists_the_tools_that_may_be_called() {
    let upstream = shop(&["shop: read-only"]);
    let listed = intent(&upstream, "help");
    let ids: Vec<&str> =
        listed["result"].as_array().expect("a list").iter().filter_map(|line| line["template"].as_str()).collect();
    assert_eq!(ids, ["shop/list_orders", "shop/list_receipts", "shop/meet"], "{listed}");
    assert_eq!(listed["result"][0]["say"], "list orders");
}

#[test]
fn what_no_tool_does_is_an_honest_no() {
    let upstream = shop(&["shop: *"]);
    for text in ["book a flight to lisbon", "what is the weather tomorrow", "bake bread"] {
        let report = intent(&upstream, text);
        assert_eq!(report["outcome"], "not_found", "{text}: {report}");
    }
    let found = asked(&upstream, &["tools", "search", "book a flight to lisbon"]);
    assert_eq!(found["fits"], false, "{found}");
    let found = asked(&upstream, &["tools", "search", "orders of a customer"]);
    assert_eq!((&found["fits"], &found["entries"][0]["tool"]), (&json!(true), &json!("list_orders")), "{found}");
}

#[test]
fn one_search_finds_tools_and_templates() {
    let upstream = shop(&["shop: *"]);
    let found = asked(&upstream, &["tools", "search", "unresolved errors"]);
    let template = json!({"kind": "template", "pack": "sentry", "template": "sentry/list_errors"});
    let best = &found["entries"][0];
    let of = |key: &str| best[key].clone();
    assert_eq!(json!({"kind": of("kind"), "pack": of("pack"), "template": of("template")}), template, "{found}");
    assert_eq!(json!([of("effect"), of("complexity"), of("category")]), json!(["reads", "simple", "sentry"]));
    let found = asked(&upstream, &["tools", "search", "cancel order"]);
    let best = &found["entries"][0];
    assert_eq!(json!([best["kind"], best["server"], best["tool"]]), json!(["tool", "shop", "cancel_order"]), "{found}");
    let shown = |arguments: &[&str]| upstream.run(&[&["tools", "search", "cancel order"], arguments].concat()).stdout;
    assert!(shown(&[]).starts_with("shop\n cancel_order(order_id) writes\n"), "{}", shown(&[]));
    assert!(shown(&["--long"]).contains("\n   Cancels an order"), "{}", shown(&["--long"]));
}

#[test]
fn what_words_cannot_say_is_told() {
    let upstream = shop(&["shop: *"]);
    let report = intent(&upstream, "change the address of a parcel");
    assert_eq!(report["outcome"], "not_found");
    assert_eq!(
        report["error"]["message"],
        "the tool `shop: change_address` fits, and needs what words cannot say: `address`"
    );
    assert!(report["error"]["hint"].as_str().expect("a hint").contains("intentbox tools call shop change_address"));
}

#[test]
fn this_folder_is_where_the_command_is_typed() {
    let upstream = shop(&["shop: *"]);
    let here = upstream.home.path().canonicalize().expect("it is there").display().to_string();
    let report = intent(&upstream, "list the receipts in this folder");
    assert_eq!(called(&report), json!({"tool": "list_receipts", "arguments": {"folder": here}}), "{report}");
    let report = intent(&upstream, "list the receipts in /srv/receipts");
    assert_eq!(called(&report)["arguments"], json!({"folder": "/srv/receipts"}), "{report}");
}

#[test]
fn a_mode_leaves_out_templates_or_tools() {
    let upstream = shop(&["shop: *"]);
    let text = "list the orders of customer acme";
    assert_eq!(asked(&upstream, &["--mode", "code_execution", "run-intent", text])["outcome"], "not_found");
    assert_eq!(called(&asked(&upstream, &["--mode", "mcp_only", "run-intent", text]))["tool"], "list_orders");
    std::fs::write(upstream.path("config.toml"), "[routing]\nfallback = false\n").expect("written");
    assert_eq!(intent(&upstream, text)["outcome"], "not_found");
    assert_eq!(called(&asked(&upstream, &["--mode", "mcp_only", "run-intent", text]))["tool"], "list_orders");
}

#[test]
fn an_explanation_shows_each_step() {
    let upstream = shop(&["shop: *"]);
    let explained = asked(&upstream, &["run-intent", "--explain", "list the last 3 orders of customer acme"]);
    let tools = &explained["tools"];
    assert_eq!((&tools["searched"], &tools["verdict"]), (&json!(5), &json!("one")), "{explained}");
    assert_eq!(tools["best"][0]["tool"], "list_orders");
    assert_eq!(tools["values"], json!({"customer": "acme", "limit": 3}));
    let shown =
        upstream.run(&["--config", "config.toml", "run-intent", "--explain", "list the orders of customer acme"]);
    assert!(shown.stdout.contains("tools: one of 5 fits, trust "), "{}", shown.stdout);
    assert_eq!(explained["run_id"], Value::Null, "nothing ran");
}

#[test]
fn calls_that_were_started_go_on_at_once() {
    let upstream = shop(&["shop: meet"]);
    // The tool answers nobody before three have called.
    for script in [
        "result = tools.gather(*[tools.shop.meet.start(name=name) for name in 'abc'])",
        "import asyncio\nasync def all():\n    return await asyncio.gather(*[tools.shop.meet.start(name=name) for name in 'abc'])\nresult = asyncio.run(all())",
        "import tools as t\ncalls = [t.shop.meet.start(name=name) for name in 'abc']\nresult = [call.result() for call in calls]",
    ] {
        std::fs::write(upstream.path("script.py"), script).expect("written");
        let report = asked(&upstream, &["exec", "script.py"]);
        assert_eq!(report["result"], json!(["a", "b", "c"]), "{report}");
        assert_eq!(report["spent"]["tool_calls"], 3);
    }
    let script = "try:\n    for n in range(100):\n        tools.shop.meet.start({'name': 5} if n > 99 else {})\nexcept Exception as error:\n    result = [n, error.kind]";
    std::fs::write(upstream.path("script.py"), script).expect("written");
    let report = asked(&upstream, &["exec", "script.py"]);
    assert_eq!(report["result"], json!([64, "too_many"]), "{report}");
    std::fs::write(upstream.path("script.py"), "tools.shop.list_orders.start(customer='a')").expect("written");
    assert_eq!(asked(&upstream, &["exec", "script.py"])["outcome"], "capability_denied");
}

#[test]
fn a_script_searches_and_describes_what_it_may_call() {
    let upstream = shop(&["shop: list_orders"]);
    let script = "result = [tools.search('orders of a customer'), tools.search('book a flight'), tools.describe('shop', 'list_orders')['stub']]";
    std::fs::write(upstream.path("script.py"), script).expect("written");
    let report = asked(&upstream, &["exec", "script.py"]);
    let found = json!([{"server": "shop", "tool": "list_orders", "summary": "Lists the orders of a customer.",
                        "arguments": ["customer", "limit", "status"], "required": 1, "effect": "reads",
                        "call": "tools[\"shop\"][\"list_orders\"](customer=…)"}]);
    let stub = "def tools.shop.list_orders(*, customer: str, limit: int = ..., \
                status: Literal[\"open\", \"late\", \"paid\"] = ...) -> Any: ...  # Lists the orders of a customer.";
    assert_eq!(report["result"], json!([found, [], stub]), "{report}");
    std::fs::write(upstream.path("script.py"), "tools.describe('shop', 'cancel_order')").expect("written");
    assert_eq!(asked(&upstream, &["exec", "script.py"])["outcome"], "capability_denied");
    let shown = upstream.run(&["tools", "show", "shop", "list_orders", "--stub"]);
    assert_eq!(shown.stdout, format!("{stub}\n"));
}

#[test]
fn adding_a_server_gives_intents_what_only_reads() {
    let upstream = Upstream::of(&json!({}));
    let program = program().display().to_string();
    let added = upstream.run_with(&["tools", "add", "shop", "--", "python3", &program, "shop"], b"");
    assert_eq!(added.code, 0, "{}", added.stderr);
    let rule = "policy.toml: tools = [\"shop: read-only\"] under [exec]\n";
    assert!(added.stdout.contains(rule) && added.stdout.contains("the demo answers no more"), "{}", added.stdout);
    assert_eq!(upstream.run_with(&["tools", "refresh"], b"").code, 0);
    let report = upstream.run_with(&["--json", "run-intent", "list the orders of customer acme"], b"").report();
    assert_eq!(called(&report)["tool"], "list_orders");
    let added =
        upstream.run_with(&["tools", "add", "other", "--allow", "none", "--", "python3", &program, "none"], b"");
    assert!(!added.stdout.contains("policy.toml"), "{}", added.stdout);
}

#[test]
fn tools_of_two_servers_that_are_the_same_are_asked_about() {
    let entry = json!({
        "command": "python3", "args": [program(), "shop"], "intentbox": {"discovery_s": LATE, "call_s": LATE},
    });
    let upstream = Upstream::of(&json!({"mall": entry, "shop": entry}));
    std::fs::write(upstream.path("policy.toml"), "[exec]\ntools = [\"shop: *\", \"mall: *\"]\n").expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    assert_eq!(upstream.run(&["tools", "refresh"]).code, 0);
    let report = intent(&upstream, "list the orders of customer acme");
    let ids = report["route"]["candidates"].as_array().expect("candidates").iter().map(|one| &one["template"]);
    let mut ids: Vec<&Value> = ids.collect();
    ids.sort_by_key(ToString::to_string);
    assert_eq!(
        (&report["outcome"], json!(ids)),
        (&json!("ambiguous"), json!(["mall/list_orders", "shop/list_orders"]))
    );
}

/// A name means what is written so: a project's server is not taken for the user's whose name looks like it.
#[test]
fn m09_a_server_takes_no_name_that_looks_like_its_own() {
    let entry = json!({
        "command": "python3", "args": [program(), "shop"], "intentbox": {"discovery_s": LATE, "call_s": LATE},
    });
    let upstream = Upstream::of(&json!({"my-shop": entry, "my_shop": entry, "My.Shop": entry}));
    let rules = "[exec]\ntools = [\"my-shop: *\", \"my_shop: *\", \"My.Shop: *\"]\n";
    std::fs::write(upstream.path("policy.toml"), rules).expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    assert_eq!(upstream.run(&["tools", "refresh"]).code, 0);
    for server in ["my-shop", "my_shop", "My.Shop"] {
        for name in [format!("{server}/cancel_order"), format!("{server}: cancel_order")] {
            let arguments = ["run-intent", "cancel", "--template", &name, "--param", "order_id=7", "--allow-writes"];
            assert_eq!(asked(&upstream, &arguments)["route"]["tool"], format!("{server}: cancel_order"), "{name}");
            let report = asked(&upstream, &["run-intent", &name, "--param", "order_id=7", "--allow-writes"]);
            assert_eq!(report["route"]["tool"], format!("{server}: cancel_order"), "{name}: {report}");
        }
    }
    let report = asked(&upstream, &["run-intent", "x", "--template", "my.shop/cancel_order"]);
    assert_eq!(report["error"]["message"], "nothing is called `my.shop/cancel_order`: no template and no tool");
    // All of them are asked about.
    let report = intent(&upstream, "list the orders of customer acme");
    let ids = report["route"]["candidates"].as_array().expect("candidates").iter();
    let mut ids: Vec<String> = ids.filter_map(|one| one["template"].as_str().map(str::to_owned)).collect();
    ids.sort();
    assert_eq!(ids, ["My.Shop/list_orders", "my-shop/list_orders", "my_shop/list_orders"], "{report}");
}

#[test]
fn a_tool_takes_no_intent_of_a_template_that_only_lacks_its_access() {
    let upstream = Upstream::of(&json!({"git": {
        "command": "python3", "args": [program(), "history"], "intentbox": {"discovery_s": LATE, "call_s": LATE},
    }}));
    std::fs::write(upstream.path("policy.toml"), "[exec]\ntools = [\"git: *\"]\n").expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    assert_eq!(upstream.run(&["tools", "refresh"]).code, 0);
    let report = intent(&upstream, "list errors");
    assert_eq!(report["outcome"], "not_found", "{report}");
    let hint = report["error"]["hint"].as_str().expect("a hint");
    assert!(hint.contains("list_errors"), "{hint}");
    assert_eq!(called(&intent(&upstream, "show the commit logs"))["tool"], "git_log");
    let explained = asked(&upstream, &["run-intent", "list errors", "--explain"]);
    assert_eq!(explained["tools"]["verdict"], "nothing", "{explained}");
}

#[test]
fn a_tool_and_its_parameters_are_named_as_their_server_names_them() {
    let upstream = shop(&["shop: *"]);
    let report = asked(
        &upstream,
        &["run-intent", "cancel", "--template", "shop: cancel_order", "--param", "orderId=7", "--allow-writes"],
    );
    assert_eq!(called(&report), json!({"tool": "cancel_order", "arguments": {"order_id": 7}}));
}
