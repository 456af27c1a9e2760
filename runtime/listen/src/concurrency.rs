//! Concurrency limits: how many requests or calls may be in flight, for one principal and in total.
//!
//! Runs have a budget of their own and wait in it. What is admitted here does not wait: beyond a limit it is rejected at
//! once, so a client that sends ten thousand requests holds no more than its share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_report::Principal;

/// How many may be in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyLimit {
    /// The most of one principal.
    pub per_principal: usize,
    /// The most of all principals together. At least twice `per_principal`, so that one alone leaves room for others.
    pub total: usize,
}

/// What is in flight, counted by principal. Clones count together.
#[derive(Debug, Clone)]
pub struct InFlight {
    limit: ConcurrencyLimit,
    counts: Arc<Mutex<BTreeMap<Principal, usize>>>,
}

/// A permit for something in flight. Dropping it releases it.
#[derive(Debug)]
pub struct Permit {
    in_flight: InFlight,
    principal: Principal,
}

/// Which limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// The limit of this principal.
    #[error("{0} of this principal are in flight, and no more are allowed")]
    PerPrincipal(usize),
    /// The limit of all principals together.
    #[error("{0} of all principals are in flight, and no more are allowed")]
    Total(usize),
}

impl InFlight {
    /// Nothing in flight, up to a limit.
    #[must_use]
    pub fn new(limit: ConcurrencyLimit) -> Self {
        Self { limit, counts: Arc::default() }
    }

    /// Admits one more of this principal, or says which limit is reached.
    ///
    /// # Errors
    /// When this principal, or all together, have as many in flight as the limit allows.
    pub fn admit(&self, principal: &Principal) -> Result<Permit, Exceeded> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let own = counts.get(principal).copied().unwrap_or(0);
        if own >= self.limit.per_principal {
            return Err(Exceeded::PerPrincipal(self.limit.per_principal));
        }
        if counts.values().sum::<usize>() >= self.limit.total {
            return Err(Exceeded::Total(self.limit.total));
        }
        counts.insert(principal.clone(), own + 1);
        Ok(Permit { in_flight: self.clone(), principal: principal.clone() })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.in_flight.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c04_nobody_takes_more_than_a_share_and_all_together_no_more_than_there_is() {
        let in_flight = InFlight::new(ConcurrencyLimit { per_principal: 4, total: 10 });
        let of = |name: &str| Principal::named(name);
        let fill = |name| std::iter::from_fn(|| in_flight.admit(&of(name)).ok()).collect::<Vec<_>>();
        let (first, second, third) = (fill("first"), fill("second"), fill("third"));
        assert_eq!((first.len(), second.len(), third.len()), (4, 4, 2), "two leave room for a third");
        assert_eq!(in_flight.admit(&of("first")).err(), Some(Exceeded::PerPrincipal(4)));
        assert_eq!(in_flight.admit(&of("fourth")).err(), Some(Exceeded::Total(10)));
        drop(first);
        assert_eq!(fill("fourth").len(), 4, "there is room again");
        drop((second, third));
        assert!(in_flight.counts.lock().expect("nobody panicked").is_empty(), "who has nothing in flight is forgotten");
    }
}
