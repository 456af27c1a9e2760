//! What helps with a sentence that no card fits: the words that were not understood, names that are nearly what was
//! written, and the nearest sentence that goes to a card.

use intentbox_catalog::param::ValuesFrom;
use intentbox_catalog::terminal::printable;
use intentbox_catalog::words::{Slot, WordPattern, filled};
use intentbox_catalog::{ParamKind, ParamSpec};

use crate::deed::change_asked;
use crate::english::{is_filler, negates};
use crate::explain::{Explanation, Rule, Scored};
use crate::index::Wording;
use crate::names::Names;
use crate::ranker::Ranker;
use crate::text::{self, Word};
use crate::values::{REST, ValueRead};
use crate::{CLOSEST_FLOOR, CLOSEST_MAX, CardId, Decision, Question, Routed, Router};

/// Words that lead to something: a sentence that ends with one is not whole.
const LEADS: [&str; 7] = ["about", "for", "from", "in", "of", "where", "with"];

/// Words that compare.
pub(crate) const COMPARING: [&str; 14] = [
    "above", "after", "before", "below", "beyond", "between", "fewer", "less", "more", "newer", "older", "over",
    "than", "under",
];

/// Words that join something: a sentence that ends with one is not whole either.
const JOINS: [&str; 4] = ["and", "but", "or", "who"];

/// The longest sentence that is proposed, in characters. Nobody types a longer one.
const SENTENCE_CHARS_MAX: usize = 200;

/// Of a sentence with more words that nothing explains, no shorter one is proposed: it would ask for something else.
const LEFT_OUT_MAX: usize = 2;

/// How many words that are no filler may be left out of what was typed. What is left has more of them.
const SHORTENED_MAX: usize = 3;

/// The most names that are listed in place of one that is not there.
const LISTED_MAX: usize = 8;

/// What helps with a sentence that no card fits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nearest {
    /// The words that the best candidate cannot explain, as written; without a candidate, those that no card declares.
    pub not_understood: Vec<String>,
    /// The nearest sentence that goes to a card. The card only reads.
    pub sentence: Option<String>,
    /// Words that are nearly names that exist.
    pub names: Vec<NearName>,
    /// Words that are said to be names, of which there are none: "the nginx log".
    pub absent: Vec<AbsentName>,
    /// The word with which the sentence asks for a change, as written, if it begins with one: "please delete all".
    pub change: Option<String>,
}

/// A word that is nearly a name that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearName {
    /// The parameter whose values such names are.
    pub parameter: String,
    /// What such names are called: a sum is of a `column`.
    pub called: String,
    /// The word as written.
    pub written: String,
    /// The name.
    pub name: String,
}

