//! What happened since the server started, for the last hour: counts by minute, and the last refusals. It is bounded, and is no record:
//! the store has those.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use intentbox_engine::{Event, Events, Of, Outcome, Remedy, Report, Target};
use jiff::Timestamp;

/// How many minutes are kept.
pub(crate) const MINUTES: usize = 60;

/// How many times of a minute are kept for its percentiles. Beyond them the later ones are left out.
const TIMES_MAX: usize = 2_000;

/// How many refusals are kept.
const REFUSALS_MAX: usize = 100;

/// The paths by which a request is answered, in the order of the plots.
pub(crate) const PATHS: [&str; 4] = ["template", "tool", "code", "none"];

/// One minute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Minute {
    /// Which: minutes after 1970, UTC.
    pub(crate) number: i64,
    /// How many requests ended, by path.
    pub(crate) runs: [u64; PATHS.len()],
    /// How many of them failed.
    pub(crate) failed: u64,
    /// How many were answered from the cache.
    pub(crate) cached: u64,
    times_ms: Vec<f64>,
}

impl Minute {
    pub(crate) fn total(&self) -> u64 {
        self.runs.iter().sum()
    }

    /// The time in milliseconds that so much of the requests did not exceed; nothing without any.
    pub(crate) fn percentile(&self, part: f64) -> Option<f64> {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the place is within the list")]
        #[expect(clippy::cast_precision_loss, reason = "there are two thousand")]
        let place = ((times.len() as f64 * part).ceil() as usize).clamp(1, times.len().max(1)) - 1;
        times.get(place).copied()
    }
}

/// Something that was refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) at: Timestamp,
    pub(crate) who: String,
    pub(crate) what: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

#[derive(Default)]
struct Kept {
    minutes: VecDeque<Minute>,
    refusals: VecDeque<Refusal>,
}

impl Kept {
    /// Forgets the oldest refusal of the principal with the most of them: nobody's many hide another's few.
    fn forget_one(&mut self) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for refusal in &self.refusals {
            *counts.entry(&refusal.who).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or_default();
        let oldest = self.refusals.iter().position(|refusal| counts[refusal.who.as_str()] == most);
        self.refusals.remove(oldest.unwrap_or_default());
    }
}

/// Keeps what happened, and passes it on.
pub struct History {
    others: Arc<dyn Events>,
    words: fn(&Remedy) -> String,
    kept: Mutex<Kept>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("History").finish_non_exhaustive()
    }
}

impl History {
    /// Keeps what is passed on to `others`. `words` says a remedy.
    #[must_use]
    pub fn new(others: Arc<dyn Events>, words: fn(&Remedy) -> String) -> Arc<Self> {
        Arc::new(Self { others, words, kept: Mutex::default() })
    }

    /// The last hour, minute by minute, also those without requests.
    pub(crate) fn minutes(&self, now: Timestamp) -> Vec<Minute> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let last = minute_of(now);
        let first = last - i64::try_from(MINUTES).unwrap_or(0) + 1;
        (first..=last)
            .map(|number| {
                let found = kept.minutes.iter().find(|minute| minute.number == number);
                found.cloned().unwrap_or(Minute { number, ..Minute::default() })
            })
            .collect()
    }

    /// The last refusals, the newest first.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.refusals.iter().rev().cloned().collect()
    }

    fn ended(&self, at: Timestamp, who: &str, took: Duration, report: &Report) {
        let path = match &report.target {
            Some(Target::Template { tool: Some(_), .. }) => 1,
            Some(Target::Template { .. }) => 0,
            Some(Target::Code) => 2,
            None => 3,
        };
        let what = match &report.target {
            Some(target) => target.template().unwrap_or("code").to_owned(),
            None => "no template".to_owned(),
        };
        let refusal = |message: &str, remedy: Option<&Remedy>| Refusal {
            at,
            who: who.to_owned(),
            what: what.clone(),
            message: message.to_owned(),
            hint: remedy.map(self.words).unwrap_or_default(),
        };
        let denied = report.failure.as_ref().filter(|_| report.outcome() == Outcome::CapabilityDenied);
        let mut refusals: Vec<Refusal> =
            report.refusals.iter().map(|refused| refusal(&refused.message, refused.remedy.as_ref())).collect();
        if let Some(failure) = denied.filter(|_| refusals.is_empty()) {
            refusals.push(refusal(&failure.message, failure.remedy.as_ref()));
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for refusal in refusals {
            kept.refusals.push_back(refusal);
            if kept.refusals.len() > REFUSALS_MAX {
                kept.forget_one();
            }
        }
        let number = minute_of(at);
        // A clock that is set back adds to the last minute.
        if kept.minutes.back().is_none_or(|last| last.number < number) {
            if kept.minutes.len() == MINUTES {
                kept.minutes.pop_front();
            }
            kept.minutes.push_back(Minute { number, ..Minute::default() });
        }
        let Some(minute) = kept.minutes.back_mut() else { return };
        minute.runs[path] += 1;
        minute.failed += u64::from(report.outcome() != Outcome::Ok);
        minute.cached += u64::from(report.cached);
        if minute.times_ms.len() < TIMES_MAX {
            minute.times_ms.push(took.as_secs_f64() * 1e3);
        }
    }
}

