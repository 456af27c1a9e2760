//! Cards: what can be asked for, in the words in which people ask for it.

use std::collections::BTreeMap;
use std::fmt;

use intentbox_catalog::ParamSpec;
use serde::Serialize;

/// One thing that can be asked for. It does not say what executes it: the maker of the card finds that by the id.
#[derive(Debug, Clone)]
pub struct Card {
    /// The id, unique within a router.
    pub id: CardId,
    /// The pack.
    pub pack: Pack,
    /// The name inside the pack, such as `list_errors`. Its words count as words of the card.
    pub name: String,
    /// What it does, in one sentence. Its words count less than those of a phrase.
    pub summary: String,
    /// Phrases that select it.
    pub phrases: Vec<String>,
    /// The parameters, in declared order.
    pub parameters: Vec<ParamSpec>,
    /// Whether it changes something. Such a card is not chosen by a question or by a misspelled word.
    pub writes: bool,
}

/// The id of a card. The router compares and orders ids, and reads nothing from them: any text will do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CardId(String);

/// What the cards of one domain share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// The name, such as `sentry`, unique within a router. Its words count as words of each card.
    pub name: String,
    /// Words that mean the same in the domain: each list is read as its key. The cards of a pack have equal synonyms.
    pub synonyms: BTreeMap<String, Vec<String>>,
}

impl CardId {
    /// The id with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
