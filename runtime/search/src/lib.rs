//! Finds the tool or template that a sentence asks for, or says that there is none.
//!
//! The index knows names, beginnings of descriptions, names of arguments and examples, and no schema. It has no language model: words
//! are compared by their stems, by a lexicon of the words of APIs, and by their letters. The weights of what speaks for a tool
//! were trained on one half of a set of labelled sentences, and are data (`weights.tsv`).
//!
//! A model of static embeddings, which the user may supply, joins in where words have nothing in common ([`Embedding`]).
//!
//! A tool is an answer only where it is likely the right one: [`Found::verdict`] says whether one is, several may be, or
//! nothing fits. "Nothing" is an answer too, with the closest names.
//!
//! It is pure, and not for reading values or for calling anything.

mod deeds;
mod embedding;
mod features;
mod index;
mod lexicon;
mod model;
mod values;
mod words;

pub use crate::embedding::{Embedding, EmbeddingError, TABLE_BYTES_MAX, TOKENIZER_BYTES_MAX};
pub use crate::features::{FEATURES, Features};
use crate::index::Index;
use crate::model::Model;

/// A tool or template as it is searched. What is said of tools holds for both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its server, or its pack.
    pub server: String,
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub summary: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// How many of them are required: the first ones.
    pub required: usize,
    /// Whether it only reads, or changes something, if its server says so.
    pub reads: Option<bool>,
    /// Sentences that ask for it, as its author wrote them.
    pub examples: Vec<String>,
    /// Words that people said for it, as [`Search::new_words`] gave them.
    pub learned: Vec<String>,
}

/// All tools, prepared for searching.
#[derive(Debug)]
pub struct Search {
    index: Index,
    model: Model,
    vectors: Option<Vectors>,
}

/// What the tools mean to a model of embeddings.
#[derive(Debug)]
struct Vectors {
    embedding: Embedding,
    /// One vector after the other.
    tools: Vec<f32>,
}

/// A tool that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The number of its entry.
    pub entry: usize,
    /// Its share among all tools and the answer "none", from 0 to 1.
    pub score: f64,
    /// How much speaks for it besides its description, which its server may have written for the words of any request.
    pub undescribed: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Tools, the best first.
    pub hits: Vec<Hit>,
    /// Whether one of them is the answer.
    pub verdict: Verdict,
    /// How likely it is that any of them is right, from 0 to 1.
    pub trust: f64,
    /// The best entry of another server, if as much speaks for it but for the descriptions. A server describes its tools as it
    /// likes: no intent is taken from another one so.
    pub elsewhere: Option<usize>,
}

/// Whether a search has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The first hit is it.
    One,
    /// Some of the first hits may be it.
    Several,
    /// No tool fits.
    Nothing,
}

/// The lowest trust in the best hit that makes it more than a close name.
pub const TRUST_FLOOR: f64 = 0.5;

/// A second hit is a rival of the best if it has at least this part of its score.
pub const RIVAL_SHARE: f64 = 0.4;

/// The part of the best one's score that an entry of another server has at least of which as much speaks but for the descriptions.
const ELSEWHERE_SHARE: f64 = 0.01;

/// How many tools a model of embeddings proposes besides those that share words.
const NEAREST_MAX: usize = 16;

/// From which cosine on a tool is near, and over how much more it becomes as near as can be: texts that have nothing to do with each
/// other have up to 0.25 in small static models, and those that say the same more than 0.7.
const NEAR_MIN: f64 = 0.25;
const NEAR_RANGE: f64 = 0.5;

/// How many words of one sentence are new for a tool.
const NEW_WORDS_MAX: usize = 4;

/// The most hits that are returned.
pub const HITS_MAX: usize = 20;

impl Search {
    /// Prepares the tools. It takes some microseconds for each.
    #[must_use]
    pub fn new(entries: &[Entry]) -> Self {
        Self { index: Index::new(entries), model: Model::built_in(), vectors: None }
    }

