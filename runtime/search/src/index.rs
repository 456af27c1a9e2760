//! The tools as they are compared with a sentence.
//!
//! A tool is looked at through its name, its server's name, the beginning of its description, the names of its arguments and
//! examples of sentences.
//! Facts about a sentence and a tool are features of a linear model ([`crate::model`]). Words that are near in the lexicon
//! count in part.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use intentbox_router::stem;

use crate::Entry;
use crate::lexicon::Lexicon;
use crate::values::{KINDS, Kinds, mentioned, taken, without_values};
use crate::words::{stems, telling, trigrams, words};

/// How many tools are compared in full: those with the highest sum of what their words weigh.
const COMPARED_MAX: usize = 48;

/// The most words of a sentence that take part.
const QUERY_MAX: usize = 48;

/// Shorter words have too many neighbours to be corrected.
const CORRECTED_LETTERS_MIN: usize = 5;

/// How much a corrected word counts.
const CORRECTED: f64 = 0.8;

/// What BM25 is usually given (Robertson and Zaragoza, 2009): how soon a repeated word says no more, and how much length counts.
const BM25_K: f64 = 1.2;
const BM25_B: f64 = 0.75;

/// The names of the features, in the order of [`Features`].
pub const FEATURES: [&str; 28] = [
    "name",
    "name~",
    "description",
    "description~",
    "arguments",
    "arguments~",
    "any",
    "any~",
    "server",
    "name said",
    "name said~",
    "description said~",
    "bm25",
    "trigrams",
    "pairs",
    "verb",
    "object",
    "length",
    "verb against",
    "unknown",
    "usage",
    "exact name",
    "asks to change",
    "asks to read",
    "values fit",
    "values misfit",
    "needs more",
    "embedding",
];

/// How much of each feature there is.
pub type Features = [f64; FEATURES.len()];

/// The number of a stem: words are compared thousands of times in one search.
type StemId = u32;

/// Stems, sorted by number.
type StemSet = Vec<StemId>;

#[derive(Debug)]
pub(crate) struct Index {
    tools: Vec<Tool>,
    /// The stems of the tools and of the lexicon.
    stems: Stems,
    /// Which tools have a stem, in any field, by the number of the stem.
    postings: Vec<Vec<Posting>>,
    /// How much a stem says, by its number; nothing where no tool has it.
    idf: Vec<Option<f64>>,
    idf_max: f64,
    length_mean: f64,
    /// Stems by first letter, to correct a misspelled one.
    vocabulary: BTreeMap<u8, Vec<String>>,
}

/// A tool that has a stem.
#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: u32,
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
struct Tool {
    name: Vec<StemId>,
    /// What kinds of deeds its name says.
    deeds: Vec<u8>,
    server: Vec<StemId>,
    /// How often it has each stem, sorted by their numbers.
    all: Vec<(StemId, f64)>,
    /// All stems of it, its server's too.
    whole: StemSet,
    /// The stems of its words one by one, also of those that are one phrase.
    single: BTreeSet<String>,
    names: StemSet,
    described: StemSet,
    arguments: StemSet,
    pairs: BTreeSet<(StemId, StemId)>,
    trigrams: Vec<([u8; 3], f64)>,
    trigram_norm: f64,
    length: f64,
    /// Its name in words, and without that of its server: `git_status` is "status" too.
    exact: Vec<String>,
    reads: Option<bool>,
    takes: Kinds,
    required: usize,
}

/// A sentence, prepared once.
#[derive(Debug)]
pub(crate) struct Query {
    terms: Vec<Term>,
    total: f64,
    stems: StemSet,
    trigrams: Vec<([u8; 3], f64)>,
    trigram_norm: f64,
    exact: String,
    /// Whether it asks a question, which no change answers.
    is_question: bool,
    mentions: Kinds,
}

#[derive(Debug)]
struct Term {
    stem: String,
    /// Its number, if a tool or the lexicon has it.
    id: Option<StemId>,
    /// 1, or less for a word that was corrected.
    sure: f64,
    idf: f64,
    /// Whether nothing knows the word.
    is_unknown: bool,
    /// How near each stem is to this word, by its number: the word itself is as near as it is sure.
    nearness: Vec<f64>,
    /// The stems that are near, itself among them.
    near: Vec<StemId>,
}

