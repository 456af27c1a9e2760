//! How often sentences are understood that nobody wrote for this router: right out of n.
//!
//! `cargo bench --bench sentences` measures the tuning half (`tests/sentences/tuning.jsonl`) and lists what it misses. With
//! `-- --sealed` it opens the other half, prints figures and no sentence, and appends them to `tests/sentences/log.tsv`. The
//! README there says how the sentences were made and how an answer key is read.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "counts and settings are small whole numbers"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{OpenOptions, read, read_dir, read_to_string};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use intentbox_catalog::param::{ParamKind, ParamSpec, ValuesFrom};
use intentbox_catalog::window::Window;
use intentbox_catalog::{Catalog, Template};
use intentbox_router::{
    Card, CardId, Decision, Features, Name, NameList, Names, Question, Routed, Router, Scored, Source,
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// When every sentence is said: a Sunday.
const NOW: &str = "2026-11-22T12:00:00Z";

const PROJECTS: [&str; 6] = ["web", "api", "mobile", "worker", "checkout", "billing"];
const ENVIRONMENTS: [&str; 3] = ["production", "staging", "development"];
const LOGS: [&str; 13] = [
    "api/api.log",
    "api/api.log.1.gz",
    "gateway/gateway.log",
    "gateway/gateway.log.1.gz",
    "web/web.log",
    "worker/worker.log",
    "system/system.log",
    "nginx-access.log",
    "nginx-error.log",
    "postgresql.log",
    "orders-java.log",
    "auth.log",
    "journal.json",
];
const TABLES: [(&str, &[&str]); 8] = [
    ("orders.csv", &["order_id", "customer", "country", "status", "amount", "currency", "ordered_at"]),
    ("customers.csv", &["id", "name", "email", "city", "country", "signed_up"]),
    ("products.csv", &["sku", "name", "category", "price", "stock"]),
    ("events.jsonl", &["event", "user_id", "device", "at", "duration_ms"]),
    ("users.json", &["id", "name", "email", "age", "address.city", "plan"]),
    ("employees.csv", &["name", "department", "Salary (EUR)", "start_date", "manager", "Remote?"]),
    ("inventory.csv.gz", &["warehouse", "region", "sku", "units", "updated"]),
    ("sales-2026.csv", &["date", "region", "product", "quantity", "revenue"]),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    text: String,
    pack: String,
    #[expect(dead_code, reason = "who wrote it is for people")]
    author: String,
    class: String,
    all: Key,
    alone: Option<Key>,
    #[serde(default, rename = "or")]
    others: Vec<Key>,
}

/// What a sentence means.
#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum Key {
    Run {
        run: String,
        #[serde(default)]
        values: BTreeMap<String, Value>,
    },
    Lacks {
        lacks: String,
        missing: BTreeSet<String>,
        #[serde(default)]
        values: BTreeMap<String, Value>,
    },
    Which {
        which: BTreeSet<String>,
    },
    None {
        #[expect(dead_code, reason = "the key is the answer")]
        none: bool,
    },
}

/// How a decision compares with the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Right,
    /// Nothing fits, it said, and something did.
    Refused,
    /// It asked back, and should have known, or asked for something else.
    Asked,
    /// The right template with other values.
    WrongValues,
    /// A template ran that was not meant.
    WrongRun,
    /// The same, and it changes something.
    WrongWrite,
}

const VERDICTS: [Verdict; 6] =
    [Verdict::Right, Verdict::Refused, Verdict::Asked, Verdict::WrongValues, Verdict::WrongRun, Verdict::WrongWrite];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The templates as they lie in the folder, so that changing one needs no build, with these texts in place of files.
