//! Any bytes that an origin sends become a reply within the budget and without the secret, or a failure.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_egress::oracle::reply(bytes));
