//! What must hold for any bytes a client sends, whatever the server behind the pipes: for the fuzz target and for tests.

use std::io;

use rmcp::ServerHandler;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_util::sync::CancellationToken;

use super::stdio;

/// How much a pipe between two processes holds, in bytes.
const PIPE_BYTES: usize = 64 << 10;

/// Sends bytes to a server as its client would, closes the pipe, and checks what comes back: whole lines, each a message of
/// JSON-RPC. Gives how many messages came.
///
/// # Panics
/// When one of these does not hold.
#[must_use]
pub(crate) fn check(handler: impl ServerHandler, bytes: &[u8]) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let replies = runtime.block_on(exchange(handler, bytes)).expect("the pipe holds");
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

async fn exchange(handler: impl ServerHandler, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let (mut to_server, from_client) = duplex(PIPE_BYTES);
    let (to_client, mut from_server) = duplex(PIPE_BYTES);
    let serving = stdio::serve(handler, from_client, to_client, CancellationToken::new());
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
mod tests;
