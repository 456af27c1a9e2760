//! What must hold for anything that a server sends: oracles for tests and fuzz targets.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, JsonRpcMessage, JsonRpcRequest, ListToolsRequest,
    NumberOrString, PaginatedRequestParams,
};
use serde_json::Value;

use crate::arguments::Checker;
use crate::definition::{SUMMARY_CHARS_MAX, admit};
use crate::frame::Frames;
use crate::listing::Listing;
use crate::reply::Reply;

/// Lines of a server that was asked for a listing and a call: each is dropped, passed on or ends the connection, and a result is
/// kept once, as it came.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn frames(bytes: &[u8]) {
    let frames = Frames::default();
    let list = ListToolsRequest::with_param(PaginatedRequestParams::default());
    let call = CallToolRequest::new(CallToolRequestParams::new("echo"));
    for (id, request) in [(1, ClientRequest::ListToolsRequest(list)), (2, ClientRequest::CallToolRequest(call))] {
        frames.sent(&JsonRpcMessage::Request(JsonRpcRequest::new(NumberOrString::Number(id), request)));
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(text) = str::from_utf8(line) else { continue };
        if frames.received(text).is_err() {
            assert!(frames.fault().is_some(), "what ends a connection is known");
            return;
        }
        for id in [1, 2] {
            if let Some(result) = frames.take(&NumberOrString::Number(id)) {
                assert!(text.contains(&result), "a result is kept as it came");
                let _ = Reply::admit(&result);
                assert_eq!(frames.take(&NumberOrString::Number(id)), None, "once");
            }
        }
    }
}

/// A definition of a tool: admitted or rejected, the same when it is read again, and its schema checks values without end or
/// crash. The bytes are a definition and a value, with a zero byte between them.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub fn definition(bytes: &[u8]) {
    let (text, value) = split(bytes);
    let (Ok(text), Ok(value)) = (str::from_utf8(text), str::from_utf8(value)) else { return };
    let Ok(definition) = admit(text) else { return };
    assert!(definition.row.summary.chars().count() <= SUMMARY_CHARS_MAX && !definition.row.summary.contains('\n'));
    let again = admit(&definition.text).expect("what was admitted once is admitted again");
    assert_eq!(again, definition, "the canonical form is its own");
    let listing = Listing { tools: vec![definition.row.clone()], ..Listing::default() };
    assert_eq!(Listing::decode(&listing.encode()), Some(listing), "a listing comes back");
    let fields = intentbox_catalog::json::parse_value(&definition.text).expect("it is JSON");
    let schema = fields.get("inputSchema").cloned().unwrap_or_default();
    let value = intentbox_catalog::json::parse_value(value).unwrap_or(Value::Object(serde_json::Map::new()));
    if let Ok(checker) = Checker::new(schema) {
        let first = checker.check(&value);
        assert_eq!(checker.check(&value), first, "a check has one answer");
    }
}

/// Splits at the first zero byte.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_lines_are_decided_about(
            lines in prop::collection::vec(
                r#"\{"jsonrpc":"2.0","id":(1|2|3|null|"1"),"(result|error|method)":(\{"tools":\[\]\}|\{"content":5\}|"ping"|5)\}|.{0,20}"#,
                0..6,
            )
        ) {
            frames(lines.join("\n").as_bytes());
        }

        #[test]
        fn any_definition_is_admitted_or_rejected(
            text in r##"\{"name":"[a-z ]{0,4}","inputSchema":\{("type":"object"|"\$ref":"#"|"properties":\{"a":\{"type":"string"\}\})?\}\}"##,
            value in r#"\{("a":("b"|5))?\}"#,
        ) {
            definition(format!("{text}\0{value}").as_bytes());
        }
    }
}
