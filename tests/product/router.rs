//! The router against sentences as people write them: `tests/router/*.toml`; the README there says how to read an entry.
//!
//! The templates and the router may be tuned on one half of the entries. The other half is held back: it only measures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

use intentbox_catalog::{Catalog, Effects, ParamSpec, Template};
use intentbox_router::{Card, Decision, Names, Question, Router};
use serde::Deserialize;
use serde_json::Value;

/// The fewest entries, and the fewest of them that run nothing.
const ENTRIES_MIN: usize = 300;
const ASKED_BACK_MIN: usize = 60;

/// The fewest ways to ask for each template.
const PHRASINGS_MIN: usize = 15;

/// How many of all sentences may run a template that was not asked for. None of them may change anything.
const WRONG_RUNS_MAX: usize = 6;

/// The smallest share of the held-back half that must be right, in percent.
const RIGHT_PERCENT_MIN: usize = 88;

/// When the sentences are said: a Sunday.
const NOW: &str = "2026-11-22T12:00:00Z";

/// One file of the corpus.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    entry: Vec<RawEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    text: String,
    expect: Option<RawExpected>,
    #[serde(default)]
    any_of: Vec<RawExpected>,
    half: Half,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawExpected {
    Told(String),
    Missing(RawMissing),
    Ambiguous(RawAmbiguous),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMissing {
    missing: String,
    parameters: BTreeSet<String>,
    #[serde(default)]
    values: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAmbiguous {
    ambiguous: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Half {
    Tuning,
    Held,
}

/// One sentence and the decisions that would be right, of which there is mostly one.
struct Entry {
    text: String,
    expected: Vec<Expected>,
    half: Half,
}

/// A decision as the corpus states it. Values that are the template's defaults count as not said: the run is the same.
#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Runs {
        id: String,
        values: BTreeMap<String, Value>,
    },
    Missing {
        id: String,
        values: BTreeMap<String, Value>,
        parameters: BTreeSet<String>,
    },
    /// The candidates hold all of these.
    Ambiguous(BTreeSet<String>),
    NoMatch,
}

/// How a decision compares with what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Right,
    /// Nothing ran, and something else should have been decided.
    WrongKind,
    /// The right template, with other values than were said.
    WrongValues,
    /// A template that was not asked for, or one where none was.
    WrongTemplateRun,
}

const VERDICTS: [Verdict; 4] = [Verdict::Right, Verdict::WrongKind, Verdict::WrongValues, Verdict::WrongTemplateRun];

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::WrongKind => "wrong kind",
            Self::WrongValues => "wrong values",
            Self::WrongTemplateRun => "wrong template run",
        })
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |f: &mut fmt::Formatter<'_>, id: &str, values: &BTreeMap<String, Value>| {
            f.write_str(id)?;
            values.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
        };
        let listed = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        match self {
            Self::Runs { id, values } => with(f, id, values),
            Self::Missing { id, values, parameters } => {
                with(f, id, values)?;
                write!(f, " needs {}", listed(parameters))
            }
            Self::Ambiguous(ids) => write!(f, "one of {}", listed(ids)),
            Self::NoMatch => f.write_str("no match"),
        }
    }
}

impl Expected {
    /// Whether this is a question among templates of several packs that names an expected one: with all packs there, "errors" may
    /// mean the tracker's and the logs'.
    fn asks_between_packs_for(&self, expected: &Self) -> bool {
        let Self::Ambiguous(ids) = self else { return false };
        let packs: BTreeSet<&str> = ids.iter().filter_map(|id| id.split('/').next()).collect();
        packs.len() > 1 && expected.template().is_some_and(|id| ids.contains(id))
    }

