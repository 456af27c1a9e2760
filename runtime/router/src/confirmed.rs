//! Whether a sentence that has no answer otherwise is one about texts that the data hold: "exceptions invoice" asks for exceptions
//! where records say "invoice".
//!
//! Nobody trained that, so the conditions are narrow: such texts and words of one card are all that the sentence says.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::card::Card;
use crate::english::negates;
use crate::explain::Scored;
use crate::model::Model;
use crate::names::{Names, Source};
use crate::nearest::COMPARING;
use crate::ranker::Ranker;
use crate::text::Word;
use crate::trust::Why;
use crate::values::CONFIRMED;
use crate::{CLOSEST_MAX, Router};

/// The cards once more, as they are read where the data hold texts of a sentence: with phrases for that. Most sentences have an answer
/// without, so that the index is built when it is needed.
#[derive(Debug)]
pub(crate) struct Confirming<R> {
    cards: Vec<Card>,
    sources: BTreeSet<Source>,
    router: OnceLock<Box<Router<R>>>,
}

/// Words that begin a question about how things are, or an order, and not about what was written down.
const OTHERWISE: [&str; 44] = [
    "are", "block", "can", "close", "could", "define", "describe", "disable", "do", "does", "drain", "enable",
    "explain", "fix", "how", "is", "let", "make", "may", "merge", "open", "put", "roll", "run", "scale", "shall",
    "should", "start", "stop", "switch", "tell", "try", "turn", "unblock", "use", "what", "which", "who", "whose",
    "why", "will", "would", "write", "your",
];

/// Words that say more than texts and words of a card do, wherever they stand: times that are none, states of now, what has not happened,
/// groups, and particles of verbs ("time out").
const MORE: [&str; 38] = [
    "after",
    "away",
    "before",
    "could",
    "current",
    "currently",
    "down",
    "during",
    "each",
    "every",
    "going",
    "hate",
    "love",
    "might",
    "now",
    "off",
    "only",
    "out",
    "over",
    "per",
    "presently",
    "sans",
    "should",
    "since",
    "still",
    "think",
    "till",
    "time",
    "times",
    "until",
    "up",
    "versus",
    "vs",
    "while",
    "will",
    "would",
    "yes",
    "yet",
];

impl<R: Ranker> Confirming<R> {
    /// Nothing if no card knows which texts its data hold.
    pub(crate) fn of(mut cards: Vec<Card>) -> Option<Self> {
        let of_card = |card: &Card| {
            let pack = card.pack.name.clone();
            let by = card.parameters.iter().filter_map(|spec| spec.confirmed_by().cloned()).collect::<Vec<_>>();
            by.into_iter().map(move |values| Source { pack: pack.clone(), values })
        };
        let sources: BTreeSet<Source> = cards.iter().flat_map(of_card).collect();
        for card in &mut cards {
            card.phrases.append(&mut card.confirmed_phrases);
            card.clauses.append(&mut card.confirmed_clauses);
        }
        (!sources.is_empty()).then(|| Self { cards, sources, router: OnceLock::new() })
    }

    /// Whether it is known that the data hold some text of the sentence.
    pub(crate) fn knows(&self, names: &Names) -> bool {
        let mut lists = self.sources.iter().filter_map(|source| names.get(source));
        lists.any(|list| list.texts().next().is_some())
    }

    pub(crate) fn router(&self, model: &Arc<Model>) -> &Router<R> {
        let packs = || Router::indexed(self.cards.clone(), true);
        self.router.get_or_init(|| Box::new(Router { packs: packs(), model: Arc::clone(model), confirming: None }))
    }
}

/// How many words may be between two texts that the same record has to hold.
const BETWEEN_MAX: usize = 2;

/// The place of the card that is meant among the candidates, best first.
pub(crate) fn rank(candidates: &[Scored], source: &str, words: &[Word]) -> Option<usize> {
    let rank = candidates.iter().take(CLOSEST_MAX).position(|scored| scored.unexplained.is_empty())?;
    let best = &candidates[rank];
    let is_understood = best.doubts.words.iter().all(|doubt| doubt.why == Why::Harmless);
    // "How many timeouts" begins a phrase of the card.
    let is_of_phrase =
        |word: &str| best.phrase.covered >= 1.0 && best.phrase.text.split(' ').any(|other| other == word);
    let first =
        words.iter().find(|word| !word.quoted && !matches!(word.plain.as_str(), "and" | "please" | "so" | "ok"));
    let is_otherwise = first.is_some_and(|word| OTHERWISE.contains(&word.plain.as_str()) && !is_of_phrase(&word.plain));
    // What another pack explains as well may be meant.
    let explains = |other: &Scored| other.unexplained.is_empty() && (other.fit > 0.0 || !other.values.is_empty());
    let is_elsewhere = candidates.iter().any(|other| other.pack != best.pack && explains(other));
    let is_meant = best.confirmed && best.missing.is_empty() && is_understood && !is_otherwise && !is_elsewhere;
    let texts = texts(best, words);
    let is_said = |at: usize| {
        let is_value = best.read().any(|read| read.text.split(' ').any(|text| text == words[at].text));
        is_value || texts.iter().any(|text| text.contains(&at))
    };
    let is_more = |at: usize| {
        let plain = words[at].plain.as_str();
        !is_said(at) && (negates(plain) || COMPARING.contains(&plain) || MORE.contains(&plain))
    };
    // "First" is said of the oldest.
    let is_first = |word: &Word| matches!(word.plain.as_str(), "earliest" | "first" | "oldest");
    let is_oldest = best.read().any(|read| read.parameter == "order");
    let is_all = !(0..words.len()).any(is_more) && (is_oldest || !words.iter().any(is_first));
    (is_meant && is_all && are_together(source, words, &texts)).then_some(rank)
}

/// Whether no more than some words are between the texts, and no sign or word that joins: "circuit breaker is closed" is one request, a
/// word of a story before it none of it, and "deadlock and timeout" are two. Before a text stands no sign such as that of "!deadlock".
fn are_together(source: &str, words: &[Word], texts: &[Range<usize>]) -> bool {
    let between = |pair: &[Range<usize>]| {
        let gap = source.get(words[pair[0].end - 1].at.end..words[pair[1].start].at.start).unwrap_or("|");
        let is_plain = gap.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '\''));
        let joins = words[pair[0].end..pair[1].start]
            .iter()
            .any(|word| matches!(word.plain.as_str(), "and" | "n" | "or" | "plus"));
        pair[1].start <= pair[0].end + BETWEEN_MAX && is_plain && !joins
    };
    let before =
        |text: &Range<usize>| source.get(..words[text.start].at.start).and_then(|before| before.chars().next_back());
    let is_signed = texts.iter().any(|text| matches!(before(text), Some('!' | '-' | '~' | '^')));
    !is_signed && texts.windows(2).all(between)
}

/// Where the texts are in the sentence.
fn texts(best: &Scored, words: &[Word]) -> Vec<Range<usize>> {
    let begins = |text: &str| words.iter().position(|word| text.split(' ').next() == Some(word.text.as_str()));
    let texts = best.values.iter().filter(|read| read.pattern == CONFIRMED);
    let spans = texts.filter_map(|read| Some(begins(&read.text)?..begins(&read.text)? + read.text.split(' ').count()));
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by_key(|span| span.start);
    spans
}
