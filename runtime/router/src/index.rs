//! The cards as they are compared with a sentence, one index for each pack.
//!
//! Packs have separate indexes because their synonyms differ: an *issue* is one thing to an error tracker and another
//! to a planner.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use intentbox_catalog::words::Slot;
use intentbox_catalog::{ParamKind, ParamSpec};

use crate::card::{Card, CardId, Pack};
use crate::explain::{Phrase, Scored};
use crate::ranker::Ranker;
use crate::text::{Synonyms, Word, normal, split};
use crate::typo::Vocabulary;
use crate::values::{Reader, ValueRead, pull};

/// What a word weighs against a card that cannot explain it, where an explained word weighs 1. Ignoring a word means
/// answering another question, so it would take nine explained words to outweigh one, and no sentence has them.
const UNEXPLAINED_WEIGHT: f64 = 3.0;

/// The same for a word that only the summary holds. It is no declared phrase, but it is related.
const SUMMARY_WEIGHT: f64 = 1.0;

/// The cards of one pack.
#[derive(Debug)]
pub(crate) struct PackIndex<R> {
    synonyms: Synonyms,
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
    /// The words of all phrases and patterns, numbered.
    numbers: BTreeMap<String, usize>,
    ranker: R,
}

/// One card.
#[derive(Debug)]
struct Entry {
    id: CardId,
    summary: String,
    /// Whether it changes something.
    writes: bool,
    phrases: Vec<KnownPhrase>,
    /// The words of the phrases, of the card's name and of the pack's.
    topics: BTreeSet<String>,
    summary_words: BTreeSet<String>,
    readers: Vec<Reader>,
}

#[derive(Debug)]
struct KnownPhrase {
    text: String,
    normal: String,
    words: BTreeSet<String>,
    /// The same words by their numbers in the pack.
    numbers: Vec<usize>,
}

/// A sentence as one pack understands it.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    words: Cow<'a, [Word]>,
    canonical: Vec<String>,
    /// Which of the numbered words of the pack the sentence holds.
    present: Vec<bool>,
}

/// A card that may be meant, before its patterns were tried.
#[derive(Debug)]
pub(crate) struct Prospect {
    entry: usize,
    /// The highest score that it can have: the share of its best phrase among all words of the sentence.
    pub(crate) bound: f64,
    /// Whether the sentence is one of its phrases.
    pub(crate) exact: bool,
}

impl<R: Ranker> PackIndex<R> {
    pub(crate) fn new(pack: &Pack, cards: Vec<Card>) -> Self {
        let vocabulary = vocabulary(pack, &cards);
        let synonyms = Synonyms::new(&pack.synonyms);
        let mut entries: Vec<Entry> = cards.into_iter().map(|card| Entry::new(card, &synonyms)).collect();
        let phrases = || entries.iter().flat_map(|entry| &entry.phrases);
        let readers = || entries.iter().flat_map(|entry| &entry.readers);
        let in_phrases = phrases().flat_map(|phrase| phrase.words.iter().cloned());
        let all: BTreeSet<String> = in_phrases.chain(readers().flat_map(Reader::words).cloned()).collect();
        let numbers: BTreeMap<String, usize> = all.into_iter().zip(0..).collect();
        for phrase in entries.iter_mut().flat_map(|entry| &mut entry.phrases) {
            phrase.numbers = phrase.words.iter().map(|word| numbers[word]).collect();
        }
        for reader in entries.iter_mut().flat_map(|entry| &mut entry.readers) {
            reader.number(&numbers);
        }
        let words: Vec<BTreeSet<String>> = entries.iter().map(Entry::words).collect();
        Self { vocabulary, synonyms, entries, numbers, ranker: R::new(&words) }
    }