fn catalog(texts: &BTreeMap<String, String>) -> Catalog {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut folders = vec![root().join("templates")];
    while let Some(folder) = folders.pop() {
        for entry in read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(root().join("templates")).expect("it lies there");
                let below = below.to_string_lossy().into_owned();
                let text = texts.get(&format!("templates/{below}"));
                let bytes = text.map_or_else(|| read(&path).expect("it can be read"), |text| text.as_bytes().to_vec());
                files.push((below, bytes));
            }
        }
    }
    Catalog::from_files(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What is known for a sentence about this data file, or about none.
fn names(catalog: &Catalog, file: Option<&str>) -> Names {
    let mut names = Names::default();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let sources = catalog.templates().flat_map(|template| {
        let pack = template.pack().id().to_owned();
        template
            .parameters()
            .iter()
            .filter_map(|spec| spec.values_from())
            .map(move |values| (pack.clone(), values.clone()))
    });
    for (pack, values) in sources {
        let list = match (pack.as_str(), &values) {
            ("logs", ValuesFrom::Files) => NameList::of_files(owned(&LOGS)),
            ("data", ValuesFrom::Files) => NameList::of_files(TABLES.iter().map(|(file, _)| (*file).to_owned())),
            ("sentry", ValuesFrom::Template { name, .. }) if name == "list_projects" => {
                NameList::of_words(owned(&PROJECTS))
            }
            ("sentry", ValuesFrom::Template { name, .. }) if name == "list_environments" => {
                NameList::of_words(owned(&ENVIRONMENTS))
            }
            ("data", ValuesFrom::Template { field, .. }) if field == "value" => match file {
                Some(file) => NameList::of_names(cells(file)),
                None => continue,
            },
            ("data", ValuesFrom::Template { .. }) => match TABLES.iter().find(|(known, _)| Some(*known) == file) {
                Some((_, columns)) => {
                    let month = columns.iter().any(|column| role(column) == "date").then_some("month");
                    let names = columns.iter().copied().chain(month);
                    NameList::of_names(names.map(|name| named(name, "role", role(name))))
                }
                None => continue,
            },
            other => panic!("no names are known for {other:?}"),
        };
        names.insert(Source { pack, values }, Arc::new(list));
    }
    names
}

/// What the template `columns` says that a column is for.
fn role(column: &str) -> &'static str {
    match column {
        "amount" | "price" | "stock" | "duration_ms" | "age" | "Salary (EUR)" | "units" | "quantity" | "revenue" => {
            "measure"
        }
        "ordered_at" | "signed_up" | "at" | "start_date" | "updated" | "date" => "date",
        "month" => "month",
        "id" | "order_id" | "user_id" => "id",
        _ => "label",
    }
}

/// The texts in the cells of a table, with their columns (`tests/sentences/cells.json`): those of the sentences among others.
fn cells(file: &str) -> Vec<Name> {
    let text = read_to_string(root().join("tests/sentences/cells.json")).expect("the cells are there");
    let mut tables: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&text).expect("they are JSON");
    let columns = tables.remove(file).unwrap_or_default();
    columns.iter().flat_map(|(column, texts)| texts.iter().map(move |text| named(text, "of", column))).collect()
}

fn named(text: &str, field: &str, value: &str) -> Name {
    Name { text: text.to_owned(), fields: BTreeMap::from([(field.to_owned(), value.to_owned())]) }
}

/// What the engine knows: the columns of a file are known once the file is.
fn known(router: &Router, catalog: &Catalog, text: &str) -> Names {
    let noon = NOW.parse().expect("it is a time");
    let known = names(catalog, None);
    let question = Question { text, names: &known, now: noon };
    let file = ["data/summarize", "data/find_rows"]
        .iter()
        .find_map(|id| router.read(&question, &CardId::new(*id))?.get("file")?.as_str().map(str::to_owned));
    file.map_or(known, |file| names(catalog, Some(&file)))
}

fn route(router: &Router, catalog: &Catalog, text: &str) -> Routed {
    let now = NOW.parse().expect("it is a time");
    let known = known(router, catalog, text);
    router.explain(&Question { text, names: &known, now })
}

/// Values in the form in which they are compared, without defaults.
fn normal(template: &Template, values: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let mut normal = BTreeMap::new();
    let bound = |name: &str| values.get(name).and_then(Value::as_str).and_then(|text| text.parse().ok());
    if values.contains_key("since") || values.contains_key("until") {
        let window = Window::between(bound("since"), bound("until"));
        normal.insert("period".to_owned(), Value::from(window.map_or_else(String::new, |window| window.to_string())));
    }
    for (name, value) in values.iter().filter(|(name, _)| *name != "since" && *name != "until") {
        let spec = template.parameter(name);
        let value = match (spec.map(ParamSpec::kind), value) {
            (Some(ParamKind::String { .. }), Value::Number(number)) => Value::from(number.to_string()),
            (Some(ParamKind::String { .. } | ParamKind::Enum { .. }), Value::Array(items)) if items.len() == 1 => {
                items[0].clone()
            }
            (Some(ParamKind::List { .. }), Value::String(_)) => Value::from(vec![value.clone()]),
            _ => value.clone(),
        };
        // Case says nothing, and `48h` is `2d`.
        let value = match &value {
            Value::String(text) => {
                Value::from(text.parse::<Window>().map_or_else(|_| text.to_lowercase(), |window| window.to_string()))
            }
            _ => value,
        };
        if spec.and_then(|spec| spec.default()) != Some(&value) {
            normal.insert(name.clone(), value);
        }
    }
    normal
}

