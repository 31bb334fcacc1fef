//! Saving patterns: the compact lessons of `memory/project.jsonl` and `memory/global.jsonl`.

use crate::clock::{Millis, format_iso, parse_iso};
use crate::engine::offer::Offered;
use crate::engine::outcome::ReviewOutcome;
use crate::engine::writer::{New, Stored, Writer, id_of};
use crate::error::Result;
use crate::journal::clean;
use crate::judgement::decide::{Effect, Plan};
use crate::model::author::{Author, Speaker};
use crate::model::encode::{encode, text_of};
use crate::model::input::CheckedSave;
use crate::model::scope::{Home, Scope};
use crate::model::scrub::Redactor;
use crate::model::thought::{FORMAT_VERSION, Fields, HALLMARK_VERSION, Hallmark, Pattern, new_id, pattern_hash};
use schemars::JsonSchema;
use serde::Serialize;

/// The tool name in the hallmarks of patterns.
const PATTERN_TOOL: &str = "memory_save";

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
        let pattern = compose(checked, &mut redactor, now);
        let stored = self.store_pattern(scope, &pattern, Some(&speaker), now)?;
        if scope == Scope::Project {
            // The pattern is stored all the same; `doctor` reports files that git should ignore.
            let is_first = self.stores.project_patterns.journal_index.records() == 1;
            let _ = self.project.ensure_gitignore(is_first);
        }
        let known = stored.duplicate.as_ref().map(|known| clean(&known.line));
        let effect = stored.decision.effect;
        if let Some(known) = known.filter(|_| effect == Effect::Confirmed) {
            self.accept_captured(Home::Patterns(scope), known, Some(&speaker))?;
        }
        let id = known.map_or(pattern.id.clone(), id_of);
        Ok(outcome_of((effect, id), &pattern, scope, redactor.count))
    }

    /// Stores a pattern unless it is known. `speaker` is `None` for the revision of an edit, which is compared with nothing.
    pub(super) fn store_pattern(
        &mut self,
        scope: Scope,
        pattern: &Pattern,
        speaker: Option<&Speaker>,
        now: Millis,
    ) -> Result<Stored> {
        let (fields, nobody) = (pattern_fields(pattern), Speaker::default());
        let new = New {
            plan: Plan {
                id: &pattern.id,
                supersedes: None,
                source: None,
                named: &[],
                speaker: speaker.unwrap_or(&nobody),
                waits: speaker.is_some_and(|speaker| self.project.config().requires_review(speaker)),
            },
            fields: &fields,
            is_compared: speaker.is_some(),
            meets_withheld: speaker.is_some(),
            encode: &|| text_of(encode(pattern)?),
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

fn compose(input: CheckedSave, redactor: &mut Redactor, now: Millis) -> Pattern {
    let mut pattern = Pattern {
        id: new_id(now),
        timestamp: format_iso(now),
        pattern: redactor.text(input.pattern),
        category: input.category,
        confidence: input.confidence,
        version: FORMAT_VERSION,
        tags: input.tags.into_iter().map(|tag| redactor.text(tag)).collect(),
        author: input.speaker.author.map(|author| author.name().to_owned()),
        ..Pattern::default()
    }
    .with_facts(redactor.facts(input.facts));
    stamp_pattern(&mut pattern);
    pattern
}

/// Stamps the hallmark; the hash is over everything else.
pub(crate) fn stamp_pattern(pattern: &mut Pattern) {
    pattern.hallmark = Some(Hallmark {
        schema_version: HALLMARK_VERSION.to_owned(),
        tool_name: PATTERN_TOOL.to_owned(),
        captured_at: pattern.timestamp.clone(),
        source_file: None,
        byte_range: None,
        content_hash: Some(pattern_hash(pattern)),
        code_hash: None,
        tool_version: None,
    });
}

fn pattern_fields(pattern: &Pattern) -> Fields<'_> {
    Fields {
        id: pattern.id.as_str().into(),
        text: pattern.pattern.as_str().into(),
        kind: pattern.category.as_str().into(),
        project: "".into(),
        source: "".into(),
        source_file: pattern.hallmark.as_ref().map_or("", Hallmark::source_path).into(),
        at: pattern.timestamp.as_str().into(),
        at_ms: parse_iso(&pattern.timestamp).unwrap_or(0),
        expires_ms: None,
        tags: pattern.tags.iter().map(|tag| tag.as_str().into()).collect(),
        confidence: pattern.confidence,
        supersedes: pattern.supersedes.as_deref().map(Into::into),
        session: "".into(),
        author: pattern.author.as_deref().and_then(|name| Author::parse(name).ok()),
    }
}
