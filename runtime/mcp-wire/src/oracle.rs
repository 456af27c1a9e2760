//! Properties that hold for any bytes of a client, for the fuzz target and for property tests.

use std::io;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_util::sync::CancellationToken;

use crate::call::{Call, CallError};
use crate::message::Arguments;
use crate::{stdio, tools};

/// How much a pipe between two processes holds, in bytes.
const PIPE_BYTES: usize = 64 << 10;

/// A server that reads calls and says how it read them.
struct Reading;

/// Sends bytes to a server as its client would, closes the pipe, and checks what comes back: whole lines, each a message of
/// JSON-RPC; and that a call is one of the tools' or is refused. Gives how many messages came.
///
/// # Panics
/// When that does not hold: it is an oracle.
#[must_use]
pub fn client(bytes: &[u8]) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let replies = runtime.block_on(exchange(Reading, bytes)).expect("the pipe holds");
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

impl ServerHandler for Reading {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_tool = tools::all().iter().any(|tool| tool.name == request.name);
        let arguments = context.extensions.get::<Arguments>().map(Arguments::take).unwrap_or_default();
        let arguments = std::str::from_utf8(&arguments).expect("arguments are JSON");
        let read = match Call::parse(&request.name, arguments) {
            Err(CallError::UnknownTool) => {
                assert!(!is_tool);
                return Err(ErrorData::invalid_params("there is no such tool", None));
            }
            Err(CallError::Arguments { message, .. }) => message,
            Ok(call) => format!("{call:?}"),
        };
        assert!(is_tool);
        Ok(CallToolResult::success(vec![ContentBlock::text(read)]).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
        "\n"
    );

    fn call(id: u32, name: &str, arguments: &str) -> String {
        let params = format!("{{\"name\":\"{name}\",\"arguments\":{arguments}}}");
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}\n")
    }

    #[test]
    fn calls_of_every_tool_and_of_none_are_answered_each() {
        for (bytes, answers) in [
            (String::new(), 0),
            ("{garbage\n".to_owned(), 1),
            (HELLO.to_owned(), 1),
            (format!("{HELLO}{}", call(1, "execute_code", "{\"code\":\"1\"}")), 2),
            (format!("{HELLO}{}", call(1, "run_intent", "{\"intent\":5}")), 2),
            (format!("{HELLO}{}", call(1, "read_result", "[]")), 2),
            (format!("{HELLO}{}", call(1, "nothing", "{}")), 2),
            (format!("{HELLO}{}{}", call(1, "nothing", "{}"), call(2, "run_intent", "{\"intent\":\"a\"}")), 3),
        ] {
            assert_eq!(client(bytes.as_bytes()), answers, "{bytes}");
        }
    }
}
