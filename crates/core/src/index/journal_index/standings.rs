//! What rulings say about the records of the index. They name records by id: a ruling may stand before or behind the record
//! that it is about, or in a part of its own.

use super::JournalIndex;
use crate::clock::Millis;
use crate::index::ruled::{HashedRuling, earlier};
use crate::model::standing::Standings;

impl JournalIndex {
    /// Takes in a ruling.
    pub(super) fn rule(&mut self, ruling: HashedRuling) {
        self.standings.take(ruling.id, ruling.act);
    }

    /// Returns what rulings say, by the hashes of ids.
    pub(crate) fn standings(&self) -> &Standings<u64> {
        &self.standings
    }

    /// Returns from when on a record is hidden, given when it is if no ruling counted.
    #[inline]
    pub(super) fn unless_retired(&self, id: impl FnOnce() -> u64, gone: Millis) -> Millis {
        if self.standings.is_empty() || gone == Millis::MIN {
            return gone;
        }
        earlier(gone, self.standings.retired_since(&id(), None))
    }

    /// Tells whether a record was retired at a past moment.
    #[inline]
    pub(in crate::index) fn was_retired(&self, id: impl FnOnce() -> u64, at: Millis) -> bool {
        !self.standings.is_empty() && self.standings.retired_since(&id(), Some(at)).is_some()
    }
}
