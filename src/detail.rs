//! A record with its revisions, as answers show it.

use forge_memory_core::clock::format_iso;
use forge_memory_core::confidence::{Grounds, weigh_confidence};
use forge_memory_core::history::{History, RecordState, Revision};
use forge_memory_core::review::Verdicts;
use napi_derive::napi;
use serde::Serialize;

use crate::answer::count;
use crate::review::MemoryVerdicts;
use crate::truth::RetiredBy;
use crate::types::{RecallHit, related, scope_name};

/// One revision of a record.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRevision {
    pub id: String,
    pub text: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub created_at: String,
    #[napi(ts_type = "'current' | 'superseded' | 'retired' | 'proposed' | 'rejected' | 'forgotten' | 'expired'")]
    pub state: String,
    /// When recall stopped returning it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A record with its history.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryDetail {
    pub entry: RecallHit,
    #[napi(ts_type = "'current' | 'superseded' | 'retired' | 'proposed' | 'rejected' | 'forgotten' | 'expired'")]
    pub state: String,
    /// Why it is no longer current.
    pub retired: Option<RetiredBy>,
    /// How often it was captured again.
    pub confirmations: u32,
    /// The feedback of sessions on it; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<MemoryVerdicts>,
    /// Its current confidence, without the factor of freshness, which is not checked.
    pub confidence_now: f64,
    /// The line in the file.
    pub record: String,
    /// Oldest first.
    pub revisions: Vec<MemoryRevision>,
}

/// Describes a record.
pub(crate) fn detail_of(history: &History, now: i64) -> MemoryDetail {
    let current = history.current();
    let verdicts = history.verdicts;
    let grounds = Grounds {
        base: current.confidence,
        confirmations: history.confirmations,
        verdicts,
        drift: 1.0,
        kind: &current.kind,
        age_ms: now.saturating_sub(
            history
                .confirmed_ms
                .unwrap_or(current.created_ms)
                .max(current.created_ms),
        ),
    };
    MemoryDetail {
        entry: hit_of(history, current),
        state: history.state().name().to_owned(),
        retired: history.retired.as_ref().map(Into::into),
        confirmations: count(history.confirmations),
        verdicts: (verdicts != Verdicts::default()).then(|| verdicts.into()),
        confidence_now: weigh_confidence(&grounds).now,
        record: current.line.clone(),
        revisions: history
            .revisions()
            .map(|(revision, state)| revision_of(revision, state))
            .collect(),
    }
}

fn hit_of(history: &History, revision: &Revision) -> RecallHit {
    RecallHit {
        id: revision.id.clone(),
        scope: scope_name(history.scope),
        kind: revision.kind.clone(),
        text: revision.text.clone(),
        confidence: revision.confidence,
        tags: revision.tags.clone(),
        source: revision.source.clone(),
        source_file: revision.source_file.clone(),
        author: revision.author.map(|author| author.name().to_owned()),
        created_at: revision.created_at.clone(),
        expires_at: revision.expires_ms.map(format_iso),
        score: 0.0,
        cosine: None,
        weak: None,
        weaker: None,
        matched: Vec::new(),
        freshness: None,
        proposed: None,
        reranked: None,
        explained: None,
        highlights: None,
        contradicted_by: related(&history.contradicted_by),
        supersedes: related(&history.retires),
    }
}

fn revision_of(revision: &Revision, state: RecordState) -> MemoryRevision {
    MemoryRevision {
        id: revision.id.clone(),
        text: revision.text.clone(),
        kind: revision.kind.clone(),
        created_at: revision.created_at.clone(),
        state: state.name().to_owned(),
        at: revision.ended_ms.map(format_iso),
    }
}
