//! The clock, chosen by the code that opens the store.

use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One day, in milliseconds: days are those of UTC and have no leap seconds.
pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// A difference between two clocks from which on one of them was set, in milliseconds: clocks that are corrected slowly differ by
/// less between two looks.
const STEP_MS: u64 = 5_000;

/// How long after a step nothing is taken for lost, in milliseconds: who holds a lease renews it by the new time first.
const SETTLING_MS: i64 = 15_000;

type Hand = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A source of the time.
#[derive(Clone)]
pub struct Clock(Arc<Source>);

#[derive(Clone)]
struct Source {
    /// Milliseconds after 1970, if somebody else than this machine says so.
    hand: Option<Hand>,
    /// Milliseconds of a clock that nobody sets, if it is another than that of this machine or the hand.
    steady: Option<Hand>,
    begun: Instant,
}

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(Source { hand: None, steady: None, begun: Instant::now() }))
    }

    /// A clock that says what `now_unix_ms` says: milliseconds after 1970, UTC.
    #[must_use]
    pub fn new(now_unix_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(Source { hand: Some(Arc::new(now_unix_ms)), steady: None, begun: Instant::now() }))
    }

    /// The same with another source of the time that nobody sets, in milliseconds after any moment. Without one a clock that somebody
    /// else says is never set.
    #[must_use]
    pub fn beside(self, steady_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(Source { steady: Some(Arc::new(steady_ms)), ..Source::clone(&self.0) }))
    }

    /// The time in milliseconds after 1970, UTC.
    #[must_use]
    pub fn now_unix_ms(&self) -> i64 {
        self.of_test().unwrap_or_else(|| {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
        })
    }

    /// The time, if somebody else than this machine says it.
    pub(crate) fn of_test(&self) -> Option<i64> {
        self.0.hand.as_ref().map(|now_unix_ms| now_unix_ms())
    }

    /// The time of a clock that nobody sets, in milliseconds after any moment.
    pub(crate) fn steady_ms(&self) -> i64 {
        let own = || i64::try_from(self.0.begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.0.steady.as_ref().map(|steady_ms| steady_ms()).or_else(|| self.of_test()).unwrap_or_else(own)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now_unix_ms()).finish()
    }
}

/// Whether the clock was set: it is compared with one that nobody sets.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// How far the clock was ahead of the other one at the last look, in milliseconds.
    ahead_ms: Option<i64>,
    /// Until when it settles, by the other one.
    settling_until_ms: i64,
    /// Whether nothing was done about a step yet.
    is_open: bool,
}

impl Pace {
    /// Looks at both. Returns whether the clock was set since something was done about it; before the first look it may have been.
    pub(crate) fn look(&mut self, now_ms: i64, steady_ms: i64) -> bool {
        let ahead_ms = now_ms.saturating_sub(steady_ms);
        let last = self.ahead_ms.replace(ahead_ms);
        if last.is_some_and(|last| last.abs_diff(ahead_ms) >= STEP_MS) {
            self.settling_until_ms = steady_ms.saturating_add(SETTLING_MS);
        }
        self.is_open |= last.is_none_or(|last| last.abs_diff(ahead_ms) >= STEP_MS);
        self.is_open
    }

    /// Notes that what a step asks for was done, and is written.
    pub(crate) fn done(&mut self) {
        self.is_open = false;
    }

    /// Whether the clock was set so long ago that leases are by the new time.
    pub(crate) fn has_settled(&self, steady_ms: i64) -> bool {
        steady_ms >= self.settling_until_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_was_set_where_it_leaves_the_other_by_seconds_at_once() {
        for (now_ms, is_step) in [(11_000, false), (15_999, false), (16_000, true), (6_001, false), (6_000, true)] {
            let mut pace = Pace::default();
            assert!(pace.look(10_000, 0), "nothing is known before");
            assert!(pace.look(10_000, 0), "nothing was done about it");
            pace.done();
            assert_eq!(pace.look(now_ms, 1_000), is_step, "{now_ms}");
            assert_eq!(pace.has_settled(1_000), !is_step, "{now_ms}");
            assert_eq!(pace.has_settled(15_999), !is_step, "{now_ms}");
            assert!(pace.has_settled(16_000), "{now_ms}");
        }
        let mut pace = Pace::default();
        // Slowly it may go anywhere.
        for look in 0..100 {
            assert_eq!(pace.look(look * 5_999, look * 1_000), look == 0);
            pace.done();
        }
    }
}
