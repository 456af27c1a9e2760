//! What a deed is done with: the words of a sentence that no pattern read, given to the parameters that the tool needs and lacks.
//!
//! "Delete entity bob", "checkout main" and "move a.txt to b.txt" announce no value by a word of the parameter. Where a tool lacks
//! what it cannot be called without, and exactly as much is said, that is it. Nothing is given where there is a choice: what lacks
//! is asked for then, and what is said is passed over, which the caller reports.

use std::collections::BTreeMap;

use intentbox_catalog::{ParamKind, ParamSpec, Template};
use intentbox_router::{Token, Why};
use serde_json::Value;

use crate::value_form;

/// Words before a value that say no more than that it comes.
const JOINING: [&str; 17] = [
    "about", "as", "at", "by", "called", "for", "from", "in", "into", "is", "like", "named", "of", "on", "to", "under",
    "with",
];

/// Words before a place.
const PLACING: [&str; 10] = ["at", "called", "from", "in", "inside", "into", "named", "of", "to", "under"];

/// Whether a word in lower case may stand before the first word of a value and says nothing of it.
pub(crate) fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "my" | "our" | "some" | "the" | "this")
}

/// Parts of names of parameters that something goes from, and that it goes to, with the words before each.
const DIRECTIONS: [(&[&str], &[&str]); 2] = [
    (&["source", "from", "old", "src", "origin", "original"], &["from"]),
    (&["target", "destination", "to", "new", "dest", "dst"], &["as", "in", "into", "to"]),
];

/// Words for what is not said.
const INDEFINITE: [&str; 21] = [
    "another",
    "any",
    "anything",
    "different",
    "everything",
    "it",
    "nothing",
    "one",
    "other",
    "others",
    "same",
    "someone",
    "something",
    "somewhere",
    "stuff",
    "that",
    "them",
    "these",
    "thing",
    "things",
    "those",
];

/// Words that say what a value is: "the docs folder", "the main branch".
const NOUNS_OF_PATHS: [&str; 5] = ["dir", "directory", "file", "folder", "path"];

/// The most words of the name of a place.
const PLACE_WORDS_MAX: usize = 3;

/// A sentence and a tool's template.
pub(crate) struct Operands<'a> {
    pub(crate) sentence: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) template: &'a Template,
    /// Whether a word says the tool itself.
    pub(crate) knows: &'a dyn Fn(&str) -> bool,
    /// Whether a word changes what is asked for, and so is no value.
    pub(crate) is_turning: &'a dyn Fn(&str) -> bool,
    /// Whether a parameter is given beside the sentence.
    pub(crate) is_given: &'a dyn Fn(&str) -> bool,
    /// The words that became values by their form.
    pub(crate) taken: &'a [usize],
}

