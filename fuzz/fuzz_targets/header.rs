//! Any names and values of headers are refused, or make one request with exactly those headers.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_egress::oracle::header(bytes));
