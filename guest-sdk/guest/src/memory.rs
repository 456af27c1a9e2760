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
