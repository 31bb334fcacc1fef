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
            crate::memory::CAPTURES_FILE => RecordShape::Thoughts,
            _ if is_type_file(name) => RecordShape::Thoughts,
            _ => RecordShape::Plain,
        }
    }
}

fn is_type_file(name: &str) -> bool {
    crate::thought::ROUTED_TYPES.iter().any(|(_, file)| *file == name)
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

/// Returns the lock of the files that are not written under the one of the raw log.
pub(super) fn own_lock(name: &str) -> Option<String> {
    let shared = name.starts_with("openbrain-")
        || name.starts_with("hub-events")
        || name.starts_with("telemetry/")
        || name == crate::memory::CAPTURES_FILE
        || is_type_file(name);
    (!shared).then(|| format!("{}.lock", name.trim_end_matches(".jsonl").replace('/', "-")))
}