/// A word that is said to be a name of which there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentName {
    /// The parameter whose values such names are.
    pub parameter: String,
    /// The word as written.
    pub written: String,
    /// The first names that there are.
    pub names: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl<R: Ranker> Router<R> {
    /// What helps with a sentence that no card fits; nothing for any other sentence, and for one with too many words.
    #[must_use]
    pub fn nearest(&self, question: &Question<'_>) -> Nearest {
        let Routed { decision, explanation: Explanation { rule, candidates, .. } } = self.route(question);
        if !matches!(decision, Decision::NoMatch { .. }) || rule == Rule::TooManyWords {
            return Nearest::default();
        }
        Nearest { change: change_asked(question.text), ..self.near(question, &candidates) }
    }

    fn near(&self, question: &Question<'_>, candidates: &[Scored]) -> Nearest {
        // Of equals the first, as in the list of the closest.
        let best = candidates.iter().reduce(|best, other| if fitness(other) > fitness(best) { other } else { best });
        let Some(best) = best else {
            return Nearest { not_understood: self.unknown(question.text), ..Nearest::default() };
        };
        let not_understood = best.unexplained.clone();
        let Some(wording) = self.packs.iter().find_map(|pack| pack.wording(&best.id)) else {
            return Nearest { not_understood, ..Nearest::default() };
        };
        let names = near_names(best, wording, question.names);
        // What one card takes for a text, such as `nginx` in "the nginx log", may be a name for the next.
        let absent = candidates.iter().take(CLOSEST_MAX).find_map(|near| {
            let wording = self.packs.iter().find_map(|pack| pack.wording(&near.id))?;
            Some(absent_names(near, wording, question.names, &names)).filter(|absent| !absent.is_empty())
        });
        let absent = absent.unwrap_or_default();
        // Nobody is led to a change, or to a card that the sentence has nothing to do with.
        let is_proposed = absent.is_empty()
            && !wording.writes
            && fitness(best) >= CLOSEST_FLOOR
            && not_understood.len() <= LEFT_OUT_MAX
            && !says_more(best, wording, &not_understood)
            && !takes_several_words_for_text(best, wording)
            && !self.takes_known_words_for_text(best);
        let sentence = if is_proposed { sentence(best, wording, &names) } else { None };
        let sentence = sentence.filter(|sentence| self.keeps(sentence, &best.id, &best.values, question));
        let sentence = sentence.or_else(|| {
            let may_be_shorter = absent.is_empty() && names.is_empty();
            may_be_shorter.then(|| self.shorter(question, &not_understood)).flatten()
        });
        Nearest { not_understood, sentence, names, absent, change: None }
    }

    /// Whether a sentence goes to this card with at least these values.
    fn keeps(&self, sentence: &str, id: &CardId, read: &[ValueRead], question: &Question<'_>) -> bool {
        let question = Question { text: sentence, names: question.names, now: question.now };
        match self.route(&question).decision {
            Decision::Card { id: found, values } => {
                found == *id && read.iter().all(|read| values.get(&read.parameter) == Some(&read.value))
            }
            Decision::Missing { .. } | Decision::Ambiguous { .. } | Decision::NoMatch { .. } => false,
        }
    }

    /// The sentence without the words that were not understood, or its beginning before them, if that goes to a card that only reads:
    /// "customers from prague" of "customers from prague or brno".
    fn shorter(&self, question: &Question<'_>, not_understood: &[String]) -> Option<String> {
        let words = text::split(question.text);
        let is_lost = |word: &Word| not_understood.contains(&word.text);
        let first = words.iter().position(is_lost)?;
        let is_any = |word: &Word, of: &[&str]| of.contains(&word.plain.as_str());
        let shortened = |keeps: &dyn Fn(usize) -> bool| {
            let (kept, left_out): (Vec<usize>, Vec<usize>) = (0..words.len()).partition(|at| keeps(*at));
            let counts = |at: &&usize| !words[**at].is_filler && !is_any(&words[**at], &JOINS);
            let lost = left_out.iter().filter(counts).count();
            // Without what negates or compares, another thing is asked for.
            let is_name = |at: usize| {
                at > 0 && words[at].text.starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit())
            };
            let says_more =
                left_out.iter().any(|at| negates(&words[*at].plain) || is_any(&words[*at], &COMPARING) || is_name(*at));
            if says_more || lost > SHORTENED_MAX || lost >= kept.iter().filter(counts).count() {
                return None;
            }
            let ends = |at: &usize| counts(&at) && !is_any(&words[*at], &LEADS);
            let end = kept.iter().rposition(ends)?;
            let said: Vec<String> = kept[..=end].iter().map(|at| as_written(&words[*at])).collect();
            let sentence = said.join(" ");
            // "A of the invoice" is a hole.
            let has_hole = kept.windows(2).any(|pair| {
                pair[0] + 1 < pair[1] && is_any(&words[pair[0]], &["a", "an", "the"]) && is_any(&words[pair[1]], &LEADS)
            });
            (!has_hole && is_presentable(&sentence) && self.only_reads(&sentence, question)).then_some(sentence)
        };
        shortened(&|at| !is_lost(&words[at])).or_else(|| shortened(&|at| at < first))
    }

    /// Whether a sentence goes to a card that only reads, and leaves nothing out.
    fn only_reads(&self, sentence: &str, question: &Question<'_>) -> bool {
        let question = Question { text: sentence, names: question.names, now: question.now };
        let Decision::Card { id, .. } = self.route(&question).decision else { return false };
        self.packs.iter().find_map(|pack| pack.wording(&id)).is_some_and(|wording| !wording.writes)
    }

    /// Whether a card takes words for a text only because nothing else of it explains them, and all of them are words of the packs:
    /// the release of "issues new in the latest release" is no text to search for.
    fn takes_known_words_for_text(&self, best: &Scored) -> bool {
        let is_known = |word: &Word| !word.quoted && (word.is_filler || self.packs.iter().any(|pack| pack.knows(word)));
        let rest = best.values.iter().filter(|read| read.pattern == REST);
        rest.map(|read| text::split(&read.text)).any(|words| !words.is_empty() && words.iter().all(is_known))
    }

    /// The words of a sentence that no card declares.
    fn unknown(&self, text: &str) -> Vec<String> {
        let mut unknown: Vec<String> = Vec::new();
        let is_unknown = |word: &Word| {
            let is_known = word.is_filler || word.is_amount || self.packs.iter().any(|pack| pack.knows(word));
            word.quoted || !is_known
        };
        for word in text::split(text).into_iter().filter(is_unknown) {
            if !unknown.contains(&word.text) {
                unknown.push(word.text);
            }
        }
        unknown
    }
}

