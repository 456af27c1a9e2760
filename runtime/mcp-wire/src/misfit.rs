//! What is wrong with a message that is JSON and that the SDK could not parse, in words that name the member.
//!
//! The SDK takes a request whose `params` it cannot parse for one of an unknown method, and says of any other message
//! that it is unrecognized.

use rmcp::model::{CallToolRequestParams, CustomRequest, ErrorData, InitializeRequestParams, JsonObject};
use serde_json::Value;

/// A type of JSON that a member must have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Object,
}

/// A member of `params`: its name, its type, and whether it is required.
type Member = (&'static str, Kind, bool);

/// The error of the SDK about `params`, if it has one.
type Parse = fn(Value) -> Option<serde_json::Error>;

/// The error about a request of a method whose `params` the SDK requires and could not parse. `None` for any other
/// method.
#[must_use]
pub fn of_request(request: &CustomRequest) -> Option<ErrorData> {
    let (members, parse): (&[Member], Parse) = match request.method.as_str() {
        "initialize" => (
            &[
                ("protocolVersion", Kind::Text, true),
                ("capabilities", Kind::Object, true),
                ("clientInfo", Kind::Object, true),
            ],
            |params| serde_json::from_value::<InitializeRequestParams>(params).err(),
        ),
        "tools/call" => (&[("name", Kind::Text, true), ("arguments", Kind::Object, false)], |params| {
            serde_json::from_value::<CallToolRequestParams>(params).err()
        }),
        _ => return None,
    };
    let none = Value::Object(JsonObject::new());
    let params = request.params.as_ref().filter(|params| !params.is_null()).unwrap_or(&none);
    let wrong = members.iter().find_map(|member| of_member(params, *member, &request.method));
    let message = wrong.unwrap_or_else(|| match parse(params.clone()) {
        Some(error) => format!("the `params` of {} are invalid: {error}", request.method),
        None => format!("the `params` of {} are invalid", request.method),
    });
    Some(ErrorData::invalid_params(message, None))
}

/// What is wrong with a member of `params`, if anything is.
fn of_member(params: &Value, (name, kind, is_required): Member, method: &str) -> Option<String> {
    let Some(params) = params.as_object() else { return Some(no_object(params)) };
    match (params.get(name).filter(|value| !value.is_null()), kind) {
        (None, _) if is_required => Some(format!("`params` of {method} lack `{name}`")),
        (None, _) | (Some(Value::String(_)), Kind::Text) | (Some(Value::Object(_)), Kind::Object) => None,
        (Some(value), Kind::Text) => Some(format!("`params.{name}` must be a string, and is {}", kind_of(value))),
        (Some(value), Kind::Object) => Some(format!("`params.{name}` must be an object, and is {}", kind_of(value))),
    }
}

fn no_object(params: &Value) -> String {
    format!("`params` must be an object, and is {}", kind_of(params))
}

/// The error about an object that is no message of JSON-RPC. It is small: [`message::read`](crate::message::read) has
/// bounded it.
#[must_use]
pub fn of_message(message: &JsonObject) -> ErrorData {
    let has = |name: &str| message.contains_key(name);
    let is_answer = has("result") || has("error");
    let what = match (message.get("jsonrpc"), message.get("method")) {
        (Some(Value::String(version)), _) if version != "2.0" => "`jsonrpc` must be \"2.0\"".to_owned(),
        (None, _) => "`jsonrpc` is missing, and must be \"2.0\"".to_owned(),
        (Some(version), _) if !version.is_string() => format!("`jsonrpc` must be \"2.0\", and is {}", kind_of(version)),
        (_, None) if !is_answer => "it has no `method`".to_owned(),
        (_, None) if !has("id") && has("result") => "it has a `result` and no `id`".to_owned(),
        (_, Some(method)) if !method.is_string() => format!("`method` must be a string, and is {}", kind_of(method)),
        (_, Some(_)) if is_answer => "it has a `method`, and a `result` or an `error` as well".to_owned(),
        _ => match message.get("params").filter(|params| !params.is_object() && !params.is_null()) {
            Some(params) => return ErrorData::invalid_params(no_object(params), None),
            None => "its members do not belong together".to_owned(),
        },
    };
    ErrorData::invalid_request(format!("the message is not a JSON-RPC request: {what}"), None)
}

/// The type of a value, in the words of JSON.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The code and the message.
    fn told(error: Option<ErrorData>) -> Option<(i32, String)> {
        error.map(|error| (error.code.0, error.message.into_owned()))
    }

    #[test]
    fn params_that_the_sdk_cannot_parse_are_named_and_are_not_an_unknown_method() {
        let client = json!({"name": "test"});
        for (method, params, expected) in [
            ("tools/call", None, "`params` of tools/call lack `name`"),
            ("tools/call", Some(json!({"arguments": {}})), "`params` of tools/call lack `name`"),
            ("tools/call", Some(json!({"name": 5})), "`params.name` must be a string, and is a number"),
            (
                "tools/call",
                Some(json!({"name": "a", "arguments": []})),
                "`params.arguments` must be an object, and is an array",
            ),
            (
                "tools/call",
                Some(json!({"name": "a", "arguments": "{}"})),
                "`params.arguments` must be an object, and is a string",
            ),
            (
                "initialize",
                Some(json!({"protocolVersion": "2025-11-25", "capabilities": {}})),
                "`params` of initialize lack `clientInfo`",
            ),
            (
                "initialize",
                Some(json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})),
                "the `params` of initialize are invalid: missing field `version`",
            ),
        ] {
            let request = CustomRequest::new(method, params);
            assert_eq!(told(of_request(&request)), Some((-32_602, expected.to_owned())), "{request:?}");
        }
        assert_eq!(told(of_request(&CustomRequest::new("no/such", None))), None);
    }

    #[test]
    fn an_object_that_is_no_message_is_told_what_is_wrong_with_it() {
        for (message, code, expected) in [
            (json!({}), -32_600, "`jsonrpc` is missing, and must be \"2.0\""),
            (json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}), -32_600, "`jsonrpc` must be \"2.0\""),
            (json!({"jsonrpc": 2.0, "id": 1, "method": "ping"}), -32_600, "`jsonrpc` must be \"2.0\", and is a number"),
            (json!({"jsonrpc": "2.0", "id": 1}), -32_600, "it has no `method`"),
            (json!({"jsonrpc": "2.0", "id": 1, "method": 5}), -32_600, "`method` must be a string, and is a number"),
            (
                json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}),
                -32_600,
                "it has a `method`, and a `result` or an `error` as well",
            ),
            (json!({"jsonrpc": "2.0", "result": {}}), -32_600, "it has a `result` and no `id`"),
            (json!({"jsonrpc": "2.0", "id": 1, "error": 5}), -32_600, "its members do not belong together"),
        ] {
            let object = message.as_object().expect("it is an object");
            let expected = format!("the message is not a JSON-RPC request: {expected}");
            assert_eq!(told(Some(of_message(object))), Some((code, expected)), "{message}");
        }
        let listed = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]});
        let expected = "`params` must be an object, and is an array".to_owned();
        assert_eq!(told(listed.as_object().map(of_message)), Some((-32_602, expected)));
    }
}
