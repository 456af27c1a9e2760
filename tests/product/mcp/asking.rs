//! Elicitation: calls that need a reply from the user, in both revisions, and with clients that cannot elicit one.

use serde_json::{Value, json};

use super::client::{Client, STATEFUL, STATELESS, structured, text};
use crate::product::intentbox;

fn asks() -> Value {
    json!({"elicitation": {}})
}

fn issue_of(client: &mut Client) -> String {
    let result = client.call("run_intent", &json!({"intent": "list errors", "params": {"limit": 1}}));
    structured(&result)["result"][0]["id"].as_str().unwrap_or_else(|| panic!("no issue: {result}")).to_owned()
}

/// Calls an intent as a client of the older era: the server asks while the call waits.
fn stateful(client: &mut Client, arguments: &Value, answer: &Value) -> (String, Value) {
    let id = client.send("tools/call", json!({"name": "run_intent", "arguments": arguments}));
    let question = client.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    client.say(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
    let message = question["params"]["message"].as_str().expect("a question has words").to_owned();
    (message, client.answer(id)["result"].clone())
}

/// The same in the stateless era: the call ends with a question, and is repeated with the answer.
fn stateless(client: &mut Client, arguments: &Value, answer: &Value) -> (String, Value) {
    let call = json!({"name": "run_intent", "arguments": arguments});
    let asked = client.ask("tools/call", call.clone())["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["answer"];
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let mut again = call;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({"answer": answer});
    let message = question["params"]["message"].as_str().expect("a question has words").to_owned();
    (message, client.ask("tools/call", again)["result"].clone())
}

type Asked = fn(&mut Client, &Value, &Value) -> (String, Value);
const ERAS: [(&str, Asked); 2] = [(STATEFUL, stateful), (STATELESS, stateless)];

#[test]
fn a_change_is_made_after_the_person_said_so_and_not_before() {
    for (era, asked) in ERAS {
        let mut client = Client::start(era, asks(), &[]);
        let issue = issue_of(&mut client);
        let arguments = json!({"intent": format!("resolve {issue}")});
        let expected =
            "sentry/resolve_issue changes something: Marks one issue as resolved. Accept to run it with {\"issue\":\"";
        for answer in [json!({"action": "decline"}), json!({"action": "cancel"})] {
            let (message, result) = asked(&mut client, &arguments, &answer);
            assert!(message.starts_with(expected), "{message}");
            assert_eq!(structured(&result)["outcome"], "cancelled", "{result}");
            assert_eq!(issue_of(&mut client), issue, "it is still there");
        }
        let (_, result) = asked(&mut client, &arguments, &json!({"action": "accept", "content": "yes"}));
        assert_eq!(structured(&result)["outcome"], "capability_denied", "{result}");
        assert_eq!(issue_of(&mut client), issue, "it is still there");
        let (_, result) = asked(&mut client, &arguments, &json!({"action": "accept", "content": {}}));
        assert_eq!(structured(&result)["outcome"], "ok", "{result}");
        assert_ne!(issue_of(&mut client), issue, "it is resolved");
    }
}

/// The call is dropped while its question is open: no run of it could note its end.
#[test]
fn a_call_that_is_cancelled_while_the_person_is_asked_is_recorded_as_cancelled() {
    let state = tempfile::tempdir().expect("a temporary folder");
    let folder = state.path().to_str().expect("it is text");
    let mut client = Client::start(STATEFUL, asks(), &["--state", folder]);
    let intent = format!("resolve {}", issue_of(&mut client));
    let id = client.send("tools/call", json!({"name": "run_intent", "arguments": {"intent": intent}}));
    let question = client.message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    client.close();
    assert_eq!(client.ended(), Some(0));
    let counts = intentbox(&["stats", "--state", folder, "--json"], b"", &[]).report();
    let rows = counts["by_target"].as_array().expect("a list");
    let outcomes = rows.iter().find(|row| row["target"] == "sentry/resolve_issue").map(|row| &row["outcomes"]);
    assert_eq!(outcomes, Some(&json!({"cancelled": 1})), "{counts}");
}

#[test]
fn what_is_missing_is_asked_for() {
    for (era, asked) in ERAS {
        let mut client = Client::start(era, asks(), &[]);
        let issue = issue_of(&mut client);
        let answer = json!({"action": "accept", "content": {"issue": issue}});
        let (message, result) = asked(&mut client, &json!({"intent": "show details of the issue"}), &answer);
        assert_eq!(message, "sentry/issue_details needs issue.");
        assert_eq!(structured(&result)["outcome"], "ok", "{result}");
    }
}

#[test]
fn which_of_several_is_asked() {
    let templates = tempfile::tempdir().expect("a temporary folder");
    let folder = templates.path().to_str().expect("it is text");
    for id in ["twins/first", "twins/second"] {
        assert_eq!(intentbox(&["templates", "new", id, "--templates", folder], b"", &[]).code, 0);
    }
    for (era, asked) in ERAS {
        let mut client = Client::start(era, asks(), &["--templates", folder]);
        let answer = json!({"action": "accept", "content": {"template": "twins/second"}});
        let (message, result) = asked(&mut client, &json!({"intent": "say hello", "params": {"times": "2"}}), &answer);
        assert_eq!(
            message,
            "Several templates fit. Which one do you mean?\n- twins/first: Says hello, as often as asked.\n- twins/second: Says hello, \
             as often as asked."
        );
        let expected =
            json!({"outcome": "ok", "result": ["Hello, world!", "Hello, world!"], "asked_with": {"times": 2}});
        assert_eq!(*structured(&result), expected);
    }
}

#[test]
fn a_client_that_cannot_ask_is_told_what_to_do() {
    for era in [STATEFUL, STATELESS] {
        for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
            let mut client = Client::start(era, capabilities, &[]);
            let issue = issue_of(&mut client);
            let result = client.call("run_intent", &json!({"intent": format!("resolve {issue}")}));
            assert_eq!(structured(&result)["outcome"], "capability_denied");
            assert!(text(&result).contains("`intentbox mcp --allow-writes`"), "{}", text(&result));
            let result = client.call("run_intent", &json!({"intent": "show details of the issue"}));
            assert_eq!(structured(&result)["outcome"], "missing_parameter");
            assert!(text(&result).contains("repeat run_intent with params such as {\"issue\":"), "{}", text(&result));
        }
    }
}

#[test]
fn an_operator_may_allow_changes_without_a_question() {
    let mut client = Client::start(STATEFUL, json!({}), &["--allow-writes"]);
    let issue = issue_of(&mut client);
    let result = client.call("run_intent", &json!({"intent": format!("resolve {issue}")}));
    assert_eq!(structured(&result)["outcome"], "ok", "{result}");
}

/// What was confirmed is one change: the sealed state is worth nothing with another, and nothing when it was altered.
#[test]
fn a_confirmation_cannot_be_moved_to_another_change() {
    let mut client = Client::start(STATELESS, asks(), &[]);
    let result = client.call("run_intent", &json!({"intent": "list errors", "params": {"limit": 2}}));
    let rows = structured(&result)["result"].clone();
    let call = |row: usize| json!({"name": "run_intent", "arguments": {"intent": format!("resolve {}", rows[row]["id"].as_str().expect("an id"))}});
    let asked = client.ask("tools/call", call(0))["result"].clone();
    let state = asked["requestState"].as_str().expect("it is sealed").to_owned();
    let yes = json!({"answer": {"action": "accept", "content": {}}});
    let mut altered = state.clone().into_bytes();
    let middle = altered.len() / 2;
    altered[middle] = if altered[middle] == b'A' { b'B' } else { b'A' };
    let altered = String::from_utf8(altered).expect("it is text");
    for (row, state) in [(1, state.as_str()), (0, altered.as_str()), (0, "")] {
        let mut moved = call(row);
        moved["requestState"] = json!(state);
        moved["inputResponses"] = yes.clone();
        let answer = client.ask("tools/call", moved);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    // An answer counts once: the second time nothing is done.
    let mut twice = call(0);
    twice["requestState"] = json!(state);
    twice["inputResponses"] = yes.clone();
    let made = client.ask("tools/call", twice.clone());
    assert_eq!(structured(&made["result"])["outcome"], "ok", "{made}");
    let again = client.ask("tools/call", twice);
    assert_eq!(structured(&again["result"])["outcome"], "cancelled", "{again}");
    assert!(text(&again["result"]).contains("an answer is used once"), "{again}");
    // An answer without a question that was asked confirms nothing.
    let mut unasked = call(1);
    unasked["inputResponses"] = yes;
    let before = issue_of(&mut client);
    let answer = client.ask("tools/call", unasked);
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    assert_eq!(issue_of(&mut client), before);
}
