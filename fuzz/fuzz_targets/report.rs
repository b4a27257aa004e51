#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftgate_fuzz::report::check(bytes));
