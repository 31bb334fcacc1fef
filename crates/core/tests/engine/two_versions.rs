//! What another version of this program keeps beside ours, while both are used on one project.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::common::{Workshop, capture_lessons};
use forge_memory_core::index::index_folder;

/// So many captures that they are written to the index.
const MANY: usize = 1100;
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Folders as versions with other formats write them; the first formats had no number.
const THEIRS: [&str; 3] = ["memory-captures", "memory-captures.3", "memory-captures.1000"];

/// Writes an index of another version that was last written so long ago.
fn foreign_index(workshop: &Workshop, name: &str, age: Duration) -> PathBuf {
    let folder = workshop.forge().join("index").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("0-1-2.seg"), "a segment").unwrap();
    fs::write(folder.join("left.tmp"), "of a process").unwrap();
    fs::write(folder.join("manifest.json"), r#"{"format":1000,"segments":[]}"#).unwrap();
    let manifest = File::options().write(true).open(folder.join("manifest.json")).unwrap();
    manifest.set_modified(SystemTime::now() - age).unwrap();
    folder
}

fn files_in(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            let bytes = fs::read(&path).unwrap();
            (path, (bytes, modified))
        })
        .collect()
}

#[test]
fn the_index_of_another_version_is_neither_read_nor_changed() {
    let workshop = Workshop::new();
    let folders = THEIRS.map(|name| foreign_index(&workshop, name, 20 * DAY));
    let before = folders.each_ref().map(|folder| files_in(folder));
    let counts = workshop.forge().join("index/tallies.json");
    fs::write(&counts, "the counts of another version").unwrap();

    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    memory.settle().unwrap();
    assert_eq!(workshop.open().record_counts().memories, MANY);
    assert_eq!(folders.each_ref().map(|folder| files_in(folder)), before);
    assert_eq!(fs::read_to_string(&counts).unwrap(), "the counts of another version");
    assert!(
        index_folder(&workshop.forge(), "memory-captures")
            .join("manifest.json")
            .is_file()
    );
}

#[test]
fn an_index_that_no_version_has_written_for_a_month_is_removed() {
    let workshop = Workshop::new();
    let old = THEIRS.map(|name| foreign_index(&workshop, name, 31 * DAY));
    // Of another journal, of nothing that is known, and one in use.
    let kept = [
        foreign_index(&workshop, "memory-project.3", 31 * DAY),
        foreign_index(&workshop, "memory-captures.old", 31 * DAY),
        foreign_index(&workshop, "memory-captures.4", 29 * DAY),
    ];
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    memory.settle().unwrap();
    assert_eq!(old.map(|folder| folder.exists()), [false; 3]);
    assert_eq!(kept.map(|folder| folder.exists()), [true; 3]);
}
