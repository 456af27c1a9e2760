//! What all runs of a process may use together: slots, bytes of memory, and turns to compute.
//!
//! A run's own limit says what it may grow to. The budget says what all of them may hold at a time, and `shares` what
//! one owner's may. A run that does not fit waits for others to end. If it waits too long it ends as overloaded, before
//! its start or in the middle: waiting forever would let runs that hold memory and want more deadlock.
//!
//! A run is charged for what this process holds because of it: the pages of the snapshot that it changes, the memory
//! that it grows by, its script and params, its output, and an answer of the host that it has not fetched.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use intentbox_verdict::{Exhausted, Resource};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::pages::Pages;
use crate::shares::{HeldUnits, Owner, Purpose, Shares, Sharing};
use crate::turns::{Turn, Turns};

/// What a run is charged before it grows: the pages of the snapshot that it changes. An ordinary script changes half a
/// megabyte and everything that scripts do all day stays below this. One that sets out to touch all of the snapshot can
/// reach some 40 MiB: those are counted while it runs ([`Share::count_pages`]).
pub(crate) const ENTRY_BYTES: u64 = 8 << 20;

/// How much memory may stay changed in a slot. An ordinary script changes half a megabyte, and others of its kind change the
/// same pages. Copying 8 MiB anew, which is what wasmtime may keep, makes a run of 1 ms take 1.4 to 1.6.
const KEPT_BYTES_MAX: u64 = 2 << 20;

/// Memory is given in these: one at a time is a few lock operations for each mebibyte, and nobody notices half of one.
const UNIT_BYTES: u64 = 1 << 20;

/// How much of a process runs may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Runs at a time, waiting ones included. Each reserves 4 GiB of addresses, not of memory.
    pub runs: u32,
    /// Bytes of memory of all runs together, beyond what they share.
    pub memory_bytes: u64,
    /// How long a run waits for a slot or for memory: long enough for a burst to pass, short enough for a caller to
    /// hear about it and try elsewhere.
    pub wait_max: Duration,
    /// What one owner may have of both.
    pub sharing: Sharing,
}

/// A resource that all runs share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SharedResource {
    /// Slots.
    Runs,
    /// Bytes of memory, to begin with.
    MemoryBytes,
    /// Bytes of memory, for a run that has begun to go on.
    MoreMemoryBytes,
}

impl fmt::Display for SharedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SharedResource::Runs => "runs",
            SharedResource::MemoryBytes | SharedResource::MoreMemoryBytes => "memory_bytes",
        })
    }
}

/// A shared resource did not come free in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{resource}: of the {limit} that all callers share, what this one may have did not come free in {waited_ms} ms"
)]
pub struct Overloaded {
    /// Which.
    pub resource: SharedResource,
    /// How many there are.
    pub limit: u64,
    /// How long the run waited.
    pub waited_ms: u64,
}

/// Why a run that has begun cannot have more memory.
#[derive(Debug)]
pub(crate) enum NoMemory {
    /// Others hold it.
    Taken(Overloaded),
    /// It is more than there is for all runs.
    Never(Exhausted),
}

#[derive(Debug)]
pub(crate) struct Budget {
    capacity: Capacity,
    runs: Shares,
    memory: Shares,
    turns: Turns,
    pages: Option<Pages>,
}

/// What one run holds of the budget; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    owner: Owner,
    _run: HeldUnits,
    memory: Mutex<Memory>,
    /// The run's part in the turns of its owner.
    pub(crate) turn: Turn,
    /// Where the run's pages of the snapshot are: address and length.
    snapshot: OnceLock<(usize, usize)>,
}

/// The memory of one run.
#[derive(Debug)]
struct Memory {
    held: HeldUnits,
    /// Everything but pages of the snapshot.
    bytes: u64,
    /// Changed pages of the snapshot, as they were last counted; what every run is charged for them at the least.
    snapshot_bytes: u64,
    /// What the run holds from its start to its end, whether it uses it or not.
    reserved: u64,
    /// Whether it waits for more.
    is_growing: bool,
}

/// What a run needs at its start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Needs {
    /// Bytes of its input.
    pub(crate) input_bytes: u64,
    /// Bytes that it may come to use: it begins when there are so many, or as many as there can be.
    pub(crate) reserved_bytes: u64,
}

impl Memory {
    fn units(&self) -> u64 {
        self.bytes.saturating_add(self.snapshot_bytes).div_ceil(UNIT_BYTES).max(self.reserved)
    }

