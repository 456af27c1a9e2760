//! Runs jobs: leases them, plans and runs each as any other request, and writes how it ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use intentbox_engine::{Caller, Ceilings, Consent, Engine, Event, Events, Of, Principal, Remedy, Report, Sharing};
use intentbox_report::{Cause, Failure, TraceContext, Wire};
use intentbox_store::{Ending, Job, JobStore, Lease, LeaseKey, Renewed, StoreError};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::progress::{Progress, Step};
use crate::request::{JobRequest, Work};
use crate::steady::steadily;

/// How long a lease lasts without being renewed, and how often it is: three times in its life.
const LEASE: Duration = Duration::from_secs(30);
const RENEW_PAUSE: Duration = Duration::from_secs(10);

/// How often it is looked whether somebody, on any machine, cancelled a job that runs here.
const CANCEL_PAUSE: Duration = Duration::from_millis(250);

/// How many jobs are leased at once.
const LEASED_MAX: u32 = 32;

/// How long jobs that run have when the program is told to stop.
pub const DRAIN: Duration = Duration::from_secs(10);

/// The pause before a job is attempted again, doubled with each attempt, and the longest one.
const AGAIN_MS: i64 = 1_000;
const AGAIN_MS_MAX: i64 = 60_000;

/// How often a job waits for room on a server before it ends as `overloaded`: for about an hour.
const WAITS_MAX: u32 = 60;

/// How long one waits before an ending is written again that could not be, and for how long that is tried.
const WRITE_AGAIN: Duration = Duration::from_secs(1);
const WRITE_MAX: Duration = Duration::from_mins(10);

/// After how long on a full disk a job ends without its report. Each that waits holds a slot.
const UNREPORTED_AFTER: Duration = Duration::from_mins(1);

/// Why a report is not kept.
const UNREPORTED: &str = "its report was not kept: the disk of the server was full";

/// Why nobody knows what an attempt has changed.
const STOPPED: &str = "the server was stopped while it ran, after it may have changed something";
const FAULTY: &str = "the server had a fault while it ran this job, after it may have changed something";

/// How jobs are run.
#[derive(Debug, Clone)]
pub struct RunnerOptions {
    /// What this runner is called in the store.
    pub name: String,
    /// How many jobs run at the same time.
    pub slots: usize,
    /// How principals share the slots, as they share those of scripts.
    pub sharing: Sharing,
    /// The most that the operator lets jobs use.
    pub ceilings: Ceilings,
    /// Says a remedy in the terms of the clients who read reports.
    pub words: fn(&Remedy) -> String,
}

/// Runs jobs until it is told to stop.
pub struct Runner {
    shared: Arc<Shared>,
}

struct Shared {
    store: JobStore,
    engine: Arc<Engine>,
    events: Arc<dyn Events>,
    options: RunnerOptions,
    /// The jobs that run here, and how each is told to end.
    active: Mutex<HashMap<(i64, i64), Active>>,
    /// Whether this program stops.
    stops: CancellationToken,
}

#[derive(Clone)]
struct Active {
    stop: CancellationToken,
    why: Arc<Mutex<Why>>,
}

/// Why a run is ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Somebody cancelled it.
    Cancelled,
    /// Its lease is over: what it gives is not taken any more.
    Lost,
    /// This program stops.
    Stopping,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Runner").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

impl Runner {
    /// A runner that reports what it runs to `events`.
    #[must_use]
    pub fn new(store: JobStore, engine: Arc<Engine>, events: Arc<dyn Events>, options: RunnerOptions) -> Self {
        let (active, stops) = (Mutex::default(), CancellationToken::new());
        Self { shared: Arc::new(Shared { store, engine, events, options, active, stops }) }
    }

