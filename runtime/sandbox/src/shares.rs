//! A number of equal units that runs of several owners share: who may take how many, and who waits.
//!
//! The rule is one line, [`may_take`]: where owners must be kept apart, no owner takes a unit that would leave less
//! free than it holds. Switches share their packet buffers in the same way (dynamic thresholds, Choudhury and Hahne
//! 1998). One owner gets half of the units, a second half of the rest, and an owner that holds nothing finds something
//! free until some log₂(units) owners have taken all they can. A run that has begun may go on beyond that while nobody else is there,
//! and leaves an eighth, in which the first runs of others begin at once.
//!
//! Released units go to waiting runs: first to runs that want to grow, of whatever size fits, since they hold something
//! already; then to runs that want to enter, in the order in which they came for each owner, owners in turn. A run that
//! must wait delays only runs of its own owner.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// The owner of a run. Runs of one owner share what one owner may hold; the number means nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Owner(pub u64);

/// How owners share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// There is one owner, or they trust each other: anybody may hold everything.
    Whole,
    /// No owner holds more than is left for the others.
    Fair,
    /// The same, and no worker process ever has runs of two owners: a worker is replaced before it gets one of another
    /// owner, which takes some tens of milliseconds.
    Apart,
}

/// Which part of the units the runs of one owner leave, however alone they are: one of so many.
const LEFT_PART: u64 = 8;

/// Whether an owner that holds `held` units may take `wanted` of the `free` ones. `leaves` is what must be left where it may take more
/// than its share, because it is alone.
fn may_take(sharing: Sharing, free: u64, held: u64, wanted: u64, leaves: Option<u64>) -> bool {
    let Some(left) = free.checked_sub(wanted) else { return false };
    match sharing {
        Sharing::Whole => true,
        // With nothing in hand, the first is always given.
        Sharing::Fair | Sharing::Apart => {
            held == 0 || held.saturating_add(wanted) <= left || leaves.is_some_and(|leaves| left >= leaves)
        }
    }
}

/// What a caller takes units for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Start a run. It waits behind those of the same owner that came before.
    Enter,
    /// Continue a run. It waits for free units only, and for no other run. It may take more than the share of its owner while that is
    /// alone.
    Grow,
}

/// The units, and who holds and awaits them. Cloning shares them.
#[derive(Debug, Clone)]
pub(crate) struct Shares(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    sharing: Sharing,
    all: u64,
    free: u64,
    held: HashMap<Owner, u64, BuildHasherDefault<DefaultHasher>>,
    growing: VecDeque<Waiter>,
    /// Owners with runs that want to enter, in turn.
    entering: VecDeque<(Owner, VecDeque<Waiter>)>,
}

#[derive(Debug)]
struct Waiter {
    owner: Owner,
    units: u64,
    given: oneshot::Sender<HeldUnits>,
}

/// Units that an owner holds. Dropping them frees them.
#[derive(Debug)]
pub(crate) struct HeldUnits {
    shares: Shares,
    owner: Owner,
    units: u64,
}

impl Shares {
    pub(crate) fn new(units: u64, sharing: Sharing) -> Shares {
        Shares(Arc::new(Mutex::new(State {
            sharing,
            all: units,
            free: units,
            held: HashMap::default(),
            growing: VecDeque::new(),
            entering: VecDeque::new(),
        })))
    }

    /// How many units one owner can have at the most.
    pub(crate) fn most(&self) -> u64 {
        let state = self.state();
        match state.sharing {
            Sharing::Whole => state.all,
            Sharing::Fair | Sharing::Apart => state.all - state.all / LEFT_PART,
        }
    }

    /// Takes units, or waits for them until `until`. `None` where they did not come free in time.
    pub(crate) async fn take(&self, owner: Owner, units: u64, purpose: Purpose, until: Instant) -> Option<HeldUnits> {
        let (given, waiting) = oneshot::channel();
        {
            let mut state = self.state();
            // Callers that wait for the same owner come first.
            if (purpose == Purpose::Grow || !state.has_queue(owner)) && state.give(owner, units, purpose) {
                return Some(HeldUnits { shares: self.clone(), owner, units });
            }
            state.queue(Waiter { owner, units, given }, purpose);
        }
        // Dropped after the receiver, also if the caller goes away: the caller that waits behind this one may be next.
        let _serving = ServeOnDrop(self);
        // A waiter whose receiver is gone is passed over.
        timeout_at(until, waiting).await.ok()?.ok()
    }

