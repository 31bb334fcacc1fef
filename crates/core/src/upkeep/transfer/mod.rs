//! Import and export: own exports, and the stores of other tools.

mod export;
mod import;
mod markdown;
mod projects;
mod read;
mod report;
mod tidy;

pub(crate) use export::export;
pub use export::{ExportFormat, ExportOptions, Exported};
pub use import::ImportOptions;
pub(crate) use import::Importer;
pub use projects::SourceProject;
pub use read::{Incoming, ReadDatabase, Reading, damaged, own_record, texts, unsupported};
pub use report::{ImportReport, Replacing};

/// The mark in the first line of an export.
pub(crate) const EXPORT_MARK: &str = "forge-memory/1";

use serde::{Deserialize, Serialize};

/// The head of an export: the number of records and a hash of the rest, to detect truncation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    #[serde(rename = "_export")]
    pub mark: String,
    pub project: String,
    pub at: String,
    pub records: u64,
    pub sha256: String,
}