fn minute_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(60)
}

impl Events for History {
    fn note(&self, of: Of<'_>, event: Event<'_>) {
        if let Event::Ended { report } = event {
            self.ended(Timestamp::now(), of.principal.name().unwrap_or("local"), of.received.elapsed(), report);
        }
        self.others.note(of, event);
    }
}

#[cfg(test)]
mod tests {
    use intentbox_engine::{Cause, Failure, NoEvents, new_run_id};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn an_hour_is_kept_and_no_more() {
        let history = History::new(Arc::new(NoEvents), |_| String::new());
        let report = Report::failed(new_run_id(), Failure::new(Cause::NotFound, "no template fits"));
        for minute in 0..100 {
            for ms in [1, 2, 3, 100] {
                history.ended(at(minute * 60), "local", Duration::from_millis(ms), &report);
            }
        }
        let minutes = history.minutes(at(100 * 60));
        assert_eq!((minutes.len(), minutes[0].number, minutes[59].total()), (60, 41, 0));
        let last = &minutes[58];
        assert_eq!((last.runs, last.failed), ([0, 0, 0, 4], 4));
        assert_eq!((last.percentile(0.5), last.percentile(0.95)), (Some(2.0), Some(100.0)));
        assert_eq!(minutes[59].percentile(0.5), None);
        assert!(history.refusals().is_empty(), "that there is none is no refusal");
    }

    #[test]
    fn refusals_are_bounded_and_the_newest_comes_first() {
        let history = History::new(Arc::new(NoEvents), |_| "add a line".to_owned());
        for number in 0..=REFUSALS_MAX {
            let failure = Failure::new(Cause::NotPermitted, format!("number {number}")).with(Remedy::AllowWrites);
            history.ended(at(0), "alice", Duration::ZERO, &Report::failed(new_run_id(), failure));
        }
        let refusals = history.refusals();
        assert_eq!(refusals.len(), REFUSALS_MAX);
        assert_eq!((refusals[0].message.as_str(), refusals[0].hint.as_str()), ("number 100", "add a line"));
    }

    #[test]
    fn nobodys_many_refusals_hide_those_of_another() {
        let history = History::new(Arc::new(NoEvents), |_| String::new());
        let refused = |who: &str| {
            let failure = Failure::new(Cause::NotPermitted, "no rule allows it").with(Remedy::AllowWrites);
            history.ended(at(0), who, Duration::ZERO, &Report::failed(new_run_id(), failure));
        };
        refused("alice");
        (0..REFUSALS_MAX * 2).for_each(|_| refused("bob"));
        let refusals = history.refusals();
        assert_eq!((refusals.len(), refusals[REFUSALS_MAX - 1].who.as_str()), (REFUSALS_MAX, "alice"));
    }
}
