//! Any bytes on the channel between script and host decode to a message or are refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_abi::oracle(bytes));
