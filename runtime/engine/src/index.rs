//! What intents can be answered by: the templates, and the tools of all upstream servers, in one index. It is made from the
//! catalog and from what discovery kept, and made anew when one of them changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use intentbox_capability::ServerId;
use intentbox_catalog::{Catalog, Effects, ParamSpec, Template, TemplateId};
use intentbox_search::{Entry, Found, HITS_MAX, Hit, Search, Verdict};
use intentbox_tools::{Effect, LearnedWord, ServerState, StoreError, ToolRow, ToolUse, Upstreams, categories};
use moka::sync::Cache;

use crate::target_name::TargetName;
use crate::tool_library::{WORDED_MAX, Worded};
use crate::{EmbeddingSource, Engine};

/// For how many days a use counts whole, half after twice as many, and so on: in milliseconds.
const USE_HALVES_MS: f64 = 30.0 * 86_400_000.0;

/// The part of the words of a request that a template must say itself to be found by them.
const OWN_WORDS_MIN: f64 = 0.5;

/// How many calls lately make a tool half as much used as any can be.
const USES_HALF: f64 = 4.0;

/// All tools and templates that can be asked for. The numbers of tools come first.
#[derive(Debug)]
pub(crate) struct Index {
    prepared: Arc<Prepared>,
    /// How much each tool was used lately, from 0 to 1. Tools that were not used are left out.
    usage: HashMap<usize, f64>,
    uses: Vec<ToolUse>,
}

/// What changes only with the tools and templates themselves, and with what was learned about them.
#[derive(Debug)]
struct Prepared {
    tools: Vec<(ServerId, ToolRow)>,
    /// The templates with phrases: nobody asks for the others.
    templates: Vec<TemplateId>,
    catalog: Arc<Catalog>,
    /// What each is about.
    categories: Vec<String>,
    /// Over the tools, and over the templates. Each has weights of its own: how rare a word is among tools does not change with the
    /// templates that somebody has.
    search: Search,
    templates_search: Search,
    /// When each server's tools were listed: another time means another index.
    listed: BTreeMap<ServerId, i64>,
    learned: Vec<LearnedWord>,
    /// Tools as words ask for them, by their numbers: those that were looked at last.
    worded: Cache<usize, Arc<Worded>>,
}

impl Prepared {
    fn new(
        catalog: &Arc<Catalog>,
        states: &BTreeMap<ServerId, ServerState>,
        listed: BTreeMap<ServerId, i64>,
        learned: Vec<LearnedWord>,
        embedding: Option<&EmbeddingSource>,
    ) -> Self {
        let known = states.iter().filter(|(id, _)| listed.contains_key(*id));
        let categories = known.flat_map(|(_, state)| categories(&state.listing.tools)).collect();
        let tools: Vec<(ServerId, ToolRow)> = states
            .iter()
            .filter(|(id, _)| listed.contains_key(*id))
            .flat_map(|(id, state)| state.listing.tools.iter().map(move |row| (id.clone(), row.clone())))
            .collect();
        let mut words: HashMap<(&str, &str), Vec<String>> = HashMap::new();
        for LearnedWord { server, name, word } in &learned {
            words.entry((server, name)).or_default().push(word.clone());
        }
        let of_tools = tools.iter().map(|(server, row)| Entry {
            server: server.to_string(),
            name: row.name.clone(),
            summary: row.summary.clone(),
            arguments: row.arguments.clone(),
            required: usize::try_from(row.required).unwrap_or(usize::MAX),
            reads: match row.effect {
                Effect::Reads => Some(true),
                Effect::Adds | Effect::Writes => Some(false),
                Effect::Unknown => None,
            },
            examples: Vec::new(),
            learned: words.remove(&(server.as_str(), row.name.as_str())).unwrap_or_default(),
        });
        let templates: Vec<&Template> = catalog.templates().filter(|template| !template.phrases().is_empty()).collect();
        let entries: Vec<Entry> = of_tools.collect();
        let of_templates: Vec<Entry> = templates.iter().copied().map(entry_of).collect();
        let templates = templates.into_iter().map(|template| template.id().clone()).collect();
        drop(words);
        let search = Search::new(&entries);
        let search = match embedding.and_then(|source| source.0()) {
            Some(embedding) => search.with_embedding(&entries, embedding),
            None => search,
        };
        let templates_search = Search::new(&of_templates);
        let catalog = Arc::clone(catalog);
        let worded = Cache::new(WORDED_MAX);
        Self { tools, templates, catalog, categories, search, templates_search, listed, learned, worded }
    }
}

