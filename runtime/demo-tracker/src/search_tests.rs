//! Both sides of the search language: the SQL that a query becomes, and the queries that are refused.

use super::*;

const NOW: i64 = 1_795_000_000;

/// Checks the conditions a query becomes. Bound values show as `?`, so none can hide in the text.
fn check(query: &str, expected: &str) {
    let search = Search::parse(query, NOW).unwrap_or_else(|error| panic!("{query}: {error}"));
    let mut sql = QueryBuilder::<Sqlite>::new("");
    search.push_conditions(&mut sql);
    assert_eq!(sql.into_string(), expected, "{query}");
}

fn check_terms(query: &str, expected: &[(bool, Filter)]) {
    let search = Search::parse(query, NOW).unwrap_or_else(|error| panic!("{query}: {error}"));
    let found: Vec<_> = search.terms.into_iter().map(|term| (term.negated, term.filter)).collect();
    assert_eq!(found, expected, "{query}");
}

fn refuse(query: &str, expected: &str) {
    match Search::parse(query, NOW) {
        Ok(search) => panic!("{query} was understood as {search:?}"),
        Err(error) => assert_eq!(error.to_string(), expected, "{query}"),
    }
}

fn column(column: Column, values: &[&str]) -> Filter {
    Filter::Column { column, values: values.iter().map(|value| Pattern::parse(value)).collect() }
}

fn tag(key: &str, values: &[&str]) -> Filter {
    let values = values.iter().map(|value| Pattern::parse(value)).collect();
    Filter::Tag { key: key.to_owned(), values }
}

fn range(number: Number, from: Option<i64>, until: Option<i64>) -> Filter {
    Filter::Range { number, from, until }
}

#[test]
fn values_are_bound_and_never_part_of_the_statement() {
    check("", "");
    check("   ", "");
    check("is:unresolved", " AND (i.status = ?)");
    check("!level:[info,debug]", " AND NOT (i.level = ? OR i.level = ?)");
    check("timesSeen:>=10", " AND (1 AND i.count >= ?)");
    check("error.type:*Error", " AND (i.kind LIKE ? ESCAPE '\\')");
    check(
        "release:\"a' OR 1=1 --\"",
        " AND (EXISTS (SELECT 1 FROM events e, json_each(e.tags) t WHERE e.issue_id = i.id AND t.key = ? \
         AND (t.value = ?)))",
    );
    check("'; DROP TABLE issues; --", " AND (i.title LIKE ? ESCAPE '\\' OR i.culprit LIKE ? ESCAPE '\\')");
}

#[test]
fn terms_mean_what_they_say() {
    check_terms(
        "is:archived !is:assigned is:escalating",
        &[
            (false, column(Column::Status, &["ignored"])),
            (false, column(Column::Assigned, &[""])),
            (false, column(Column::Substatus, &["escalating"])),
        ],
    );
    check_terms(
        "assigned:me assigned:[none,#backend]",
        &[
            (false, column(Column::Assigned, &["dana@demo.example"])),
            (false, column(Column::Assigned, &["", "#backend"])),
        ],
    );
    check_terms(
        "project:4507100000000101 issue:web-1a error.unhandled:1",
        &[
            (false, column(Column::Project, &["web"])),
            (false, column(Column::ShortId, &["WEB-1A"])),
            (false, column(Column::Unhandled, &["true"])),
        ],
    );
    check_terms(
        "browser.name:[Chrome, \"Mobile Safari\"] !tags[level]:info user.email:\"\" has:device",
        &[
            (false, tag("browser.name", &["Chrome", "Mobile Safari"])),
            (true, tag("level", &["info"])),
            (true, Filter::HasTag { key: "user.email".to_owned() }),
            (false, Filter::HasTag { key: "device".to_owned() }),
        ],
    );
}

#[test]
fn words_between_filters_are_one_phrase() {
    check_terms(
        "timed  out level:error \"read only\"",
        &[
            (false, Filter::Text(Pattern::Like("%timed out%".to_owned()))),
            (false, column(Column::Level, &["error"])),
            (false, Filter::Text(Pattern::Like("%read only%".to_owned()))),
        ],
    );
}

