//! The bearer token: generates one, and checks that a request carries it.

use std::fmt;

use axum::http::HeaderValue;
use subtle::ConstantTimeEq as _;

use crate::failure::Failure;

/// The secret that every request has to carry.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(****)")
    }
}

impl Token {
    /// A new token of 256 random bits in the shape of an organisation token.
    pub(crate) fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)?;
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        Ok(Token(format!("sntrys_{}", digits.collect::<Vec<_>>().concat())))
    }

    /// A token that was chosen by somebody, if it can stand in a header.
    pub(crate) fn chosen(text: String) -> Option<Token> {
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then_some(Token(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Lets a request pass whose `Authorization` header carries this token, and says why not otherwise.
    pub(crate) fn admit(&self, authorization: Option<&HeaderValue>) -> Result<(), Failure> {
        let text = authorization.ok_or(Failure::NoCredentials)?.as_bytes();
        let end = text.iter().position(|byte| *byte == b' ').unwrap_or(text.len());
        let (scheme, rest) = text.split_at(end);
        let sent = rest.get(1..).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(b"Bearer") {
            return Err(Failure::NoCredentials);
        }
        // The time this takes does not tell where the first difference is.
        if bool::from(sent.ct_eq(self.0.as_bytes())) { Ok(()) } else { Err(Failure::InvalidToken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: Option<&str>, expected: Result<(), Failure>) {
        let token = Token::chosen("secret".to_owned()).expect("it is plain text");
        let value = header.map(|text| HeaderValue::from_str(text).expect("it fits a header"));
        let found = token.admit(value.as_ref()).map_err(|failure| failure.to_string());
        assert_eq!(found, expected.map_err(|failure| failure.to_string()), "{header:?}");
    }

    #[test]
    fn only_the_bearer_of_the_token_is_admitted() {
        check(Some("Bearer secret"), Ok(()));
        check(Some("bearer secret"), Ok(()));
        check(None, Err(Failure::NoCredentials));
        check(Some("secret"), Err(Failure::NoCredentials));
        check(Some("Basic secret"), Err(Failure::NoCredentials));
        check(Some("Bearer"), Err(Failure::InvalidToken));
        check(Some("Bearer "), Err(Failure::InvalidToken));
        check(Some("Bearer secre"), Err(Failure::InvalidToken));
        check(Some("Bearer secret2"), Err(Failure::InvalidToken));
        check(Some("Bearer Secret"), Err(Failure::InvalidToken));
    }

    #[test]
    fn tokens_are_long_fresh_and_not_shown() {
        let (one, two) = (Token::random().expect("random bytes"), Token::random().expect("random bytes"));
        assert_eq!(one.as_str().len(), "sntrys_".len() + 64);
        assert_ne!(one, two);
        assert_eq!(format!("{one:?}"), "Token(****)");
    }

    #[test]
    fn a_chosen_token_must_fit_a_header() {
        assert!(Token::chosen(String::new()).is_none());
        assert!(Token::chosen("two words".to_owned()).is_none());
        assert!(Token::chosen("line\nbreak".to_owned()).is_none());
        assert!(Token::chosen("sntrys_0".to_owned()).is_some());
    }
}
