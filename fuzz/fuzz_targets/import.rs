#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| forge_memory_fuzz::import::check(input));
