//! The types of arguments and results in `index.d.ts`.

use forge_memory_core::clock::format_iso;
use forge_memory_core::judge::{self, reason_of};
use forge_memory_core::{self as core, Scope, standing, thought};
use napi_derive::napi;
use serde::Serialize;

use crate::answer::count;
use crate::error::Problem;

/// The provenance of a record, `hallmark/v1`.
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
    /// The range of bytes in that file: the first offset, and the one after the last.
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

/// A record as it is stored in `memory-captures.jsonl`.
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
    /// The session in which it was captured: its channel and a hash of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who captured it, as the surface knows it: a person, an agent, an import or the watcher. Absent when that is not known.
    #[napi(ts_type = "'person' | 'agent' | 'import' | 'watcher'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
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
            session: from.session,
            author: from.author,
            hallmark: from.hallmark.map(Into::into),
        }
    }
}

/// Whether a tier has accepted a capture, and the error if not.
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

/// A revision as it is stored, with the tiers only when one of them failed.
#[derive(Serialize)]
pub struct EditedThought {
    #[serde(flatten)]
    thought: Thought,
    /// Names that begin with `_` are bookkeeping, which the hallmark does not cover.
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

/// The outcome of a capture.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureOutcome {
    /// The id of the record; for a duplicate, of the existing one.
    pub id: String,
    /// True when the thought is stored in `memory-captures.jsonl`.
    pub captured: bool,
    /// True when it was a duplicate.
    pub deduped: bool,
    /// The id of the record that it duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// The cosine similarity to that record, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The source as stored: `unknown` when the given one was rejected.
    pub source: String,
    /// Why the given source was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_rejected: Option<String>,
    /// By how many milliseconds the clock of this machine is behind the newest record, if that is more than a day. The record is dated like
    /// that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_behind_ms: Option<i64>,
    /// `proposed`: it waits for a review, and searches exclude it. `accepted`: a record with the same text was waiting,
    /// and is accepted now. `rejected`: a review has rejected the same text. Absent when nothing waits.
    #[napi(ts_type = "'proposed' | 'accepted' | 'rejected'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// The number of redacted secrets.
    pub redactions: u32,
    /// The records that this one retired; `keepMemory` makes one current again.
    pub retired: Vec<Contradicted>,
    /// The records that contradict this one when nothing decides which of them holds.
    pub conflicts: Vec<Contradicted>,
    /// Current records that this one may replace, the most likely first, at most three. Present when it was captured with `related`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<OfferedMemory>>,
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
            clock_behind_ms: from.clock_behind_ms,
            review: from.review.map(|review| review.name().to_owned()),
            redactions: count(from.redactions),
            retired: from.retired.into_iter().map(Into::into).collect(),
            conflicts: from.conflicts.into_iter().map(Into::into).collect(),
            related: from.related.map(offered),
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
    /// Its text; empty when the capture only names it.
    pub text: String,
    /// The rule that found the contradiction.
    pub rule: String,
    /// The rule as a sentence.
    pub why: String,
}

impl From<judge::Contradicted> for Contradicted {
    fn from(from: judge::Contradicted) -> Self {
        Contradicted {
            id: from.id,
            text: from.text,
            rule: from.rule.to_owned(),
            why: sentence_of(from.rule),
        }
    }
}

/// A current record that a new text may replace.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferedMemory {
    pub id: String,
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
    pub created_at: String,
}

pub(crate) fn offered(list: Vec<core::offer::Offered>) -> Vec<OfferedMemory> {
    let offered = list.into_iter().map(|one| OfferedMemory {
        id: one.id,
        kind: one.kind,
        text: one.text,
        created_at: one.created_at,
    });
    offered.collect()
}

/// Returns a rule as a sentence; a reason that somebody gave is one already.
pub(crate) fn sentence_of(rule: &str) -> String {
    match reason_of(rule) {
        "" => rule.to_owned(),
        sentence => sentence.to_owned(),
    }
}

/// Another record about the same subject.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedMemory {
    pub id: String,
    pub text: String,
    pub created_at: String,
    /// The rule that found the contradiction.
    pub rule: String,
    /// The rule as a sentence.
    pub why: String,
}

impl From<&standing::Related> for RelatedMemory {
    fn from(from: &standing::Related) -> Self {
        RelatedMemory {
            id: from.id.clone(),
            text: from.text.clone(),
            created_at: from.created_at.clone(),
            why: sentence_of(&from.why),
            rule: from.why.clone(),
        }
    }
}

/// Returns `None` for an empty list, so that the field is absent.
pub(crate) fn related(list: &[standing::Related]) -> Option<Vec<RelatedMemory>> {
    (!list.is_empty()).then(|| list.iter().map(Into::into).collect())
}