impl Operands<'_> {
    /// Gives the words to the parameters, and says which words those are.
    pub(crate) fn take(&self, values: &mut BTreeMap<String, Value>) -> Vec<usize> {
        let lacks = |spec: &ParamSpec, values: &BTreeMap<String, Value>| {
            spec.is_required()
                && spec.default_from().is_none()
                && !values.contains_key(spec.name())
                && !(self.is_given)(spec.name())
        };
        let mut taken = self.listed_values(values);
        taken.extend(self.zones(&self.runs(&taken), values));
        let runs = self.runs(&taken);
        let (runs, based) = self.bases(runs, values);
        taken.extend(based);
        let open: Vec<&ParamSpec> = self.template.parameters().iter().filter(|spec| lacks(spec, values)).collect();
        let found = match open.as_slice() {
            [] => None,
            all if all.iter().all(|spec| is_number(spec)) => self.numbers(all),
            [one] if matches!(one.kind(), ParamKind::List { .. }) => self.listed(one, &runs),
            [one] if one.is_text() => self.text(one, &runs),
            [one] => self.one(one, &runs),
            [one, two] => self.two(one, two, &runs),
            _ => None,
        };
        if let Some((read, by)) = found {
            values.extend(read);
            taken.extend(by);
        }
        taken
    }

    /// Gives a parameter the word that its description quotes as a value: "local" where that says "local branches ('local')".
    fn listed_values(&self, values: &mut BTreeMap<String, Value>) -> Vec<usize> {
        let mut taken = Vec::new();
        for spec in self.template.parameters().iter().filter(|spec| matches!(spec.kind(), ParamKind::String { .. })) {
            if values.contains_key(spec.name()) || (self.is_given)(spec.name()) {
                continue;
            }
            let is_listed = |at: &usize| {
                let word = &self.tokens[*at];
                let plain = word.text.to_ascii_lowercase();
                let quoted = ['\'', '"'].map(|mark| format!("{mark}{plain}{mark}"));
                !word.is_read
                    && !self.names(&plain)
                    && quoted.iter().any(|quoted| spec.description().contains(quoted.as_str()))
            };
            let mut found = (0..self.tokens.len()).filter(is_listed);
            if let (Some(at), None) = (found.next(), found.next()) {
                values.insert(spec.name().to_owned(), Value::from(self.tokens[at].text.to_ascii_lowercase()));
                taken.push(at);
            }
        }
        taken
    }

    /// Gives places to the two parameters for the time zones that something goes from and to: by the word before each, or two in their
    /// order.
    fn zones(&self, runs: &[Run], values: &mut BTreeMap<String, Value>) -> Vec<usize> {
        let specs = DIRECTIONS.map(|(names, _)| {
            let is_it = |spec: &&ParamSpec| {
                let mut parts = spec.name().split('_');
                is_zone(spec) && parts.any(|part| names.contains(&part))
            };
            let mut found = self.template.parameters().iter().filter(is_it);
            found.next().filter(|_| found.next().is_none())
        });
        let [Some(from), Some(to)] = specs else { return Vec::new() };
        let places: Vec<(Run, Value)> = runs.iter().filter_map(|run| Some((*run, self.value(from, *run)?))).collect();
        let leads = |run: &Run, way: usize| {
            self.before(run.0).is_some_and(|(_, word)| DIRECTIONS[way].1.contains(&word.as_str()))
        };
        let given: Vec<(&ParamSpec, &(Run, Value))> = match places.as_slice() {
            [one] if leads(&one.0, 0) => vec![(from, one)],
            [one] if leads(&one.0, 1) => vec![(to, one)],
            [one, two] if leads(&two.0, 0) => vec![(to, one), (from, two)],
            [one, two] => vec![(from, one), (to, two)],
            _ => Vec::new(),
        };
        if given.iter().any(|(spec, _)| values.contains_key(spec.name()) || (self.is_given)(spec.name())) {
            return Vec::new();
        }
        let mut taken = Vec::new();
        for (spec, (run, value)) in given {
            values.insert(spec.name().to_owned(), value.clone());
            taken.extend(run.0..run.1);
        }
        taken
    }

    /// Whether a word is one of the tool's name or of its parameters' names: a description may quote those.
    fn names(&self, plain: &str) -> bool {
        let names = self.template.parameters().iter().map(ParamSpec::name).chain([self.template.id().name()]);
        names.flat_map(|name| name.split('_')).any(|part| part == plain)
    }

    /// Gives what is behind "from" or "off" to the one parameter that something starts from, if the tool has it: the base of a branch is
    /// no name for it. Returns the other runs, and the words that were given.
    fn bases(&self, runs: Vec<Run>, values: &mut BTreeMap<String, Value>) -> (Vec<Run>, Vec<usize>) {
        let is_open = |spec: &&ParamSpec| {
            !spec.is_required()
                && matches!(spec.kind(), ParamKind::String { .. })
                && !values.contains_key(spec.name())
                && !(self.is_given)(spec.name())
                && spec.name().split('_').any(|part| part == "base" || DIRECTIONS[0].0.contains(&part))
        };
        let mut open = self.template.parameters().iter().filter(is_open);
        let (Some(spec), None) = (open.next(), open.next()) else { return (runs, Vec::new()) };
        let is_behind =
            |run: &Run| self.before(run.0).is_some_and(|(_, word)| matches!(word.as_str(), "from" | "off" | "on"));
        let (mut behind, others): (Vec<Run>, Vec<Run>) = runs.iter().partition(|run| is_behind(run));
        match (behind.pop(), behind.pop()) {
            (Some(run), None) => match self.value(spec, run) {
                Some(value) => {
                    values.insert(spec.name().to_owned(), value);
                    (others, (run.0..run.1).collect())
                }
                None => (runs, Vec::new()),
            },
            _ => (runs, Vec::new()),
        }
    }

    /// Whether a word may be a value that nothing announces.
    fn may_be_a_value(&self, at: usize, given: &[usize]) -> bool {
        let token = &self.tokens[at];
        let plain = token.text.to_ascii_lowercase();
        let is_doubted = token.doubt.is_some_and(|why| !matches!(why, Why::Deed | Why::Negates));
        let is_free = is_doubted
            && !token.is_read
            && !token.is_of_a_time
            && !self.taken.contains(&at)
            && !given.contains(&at)
            && !INDEFINITE.contains(&plain.as_str())
            && !(self.is_turning)(&plain);
        is_free && (token.is_quoted || speaks(&token.text) || !(self.knows)(&token.text))
    }

    /// The runs of words that may be values, each with the number of its first word and that behind its last.
    fn runs(&self, taken: &[usize]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for at in (0..self.tokens.len()).filter(|at| self.may_be_a_value(*at, taken)) {
            match runs.last_mut() {
                Some((_, end)) if *end == at => *end = at + 1,
                _ => runs.push((at, at + 1)),
            }
        }
        runs
    }

    /// The word before a place in the sentence, without articles, in lower case.
    fn before(&self, at: usize) -> Option<(usize, String)> {
        let words = self.tokens[..at].iter().enumerate().rev();
        let mut words = words.map(|(at, token)| (at, token.text.to_ascii_lowercase()));
        words.find(|(_, word)| !is_article(word))
    }

    /// Whether words are where a value is said: behind a word of the tool, its verb, or a word that leads to a value; and not
    /// before a word of the tool, which they would describe ("the old entity").
    fn is_behind(&self, spec: &ParamSpec, (start, end): Run) -> bool {
        let token = &self.tokens[start];
        let speaks_for_itself = token.is_quoted || speaks(&token.text);
        let Some((at, word)) = self.before(start) else { return speaks_for_itself };
        let leads = at == 0 || JOINING.contains(&word.as_str()) || (self.knows)(&word);
        let describes = self.tokens.get(end).is_some_and(|next| {
            let plain = next.text.to_ascii_lowercase();
            let is_of_its_name = spec.name().split('_').any(|part| part == plain)
                || value_form::is_path(spec) && NOUNS_OF_PATHS.contains(&plain.as_str());
            !is_of_its_name
                && next.doubt.is_none()
                && !next.is_filler
                && !next.is_read
                && !JOINING.contains(&plain.as_str())
        });
        speaks_for_itself || leads && !describes
    }

    /// Whether a word is a number of things, and so names none of them: the 3 of "the last 3 commits" and of "3 commits".
    fn is_amount(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let is_many = |next: &Token| next.text.ends_with('s') && (self.knows)(&next.text);
        !token.is_quoted
            && token.text.bytes().all(|byte| byte.is_ascii_digit())
            && (self.before(at).is_some_and(|(_, word)| (self.is_turning)(&word))
                || self.tokens.get(at + 1).is_some_and(is_many))
    }

    /// A value of a parameter, if what is said can be one.
    fn value(&self, spec: &ParamSpec, run: Run) -> Option<Value> {
        if matches!(spec.kind(), ParamKind::String { .. }) && (run.0..run.1).any(|at| self.is_amount(at)) {
            return None;
        }
        let tokens = &self.tokens[run.0..run.1];
        let said: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        let text = match said.as_slice() {
            words if is_zone(spec) && words.len() <= PLACE_WORDS_MAX => value_form::zone(&words.join("_"))?,
            [one] => (*one).to_owned(),
            _ => return None,
        };
        // The verb, as in "ls src", or a word that leads to a place.
        let leads = || {
            self.before(run.0).is_some_and(|(at, word)| {
                at == 0 || PLACING.contains(&word.as_str()) || NOUNS_OF_PATHS.contains(&word.as_str())
            })
        };
        if value_form::is_path(spec) && !tokens[0].is_quoted && !speaks(&text) && !leads() {
            return None;
        }
        if !tokens[0].is_quoted && value_form::is_of_another(&text, spec) {
            return None;
        }
        spec.read(&text).ok()
    }

    fn one(&self, spec: &ParamSpec, runs: &[Run]) -> Option<Taken> {
        let [run] = *runs else { return None };
        let value = self.value(spec, run).filter(|_| self.is_behind(spec, run))?;
        Some((vec![(spec.name().to_owned(), value)], (run.0..run.1).collect()))
    }

    /// Two values: by the word before each, or in their order.
    fn two(&self, one: &ParamSpec, two: &ParamSpec, runs: &[Run]) -> Option<Taken> {
        let way = |spec: &ParamSpec| {
            DIRECTIONS.iter().position(|(names, _)| spec.name().split('_').any(|part| names.contains(&part)))
        };
        let (from, to) = match (way(one), way(two)) {
            (Some(0), Some(1)) => (one, two),
            (Some(1), Some(0)) => (two, one),
            _ => return None,
        };
        let leads =
            |at: usize, way: usize| self.before(at).is_some_and(|(_, word)| DIRECTIONS[way].1.contains(&word.as_str()));
        // "Move a.txt": the rest is asked for.
        if let [run] = *runs {
            let spec = if leads(run.0, 1) { to } else { from };
            let value = self.value(spec, run).filter(|_| self.is_behind(spec, run))?;
            return Some((vec![(spec.name().to_owned(), value)], (run.0..run.1).collect()));
        }
        let [first, second] = *runs else { return None };
        let (first, second) = match (leads(first.0, 1), leads(second.0, 0)) {
            (true, true) => (second, first),
            _ => (first, second),
        };
        let values =
            [(from, first), (to, second)].map(|(spec, run)| Some((spec.name().to_owned(), self.value(spec, run)?)));
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        Some((values, (first.0..first.1).chain(second.0..second.1).collect()))
    }

    /// The numbers that are needed, in their order; the rest is asked for.
    fn numbers(&self, specs: &[&ParamSpec]) -> Option<Taken> {
        let is_number = |at: &usize| {
            let token = &self.tokens[*at];
            token.doubt.is_some() && !token.is_read && !token.is_of_a_time && token.text.parse::<f64>().is_ok()
        };
        let said: Vec<usize> = (0..self.tokens.len()).filter(is_number).collect();
        if said.len() > specs.len() || self.tokens.iter().any(|token| token.is_quoted) {
            return None;
        }
        let values = specs
            .iter()
            .zip(&said)
            .map(|(spec, at)| Some((spec.name().to_owned(), spec.read(&self.tokens[*at].text).ok()?)));
        Some((values.collect::<Option<Vec<_>>>()?, said))
    }

    /// "bob", "bob and alice", "bob, alice".
    fn listed(&self, spec: &ParamSpec, runs: &[Run]) -> Option<Taken> {
        let (start, end) = (runs.first()?.0, runs.last()?.1);
        let joins = |pair: &[Run]| {
            self.tokens[pair[0].1..pair[1].0].iter().all(|token| matches!(token.text.as_str(), "and" | "&"))
        };
        if !runs.windows(2).all(joins) || !self.is_behind(spec, (start, end)) {
            return None;
        }
        let numbers: Vec<usize> = runs.iter().flat_map(|run| run.0..run.1).collect();
        let mut items: Vec<String> = Vec::new();
        for (number, at) in numbers.iter().enumerate() {
            let token = &self.tokens[*at];
            let last = number.checked_sub(1).map(|number| &self.tokens[numbers[number]]);
            let is_apart = last.is_none_or(|last| {
                numbers[number - 1] + 1 < *at
                    || self.sentence.get(last.at.end..token.at.start).is_some_and(|between| between.contains(','))
            });
            let is_capital = |token: &Token| token.text.starts_with(char::is_uppercase);
            match items.last_mut() {
                // "Bob Lee" is one name. Two words in a row that are none may be one or two.
                Some(name) if !is_apart && last.is_some_and(is_capital) && is_capital(token) => {
                    name.push(' ');
                    name.push_str(&token.text);
                }
                Some(_) if !is_apart => return None,
                _ => items.push(token.text.clone()),
            }
        }
        if value_form::are_numbers_for_files(self.sentence, &items, spec) {
            return None;
        }
        let items = items.iter().map(|item| spec.read_item(item).ok()).collect::<Option<Vec<_>>>()?;
        Some((vec![(spec.name().to_owned(), Value::Array(items))], numbers))
    }

    /// The place of a greeting that is a text where one is needed: "echo hello".
    fn greeting(&self) -> Option<usize> {
        let says = |token: &Token| {
            let plain = token.text.to_ascii_lowercase();
            !(self.knows)(&token.text) && !is_article(&plain) && !INDEFINITE.contains(&plain.as_str())
        };
        let [verb, first, ..] = self.tokens else { return None };
        ((self.knows)(&verb.text) && first.is_filler && says(first)).then_some(1)
    }

    /// A text as it is written, from its first word to the end, or to where another value begins.
    fn text(&self, spec: &ParamSpec, runs: &[Run]) -> Option<Taken> {
        let start = match runs.first() {
            Some(run) => run.0,
            None => self.greeting()?,
        };
        let is_other =
            |at: &usize| self.tokens[*at].is_read || self.tokens[*at].is_of_a_time || self.taken.contains(at);
        let end = (start..self.tokens.len()).find(is_other).unwrap_or(self.tokens.len());
        // "In" of "write something in notes.txt" leads to what is read.
        let joins = |at: usize| JOINING.contains(&self.tokens[at].text.to_ascii_lowercase().as_str());
        let end = (start..end).rev().find(|at| !joins(*at)).map_or(start, |at| at + 1);
        let is_said = (start..end).any(|at| !INDEFINITE.contains(&self.tokens[at].text.to_ascii_lowercase().as_str()));
        if !is_said {
            return None;
        }
        let is_whole = runs.iter().all(|run| run.1 <= end);
        if !is_whole || end == start || !self.is_behind(spec, (start, end)) {
            return None;
        }
        let written = self.tokens[start].at.start..self.tokens[end - 1].at.end;
        let text = self.sentence.get(written)?;
        Some((vec![(spec.name().to_owned(), spec.read(text).ok()?)], (start..end).collect()))
    }
}

