//! Lessons of agent loops: list, query, clear, add.

use forge_memory_ralph::{self as core, ClearOptions, Lessons};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, count};
use crate::error::{Problem, Result};
use crate::input::read;
use crate::projects::{names_project, with_memory, with_options};
use crate::types::CaptureOutcome;

/// Selects entries of agent loops.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RalphFilter {
    pub project_dir: Option<String>,
    /// Only entries of this loop, by its exact id; its own store is read as well.
    pub loop_id: Option<String>,
    /// Only entries created since then: ISO 8601, or an age such as `30m`, `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// `.aiwg/ralph/memory.json`, `.aiwg/ralph-external/memory.json`, or both. When absent: with a loop all stores, without one the first.
    #[napi(ts_type = "'global' | 'external' | 'all'")]
    pub store: Option<String>,
    /// Whether each entry contains its calendar day.
    pub days: Option<bool>,
}

/// The filter and the limit of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RalphQueryOptions {
    pub project_dir: Option<String>,
    /// Only entries of this loop, by its exact id.
    pub loop_id: Option<String>,
    /// Only entries created since then.
    pub since: Option<String>,
    /// As for `ralphList`.
    #[napi(ts_type = "'global' | 'external' | 'all'")]
    pub store: Option<String>,
    /// Whether each entry contains its calendar day.
    pub days: Option<bool>,
    /// The maximum number of entries, 1 to 100,000; 10 when absent.
    pub limit: Option<f64>,
}

/// Selects the entries to clear.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RalphClearOptions {
    pub project_dir: Option<String>,
    /// Only the entries of this loop; all when absent.
    pub loop_id: Option<String>,
    /// When absent: with a loop all stores, without one `.aiwg/ralph/memory.json` alone.
    #[napi(ts_type = "'global' | 'external' | 'all'")]
    pub store: Option<String>,
    /// Whether entries are only counted.
    pub dry_run: Option<bool>,
    /// Only those of the selected entries with these keys, which a dry run has returned, so that later entries stay.
    pub only: Option<Vec<String>>,
}

/// A lesson to add.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RalphAddition {
    /// What was learned, at most 65,536 bytes of UTF-8.
    pub lesson: String,
    /// `lesson_learned` when absent.
    #[napi(
        js_name = "type",
        ts_type = "'lesson_learned' | 'failure_pattern' | 'success_pattern'"
    )]
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The loop that learned it.
    pub loop_id: Option<String>,
    /// The number of the iteration.
    pub iteration: Option<f64>,
    /// Where it was learned, at most 4,096 bytes.
    pub context: Option<String>,
    /// At most 32 labels.
    pub tags: Option<Vec<String>>,
    /// The confidence, 0 to 1; 0.7 when absent.
    pub confidence: Option<f64>,
    /// `global` when absent.
    #[napi(ts_type = "'global' | 'external'")]
    pub store: Option<String>,
}

/// A lesson of a loop.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RalphEntry {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<f64>,
    /// The time of creation, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The calendar day of creation in UTC, when it was requested and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// `lesson_learned`, `failure_pattern`, `success_pattern`, or whatever was written.
    #[napi(js_name = "type")]
    #[serde(rename = "type")]
    pub kind: String,
    pub lesson: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    pub tags: Vec<String>,
    pub confidence: f64,
    /// The relevance, higher is better; only in answers to queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// The entries of the stores.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RalphList {
    /// The entries, newest first, those without a time last; ties are ordered by id.
    pub entries: Vec<RalphEntry>,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

/// The result of a search.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RalphAnswer {
    pub query: String,
    /// The entries, best first; ties are ordered by confidence, then newest first, then by id.
    pub entries: Vec<RalphEntry>,
    /// The total number of matching entries.
    pub total: f64,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

/// The entries of one loop.
#[napi(object, object_from_js = false)]
pub struct RalphLoopCount {
    /// The loop; empty for entries that name none.
    pub loop_id: String,
    pub entries: f64,
    /// The title of the loop, if its state has one.
    pub title: Option<String>,
    /// The day of its newest entry, in UTC.
    pub date: Option<String>,
}

/// The outcome of clearing.
#[napi(object, object_from_js = false)]
pub struct RalphClearOutcome {
    /// The number of selected entries.
    pub counted: f64,
    /// How many were deleted; 0 in a dry run.
    pub deleted: f64,
    /// The number of entries left in the shared stores of all loops; in a dry run, how many would be left.
    pub remaining: f64,
    /// The number of selected entries that are kept because they were added after the dry run.
    pub arrived: f64,
    /// The entries by loop, the one with the newest first.
    pub loops: Vec<RalphLoopCount>,
    /// The keys of the selected entries, for `only`.
    pub keys: Vec<String>,
    /// The stores that were changed; in a dry run, those that would be.
    pub stores: Vec<String>,
    /// True when no store exists.
    pub missing: bool,
    /// Warnings about invalid parts, which were skipped.
    pub warnings: Vec<String>,
}

/// The outcome of an addition.
#[napi(object, object_from_js = false)]
pub struct RalphAddOutcome {
    /// The id of the entry; for a duplicate, of the existing one.
    pub id: String,
    /// False when the store had it already.
    pub added: bool,
    pub deduped: bool,
    /// The id of the entry that it duplicates.
    pub duplicate_of: Option<String>,
    /// The cosine similarity to that entry, 0 to 1.
    pub similarity: Option<f64>,
    /// The number of redacted secrets.
    pub redactions: u32,
    /// The store, within the project.
    pub store: String,
    pub entry: RalphEntry,
    /// The outcome of its capture, when `.forge.json` has `"ralph": {"capture": true}`.
    pub capture: Option<CaptureOutcome>,
    /// Why the capture failed.
    pub capture_error: Option<Problem>,
}

