//! `stats`: what was recorded, as two tables or as one object.

use intentbox_catalog::period::Period;
use intentbox_store::{Clock, Place, Stats, TargetStats, read_stats};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::arguments::{self, Sources};
use crate::error::{Class, Classify as _, CommandError};
use crate::{setup, table};

pub(crate) async fn run(sources: &Sources, command: &arguments::Stats) -> Result<Answer, CommandError> {
    let place = setup::store_place(sources, &command.database)?;
    let clock = Clock::system();
    let since_unix_ms = before(clock.now_unix_ms(), command.since);
    let stats = read_stats(&place, Some(since_unix_ms), &clock).await.class(Class::Unavailable)?;
    let message = message(stats.as_ref(), &place, command.since);
    let nothing = || Stats {
        from_unix_ms: since_unix_ms,
        to_unix_ms: clock.now_unix_ms(),
        total: 0,
        by_target: Vec::new(),
        by_outcome: Vec::new(),
        dropped: 0,
    };
    let stats = stats.unwrap_or_else(nothing);
    let answer = match message {
        Some(message) => Answer::default().noting(message),
        None => Answer::new(as_text(&stats)),
    };
    Ok(answer.with_all(fields(&stats)))
}

/// The time that lies this long before.
fn before(unix_ms: i64, period: Period) -> i64 {
    let period_ms = period.seconds().saturating_mul(1_000);
    unix_ms.saturating_sub(i64::try_from(period_ms).unwrap_or(i64::MAX))
}

/// What is printed instead of tables when there is nothing to put into them.
fn message(stats: Option<&Stats>, place: &Place, since: Period) -> Option<String> {
    match stats {
        None => {
            Some(format!("nothing has been recorded yet in {place}; `intentbox mcp` and `serve` record what they run"))
        }
        Some(stats) if stats.total == 0 && stats.dropped == 0 => {
            Some(format!("no runs in the last {since}; look further back with --since, as in --since 90d"))
        }
        Some(_) => None,
    }
}

