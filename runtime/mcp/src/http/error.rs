//! Why a request is not answered, in a form that clients can parse.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::RequestId;
use serde_json::json;

/// An error of JSON-RPC, with the status of HTTP that goes with it.
pub(super) struct RpcError {
    pub(super) status: StatusCode,
    pub(super) code: i32,
    pub(super) message: String,
    /// The id of the request, if it is known.
    pub(super) id: Option<RequestId>,
    pub(super) header: Option<(HeaderName, &'static str)>,
}

/// An error of a request whose id is not known.
pub(super) fn error(status: StatusCode, code: i32, message: &str) -> RpcError {
    RpcError { status, code, message: message.to_owned(), id: None, header: None }
}

impl RpcError {
    pub(super) fn into_response(self) -> Response {
        let RpcError { status, code, message, id, header } = self;
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let mut response = (status, Json(error)).into_response();
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}
