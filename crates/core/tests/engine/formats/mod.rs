//! Stored files of this release and of earlier tools are read correctly and never rewritten.

mod first;
mod older;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Workshop, list_all};
use forge_memory_core::clock::Millis;
use forge_memory_core::recall::Mode;
use forge_memory_core::report::MemoryReport;
use forge_memory_core::{Memory, RecallHit, RecallOptions, Scope, ScopeFilter};

/// 2026-11-20T12:00:00Z.
const THEN: Millis = 1_795_176_000_000;

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../core/tests/data/formats")
        .join(name)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns every file below a folder with its bytes.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Opens a copy of stored files and reads all there is to read: nothing changes.
fn open_stored(name: &str) -> (Workshop, Memory) {
    let workshop = Workshop::at(THEN);
    for part in ["forge", "home"] {
        let target = if part == "forge" {
            workshop.forge()
        } else {
            workshop.home()
        };
        if stored(name).join(part).is_dir() {
            copy_folder(&stored(name).join(part), &target);
        }
    }
    let root = workshop.project().parent().unwrap().to_path_buf();
    let before = snapshot(&root);
    let mut memory = workshop.open();
    for query in ["pool", "Umlaute", "数据库", "the"] {
        memory.recall(query, &RecallOptions::default()).unwrap();
        memory.recall_text(query, (ScopeFilter::All, Mode::Auto)).unwrap();
    }
    for hit in list_all(&mut memory) {
        memory.history(&hit.id).unwrap().unwrap();
    }
    memory.report();
    memory.status();
    memory.diagnose();
    assert!(before == snapshot(&root), "reading has changed the files of {name}");
    (workshop, memory)
}

/// Returns the brief of a record: scope, type, text.
fn brief(hit: &RecallHit) -> (Scope, String, String) {
    (hit.scope, hit.kind.clone(), hit.text.clone())
}

fn briefs(hits: &[RecallHit]) -> Vec<(Scope, String, String)> {
    let mut briefs: Vec<_> = hits.iter().map(brief).collect();
    briefs.sort_by(|a, b| (a.0.name(), &a.1, &a.2).cmp(&(b.0.name(), &b.1, &b.2)));
    briefs
}

fn record(scope: Scope, kind: &str, text: &str) -> (Scope, String, String) {
    (scope, kind.into(), text.into())
}

fn find<'a>(hits: &'a [RecallHit], start: &str) -> &'a RecallHit {
    hits.iter().find(|hit| hit.text.starts_with(start)).unwrap()
}

/// Returns records and damaged lines of the files that are there.
fn counts(report: &MemoryReport) -> Vec<(&'static str, u64, u64)> {
    let there = report.files.iter().filter(|file| file.exists);
    there.map(|file| (file.name, file.records, file.unparsable)).collect()
}
