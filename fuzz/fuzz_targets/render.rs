//! Any template is refused, or its scripts are its own text with one literal in each place.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_catalog::oracle::render(bytes));
