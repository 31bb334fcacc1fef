//! The outcome of a write, tier by tier.

use crate::clock::Millis;
use crate::engine::judge::Contradicted;
use crate::engine::named::Replaced;
use crate::engine::offer::Offered;
use crate::error::{Error, Result};
use crate::model::thought::Thought;

/// The outcome of one tier.
#[derive(Debug, Default)]
pub struct TierOutcome {
    /// The first error, if any.
    pub error: Option<Error>,
}

impl TierOutcome {
    /// Tells whether the tier succeeded.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    /// Keeps the first error.
    pub(crate) fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.error.get_or_insert(error);
        }
    }
}

/// The three tiers.
#[derive(Debug, Default)]
pub struct Tiers {
    /// The event for the live hub.
    pub hub: TierOutcome,
    /// The files under `.forge/`.
    pub files: TierOutcome,
    /// The queue to the shared store.
    pub openbrain: TierOutcome,
}

impl Tiers {
    /// Tells whether all tiers succeeded.
    pub fn are_ok(&self) -> bool {
        self.hub.is_ok() && self.files.is_ok() && self.openbrain.is_ok()
    }
}

/// The effect of reviews on a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewOutcome {
    /// It is proposed, or a duplicate of it is.
    Proposed,
    /// A proposed duplicate was accepted.
    Accepted,
    /// A duplicate was rejected, so it was not stored.
    Rejected,
}

impl ReviewOutcome {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            ReviewOutcome::Proposed => "proposed",
            ReviewOutcome::Accepted => "accepted",
            ReviewOutcome::Rejected => "rejected",
        }
    }
}

/// The outcome of a capture.
#[derive(Debug)]
pub struct CaptureOutcome {
    /// True when the thought is in the raw log.
    pub captured: bool,
    /// True when it is a duplicate.
    pub deduped: bool,
    /// The cosine with the record it duplicates.
    pub similarity: Option<f64>,
    /// The thought as stored; for a duplicate, the one that was there.
    pub thought: Thought,
    /// The records that are no longer current because of this one.
    pub retired: Vec<Contradicted>,
    /// The records that contradict this one; nothing says which of them holds.
    pub conflicts: Vec<Contradicted>,
    /// The current records that it may replace, when they were asked for.
    pub related: Option<Vec<Offered>>,
    /// The effect of reviews, if any.
    pub review: Option<ReviewOutcome>,
    /// Why the given source was replaced.
    pub source_problem: Option<String>,
    /// By how much the clock is behind the newest record, if that is more than a day. The record is dated like that one.
    pub clock_behind_ms: Option<Millis>,
    /// How many secrets were redacted.
    pub redactions: usize,
    /// The outcome of each tier.
    pub tiers: Tiers,
    /// The thought as its line says it.
    pub(crate) record: Option<String>,
}

impl CaptureOutcome {
    /// Returns the outcome of a thought before any tier has run.
    pub(crate) fn of(thought: Thought) -> Self {
        CaptureOutcome {
            captured: false,
            deduped: false,
            similarity: None,
            thought,
            retired: Vec::new(),
            conflicts: Vec::new(),
            related: None,
            review: None,
            source_problem: None,
            clock_behind_ms: None,
            redactions: 0,
            tiers: Tiers::default(),
            record: None,
        }
    }

    /// Adds what became of the records of other files that it replaces.
    pub(crate) fn take_replaced(&mut self, replaced: Result<Replaced>) {
        match replaced {
            Ok(replaced) => {
                self.retired.extend(replaced.retired);
                self.conflicts.extend(replaced.conflicts);
            }
            Err(error) => self.tiers.files.note(Err(error)),
        }
    }

    /// Another process holds the lock: no tier has the capture.
    pub(crate) fn refused(thought: Thought, error: &Error) -> Self {
        let mut outcome = CaptureOutcome::of(thought);
        for tier in [
            &mut outcome.tiers.hub,
            &mut outcome.tiers.files,
            &mut outcome.tiers.openbrain,
        ] {
            tier.error = error.try_clone();
        }
        outcome
    }
}
