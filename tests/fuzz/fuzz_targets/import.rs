//! `fracti_tests::fuzz::import` for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fracti_tests::fuzz::import(bytes));
