//! Rulings in segments: the records by hash, and the position of the line with the rest.

use super::paged::read_u64;
use crate::clock::Millis;
use crate::journal::Span;
use crate::judgement::standing::Act;
use crate::model::said::Author;
use crate::model::thought::{Lift, NEVER, RULING_KINDS, Ruling, RulingKind, id_hash};

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

/// Beside the kind, the second entry has the author (3 bits), whether it takes back another ruling (1 bit), the confidence that a person adds
/// (8 bits, 255 for none), and until when the record holds for them (48 bits; 0 for nothing, and all of them for ever).
const FURTHER_MASK: u64 = 0xf;
const AUTHOR_AT: u32 = 4;
const UNDO_AT: u32 = 7;
const PERCENT_AT: u32 = 8;
const UNTIL_AT: u32 = 16;
const UNTIL_MAX: u64 = (1 << 48) - 1;
const NO_PERCENT: u8 = u8::MAX;

fn packed_voice(act: &Act<u64>) -> u64 {
    let Act {
        author, lift, is_undo, ..
    } = *act;
    let until = match lift.until_ms {
        None => 0,
        Some(NEVER) => UNTIL_MAX,
        Some(at) => at.clamp(1, UNTIL_MAX as Millis - 1).cast_unsigned(),
    };
    let percent = u64::from(lift.percent.unwrap_or(NO_PERCENT));
    Author::number(author) << AUTHOR_AT | u64::from(is_undo) << UNDO_AT | percent << PERCENT_AT | until << UNTIL_AT
}

/// Returns the author, the lift, and whether it takes back another ruling.
fn unpacked_voice(further: u64) -> (Option<Author>, Lift, bool) {
    let author = Author::of_number(further >> AUTHOR_AT & 0x7);
    let until_ms = match further >> UNTIL_AT {
        0 => None,
        UNTIL_MAX => Some(NEVER),
        at => Some(at.cast_signed()),
    };
    let percent = Some((further >> PERCENT_AT) as u8).filter(|percent| *percent != NO_PERCENT);
    (author, Lift { until_ms, percent }, further >> UNDO_AT & 1 == 1)
}

/// Serializes rulings, as two entries each of the section of mutations.
pub(super) fn pack_rulings(rulings: &[HashedRuling]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rulings.len() * ENTRY_BYTES * 2);
    for HashedRuling { id, act } in rulings {
        // The length saturates; a line that long is not a ruling of ours.
        let len = act.span.len.min((1 << LEN_BITS) - 1);
        let place = act.span.offset << (KIND_BITS + LEN_BITS) | len << KIND_BITS;
        let (number, further) = numbers_of(act.kind);
        let further = further | packed_voice(act);
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
        let further = read_u64(second, 8)?;
        let kind = kind_of((place & ((1 << KIND_BITS) - 1), further & FURTHER_MASK))?;
        let (author, lift, is_undo) = unpacked_voice(further);
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
                author,
                lift,
                is_undo,
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
                author: [None, Some(Author::Person), Some(Author::Script)][offset as usize % 3],
                lift: Lift {
                    until_ms: [None, Some(NEVER), Some(1_790_000_000_000)][offset as usize % 3],
                    percent: [Some(100), None, Some(0)][offset as usize % 3],
                },
                is_undo: offset % 2 == 1,
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
