//! Any bytes as a script's operations on its scratch directory do what a simple model does.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_scratch::oracle(bytes));