fn fits(key: &Key, decision: &Decision, catalog: &Catalog) -> bool {
    let same = |id: &str, said: &BTreeMap<String, Value>, read: &BTreeMap<String, Value>| {
        catalog.get(id).is_some_and(|template| normal(template, said) == normal(template, read))
    };
    match (key, decision) {
        (Key::Run { run, values }, Decision::Card { id, values: read }) => {
            run == id.as_str() && same(run, values, read)
        }
        (Key::Lacks { lacks, missing, values }, Decision::Missing { id, values: read, parameters }) => {
            lacks == id.as_str() && same(lacks, values, read) && parameters.iter().any(|name| missing.contains(name))
        }
        (Key::Which { which }, Decision::Ambiguous { candidates }) => {
            let ids: BTreeSet<String> = candidates.iter().map(|candidate| candidate.id.to_string()).collect();
            which.is_subset(&ids) || (which.len() > 2 && which.intersection(&ids).count() >= 2)
        }
        (Key::None { .. }, Decision::NoMatch { .. }) => true,
        _ => false,
    }
}

fn judge(keys: &[&Key], decision: &Decision, catalog: &Catalog) -> Verdict {
    if keys.iter().any(|key| fits(key, decision, catalog)) {
        return Verdict::Right;
    }
    match decision {
        Decision::NoMatch { .. } => Verdict::Refused,
        Decision::Ambiguous { .. } | Decision::Missing { .. } => Verdict::Asked,
        Decision::Card { id, .. } => {
            if keys.iter().any(|key| matches!(key, Key::Run { run, .. } if run == id.as_str())) {
                Verdict::WrongValues
            } else if catalog
                .get(id.as_str())
                .is_some_and(|template| template.effects() == intentbox_catalog::Effects::Write)
            {
                Verdict::WrongWrite
            } else {
                Verdict::WrongRun
            }
        }
    }
}

/// Counts of one way to ask: with all packs, or with the sentence's own.
#[derive(Default)]
struct Tally {
    by_class: BTreeMap<(String, Verdict), usize>,
    by_pack: BTreeMap<(String, Verdict), usize>,
    misses: Vec<String>,
}

impl Tally {
    fn count(&self, verdict: Verdict, is_none: bool) -> usize {
        let holds = |class: &str| (class == "none") == is_none;
        self.by_class.iter().filter(|((class, of), _)| *of == verdict && holds(class)).map(|(_, count)| count).sum()
    }

    fn table(counts: &BTreeMap<(String, Verdict), usize>) {
        let rows: BTreeSet<&String> = counts.keys().map(|(row, _)| row).collect();
        println!("{:<12}{}", "", VERDICTS.map(|verdict| format!("{:>13}", format!("{verdict:?}"))).concat());
        for row in rows {
            let of = |verdict: Verdict| counts.get(&(row.clone(), verdict)).copied().unwrap_or(0);
            let total: usize = VERDICTS.map(of).iter().sum();
            let cells = VERDICTS.map(|verdict| format!("{:>13}", of(verdict))).concat();
            println!("{row:<12}{cells}{:>9.1} % of {total}", of(Verdict::Right) as f64 * 100.0 / total as f64);
        }
    }
}