impl Term {
    fn nearness(&self, stem: StemId) -> f64 {
        self.nearness.get(stem as usize).copied().unwrap_or(0.0)
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

fn set(mut stems: Vec<StemId>) -> StemSet {
    stems.sort_unstable();
    stems.dedup();
    stems
}

fn has(set: &StemSet, stem: StemId) -> bool {
    set.binary_search(&stem).is_ok()
}

/// Words with which questions begin.
const QUESTIONS: [&str; 17] = [
    "what", "whats", "which", "who", "whose", "when", "where", "why", "how", "is", "are", "does", "did", "has", "have",
    "any", "show",
];

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn norm(grams: &[([u8; 3], f64)]) -> f64 {
    grams.iter().map(|(_, count)| count * count).sum::<f64>().sqrt().max(1.0)
}

/// What kind of deed a verb is, where it is one: deeds of different kinds exclude each other.
fn deed(stem: &str) -> Option<u8> {
    const DEEDS: [&[&str]; 3] = [
        &[
            "list", "get", "read", "search", "find", "show", "fetch", "view", "describ", "explain", "look", "see",
            "display",
        ],
        &[
            "creat", "add", "updat", "edit", "writ", "set", "mov", "renam", "merg", "upload", "insert", "post", "push",
            "apply",
        ],
        &["delet", "remov", "drop", "eras", "destroy", "discard", "clear", "wip", "kill"],
    ];
    DEEDS.iter().position(|deeds| deeds.contains(&stem)).and_then(|at| u8::try_from(at).ok())
}

impl Index {
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let mut stems = Stems::default();
        let tools: Vec<Tool> = entries.iter().map(|entry| Tool::of(entry, &mut stems)).collect();
        for stem in Lexicon::get().stems() {
            stems.intern(stem);
        }
        let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); stems.0.len()];
        for (number, tool) in (0_u32..).zip(&tools) {
            for stem in &tool.whole {
                postings[*stem as usize].push(Posting { tool: number, is_name: has(&tool.names, *stem) });
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
            postings,
            stems,
            tools,
        }
    }

    /// Prepares a sentence: its words, and the kinds of its values.
    pub(crate) fn query(&self, text: &str) -> Query {
        Query { mentions: mentioned(text), ..self.words_of(&without_values(text)) }
    }

