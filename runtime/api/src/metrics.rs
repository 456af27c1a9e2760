//! Counts for a monitor, in the text format of Prometheus: runs by path and outcome, their times, and jobs by state. Nothing is
//! labelled by a text, an id or a name that a client gives.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use intentbox_engine::{Event, Events, Of, Target};

use crate::Api;
use crate::problem::Problem;

/// The upper bounds of the buckets of times, in seconds.
const BUCKETS_S: [f64; 10] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0];

/// Counts events, and passes them on.
pub struct Metrics {
    others: Arc<dyn Events>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// By path and outcome.
    runs: BTreeMap<(&'static str, &'static str), u64>,
    /// By path: how many in each bucket and beyond, and the sum in seconds.
    times: BTreeMap<&'static str, ([u64; BUCKETS_S.len() + 1], f64)>,
    /// By kind and whether it went well.
    calls: BTreeMap<(&'static str, &'static str), u64>,
    cached: u64,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Counts what is passed on to `others`.
    #[must_use]
    pub fn new(others: Arc<dyn Events>) -> Arc<Self> {
        Arc::new(Self { others, counts: Mutex::default() })
    }

    /// The counts as text, after those of jobs by state.
    fn text(&self, jobs: &[(&'static str, u64)]) -> String {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: Vec<String>| {
            let _ = writeln!(text, "# HELP intentbox_{name} {help}\n# TYPE intentbox_{name} {kind}");
            for line in lines {
                let _ = writeln!(text, "intentbox_{name}{line}");
            }
        };
        let lines = jobs.iter().map(|(state, count)| format!("{{state=\"{state}\"}} {count}")).collect();
        family("jobs", "gauge", "Jobs that are kept, by state.", lines);
        let of = |((path, outcome), count): (&(&str, &str), &u64)| {
            format!("{{path=\"{path}\",outcome=\"{outcome}\"}} {count}")
        };
        family(
            "runs_total",
            "counter",
            "Requests that ended, by path and outcome.",
            counts.runs.iter().map(of).collect(),
        );
        let of = |((kind, outcome), count): (&(&str, &str), &u64)| {
            format!("{{kind=\"{kind}\",outcome=\"{outcome}\"}} {count}")
        };
        family(
            "calls_total",
            "counter",
            "Calls of scripts to the host, by kind.",
            counts.calls.iter().map(of).collect(),
        );
        let cached = vec![format!(" {}", counts.cached)];
        family("cached_total", "counter", "Answers that came from the cache.", cached);
        let mut lines = Vec::new();
        for (path, (buckets, sum)) in &counts.times {
            let mut below = 0;
            for (bound, count) in BUCKETS_S.iter().map(ToString::to_string).chain(["+Inf".to_owned()]).zip(buckets) {
                below += count;
                lines.push(format!("_bucket{{path=\"{path}\",le=\"{bound}\"}} {below}"));
            }
            lines.push(format!("_sum{{path=\"{path}\"}} {sum}"));
            lines.push(format!("_count{{path=\"{path}\"}} {below}"));
        }
        family("run_seconds", "histogram", "Time from the intake of a request to its end, by path.", lines);
        text
    }

    fn ended(&self, path: &'static str, outcome: &'static str, took: Duration, is_cached: bool) {
        let seconds = took.as_secs_f64();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.runs.entry((path, outcome)).or_default() += 1;
        counts.cached += u64::from(is_cached);
        let (buckets, sum) = counts.times.entry(path).or_default();
        buckets[BUCKETS_S.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS_S.len())] += 1;
        *sum += seconds;
    }
}

impl Events for Metrics {
    fn note(&self, of: Of<'_>, event: Event<'_>) {
        match event {
            Event::HostCall { kind, outcome, .. } => {
                let went = match outcome {
                    "ok" | "begun" => "ok",
                    "refused" => "refused",
                    status if status.starts_with(['1', '2', '3']) => "ok",
                    _ => "failed",
                };
                let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
                *counts.calls.entry((kind, went)).or_default() += 1;
            }
            Event::Ended { report } => {
                let path = match &report.target {
                    Some(Target::Template { tool: Some(_), .. }) => "tool",
                    Some(Target::Template { .. }) => "template",
                    Some(Target::Code) => "code",
                    None => "none",
                };
                self.ended(path, report.outcome().terms().name, of.received.elapsed(), report.cached);
            }
            _ => {}
        }
        self.others.note(of, event);
    }
}

pub(crate) async fn metrics(State(api): State<Api>) -> Result<Response, Problem> {
    let counts = api.queue.counts().await.map_err(|error| Problem::store(&error))?;
    let counts: Vec<(&'static str, u64)> = counts.into_iter().map(|(state, count)| (state.as_str(), count)).collect();
    let text = api.metrics.text(&counts);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

#[cfg(test)]
mod tests {
    use intentbox_engine::NoEvents;

    use super::*;

    #[test]
    fn counts_are_written_as_a_monitor_reads_them() {
        let metrics = Metrics::new(Arc::new(NoEvents));
        metrics.ended("code", "ok", Duration::from_millis(2), false);
        metrics.ended("code", "ok", Duration::from_secs(200), false);
        metrics.ended("template", "not_found", Duration::from_millis(1), true);
        let text = metrics.text(&[("ready", 3)]);
        for line in [
            "# TYPE intentbox_jobs gauge",
            "intentbox_jobs{state=\"ready\"} 3",
            "intentbox_runs_total{path=\"code\",outcome=\"ok\"} 2",
            "intentbox_runs_total{path=\"template\",outcome=\"not_found\"} 1",
            "intentbox_cached_total 1",
            "intentbox_run_seconds_bucket{path=\"code\",le=\"0.001\"} 0",
            "intentbox_run_seconds_bucket{path=\"code\",le=\"0.005\"} 1",
            "intentbox_run_seconds_bucket{path=\"code\",le=\"120\"} 1",
            "intentbox_run_seconds_bucket{path=\"code\",le=\"+Inf\"} 2",
            "intentbox_run_seconds_count{path=\"code\"} 2",
        ] {
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
    }
}
