//! Declared phrases against all templates of a catalog: which of them select another template as well.
//!
//! This is a check of texts. Nothing runs, no name is fetched, and the configuration does not matter: a pack must work beside
//! every other one.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_catalog::instant::Instant;
use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::{Catalog, ParamKind, ParamSpec, Template, TemplateId, words};
use intentbox_router::{Card, CardId, Decision, Name, NameList, Names, Question, Routed, Router, Source};

use crate::cards;

/// When the phrases are said, in seconds since 1970: noon of Sunday, 2026-11-22. The check has the same findings on every day.
const SAID_UNIX_S: i64 = 1_795_348_800;

/// The phrases of all templates of a catalog.
#[derive(Debug)]
pub struct Phrases {
    router: Router,
}

/// A phrase that does not select its own template, or not alone.
#[derive(Debug, Clone, PartialEq)]
pub struct StrayPhrase {
    /// The template that declares it.
    pub template: TemplateId,
    /// The phrase as declared.
    pub phrase: String,
    /// What it selects.
    pub selects: Selects,
    /// Its own score, from 0 to 1.
    pub score: f64,
    /// The other templates that it may mean with their scores, best first.
    pub rivals: Vec<(String, f64)>,
}

/// What a phrase selects in place of its own template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selects {
    /// Several templates: the answer is a question.
    Several,
    /// Another template, by its id.
    Other(String),
    /// None.
    Nothing,
}

impl Phrases {
    /// Prepares the check, which takes some milliseconds.
    #[must_use]
    pub fn of(catalog: &Catalog) -> Self {
        Self { router: Router::new(catalog.templates().map(Card::of)) }
    }

    /// The phrases of a template that do not select it alone, in declared order.
    ///
    /// A slot is filled with the example of its parameter. If the values of that parameter are names, the example is a name that
    /// exists. A phrase is said twice: as it is, and as if nobody had declared it word for word. Few people say the very words of
    /// a phrase, and a filler word more is no phrase.
    #[must_use]
    pub fn stray(&self, template: &Template) -> Vec<StrayPhrase> {
        template.phrases().iter().filter_map(|phrase| self.check(template, phrase)).collect()
    }

    fn check(&self, template: &Template, phrase: &str) -> Option<StrayPhrase> {
        let (text, names) = (sentence(template, phrase), names(template, phrase));
        let now = Instant::of_unix_seconds(SAID_UNIX_S).unwrap_or(Instant::EPOCH);
        let question = Question { text: &text, names: &names, now };
        let own = cards::id_of(template.id());
        let declared = self.router.route(&question);
        if !is_for(&declared, &own) {
            return Some(stray(template, phrase, &own, &declared));
        }
        let undeclared = self.router.route_undeclared(&question);
        // A phrase of filler alone matches word for word or not at all. It is near to no other.
        let is_near_another = !matches!(undeclared.decision, Decision::NoMatch { .. }) && !is_for(&undeclared, &own);
        is_near_another.then(|| stray(template, phrase, &own, &undeclared))
    }
}

/// Whether a sentence goes to this card, with all values or without.
fn is_for(routed: &Routed, own: &CardId) -> bool {
    matches!(&routed.decision, Decision::Card { id, .. } | Decision::Missing { id, .. } if id == own)
}

fn stray(template: &Template, phrase: &str, own: &CardId, routed: &Routed) -> StrayPhrase {
    let candidates = &routed.explanation.candidates;
    let score =
        |id: &CardId| candidates.iter().find(|candidate| candidate.id == *id).map_or(0.0, |candidate| candidate.score);
    let (selects, meant): (_, Vec<&CardId>) = match &routed.decision {
        Decision::Card { id, .. } | Decision::Missing { id, .. } => (Selects::Other(id.as_str().to_owned()), vec![id]),
        Decision::Ambiguous { candidates } => {
            (Selects::Several, candidates.iter().map(|candidate| &candidate.id).collect())
        }
        Decision::NoMatch { closest } => (Selects::Nothing, closest.iter().map(|candidate| &candidate.id).collect()),
    };
    let others = meant.into_iter().filter(|id| *id != own);
    StrayPhrase {
        template: template.id().clone(),
        phrase: phrase.to_owned(),
        selects,
        score: score(own),
        rivals: others.map(|id| (id.as_str().to_owned(), score(id))).collect(),
    }
}

/// A phrase as a sentence: its slots are filled with examples.
fn sentence(template: &Template, phrase: &str) -> String {
    words::filled(phrase, |name| template.parameter(name).map(spoken))
}

/// The parameter of a slot, `<name>`.
fn slot<'a>(template: &'a Template, word: &str) -> Option<&'a ParamSpec> {
    template.parameter(word.strip_prefix('<')?.strip_suffix('>')?)
}

