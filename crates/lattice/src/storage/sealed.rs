//! The common format of the two caches, `facts.bin` and `states.bin`.
//!
//! ```text
//! magic: [u8; 4]  version: u32  checksum: u64 (XXH3 of the body)  body (postcard)
//! ```
//!
//! The numbers of the header are little-endian. Damaged or foreign bytes are not an error: the cache counts as empty.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::facts::STORED_VERSION;

pub(super) fn header_of(magic: &[u8; 4], checksum: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(32);
    header.extend_from_slice(magic);
    header.extend_from_slice(&STORED_VERSION.to_le_bytes());
    header.extend_from_slice(&checksum.to_le_bytes());
    header
}

pub(super) fn sealed<T: Serialize>(magic: &[u8; 4], value: &T, room: usize) -> Vec<u8> {
    // Values in memory always encode.
    let body = postcard::to_extend(value, Vec::with_capacity(room)).unwrap_or_default();
    let mut out = header_of(magic, xxh3_64(&body));
    out.extend_from_slice(&body);
    out
}

/// Decodes bytes from [`sealed`]; `None` when they are damaged or of another version.
pub(super) fn unsealed<'b, T: Deserialize<'b>>(magic: &[u8; 4], bytes: &'b [u8]) -> Option<T> {
    let (header, body) = bytes.split_at_checked(16)?;
    if header != header_of(magic, xxh3_64(body)) {
        return None;
    }
    postcard::from_bytes(body).ok()
}
