//! Bearer tokens, the principals that hold them, and what those may do.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use intentbox_report::Principal;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::scope::Scopes;

/// The shortest token that is accepted, in bytes. `openssl rand -hex 16` gives 32.
const TOKEN_BYTES_MIN: usize = 16;

/// The longest token that is accepted, in bytes.
const TOKEN_BYTES_MAX: usize = 4 << 10;

/// The most tokens.
const TOKENS_MAX: usize = 1_000;

/// The tokens that are accepted: those of a list, which may do everything, and those that were given since. Clones share them.
///
/// Only their digests are kept. So the time that a look takes tells nothing of a token: who guesses does not choose the digest.
#[derive(Clone, Default)]
pub struct Tokens {
    listed: Arc<HashMap<TokenDigest, Principal>>,
    given: Arc<RwLock<Given>>,
    /// Tells that other tokens are accepted.
    changes: Changes,
}

/// Tells those who wait that something has changed.
#[derive(Clone)]
struct Changes(watch::Sender<()>);

impl Default for Changes {
    fn default() -> Self {
        Self(watch::Sender::new(()))
    }
}

/// The SHA-256 of a token.
pub type TokenDigest = [u8; 32];

#[derive(Default)]
struct Given {
    is_needed: bool,
    tokens: HashMap<TokenDigest, GivenToken>,
}

/// A token that was given to somebody, and may be taken back.
#[derive(Debug, Clone)]
pub struct GivenToken {
    /// Whose it is.
    pub principal: Principal,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it ends, in milliseconds after 1970, UTC.
    pub expires_unix_ms: Option<i64>,
}

impl GivenToken {
    /// How long it is accepted, in milliseconds.
    fn left_ms(&self) -> u64 {
        let left = |end: i64| u64::try_from(end.saturating_sub(now_unix_ms())).unwrap_or(0);
        self.expires_unix_ms.map_or(u64::MAX, left)
    }
}

/// The digest under which a token is kept.
#[must_use]
pub fn token_digest(token: &str) -> TokenDigest {
    Sha256::digest(token).into()
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
    /// A name is none.
    #[error(
        "line {line}: a name is 1 to 64 letters, digits, `_`, `-`, `.` or `@`, as in `[principals.NAME]` of the policy"
    )]
    Name {
        /// The number of the line, from 1.
        line: usize,
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
        let mut known: Vec<(&str, &str)> = Vec::new();
        // Some editors begin a file with a mark, which would be a part of the first name.
        let text = text.trim_start_matches('\u{feff}');
        for (line, text) in (1..).zip(text.lines()).map(|(line, text)| (line, text.trim())) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut words = text.split_whitespace();
            let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(TokensError::Line { line });
            };
            if !Principal::is_name(name) {
                return Err(TokensError::Name { line });
            }
            let is_visible = token.bytes().all(|byte| byte.is_ascii_graphic());
            if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&token.len()) || !is_visible {
                return Err(TokensError::Token { line, name: name.to_owned(), length: token.len() });
            }
            if known.iter().any(|(other, known)| *other == name || *known == token) {
                return Err(TokensError::Twice { line });
            }
            known.push((name, token));
        }
        match known.len() {
            0 => Err(TokensError::Empty),
            1..=TOKENS_MAX => {
                let listed = known.iter().map(|(name, token)| (token_digest(token), Principal::named(name)));
                Ok(Self { listed: Arc::new(listed.collect()), ..Self::default() })
            }
            count => Err(TokensError::TooMany { count }),
        }
    }

    /// Accepts these tokens besides those of the list, and none that were given before. From then on a token is needed if `is_needed`
    /// is true, or ever was: that the last one was taken back does not open a server to everybody.
    pub fn give(&self, tokens: HashMap<TokenDigest, GivenToken>, is_needed: bool) {
        let mut given = self.given.write().unwrap_or_else(PoisonError::into_inner);
        let is_needed = is_needed || given.is_needed;
        *given = Given { is_needed, tokens };
        drop(given);
        self.changes.0.send_replace(());
    }

    /// Whether several principals hold tokens, or may.
    #[must_use]
    pub fn are_shared(&self) -> bool {
        self.listed.len() > 1 || self.given.read().unwrap_or_else(PoisonError::into_inner).is_needed
    }

    /// Whether a token is needed.
    #[must_use]
    pub fn are_needed(&self) -> bool {
        !self.listed.is_empty() || self.given.read().unwrap_or_else(PoisonError::into_inner).is_needed
    }

    /// The holder of a token, and what it may be used for.
    #[must_use]
    pub fn holder(&self, token: &str) -> Option<(Principal, Scopes)> {
        let digest = token_digest(token);
        if let Some(principal) = self.listed.get(&digest) {
            return Some((principal.clone(), Scopes::ALL));
        }
        let token = self.given(&digest)?;
        (token.left_ms() > 0).then_some((token.principal, token.scopes))
    }

    /// Waits until a token is accepted no more; without one, until a token is needed.
    pub async fn ended(&self, token: Option<TokenDigest>) {
        // Before the first look, so that nothing falls between.
        let mut changes = self.changes.0.subscribe();
        loop {
            let left = match token {
                Some(digest) if self.listed.contains_key(&digest) => u64::MAX,
                Some(digest) => self.given(&digest).map_or(0, |token| token.left_ms()),
                None if self.are_needed() => 0,
                None => u64::MAX,
            };
            if left == 0 {
                return;
            }
            let expired = async {
                match left {
                    u64::MAX => std::future::pending().await,
                    left => sleep(Duration::from_millis(left)).await,
                }
            };
            tokio::select! {
                told = changes.changed() => if told.is_err() { return },
                () = expired => {}
            }
        }
    }

    fn given(&self, digest: &TokenDigest) -> Option<GivenToken> {
        self.given.read().unwrap_or_else(PoisonError::into_inner).tokens.get(digest).cloned()
    }
}

