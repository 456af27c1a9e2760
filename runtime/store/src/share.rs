//! Who is next: each principal with jobs has its share.
//!
//! The next seat goes to the principal of which the fewest jobs run; among equals, to the one whose last turn was longest ago. So a
//! principal with a hundred thousand jobs delays another's first one by as much as it has seats, and not by its queue.
//! Priorities order the jobs of one principal, and never those of two.

use std::collections::HashMap;

use crate::clock::Pace;
use crate::jobs::JobQuotas;
use crate::room::Room;

/// The seats of one worker. No principal takes one that would leave fewer free than it holds, as with the slots of runs: one that
/// submits a thousand long jobs has half of the seats, and another's first job has one at once.
#[derive(Debug)]
pub(crate) struct Seats {
    free: u64,
    /// How many each principal holds.
    held: HashMap<String, u64>,
}

impl Seats {
    /// So many seats, of which some are taken.
    pub(crate) fn of(all: u64, held: HashMap<String, u64>) -> Self {
        Self { free: all.saturating_sub(held.values().sum()), held }
    }

    fn may_take(&self, principal: &str) -> bool {
        let Some(left) = self.free.checked_sub(1) else { return false };
        let held = self.held.get(principal).copied().unwrap_or(0);
        held == 0 || held < left
    }

    fn take(&mut self, principal: &str) {
        self.free = self.free.saturating_sub(1);
        *self.held.entry(principal.to_owned()).or_default() += 1;
    }
}

/// A principal with jobs that are ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) principal: String,
    /// How many of its jobs run, on all machines.
    pub(crate) running: u64,
}

/// The turns that principals had in this process.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    count: u64,
    last: HashMap<String, u64>,
}

impl Turns {
    /// How many of so many seats each principal gets, which are then counted as running. A principal may have fewer jobs than it
    /// gets seats: what stays free is given with the next question. `of_worker` are all seats of the worker where principals share
    /// them.
    pub(crate) fn shares(
        &mut self,
        owners: &mut [Owner],
        seats: u32,
        mut of_worker: Option<Seats>,
    ) -> Vec<(String, u32)> {
        self.last.retain(|principal, _| owners.iter().any(|owner| owner.principal == *principal));
        let mut shares: Vec<u32> = vec![0; owners.len()];
        for _ in 0..seats {
            let turn = |owner: &Owner| (owner.running, self.last.get(&owner.principal).copied().unwrap_or(0));
            let may_take = |index: &usize| of_worker.as_ref().is_none_or(|of| of.may_take(&owners[*index].principal));
            let next = (0..owners.len()).filter(may_take).min_by_key(|index| turn(&owners[*index]));
            let Some(next) = next else { break };
            if let Some(of_worker) = &mut of_worker {
                of_worker.take(&owners[next].principal);
            }
            self.count += 1;
            self.last.insert(owners[next].principal.clone(), self.count);
            owners[next].running += 1;
            shares[next] += 1;
        }
        let named = owners.iter().map(|owner| owner.principal.clone());
        named.zip(shares).filter(|(_, share)| *share > 0).collect()
    }
}

/// What this process knows of the shares of principals.
#[derive(Debug)]
pub(crate) struct Shares {
    pub(crate) turns: Turns,
    pub(crate) room: Room,
    /// Whether the clock by which it goes was set.
    pub(crate) pace: Pace,
}

impl Shares {
    pub(crate) fn new(quotas: JobQuotas) -> Self {
        Self { turns: Turns::default(), room: Room::new(quotas), pace: Pace::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owners(running: &[u64]) -> Vec<Owner> {
        let owner = |(number, running): (usize, &u64)| Owner { principal: format!("p{number}"), running: *running };
        running.iter().enumerate().map(owner).collect()
    }

    #[test]
    fn one_seat_at_a_time_goes_around() {
        let mut turns = Turns::default();
        let next: Vec<String> = (0..5).map(|_| turns.shares(&mut owners(&[0, 0, 0]), 1, None)[0].0.clone()).collect();
        assert_eq!(next, ["p0", "p1", "p2", "p0", "p1"]);
        assert_eq!(turns.shares(&mut owners(&[5, 0]), 4, None), [("p1".to_owned(), 4)]);
        assert_eq!(turns.shares(&mut [], 4, None), []);
    }

    #[test]
    fn a07_one_principal_takes_half_of_a_workers_seats_and_the_next_half_of_the_rest() {
        let mut held = HashMap::new();
        for (principal, expected) in
            [("first", 8), ("second", 4), ("third", 2), ("fourth", 1), ("fifth", 1), ("sixth", 0)]
        {
            let mut owners = [Owner { principal: principal.to_owned(), running: 0 }];
            let shares = Turns::default().shares(&mut owners, 16, Some(Seats::of(16, held.clone())));
            assert_eq!(shares.first().map_or(0, |(_, share)| *share), expected, "{principal}");
            held.insert(principal.to_owned(), expected.into());
        }
    }

    #[test]
    fn a07_a_worker_with_one_seat_gives_it() {
        let mut owners = owners(&[3]);
        assert_eq!(Turns::default().shares(&mut owners, 4, Some(Seats::of(1, HashMap::new()))), [("p0".to_owned(), 1)]);
    }

    proptest! {
        #[test]
        fn all_seats_are_given_and_who_has_more_running_gets_no_more(running in prop::collection::vec(0..20_u64, 1..8), seats in 0..64_u32) {
            let mut all = owners(&running);
            let shares = Turns::default().shares(&mut all, seats, None);
            prop_assert_eq!(shares.iter().map(|(_, share)| share).sum::<u32>(), seats);
            let got = |index: usize| all[index].running - running[index];
            for one in 0..running.len() {
                for other in 0..running.len() {
                    // Seats never make one overtake another by more than a seat.
                    prop_assert!(got(one) == 0 || all[one].running <= all[other].running + 1);
                }
            }
        }
    }
}
