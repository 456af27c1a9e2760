//! Whether a sentence that has no answer otherwise is one about texts that the data hold: "exceptions invoice" asks for exceptions
//! where records say "invoice".
//!
//! Nobody trained that, so the conditions are narrow: such texts and words of one card are all that the sentence says.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use intentbox_catalog::ParamSpec;

use crate::card::Card;
use crate::english::negates;
use crate::explain::Scored;
use crate::model::Model;
use crate::names::{NameList, Names, Source};
use crate::nearest::COMPARING;
use crate::ranker::Ranker;
use crate::text::Word;
use crate::trust::Why;
use crate::{CLOSEST_MAX, Router};

/// The cards once more, as they are read where the data hold texts of a sentence: with phrases for that. Most sentences have an answer
/// without, so that the index is built when it is needed.
#[derive(Debug)]
pub(crate) struct Confirming<R> {
    cards: Vec<Card>,
    sources: BTreeSet<Source>,
    router: OnceLock<Box<Router<R>>>,
}

/// Where values stand in a sentence, of which the data hold the texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spans {
    /// The texts.
    pub(crate) texts: Vec<Range<usize>>,
    /// All values, the texts among them.
    pub(crate) values: Vec<Range<usize>>,
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
const MORE: [&str; 35] = [
    "away",
    "by",
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
    "per",
    "presently",
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
    pub(crate) fn of(cards: &[Card]) -> Option<Self> {
        let sources = cards.iter().flat_map(|card| {
            let by = card.parameters.iter().filter_map(ParamSpec::confirmed_by);
            by.map(|values| Source { pack: card.pack.name.clone(), values: values.clone() })
        });
        let sources: BTreeSet<Source> = sources.collect();
        let extended = |card: &Card| {
            let mut card = card.clone();
            card.phrases.append(&mut card.confirmed_phrases);
            card.clauses.append(&mut card.confirmed_clauses);
            card
        };
        let all =
            || Self { cards: cards.iter().map(extended).collect(), sources: sources.clone(), router: OnceLock::new() };
        (!sources.is_empty()).then(all)
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
pub(crate) fn rank(candidates: &[Scored], question: crate::Question<'_>, words: &[Word]) -> Option<usize> {
    let source = question.text;
    let rank = candidates.iter().take(CLOSEST_MAX).position(|scored| scored.unexplained.is_empty())?;
    let best = &candidates[rank];
    let Spans { texts, values } = best.confirmed.as_ref()?;
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
    let is_meant = best.missing.is_empty() && is_understood && !is_otherwise && !is_elsewhere;
    let is_more = |at: usize| {
        let plain = words[at].plain.as_str();
        let is_said = values.iter().any(|value| value.contains(&at));
        !is_said && (negates(plain) || COMPARING.contains(&plain) || MORE.contains(&plain))
    };
    // "First" is said of the oldest.
    let is_first = |word: &Word| matches!(word.plain.as_str(), "earliest" | "first" | "oldest");
    let is_oldest = best.read().any(|read| read.parameter == "order");
    let is_all = !(0..words.len()).any(is_more) && (is_oldest || !words.iter().any(is_first));
    // "The first trip" is a row of `trips.csv`, unless a log is named.
    let has_file =
        |list: &NameList| best.read().any(|read| read.value.as_str().is_some_and(|value| list.says_all(value)));
    let own = || question.names.files_of(|pack| pack == best.pack);
    let is_row = |text: &Range<usize>| {
        let said = source.get(words[text.start].at.start..words[text.end - 1].at.end).unwrap_or_default();
        question.names.files_of(|pack| pack != best.pack).any(|list| list.find(said).is_some())
    };
    let is_of_table = texts.iter().any(is_row) && !own().any(has_file);
    (is_meant && is_all && !is_of_table && are_together(source, words, texts)).then_some(rank)
}

/// Whether no more than some words are between the texts, and no sign or word that joins: "circuit breaker is closed" is one request, a
/// word of a story before it none of it, and "deadlock and timeout" are two. Before a text stands no sign such as that of "!deadlock".
fn are_together(source: &str, words: &[Word], texts: &[Range<usize>]) -> bool {
    let mut texts = texts.to_vec();
    texts.sort_by_key(|text| text.start);
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
