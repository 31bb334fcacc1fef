//! A whole index folder that is not what it was: no answer may depend on it, and no call may fail because of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use forge_memory_core::index::{Catalog, Family, JournalIndex};
use forge_memory_core::journal::{Disk, Journal, OsDisk};
use forge_memory_core::{CaptureInput, Environment, Memory, RecallOptions, RecallOutcome};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::edits::{edit, seal};

/// A journal, the manifest of its index, and its one segment.
struct Sample {
    journal: String,
    manifest: Vec<u8>,
    segment_name: String,
    segment: Vec<u8>,
}

const TEXTS: [&str; 8] = [
    "Always close the pool after integration tests",
    "Never close the pool after integration tests",
    "The cache keeps entries for an hour",
    "кэш и очередь",
    "数据库连接池",
    "HTTPServer restarts on E1042",
    "Größe in Bytes",
    "close the pool",
];

fn journal_text() -> String {
    let mut text = String::new();
    for (number, content) in TEXTS.iter().enumerate() {
        text.push_str(&format!(
            "{{\"_v\":1,\"id\":\"mem_{number}\",\"content\":\"{content}\",\"project\":\"shop\",\"type\":\"lesson\",\"captured_at\":\"2026-11-20T10:00:0{number}.000Z\",\"tags\":[\"ci\"]}}\n"
        ));
    }
    text.push_str("{\"_v\":1,\"_action\":\"delete\",\"id\":\"mem_7\",\"at\":\"2026-11-20T11:00:00.000Z\"}\n");
    text.push_str("{\"_v\":1,\"_action\":\"confirm\",\"id\":\"mem_elsewhere\",\"at\":\"2026-11-20T11:00:00.000Z\"}\n");
    text
}

fn log_in(root: &Path) -> PathBuf {
    root.join("shop/.forge/memory-captures.jsonl")
}

fn index_in(root: &Path) -> PathBuf {
    root.join("shop/.forge/index/memory-captures")
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let log = log_in(folder.path());
        fs::create_dir_all(log.parent().expect("a parent")).expect("a folder");
        fs::write(&log, journal_text()).expect("a file");
        let disk: Arc<dyn Disk> = Arc::new(OsDisk);
        let index = index_in(folder.path());
        let catalog = Catalog::new(Arc::clone(&disk), index.clone(), folder.path().join("index.lock"));
        let mut journal = Journal::new(disk, log, folder.path().join("journal.lock"));
        let mut journal_index = JournalIndex::new(Family::Thoughts, 0.9, Some(catalog));
        journal_index.refresh(&mut journal).expect("a journal");
        assert!(
            journal_index
                .whole_job(&journal)
                .expect("work")
                .run()
                .expect("a segment")
        );
        let manifest = fs::read(index.join("manifest.json")).expect("a manifest");
        let value: Value = serde_json::from_slice(&manifest).expect("JSON");
        let segment_name = value["segments"][0]["name"].as_str().expect("a name").to_owned();
        Sample {
            journal: journal_text(),
            segment: fs::read(index.join(&segment_name)).expect("a segment"),
            manifest,
            segment_name,
        }
    })
}

/// Returns the bytes of a segment as it should be.
pub(crate) fn sample_segment() -> Vec<u8> {
    sample().segment.clone()
}

/// Makes the folders with this manifest and this segment.
fn furnish(root: &Path, manifest: &[u8], segment: &[u8]) {
    let index = index_in(root);
    fs::create_dir_all(&index).expect("a folder");
    // It is there, or the first capture would write it and wait for the disk.
    fs::write(root.join("shop/.forge/.gitignore"), "/index/\n").expect("a list");
    fs::write(log_in(root), &sample().journal).expect("a journal");
    fs::write(index.join("manifest.json"), manifest).expect("a manifest");
    fs::write(index.join(&sample().segment_name), segment).expect("a segment");
}

fn open(root: &Path) -> Memory {
    Memory::open(Environment::new(root.join("shop"), root.join("home")))
}

fn ask(memory: &mut Memory) -> Vec<RecallOutcome> {
    let everything = RecallOptions {
        include_expired: true,
        ..RecallOptions::default()
    };
    let ask = |query: &&str| memory.recall(query, &everything).expect("an answer");
    ["pool", "кэш", "数据", "E1042 Größe"].iter().map(ask).collect()
}

/// Returns the answers when there is no index at all.
fn plain_answers() -> &'static Vec<RecallOutcome> {
    static ANSWERS: OnceLock<Vec<RecallOutcome>> = OnceLock::new();
    ANSWERS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        furnish(folder.path(), b"", b"");
        ask(&mut open(folder.path()))
    })
}

/// The first byte says what is edited: the manifest's text, or the segment with a manifest that knows of it.
pub fn check(input: &[u8]) {
    let Some((kind, changes)) = input.split_first() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let sample = sample();
    if kind % 4 == 0 {
        damage_segment(folder.path(), changes);
    } else {
        let mut manifest = sample.manifest.clone();
        match kind % 4 {
            1 => edit(&mut manifest, changes),
            _ => manifest = changes.to_vec(),
        }
        furnish(folder.path(), &manifest, &sample.segment);
        let mut memory = open(folder.path());
        assert_eq!(&ask(&mut memory), plain_answers(), "an answer depends on the index");
        check_writing(&mut memory, changes);
    }
}

/// Somebody who knows every hash can hide records, but not break anything.
fn damage_segment(root: &Path, changes: &[u8]) {
    let mut segment = sample().segment.clone();
    edit(&mut segment, changes);
    seal(&mut segment);
    let mut manifest: Value = serde_json::from_slice(&sample().manifest).expect("JSON");
    manifest["segments"][0]["hash"] = xxh3_64(&segment).into();
    furnish(root, manifest.to_string().as_bytes(), &segment);
    let mut memory = open(root);
    ask(&mut memory);
    memory.list(&RecallOptions::default()).expect("a list");
    for number in 0..TEXTS.len() {
        memory.history(&format!("mem_{number}")).expect("a history");
    }
    check_writing(&mut memory, changes);
}

/// A capture makes many files, which costs more than all the rest: some of the inputs must do.
fn check_writing(memory: &mut Memory, changes: &[u8]) {
    if !changes.len().is_multiple_of(8) {
        return;
    }
    let input = CaptureInput {
        kind: Some("lesson".into()),
        body: Some("learned whatever the index is like".into()),
        ..CaptureInput::default()
    };
    let outcome = memory.capture(input).expect("a good input");
    assert!(outcome.captured, "{:?}", outcome.tiers.files.error);
    memory.settle().expect("an index");
    let hits = memory
        .recall("learned whatever", &RecallOptions::default())
        .expect("an answer")
        .hits;
    assert_eq!(hits.len(), 1);
}
