//! `fracti_tests::fuzz::button` for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fracti_tests::fuzz::button(bytes));
