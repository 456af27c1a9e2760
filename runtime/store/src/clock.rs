//! The clock, chosen by the code that opens the store.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// One day, in milliseconds: days are those of UTC and have no leap seconds.
pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// A source of the time.
#[derive(Clone)]
pub struct Clock(Option<Arc<dyn Fn() -> i64 + Send + Sync>>);

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that says what `now_unix_ms` says: milliseconds after 1970, UTC.
    #[must_use]
    pub fn new(now_unix_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now_unix_ms)))
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
        self.0.as_ref().map(|now_unix_ms| now_unix_ms())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now_unix_ms()).finish()
    }
}
