//! Names that exist, such as those of projects and files, for the router: fetched under the caller's grants, and kept for
//! minutes.
//!
//! A list belongs to one principal, grant and set of secrets, and is forgotten after a change, as a cached answer is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::{ParamSpec, Template, TemplateId};
use intentbox_router::{CardId, Decision, NAMES_MAX, Name, NameList, Names, Question, Router, Scored, Source};
use moka::sync::Cache;
use serde_json::Value;

use crate::cache::{Key, Question as CacheQuestion};
use crate::caller::Caller;
use crate::events::{Events, NoEvents};
use crate::inferred::Open;
use crate::intent::{Given, Intent, Settings};
use crate::library::Library;
use crate::plan::Plan;
use crate::{Engine, cards, help};

/// How long names are kept. A new project is known after that.
const KEPT_FOR: Duration = Duration::from_mins(2);

/// The most lists that are kept.
const LISTS_MAX: u64 = 256;

/// The most lists that are fetched for one sentence.
const FETCHES_MAX: usize = 6;

/// How often the names that were fetched may tell which others are wanted.
const ROUNDS_MAX: usize = 4;

/// How long a run that fetches names may take, in milliseconds. Without names the sentence is read as it is.
const FETCH_MS: u64 = 5_000;

/// The candidates whose names may help to understand a sentence.
const CANDIDATES: usize = 4;

/// The lists that are kept.
#[derive(Debug)]
pub(crate) struct KnownNames(Cache<Key, Arc<NameList>>);

/// A list that some card could use for a sentence.
struct Wanted {
    source: Source,
    key: Key,
    /// The values that the template of the source requires.
    arguments: BTreeMap<String, Value>,
    /// The template that declares the source, whose directories count.
    by: TemplateId,
    /// Whether it says which texts the data hold. Those count where names that exist explain nothing.
    confirms: bool,
}

impl KnownNames {
    pub(crate) fn new() -> Self {
        Self(Cache::builder().max_capacity(LISTS_MAX).time_to_live(KEPT_FOR).build())
    }
}

