//! Times and ages, as users and other tools write them.

use forge_memory_core::clock::{format_iso, parse_iso, parse_when};

use super::texts::text_of;

pub fn check(input: &[u8]) {
    let text = text_of(input);
    if let Some(at) = parse_iso(&text) {
        let written = format_iso(at);
        // Other years have no form of four digits.
        if written.len() == 24 {
            assert_eq!(parse_iso(&written), Some(at), "{written} is not what was read");
        }
    }
    for now in [0, i64::MAX, i64::MIN, 1_800_000_000_000] {
        if let Err(error) = parse_when("since", &text, now) {
            assert_eq!(error.code(), "INVALID_INPUT");
        }
    }
}
