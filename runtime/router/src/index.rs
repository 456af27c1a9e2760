//! The cards as they are compared with a sentence, one index for each pack.
//!
//! Packs have separate indexes because their synonyms differ: an *issue* is one thing to an error tracker and another
//! to a planner. `phrase` is what a sentence is compared with, `mentions` which names it says, and `doubts` what speaks
//! against the reading of one.

mod doubts;
mod mentions;
mod phrase;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use intentbox_catalog::words::{Clause, ClausePart, Slot};
use intentbox_catalog::{ParamKind, ParamSpec};
use serde_json::Value;

use crate::card::{Card, CardId, Pack};
use crate::clause;
use crate::confirmed::Spans;
use crate::explain::{Phrase, Scored};
use crate::names::{Name, Names, Source};
use crate::ranker::Ranker;
use crate::text::{self, Synonyms, Word, split};
use crate::time;
use crate::trust::{self, Doubts};
use crate::typo::Vocabulary;
use crate::values::{CONFIRMED, Found, How, Mentions, NameMention, REST, Readers, Sentence, ValueRead};
use crate::weights::{Feature, STRANGE, TRUST, WeightMap, Weights};
use crate::witness::{self, Witness};
use crate::{NO_PHRASE, Named, Question};
use phrase::KnownPhrase;

/// What a word weighs against a card that cannot explain it, where an explained word weighs 1. Ignoring a word means
/// answering another question, so it would take nine explained words to outweigh one, and no sentence has them.
const UNEXPLAINED_WEIGHT: f64 = 3.0;

/// The same for a word that only the summary holds. It is no declared phrase, but it is related.
const SUMMARY_WEIGHT: f64 = 1.0;

/// The most values of which each is left out once. Few sentences have more.
const LEFT_OUT_MAX: usize = 6;

/// The lowest fit of a card that changes something. One unexplained word beside five explained ones is 5 ÷ 8 = 0.63: no weight of
/// other words outweighs it.
const WRITE_FLOOR: f64 = 0.75;

/// The cards of one pack.
#[derive(Debug)]
pub(crate) struct PackIndex<R> {
    synonyms: Synonyms,
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
    /// The words of all phrases and patterns, numbered.
    numbers: BTreeMap<String, usize>,
    /// Where names of its cards come from.
    sources: BTreeSet<Source>,
    /// What says which texts of a sentence the data of its cards hold, where those count.
    confirming: BTreeSet<Source>,
    /// Words that may abbreviate a known name, although the pack knows them.
    abbreviations: BTreeSet<String>,
    ranker: R,
}

/// One card.
#[derive(Debug)]
struct Entry {
    id: CardId,
    pack: String,
    summary: String,
    /// Whether it changes something.
    writes: bool,
    phrases: Vec<KnownPhrase>,
    /// Phrases that count only if a sentence says nothing else, without filler.
    whole: Vec<String>,
    /// The words of the phrases, of the card's name and of the pack's.
    topics: BTreeSet<String>,
    summary_words: BTreeSet<String>,
    /// The words that only other packs are about.
    others: BTreeSet<String>,
    /// What other cards of the pack count, such as `rows`, and this one does not.
    counted_elsewhere: BTreeSet<String>,
    readers: Readers,
    /// What words say for it and against it, by the names of features.
    weights: WeightMap,
    /// What facts about its values say for trusting them.
    trust: WeightMap,
}

/// A sentence as one pack understands it.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    words: Cow<'a, [Word]>,
    /// The sentence without what it may have or not, where a whole phrase of the pack is compared with it.
    bare: String,
    canonical: Vec<String>,
    /// The number of each in the pack, if it has one.
    numbers: Vec<Option<usize>>,
    /// Which of the numbered words of the pack the sentence holds.
    present: Vec<bool>,
    /// The number of its clause for each word.
    clauses: Vec<usize>,
    said: Said<'a>,
    names: Mentions,
}

/// A sentence before any pack has read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) words: &'a [Word],
    pub(crate) times: &'a [time::Mention],
    /// Which words some pack knows, or which a name says: they are no slips.
    pub(crate) known: &'a [bool],
}

/// A card that may be meant, before its patterns were tried.
#[derive(Debug)]
pub(crate) struct Prospect {
    entry: usize,
    /// What its best phrase promises, or its words.
    pub(crate) bound: f64,
    /// Whether the sentence is one of its phrases.
    pub(crate) exact: bool,
}

