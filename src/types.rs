//! The shapes that go in and come out, as `index.d.ts` shows them.

use forge_memory_core::clock::format_iso;
use forge_memory_core::judge::{self, reason_of};
use forge_memory_core::{self as core, Scope, standing, thought};
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::count;
use crate::error::Problem;
use crate::truth::RetiredBy;

/// Which project is meant: the folder `projectDir`, else the nearest folder above the working directory with `.forge/`
/// or `.forge.json`, else the top of the git work tree, else the working directory.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProjectOptions {
    pub project_dir: Option<String>,
}

/// Provenance, `hallmark/v1`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hallmark {
    pub schema_version: String,
    pub tool_name: String,
    pub captured_at: String,
    /// The file that the record is about, relative to the project's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// Which bytes of it: the first one, and the one behind the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_range: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The hash of those bytes, or of the tool's own code when no source file is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

impl From<thought::Hallmark> for Hallmark {
    fn from(from: thought::Hallmark) -> Self {
        Hallmark {
            schema_version: from.schema_version,
            tool_name: from.tool_name,
            captured_at: from.captured_at,
            source_file: from.source_file,
            byte_range: from.byte_range.map(|range| range.map(|at| at as f64).to_vec()),
            content_hash: from.content_hash,
            code_hash: from.code_hash,
            tool_version: from.tool_version,
        }
    }
}

/// A record as it stands in `memory-captures.jsonl`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thought {
    #[napi(js_name = "_v")]
    #[serde(rename = "_v")]
    pub version: u32,
    pub id: String,
    pub content: String,
    pub project: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub source: String,
    #[napi(js_name = "created_by")]
    #[serde(rename = "created_by")]
    pub created_by: String,
    #[napi(js_name = "captured_at")]
    #[serde(rename = "captured_at")]
    pub captured_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    pub tags: Vec<String>,
    pub confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hallmark: Option<Hallmark>,
}

impl From<thought::Thought> for Thought {
    fn from(from: thought::Thought) -> Self {
        Thought {
            version: from.version,
            id: from.id,
            content: from.content,
            project: from.project,
            kind: from.kind,
            source: from.source,
            created_by: from.created_by,
            captured_at: from.captured_at,
            expires_at: from.expires_at,
            tags: from.tags,
            confidence: from.confidence,
            supersedes: from.supersedes,
            hallmark: from.hallmark.map(Into::into),
        }
    }
}

/// Whether a tier has taken a capture, and what went wrong if not.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TierOutcome {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

impl From<core::TierOutcome> for TierOutcome {
    fn from(from: core::TierOutcome) -> Self {
        TierOutcome {
            ok: from.is_ok(),
            error: from.error.as_ref().map(Problem::from),
        }
    }
}

/// The three tiers: the event for the live hub, the files under `.forge/`, the queue to the shared store.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tiers {
    pub hub: TierOutcome,
    pub files: TierOutcome,
    pub openbrain: TierOutcome,
}

impl From<core::Tiers> for Tiers {
    fn from(from: core::Tiers) -> Self {
        Tiers {
            hub: from.hub.into(),
            files: from.files.into(),
            openbrain: from.openbrain.into(),
        }
    }
}

/// A revision as it stands in the file; the tiers only when one of them failed.
#[derive(Serialize)]
pub struct EditedThought {
    #[serde(flatten)]
    thought: Thought,
    /// Bookkeeping has names that begin with `_`: it is no part of what a hallmark vouches for.
    #[serde(rename = "_tiers", skip_serializing_if = "Option::is_none")]
    tiers: Option<Tiers>,
}

impl From<(thought::Thought, core::Tiers)> for EditedThought {
    fn from((thought, tiers): (thought::Thought, core::Tiers)) -> Self {
        EditedThought {
            thought: thought.into(),
            tiers: (!tiers.are_ok()).then(|| tiers.into()),
        }
    }
}

/// What became of a capture.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureOutcome {
    /// The id of the record; for a duplicate, of the one that was there.
    pub id: String,
    /// True when the thought is in `memory-captures.jsonl`.
    pub captured: bool,
    /// True when the memory had it already.
    pub deduped: bool,
    /// The id of the record that it duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// The cosine with that record, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// As stored: `unknown` when the given one was rejected.
    pub source: String,
    /// Why the given source was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_rejected: Option<String>,
    /// How many secrets were taken out.
    pub redactions: u32,
    /// The records that are no longer current because of this one; `keepMemory` brings one back.
    pub retired: Vec<Contradicted>,
    /// The records that contradict this one: nothing says which of them holds.
    pub conflicts: Vec<Contradicted>,
    pub tiers: Tiers,
    pub thought: Thought,
}

impl From<core::CaptureOutcome> for CaptureOutcome {
    fn from(from: core::CaptureOutcome) -> Self {
        CaptureOutcome {
            id: from.thought.id.clone(),
            captured: from.captured,
            deduped: from.deduped,
            duplicate_of: from.deduped.then(|| from.thought.id.clone()),
            similarity: from.similarity,
            source: from.thought.source.clone(),
            source_rejected: from.source_problem,
            redactions: count(from.redactions),
            retired: from.retired.into_iter().map(Into::into).collect(),
            conflicts: from.conflicts.into_iter().map(Into::into).collect(),
            tiers: from.tiers.into(),
            thought: from.thought.into(),
        }
    }
}

