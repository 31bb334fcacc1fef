#![no_main]

use forge_memory_transcripts::read_database;

libfuzzer_sys::fuzz_target!(|input: &[u8]| forge_memory_fuzz::import::check_with(Some(read_database), input));
