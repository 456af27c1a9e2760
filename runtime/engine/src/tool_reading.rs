//! What an intent's words say for one tool: the values, and the words that the call would pass over.
//!
//! A tool is found by some of the words. What the others say may be the very thing that is asked: "commits by Bob" is another
//! question than "commits", and "do not create a branch" is none that creating one answers. So a word that nothing of the tool
//! takes makes the reading no answer if it looks like a value or narrows what is asked for. What changes something is asked for
//! in so many words: there, every word counts, and a question asks for no change.

use std::collections::BTreeMap;

use intentbox_catalog::{Effects, ParamKind, ParamSpec, Template};
use intentbox_router::{PassedOver, SaidTime, Token, Why, Witness};
use serde_json::Value;

use crate::intent::Given;
use crate::operands::{Operands, is_article};
use crate::{tool_template, value_form};

/// What words say for a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ToolReading {
    /// The values of its parameters.
    pub(crate) values: BTreeMap<String, Value>,
    /// What the call would pass over, as written, once each.
    pub(crate) passed_over: Vec<String>,
    /// Whether the tool changes something, and the sentence is a question.
    pub(crate) asks_only: bool,
}

impl ToolReading {
    /// Whether the call does what the words say, as far as anybody knows.
    pub(crate) fn is_whole(&self) -> bool {
        self.passed_over.is_empty() && !self.asks_only
    }
}

/// What a witness of a sentence makes of a tool's template. `knows` holds for words that say the tool itself, and `given` are the values
/// that came beside the sentence.
pub(crate) fn of(
    template: &Template,
    sentence: &str,
    witness: Witness,
    knows: &dyn Fn(&str) -> bool,
    given: &BTreeMap<String, Given>,
) -> ToolReading {
    let Witness { mut values, passed_over, times, words, tokens, is_question } = witness;
    let is_given = |text: &str| given.values().any(|given| given.holds(text));
    let changes = template.effects() == Effects::Write;
    for path in template.parameters().iter().filter(|spec| value_form::is_path(spec)) {
        if values.get(path.name()).and_then(Value::as_str).is_some_and(|text| CONNECTING.contains(&text)) {
            values.remove(path.name());
        }
    }
    value_form::mend(template, &mut values);
    no_text(&tokens, template, knows, &mut values);
    let mut told: Vec<String> = Vec::new();
    for time in &times {
        let is_taken = value_form::take(&time.words, template, &mut values)
            || take(time, times.len() == 1, template, &mut values)
            || is_given(&time.words);
        if !is_taken {
            told.push(time.words.clone());
        }
    }
    // The 2 of "the last 2 days" is no number of things.
    let is_of_a_time = |pair: &[String]| times.iter().any(|time| time.words.to_lowercase().contains(&pair.join(" ")));
    let counted = from_an_end(&words, template, &is_of_a_time, &mut values);
    // A number that is said twice says something besides.
    let is_counted = |word: &PassedOver| {
        let is_it = matches!(&counted, Some(Counted::Taken(number)) if *number == word.text);
        is_it && word.why == Why::Number && words.iter().filter(|said| **said == word.text).count() == 1
    };
    let counts = |word: &&PassedOver| {
        let is_told = match word.why {
            Why::Negates | Why::Quoted | Why::Number | Why::Name | Why::Absent => true,
            // One letter is no word of a tool: "by T" names somebody.
            _ if word.text.chars().count() == 1 => true,
            _ if knows(&word.text) || !changes && ALL_OF_IT.contains(&word.text.to_ascii_lowercase().as_str()) => false,
            Why::Deed | Why::Narrows | Why::Predicate | Why::Elsewhere => true,
            // Harmless is what other questions were seen to have beside them, and not what changes were.
            Why::Announces | Why::Unknown | Why::Harmless => changes || word.stands_out || is_led_to(&tokens, word.at),
        };
        is_told && !word.is_of_a_time && !is_given(&word.text) && !is_counted(word)
    };
    let (mut formed, mut others): (Vec<usize>, Vec<&PassedOver>) = (Vec::new(), Vec::new());
    for word in passed_over.iter().filter(counts) {
        if value_form::take(&word.text, template, &mut values) {
            formed.push(word.at);
        } else {
            others.push(word);
        }
    }
    let operands = Operands {
        sentence,
        tokens: &tokens,
        template,
        knows,
        is_turning: &|word| TURNING.contains(&word) || ENDS_OF_A_LIST.iter().any(|(said, _)| said.contains(&word)),
        is_given: &|name| {
            given.keys().any(|given| given == name || tool_template::plain_name(given, "argument") == name)
        },
        taken: &formed,
    };
    let taken = operands.take(&mut values);
    for word in others.into_iter().filter(|word| !taken.contains(&word.at)) {
        if !told.contains(&word.text) {
            told.push(word.text.clone());
        }
    }
    let no_times = no_times(template, &mut values);
    let other_end = match counted {
        Some(Counted::PassedOver(told)) => Some(told),
        _ => None,
    };
    let turning = turning(&words, template, knows, &values).into_iter().chain(counting(&words, template));
    for word in no_times.into_iter().chain(other_end).chain(forbidding(&words)).chain(turning) {
        if !told.contains(&word) && !is_given(&word) {
            told.push(word);
        }
    }
    ask_for_one(&words, template, knows, &mut values);
    let here = value_form::take_here(sentence, template, &mut values);
    told.retain(|word| !here.contains(&word.to_lowercase().as_str()));
    ToolReading { values, passed_over: told, asks_only: changes && is_question }
}

