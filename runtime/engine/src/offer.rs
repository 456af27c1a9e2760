//! The templates that a report offers in place of an answer, with their values.
//!
//! Where several fit, each has the values that the sentence holds for it. Where none fits, a value is offered only if it is sure:
//! somebody may send it as it is, and half of what was read for a template that does not fit is no value.

use std::collections::BTreeMap;

use intentbox_catalog::{Effects, ParamKind, ParamSpec, Template};
use intentbox_report::{Candidate, Takes};
use intentbox_router::{self as router, NameList, Question, Source};
use serde_json::Value;

use crate::cards;
use crate::given::Beside;
use crate::intent::Given;
use crate::library::Library;
use crate::rephrase;

/// How many of the values that there are a parameter is told with.
const CHOICES_MAX: usize = 10;

/// A text of more words without quotes is offered to nobody: it may be half of what was meant.
const SAID_WORDS_MAX: usize = 3;

/// With more numbers in a sentence, none of them is offered.
const NUMBERS_MAX: usize = 2;

/// A template that fits, with what was read for it.
pub(crate) fn as_read(library: &Library, given: &BTreeMap<String, Given>, candidate: router::Candidate) -> Candidate {
    let passes_over = rephrase::told(&candidate.unexplained);
    Candidate { passes_over, ..with(library, given, candidate, &|_, _, _| true) }
}

/// A template that is near, with the values that are sure.
pub(crate) fn as_sure(
    library: &Library,
    question: &Question<'_>,
    given: &BTreeMap<String, Given>,
    candidate: router::Candidate,
) -> Candidate {
    let (unexplained, read) = (candidate.unexplained.clone(), candidate.values.clone());
    // A text that leaves no word of the sentence over may be meant, and whoever is offered it sees it.
    let may_be_text = unexplained.is_empty();
    let offered = with(library, given, candidate, &|template, spec, value| {
        is_sure(template, spec, value, question) || (may_be_text && is_said(template, spec, value, question))
    });
    // A name that was taken for a text is left out with it.
    let texts =
        read.iter().filter(|(name, _)| !offered.values.contains_key(*name)).filter_map(|(_, value)| value.as_str());
    let left_out = unexplained.into_iter().chain(texts.flat_map(str::split_whitespace).map(str::to_owned));
    let template = library.called(&offered.template);
    let lists = template
        .into_iter()
        .flat_map(|template| template.parameters().iter().filter_map(move |spec| known(template, spec, question)));
    let lists: Vec<&NameList> = lists.collect();
    let is_name = |word: &String| lists.iter().any(|list| list.says(word));
    // One of "checkout and billing", where a template takes one.
    let passes_over = rephrase::told(&left_out.filter(is_name).collect::<Vec<_>>());
    Candidate { passes_over, ..offered }
}

/// The names that exist for a parameter, if they are known.
fn known<'a>(template: &Template, spec: &ParamSpec, question: &Question<'a>) -> Option<&'a NameList> {
    let values = spec.values_from()?.clone();
    question.names.get(&Source { pack: template.pack().id().to_owned(), values })
}

fn with(
    library: &Library,
    given: &BTreeMap<String, Given>,
    candidate: router::Candidate,
    keeps: &dyn Fn(&Template, &ParamSpec, &Value) -> bool,
) -> Candidate {
    let router::Candidate { id, summary, score, mut values, .. } = candidate;
    let (mut missing, mut not_taken) = (Vec::new(), Vec::new());
    if let Some(template) = cards::template(&library.catalog, &id) {
        values.retain(|name, value| template.parameter(name).is_some_and(|spec| keeps(template, spec, value)));
        // Whoever repeats the call with what is offered should lose nothing of what came beside the sentence.
        let beside = Beside::read(library, template, given);
        not_taken = beside.not_taken();
        values.extend(beside.values);
        let needed = template.parameters().iter().filter(|spec| spec.must_be_given());
        missing.extend(needed.map(|spec| spec.name().to_owned()).filter(|name| !values.contains_key(name)));
        // Of these, one has to be said.
        if !template.one_of().is_empty() && !template.one_of().iter().any(|name| values.contains_key(name)) {
            missing.push(template.one_of().join(" or "));
        }
    }
    let template = cards::template(&library.catalog, &id);
    let name = template.map(|template| library.name_of(template.id()));
    Candidate {
        writes: template.is_some_and(|template| template.effects() == Effects::Write),
        template: name.unwrap_or_else(|| id.to_string()),
        summary,
        score,
        values,
        missing,
        not_taken,
        passes_over: Vec::new(),
        takes: Vec::new(),
    }
}

