//! A server whose runs do not start, and a client that sends it bytes.

use std::sync::Arc;
use std::time::Duration;

use intentbox_engine::{
    Capacity, Configuration, Engine, Isolation, NoEvents, Parts, Policy, Resources, Sharing, WorkerCommand,
};
use intentbox_mcp::{CancellationToken, Server, Settings, stdio};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

/// How much a pipe between two processes holds, in bytes.
const PIPE_BYTES: usize = 64 << 10;

/// A server that reaches nothing and whose runs do not start: what is left is the protocol and the reading of calls.
pub(crate) fn server() -> Server {
    let parts = Parts {
        catalog: Arc::default(),
        configuration: Configuration::default(),
        resources: Resources::default(),
        policy: Policy::default(),
        isolation: Isolation::Process(WorkerCommand {
            program: "/nonexistent".into(),
            arguments: Vec::new(),
            count: 1,
        }),
        capacity: Capacity {
            runs: 1,
            memory_bytes: 1 << 30,
            wait_max: Duration::from_secs(1),
            sharing: Sharing::Whole,
        },
    };
    let engine = Engine::new(parts).expect("it has no origins");
    Server::new(engine, Settings::default(), Arc::new(NoEvents)).expect("there is randomness")
}

/// What opens a session.
pub(crate) fn hello(capabilities: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"},
    }})
}

/// Sends everything to a server on pipes and closes its end. Gives what came back.
pub(crate) fn over_pipes(server: Server, bytes: &[u8]) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        let (mut to_server, from_client) = duplex(PIPE_BYTES);
        let (to_client, mut from_server) = duplex(PIPE_BYTES);
        let serving = stdio::serve(server, from_client, to_client, CancellationToken::new());
        let sending = async {
            // The server may hang up before it has read everything.
            let _ = to_server.write_all(bytes).await;
            drop(to_server);
        };
        let mut answers = Vec::new();
        let (_, (), received) = tokio::join!(serving, sending, from_server.read_to_end(&mut answers));
        received.expect("the pipe holds");
        answers
    })
}
