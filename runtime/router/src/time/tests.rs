//! Times as people say them.

use super::*;
use crate::text::split;

/// Sunday.
const NOW: &str = "2026-11-22T12:00:00Z";

#[test]
fn windows_are_read_as_people_mean_them() {
    for (text, expected) in [
        ("errors today", "2026-11-22T00:00:00Z/.."),
        ("errors from yesterday", "2026-11-21T00:00:00Z/2026-11-22T00:00:00Z"),
        ("this morning", "2026-11-22T00:00:00Z/2026-11-22T12:00:00Z"),
        ("yesterday evening", "2026-11-21T18:00:00Z/2026-11-22T00:00:00Z"),
        ("since 8 this morning", "2026-11-22T08:00:00Z/.."),
        ("what broke since 8", "2026-11-22T08:00:00Z/.."),
        ("errors since 10 in orders-api", "2026-11-22T10:00:00Z/.."),
        ("lines around 04:13 in syslog", "2026-11-22T04:08:00Z/2026-11-22T04:19:00Z"),
        ("around 11:57", "2026-11-22T11:52:00Z/.."),
        ("around 3pm", "2026-11-21T15:00:00Z/2026-11-21T16:00:00Z"),
        ("errors since we switched the certificate at 9 this morning", "2026-11-22T09:00:00Z/.."),
        ("crashes since the deploy on friday", "2026-11-20T00:00:00Z/.."),
        ("since the deploy, errors on friday", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("since the deploy the last 3 hours", "3h"),
        ("since 14, errors", "2026-11-21T14:00:00Z/.."),
        ("before 6 this morning", "../2026-11-22T06:00:00Z"),
        ("at 9 in the evening", "2026-11-21T21:00:00Z/2026-11-21T22:00:00Z"),
        ("between 2 and 4 am today", "2026-11-22T02:00:00Z/2026-11-22T04:00:00Z"),
        ("for the month so far", "2026-11-01T00:00:00Z/.."),
        ("from oct 25 up to and including nov 5", "2026-10-25T00:00:00Z/2026-11-06T00:00:00Z"),
        ("last night", "2026-11-21T18:00:00Z/2026-11-22T06:00:00Z"),
        // At noon, the night that has begun is the last one.
        ("this night", "2026-11-21T18:00:00Z/2026-11-22T06:00:00Z"),
        ("tonight", "2026-11-21T18:00:00Z/2026-11-22T06:00:00Z"),
        ("this week", "2026-11-16T00:00:00Z/.."),
        ("last week", "2026-11-09T00:00:00Z/2026-11-16T00:00:00Z"),
        ("over the past week", "7d"),
        ("in the last month", "2026-10-01T00:00:00Z/2026-11-01T00:00:00Z"),
        ("monday", "2026-11-16T00:00:00Z/2026-11-17T00:00:00Z"),
        ("since monday", "2026-11-16T00:00:00Z/.."),
        ("on friday at 3pm", "2026-11-20T15:00:00Z/2026-11-20T16:00:00Z"),
        ("errors on nov 20", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("20th of november", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("on the 20th", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("on december 24", "2025-12-24T00:00:00Z/2025-12-25T00:00:00Z"),
        ("2026-11-20", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("20.11.2026", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("between 10:00 and 10:05", "2026-11-22T10:00:00Z/2026-11-22T10:05:00Z"),
        ("between 10:00 and 10:05 yesterday", "2026-11-21T10:00:00Z/2026-11-21T10:05:00Z"),
        ("yesterday between 10 am and 11 am", "2026-11-21T10:00:00Z/2026-11-21T11:00:00Z"),
        ("10:00-10:05", "2026-11-22T10:00:00Z/2026-11-22T10:05:00Z"),
        ("from 9am to 11am on nov 20", "2026-11-20T09:00:00Z/2026-11-20T11:00:00Z"),
        ("between 23:00 and 01:00", "2026-11-21T23:00:00Z/2026-11-22T01:00:00Z"),
        ("from nov 18 to nov 20", "2026-11-18T00:00:00Z/2026-11-21T00:00:00Z"),
        ("since 2026-11-21 18:00", "2026-11-21T18:00:00Z/.."),
        ("since 2026-11-21T18:00:00Z", "2026-11-21T18:00:00Z/.."),
        ("since 22:00", "2026-11-21T22:00:00Z/.."),
        ("since yesterday 6pm", "2026-11-21T18:00:00Z/.."),
        ("before nov 20", "../2026-11-20T00:00:00Z"),
        ("until nov 20", "../2026-11-21T00:00:00Z"),
        ("after nov 20", "2026-11-21T00:00:00Z/.."),
        ("in the last 24 hours", "24h"),
        ("last 24h", "24h"),
        ("past 3 days", "3d"),
        ("last hour", "1h"),
        ("last couple of days", "2d"),
        ("last few hours", "3h"),
        ("half an hour", "30m"),
        ("since 3 hours", "3h"),
        ("since an hour ago", "2026-11-22T11:00:00Z/.."),
        ("2 days ago", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z"),
        ("in october", "2026-10-01T00:00:00Z/2026-11-01T00:00:00Z"),
        ("over the weekend", "2026-11-21T00:00:00Z/.."),
        ("last weekend", "2026-11-14T00:00:00Z/2026-11-16T00:00:00Z"),
        ("november 1 to 15", "2026-11-01T00:00:00Z/2026-11-16T00:00:00Z"),
        ("between 1 and 15 november", "2026-11-01T00:00:00Z/2026-11-16T00:00:00Z"),
        ("from 3rd to 5th of october", "2026-10-03T00:00:00Z/2026-10-06T00:00:00Z"),
        ("nov 20 from 3 pm to 5 pm", "2026-11-20T15:00:00Z/2026-11-20T17:00:00Z"),
        ("hired in 2025", "2025-01-01T00:00:00Z/2026-01-01T00:00:00Z"),
        ("joined after 2024", "2025-01-01T00:00:00Z/.."),
        ("orders before 2026", "../2026-01-01T00:00:00Z"),
        ("since 2024", "2024-01-01T00:00:00Z/.."),
        ("this quarter", "2026-10-01T00:00:00Z/.."),
        ("last quarter", "2026-07-01T00:00:00Z/2026-10-01T00:00:00Z"),
        ("revenue in q3", "2026-07-01T00:00:00Z/2026-10-01T00:00:00Z"),
        ("q4 2025", "2025-10-01T00:00:00Z/2026-01-01T00:00:00Z"),
        ("q4", "2026-10-01T00:00:00Z/.."),
    ] {
        assert_window(text, expected);
    }
}

#[test]
fn hours_are_times_beside_a_day_or_another_time() {
    for (text, expected) in [
        ("since monday 16 november", "2026-11-16T00:00:00Z/.."),
        ("on wednesday the 18th", "2026-11-18T00:00:00Z/2026-11-19T00:00:00Z"),
        ("from wednesday 18 till friday 20", "2026-11-18T00:00:00Z/2026-11-21T00:00:00Z"),
        ("errors on monday 16", "2026-11-16T00:00:00Z/2026-11-17T00:00:00Z"),
        ("refunds october", "2026-10-01T00:00:00Z/2026-11-01T00:00:00Z"),
        ("friday between 10 and 11", "2026-11-20T10:00:00Z/2026-11-20T11:00:00Z"),
        ("on friday between 10 and 11", "2026-11-20T10:00:00Z/2026-11-20T11:00:00Z"),
        ("on 2026-11-20 between 14:00 and 15:00", "2026-11-20T14:00:00Z/2026-11-20T15:00:00Z"),
        ("on nov 20 until 9:30", "2026-11-20T00:00:00Z/2026-11-20T09:30:00Z"),
        ("errors at 10", "2026-11-22T10:00:00Z/2026-11-22T11:00:00Z"),
        ("errors on 2026-11-20 at 8", "2026-11-20T08:00:00Z/2026-11-20T09:00:00Z"),
        ("fri 10-11h", "2026-11-20T10:00:00Z/2026-11-20T11:00:00Z"),
        ("thu 9-17", "2026-11-19T09:00:00Z/2026-11-19T17:00:00Z"),
        ("yesterday from 9 to 11", "2026-11-21T09:00:00Z/2026-11-21T11:00:00Z"),
        ("between midnight and 6 today", "2026-11-22T00:00:00Z/2026-11-22T06:00:00Z"),
        ("midnight to 6", "2026-11-22T00:00:00Z/2026-11-22T06:00:00Z"),
        ("between 22 and midnight yesterday", "2026-11-21T22:00:00Z/2026-11-22T00:00:00Z"),
        ("from 10h to 11h30", "2026-11-22T10:00:00Z/2026-11-22T11:30:00Z"),
        ("14h to 15h on nov 20", "2026-11-20T14:00:00Z/2026-11-20T15:00:00Z"),
        ("between 9 and 10:30", "2026-11-22T09:00:00Z/2026-11-22T10:30:00Z"),
        ("today until 6", "2026-11-22T00:00:00Z/2026-11-22T06:00:00Z"),
        ("today after 9", "2026-11-22T09:00:00Z/.."),
        ("yesterday after 18:00", "2026-11-21T18:00:00Z/2026-11-22T00:00:00Z"),
        ("friday before 9", "2026-11-20T00:00:00Z/2026-11-20T09:00:00Z"),
        ("at 14h", "2026-11-21T14:00:00Z/2026-11-21T15:00:00Z"),
        ("since 8h30", "2026-11-22T08:30:00Z/.."),
        ("in the last 14h", "14h"),
        ("errors of the last 24hrs", "24h"),
        ("it is down for about 2h", "2h"),
        ("it timed out after 3h", "3h"),
    ] {
        assert_window(text, expected);
    }
}

#[test]
fn a_day_and_a_month_are_a_date_where_only_one_can_be_the_month() {
    for text in ["errors 21/11", "errors on 11/21", "since 21/11 errors", "errors 21/11 between 10 and 12h"] {
        let found = super::mentions(&split(text), NOW.parse().unwrap());
        assert!(found.iter().any(|mention| mention.window.to_string().starts_with("2026-11-21T")), "{text}: {found:?}");
    }
    for text in ["errors 5/11", "21/11 checks failed", "between 21/11 and 22/11 of them"] {
        let found = super::mentions(&split(text), NOW.parse().unwrap());
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_day_may_be_written_with_a_point_where_a_time_is_meant() {
    assert_window("errors on 20.11", "2026-11-20T00:00:00Z/2026-11-21T00:00:00Z");
    assert_window("paths 20.11. before noon", "2026-11-20T00:00:00Z/2026-11-20T12:00:00Z");
    for text in ["amount above 20.11", "costs 20.11", "from 20.11 to 22.11", "version 20.11"] {
        assert!(super::mentions(&split(text), NOW.parse().unwrap()).is_empty(), "{text}");
    }
}

#[test]
fn a_part_of_a_day_is_said_before_it_or_behind() {
    for text in ["errors yesterday before noon", "errors before noon yesterday", "before noon on 21 november"] {
        assert_window(text, "2026-11-21T00:00:00Z/2026-11-21T12:00:00Z");
    }
    assert_window("errors after 18:00 on friday", "2026-11-20T18:00:00Z/2026-11-21T00:00:00Z");
}

#[test]
fn an_edge_of_a_time_is_where_it_begins_or_ends() {
    assert_window("errors since the beginning of october", "2026-10-01T00:00:00Z/..");
    assert_window("errors since begin of october", "2026-10-01T00:00:00Z/..");
    assert_window("errors until the end of october", "../2026-11-01T00:00:00Z");
}

/// That a sentence mentions one window, and which.
fn assert_window(text: &str, expected: &str) {
    let now = NOW.parse().expect("it is a time");
    let found = mentions(&split(text), now);
    let found: Vec<String> = found.iter().map(|mention| mention.window.to_string()).collect();
    assert_eq!(found, [expected], "{text}");
}

#[test]
fn where_times_may_lie_ahead_what_is_going_on_has_an_end() {
    for (text, window, whole) in [
        ("due this month", "2026-11-01T00:00:00Z/..", "2026-11-01T00:00:00Z/2026-12-01T00:00:00Z"),
        ("due today", "2026-11-22T00:00:00Z/..", "2026-11-22T00:00:00Z/2026-11-23T00:00:00Z"),
        ("in 2026", "2026-01-01T00:00:00Z/..", "2026-01-01T00:00:00Z/2027-01-01T00:00:00Z"),
        ("in december 2026", "2026-12-01T00:00:00Z/..", "2026-12-01T00:00:00Z/2027-01-01T00:00:00Z"),
        ("since monday", "2026-11-16T00:00:00Z/..", "2026-11-16T00:00:00Z/.."),
        ("last week", "2026-11-09T00:00:00Z/2026-11-16T00:00:00Z", "2026-11-09T00:00:00Z/2026-11-16T00:00:00Z"),
        ("the last 3 hours", "3h", "3h"),
    ] {
        let found = mentions(&split(text), NOW.parse().expect("it is a time"));
        let found: Vec<_> = found.iter().map(|found| (found.window.to_string(), found.whole.to_string())).collect();
        assert_eq!(found, [(window.to_owned(), whole.to_owned())], "{text}");
    }
    for (text, window) in [
        ("due tomorrow", "2026-11-23T00:00:00Z/2026-11-24T00:00:00Z"),
        ("due next week", "2026-11-23T00:00:00Z/2026-11-30T00:00:00Z"),
        ("next month", "2026-12-01T00:00:00Z/2027-01-01T00:00:00Z"),
        ("in the next year", "2027-01-01T00:00:00Z/2028-01-01T00:00:00Z"),
        ("in the next 2 weeks", "2026-11-22T00:00:00Z/2026-12-07T00:00:00Z"),
    ] {
        let found = mentions(&split(text), NOW.parse().expect("it is a time"));
        let found: Vec<_> = found.iter().map(|found| (found.window.to_string(), found.is_ahead)).collect();
        assert_eq!(found, [(window.to_owned(), true)], "{text}");
    }
    assert_eq!(mentions(&split("the next monday or the next one"), NOW.parse().expect("it is a time")), []);
}

#[test]
fn a_slip_in_a_long_word_of_a_time_is_mended() {
    for (said, meant) in [("nigth", "night"), ("mornign", "morning"), ("yestrday", "yesterday"), ("tody", "today")] {
        assert_eq!(spelled(said), meant, "{said}");
    }
    for word in words::LONG
        .into_iter()
        .chain(["mondays", "hour", "hours", "minute", "might", "house", "monkey", "nigt5", "toy", ""])
    {
        assert_eq!(spelled(word), word, "{word}");
    }
}

#[test]
fn other_words_and_numbers_are_no_times() {
    for text in [
        "last 5 errors",
        "the 3 latest issues",
        "top 10",
        "errors a day",
        "may i see the errors",
        "march on",
        "issue 4501234567",
        "WEB-3M",
        "last errors",
        "port 8080",
        "version 4.12.0",
        "\"yesterday\"",
        "sat down",
        "10",
        "amount above 2000",
        "amount between 10 and 20",
        "from 3 to 5 items",
        "look at 10 errors",
        "look at the last 10",
        "10-20",
        "2025",
        "20 rows",
        "1st 5 rows",
        "25th percentile of amount",
    ] {
        let now = NOW.parse().expect("it is a time");
        let found = mentions(&split(text), now);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn two_days_are_compared_where_somebody_asks_for_it() {
    let two_days = |text: &str| -> Vec<(String, bool)> {
        let now = NOW.parse().expect("a time");
        mentions(&split(text), now).into_iter().map(|found| (found.window.to_string(), found.compares_days)).collect()
    };
    for (text, expected) in [
        ("errors today compared with yesterday", "2026-11-21T00:00:00Z/.."),
        ("errors yesterday vs today", "2026-11-21T00:00:00Z/.."),
        ("compare errors yesterday with the day before", "2026-11-20T00:00:00Z/2026-11-22T00:00:00Z"),
        ("compare yesterday to the previous day", "2026-11-20T00:00:00Z/2026-11-22T00:00:00Z"),
        ("more errors today than yesterday", "2026-11-21T00:00:00Z/.."),
    ] {
        assert_eq!(two_days(text), [(expected.to_owned(), true)], "{text}");
    }
    // They do not follow one another, are no days, or nobody compares them.
    for text in ["today vs monday", "this week compared with last week", "today and yesterday", "errors today"] {
        assert!(two_days(text).iter().all(|(_, compares)| !compares), "{text}");
    }
}
