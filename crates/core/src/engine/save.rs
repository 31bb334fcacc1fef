//! Saving patterns: the compact lessons of `memory/project.jsonl` and `memory/global.jsonl`.

use crate::clock::Millis;
use crate::engine::destinations::Stored;
use crate::engine::offer::Offered;
use crate::engine::outcome::ReviewOutcome;
use crate::engine::revised::Text;
use crate::engine::writer::{New, Writer, worth_of};
use crate::error::Result;
use crate::judgement::decide::{Effect, Plan};
use crate::model::author::Speaker;
use crate::model::compose::{compose_pattern, pattern_fields};
use crate::model::encode::text_of;
use crate::model::input::CheckedSave;
use crate::model::scope::{Home, Scope};
use crate::model::thought::Pattern;
use schemars::JsonSchema;
use serde::Serialize;

/// The outcome of a save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveOutcome {
    /// Whether it was stored.
    pub status: SaveStatus,
    /// The id of the pattern; for a duplicate, of the existing one.
    pub id: String,
    /// A message for the user.
    pub message: String,
    /// The number of redacted secrets.
    pub redactions: usize,
    /// The scope that it is in.
    #[serde(skip)]
    pub scope: Scope,
    /// As in the outcome of a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewOutcome>,
    /// As in the outcome of a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<Offered>>,
}

impl SaveOutcome {
    /// True if the pattern was stored.
    pub fn is_saved(&self) -> bool {
        self.status == SaveStatus::Saved
    }
}

/// The outcome for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SaveStatus {
    /// It is stored.
    Saved,
    /// The scope has one with the same category and the same text.
    Duplicate,
}

impl Writer<'_> {
    /// Saves a pattern, unless the scope has one with the same category and the same folded text.
    ///
    /// # Errors
    /// `LOCKED` or `IO` when it cannot be stored; nothing is written then.
    pub(crate) fn save(&mut self, checked: CheckedSave) -> Result<SaveOutcome> {
        let (scope, speaker) = (checked.scope, checked.speaker.clone());
        let now = self.stores.patterns_mut(scope).dated(self.project.now());
        let mut redactor = self.project.redactor();
        let from = (scope == Scope::Global).then(|| self.project.name());
        let pattern = compose_pattern(checked, from, &mut redactor, now);
        let stored = self.store_pattern(scope, &pattern, Some(&speaker), now)?;
        if scope == Scope::Project {
            // The pattern is stored all the same; `doctor` reports files that git should ignore.
            let is_first = self.stores.project_patterns.journal_index.records() == 1;
            let _ = self.project.ensure_gitignore(is_first);
        }
        let id = stored.duplicate.map_or(pattern.id.clone(), |known| known.id);
        let mut outcome = outcome_of((stored.decision.effect, id), &pattern, scope, redactor.count);
        if let (Some(why), Some(ReviewOutcome::Proposed)) = (stored.waits_because, outcome.review) {
            outcome.message += &format!(" The reason: {why}.");
        }
        Ok(outcome)
    }

    /// Stores a pattern unless it is known. `speaker` is `None` for the revision of an edit, which is compared with nothing.
    pub(super) fn store_pattern(
        &mut self,
        scope: Scope,
        pattern: &Pattern,
        speaker: Option<&Speaker>,
        now: Millis,
    ) -> Result<Stored> {
        let fields = pattern_fields(pattern);
        let new = New {
            plan: Plan {
                id: &pattern.id,
                supersedes: None,
                source: None,
                named: &[],
                by: speaker.map(|speaker| self.who(speaker)),
                worth: worth_of(&fields),
            },
            fields: &fields,
            is_compared: speaker.is_some(),
            text: Text::New,
            meets_withheld: speaker.is_some(),
            encode: &|| text_of(pattern),
        };
        self.store(Home::Patterns(scope), &new, now)
    }
}

fn outcome_of((effect, id): (Effect, String), pattern: &Pattern, scope: Scope, redactions: usize) -> SaveOutcome {
    let (name, duplicate) = (scope.name(), SaveStatus::Duplicate);
    let (status, review, message) = match effect {
        Effect::Confirmed => {
            let message = format!("Accepted in {name} memory: it waited for a review.");
            (duplicate, Some(ReviewOutcome::Accepted), message)
        }
        Effect::Withheld(review) => {
            let review = ReviewOutcome::from(review);
            let beside = if review == ReviewOutcome::Rejected { "in" } else { "for" };
            let message = format!("Already {} {beside} {name} memory, skipped.", review.name());
            (duplicate, Some(review), message)
        }
        Effect::Proposed => {
            let message = format!("Proposed for {name} memory: it waits for a review.");
            (SaveStatus::Saved, Some(ReviewOutcome::Proposed), message)
        }
        Effect::Known => {
            let message = format!("Duplicate pattern already in {name} memory, skipped.");
            (duplicate, None, message)
        }
        Effect::Stored => {
            let message = format!("Saved to {name} memory [{}]: {}", pattern.category, pattern.pattern);
            (SaveStatus::Saved, None, message)
        }
    };
    SaveOutcome {
        status,
        review,
        id,
        message,
        redactions,
        scope,
        related: None,
    }
}
