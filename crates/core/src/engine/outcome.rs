//! The outcome of a write, tier by tier.

use crate::clock::Millis;
use crate::engine::beside::Noted;
use crate::engine::offer::Offered;
use crate::error::{Error, Problem, Result};
use crate::judgement::reason::Contradicted;
use crate::judgement::standing::Review;
use crate::model::thought::Thought;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The outcome of one tier.
#[derive(Debug, Default)]
pub struct TierOutcome {
    /// The first error, if any.
    pub error: Option<Error>,
}

/// Whether a tier has accepted a capture, and the error if not.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TierOutcome")]
struct ToldTier {
    /// Whether it has.
    ok: bool,
    /// The first error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem>,
}

impl Serialize for TierOutcome {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let error = self.error.as_ref().map(Problem::of);
        ToldTier {
            ok: self.is_ok(),
            error,
        }
        .serialize(to)
    }
}

impl TierOutcome {
    /// True if the tier succeeded.
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
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Tiers {
    /// The event for the live hub.
    #[schemars(with = "ToldTier")]
    pub hub: TierOutcome,
    /// The files under `.forge/`.
    #[schemars(with = "ToldTier")]
    pub files: TierOutcome,
    /// The queue to the shared store.
    #[schemars(with = "ToldTier")]
    pub openbrain: TierOutcome,
}

impl Tiers {
    /// True if all tiers succeeded.
    pub fn are_ok(&self) -> bool {
        self.hub.is_ok() && self.files.is_ok() && self.openbrain.is_ok()
    }
}

/// The effect of reviews on a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ReviewEffect")]
pub enum ReviewOutcome {
    /// It is proposed, or a duplicate of it is.
    Proposed,
    /// A proposed duplicate was accepted.
    Accepted,
    /// A duplicate was rejected, so it was not stored.
    Rejected,
}

impl From<Review> for ReviewOutcome {
    fn from(review: Review) -> Self {
        match review {
            Review::Rejected(_) => ReviewOutcome::Rejected,
            _ => ReviewOutcome::Proposed,
        }
    }
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
    /// Why it waits, when no setting says so.
    pub waits_because: Option<String>,
    /// Why the given source was replaced.
    pub source_problem: Option<String>,
    /// By how much the clock is behind the newest record, if that is more than a day. The record is dated like that one.
    pub clock_behind_ms: Option<Millis>,
    /// The record of another worktree that says the same, if there is one.
    pub noted: Option<Noted>,
    /// How many secrets were redacted.
    pub redactions: usize,
    /// The outcome of each tier.
    pub tiers: Tiers,
}

/// The outcome of a capture, as callers are told it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CaptureOutcome")]
pub struct ToldCapture<'a> {
    /// The id of the record; for a duplicate, of the existing one.
    id: &'a str,
    /// True when the thought is stored in `memory-captures.jsonl`.
    captured: bool,
    /// True when it was a duplicate.
    deduped: bool,
    /// The id of the record that it duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<&'a str>,
    /// The cosine similarity to that record, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    /// The source as stored: `unknown` when the given one was rejected.
    source: &'a str,
    /// Why the given source was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_rejected: Option<&'a str>,
    /// By how many milliseconds the clock of this machine is behind the newest record, if that is more than a day. The record is dated like
    /// that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_behind_ms: Option<Millis>,
    /// The record of another worktree that says the same, and is not committed there yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<&'a Noted>,
    /// `proposed`: it waits for a review, and searches exclude it. `accepted`: a record with the same text was waiting,
    /// and is accepted now. `rejected`: a review has rejected the same text. Absent when nothing waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<ReviewOutcome>,
    /// Why it waits although no setting says so: a person has forgotten, replaced or edited the same text, or a file of settings cannot be
    /// read.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_because: Option<&'a str>,
    /// The number of redacted secrets.
    redactions: usize,
    /// The records that this one retired; `keepMemory` makes one current again.
    retired: &'a [Contradicted],
    /// The records that contradict this one when nothing decides which of them holds.
    conflicts: &'a [Contradicted],
    /// Current records that this one may replace, the most likely first, at most three. Present when it was captured with `related`.
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<&'a [Offered]>,
    /// The outcome of each tier.
    tiers: &'a Tiers,
    /// The record.
    thought: &'a Thought,
}

impl Serialize for CaptureOutcome {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let told = ToldCapture {
            id: &self.thought.id,
            captured: self.captured,
            deduped: self.deduped,
            duplicate_of: self.deduped.then_some(&self.thought.id),
            similarity: self.similarity,
            source: &self.thought.source,
            source_rejected: self.source_problem.as_deref(),
            clock_behind_ms: self.clock_behind_ms,
            worktree: self.noted.as_ref(),
            review: self.review,
            waits_because: self.waits_because.as_deref(),
            redactions: self.redactions,
            retired: &self.retired,
            conflicts: &self.conflicts,
            related: self.related.as_deref(),
            tiers: &self.tiers,
            thought: &self.thought,
        };
        told.serialize(to)
    }
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
            waits_because: None,
            source_problem: None,
            clock_behind_ms: None,
            noted: None,
            redactions: 0,
            tiers: Tiers::default(),
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

/// The outcome of `replaceMemory`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReplaceOutcome")]
pub struct Replaced {
    /// The record that takes their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The records that are retired now; `keepMemory` makes one current again.
    pub retired: Vec<Contradicted>,
    /// The records that are in conflict with it now, because only a person may retire the record of a person.
    pub conflicts: Vec<Contradicted>,
    /// The ids of the records that were retired before.
    pub unchanged: Vec<String>,
    /// The ids of the records that were in conflict with it before, and stay so until a person decides.
    pub in_conflict: Vec<String>,
}

/// The outcome of `forget`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForgetOutcome {
    /// Whether there was such a record.
    pub removed: bool,
}