    /// Prepares a text of which every word counts.
    pub(crate) fn words_of(&self, text: &str) -> Query {
        let terms: Vec<Term> = telling(text)
            .into_iter()
            .take(QUERY_MAX)
            .map(|written| {
                let meant = self.corrected(&written);
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
            mentions: mentioned(text),
            terms,
        }
    }

    fn term(&self, stem: String, sure: f64) -> Term {
        let id = self.stems.get(&stem);
        let mut nearness = vec![0.0; self.postings.len()];
        let near: Vec<(StemId, f64)> =
            Lexicon::get().near(&stem).filter_map(|(near, how)| Some((self.stems.get(near)?, how))).collect();
        for (near, how) in &near {
            nearness[*near as usize] = how * sure;
        }
        if let Some(id) = id {
            nearness[id as usize] = sure;
        }
        let idf_of = |id: StemId| self.idf[id as usize];
        let of_near = near.iter().filter_map(|(near, how)| Some(idf_of(*near)? * how));
        let idf = id.and_then(idf_of).or_else(|| of_near.max_by(f64::total_cmp));
        Term {
            idf: idf.unwrap_or(self.idf_max),
            is_unknown: idf.is_none(),
            near: id.into_iter().chain(near.iter().map(|(near, _)| *near)).collect(),
            stem,
            id,
            sure,
            nearness,
        }
    }

    /// The known stem that a word is misspelled from, if one is near.
    fn corrected(&self, written: &str) -> Option<String> {
        let is_plain = written.bytes().all(|byte| byte.is_ascii_lowercase());
        if self.stems.get(written).is_some() || !is_plain {
            return None;
        }
        if written.len() < CORRECTED_LETTERS_MIN {
            return None;
        }
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
            for stem in &term.near {
                for posting in &self.postings[*stem as usize] {
                    let at = posting.tool as usize;
                    let support = &mut supports[at];
                    if support.near == 0.0 {
                        supported.push(at);
                    }
                    support.near = support.near.max(term.nearness(*stem));
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
        if ranked.len() > COMPARED_MAX {
            ranked.select_nth_unstable_by(COMPARED_MAX, better);
            ranked.truncate(COMPARED_MAX);
        }
        ranked.sort_by(better);
        ranked
    }

    pub(crate) fn features(&self, query: &Query, tool: usize, usage: f64, near: f64) -> Features {
        let tool = &self.tools[tool];
        let share = |field: &StemSet, is_exact: bool| {
            let of_term = |term: &Term| {
                let exact = if term.id.is_some_and(|id| has(field, id)) { term.sure } else { 0.0 };
                if is_exact || exact > 0.0 {
                    return exact;
                }
                field.iter().map(|stem| term.nearness(*stem)).fold(0.0, f64::max)
            };
            query.terms.iter().map(|term| term.idf * of_term(term)).sum::<f64>() / query.total
        };
        let weight = |stem: StemId| self.idf[stem as usize].unwrap_or(1.0);
        let said = |field: &[StemId], is_exact: bool| {
            let (mut sum, mut all) = (0.0, 0.0);
            for stem in field {
                let weight = weight(*stem);
                all += weight;
                let near = query.terms.iter().map(|term| match is_exact {
                    true if term.id == Some(*stem) => term.sure,
                    true => 0.0,
                    false => term.nearness(*stem),
                });
                sum += weight * near.fold(0.0, f64::max);
            }
            if all > 0.0 { sum / all } else { 0.0 }
        };
        let bm25 = query.terms.iter().map(|term| {
            let at = term.id.and_then(|id| tool.all.binary_search_by_key(&id, |(stem, _)| *stem).ok());
            let times = at.map_or(0.0, |at| tool.all[at].1);
            let length = 1.0 - BM25_B + BM25_B * tool.length / self.length_mean;
            term.idf * times * (BM25_K + 1.0) / (times + BM25_K * length)
        });
        let common = |query: &Query| {
            let (mut sum, mut at) = (0.0, 0);
            for (gram, times) in &query.trigrams {
                while tool.trigrams.get(at).is_some_and(|(other, _)| other < gram) {
                    at += 1;
                }
                sum += tool.trigrams.get(at).filter(|(other, _)| other == gram).map_or(0.0, |(_, other)| other * times);
            }
            sum / (query.trigram_norm * tool.trigram_norm)
        };
        let pairs = query.terms.windows(2);
        let is_pair = |pair: &&[Term]| pair[0].id.zip(pair[1].id).is_some_and(|pair| tool.pairs.contains(&pair));
        let pairs = pairs.filter(is_pair).count();
        let nearest = |stem: &StemId| query.terms.iter().map(|term| term.nearness(*stem)).fold(0.0, f64::max);
        let (verb, objects) = match tool.name.split_first() {
            Some((verb, [])) => (Some(verb), std::slice::from_ref(verb)),
            Some((verb, objects)) => (Some(verb), objects),
            None => (None, &[][..]),
        };
        let object = objects.iter().map(|stem| nearest(stem) * weight(*stem) / self.idf_max);
        let meant: Vec<u8> = query.terms.iter().filter_map(|term| deed(&term.stem)).collect();
        let does = &tool.deeds;
        let is_against = !meant.is_empty() && !does.is_empty() && meant.iter().all(|deed| !does.contains(deed));
        let unknown = query.terms.iter().filter(|term| term.is_unknown).map(|term| term.idf).sum::<f64>() / query.total;
        let flag = |holds: bool| f64::from(u8::from(holds));
        let mentions = || (0..KINDS).filter(|kind| query.mentions[*kind]);
        [
            share(&tool.names, true),
            share(&tool.names, false),
            share(&tool.described, true),
            share(&tool.described, false),
            share(&tool.arguments, true),
            share(&tool.arguments, false),
            share(&tool.whole, true),
            share(&tool.whole, false),
            flag(tool.server.iter().any(|stem| has(&query.stems, *stem))),
            said(&tool.name, true),
            said(&tool.name, false),
            said(&tool.described, false),
            bm25.sum::<f64>() / 10.0,
            common(query),
            count(pairs) / 3.0,
            verb.map_or(0.0, nearest),
            object.fold(0.0, f64::max),
            count(tool.name.len()) / 5.0,
            flag(is_against),
            unknown,
            usage,
            flag(!query.exact.is_empty() && tool.exact.contains(&query.exact)),
            // Verbs of change beside a tool that only reads, and a question beside one that changes.
            flag(tool.reads == Some(true) && meant.iter().any(|deed| *deed > 0)),
            flag(
                tool.reads == Some(false)
                    && (query.is_question || meant.iter().all(|deed| *deed == 0) && !meant.is_empty()),
            ),
            count(mentions().filter(|kind| tool.takes[*kind]).count()) / 2.0,
            count(mentions().filter(|kind| !tool.takes[*kind]).count()) / 2.0,
            count(tool.required.saturating_sub(mentions().count() + 1)) / 3.0,
            near,
        ]
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
        self.features(query, tool, 0.0, 0.0)[12]
    }

    pub(crate) fn len(&self) -> usize {
        self.tools.len()
    }
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
        let arguments: Vec<String> = entry.arguments.iter().flat_map(|name| telling(&name.replace('_', " "))).collect();
        // Many examples say one thing in many ways: a word of them counts once.
        let said: BTreeSet<String> = entry.examples.iter().flat_map(|example| telling(example)).collect();
        let said: Vec<String> = said.into_iter().chain(entry.learned.iter().cloned()).collect();
        let deeds = name.iter().filter_map(|stem| deed(stem)).collect();
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
            length: count(name.len() + described.len() + arguments.len()),
            pairs: pairs(&name).into_iter().chain(pairs(&described)).collect(),
            single: words(
                &[&entry.name, &entry.server, &entry.summary, &entry.arguments.join(" ")].map(String::as_str).join(" "),
            )
            .iter()
            .map(|word| stem(word))
            .collect(),
            names: set(name.clone()),
            described: set(described.into_iter().chain(said).collect()),
            arguments: set(arguments),
            trigram_norm: norm(&trigrams),
            exact: exact(entry),
            reads: entry.reads,
            takes: taken(&entry.arguments, words),
            required: entry.required,
            whole: set(all.keys().chain(&server).copied().collect()),
            all: all.into_iter().collect(),
            deeds,
            trigrams,
            server,
            name,
        }
    }
}
