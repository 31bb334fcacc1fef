//! The combined effect of rulings on the records of the index. Rulings identify records by id: a ruling may come before or after its
//! record, or be in another part.

use xxhash_rust::xxh3::xxh3_64;

use super::JournalIndex;
use crate::clock::Millis;
use crate::index::ruled::{HashedRuling, earlier};
use crate::judgement::standing::{Review, Standings};

impl JournalIndex {
    pub(super) fn rule(&mut self, ruling: HashedRuling) {
        if !ruling.act.kind.is_feedback() {
            let (kind, other) = (ruling.act.kind as u64, ruling.act.other.unwrap_or(0));
            self.note_effect(&[ruling.id, ruling.act.at.cast_unsigned(), kind, other]);
        }
        self.standings.take(ruling.id, ruling.act);
    }

    /// Notes that a line says something about a record before it. The order of lines does not matter for what they say together.
    pub(super) fn note_effect(&mut self, words: &[u64; 4]) {
        let bytes = words.map(u64::to_le_bytes);
        self.effects = self.effects.wrapping_add(xxh3_64(bytes.as_flattened()));
    }

    /// Returns the combined effect of rulings, by the hashes of ids.
    pub(crate) fn standings(&self) -> &Standings<u64> {
        &self.standings
    }

    /// Returns since when a record is hidden, given the time that ignores rulings.
    #[inline]
    pub(super) fn unless_retired(&self, id: impl FnOnce() -> u64, gone: Millis) -> Millis {
        if self.standings.is_empty() || gone == Millis::MIN {
            return gone;
        }
        earlier(gone, self.standings.hidden_since(&id(), None))
    }

    /// Returns when a record expires, given the time that ignores the people who vouch for it.
    #[inline]
    pub(in crate::index) fn lifted(&self, id: impl FnOnce() -> u64, expires: Millis) -> Millis {
        if self.standings.is_empty() {
            return expires;
        }
        self.standings.lift_of(&id()).expiry(expires)
    }

    /// As above, but proposed records count as current.
    #[inline]
    pub(super) fn unless_retired_or_rejected(&self, id: impl FnOnce() -> u64, gone: Millis) -> Millis {
        if self.standings.is_empty() || gone == Millis::MIN {
            return gone;
        }
        let id = id();
        match self.standings.review_of(&id, None) {
            Review::Proposed(_) => earlier(gone, self.standings.retired_since(&id, None)),
            _ => earlier(gone, self.standings.hidden_since(&id, None)),
        }
    }

    /// Returns true if a record was retired or not yet accepted at a past point in time.
    #[inline]
    pub(in crate::index) fn was_retired(&self, id: impl FnOnce() -> u64, at: Millis) -> bool {
        !self.standings.is_empty() && self.standings.hidden_since(&id(), Some(at)).is_some()
    }
}
