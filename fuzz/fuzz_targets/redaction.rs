//! Redaction leaves no known form of any secret in any bytes, and does not change bytes that contain none.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_egress::oracle::redaction(bytes));
