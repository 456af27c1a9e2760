//! What all runs of a process may use together: slots, and bytes of linear memory.
//!
//! A run's own limit says what it may grow to; the budget says what all of them may hold at a time. A run that does not
//! fit waits for others to end. One that has waited long enough is turned away as overloaded, before it starts or where
//! it stands: waiting for ever would let runs that hold memory and want more lock each other out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

/// What a run is charged before it grows: the pages of the snapshot that it changes. An ordinary script changes half a
/// megabyte and everything that scripts do all day stays below this; one that sets out to touch all of the snapshot can
/// reach some 40 MiB, which the budget does not see (the limit on a run's memory does).
const ENTRY_BYTES: u64 = 8 << 20;

/// Semaphores count in these: their permits are 32 bits wide.
const UNIT_BYTES: u64 = 1 << 20;

/// How much of a process runs may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Runs at a time, waiting ones included. Each reserves 4 GiB of addresses, not of memory.
    pub runs: u32,
    /// Bytes of linear memory of all runs together, beyond what they share.
    pub memory_bytes: u64,
    /// How long a run waits for a slot or for memory: long enough for a burst to pass, short enough for a caller to
    /// hear about it and try elsewhere.
    pub patience: Duration,
}

/// What runs can be short of together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Room {
    /// Slots.
    Runs,
    /// Bytes of linear memory.
    MemoryBytes,
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Room::Runs => "runs",
            Room::MemoryBytes => "memory_bytes",
        })
    }
}

/// There was no room in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{room}: all of {limit} are in use, and none came free in {waited_ms} ms")]
pub struct Overloaded {
    /// What there was too little of.
    pub room: Room,
    /// How many there are.
    pub limit: u64,
    /// How long the run waited.
    pub waited_ms: u64,
}

#[derive(Debug)]
pub(crate) struct Budget {
    capacity: Capacity,
    runs: Arc<Semaphore>,
    memory: Arc<Semaphore>,
}

/// What one run holds of the budget; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Share {
    _run: OwnedSemaphorePermit,
    memory: OwnedSemaphorePermit,
    held_bytes: u64,
}

impl Budget {
    pub(crate) fn new(capacity: Capacity) -> Budget {
        let units = usize::try_from(capacity.memory_bytes / UNIT_BYTES).unwrap_or(usize::MAX);
        Budget {
            capacity,
            runs: Arc::new(Semaphore::new(capacity.runs as usize)),
            memory: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// A slot, and the memory that every run needs. Waits no longer than `wall`, which is all the time that the run has.
    pub(crate) async fn enter(&self, wall: Duration) -> Result<Share, Overloaded> {
        let patience = self.capacity.patience.min(wall);
        let until = Instant::now() + patience;
        let overloaded = |room, limit| move |_| Overloaded { room, limit, waited_ms: milliseconds(patience) };
        let run = timeout_at(until, Arc::clone(&self.runs).acquire_owned()).await;
        let run = run.map_err(overloaded(Room::Runs, u64::from(self.capacity.runs)))?;
        let memory = timeout_at(until, Arc::clone(&self.memory).acquire_many_owned(units(ENTRY_BYTES))).await;
        let memory = memory.map_err(overloaded(Room::MemoryBytes, self.capacity.memory_bytes))?;
        let (run, memory) = (run.expect("nobody closes it"), memory.expect("nobody closes it"));
        Ok(Share { _run: run, memory, held_bytes: ENTRY_BYTES })
    }

    /// Raises what `share` holds by `bytes`.
    pub(crate) async fn grow(&self, share: &mut Share, bytes: u64) -> Result<(), Overloaded> {
        let wanted = share.held_bytes.saturating_add(bytes);
        // Part of a unit that is already held is free.
        let held_units = share.held_bytes.div_ceil(UNIT_BYTES);
        let units = wanted.div_ceil(UNIT_BYTES).saturating_sub(held_units);
        if units > 0 {
            share.memory.merge(self.memory(units * UNIT_BYTES).await?);
        }
        share.held_bytes = wanted;
        Ok(())
    }

    /// More memory for a run that has some. It does not queue: a large request at the head would hold back every run that
    /// wants to start.
    async fn memory(&self, bytes: u64) -> Result<OwnedSemaphorePermit, Overloaded> {
        let patience = self.capacity.patience;
        let until = Instant::now() + patience;
        loop {
            if let Ok(permit) = Arc::clone(&self.memory).try_acquire_many_owned(units(bytes)) {
                return Ok(permit);
            }
            if Instant::now() >= until {
                let limit = self.capacity.memory_bytes;
                return Err(Overloaded { room: Room::MemoryBytes, limit, waited_ms: milliseconds(patience) });
            }
            sleep(LOOK_AGAIN).await;
        }
    }
}

/// How long a run that wants more memory waits between looks.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(runs: u32, mib: u64) -> Budget {
        Budget::new(Capacity { runs, memory_bytes: mib << 20, patience: Duration::ZERO })
    }

    #[tokio::test]
    async fn a_run_beyond_the_slots_waits_and_is_then_turned_away() {
        let budget = budget(1, 64);
        let first = budget.enter(Duration::from_mins(1)).await.expect("there is room");
        let refused = budget.enter(Duration::from_mins(1)).await.expect_err("there is none");
        assert_eq!(refused, Overloaded { room: Room::Runs, limit: 1, waited_ms: 0 });
        drop(first);
        assert!(budget.enter(Duration::from_mins(1)).await.is_ok());
    }

    #[tokio::test]
    async fn memory_is_given_to_the_last_unit_and_comes_back() {
        let budget = budget(2, 12);
        let mut share = budget.enter(Duration::from_mins(1)).await.expect("8 of 12 MiB");
        assert!(budget.grow(&mut share, 4 << 20).await.is_ok());
        let refused = budget.grow(&mut share, 1).await.expect_err("nothing is left");
        assert_eq!((refused.room, refused.limit), (Room::MemoryBytes, 12 << 20));
        drop(share);
        assert!(budget.enter(Duration::from_mins(1)).await.is_ok());
    }

    #[tokio::test]
    async fn parts_of_a_unit_are_charged_once() {
        let budget = budget(1, 9);
        let mut share = budget.enter(Duration::from_mins(1)).await.expect("8 of 9 MiB");
        for _ in 0..16 {
            budget.grow(&mut share, UNIT_BYTES / 16).await.expect("one unit holds all sixteen");
        }
        assert!(budget.grow(&mut share, 1).await.is_err());
    }
}
