//! What a token may be used for.

use std::fmt;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Looks at one's own jobs and schedules, at templates and tools.
    Read,
    /// Runs something now, later or again and again, and cancels it.
    Run,
    /// Looks at what concerns all clients, such as counts, and changes what everybody uses.
    Manage,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Run, Self::Manage];

    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Manage => "manage",
        }
    }

    /// The scope of this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// Any of the scopes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// All of them.
    pub const ALL: Self = Self(0b111);

    /// These.
    #[must_use]
    pub fn of(scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | 1 << scope as u8))
    }

    /// The scopes of these words, with spaces between. A word of a later version is none.
    #[must_use]
    pub fn parse(words: &str) -> Self {
        Self::of(words.split_whitespace().filter_map(Scope::of))
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u8 != 0
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = Scope::ALL.into_iter().filter(|scope| self.has(*scope)).map(Scope::as_str).collect();
        f.write_str(&words.join(" "))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scopes({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_as_they_are_written() {
        for scopes in [Scopes::ALL, Scopes::of([]), Scopes::of([Scope::Run]), Scopes::of([Scope::Read, Scope::Manage])]
        {
            assert_eq!(Scopes::parse(&scopes.to_string()), scopes);
        }
        assert_eq!(Scopes::parse("run fly"), Scopes::of([Scope::Run]));
    }
}
