//! The cost of a sentence before anything runs: routing among two hundred templates, and rendering the script.
//!
//! `cargo bench --bench router`. The sentences are those of `tests/router/`, one after another on one thread. The other
//! templates are the built-in ones again under other names, with other words for what they are about, in packs of their
//! own: as many patterns and phrases to try as two hundred templates would bring.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use intentbox_catalog::Catalog;
use intentbox_router::{Card, Decision, Names, Question, Router};

/// How many templates the large catalog has.
const TEMPLATES: usize = 200;

/// How often each sentence is answer.
const ROUNDS: usize = 50;

/// What the built-in templates are about. In a copy, each of these is another word.
const NOUNS: [&str; 9] = ["error", "issue", "event", "release", "project", "trace", "line", "log", "message"];

/// The files of a template folder, by their path below it.
type Files = BTreeMap<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let listed = read_dir(path).expect("the folder is there").map(|entry| entry.expect("it can be listed").path());
    let mut folders: Vec<_> = listed.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The manifests and scripts of the built-in templates, and how many templates that are.
fn built_in() -> (Files, usize) {
    let templates = root().join("templates");
    let mut files = Files::new();
    let mut count = 0;
    let mut take = |path: PathBuf| {
        if let Ok(text) = read_to_string(&path) {
            let below = path.strip_prefix(&templates).expect("it lies there").to_string_lossy().into_owned();
            files.insert(below, text);
        }
    };
    for pack in folders(&templates) {
        take(pack.join("pack.toml"));
        for template in folders(&pack) {
            take(template.join("template.toml"));
            take(template.join("script.py.j2"));
            count += 1;
        }
    }
    (files, count)
}

/// The same templates in packs of other names, about other things: `error` with `qa` inside is `erroqar`.
fn copied(files: &Files, inside: &str) -> Files {
    let reworded = |text: &str| {
        NOUNS.iter().fold(text.to_owned(), |text, noun| {
            let (head, tail) = noun.split_at(noun.len() - 1);
            text.replace(noun, &format!("{head}{inside}{tail}"))
        })
    };
    let renamed = |path: &str| {
        let (pack, rest) = path.split_once('/').expect("a template lies in a pack");
        format!("{pack}_{inside}/{}", reworded(rest))
    };
    // The two files keep their names: none of the words is part of them.
    files.iter().map(|(path, text)| (renamed(path), reworded(text))).collect()
}

/// A catalog of exactly this many templates, the built-in ones first.
fn catalog(count: usize) -> Catalog {
    let (files, built_in) = built_in();
    let mut all = files.clone();
    let mut templates = built_in;
    for letter in 'a'..='z' {
        for (path, text) in copied(&files, &format!("q{letter}")) {
            // The manifest comes after the script in the order of paths, so a template is taken whole or not at all.
            if templates < count || path.ends_with("pack.toml") {
                templates += usize::from(path.ends_with("template.toml"));
                all.insert(path, text);
            }
        }
    }
    let borrowed = all.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
    let catalog = Catalog::from_files(borrowed).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(catalog.templates().count(), count);
    catalog
}

/// The sentences of the corpus.
fn sentences() -> Vec<String> {
    let listed = read_dir(root().join("tests/router")).expect("the folder is there");
    let mut files: Vec<_> = listed.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut sentences = Vec::new();
    for path in files {
        let table: toml::Table = toml::from_str(&read_to_string(&path).expect("it is text")).expect("it is TOML");
        let entries = table["entry"].as_array().expect("a file is a list of entries");
        sentences.extend(entries.iter().map(|entry| entry["text"].as_str().expect("a sentence is text").to_owned()));
    }
    sentences
}

/// The median, the 99th percentile and the largest of some times.
fn told(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e6;
    format!("p50 {:8.1} µs   p99 {:8.1} µs   max {:8.1} µs   of {}", at(50), at(99), at(100), times.len())
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let done = black_box(work());
    (started.elapsed(), done)
}

fn measure(catalog: &Catalog, sentences: &[String], rounds: usize) {
    let count = catalog.templates().count();
    let line = |name: &str, figure: String| {
        let label = format!("{count} templates: {name}");
        println!("{label:<48} {figure}");
    };
    let (built, router) = timed(|| Router::new(catalog.templates().map(Card::of)));
    line("index", format!("{:9.3} ms", built.as_secs_f64() * 1e3));
    let settings = BTreeMap::from([("sentry.organization".to_owned(), "demo".to_owned())]);

    let names = Names::default();
    let now = "2026-11-22T12:00:00Z".parse().expect("it is a time");
    let (mut times, mut scripts) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        for sentence in sentences {
            let (took, answer) = timed(|| router.route(&Question { text: sentence, names: &names, now }));
            times.push(took);
            let Decision::Card { id, values } = answer.decision else {
                continue;
            };
            let template = catalog.get(id.as_str()).expect("the router knows the catalog's templates only");
            // The values that are out of bounds end here, as they would in a run.
            let (made, script) =
                timed(|| template.check(&values, &settings).ok().map(|values| template.render(&values)));
            if let Some(script) = script {
                script.unwrap_or_else(|error| panic!("{sentence}: {error}"));
                scripts.push(took + made);
            }
        }
    }
    line("route", told(times));
    line("route, check and render of a hit", told(scripts));
}

fn main() {
    // `cargo test --benches` runs this too, as a check that it still works: once each is then enough.
    let rounds = if std::env::args().any(|argument| argument == "--bench") { ROUNDS } else { 1 };
    let sentences = sentences();
    measure(&catalog(built_in().1), &sentences, rounds);
    measure(&catalog(TEMPLATES), &sentences, rounds);
}
