//! The whole server against bytes that are no proper client's.

use std::sync::Arc;
use std::time::Duration;

use intentbox_engine::{Capacity, Configuration, Engine, Isolation, NoEvents, Parts, Policy, Sharing, WorkerCommand};
use serde_json::json;

use super::*;
use crate::{Server, Settings};

/// A server that reaches nothing and whose runs do not start: what is left is the protocol and the reading of calls.
fn server() -> Server {
    let parts = Parts {
        catalog: Arc::default(),
        configuration: Configuration::parse("", &|_| Err("there is no token".to_owned())).expect("it is empty"),
        directories: intentbox_files::Directories::default(),
        policy: Policy::default(),
        isolation: Isolation::Process(WorkerCommand {
            program: "/nonexistent".into(),
            arguments: Vec::new(),
            count: 1,
        }),
        capacity: Capacity {
            runs: 1,
            memory_bytes: 1 << 30,
            patience: Duration::from_secs(1),
            sharing: Sharing::Whole,
        },
    };
    let engine = Engine::new(parts).expect("it has no origins");
    Server::new(engine, Settings::default(), Arc::new(NoEvents)).expect("there is randomness")
}

fn lines(messages: &[Value]) -> Vec<u8> {
    messages.iter().flat_map(|message| format!("{message}\n").into_bytes()).collect()
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
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
        let count = check(server.clone(), &bytes);
        assert!(count >= at_least, "{what}: {count} messages");
    }
}
