//! Any bytes on the pipe of an MCP client are answered in the protocol or not at all, and a call is one of the tools' or is
//! refused.
//!
//! The crate as a whole would bring wasmtime and the guest along. The files between the pipe and the engine do not, and are
//! compiled here once more. Its twin over the whole server is `c03_whatever_a_client_sends_what_comes_back_is_the_protocol`.

#![no_main]
#![expect(dead_code, reason = "the server uses more of these files than the target does")]

#[path = "../../runtime/mcp/src"]
mod mcp {
    pub(crate) mod call;
    pub(crate) mod message;
    pub(crate) mod oracle;
    pub(crate) mod stdio;
    pub(crate) mod tools;
}

use mcp::call::{Call, CallError};
use mcp::message::Arguments;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};

/// A server that reads calls and says how it read them.
struct Reading;

impl ServerHandler for Reading {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(mcp::tools::all().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_tool = mcp::tools::all().iter().any(|tool| tool.name == request.name);
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

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = mcp::oracle::check(Reading, bytes);
});
