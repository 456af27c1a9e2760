//! Any lines of an upstream server are dropped, passed on or end its connection.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| intentbox_tools::oracle::frames(bytes));
