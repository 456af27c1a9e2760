//! Any names and values of headers are one request with those headers and no other, or are refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_egress::oracle::header(bytes));
