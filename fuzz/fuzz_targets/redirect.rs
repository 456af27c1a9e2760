//! Any chain of locations stays within the rules, or ends in a refusal.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_capability::oracle::redirect(bytes));
