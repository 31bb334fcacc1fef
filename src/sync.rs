//! Hints for agents, generated from the memory.

use forge_memory_core::sync::{SyncOptions, SyncedFile};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;

use crate::answer::Answer;
use crate::error::Result;
use crate::projects::with_options;

/// Writes decisions, lessons, gotchas, conventions and patterns to the files that agents read by themselves. Texts of
/// people there stay, and nothing changes when there is nothing new. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: SyncMemoriesOptions",
    ts_return_type = "Array<SyncedMemories>"
)]
pub fn sync_memories(env: &Env, options: Unknown) -> Result<Answer<Vec<SyncedFile>>> {
    with_options(env, &options, |memory, options: SyncOptions| {
        memory.sync(&options).map(Answer)
    })
}