    /// How many units are missing.
    fn lacks(&self) -> u64 {
        self.units().saturating_sub(self.held.units())
    }
}

impl Budget {
    /// `pages` counts changed pages, where the kernel can. `slots` says how owners share the slots: the parent of a
    /// worker shares them itself.
    pub(crate) fn new(capacity: Capacity, slots: Sharing, pages: Option<Pages>) -> Budget {
        Budget {
            capacity,
            runs: Shares::new(capacity.runs.into(), slots),
            memory: Shares::new(capacity.memory_bytes / UNIT_BYTES, capacity.sharing),
            turns: Turns::default(),
            pages,
        }
    }

    /// Takes a slot, and the memory that the run needs: what every run needs, and more for its input. Waits no longer than
    /// `wall`, which is all the time that the run has.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        owner: Owner,
        needs: Needs,
        wall: Duration,
    ) -> Result<Share, Overloaded> {
        let wait_max = self.capacity.wait_max.min(wall);
        let until = Instant::now() + wait_max;
        let run = self.runs.take(owner, 1, Purpose::Enter, until).await;
        let run = run.ok_or_else(|| self.overloaded(SharedResource::Runs, wait_max))?;
        let units = ENTRY_BYTES.saturating_add(needs.input_bytes).div_ceil(UNIT_BYTES);
        let reserved = needs.reserved_bytes.saturating_add(needs.input_bytes).div_ceil(UNIT_BYTES);
        let reserved = if needs.reserved_bytes > 0 { reserved.min(self.memory.most()) } else { 0 };
        let held = self.memory.take(owner, units.max(reserved), Purpose::Enter, until).await;
        let held = held.ok_or_else(|| self.overloaded(SharedResource::MemoryBytes, wait_max))?;
        let bytes = needs.input_bytes;
        let memory = Memory { held, bytes, snapshot_bytes: ENTRY_BYTES, reserved, is_growing: false };
        let memory = Mutex::new(memory);
        let turn = self.turns.of(owner);
        Ok(Share { budget: Arc::clone(self), owner, _run: run, memory, turn, snapshot: OnceLock::new() })
    }

    fn overloaded(&self, resource: SharedResource, wait_max: Duration) -> Overloaded {
        let limit = match resource {
            SharedResource::Runs => self.capacity.runs.into(),
            SharedResource::MemoryBytes | SharedResource::MoreMemoryBytes => self.capacity.memory_bytes,
        };
        Overloaded { resource, limit, waited_ms: u64::try_from(wait_max.as_millis()).unwrap_or(u64::MAX) }
    }
}

impl Share {
    /// Raises what the run holds by `bytes`, and waits for them if need be.
    pub(crate) async fn grow(&self, bytes: u64) -> Result<(), NoMemory> {
        {
            let mut memory = self.memory();
            memory.bytes = memory.bytes.saturating_add(bytes);
        }
        self.take_missing().await
    }

    /// Takes what the run uses and does not hold yet, and waits for it if need be.
    pub(crate) async fn take_missing(&self) -> Result<(), NoMemory> {
        let (wait_max, most) = (self.budget.capacity.wait_max, self.budget.memory.most());
        let lacks = {
            let mut memory = self.memory();
            let lacks = memory.lacks();
            memory.is_growing = lacks > 0;
            let wanted = memory.units();
            if wanted > most {
                let observed = wanted.saturating_mul(UNIT_BYTES);
                let limit = most.saturating_mul(UNIT_BYTES);
                let exhausted = Exhausted { resource: Resource::MemoryBytes, limit, observed };
                return Err(NoMemory::Never(exhausted));
            }
            lacks
        };
        // Part of a unit that is already held is free.
        if lacks > 0 {
            let more = self.budget.memory.take(self.owner, lacks, Purpose::Grow, Instant::now() + wait_max).await;
            let overloaded = || self.budget.overloaded(SharedResource::MoreMemoryBytes, wait_max);
            let more = more.ok_or_else(|| NoMemory::Taken(overloaded()))?;
            let mut memory = self.memory();
            memory.held.add(more);
            memory.is_growing = false;
        }
        Ok(())
    }

    /// Gives `bytes` back that [`grow`](Share::grow) took.
    pub(crate) fn give_back(&self, bytes: u64) {
        let mut memory = self.memory();
        memory.bytes = memory.bytes.saturating_sub(bytes);
        let units = memory.units();
        memory.held.keep(units);
    }

