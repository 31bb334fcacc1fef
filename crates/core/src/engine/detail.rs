//! A record with its history, as answers show it.

use schemars::JsonSchema;
use serde::Serialize;

use super::history::{History, RecordState, Revision};
use super::recall::{RecallHit, shown_source};
use super::standing::{Ended, Machine, Retirement};
use crate::clock::format_iso;
use crate::judgement::confidence::{Grounds, weigh_confidence};
use crate::judgement::standing::Verdicts;
use crate::model::said::SpokenBy;
use crate::text::bygone::is_bygone;

/// One revision of a record, with its state.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRevision {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Type or category.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was made, as written.
    pub created_at: String,
    /// Its state.
    pub state: RecordState,
    /// When recall stopped returning it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Who said it.
    #[serde(flatten)]
    pub voice: SpokenBy,
}

/// A record with its history.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryDetail {
    /// The record.
    pub entry: RecallHit,
    /// Its state.
    pub state: RecordState,
    /// Why it is no longer current.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired: Option<Retirement>,
    /// When and by whom it was rejected or forgotten; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// The machine that wrote it; absent when its line does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// How often it was captured again.
    pub confirmations: usize,
    /// The feedback of sessions on it; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Verdicts>,
    /// Its current confidence, without the factor of freshness, which is not checked.
    pub confidence_now: f64,
    /// The line in the file.
    pub record: String,
    /// Oldest first.
    pub revisions: Vec<MemoryRevision>,
}

impl History {
    /// Describes the record.
    pub fn detail(&self) -> MemoryDetail {
        let current = self.current();
        let said_ms = self.confirmed_ms.unwrap_or(current.created_ms).max(current.created_ms);
        let grounds = Grounds {
            base: current.confidence,
            confirmations: self.confirmations,
            verdicts: self.verdicts,
            drift: 1.0,
            kind: &current.kind,
            age_ms: self.now.saturating_sub(said_ms),
        };
        MemoryDetail {
            entry: self.hit(current),
            state: self.state(),
            retired: self.retired.clone(),
            ended: self.ended,
            machine: self.machine,
            confirmations: self.confirmations,
            verdicts: Some(self.verdicts).filter(|verdicts| *verdicts != Verdicts::default()),
            confidence_now: weigh_confidence(&grounds).now,
            record: current.line.clone(),
            revisions: self
                .revisions()
                .map(|(revision, state)| MemoryRevision {
                    id: revision.id.clone(),
                    text: revision.text.clone(),
                    kind: revision.kind.clone(),
                    created_at: revision.created_at.clone(),
                    state,
                    at: revision.ended_ms.map(format_iso),
                    voice: revision.voice,
                })
                .collect(),
        }
    }

    fn hit(&self, revision: &Revision) -> RecallHit {
        RecallHit {
            id: revision.id.clone(),
            scope: self.scope,
            kind: revision.kind.clone(),
            text: revision.text.clone(),
            confidence: revision.confidence,
            tags: revision.tags.clone(),
            project: revision.project.clone(),
            author: revision.author,
            is_vouched: self.said_by != revision.author,
            is_over: is_bygone(&revision.text),
            source: shown_source(&revision.source),
            came_from: revision.came_from.clone(),
            source_file: revision.source_file.clone(),
            created_at: revision.created_at.clone(),
            expires_at: revision.expires_ms,
            contradicted_by: self.contradicted_by.clone(),
            supersedes: self.retires.clone(),
            worktree: self.worktree.clone(),
            ..RecallHit::default()
        }
        .with_facts(revision.facts.clone())
    }
}
