//! What a client sent: bounded in bytes and time, and JSON.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use http_body_util::LengthLimitError;
use intentbox_engine::Principal;
use intentbox_jobs::REQUEST_BYTES_MAX;
use intentbox_listen::bodies::{BodyPermit, INLINE_BYTES_MAX, LargeBodies};
use tokio::time::timeout;

use crate::problem::Problem;

/// How long a body may take to arrive.
const BODY_WITHIN: Duration = Duration::from_secs(15);

/// The text of a body, and a permit for a large one: few of them are in memory for one principal at a time.
pub(crate) struct Text {
    pub(crate) text: String,
    _permit: Option<BodyPermit>,
}

/// Reads a body. A page of another site can send forms and plain text without asking first, and no JSON.
///
/// # Errors
/// When it is too long, too slow, no UTF-8, or not declared as JSON.
pub(crate) async fn read(
    bodies: &LargeBodies,
    principal: &Principal,
    headers: &HeaderMap,
    body: Body,
) -> Result<Text, Problem> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let is_utf_8 = kind.split(';').skip(1).all(|parameter| match parameter.trim().split_once('=') {
        Some((name, charset)) if name.eq_ignore_ascii_case("charset") => {
            charset.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    });
    let is_plain = headers.get(CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity");
    if !essence.eq_ignore_ascii_case("application/json") || !is_utf_8 || !is_plain {
        let title = "the body must be application/json in UTF-8, without a Content-Encoding";
        let detail = "send the header `Content-Type: application/json`".to_owned();
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", title).detail(detail));
    }
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_long = || {
        let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is too long");
        problem.detail(format!("at most {REQUEST_BYTES_MAX} bytes"))
    };
    // Before a client is told to go on that asked first.
    if declared.is_some_and(|length| length > REQUEST_BYTES_MAX) {
        return Err(too_long());
    }
    let is_small = declared.is_some_and(|length| length <= INLINE_BYTES_MAX);
    let permit = if is_small { None } else { Some(bodies.acquire(principal).await) };
    let bytes = match timeout(BODY_WITHIN, to_bytes(body, REQUEST_BYTES_MAX)).await {
        Err(_) => {
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body took too long to arrive"));
        }
        Ok(Err(error)) if error.source().is_some_and(<dyn Error>::is::<LengthLimitError>) => return Err(too_long()),
        Ok(Err(_)) => {
            let title = "the body cannot be read";
            let detail = "the connection ended within it, or its chunks are malformed".to_owned();
            return Err(Problem::new(StatusCode::BAD_REQUEST, "body_invalid", title).detail(detail));
        }
        Ok(Ok(bytes)) => bytes,
    };
    let text = String::from_utf8(bytes.into());
    let text = text.map_err(|_| Problem::parameter("", "the body is not UTF-8".to_owned()))?;
    if text.starts_with('\u{feff}') {
        return Err(Problem::parameter("", "the body begins with a byte order mark: send it without".to_owned()));
    }
    Ok(Text { text, _permit: permit })
}
