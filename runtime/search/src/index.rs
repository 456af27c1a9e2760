//! The tools as they are compared with a sentence.
//!
//! A tool is looked at through its name, its server's name, the beginning of its description, the names of its arguments and
//! examples of sentences.
//! Words that are near in the lexicon count in part. What speaks for a tool is in [`crate::features`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use intentbox_router::stem;

use crate::Entry;
use crate::deeds::Deeds;
use crate::features::{Compared, Features, verb_kind};
use crate::lexicon::Lexicon;
use crate::values::{Kinds, mentioned, taken, without_values};
use crate::words::{stems, telling, trigrams, words};

/// How many tools are compared in full: those with the highest sum of what their words weigh.
const COMPARED_MAX: usize = 48;

/// How many of them may be of one server, if others have some: one that lists many takes no place of theirs.
const OF_ONE_SERVER_MAX: usize = 32;

/// How many arguments of a tool are indexed. The required ones come first.
const ARGUMENTS_MAX: usize = 16;

/// How many words of a sentence are looked up in the spelling of others.
const CORRECTED_MAX: usize = 8;

/// The most words of a sentence that take part.
const QUERY_MAX: usize = 48;

/// Shorter words have too many neighbours to be corrected.
const CORRECTED_LETTERS_MIN: usize = 5;

/// How much a corrected word counts.
const CORRECTED: f64 = 0.8;

/// The number of a stem: words are compared thousands of times in one search.
pub(crate) type StemId = u32;

/// Stems, sorted by number.
pub(crate) type StemSet = Vec<StemId>;

#[derive(Debug)]
pub(crate) struct Index {
    tools: Vec<Tool>,
    /// The stems of the tools and of the lexicon.
    stems: Stems,
    /// Which tools have a stem, in any field, by the number of the stem.
    postings: Vec<Vec<Posting>>,
    /// How much a stem says, by its number; nothing where no tool has it.
    idf: Vec<Option<f64>>,
    pub(crate) idf_max: f64,
    pub(crate) length_mean: f64,
    /// Which common deeds have a stem and how much it says, by the number of the stem, and how many deeds there are.
    deed_postings: Vec<Vec<(u32, f64)>>,
    deeds: usize,
    /// Stems by first letter, to correct a misspelled one.
    vocabulary: BTreeMap<u8, Vec<String>>,
}

/// A tool that has a stem.
#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: u32,
    /// How much it says for the tool: 1, or less for a word of an idiom that people say.
    weight: f64,
    /// Whether its name has it.
    is_name: bool,
}

/// What one word of a sentence says for a tool.
#[derive(Debug, Clone, Copy, Default)]
struct Support {
    near: f64,
    is_named: bool,
}

/// The stems that have a number.
#[derive(Debug, Default)]
struct Stems(HashMap<String, StemId>);

#[derive(Debug)]
pub(crate) struct Tool {
    owner: String,
    pub(crate) name: Vec<StemId>,
    /// The kinds of the verbs in its name.
    pub(crate) verb_kinds: Vec<u8>,
    pub(crate) server: Vec<StemId>,
    /// How often it has each stem, sorted by their numbers.
    pub(crate) all: Vec<(StemId, f64)>,
    /// All stems of it, its server's too.
    pub(crate) whole: StemSet,
    /// The stems of its words one by one, also of those that are one phrase.
    pub(crate) single: BTreeSet<String>,
    pub(crate) names: StemSet,
    pub(crate) described: StemSet,
    pub(crate) arguments: StemSet,
    /// The common deeds that its name says, and what people say for them.
    pub(crate) does: Vec<usize>,
    pub(crate) said: Vec<(StemId, f64)>,
    pub(crate) pairs: BTreeSet<(StemId, StemId)>,
    pub(crate) trigrams: Vec<([u8; 3], f64)>,
    pub(crate) trigram_norm: f64,
    pub(crate) length: f64,
    /// Its name in words, and without that of its server: `git_status` is "status" too.
    pub(crate) exact: Vec<String>,
    /// Whether each word of its name is a plural, by its stem.
    pub(crate) numbers: Vec<(String, bool)>,
    pub(crate) reads: Option<bool>,
    pub(crate) takes: Kinds,
    pub(crate) required: usize,
}