/// A record that a capture contradicts.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradicted {
    pub id: String,
    /// What it says; empty when the capture names it only.
    pub text: String,
    /// The rule by which the two were found to disagree.
    pub rule: String,
    /// The same in words.
    pub why: String,
}

impl From<judge::Contradicted> for Contradicted {
    fn from(from: judge::Contradicted) -> Self {
        Contradicted {
            id: from.id,
            text: from.text,
            rule: from.rule.to_owned(),
            why: reason_of(from.rule).to_owned(),
        }
    }
}

/// Another record that says something about the same thing.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedMemory {
    pub id: String,
    pub text: String,
    pub created_at: String,
    /// The rule by which the two were found to disagree.
    pub rule: String,
    /// The same in words.
    pub why: String,
}

impl From<&standing::Related> for RelatedMemory {
    fn from(from: &standing::Related) -> Self {
        RelatedMemory {
            id: from.id.clone(),
            text: from.text.clone(),
            created_at: from.created_at.clone(),
            why: reason_of(&from.why).to_owned(),
            rule: from.why.clone(),
        }
    }
}

/// Nothing when there are none, so that the field is absent.
pub(crate) fn related(list: &[standing::Related]) -> Option<Vec<RelatedMemory>> {
    (!list.is_empty()).then(|| list.iter().map(Into::into).collect())
}

/// What became of a save.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SaveOutcome {
    #[napi(ts_type = "'saved' | 'duplicate'")]
    pub status: String,
    /// The id of the pattern, or of the one that was there.
    pub id: String,
    pub message: String,
    /// How many secrets were taken out.
    pub redactions: u32,
}

/// Whether there was anything to forget.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgetOutcome {
    pub removed: bool,
}

/// What a look at the files and commands that a record names has told.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The worst of all that the record names.
    #[napi(ts_type = "'unchanged' | 'renamed' | 'changed' | 'gone'")]
    pub state: String,
    /// What was looked at, and what was found.
    pub why: String,
    pub checked_at: String,
}

impl From<core::freshness::Freshness> for Freshness {
    fn from(from: core::freshness::Freshness) -> Self {
        Freshness {
            state: from.state.name().to_owned(),
            why: from.why,
            checked_at: format_iso(from.checked_at),
        }
    }
}

/// A record that answers.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecallHit {
    pub id: String,
    #[napi(ts_type = "'project' | 'global'")]
    pub scope: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
    pub confidence: f64,
    pub tags: Vec<String>,
    pub source: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// BM25, times the factor of its freshness; larger is better; 0 in a list.
    pub score: f64,
    /// The words of the query that it has.
    pub matched: Vec<String>,
    /// How that stands which it names; absent when it names nothing of the project, and in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// The records that contradict it and count as well, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradicted_by: Option<Vec<RelatedMemory>>,
    /// The records that it has retired, the newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<Vec<RelatedMemory>>,
}

impl From<core::RecallHit> for RecallHit {
    fn from(from: core::RecallHit) -> Self {
        RecallHit {
            id: from.id,
            scope: scope_name(from.scope),
            kind: from.kind,
            text: from.text,
            confidence: from.confidence,
            tags: from.tags,
            source: from.source,
            created_at: from.created_at,
            expires_at: from.expires_at.map(format_iso),
            score: from.score,
            matched: from.matched,
            freshness: from.freshness.map(Freshness::from),
            contradicted_by: related(&from.contradicted_by),
            supersedes: related(&from.supersedes),
        }
    }
}

pub(crate) fn scope_name(scope: Scope) -> String {
    scope.name().to_owned()
}

/// The answer to a query.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecallOutcome {
    pub query: String,
    /// Best first.
    pub hits: Vec<RecallHit>,
    /// How many records there were to search.
    pub searched: u32,
    /// Words that no record has, and what was searched for instead; absent when all are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Vec<Correction>>,
    /// Why there is nothing, what was corrected, or what could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A word of a query that no record has.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// As it was typed, in lower case.
    pub word: String,
    /// What was searched for in its place, the most frequent first.
    pub taken_for: Vec<String>,
}

impl From<forge_memory_core::index::Correction> for Correction {
    fn from(from: forge_memory_core::index::Correction) -> Self {
        Correction {
            word: from.word,
            taken_for: from.taken_for,
        }
    }
}

/// The answer as a block of text.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecallText {
    pub text: String,
    /// The entries in the text, 20 at the most.
    pub matches: Vec<RecallHit>,
    /// How many records match, shown or not.
    pub found: MatchCounts,
    /// Why there is nothing, or what could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How many records match a query, by scope.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct MatchCounts {
    pub project: u32,
    pub global: u32,
}

/// The newest records.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryList {
    pub entries: Vec<RecallHit>,
    /// How many there are in all.
    pub total: u32,
}

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
    #[napi(ts_type = "'current' | 'superseded' | 'retired' | 'forgotten' | 'expired'")]
    pub state: String,
    /// When it ceased to be recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// One record with its past.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryDetail {
    pub entry: RecallHit,
    #[napi(ts_type = "'current' | 'superseded' | 'retired' | 'forgotten' | 'expired'")]
    pub state: String,
    /// Why it is no longer current.
    pub retired: Option<RetiredBy>,
    /// How often it was captured again.
    pub confirmations: u32,
    /// The line as it stands in the file.
    pub record: String,
    /// Oldest first.
    pub revisions: Vec<MemoryRevision>,
}

/// Whether a text is a source, and why not.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceVerdict {
    pub valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
