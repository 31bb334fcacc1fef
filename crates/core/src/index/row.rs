//! The fixed-size facts of a record.

use crate::clock::Millis;
use crate::journal::Span;
use crate::model::thought::{NEVER, lifted_expiry};

/// What is asked of a record that was found. All of it stands together: looking at a record costs one line of the
/// processor's cache, whatever is asked and however many records there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// Where it stands in the journal.
    pub offset: u64,
    /// How long its line is.
    pub len: u32,
    /// How sure it is.
    pub confidence: f32,
    /// Hash of its id.
    pub id: u64,
    /// Hash of all that makes an exact duplicate.
    pub exact: u64,
    /// When it was made.
    pub created: Millis,
    /// When it expires, were it not confirmed, or [`NEVER`].
    pub expires: Millis,
    /// From when on it is hidden, or [`NEVER`].
    pub gone: Millis,
    /// When it was last confirmed.
    pub confirmed: Millis,
}

/// What is known of a record that a damaged segment does not have: it was always hidden.
const UNKNOWN: Row = Row {
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

impl Row {
    /// How many bytes a packed row has.
    pub const BYTES: usize = 64;

    /// Returns where the record stands in the journal.
    #[inline]
    pub fn span(&self) -> Span {
        Span {
            offset: self.offset,
            len: u64::from(self.len),
        }
    }

    /// Returns when the record expires if it was last confirmed at `confirmed`, as far as others know.
    #[inline]
    pub fn expires(&self, confirmed: Millis) -> Millis {
        lifted_expiry(self.created, self.expires, confirmed.max(self.confirmed))
    }

    /// Returns the row as a segment has it.
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
            return UNKNOWN;
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
    fn rows_come_back_as_they_were_packed() {
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
        assert_eq!(Row::unpack(&UNKNOWN.pack()), UNKNOWN);
    }

    #[test]
    fn a_record_that_is_not_there_is_hidden() {
        assert_eq!(Row::unpack(&[0; 10]).gone, Millis::MIN);
    }
}