/// The number of a first word, and that behind the last one.
type Run = (usize, usize);

/// Values by their parameters, and the words that they were read from.
type Taken = (Vec<(String, Value)>, Vec<usize>);

fn is_zone(spec: &ParamSpec) -> bool {
    matches!(spec.name().rsplit('_').next(), Some("timezone" | "tz"))
}

fn is_number(spec: &ParamSpec) -> bool {
    matches!(spec.kind(), ParamKind::Integer { .. } | ParamKind::Number { .. })
}

/// Whether a word looks like a value wherever it is said.
fn speaks(text: &str) -> bool {
    text.chars().any(|letter| letter.is_ascii_digit() || "/._@#:\\~".contains(letter))
}

#[cfg(test)]
mod tests {
    use intentbox_catalog::Effects;
    use intentbox_router::{Card, CardId, Names, Question, Router};
    use intentbox_search::{Entry, Search};
    use intentbox_tools::admit;
    use serde_json::json;

    use super::*;
    use crate::{tool_reading, tool_template};

    /// What a sentence says for a tool with these required and optional arguments, and what it would pass over.
    fn said(name: &str, properties: &Value, optional: &[&str], text: &str) -> (Value, Vec<String>) {
        let required: Vec<&String> = properties
            .as_object()
            .into_iter()
            .flat_map(|all| all.keys())
            .filter(|name| !optional.contains(&name.as_str()))
            .collect();
        let definition = json!({"name": name, "inputSchema": {"required": required, "properties": properties}});
        let row = admit(&definition.to_string()).expect("a definition").row;
        let server = "shop".parse().expect("a server");
        let made = tool_template::template_of(&server, &row, &definition).expect("a template");
        let (id, catalog) = (made.id, made.catalog);
        let template = catalog.get(id.as_str()).expect("it is there");
        assert_eq!(template.effects(), Effects::Write, "every word counts");
        let router = Router::new(catalog.templates().map(Card::of));
        let now = "2026-11-24T12:00:00Z".parse().expect("a time");
        let question = Question { text, names: &Names::default(), now };
        let witness = router.witness(&question, &CardId::new(id.as_str())).expect("its card");
        let search = Search::new(&[Entry {
            server: "shop".to_owned(),
            name: name.to_owned(),
            summary: String::new(),
            arguments: row.arguments.clone(),
            required: 0,
            reads: None,
            examples: Vec::new(),
            learned: Vec::new(),
        }]);
        let knows = |word: &str| search.knows(0, word);
        let reading = tool_reading::of(template, text, witness, &knows, &BTreeMap::new());
        (json!(reading.values), reading.passed_over)
    }

