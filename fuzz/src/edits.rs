//! Changes of the bytes of a segment, as an input says.

use xxhash_rust::xxh3::xxh3_64;

/// The length of the header before the sections, and the position of its own hash.
const HEADER_BYTES: usize = 40 + 17 * 16;
const HASH_AT: usize = 32;

/// Takes the input as a list of places and values, four bytes each: two for the place, one for how much is written.
pub(crate) fn edit(bytes: &mut Vec<u8>, input: &[u8]) {
    for change in input.chunks_exact(4) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len().max(1);
        match change[2] % 8 {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_slice(&change.repeat(4)),
            // Runs of one value make huge and negative numbers.
            many @ 2..=4 => bytes
                .iter_mut()
                .skip(at)
                .take(usize::from(many) * 4 - 4)
                .for_each(|byte| *byte = change[3]),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = change[3]),
        }
    }
}

/// Writes the hash that the header has now into it.
pub(crate) fn seal(bytes: &mut [u8]) {
    if let Some(header) = bytes.get_mut(..HEADER_BYTES) {
        header[HASH_AT..HASH_AT + 8].fill(0);
        let hash = xxh3_64(header);
        header[HASH_AT..HASH_AT + 8].copy_from_slice(&hash.to_le_bytes());
    }
}
