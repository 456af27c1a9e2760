//! A name that a sentence does not say, such as that of a file: inferred if what it does say is there with one name alone.
//!
//! "Average salary by department" says no file, and has one meaning where a single file has both columns. What was inferred is
//! told with the answer. It is *not* for choosing among several that fit: those are offered.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::{ParamSpec, Template};
use intentbox_report::Inferred;
use intentbox_router::{CardId, Decision, NameList, Names, Source};
use serde_json::Value;

use crate::caller::Caller;
use crate::intent::{Given, Intent};
use crate::known::question;
use crate::library::Library;
use crate::{Engine, cards};

/// The most names that are tried. Each costs a run or two, unless what it has is known already.
const TRIED_MAX: usize = 12;

/// The one name that a sentence lacks, and all that it could be.
pub(crate) struct Open {
    /// The card that lacks it, unless the sentence is refused as it is: then it is answered with one of the names, or not at all.
    id: Option<CardId>,
    /// The cards that take such a name.
    pub(crate) near: Vec<CardId>,
    parameter: String,
    names: Vec<String>,
    /// Whether the caller gave the name beside the sentence.
    is_given: bool,
}

/// What the name that a sentence lacks may be.
pub(crate) enum Choice {
    /// One alone has what was said: the intent with it, and what was inferred, unless the caller gave the name.
    One(Intent, Option<Inferred>),
    /// Several have what was said; where the sentence alone is refused, with the card that it goes to with one of them.
    Several { id: Option<CardId>, parameter: String, names: Vec<String> },
}

impl Open {
    /// The name that a sentence lacks, if it lacks nothing else, and few enough are known for it. A sentence that no card fits may lack
    /// the name of a file: the texts in it tell what its words mean. Where it names one, even one of another pack, it lacks none.
    pub(crate) fn of(library: &Library, intent: &Intent, names: &Names, decision: &Decision) -> Option<Self> {
        if names.mention_a_file(&intent.text) {
            return None;
        }
        match decision {
            Decision::Missing { id, parameters, .. } => {
                let mut lacking = parameters.iter().filter(|name| !intent.params.contains_key(*name));
                let (Some(parameter), None) = (lacking.next(), lacking.next()) else { return None };
                let template = cards::template(&library.catalog, id)?;
                // The column of an average is for a person to choose: nothing else in the sentence tells it.
                let spec = template.parameter(parameter).filter(|spec| spec.must_be_given())?;
                let source = source(template, spec)?;
                let (near, id) = (vec![id.clone()], Some(id.clone()));
                Self::among(names, &source, Self::new(id, near, parameter))
            }
            Decision::NoMatch { closest } => {
                let takes: Vec<(CardId, Source, &str)> = library.catalog.templates().filter_map(takes_a_file).collect();
                let (_, source, parameter) = takes.first()?;
                let near = takes.iter().filter(|(_, other, name)| other == source && name == parameter);
                if closest.iter().any(|candidate| candidate.values.contains_key(*parameter)) {
                    return None;
                }
                let open = Self::new(None, near.map(|(id, ..)| id.clone()).collect(), parameter);
                match intent.params.get(*parameter) {
                    Some(Given::Text(name)) => Some(Self { names: vec![name.clone()], is_given: true, ..open }),
                    Some(Given::Value(_)) => None,
                    None => Self::among(names, source, open),
                }
            }
            Decision::Card { .. } | Decision::Ambiguous { .. } => None,
        }
    }

    fn new(id: Option<CardId>, near: Vec<CardId>, parameter: &str) -> Self {
        Self { id, near, parameter: parameter.to_owned(), names: Vec::new(), is_given: false }
    }

    /// The same with the names that there are, if they are few enough.
    fn among(names: &Names, source: &Source, open: Self) -> Option<Self> {
        let list = names.get(source)?;
        // One of several words cannot be said behind a sentence.
        let may_be_said = |name: &&str| open.id.is_some() || !name.contains(char::is_whitespace);
        let names: Vec<String> = list.texts().filter(may_be_said).take(TRIED_MAX + 1).map(str::to_owned).collect();
        (names.len() <= TRIED_MAX).then_some(Self { names, ..open })
    }

    /// The intent with each of the names; where it is refused, as if somebody had said the name too.
    pub(crate) fn variants(&self, intent: &Intent) -> impl Iterator<Item = Intent> {
        self.names.iter().map(|name| {
            let mut variant = intent.clone();
            if self.id.is_none() {
                let text = variant.text.trim_end_matches(['.', '?', '!', ' ']);
                variant.text = format!("{text} in {name}");
            } else {
                variant.params.insert(self.parameter.clone(), Given::Value(Value::from(name.as_str())));
            }
            variant
        })
    }
}

