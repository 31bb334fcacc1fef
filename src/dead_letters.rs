//! Dead letters: records that could not be delivered to the shared store. List, retry, drop.

use forge_memory_core::anvil::{DeadLetter, Dropped, Retried};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::input::read;
use crate::projects::with_memory;

/// Lists the dead letters of a project, oldest first.
#[napi(
    catch_unwind,
    ts_args_type = "options?: ProjectOptions",
    ts_return_type = "Array<DeadLetter>"
)]
pub fn list_dead_letters(env: &Env, options: Unknown) -> Result<Answer<Vec<DeadLetter>>> {
    with_memory(env, &options, |memory| memory.dead_letters().map(Answer))
}

/// Puts dead letters back into the queue: those with these ids or keys, or all.
#[napi(
    catch_unwind,
    ts_args_type = "ids?: Array<string> | null, options?: ProjectOptions",
    ts_return_type = "RetryOutcome"
)]
pub fn retry_dead_letters(env: &Env, ids: Unknown, options: Unknown) -> Result<Answer<Retried>> {
    let ids: Option<Vec<String>> = read("ids", &ids)?;
    with_memory(env, &options, |memory| {
        memory.retry_dead_letters(ids.as_deref()).map(Answer)
    })
}

/// Deletes dead letters, by id or key.
#[napi(
    catch_unwind,
    ts_args_type = "ids: Array<string>, options?: ProjectOptions",
    ts_return_type = "DropOutcome"
)]
pub fn drop_dead_letters(env: &Env, ids: Unknown, options: Unknown) -> Result<Answer<Dropped>> {
    let ids: Vec<String> = read("ids", &ids)?;
    with_memory(env, &options, |memory| memory.drop_dead_letters(&ids).map(Answer))
}