/// What a sentence for a card is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wording<'a> {
    /// Its first phrase.
    pub(crate) phrase: &'a str,
    pub(crate) readers: &'a Readers,
    /// Whether the card changes something.
    pub(crate) writes: bool,
}

impl<R: Ranker> PackIndex<R> {
    /// `others` are the words that only other packs are about, and `confirms` says whether texts that the data hold count.
    pub(crate) fn new(pack: &Pack, cards: Vec<Card>, others: &BTreeSet<String>, confirms: bool) -> Self {
        let synonyms = Synonyms::new(&pack.synonyms);
        let vocabulary = vocabulary(pack, &cards, &synonyms);
        let mut weights = pack.weights.as_deref().map(Weights::parse).unwrap_or_default();
        let units_of_all: BTreeSet<String> = cards.iter().flat_map(units).map(str::to_owned).collect();
        let mut entries: Vec<Entry> = cards
            .into_iter()
            .map(|card| {
                let own: Vec<&str> = units(&card).collect();
                let elsewhere = units_of_all.iter().filter(|unit| !own.contains(&unit.as_str())).cloned();
                let (others, counted_elsewhere) = (others.clone(), elsewhere.collect());
                Entry { others, counted_elsewhere, ..Entry::new(card, &synonyms, &mut weights) }
            })
            .collect();
        let in_phrases =
            entries.iter().flat_map(|entry| &entry.phrases).flat_map(|phrase| phrase.words.iter().cloned());
        let in_patterns = entries.iter().flat_map(|entry| entry.readers.words().cloned());
        let all: BTreeSet<String> = in_phrases.chain(in_patterns).collect();
        let sources = entries.iter().flat_map(|entry| entry.readers.sources().cloned()).collect();
        let confirming = entries.iter().filter(|_| confirms).flat_map(|entry| entry.readers.confirming().cloned());
        let confirming = confirming.collect();
        let numbers: BTreeMap<String, usize> = all.into_iter().zip(0..).collect();
        for phrase in entries.iter_mut().flat_map(|entry| &mut entry.phrases) {
            phrase.numbers = phrase.words.iter().map(|word| numbers[word]).collect();
        }
        let abbreviations = entries.iter().flat_map(|entry| entry.readers.abbreviations().cloned()).collect();
        for entry in &mut entries {
            entry.readers.number(&numbers);
        }
        let words: Vec<BTreeSet<String>> = entries.iter().map(Entry::words).collect();
        Self { vocabulary, synonyms, entries, numbers, sources, confirming, abbreviations, ranker: R::new(&words) }
    }