/// Words that ask for no less than there is.
const ALL_OF_IT: [&str; 6] = ["complete", "current", "entire", "full", "total", "whole"];

/// Words that lead to what is asked about: what is behind them is no word beside the request.
const LEADING: [&str; 13] = [
    "about",
    "by",
    "called",
    "containing",
    "except",
    "for",
    "from",
    "matching",
    "mentioning",
    "named",
    "of",
    "with",
    "without",
];

/// Whether a word is led to by one of [`LEADING`], perhaps with an article between.
fn is_led_to(tokens: &[Token], at: usize) -> bool {
    let mut before = tokens.get(..at).unwrap_or_default().iter().rev().map(|token| token.text.to_ascii_lowercase());
    let word = before.find(|word| !is_article(word));
    word.is_some_and(|word| LEADING.contains(&word.as_str()))
}

/// Words that lead from what is asked for to what it has: the `matching` of "files matching *.txt" is no path.
const CONNECTING: [&str; 16] = [
    "and",
    "called",
    "containing",
    "ending",
    "from",
    "in",
    "like",
    "matching",
    "named",
    "of",
    "starting",
    "that",
    "under",
    "where",
    "which",
    "with",
];

/// Takes a time: its bounds as the parameters for them, if the tool has those. Otherwise it is taken if some parameter was read
/// out of its words.
fn take(time: &SaidTime, is_only: bool, template: &Template, values: &mut BTreeMap<String, Value>) -> bool {
    let bounds = [(bound(template, &STARTS), time.since), (bound(template, &ENDS), time.until)];
    let has_any = bounds.iter().any(|(spec, _)| spec.is_some());
    if !has_any {
        return covers(time, values);
    }
    let fits = bounds.iter().all(|(spec, at)| spec.is_some() || at.is_none());
    if !fits || !is_only {
        return false;
    }
    // The 2 of "the last 2 days" is no number of things.
    for parameter in &time.read_by {
        values.remove(parameter);
    }
    for (spec, at) in bounds {
        if let (Some(spec), Some(at)) = (spec, at) {
            values.insert(spec.name().to_owned(), Value::from(at.to_string()));
        }
    }
    true
}

/// Whether what was read out of the words of a time is all that they say: "14:30" is, and "14:30 tomorrow" or "the last 2 days" are not.
fn covers(time: &SaidTime, values: &BTreeMap<String, Value>) -> bool {
    let read: Vec<&str> = time.read_by.iter().filter_map(|name| values.get(name)?.as_str()).collect();
    let joins =
        |word: &&str| !matches!(word.to_ascii_lowercase().as_str(), "at" | "on" | "the" | "of" | "in" | "for" | "from");
    let mut words = time.words.split_whitespace().filter(joins).peekable();
    words.peek().is_some() && words.all(|word| read.iter().any(|read| read.contains(word)))
}

/// Words that say from which end a number of things is meant, with the parts of names of parameters that count from there.
const ENDS_OF_A_LIST: [(&[&str], &[&str]); 2] =
    [(&["first", "top"], &["head", "first", "top"]), (&["bottom", "final", "last"], &["tail", "last", "bottom"])];