fn tally(entries: &[Entry], catalog: &Catalog, is_alone: bool) -> Tally {
    let mut routers: BTreeMap<&str, Router> = BTreeMap::new();
    for pack in ["sentry", "logs", "data"] {
        let holds = |template: &&Template| !is_alone || template.pack().id() == pack;
        routers.insert(pack, Router::new(catalog.templates().filter(holds).map(Card::of)));
    }
    let mut tally = Tally::default();
    for entry in entries {
        let first = if is_alone { entry.alone.as_ref().unwrap_or(&entry.all) } else { &entry.all };
        let keys: Vec<&Key> = std::iter::once(first).chain(&entry.others).collect();
        let Routed { decision, explanation } = route(&routers[entry.pack.as_str()], catalog, &entry.text);
        let verdict = judge(&keys, &decision, catalog);
        if std::env::args().any(|argument| argument == "--dump") && !is_alone {
            let is_right = |scored: &Scored| keys.iter().any(|key| fits(key, &as_if_chosen(scored), catalog));
            let right: Vec<bool> = explanation.candidates.iter().take(3).map(is_right).collect();
            let line = serde_json::json!({"verdict": format!("{verdict:?}"), "class": entry.class, "text": entry.text,
                "key": format!("{first:?}"), "right": right, "rule": explanation.rule,
                "candidates": explanation.candidates.iter().take(3).collect::<Vec<_>>()});
            println!("DUMP {line}");
        }
        let explanation = explanation.to_string();
        let class = if matches!(first, Key::None { .. }) { "none" } else { entry.class.as_str() };
        *tally.by_class.entry((class.to_owned(), verdict)).or_default() += 1;
        *tally.by_pack.entry((entry.pack.clone(), verdict)).or_default() += 1;
        if verdict != Verdict::Right {
            let explanation = explanation.lines().take(14).collect::<Vec<_>>().join("\n    ");
            tally
                .misses
                .push(format!("{verdict:?} [{}] {:?}\n  key {first:?}\n    {explanation}", entry.class, entry.text));
        }
    }
    tally
}

/// Reads the values for the template that is meant, whatever the router would decide: what is lost before any choice.
fn misread(entries: &[Entry], catalog: &Catalog) -> Vec<String> {
    let router = Router::new(catalog.templates().map(Card::of));
    let mut misread = Vec::new();
    for entry in entries {
        let mut meant = std::iter::once(&entry.all).chain(&entry.others).filter_map(|key| match key {
            Key::Run { run: id, values } | Key::Lacks { lacks: id, values, .. } => Some((id, values)),
            Key::Which { .. } | Key::None { .. } => None,
        });
        let known = known(&router, catalog, &entry.text);
        let now = NOW.parse().expect("it is a time");
        let question = Question { text: &entry.text, names: &known, now };
        let mut told = String::new();
        let is_right = meant.clone().any(|(id, values)| {
            let template = catalog.get(id).unwrap_or_else(|| panic!("there is no {id}"));
            let read = router.read(&question, &CardId::new(id.as_str())).unwrap_or_default();
            let (said, read) = (normal(template, values), normal(template, &read));
            if told.is_empty() {
                told = format!("{:?}\n  {id}\n  said {said:?}\n  read {read:?}", entry.text);
            }
            said == read
        });
        if !is_right && meant.next().is_some() {
            misread.push(told);
        }
    }
    misread
}

/// A sentence for training: the features of each answer, and how much each answer is the right one.
struct Example {
    /// The features of each card by their numbers, with how much there is of each; the answer "none" comes last.
    answers: Vec<Vec<(usize, f64)>>,
    targets: Vec<f64>,
}

/// Features by scope and name, numbered.
#[derive(Default)]
struct Numbers {
    by_name: BTreeMap<(String, String), usize>,
}

impl Numbers {
    fn of(&mut self, scope: &str, name: &str) -> usize {
        let next = self.by_name.len();
        *self.by_name.entry((scope.to_owned(), name.to_owned())).or_insert(next)
    }
}

/// The ids that a key means, and how much each; none of them means that nothing fits.
fn targets(keys: &[&Key]) -> BTreeMap<String, f64> {
    let mut targets = BTreeMap::new();
    match keys[0] {
        Key::Run { run: id, .. } | Key::Lacks { lacks: id, .. } => {
            targets.insert(id.clone(), 1.0);
        }
        Key::Which { which } => targets.extend(which.iter().map(|id| (id.clone(), 1.0 / which.len() as f64))),
        Key::None { .. } => {}
    }
    targets
}

/// A sentence as the routers see it, and what it means.
struct Seen {
    features: Features,
    targets: BTreeMap<String, f64>,
}

