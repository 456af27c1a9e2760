//! The oracle of fuzz target and property tests: the answer does not depend on how the bytes are cut into pieces.

use crate::{Answer, By, Level, Levels, MESSAGES_MAX, Query, Scan, Want, count};

/// Files that the bytes are dealt out to.
const FILES: [&str; 3] = ["a.log", "b/c.log", ""];

/// Some time in 2026, so that bounds in time have something on both sides.
const NOW_MS: i64 = 1_795_000_000_000;

/// What the property tests hold: the first four bytes choose a question and sizes of pieces, the rest is read whole and
/// in pieces. Both give the same answer, what is held stays within its bound all the while, and the numbers of the answer
/// agree with each other.
///
/// # Panics
/// When that does not hold: it is an oracle.
pub(crate) fn oracle(bytes: &[u8]) {
    let [question, filter, size, files, content @ ..] = bytes else { return };
    let query = query(*question, *filter);
    let parts = content.chunks(content.len() / usize::from(files % 3 + 1) + 1);
    let texts: Vec<&[u8]> = parts.collect();

    let whole = scan(&query, &texts, |text| vec![text]);
    let pieces = scan(&query, &texts, |text| {
        // From single bytes to more than a line holds, and one piece of nothing.
        let length = if *size < 64 { usize::from(*size) + 1 } else { usize::from(*size) * 300 };
        let mut pieces: Vec<&[u8]> = text.chunks(length).collect();
        pieces.insert(pieces.len() / 2, &[]);
        pieces
    });
    assert_eq!(whole, pieces, "the answer depends on where pieces were cut");
    consistent(&query, &whole, content.len());
}

fn query(question: u8, filter: u8) -> Query {
    let by = [By::Level, By::File, By::Hour, By::Day, By::Minute];
    let values = |field: &str| Want::Values { field: field.to_owned(), limit: 3 };
    let fields = ["ip", "level", "host", "n.a", "status", "b", "a"];
    let want = match question % 9 {
        8 => values(fields[usize::from(question / 9) % fields.len()]),
        0 => Want::Top { limit: 3 },
        1 => Want::Records { limit: 1, newest: true },
        2 => Want::Records { limit: 3, newest: true },
        3 => Want::Records { limit: 3, newest: false },
        other => Want::Counts { by: by[usize::from(other + question / 8) % by.len()] },
    };
    let bit = |index: u8| filter >> index & 1 == 1;
    let mut query = Query::new(want);
    query.levels = match filter % 4 {
        0 | 1 => Levels::Any,
        2 => Levels::AtLeast(Level::Warning),
        _ => Levels::Exactly(vec![Level::Error, Level::Unknown]),
    };
    query.text = [(bit(2), "or"), (bit(3) && bit(4), "Ä")]
        .into_iter()
        .filter(|(wanted, _)| *wanted)
        .map(|(_, text)| text.to_owned())
        .collect();
    query.since_ms = bit(5).then_some(NOW_MS - 86_400_000);
    query.until_ms = bit(6).then_some(NOW_MS);
    query.now_ms = bit(7).then_some(NOW_MS);
    query
}

fn scan<'a>(query: &Query, texts: &[&'a [u8]], cut: impl Fn(&'a [u8]) -> Vec<&'a [u8]>) -> Answer {
    let mut scan = Scan::new(query.clone()).expect("the query is within its bounds");
    for (text, name) in texts.iter().copied().zip(FILES) {
        scan.begin_file(name);
        for piece in cut(text) {
            scan.feed(piece);
            scan.check();
        }
        scan.end_of_file();
        scan.check();
    }
    scan.answer()
}

/// Asserts what holds between the parts of an answer.
fn consistent(query: &Query, answer: &Answer, bytes: usize) {
    let seen = answer.seen;
    assert_eq!(usize::try_from(seen.bytes), Ok(bytes), "all bytes are counted");
    assert!(seen.records <= seen.lines && seen.unparsed <= seen.records && seen.undated <= seen.records);
    assert!(seen.within <= seen.records && seen.matched + seen.unleveled <= seen.within);
    assert!(seen.fatal + seen.requests <= seen.matched, "no request is fatal");
    if let Some(counts) = &answer.counts {
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), seen.matched, "a record counts once");
    }
    if let Some(top) = &answer.top {
        assert!(top.top.is_sorted_by(|one, other| one.count >= other.count), "the most frequent come first");
        assert!(top.exact || seen.records > count(MESSAGES_MAX), "so few messages are counted exactly");
    }
    if let Some(values) = &answer.values {
        let shown: u64 = values.values.iter().map(|(_, count)| count).sum();
        assert!(values.values.is_sorted_by(|one, other| one.1 >= other.1), "the most frequent come first");
        assert!(!values.exact || shown + values.without <= seen.matched, "a record counts once");
    }
    if let (Some(records), &Want::Records { limit, .. }) = (&answer.records, &query.want) {
        let table = query.levels.table();
        assert_eq!(u64::try_from(limit).unwrap_or(u64::MAX).min(seen.matched), count(records.len()));
        assert!(records.iter().all(|record| table[record.level.index()]));
    }
    let json = serde_json::to_string(answer).expect("an answer is JSON");
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
}
