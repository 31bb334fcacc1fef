//! The fixed-size fields of a record.

use crate::clock::Millis;
use crate::journal::Span;
use crate::model::thought::{NEVER, lifted_expiry};

/// The fields that a search reads of each found record: 64 bytes, so that a record costs one cache miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// The offset of its line in the journal.
    pub offset: u64,
    /// The length of its line.
    pub len: u32,
    /// Its confidence, 0 to 1.
    pub confidence: f32,
    /// Hash of its id.
    pub id: u64,
    /// The hash by which exact duplicates are recognised.
    pub exact: u64,
    /// When it was made.
    pub created: Millis,
    /// When it expires without further confirmation, or [`NEVER`].
    pub expires: Millis,
    /// Since when it is hidden, or [`NEVER`].
    pub gone: Millis,
    /// When it was last confirmed.
    pub confirmed: Millis,
}

impl Row {
    /// The row for a record that a part does not contain (in a damaged segment), which counts as hidden.
    pub const UNKNOWN: Row = Row {
        offset: 0,
        len: 0,
        confidence: 0.0,
        id: 0,
        exact: 0,
        created: 0,
        expires: NEVER,
        gone: Millis::MIN,
        confirmed: Millis::MIN,
    };

    /// The size of a packed row in bytes.
    pub const BYTES: usize = 64;

    /// Returns the span of the record's line in the journal.
    #[inline]
    pub fn span(&self) -> Span {
        Span {
            offset: self.offset,
            len: u64::from(self.len),
        }
    }

    /// Returns when the record expires; `confirmed` is its last confirmation in other parts.
    #[inline]
    pub fn expires(&self, confirmed: Millis) -> Millis {
        lifted_expiry(self.created, self.expires, confirmed.max(self.confirmed))
    }

    /// Packs the row for a segment.
    pub fn pack(&self) -> [u8; Row::BYTES] {
        let words = [
            self.offset,
            u64::from(self.len) | u64::from(self.confidence.to_bits()) << 32,
            self.id,
            self.exact,
            self.created.cast_unsigned(),
            self.expires.cast_unsigned(),
            self.gone.cast_unsigned(),
            self.confirmed.cast_unsigned(),
        ];
        let mut bytes = [0; Row::BYTES];
        for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// Reads a packed row.
    #[inline]
    pub fn unpack(row: &[u8]) -> Row {
        if row.len() < Row::BYTES {
            return Row::UNKNOWN;
        }
        let (words, _) = row.as_chunks::<8>();
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        Row {
            offset: word(0),
            len: word(1) as u32,
            confidence: f32::from_bits((word(1) >> 32) as u32),
            id: word(2),
            exact: word(3),
            created: word(4).cast_signed(),
            expires: word(5).cast_signed(),
            gone: word(6).cast_signed(),
            confirmed: word(7).cast_signed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_a_round_trip() {
        let row = Row {
            offset: u64::MAX - 1,
            len: 333,
            confidence: 0.9,
            id: 7,
            exact: 1 << 63,
            created: -5,
            expires: NEVER,
            gone: Millis::MIN,
            confirmed: 1_790_000_000_000,
        };
        assert_eq!(Row::unpack(&row.pack()), row);
        assert_eq!(Row::unpack(&Row::UNKNOWN.pack()), Row::UNKNOWN);
    }

    #[test]
    fn a_record_that_does_not_exist_is_hidden() {
        assert_eq!(Row::unpack(&[0; 10]).gone, Millis::MIN);
    }
}
