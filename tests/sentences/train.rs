//! Trains the weights of the router: which template a sentence means, and whether a reading of it can be trusted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{read_dir, read_to_string};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use intentbox_catalog::{Catalog, Template};
use intentbox_router::{Card, Features, Names, Question, Router};

use crate::boost::{self, Grown, Row};
use crate::world::WORLD;
use crate::{Entry, Key, as_if_chosen, catalog, fits, root};

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
    let now = WORLD.now();
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
            add(&entry.text, &WORLD.known(&router, catalog, &entry.text), targets(&keys));
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
    let now = WORLD.now();
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
            let known = WORLD.known(&router, catalog, text);
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
pub(crate) const GENERAL: &str = "runtime/router/src/weights.tsv";

/// The file of the trees that say whether a reading can be trusted.
pub(crate) const TRUST: &str = "runtime/router/src/trust.tsv";

/// The file of the weights of a pack.
fn pack_file(pack: &str) -> String {
    format!("templates/{pack}/weights.tsv")
}

/// Trains on entries and writes the weights where the router and the packs read them.
pub(crate) fn write_weights(entries: &[&Entry], rounds: usize, penalty: f64) {
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
    let names: Vec<&str> = readings[0].facts.iter().map(|(name, _)| *name).collect();
    texts.insert(TRUST.to_owned(), trusting(readings.iter()).text(&names));
    for ((card, fact), weight) in refining(&readings) {
        let pack = card.split('/').next().unwrap_or_default();
        if weight.abs() >= WEIGHT_MIN {
            let _ = writeln!(texts.entry(pack_file(pack)).or_default(), "trust {card}\t{fact}\t{weight:.2}");
        }
    }
    for (file, text) in texts {
        println!("{file}: {} weights, {} bytes", text.lines().count(), text.len());
        std::fs::write(root().join(file), text).expect("it can be written");
    }
}

/// How many parts the sentences are cut into, each of which is left out once.
const FOLDS: usize = 5;

/// A reading, and whether it is right.
struct Reading {
    /// Facts that hold for every card.
    facts: Vec<(&'static str, f64)>,
    /// The card, and facts about its values.
    of_card: (String, Vec<String>),
    is_right: bool,
    /// The same number for readings of the same sentence.
    sentence: u64,
}

impl Reading {
    /// How much a reading counts that is one of many: with a value left out, or of a card that does not score best.
    const OTHER_WEIGHT: f64 = 0.3;

    fn weight(&self) -> f64 {
        let is_other = |(name, value): &(&str, f64)| matches!(*name, "a value left out" | "outscored") && *value > 0.0;
        if self.facts.iter().any(is_other) { Self::OTHER_WEIGHT } else { 1.0 }
    }

    fn row(&self) -> Row {
        let facts = self.facts.iter().map(|(_, value)| *value).collect();
        Row { facts, is_so: self.is_right, weight: self.weight() }
    }
}

/// The best reading of each sentence, by weights that did not see it.
fn readings(entries: &[&Entry], texts: &BTreeMap<String, String>) -> Vec<Reading> {
    let catalog = catalog(texts);
    let mut readings = Vec::new();
    for pack in ["", "sentry", "logs", "data"] {
        let holds = |template: &&Template| pack.is_empty() || template.pack().id() == pack;
        let router = Router::new(catalog.templates().filter(holds).map(Card::of)).trained(&texts[GENERAL], "");
        for entry in entries.iter().filter(|entry| pack.is_empty() || entry.pack == pack) {
            let first = if pack.is_empty() { &entry.all } else { entry.alone.as_ref().unwrap_or(&entry.all) };
            let keys: Vec<&Key> = std::iter::once(first).chain(&entry.others).collect();
            let now = WORLD.now();
            let known = WORLD.known(&router, &catalog, &entry.text);
            for candidates in router.readings(&Question { text: &entry.text, names: &known, now }) {
                let Some(best) = candidates.first().filter(|best| !best.phrase.exact) else { continue };
                readings.push(Reading {
                    is_right: keys.iter().any(|key| fits(key, &as_if_chosen(best), &catalog)),
                    of_card: (best.id.to_string(), intentbox_router::value_facts(best)),
                    facts: intentbox_router::trust_features(&candidates),
                    sentence: hash(&entry.text),
                });
            }
        }
    }
    readings
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Grows the trees that say how likely a reading is right.
fn trusting<'a>(readings: impl Iterator<Item = &'a Reading>) -> Grown {
    let rows: Vec<Row> = readings.map(Reading::row).collect();
    boost::grow(&rows)
}

/// The logarithm of the odds of each reading, by trees that did not see its sentence.
fn odds(readings: &[Reading]) -> Vec<f64> {
    const PARTS: u64 = 3;
    let mut odds = vec![0.0; readings.len()];
    for part in 0..PARTS {
        let is_in = |reading: &Reading| reading.sentence % PARTS == part;
        let trees = trusting(readings.iter().filter(|reading| !is_in(reading)));
        for (odds, reading) in odds.iter_mut().zip(readings).filter(|(_, reading)| is_in(reading)) {
            *odds = trees.odds(&reading.row().facts);
        }
    }
    odds
}

/// Fits what the facts of single cards add to the model that holds for every card: the weights by card and fact.
///
/// Each weight in turn goes to the minimum of the loss and a penalty, as Newton's method finds it.
fn refining(readings: &[Reading]) -> BTreeMap<(String, String), f64> {
    const SWEEPS: usize = 30;
    const PENALTY: f64 = 0.0005;
    const SEEN_MIN: usize = 3;
    let counts: Vec<f64> = readings.iter().map(Reading::weight).collect();
    let count: f64 = counts.iter().sum();
    let mut sums = odds(readings);
    let mut rows: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (row, Reading { of_card: (card, facts), .. }) in readings.iter().enumerate() {
        for fact in facts {
            rows.entry((card.clone(), fact.clone())).or_default().push(row);
        }
    }
    rows.retain(|_, rows| rows.len() >= SEEN_MIN);
    let mut weights: BTreeMap<(String, String), f64> = rows.keys().map(|fact| (fact.clone(), 0.0)).collect();
    for _ in 0..SWEEPS {
        for (fact, rows) in &rows {
            let weight = weights.get_mut(fact).expect("each fact has a weight");
            let (mut slope, mut bend) = (PENALTY * *weight, PENALTY);
            for row in rows {
                let trust = 1.0 / (1.0 + (-sums[*row]).exp());
                let weight = counts[*row] / count;
                slope += weight * (trust - f64::from(u8::from(readings[*row].is_right)));
                bend += weight * trust * (1.0 - trust);
            }
            let step = slope / bend;
            *weight -= step;
            for row in rows {
                sums[*row] -= step;
            }
        }
    }
    weights
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
            Some((pack, _)) => pack_file(pack),
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
