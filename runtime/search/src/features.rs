//! What speaks for a tool, in numbers: facts about a sentence and a tool, which a linear model weighs ([`crate::model`]).

use crate::index::{Index, Query, StemId, StemSet, Term, Tool, count, has};
use crate::values::KINDS;

/// What BM25 is usually given (Robertson and Zaragoza, 2009): how soon a repeated word says no more, and how much length counts.
const BM25_K: f64 = 1.2;
const BM25_B: f64 = 0.75;

/// The names of the features, in the order of [`Features`].
pub const FEATURES: [&str; 37] = [
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
    "deed",
    "deed~",
    "covered",
    "covered~",
    "most left",
    "foreign",
    "beaten",
    "number fits",
    "number misfits",
];

/// How much of each feature there is.
pub type Features = [f64; FEATURES.len()];

/// Whether a verb reads, changes or deletes: 0, 1 or 2. Verbs of different kinds exclude each other.
pub(crate) fn verb_kind(stem: &str) -> Option<u8> {
    const VERBS: [&[&str]; 3] = [
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
    VERBS.iter().position(|verbs| verbs.contains(&stem)).and_then(|at| u8::try_from(at).ok())
}

/// A sentence beside a tool.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) index: &'a Index,
    pub(crate) query: &'a Query,
    pub(crate) tool: &'a Tool,
}

