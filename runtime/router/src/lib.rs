//! The router: which card does a sentence ask for, and with which values?
//!
//! A [`Card`] is one thing that can be asked for, such as a template. It declares what sentences may look like:
//! phrases, word patterns of parameters, and synonyms of its pack. A sentence chooses among cards and fills their
//! parameters; it cannot do anything else, whatever it says.
//!
//! The router is pure: no I/O, no clock, no language model, and no knowledge of any domain. Names that exist and the time are
//! handed in with the sentence. It is *not* for checking values against their bounds, and it does not know what carries a card
//! out.
//!
//! Values are read first: times, names that exist, quotations, and what word patterns find. Then each card is compared
//! with the other words. It *fits* by the product of two shares: of the sentence's informative words that it explains,
//! and of its best phrase that the sentence says. "delete all errors" lacks the first for a card that lists errors,
//! "list" the second. Words that say nothing (`the`, `please`) and words of a value ("last 5") take no part.
//!
//! **The score** of a card is its share among all cards and the answer "none of them", by a linear model over features such
//! as those two shares, the words themselves, and which values were read (`weights`). A sentence that *is* a declared
//! phrase needs no score. Otherwise its reading must be trusted ([`TRUST_FLOOR`]), by a second model over what it explains
//! and what it passes over (`trust`), with no other card near ([`CLOSE_SHARE`]). If several reach [`ASK_FLOOR`] together, or
//! cards of several packs explain the whole sentence, the answer is a question. A card that changes something must also fit,
//! and passes over no word.
//!
//! - `card`: what can be asked for. - `text`: sentences into words. - `typo`: misspelled words.
//! - `english`: words that no domain owns. - `deed`: whether a sentence asks for a change. - `clause`: parts of a sentence, of which one may be understood where the whole is not. - `order`: the part that orders a change.
//! - `values`: values in a sentence. - `time`: times in it. - `names`: names that exist.
//! - `index`: the cards of a pack as they are compared.
//! - `confirmed`: whether texts that the data hold explain a sentence. - `ranker`: which cards are scored. - `trust`: whether the best reading is an answer. - `forest`: the trees that it asks. - `model`: what training learned. - `explain`: why a sentence went where it went. - `nearest`: what helps where no card fits.
//! - `oracle`, for tests and the fuzz target: what holds whatever the text.

mod card;
mod clause;
mod confirmed;
mod deed;
mod english;
mod explain;
mod forest;
mod index;
mod model;
mod names;
mod nearest;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod order;
mod ranker;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod trust;
mod typo;
mod values;
mod weights;
mod witness;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use intentbox_catalog::instant::Instant;
use serde_json::Value;

pub use crate::card::{Card, CardId, Pack};
pub use crate::deed::{change_asked, orders};
pub use crate::explain::{Explanation, Phrase, Rule, Scored};
pub use crate::names::{NAMES_MAX, Name, NameList, Names, Source};
pub use crate::nearest::{AbsentName, NearName, Nearest};
pub use crate::ranker::{Everything, Ranker};
pub use crate::text::stem;
pub use crate::trust::{Doubt, Doubts, Why};
pub use crate::values::ValueRead;
pub use crate::witness::{PassedOver, SaidTime, Token, Witness};

use crate::confirmed::Confirming;
use crate::index::{PackIndex, Reading, Said};
use crate::model::Model;

/// The lowest trust in a reading that is an answer. On sentences that training left out, one of twenty answers is wrong, mostly in
/// one value.
pub const TRUST_FLOOR: f64 = 0.8;

/// The same where a word of the request may narrow what is asked for. It mostly does not ("the full details", "a total count"), and the
/// words around it say how likely that is.
pub const NARROWED_TRUST_FLOOR: f64 = 0.87;

/// The same for another reading than the first: without a value, or of a card that another outscores. It is one of many, and the
/// most trusted of many is chosen.
pub const OTHER_TRUST_FLOOR: f64 = 0.9;

/// From this trust on, a card that scores nearly as much is no rival, and a verb or a negation of a story changes nothing.
const SURE_TRUST: f64 = 0.9;

