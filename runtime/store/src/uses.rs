//! How the tools of upstream servers were used: what ranks them, and what their answers look like.

/// How many words one tool learns.
pub(crate) const LEARNED_WORDS_MAX: i64 = 32;

/// After how many runs a word counts: one may be chance, or a name.
pub(crate) const LEARNED_RUNS_MIN: i64 = 2;

/// Calls of one tool that were answered since the last ones were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The server.
    pub server: String,
    /// The tool.
    pub name: String,
    /// How many.
    pub calls: u64,
    /// When the last was, in milliseconds after 1970, UTC.
    pub last_ms: i64,
    /// What the answers looked like; nothing leaves what is known.
    pub shape: Option<ToolShape>,
}

/// What the answers of a tool look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolShape {
    /// The SHA-256 of the definition that it was seen under, in hexadecimal: another definition may answer otherwise.
    pub hash: String,
    /// The shape, as its writer encoded it.
    pub encoded: Vec<u8>,
}

/// How often a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The server.
    pub server: String,
    /// The tool.
    pub name: String,
    /// How many calls it answered.
    pub calls: u64,
    /// When it answered last, in milliseconds after 1970, UTC.
    pub last_ms: i64,
}

/// A word that people say for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedWord {
    /// The server.
    pub server: String,
    /// The tool.
    pub name: String,
    /// The word, as the search compares it.
    pub word: String,
}