impl Compared<'_> {
    /// `usage` is how much the tool was used lately, and `near` how near it is to the sentence in a model of embeddings.
    pub(crate) fn features(self, usage: f64, near: f64) -> Features {
        let Self { query, tool, .. } = self;
        let meant: Vec<u8> = query.terms.iter().filter_map(|term| verb_kind(&term.stem)).collect();
        let does = &tool.verb_kinds;
        let is_against = !meant.is_empty() && !does.is_empty() && meant.iter().all(|kind| !does.contains(kind));
        let unknown = query.terms.iter().filter(|term| term.is_unknown).map(|term| term.idf).sum::<f64>() / query.total;
        let (verb, object) = self.verb_and_object();
        let [covered_exactly, covered, left] = self.covered();
        // What another deed explains, which this tool does not do: perhaps no tool does.
        let foreign = query.deeds.iter().find(|(_, deed)| !tool.does.contains(deed)).map_or(0.0, |(sum, _)| *sum);
        let flag = |holds: bool| f64::from(u8::from(holds));
        let mentions = || (0..KINDS).filter(|kind| query.mentions[*kind]);
        [
            self.share(&tool.names, true),
            self.share(&tool.names, false),
            self.share(&tool.described, true),
            self.share(&tool.described, false),
            self.share(&tool.arguments, true),
            self.share(&tool.arguments, false),
            self.share(&tool.whole, true),
            self.share(&tool.whole, false),
            flag(tool.server.iter().any(|stem| has(&query.stems, *stem))),
            self.said(&tool.name, true),
            self.said(&tool.name, false),
            self.said(&tool.described, false),
            self.bm25() / 10.0,
            self.trigrams(),
            self.pairs() / 3.0,
            verb,
            object,
            count(tool.name.len()) / 5.0,
            flag(is_against),
            unknown,
            usage,
            flag(!query.exact.is_empty() && tool.exact.contains(&query.exact)),
            // Verbs of change beside a tool that only reads, and a question beside one that changes.
            flag(tool.reads == Some(true) && meant.iter().any(|kind| *kind > 0)),
            flag(
                tool.reads == Some(false)
                    && (query.is_question || meant.iter().all(|kind| *kind == 0) && !meant.is_empty()),
            ),
            count(mentions().filter(|kind| tool.takes[*kind]).count()) / 2.0,
            count(mentions().filter(|kind| !tool.takes[*kind]).count()) / 2.0,
            count(tool.required.saturating_sub(mentions().count() + 1)) / 3.0,
            near,
            self.share_of_deeds(true),
            self.share_of_deeds(false),
            covered_exactly,
            covered,
            left,
            foreign,
            (foreign - covered).max(0.0),
            flag(self.numbers().any(|is_same| is_same)),
            flag(self.numbers().any(|is_same| !is_same)),
        ]
    }

    /// The part of the sentence that a field of the tool has, exactly or nearly.
    fn share(self, field: &StemSet, is_exact: bool) -> f64 {
        let of_term = |term: &Term| {
            let exact = if term.id.is_some_and(|id| has(field, id)) { term.sure } else { 0.0 };
            if is_exact || exact > 0.0 {
                return exact;
            }
            field.iter().map(|stem| term.nearness(*stem)).fold(0.0, f64::max)
        };
        self.query.terms.iter().map(|term| term.idf * of_term(term)).sum::<f64>() / self.query.total
    }

    /// The part of the sentence that people say for the deeds of the tool, exactly or nearly.
    fn share_of_deeds(self, is_exact: bool) -> f64 {
        let of_term = |term: &Term| self.by_deeds(term, is_exact);
        self.query.terms.iter().map(|term| term.idf * of_term(term)).sum::<f64>() / self.query.total
    }

    /// How near a word is to what people say for the deeds of the tool.
    fn by_deeds(self, term: &Term, is_exact: bool) -> f64 {
        let near = self.tool.said.iter().filter(|(stem, _)| !is_exact || term.id == Some(*stem));
        near.map(|(stem, weight)| term.nearness(*stem) * weight).fold(0.0, f64::max)
    }

    /// The part of a field of the tool that the sentence says, exactly or nearly.
    fn said(self, field: &[StemId], is_exact: bool) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for stem in field {
            let weight = self.index.weight(*stem);
            all += weight;
            let near = self.query.terms.iter().map(|term| match is_exact {
                true if term.id == Some(*stem) => term.sure,
                true => 0.0,
                false => term.nearness(*stem),
            });
            sum += weight * near.fold(0.0, f64::max);
        }
        if all > 0.0 { sum / all } else { 0.0 }
    }

    /// BM25 over the names, descriptions and arguments.
    pub(crate) fn bm25(self) -> f64 {
        let of_terms = self.query.terms.iter().map(|term| {
            let all = &self.tool.all;
            let at = term.id.and_then(|id| all.binary_search_by_key(&id, |(stem, _)| *stem).ok());
            let times = at.map_or(0.0, |at| all[at].1);
            let length = 1.0 - BM25_B + BM25_B * self.tool.length / self.index.length_mean;
            term.idf * times * (BM25_K + 1.0) / (times + BM25_K * length)
        });
        of_terms.sum()
    }

    /// How near the letters are: the cosine of the runs of three.
    fn trigrams(self) -> f64 {
        let Self { query, tool, .. } = self;
        let (mut sum, mut at) = (0.0, 0);
        for (gram, times) in &query.trigrams {
            while tool.trigrams.get(at).is_some_and(|(other, _)| other < gram) {
                at += 1;
            }
            sum += tool.trigrams.get(at).filter(|(other, _)| other == gram).map_or(0.0, |(_, other)| other * times);
        }
        sum / (query.trigram_norm * tool.trigram_norm)
    }

    /// How many pairs of neighbours both have.
    fn pairs(self) -> f64 {
        let is_pair = |pair: &&[Term]| pair[0].id.zip(pair[1].id).is_some_and(|pair| self.tool.pairs.contains(&pair));
        count(self.query.terms.windows(2).filter(is_pair).count())
    }

    /// How near the sentence is to the first word of the name, and to the nearest of the others.
    fn verb_and_object(self) -> (f64, f64) {
        let nearest = |stem: &StemId| self.query.terms.iter().map(|term| term.nearness(*stem)).fold(0.0, f64::max);
        let (verb, objects) = match self.tool.name.split_first() {
            Some((verb, [])) => (Some(verb), std::slice::from_ref(verb)),
            Some((verb, objects)) => (Some(verb), objects),
            None => (None, &[][..]),
        };
        let object = objects.iter().map(|stem| nearest(stem) * self.index.weight(*stem) / self.index.idf_max);
        (verb.map_or(0.0, nearest), object.fold(0.0, f64::max))
    }

    /// Of each word that the sentence and the name have, whether both have it in the singular or both in the plural: "commits" are no
    /// `get_commit`.
    fn numbers(self) -> impl Iterator<Item = bool> {
        let said = &self.query.numbers;
        self.tool.numbers.iter().filter_map(|(stem, is_plural)| Some(said.get(stem)? == is_plural))
    }

    /// The part of the sentence that the tool or the deeds of its name have, exactly and nearly, the most that one word says which
    /// they have not.
    fn covered(self) -> [f64; 3] {
        let Self { query, tool, .. } = self;
        let (mut exactly, mut nearly, mut left) = (0.0, 0.0, 0.0_f64);
        for term in &query.terms {
            let own = if term.id.is_some_and(|id| has(&tool.whole, id)) { term.sure } else { 0.0 };
            let exact = own.max(self.by_deeds(term, true));
            let near = tool.whole.iter().map(|stem| term.nearness(*stem)).fold(exact, f64::max);
            let near = near.max(self.by_deeds(term, false));
            exactly += term.idf * exact;
            nearly += term.idf * near;
            left = left.max(term.idf * (1.0 - near));
        }
        [exactly / query.total, nearly / query.total, left / self.index.idf_max]
    }
}
