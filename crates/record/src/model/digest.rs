//! The content hash of hallmarks and exports: `sha256:` and 64 hexadecimal digits.

use sha2::{Digest, Sha256};

/// Returns `sha256:` and the hash of a text.
pub(crate) fn hash_text(text: &str) -> String {
    hash_bytes(text.as_bytes())
}

/// Returns `sha256:` and the hash of some bytes.
pub fn hash_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(71);
    out.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        let digits = [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16));
        out.extend(digits.into_iter().flatten());
    }
    out
}