    /// The same with a model of embeddings, which takes some microseconds more for each tool.
    #[must_use]
    pub fn with_embedding(self, entries: &[Entry], embedding: Embedding) -> Self {
        let text = |entry: &Entry| format!("{}. {}", entry.name.replace(['_', '-', '.'], " "), entry.summary);
        let tools = entries.iter().flat_map(|entry| embedding.vector(&text(entry))).collect();
        Self { vectors: Some(Vectors { embedding, tools }), ..self }
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Searches. `usage` says of an entry how much it was used lately, from 0 to 1.
    #[must_use]
    pub fn find(&self, text: &str, usage: &dyn Fn(usize) -> f64) -> Found {
        let compared = self.compare(text, usage);
        let (hits, trust) = self.model.rank(&compared);
        let verdict = match verdict(&hits, trust) {
            Verdict::Nothing if self.has_twins(&compared, &hits) => Verdict::Several,
            verdict => verdict,
        };
        let elsewhere = (verdict == Verdict::One).then(|| self.elsewhere(&hits)).flatten();
        // Whoever uses the one and not the other has chosen.
        let elsewhere = elsewhere.filter(|other| hits.first().is_some_and(|best| usage(best.entry) <= usage(*other)));
        Found { hits: hits.into_iter().take(HITS_MAX).collect(), verdict, trust, elsewhere }
    }

    /// Whether the best hit would be the answer if other servers had not some that fit as well: then they are asked about.
    fn has_twins(&self, compared: &[(usize, Features)], hits: &[Hit]) -> bool {
        let Some(best) = hits.first() else { return false };
        let own = self.index.owner(best.entry);
        let rivals = hits.iter().filter(|hit| hit.score >= best.score * RIVAL_SHARE);
        let others: Vec<&str> = rivals.map(|hit| self.index.owner(hit.entry)).filter(|server| *server != own).collect();
        if others.is_empty() {
            return false;
        }
        let (alone, trust) = self.rank_without(compared, &others);
        verdict(&alone, trust) == Verdict::One && alone.first().is_some_and(|hit| hit.entry == best.entry)
    }

    /// The hits and the trust that there would be without some servers.
    fn rank_without(&self, compared: &[(usize, Features)], servers: &[&str]) -> (Vec<Hit>, f64) {
        let is_kept = |(entry, _): &&(usize, Features)| !servers.contains(&self.index.owner(*entry));
        let kept: Vec<(usize, Features)> = compared.iter().filter(is_kept).copied().collect();
        self.model.rank(&kept)
    }

    /// The best hit of another server, if the best of all is so by its description alone. Whether the search would trust it without
    /// that server is not asked: many tools of one server make the words of a request common, and all others less sure.
    fn elsewhere(&self, hits: &[Hit]) -> Option<usize> {
        let best = hits.first()?;
        let server = self.index.owner(best.entry);
        let mut others = hits.iter().filter(|hit| self.index.owner(hit.entry) != server);
        let is_as_good = |hit: &&Hit| hit.undescribed >= best.undescribed && hit.score >= best.score * ELSEWHERE_SHARE;
        others.find(is_as_good).map(|hit| hit.entry)
    }

    /// The words of a text that the search does not know for this tool yet, as it compares them: at most four. Numbers, names with
    /// capitals and quoted texts are not among them.
    #[must_use]
    pub fn new_words(&self, entry: usize, text: &str) -> Vec<String> {
        let query = self.index.query(&words::unquoted(text));
        self.index
            .unknown_to(entry, &query)
            .into_iter()
            .filter(|word| words::is_plain(word))
            .take(NEW_WORDS_MAX)
            .collect()
    }

    /// Whether a word says something about an entry: its name, its description, its arguments or its server have it, or one that
    /// means the same. A word that says nothing does.
    #[must_use]
    pub fn knows(&self, entry: usize, word: &str) -> bool {
        self.index.knows(entry, word)
    }

    /// The part of the words of a text that are an entry's own, from 0 to 1: its name, its description, its arguments or its server have
    /// them. What only means the same does not count, and neither do values.
    #[must_use]
    pub fn own_share(&self, entry: usize, text: &str) -> f64 {
        self.index.own_share(entry, text)
    }

    /// The features of the tools that a search compares: what training needs.
    #[must_use]
    pub fn compare(&self, text: &str, usage: &dyn Fn(usize) -> f64) -> Vec<(usize, Features)> {
        let query = self.index.query(text);
        let mut promising = self.index.promising(&query);
        let nearness = self.vectors.as_ref().map(|vectors| vectors.nearness(text));
        if let Some(nearness) = &nearness {
            let mut nearest: Vec<usize> = (0..nearness.len()).filter(|tool| nearness[*tool] > 0.0).collect();
            nearest.sort_by(|one, two| nearness[*two].total_cmp(&nearness[*one]).then(one.cmp(two)));
            nearest.truncate(NEAREST_MAX);
            promising.extend(nearest.into_iter().filter(|tool| !promising.contains(tool)).collect::<Vec<_>>());
        }
        let near = |tool: usize| nearness.as_ref().and_then(|nearness| nearness.get(tool)).copied().unwrap_or(0.0);
        promising.into_iter().map(|tool| (tool, self.index.features(&query, tool, usage(tool), near(tool)))).collect()
    }

    /// The tools by BM25 over names, descriptions and arguments alone, the best first: what to compare with.
    #[must_use]
    pub fn by_bm25(&self, text: &str) -> Vec<usize> {
        let query = self.index.words_of(text);
        let mut scored: Vec<(f64, usize)> = (0..self.len())
            .map(|tool| (self.index.bm25(&query, tool), tool))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        scored.sort_by(|(left, one), (right, two)| right.total_cmp(left).then(one.cmp(two)));
        scored.into_iter().map(|(_, tool)| tool).collect()
    }
}

/// Whether hits, the best first, hold an answer.
fn verdict(hits: &[Hit], trust: f64) -> Verdict {
    match hits {
        [] => Verdict::Nothing,
        _ if trust < TRUST_FLOOR => Verdict::Nothing,
        [best, second, ..] if second.score >= best.score * RIVAL_SHARE => Verdict::Several,
        _ => Verdict::One,
    }
}

impl Vectors {
    /// How near each tool is to a text, from 0 to 1: its cosine, from [`NEAR_MIN`] on and over [`NEAR_RANGE`].
    fn nearness(&self, text: &str) -> Vec<f64> {
        let query = self.embedding.vector(text);
        let cosine = |tool: &[f32]| f64::from(tool.iter().zip(&query).map(|(one, two)| one * two).sum::<f32>());
        let near = |cosine: f64| ((cosine - NEAR_MIN) / NEAR_RANGE).clamp(0.0, 1.0);
        self.tools.chunks_exact(query.len().max(1)).map(|tool| near(cosine(tool))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(server: &str, name: &str, summary: &str, arguments: &[&str]) -> Entry {
        let arguments = arguments.iter().map(|name| (*name).to_owned()).collect();
        Entry {
            server: server.to_owned(),
            name: name.to_owned(),
            summary: summary.to_owned(),
            arguments,
            required: 0,
            reads: None,
            examples: Vec::new(),
            learned: Vec::new(),
        }
    }

    fn some() -> Vec<Entry> {
        vec![
            entry("git", "git_log", "Shows the commit logs", &["repo_path", "max_count"]),
            entry("git", "git_create_branch", "Creates a new branch from a base branch", &["repo_path", "branch_name"]),
            entry("time", "convert_time", "Convert time between timezones", &["source_timezone", "time"]),
            entry("shop", "delete_order", "Deletes an order for good", &["order_id"]),
            entry("shop", "list_orders", "Lists the orders of a customer", &["customer", "limit"]),
        ]
    }

    fn best(text: &str) -> (Option<usize>, Verdict) {
        let found = Search::new(&some()).find(text, &|_| 0.0);
        (found.hits.first().map(|hit| hit.entry), found.verdict)
    }

    #[test]
    fn a_sentence_finds_its_tool_in_other_words_and_misspelled() {
        for (text, expected) in [
            ("show the commit log", 0),
            ("history of commits", 0),
            ("make a new brnach", 1),
            ("what time is it in another timezone", 2),
            ("log", 0),
            ("remove an order", 3),
            ("display the orders of a customer", 4),
        ] {
            assert_eq!(best(text).0, Some(expected), "{text}");
        }
    }

    #[test]
    fn what_no_tool_does_has_no_answer() {
        for text in ["book a flight to lisbon", "", "???", "bake bread"] {
            assert_eq!(best(text).1, Verdict::Nothing, "{text}");
        }
        assert!(Search::new(&[]).is_empty());
    }

    #[test]
    fn a_word_that_is_learned_finds_its_tool() {
        let mut entries = some();
        let text = "who is to BLAME for \"secret words\" in Acme 4711, the provenance of blunders";
        assert_eq!(Search::new(&entries).new_words(0, text), ["provenanc", "blunder"]);
        assert_eq!(best("provenance").1, Verdict::Nothing);
        entries[0].learned = Search::new(&entries).new_words(0, "provenance");
        let found = Search::new(&entries).find("provenance", &|_| 0.0);
        assert_eq!((found.hits[0].entry, Search::new(&entries).new_words(0, "provenance")), (0, Vec::new()));
    }

    #[test]
    fn a_model_of_embeddings_finds_what_shares_no_word() {
        let entries = some();
        let model = crate::embedding::of_words(&[
            "provenance log commit commits shows logs",
            "branch new base creates from a",
            "time timezones convert between",
            "deletes delete order an for good",
            "lists orders list customer of the",
        ]);
        let without = Search::new(&entries).find("provenance", &|_| 0.0);
        assert_eq!(without.hits, []);
        let with = Search::new(&entries).with_embedding(&entries, model).find("provenance", &|_| 0.0);
        assert_eq!((with.hits[0].entry, with.verdict), (0, Verdict::One), "{with:?}");
    }

    #[test]
    fn of_two_tools_that_fit_alike_the_one_that_is_used_is_first() {
        let twins = [entry("a", "list_orders", "Lists orders", &[]), entry("b", "list_orders", "Lists orders", &[])];
        let search = Search::new(&twins);
        let first =
            |used: usize| search.find("list orders", &|tool| if tool == used { 0.5 } else { 0.0 }).hits[0].entry;
        assert_eq!((first(0), first(1)), (0, 1));
    }

    #[test]
    fn tools_of_two_servers_that_are_the_same_are_both_offered() {
        let mut entries = some();
        for server in ["clock", "zones", "world"] {
            entries.push(entry(server, "convert_time", "Convert time between timezones", &["source_timezone", "time"]));
            for text in ["convert 14:30 to another zone", "convert between timezones"] {
                let found = Search::new(&entries).find(text, &|_| 0.0);
                let mut best: Vec<usize> = found.hits.iter().take(entries.len() - 4).map(|hit| hit.entry).collect();
                best.sort_unstable();
                let expected: Vec<usize> = [2].into_iter().chain(5..entries.len()).collect();
                assert_eq!((best, found.verdict), (expected, Verdict::Several), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn no_server_takes_an_intent_by_its_description_that_another_one_answers() {
        let mut entries = some();
        let told = |entries: &[Entry], used: usize| {
            let usage = |tool: usize| if tool == used { 0.5 } else { 0.0 };
            let found = Search::new(entries).find("list the orders of customer acme", &usage);
            (found.hits[0].entry, found.verdict, found.elsewhere)
        };
        assert_eq!(told(&entries, 9), (4, Verdict::One, None));
        let summary = "List the orders of customer acme, list all the orders of the customer";
        entries.push(entry("other", "fetch_orders", summary, &["customer", "limit"]));
        assert_eq!(told(&entries, 9), (4, Verdict::One, None), "a description weighs less than a name");
        entries[5].name = "list_all_orders".to_owned();
        assert_eq!(told(&entries, 9), (5, Verdict::One, Some(4)));
        assert_eq!(told(&entries, 5).2, None, "somebody chose the other");
        entries[5].server = "shop".to_owned();
        assert_eq!(told(&entries, 9).2, None, "a server knows which of its tools is meant");
    }

    #[test]
    fn many_tools_of_one_server_take_no_place_of_another_one() {
        let text = "list the orders of customer acme";
        let mut entries = some();
        let summary = "List the orders of customer acme, list all the orders of the customer";
        entries.push(entry("other", "helper", summary, &["customer", "limit"]));
        for number in 0..200 {
            let fillers: Vec<String> = (0..40).map(|argument| format!("a{argument}")).collect();
            let fillers: Vec<&str> = fillers.iter().map(String::as_str).collect();
            let filler = entry("other", &format!("orders_of_customer_{number}"), "", &fillers);
            entries.push(Entry { required: fillers.len(), ..filler });
        }
        let found = Search::new(&entries).find(text, &|_| 0.0);
        assert!(found.hits.iter().any(|hit| hit.entry == 4), "{found:?}");
        let is_taken = found.verdict == Verdict::One && found.hits[0].entry != 4 && found.elsewhere.is_none();
        assert!(!is_taken, "{found:?}");
    }

    #[test]
    fn a_word_of_a_tool_is_known_also_where_it_is_a_part_of_a_phrase() {
        let entries = [entry("git", "git_status", "Shows the working tree status", &["repo_path"])];
        let search = Search::new(&entries);
        let known = ["tree", "working tree", "statuses", "repository", "the", "Bob", "release"];
        assert_eq!(known.map(|word| search.knows(0, word)), [true, true, true, true, true, false, false]);
        assert!(!search.knows(1, "tree"));
        let said = ["show the tree", "working status", "the status of a.txt", "list errors"];
        let shares = said.map(|text| format!("{:.1}", search.own_share(0, text)));
        assert_eq!(shares, ["1.0", "1.0", "0.5", "0.0"]);
    }

    #[test]
    fn an_example_finds_what_its_name_does_not_say() {
        let mut entries = some();
        assert_eq!(best("what was frobbed").1, Verdict::Nothing);
        entries[4].examples = vec!["what was frobbed".to_owned(), "frobbed lately".to_owned()];
        let found = Search::new(&entries).find("what was frobbed", &|_| 0.0);
        assert_eq!(found.hits.first().map(|hit| hit.entry), Some(4), "{found:?}");
    }

    proptest! {
        #[test]
        fn any_text_is_searched(text in ".{0,200}") {
            let found = Search::new(&some()).find(&text, &|_| 0.0);
            prop_assert!(found.hits.len() <= HITS_MAX && (0.0..=1.0).contains(&found.trust));
            prop_assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        }
    }
}