/// The outcome of a save.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SaveOutcome {
    #[napi(ts_type = "'saved' | 'duplicate'")]
    pub status: String,
    /// The id of the pattern; for a duplicate, of the existing one.
    pub id: String,
    pub message: String,
    /// The number of redacted secrets.
    pub redactions: u32,
    /// As in the outcome of a capture.
    #[napi(ts_type = "'proposed' | 'accepted' | 'rejected'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// As in the outcome of a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Vec<OfferedMemory>>,
}

/// The outcome of `forget`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgetOutcome {
    pub removed: bool,
}

/// Whether the files and commands that a record names still exist.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The worst state of all that the record names.
    #[napi(ts_type = "'unchanged' | 'renamed' | 'changed' | 'gone'")]
    pub state: String,
    /// What was checked, and the result.
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

/// A record that matches a query.
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
    /// The file that it is about by its hallmark; absent when it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// Who captured it; absent when that is not known.
    #[napi(ts_type = "'person' | 'agent' | 'import' | 'watcher'")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// By words BM25, by meaning the cosine, by both from 0 to 1; plus what comes from its session, multiplied by the factor of its
    /// freshness. Higher is better; 0 in a list.
    pub score: f64,
    /// The cosine similarity to the query, -1 to 1; absent when meaning was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// True when it is doubtful that it answers the query; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<bool>,
    /// True when it says little about the query beside better hits: a surface may leave it out; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weaker: Option<bool>,
    /// The words of the query that it contains.
    pub matched: Vec<String>,
    /// The freshness of its references; absent when it has none within the project, and in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// True when it waits for its review; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<bool>,
    /// The score that a cross-encoder gave it, larger is better; absent unless `rerank` asked for one and it is among the first 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<f64>,
    /// The explanation of its score; absent unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explanation>,
    /// Where the text has the words of the query, at most 100 ranges in ascending order; absent unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlights: Option<Vec<Highlight>>,
    /// The current records that contradict it, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradicted_by: Option<Vec<RelatedMemory>>,
    /// The records that it retired, newest first.
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
            source_file: from.source_file,
            author: from.author.map(|author| author.name().to_owned()),
            created_at: from.created_at,
            expires_at: from.expires_at.map(format_iso),
            score: from.score,
            cosine: from.cosine,
            weak: from.is_weak.then_some(true),
            weaker: from.is_weaker.then_some(true),
            matched: from.matched,
            freshness: from.freshness.map(Freshness::from),
            proposed: from.is_proposed.then_some(true),
            reranked: from.reranked,
            explained: from.explained.map(Explanation::from),
            highlights: from.highlights.map(|found| found.into_iter().map(Into::into).collect()),
            contradicted_by: related(&from.contradicted_by),
            supersedes: related(&from.supersedes),
        }
    }
}

pub(crate) fn scope_name(scope: Scope) -> String {
    scope.name().to_owned()
}

/// The newest records.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryList {
    pub entries: Vec<RecallHit>,
    /// The total number of records.
    pub total: u32,
}

/// A range of a text that has a word of the query, in UTF-16 code units: `text.slice(start, end)`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct Highlight {
    pub start: u32,
    pub end: u32,
}

impl From<core::text::highlight::Highlight> for Highlight {
    fn from(from: core::text::highlight::Highlight) -> Self {
        Highlight {
            start: count(from.start),
            end: count(from.end),
        }
    }
}

/// How a score came about: it is `(words + context) * feedback * freshness`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The score of the search.
    pub words: f64,
    /// What it gains from its session: from the records just before and after it, and from the best ones.
    pub context: f64,
    /// The factor of the feedback on it, between 0.8 and 1.1.
    pub feedback: f64,
    /// The factor of its freshness.
    pub freshness: f64,
    pub useful: u32,
    pub wrong: u32,
    /// How often it was captured again.
    pub confirmations: u32,
    /// Its current confidence.
    pub confidence: ConfidenceNow,
}

/// A confidence: `now` is `supported * wrong * drift * age`.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
pub struct ConfidenceNow {
    /// The stored confidence, which `minConfidence` filters by.
    pub base: f64,
    /// After support: confirmations, and sessions that found it useful.
    pub supported: f64,
    pub wrong: f64,
    pub drift: f64,
    pub age: f64,
    pub now: f64,
}

impl From<forge_memory_core::recall::Explained> for Explanation {
    fn from(from: forge_memory_core::recall::Explained) -> Self {
        let confidence = from.confidence;
        Explanation {
            words: from.words,
            context: from.context,
            feedback: from.feedback,
            freshness: from.freshness,
            useful: count(from.verdicts.useful),
            wrong: count(from.verdicts.wrong),
            confirmations: count(from.confirmations),
            confidence: ConfidenceNow {
                base: confidence.base,
                supported: confidence.supported,
                wrong: confidence.wrong,
                drift: confidence.drift,
                age: confidence.age,
                now: confidence.now,
            },
        }
    }
}