fn now_unix_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.listed.values().filter_map(Principal::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;

    const ALICE: &str = "0123456789abcdef";
    const BOB: &str = "fedcba9876543210-and-more";
    const TWICE: &str = "line 2: an earlier line has this name or this token; give each holder one token of their own";

    #[test]
    fn a_token_has_one_holder_and_a_list_is_read_line_by_line() {
        let tokens = Tokens::parse(&format!("# who may ask\n\nalice {ALICE}\n  bob\t{BOB}\n")).expect("it is a list");
        assert_eq!(tokens.holder(ALICE), Some((Principal::named("alice"), Scopes::ALL)));
        assert_eq!(tokens.holder(BOB), Some((Principal::named("bob"), Scopes::ALL)));
        for other in ["", "0", &ALICE[1..], &ALICE.to_uppercase(), &format!("{ALICE} "), &format!("alice {ALICE}")] {
            assert_eq!(tokens.holder(other), None, "{other:?}");
        }
        assert!(!format!("{tokens:?}").contains(ALICE));
    }

    #[test]
    fn a_given_token_holds_until_it_ends_or_is_taken_back_and_the_server_stays_closed() {
        let tokens = Tokens::default();
        assert!(!tokens.are_needed());
        let give = |expires_unix_ms| {
            let token =
                GivenToken { principal: Principal::named("carol"), scopes: Scopes::of([Scope::Read]), expires_unix_ms };
            tokens.give(HashMap::from([(token_digest(ALICE), token)]), true);
            tokens.holder(ALICE)
        };
        let carol = Some((Principal::named("carol"), Scopes::of([Scope::Read])));
        assert_eq!((give(None), give(Some(i64::MAX)), give(Some(now_unix_ms()))), (carol.clone(), carol, None));
        tokens.give(HashMap::new(), false);
        assert_eq!(tokens.holder(ALICE), None);
        assert!(tokens.are_needed());
    }

    #[tokio::test]
    async fn the_end_of_a_token_is_told_to_who_waits_for_it() {
        let (tokens, digest) = (Tokens::default(), token_digest(ALICE));
        let local = tokio::spawn({
            let tokens = tokens.clone();
            async move { tokens.ended(None).await }
        });
        let give = |expires_unix_ms| {
            let (principal, scopes) = (Principal::named("carol"), Scopes::ALL);
            tokens.give(HashMap::from([(digest, GivenToken { principal, scopes, expires_unix_ms })]), true);
        };
        give(None);
        local.await.expect("a token is needed from now on");
        let carols = tokio::spawn({
            let tokens = tokens.clone();
            async move { tokens.ended(Some(digest)).await }
        });
        tokio::task::yield_now().await;
        give(Some(i64::MAX));
        tokio::task::yield_now().await;
        assert!(!carols.is_finished(), "it is accepted longer");
        tokens.give(HashMap::new(), true);
        carols.await.expect("it was taken back");
        give(Some(now_unix_ms()));
        tokens.ended(Some(digest)).await;
        let listed = Tokens::parse(&format!("alice {ALICE}")).expect("a list");
        let waits = tokio::spawn(async move { listed.ended(Some(digest)).await });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished(), "one of the list is accepted as long as the program runs");
        waits.abort();
    }

    #[test]
    fn a_mark_of_an_editor_is_no_part_of_a_name() {
        let tokens = Tokens::parse(&format!("\u{feff}alice {ALICE}")).expect("a list");
        assert_eq!(tokens.listed.get(&token_digest(ALICE)), Some(&Principal::named("alice")));
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
            (
                format!("a {ALICE}\na/b {BOB}"),
                "line 2: a name is 1 to 64 letters, digits, `_`, `-`, `.` or `@`, as in `[principals.NAME]` of the policy",
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