    fn new(raw: RawExpected, catalog: &Catalog, text: &str) -> Self {
        match raw {
            RawExpected::Told(told) if told == "no match" => Self::NoMatch,
            RawExpected::Told(told) => {
                let (id, values) = told.split_once(' ').unwrap_or((told.as_str(), ""));
                Self::Runs { id: id.to_owned(), values: values_of(template(catalog, id, text), values, text) }
            }
            RawExpected::Missing(RawMissing { missing: id, parameters, values }) => {
                let template = template(catalog, &id, text);
                let known = |name: &String| template.parameter(name).is_some_and(ParamSpec::must_be_given);
                assert!(!parameters.is_empty() && parameters.iter().all(known), "{text}: {id} needs {parameters:?}?");
                let values = values_of(template, &values, text);
                Self::Missing { id, values, parameters }
            }
            RawExpected::Ambiguous(RawAmbiguous { ambiguous }) => {
                for id in &ambiguous {
                    template(catalog, id, text);
                }
                assert!(!ambiguous.is_empty(), "{text}: ambiguous between what?");
                Self::Ambiguous(ambiguous)
            }
        }
    }

    /// What was decided, in the same terms.
    fn decided(decision: &Decision, catalog: &Catalog) -> Self {
        let said = |id: &str, values: &BTreeMap<String, Value>| match catalog.get(id) {
            Some(template) => without_defaults(template, values.clone()),
            None => values.clone(),
        };
        match decision {
            Decision::Card { id, values } => Self::Runs { id: id.to_string(), values: said(id.as_str(), values) },
            Decision::Missing { id, values, parameters } => Self::Missing {
                id: id.to_string(),
                values: said(id.as_str(), values),
                parameters: parameters.iter().cloned().collect(),
            },
            Decision::Ambiguous { candidates } => {
                Self::Ambiguous(candidates.iter().map(|candidate| candidate.id.to_string()).collect())
            }
            Decision::NoMatch { .. } => Self::NoMatch,
        }
    }

    /// The template that this is about, unless it is about several or none.
    fn template(&self) -> Option<&str> {
        match self {
            Self::Runs { id, .. } | Self::Missing { id, .. } => Some(id),
            Self::Ambiguous(_) | Self::NoMatch => None,
        }
    }

    fn runs(&self) -> bool {
        matches!(self, Self::Runs { .. })
    }

    fn allows(&self, decided: &Self) -> bool {
        match (self, decided) {
            (Self::Ambiguous(expected), Self::Ambiguous(candidates)) => expected.is_subset(candidates),
            _ => self == decided,
        }
    }
}

impl Entry {
    fn runs(&self) -> bool {
        self.expected.iter().any(Expected::runs)
    }

    fn judge(&self, decided: &Expected) -> Verdict {
        if self.expected.iter().any(|expected| expected.allows(decided)) {
            return Verdict::Right;
        }
        if self.expected.iter().any(|expected| decided.asks_between_packs_for(expected)) {
            return Verdict::Right;
        }
        let same_kind = |expected: &&Expected| expected.runs() == decided.runs();
        let same = self.expected.iter().filter(same_kind).any(|expected| expected.template() == decided.template());
        match (decided.runs(), same && decided.template().is_some()) {
            (_, true) => Verdict::WrongValues,
            (true, false) => Verdict::WrongTemplateRun,
            (false, false) => Verdict::WrongKind,
        }
    }
}

fn template<'a>(catalog: &'a Catalog, id: &str, text: &str) -> &'a Template {
    catalog.get(id).unwrap_or_else(|| panic!("{text}: there is no template {id}"))
}

/// Reads `limit=5 project="web"`: names of parameters with JSON.
fn values_of(template: &Template, told: &str, text: &str) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    let mut rest = told.trim();
    while let Some((name, json)) = rest.split_once('=') {
        let spec = template.parameter(name).unwrap_or_else(|| panic!("{text}: {} has no {name}", template.id()));
        let mut stream = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        let value = stream.next().and_then(Result::ok).unwrap_or_else(|| panic!("{text}: {json} is no JSON"));
        rest = json[stream.byte_offset()..].trim_start();
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let read = match &value {
            Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
            value => plain(value),
        };
        assert_eq!(spec.read(&read).ok().as_ref(), Some(&value), "{text}: {name} is of another type or form");
        assert!(values.insert(name.to_owned(), value).is_none(), "{text}: {name} is there twice");
    }
    assert!(rest.is_empty(), "{text}: what is {rest:?}?");
    without_defaults(template, values)
}

fn without_defaults(template: &Template, mut values: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    values.retain(|name, value| template.parameter(name).and_then(ParamSpec::default) != Some(&*value));
    values
}

