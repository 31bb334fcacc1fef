//! Which files there are, and what their records look like.

use std::path::Path;

use crate::journal::Disk;

/// What a file's records have besides `_v`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordShape {
    /// Thoughts: an `id`, and `captured_at`.
    Thoughts,
    /// Patterns: an `id`; `_v` stands behind the five keys of the older tool.
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

/// Lists the journals whose records carry `_v`, by name. Events and receipts of replays count their versions
/// otherwise, and the code graph is made anew.
pub(super) fn journals_in(disk: &dyn Disk, forge: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "memory", "telemetry"] {
        for entry in disk.list(&forge.join(folder)).unwrap_or_default() {
            let name = entry.name.to_string_lossy().into_owned();
            let foreign = ["hub-events", "openbrain-replay-", "."]
                .iter()
                .any(|start| name.starts_with(start));
            if foreign || !name.ends_with(".jsonl") || name == super::moves::OLD_LOG || !entry.is_file {
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