/// Parts of a text, one of which is "the first line".
const PARTS_OF_A_TEXT: [&str; 9] =
    ["character", "entry", "letter", "line", "page", "paragraph", "row", "sentence", "word"];

/// Parts of names of parameters that say where to begin, which is no number of things.
const BEGINNINGS: [&str; 4] = ["offset", "skip", "start", "page"];

fn has_part(spec: &ParamSpec, parts: &[&str]) -> bool {
    spec.name().split('_').any(|part| parts.contains(&part))
}

/// What became of the number of "the last 2 lines".
enum Counted {
    /// The parameter that counts from that end has it, and so the sentence says no more by this word.
    Taken(String),
    /// No parameter counts from that end.
    PassedOver(String),
}

/// Gives the number of "the last 2 lines" to the parameter that counts from that end: the `head` of a file is another answer, and so
/// it is taken back from one that counts from the other end. Parameters that count from no end keep it. "The last line" is one, and
/// none that counts from no end has it.
fn from_an_end(
    words: &[String],
    template: &Template,
    is_of_a_time: &dyn Fn(&[String]) -> bool,
    values: &mut BTreeMap<String, Value>,
) -> Option<Counted> {
    let (pair, end, number) = words.windows(2).find_map(|pair| {
        let end = ENDS_OF_A_LIST.iter().position(|(said, _)| said.contains(&pair[0].as_str()))?;
        let is_one = PARTS_OF_A_TEXT.contains(&pair[1].as_str());
        Some((pair, end, if is_one { 1 } else { pair[1].parse::<u32>().ok()? }))
    })?;
    let is_one = pair[1] != number.to_string();
    let (own, other) = (ENDS_OF_A_LIST[end].1, ENDS_OF_A_LIST[1 - end].1);
    let holds = |spec: &&ParamSpec| values.get(spec.name()).and_then(Value::as_f64) == Some(f64::from(number));
    let holder = template.parameters().iter().find(holds);
    let is_of_a_time = is_of_a_time(pair);
    let is_wrong = holder.is_some_and(|spec| {
        has_part(spec, other) || has_part(spec, &BEGINNINGS) || is_of_a_time && has_part(spec, own)
    });
    if holder.is_some() && !is_wrong {
        return None;
    }
    if let Some(holder) = holder {
        values.remove(holder.name());
    }
    if is_of_a_time {
        return None;
    }
    let is_number = |spec: &ParamSpec| matches!(spec.kind(), ParamKind::Integer { .. } | ParamKind::Number { .. });
    let is_right = |spec: &&ParamSpec| has_part(spec, own) && is_number(spec);
    let mut right = template.parameters().iter().filter(is_right);
    match (right.next(), right.next()) {
        (Some(right), None) if !values.contains_key(right.name()) => {
            values.insert(right.name().to_owned(), Value::from(number));
            Some(Counted::Taken(pair[1].clone()))
        }
        _ => (is_wrong || is_one).then(|| Counted::PassedOver(pair.join(" "))),
    }
}

/// The words with which a sentence forbids what it names: "don't show the commits". After somebody, as in "I don't see the commits",
/// they tell something.
fn forbidding(words: &[String]) -> Option<String> {
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|before| words[before].as_str());
        matches!(before, None | Some("and" | "but" | "just" | "please" | "should" | "so" | "you"))
    };
    let mut found = words.iter().enumerate().filter(|(_, word)| matches!(word.as_str(), "dont" | "never"));
    found.find(|(at, _)| begins(*at)).map(|(_, word)| word.clone())
}

/// Words that say which of many things are meant, how far to go, or that it is not about now. A tool that has no word for them does
/// something else.
const TURNING: [&str; 10] =
    ["earliest", "exactly", "first", "next", "oldest", "only", "recursive", "recursively", "tomorrow", "tonight"];

