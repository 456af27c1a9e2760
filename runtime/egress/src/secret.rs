//! Secrets of origins: values that are sent, and never printed.

use std::fmt;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::CredentialError;

/// The longest secret, in bytes: what servers accept in one header line.
const SECRET_BYTES_MAX: usize = 8 * 1024;

/// The secret of an origin or of an upstream server. It prints as `****`, cannot be serialized, and only this crate reads it.
pub struct Secret(SecretString);

impl Secret {
    /// Takes the value, without the white space around it: a file usually ends in a line break.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        let whole = SecretString::from(value.into());
        Self(whole.expose_secret().trim().into())
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    pub(crate) fn fits_a_header(&self) -> bool {
        let value = self.expose();
        (1..=SECRET_BYTES_MAX).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

/// A header value that neither the client's log nor its `Debug` shows.
pub(crate) fn sensitive(text: &str) -> Result<HeaderValue, CredentialError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| CredentialError::Secret)?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("****")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing_of_itself() {
        let secret = Secret::new("hunter2-hunter2\n");
        assert_eq!(secret.expose(), "hunter2-hunter2");
        assert_eq!(format!("{secret:?}"), "****");
        let header = sensitive("Bearer hunter2-hunter2").expect("plain ASCII");
        assert_eq!(
            (header.as_bytes(), format!("{header:?}")),
            (&b"Bearer hunter2-hunter2"[..], "Sensitive".to_owned())
        );
    }

    #[test]
    fn what_a_header_cannot_carry_is_no_secret() {
        assert!(Secret::new("x").fits_a_header() && Secret::new("x".repeat(SECRET_BYTES_MAX)).fits_a_header());
        for value in ["", " \n", "a\r\nb: c", "a b", "caf\u{e9}", &"x".repeat(SECRET_BYTES_MAX + 1)] {
            assert!(!Secret::new(value).fits_a_header(), "{value:?}");
        }
    }
}
