//! One client on pipes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::AsFd as _;
use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{
    Client, PATIENCE, STATEFUL, STATELESS, command, endless_call, exit_code, stops_reading, structured, text,
    workers_are,
};
use crate::held::{self, Held};

/// Older revisions, which clients still open with.
const OLDER: [&str; 3] = ["2024-11-05", "2025-03-26", "2025-06-18"];

fn start(era: &'static str) -> Client {
    Client::start(era, json!({}), &[])
}

#[test]
fn both_eras_are_served_and_older_revisions_too() {
    for era in OLDER.into_iter().chain([STATEFUL]) {
        let home = tempfile::tempdir().expect("a temporary folder");
        let command = command(home.path(), &[]);
        let mut client = Client::spawn(command, home, era, json!({}));
        let greeting = client.greet();
        assert_eq!(greeting["result"]["protocolVersion"], era);
        assert_eq!(greeting["result"]["serverInfo"]["name"], "intentbox");
        assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 1 + 1"})))["result"], 2, "{era}");
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    let command = command(home.path(), &[]);
    let mut client = Client::spawn(command, home, STATELESS, json!({}));
    let known = client.greet()["result"]["supportedVersions"].clone();
    assert!(
        known.as_array().is_some_and(|known| known.contains(&json!(STATELESS)) && known.contains(&json!(STATEFUL)))
    );
    let result = client.call("execute_code", &json!({"code": "result = 1 + 1"}));
    assert_eq!((result["resultType"].clone(), structured(&result)["result"].clone()), (json!("complete"), json!(2)));
    // A client that probed first may still open the older way.
    let mut client = start(STATELESS);
    client.say(&json!({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": {
        "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }}));
    assert_eq!(client.message()["result"]["protocolVersion"], STATEFUL);
}

#[test]
fn the_list_of_tools_is_the_same_bytes_every_time() {
    let mut lists: Vec<String> = Vec::new();
    for era in [STATEFUL, STATEFUL, STATELESS] {
        let mut client = start(era);
        for _ in 0..2 {
            lists.push(client.ask("tools/list", json!({}))["result"]["tools"].to_string());
        }
    }
    lists.dedup();
    assert_eq!(lists.len(), 1);
}

#[test]
fn a_script_gets_its_params_prints_and_answers() {
    let mut client = start(STATEFUL);
    let code = "print('hello')\nresult = {'sum': sum(params['numbers'])}";
    let result = client.call("execute_code", &json!({"code": code, "params": {"numbers": [1, 2, 3]}, "intent": "add"}));
    assert_eq!(result["isError"], false);
    assert_eq!(*structured(&result), json!({"outcome": "ok", "result": {"sum": 6}, "stdout": "hello\n"}));
    assert_eq!(text(&result), "{\"sum\":6}\nstdout: hello");
}

/// Frameworks send `null` for what they leave out, and models write numbers and objects as texts.
#[test]
fn a_call_is_answered_however_its_arguments_are_written() {
    let mut client = start(STATEFUL);
    for arguments in [
        json!({"code": "result = 5", "params": null, "intent": null, "limits": null}),
        json!({"code": "result = params['a']", "params": "{\"a\": 5}", "limits": {"wall_ms": "60000", "fuel": null}}),
        json!({"code": "result = 5", "limits": {"wall_ms": 60000.0}}),
    ] {
        let result = client.call("execute_code", &arguments);
        assert_eq!(*structured(&result), json!({"outcome": "ok", "result": 5}), "{arguments}");
    }
    for params in [json!(null), json!("{\"limit\": 3}"), json!({"limit": "3"})] {
        let result = client.call("run_intent", &json!({"intent": "list errors", "params": params}));
        assert_eq!(structured(&result)["outcome"], "ok", "{params}: {result}");
    }
    for arguments in [json!({"intent": "list errors", "limit": 3}), json!({"query": "list errors", "limit": 3})] {
        let result = client.call("run_intent", &arguments);
        assert_eq!(structured(&result)["result"].as_array().map(Vec::len), Some(3), "{arguments}: {result}");
    }
}

#[test]
fn a_script_fetches_from_the_demo_tracker_and_returns_a_table() {
    let mut client = start(STATEFUL);
    let code = "import requests\n\
                issues = requests.get('sentry:/api/0/organizations/demo/issues/', params={'limit': '3'}).json()\n\
                result = [{'id': issue['shortId'], 'count': int(issue['count'])} for issue in issues]";
    let result = client.call("execute_code", &json!({"code": code}));
    let rows = structured(&result)["result"].as_array().unwrap_or_else(|| panic!("no rows: {result}"));
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["id"].is_string() && row["count"].is_u64()), "{rows:?}");
}

#[test]
fn an_intent_is_answered_and_code_for_one_is_told_the_shorter_way() {
    for era in [STATEFUL, STATELESS] {
        let mut client = start(era);
        let result = client.call("run_intent", &json!({"intent": "list errors", "params": {"limit": "3"}}));
        assert_eq!(structured(&result)["result"].as_array().map(Vec::len), Some(3), "{result}");
        let result = client.call("execute_code", &json!({"code": "result = 0", "intent": "list errors"}));
        let note = "run_intent answers this intent without code, by sentry/list_errors";
        assert_eq!(structured(&result)["note"], note);
    }
}

/// What a model must be able to act on: the kind, and what to change.
#[test]
fn errors_say_what_happened_and_what_to_change() {
    let mut client = start(STATEFUL);
    for (code, outcome, said) in [
        ("1 / 0", "python_error", "ZeroDivisionError: division by zero"),
        ("result = (", "syntax_error", "SyntaxError"),
        ("while True: pass", "fuel_exhausted", "raise the limit (at most 10000000000000) or do less in one run"),
        ("x = bytearray(10**9)", "memory_limit", "raise the limit (at most 1073741824) or do less in one run"),
        ("def f(): f()\nf()", "python_error", "a loop with a list of its own has no such limit"),
        ("import pandas", "python_error", "use `csv`, `statistics`, `math` and lists of dicts"),
        ("import httpx", "python_error", "use requests"),
        ("import lxml.etree", "python_error", "use `xml.etree.ElementTree`"),
        ("import requests\nrequests.get('https://example.com/')", "capability_denied", "granted here: sentry: "),
        ("result = object()", "result_invalid", "list(x)"),
        ("result = 'x' * 2**21", "result_limit", "return less"),
    ] {
        let result = client.call("execute_code", &json!({"code": code, "limits": {"fuel": 5_000_000_000_u64}}));
        assert_eq!(result["isError"], true, "{code}: {result}");
        assert_eq!(structured(&result)["outcome"], outcome, "{code}: {result}");
        assert!(text(&result).contains(said), "{code}: {}", text(&result));
        assert!(!result.to_string().contains("/src/"), "no path of the host: {result}");
    }
    for (arguments, said) in [
        (json!({"code": "1", "limits": {"wall_ms": 1}}), "wall_ms"),
        (json!({"code": "1", "limits": {"no_such": 1}}), "fuel"),
        (
            json!({"code": "1", "limits": {"fuel": -1}}),
            "the limit `fuel` must be a whole number, such as 5000, and is -1",
        ),
        (json!({}), "missing field `code`"),
        (json!({"code": "1", "cwd": "/"}), "unknown field `cwd`"),
    ] {
        let result = client.call("execute_code", &arguments);
        assert_eq!(structured(&result)["outcome"], "param_invalid", "{arguments}");
        assert!(text(&result).contains(said), "{arguments}: {}", text(&result));
    }
    let result = client.call("run_intent", &json!({"intent": "make me a sandwich"}));
    assert_eq!(structured(&result)["outcome"], "not_found");
    assert_eq!(structured(&result)["error"]["not_understood"], json!(["sandwich"]));
    assert!(text(&result).contains("\nnot understood: sandwich\n"), "{}", text(&result));
    let result = client.call("run_intent", &json!({"intent": "help"}));
    let errors = json!({
        "template": "sentry/list_errors",
        "say": "list errors",
        "summary": "Lists unresolved issues of level error or fatal, the latest first.",
    });
    let rows = structured(&result)["result"].as_array().expect("a list");
    assert!(rows.contains(&errors), "{rows:?}");
    let result = client.call("run_intent", &json!({"intent": "list errors", "params": {"limit": "many"}}));
    assert!(text(&result).contains("`limit` must be an integer"), "{}", text(&result));
}

#[test]
fn a_large_result_is_a_start_and_a_handle_and_nothing_is_lost() {
    let mut client = start(STATEFUL);
    let code = "result = [{'row': row, 'text': 'é' * 50} for row in range(1000)]";
    let result = client.call("execute_code", &json!({"code": code}));
    assert_eq!(result["isError"], false);
    assert!(result.to_string().len() < 5_000, "{} bytes", result.to_string().len());
    let handle = structured(&result)["handle"].clone();
    let mut whole = String::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let page = client.call("read_result", &json!({"handle": handle, "offset": offset}));
        let part = structured(&page)["text"].as_str().expect("a page is text");
        // Some clients hand on the first block alone.
        assert_eq!(text(&page).split_once('\n').map(|(_, part)| part), Some(part));
        assert!(text(&page).starts_with("page "), "{}", text(&page));
        whole.push_str(part);
        offset = structured(&page)["next"].clone();
    }
    let rows: Value = serde_json::from_str(&whole).expect("together the pages are the result");
    assert_eq!(rows.as_array().map(Vec::len), Some(1000));
    assert_eq!(rows[999]["text"], "é".repeat(50));
    let none = client.call("read_result", &json!({"handle": "0".repeat(32)}));
    assert_eq!(none["isError"], true);
    assert!(text(&none).starts_with("there is no result with this handle"), "{}", text(&none));
}

#[test]
fn unknown_tools_and_methods_are_errors_of_the_protocol() {
    for era in [STATEFUL, STATELESS] {
        let mut client = start(era);
        let unknown = client.ask("tools/call", json!({"name": "rm", "arguments": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        let unknown = client.ask("no/such", json!({}));
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        for (method, params) in [
            ("tools/call", json!({"name": 5})),
            ("tools/call", json!({})),
            ("tools/call", json!({"name": "execute_code", "arguments": []})),
            ("tools/call", json!({"name": "execute_code", "arguments": "{}"})),
            ("tools/list", json!({"cursor": "two"})),
        ] {
            let wrong = client.ask(method, params);
            assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
        }
        assert!(client.ask("tools/list", json!({"cursor": ""}))["result"].is_object());
    }
}

#[test]
fn c02_an_unknown_revision_is_answered_with_the_known_ones() {
    let mut client = start(STATELESS);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client.say(&json!({"jsonrpc": "2.0", "id": "x", "method": "tools/list", "params": {"_meta": meta}}));
    let answer = client.message();
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(answer["error"]["data"]["supported"].to_string().contains(STATELESS), "{answer}");
}

#[test]
fn c05_a_cancelled_call_ends_its_run() {
    for era in [STATEFUL, STATELESS] {
        let mut client = start(era);
        let busy: Vec<u64> = (0..4).map(|_| client.send("tools/call", endless_call())).collect();
        workers_are(client.child.id(), true);
        for id in &busy {
            client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        }
        workers_are(client.child.id(), false);
        assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 1"})))["result"], 1);
        assert!(client.heard.is_empty(), "what was cancelled is not answered: {:?}", client.heard);
    }
}

#[test]
fn a_client_that_asks_for_it_is_told_that_a_run_goes_on() {
    let held = Held::start();
    let mut client = Client::holding(STATEFUL, &held);
    // Two runs that go on for as long as this test wants, and one that is to be told of.
    let call = json!({"name": "execute_code", "arguments": {"code": held::ASK}});
    let mut noted = call.clone();
    noted["_meta"] = json!({"progressToken": "t"});
    let ids = [client.send("tools/call", noted), client.send("tools/call", call)];
    held.until_arrived(2);
    let told: Vec<Value> = (0..3).map(|_| client.message()).collect();
    assert!(
        told.iter().all(|message| message["params"]["progressToken"] == "t"),
        "who did not ask is not told: {told:?}"
    );
    let progress = |message: &Value| message["params"]["progress"].as_f64().map(f64::to_bits);
    assert!(told.is_sorted_by_key(progress), "{told:?}");
    held.open();
    let mut answered: Vec<u64> = Vec::new();
    while answered.len() < ids.len() {
        let message = client.message();
        // One more notification may be on its way.
        let Some(id) = message["id"].as_u64() else { continue };
        assert_eq!(structured(&message["result"])["result"], 200, "{message}");
        answered.push(id);
    }
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn c04_ten_thousand_at_once_are_answered_each() {
    let held = Held::start();
    let mut client = Client::holding(STATEFUL, &held);
    let ask = json!({"name": "execute_code", "arguments": {"code": held::ASK}});
    for _ in 0..300 {
        client.send("tools/call", ask.clone());
    }
    // 256 is the share of one client, and none of those ends before the others are answered.
    for (outcome, count) in [("overloaded", 44), ("ok", 256)] {
        for _ in 0..count {
            let answer = client.message();
            assert_eq!(structured(&answer["result"])["outcome"], outcome, "{answer}");
        }
        held.open();
    }

    let ids: Vec<u64> = (0..10_000).map(|_| client.send("tools/list", json!({}))).collect();
    let mut seen: Vec<u64> = ids.iter().map(|_| client.message()["id"].as_u64().expect("an answer")).collect();
    seen.sort_unstable();
    assert_eq!(seen, ids);
}

#[test]
fn c04_an_id_that_is_in_flight_is_not_taken_twice() {
    let held = Held::start();
    let mut client = Client::holding(STATEFUL, &held);
    let call = |code: &str| {
        json!({"jsonrpc": "2.0", "id": "twin", "method": "tools/call", "params": {
            "name": "execute_code", "arguments": {"code": code},
        }})
    };
    client.say(&call(held::ASK));
    client.say(&call("result = 1"));
    let refused = client.message();
    assert_eq!((refused["id"].clone(), refused["error"]["code"].clone()), (json!("twin"), json!(-32600)), "{refused}");
    held.open();
    assert_eq!(structured(&client.message()["result"])["result"], 200, "the first is answered, and as its own");
    client.say(&call("result = 1"));
    assert_eq!(structured(&client.message()["result"])["result"], 1, "and then the id is free");
}

/// A client that sends the same id for ever, and reads nothing, must not fill the memory.
#[test]
fn c04_equal_ids_by_the_hundred_thousand_cost_no_memory() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut child = command(home.path(), &[]).spawn().expect("the binary starts");
    let mut pipe = child.stdin.take().expect("piped");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let messages = format!("{hello}\n{}", format!("{ping}\n").repeat(100_000));
    // It is ended by the server, which takes a client that reads nothing for gone.
    std::thread::spawn(move || drop(pipe.write_all(messages.as_bytes())));
    let mut most = 0;
    let started = Instant::now();
    while child.try_wait().expect("it is our child").is_none() {
        assert!(started.elapsed() < PATIENCE, "it waits for a reader");
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(resident.unwrap_or(0));
        std::thread::park_timeout(Duration::from_millis(20));
    }
    assert!(most > 0 && most < 128 << 10, "{most} KiB");
}

#[test]
fn c04_an_id_that_is_used_again_is_answered_again() {
    let mut client = start(STATEFUL);
    for _ in 0..3 {
        client.say(&json!({"jsonrpc": "2.0", "id": 7_777, "method": "tools/list", "params": {}}));
        assert_eq!(client.message()["id"], 7_777);
    }
}

/// A client that gets no answer waits for ever: what cannot be read is answered, with its id where it has one.
#[test]
fn c03_what_cannot_be_read_is_answered() {
    let mut client = start(STATEFUL);
    let call = |params: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{{\"name\":\"execute_code\",\
             \"arguments\":{{\"code\":\"1\",\"params\":{params}}}}}}}\n"
        )
    };
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for (line, id, code) in [
        (call("{\"a\":1e999}"), json!(77), -32600),
        (call("{\"a\":\"\\ud800\"}"), json!(77), -32600),
        (call(&deep), json!(77), -32600),
        (call("{\"$serde_json::private::RawValue\":\"5\"}"), json!(77), -32600),
        (call(&format!("\"{}\"", "x".repeat(5 << 20))), json!(77), -32600),
        (format!("{}\n", "x".repeat(5 << 20)), Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\0ng\"}\n".to_owned(), Value::Null, -32700),
        ("no JSON\n".to_owned(), Value::Null, -32700),
        ("[]\n".to_owned(), Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n".to_owned(), Value::Null, -32600),
    ] {
        client.write(line.as_bytes());
        let answer = client.message();
        let id_of = answer.get("id").expect("the id is there, if only as null");
        let told = (id_of.clone(), answer["error"]["code"].clone());
        assert_eq!(told, (id, json!(code)), "{}: {answer}", line.chars().take(120).collect::<String>());
    }
    client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of/somebody\"}\n\n\r\n");
    assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 2"})))["result"], 2);
    assert!(client.heard.is_empty(), "a notification has no answer: {:?}", client.heard);
}

/// A script gets what was sent, however much that is; what is no argument is bounded.
#[test]
fn c10_arguments_may_be_large_and_nothing_else_may() {
    let mut client = start(STATEFUL);
    let many: Vec<u32> = (0..100_000).collect();
    let code = "result = [len(params['many']), params['many'][-1], params['deep'][0][0][0]]";
    let params = json!({"many": many, "deep": [[[7]]]});
    let result = client.call("execute_code", &json!({"code": code, "params": params}));
    assert_eq!(structured(&result)["result"], json!([100_000, 99_999, 7]), "{result}");
    // Also where the message says last what it is.
    let last = format!(
        "{{\"params\":{{\"arguments\":{},\"name\":\"execute_code\"}},\"id\":99,\"method\":\"tools/call\",\"jsonrpc\":\"2.0\"}}\n",
        json!({"code": code, "params": params})
    );
    client.write(last.as_bytes());
    assert_eq!(structured(&client.message()["result"])["result"], json!([100_000, 99_999, 7]));
    for message in [
        json!({"jsonrpc": "2.0", "id": 88, "method": "x/y", "params": many}),
        json!({"jsonrpc": "2.0", "id": 88, "method": "tools/call", "params": {"name": "execute_code", "more": many}}),
        json!({"jsonrpc": "2.0", "id": 88, "result": many}),
    ] {
        client.say(&message);
        let answer = client.message();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(88), &json!(-32600)), "{answer}");
    }
    // What looks like the message that the server makes of a large call is a call like any other.
    let result = client.call("execute_code", &json!({"arguments": {"code": "result = 1"}}));
    assert_eq!(structured(&result)["error"]["kind"], "param_invalid", "{result}");
}

/// What a script returns is text until it is said: as values this one would take a sixth of a gigabyte.
#[test]
fn c10_a_large_result_is_looked_at_and_not_built() {
    let mut client = start(STATEFUL);
    let call = json!({"code": "result = [[0]] * 500_000", "limits": {"result_bytes": 2 << 20}});
    let result = client.call("execute_code", &call);
    assert!(text(&result).contains("The result is a list of 500000 items, 2000001 characters in all."), "{result}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).expect("it runs");
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok()).expect("a number");
    assert!(most < 128 << 10, "{most} KiB");
    // More than that is for the operator to allow.
    let call = json!({"code": "1", "limits": {"result_bytes": (2 << 20) + 1}});
    let refused = client.call("execute_code", &call);
    let told = "the limit `result_bytes` is at most 2097152 on this server, and 2097153 was asked for";
    assert_eq!(structured(&refused)["error"]["message"], told, "{refused}");
}

/// What follows a line that is too long is read at once, and the last line is answered though it is the last.
#[test]
fn c03_nothing_is_lost_behind_a_line_that_is_too_long_or_at_the_end() {
    let mut client = start(STATEFUL);
    let mut bytes = vec![b'x'; (4 << 20) + 100];
    bytes.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\n");
    client.write(&bytes);
    let mut codes = [client.message(), client.message()].map(|answer| answer["error"]["code"].as_i64());
    codes.sort_unstable();
    assert_eq!(codes, [None, Some(-32600)], "one is refused and one is answered");
    client.write(b"garbage\n");
    client.close();
    assert_eq!(client.message()["error"]["code"], -32700);
    assert_eq!(client.ended(), Some(0));
}

#[test]
fn c09_garbage_is_survived() {
    let mut client = start(STATEFUL);
    client.write(b"\x00\xff garbage\n");
    client.write(format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes());
    client.write(&[b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".as_slice(), &vec![b'x'; 9 << 20], b"\"}\n"].concat());
    assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 2"})))["result"], 2);
}

#[test]
fn c09_a_client_that_closes_its_end_gets_what_is_in_flight_and_the_program_ends_with_zero() {
    for era in [STATEFUL, STATELESS] {
        let held = Held::start();
        let mut client = Client::holding(era, &held);
        let id = client.send("tools/call", json!({"name": "execute_code", "arguments": {"code": held::ASK}}));
        held.until_arrived(1);
        client.close();
        held.open();
        assert_eq!(structured(&client.answer(id)["result"])["result"], 200);
        assert_eq!(client.ended(), Some(0));
    }
    let mut endless = start(STATEFUL);
    endless.send("tools/call", endless_call());
    endless.close();
    assert_eq!(endless.ended(), Some(0));

    let home = tempfile::tempdir().expect("a temporary folder");
    let command = command(home.path(), &[]);
    let mut silent = Client::spawn(command, home, STATEFUL, json!({}));
    silent.close();
    assert_eq!(silent.ended(), Some(0), "nothing was said at all");
}

/// A client that gave up on its probe says so before it opens the session.
#[test]
fn c09_a_notification_before_the_first_request_does_not_end_the_program() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let command = command(home.path(), &[]);
    let mut client = Client::spawn(command, home, STATEFUL, json!({}));
    client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    client.greet();
    assert_eq!(structured(&client.call("execute_code", &json!({"code": "result = 1"})))["result"], 1);
}

#[test]
fn c09_a_client_that_never_reads_does_not_keep_the_program() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut command = command(home.path(), &[]);
    let mut child = command.spawn().expect("the binary starts");
    let mut pipe = child.stdin.take().expect("piped");
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    // Far more answers than a pipe holds, and fewer than make the server stop reading.
    let messages = format!("{hello}\n{}", format!("{list}\n").repeat(60));
    pipe.write_all(messages.as_bytes()).expect("the server reads");
    drop(pipe);
    exit_code(&mut child);
}