fn fields(stats: &Stats) -> Map<String, Value> {
    let by_target = stats.by_target.iter().map(|target| {
        let mut row = row(target);
        row.insert("outcomes".to_owned(), counts(&target.outcomes));
        Value::Object(row)
    });
    let fields: [(&str, Value); 6] = [
        ("from", time(stats.from_unix_ms).into()),
        ("to", time(stats.to_unix_ms).into()),
        ("runs", stats.total.into()),
        ("dropped", stats.dropped.into()),
        ("by_target", by_target.collect()),
        ("by_outcome", counts(&stats.by_outcome)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The span, then a table by template and one by outcome.
fn as_text(stats: &Stats) -> String {
    let mut object = Map::new();
    object.insert("from".to_owned(), time(stats.from_unix_ms).into());
    object.insert("to".to_owned(), time(stats.to_unix_ms).into());
    object.insert("runs".to_owned(), stats.total.into());
    if stats.dropped > 0 {
        object.insert("not recorded".to_owned(), stats.dropped.into());
    }
    let templates = stats.by_target.iter().map(|target| Value::Object(row(target)));
    object.insert("templates".to_owned(), templates.collect());
    let outcomes = stats.by_outcome.iter().map(|(outcome, runs)| json!({"outcome": outcome, "runs": runs}));
    object.insert("outcomes".to_owned(), outcomes.collect());
    table::shown(&Value::Object(object).to_string())
}

/// A row of the table by template, without its outcomes: they are a table of their own.
fn row(target: &TargetStats) -> Map<String, Value> {
    let TargetStats { target, runs, ok, cached, outcomes: _, p50_ms, p95_ms } = target;
    let mut row = Map::new();
    row.insert("target".to_owned(), target.as_str().into());
    for (name, count) in [("runs", runs), ("ok", ok), ("cached", cached)] {
        row.insert(name.to_owned(), (*count).into());
    }
    for (name, ms) in [("p50_ms", *p50_ms), ("p95_ms", *p95_ms)] {
        row.insert(name.to_owned(), three_digits(ms).into());
    }
    row
}

fn counts(outcomes: &[(String, u64)]) -> Value {
    outcomes.iter().map(|(outcome, runs)| (outcome.clone(), Value::from(*runs))).collect()
}

/// The number to three digits: times are off by an eighth, and more digits would promise more.
fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

/// The time to the second, such as `2026-11-19T12:00:00Z`.
fn time(unix_ms: i64) -> String {
    let time = Timestamp::from_second(unix_ms.div_euclid(1_000));
    time.map_or_else(|_| format!("{unix_ms} ms after 1970"), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Noon of 19 November 2026.
    const NOON: i64 = 1_795_089_600_000;

    fn counted(pairs: &[(&str, u64)]) -> Vec<(String, u64)> {
        pairs.iter().map(|(name, runs)| ((*name).to_owned(), *runs)).collect()
    }

    fn stats() -> Stats {
        let target = |target: &str, runs: u64, ok: u64, p50_ms: f64, outcomes: &[(&str, u64)]| TargetStats {
            target: target.to_owned(),
            runs,
            ok,
            cached: 1,
            outcomes: counted(outcomes),
            p50_ms,
            p95_ms: p50_ms * 2.0,
        };
        Stats {
            from_unix_ms: NOON - 604_800_000,
            to_unix_ms: NOON + 999,
            total: 13,
            by_target: vec![
                target("sentry/list_errors", 12, 11, 4.608, &[("ok", 11), ("host_call_failed", 1)]),
                target("exec", 1, 1, 1_228.8, &[("ok", 1)]),
            ],
            by_outcome: counted(&[("ok", 12), ("host_call_failed", 1)]),
            dropped: 0,
        }
    }

    #[test]
    fn two_tables_are_shown() {
        let span = "from  2026-11-12T12:00:00Z\nto    2026-11-19T12:00:00Z\nruns  13\n";
        let tables = "\ntemplates\n \
             TARGET              RUNS  OK  CACHED  P50_MS  P95_MS\n \
             sentry/list_errors  12    11  1       4.61    9.22\n \
             exec                1     1   1       1230.0  2460.0\n\n\
             outcomes\n \
             OUTCOME           RUNS\n \
             ok                12\n \
             host_call_failed  1\n";
        assert_eq!(as_text(&stats()), format!("{span}{tables}"));
        let span = "from          2026-11-12T12:00:00Z\nto            2026-11-19T12:00:00Z\nruns          13\n\
             not recorded  7\n";
        assert_eq!(as_text(&Stats { dropped: 7, ..stats() }), format!("{span}{tables}"));
    }

    #[test]
    fn the_object_has_everything() {
        let expected = json!({
            "from": "2026-11-12T12:00:00Z",
            "to": "2026-11-19T12:00:00Z",
            "runs": 13,
            "dropped": 0,
            "by_target": [
                {"target": "sentry/list_errors", "runs": 12, "ok": 11, "cached": 1, "p50_ms": 4.61, "p95_ms": 9.22,
                 "outcomes": {"ok": 11, "host_call_failed": 1}},
                {"target": "exec", "runs": 1, "ok": 1, "cached": 1, "p50_ms": 1_230.0, "p95_ms": 2_460.0,
                 "outcomes": {"ok": 1}},
            ],
            "by_outcome": {"ok": 12, "host_call_failed": 1},
        });
        assert_eq!(Value::Object(fields(&stats())), expected);
    }

    #[test]
    fn nothing_is_said_in_words() {
        let week: Period = "7d".parse().expect("a duration");
        let told = |stats: Option<&Stats>| message(stats, &Path::new("/state").into(), week);
        assert_eq!(
            told(None).as_deref(),
            Some("nothing has been recorded yet in /state; `intentbox mcp` and `serve` record what they run")
        );
        let nothing = Stats { total: 0, ..stats() };
        assert_eq!(
            told(Some(&nothing)).as_deref(),
            Some("no runs in the last 7d; look further back with --since, as in --since 90d")
        );
        assert_eq!(told(Some(&Stats { dropped: 1, ..nothing })), None);
        assert_eq!(told(Some(&stats())), None);
    }

    #[test]
    fn a_span_ends_now() {
        let before = |period: &str| before(NOON, period.parse().expect("a duration"));
        assert_eq!(before("0s"), NOON);
        assert_eq!(before("7d"), NOON - 604_800_000);
        assert_eq!(before("100y"), NOON - 3_153_600_000_000);
        assert_eq!(time(i64::MAX), "9223372036854775807 ms after 1970");
    }
}