    /// The sentence in the words of this pack.
    pub(crate) fn read<'a>(&self, said: Said<'a>) -> Reading<'a> {
        let Said { words, known, .. } = said;
        let names = self.mentions(said);
        let mut kept = known.to_vec();
        for mention in names.values().flatten() {
            kept[mention.span.clone()].fill(true);
        }
        let words = self.vocabulary.correct(words, &kept);
        let canonical: Vec<String> = words.iter().map(|word| self.synonyms.head(&word.stem).to_owned()).collect();
        let numbers: Vec<Option<usize>> = canonical.iter().map(|word| self.numbers.get(word).copied()).collect();
        let mut present = vec![false; self.numbers.len()];
        for number in numbers.iter().flatten() {
            present[*number] = true;
        }
        let clauses = clause::numbered(said.question.text, &words);
        let has_whole = self.entries.iter().any(|entry| !entry.whole.is_empty());
        let bare = if has_whole { text::bare(&words) } else { String::new() };
        Reading { words, bare, canonical, numbers, present, clauses, said, names }
    }

    /// Whether a word is one of this pack's, or says a name of it.
    pub(crate) fn claims(&self, word: &Word, names: &Names) -> bool {
        let says = |source: &Source| names.get(source).is_some_and(|list| list.says(&word.text));
        self.vocabulary.knows(word) || self.sources.iter().any(says)
    }

    /// The cards of this pack that the ranker selects and that share anything with the sentence.
    pub(crate) fn prospects(&self, reading: &Reading<'_>, normalised: &str) -> Vec<Prospect> {
        let is_phrase = |entry: &Entry| {
            let is_whole = normalised != NO_PHRASE && entry.whole.contains(&reading.bare);
            is_whole || entry.phrases.iter().any(|phrase| phrase.normal == normalised)
        };
        let exact: Vec<bool> = self.entries.iter().map(is_phrase).collect();
        let said = reading.informative();
        let mut places = self.ranker.rank(&said);
        // No ranker overrules a declared phrase.
        let left_out = |place: &usize| exact[*place] && !places.contains(place);
        let left_out: Vec<usize> = (0..exact.len()).filter(left_out).collect();
        places.extend(left_out);
        let prospect = |entry: usize| {
            let shares = self.entries[entry].phrases.iter().map(|phrase| phrase.promise(&reading.present));
            // A word that speaks for a card without being in its phrases promises a little.
            let weights = said.iter().filter_map(|word| self.entries[entry].weights.get(*word));
            let trained = (weights.sum::<f64>() * 0.1).clamp(0.0, 1.0);
            let bound = if exact[entry] { 1.0 } else { shares.fold(trained, f64::max) };
            Prospect { entry, bound, exact: exact[entry] }
        };
        places.into_iter().map(prospect).filter(|prospect| prospect.bound > 0.0).collect()
    }

    /// What a card explains of the sentence, without what speaks against that, and the values that it was read with; nothing for one
    /// that changes something and is not asked for in so many words.
    pub(crate) fn score(
        &self,
        prospect: &Prospect,
        reading: &Reading<'_>,
        normalised: &str,
        general: &WeightMap,
    ) -> Option<(Scored, Vec<Found>)> {
        let entry = &self.entries[prospect.entry];
        let (mut scored, found) = entry.score(reading, normalised);
        if entry.writes && scored.fit < WRITE_FLOOR {
            return None;
        }
        entry.weigh(&mut scored, reading, &found, general);
        Some((scored, found))
    }

    /// Adds what speaks for and against trusting what a card explains.
    pub(crate) fn judge(
        &self,
        prospect: &Prospect,
        scored: &mut Scored,
        reading: &Reading<'_>,
        found: &[Found],
        general: &WeightMap,
    ) {
        self.entries[prospect.entry].judge(scored, reading, found, general);
    }

    /// The same card once for each value that it may do without, as if the words of that value were no value. A card that changes
    /// something is read in one way alone.
    pub(crate) fn without_a_value(&self, id: &CardId, reading: &Reading<'_>, general: &WeightMap) -> Vec<Scored> {
        let Some(entry) = self.entries.iter().find(|entry| entry.id == *id && !entry.writes) else { return Vec::new() };
        let (_, found) = entry.score(reading, NO_PHRASE);
        let may_go = |found: &Found| !found.span.is_empty() && !reading.words[found.span.start].quoted;
        let doubtful = (0..found.len()).filter(|at| may_go(&found[*at])).take(LEFT_OUT_MAX);
        let without = doubtful.map(|left_out| {
            let kept = found.iter().enumerate().filter(|(at, _)| *at != left_out);
            let kept: Vec<Found> = kept.map(|(_, found)| found.clone()).collect();
            let mut scored = entry.score_of(reading, NO_PHRASE, &kept);
            scored.phrase.exact = false;
            entry.weigh(&mut scored, reading, &kept, general);
            entry.judge(&mut scored, reading, &kept, general);
            scored.doubts.lacks_a_value = true;
            scored
        });
        without.collect()
    }

    /// The features of a card, by their names, and whether they hold for every card.
    pub(crate) fn features(
        &self,
        prospect: &Prospect,
        reading: &Reading<'_>,
        normalised: &str,
    ) -> (CardId, Vec<Named>) {
        let entry = &self.entries[prospect.entry];
        let (scored, found) = entry.score(reading, normalised);
        let mut features = Vec::new();
        let mut name = String::new();
        entry.features(reading, &scored, &found, &mut |feature, value| {
            let is_general = feature.name(&mut name);
            features.push((name.clone(), is_general, value));
        });
        (entry.id.clone(), features)
    }

    /// The values that a sentence holds for a card of this pack.
    pub(crate) fn values(&self, id: &CardId, said: Said<'_>) -> Option<Vec<ValueRead>> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        let (scored, _) = entry.score(&self.read(said), "");
        Some(scored.read().cloned().collect())
    }

    /// Whether a card is of this pack.
    pub(crate) fn has(&self, id: &CardId) -> bool {
        self.entries.iter().any(|entry| entry.id == *id)
    }

    /// What the sentence says for a card of this pack.
    pub(crate) fn witness(&self, id: &CardId, said: Said<'_>, general: &WeightMap) -> Option<Witness> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        let reading = self.read(said);
        let (scored, found) = entry.score(&reading, "");
        let doubts = entry.doubts(&reading, &scored, &found, general);
        Some(witness::of(said, scored.values, &found, &doubts))
    }

    /// What a sentence for a card of this pack is made of.
    pub(crate) fn wording(&self, id: &CardId) -> Option<Wording<'_>> {
        let entry = self.entries.iter().find(|entry| entry.id == *id)?;
        let phrase = entry.phrases.first()?;
        Some(Wording { phrase: &phrase.text, readers: &entry.readers, writes: entry.writes })
    }

    /// Whether a word may be what a card changes: it fits the narrow pattern of a value that such a card needs, and has a digit.
    pub(crate) fn may_change(&self, word: &Word) -> bool {
        let fits = |spec: &ParamSpec| {
            let value = spec.must_be_given().then(|| spec.read_item(&word.text).ok()).flatten();
            spec.is_narrow() && value.is_some_and(|value| spec.check_item(&value).is_ok())
        };
        let has_digit = word.text.bytes().any(|byte| byte.is_ascii_digit());
        has_digit && self.entries.iter().any(|entry| entry.writes && entry.readers.specs().iter().any(fits))
    }

    /// Whether a word is among those that the cards of this pack declare.
    pub(crate) fn knows(&self, word: &Word) -> bool {
        self.vocabulary.knows(word)
    }
}

