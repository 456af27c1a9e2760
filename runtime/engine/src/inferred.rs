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
    /// The card that lacks it.
    pub(crate) id: CardId,
    parameter: String,
    names: Vec<String>,
    /// Whether the sentence is refused as it is: then it is answered with one of the names, or not at all.
    is_refused: bool,
}

/// What the name that a sentence lacks may be.
pub(crate) enum Choice {
    /// One alone has what was said: the intent with it.
    One(Intent, Inferred),
    /// Several have what was said.
    Several { parameter: String, names: Vec<String> },
}

impl Open {
    /// The name that a sentence lacks, if it lacks nothing else, and few enough are known for it. A sentence that no card fits may lack
    /// it too: the texts in a file tell what its words mean.
    pub(crate) fn of(library: &Library, intent: &Intent, names: &Names, decision: &Decision) -> Option<Self> {
        let (id, lacking): (&CardId, Vec<&str>) = match decision {
            Decision::Missing { id, parameters, .. } => (id, parameters.iter().map(String::as_str).collect()),
            Decision::NoMatch { closest } => {
                let best = closest.first()?;
                let needed = cards::template(&library.catalog, &best.id)?.parameters().iter();
                let needed = needed.filter(|spec| spec.must_be_given()).map(ParamSpec::name);
                (&best.id, needed.filter(|name| !best.values.contains_key(*name)).collect())
            }
            Decision::Card { .. } | Decision::Ambiguous { .. } => return None,
        };
        let mut lacking = lacking.into_iter().filter(|name| !intent.params.contains_key(*name));
        let (Some(parameter), None) = (lacking.next(), lacking.next()) else { return None };
        let template = cards::template(&library.catalog, id)?;
        let list = names.get(&source(template, template.parameter(parameter)?)?)?;
        let is_refused = matches!(decision, Decision::NoMatch { .. });
        // One of several words cannot be said behind a sentence.
        let may_be_said = |name: &&str| !is_refused || !name.contains(char::is_whitespace);
        let names: Vec<String> = list.texts().filter(may_be_said).take(TRIED_MAX + 1).map(str::to_owned).collect();
        let parameter = parameter.to_owned();
        (names.len() <= TRIED_MAX).then(|| Self { id: id.clone(), parameter, names, is_refused })
    }

    /// The intent with each of the names; where it is refused, as if somebody had said the name too.
    pub(crate) fn variants(&self, intent: &Intent) -> impl Iterator<Item = Intent> {
        self.names.iter().map(|name| {
            let mut variant = intent.clone();
            if self.is_refused {
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
        let template = cards::template(&library.catalog, &open.id)?;
        let dependent: Vec<(&ParamSpec, Source)> = template
            .parameters()
            .iter()
            .filter_map(|spec| Some((spec, source(template, spec)?)))
            .filter(|(_, source)| needs(library, source, &open.parameter))
            .collect();
        let router = library.router(|template| self.reaches(template));
        let mut fitting: Vec<(String, Intent, Vec<String>)> = Vec::new();
        for (name, variant) in open.names.iter().zip(open.variants(intent)) {
            let known = self.names(library, &variant, caller);
            let lists: Option<Vec<(&ParamSpec, &NameList)>> =
                dependent.iter().map(|(spec, source)| Some((*spec, known.get(source)?))).collect();
            // Of a name nobody has looked at, nothing is known.
            let lists = lists?;
            let (id, values) = match router.route(&question(&variant, &known)).decision {
                Decision::Card { id, values } => (id, values),
                Decision::Missing { id, values, .. } if !open.is_refused => (id, values),
                _ => continue,
            };
            if id == open.id
                && let Some(having) = having(&lists, &values).filter(|having| !having.is_empty())
            {
                fitting.push((name.clone(), variant, having));
            }
        }
        if open.is_refused && fitting.len() != 1 {
            return None;
        }
        if fitting.len() > 1 {
            let names = fitting.into_iter().map(|(name, ..)| name).collect();
            return Some(Choice::Several { parameter: open.parameter, names });
        }
        let Some((value, variant, having)) = fitting.pop() else {
            return Some(Choice::Several { parameter: open.parameter, names: open.names });
        };
        Some(Choice::One(variant, Inferred { parameter: open.parameter, value, having }))
    }
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