    fn texts(names: &[&str]) -> Value {
        let properties = names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
        Value::Object(properties.collect())
    }

    #[test]
    fn what_a_tool_lacks_is_what_is_said_besides() {
        for (name, properties, text, values) in [
            ("checkout", texts(&["branch_name"]), "checkout main", json!({"branch_name": "main"})),
            ("checkout", texts(&["branch_name"]), "checkout the main branch", json!({"branch_name": "main"})),
            ("checkout", texts(&["branch_name"]), "checkout feature/a", json!({"branch_name": "feature/a"})),
            ("diff_commits", texts(&["target"]), "diff commits 3", json!({"target": "3"})),
            ("echo", texts(&["message"]), "echo hello there", json!({"message": "hello there"})),
            ("list_directory", texts(&["path"]), "list directory docs", json!({"path": "docs"})),
            (
                "write_file",
                texts(&["path", "content"]),
                "write hello to docs/a.txt",
                json!({"path": "docs/a.txt", "content": "hello"}),
            ),
            (
                "write_file",
                texts(&["path", "content"]),
                "write the text hello world to the file docs/a.txt",
                json!({"path": "docs/a.txt", "content": "hello world"}),
            ),
            (
                "move_file",
                texts(&["source", "destination"]),
                "move a.txt to docs/b.txt",
                json!({"source": "a.txt", "destination": "docs/b.txt"}),
            ),
            ("move_file", texts(&["source", "destination"]), "move file to b.txt", json!({"destination": "b.txt"})),
            ("move_file", texts(&["source", "destination"]), "move a.txt", json!({"source": "a.txt"})),
            ("set_time", texts(&["timezone"]), "set time of new york", json!({"timezone": "America/New_York"})),
            (
                "convert_time",
                texts(&["source_timezone", "time", "target_timezone"]),
                "convert 9am to Sydney time",
                json!({"time": "09:00", "target_timezone": "Australia/Sydney"}),
            ),
            (
                "convert_time",
                texts(&["source_timezone", "time", "target_timezone"]),
                "convert noon in Paris in New York time",
                json!({"time": "12:00", "source_timezone": "Europe/Paris", "target_timezone": "America/New_York"}),
            ),
            (
                "convert_time",
                texts(&["source_timezone", "time", "target_timezone"]),
                "convert to Tokyo time from Paris 5pm",
                json!({"time": "17:00", "source_timezone": "Europe/Paris", "target_timezone": "Asia/Tokyo"}),
            ),
        ] {
            assert_eq!(said(name, &properties, &[], text), (values, Vec::new()), "{text}");
        }
    }