impl Reading<'_> {
    /// The words that say something about what is asked for.
    fn informative(&self) -> BTreeSet<&str> {
        let words = self.words.iter().zip(&self.canonical);
        words.filter(|(word, _)| !word.quoted && !word.is_filler).map(|(_, canonical)| canonical.as_str()).collect()
    }
}

/// The words of a text that say something, each as its pack calls it.
fn informative(text: &str, synonyms: &Synonyms) -> BTreeSet<String> {
    let words = split(text);
    words.iter().filter(|word| !word.is_filler).map(|word| synonyms.head(&word.stem).to_owned()).collect()
}

/// Every word that some card of the pack understands: of phrases, summaries, names, patterns, choices and synonyms.
fn vocabulary(pack: &Pack, cards: &[Card], synonyms: &Synonyms) -> Vocabulary {
    let mut words: Vec<String> = Vec::new();
    for (head, others) in &pack.synonyms {
        words.push(head.clone());
        words.extend(others.iter().cloned());
    }
    for card in cards {
        let texts = card.phrases.iter().chain([&card.summary]);
        words.extend(texts.flat_map(|text| split(text)).map(|word| word.plain));
        words.extend(card.name.split('_').map(str::to_owned));
        words.extend(card.pack.about.iter().cloned());
        for part in card.clauses.iter().flat_map(Clause::parts) {
            if let ClausePart::Word(word) = part {
                words.push(word.clone());
            }
        }
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
    Vocabulary::new(words, synonyms)
}

/// What the card counts, in the plural: the units of its parameters.
fn units(card: &Card) -> impl Iterator<Item = &str> {
    card.parameters.iter().filter_map(ParamSpec::unit)
}

impl Entry {
    fn new(card: Card, synonyms: &Synonyms, weights: &mut Weights) -> Self {
        let informative = |text: &str| informative(text, synonyms);
        let phrases: Vec<KnownPhrase> = card.phrases.into_iter().map(|text| KnownPhrase::new(text, synonyms)).collect();
        let mut topics: BTreeSet<String> = phrases.iter().flat_map(|phrase| phrase.words.iter().cloned()).collect();
        topics.extend(informative(&card.name.replace('_', " ")));
        topics.extend(informative(&card.pack.name.replace('_', " ")));
        topics.extend(card.pack.about.iter().flat_map(|word| informative(word)));
        Self {
            weights: weights.take(card.id.as_str()),
            trust: weights.take(&format!("{TRUST} {}", card.id)),
            pack: card.pack.name.clone(),
            others: BTreeSet::new(),
            counted_elsewhere: BTreeSet::new(),
            id: card.id,
            summary_words: informative(&card.summary),
            summary: card.summary,
            writes: card.writes,
            phrases,
            whole: card.whole_phrases.iter().map(|phrase| text::bare(&split(phrase))).collect(),
            topics,
            readers: Readers::new(&card.pack.name, card.parameters, &card.clauses, synonyms)
                .implying(&card.implied, &card.one_of, synonyms)
                .accompanied(&card.companions)
                .writing(card.writes),
        }
    }

    /// All its words: those that it is about, and those of its summary.
    fn words(&self) -> BTreeSet<String> {
        self.topics.union(&self.summary_words).cloned().collect()
    }

    fn score(&self, reading: &Reading<'_>, normalised: &str) -> (Scored, Vec<Found>) {
        let Reading { words, canonical, present, clauses, said, names, .. } = reading;
        let Question { text: source, now, names: known } = said.question;
        let times = said.times;
        let sentence = Sentence { words, canonical, present, clauses, times, names, known, source, now };
        let found = self.readers.pull(&sentence, &self.topics);
        let (asides, found): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|found| found.is_aside);
        let mut scored = self.score_of(reading, normalised, &found);
        scored.asides = asides.into_iter().flat_map(|found| found.reads).map(|(_, read)| read).collect();
        (scored, found)
    }

    /// The same with these values.
    fn score_of(&self, reading: &Reading<'_>, normalised: &str, values: &[Found]) -> Scored {
        let Reading { words, canonical, numbers, present, .. } = reading;
        let repeats = self.repeated(reading, values);
        let lacking = self.lacks_a_measure(reading, values);
        let mut said: Vec<&str> = Vec::new();
        let mut said_numbers = vec![false; present.len()];
        let mut unexplained = Vec::new();
        let (mut explained_weight, mut weight) = (0.0, 0.0);
        let in_value = |index: usize| values.iter().any(|found| found.span.contains(&index));
        // "Status is paid and country is Japan".
        let joins = |index: usize| {
            let is_joint = words[index].plain == "and" && !words[index].quoted;
            is_joint && index > 0 && in_value(index - 1) && in_value(index + 1)
        };
        for (index, (word, canonical)) in words.iter().zip(canonical).enumerate() {
            let in_pattern = in_value(index) || joins(index);
            let in_text = values.iter().any(|found| found.text.contains(&index));
            // The hours of "the last 24 hours" do not ask for anything by hour.
            let in_time = values.iter().any(|found| found.span.contains(&index) && self.readers.is_window(found));
            let is_topic = !word.quoted && !in_text && !in_time && self.topics.contains(canonical);
            let is_topic = is_topic || lacking.as_ref().is_some_and(|(at, _)| *at == index);
            // A value may be what the sentence is about as well: the level in "list warnings".
            if word.is_filler || ((in_pattern || repeats[index]) && !is_topic) || said.contains(&canonical.as_str()) {
                continue;
            }
            said.push(canonical);
            if let Some(number) = numbers[index] {
                said_numbers[number] = true;
            }
            if is_topic {
                explained_weight += 1.0;
                weight += 1.0;
                continue;
            }
            // What changes something is asked for in so many words.
            if !word.quoted && !self.writes && word.is_around {
                continue;
            }
            unexplained.push(word.text.clone());
            let in_summary = !word.quoted && self.summary_words.contains(canonical);
            weight += if in_summary { SUMMARY_WEIGHT } else { UNEXPLAINED_WEIGHT };
        }
        let read: BTreeSet<&str> =
            values.iter().flat_map(|found| &found.reads).map(|(_, read)| read.parameter.as_str()).collect();
        // Where there is nothing but values, what they are says what is asked.
        let only_values = f64::from(u8::from(!read.is_empty()));
        let explained = if weight > 0.0 { explained_weight / weight } else { only_values };
        let mut phrase = self.best_phrase(&said_numbers, &read, normalised);
        if let Some(filled) = self.filled_phrase(words, canonical, values) {
            phrase = Phrase { text: filled.text.clone(), covered: 1.0, exact: true };
        }
        if normalised != NO_PHRASE && self.whole.contains(&reading.bare) {
            phrase = Phrase { text: reading.bare.clone(), covered: 1.0, exact: true };
        }
        // What changes something is asked for in so many words: not by a slip of the pen, and not by asking whether it was.
        let is_asked_for = !self.writes || (!is_question(words) && !words.iter().any(|word| word.corrected));
        let score = match phrase.exact {
            _ if !is_asked_for => 0.0,
            true => 1.0,
            false => explained * phrase.covered,
        };
        let confirmed = self.confirmed(reading, &unexplained, &phrase, values);
        let values: Vec<ValueRead> =
            values.iter().flat_map(|found| &found.reads).map(|(_, read)| read.clone()).collect();
        let missing = self
            .readers
            .specs()
            .iter()
            .filter(|spec| spec.must_be_given() && !values.iter().any(|read| read.parameter == spec.name()));
        Scored {
            id: self.id.clone(),
            pack: self.pack.clone(),
            summary: self.summary.clone(),
            missing: missing.map(|spec| spec.name().to_owned()).chain(lacking.map(|(_, name)| name)).collect(),
            score,
            fit: score,
            sum: 0.0,
            familiar: 0.0,
            writes: self.writes,
            trust: 0.0,
            doubts: Doubts::default(),
            explained,
            phrase,
            unexplained,
            confirmed,
            corrected: words
                .iter()
                .filter(|word| word.corrected)
                .map(|word| (word.text.clone(), word.plain.clone()))
                .collect(),
            values,
            asides: Vec::new(),
        }
    }

    /// The measure that a sentence names without a column of it, and where: "average per region".
    fn lacks_a_measure(&self, reading: &Reading<'_>, found: &[Found]) -> Option<(usize, String)> {
        let Reading { words, canonical, names, .. } = reading;
        let in_value = |index: usize| found.iter().any(|found| found.span.contains(&index));
        let is_open = |index: &usize| !words[*index].quoted && !in_value(*index);
        let mut open = (0..words.len()).filter(is_open);
        let (at, spec) = open.find_map(|at| Some((at, self.readers.column_measure(&canonical[at])?)))?;
        // Of a file that nobody has looked at, no column is known, and one may be named.
        let source = self.readers.sources().find(|source| spec.values_from() == Some(&source.values))?;
        let is_known = names.contains_key(source);
        // "How many in total" counts, whatever is implied elsewhere.
        let is_counted = |(reader, read): &(usize, ValueRead)| {
            self.readers.is_measure(*reader) || (read.parameter == "count" && !read.pattern.starts_with('!'))
        };
        let is_measured = found.iter().flat_map(|found| &found.reads).any(is_counted);
        // "I mean" and "meaning" are other words, and a sum may be one of rows.
        let is_other = words[at].plain.starts_with("mean") || spec.name() == "sum";
        (is_known && !is_measured && !is_other).then(|| (at, spec.name().to_owned()))
    }

    /// Where its values stand, if the card explains a whole sentence with texts that its data hold, by a phrase or because it takes any
    /// text.
    fn confirmed(
        &self,
        reading: &Reading<'_>,
        unexplained: &[String],
        phrase: &Phrase,
        found: &[Found],
    ) -> Option<Spans> {
        let is_asked = phrase.covered >= 1.0 || self.readers.takes_the_rest();
        if self.writes || !unexplained.is_empty() || !is_asked {
            return None;
        }
        let there = self.readers.confirming().filter_map(|source| reading.names.get(source)).flatten();
        let there: Vec<&Name> = there.map(|mention| mention.name.as_ref()).collect();
        let guessed: Vec<&ValueRead> =
            found.iter().flat_map(|found| &found.reads).map(|(_, read)| read).filter(|read| read.is_guess).collect();
        // "Appts" may be a file that holds no such text: what says where texts are has a line for each such place.
        let is_elsewhere = |name: &Name| {
            guessed.iter().any(|read| {
                let places = name.fields.get(&read.parameter);
                places.is_some_and(|places| places.lines().all(|place| read.value.as_str() != Some(place)))
            })
        };
        let is_there = |read: &ValueRead| {
            let is_it = |name: &&&Name| read.value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(&name.text));
            let named = there.iter().find(is_it);
            !named.is_some_and(|name| is_elsewhere(name))
                && (read.pattern == CONFIRMED || (read.pattern != REST && named.is_some()))
        };
        let text = |(reader, read): &'_ (usize, ValueRead)| self.readers.is_confirming(*reader).then(|| is_there(read));
        let mut are_there = found.iter().flat_map(|found| &found.reads).filter_map(text).peekable();
        let mut spans = Spans { texts: Vec::new(), values: Vec::new() };
        for found in found.iter().filter(|found| !found.span.is_empty()) {
            spans.values.push(found.span.clone());
            // A text inside a longer pattern has no place of its own.
            if found.reads.iter().any(|read| text(read).is_some()) {
                spans.texts.push(if found.text.is_empty() { found.span.clone() } else { found.text.clone() });
            }
        }
        (are_there.peek().is_some() && are_there.all(|is_there| is_there)).then_some(spans)
    }

    /// Sums up what the weights say for and against the card.
    fn weigh(&self, scored: &mut Scored, reading: &Reading<'_>, found: &[Found], general: &WeightMap) {
        let mut name = String::new();
        let mut sum = 0.0;
        self.features(reading, scored, found, &mut |feature, value| {
            let weights = if feature.name(&mut name) { general } else { &self.weights };
            let weight = weights.get(&name).or_else(|| match feature {
                // A word that no training saw, or too rarely.
                Feature::Unexplained(_) => general.get(STRANGE),
                _ => None,
            });
            sum += value * weight.copied().unwrap_or(0.0);
        });
        scored.sum = sum;
    }

    /// What the weights say for and against the values, and what speaks against the reading. It is not needed to compare cards.
    fn judge(&self, scored: &mut Scored, reading: &Reading<'_>, found: &[Found], general: &WeightMap) {
        // Most cards of packs that are not built in have no such weights.
        if !self.trust.is_empty() {
            let facts = trust::facts_of_values(&scored.values);
            scored.familiar = facts.iter().filter_map(|fact| self.trust.get(fact)).sum();
        }
        scored.doubts = self.doubts(reading, scored, found, general);
    }

    /// Which words say the name of something that was read already: the column in "users on the pro plan", once `pro` is read.
    fn repeated(&self, reading: &Reading<'_>, found: &[Found]) -> Vec<bool> {
        let mut repeated = vec![false; reading.words.len()];
        let own = reading.names.iter().filter(|(source, _)| self.readers.sources().any(|own| own == *source));
        for NameMention { span, name, .. } in own.flat_map(|(_, names)| names).filter(|name| name.how != How::Guessed) {
            let is_it = |value: &Value| {
                *value == *name.text
                    || value.as_array().is_some_and(|items| items.iter().any(|item| *item == *name.text))
            };
            if found.iter().flat_map(|found| &found.reads).any(|(_, read)| is_it(&read.value)) {
                repeated[span.clone()].fill(true);
            }
        }
        repeated
    }

    /// Facts about the sentence and this card, each with how much of it there is.
    fn features(
        &self,
        reading: &Reading<'_>,
        scored: &Scored,
        found: &[Found],
        visit: &mut dyn FnMut(Feature<'_>, f64),
    ) {
        let Reading { words, canonical, .. } = reading;
        let some = |holds: bool| f64::from(u8::from(holds));
        let count = |count: usize| f64::from(u32::try_from(count.min(6)).unwrap_or(6));
        visit(Feature::General("bias"), 1.0);
        visit(Feature::General("explained"), scored.explained);
        visit(Feature::General("covered"), scored.phrase.covered);
        visit(Feature::General("fit"), scored.fit);
        visit(Feature::General("exact"), some(scored.phrase.exact));
        visit(Feature::General("fit is high"), some(scored.fit >= 0.75));
        visit(Feature::General("fit is fair"), some(scored.fit >= 0.5));
        visit(Feature::General("unexplained"), count(scored.unexplained.len()));
        visit(Feature::General("one unexplained"), some(!scored.unexplained.is_empty()));
        visit(Feature::General("two unexplained"), some(scored.unexplained.len() >= 2));
        visit(Feature::General("four unexplained"), some(scored.unexplained.len() >= 4));
        visit(Feature::General("covered whole"), some(scored.phrase.covered >= 1.0));
        let is_all = scored.unexplained.is_empty() && scored.phrase.covered >= 1.0;
        visit(Feature::General("whole"), some(is_all));
        visit(Feature::General("missing"), count(scored.missing.len()));
        visit(Feature::General("values"), count(scored.values.len()));
        visit(Feature::General("writes"), some(self.writes));
        let has_topic = words
            .iter()
            .zip(canonical)
            .any(|(word, form)| !word.is_filler && !word.quoted && self.topics.contains(form));
        visit(Feature::General("topic"), some(has_topic));
        for (word, form) in words.iter().zip(canonical) {
            if scored.unexplained.contains(&word.text) && !word.quoted {
                visit(Feature::Unexplained(form), 1.0);
            }
        }
        for read in &scored.values {
            visit(Feature::Value(&read.parameter), 1.0);
        }
        let rest = found.iter().filter(|found| found.reads.iter().any(|(_, read)| read.pattern == REST));
        let rest: usize = rest.map(|found| found.span.len()).sum();
        visit(Feature::General("rest"), some(rest > 0));
        visit(Feature::General("rest of several words"), some(rest > 1));
        visit(Feature::General("rest of many words"), some(rest > 4));
        // The sentence as a row of words and values.
        let mut row: Vec<Cow<'_, str>> = Vec::new();
        let mut index = 0;
        while index < words.len() {
            if let Some(value) = found.iter().find(|value| value.span.start == index && !value.span.is_empty()) {
                let parameter = value.reads.first().map_or("", |(_, read)| read.parameter.as_str());
                row.push(Cow::Owned(format!("<{parameter}>")));
                index = value.span.end;
                continue;
            }
            let word = &words[index];
            if !word.quoted && !matches!(word.plain.as_str(), "the" | "a" | "an" | "please") {
                row.push(Cow::Borrowed(canonical[index].as_str()));
                if !word.is_filler {
                    visit(Feature::Word(&canonical[index]), 1.0);
                }
            }
            index += 1;
        }
        if let Some(first) = row.first() {
            visit(Feature::First(first), 1.0);
        }
        for pair in row.windows(2) {
            visit(Feature::Pair(&pair[0], &pair[1]), 1.0);
        }
    }

    /// The phrase that the sentence is, with values in its slots and filler around. Free text fills no slot: it may be anything.
    fn filled_phrase(&self, words: &[Word], canonical: &[String], found: &[Found]) -> Option<&KnownPhrase> {
        if self.writes || self.phrases.iter().all(|phrase| phrase.slots.is_empty()) {
            return None;
        }
        let mut row: Vec<String> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match found.iter().find(|found| found.span.start == at && !found.span.is_empty()) {
                Some(found) if found.reads.len() == 1 && found.text.is_empty() => {
                    row.push(format!("<{}>", found.reads[0].1.parameter));
                    at = found.span.end;
                }
                Some(_) => return None,
                None if words[at].quoted || words[at].corrected => return None,
                None => {
                    if !words[at].is_filler {
                        row.push(canonical[at].clone());
                    }
                    at += 1;
                }
            }
        }
        // "Is <issue> new" is more than a value with filler around. "<file> by <by>" is two values, and what joins them is said.
        let is_joined = |phrase: &KnownPhrase| {
            let mut joints = phrase.text.split(' ').filter(|word| !word.starts_with('<')).peekable();
            let is_said = |joint: &str| words.iter().any(|word| !word.quoted && word.plain == joint);
            phrase.slots.len() > 1 && joints.peek().is_some() && joints.all(is_said)
        };
        let says_more =
            |phrase: &&KnownPhrase| !phrase.words.is_empty() || !phrase.text.contains(' ') || is_joined(phrase);
        self.phrases.iter().filter(says_more).find(|phrase| !phrase.slots.is_empty() && phrase.row == row)
    }

    /// The declared phrase with the largest share of its words said, and of equals the longest. An exact one wins.
    fn best_phrase(&self, said: &[bool], read: &BTreeSet<&str>, normalised: &str) -> Phrase {
        let mut best = Phrase { text: String::new(), covered: 0.0, exact: false };
        let mut best_length = 0;
        for phrase in &self.phrases {
            if phrase.normal == normalised {
                return Phrase { text: phrase.text.clone(), covered: 1.0, exact: true };
            }
            let (covered, length) = (phrase.covered(said, read), phrase.length());
            if covered > best.covered || (covered > 0.0 && covered >= best.covered && length > best_length) {
                best = Phrase { text: phrase.text.clone(), covered, exact: false };
                best_length = length;
            }
        }
        best
    }
}

/// Whether a sentence asks about something, and not for it: "did you", "was it", "why", "can I". "Can you" asks for it.
pub(crate) fn is_question(words: &[Word]) -> bool {
    const ASKING: [&str; 19] = [
        "are", "did", "do", "does", "had", "has", "have", "how", "is", "should", "was", "were", "what", "when",
        "where", "which", "who", "whose", "why",
    ];
    // "Can you do it" asks for it, "can I do it" asks whether.
    let is_doubtful = |pair: &[Word]| {
        matches!(pair[0].plain.as_str(), "can" | "could" | "may" | "might")
            && matches!(pair[1].plain.as_str(), "i" | "one" | "it" | "this" | "that" | "they" | "he" | "she")
    };
    // "Do a deploy" asks for one.
    let is_order = |pair: &[Word]| pair[0].plain == "do" && matches!(pair[1].plain.as_str(), "a" | "an");
    let begins = words.first().is_some_and(|word| !word.quoted && ASKING.contains(&word.plain.as_str()));
    let pair = words.get(..2);
    begins && !pair.is_some_and(is_order) || pair.is_some_and(is_doubtful)
}
