//! Folding: two texts are the same for dedup when they differ only in case or in how characters are composed.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Returns `text` under full Unicode case folding, composed. White space counts: it is left as it is.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Decomposed first, or a capital with its accent apart would not fold like the two in one.
    text.nfd().default_case_fold().nfc().collect()
}

/// Appends the bytes of [`fold`] of a text.
pub fn fold_into(text: &str, bytes: &mut Vec<u8>) {
    if text.is_ascii() {
        bytes.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
    } else {
        bytes.extend_from_slice(fold(text).as_bytes());
    }
}
