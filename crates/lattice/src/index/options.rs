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
    /// Only files in or under these paths; the rest of the index stays. None when the list is empty.
    pub paths: Option<Vec<String>>,
    /// Only what changed since this revision of git. Untracked files count as changed.
    pub since: Option<String>,
    /// Maximum duration of the run in seconds (default: 600). Less if `.forge.json` says so.
    pub max_seconds: Option<f64>,
    /// Maximum memory of the run in MiB (default: 4096). Less if `.forge.json` says so.
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