/// Whether a word that was not understood negates or compares, or was taken for a text: without it another thing is asked for.
fn says_more(best: &Scored, wording: Wording<'_>, not_understood: &[String]) -> bool {
    let is_text = |name: &str| wording.readers.specs().iter().any(|spec| spec.name() == name && spec.is_text());
    let texts = best.values.iter().filter(|read| is_text(&read.parameter)).map(|read| read.text.as_str());
    let mut words = not_understood.iter().map(String::as_str).chain(texts).flat_map(text::split);
    words.any(|word| !word.quoted && (negates(&word.plain) || COMPARING.contains(&word.plain.as_str())))
}

/// Whether a card takes several words for a text: the "status codes per path" are no text that somebody looks for. A quotation is.
fn takes_several_words_for_text(best: &Scored, wording: Wording<'_>) -> bool {
    let is_text = |name: &str| wording.readers.specs().iter().any(|spec| spec.name() == name && spec.is_text());
    best.values.iter().filter(|read| is_text(&read.parameter)).any(|read| {
        let words = text::split(&read.text);
        words.len() > 1 && !words.iter().any(|word| word.quoted)
    })
}

fn fitness(scored: &Scored) -> f64 {
    scored.score.max(scored.fit)
}

/// What the names of a parameter are called: by the parameter, or where another template lists what has no name of this kind, by the
/// field that it has them in.
fn called(spec: &ParamSpec) -> &str {
    match spec.values_from() {
        Some(ValuesFrom::Template { name, field }) if !name.contains(spec.name()) => field,
        _ => spec.name(),
    }
}

/// The unexplained words that are nearly names of parameters without a value, at most one for each parameter.
fn near_names(best: &Scored, wording: Wording<'_>, names: &Names) -> Vec<NearName> {
    let mut near: Vec<NearName> = Vec::new();
    // "Not" is no slip of "note".
    for written in best.unexplained.iter().filter(|word| !negates(word)) {
        let found = wording.readers.sourced().find_map(|(spec, source)| {
            let is_free = best.values.iter().all(|read| read.parameter != spec.name())
                && near.iter().all(|near| near.parameter != spec.name());
            // A name that exists as written was not read for another reason than a slip.
            let list = names.get(source).filter(|list| is_free && list.find(written).is_none())?;
            let name = list.nearest(written).filter(|name| !name.eq_ignore_ascii_case(written))?.to_owned();
            let called = called(spec).to_owned();
            Some(NearName { parameter: spec.name().to_owned(), called, written: written.clone(), name })
        });
        near.extend(found);
    }
    near
}

/// The words of the request that are said to be names of which there are none, unless they are nearly one.
fn absent_names(best: &Scored, wording: Wording<'_>, names: &Names, near: &[NearName]) -> Vec<AbsentName> {
    let requested = best.doubts.words.iter().filter(|doubt| doubt.is_request);
    let absent = requested.filter(|doubt| near.iter().all(|near| near.written != doubt.text));
    let told = absent.filter_map(|doubt| {
        let parameter = doubt.parameter.clone()?;
        let (_, source) = wording.readers.sourced().find(|(spec, _)| spec.name() == parameter)?;
        let there = names.get(source)?;
        let listed = there.texts().take(LISTED_MAX).map(str::to_owned).collect();
        let more = there.texts().count().saturating_sub(LISTED_MAX);
        Some(AbsentName { parameter, written: doubt.text.clone(), names: listed, more })
    });
    told.collect()
}

