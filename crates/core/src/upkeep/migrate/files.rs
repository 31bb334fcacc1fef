//! The files of a memory, and the shape of their records.

use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

use crate::journal::Disk;
use crate::observe::events::is_event_file;
use crate::outbox::OLDER_CAPTURES_FILE;
use crate::project::files::RECEIPT_PREFIX;

/// The shape of a file's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordShape {
    /// Thoughts: an `id`, and `captured_at`.
    Thoughts,
    /// Patterns: an `id`; `_v` follows the five keys of Plan Forge.
    Patterns,
    /// Anything else.
    Plain,
}

impl RecordShape {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "memory/project.jsonl" | "memory/global.jsonl" => RecordShape::Patterns,
            crate::project::layout::CAPTURES_FILE => RecordShape::Thoughts,
            _ if crate::model::thought::is_type_file(name) => RecordShape::Thoughts,
            _ => RecordShape::Plain,
        }
    }
}

/// Lists the journals whose records carry `_v`, by name. Replay receipts have a version number of their own, and the code graph is
/// rebuilt.
pub(super) fn journals_in(disk: &dyn Disk, forge: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "memory", "telemetry"] {
        for entry in disk.list(&forge.join(folder)).unwrap_or_default() {
            let name = entry.name.to_string_lossy().into_owned();
            let foreign = [RECEIPT_PREFIX, "."].iter().any(|start| name.starts_with(start))
                || (name.starts_with("hub-events") && !is_event_file(&name));
            if foreign || !name.ends_with(".jsonl") || name == OLDER_CAPTURES_FILE || !entry.is_file {
                continue;
            }
            names.push(if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            });
        }
    }
    names.sort_unstable();
    names
}

/// The outcome of a migration for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFate {
    /// All its records are of the latest version.
    Current,
    /// It is rewritten.
    Migrated,
    /// Its records go to another file.
    Moved,
    /// A newer version wrote it; it is not changed.
    Newer,
    /// Its contents do not match its name; it is not changed.
    Foreign,
}

/// The migration of a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileMigration {
    /// Its name within `.forge/`.
    pub name: String,
    /// `current`, `migrated`, `moved`, `newer` or `foreign`; the last two are left alone.
    pub fate: FileFate,
    /// The file to which its records move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its records.
    pub records: u64,
    /// The number of records that change or move.
    pub changed: u64,
    /// The number of lines that are not JSON objects, which are kept.
    pub unparsable: u64,
    /// Other changes, or why it is not changed.
    pub notes: Vec<String>,
}
