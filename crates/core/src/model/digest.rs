//! The content hash of hallmarks and exports: `sha256:` and 64 hexadecimal digits.

use sha2::{Digest, Sha256};

/// Returns `sha256:` and the hash of a text.
pub(crate) fn hash_text(text: &str) -> String {
    hash_bytes(text.as_bytes())
}

/// Returns `sha256:` and the hash of some bytes.
pub fn hash_bytes(bytes: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(71);
    out.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        out.push(char::from(HEX[usize::from(byte >> 4)]));
        out.push(char::from(HEX[usize::from(byte & 15)]));
    }
    out
}