impl Engine {
    /// Fetches the names that may help to understand an intent: those of the cards that come near it, unless it is understood
    /// without. The next plan of this caller knows them.
    ///
    /// A fetch is a run of a template that reads, under the caller's grants. It may fail; then nothing is known.
    pub fn learn_names<'a>(&'a self, intent: &'a Intent, caller: &'a Caller) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if help::is_asked_for(&intent.text) {
                return;
            }
            let library = self.library();
            let mut fetches = 0;
            // The names of one list may tell which other list is wanted: the columns of a file that is called by its name. Texts that the
            // data hold come last.
            for _ in 0..ROUNDS_MAX {
                let wanted = self.unknown(&library, intent, caller);
                if wanted.is_empty() {
                    break;
                }
                for wanted in wanted {
                    fetches += 1;
                    if fetches > FETCHES_MAX {
                        return;
                    }
                    self.learn(&library, wanted, caller).await;
                }
            }
            // A file that nobody named may be the only one with the columns that are named.
            let names = self.names(&library, intent, caller);
            let router = library.router(|template| self.reaches(template));
            let decision = router.route(&question(intent, &names)).decision;
            let Some(open) = Open::of(&library, intent, &names, &decision) else { return };
            for variant in open.variants(intent) {
                for wanted in self.wanted(&library, &variant, caller, &names, true, Some(&open.near)) {
                    if self.known.0.get(&wanted.key).is_none() {
                        self.learn(&library, wanted, caller).await;
                    }
                }
            }
        })
    }

    /// Fetches one list and keeps it: an empty one where fetching fails.
    async fn learn(&self, library: &Arc<Library>, wanted: Wanted, caller: &Caller) {
        let list = Box::pin(self.fetch(library, &wanted, caller)).await.unwrap_or_default();
        self.known.0.insert(wanted.key, Arc::new(list));
    }

    /// The names that are known for a sentence, without fetching any.
    pub(crate) fn names(&self, library: &Arc<Library>, intent: &Intent, caller: &Caller) -> Names {
        let mut names = Names::default();
        // Sources without arguments come first: a file has to be known before its columns are.
        for needs_arguments in [false, true] {
            for wanted in self.wanted(library, intent, caller, &names, needs_arguments, None) {
                if let Some(list) = self.known.0.get(&wanted.key) {
                    names.insert(wanted.source, list);
                }
            }
        }
        names
    }

    /// The sources of a sentence whose names are not known yet, as they are called in a template.
    #[must_use]
    pub fn names_not_fetched(&self, text: &str, caller: &Caller) -> Vec<String> {
        let intent = Intent { text: text.to_owned(), ..Intent::default() };
        let told = |wanted: Wanted| match wanted.source.values {
            ValuesFrom::Files => format!("files of {}", wanted.source.pack),
            ValuesFrom::Template { name, field } => format!("{}/{name}.{field}", wanted.source.pack),
        };
        self.unknown(&self.library(), &intent, caller).into_iter().map(told).collect()
    }

    /// What is worth fetching.
    fn unknown(&self, library: &Arc<Library>, intent: &Intent, caller: &Caller) -> Vec<Wanted> {
        let names = self.names(library, intent, caller);
        let router = library.router(|template| self.reaches(template));
        let question = question(intent, &names);
        let answer = router.route(&question);
        let likeliest = answer.explanation.candidates.first();
        // A word that was taken for a slip may be a name.
        let is_settled = match &answer.decision {
            Decision::Card { id, values } => {
                likeliest.is_some_and(|card| card.unexplained.is_empty() && card.corrected.is_empty())
                    && !may_be_no_name(library, id, values)
            }
            _ => false,
        };
        if is_settled {
            // A text that nothing announces may be the name of a file: listing a directory costs no run.
            let is_bare = |card: &Scored| card.values.iter().any(|read| read.pattern == "{}");
            let is_open = likeliest.is_some_and(is_bare);
            let files =
                if is_open { self.wanted(library, intent, caller, &names, false, Some(&[])) } else { Vec::new() };
            return files.into_iter().filter(|wanted| self.known.0.get(&wanted.key).is_none()).collect();
        }
        let mut near: Vec<&Scored> = answer.explanation.candidates.iter().collect();
        near.sort_by(|left, right| right.score.max(right.fit).total_cmp(&left.score.max(left.fit)));
        let near: Vec<CardId> = near.into_iter().take(CANDIDATES).map(|candidate| candidate.id.clone()).collect();
        let mut wanted = self.wanted(library, intent, caller, &names, false, Some(&near));
        wanted.extend(self.wanted(library, intent, caller, &names, true, Some(&near)));
        wanted.retain(|wanted| self.known.0.get(&wanted.key).is_none());
        // "Trips in Ghent" is about the rows of a table, whatever texts the logs hold: names are asked for first.
        if wanted.iter().any(|wanted| !wanted.confirms) {
            wanted.retain(|wanted| !wanted.confirms);
        }
        wanted
    }

    /// The sources that cards declare, of these cards or of all, with what is needed to fetch them.
    fn wanted(
        &self,
        library: &Arc<Library>,
        intent: &Intent,
        caller: &Caller,
        names: &Names,
        needs_arguments: bool,
        near: Option<&[CardId]>,
    ) -> Vec<Wanted> {
        let router = library.router(|template| self.reaches(template));
        let mut wanted: Vec<Wanted> = Vec::new();
        for template in library.catalog.templates().filter(|template| self.reaches(template)) {
            let card = cards::id_of(template.id());
            let is_near = near.is_none_or(|near| near.contains(&card));
            // A file may be all that a sentence says, and listing a directory costs no run.
            let counts = |values: &&ValuesFrom| is_near || **values == ValuesFrom::Files;
            let sources = |values: fn(&ParamSpec) -> Option<&ValuesFrom>| {
                let pack = template.pack().id();
                let of = template.parameters().iter().filter_map(values).filter(counts);
                of.map(move |values| Source { pack: pack.to_owned(), values: values.clone() })
            };
            for source in sources(ParamSpec::values_from) {
                if !wanted.iter().any(|wanted| wanted.source == source) {
                    let found = self.want(library, router, template, source, intent, caller, names);
                    wanted.extend(found.filter(|wanted| wanted.arguments.is_empty() != needs_arguments));
                }
            }
            for source in sources(ParamSpec::confirmed_by).filter(|_| needs_arguments) {
                if !wanted.iter().any(|wanted| wanted.source == source) {
                    wanted.extend(self.want_confirmed(library, template, source, intent, caller));
                }
            }
        }
        wanted
    }

    /// What says which texts of this sentence the data hold.
    fn want_confirmed(
        &self,
        library: &Arc<Library>,
        by: &Template,
        source: Source,
        intent: &Intent,
        caller: &Caller,
    ) -> Option<Wanted> {
        let ValuesFrom::Template { name, .. } = &source.values else { return None };
        let template =
            library.catalog.get(&format!("{}/{name}", source.pack)).filter(|template| self.reaches(template))?;
        let mut required = template.parameters().iter().filter(|spec| spec.must_be_given());
        let (Some(sentence), None) = (required.next(), required.next()) else { return None };
        let text = Value::from(intent.text.as_str());
        sentence.check(&text).ok()?;
        let arguments = BTreeMap::from([(sentence.name().to_owned(), text)]);
        self.keyed(library, by, source, arguments, caller).map(|wanted| Wanted { confirms: true, ..wanted })
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the question")]
    fn want(
        &self,
        library: &Arc<Library>,
        router: &Router,
        by: &Template,
        source: Source,
        intent: &Intent,
        caller: &Caller,
        names: &Names,
    ) -> Option<Wanted> {
        let mut arguments = BTreeMap::new();
        if let ValuesFrom::Template { name, .. } = &source.values {
            let template = library.catalog.get(&format!("{}/{name}", source.pack))?;
            let required: Vec<&str> =
                template.parameters().iter().filter(|spec| spec.must_be_given()).map(ParamSpec::name).collect();
            if !required.is_empty() {
                let read = router.read(&question(intent, names), &cards::id_of(by.id()))?;
                for name in required {
                    let given = match intent.params.get(name) {
                        Some(Given::Text(text)) => Some(Value::from(text.as_str())),
                        Some(Given::Value(value)) => Some(value.clone()),
                        None => read.get(name).cloned(),
                    };
                    arguments.insert(name.to_owned(), given?);
                }
            }
        }
        self.keyed(library, by, source, arguments, caller)
    }

    /// A source with these arguments, and under which key this caller's list of it is kept.
    fn keyed(
        &self,
        library: &Arc<Library>,
        by: &Template,
        source: Source,
        arguments: BTreeMap<String, Value>,
        caller: &Caller,
    ) -> Option<Wanted> {
        let (digest, field, access, secrets) = match &source.values {
            ValuesFrom::Files => ("files", "", self.grants_of_template(library, by, caller).access(), Vec::new()),
            ValuesFrom::Template { name, field } => {
                let template = library.catalog.get(&format!("{}/{name}", source.pack))?;
                if !self.reaches(template) {
                    return None;
                }
                let secrets = self.secret_versions(&template.wants().http, caller);
                let access = self.grants_of_template(library, template, caller).access();
                (template.digest(), field.as_str(), access, secrets)
            }
        };
        let said = serde_json::to_string(&(&source.pack, field, &arguments)).ok()?;
        let key = self.cache.key(&CacheQuestion {
            principal: caller.principal.as_str(),
            template_digest: digest,
            arguments: &said,
            grant: &access.lines(),
            secrets: &secrets,
        });
        Some(Wanted { source, key, arguments, by: by.id().clone(), confirms: false })
    }

    async fn fetch(&self, library: &Arc<Library>, wanted: &Wanted, caller: &Caller) -> Option<NameList> {
        match &wanted.source.values {
            ValuesFrom::Files => {
                let by = library.catalog.get(wanted.by.as_str())?;
                let reads = self.grants_of_template(library, by, caller).read;
                let reader = self.opened.directories.reader(reads);
                let mut paths = Vec::new();
                for alias in &by.wants().read {
                    let Ok(listing) = reader.list(&format!("{alias}:")).await else { continue };
                    let prefix = format!("{alias}:");
                    let below = listing.files.into_iter().take(NAMES_MAX);
                    paths.extend(below.filter_map(|file| file.path.strip_prefix(&prefix).map(str::to_owned)));
                }
                Some(NameList::of_files(paths))
            }
            ValuesFrom::Template { name, field } => {
                let id = format!("{}/{name}", wanted.source.pack);
                let params =
                    wanted.arguments.iter().map(|(name, value)| (name.clone(), Given::Value(value.clone()))).collect();
                let settings = Settings { limits: vec![("wall_ms".to_owned(), FETCH_MS)], deterministic: None };
                let intent = Intent { text: id.clone(), params, template: id.parse().ok(), settings };
                let Plan::Ready(run) = self.plan_template(&intent, caller) else { return None };
                let events: Arc<dyn Events> = Arc::new(NoEvents);
                let report = self.run(run, caller, &events).await;
                let rows = intentbox_catalog::json::parse_value(report.result?.get()).ok()?;
                let rows = rows.as_array()?.iter();
                Some(NameList::of_names(rows.filter_map(|row| name_in(row, field)).take(NAMES_MAX)))
            }
        }
    }
}

/// The name in a row, with the other texts of the row; the row itself where it is a text. Not every row has to have one.
fn name_in(row: &Value, field: &str) -> Option<Name> {
    let Value::Object(row) = row else {
        return Some(Name { text: row.as_str()?.to_owned(), fields: BTreeMap::new() });
    };
    let others = row.iter().filter(|(name, _)| *name != field);
    let fields = others.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    Some(Name { text: row.get(field)?.as_str()?.to_owned(), fields })
}

/// Whether a value may be no name that exists: one that names are fetched for. A slip is mended then, and `prod` is `production`.
fn may_be_no_name(library: &Library, id: &CardId, values: &BTreeMap<String, Value>) -> bool {
    let template = cards::template(&library.catalog, id);
    let is_name = |spec: &&ParamSpec| spec.values_from().is_some() && values.contains_key(spec.name());
    template.is_some_and(|template| template.parameters().iter().any(|spec| is_name(&spec)))
}

/// What the router is asked about an intent.
pub(crate) fn question<'a>(intent: &'a Intent, names: &'a Names) -> Question<'a> {
    Question { text: &intent.text, names, now: crate::now(intent.settings.deterministic) }
}
