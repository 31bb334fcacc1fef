//! Lessons of agent loops: list, query, clear, add.

use forge_memory_ralph::{
    ClearOptions, ClearOutcome, Lessons, ListOutcome, QueryOutcome, RalphAddInput, RalphAddOutcome, RalphFilter,
    RalphQueryOptions,
};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::{with_memory, with_options};

/// Lists the lessons of agent loops, newest first. Throws `INVALID_INPUT` when the filter is invalid, `NOT_FOUND` for an
/// unknown loop, `CORRUPT`, `UNSUPPORTED` or `IO` when a store cannot be read.
#[napi(catch_unwind, ts_args_type = "options?: RalphFilter", ts_return_type = "RalphList")]
pub fn ralph_list(env: &Env, options: Unknown) -> Result<Answer<ListOutcome>> {
    with_options(env, &options, |memory, options: RalphFilter| {
        Lessons::of(memory).list(&options).map(Answer)
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
        let filter = RalphFilter {
            loop_id: options.loop_id,
            since: options.since,
            store: options.store,
            days: options.days,
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
    with_options(env, &options, |memory, options: ClearOptions| {
        Lessons::of(memory).clear(&options).map(Answer)
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
    let entry: RalphAddInput = read("entry", &entry)?;
    with_memory(env, &options, |memory| Lessons::of(memory).add(entry).map(Answer))
}