/// The same for a reading that lacks a value: it is a question, and costs no wrong answer.
pub const MISSING_TRUST_FLOOR: f64 = 0.6;

/// The lowest sum of scores at which it is worth asking which of several cards is meant.
pub const ASK_FLOOR: f64 = 0.6;

/// A card is a rival of the best if it has at least this part of its score.
pub const RIVAL_SHARE: f64 = 0.25;

/// A card of another pack is a twin of the best if it has at least this part of its score.
pub const TWIN_SHARE: f64 = 0.02;

/// A second card is close if it has at least this part of the best one's score.
pub const CLOSE_SHARE: f64 = 0.4;

/// How many cards are scored for a sentence, those that promise most. Scoring one takes some microseconds.
const SCORED_MAX: usize = 32;

/// The most candidates an answer lists. A longer list is not a question back, it is the catalog.
const CLOSEST_MAX: usize = 3;

/// The lowest score that an answer lists. Below it, all that is shared is a word like `show`.
const CLOSEST_FLOOR: f64 = 0.1;

/// What no phrase reads like: the text of words has no blank at its start.
const NO_PHRASE: &str = " ";

/// An index over cards. Building it takes some milliseconds; asking it, some tenths of one.
#[derive(Debug)]
pub struct Router<R = Everything> {
    packs: Vec<PackIndex<R>>,
    model: Arc<Model>,
    /// How sentences about texts that the data hold are read, if some card knows them.
    confirming: Option<Confirming<R>>,
}

/// A sentence, and what is known about the world when it is said.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The sentence.
    pub text: &'a str,
    /// The names that exist, as far as they are known.
    pub names: &'a Names,
    /// The time, which decides what "yesterday" is.
    pub now: Instant,
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
    /// The words that it does not explain.
    pub unexplained: Vec<String>,
}

impl Router {
    /// Builds the index. Of all cards, those that promise most are scored for a sentence.
    #[must_use]
    pub fn new(cards: impl IntoIterator<Item = Card>) -> Self {
        Self::ranked(cards)
    }
}

impl<R: Ranker> Router<R> {
    /// Builds the index. A ranker for each pack says which of its cards are scored for a sentence.
    #[must_use]
    pub fn ranked(cards: impl IntoIterator<Item = Card>) -> Self {
        let cards: Vec<Card> = cards.into_iter().collect();
        let confirming = Confirming::of(&cards);
        Self { packs: Self::indexed(cards, false), model: Model::shipped(), confirming }
    }

    /// The indexes of the packs. For texts that the data hold, sources of such texts count.
    fn indexed(cards: Vec<Card>, confirms: bool) -> Vec<PackIndex<R>> {
        let mut packs: BTreeMap<String, (Pack, Vec<Card>)> = BTreeMap::new();
        // A card without phrases is not asked for.
        for card in cards.into_iter().filter(|card| !card.phrases.is_empty()) {
            let (_, cards) = packs.entry(card.pack.name.clone()).or_insert_with(|| (card.pack.clone(), Vec::new()));
            cards.push(card);
        }
        let about: Vec<(String, Vec<String>)> =
            packs.values().map(|(pack, _)| (pack.name.clone(), pack.about.clone())).collect();
        let others = |own: &Pack| -> BTreeSet<String> {
            let others = about.iter().filter(|(name, _)| *name != own.name).flat_map(|(_, words)| words);
            others.filter(|word| !own.about.contains(word)).cloned().collect()
        };
        packs.into_values().map(|(pack, cards)| PackIndex::new(&pack, cards, &others(&pack), confirms)).collect()
    }

    /// The same with other general weights, lines of a scope, a feature and a weight with tabs between, and with other trees of
    /// trust. For training.
    #[must_use]
    pub fn trained(self, weights: &str, trees: &str) -> Self {
        Self { model: Arc::new(Model::parse(weights, trees)), ..self }
    }

