//! Whether a command printed what its document shows, and what differs.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::{Captures, NoExpand, Regex};

/// What stands for text that the document leaves out.
const ELLIPSIS: &str = "…";

/// What varies between runs and machines: how it looks, and what both sides are compared with in its place.
///
/// The names and numbers of the demo tracker and of demo logs are not among them: both are made from fixed seeds. Their times
/// are relative to now, and are written in as many characters at any date.
const VARYING: [(&str, &str); 6] = [
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\b\d{4}-\d\d-\d\d\b", "DATE"),
    // The ids of runs.
    (r"\b[0-9a-f]{32}\b", "ID"),
    // Measured times.
    (r"\b\d+(\.\d+)? ms\b", "N ms"),
    (r"\bLinux \d\S*", "Linux VERSION"),
    // A server takes a free port.
    (r"\b127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
];

static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rules = VARYING.iter().map(|(pattern, kind)| (Regex::new(pattern).expect("a pattern of ours"), *kind));
    rules.collect()
});

/// What a run took, within its report. Fuel changes with the interpreter, the rest with the machine.
static SPENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""spent":\{[^}]*\}"#).expect("a pattern of ours"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+(\.\d+)?").expect("a pattern of ours"));

/// A line as it is compared.
fn comparable(line: &str) -> String {
    let in_spent = |spent: &Captures<'_>| NUMBER.replace_all(&spent[0], "N").into_owned();
    let line = SPENT.replace_all(line, in_spent).into_owned();
    RULES.iter().fold(line, |line, (rule, kind)| rule.replace_all(&line, NoExpand(kind)).into_owned())
}

/// One JSON object as it is compared and shown: without blanks, so that it does not matter where it was wrapped, and with
/// a line for each part.
fn parts_of_object(lines: &[String]) -> Vec<String> {
    let object: String = lines.concat().split_whitespace().collect();
    comparable(&object).split_inclusive(',').map(str::to_owned).collect()
}

/// Whether a line is what the document shows, `…` apart.
fn is_like(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split(ELLIPSIS);
    let Some(mut rest) = parts.next().and_then(|start| printed.strip_prefix(start)) else { return false };
    let mut between: Vec<&str> = parts.collect();
    let Some(end) = between.pop() else { return rest.is_empty() };
    for part in between {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(end)
}

/// What to do with the next line of one side or of both.
#[derive(Clone, Copy)]
enum Edit {
    /// Both have it.
    Keep,
    /// Only the document has it.
    Missing,
    /// Only the program printed it.
    Surplus,
}

/// The cheapest edit at a place, which is the number of lines shown and of lines printed before it: how many lines differ
/// from there on, the edit, and the place behind it. Nothing at the end. `costs` holds the numbers of all places behind.
fn cheapest(
    shown: &[String],
    printed: &[String],
    costs: &[Vec<usize>],
    (row, column): (usize, usize),
) -> Option<(usize, Edit, (usize, usize))> {
    let (expected, found) = (shown.get(row), printed.get(column));
    let mut edits = Vec::new();
    if let (Some(expected), Some(found)) = (expected, found) {
        if is_like(expected, found) {
            edits.push((costs[row + 1][column + 1], Edit::Keep, (row + 1, column + 1)));
        }
        if expected == ELLIPSIS {
            edits.push((costs[row][column + 1], Edit::Keep, (row, column + 1)));
        }
    }
    if expected.is_some() {
        edits.push((1 + costs[row + 1][column], Edit::Missing, (row + 1, column)));
    }
    if found.is_some() {
        edits.push((1 + costs[row][column + 1], Edit::Surplus, (row, column + 1)));
    }
    edits.into_iter().min_by_key(|(cost, ..)| *cost)
}

/// What differs between the lines that a document shows and those that were printed: all lines, with `-` before those of
/// the document and `+` before those of the program. Nothing where they agree.
pub(crate) fn difference(shown: &[String], printed: &[String]) -> Option<String> {
    if shown.first().is_some_and(|line| line.starts_with("{\"")) {
        let (shown, printed) = (parts_of_object(shown), parts_of_object(printed));
        return difference_of([&shown, &printed], [&shown, &printed]);
    }
    let compared = [shown, printed].map(|lines| lines.iter().map(|line| comparable(line)).collect::<Vec<_>>());
    difference_of([&compared[0], &compared[1]], [shown, printed])
}

/// The same for lines as they are `compared`, told with the lines as they were `written`: the document's first.
fn difference_of(compared: [&[String]; 2], written: [&[String]; 2]) -> Option<String> {
    let [shown, printed] = compared;
    let mut costs = vec![vec![0; printed.len() + 1]; shown.len() + 1];
    for row in (0..=shown.len()).rev() {
        for column in (0..=printed.len()).rev() {
            costs[row][column] = cheapest(shown, printed, &costs, (row, column)).map_or(0, |(cost, ..)| cost);
        }
    }
    if costs[0][0] == 0 {
        return None;
    }
    let mut text = String::new();
    let mut place = (0, 0);
    while let Some((_, edit, next)) = cheapest(shown, printed, &costs, place) {
        let (mark, line) = match edit {
            Edit::Keep => (' ', &written[1][place.1]),
            Edit::Missing => ('-', &written[0][place.0]),
            Edit::Surplus => ('+', &written[1][place.1]),
        };
        let _ = writeln!(text, "  {mark} {line}");
        place = next;
    }
    Some(text)
}

/// The same for texts.
fn told(shown: &str, printed: &str) -> Option<String> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    difference(&lines(shown), &lines(printed))
}

