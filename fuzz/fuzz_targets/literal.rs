//! Any value as a Python literal is one line of printable ASCII that reads back as the value.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_catalog::oracle::literal(bytes));
