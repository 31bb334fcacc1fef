//! What became of a record that was handed in, tier by tier.

use crate::error::{Error, Result};
use crate::model::thought::Thought;

/// Whether a tier has taken a capture.
#[derive(Debug, Default)]
pub struct TierOutcome {
    /// What went wrong, if anything did.
    pub error: Option<Error>,
}

impl TierOutcome {
    /// Tells whether all went well.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    /// Keeps the first thing that went wrong.
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
    /// Tells whether all went well in all of them.
    pub fn are_ok(&self) -> bool {
        self.hub.is_ok() && self.files.is_ok() && self.openbrain.is_ok()
    }
}

/// What became of a capture.
#[derive(Debug)]
pub struct CaptureOutcome {
    /// True when the thought is in the raw log.
    pub captured: bool,
    /// True when the memory had it already.
    pub deduped: bool,
    /// The cosine with the record it duplicates.
    pub similarity: Option<f64>,
    /// The thought as stored; for a duplicate, the one that was there.
    pub thought: Thought,
    /// Why the source that was given is not the one that is stored.
    pub source_problem: Option<String>,
    /// How many secrets were taken out.
    pub redactions: usize,
    /// How each tier fared.
    pub tiers: Tiers,
    /// The thought as its line says it.
    pub(crate) record: Option<String>,
}

impl CaptureOutcome {
    /// Returns the outcome of a thought that nothing has become of yet.
    pub(crate) fn of(thought: Thought) -> Self {
        CaptureOutcome {
            captured: false,
            deduped: false,
            similarity: None,
            thought,
            source_problem: None,
            redactions: 0,
            tiers: Tiers::default(),
            record: None,
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
