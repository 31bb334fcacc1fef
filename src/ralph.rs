//! Lessons of agent loops: list, query, clear, add.

use forge_memory_ralph::{
    self as core, ClearOptions, ClearOutcome, Lessons, ListOutcome, QueryOutcome, RalphAddOutcome,
};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{names_project, with_memory, with_options};

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

/// Lists the lessons of agent loops, newest first. Throws `INVALID_INPUT` when the filter is invalid, `NOT_FOUND` for an
/// unknown loop, `CORRUPT`, `UNSUPPORTED` or `IO` when a store cannot be read.
#[napi(catch_unwind, ts_args_type = "options?: RalphFilter", ts_return_type = "RalphList")]
pub fn ralph_list(env: &Env, options: Unknown) -> Result<Answer<ListOutcome>> {
    with_options(env, &options, |memory, options: RalphFilter| {
        Lessons::of(memory).list(&options.into()).map(Answer)
    })
}

/// Searches the lessons of agent loops for the words of a query, also as substrings of other words, best first. Throws
/// `INVALID_INPUT` when the query is empty, otherwise as `ralphList`.
#[napi(
    catch_unwind,
    ts_args_type = "query: string, options?: RalphQueryOptions",
    ts_return_type = "RalphAnswer"
)]
pub fn ralph_query(env: &Env, query: Unknown, options: Unknown) -> Result<Answer<QueryOutcome>> {
    let query: String = read("query", &query)?;
    with_options(env, &options, |memory, options: RalphQueryOptions| {
        let filter = core::RalphFilter {
            loop_id: options.loop_id,
            since: options.since,
            store: options.store,
            days: options.days.unwrap_or(false),
        };
        Lessons::of(memory)
            .query(Some(&query), options.limit, &filter)
            .map(Answer)
    })
}

/// Deletes the lessons of one loop or of all, without confirmation. Elements of a store that are not entries stay. Throws
/// as `ralphList`, and `LOCKED` or `IO` when a store cannot be rewritten.
#[napi(
    catch_unwind,
    ts_args_type = "options?: RalphClearOptions",
    ts_return_type = "RalphClearOutcome"
)]
pub fn ralph_clear(env: &Env, options: Unknown) -> Result<Answer<ClearOutcome>> {
    with_options(env, &options, |memory, options: RalphClearOptions| {
        Lessons::of(memory).clear(&options.into()).map(Answer)
    })
}

/// Adds a lesson to a store, unless the store has a duplicate of the same type. Throws `INVALID_INPUT`, `CORRUPT`,
/// `UNSUPPORTED`, `LOCKED` or `IO`; nothing is written then.
#[napi(
    catch_unwind,
    ts_args_type = "entry: RalphAddition, options?: ProjectOptions",
    ts_return_type = "RalphAddOutcome"
)]
pub fn ralph_add(env: &Env, entry: Unknown, options: Unknown) -> Result<Answer<RalphAddOutcome>> {
    let entry: RalphAddition = read("entry", &entry)?;
    with_memory(env, &options, |memory| {
        Lessons::of(memory).add(entry.into()).map(Answer)
    })
}

names_project!(RalphFilter, RalphQueryOptions, RalphClearOptions);

impl From<RalphFilter> for core::RalphFilter {
    fn from(from: RalphFilter) -> Self {
        core::RalphFilter {
            loop_id: from.loop_id,
            since: from.since,
            store: from.store,
            days: from.days.unwrap_or(false),
        }
    }
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