/// The example of a parameter as it stands in a sentence. A string of several words needs quotes there.
fn spoken(spec: &ParamSpec) -> String {
    let example = spec.example();
    let needs_quotes = matches!(spec.kind(), ParamKind::String { several_words: false, .. })
        && example.contains(char::is_whitespace)
        && !example.contains('"');
    if needs_quotes { format!("\"{example}\"") } else { example }
}

/// The names that exist for the slots of a phrase: their examples.
fn names(template: &Template, phrase: &str) -> Names {
    let mut known: BTreeMap<&ValuesFrom, Vec<Name>> = BTreeMap::new();
    for spec in phrase.split(' ').filter_map(|word| slot(template, word)) {
        let Some(values) = spec.values_from() else { continue };
        let example = spec.example();
        let fields = spec.values_where().and_then(|only| Some((only.field.clone(), only.is.first()?.clone())));
        let name = |text: &str| Name { text: text.to_owned(), fields: fields.clone().into_iter().collect() };
        let examples = known.entry(values).or_default();
        match spec.kind() {
            ParamKind::List { .. } => examples.extend(example.split(',').map(name)),
            _ => examples.push(name(&example)),
        }
    }
    let mut names = Names::default();
    for (values, examples) in known {
        let list = match values {
            ValuesFrom::Files => NameList::of_files(examples.into_iter().map(|name| name.text)),
            ValuesFrom::Template { .. } => NameList::of_names(examples),
        };
        names.insert(Source { pack: template.pack().id().to_owned(), values: values.clone() }, Arc::new(list));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: &str = r#"
summary = "Lists orders."
phrases = ["open orders", "orders of <customer>", "invoices of <customer>", "what is it"]
effects = "read"

[params.customer]
type = "string"
description = "Whose."
example = "Ada Lovelace"
words = ["of {}"]
"#;

    const SEARCH: &str = r#"
summary = "Finds parcels."
phrases = ["orders open", "find parcels", "parcels of <customer>"]
effects = "read"

[params.customer]
type = "string"
description = "Whose."
values_from = "customers.name"
example = "ada"
"#;

    const CUSTOMERS: &str = r#"
summary = "Lists customers."
phrases = ["list customers", "invoices of <customer>", "status in <region>"]
effects = "read"

[params.customer]
type = "string"
description = "Whose."
example = "ada"
words = ["of {}"]

[params.region]
type = "string"
description = "Where they live."
example = "emea"
words = ["region {}"]
"#;

    fn catalog() -> Catalog {
        let script = "result = None\n";
        let files = [
            ("mine/orders/template.toml", ORDERS),
            ("mine/orders/script.py.j2", script),
            ("shop/customers/template.toml", CUSTOMERS),
            ("shop/customers/script.py.j2", script),
            ("shop/search/template.toml", SEARCH),
            ("shop/search/script.py.j2", script),
        ];
        Catalog::from_files(files.map(|(path, text)| (path, text.as_bytes()))).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The stray phrases of a template, what each selects, and the rivals.
    fn found(catalog: &Catalog, id: &str) -> Vec<(String, Selects, Vec<String>)> {
        let template = catalog.get(id).expect("it is declared above");
        let row = |stray: StrayPhrase| {
            assert_eq!(stray.template, *template.id());
            assert!(stray.rivals.iter().all(|(_, score)| (0.0..=1.0).contains(score)), "{stray:?}");
            (stray.phrase, stray.selects, stray.rivals.into_iter().map(|(id, _)| id).collect())
        };
        Phrases::of(catalog).stray(template).into_iter().map(row).collect()
    }

    #[test]
    fn a_phrase_in_the_words_of_another_template_is_found_on_both_sides() {
        let catalog = catalog();
        let several = |phrase: &str, rival: &str| (phrase.to_owned(), Selects::Several, vec![rival.to_owned()]);
        assert_eq!(
            found(&catalog, "mine/orders"),
            [several("open orders", "shop/search"), several("invoices of <customer>", "shop/customers")]
        );
        // The example of a name counts as a name that exists: "parcels of ada" has no word pattern.
        assert_eq!(found(&catalog, "shop/search"), [several("orders open", "mine/orders")]);
    }

    #[test]
    fn a_phrase_whose_example_is_not_read_selects_nothing() {
        let found = found(&catalog(), "shop/customers");
        let phrases: Vec<(&str, &Selects)> =
            found.iter().map(|(phrase, selects, _)| (phrase.as_str(), selects)).collect();
        assert_eq!(phrases, [("invoices of <customer>", &Selects::Several), ("status in <region>", &Selects::Nothing)]);
    }

    #[test]
    fn a_slot_is_said_as_its_example() {
        let catalog = catalog();
        for (id, phrase, expected) in [
            ("mine/orders", "open orders", "open orders"),
            ("mine/orders", "orders of <customer>", "orders of \"Ada Lovelace\""),
            ("shop/search", "parcels of <customer>", "parcels of ada"),
        ] {
            assert_eq!(sentence(catalog.get(id).expect("it is declared above"), phrase), expected);
        }
    }
}
