//! How many requests a token may send in a time. Off by default: a demo has one client, and nobody to protect from it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// A rate limit: so many requests in so many seconds, then 429 with `Retry-After` until the seconds are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many requests are answered, at least one.
    pub requests: u32,
    /// In how many seconds, at least one. They begin with the first request, and again with the first one after them.
    pub per_s: u32,
}

impl RateLimit {
    /// Whether a client that waits as it is told gets on.
    pub(crate) fn is_usable(self) -> bool {
        self.requests > 0 && self.per_s > 0
    }
}

/// What is left of a rate limit.
///
/// It runs on the real clock even where the data has a fixed one: who is told to wait waits for real.
#[derive(Debug)]
pub(crate) struct Allowance {
    limit: RateLimit,
    window: Mutex<Window>,
}

#[derive(Debug)]
struct Window {
    start: Instant,
    used: u32,
}

impl Allowance {
    pub(crate) fn new(limit: RateLimit, now: Instant) -> Allowance {
        Allowance { limit, window: Mutex::new(Window { start: now, used: 0 }) }
    }

    /// Takes one request out of it, or says in how many seconds there is one again.
    pub(crate) fn take(&self, now: Instant) -> Result<(), Failure> {
        let length = Duration::from_secs(self.limit.per_s.into());
        // Nothing panics while it holds the lock, and the numbers are whole even if something did.
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.used == 0 || now.saturating_duration_since(window.start) >= length {
            *window = Window { start: now, used: 0 };
        }
        if window.used < self.limit.requests {
            window.used += 1;
            return Ok(());
        }
        let left = length.saturating_sub(now.saturating_duration_since(window.start));
        // The header holds whole seconds, and one rounded down would send the client back too early.
        let retry_after_s = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        Err(Failure::RateLimited { limit: self.limit, retry_after_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_request_of_a_window_is_answered_and_the_next_waits_for_its_end() {
        let start = Instant::now();
        let allowance = Allowance::new(RateLimit { requests: 2, per_s: 10 }, start);
        let wait = |after_ms: u64| match allowance.take(start + Duration::from_millis(after_ms)) {
            Ok(()) => 0,
            Err(Failure::RateLimited { retry_after_s, .. }) => retry_after_s,
            Err(other) => panic!("{other}"),
        };
        // The window begins with its first request, five seconds after the tracker.
        assert_eq!([wait(5_000), wait(5_001)], [0, 0]);
        assert_eq!([wait(5_001), wait(6_000), wait(14_999)], [10, 9, 1]);
        assert_eq!([wait(15_000), wait(24_000), wait(24_500)], [0, 0, 1]);
    }

    #[test]
    fn a_limit_that_lets_nobody_through_is_not_usable() {
        assert!(RateLimit { requests: 1, per_s: 1 }.is_usable());
        assert!(!RateLimit { requests: 0, per_s: 1 }.is_usable());
        assert!(!RateLimit { requests: 1, per_s: 0 }.is_usable());
    }
}
