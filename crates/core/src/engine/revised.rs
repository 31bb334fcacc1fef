//! What a revision says beside the record that it revises.

use crate::engine::history::{History, RecordState};
use crate::model::thought::Thought;

/// What a revision says beside the record that it revises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    New,
    /// Its tags or its confidence are others: it contradicts what the record contradicts, as was decided.
    Same,
}

impl Text {
    /// Returns what a revision of a record says beside it.
    pub(super) fn beside(history: &History, revision: &Thought) -> Self {
        let old = history.current();
        if history.state() == RecordState::Current && old.text == revision.content && old.kind == revision.kind {
            Text::Same
        } else {
            Text::New
        }
    }
}
