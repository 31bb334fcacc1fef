//! Rulings as segments have them: who is meant, by hash, and where the line stands that says the rest.

use super::paged::read_u64;
use crate::clock::Millis;
use crate::journal::Span;
use crate::model::standing::Act;
use crate::model::thought::{Ruling, RulingKind, id_hash};

/// A ruling, its records named by the hashes of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashedRuling {
    pub(super) id: u64,
    pub(super) act: Act<u64>,
}

/// The first number of a mutation's kind that is a ruling's; the entry behind it has the other record.
const FIRST_KIND: u64 = 8;
const OTHER: u64 = 15;
const KIND_BITS: u32 = 4;
const LEN_BITS: u32 = 16;
const ENTRY_BYTES: usize = 24;

impl HashedRuling {
    pub(super) fn of(ruling: &Ruling, span: Span) -> Self {
        HashedRuling {
            id: id_hash(&ruling.id),
            act: Act {
                kind: ruling.kind,
                other: ruling.other.as_deref().map(id_hash),
                at: ruling.at_ms,
                span,
            },
        }
    }
}

fn number_of(kind: RulingKind) -> u64 {
    FIRST_KIND
        + match kind {
            RulingKind::Retire => 0,
            RulingKind::Keep => 1,
            RulingKind::Conflict => 2,
            RulingKind::Hold => 3,
        }
}

fn kind_of(number: u64) -> Option<RulingKind> {
    let kinds = [
        RulingKind::Retire,
        RulingKind::Keep,
        RulingKind::Conflict,
        RulingKind::Hold,
    ];
    kinds.into_iter().find(|kind| number_of(*kind) == number)
}

/// Returns the bytes of rulings, two entries of the section of mutations each.
pub(super) fn pack_rulings(rulings: &[HashedRuling]) -> Vec<u8> {
    let mut out = Vec::with_capacity(rulings.len() * ENTRY_BYTES * 2);
    for HashedRuling { id, act } in rulings {
        // A line that is longer than can be told is read up to there: it is no ruling of ours.
        let len = act.span.len.min((1 << LEN_BITS) - 1);
        let place = act.span.offset << (KIND_BITS + LEN_BITS) | len << KIND_BITS;
        for word in [*id, act.at.cast_unsigned(), place | number_of(act.kind)] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for word in [act.other.unwrap_or(0), 0, OTHER] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
    out
}

/// Reads them back, among other entries.
pub(super) fn unpack_rulings(section: &[u8]) -> impl Iterator<Item = HashedRuling> + '_ {
    let entries = section.chunks_exact(ENTRY_BYTES);
    entries.clone().zip(entries.skip(1)).filter_map(|(first, second)| {
        let place = read_u64(first, 16)?;
        let kind = kind_of(place & ((1 << KIND_BITS) - 1))?;
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

/// Returns the moment from which on a record is hidden that was retired at `retired`.
pub(super) fn earlier(gone: Millis, retired: Option<Millis>) -> Millis {
    retired.map_or(gone, |at| gone.min(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_come_back_as_they_were_packed() {
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
        ];
        let mut section = vec![1_u8; ENTRY_BYTES * 2];
        section[16..24].copy_from_slice(&2_u64.to_le_bytes());
        section[40..48].copy_from_slice(&0_u64.to_le_bytes());
        section.extend(pack_rulings(&rulings));
        assert_eq!(unpack_rulings(&section).collect::<Vec<_>>(), rulings);
    }
}