/// The words of [`TURNING`] that the tool knows nothing of and is not given: "a branch called next" gives it the word as a value.
fn turning(
    words: &[String],
    template: &Template,
    knows: &dyn Fn(&str) -> bool,
    values: &BTreeMap<String, Value>,
) -> Vec<String> {
    let is_a_value = |word: &str| {
        let mut texts = values.values().filter_map(Value::as_str);
        texts.any(|text| text.split_whitespace().any(|part| part.eq_ignore_ascii_case(word)))
    };
    let has_parameter = |word: &str| {
        let has = |part: &str| word.starts_with(part) && part.len() > 4;
        let from_there = ENDS_OF_A_LIST.iter().find(|(said, _)| said.contains(&word)).map_or(&[][..], |(_, own)| own);
        let is_counted = |spec: &ParamSpec| has_part(spec, from_there) && values.contains_key(spec.name());
        template.parameters().iter().any(is_counted)
            || template.parameters().iter().any(|spec| spec.name().split('_').any(|part| part == word || has(part)))
    };
    let is_passed_over =
        |word: &&String| TURNING.contains(&word.as_str()) && !knows(word) && !has_parameter(word) && !is_a_value(word);
    // "First show me the log" says when, and not which. "First 2 commits" does.
    let says_when = |at: usize, word: &str| {
        let is_counted = words.get(at + 1).is_some_and(|next| {
            next.bytes().all(|byte| byte.is_ascii_digit()) || PARTS_OF_A_TEXT.contains(&next.as_str())
        });
        at == 0 && matches!(word, "first" | "next") && !is_counted
    };
    let said = words.iter().enumerate().filter(|(at, word)| !says_when(*at, word)).map(|(_, word)| word);
    said.filter(is_passed_over).cloned().collect()
}

/// Words with which a sentence asks for a number of things, if the tool does not say that it counts: a list of them is another
/// answer, and may end before the last.
fn counting(words: &[String], template: &Template) -> Option<String> {
    let counts = ["count", "counts", "number", "numbers", "total", "totals", "statistics", "stats"];
    let summary = template.summary().to_ascii_lowercase();
    let mut own =
        template.id().as_str().split(['/', '_', '-']).chain(summary.split(|letter: char| !letter.is_alphanumeric()));
    if own.any(|word| counts.contains(&word)) {
        return None;
    }
    let is_pair = |pair: &[String]| matches!((pair[0].as_str(), pair[1].as_str()), ("how", "many") | ("number", "of"));
    let pair = words.windows(2).find(|pair| is_pair(pair)).map(|pair| pair.join(" "));
    let first = words.iter().find(|word| !matches!(word.as_str(), "please" | "can" | "could" | "you"));
    pair.or_else(|| first.filter(|word| *word == "count").cloned())
}

/// Takes back a text that is needed and says only what the tool is: the "my memory" of "search my memory". It is asked for then.
fn no_text(tokens: &[Token], template: &Template, knows: &dyn Fn(&str) -> bool, values: &mut BTreeMap<String, Value>) {
    for spec in template.parameters().iter().filter(|spec| spec.is_text() && spec.is_required()) {
        let Some(text) = values.get(spec.name()).and_then(Value::as_str) else { continue };
        let is_quoted = tokens.iter().any(|token| token.is_quoted && token.text == text);
        let says = |word: &str| {
            let is_filler = tokens.iter().any(|token| token.text == word && token.is_filler);
            !is_filler && !is_article(&word.to_ascii_lowercase()) && !knows(word)
        };
        if !is_quoted && !text.split_whitespace().any(says) {
            values.remove(spec.name());
        }
    }
}

/// Takes back values of parameters for times that have no digit and are no time: the "difference" of "time difference".
fn no_times(template: &Template, values: &mut BTreeMap<String, Value>) -> Vec<String> {
    let is_time = |spec: &&ParamSpec| {
        matches!(spec.kind(), ParamKind::String { .. })
            && spec.name().rsplit('_').next().is_some_and(|last| matches!(last, "time" | "date"))
    };
    let is_said = |text: &str| {
        let named = ["now", "noon", "midnight", "today", "tomorrow", "yesterday"];
        text.bytes().any(|byte| byte.is_ascii_digit()) || named.contains(&text.to_ascii_lowercase().as_str())
    };
    let mut told = Vec::new();
    for spec in template.parameters().iter().filter(is_time) {
        if let Some(text) = values.get(spec.name()).and_then(Value::as_str).filter(|text| !is_said(text)) {
            told.push(text.to_owned());
            values.remove(spec.name());
        }
    }
    told
}

