//! Why a request failed: RFC 9457.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use intentbox_jobs::{Fault, NotAccepted, StoreError};
use serde_json::{Map, Value, json};

/// What is said where the disk has no room for anything new.
pub(crate) const FULL: &str = "the disk of the server is full, or nearly full: its operator has to free space there";

/// What a client reads that was not answered. Its `type` is `urn:intentbox:problem:` and a stable name.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: Option<String>,
    field: Option<String>,
    retry_after_s: Option<u32>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: &'static str, title: &'static str) -> Self {
        Self { status, kind, title, detail: None, field: None, retry_after_s: None }
    }

    pub(crate) fn detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }

    pub(crate) fn field(self, field: &str) -> Self {
        Self { field: Some(field.to_owned()).filter(|field| !field.is_empty()), ..self }
    }

    /// The same about a part of the request.
    pub(crate) fn within(self, part: &str) -> Self {
        let field = self.field.as_ref().map_or_else(|| part.to_owned(), |field| format!("{part}.{field}"));
        Self { field: Some(field), ..self }
    }

    pub(crate) fn not_found(detail: String) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "there is no such thing").detail(detail)
    }

    /// A part of a request that is invalid, where it does not stand in the body.
    pub(crate) fn parameter(field: &str, detail: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "parameter_invalid", "a parameter is invalid").field(field).detail(detail)
    }

    /// The store does not do its work now.
    pub(crate) fn storage(detail: String) -> Self {
        let title = "the jobs cannot be kept or read now";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_failed", title);
        Self { retry_after_s: Some(5), ..problem.detail(detail) }
    }

    pub(crate) fn store(error: &StoreError) -> Self {
        Self::storage(unstored(error).to_owned())
    }
}

/// Why the store does not answer, for clients: where its file lies is the operator's affair.
#[must_use]
pub fn unstored(error: &StoreError) -> &'static str {
    match error {
        StoreError::Full { .. } => FULL,
        StoreError::Busy { .. } => "another process holds the file",
        StoreError::Unreachable { .. } => "the database cannot be reached",
        StoreError::Database { .. } => "the database refuses",
        _ => "the file of jobs cannot be used",
    }
}

impl Problem {
    /// Clients of the principal do not read what they asked for.
    pub(crate) fn unread() -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "unread", "too many large answers of yours are unread")
            .detail("read them, or close the connections on which they wait".to_owned())
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "request_invalid", "the request is invalid");
        problem.field(&fault.field).detail(fault.reason)
    }
}

impl From<NotAccepted> for Problem {
    fn from(error: NotAccepted) -> Self {
        match &error {
            NotAccepted::OtherRequest => {
                let title = "the idempotency key was used for another request";
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_conflict", title)
                    .detail("send the same request again, or choose another key".to_owned())
            }
            NotAccepted::Full(_) | NotAccepted::FullOfBytes(_) => {
                let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", "too much waits");
                Self { retry_after_s: Some(10), ..problem.detail(error.to_string()) }
            }
            NotAccepted::TooManySchedules(_) => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "quota", "too many schedules").detail(error.to_string())
            }
            // It may have been written before the answer was lost.
            NotAccepted::Store(error @ StoreError::Unreachable { .. }) => Self::store(error).detail(
                "the database cannot be reached; whether the request was written is not known: \
                 send it again with the same Idempotency-Key"
                    .to_owned(),
            ),
            NotAccepted::Store(error) => Self::store(error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut fields = Map::new();
        fields.insert("type".to_owned(), json!(format!("urn:intentbox:problem:{}", self.kind)));
        fields.insert("title".to_owned(), json!(self.title));
        fields.insert("status".to_owned(), json!(self.status.as_u16()));
        for (name, value) in [("detail", self.detail), ("field", self.field)] {
            if let Some(value) = value {
                fields.insert(name.to_owned(), json!(value));
            }
        }
        let mut response = (self.status, Value::Object(fields).to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