#[test]
fn equal_lines_agree_and_others_are_told() {
    for same in ["", "one", "one\n\n two"] {
        assert_eq!(told(same, same), None);
    }
    for (shown, printed, expected) in [
        ("one\ntwo\nthree", "one\nthree", "    one\n  - two\n    three\n"),
        ("one\nthree", "one\ntwo\nthree", "    one\n  + two\n    three\n"),
        ("one\ntwo", "one\n two", "    one\n  - two\n  +  two\n"),
        ("", "one", "  + one\n"),
        ("one", "", "  - one\n"),
        ("one", "one\n\n", "    one\n  + \n"),
    ] {
        assert_eq!(told(shown, printed).as_deref(), Some(expected), "{shown:?}, {printed:?}");
    }
}

#[test]
fn an_ellipsis_stands_for_text_within_a_line_and_for_lines() {
    for (shown, printed) in [
        ("a…", "abc"),
        ("…c", "abc"),
        ("a…c…e", "abcde"),
        ("a…b", "ab"),
        ("…", "one"),
        ("…", "one\ntwo"),
        ("…\ntwo", "one\none\ntwo"),
        ("one\n…", "one\ntwo\nthree"),
        ("one\n…\nfour", "one\ntwo\nthree\nfour"),
        ("…\ntwo\n…", "one\ntwo\ntwo\nthree"),
    ] {
        assert_eq!(told(shown, printed), None, "{shown:?}, {printed:?}");
    }
    for (shown, printed) in [
        ("a…", "bc"),
        ("…c", "ab"),
        ("a…c…e", "abde"),
        ("a…a", "a"),
        ("…", ""),
        ("one\n…", "one"),
        ("one\n…\nfour", "one\nfour"),
        ("one\n…", "two\nthree"),
    ] {
        assert!(told(shown, printed).is_some(), "{shown:?}, {printed:?}");
    }
    let expected = "    one\n    two\n    three\n    five\n  - four\n";
    assert_eq!(told("one\n…\nfour", "one\ntwo\nthree\nfive").as_deref(), Some(expected));
}

#[test]
fn what_varies_is_compared_by_its_kind() {
    for (line, expected) in [
        ("at 2026-11-21T18:45:03Z and 2026-11-21T18:45:03.123Z", "at TIME and TIME"),
        ("id 2026-11-21 12026-11-21", "id DATE 12026-11-21"),
        ("d185b17f3a54773f47b754503adec90a d185b17f3a54773f47b754503adec90", "ID d185b17f3a54773f47b754503adec90"),
        ("up after 41 ms, in 2.62 ms, 41 msec", "up after N ms, in N ms, 41 msec"),
        ("x86_64 Linux 6.18.44-a", "x86_64 Linux VERSION"),
        ("http://127.0.0.1:8350/mcp 192.0.2.1:80", "http://127.0.0.1:PORT/mcp 192.0.2.1:80"),
        (r#"{"a":1,"spent":{"fuel":12,"wall_ms":2.5},"b":3}"#, r#"{"a":1,"spent":{"fuel":N,"wall_ms":N},"b":3}"#),
    ] {
        assert_eq!(comparable(line), expected);
    }
    assert_eq!(told("1 on 2026-11-21", "1 on 2030-01-02"), None);
    assert_eq!(
        told("1 on 2026-11-21", "2 on 2030-01-02").as_deref(),
        Some("  - 1 on 2026-11-21\n  + 2 on 2030-01-02\n")
    );
}

#[test]
fn one_object_may_be_wrapped() {
    let printed = r#"{"a":[1,2],"b":"c d","spent":{"fuel":7}}"#;
    assert_eq!(told("{\"a\":[1,\n2],\"b\":\"c\nd\",\"spent\":{\"fuel\":9}}", printed), None);
    let expected = "    {\"a\":[1,\n  - 3],\n  + 2],\n    \"b\":\"cd\",\n    \"spent\":{\"fuel\":N}}\n";
    assert_eq!(told("{\"a\":[1,3],\n\"b\":\"c d\",\"spent\":{\"fuel\":9}}", printed).as_deref(), Some(expected));
}
