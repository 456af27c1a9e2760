//! The world of the sentences: the names that the program would know there, and the time.
//!
//! It lies in `world.json`, `cells.json` and `log_texts.json` of a folder, `tests/sentences` unless `--world FOLDER` says another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use intentbox_catalog::Catalog;
use intentbox_catalog::instant::Instant;
use intentbox_catalog::param::{ParamSpec, ValuesFrom};
use intentbox_router::{CardId, Name, NameList, Names, Question, Router, Source};
use serde::Deserialize;

use crate::root;

/// What dates are grouped by.
const CALENDAR: [&str; 6] = ["day", "weekday", "week", "month", "quarter", "year"];

/// How many words of a sentence are looked for together in the texts of logs.
const TOGETHER_MAX: usize = 6;

/// What there is, and when every sentence is said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct World {
    pub(crate) now: String,
    projects: Vec<String>,
    environments: Vec<String>,
    logs: Vec<String>,
    tables: Vec<Table>,
    /// The texts in the cells of the tables: of each file, by column.
    #[serde(skip)]
    cells: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// The words of each text of a log, and those of its parts.
    #[serde(skip)]
    texts: BTreeSet<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    file: String,
    /// Each column with what it is for.
    #[serde(default)]
    columns: Vec<(String, String)>,
    /// The rows that the template `columns` gives, where they were kept whole.
    #[serde(default)]
    rows: Vec<BTreeMap<String, String>>,
}

/// The world that this run is about.
pub(crate) static WORLD: LazyLock<World> = LazyLock::new(|| {
    let chosen = std::env::args().skip_while(|argument| argument != "--world").nth(1);
    let folder = chosen.map_or_else(|| root().join("tests/sentences"), PathBuf::from);
    let read = |name: &str| read_to_string(folder.join(name)).expect("the world is whole");
    let mut world: World = serde_json::from_str(&read("world.json")).expect("it is a world");
    world.cells = serde_json::from_str(&read("cells.json")).expect("they are texts by column");
    let texts: Vec<String> = serde_json::from_str(&read("log_texts.json")).expect("they are texts");
    let parts = |words: &[String]| spans(words.len()).map(|part| words[part].to_vec()).collect::<Vec<_>>();
    world.texts = texts.iter().flat_map(|text| parts(&words(text))).collect();
    world
});

impl World {
    pub(crate) fn now(&self) -> Instant {
        self.now.parse().expect("it is a time")
    }

    /// Whether a table has a single column of dates.
    pub(crate) fn has_one_date(&self, file: &str) -> bool {
        let table = self.tables.iter().find(|table| table.file == file);
        table.is_some_and(|table| table.columns.iter().filter(|(_, role)| role == "date").count() == 1)
    }

    /// What the engine knows: the columns of a file are known once the file is.
    pub(crate) fn known(&self, router: &Router, catalog: &Catalog, text: &str) -> Names {
        let known = self.names(catalog, None, text);
        let question = Question { text, names: &known, now: self.now() };
        let file = ["data/summarize", "data/find_rows"]
            .iter()
            .find_map(|id| router.read(&question, &CardId::new(*id))?.get("file")?.as_str().map(str::to_owned));
        file.map_or(known, |file| self.names(catalog, Some(&file), text))
    }

    /// What is known for a sentence about this data file, or about none.
    fn names(&self, catalog: &Catalog, file: Option<&str>, sentence: &str) -> Names {
        let mut names = Names::default();
        let confirming = catalog.templates().flat_map(|template| {
            let of = template.parameters().iter().filter_map(ParamSpec::confirmed_by);
            of.map(|values| Source { pack: template.pack().id().to_owned(), values: values.clone() })
        });
        for source in confirming {
            names.insert(source, Arc::new(NameList::of_names(self.log_texts(sentence))));
        }
        let sources = catalog.templates().flat_map(|template| {
            let pack = template.pack().id().to_owned();
            let of = template.parameters().iter().filter_map(ParamSpec::values_from);
            of.map(move |values| (pack.clone(), values.clone()))
        });
        let table = self.tables.iter().find(|table| Some(table.file.as_str()) == file);
        for (pack, values) in sources {
            let list = match (pack.as_str(), &values) {
                ("logs", ValuesFrom::Files) => NameList::of_files(self.logs.iter().cloned()),
                ("data", ValuesFrom::Files) => NameList::of_files(self.tables.iter().map(|table| table.file.clone())),
                ("sentry", ValuesFrom::Template { name, .. }) if name == "list_projects" => {
                    NameList::of_words(self.projects.clone())
                }
                ("sentry", ValuesFrom::Template { name, .. }) if name == "list_environments" => {
                    NameList::of_words(self.environments.clone())
                }
                ("data", ValuesFrom::Template { field, .. }) => match table {
                    Some(table) if !table.rows.is_empty() => NameList::of_names(table.kept(field)),
                    Some(table) if field == "value" => NameList::of_names(self.cells(&table.file)),
                    Some(table) => NameList::of_names(table.names()),
                    None => continue,
                },
                other => panic!("no names are known for {other:?}"),
            };
            names.insert(Source { pack, values }, Arc::new(list));
        }
        names
    }

