//! What must hold for any bytes a client sends: for the fuzz target and for tests.

use std::io;
use std::sync::Arc;

use intentbox_engine::{Capacity, Configuration, Engine, Isolation, Parts, Policy, WorkerCommand};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_util::sync::CancellationToken;

use crate::{Server, Settings, stdio};

/// How much a pipe between two processes holds, in bytes.
const PIPE_BYTES: usize = 64 << 10;

/// A server that reaches nothing and whose runs do not start: what is left is the protocol and the reading of calls.
///
/// # Panics
/// When it cannot be made, which does not depend on the bytes.
#[must_use]
pub fn server() -> Server {
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
        capacity: Capacity { runs: 1, memory_bytes: 1 << 30, patience: std::time::Duration::from_secs(1) },
    };
    let engine = Engine::new(parts).expect("it has no origins");
    Server::new(engine, Settings::default()).expect("there is randomness")
}

/// Sends bytes to a server as its client would, closes the pipe, and checks what comes back: whole lines, each a message of
/// JSON-RPC, each answer to an id that was sent. Gives how many messages came.
///
/// # Panics
/// When one of these does not hold.
#[must_use]
pub fn check(server: &Server, bytes: &[u8]) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let replies = runtime.block_on(exchange(server, bytes)).expect("the pipe holds");
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

async fn exchange(server: &Server, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let (mut to_server, from_client) = duplex(PIPE_BYTES);
    let (to_client, mut from_server) = duplex(PIPE_BYTES);
    let serving = stdio::serve(server.clone(), from_client, to_client, CancellationToken::new());
    let sending = async {
        // The server may hang up before it has read everything.
        let _ = to_server.write_all(bytes).await;
        drop(to_server);
    };
    let mut replies = Vec::new();
    let receiving = async { from_server.read_to_end(&mut replies).await.map(|_| ()) };
    let (_, (), received) = tokio::join!(serving, sending, receiving);
    received.map(|()| replies)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            ("garbage", b"\x00\xff\xfe{]\n\n\n".to_vec(), 0),
            ("half a line", b"{\"jsonrpc\":".to_vec(), 0),
            ("a greeting", lines(&[hello()]), 1),
            ("garbage after it", [lines(&[hello()]), b"\xff\n{}\n[]\nnull\n\"\"\n".to_vec()].concat(), 1),
            ("a batch", lines(&[hello(), json!([hello(), hello()])]), 1),
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
            let count = check(&server, &bytes);
            assert!(count >= at_least, "{what}: {count} messages");
        }
    }
}
