//! Any text goes to a card that there is, or to none, and the same text goes there again.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_router::oracle::route(bytes));
