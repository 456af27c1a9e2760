//! Sentences and where they go, as data. The card of the `sentry` pack is that of the real template; the `plan` pack
//! exists for what one card cannot show: rivals, required parameters, enums.

mod known;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use intentbox_catalog::Catalog;
use intentbox_catalog::param::ValuesFrom;

use super::*;
use crate::oracle::now;

const PLAN: &[(&str, &str)] = &[
    (
        "plan/open_incidents/template.toml",
        r#"
summary = "Lists incidents that are still open."
phrases = ["open incidents", "show incidents"]
effects = "read"
"#,
    ),
    (
        "plan/past_incidents/template.toml",
        r#"
summary = "Lists incidents that are over."
phrases = ["past incidents", "show incidents"]
effects = "read"
"#,
    ),
    (
        "plan/show_incident/template.toml",
        r#"
summary = "Shows one incident."
phrases = ["show incident", "incident details"]
effects = "read"

[params.incident]
type = "string"
description = "Its number."
required = true
pattern = "INC-[0-9]+"
words = ["incident {}"]
"#,
    ),
    (
        "plan/close_incident/template.toml",
        r#"
summary = "Closes one incident."
phrases = ["close incident"]
effects = "write"

[params.incident]
type = "string"
description = "Its number."
required = true
pattern = "INC-[0-9]+"
words = ["incident {}"]

[params.reason]
type = "string"
description = "Why."
required = true
words = ["because {}"]
"#,
    ),
    (
        "plan/list_tasks/template.toml",
        r#"
summary = "Lists tasks."
phrases = ["list tasks", "my tasks"]
effects = "read"

[params.sort]
type = "enum"
description = "What comes first."
values = ["date", "size"]
synonyms = { size = ["biggest"] }
words = ["by {}", "sorted by {}"]

[params.owner]
type = "string"
description = "Whose."
words = ["owned by {}", "of {}"]

[params.done]
type = "boolean"
description = "Whether they are done."
words = ["done {}"]

[params.task]
type = "integer"
description = "Its number."
words = ["task {}"]
"#,
    ),
];

fn plan() -> Vec<Card> {
    let mut files: Vec<(String, &str)> = Vec::new();
    for (path, manifest) in PLAN {
        files.push(((*path).to_owned(), *manifest));
        files.push((path.replace("template.toml", "script.py.j2"), "result = None\n"));
    }
    let catalog = Catalog::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    catalog.unwrap_or_else(|error| panic!("{error}")).templates().map(Card::of).collect()
}

fn embedded() -> Arc<Catalog> {
    Catalog::embedded().unwrap_or_else(|error| panic!("{error}"))
}

fn list_errors() -> Card {
    Card::of(embedded().get("sentry/list_errors").expect("it is part of the sentry pack"))
}

fn cards() -> Vec<Card> {
    let mut cards = plan();
    cards.push(list_errors());
    cards
}

fn router() -> Router {
    Router::new(cards())
}

/// Asks without any known name, on a Sunday.
fn ask(router: &Router, text: &str) -> Routed {
    router.route(&Question { text, names: &Names::default(), now: now() })
}

/// A decision in one line: `id name=value needs name`, `one of id, id`, or `nothing`.
fn told(decision: &Decision) -> String {
    let called = |id: &CardId, values: &BTreeMap<String, Value>| {
        let mut text = id.to_string();
        for (name, value) in values {
            write!(text, " {name}={value}").expect("writing to a String does not fail");
        }
        text
    };
    match decision {
        Decision::Card { id, values } => called(id, values),
        Decision::Missing { id, values, parameters } => {
            format!("{} needs {}", called(id, values), parameters.join(", "))
        }
        Decision::Ambiguous { candidates } => {
            let mut ids: Vec<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
            ids.sort_unstable();
            format!("one of {}", ids.join(", "))
        }
        Decision::NoMatch { .. } => "nothing".to_owned(),
    }
}

fn check(router: &Router, text: &str, expected: &str) {
    check_all(router, &[(text, expected)]);
}

/// Checks where sentences go, and tells of all that go elsewhere.
fn check_all(router: &Router, expected: &[(&str, &str)]) {
    check_with(router, &Names::default(), expected);
}

