//! Ids of chunks: a hash of path, kind, owner, name and ordinal. An id stays the same when lines above the chunk change.

use xxhash_rust::xxh3::xxh3_64;

use super::ChunkFacts;

/// Returns the keys of a file's chunks: XXH3 (64 bits) of `path:kind:owner:name:ordinal`.
pub fn chunk_keys(path: &str, chunks: &[ChunkFacts<'_>]) -> Vec<u64> {
    let mut text = String::with_capacity(path.len() + 64);
    text.push_str(path);
    chunks
        .iter()
        .map(|chunk| {
            text.truncate(path.len());
            for part in [chunk.kind.name(), &chunk.owner, &chunk.name] {
                text.push(':');
                text.push_str(part);
            }
            text.push(':');
            text.push_str(&chunk.ordinal.to_string());
            xxh3_64(text.as_bytes())
        })
        .collect()
}

/// Formats a key as an id: 16 hexadecimal digits.
pub fn id_text(key: u64) -> String {
    let mut text = String::with_capacity(16);
    push_hex(&mut text, &key.to_be_bytes());
    text
}

/// Appends bytes as hexadecimal digits.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    text.extend(digits.map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0')));
}

/// Returns the key of an id of any program; ids of another form are hashed.
pub fn key_of(id: &str) -> u64 {
    parse_id(id).unwrap_or_else(|| xxh3_64(id.as_bytes()))
}

/// Parses an id.
pub fn parse_id(text: &str) -> Option<u64> {
    if text.len() != 16 || text.bytes().any(|b| !b.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(text, 16).ok()
}