    /// Runs jobs until `stop`. Those that run then have a few seconds to end; what only reads is attempted again elsewhere after
    /// that, and what may have changed something ends with `unknown_outcome`.
    pub async fn run(self, stop: CancellationToken) {
        let shared = self.shared;
        let slots = Arc::new(Semaphore::new(shared.options.slots.max(1)));
        let watched = Arc::clone(&shared);
        // It ends with this: nobody renews leases of attempts that are no more.
        let mut watching = JoinSet::new();
        watching.spawn(steadily(move || watch(Arc::clone(&watched))));
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            // What has ended is forgotten.
            while running.try_join_next().is_some() {}
            // Attempts whose end cannot be written hold their slots: they are told to give up only once this loop has ended.
            let first = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                slot = Arc::clone(&slots).acquire_owned() => slot,
            };
            let Ok(first) = first else { break };
            let mut free = vec![first];
            while free.len() < LEASED_MAX as usize
                && let Ok(more) = Arc::clone(&slots).try_acquire_owned()
            {
                free.push(more);
            }
            let most = u32::try_from(free.len()).unwrap_or(LEASED_MAX);
            let leases = tokio::select! {
                biased;
                leases = claim(&shared, most) => leases,
                () = stop.cancelled() => break,
            };
            let Ok(leases) = leases else {
                // The store is full, locked or gone, and may come back.
                sleep(WRITE_AGAIN).await;
                continue;
            };
            for (lease, slot) in leases.into_iter().zip(free) {
                let shared = Arc::clone(&shared);
                running.spawn(async move {
                    attempt(&shared, lease).await;
                    drop(slot);
                });
            }
        }
        shared.stops.cancel();
        let drained = async { while running.join_next().await.is_some() {} };
        if timeout(DRAIN, drained).await.is_err() {
            shared.stop_all(Why::Stopping);
            while running.join_next().await.is_some() {}
        }
        watching.shutdown().await;
    }
}

impl Shared {
    fn active(&self) -> MutexGuard<'_, HashMap<(i64, i64), Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, key: LeaseKey, why: Why) {
        if let Some(active) = self.active().get(&(key.number, key.fence)) {
            *active.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
            active.stop.cancel();
        }
    }

    fn stop_all(&self, why: Why) {
        let keys: Vec<(i64, i64)> = self.active().keys().copied().collect();
        for (number, fence) in keys {
            self.stop(LeaseKey { number, fence }, why);
        }
    }

    fn keys(&self) -> Vec<LeaseKey> {
        self.active().keys().map(|(number, fence)| LeaseKey { number: *number, fence: *fence }).collect()
    }
}

/// Leases at most so many jobs, and waits until there is one.
async fn claim(shared: &Shared, most: u32) -> Result<Vec<Lease>, StoreError> {
    let RunnerOptions { name, slots, sharing, .. } = &shared.options;
    match sharing {
        Sharing::Whole => shared.store.claim(name, LEASE, most).await,
        Sharing::Fair | Sharing::Apart => {
            let seats = u32::try_from(*slots).unwrap_or(u32::MAX).max(1);
            shared.store.claim_fairly(name, LEASE, most, seats).await
        }
    }
}

/// Renews the leases of what runs, and ends what was cancelled or lost.
async fn watch(shared: Arc<Shared>) {
    let mut look = interval(CANCEL_PAUSE);
    let mut renewed_at = Instant::now();
    loop {
        look.tick().await;
        let keys = shared.keys();
        if keys.is_empty() {
            renewed_at = Instant::now();
            continue;
        }
        // First, since a database that is slow answers the other question late. What fails is tried again at the next look.
        let now = Instant::now();
        if renewed_at.elapsed() >= RENEW_PAUSE && shared.store.renew(keys.clone(), LEASE).await.is_ok() {
            renewed_at = now;
        }
        for (key, state) in shared.store.leases(&keys).await.unwrap_or_default() {
            match state {
                Renewed::Held => {}
                Renewed::Cancelled => shared.stop(key, Why::Cancelled),
                Renewed::Lost => shared.stop(key, Why::Lost),
            }
        }
    }
}

/// One attempt of a job.
async fn attempt(shared: &Arc<Shared>, lease: Lease) {
    let key = lease.key();
    let active = Active { stop: CancellationToken::new(), why: Arc::new(Mutex::new(Why::Lost)) };
    shared.active().insert((key.number, key.fence), active.clone());
    let _listed = Listed { shared, key };
    let has_changed = Arc::new(Mutex::new(false));
    // In a task of its own: a fault of this program ends the attempt there, and its lease does not go on without it.
    let mut task = JoinSet::new();
    task.spawn({
        let (shared, has_changed) = (Arc::clone(shared), Arc::clone(&has_changed));
        async move { ended(&shared, &lease, &has_changed).await }
    });
    let changed = || *has_changed.lock().unwrap_or_else(PoisonError::into_inner);
    let ending = tokio::select! {
        ended = task.join_next() => match ended {
            Some(Ok(ending)) => ending,
            _ => Some(faulty(changed(), shared.options.words)),
        },
        () = active.stop.cancelled() => {
            task.abort_all();
            match task.join_next().await {
                // It ended just now.
                Some(Ok(ending)) => ending,
                _ => interrupted(*active.why.lock().unwrap_or_else(PoisonError::into_inner), changed()),
            }
        }
    };
    if let Some(ending) = ending {
        write(shared, key, ending).await;
    }
}

