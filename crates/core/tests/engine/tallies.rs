//! The counts of a report are the same with and without the saved counts beside the index.

use std::fs;
use std::path::PathBuf;

use crate::common::{Workshop, capture_lessons, delete_index};
use forge_memory_core::index::index_folder;
use forge_memory_core::report::{Bucket, MemoryReport, SeriesOptions};
use forge_memory_core::{Memory, Result};

/// So many captures are more than a process keeps in memory without a job.
const MANY: usize = 1100;

fn kept(workshop: &Workshop) -> PathBuf {
    workshop.forge().join("index/tallies.2.json")
}

fn run_jobs(workshop: &Workshop, memory: &mut Memory) -> Result<()> {
    // Between records in a row, jobs wait.
    workshop.clock.advance(1000);
    for job in memory.take_jobs() {
        job.run()?;
    }
    memory.adopt()
}

fn counts(report: &MemoryReport) -> String {
    format!("{:?} {:?} {:?}", report.files, report.queue, report.telemetry)
}

#[test]
fn saved_counts_continue_incrementally_and_equal_a_full_count() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    run_jobs(&workshop, &mut memory).unwrap();
    assert!(kept(&workshop).is_file());
    capture_lessons(&mut memory, MANY..MANY + 30);
    let (warm, cold) = (memory.report(), workshop.open().report());
    delete_index(&workshop.forge());
    let from_nothing = workshop.open().report();
    assert_eq!(counts(&warm), counts(&from_nothing));
    assert_eq!(counts(&cold), counts(&from_nothing));
    assert_eq!(from_nothing.files[0].records as usize, MANY + 30);
    assert_eq!(from_nothing.telemetry.total as usize, MANY + 30);
    assert_eq!(from_nothing.queue.pending as usize, MANY + 30);
}

#[test]
fn counts_copied_from_another_machine_are_recomputed_on_settle() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    run_jobs(&workshop, &mut memory).unwrap();
    let before = fs::read(kept(&workshop)).unwrap();
    fs::copy(workshop.raw_log(), workshop.forge().join("copy")).unwrap();
    fs::rename(workshop.forge().join("copy"), workshop.raw_log()).unwrap();
    workshop.open().settle().unwrap();
    assert_ne!(fs::read(kept(&workshop)).unwrap(), before);
    assert_eq!(workshop.open().report().files[0].records as usize, MANY);
}

#[test]
fn a_report_writes_nothing() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..3);
    memory.report();
    assert!(!kept(&workshop).exists());
}

#[test]
fn saved_counts_of_another_file_and_damaged_ones_are_ignored() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    run_jobs(&workshop, &mut memory).unwrap();
    let raw = fs::read_to_string(workshop.raw_log()).unwrap();
    let half: String = raw.lines().take(MANY / 2).map(|line| format!("{line}\n")).collect();
    fs::remove_file(workshop.raw_log()).unwrap();
    fs::write(workshop.raw_log(), half).unwrap();
    assert_eq!(workshop.open().report().files[0].records as usize, MANY / 2);
    for damaged in [
        "",
        "{",
        "[]",
        "{\"format\":1}",
        "{\"format\":99,\"files\":{}}",
        "{\"format\":1,\"files\":{\"memory-captures.jsonl\":{}}}",
    ] {
        fs::write(kept(&workshop), damaged).unwrap();
        assert_eq!(
            workshop.open().report().files[0].records as usize,
            MANY / 2,
            "{damaged}"
        );
    }
}

#[test]
fn foreign_counts_are_ignored() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..MANY);
    run_jobs(&workshop, &mut memory).unwrap();
    let ours = fs::read_to_string(kept(&workshop)).unwrap();
    let forged = ours.replace(&format!("\"records\":{MANY}"), "\"records\":7");
    assert_ne!(forged, ours);
    fs::write(kept(&workshop), forged).unwrap();
    assert_eq!(workshop.open().report().files[0].records as usize, MANY);
}

#[test]
fn an_index_from_a_clone_cannot_hide_records() {
    let theirs = Workshop::new();
    let mut memory = theirs.open();
    capture_lessons(&mut memory, 0..MANY);
    let hidden = crate::common::list_all(&mut memory).remove(0);
    let mark = fs::metadata(theirs.raw_log()).unwrap().len() as usize;
    memory.forget(&hidden.id).unwrap();
    memory.settle().unwrap();
    // The journal says no more that the record is gone; the index still does, with hashes that fit.
    let mut log = fs::read(theirs.raw_log()).unwrap();
    let end = log.len() - 1;
    log[mark..end].fill(b' ');
    let folder = index_folder(&theirs.forge(), "memory-captures");
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let segment = manifest["segments"].as_array_mut().unwrap().last_mut().unwrap();
    let start = segment["start"].as_u64().unwrap() as usize;
    assert_eq!(segment["end"].as_u64().unwrap() as usize, log.len());
    let tail = log.len().saturating_sub(4096).max(start);
    segment["source_hash"] = xxhash_rust::xxh3::xxh3_64(&log[start..]).into();
    segment["tail_hash"] = xxhash_rust::xxh3::xxh3_64(&log[tail..]).into();
    manifest.as_object_mut().unwrap().remove("_mark");

    let ours = Workshop::new();
    let copy = index_folder(&ours.forge(), "memory-captures");
    fs::create_dir_all(&copy).unwrap();
    fs::write(ours.raw_log(), &log).unwrap();
    for entry in fs::read_dir(&folder).unwrap().flatten() {
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    fs::write(copy.join("manifest.json"), manifest.to_string()).unwrap();
    let mut memory = ours.open();
    assert!(
        crate::common::list_all(&mut memory)
            .iter()
            .any(|hit| hit.id == hidden.id)
    );
    memory.settle().unwrap();
    assert!(
        crate::common::list_all(&mut ours.open())
            .iter()
            .any(|hit| hit.id == hidden.id)
    );
}

#[test]
fn a_folder_deleted_under_a_running_process_gets_its_gitignore_again() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..3);
    fs::remove_dir_all(workshop.forge()).unwrap();
    capture_lessons(&mut memory, 10..11);
    assert!(workshop.forge().join(".gitignore").is_file());
    fs::remove_dir_all(workshop.forge()).unwrap();
    memory
        .save(crate::common::save_of(
            "project",
            "architecture",
            "one pool per process",
        ))
        .unwrap();
    assert!(workshop.forge().join(".gitignore").is_file());
}

#[test]
fn the_series_is_recomputed_when_the_telemetry_was_rewritten_in_place() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    capture_lessons(&mut memory, 0..5);
    let total = |memory: &mut Memory| -> u64 {
        let series = memory
            .series(&SeriesOptions {
                bucket: Bucket::Hour,
                since: Some("1d".to_owned()),
                ..SeriesOptions::default()
            })
            .unwrap();
        series.points.iter().map(|point| point.total).sum()
    };
    assert_eq!(total(&mut memory), 5);
    let path = workshop.forge().join("telemetry/memory-captures.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let kept = text.lines().next().unwrap();
    // The same file, longer than it was, with other records in it.
    let more = format!("{kept}\n").repeat(20);
    fs::write(&path, more).unwrap();
    assert_eq!(total(&mut memory), 20);
    assert_eq!(total(&mut workshop.open()), 20);
}