/// Asks for one thing where the sentence says "the last commit", if the tool has a parameter for how many.
fn ask_for_one(
    words: &[String],
    template: &Template,
    knows: &dyn Fn(&str) -> bool,
    values: &mut BTreeMap<String, Value>,
) {
    let is_amount = |spec: &&ParamSpec| {
        matches!(spec.kind(), ParamKind::Integer { .. })
            && spec.name().split('_').any(|part| matches!(part, "count" | "limit" | "max" | "n" | "num"))
    };
    let mut amounts = template.parameters().iter().filter(is_amount);
    let (Some(amount), None) = (amounts.next(), amounts.next()) else { return };
    let is_one = |pair: &[String]| {
        matches!(pair[0].as_str(), "last" | "latest" | "newest" | "recent")
            && knows(&pair[1])
            && !pair[1].ends_with('s')
            && pair[1].chars().all(char::is_alphabetic)
    };
    if !values.contains_key(amount.name()) && words.windows(2).any(is_one) {
        values.insert(amount.name().to_owned(), Value::from(1));
    }
}

/// Words in the names of parameters that say from when on, and until when.
const STARTS: [&str; 4] = ["start", "since", "after", "from"];
const ENDS: [&str; 4] = ["end", "until", "before", "to"];

/// The one parameter that is a time with one of these words in its name.
fn bound<'a>(template: &'a Template, words: &[&str]) -> Option<&'a ParamSpec> {
    let is_it = |spec: &&ParamSpec| {
        matches!(spec.kind(), ParamKind::Datetime { .. }) && spec.name().split('_').any(|word| words.contains(&word))
    };
    let mut found = template.parameters().iter().filter(is_it);
    let first = found.next();
    if found.next().is_some() { None } else { first }
}

#[cfg(test)]
mod tests {
    use intentbox_router::{Card, CardId, Names, Question, Router};
    use intentbox_tools::admit;
    use serde_json::json;

    use super::*;
    use crate::tool_template;

    /// What a sentence of 2026-11-24 at noon says for a tool, with its values as one object.
    fn read(definition: &Value, text: &str) -> (Value, Vec<String>, bool) {
        let row = admit(&definition.to_string()).expect("a definition").row;
        let made = tool_template::template_of(&"git".parse().expect("a server"), &row, definition).expect("a template");
        let (id, catalog) = (made.id, made.catalog);
        let router = Router::new(catalog.templates().map(Card::of));
        let now = "2026-11-24T12:00:00Z".parse().expect("a time");
        let question = Question { text, names: &Names::default(), now };
        let witness = router.witness(&question, &CardId::new(id.as_str())).expect("its card");
        let knows = |word: &str| ["commits", "commit", "repository", "history", "branch", "create"].contains(&word);
        let given = BTreeMap::from([("whose".to_owned(), Given::Text("Ada".to_owned()))]);
        let reading = of(catalog.get(id.as_str()).expect("it is there"), text, witness, &knows, &given);
        (json!(reading.values), reading.passed_over, reading.asks_only)
    }

    fn log() -> Value {
        json!({
            "name": "git_log", "description": "Shows the commit logs", "annotations": {"readOnlyHint": true},
            "inputSchema": {"properties": {
                "max_count": {"type": "integer"}, "start_timestamp": {"type": "string"}, "end_timestamp": {"type": "string"},
            }},
        })
    }

    #[test]
    fn numbers_are_no_files() {
        let add = json!({
            "name": "git_add", "description": "Adds file contents to the staging area",
            "inputSchema": {"required": ["files"], "properties": {"files": {"type": "array", "items": {"type": "string"}}}},
        });
        for (text, values, passed_over) in [
            ("git add 3, 5", json!({}), vec!["3", "5"]),
            ("git add files 3, 5", json!({"files": ["3", "5"]}), vec![]),
            ("git add a.txt", json!({"files": ["a.txt"]}), vec![]),
        ] {
            let (found, passed, _) = read(&add, text);
            let passed: Vec<&str> =
                passed.iter().map(String::as_str).filter(|word| word.parse::<u8>().is_ok()).collect();
            assert_eq!((found, passed), (values, passed_over), "{text}");
        }
    }

    #[test]
    fn a_time_becomes_both_of_its_bounds() {
        for (text, values) in [
            ("show the commit logs since 2026-11-20", json!({"start_timestamp": "2026-11-20T00:00:00Z"})),
            (
                "show the commit logs between 2026-11-11 and 2026-11-19",
                json!({"start_timestamp": "2026-11-11T00:00:00Z", "end_timestamp": "2026-11-20T00:00:00Z"}),
            ),
            (
                "commit logs from last week",
                json!({"start_timestamp": "2026-11-16T00:00:00Z", "end_timestamp": "2026-11-23T00:00:00Z"}),
            ),
            ("commit logs of the last 2 days", json!({"start_timestamp": "2026-11-22T12:00:00Z"})),
            ("the last 3 commits", json!({"max_count": 3})),
            ("show the last commit", json!({"max_count": 1})),
            ("show the last commits", json!({})),
        ] {
            assert_eq!(read(&log(), text), (values, Vec::new(), false), "{text}");
        }
    }