    /// A sentence with what all packs can say about its words.
    fn hear<'a>(&self, question: Question<'a>, words: Vec<text::Word>) -> Heard<'a> {
        let times = time::mentions(&words, question.now);
        let is_known = |word| self.packs.iter().any(|pack| pack.claims(word, question.names));
        let known = words.iter().map(is_known).collect();
        Heard { question, words, times, known }
    }

    /// The first words of a sentence, as many as are read at most.
    fn hear_start<'a>(&self, question: Question<'a>) -> Heard<'a> {
        let mut words = text::split(question.text);
        words.truncate(text::WORDS_MAX);
        self.hear(question, words)
    }

    /// Decides where a sentence goes. The work is linear in its length.
    #[must_use]
    pub fn route(&self, question: &Question<'_>) -> Routed {
        self.decide(question, SCORED_MAX, false)
    }

    /// The same as if no card declared the sentence word for word: where one goes that says the same with filler around it.
    #[must_use]
    pub fn route_undeclared(&self, question: &Question<'_>) -> Routed {
        self.decide(question, SCORED_MAX, true)
    }

    /// The same with all cards that share anything with the sentence in the explanation. It takes several times as
    /// long.
    #[must_use]
    pub fn explain(&self, question: &Question<'_>) -> Routed {
        self.decide(question, usize::MAX, false)
    }

    fn decide(&self, question: &Question<'_>, scored_max: usize, is_undeclared: bool) -> Routed {
        let words = text::split(question.text);
        let normalised = text::normal(&words);
        if words.len() > text::WORDS_MAX {
            let explanation = Explanation { normalised, rule: Rule::TooManyWords, candidates: Vec::new() };
            return Routed { decision: Decision::NoMatch { closest: Vec::new() }, explanation };
        }
        let heard = self.hear(*question, words);
        let said = heard.said();
        let declared = if is_undeclared { NO_PHRASE } else { normalised.as_str() };
        let readings = self.packs_read(said);
        let candidates = self.candidates(&readings, said.words, declared, scored_max);
        let rule = rule(&candidates);
        let whole = Part { normalised, rule, candidates };
        let is_open = match rule {
            Rule::BelowFloor | Rule::WithinMargin | Rule::NothingShared => true,
            Rule::Trust => whole.candidates[0].doubts.has_stray_value(),
            _ => false,
        };
        let part = is_open.then(|| self.trusted_otherwise(said, &readings, &whole.candidates, scored_max));
        // A time or a number of the story would be an answer to another question.
        let doubtful = if rule == Rule::Trust && is_open { Rule::BelowFloor } else { rule };
        let whole = Part { rule: doubtful, ..whole };
        let part = part.flatten().or_else(|| self.confirmed(&whole, *question, scored_max));
        let Part { normalised, rule, candidates } = part.unwrap_or(whole);
        let decision = decide(rule, &candidates);
        Routed { decision, explanation: Explanation { normalised, rule, candidates } }
    }

    /// What a sentence asks for that has no answer otherwise, if the texts that the data hold explain all of it.
    fn confirmed(&self, whole: &Part, question: Question<'_>, scored_max: usize) -> Option<Part> {
        let is_refused = matches!(whole.rule, Rule::BelowFloor | Rule::WithinMargin | Rule::NothingShared);
        let confirming = self.confirming.as_ref().filter(|of| is_refused && of.knows(question.names))?;
        let router = confirming.router(&self.model);
        let heard = router.hear(question, text::split(question.text));
        let said = heard.said();
        let mut candidates = router.candidates(&router.packs_read(said), said.words, NO_PHRASE, scored_max);
        let rank = confirmed::rank(&candidates, question, said.words)?;
        let first = candidates.remove(rank);
        candidates.insert(0, first);
        Some(Part { normalised: whole.normalised.clone(), rule: Rule::Confirmed, candidates })
    }

    /// The readings of parts of a sentence: of the clauses that say most about one of the cards that score best.
    fn parts(&self, said: Said<'_>, whole: &[Scored], scored_max: usize) -> Vec<Part> {
        let clause_of = clause::numbered(said.question.text, said.words);
        let mut tried: Vec<Vec<bool>> = Vec::new();
        let mut parts = Vec::new();
        for kept in whole.iter().take(CLOSEST_MAX).flat_map(|candidate| candidate.doubts.requests()) {
            let is_part = kept.contains(&true)
                && kept.contains(&false)
                && kept.len() == clause_of.last().map_or(1, |last| last + 1);
            if !is_part || tried.contains(&kept) {
                continue;
            }
            let first = kept.iter().position(|is_kept| *is_kept).unwrap_or(0);
            let words_of = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<text::Word> {
                let words = said.words.iter().zip(&clause_of).filter(|(_, clause)| is_wanted(**clause));
                words.map(|(word, _)| word.clone()).collect()
            };
            let after = words_of(&|clause| clause > first && !kept[clause]);
            let before = words_of(&|clause| clause < first).len();
            // "Kernel messages, which repeat the most": so few words tell no story.
            let is_topic = |number: usize| {
                let words = words_of(&|clause| clause == number);
                let mut of_whole = whole.iter().take(1).flat_map(|best| &best.doubts.words);
                words.len() < clause::STORY_WORDS_MIN
                    && of_whole.any(|doubt| doubt.clause == number && doubt.why == Why::Narrows)
            };
            if (0..first).any(is_topic) {
                continue;
            }
            let words = words_of(&|clause| kept[clause]);
            tried.push(kept.clone());
            let clauses_after = (first + 1..kept.len()).filter(|clause| !kept[*clause]);
            let mut clauses_after = clauses_after.map(|number| words_of(&|clause| clause == number));
            if clause::excepts(&after) || !clauses_after.all(|words| clause::tells(&words)) {
                continue;
            }
            let heard = self.hear(said.question, words);
            let mut candidates = self.candidates(&self.packs_read(heard.said()), &heard.words, NO_PHRASE, scored_max);
            for candidate in &mut candidates {
                candidate.phrase.exact = false;
            }
            candidates.sort_by(by_score);
            let second = candidates.get(1).map_or(0.0, |second| second.score);
            // A change is asked for by the whole sentence or by its only order: "if the tests pass" must not be left out.
            let Some(best) = candidates.first_mut().filter(|best| !best.writes) else { continue };
            best.doubts.left_out = [before, after.len()];
            if let Some(of_whole) = whole.iter().find(|of_whole| of_whole.id == best.id) {
                let left_out = of_whole.doubts.words.iter().filter(|doubt| !kept[doubt.clause]);
                best.doubts.words.extend(left_out.map(|doubt| Doubt { is_request: false, ..doubt.clone() }));
            }
            best.trust = trust::trust(best, second, &self.model.trust);
            let rule = rule(&candidates);
            parts.push(Part { normalised: text::normal(&heard.words), rule, candidates });
        }
        parts
    }

    /// What a sentence orders to be changed, if its order alone is understood. What the order is about may be named before it.
    fn ordered(&self, said: Said<'_>, scored_max: usize) -> Option<Part> {
        let order = order::only(said.question.text, said.words)?;
        let is_object = |word: &&text::Word| self.packs.iter().any(|pack| pack.may_change(word));
        let objects: Vec<&text::Word> = said.words.iter().filter(is_object).collect();
        let first = objects.first().copied();
        let is_one = objects.iter().all(|word| Some(word.plain.as_str()) == first.map(|first| first.plain.as_str()));
        if !is_one {
            return None;
        }
        let is_said = said.words[order.words.clone()].iter().any(|word| is_object(&word));
        let heard = self.hear(said.question, order.said(said.words, first.filter(|_| !is_said)));
        let mut candidates = self.candidates(&self.packs_read(heard.said()), &heard.words, NO_PHRASE, scored_max);
        for candidate in &mut candidates {
            candidate.phrase.exact = false;
        }
        candidates.sort_by(by_score);
        let second = candidates.get(1).map_or(0.0, |second| second.score);
        let best = candidates.first_mut().filter(|best| best.writes)?;
        best.doubts.left_out = [order.words.start, said.words.len() - order.words.end];
        best.trust = trust::trust(best, second, &self.model.trust);
        let rule = rule(&candidates);
        (rule == Rule::Trust).then(|| Part { normalised: text::normal(&heard.words), rule, candidates })
    }

    /// The reading that is trusted most, of parts of a sentence and of the whole in another way.
    fn trusted_otherwise(
        &self,
        said: Said<'_>,
        readings: &[Reading<'_>],
        whole: &[Scored],
        scored_max: usize,
    ) -> Option<Part> {
        if let Some(ordered) = self.ordered(said, scored_max) {
            return Some(ordered);
        }
        let parts = self.parts(said, whole, scored_max).into_iter().filter(|part| part.rule == Rule::Trust);
        let part = parts.max_by(|left, right| left.candidates[0].trust.total_cmp(&right.candidates[0].trust));
        let others = self.others(said.words, readings, whole).into_iter().filter(Other::is_answer);
        let other = others.max_by(|left, right| left.scored.trust.total_cmp(&right.scored.trust));
        let trust = part.as_ref().map_or(0.0, |part| part.candidates[0].trust);
        match other.filter(|other| other.scored.trust >= trust) {
            Some(other) => Some(self.part_of(other, said.words, whole)),
            None => part,
        }
    }

    /// Other readings of a whole sentence: by the cards that score best, each with all its values, and with all but one.
    fn others(&self, words: &[text::Word], readings: &[Reading<'_>], whole: &[Scored]) -> Vec<Other> {
        let sums: Vec<f64> = whole.iter().map(|candidate| candidate.sum).collect();
        let none = self.none(words);
        let mut others = Vec::new();
        for (rank, candidate) in whole.iter().take(CLOSEST_MAX).enumerate() {
            // Whoever leaves a value out passes over more words, and these are too many already.
            if candidate.doubts.says.len() <= 1 && candidate.doubts.are_of_another_question() {
                continue;
            }
            let mut packs = self.packs.iter().zip(readings);
            let Some((pack, reading)) = packs.find(|(pack, _)| pack.has(&candidate.id)) else { continue };
            let as_it_is = (rank > 0).then(|| candidate.clone()).into_iter();
            let without = pack.without_a_value(&candidate.id, reading, &self.model.general);
            for mut scored in as_it_is.chain(without) {
                let mut shares = sums.clone();
                shares[rank] = scored.sum;
                weights::shares(&mut shares, none);
                scored.score = shares[rank];
                // Trust compares with what scores best otherwise, be it less or more.
                shares[rank] = 0.0;
                let second = shares.into_iter().fold(0.0, f64::max);
                scored.trust = trust::trust(&scored, second, &self.model.trust);
                others.push(Other { rank, scored });
            }
        }
        others
    }

    /// Another reading among all candidates, before those that outscore it.
    fn part_of(&self, other: Other, words: &[text::Word], whole: &[Scored]) -> Part {
        let rule = if other.is_answer() { Rule::Trust } else { Rule::BelowFloor };
        let mut candidates = whole.to_vec();
        candidates.remove(other.rank);
        candidates.insert(0, other.scored);
        self.share(candidates.iter_mut(), words);
        candidates[1..].sort_by(by_score);
        Part { normalised: text::normal(words), rule, candidates }
    }

    /// What the sentence and parts of it may mean, best first in each: of the whole first. For training.
    #[must_use]
    pub fn readings(&self, question: &Question<'_>) -> Vec<Vec<Scored>> {
        let heard = self.hear_start(*question);
        let said = heard.said();
        let readings = self.packs_read(said);
        let whole = self.candidates(&readings, said.words, &text::normal(said.words), SCORED_MAX);
        let parts = if whole.first().is_some_and(|best| best.phrase.exact) {
            Vec::new()
        } else {
            let mut parts = self.parts(said, &whole, SCORED_MAX);
            let others = self.others(said.words, &readings, &whole).into_iter();
            parts.extend(others.map(|other| self.part_of(other, said.words, &whole)));
            parts
        };
        std::iter::once(whole).chain(parts.into_iter().map(|part| part.candidates)).collect()
    }

    /// The values that a sentence holds for one card, whether it is the one that the sentence means or not. `None` for
    /// a card that the router does not have.
    #[must_use]
    pub fn read(&self, question: &Question<'_>, id: &CardId) -> Option<BTreeMap<String, Value>> {
        let heard = self.hear_start(*question);
        let said = heard.said();
        let known = self.packs.iter().find_map(|pack| pack.values(id, said));
        known.map(|values| values.into_iter().map(|read| (read.parameter, read.value)).collect())
    }

    /// What a sentence says for one card, whether it is the one that the sentence means or not: the values, and the words that
    /// would be passed over. `None` for a card that the router does not have.
    #[must_use]
    pub fn witness(&self, question: &Question<'_>, id: &CardId) -> Option<Witness> {
        let heard = self.hear_start(*question);
        let said = heard.said();
        self.packs.iter().find_map(|pack| pack.witness(id, said, &self.model.general))
    }

    /// The features of every card that may be meant, and those of the answer that none is. For training.
    #[must_use]
    pub fn features(&self, question: &Question<'_>) -> Features {
        let heard = self.hear_start(*question);
        let (said, normalised) = (heard.said(), text::normal(&heard.words));
        let cards = self.packs.iter().flat_map(|pack| {
            let reading = pack.read(said);
            let prospects = pack.prospects(&reading, &normalised);
            prospects.iter().map(|prospect| pack.features(prospect, &reading, &normalised)).collect::<Vec<_>>()
        });
        Features { cards: cards.collect(), none: none_features(&heard.words) }
    }

    /// The sentence as each pack understands it.
    fn packs_read<'a>(&self, said: Said<'a>) -> Vec<Reading<'a>> {
        self.packs.iter().map(|pack| pack.read(said)).collect()
    }

    /// What the words say for the answer that no card is meant.
    fn none(&self, words: &[text::Word]) -> f64 {
        none_features(words).iter().filter_map(|name| self.model.none.get(name)).sum()
    }

    /// The cards that may be meant, best first.
    ///
    /// Matching patterns dominates the cost, so only the cards that promise most are scored.
    fn candidates(
        &self,
        readings: &[Reading<'_>],
        words: &[text::Word],
        normalised: &str,
        scored_max: usize,
    ) -> Vec<Scored> {
        let mut prospects: Vec<_> = self
            .packs
            .iter()
            .zip(readings)
            .flat_map(|(pack, reading)| {
                pack.prospects(reading, normalised).into_iter().map(move |prospect| (pack, reading, prospect))
            })
            .collect();
        prospects
            .sort_by(|(.., left), (.., right)| right.exact.cmp(&left.exact).then(right.bound.total_cmp(&left.bound)));
        // A declared phrase goes before every score, so that no other card could change the decision.
        let declared = prospects.iter().filter(|(.., prospect)| prospect.exact).count();
        let all = scored_max == usize::MAX;
        prospects.truncate(if declared > 0 && !all { declared } else { scored_max });
        let scored = prospects.into_iter().filter_map(|(pack, reading, prospect)| {
            let (mut scored, found) = pack.score(&prospect, reading, normalised, &self.model.general)?;
            // What is declared word for word goes before a phrase with values in its slots.
            scored.phrase.exact &= prospect.exact || declared == 0;
            Some((scored, found, (pack, reading, prospect)))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.retain(|(scored, ..)| scored.fit > 0.0 || !scored.values.is_empty() || scored.sum > 0.0);
        self.share(scored.iter_mut().map(|(scored, ..)| scored), words);
        scored.sort_by(|(left, ..), (right, ..)| by_score(left, right));
        // No other than the first ones is ever trusted, or asked about.
        let judged = if all { usize::MAX } else { CLOSEST_MAX };
        for (scored, found, (pack, reading, prospect)) in scored.iter_mut().take(judged) {
            pack.judge(prospect, scored, reading, found, &self.model.general);
        }
        let mut candidates: Vec<Scored> = scored.into_iter().map(|(scored, ..)| scored).collect();
        let second = candidates.get(1).map_or(0.0, |second| second.score);
        if let Some(best) = candidates.first_mut() {
            best.trust = if best.phrase.exact { 1.0 } else { trust::trust(best, second, &self.model.trust) };
        }
        candidates
    }

    /// Scores each candidate by its share among all and the answer that none of them is meant.
    fn share<'s>(&self, candidates: impl Iterator<Item = &'s mut Scored>, words: &[text::Word]) {
        let candidates: Vec<&mut Scored> = candidates.collect();
        let mut shares: Vec<f64> = candidates.iter().map(|candidate| candidate.sum).collect();
        weights::shares(&mut shares, self.none(words));
        for (candidate, share) in candidates.into_iter().zip(shares) {
            candidate.score = if candidate.phrase.exact { 1.0 } else { share };
        }
    }
}

/// A sentence in words, or a part of it, with the times that it mentions.
struct Heard<'a> {
    question: Question<'a>,
    words: Vec<text::Word>,
    times: Vec<time::Mention>,
    /// Which words some pack knows, or which a name says.
    known: Vec<bool>,
}

