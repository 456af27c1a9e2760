//! Any text as a URL, with any method, is refused in one line, or admitted where the rules allow it and nowhere else.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_capability::oracle::admission(bytes));
