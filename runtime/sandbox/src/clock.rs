//! The clock of a run: the machine's at a coarse resolution, or a deterministic one.
//!
//! A fine clock is half of a timing attack, so a guest reads time in steps of a tenth of a millisecond, as a browser page
//! does. A deterministic run gets a clock of its own: it starts where the caller says, moves on by a microsecond at every
//! look, and by the whole length of a sleep at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// The step in which a run sees time pass.
const STEP_NS: u64 = 100_000;

/// How far a deterministic clock moves when it is looked at: loops that wait for time to pass must end.
const LOOK_NS: u64 = 1_000;

/// A run's clock. Clones show the same time.
#[derive(Debug, Clone)]
pub(crate) enum Clock {
    Machine { started: Instant },
    Fixed { unix_ns: u64, passed_ns: Arc<AtomicU64> },
}

impl Clock {
    pub(crate) fn machine() -> Clock {
        Clock::Machine { started: Instant::now() }
    }

    /// A clock that starts at `unix_ns` nanoseconds after 1970.
    pub(crate) fn fixed(unix_ns: u64) -> Clock {
        Clock::Fixed { unix_ns, passed_ns: Arc::default() }
    }

    /// Waits, or lets the fixed time pass.
    pub(crate) async fn pause(&self, time: Duration) {
        match self {
            Clock::Machine { .. } => tokio::time::sleep(time).await,
            Clock::Fixed { passed_ns, .. } => {
                let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                advance(passed_ns, nanoseconds);
                // A loop of sleeps costs host time and no fuel: others get the thread, and the deadline is looked at.
                tokio::task::yield_now().await;
            }
        }
    }

    fn passed(&self) -> u64 {
        match self {
            Clock::Machine { started } => coarse(started.elapsed()),
            Clock::Fixed { passed_ns, .. } => advance(passed_ns, LOOK_NS),
        }
    }
}

/// Moves a fixed clock on, as far as there is time to count; gives where it was.
fn advance(passed_ns: &AtomicU64, by_ns: u64) -> u64 {
    let pass = |passed: u64| Some(passed.saturating_add(by_ns));
    passed_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pass).unwrap_or_default()
}

fn coarse(time: Duration) -> u64 {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    nanoseconds - nanoseconds % STEP_NS
}

impl HostMonotonicClock for Clock {
    fn resolution(&self) -> u64 {
        STEP_NS
    }

    fn now(&self) -> u64 {
        self.passed()
    }
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(STEP_NS)
    }

    fn now(&self) -> Duration {
        match self {
            Clock::Machine { .. } => {
                Duration::from_nanos(coarse(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()))
            }
            Clock::Fixed { unix_ns, .. } => Duration::from_nanos(unix_ns.saturating_add(self.passed())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_time_comes_in_steps() {
        let clock = Clock::machine();
        for _ in 0..1_000 {
            assert_eq!(HostMonotonicClock::now(&clock) % STEP_NS, 0);
            assert_eq!(HostWallClock::now(&clock).as_nanos() % u128::from(STEP_NS), 0);
        }
    }

    #[tokio::test]
    async fn a_fixed_clock_shows_the_same_times_in_the_same_order() {
        let look = async || {
            let clock = Clock::fixed(1_000_000_000_000);
            let first = HostWallClock::now(&clock);
            clock.pause(Duration::from_hours(1)).await;
            (first, HostMonotonicClock::now(&clock), HostWallClock::now(&clock))
        };
        assert_eq!(look().await, look().await);
        assert_eq!(look().await.0, Duration::from_secs(1_000));
        assert!(look().await.1 >= 3_600_000_000_000);
    }
}
