//! The options of a run, and its outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::budget::Limit;

/// The scope and the limits of a run.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "LatticeIndexOptions")]
pub struct IndexOptions {
    /// Only files in or under these paths; all when absent, none when empty.
    pub paths: Option<Vec<String>>,
    /// Only files that differ from this revision, and untracked ones.
    pub since: Option<String>,
    /// The time limit in seconds; 600 when absent, or less if `.forge.json` says so.
    pub max_seconds: Option<f64>,
    /// The memory limit in MiB; 4,096 when absent, or less if `.forge.json` says so.
    pub max_memory_mb: Option<f64>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LatticeIndexOutcome")]
pub struct IndexOutcome {
    /// The number of files in the index.
    pub files_indexed: usize,
    /// How many of them were parsed by this run.
    pub files_changed: usize,
    /// How many files were removed from the index.
    pub files_removed: usize,
    /// How many files were skipped.
    pub files_skipped: usize,
    /// The number of skipped files by reason: large, minified, binary, unreadable, unparsed, limit.
    pub skipped: BTreeMap<&'static str, usize>,
    /// The number of chunks in the index.
    pub chunks: usize,
    /// The number of edges in the index.
    pub edges: usize,
    /// The limit that the run reached, so that something was left out; absent when none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}
