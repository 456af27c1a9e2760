//! The router: which card does a sentence ask for, and with which values?
//!
//! A [`Card`] is one thing that can be asked for, such as a template. It declares what sentences may look like:
//! phrases, word patterns of parameters, and synonyms of its pack. A sentence chooses among cards and fills their
//! parameters; it cannot do anything else, whatever it says.
//!
//! The router is pure: no I/O, no clock, no model, and no knowledge of any domain. It is *not* for checking values
//! against their bounds, and it does not know what carries a card out.
//!
//! **The score** of a card is the product of two shares. The first is the share of the sentence's informative words
//! that the card *explains*: they occur in its phrases, its name or its pack's. A word that it cannot explain counts
//! three times, unless its summary holds it. The second is the share of the card's best phrase that the sentence
//! *says*. The product asks both ways round: does the card account for everything that was said, and does the sentence
//! say what the card is for? "delete all errors" fails the first for a card that lists errors, "list" the second. Words
//! that say nothing (`the`, `please`) and words of a value ("last 5") take no part. Sums of BM25 are no such measure:
//! they grow with the length of the sentence and shrink with the number of cards.
//!
//! A sentence that *is* a declared phrase needs no score. Otherwise the best card must reach [`FLOOR`] and lead by
//! [`MARGIN`]; if it does not, the answer is a question.
//!
//! - `card`: what can be asked for. - `text`: sentences into words. - `typo`: misspelled words.
//! - `values`: values in a sentence. - `index`: the cards of a pack as they are compared.
//! - `ranker`: which cards are scored. - `explain`: why a sentence went where it went.
//! - `oracle`, for tests and the fuzz target: what holds whatever the text.

mod card;
mod explain;
mod index;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod ranker;
#[cfg(test)]
mod tests;
mod text;
mod typo;
mod values;

use std::collections::BTreeMap;

use serde_json::Value;

pub use crate::card::{Card, CardId, Pack};
pub use crate::explain::{Explanation, Phrase, Rule, Scored};
pub use crate::ranker::{Everything, Ranker};
pub use crate::values::ValueRead;

use crate::index::PackIndex;
use crate::text::Word;

/// The lowest score that is a match. One unexplained word beside five explained ones is 5 ÷ 8 = 0.63, and means another
/// question; two words of a phrase of three are 0.67, and mean that too little was said.
pub const FLOOR: f64 = 0.75;

/// How far the best must be ahead of the second. Nearer than this, a word of filler or a longer phrase decides between
/// them, which is to say chance.
pub const MARGIN: f64 = 0.1;

/// The most candidates an answer lists. A longer list is not a question back, it is the catalog.
const CLOSEST_MAX: usize = 3;

/// The lowest score that an answer lists. Below it, all that is shared is a word like `show`.
const CLOSEST_FLOOR: f64 = 0.1;

/// An index over cards. Building it takes some milliseconds; asking it, some microseconds.
#[derive(Debug)]
pub struct Router<R = Everything> {
    packs: Vec<PackIndex<R>>,
}

/// Where a sentence goes, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// Where it goes.
    pub decision: Decision,
    /// Why.
    pub explanation: Explanation,
}

/// Where a sentence goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// To one card.
    Card {
        /// Its id.
        id: CardId,
        /// The values read from the sentence. Their types are right; their bounds are not checked.
        values: BTreeMap<String, Value>,
    },
    /// To one card, which needs values that the sentence does not hold.
    Missing {
        /// Its id.
        id: CardId,
        /// The values that were read.
        values: BTreeMap<String, Value>,
        /// The parameters that only the caller can supply, and that the sentence does not hold.
        parameters: Vec<String>,
    },
    /// To one of these, and it does not say which.
    Ambiguous {
        /// The cards, best first.
        candidates: Vec<Candidate>,
    },
    /// To none.
    NoMatch {
        /// The cards that share words with it, best first; often none.
        closest: Vec<Candidate>,
    },
}

/// A card that a sentence might mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its id.
    pub id: CardId,
    /// What it does.
    pub summary: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// The values that the sentence holds for it.
    pub values: BTreeMap<String, Value>,
}

impl Router {
    /// Builds the index. Every card is scored for every sentence.
    #[must_use]
    pub fn new(cards: impl IntoIterator<Item = Card>) -> Self {
        Self::ranked(cards)
    }
}

impl<R: Ranker> Router<R> {
    /// Builds the index. A ranker for each pack says which of its cards are scored for a sentence.
    #[must_use]
    pub fn ranked(cards: impl IntoIterator<Item = Card>) -> Self {
        let mut packs: BTreeMap<String, (Pack, Vec<Card>)> = BTreeMap::new();
        for card in cards {
            let (_, cards) = packs.entry(card.pack.name.clone()).or_insert_with(|| (card.pack.clone(), Vec::new()));
            cards.push(card);
        }
        Self { packs: packs.into_values().map(|(pack, cards)| PackIndex::new(&pack, cards)).collect() }
    }

    /// Decides where a sentence goes. The work is linear in its length.
    #[must_use]
    pub fn route(&self, text: &str) -> Routed {
        self.decide(text, is_settled)
    }

    /// The same with all cards that share anything with the sentence in the explanation. It takes several times as
    /// long.
    #[must_use]
    pub fn explain(&self, text: &str) -> Routed {
        self.decide(text, |_, _| false)
    }

    fn decide(&self, text: &str, is_settled: fn(&[Scored], f64) -> bool) -> Routed {
        let words = text::split(text);
        let normalised = text::normal(&words);
        let is_too_long = words.len() > text::WORDS_MAX;
        let candidates = if is_too_long { Vec::new() } else { self.candidates(&words, &normalised, is_settled) };
        let rule = if is_too_long { Rule::TooManyWords } else { rule(&candidates) };
        let decision = decide(rule, &candidates);
        Routed { decision, explanation: Explanation { normalised, rule, candidates } }
    }