/// A sentence, prepared once.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) terms: Vec<Term>,
    pub(crate) total: f64,
    pub(crate) stems: StemSet,
    pub(crate) trigrams: Vec<([u8; 3], f64)>,
    pub(crate) trigram_norm: f64,
    pub(crate) exact: String,
    /// Whether each of its words is a plural, by its stem.
    pub(crate) numbers: HashMap<String, bool>,
    /// Whether it asks a question, which no change answers.
    pub(crate) is_question: bool,
    pub(crate) mentions: Kinds,
    /// How much of the sentence each common deed explains, those that explain most first.
    pub(crate) deeds: Vec<(f64, usize)>,
}

#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) stem: String,
    /// Its number, if a tool or the lexicon has it.
    pub(crate) id: Option<StemId>,
    /// 1, or less for a word that was corrected.
    pub(crate) sure: f64,
    pub(crate) idf: f64,
    /// Whether nothing knows the word.
    pub(crate) is_unknown: bool,
    /// The stems that are near and how near each is, sorted by their numbers. The word itself is as near as it is sure.
    pub(crate) near: Vec<(StemId, f64)>,
}

impl Term {
    pub(crate) fn nearness(&self, stem: StemId) -> f64 {
        self.near.binary_search_by_key(&stem, |(near, _)| *near).map_or(0.0, |at| self.near[at].1)
    }
}

impl Stems {
    fn intern(&mut self, stem: &str) -> StemId {
        if let Some(id) = self.0.get(stem) {
            return *id;
        }
        let id = StemId::try_from(self.0.len()).unwrap_or(StemId::MAX);
        self.0.insert(stem.to_owned(), id);
        id
    }

    fn intern_all(&mut self, stems: &[String]) -> Vec<StemId> {
        stems.iter().map(|stem| self.intern(stem)).collect()
    }

    fn get(&self, stem: &str) -> Option<StemId> {
        self.0.get(stem).copied()
    }
}

/// What is near a word, with itself.
fn near(id: Option<StemId>, sure: f64, near: &[(StemId, f64)]) -> Vec<(StemId, f64)> {
    let others = near.iter().map(|(near, how)| (*near, how * sure));
    let mut all: BTreeMap<StemId, f64> = others.collect();
    all.extend(id.map(|id| (id, sure)));
    all.into_iter().collect()
}

fn set(mut stems: Vec<StemId>) -> StemSet {
    stems.sort_unstable();
    stems.dedup();
    stems
}

pub(crate) fn has(set: &StemSet, stem: StemId) -> bool {
    set.binary_search(&stem).is_ok()
}

/// Words with which questions begin.
const QUESTIONS: [&str; 17] = [
    "what", "whats", "which", "who", "whose", "when", "where", "why", "how", "is", "are", "does", "did", "has", "have",
    "any", "show",
];

pub(crate) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn norm(grams: &[([u8; 3], f64)]) -> f64 {
    grams.iter().map(|(_, count)| count * count).sum::<f64>().sqrt().max(1.0)
}

