//! Statistics of what was recorded.

use std::collections::BTreeMap;

use crate::histogram::{Bucket, Histogram};
use crate::run::OK;

/// The name of all targets for which there was no name left: [`crate::Quotas::targets_max`].
pub(crate) const OTHER: &str = "(other)";

/// The runs of a span of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stats {
    /// When the span begins, in milliseconds after 1970, UTC. It is earlier than what was asked for, at midnight, where the
    /// single runs of that day are no longer kept; without a beginning asked for, it is the midnight before the first run.
    pub from_unix_ms: i64,
    /// When the span ends: now.
    pub to_unix_ms: i64,
    /// How many runs there were.
    pub total: u64,
    /// The runs by what answered, the most frequent first.
    pub by_target: Vec<TargetStats>,
    /// The runs by their outcome, the most frequent first.
    pub by_outcome: Vec<(String, u64)>,
    /// How many runs of these days were not recorded: too many came at once, or the folder could not be written.
    pub dropped: u64,
}

/// The runs of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetStats {
    /// The id of a template; `exec`; `none` for what no template answered; `(other)` for all templates beyond
    /// [`crate::Quotas::targets_max`].
    pub target: String,
    /// How many runs there were.
    pub runs: u64,
    /// How many of them ended as [`OK`].
    pub ok: u64,
    /// How many of them were answered from a cache.
    pub cached: u64,
    /// The runs by their outcome, the most frequent first.
    pub outcomes: Vec<(String, u64)>,
    /// The time that half of the runs do not exceed, cached ones included, in milliseconds. It is off by an eighth at most,
    /// from 0.064 ms to 18 minutes; shorter times are given as 0.032 ms.
    pub p50_ms: f64,
    /// The time that 95 % of the runs do not exceed, likewise.
    pub p95_ms: f64,
}

/// Runs while they are counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) from_ms: Option<i64>,
    pub(crate) dropped: u64,
    targets: BTreeMap<String, TargetTally>,
}

#[derive(Debug, Default)]
struct TargetTally {
    outcomes: BTreeMap<String, u64>,
    cached: u64,
    times: Histogram,
}

/// Runs that are alike.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) target: String,
    pub(crate) outcome: String,
    pub(crate) bucket: Bucket,
    pub(crate) runs: u64,
    pub(crate) cached: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, group: Group) {
        let target = self.targets.entry(group.target).or_default();
        let outcome = target.outcomes.entry(group.outcome).or_default();
        *outcome = outcome.saturating_add(group.runs);
        target.cached = target.cached.saturating_add(group.cached);
        target.times.add(group.bucket, group.runs);
    }

    /// The result, at `now_ms`.
    pub(crate) fn into_stats(self, now_ms: i64) -> Stats {
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        let mut by_target = Vec::with_capacity(self.targets.len());
        for (target, tally) in self.targets {
            for (outcome, runs) in &tally.outcomes {
                let count = outcomes.entry(outcome.clone()).or_default();
                *count = count.saturating_add(*runs);
            }
            let percentile = |percent| tally.times.percentile(percent).map_or(0.0, Bucket::middle_ms);
            by_target.push(TargetStats {
                target,
                runs: sum(&tally.outcomes),
                ok: tally.outcomes.get(OK).copied().unwrap_or(0),
                cached: tally.cached,
                p50_ms: percentile(50),
                p95_ms: percentile(95),
                outcomes: frequent_first(tally.outcomes),
            });
        }
        // The sort is stable, and names are in order.
        by_target.sort_by_key(|target| std::cmp::Reverse(target.runs));
        Stats {
            from_unix_ms: self.from_ms.unwrap_or(now_ms),
            to_unix_ms: now_ms,
            total: sum(&outcomes),
            by_target,
            by_outcome: frequent_first(outcomes),
            dropped: self.dropped,
        }
    }
}

fn sum(outcomes: &BTreeMap<String, u64>) -> u64 {
    outcomes.values().fold(0, |sum, runs| sum.saturating_add(*runs))
}

fn frequent_first(outcomes: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut outcomes: Vec<(String, u64)> = outcomes.into_iter().collect();
    outcomes.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    outcomes
}
