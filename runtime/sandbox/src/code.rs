//! The precompiled guest, and the one place that trusts bytes to be native code.
//!
//! The bytes are part of the program: the build script compiled them, the linker placed them, and the operating system
//! maps them with the rest of the binary. Nothing at run time chooses which bytes are loaded, so there is no file whose
//! replacement would become code. They are used in place; copying 70 MiB would cost more than a whole run.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::{CustomCodeMemory, Engine, Module, Result};

/// Page-aligned, so that the code inside can be made executable in place. 64 KiB is the largest page size in use.
#[repr(C, align(65536))]
struct Aligned<T: ?Sized>(T);

static GUEST: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")));

/// Whether some engine uses the embedded bytes in place: wasmtime knows code by its address, so only one can.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The right to use the embedded bytes in place, until it is dropped.
pub(crate) struct InPlaceGuard(&'static AtomicBool);

impl InPlaceGuard {
    /// Takes the right if nobody has it.
    pub(crate) fn acquire() -> Option<InPlaceGuard> {
        InPlaceGuard::of(&IS_USED)
    }

    fn of(taken: &'static AtomicBool) -> Option<InPlaceGuard> {
        // Not `then_some`: it would make an `InPlaceGuard` in any case, and dropping it would release the other one.
        if taken.swap(true, Ordering::AcqRel) { None } else { Some(InPlaceGuard(taken)) }
    }
}

impl Drop for InPlaceGuard {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Makes the guest's code executable where the binary's own mapping has it read-only.
pub(crate) struct EmbeddedCode;

impl EmbeddedCode {
    pub(crate) fn code_memory() -> Arc<dyn CustomCodeMemory> {
        Arc::new(EmbeddedCode)
    }
}

impl CustomCodeMemory for EmbeddedCode {
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

/// Loads the embedded guest in place, or a copy of it without the right to that.
///
/// # Errors
/// When the machine lacks what the guest was compiled for, or refuses executable memory.
#[expect(unsafe_code, reason = "loading precompiled code is trusting it; the bytes are the program's own")]
pub(crate) fn load(engine: &Engine, guard: Option<&InPlaceGuard>) -> Result<Module> {
    // SAFETY: the bytes are what `build/snapshot.rs` made with `Engine::precompile_module` for this very build, they
    // are static and nothing writes to them.
    unsafe {
        match guard {
            Some(_) => Module::deserialize_raw(engine, NonNull::from(&GUEST.0)),
            None => Module::deserialize(engine, &GUEST.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::tuning;

    #[test]
    fn one_engine_at_a_time_uses_the_guest_in_place() {
        // Not the flag of the guest itself: other tests of this crate may have set that one.
        static TAKEN: AtomicBool = AtomicBool::new(false);
        let mine = InPlaceGuard::of(&TAKEN).expect("nobody has it");
        for _ in 0..3 {
            assert!(InPlaceGuard::of(&TAKEN).is_none());
        }
        drop(mine);
        assert!(InPlaceGuard::of(&TAKEN).is_some());
    }

    #[test]
    fn e16_nothing_but_the_guest_becomes_executable() {
        let Range { start, end } = GUEST.0.as_ptr_range();
        let (length, page) = (GUEST.0.len(), EmbeddedCode.required_alignment());
        let foreign = vec![0_u8; page];
        for (what, code, bytes) in [
            ("before", start.wrapping_sub(page), page),
            ("straddling the start", start.wrapping_sub(page), 2 * page),
            ("straddling the end", end.wrapping_sub(1), 2),
            ("after", end, page),
            ("nothing, after", end, 0),
            ("longer than the guest", start, length + 1),
            ("as long as addresses go", start, usize::MAX),
            ("foreign", foreign.as_ptr(), page),
            ("null", std::ptr::null(), page),
        ] {
            let refused = EmbeddedCode.publish_executable(code, bytes).expect_err(what);
            assert_eq!(refused.to_string(), "only the embedded guest may become executable", "{what}");
        }
    }

    #[test]
    fn e16_a_guest_with_a_flipped_bit_in_its_header_is_refused() {
        let engine = Engine::new(&tuning::config()).expect("an engine");
        let mut copy = GUEST.0.to_vec();
        let Range { start: stamp, .. } = section(&copy, b".wasmtime.engine");
        let version = stamp + 2..stamp + 2 + usize::from(copy[stamp + 1]);
        // The target's name follows the version and its own length; its first word is the CPU.
        let target = version.end + 1;
        let cpu = target..target + copy[target..].iter().position(|byte| *byte == b'-').expect("cpu-vendor-system");
        // ELF's own signature, and wasmtime's word that this is a module. The rest of the header is not looked at.
        let header = (0..7).chain([48]);
        for at in header.chain(stamp..stamp + 2).chain(version).chain(cpu) {
            copy[at] ^= 1;
            assert!(loaded(&engine, &copy).is_err(), "byte {at}");
            copy[at] ^= 1;
        }
    }

    #[test]
    fn e16_a_guest_that_was_cut_off_is_refused() {
        let engine = Engine::new(&tuning::config()).expect("an engine");
        let whole = &GUEST.0;
        for length in [1, 63, 64, 4096, whole.len() / 2, whole.len() - 1] {
            assert!(loaded(&engine, &whole[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn e16_a_guest_that_was_compiled_under_other_settings_is_refused() {
        let mut config = tuning::config();
        config.consume_fuel(false);
        let error = loaded(&Engine::new(&config).expect("an engine"), &GUEST.0).expect_err("it has a meter");
        assert!(format!("{error:#}").contains("fuel"), "{error:#}");
    }

    #[expect(unsafe_code, reason = "loading precompiled code is trusting it; here it is the guest's, and refused")]
    fn loaded(engine: &Engine, bytes: &[u8]) -> Result<Module> {
        // SAFETY: what differs from the embedded guest is what wasmtime compares before it loads anything. Were it not
        // refused, the code would be the guest's own, and nothing here runs it: the module is dropped.
        unsafe { Module::deserialize(engine, bytes) }
    }

    /// The range of the section `name` in a 64-bit little-endian ELF file.
    fn section(elf: &[u8], name: &[u8]) -> Range<usize> {
        let number = |at: usize, bytes: usize| {
            elf[at..at + bytes].iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
        };
        let (headers, size, count, names) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2), number(0x3e, 2));
        let header = |index: usize| headers + index * size;
        let content = |header: usize| number(header + 0x18, 8)..number(header + 0x18, 8) + number(header + 0x20, 8);
        let names = &elf[content(header(names))];
        let called = |header: &usize| {
            let rest = &names[number(*header, 4)..];
            rest.split(|byte| *byte == 0).next() == Some(name)
        };
        let found = (0..count).map(header).find(called).expect("wasmtime stamps what it compiles");
        content(found)
    }
}