    #[test]
    fn a_time_that_the_tool_cannot_have_is_passed_over() {
        let since = json!({
            "name": "git_log", "annotations": {"readOnlyHint": true},
            "inputSchema": {"properties": {"since": {"type": "string", "format": "date-time"}}},
        });
        assert_eq!(read(&since, "git log since monday").1, Vec::<String>::new());
        assert_eq!(read(&since, "git log of yesterday").1, ["yesterday"]);
        let none = json!({"name": "git_log", "annotations": {"readOnlyHint": true}, "inputSchema": {}});
        assert_eq!(read(&none, "git log of yesterday").1, ["yesterday"]);
    }

    #[test]
    fn what_looks_like_a_value_or_narrows_is_not_passed_over() {
        for (text, passed_over) in [
            ("show the commit history of the repository", vec![]),
            ("commits of the latest release", vec!["latest"]),
            ("what changed lately in the commit logs", vec![]),
            ("commit logs by Bob", vec!["Bob"]),
            ("commit logs by bob", vec!["bob"]),
            ("commit logs by Ada", vec![]),
            ("show the commit be8fbf7", vec!["be8fbf7"]),
            ("commit logs of notes.txt", vec!["notes.txt"]),
            ("commit logs without merges", vec!["without", "merges"]),
            ("commit logs containing \"secret\"", vec!["secret"]),
            ("show the first 2 commits", vec!["first"]),
            ("first show the commits", vec![]),
            ("commit logs recursively", vec!["recursively"]),
            ("commit logs by T", vec!["T"]),
            ("commit logs by t", vec!["t"]),
            ("how many commits", vec!["how many"]),
            ("what is the number of commits", vec!["number of"]),
            ("please count the commits", vec!["count"]),
        ] {
            assert_eq!(read(&log(), text).1, passed_over, "{text}");
        }
    }

    #[test]
    fn a_value_whose_form_says_what_it_is_needs_no_word_before_it() {
        let tool = |name: &str, properties: Value| json!({"name": name, "annotations": {"readOnlyHint": true}, "inputSchema": {"properties": properties}});
        let text = json!({"type": "string"});
        let show = tool("git_show", json!({"revision": text}));
        let list = tool("list_directory", json!({"path": text}));
        let search = tool("search_files", json!({"path": text, "pattern": text}));
        let convert = tool("convert_time", json!({"source_timezone": text, "time": text, "target_timezone": text}));
        let both = tool("move_file", json!({"source_path": text, "target_path": text}));
        for (tool, text, values, passed_over) in [
            (&show, "show commit HEAD", json!({"revision": "HEAD"}), vec![]),
            (&show, "show commit HEAD~2", json!({"revision": "HEAD~2"}), vec![]),
            (&show, "git show be8fbf7", json!({"revision": "be8fbf7"}), vec![]),
            (&list, "list the directory /abs/x please", json!({"path": "/abs/x"}), vec![]),
            // One letter may be the rest of a name.
            (&list, "list the directory /abs/x y", json!({"path": "/abs/x"}), vec!["y"]),
            (
                &convert,
                "convert time 14:30 from Europe/Berlin to Asia/Tokyo",
                json!({"time": "14:30", "source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo"}),
                vec![],
            ),
            (
                &convert,
                "convert time 14:30 tomorrow to Asia/Tokyo",
                json!({"target_timezone": "Asia/Tokyo", "time": "14:30"}),
                vec!["tomorrow"],
            ),
            (
                &convert,
                "time difference from Europe/Berlin to Asia/Tokyo",
                json!({"source_timezone": "Europe/Berlin", "target_timezone": "Asia/Tokyo"}),
                vec!["difference"],
            ),
            (&search, "search files matching *.txt in /abs/x", json!({"path": "/abs/x", "pattern": "*.txt"}), vec![]),
            // The first is what "file" announces; the second is left to the other.
            (&both, "move file /a /b", json!({"source_path": "/a", "target_path": "/b"}), vec![]),
        ] {
            let passed_over: Vec<String> = passed_over.into_iter().map(str::to_owned).collect();
            assert_eq!(read(tool, text), (values, passed_over, false), "{text}");
        }
    }

