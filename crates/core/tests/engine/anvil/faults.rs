//! Fault injection: every disk operation of a drain fails once, alone or with all later ones, and nothing is lost.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use forge_memory_core::anvil::{Drain, LeasedThought, OutcomeKind, Work};
use forge_memory_core::clock::DAY_MS;
use forge_memory_core::journal::Disk;
use forge_memory_test_disk::{Fault, FaultyDisk, Operation, Torn};

use super::support::*;
use crate::common::lines::objects;
use crate::common::{Workshop, capture_of};

/// Records of a size at which the queue is rewritten during the drain.
const BIG: usize = 40_000;

struct Run {
    workshop: Workshop,
    shelf: Shelf,
    /// Ids that the store has refused.
    refused: BTreeSet<String>,
    ids: Vec<String>,
}

fn prepare() -> Run {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.forge()).unwrap();
    let mut text = String::from("what nobody can read\n");
    for number in 0..12 {
        text.push_str(&queue_line(number, &"x".repeat(BIG)));
    }
    text.push_str("{\"_v\":1,\"_status\":\"delivered\",\"id\":\"mem_moved\",\"content\":\"moved\"}\n{\"_v\":1,\"id\":\"mem_empty\"}\n");
    fs::write(queue_path(&workshop), text).unwrap();
    let letter =
        "{\"_v\":1,\"_status\":\"failed\",\"_attempts\":5,\"id\":\"mem_letter\",\"content\":\"an old letter\"}\n";
    fs::write(dead_path(&workshop), letter).unwrap();
    super::support::take_over(&workshop);
    let ids = (0..12)
        .map(|number| format!("mem_{number:032x}"))
        .chain(["mem_letter".to_owned()])
        .collect();
    Run {
        workshop,
        shelf: Shelf::default(),
        refused: BTreeSet::new(),
        ids,
    }
}

impl Run {
    /// A worker's day: what fails is tried again once, as a worker would.
    fn work(&mut self, disk: &Arc<dyn Disk>) {
        let now = now_of(&self.workshop);
        let Ok(mut drain) = Drain::open(&surroundings(&self.workshop, Arc::clone(disk))) else {
            return;
        };
        let _ = drain
            .replay_dead_letters(now)
            .or_else(|_| drain.replay_dead_letters(now));
        for pass in 0..6 {
            let batch = drain.lease(3, now).or_else(|_| drain.lease(3, now)).unwrap_or_default();
            self.deliver(&mut drain, &batch, pass, now);
            if pass == 2 {
                let _ = drain.resume(now);
                self.capture();
            }
        }
        drain.close(now);
    }

    fn capture(&mut self) {
        let outcome = self
            .workshop
            .open()
            .capture(capture_of("lesson", "Captured in between"))
            .unwrap();
        self.ids.push(outcome.thought.id);
    }

    fn deliver(&mut self, drain: &mut Drain, batch: &[LeasedThought], pass: usize, now: i64) {
        let kinds = match pass {
            1 => [OutcomeKind::Delivered, OutcomeKind::Busy, OutcomeKind::Rejected],
            2 => [OutcomeKind::Misconfigured, OutcomeKind::Delivered, OutcomeKind::Busy],
            _ => [OutcomeKind::Delivered; 3],
        };
        let mut outcomes = Vec::new();
        for (leased, kind) in batch.iter().zip(kinds) {
            let Work::Store(thought) = &leased.work else { continue };
            match kind {
                OutcomeKind::Delivered => self.shelf.take(leased),
                OutcomeKind::Rejected => drop(self.refused.insert(thought.id.clone())),
                _ => {}
            }
            outcomes.push(outcome(leased, kind));
        }
        let _ = drain.settle(&outcomes, now).or_else(|_| drain.settle(&outcomes, now));
    }

    /// The next process continues, and every record is accounted for.
    fn check(mut self, label: &str, findings: &mut Vec<String>) {
        let later = now_of(&self.workshop) + DAY_MS;
        let mut drain = open_drain(&self.workshop);
        drain.resume(later).unwrap();
        for _ in 0..3 {
            deliver_all(&mut drain, &mut self.shelf, later);
            deliver_all(&mut drain, &mut self.shelf, later + DAY_MS);
        }
        drain.close(later);
        let mut expect = |holds: bool, said: &str| {
            if !holds {
                findings.push(format!("{label}: {said}"));
            }
        };
        let letters: BTreeSet<String> = self
            .workshop
            .open()
            .dead_letters()
            .unwrap()
            .into_iter()
            .map(|letter| letter.id)
            .collect();
        for id in &self.ids {
            let is_stored = self.shelf.texts.contains_key(id);
            let is_letter = letters.contains(id);
            expect(is_stored || is_letter, &format!("{id} is nowhere"));
            expect(
                !is_letter || self.refused.contains(id) || id == "mem_letter",
                &format!("{id} is buried"),
            );
        }
        expect(letters.contains("mem_empty"), "the record without content is no letter");
        let archived = objects(&archive_path(&self.workshop));
        let is_archived = |id: &str| archived.iter().any(|row| row["id"] == id);
        expect(is_archived("mem_moved"), "what another tool delivered is not archived");
        expect(
            self.shelf.texts.keys().all(|id| is_archived(id)),
            "a delivered record is not archived",
        );
        let queue = fs::read_to_string(queue_path(&self.workshop)).unwrap_or_default();
        expect(
            queue.starts_with("what nobody can read\n"),
            "the line that nobody can read is gone",
        );
        let status = self.workshop.open().queue_status();
        expect(status.queued == 0, &format!("{} records are left", status.queued));
        let leftovers = fs::read_dir(self.workshop.forge()).unwrap().flatten();
        let fragments = leftovers.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"));
        expect(
            label.contains("dead: true") || fragments.count() == 0,
            "a temporary file is left",
        );
    }
}

fn run_with(fault: Fault, operations: &[Operation], findings: &mut Vec<String>) -> FaultyDisk {
    let mut run = prepare();
    let disk = FaultyDisk::of(fault);
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    run.work(&shared);
    let failing = fault.at.checked_sub(1).and_then(|at| operations.get(at));
    let label = format!("at {} ({failing:?}, {:?}, dead: {})", fault.at, fault.torn, fault.dead);
    run.check(&label, findings);
    disk
}

#[test]
fn no_delivery_fault_loses_a_record_or_makes_it_a_dead_letter() {
    let none = Fault {
        at: 0,
        torn: Torn::Half,
        dead: false,
    };
    let mut findings = Vec::new();
    let operations = run_with(none, &[], &mut findings).operations();
    assert_eq!(findings, Vec::<String>::new(), "without a fault");
    let rewrites = operations
        .iter()
        .filter(|operation| **operation == Operation::Rename)
        .count();
    assert!(
        rewrites >= 3,
        "the work rewrites the queue and its log {rewrites} times"
    );
    let mut runs = 0;
    for dead in [false, true] {
        for (number, operation) in operations.iter().enumerate() {
            let torn = match operation {
                Operation::Append => &[Torn::Half, Torn::AllButLast, Torn::All][..],
                _ => &[Torn::Half],
            };
            for torn in torn {
                let fault = Fault {
                    at: number + 1,
                    torn: *torn,
                    dead,
                };
                run_with(fault, &operations, &mut findings);
                runs += 1;
            }
        }
    }
    println!("{runs} faults over {} operations", operations.len());
    findings.truncate(20);
    assert_eq!(findings, Vec::<String>::new());
}
