//! Running out of memory ends the run as `memory_limit`, wherever it happens.
//!
//! Growth beyond the run's limit already traps on the host's side. What is left are requests that can never fit into 32
//! bits: the allocator refuses those without asking the host, and Rust would abort with a trap that looks like any
//! other crash.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::host;

struct Told;

#[global_allocator]
static ALLOCATOR: Told = Told;

fn or_tell(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        host::tell_out_of_memory(bytes as u64);
    }
    pointer
}

// SAFETY: every call goes to the system allocator as it came; a null pointer never comes back from here.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the system allocator's.
        or_tell(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_tell(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        or_tell(unsafe { System.realloc(pointer, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The largest block that a run commonly asks for in one piece. Larger holes may stay: they are contiguous enough.
const HOLE_BYTES_MAX: usize = 64 << 10;

/// Room at the end of the heap for the runs to come. With half as much the heap of every ordinary run grew, which costs two
/// system calls; larger gains nothing: the heap grows when it must.
const FRESH_BYTES: usize = 2 << 20;

/// Takes every hole that boot left in the heap, for ever, so that what a run allocates is together at the end.
///
/// Boot frees as much as it keeps, all over the heap. A run that fills such holes writes a few bytes on many pages, and
/// each page written is one to copy: that is most of what a short run costs.
pub(crate) fn fill_holes() {
    let layout = |bytes| Layout::from_size_align(bytes, 8).expect("a small power of two");
    // SAFETY: the layout is not empty. The block marks the end: what is allocated beyond it fills no hole.
    let end = unsafe { System.alloc(layout(FRESH_BYTES)) };
    let mut bytes = HOLE_BYTES_MAX;
    while bytes >= 8 {
        loop {
            // SAFETY: as above. The block is never freed, and nobody knows of it.
            let block = unsafe { System.alloc(layout(bytes)) };
            if block.is_null() || block > end {
                break;
            }
        }
        bytes /= 2;
    }
    // SAFETY: `end` came from this allocator with this layout.
    unsafe { System.dealloc(end, layout(FRESH_BYTES)) };
}

/// Makes panics silent, since their text carries source paths, and turns "capacity overflow" (a collection asked for
/// more than the address space) into the limit that it is.
pub(crate) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload().downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.payload().downcast_ref::<String>().map(String::as_str));
        if text == Some("capacity overflow") {
            host::tell_out_of_memory(u64::from(u32::MAX));
        }
    }));
}
