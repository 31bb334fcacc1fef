#![no_main]

#[path = "../src/payload.rs"]
mod payload;

libfuzzer_sys::fuzz_target!(|input: &[u8]| payload::check(input));