    /// The sentence in the words of this pack.
    pub(crate) fn read<'a>(&self, words: &'a [Word]) -> Reading<'a> {
        let words = self.vocabulary.correct(words);
        let canonical: Vec<String> = words.iter().map(|word| self.synonyms.head(&word.stem).to_owned()).collect();
        let mut present = vec![false; self.numbers.len()];
        for number in canonical.iter().filter_map(|word| self.numbers.get(word)) {
            present[*number] = true;
        }
        Reading { words, canonical, present }
    }

    /// The cards of this pack that the ranker selects and that share anything with the sentence.
    pub(crate) fn prospects(&self, reading: &Reading<'_>, normalised: &str) -> Vec<Prospect> {
        let is_phrase = |entry: &Entry| entry.phrases.iter().any(|phrase| phrase.normal == normalised);
        let exact: Vec<bool> = self.entries.iter().map(is_phrase).collect();
        let mut places = self.ranker.rank(&reading.informative());
        // No ranker overrules a declared phrase.
        let left_out = |place: &usize| exact[*place] && !places.contains(place);
        let left_out: Vec<usize> = (0..exact.len()).filter(left_out).collect();
        places.extend(left_out);
        let prospect = |entry: usize| {
            let shares = self.entries[entry].phrases.iter().map(|phrase| phrase.at_most(&reading.present));
            let bound = if exact[entry] { 1.0 } else { shares.fold(0.0, f64::max) };
            Prospect { entry, bound, exact: exact[entry] }
        };
        places.into_iter().map(prospect).filter(|prospect| prospect.bound > 0.0).collect()
    }

    /// What a card explains of the sentence.
    pub(crate) fn score(&self, prospect: &Prospect, reading: &Reading<'_>, normalised: &str) -> Scored {
        self.entries[prospect.entry].score(reading, normalised)
    }

    /// The values that a sentence holds for a card of this pack.
    pub(crate) fn values(&self, id: &CardId, words: &[Word]) -> Option<Vec<ValueRead>> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        let reading = self.read(words);
        Some(entry.score(&reading, "").values)
    }
}

impl Reading<'_> {
    /// The words that say something about what is asked for.
    fn informative(&self) -> BTreeSet<&str> {
        let words = self.words.iter().zip(&self.canonical);
        words.filter(|(word, _)| !word.quoted && !word.is_filler).map(|(_, canonical)| canonical.as_str()).collect()
    }
}

impl KnownPhrase {
    /// The share of its words that the sentence has, values and all.
    fn at_most(&self, present: &[bool]) -> f64 {
        share(self.numbers.iter().filter(|number| present[**number]).count(), self.numbers.len())
    }
}

/// Every word that some card of the pack understands: of phrases, summaries, names, patterns, choices and synonyms.
fn vocabulary(pack: &Pack, cards: &[Card]) -> Vocabulary {
    let mut words: Vec<String> = Vec::new();
    for (head, others) in &pack.synonyms {
        words.push(head.clone());
        words.extend(others.iter().cloned());
    }
    for card in cards {
        let texts = card.phrases.iter().chain([&card.summary]);
        words.extend(texts.flat_map(|text| split(text)).map(|word| word.plain));
        words.extend(card.name.split('_').map(str::to_owned));
        for pattern in card.parameters.iter().flat_map(ParamSpec::words) {
            words.extend(pattern.before().iter().chain(pattern.after()).cloned());
            if let Slot::OneOf(choices) = pattern.slot() {
                words.extend(choices.iter().cloned());
            }
        }
        for parameter in &card.parameters {
            if let ParamKind::Enum { choices } = parameter.kind() {
                words.extend(choices.iter().flat_map(|choice| choice.synonyms.iter().chain([&choice.value])).cloned());
            }
        }
    }
    Vocabulary::new(words)
}

impl Entry {
    fn new(card: Card, synonyms: &Synonyms) -> Self {
        let informative = |text: &str| -> BTreeSet<String> {
            let words = split(text);
            words.iter().filter(|word| !word.is_filler).map(|word| synonyms.head(&word.stem).to_owned()).collect()
        };
        let phrase = |text: String| KnownPhrase {
            normal: normal(&split(&text)),
            words: informative(&text),
            numbers: Vec::new(),
            text,
        };
        let phrases: Vec<KnownPhrase> = card.phrases.into_iter().map(phrase).collect();
        let mut topics: BTreeSet<String> = phrases.iter().flat_map(|phrase| phrase.words.iter().cloned()).collect();
        topics.extend(informative(&card.name.replace('_', " ")));
        topics.extend(informative(&card.pack.name.replace('_', " ")));
        Self {
            id: card.id,
            summary_words: informative(&card.summary),
            summary: card.summary,
            writes: card.writes,
            phrases,
            topics,
            readers: card.parameters.into_iter().map(|spec| Reader::new(spec, synonyms)).collect(),
        }
    }