    /// Takes units that are there at once.
    pub(crate) fn try_take(&self, owner: Owner, units: u64, purpose: Purpose) -> Option<HeldUnits> {
        let is_given = self.state().give(owner, units, purpose);
        is_given.then(|| HeldUnits { shares: self.clone(), owner, units })
    }

    /// Hands free units to waiting callers.
    fn serve(&self) {
        let mut refused = Vec::new();
        {
            let mut state = self.state();
            state.serve_growing(self, &mut refused);
            state.serve_entering(self, &mut refused);
        }
        // What nobody received any more goes back, without the lock, and is served again.
        drop(refused);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves waiting callers when it is dropped.
struct ServeOnDrop<'a>(&'a Shares);

impl Drop for ServeOnDrop<'_> {
    fn drop(&mut self) {
        self.0.serve();
    }
}

impl State {
    fn may_take(&self, owner: Owner, units: u64, purpose: Purpose) -> bool {
        let is_beyond = purpose == Purpose::Grow && self.is_alone(owner);
        let leaves = is_beyond.then_some(self.all / LEFT_PART);
        may_take(self.sharing, self.free, self.held.get(&owner).copied().unwrap_or(0), units, leaves)
    }

    /// Whether nobody else holds units or waits for them.
    fn is_alone(&self, owner: Owner) -> bool {
        let mut waiting = self.entering.iter().filter(|(other, _)| *other != owner);
        self.held.keys().all(|other| *other == owner) && !waiting.any(|(_, queue)| queue.iter().any(Waiter::is_there))
    }

    fn give(&mut self, owner: Owner, units: u64, purpose: Purpose) -> bool {
        let is_given = self.may_take(owner, units, purpose);
        if is_given && units > 0 {
            self.free -= units;
            *self.held.entry(owner).or_default() += units;
        }
        is_given
    }

    fn has_queue(&self, owner: Owner) -> bool {
        self.entering.iter().any(|(waiting, queue)| *waiting == owner && queue.iter().any(Waiter::is_there))
    }

    fn queue(&mut self, waiter: Waiter, purpose: Purpose) {
        if purpose == Purpose::Grow {
            self.growing.retain(Waiter::is_there);
            self.growing.push_back(waiter);
            return;
        }
        match self.entering.iter_mut().find(|(owner, _)| *owner == waiter.owner) {
            Some((_, queue)) => {
                queue.retain(Waiter::is_there);
                queue.push_back(waiter);
            }
            None => self.entering.push_back((waiter.owner, VecDeque::from([waiter]))),
        }
    }

    fn serve_growing(&mut self, shares: &Shares, refused: &mut Vec<HeldUnits>) {
        let mut at = 0;
        while let Some(waiter) = self.growing.get(at) {
            if !waiter.is_there() || self.may_take(waiter.owner, waiter.units, Purpose::Grow) {
                let waiter = self.growing.remove(at).expect("it was there a line ago");
                refused.extend(self.hand_over(waiter, Purpose::Grow, shares));
            } else {
                at += 1;
            }
        }
    }

    fn serve_entering(&mut self, shares: &Shares, refused: &mut Vec<HeldUnits>) {
        // Once around without giving anything, and nobody can be given anything.
        let mut idle = 0;
        while idle < self.entering.len() {
            let Some((owner, mut queue)) = self.entering.pop_front() else { return };
            idle += 1;
            while queue.front().is_some_and(|waiter| !waiter.is_there()) {
                queue.pop_front();
            }
            if queue.front().is_some_and(|waiter| self.may_take(owner, waiter.units, Purpose::Enter))
                && let Some(waiter) = queue.pop_front()
            {
                refused.extend(self.hand_over(waiter, Purpose::Enter, shares));
                idle = 0;
            }
            if queue.is_empty() {
                idle = 0;
            } else {
                self.entering.push_back((owner, queue));
            }
        }
    }

    /// Gives a waiter what it waits for. What it does not receive any more comes back.
    fn hand_over(&mut self, waiter: Waiter, purpose: Purpose, shares: &Shares) -> Option<HeldUnits> {
        let Waiter { owner, units, given } = waiter;
        if given.is_closed() || !self.give(owner, units, purpose) {
            return None;
        }
        given.send(HeldUnits { shares: shares.clone(), owner, units }).err()
    }
}

impl Waiter {
    fn is_there(&self) -> bool {
        !self.given.is_closed()
    }
}

