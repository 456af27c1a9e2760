//! How many of something may be under way at a time: of one principal, and of all.
//!
//! Runs have a budget of their own, and wait for room. Calls do not wait: one that comes when too many are under way is
//! told so at once, and so a client that sends ten thousand holds no more than its share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use intentbox_engine::Principal;

/// How many are too many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowd {
    /// The most of one principal.
    pub(crate) each: usize,
    /// The most of all together. More than twice what one may have, so that one or two leave room for others.
    pub(crate) all: usize,
}

/// What is under way. Clones count together.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    crowd: Crowd,
    under_way: Arc<Mutex<BTreeMap<Principal, usize>>>,
}

/// Something that is under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    load: Load,
    principal: Principal,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// This principal has its share.
    Share(usize),
    /// All together have what there is.
    All(usize),
}

impl Load {
    pub(crate) fn new(crowd: Crowd) -> Self {
        Self { crowd, under_way: Arc::default() }
    }

    /// A place, or why there is none.
    pub(crate) fn admit(&self, principal: &Principal) -> Result<Place, Full> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = under_way.get(principal).copied().unwrap_or(0);
        if mine >= self.crowd.each {
            return Err(Full::Share(self.crowd.each));
        }
        if under_way.values().sum::<usize>() >= self.crowd.all {
            return Err(Full::All(self.crowd.all));
        }
        under_way.insert(principal.clone(), mine + 1);
        Ok(Place { load: self.clone(), principal: principal.clone() })
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
        let load = Load::new(Crowd { each: 4, all: 10 });
        let of = |name: &str| Principal::named(name);
        let fill = |name| std::iter::from_fn(|| load.admit(&of(name)).ok()).collect::<Vec<_>>();
        let (first, second, third) = (fill("first"), fill("second"), fill("third"));
        assert_eq!((first.len(), second.len(), third.len()), (4, 4, 2), "two leave room for a third");
        assert_eq!(load.admit(&of("first")).err(), Some(Full::Share(4)));
        assert_eq!(load.admit(&of("fourth")).err(), Some(Full::All(10)));
        drop(first);
        assert_eq!(fill("fourth").len(), 4, "there is room again");
        drop((second, third));
        assert!(load.under_way.lock().expect("nobody panicked").is_empty(), "who has nothing under way is forgotten");
    }
}
