//! Any definition of an upstream tool is admitted or rejected, and its schema checks any value within its budget.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_tools::oracle::definition(bytes));
