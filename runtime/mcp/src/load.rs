//! How many calls may be under way: of one principal, and of all.
//!
//! Runs have a budget of their own, and wait for room. Calls do not wait: one that comes when too many are under way is
//! told so at once, and so a client that sends ten thousand holds no more than its share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::principal::Principal;

/// The most calls of one principal at a time.
pub(crate) const CALLS_EACH_MAX: usize = 256;

/// The most calls at a time.
pub(crate) const CALLS_ALL_MAX: usize = 512;

/// The calls that are under way. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    under_way: Arc<Mutex<BTreeMap<Principal, usize>>>,
}

/// One call under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    load: Load,
    principal: Principal,
}

impl Load {
    /// A place for a call, if there is one.
    pub(crate) fn admit(&self, principal: &Principal) -> Option<Place> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = under_way.get(principal).copied().unwrap_or(0);
        if mine >= CALLS_EACH_MAX || under_way.values().sum::<usize>() >= CALLS_ALL_MAX {
            return None;
        }
        under_way.insert(principal.clone(), mine + 1);
        Some(Place { load: self.clone(), principal: principal.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut under_way = self.load.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = under_way.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c04_nobody_takes_more_than_a_share_and_all_together_no_more_than_there_is() {
        let load = Load::default();
        let of = |name: &str| Principal::named(name);
        let fill = |name| std::iter::from_fn(|| load.admit(&of(name))).collect::<Vec<_>>();
        let first = fill("first");
        assert_eq!(first.len(), CALLS_EACH_MAX);
        let second = fill("second");
        assert_eq!(second.len(), CALLS_EACH_MAX);
        assert!(load.admit(&of("third")).is_none(), "all places are taken");
        drop(first);
        let third = load.admit(&of("third")).expect("there is room again");
        assert_eq!(fill("first").len(), CALLS_EACH_MAX - 1, "of all places one is the third's");
        drop((second, third));
        assert!(load.under_way.lock().expect("nobody panicked").is_empty(), "who has no call is forgotten");
    }
}
