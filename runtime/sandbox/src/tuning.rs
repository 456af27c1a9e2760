//! The settings that decide whether precompiled code fits the engine that loads it.
//!
//! This file is compiled twice: into the build script, which compiles the guest, and into the crate, which runs it.
//! Both must agree on these settings: wasmtime refuses to load code that was compiled under others.

use wasmtime::{Config, OptLevel};

/// Stack for wasm frames. `RustPython`'s own guard assumes 8 MiB of native stack; with less than that below it, deep data
/// would trap before Python could raise `RecursionError`.
pub(crate) const WASM_STACK_BYTES: usize = 16 << 20;

/// The whole stack of a run: wasm's, and what host functions need on top of it.
pub(crate) const RUN_STACK_BYTES: usize = WASM_STACK_BYTES + (2 << 20);

/// The compile-time half of the configuration. Fuel is the only meter: together with epochs it costs more than either.
/// Features of wasm that the guest does not use stay off, since most advisories live in them.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(false)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(RUN_STACK_BYTES)
        .cranelift_opt_level(OptLevel::Speed)
        .wasm_backtrace_max_frames(None)
        .wasm_threads(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .wasm_tail_call(false)
        .wasm_function_references(false)
        .wasm_gc(false);
    config
}