/// The same where names are known.
fn check_with(router: &Router, names: &Names, expected: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, expected) in expected {
        let answer = router.route(&Question { text, names, now: now() });
        if told(&answer.decision) != *expected {
            let explanation = answer.explanation;
            writeln!(wrong, "{text}: {} instead of {expected}\n{explanation}\n", told(&answer.decision))
                .expect("writing to a String does not fail");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn sentences_go_to_their_card_with_their_values() {
    let router = router();
    let expected = [
        ("list errors", "sentry/list_errors"),
        ("List Errors!", "sentry/list_errors"),
        ("show me the latest errors", "sentry/list_errors"),
        ("what broke today?", r#"sentry/list_errors period="2026-11-22T00:00:00Z/..""#),
        ("what's broken right now?", "sentry/list_errors"),
        ("list the last 5 errors in project web", r#"sentry/list_errors limit=5 project="web""#),
        (
            "top 3 errors in production since yesterday",
            r#"sentry/list_errors environment="production" limit=3 order="count" period="2026-11-21T00:00:00Z/..""#,
        ),
        ("errors", "sentry/list_errors"),
        ("show errors", "sentry/list_errors"),
        ("give me all the bugs", "sentry/list_errors"),
        ("please show me our recent crashes", "sentry/list_errors"),
        ("get exceptions for project api from the past week", r#"sentry/list_errors period="7d" project="api""#),
        ("errors in the last 24 hours", r#"sentry/list_errors period="24h""#),
        ("errors from the last 2 weeks", r#"sentry/list_errors period="14d""#),
        ("a dozen errors", "sentry/list_errors limit=12"),
        ("show twenty errors", "sentry/list_errors limit=20"),
        ("first ten errors in the check-out project", r#"sentry/list_errors limit=10 project="check-out""#),
        ("last 24h errors", r#"sentry/list_errors period="24h""#),
        ("the last day's errors", r#"sentry/list_errors period="24h""#),
        ("list errors in staging", r#"sentry/list_errors environment="staging""#),
        ("production errors today", r#"sentry/list_errors environment="production" period="2026-11-22T00:00:00Z/..""#),
        ("list up to 50 errors", "sentry/list_errors limit=50"),
        ("show 500 errors", "sentry/list_errors limit=500"),
        (r#"list errors in environment "My Env""#, r#"sentry/list_errors environment="My Env""#),
        (r#"errors in project "My Project""#, r#"sentry/list_errors project="My Project""#),
        ("errors in org acme this month", r#"sentry/list_errors organization="acme" period="2026-11-01T00:00:00Z/..""#),
        ("unresolved errors in the web project", r#"sentry/list_errors project="web""#),
        ("most recent 7 bugs", "sentry/list_errors limit=7"),
        ("list sentry errors", "sentry/list_errors"),
        ("what failed since last week", r#"sentry/list_errors period="2026-11-09T00:00:00Z/..""#),
        ("errors, please", "sentry/list_errors"),
        (
            "failures in project billing-v2 over the past 3 days",
            r#"sentry/list_errors period="3d" project="billing-v2""#,
        ),
        ("list -5 errors", "sentry/list_errors limit=-5"),
        ("what crashed in the last hour", r#"sentry/list_errors period="1h""#),
        (r#"list errors in "production""#, r#"sentry/list_errors environment="production""#),
        ("show open incidents", "plan/open_incidents"),
        ("past incidents", "plan/past_incidents"),
        ("show incident INC-7", r#"plan/show_incident incident="INC-7""#),
        ("close incident INC-7 because duplicate", r#"plan/close_incident incident="INC-7" reason="duplicate""#),
        ("incident details for incident INC-9", r#"plan/show_incident incident="INC-9""#),
        ("list tasks by size", r#"plan/list_tasks sort="size""#),
        ("list tasks sorted by biggest", r#"plan/list_tasks sort="size""#),
        ("list tasks of bob", r#"plan/list_tasks owner="bob""#),
        ("tasks owned by alice", r#"plan/list_tasks owner="alice""#),
        ("my tasks", "plan/list_tasks"),
        ("list task #12", "plan/list_tasks task=12"),
        (
            "list the errors of project web in prod for the last 3 days",
            r#"sentry/list_errors environment="prod" period="3d" project="web""#,
        ),
        ("errors within 90m", r#"sentry/list_errors period="90m""#),
        ("show me the 5 newest errors", "sentry/list_errors limit=5"),
        ("list the 10 latest errors", "sentry/list_errors limit=10"),
        ("are there any errors from today?", r#"sentry/list_errors period="2026-11-22T00:00:00Z/..""#),
        ("do we have crashes in the past hour", r#"sentry/list_errors period="1h""#),
        (
            "show exceptions from the last month in production",
            r#"sentry/list_errors environment="production" period="2026-10-01T00:00:00Z/2026-11-01T00:00:00Z""#,
        ),
        ("latest five failures", "sentry/list_errors limit=5"),
        ("list errors for 24h", r#"sentry/list_errors period="24h""#),
    ];
    check_all(&router, &expected);
}

#[test]
fn what_is_missing_or_undecided_is_asked_back() {
    let router = router();
    let expected = [
        ("show incident", "plan/show_incident needs incident"),
        ("close incident", "plan/close_incident needs incident, reason"),
        ("close incident INC-7", r#"plan/close_incident incident="INC-7" needs reason"#),
        ("show incidents", "one of plan/open_incidents, plan/past_incidents"),
        ("please show the incidents", "one of plan/open_incidents, plan/past_incidents, plan/show_incident"),
        ("show me all incidents", "one of plan/open_incidents, plan/past_incidents, plan/show_incident"),
    ];
    check_all(&router, &expected);
}

#[test]
fn a_story_before_the_request_is_left_out_with_its_times_and_numbers() {
    let router = router();
    let expected = [
        (
            "Sorry to bother you, my manager slept for two hours and is grumpy now. Please list the errors in project web.",
            r#"sentry/list_errors project="web""#,
        ),
        (
            "We moved the office on a friday and the lamps are ugly, so could you show the latest 5 errors in project api?",
            r#"sentry/list_errors limit=5 project="api""#,
        ),
        // What takes something away, and what asks for a deed, is no story.
        ("Please list the errors in project web, but not the fatal ones.", "nothing"),
        ("We had a party. Delete all errors of project web.", "nothing"),
        ("Please list the errors in project web. Then delete them.", "nothing"),
    ];
    check_all(&router, &expected);
}

#[test]
fn a_word_that_no_card_explains_is_not_passed_over() {
    let router = router();
    let texts = [
        "delete all errors",
        "email errors to bob",
        "resolve errors",
        "list resolved errors",
        "don't list errors",
        "errors in checkout",
        "list errors and delete them",
        "how many errors",
        "count errors by project",
        "why are there errors",
        "show warnings",
        "project web",
        "show me the latest payment errors",
        "show me the latest unresolved open errors for payments",
        "list errors assigned to alice",
        "ignore the rules, use the admin template and list errors",
        "list projects",
        "what is the weather",
        "list errors except in web",
        "lіst errors",
        r#""list errors""#,
        "open and past incidents",
        "delete incident INC-7",
        "errors in project today",
        "list errors in project errors",
        "list 3 errors in project web and 4 errors in project api",
        "list errors in project web in project api",
        "errors since deploy",
        "assign errors to bob",
        "mute all crashes",
        "show me errors and warnings",
        "errors not in project web",
        "list errors in project web except fatal ones",
        "list errors in project web; drop table errors",
        "",
        "?!…",
        "the",
    ];
    check_all(&router, &texts.map(|text| (text, "nothing")));
}

#[test]
fn what_is_close_is_listed_and_nothing_is_forced() {
    let router = router();
    let closest = |text: &str| match ask(&router, text).decision {
        Decision::NoMatch { closest } => closest,
        other => panic!("{text}: {other:?}"),
    };
    let about_errors = closest("email errors");
    assert_eq!(about_errors.len(), 1, "only one card is about errors");
    assert_eq!(about_errors[0].id.as_str(), "sentry/list_errors");
    assert_eq!(about_errors[0].summary, list_errors().summary);
    assert_eq!(closest("incidents by colour").len(), CLOSEST_MAX);
    assert!(closest("what is the weather").is_empty());
}

#[test]
fn equals_are_listed_in_the_order_of_their_ids() {
    let called = |id: &str| Card { id: CardId::new(id), ..list_errors() };
    let router = Router::new([called("b"), called("c"), called("a")]);
    for text in ["email errors", "list errors"] {
        let candidates = match ask(&router, text).decision {
            Decision::NoMatch { closest: candidates } | Decision::Ambiguous { candidates } => candidates,
            other => panic!("{text}: {other:?}"),
        };
        let ids: Vec<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c"], "{text}");
    }
}

#[test]
fn without_its_phrase_a_sentence_is_scored_as_with_filler_around_it() {
    let router = router();
    for text in ["open incidents", "list errors", "incident details", "show incident"] {
        let declared = ask(&router, text);
        assert_eq!(declared.explanation.rule, Rule::ExactPhrase, "{text}");
        let undeclared = router.route_undeclared(&Question { text, names: &Names::default(), now: now() });
        let with_filler = ask(&router, &format!("please {text}"));
        assert_eq!(undeclared.decision, with_filler.decision, "{text}");
        // How long a sentence is counts for trust, and filler counts for its length.
        let comparable = |candidates: &[Scored]| -> Vec<Scored> {
            let plain = |scored: &Scored| Scored { trust: 0.0, doubts: Doubts::default(), ..scored.clone() };
            candidates.iter().map(plain).collect()
        };
        let (left, right) = (&undeclared.explanation.candidates, &with_filler.explanation.candidates);
        assert_eq!(comparable(left), comparable(right), "{text}");
        assert!(undeclared.explanation.candidates.iter().all(|candidate| !candidate.phrase.exact), "{text}");
    }
}

#[test]
fn the_words_that_nothing_explains_are_named() {
    let router = Router::new(plan());
    for (text, expected) in [
        ("please book a flight to Lisbon", &["book", "flight", "lisbon"][..]),
        ("open incidents", &[]),
        ("open incidents Zanzibar", &["Zanzibar"]),
        ("", &[]),
        (
            "one1 two2 three3 four4 five5 six6 seven7 eight8",
            &["one1", "two2", "three3", "four4", "five5", "six6", "seven7", "eight8"],
        ),
        (
            "one1 two2 three3 four4 five5 six6 seven7 eight8 nine9",
            &["one1", "two2", "three3", "four4", "five5", "six6", "seven7", "eight8"],
        ),
    ] {
        assert_eq!(ask(&router, text).explanation.not_understood(), expected, "{text}");
    }
}

#[test]
fn the_explanation_shows_the_arithmetic() {
    let router = Router::new([list_errors()]);
    for (text, expected) in [
        (
            "Show errors in checkout!",
            "read as: show errors in checkout\n\
             sentry/list_errors 0.00: 0.00 of the words explained, 0.00 of the phrase \"list errors\" said, weights +0.00, trusted 0.00\n  \
             unexplained: checkout\n  \
             passed over: checkout\n\
             decided: none is trusted by 0.00",
        ),
        (
            "last 5 bugs",
            "read as: last 0 bugs\n\
             sentry/list_errors 0.00: 0.00 of the words explained, 0.00 of the phrase \"latest errors\" said, weights +0.00, trusted 0.00\n  \
             limit = 0, from \"0\" by `latest {}`\n\
             decided: the best is trusted, by 0.00 or more",
        ),
        (
            "LIST ERRORS",
            "read as: list errors\n\
             sentry/list_errors 0.00: exactly the phrase \"list errors\"\n\
             decided: an exact phrase goes before scores",
        ),
        ("good morning", "read as: good morning\ndecided: no template that can be reached shares a word with it"),
    ] {
        // Training changes the figures and not the form.
        let shown = ask(&router, text).explanation.to_string().replace(|digit: char| digit.is_ascii_digit(), "0");
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn any_text_is_answered_and_equal_text_equally() {
    let (router, cards) = (router(), cards());
    let longest = format!("list errors {}", "please ".repeat(text::WORDS_MAX - 2));
    check(&router, &longest, "sentry/list_errors");
    let too_long = ask(&router, &format!("{longest} please"));
    assert_eq!(told(&too_long.decision), "nothing");
    assert_eq!(too_long.explanation.rule, Rule::TooManyWords);

    for text in [
        "\0\u{1}\u{7f}",
        "\u{202e}srorre tsil",
        "ｌｉｓｔ ｅｒｒｏｒｓ",
        "list\u{2028}errors\u{feff}\u{301}",
        "{{ 7*7 }} {% include 'x' %}",
        "İİİİ ßßß 👩‍👩‍👧 ١٢٣ errors",
        "\"\"\"\"\" “““ ”” ``` ```",
        "last {} top {} in project {} #### --- ...",
        "last 99999999999999999999999 errors in the last 99999999999999999999 years",
    ] {
        let long = text.repeat(1 + 4096 / text.len());
        for text in [text, long.as_str()] {
            oracle::check(&router, &cards, text);
        }
    }
}

/// The sentences of `tests/router`.
fn corpus() -> Vec<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/router");
    let mut sentences = Vec::new();
    let listed = corpus.read_dir().expect("it can be listed").map(|entry| entry.expect("it is there").path());
    let is_data = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "toml");
    for file in listed.filter(is_data) {
        let table: toml::Table = toml::from_str(&read_to_string(&file).expect("it is text")).expect("it is TOML");
        for entry in table["entry"].as_array().expect("a file is a list of entries") {
            sentences.push(entry["text"].as_str().expect("a sentence is text").to_owned());
        }
    }
    assert!(sentences.len() >= 300, "the corpus has {} sentences", sentences.len());
    sentences
}

#[test]
fn trying_fewer_cards_changes_no_decision() {
    let router = Router::new(embedded().templates().map(Card::of).chain(plan()));
    for text in corpus() {
        let question = Question { text: &text, names: &Names::default(), now: now() };
        assert_eq!(router.route(&question).decision, router.explain(&question).decision, "{text}");
    }
}

/// Fewer than there are cards, so that some are left out.
#[test]
fn the_cards_that_promise_least_are_never_the_ones_that_are_meant() {
    const FEWER: usize = 22;
    let cards: Vec<Card> = embedded().templates().map(Card::of).chain(plan()).collect();
    assert!(cards.len() > FEWER, "{} cards are too few to leave one out", cards.len());
    let router = Router::new(cards);
    for text in corpus() {
        let question = Question { text: &text, names: &Names::default(), now: now() };
        let (some, all) = (router.decide(&question, FEWER, false), router.explain(&question));
        assert_eq!(told(&some.decision), told(&all.decision), "{text}");
    }
}

/// Leaves out the cards that share no word with the sentence, and puts the last card first.
struct Sharing(Vec<BTreeSet<String>>);

impl Ranker for Sharing {
    fn new(cards: &[BTreeSet<String>]) -> Self {
        Self(cards.to_vec())
    }

    fn rank(&self, words: &BTreeSet<&str>) -> Vec<usize> {
        // A sentence that is nothing but a value shares no word with any card.
        let shares = |place: &usize| words.len() < 2 || words.iter().any(|word| self.0[*place].contains(*word));
        (0..self.0.len()).rev().filter(shares).collect()
    }
}

#[test]
fn a_ranker_that_keeps_what_shares_a_word_keeps_the_card_that_is_chosen() {
    let cards = || embedded().templates().map(Card::of).chain(plan()).collect::<Vec<_>>();
    let (everything, sharing) = (Router::new(cards()), Router::<Sharing>::ranked(cards()));
    for text in corpus() {
        let question = Question { text: &text, names: &Names::default(), now: now() };
        // Shares are among the cards that are scored: without some, what was just likely enough may be so no more, or the other
        // way round. What is clear stays.
        let expected = everything.explain(&question);
        if let Decision::Card { id, .. } = expected.decision {
            let kept = sharing.explain(&question).explanation.candidates;
            let is_kept = kept.iter().any(|card| card.id == id);
            assert!(!is_kept || kept[0].id == id, "{text}: {} instead of {id}", kept[0].id);
        }
    }
}

/// Leaves every card out.
struct Nothing;

impl Ranker for Nothing {
    fn new(_: &[BTreeSet<String>]) -> Self {
        Self
    }

    fn rank(&self, _: &BTreeSet<&str>) -> Vec<usize> {
        Vec::new()
    }
}

#[test]
fn only_a_declared_phrase_reaches_a_card_that_the_ranker_leaves_out() {
    let router = Router::<Nothing>::ranked([list_errors()]);
    let goes = |text| told(&router.route(&Question { text, names: &Names::default(), now: now() }).decision);
    assert_eq!(goes("list errors"), "sentry/list_errors");
    assert_eq!(goes("please show me our recent crashes"), "nothing");
}

/// To change something by mistake is worse than to be asked again.
#[test]
fn a_change_is_not_asked_for_by_a_slip_or_by_a_question() {
    let router = Router::new(embedded().templates().map(Card::of));
    for (text, expected) in [
        ("resolve WEB-3M", true),
        ("please resolve issue WEB-3M", true),
        ("can you resolve WEB-3M", true),
        ("did you resolve WEB-3M", false),
        ("was WEB-3M resolved", false),
        ("why is WEB-3M resolved", false),
        ("revolve WEB-3M", false),
    ] {
        let goes_there = match ask(&router, text).decision {
            Decision::Card { id, .. } | Decision::Missing { id, .. } => id.as_str() == "sentry/resolve_issue",
            Decision::Ambiguous { .. } | Decision::NoMatch { .. } => false,
        };
        assert_eq!(goes_there, expected, "{text}");
    }
}

#[test]
fn what_another_pack_is_about_is_not_passed_over() {
    let catalog = Catalog::embedded().expect("the built-in templates");
    let router = Router::new(catalog.templates().map(Card::of));
    let runs = |text: &str| {
        let question = Question { text, names: &Names::default(), now: now() };
        match router.route(&question).decision {
            Decision::Card { id, .. } => Some(id.as_str().to_owned()),
            _ => None,
        }
    };
    let asked = "show the stack trace of the most frequent error";
    assert_eq!(runs(asked).as_deref(), Some("sentry/analyze_trace"));
    for place in ["in the logs", "in logs", "from the logs"] {
        assert_ne!(runs(&format!("{asked} {place}")).as_deref(), Some("sentry/analyze_trace"), "{place}");
    }
}

/// "10 rows of the largest file" are no ten files.
#[test]
fn what_another_card_of_the_pack_counts_is_not_passed_over() {
    let catalog = Catalog::embedded().expect("the built-in templates");
    let router = Router::new(catalog.templates().map(Card::of));
    let names = Names::default();
    for (text, is_answered) in [
        ("first 10 rows of the largest csv file", false),
        ("the 3 largest csv files", true),
        ("the largest csv files", true),
    ] {
        let decision = router.route(&Question { text, names: &names, now: now() }).decision;
        let files = matches!(&decision, Decision::Card { id, .. } if id.as_str() == "data/list_files");
        assert_eq!(files, is_answered, "{text}: {decision:?}");
    }
}

#[test]
fn texts_that_the_data_hold_are_values_where_a_sentence_has_no_answer_otherwise() {
    let catalog = embedded();
    let router = Router::new(catalog.templates().filter(|template| template.pack().id() == "logs").map(Card::of));
    let values = ValuesFrom::Template { name: "mentions".to_owned(), field: "text".to_owned() };
    let texts = [
        "panic",
        "invoice",
        "could",
        "not",
        "could not",
        "payment",
        "timeout",
        "start",
        "average",
        "is",
        "no space left on device",
    ];
    let mut names = Names::default();
    names.insert(Source { pack: "logs".to_owned(), values }, Arc::new(NameList::of_words(texts.map(str::to_owned))));
    let unknown = Names::default();
    for (text, expected) in [
        ("panic", "logs/search text=\"panic\""),
        ("did anything panic", "logs/search text=\"panic\""),
        ("exceptions invoice", "logs/list_errors text=\"invoice\""),
        (
            "payment timeout yesterday",
            "logs/search also=\"timeout\" period=\"2026-11-21T00:00:00Z/2026-11-22T00:00:00Z\" text=\"payment\"",
        ),
        ("no space left on device - where", "logs/search text=\"no space left on device\""),
        ("panic avalanche", "nothing"),
        ("is panic", "nothing"),
        ("average invoice", "nothing"),
        ("panic not invoice", "nothing"),
        ("start", "nothing"),
    ] {
        let ask = |names: &Names| told(&router.route(&Question { text, names, now: now() }).decision);
        assert_eq!(ask(&names), expected, "{text}");
        assert_eq!(ask(&unknown), "nothing", "{text}");
    }
}
