//! The backups that rewrites of files leave beside them: `.migration-backup-<timestamp>` in `.forge/`, with the original bytes.

use rustc_hash::FxHashSet;

use super::layout::Layout;
use forge_memory_journal::{clean, each_line, write_file};
use forge_memory_record::error::Result;
use forge_memory_record::model::thought::{LineKind, read_line};

/// So few ids are looked for in the bytes of a file before its lines are parsed.
const FEW: usize = 8;
/// How the names of backups begin; a time follows.
pub const PREFIX: &str = ".migration-backup-";

/// The names of the backups, the oldest first.
pub fn folders_in(layout: &Layout) -> Vec<String> {
    let entries = layout.disk().list(layout.forge()).unwrap_or_default().into_iter();
    let folders = entries.filter(|entry| entry.is_folder);
    let names = folders.filter_map(|entry| entry.name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).collect();
    names.sort_unstable();
    names
}

/// Returns the files of all backups, relative to `.forge/`.
pub fn files_in_backups(layout: &Layout) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = folders_in(layout);
    while let Some(folder) = folders.pop() {
        for entry in layout.disk().list(&layout.path_of(&folder)).unwrap_or_default() {
            let name = format!("{folder}/{}", entry.name.to_string_lossy());
            if entry.is_folder {
                folders.push(name);
            } else if entry.is_file {
                files.push(name);
            }
        }
    }
    files
}

/// Removes the lines of forgotten records from the backups: a backup is there for damage, not to keep what a person wanted gone.
///
/// # Errors
/// `IO`.
pub fn forget_in_backups(layout: &Layout, ids: &FxHashSet<String>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    for name in files_in_backups(layout) {
        let old = layout.read(&name)?;
        let is_named = |id: &String| memchr::memmem::find(&old, id.as_bytes()).is_some();
        if ids.len() <= FEW && !ids.iter().any(is_named) {
            continue;
        }
        let is_of_record = |line: &[u8]| {
            let LineKind::Record(fields) = read_line(clean(line)) else {
                return false;
            };
            ids.contains(fields.id.as_ref())
        };
        let lines = each_line(&old).map(|(raw, _)| raw);
        let kept: Vec<&[u8]> = lines.filter(|raw| !is_of_record(raw)).collect();
        let kept = kept.concat();
        if kept.len() < old.len() {
            write_file(layout.disk().as_ref(), &layout.path_of(&name), &kept)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn a_forgotten_record_goes_from_the_backups_with_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(&Environment::new(
            folder.path().to_path_buf(),
            folder.path().join("home"),
        ));
        let line = |id: &str| {
            format!(
                "{{\"_v\":1,\"id\":\"{id}\",\"content\":\"about {id}\",\"type\":\"lesson\",\"capturedAt\":\"2026-01-01T00:00:01.000Z\"}}\n"
            )
        };
        for name in ["memory-captures.jsonl", "memory/project.jsonl"] {
            let path = layout.path_of(&format!("{PREFIX}2026/{name}"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, line("mem_one") + &line("mem_two")).unwrap();
        }
        forget_in_backups(&layout, &FxHashSet::from_iter(["mem_one".to_owned()])).unwrap();
        let files = files_in_backups(&layout);
        assert_eq!(files.len(), 2);
        for name in files {
            assert_eq!(layout.read(&name).unwrap(), line("mem_two").as_bytes());
        }
    }
}
