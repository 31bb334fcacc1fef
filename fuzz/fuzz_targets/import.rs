#![no_main]

use forge_memory_transcripts::read_claude_mem;

libfuzzer_sys::fuzz_target!(|input: &[u8]| forge_memory_fuzz::import::check_with(Some(read_claude_mem), input));