#[test]
fn c06_answers_that_nobody_reads_wait_and_none_is_lost() {
    const REQUESTS: usize = 5_000;
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut child = command(home.path(), &[]).spawn().expect("the binary starts");
    let mut pipe = child.stdin.take().expect("piped");
    let requests = pipe.as_fd().try_clone_to_owned().expect("a descriptor is free");
    let (written, is_written) = channel();
    let writer = std::thread::spawn(move || {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": STATEFUL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }});
        let list =
            |id: usize| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}).to_string() + "\n";
        let messages = format!("{hello}\n") + &(1..=REQUESTS).map(list).collect::<String>();
        pipe.write_all(messages.as_bytes()).expect("the server reads in the end");
        written.send(()).expect("the test waits");
    });
    let answers = child.stdout.take().expect("piped");
    stops_reading(child.id(), &requests, &answers);
    // With it the pipe would stay open behind the writer.
    drop(requests);
    assert_eq!(is_written.try_recv(), Err(TryRecvError::Empty), "what is not read yet is not written either");
    let lines = BufReader::new(answers).lines();
    let (counted, count) = channel();
    std::thread::spawn(move || counted.send(lines.take(REQUESTS + 1).map_while(Result::ok).count()));
    assert_eq!(count.recv_timeout(PATIENCE), Ok(REQUESTS + 1), "none is lost");
    writer.join().expect("it has written");
    assert!(child.wait().expect("it is our child").success(), "its end of the pipe was closed");
}

