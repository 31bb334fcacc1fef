//! The canonical form of JSON: one text for one value.

use forge_memory_core::canonical::canonical_json;
use forge_memory_core::thought::content_hash;
use serde_json::Value;

pub fn check(input: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(input) else {
        return;
    };
    let text = canonical_json(&value);
    let again: Value = serde_json::from_str(&text).expect("the canonical form is JSON");
    assert_eq!(canonical_json(&again), text, "the canonical form is its own");
    assert_eq!(content_hash(&again), content_hash(&value));
}
