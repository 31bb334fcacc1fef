//! Concurrent writers: threads, processes, and processes that die while holding the lock.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::lines::{lines, live_texts, objects};
use crate::common::{Workshop, capture_of, save_of, times_recalled};
use forge_memory_core::journal::{Journal, LockFile, OsDisk};
use forge_memory_core::{Environment, Error, Memory};
use forge_memory_test_disk::{Fault, FaultyDisk, Operation};

const CHILD_FOLDER: &str = "FORGE_TEST_CHILD_FOLDER";

/// Starts this program again, to run only the test `name` of this file, which then plays the other process.
fn start_child(name: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("locks::{name}"), "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .stdout(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns what the child says behind `mark`, line by line; the test harness says things as well.
fn said(child: &mut Child, mark: &'static str) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines
        .map_while(Result::ok)
        .filter_map(move |line| Some(line.split_once(mark)?.1.to_owned()))
}

fn lock_in(folder: &Path) -> LockFile {
    LockFile::new(Arc::new(OsDisk), folder.join("locks/a.lock"))
}

#[test]
fn a_lock_ends_with_the_process_that_holds_it() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        let _held = lock_in(Path::new(&folder)).guard().unwrap();
        println!("\nHELD ");
        // Until the end of the input, which does not come.
        let _ = std::io::stdin().read_line(&mut String::new());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = start_child("a_lock_ends_with_the_process_that_holds_it", folder.path());
    let mut words = said(&mut child, "HELD");
    words.next().unwrap();
    let lock = lock_in(folder.path());
    let error = lock.acquire_within(Duration::from_millis(20)).unwrap_err();
    assert_eq!(error.code(), "LOCKED");
    assert!(error.to_string().contains("a.lock"), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    lock.acquire_within(Duration::from_millis(20)).unwrap();
}

fn open_in(folder: &Path) -> Memory {
    Memory::open(Environment::new(folder.join("shop"), folder.join("home")))
}

#[test]
fn acknowledged_records_survive_a_killed_process() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        let mut memory = open_in(Path::new(&folder));
        for number in 0.. {
            let text = format!("child {} learned {number}", std::process::id());
            assert!(memory.capture(capture_of("lesson", &text)).unwrap().captured);
            println!("\nSTORED {text}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    for round in 1..=12 {
        let mut child = start_child("acknowledged_records_survive_a_killed_process", folder.path());
        let mut stored = said(&mut child, "STORED ");
        told.extend(stored.by_ref().take(round * 7));
        child.kill().unwrap();
        // What it said before it died counts as well.
        told.extend(stored);
        child.wait().unwrap();
    }
    let log = folder.path().join("shop/.forge/memory-captures.jsonl");
    let live = live_texts(&log);
    let mut memory = open_in(folder.path());
    for text in &told {
        assert_eq!(live.get(text), Some(&1), "{text}");
    }
    for text in told.iter().step_by(29) {
        assert_eq!(times_recalled(&mut memory, text), 1, "{text}");
    }
    let torn = lines(&log).len() - objects(&log).len();
    println!(
        "killed 12 processes: lost 0 of {} acknowledged captures, {torn} torn lines",
        told.len()
    );
    assert!(told.len() >= 12 * 13 / 2 * 7 && torn <= 12);
}

const THREADS: usize = 8;
const EACH: usize = 500;

/// Captures and saves what only this thread knows, and what all of them find out at the same time.
fn work_alone(workshop: &Workshop, thread: usize, shared_stored: &AtomicUsize) -> Vec<String> {
    let mut memory = workshop.open();
    let mut stored = Vec::new();
    for number in 0..EACH {
        let text = format!(
            "thread{thread} found fact{number} on its own in file{}",
            number * THREADS + thread
        );
        let outcome = memory.capture(capture_of("lesson", &text)).unwrap();
        assert!(outcome.captured, "{:?}", outcome.tiers);
        assert!(outcome.tiers.hub.is_ok() && outcome.tiers.files.is_ok() && outcome.tiers.openbrain.is_ok());
        stored.push(outcome.thought.id);
        if number % 10 == 0 {
            let shared = format!("everybody notices event{number} by itself");
            let outcome = memory.capture(capture_of("gotcha", &shared)).unwrap();
            shared_stored.fetch_add(usize::from(outcome.captured), Ordering::Relaxed);
            assert!(outcome.captured != outcome.deduped);
            let pattern = save_of("project", "tool_usage", &format!("tool{} needs flag", number));
            shared_stored.fetch_add(usize::from(memory.save(pattern).unwrap().is_saved()), Ordering::Relaxed);
            let own = save_of("global", "tool_usage", &format!("thread{thread} likes flag{number}"));
            assert!(memory.save(own).unwrap().is_saved());
        }
    }
    stored
}

/// Rewrites the raw log again and again, as a compaction would, while the others write.
fn rewrite_concurrently(workshop: &Workshop, running: &AtomicUsize) -> usize {
    let lock = workshop.forge().join("locks/memory-captures.lock");
    let mut journal = Journal::new(Arc::new(OsDisk), workshop.raw_log(), lock);
    let mut rewritten = 0;
    while running.load(Ordering::Relaxed) > 0 {
        journal.replace::<Error>(|old| Ok(Some(old.to_vec()))).unwrap();
        rewritten += 1;
        let mut memory = workshop.open();
        memory.settle().unwrap();
        memory.recall("event", &Default::default()).unwrap();
    }
    rewritten
}

#[test]
fn eight_threads_lose_and_duplicate_no_records() {
    let workshop = Workshop::with_config("{\"redact\":false}");
    let (shared_stored, running) = (AtomicUsize::new(0), AtomicUsize::new(THREADS));
    let (ids, rewritten) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (workshop, shared_stored, running) = (&workshop, &shared_stored, &running);
                scope.spawn(move || {
                    let stored = work_alone(workshop, thread, shared_stored);
                    running.fetch_sub(1, Ordering::Relaxed);
                    stored
                })
            })
            .collect();
        let rewriter = scope.spawn(|| rewrite_concurrently(&workshop, &running));
        let ids: Vec<String> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        (ids, rewriter.join().unwrap())
    });
    let shared = EACH / 10;
    assert_eq!(shared_stored.into_inner(), 2 * shared, "what all know is stored once");
    let ids: BTreeSet<String> = ids.into_iter().collect();
    assert_eq!(ids.len(), THREADS * EACH);
    let wanted = THREADS * EACH + shared;
    for (file, count) in [
        ("memory-captures.jsonl", wanted),
        ("openbrain-queue.jsonl", wanted),
        ("lessons.jsonl", THREADS * EACH),
        ("gotchas.jsonl", shared),
        ("memory/project.jsonl", shared),
    ] {
        let path = workshop.forge().join(file);
        let texts = live_texts(&path);
        assert_eq!((texts.len(), texts.values().sum::<usize>()), (count, count), "{file}");
        assert_eq!(lines(&path).len(), objects(&path).len(), "{file} has damaged lines");
    }
    assert_eq!(live_texts(&workshop.global_patterns()).len(), THREADS * shared);
    let events = objects(&workshop.forge().join("hub-events.jsonl"));
    let numbers: BTreeSet<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(numbers.len(), events.len(), "a sequence number comes twice");
    assert_eq!(events.len(), THREADS * (EACH + shared));
    let totals = workshop.open().capture_totals();
    assert_eq!(
        (totals.total, totals.deduped),
        ((THREADS * (EACH + shared)) as u64, ((THREADS - 1) * shared) as u64)
    );
    println!(
        "{} captures by {THREADS} threads: lost 0, doubled 0, {rewritten} rewrites meanwhile",
        events.len()
    );
    assert!(rewritten > 0);
}

