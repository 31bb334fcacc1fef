//! Reading: recall, list, show.

use std::ffi::CStr;

use forge_memory_core::clock::format_iso;
use forge_memory_core::history::{History, Revision};
use forge_memory_core::{self as core, Error, ScopeFilter};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::error::{Result, to_js};
use crate::json::Answer;
use crate::projects::{with_memory, with_options};
use crate::reader::{Fields, text};
use crate::types::{
    MatchCounts, MemoryDetail, MemoryList, MemoryRevision, RecallHit, RecallOutcome, RecallText, scope_name,
};

/// Finds the records that answer a query, best first. Never throws for a query or for damaged data: it answers with an
/// empty list and a message. Throws `INVALID_INPUT` when an option is wrong.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RecallOptions",
    ts_return_type = "RecallOutcome"
)]
pub fn recall(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<RecallOutcome>> {
    // A query that is no text has no words.
    let query = text("query", &query).unwrap_or_default();
    let outcome = with_options(env, &options, RECALL, |memory, fields| {
        memory.recall(&query, &recall_options(fields)?).map_err(to_js)
    })?;
    Ok(Answer(RecallOutcome {
        query: outcome.query,
        hits: outcome.hits.into_iter().map(Into::into).collect(),
        searched: u32::try_from(outcome.searched).unwrap_or(u32::MAX),
        message: outcome.message,
    }))
}

/// Answers a query with a block of text, grouped by scope, the surest first. Never throws for a query or for damaged
/// data. Throws `INVALID_INPUT` when the scope is none.
#[napi(catch_unwind, ts_args_type = "input: RecallQuery, options?: ProjectOptions")]
pub fn memory_recall(env: &Env, input: Unknown, options: Unknown) -> Result<RecallText> {
    let fields = Fields::required("input", &input)?;
    fields.only(&[c"query", c"scope"])?;
    let query = fields.text(c"query").ok().flatten().unwrap_or_default();
    let scope = fields.text(c"scope")?;
    let answer = with_memory(env, &options, |memory, _| {
        memory.recall_text(&query, scope.as_deref()).map_err(to_js)
    })?;
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
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
    let (hits, total) = with_options(env, &options, RECALL, |memory, fields| {
        memory.list(&recall_options(fields)?).map_err(to_js)
    })?;
    Ok(Answer(MemoryList {
        entries: hits.into_iter().map(Into::into).collect(),
        total: u32::try_from(total).unwrap_or(u32::MAX),
    }))
}

/// Shows one record with all its revisions. A piece of an id, six characters or more, is enough when only one record
/// has it at its beginning or end. Throws `NOT_FOUND`, or `INVALID_INPUT` when several records have that piece.
#[napi(catch_unwind, ts_args_type = "id: string, options?: ProjectOptions")]
pub fn show_memory(env: &Env, id: Unknown, options: Unknown) -> Result<MemoryDetail> {
    let id = text("id", &id)?;
    let history = with_memory(env, &options, |memory, _| memory.history(&id).map_err(to_js))?;
    let missing = || {
        to_js(Error::NotFound {
            kind: "memory",
            id: id.chars().take(128).collect(),
        })
    };
    Ok(detail_of(&history.ok_or_else(missing)?))
}

/// What a recall and a list take.
const RECALL: &[&CStr] = &[
    c"scope",
    c"types",
    c"tags",
    c"limit",
    c"offset",
    c"since",
    c"minConfidence",
    c"includeExpired",
    c"at",
];

fn recall_options(fields: &Fields<'_>) -> Result<core::RecallOptions> {
    let scope = fields.text(c"scope")?;
    Ok(core::RecallOptions {
        scope: scope
            .as_deref()
            .map(ScopeFilter::parse)
            .transpose()
            .map_err(to_js)?
            .unwrap_or_default(),
        types: fields.texts(c"types")?.unwrap_or_default(),
        tags: fields.texts(c"tags")?.unwrap_or_default(),
        limit: fields.number(c"limit")?,
        offset: fields.number(c"offset")?,
        since: fields.text(c"since")?,
        min_confidence: fields.number(c"minConfidence")?,
        include_expired: fields.flag(c"includeExpired")?.unwrap_or(false),
        at: fields.text(c"at")?,
    })
}

fn detail_of(history: &History) -> MemoryDetail {
    let current = history.current();
    MemoryDetail {
        entry: hit_of(history, current),
        state: history.state().name().to_owned(),
        confirmations: u32::try_from(history.confirmations).unwrap_or(u32::MAX),
        record: current.line.clone(),
        revisions: history
            .revisions
            .iter()
            .enumerate()
            .map(|(at, revision)| revision_of(history, at, revision))
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
    }
}

fn revision_of(history: &History, at: usize, revision: &Revision) -> MemoryRevision {
    MemoryRevision {
        id: revision.id.clone(),
        text: revision.text.clone(),
        kind: revision.kind.clone(),
        created_at: revision.created_at.clone(),
        state: history.state_of(at).name().to_owned(),
        at: revision.ended_ms.map(format_iso),
    }
}