/// The best phrase of the best candidate, with the values that were read and the names that were nearly written.
fn sentence(best: &Scored, wording: Wording<'_>, names: &[NearName]) -> Option<String> {
    let spec = |name: &str| wording.readers.specs().iter().find(|spec| spec.name() == name);
    let phrase = if best.phrase.text.is_empty() { wording.phrase } else { best.phrase.text.as_str() };
    let is_in_phrase = |name: &str| phrase.contains(&format!("<{name}>"));
    let in_phrase = |name: &str| {
        let spec = spec(name)?;
        let read = best.values.iter().find(|read| read.parameter == name);
        Some(read.map_or_else(|| spec.example(), |read| as_said(spec, &read.text)))
    };
    let mut parts = vec![filled(phrase, in_phrase)];
    let mut clauses: Vec<&str> = Vec::new();
    for read in best.values.iter().filter(|read| !is_in_phrase(&read.parameter)) {
        let spec = spec(&read.parameter)?;
        if !read.pattern.contains('<') {
            parts.push(in_pattern(spec, read));
        } else if !clauses.contains(&read.pattern.as_str()) {
            // A clause says several values at once.
            clauses.push(&read.pattern);
            parts.push(clause(&read.pattern, best));
        }
    }
    for near in names.iter().filter(|near| !is_in_phrase(&near.parameter)) {
        parts.push(in_words(spec(&near.parameter)?, &near.name));
    }
    // A name gives another value without a word.
    parts.retain(|part| !part.trim().is_empty());
    let sentence = joined(phrase, &parts);
    let is_whole = sentence.rsplit(' ').next().is_some_and(|last| !LEADS.contains(&last));
    (is_presentable(&sentence) && is_whole).then_some(sentence)
}

/// Whether a sentence is short, and safe to print.
fn is_presentable(sentence: &str) -> bool {
    let is_safe = !sentence.contains(char::is_control) && printable(sentence) == sentence;
    sentence.chars().count() <= SENTENCE_CHARS_MAX && is_safe
}

/// A word as a sentence has it.
fn as_written(word: &Word) -> String {
    let text = if word.quoted { format!("\"{}\"", word.text) } else { word.text.clone() };
    if word.comma { format!("{text},") } else { text }
}

/// The filled phrase and the parts after it, without what is said twice: "count the rows in", "count rows" and "in orders.csv"
/// are "count the rows in orders.csv".
fn joined(phrase: &str, parts: &[String]) -> String {
    let declared: Vec<&str> = phrase.split(' ').filter(|word| !word.starts_with('<')).collect();
    let mut rows: Vec<Vec<&str>> = parts.iter().map(|part| part.split(' ').collect()).collect();
    let Some((first, rest)) = rows.split_first_mut() else { return String::new() };
    let last = first.last().copied().unwrap_or_default();
    let mut rest: Vec<&[&str]> = rest.iter().map(Vec::as_slice).collect();
    rest.retain(|row| !row.iter().all(|word| declared.contains(word)));
    // What goes on where the phrase ends comes first.
    rest.sort_by_key(|row| !row.starts_with(&[last]));
    // "Orders with" leads to something, and "top 5" is none.
    let leads = LEADS.contains(&last) && declared.last() == Some(&last);
    if leads && first.len() > 1 && !rest.is_empty() {
        first.pop();
    }
    for row in rest {
        let ended = (1..=row.len().min(first.len())).rev().find(|width| first.ends_with(&row[..*width]));
        first.extend_from_slice(&row[ended.unwrap_or(0)..]);
    }
    first.join(" ")
}

/// A clause with the values that were read by it.
fn clause(pattern: &str, best: &Scored) -> String {
    let value = |slot: &str| {
        let read = best.values.iter().find(|read| read.pattern == pattern && read.parameter == slot);
        // `<missing=true>` has no words.
        Some(read.map(|read| read.text.clone()).unwrap_or_default())
    };
    let text = filled(pattern, value);
    // What a template implies may name words that are not said: `!sum`.
    let said: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with('!')).collect();
    said.join(" ")
}

/// A value in the pattern that it was read by, if that is declared.
fn in_pattern(spec: &ParamSpec, read: &ValueRead) -> String {
    let text = as_said(spec, &read.text);
    match spec.words().iter().find(|pattern| pattern.to_string() == read.pattern) {
        Some(pattern) => around(pattern, &text),
        // A time and a shape speak for themselves.
        None if matches!(spec.kind(), ParamKind::Window { .. }) => text,
        None => in_words(spec, &text),
    }
}

