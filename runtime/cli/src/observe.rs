//! Observes events: logs them on stderr, and records runs.

use std::collections::HashMap;
use std::io::stderr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use intentbox_engine::{Event, Events, Of, Outcome, Report, RunId, Target, TraceContext};
use intentbox_store::{Place, RunRecord, Target as Recorded};
use tracing::{Level, Span, debug, debug_span, error, info, warn};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::record::Recording;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogLevel {
    /// Faults of the program and the machine
    Error,
    /// Also requests rejected for lack of room
    Warn,
    /// Also the end of every request, and of a server each call to the host
    Info,
    /// Also every step of a run: planned, started, host calls, output
    Debug,
}

impl LogLevel {
    fn level(self) -> Level {
        match self {
            LogLevel::Error => Level::ERROR,
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
        }
    }
}

/// Starts to log on stderr: a line for each event, with the id of its run.
pub(crate) fn log(level: LogLevel) {
    // Libraries log too, and what they say of connections is theirs to change.
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), level.level());
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_ansi(false).with_target(false);
    tracing_subscriber::registry().with(lines.with_filter(own)).init();
}

/// Observes the runs of one surface.
pub(crate) struct Observer {
    surface: &'static str,
    recording: Option<Recording>,
    open: Mutex<HashMap<RunId, Open>>,
}

/// A request that has not ended.
struct Open {
    started: Instant,
    span: Span,
}

impl Observer {
    /// Observes a command, which leaves no record: it may be one of thousands in a shell loop.
    pub(crate) fn of_command() -> Arc<Self> {
        Arc::new(Self { surface: "cli", recording: None, open: Mutex::default() })
    }

    /// Observes a server, and records what it runs, if there is a place for it.
    pub(crate) async fn of_server(surface: &'static str, place: Option<&Place>) -> Arc<Self> {
        let recording = Some(Recording::start(place).await);
        Arc::new(Self { surface, recording, open: Mutex::default() })
    }

    /// Writes what has been recorded.
    pub(crate) async fn close(&self) {
        if let Some(recording) = &self.recording {
            recording.close().await;
        }
    }

    fn record(&self, of: Of<'_>, started: Instant, report: &Report) {
        let Some(recording) = &self.recording else { return };
        let wall = started.elapsed();
        let spent = report.spent.unwrap_or_default();
        let target = match &report.target {
            Some(Target::Template { id, .. }) => Recorded::Template(id.clone()),
            Some(Target::Code) => Recorded::Exec,
            None => Recorded::None,
        };
        let now = jiff::Timestamp::now().as_millisecond();
        recording.note(RunRecord {
            run_id: of.run_id.to_string(),
            started_unix_ms: now - i64::try_from(wall.as_millis()).unwrap_or(0),
            surface: self.surface,
            principal: of.principal.name().unwrap_or_default().to_owned(),
            target,
            outcome: report.outcome().terms().name,
            cached: report.cached,
            wall_us: u64::try_from(wall.as_micros()).unwrap_or(u64::MAX),
            fuel: spent.fuel,
            http_requests: spent.http_requests,
            host_calls: spent.host_calls,
        });
    }
}

impl Events for Observer {
    fn note(&self, of: Of<'_>, event: Event<'_>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Planned { target } => {
                let template = target.template().unwrap_or("code");
                let principal = of.principal.name().unwrap_or("local");
                let span = debug_span!("run", id = %of.run_id, target = template, principal, trace = trace_id(of));
                debug!(parent: &span, "planned");
                open.insert(of.run_id, Open { started: Instant::now(), span });
            }
            Event::Started => debug!(parent: open.get(&of.run_id).and_then(|open| open.span.id()), "started"),
            Event::HostCall { kind, target, outcome } => {
                let parent = open.get(&of.run_id).and_then(|open| open.span.id());
                // Of a server, each call is a line of its audit, which says by itself whose it is.
                if self.recording.is_some() {
                    let (run, principal) = (of.run_id, of.principal.name().unwrap_or("local"));
                    info!(%run, principal, trace = trace_id(of), kind, target, outcome, "host call");
                } else {
                    debug!(parent: parent, kind, target, outcome, "host call");
                }
            }
            // Only for who follows a run.
            Event::Printed { .. } => {}
            Event::Output { stdout_bytes, stderr_bytes } => {
                debug!(parent: open.get(&of.run_id).and_then(|open| open.span.id()), stdout_bytes, stderr_bytes, "output");
            }
            Event::Ended { report } => {
                let known = open.remove(&of.run_id);
                drop(open);
                // What never ran took as long as its request was here.
                let started = known.as_ref().map_or(of.received, |open| open.started);
                self.record(of, started, report);
                ended(of, started, report);
            }
        }
    }
}

fn trace_id(of: Of<'_>) -> Option<String> {
    of.trace.map(TraceContext::trace_id)
}

fn ended(of: Of<'_>, started: Instant, report: &Report) {
    let trace = trace_id(of);
    let (run, outcome, cached) = (of.run_id, report.outcome().terms().name, report.cached);
    let principal = of.principal.name().unwrap_or("local");
    let target = match &report.target {
        Some(target) => target.template().unwrap_or("code"),
        None => "none",
    };
    let wall_ms = started.elapsed().as_secs_f64() * 1e3;
    let message = report.failure.as_ref().map_or("", |failure| failure.message.as_str());
    match report.outcome() {
        Outcome::Internal | Outcome::WorkerLost => {
            error!(%run, principal, trace, target, outcome, wall_ms, why = ?message, "ended");
        }
        Outcome::Overloaded => warn!(%run, principal, trace, target, outcome, wall_ms, why = ?message, "ended"),
        _ => info!(%run, principal, trace, target, outcome, cached, wall_ms, "ended"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use intentbox_engine::{Caller, Cause, Failure};
    use intentbox_store::{Clock, read_stats};

    use super::*;

    #[tokio::test]
    async fn a_request_that_never_ran_took_as_long_as_it_was_here() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let observer = Observer::of_server("mcp", Some(&folder.path().into())).await;
        let received = Instant::now().checked_sub(Duration::from_secs(1)).expect("the machine is up for a second");
        let caller = Caller { received, ..Caller::local() };
        let report = Report::failed(RunId::of(7), Failure::new(Cause::NotFound, "no template fits this intent"));
        observer.note(Of::request(report.run_id, &caller), Event::Ended { report: &report });
        observer.close().await;
        let stats =
            read_stats(&folder.path().into(), None, &Clock::system()).await.expect("it is read").expect("a record");
        // A time is off by an eighth at most.
        let told: Vec<_> = stats.by_target.iter().map(|row| (row.target.as_str(), row.p50_ms >= 875.0)).collect();
        assert_eq!(told, [("none", true)], "{stats:?}");
    }
}