#[test]
fn a_signal_ends_the_program_after_what_is_in_flight() {
    let held = Held::start();
    let mut client = Client::holding(STATEFUL, &held);
    let id = client.send("tools/call", json!({"name": "execute_code", "arguments": {"code": held::ASK}}));
    held.until_arrived(1);
    let pid = Pid::from_child(&client.child);
    kill_process(pid, Signal::TERM).expect("it runs");
    held.open();
    assert_eq!(structured(&client.answer(id)["result"])["result"], 200);
    assert_eq!(client.ended(), Some(0));
}

#[test]
fn a_call_that_goes_on_is_answered_with_an_error_before_the_program_ends() {
    for (closes, signal) in [(false, true), (true, false), (true, true)] {
        let mut client = start(STATEFUL);
        let id = client.send("tools/call", endless_call());
        workers_are(client.child.id(), true);
        if closes {
            client.close();
        }
        if signal {
            kill_process(Pid::from_child(&client.child), Signal::TERM).expect("it runs");
        }
        let message = "the server is stopping, and this call was cut off: if it may have changed something, look whether it did before \
                   you send it again";
        let expected = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": message}});
        assert_eq!(client.answer(id), expected, "closed {closes}, signal {signal}");
        assert_eq!(client.ended(), Some(0));
    }
}

#[test]
fn nothing_but_the_protocol_is_on_stdout() {
    let mut client = start(STATEFUL);
    client.call(
        "execute_code",
        &json!({"code": "print('x'); import sys; sys.stdout.flush(); print('y', file=sys.stderr)"}),
    );
    assert!(client.heard.is_empty(), "{:?}", client.heard);
    assert_eq!(client.rest(), Vec::<String>::new(), "what a script prints is in its answer alone");
    assert_eq!(client.ended(), Some(0));
}
