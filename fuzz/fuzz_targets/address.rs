//! Two implementations of the registries agree on whether any address is public, also in the forms that embed another one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_capability::oracle::address(bytes));
