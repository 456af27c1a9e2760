//! Why a request is rejected.

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};

use crate::scope::Scope;

/// Why a request is rejected. The text says what the client can do about it, if it can do anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The server is not known by this `Host`, or not used by pages of this `Origin`.
    #[error(
        "Host or Origin is not allowed: the operator allows another name with `--allow-host NAME`, and pages of others with `--allow-origin ORIGIN`"
    )]
    HostOrOrigin,
    /// The request has no token, or an invalid one.
    #[error("unauthorized: send the header `Authorization: Bearer TOKEN` with a token of this server")]
    Unauthorized,
    /// The token of the request is for other things.
    #[error("forbidden: this needs a token with the scope `{}`", .scope.as_str())]
    Scope {
        /// What it would have to be for.
        scope: Scope,
    },
    /// The caller sends more requests than the operator allows.
    #[error("too many requests: try again after {after_s} s")]
    Rate {
        /// After how many seconds there is room again.
        after_s: u32,
    },
    /// The caller, or all callers together, have as many requests in flight as is allowed.
    #[error("overloaded: too many requests at a time; try again later")]
    Overloaded,
}

impl Rejection {
    /// The status of the answer.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Rejection::HostOrOrigin | Rejection::Scope { .. } => StatusCode::FORBIDDEN,
            Rejection::Rate { .. } => StatusCode::TOO_MANY_REQUESTS,
            Rejection::Unauthorized => StatusCode::UNAUTHORIZED,
            Rejection::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The header that goes with the status: how to authenticate, or after how many seconds to try again.
    pub(super) fn header(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Rejection::HostOrOrigin | Rejection::Scope { .. } => None,
            Rejection::Rate { after_s } => Some((RETRY_AFTER, HeaderValue::from(after_s))),
            Rejection::Unauthorized => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            Rejection::Overloaded => Some((RETRY_AFTER, HeaderValue::from_static("1"))),
        }
    }
}