/// A value in a declared pattern: the first that begins like `in`, since "errors in project web" reads better than "errors
/// project web"; otherwise the first. Without a pattern, the value alone.
fn in_words(spec: &ParamSpec, text: &str) -> String {
    let allows = |pattern: &&WordPattern| match pattern.slot() {
        Slot::Any => true,
        Slot::OneOf(choices) => choices.iter().any(|choice| choice == text),
    };
    let is_led = |pattern: &&WordPattern| pattern.before().first().is_some_and(|word| is_filler(word));
    let first = spec.words().iter().find(allows);
    let pattern = spec.words().iter().filter(allows).find(is_led).or(first);
    pattern.map_or_else(|| text.to_owned(), |pattern| around(pattern, text))
}

/// The words of a pattern around a value.
fn around(pattern: &WordPattern, text: &str) -> String {
    let before = pattern.before().iter().map(String::as_str);
    let after = pattern.after().iter().map(String::as_str);
    before.chain([text]).chain(after).collect::<Vec<_>>().join(" ")
}

/// A value as a sentence says it: a name of several words stands in quotes.
fn as_said(spec: &ParamSpec, text: &str) -> String {
    let is_name = matches!(spec.kind(), ParamKind::String { .. }) && !spec.is_text();
    if is_name && text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use intentbox_catalog::Catalog;

    use super::*;
    use crate::card::Card;
    use crate::names::{NameList, Source};
    use crate::oracle::now;

    const SHOP: [(&str, &str); 2] = [
        (
            "shop/list_orders/template.toml",
            r#"
summary = "Lists orders."
phrases = ["list orders", "list orders of <year>"]
patterns = ["where <column> is <equals>", "without <column> <missing=true>"]
effects = "read"

[params.customer]
type = "string"
description = "Who ordered."
length_max = 300
words = ["customer {}", "for customer {}"]

[params.year]
type = "integer"
description = "When."
example = 2026

[params.column]
type = "string"
description = "What is compared."

[params.equals]
type = "string"
description = "What it is."

[params.missing]
type = "boolean"
description = "Whether it is missing."
"#,
        ),
        ("shop/list_orders/script.py.j2", "result = None\n"),
    ];

    fn sentry(name: &str) -> Router {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        Router::new([Card::of(catalog.get(name).expect("it is part of the sentry pack"))])
    }

    fn shop() -> Router {
        let catalog = Catalog::from_files(SHOP.iter().map(|(path, text)| (*path, text.as_bytes())));
        Router::new(catalog.expect("it is a template").templates().map(Card::of))
    }

    fn projects() -> Names {
        let field = "slug".to_owned();
        let values = ValuesFrom::Template { name: "list_projects".to_owned(), field };
        let mut names = Names::default();
        let list = NameList::of_words(["web", "worker", "billing-service"].map(str::to_owned));
        names.insert(Source { pack: "sentry".to_owned(), values }, Arc::new(list));
        names
    }

    /// The words that were not understood, the nearest sentence, and what is nearly a name.
    fn told(router: &Router, text: &str, names: &Names) -> (String, Option<String>, String) {
        let Nearest { not_understood, sentence, names, .. } = router.nearest(&Question { text, names, now: now() });
        let names = names.iter().map(|near| format!("{} {} {}", near.parameter, near.written, near.name));
        (not_understood.join(" "), sentence, names.collect::<Vec<_>>().join(", "))
    }

    fn check(router: &Router, text: &str, names: &Names, words: &str, sentence: Option<&str>, near: &str) {
        let expected = (words.to_owned(), sentence.map(str::to_owned), near.to_owned());
        assert_eq!(told(router, text, names), expected, "{text}");
    }

    #[test]
    fn words_that_were_not_understood_are_named_with_the_nearest_sentence() {
        let (router, unknown) = (sentry("sentry/list_errors"), Names::default());
        for (text, words, sentence) in [
            ("delete all errors", "delete", Some("errors")),
            ("errors in checkout", "checkout", Some("errors")),
            ("delete the errors in project web", "delete", Some("errors in project web")),
            ("good morning", "good morning", None),
            // Whatever fits needs no help, and neither does what is no sentence.
            ("list errors", "", None),
            ("", "", None),
        ] {
            check(&router, text, &unknown, words, sentence, "");
        }
    }

    #[test]
    fn a_sentence_with_too_many_words_is_not_read_again() {
        let router = sentry("sentry/list_errors");
        let text = "errors zap ".repeat(text::WORDS_MAX);
        check(&router, &text, &Names::default(), "", None, "");
    }

    #[test]
    fn a_word_that_is_nearly_a_name_is_that_name_in_the_nearest_sentence() {
        let (router, names) = (sentry("sentry/list_errors"), projects());
        for (word, sentence, near) in [
            ("wbe", "errors in project web", "project wbe web"),
            ("wbx", "errors", ""),
            ("wb", "errors", ""),
            // Two slips from eight letters on. With the right first letter it would have been read as the name.
            ("pilling-servise", "errors in project billing-service", "project pilling-servise billing-service"),
            ("pilling-servisa", "errors", ""),
        ] {
            check(&router, &format!("errors in {word}"), &names, word, Some(sentence), near);
        }
    }

    #[test]
    fn a_word_that_is_said_to_be_a_file_and_is_none_is_told_with_those_that_there_are() {
        let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
        let router = Router::new([Card::of(catalog.get("logs/tail").expect("it is part of the logs pack"))]);
        let absent = |text: &str, files: usize| {
            let mut names = Names::default();
            let list = NameList::of_files((0..files).map(|number| format!("web{number}.log")));
            names.insert(Source { pack: "logs".to_owned(), values: ValuesFrom::Files }, Arc::new(list));
            let nearest = router.nearest(&Question { text, names: &names, now: now() });
            let told = nearest.absent.into_iter();
            told.map(|absent| (absent.parameter, absent.written, absent.names.len(), absent.more)).collect::<Vec<_>>()
        };
        let nginx = |listed: usize, more: usize| vec![("file".to_owned(), "nginx".to_owned(), listed, more)];
        for (text, files, expected) in [
            ("show me the last 20 lines of the nginx log", 2, nginx(2, 0)),
            ("the last 20 lines of nginx logs", LISTED_MAX + 1, nginx(LISTED_MAX, 1)),
            ("show me the last 20 lines of the web1 log", 2, Vec::new()),
            // Nothing is known of what there is.
            ("show me the last 20 lines of the nginx log", 0, Vec::new()),
        ] {
            assert_eq!(absent(text, files), expected, "{text}, {files} files");
        }
    }

    #[test]
    fn what_was_read_is_said_again_in_the_words_of_its_pattern() {
        let shop = shop();
        for (rest, sentence) in [
            ("for customer ada", "list orders for customer ada"),
            ("for customer \"Ada Lovelace\"", "list orders for customer \"Ada Lovelace\""),
            ("where status is paid", "list orders where status is paid"),
            ("without email", "list orders without email"),
        ] {
            check(&shop, &format!("list orders zap zop {rest}"), &Names::default(), "zap zop", Some(sentence), "");
        }
        let details = sentry("sentry/issue_details");
        check(&details, "details zap zop of WEB-3M", &Names::default(), "zap zop", Some("WEB-3M"), "");
    }

    #[test]
    fn nothing_is_said_twice() {
        for (phrase, parts, sentence) in [
            ("errors", "errors | in file a.log | errors", "errors in file a.log"),
            ("how many <file>", "how many orders | how many", "how many orders"),
            ("count the rows in", "count the rows in | count rows | in a.csv", "count the rows in a.csv"),
            ("rows in", "rows in | top 5 | in a.csv", "rows in a.csv top 5"),
            ("<file> where", "a.csv where | where amount above 5", "a.csv where amount above 5"),
            ("<file> with", "a.csv with | top 5", "a.csv top 5"),
            ("search for <text>", "search for rows in | in a.log", "search for rows in a.log"),
            ("list orders", "list orders | for customer ada", "list orders for customer ada"),
        ] {
            let parts: Vec<String> = parts.split(" | ").map(str::to_owned).collect();
            assert_eq!(joined(phrase, &parts), sentence);
        }
    }

    #[test]
    fn a_sentence_that_is_too_long_or_unsafe_to_print_is_not_proposed() {
        let shop = shop();
        let start = "list orders for customer ";
        let fits = "a".repeat(SENTENCE_CHARS_MAX - start.len());
        let (nearest, too_long) = (format!("{start}{fits}"), format!("{fits}a"));
        for (name, sentence) in
            [(fits.as_str(), Some(nearest.as_str())), (too_long.as_str(), None), ("\"a\u{202e}b\"", None)]
        {
            let text = format!("list orders zap zop for customer {name}");
            check(&shop, &text, &Names::default(), "zap zop", sentence, "");
        }
    }

    #[test]
    fn a_change_is_not_proposed() {
        let router = sentry("sentry/resolve_issue");
        for text in ["resolve WEB-3M tomorrow", "resolve everything", "did you resolve WEB-3M"] {
            assert_eq!(told(&router, text, &Names::default()).1, None, "{text}");
        }
    }
}
