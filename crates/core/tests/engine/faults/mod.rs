//! Fault injection: every disk operation fails once, alone or with all later ones, and no acknowledged record is lost, duplicated, or
//! restored after it was forgotten.

mod check;
mod findings;
mod run;

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use crate::common::{Workshop, capture_of};
use check::{check, check_same_answers, retry};
use findings::Findings;
use forge_memory_core::journal::Disk;
use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn};
use run::{Ledger, Run};

/// All write operations, in an order in which each step builds on others.
fn work(run: &mut Run<'_>) {
    run.capture("lesson", "Always close the pool after integration tests");
    run.capture("lesson", "Never share the pool between integration tests");
    run.capture_again(
        "lesson",
        "always close the POOL after integration tests",
        "Always close the pool after integration tests",
    );
    run.recall("integration pool");
    run.capture("gotcha", "Windows runners need short temporary paths");
    run.save("project", "npm test -- --runInBand");
    run.save("global", "cargo nextest run --workspace");
    run.edit(
        "Windows runners need short temporary paths",
        "Windows runners want D:/tmp as their scratch folder",
    );
    run.capture("decision", "Queue retries use jittered exponential backoff");
    run.forget("Queue retries use jittered exponential backoff");
    run.edit("npm test -- --runInBand", "npx jest --maxWorkers=2");
    run.rewrite();
    run.capture("lesson", "Prices are stored as integers of cents");
    run.forget("cargo nextest run --workspace");
    run.save("project", "docker compose up -d postgres");
    run.capture("gotcha", "The staging certificate expires every quarter");
    run.recall("certificate");
    run.capture("decision", "Invoices are numbered per fiscal year without gaps");
}

const SMALL_EVENTS: &str = r#"{"projectName":"shop","limits":{"eventsBytes":4096,"telemetryBytes":4096}}"#;
const SMALL_EVENTS_ON_DISK: &str =
    r#"{"projectName":"shop","durability":"disk","limits":{"eventsBytes":4096,"telemetryBytes":4096}}"#;

/// Some work, on a memory that was made ready for it.
struct Walk<'a> {
    name: &'a str,
    config: &'a str,
    prepare: &'a dyn Fn(&Workshop),
    work: &'a dyn Fn(&mut Run<'_>),
    /// Walks over these only, where others have been walked over before.
    only: Option<&'a [Operation]>,
}

/// The result of injecting a fault into every operation, or of one such run.
#[derive(Default)]
struct Tally {
    runs: usize,
    acknowledged: usize,
    found: Vec<String>,
}

impl Walk<'_> {
    /// Returns the operations of the work when nothing fails.
    fn operations(&self) -> Vec<Operation> {
        let fault = Fault {
            at: 0,
            torn: Torn::Half,
            dead: false,
        };
        let mut tally = Tally::default();
        let disk = self.run_with(fault, &[], &mut tally);
        assert_eq!(tally.found, Vec::<String>::new(), "{}: without a fault", self.name);
        disk.operations()
    }

    fn run_with(&self, fault: Fault, operations: &[Operation], tally: &mut Tally) -> FaultyDisk {
        let workshop = Workshop::with_config(self.config);
        (self.prepare)(&workshop);
        let disk = FaultyDisk::of(fault);
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let failing = fault.at.checked_sub(1).and_then(|at| operations.get(at));
        let writes = matches!(failing, Some(Operation::Append | Operation::Sync));
        let label = format!(
            "{} at {} ({failing:?}, {:?}, dead: {})",
            self.name, fault.at, fault.torn, fault.dead
        );
        let mut run = Run {
            memory: workshop.open_on(Arc::clone(&shared)),
            workshop: &workshop,
            disk: shared,
            ledger: Ledger::default(),
            findings: Findings::labelled(label, writes),
        };
        (self.work)(&mut run);
        disk.repair();
        let Run {
            mut memory,
            ledger,
            mut findings,
            ..
        } = run;
        if !fault.dead {
            // The process that saw the fault continues.
            check(&workshop, &ledger, &mut memory, "same process", &mut findings);
            check_same_answers(&mut memory, &mut workshop.open(), "same process", &mut findings);
        }
        drop(memory);
        let mut memory = workshop.open();
        check(&workshop, &ledger, &mut memory, "reopened", &mut findings);
        retry(&workshop, &ledger, &mut memory, &mut findings);
        check_same_answers(&mut memory, &mut workshop.open(), "after the retry", &mut findings);
        tally.runs += 1;
        tally.acknowledged += ledger.acknowledged;
        tally.found.append(&mut findings.found);
        disk
    }

    /// Walks a fault over every operation and prints what came of it.
    fn walk(&self) {
        let operations = self.operations();
        let mut tally = Tally::default();
        // Where others have walked, it is the process that goes on that matters.
        let deaths: &[bool] = if self.only.is_none() { &[false, true] } else { &[false] };
        for dead in deaths.iter().copied() {
            for at in 1.. {
                let other = |operation: &Operation| self.only.is_some_and(|only| !only.contains(operation));
                if operations.get(at - 1).is_some_and(other) {
                    continue;
                }
                let torn = match operations.get(at - 1) {
                    Some(Operation::Append) => &[Torn::Half, Torn::AllButLast, Torn::All][..],
                    _ => &[Torn::Half],
                };
                let mut failed = false;
                for torn in torn {
                    let fault = Fault { at, torn: *torn, dead };
                    failed = self.run_with(fault, &operations, &mut tally).has_failed();
                }
                if !failed {
                    break;
                }
            }
        }
        let kinds: BTreeSet<_> = operations.iter().collect();
        println!(
            "{}: lost {} of {} acknowledged changes, {} runs over {} operations of {} kinds",
            self.name,
            tally.found.len(),
            tally.acknowledged,
            tally.runs,
            operations.len(),
            kinds.len()
        );
        assert!(tally.acknowledged > 0);
        let shown: Vec<&String> = tally.found.iter().take(20).collect();
        assert!(
            tally.found.is_empty(),
            "{} findings, the first: {shown:#?}",
            tally.found.len()
        );
    }
}

