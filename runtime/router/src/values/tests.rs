//! Values of sentences about a file and logs that are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use intentbox_catalog::Catalog;
use intentbox_catalog::param::ValuesFrom;
use serde_json::{Map, Value, json};

use crate::card::{Card, CardId};
use crate::names::{Name, NameList, Names, Source};
use crate::oracle::now;
use crate::{Question, Router};

/// The file `users.csv` with the columns `plan`, `device` and `email`, and the logs `web.log` and `orders-java.log`.
fn known() -> Names {
    let mut names = Names::default();
    let mut insert = |pack: &str, values: ValuesFrom, list: NameList| {
        names.insert(Source { pack: pack.to_owned(), values }, Arc::new(list));
    };
    let columns = |field: &str| ValuesFrom::Template { name: "columns".to_owned(), field: field.to_owned() };
    let name = |text: &str, field: &str, value: &str| Name {
        text: text.to_owned(),
        fields: BTreeMap::from([(field.to_owned(), value.to_owned())]),
    };
    insert("data", ValuesFrom::Files, NameList::of_files(["users.csv".to_owned()]));
    insert("logs", ValuesFrom::Files, NameList::of_files(["web.log", "orders-java.log"].map(str::to_owned)));
    let of_columns = ["plan", "device", "email"].map(|column| name(column, "role", "label"));
    insert("data", columns("column"), NameList::of_names(of_columns));
    let of_values = [("free", "plan"), ("tablet", "device"), ("phone", "device")];
    insert("data", columns("value"), NameList::of_names(of_values.map(|(value, of)| name(value, "of", of))));
    names
}

/// What a template reads of a sentence.
fn read(id: &str, text: &str) -> Value {
    let catalog = Catalog::embedded().expect("a test of the catalog loads the built-in templates");
    let router = Router::new([Card::of(catalog.get(id).expect("it is built in"))]);
    let names = known();
    let values = router.read(&Question { text, names: &names, now: now() }, &CardId::new(id)).expect("it is there");
    values.into_iter().collect::<Map<_, _>>().into()
}

fn check(id: &str, cases: &[(&str, Value)]) {
    for (text, expected) in cases {
        assert_eq!(read(id, text), *expected, "{text}");
    }
}

#[test]
fn the_request_takes_back_what_a_story_says_before_it() {
    let by_plan = json!({"file": "users.csv", "by": ["plan"], "count": "rows"});
    let cases = [
        ("we are dropping the free plan, so how many users are on each plan", by_plan.clone()),
        ("how many users are on each plan", by_plan.clone()),
        // It is all that compares, and may be meant.
        (
            "the tablet app is slow, so how many users are on each plan",
            json!({"file": "users.csv", "by": ["plan"], "count": "rows", "column": "device", "equals": "tablet"}),
        ),
        (
            "the tablet app is slow, how many users are there with plan free",
            json!({"file": "users.csv", "count": "rows", "column": "plan", "equals": "free"}),
        ),
        ("I have done this for two years now, so how many users are on each plan", by_plan),
        (
            "in the last two years, how many users are on each plan",
            json!({"file": "users.csv", "by": ["plan"], "count": "rows", "period": "730d"}),
        ),
    ];
    check("data/summarize", &cases);
    let cases = [
        ("we restarted it with fingers crossed, show me the newest lines of the web log", json!({"file": "web.log"})),
        ("newest lines of the web log with fingers crossed", json!({"file": "web.log", "text": "fingers crossed"})),
        (
            "we wait with \"fingers crossed\", show me the newest lines of the web log",
            json!({"file": "web.log", "text": "fingers crossed"}),
        ),
    ];
    check("logs/tail", &cases);
}

#[test]
fn a_short_form_is_the_name_in_full() {
    let all = json!({"file": "users.csv", "count": "rows"});
    check("data/summarize", &[("how many usrs", all.clone()), ("how many users", all)]);
}

#[test]
fn a_text_is_what_follows_its_verb_or_its_kind() {
    for (text, expected) in [
        ("lines containing the user 4412", "4412"),
        ("lines containing the ip 10.0.0.7", "10.0.0.7"),
        ("lines containing user deploy", "user deploy"),
        ("lines containing the status code 502", "502"),
        ("grep out of memory", "out of memory"),
        ("find upstream timed out in web.log", "upstream timed out"),
    ] {
        assert_eq!(read("logs/search", text)["text"], json!(expected), "{text}");
    }
}

#[test]
fn a_file_is_named_after_one_and_not_after_many() {
    let at = |file: &str| json!({"file": file});
    check(
        "logs/count_by_level",
        &[
            ("count the lines of the log files distributed over the levels", json!({})),
            ("count the lines of file distributed", at("distributed")),
            ("count the lines of the orders service by level", json!({"by": "level", "file": "orders-java.log"})),
        ],
    );
}