/// Lists the lessons of agent loops, newest first. Throws `INVALID_INPUT` when the filter is invalid, `NOT_FOUND` for an
/// unknown loop, `CORRUPT`, `UNSUPPORTED` or `IO` when a store cannot be read.
#[napi(catch_unwind, ts_args_type = "options?: RalphFilter", ts_return_type = "RalphList")]
pub fn ralph_list(env: &Env, options: Unknown) -> Result<Answer<RalphList>> {
    with_options(env, &options, |memory, options: RalphFilter| {
        let has_days = options.days.unwrap_or(false);
        let outcome = Lessons::of(memory).list(&filter_of(options.loop_id, options.since, options.store))?;
        let entries = outcome.entries.into_iter();
        Ok(Answer(RalphList {
            entries: entries.map(|entry| entry_of(entry, None, has_days)).collect(),
            missing: outcome.missing,
            warnings: outcome.warnings,
        }))
    })
}

/// Searches the lessons of agent loops for the words of a query, also as substrings of other words, best first. Throws
/// `INVALID_INPUT` when the query is empty, otherwise as `ralphList`.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RalphQueryOptions",
    ts_return_type = "RalphAnswer"
)]
pub fn ralph_query(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<RalphAnswer>> {
    let query: String = read("query", &query)?;
    with_options(env, &options, |memory, options: RalphQueryOptions| {
        let has_days = options.days.unwrap_or(false);
        let filter = filter_of(options.loop_id, options.since, options.store);
        let outcome = Lessons::of(memory).query(Some(&query), options.limit, &filter)?;
        let hits = outcome.entries.into_iter();
        Ok(Answer(RalphAnswer {
            entries: hits.map(|hit| entry_of(hit.entry, Some(hit.score), has_days)).collect(),
            total: outcome.total as f64,
            missing: outcome.missing,
            warnings: outcome.warnings,
            query: query.clone(),
        }))
    })
}

/// Deletes the lessons of one loop or of all, without confirmation. Elements of a store that are not entries stay. Throws
/// as `ralphList`, and `LOCKED` or `IO` when a store cannot be rewritten.
#[napi(catch_unwind, ts_args_type = "options?: RalphClearOptions")]
pub fn ralph_clear(env: &Env, options: Unknown) -> Result<RalphClearOutcome> {
    with_options(env, &options, |memory, options: RalphClearOptions| {
        Lessons::of(memory).clear(&options.into()).map(cleared)
    })
}

/// Adds a lesson to a store, unless the store has a duplicate of the same type. Throws `INVALID_INPUT`, `CORRUPT`,
/// `UNSUPPORTED`, `LOCKED` or `IO`; nothing is written then.
#[napi(catch_unwind, ts_args_type = "entry: RalphAddition, options?: ProjectOptions")]
pub fn ralph_add(env: &Env, entry: Unknown, options: Unknown) -> Result<RalphAddOutcome> {
    let entry: RalphAddition = read("entry", &entry)?;
    let outcome = with_memory(env, &options, |memory| Lessons::of(memory).add(entry.into()))?;
    let (capture, failure) = match outcome.capture {
        Some(Ok(captured)) => (Some(captured.into()), None),
        Some(Err(error)) => (None, Some(Problem::from(&error))),
        None => (None, None),
    };
    let id = outcome.entry.id.clone();
    Ok(RalphAddOutcome {
        added: outcome.added,
        deduped: !outcome.added,
        duplicate_of: (!outcome.added).then(|| id.clone()),
        similarity: outcome.similarity,
        redactions: count(outcome.redactions),
        store: outcome.store,
        entry: entry_of(outcome.entry, None, false),
        capture,
        capture_error: failure,
        id,
    })
}

names_project!(RalphFilter, RalphQueryOptions, RalphClearOptions);

fn filter_of(loop_id: Option<String>, since: Option<String>, store: Option<String>) -> core::RalphFilter {
    core::RalphFilter { loop_id, since, store }
}

impl From<RalphAddition> for core::RalphAddInput {
    fn from(from: RalphAddition) -> Self {
        core::RalphAddInput {
            lesson: Some(from.lesson),
            kind: from.kind,
            loop_id: from.loop_id,
            iteration: from.iteration,
            context: from.context,
            tags: from.tags.unwrap_or_default(),
            confidence: from.confidence,
            store: from.store,
        }
    }
}

impl From<RalphClearOptions> for ClearOptions {
    fn from(from: RalphClearOptions) -> Self {
        ClearOptions {
            loop_id: from.loop_id,
            store: from.store,
            dry_run: from.dry_run.unwrap_or(false),
            only: from.only,
        }
    }
}

fn entry_of(from: core::RalphRecord, score: Option<f64>, has_day: bool) -> RalphEntry {
    RalphEntry {
        id: from.id,
        loop_id: from.loop_id,
        iteration: from.iteration,
        created_at: from.created_at,
        day: from.day.filter(|_| has_day),
        kind: from.kind,
        lesson: from.lesson,
        pattern: from.pattern,
        context: from.context,
        tags: from.tags,
        confidence: from.confidence,
        score,
    }
}

fn cleared(from: core::ClearOutcome) -> RalphClearOutcome {
    let loops = from.loops.into_iter().map(|count| RalphLoopCount {
        loop_id: count.loop_id,
        entries: count.entries as f64,
        title: count.title,
        date: count.date,
    });
    RalphClearOutcome {
        counted: from.counted as f64,
        deleted: from.deleted as f64,
        remaining: from.remaining as f64,
        arrived: from.arrived as f64,
        loops: loops.collect(),
        keys: from.keys,
        stores: from.stores,
        missing: from.missing,
        warnings: from.warnings,
    }
}