impl HeldUnits {
    /// Puts other units of the same owner to these.
    pub(crate) fn add(&mut self, mut other: HeldUnits) {
        self.units += std::mem::take(&mut other.units);
    }

    /// Gives all but `units` back.
    pub(crate) fn keep(&mut self, units: u64) {
        let back = self.units.saturating_sub(units);
        self.units -= back;
        self.give_back(back);
    }

    pub(crate) fn units(&self) -> u64 {
        self.units
    }

    fn give_back(&self, units: u64) {
        if units == 0 {
            return;
        }
        {
            let mut state = self.shares.state();
            state.free += units;
            if let Some(held) = state.held.get_mut(&self.owner) {
                *held = held.saturating_sub(units);
                if *held == 0 {
                    state.held.remove(&self.owner);
                }
            }
        }
        self.shares.serve();
    }
}

impl Drop for HeldUnits {
    fn drop(&mut self) {
        let units = std::mem::take(&mut self.units);
        self.give_back(units);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const ALICE: Owner = Owner(1);
    const BOB: Owner = Owner(2);

    /// How many units one after the other an owner gets at once.
    fn grab(shares: &Shares, owner: Owner) -> Vec<HeldUnits> {
        std::iter::from_fn(|| shares.try_take(owner, 1, Purpose::Enter)).collect()
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_mins(10)
    }

    #[test]
    fn c11_one_owner_takes_half_and_the_next_half_of_the_rest() {
        let shares = Shares::new(256, Sharing::Fair);
        let mut grabbed = Vec::new();
        let counts: Vec<usize> = (0..9)
            .map(|owner| {
                let held = grab(&shares, Owner(owner));
                let count = held.len();
                grabbed.extend(held);
                count
            })
            .collect();
        assert_eq!(counts, [128, 64, 32, 16, 8, 4, 2, 1, 1], "the last finds nothing but what is left");
        assert!(shares.try_take(Owner(9), 1, Purpose::Enter).is_none());
        drop(grabbed);
        assert_eq!(grab(&shares, Owner(9)).len(), 128);
    }

    #[test]
    fn one_owner_alone_takes_everything() {
        let shares = Shares::new(256, Sharing::Whole);
        let held = grab(&shares, ALICE);
        assert_eq!(held.len(), 256);
        assert!(shares.try_take(BOB, 1, Purpose::Enter).is_none());
    }

    #[test]
    fn the_last_unit_allowed_and_the_first_refused() {
        for (sharing, free, held, wanted, expected) in [
            (Sharing::Whole, 4, 100, 4, true),
            (Sharing::Whole, 4, 100, 5, false),
            (Sharing::Fair, 4, 0, 4, true),
            (Sharing::Fair, 4, 0, 5, false),
            (Sharing::Fair, 9, 3, 3, true),
            (Sharing::Fair, 8, 3, 3, false),
            (Sharing::Fair, u64::MAX, u64::MAX, 1, false),
        ] {
            assert_eq!(may_take(sharing, free, held, wanted, None), expected, "{sharing:?} {free} {held} {wanted}");
        }
        for (free, held, wanted, leaves, expected) in
            [(9, 20, 5, 4, true), (8, 20, 5, 4, false), (4, 20, 5, 0, false), (9, 2, 5, 9, false)]
        {
            let taken = may_take(Sharing::Fair, free, held, wanted, Some(leaves));
            assert_eq!(taken, expected, "{free} {held} {wanted} {leaves}");
        }
    }

    #[tokio::test]
    async fn who_is_alone_goes_on_until_an_eighth_is_left_and_begins_no_more_than_half() {
        let shares = Shares::new(64, Sharing::Fair);
        assert_eq!(shares.most(), 56);
        let mut first = shares.try_take(ALICE, 32, Purpose::Enter).expect("half");
        assert!(shares.try_take(ALICE, 1, Purpose::Enter).is_none(), "another run would be beyond half");
        first.add(shares.try_take(ALICE, 24, Purpose::Grow).expect("nobody else is there"));
        assert!(shares.try_take(ALICE, 1, Purpose::Grow).is_none(), "an eighth is left");
        let other = shares.try_take(BOB, 1, Purpose::Enter).expect("the first of another");
        first.keep(40);
        assert!(shares.try_take(ALICE, 1, Purpose::Grow).is_none(), "Bob is there");
        drop(other);
        let waiting = tokio::spawn({
            let shares = shares.clone();
            async move { shares.take(BOB, 30, Purpose::Enter, later()).await.map(|held| held.units()) }
        });
        tokio::task::yield_now().await;
        assert!(shares.try_take(ALICE, 1, Purpose::Grow).is_none(), "24 are free, and Bob waits for 30");
        first.keep(34);
        assert_eq!(waiting.await.expect("it does not panic"), Some(30));
    }

    #[tokio::test]
    async fn c11_who_waits_for_too_much_holds_up_nobody_else() {
        let shares = Shares::new(8, Sharing::Fair);
        let _greedy = grab(&shares, ALICE);
        let waiting = tokio::spawn({
            let shares = shares.clone();
            async move { shares.take(ALICE, 1, Purpose::Enter, later()).await.is_some() }
        });
        tokio::task::yield_now().await;
        let held = shares.take(BOB, 1, Purpose::Enter, later()).await;
        assert!(held.is_some(), "Bob has nothing and is given the first");
        assert!(!waiting.is_finished());
        waiting.abort();
    }

    #[tokio::test]
    async fn runs_of_an_owner_enter_in_the_order_in_which_they_came_and_owners_in_turn() {
        let shares = Shares::new(1, Sharing::Whole);
        let first = shares.try_take(ALICE, 1, Purpose::Enter).expect("it is free");
        let (order, mut arrived) = tokio::sync::mpsc::unbounded_channel();
        for (owner, name) in [(ALICE, "a1"), (ALICE, "a2"), (ALICE, "a3"), (BOB, "b1"), (BOB, "b2")] {
            let (shares, order) = (shares.clone(), order.clone());
            tokio::spawn(async move {
                let held = shares.take(owner, 1, Purpose::Enter, later()).await;
                order.send(name).expect("the test listens");
                drop(held);
            });
            tokio::task::yield_now().await;
        }
        drop((first, order));
        let mut seen = Vec::new();
        while let Some(name) = arrived.recv().await {
            seen.push(name);
        }
        assert_eq!(seen, ["a1", "b1", "a2", "b2", "a3"]);
    }

    #[tokio::test]
    async fn what_somebody_no_longer_waits_for_stays_free() {
        let shares = Shares::new(1, Sharing::Whole);
        let held = shares.try_take(ALICE, 1, Purpose::Enter);
        assert!(shares.take(BOB, 1, Purpose::Enter, Instant::now()).await.is_none(), "it did not come free in time");
        drop(held);
        assert!(shares.try_take(ALICE, 1, Purpose::Enter).is_some());
    }

    #[tokio::test]
    async fn growing_passes_those_who_want_to_enter() {
        let shares = Shares::new(4, Sharing::Whole);
        let mut running = shares.try_take(ALICE, 3, Purpose::Enter).expect("it is free");
        let enters = tokio::spawn({
            let shares = shares.clone();
            async move { shares.take(ALICE, 4, Purpose::Enter, later()).await.is_some() }
        });
        tokio::task::yield_now().await;
        running.add(shares.take(ALICE, 1, Purpose::Grow, later()).await.expect("one is free"));
        assert_eq!(running.units(), 4);
        running.keep(2);
        assert_eq!(running.units(), 2);
        drop(running);
        assert!(enters.await.expect("it does not panic"));
    }

    proptest! {
        #[test]
        fn units_are_neither_lost_nor_made(
            sharing in prop_oneof![Just(Sharing::Whole), Just(Sharing::Fair), Just(Sharing::Apart)],
            steps in proptest::collection::vec((0_u64..4, 0_u64..9, any::<bool>()), 0..60),
        ) {
            let shares = Shares::new(32, sharing);
            let mut held: Vec<HeldUnits> = Vec::new();
            for (owner, units, gives_back) in steps {
                if gives_back {
                    held.pop();
                } else {
                    held.extend(shares.try_take(Owner(owner), units, Purpose::Enter));
                }
                let out: u64 = held.iter().map(HeldUnits::units).sum();
                prop_assert_eq!(shares.state().free + out, 32);
                for owner in (0..4).map(Owner) {
                    let of: u64 = held.iter().filter(|held| held.owner == owner).map(HeldUnits::units).sum();
                    prop_assert_eq!(shares.state().held.get(&owner).copied().unwrap_or(0), of);
                }
            }
            held.clear();
            prop_assert_eq!(shares.state().free, 32);
            prop_assert!(shares.state().held.is_empty());
        }
    }
}
