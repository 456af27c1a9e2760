//! How well the search finds the tools of real servers: hit@1, hit@5, MRR, and how often it rightly says that there is none.
//!
//! ```sh
//! tests/upstream/install && tests/search/run                 # both halves, beside BM25, and the time of a search
//! tests/search/run --dump FILE                               # features of the tuning half, for `train.py`
//! ```
//!
//! `queries.jsonl` has labelled sentences, a line each: `query`, the `tool` that answers it as `server/name` or null, `also`,
//! tools that answer it as well, and the `kind`: `literal`, `paraphrase` (no word of the tool's name) or `none`. Their authors
//! saw the definitions of the tools and nothing of the search. A hash of the sentence says which half it is in. `tuning.jsonl` has
//! more of them for training alone; `weight` says how much one counts, if not once. The other file is what `intentbox --json tools list` prints for the installed servers.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use intentbox_search::{Entry, FEATURES, Search, Verdict};
use serde_json::{Value, json};

/// One labelled sentence.
struct Labelled {
    query: String,
    right: Vec<String>,
    kind: String,
    /// How much it counts in training: more where sentences of its form are few.
    weight: u64,
}

#[derive(Default)]
struct Figures {
    asked: usize,
    first: usize,
    five: usize,
    reciprocal: f64,
    /// Sentences that a tool answers and that were answered with "nothing".
    refused: usize,
    /// Sentences that were answered with one tool, and that tool is right.
    one: usize,
    one_right: usize,
    /// Of those, how many are asked about, because another server's tool would do without that server.
    asked_about: usize,
    nothing: usize,
    nothing_right: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let value =
        |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1));
    let Some(tools) = value("--tools") else {
        println!("search: run tests/search/run, which lists the tools of the installed servers");
        return;
    };
    let (ids, entries) = entries(&std::fs::read_to_string(tools).expect("the list of tools"));
    let begun = Instant::now();
    drop(Search::new(&[]));
    println!("lexicon and deeds read in {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    let begun = Instant::now();
    let search = Search::new(&entries);
    println!("{} tools, indexed in {:.1} ms", entries.len(), begun.elapsed().as_secs_f64() * 1e3);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    let read = |name: &str| labelled(&std::fs::read_to_string(folder.join(name)).expect("the sentences"));
    let queries = read("queries.jsonl");
    if let Some(file) = value("--dump") {
        let tuning: Vec<Labelled> =
            queries.into_iter().filter(|labelled| !labelled.is_sealed()).chain(read("tuning.jsonl")).collect();
        std::fs::write(file, dump(&ids, &entries, &tuning)).expect("it can be written");
        return;
    }
    for (half, is_sealed) in [("tuning", false), ("test", true)] {
        for kind in ["literal", "paraphrase", "none"] {
            let of: Vec<&Labelled> =
                queries.iter().filter(|labelled| labelled.is_sealed() == is_sealed && labelled.kind == kind).collect();
            let (own, bm25) = measured(&search, &ids, &of);
            println!("{half:<7} {kind:<11} {:<4} {}", of.len(), own.line(kind));
            if kind != "none" {
                println!("{:<24} {}   (BM25)", "", bm25.line(kind));
            }
        }
        let all: Vec<&Labelled> =
            queries.iter().filter(|labelled| labelled.is_sealed() == is_sealed && labelled.kind != "none").collect();
        let (own, bm25) = measured(&search, &ids, &all);
        println!("{half:<7} {:<11} {:<4} {}", "answerable", all.len(), own.line("all"));
        println!("{:<24} {}   (BM25)", "", bm25.line("all"));
    }
    speed(&entries, &queries);
    if let Some(file) = value("--printed") {
        let printed = std::fs::read_to_string(file).expect("what was printed");
        let entries = printed.lines().filter(|line| line.starts_with(' ')).count();
        let tokens = bpe_openai::o200k_base().count(&printed);
        println!(
            "{entries} entries as printed, with their groups: {:.1} tokens of o200k each",
            asked(tokens) / asked(entries)
        );
    }
}

