//! What an import did.

use schemars::JsonSchema;
use serde::Serialize;

use super::projects::SourceProject;

/// `read` is the sum of `imported`, `duplicates` and `lost`; with `dryRun`, `imported` is how many would be imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ImportOutcome")]
pub struct ImportReport {
    /// `forge-memory`, `jsonl`, `forge`, `server-memory`, `aiwg`, `basic-memory`, `claude-mem`, `openbrain.db` or `shared store`.
    pub format: &'static str,
    /// True if nothing was written.
    pub dry_run: bool,
    /// Records of the source that are considered.
    pub read: u64,
    /// Records that are new here.
    pub imported: u64,
    /// Records that exist here, or occur twice in the source.
    pub duplicates: u64,
    /// The number of records that were written but were not found afterwards, by their hash.
    pub lost: u64,
    /// The number of records that the source itself has superseded or forgotten.
    pub retired: u64,
    /// The number of lines and rows of the source that are not records.
    pub unreadable: u64,
    /// The numbers of the first of these lines, from 1; none of a database or a folder.
    pub unreadable_lines: Vec<u64>,
    /// Secrets that were redacted.
    pub redactions: u64,
    /// The number of rulings on them that are new here.
    pub rulings: u64,
    /// The number of records of other projects, which are left out.
    pub left_out: u64,
    /// The projects in the source.
    pub projects: Vec<SourceProject>,
    /// The ids of the records that were stored.
    pub ids: Vec<String>,
    /// The records that imported ones have retired.
    pub replaced: Vec<Replacing>,
    /// The number of records that contradict one that was here, without taking its place: a person decides.
    pub in_conflict: u64,
    /// The number of records that wait for a review.
    pub proposed: u64,
}

/// A record that an imported one has retired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ImportedReplacement")]
pub struct Replacing {
    /// Its id.
    pub id: String,
    /// The imported record.
    pub by: String,
}
