//! Any bytes as a guest's last message are an ending: strict JSON within the limits, and texts within their bounds.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_verdict::oracle::result(bytes));