impl Index {
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let mut stems = Stems::default();
        let tools: Vec<Tool> = entries.iter().map(|entry| Tool::of(entry, &mut stems)).collect();
        for stem in Lexicon::get().stems() {
            stems.intern(stem);
        }
        let deeds: Vec<Vec<(StemId, f64)>> = Deeds::get()
            .stems()
            .map(|deed| deed.into_iter().map(|(stem, weight)| (stems.intern(stem), weight)).collect())
            .collect();
        let mut deed_postings: Vec<Vec<(u32, f64)>> = vec![Vec::new(); stems.0.len()];
        for (number, deed) in (0_u32..).zip(&deeds) {
            for (stem, weight) in deed {
                deed_postings[*stem as usize].push((number, *weight));
            }
        }
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); stems.0.len()];
        for (number, tool) in (0_u32..).zip(&tools) {
            let only_said = tool.said.iter().filter(|(stem, _)| !has(&tool.whole, *stem)).copied();
            for (stem, weight) in tool.whole.iter().map(|stem| (*stem, 1.0)).chain(only_said) {
                postings[stem as usize].push(Posting { tool: number, weight, is_name: has(&tool.names, stem) });
            }
        }
        let all = count(tools.len());
        let idf = |having: f64| (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
        let length_mean = tools.iter().map(|tool| tool.length).sum::<f64>() / all.max(1.0);
        let mut vocabulary: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        let known: BTreeSet<&str> = stems.0.keys().map(String::as_str).collect();
        for stem in known.into_iter().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_lowercase())) {
            if let Some(first) = stem.bytes().next() {
                vocabulary.entry(first).or_default().push(stem.to_owned());
            }
        }
        Self {
            idf: postings.iter().map(|having| (!having.is_empty()).then(|| idf(count(having.len())))).collect(),
            idf_max: idf(0.0),
            length_mean: length_mean.max(1.0),
            vocabulary,
            deeds: deeds.len(),
            deed_postings,
            postings,
            stems,
            tools,
        }
    }

    /// Prepares a sentence: its words, and the kinds of its values.
    pub(crate) fn query(&self, text: &str) -> Query {
        Query { mentions: mentioned(text), ..self.words_of(&self.without_names(&without_values(text))) }
    }

    /// A sentence without words that begin with a capital and that no tool knows: a tool takes them as values.
    fn without_names(&self, text: &str) -> String {
        let is_name = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_uppercase())
                && words(word).iter().all(|word| self.stems.get(&stem(word)).is_none())
        };
        let kept = text.split_whitespace().enumerate().filter(|(at, word)| *at == 0 || !is_name(word));
        kept.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }

    /// Prepares a text of which every word counts.
    pub(crate) fn words_of(&self, text: &str) -> Query {
        let mut lookups = 0;
        let terms: Vec<Term> = telling(text)
            .into_iter()
            .take(QUERY_MAX)
            .map(|written| {
                let is_looked_up = self.is_unknown(&written) && lookups < CORRECTED_MAX;
                lookups += usize::from(is_looked_up);
                let meant = if is_looked_up { self.corrected(&written) } else { None };
                let sure = if meant.is_some() { CORRECTED } else { 1.0 };
                let stem = meant.unwrap_or(written);
                self.term(stem, sure)
            })
            .collect();
        let trigrams = trigrams(text);
        Query {
            total: terms.iter().map(|term| term.idf).sum::<f64>().max(1e-9),
            stems: set(stems(text).iter().filter_map(|stem| self.stems.get(stem)).collect()),
            trigram_norm: norm(&trigrams),
            trigrams,
            is_question: words(text).iter().take(2).any(|word| QUESTIONS.contains(&word.as_str())),
            exact: words(text).join(" "),
            numbers: numbers(text).collect(),
            mentions: mentioned(text),
            deeds: self.explaining(&terms),
            terms,
        }
    }

    /// How much of some words each common deed explains, those that explain most first.
    fn explaining(&self, terms: &[Term]) -> Vec<(f64, usize)> {
        let total = terms.iter().map(|term| term.idf).sum::<f64>().max(1e-9);
        let (mut sums, mut bests) = (vec![0.0; self.deeds], vec![0.0_f64; self.deeds]);
        for term in terms {
            for (stem, near) in &term.near {
                for (deed, weight) in &self.deed_postings[*stem as usize] {
                    let best = &mut bests[*deed as usize];
                    *best = best.max(near * weight);
                }
            }
            for (sum, best) in sums.iter_mut().zip(&mut bests) {
                *sum += std::mem::take(best) * term.idf / total;
            }
        }
        let mut deeds: Vec<(f64, usize)> =
            (0..).zip(sums).filter(|(_, sum)| *sum > 0.0).map(|(at, sum)| (sum, at)).collect();
        deeds.sort_by(|(left, one), (right, two)| right.total_cmp(left).then(one.cmp(two)));
        deeds
    }

    fn term(&self, stem: String, sure: f64) -> Term {
        let id = self.stems.get(&stem);
        let near: Vec<(StemId, f64)> =
            Lexicon::get().near(&stem).filter_map(|(near, how)| Some((self.stems.get(near)?, how))).collect();
        let idf_of = |id: StemId| self.idf[id as usize];
        let of_near = near.iter().filter_map(|(near, how)| Some(idf_of(*near)? * how));
        let idf = id.and_then(idf_of).or_else(|| of_near.max_by(f64::total_cmp));
        Term {
            idf: idf.unwrap_or(self.idf_max),
            is_unknown: idf.is_none(),
            near: self::near(id, sure, &near),
            stem,
            id,
            sure,
        }
    }

    /// Whether a word may be a misspelled one.
    fn is_unknown(&self, written: &str) -> bool {
        let is_plain = written.bytes().all(|byte| byte.is_ascii_lowercase());
        is_plain && written.len() >= CORRECTED_LETTERS_MIN && self.stems.get(written).is_none()
    }

    /// The known stem that a word is misspelled from, if one is near.
    fn corrected(&self, written: &str) -> Option<String> {
        let edits_max = if written.len() < 7 { 1 } else { 2 };
        let candidates = self.vocabulary.get(&written.as_bytes()[0])?;
        let near = candidates.iter().filter(|known| known.len().abs_diff(written.len()) <= edits_max);
        let near = near.map(|known| (strsim::osa_distance(written, known), known));
        near.filter(|(edits, _)| *edits <= edits_max).min().map(|(_, known)| known.clone())
    }

    /// The tools that are worth comparing: those with the highest sum of weights of words that they share with the sentence.
    pub(crate) fn promising(&self, query: &Query) -> Vec<usize> {
        // By the number of the tool: a common word has thousands, and maps of them are most of a search.
        let mut sums = vec![0.0; self.tools.len()];
        let mut supports = vec![Support::default(); self.tools.len()];
        let mut supported: Vec<usize> = Vec::new();
        for term in &query.terms {
            for (stem, near) in &term.near {
                for posting in &self.postings[*stem as usize] {
                    let at = posting.tool as usize;
                    let support = &mut supports[at];
                    if support.near == 0.0 {
                        supported.push(at);
                    }
                    support.near = support.near.max(near * posting.weight);
                    support.is_named |= posting.is_name;
                }
            }
            for at in supported.drain(..) {
                let Support { near, is_named } = std::mem::take(&mut supports[at]);
                sums[at] += near * term.idf * if is_named { 2.0 } else { 1.0 };
            }
        }
        let better = |one: &usize, two: &usize| sums[*two].total_cmp(&sums[*one]).then(one.cmp(two));
        let mut ranked: Vec<usize> = (0..sums.len()).filter(|tool| sums[*tool] > 0.0).collect();
        ranked.sort_unstable_by(better);
        let mut of_server: HashMap<&str, usize> = HashMap::new();
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for tool in ranked {
            let count = of_server.entry(self.tools[tool].owner.as_str()).or_insert(0);
            *count += 1;
            let is_taken = *count <= OF_ONE_SERVER_MAX;
            if is_taken {
                taken.push(tool);
            } else {
                left.push(tool);
            }
            if taken.len() == COMPARED_MAX {
                break;
            }
        }
        let room = COMPARED_MAX - taken.len();
        taken.extend(left.into_iter().take(room));
        taken
    }

    /// What speaks for a tool.
    pub(crate) fn features(&self, query: &Query, tool: usize, usage: f64, near: f64) -> Features {
        self.compared(query, tool).features(usage, near)
    }

    fn compared<'a>(&'a self, query: &'a Query, tool: usize) -> Compared<'a> {
        Compared { index: self, query, tool: &self.tools[tool] }
    }

    /// How much a stem says.
    pub(crate) fn weight(&self, stem: StemId) -> f64 {
        self.idf[stem as usize].unwrap_or(1.0)
    }

    /// The terms of a sentence that say something and are near to nothing of a tool.
    pub(crate) fn unknown_to(&self, tool: usize, query: &Query) -> Vec<String> {
        let Some(tool) = self.tools.get(tool) else { return Vec::new() };
        let is_known = |term: &&Term| tool.whole.iter().any(|stem| term.nearness(*stem) > 0.0);
        query.terms.iter().filter(|term| !is_known(term)).map(|term| term.stem.clone()).collect()
    }

    /// Whether a word is one of a tool's own, or near to one.
    pub(crate) fn knows(&self, tool: usize, word: &str) -> bool {
        let is_single = |known: &Tool| {
            let mut stems = words(word).into_iter().map(|word| stem(&word)).peekable();
            stems.peek().is_some() && stems.all(|stem| known.single.contains(&stem))
        };
        let is_near = || self.unknown_to(tool, &self.query(word)).is_empty();
        self.tools.get(tool).is_some_and(|known| is_single(known) || is_near())
    }

    /// The part of the words of a text that are a tool's own.
    pub(crate) fn own_share(&self, tool: usize, text: &str) -> f64 {
        let Some(tool) = self.tools.get(tool) else { return 0.0 };
        let said = telling(&without_values(text));
        let is_own = |word: &str| self.stems.get(word).is_some_and(|stem| has(&tool.whole, stem));
        let own = said.iter().filter(|word| is_own(word) || tool.single.contains(*word)).count();
        count(own) / count(said.len()).max(1.0)
    }

    /// BM25 over names and descriptions alone: what others do, to compare with.
    pub(crate) fn bm25(&self, query: &Query, tool: usize) -> f64 {
        self.compared(query, tool).bm25()
    }

    /// The server of a tool.
    pub(crate) fn owner(&self, tool: usize) -> &str {
        self.tools.get(tool).map_or("", |tool| tool.owner.as_str())
    }

    pub(crate) fn len(&self) -> usize {
        self.tools.len()
    }
}

