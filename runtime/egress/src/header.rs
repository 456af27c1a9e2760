//! Checks the syntax and size of request headers, and filters reply headers. The grant decides which headers a script may set.

use intentbox_capability::{AllowedUrl, HeaderNameError, Refusal};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::exchange::SendError;
use crate::redact::Redactor;

/// How many headers a script may send, and their bytes together. Far above what an API needs, below what any server
/// refuses.
const SENT_MAX: usize = 64;
const SENT_BYTES_MAX: usize = 16 * 1024;

/// How many headers a reply may have, and their bytes together. The client stops reading at the first limit; twice as
/// much would still be harmless.
pub(crate) const RECEIVED_MAX: usize = 128;
const RECEIVED_BYTES_MAX: usize = 64 * 1024;

/// Checks a script's headers. The first that cannot be sent is named; its value is not repeated.
pub(crate) fn check(headers: &[(&str, &str)]) -> Result<HeaderMap, SendError> {
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if headers.len() > SENT_MAX || bytes > SENT_BYTES_MAX {
        return Err(SendError::failed(
            "header_invalid",
            format!(
                "{} headers of {bytes} bytes are too much: at most {SENT_MAX} of {SENT_BYTES_MAX} bytes",
                headers.len()
            ),
        ));
    }
    let mut checked = HeaderMap::new();
    for (name, value) in headers {
        let invalid = |why| {
            let message = format!("the header `{}` {why}", name.escape_debug());
            Err(SendError::failed("header_invalid", message))
        };
        if let Err(error) = name.parse::<intentbox_capability::HeaderName>() {
            return invalid(match error {
                HeaderNameError::NotForScripts => "is not for scripts to set",
                HeaderNameError::Form => "is not a valid header name",
            });
        }
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            return invalid("is not a valid header name");
        };
        if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return invalid("contains something other than printable ASCII");
        }
        let Ok(value) = HeaderValue::from_str(value) else {
            return invalid("has a value that cannot be sent");
        };
        checked.append(header, value);
    }
    Ok(checked)
}

/// Asks the gate for each of the headers that [`check`] admitted.
pub(crate) fn admit(headers: &HeaderMap, to: &AllowedUrl) -> Result<(), Refusal> {
    headers.keys().try_for_each(|name| {
        let name = name.as_str().parse().expect("`check` has parsed it");
        to.admit_header(&name)
    })
}

/// The content types of a body, by its headers. Values that are not text count as no type.
pub(crate) fn content_types(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all(CONTENT_TYPE).iter().filter_map(|value| value.to_str().ok()).collect()
}

/// The bytes of headers, as the budget counts them.
pub(crate) fn bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// A reply's headers as a script sees them: without cookies, and without the secret.
pub(crate) fn received(headers: &HeaderMap, redactor: &Redactor) -> Result<Vec<(String, String)>, SendError> {
    if headers.len() > RECEIVED_MAX || bytes(headers) > RECEIVED_BYTES_MAX {
        let message = format!("the reply has more than {RECEIVED_MAX} headers or {RECEIVED_BYTES_MAX} bytes of them");
        return Err(SendError::failed("protocol", message));
    }
    let seen = headers.iter().filter(|(name, _)| !name.as_str().starts_with("set-cookie"));
    let clean = |bytes: &[u8]| {
        let bytes = redactor.redact(bytes.to_vec());
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(seen.map(|(name, value)| (clean(name.as_str().as_bytes()), clean(value.as_bytes()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_that_can_be_sent_are_taken() {
        for (name, value) in [("Accept", "application/json"), ("x-a", ""), ("If-None-Match", "\"a\"")] {
            assert_eq!(check(&[(name, value)]).unwrap().get(name).unwrap(), value);
        }
        for (name, why) in [
            ("Authorization", "is not for scripts to set"),
            ("Transfer_Encoding", "is not for scripts to set"),
            ("X-HTTP-Method-Override", "is not for scripts to set"),
            (":authority", "is not a valid header name"),
            ("a b", "is not a valid header name"),
            ("a\r\nHost", "is not a valid header name"),
            ("", "is not a valid header name"),
        ] {
            let message = check(&[(name, "x")]).unwrap_err().to_string();
            assert_eq!(message, format!("header_invalid: the header `{}` {why}", name.escape_debug()));
        }
        for value in ["a\r\nb: c", "a\0", "a\tb", "caf\u{e9}"] {
            let message = check(&[("x", value)]).unwrap_err().to_string();
            assert_eq!(message, "header_invalid: the header `x` contains something other than printable ASCII");
        }
    }

    #[test]
    fn headers_are_bounded() {
        assert!(check(&[("x", "y"); SENT_MAX]).is_ok());
        assert!(check(&[("x", "y"); SENT_MAX + 1]).is_err());
        let value = "y".repeat(SENT_BYTES_MAX - 1);
        assert!(check(&[("x", &value)]).is_ok());
        assert!(check(&[("xx", &value)]).is_err());
    }
}