/// Those of the templates that fit which take the most of what came beside the sentence.
pub(crate) fn taking_most(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let least = candidates.iter().map(|candidate| candidate.not_taken.len()).min();
    candidates.into_iter().filter(|candidate| Some(candidate.not_taken.len()) == least).collect()
}

/// What a template takes besides the values that it is offered with: whoever has its name only guesses otherwise.
pub(crate) fn takes(
    library: &Library,
    question: &Question<'_>,
    given: &BTreeMap<String, Given>,
    candidate: &Candidate,
) -> Vec<Takes> {
    let Some(template) = library.called(&candidate.template) else { return Vec::new() };
    let has_value = |name: &str| candidate.values.contains_key(name) || given.contains_key(name);
    let is_open = |spec: &&ParamSpec| spec.default_from().is_none() && !has_value(spec.name());
    let known = |spec: &ParamSpec| known(template, spec, question);
    let choices = |spec: &ParamSpec| match spec.kind() {
        ParamKind::Enum { choices } => choices.iter().map(|choice| choice.value.clone()).collect(),
        ParamKind::Boolean => vec!["true".to_owned(), "false".to_owned()],
        _ => known(spec).map(|list| list.texts().take(CHOICES_MAX).map(str::to_owned).collect()).unwrap_or_default(),
    };
    let example = |spec: &ParamSpec| match spec.kind() {
        ParamKind::Window { .. } => {
            let forms = ["24h", "2026-11-01/2026-11-08"].into_iter();
            let valid = forms.filter(|form| spec.read(form).is_ok_and(|value| spec.check(&value).is_ok()));
            Some(valid.collect::<Vec<_>>().join(" or ")).filter(|forms| !forms.is_empty())
        }
        ParamKind::Datetime { .. } | ParamKind::Duration { .. } => Some(spec.example()),
        ParamKind::String { .. } if spec.has_example() && choices(spec).is_empty() => Some(spec.example()),
        _ => None,
    };
    let takes = template.parameters().iter().filter(is_open);
    let more = |spec: &ParamSpec| known(spec).map_or(0, |list| list.texts().count().saturating_sub(CHOICES_MAX));
    takes
        .map(|spec| Takes {
            name: spec.name().to_owned(),
            choices: choices(spec),
            more: more(spec),
            example: example(spec),
        })
        .collect()
}

/// Words that turn what follows into its opposite, without apostrophes.
const NEGATIONS: [&str; 16] = [
    "not",
    "never",
    "without",
    "except",
    "excluding",
    "isnt",
    "arent",
    "wasnt",
    "werent",
    "dont",
    "doesnt",
    "didnt",
    "havent",
    "hasnt",
    "cannot",
    "wont",
];

fn negates(text: &str) -> bool {
    let plain = text.to_lowercase().replace(['\'', '\u{2019}'], "");
    plain.split(|letter: char| !letter.is_alphanumeric()).any(|word| NEGATIONS.contains(&word))
}

/// How many numbers of a sentence there are.
fn numbers(text: &str) -> usize {
    let words = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    words.filter(|word| !word.is_empty() && word.parse::<f64>().is_ok()).count()
}

/// Whether a value is a text of a few words in a row, as the sentence has them, and none of them is a name that exists.
fn is_said(template: &Template, spec: &ParamSpec, value: &Value, question: &Question<'_>) -> bool {
    let Some(text) = value.as_str().filter(|_| spec.is_text() && spec.values_from().is_none()) else { return false };
    let words: Vec<&str> = text.split_whitespace().collect();
    let joins = |word: &&str| matches!(*word, "and" | "but" | "by" | "of" | "or" | "per");
    let is_few = (1..=SAID_WORDS_MAX).contains(&words.len()) && !words.iter().any(joins);
    let is_name = |word: &str| {
        let mut lists = template.parameters().iter().filter_map(|spec| known(template, spec, question));
        lists.any(|list| list.says(word))
    };
    is_few
        && !words.iter().any(|word| is_name(word))
        && spec.check(value).is_ok()
        && !negates(question.text)
        && question.text.to_lowercase().contains(&text.to_lowercase())
}