    /// The values that a sentence holds for one card, whether it is the one that the sentence means or not. `None` for
    /// a card that the router does not have.
    #[must_use]
    pub fn read(&self, text: &str, id: &CardId) -> Option<BTreeMap<String, Value>> {
        let words = text::split(text);
        let known = self.packs.iter().find_map(|pack| pack.values(id, words.get(..text::WORDS_MAX).unwrap_or(&words)));
        known.map(|values| values.into_iter().map(|read| (read.parameter, read.value)).collect())
    }

    /// The cards that may be meant, best first.
    ///
    /// Matching patterns dominates the cost, so cards are tried in order of the highest score that they can have, until
    /// `is_settled` says that the rest changes nothing.
    fn candidates(&self, words: &[Word], normalised: &str, is_settled: fn(&[Scored], f64) -> bool) -> Vec<Scored> {
        let readings: Vec<_> = self.packs.iter().map(|pack| (pack, pack.read(words))).collect();
        let mut prospects: Vec<_> = readings
            .iter()
            .flat_map(|(pack, reading)| {
                pack.prospects(reading, normalised).into_iter().map(move |prospect| (*pack, reading, prospect))
            })
            .collect();
        prospects
            .sort_by(|(.., left), (.., right)| right.bound.total_cmp(&left.bound).then(right.exact.cmp(&left.exact)));
        let mut candidates: Vec<Scored> = Vec::new();
        for (pack, reading, prospect) in prospects {
            if is_settled(&candidates, prospect.bound) && !prospect.exact {
                break;
            }
            let scored = pack.score(&prospect, reading, normalised);
            if scored.score > 0.0 {
                let place = candidates.partition_point(|other| is_before(other, &scored));
                candidates.insert(place, scored);
            }
        }
        candidates
    }
}

/// Whether one card comes before another: by phrase, by score, and at last by id.
fn is_before(left: &Scored, right: &Scored) -> bool {
    let by_phrase = right.phrase.exact.cmp(&left.phrase.exact);
    let by_score = right.score.total_cmp(&left.score);
    by_phrase.then(by_score).then(left.id.cmp(&right.id)).is_lt()
}

/// Whether no card with at most this score changes what is decided among candidates, best first.
///
/// Where one is good enough, only its rivals matter; where none is, the closest do.
fn is_settled(candidates: &[Scored], bound: f64) -> bool {
    let Some(best) = candidates.first() else { return false };
    if best.phrase.exact {
        return true;
    }
    if best.score >= FLOOR {
        return bound < FLOOR || best.score - bound >= MARGIN;
    }
    bound < CLOSEST_FLOOR || candidates.get(CLOSEST_MAX - 1).is_some_and(|last| last.score > bound)
}

/// The rule that decides among candidates, best first.
fn rule(candidates: &[Scored]) -> Rule {
    let Some(best) = candidates.first() else {
        return Rule::NothingShared;
    };
    match candidates.iter().filter(|candidate| candidate.phrase.exact).count() {
        0 if best.score < FLOOR => Rule::BelowFloor,
        0 if rivals(candidates).len() > 1 => Rule::WithinMargin,
        0 => Rule::Score,
        1 => Rule::ExactPhrase,
        _ => Rule::SamePhrase,
    }
}

/// The best, and all that reach the floor within the margin.
///
/// A card that lacks a required value is no rival of one that has all of its own: who asks for "the issues" does not
/// mean the card that needs to know which.
fn rivals(candidates: &[Scored]) -> Vec<&Scored> {
    let best = candidates.first().map_or(0.0, |best| best.score);
    let near = |candidate: &&Scored| candidate.score >= FLOOR && best - candidate.score < MARGIN;
    let near: Vec<&Scored> = candidates.iter().take_while(near).collect();
    let whole: Vec<&Scored> = near.iter().copied().filter(|candidate| candidate.missing.is_empty()).collect();
    if whole.is_empty() { near } else { whole }
}

fn decide(rule: Rule, candidates: &[Scored]) -> Decision {
    match rule {
        Rule::ExactPhrase => one(&candidates[0]),
        Rule::Score => one(rivals(candidates)[0]),
        Rule::SamePhrase => {
            let same = candidates.iter().take_while(|candidate| candidate.phrase.exact);
            Decision::Ambiguous { candidates: same.take(CLOSEST_MAX).map(Candidate::from).collect() }
        }
        Rule::WithinMargin => {
            let rivals = rivals(candidates).into_iter();
            Decision::Ambiguous { candidates: rivals.take(CLOSEST_MAX).map(Candidate::from).collect() }
        }
        Rule::BelowFloor | Rule::NothingShared | Rule::TooManyWords => {
            let closest = candidates.iter().take_while(|candidate| candidate.score >= CLOSEST_FLOOR);
            Decision::NoMatch { closest: closest.take(CLOSEST_MAX).map(Candidate::from).collect() }
        }
    }
}

fn one(best: &Scored) -> Decision {
    let (id, values) = (best.id.clone(), values(best));
    if best.missing.is_empty() {
        Decision::Card { id, values }
    } else {
        Decision::Missing { id, values, parameters: best.missing.clone() }
    }
}

fn values(scored: &Scored) -> BTreeMap<String, Value> {
    scored.values.iter().map(|read| (read.parameter.clone(), read.value.clone())).collect()
}

impl From<&Scored> for Candidate {
    fn from(scored: &Scored) -> Self {
        Self { id: scored.id.clone(), summary: scored.summary.clone(), score: scored.score, values: values(scored) }
    }
}