    #[test]
    fn numbers_and_lists_are_given_in_their_order() {
        let sum = json!({"a": {"type": "number"}, "b": {"type": "number"}});
        assert_eq!(said("sum", &sum, &[], "sum of 3.5 and -2").0, json!({"a": 3.5, "b": -2}));
        assert_eq!(said("sum", &sum, &[], "sum of 3").0, json!({"a": 3}), "the rest is asked for");
        assert_eq!(said("sum", &sum, &[], "sum of 3 and 4 and 5").1, ["3", "4", "5"]);
        let names = json!({"entityNames": {"type": "array", "items": {"type": "string"}}});
        for (text, items) in [
            ("delete entity bob", json!(["bob"])),
            ("delete entities bob and alice", json!(["bob", "alice"])),
            ("delete entities bob, alice and eve", json!(["bob", "alice", "eve"])),
            ("delete entity Bob Lee", json!(["Bob Lee"])),
            ("delete entity Bob Lee and Eve", json!(["Bob Lee", "Eve"])),
        ] {
            assert_eq!(
                said("delete_entities", &names, &[], text),
                (json!({"entity_names": items}), Vec::new()),
                "{text}"
            );
        }
        assert_eq!(
            said("delete_entities", &names, &[], "delete entities bob alice").1,
            ["bob", "alice"],
            "one or two?"
        );
    }