/// An attempt among those that run here. Dropping it takes it out.
struct Listed<'a> {
    shared: &'a Shared,
    key: LeaseKey,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.shared.active().remove(&(self.key.number, self.key.fence));
    }
}

/// Writes how an attempt ended, until it is written or the lease is over: what was done must not be forgotten because a disk is
/// full or a database is silent for a while. On a disk that stays full it is written without its report. A program that stops does
/// not wait for longer than a lease lasts.
async fn write(shared: &Arc<Shared>, key: LeaseKey, mut ending: Ending) {
    let begun = Instant::now();
    while let Err(error) = shared.store.end(key, ending.clone()).await {
        if matches!(error, StoreError::Full { .. })
            && begun.elapsed() >= UNREPORTED_AFTER
            && let Ending::Finished { outcome, .. } = ending
        {
            ending = Ending::Unreported { outcome, trouble: UNREPORTED.to_owned() };
            continue;
        }
        let most = match error {
            _ if !shared.stops.is_cancelled() => WRITE_MAX,
            // Nobody frees a disk within a few seconds.
            StoreError::Full { .. } => DRAIN,
            _ => LEASE,
        };
        if begun.elapsed() >= most {
            return;
        }
        sleep(WRITE_AGAIN).await;
    }
}

/// How an attempt ends that was interrupted; nothing where nothing of it is taken.
fn interrupted(why: Why, has_changed: bool) -> Option<Ending> {
    match (why, has_changed) {
        (Why::Lost, _) => None,
        (Why::Cancelled, _) => Some(Ending::Cancelled { report: String::new() }),
        (Why::Stopping, true) => Some(unknown(STOPPED)),
        (Why::Stopping, false) => {
            Some(Ending::Again { delay_ms: 0, trouble: "the server that ran it was stopped".to_owned() })
        }
    }
}

/// How an attempt ends that was cut off after it may have changed something.
fn unknown(trouble: &str) -> Ending {
    Ending::Unreported { outcome: "unknown_outcome".to_owned(), trouble: trouble.to_owned() }
}

/// How an attempt ends in which this program had a fault. It is not repeated: it would have the same one.
fn faulty(has_changed: bool, words: fn(&Remedy) -> String) -> Ending {
    if has_changed {
        return unknown(FAULTY);
    }
    let failure =
        Failure::new(Cause::Internal, "the server had a fault while it ran this job").with(Remedy::ReportFault);
    let report = Report::failed(intentbox_engine::new_run_id(), failure);
    let outcome = report.outcome().terms().name.to_owned();
    Ending::Finished { outcome, report: serde_json::to_string(&Wire::new(&report, words)).unwrap_or_default() }
}

/// Runs an attempt to its end. Nothing where its lease was over before it may have changed anything.
async fn ended(shared: &Arc<Shared>, lease: &Lease, has_changed: &Mutex<bool>) -> Option<Ending> {
    let (report, may_repeat) = reported(shared, lease, has_changed).await?;
    let outcome = report.outcome().terms().name;
    let cause = report.failure.as_ref().map(|failure| &failure.cause);
    // It was cut off after it had called somebody, perhaps to change something.
    let has_called = report.spent.is_none_or(|spent| spent.calls_that_may_change() > 0);
    let trouble = report.failure.as_ref().map(|failure| failure.message.as_str()).unwrap_or_default();
    if let Some(ending) = cause.and_then(|cause| incomplete(&lease.job, cause, !may_repeat && has_called, trouble)) {
        return Some(ending);
    }
    let report = serde_json::to_string(&Wire::new(&report, shared.options.words)).unwrap_or_default();
    Some(Ending::Finished { outcome: outcome.to_owned(), report })
}

