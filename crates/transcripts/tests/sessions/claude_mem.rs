//! The store of claude-mem: imported once, and left as it is.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use forge_memory_core::journal::OsDisk;
use forge_memory_core::journal::clock::SystemClock;
use forge_memory_core::transfer::{ImportOptions, ImportReport};
use forge_memory_core::{Environment, Error, Memory, RecallOptions};
use forge_memory_transcripts::read_database;

use import_check::check_with;

#[path = "../../../../fuzz/src/import.rs"]
#[allow(dead_code, clippy::expect_used)]
mod import_check;

fn open(folder: &Path) -> Memory {
    Memory::open(Environment {
        code_names: None,
        embedder: None,
        models: None,
        project_dir: folder.join("shop"),
        main: Default::default(),
        git_settings: Vec::new(),
        users: Vec::new(),
        home: folder.join("home"),
        clock: Arc::new(SystemClock),
        disk: Arc::new(OsDisk),
    })
}

fn import(memory: &mut Memory, path: &Path) -> Result<ImportReport, Error> {
    let options = ImportOptions {
        read_database: Some(read_database),
        ..ImportOptions::default()
    };
    memory.import(path, &options)
}

fn counts(report: &ImportReport) -> (u64, u64, u64, u64) {
    (report.read, report.imported, report.duplicates, report.lost)
}

fn write_store(path: &Path) {
    let store = rusqlite::Connection::open(path).unwrap();
    store
        .execute_batch(
            "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER);
             CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, learned TEXT, created_at TEXT);
             INSERT INTO observations VALUES (1,'s','shop',NULL,'bugfix','Pool leak','It leaked','[\"close it\",\"twice\"]','We found it.','[\"pool\"]','2026-04-01T10:00:00.000Z',1775037600000);
             INSERT INTO observations VALUES (2,'s','shop',NULL,'decision',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
             INSERT INTO session_summaries VALUES (1,'s','shop','Fix the pool','Pools leak','2026-04-01T10:00:00.000Z');",
        )
        .unwrap();
}

#[test]
fn observations_and_summaries_are_imported_and_the_store_is_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("shop")).unwrap();
    let path = folder.path().join("claude-mem.db");
    write_store(&path);
    let before = fs::read(&path).unwrap();
    let mut memory = open(folder.path());
    let report = import(&mut memory, &path).unwrap();
    assert_eq!(
        (report.format, counts(&report), report.unreadable),
        ("claude-mem", (2, 2, 0, 0), 1)
    );
    let hits = memory.recall("pool", &RecallOptions::default()).unwrap().hits;
    let mut said: Vec<String> = hits.iter().map(|hit| format!("{}: {}", hit.kind, hit.text)).collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            "bugfix: Pool leak\nIt leaked\nWe found it.\n- close it\n- twice",
            "summary: request: Fix the pool\nlearned: Pools leak",
        ]
    );
    assert_eq!(counts(&import(&mut memory, &path).unwrap()), (2, 0, 2, 0));
    assert_eq!(fs::read(&path).unwrap(), before);
    // Cut off in the middle.
    fs::write(&path, &before[..before.len() / 2]).unwrap();
    assert_eq!(import(&mut memory, &path).unwrap_err().code(), "CORRUPT");
}

/// Every database among the stored inputs of the fuzzer.
fn stored_databases() -> Vec<Vec<u8>> {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/inputs/import");
    let paths = fs::read_dir(inputs).unwrap().map(|entry| entry.unwrap().path());
    let all = paths.map(|path| fs::read(path).unwrap());
    all.filter(|bytes| bytes.starts_with(b"SQLite format 3")).collect()
}

#[test]
fn databases_are_taken_in_whole_or_refused_however_their_bytes_were_changed() {
    let stored = stored_databases();
    assert!(stored.len() >= 3);
    for sound in &stored {
        check_with(Some(read_database), sound);
        for step in 0..200_usize {
            let mut bytes = sound.clone();
            // All over the header, and at places all over the rest.
            let at = if step < 100 { step } else { step * 7919 % bytes.len() };
            bytes[at] ^= 1 << (step % 8);
            check_with(Some(read_database), &bytes);
        }
    }
}

#[test]
fn a_database_of_another_tool_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let store = rusqlite::Connection::open(&path).unwrap();
    store.execute_batch("CREATE TABLE notes (id INTEGER)").unwrap();
    let error = import(&mut open(folder.path()), &path).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED");
}
