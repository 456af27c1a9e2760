//! The tokens of an HTTP server, and whose they are.

use std::fmt;

use intentbox_engine::Principal;
use subtle::ConstantTimeEq as _;

/// The shortest token that is accepted, in bytes. `openssl rand -hex 16` gives 32.
const TOKEN_BYTES_MIN: usize = 16;

/// The longest token that is looked at, in bytes.
const TOKEN_BYTES_MAX: usize = 4 << 10;

/// The most tokens.
const TOKENS_MAX: usize = 1_000;

/// The tokens that are accepted over HTTP, each with the name of its holder.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(String, String)>,
}

/// What is wrong with a list of tokens. Tokens themselves are not repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokensError {
    /// A line is not `NAME TOKEN`.
    #[error("line {line}: write it as NAME TOKEN, such as `alice $(openssl rand -hex 32)`")]
    Line {
        /// The number of the line, from 1.
        line: usize,
    },
    /// A token can be guessed.
    #[error(
        "line {line}: the token of {name} has {length} characters; at least {TOKEN_BYTES_MIN} are needed, at most \
             {TOKEN_BYTES_MAX}, of the visible ones of ASCII: `openssl rand -hex 32` makes one"
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
    #[error("line {line}: this name or token has been given already")]
    Twice {
        /// The number of the line, from 1.
        line: usize,
    },
    /// There are none, or too many.
    #[error("{count} tokens; from 1 to {TOKENS_MAX} are possible, a line `NAME TOKEN` each")]
    Count {
        /// How many there are.
        count: usize,
    },
}

impl Tokens {
    /// Reads a list: a line `NAME TOKEN` for each; empty lines and lines that start with `#` say nothing.
    ///
    /// # Errors
    /// The first line that is wrong.
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
            1..=TOKENS_MAX => Ok(Self { known }),
            count => Err(TokensError::Count { count }),
        }
    }

    /// How many principals there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nobody needs a token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The holder of a token. The time it takes says nothing about how much of a token was right: every known one is
    /// compared, to its end.
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
    fn what_is_no_list_is_refused_and_no_token_is_repeated() {
        for (text, expected) in [
            (String::new(), "0 tokens; from 1 to 1000 are possible, a line `NAME TOKEN` each".to_owned()),
            ("alice".to_owned(), "line 1: write it as NAME TOKEN, such as `alice $(openssl rand -hex 32)`".to_owned()),
            (format!("a {ALICE} b"), "line 1: write it as NAME TOKEN, such as `alice $(openssl rand -hex 32)`".to_owned()),
            (
                format!("\nalice {}", &ALICE[1..]),
                "line 2: the token of alice has 15 characters; at least 16 are needed, at most 4096, of the visible ones \
                 of ASCII: `openssl rand -hex 32` makes one"
                    .to_owned(),
            ),
            (format!("a {ALICE}\na {BOB}"), "line 2: this name or token has been given already".to_owned()),
            (format!("a {ALICE}\nb {ALICE}"), "line 2: this name or token has been given already".to_owned()),
        ] {
            let error = Tokens::parse(&text).map(|_| ()).expect_err("it is no list");
            assert_eq!(error.to_string(), expected);
            assert!(!error.to_string().contains(&ALICE[1..]));
        }
        let many: Vec<String> = (0..=TOKENS_MAX).map(|index| format!("n{index} {ALICE}{index}")).collect();
        assert_eq!(Tokens::parse(&many.join("\n")).map(|_| ()), Err(TokensError::Count { count: TOKENS_MAX + 1 }));
    }
}
