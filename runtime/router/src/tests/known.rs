//! Sentences about files whose names, columns and cells are known, and the built-in templates that they go to.

use super::*;

const MATCHES: &str = "matches.csv";

/// A name with one field, as a row of `data/columns` has it.
fn name(text: &str, field: &str, value: &str) -> Name {
    Name { text: text.to_owned(), fields: BTreeMap::from([(field.to_owned(), value.to_owned())]) }
}

/// What is known of two logs and of one table.
fn names() -> Names {
    let mut names = Names::default();
    let source = |pack: &str, values| Source { pack: pack.to_owned(), values };
    let columns = |field: &str| ValuesFrom::Template { name: "columns".to_owned(), field: field.to_owned() };
    let logs = ["httpd_access.log", "picker.log"].map(str::to_owned);
    names.insert(source("logs", ValuesFrom::Files), Arc::new(NameList::of_files(logs)));
    names.insert(source("data", ValuesFrom::Files), Arc::new(NameList::of_files([MATCHES.to_owned()])));
    let of_columns = [
        name("region", "role", "label"),
        name("ranked", "role", "label"),
        name("status", "role", "label"),
        name("created_at", "role", "date"),
        name("duration_s", "role", "measure"),
        name("lead_time_days", "role", "measure"),
    ];
    names.insert(source("data", columns("column")), Arc::new(NameList::of_names(of_columns)));
    let mut not_ranked = name("false", "of", "ranked");
    not_ranked.fields.insert("said".to_owned(), "without ranked".to_owned());
    let cells = [name("rejected", "of", "status"), name("created", "of", "status"), not_ranked];
    names.insert(source("data", columns("value")), Arc::new(NameList::of_names(cells)));
    names
}

fn check_known(expected: &[(&str, &str)]) {
    let catalog = embedded();
    let packs = ["data", "logs"];
    let router = Router::new(catalog.templates().filter(|of| packs.contains(&of.pack().id())).map(Card::of));
    check_with(&router, &names(), expected);
}

#[test]
fn a_whole_phrase_counts_where_a_sentence_says_nothing_else() {
    check_known(&[
        ("wich logs do we have here?", "logs/list_files"),
        ("what log files do you have there", "logs/list_files"),
        ("which tables are there", "data/list_files"),
        ("which logs have errors", "nothing"),
    ]);
}

#[test]
fn a_measure_without_its_column_is_asked_for() {
    check_known(&[
        ("average per region in matches", r#"data/summarize by=["region"] file="matches.csv" needs mean"#),
        (
            "average lead time per region in matches",
            r#"data/summarize by=["region"] file="matches.csv" mean="lead_time_days""#,
        ),
        ("how many matches altogether", r#"data/summarize count="rows" file="matches.csv""#),
    ]);
}

#[test]
fn names_are_said_in_the_words_around_them() {
    check_known(&[
        ("matches without the ranked", r#"data/find_rows column="ranked" equals="false" file="matches.csv""#),
        (
            "how many matches did we reject",
            r#"data/summarize column="status" count="rows" equals="rejected" file="matches.csv""#,
        ),
        (
            "how many matches created in november",
            r#"data/summarize count="rows" date_column="created_at" file="matches.csv" period="2026-11-01T00:00:00Z/2026-12-01T00:00:00Z""#,
        ),
        (
            "which ips got 404s in httpd, top 3",
            r#"logs/top_values field="ips" file="httpd_access.log" limit=3 text="404""#,
        ),
        ("last 3 rows of matches", r#"data/find_rows file="matches.csv" last=true limit=3"#),
        ("tail -15 picker", r#"logs/tail file="picker.log" limit=15"#),
    ]);
}

#[test]
fn what_no_data_have_and_what_is_two_things_is_refused() {
    check_known(&[
        ("how many matches will we have in december", "nothing"),
        ("picker: how many warnings and how many errors", "nothing"),
        ("top 10 matches by", "nothing"),
    ]);
}
