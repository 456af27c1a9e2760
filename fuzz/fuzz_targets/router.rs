//! Any text selects a card that exists, or none, and equal text selects the same one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_router::oracle::route(bytes));
