//! `fracti_tests::fuzz::command` for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fracti_tests::fuzz::command(bytes));
