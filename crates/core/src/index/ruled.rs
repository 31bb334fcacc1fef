//! Rulings in segments: the records by hash, and the position of the line with the rest.

use super::paged::read_u64;
use crate::clock::Millis;
use crate::journal::Span;
use crate::judgement::standing::Act;
use crate::model::thought::{RULING_KINDS, Ruling, RulingKind, id_hash};

/// A ruling, with records identified by the hashes of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashedRuling {
    pub(super) id: u64,
    pub(super) act: Act<u64>,
}

/// The first number of mutation kinds that are rulings; the next entry contains the other record.
const FIRST_KIND: u64 = 8;
const OTHER: u64 = 15;
const KIND_BITS: u32 = 4;
const LEN_BITS: u32 = 16;
const ENTRY_BYTES: usize = 24;

impl HashedRuling {
    pub(super) fn of(ruling: &Ruling, span: Span) -> Self {
        HashedRuling {
            id: id_hash(&ruling.id),
            act: Act::of(ruling, span),
        }
    }
}

/// Returns the number of a kind in the first entry, and the number in the second entry that distinguishes kinds that share the first.
fn numbers_of(kind: RulingKind) -> (u64, u64) {
    match kind {
        RulingKind::Retire => (FIRST_KIND, 0),
        RulingKind::Keep => (FIRST_KIND + 1, 0),
        RulingKind::Conflict => (FIRST_KIND + 2, 0),
        RulingKind::Hold => (FIRST_KIND + 3, 0),
        RulingKind::Propose => (FIRST_KIND + 4, 0),
        RulingKind::Accept => (FIRST_KIND + 4, 1),
        RulingKind::Reject => (FIRST_KIND + 4, 2),
        RulingKind::Useful => (FIRST_KIND + 5, 0),
        RulingKind::Wrong => (FIRST_KIND + 5, 1),
        RulingKind::Request => (FIRST_KIND + 5, 2),
        RulingKind::Withdraw => (FIRST_KIND + 5, 3),
        RulingKind::Elsewhere => (FIRST_KIND + 5, 4),
        RulingKind::Here => (FIRST_KIND + 5, 5),
    }
}

fn kind_of(numbers: (u64, u64)) -> Option<RulingKind> {
    RULING_KINDS.into_iter().find(|kind| numbers_of(*kind) == numbers)
}

/// Serializes rulings, as two entries each of the section of mutations.
pub(super) fn pack_rulings(rulings: &[HashedRuling]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rulings.len() * ENTRY_BYTES * 2);
    for HashedRuling { id, act } in rulings {
        // The length saturates; a line that long is not a ruling of ours.
        let len = act.span.len.min((1 << LEN_BITS) - 1);
        let place = act.span.offset << (KIND_BITS + LEN_BITS) | len << KIND_BITS;
        let (number, further) = numbers_of(act.kind);
        for word in [*id, act.at.cast_unsigned(), place | number] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for word in [act.other.unwrap_or(0), further, OTHER] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
    out
}

pub(super) fn unpack_rulings(section: &[u8]) -> impl Iterator<Item = HashedRuling> + '_ {
    let entries = section.chunks_exact(ENTRY_BYTES);
    entries.clone().zip(entries.skip(1)).filter_map(|(first, second)| {
        let place = read_u64(first, 16)?;
        let kind = kind_of((place & ((1 << KIND_BITS) - 1), read_u64(second, 8)?))?;
        let other = read_u64(second, 0)?;
        Some(HashedRuling {
            id: read_u64(first, 0)?,
            act: Act {
                kind,
                other: (other != 0).then_some(other),
                at: read_u64(first, 8)?.cast_signed(),
                span: Span {
                    offset: place >> (KIND_BITS + LEN_BITS),
                    len: place >> KIND_BITS & ((1 << LEN_BITS) - 1),
                },
            },
        })
    })
}

/// Returns the time from which a record that was retired at `retired` is hidden.
pub(super) fn earlier(gone: Millis, retired: Option<Millis>) -> Millis {
    retired.map_or(gone, |at| gone.min(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_survive_a_round_trip() {
        let ruling = |kind, other, offset| HashedRuling {
            id: u64::MAX - 3,
            act: Act {
                kind,
                other,
                at: -7,
                span: Span { offset, len: 177 },
            },
        };
        let rulings = [
            ruling(RulingKind::Retire, Some(9), 1 << 43),
            ruling(RulingKind::Keep, None, 0),
            ruling(RulingKind::Conflict, Some(1), 77),
            ruling(RulingKind::Hold, Some(u64::MAX), 78),
            ruling(RulingKind::Propose, Some(5), 79),
            ruling(RulingKind::Accept, None, 80),
            ruling(RulingKind::Reject, None, 81),
            ruling(RulingKind::Useful, Some(6), 82),
            ruling(RulingKind::Wrong, Some(7), 83),
            ruling(RulingKind::Request, Some(8), 84),
            ruling(RulingKind::Withdraw, Some(8), 85),
            ruling(RulingKind::Elsewhere, Some(9), 86),
            ruling(RulingKind::Here, Some(9), 87),
        ];
        let mut section = vec![1_u8; ENTRY_BYTES * 2];
        section[16..24].copy_from_slice(&2_u64.to_le_bytes());
        section[40..48].copy_from_slice(&0_u64.to_le_bytes());
        section.extend(pack_rulings(&rulings));
        assert_eq!(unpack_rulings(&section).collect::<Vec<_>>(), rulings);
    }
}
