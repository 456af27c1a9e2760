//! Any text as a URL, under any method, is admitted to where the rules lead, or refused in one line.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_capability::oracle::admission(bytes));
