//! Hints for agents, generated from the memory.

use std::collections::HashMap;

use forge_memory_core::sync::{SyncOptions, SyncedFile};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::count;
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

/// The outcome for one file.
#[napi(object, object_from_js = false)]
pub struct SyncedMemories {
    pub agent: String,
    /// The path within the project.
    pub path: String,
    /// Whether the file has changed.
    pub changed: bool,
    /// The number of hints in it.
    pub hints: u32,
    pub added: u32,
    /// The number of removed hints, whose record is forgotten, superseded or expired.
    pub removed: u32,
    /// The number of hints by section.
    pub sections: HashMap<String, u32>,
    /// The whole text; only in a dry run.
    pub content: Option<String>,
}

names_project!(SyncMemoriesOptions);

/// Writes decisions, lessons, gotchas, conventions and patterns to the files that agents read by themselves. What people
/// wrote there stays, and nothing changes when there is nothing new. Throws `INVALID_INPUT` or `IO`.
#[napi(catch_unwind, ts_args_type = "options?: SyncMemoriesOptions")]
pub fn sync_memories(env: &Env, options: Unknown) -> Result<Vec<SyncedMemories>> {
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
    .map(|files| files.into_iter().map(Into::into).collect())
}

impl From<SyncedFile> for SyncedMemories {
    fn from(file: SyncedFile) -> Self {
        SyncedMemories {
            agent: file.agent,
            path: file.path,
            changed: file.changed,
            hints: count(file.hints),
            added: count(file.added),
            removed: count(file.removed),
            sections: file.sections.into_iter().map(|(title, n)| (title, count(n))).collect(),
            content: file.content,
        }
    }
}
