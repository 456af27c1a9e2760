//! Both sides of the search language: what a query asks for, and the queries that are refused.

use super::*;
use crate::data::Dataset;

const NOW: i64 = 1_795_000_000;

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

fn column(key: &str, values: &[&str]) -> Filter {
    let column = Column::of(key).expect("it is a column");
    Filter::Column { column, values: values.iter().map(|value| Pattern::parse(value)).collect() }
}

fn tag(key: &str, values: &[&str]) -> Filter {
    let values = values.iter().map(|value| Pattern::parse(value)).collect();
    Filter::Tag { key: key.to_owned(), values }
}

fn text(phrase: &str) -> Filter {
    Filter::Text(Pattern::Starred(["", phrase, ""].map(str::to_owned).to_vec()))
}

fn range(number: Number, from: Option<i64>, until: Option<i64>) -> Filter {
    Filter::Range { number, from, until }
}

#[test]
fn a_query_is_a_list_of_terms() {
    check_terms("", &[]);
    check_terms("   ", &[]);
    check_terms("is:unresolved", &[(false, column("status", &["unresolved"]))]);
    check_terms("!level:[info,debug]", &[(true, column("level", &["info", "debug"]))]);
    check_terms("timesSeen:>=10", &[(false, range(Number::Count, Some(10), None))]);
    check_terms("error.type:*Error", &[(false, column("error.type", &["*Error"]))]);
    check_terms("release:\"a' OR 1=1 --\"", &[(false, tag("release", &["a' OR 1=1 --"]))]);
    check_terms("'; DROP TABLE issues; --", &[(false, text("'; drop table issues; --"))]);
}

#[test]
fn each_kind_of_term_selects_what_it_says() {
    type Test = fn(&Issue) -> bool;
    let all = Dataset::generate(NOW).issues;
    let find = |query: &str, test: &dyn Fn(&Issue) -> bool| {
        let search = Search::parse(query, NOW).unwrap_or_else(|error| panic!("{query}: {error}"));
        let wrong = all.iter().find(|issue| search.matches(issue) != test(issue));
        assert_eq!(wrong, None, "{query}");
        all.iter().filter(|issue| search.matches(issue)).count()
    };
    let cases: &[(&str, Test)] = &[
        ("is:unresolved", |issue| issue.status == "unresolved"),
        ("!is:unresolved", |issue| issue.status != "unresolved"),
        ("is:ignored", |issue| issue.status == "ignored"),
        ("is:unassigned", |issue| issue.assigned_to.is_none()),
        ("assigned:[me, #backend]", |issue| {
            issue.assigned_to.is_some_and(|found| matches!(found.handle, "dana@demo.example" | "#backend"))
        }),
        ("level:[error,fatal]", |issue| matches!(issue.family().level, "error" | "fatal")),
        ("!level:error", |issue| issue.family().level != "error"),
        ("project:web", |issue| issue.project().slug == "web"),
        ("platform:python", |issue| issue.project().platform == "python"),
        ("error.type:*Error", |issue| issue.family().kind.ends_with("Error")),
        ("error.unhandled:true", |issue| !issue.family().handled),
        ("timesSeen:>100", |issue| issue.count > 100),
        ("age:-24h", |issue| issue.first_seen >= NOW - 86_400),
        ("age:+7d", |issue| issue.first_seen <= NOW - 7 * 86_400),
        ("lastSeen:-24h", |issue| issue.last_seen >= NOW - 86_400),
        ("CANNOT read", |issue| issue.title().to_lowercase().contains("cannot read")),
        ("/cart", |issue| issue.family().transaction.contains("/cart")),
        ("has:browser", |issue| issue.project().slug == "web"),
        ("runtime.name:CPython", |issue| issue.project().platform == "python"),
        ("browser:\"\"", |issue| issue.project().slug != "web"),
        ("firstRelease:latest", |issue| issue.first_release() == issue.project().releases[3]),
    ];
    for (query, test) in cases {
        let found = find(query, test);
        assert!(found > 0 && found < all.len(), "{query}");
    }
    assert_eq!(find("is:linked", &|_| false), 0);
    assert_eq!(find("is:unlinked !has:nothing", &|_| true), all.len());
}

#[test]
fn terms_mean_what_they_say() {
    check_terms(
        "is:archived !is:assigned is:escalating",
        &[
            (false, column("status", &["ignored"])),
            (false, column("assigned", &[""])),
            (false, column("substatus", &["escalating"])),
        ],
    );
    check_terms(
        "assigned:me assigned:[none,#backend]",
        &[(false, column("assigned", &["dana@demo.example"])), (false, column("assigned", &["", "#backend"]))],
    );
    check_terms(
        "project:4507100000000101 issue:web-1a error.unhandled:1",
        &[
            (false, column("project", &["web"])),
            (false, column("issue", &["WEB-1A"])),
            (false, column("error.unhandled", &["true"])),
        ],
    );
    check_terms(
        "browser.name:[Chrome, \"Mobile Safari\"] !tags[level]:info user.email:\"\" has:device",
        &[
            (false, tag("browser.name", &["Chrome", "Mobile Safari"])),
            (true, tag("level", &["info"])),
            (true, tag("user.email", &["*"])),
            (false, tag("device", &["*"])),
        ],
    );
    let latest = PROJECTS.each_ref().map(|project| project.releases[3]);
    check_terms(
        "release:latest firstRelease:web@4.12.0",
        &[(false, tag("release", &latest)), (false, column("firstRelease", &["web@4.12.0"]))],
    );
}

#[test]
fn words_between_filters_are_one_phrase() {
    check_terms(
        "timed  out level:error \"read only\"",
        &[(false, text("timed out")), (false, column("level", &["error"])), (false, text("read only"))],
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
    for (pattern, text, expected) in [
        ("a*b**c", "abc", true),
        ("a*b**c", "a-b-b-c", true),
        ("a*b**c", "abcd", false),
        ("a*b**c", "acb", false),
        ("ab*ba", "aba", false),
        ("*", "", true),
        ("100%*", "100% of it", true),
        ("100%*", "1000", false),
        ("a_b\\c*", "a_b\\cd", true),
        ("a_b\\c*", "axb\\cd", false),
        ("2\\*3", "2*3", true),
        ("2\\*3", "2**3", false),
        ("100%", "100%", true),
        ("100%", "1000", false),
        // A star makes the case of ASCII letters equal, and of no others.
        ("Error", "error", false),
        ("*Error", "TYPEERROR", true),
        ("*É", "é", false),
    ] {
        assert_eq!(Pattern::parse(pattern).matches(text), expected, "{pattern} {text}");
    }
    assert_eq!(Pattern::parse("2\\*3"), Pattern::Exact("2*3".to_owned()));
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
