//! Reading: recall, list, show.

use forge_memory_core::clock::format_iso;
use forge_memory_core::history::{History, RecordState, Revision};
use forge_memory_core::{self as core, Error, ScopeFilter};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::{Answer, count};
use crate::error::Result;
use crate::input::{read, text_or_empty};
use crate::projects::{names_project, with_memory, with_options};
use crate::types::{
    MatchCounts, MemoryDetail, MemoryList, MemoryRevision, RecallHit, RecallOutcome, RecallText, related, scope_name,
};

/// What may be found.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecallOptions {
    pub project_dir: Option<String>,
    /// Where to look; `all` when absent.
    #[napi(ts_type = "'project' | 'global' | 'all'")]
    pub scope: Option<String>,
    /// Types or categories.
    pub types: Option<Vec<String>>,
    /// Labels, all of which a record must have.
    pub tags: Option<Vec<String>>,
    /// How many hits, 1 to 1,000; 10 when absent.
    pub limit: Option<f64>,
    /// How many of the newest a list leaves out; recall has no use for it.
    pub offset: Option<f64>,
    /// The earliest moment: ISO 8601, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// The least confidence, 0 to 1.
    pub min_confidence: Option<f64>,
    /// Whether expired records count.
    pub include_expired: Option<bool>,
    /// A past moment: the answer is the one of that time.
    pub at: Option<String>,
}

/// A query in the words of `memory_recall`.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecallQuery {
    /// A query that is no text has no words.
    #[serde(default, deserialize_with = "text_or_empty")]
    pub query: String,
    #[napi(ts_type = "'project' | 'global' | 'all'")]
    pub scope: Option<String>,
}

names_project!(RecallOptions);

impl TryFrom<RecallOptions> for core::RecallOptions {
    type Error = Error;

    fn try_from(from: RecallOptions) -> core::Result<Self> {
        let scope = from.scope.as_deref().map(ScopeFilter::parse).transpose()?;
        Ok(core::RecallOptions {
            scope: scope.unwrap_or_default(),
            types: from.types.unwrap_or_default(),
            tags: from.tags.unwrap_or_default(),
            limit: from.limit,
            offset: from.offset,
            since: from.since,
            min_confidence: from.min_confidence,
            include_expired: from.include_expired.unwrap_or(false),
            at: from.at,
        })
    }
}

/// Finds the records that answer a query, best first. Never throws for a query or for damaged data: it answers with an
/// empty list and a message. Throws `INVALID_INPUT` when an option is wrong.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RecallOptions",
    ts_return_type = "RecallOutcome"
)]
pub fn recall(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<RecallOutcome>> {
    // A query that is no text has no words.
    let query: String = read("query", &query).unwrap_or_default();
    let outcome = with_options(env, &options, |memory, options: RecallOptions| {
        // The settings may have been changed since the last call.
        memory.config();
        memory.recall(&query, &options.try_into()?)
    })?;
    Ok(Answer(RecallOutcome {
        query: outcome.query,
        hits: outcome.hits.into_iter().map(Into::into).collect(),
        searched: count(outcome.searched),
        corrected: (!outcome.corrected.is_empty()).then(|| outcome.corrected.into_iter().map(Into::into).collect()),
        message: outcome.message,
    }))
}

/// Answers a query with a block of text, grouped by scope, by descending confidence. Never throws for a query or for damaged
/// data. Throws `INVALID_INPUT` when the scope is unknown.
#[napi(catch_unwind, ts_args_type = "input: RecallQuery, options?: ProjectOptions")]
pub fn memory_recall(env: &Env, input: Unknown, options: Unknown) -> Result<RecallText> {
    let RecallQuery { query, scope } = read("input", &input)?;
    let answer = with_memory(env, &options, |memory| {
        memory.config();
        memory.recall_text(&query, scope.as_deref())
    })?;
    Ok(RecallText {
        text: answer.text,
        matches: answer.matches.into_iter().map(Into::into).collect(),
        found: MatchCounts {
            project: count(answer.found.project),
            global: count(answer.found.global),
        },
        message: answer.message,
    })
}

/// Lists the newest records. Throws `INVALID_INPUT` when an option is wrong.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RecallOptions",
    ts_return_type = "MemoryList"
)]
pub fn list_memories(env: &Env, options: Unknown) -> Result<Answer<MemoryList>> {
    let (hits, total) = with_options(env, &options, |memory, options: RecallOptions| {
        memory.list(&options.try_into()?)
    })?;
    Ok(Answer(MemoryList {
        entries: hits.into_iter().map(Into::into).collect(),
        total: count(total),
    }))
}

/// Shows one record with all its revisions. A piece of an id, six characters or more, is enough when only one record
/// has it at its beginning or end. Throws `NOT_FOUND`, or `INVALID_INPUT` when several records have that piece.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ProjectOptions")]
pub fn show_memory(env: &Env, id: Unknown, options: Unknown) -> Result<MemoryDetail> {
    let id: String = read("id", &id)?;
    with_memory(env, &options, |memory| {
        let missing = || Error::NotFound {
            kind: "memory",
            id: id.chars().take(128).collect(),
        };
        Ok(detail_of(&memory.history(&id)?.ok_or_else(missing)?))
    })
}

fn detail_of(history: &History) -> MemoryDetail {
    let current = history.current();
    MemoryDetail {
        entry: hit_of(history, current),
        state: history.state().name().to_owned(),
        retired: history.retired.as_ref().map(Into::into),
        confirmations: count(history.confirmations),
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
        created_at: revision.created_at.clone(),
        expires_at: revision.expires_ms.map(format_iso),
        score: 0.0,
        matched: Vec::new(),
        freshness: None,
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