/// How long to wait after so many attempts.
fn delay_ms(attempt: u32) -> i64 {
    AGAIN_MS.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(AGAIN_MS_MAX)
}

/// How an attempt ends that this server could not complete for a cause that passes; nothing where its report is its end.
fn incomplete(job: &Job, cause: &Cause, may_have_changed: bool, trouble: &str) -> Option<Ending> {
    let trouble = trouble.to_owned();
    match cause {
        Cause::Overloaded | Cause::MemoryTaken | Cause::WorkerLost if may_have_changed => {
            Some(unknown(&format!("it was cut off after it may have changed something: {trouble}")))
        }
        Cause::Overloaded | Cause::MemoryTaken if job.waits < WAITS_MAX => {
            let lacked_memory = matches!(cause, Cause::MemoryTaken);
            Some(Ending::Waits { delay_ms: spread(delay_ms(job.waits + 1), job.number), lacked_memory, trouble })
        }
        Cause::WorkerLost if job.attempt < job.attempts_max => {
            Some(Ending::Again { delay_ms: delay_ms(job.attempt), trouble })
        }
        _ => None,
    }
}

/// A delay between half of this one and all of it, so that jobs that found no room together do not come back together.
fn spread(delay_ms: i64, number: i64) -> i64 {
    // The golden ratio takes numbers that follow each other far apart.
    let part = number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    delay_ms / 2 + (delay_ms / 2).saturating_mul(part.cast_signed()) / 1_024
}

/// The report of an attempt, and whether it may be repeated. Nothing where the lease is over.
async fn reported(shared: &Arc<Shared>, lease: &Lease, has_changed: &Mutex<bool>) -> Option<(Report, bool)> {
    let Job { request, principal, .. } = &lease.job;
    let request = match JobRequest::parse(request) {
        Ok(request) => request,
        // It was valid for the version that accepted it.
        Err(fault) => {
            let failure = Failure::new(Cause::Parameter, fault.to_string());
            return Some((Report::failed(intentbox_engine::new_run_id(), failure), false));
        }
    };
    let consent = if request.allow_writes { Consent::Given } else { Consent::Asked };
    let ceilings = shared.options.ceilings.clone();
    let Some(principal) = Principal::kept(principal) else {
        let failure = Failure::new(Cause::Internal, "the job is of a principal that no version knows");
        return Some((Report::failed(intentbox_engine::new_run_id(), failure), false));
    };
    let trace = TraceContext::of_kept(&lease.job.trace);
    let caller = Caller { consent, ceilings, trace, ..Caller::of(principal) };
    let (progress, mut told) = Progress::new(Arc::clone(&shared.events));
    let events: Arc<dyn Events> = Arc::new(progress);
    let run = match &request.work {
        Work::Intent(intent) => {
            shared.engine.learn_names(intent, &caller).await;
            shared.engine.plan(intent, &caller).await.ready()
        }
        Work::Code(code) => shared.engine.plan_code(code, &caller),
    };
    let run = match run {
        Ok(run) => run,
        Err(report) => {
            shared.events.note(Of::request(report.run_id, &caller), Event::Ended { report: &report });
            return Some((*report, false));
        }
    };
    // In the middle it could lack memory again, and again without an end.
    let run = if lease.job.lacked_memory { Box::new(run.reserving_memory()) } else { run };
    let may_change = run.may_change();
    if may_change {
        // Before anything is changed: if this process is lost then, nobody repeats it.
        match shared.store.may_change(lease.key()).await {
            Ok(true) => *has_changed.lock().unwrap_or_else(PoisonError::into_inner) = true,
            Ok(false) => return None,
            Err(error) => {
                let failure = Failure::new(Cause::Overloaded, format!("the start cannot be written: {error}"));
                return Some((Report::failed(run.id(), failure), true));
            }
        }
    }
    let running = shared.engine.run(run, &caller, &events);
    tokio::pin!(running);
    // A step that cannot be written is lost: the report has all of them.
    let write = async |Step { kind, data }| drop(shared.store.add_event(lease.key(), kind, data).await);
    let report = loop {
        tokio::select! {
            biased;
            report = &mut running => break report,
            Some(step) = told.recv() => write(step).await,
        }
    };
    while let Ok(step) = told.try_recv() {
        write(step).await;
    }
    Some((report, !may_change))
}

