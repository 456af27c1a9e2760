//! Any bytes as a guest's answer are an ending: strict JSON within the limits, and texts within their bounds.
//!
//! The sandbox as a whole would bring wasmtime and the guest along. What it makes of an answer is pure, so its own files
//! are compiled here once more.

#![no_main]
#![expect(dead_code, reason = "the sandbox uses more of these files than the oracle does")]

#[path = "../../runtime/sandbox/src/answer.rs"]
mod answer;
#[path = "../../runtime/sandbox/src/ending.rs"]
mod ending;
#[path = "../../runtime/sandbox/src/limits.rs"]
mod limits;
#[path = "../../runtime/sandbox/src/oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oracle::result_oracle(bytes));