#[test]
fn a_writer_without_the_lock_reports_it_and_writes_nothing() {
    let workshop = Workshop::new();
    workshop.open().capture(capture_of("lesson", "known before")).unwrap();
    workshop
        .open()
        .save(save_of("project", "tool_usage", "saved before"))
        .unwrap();
    let before = (lines(&workshop.raw_log()), lines(&workshop.patterns()));
    let held: Vec<LockFile> = ["memory-captures", "memory-project"]
        .iter()
        .map(|name| LockFile::new(Arc::new(OsDisk), workshop.forge().join(format!("locks/{name}.lock"))))
        .collect();
    held.iter().for_each(|lock| lock.acquire().unwrap());
    // Each waits for ten seconds, all at the same time.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let outcome = workshop.open().capture(capture_of("lesson", "too late")).unwrap();
            assert!(!outcome.captured && !outcome.deduped);
            let tiers = outcome.tiers;
            for error in [tiers.hub.error, tiers.files.error, tiers.openbrain.error] {
                assert_eq!(error.unwrap().code(), "LOCKED");
            }
        });
        scope.spawn(|| {
            let error = workshop
                .open()
                .save(save_of("project", "tool_usage", "too late"))
                .unwrap_err();
            assert_eq!(error.code(), "LOCKED");
        });
        scope.spawn(|| {
            let mut memory = workshop.open();
            let id = memory.recall("known", &Default::default()).unwrap().hits[0].id.clone();
            assert_eq!(memory.forget(&id).unwrap_err().code(), "LOCKED");
        });
    });
    assert_eq!((lines(&workshop.raw_log()), lines(&workshop.patterns())), before);
    drop(held);
    assert_eq!(times_recalled(&mut workshop.open(), "known before"), 1);
    assert!(
        workshop
            .open()
            .capture(capture_of("lesson", "in time"))
            .unwrap()
            .captured
    );
}

#[test]
fn a_deleted_lock_file_neither_blocks_nor_admits_two_holders() {
    let workshop = Workshop::new();
    let watched = FaultyDisk::of(Fault::NONE);
    let tries = || {
        watched
            .operations()
            .iter()
            .filter(|done| **done == Operation::TryLock)
            .count()
    };
    let mut one = workshop.open_on(Arc::new(watched.clone()));
    one.capture(capture_of("lesson", "before the lock went")).unwrap();
    // `git clean -X` deletes the lock files of running programs.
    std::fs::remove_dir_all(workshop.forge().join("locks")).unwrap();
    let mut other = workshop.open();
    other
        .capture(capture_of("lesson", "from a program that started later"))
        .unwrap();
    let path = workshop.forge().join("locks/memory-captures.lock");
    let held = LockFile::new(Arc::new(OsDisk), path);
    held.acquire().unwrap();
    let before = tries();
    std::thread::scope(|scope| {
        let late = scope.spawn(|| {
            one.capture(capture_of("lesson", "by the program whose lock went"))
                .unwrap()
        });
        // It has come to the lock that is there now, and to it again.
        while tries() < before + 20 && !late.is_finished() {
            std::thread::yield_now();
        }
        assert!(!late.is_finished(), "it does not wait for the lock that is there now");
        held.release();
        assert!(late.join().unwrap().captured);
    });
    assert_eq!(live_texts(&workshop.raw_log()).len(), 3);
}
