//! Retries of rate-limited requests, after the time that the origin names in `Retry-After`.

use std::time::{Duration, SystemTime};

use intentbox_capability::Method;
use reqwest::Response;
use reqwest::header::{HeaderValue, RETRY_AFTER};

/// How often one request is retried. An origin that delays it more often is not going to answer within a run.
const WAITS_MAX: u32 = 5;

/// The shortest wait: `Retry-After: 0` asks for patience, not for a storm.
const WAIT_MIN: Duration = Duration::from_millis(50);

/// How long to wait before retrying the request; `None` if this reply is final.
///
/// Only requests that change nothing are retried: a write may have been carried out in part. If the run does not have
/// the time, there is no retry, so that the script sees the reply and can report it.
pub(crate) fn wait(method: Method, response: &Response, waits: u32, left: Duration) -> Option<Duration> {
    let reads = matches!(method, Method::Get | Method::Head);
    let put_off = matches!(response.status().as_u16(), 429 | 503);
    if !reads || !put_off || waits == WAITS_MAX {
        return None;
    }
    let wait = after(response.headers().get(RETRY_AFTER)?, SystemTime::now())?.max(WAIT_MIN);
    (wait < left).then_some(wait)
}

/// The two forms of `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
fn after(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn seconds_and_dates_are_read_and_nothing_else() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (value, expected) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:49:38 GMT", Some(1)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("99999999999999999999999", None),
        ] {
            let header = HeaderValue::from_str(value).expect("a header");
            assert_eq!(after(&header, now), expected.map(Duration::from_secs), "{value:?}");
        }
    }
}
