//! Accuracy on sentences by people who did not know this router: the number right out of n.
//!
//! `cargo bench --bench sentences` measures the tuning half (`tests/sentences/tuning.jsonl`) and lists what it misses. With
//! `-- --sealed` it opens the other half, prints figures and no sentence, and appends them to `tests/sentences/log.tsv`. The
//! README there says how the sentences were made and how an answer key is read. `-- --say FILE` explains where each line of a file
//! goes, in another world with `--world FOLDER`.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "counts and settings are small whole numbers"
)]

mod boost;
mod train;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{OpenOptions, read, read_dir, read_to_string};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use intentbox_catalog::param::{ParamKind, ParamSpec};
use intentbox_catalog::window::Window;
use intentbox_catalog::{Catalog, Template};
use intentbox_router::{Card, CardId, Decision, Question, Routed, Router, Scored};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::world::WORLD;

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

/// The router of some templates, with the weights as they lie in the folder: changing one needs no build.
fn router(catalog: &Catalog, holds: impl Fn(&&Template) -> bool) -> Router {
    let file = |name: &str| read_to_string(root().join(name)).expect("training has written it");
    let cards = catalog.templates().filter(holds).map(Card::of);
    Router::new(cards).trained(&file(train::GENERAL), &file(train::TRUST))
}

fn route(router: &Router, catalog: &Catalog, text: &str) -> Routed {
    let known = WORLD.known(router, catalog, text);
    router.explain(&Question { text, names: &known, now: WORLD.now() })
}

/// Values in the form in which they are compared, without defaults.
fn normal(template: &Template, values: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let mut normal = BTreeMap::new();
    let bound = |name: &str| values.get(name).and_then(Value::as_str).and_then(|text| text.parse().ok());
    let lower = |item: &Value| item.as_str().map_or_else(|| item.clone(), |text| Value::from(text.to_lowercase()));
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
            Value::String(text) => Value::from(
                text.parse::<Window>().map_or_else(|_| text.to_lowercase(), |window| so_far(window).to_string()),
            ),
            Value::Array(items) => items.iter().map(lower).collect(),
            _ => value,
        };
        let is_default = spec.and_then(|spec| spec.default()) == Some(&value)
            || (name == "date_column" && has_one_date(values.get("file")));
        if !is_default {
            normal.insert(name.clone(), value);
        }
    }
    normal
}

/// A window without an end that lies ahead, which no key has.
fn so_far(window: Window) -> Window {
    let text = window.to_string();
    let ahead = |end: &str| end > WORLD.now.as_str() && !end.is_empty();
    let start = text.split_once('/').filter(|(_, end)| ahead(end)).map(|(start, _)| format!("{start}/.."));
    start.and_then(|text| text.parse().ok()).unwrap_or(window)
}

/// Whether a file has one column of dates: then nobody has to say which is meant.
fn has_one_date(file: Option<&Value>) -> bool {
    file.and_then(Value::as_str).is_some_and(|file| WORLD.has_one_date(file))
}

/// Whether the values that were read are those that a key says. "All" is as many as there can be, which no key says.
fn same(template: &Template, said: &BTreeMap<String, Value>, read: &BTreeMap<String, Value>) -> bool {
    let (said, mut read) = (normal(template, said), normal(template, read));
    let most = match template.parameter("limit").map(ParamSpec::kind) {
        Some(ParamKind::Integer { max, .. }) => max.map(Value::from),
        _ => None,
    };
    if !said.contains_key("limit") && read.get("limit") == most.as_ref() {
        read.remove("limit");
    }
    said == read
}