/// A template as it is searched.
fn entry_of(template: &Template) -> Entry {
    let (arguments, required) = arguments(template);
    Entry {
        server: template.id().pack().to_owned(),
        name: template.id().name().to_owned(),
        summary: template.summary().to_owned(),
        arguments,
        required,
        reads: Some(template.effects() == Effects::Read),
        examples: template.phrases().to_vec(),
        learned: Vec::new(),
    }
}

/// The names of a template's parameters, first those that are required, and how many are.
pub(crate) fn arguments(template: &Template) -> (Vec<String>, usize) {
    let (first, rest): (Vec<&ParamSpec>, Vec<&ParamSpec>) =
        template.parameters().iter().partition(|spec| spec.is_required());
    let required = first.len();
    (first.into_iter().chain(rest).map(|spec| spec.name().to_owned()).collect(), required)
}

impl Index {
    fn new(prepared: Arc<Prepared>, uses: Vec<ToolUse>, now_ms: i64) -> Self {
        let shares: HashMap<(&str, &str), f64> =
            uses.iter().map(|used| ((used.server.as_str(), used.name.as_str()), lately(used, now_ms))).collect();
        let usage = prepared.tools.iter().enumerate();
        let usage = usage
            .filter_map(|(number, (server, row))| Some((number, *shares.get(&(server.as_str(), row.name.as_str()))?)));
        let usage = usage.collect();
        Self { prepared, usage, uses }
    }

    /// How many tools there are.
    pub(crate) fn tools(&self) -> usize {
        self.prepared.tools.len()
    }

    /// How many templates there are.
    pub(crate) fn templates(&self) -> usize {
        self.prepared.templates.len()
    }

    /// Whether the tools of a server are known.
    pub(crate) fn has_listed(&self, server: &ServerId) -> bool {
        self.prepared.listed.get(server).is_some_and(|listed_ms| *listed_ms > 0)
    }

    /// The template of a number, if it is one's.
    pub(crate) fn template(&self, number: usize) -> Option<&Template> {
        let at = number.checked_sub(self.prepared.tools.len())?;
        self.prepared.catalog.get(self.prepared.templates.get(at)?.as_str())
    }

    /// The tool of a number, if it is one's.
    pub(crate) fn tool(&self, number: usize) -> Option<&(ServerId, ToolRow)> {
        self.prepared.tools.get(number)
    }

    /// Tools as words ask for them.
    pub(crate) fn worded(&self) -> &Cache<usize, Arc<Worded>> {
        &self.prepared.worded
    }

    /// What a tool is about.
    pub(crate) fn category(&self, number: usize) -> &str {
        self.prepared.categories.get(number).map_or("", String::as_str)
    }

    /// Searches the templates and the tools. Where some of one kind fit and none of the other, those of the other are left out.
    pub(crate) fn find(&self, text: &str) -> Found {
        let tools = self.find_tool(text);
        let mut templates = self.prepared.templates_search.find(text, &|_| 0.0);
        for hit in &mut templates.hits {
            hit.entry += self.tools();
        }
        let fits = |found: &Found| found.verdict != Verdict::Nothing;
        // A template has many sentences, and some word of one is in most requests.
        let says = |hit: &Hit| self.prepared.templates_search.own_share(hit.entry - self.tools(), text);
        let is_template = fits(&templates) && templates.hits.first().is_some_and(|best| says(best) >= OWN_WORDS_MIN);
        match (fits(&tools), is_template) {
            (true, false) => tools,
            (false, true) => templates,
            _ => joined(tools, templates),
        }
    }

    /// Searches the tools alone.
    pub(crate) fn find_tool(&self, text: &str) -> Found {
        self.prepared.search.find(text, &|number| self.usage.get(&number).copied().unwrap_or(0.0))
    }

    /// Whether a word says something about an entry.
    pub(crate) fn knows(&self, number: usize, word: &str) -> bool {
        self.prepared.search.knows(number, word)
    }

    /// The part of the words of a text that are an entry's own, from 0 to 1.
    pub(crate) fn own_share(&self, number: usize, text: &str) -> f64 {
        self.prepared.search.own_share(number, text)
    }

    /// The words of a text that are new for a tool.
    pub(crate) fn new_words(&self, number: usize, text: &str) -> Vec<String> {
        self.prepared.search.new_words(number, text)
    }

    /// What a tool is called where somebody may choose it.
    pub(crate) fn called(&self, server: &ServerId, row: &ToolRow) -> TargetName {
        TargetName::of_tool(server.as_str(), &row.name, |id| self.prepared.catalog.get(id).is_some())
    }