impl Heard<'_> {
    fn said(&self) -> Said<'_> {
        Said { question: self.question, words: &self.words, times: &self.times, known: &self.known }
    }
}

/// A whole sentence read by another card than the first, or without one of its values.
struct Other {
    /// The place of its card among the candidates.
    rank: usize,
    scored: Scored,
}

impl Other {
    fn is_answer(&self) -> bool {
        is_trusted(&self.scored) && self.scored.trust >= OTHER_TRUST_FLOOR && !self.scored.writes
    }
}

/// How a sentence was read, or a part of it.
struct Part {
    /// The words that were read.
    normalised: String,
    rule: Rule,
    candidates: Vec<Scored>,
}

/// Facts about the values of a card by their names, for which its own weights stand. For training.
#[must_use]
pub fn value_facts(scored: &Scored) -> Vec<String> {
    trust::facts_of_values(&scored.values)
}

/// Facts about the reading of the best candidate, by their names: what its trust is made of. For training.
#[must_use]
pub fn trust_features(candidates: &[Scored]) -> Vec<(&'static str, f64)> {
    let second = candidates.get(1).map_or(0.0, |second| second.score);
    candidates.first().map_or_else(Vec::new, |best| trust::features(best, second))
}

/// What is known of a sentence for training.
#[derive(Debug, Clone)]
pub struct Features {
    /// Each card with its features.
    pub cards: Vec<(CardId, Vec<Named>)>,
    /// The features of the answer "none of them".
    pub none: Vec<String>,
}

