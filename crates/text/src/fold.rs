//! Case folding: texts are the same for dedup when they differ only in case or in Unicode composition.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Returns `text` under full Unicode case folding, composed (NFC). White space is unchanged.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Decomposed first, because a capital with a combining accent would not fold like the precomposed letter.
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
