//! Cards: what can be asked for, in the words in which people ask for it.

use std::collections::BTreeMap;
use std::fmt;

use intentbox_catalog::words::Clause;
use intentbox_catalog::{Companions, Effects, ParamSpec, Template};
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
    /// Phrases that select it where a sentence says nothing else: their words count for no other sentence.
    pub whole_phrases: Vec<String>,
    /// Phrases that select it where the data hold the texts of a sentence that has no answer otherwise.
    pub confirmed_phrases: Vec<String>,
    /// Patterns over several parameters that count only there.
    pub confirmed_clauses: Vec<Clause>,
    /// The parameters, in declared order.
    pub parameters: Vec<ParamSpec>,
    /// Patterns over several parameters.
    pub clauses: Vec<Clause>,
    /// What a sentence means without saying it, once all else was read.
    pub implied: Vec<Clause>,
    /// Parameters of which a sentence gives one at most.
    pub one_of: Vec<String>,
    /// Which parameters take more of what others take.
    pub companions: Companions,
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
    /// Words that say that this pack is meant, and nothing more, such as `log`. Nobody has to say them.
    pub about: Vec<String>,
    /// Trained weights of its cards: lines of an id, a feature and a weight, with tabs between.
    pub weights: Option<String>,
    /// Words that mean the same in the domain: each list is read as its key. The cards of a pack have equal synonyms.
    pub synonyms: BTreeMap<String, Vec<String>>,
}

impl Card {
    /// The card of a template. Its id is the template's.
    #[must_use]
    pub fn of(template: &Template) -> Self {
        let pack = template.pack();
        Self {
            id: CardId::new(template.id().as_str()),
            pack: Pack {
                name: pack.id().to_owned(),
                about: pack.about().to_vec(),
                weights: pack.weights().map(str::to_owned),
                synonyms: pack.synonyms().clone(),
            },
            name: template.id().name().to_owned(),
            summary: template.summary().to_owned(),
            phrases: template.phrases().to_vec(),
            whole_phrases: template.whole_phrases().to_vec(),
            confirmed_phrases: template.confirmed_phrases().to_vec(),
            confirmed_clauses: template.confirmed_clauses().to_vec(),
            parameters: template.parameters().to_vec(),
            clauses: template.clauses().to_vec(),
            implied: template.implied().to_vec(),
            one_of: template.one_of().to_vec(),
            companions: template.companions().clone(),
            writes: template.effects() == Effects::Write,
        }
    }
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
