//! Principals: the user who started the program, or the holder of a token.

/// The longest name of a token's holder, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// Who makes a request. Answers, kept results, budgets and connections are not shared between two principals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(String);

impl Principal {
    /// The user who started the program, or a caller without a token.
    #[must_use]
    pub fn local() -> Self {
        Self(String::new())
    }

    /// Whether a text can be the name of a token's holder: 1 to 64 letters and digits of ASCII, `_`, `-`, `.` and `@`. The policy has a
    /// table for such a name.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.@".contains(&byte);
        (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_part)
    }

    /// The holder of a token, by the name in the list of tokens.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(format!("token:{name}"))
    }

    /// The principal of a text that [`Principal::as_str`] gave; nothing for any other text.
    #[must_use]
    pub fn kept(text: &str) -> Option<Self> {
        (text.is_empty() || text.starts_with("token:")).then(|| Self(text.to_owned()))
    }

    /// The name of a token's holder; nothing for the local principal.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.strip_prefix("token:")
    }

    /// A text that no other principal has. The local one's is empty.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_local_principal_is_no_holder_of_a_token() {
        assert_eq!(Principal::local().name(), None);
        assert_eq!(Principal::named("").name(), Some(""));
        assert_ne!(Principal::local(), Principal::named(""));
        assert_eq!(Principal::named("alice").name(), Some("alice"));
        for principal in [Principal::local(), Principal::named("alice")] {
            assert_eq!(Principal::kept(principal.as_str()), Some(principal));
        }
        assert_eq!(Principal::kept("alice"), None);
    }
}