    /// Sets where the run's copy of the snapshot is.
    pub(crate) fn watch(&self, address: usize, length: usize) {
        // Once: a run has one memory.
        let _ = self.snapshot.set((address, length));
    }

    /// Counts the pages of the snapshot that the run has changed, and charges them if that needs no wait. Returns whether they are
    /// charged: otherwise the run has to stop for [`take_missing`](Share::take_missing).
    pub(crate) fn count_pages(&self) -> bool {
        let (Some(pages), Some((address, length))) = (&self.budget.pages, self.snapshot.get()) else { return true };
        let changed = pages.changed_bytes(*address, *length);
        let lacks = {
            let mut memory = self.memory();
            if memory.is_growing {
                // It is stopped already, and what it waits for must not be taken twice.
                return true;
            }
            // It does not become less: a page that was changed stays.
            memory.snapshot_bytes = memory.snapshot_bytes.max(changed);
            memory.lacks()
        };
        if lacks == 0 {
            return true;
        }
        let more = self.budget.memory.try_take(self.owner, lacks, Purpose::Grow);
        more.map(|more| self.memory().held.add(more)).is_some()
    }

    /// Gives the pages of the run's memory back, which has `length` bytes, if many were changed in this slot by this run and those
    /// before it. The slot keeps changed pages for the next run, which is faster where they are few; each is written anew before
    /// every run.
    ///
    /// # Safety
    /// The instance does not run any more, nobody reads its memory, and its slot has room for `length` bytes.
    #[expect(unsafe_code, reason = "it passes on what its caller promises")]
    pub(crate) unsafe fn give_back_pages(&self, length: usize) {
        let (Some(pages), Some((address, _))) = (&self.budget.pages, self.snapshot.get()) else { return };
        if pages.changed_bytes(*address, length) > KEPT_BYTES_MAX {
            // SAFETY: as the caller promises, and the range is the memory of that instance.
            unsafe { Pages::give_back(*address, length) };
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: Duration = Duration::from_mins(1);
    const ALICE: Owner = Owner(1);
    const BOB: Owner = Owner(2);
    const NOTHING: Needs = Needs { input_bytes: 0, reserved_bytes: 0 };

    fn budget(runs: u32, mib: u64, sharing: Sharing) -> Arc<Budget> {
        let capacity = Capacity { runs, memory_bytes: mib << 20, wait_max: Duration::ZERO, sharing };
        Arc::new(Budget::new(capacity, sharing, None))
    }

    #[tokio::test]
    async fn a_run_beyond_the_slots_waits_and_is_then_turned_away() {
        let budget = budget(1, 64, Sharing::Whole);
        let first = budget.enter(ALICE, NOTHING, WALL).await.expect("there is room");
        let refused = budget.enter(ALICE, NOTHING, WALL).await.expect_err("there is none");
        assert_eq!(refused, Overloaded { resource: SharedResource::Runs, limit: 1, waited_ms: 0 });
        drop(first);
        assert!(budget.enter(ALICE, NOTHING, WALL).await.is_ok());
    }

    #[tokio::test]
    async fn memory_is_given_to_the_last_unit_and_comes_back() {
        let budget = budget(2, 20, Sharing::Whole);
        let other = budget.enter(BOB, NOTHING, WALL).await.expect("8 of 20 MiB");
        let share = budget.enter(ALICE, NOTHING, WALL).await.expect("8 of 12 MiB");
        assert!(share.grow(4 << 20).await.is_ok());
        let refused = share.grow(1).await.expect_err("nothing is left");
        let NoMemory::Taken(refused) = refused else { panic!("{refused:?}") };
        assert_eq!((refused.resource, refused.limit), (SharedResource::MoreMemoryBytes, 20 << 20));
        drop((share, other));
        assert!(budget.enter(ALICE, NOTHING, WALL).await.is_ok());
    }

    #[tokio::test]
    async fn parts_of_a_unit_are_charged_once() {
        let budget = budget(2, 17, Sharing::Whole);
        let _other = budget.enter(BOB, NOTHING, WALL).await.expect("8 of 17 MiB");
        let share = budget.enter(ALICE, NOTHING, WALL).await.expect("8 of 9 MiB");
        for _ in 0..16 {
            share.grow(UNIT_BYTES / 16).await.expect("one unit holds all sixteen");
        }
        assert!(share.grow(1).await.is_err());
    }

    #[tokio::test]
    async fn c11_what_a_run_brings_along_counts_and_what_it_gives_back_is_free() {
        let budget = budget(2, 20, Sharing::Whole);
        let first = budget.enter(ALICE, Needs { input_bytes: 4 << 20, ..NOTHING }, WALL).await.expect("12 of 20 MiB");
        let second = budget
            .enter(ALICE, Needs { input_bytes: 1, ..NOTHING }, WALL)
            .await
            .expect_err("8 and a byte are not free");
        assert_eq!(second.resource, SharedResource::MemoryBytes);
        first.give_back(3 << 20);
        assert!(budget.enter(ALICE, Needs { input_bytes: 1, ..NOTHING }, WALL).await.is_ok(), "9 are");
    }

    #[tokio::test]
    async fn c11_one_owner_leaves_room_for_the_next() {
        let budget = budget(8, 128, Sharing::Fair);
        let mut greedy = Vec::new();
        while let Ok(share) = budget.enter(ALICE, NOTHING, WALL).await {
            greedy.push(share);
        }
        assert_eq!(greedy.len(), 4, "half of the runs");
        let share = budget.enter(BOB, NOTHING, WALL).await.expect("Bob has nothing yet");
        assert!(share.grow(24 << 20).await.is_ok(), "and may have as much as stays free");
        assert!(share.grow(24 << 20).await.is_err());
    }

    #[tokio::test]
    async fn a_run_alone_grows_beyond_half_and_leaves_an_eighth_for_the_first_of_others() {
        let budget = budget(8, 128, Sharing::Fair);
        let share = budget.enter(ALICE, NOTHING, WALL).await.expect("8 of 128 MiB");
        share.grow(104 << 20).await.expect("112 of 128");
        let refused = share.grow(1).await.expect_err("the last eighth is for others");
        let NoMemory::Never(exhausted) = refused else { panic!("{refused:?}") };
        assert_eq!((exhausted.limit, exhausted.observed), (112 << 20, 113 << 20));
        assert!(budget.enter(BOB, NOTHING, WALL).await.is_ok(), "Bob begins at once");
    }

    #[tokio::test]
    async fn what_a_run_reserves_is_its_own_whether_it_uses_it_or_not() {
        let budget = budget(3, 64, Sharing::Fair);
        let needs = Needs { input_bytes: 1 << 20, reserved_bytes: 40 << 20 };
        let share = budget.enter(ALICE, needs, WALL).await.expect("41 of 64 MiB, more than half");
        let other = budget.enter(BOB, NOTHING, WALL).await.expect("8 of the other 23");
        let refused = other.grow(8 << 20).await.expect_err("who holds 8 may not take 8 of 15");
        assert!(matches!(refused, NoMemory::Taken(_)), "{refused:?}");
        share.grow(32 << 20).await.expect("it holds that already");
        share.give_back(32 << 20);
        assert!(budget.enter(Owner(3), Needs { input_bytes: 8 << 20, ..NOTHING }, WALL).await.is_err(), "and keeps it");
    }

    #[tokio::test]
    async fn a_run_that_wants_more_than_there_is_has_reached_a_limit() {
        let budget = budget(1, 64, Sharing::Whole);
        let needs = Needs { input_bytes: 0, reserved_bytes: 64 << 20 };
        for needs in [NOTHING, needs] {
            let share = budget.enter(ALICE, needs, WALL).await.expect("it is free");
            share.grow(56 << 20).await.expect("to the last byte");
            let refused = share.grow(1).await.expect_err("that is more than all");
            let NoMemory::Never(exhausted) = refused else { panic!("{refused:?}") };
            assert_eq!((exhausted.limit, exhausted.observed), (64 << 20, 65 << 20));
        }
    }

    #[tokio::test]
    async fn a_run_reserves_no_more_than_there_can_be() {
        let budget = budget(2, 64, Sharing::Whole);
        let all = Needs { input_bytes: 1, reserved_bytes: 1 << 40 };
        let share = budget.enter(ALICE, all, WALL).await.expect("all 64 MiB");
        assert!(budget.enter(BOB, NOTHING, WALL).await.is_err());
        drop(share);
        let share = budget.enter(BOB, NOTHING, WALL).await.expect("8 of 64 MiB");
        assert!(budget.enter(ALICE, all, WALL).await.is_err(), "56 are not all");
        drop(share);
    }
}
