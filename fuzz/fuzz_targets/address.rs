//! Any address is public or not by two readings of the registries, whatever it is carried in.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_capability::oracle::address(bytes));