    /// The tool that a text names, if it names one: `git: git_log`, `git/git_log` or `git_log`. A name is what is written, and
    /// nothing that looks like it.
    pub(crate) fn named(&self, text: &str) -> Option<usize> {
        let text = text.trim();
        // It is the template's, whether that can be reached or not.
        if self.prepared.catalog.get(text).is_some() {
            return None;
        }
        let parts = text.split_once([':', '/']).map(|(server, tool)| (server.trim(), tool.trim()));
        let is_it = |(server, row): &(ServerId, ToolRow)| match parts {
            Some((named, tool)) => server.as_str() == named && row.name == tool,
            None => row.name == text,
        };
        let mut all = self.prepared.tools.iter().enumerate().filter(|(_, tool)| is_it(tool));
        match (all.next(), all.next()) {
            (Some((number, _)), None) => Some(number),
            _ => None,
        }
    }
}

/// What was found of both kinds: a share counts as much as the search is sure that any is right.
fn joined(tools: Found, templates: Found) -> Found {
    let sure = |found: Found| found.hits.into_iter().map(move |hit| Hit { score: hit.score * found.trust, ..hit });
    let (trust, verdict) = (tools.trust.max(templates.trust), tools.verdict);
    let mut hits: Vec<Hit> = sure(tools).chain(sure(templates)).collect();
    hits.sort_by(|one, two| two.score.total_cmp(&one.score).then(one.entry.cmp(&two.entry)));
    hits.truncate(HITS_MAX);
    Found { hits, verdict, trust, elsewhere: None }
}

/// How much a tool was used lately, from 0 to 1: calls count less the longer ago the last of them was.
fn lately(used: &ToolUse, now_ms: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts and times of people")]
    let (calls, age_ms) = (used.calls as f64, now_ms.saturating_sub(used.last_ms).max(0) as f64);
    let calls = calls * 0.5_f64.powf(age_ms / USE_HALVES_MS);
    calls / (calls + USES_HALF)
}

impl Index {
    /// The index of these templates and of the tools of these servers: the one that is given, if it still is. Reaches no server.
    ///
    /// # Errors
    /// When what is known of the servers cannot be read.
    pub(crate) async fn of(
        catalog: &Arc<Catalog>,
        upstreams: &Upstreams,
        known: Option<&Arc<Index>>,
        embedding: Option<&EmbeddingSource>,
    ) -> Result<Arc<Index>, StoreError> {
        let states = upstreams.states().await?;
        let can_be_used = |id: &ServerId| {
            upstreams.is_approved(id.as_str()) && upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled)
        };
        let listed: BTreeMap<ServerId, i64> = states
            .iter()
            .filter(|(id, _)| can_be_used(id))
            .map(|(id, state)| (id.clone(), state.discovered_ms))
            .collect();
        let (learned, uses) = (upstreams.kept().learned().await?, upstreams.kept().uses().await?);
        let is_same = |prepared: &Prepared| {
            Arc::ptr_eq(&prepared.catalog, catalog) && prepared.listed == listed && prepared.learned == learned
        };
        let prepared = match known.filter(|index| is_same(&index.prepared)) {
            Some(index) if index.uses == uses => return Ok(Arc::clone(index)),
            Some(index) => Arc::clone(&index.prepared),
            None => Arc::new(Prepared::new(catalog, &states, listed, learned, embedding)),
        };
        Ok(Arc::new(Index::new(prepared, uses, upstreams.kept().now_unix_ms())))
    }
}

impl Engine {
    /// The servers and the index; nothing where no server is configured.
    pub(crate) async fn index(&self) -> Result<Option<(Arc<Upstreams>, Arc<Index>)>, StoreError> {
        let Some(upstreams) = &self.opened.reach.upstreams else { return Ok(None) };
        let index = self.opened.reach.index(&self.catalog(), upstreams).await?;
        Ok(Some((Arc::clone(upstreams), index)))
    }

    /// Notes words of an intent for which a person chose a tool that then answered: the next such intent is nearer to it.
    pub(crate) async fn learn_words(&self, tool: &str, text: &str) {
        if !self.routing.learning {
            return;
        }
        let Ok(Some((upstreams, index))) = self.index().await else { return };
        let found = index.named(tool).and_then(|number| Some((number, index.tool(number)?)));
        let Some((number, (server, row))) = found else { return };
        let words = index.new_words(number, text);
        if !words.is_empty() {
            // What is not learned is asked again.
            let _ = upstreams.kept().learn(server.as_str(), &row.name, &words).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_was_used_counts_less_with_time() {
        let lately = |calls, days: i64| {
            let used = ToolUse { server: String::new(), name: String::new(), calls, last_ms: 0 };
            format!("{:.0}", lately(&used, days * 86_400_000) * 100.0)
        };
        assert_eq!(
            [lately(1, 0), lately(4, 0), lately(4, 30), lately(4, 300), lately(u64::MAX, 0)],
            ["20", "50", "33", "0", "100"]
        );
        assert_eq!(lately(3, -5), "43", "a clock that was set back");
    }
}
