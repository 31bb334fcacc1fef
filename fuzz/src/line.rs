//! One line of a journal.

use forge_memory_core::thought::{LineKind, read_line};
use serde_json::Value;

pub fn check(input: &[u8]) {
    let kind = read_line(input);
    assert_eq!(kind, read_line(input), "the same line is the same thing");
    if let LineKind::Record(fields) = &kind {
        assert!(!fields.id.is_empty() && !fields.text.trim().is_empty());
        assert!((0.0..=1.0).contains(&fields.confidence));
        assert!(fields.supersedes.as_ref().is_none_or(|id| !id.is_empty()));
    }
    if input.first() == Some(&b'{') && serde_json::from_slice::<Value>(input).is_ok() {
        assert_ne!(kind, LineKind::Unparsable, "a JSON object is read");
    }
}