/// The time of a search over as many tools as 5,000.
fn speed(entries: &[Entry], queries: &[Labelled]) {
    let many: Vec<Entry> = (0..5_000)
        .map(|number| {
            let entry = &entries[number % entries.len()];
            Entry { server: format!("{}{}", entry.server, number / entries.len()), ..entry.clone() }
        })
        .collect();
    let begun = Instant::now();
    let search = Search::new(&many);
    println!("5,000 tools: indexed in {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    let mut times: Vec<f64> = queries
        .iter()
        .map(|labelled| {
            let begun = Instant::now();
            std::hint::black_box(search.find(&labelled.query, &|_| 0.0));
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("5,000 tools: p50 {:.2} ms, p99 {:.2} ms a search", times[times.len() / 2], times[times.len() * 99 / 100]);
}

fn entries(text: &str) -> (Vec<String>, Vec<Entry>) {
    let listed: Value = serde_json::from_str(text).expect("JSON of `tools list`");
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let entry = |tool: &Value| Entry {
        server: tool["server"].as_str().unwrap_or_default().to_owned(),
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        summary: tool["summary"].as_str().unwrap_or_default().to_owned(),
        arguments: texts(&tool["arguments"]),
        required: tool["required"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0),
        reads: match tool["effect"].as_str() {
            Some("reads") => Some(true),
            Some("adds" | "writes") => Some(false),
            _ => None,
        },
        examples: Vec::new(),
        learned: Vec::new(),
    };
    let entries: Vec<Entry> = listed["tools"].as_array().expect("tools").iter().map(entry).collect();
    (entries.iter().map(|entry| format!("{}/{}", entry.server, entry.name)).collect(), entries)
}

fn labelled(text: &str) -> Vec<Labelled> {
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect(line);
        let also = value["also"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Labelled {
            query: value["query"].as_str().expect("a query").to_owned(),
            right: value["tool"].as_str().into_iter().chain(also).map(str::to_owned).collect(),
            kind: value["kind"].as_str().expect("a kind").to_owned(),
            weight: value["weight"].as_u64().unwrap_or(1),
        }
    };
    text.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

impl Labelled {
    /// Whether it is in the half that nothing was tuned on: by FNV-1a of the sentence.
    fn is_sealed(&self) -> bool {
        (hash(&self.query) >> 32) & 1 == 1
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

fn measured(search: &Search, ids: &[String], queries: &[&Labelled]) -> (Figures, Figures) {
    let (mut own, mut bm25) = (Figures::default(), Figures::default());
    for labelled in queries {
        let found = search.find(&labelled.query, &|_| 0.0);
        let ranked: Vec<usize> = found.hits.iter().map(|hit| hit.entry).collect();
        own.note(labelled, &ranked, ids, Some((found.verdict, found.elsewhere.is_some())));
        bm25.note(labelled, &search.by_bm25(&labelled.query), ids, None);
    }
    (own, bm25)
}

impl Figures {
    fn note(&mut self, labelled: &Labelled, ranked: &[usize], ids: &[String], verdict: Option<(Verdict, bool)>) {
        self.asked += 1;
        let is_right = |number: &usize| labelled.right.contains(&ids[*number]);
        if let Some(at) = ranked.iter().position(is_right) {
            self.first += usize::from(at == 0);
            self.five += usize::from(at < 5);
            self.reciprocal += 1.0 / f64::from(u32::try_from(at + 1).unwrap_or(u32::MAX));
        }
        let is_first = ranked.first().is_some_and(is_right);
        match verdict {
            Some((Verdict::One, is_asked_about)) => {
                self.asked_about += usize::from(is_asked_about);
                self.one += 1;
                self.one_right += usize::from(is_first);
            }
            Some((Verdict::Nothing, _)) => {
                self.nothing += 1;
                self.nothing_right += usize::from(labelled.right.is_empty());
                self.refused += usize::from(!labelled.right.is_empty());
            }
            _ => {}
        }
    }

    fn line(&self, kind: &str) -> String {
        let share = |part: usize| percent(part, self.asked);
        if kind == "none" {
            return format!("rightly none {}", share(self.nothing_right));
        }
        let mut line = format!(
            "hit@1 {}  hit@5 {}  MRR {:.2}",
            share(self.first),
            share(self.five),
            self.reciprocal / asked(self.asked)
        );
        if self.one + self.nothing > 0 {
            let _ = write!(
                line,
                "  one tool {} of which right {} and asked about {}, refused {}",
                share(self.one),
                percent(self.one_right, self.one),
                percent(self.asked_about, self.one),
                share(self.refused)
            );
        }
        line
    }
}

fn asked(count: usize) -> f64 {
    f64::from(u32::try_from(count.max(1)).unwrap_or(u32::MAX))
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", asked(part + 1).mul_add(100.0, -100.0) / asked(whole))
}

/// Lines of JSON with the features of the tools that a sentence is compared with, for the tuning half: over all tools, and over those of
/// some of the servers, since people have few. A sentence whose tools are not among them is one that no tool answers.
fn dump(ids: &[String], entries: &[Entry], queries: &[Labelled]) -> String {
    let mut text = json!({"features": FEATURES.as_slice()}).to_string() + "\n";
    for part in 0..=PARTS {
        let is_in = |server: &str| match part {
            0 => true,
            1 => ORDINARY.contains(&server),
            _ => hash(&format!("{server} {part}")) % 100 < 45,
        };
        let kept: Vec<(String, Entry)> =
            ids.iter().cloned().zip(entries.iter().cloned()).filter(|(_, entry)| is_in(&entry.server)).collect();
        let (ids, entries): (Vec<String>, Vec<Entry>) = kept.into_iter().unzip();
        text.push_str(&dump_part(&Search::new(&entries), &ids, queries));
    }
    text
}

/// The servers that many people have, and how many other parts of all servers training sees.
const ORDINARY: [&str; 5] = ["everything", "filesystem", "git", "memory", "time"];
const PARTS: usize = 4;

fn dump_part(search: &Search, ids: &[String], queries: &[Labelled]) -> String {
    let mut text = String::new();
    for (number, labelled) in queries.iter().enumerate() {
        let compared = search.compare(&labelled.query, &|_| 0.0);
        let rows: Vec<Value> = compared
            .iter()
            .map(|(tool, features)| json!({"id": ids[*tool], "right": labelled.right.contains(&ids[*tool]), "features": features.to_vec()}))
            .collect();
        let is_answered = labelled.right.iter().any(|right| ids.contains(right));
        let kind = if is_answered { labelled.kind.as_str() } else { "none" };
        // Most sentences are of servers that a part has not.
        let weight = f64::from(u32::try_from(labelled.weight).unwrap_or(1));
        let weight = if !is_answered && labelled.kind != "none" { weight * 0.25 } else { weight };
        let line = json!({"number": number, "query": labelled.query, "kind": kind, "weight": weight, "tools": rows});
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