/// Whether a value can be meant: it is one, and a name that exists, a quotation, or of a shape that no plain word has.
fn is_sure(template: &Template, spec: &ParamSpec, value: &Value, question: &Question<'_>) -> bool {
    if spec.check(value).is_err() {
        return false;
    }
    let texts: Vec<&str> = match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        // One of many numbers is a part of what was said: "the median of 12, 7, 99".
        Value::Number(_) => return numbers(question.text) <= NUMBERS_MAX,
        _ => return true,
    };
    // The values of what is not wanted are no offer: somebody would get the opposite.
    if negates(question.text) {
        return false;
    }
    let is_quoted =
        |text: &&str| ["\"", "'", "`"].iter().any(|mark| question.text.contains(&format!("{mark}{text}{mark}")));
    if texts.iter().all(is_quoted) {
        return true;
    }
    if spec.values_from().is_some() {
        return known(template, spec, question).is_some_and(|list| texts.iter().all(|text| list.says(text)));
    }
    let is_open = matches!(spec.kind(), ParamKind::String { .. } | ParamKind::List { .. });
    !is_open || spec.is_narrow()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use intentbox_catalog::Catalog;
    use intentbox_router::{NameList, Names};
    use serde_json::json;

    use super::*;

    const FIND: &str = r#"
summary = "Finds rows."
phrases = ["find rows"]
effects = "read"

[params.file]
type = "string"
description = "The file."
required = true
values_from = "files"

[params.text]
type = "text"
description = "A text."

[params.issue]
type = "string"
description = "An issue."
pattern = "[A-Z]+-[0-9]+"
example = "WEB-1"

[params.limit]
type = "integer"
description = "How many."
min = 1
max = 10
"#;

    fn offered(text: &str, values: &Value) -> (Value, Vec<String>) {
        let files = [("mine/find/template.toml", FIND), ("mine/find/script.py.j2", "result = None\n")];
        let catalog = Catalog::from_files(files.map(|(path, text)| (path, text.as_bytes()))).expect("a catalog");
        let library = Library::of_tools(Arc::new(catalog), BTreeMap::new());
        let template = library.catalog.get("mine/find").expect("it is there");
        let values_from = template.parameter("file").and_then(ParamSpec::values_from).expect("declared").clone();
        let mut names = Names::default();
        let source = Source { pack: "mine".parse().expect("a pack"), values: values_from };
        names.insert(source, Arc::new(NameList::of_files(["sales.csv".to_owned()])));
        let now = "2026-11-24T12:00:00Z".parse().expect("a time");
        let question = Question { text, names: &names, now };
        let values = values.as_object().expect("values").clone().into_iter().collect();
        let id = cards::id_of(template.id());
        let candidate = router::Candidate { id, summary: String::new(), score: 0.5, values, unexplained: Vec::new() };
        let sure = as_sure(&library, &question, &BTreeMap::new(), candidate);
        (json!(sure.values), sure.missing)
    }

    #[test]
    fn what_a_template_that_does_not_fit_is_offered_with_is_sure() {
        let missing = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (text, read, values, names) in [
            ("x", json!({"file": "sales.csv", "limit": 5}), json!({"file": "sales.csv", "limit": 5}), &[][..]),
            ("x", json!({"file": "orders.csv", "limit": 11}), json!({}), &["file"]),
            ("an x and y", json!({"text": "x and y", "issue": "WEB-2"}), json!({"issue": "WEB-2"}), &["file"]),
            ("an \"x and y\"", json!({"text": "x and y"}), json!({"text": "x and y"}), &["file"]),
            ("Failed logins today", json!({"text": "failed logins"}), json!({"text": "failed logins"}), &["file"]),
            ("a text of four words", json!({"text": "text of four words"}), json!({}), &["file"]),
            ("no failed logins, not one", json!({"text": "failed logins"}), json!({}), &["file"]),
            ("all that isn't WEB-2", json!({"file": "sales.csv", "issue": "WEB-2"}), json!({}), &["file"]),
        ] {
            assert_eq!(offered(text, &read), (values, missing(names)), "{text}");
        }
    }

    #[test]
    fn numbers_of_a_sentence_are_counted() {
        for (text, expected) in
            [("median of 12, 7,99 and -3.5", 4), ("top 5 errors", 1), ("be8fbf7 and v2", 0), ("", 0)]
        {
            assert_eq!(numbers(text), expected, "{text}");
        }
    }
}