/// A feature by its name, whether its weight holds for every card, and how much there is of it.
pub type Named = (String, bool, f64);

/// The words of a sentence speak for "none of them" as well.
fn none_features(words: &[text::Word]) -> Vec<String> {
    let said = words.iter().filter(|word| !word.is_filler && !word.quoted && !word.is_amount);
    let mut names: Vec<String> = said.map(|word| word.stem.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names.push("bias".to_owned());
    names
}

/// By phrase, by score, and at last by id.
fn by_score(left: &Scored, right: &Scored) -> Ordering {
    let by_phrase = right.phrase.exact.cmp(&left.phrase.exact);
    by_phrase.then(right.score.total_cmp(&left.score)).then(left.id.cmp(&right.id))
}

/// The rule that decides among candidates, best first.
fn rule(candidates: &[Scored]) -> Rule {
    let Some(best) = candidates.first() else {
        return Rule::NothingShared;
    };
    match candidates.iter().filter(|candidate| candidate.phrase.exact).count() {
        0 if twins(candidates).len() > 1 => Rule::Twins,
        // Whoever passes over a word would change something else.
        0 if best.writes && !best.doubts.strange().is_empty() => Rule::BelowFloor,
        0 if is_trusted(best) && (best.trust >= SURE_TRUST || !has_close_second(candidates)) => Rule::Trust,
        0 if best.doubts.strange().is_empty() && rivals(candidates).len() > 1 => Rule::WithinMargin,
        0 => Rule::BelowFloor,
        1 => Rule::ExactPhrase,
        _ => Rule::SamePhrase,
    }
}

fn is_trusted(best: &Scored) -> bool {
    // Who tells a story before asking says there what somebody does, or does not do.
    let is_story = best.trust >= SURE_TRUST && !best.writes && !best.doubts.request_is_of_another();
    best.trust >= trust_floor(Some(best)) && (is_story || !best.doubts.are_of_another_question())
}

/// The trust that the best candidate needs.
fn trust_floor(best: Option<&Scored>) -> f64 {
    match best {
        Some(best) if best.doubts.narrow() => NARROWED_TRUST_FLOOR,
        Some(best) if !best.missing.is_empty() => MISSING_TRUST_FLOOR,
        _ => TRUST_FLOOR,
    }
}

/// Whether the second card is so near that a person would ask which is meant.
fn has_close_second(candidates: &[Scored]) -> bool {
    let scores: Vec<f64> = candidates.iter().take(2).map(|candidate| candidate.score).collect();
    matches!(scores[..], [best, second] if second >= best * CLOSE_SHARE)
}

/// Cards of several packs that explain the sentence equally and wholly: "errors today" where logs and a tracker hold errors.
fn twins(candidates: &[Scored]) -> Vec<&Scored> {
    let best = candidates.first().map_or(0.0, |best| best.score);
    // A text may be anything, so it says nothing for a card.
    let is_whole = |scored: &&Scored| {
        let is_plain = scored.doubts.text_words == 0 && scored.missing.is_empty();
        is_plain && scored.explained >= 1.0 && scored.phrase.covered >= 1.0 && scored.score >= best * TWIN_SHARE
    };
    let mut twins: Vec<&Scored> = Vec::new();
    for candidate in candidates.iter().take(CLOSEST_MAX).filter(is_whole) {
        let says_as_much = twins.first().is_none_or(|first| candidate.values.len() >= first.values.len());
        if says_as_much && twins.iter().all(|twin| twin.pack != candidate.pack) {
            twins.push(candidate);
        }
    }
    // What scores best is one of them.
    let has_best = twins.first().is_some_and(|twin| candidates.first().is_some_and(|best| best.id == twin.id));
    if has_best { twins } else { Vec::new() }
}

/// Cards that share what one alone would need: none of them is likely enough, and together they are.
fn rivals(candidates: &[Scored]) -> Vec<&Scored> {
    let best = candidates.first().map_or(0.0, |best| best.score);
    let near: Vec<&Scored> =
        candidates.iter().take(CLOSEST_MAX).take_while(|candidate| candidate.score >= best * RIVAL_SHARE).collect();
    let together: f64 = near.iter().map(|candidate| candidate.score).sum();
    if together >= ASK_FLOOR { near } else { Vec::new() }
}

fn decide(rule: Rule, candidates: &[Scored]) -> Decision {
    match rule {
        Rule::ExactPhrase | Rule::Trust | Rule::Confirmed => one(&candidates[0]),
        Rule::SamePhrase => {
            let same = candidates.iter().take_while(|candidate| candidate.phrase.exact);
            Decision::Ambiguous { candidates: same.take(CLOSEST_MAX).map(Candidate::from).collect() }
        }
        Rule::Twins => Decision::Ambiguous { candidates: twins(candidates).into_iter().map(Candidate::from).collect() },
        Rule::WithinMargin => {
            Decision::Ambiguous { candidates: rivals(candidates).into_iter().map(Candidate::from).collect() }
        }
        Rule::BelowFloor | Rule::NothingShared | Rule::TooManyWords => {
            // What explains nothing is near nothing: "17.5% of 2349.90".
            let is_near =
                |candidate: &&Scored| candidate.fit.max(candidate.score) >= CLOSEST_FLOOR && candidate.explained > 0.0;
            let mut closest: Vec<&Scored> = candidates.iter().filter(is_near).collect();
            closest.sort_by(|left, right| right.score.max(right.fit).total_cmp(&left.score.max(left.fit)));
            Decision::NoMatch { closest: closest.into_iter().take(CLOSEST_MAX).map(Candidate::from).collect() }
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
    scored.read().map(|read| (read.parameter.clone(), read.value.clone())).collect()
}

impl From<&Scored> for Candidate {
    fn from(scored: &Scored) -> Self {
        Self {
            id: scored.id.clone(),
            summary: scored.summary.clone(),
            score: scored.score,
            values: values(scored),
            unexplained: scored.unexplained.clone(),
        }
    }
}