fn fits(key: &Key, decision: &Decision, catalog: &Catalog) -> bool {
    let same = |id: &str, said: &BTreeMap<String, Value>, read: &BTreeMap<String, Value>| {
        catalog.get(id).is_some_and(|template| same(template, said, read))
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

/// Explains where each line of a file goes, whatever it should be.
fn explain(sentences: &str, catalog: &Catalog) {
    let router = router(catalog, |_| true);
    for text in sentences.lines().filter(|line| !line.is_empty()) {
        let Routed { decision, explanation } = route(&router, catalog, text);
        let chosen = match decision {
            Decision::Card { id, values } => format!("{} {}", id.as_str(), serde_json::json!(values)),
            Decision::Missing { id, values, parameters } => {
                format!("{} {} lacks {}", id.as_str(), serde_json::json!(values), parameters.join(", "))
            }
            Decision::Ambiguous { .. } => "a question".to_owned(),
            Decision::NoMatch { .. } => "nothing".to_owned(),
        };
        println!("{text:?} -> {chosen}");
        for line in explanation.to_string().lines().take(24) {
            println!("    {line}");
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
        routers.insert(pack, router(catalog, holds));
    }
    let mut tally = Tally::default();
    for entry in entries {
        let first = if is_alone { entry.alone.as_ref().unwrap_or(&entry.all) } else { &entry.all };
        let keys: Vec<&Key> = std::iter::once(first).chain(&entry.others).collect();
        let Routed { decision, explanation } = route(&routers[entry.pack.as_str()], catalog, &entry.text);
        let verdict = judge(&keys, &decision, catalog);
        if std::env::args().any(|argument| argument == "--dump") {
            let is_right = |scored: &Scored| keys.iter().any(|key| fits(key, &as_if_chosen(scored), catalog));
            let now = WORLD.now();
            let known = WORLD.known(&routers[entry.pack.as_str()], catalog, &entry.text);
            let readings = routers[entry.pack.as_str()].readings(&Question { text: &entry.text, names: &known, now });
            let readings: Vec<_> = readings
                .iter()
                .map(|candidates| {
                    let right: Vec<bool> = candidates.iter().take(3).map(is_right).collect();
                    let features: BTreeMap<_, _> = intentbox_router::trust_features(candidates).into_iter().collect();
                    serde_json::json!({"right": right, "features": features,
                        "candidates": candidates.iter().take(3).collect::<Vec<_>>()})
                })
                .collect();
            let right: Vec<bool> = explanation.candidates.iter().take(3).map(is_right).collect();
            let line = serde_json::json!({"alone": is_alone, "pack": entry.pack, "verdict": format!("{verdict:?}"), "class": entry.class, "text": entry.text,
                "key": format!("{first:?}"), "right": right, "rule": explanation.rule, "readings": readings,
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
    let router = router(catalog, |_| true);
    let mut misread = Vec::new();
    for entry in entries {
        let mut meant = std::iter::once(&entry.all).chain(&entry.others).filter_map(|key| match key {
            Key::Run { run: id, values } | Key::Lacks { lacks: id, values, .. } => Some((id, values)),
            Key::Which { .. } | Key::None { .. } => None,
        });
        let known = WORLD.known(&router, catalog, &entry.text);
        let now = WORLD.now();
        let question = Question { text: &entry.text, names: &known, now };
        let mut told = String::new();
        let is_right = meant.clone().any(|(id, values)| {
            let template = catalog.get(id).unwrap_or_else(|| panic!("there is no {id}"));
            let read = router.read(&question, &CardId::new(id.as_str())).unwrap_or_default();
            if told.is_empty() {
                let (said, read) = (normal(template, values), normal(template, &read));
                told = format!("{:?}\n  {id}\n  said {said:?}\n  read {read:?}", entry.text);
            }
            same(template, values, &read)
        });
        if !is_right && meant.next().is_some() {
            misread.push(told);
        }
    }
    misread
}

/// The decision for a card, if it were chosen.
fn as_if_chosen(scored: &Scored) -> Decision {
    let values = scored.read().map(|read| (read.parameter.clone(), read.value.clone())).collect();
    let id = scored.id.clone();
    if scored.missing.is_empty() {
        return Decision::Card { id, values };
    }
    Decision::Missing { id, values, parameters: scored.missing.clone() }
}

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
    let said = std::env::args().skip_while(|argument| argument != "--say").nth(1);
    if let Some(path) = said {
        return explain(&read_to_string(path).expect("a file of sentences"), &catalog);
    }
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
        train::write_weights(
            &chosen,
            setting("--rounds").unwrap_or(12.0) as usize,
            setting("--penalty").unwrap_or(0.02),
        );
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
