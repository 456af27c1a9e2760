//! The whole server against bytes of a hostile client. The parts of it that parse them have a fuzz target.

mod support;

use serde_json::{Value, json};

use support::{over_pipes, server};

fn lines(messages: &[Value]) -> Vec<u8> {
    messages.iter().flat_map(|message| format!("{message}\n").into_bytes()).collect()
}

fn hello() -> Value {
    support::hello(&json!({}))
}

/// Checks what a server sent: whole lines, each a message of JSON-RPC. Gives how many.
fn check(replies: &[u8]) -> usize {
    let mut count = 0;
    for line in replies.split_inclusive(|byte| *byte == b'\n') {
        assert_eq!(line.last(), Some(&b'\n'), "the last line is whole");
        let message: Value = serde_json::from_slice(line).expect("a line is JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        let is_answer = message.get("result").is_some() ^ message.get("error").is_some();
        assert!(is_answer || message.get("method").is_some(), "{message}");
        if let Some(id) = message.get("id").filter(|id| is_answer && !id.is_null()) {
            assert!(id.is_number() || id.is_string(), "{message}");
        }
        count += 1;
    }
    count
}

#[test]
fn c03_whatever_a_client_sends_what_comes_back_is_the_protocol() {
    let server = server();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let call = |name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    for (what, bytes, at_least) in [
        ("nothing", Vec::new(), 0),
        ("garbage", b"\x00\xff\xfe{]\n\n\n".to_vec(), 1),
        ("half a line", b"{\"jsonrpc\":".to_vec(), 1),
        ("a greeting", lines(&[hello()]), 1),
        ("garbage after it", [lines(&[hello()]), b"\xff\n{}\n[]\nnull\n\"\"\n".to_vec()].concat(), 6),
        ("a batch", lines(&[hello(), json!([hello(), hello()])]), 2),
        ("deep nesting", [lines(&[hello()]), deep.into_bytes(), b"\n".to_vec()].concat(), 1),
        (
            "doubled keys",
            [lines(&[hello()]), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}\n".to_vec()].concat(),
            1,
        ),
        (
            "a number beyond all numbers",
            [
                lines(&[hello()]),
                format!("{{\"jsonrpc\":\"2.0\",\"id\":1{},\"method\":\"ping\"}}\n", "0".repeat(400)).into_bytes(),
            ]
            .concat(),
            1,
        ),
        ("an unknown method", lines(&[hello(), json!({"jsonrpc": "2.0", "id": 1, "method": "no/such"})]), 2),
        ("a call of nothing", lines(&[hello(), call("nothing", json!({}))]), 2),
        ("a call with wrong arguments", lines(&[hello(), call("execute_code", json!({"code": 1}))]), 2),
        ("a call that cannot run", lines(&[hello(), call("execute_code", json!({"code": "1"}))]), 2),
        (
            "one id for two",
            lines(&[hello(), call("read_result", json!({"handle": ""})), call("read_result", json!({}))]),
            2,
        ),
        ("no greeting", lines(&[call("execute_code", json!({"code": "1"}))]), 0),
    ] {
        let count = check(&over_pipes(server.clone(), &bytes));
        assert!(count >= at_least, "{what}: {count} messages");
    }
}