    #[test]
    fn a_number_of_things_is_counted_from_the_end_that_is_said() {
        let tool = |properties: Value| json!({"name": "read_lines", "description": "Reads the lines of a file, the first or last of them with head and tail", "annotations": {"readOnlyHint": true}, "inputSchema": {"properties": properties}});
        let number = json!({"type": "integer"});
        let both = tool(json!({"head": number, "tail": number}));
        let head = tool(json!({"head": number}));
        let skip = tool(json!({"skip": number}));
        for (tool, text, values, passed_over) in [
            (&both, "commits: the last 2 head lines", json!({"tail": 2}), vec![]),
            (&both, "head 2 commits of the first 2", json!({"head": 2}), vec![]),
            // A number that is said twice says something besides.
            (&both, "tail 3 of the first 3 commits", json!({"head": 3}), vec!["3"]),
            (&both, "lines of the first 4 of 4", json!({"head": 4}), vec!["4"]),
            (&head, "head 2 of the last 2 commits", json!({}), vec!["last 2"]),
            (&skip, "skip 2 of the last 2 commits", json!({}), vec!["last 2"]),
            (&skip, "skip 2 commits", json!({"skip": 2}), vec![]),
            (&both, "the first 3 lines", json!({"head": 3}), vec![]),
            (&both, "the last 3 lines", json!({"tail": 3}), vec![]),
            (&both, "first line", json!({"head": 1}), vec![]),
            (&both, "show the last line", json!({"tail": 1}), vec![]),
            (&head, "the last line", json!({}), vec!["last line"]),
            (&skip, "the first line", json!({}), vec!["first line"]),
            (&skip, "skip 1, the first line", json!({}), vec!["first line"]),
            (&both, "lines of the last 2 days", json!({}), vec![]),
        ] {
            let (read, told, _) = read(tool, text);
            assert_eq!(read, values, "{text}");
            assert!(passed_over.iter().all(|word| told.iter().any(|told| told == word)), "{text}: {told:?}");
            assert!(passed_over.contains(&"3") || !told.iter().any(|word| word == "3"), "{text}: {told:?}");
        }
    }

    #[test]
    fn what_is_forbidden_is_not_done() {
        for (text, passed_over) in [
            ("don't show the commits", vec!["dont"]),
            ("please never show commits", vec!["never"]),
            ("I don't see it, show the commits", vec![]),
            ("I don't see it, but never show the commits", vec!["never"]),
        ] {
            let (_, told, _) = read(&log(), text);
            let told: Vec<_> = told.into_iter().filter(|word| word == "dont" || word == "never").collect();
            assert_eq!(told, passed_over, "{text}");
        }
    }

    #[test]
    fn a_number_of_things_is_asked_of_a_tool_that_counts() {
        for (name, description) in [("count_commits", "Commits"), ("commits", "The total of all commits.")] {
            let counts = json!({
                "name": name, "description": description, "annotations": {"readOnlyHint": true}, "inputSchema": {},
            });
            assert_eq!(read(&counts, "how many commits").1, Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn a_change_is_asked_for_in_so_many_words() {
        let create = json!({
            "name": "create_branch",
            "inputSchema": {"required": ["branch_name"], "properties": {"branch_name": {"type": "string"}}},
        });
        let whole = (json!({"branch_name": "exp2"}), Vec::new(), false);
        assert_eq!(read(&create, "create a branch named \"exp2\""), whole);
        assert_eq!(read(&create, "please create the branch exp2"), whole);
        let turning = (json!({"branch_name": "next"}), Vec::new(), false);
        assert_eq!(read(&create, "create a branch called next"), turning);
        assert!(read(&create, "was a branch named exp2 created").2);
        for (text, passed_over) in [
            ("do not create a branch named exp2", "not"),
            ("never create a branch named exp2", "never"),
            ("create a branch named exp2 unless it exists", "unless"),
            ("create a branch named exp2 tomorrow", "tomorrow"),
        ] {
            let (_, told, asks_only) = read(&create, text);
            assert!(asks_only || told.iter().any(|word| word == passed_over), "{text}: {told:?}");
        }
    }
}
