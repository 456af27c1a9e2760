//! Error replies: the reason in Sentry's words, as JSON.

use axum::Json;
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::page::PageError;
use crate::period::PeriodError;
use crate::rate::RateLimit;
use crate::search::SearchError;

/// Why there is no answer. Shows as the text behind `detail`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("Authentication credentials were not provided.")]
    NoCredentials,
    #[error("Invalid token")]
    InvalidToken,
    #[error("The requested resource does not exist")]
    NotFound,
    /// Beyond what Sentry says: the demo has a part of its paths.
    #[error(
        "The requested resource does not exist. The demo serves, under /api/0/organizations/ORG/: projects/, environments/, \
         releases/, issues/, issues/ID/, issues/ID/events/, issues/ID/events/latest/ and issues/ID/tags/KEY/"
    )]
    NoPath,
    #[error("Event not found")]
    EventNotFound,
    #[error("You do not have permission to perform this action.")]
    Forbidden,
    #[error("Method \"{method}\" not allowed.")]
    Method { method: Method, allow: &'static str },
    #[error("Error parsing search query: {0}")]
    Search(#[from] SearchError),
    #[error(transparent)]
    Period(#[from] PeriodError),
    #[error(transparent)]
    Page(#[from] PageError),
    #[error("Invalid stats_period. Valid choices are {choices}")]
    Chart { choices: &'static str },
    #[error("Sort key '{sort}' not supported.")]
    Sort { sort: String },
    #[error("Invalid project parameter. Values must be numbers.")]
    Project,
    #[error("Invalid value for 'visibility', valid values are: ['all', 'hidden', 'visible']")]
    Visibility,
    #[error("Unknown actor input: {actor}")]
    Actor { actor: String },
    #[error("JSON parse error - {0}")]
    Body(serde_json::Error),
    #[error("The request body is too large")]
    BodyTooLarge,
    #[error(
        "You are attempting to use this endpoint too frequently. Limit is {} requests in {} seconds",
        .limit.requests,
        .limit.per_s
    )]
    RateLimited { limit: RateLimit, retry_after_s: u64 },
}

impl Failure {
    fn status(&self) -> StatusCode {
        match self {
            Failure::NoCredentials | Failure::InvalidToken => StatusCode::UNAUTHORIZED,
            Failure::NotFound | Failure::NoPath | Failure::EventNotFound => StatusCode::NOT_FOUND,
            Failure::Forbidden => StatusCode::FORBIDDEN,
            Failure::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Failure::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            // The rest is about what the request says.
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = Json(json!({ "detail": self.to_string() }));
        let mut response = (self.status(), body).into_response();
        let headers = response.headers_mut();
        match self {
            Failure::Method { allow, .. } => {
                headers.insert(ALLOW, HeaderValue::from_static(allow));
            }
            Failure::RateLimited { retry_after_s, .. } => {
                headers.insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
            }
            _ => {}
        }
        response
    }
}