#[cfg(test)]
mod tests {
    use intentbox_store::JobState;

    use super::*;

    #[test]
    fn an_interrupted_attempt_is_repeated_only_if_it_changed_nothing() {
        assert_eq!(interrupted(Why::Lost, false), None);
        assert_eq!(interrupted(Why::Cancelled, true), Some(Ending::Cancelled { report: String::new() }));
        assert!(matches!(interrupted(Why::Stopping, false), Some(Ending::Again { delay_ms: 0, .. })));
        assert_eq!(interrupted(Why::Stopping, true), Some(unknown(STOPPED)));
    }

    #[test]
    fn a_fault_of_this_program_is_no_outcome_of_what_may_have_changed_something() {
        let words = |_: &Remedy| String::new();
        let Ending::Finished { outcome, report } = faulty(false, words) else { panic!("it has ended") };
        assert!(outcome == "internal" && report.contains("the server had a fault"), "{outcome}: {report}");
        assert_eq!(faulty(true, words), unknown(FAULTY));
    }

    #[test]
    fn the_pause_between_attempts_grows_to_a_minute() {
        let pauses: Vec<i64> = [1, 2, 3, 6, 7, 100].map(delay_ms).into();
        assert_eq!(pauses, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
    }

    fn job(attempt: u32, waits: u32) -> Job {
        Job {
            number: 1,
            id: "a".to_owned(),
            principal: "token:alice".to_owned(),
            request: "{}".to_owned(),
            state: JobState::Running,
            priority: 0,
            created_ms: 0,
            run_at_ms: 0,
            expires_ms: None,
            started_ms: None,
            finished_ms: None,
            attempt,
            attempts_max: 3,
            waits,
            lacked_memory: false,
            is_cancelled: false,
            outcome: String::new(),
            report: String::new(),
            trouble: String::new(),
            labels: Vec::new(),
            callback_url: String::new(),
            trace: String::new(),
        }
    }

    #[test]
    fn an_attempt_that_was_not_completed_is_repeated_up_to_its_bounds_and_if_it_changed_nothing() {
        let told = |attempt: u32, waits: u32, cause: &Cause, may_have_changed: bool| match incomplete(
            &job(attempt, waits),
            cause,
            may_have_changed,
            "",
        ) {
            Some(Ending::Waits { lacked_memory: true, .. }) => "waits and reserves",
            Some(Ending::Waits { .. }) => "waits",
            Some(Ending::Again { .. }) => "again",
            Some(Ending::Finished { .. } | Ending::Unreported { .. }) => "unknown",
            Some(Ending::Cancelled { .. }) => "cancelled",
            None => "ends",
        };
        for (attempt, waits, cause, may_have_changed, expected) in [
            (3, 0, Cause::Overloaded, false, "waits"),
            (3, WAITS_MAX - 1, Cause::Overloaded, false, "waits"),
            (1, WAITS_MAX, Cause::Overloaded, false, "ends"),
            (3, 0, Cause::MemoryTaken, false, "waits and reserves"),
            (1, WAITS_MAX, Cause::MemoryTaken, false, "ends"),
            (1, 0, Cause::Overloaded, true, "unknown"),
            (1, 0, Cause::MemoryTaken, true, "unknown"),
            (2, WAITS_MAX, Cause::WorkerLost, false, "again"),
            (3, 0, Cause::WorkerLost, false, "ends"),
            (1, 0, Cause::WorkerLost, true, "unknown"),
            (1, 0, Cause::Internal, true, "ends"),
        ] {
            assert_eq!(told(attempt, waits, &cause, may_have_changed), expected, "{attempt} {waits} {cause:?}");
        }
    }

    #[test]
    fn jobs_that_found_no_room_together_come_back_one_after_the_other() {
        let mut delays: Vec<i64> = (1..=20).map(|number| spread(60_000, number)).collect();
        delays.sort_unstable();
        assert!(delays[0] >= 30_000 && delays[19] < 60_000, "{delays:?}");
        assert!(delays.windows(2).all(|pair| pair[1] - pair[0] >= 500), "{delays:?}");
    }
}