/// Every sentence with all packs and with its own alone, and the declared phrases, each of which means its template.
fn seen(entries: &[&Entry], catalog: &Catalog) -> Vec<Seen> {
    let now = NOW.parse().expect("it is a time");
    let mut seen = Vec::new();
    for pack in ["", "sentry", "logs", "data"] {
        let holds = |template: &&Template| pack.is_empty() || template.pack().id() == pack;
        let router = Router::new(catalog.templates().filter(holds).map(Card::of));
        let mut add = |text: &str, known: &Names, targets: BTreeMap<String, f64>| {
            let features = router.features(&Question { text, names: known, now });
            seen.push(Seen { features, targets });
        };
        for entry in entries.iter().filter(|entry| pack.is_empty() || entry.pack == pack) {
            let first = if pack.is_empty() { &entry.all } else { entry.alone.as_ref().unwrap_or(&entry.all) };
            let keys: Vec<&Key> = std::iter::once(first).chain(&entry.others).collect();
            add(&entry.text, &known(&router, catalog, &entry.text), targets(&keys));
        }
        for template in catalog.templates().filter(holds) {
            for phrase in template.phrases().iter().filter(|phrase| !phrase.contains('<')) {
                let others = catalog.templates().filter(holds).filter(|other| other.phrases().contains(phrase)).count();
                if others == 1 {
                    add(phrase, &Names::default(), BTreeMap::from([(template.id().to_string(), 1.0)]));
                }
            }
        }
    }
    seen
}

/// The sentences of `tests/router`, which were written beside the templates: what they mean counts, not their values.
fn older(catalog: &Catalog) -> Vec<Seen> {
    let now = NOW.parse().expect("it is a time");
    let router = Router::new(catalog.templates().map(Card::of));
    let mut seen = Vec::new();
    for file in read_dir(root().join("tests/router")).expect("the folder is there") {
        let path = file.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let table: toml::Table = toml::from_str(&read_to_string(&path).expect("it is text")).expect("it is TOML");
        for entry in table["entry"].as_array().expect("a file is a list of entries") {
            let text = entry["text"].as_str().expect("a sentence is text");
            let expected = entry.get("expect").unwrap_or_else(|| &entry["any_of"][0]);
            let mut targets = BTreeMap::new();
            let id = |text: &str| text.split(' ').next().unwrap_or(text).to_owned();
            if let Some(told) = expected.as_str().filter(|told| *told != "no match") {
                targets.insert(id(told), 1.0);
            } else if let Some(missing) = expected.get("missing").and_then(toml::Value::as_str) {
                targets.insert(id(missing), 1.0);
            } else if let Some(ids) = expected.get("ambiguous").and_then(toml::Value::as_array) {
                targets.extend(ids.iter().filter_map(|id| Some((id.as_str()?.to_owned(), 1.0 / ids.len() as f64))));
            }
            let known = known(&router, catalog, text);
            let features = router.features(&Question { text, names: &known, now });
            seen.push(Seen { features, targets });
        }
    }
    seen
}

/// Examples from what was seen, and once more without the features of single cards, so that the general ones mean something for
/// cards that nobody trained. A feature has to be there several times to have a weight of its own.
fn examples(seen: &[Seen], numbers: &mut Numbers) -> Vec<Example> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for Seen { features, .. } in seen {
        for (id, features) in &features.cards {
            for (name, is_general, _) in features {
                *counts.entry((if *is_general { "any" } else { id.as_str() }, name)).or_default() += 1;
            }
        }
        for name in &features.none {
            *counts.entry(("none", name)).or_default() += 1;
        }
    }
    // How often a word was passed over rightly: a few times by chance, or since it says nothing.
    let mut passed: BTreeMap<&str, usize> = BTreeMap::new();
    for Seen { features, targets } in seen {
        for (_, features) in features.cards.iter().filter(|(id, _)| targets.contains_key(id.as_str())) {
            for (name, ..) in features.iter().filter(|(name, ..)| name.starts_with('?')) {
                *passed.entry(name).or_default() += 1;
            }
        }
    }
    let is_chance = |name: &str| (1..PASSED_MIN).contains(&passed.get(name).copied().unwrap_or(0));
    // A word is seen with many cards, and with all packs and alone.
    let is_known = |scope: &str, name: &str| {
        let count = counts.get(&(scope, name)).copied().unwrap_or(0);
        match scope {
            "any" => !name.starts_with('?') || (count >= 40 && !is_chance(name)),
            "none" => count >= 5,
            _ => count >= if name.contains(' ') { 5 } else { 3 },
        }
    };
    let mut examples = Vec::new();
    for Seen { features, targets } in seen {
        for is_plain in [false, true] {
            let mut example = Example { answers: Vec::new(), targets: Vec::new() };
            for (id, features) in &features.cards {
                let mut answer: BTreeMap<usize, f64> = BTreeMap::new();
                for (name, is_general, value) in features.iter().filter(|(_, is_general, _)| *is_general || !is_plain) {
                    let scope = if *is_general { "any" } else { id.as_str() };
                    let number = match is_known(scope, name) && !(is_plain && name.starts_with('?')) {
                        true => numbers.of(scope, name),
                        false if name.starts_with('?') => numbers.of("any", "strange"),
                        false => continue,
                    };
                    *answer.entry(number).or_default() += value;
                }
                example.answers.push(answer.into_iter().collect());
                example.targets.push(targets.get(id.as_str()).copied().unwrap_or(0.0));
            }
            let said: f64 = example.targets.iter().sum();
            example.targets.push(1.0 - said);
            let none = features.none.iter().filter(|name| (!is_plain || *name == "bias") && is_known("none", name));
            example.answers.push(none.map(|name| (numbers.of("none", name), 1.0)).collect());
            examples.push(example);
        }
    }
    examples
}