    #[test]
    fn what_something_starts_from_is_no_name_for_it() {
        let branch = texts(&["branch_name", "base_branch"]);
        let read = |text: &str| said("create_branch", &branch, &["base_branch"], text);
        assert_eq!(
            read("create branch a1 from main"),
            (json!({"branch_name": "a1", "base_branch": "main"}), Vec::new())
        );
        assert_eq!(read("create branch from main"), (json!({"base_branch": "main"}), Vec::new()));
    }

    #[test]
    fn a_value_that_a_description_lists_is_one_wherever_it_is_said() {
        let kind =
            json!({"branch_type": {"type": "string", "description": "Whether to list 'local' or 'remote' branches"}});
        for text in ["list local branches", "list branches, local"] {
            assert_eq!(
                said("list_branches", &kind, &[], text),
                (json!({"branch_type": "local"}), Vec::new()),
                "{text}"
            );
        }
        assert_eq!(said("list_branches", &kind, &[], "list local and remote branches").0, json!({}), "which?");
        let path = json!({"file_path": {"type": "string", "description": "Which 'file' to show"}});
        assert_eq!(said("show", &path, &[], "show the file").0, json!({}), "the name of a parameter is no value");
    }

    #[test]
    fn nothing_is_given_where_there_is_a_choice() {
        for (name, properties, text) in [
            ("checkout", texts(&["branch_name"]), "checkout another branch"),
            ("checkout", texts(&["branch_name"]), "checkout config/settings.yaml"),
            ("delete_entity", texts(&["name"]), "delete the obsolete entity"),
            ("move_file", texts(&["from", "by"]), "move a.txt to b.txt"),
            ("set_time", texts(&["timezone"]), "set time of atlantis"),
            ("read_config", texts(&["path"]), "read the frobnicated config"),
            ("diff_commits", texts(&["target"]), "diff of the last 3 commits"),
            ("diff_commits", texts(&["target"]), "diff in 3 commits"),
        ] {
            assert_eq!(said(name, &properties, &[], text).0, json!({}), "{text}");
        }
    }
}