#[test]
fn ranges_are_half_open() {
    for (query, number, from, until) in [
        ("timesSeen:>100", Number::Count, Some(101), None),
        ("timesSeen:>=100", Number::Count, Some(100), None),
        ("timesSeen:<100", Number::Count, None, Some(100)),
        ("timesSeen:<=100", Number::Count, None, Some(101)),
        ("timesSeen:7", Number::Count, Some(7), Some(8)),
        ("age:-24h", Number::FirstSeen, Some(NOW - 86_400), None),
        ("age:+7d", Number::FirstSeen, None, Some(NOW - 7 * 86_400 + 1)),
        ("lastSeen:-2w", Number::LastSeen, Some(NOW - 14 * 86_400), None),
        ("firstSeen:2026-11-01", Number::FirstSeen, Some(1_793_491_200), Some(1_793_577_600)),
        ("lastSeen:>=2026-11-01T00:00:00", Number::LastSeen, Some(1_793_491_200), None),
        ("lastSeen:<2026-11-01T00:00:00Z", Number::LastSeen, None, Some(1_793_491_200)),
        ("lastSeen:2026-11-01T00:00:00Z", Number::LastSeen, Some(1_793_490_900), Some(1_793_491_560)),
    ] {
        check_terms(query, &[(false, range(number, from, until))]);
    }
}

#[test]
fn a_star_is_a_wildcard_and_the_rest_is_literal() {
    assert_eq!(Pattern::parse("a*b**c"), Pattern::Like("a%b%c".to_owned()));
    assert_eq!(Pattern::parse("100%*"), Pattern::Like("100\\%%".to_owned()));
    assert_eq!(Pattern::parse("a_b\\c*"), Pattern::Like("a\\_b\\\\c%".to_owned()));
    assert_eq!(Pattern::parse("2\\*3"), Pattern::Exact("2*3".to_owned()));
    assert_eq!(Pattern::parse("100%"), Pattern::Exact("100%".to_owned()));
}

#[test]
fn what_is_not_understood_is_refused_with_the_reason() {
    refuse("is:broken", "Invalid value 'broken' for \"is\" search");
    refuse("is:[resolved,assigned]", "Invalid value 'resolved,assigned' for \"is\" search");
    refuse("level:loud", "Invalid value 'loud' for \"level\" search");
    refuse("level:", "Empty string after 'level:'");
    refuse("level: error", "Empty string after 'level:'");
    refuse("level:[error,]", "Empty string after 'level:'");
    refuse("level:[error", "Parse error at column 6: unmatched bracket");
    refuse("release:\"1.0", "Parse error at column 8: unmatched quote");
    refuse("\"timed out", "Parse error at column 0: unmatched quote");
    refuse("a OR b", "Boolean statements containing \"OR\" or \"AND\" are not supported in this search");
    refuse("timesSeen:many", "Invalid number: 'many'. Expected an integer, or one after >, >=, < or <=");
    refuse(
        "age:yesterday",
        "Invalid date: 'yesterday'. Expected +/-duration (e.g. +1h) or ISO 8601-like (e.g. 2026-11-20T20:15:03)",
    );
    refuse("project:nothing", "Invalid query. Project(s) nothing do not exist or are not actively selected.");
}

#[test]
fn length_and_number_of_terms_end_where_they_say() {
    let words = |count: usize| vec!["a"; count].join(" ");
    assert!(Search::parse(&words(TERMS_MAX), NOW).is_ok());
    assert_eq!(Search::parse(&words(TERMS_MAX + 1), NOW), Err(SearchError::TooMany));
    let list = |count: usize| format!("release:[{}]", vec!["a"; count].join(","));
    assert!(Search::parse(&list(TERMS_MAX), NOW).is_ok());
    assert_eq!(Search::parse(&list(TERMS_MAX + 1), NOW), Err(SearchError::TooMany));
    assert!(Search::parse(&"a".repeat(QUERY_BYTES_MAX), NOW).is_ok());
    assert_eq!(Search::parse(&"a".repeat(QUERY_BYTES_MAX + 1), NOW), Err(SearchError::TooLong));
}

#[test]
fn letters_of_any_length_do_not_upset_the_reader() {
    for query in ["é:ü", "level:é", "\"é\\\"ü\" ☃", "[", "]", "!", "!:", ":", "\\", "\\*", "a[b", "!\"a\""] {
        let _ = Search::parse(query, NOW);
    }
}
