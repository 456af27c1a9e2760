//! Bearer tokens, and the principals that hold them.

use std::fmt;

use intentbox_report::Principal;
use subtle::ConstantTimeEq as _;

/// The shortest token that is accepted, in bytes. `openssl rand -hex 16` gives 32.
const TOKEN_BYTES_MIN: usize = 16;

/// The longest token that is accepted, in bytes.
const TOKEN_BYTES_MAX: usize = 4 << 10;

/// The most tokens.
const TOKENS_MAX: usize = 1_000;

/// The tokens that are accepted, each with the name of its holder.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(String, String)>,
}

/// What is wrong with a list of tokens. Tokens themselves are not repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokensError {
    /// A line is not `NAME TOKEN`.
    #[error("line {line}: expected `NAME TOKEN`; make a token with `openssl rand -hex 32`")]
    Line {
        /// The number of the line, from 1.
        line: usize,
    },
    /// A token can be guessed.
    #[error(
        "line {line}: the token of {name} has {length} bytes; expected {TOKEN_BYTES_MIN} to {TOKEN_BYTES_MAX} visible ASCII \
         characters; make one with `openssl rand -hex 32`"
    )]
    Token {
        /// The number of the line, from 1.
        line: usize,
        /// Whose it is.
        name: String,
        /// How many bytes it has.
        length: usize,
    },
    /// A name or a token occurs twice.
    #[error("line {line}: an earlier line has this name or this token; give each holder one token of their own")]
    Twice {
        /// The number of the line, from 1.
        line: usize,
    },
    /// There are none.
    #[error("the token file is empty; expected 1 to {TOKENS_MAX} lines `NAME TOKEN`")]
    Empty,
    /// There are too many.
    #[error("the token file has {count} tokens; expected 1 to {TOKENS_MAX} lines `NAME TOKEN`")]
    TooMany {
        /// How many there are.
        count: usize,
    },
}

impl Tokens {
    /// Parses a list: one line `NAME TOKEN` for each; empty lines and lines that start with `#` are skipped.
    ///
    /// # Errors
    /// When a line is invalid (the first such line), and when there are no tokens or too many.
    pub fn parse(text: &str) -> Result<Self, TokensError> {
        let mut known: Vec<(String, String)> = Vec::new();
        for (line, text) in (1..).zip(text.lines()).map(|(line, text)| (line, text.trim())) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut words = text.split_whitespace();
            let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(TokensError::Line { line });
            };
            let is_visible = token.bytes().all(|byte| byte.is_ascii_graphic());
            if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&token.len()) || !is_visible {
                return Err(TokensError::Token { line, name: name.to_owned(), length: token.len() });
            }
            if known.iter().any(|(other, known)| other == name || known == token) {
                return Err(TokensError::Twice { line });
            }
            known.push((name.to_owned(), token.to_owned()));
        }
        match known.len() {
            0 => Err(TokensError::Empty),
            1..=TOKENS_MAX => Ok(Self { known }),
            count => Err(TokensError::TooMany { count }),
        }
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether no token is needed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The holder of a token. The time this takes does not depend on how much of the token was right: it is compared with
    /// every known one, to its end.
    #[must_use]
    pub fn holder(&self, token: &str) -> Option<Principal> {
        let mut holder = None;
        for (name, known) in &self.known {
            if bool::from(known.as_bytes().ct_eq(token.as_bytes())) {
                holder = Some(Principal::named(name));
            }
        }
        holder
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.known.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: &str = "0123456789abcdef";
    const BOB: &str = "fedcba9876543210-and-more";
    const TWICE: &str = "line 2: an earlier line has this name or this token; give each holder one token of their own";

    #[test]
    fn a_token_has_one_holder_and_a_list_is_read_line_by_line() {
        let tokens = Tokens::parse(&format!("# who may ask\n\nalice {ALICE}\n  bob\t{BOB}\n")).expect("it is a list");
        assert_eq!(tokens.holder(ALICE), Some(Principal::named("alice")));
        assert_eq!(tokens.holder(BOB), Some(Principal::named("bob")));
        for other in ["", "0", &ALICE[1..], &ALICE.to_uppercase(), &format!("{ALICE} "), &format!("alice {ALICE}")] {
            assert_eq!(tokens.holder(other), None, "{other:?}");
        }
        assert!(!format!("{tokens:?}").contains(ALICE));
    }

    #[test]
    fn an_invalid_list_is_rejected_and_no_token_is_repeated() {
        for (text, expected) in [
            (String::new(), "the token file is empty; expected 1 to 1000 lines `NAME TOKEN`"),
            ("alice".to_owned(), "line 1: expected `NAME TOKEN`; make a token with `openssl rand -hex 32`"),
            (format!("a {ALICE} b"), "line 1: expected `NAME TOKEN`; make a token with `openssl rand -hex 32`"),
            (
                format!("\nalice {}", &ALICE[1..]),
                "line 2: the token of alice has 15 bytes; expected 16 to 4096 visible ASCII characters; make one with \
                 `openssl rand -hex 32`",
            ),
            (format!("a {ALICE}\na {BOB}"), TWICE),
            (format!("a {ALICE}\nb {ALICE}"), TWICE),
        ] {
            let error = Tokens::parse(&text).map(|_| ()).expect_err("it is no list");
            assert_eq!(error.to_string(), expected);
            assert!(!error.to_string().contains(&ALICE[1..]));
        }
        let many: Vec<String> = (0..=TOKENS_MAX).map(|index| format!("n{index} {ALICE}{index}")).collect();
        assert_eq!(Tokens::parse(&many.join("\n")).map(|_| ()), Err(TokensError::TooMany { count: TOKENS_MAX + 1 }));
    }
}
