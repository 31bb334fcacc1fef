//! The common form of the two caches, `facts.bin` and `states.bin`.
//!
//! ```text
//! magic: [u8; 4]  version: u32  checksum: u64 (XXH3 of the body)  body (postcard)
//! ```
//!
//! All numbers of the header are little-endian. Damaged or foreign bytes are no error: the cache is then empty.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::facts::FACTS_VERSION;

/// Writes the header: magic, version, and room for the checksum of the body.
pub(super) fn header_of(magic: &[u8; 4]) -> Vec<u8> {
    let mut header = Vec::with_capacity(32);
    header.extend_from_slice(magic);
    header.extend_from_slice(&FACTS_VERSION.to_le_bytes());
    header.extend_from_slice(&[0; 8]);
    header
}

/// Writes a value behind such a header.
pub(super) fn sealed<T: Serialize>(magic: &[u8; 4], value: &T, room: usize) -> Vec<u8> {
    let mut out = header_of(magic);
    out.reserve(room);
    // Numbers and texts in memory always encode.
    let mut out = postcard::to_extend(value, out).unwrap_or_default();
    if let Some((header, body)) = out.split_at_mut_checked(16) {
        header[8..].copy_from_slice(&xxh3_64(body).to_le_bytes());
    }
    out
}

/// Reads what [`sealed`] wrote; `None` when it is damaged or of another version.
pub(super) fn unsealed<'b, T: Deserialize<'b>>(magic: &[u8; 4], bytes: &'b [u8]) -> Option<T> {
    let (header, body) = bytes.split_at_checked(16)?;
    let is_ours = header[..4] == magic[..] && header[4..8] == FACTS_VERSION.to_le_bytes();
    if !is_ours || header[8..] != xxh3_64(body).to_le_bytes() {
        return None;
    }
    postcard::from_bytes(body).ok()
}