    /// All its words: those that it is about, and those of its summary.
    fn words(&self) -> BTreeSet<String> {
        self.topics.union(&self.summary_words).cloned().collect()
    }

    fn score(&self, reading: &Reading<'_>, normalised: &str) -> Scored {
        let Reading { words, canonical, present } = reading;
        let values = pull(words, canonical, present, &self.readers, &self.topics);
        let mut said = BTreeSet::new();
        let mut unexplained = Vec::new();
        let (mut explained_weight, mut weight) = (0.0, 0.0);
        for (index, (word, canonical)) in words.iter().zip(canonical).enumerate() {
            let in_pattern = values.iter().any(|found| found.span.contains(&index));
            let is_topic = !word.quoted && self.topics.contains(canonical);
            // A value may be what the sentence is about as well: the level in "list warnings".
            if word.is_filler || (in_pattern && !is_topic) || !said.insert(canonical.as_str()) {
                continue;
            }
            if is_topic {
                explained_weight += 1.0;
                weight += 1.0;
                continue;
            }
            unexplained.push(word.text.clone());
            let in_summary = !word.quoted && self.summary_words.contains(canonical);
            weight += if in_summary { SUMMARY_WEIGHT } else { UNEXPLAINED_WEIGHT };
        }
        let explained = if weight > 0.0 { explained_weight / weight } else { 0.0 };
        let phrase = self.best_phrase(&said, normalised);
        // What changes something is asked for in so many words: not by a slip of the pen, and not by asking whether it was.
        let is_asked_for = !self.writes || (!is_question(words) && !words.iter().any(|word| word.corrected));
        let score = match phrase.exact {
            _ if !is_asked_for => 0.0,
            true => 1.0,
            false => explained * phrase.covered,
        };
        let values: Vec<_> = values.into_iter().map(|found| found.read).collect();
        let missing = self
            .readers
            .iter()
            .map(Reader::spec)
            .filter(|spec| spec.must_be_given() && !values.iter().any(|read| read.parameter == spec.name()));
        Scored {
            id: self.id.clone(),
            summary: self.summary.clone(),
            missing: missing.map(|spec| spec.name().to_owned()).collect(),
            score,
            explained,
            phrase,
            unexplained,
            corrected: words
                .iter()
                .filter(|word| word.corrected)
                .map(|word| (word.text.clone(), word.plain.clone()))
                .collect(),
            values,
        }
    }

    /// The declared phrase with the largest share of its words said, and of equals the longest. An exact one wins.
    fn best_phrase(&self, said: &BTreeSet<&str>, normalised: &str) -> Phrase {
        let mut best = Phrase { text: String::new(), covered: 0.0, exact: false };
        let mut best_length = 0;
        for phrase in &self.phrases {
            if phrase.normal == normalised {
                return Phrase { text: phrase.text.clone(), covered: 1.0, exact: true };
            }
            let covered =
                share(phrase.words.iter().filter(|word| said.contains(word.as_str())).count(), phrase.words.len());
            if covered > best.covered || (covered > 0.0 && covered >= best.covered && phrase.words.len() > best_length)
            {
                best = Phrase { text: phrase.text.clone(), covered, exact: false };
                best_length = phrase.words.len();
            }
        }
        best
    }
}

/// Whether a sentence asks about something, and not for it: "did you", "was it", "why". "Can you" asks for it.
fn is_question(words: &[Word]) -> bool {
    const ASKING: [&str; 19] = [
        "are", "did", "do", "does", "had", "has", "have", "how", "is", "should", "was", "were", "what", "when",
        "where", "which", "who", "whose", "why",
    ];
    words.first().is_some_and(|word| !word.quoted && ASKING.contains(&word.plain.as_str()))
}

/// `part / whole` of two small counts.
fn share(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}
