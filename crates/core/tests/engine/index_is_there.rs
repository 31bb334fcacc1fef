//! The index is written by whoever has read the records, so that the next process reads few of them again.

use std::fs;
use std::path::{Path, PathBuf};

use forge_memory_core::{Memory, RecallOptions};
use serde_json::Value;

use crate::common::{Workshop, lesson, save_of};

/// The records that a process may read again when it opens a memory.
const TAIL_MAX: usize = 256;

/// The lines of lessons, as another program, a clone or a merge puts them there: without an index.
fn lines(count: usize) -> String {
    let source = Workshop::new();
    let mut memory = source.open();
    (0..count).for_each(|n| assert!(memory.capture(lesson(n)).unwrap().captured));
    fs::read_to_string(source.raw_log()).unwrap()
}

fn with_lines(lines: &str) -> Workshop {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    fs::write(workshop.raw_log(), lines).unwrap();
    workshop
}

/// One process asks one question, and runs the index work that has come together. Returns how much of that there was.
fn ask(workshop: &Workshop) -> usize {
    let mut memory: Memory = workshop.open();
    memory.recall("lesson", &RecallOptions::default()).unwrap();
    let counts = memory.record_counts();
    assert!(counts.memories > 0);
    let jobs = memory.take_jobs();
    for job in &jobs {
        job.run().unwrap();
    }
    memory.adopt().unwrap();
    assert_eq!(memory.record_counts(), counts);
    jobs.len()
}

fn manifest(workshop: &Workshop) -> Option<PathBuf> {
    let folders = fs::read_dir(workshop.forge().join("index")).ok()?;
    let mut paths = folders.map(|folder| folder.unwrap().path().join("manifest.json"));
    paths.find(|path| path.to_string_lossy().contains("memory-captures") && path.exists())
}

/// The records that every process reads again: those after the segments that are written and fit.
fn tail(workshop: &Workshop) -> usize {
    let end = manifest(workshop).map_or(0, |path| {
        let text: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        text["segments"]
            .as_array()
            .unwrap()
            .last()
            .map_or(0, |last| last["end"].as_u64().unwrap())
    });
    let log = fs::read(workshop.raw_log()).unwrap();
    log[end as usize..].iter().filter(|byte| **byte == b'\n').count()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()))
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn the_first_question_writes_what_it_has_read_and_the_second_reads_little_again() {
    let all = lines(6000);
    let upto = |count: usize| all.split_inclusive('\n').take(count).collect::<String>();
    for count in [1, 255, 256, 300, 1000, 1024, 4000, 4095, 6000] {
        let workshop = with_lines(&upto(count));
        ask(&workshop);
        assert!(tail(&workshop) < TAIL_MAX, "{count}: {} are left", tail(&workshop));
        assert_eq!(ask(&workshop), 0, "{count}");
    }
}

#[test]
fn records_that_others_append_are_written_once_there_are_many() {
    let all = lines(3000);
    let at = |count: usize| all.split_inclusive('\n').take(count).map(str::len).sum::<usize>();
    let workshop = with_lines(&all[..at(900)]);
    for count in [900, 1000, 1200, 1300, 2900, 3000] {
        fs::write(workshop.raw_log(), &all[..at(count)]).unwrap();
        ask(&workshop);
        assert!(tail(&workshop) < TAIL_MAX, "{count}: {} are left", tail(&workshop));
    }
}

#[test]
fn one_process_a_capture_leaves_few_records_unwritten() {
    let workshop = Workshop::new();
    for number in 0..600 {
        workshop.clock.advance(60_000);
        let mut memory = workshop.open();
        memory.capture(lesson(number)).unwrap();
        if number % 2 == 0 {
            memory.settle().unwrap();
        } else {
            for job in memory.take_jobs() {
                job.run().unwrap();
            }
        }
        assert!(tail(&workshop) <= TAIL_MAX, "{number}: {}", tail(&workshop));
    }
}

#[test]
fn the_index_of_a_moved_or_copied_folder_stays_valid() {
    let workshop = with_lines(&lines(2000));
    ask(&workshop);
    let written = fs::read(manifest(&workshop).unwrap()).unwrap();
    // Another folder of this machine, whose owner has the same key: other path, other inodes.
    let other = Workshop::new();
    copy(&workshop.home(), &other.home());
    copy(&workshop.forge(), &other.forge());
    assert_eq!(ask(&other), 0);
    assert_eq!(fs::read(manifest(&other).unwrap()).unwrap(), written);
    let third = Workshop::new();
    copy(&workshop.home(), &third.home());
    fs::rename(workshop.forge(), third.forge()).unwrap();
    assert_eq!(ask(&third), 0);
    assert_eq!(fs::read(manifest(&third).unwrap()).unwrap(), written);
    // Of another machine: it is written anew.
    let foreign = Workshop::new();
    copy(&third.forge(), &foreign.forge());
    ask(&foreign);
    assert_ne!(fs::read(manifest(&foreign).unwrap()).unwrap(), written);
    assert_eq!((tail(&foreign) < TAIL_MAX, ask(&foreign)), (true, 0));
}

#[test]
fn a_journal_that_a_merge_or_a_checkout_has_put_there_keeps_the_part_that_is_unchanged() {
    let all = lines(3000);
    let at = |count: usize| all.split_inclusive('\n').take(count).map(str::len).sum::<usize>();
    let workshop = with_lines(&all[..at(2000)]);
    ask(&workshop);
    // Another file with more lines at its end, with fewer, and with others at its beginning.
    for (what, text) in [
        ("merged", all.clone()),
        ("checked out", all[..at(1500)].to_owned()),
        ("rewritten", all[at(500)..].to_owned()),
    ] {
        let beside = workshop.forge().join("beside");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, workshop.raw_log()).unwrap();
        ask(&workshop);
        assert!(tail(&workshop) < TAIL_MAX, "{what}: {}", tail(&workshop));
        assert_eq!(ask(&workshop), 0, "{what}");
    }
    for file in ["removed", "damaged"] {
        let path = manifest(&workshop).unwrap();
        match file {
            "removed" => fs::remove_dir_all(path.parent().unwrap()).unwrap(),
            _ => fs::write(&path, "{").unwrap(),
        }
        ask(&workshop);
        assert!(tail(&workshop) < TAIL_MAX, "{file}");
    }
}

#[test]
fn the_patterns_of_a_user_are_indexed_by_readers_as_well() {
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    for number in 0..400 {
        let text = format!("Lesson {number} about topic {}", number * 7919);
        assert!(memory.save(save_of("global", "convention", &text)).unwrap().is_saved());
    }
    drop(memory);
    workshop.clock.advance(60_000);
    assert_eq!(ask(&workshop), 1);
    assert_eq!(ask(&workshop), 0);
}