/// Fits weights by gradient descent (Adagrad) with a penalty for large ones.
fn train(examples: &[Example], penalties: &[f64], rounds: usize) -> Vec<f64> {
    let count = penalties.len();
    let (mut weights, mut squares) = (vec![0.0; count], vec![1e-8; count]);
    for _ in 0..rounds {
        for example in examples {
            let sum =
                |answer: &Vec<(usize, f64)>| answer.iter().map(|(number, value)| weights[*number] * value).sum::<f64>();
            let sums: Vec<f64> = example.answers.iter().map(sum).collect();
            let most = sums.iter().copied().fold(f64::MIN, f64::max);
            let total: f64 = sums.iter().map(|sum| (sum - most).exp()).sum();
            for ((answer, target), sum) in example.answers.iter().zip(&example.targets).zip(&sums) {
                let error = (sum - most).exp() / total - target;
                if error.abs() < 1e-4 {
                    continue;
                }
                for (number, value) in answer {
                    let gradient = error * value + penalties[*number] * weights[*number];
                    squares[*number] += gradient * gradient;
                    weights[*number] -= 0.3 * gradient / squares[*number].sqrt();
                }
            }
        }
    }
    weights
}

/// The file of the weights that hold for every card.
const GENERAL: &str = "runtime/router/src/weights.tsv";

/// Trains on entries and writes the weights where the router and the packs read them.
fn write_weights(entries: &[&Entry], rounds: usize, penalty: f64) {
    // The model of trust has to see scores as they are for sentences that training left out.
    let mut readings = Vec::new();
    for fold in 0..FOLDS {
        let is_out = |index: usize| index % FOLDS == fold;
        let of = |is_wanted: bool| {
            let chosen = entries.iter().enumerate().filter(move |(index, _)| is_out(*index) == is_wanted);
            chosen.map(|(_, entry)| *entry).collect::<Vec<_>>()
        };
        let texts = fitted(&of(false), &catalog(&BTreeMap::new()), rounds, penalty);
        readings.extend(self::readings(&of(true), &texts));
    }
    let mut texts = fitted(entries, &catalog(&BTreeMap::new()), rounds, penalty);
    let general = texts.entry(GENERAL.to_owned()).or_default();
    for (name, weight) in trusting(&readings) {
        let _ = writeln!(general, "trust\t{name}\t{weight:.3}");
    }
    for (file, text) in texts {
        println!("{file}: {} weights, {} bytes", text.lines().count(), text.len());
        std::fs::write(root().join(file), text).expect("it can be written");
    }
}

/// How many parts the sentences are cut into, each of which is left out once.
const FOLDS: usize = 5;

