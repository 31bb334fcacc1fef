//! Maintenance: verification, repair, compaction, migration, merge, import and export.

pub mod audit;
pub mod background;
pub(crate) mod backup;
pub mod compact;
pub(crate) mod disagreements;
pub(crate) mod forgotten;
pub mod heal;
pub mod merge;
pub mod migrate;
pub mod progress;
pub mod repair;
pub(crate) mod restore;
pub mod transfer;
pub mod verify;

use schemars::JsonSchema;
use serde::Deserialize;

/// How a work on the files is done.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DryRunOptions {
    /// Whether changes are only reported.
    pub dry_run: bool,
}
