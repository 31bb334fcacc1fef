//! The vocabulary of a segment: a sorted list of spellings in front coding (Witten, Moffat and Bell, "Managing Gigabytes", 1999). It is
//! read only for query words that no record contains.
//!
//! ```text
//! 257 x offset:u32: the start of the spellings with this first byte; the last one is the end
//! per spelling shared:u8 rest:u8, then the bytes of the rest; `shared` is the number of bytes in common with the previous spelling
//! ```

use std::ops::Range;

use super::paged::read_u32;
use crate::text::Vocabulary;

const BOUNDS_BYTES: usize = 257 * 4;

/// Serializes the section of a segment.
pub(super) fn pack_spellings(vocabulary: Option<&Vocabulary>) -> Vec<u8> {
    let mut spellings: Vec<&str> = vocabulary.into_iter().flat_map(Vocabulary::iter).collect();
    spellings.sort_unstable();
    spellings.dedup();
    let mut packed = Vec::with_capacity(BOUNDS_BYTES + spellings.len() * 8);
    packed.resize(BOUNDS_BYTES, 0);
    let mut bounds = [0_u32; 257];
    let mut before = "";
    let mut next_bound = 0;
    for spelling in spellings {
        let first = spelling.bytes().next().map_or(0, usize::from);
        for bound in bounds.iter_mut().take(first + 1).skip(next_bound) {
            *bound = packed.len() as u32;
        }
        if next_bound <= first {
            next_bound = first + 1;
            before = "";
        }
        let shared = shared_bytes(before, spelling);
        let rest = spelling.as_bytes().get(shared..).unwrap_or_default();
        packed.push(shared as u8);
        packed.push(rest.len() as u8);
        packed.extend_from_slice(rest);
        before = spelling;
    }
    for bound in bounds.iter_mut().skip(next_bound) {
        *bound = packed.len() as u32;
    }
    for (place, bound) in packed.as_chunks_mut::<4>().0.iter_mut().zip(bounds) {
        *place = bound.to_le_bytes();
    }
    packed
}

/// Returns the length of the common prefix of two spellings in bytes, in whole characters.
fn shared_bytes(one: &str, other: &str) -> usize {
    let mut shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    while !other.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

/// The spellings that begin with one byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spellings<'a> {
    packed: &'a [u8],
}

impl<'a> Spellings<'a> {
    /// The position of a first byte's bounds in the section.
    pub fn bounds_at(first: u8) -> Range<usize> {
        let at = usize::from(first) * 4;
        at..at + 8
    }

    /// Returns the range of the section within its bounds.
    pub fn range_of(bounds: &[u8]) -> Option<Range<usize>> {
        Some(read_u32(bounds, 0)? as usize..read_u32(bounds, 4)? as usize)
    }

    pub fn new(packed: &'a [u8]) -> Self {
        Spellings { packed }
    }

    /// Calls `visit` with every spelling and the number of bytes that it shares with the previous one. Damaged bytes end the list.
    pub fn each(self, mut visit: impl FnMut(&str, usize)) {
        let mut spelling: Vec<u8> = Vec::with_capacity(32);
        let mut packed = self.packed;
        while let [shared, rest, following @ ..] = packed {
            let (shared, rest) = (usize::from(*shared), usize::from(*rest));
            let Some((letters, following)) = following.split_at_checked(rest) else {
                return;
            };
            if shared > spelling.len() {
                return;
            }
            spelling.truncate(shared);
            spelling.extend_from_slice(letters);
            let Ok(text) = std::str::from_utf8(&spelling) else {
                return;
            };
            visit(text, shared);
            packed = following;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Terms;

    fn packed(text: &str) -> Vec<u8> {
        let mut terms = Terms::with_vocabulary();
        terms.add(text);
        pack_spellings(terms.vocabulary())
    }

    fn spellings(packed: &[u8], first: u8) -> Vec<String> {
        let mut found = Vec::new();
        let range = Spellings::range_of(&packed[Spellings::bounds_at(first)]).unwrap();
        Spellings::new(packed.get(range).unwrap_or_default()).each(|spelling, _| found.push(spelling.to_owned()));
        found
    }

    #[test]
    fn spellings_are_stored_sorted_and_once() {
        let packed = packed("Zebra the cache, caches THE cachet; über ubuntu: über x1 zz zoo résumé resumed ошибка");
        assert_eq!(spellings(&packed, b'c'), ["cache", "caches", "cachet"]);
        assert_eq!(spellings(&packed, b'z'), ["zebra", "zoo"]);
        assert_eq!(spellings(&packed, b'r'), ["resumed", "résumé"]);
        assert_eq!(spellings(&packed, "ü".as_bytes()[0]), ["über"]);
        assert_eq!(spellings(&packed, "о".as_bytes()[0]), ["ошибка"]);
        assert_eq!(spellings(&packed, b'x'), [""; 0]);
        assert_eq!(
            spellings(&pack_spellings(Terms::with_vocabulary().vocabulary()), b'a'),
            [""; 0]
        );
    }

    #[test]
    fn damaged_bytes_end_the_list_and_never_panic() {
        let whole = packed("cache caches cachet über");
        for at in 0..whole.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                for first in [b'c', 0xc3] {
                    spellings(&damaged, first);
                }
            }
            Spellings::new(&whole[at..]).each(|_, _| {});
        }
    }
}