#[test]
fn no_disk_fault_loses_or_duplicates_acknowledged_records() {
    Walk {
        name: "journals",
        config: SMALL_EVENTS,
        prepare: &|_| {},
        work: &work,
        only: None,
    }
    .walk();
}

#[test]
fn no_fault_loses_or_duplicates_records_with_synchronous_appends() {
    Walk {
        name: "durable journals",
        config: SMALL_EVENTS_ON_DISK,
        prepare: &|_| {},
        work: &work,
        only: None,
    }
    .walk();
}

fn long_word(number: usize) -> String {
    format!("{number:w>100}")
}

/// A history long enough to be worth a persisted index: few lines, of few long words, because this is indexed often. Most of a line is a field
/// of somebody else's, which is read and not indexed.
fn long_history(workshop: &Workshop, bytes: usize) {
    fs::create_dir_all(workshop.forge()).unwrap();
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        let words: Vec<String> = (0..12).map(|n| long_word((n * 31 + number * 17) % 900)).collect();
        text.push_str(&format!(
            "{{\"_v\":1,\"id\":\"mem_old_{number}\",\"content\":\"old {number} {}\",\"project\":\"shop\",\"type\":\"insight\",\"other\":\"{:w>4800}\"}}\n",
            words.join(" "),
            number
        ));
        number += 1;
    }
    fs::write(workshop.raw_log(), text).unwrap();
}

fn index_work(run: &mut Run<'_>) {
    run.capture("lesson", "Always close the pool after integration tests");
    let _ = run.memory.settle();
    run.capture_again(
        "lesson",
        "always close the POOL after integration tests",
        "Always close the pool after integration tests",
    );
    for job in run.memory.take_jobs() {
        let _ = job.run();
    }
    let _ = run.memory.adopt();
    run.rewrite();
    run.capture("gotcha", "The staging certificate expires every quarter");
    run.recall("certificate");
    let _ = run.memory.settle();
    run.forget("The staging certificate expires every quarter");
}

#[test]
fn no_fault_in_the_making_of_the_index_changes_an_answer() {
    Walk {
        name: "index",
        config: SMALL_EVENTS,
        prepare: &|workshop| long_history(workshop, 300 << 10),
        work: &index_work,
        only: None,
    }
    .walk();
}

#[test]
fn no_fault_in_the_reading_of_a_long_tail_changes_an_answer() {
    // Longer than a block of reading, and longer than what is indexed line by line.
    for bytes in [1300 << 10, 2200 << 10] {
        Walk {
            name: "long tail",
            config: SMALL_EVENTS,
            prepare: &|workshop| long_history(workshop, bytes),
            work: &|run| {
                run.capture("lesson", "Always close the pool after integration tests");
                run.recall("pool");
                run.forget("Always close the pool after integration tests");
            },
            only: Some(&[Operation::Read, Operation::OpenRead, Operation::State]),
        }
        .walk();
    }
}

#[test]
fn a_capture_is_stored_although_nothing_else_can_be() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    // Folders where files should be: the type's file, the queue, the events, the telemetry, the list for git.
    for name in [
        "lessons.jsonl",
        "openbrain-queue.jsonl",
        "hub-events.jsonl",
        "telemetry/memory-captures.jsonl",
    ] {
        fs::create_dir_all(workshop.forge().join(name)).unwrap();
    }
    let mut memory = workshop.open();
    let outcome = memory.capture(capture_of("lesson", "Stored all the same")).unwrap();
    assert!(outcome.captured);
    let tiers = outcome.tiers;
    assert!(!tiers.files.is_ok() && !tiers.openbrain.is_ok() && !tiers.hub.is_ok());
    assert_eq!(
        crate::common::times_recalled(&mut workshop.open(), "Stored all the same"),
        1
    );
}
