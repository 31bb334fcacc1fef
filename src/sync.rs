//! Hints for agents, written out of the memory.

use std::collections::HashMap;

use forge_memory_core::sync::{SyncOptions, SyncedFile};
use napi::Env;
use napi::bindgen_prelude::Unknown;
use napi_derive::napi;
use serde::Deserialize;

use crate::answer::count;
use crate::error::Result;
use crate::projects::{names_project, with_options};

/// What is written out, and where to.
#[napi(object, object_to_js = false, object_from_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncMemoriesOptions {
    pub project_dir: Option<String>,
    /// `copilot` when absent.
    #[napi(ts_type = "'copilot' | 'claude' | 'cursor' | 'all'")]
    pub agent: Option<String>,
    /// Writes nothing, and returns the texts.
    pub dry_run: Option<bool>,
    /// How many hints a section has, 1 to 200; 10 when absent.
    pub limit: Option<f64>,
    /// Only newer records: ISO 8601, or an age such as `12h`, `7d`, `2w`.
    pub since: Option<String>,
    /// Another file for the hints, within the project; for one agent only. A Markdown file that is not there yet, or one that this
    /// function has written before.
    pub output: Option<String>,
    /// Whether `output` may be any other file of the project as well.
    pub force: Option<bool>,
}

/// What became of one file.
#[napi(object, object_from_js = false)]
pub struct SyncedMemories {
    pub agent: String,
    /// Within the project.
    pub path: String,
    /// Whether the file differs from before.
    pub changed: bool,
    /// How many hints it has now.
    pub hints: u32,
    pub added: u32,
    /// Hints that went because their record is forgotten, superseded or expired.
    pub removed: u32,
    /// Hints by section.
    pub sections: HashMap<String, u32>,
    /// The whole text; in a dry run only.
    pub content: Option<String>,
}

names_project!(SyncMemoriesOptions);

/// Writes decisions, lessons, gotchas, conventions and patterns out to the files that agents read by themselves. What people
/// wrote there stays; nothing changes when there is nothing new. Throws `INVALID_INPUT` or `IO`.
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
