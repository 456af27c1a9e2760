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
            Err(CallError::NoObject { message } | CallError::Arguments { message, .. }) => message,
            Ok(call) => format!("{call:?}"),
        };
        assert!(is_tool);
        Ok(CallToolResult::success(vec![ContentBlock::text(read)]).into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    /// The id and the code of each answer, sorted; a result has no code.
    fn answers(bytes: &[u8]) -> Vec<(Value, Value)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
        let replies = runtime.block_on(exchange(Reading, bytes)).expect("the pipe holds");
        let lines = replies.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut answers: Vec<(Value, Value)> = lines
            .map(|line| {
                let message: Value = serde_json::from_slice(line).expect("a line is JSON");
                (
                    message.get("id").expect("an answer has an id, if only null").clone(),
                    message["error"]["code"].clone(),
                )
            })
            .collect();
        answers.sort_by_key(|(id, code)| format!("{id} {code}"));
        answers
    }

    /// A request that says of itself what a handshake would.
    fn stateless(id: u32, method: &str) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}}).to_string() + "\n"
    }

    #[test]
    fn what_comes_before_the_first_request_and_is_none_is_passed_over() {
        let early = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n\
                     {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
                     {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\
                     {\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":1,\"message\":\"\"}}\n";
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\n";
        let (discover, list) = (stateless(1, "server/discover"), stateless(2, "tools/list"));
        let answered = |ids: &[u32]| -> Vec<(Value, Value)> { ids.iter().map(|id| (json!(id), Value::Null)).collect() };
        for (sent, expected) in [
            (early.to_owned(), answered(&[])),
            (format!("{early}{HELLO}{ping}"), answered(&[0, 4])),
            (format!("{ping}{early}{HELLO}"), answered(&[0, 4])),
            (format!("{early}{list}"), answered(&[2])),
            (format!("{discover}{early}{list}{early}"), answered(&[1, 2])),
            (format!("{discover}{early}{HELLO}{early}{ping}"), answered(&[0, 1, 4])),
        ] {
            assert_eq!(answers(sent.as_bytes()), expected, "{sent}");
        }
    }

    #[test]
    fn what_cannot_be_a_call_is_answered_with_the_code_that_says_why() {
        let long = format!("{{\"code\":\"{}\"}}", "x".repeat(stdio::LINE_BYTES_MAX));
        let request = |method: &str, params: &str| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}\n")
        };
        for (sent, id, code) in [
            (call(1, "execute_code", "[]"), json!(1), -32_602),
            (call(1, "execute_code", "\"{}\""), json!(1), -32_602),
            (request("tools/call", "[]"), json!(1), -32_602),
            (request("tools/call", "{}"), json!(1), -32_602),
            (request("tools/list", "[]"), json!(1), -32_602),
            (request("no/such", "{}"), json!(1), -32_601),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}\n".to_owned(), json!(1), -32_602),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}\n".to_owned(), json!(1), -32_600),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n".to_owned(), Value::Null, -32_600),
            ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n".to_owned(), Value::Null, -32_600),
            ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n".to_owned(), Value::Null, -32_600),
            ("5\n".to_owned(), Value::Null, -32_600),
            ("null\n".to_owned(), Value::Null, -32_600),
            ("{}\n".to_owned(), Value::Null, -32_600),
            ("no JSON\n".to_owned(), Value::Null, -32_700),
            (call(1, "execute_code", &long), json!(1), -32_600),
            (format!("{long}\n"), Value::Null, -32_600),
        ] {
            let mut expected = vec![(json!(0), Value::Null), (id, json!(code))];
            expected.sort_by_key(|(id, code)| format!("{id} {code}"));
            let shown: String = sent.chars().take(100).collect();
            assert_eq!(answers(format!("{HELLO}{sent}").as_bytes()), expected, "{shown}");
        }
        // Before the handshake as well: `clientInfo` is what is missing, and nothing about another protocol.
        let nameless = request("initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}");
        assert_eq!(answers(nameless.as_bytes()), [(json!(1), json!(-32_602))]);
    }
}