impl Engine {
    /// What the name that a sentence lacks may be, by what is known already.
    pub(crate) fn choice(
        &self,
        library: &Arc<Library>,
        intent: &Intent,
        caller: &Caller,
        open: Open,
    ) -> Option<Choice> {
        let dependent = |id: &CardId| -> Vec<(&ParamSpec, Source)> {
            let Some(template) = cards::template(&library.catalog, id) else { return Vec::new() };
            let sources = template.parameters().iter().filter_map(|spec| Some((spec, source(template, spec)?)));
            sources.filter(|(_, source)| needs(library, source, &open.parameter)).collect()
        };
        let router = library.router(|template| self.reaches(template));
        let mut fitting: Vec<(CardId, String, Intent, Vec<String>)> = Vec::new();
        let mut unexplained_min = usize::MAX;
        let is_refused = open.id.is_none();
        for (name, variant) in open.names.iter().zip(open.variants(intent)) {
            let known = self.names(library, &variant, caller);
            // Of a name nobody has looked at, nothing is known.
            if open.near.iter().flat_map(dependent).any(|(_, source)| known.get(&source).is_none()) {
                return None;
            }
            let answer = router.route(&question(&variant, &known));
            let unexplained = answer.explanation.candidates.first().map_or(0, |best| best.unexplained.len());
            // Whoever refuses a sentence does not answer a part of it because a file has words of it.
            if is_refused && unexplained > 0 && !open.is_given {
                continue;
            }
            let (id, values) = match answer.decision {
                Decision::Card { id, values } => (id, values),
                Decision::Missing { id, values, .. } if open.id.is_some() => (id, values),
                _ => continue,
            };
            // Each other file may have rows without what is excluded.
            let excludes = cards::template(&library.catalog, &id)
                .is_some_and(|template| template.companions().not.values().any(|name| values.contains_key(name)));
            if excludes && !open.is_given {
                continue;
            }
            let dependent = dependent(&id);
            let lists: Vec<(&ParamSpec, &NameList)> =
                dependent.iter().filter_map(|(spec, source)| Some((*spec, known.get(source)?))).collect();
            if open.near.contains(&id)
                && let Some(having) = having(&lists, &values).filter(|having| !having.is_empty())
            {
                // "Refunds by month": each file has months, and one knows what refunds are.
                if unexplained < unexplained_min {
                    fitting.clear();
                }
                if unexplained <= unexplained_min {
                    unexplained_min = unexplained;
                    fitting.push((id, name.clone(), variant, having));
                }
            }
        }
        let parameter = open.parameter;
        match (fitting.pop(), fitting.as_slice()) {
            (None, _) if is_refused => None,
            (None, _) => Some(Choice::Several { id: None, parameter, names: open.names }),
            (Some((_, value, variant, having)), []) => {
                let inferred = (!open.is_given).then_some(Inferred { parameter, value, having });
                Some(Choice::One(variant, inferred))
            }
            (Some(last), others) => {
                let is_one = others.iter().all(|(id, ..)| *id == last.0);
                let names = others.iter().chain([&last]).map(|(_, name, ..)| name.clone()).collect();
                let id = Some(last.0.clone()).filter(|_| is_refused);
                (is_one || !is_refused).then_some(Choice::Several { id, parameter, names })
            }
        }
    }
}

/// The parameter with which a template takes a file in which names of others are, where such files come from, and its card.
fn takes_a_file(template: &Template) -> Option<(CardId, Source, &str)> {
    let is_file = |spec: &&ParamSpec| spec.must_be_given() && spec.values_from() == Some(&ValuesFrom::Files);
    let spec = template.parameters().iter().find(is_file)?;
    let is_inside = |spec: &ParamSpec| matches!(spec.values_from(), Some(ValuesFrom::Template { .. }));
    let has_names = template.parameters().iter().any(is_inside);
    has_names.then(|| Some((cards::id_of(template.id()), source(template, spec)?, spec.name())))?
}

/// Where the names for a parameter come from.
fn source(template: &Template, spec: &ParamSpec) -> Option<Source> {
    Some(Source { pack: template.pack().id().to_owned(), values: spec.values_from()?.clone() })
}

/// Whether names come from a template that a value for this parameter is given to: the columns of a file.
fn needs(library: &Library, source: &Source, parameter: &str) -> bool {
    let ValuesFrom::Template { name, .. } = &source.values else { return false };
    let template = library.catalog.get(&format!("{}/{name}", source.pack));
    template.and_then(|template| template.parameter(parameter)).is_some_and(ParamSpec::must_be_given)
}

/// The names among the values that come from these lists, if each of them is there.
fn having(lists: &[(&ParamSpec, &NameList)], values: &BTreeMap<String, Value>) -> Option<Vec<String>> {
    let mut having = Vec::new();
    for (spec, list) in lists {
        let texts: Vec<&str> = match values.get(spec.name()) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        // What is compared with a column need be no text in it.
        if !spec.is_text() && !texts.iter().all(|text| list.says(text)) {
            return None;
        }
        having.extend(texts.into_iter().filter(|text| list.says(text)).map(str::to_owned));
    }
    Some(having)
}
