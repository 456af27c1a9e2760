//! A part of a path, such as the id of a job.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::problem::Problem;

/// The one variable part of a path, as text. Bytes that are no text are rejected as a problem.
pub(crate) struct Segment(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::parameter("", "a part of the path is not encoded as UTF-8".to_owned()))?;
        Ok(Self(text))
    }
}
