//! The precompiled guest, and the one place that trusts bytes to be native code.
//!
//! The bytes are part of the program: the build script compiled them, the linker placed them, and the operating system
//! maps them with the rest of the binary. Nothing at run time chooses which bytes are loaded, so there is no file whose
//! replacement would become code. They are used where they lie; copying 70 MiB would cost more than a whole run.

use std::ptr::NonNull;
use std::sync::Arc;

use wasmtime::{CustomCodeMemory, Engine, Module, Result};

/// Page-aligned, so that the code inside can be made executable in place. 64 KiB is the largest page size in use.
#[repr(C, align(65536))]
struct Aligned<T: ?Sized>(T);

static GUEST: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")));

/// Makes the guest's code executable where the binary's own mapping has it read-only.
pub(crate) struct InPlace;

impl InPlace {
    pub(crate) fn code_memory() -> Arc<dyn CustomCodeMemory> {
        Arc::new(InPlace)
    }
}

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        rustix::param::page_size()
    }

    #[expect(unsafe_code, reason = "changing page protection is an unsafe call; the range is checked below")]
    fn publish_executable(&self, code: *const u8, bytes: usize) -> Result<()> {
        let guest = GUEST.0.as_ptr_range();
        let inside = guest.contains(&code) && bytes <= guest.end.addr() - code.addr();
        if !inside {
            return Err(wasmtime::format_err!("only the embedded guest may become executable"));
        }
        let executable = rustix::mm::MprotectFlags::READ | rustix::mm::MprotectFlags::EXEC;
        // SAFETY: the range lies in the embedded guest, which is never written: it goes from read-only to read-only and
        // executable, as wasmtime asks for with the text section of that very guest.
        unsafe { rustix::mm::mprotect(code.cast_mut().cast(), bytes, executable) }
            .map_err(|error| wasmtime::format_err!("the guest's code cannot be made executable: {error}"))
    }

    fn unpublish_executable(&self, _: *const u8, _: usize) -> Result<()> {
        // The guest lives as long as the process.
        Ok(())
    }
}

/// Loads the embedded guest.
///
/// # Errors
/// When the machine lacks what the guest was compiled for, or refuses executable memory.
#[expect(unsafe_code, reason = "loading precompiled code is trusting it; the bytes are the program's own")]
pub(crate) fn load(engine: &Engine) -> Result<Module> {
    // SAFETY: the bytes are what `build/snapshot.rs` made with `Engine::precompile_module` for this very build, they
    // are static and nothing writes to them.
    unsafe { Module::deserialize_raw(engine, NonNull::from(&GUEST.0)) }
}
