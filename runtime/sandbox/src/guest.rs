//! The guest in this process: its code, its memory pool, and the budget that its runs share.

use std::sync::Arc;

use intentbox_verdict::limits;
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, InstancePre, Linker, Module, PoolingAllocationConfig,
};

use crate::budget::{Budget, Capacity};
use crate::calls::Calls;
use crate::import::{self, RunState};
use crate::job::Job;
use crate::pages::Pages;
use crate::run::{self, Failed, Finished};
use crate::shares::Sharing;
use crate::{code, tuning};

/// How much of an instance's memory stays resident between runs where the kernel can tell which pages were written.
/// Larger gains nothing (measured: 8 MiB is as good as 64).
const KEEP_RESIDENT_BYTES: usize = 8 << 20;

/// How much of an instance's table stays resident: all of it, some 320 KB. It is written anew for each run.
const KEEP_TABLE_BYTES: usize = 1 << 20;

/// How much of a run's stack stays resident, and is zeroed instead of given back. Ordinary scripts need less.
const KEEP_STACK_BYTES: usize = 128 << 10;

/// How often the image of a fresh memory is tried: with what the kernel waits, more than a second.
const IMAGE_ATTEMPTS: u32 = 8;

/// A loaded guest. One thread at a time should run it: two in a process are slower than one, since they contend for the
/// process's memory map.
pub(crate) struct Guest {
    pre: InstancePre<RunState>,
    budget: Arc<Budget>,
    /// Whether the kernel can tell which pages a run wrote (`PAGEMAP_SCAN`, Linux 6.7).
    pub(crate) scans_pages: bool,
    /// Given back when the code above is gone: fields are dropped in order.
    _in_place: Option<code::InPlaceGuard>,
}

impl Guest {
    /// Loads the guest. `slots` says how owners share the slots; their memory they share as `capacity` says.
    pub(crate) fn load(capacity: Capacity, slots: Sharing) -> wasmtime::Result<Guest> {
        return_large_blocks();
        let in_place = code::InPlaceGuard::acquire();
        let config = |scan_pages| config(capacity.runs, scan_pages, in_place.is_some());
        let (engine, scans_pages) = match no_swap().then(|| Engine::new(&config(true))) {
            Some(Ok(engine)) => (engine, true),
            Some(Err(_)) | None => (Engine::new(&config(false))?, false),
        };
        let pages = Pages::open();
        let module = code::load(&engine, in_place.as_ref())?;
        with_image(&module)?;
        let mut linker = Linker::new(&engine);
        import::link(&mut linker)?;
        let pre = linker.instantiate_pre(&module)?;
        Ok(Guest { pre, budget: Arc::new(Budget::new(capacity, slots, pages)), scans_pages, _in_place: in_place })
    }

    pub(crate) async fn run(&self, job: Job<'_>, calls: Arc<dyn Calls>) -> Result<Finished, Failed> {
        run::run(&self.pre, &self.budget, job, calls).await
    }
}

/// Makes the image of memory that every run starts from. Linux refuses to seal it (`EBUSY`) while anybody holds one of its
/// pages, and on a machine short of memory the kernel itself does for a moment, when it moves pages about; it waits 150 ms
/// for them (`memfd_wait_for_pins`) and then gives up. A new image has new pages.
fn with_image(module: &Module) -> wasmtime::Result<()> {
    let mut tried = module.initialize_copy_on_write_image();
    for _ in 1..IMAGE_ATTEMPTS {
        if tried.is_ok() {
            break;
        }
        tried = module.initialize_copy_on_write_image();
    }
    tried
}

/// Whether the machine swaps nothing out. wasmtime's scan for written pages looks at those in memory alone: a page that was
/// written and then swapped out would be neither reset nor dropped, and the next run in the slot would read what the last one
/// wrote. Without the scan every page of a slot is dropped. Where nothing tells, that is done as well.
fn no_swap() -> bool {
    std::fs::read_to_string("/proc/swaps").is_ok_and(|swaps| lists_none(&swaps))
}

/// `/proc/swaps` has a heading, and a line for each area.
fn lists_none(swaps: &str) -> bool {
    swaps.lines().skip(1).all(|line| line.trim().is_empty())
}

/// Tells the C library to give large blocks back to the system when they are freed. By default it learns from one message or
/// answer of many megabytes to keep as much for ever.
pub(crate) fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "settings of the allocator are foreign calls")]
    // SAFETY: `mallopt` takes two numbers, knows these, and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 20);
    }
}

fn config(slots: u32, scan_pages: bool, in_place: bool) -> Config {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_core_instances(slots)
        .total_memories(slots)
        .total_tables(slots)
        .total_stacks(slots)
        .max_memory_size(usize::try_from(limits::MEMORY_BYTES.most).unwrap_or(usize::MAX))
        .table_elements(40_000)
        .max_core_instance_size(4 << 20)
        // Else each run takes a fault for each page of its table and stack that it touches.
        .table_keep_resident(KEEP_TABLE_BYTES)
        .async_stack_keep_resident(KEEP_STACK_BYTES)
        .pagemap_scan(if scan_pages { Enabled::Yes } else { Enabled::No })
        // Without the scan every kept byte is compared: keeping none is then the fastest.
        .linear_memory_keep_resident(if scan_pages { KEEP_RESIDENT_BYTES } else { 0 });
    let mut config = tuning::config();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .async_stack_zeroing(true)
        .with_custom_code_memory(in_place.then(code::EmbeddedCode::code_memory));
    config
}

#[cfg(test)]
mod tests {
    use super::lists_none;

    /// Pages that were swapped out would be found by the next run of a slot.
    #[test]
    fn e15_pages_are_not_scanned_for_where_the_machine_swaps() {
        let heading = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
        for (swaps, expected) in [
            (heading.to_owned(), true),
            (String::new(), true),
            (format!("{heading}/dev/zram0                              partition\t1048572\t\t0\t\t100\n"), false),
            (format!("{heading}/swapfile                               file\t\t2097148\t\t0\t\t-2\n"), false),
        ] {
            assert_eq!(lists_none(&swaps), expected, "{swaps:?}");
        }
    }
}