/// The stems of the words of a text or name, and whether each is a plural.
fn numbers(text: &str) -> impl Iterator<Item = (String, bool)> {
    let is_plural =
        |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    words(text).into_iter().map(move |word| (stem(&word), is_plural(&word)))
}

fn exact(entry: &Entry) -> Vec<String> {
    let (name, server) = (words(&entry.name), words(&entry.server));
    let own = name.strip_prefix(server.as_slice()).filter(|own| !own.is_empty()).map(|own| own.join(" "));
    own.into_iter().chain([name.join(" ")]).collect()
}

impl Tool {
    fn of(entry: &Entry, ids: &mut Stems) -> Self {
        let name = telling(&entry.name.replace(['_', '-', '.'], " "));
        // The name of a server is no word of the API: `git` in `git_log` says which, and not what.
        let server = stems(&entry.server.replace(['_', '-', '.'], " "));
        let described = telling(&entry.summary);
        let arguments = &entry.arguments[..entry.arguments.len().min(ARGUMENTS_MAX)];
        let argument_names = arguments.join(" ");
        let arguments: Vec<String> = arguments.iter().flat_map(|name| telling(&name.replace('_', " "))).collect();
        // Many examples say one thing in many ways: a word of them counts once.
        let said: BTreeSet<String> = entry.examples.iter().flat_map(|example| telling(example)).collect();
        let said: Vec<String> = said.into_iter().chain(entry.learned.iter().cloned()).collect();
        let verb_kinds = name.iter().filter_map(|stem| verb_kind(stem)).collect();
        let does = Deeds::get().of(&name);
        let mut of_deeds: BTreeMap<StemId, f64> = BTreeMap::new();
        for (stem, weight) in does.iter().flat_map(|deed| Deeds::get().said(*deed)) {
            let known = of_deeds.entry(ids.intern(stem)).or_insert(0.0);
            *known = known.max(weight);
        }
        let (name, server) = (ids.intern_all(&name), ids.intern_all(&server));
        let (described, arguments, said) =
            (ids.intern_all(&described), ids.intern_all(&arguments), ids.intern_all(&said));
        let mut all: BTreeMap<StemId, f64> = BTreeMap::new();
        for (stems, weight) in [(&name, 2.0), (&described, 1.0), (&arguments, 1.0), (&said, 1.0)] {
            for stem in stems {
                *all.entry(*stem).or_insert(0.0) += weight;
            }
        }
        let pairs = |stems: &[StemId]| stems.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
        let trigrams = trigrams(&format!("{} {}", entry.name.replace('_', " "), entry.summary));
        Self {
            owner: entry.server.clone(),
            length: count(name.len() + described.len() + arguments.len()),
            pairs: pairs(&name).into_iter().chain(pairs(&described)).collect(),
            single: words(&[&entry.name, &entry.server, &entry.summary, &argument_names].map(String::as_str).join(" "))
                .iter()
                .map(|word| stem(word))
                .collect(),
            names: set(name.clone()),
            described: set(described.into_iter().chain(said).collect()),
            arguments: set(arguments),
            trigram_norm: norm(&trigrams),
            exact: exact(entry),
            numbers: numbers(&entry.name).collect(),
            reads: entry.reads,
            takes: taken(&entry.arguments, words),
            required: entry.required,
            whole: set(all.keys().chain(&server).copied().collect()),
            all: all.into_iter().collect(),
            verb_kinds,
            said: of_deeds.into_iter().collect(),
            does,
            trigrams,
            server,
            name,
        }
    }
}