/// Facts about a reading, and whether it is right.
type Reading = (Vec<(&'static str, f64)>, bool);

/// The best reading of each sentence, by weights that did not see it.
fn readings(entries: &[&Entry], texts: &BTreeMap<String, String>) -> Vec<Reading> {
    let catalog = catalog(texts);
    let mut readings = Vec::new();
    for pack in ["", "sentry", "logs", "data"] {
        let holds = |template: &&Template| pack.is_empty() || template.pack().id() == pack;
        let router = Router::new(catalog.templates().filter(holds).map(Card::of)).trained(&texts[GENERAL]);
        for entry in entries.iter().filter(|entry| pack.is_empty() || entry.pack == pack) {
            let first = if pack.is_empty() { &entry.all } else { entry.alone.as_ref().unwrap_or(&entry.all) };
            let keys: Vec<&Key> = std::iter::once(first).chain(&entry.others).collect();
            let candidates = route(&router, &catalog, &entry.text).explanation.candidates;
            let Some(best) = candidates.first().filter(|best| !best.phrase.exact) else { continue };
            let is_right = keys.iter().any(|key| fits(key, &as_if_chosen(best), &catalog));
            readings.push((intentbox_router::trust_features(&candidates), is_right));
        }
    }
    readings
}

/// The decision for a card, if it were chosen.
fn as_if_chosen(scored: &Scored) -> Decision {
    let values = scored.values.iter().map(|read| (read.parameter.clone(), read.value.clone())).collect();
    let id = scored.id.clone();
    if scored.missing.is_empty() {
        return Decision::Card { id, values };
    }
    Decision::Missing { id, values, parameters: scored.missing.clone() }
}

/// Fits the model of trust: logistic regression over features of equal spread, with a penalty for large weights.
fn trusting(readings: &[Reading]) -> Vec<(&'static str, f64)> {
    const ROUNDS: usize = 3000;
    const RATE: f64 = 0.5;
    const PENALTY: f64 = 0.002;
    let names: Vec<&'static str> = readings[0].0.iter().map(|(name, _)| *name).collect();
    let count = readings.len() as f64;
    let column = |at: usize| readings.iter().map(move |(features, _)| features[at].1);
    let means: Vec<f64> = (0..names.len()).map(|at| column(at).sum::<f64>() / count).collect();
    let spread = |at: usize| (column(at).map(|value| (value - means[at]).powi(2)).sum::<f64>() / count).sqrt();
    let spreads: Vec<f64> = (0..names.len()).map(|at| spread(at).max(1e-6)).collect();
    let rows: Vec<(Vec<f64>, f64)> = readings
        .iter()
        .map(|(features, is_right)| {
            let scaled =
                features.iter().zip(&means).zip(&spreads).map(|(((_, value), mean), spread)| (value - mean) / spread);
            (scaled.collect(), f64::from(u8::from(*is_right)))
        })
        .collect();
    let mut weights = vec![0.0; names.len()];
    let mut bias = 0.0;
    for _ in 0..ROUNDS {
        let mut gradient = vec![0.0; names.len()];
        let mut bias_gradient = 0.0;
        for (row, target) in &rows {
            let sum: f64 = bias + row.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f64>();
            let error = 1.0 / (1.0 + (-sum).exp()) - target;
            bias_gradient += error;
            gradient.iter_mut().zip(row).for_each(|(gradient, value)| *gradient += error * value);
        }
        bias -= RATE * bias_gradient / count;
        for (weight, gradient) in weights.iter_mut().zip(&gradient) {
            *weight -= RATE * (gradient / count + PENALTY * *weight);
        }
    }
    // What was taken off the features for training comes back as bias.
    let mut fitted: Vec<(&'static str, f64)> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let weight = weights[at] / spreads[at];
        bias -= weight * means[at];
        fitted.push((name, if *name == "bias" { 0.0 } else { weight }));
    }
    fitted[0].1 = bias;
    fitted
}

/// Weights by the files they belong to.
fn fitted(entries: &[&Entry], catalog: &Catalog, rounds: usize, penalty: f64) -> BTreeMap<String, String> {
    let mut numbers = Numbers::default();
    let mut seen = seen(entries, catalog);
    seen.extend(older(catalog));
    let examples = examples(&seen, &mut numbers);
    let mut penalties = vec![0.0; numbers.by_name.len()];
    for ((scope, name), number) in &numbers.by_name {
        // What holds for every card is seen everywhere; a pair of words is seen a few times.
        let is_lexical = scope != "any" || name.starts_with('?');
        penalties[*number] = match is_lexical {
            false => penalty * 0.02,
            true if name.contains(' ') => penalty * 2.0,
            true => penalty,
        };
    }
    let weights = train(&examples, &penalties, rounds);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for ((scope, name), number) in &numbers.by_name {
        let weight = weights[*number];
        // A word without a weight of its own would be a strange one.
        if weight.abs() < WEIGHT_MIN && !name.starts_with('?') {
            continue;
        }
        let file = match scope.split_once('/') {
            Some((pack, _)) => format!("templates/{pack}/weights.tsv"),
            None => GENERAL.to_owned(),
        };
        let _ = writeln!(texts.entry(file).or_default(), "{scope}\t{name}\t{weight:.2}");
    }
    texts
}

/// How often a word has to be passed over rightly, each sentence counted with all packs and with its own.
const PASSED_MIN: usize = 6;

/// The smallest weight that is kept.
const WEIGHT_MIN: f64 = 0.05;

fn main() {
    let is_sealed = std::env::args().any(|argument| argument == "--sealed");
    let folder = root().join("tests/sentences");
    let text = if is_sealed {
        let packed = read(folder.join("sealed.jsonl.gz")).expect("the sealed half is there");
        let expected = read_to_string(folder.join("sealed.sha256")).expect("its hash is there");
        assert_eq!(format!("{:x}", Sha256::digest(&packed)), expected.split_whitespace().next().unwrap_or(""));
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).expect("it unpacks");
        text
    } else {
        read_to_string(folder.join("tuning.jsonl")).expect("the tuning half is there")
    };
    let entries: Vec<Entry> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is an entry")).collect();
    let catalog = catalog(&BTreeMap::new());
    let setting = |name: &str| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments.nth(1).and_then(|text| text.parse::<f64>().ok())
    };
    // With `--fold N` of five, training leaves that fifth out, and measuring takes it alone.
    let fold = setting("--fold");
    let is_in_fold = |index: usize| fold.is_some_and(|fold| (index % 5) as f64 == fold);
    if std::env::args().any(|argument| argument == "--train") {
        assert!(!is_sealed, "the sealed half trains nothing");
        let chosen: Vec<&Entry> =
            entries.iter().enumerate().filter(|(index, _)| !is_in_fold(*index)).map(|(_, entry)| entry).collect();
        write_weights(&chosen, setting("--rounds").unwrap_or(12.0) as usize, setting("--penalty").unwrap_or(0.02));
        return;
    }
    let entries: Vec<Entry> = entries
        .into_iter()
        .enumerate()
        .filter(|(index, _)| fold.is_none() || is_in_fold(*index))
        .map(|(_, entry)| entry)
        .collect();
    if !is_sealed {
        let misread = misread(&entries, &catalog);
        println!("{}\n\n{} are misread by the template that is meant\n", misread.join("\n"), misread.len());
    }
    let mut logged = Vec::new();
    for (way, is_alone) in [("all packs", false), ("each alone", true)] {
        let tally = tally(&entries, &catalog, is_alone);
        if !is_sealed {
            for miss in &tally.misses {
                println!("{miss}\n");
            }
        }
        println!("== {way}");
        Tally::table(&tally.by_class);
        Tally::table(&tally.by_pack);
        let asked: usize = VERDICTS.map(|verdict| tally.count(verdict, false)).iter().sum();
        let none: usize = VERDICTS.map(|verdict| tally.count(verdict, true)).iter().sum();
        let runs = |verdict| tally.count(verdict, false) + tally.count(verdict, true);
        let figures = format!(
            "{way}: right {}/{asked}, wrong values {}, wrong runs {}, wrong writes {}, rightly no {}/{none}",
            tally.count(Verdict::Right, false),
            runs(Verdict::WrongValues),
            runs(Verdict::WrongRun),
            runs(Verdict::WrongWrite),
            tally.count(Verdict::Right, true),
        );
        println!("{figures}\n");
        logged.push(figures);
    }
    if is_sealed {
        let git = |arguments: &[&str]| {
            let output = Command::new("git").args(arguments).current_dir(root()).output().expect("git runs");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let line = format!(
            "{}\t{}\t{}\n",
            git(&["log", "-1", "--format=%cs"]),
            git(&["rev-parse", "--short", "HEAD"]),
            logged.join("\t")
        );
        let log = OpenOptions::new().create(true).append(true).open(folder.join("log.tsv"));
        log.and_then(|mut log| log.write_all(line.as_bytes())).expect("the log can be written");
        print!("{line}");
    }
}