/// The half an entry belongs to: one bit of the FNV-1a hash of its text, so that nobody chooses.
fn half_of(text: &str) -> Half {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    if (hash >> 32) & 1 == 1 { Half::Held } else { Half::Tuning }
}

fn corpus(catalog: &Catalog) -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/router");
    let listed = read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = listed.map(|file| file.expect("it can be listed").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut entries = Vec::new();
    for path in files {
        let text = read_to_string(&path).expect("it is text");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for RawEntry { text, expect, any_of, half } in file.entry {
            let is_one_way = expect.is_some() == any_of.is_empty() && any_of.len() != 1;
            assert!(is_one_way, "{text}: either `expect`, or two and more of `any_of`");
            let expected = expect.into_iter().chain(any_of).map(|raw| Expected::new(raw, catalog, &text)).collect();
            entries.push(Entry { text, expected, half });
        }
    }
    entries
}

#[test]
fn the_corpus_is_large_and_even_and_nobody_chose_its_halves() {
    let catalog = Catalog::embedded().expect("the templates are whole");
    let entries = corpus(&catalog);
    let asked_back = entries.iter().filter(|entry| !entry.runs()).count();
    assert!(entries.len() >= ENTRIES_MIN && asked_back >= ASKED_BACK_MIN, "{} with {asked_back}", entries.len());

    let mut texts = BTreeSet::new();
    for entry in &entries {
        assert_eq!(entry.half, half_of(&entry.text), "{}", entry.text);
        assert!(texts.insert(entry.text.to_lowercase()), "{} is there twice", entry.text);
    }
    for template in catalog.templates().filter(|template| !template.phrases().is_empty()) {
        let id = template.id().as_str();
        let asks = |entry: &&Entry| {
            entry.expected.first().is_some_and(|expected| expected.runs() && expected.template() == Some(id))
        };
        let phrasings = entries.iter().filter(asks).count();
        assert!(phrasings >= PHRASINGS_MIN, "{id} has {phrasings}");
    }
}

#[test]
fn people_are_understood_and_no_template_runs_that_was_not_asked_for() {
    let catalog = Catalog::embedded().expect("the templates are whole");
    let router = Router::new(catalog.templates().map(Card::of));
    let now = NOW.parse().expect("it is a time");
    let mut counts: BTreeMap<(Half, Verdict), usize> = BTreeMap::new();
    for entry in corpus(&catalog) {
        let answer = router.route(&Question { text: &entry.text, names: &Names::default(), now });
        let decided = Expected::decided(&answer.decision, &catalog);
        let verdict = entry.judge(&decided);
        *counts.entry((entry.half, verdict)).or_default() += 1;
        if verdict == Verdict::WrongTemplateRun {
            let ran = decided.template().and_then(|id| catalog.get(id)).map(Template::effects);
            assert_eq!(ran, Some(Effects::Read), "{:?} ran {decided}", entry.text);
        }
        if verdict != Verdict::Right {
            let expected: Vec<String> = entry.expected.iter().map(Expected::to_string).collect();
            println!("{verdict} ({:?}): {:?}", entry.half, entry.text);
            println!("  expected {}\n  decided  {decided}", expected.join("\n  or       "));
            println!("  {}\n", answer.explanation.to_string().replace('\n', "\n  "));
        }
    }

    let count = |half, verdict| counts.get(&(half, verdict)).copied().unwrap_or_default();
    println!("{:<20}{:>8}{:>8}", "", "tuning", "held");
    for verdict in VERDICTS {
        let label = verdict.to_string();
        println!("{label:<20}{:>8}{:>8}", count(Half::Tuning, verdict), count(Half::Held, verdict));
    }
    let wrong_runs = count(Half::Tuning, Verdict::WrongTemplateRun) + count(Half::Held, Verdict::WrongTemplateRun);
    assert!(wrong_runs <= WRONG_RUNS_MAX, "{wrong_runs} templates ran that were not asked for; see above");
    let held: usize = VERDICTS.map(|verdict| count(Half::Held, verdict)).iter().sum();
    let right = count(Half::Held, Verdict::Right);
    assert!(right * 100 >= held * RIGHT_PERCENT_MIN, "{right} of {held} held-back sentences are right; see above");
}