    /// The texts in the cells of a table, with their columns: those of the sentences among others.
    fn cells(&self, file: &str) -> Vec<Name> {
        let columns = self.cells.get(file).into_iter().flatten();
        let names = columns.flat_map(|(column, texts)| {
            let as_they_are = texts.iter().map(move |text| named(text, "of", column));
            as_they_are.chain(yes_or_no(column, texts))
        });
        names.collect()
    }

    /// What the template `mentions` says of a sentence: its words, and words together, that some text of a log has.
    fn log_texts(&self, sentence: &str) -> Vec<Name> {
        let said = words(sentence);
        let mut found = Vec::new();
        for part in spans(said.len()) {
            let (text, is_one) = (said[part.clone()].join(" "), part.len() == 1);
            if is_one && text.len() < 3 {
                continue;
            }
            let one = text.strip_suffix('s').filter(|one| is_one && self.texts.contains(&vec![(*one).to_owned()]));
            if let Some(one) = one {
                found.push(named(one, "said", &text));
            } else if self.texts.contains(&said[part]) {
                found.push(Name { text, fields: BTreeMap::new() });
            }
        }
        found
    }
}

impl Table {
    /// Its columns, and what its dates are grouped by.
    fn names(&self) -> Vec<Name> {
        let has_dates = self.columns.iter().any(|(_, role)| role == "date");
        let has = |name: &str| self.columns.iter().any(|(column, _)| column == name);
        let calendar = CALENDAR.iter().filter(|cut| has_dates && !has(cut)).map(|cut| named(cut, "role", "calendar"));
        self.columns.iter().map(|(column, role)| named(column, "role", role)).chain(calendar).collect()
    }

    /// The kept rows that have this field, as the program reads them.
    fn kept(&self, field: &str) -> Vec<Name> {
        let has = |row: &&BTreeMap<String, String>| row.contains_key(field);
        let name = |row: &BTreeMap<String, String>| {
            let mut fields = row.clone();
            Name { text: fields.remove(field).unwrap_or_default(), fields }
        };
        self.rows.iter().filter(has).map(name).collect()
    }
}

/// What the template `columns` says of a column whose answers are yes and no.
fn yes_or_no(column: &str, texts: &[String]) -> Vec<Name> {
    if texts != ["no", "yes"] {
        return Vec::new();
    }
    let said = column.trim_end_matches('?').to_lowercase();
    let all = [
        (said.clone(), "yes"),
        (format!("un{said}"), "no"),
        (format!("non-{said}"), "no"),
        (format!("not {said}"), "no"),
        (format!("without {said}"), "no"),
    ];
    let name = |(said, text): (String, &str)| {
        let mut name = named(text, "of", column);
        name.fields.insert("said".to_owned(), said);
        name
    };
    all.into_iter().map(name).collect()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| letter.is_whitespace() || ",;!?\"'()<>".contains(letter));
    let words = words.map(|word| word.trim_end_matches(['.', ':']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn spans(words: usize) -> impl Iterator<Item = Range<usize>> {
    (0..words).flat_map(move |start| (1..=TOGETHER_MAX.min(words - start)).map(move |width| start..start + width))
}

fn named(text: &str, field: &str, value: &str) -> Name {
    Name { text: text.to_owned(), fields: BTreeMap::from([(field.to_owned(), value.to_owned())]) }
}
