//! Hints for agents, generated from the memory.

use forge_memory_core::sync::{SyncOptions, SyncedFile};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::Answer;
use crate::error::Result;
use crate::projects::{names_project, with_options};

/// What is generated, and for which agent.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncMemoriesOptions {
    pub project_dir: Option<String>,
    /// `copilot` when absent.
    #[napi(
        ts_type = "'copilot' | 'claude' | 'cursor' | 'gemini' | 'qwen' | 'windsurf' | 'devin' | 'kiro' | 'cline' | 'roo' | 'continue' | 'junie' | 'all'"
    )]
    pub agent: Option<String>,
    /// Whether the texts are returned and nothing is written.
    pub dry_run: Option<bool>,
    /// The maximum number of hints per section, 1 to 200; 10 when absent.
    pub limit: Option<f64>,
    /// Only records captured since then: ISO 8601, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Another file for the hints, within the project; for one agent only. It must be a new Markdown file, or one that
    /// this function wrote before.
    pub output: Option<String>,
    /// Whether `output` may also be any other file of the project.
    pub force: Option<bool>,
}

names_project!(SyncMemoriesOptions);

/// Writes decisions, lessons, gotchas, conventions and patterns to the files that agents read by themselves. What people
/// wrote there stays, and nothing changes when there is nothing new. Throws `INVALID_INPUT` or `IO`.
#[napi(
    catch_unwind,
    ts_args_type = "options?: SyncMemoriesOptions",
    ts_return_type = "Array<SyncedMemories>"
)]
pub fn sync_memories(env: &Env, options: Unknown) -> Result<Answer<Vec<SyncedFile>>> {
    with_options(env, &options, |memory, from: SyncMemoriesOptions| {
        memory.sync(&SyncOptions {
            agent: from.agent,
            dry_run: from.dry_run.unwrap_or_default(),
            limit: from.limit,
            since: from.since,
            output: from.output,
            force: from.force.unwrap_or_default(),
        })
    })
    .map(Answer)
}
